use serde::Serialize;

pub(crate) use drystone_analysis::words::{area, count, counted, force, length, mass, size, volume};

use drystone_analysis::Failure;

/// How a command talks: text for people or one JSON object, and how much.
pub(crate) struct Console {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
}

impl Console {
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

    /// Prints what one should know on standard error, unless told to be quiet.
    pub(crate) fn note(&self, message: impl std::fmt::Display) {
        if !self.quiet {
            eprintln!("note: {message}");
        }
    }

    /// Prints a warning on standard error, unless told to be quiet.
    pub(crate) fn warn(&self, message: impl std::fmt::Display) {
        if !self.quiet {
            eprintln!("warning: {message}");
        }
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
