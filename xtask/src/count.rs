//! Runs tests and adds up what their runners say at the end.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

use crate::{Done, root};

#[derive(Default)]
pub(crate) struct Count {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

/// Runs tests, passing their output on and adding up their results.
pub(crate) fn run_tests(command: &mut Command, count: &mut Count) -> Done {
    if command.get_current_dir().is_none() {
        command.current_dir(root());
    }
    let shown = format!("{command:?}");
    println!("\n> {shown}");
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{shown}: {e}"))?;
    let output = child.stdout.take().ok_or("the tests gave no output")?;
    for line in BufReader::new(output).lines() {
        let line = line.map_err(|e| format!("output of the tests: {e}"))?;
        count.add(&line);
        writeln!(std::io::stdout(), "{line}").map_err(|e| e.to_string())?;
    }
    let status = child.wait().map_err(|e| format!("{shown}: {e}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("the tests failed: {status}"))
    }
}

impl Count {
    /// Adds a closing line of a test runner.
    ///
    /// Rust's: `test result: ok. 5 passed; 0 failed; ...`. Vitest's: `Tests  2 failed | 5 passed (7)`, perhaps in colour. Node's,
    /// one line for each: `# pass 5` or `ℹ pass 5`. Pytest's: `2 failed, 5 passed, 1 skipped in 0.12s`.
    fn add(&mut self, line: &str) {
        let line = without_colour(line);
        let words: Vec<&str> = line.split_whitespace().collect();
        let number_before = |word: &str| -> usize {
            let at = words.iter().position(|w| w.starts_with(word));
            at.and_then(|k| words.get(k.checked_sub(1)?)?.parse().ok()).unwrap_or(0)
        };
        match words[..] {
            ["test", "result:", ..] | ["Tests", _, "passed" | "failed", ..] => {
                self.passed += number_before("passed");
                self.failed += number_before("failed");
            }
            [_, "passed" | "failed," | "passed,", .., "in", _] => {
                self.passed += number_before("passed");
                self.failed += number_before("failed");
            }
            ["#" | "ℹ", "pass", number] => self.passed += number.parse().unwrap_or(0),
            ["#" | "ℹ", "fail", number] => self.failed += number.parse().unwrap_or(0),
            _ => {}
        }
    }
}

/// The text without escape sequences of terminals (`ESC [ ... m`).
fn without_colour(line: &str) -> String {
    let mut pieces = line.split("\u{1b}[");
    let first = pieces.next().unwrap_or_default().to_string();
    pieces.fold(first, |text, piece| {
        text + piece.split_once('m').map_or(piece, |(_, rest)| rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_of_the_test_runners_are_added_up() {
        let mut count = Count::default();
        for line in [
            "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "test something ... ok",
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1s",
            "\u{1b}[2m      Tests \u{1b}[22m \u{1b}[1m\u{1b}[31m1 failed\u{1b}[39m\u{1b}[22m | \u{1b}[32m20 passed\u{1b}[39m (21)",
            " Test Files  2 passed (2)",
            "ℹ tests 9",
            "ℹ pass 7",
            "# pass 100",
            "# fail 40",
            "ℹ a test says pass 1",
            "1 failed, 4 passed, 2 skipped in 0.12s",
            "6 passed in 3.01s",
        ] {
            count.add(line);
        }
        assert_eq!((count.passed, count.failed), (15 + 20 + 107 + 10, 2 + 1 + 40 + 1));
    }
}
