//! Fragility functions from stripes.

use super::near;
use crate::statistics::{
    fit::FitOutcome,
    fragility::{Stripe, fit},
};

fn stripes(data: &[(f64, usize, usize)]) -> Vec<Stripe> {
    data.iter()
        .map(|&(intensity, collapses, runs)| Stripe {
            intensity,
            collapses,
            runs,
        })
        .collect()
}

/// What another program finds for the same stripes.
struct Reference {
    theta: f64,
    beta: f64,
    theta_error: f64,
    beta_error: f64,
    log_likelihood: f64,
}

#[track_caller]
fn compare(data: &[(f64, usize, usize)], reference: &Reference, tolerance: f64) {
    let estimate = fit(&stripes(data)).estimate.expect("these data determine a curve");
    near(estimate.curve.theta, reference.theta, tolerance);
    near(estimate.curve.beta, reference.beta, tolerance);
    near(estimate.theta_error, reference.theta_error, tolerance);
    near(estimate.beta_error, reference.beta_error, tolerance);
    near(estimate.log_likelihood, reference.log_likelihood, tolerance);
    assert!(estimate.residual < 1e-12, "residual {:e}", estimate.residual);
    let scaled = [
        estimate.gradient[0] * estimate.theta_error / estimate.curve.theta,
        estimate.gradient[1] * estimate.beta_error,
    ];
    assert!(scaled.iter().all(|slope| slope.abs() < 1e-11), "gradient {scaled:?}");
}

/// Eight stripes of 40 records, not all of which reach one half: a multiple stripe analysis as Baker (2015) treats it.
const EIGHT_STRIPES: [(f64, usize, usize); 8] = [
    (0.2, 0, 40),
    (0.3, 0, 40),
    (0.4, 0, 40),
    (0.6, 4, 40),
    (0.7, 6, 40),
    (0.8, 13, 40),
    (0.9, 12, 40),
    (1.0, 16, 40),
];

#[test]
fn the_fit_is_that_of_a_probit_regression() {
    // statsmodels: GLM, Binomial, Probit; standard errors of θ and β by the delta method.
    let statsmodels = Reference {
        theta: 1.076_115_794_292_68,
        beta: 0.429_237_203_832_319,
        theta_error: 0.076_376_047_262_2,
        beta_error: 0.082_103_654_105_4,
        log_likelihood: -10.797_704_662_145_9,
    };
    compare(&EIGHT_STRIPES, &statsmodels, 2e-12);
    // mpmath: the score equations, 50 digits.
    let mpmath = Reference {
        theta: 1.076_115_794_292_683_3,
        beta: 0.429_237_203_832_318_4,
        theta_error: 0.076_376_047_262_230_54,
        beta_error: 0.082_103_654_105_443_69,
        log_likelihood: -10.797_704_662_145_871,
    };
    compare(&EIGHT_STRIPES, &mpmath, 1e-13);
}

#[test]
fn a_few_collapses_in_thousands_of_runs() {
    // statsmodels and mpmath agree to the digits that statsmodels prints; these are mpmath's.
    let rare = [
        (0.1, 0, 1000),
        (0.2, 1, 1000),
        (0.4, 0, 500),
        (0.8, 3, 200),
        (1.6, 40, 100),
    ];
    let reference = Reference {
        theta: 1.939_296_848_173_268_8,
        beta: 0.504_612_378_782_817_5,
        theta_error: 0.154_420_029_656_322_42,
        beta_error: 0.060_774_811_295_361_49,
        log_likelihood: -12.717_875_182_038_329,
    };
    compare(&rare, &reference, 1e-13);
}

#[test]
fn a_median_four_decades_beyond_the_data() {
    // mpmath; statsmodels agrees to 3e-12 in θ, to 2e-10 in the log-likelihood.
    let rarer = [(1.0, 1, 1_000_000), (2.0, 3, 1_000_000), (4.0, 20, 1_000_000)];
    let reference = Reference {
        theta: 9_804.085_892_025_657,
        beta: 1.897_756_395_589_539_8,
        theta_error: 19_626.795_081_508_122,
        beta_error: 0.475_895_635_039_340_8,
        log_likelihood: -5.093_115_695_147_928,
    };
    compare(&rarer, &reference, 1e-12);
}

#[test]
fn one_run_at_each_intensity() {
    // statsmodels and mpmath agree; these are mpmath's.
    let single = [
        (0.3, 0, 1),
        (0.5, 0, 1),
        (0.7, 1, 1),
        (0.9, 0, 1),
        (1.1, 1, 1),
        (1.4, 1, 1),
    ];
    let reference = Reference {
        theta: 0.765_232_141_387_145_4,
        beta: 0.355_061_905_258_579_4,
        theta_error: 0.183_565_335_180_388_2,
        beta_error: 0.254_925_882_595_588_66,
        log_likelihood: -2.380_054_079_883_177,
    };
    compare(&single, &reference, 1e-13);
}

#[test]
fn intensities_over_six_decades() {
    // statsmodels and mpmath agree; these are mpmath's.
    let decades = [
        (1e-3, 0, 20),
        (1e-2, 2, 20),
        (0.1, 5, 20),
        (1.0, 9, 20),
        (10.0, 12, 20),
        (100.0, 18, 20),
        (1000.0, 20, 20),
    ];
    let reference = Reference {
        theta: 1.544_798_559_070_96,
        beta: 3.417_284_335_998_853_6,
        theta_error: 0.731_810_926_374_190_3,
        beta_error: 0.467_558_050_332_031_37,
        log_likelihood: -9.212_669_000_434_308,
    };
    compare(&decades, &reference, 1e-13);
}

#[test]
fn a_transition_within_one_percent_of_intensity() {
    // statsmodels and mpmath agree; these are mpmath's. Logarithms that differ by 0.01 lose two digits.
    let steep = [(0.99, 0, 50), (1.0, 1, 50), (1.01, 49, 50), (1.02, 50, 50)];
    let reference = Reference {
        theta: 1.004_987_562_100_32,
        beta: 0.002_422_479_816_605_201_6,
        theta_error: 0.000_703_948_390_456_698_2,
        beta_error: 0.000_341_061_392_529_551_34,
        log_likelihood: -1.979_865_354_287_512_2,
    };
    compare(&steep, &reference, 1e-11);
}

#[test]
fn a_change_of_unit_scales_the_median_only() {
    let fit_si = fit(&stripes(&EIGHT_STRIPES.map(|(x, z, n)| (9.81 * x, z, n))))
        .estimate
        .expect("a curve");
    let fit_g = fit(&stripes(&EIGHT_STRIPES)).estimate.expect("a curve");
    near(fit_si.curve.theta, 9.81 * fit_g.curve.theta, 1e-13);
    near(fit_si.curve.beta, fit_g.curve.beta, 1e-13);
    near(fit_si.theta_error, 9.81 * fit_g.theta_error, 1e-12);
}

#[test]
fn the_curve_is_one_half_at_the_median() {
    let fit = fit(&stripes(&EIGHT_STRIPES));
    let theta = fit.theta().expect("a curve");
    assert_eq!(fit.probability(theta), Some(0.5));
    assert_eq!(fit.probability(0.0), Some(0.0));
    let estimate = fit.estimate.expect("a curve");
    near(estimate.curve.probability(estimate.curve.quantile(0.16)), 0.16, 1e-14);
}

#[test]
fn data_that_determine_no_curve_say_why() {
    let outcome = |data: &[(f64, usize, usize)]| {
        let fit = fit(&stripes(data));
        assert_eq!(
            (fit.estimate, fit.theta(), fit.beta(), fit.probability(1.0)),
            (None, None, None, None)
        );
        fit.outcome
    };
    assert_eq!(outcome(&[]), FitOutcome::NoRuns);
    assert_eq!(outcome(&[(1.0, 0, 0), (2.0, 0, 0)]), FitOutcome::NoRuns);
    assert_eq!(
        outcome(&[(1.0, 0, 5), (2.0, 0, 5), (3.0, 0, 0)]),
        FitOutcome::NoCollapse { stands: 2.0 }
    );
    assert_eq!(
        outcome(&[(3.0, 0, 0), (2.0, 5, 5), (1.0, 5, 5)]),
        FitOutcome::AllCollapse { collapses: 1.0 }
    );
    assert_eq!(
        outcome(&[(1.0, 0, 5), (1.5, 0, 5), (2.0, 5, 5), (3.0, 5, 5)]),
        FitOutcome::Separated {
            stands: 1.5,
            collapses: 2.0
        }
    );
    assert_eq!(
        outcome(&[(1.0, 0, 5), (2.0, 1, 4), (3.0, 5, 5)]),
        FitOutcome::SeparatedAt {
            at: 2.0,
            fraction: 0.25
        }
    );
    assert_eq!(
        outcome(&[(1.0, 0, 5), (2.0, 1, 4)]),
        FitOutcome::SeparatedAt {
            at: 2.0,
            fraction: 0.25
        }
    );
    assert_eq!(
        outcome(&[(2.0, 1, 2), (2.0, 0, 2)]),
        FitOutcome::SingleIntensity {
            at: 2.0,
            fraction: 0.25
        }
    );
    // Falling, falling by separation, and constant, where rounding must not make a positive slope.
    assert_eq!(
        outcome(&[(1.0, 3, 5), (2.0, 1, 5)]),
        FitOutcome::NotIncreasing { fraction: 0.4 }
    );
    assert_eq!(
        outcome(&[(1.0, 5, 5), (2.0, 0, 5)]),
        FitOutcome::NotIncreasing { fraction: 0.5 }
    );
    assert_eq!(
        outcome(&[(0.1, 1, 5), (0.3, 1, 5), (0.7, 1, 5)]),
        FitOutcome::NotIncreasing { fraction: 0.2 }
    );
    assert_eq!(outcome(&[(1.0, 1, 5), (-2.0, 1, 5)]), FitOutcome::Invalid { index: 1 });
    assert_eq!(outcome(&[(f64::NAN, 1, 5)]), FitOutcome::Invalid { index: 0 });
    assert_eq!(outcome(&[(1.0, 6, 5)]), FitOutcome::Invalid { index: 0 });
}

#[test]
fn a_fraction_that_hardly_increases_has_no_median_in_range() {
    let FitOutcome::MedianOutOfRange { log_theta, beta } =
        fit(&stripes(&[(1.0, 10_000, 100_000), (2.0, 10_001, 100_000)])).outcome
    else {
        panic!("a median in range");
    };
    // Two stripes are fitted exactly: ln θ = -β Φ⁻¹(0.1), β = ln 2/(Φ⁻¹(0.10001) - Φ⁻¹(0.1)); mpmath.
    near(beta, 12_165.061_537_137_19, 1e-10);
    near(log_theta, 15_590.153_657_864_546, 1e-10);
}

#[test]
fn any_data_are_fitted_or_told_apart() {
    // All ways to spread collapses over four stripes of three runs: either a converged estimate or a named outcome, and
    // the estimate is a maximum.
    let mut estimated = 0;
    for code in 0..256_usize {
        let collapses = [code & 3, (code >> 2) & 3, (code >> 4) & 3, (code >> 6) & 3];
        let data: Vec<_> = [0.5, 1.0, 1.5, 3.0]
            .into_iter()
            .zip(collapses)
            .map(|(x, z)| (x, z, 3))
            .collect();
        let fit = fit(&stripes(&data));
        assert_ne!(fit.outcome, FitOutcome::NotConverged, "{collapses:?}");
        if let Some(estimate) = fit.estimate {
            estimated += 1;
            let value = |theta: f64, beta: f64| {
                let binomial = [1.0_f64, 3.0, 3.0, 1.0];
                data.iter()
                    .map(|&(x, z, n)| {
                        let p = crate::statistics::lognormal::Lognormal { theta, beta }.probability(x);
                        binomial[z].ln() + z as f64 * p.ln() + (n - z) as f64 * (1.0 - p).ln()
                    })
                    .filter(|term| !term.is_nan())
                    .sum::<f64>()
            };
            let (theta, beta) = (estimate.curve.theta, estimate.curve.beta);
            // Where a probability rounds to 1, this naive sum is no reference.
            if beta > 0.05 && beta < 1e3 {
                let maximum = value(theta, beta);
                assert!((maximum - estimate.log_likelihood).abs() < 1e-9, "{collapses:?}");
                for (f, g) in [(1.001, 1.0), (0.999, 1.0), (1.0, 1.001), (1.0, 0.999)] {
                    assert!(value(theta * f, beta * g) <= maximum + 1e-12, "{collapses:?}");
                }
            }
        }
    }
    assert!(estimated > 100, "{estimated}");
}

#[test]
fn an_outcome_is_written_with_its_values() {
    let fit = fit(&stripes(&[(1.0, 0, 5), (2.0, 5, 5)]));
    let json = serde_json::to_value(fit).expect("a fit is written");
    assert_eq!(
        json,
        serde_json::json!({"outcome": "separated", "stands": 1.0, "collapses": 2.0, "estimate": null})
    );
    assert!(fit.outcome.to_string().contains("collapse from 2"));
}
