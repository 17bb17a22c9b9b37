//! Licences of everything that is linked into the program, against a list of those that it may carry.
//!
//! Advisories are not looked at: their list lives in a repository that a build without network cannot reach.

use std::process::Command;

use crate::{Done, root};

/// Licences that ask for no more than their text to be kept.
const ALLOWED: [&str; 9] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Zlib",
];

/// Fails with the names of packages whose licence is not allowed, or not stated.
pub(crate) fn check() -> Done {
    println!("\n> licences of all dependencies");
    let listed = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--workspace",
            "--all-features",
            "--target",
            "all",
            "--edges",
            "normal,build,dev",
        ])
        .args(["--prefix", "none", "--format", "{p}\t{l}"])
        .current_dir(root())
        .output()
        .map_err(|error| format!("cargo tree: {error}"))?;
    let text = String::from_utf8_lossy(&listed.stdout);
    let mut refused: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter(|(_, licence)| !is_allowed(licence.trim_end_matches("(*)").trim()))
        .map(|(package, _)| package)
        .collect();
    refused.sort_unstable();
    refused.dedup();
    match (listed.status.success() && text.contains('\t'), refused.is_empty()) {
        (false, _) => Err(format!("cargo tree: {}", String::from_utf8_lossy(&listed.stderr))),
        (true, true) => Ok(()),
        (true, false) => Err(format!("licences that are not allowed: {}", refused.join(", "))),
    }
}

/// Whether an expression of licences can be met by allowed ones: all parts of an AND, one of an OR. A slash is an old OR.
fn is_allowed(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ").replace(['(', ')'], " ");
    // Expressions in use have AND outside, with choices in brackets.
    expression.split(" AND ").all(|part| {
        part.split(" OR ")
            .map(|licence| licence.split(" WITH ").next().unwrap_or_default().trim())
            .any(|licence| ALLOWED.contains(&licence))
    })
}

#[cfg(test)]
mod tests {
    use super::is_allowed;

    #[test]
    fn one_of_a_choice_suffices_and_all_of_a_sum_are_needed() {
        assert!(is_allowed("MIT OR GPL-3.0"));
        assert!(is_allowed("Unlicense/MIT"));
        assert!(is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0"));
        assert!(is_allowed("Apache-2.0 WITH LLVM-exception OR MIT"));
        assert!(!is_allowed("MIT AND GPL-3.0"));
        assert!(!is_allowed("GPL-3.0"));
        assert!(!is_allowed(""));
    }
}
