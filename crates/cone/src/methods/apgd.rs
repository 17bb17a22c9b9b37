//! Accelerated projected gradient (Nesterov; Mazhar, Heyn, Negrut and Tasora, 2015) with restart (O'Donoghue and Candes,
//! 2015), for
//!
//! ```text
//! min f(r) = r.(N + E)r/2 + (q + s n).r    over r_i in K_i,        gradient g = u + s n
//!
//! r+     = P_K(y - t P^-1 g(y))                      P: one number for each constraint
//! t      is halved until f(r+) <= f(y) + g(y).(r+ - y) + |r+ - y|^2 / 2t by P, and grows a little in every iteration
//! theta+ = (-theta^2 + theta sqrt(theta^2 + 4)) / 2,    beta = theta (1 - theta) / (theta^2 + theta+)
//! y      = r+ + beta (r+ - r);   y = r+ and theta = 1 where g(y).(r+ - r) > 0
//! ```
//!
//! f is quadratic: the test on t is that of the curvature along r+ - y, and u at y follows from u at r+ and r, so an
//! iteration needs one product with N. For Coulomb friction `outer` gives s.

use super::{
    Method, Plan, Report, State,
    outer::{Convex, Outer, set_preconditioner, sums},
};
use crate::{
    cone::{V3, dot, sub},
    parallel,
    settings::{Friction, SolverSettings},
    solution::Status,
    system::{System, Work},
};

const TUNING: crate::tuning::Apgd = crate::Tuning::DEFAULT.apgd;

/// The method, with the memory that it uses again.
#[derive(Debug, Default)]
pub(crate) struct Apgd {
    outer: Outer,
    descent: Descent,
}

#[derive(Debug, Default)]
struct Descent {
    /// P.
    p: Vec<f64>,
    y: Vec<V3>,
    /// u at y.
    uy: Vec<V3>,
    /// r+.
    next: Vec<V3>,
    /// u at r+.
    u_next: Vec<V3>,
    best: Vec<V3>,
    work: Work,
    partial: Vec<[f64; 5]>,
}

impl Descent {
    fn solve(&mut self, system: &System, convex: &Convex<'_>, state: &mut State) -> Report {
        self.next.resize(system.len(), [0.0; 3]);
        self.u_next.resize(system.len(), [0.0; 3]);
        system.velocity(&state.r, &mut self.work, &mut state.u);
        self.y.clone_from(&state.r);
        self.uy.clone_from(&state.u);
        self.best.clone_from(&state.r);
        let (mut theta, mut t) = (1.0_f64, 1.0);
        let (mut best, mut reference) = (f64::INFINITY, f64::INFINITY);
        let (mut found, mut iterations) = (0, 0);
        let status = loop {
            let last = iterations >= convex.limit || system.stop.is_set();
            if iterations % TUNING.check_every == 0 || last {
                let merit = convex.merit(system, &state.r, &state.u, &mut self.partial);
                if merit.is_nan() {
                    break Status::NumericalError;
                }
                if merit < best {
                    best = merit;
                    self.best.copy_from_slice(&state.r);
                }
                if merit < 0.9 * reference {
                    (reference, found) = (merit, iterations);
                }
                if merit <= convex.tolerance {
                    break Status::Solved;
                }
            }
            if last {
                break Status::IterationLimit;
            }
            if iterations - found >= TUNING.patience {
                break Status::Inaccurate;
            }
            iterations += 1;
            let uphill = self.advance(system, convex, state, &mut t);
            let square = theta * theta;
            let theta_next = 0.5 * (theta * (square + 4.0).sqrt() - square);
            let mut beta = theta * (1.0 - theta) / (square + theta_next);
            theta = theta_next;
            if uphill {
                (beta, theta) = (0.0, 1.0);
            }
            let (next, u_next, r, u) = (&self.next, &self.u_next, &state.r, &state.u);
            parallel::for_each2(&mut self.y, &mut self.uy, |i, y, uy| {
                for k in 0..3 {
                    y[k] = next[i][k] + beta * (next[i][k] - r[i][k]);
                    uy[k] = u_next[i][k] + beta * (u_next[i][k] - u[i][k]);
                }
            });
            std::mem::swap(&mut state.r, &mut self.next);
            std::mem::swap(&mut state.u, &mut self.u_next);
            t /= TUNING.growth;
        };
        state.r.copy_from_slice(&self.best);
        Report {
            status,
            iterations,
            residual: Some(best),
            ..Report::default()
        }
    }

    /// The step from y to r+, with t short enough. Returns whether g(y) points along r+ - r.
    fn advance(&mut self, system: &System, convex: &Convex<'_>, state: &State, t: &mut f64) -> bool {
        let n = system.len();
        loop {
            let (p, y, uy) = (&self.p, &self.y, &self.uy);
            let length = *t;
            parallel::for_each(&mut self.next, |i, next| {
                let g = convex.gradient(i, &uy[i]);
                *next = system.cones[i].project(&std::array::from_fn(|k| y[i][k] - length / p[i] * g[k]));
            });
            system.velocity(&self.next, &mut self.work, &mut self.u_next);
            let (next, u_next, r) = (&self.next, &self.u_next, &state.r);
            let [curvature, step, size, along, _] = sums(n, &mut self.partial, |i| {
                let step = sub(&next[i], &y[i]);
                [
                    dot(&sub(&u_next[i], &uy[i]), &step),
                    p[i] * dot(&step, &step),
                    p[i] * dot(&next[i], &next[i]),
                    dot(&convex.gradient(i, &uy[i]), &sub(&next[i], &r[i])),
                    0.0,
                ]
            });
            // Steps that are nothing but rounding say nothing about the curvature. A NaN is not too steep: it ends the loop.
            let too_steep = curvature * length > step * (1.0 + 1e-9);
            if too_steep && step > 1e-24 * size && length > 1e-12 {
                *t *= 0.5;
            } else {
                return along > 0.0;
            }
        }
    }
}

impl Method for Apgd {
    fn plan(&self, _: Friction) -> Plan {
        Plan::alone(TUNING.iterations)
    }

    fn prepare(&mut self, system: &System) {
        set_preconditioner(system, &mut self.descent.p);
    }

    fn solve(&mut self, system: &System, settings: &SolverSettings, limit: usize, state: &mut State) -> Report {
        let descent = &mut self.descent;
        self.outer.solve(system, settings, limit, state, |convex, state| {
            descent.solve(system, convex, state)
        })
    }
}
