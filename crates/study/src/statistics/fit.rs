//! What a maximum likelihood fit of a lognormal capacity found, or why there is none.

use std::fmt;

use serde::Serialize;

use super::{
    likelihood::{self, Known, Maximum, Observation},
    lognormal::Lognormal,
};

/// The outcome of a fit: an estimate, or the reason why the data determine no finite one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum FitOutcome {
    /// The likelihood has its maximum at finite θ and β; the estimate is given.
    Estimated,
    /// A datum makes no sense: an intensity that is not positive and finite, more collapses than runs, or an interval whose
    /// ends are not in ascending order.
    Invalid {
        /// Its position.
        index: usize,
    },
    /// There are no runs.
    NoRuns,
    /// Nothing collapsed. θ lies above; β is unknown.
    NoCollapse {
        /// Highest intensity that was withstood.
        stands: f64,
    },
    /// Everything collapsed. θ lies below; β is unknown.
    AllCollapse {
        /// Lowest intensity that was run.
        collapses: f64,
    },
    /// Everything stands up to one intensity and collapses from another: β → 0, and any θ between is equally likely.
    Separated {
        /// Highest intensity that was withstood.
        stands: f64,
        /// Lowest intensity that made collapse.
        collapses: f64,
    },
    /// Everything stands below one intensity and collapses above it: β → 0 and θ → this intensity.
    SeparatedAt {
        /// The intensity.
        at: f64,
        /// Fraction that collapses at this intensity.
        fraction: f64,
    },
    /// All runs have one intensity, and some collapse: one fraction cannot determine two parameters.
    SingleIntensity {
        /// The intensity.
        at: f64,
        /// Fraction of runs that collapse.
        fraction: f64,
    },
    /// The fraction of collapses does not increase with intensity: no positive β fits. The best curve is constant.
    NotIncreasing {
        /// Fraction of all runs that collapse.
        fraction: f64,
    },
    /// The fraction increases so little that the median is no number of the machine.
    MedianOutOfRange {
        /// ln θ.
        log_theta: f64,
        /// β.
        beta: f64,
    },
    /// Rounding kept the iteration from the maximum.
    NotConverged,
}

impl fmt::Display for FitOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Estimated => f.write_str("estimated"),
            Self::Invalid { index } => write!(
                f,
                "datum {index} is invalid: intensities must be positive and finite and in order, and collapses at most runs"
            ),
            Self::NoRuns => f.write_str("no runs"),
            Self::NoCollapse { stands } => {
                write!(f, "no collapse up to intensity {stands}; run higher intensities")
            }
            Self::AllCollapse { collapses } => {
                write!(f, "all collapse from intensity {collapses}; run lower intensities")
            }
            Self::Separated { stands, collapses } => write!(
                f,
                "all stand up to intensity {stands} and collapse from {collapses}; run intensities between them"
            ),
            Self::SeparatedAt { at, .. } => {
                write!(
                    f,
                    "all stand below intensity {at} and collapse above; run intensities near it"
                )
            }
            Self::SingleIntensity { at, .. } => write!(f, "all runs have intensity {at}; run others"),
            Self::NotIncreasing { fraction } => write!(
                f,
                "the fraction of collapses does not increase with intensity ({fraction} of all runs collapse); run more \
                 records, or a wider range of intensities"
            ),
            Self::MedianOutOfRange { log_theta, beta } => {
                write!(
                    f,
                    "the median is out of range (ln theta = {log_theta}, beta = {beta}); run other intensities"
                )
            }
            Self::NotConverged => f.write_str("the iteration did not converge"),
        }
    }
}

/// A maximum likelihood fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// Whether there is an estimate, or why not.
    #[serde(flatten)]
    pub outcome: FitOutcome,
    /// The estimate, if the outcome is [`FitOutcome::Estimated`].
    pub estimate: Option<Estimate>,
}

/// Finite maximum likelihood estimates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// θ and β.
    #[serde(flatten)]
    pub curve: Lognormal,
    /// Standard error of θ (unit: that of the intensity), to first order from the information of (ln θ, β).
    pub theta_error: f64,
    /// Standard error of β, likewise.
    pub beta_error: f64,
    /// The maximum of the log-likelihood.
    pub log_likelihood: f64,
    /// What is left of its derivatives with respect to ln θ and β.
    pub gradient: [f64; 2],
    /// Distance to the maximum in standard errors (Newton decrement); at most 1e-9.
    pub residual: f64,
    /// Newton steps taken.
    pub iterations: usize,
}

impl Fit {
    /// The probability of collapse at intensity `x`, if there is an estimate.
    #[must_use]
    pub fn probability(&self, x: f64) -> Option<f64> {
        self.estimate.map(|estimate| estimate.curve.probability(x))
    }

    /// The estimated θ.
    #[must_use]
    pub fn theta(&self) -> Option<f64> {
        self.estimate.map(|estimate| estimate.curve.theta)
    }

    /// The estimated β.
    #[must_use]
    pub fn beta(&self) -> Option<f64> {
        self.estimate.map(|estimate| estimate.curve.beta)
    }

    pub(super) const fn none(outcome: FitOutcome) -> Self {
        Self {
            outcome,
            estimate: None,
        }
    }
}

/// Which information the standard errors come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Information {
    /// Fisher's: expected over how the runs may end.
    Expected,
    /// Of the observations as they are.
    Observed,
}

/// Fits a lognormal capacity to valid observations with positive weights. `constant` is added to the log-likelihood.
pub(super) fn fit(observations: &[Observation], information: Information, constant: f64) -> Fit {
    if let Some(outcome) = without_estimate(observations) {
        return Fit::none(outcome);
    }
    // y = (ln x - centre)/scale.
    let (centre, scale) = moments(observations);
    let standardised: Vec<_> = observations
        .iter()
        .map(|o| Observation {
            capacity: o.capacity.map(|x| (libm::log(x) - centre) / scale),
            ..*o
        })
        .collect();
    let Some(maximum) = likelihood::maximise(&standardised) else {
        return Fit::none(FitOutcome::NotConverged);
    };
    let Maximum { gamma, tau, .. } = maximum;
    let (mu, sigma) = (gamma / tau, 1.0 / tau);
    let (log_theta, beta) = (centre + scale * mu, scale * sigma);
    let theta = libm::exp(log_theta);
    if !(theta.is_normal() && beta.is_finite() && beta > 0.0) {
        return Fit::none(FitOutcome::MedianOutOfRange { log_theta, beta });
    }
    let information = match information {
        Information::Expected => maximum.expected_information(&standardised),
        Information::Observed => maximum.observed_information(),
    };
    // From (γ - τȳ, τ) to (μ, σ) = (γ/τ, 1/τ).
    let away = mu - information.centre;
    let variance_mu = sigma * sigma * (1.0 / information.location + away * away / information.slope);
    let variance_sigma = sigma * sigma * sigma * sigma / information.slope;
    let [slope_gamma, slope_tau] = maximum.gradient;
    let exact = observations.iter().filter(|o| matches!(o.capacity, Known::Exactly(_)));
    let exact: f64 = exact.map(|o| o.weight).sum();
    Fit {
        outcome: FitOutcome::Estimated,
        estimate: Some(Estimate {
            curve: Lognormal { theta, beta },
            theta_error: theta * scale * libm::sqrt(variance_mu),
            beta_error: scale * libm::sqrt(variance_sigma),
            log_likelihood: constant + maximum.value - exact * libm::log(scale),
            gradient: [
                slope_gamma * tau / scale,
                -(slope_gamma * mu + slope_tau) * tau * tau / scale,
            ],
            residual: maximum.residual,
            iterations: maximum.iterations,
        }),
    }
}

/// The reason why the likelihood has no maximum at finite θ and positive β, if there is one (for probit regression: Albert
/// and Anderson 1984, Silvapulle 1981). The likelihood grows for ever if one capacity agrees with every observation, and
/// for runs alone also if the fraction of collapses does not increase.
fn without_estimate(observations: &[Observation]) -> Option<FitOutcome> {
    let total: f64 = observations.iter().map(|o| o.weight).sum();
    if total == 0.0 {
        return Some(FitOutcome::NoRuns);
    }
    let (mut stands, mut collapses, mut bounded) = (None::<f64>, None::<f64>, false);
    for observation in observations {
        let (low, high) = match observation.capacity {
            Known::Exactly(x) => (Some(x), Some(x)),
            Known::AtMost(x) => (None, Some(x)),
            Known::MoreThan(x) => (Some(x), None),
            Known::Between(low, high) => (Some(low), Some(high)),
        };
        bounded |= low.is_some() && high.is_some();
        stands = low.map(|low| stands.map_or(low, |s| s.max(low))).or(stands);
        collapses = high.map(|high| collapses.map_or(high, |c| c.min(high))).or(collapses);
    }
    let (stands, collapses) = match (stands, collapses) {
        (Some(stands), Some(collapses)) => (stands, collapses),
        (Some(stands), None) => return Some(FitOutcome::NoCollapse { stands }),
        (None, Some(collapses)) => return Some(FitOutcome::AllCollapse { collapses }),
        (None, None) => return Some(FitOutcome::NoRuns),
    };
    if stands < collapses {
        return Some(FitOutcome::Separated { stands, collapses });
    }
    let collapsed = |o: &&Observation| matches!(o.capacity, Known::AtMost(_));
    if stands == collapses {
        let at = stands;
        if bounded {
            return Some(FitOutcome::SeparatedAt { at, fraction: 1.0 });
        }
        let runs_there = |o: &&Observation| matches!(o.capacity, Known::AtMost(x) | Known::MoreThan(x) if x == at);
        let runs: f64 = observations.iter().filter(runs_there).map(|o| o.weight).sum();
        let collapses: f64 = observations
            .iter()
            .filter(runs_there)
            .filter(collapsed)
            .map(|o| o.weight)
            .sum();
        let fraction = collapses / runs;
        return Some(if runs == total {
            FitOutcome::SingleIntensity { at, fraction }
        } else {
            FitOutcome::SeparatedAt { at, fraction }
        });
    }
    if bounded {
        return None;
    }
    // At the best constant curve the likelihood rises with the slope as the covariance of collapse and ln x does; by
    // concavity its sign is that of the best slope.
    let (centre, _) = moments(observations);
    let [covariance, size] = observations
        .iter()
        .filter(collapsed)
        .fold([0.0, 0.0], |[sum, size], o| {
            let y = o.weight * (representative(o.capacity) - centre);
            [sum + y, size + y.abs()]
        });
    if covariance <= 1e-12 * size {
        let collapses: f64 = observations.iter().filter(collapsed).map(|o| o.weight).sum();
        return Some(FitOutcome::NotIncreasing {
            fraction: collapses / total,
        });
    }
    None
}

/// One logarithm of intensity for an observation.
fn representative(capacity: Known) -> f64 {
    match capacity.map(libm::log) {
        Known::Exactly(y) | Known::AtMost(y) | Known::MoreThan(y) => y,
        Known::Between(low, high) => 0.5 * (low + high),
    }
}

/// Mean and standard deviation of those logarithms; 1 in place of a standard deviation of 0.
fn moments(observations: &[Observation]) -> (f64, f64) {
    let total: f64 = observations.iter().map(|o| o.weight).sum();
    let mean = observations
        .iter()
        .map(|o| o.weight * representative(o.capacity))
        .sum::<f64>()
        / total;
    let square = |o: &Observation| {
        let d = representative(o.capacity) - mean;
        o.weight * d * d
    };
    let deviation = libm::sqrt(observations.iter().map(square).sum::<f64>() / total);
    (mean, if deviation > 0.0 { deviation } else { 1.0 })
}
