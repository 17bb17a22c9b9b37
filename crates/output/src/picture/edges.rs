//! Edges of blocks on a bitmap: smooth lines, drawn only where nothing hides them.

use super::{
    canvas::strip,
    raster::{NOTHING, Raster},
    scene::{Edge, Scene},
};

/// A line lies on the faces that meet in it, but its width reaches over neighbours that may rise towards the eye; a
/// line this much (times its width) behind them still counts as seen, or contact lines would lose half their width.
const TOLERATED_DEPTH: f64 = 1.6;

/// How much of each pixel is covered by visible edges, from 0 to 1.
pub(super) fn cover(scene: &Scene, raster: &Raster, width: f64) -> Vec<f32> {
    let (columns, rows) = (raster.width / raster.fine, raster.height / raster.fine);
    let mut covers = vec![0.0f32; columns * rows];
    let shown = raster.shown(scene.facets.len());
    // Of an edge between hidden faces only the ends could show, as specks beside a corner.
    let is_shown = |e: &&Edge| e.facets.iter().flatten().any(|&f| shown[f] > 0);
    for edge in scene.edges.iter().filter(is_shown) {
        strip(
            columns,
            rows,
            edge.from.truncate(),
            edge.to.truncate(),
            width,
            |pixel, cover, t| {
                let cover = cover as f32;
                // Edges of touching blocks coincide: the larger cover counts, not the sum, or joints would look heavier.
                if cover > covers[pixel] {
                    let near = edge.from.z + (edge.to.z - edge.from.z) * t + TOLERATED_DEPTH * width;
                    let seen = cover * visible_part(raster, edge, pixel % columns, pixel / columns, near as f32);
                    covers[pixel] = covers[pixel].max(seen);
                }
            },
        );
    }
    covers
}

/// Fraction of a pixel's samples where an edge at this depth is seen.
fn visible_part(raster: &Raster, edge: &Edge, column: usize, row: usize, near: f32) -> f32 {
    let fine = raster.fine;
    let mut seen = 0;
    for y in row * fine..(row + 1) * fine {
        let line = y * raster.width + column * fine;
        for sample in line..line + fine {
            let id = raster.facet[sample];
            let is_own = id != NOTHING && edge.facets.contains(&Some(id as usize));
            if is_own || near >= raster.near[sample] {
                seen += 1;
            }
        }
    }
    seen as f32 / (fine * fine) as f32
}
