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
        Assembly, ContactPoint, Loads,
        equilibrium::{Forces, tributary},
        rows::{self, Places, Rows},
    },
    Called, finish,
};

/// Force, over the mean load of a block, below which it tells nothing about pressing or sliding: forces of least norm are
/// known to about that.
const NOTHING: f64 = 1e-4;
/// Sliding, in openings, that friction as large as the load of a block must have at least; smaller friction in proportion.
const SLIDING: f64 = 1.0;
/// Sliding, in openings, below which there is none.
const STILL: f64 = 1e-7;
/// Price of sliding across the friction, and of friction across the sliding, over that of other motions and forces.
const ACROSS: f64 = 1e8;
/// Part of the friction limit that is used: what acts across the sliding needs room.
const WITHIN: f64 = 1.0 - 1e-9;
/// Rounds at most, and what the error of eq. 11 must fall to in each, over the last.
const ROUNDS: usize = 12;
const FALL: f64 = 0.9;

/// Forces near those given that a motion mobilises; nothing where there are none, or where they were not found.
pub(in super::super) fn mobilise(assembly: &Assembly, loads: &Loads, forces: &Forces) -> Option<Called> {
    if !assembly.ties.is_empty() {
        return None;
    }
    let unit = loads.size(assembly) / assembly.free().count().max(1) as f64;
    let mut forces = forces.clone();
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let motions = motion(assembly, &forces, unit)?;
        forces = forces_along(assembly, loads, (&forces, &motions), unit)?;
        let found = finish(assembly, loads, forces.clone(), &motions);
        if found.is_solution() {
            return Some(found);
        }
        let error = found.lack.largest();
        if !(error < FALL * least) {
            return None;
        }
        least = error;
    }
    None
}

fn is_pressing(point: &ContactPoint, force: DVec3, unit: f64) -> bool {
    force.dot(point.normal) > NOTHING * unit
}

/// The motion that suits the forces best, in openings.
fn motion(assembly: &Assembly, forces: &Forces, unit: f64) -> Option<Vec<Twist>> {
    let places = Places::of(assembly);
    let moved = 6 * assembly.free().count();
    let (mut rows, mut bounded) = (Rows::default(), Rows::default());
    let mut across_friction = 0;
    for (point, &force) in assembly.points.iter().zip(&forces.contact) {
        if !is_pressing(point, force, unit) {
            bounded.open(1.0);
            bounded.put_relative(assembly, &places, point, -point.normal);
            continue;
        }
        rows.open(-1.0);
        rows.put_relative(assembly, &places, point, point.normal);
        let friction = (force - force.dot(point.normal) * point.normal) / unit;
        let size = friction.length();
        if size > NOTHING {
            let way = friction / size;
            // An unknown of its own for sliding across the friction, which the objective weighs.
            rows.open(0.0);
            rows.put_relative(assembly, &places, point, point.normal.cross(friction));
            rows.put(moved + across_friction, -1.0);
            across_friction += 1;
            bounded.open(-SLIDING * size.min(1.0));
            bounded.put_relative(assembly, &places, point, way);
        }
    }
    let mut squares = Rows::default();
    for k in 0..moved + across_friction {
        squares.open(0.0);
        squares.put(k, if k < moved { 1.0 } else { ACROSS });
    }
    let x = solved(squares, vec![0.0; moved + across_friction], (rows, bounded))?;
    Some((0..assembly.len()).map(|b| places.motion(assembly, b, &x)).collect())
}

/// The forces of least norm that a motion mobilises, among those at points that pressed before.
fn forces_along(
    assembly: &Assembly,
    loads: &Loads,
    (forces, motions): (&Forces, &[Twist]),
    unit: f64,
) -> Option<Forces> {
    let places = Places::of(assembly);
    // Columns: pressure of each point, then friction against its sliding, then friction across that.
    let areas = tributary(assembly);
    let mut directions: Vec<(usize, DVec3)> = Vec::new();
    let (mut squares, mut bounded, mut columns) = (Rows::default(), Rows::default(), Rows::default());
    for (k, (point, &force)) in assembly.points.iter().zip(&forces.contact).enumerate() {
        if !is_pressing(point, force, unit) {
            continue;
        }
        let first = directions.len();
        let mut add = |direction: DVec3, price: f64| {
            columns.open(0.0);
            columns.put_relative(assembly, &places, point, direction);
            squares.open(0.0);
            squares.put(directions.len(), price / areas[k]);
            directions.push((k, direction));
        };
        add(point.normal, 1.0);
        bounded.open(0.0);
        bounded.put(first, -1.0);
        let d = assembly.relative(motions, point);
        let slide = d - d.dot(point.normal) * point.normal;
        if slide.length() > STILL && point.friction > 0.0 {
            let way = -slide.normalize();
            add(way, 1.0);
            add(point.normal.cross(way), ACROSS);
            bounded.open(0.0);
            bounded.put(first + 1, -1.0);
            bounded.open(0.0);
            bounded.put(first + 1, 1.0);
            bounded.put(first, -point.friction * WITHIN);
        }
    }
    let mut right = Vec::with_capacity(6 * assembly.free().count());
    for b in assembly.free() {
        let w = &loads.wrenches[b];
        let (f, m) = (w.force / unit, w.moment / (unit * assembly.length));
        right.extend([f.x, f.y, f.z, m.x, m.y, m.z].map(|x| -x));
    }
    let rows = columns.transposed(right);
    let x = solved(squares, vec![0.0; directions.len()], (rows, bounded))?;
    let mut found = Forces::none(assembly);
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
    let solution = rows::solved(&objective, &linear, rows, &cones, 1e-12)?;
    let has_none = matches!(
        solution.status,
        SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible | SolverStatus::NumericalError
    );
    (!has_none).then_some(solution.x)
}
