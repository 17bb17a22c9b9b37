//! The statistics of studies beside other programs: SciPy 1.17.1, statsmodels 0.15.0, NumPy 2.4.6. What they were given is what the tests give.

use drystone_study::statistics::{
    bootstrap::{self, bootstrap},
    fit::FitOutcome,
    fragility::{self, Stripe},
    hull,
    ida::{self, Capacity, Record},
    normal, percentile,
    random::Random,
    sampling::{Placement, Range, latin_hypercube},
    sensitivity::{Regression, sensitivity},
};

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs() / expected.abs();
    assert!(error <= tolerance, "{found} instead of {expected}: {error:e}");
}

/// Collapses of 44 records at ascending intensities.
fn stripes(counts: &[(f64, usize)]) -> Vec<Stripe> {
    counts
        .iter()
        .map(|&(intensity, collapses)| Stripe {
            intensity,
            collapses,
            runs: 44,
        })
        .collect()
}

/// `sm.GLM(np.c_[z, n - z], sm.add_constant(np.log(x)), family=Binomial(Probit()))`; the log-likelihood with its binomial coefficients
/// from `scipy.stats.norm.logcdf`, standard errors by the delta method from `cov_params()`.
#[test]
fn a_fragility_curve_is_the_probit_regression_of_statsmodels() {
    let cases = [
        (
            stripes(&[(0.2, 0), (0.4, 17), (0.6, 30), (0.8, 36), (1.0, 41), (1.4, 44)]),
            [
                0.493_246_290_219_4,
                0.446_146_031_128_2,
                0.024_755_987_317_34,
                0.047_843_820_775_4,
                -9.683_125_540_876,
            ],
        ),
        (
            stripes(&[(0.2, 0), (0.4, 3), (0.6, 11), (0.8, 26), (1.0, 32), (1.4, 37)]),
            [
                0.785_495_084_007_4,
                0.474_651_717_353_5,
                0.035_841_440_435_7,
                0.055_981_106_696_8,
                -10.696_354_992_896,
            ],
        ),
        (
            stripes(&[(1.0, 3), (5.0, 35), (10.0, 42), (20.0, 43)]),
            [
                2.896_519_938_299_2,
                0.772_463_551_669_2,
                0.335_548_258_647_8,
                0.092_365_550_542_3,
                -6.495_989_787_810,
            ],
        ),
    ];
    for (stripes, [theta, beta, theta_error, beta_error, log_likelihood]) in cases {
        let estimate = fragility::fit(&stripes).estimate.expect("a curve");
        near(estimate.curve.theta, theta, 1e-9);
        near(estimate.curve.beta, beta, 1e-9);
        near(estimate.theta_error, theta_error, 1e-8);
        near(estimate.beta_error, beta_error, 1e-8);
        near(estimate.log_likelihood, log_likelihood, 1e-11);
    }
}

#[test]
fn counts_that_determine_no_curve_give_none() {
    let outcome = |counts: &[(f64, usize)]| {
        let fit = fragility::fit(&stripes(counts));
        assert!(fit.estimate.is_none(), "{counts:?}");
        fit.outcome
    };
    assert!(matches!(outcome(&[(0.5, 0), (1.0, 0)]), FitOutcome::NoCollapse { .. }));
    assert!(matches!(
        outcome(&[(0.5, 44), (1.0, 44)]),
        FitOutcome::AllCollapse { .. }
    ));
    assert!(matches!(outcome(&[(0.5, 0), (1.0, 44)]), FitOutcome::Separated { .. }));
    assert!(matches!(
        outcome(&[(0.5, 0), (0.7, 20), (1.0, 44)]),
        FitOutcome::SeparatedAt { .. }
    ));
    assert!(matches!(
        outcome(&[(0.5, 30), (1.0, 20)]),
        FitOutcome::NotIncreasing { .. }
    ));
    assert!(matches!(outcome(&[(0.5, 30)]), FitOutcome::SingleIntensity { .. }));
    assert!(matches!(outcome(&[]), FitOutcome::NoRuns));
}

/// The likelihood of intervals and censored capacities, maximised by `scipy.optimize.minimize` (Nelder-Mead to 1e-12).
#[test]
fn capacities_known_within_bounds_give_the_curve_of_scipy() {
    let between = |stands: f64, falls: f64| Capacity::Between { stands, falls };
    let capacities = [
        between(0.3, 0.35),
        between(0.5, 0.6),
        between(0.0, 0.2),
        Capacity::Above { stands: 0.7 },
        between(0.4, 0.55),
        between(0.9, 1.0),
        Capacity::Above { stands: 1.2 },
        between(0.6, 0.65),
    ];
    let estimate = ida::fit(&capacities).estimate.expect("a curve");
    near(estimate.curve.theta, 0.596_401_85, 1e-7);
    near(estimate.curve.beta, 0.796_425_41, 1e-7);
    near(estimate.log_likelihood, -18.466_028_631_622, 1e-12);
}

/// Curves of three records by hand: linear between runs, flat from the last run that stood to the collapse, infinite from there.
#[test]
fn fractiles_of_demand_count_collapse_as_infinite() {
    let records = [
        Record {
            points: vec![[0.5, 1.0], [1.0, 3.0]],
            collapse: Some(1.2),
        },
        Record {
            points: vec![[0.5, 2.0], [1.0, 2.5]],
            collapse: None,
        },
        Record {
            points: vec![[0.5, 0.5]],
            collapse: Some(0.8),
        },
    ];
    let found = ida::demand_fractiles(&records, &[0.25, 0.75, 1.1, 1.5], &[0.5]).unwrap();
    // At 0.25 demands are half of those at 0.5; at 0.75 they are 2, 2.25 and 0.5; at 1.1 they are 3 and infinite, the second is not known.
    assert_eq!(found[0].demand, [0.5]);
    assert_eq!(found[1].demand, [2.0]);
    assert_eq!(
        (found[2].demand[0], found[2].collapsed, found[2].unknown),
        (f64::INFINITY, 1, 1)
    );
    assert_eq!(
        (found[3].demand[0], found[3].collapsed, found[3].unknown),
        (f64::INFINITY, 2, 1)
    );
}

/// With four records there are 4⁴ resamples, each as likely as any other: percentiles of all of them are those of very many random ones.
#[test]
fn bands_are_percentiles_over_all_resamples() {
    let intensities = [0.5, 1.0, 2.0, 4.0];
    let rows = ["0001", "0011", "0101", "0111"];
    let collapses: Vec<Vec<Option<bool>>> = rows
        .iter()
        .map(|row| row.chars().map(|c| Some(c == '1')).collect())
        .collect();
    let mut thetas = Vec::new();
    for code in 0..256_usize {
        let drawn = [code & 3, (code >> 2) & 3, (code >> 4) & 3, code >> 6];
        let counts = intensities.iter().enumerate().map(|(k, &intensity)| Stripe {
            intensity,
            collapses: drawn.iter().filter(|r| collapses[**r][k] == Some(true)).count(),
            runs: 4,
        });
        let fit = fragility::fit(&counts.collect::<Vec<_>>());
        thetas.push(match fit.outcome {
            // A clean step: half way between, in proportion.
            FitOutcome::Separated { stands, collapses } => (stands * collapses).sqrt(),
            FitOutcome::SeparatedAt { at, .. } => at,
            _ => fit.theta().expect("a curve"),
        });
    }
    thetas.sort_by(f64::total_cmp);
    let settings = bootstrap::Settings {
        resamples: 40_000,
        seed: 3,
        fractions: vec![0.1, 0.5, 0.9],
        intensities: vec![1.0],
    };
    let found = bootstrap(&intensities, &collapses, &settings).unwrap();
    // Within what 40,000 draws leave open: four standard errors of the fraction.
    for (fraction, theta) in settings.fractions.iter().zip(&found.theta) {
        let margin = 4.0 * (fraction * (1.0 - fraction) / 40_000.0_f64).sqrt();
        let [low, high] = [fraction - margin, fraction + margin].map(|f| percentile::of_sorted(&thetas, f).unwrap());
        assert!(
            (low - 1e-12..=high + 1e-12).contains(theta),
            "{theta} is not from {low} to {high}"
        );
    }
    assert_eq!(found.outcomes.estimated + found.outcomes.separated, 40_000);
    let again = bootstrap(&intensities, &collapses, &settings).unwrap();
    assert_eq!(found.theta, again.theta);
}

/// The maximum likelihood estimates of n lognormal capacities are the mean and the standard deviation of their logarithms, whose
/// standard errors are β/√n and β/√(2n).
#[test]
fn bands_of_capacities_are_as_wide_as_theory_says() {
    let (theta, beta, n) = (0.8, 0.4, 100);
    let at = |k: usize| theta * (beta * normal::quantile((k as f64 + 0.5) / n as f64)).exp();
    let settings = bootstrap::Settings {
        resamples: 4000,
        intensities: vec![theta],
        ..bootstrap::Settings::default()
    };
    // Known closely or exactly, they are the same.
    let exact: Vec<Capacity> = (0..n).map(|k| Capacity::Collapses { at: at(k) }).collect();
    let enclosed = (0..n).map(|k| Capacity::Between {
        stands: 0.999 * at(k),
        falls: 1.001 * at(k),
    });
    for capacities in [exact, enclosed.collect()] {
        let bands = bootstrap::of_capacities(&capacities, &settings).unwrap();
        assert_eq!(bands.outcomes.estimated, 4000);
        let half = |ends: &[f64]| 0.5 * (ends[1] / ends[0]).ln();
        near(half(&bands.theta), 1.645 * beta / (n as f64).sqrt(), 0.1);
        near(half(&bands.beta), 1.645 / (2.0 * n as f64).sqrt(), 0.15);
        let [low, high] = bands.curve[0].probability[..] else {
            panic!("a band")
        };
        assert!(low < 0.5 && 0.5 < high, "{low} to {high}");
    }
}

/// A record that collapsed nowhere tells that its capacity is higher, and makes the band reach higher than where it is left out.
#[test]
fn bands_know_of_records_that_collapsed_nowhere() {
    let known: Vec<Capacity> = (1..=9)
        .map(|k| Capacity::Collapses { at: 0.1 * f64::from(k) })
        .collect();
    let above = [Capacity::Above { stands: 1.0 }; 4];
    let all: Vec<Capacity> = known.iter().copied().chain(above).collect();
    let theta = |capacities: &[Capacity]| {
        let bands = bootstrap::of_capacities(capacities, &bootstrap::Settings::default()).unwrap();
        assert_eq!(bands.fit, ida::fit(capacities));
        bands.theta
    };
    let (without, with) = (theta(&known), theta(&all));
    assert!(
        with[0] > without[0] && with[1] > 1.2 * without[1],
        "{with:?} and {without:?}"
    );
}

#[test]
fn quantiles_are_those_of_numpy() {
    // numpy.quantile([1, 4, 2, 8, 5], [0.16, 0.5, 0.84])
    let sorted = [1.0, 2.0, 4.0, 5.0, 8.0];
    for (fraction, expected) in [(0.16, 1.64), (0.5, 4.0), (0.84, 6.08)] {
        near(percentile::of_sorted(&sorted, fraction).unwrap(), expected, 1e-14);
    }
}

#[test]
fn every_row_and_column_of_a_latin_hypercube_holds_one_point() {
    for (seed, samples) in [(1, 1), (1, 7), (7, 60), (9, 1000)] {
        let points = latin_hypercube(samples, 3, seed, Placement::Random);
        for column in 0..3 {
            let mut cells: Vec<usize> = points.iter().map(|p| (p[column] * samples as f64) as usize).collect();
            cells.sort_unstable();
            assert!(cells.into_iter().eq(0..samples), "seed {seed}, {samples} samples");
        }
    }
    // Cells are in a random order, one column apart from another: rank correlations of 1000 points are within 4/√1000.
    let points = latin_hypercube(1000, 2, 5, Placement::Random);
    let inputs: Vec<Vec<Option<f64>>> = points.iter().map(|p| vec![Some(p[0])]).collect();
    let output: Vec<Option<f64>> = points.iter().map(|p| Some(p[1])).collect();
    let rank = sensitivity(&inputs, &output).unwrap().rank_correlation[0].unwrap();
    assert!(rank.abs() < 0.13, "{rank}");
    // Quantiles of distributions: scipy.stats.lognorm(s=0.3, scale=1.5).ppf(0.9), norm(2, 0.5).ppf(0.1), loguniform(1, 100).ppf(0.25).
    near(
        Range::Lognormal { median: 1.5, beta: 0.3 }.at(0.9),
        2.203_243_466_9,
        1e-9,
    );
    near(Range::Normal { mean: 2.0, sd: 0.5 }.at(0.1), 1.359_224_217, 1e-9);
    near(
        Range::Logarithmic { low: 1.0, high: 100.0 }.at(0.25),
        3.162_277_660,
        1e-9,
    );
}

/// `scipy.spatial.ConvexHull` of twelve points, counterclockwise.
#[test]
fn a_hull_is_that_of_scipy() {
    let points = [
        [0.805, 0.808],
        [0.515, 0.286],
        [0.054, 0.383],
        [0.408, 0.045],
        [0.049, 0.999],
        [0.652, 0.235],
        [0.435, 0.974],
        [0.898, 0.844],
        [0.392, 0.493],
        [0.677, 0.061],
        [0.556, 0.271],
        [0.88, 0.064],
    ];
    let expected = [
        [0.049, 0.999],
        [0.054, 0.383],
        [0.408, 0.045],
        [0.88, 0.064],
        [0.898, 0.844],
        [0.435, 0.974],
    ];
    assert_eq!(hull::hull(&points), expected);
    // Its lower left part: down to the lowest point.
    assert_eq!(hull::boundary(&points), expected[..3]);
    // Adding what lies inside, or is there twice, changes nothing.
    let mut random = Random::new(2);
    let mut more = points.to_vec();
    more.extend(points);
    for _ in 0..50 {
        let (a, b) = (points[random.below(12)], points[random.below(12)]);
        more.push([0, 1].map(|k: usize| 0.5 * (a[k] + b[k])));
    }
    assert_eq!(hull::hull(&more), expected);
}

/// `scipy.stats.spearmanr` with ties, and `numpy.linalg.lstsq` on standardised columns.
#[test]
fn sensitivities_are_those_of_scipy_and_numpy() {
    let column = |values: &[f64]| values.iter().map(|v| vec![Some(*v)]).collect::<Vec<_>>();
    let some = |values: &[f64]| values.iter().map(|v| Some(*v)).collect::<Vec<_>>();
    let found = sensitivity(
        &column(&[0.1, 0.4, 0.4, 0.9, 1.5, 2.0]),
        &some(&[3.0, 1.0, 2.0, 2.0, 5.0, 4.0]),
    )
    .unwrap();
    near(found.rank_correlation[0].unwrap(), 0.544_117_647_058_823_5, 1e-14);
    let inputs: Vec<Vec<Option<f64>>> = [[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [4.0, 3.0], [5.0, 4.0]]
        .iter()
        .map(|row| some(row))
        .collect();
    let found = sensitivity(&inputs, &some(&[1.0, 2.0, 4.0, 4.0, 6.0])).unwrap();
    let Regression::Determined {
        coefficients,
        r_squared,
        ..
    } = found.regression
    else {
        panic!("{found:?}")
    };
    near(coefficients[0], 0.836_454_2, 1e-7);
    near(coefficients[1], 0.228_123_87, 1e-7);
    near(r_squared, 0.980_674_34, 1e-7);
}
