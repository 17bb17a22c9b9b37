//! Movements of supports as loading: which of the forces that balance the loads are mobilised when supports give way.
//!
//! Among all forces in the cones that balance the loads, a small movement of the supports mobilises those against which it
//! does the least work: `minimise d . r` with d the movement at the joints of the supports. Supports that give way draw the
//! thrust of an arch down to its minimum, supports that close in drive it up to its maximum.
//!
//! The multipliers of that problem are the motion of the blocks that goes with the movement. Where there is none, blocks would
//! have to enter each other: forces grow until something yields that is not rigid.

use drystone_cone::{EquilibriumSettings, Status, Twist};
use glam::DVec3;
use serde::Serialize;

use super::{
    PointForces,
    joints::{JointResult, joint_results},
    thrust::{ThrustLine, thrust_lines},
};
use crate::statics::{ContactPoint, Loads, Solvers, StaticsError, Structure, equilibrium::Forces, problem::Law};

/// Yielding of a joint under the loads, over the movement: small enough to leave the choice to the movement, large enough to
/// spread forces evenly where it leaves a choice. The later ones are for structures that the solver fails on with the first.
const COMPLIANCES: [f64; 5] = [1e-3, 1e-2, 1e-4, 1e-1, 1e-5];
/// What may be left of the loads, relative to them.
const BALANCED: f64 = 1e-8;
/// How near the work of the movement must come to the least, relative to it.
const LEAST: f64 = 1e-6;
/// What blocks may enter each other by, over the movement, and still follow it: joints yield a little, by design.
const FOLLOWS: f64 = 0.1;

/// Forces at the points of a structure that a movement mobilises, and the motion that follows it.
#[derive(Clone, Debug, Default)]
pub struct MovedForces {
    /// On the second block of each point (unit: N).
    pub contact: Vec<DVec3>,
    /// In each tie, positive where it pulls (unit: N).
    pub ties: Vec<f64>,
    /// Motion of each block, in the units of the movement: metres where that is metres. Sliding opens joints by friction
    /// times the way, as in associated friction.
    pub motions: Vec<Twist>,
    /// What blocks enter each other by at most, over the largest movement.
    pub entered: f64,
}

impl MovedForces {
    /// Whether rigid blocks can follow the movement. If not, forces grow until something yields.
    pub fn follows(&self) -> bool {
        self.entered <= FOLLOWS
    }

    /// The same, as results take them.
    pub fn view(&self) -> PointForces<'_> {
        PointForces {
            contact: &self.contact,
            tension: &[],
        }
    }
}

/// The forces that small motions of the supports mobilise, given for each block; those of free blocks are not looked at, and
/// only their proportions matter. Nothing where no forces balance the loads.
pub fn moved_supports(
    structure: &Structure,
    loads: &Loads,
    motions: &[Twist],
    solvers: &mut Solvers,
) -> Result<Option<MovedForces>, StaticsError> {
    let at = |b: u32, p: DVec3| {
        let b = b as usize;
        match motions.get(b) {
            Some(motion) if structure.fixed[b] => motion.at(p - structure.center[b]),
            _ => DVec3::ZERO,
        }
    };
    let movement = |p: &ContactPoint| at(p.blocks[1], p.position) - at(p.blocks[0], p.position);
    let mut found = moved_joints(structure, loads, &movement, solvers)?;
    if let Some(found) = &mut found {
        for (b, motion) in found
            .motions
            .iter_mut()
            .enumerate()
            .filter(|(b, _)| structure.fixed[*b])
        {
            *motion = motions.get(b).copied().unwrap_or(Twist::ZERO);
        }
    }
    Ok(found)
}

/// The same with the movement of the second block against the first given at each point.
fn moved_joints(
    structure: &Structure,
    loads: &Loads,
    movement: &dyn Fn(&ContactPoint) -> DVec3,
    solvers: &mut Solvers,
) -> Result<Option<MovedForces>, StaticsError> {
    let moved: Vec<DVec3> = structure.points.iter().map(movement).collect();
    let largest = moved.iter().map(|d| d.length()).fold(0.0, f64::max);
    if !(largest > 0.0 && largest.is_finite()) {
        return Err(StaticsError::NoLoad("the movement of supports moves no joint"));
    }
    let law = Law {
        gaps: &|i| moved[i].dot(structure.points[i].normal) / largest,
        compliance: [0.0; 2],
        tension: None,
    };
    let mut problem = structure.problem(&law);
    for (contact, d) in problem.contacts.iter_mut().zip(&moved) {
        contact.slip = (*d - d.dot(contact.normal) * contact.normal) / largest;
    }
    let size = loads.size(structure);
    let solver = &mut solvers.equilibrium;
    solver.settings = EquilibriumSettings::default();
    for compliance in COMPLIANCES {
        for contact in &mut problem.contacts {
            contact.compliance = [compliance / size; 2];
        }
        let balance = solver.solve(&problem, &loads.wrenches)?;
        if balance.status == Status::Infeasible {
            return Ok(None);
        }
        if balance.balance <= BALANCED && balance.gap <= LEAST {
            let forces = Forces::new(structure, balance);
            let real = |m: &Twist| Twist {
                linear: m.linear * largest,
                angular: m.angular * largest,
            };
            let motions: Vec<Twist> = balance.motions.iter().map(real).collect();
            return Ok(Some(MovedForces {
                contact: forces.contact,
                ties: forces.ties,
                entered: entered(structure, &moved, &motions) / largest,
                motions,
            }));
        }
    }
    Ok(None)
}

/// What blocks enter each other by at most, if they move like that while joints are moved.
fn entered(structure: &Structure, moved: &[DVec3], motions: &[Twist]) -> f64 {
    let one = |(point, d): (&ContactPoint, &DVec3)| {
        let d = structure.relative(motions, point) + *d;
        let normal = d.dot(point.normal);
        structure.friction(point) * (d - normal * point.normal).length() - normal
    };
    structure.points.iter().zip(moved).map(one).fold(0.0, f64::max)
}

/// One end of the range of thrusts.
#[derive(Clone, Debug, Serialize)]
pub struct Thrust {
    /// Horizontal force on either side (unit: N).
    pub horizontal_n: f64,
    /// The thrust lines.
    pub lines: Vec<ThrustLine>,
    /// What passes through the joints.
    #[serde(skip)]
    pub joints: Vec<JointResult>,
    /// Forces at the points.
    #[serde(skip)]
    pub forces: MovedForces,
}

/// The smallest and the largest horizontal thrust that a structure can exert on supports at its two sides.
#[derive(Clone, Debug, Serialize)]
pub struct ThrustRange {
    /// From the one side to the other, horizontal and of unit length.
    pub direction: DVec3,
    /// Supports drawn apart.
    pub minimum: Thrust,
    /// Supports pushed together.
    pub maximum: Thrust,
}

/// Finds the range of thrusts. The joints at supports are taken as two sides, divided halfway along their longest
/// horizontal extent; nothing where they have none or where no forces balance the loads.
pub fn thrust_range(
    structure: &Structure,
    loads: &Loads,
    members: Option<&[bool]>,
    solvers: &mut Solvers,
) -> Result<Option<ThrustRange>, StaticsError> {
    let Some((direction, middle)) = span(structure) else {
        return Ok(None);
    };
    // Positive on the far side, for the support against the structure.
    let side = |p: &ContactPoint| (p.position - middle).dot(direction).signum();
    let far_support = |p: &ContactPoint| {
        if structure.fixed[p.blocks[1] as usize] {
            1.0
        } else {
            -1.0
        }
    };
    let mut find = |outward: f64| -> Result<Option<Thrust>, StaticsError> {
        let movement = |p: &ContactPoint| {
            if is_support(structure, p) {
                outward * side(p) * far_support(p) * direction
            } else {
                DVec3::ZERO
            }
        };
        let Some(forces) = moved_joints(structure, loads, &movement, solvers)? else {
            return Ok(None);
        };
        let points = structure.points.iter().zip(&forces.contact);
        let horizontal = points
            .filter(|(p, _)| is_support(structure, p) && side(p) > 0.0)
            .map(|(p, f)| far_support(p) * f.dot(direction))
            .sum();
        let joints = joint_results(structure, loads, forces.view());
        Ok(Some(Thrust {
            horizontal_n: horizontal,
            lines: thrust_lines(structure, &joints, members),
            joints,
            forces,
        }))
    };
    let (Some(minimum), Some(maximum)) = (find(1.0)?, find(-1.0)?) else {
        return Ok(None);
    };
    Ok(Some(ThrustRange {
        direction,
        minimum,
        maximum,
    }))
}

fn is_support(structure: &Structure, p: &ContactPoint) -> bool {
    p.blocks.iter().any(|&b| structure.fixed[b as usize])
}

/// The longest horizontal extent of the points at supports, and its middle.
fn span(structure: &Structure) -> Option<(DVec3, DVec3)> {
    let down = structure.gravity.normalize_or(DVec3::NEG_Z);
    let first = if down.z.abs() > 0.9 {
        DVec3::X.reject_from(down).try_normalize()?
    } else {
        down.any_orthonormal_vector()
    };
    let extent = |axis: DVec3| {
        let at = structure
            .points
            .iter()
            .filter(|p| is_support(structure, p))
            .map(|p| p.position.dot(axis));
        at.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)))
    };
    let longest = [first, down.cross(first)]
        .into_iter()
        .map(|axis| (axis, extent(axis)))
        .max_by(|a, b| (a.1.1 - a.1.0).total_cmp(&(b.1.1 - b.1.0)))?;
    let (axis, (low, high)) = longest;
    (high - low > 1e-6 * structure.length).then(|| (axis, axis * (0.5 * (low + high))))
}
