use std::sync::{Arc, Mutex, PoisonError};

use drystone_cone::Stop;
use drystone_mechanics::statics::Solvers;
use serde::Serialize;

pub(crate) use drystone_analysis::words::{area, count, counted, force, length, mass, size, volume};

use drystone_analysis::Failure;

/// How a command talks: text for people or one JSON object, and how much; or with a program that called it.
#[derive(Default)]
pub(crate) struct Console {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    pub(crate) caller: Option<Arc<Caller>>,
    /// The command line, where there is one.
    pub(crate) command: Option<String>,
}

/// A program that a command answers instead of a terminal.
#[derive(Default)]
pub struct Caller {
    /// Ends the work.
    pub stop: Stop,
    /// Is told how much of it is done, from 0 to 1, and what is done now.
    pub progress: Option<Arc<Tell>>,
    /// What it should know.
    warnings: Mutex<Vec<String>>,
}

/// Who is told how far the work is.
pub type Tell = dyn Fn(f64, &str) + Send + Sync;

impl Console {
    /// One that answers a program.
    pub(crate) fn for_caller(caller: Arc<Caller>) -> Self {
        Self {
            caller: Some(caller),
            ..Self::default()
        }
    }

    /// Prints the result of a command: as JSON if asked for, else as text.
    pub(crate) fn result(&self, json: &impl Serialize, text: impl FnOnce() -> String) -> Result<(), Failure> {
        let shown = if self.json {
            serde_json::to_string(json).map_err(Failure::run)?
        } else {
            text()
        };
        // What was printed line by line may leave nothing to add.
        if shown.is_empty() { Ok(()) } else { print(&shown) }
    }

    /// Prints a part of the result as soon as it is there. In JSON it comes with the rest.
    pub(crate) fn line(&self, text: &str) -> Result<(), Failure> {
        if self.json { Ok(()) } else { print(text) }
    }

    /// Prints what one may want to know on standard error, unless told to be quiet.
    pub(crate) fn note(&self, message: impl std::fmt::Display) {
        if !self.quiet && self.caller.is_none() {
            eprintln!("note: {message}");
        }
    }

    /// Prints a warning on standard error, unless told to be quiet.
    pub(crate) fn warn(&self, message: impl std::fmt::Display) {
        match &self.caller {
            Some(caller) => caller.add(message.to_string()),
            None if self.quiet => {}
            None => eprintln!("warning: {message}"),
        }
    }

    /// Tells a caller how far the work is.
    pub(crate) fn progress(&self, done: f64, what: &str) {
        if let Some(progress) = self.caller.as_ref().and_then(|caller| caller.progress.as_ref()) {
            progress(done, what);
        }
    }

    /// What ends the work: a caller, if one wants to.
    pub(crate) fn stop(&self) -> Stop {
        self.caller
            .as_ref()
            .map(|caller| caller.stop.clone())
            .unwrap_or_default()
    }

    /// Solvers that a caller can stop.
    pub(crate) fn solvers(&self) -> Solvers {
        let mut solvers = Solvers::stopped_by(self.stop());
        if let Some(progress) = self.caller.as_ref().and_then(|caller| caller.progress.clone()) {
            solvers.tell(move |done, what| progress(done, what));
        }
        solvers
    }
}

impl Caller {
    /// What it should know.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn add(&self, warning: String) {
        // What was told before a panic elsewhere is still true.
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        warnings.push(warning);
    }
}

fn print(text: &str) -> Result<(), Failure> {
    use std::io::Write;
    // A closed pipe (`| head`) is not a failure of the run.
    match writeln!(std::io::stdout(), "{}", text.trim_end()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Rows of a name and a value, the values in one column.
pub(crate) fn table(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    rows.iter()
        .map(|(name, value)| format!("{name:<width$}  {value}\n"))
        .collect()
}
