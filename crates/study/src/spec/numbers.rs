//! Numbers and directions as study files give them.

use std::ops::RangeInclusive;

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Most values of a range.
const MOST: usize = 1_000_000;

/// Numbers: a list, or a range.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(
    untagged,
    expecting = "expected a list of numbers, or { from, to, count } with `spacing` linear or logarithmic"
)]
pub enum Numbers {
    /// As they stand.
    List(Vec<f64>),
    /// Evenly spaced.
    Range(Range),
}

/// Evenly spaced numbers, both ends among them.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The first.
    pub from: f64,
    /// The last.
    pub to: f64,
    /// How many.
    pub count: usize,
    /// Even in number, or in proportion.
    #[serde(default)]
    pub spacing: Spacing,
}

/// How numbers are spaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spacing {
    /// By equal differences.
    #[default]
    Linear,
    /// By equal ratios.
    Logarithmic,
}

impl Numbers {
    /// All of them, as they are listed or in their range.
    pub fn all(&self) -> Vec<f64> {
        match self {
            Self::List(numbers) => numbers.clone(),
            Self::Range(range) => range.all(),
        }
    }

    /// All of them, ascending, each once.
    pub fn ascending(&self) -> Vec<f64> {
        let mut all = self.all();
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }

    /// Refuses what is no number, or out of range.
    pub(super) fn checked(&self, what: &str, allowed: RangeInclusive<f64>) -> Result<(), String> {
        if let Self::Range(range) = self {
            if !(1..=MOST).contains(&range.count) {
                return Err(format!("{what}: a range of {} numbers; from 1 to {MOST}", range.count));
            }
            if range.spacing == Spacing::Logarithmic && !(range.from > 0.0 && range.to > 0.0) {
                return Err(format!(
                    "{what}: a logarithmic range lies above 0, and this one goes from {} to {}",
                    range.from, range.to
                ));
            }
            if range.count == 1 && range.from != range.to {
                return Err(format!(
                    "{what}: one number from {} to {}; give two or more",
                    range.from, range.to
                ));
            }
        }
        let all = self.all();
        if all.is_empty() {
            return Err(format!("{what} is empty"));
        }
        match all.iter().find(|v| !allowed.contains(v)) {
            Some(v) if !v.is_finite() => Err(format!("{what} has {v}; it must be a finite number")),
            Some(v) => Err(format!(
                "{what} has {v}; allowed are {} to {}",
                allowed.start(),
                allowed.end()
            )),
            None => Ok(()),
        }
    }
}

impl Range {
    fn all(&self) -> Vec<f64> {
        let last = self.count.saturating_sub(1).max(1) as f64;
        let at = |k: usize| match (k, self.spacing) {
            (0, _) => self.from,
            (k, _) if k + 1 == self.count => self.to,
            (k, Spacing::Linear) => self.from + (self.to - self.from) * (k as f64 / last),
            (k, Spacing::Logarithmic) => self.from * libm::pow(self.to / self.from, k as f64 / last),
        };
        (0..self.count.min(MOST)).map(at).collect()
    }
}

/// A direction: `"x"`, `"-y"`, or a vector.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(
    untagged,
    expecting = "expected an axis such as \"x\" or \"-y\", or a list of three numbers"
)]
pub enum Direction {
    /// An axis, perhaps reversed.
    Axis(String),
    /// A vector.
    Vector([f64; 3]),
}

impl Direction {
    /// As a unit vector; zero where it is none.
    pub fn unit(&self) -> DVec3 {
        match self {
            Self::Axis(text) => {
                let (sign, axis) = match text.strip_prefix('-') {
                    Some(rest) => (-1.0, rest),
                    None => (1.0, text.strip_prefix('+').unwrap_or(text)),
                };
                sign * match axis {
                    "x" => DVec3::X,
                    "y" => DVec3::Y,
                    "z" => DVec3::Z,
                    _ => DVec3::ZERO,
                }
            }
            Self::Vector(v) => drystone_analysis::unit(DVec3::from_array(*v)).unwrap_or_default(),
        }
    }

    pub(super) fn checked(&self, what: &str) -> Result<(), String> {
        match self.unit() != DVec3::ZERO {
            true => Ok(()),
            false => {
                let given = match self {
                    Self::Axis(text) => format!("{text:?}"),
                    Self::Vector(vector) => format!("{vector:?}"),
                };
                Err(format!(
                    "{what}: {given} is no direction; give an axis such as \"x\" or \"-y\", or three numbers"
                ))
            }
        }
    }
}
