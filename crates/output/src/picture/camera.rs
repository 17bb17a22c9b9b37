//! The camera: parallel rays from a direction, fitted to what is to be seen.

use drystone_model::Model;
use glam::{DVec2, DVec3};

use crate::OutputError;

/// The direction from which a structure is seen, by parallel rays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Turn of the eye about the vertical (degrees). At 0 the eye is in front, at negative y, with x to the right; at
    /// 90 it is at positive x. Default -35.
    pub azimuth_deg: f64,
    /// Height of the eye (degrees): 0 looks horizontally, 90 straight down. Default 25.
    pub elevation_deg: f64,
}

impl Default for View {
    fn default() -> Self {
        Self::from_angles(-35.0, 25.0)
    }
}

impl View {
    /// Elevation seen along y: x to the right, z up.
    pub const FRONT: Self = Self::from_angles(0.0, 0.0);
    /// Elevation seen from positive x: y to the right, z up.
    pub const SIDE: Self = Self::from_angles(90.0, 0.0);
    /// Plan: x to the right, y up.
    pub const TOP: Self = Self::from_angles(0.0, 90.0);

    /// Square on where what is free to move is thin, from the left front and above where it is not.
    pub fn of(model: &Model) -> Self {
        match model.bounds(|b| !b.fixed).size() {
            size if size.y < 0.5 * size.x => Self::FRONT,
            size if size.x < 0.5 * size.y => Self::SIDE,
            _ => Self::default(),
        }
    }

    /// The view from an azimuth and an elevation (degrees).
    pub const fn from_angles(azimuth_deg: f64, elevation_deg: f64) -> Self {
        Self {
            azimuth_deg,
            elevation_deg,
        }
    }
}

/// A rectangle on the picture (pixels, y downwards).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    pub(super) min: DVec2,
    pub(super) max: DVec2,
}

/// A view with a scale and a place on the picture.
#[derive(Clone, Debug)]
pub(super) struct Camera {
    /// To the right on the picture.
    pub(super) right: DVec3,
    /// Upwards on the picture.
    pub(super) up: DVec3,
    /// From the structure to the eye.
    pub(super) toward: DVec3,
    /// Pixels per metre.
    pub(super) scale: f64,
    /// The point of the world that depths are measured from and that lies at `middle` on the picture.
    pub(super) origin: DVec3,
    pub(super) middle: DVec2,
}

impl Camera {
    /// The camera that shows all points within a frame, as large as possible.
    pub(super) fn fit(view: View, points: impl Iterator<Item = DVec3>, frame: Frame) -> Result<Self, OutputError> {
        let View {
            azimuth_deg,
            elevation_deg,
        } = view;
        if !(azimuth_deg.is_finite() && elevation_deg.is_finite()) {
            return Err(OutputError::BadView {
                azimuth_deg,
                elevation_deg,
            });
        }
        let (sin_a, cos_a) = azimuth_deg.to_radians().sin_cos();
        let (sin_e, cos_e) = elevation_deg.to_radians().sin_cos();
        let right = DVec3::new(cos_a, sin_a, 0.0);
        let toward = DVec3::new(sin_a * cos_e, -cos_a * cos_e, sin_e);
        let up = toward.cross(right);
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for p in points {
            let q = DVec3::new(p.dot(right), p.dot(up), p.dot(toward));
            (low, high) = (low.min(q), high.max(q));
        }
        let size = high - low;
        let room = (frame.max - frame.min).max(DVec2::ONE);
        let scale = (room.x / size.x).min(room.y / size.y);
        let center = 0.5 * (low + high);
        Ok(Self {
            right,
            up,
            toward,
            // A structure without extent has no natural scale; any will do to draw the nothing it is.
            scale: if scale.is_finite() { scale } else { 1.0 },
            origin: center.x * right + center.y * up + center.z * toward,
            middle: 0.5 * (frame.min + frame.max),
        })
    }

    /// Where a point lies on the picture (x and y in pixels, y downwards) and how near to the eye (z, also in pixels).
    pub(super) fn project(&self, p: DVec3) -> DVec3 {
        let d = (p - self.origin) * self.scale;
        DVec3::new(
            self.middle.x + d.dot(self.right),
            self.middle.y - d.dot(self.up),
            d.dot(self.toward),
        )
    }

    /// A direction in the axes of the picture: right, down and towards the eye.
    pub(super) fn turn(&self, v: DVec3) -> DVec3 {
        DVec3::new(v.dot(self.right), -v.dot(self.up), v.dot(self.toward))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera(view: View) -> Camera {
        let frame = Frame {
            min: DVec2::new(10.0, 20.0),
            max: DVec2::new(110.0, 220.0),
        };
        let points = [DVec3::ZERO, DVec3::new(2.0, 3.0, 4.0)];
        Camera::fit(view, points.into_iter(), frame).unwrap()
    }

    #[test]
    fn elevation_and_plan_put_the_axes_where_a_draughtsman_does() {
        for (view, right, down, near) in [
            (View::FRONT, DVec3::X, DVec3::NEG_Z, DVec3::NEG_Y),
            (View::SIDE, DVec3::Y, DVec3::NEG_Z, DVec3::X),
            (View::TOP, DVec3::X, DVec3::NEG_Y, DVec3::Z),
        ] {
            let camera = camera(view);
            let seen = [right, down, near].map(|axis| camera.turn(axis));
            for (axis, expected) in seen.iter().zip([DVec3::X, DVec3::Y, DVec3::Z]) {
                assert!(axis.abs_diff_eq(expected, 1e-12), "{view:?} {seen:?}");
            }
        }
    }

    #[test]
    fn the_structure_fills_the_frame_in_one_direction_and_is_centred_in_the_other() {
        let camera = camera(View::FRONT);
        assert_eq!(camera.scale, 50.0);
        let (a, b) = (camera.project(DVec3::ZERO), camera.project(DVec3::new(2.0, 3.0, 4.0)));
        assert!(a.truncate().abs_diff_eq(DVec2::new(10.0, 220.0), 1e-9));
        assert!(b.truncate().abs_diff_eq(DVec2::new(110.0, 20.0), 1e-9));
        assert!(a.z > b.z, "what has the smaller y is nearer in front view");
    }
}
