//! The largest multiplier of a load as one cone program, with associated friction.
//!
//! ```text
//! static     maximise  λ            over forces r in their cones and λ with  D r + dead + λ live = 0
//! kinematic  minimise  -dead · w    over motions w that no joint resists with  live · w = 1
//! ```
//!
//! are dual to each other. The kinematic one is stated, which has the fewer unknowns; its multipliers are the forces. Where
//! no motion has live · w = 1, the multipliers are forces that balance the live load alone: the load has no limit.

use clarabel::{
    algebra::CscMatrix,
    solver::{SolverStatus, SupportedConeT},
};
use drystone_cone::{Twist, Wrench};
use glam::DVec3;

use super::{
    Loads, Structure,
    equilibrium::Forces,
    rows::{self, Places, Rows},
};

const TUNING: crate::statics::tuning::Limit = crate::statics::Tuning::DEFAULT.limit;

/// What the program ends with, whether or not it is exact.
#[derive(Clone, Debug)]
pub(super) enum Largest {
    /// The multiplier, the forces at it, and a motion on which dead and live loads together do no work.
    At {
        multiplier: f64,
        forces: Forces,
        motions: Vec<Twist>,
    },
    /// No motion stops the load.
    Unbounded,
    /// Nothing.
    Unknown,
}

/// Solves the program.
pub(super) fn largest(structure: &Structure, dead: &Loads, live: &Loads) -> Largest {
    solve(structure, dead, live, 0.0).unwrap_or(Largest::Unknown)
}

/// The motion that stops the load first among those that open every joint by `slack` more than it must (unit: m/s, where the
/// load does the mean work on a motion of 1 m/s). No joint closes in it, whatever the solver leaves; but there is none where
/// a structure can be wedged.
pub(super) fn opening(structure: &Structure, dead: &Loads, live: &Loads, slack: f64) -> Option<Vec<Twist>> {
    match solve(structure, dead, live, slack)? {
        Largest::At { motions, .. } => Some(motions),
        Largest::Unbounded | Largest::Unknown => None,
    }
}

fn solve(structure: &Structure, dead: &Loads, live: &Loads, slack: f64) -> Option<Largest> {
    let count = structure.free().count();
    let places = Places::of(structure);
    let unit = dead.mean(structure);
    let live_unit = live.mean(structure);
    let components = |w: &Wrench, unit: f64| {
        let (f, m) = (w.force / unit, w.moment / (unit * structure.length));
        [f.x, f.y, f.z, m.x, m.y, m.z]
    };
    let mut rows = Rows::default();
    rows.open(1.0);
    let mut objective = Vec::with_capacity(6 * count);
    for (k, b) in structure.free().enumerate() {
        for (c, v) in components(&live.wrenches[b], live_unit).into_iter().enumerate() {
            rows.put(6 * k + c, v);
        }
        objective.extend(components(&dead.wrenches[b], unit).map(|v| -v));
    }
    let mut cones = vec![SupportedConeT::ZeroConeT(1)];
    for p in &structure.points {
        let [first, second] = tangents(p.normal);
        let mu = structure.friction(p);
        let axes = [p.normal, mu * first, mu * second];
        let used = if mu > 0.0 { 3 } else { 1 };
        for (k, axis) in axes[..used].iter().enumerate() {
            rows.open(if k == 0 { -slack } else { 0.0 });
            rows.put_relative(structure, &places, p, -*axis);
        }
        cones.push(match used {
            3 => SupportedConeT::SecondOrderConeT(3),
            _ => SupportedConeT::NonnegativeConeT(1),
        });
    }
    for tie in &structure.ties {
        // How much longer it becomes.
        let way = (tie.ends[1] - tie.ends[0]).normalize_or_zero();
        rows.open(0.0);
        rows.put_motion(structure, &places, tie.blocks[0], tie.ends[0], -way);
        rows.put_motion(structure, &places, tie.blocks[1], tie.ends[1], way);
        cones.push(if tie.pushes() {
            SupportedConeT::ZeroConeT(1)
        } else {
            SupportedConeT::NonnegativeConeT(1)
        });
    }
    let no_squares = CscMatrix::zeros((6 * count, 6 * count));
    let precision = TUNING.precision.max(0.1 * slack);
    let solution = rows::solved(&no_squares, &objective, rows, &cones, precision)?;
    let (x, z) = (&solution.x, &solution.z);
    match solution.status {
        SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => return Some(Largest::Unbounded),
        SolverStatus::DualInfeasible | SolverStatus::AlmostDualInfeasible => return None,
        _ if x.iter().chain(z.iter()).any(|v| !v.is_finite()) => return None,
        _ => {}
    }
    let mut at = 1;
    let mut contact = Vec::with_capacity(structure.points.len());
    for p in &structure.points {
        let [first, second] = tangents(p.normal);
        let mu = structure.friction(p);
        contact.push(if mu > 0.0 {
            let z = &z[at..at + 3];
            z[0] * p.normal + mu * (z[1] * first + z[2] * second)
        } else {
            z[at] * p.normal
        });
        at += if mu > 0.0 { 3 } else { 1 };
    }
    let forces = Forces {
        contact: contact.into_iter().map(|f| f * unit).collect(),
        tension: Vec::new(),
        ties: z[at..].iter().map(|t| t * unit).collect(),
    };
    Some(Largest::At {
        multiplier: -z[0] * unit / live_unit,
        forces,
        motions: (0..structure.len()).map(|b| places.motion(structure, b, x)).collect(),
    })
}

/// Two unit vectors across a normal.
fn tangents(normal: DVec3) -> [DVec3; 2] {
    let first = normal.any_orthonormal_vector();
    [first, normal.cross(first)]
}
