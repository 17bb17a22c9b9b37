//! Where to sample the parameters of a study: Latin hypercubes and full grids, mapped to ranges.

use serde::{Deserialize, Serialize};

use super::{error::InputError, normal, random::Random};

/// The values of one parameter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Range {
    /// Any value as likely as any other.
    Uniform {
        /// Least value.
        low: f64,
        /// Greatest value.
        high: f64,
    },
    /// Any logarithm of the value as likely as any other.
    Logarithmic {
        /// Least value, positive.
        low: f64,
        /// Greatest value.
        high: f64,
    },
    /// Normally distributed values.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation, not negative.
        sd: f64,
    },
    /// Lognormally distributed values.
    Lognormal {
        /// Median, positive.
        median: f64,
        /// Standard deviation of the logarithm, not negative.
        beta: f64,
    },
}

impl Range {
    /// Refuses parameters that are not finite or out of order.
    pub fn check(&self) -> Result<(), InputError> {
        let finite = |numbers: [f64; 2]| numbers.iter().all(|number| number.is_finite());
        let reason = match *self {
            Self::Uniform { low, high } if !(finite([low, high]) && low <= high) => {
                format!("uniform range from {low} to {high}; both must be finite, in ascending order")
            }
            Self::Logarithmic { low, high } if !(finite([low, high]) && 0.0 < low && low <= high) => {
                format!("logarithmic range from {low} to {high}; both must be positive and finite, in ascending order")
            }
            Self::Normal { mean, sd } if !(finite([mean, sd]) && sd >= 0.0) => {
                format!(
                    "normal distribution of mean {mean} and standard deviation {sd}; the latter must not be negative"
                )
            }
            Self::Lognormal { median, beta } if !(finite([median, beta]) && median > 0.0 && beta >= 0.0) => {
                format!("lognormal distribution of median {median} and beta {beta}; the median must be positive")
            }
            _ => return Ok(()),
        };
        Err(InputError::Range { reason })
    }

    /// The value below which the fraction `unit` of all values lies; the ends of a bounded range for 0 and 1 and beyond.
    /// Normal and lognormal values are infinite or 0 at 0 and 1, and NaN beyond.
    #[must_use]
    pub fn at(&self, unit: f64) -> f64 {
        match *self {
            Self::Uniform { low, .. } | Self::Logarithmic { low, .. } if unit <= 0.0 => low,
            Self::Uniform { high, .. } | Self::Logarithmic { high, .. } if unit >= 1.0 => high,
            Self::Uniform { low, high } => (low * (1.0 - unit) + high * unit).clamp(low, high.max(low)),
            Self::Logarithmic { low, high } => {
                let log = libm::log(low) * (1.0 - unit) + libm::log(high) * unit;
                libm::exp(log).clamp(low, high.max(low))
            }
            Self::Normal { mean, sd: 0.0 } => mean,
            Self::Normal { mean, sd } => mean + sd * normal::quantile(unit),
            Self::Lognormal { median, beta: 0.0 } => median,
            Self::Lognormal { median, beta } => median * libm::exp(beta * normal::quantile(unit)),
        }
    }

    /// `count` values: evenly from end to end of a bounded range, in the middle of cells of equal probability of a
    /// distribution. A single value is the middle or the median.
    #[must_use]
    pub fn levels(&self, count: usize) -> Vec<f64> {
        let bounded = matches!(self, Self::Uniform { .. } | Self::Logarithmic { .. });
        let unit = |k: usize| match count {
            2.. if bounded => k as f64 / (count - 1) as f64,
            _ => (k as f64 + 0.5) / count as f64,
        };
        (0..count).map(|k| self.at(unit(k))).collect()
    }
}

/// Where in its cell a point of a Latin hypercube lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// In the middle.
    Centred,
    /// Anywhere, each place as likely as any other.
    #[default]
    Random,
}

/// A Latin hypercube: `samples` rows of `dimensions` numbers between 0 and 1, both excluded. In each column, each of
/// `samples` cells of equal width holds one number; the order of the cells is random and independent between columns.
#[must_use]
pub fn latin_hypercube(samples: usize, dimensions: usize, seed: u64, placement: Placement) -> Vec<Vec<f64>> {
    let mut random = Random::new(seed);
    let mut rows = vec![Vec::with_capacity(dimensions); samples];
    let width = samples as f64;
    for _ in 0..dimensions {
        let mut cells: Vec<usize> = (0..samples).collect();
        for last in (1..samples).rev() {
            cells.swap(last, random.below(last + 1));
        }
        for (row, cell) in rows.iter_mut().zip(cells) {
            let place = match placement {
                Placement::Centred => 0.5,
                Placement::Random => random.unit(),
            };
            let end = (cell + 1) as f64 / width;
            // Rounding may not move a point to the next cell.
            row.push(((cell as f64 + place) / width).min(end.next_down()));
        }
    }
    rows
}

/// All combinations of one value of each list, the last list changing fastest. No lists give one empty combination.
pub fn grid(lists: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, InputError> {
    let size = lists
        .iter()
        .try_fold(1_usize, |size, list| size.checked_mul(list.len()))
        .ok_or(InputError::GridSize)?;
    let mut rows = Vec::new();
    rows.try_reserve_exact(size).map_err(|_| InputError::GridSize)?;
    for index in 0..size {
        let mut remainder = index;
        let mut row = vec![0.0; lists.len()];
        for (value, list) in row.iter_mut().zip(lists).rev() {
            *value = list[remainder % list.len()];
            remainder /= list.len();
        }
        rows.push(row);
    }
    Ok(rows)
}
