//! Velocities and impulses of a step.

use std::time::Instant;

use drystone_cone::{Friction, Motion, Solution, Solver, Status, Twist};

use super::{
    super::{SimulationError, rotation::linearise},
    Simulation,
    rest::{REST, REST_EVERY, REST_TOLERANCE},
};

/// Residual up to which a solution will do that the solver could not finish.
const ROUGH: f64 = 1e-2;

impl Simulation {
    /// Mass matrices and free velocities, for angular velocities about `iterate`.
    fn set_bodies(&mut self, dt: f64) {
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

    /// Finds velocities and impulses.
    pub(super) fn solve(&mut self, dt: f64) -> Result<(), SimulationError> {
        let start = Instant::now();
        self.engine.settings.tolerance = self.settings.solver_tolerance();
        for k in 0..self.settings.rotation_iterations.max(1) {
            if k > 0 {
                self.warm();
            }
            self.set_bodies(dt);
            self.solve_once()?;
            let velocities = &self.engine.solution().velocities;
            for b in self.structure.free() {
                self.iterate[b] = velocities[b].angular;
            }
        }
        let was_at_rest = std::mem::take(&mut self.state.at_rest);
        self.may_sleep = true;
        let is_due = was_at_rest || self.state.step.is_multiple_of(REST_EVERY);
        if self.settings.rest && is_due && self.is_quiet(dt) {
            self.warm();
            self.engine.settings.tolerance = REST_TOLERANCE;
            if self.solve_once().is_ok() {
                let limit = REST * dt * self.structure.gravity.length();
                self.state.at_rest = self.fastest(&self.engine.solution().velocities) <= limit;
            } else {
                // That accuracy may be out of reach where the step's own is not: what was good enough before still is.
                self.engine.settings.tolerance = self.settings.solver_tolerance();
                self.solve_once()?;
            }
        }
        let solution = self.engine.solution();
        self.report.solver = solution.solver;
        self.report.residual = residual_of(solution, self.settings.friction);
        // A look at rest asks for more than the step needs, and what it falls short of is no fault of the step.
        let is_accurate = self.report.residual <= self.settings.solver_tolerance();
        self.report.status = if is_accurate { Status::Solved } else { solution.status };
        self.report.times.solve_s += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// The impulses found last are the next guess.
    fn warm(&mut self) {
        let solution = self.engine.solution();
        for (contact, &impulse) in self.problem.contacts.iter_mut().zip(&solution.impulses) {
            contact.guess = impulse;
        }
        for (link, &impulse) in self.problem.links.iter_mut().zip(&solution.link_impulses) {
            link.guess = impulse;
        }
    }

    /// Solves the problem as stated; where that fails, once more from nothing, and then with another solver. A solution
    /// that a solver could not finish will do if its residual is small; that it is above the tolerance is reported.
    fn solve_once(&mut self) -> Result<(), SimulationError> {
        let (time, friction) = (self.state.time, self.settings.friction);
        let mut status = Status::NumericalError;
        for (warm_start, solver) in [
            (true, self.settings.solver),
            (false, self.settings.solver),
            (false, Solver::Clarabel),
        ] {
            (self.engine.settings.warm_start, self.engine.settings.solver) = (warm_start, solver);
            let outcome = self.engine.solve(&self.problem).map(|solution| {
                let usable = match solution.status {
                    Status::Infeasible => false,
                    Status::NumericalError => residual_of(solution, friction) <= ROUGH,
                    Status::Solved | Status::Inaccurate | Status::IterationLimit => true,
                };
                (solution.status, solution.iterations, usable)
            });
            (self.engine.settings.warm_start, self.engine.settings.solver) = (true, self.settings.solver);
            let (ended, iterations, usable) = outcome.map_err(|source| SimulationError::Problem { time, source })?;
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
