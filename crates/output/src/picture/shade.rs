//! How light each face is.

use glam::DVec3;

use super::camera::Camera;
use crate::Rgb;

/// Light that stays with the viewer: it comes over the left shoulder, so that of two visible walls one is always
/// lighter, whichever way the structure is turned.
pub(super) struct Light {
    direction: DVec3,
}

impl Light {
    pub(super) fn over_left_shoulder(camera: &Camera) -> Self {
        // Seen straight from above or below, there is no horizontal direction to the eye: up on the picture will do.
        let level = DVec3::new(camera.toward.x, camera.toward.y, 0.0);
        let front = level
            .try_normalize()
            .filter(|_| level.length() > 1e-6)
            .unwrap_or(-camera.up);
        Self {
            direction: (-0.35 * camera.right + 0.70 * front + 0.75 * DVec3::Z).normalize(),
        }
    }

    /// Factor on the colour of a face with this outward normal: sky light from above plus the light itself.
    pub(super) fn on(&self, normal: DVec3) -> f64 {
        let sky = 0.5 + 0.5 * normal.z;
        let direct = normal.dot(self.direction).max(0.0);
        0.66 + 0.10 * sky + 0.39 * direct
    }
}

/// A slight difference from block to block, as between stones of one quarry: it keeps blocks of one group apart where
/// their joints are too fine to be seen. The same block always gets the same tone.
pub(super) fn tone(block: usize) -> f64 {
    let mut hash = (block as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^= hash >> 31;
    hash = hash.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash ^= hash >> 29;
    let unit = (hash >> 11) as f64 / (1u64 << 53) as f64;
    0.965 + 0.07 * unit
}

/// Colour of a face.
pub(super) fn shaded(color: Rgb, light: &Light, normal: DVec3, tone: f64) -> Rgb {
    color.scaled(light.on(normal) * tone)
}
