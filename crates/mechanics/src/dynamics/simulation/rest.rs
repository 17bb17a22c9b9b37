//! Rest, island by island: which blocks move by nothing but the error of the solver, and which need not be solved for.
//!
//! An island is a set of blocks that may act on each other within a step, by contacts or ties; a support joins nothing,
//! because it moves as it is told. The problem of a step falls apart into those of its islands. An island that was found at
//! rest sleeps: the impulses of the last step hold it in this one too, which is checked by the momentum that they leave, so
//! that a load that changes, a contact that is gone or another length of the step wake it. So does a contact with what
//! moves. Contacts that were thought too wide to close are looked at again once velocities are known.

use drystone_cone::{self as cone, BodyMotion, Contact, Friction, Twist};
use glam::DVec3;

use super::{
    super::SimulationError,
    Simulation,
    gate::{Answer, StepAttempt},
};

/// Speeds below this fraction of gravity times the step may be nothing but the error of the solver: they are looked at again.
const QUIET: f64 = 1e-2;
/// Speeds below this fraction of it are, if a solve to [`REST_TOLERANCE`] leaves no more.
const REST: f64 = 1e-6;
const REST_TOLERANCE: f64 = 1e-8;
/// Steps between two looks at an island that was not found at rest: a look costs as much as many steps.
const REST_EVERY: u64 = 10;

/// Islands of a step. Everything is by block, and what is said of an island by its root.
#[derive(Debug, Default)]
pub(super) struct Islands {
    /// A block nearer to the root of the island; the root is its own. Supports are alone.
    parent: Vec<u32>,
    /// Bound of the speed at the start, of supports over the step (m/s).
    speed: Vec<f64>,
    /// Whether a support that touches the island moves.
    is_driven: Vec<bool>,
    /// Whether the island sleeps, and whether it is to be looked at.
    sleeps: Vec<bool>,
    is_candidate: Vec<bool>,
    /// Momentum and angular momentum that impulses leave a block with (N s, N m s).
    momentum: Vec<[DVec3; 2]>,
    /// Whether a block is at rest at the end of the step.
    pub(super) at_rest: Vec<bool>,
}

impl Islands {
    pub(super) fn new(blocks: usize) -> Self {
        Self {
            parent: vec![0; blocks],
            speed: vec![0.0; blocks],
            is_driven: vec![false; blocks],
            sleeps: vec![false; blocks],
            is_candidate: vec![false; blocks],
            momentum: vec![[DVec3::ZERO; 2]; blocks],
            at_rest: vec![false; blocks],
        }
    }

    fn root(&mut self, block: usize) -> usize {
        let mut b = block;
        while self.parent[b] as usize != b {
            // Halves the way for those who come later.
            self.parent[b] = self.parent[self.parent[b] as usize];
            b = self.parent[b] as usize;
        }
        b
    }

    /// The smaller index becomes the root, so that roots do not depend on the order of contacts.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b) as u32;
    }

    /// Points every block to its root.
    fn flatten(&mut self) {
        for b in 0..self.parent.len() {
            // A root comes before the rest of its island.
            self.parent[b] = self.parent[self.parent[b] as usize];
        }
    }

    /// The root of each block's island.
    pub(super) fn roots(&self) -> &[u32] {
        &self.parent
    }

    /// Whether a block's island sleeps.
    pub(super) fn sleeps(&self, block: usize) -> bool {
        self.sleeps[self.parent[block] as usize]
    }

    fn is_candidate(&self, block: usize) -> bool {
        self.is_candidate[self.parent[block] as usize]
    }

    /// Whether two blocks belong to the same island.
    pub(super) fn share(&self, [a, b]: [u32; 2]) -> bool {
        self.parent[a as usize] == self.parent[b as usize]
    }
}

impl Simulation {
    /// Whether the step is one that was solved before: nothing moves, and nothing acts that did not.
    pub(super) fn is_known(&self, dt: f64) -> bool {
        self.is_solved
            && self.state.at_rest
            && dt == self.state.memory.dt()
            && self.forces == self.last_forces
            && !self.is_driven()
    }

    /// Whether a support moves.
    pub(super) fn is_driven(&self) -> bool {
        self.problem.bodies.iter().any(is_moving)
    }

    /// Lets time pass without a change.
    pub(super) fn pass(&mut self, dt: f64) {
        let (ticks, time) = (self.ticks_per_step(), self.time_after(dt));
        self.state.tick += ticks;
        self.state.step += 1;
        self.state.time = time;
        self.state.ground = self.ground;
        self.report.dt = dt;
        self.report.contacts = self.problem.contacts.len();
        self.lengthen();
    }

    /// Finds the islands of the step, and those that sleep through it.
    pub(super) fn find_islands(&mut self, dt: f64) {
        let gravity = self.structure.gravity.length();
        for b in 0..self.structure.len() {
            let velocity = match self.problem.bodies[b].motion {
                BodyMotion::Driven { velocity } => velocity,
                BodyMotion::Free { .. } => self.state.velocities[b],
            };
            let speed = self.speed_of(b, &velocity);
            let islands = &mut self.islands;
            (islands.parent[b], islands.speed[b], islands.is_driven[b]) = (b as u32, speed, false);
            islands.sleeps[b] = !self.structure.fixed[b];
        }
        let Self {
            islands,
            problem,
            structure,
            state,
            ..
        } = self;
        let fixed = &structure.fixed;
        let is_near = |islands: &Islands, contact: &Contact| {
            let [a, b] = contact.bodies.map(|b| islands.speed[b as usize]);
            contact.gap <= 2.0 * dt * (a + b + gravity * dt)
        };
        let links = problem.links.iter().map(|l| l.bodies);
        for bodies in links.clone() {
            let [a, b] = bodies.map(|b| b as usize);
            if !fixed[a] && !fixed[b] {
                islands.join(a, b);
            }
        }
        for contact in &problem.contacts {
            let [a, b] = contact.bodies.map(|b| b as usize);
            if !fixed[a] && !fixed[b] && is_near(islands, contact) {
                islands.join(a, b);
            }
        }
        islands.flatten();
        let mut driven = std::mem::take(&mut islands.is_driven);
        let near = problem
            .contacts
            .iter()
            .filter(|c| is_near(islands, c))
            .map(|c| c.bodies);
        for bodies in near.chain(links) {
            let [a, b] = bodies.map(|b| b as usize);
            for (support, block) in [(a, b), (b, a)] {
                if fixed[support] && is_moving(&problem.bodies[support]) {
                    driven[islands.parent[block] as usize] = true;
                }
            }
        }
        islands.is_driven = driven;
        for b in structure.free() {
            let root = islands.parent[b] as usize;
            if !state.resting[b] || islands.is_driven[root] {
                islands.sleeps[root] = false;
            }
        }
        self.wake_unbalanced(dt);
    }

    /// Wakes islands that the impulses of the last step do not hold.
    fn wake_unbalanced(&mut self, dt: f64) {
        let limit = self.rest_limit(dt);
        let Self {
            islands,
            problem,
            structure,
            ..
        } = self;
        for b in structure.free() {
            let [force, couple] = self.ties.with_pulls(b, self.forces[b]);
            islands.momentum[b] = [dt * (structure.mass[b] * structure.gravity + force), dt * couple];
        }
        let mut add = |bodies: [u32; 2], point: DVec3, impulse: DVec3, couple: DVec3| {
            let [a, b] = bodies.map(|b| b as usize);
            // What joins two islands carries nothing while they are two.
            if structure.fixed[a] || structure.fixed[b] || islands.share(bodies) {
                for (body, sign) in [(a, -1.0), (b, 1.0)] {
                    let arm = point - self.state.placements[body].center;
                    islands.momentum[body][0] += sign * impulse;
                    islands.momentum[body][1] += sign * (arm.cross(impulse) + couple);
                }
            }
        };
        for contact in &problem.contacts {
            add(contact.bodies, contact.point, contact.guess, DVec3::ZERO);
        }
        for link in &problem.links {
            add(
                link.bodies,
                link.point,
                link.guess * link.force,
                link.guess * link.moment,
            );
        }
        for b in structure.free() {
            let root = islands.parent[b] as usize;
            if islands.sleeps[root] {
                let [momentum, angular] = islands.momentum[b];
                let turning = self.inertia[b].inverse() * angular;
                let speed = momentum.length() / structure.mass[b] + structure.radius[b] * turning.length();
                // Twice, because the velocities of the solver and those of its impulses differ in their rounding; written
                // so that what is no number wakes, too.
                islands.sleeps[root] = speed <= 2.0 * limit;
            }
        }
    }

    /// Wakes islands that something runs into that was thought too far away. Whether there is one.
    pub(super) fn wake_touched(&mut self, dt: f64) -> bool {
        let mut any = false;
        for contact in &self.problem.contacts {
            let [a, b] = contact.bodies.map(|b| b as usize);
            for (block, other) in [(a, b), (b, a)] {
                // Supports that stand still belong to the island.
                let moves = match self.structure.fixed[other] {
                    true => is_moving(&self.problem.bodies[other]),
                    false => !self.islands.sleeps(other),
                };
                if moves && self.islands.sleeps(block) && self.is_overrun(contact, block, dt) {
                    self.islands.sleeps[self.islands.parent[block] as usize] = false;
                    any = true;
                }
            }
        }
        any
    }

    /// Whether a contact that carries nothing ought to, if one of its blocks stands still.
    fn is_overrun(&self, contact: &Contact, still: usize, dt: f64) -> bool {
        let at = |b: u32| match b as usize == still {
            true => DVec3::ZERO,
            false => self.solution.velocities[b as usize].at(contact.point - self.problem.bodies[b as usize].center),
        };
        let [first, second] = contact.bodies;
        let velocity = at(second) - at(first);
        let along = contact.normal.dot(velocity);
        let across = match self.settings.friction {
            Friction::Associated => (velocity - along * contact.normal).length(),
            Friction::Coulomb => 0.0,
        };
        along + contact.gap / dt < contact.friction * across
    }

    /// Looks at islands that hardly move, with a solve of their own, and tells which blocks are at rest after the step.
    /// Gives what was found where the solve replaced some of the solution, and whether that is all of it that is not
    /// asleep. `attempt` is the one that the step was solved by.
    pub(super) fn look_for_rest(
        &mut self,
        dt: f64,
        attempt: StepAttempt,
    ) -> Result<Option<(Answer, bool)>, SimulationError> {
        for b in 0..self.structure.len() {
            self.islands.at_rest[b] = self.islands.sleeps(b);
        }
        if !self.settings.rest || !self.find_candidates(dt) {
            return Ok(None);
        }
        self.warm();
        // Islands are apart here: what joins them carries nothing.
        let fixed = &self.structure.fixed;
        let is_within = |islands: &Islands, bodies: [u32; 2]| {
            let [a, b] = bodies.map(|b| b as usize);
            let is_one = fixed[a] || fixed[b] || islands.share(bodies);
            is_one && (islands.is_candidate(a) || islands.is_candidate(b))
        };
        self.subproblem
            .select(&self.problem, &self.islands, Islands::is_candidate, is_within);
        // That accuracy may be out of reach where the step's own is not: what was good enough before still is.
        let Some(answer) = self.refine(attempt, REST_TOLERANCE)? else {
            return Ok(None);
        };
        for (contact, impulse) in self.problem.contacts.iter().zip(&mut self.solution.impulses) {
            let [a, b] = contact.bodies.map(|b| b as usize);
            let is_cut = !(self.structure.fixed[a] || self.structure.fixed[b] || self.islands.share(contact.bodies));
            if is_cut && (self.islands.is_candidate(a) || self.islands.is_candidate(b)) {
                *impulse = DVec3::ZERO;
            }
        }
        let is_looked_at = |b: usize| self.islands.sleeps(b) || self.islands.is_candidate(b);
        let is_all = self.structure.free().all(is_looked_at);
        let limit = self.rest_limit(dt);
        for b in self.structure.free() {
            let root = self.islands.parent[b] as usize;
            if self.islands.is_candidate[root] && self.speed_of(b, &self.solution.velocities[b]) > limit {
                self.islands.is_candidate[root] = false;
            }
        }
        for b in self.structure.free() {
            self.islands.at_rest[b] |= self.islands.is_candidate(b);
        }
        Ok(Some((answer, is_all)))
    }

    /// Finds islands whose velocities may be nothing but the error of the solver. Whether there is one.
    fn find_candidates(&mut self, dt: f64) -> bool {
        let limit = QUIET * dt * self.structure.gravity.length();
        let is_due = self.state.step.is_multiple_of(REST_EVERY);
        self.islands.is_candidate.fill(false);
        for b in self.structure.free() {
            // What was at rest may be so again at once.
            if is_due || self.state.resting[b] {
                let root = self.islands.parent[b] as usize;
                self.islands.is_candidate[root] = !self.islands.sleeps[root] && !self.islands.is_driven[root];
            }
        }
        for b in self.structure.free() {
            let root = self.islands.parent[b] as usize;
            let after = self.speed_of(b, &self.solution.velocities[b]);
            // Waves go on in blocks that stand still.
            if self.islands.speed[b] > limit || after > limit || self.deformation.has(b) {
                self.islands.is_candidate[root] = false;
            }
        }
        for contact in &self.problem.contacts {
            let [a, b] = contact.bodies.map(|b| b as usize);
            for (block, other) in [(a, b), (b, a)] {
                let moves = match self.structure.fixed[other] {
                    true => is_moving(&self.problem.bodies[other]),
                    false => !self.islands.share(contact.bodies),
                };
                if moves && self.islands.is_candidate(block) && self.is_overrun(contact, block, dt) {
                    self.islands.is_candidate[self.islands.parent[block] as usize] = false;
                }
            }
        }
        self.islands.is_candidate.contains(&true)
    }

    /// Whether all that is looked at is at rest by the last solution of the solver.
    pub(super) fn candidates_rest(&self) -> bool {
        let (found, limit) = (&self.engine.solution().velocities, self.rest_limit(self.problem.dt));
        let mut looked_at = self.structure.free().filter(|&b| self.islands.is_candidate(b));
        looked_at.all(|b| self.speed_of(b, &found[b]) <= limit)
    }

    /// Speed below which a block is at rest (m/s).
    fn rest_limit(&self, dt: f64) -> f64 {
        REST * dt * self.structure.gravity.length()
    }
}

/// Whether a body is a support that moves.
pub(super) fn is_moving(body: &cone::Body) -> bool {
    matches!(body.motion, BodyMotion::Driven { velocity } if velocity != Twist::ZERO)
}
