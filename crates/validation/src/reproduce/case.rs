//! Cases and the rows they give.

use std::path::Path;

use serde_json::{Value, json};

use drystone_output::plot::Plot;

use drystone_analysis::Failure;

use crate::Listener;

/// A published case.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) group: &'static str,
    /// Where it was published.
    pub(super) source: &'static str,
    pub(super) summary: &'static str,
    /// Whether it runs only when it is asked for.
    pub(super) long: bool,
    pub(super) run: fn(&Context<'_>) -> Result<Outcome, Failure>,
}

/// What a case is run with.
pub(super) struct Context<'a> {
    pub(super) listener: &'a dyn Listener,
    pub(super) quick: bool,
    /// Folder of the plots, and of what a case keeps to go on from.
    pub(super) plots: Option<&'a Path>,
    /// Folder of recorded ground motions.
    pub(super) records: Option<&'a Path>,
}

impl Context<'_> {
    /// One of two values: for a full run, or for a quick one.
    pub(super) fn pick<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }
}

/// What came out of a case.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) rows: Vec<Row>,
    /// Plots by the name of their files.
    pub(super) plots: Vec<(String, Plot)>,
}

/// How far apart published and computed may be.
#[derive(Clone, Debug)]
pub(super) enum Allowed {
    /// By this much, in the unit of the quantity.
    Within(f64),
    /// By this part of the published figure.
    Part(f64),
    /// Computed must not exceed published.
    AtMost,
    /// Computed must not fall below published.
    AtLeast,
}

/// A figure, or an outcome in words.
#[derive(Clone, Debug)]
enum Compared {
    Figures {
        published: f64,
        computed: f64,
        allowed: Allowed,
    },
    Words {
        published: String,
        computed: String,
    },
    /// Two figures that must enclose the published one.
    Between {
        published: f64,
        computed: [f64; 2],
        slack: f64,
    },
    /// Shown, and not judged.
    Shown {
        published: String,
        computed: String,
    },
}

/// Published and computed side by side.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// What is compared, with its unit.
    quantity: String,
    compared: Compared,
    note: String,
}

impl Row {
    fn new(quantity: impl Into<String>, compared: Compared) -> Self {
        Self {
            quantity: quantity.into(),
            compared,
            note: String::new(),
        }
    }

    /// A figure.
    pub(super) fn figure(quantity: impl Into<String>, published: f64, computed: f64, allowed: Allowed) -> Self {
        let compared = Compared::Figures {
            published,
            computed,
            allowed,
        };
        Self::new(quantity, compared)
    }

    /// An outcome in words, which must be the same.
    pub(super) fn words(
        quantity: impl Into<String>,
        published: impl Into<String>,
        computed: impl Into<String>,
    ) -> Self {
        let compared = Compared::Words {
            published: published.into(),
            computed: computed.into(),
        };
        Self::new(quantity, compared)
    }

    /// Two figures, in order, that must enclose the published one, which is given to `slack`.
    pub(super) fn between(quantity: impl Into<String>, published: f64, computed: [f64; 2], slack: f64) -> Self {
        let compared = Compared::Between {
            published,
            computed,
            slack,
        };
        Self::new(quantity, compared)
    }

    /// What is worth seeing, but has no right or wrong.
    pub(super) fn shown(
        quantity: impl Into<String>,
        published: impl Into<String>,
        computed: impl Into<String>,
    ) -> Self {
        let compared = Compared::Shown {
            published: published.into(),
            computed: computed.into(),
        };
        Self::new(quantity, compared)
    }

    /// What could not be run, and why.
    pub(super) fn skipped(quantity: impl Into<String>, why: impl Into<String>) -> Self {
        Self::shown(quantity, "-", "skipped").note(why)
    }

    /// The same row, shown and not judged.
    pub(super) fn unjudged(mut self) -> Self {
        let [published, computed] = self.sides();
        self.compared = Compared::Shown { published, computed };
        self
    }

    /// The same row with a note.
    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// The same row with one more note.
    pub(super) fn also(mut self, note: &str) -> Self {
        if !self.note.is_empty() {
            self.note += "; ";
        }
        self.note += note;
        self
    }

    /// The same row with a note if it is outside its tolerance.
    pub(super) fn note_if_off(self, note: impl FnOnce() -> String) -> Self {
        if self.ok() { self } else { self.note(note()) }
    }

    /// Whether computed is within the tolerance of published, or nothing is asked.
    pub(super) fn ok(&self) -> bool {
        match &self.compared {
            Compared::Shown { .. } => true,
            Compared::Between {
                published,
                computed: [low, high],
                slack,
            } => (low - slack..=high + slack).contains(published),
            Compared::Words { published, computed } => published == computed,
            Compared::Figures { computed, .. } => {
                let [low, high] = self.range();
                (low..=high).contains(computed)
            }
        }
    }

    fn is_judged(&self) -> bool {
        !matches!(self.compared, Compared::Shown { .. })
    }

    fn range(&self) -> [f64; 2] {
        let Compared::Figures { published, allowed, .. } = &self.compared else {
            return [f64::NAN; 2];
        };
        let about = |by: f64| [published - by, published + by];
        match allowed {
            Allowed::Within(by) => about(*by),
            Allowed::Part(part) => about(part * published.abs()),
            Allowed::AtMost => [f64::NEG_INFINITY, *published],
            Allowed::AtLeast => [*published, f64::INFINITY],
        }
    }

    fn tolerance(&self) -> String {
        match &self.compared {
            Compared::Words { .. } => "the same".to_string(),
            Compared::Between { .. } => "between".to_string(),
            Compared::Shown { .. } => "-".to_string(),
            Compared::Figures { allowed, .. } => match allowed {
                Allowed::Within(by) => format!("± {}", short(*by)),
                Allowed::Part(part) => format!("± {} %", short(100.0 * part)),
                Allowed::AtMost => "at most".to_string(),
                Allowed::AtLeast => "at least".to_string(),
            },
        }
    }

    fn sides(&self) -> [String; 2] {
        match &self.compared {
            Compared::Words { published, computed } | Compared::Shown { published, computed } => {
                [published.clone(), computed.clone()]
            }
            Compared::Between {
                published,
                computed: [low, high],
                ..
            } => [short(*published), format!("{} to {}", short(*low), short(*high))],
            Compared::Figures {
                published, computed, ..
            } => [short(*published), short(*computed)],
        }
    }

    /// The row in one line.
    pub(super) fn line(&self) -> String {
        let [published, computed] = self.sides();
        let off = if self.ok() { "" } else { ", outside its tolerance" };
        format!("{}: published {published}, computed {computed}{off}", self.quantity)
    }

    pub(super) fn json(&self, case: &str) -> Value {
        let (published, computed) = match &self.compared {
            Compared::Words { published, computed } | Compared::Shown { published, computed } => {
                (json!(published), json!(computed))
            }
            Compared::Between {
                published, computed, ..
            } => (json!(published), json!(computed)),
            Compared::Figures {
                published, computed, ..
            } => (json!(published), json!(computed)),
        };
        json!({
            "case": case,
            "quantity": self.quantity,
            "published": published,
            "computed": computed,
            "tolerance": self.tolerance(),
            "judged": self.is_judged(),
            "ok": self.ok(),
            "note": self.note,
        })
    }
}

/// A number with four digits.
pub(super) fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_string();
    }
    let magnitude = value.abs().log10().floor() as i32;
    if !(-4..6).contains(&magnitude) {
        return format!("{value:.2e}");
    }
    let text = format!("{value:.*}", (3 - magnitude).clamp(0, 8) as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

/// Rows as a table for people.
pub(super) fn table(rows: &[(&str, Row)]) -> String {
    let head = ["case", "quantity", "published", "computed", "tolerance", "ok", "note"];
    let mut cells = vec![head.map(str::to_string)];
    for (case, row) in rows {
        let [published, computed] = row.sides();
        let ok = match (row.is_judged(), row.ok()) {
            (false, _) => "-",
            (true, true) => "yes",
            (true, false) => "NO",
        };
        cells.push([
            (*case).to_string(),
            row.quantity.clone(),
            published,
            computed,
            row.tolerance(),
            ok.to_string(),
            row.note.clone(),
        ]);
    }
    columns(&cells)
}

/// Cells in columns, the first row as their heads.
pub(crate) fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let wide = |text: &String| text.chars().count();
    let width = |k: usize| rows.iter().map(|r| wide(&r[k])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let line = |cells: &[String; N]| {
        let padded = cells.iter().zip(&widths).map(|(c, w)| format!("{c:<w$}"));
        padded.collect::<Vec<_>>().join(" | ").trim_end().to_string() + "\n"
    };
    let rule = widths.iter().map(|w| "-".repeat(*w)).collect::<Vec<_>>().join("-|-") + "\n";
    let mut lines = rows.iter().map(line);
    lines.next().unwrap_or_default() + &rule + &lines.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_judged_by_its_tolerance_alone() {
        let ok = |computed, allowed| Row::figure("x", 2.0, computed, allowed).ok();
        assert!(ok(2.09, Allowed::Within(0.1)) && !ok(2.11, Allowed::Within(0.1)));
        assert!(ok(1.91, Allowed::Part(0.05)) && !ok(1.89, Allowed::Part(0.05)));
        assert!(ok(-5.0, Allowed::AtMost) && !ok(2.01, Allowed::AtMost));
        assert!(ok(7.0, Allowed::AtLeast) && !ok(1.99, Allowed::AtLeast));
        assert!(!ok(f64::NAN, Allowed::AtMost) && !ok(f64::NAN, Allowed::Within(1.0)));
        assert!(!Row::words("x", "falls", "stands").ok());
        let between = |published| Row::between("x", published, [1.0, 2.0], 0.1).ok();
        assert!(between(0.95) && between(2.05) && !between(2.2) && !between(f64::NAN));
        assert!(Row::skipped("x", "no data").ok());
    }

    #[test]
    fn numbers_keep_four_digits() {
        assert_eq!(short(1.121_68), "1.122");
        assert_eq!(short(0.876_1), "0.8761");
        assert_eq!(short(3.2e-9), "3.20e-9");
        assert_eq!(short(5161.0), "5161");
        assert_eq!(short(0.0), "0");
    }
}
