//! Coulomb friction by convex problems. With s_i = mu_i |u_t,i| held, the problem
//!
//! ```text
//! u = N r + q + E r,    r_i in K_i,    u_i + s_i n in K_i*,    r_i . (u_i + s_i n) = 0
//! ```
//!
//! is the convex one, min r.(N + E)r/2 + (q + s n).r over K (Acary, Cadoux, Lemarechal and Malick, 2011). A fixed point
//! over s solves Coulomb's problem: each round starts from the last, and is solved only somewhat better than s is known.
//!
//! In a time step s is known from the last one, and is corrected once. More rounds follow while the error of the velocities asks
//! for it, mixed by Anderson's method: where sliding of one contact drives another the plain fixed point swings.

use super::{Report, State, mixing::Mixing};
use crate::{
    cone::{Cone, V3, add, dot, norm, scale, sub, tangential},
    measure::{CoulombLeft, Local, coulomb_velocity_error, mean_diagonal, measure, root, velocity_error},
    parallel,
    settings::{Friction, SolverSettings},
    solution::Status,
    system::{Operator, System, V6, Work},
};

const TUNING: crate::tuning::FixedPoint = crate::Tuning::DEFAULT.fixed_point;

/// A convex problem to be solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Convex<'a> {
    /// s, to be added to the normal component of q; empty for associated friction.
    pub(crate) shift: &'a [f64],
    /// What [`Convex::merit`] must fall to.
    pub(crate) tolerance: f64,
    /// Whether that is the error of the velocities.
    pub(crate) by_velocity: bool,
    /// Whether it follows another one that was like it.
    pub(crate) again: bool,
    /// What the error of each contact and body must fall to, beside it; infinite where that is asked elsewhere.
    pub(crate) local: f64,
    /// Iterations that are left.
    pub(crate) limit: usize,
}

impl Convex<'_> {
    /// What is added to the normal velocity of a constraint.
    pub(crate) fn shift_of(&self, i: usize) -> f64 {
        self.shift.get(i).copied().unwrap_or(0.0)
    }

    /// The gradient of the energy, u + s n.
    pub(crate) fn gradient(&self, i: usize, u: &V3) -> V3 {
        [u[0] + self.shift_of(i), u[1], u[2]]
    }

    /// How far impulses, with u = N r + q + E r, are from solving it: for associated friction the method's own merit,
    /// otherwise the natural map with s as it is.
    pub(crate) fn merit(&self, system: &System, r: &[V3], u: &[V3], partial: &mut Vec<[f64; 5]>) -> f64 {
        if self.by_velocity {
            return velocity_error(system, r, |i| self.gradient(i, &u[i]), |i| u[i], partial);
        }
        let mean = mean_diagonal(system);
        let one = |i: usize| {
            let s = system.weight[i];
            let (rs, us) = (scale(&r[i], mean / s), scale(&self.gradient(i, &u[i]), s));
            let map = sub(&rs, &system.cones[i].project(&sub(&rs, &us)));
            [dot(&map, &map), (s * norm(&system.q[i])).powi(2), 0.0, 0.0, 0.0]
        };
        let [map, load, ..] = sums(system.len(), partial, one);
        root(map, load)
    }
}

/// Five sums at once, in a fixed order.
pub(crate) fn sums(n: usize, partial: &mut Vec<[f64; 5]>, f: impl Fn(usize) -> [f64; 5] + Sync + Send) -> [f64; 5] {
    parallel::fold(n, partial, [0.0; 5], f, |a, b| std::array::from_fn(|k| a[k] + b[k]))
}

/// One number for each constraint that its rows of N + E are measured by: the mean of their diagonal. Constraints are
/// scaled already so that this is one but for compliance; being one number, it leaves projections as they are.
pub(crate) fn set_preconditioner(system: &System, d: &mut Vec<f64>) {
    d.resize(system.len(), 1.0);
    parallel::for_each(d, |i, d| {
        let (w, e) = (system.diagonal(i), system.compliance[i]);
        let mean = match system.cones[i] {
            Cone::Friction(_) => (0..3).map(|k| w[k][k] + e[k]).sum::<f64>() / 3.0,
            Cone::Unilateral | Cone::Bilateral => w[0][0] + e[0],
        };
        *d = if mean > 1e-12 { mean } else { 1.0 };
    });
}

/// r - P_K(r - g / d): what a step along the gradient changes.
pub(crate) fn projected_step(cone: Cone, r: &V3, g: &V3, d: f64) -> V3 {
    sub(r, &cone.project(&add(r, &scale(g, -1.0 / d))))
}

/// The fixed point, with the memory that it uses again.
#[derive(Debug, Default)]
pub(crate) struct Outer {
    shift: Vec<f64>,
    best: Vec<V3>,
    work: Work,
    partial: Vec<[f64; 5]>,
    left: Vec<(CoulombLeft, f64)>,
    local: Local,
    /// mu |u_t| that came of s, the s of the best round, and its velocities.
    found: Vec<f64>,
    /// s, less what contacts yield under the impulses of the last round.
    offset: Vec<f64>,
    best_shift: Vec<f64>,
    best_twist: Vec<V6>,
    mixing: Mixing,
}

impl Outer {
    /// The rounds of a time step. They begin with the slip of the last step, and end when the error of the velocities is below the
    /// tolerance. Contacts yield a little, about the impulses of the last round: in the end that leaves no trace.
    fn hold_slip(
        &mut self,
        system: &System,
        settings: &SolverSettings,
        limit: usize,
        state: &mut State,
        mut solve: impl FnMut(&Convex<'_>, &mut State) -> Report,
    ) -> Report {
        self.shift.clone_from(&system.shift);
        self.found.resize(system.len(), 0.0);
        self.local.prepare(system);
        self.mixing.begin();
        let mut report = Report::default();
        let (mut best, mut reference, mut unchanged) = (f64::INFINITY, f64::INFINITY, 0);
        for round in 0.. {
            self.offset.clear();
            let yielded = system.soft.iter().zip(&state.r).map(|(soft, r)| soft * r[0]);
            self.offset
                .extend(self.shift.iter().zip(yielded).map(|(s, back)| s - back));
            let convex = Convex {
                shift: &self.offset,
                tolerance: TUNING.inner * settings.tolerance,
                by_velocity: true,
                again: round > 0,
                local: settings.local_tolerance,
                limit: limit - report.iterations,
            };
            let solved = solve(&convex, state);
            // A round that finds nothing to do still counts, or it would come for ever.
            report.iterations += solved.iterations.max(1);
            report.factor_s += solved.factor_s;
            report.substitute_s += solved.substitute_s;
            report.status = solved.status;
            self.relative(system, state);
            let (r, u, twist) = (&state.r, &state.u, &self.work.twist);
            let [error, whole] = coulomb_velocity_error(system, r, u, &mut self.left);
            let worst = self.local.measure(system, system.friction, r, u, twist, None);
            let off = error.max(worst / settings.local_tolerance * settings.tolerance);
            if off.is_nan() || solved.status == Status::NumericalError {
                report.status = Status::NumericalError;
                break;
            }
            unchanged += 1;
            if off < 0.9 * reference {
                (reference, unchanged) = (off, 0);
            }
            if off <= best || off <= settings.tolerance {
                best = off;
                self.best.clone_from(&state.r);
                self.best_shift.clone_from(&self.shift);
                self.best_twist.clone_from(&state.twist);
            }
            let is_known = whole <= settings.tolerance || round >= TUNING.corrections;
            if off <= settings.tolerance && is_known {
                report.status = Status::Solved;
                break;
            }
            if solved.status == Status::Infeasible {
                break;
            }
            if report.iterations >= limit || system.stop.is_set() {
                report.status = Status::IterationLimit;
                break;
            }
            if unchanged >= TUNING.rounds_without_gain || round >= TUNING.rounds {
                report.status = Status::Inaccurate;
                break;
            }
            for (i, found) in self.found.iter_mut().enumerate() {
                *found = system.cones[i].friction() * tangential(&u[i]);
                // Of impulse and slack one is nothing. What is open follows at once.
                if r[i][0] <= u[i][0] - system.soft[i] * r[i][0] + self.shift[i] - *found {
                    self.shift[i] = *found;
                }
            }
            self.mixing.mix(
                &mut self.shift,
                &self.found,
                &self.best_shift,
                off > TUNING.astray * best,
            );
        }
        report.residual = Some(best);
        // The impulses that prove a problem to have no solution are far from any.
        if report.status != Status::Infeasible && best.is_finite() {
            state.r.clone_from(&self.best);
            state.twist.clone_from(&self.best_twist);
        }
        report
    }

    /// Relative velocities by those of the bodies, where the method keeps them beside the impulses.
    fn relative(&mut self, system: &System, state: &mut State) {
        match &system.operator {
            Operator::Bodies(bodies) if !state.twist.is_empty() => {
                self.work.twist.clone_from(&state.twist);
                bodies.relative(&self.work.twist, &mut self.work.wrench, &mut state.u);
                for i in 0..system.len() {
                    for k in 0..3 {
                        state.u[i][k] += system.q[i][k] + system.compliance[i][k] * state.r[i][k];
                    }
                }
            }
            _ => system.velocity(&state.r, &mut self.work, &mut state.u),
        }
    }

    /// Solves `system` from `state.r` in at most `limit` iterations of `solve`, which solves a convex problem from
    /// `state.r` to its tolerance and leaves its best iterate there. With associated friction there is one round.
    pub(crate) fn solve(
        &mut self,
        system: &System,
        settings: &SolverSettings,
        limit: usize,
        state: &mut State,
        mut solve: impl FnMut(&Convex<'_>, &mut State) -> Report,
    ) -> Report {
        state.u.resize(system.len(), [0.0; 3]);
        if system.friction == Friction::Associated {
            let convex = Convex {
                shift: &[],
                tolerance: settings.tolerance,
                by_velocity: true,
                again: false,
                local: settings.local_tolerance,
                limit,
            };
            return solve(&convex, state);
        }
        if system.is_for_velocities() {
            return self.hold_slip(system, settings, limit, state, solve);
        }
        self.best.clone_from(&state.r);
        self.shift.resize(system.len(), 0.0);
        self.local.prepare(system);
        let mut report = Report::default();
        let (mut best, mut reference, mut unchanged) = (f64::INFINITY, f64::INFINITY, 0);
        let mut last = Status::Solved;
        let mut retried = false;
        // Without impulses the slip says nothing about that of the solution.
        let mut known = state.r.iter().any(|r| *r != [0.0; 3]);
        report.status = loop {
            system.velocity(&state.r, &mut self.work, &mut state.u);
            let merit = measure(system, &state.r, &state.u, &mut self.partial).natural_map;
            if merit.is_nan() {
                break Status::NumericalError;
            }
            unchanged += 1;
            if merit < 0.9 * reference {
                (reference, unchanged) = (merit, 0);
            }
            if merit < best {
                best = merit;
                self.best.copy_from_slice(&state.r);
            }
            let is_near = merit <= settings.tolerance;
            if is_near {
                let twist = &self.work.twist;
                if self
                    .local
                    .measure(system, system.friction, &state.r, &state.u, twist, None)
                    <= settings.local_tolerance
                {
                    self.best.copy_from_slice(&state.r);
                    break Status::Solved;
                }
            }
            if report.iterations >= limit || system.stop.is_set() {
                break Status::IterationLimit;
            }
            if last == Status::NumericalError {
                break last;
            }
            if unchanged >= TUNING.patience {
                break Status::Inaccurate;
            }
            let u = &state.u;
            parallel::for_each(&mut self.shift, |i, shift| {
                *shift = if known {
                    system.cones[i].friction() * tangential(&u[i])
                } else {
                    0.0
                };
            });
            known = true;
            let convex = Convex {
                shift: &self.shift,
                tolerance: if is_near {
                    TUNING.tighten * merit
                } else {
                    (TUNING.tighten * merit).min(1e-2).max(0.3 * settings.tolerance)
                },
                by_velocity: false,
                again: false,
                local: f64::INFINITY,
                limit: limit - report.iterations,
            };
            let round = solve(&convex, state);
            last = round.status;
            // A round that finds nothing to do still counts, or it would come for ever.
            report.iterations += round.iterations.max(1);
            report.factor_s += round.factor_s;
            report.substitute_s += round.substitute_s;
            if last == Status::Infeasible {
                if retried {
                    break last;
                }
                // That holds for this s alone. What slides opens: once more with the slip of the best impulses.
                retried = true;
                state.r.copy_from_slice(&self.best);
            }
        };
        report.residual = Some(best);
        // The impulses that prove a problem to have no solution are far from any.
        if report.status != Status::Infeasible {
            state.r.copy_from_slice(&self.best);
        }
        report
    }
}
