//! What every arch and vault here is built from: joints, the voussoirs between them and the springers below them.
//!
//! An arch is drawn in elevation, in the x–z plane (z is a `DVec2`'s `y`), as a list of joints from left to right.
//! Neighbouring voussoirs take their corners from the same joint, so that they fit to the last bit.

use glam::DVec2;

use super::RecipeError;
use crate::{PrismAxis, PrismShape, Shape};

/// A joint of an arch in elevation: the segment between the soffit and the back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    pub(super) intrados: DVec2,
    pub(super) extrados: DVec2,
}

impl Joint {
    /// The joint mirrored about the vertical through the crown, x = 0.
    pub(super) fn mirrored(&self) -> Self {
        Self {
            intrados: mirrored(self.intrados),
            extrados: mirrored(self.extrados),
        }
    }
}

/// A point mirrored about x = 0.
pub(super) fn mirrored(p: DVec2) -> DVec2 {
    DVec2::new(-p.x, p.y)
}

/// A ring between two concentric circles about the origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    pub(super) inner: f64,
    pub(super) outer: f64,
}

impl Ring {
    /// The ring about a centreline, or why there is none.
    pub(super) fn about(radius: f64, thickness: f64) -> Result<Self, RecipeError> {
        // A ring whose inner circle nearly vanishes has voussoirs with edges too short to be faces.
        if thickness > 1.9 * radius {
            return Err(RecipeError::conflict(format!(
                "a ring {thickness} m thick does not fit about a centreline of radius {radius} m: make it at most 1.9 \
                 times the radius thick ({} m)",
                1.9 * radius
            )));
        }
        Ok(Self {
            inner: radius - 0.5 * thickness,
            outer: radius + 0.5 * thickness,
        })
    }

    /// The radial joint at an angle from the x axis (rad).
    pub(super) fn joint(&self, angle: f64) -> Joint {
        let direction = DVec2::from_angle(angle);
        Joint {
            intrados: self.inner * direction,
            extrados: self.outer * direction,
        }
    }

    /// Joints of a ring cut into equal voussoirs, symmetric about the crown, from left to right.
    ///
    /// `embrace` (rad) is the angle between the first and the last joint. Left joints mirror right ones exactly.
    pub(super) fn joints(&self, embrace: f64, voussoirs: usize) -> Result<Vec<Joint>, RecipeError> {
        let springing = 0.5 * (std::f64::consts::PI - embrace);
        let step = step(embrace, voussoirs)?;
        let right: Vec<Joint> = (0..voussoirs.div_ceil(2))
            .map(|i| self.joint(springing + step * i as f64))
            .collect();
        let crown = voussoirs.is_multiple_of(2).then_some(Joint {
            intrados: DVec2::new(0.0, self.inner),
            extrados: DVec2::new(0.0, self.outer),
        });
        let left = right.iter().map(Joint::mirrored);
        Ok(left.chain(crown).chain(right.iter().rev().copied()).collect())
    }
}

/// The angle of one of some equal voussoirs (rad). Towards half a turn a straight-sided voussoir has no depth left
/// below its soffit, so more than a third of a turn is refused.
pub(super) fn step(embrace: f64, voussoirs: usize) -> Result<f64, RecipeError> {
    let step = embrace / voussoirs as f64;
    if step > 120_f64.to_radians() + 1e-9 {
        return Err(RecipeError::conflict(format!(
            "one straight-sided voussoir cannot take {:.0} degrees, at most 120: give more of them, or a smaller \
             --embrace-deg",
            step.to_degrees()
        )));
    }
    Ok(step)
}

/// Outline of the voussoir between two joints, with straight soffit and back.
pub(super) fn between(a: &Joint, b: &Joint) -> Vec<DVec2> {
    vec![a.intrados, a.extrados, b.extrados, b.intrados]
}

/// The side of an arch that a springer stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

impl Side {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Left => "springer-left",
            Self::Right => "springer-right",
        }
    }

    fn outward(self) -> f64 {
        match self {
            Self::Left => -1.0,
            Self::Right => 1.0,
        }
    }
}

/// Outline of the block that an end joint rests on: a skewback whose upper face is the joint, standing on a level base
/// as far below the joint's lowest point as the joint is long. Convex.
pub(super) fn springer(joint: &Joint, side: Side) -> Vec<DVec2> {
    let (a, b) = (joint.intrados, joint.extrados);
    let length = (b - a).length();
    let base = a.y.min(b.y) - length;
    let shoulder = a.x + side.outward() * length;
    let mut outline = vec![DVec2::new(a.x, base), a, b];
    // A steep joint covers little ground; behind it the block goes on level until it is as wide as the joint is long.
    // Below a twentieth of that the ledge would be a sliver and is left off.
    if b.y > a.y && (shoulder - b.x).abs() > 0.05 * length {
        outline.extend([DVec2::new(shoulder, b.y), DVec2::new(shoulder, base)]);
    } else {
        outline.push(DVec2::new(b.x, base));
    }
    outline
}

/// An elevation as a solid from `y0` to `y1`.
pub(super) fn prism(outline: Vec<DVec2>, y0: f64, y1: f64) -> Shape {
    Shape::Prism(PrismShape {
        polygon: outline,
        axis: PrismAxis::Y,
        from: y0,
        to: y1,
    })
}

/// `prefix-07`: numbered from 1, with as many digits as the last number needs and at least two.
pub(super) fn numbered(prefix: &str, number: usize, last: usize) -> String {
    let digits = last.to_string().len().max(2);
    format!("{prefix}-{number:0digits$}")
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::geometry::signed_area;

    #[test]
    fn the_joints_of_a_semicircle_run_from_left_to_right_and_mirror_each_other() {
        let ring = Ring::about(5.0, 1.0).unwrap();
        for voussoirs in [2, 3, 7, 8] {
            let joints = ring.joints(PI, voussoirs).unwrap();
            assert_eq!(joints.len(), voussoirs + 1);
            assert!(joints.windows(2).all(|j| j[0].extrados.x < j[1].extrados.x));
            assert!(joints.iter().all(|j| (j.intrados.length() - 4.5).abs() < 1e-14));
            for (l, r) in joints.iter().zip(joints.iter().rev()) {
                assert_eq!(l.mirrored().extrados, r.extrados);
            }
        }
    }

    #[test]
    fn a_semicircle_needs_at_least_two_voussoirs() {
        let ring = Ring::about(5.0, 1.0).unwrap();
        assert!(matches!(ring.joints(PI, 1), Err(RecipeError::Conflict(m)) if m.contains("180 degrees")));
    }

    #[test]
    fn a_springer_is_convex_and_lies_below_its_joint_at_any_inclination() {
        let ring = Ring::about(5.0, 1.0).unwrap();
        for degrees in [-40.0_f64, -1.0, 0.0, 1.0, 30.0, 80.0] {
            let joint = ring.joint(degrees.to_radians());
            let outline = springer(&joint, Side::Right);
            let along = joint.extrados - joint.intrados;
            for (i, &p) in outline.iter().enumerate() {
                assert!(
                    along.perp_dot(p - joint.intrados) <= 1e-12,
                    "{degrees} degrees: above the joint"
                );
                let (q, r) = (outline[(i + 1) % outline.len()], outline[(i + 2) % outline.len()]);
                assert!((q - p).perp_dot(r - q) < 0.0, "{degrees} degrees: not convex");
            }
            assert!(signed_area(&outline) < 0.0);
            let left: Vec<DVec2> = springer(&joint.mirrored(), Side::Left);
            assert_eq!(left, outline.iter().map(|&p| mirrored(p)).collect::<Vec<_>>());
        }
    }
}
