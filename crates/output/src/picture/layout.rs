//! What stands around the structure: margins, title and scale bar, the same for bitmaps and SVG.

use glam::DVec2;

use super::{Background, Picture, camera::Camera, camera::Frame};
use crate::{
    Rgb,
    marks::{Align, Text},
};

/// Ink for edges, text and the scale bar: a dark brown grey, softer than black.
pub(super) const INK: Rgb = Rgb([0x33, 0x30, 0x2e]);

/// Edges are never thinner than this (pixels); thinner ones fade instead of being crisp.
const THINNEST: f64 = 0.45;

/// Measures of a picture that grow with it (pixels).
#[derive(Clone, Copy)]
pub(super) struct Measures {
    pub(super) margin: f64,
    pub(super) text: f64,
    /// Width of the scale bar's lines.
    pub(super) line: f64,
    /// Width of a block's edges.
    pub(super) edge: f64,
    /// Distance between the hatch lines of supports.
    pub(super) hatch: f64,
}

impl Measures {
    pub(super) fn of(width: u32, height: u32) -> Self {
        let side = f64::from(width.min(height));
        let line = (0.0015 * side).clamp(0.7, 4.0);
        Self {
            margin: 0.05 * side,
            text: 0.026 * side,
            line: 1.3 * line,
            edge: line,
            hatch: 0.011 * side,
        }
    }
}

/// A horizontal bar of a round length.
pub(super) struct ScaleBar {
    pub(super) from: DVec2,
    pub(super) to: DVec2,
    /// Length of the strokes that end it, to either side (pixels).
    pub(super) tick: f64,
    pub(super) label: Text,
}

/// Size, background, title, note and scale bar of a picture.
pub(super) struct Layout {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) background: Background,
    pub(super) measures: Measures,
    pub(super) title: Option<Text>,
    /// A few words in the corner.
    pub(super) note: Option<Text>,
    pub(super) scale_bar: Option<ScaleBar>,
}

/// The room for the structure.
pub(super) fn frame(width: u32, height: u32, title: bool, foot: bool) -> Frame {
    let Measures { margin, text, .. } = Measures::of(width, height);
    let strip = |shown: bool| if shown { 2.2 * text } else { 0.0 };
    Frame {
        min: DVec2::new(margin, margin + strip(title)),
        max: DVec2::new(f64::from(width) - margin, f64::from(height) - margin - strip(foot)),
    }
}

impl Layout {
    pub(super) fn new(picture: &Picture<'_>, camera: &Camera, typical_edge: Option<f64>) -> Self {
        let (width, height) = (picture.width, picture.height);
        let mut measures = Measures::of(width, height);
        if let Some(length) = typical_edge {
            // Lines as wide as usual would drown a building of thousands of blocks in ink.
            measures.edge = measures.edge.min(0.06 * length).max(THINNEST);
        }
        if picture.paleness > 0.0 {
            measures.edge = (0.6 * measures.edge).max(THINNEST);
        }
        let title = picture.title.as_ref().map(|text| {
            let middle = DVec2::new(0.5 * f64::from(width), measures.margin + 0.8 * measures.text);
            Text::new(text, middle, 1.05 * measures.text, Align::Middle, INK)
        });
        let note = picture.note.as_ref().map(|text| {
            let corner = DVec2::new(f64::from(width), f64::from(height)) - measures.margin;
            Text::new(text, corner, 0.85 * measures.text, Align::End, INK)
        });
        Self {
            width,
            height,
            background: picture.background,
            measures,
            title,
            note,
            scale_bar: picture
                .scale_bar
                .then(|| scale_bar(width, height, measures, camera.scale)),
        }
    }
}

fn scale_bar(width: u32, height: u32, measures: Measures, scale: f64) -> ScaleBar {
    let length = round_length(0.16 * f64::from(width) / scale);
    // In the middle of a pixel, where a thin line is crisp instead of spread over two.
    let corner = DVec2::new(measures.margin, f64::from(height) - measures.margin);
    let from = corner.floor() + 0.5;
    let to = from + DVec2::new(length * scale, 0.0);
    let above = 0.5 * (from + to) - DVec2::new(0.0, 0.55 * measures.text);
    let label = Text::new(length_text(length), above, 0.85 * measures.text, Align::Middle, INK);
    ScaleBar {
        from,
        to,
        tick: 0.35 * measures.text,
        label,
    }
}

/// The largest of 1, 2 or 5 times a power of ten that is not above a length.
fn round_length(most: f64) -> f64 {
    let decade = most.log10().floor();
    let steps = [5.0, 2.0, 1.0].into_iter();
    // Powers below one as quotients: 1/10 is 0.1 to the last digit, 10^-1 need not be.
    let power = |e: f64| if e < 0.0 { 1.0 / 10f64.powf(-e) } else { 10f64.powf(e) };
    let fitting = steps.map(|s| s * power(decade)).find(|&l| l <= most * (1.0 + 1e-9));
    fitting.unwrap_or(power(decade))
}

/// A length as people say it.
fn length_text(metres: f64) -> String {
    let (value, unit) = match metres {
        m if m >= 999.0 => (m / 1e3, "km"),
        m if m >= 0.099 => (m, "m"),
        m if m >= 0.0099 => (m * 1e2, "cm"),
        m => (m * 1e3, "mm"),
    };
    // Scaling leaves dust in the last digits, which would be printed.
    let rounded: f64 = format!("{value:.6e}").parse().unwrap_or(value);
    format!("{rounded} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_round_lengths_and_plain_labels() {
        for (most, label) in [
            (1.0, "1 m"),
            (1.99, "1 m"),
            (4.9, "2 m"),
            (0.7, "0.5 m"),
            (0.1, "0.1 m"),
            (0.09, "5 cm"),
            (0.0034, "2 mm"),
            (83.0, "50 m"),
            (2600.0, "2 km"),
        ] {
            assert_eq!(length_text(round_length(most)), label);
        }
    }
}
