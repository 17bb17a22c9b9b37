//! The motion that mobilises given forces.
//!
//! Of eq. 11 of paper 004 only products of force and motion are not convex. With the forces r given, what is left is linear
//! in the motion w of the blocks: joints that press are closed, no other is entered, and sliding is opposite to friction,
//!
//! ```text
//! d_n = -1 where f_n > 0,    d_n >= -1 elsewhere,    f_t × d_t = 0,    f_t · d_t <= 0,    d = D' w
//! ```
//!
//! Of all such motions the shortest is taken.

use clarabel::{
    algebra::CscMatrix,
    solver::{DefaultSettings, DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT},
};
use drystone_cone::Twist;
use glam::DVec3;

use super::{
    super::{
        Assembly, Loads,
        equilibrium::Forces,
        evidence::Balanced,
        rebalance::rebalance,
        rows::{Places, Rows},
    },
    Called, finish, polish,
};

/// Force, over the mean load of a block, below which a point neither presses nor rubs.
const NOTHING: f64 = 1e-7;

/// A motion that mobilises forces which balance the loads; nothing where there is none, or where it was not found.
pub(in super::super) fn mobilise(assembly: &Assembly, loads: &Loads, forces: &Forces) -> Option<Called> {
    if !assembly.ties.is_empty() {
        return None;
    }
    let unit = loads.size(assembly) / assembly.free().count().max(1) as f64;
    let mut cleared = forces.clone();
    for (point, force) in assembly.points.iter().zip(&mut cleared.contact) {
        if force.dot(point.normal) <= NOTHING * unit {
            *force = DVec3::ZERO;
        }
    }
    if !Balanced::of(assembly, loads, &cleared).holds() {
        cleared = rebalance(assembly, loads, cleared)?;
    }
    let motions = motion(assembly, &cleared, unit)?;
    let found = finish(assembly, loads, cleared, &motions);
    if found.is_solution() {
        return Some(found);
    }
    let (forces, motions) = polish(assembly, loads, &found.forces, &motions, None)?;
    Some(finish(assembly, loads, forces, &motions)).filter(Called::is_solution)
}

/// The shortest motion that suits the forces, in openings.
fn motion(assembly: &Assembly, forces: &Forces, unit: f64) -> Option<Vec<Twist>> {
    let places = Places::of(assembly);
    let unknowns = 6 * assembly.free().count();
    let (mut rows, mut bounded) = (Rows::default(), Rows::default());
    for (point, force) in assembly.points.iter().zip(&forces.contact) {
        let along = force.dot(point.normal);
        if along <= 0.0 {
            bounded.open(1.0);
            bounded.put_relative(assembly, &places, point, -point.normal);
            continue;
        }
        rows.open(-1.0);
        rows.put_relative(assembly, &places, point, point.normal);
        let across = *force - along * point.normal;
        if across.length() > NOTHING * unit {
            let way = across.normalize();
            rows.open(0.0);
            rows.put_relative(assembly, &places, point, point.normal.cross(way));
            bounded.open(0.0);
            bounded.put_relative(assembly, &places, point, way);
        }
    }
    let cones = [
        SupportedConeT::ZeroConeT(rows.b.len()),
        SupportedConeT::NonnegativeConeT(bounded.b.len()),
    ];
    rows.extend(bounded);
    let (matrix, right) = rows.finish(unknowns);
    let settings: DefaultSettings<f64> = DefaultSettingsBuilder::default()
        .verbose(false)
        .max_threads(1)
        .tol_gap_abs(1e-8)
        .tol_gap_rel(1e-8)
        .tol_feas(1e-11)
        .build()
        .ok()?;
    let none = vec![0.0; unknowns];
    let mut solver =
        DefaultSolver::new(&CscMatrix::identity(unknowns), &none, &matrix, &right, &cones, settings).ok()?;
    solver.solve();
    if matches!(
        solver.solution.status,
        SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible | SolverStatus::NumericalError
    ) {
        return None;
    }
    let x = &solver.solution.x;
    Some((0..assembly.len()).map(|b| places.motion(assembly, b, x)).collect())
}
