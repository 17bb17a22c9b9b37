//! Arcs between the corners of a polyline, as straight sides.

use glam::DVec2;

/// Sides of a full circle at most.
const MOST: f64 = 720.0;

/// The points strictly between two corners on the arc of a bulge (the tangent of a quarter of its angle, to the left of the chord as
/// seen along it if negative), so that no side is farther than `tolerance` from the arc. The same arc run backwards has the same points.
pub(super) fn divided(from: DVec2, to: DVec2, bulge: f64, tolerance: f64) -> Vec<DVec2> {
    let chord = to - from;
    let (angle, length) = (4.0 * bulge.atan(), chord.length());
    if angle == 0.0 || length == 0.0 {
        return Vec::new();
    }
    let radius = 0.5 * length / (0.5 * angle).sin().abs();
    // A side over the angle `a` is `r (1 - cos(a/2))` off.
    let step = 2.0 * (1.0 - tolerance / radius).clamp(-1.0, 1.0).acos();
    let sides = (angle.abs() / step - 1e-9).ceil().clamp(1.0, MOST) as usize;
    let center = from + 0.5 * chord + 0.5 * chord.perp() / (0.5 * angle).tan();
    let at = |k: usize| {
        // From the nearer end.
        let (k, start, sign) = if 2 * k <= sides {
            (k, from, 1.0)
        } else {
            (sides - k, to, -1.0)
        };
        center + DVec2::from_angle(sign * angle * k as f64 / sides as f64).rotate(start - center)
    };
    (1..sides).map(at).collect()
}

/// How far the sides of a divided arc are off it, at most.
pub(super) fn off(from: DVec2, to: DVec2, bulge: f64, sides: usize) -> f64 {
    let angle = 4.0 * bulge.atan();
    let radius = 0.5 * from.distance(to) / (0.5 * angle).sin().abs();
    radius * (1.0 - (0.5 * angle.abs() / sides as f64).cos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_on_the_arc_and_the_same_from_either_end() {
        // A half circle from (1, 0) over (0, 1) to (-1, 0): counter-clockwise, bulge 1.
        let (a, b) = (DVec2::X, DVec2::NEG_X);
        for tolerance in [0.3, 1e-2, 1e-4] {
            let points = divided(a, b, 1.0, tolerance);
            assert!(points.iter().all(|p| (p.length() - 1.0).abs() < 1e-14 && p.y > 0.0));
            let sides = points.len() + 1;
            assert!(off(a, b, 1.0, sides) <= tolerance && (sides < 2 || off(a, b, 1.0, sides - 1) > tolerance));
            let mut back = divided(b, a, -1.0, tolerance);
            back.reverse();
            assert!(points.iter().zip(&back).all(|(p, q)| p.distance(*q) < 1e-15));
        }
        // A quarter of a circle about (2, 3), clockwise from its top to its right.
        let about = DVec2::new(2.0, 3.0);
        let bulge = -(std::f64::consts::FRAC_PI_8).tan();
        let points = divided(about + DVec2::Y, about + DVec2::X, bulge, 1e-3);
        assert!(
            points
                .iter()
                .all(|p| (p.distance(about) - 1.0).abs() < 1e-14 && p.x > 2.0 && p.y > 3.0)
        );
        // More than half of one.
        let points = divided(about + DVec2::Y, about + DVec2::X, 1.0 / bulge.abs(), 1e-3);
        assert!(points.iter().any(|p| p.y < 2.1) && points.iter().all(|p| (p.distance(about) - 1.0).abs() < 1e-12));
        assert!(divided(a, b, 0.0, 1e-3).is_empty() && divided(a, a, 1.0, 1e-3).is_empty());
    }
}
