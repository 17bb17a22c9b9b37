use std::fmt::Display;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The model cannot be used.
    Error,
    /// The model can be used, but probably not as meant.
    Warning,
}

/// Something wrong with a model: where, and what is allowed there.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelProblem {
    /// How bad it is.
    pub severity: Severity,
    /// Where: the block by number and name, and the field.
    pub place: String,
    /// What is wrong, with the value and what is allowed.
    pub message: String,
}

impl ModelProblem {
    /// A problem that makes the model unusable.
    pub fn error(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            place: place.into(),
            message: message.into(),
        }
    }

    /// A problem that a person should judge.
    pub fn warning(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            place: place.into(),
            message: message.into(),
        }
    }

    /// That no block is fixed: programs have ways of their own to fix some.
    pub(super) fn no_supports() -> Self {
        Self::warning(
            "blocks",
            "no block is fixed, so nothing carries the structure: set `fixed` on a block, or use --supports",
        )
    }

    /// Whether it is that no block is fixed.
    pub fn is_about_no_supports(&self) -> bool {
        *self == Self::no_supports()
    }

    /// Whether the model cannot be used.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl Display for ModelProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = if self.place.is_empty() {
            String::new()
        } else {
            format!("{}: ", self.place)
        };
        let severity = if self.is_error() { "" } else { "warning: " };
        write!(f, "{severity}{place}{}", self.message)
    }
}

/// How a block is named in messages: by its place in the file, from 0, and its name.
pub(crate) fn block_place(index: usize, name: &str) -> String {
    if name.is_empty() {
        format!("block {index}")
    } else {
        format!("block {index} (`{name}`)")
    }
}

/// The candidate most like `word`, if one is like it enough to be what was meant.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let length = |c: &str| c.chars().count().max(word.chars().count());
    let scored = candidates
        .into_iter()
        .map(|c| (strsim::damerau_levenshtein(word, c), c));
    let alike = |distance: usize, c: &str| distance <= 2.max(length(c) / 3) && 2 * distance < length(c);
    scored
        .min()
        .filter(|&(distance, c)| alike(distance, c))
        .map(|(_, c)| c.to_string())
}

/// Numbers as in a file, with an exponent where they would fill a line with zeros.
pub(crate) fn shown(number: f64) -> String {
    if number == 0.0 || (1e-5..1e16).contains(&number.abs()) {
        format!("{number}")
    } else {
        format!("{number:e}")
    }
}

/// A list of numbers as in a file.
pub(crate) fn shown_list(numbers: &[f64]) -> String {
    let numbers: Vec<String> = numbers.iter().copied().map(shown).collect();
    format!("[{}]", numbers.join(", "))
}
