//! Which facet is seen where: a z-buffer with several samples a pixel.

use glam::DVec3;

use super::scene::{Facet, Scene};

/// Samples a side of a pixel, where memory allows.
const FINE: u32 = 3;
/// Most samples in all: 8 bytes each.
const MOST_SAMPLES: u64 = 64 << 20;
/// No facet here.
pub(super) const NOTHING: u32 = u32::MAX;

/// The facet seen at each sample, and how near it is.
pub(super) struct Raster {
    /// Size in samples.
    pub(super) width: usize,
    pub(super) height: usize,
    /// Samples a side of a pixel.
    pub(super) fine: usize,
    pub(super) facet: Vec<u32>,
    pub(super) near: Vec<f32>,
}

impl Raster {
    pub(super) fn new(scene: &Scene, width: u32, height: u32) -> Self {
        let pixels = u64::from(width) * u64::from(height);
        let fits = |fine: &u32| pixels * u64::from(fine * fine) <= MOST_SAMPLES;
        let fine = (1..=FINE).rev().find(fits).unwrap_or(1) as usize;
        let (width, height) = (width as usize * fine, height as usize * fine);
        let mut raster = Self {
            width,
            height,
            fine,
            facet: vec![NOTHING; width * height],
            near: vec![f32::NEG_INFINITY; width * height],
        };
        for (id, facet) in scene.facets.iter().enumerate() {
            raster.fill(id as u32, facet);
        }
        raster
    }

    /// Where a sample lies on the picture (pixels).
    pub(super) fn place(&self, index: usize) -> f64 {
        (index as f64 + 0.5) / self.fine as f64
    }

    /// The first sample at or beyond a place on the picture, cut to `0..=limit`.
    fn sample_from(&self, place: f64, limit: usize) -> usize {
        (place * self.fine as f64 - 0.5).ceil().clamp(0.0, limit as f64) as usize
    }

    fn fill(&mut self, id: u32, facet: &Facet) {
        for triangle in &facet.triangles {
            let mut corners = triangle.map(|k| facet.corners[k]);
            corners.sort_by(|p, q| p.y.total_cmp(&q.y));
            self.fill_triangle(id, corners, facet.depth);
        }
    }

    /// Fills a triangle with corners from top to bottom. A sample on a shared edge belongs to exactly one triangle:
    /// spans are closed at their left and open at their right end.
    fn fill_triangle(&mut self, id: u32, [a, b, c]: [DVec3; 3], depth: DVec3) {
        let rows = self.sample_from(a.y, self.height)..self.sample_from(c.y, self.height);
        for row in rows {
            let y = self.place(row);
            let long = cross(a, c, y);
            let short = if y < b.y { cross(a, b, y) } else { cross(b, c, y) };
            let first = self.sample_from(long.min(short), self.width);
            let last = self.sample_from(long.max(short), self.width);
            let at_row = depth.y * y + depth.z;
            let line = row * self.width;
            for column in first..last {
                let near = (depth.x * self.place(column) + at_row) as f32;
                let sample = line + column;
                if near > self.near[sample] {
                    self.near[sample] = near;
                    self.facet[sample] = id;
                }
            }
        }
    }

    /// How many samples show each facet.
    pub(super) fn shown(&self, facets: usize) -> Vec<u32> {
        let mut shown = vec![0; facets];
        for &id in self.facet.iter().filter(|&&id| id != NOTHING) {
            shown[id as usize] += 1;
        }
        shown
    }
}

/// Where the line through two points crosses a row.
fn cross(p: DVec3, q: DVec3, y: f64) -> f64 {
    if q.y == p.y {
        p.x
    } else {
        p.x + (q.x - p.x) * ((y - p.y) / (q.y - p.y)).clamp(0.0, 1.0)
    }
}
