//! Results that people look at, from forces at contact points: what passes through joints, contact stress, thrust lines,
//! the flow of weight through courses, and how far thrusts can range.
//!
//! Everything starts from [`PointForces`]: those of a [`Check`], of a limit, or any others. [`Results`] gathers what there
//! is to say about a check as plain data.

mod flow;
mod joints;
mod motion;
mod section;
mod stress;
mod supports;
mod thrust;

use drystone_model::Model;
use glam::DVec3;
use serde::Serialize;

pub use flow::{Course, JointFlow, courses};
pub use joints::{Edge, JointResult, JointState, joint_results};
pub use motion::{JointMotion, joint_motions};
pub use stress::Stress;
pub use supports::{MovedForces, Thrust, ThrustRange, moved_supports, thrust_range};
pub use thrust::{ArchSide, Station, ThrustLine, thrust_lines};

use super::{Check, Evidence, Loads, Method, Solvers, StaticsError, Structure, Verdict};

/// Forces at the points of a structure.
#[derive(Clone, Copy, Debug)]
pub struct PointForces<'a> {
    /// On the second block of each point, without tension (unit: N).
    pub contact: &'a [DVec3],
    /// Tension at each point (unit: N); empty where there is none.
    pub tension: &'a [f64],
}

impl<'a> PointForces<'a> {
    /// Those of a check, where it found any.
    pub fn of(check: &'a Check) -> Option<Self> {
        (!check.forces.is_empty()).then_some(Self {
            contact: &check.forces,
            tension: &check.tensions,
        })
    }
}

/// Everything there is to say about a check.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// The verdict: `stable`, `unstable` or `undecided`.
    pub verdict: &'static str,
    /// How it was found.
    pub method: &'static str,
    /// Why, in words.
    pub reason: String,
    /// Which of the forces that may balance the loads these are: `least_norm`, weighted by area, which are unique;
    /// `mobilised` by a displacement; `with_tension`; `pyramids`; or `none`.
    pub forces: &'static str,
    /// By how much the structure is statically indeterminate, at least; above zero, other forces may balance the loads, too.
    pub redundancy: usize,
    /// Sum of the loads on free blocks (unit: N).
    pub load_n: DVec3,
    /// Sum of the forces of supports on the structure (unit: N).
    pub reaction_n: DVec3,
    /// Sum of the tensions (unit: N).
    pub tension_n: f64,
    /// Largest use of friction in a joint.
    pub largest_friction_use: Option<f64>,
    /// Largest contact stress without tension (unit: Pa); joints that stand on an edge are left aside.
    pub largest_stress_pa: Option<f64>,
    /// How many joints are in each state.
    pub states: Vec<(&'static str, usize)>,
    /// What passes through each joint.
    pub joints: Vec<JointResult>,
    /// Thrust lines of these forces.
    pub thrust_lines: Vec<ThrustLine>,
    /// Thrusts that are possible, where the structure is an arch.
    pub thrust_range: Option<ThrustRange>,
    /// Forces through level joints, from the lowest course up.
    pub courses: Vec<Course>,
    /// Names of the blocks that move or need tension.
    pub unstable_blocks: Vec<String>,
}

/// Gathers the results of a check. The range of thrusts is looked for where the blocks, or those of one group, form arches.
pub fn results(
    model: &Model,
    structure: &Structure,
    loads: &Loads,
    check: &Check,
    solvers: &mut Solvers,
) -> Result<Results, StaticsError> {
    let forces = PointForces::of(check);
    let joints = forces.map_or_else(Vec::new, |forces| joint_results(structure, loads, forces));
    let (thrust_lines, members) = if joints.is_empty() {
        (Vec::new(), None)
    } else {
        chains(model, structure, &joints)
    };
    let has_arch = thrust_lines.iter().any(|l| l.arch);
    let thrust_range = if has_arch && check.verdict == Verdict::Stable {
        thrust_range(structure, loads, members.as_deref(), solvers)?
    } else {
        None
    };
    let states = [
        JointState::Closed,
        JointState::Hinge,
        JointState::Sliding,
        JointState::Open,
        JointState::Pulled,
    ];
    let count = |s: JointState| (s.name(), joints.iter().filter(|j| j.state == s).count());
    let largest = |of: &dyn Fn(&JointResult) -> Option<f64>| joints.iter().filter_map(of).reduce(f64::max);
    let courses = courses(structure, &joints);
    Ok(Results {
        verdict: check.verdict.name(),
        method: check.method.name(),
        reason: check.reason.clone(),
        forces: choice(check),
        redundancy: check.redundancy,
        load_n: structure.free().map(|b| loads.wrenches[b].force).sum(),
        reaction_n: reaction(structure, &joints, check),
        tension_n: check.tension(),
        largest_friction_use: largest(&|j| j.friction_use),
        largest_stress_pa: largest(&|j| j.stress.as_ref()?.largest_pa),
        states: states.into_iter().map(count).collect(),
        thrust_lines,
        thrust_range,
        courses,
        unstable_blocks: check
            .unstable_blocks
            .iter()
            .map(|&b| structure.names[b].clone())
            .collect(),
        joints,
    })
}

/// Which forces a check gives.
fn choice(check: &Check) -> &'static str {
    match check.evidence {
        _ if check.forces.is_empty() => "none",
        _ if !check.tensions.is_empty() => "with_tension",
        Evidence::Mobilised { .. } => "mobilised",
        _ if check.method == Method::RbeLinearised => "pyramids",
        _ => "least_norm",
    }
}

/// Thrust lines of the whole, or, where there is no arch in it, those within each group as well; and the blocks that they
/// were looked for in, where not in all.
fn chains(model: &Model, structure: &Structure, joints: &[JointResult]) -> (Vec<ThrustLine>, Option<Vec<bool>>) {
    let whole = thrust_lines(structure, joints, None);
    if whole.iter().any(|l| l.arch) {
        return (whole, None);
    }
    let mut groups: Vec<&str> = model.free_blocks().filter_map(|b| b.group.as_deref()).collect();
    groups.sort_unstable();
    groups.dedup();
    for group in groups {
        let is_in = |b: &drystone_model::Block| b.group.as_deref() == Some(group);
        let members: Vec<bool> = model.blocks.iter().map(is_in).collect();
        let lines = thrust_lines(structure, joints, Some(&members));
        let arches: Vec<ThrustLine> = lines.into_iter().filter(|l| l.arch && l.stations.len() > 3).collect();
        if !arches.is_empty() {
            return (arches, Some(members));
        }
    }
    (whole, None)
}

/// What supports exert on the structure, ties included.
fn reaction(structure: &Structure, joints: &[JointResult], check: &Check) -> DVec3 {
    let sign = |[a, b]: [usize; 2]| match (structure.fixed[a], structure.fixed[b]) {
        (true, false) => 1.0,
        (false, true) => -1.0,
        _ => 0.0,
    };
    let of_joint = |j: &JointResult| sign(structure.joints[j.joint].blocks) * j.force_n;
    let of_tie = |(tie, tension): (&super::TieLine, &f64)| {
        let pull = (tie.ends[1] - tie.ends[0]).normalize_or_zero() * *tension;
        // A tie draws its second block towards the first.
        -sign(tie.blocks.map(|b| b as usize)) * pull
    };
    let ties = structure.ties.iter().zip(&check.tie_forces).map(of_tie);
    joints.iter().map(of_joint).sum::<DVec3>() + ties.sum::<DVec3>()
}
