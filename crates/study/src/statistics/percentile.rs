//! Percentiles of samples of which some may be infinite.

use super::error::InputError;

/// The quantile of a sample in ascending order at `fraction`, by linear interpolation between order statistics (type 7 of
/// Hyndman and Fan, the default of NumPy and R). Infinite where one of the two order statistics that count is infinite;
/// nothing for an empty sample or a fraction outside the interval from 0 to 1.
#[must_use]
pub fn of_sorted(sample: &[f64], fraction: f64) -> Option<f64> {
    if !(0.0..=1.0).contains(&fraction) {
        return None;
    }
    let position = fraction * sample.len().checked_sub(1)? as f64;
    let index = position.floor();
    let weight = position - index;
    let low = *sample.get(index as usize)?;
    match sample.get(index as usize + 1) {
        // Equal values first: between two infinite ones, interpolation would be NaN.
        Some(&high) if weight > 0.0 && high != low => Some(if low.is_infinite() {
            low
        } else {
            low + weight * (high - low)
        }),
        _ => Some(low),
    }
}

/// The quantiles of a sample in any order at each of `fractions`; empty if the sample is.
pub(super) fn of(mut sample: Vec<f64>, fractions: &[f64]) -> Vec<f64> {
    sample.sort_by(f64::total_cmp);
    fractions
        .iter()
        .filter_map(|&fraction| of_sorted(&sample, fraction))
        .collect()
}

/// Refuses fractions outside the interval from 0 to 1.
pub(super) fn check(fractions: &[f64]) -> Result<(), InputError> {
    match fractions.iter().find(|fraction| !(0.0..=1.0).contains(*fraction)) {
        Some(&value) => Err(InputError::Fraction { value }),
        None => Ok(()),
    }
}
