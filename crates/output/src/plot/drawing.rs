//! Marks on paper, as SVG or as pixels.

use std::fmt::Write;

use glam::DVec2;

use crate::{
    OutputError, Rgb,
    picture::{bitmap, canvas::Canvas, glyphs},
    xml::escape,
};

/// Ink of axes and text.
pub(super) const INK: Rgb = Rgb([0x26, 0x26, 0x26]);
/// A line of capitals this high needs a font of size 1.
const CAPITALS_OF_FONT: f64 = 0.72;

/// Where text stands relative to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Start,
    Middle,
    End,
}

/// One thing that is drawn; places in pixels, y downwards.
#[derive(Clone, Debug)]
pub(super) enum Mark {
    Line {
        points: Vec<DVec2>,
        width: f64,
        color: Rgb,
        /// Length of the dashes and of the gaps between them.
        dash: Option<[f64; 2]>,
    },
    /// A small hollow figure: one of several shapes.
    Marker { at: DVec2, shape: usize, color: Rgb },
    /// A white rectangle.
    Blank { min: DVec2, max: DVec2 },
    Text {
        text: String,
        at: DVec2,
        /// Height of its capitals.
        capitals: f64,
        align: Align,
        /// Whether it is turned to read upwards.
        upward: bool,
    },
}

/// Everything that is drawn, in order.
pub(super) struct Drawing {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) title: Option<String>,
    pub(super) marks: Vec<Mark>,
}

/// Width of text (pixels).
pub(super) fn text_width(text: &str, capitals: f64) -> f64 {
    glyphs::width(text) * capitals
}

/// Half the size of a marker.
const MARKER: f64 = 3.4;
const MARKER_LINE: f64 = 1.3;

/// The outline of a marker, closed.
fn outline(at: DVec2, shape: usize) -> Vec<DVec2> {
    let ring = |corners: usize, first_deg: f64, radius: f64| {
        let corner = move |k: usize| {
            let angle = first_deg.to_radians() + std::f64::consts::TAU * k as f64 / corners as f64;
            at + MARKER * radius * DVec2::new(angle.cos(), -angle.sin())
        };
        (0..=corners).map(corner).collect()
    };
    match shape % 4 {
        0 => ring(24, 0.0, 1.0),
        1 => ring(4, 45.0, 1.28),
        2 => ring(3, 90.0, 1.35),
        _ => ring(4, 0.0, 1.3),
    }
}

/// The pieces of a line that a dash pattern leaves.
fn dashes(points: &[DVec2], [on, off]: [f64; 2]) -> Vec<Vec<DVec2>> {
    let mut pieces = Vec::new();
    let (mut is_on, mut left) = (true, on);
    let mut piece: Vec<DVec2> = points.first().copied().into_iter().collect();
    for ends in points.windows(2) {
        let (mut from, to) = (ends[0], ends[1]);
        let mut length = from.distance(to);
        while length > left {
            from += (to - from) * (left / length);
            length = from.distance(to);
            piece.push(from);
            if is_on {
                pieces.push(std::mem::take(&mut piece));
            }
            is_on = !is_on;
            left = if is_on { on } else { off };
            piece = vec![from];
        }
        left -= length;
        piece.push(to);
    }
    if is_on && piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

impl Drawing {
    pub(super) fn png(&self, scale: f64) -> Result<Vec<u8>, OutputError> {
        let size = |v: f64| (v * scale).round().max(1.0) as u32;
        let mut canvas = Canvas::new(size(self.width), size(self.height));
        canvas.pixels.fill([1.0; 4]);
        for mark in &self.marks {
            match mark {
                Mark::Line {
                    points,
                    width,
                    color,
                    dash,
                } => {
                    let pieces = match dash {
                        Some(dash) => dashes(points, *dash),
                        None => vec![points.clone()],
                    };
                    canvas.strokes(&scaled(pieces, scale), width * scale, *color);
                }
                Mark::Marker { at, shape, color } => {
                    let inside = vec![vec![*at, *at]];
                    canvas.strokes(&scaled(inside, scale), 1.8 * MARKER * scale, Rgb::WHITE);
                    let line = vec![outline(*at, *shape)];
                    canvas.strokes(&scaled(line, scale), MARKER_LINE * scale, *color);
                }
                Mark::Blank { min, max } => {
                    let range = |a: f64, b: f64, end: usize| {
                        let cut = |v: f64| ((v * scale).round().max(0.0) as usize).min(end);
                        cut(a)..cut(b)
                    };
                    for row in range(min.y, max.y, canvas.height) {
                        for column in range(min.x, max.x, canvas.width) {
                            canvas.pixels[row * canvas.width + column] = [1.0; 4];
                        }
                    }
                }
                Mark::Text {
                    text,
                    at,
                    capitals,
                    align,
                    upward,
                } => {
                    let width = text_width(text, *capitals);
                    let shift = match align {
                        Align::Start => 0.5 * width,
                        Align::Middle => 0.0,
                        Align::End => -0.5 * width,
                    };
                    let lines = glyphs::lines(text, DVec2::new(shift, 0.0), *capitals);
                    let turn = |p: DVec2| if *upward { DVec2::new(p.y, -p.x) } else { p };
                    let lines = lines
                        .into_iter()
                        .map(|l| l.into_iter().map(|p| *at + turn(p)).collect())
                        .collect();
                    canvas.strokes(&scaled(lines, scale), (0.125 * capitals * scale).max(1.0), INK);
                }
            }
        }
        bitmap::encode(&canvas)
    }

    pub(super) fn svg(&self) -> String {
        let (w, h) = (self.width, self.height);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" stroke-linejoin=\"round\" \
             stroke-linecap=\"round\">\n"
        );
        if let Some(title) = &self.title {
            let _ = writeln!(svg, "<title>{}</title>", escape(title));
        }
        let _ = writeln!(svg, "<rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>");
        for mark in &self.marks {
            write_mark(&mut svg, mark);
        }
        svg.push_str("</svg>\n");
        svg
    }
}

fn scaled(lines: Vec<Vec<DVec2>>, scale: f64) -> Vec<Vec<DVec2>> {
    lines
        .into_iter()
        .map(|l| l.into_iter().map(|p| p * scale).collect())
        .collect()
}

fn write_mark(svg: &mut String, mark: &Mark) {
    // Writing to a string cannot fail.
    let _ = match mark {
        Mark::Line {
            points,
            width,
            color,
            dash,
        } => {
            let dash = dash.map_or(String::new(), |[on, off]| {
                format!(" stroke-dasharray=\"{on} {off}\" stroke-linecap=\"butt\"")
            });
            writeln!(
                svg,
                "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"{dash} points=\"{}\"/>",
                listed(points)
            )
        }
        Mark::Marker { at, shape, color } => writeln!(
            svg,
            "<polygon fill=\"#ffffff\" stroke=\"{color}\" stroke-width=\"{MARKER_LINE}\" points=\"{}\"/>",
            listed(&outline(*at, *shape))
        ),
        Mark::Blank { min, max } => {
            let size = *max - *min;
            writeln!(
                svg,
                "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"#ffffff\"/>",
                min.x, min.y, size.x, size.y
            )
        }
        Mark::Text {
            text,
            at,
            capitals,
            align,
            upward,
        } => {
            let anchor = match align {
                Align::Start => "start",
                Align::Middle => "middle",
                Align::End => "end",
            };
            let turn = if *upward {
                format!(" transform=\"rotate(-90 {:.2} {:.2})\"", at.x, at.y)
            } else {
                String::new()
            };
            writeln!(
                svg,
                "<text x=\"{:.2}\" y=\"{:.2}\" font-size=\"{:.1}\" text-anchor=\"{anchor}\" fill=\"{INK}\"{turn}>{}</text>",
                at.x,
                at.y,
                capitals / CAPITALS_OF_FONT,
                escape(text)
            )
        }
    };
}

fn listed(points: &[DVec2]) -> String {
    let short = |v: f64| (v * 100.0).round() / 100.0;
    let points: Vec<String> = points
        .iter()
        .map(|p| format!("{},{}", short(p.x), short(p.y)))
        .collect();
    points.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_follow_a_bent_line_and_have_the_length_asked_for() {
        let line = [DVec2::ZERO, DVec2::new(10.0, 0.0), DVec2::new(10.0, 10.0)];
        let pieces = dashes(&line, [6.0, 2.0]);
        let length = |p: &Vec<DVec2>| p.windows(2).map(|e| e[0].distance(e[1])).sum::<f64>();
        let lengths: Vec<f64> = pieces.iter().map(length).collect();
        assert_eq!(lengths, [6.0, 6.0, 4.0]);
        assert_eq!(pieces[1], [DVec2::new(8.0, 0.0), line[1], DVec2::new(10.0, 4.0)]);
    }
}
