//! Primal-dual interior point: Nesterov-Todd scaling, Mehrotra's predictor and corrector.
//!
//! The convex problem `u = N r + q + E r, r in K, u in K*, r . u = 0` is replaced by one in which a slack z stands for u
//! and `r o z = mu e`, with mu driven to zero. Newton's step for it is, with W^2 r = z and c from the predictor or
//! corrector (paper 003 gives the cone program; its solution by such methods is standard),
//!
//! ```text
//! dr = p + (W^2 + E)^-1 (z - u - E p - N dr),    p = -r + W^-1 c,    dz = u - z + (N + E) dr
//! ```
//!
//! so the cones are eliminated contact by contact and what is left is one block-sparse matrix in the velocities of the
//! bodies, with Theta = (W^2 + E)^-1. Velocities of the bodies are unknowns of their own beside the impulses: what
//! rounding leaves of the balance between the two is taken back by the next step, where velocities that were computed
//! from large impulses would have lost their digits.
//!
//! The start is the centre that belongs to r - u for a guess r. In the Jordan algebra of the cone every y is x - z with x
//! and z inside and x o z = mu e, in one way; for mu = 0 these are the projections of y on the cone and on its polar.
//! Where the guess is good and mu small, x and z are close to r and u; and they are always well centred.

use super::{
    Method, Report, State,
    direct::{self, Direct},
    outer::{Convex, Outer},
    point::{Point, Sums},
    scaling::{impulse, velocity},
};
use crate::{
    cone::{Cone, V3, dot, norm, sub, tangential},
    newton::Newton,
    parallel,
    settings::{Friction, Settings},
    solution::Status,
    system::{Operator, System, V6, Work},
};

/// How far towards the boundary a step goes.
const FRACTION: f64 = 0.99;
/// The first mu, over the mean of what the guess lacks, for problems of at most [`SMALL`] contacts. It grows with the
/// square of their number: the more bodies lean on each other, the farther is the way for those at its end. Measured on
/// walls of 205 to 5,217 blocks: small ones take 4 iterations where they would take 10 from far away, large ones 22 where
/// they would take 50 from close by.
const START: f64 = 0.3;
const SMALL: f64 = 2000.0;
const FARTHEST_START: f64 = 1000.0;
/// Gondzio's correctors after Mehrotra's, where the step is short.
const CORRECTORS: usize = 2;
/// Turns of fixed point and Newton's method for Coulomb friction.
const CYCLES: usize = 6;
/// Constraints up to which associated problems are refined by a dense method.
const MOST_TO_REFINE: usize = 200;
/// Iterations without progress after which the method gives up.
const PATIENCE: usize = 20;

/// The method, and its memory.
#[derive(Debug, Default)]
pub(crate) struct Interior {
    newton: Newton,
    outer: Outer,
    inner: Inner,
    direct: Direct,
}

/// What changes during a solve.
#[derive(Debug, Default)]
struct Inner {
    points: Vec<Point>,
    work: Work,
    u: Vec<V3>,
    /// Momentum of the bodies beyond what impulses gave them.
    unbalanced: Vec<V6>,
    old_twist: Vec<V6>,
    best: Vec<V3>,
    best_twist: Vec<V6>,
    partial: Vec<Sums>,
    partial1: Vec<f64>,
}

impl Method for Interior {
    fn solve(&mut self, system: &System, settings: &Settings, state: &mut State) -> Report {
        let Self {
            newton,
            outer,
            inner,
            direct,
        } = self;
        newton.prepare(system);
        let limit = match (settings.max_iterations, system.friction) {
            (0, Friction::Associated) => 100,
            (0, Friction::Coulomb) => 600,
            (limit, _) => limit,
        };
        let mut report = Report::default();
        for _ in 0..CYCLES {
            let left = limit.saturating_sub(report.iterations);
            let more = outer.solve(system, settings, left, state, |convex, state| {
                inner.minimise(newton, system, convex, state)
            });
            report.status = more.status;
            report.iterations += more.iterations;
            if !finish(direct, system, settings, state, &mut report) || report.iterations >= limit {
                break;
            }
        }
        let over = settings.max_iterations != 0 && report.iterations >= limit;
        let settled = matches!(report.status, Status::Solved | Status::Infeasible);
        if system.friction == Friction::Coulomb && !over && !settled && system.len() <= direct::MOST {
            let (figure, steps) = direct.leave_hollow(system, settings.tolerance, &mut state.r);
            report.iterations += steps;
            if figure <= settings.tolerance {
                report.status = Status::Solved;
            }
        }
        if system.friction == Friction::Coulomb {
            // The impulses are those of the best round, whichever that was: velocities follow from them.
            state.twist.clear();
        }
        report.factor_s = newton.factor_s;
        report.substitute_s = newton.substitute_s;
        report
    }
}

/// Where the method ended above the tolerance, Newton's method on the natural map goes on from there, if the problem is
/// small enough. Tells whether it came closer without reaching it: then another fixed point may.
pub(super) fn finish(
    direct: &mut Direct,
    system: &System,
    settings: &Settings,
    state: &mut State,
    report: &mut Report,
) -> bool {
    let limited = report.status == Status::IterationLimit && system.friction == Friction::Associated;
    if limited || matches!(report.status, Status::Solved | Status::Infeasible) {
        return false;
    }
    // The natural map of velocities that are good to the tolerance is smaller; how much, only the end tells.
    let (goal, gain, most) = match system.friction {
        Friction::Coulomb => (settings.tolerance, 1.0, direct::MOST),
        // It must be worth the velocities that were kept beside the impulses.
        Friction::Associated => (0.0, 0.5, MOST_TO_REFINE),
    };
    if system.len() > most {
        return false;
    }
    let (before, after, steps) = direct.polish(system, goal, gain, &mut state.r);
    report.iterations += steps;
    if after < before {
        // Velocities follow from the impulses again.
        state.twist.clear();
    }
    if system.friction == Friction::Coulomb && after <= settings.tolerance {
        report.status = Status::Solved;
    }
    system.friction == Friction::Coulomb && after > settings.tolerance && steps > 0
}

impl Inner {
    /// Solves one convex problem from `state.r`.
    fn minimise(&mut self, newton: &mut Newton, system: &System, convex: &Convex<'_>, state: &mut State) -> Report {
        let mean = crate::measure::mean_diagonal(system);
        let degree: f64 = system.cones.iter().map(|cone| cone.degree()).sum::<f64>().max(1.0);
        let State { r, twist, .. } = state;
        twist.clear();
        if let Operator::Bodies(bodies) = &system.operator {
            bodies.velocity_change(r, &mut self.work.wrench, twist);
        }
        self.enter(system, convex, r);
        let mut sums = self.sums(system, convex, mean);
        let mut least = sums.figure(convex, 0.0);
        self.keep(twist);
        let mut status = Status::Solved;
        let mut iterations = 0;
        if !(least <= convex.tolerance) {
            self.start(system);
            if matches!(system.operator, Operator::Matrix(_)) {
                // Velocities follow from impulses here.
                r.iter_mut().zip(&self.points).for_each(|(r, point)| *r = point.r);
                self.enter(system, convex, r);
            }
            sums = self.sums(system, convex, mean);
            newton.unbalanced(system, &mut self.points, twist, &mut self.unbalanced, |_, p| p.r);
            let (mut lowest, mut stalled) = (f64::INFINITY, 0);
            status = Status::IterationLimit;
            while iterations < convex.limit {
                iterations += 1;
                let centre = sums.product / degree;
                let Ok(step) = self.step(newton, system, centre, degree) else {
                    status = Status::NumericalError;
                    break;
                };
                let unbalanced;
                (sums, unbalanced) = self.advance(newton, system, convex, twist, step, mean);
                let figure = sums.figure(convex, unbalanced);
                if figure.is_nan() {
                    status = Status::NumericalError;
                    break;
                }
                // Progress counts if it is more than rounding.
                stalled = if figure < 0.9 * lowest { 0 } else { stalled + 1 };
                lowest = lowest.min(figure);
                if figure < least || least.is_nan() {
                    least = figure;
                    self.keep(twist);
                }
                if figure <= convex.tolerance {
                    status = Status::Solved;
                    break;
                }
                if self.proves_infeasible(system, &sums) {
                    self.keep(twist);
                    status = Status::Infeasible;
                    break;
                }
                if step < 1e-10 || stalled >= PATIENCE {
                    status = Status::Inaccurate;
                    break;
                }
            }
        }
        r.copy_from_slice(&self.best);
        twist.clear();
        twist.extend_from_slice(&self.best_twist);
        Report {
            status,
            iterations,
            ..Report::default()
        }
    }

    /// Takes in the guess.
    fn enter(&mut self, system: &System, convex: &Convex<'_>, r: &[V3]) {
        self.u.resize(system.len(), [0.0; 3]);
        system.velocity(r, &mut self.work, &mut self.u);
        self.points.resize(system.len(), Point::default());
        let u = &self.u;
        parallel::for_each(&mut self.points, |i, point| {
            point.r = r[i];
            point.u = convex.gradient(i, &u[i]);
        });
    }

    /// Remembers the best point met.
    fn keep(&mut self, twist: &[V6]) {
        self.best.clear();
        self.best.extend(self.points.iter().map(|point| point.r));
        self.best_twist.clear();
        self.best_twist.extend_from_slice(twist);
    }

    /// Moves impulses and slacks to the centre that belongs to r - u.
    fn start(&mut self, system: &System) {
        let points = &self.points;
        let lacking = |i: usize| {
            let (point, cone) = (&points[i], system.cones[i]);
            let inside = cone.project_dual(&point.u);
            let lack = norm(&sub(&inside, &point.u));
            dot(&point.r, &inside).abs() + norm(&point.r) * lack + lack * lack
        };
        let n = points.len() as f64;
        let total = parallel::sum(points.len(), &mut self.partial1, lacking);
        let far = (START * (n / SMALL).powi(2)).clamp(START, FARTHEST_START);
        let centre = (far * total / n).max(f64::MIN_POSITIVE);
        // The larger of the two roots first, so that nothing cancels.
        let split = |y: f64| {
            let large = 0.5 * (y.abs() + (y * y + 4.0 * centre).sqrt());
            if y > 0.0 {
                (large, centre / large)
            } else {
                (centre / large, large)
            }
        };
        parallel::for_each(&mut self.points, |i, point| {
            let (cone, before) = (system.cones[i], point.r);
            let y = sub(&impulse(cone, &point.r), &velocity(cone, &point.u));
            match cone {
                Cone::Friction(mu) => {
                    let t = tangential(&y);
                    let axis = if t > 0.0 { [y[1] / t, y[2] / t] } else { [1.0, 0.0] };
                    let ((xp, zp), (xm, zm)) = (split(y[0] + t), split(y[0] - t));
                    let (xt, zt) = (0.5 * (xp - xm), 0.5 * (zp - zm));
                    point.r = [0.5 * (xp + xm) / mu, xt * axis[0], xt * axis[1]];
                    point.z = [0.5 * (zp + zm) * mu, zt * axis[0], zt * axis[1]];
                }
                Cone::Unilateral => {
                    let (x, z) = split(y[0]);
                    // Whatever it does across is allowed.
                    (point.r, point.z) = ([x, 0.0, 0.0], [z, point.u[1], point.u[2]]);
                }
                Cone::Bilateral => point.z = [0.0, point.u[1], point.u[2]],
            }
            let e = &system.compliance[i];
            for k in 0..3 {
                point.u[k] += e[k] * (point.r[k] - before[k]);
            }
        });
    }

    /// Finds the next step, and how long it may be.
    fn step(&mut self, newton: &mut Newton, system: &System, centre: f64, degree: f64) -> Result<f64, ()> {
        let bodies = matches!(system.operator, Operator::Bodies(_));
        newton
            .factor(
                system,
                &mut self.points,
                #[inline(always)]
                |i, point| point.predict(system, i),
            )
            .map_err(|_| ())?;
        newton.solve(system, bodies.then_some(&self.unbalanced[..]));
        // The products r . z along the predictor, as a polynomial of the step.
        let (affine, [linear, square]) = newton.hand_out(
            system,
            &mut self.points,
            #[inline(always)]
            |i, point, moved| {
                let (dr, rest) = moved.step(&point.load());
                point.set_step(dr, rest, &moved.velocity, &system.compliance[i]);
                let linear = dot(&point.r, &point.dz) + dot(&point.dr, &point.z);
                (point.longest(system.cones[i], 1.0), [linear, dot(&point.dr, &point.dz)])
            },
            |a, b| (smaller(a.0, b.0), [a.1[0] + b.1[0], a.1[1] + b.1[1]]),
            || (1.0, [0.0; 2]),
        );
        let after = centre + affine * (linear + affine * square) / degree;
        let sigma = (after / centre).clamp(0.0, 1.0).powi(3);
        // Rounding can leave a product of nothing, or less: the aim is zero then.
        let target = if sigma * centre > 0.0 { sigma * centre } else { 0.0 };
        newton.load(
            system,
            &mut self.points,
            #[inline(always)]
            |i, point| point.correct(system, i, target),
        );
        newton.solve(system, bodies.then_some(&self.unbalanced[..]));
        let mut longest = self.take_step(newton, system);
        self.old_twist.clone_from(&newton.twist);
        for _ in 0..CORRECTORS {
            let step = (FRACTION * longest).min(1.0);
            if step > 0.9 {
                break;
            }
            let aim = (1.1 * step + 0.1).min(1.0);
            newton.load(
                system,
                &mut self.points,
                #[inline(always)]
                |i, point| point.recentre(system, i, target, aim),
            );
            newton.solve(system, bodies.then_some(&self.unbalanced[..]));
            let better = self.take_step(newton, system);
            if better < longest + 0.1 * (aim - step) {
                // Not worth it: back to what was.
                if better < longest {
                    parallel::for_each(&mut self.points, |_, point| (point.dr, point.dz, point.du) = point.old);
                    newton.twist.copy_from_slice(&self.old_twist);
                } else {
                    longest = better;
                }
                break;
            }
            longest = better;
            self.old_twist.clone_from(&newton.twist);
        }
        Ok((FRACTION * longest).min(1.0))
    }

    /// Sets the steps that the last solve gives, and tells how long they may be. The last ones are kept.
    fn take_step(&mut self, newton: &mut Newton, system: &System) -> f64 {
        newton.hand_out(
            system,
            &mut self.points,
            #[inline(always)]
            |i, point, moved| {
                let (dr, rest) = moved.step(&point.load());
                point.old = (point.dr, point.dz, point.du);
                point.set_step(dr, rest, &moved.velocity, &system.compliance[i]);
                point.longest(system.cones[i], 1.0 / FRACTION)
            },
            smaller,
            || 1.0 / FRACTION,
        )
    }

    /// Takes the step, and measures where it leads.
    fn advance(
        &mut self,
        newton: &mut Newton,
        system: &System,
        convex: &Convex<'_>,
        twist: &mut [V6],
        step: f64,
        mean: f64,
    ) -> (Sums, f64) {
        for (twist, moved) in twist.iter_mut().zip(&newton.twist) {
            twist.iter_mut().zip(moved).for_each(|(x, y)| *x += step * y);
        }
        let unbalanced = newton.unbalanced(
            system,
            &mut self.points,
            twist,
            &mut self.unbalanced,
            #[inline(always)]
            |i, point| {
                for k in 0..3 {
                    point.u[k] += step * point.du[k];
                    point.r[k] += step * point.dr[k];
                    point.z[k] += step * point.dz[k];
                }
                if system.cones[i] == Cone::Bilateral {
                    point.z[0] = 0.0;
                }
                point.r
            },
        );
        (self.sums(system, convex, mean), unbalanced)
    }

    fn sums(&mut self, system: &System, convex: &Convex<'_>, mean: f64) -> Sums {
        let points = &self.points;
        let one = |i: usize| points[i].measure(system, convex, i, mean);
        parallel::fold(points.len(), &mut self.partial, Sums::default(), one, Sums::plus)
    }

    /// Whether the impulses prove that no velocity satisfies all constraints: they move nothing, and offsets work on them.
    fn proves_infeasible(&self, system: &System, sums: &Sums) -> bool {
        let fastest = || system.q.iter().map(norm).fold(0.0, f64::max);
        -sums.offsets > 1e6 * sums.moved.sqrt() && sums.moved.sqrt() * fastest() <= -1e-9 * sums.offsets
    }
}

/// The smaller of two, or the one that is not a number.
fn smaller(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { a } else { b }
}
