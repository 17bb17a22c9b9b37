//! Coulomb's law of a step by convex problems that know how fast joints slide.
//!
//! With s_i = mu |u_t,i| held, Coulomb's problem is that of associated friction with the gap of every contact wider by
//! dt s_i (De Saxce's term; Acary, Cadoux, Lemarechal and Malick, 2011). Whatever s >= 0 is, its solution balances, keeps
//! forces within their cones, and sliding takes energy from the blocks: r . u = -s r_n. What is left of Coulomb's law is how
//! far s is from mu |u_t| of the solution. That is an error of gaps, dt |s - mu |u_t||, and not one of forces: the step is
//! exact for blocks that were drawn so much farther apart.
//!
//! The rounds over s are mixed by Anderson's method (Walker and Ni, 2011), and begin again from the best with shorter steps
//! where that leads away: where sliding of one joint drives another the plain fixed point swings.

use drystone_cone::{BodyMotion, Contact, Engine, Friction, Problem, ProblemError, Solution, Solver, Status};
use glam::DVec3;

/// Rounds after which the best is taken.
const ROUNDS: usize = 30;
/// Rounds without a gain of a tenth after which it is.
const PATIENCE: usize = 8;
/// A round is solved to this fraction of the tolerance, or its error would hide that of s.
const INNER: f64 = 0.1;
/// Rounds that are mixed.
const MIXED: usize = 5;
/// A round that is farther off than the best by this factor leads away.
const ASTRAY: f64 = 2.0;

/// The rounds of a step, with the memory that they use again.
#[derive(Debug, Default)]
pub(super) struct SlipRounds {
    /// The problem with s held.
    problem: Problem,
    /// Gaps without it, or what stands for them where blocks rebound (m).
    gaps: Vec<f64>,
    /// s, mu |u_t| that came of it, and the best s (m/s).
    held: Vec<f64>,
    found: Vec<f64>,
    best: Vec<f64>,
    mixing: Mixing,
}

/// What the rounds came to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slipped {
    pub(super) status: Status,
    pub(super) solver: Solver,
    pub(super) iterations: usize,
    /// Bound of the error of the velocities for the s that was held, over the change of velocity by the contacts, and how far
    /// s is off, over that or over the mean of s if it is larger. The larger of the two.
    pub(super) error: f64,
    pub(super) local: f64,
    /// The most that a joint which carries opens or closes by because s is off (m).
    pub(super) opening: f64,
}

impl SlipRounds {
    /// Solves until velocities and s are known to `tolerance`. The solution is the last of `engine`.
    pub(super) fn solve(
        &mut self,
        engine: &mut Engine,
        stated: &Problem,
        tolerance: f64,
    ) -> Result<Slipped, ProblemError> {
        let settings = engine.settings;
        engine.settings.friction = Friction::Associated;
        engine.settings.tolerance = INNER * tolerance;
        let outcome = self.rounds(engine, stated, tolerance);
        engine.settings = settings;
        outcome
    }

    fn rounds(&mut self, engine: &mut Engine, stated: &Problem, tolerance: f64) -> Result<Slipped, ProblemError> {
        self.begin(stated);
        let mut slipped = Slipped::default();
        let mut best = f64::INFINITY;
        let (mut reference, mut unchanged) = (f64::INFINITY, 0);
        for round in 0.. {
            let is_last = round + 1 >= ROUNDS || unchanged >= PATIENCE;
            if is_last {
                self.held.copy_from_slice(&self.best);
            }
            let off = self.round(engine, stated, &mut slipped)?;
            if is_last || off.is_nan() || off <= tolerance || slipped.status == Status::Infeasible {
                break;
            }
            unchanged += 1;
            if off < 0.9 * reference {
                (reference, unchanged) = (off, 0);
            }
            if off < best {
                best = off;
                self.best.copy_from_slice(&self.held);
            }
            self.mixing
                .mix(&mut self.held, &self.found, &self.best, off > ASTRAY * best);
        }
        Ok(slipped)
    }

    /// States the problem. Joints that slide go on sliding: the first s is that of the velocities before the step.
    fn begin(&mut self, stated: &Problem) {
        let Self {
            problem, gaps, held, ..
        } = self;
        problem.clone_from(stated);
        gaps.clear();
        held.clear();
        for contact in &mut problem.contacts {
            let gap = stated.dt * contact.normal_offset(&stated.bodies, stated.dt);
            let [a, b] = contact.bodies.map(|b| {
                let body = &stated.bodies[b as usize];
                body.velocity_before().at(contact.point - body.center)
            });
            let touches = contact.guess != DVec3::ZERO && contact.compliance[1] == 0.0;
            held.push(if touches {
                contact.friction * across(contact, b - a).length()
            } else {
                0.0
            });
            gaps.push(gap);
            contact.restitution = 0.0;
        }
        self.found.clear();
        self.found.resize(gaps.len(), 0.0);
        self.best.clone_from(held);
        self.mixing.begin();
    }

    /// Solves with s as it is held, finds mu |u_t|, and tells how far they are apart: the mean over the contacts that carry,
    /// over the change of velocity by contacts or the mean of mu |u_t|, whichever is larger.
    fn round(&mut self, engine: &mut Engine, stated: &Problem, slipped: &mut Slipped) -> Result<f64, ProblemError> {
        let dt = stated.dt;
        let contacts = self.problem.contacts.iter_mut().zip(&self.gaps);
        for ((contact, gap), s) in contacts.zip(&self.held) {
            contact.gap = gap + dt * s;
        }
        let solution = engine.solve(&self.problem)?;
        let change = change_of_velocity(stated, solution);
        let (mut sum, mut sliding_sum, mut carrying, mut most) = (0.0, 0.0, 0, 0.0_f64);
        for (i, contact) in self.problem.contacts.iter_mut().enumerate() {
            let (impulse, u) = (solution.impulses[i], solution.relative_velocities[i]);
            let (pressed, normal) = (contact.normal.dot(impulse), contact.normal.dot(u));
            // What a spring across the joint takes up is no sliding.
            let sliding = across(contact, u) + (contact.slip - solution.elastic_slip[i]) / dt;
            let found = contact.friction * sliding.length();
            let apart = normal + self.gaps[i] / dt + contact.compliance[0] * pressed;
            // Of impulse and slack, one is nothing: the smaller as a velocity tells which.
            let carries = lightness(stated, contact.bodies) * pressed > apart + self.held[i] - found;
            let off = match carries {
                true => found - self.held[i],
                false => (-apart).max(0.0),
            };
            sum += off * off;
            most = most.max(off.abs());
            if carries {
                carrying += 1;
                sliding_sum += found * found;
            } else {
                self.held[i] = found;
            }
            self.found[i] = found;
            contact.guess = impulse;
        }
        for (link, &impulse) in self.problem.links.iter_mut().zip(&solution.link_impulses) {
            link.guess = impulse;
        }
        let root = |sum: f64| (sum / f64::from(carrying.max(1))).sqrt();
        let mean = root(sum) / change.max(root(sliding_sum));
        slipped.iterations += solution.iterations;
        (slipped.status, slipped.solver) = (solution.status, solution.solver);
        slipped.error = solution.residuals.velocity_error.max(mean) + 0.0 * mean;
        (slipped.local, slipped.opening) = (solution.residuals.local, dt * most);
        Ok(mean)
    }
}

/// Anderson's mixing of a fixed point s = f(s): the next s is that of the last rounds whose errors f(s) - s, mixed, are least.
#[derive(Debug, Default)]
struct Mixing {
    /// The last s and error, and what they changed by in the rounds before.
    s: Vec<f64>,
    error: Vec<f64>,
    changes: Vec<[Vec<f64>; 2]>,
    /// Changes that are known, and where the next goes.
    known: usize,
    next: usize,
    has_last: bool,
    /// Fraction of the error that a step takes.
    length: f64,
}

impl Mixing {
    fn begin(&mut self) {
        self.forget();
        self.length = 1.0;
        self.changes.resize_with(MIXED, Default::default);
    }

    fn forget(&mut self) {
        (self.known, self.next, self.has_last) = (0, 0, false);
    }

    /// Replaces `s`, which gave `found`, by the next. From the best with half the step where it leads away.
    fn mix(&mut self, s: &mut [f64], found: &[f64], best: &[f64], is_astray: bool) {
        if is_astray {
            self.forget();
            self.length *= 0.5;
            for ((s, best), found) in s.iter_mut().zip(best).zip(found) {
                *s = best + self.length * (0.5 * (*s + found) - best);
            }
            return;
        }
        if self.has_last {
            let [by_s, by_error] = &mut self.changes[self.next];
            by_s.clear();
            by_s.extend(s.iter().zip(&self.s).map(|(s, last)| s - last));
            by_error.clear();
            let errors = found.iter().zip(s.iter());
            by_error.extend(errors.zip(&self.error).map(|((f, s), last)| f - s - last));
            self.next = (self.next + 1) % MIXED;
            self.known = (self.known + 1).min(MIXED);
        }
        self.s.clear();
        self.s.extend_from_slice(s);
        self.error.clear();
        self.error.extend(found.iter().zip(s.iter()).map(|(f, s)| f - s));
        self.has_last = true;
        let weights = self.weights();
        for (i, s) in s.iter_mut().enumerate() {
            let mut next = *s + self.length * self.error[i];
            for (weight, [by_s, by_error]) in weights.iter().zip(&self.changes).take(self.known) {
                next -= weight * (by_s[i] + self.length * by_error[i]);
            }
            // A joint slides at some speed.
            *s = next.max(0.0);
        }
    }

    /// The weights of the changes that make the error least.
    fn weights(&self) -> [f64; MIXED] {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let of = |k: usize| &self.changes[k][1];
        let mut a: [[f64; MIXED]; MIXED] = std::array::from_fn(|i| {
            std::array::from_fn(|j| match i.max(j) < self.known {
                true => dot(of(i), of(j)),
                false => 0.0,
            })
        });
        let mut w: [f64; MIXED] = std::array::from_fn(|i| match i < self.known {
            true => dot(of(i), &self.error),
            false => 0.0,
        });
        // Rounds that say the same leave the weights open: small ones then.
        let most = (0..MIXED).map(|i| a[i][i]).fold(f64::MIN_POSITIVE, f64::max);
        for (i, row) in a.iter_mut().enumerate() {
            row[i] += 1e-8 * most;
        }
        // Positive definite: no pivoting.
        for p in 0..MIXED {
            for i in p + 1..MIXED {
                let factor = a[i][p] / a[p][p];
                let row = a[p];
                a[i].iter_mut().zip(row).skip(p).for_each(|(x, y)| *x -= factor * y);
                w[i] -= factor * w[p];
            }
        }
        for p in (0..MIXED).rev() {
            let rest: f64 = (p + 1..MIXED).map(|k| a[p][k] * w[k]).sum();
            w[p] = (w[p] - rest) / a[p][p];
        }
        w
    }
}

/// What of a velocity lies in the plane of a contact.
fn across(contact: &Contact, u: DVec3) -> DVec3 {
    u - contact.normal.dot(u) * contact.normal
}

/// How much contacts change the velocities of blocks, in the mean by the mass (m/s).
fn change_of_velocity(problem: &Problem, solution: &Solution) -> f64 {
    let (mut sum, mut all) = (0.0, 0.0);
    for (body, v) in problem.bodies.iter().zip(&solution.velocities) {
        if let BodyMotion::Free {
            mass, free_velocity, ..
        } = &body.motion
        {
            sum += mass[0][0] * (v.linear - free_velocity.linear).length_squared();
            all += mass[0][0];
        }
    }
    (sum / all).sqrt().max(f64::MIN_POSITIVE)
}

/// Inverse of the mass of the lighter of two bodies, which turns an impulse into a velocity (1/kg).
fn lightness(problem: &Problem, bodies: [u32; 2]) -> f64 {
    let of = |b: u32| match &problem.bodies[b as usize].motion {
        BodyMotion::Free { mass, .. } => 1.0 / mass[0][0],
        BodyMotion::Driven { .. } => 0.0,
    };
    of(bodies[0]).max(of(bodies[1]))
}
