//! Failures as Python exceptions, with the messages of the command line.

use drystone::analysis::{Failure, FailureKind};
use pyo3::{create_exception, exceptions::PyRuntimeError, exceptions::PyValueError, prelude::*};

create_exception!(
    drystone,
    InputError,
    PyValueError,
    "Bad input: a model, an option or a question that cannot be asked. The message says what is wrong, and what would help."
);
create_exception!(
    drystone,
    RunError,
    PyRuntimeError,
    "The input is good, but the run failed."
);

/// The exception of a failure.
pub(crate) fn raised(failure: &Failure) -> PyErr {
    let mut message = failure.message().to_string();
    let place = failure.place();
    // Some messages begin with it.
    if let Some(place) = place.filter(|p| !message.contains(&format!(":{}:{}:", p.line, p.column))) {
        message = format!("{message} (line {}, column {})", place.line, place.column);
    }
    if let Some(help) = failure.remedy() {
        message = format!("{message}\nhelp: {help}");
    }
    match failure.kind() {
        FailureKind::Input => InputError::new_err(message),
        FailureKind::Run => RunError::new_err(message),
    }
}
