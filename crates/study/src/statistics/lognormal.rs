//! The lognormal distribution of a capacity, which is a fragility function (paper 003, eq. 24).

use serde::{Deserialize, Serialize};

use super::normal;

/// P(collapse at intensity x) = Φ(ln(x/θ)/β).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lognormal {
    /// The median θ of the intensities at which collapse begins (unit: that of the intensity).
    pub theta: f64,
    /// The dispersion β: standard deviation of the logarithm of that intensity.
    pub beta: f64,
}

impl Lognormal {
    /// The probability of collapse at intensity `x`; 0 for x ≤ 0.
    #[must_use]
    pub fn probability(&self, x: f64) -> f64 {
        if x <= 0.0 {
            0.0
        } else {
            normal::cdf(libm::log(x / self.theta) / self.beta)
        }
    }

    /// The intensity at which the probability of collapse is `p`; NaN if `p` is outside the interval from 0 to 1.
    #[must_use]
    pub fn quantile(&self, p: f64) -> f64 {
        self.theta * libm::exp(self.beta * normal::quantile(p))
    }
}
