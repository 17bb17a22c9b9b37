//! What was tried on the way to a solution, in order.

use std::ops::Deref;

use crate::{methods::Solver, solution::Status};

/// What a stage does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SolverStageKind {
    /// A method, from where the stage before it ended or from the guess.
    Method(Solver),
    /// Newton's method on the natural map polishes what the method found.
    Polish,
    /// Proximal points lead out of a local minimum of the natural map.
    LeaveLocalMinimum,
    /// Forces on bodies at rest with associated friction, from a guess.
    AtRestWarm,
    /// The same without a guess: the first mu for each body.
    AtRestCold(f64),
    /// Forces on bodies at rest with Coulomb friction: the least fraction of r.z that a step aims at.
    AtRestCoulomb(f64),
    /// Bodies that creep to rest, or away.
    Creep,
}

impl SolverStageKind {
    /// Name as tables and JSON show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Method(solver) => solver.name(),
            Self::Polish => "polish",
            Self::LeaveLocalMinimum => "leave_local_minimum",
            Self::AtRestWarm => "at_rest_warm",
            Self::AtRestCold(_) => "at_rest_cold",
            Self::AtRestCoulomb(_) => "at_rest_coulomb",
            Self::Creep => "creep",
        }
    }
}

/// How a stage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SolverStageOutcome {
    /// It met the tolerance, as it measures it.
    Solved,
    /// It came nearer, and not near enough.
    #[default]
    Improved,
    /// It made no more progress above the tolerance.
    Stalled,
    /// It found that there is no solution.
    Infeasible,
    /// It reached its limit on iterations.
    IterationLimit,
    /// It reached its limit on arithmetic.
    WorkLimit,
    /// It was not tried: the problem is larger than the method is meant for.
    TooLarge,
    /// It was not tried: the stages before it ended too far from a solution.
    TooFar,
    /// A number overflowed or a factorisation broke down.
    NumericalError,
}

impl SolverStageOutcome {
    /// Name as tables and JSON show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Solved => "solved",
            Self::Improved => "improved",
            Self::Stalled => "stalled",
            Self::Infeasible => "infeasible",
            Self::IterationLimit => "iteration_limit",
            Self::WorkLimit => "work_limit",
            Self::TooLarge => "too_large",
            Self::TooFar => "too_far",
            Self::NumericalError => "numerical_error",
        }
    }
}

impl From<Status> for SolverStageOutcome {
    fn from(status: Status) -> Self {
        match status {
            Status::Solved => Self::Solved,
            Status::Inaccurate => Self::Stalled,
            Status::Infeasible => Self::Infeasible,
            Status::IterationLimit => Self::IterationLimit,
            Status::NumericalError => Self::NumericalError,
        }
    }
}

/// One stage: what was tried, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverStage {
    /// What was tried.
    pub kind: SolverStageKind,
    /// How it ended.
    pub outcome: SolverStageOutcome,
    /// The least residual that it met, by the measure that it stops by; none where it measures none.
    pub residual: Option<f64>,
    /// Iterations, as it counts them.
    pub iterations: usize,
}

/// Stages that fit: those of two methods, one after the other, with every turn of polishing.
const MOST: usize = 20;

/// The stages of a solve, in the order in which they were tried; it takes no memory beyond its own. The last answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stages {
    list: [SolverStage; MOST],
    len: usize,
}

impl Default for Stages {
    fn default() -> Self {
        let none = SolverStage {
            kind: SolverStageKind::Polish,
            outcome: SolverStageOutcome::Improved,
            residual: None,
            iterations: 0,
        };
        Self {
            list: [none; MOST],
            len: 0,
        }
    }
}

impl Deref for Stages {
    type Target = [SolverStage];

    fn deref(&self) -> &[SolverStage] {
        &self.list[..self.len]
    }
}

impl Stages {
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds a stage. Where there is no more room, the last gives way to it.
    pub(crate) fn push(&mut self, stage: SolverStage) {
        self.len = (self.len + 1).min(MOST);
        self.list[self.len - 1] = stage;
    }
}
