//! How weight flows down through level joints, course by course (paper 001, figures 9c and 10c).

use glam::DVec3;
use serde::Serialize;

use super::joints::JointResult;
use crate::statics::Structure;

/// Cosine of the angle to the vertical above which a joint counts as level.
const LEVEL: f64 = 0.99;
/// Difference in height, over the size of a block, within which joints lie in one course.
const SAME_HEIGHT: f64 = 1e-3;

/// The force that a level joint passes on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointFlow {
    /// The joint.
    pub joint: usize,
    /// Where (unit: m).
    pub point: DVec3,
    /// Force of the upper block on the lower one (unit: N).
    pub force_n: DVec3,
    /// Its part along gravity (unit: N).
    pub down_n: f64,
}

/// The level joints at one height.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Course {
    /// Height against gravity (unit: m).
    pub height_m: f64,
    /// Sum of the forces along gravity (unit: N).
    pub down_n: f64,
    /// The joints that carry any, in their order.
    pub flows: Vec<JointFlow>,
}

/// The forces through level joints, from the lowest course up.
pub fn courses(structure: &Structure, joints: &[JointResult]) -> Vec<Course> {
    let down = structure.gravity.normalize_or(DVec3::NEG_Z);
    let mut level: Vec<(f64, &JointResult)> = joints
        .iter()
        .filter(|j| j.normal.dot(down).abs() >= LEVEL)
        .map(|j| (-j.center.dot(down), j))
        .collect();
    level.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.joint.cmp(&b.1.joint)));
    let mut courses: Vec<Course> = Vec::new();
    for (height, joint) in level {
        let is_new = courses
            .last()
            .is_none_or(|c| height - c.height_m > SAME_HEIGHT * structure.length);
        if is_new {
            courses.push(Course {
                height_m: height,
                down_n: 0.0,
                flows: Vec::new(),
            });
        }
        let (Some(course), Some(point)) = (courses.last_mut(), joint.center_of_pressure) else {
            continue;
        };
        let force = if joint.normal.dot(down) > 0.0 {
            joint.force_n
        } else {
            -joint.force_n
        };
        course.down_n += force.dot(down);
        course.flows.push(JointFlow {
            joint: joint.joint,
            point,
            force_n: force,
            down_n: force.dot(down),
        });
    }
    for course in &mut courses {
        course.flows.sort_by_key(|f| f.joint);
    }
    courses
}
