//! Runs of the program.
#![allow(dead_code, reason = "each test uses its own part")]

use std::{
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;

pub(crate) fn drystone(folder: &Path, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_drystone"))
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

/// Runs a command that must succeed and gives the JSON object it prints.
pub(crate) fn json(folder: &Path, arguments: &str) -> Value {
    let output = drystone(folder, &format!("{arguments} --json"));
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "drystone {arguments}: {err}");
    serde_json::from_str(&out).unwrap_or_else(|e| panic!("drystone {arguments}: {e}: {out}"))
}

/// Runs a command that must fail with a status, and gives what it says on standard error.
pub(crate) fn failure(folder: &Path, arguments: &str, status: i32) -> String {
    let output = drystone(folder, arguments);
    let err = String::from_utf8_lossy(&output.stderr).to_string();
    assert_eq!(output.status.code(), Some(status), "drystone {arguments}: {err}");
    assert!(output.stdout.is_empty(), "errors belong on standard error");
    err
}

pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}
