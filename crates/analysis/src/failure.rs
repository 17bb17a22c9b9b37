//! Why there is no answer, for every front end.

use std::{
    convert::Infallible,
    fmt::{self, Display},
};

use drystone_mechanics::dynamics::SimulationError;
use drystone_model::{file::ReadError, recipes::RecipeError};

use crate::RunError;

/// Why a command ended without an answer. Boxed, because results pass through many hands.
#[derive(Clone, Debug)]
pub struct Failure(Box<Content>);

#[derive(Clone, Debug)]
struct Content {
    message: String,
    help: Option<String>,
    kind: FailureKind,
    place: Option<Place>,
}

/// Whose fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// Bad input or bad usage.
    Input,
    /// The input is good, but the run failed.
    Run,
}

/// Where in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

impl Failure {
    /// Bad input or bad usage.
    pub fn input(message: impl Display) -> Self {
        Self(Box::new(Content {
            message: message.to_string(),
            help: None,
            kind: FailureKind::Input,
            place: None,
        }))
    }

    /// The input is good, but the run failed.
    pub fn run(message: impl Display) -> Self {
        let mut failure = Self::input(message);
        failure.0.kind = FailureKind::Run;
        failure
    }

    /// The same failure with a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Display) -> Self {
        self.0.help = Some(help.to_string());
        self
    }

    /// The same failure at a place in a file.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.0.place = Some(place);
        self
    }

    /// What went wrong, in one line.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What would help.
    pub fn remedy(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// Whose fault it is.
    pub fn kind(&self) -> FailureKind {
        self.0.kind
    }

    /// Where in a file it lies.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Failure {}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::run(error)
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let mut failure = Self::input(&error);
        if let ReadError::Syntax { file, line, column, .. } = error {
            failure.0.place = Some(Place { file, line, column });
        }
        failure
    }
}

impl From<RecipeError> for Failure {
    fn from(error: RecipeError) -> Self {
        Self::input(error)
    }
}

impl From<SimulationError> for Failure {
    fn from(error: SimulationError) -> Self {
        Self::run(error)
    }
}

impl<E: Into<Failure>> From<RunError<E>> for Failure {
    fn from(error: RunError<E>) -> Self {
        match error {
            RunError::Simulation(error) => error.into(),
            RunError::Observer(error) => error.into(),
        }
    }
}

impl From<Infallible> for Failure {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
