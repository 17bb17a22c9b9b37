//! Fragility functions from a multiple stripe analysis (paper 003, eq. 24 and 25; Baker 2015).
//!
//! At intensity x_j, z_j of n_j runs collapse. With p_j = Φ(ln(x_j/θ)/β), θ and β maximise
//!
//! ```text
//! L = Σ_j { ln(n_j choose z_j) + z_j ln p_j + (n_j - z_j) ln(1 - p_j) }
//! ```
//!
//! which is a generalised linear regression with probit link on ln x.

use serde::{Deserialize, Serialize};

use super::{
    fit::{self, Fit, FitOutcome, Information},
    likelihood::{Known, Observation, log_binomial},
};

/// The runs at one intensity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stripe {
    /// Intensity measure x_j, positive (unit: the study's, such as g).
    pub intensity: f64,
    /// Runs that collapsed, z_j.
    pub collapses: usize,
    /// Runs, n_j; a stripe without runs counts for nothing.
    pub runs: usize,
}

impl Stripe {
    /// The fraction of runs that collapsed, if there were runs.
    #[must_use]
    pub fn fraction(&self) -> Option<f64> {
        (self.runs > 0).then(|| self.collapses as f64 / self.runs as f64)
    }
}

/// Fits a fragility function by maximum likelihood. Standard errors come from the expected (Fisher) information.
#[must_use]
pub fn fit(stripes: &[Stripe]) -> Fit {
    let mut observations = Vec::with_capacity(2 * stripes.len());
    let mut constant = 0.0;
    for (
        index,
        &Stripe {
            intensity,
            collapses,
            runs,
        },
    ) in stripes.iter().enumerate()
    {
        if !(intensity > 0.0 && intensity.is_finite()) || collapses > runs {
            return Fit::none(FitOutcome::Invalid { index });
        }
        let ends = [
            (collapses, Known::AtMost(intensity)),
            (runs - collapses, Known::MoreThan(intensity)),
        ];
        observations.extend(
            ends.into_iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, capacity)| Observation {
                    weight: count as f64,
                    capacity,
                }),
        );
        constant += log_binomial(runs, collapses);
    }
    fit::fit(&observations, Information::Expected, constant)
}
