//! Preconditioned spectral projected gradient with fall-back, P-SPG-FB (Beatini, Royer-Carfagni and Tasora, sections 2.4
//! to 2.6; Heyn, Anitescu, Tasora and Negrut, 2013; Birgin, Martinez and Raydan, 2000), for
//!
//! ```text
//! min f(r) = r.(N + E)r/2 + (q + s n).r    over r_i in K_i,        gradient g = (N + E) r + q + s n = u + s n
//!
//! d      = P_K(r - alpha P^-1 g) - r                 P: one number for each constraint
//! r     += lambda d                                  lambda: f is at most the worst of the last values, less a part of g.d
//! alpha  = d.Pd / d.(N + E)d,   d.(N + E)d / |(N + E)d|^2 by P^-1,   in turn (Barzilai and Borwein)
//! ```
//!
//! f is quadratic, so one product (N + E) d gives f, g and the best lambda on the whole way. Iterates may get worse for
//! a while: the best one, by the projected gradient, is kept and returned where the tolerance is not met. For Coulomb
//! friction `outer` gives s.

use super::{
    Method, Plan, Report, State,
    outer::{Convex, Outer, projected_step, set_preconditioner, sums},
};
use crate::{
    cone::{V3, dot, sub},
    parallel,
    settings::{Friction, SolverSettings},
    solution::Status,
    system::{System, Work},
};

const TUNING: crate::tuning::Spg = crate::Tuning::DEFAULT.spg;

/// The method, with the memory that it uses again.
#[derive(Debug, Default)]
pub(crate) struct Spg {
    outer: Outer,
    descent: Descent,
}

#[derive(Debug, Default)]
struct Descent {
    /// P.
    p: Vec<f64>,
    /// d.
    step: Vec<V3>,
    /// (N + E) d.
    image: Vec<V3>,
    best: Vec<V3>,
    work: Work,
    partial: Vec<[f64; 5]>,
}

impl Descent {
    /// Velocities afresh, and f.
    fn refresh(&mut self, system: &System, convex: &Convex<'_>, state: &mut State) -> f64 {
        system.velocity(&state.r, &mut self.work, &mut state.u);
        let (r, u) = (&state.r, &state.u);
        let [twice, ..] = sums(system.len(), &mut self.partial, |i| {
            let q = &system.q[i];
            let mean = [u[i][0] + q[0], u[i][1] + q[1], u[i][2] + q[2]];
            [
                dot(&r[i], &mean) + 2.0 * convex.shift_of(i) * r[i][0],
                0.0,
                0.0,
                0.0,
                0.0,
            ]
        });
        0.5 * twice
    }

    fn solve(&mut self, system: &System, convex: &Convex<'_>, state: &mut State) -> Report {
        let n = system.len();
        self.step.resize(n, [0.0; 3]);
        self.image.resize(n, [0.0; 3]);
        self.best.clone_from(&state.r);
        let mut f = self.refresh(system, convex, state);
        let mut history = [f; TUNING.memory];
        let mut alpha = 1.0;
        let (mut best, mut reference) = (f64::INFINITY, f64::INFINITY);
        let (mut found, mut iterations) = (0, 0);
        let status = loop {
            let (p, r, u) = (&self.p, &state.r, &state.u);
            let [residual, ..] = sums(n, &mut self.partial, |i| {
                let step = projected_step(system.cones[i], &r[i], &convex.gradient(i, &u[i]), p[i]);
                [p[i] * dot(&step, &step), 0.0, 0.0, 0.0, 0.0]
            });
            if residual.is_nan() {
                break Status::NumericalError;
            }
            if residual < best {
                best = residual;
                self.best.copy_from_slice(&state.r);
            }
            if residual < 0.8 * reference {
                (reference, found) = (residual, iterations);
            }
            let stuck = residual == 0.0 || iterations - found >= TUNING.patience;
            let last = stuck || iterations >= convex.limit || system.stop.is_set();
            if (iterations % TUNING.check_every == 0 || last)
                && convex.merit(system, &state.r, &state.u, &mut self.partial) <= convex.tolerance
            {
                // The merit must hold for what the impulses cause, not for what was kept up to date.
                f = self.refresh(system, convex, state);
                if convex.merit(system, &state.r, &state.u, &mut self.partial) <= convex.tolerance {
                    self.best.copy_from_slice(&state.r);
                    break Status::Solved;
                }
            }
            if stuck {
                break Status::Inaccurate;
            }
            if last {
                break Status::IterationLimit;
            }
            iterations += 1;
            let ([descent, step, curvature, image, _], lambda) =
                self.advance(system, convex, state, alpha, f, &history);
            if step == 0.0 || curvature.is_nan() {
                // Rounding leaves no step of this length: the next tries another.
                alpha = if alpha == 1.0 { 0.1 } else { 1.0 };
                continue;
            }
            f += lambda * (descent + 0.5 * lambda * curvature);
            if iterations % TUNING.refresh_every == 0 {
                f = self.refresh(system, convex, state);
            }
            history[iterations % TUNING.memory] = f;
            let spectral = if iterations % 2 == 0 {
                step / curvature
            } else {
                curvature / image
            };
            alpha = if curvature > 0.0 {
                spectral.clamp(TUNING.step_range[0], TUNING.step_range[1])
            } else {
                TUNING.step_range[1]
            };
        };
        for ((r, best), cone) in state.r.iter_mut().zip(&self.best).zip(&system.cones) {
            *r = cone.project(best);
        }
        Report {
            status,
            iterations,
            // The projected gradient is what it descends by: its root is the residual.
            residual: Some(best.sqrt()),
            ..Report::default()
        }
    }

    /// One step. Returns g.d, d.Pd, d.(N + E)d and |(N + E)d|^2 by P^-1, and lambda.
    fn advance(
        &mut self,
        system: &System,
        convex: &Convex<'_>,
        state: &mut State,
        alpha: f64,
        f: f64,
        history: &[f64; TUNING.memory],
    ) -> ([f64; 5], f64) {
        let n = system.len();
        let p = &self.p;
        let (r, u) = (&state.r, &state.u);
        parallel::for_each(&mut self.step, |i, step| {
            let g = convex.gradient(i, &u[i]);
            let goal = system.cones[i].project(&std::array::from_fn(|k| r[i][k] - alpha / p[i] * g[k]));
            *step = sub(&goal, &r[i]);
        });
        system.multiply(&self.step, &mut self.work, &mut self.image);
        let step = &self.step;
        parallel::for_each(&mut self.image, |i, image| {
            (0..3).for_each(|k| image[k] += system.compliance[i][k] * step[i][k]);
        });
        let image = &self.image;
        let products = sums(n, &mut self.partial, |i| {
            [
                dot(&convex.gradient(i, &u[i]), &step[i]),
                p[i] * dot(&step[i], &step[i]),
                dot(&step[i], &image[i]),
                dot(&image[i], &image[i]) / p[i],
                0.0,
            ]
        });
        let [descent, _, curvature, ..] = products;
        let worst = history.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let lambda = if f + descent + 0.5 * curvature <= worst + TUNING.descent * descent {
            1.0
        } else {
            // Where f is least on the way; it is not longer than one, or the whole step would have done.
            (-descent / curvature).clamp(0.0, 1.0)
        };
        parallel::for_each2(&mut state.r, &mut state.u, |i, r, u| {
            for k in 0..3 {
                r[k] += lambda * step[i][k];
                u[k] += lambda * image[i][k];
            }
        });
        (products, lambda)
    }
}

impl Method for Spg {
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
