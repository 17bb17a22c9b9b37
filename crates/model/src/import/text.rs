//! What the readers of text formats share: lines, quoted text, numbers and names.

use std::{borrow::Cow, collections::HashSet};

use crate::check::LARGEST_COORDINATE;

/// The text of a file: without a byte-order mark, with any byte that is not UTF-8 replaced.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
}

/// Text as quoted in a message: short, on one line.
pub(super) fn quoted(text: &str) -> String {
    const MOST: usize = 40;
    let mut short: String = text
        .trim()
        .chars()
        .take(MOST)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.trim().chars().nth(MOST).is_some() {
        short.push('…');
    }
    format!("`{short}`")
}

/// A finite number.
pub(super) fn number(token: &str) -> Result<f64, String> {
    match token.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(format!("{} is not a finite number", quoted(token))),
        Err(_) => Err(format!("{} is not a number", quoted(token))),
    }
}

/// A coordinate (m).
pub(super) fn coordinate(token: &str) -> Result<f64, String> {
    in_range(number(token)?)
}

/// The coordinate itself if it can be a length.
pub(super) fn in_range(value: f64) -> Result<f64, String> {
    if value.abs() <= LARGEST_COORDINATE {
        Ok(value)
    } else if value.is_finite() {
        Err(format!(
            "a coordinate of {value:e} is out of range; at most {LARGEST_COORDINATE:e} m is allowed"
        ))
    } else {
        Err(format!("a coordinate is {value}; it must be a finite number"))
    }
}

/// A name's file stem: what stands before the last dot of the last part of a path.
pub(super) fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
        _ => name.to_owned(),
    }
}

/// Gives every block a name of its own: a name that is taken gets a number, as in `arch (2)`.
#[derive(Default)]
pub(super) struct Names {
    taken: HashSet<String>,
    /// The next number to try for each name, so that many equal names do not cost a search each.
    next: std::collections::HashMap<String, usize>,
}

impl Names {
    pub(super) fn unique(&mut self, wanted: &str) -> String {
        let wanted = if wanted.trim().is_empty() {
            "block"
        } else {
            wanted.trim()
        };
        if self.taken.insert(wanted.to_owned()) {
            return wanted.to_owned();
        }
        let next = self.next.entry(wanted.to_owned()).or_insert(2);
        loop {
            let name = format!("{wanted} ({next})");
            *next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// A number of things with their name, which takes an s unless there is one.
pub(super) fn counted(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// A list of names for a message: the first few, and how many more.
pub(super) fn listed(names: &[String]) -> String {
    const MOST: usize = 6;
    let mut text = names
        .iter()
        .take(MOST)
        .map(|n| quoted(n))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > MOST {
        text.push_str(&format!(" and {} more", names.len() - MOST));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_unique_and_stems_are_cut_out() {
        let mut names = Names::default();
        let given = ["a", "a", "a (2)", "a", ""].map(|n| names.unique(n));
        assert_eq!(given, ["a", "a (2)", "a (2) (2)", "a (3)", "block"]);
        assert_eq!(stem("some/where/arch.v2.obj"), "arch.v2");
        assert_eq!(stem(".obj"), ".obj");
    }

    #[test]
    fn numbers_must_be_finite_and_coordinates_in_range() {
        assert_eq!(coordinate("-1.5e3"), Ok(-1500.0));
        for bad in ["nan", "inf", "1e400", "1e13", "x", ""] {
            assert!(coordinate(bad).is_err(), "{bad}");
        }
        assert_eq!([counted(1, "block"), counted(0, "block")], ["1 block", "0 blocks"]);
        assert_eq!(quoted(&"x".repeat(99)).chars().count(), 43);
    }
}
