//! The picture as SVG: the facets that are seen, painted from back to front.

use std::{collections::HashMap, fmt::Write};

use glam::{DVec2, DVec3};

use super::{
    layout::{INK, Layout, ScaleBar},
    order::back_to_front,
    raster::Raster,
    scene::{Facet, PartLine, Scene, common_piece, flat},
};
use crate::{
    marks::{Mark, listed, short},
    xml::escape,
};

/// Width of the lines that close seams (pixels): as much as covers every pixel that a seam touches.
const SEAM: f64 = 1.6;
/// Seams are closed up to this distance from their ends (pixels), so that the edges there stay whole.
const SEAM_END: f64 = 1.0;
/// Edges of blocks with a skin, over the usual width: borders of patches behind them must not show.
const SKIN_EDGE: f64 = 1.6;

/// The whole picture, with marks behind and over the structure.
pub(super) fn write(scene: &Scene, layout: &Layout, behind: &[Mark], marks: &[Mark]) -> String {
    // The z-buffer knows what is hidden; leaving it out makes the file of a large building several times smaller.
    let shown = Raster::new(scene, layout.width, layout.height).shown(scene.facets.len());
    let mut svg = head(layout);
    write_paper(&mut svg, layout, behind);
    let order = painted(scene, &shown);
    let mut lines: HashMap<usize, Vec<&PartLine>> = HashMap::new();
    for line in &scene.skin_lines {
        lines.entry(line.part).or_default().push(line);
    }
    for (k, &id) in order.iter().enumerate() {
        let facet = &scene.facets[id];
        write_facet(&mut svg, scene, facet);
        // Lines upon a skin come after all of it, before the part in front.
        let is_last = order
            .get(k + 1)
            .is_none_or(|&next| scene.facets[next].part != facet.part);
        if is_last && let Some(lines) = lines.get(&facet.part) {
            write_skin_lines(&mut svg, lines, layout.measures.edge);
        }
    }
    svg.push_str("</g>\n");
    write_lettering(&mut svg, layout, marks);
    svg
}

/// The facets that are shown, in the order in which they are to be painted.
fn painted(scene: &Scene, shown: &[u32]) -> Vec<usize> {
    let mut of_part = vec![Vec::new(); scene.parts.len()];
    for (id, facet) in scene.facets.iter().enumerate().filter(|(id, _)| shown[*id] > 0) {
        of_part[facet.part].push(id);
    }
    let seen: Vec<usize> = (0..scene.parts.len()).filter(|&p| !of_part[p].is_empty()).collect();
    let solids: Vec<_> = seen.iter().map(|&p| &scene.parts[p]).collect();
    let mut order = Vec::new();
    for place in back_to_front(&solids) {
        let facets = &mut of_part[seen[place]];
        // Facets of a convex part never hide each other; this is for blocks that could not be cut into such parts.
        facets.sort_by(|&a, &b| mean_depth(&scene.facets[a]).total_cmp(&mean_depth(&scene.facets[b])));
        order.append(facets);
    }
    order
}

fn head(layout: &Layout) -> String {
    let (width, height) = (layout.width, layout.height);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n"
    )
}

/// What lies behind the structure, and the beginning of its group.
fn write_paper(svg: &mut String, layout: &Layout, behind: &[Mark]) {
    let (width, height) = (layout.width, layout.height);
    let (line, hatch) = (layout.measures.edge, layout.measures.hatch);
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
    behind.iter().for_each(|mark| mark.write(svg));
    let _ = writeln!(
        svg,
        "<g stroke=\"{INK}\" stroke-width=\"{line:.2}\" stroke-linejoin=\"round\" stroke-linecap=\"round\">"
    );
}

/// Scale bar, title, note and marks, and the end of the file.
fn write_lettering(svg: &mut String, layout: &Layout, marks: &[Mark]) {
    if let Some(bar) = &layout.scale_bar {
        write_bar(svg, bar, layout.measures.line);
    }
    for text in [&layout.title, &layout.note].into_iter().flatten() {
        text.write(svg);
    }
    for mark in marks {
        mark.write(svg);
    }
    svg.push_str("</svg>\n");
}

fn mean_depth(facet: &Facet) -> f64 {
    facet.corners.iter().map(|c| c.z).sum::<f64>() / facet.corners.len().max(1) as f64
}

fn write_facet(svg: &mut String, scene: &Scene, facet: &Facet) {
    let outline = listed(&flat(&facet.corners).collect::<Vec<_>>());
    let color = facet.color;
    if facet.is_patch {
        // Its border in its own colour closes the gaps that smoothing leaves between patches.
        let _ = writeln!(
            svg,
            "<polygon fill=\"{color}\" stroke=\"{color}\" stroke-width=\"{SEAM}\" points=\"{outline}\"/>"
        );
        return;
    }
    let seams = seams(scene, facet);
    if seams.is_empty() {
        let _ = writeln!(svg, "<polygon fill=\"{color}\" points=\"{outline}\"/>");
    } else {
        let _ = writeln!(svg, "<polygon fill=\"{color}\" stroke=\"none\" points=\"{outline}\"/>");
        // A line in the colour of the face closes the gap that smoothing leaves between parts of one face.
        let seams = path(seams.into_iter().filter_map(shortened));
        let _ = writeln!(
            svg,
            "<path stroke=\"{color}\" stroke-width=\"{SEAM}\" stroke-linecap=\"butt\" d=\"{seams}\"/>"
        );
        if !facet.edges.is_empty() {
            let edges = path(facet.edges.iter().map(|&e| [scene.edges[e].from, scene.edges[e].to]));
            let _ = writeln!(svg, "<path d=\"{edges}\"/>");
        }
    }
    if facet.hatched {
        let _ = writeln!(
            svg,
            "<polygon fill=\"url(#hatch)\" stroke=\"none\" points=\"{outline}\"/>"
        );
    }
}

/// Edges of the block in full, those of its elements thin.
fn write_skin_lines(svg: &mut String, lines: &[&PartLine], width: f64) {
    for (is_edge, style) in [
        (
            false,
            format!("stroke-width=\"{:.2}\" stroke-opacity=\"0.25\"", 0.5 * width),
        ),
        (true, format!("stroke-width=\"{:.2}\"", SKIN_EDGE * width)),
    ] {
        let d: String = (lines.iter().filter(|l| l.is_edge == is_edge))
            .map(|line| format!("M{}", listed(&line.points)))
            .collect();
        if !d.is_empty() {
            let _ = writeln!(svg, "<path fill=\"none\" {style} d=\"{d}\"/>");
        }
    }
}

/// Pieces of a facet's outline that are not edges of its block: there it goes on in another facet.
fn seams(scene: &Scene, facet: &Facet) -> Vec<[DVec3; 2]> {
    let n = facet.corners.len();
    let mut seams = Vec::new();
    for (a, b) in (0..n).map(|k| (facet.corners[k], facet.corners[(k + 1) % n])) {
        let length = a.distance(b);
        let along = (b - a).normalize_or_zero();
        let edges = facet.edges.iter().map(|&e| [scene.edges[e].from, scene.edges[e].to]);
        let mut drawn: Vec<[f64; 2]> = edges
            .filter_map(|edge| common_piece([a, b], edge))
            .map(|piece| piece.map(|p| (p - a).dot(along)))
            .collect();
        drawn.sort_by(|p, q| p[0].total_cmp(&q[0]));
        let mut from = 0.0f64;
        for [low, high] in drawn.into_iter().chain([[length; 2]]) {
            if low - from > 1e-6 * length {
                seams.push([a + along * from, a + along * low]);
            }
            from = from.max(high);
        }
    }
    seams
}

/// A segment without its ends, or nothing if it is too short for that.
fn shortened([a, b]: [DVec3; 2]) -> Option<[DVec3; 2]> {
    let end = (b - a).normalize_or_zero() * SEAM_END;
    (a.distance(b) > 2.0 * SEAM_END).then(|| [a + end, b - end])
}

fn path(segments: impl Iterator<Item = [DVec3; 2]>) -> String {
    let piece = |[a, b]: [DVec3; 2]| format!("M{} {}L{} {}", short(a.x), short(a.y), short(b.x), short(b.y));
    segments.map(piece).collect()
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
    bar.label.write(svg);
}

#[cfg(test)]
mod tests {
    use drystone_model::{Block, Model, Pose, Rotation, Shape};

    use super::*;
    use crate::picture::Picture;

    /// Boxes turned at random on a grid that keeps them apart, and an L-shaped block among them.
    fn tumbled() -> Model {
        let mut seed = 7u64;
        let mut random = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as f64 / (1u64 << 31) as f64 - 0.5
        };
        let mut model = Model::named("tumbled");
        for k in 0..125 {
            let half = DVec3::new(0.28 + 0.1 * random(), 0.28, 0.28);
            let mut block = Block::new(format!("box {k}"), Shape::cuboid(-half, half));
            let axis = DVec3::new(random(), random(), random());
            block.pose = Pose {
                position: DVec3::new((k % 5) as f64, (k / 5 % 5) as f64, (k / 25) as f64),
                rotation: Some(Rotation::AxisAngle {
                    axis,
                    angle_deg: 360.0 * random(),
                }),
            };
            model.blocks.push(block);
        }
        let outline = [
            (-1.0, -1.0),
            (5.0, -1.0),
            (5.0, -0.6),
            (-0.6, -0.6),
            (-0.6, 5.0),
            (-1.0, 5.0),
        ];
        let ell = drystone_model::geometry::Polyhedron::from_elevation(&outline.map(DVec2::from), -0.4, 4.4);
        model.blocks.push(Block::new("ell", ell));
        model
    }

    #[test]
    fn painting_in_order_shows_what_the_depth_buffer_shows() {
        let model = tumbled();
        let (mut scene, ..) = Picture::new(&model).size(300, 300).compose().unwrap();
        let by_depth = Raster::new(&scene, 300, 300);
        let order = painted(&scene, &by_depth.shown(scene.facets.len()));
        assert!(order.len() > 200 && order.len() < scene.facets.len());
        // Facets that lie as deep as they come late in the order: the depth buffer then acts as a painter.
        for facet in &mut scene.facets {
            facet.depth = DVec3::new(0.0, 0.0, -1.0);
        }
        for (place, &id) in order.iter().enumerate() {
            scene.facets[id].depth.z = place as f64;
        }
        let by_order = Raster::new(&scene, 300, 300);
        let differing = by_depth
            .facet
            .iter()
            .zip(&by_order.facet)
            .filter(|(a, b)| a != b)
            .count();
        assert!(differing < 20, "{differing} of {} samples differ", by_depth.facet.len());
    }
}
