//! Rest: when nothing moves but by the error of the solver, and steps that need not be solved.

use drystone_cone::{self as cone, Motion, Twist};

use super::Simulation;

/// Speeds below this part of gravity times the step may be nothing but the error of the solver: they are looked at again.
pub(super) const QUIET: f64 = 1e-2;
/// Speeds below this part of it are, if a solve to [`REST_TOLERANCE`] leaves no more.
pub(super) const REST: f64 = 1e-6;
pub(super) const REST_TOLERANCE: f64 = 1e-8;
/// Steps between two looks at a structure that was not found at rest: a look costs as much as many steps.
pub(super) const REST_EVERY: u64 = 10;

impl Simulation {
    /// Whether the step is one that was solved before: nothing moves, and nothing acts that did not.
    pub(super) fn sleeps(&self, dt: f64) -> bool {
        self.may_sleep
            && self.state.at_rest
            && dt == self.state.memory.dt()
            && self.forces == self.last_forces
            && !self.is_driven()
    }

    fn is_driven(&self) -> bool {
        let moves = |body: &cone::Body| matches!(body.motion, Motion::Driven { velocity } if velocity != Twist::ZERO);
        self.problem.bodies.iter().any(moves)
    }

    pub(super) fn sleep(&mut self, dt: f64) {
        let (ticks, time) = (self.ticks_per_step(), self.time_after(dt));
        self.state.tick += ticks;
        self.state.step += 1;
        self.state.time = time;
        self.state.ground = self.ground;
        self.report.dt = dt;
        self.report.contacts = self.problem.contacts.len();
        self.lengthen();
    }

    /// Whether velocities may be nothing but the error of the solver.
    pub(super) fn is_quiet(&self, dt: f64) -> bool {
        let limit = QUIET * dt * self.structure.gravity.length();
        !self.is_driven()
            && self.fastest(&self.state.velocities) <= limit
            && self.fastest(&self.engine.solution().velocities) <= limit
    }
}
