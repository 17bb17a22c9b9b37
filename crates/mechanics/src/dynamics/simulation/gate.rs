//! The gate that every solution passes before blocks move by it.
//!
//! A solution is accepted if it meets the tolerances of the contact solver and creates no energy. Otherwise the problem is
//! put again, attempt by attempt: without a guess, to another method, with less rebound, without the recovery of overlaps, with contacts that yield a little. If none of them answers the step is halved; if that does not help either the run stops in the state before it.
//! What was tried, which attempt answered, its residual and what it relaxed are told in the report of the step.

use drystone_cone::{BodyMotion, Contact, Friction, LinkKind, Problem, ProblemError, Solution, Solver, Status};
use glam::DVec3;

use super::{
    super::{SimulationError, springs::yields},
    Simulation,
    budget::{self, Budget},
};

/// Error of the velocities, over their change in the step, up to which a solution will do that no method could finish: one
/// part in a hundred, the error of the energy balance that a run may have. Such steps are told as above the tolerance.
const ROUGH: f64 = 1e-2;
/// Tolerances of a contact or body by itself that such a solution must meet, over those of others.
const ROUGH_LOCAL: f64 = 10.0;
/// Error of a contact or body by itself at which such a solution is taken at once: between blocks that are wedged in, large
/// impulses that cancel out make the bound of the whole much larger than what it bounds.
const FINE: f64 = 1e-5;
/// Energy that contacts may create in a step, over all that is there or comes in.
const CREATED: f64 = 1e-2;
/// The tolerance that is asked for after one that let a solution create energy, over that one.
const TIGHTER: f64 = 1e-2;
/// Energy that rebounds may create in a step, over all that is there or comes in: Newton's law of impact allows it where
/// joints slide as they are hit, in every impact, and what they create adds up.
const CREATED_BY_REBOUNDS: f64 = 1e-4;
/// Compliance of contacts that yield: the velocity that they give way, over what weight adds in the step, for an impulse of
/// the lighter block's weight or of what the contact carried in the last step, whichever is larger. So a block sinks by this
/// part of g dt^2 in such a step under what lies on it, be it a thousand of its own weight.
const YIELDING: f64 = 1e-5;
const YIELDING_MORE: f64 = 1e-3;
/// Overlap, as a fraction of the size of the smaller block, beyond which blocks that are squeezed stop the run.
pub(super) const SQUEEZE: f64 = 1e-2;

/// What of a step's problem is given up, so that it has a solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Relief {
    /// Nothing.
    #[default]
    None,
    /// Half of the restitution, where rebounds create energy.
    HalfRebound,
    /// All of it, there.
    Rebound,
    /// As well, overlaps are not driven apart: blocks that overlap go no deeper, which those that do not move
    /// satisfy.
    Overlaps,
    /// As well, contacts yield a little.
    Yielding,
    /// A hundred times as much.
    YieldingMore,
}

/// The attempt that answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum StepAttempt {
    /// The problem as stated, from the impulses of the last step.
    #[default]
    Stated,
    /// The same from nothing.
    Cold,
    /// The same from nothing, by another method.
    OtherMethod,
    /// Half of the restitution where rebounds would create energy.
    HalfRebound,
    /// No restitution there.
    NoRebound,
    /// As well, overlaps that contradict each other are not driven apart.
    OverlapsKept,
    /// As well, contacts yield a little.
    Yielding,
    /// A hundred times as much.
    YieldingMore,
}

impl StepAttempt {
    /// Name as tables and JSON show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Cold => "cold",
            Self::OtherMethod => "other_method",
            Self::HalfRebound => "half_rebound",
            Self::NoRebound => "no_rebound",
            Self::OverlapsKept => "overlaps_kept",
            Self::Yielding => "yielding",
            Self::YieldingMore => "yielding_more",
        }
    }

    fn relief(self) -> Relief {
        match self {
            Self::Stated | Self::Cold | Self::OtherMethod => Relief::None,
            Self::HalfRebound => Relief::HalfRebound,
            Self::NoRebound => Relief::Rebound,
            Self::OverlapsKept => Relief::Overlaps,
            Self::Yielding => Relief::Yielding,
            Self::YieldingMore => Relief::YieldingMore,
        }
    }
}

/// The method of an attempt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    /// That of the settings.
    Chosen,
    /// Another one.
    Other,
    /// Gauss-Seidel, for Coulomb's law on joints that yield: it needs no fixed point over convex problems.
    Sweeps,
}

/// One attempt: its kind, whether it starts from a guess, and its method.
type Trial = (StepAttempt, bool, Method);

const ATTEMPTS: [Trial; 11] = [
    (StepAttempt::Stated, true, Method::Chosen),
    (StepAttempt::Cold, false, Method::Chosen),
    (StepAttempt::OtherMethod, false, Method::Other),
    (StepAttempt::OtherMethod, false, Method::Sweeps),
    (StepAttempt::HalfRebound, true, Method::Chosen),
    (StepAttempt::NoRebound, true, Method::Chosen),
    (StepAttempt::OverlapsKept, true, Method::Chosen),
    (StepAttempt::OverlapsKept, false, Method::Other),
    (StepAttempt::Yielding, true, Method::Chosen),
    (StepAttempt::YieldingMore, true, Method::Chosen),
    (StepAttempt::YieldingMore, false, Method::Other),
];

/// What came of a problem that was attempted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Answer {
    pub(super) attempt: StepAttempt,
    /// Attempts made.
    pub(super) attempts: usize,
    pub(super) status: Status,
    pub(super) solver: Solver,
    pub(super) residual: f64,
    pub(super) local: f64,
    /// The farthest that a constraint as stated is from being met at the end of the step, where some were relaxed (m).
    pub(super) relaxed: f64,
    /// Fraction of the restitution that was given up where rebounds would have created energy.
    pub(super) rebound_lost: f64,
    /// Where Coulomb's law is met to less than the tolerance: the most that a joint which presses opens or closes by (m).
    pub(super) opening: f64,
    /// Energy that the solution creates, over all that is there or comes in; zero where that is within bounds.
    pub(super) created: f64,
}

/// How a solution fared at the gate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Accepted,
    /// Above the tolerance, but it will do if nothing better is found.
    Rough,
    /// There is no solution, or one that throws blocks.
    Contradiction,
    /// It meets the tolerance and creates energy, where the problem has a solution that does not: the tolerance is too wide.
    Loose,
    Refused,
}

impl Simulation {
    /// Solves for the subproblem that was selected, and takes its solution: that of the first attempt that passes the gate, or
    /// the best of those that are rough, before anything more is given up.
    pub(super) fn attempt_all(&mut self) -> Result<Answer, SimulationError> {
        let mut answer = Answer::default();
        let mut rough: Option<(Answer, Solution)> = None;
        let (mut contradicts, mut is_loose) = (false, false);
        let contacts = &self.subproblem.problem(&self.problem).contacts;
        let (is_springy, is_rigid) = (self.subproblem_yields(), contacts.iter().any(|c| !yields(c)));
        self.subproblem.creates.clear();
        for (attempt, warm_start, method) in ATTEMPTS {
            let relief = attempt.relief();
            if matches!(relief, Relief::HalfRebound | Relief::Rebound) && self.subproblem.creates.is_empty() {
                continue;
            }
            let is_coulomb = self.settings.friction == Friction::Coulomb;
            if method == Method::Sweeps && !(is_coulomb && is_springy) {
                continue;
            }
            if is_coulomb && rough.is_some() {
                // Its slip is known as well as rounds over it can tell.
                break;
            }
            if relief > Relief::None && is_springy && !is_rigid {
                // Joints that yield contradict nothing, and their overlap is what they carry.
                break;
            }
            if relief == Relief::None && contradicts {
                continue;
            }
            if relief > Relief::None && rough.is_some() {
                break;
            }
            answer.attempts += 1;
            let tolerance = self.settings.solver_tolerance();
            self.engine.settings.tolerance = if is_loose { TIGHTER * tolerance } else { tolerance };
            let pass = self.attempt((attempt, warm_start, method), &mut answer);
            self.engine.settings.tolerance = tolerance;
            match pass? {
                Pass::Contradiction => contradicts = true,
                Pass::Loose => is_loose = true,
                Pass::Accepted => {
                    self.take_solution();
                    return Ok(answer);
                }
                Pass::Rough if answer.local <= FINE => {
                    self.take_solution();
                    return Ok(answer);
                }
                Pass::Rough if rough.as_ref().is_none_or(|(best, _)| answer.residual < best.residual) => {
                    rough = Some((answer, self.engine.solution().clone()));
                }
                Pass::Rough | Pass::Refused => {}
            }
        }
        if let Some((best, solution)) = rough {
            self.subproblem.write_to(&solution, &mut self.solution);
            return Ok(Answer {
                attempts: answer.attempts,
                ..best
            });
        }
        Err(SimulationError::Unsolved {
            time: self.state.time,
            status: answer.status,
            residual: answer.residual,
            attempts: answer.attempts,
            created: answer.created,
            yields: is_springy,
        })
    }

    /// Solves again for the subproblem that was selected, more accurately and with the same relief. Its solution is taken over if
    /// it passes the gate of the step. What rests slides nowhere, so that both friction laws are one: with Coulomb's, the problem is
    /// that of associated friction, and its solution is taken where everything rests by it.
    pub(super) fn refine(&mut self, attempt: StepAttempt, tolerance: f64) -> Result<Option<Answer>, SimulationError> {
        let mut answer = Answer::default();
        let friction = std::mem::replace(&mut self.engine.settings.friction, Friction::Associated);
        self.engine.settings.tolerance = tolerance;
        let pass = self.attempt((attempt, true, Method::Chosen), &mut answer);
        self.engine.settings.tolerance = self.settings.solver_tolerance();
        self.engine.settings.friction = friction;
        if pass? != Pass::Accepted || (friction == Friction::Coulomb && !self.candidates_rest()) {
            return Ok(None);
        }
        self.take_solution();
        Ok(Some(answer))
    }

    /// Whether a contact of the subproblem that was selected yields. One without contacts does as the structure does.
    fn subproblem_yields(&self) -> bool {
        let contacts = &self.subproblem.problem(&self.problem).contacts;
        self.structure.yields() && (contacts.is_empty() || contacts.iter().any(yields))
    }

    fn take_solution(&mut self) {
        self.subproblem.write_to(self.engine.solution(), &mut self.solution);
    }

    /// Makes one attempt, and judges its solution by the tolerance of the step.
    fn attempt(&mut self, (attempt, warm_start, method): Trial, answer: &mut Answer) -> Result<Pass, SimulationError> {
        let (time, friction) = (self.state.time, self.engine.settings.friction);
        let solver = match (method, self.settings.solver) {
            (Method::Chosen, chosen) => chosen,
            // A method that does not factorise first hands over to one that does.
            (Method::Other, Solver::Auto | Solver::Interior) => Solver::Clarabel,
            (Method::Other, _) => Solver::Interior,
            (Method::Sweeps, _) => Solver::Nlgs,
        };
        (self.engine.settings.warm_start, self.engine.settings.solver) = (warm_start, solver);
        let (roots, gravity) = (self.islands.roots(), self.structure.gravity.length());
        let problem = self
            .subproblem
            .relieved(&self.problem, attempt.relief(), roots, gravity);
        let outcome = self.engine.solve(problem).map(|solution| {
            let residual = solution.residuals.velocity_error;
            (solution.status, solution.solver, solution.iterations, residual)
        });
        (self.engine.settings.warm_start, self.engine.settings.solver) = (true, self.settings.solver);
        let (status, solver, iterations, residual) = outcome.map_err(|source| match source {
            ProblemError::Stopped => SimulationError::Stopped,
            source => SimulationError::Problem { time, source },
        })?;
        self.report.iterations += iterations;
        self.report.attempts += 1;
        let solution = self.engine.solution();
        self.report.times.factor_s += solution.times.factor_s;
        let local = solution.residuals.local;
        let problem = self
            .subproblem
            .relieved(&self.problem, attempt.relief(), roots, gravity);
        budget::fill(&mut self.budgets, problem, solution, roots);
        let opened = match friction {
            Friction::Associated => 0.0,
            Friction::Coulomb => opening(problem, solution),
        };
        let mut stated = self.subproblem.problem(&self.problem).contacts.iter();
        answer.created = match stated.any(|c| c.restitution > 0.0) {
            false => Budget::total(&self.budgets).excess(CREATED),
            true => {
                // What an inaccurate solution creates is none of the rebounds'.
                let allowed = (CREATED_BY_REBOUNDS + 2.0 * residual).min(CREATED);
                let created = self.subproblem.find_creating(&self.budgets, allowed);
                created.max(Budget::total(&self.budgets).excess(CREATED))
            }
        };
        if friction == Friction::Coulomb {
            let forced = self.budgets.iter().map(Budget::forced).fold(0.0, f64::max);
            if forced > answer.created {
                answer.created = forced;
            }
        }
        // Written so that a NaN is none.
        let is_sane = answer.created <= 0.0;
        (answer.attempt, answer.status, answer.solver) = (attempt, status, solver);
        (answer.residual, answer.local, answer.relaxed) = (residual, local, 0.0);
        answer.rebound_lost = match attempt.relief() {
            Relief::None => 0.0,
            _ if self.subproblem.creates.is_empty() => 0.0,
            Relief::HalfRebound => 0.5,
            _ => 1.0,
        };
        // Written so that a NaN is refused.
        let (tolerance, most) = (self.settings.solver_tolerance(), self.engine.settings.local_tolerance);
        answer.opening = if residual <= tolerance { 0.0 } else { opened };
        let creates = residual <= tolerance && !is_sane;
        let pass = if creates && self.subproblem_yields() {
            Pass::Loose
        } else if status == Status::Infeasible || creates {
            Pass::Contradiction
        } else if !is_sane {
            Pass::Refused
        } else if residual <= tolerance && local <= most {
            answer.status = Status::Solved;
            Pass::Accepted
        } else if residual <= ROUGH.max(tolerance) && local <= ROUGH_LOCAL * most {
            if answer.status == Status::Solved {
                answer.status = Status::Inaccurate;
            }
            Pass::Rough
        } else {
            Pass::Refused
        };
        if attempt.relief() > Relief::Rebound && matches!(pass, Pass::Accepted | Pass::Rough) {
            let stated = self.subproblem.problem(&self.problem);
            answer.relaxed = stated.dt * missed(stated, friction, solution);
        }
        Ok(pass)
    }
}

/// The most that a rigid contact opens or closes by in the step while it presses, which Coulomb's law does not allow (m).
fn opening(problem: &Problem, solution: &Solution) -> f64 {
    let contacts = problem.contacts.iter().enumerate();
    let rigid = contacts.filter(|(_, c)| c.friction > 0.0 && c.compliance[0] == 0.0);
    let one = |(k, contact): (usize, &Contact)| {
        let pressed = contact.normal.dot(solution.impulses[k]);
        let along = contact.normal.dot(solution.relative_velocities[k]);
        let apart = along + contact.normal_offset(&problem.bodies, problem.dt);
        let lighter = contact
            .bodies
            .map(|b| mass(problem, b))
            .into_iter()
            .fold(f64::INFINITY, f64::min);
        match pressed > lighter * apart {
            true => problem.dt * apart.abs(),
            false => 0.0,
        }
    };
    rigid.map(one).fold(0.0, f64::max)
}

/// Mass of a body (kg).
fn mass(problem: &Problem, body: u32) -> f64 {
    match &problem.bodies[body as usize].motion {
        BodyMotion::Free { mass, .. } => mass[0][0],
        BodyMotion::Driven { .. } => f64::INFINITY,
    }
}

/// The largest speed that a constraint as stated misses (m/s).
fn missed(stated: &Problem, friction: Friction, solution: &Solution) -> f64 {
    let contacts = stated.contacts.iter().zip(&solution.relative_velocities);
    let contact = |(contact, u): (&Contact, &DVec3)| {
        let along = contact.normal.dot(*u);
        let across = match friction {
            Friction::Associated => (*u - along * contact.normal).length(),
            Friction::Coulomb => 0.0,
        };
        contact.friction * across - along - contact.gap / stated.dt
    };
    let link = |link: &drystone_cone::Link| {
        let at = |b: u32| {
            let v = &solution.velocities[b as usize];
            let arm = link.point - stated.bodies[b as usize].center;
            link.force.dot(v.at(arm)) + link.moment.dot(v.angular)
        };
        let misses = at(link.bodies[0]) - at(link.bodies[1]) - link.offset / stated.dt;
        match link.kind {
            LinkKind::Rigid => misses.abs(),
            LinkKind::OneWay => misses,
        }
    };
    let missed = contacts.map(contact).chain(stated.links.iter().map(link));
    missed.fold(0.0, f64::max)
}

/// The compliance of a contact or link by what is given up. `carried` is what it carried in the last step, as a mass at rest,
/// and `all` the mass of its island (kg): where supports squeeze, the impulses are no load that lies on anything.
pub(super) fn yielding(relief: Relief, bodies: [u32; 2], carried: f64, all: f64, problem: &Problem) -> f64 {
    let part = match relief {
        Relief::None | Relief::HalfRebound | Relief::Rebound | Relief::Overlaps => return 0.0,
        Relief::Yielding => YIELDING,
        Relief::YieldingMore => YIELDING_MORE,
    };
    let lighter = bodies
        .map(|b| mass(problem, b))
        .into_iter()
        .fold(f64::INFINITY, f64::min);
    part / lighter.max(carried.min(all))
}

#[cfg(test)]
mod tests {
    use drystone_cone::{Body, Twist};
    use glam::DMat3;

    use super::*;

    /// By what the lighter block weighs, a chip under a thousand tonnes would give way by a thousand kilometres.
    #[test]
    fn what_yields_gives_way_by_a_part_of_g_dt_under_what_it_carries() {
        let (gravity, dt) = (9.81, 1e-3);
        let body = |mass: f64| Body::free(DVec3::ZERO, mass, DMat3::IDENTITY, Twist::ZERO);
        let problem = Problem {
            bodies: vec![Body::driven(DVec3::ZERO, Twist::ZERO), body(1e-3), body(1e6)],
            dt,
            ..Problem::default()
        };
        let all = 1e6 + 1e-3;
        for (carried, bodies) in [(1e6, [0, 1]), (1e6, [1, 2]), (1e-3, [0, 1]), (0.5e6, [0, 2])] {
            let compliance = yielding(Relief::Yielding, bodies, carried, all, &problem);
            let way = compliance * carried * gravity * dt;
            assert!(way <= 1e-5 * gravity * dt * (1.0 + 1e-12), "{carried}: {way}");
        }
        // An impulse between supports that press grows with every step: it is no load.
        let squeezed = yielding(Relief::Yielding, [0, 1], 1e30, all, &problem);
        assert!(squeezed >= 1e-5 / all, "{squeezed}");
    }
}
