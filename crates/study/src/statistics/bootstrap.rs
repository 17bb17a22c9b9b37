//! Confidence bands of a fragility function by resampling records.
//!
//! The runs of one record at several intensities depend on each other, so whole records are drawn, with replacement. The
//! standard errors of a fit, which take runs as independent, do not know of this.
//!
//! A resample without a finite fit is not left out, which would narrow the bands; it enters as the limit that its
//! likelihood tends to:
//!
//! | outcome | θ | β | curve |
//! |---|---|---|---|
//! | no collapse | infinite | unknown | 0 |
//! | all collapse | 0 | unknown | 1 |
//! | separated | geometric mean of the two intensities | 0 | step at θ, 1/2 there |
//! | separated at one intensity | this intensity | 0 | step, the observed fraction there |
//! | not increasing | infinite below fraction 1/2, 0 above, unknown at 1/2 | infinite | the fraction |
//! | median out of range | infinite or 0 | as found | as found |
//!
//! A percentile that comes out infinite means that the data do not bound it. Unknown values are left out of their
//! percentiles and counted. A resample with runs at a single intensity or none has no limit: it is left out of every
//! percentile and counted as undetermined.

use serde::Serialize;

use super::{
    error::InputError,
    extended,
    fit::{Fit, FitOutcome},
    fragility::{self, Stripe},
    ida::{self, Capacity},
    lognormal::Lognormal,
    normal, percentile,
    random::Random,
};

/// What to resample, and what to report.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Number of resamples (default: 1000).
    pub resamples: usize,
    /// Seed of the random numbers (default: 0).
    pub seed: u64,
    /// Percentiles to report, as fractions (default: 0.05 and 0.95).
    pub fractions: Vec<f64>,
    /// Intensities at which percentiles of the curve are reported (default: none).
    pub intensities: Vec<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            resamples: 1000,
            seed: 0,
            fractions: vec![0.05, 0.95],
            intensities: Vec::new(),
        }
    }
}

/// Percentiles of a fragility function over resamples.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bootstrap {
    /// The fit to the records as they are.
    pub fit: Fit,
    /// Fractions that the percentiles are given for.
    pub fractions: Vec<f64>,
    /// Percentiles of θ; 0 or infinite where the data do not bound it, empty if no resample determines it.
    #[serde(serialize_with = "extended::serialize")]
    pub theta: Vec<f64>,
    /// Percentiles of β; infinite where the data do not bound it, empty if no resample determines it.
    #[serde(serialize_with = "extended::serialize")]
    pub beta: Vec<f64>,
    /// Percentiles of the probability of collapse at each intensity asked for.
    pub curve: Vec<BandPoint>,
    /// How the fits of the resamples came out.
    pub outcomes: Outcomes,
}

/// Percentiles of the probability of collapse at one intensity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BandPoint {
    /// The intensity.
    pub intensity: f64,
    /// One percentile for each fraction; empty if no resample determines it.
    pub probability: Vec<f64>,
}

/// Numbers of resamples by the outcome of their fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outcomes {
    /// With a finite estimate.
    pub estimated: usize,
    /// Without collapse.
    pub no_collapse: usize,
    /// In which everything collapses.
    pub all_collapse: usize,
    /// Separated between two intensities, or at one.
    pub separated: usize,
    /// In which the fraction of collapses does not increase.
    pub not_increasing: usize,
    /// With a median out of range.
    pub out_of_range: usize,
    /// Without a limit: no runs, a single intensity, or no convergence. Left out of all percentiles.
    pub undetermined: usize,
    /// Of those with a limit: with unknown θ, left out of the percentiles of θ.
    pub theta_unknown: usize,
    /// Of those with a limit: with unknown β, left out of the percentiles of β.
    pub beta_unknown: usize,
}

impl Outcomes {
    /// Resamples without a finite estimate.
    #[must_use]
    pub const fn without_estimate(&self) -> usize {
        self.no_collapse
            + self.all_collapse
            + self.separated
            + self.not_increasing
            + self.out_of_range
            + self.undetermined
    }
}

/// Resamples records and refits. `collapses` has a row for each record and a column for each of `intensities`: whether the
/// run collapsed, or nothing if it was not run.
pub fn bootstrap(
    intensities: &[f64],
    collapses: &[Vec<Option<bool>>],
    settings: &Settings,
) -> Result<Bootstrap, InputError> {
    check(intensities, settings)?;
    if let Some(row) = collapses.iter().position(|row| row.len() != intensities.len()) {
        return Err(InputError::RowLength {
            row,
            found: collapses[row].len(),
            expected: intensities.len(),
        });
    }
    let fit = |drawn: &[usize]| fragility::fit(&stripes(intensities, collapses, drawn));
    Ok(resampled(collapses.len(), fit, settings))
}

/// Resamples the capacities of records and refits; those that are known within bounds, or from below, count as that.
pub fn of_capacities(capacities: &[Capacity], settings: &Settings) -> Result<Bootstrap, InputError> {
    check(&[], settings)?;
    let fit = |drawn: &[usize]| {
        let drawn: Vec<Capacity> = drawn.iter().map(|&record| capacities[record]).collect();
        ida::fit(&drawn)
    };
    Ok(resampled(capacities.len(), fit, settings))
}

/// Percentiles over resamples of so many records, of which `fit` is told which were drawn.
fn resampled(records: usize, fit: impl Fn(&[usize]) -> Fit, settings: &Settings) -> Bootstrap {
    let all: Vec<usize> = (0..records).collect();
    let mut random = Random::new(settings.seed);
    let mut outcomes = Outcomes::default();
    let mut limits = Vec::with_capacity(settings.resamples);
    for _ in 0..settings.resamples {
        let drawn: Vec<usize> = all.iter().map(|_| random.below(all.len())).collect();
        let fit = fit(&drawn);
        outcomes.count(&fit.outcome);
        limits.extend(Limit::of(&fit));
    }
    let theta: Vec<f64> = limits.iter().filter_map(|limit| limit.theta).collect();
    let beta: Vec<f64> = limits.iter().filter_map(|limit| limit.beta).collect();
    outcomes.theta_unknown = limits.len() - theta.len();
    outcomes.beta_unknown = limits.len() - beta.len();
    let curve = settings.intensities.iter().map(|&intensity| {
        let probability = limits.iter().map(|limit| limit.curve.probability(intensity)).collect();
        BandPoint {
            intensity,
            probability: percentile::of(probability, &settings.fractions),
        }
    });
    Bootstrap {
        fit: fit(&all),
        fractions: settings.fractions.clone(),
        theta: percentile::of(theta, &settings.fractions),
        beta: percentile::of(beta, &settings.fractions),
        curve: curve.collect(),
        outcomes,
    }
}

fn check(intensities: &[f64], settings: &Settings) -> Result<(), InputError> {
    percentile::check(&settings.fractions)?;
    for list in [intensities, &settings.intensities] {
        if let Some(index) = list.iter().position(|x| !(*x > 0.0 && x.is_finite())) {
            return Err(InputError::Intensity {
                index,
                value: list[index],
            });
        }
    }
    Ok(())
}

/// Collapses and runs at each intensity, over the records drawn.
fn stripes(intensities: &[f64], collapses: &[Vec<Option<bool>>], drawn: &[usize]) -> Vec<Stripe> {
    let stripe = |(column, &intensity)| {
        let runs = drawn.iter().filter_map(|&record| collapses[record][column]);
        runs.fold(
            Stripe {
                intensity,
                collapses: 0,
                runs: 0,
            },
            |stripe, collapsed| Stripe {
                collapses: stripe.collapses + usize::from(collapsed),
                runs: stripe.runs + 1,
                ..stripe
            },
        )
    };
    intensities.iter().enumerate().map(stripe).collect()
}

impl Outcomes {
    fn count(&mut self, outcome: &FitOutcome) {
        let counter = match outcome {
            FitOutcome::Estimated => &mut self.estimated,
            FitOutcome::NoCollapse { .. } => &mut self.no_collapse,
            FitOutcome::AllCollapse { .. } => &mut self.all_collapse,
            FitOutcome::Separated { .. } | FitOutcome::SeparatedAt { .. } => &mut self.separated,
            FitOutcome::NotIncreasing { .. } => &mut self.not_increasing,
            FitOutcome::MedianOutOfRange { .. } => &mut self.out_of_range,
            FitOutcome::Invalid { .. }
            | FitOutcome::NoRuns
            | FitOutcome::SingleIntensity { .. }
            | FitOutcome::NotConverged => &mut self.undetermined,
        };
        *counter += 1;
    }
}

/// What the likelihood of a resample tends to.
struct Limit {
    theta: Option<f64>,
    beta: Option<f64>,
    curve: Curve,
}

/// A fragility function, or a limit of fragility functions.
enum Curve {
    Lognormal(Lognormal),
    /// Lognormal with a median that is known by its logarithm only.
    Logarithmic {
        log_theta: f64,
        beta: f64,
    },
    Step {
        at: f64,
        fraction: f64,
    },
    Constant(f64),
}

impl Curve {
    fn probability(&self, x: f64) -> f64 {
        match *self {
            Self::Lognormal(curve) => curve.probability(x),
            Self::Logarithmic { log_theta, beta } => normal::cdf((libm::log(x) - log_theta) / beta),
            Self::Step { at, .. } if x < at => 0.0,
            Self::Step { at, .. } if x > at => 1.0,
            Self::Step { fraction, .. } | Self::Constant(fraction) => fraction,
        }
    }
}

impl Limit {
    fn of(fit: &Fit) -> Option<Self> {
        if let Some(estimate) = fit.estimate {
            let curve = estimate.curve;
            return Some(Self {
                theta: Some(curve.theta),
                beta: Some(curve.beta),
                curve: Curve::Lognormal(curve),
            });
        }
        let step = |at, fraction| Self {
            theta: Some(at),
            beta: Some(0.0),
            curve: Curve::Step { at, fraction },
        };
        let constant = |theta, beta, fraction| Self {
            theta,
            beta,
            curve: Curve::Constant(fraction),
        };
        match fit.outcome {
            FitOutcome::NoCollapse { .. } => Some(constant(Some(f64::INFINITY), None, 0.0)),
            FitOutcome::AllCollapse { .. } => Some(constant(Some(0.0), None, 1.0)),
            FitOutcome::Separated { stands, collapses } => Some(step(libm::sqrt(stands) * libm::sqrt(collapses), 0.5)),
            FitOutcome::SeparatedAt { at, fraction } => Some(step(at, fraction)),
            FitOutcome::NotIncreasing { fraction } => {
                let theta = if fraction < 0.5 {
                    Some(f64::INFINITY)
                } else {
                    (fraction > 0.5).then_some(0.0)
                };
                Some(constant(theta, Some(f64::INFINITY), fraction))
            }
            FitOutcome::MedianOutOfRange { log_theta, beta } => Some(Self {
                theta: Some(if log_theta > 0.0 { f64::INFINITY } else { 0.0 }),
                beta: Some(beta),
                curve: Curve::Logarithmic { log_theta, beta },
            }),
            FitOutcome::Estimated
            | FitOutcome::Invalid { .. }
            | FitOutcome::NoRuns
            | FitOutcome::SingleIntensity { .. }
            | FitOutcome::NotConverged => None,
        }
    }
}
