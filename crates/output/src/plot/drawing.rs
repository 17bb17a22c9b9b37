//! A plot on paper, as SVG or as pixels.

use std::fmt::Write;

use glam::DVec2;

use super::Side;
use crate::{
    OutputError, Rgb,
    marks::{Align, Mark, Text},
    render,
    xml::escape,
};

/// Ink of axes and text.
pub(super) const INK: Rgb = Rgb([0x26, 0x26, 0x26]);
/// Half the size of a marker.
const MARKER: f64 = 3.4;
const MARKER_LINE: f64 = 1.3;
/// Radius of half discs, their distance from their place, and pieces of their arcs.
const HALF: f64 = 4.2;
const HALF_APART: f64 = 1.0;
const ARC: i32 = 12;

/// Everything that is drawn, in order.
pub(super) struct Drawing {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) title: Option<String>,
    pub(super) marks: Vec<Mark>,
}

/// A small figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Marker {
    /// A hollow one of several shapes.
    Shape(usize),
    /// A half disc beside its place.
    Half { side: Side, is_filled: bool },
}

/// A marker at its place.
pub(super) fn marker(at: DVec2, marker: Marker, color: Rgb) -> Mark {
    let shape = match marker {
        Marker::Shape(shape) => shape,
        Marker::Half { side, is_filled } => return half(at, side, is_filled, color),
    };
    let ring = |corners: usize, first_deg: f64, radius: f64| {
        let corner = move |k: usize| {
            let angle = first_deg.to_radians() + std::f64::consts::TAU * k as f64 / corners as f64;
            at + MARKER * radius * DVec2::new(angle.cos(), -angle.sin())
        };
        (0..corners).map(corner).collect()
    };
    Mark::Figure {
        outline: match shape % 4 {
            0 => ring(24, 0.0, 1.0),
            1 => ring(4, 45.0, 1.28),
            2 => ring(3, 90.0, 1.35),
            _ => ring(4, 0.0, 1.3),
        },
        fill: Rgb::WHITE,
        border: Some((color, MARKER_LINE)),
    }
}

fn half(at: DVec2, side: Side, is_filled: bool, color: Rgb) -> Mark {
    let sign = match side {
        Side::Left => -1.0,
        Side::Right => 1.0,
    };
    let corner = |k: i32| {
        let angle = std::f64::consts::PI * (f64::from(k) / f64::from(ARC) - 0.5);
        at + DVec2::new(sign * (HALF_APART + HALF * angle.cos()), HALF * angle.sin())
    };
    Mark::Figure {
        outline: (0..=ARC).map(corner).collect(),
        fill: if is_filled { color } else { Rgb::WHITE },
        border: Some((color, MARKER_LINE)),
    }
}

/// Text that reads to the right.
pub(super) fn text(text: &str, at: DVec2, capitals: f64, align: Align) -> Mark {
    Mark::Text(Text::new(text, at, capitals, align, INK))
}

impl Drawing {
    pub(super) fn png(&self, scale: f64) -> Result<Vec<u8>, OutputError> {
        let size = |v: f64| (v * scale).round().max(1.0) as u32;
        let mut bitmap = render::blank(size(self.width), size(self.height))?;
        render::draw(&self.svg(), scale, &mut bitmap)?;
        render::png(&bitmap)
    }

    pub(super) fn svg(&self) -> String {
        let (w, h) = (self.width, self.height);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">\n"
        );
        if let Some(title) = &self.title {
            let _ = writeln!(svg, "<title>{}</title>", escape(title));
        }
        let _ = writeln!(svg, "<rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>");
        for mark in &self.marks {
            mark.write(&mut svg);
        }
        svg.push_str("</svg>\n");
        svg
    }
}
