//! One round towards a static equilibrium: forces that balance the loads, and the displacements that go with them.

use drystone_cone::{
    Balance, Body, BodyMotion, Contact, Equilibrium, Problem, ProblemError, Solution, Status, Twist, Wrench,
};
use glam::DVec3;

use super::{
    super::{SimulationError, rotation::turn, springs::yields},
    Acting, Simulation,
    equilibrate::SECOND,
};

/// What a round is solved to: at least, and over the square of how closely joints are to be closed, as energies go with squares.
/// What will do is so many times as much.
const TOLERANCE: [f64; 2] = [1e-9, 1e-2];
const ENOUGH: f64 = 100.0;
/// How often a round is solved again because ties came to another part of their law.
const TURNS: usize = 12;

/// How a round of slow loading is taken.
#[derive(Clone, Copy)]
pub(super) struct Slow<'a> {
    pub(super) acting: &'a Acting,
    /// Whether contacts and solver begin where the last step forecasts them.
    pub(super) is_forecast: bool,
    /// What part of the motion that is found blocks are moved by.
    pub(super) share: f64,
}

/// What a round came to.
pub(super) enum Round {
    /// Blocks were moved by at most so much (m), and joints and links that carry strained by it. What nothing resists, as on
    /// ground without friction, is no strain.
    Moved { farthest: f64, strained: f64 },
    /// No forces balance the loads, proven or not: the motion that is left.
    Unbalanced(Vec<Twist>, bool),
}

impl Simulation {
    /// Finds forces that balance the loads and the displacements that go with them, and moves by these the blocks that may
    /// move. In slow loading, bonds are damaged by the forces, a point may be held, and motions may be forecast.
    pub(super) fn round(
        &mut self,
        moves: &[bool],
        loads: &[Wrench],
        equilibrium: &mut Equilibrium,
        slow: Option<Slow<'_>>,
    ) -> Result<Round, SimulationError> {
        let has = |absent: &[bool], bodies: [u32; 2]| {
            bodies.iter().any(|&b| moves[b as usize]) && !bodies.iter().any(|&b| absent[b as usize])
        };
        let (mut turns, mut again) = (0, false);
        loop {
            let pulled = |(b, load): (usize, &Wrench)| {
                let [force, moment] = self.ties.with_pulls(b, [load.force, load.moment]);
                Wrench { force, moment }
            };
            let loads: Vec<Wrench> = loads.iter().enumerate().map(pulled).collect();
            let loads = &loads[..];
            let placements = &self.state.placements;
            let body = |b: usize| {
                let (center, mass) = (placements[b].center, self.structure.mass[b]);
                match moves[b] {
                    true => Body::free(center, mass, self.structure.inertia_at(b, &placements[b]), Twist::ZERO),
                    false => Body::driven(center, Twist::ZERO),
                }
            };
            let whole = &self.problem;
            let mut problem = Problem {
                bodies: (0..moves.len()).map(body).collect(),
                contacts: (whole.contacts.iter().filter(|c| has(&self.absent, c.bodies)))
                    .map(as_drawn)
                    .collect(),
                links: (whole.links.iter().filter(|l| has(&self.absent, l.bodies)))
                    .copied()
                    .collect(),
                deformations: Vec::new(),
                dt: SECOND,
            };
            let support = self.structure.fixed.iter().position(|&f| f).unwrap_or(0) as u32;
            let held = slow.and_then(|slow| slow.acting.held);
            if let Some(held) = held {
                problem.links.push(held.link(support, placements));
            }
            let is_loaded = |b: usize| moves[b] && (loads[b].force, loads[b].moment) != (DVec3::ZERO, DVec3::ZERO);
            let nothing = !(0..moves.len()).any(is_loaded) && !is_stressed(&problem) && held.is_none();
            if nothing {
                // Nothing carries nothing; what broke on the way there stays broken.
                if slow.is_some() {
                    self.problem.contacts.iter_mut().for_each(|c| c.guess = DVec3::ZERO);
                    self.problem.links.iter_mut().for_each(|l| l.guess = 0.0);
                    self.remember();
                }
                return Ok(Round::Moved {
                    farthest: 0.0,
                    strained: 0.0,
                });
            }
            let time = self.state.time;
            let found = match slow {
                // Solved again, it goes on from what it has.
                Some(slow) => {
                    if again || !slow.is_forecast {
                        equilibrium.begin_with(std::iter::repeat_n(Twist::ZERO, problem.bodies.len()));
                    }
                    again = true;
                    solve(equilibrium, &problem, loads, slow.acting)
                }
                None => equilibrium.solve(&problem, loads),
            }
            .map_err(|source| SimulationError::Problem { time, source })?;
            if found.status == Status::Infeasible || !is_balanced(&problem, loads, found) {
                let is_proven = found.status == Status::Infeasible;
                return Ok(Round::Unbalanced(found.motions.clone(), is_proven));
            }
            let Self {
                problem,
                solution,
                absent,
                ..
            } = self;
            take(problem, solution, found, |bodies| has(absent, bodies));
            if slow.is_some() && turns < TURNS {
                turns += 1;
                let links = &self.solution.link_impulses;
                if self.ties.turn(&self.structure, links, SECOND, turns > TURNS / 2) {
                    self.state_round();
                    continue;
                }
            }
            if slow.is_some() {
                let contacts = &self.problem.contacts;
                if (self.crushing).turn(&self.structure, &self.springs, contacts, &self.solution) {
                    self.state_round();
                    continue;
                }
            }
            if slow.is_some() && !self.bonds.is_empty() {
                let Self { structure, problem, .. } = self;
                if self.bonds.give_way(structure, problem, &self.solution, SECOND) {
                    self.state_round();
                    continue;
                }
            }
            return Ok(self.displace(moves, slow.map_or(1.0, |slow| slow.share)));
        }
    }

    /// Moves blocks by a share of the solution and keeps as much of its forces.
    fn displace(&mut self, moves: &[bool], share: f64) -> Round {
        let Solution {
            velocities,
            impulses,
            link_impulses,
            relative_velocities,
            ..
        } = &self.solution;
        let before = self.state.placements.clone();
        self.crushing.crush(
            &self.structure,
            &self.problem.contacts,
            &self.solution,
            &mut self.springs,
            share,
        );
        let (mut farthest, mut strained): (f64, f64) = (0.0, 0.0);
        for b in (0..moves.len()).filter(|&b| moves[b]) {
            let (motion, placement) = (&velocities[b], &mut self.state.placements[b]);
            placement.center += share * motion.linear;
            placement.rotation = (turn(motion.angular, share) * placement.rotation).normalize();
            let moved = motion.linear.length() + self.structure.radius[b] * motion.angular.length();
            farthest = if moved.is_nan() { f64::NAN } else { farthest.max(moved) };
        }
        let after = &self.state.placements;
        for (k, contact) in self.problem.contacts.iter_mut().enumerate() {
            let force = contact.guess + share * (impulses[k] - contact.guess);
            let across = force - contact.normal.dot(force) * contact.normal;
            if contact.normal.dot(force).max(contact.normal.dot(contact.guess)) > 0.0 {
                let along = contact.normal.dot(relative_velocities[k]);
                let slid = (relative_velocities[k] - along * contact.normal).length();
                strained = strained
                    .max(along.abs())
                    .max(if contact.friction > 0.0 { slid } else { 0.0 });
            }
            // Blocks turn by finite angles: what their points move by beyond the linear motion is slip, too, or what rocks
            // would creep.
            let moved = |b: u32| {
                let (from, to) = (&before[b as usize], &after[b as usize]);
                to.center + to.rotation * (from.rotation.conjugate() * (contact.point - from.center)) - contact.point
            };
            let [first, second] = contact.bodies.map(moved);
            let beyond = second - first - share * relative_velocities[k];
            let beyond = beyond - beyond.dot(contact.normal) * contact.normal;
            (contact.guess, contact.slip) = (force, beyond - contact.compliance[1] * across);
        }
        for (link, &found) in self.problem.links.iter_mut().zip(link_impulses) {
            let force = link.guess + share * (found - link.guess);
            let at = |b: u32| {
                link.force
                    .dot(velocities[b as usize].at(link.point - before[b as usize].center))
            };
            if force.abs().max(link.guess.abs()) > 0.0 {
                strained = strained.max((at(link.bodies[1]) - at(link.bodies[0])).abs());
            }
            link.guess = force;
        }
        self.remember();
        Round::Moved { farthest, strained }
    }
}

/// Solves from what is known, or from nothing where that leads nowhere, as closely as joints are to be closed.
fn solve<'a>(
    equilibrium: &'a mut Equilibrium,
    problem: &Problem,
    loads: &[Wrench],
    acting: &Acting,
) -> Result<&'a Balance, ProblemError> {
    // Where steps go on from one another, what is left of one is made good in the next.
    let tolerance = match acting.ahead > 0.0 {
        true => (TOLERANCE[1] * acting.closed.powi(2)).max(TOLERANCE[0]),
        false => TOLERANCE[0],
    };
    let enough = ENOUGH * tolerance;
    let is_enough = |found: &Balance| found.balance <= enough && found.gap <= enough;
    let carries = problem.contacts.iter().any(|c| c.guess != DVec3::ZERO);
    equilibrium.settings.tolerance = tolerance;
    if carries {
        equilibrium.settings.warm_start = true;
        if is_enough(equilibrium.solve(problem, loads)?) {
            return Ok(equilibrium.solution());
        }
    }
    equilibrium.settings.warm_start = false;
    equilibrium.solve(problem, loads)
}

/// Writes forces and motions of a problem that has some of the contacts and links into the solution of the whole.
fn take(problem: &Problem, solution: &mut Solution, found: &Balance, has: impl Fn([u32; 2]) -> bool) {
    solution.velocities.clone_from(&found.motions);
    fill(&mut solution.impulses, problem.contacts.len());
    fill(&mut solution.relative_velocities, problem.contacts.len());
    fill(&mut solution.link_impulses, problem.links.len());
    let mut of = found.forces.iter().zip(&found.relative);
    for (i, _) in (problem.contacts.iter().enumerate()).filter(|(_, c)| has(c.bodies)) {
        let Some((force, moved)) = of.next() else { break };
        (solution.impulses[i], solution.relative_velocities[i]) = (*force, *moved);
    }
    let mut of = found.link_forces.iter();
    for (i, _) in (problem.links.iter().enumerate()).filter(|(_, l)| has(l.bodies)) {
        let Some(force) = of.next() else { break };
        solution.link_impulses[i] = *force;
    }
}

fn fill<T: Default + Clone>(values: &mut Vec<T>, count: usize) {
    values.clear();
    values.resize(count, T::default());
}

/// Whether springs carry something whatever the loads: gaps that supports closed, bonds that they strained.
fn is_stressed(problem: &Problem) -> bool {
    problem.contacts.iter().any(|c| c.gap < 0.0 || c.slip != DVec3::ZERO)
        || problem.links.iter().any(|l| l.compliance > 0.0 && l.offset != 0.0)
}

/// A contact as it is settled by: an overlap of rigid blocks stays as it is drawn.
fn as_drawn(contact: &Contact) -> Contact {
    let gap = if yields(contact) {
        contact.gap
    } else {
        contact.gap.max(0.0)
    };
    Contact { gap, ..*contact }
}

/// What may be left of the load of a block, as a fraction of it, and of the forces that act on it.
const UNBALANCED: [f64; 2] = [1e-3, 1e-6];

/// Whether forces balance the load of every free block: the solver's own measure is one for all of them.
fn is_balanced(problem: &Problem, loads: &[Wrench], found: &Balance) -> bool {
    let mut left: Vec<DVec3> = loads.iter().map(|l| l.force).collect();
    let mut acting = vec![0.0; loads.len()];
    let contacts = problem
        .contacts
        .iter()
        .map(|c| c.bodies)
        .zip(found.forces.iter().copied());
    let links = problem.links.iter().zip(&found.link_forces);
    for (bodies, force) in contacts.chain(links.map(|(l, &f)| (l.bodies, f * l.force))) {
        for (body, sign) in bodies.into_iter().zip([-1.0, 1.0]) {
            left[body as usize] += sign * force;
            acting[body as usize] += force.length();
        }
    }
    let is_free = |b: usize| matches!(problem.bodies[b].motion, BodyMotion::Free { .. });
    let is_held = |b: usize| {
        let allowed = UNBALANCED[0] * loads[b].force.length() + UNBALANCED[1] * acting[b];
        left[b].length() <= allowed
    };
    (0..loads.len()).filter(|&b| is_free(b)).all(is_held)
}
