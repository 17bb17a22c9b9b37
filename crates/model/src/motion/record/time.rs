//! The time step of a column of times, which files often round.

use super::RecordError;

/// One time of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stamp {
    pub(super) line: usize,
    /// Time (s).
    pub(super) time: f64,
    /// Unit of the last digit that is written (s).
    pub(super) digit: f64,
    /// Whether it is written with an exponent, so that its last digit stands for this number alone.
    pub(super) has_exponent: bool,
}

impl Stamp {
    /// From a number as it is written; `unit` is that of the column (s).
    pub(super) fn new(line: usize, word: &str, time: f64, unit: f64) -> Self {
        let (mantissa, exponent) = word.split_once(['e', 'E', 'd', 'D']).unwrap_or((word, "0"));
        let decimals = mantissa.split_once('.').map_or(0, |(_, d)| d.len()) as i32;
        let exponent: i32 = exponent.parse().unwrap_or(0);
        Self {
            line,
            time: time * unit,
            digit: unit * 10f64.powi(exponent.saturating_sub(decimals).clamp(-300, 300)),
            has_exponent: word.contains(['e', 'E', 'd', 'D']),
        }
    }
}

/// The time step of increasing times without gaps.
///
/// It is that of the whole column, because each single difference may be off by rounding: of 0.0025 s written with three
/// decimals by a fifth. Within what rounding leaves open the number with the fewest digits is taken.
pub(super) fn time_step(stamps: &[Stamp], file: &str) -> Result<f64, RecordError> {
    let (Some(first), Some(last)) = (stamps.first(), stamps.last()) else {
        return Err(RecordError::new(file, None, "there are no values"));
    };
    if stamps.len() < 2 {
        return Err(RecordError::new(file, first.line, "a record needs at least 2 values"));
    }
    if let Some(pair) = stamps.windows(2).find(|p| p[1].time <= p[0].time) {
        let what = format!(
            "time {} comes after {}; times must increase",
            pair[1].time, pair[0].time
        );
        return Err(RecordError::new(file, pair[1].line, what));
    }
    let steps = (stamps.len() - 1) as f64;
    let dt = (last.time - first.time) / steps;
    let plain = stamps.iter().filter(|s| !s.has_exponent).map(|s| s.digit);
    let finest = plain.fold(f64::INFINITY, f64::min);
    let digit = |s: &Stamp| if s.has_exponent { s.digit } else { finest };
    let difference = |pair: &[Stamp]| pair[1].time - pair[0].time;
    let off = |pair: &[Stamp]| (difference(pair) - dt).abs() > digit(&pair[0]).max(digit(&pair[1])) + 1e-3 * dt;
    let mut differences: Vec<f64> = stamps.windows(2).map(difference).collect();
    differences.sort_by(f64::total_cmp);
    let usual = differences[differences.len() / 2];
    // Where the last digit is as large as the step, one that is left out is no more than a digit; but rounding does not
    // make a few long steps among many short ones.
    let long = differences.iter().filter(|d| **d > 1.4 * usual).count();
    let rare = long > 0 && 4 * long < differences.len();
    if rare || stamps.windows(2).any(off) {
        let odd = |pair: &&[Stamp]| (difference(pair) - usual).abs();
        let worst = stamps.windows(2).max_by(|a, b| odd(a).total_cmp(&odd(b)));
        let (line, step) = worst.map_or((first.line, usual), |pair| (pair[1].line, difference(pair)));
        let what = format!(
            "the time step is {step:.6} s here and {usual:.6} s elsewhere; a record has no gaps: fill them, or give the \
             motion as a table"
        );
        return Err(RecordError::new(file, line, what));
    }
    let open = (digit(first).max(digit(last)) / steps).max(1e-12 * dt);
    let rounded = (0..9).map(|digits| {
        let text = format!("{dt:.digits$e}");
        text.parse::<f64>().unwrap_or(dt)
    });
    let mut rounded = rounded.filter(|r| *r > 0.0);
    Ok(rounded.find(|r| (r - dt).abs() <= open).unwrap_or(dt))
}
