//! Results of statics as pictures and files take them: the one place where the names of mechanics become those of output.

use drystone_mechanics::statics::{
    Assembly,
    results::{JointResult, JointState, Results, ThrustLine},
};
use drystone_output::statics::{self, JointForce, Line, LineKind};

fn state(state: JointState) -> statics::JointState {
    match state {
        JointState::Open => statics::JointState::Open,
        JointState::Closed => statics::JointState::Closed,
        JointState::Hinge => statics::JointState::Hinge,
        JointState::Sliding => statics::JointState::Sliding,
        JointState::Pulled => statics::JointState::Pulled,
    }
}

/// What passes through joints.
pub fn joint_forces(assembly: &Assembly, joints: &[JointResult]) -> Vec<JointForce> {
    let one = |j: &JointResult| {
        let joint = &assembly.joints[j.joint];
        let stress = j.stress.as_ref();
        JointForce {
            blocks: joint.blocks.map(|b| b as u32),
            outline: joint.points.clone(),
            normal: j.normal,
            force: j.force_n,
            at: j.center_of_pressure.unwrap_or(j.center),
            state: state(j.state),
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
    add(LineKind::Effective, &results.thrust_lines, None);
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
