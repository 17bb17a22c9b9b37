//! Development tasks, run as `cargo xtask TASK`.
//!
//! `test` runs every test there is, after installing what they need; `ci` adds formatting and lints, and is what the
//! continuous integration runs.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

const HELP: &str = "\
Development tasks: cargo xtask TASK

  test   install what the tests need (a Python environment under target/) and run all of them
  ci     formatting, lints with warnings denied, documentation, then the tests
  docs   write anew what docs/ takes from the code: reference, schema, tables, recipes and their pictures";

type Done = Result<(), String>;

fn main() -> ExitCode {
    let task = std::env::args().nth(1);
    let done = match task.as_deref() {
        Some("test") => test(),
        Some("ci") => ci(),
        Some("docs") => docs(),
        Some("help" | "--help" | "-h") => {
            println!("{HELP}");
            Ok(())
        }
        Some(other) => Err(format!("no task is called `{other}`\n\n{HELP}")),
        None => Err(HELP.to_string()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn ci() -> Done {
    cargo(&["fmt", "--all", "--check"], &[])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[])?;
    cargo(
        &["doc", "--workspace", "--no-deps", "--quiet"],
        &[("RUSTDOCFLAGS", "-D warnings")],
    )?;
    test()
}

fn test() -> Done {
    let python = python_environment()?;
    let environment = [(
        "DRYSTONE_PYTHON",
        python.to_str().ok_or("the path of the project is not valid UTF-8")?,
    )];
    let mut count = Count::default();
    run_tests(&["test", "--workspace", "--doc"], &environment, &mut count)?;
    run_tests(&["test", "--workspace", "--all-targets"], &environment, &mut count)?;
    println!(
        "\nall tests of the workspace:\n{} passed, {} failed",
        count.passed, count.failed
    );
    Ok(())
}

fn docs() -> Done {
    cargo(
        &[
            "run",
            "--release",
            "--package",
            "drystone-output",
            "--example",
            "draw_recipes",
            "docs/pictures",
        ],
        &[],
    )?;
    let update = [("UPDATE_DOCS", "1")];
    cargo(
        &[
            "test",
            "--package",
            "drystone-model",
            "--test",
            "docs",
            "--test",
            "bad_inputs",
        ],
        &update,
    )?;
    cargo(
        &["test", "--package", "drystone", "--bin", "drystone", "statics_files"],
        &update,
    )
}

/// The workspace's root: the folder above this package.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// A Python environment with the packages that tests read our files with, made once and kept under `target/`.
fn python_environment() -> Result<PathBuf, String> {
    let folder = root().join("target/test-python");
    let python = folder.join("bin/python");
    let requirements = root().join("crates/output/tests/requirements.txt");
    let wanted = std::fs::read_to_string(&requirements).map_err(|e| format!("{}: {e}", requirements.display()))?;
    let stamp = folder.join("installed.txt");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    println!("installing Python packages for the tests into {}", folder.display());
    let venv = || run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder));
    // Debian ships Python without this module; its own package brings it.
    if venv().is_err() {
        run(Command::new("apt-get").args(["install", "-y", "python3-venv"]))?;
        venv()?;
    }
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "-r"])
        .arg(&requirements))?;
    std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(python)
}

fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Done {
    println!("\n> cargo {}", arguments.join(" "));
    run(Command::new(env!("CARGO"))
        .args(arguments)
        .envs(environment.iter().copied()))
}

fn run(command: &mut Command) -> Done {
    let shown = format!("{command:?}");
    match command.current_dir(root()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{shown}: {status}")),
        Err(error) => Err(format!("{shown}: {error}")),
    }
}

#[derive(Default)]
struct Count {
    passed: usize,
    failed: usize,
}

/// Runs tests, passing their output on and adding up their results.
fn run_tests(arguments: &[&str], environment: &[(&str, &str)], count: &mut Count) -> Done {
    println!("\n> cargo {}", arguments.join(" "));
    let mut child = Command::new(env!("CARGO"))
        .args(arguments)
        .envs(environment.iter().copied())
        .current_dir(root())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cargo: {e}"))?;
    let output = child.stdout.take().ok_or("cargo gave no output")?;
    for line in BufReader::new(output).lines() {
        let line = line.map_err(|e| format!("output of the tests: {e}"))?;
        count.add(&line);
        writeln!(std::io::stdout(), "{line}").map_err(|e| e.to_string())?;
    }
    let status = child.wait().map_err(|e| format!("cargo: {e}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("the tests failed: {status}"))
    }
}

impl Count {
    /// Adds a closing line of Rust's test runner: `test result: ok. 5 passed; 0 failed; ...`.
    fn add(&mut self, line: &str) {
        let Some(result) = line.strip_prefix("test result: ") else {
            return;
        };
        let number_before = |word: &str| -> usize {
            let words: Vec<&str> = result.split_whitespace().collect();
            let at = words.iter().position(|w| w.starts_with(word));
            at.and_then(|k| words.get(k.checked_sub(1)?)?.parse().ok()).unwrap_or(0)
        };
        self.passed += number_before("passed");
        self.failed += number_before("failed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_of_the_test_runner_are_added_up() {
        let mut count = Count::default();
        count.add("test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s");
        count.add("test something ... ok");
        count.add("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1s");
        assert_eq!((count.passed, count.failed), (15, 2));
    }
}
