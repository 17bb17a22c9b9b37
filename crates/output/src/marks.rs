//! What is drawn upon paper or over a structure, written as SVG: lines, figures and text.

use std::fmt::Write;

use glam::DVec2;

use crate::{Rgb, render, xml::escape};

/// Fonts that browsers and editors choose from; the program's own pictures take the one it carries.
const FAMILIES: &str = "Helvetica, Arial, 'DejaVu Sans', sans-serif";
/// Height of capitals over the size of the font: 0.716 in Arial, 0.729 in DejaVu Sans.
const CAPITALS_OF_FONT: f64 = 0.72;

/// Where text stands relative to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Start,
    Middle,
    End,
}

/// Text on its baseline; `at` is its start, middle or end.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) at: DVec2,
    /// Height of its capitals (pixels).
    pub(crate) capitals: f64,
    pub(crate) align: Align,
    /// Whether it is turned to read upwards.
    pub(crate) upward: bool,
    pub(crate) color: Rgb,
}

/// One thing that is drawn; places in pixels, y downwards.
#[derive(Clone, Debug)]
pub(crate) enum Mark {
    Line {
        points: Vec<DVec2>,
        width: f64,
        color: Rgb,
        /// Length of the dashes and of the gaps between them.
        dash: Option<[f64; 2]>,
    },
    /// A filled figure, with or without a line of some width around it.
    Figure {
        outline: Vec<DVec2>,
        fill: Rgb,
        border: Option<(Rgb, f64)>,
    },
    Disc {
        at: DVec2,
        radius: f64,
        color: Rgb,
    },
    Text(Text),
}

impl Text {
    /// Text that reads to the right.
    pub(crate) fn new(text: impl Into<String>, at: DVec2, capitals: f64, align: Align, color: Rgb) -> Self {
        Self {
            text: text.into(),
            at,
            capitals,
            align,
            upward: false,
            color,
        }
    }

    pub(crate) fn write(&self, svg: &mut String) {
        let anchor = match self.align {
            Align::Start => "start",
            Align::Middle => "middle",
            Align::End => "end",
        };
        let [x, y] = self.at.to_array().map(short);
        let turn = if self.upward {
            format!(" transform=\"rotate(-90 {x} {y})\"")
        } else {
            String::new()
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{:.1}\" font-family=\"{FAMILIES}\" text-anchor=\"{anchor}\" \
             fill=\"{}\"{turn}>{}</text>",
            self.capitals / CAPITALS_OF_FONT,
            self.color,
            escape(&self.text)
        );
    }
}

/// Width of a line of text (pixels).
pub(crate) fn text_width(text: &str, capitals: f64) -> f64 {
    render::text_width(text) * capitals / CAPITALS_OF_FONT
}

impl Mark {
    /// A line without dashes.
    pub(crate) fn line(points: Vec<DVec2>, width: f64, color: Rgb) -> Self {
        Self::Line {
            points,
            width,
            color,
            dash: None,
        }
    }

    /// A filled figure without a border.
    pub(crate) fn figure(outline: Vec<DVec2>, fill: Rgb) -> Self {
        Self::Figure {
            outline,
            fill,
            border: None,
        }
    }

    pub(crate) fn write(&self, svg: &mut String) {
        let _ = match self {
            Self::Line {
                points,
                width,
                color,
                dash,
            } => {
                let ends = dash.map_or("stroke-linecap=\"round\"".to_string(), |[on, off]| {
                    format!("stroke-linecap=\"butt\" stroke-dasharray=\"{on:.1} {off:.1}\"")
                });
                writeln!(
                    svg,
                    "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"{width:.2}\" {ends} \
                     stroke-linejoin=\"round\" points=\"{}\"/>",
                    listed(points)
                )
            }
            Self::Figure { outline, fill, border } => {
                let border = border.map_or(String::new(), |(color, width)| {
                    format!(" stroke=\"{color}\" stroke-width=\"{width:.2}\" stroke-linejoin=\"round\"")
                });
                writeln!(svg, "<polygon fill=\"{fill}\"{border} points=\"{}\"/>", listed(outline))
            }
            Self::Disc { at, radius, color } => writeln!(
                svg,
                "<circle cx=\"{:.2}\" cy=\"{:.2}\" r=\"{radius:.2}\" fill=\"{color}\"/>",
                at.x, at.y
            ),
            Self::Text(text) => {
                text.write(svg);
                Ok(())
            }
        };
    }
}

/// Hundredths of a pixel, without zeros at the end.
pub(crate) fn short(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// Points as the attribute of a polygon.
pub(crate) fn listed(points: &[DVec2]) -> String {
    let point = |p: &DVec2| format!("{},{}", short(p.x), short(p.y));
    points.iter().map(point).collect::<Vec<_>>().join(" ")
}
