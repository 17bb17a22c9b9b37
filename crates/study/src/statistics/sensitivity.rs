//! How much each input of a study influences an output: rank correlation and linear regression.

use serde::Serialize;

use super::error::InputError;

/// Influence of each input on one output.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sensitivity {
    /// Spearman's rank correlation of each input with the output; nothing where either is constant.
    pub rank_correlation: Vec<Option<f64>>,
    /// The linear regression of the output on all inputs.
    pub regression: Regression,
    /// Rows used.
    pub used: usize,
    /// Rows dropped because an input or the output is missing or not finite.
    pub dropped: usize,
}

/// A linear regression with intercept, in units of standard deviations.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Regression {
    /// All coefficients are determined.
    Determined {
        /// Standardised coefficients: standard deviations of the output for one standard deviation of each input.
        coefficients: Vec<f64>,
        /// Fraction of the output's variance that the regression explains.
        r_squared: f64,
        /// Rows less coefficients and intercept; at 0 any output is explained.
        degrees_of_freedom: usize,
    },
    /// Some inputs are constant or linear combinations of those before them (or there are too few rows to tell), so that
    /// coefficients are not determined.
    RankDeficient {
        /// Positions of these inputs.
        dependent: Vec<usize>,
        /// Fraction of the output's variance that the regression explains.
        r_squared: f64,
    },
    /// The output is constant, or there are fewer than two rows.
    ConstantOutput,
}

/// Below this fraction of its standard deviation, what others do not explain of an input is rounding.
const DEPENDENT: f64 = 1e-10;

/// The influence of each input on the output: `inputs` has a row for each run and a column for each input. Rows with a
/// missing value are dropped and counted.
pub fn sensitivity(inputs: &[Vec<Option<f64>>], output: &[Option<f64>]) -> Result<Sensitivity, InputError> {
    if inputs.len() != output.len() {
        return Err(InputError::RowLength {
            row: inputs.len().min(output.len()),
            found: output.len(),
            expected: inputs.len(),
        });
    }
    let width = inputs.first().map_or(0, Vec::len);
    if let Some(row) = inputs.iter().position(|row| row.len() != width) {
        return Err(InputError::RowLength {
            row,
            found: inputs[row].len(),
            expected: width,
        });
    }
    let finite = |value: &Option<f64>| value.filter(|value| value.is_finite());
    let mut columns = vec![Vec::new(); width];
    let mut outputs = Vec::new();
    for (row, value) in inputs.iter().zip(output) {
        let values: Option<Vec<f64>> = row.iter().map(finite).collect();
        if let (Some(values), Some(value)) = (values, finite(value)) {
            columns
                .iter_mut()
                .zip(values)
                .for_each(|(column, value)| column.push(value));
            outputs.push(value);
        }
    }
    Ok(Sensitivity {
        rank_correlation: columns.iter().map(|column| spearman(column, &outputs)).collect(),
        regression: regression(&columns, &outputs),
        used: outputs.len(),
        dropped: output.len() - outputs.len(),
    })
}

/// Spearman's rank correlation: Pearson's correlation of ranks, ties sharing the mean of their ranks. Nothing if either
/// is constant, holds a NaN, or their lengths differ.
#[must_use]
pub fn spearman(x: &[f64], y: &[f64]) -> Option<f64> {
    if x.len() != y.len() || x.iter().chain(y).any(|value| value.is_nan()) {
        return None;
    }
    let x = standardised(&ranks(x))?;
    let y = standardised(&ranks(y))?;
    Some(dot(&x, &y).clamp(-1.0, 1.0))
}

/// Ranks from 1; equal values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for ties in order.chunk_by(|&i, &j| values[i] == values[j]) {
        for &i in ties {
            ranks[i] = before as f64 + 0.5 * (ties.len() + 1) as f64;
        }
        before += ties.len();
    }
    ranks
}

/// The values less their mean, scaled to length 1; nothing if they are equal.
fn standardised(values: &[f64]) -> Option<Vec<f64>> {
    let first = values.first()?;
    if values.iter().all(|value| value == first) {
        return None;
    }
    // Differences from one value first, and over the largest: neither large offsets nor overflow do harm.
    let size = values
        .iter()
        .fold(0.0_f64, |size, value| size.max((0.5 * value - 0.5 * first).abs()));
    let differences: Vec<f64> = values.iter().map(|value| (0.5 * value - 0.5 * first) / size).collect();
    let mean = differences.iter().sum::<f64>() / differences.len() as f64;
    let centred: Vec<f64> = differences.iter().map(|difference| difference - mean).collect();
    let length = libm::sqrt(dot(&centred, &centred));
    (length > 0.0 && length.is_finite()).then(|| centred.iter().map(|value| value / length).collect())
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Least squares by QR: Gram-Schmidt, each column orthogonalised twice, which keeps it orthogonal to rounding.
fn regression(columns: &[Vec<f64>], output: &[f64]) -> Regression {
    let Some(output) = standardised(output) else {
        return Regression::ConstantOutput;
    };
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut triangle: Vec<Vec<f64>> = Vec::new();
    let mut dependent = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        // Centred columns span one dimension less than there are rows.
        let column = standardised(column).filter(|_| basis.len() + 1 < output.len());
        let Some(mut rest) = column else {
            dependent.push(index);
            continue;
        };
        let mut entries = vec![0.0; basis.len()];
        for _ in 0..2 {
            for (entry, direction) in entries.iter_mut().zip(&basis) {
                let share = dot(direction, &rest);
                *entry += share;
                rest.iter_mut()
                    .zip(direction)
                    .for_each(|(rest, direction)| *rest -= share * direction);
            }
        }
        let length = libm::sqrt(dot(&rest, &rest));
        if length < DEPENDENT {
            dependent.push(index);
            continue;
        }
        rest.iter_mut().for_each(|value| *value /= length);
        entries.push(length);
        basis.push(rest);
        triangle.push(entries);
    }
    let mut projections: Vec<f64> = basis.iter().map(|direction| dot(direction, &output)).collect();
    let mut residual = output.clone();
    for (direction, projection) in basis.iter().zip(&projections) {
        residual
            .iter_mut()
            .zip(direction)
            .for_each(|(residual, direction)| *residual -= projection * direction);
    }
    let r_squared = (1.0 - dot(&residual, &residual)).clamp(0.0, 1.0);
    if !dependent.is_empty() {
        return Regression::RankDeficient { dependent, r_squared };
    }
    // Back substitution; `triangle` holds the columns of R.
    for k in (0..projections.len()).rev() {
        let coefficient = projections[k] / triangle[k][k];
        projections[k] = coefficient;
        for (projection, entry) in projections.iter_mut().zip(&triangle[k][..k]) {
            *projection -= coefficient * entry;
        }
    }
    let degrees_of_freedom = output.len().saturating_sub(projections.len() + 1);
    Regression::Determined {
        coefficients: projections,
        r_squared,
        degrees_of_freedom,
    }
}
