//! Matching a synthetic motion to a response spectrum, in the frequency domain.
//!
//! The amplitude of each frequency is multiplied by the ratio of the spectrum that is wanted to the one that is there, at
//! the period of this frequency; the motion under its envelope follows, and so on (Gasparini and Vanmarcke, "Simulated
//! earthquake motions compatible with prescribed response spectra", MIT R76-4, 1976). Phases stay those of the noise.
//!
//! EN 1998-1, 3.2.3.1.2 asks that no ordinate of the mean spectrum of at least three motions is below 90 % of the standard's,
//! and that the mean of their peak accelerations is not below `a_g S`. Here each motion is matched so by itself: of all
//! rounds the one whose worst ordinate is nearest is taken, and scaled so that the mean ratio is one, or higher, as far as
//! 1.1, where an ordinate would be below 90 % or the peak below `a_g S`. Of a motion that needs more than that some ordinate stays
//! below 90 %; it is told, and others of its suite make up for it.

use std::fmt;

use super::{
    Eurocode8, RecordError,
    fourier::Complex,
    synthetic::{Noise, record},
};

/// Rounds of the iteration; later ones only wander.
const ROUNDS: usize = 20;
/// Periods at which the spectra are compared: several within the bandwidth of an oscillator with 2 % damping.
const PERIODS: usize = 480;
/// Lowest ratio of an ordinate that is aimed at: that of the standard, and a little for periods in between.
const LOWEST: f64 = 0.902;
/// Largest mean ratio that is accepted to lift the lowest.
const HIGHEST_MEAN: f64 = 1.1;

/// How well a synthetic motion matches a response spectrum: ratios of its ordinates to those wanted, at 480 periods from
/// the shortest to the longest, equally spaced by their logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpectrumFit {
    /// Mean ratio.
    pub mean: f64,
    /// Lowest ratio.
    pub lowest: f64,
    /// Period of the lowest ratio (s).
    pub lowest_period: f64,
    /// Highest ratio.
    pub highest: f64,
    /// Root mean square of the deviations from one.
    pub deviation: f64,
    /// Peak acceleration, as a ratio to that of the spectrum at a period of zero: `a_g S`.
    pub pga: f64,
}

impl SpectrumFit {
    /// Whether no ordinate is below 90 %, as EN 1998-1, 3.2.3.1.2 (4) c asks of a mean, and the mean within 10 %.
    pub fn is_close(&self) -> bool {
        self.lowest >= 0.9 && (self.mean - 1.0).abs() <= 0.1 + 1e-9
    }

    fn new(ratios: &[f64], periods: &[f64], pga: f64) -> Self {
        let count = ratios.len() as f64;
        let pairs = || ratios.iter().copied().zip(periods.iter().copied());
        let (lowest, lowest_period) = pairs().fold(
            (f64::INFINITY, 0.0),
            |low, pair| if pair.0 < low.0 { pair } else { low },
        );
        Self {
            mean: ratios.iter().sum::<f64>() / count,
            lowest,
            lowest_period,
            highest: ratios.iter().fold(0.0, |high: f64, r| high.max(*r)),
            deviation: (ratios.iter().map(|r| (r - 1.0) * (r - 1.0)).sum::<f64>() / count).sqrt(),
            pga,
        }
    }
}

impl fmt::Display for SpectrumFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "response spectrum {:.0} % of the one wanted on average, {:.0} to {:.0} %, lowest at {:.3} s",
            100.0 * self.mean,
            100.0 * self.lowest,
            100.0 * self.highest,
            self.lowest_period
        )
    }
}

/// The accelerations of noise whose response spectrum is nearest to the one wanted between two periods (s).
pub(super) fn matched(
    noise: &Noise,
    wanted: &Eurocode8,
    range: [f64; 2],
) -> Result<(Vec<f64>, SpectrumFit), RecordError> {
    let ratios_of = |values: &[f64], periods: &[f64]| -> Result<Vec<f64>, RecordError> {
        let spectra = record(values.to_vec(), noise.dt).spectrum(periods, wanted.damping)?;
        let found = spectra.into_iter().next().unwrap_or_default();
        Ok(found
            .iter()
            .zip(periods)
            .map(|(f, t)| f / wanted.acceleration(*t))
            .collect())
    };
    let periods = between(range);
    let frequencies: Vec<f64> = noise.frequencies().collect();
    let mut amplitudes = noise.amplitudes.clone();
    let mut best: Option<(f64, Vec<f64>)> = None;
    for _ in 0..ROUNDS {
        let values = noise.accelerations(&amplitudes);
        let ratios = ratios_of(&values, &periods)?;
        let spread = spread(&ratios);
        if best.as_ref().is_none_or(|(least, _)| spread < *least) {
            best = Some((spread, values));
        }
        correct(&mut amplitudes, &frequencies, &periods, &ratios);
    }
    let mut values = best.map(|(_, values)| values).unwrap_or_default();
    // Peak acceleration counts, too: as the period zero.
    let pga_of = |values: &[f64]| Ok::<f64, RecordError>(ratios_of(values, &[0.0])?[0]);
    let before = SpectrumFit::new(&ratios_of(&values, &periods)?, &periods, pga_of(&values)?);
    let wanted_mean = (before.mean * LOWEST / before.lowest)
        .max(before.mean / before.pga)
        .clamp(1.0, HIGHEST_MEAN);
    values.iter_mut().for_each(|v| *v *= wanted_mean / before.mean);
    let fit = SpectrumFit::new(&ratios_of(&values, &periods)?, &periods, pga_of(&values)?);
    Ok((values, fit))
}

/// Periods from one to another, equally spaced by their logarithms.
fn between([shortest, longest]: [f64; 2]) -> Vec<f64> {
    let step = libm::log(longest / shortest) / (PERIODS - 1) as f64;
    (0..PERIODS).map(|k| shortest * libm::exp(k as f64 * step)).collect()
}

/// The lowest ratio against the mean: the larger, the less a motion must be raised.
fn spread(ratios: &[f64]) -> f64 {
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    let far = |r: &f64| (mean / r).max(0.8 * r / mean);
    ratios.iter().map(far).fold(0.0, f64::max)
}

/// Divides the amplitude of each frequency by the ratio at its period: beyond the range that of its end.
fn correct(amplitudes: &mut [Complex], frequencies: &[f64], periods: &[f64], ratios: &[f64]) {
    let shortest = periods[0];
    let step = libm::log(periods[PERIODS - 1] / shortest) / (PERIODS - 1) as f64;
    for (amplitude, frequency) in amplitudes.iter_mut().zip(frequencies) {
        if *frequency == 0.0 {
            continue;
        }
        let place = (libm::log(1.0 / (frequency * shortest)) / step).clamp(0.0, (PERIODS - 1) as f64);
        let low = (place as usize).min(PERIODS - 2);
        let part = place - low as f64;
        let ratio = (1.0 - part) * ratios[low] + part * ratios[low + 1];
        *amplitude = amplitude.map(|a| a / ratio);
    }
}
