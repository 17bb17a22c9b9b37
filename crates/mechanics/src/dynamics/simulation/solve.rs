//! Velocities and impulses of a step.

use std::time::Instant;

use drystone_cone::{Contact, Friction, Motion, ProblemError, Solution, Solver, Status, Twist};
use glam::DVec3;

use super::{
    super::{
        SimulationError,
        rotation::{free_rotation, linearise},
    },
    Simulation,
    rest::Islands,
};

/// Residual up to which a solution will do that the solver could not finish.
const ROUGH: f64 = 1e-2;

impl Simulation {
    /// Mass matrices and free velocities, for angular velocities about `iterate`.
    pub(super) fn set_bodies(&mut self, dt: f64) {
        let Self { structure, state, .. } = self;
        for b in structure.free() {
            let before = state.velocities[b];
            let [force, couple] = self.forces[b];
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
            if let Motion::Free {
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
        loop {
            self.begin_solution();
            self.set_iterates(dt);
            for k in 0..self.settings.rotation_iterations.max(1) {
                if k > 0 {
                    self.warm();
                }
                self.set_bodies(dt);
                self.solve_awake()?;
                for b in self.structure.free() {
                    self.iterate[b] = self.solution.velocities[b].angular;
                }
            }
            if !self.wake_touched(dt) {
                break;
            }
            self.warm();
        }
        self.look_for_rest(dt);
        self.is_solved = true;
        self.report.solver = self.solution.solver;
        self.report.residual = residual_of(&self.solution, self.settings.friction);
        // A look at rest asks for more than the step needs, and what it falls short of is no fault of the step.
        let is_accurate = self.report.residual <= self.settings.solver_tolerance();
        self.report.status = if is_accurate {
            Status::Solved
        } else {
            self.solution.status
        };
        self.report.times.solve_s += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// The first iterate is how a block would turn if nothing touched it: what contacts add is left to the step.
    fn set_iterates(&mut self, dt: f64) {
        for b in self.structure.free() {
            let (before, couple) = (self.state.velocities[b].angular, self.forces[b][1]);
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
        (solution.status, solution.solver, solution.residuals) = Default::default();
        solution.velocities.clear();
        solution
            .velocities
            .extend(problem.bodies.iter().map(|body| match body.motion {
                Motion::Driven { velocity } => velocity,
                Motion::Free { .. } => Twist::ZERO,
            }));
        let asleep = |bodies: [u32; 2]| bodies.iter().any(|&b| islands.sleeps(b as usize));
        let is_one = |[a, b]: [u32; 2]| {
            let is_fixed = |b: u32| matches!(problem.bodies[b as usize].motion, Motion::Driven { .. });
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
        solution.link_impulses.clear();
        solution.link_impulses.extend(problem.links.iter().map(|l| l.guess));
    }

    /// Solves for all that does not sleep.
    fn solve_awake(&mut self) -> Result<(), SimulationError> {
        let is_awake = |islands: &Islands, b: usize| !islands.sleeps(b);
        if self.structure.free().all(|b| self.islands.sleeps(b)) {
            return Ok(());
        }
        let joins =
            |islands: &Islands, [a, b]: [u32; 2]| is_awake(islands, a as usize) && is_awake(islands, b as usize);
        self.part.select(&self.problem, &self.islands, is_awake, joins);
        self.solve_part()?;
        let found = self.engine.solution();
        (self.solution.status, self.solution.solver, self.solution.residuals) =
            (found.status, found.solver, found.residuals);
        Ok(())
    }

    /// Solves for the part that was selected, and takes its solution over.
    pub(super) fn solve_part(&mut self) -> Result<(), SimulationError> {
        self.solve_once()?;
        self.part.take_over(self.engine.solution(), &mut self.solution);
        Ok(())
    }

    /// The impulses found last are the next guess.
    pub(super) fn warm(&mut self) {
        let solution = &self.solution;
        for (contact, &impulse) in self.problem.contacts.iter_mut().zip(&solution.impulses) {
            contact.guess = impulse;
        }
        for (link, &impulse) in self.problem.links.iter_mut().zip(&solution.link_impulses) {
            link.guess = impulse;
        }
    }

    /// Solves the problem as stated; where that fails, once more from nothing, and then with another solver. A solution
    /// that a solver could not finish will do if its residual is small; that it is above the tolerance is reported.
    pub(super) fn solve_once(&mut self) -> Result<(), SimulationError> {
        let (time, friction) = (self.state.time, self.settings.friction);
        let mut status = Status::NumericalError;
        for (warm_start, solver) in [
            (true, self.settings.solver),
            (false, self.settings.solver),
            (false, Solver::Clarabel),
        ] {
            (self.engine.settings.warm_start, self.engine.settings.solver) = (warm_start, solver);
            let outcome = self.engine.solve(self.part.problem(&self.problem)).map(|solution| {
                let usable = match solution.status {
                    Status::Infeasible => false,
                    Status::NumericalError => residual_of(solution, friction) <= ROUGH,
                    Status::Solved | Status::Inaccurate | Status::IterationLimit => true,
                };
                (solution.status, solution.iterations, usable)
            });
            (self.engine.settings.warm_start, self.engine.settings.solver) = (true, self.settings.solver);
            let (ended, iterations, usable) = outcome.map_err(|source| match source {
                ProblemError::Stopped => SimulationError::Stopped,
                source => SimulationError::Problem { time, source },
            })?;
            self.report.iterations += iterations;
            if usable {
                return Ok(());
            }
            status = ended;
        }
        Err(SimulationError::Unsolved { time, status })
    }
}

/// What tells how good a solution is: the bound of the velocity error with associated friction, the natural map with
/// Coulomb's.
fn residual_of(solution: &Solution, friction: Friction) -> f64 {
    match friction {
        Friction::Associated => solution.residuals.velocity_error,
        Friction::Coulomb => solution.residuals.natural_map,
    }
}
