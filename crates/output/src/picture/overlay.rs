//! Marks laid over the structure, the same in bitmaps and SVG.

use std::fmt::Write;

use glam::{DVec2, DVec3};

use super::{
    camera::Camera,
    canvas::Canvas,
    glyphs,
    layout::{INK, Layout},
};
use crate::{Rgb, xml::escape};

/// A line of capitals this high needs a font of size 1.
const CAPITALS_OF_FONT: f64 = 0.72;
/// Sides of a figure that stands for a disc.
const ROUND: usize = 28;

/// Something drawn on the picture; places in pixels, y downwards.
#[derive(Clone, Debug)]
pub(crate) enum Mark {
    Line {
        points: Vec<DVec2>,
        width: f64,
        color: Rgb,
        /// Length of the dashes and of the gaps between them.
        dash: Option<f64>,
    },
    Fill {
        outline: Vec<DVec2>,
        color: Rgb,
    },
    Disc {
        at: DVec2,
        radius: f64,
        color: Rgb,
    },
    /// Text that starts at its place, on the baseline.
    Text {
        text: String,
        at: DVec2,
        /// Height of its capitals.
        capitals: f64,
    },
}

/// What marks are placed by.
pub(crate) struct Stage<'a> {
    camera: &'a Camera,
    /// Size of the picture (pixels).
    pub(crate) size: DVec2,
    /// Height of the capitals of text (pixels).
    pub(crate) text: f64,
    /// Width of thin lines (pixels).
    pub(crate) line: f64,
    pub(crate) margin: f64,
}

impl<'a> Stage<'a> {
    pub(super) fn new(camera: &'a Camera, layout: &Layout) -> Self {
        Self {
            camera,
            size: DVec2::new(f64::from(layout.width), f64::from(layout.height)),
            text: 0.85 * layout.measures.text,
            line: layout.measures.line,
            margin: layout.measures.margin,
        }
    }

    /// Where a point lies on the picture.
    pub(crate) fn place(&self, p: DVec3) -> DVec2 {
        self.camera.project(p).truncate()
    }

    /// Pixels per metre.
    pub(crate) fn scale(&self) -> f64 {
        self.camera.scale
    }

    /// A direction on the picture, its length in metres.
    pub(crate) fn turn(&self, v: DVec3) -> DVec2 {
        self.camera.turn(v).truncate()
    }
}

fn disc(at: DVec2, radius: f64) -> Vec<DVec2> {
    let corner = |k: usize| at + radius * DVec2::from_angle(std::f64::consts::TAU * k as f64 / ROUND as f64);
    (0..ROUND).map(corner).collect()
}

/// The pieces of a line between gaps.
fn dashes(points: &[DVec2], length: f64) -> Vec<Vec<DVec2>> {
    let mut pieces = vec![points.first().copied().into_iter().collect::<Vec<_>>()];
    let mut left = length;
    for ends in points.windows(2) {
        let (mut from, to) = (ends[0], ends[1]);
        while from.distance(to) > left {
            from += (to - from).normalize_or_zero() * left;
            if let Some(last) = pieces.last_mut() {
                last.push(from);
            }
            pieces.push(vec![from]);
            left = length;
        }
        left -= from.distance(to);
        if let Some(last) = pieces.last_mut() {
            last.push(to);
        }
    }
    pieces.into_iter().step_by(2).collect()
}

impl Mark {
    pub(crate) fn line(points: Vec<DVec2>, width: f64, color: Rgb) -> Self {
        Self::Line {
            points,
            width,
            color,
            dash: None,
        }
    }

    /// Width of its text (pixels).
    pub(crate) fn text_width(text: &str, capitals: f64) -> f64 {
        glyphs::width(text) * capitals
    }

    pub(super) fn draw(&self, canvas: &mut Canvas) {
        match self {
            Self::Line {
                points,
                width,
                color,
                dash,
            } => {
                let pieces = match dash {
                    Some(length) => dashes(points, *length),
                    None => vec![points.clone()],
                };
                canvas.strokes(&pieces, *width, *color);
            }
            Self::Fill { outline, color } => canvas.fill(outline, *color),
            Self::Disc { at, radius, color } => canvas.fill(&disc(*at, *radius), *color),
            Self::Text { text, at, capitals } => {
                let middle = *at + DVec2::new(0.5 * Self::text_width(text, *capitals), 0.0);
                let lines = glyphs::lines(text, middle, *capitals);
                canvas.strokes(&lines, (0.115 * capitals).max(1.0), INK);
            }
        }
    }

    pub(super) fn write(&self, svg: &mut String) {
        // Writing to a string cannot fail.
        let _ = match self {
            Self::Line {
                points,
                width,
                color,
                dash,
            } => {
                let (dash, cap) = match dash {
                    Some(length) => (format!(" stroke-dasharray=\"{length:.1}\""), "butt"),
                    None => (String::new(), "round"),
                };
                writeln!(
                    svg,
                    "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"{width:.2}\" stroke-linecap=\"{cap}\" \
                     stroke-linejoin=\"round\"{dash} points=\"{}\"/>",
                    listed(points)
                )
            }
            Self::Fill { outline, color } => {
                writeln!(svg, "<polygon fill=\"{color}\" points=\"{}\"/>", listed(outline))
            }
            Self::Disc { at, radius, color } => writeln!(
                svg,
                "<circle cx=\"{:.2}\" cy=\"{:.2}\" r=\"{radius:.2}\" fill=\"{color}\"/>",
                at.x, at.y
            ),
            Self::Text { text, at, capitals } => writeln!(
                svg,
                "<text x=\"{:.2}\" y=\"{:.2}\" font-size=\"{:.1}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', \
                 sans-serif\" fill=\"{INK}\">{}</text>",
                at.x,
                at.y,
                capitals / CAPITALS_OF_FONT,
                escape(text)
            ),
        };
    }
}

fn listed(points: &[DVec2]) -> String {
    let point = |p: &DVec2| format!("{:.2},{:.2}", p.x, p.y);
    points.iter().map(point).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_are_as_long_as_the_gaps() {
        let pieces = dashes(&[DVec2::ZERO, DVec2::new(10.0, 0.0)], 3.0);
        let ends: Vec<(f64, f64)> = pieces.iter().map(|p| (p[0].x, p[p.len() - 1].x)).collect();
        assert_eq!(ends, [(0.0, 3.0), (6.0, 9.0)]);
    }
}
