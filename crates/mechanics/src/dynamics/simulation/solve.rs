//! Velocities and impulses of a step.

use std::time::Instant;

use drystone_cone::{BodyMotion, Contact, Twist};
use glam::DVec3;

use super::{
    super::{
        SimulationError,
        rotation::{free_rotation, linearise},
    },
    Simulation,
    gate::{Answer, SQUEEZE},
    integrate::sliding,
    rest::Islands,
};

impl Simulation {
    /// Mass matrices and free velocities, for angular velocities about `iterate`.
    pub(super) fn set_bodies(&mut self, dt: f64) {
        let Self { structure, state, .. } = self;
        for b in structure.free() {
            let before = state.velocities[b];
            let [force, couple] = self.ties.with_pulls(b, self.forces[b]);
            let inertia = self.inertia[b];
            let rotation = self.settings.rotation;
            let acceleration = structure.gravity + force / structure.mass[b];
            let linearised = linearise(rotation, inertia, before.angular, self.iterate[b], couple, dt);
            let free_velocity = Twist {
                linear: before.linear + dt * acceleration,
                angular: linearised.free,
            };
            let body = &mut self.problem.bodies[b];
            body.center = state.placements[b].center;
            if let BodyMotion::Free {
                mass,
                free_velocity: free,
                velocity_before,
            } = &mut body.motion
            {
                for r in 0..3 {
                    for c in 0..3 {
                        // Symmetric to the last bit.
                        let (low, high) = (r.min(c), r.max(c));
                        mass[3 + r][3 + c] = linearised.inertia.col(high)[low];
                    }
                }
                (*free, *velocity_before) = (free_velocity, before);
            }
        }
        for b in 0..structure.len() {
            if structure.fixed[b] {
                self.problem.bodies[b].center = state.placements[b].center;
            }
        }
    }

    /// Finds velocities and impulses. What sleeps keeps its own.
    pub(super) fn solve(&mut self, dt: f64) -> Result<(), SimulationError> {
        let start = Instant::now();
        self.engine.settings.tolerance = self.settings.solver_tolerance();
        self.find_islands(dt);
        let mut answer = Answer::default();
        loop {
            self.begin_solution();
            self.set_iterates(dt);
            for k in 0..self.settings.rotation_iterations.max(1) {
                if k > 0 {
                    self.warm();
                }
                self.set_bodies(dt);
                answer = self.solve_awake()?;
                for b in self.structure.free() {
                    self.iterate[b] = self.solution.velocities[b].angular;
                }
            }
            if !self.wake_touched(dt) {
                break;
            }
            self.warm();
        }
        if let Some((refined, is_all)) = self.look_for_rest(dt, answer.attempt)? {
            // What is told belongs to what is stored.
            let worst = |of: fn(&Answer) -> f64| {
                if is_all {
                    of(&refined)
                } else {
                    of(&answer).max(of(&refined))
                }
            };
            let (residual, local, relaxed) = (worst(|a| a.residual), worst(|a| a.local), worst(|a| a.relaxed));
            answer.opening = worst(|a| a.opening);
            if is_all {
                (answer.status, answer.solver) = (refined.status, refined.solver);
            }
            (answer.residual, answer.local, answer.relaxed) = (residual, local, relaxed);
        }
        if answer.relaxed > 0.0 {
            self.check_squeeze(dt)?;
        }
        [self.report.relative_overlap, self.report.relative_compression] = self.relative_depths();
        self.is_solved = true;
        (self.report.status, self.report.solver, self.report.attempt) = (answer.status, answer.solver, answer.attempt);
        (self.report.residual, self.report.local_residual) = (answer.residual, answer.local);
        (self.report.relaxed, self.report.rebound_lost) = (answer.relaxed, answer.rebound_lost);
        self.report.slip_opening = answer.opening;
        self.report.times.solve_s += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// The first iterate is how a block would turn if nothing touched it: what contacts add is left to the step.
    fn set_iterates(&mut self, dt: f64) {
        for b in self.structure.free() {
            let before = self.state.velocities[b].angular;
            let [_, couple] = self.ties.with_pulls(b, self.forces[b]);
            self.iterate[b] = free_rotation(self.settings.rotation, self.inertia[b], before, couple, dt);
        }
    }

    /// The solution of what sleeps and of supports: nothing moves but as it is told, and impulses are those that were.
    fn begin_solution(&mut self) {
        let Self {
            solution,
            problem,
            islands,
            ..
        } = self;
        solution.velocities.clear();
        solution
            .velocities
            .extend(problem.bodies.iter().map(|body| match body.motion {
                BodyMotion::Driven { velocity } => velocity,
                BodyMotion::Free { .. } => Twist::ZERO,
            }));
        let asleep = |bodies: [u32; 2]| bodies.iter().any(|&b| islands.sleeps(b as usize));
        let is_one = |[a, b]: [u32; 2]| {
            let is_fixed = |b: u32| matches!(problem.bodies[b as usize].motion, BodyMotion::Driven { .. });
            is_fixed(a) || is_fixed(b) || islands.share([a, b])
        };
        let kept = |c: &Contact| {
            if asleep(c.bodies) && is_one(c.bodies) {
                c.guess
            } else {
                DVec3::ZERO
            }
        };
        solution.impulses.clear();
        solution.impulses.extend(problem.contacts.iter().map(kept));
        solution.elastic_slip.clear();
        solution.elastic_slip.extend(problem.contacts.iter().map(|c| c.slip));
        solution.relative_velocities.clear();
        solution.relative_velocities.resize(problem.contacts.len(), DVec3::ZERO);
        solution.link_velocities.clear();
        solution.link_velocities.resize(problem.links.len(), 0.0);
        solution.link_impulses.clear();
        solution.link_impulses.extend(problem.links.iter().map(|l| l.guess));
    }

    /// Solves for all that does not sleep.
    fn solve_awake(&mut self) -> Result<Answer, SimulationError> {
        let is_awake = |islands: &Islands, b: usize| !islands.sleeps(b);
        if self.structure.free().all(|b| self.islands.sleeps(b)) {
            return Ok(Answer::default());
        }
        let joins =
            |islands: &Islands, [a, b]: [u32; 2]| is_awake(islands, a as usize) && is_awake(islands, b as usize);
        self.subproblem.select(&self.problem, &self.islands, is_awake, joins);
        self.attempt_all()
    }

    /// The impulses found last are the next guess.
    pub(super) fn warm(&mut self) {
        let solution = &self.solution;
        for (k, contact) in self.problem.contacts.iter_mut().enumerate() {
            contact.sliding = sliding(contact, solution, k, self.problem.dt);
            contact.guess = solution.impulses[k];
        }
        for (link, &impulse) in self.problem.links.iter_mut().zip(&solution.link_impulses) {
            link.guess = impulse;
        }
    }

    /// The size of the smaller of two blocks (m).
    fn smaller(&self, blocks: [u32; 2]) -> f64 {
        let [a, b] = blocks.map(|b| self.structure.radius[b as usize]);
        2.0 * a.min(b)
    }

    /// The deepest overlap that is no compression of a spring, and the largest compression, both at the start and over the
    /// size of the smaller block.
    fn relative_depths(&self) -> [f64; 2] {
        let contacts = self.problem.contacts.iter().zip(&self.springs);
        contacts.fold([0.0; 2], |[overlap, compression], (contact, spring)| {
            let size = self.smaller(contact.bodies);
            // The gap of a spring is what it is apart from its rest by.
            let depth = if contact.compliance[0] > 0.0 { -contact.gap } else { 0.0 };
            [overlap.max(spring.unsettled() / size), compression.max(depth / size)]
        })
    }

    /// Stops the run where what was relaxed lets blocks go deeper into each other than [`SQUEEZE`] allows.
    fn check_squeeze(&self, dt: f64) -> Result<(), SimulationError> {
        let found = &self.detector.contacts().contacts;
        let stated = self.problem.contacts.iter().zip(found);
        for ((contact, found), u) in stated.zip(&self.solution.relative_velocities) {
            let closing = -dt * contact.normal.dot(*u);
            let size = self.smaller(contact.bodies);
            let depth = closing - found.gap;
            // What was drawn so deep in each other, and goes no deeper, is no squeeze. A NaN is.
            let (is_shallow, stays) = (depth <= SQUEEZE * size, closing <= 1e-6 * size);
            if !is_shallow && !stays {
                return Err(SimulationError::Squeezed {
                    time: self.state.time,
                    blocks: contact.bodies.map(|b| self.structure.names[b as usize].clone()),
                    depth,
                    allowed: SQUEEZE * size,
                    driven: self.is_driven(),
                });
            }
        }
        Ok(())
    }
}
