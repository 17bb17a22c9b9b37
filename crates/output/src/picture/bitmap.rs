//! The picture as pixels.

use glam::DVec2;

use super::{
    canvas::Canvas,
    edges, glyphs,
    layout::{INK, Label, Layout, ScaleBar},
    raster::{NOTHING, Raster},
    scene::Scene,
};
use crate::OutputError;

/// Hatch lines darken by this factor and take this part of the distance between them.
const HATCH_SHADE: f32 = 0.80;
const HATCH_WIDTH: f64 = 0.18;

pub(super) fn draw(scene: &Scene, layout: &Layout) -> Canvas {
    let raster = Raster::new(scene, layout.width, layout.height);
    let mut canvas = colored(scene, &raster, layout);
    let covers = edges::cover(scene, &raster, layout.measures.edge);
    for (pixel, &cover) in covers.iter().enumerate().filter(|(_, c)| **c > 0.0) {
        canvas.blend(pixel, INK, cover);
    }
    if let Some(bar) = &layout.scale_bar {
        draw_bar(&mut canvas, bar, layout.measures.line);
    }
    for label in [&layout.title, &layout.note].into_iter().flatten() {
        draw_label(&mut canvas, label);
    }
    canvas
}

pub(crate) fn encode(canvas: &Canvas) -> Result<Vec<u8>, OutputError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, canvas.width as u32, canvas.height as u32);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&canvas.bytes())?;
    writer.finish()?;
    Ok(file)
}

/// Each pixel as the mean of its samples.
fn colored(scene: &Scene, raster: &Raster, layout: &Layout) -> Canvas {
    let mut canvas = Canvas::new(layout.width, layout.height);
    let background = layout.background.color();
    let behind = background.map(|c| c.0.map(|v| f32::from(v) / 255.0));
    let share = 1.0 / (raster.fine * raster.fine) as f32;
    for pixel in 0..canvas.pixels.len() {
        let (column, row) = (pixel % canvas.width, pixel / canvas.width);
        let mut sum = [0.0f32; 4];
        for y in row * raster.fine..(row + 1) * raster.fine {
            for x in column * raster.fine..(column + 1) * raster.fine {
                let id = raster.facet[y * raster.width + x];
                let color = if id == NOTHING {
                    behind
                } else {
                    let facet = &scene.facets[id as usize];
                    let on_hatch = facet.hatched && is_hatch(raster.place(x), raster.place(y), layout.measures.hatch);
                    let factor = if on_hatch { HATCH_SHADE } else { 1.0 } / 255.0;
                    Some(facet.color.0.map(|v| f32::from(v) * factor))
                };
                if let Some([r, g, b]) = color {
                    sum = [sum[0] + r, sum[1] + g, sum[2] + b, sum[3] + 1.0];
                }
            }
        }
        if sum[3] > 0.0 {
            let [r, g, b, n] = sum;
            canvas.pixels[pixel] = [r / n, g / n, b / n, n * share];
        }
    }
    canvas
}

/// Whether a place on the picture lies on a hatch line; they rise to the right at 45 degrees.
fn is_hatch(x: f64, y: f64, distance: f64) -> bool {
    let across = (x + y) * std::f64::consts::FRAC_1_SQRT_2;
    across.rem_euclid(distance) < HATCH_WIDTH * distance
}

fn draw_bar(canvas: &mut Canvas, bar: &ScaleBar, line: f64) {
    let tick = DVec2::new(0.0, bar.tick);
    let lines = [
        vec![bar.from, bar.to],
        vec![bar.from - tick, bar.from + tick],
        vec![bar.to - tick, bar.to + tick],
    ];
    canvas.strokes(&lines, line, INK);
    draw_label(canvas, &bar.label);
}

fn draw_label(canvas: &mut Canvas, label: &Label) {
    let lines = glyphs::lines(&label.text, label.anchor, label.capitals);
    canvas.strokes(&lines, (0.115 * label.capitals).max(1.0), INK);
}
