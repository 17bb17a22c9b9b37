//! The standard normal distribution.
//!
//! ```text
//! φ(x) = exp(-x²/2) / √(2π)        Φ(x) = ∫_{-∞}^{x} φ = erfc(-x/√2) / 2
//! ```
//!
//! Relative accuracy is kept far into the tails: a rare collapse is decided there.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, SQRT_2};

/// 1/√2 less its nearest double.
const FRAC_1_SQRT_2_REST: f64 = -4.833_646_656_726_457e-17;
/// 1/√(2π).
const FRAC_1_SQRT_2PI: f64 = 0.398_942_280_401_432_7;
/// ln √(2π).
const LN_SQRT_2PI: f64 = 0.918_938_533_204_672_8;
/// Below this, Φ comes from its asymptotic series: erfc leaves the normal doubles at -37.5.
const FAR_TAIL: f64 = -37.0;

/// φ(x).
#[must_use]
pub fn pdf(x: f64) -> f64 {
    if x.abs() > 40.0 {
        return 0.0;
    }
    // x = c + d with c² exact: the rounding error of x² would be amplified by x²/2.
    let c = (x * 16.0).trunc() / 16.0;
    let d = x - c;
    FRAC_1_SQRT_2PI * libm::exp(-0.5 * c * c) * libm::exp(-0.5 * d * (x + c))
}

/// Φ(x).
#[must_use]
pub fn cdf(x: f64) -> f64 {
    if x > 39.0 {
        return 1.0;
    }
    if x < -39.0 {
        return 0.0;
    }
    // The rounding error of y = -x/√2 would be amplified by x²; its first order is subtracted.
    let y = -x * FRAC_1_SQRT_2;
    let rest = libm::fma(-x, FRAC_1_SQRT_2, -y) - x * FRAC_1_SQRT_2_REST;
    0.5 * (libm::erfc(y) - FRAC_2_SQRT_PI * libm::exp(-y * y) * rest)
}

/// ln Φ(x), also where Φ(x) is less than the least double.
#[must_use]
pub fn log_cdf(x: f64) -> f64 {
    if x > 0.0 {
        libm::log1p(-cdf(-x))
    } else if x > FAR_TAIL {
        libm::log(cdf(x))
    } else if x == f64::NEG_INFINITY {
        x
    } else {
        log_pdf(x) - libm::log(-x) + libm::log1p(far_tail(-x))
    }
}

/// ln φ(x).
pub(super) fn log_pdf(x: f64) -> f64 {
    -0.5 * x * x - LN_SQRT_2PI
}

/// φ(x)/Φ(x), the derivative of ln Φ.
pub(super) fn log_cdf_slope(x: f64) -> f64 {
    if x > FAR_TAIL {
        pdf(x) / cdf(x)
    } else {
        -x / (1.0 + far_tail(-x))
    }
}

/// t Φ(-t)/φ(t) - 1 = -1/t² + 3/t⁴ - 15/t⁶ + ... : at t = 37, eight terms are more than a double holds.
fn far_tail(t: f64) -> f64 {
    let w = 1.0 / (t * t);
    (1..=8)
        .rev()
        .fold(0.0, |sum, k| -f64::from(2 * k - 1) * w * (1.0 + sum))
}

/// The x with Φ(x) = p, to about 1e-15 of x: the approximation 26.2.23 of Abramowitz and Stegun, then Newton's method.
/// Infinite for p = 0 and p = 1, NaN outside.
#[must_use]
pub fn quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    let upper = p > 0.5;
    let tail = if upper { 1.0 - p } else { p };
    if tail == 0.0 {
        return if upper { f64::INFINITY } else { f64::NEG_INFINITY };
    }
    if tail == 0.5 {
        return 0.0;
    }
    let t = libm::sqrt(-2.0 * libm::log(tail));
    let rational =
        (2.515_517 + t * (0.802_853 + t * 0.010_328)) / (1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308)));
    let start = rational - t;
    let x = if tail > 0.05 {
        near_median(start, tail - 0.5)
    } else {
        in_tail(start, libm::log(tail))
    };
    if upper { -x } else { x }
}

/// Solves Φ(x) - 1/2 = q. This difference has its own formula: Φ(x) itself rounds away what x is near the median.
fn near_median(mut x: f64, q: f64) -> f64 {
    for _ in 0..4 {
        x -= (0.5 * libm::erf(x / SQRT_2) - q) / pdf(x);
    }
    x
}

/// Solves ln Φ(x) = `log_p`, which is nearly quadratic in the tail where Φ spans hundreds of decades.
fn in_tail(mut x: f64, log_p: f64) -> f64 {
    for _ in 0..5 {
        x -= (log_cdf(x) - log_p) / log_cdf_slope(x);
    }
    x
}
