//! The picture as SVG: the facets that are seen, painted from back to front.

use std::fmt::Write;

use glam::{DVec2, DVec3};

use super::{
    layout::{INK, Label, Layout, ScaleBar},
    order::back_to_front,
    raster::Raster,
    scene::{Facet, Scene, flat},
};
use crate::xml::escape;

/// A line of capitals this high needs a font of size 1 (most sans-serif fonts come close).
const CAPITALS_OF_FONT: f64 = 0.72;

pub(super) fn write(scene: &Scene, layout: &Layout) -> String {
    // The bitmap knows what is hidden; leaving it out makes the file of a large building several times smaller.
    let shown = Raster::new(scene, layout.width, layout.height).shown(scene.facets.len());
    let mut of_part = vec![Vec::new(); scene.parts.len()];
    for (id, facet) in scene.facets.iter().enumerate().filter(|(id, _)| shown[*id] > 0) {
        of_part[facet.part].push(id);
    }
    let seen: Vec<usize> = (0..scene.parts.len()).filter(|&p| !of_part[p].is_empty()).collect();
    let solids: Vec<_> = seen.iter().map(|&p| &scene.parts[p]).collect();
    let mut svg = head(layout);
    for place in back_to_front(&solids) {
        let facets = &mut of_part[seen[place]];
        // Facets of a convex part never hide each other; this is for blocks that could not be cut into such parts.
        facets.sort_by(|&a, &b| mean_depth(&scene.facets[a]).total_cmp(&mean_depth(&scene.facets[b])));
        for &id in facets.iter() {
            write_facet(&mut svg, scene, &scene.facets[id]);
        }
    }
    svg.push_str("</g>\n");
    if let Some(bar) = &layout.scale_bar {
        write_bar(&mut svg, bar, 1.3 * layout.measures.line);
    }
    if let Some(title) = &layout.title {
        write_label(&mut svg, title);
    }
    svg.push_str("</svg>\n");
    svg
}

fn head(layout: &Layout) -> String {
    let (width, height) = (layout.width, layout.height);
    let (line, hatch) = (layout.measures.line, layout.measures.hatch);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n"
    );
    if let Some(title) = &layout.title {
        let _ = writeln!(svg, "<title>{}</title>", escape(&title.text));
    }
    let _ = writeln!(
        svg,
        "<defs><pattern id=\"hatch\" width=\"{hatch:.2}\" height=\"{hatch:.2}\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><path d=\"M0 0V{hatch:.2}\" stroke=\"#000\" stroke-opacity=\"0.2\" \
         stroke-width=\"{:.2}\"/></pattern></defs>",
        0.36 * hatch
    );
    if let Some(color) = layout.background.color() {
        let _ = writeln!(svg, "<rect width=\"{width}\" height=\"{height}\" fill=\"{color}\"/>");
    }
    let _ = writeln!(
        svg,
        "<g stroke=\"{INK}\" stroke-width=\"{line:.2}\" stroke-linejoin=\"round\" stroke-linecap=\"round\">"
    );
    svg
}

fn mean_depth(facet: &Facet) -> f64 {
    facet.corners.iter().map(|c| c.z).sum::<f64>() / facet.corners.len().max(1) as f64
}

fn write_facet(svg: &mut String, scene: &Scene, facet: &Facet) {
    let outline = polygon(&facet.corners);
    let color = facet.color;
    if has_whole_outline(scene, facet) {
        let _ = writeln!(svg, "<polygon fill=\"{color}\" points=\"{outline}\"/>");
    } else {
        // A thin line in the colour of the face closes the seam that smoothing leaves between parts of one face.
        let _ = writeln!(
            svg,
            "<polygon fill=\"{color}\" stroke=\"{color}\" stroke-width=\"0.7\" points=\"{outline}\"/>"
        );
        if !facet.edges.is_empty() {
            let mut path = String::new();
            for &edge in &facet.edges {
                let (a, b) = (scene.edges[edge].from, scene.edges[edge].to);
                let _ = write!(path, "M{} {}L{} {}", short(a.x), short(a.y), short(b.x), short(b.y));
            }
            let _ = writeln!(svg, "<path d=\"{path}\"/>");
        }
    }
    if facet.hatched {
        let _ = writeln!(
            svg,
            "<polygon fill=\"url(#hatch)\" stroke=\"none\" points=\"{outline}\"/>"
        );
    }
}

/// Whether every side of the facet is an edge of its block, so that one stroked polygon draws it.
fn has_whole_outline(scene: &Scene, facet: &Facet) -> bool {
    let drawn: f64 = facet
        .edges
        .iter()
        .map(|&e| scene.edges[e].from.distance(scene.edges[e].to))
        .sum();
    let n = facet.corners.len();
    let around: f64 = (0..n)
        .map(|k| facet.corners[k].distance(facet.corners[(k + 1) % n]))
        .sum();
    drawn >= around * (1.0 - 1e-6)
}

fn polygon(corners: &[DVec3]) -> String {
    let points: Vec<String> = flat(corners)
        .map(|p| format!("{},{}", short(p.x), short(p.y)))
        .collect();
    points.join(" ")
}

/// Hundredths of a pixel, without zeros at the end.
fn short(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn write_bar(svg: &mut String, bar: &ScaleBar, line: f64) {
    let tick = DVec2::new(0.0, bar.tick);
    let (top, bottom) = (bar.from - tick, bar.from + tick);
    let _ = writeln!(
        svg,
        "<path id=\"scale-bar\" fill=\"none\" stroke=\"{INK}\" stroke-width=\"{line:.2}\" stroke-linecap=\"round\" \
         d=\"M{x0} {y}H{x1}M{x0} {y0}V{y1}M{x1} {y0}V{y1}\"/>",
        x0 = short(bar.from.x),
        x1 = short(bar.to.x),
        y = short(bar.from.y),
        y0 = short(top.y),
        y1 = short(bottom.y),
    );
    write_label(svg, &bar.label);
}

fn write_label(svg: &mut String, label: &Label) {
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" font-size=\"{:.1}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" \
         text-anchor=\"middle\" fill=\"{INK}\">{}</text>",
        short(label.anchor.x),
        short(label.anchor.y),
        label.capitals / CAPITALS_OF_FONT,
        escape(&label.text),
    );
}
