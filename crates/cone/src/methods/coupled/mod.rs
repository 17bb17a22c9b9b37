//! Forces that balance loads on bodies at rest, with friction opposite to the motion that mobilises them.
//!
//! ```text
//! D r + load = 0,    u = D' w + q + E r,    r_i in K_i,    u_i + mu |u_t,i| n in K_i*,    orthogonal
//! ```
//!
//! is the static problem of Coulomb: a joint that presses is closed, `u_n = 0`, and friction acts against its slip. It is
//! not convex, and there need be no solution. The interior-point method of the convex problem is followed with one change:
//! the slack z stands for `u + mu |u_t| n`, so that `u = F(z) = z - mu |z_t| n`, and F' makes the matrix of each step
//! unsymmetric. With M dr + dz = c for the scaled complementarity, as in the convex method,
//!
//! ```text
//! dr = p + Theta (t - D' dw),    Theta = (E + F' M)^-1,    t = F(z) - u - E p,    dz = F'^-1 (u - F(z) + D' dw + E dr)
//! ```
//!
//! and the bodies move by `D Theta D' dw = D (p + Theta t) + D r + load`. |z_t| is rounded off at its corner, less and
//! less as r.z falls. Where the path of r.z = mu ends before mu does, no solution was found; that is no proof that there
//! is none. Where it comes close, it is followed again with r.z falling at another pace: what stops it is most often a
//! joint that turns from one side of a corner to the other, and another pace meets other corners.

mod creep;
mod point;
mod unsymmetric;

use crate::{
    cone::{Cone, V3},
    newton::transported,
    parallel,
    solution::Status,
    stages::{SolverStage, SolverStageKind, Stages},
    system::{Bodies, M6, NONE, Operator, System, V6, dot6, gather_wrench, times6},
};
pub(crate) use creep::Creep;
use point::{Point, longest_of};
use unsymmetric::Unsymmetric;

use super::Outcome;

const TUNING: crate::tuning::AtRestCoulomb = crate::Tuning::DEFAULT.at_rest_coulomb;

/// The method, and its memory.
#[derive(Debug, Default)]
pub(crate) struct Coupled {
    points: Vec<Point>,
    matrix: Unsymmetric,
    stiffness: Vec<M6>,
    wrench: Vec<V6>,
    right: Vec<V6>,
    step: Vec<V6>,
    remainder: Vec<V6>,
    moved: Vec<V3>,
    best: (Vec<V3>, Vec<V6>),
}

/// What a step aims at: r.z now, over how many cones, its least value after the step, and the residual otherwise.
struct Aim {
    centre: f64,
    degree: f64,
    least: f64,
    residual: f64,
}

impl Coupled {
    /// Solves from nothing; `r` and `twist` are the result.
    pub(crate) fn solve(
        &mut self,
        system: &System,
        load: &[V6],
        (tolerance, limit): (f64, usize),
        (r, twist): (&mut Vec<V3>, &mut Vec<V6>),
        stages: &mut Stages,
    ) -> Outcome {
        let mut outcome = Outcome {
            status: Status::IterationLimit,
            balance: f64::INFINITY,
            gap: f64::INFINITY,
            ..Outcome::default()
        };
        let Operator::Bodies(bodies) = &system.operator else {
            return outcome;
        };
        let mut lowest = f64::INFINITY;
        for pace in TUNING.paces {
            let done = outcome.iterations;
            let last = self.follow(
                system,
                bodies,
                load,
                (tolerance, limit),
                pace,
                twist,
                (&mut lowest, &mut outcome),
            );
            (outcome.status, outcome.iterations) = (last.status, done + last.iterations);
            stages.push(SolverStage {
                kind: SolverStageKind::AtRestCoulomb(pace),
                outcome: last.status.into(),
                residual: Some(last.balance),
                iterations: last.iterations,
            });
            // What is close enough already another pace would only follow again.
            if last.status == Status::Solved || lowest <= TUNING.enough || lowest > TUNING.close || system.stop.is_set()
            {
                break;
            }
        }
        r.clone_from(&self.best.0);
        twist.clone_from(&self.best.1);
        outcome
    }

    /// Follows the path once, and keeps the point with the least residual among this and former attempts.
    #[allow(clippy::too_many_arguments, reason = "the state of one attempt among several")]
    fn follow(
        &mut self,
        system: &System,
        bodies: &Bodies,
        load: &[V6],
        (tolerance, limit): (f64, usize),
        pace: f64,
        twist: &mut Vec<V6>,
        (least, found): (&mut f64, &mut Outcome),
    ) -> Outcome {
        let mut outcome = Outcome {
            status: Status::IterationLimit,
            ..Outcome::default()
        };
        self.prepare(system, bodies);
        twist.clear();
        twist.resize(bodies.mass.len(), [0.0; 6]);
        let size = load.iter().zip(&bodies.inverse).map(|(l, i)| dot6(&times6(i, l), l));
        let size = size.sum::<f64>().max(f64::MIN_POSITIVE);
        let degree = system.cones.iter().filter(|c| is_bounded(**c)).count().max(1) as f64;
        let (mut lowest, mut stalled) = (f64::INFINITY, 0);
        loop {
            let centre = self.points.iter().map(Point::product).sum::<f64>() / degree;
            let round = TUNING.rounding * centre.min(1.0).powi(2);
            self.measure(bodies, twist, round);
            let balance = (self.balance(bodies, load) / size).sqrt();
            let farthest = twist.iter().flatten().fold(0.0, |a: f64, b| a.max(b.abs()));
            let scale = farthest.clamp(1.0, TUNING.wide_motion);
            let residual = self.points.iter().map(Point::residual).fold(0.0, f64::max) / scale;
            let merit = balance.max(residual).max(centre / scale);
            if !(balance.is_finite() && residual.is_finite() && centre.is_finite()) {
                outcome.status = Status::NumericalError;
                break;
            }
            stalled = if merit < 0.9 * lowest { 0 } else { stalled + 1 };
            lowest = lowest.min(merit);
            if merit < *least {
                *least = merit;
                (found.balance, found.gap) = (balance, residual.max(centre / scale));
                self.best.0.clear();
                self.best.0.extend(self.points.iter().map(|p| p.r));
                self.best.1.clone_from(twist);
            }
            // The products must fall well below what is asked: where both factors are small, both have to be known.
            if merit <= tolerance && centre <= tolerance * 1e-2 {
                outcome.status = Status::Solved;
                break;
            }
            if farthest > TUNING.farthest_motion || stalled >= if lowest <= TUNING.enough { 4 } else { TUNING.patience }
            {
                outcome.status = Status::Inaccurate;
                break;
            }
            if outcome.iterations >= limit || system.stop.is_set() {
                break;
            }
            outcome.iterations += 1;
            let aim = Aim {
                centre,
                degree,
                least: (pace * centre).max(tolerance * 1e-4),
                residual: balance.max(residual),
            };
            let Some(step) = self.advance(bodies, twist, &aim) else {
                outcome.status = Status::NumericalError;
                break;
            };
            if step < 1e-10 {
                outcome.status = Status::Inaccurate;
                break;
            }
        }
        outcome.balance = lowest;
        outcome
    }

    fn prepare(&mut self, system: &System, bodies: &Bodies) {
        let start = |i: usize| Point::new(system.cones[i], system.q[i], system.compliance[i]);
        self.points.clear();
        self.points.extend((0..system.len()).map(start));
        self.stiffness.resize(bodies.len(), [[0.0; 6]; 6]);
        self.wrench.resize(bodies.len(), [0.0; 6]);
        self.moved.resize(system.len(), [0.0; 3]);
        let edge = |p: usize| bodies.pairs[p].bodies;
        self.matrix.prepare(bodies.mass.len(), (0..bodies.len()).map(edge));
    }

    /// What the motions leave of the law of each joint.
    fn measure(&mut self, bodies: &Bodies, twist: &[V6], round: f64) {
        bodies.relative(twist, &mut self.wrench, &mut self.moved);
        let moved = &self.moved;
        parallel::for_each(&mut self.points, |i, point| point.measure(&moved[i], round));
    }

    /// What forces leave of the loads, `D r + load`, in `right`; its square by H^-1.
    fn balance(&mut self, bodies: &Bodies, load: &[V6]) -> f64 {
        self.gather(bodies, |point| point.r);
        let wrench = &self.wrench;
        self.right.clear();
        self.right.extend(load.iter().enumerate().map(|(b, load)| {
            let given = bodies.on_body(b, wrench);
            std::array::from_fn(|k| given[k] + load[k])
        }));
        let square = |(x, inverse)| dot6(&times6(inverse, x), x);
        self.right.iter().zip(&bodies.inverse).map(square).sum()
    }

    /// Wrench of each pair for forces at its points.
    fn gather(&mut self, bodies: &Bodies, of: impl Fn(&Point) -> V3 + Sync) {
        let points = &self.points;
        parallel::for_each(&mut self.wrench, |p, wrench| {
            *wrench = [0.0; 6];
            for i in bodies.constraints(p) {
                gather_wrench(wrench, &bodies.jacobian[i], &of(&points[i]));
            }
        });
    }

    /// Takes a step of Mehrotra's kind, and tells how long it was.
    fn advance(&mut self, bodies: &Bodies, twist: &mut [V6], aim: &Aim) -> Option<f64> {
        let Aim { centre, degree, .. } = *aim;
        parallel::for_each(&mut self.points, |_, point| point.predict());
        self.assemble(bodies)?;
        self.solve_step(bodies)?;
        let affine = longest_of(&self.points).min(1.0);
        let after: f64 = self.points.iter().map(|p| p.product_after(affine)).sum::<f64>() / degree;
        let sigma = (after / centre).clamp(0.0, 1.0).powi(3);
        // The path is that of r.z: it must not be left behind by the residual of the joints' law.
        let target = (sigma * centre)
            .max((TUNING.lag * aim.residual).min(centre))
            .max(aim.least);
        parallel::for_each(&mut self.points, |_, point| point.correct(target));
        self.solve_step(bodies)?;
        let step = (TUNING.fraction_to_boundary * longest_of(&self.points)).min(1.0);
        parallel::for_each(&mut self.points, |_, point| point.advance(step));
        for (twist, moved) in twist.iter_mut().zip(&self.step) {
            twist.iter_mut().zip(moved).for_each(|(x, y)| *x += step * y);
        }
        Some(step)
    }

    fn assemble(&mut self, bodies: &Bodies) -> Option<()> {
        let points = &self.points;
        parallel::for_each(&mut self.stiffness, |p, stiffness| {
            *stiffness = [[0.0; 6]; 6];
            for i in bodies.constraints(p) {
                points[i].stiffen(&bodies.jacobian[i], stiffness);
            }
        });
        self.matrix.clear();
        add_stiffness(&mut self.matrix, bodies, &self.stiffness);
        self.matrix.factor()
    }

    /// Finds the step for the last p.
    fn solve_step(&mut self, bodies: &Bodies) -> Option<()> {
        self.gather(bodies, Point::load);
        let wrench = &self.wrench;
        self.step.clear();
        self.step.extend(self.right.iter().enumerate().map(|(b, right)| {
            let given = bodies.on_body(b, wrench);
            std::array::from_fn(|k| given[k] + right[k])
        }));
        self.matrix.solve(self.step.as_flattened_mut())?;
        self.set_steps(bodies);
        // What rounding left of the balance, once more: the joints differ in stiffness by many orders.
        self.gather(bodies, |point| point.dr);
        let wrench = &self.wrench;
        self.remainder.clear();
        self.remainder.extend(self.right.iter().enumerate().map(|(b, right)| {
            let given = bodies.on_body(b, wrench);
            std::array::from_fn(|k| given[k] + right[k])
        }));
        self.matrix.solve(self.remainder.as_flattened_mut())?;
        for (step, remainder) in self.step.iter_mut().zip(&self.remainder) {
            step.iter_mut().zip(remainder).for_each(|(x, y)| *x += y);
        }
        self.set_steps(bodies);
        Some(())
    }

    /// Sets the step of each point from that of the bodies.
    fn set_steps(&mut self, bodies: &Bodies) {
        bodies.relative(&self.step, &mut self.wrench, &mut self.moved);
        let moved = &self.moved;
        parallel::for_each(&mut self.points, |i, point| point.set_step(&moved[i]));
    }
}

/// Unsymmetric 3x3 matrix, by rows.
type Rows = [[f64; 3]; 3];

/// Adds J' Theta J of the first rows of a joint to a stiffness.
fn stiffen(theta: &Rows, rows: usize, jacobian: &[V6; 3], sum: &mut M6) {
    for k in 0..rows {
        let mut weighted = [0.0; 6];
        for l in 0..rows {
            for c in 0..6 {
                weighted[c] += theta[k][l] * jacobian[l][c];
            }
        }
        for r in 0..6 {
            for c in 0..6 {
                sum[r][c] += jacobian[k][r] * weighted[c];
            }
        }
    }
}

/// Adds the stiffness of each pair to the matrix of all bodies.
fn add_stiffness(matrix: &mut Unsymmetric, bodies: &Bodies, stiffness: &[M6]) {
    for (p, stiffness) in stiffness.iter().enumerate() {
        let pair = &bodies.pairs[p];
        for rows in 0..2 {
            for columns in 0..2 {
                let [i, j] = [pair.bodies[rows], pair.bodies[columns]];
                if i == NONE || j == NONE {
                    continue;
                }
                let sign = if rows == columns { 1.0 } else { -1.0 };
                let block = transported(stiffness, &pair.arms[rows], &pair.arms[columns]);
                matrix.add(p, (rows, columns), (i, j), sign, &block);
            }
        }
    }
}

/// Whether a constraint has a cone to stay in.
fn is_bounded(cone: Cone) -> bool {
    cone != Cone::Bilateral
}
