//! Tests against other programs: mpmath 1.4.1 with 50 digits, SciPy 1.17.1, statsmodels 0.15.0, NumPy 2.4.6. Their numbers
//! stand where they are compared.

#![allow(
    clippy::excessive_precision,
    reason = "numbers of other programs, with all their digits"
)]

mod fragility;

mod normal;

/// Asserts that two numbers agree to a relative error.
#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    let error = ((found - expected) / expected).abs();
    assert!(
        error <= tolerance,
        "found {found:e}, expected {expected:e}: relative error {error:e}"
    );
}
