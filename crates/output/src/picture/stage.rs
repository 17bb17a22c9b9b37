//! What marks upon a picture are placed by.

use glam::{DVec2, DVec3};

use super::{
    camera::Camera,
    layout::{INK, Layout},
};
use crate::marks::{Align, Mark, Text};

/// Where things of the world lie on the picture, and how large text and lines are.
pub(crate) struct Stage<'a> {
    camera: &'a Camera,
    /// Size of the picture (pixels).
    pub(crate) size: DVec2,
    /// Height of the capitals of text (pixels).
    pub(crate) capitals: f64,
    /// Width of thin lines (pixels).
    pub(crate) line: f64,
    pub(crate) margin: f64,
}

impl<'a> Stage<'a> {
    pub(super) fn new(camera: &'a Camera, layout: &Layout) -> Self {
        Self {
            camera,
            size: DVec2::new(f64::from(layout.width), f64::from(layout.height)),
            capitals: 0.85 * layout.measures.text,
            line: layout.measures.line,
            margin: layout.measures.margin,
        }
    }

    /// Where a point lies on the picture.
    pub(crate) fn place(&self, p: DVec3) -> DVec2 {
        self.camera.project(p).truncate()
    }

    /// How near a point is to the eye (pixels).
    pub(crate) fn nearness(&self, p: DVec3) -> f64 {
        self.camera.project(p).z
    }

    /// Pixels per metre.
    pub(crate) fn scale(&self) -> f64 {
        self.camera.scale
    }

    /// A direction on the picture, its length in metres.
    pub(crate) fn turn(&self, v: DVec3) -> DVec2 {
        self.camera.turn(v).truncate()
    }

    /// Text that starts at a place, on the baseline.
    pub(crate) fn text(&self, text: impl Into<String>, at: DVec2, capitals: f64) -> Mark {
        Mark::Text(Text::new(text, at, capitals, Align::Start, INK))
    }
}
