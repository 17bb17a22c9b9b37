//! What joints do in a motion: where blocks turn about each other, slide or part.

use drystone_cone::Twist;
use glam::DVec3;

use super::JointState;
use crate::statics::Structure;

/// Relative speed, over the largest in the structure, below which a joint does not move.
const STILL: f64 = 1e-3;
/// Relative speed of a point, over the largest in its joint, below which the blocks turn about it.
const PIVOT: f64 = 0.02;
/// Associated friction opens a joint as it slides; one that opens faster than that, by this factor, parts.
const DILATES: f64 = 1.02;

/// What a joint does in a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct JointMotion {
    /// Open where the blocks part, closed where they move as one, hinge where they turn about points that they keep in common,
    /// sliding where they slide; never pulled.
    pub state: JointState,
    /// The two points farthest apart at which the blocks stay in touch: the edge that they turn about, or that they slide on.
    /// The same point twice where there is one. Nothing where they part or move as one.
    pub edge: Option<[DVec3; 2]>,
    /// Largest speed of one block against the other, in the unit of the motion.
    pub speed: f64,
}

/// What each joint of a structure does where its blocks move.
pub fn joint_motions(structure: &Structure, motions: &[Twist]) -> Vec<JointMotion> {
    let mut joints = vec![Points::default(); structure.joints.len()];
    for point in &structure.points {
        let apart = structure.relative(motions, point);
        let along = apart.dot(point.normal);
        let across = (apart - along * point.normal).length();
        let joint = &mut joints[point.joint as usize];
        joint.largest = joint.largest.max(apart.length());
        joint.points.push(Moved {
            at: point.position,
            speed: apart.length(),
            parts: along > DILATES * structure.friction(point) * across,
        });
    }
    let largest = joints.iter().map(|j| j.largest).fold(0.0, f64::max);
    joints.iter().map(|joint| joint.motion(STILL * largest)).collect()
}

/// The points of a joint.
#[derive(Clone, Debug, Default)]
struct Points {
    largest: f64,
    points: Vec<Moved>,
}

#[derive(Clone, Copy, Debug)]
struct Moved {
    at: DVec3,
    speed: f64,
    parts: bool,
}

impl Points {
    fn motion(&self, still: f64) -> JointMotion {
        let is_pivot = |p: &&Moved| p.speed <= PIVOT * self.largest;
        let (state, kept) = if self.largest <= still {
            (JointState::Closed, Vec::new())
        } else {
            let pivots: Vec<DVec3> = self.points.iter().filter(is_pivot).map(|p| p.at).collect();
            let sliding: Vec<DVec3> = self.points.iter().filter(|p| !p.parts).map(|p| p.at).collect();
            match (pivots.is_empty(), sliding.is_empty()) {
                (false, _) => (JointState::Hinge, pivots),
                (true, false) => (JointState::Sliding, sliding),
                (true, true) => (JointState::Open, Vec::new()),
            }
        };
        JointMotion {
            state,
            edge: farthest(&kept),
            speed: self.largest,
        }
    }
}

/// The two points that lie farthest apart.
fn farthest(points: &[DVec3]) -> Option<[DVec3; 2]> {
    let first = *points.first()?;
    let mut best = [first; 2];
    for (k, a) in points.iter().enumerate() {
        for b in &points[k + 1..] {
            if a.distance_squared(*b) > best[0].distance_squared(best[1]) {
                best = [*a, *b];
            }
        }
    }
    Some(best)
}
