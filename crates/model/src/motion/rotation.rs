//! Rotations from rotation vectors that vary in time.

use glam::{DQuat, DVec3};

/// The rotation of a rotation vector, its angular velocity and angular acceleration in world axes.
pub(super) struct Turn {
    pub(super) rotation: DQuat,
    pub(super) velocity: DVec3,
    pub(super) acceleration: DVec3,
}

/// Below this angle (rad) series replace quotients that would cancel; their next term is far below rounding.
const SMALL: f64 = 0.05;

/// From a rotation vector and its first two derivatives in time.
///
/// The angular velocity is `v' + a v x v' + b v x (v x v')` with `a = (1 - cos p) / p²`, `b = (p - sin p) / p³` and `p`
/// the angle; for a fixed axis it is the derivative of the vector. The angular acceleration is its derivative.
pub(super) fn turn(v: DVec3, first: DVec3, second: DVec3) -> Turn {
    let p2 = v.length_squared();
    let p = p2.sqrt();
    // a and b, and their derivatives by p divided by p.
    let (a, b, a_p, b_p) = if p < SMALL {
        (
            0.5 - p2 / 24.0 + p2 * p2 / 720.0 - p2 * p2 * p2 / 40320.0,
            1.0 / 6.0 - p2 / 120.0 + p2 * p2 / 5040.0 - p2 * p2 * p2 / 362_880.0,
            -1.0 / 12.0 + p2 / 180.0 - p2 * p2 / 6720.0,
            -1.0 / 60.0 + p2 / 1260.0 - p2 * p2 / 60480.0,
        )
    } else {
        let (sin, cos) = p.sin_cos();
        (
            (1.0 - cos) / p2,
            (p - sin) / (p2 * p),
            (p * sin - 2.0 * (1.0 - cos)) / (p2 * p2),
            (p * (1.0 - cos) - 3.0 * (p - sin)) / (p2 * p2 * p),
        )
    };
    let half = (0.5 * p).sin_cos();
    let scale = if p < SMALL {
        0.5 - p2 / 48.0 + p2 * p2 / 3840.0 - p2 * p2 * p2 / 645_120.0
    } else {
        half.0 / p
    };
    let xyz = v * scale;
    let inner = v.cross(first);
    let rate = v.dot(first);
    Turn {
        rotation: DQuat::from_xyzw(xyz.x, xyz.y, xyz.z, half.1).normalize(),
        velocity: first + a * inner + b * v.cross(inner),
        acceleration: second
            + (a_p * rate) * inner
            + a * v.cross(second)
            + (b_p * rate) * v.cross(inner)
            + b * (first.cross(inner) + v.cross(v.cross(second))),
    }
}

/// The rotation vector of the shorter way round.
pub(super) fn rotation_vector(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let xyz = DVec3::new(q.x, q.y, q.z);
    let sine = xyz.length();
    if sine < 1e-9 {
        2.0 * xyz / q.w
    } else {
        xyz * (2.0 * sine.atan2(q.w) / sine)
    }
}
