//! Results of statics as pictures and files take them.

use drystone_mechanics::statics::{
    Check, ContactPoint, Structure,
    results::{JointResult, Results, ThrustLine},
};
use glam::DVec3;

use super::{ContactPointForce, CourseForce, JointForce, Line, LineKind};

/// What passes through joints.
pub fn joint_forces(structure: &Structure, joints: &[JointResult]) -> Vec<JointForce> {
    let one = |j: &JointResult| {
        let joint = &structure.joints[j.joint];
        let stress = j.stress.as_ref();
        JointForce {
            blocks: joint.blocks.map(|b| b as u32),
            outline: joint.points.clone(),
            normal: j.normal,
            force: j.force_n,
            at: j.center_of_pressure.unwrap_or(j.center),
            state: j.state,
            friction_use: j.friction_use,
            tension: j.tension_n,
            eccentricity: j.eccentricity_ratio.unwrap_or(f64::NAN),
            edge: j.edge.as_ref().map(|e| e.ends),
            stress: stress.map_or_else(Vec::new, |s| s.corners_pa.clone()),
            mean_stress: stress.map_or(0.0, |s| s.mean_pa),
            compressed: stress.map_or(0.0, |s| s.compressed),
        }
    };
    joints.iter().map(one).collect()
}

/// The thrust lines of a result, with those of the least and the largest thrust where they were found.
pub fn thrust_lines(results: &Results) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut add = |kind: LineKind, list: &[ThrustLine], thrust: Option<f64>| {
        lines.extend(list.iter().map(|l| Line {
            kind,
            points: l.points(),
            thrust,
        }));
    };
    add(LineKind::Computed, &results.thrust_lines, None);
    if let Some(range) = &results.thrust_range {
        add(
            LineKind::Minimum,
            &range.minimum.lines,
            Some(range.minimum.horizontal_n),
        );
        add(
            LineKind::Maximum,
            &range.maximum.lines,
            Some(range.maximum.horizontal_n),
        );
    }
    lines
}

/// What passes through the courses of level joints.
pub(super) fn course_forces(structure: &Structure, results: &Results) -> Vec<CourseForce> {
    let width = |joint: usize| {
        let corners = &structure.joints[joint].points;
        let pairs = corners.iter().flat_map(|a| corners.iter().map(|b| (*a - *b).abs()));
        pairs.map(|d| d.x.max(d.y)).fold(0.0, f64::max)
    };
    let mut forces = Vec::new();
    for (course, level) in results.courses.iter().enumerate() {
        forces.extend(level.flows.iter().map(|flow| CourseForce {
            course,
            at: flow.point,
            force: flow.force_n,
            width: width(flow.joint),
        }));
    }
    forces
}

/// What passes through contact points.
pub fn point_forces(structure: &Structure, check: &Check) -> Vec<ContactPointForce> {
    let points = structure.points.iter().zip(&check.forces).enumerate();
    let one = |(k, (p, force)): (usize, (&ContactPoint, &DVec3))| ContactPointForce {
        joint: p.joint,
        blocks: p.blocks,
        position: p.position,
        normal: p.normal,
        force: *force,
        tension: check.tensions.get(k).copied().unwrap_or(0.0),
        friction: structure.friction(p),
    };
    points.map(one).collect()
}
