//! Pixels in memory, and smooth lines on them.

use glam::DVec2;

use crate::Rgb;

/// A picture: colour and cover of each pixel, from 0 to 1, colours not multiplied by the cover.
pub(crate) struct Canvas {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<[f32; 4]>,
}

impl Canvas {
    pub(crate) fn new(width: u32, height: u32) -> Self {
        let (width, height) = (width as usize, height as usize);
        Self {
            width,
            height,
            pixels: vec![[0.0; 4]; width * height],
        }
    }

    /// Lays a colour over a pixel.
    pub(crate) fn blend(&mut self, pixel: usize, color: Rgb, cover: f32) {
        let [r, g, b, under] = self.pixels[pixel];
        let total = cover + under * (1.0 - cover);
        if total <= 0.0 {
            return;
        }
        let part = cover / total;
        let [nr, ng, nb] = color.0.map(|c| f32::from(c) / 255.0);
        let mix = |old: f32, new: f32| old + (new - old) * part;
        self.pixels[pixel] = [mix(r, nr), mix(g, ng), mix(b, nb), total];
    }

    /// Connected lines, each pixel covered once however many lines pass over it.
    pub(crate) fn strokes(&mut self, lines: &[Vec<DVec2>], width: f64, color: Rgb) {
        let mut covers = std::collections::BTreeMap::new();
        for line in lines {
            for ends in line.windows(2) {
                strip(self.width, self.height, ends[0], ends[1], width, |pixel, cover, _| {
                    let old: &mut f64 = covers.entry(pixel).or_insert(0.0);
                    *old = old.max(cover);
                });
            }
        }
        for (pixel, cover) in covers {
            self.blend(pixel, color, cover as f32);
        }
    }

    /// A filled figure, smooth at its outline.
    pub(crate) fn fill(&mut self, outline: &[DVec2], color: Rgb) {
        const FINE: usize = 4;
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for p in outline {
            (low, high) = (low.min(*p), high.max(*p));
        }
        let cut = |v: f64, end: usize| (v.max(0.0) as usize).min(end);
        for row in cut(low.y, self.height)..cut(high.y + 1.0, self.height) {
            for column in cut(low.x, self.width)..cut(high.x + 1.0, self.width) {
                let sample = |k: usize| {
                    let shift = DVec2::new((k % FINE) as f64 + 0.5, (k / FINE) as f64 + 0.5) / FINE as f64;
                    is_inside(outline, DVec2::new(column as f64, row as f64) + shift)
                };
                let hits = (0..FINE * FINE).filter(|&k| sample(k)).count();
                if hits > 0 {
                    let cover = hits as f32 / (FINE * FINE) as f32;
                    self.blend(row * self.width + column, color, cover);
                }
            }
        }
    }

    /// Eight bits a channel: red, green, blue, cover.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let byte = |v: &f32| (v * 255.0).round().clamp(0.0, 255.0) as u8;
        self.pixels.iter().flat_map(|p| p.iter().map(byte)).collect()
    }
}

/// Whether a point lies within an outline, by counting the sides to its right.
fn is_inside(outline: &[DVec2], p: DVec2) -> bool {
    let mut inside = false;
    for (k, a) in outline.iter().enumerate() {
        let b = outline[(k + 1) % outline.len()];
        if (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x) {
            inside = !inside;
        }
    }
    inside
}

/// Visits the pixels of a line of some width with round ends: the pixel, how much of it is covered (from the distance
/// of its middle), and where along the line its nearest point lies (0 at `from`, 1 at `to`).
pub(crate) fn strip(
    columns: usize,
    rows: usize,
    from: DVec2,
    to: DVec2,
    width: f64,
    mut visit: impl FnMut(usize, f64, f64),
) {
    let reach = 0.5 * width + 0.5;
    let along = to - from;
    let length_squared = along.length_squared();
    let clamp = |v: f64, limit: usize| v.clamp(0.0, limit as f64) as usize;
    let first_row = clamp((from.y.min(to.y) - reach - 0.5).ceil(), rows);
    let end_row = clamp((from.y.max(to.y) + reach - 0.5).floor() + 1.0, rows);
    for row in first_row..end_row {
        let y = row as f64 + 0.5;
        // The part of the line that can come within reach of this row bounds the columns to look at.
        let (mut low, mut high) = (0.0, 1.0);
        if along.y.abs() > 1e-12 {
            let at = |y: f64| ((y - from.y) / along.y).clamp(0.0, 1.0);
            let (s, t) = (at(y - reach), at(y + reach));
            (low, high) = (s.min(t), s.max(t));
        }
        let (x0, x1) = (from.x + low * along.x, from.x + high * along.x);
        let first = clamp((x0.min(x1) - reach - 0.5).ceil(), columns);
        let end = clamp((x0.max(x1) + reach - 0.5).floor() + 1.0, columns);
        for column in first..end {
            let p = DVec2::new(column as f64 + 0.5, y);
            let t = if length_squared > 0.0 {
                ((p - from).dot(along) / length_squared).clamp(0.0, 1.0)
            } else {
                0.0
            };
            let cover = (reach - p.distance(from + t * along)).clamp(0.0, 1.0).min(width);
            if cover > 0.0 {
                visit(row * columns + column, cover, t);
            }
        }
    }
}
