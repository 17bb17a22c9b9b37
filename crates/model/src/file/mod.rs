//! Model files: JSON, versioned, made to be written by hand as well as by programs.
//!
//! Reading has two paths. A good file takes the fast one: straight into the types, then [`crate::check::problems`].
//! A file that does not fit the types is read again as plain JSON and compared with the schema generated from those
//! same types, so that every structural fault is found at once, with its place, its value and what is allowed there.

mod bytes;
mod faults;
mod print;
mod schema;

use std::path::{Path, PathBuf};

pub use bytes::{LARGEST_FILE, Pipes, file_bytes};
pub use schema::schema;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    FORMAT_VERSION, Model, Stages,
    check::{self, ModelProblem},
};

/// Why a model file, or one of stages, could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file could not be opened or read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not JSON.
    #[error("{file}:{line}:{column}: {message}")]
    Syntax {
        /// Name of the file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong there: `not JSON: ...`, or that the file is not whole.
        message: String,
    },
    /// The file is JSON, but not sound.
    #[error("{}", list(file, problems))]
    Invalid {
        /// Name of the file.
        file: String,
        /// Everything that was found.
        problems: Vec<ModelProblem>,
    },
}

/// Problems listed before the rest is only counted.
const MOST_LISTED: usize = 40;

fn list(file: &str, problems: &[ModelProblem]) -> String {
    let plural = if problems.len() == 1 { "problem" } else { "problems" };
    let mut text = format!("{file}: {} {plural}", problems.len());
    for problem in problems.iter().take(MOST_LISTED) {
        text.push_str(&format!("\n  {problem}"));
    }
    if problems.len() > MOST_LISTED {
        text.push_str(&format!("\n  ... and {} more", problems.len() - MOST_LISTED));
    }
    text
}

/// Reads a model file. The model returned is sound: only warnings are left for [`crate::check::problems`] to report.
pub fn read(path: &Path) -> Result<Model, ReadError> {
    parse(&bytes_of(path)?, &path.display().to_string())
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, ReadError> {
    file_bytes(path, LARGEST_FILE, Pipes::Allowed).map_err(|source| ReadError::Io {
        path: path.to_path_buf(),
        source,
    })
}

/// Reads a file of stages for a model.
pub fn read_stages(path: &Path, model: &Model) -> Result<Stages, ReadError> {
    parse_stages(&bytes_of(path)?, &path.display().to_string(), model)
}

/// Reads stages for a model from the bytes of a file; `file` is the name that errors give.
pub fn parse_stages(bytes: &[u8], file: &str, model: &Model) -> Result<Stages, ReadError> {
    let stages: Stages = typed(bytes, file, schema::stages())?;
    match stages.problems(model) {
        problems if problems.is_empty() => Ok(stages),
        problems => Err(invalid(file, problems)),
    }
}

/// Reads a model from the bytes of a file; `file` is the name that errors give.
pub fn parse(bytes: &[u8], file: &str) -> Result<Model, ReadError> {
    let model: Model = typed(bytes, file, schema())?;
    if model.drystone != FORMAT_VERSION {
        return Err(invalid(file, vec![wrong_version(&Value::from(model.drystone))]));
    }
    let errors: Vec<ModelProblem> = check::problems(&model)
        .into_iter()
        .filter(ModelProblem::is_error)
        .collect();
    if errors.is_empty() {
        Ok(model)
    } else {
        Err(invalid(file, errors))
    }
}

fn invalid(file: &str, problems: Vec<ModelProblem>) -> ReadError {
    ReadError::Invalid {
        file: file.to_string(),
        problems,
    }
}

/// The bytes of a file as something that has this schema.
fn typed<T: DeserializeOwned>(bytes: &[u8], file: &str, schema: &Value) -> Result<T, ReadError> {
    // A byte order mark is not JSON, but editors leave it behind.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(bytes).map_err(|error| explain(bytes, file, schema, &error))
}

/// The model as the text of a file, laid out for people: short things on one line. Reads back to the same bits.
pub fn to_text(model: &Model) -> Result<String, serde_json::Error> {
    Ok(print::pretty(&serde_json::to_value(model)?))
}

fn explain(bytes: &[u8], file: &str, schema: &Value, error: &serde_json::Error) -> ReadError {
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(error) => {
            let (line, column) = (error.line(), error.column().max(1));
            return ReadError::Syntax {
                file: file.to_string(),
                line,
                column,
                message: syntax(bytes, &error),
            };
        }
    };
    match value.get("drystone") {
        Some(version) if *version != FORMAT_VERSION => return invalid(file, vec![wrong_version(version)]),
        _ => {}
    }
    let mut problems = faults::faults(&value, schema);
    if problems.is_empty() {
        // What the schema cannot express, such as a field given twice.
        let place = format!("line {}, column {}", error.line(), error.column());
        problems.push(ModelProblem::error(place, without_place(error)));
    }
    invalid(file, problems)
}

fn wrong_version(found: &Value) -> ModelProblem {
    let message = format!("{found} is not a version of the format that this program reads; it reads {FORMAT_VERSION}");
    ModelProblem::error("drystone", message)
}

/// serde_json's message, with a remedy for what people write most often.
fn syntax(bytes: &[u8], error: &serde_json::Error) -> String {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return "not JSON: the file is empty".to_string();
    }
    if error.is_eof() {
        let message = without_place(error);
        let within = message.strip_prefix("EOF while parsing ").unwrap_or("a value");
        return format!("not a whole JSON file: it ends too early, within {within}");
    }
    format!("not JSON: {}", fault(bytes, error))
}

fn fault(bytes: &[u8], error: &serde_json::Error) -> String {
    let message = without_place(error);
    let line = bytes
        .split(|&b| b == b'\n')
        .nth(error.line().saturating_sub(1))
        .unwrap_or_default();
    let at = error.column().saturating_sub(1).min(line.len());
    // The error may stand on the first or just behind the first character of the word.
    let from = line[..at]
        .iter()
        .rposition(|b| !b.is_ascii_alphabetic() && *b != b'-')
        .map_or(0, |k| k + 1);
    let word: Vec<u8> = line[from..]
        .iter()
        .copied()
        .take_while(|b| b.is_ascii_alphabetic() || *b == b'-')
        .collect();
    let word = String::from_utf8_lossy(&word).to_string();
    let bare = word.trim_start_matches('-').to_ascii_lowercase();
    if ["nan", "inf", "infinity"].contains(&bare.as_str()) {
        return format!("`{word}` is not a number; every number must be finite");
    }
    if message.contains("number out of range") {
        return format!("{message}: every number must be finite, at most about 1.8e308");
    }
    message
}

fn without_place(error: &serde_json::Error) -> String {
    error
        .to_string()
        .split(" at line ")
        .next()
        .unwrap_or_default()
        .to_string()
}
