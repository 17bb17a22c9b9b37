//! What a step reports.

use drystone_cone::{Solver, Status};

use super::StepAttempt;

/// Where the time of a step went (unit: s).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepTimes {
    /// Finding contacts.
    pub detect_s: f64,
    /// Stating the contact problem.
    pub assemble_s: f64,
    /// Solving it.
    pub solve_s: f64,
    /// Of the time of solving, what went into factorisations.
    pub factor_s: f64,
    /// Moving the blocks, and keeping account of the energy.
    pub integrate_s: f64,
}

impl StepTimes {
    /// The whole step.
    pub fn total_s(&self) -> f64 {
        self.detect_s + self.assemble_s + self.solve_s + self.integrate_s
    }
}

/// One step, looked back at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    /// Length of the step (s).
    pub dt: f64,
    /// Contact points.
    pub contacts: usize,
    /// How the solver ended.
    pub status: Status,
    /// Which solver it was.
    pub solver: Solver,
    /// Its iterations, those of all solves of the step together. None where everything was at rest.
    pub iterations: usize,
    /// Accuracy reached: the error of the velocities, a bound with associated friction and an estimate with Coulomb's.
    pub residual: f64,
    /// The same for the contact or block that is worst off, over the speed that counts there.
    pub local_residual: f64,
    /// The attempt that answered: see [`StepAttempt`].
    pub attempt: StepAttempt,
    /// Solves that were tried, those of all iterations of the step together.
    pub attempts: usize,
    /// Where constraints contradict each other and some were relaxed: the farthest that one is from being met at the end
    /// (m).
    pub relaxed: f64,
    /// Where Coulomb's law was met to less than the tolerance: the most that a joint opens or closes by it (m).
    pub slip_opening: f64,
    /// Fraction of the restitution that was given up, in islands whose rebounds would have created energy.
    pub rebound_lost: f64,
    /// Largest displacement of the centre of a free block since the start, at the end of the step, relative to the ground (m).
    pub max_displacement: f64,
    /// Largest speed of the centre of a free block at the end, relative to the ground (m/s).
    pub max_speed: f64,
    /// Fraction of the free blocks, by number, that have fallen by more than their own size, relative to the ground.
    pub fallen: f64,
    /// Deepest interpenetration at the start (m).
    pub overlap: f64,
    /// The deepest over the size of the smaller block of its pair.
    pub relative_overlap: f64,
    /// The largest compression of a joint that yields, over the same.
    pub relative_compression: f64,
    /// Where the time went.
    pub times: StepTimes,
}
