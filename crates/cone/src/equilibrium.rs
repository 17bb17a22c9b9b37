//! Forces that balance loads on bodies at rest, and the small motion that mobilises them.

use glam::DVec3;

use crate::{
    Tuning,
    cone::V3,
    methods::{AtRest, Coupled, Creep, Outcome},
    problem::{BodyMotion, Problem, ProblemError, Twist},
    settings::Friction,
    solution::Status,
    stages::{SolverStage, SolverStageKind, Stages},
    stop::Stop,
    system::{Operator, System, V6},
};

/// Offsets over what joints yield that are none.
const ROUNDING: f64 = 1e-6;

/// A force and a moment about a body's centre.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force (unit: N).
    pub force: DVec3,
    /// Moment about the centre (unit: N m).
    pub moment: DVec3,
}

/// How to look for forces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EquilibriumSettings {
    /// Bound on what is left of the loads, relative to them, and on the gap of the energy, relative to the work of the
    /// loads (default: 1e-10).
    pub tolerance: f64,
    /// Iterations after which to stop; with Coulomb friction, of each of up to four attempts (default: 100).
    pub max_iterations: usize,
    /// Associated friction makes the problem convex. With Coulomb friction a solution need not exist, and every solve starts
    /// from nothing (default: associated).
    pub friction: Friction,
    /// The same bound, from which on no other start is tried where one ends short of the tolerance (default: 0).
    pub enough: f64,
    /// Whether to start from the guesses of the problem and the motions of the last solution (default: false).
    pub warm_start: bool,
}

impl Default for EquilibriumSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            enough: 0.0,
            friction: Friction::Associated,
            max_iterations: 100,
            warm_start: false,
        }
    }
}

/// Forces, and the motion that belongs to them.
#[derive(Clone, Debug, Default)]
pub struct Balance {
    /// How it ended. [`Status::Infeasible`] where no forces balance the loads: the motions then tell how it falls.
    pub status: Status,
    /// What was tried, in order.
    pub stages: Stages,
    /// Iterations of all stages, with associated friction of the one that answered.
    pub iterations: usize,
    /// Force of each contact on its second body, in world axes (unit: N).
    pub forces: Vec<DVec3>,
    /// Force of each link.
    pub link_forces: Vec<f64>,
    /// Motion of each body (unit: m and rad), the multipliers of its balance.
    pub motions: Vec<Twist>,
    /// Relative motion at each contact, without offset and compliance (unit: m).
    pub relative: Vec<DVec3>,
    /// What is left of the loads, relative to them.
    pub balance: f64,
    /// Gap of the energy, relative to the work of the loads.
    pub gap: f64,
}

/// Solves `minimise r.E r/2 + gap.r over forces r in their cones that balance the loads`, problem after problem.
///
/// Bodies, contacts and links are stated as a [`Problem`] with a step of one second: offsets are the gaps, and compliance
/// is motion for a unit of force. Masses tell only what is large and what is small; velocities of bodies are not looked
/// at. The motions are the multipliers of the balance: with them, `u = D' motion + gap + E r` lies in the dual cones and
/// is orthogonal to r, as in a step of associated friction.
#[derive(Debug, Default)]
pub struct Equilibrium {
    /// How to solve; may be changed between solves.
    pub settings: EquilibriumSettings,
    system: System,
    at_rest: AtRest,
    coupled: Coupled,
    creep: Creep,
    r: Vec<V3>,
    twist: Vec<V6>,
    load: Vec<V6>,
    solution: Balance,
}

impl Equilibrium {
    /// One that has seen nothing yet.
    pub fn new(settings: EquilibriumSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// Gives up, from now on, what it solves when a flag is set.
    pub fn stop_by(&mut self, stop: Stop) {
        self.system.stop = stop;
    }

    /// Forces for the loads on each body, those on driven bodies left aside.
    pub fn solve(&mut self, problem: &Problem, loads: &[Wrench]) -> Result<&Balance, ProblemError> {
        rayon::join(|| self.solve_here(problem, loads), || ()).0?;
        Ok(&self.solution)
    }

    /// Motions that the next solve starts with, where it starts from a guess: those of the last solution otherwise.
    pub fn begin_with(&mut self, motions: impl Iterator<Item = Twist>) {
        self.solution.motions.clear();
        self.solution.motions.extend(motions);
    }

    /// The last solution.
    pub fn solution(&self) -> &Balance {
        &self.solution
    }

    /// Follows the bodies from the motions of [`Self::begin_with`] as they creep, with Coulomb friction: to rest
    /// ([`Status::Solved`]), or on and on ([`Status::Infeasible`]; the motions are then velocities). Contacts and links must
    /// yield.
    pub fn creep(&mut self, problem: &Problem, loads: &[Wrench]) -> Result<&Balance, ProblemError> {
        rayon::join(|| self.creep_here(problem, loads), || ()).0?;
        Ok(&self.solution)
    }

    fn creep_here(&mut self, problem: &Problem, loads: &[Wrench]) -> Result<(), ProblemError> {
        let (force, motion) = self.take(problem, loads)?;
        self.twist.clear();
        self.twist.resize(self.load.len(), [0.0; 6]);
        self.guess_motions(problem, motion);
        let Self {
            creep,
            system,
            load,
            r,
            twist,
            settings,
            solution,
            ..
        } = self;
        let goal = (settings.tolerance, settings.max_iterations);
        let outcome = creep.solve(system, load, goal, (r, twist));
        solution.stages.push(SolverStage {
            kind: SolverStageKind::Creep,
            outcome: outcome.status.into(),
            residual: Some(outcome.balance),
            iterations: outcome.iterations,
        });
        self.system.check_stopped()?;
        self.export(problem, outcome, force, motion);
        Ok(())
    }

    fn solve_here(&mut self, problem: &Problem, loads: &[Wrench]) -> Result<(), ProblemError> {
        let (force, motion) = self.take(problem, loads)?;
        let goal = (self.settings.tolerance, self.settings.max_iterations);
        if self.settings.friction == Friction::Coulomb {
            let Self {
                coupled,
                system,
                load,
                r,
                twist,
                solution,
                ..
            } = self;
            let outcome = coupled.solve(system, load, goal, (r, twist), &mut solution.stages);
            self.system.check_stopped()?;
            self.export(problem, outcome, force, motion);
            return Ok(());
        }
        self.at_rest.prepare(&mut self.system);
        let warm = self.settings.warm_start && self.twist.len() == self.load.len();
        if warm {
            self.r.clear();
            self.r.extend_from_slice(&self.system.guess);
            for (r, cone) in self.r.iter_mut().zip(&self.system.cones) {
                *r = cone.project(r);
            }
            self.guess_motions(problem, motion);
            let outcome = self.attempt(None, goal);
            self.system.check_stopped()?;
            self.export(problem, outcome, force, motion);
            return Ok(());
        }
        let mut best: Option<(Outcome, Vec<V3>, Vec<V6>)> = None;
        for start in Tuning::DEFAULT.at_rest.cold_starts {
            self.r.clear();
            self.r.resize(self.system.len(), [0.0; 3]);
            self.twist.clear();
            let outcome = self.attempt(Some(start), goal);
            self.system.check_stopped()?;
            let is_enough = outcome.balance.max(outcome.gap) <= self.settings.enough;
            if is_enough || matches!(outcome.status, Status::Solved | Status::Infeasible) {
                self.export(problem, outcome, force, motion);
                return Ok(());
            }
            if best.as_ref().is_none_or(|(b, ..)| outcome.balance < b.balance) {
                best = Some((outcome, self.r.clone(), self.twist.clone()));
            }
        }
        let mut outcome = Outcome::default();
        if let Some(best) = best {
            (outcome, self.r, self.twist) = best;
        }
        self.export(problem, outcome, force, motion);
        Ok(())
    }

    /// Takes in a problem. Gives the units of force and of motion.
    fn take(&mut self, problem: &Problem, loads: &[Wrench]) -> Result<(f64, f64), ProblemError> {
        if loads.len() != problem.bodies.len() {
            let (given, bodies) = (loads.len(), problem.bodies.len());
            return Err(ProblemError::Shape(format!("{given} loads for {bodies} bodies")));
        }
        if let Some(index) = loads
            .iter()
            .position(|l| !(l.force.is_finite() && l.moment.is_finite()))
        {
            return Err(ProblemError::NotFinite {
                what: "body",
                index,
                field: "its load",
            });
        }
        if !problem.deformations.is_empty() {
            let what = "bodies that deform come to rest by time steps, not by a balance of forces";
            return Err(ProblemError::Shape(what.to_string()));
        }
        self.system.set_bodies(problem, Friction::Associated)?;
        self.solution.stages.clear();
        Ok(self.make_dimensionless(problem, loads))
    }

    fn attempt(&mut self, start: Option<f64>, goal: (f64, usize)) -> Outcome {
        let Self {
            at_rest,
            system,
            load,
            r,
            twist,
            solution,
            ..
        } = self;
        let outcome = at_rest.solve(system, load, start, goal, r, twist);
        solution.stages.push(SolverStage {
            kind: start.map_or(SolverStageKind::AtRestWarm, SolverStageKind::AtRestCold),
            outcome: outcome.status.into(),
            residual: Some(outcome.balance.max(outcome.gap)),
            iterations: outcome.iterations,
        });
        outcome
    }

    /// Divides loads by the largest, offsets and compliance so that both are about one. Gives the units of force and of
    /// motion.
    fn make_dimensionless(&mut self, problem: &Problem, loads: &[Wrench]) -> (f64, f64) {
        let length = self.system.units.length;
        let is_free = |b: usize| matches!(problem.bodies[b].motion, BodyMotion::Free { .. });
        let free = || loads.iter().enumerate().filter(|(b, _)| is_free(*b)).map(|(_, l)| l);
        let size = |l: &Wrench| l.force.length().max(l.moment.length() / length);
        let fits = |x: f64| if x.is_normal() { x } else { 1.0 };
        let count = free().count().max(1) as f64;
        let force = fits(free().map(size).sum::<f64>() / count);
        self.load.clear();
        self.load.extend(free().map(|l| {
            let (f, m) = (l.force / force, l.moment / (force * length));
            [f.x, f.y, f.z, m.x, m.y, m.z]
        }));
        let System {
            q,
            compliance,
            guess,
            units,
            ..
        } = &mut self.system;
        // Forces of the system are in units of its mean mass, offsets in units of its speed.
        let unit = units.mass * units.speed;
        let widest = |x: &[V3]| x.iter().flatten().fold(0.0, |a: f64, b| a.max(b.abs()));
        let offset = widest(q);
        let yielding = || widest(compliance) * force / unit;
        // Offsets that are nothing beside what joints yield are the rounding of coordinates.
        let relative = fits(if offset > ROUNDING * yielding() {
            offset
        } else {
            yielding()
        });
        q.iter_mut().flatten().for_each(|x| *x /= relative);
        let softer = force / (unit * relative);
        compliance.iter_mut().flatten().for_each(|x| *x *= softer);
        guess.iter_mut().flatten().for_each(|x| *x *= unit / force);
        let motion = relative * units.speed;
        (force, motion)
    }

    /// Motions of the last solution, in the units of this one.
    fn guess_motions(&mut self, problem: &Problem, motion: f64) {
        let Operator::Bodies(bodies) = &self.system.operator else {
            return;
        };
        let length = self.system.units.length;
        for (b, _) in problem.bodies.iter().enumerate() {
            let (Some(twist), Some(last)) = (
                self.twist.get_mut(bodies.index[b] as usize),
                self.solution.motions.get(b),
            ) else {
                continue;
            };
            let (l, a) = (last.linear / motion, last.angular * (length / motion));
            *twist = [l.x, l.y, l.z, a.x, a.y, a.z];
        }
    }

    /// Writes forces and motions in the problem's order and units.
    fn export(&mut self, problem: &Problem, outcome: Outcome, force: f64, motion: f64) {
        let Self {
            system,
            solution,
            r,
            twist,
            ..
        } = self;
        let Operator::Bodies(bodies) = &system.operator else {
            return;
        };
        let contacts = problem.contacts.len();
        // Where nothing was solved, for loads too small to be told from none, there are no forces.
        r.resize(system.order.len(), [0.0; 3]);
        twist.resize(bodies.mass.len(), [0.0; 6]);
        solution.forces.resize(contacts, DVec3::ZERO);
        solution.relative.resize(contacts, DVec3::ZERO);
        solution.link_forces.resize(problem.links.len(), 0.0);
        for (i, &place) in system.order.iter().enumerate() {
            let r = r[i].map(|x| x * force / system.weight[i]);
            match problem.contacts.get(place as usize) {
                Some(contact) => {
                    let [a, b] = contact.tangents();
                    solution.forces[place as usize] = r[0] * contact.normal + r[1] * a + r[2] * b;
                }
                None => solution.link_forces[place as usize - contacts] = r[0],
            }
        }
        let length = system.units.length;
        let moved = |b: usize| match bodies.index[b] {
            crate::system::NONE => Twist::ZERO,
            free => {
                let w = &twist[free as usize];
                Twist {
                    linear: DVec3::from_slice(&w[..3]) * motion,
                    angular: DVec3::from_slice(&w[3..]) * (motion / length),
                }
            }
        };
        solution.motions.clear();
        solution.motions.extend((0..problem.bodies.len()).map(moved));
        for (contact, d) in problem.contacts.iter().zip(&mut solution.relative) {
            let [i, j] = contact.bodies.map(|b| b as usize);
            let at = |b: usize| solution.motions[b].at(contact.point - problem.bodies[b].center);
            *d = at(j) - at(i);
        }
        (solution.status, solution.iterations) = (outcome.status, outcome.iterations);
        (solution.balance, solution.gap) = (outcome.balance, outcome.gap);
    }
}
