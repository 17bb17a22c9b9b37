//! Semismooth Newton on proximal subproblems.
//!
//! A contact with compliance has one impulse for each relative velocity, so the problem regularised as in paper 001
//! (section 2.6) is a system of equations in the velocities alone, piecewise smooth, the gradient of a strongly convex
//! function:
//!
//! ```text
//! r = P(y),    y = c - (N r + q)
//! ```
//!
//! where P projects on K in the metric of the compliance M. Newton's method with the derivative of P, and a line search on
//! the slope of the convex function, ends after a few factorisations of `H + D Theta D'`, Theta = P'(y), where few
//! contacts change between sticking, sliding and open from one step to the next. A rigid problem is solved by the method
//! of multipliers: M = E + rho I and c = rho r of the last round, which leaves no trace of rho in the end. Where that
//! stalls, the interior-point method replaces it.

use super::{
    Method, Named, Plan, Report, State,
    outer::{Convex, Outer},
};
use crate::{
    cone::{Cone, M3, V3, add, dot, sub},
    measure::Local,
    newton::{Load, Newton, RIGID},
    parallel,
    settings::{Friction, SolverSettings},
    solution::Status,
    system::{Operator, System, Work},
};

const TUNING: crate::tuning::Semismooth = crate::Tuning::DEFAULT.semismooth;

/// One constraint.
#[derive(Clone, Copy, Debug, Default)]
struct Point {
    r: V3,
    /// N r + q.
    u: V3,
    c: V3,
    y: V3,
    /// c - y - u: zero in the end.
    h: V3,
    /// Impulses that the point y belongs to: y = c - (N s + q), and their step.
    s: V3,
    ds: V3,
    dy: V3,
    /// Where a line search started.
    from: V3,
    theta: M3,
}

/// The method, and its memory.
#[derive(Debug, Default)]
pub(crate) struct Semismooth {
    newton: Newton,
    outer: Outer,
    inner: Inner,
}

#[derive(Debug, Default)]
struct Inner {
    points: Vec<Point>,
    work: Work,
    r: Vec<V3>,
    u: Vec<V3>,
    best: Vec<V3>,
    partial: Vec<f64>,
    partial5: Vec<[f64; 5]>,
    local: Local,
}

impl Method for Semismooth {
    fn plan(&self, friction: Friction) -> Plan {
        Plan {
            iterations: TUNING.iterations,
            polishes: match friction {
                Friction::Associated => 0,
                Friction::Coulomb => 1,
            },
            leaves_local_minimum: false,
            fallback: Some(Named::Interior),
        }
    }

    fn prepare(&mut self, system: &System) {
        self.newton.prepare(system);
    }

    fn solve(&mut self, system: &System, settings: &SolverSettings, limit: usize, state: &mut State) -> Report {
        let Self { newton, outer, inner } = self;
        let report = outer.solve(system, settings, limit, state, |convex, state| {
            inner.minimise(newton, system, convex, state)
        });
        report.timed(newton)
    }
}

/// The metric M of one constraint by the roots of its diagonal, and K in coordinates scaled by them.
#[inline(always)]
fn metric(system: &System, rho: f64, i: usize) -> (Cone, V3) {
    let e = &system.compliance[i];
    // Across a scalar constraint nothing acts; one stands there so that nothing is divided by zero.
    let across = |e: f64| {
        if system.cones[i].friction() > 0.0 {
            (rho + e).sqrt()
        } else {
            1.0
        }
    };
    let root = [(rho + e[0]).sqrt(), across(e[1]), across(e[2])];
    match system.cones[i] {
        Cone::Friction(mu) => (Cone::Friction(mu * root[1] / root[0]), root),
        cone => (cone, root),
    }
}

impl Point {
    /// The impulse P(y).
    #[inline(always)]
    fn project(&mut self, system: &System, rho: f64, i: usize) {
        let (cone, root) = metric(system, rho, i);
        let p = cone.project(&std::array::from_fn(|k| self.y[k] / root[k]));
        self.r = std::array::from_fn(|k| p[k] / root[k]);
    }

    /// Its derivative, or the inverse for an explicit matrix, and what Newton's step solves for.
    #[inline(always)]
    fn linearise(&mut self, system: &System, rho: f64, i: usize) -> Load {
        let (cone, root) = metric(system, rho, i);
        let y = std::array::from_fn(|k| self.y[k] / root[k]);
        self.theta = match &system.operator {
            Operator::Bodies(_) => {
                let d = cone.derivative(&y);
                std::array::from_fn(|r| std::array::from_fn(|c| d[r][c] / (root[r] * root[c])))
            }
            Operator::Matrix(_) => {
                let d = cone.derivative_inverse(&y, RIGID / (root[0] * root[0]));
                std::array::from_fn(|r| std::array::from_fn(|c| d[r][c] * (root[r] * root[c])))
            }
        };
        Load {
            theta: self.theta,
            p: [0.0; 3],
            t: self.h,
        }
    }
}

impl Inner {
    /// Solves one convex problem from `state.r`.
    fn minimise(&mut self, newton: &mut Newton, system: &System, convex: &Convex<'_>, state: &mut State) -> Report {
        let n = system.len();
        self.r.resize(n, [0.0; 3]);
        self.u.resize(n, [0.0; 3]);
        self.points.resize(n, Point::default());
        self.local.prepare(system);
        let r = &mut state.r;
        state.twist.clear();
        self.best.clear();
        self.best.extend_from_slice(r);
        let mut rho = if system.yields(TUNING.compliant) {
            0.0
        } else {
            TUNING.first_proximal
        };
        let (mut least, mut iterations, mut status) = (f64::INFINITY, 0, Status::Inaccurate);
        loop {
            system.velocity(r, &mut self.work, &mut self.u);
            let merit = convex.merit(system, r, &self.u, &mut self.partial5);
            if merit.is_nan() {
                status = Status::NumericalError;
                break;
            }
            let progress = merit < 0.9 * least;
            if merit < least {
                least = merit;
                self.best.copy_from_slice(r);
            }
            if merit <= convex.tolerance {
                // What is lost in the sums is left to the fallback.
                let is_local = convex.local.is_finite();
                let worst = is_local.then(|| {
                    self.local
                        .measure(system, system.friction, r, &self.u, &self.work.twist, None)
                });
                if worst.is_none_or(|worst| worst <= convex.local) {
                    status = Status::Solved;
                }
                break;
            }
            if iterations >= convex.limit || system.stop.is_set() {
                status = Status::IterationLimit;
                break;
            }
            if iterations >= TUNING.steps || (iterations > 0 && !progress && rho <= TUNING.least_proximal) {
                break;
            }
            let u = &self.u;
            parallel::for_each(&mut self.points, |i, point| {
                let e = &system.compliance[i];
                point.r = r[i];
                point.u = std::array::from_fn(|k| u[i][k] - e[k] * r[i][k]);
                point.c = [rho * r[i][0] - convex.shift_of(i), rho * r[i][1], rho * r[i][2]];
                point.y = sub(&point.c, &point.u);
                point.s = r[i];
            });
            let done = self.round(newton, system, rho, convex, convex.limit - iterations);
            iterations += done;
            for (r, point) in r.iter_mut().zip(&self.points) {
                *r = point.r;
            }
            if done == 0 {
                break;
            }
            rho = if rho == 0.0 {
                0.0
            } else {
                (rho * TUNING.shrink).max(TUNING.least_proximal)
            };
        }
        r.copy_from_slice(&self.best);
        Report {
            status,
            iterations,
            residual: Some(least),
            ..Report::default()
        }
    }

    /// Newton's method for one round. Returns the number of its steps.
    fn round(&mut self, newton: &mut Newton, system: &System, rho: f64, convex: &Convex<'_>, left: usize) -> usize {
        parallel::for_each(&mut self.points, |i, point| point.project(system, rho, i));
        self.residual(system);
        let load = parallel::sum(system.len(), &mut self.partial, |i| dot(&system.q[i], &system.q[i])).sqrt();
        // The square of the merit is what the residual must come to, where it measures velocities.
        let enough = if convex.by_velocity {
            convex.tolerance.powi(2).max(1e-14)
        } else {
            0.1 * convex.tolerance
        };
        let most = TUNING.steps_per_round.min(left);
        for step in 0..most {
            let points = &self.points;
            let size = parallel::sum(points.len(), &mut self.partial, |i| dot(&points[i].h, &points[i].h)).sqrt();
            if size <= enough * load || size.is_nan() || system.stop.is_set() {
                return step;
            }
            if newton
                .factor(system, &mut self.points, |i, point| point.linearise(system, rho, i))
                .is_err()
            {
                return step;
            }
            newton.solve(system, None);
            let slope = newton.hand_out(
                system,
                &mut self.points,
                |_, point, moved| {
                    let load = Load {
                        theta: point.theta,
                        p: [0.0; 3],
                        t: point.h,
                    };
                    let (dr, rest) = moved.step(&load);
                    point.dy = rest;
                    point.ds = sub(&add(&point.r, &dr), &point.s);
                    point.from = point.y;
                    dot(&point.h, &point.ds)
                },
                |a, b| a + b,
                || 0.0,
            );
            self.search(system, rho, slope);
        }
        most
    }

    /// Moves along dy until the slope of the convex function is small against the first.
    fn search(&mut self, system: &System, rho: f64, slope: f64) {
        let (mut low, mut high) = ((0.0, slope), None);
        let mut step = 1.0;
        for _ in 0..8 {
            parallel::for_each(&mut self.points, |i, point| {
                point.y = std::array::from_fn(|k| point.from[k] + step * point.dy[k]);
                point.project(system, rho, i);
            });
            self.residual(system);
            let points = &self.points;
            let here = parallel::sum(points.len(), &mut self.partial, |i| dot(&points[i].h, &points[i].ds));
            if here.abs() <= 0.5 * slope.abs() || (here <= 0.0 && high.is_none()) || here.is_nan() {
                break;
            }
            if here <= 0.0 {
                low = (step, here);
            } else {
                high = Some((step, here));
            }
            let Some(high) = high else { break };
            // The slope rises along a convex function: between the two its zero lies.
            let guess = low.0 - low.1 * (high.0 - low.0) / (high.1 - low.1);
            let width = high.0 - low.0;
            step = guess.clamp(low.0 + 0.1 * width, high.0 - 0.1 * width);
        }
        parallel::for_each(&mut self.points, |_, point| {
            for k in 0..3 {
                point.s[k] += step * point.ds[k];
            }
        });
    }

    /// u = N r + q and h = c - y - u.
    fn residual(&mut self, system: &System) {
        let points = &self.points;
        parallel::for_each(&mut self.r, |i, r| *r = points[i].r);
        system.multiply(&self.r, &mut self.work, &mut self.u);
        let u = &self.u;
        parallel::for_each(&mut self.points, |i, point| {
            for k in 0..3 {
                point.u[k] = u[i][k] + system.q[i][k];
                point.h[k] = point.c[k] - point.y[k] - point.u[k];
            }
        });
    }
}
