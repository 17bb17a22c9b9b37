//! The text format `fc3d` of collected contact problems: an explicit Delassus matrix, friction and free velocities.
//!
//! ```text
//! fc3d 1
//! contacts N
//! mu                 N numbers
//! q                  N times three numbers: normal, tangent 1, tangent 2
//! W NNZ              NNZ times: row, column (both from 0), value
//! ```
//!
//! White space of any kind separates the words. Entries of one place add up; the solvers take the symmetric part.

use std::{
    fmt::Write,
    io,
    path::{Path, PathBuf},
};

use crate::DelassusProblem;

/// Why a file is no contact problem.
#[derive(Debug, thiserror::Error)]
pub enum Fc3dError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The text is not in the format.
    #[error("`{}`, {fault}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        fault: ParseError,
    },
}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: found {found}, expected {expected}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// What stands there.
    pub found: String,
    /// What should.
    pub expected: String,
}

/// Reads a problem from a file.
pub fn read(path: &Path) -> Result<DelassusProblem, Fc3dError> {
    let path_buf = || path.to_path_buf();
    let bytes = std::fs::read(path).map_err(|source| Fc3dError::Io {
        path: path_buf(),
        source,
    })?;
    parse(&bytes).map_err(|fault| Fc3dError::Format {
        path: path_buf(),
        fault,
    })
}

/// Reads a problem from text.
pub fn parse(text: &[u8]) -> Result<DelassusProblem, ParseError> {
    let mut words = Words {
        text,
        place: 0,
        line: 1,
    };
    words.keyword("fc3d")?;
    words.take(
        || "version 1 of the format".to_string(),
        |word| (word == "1").then_some(()),
    )?;
    words.keyword("contacts")?;
    // Rows are numbered by 32 bits.
    let most = u64::from(u32::MAX / 3);
    let count = words.take(
        || format!("the number of contacts, a whole number up to {most}"),
        |word| word.parse::<u64>().ok().filter(|n| *n <= most),
    )? as usize;
    words.keyword("mu")?;
    // A count is only a promise: memory is asked for no more than the rest of the text can fill.
    let mut friction = Vec::with_capacity(count.min(words.most_left()));
    for i in 0..count {
        friction.push(words.take(
            || format!("the friction coefficient of contact {i} of {count}, a finite number, zero or more"),
            |word| number(word).filter(|mu| *mu >= 0.0),
        )?);
    }
    words.keyword("q")?;
    let mut q = Vec::with_capacity(count.min(words.most_left()));
    for i in 0..count {
        let mut one = [0.0; 3];
        for (k, value) in one.iter_mut().enumerate() {
            let expected = || format!("component {k} of q of contact {i} of {count}, a finite number");
            *value = words.take(expected, number)?;
        }
        q.push(one);
    }
    words.keyword("W")?;
    let entry_count = words.take(
        || "the number of entries of W, a whole number".to_string(),
        |word| word.parse::<u64>().ok(),
    )?;
    let rows = 3 * count as u32;
    let mut entries = Vec::with_capacity(
        usize::try_from(entry_count)
            .unwrap_or(usize::MAX)
            .min(words.most_left()),
    );
    for k in 0..entry_count {
        let mut index = |name: &str| {
            words.take(
                || format!("the {name} of entry {k} of {entry_count} of W, a whole number below {rows}"),
                |word| word.parse::<u32>().ok().filter(|i| *i < rows),
            )
        };
        let (row, column) = (index("row")?, index("column")?);
        let value = words.take(
            || format!("the value of entry {k} of {entry_count} of W, a finite number"),
            number,
        )?;
        entries.push((row, column, value));
    }
    match words.next() {
        None => Ok(DelassusProblem {
            friction,
            q,
            entries,
            guess: Vec::new(),
        }),
        Some(word) => Err(ParseError {
            line: words.line,
            found: shown(Some(word)),
            expected: format!("the end of the file after {entry_count} entries of W"),
        }),
    }
}

/// The text of a problem. Reading it again gives the same numbers, to the last bit.
pub fn print(problem: &DelassusProblem) -> String {
    let mut text = format!("fc3d 1\ncontacts {}\nmu\n", problem.q.len());
    let friction: Vec<String> = problem.friction.iter().map(f64::to_string).collect();
    text.push_str(&friction.join(" "));
    text.push_str("\nq\n");
    // Writing to a string cannot fail.
    for [normal, a, b] in &problem.q {
        let _ = writeln!(text, "{normal:?} {a:?} {b:?}");
    }
    let _ = writeln!(text, "W {}", problem.entries.len());
    for (row, column, value) in &problem.entries {
        let _ = writeln!(text, "{row} {column} {value:?}");
    }
    text
}

/// A finite number.
fn number(word: &str) -> Option<f64> {
    word.parse::<f64>().ok().filter(|x| x.is_finite())
}

/// A word as a message shows it: whole where it is short.
fn shown(word: Option<&[u8]>) -> String {
    const LONGEST: usize = 40;
    let Some(word) = word else {
        return "the end of the file".to_string();
    };
    let text = String::from_utf8_lossy(&word[..word.len().min(LONGEST)]);
    let more = if word.len() > LONGEST { "..." } else { "" };
    format!("`{}{more}`", text.escape_debug())
}

/// The words of a text, and the line of the last one taken.
struct Words<'a> {
    text: &'a [u8],
    place: usize,
    line: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        while let Some(byte) = self.text.get(self.place).filter(|b| b.is_ascii_whitespace()) {
            self.line += usize::from(*byte == b'\n');
            self.place += 1;
        }
        let rest = &self.text[self.place..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.place += length;
        (length > 0).then_some(&rest[..length])
    }

    /// The next word as `understand` reads it; what was expected is put in words only where it fails.
    fn take<T>(
        &mut self,
        expected: impl Fn() -> String,
        understand: impl Fn(&str) -> Option<T>,
    ) -> Result<T, ParseError> {
        let word = self.next();
        let value = word.and_then(|w| std::str::from_utf8(w).ok()).and_then(understand);
        value.ok_or_else(|| ParseError {
            line: self.line,
            found: shown(word),
            expected: expected(),
        })
    }

    fn keyword(&mut self, name: &str) -> Result<(), ParseError> {
        self.take(|| format!("the word `{name}`"), |word| (word == name).then_some(()))
    }

    /// More words than are left: each takes a byte and a space.
    fn most_left(&self) -> usize {
        (self.text.len() - self.place) / 2 + 1
    }
}
