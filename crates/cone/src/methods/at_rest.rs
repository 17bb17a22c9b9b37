//! Forces that balance loads on bodies at rest, by the passes of the interior-point method.
//!
//! ```text
//! minimise r.E r/2 + q.r    over r_i in K_i with D r + load = 0
//! ```
//!
//! The multipliers of the balance are small motions w of the bodies, with `u = D' w + q + E r` in the dual cones. That is
//! the problem of a time step without mass; a trace of the mass is kept in the matrix alone, where it holds bodies that
//! nothing else holds, and taken back with what else is unbalanced in each iteration.

use super::{interior::Inner, outer::Convex};
use crate::{
    cone::V3,
    newton::Newton,
    parallel,
    solution::Status,
    system::{Bodies, Operator, System, V6, dot6, times6},
};

const TUNING: crate::tuning::AtRest = crate::Tuning::DEFAULT.at_rest;

/// The method, and its memory.
#[derive(Debug, Default)]
pub(crate) struct AtRest {
    newton: Newton,
    inner: Inner,
    load: Vec<V6>,
    wrench: Vec<V6>,
    vector: Vec<f64>,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) status: Status,
    pub(crate) iterations: usize,
    /// What is left of the loads, by H^-1, over the loads.
    pub(crate) balance: f64,
    /// Bound of the gap between the energy and its least value, over the work of the loads.
    pub(crate) gap: f64,
}

impl AtRest {
    /// Takes in a system whose structure, offsets and compliance are set; its masses become a trace.
    pub(crate) fn prepare(&mut self, system: &mut System) {
        if let Operator::Bodies(bodies) = &mut system.operator {
            parallel::for_each(&mut bodies.mass, |_, mass| {
                mass.as_flattened_mut().iter_mut().for_each(|x| *x *= TUNING.mass_trace);
            });
        }
        self.newton.prepare(system);
        self.newton.make_room_for(system);
        self.inner.prepare(system);
    }

    /// Solves from forces `r` and motions `twist`; both are replaced. `start` is the first mu for each body of a solve from
    /// nothing; none where they are a guess.
    pub(crate) fn solve(
        &mut self,
        system: &System,
        load: &[V6],
        start: Option<f64>,
        (tolerance, limit): (f64, usize),
        r: &mut [V3],
        twist: &mut Vec<V6>,
    ) -> Outcome {
        let Operator::Bodies(bodies) = &system.operator else {
            return Outcome::default();
        };
        self.load.clear();
        self.load.extend_from_slice(load);
        let convex = Convex {
            by_velocity: true,
            again: false,
            shift: &[],
            tolerance,
            local: f64::INFINITY,
            limit,
        };
        let mean = 1.0;
        let n = system.len().max(1) as f64;
        let degree: f64 = system.cones.iter().map(|cone| cone.degree()).sum::<f64>().max(1.0);
        self.place(system, bodies, &convex, r, twist);
        let Self { newton, inner, .. } = self;
        let mut sums = inner.advance(newton, system, &convex, None, mean);
        let size = self.size(bodies);
        let centre = match start {
            None => (TUNING.warm_start * sums.gap / n).max(1e-12),
            Some(start) => start * load.len().max(1) as f64,
        };
        self.inner
            .bundles
            .each(&mut self.inner.blocks, &super::passes::Start { centre });
        sums = self.inner.advance(&self.newton, system, &convex, None, mean);
        self.balance(bodies);
        self.inner.keep(twist);
        let mut outcome = Outcome {
            status: Status::IterationLimit,
            balance: f64::INFINITY,
            gap: f64::INFINITY,
            ..Outcome::default()
        };
        let (mut lowest, mut stalled) = (f64::INFINITY, 0);
        while outcome.iterations < limit && !system.stop.is_set() {
            outcome.iterations += 1;
            let centre = sums.product / degree;
            let Ok(steps) = self.inner.step(&mut self.newton, system, (centre, degree), TUNING.aim) else {
                outcome.status = Status::NumericalError;
                break;
            };
            // Whether steps of their own gain anything here, as they do in time steps, was not measured.
            let steps = steps.together();
            for (twist, moved) in twist.iter_mut().zip(&self.newton.twist) {
                twist.iter_mut().zip(moved).for_each(|(x, y)| *x += steps.impulse * y);
            }
            sums = self.inner.advance(&self.newton, system, &convex, Some(steps), mean);
            let left = self.balance(bodies);
            let work: f64 = self.load.iter().zip(twist.iter()).map(|(l, w)| dot6(l, w)).sum();
            let balance = (left / size).sqrt();
            // At a solution the work is that of the offsets and twice the energy of what yields. Where springs are compressed
            // already, offsets are negative and the two cancel: the gap is measured by the larger.
            let gap = sums.gap / work.abs().max(sums.offsets.abs()).max(f64::MIN_POSITIVE);
            let merit = balance.max(gap);
            if merit.is_nan() {
                outcome.status = Status::NumericalError;
                break;
            }
            stalled = if merit < 0.9 * lowest { 0 } else { stalled + 1 };
            if merit < lowest {
                lowest = merit;
                (outcome.balance, outcome.gap) = (balance, gap);
                self.inner.keep(twist);
            }
            if merit <= tolerance {
                outcome.status = Status::Solved;
                break;
            }
            if work > TUNING.falling_work * (sums.offsets.abs() + size.sqrt()) {
                outcome.status = Status::Infeasible;
                self.inner.keep(twist);
                break;
            }
            if steps.impulse < 1e-10 || stalled >= TUNING.patience {
                outcome.status = Status::Inaccurate;
                break;
            }
        }
        self.inner.export(r, |k, _, best| best[k]);
        twist.clear();
        twist.extend_from_slice(&self.inner.best_twist);
        outcome
    }

    /// Takes in forces and motions.
    fn place(&mut self, system: &System, bodies: &Bodies, convex: &Convex<'_>, r: &[V3], twist: &mut Vec<V6>) {
        twist.resize(bodies.mass.len(), [0.0; 6]);
        let u = &mut self.inner.u;
        u.resize(system.len(), [0.0; 3]);
        bodies.relative(twist, &mut self.wrench, u);
        parallel::for_each(u, |i, u| {
            for k in 0..3 {
                u[k] += system.q[i][k] + system.compliance[i][k] * r[i][k];
            }
        });
        let (u, constraints) = (&self.inner.u, &self.inner.bundles.constraints);
        parallel::for_each(&mut self.inner.blocks, |k, block| {
            block.place(&constraints[k], convex, r, u);
        });
    }

    /// Square of the loads by H^-1.
    fn size(&self, bodies: &Bodies) -> f64 {
        let square = |(load, inverse)| dot6(&times6(inverse, load), load);
        let sum: f64 = self.load.iter().zip(&bodies.inverse).map(square).sum();
        sum.max(f64::MIN_POSITIVE)
    }

    /// What forces leave of the loads; its square by H^-1. The trace of mass holds nothing back: it only shortens steps.
    fn balance(&mut self, bodies: &Bodies) -> f64 {
        self.newton.take_wrenches(&self.inner.bundles);
        let (load, newton) = (&self.load, &self.newton);
        self.inner.unbalanced.resize(load.len(), [0.0; 6]);
        parallel::for_each(&mut self.inner.unbalanced, |b, left| {
            let given = newton.on_body(bodies, b);
            *left = std::array::from_fn(|k| -given[k] - load[b][k]);
        });
        let left = &self.inner.unbalanced;
        let square = |b: usize| dot6(&times6(&bodies.inverse[b], &left[b]), &left[b]);
        parallel::sum(left.len(), &mut self.vector, square)
    }
}
