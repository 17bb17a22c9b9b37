//! Why a question about a structure at rest cannot be asked.

use drystone_cone::ProblemError;

use crate::{StructureError, dynamics::SimulationError};

/// What is wrong with a question.
#[derive(Debug, thiserror::Error)]
pub enum StaticsError {
    /// The model is no structure.
    #[error(transparent)]
    Structure(#[from] StructureError),
    /// The contact problem cannot be stated.
    #[error(transparent)]
    Problem(ProblemError),
    /// The structure cannot be simulated.
    #[error(transparent)]
    Simulation(#[from] Box<SimulationError>),
    /// A load case is not in the model.
    #[error("there is no load case `{name}`; the model has: {known}")]
    NoSuchLoad {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// Blocks that deform cannot be brought into equilibrium.
    #[error("{0}")]
    Elastic(String),
    /// It was told to stop.
    #[error("stopped")]
    Stopped,
    /// Nothing acts on the structure.
    #[error("{0}")]
    NoLoad(&'static str),
    /// A direction or an axis has no length.
    #[error("{what} must have a length: got {x}, {y}, {z}")]
    NoDirection {
        /// What it is.
        what: &'static str,
        /// First component.
        x: f64,
        /// Second component.
        y: f64,
        /// Third component.
        z: f64,
    },
}

impl From<ProblemError> for StaticsError {
    fn from(error: ProblemError) -> Self {
        match error {
            ProblemError::Stopped => Self::Stopped,
            other => Self::Problem(other),
        }
    }
}

impl From<SimulationError> for StaticsError {
    fn from(error: SimulationError) -> Self {
        Self::Simulation(Box::new(error))
    }
}

impl StaticsError {
    /// That a model has no load case of a name.
    pub fn no_such_load(name: &str, model: &drystone_model::Model) -> Self {
        let known: Vec<&str> = model.load_cases.keys().map(String::as_str).collect();
        Self::NoSuchLoad {
            name: name.into(),
            known: if known.is_empty() {
                "none".into()
            } else {
                known.join(", ")
            },
        }
    }
}
