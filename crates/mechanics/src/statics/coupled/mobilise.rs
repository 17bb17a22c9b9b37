//! Forces and a motion that mobilises them, from forces that balance the loads.
//!
//! Of eq. 11 of paper 004 only products of force and motion are not convex. With the forces given, what is left is convex in
//! the motion w of the blocks: joints that press are closed, no other is entered, and where there is friction there is sliding
//! against it,
//!
//! ```text
//! d_n = -1 where f_n > 0,    d_n >= -1 elsewhere,    f_t · d_t < 0 where f_t is not 0,    d = D' w
//! ```
//!
//! and as little as possible of the sliding is across the friction. With that motion given, what is left is convex in the
//! forces: they act where joints are closed, and as little as possible of the friction is across the sliding. One is asked
//! after the other, a few times over: the first forces are known to a few digits only, and so is the motion that suits them.

use clarabel::solver::{SolverStatus, SupportedConeT};
use drystone_cone::Twist;
use glam::DVec3;

use super::{
    super::{
        ContactPoint, Loads, Stage, StageKind, StageOutcome, Structure,
        equilibrium::{Forces, tributary},
        rows::{self, Places, Rows},
    },
    Mobilised, finish,
};

const TUNING: crate::statics::tuning::Mobilise = crate::statics::Tuning::DEFAULT.mobilise;

/// Forces near those given that a motion mobilises; nothing where there are none, or where they were not found.
pub(super) fn mobilise(
    structure: &Structure,
    loads: &Loads,
    forces: &Forces,
    stages: &mut Vec<Stage>,
) -> Option<Mobilised> {
    let (found, outcome, residual) = if !structure.ties.is_empty() {
        (None, StageOutcome::HasTies, f64::INFINITY)
    } else if structure.points.len() > super::TUNING.middle_points {
        (None, StageOutcome::TooLarge, f64::INFINITY)
    } else {
        rounds(structure, loads, forces)
    };
    stages.push(Stage::new(StageKind::Mobilise, outcome, Some(residual)));
    found
}

/// A solution, if one was found, how the rounds ended, and the least residual met.
fn rounds(structure: &Structure, loads: &Loads, forces: &Forces) -> (Option<Mobilised>, StageOutcome, f64) {
    let unit = loads.mean(structure);
    let mut forces = forces.clone();
    let mut least = f64::INFINITY;
    for _ in 0..TUNING.rounds {
        let Some(motions) = motion(structure, &forces, unit) else {
            return (None, StageOutcome::NotFound, least);
        };
        let Some(along) = forces_along(structure, loads, (&forces, &motions), unit) else {
            return (None, StageOutcome::NotFound, least);
        };
        forces = along;
        let found = finish(structure, loads, forces.clone(), &motions);
        let residual = found.residual.largest();
        if found.is_solution() {
            return (Some(found), StageOutcome::Answered, residual);
        }
        if !(residual < TUNING.fall * least) {
            return (None, StageOutcome::NotFound, residual.min(least));
        }
        least = residual;
    }
    (None, StageOutcome::RoundLimit, least)
}

fn is_pressing(point: &ContactPoint, force: DVec3, unit: f64) -> bool {
    force.dot(point.normal) > TUNING.no_force * unit
}

/// The motion that suits the forces best, in openings.
fn motion(structure: &Structure, forces: &Forces, unit: f64) -> Option<Vec<Twist>> {
    let places = Places::of(structure);
    let moved = 6 * structure.free().count();
    let (mut rows, mut bounded) = (Rows::default(), Rows::default());
    let mut across_friction = 0;
    for (point, &force) in structure.points.iter().zip(&forces.contact) {
        if !is_pressing(point, force, unit) {
            bounded.open(1.0);
            bounded.put_relative(structure, &places, point, -point.normal);
            continue;
        }
        rows.open(-1.0);
        rows.put_relative(structure, &places, point, point.normal);
        let friction = (force - force.dot(point.normal) * point.normal) / unit;
        let size = friction.length();
        if size > TUNING.no_force {
            let way = friction / size;
            // An unknown of its own for sliding across the friction, which the objective weighs.
            rows.open(0.0);
            rows.put_relative(structure, &places, point, point.normal.cross(friction));
            rows.put(moved + across_friction, -1.0);
            across_friction += 1;
            bounded.open(-TUNING.sliding * size.min(1.0));
            bounded.put_relative(structure, &places, point, way);
        }
    }
    let mut squares = Rows::default();
    for k in 0..moved + across_friction {
        squares.open(0.0);
        squares.put(k, if k < moved { 1.0 } else { TUNING.across });
    }
    let x = solved(squares, vec![0.0; moved + across_friction], (rows, bounded))?;
    Some((0..structure.len()).map(|b| places.motion(structure, b, &x)).collect())
}

/// The forces of least norm that a motion mobilises, among those at points that pressed before.
fn forces_along(
    structure: &Structure,
    loads: &Loads,
    (forces, motions): (&Forces, &[Twist]),
    unit: f64,
) -> Option<Forces> {
    let places = Places::of(structure);
    // Columns: pressure of each point, then friction against its sliding, then friction across that.
    let areas = tributary(structure);
    let mut directions: Vec<(usize, DVec3)> = Vec::new();
    let (mut squares, mut bounded, mut columns) = (Rows::default(), Rows::default(), Rows::default());
    for (k, (point, &force)) in structure.points.iter().zip(&forces.contact).enumerate() {
        if !is_pressing(point, force, unit) {
            continue;
        }
        let first = directions.len();
        let mut add = |direction: DVec3, price: f64| {
            columns.open(0.0);
            columns.put_relative(structure, &places, point, direction);
            squares.open(0.0);
            squares.put(directions.len(), price / areas[k]);
            directions.push((k, direction));
        };
        add(point.normal, 1.0);
        bounded.open(0.0);
        bounded.put(first, -1.0);
        let d = structure.relative(motions, point);
        let slide = d - d.dot(point.normal) * point.normal;
        if slide.length() > TUNING.still && structure.friction(point) > 0.0 {
            let way = -slide.normalize();
            add(way, 1.0);
            add(point.normal.cross(way), TUNING.across);
            bounded.open(0.0);
            bounded.put(first + 1, -1.0);
            bounded.open(0.0);
            bounded.put(first + 1, 1.0);
            bounded.put(first, -structure.friction(point) * TUNING.within);
        }
    }
    let mut right = Vec::with_capacity(6 * structure.free().count());
    for b in structure.free() {
        let w = &loads.wrenches[b];
        let (f, m) = (w.force / unit, w.moment / (unit * structure.length));
        right.extend([f.x, f.y, f.z, m.x, m.y, m.z].map(|x| -x));
    }
    let rows = columns.transposed(right);
    let x = solved(squares, vec![0.0; directions.len()], (rows, bounded))?;
    let mut found = Forces::none(structure);
    for (&(k, direction), &x) in directions.iter().zip(&x) {
        found.contact[k] += x * unit * direction;
    }
    Some(found)
}

/// The least of `x' P x / 2` with rows that equal their right-hand side, and rows that are at most theirs.
fn solved(squares: Rows, linear: Vec<f64>, (mut rows, bounded): (Rows, Rows)) -> Option<Vec<f64>> {
    let n = linear.len();
    let cones = [
        SupportedConeT::ZeroConeT(rows.b.len()),
        SupportedConeT::NonnegativeConeT(bounded.b.len()),
    ];
    rows.extend(bounded);
    let (objective, _) = squares.finish(n);
    let solution = rows::solved(&objective, &linear, rows, &cones, TUNING.precision)?;
    let has_none = matches!(
        solution.status,
        SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible | SolverStatus::NumericalError
    );
    (!has_none).then_some(solution.x)
}
