//! Restores forces and a motion that satisfy eq. 11 of paper 004 from some that nearly do.
//!
//! Of eq. 11, balance, friction cones and closure are convex; not convex are only three products at each point,
//!
//! ```text
//! f_n (d_n + 1) = 0,    f_t × d_t = 0,    f_t · d_t <= 0,
//! ```
//!
//! which ask for neither a compliance nor sliding at the limit of friction. Each round takes them to first order about the
//! last forces and motion, and solves the convex problem that is left: the smallest squares of the products, plus
//! a price on the step, which falls where steps succeed and rises where they do not (Levenberg and Marquardt). Every
//! iterate balances the loads, keeps to the cones, enters no joint and moves none too far.

use clarabel::solver::{SolverStatus, SupportedConeT};
use drystone_cone::{Stop, Twist};
use faer::Mat;
use glam::DVec3;

use super::super::{
    Loads, StageOutcome, Structure, Tuning,
    equilibrium::Forces,
    rows::{self, Rows},
};

const TUNING: crate::statics::tuning::Restore = crate::statics::Tuning::DEFAULT.restore;

/// Why a structure is left out, if it is.
pub(super) fn is_left_out(structure: &Structure) -> Option<StageOutcome> {
    if !structure.ties.is_empty() {
        Some(StageOutcome::HasTies)
    } else if structure.points.len() > TUNING.most_points {
        Some(StageOutcome::TooLarge)
    } else {
        None
    }
}

/// Corrects forces and motions, which come in openings. Every few rounds, `exact` is asked to make them exact: how it
/// ended and the residual of the products where it never can, or where it is told to stop.
pub(super) fn restore<T>(
    structure: &Structure,
    loads: &Loads,
    (forces, motions): (&Forces, &[Twist]),
    stop: &Stop,
    exact: impl Fn(Forces, Vec<Twist>) -> Option<T>,
) -> Result<T, (StageOutcome, f64)> {
    let failed = |residual: f64| (StageOutcome::NotFound, residual);
    if stop.is_set() {
        return Err(failed(f64::INFINITY));
    }
    let free: Vec<usize> = structure.free().collect();
    let unit = loads.mean(structure);
    let rounds = Rounds::new(structure, loads, &free, unit);
    // The first step leads into the cones, whatever it costs.
    let first = rounds.step(&rounds.start(forces, motions, unit), TUNING.price[0]);
    let mut at = first.ok_or(failed(f64::INFINITY))?;
    let mut residual = rounds.residual(&at);
    let mut ended = StageOutcome::RoundLimit;
    let mut price = TUNING.price[0];
    let mut before = [f64::INFINITY; TUNING.patience];
    for round in 0..TUNING.rounds {
        if round % TUNING.polish_every == TUNING.polish_every - 1 && residual < TUNING.near {
            let (forces, motions) = rounds.finish(&at, forces, motions, unit);
            if let Some(found) = exact(forces, motions) {
                return Ok(found);
            }
        }
        if residual < TUNING.small || residual > TUNING.fall * before[round % TUNING.patience] || stop.is_set() {
            ended = StageOutcome::NotFound;
            break;
        }
        before[round % TUNING.patience] = residual;
        let next = rounds.step(&at, price).ok_or(failed(residual))?;
        let after = rounds.residual(&next);
        if after < residual {
            (at, residual) = (next, after);
            price = (0.2 * price).max(TUNING.price[1]);
        } else {
            price *= 8.0;
        }
    }
    let (forces, motions) = rounds.finish(&at, forces, motions, unit);
    let found = (residual < TUNING.enough).then(|| exact(forces, motions)).flatten();
    found.ok_or((ended, residual))
}

/// A point, as the rounds see it.
struct Place {
    mu: f64,
    frame: [DVec3; 3],
    /// Place of each block among the free ones, and what its motion makes of each axis of the frame.
    sides: Vec<(usize, [[f64; 6]; 3])>,
}

struct Rounds<'a> {
    structure: &'a Structure,
    free: &'a [usize],
    loads: Vec<[f64; 6]>,
    places: Vec<Place>,
}

/// Forces in the load of a block, motions in openings.
#[derive(Clone, Debug)]
struct Point {
    motions: Vec<[f64; 6]>,
    forces: Vec<[f64; 3]>,
}

impl<'a> Rounds<'a> {
    fn new(structure: &'a Structure, loads: &Loads, free: &'a [usize], unit: f64) -> Self {
        let mut place = vec![None; structure.len()];
        free.iter().enumerate().for_each(|(k, &b)| place[b] = Some(k));
        let load = |&b: &usize| {
            let w = &loads.wrenches[b];
            let (f, m) = (w.force / unit, w.moment / (unit * structure.length));
            [f.x, f.y, f.z, m.x, m.y, m.z]
        };
        let places = structure.points.iter().map(|point| {
            let n = point.normal;
            let a = n.any_orthonormal_vector();
            let frame = [n, a, n.cross(a)];
            let rows = |side: usize, axis: DVec3| -> [f64; 6] {
                let sign = if side == 1 { 1.0 } else { -1.0 };
                let arm = (point.position - structure.center[point.blocks[side] as usize]) / structure.length;
                let (f, m) = (sign * axis, sign * arm.cross(axis));
                [f.x, f.y, f.z, m.x, m.y, m.z]
            };
            let side = |side: usize| Some((place[point.blocks[side] as usize]?, frame.map(|axis| rows(side, axis))));
            Place {
                mu: structure.friction(point),
                frame,
                sides: [0, 1].into_iter().filter_map(side).collect(),
            }
        });
        Self {
            loads: free.iter().map(load).collect(),
            places: places.collect(),
            structure,
            free,
        }
    }

    fn start(&self, forces: &Forces, motions: &[Twist], unit: f64) -> Point {
        let length = self.structure.length;
        let motion = |&b: &usize| {
            let (l, a) = (motions[b].linear, motions[b].angular * length);
            [l.x, l.y, l.z, a.x, a.y, a.z]
        };
        let force = |(p, f): (&Place, &DVec3)| p.frame.map(|axis| f.dot(axis) / unit);
        Point {
            motions: self.free.iter().map(motion).collect(),
            forces: self.places.iter().zip(&forces.contact).map(force).collect(),
        }
    }

    fn finish(&self, at: &Point, forces: &Forces, motions: &[Twist], unit: f64) -> (Forces, Vec<Twist>) {
        let mut moved = motions.to_vec();
        for (&b, m) in self.free.iter().zip(&at.motions) {
            moved[b] = Twist {
                linear: DVec3::new(m[0], m[1], m[2]),
                angular: DVec3::new(m[3], m[4], m[5]) / self.structure.length,
            };
        }
        let force = |(p, f): (&Place, &[f64; 3])| (p.frame[0] * f[0] + p.frame[1] * f[1] + p.frame[2] * f[2]) * unit;
        let contact = self.places.iter().zip(&at.forces).map(force).collect();
        (
            Forces {
                contact,
                ..forces.clone()
            },
            moved,
        )
    }

    /// The residual of the products, squared and summed.
    fn residual(&self, at: &Point) -> f64 {
        let one = |(p, f): (&Place, &[f64; 3])| {
            let d = p.moved(at);
            let open = d[0] + 1.0;
            let pressed = f[0] * open / (1.0 + open.abs());
            let w = 1.0 / d[1].hypot(d[2]).max(TUNING.still);
            let cross = (f[1] * d[2] - f[2] * d[1]) * w;
            let along = ((f[1] * d[1] + f[2] * d[2]) * w).max(0.0);
            pressed * pressed + cross * cross + along * along
        };
        self.places.iter().zip(&at.forces).map(one).sum()
    }

    /// The next forces and motion.
    fn step(&self, at: &Point, price: f64) -> Option<Point> {
        let (nb, np) = (6 * self.free.len(), self.places.len());
        let (force, slack) = (|i: usize| nb + 3 * i, |i: usize| nb + 3 * np + 3 * i);
        let n = nb + 6 * np;
        // Objective. A step of the motion counts by what it is of the sliding at each point.
        let (mut p, mut q) = (vec![0.0; n], vec![0.0; n]);
        let mut metric = Mat::<f64>::zeros(nb, nb);
        for place in &self.places {
            let d = place.moved(at);
            let weight = price / (1.0 + d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            for (first, by) in &place.sides {
                for (second, other) in &place.sides {
                    for c in 0..6 {
                        for e in 0..6 {
                            let sum: f64 = (0..3).map(|axis| by[axis][c] * other[axis][e]).sum();
                            metric[(6 * first + c, 6 * second + e)] += weight * sum;
                        }
                    }
                }
            }
        }
        for k in 0..nb {
            metric[(k, k)] += 1e-9 * price;
            q[k] = -(0..nb).map(|e| metric[(k, e)] * at.motions[e / 6][e % 6]).sum::<f64>();
        }
        for (i, f) in at.forces.iter().enumerate() {
            for c in 0..3 {
                p[force(i) + c] = price;
                q[force(i) + c] = -price * f[c];
                p[slack(i) + c] = 1.0;
            }
        }
        // Rows: balance and products, closures and signs, cones.
        let mut rows = Rows::default();
        for (k, load) in self.loads.iter().enumerate() {
            for (c, l) in load.iter().enumerate() {
                rows.open(-l);
                for (i, place) in self.places.iter().enumerate() {
                    for (body, jacobian) in &place.sides {
                        if *body == k {
                            (0..3).for_each(|axis| rows.put(force(i) + axis, jacobian[axis][c]));
                        }
                    }
                }
            }
        }
        let moved: Vec<[f64; 3]> = self.places.iter().map(|p| p.moved(at)).collect();
        for (i, place) in self.places.iter().enumerate() {
            let (f, d) = (at.forces[i], moved[i]);
            let open = d[0] + 1.0;
            let w = 1.0 / (1.0 + open.abs());
            rows.open(w * f[0] * (open - 1.0));
            place.put(&mut rows, [w * f[0], 0.0, 0.0]);
            rows.put(force(i), w * open);
            rows.put(slack(i), -1.0);
            let w = 1.0 / d[1].hypot(d[2]).max(TUNING.still);
            rows.open(w * (f[1] * d[2] - f[2] * d[1]));
            place.put(&mut rows, [0.0, -w * f[2], w * f[1]]);
            rows.put(force(i) + 1, w * d[2]);
            rows.put(force(i) + 2, -w * d[1]);
            rows.put(slack(i) + 1, -1.0);
            if place.mu == 0.0 {
                for c in 1..3 {
                    rows.open(0.0);
                    rows.put(force(i) + c, 1.0);
                }
            }
        }
        let zeros = rows.b.len();
        for (i, place) in self.places.iter().enumerate() {
            let (f, d) = (at.forces[i], moved[i]);
            rows.open(1.0);
            place.put(&mut rows, [-1.0, 0.0, 0.0]);
            let w = 1.0 / d[1].hypot(d[2]).max(TUNING.still);
            rows.open(w * (f[1] * d[1] + f[2] * d[2]));
            place.put(&mut rows, [0.0, w * f[1], w * f[2]]);
            rows.put(force(i) + 1, w * d[1]);
            rows.put(force(i) + 2, w * d[2]);
            rows.put(slack(i) + 2, -1.0);
            rows.open(0.0);
            rows.put(slack(i) + 2, -1.0);
            rows.open(0.0);
            rows.put(force(i), -1.0);
            for axis in 0..3 {
                for sign in [-1.0, 1.0] {
                    rows.open(Tuning::DEFAULT.coupled.farthest_motion / 3.0_f64.sqrt());
                    let mut weights = [0.0; 3];
                    weights[axis] = sign;
                    place.put(&mut rows, weights);
                }
            }
        }
        let nonnegative = rows.b.len() - zeros;
        let mut cones = vec![
            SupportedConeT::ZeroConeT(zeros),
            SupportedConeT::NonnegativeConeT(nonnegative),
        ];
        for (i, place) in self.places.iter().enumerate().filter(|(_, p)| p.mu > 0.0) {
            rows.open(0.0);
            rows.put(force(i), -place.mu);
            for c in 1..3 {
                rows.open(0.0);
                rows.put(force(i) + c, -1.0);
            }
            cones.push(SupportedConeT::SecondOrderConeT(3));
        }
        let mut squares = Rows::default();
        for k in 0..nb {
            squares.open(0.0);
            (k..nb).for_each(|e| squares.put(e, metric[(k, e)]));
        }
        for (k, p) in p.iter().enumerate().skip(nb) {
            squares.open(0.0);
            squares.put(k, *p);
        }
        let (objective, _) = squares.finish(n);
        let solution = rows::solved(&objective, &q, rows, &cones, TUNING.precision)?;
        let usable = matches!(
            solution.status,
            SolverStatus::Solved | SolverStatus::AlmostSolved | SolverStatus::InsufficientProgress
        );
        if !usable {
            return None;
        }
        let x = &solution.x;
        Some(Point {
            motions: (0..self.free.len())
                .map(|k| std::array::from_fn(|c| x[6 * k + c]))
                .collect(),
            forces: (0..np).map(|i| std::array::from_fn(|c| x[force(i) + c])).collect(),
        })
    }
}

impl Place {
    /// Relative motion in its frame.
    fn moved(&self, at: &Point) -> [f64; 3] {
        let mut d = [0.0; 3];
        for (body, jacobian) in &self.sides {
            for (d, row) in d.iter_mut().zip(jacobian) {
                *d += row.iter().zip(&at.motions[*body]).map(|(a, b)| a * b).sum::<f64>();
            }
        }
        d
    }

    /// Writes a row of weights by the axes of the frame, in terms of motions.
    fn put(&self, rows: &mut Rows, weights: [f64; 3]) {
        for (body, jacobian) in &self.sides {
            for c in 0..6 {
                let sum: f64 = (0..3).map(|axis| weights[axis] * jacobian[axis][c]).sum();
                rows.put(6 * body + c, sum);
            }
        }
    }
}
