//! Baseline, taper, filter, time step and report of records.

use std::f64::consts::PI;

use drystone_model::motion::{
    MotionQuantity,
    record::{Baseline, Record},
};
use proptest::prelude::*;

use super::{assert_close, sampled};

fn record(dt: f64, values: Vec<f64>) -> Record {
    super::record(MotionQuantity::Acceleration, dt, values)
}

const CORRECTIONS: [Baseline; 3] = [Baseline::Mean, Baseline::Linear, Baseline::Quadratic];

proptest! {
    #[test]
    fn every_baseline_leaves_no_velocity_at_the_end(values in prop::collection::vec(-5.0..5.0f64, 2..300)) {
        for baseline in CORRECTIONS {
            let mut corrected = record(0.01, values.clone());
            corrected.baseline(baseline).unwrap();
            let report = &corrected.report()[0];
            prop_assert!(report.end_velocity.abs() < 1e-13 * values.len() as f64, "{baseline:?}: {report:?}");
        }
        let mut untouched = record(0.01, values.clone());
        untouched.baseline(Baseline::None).unwrap();
        prop_assert_eq!(&untouched.components[0].values, &values);
    }
}

/// A motion that ends at rest, with a polynomial added: the baseline of that degree takes exactly it off again.
#[test]
fn a_baseline_takes_off_the_polynomial_that_was_added() {
    let (dt, count) = (0.01, 1001);
    let end = dt * (count - 1) as f64;
    let clean = |t: f64| (2.0 * PI * t / end * 5.0).sin();
    for (baseline, c) in [
        (Baseline::Mean, [0.3, 0.0, 0.0]),
        (Baseline::Linear, [0.3, -0.2, 0.0]),
        (Baseline::Quadratic, [0.3, -0.2, 0.05]),
    ] {
        let mut corrected = sampled(dt, count, |t| clean(t) + c[0] + c[1] * t + c[2] * t * t);
        corrected.baseline(baseline).unwrap();
        let mut reference = sampled(dt, count, clean);
        reference.baseline(baseline).unwrap();
        for (found, expected) in corrected.components[0]
            .values
            .iter()
            .zip(&reference.components[0].values)
        {
            assert_close(*found, *expected, 1e-11, &format!("{baseline:?}"));
        }
    }
}

#[test]
fn higher_baselines_fit_the_velocity_better() {
    let drifting = sampled(0.02, 1500, |t| (3.0 * t).sin() + 0.1 * (0.1 * t).cos() + 0.02 * t);
    let sizes = CORRECTIONS.map(|baseline| {
        let mut corrected = drifting.clone();
        corrected.baseline(baseline).unwrap();
        corrected.report()[0].pgd
    });
    assert!(
        sizes[0] > sizes[1] && sizes[1] > sizes[2] && drifting.report()[0].pgd > 10.0 * sizes[2],
        "{sizes:?}"
    );
}

#[test]
fn a_taper_fades_the_ends_and_leaves_the_middle() {
    let mut tapered = sampled(0.01, 101, |_| 1.0);
    tapered.taper(0.1);
    let values = &tapered.components[0].values;
    assert_eq!((values[0], values[100], values[50], values[10]), (0.0, 0.0, 1.0, 1.0));
    assert_close(values[5], 0.5, 1e-15, "half way up");
}

#[test]
fn the_high_pass_keeps_what_is_fast_in_place_and_takes_off_what_is_slow() {
    let gain = |frequency: f64| {
        let mut filtered = sampled(0.01, 20_001, |t| (2.0 * PI * frequency * t).sin());
        filtered.high_pass(0.5).unwrap();
        // Far from the ends, compared in place: a shift in time would show.
        let middle = 8000..12_000;
        let expected = |k: usize| (2.0 * PI * frequency * k as f64 * 0.01).sin();
        let values = &filtered.components[0].values;
        let (mut along, mut norm) = (0.0, 0.0);
        for k in middle.clone() {
            along += values[k] * expected(k);
            norm += expected(k) * expected(k);
        }
        let gain = along / norm;
        let off = middle.fold(0.0, |off: f64, k| off.max((values[k] - gain * expected(k)).abs()));
        assert!(off < 1e-6, "{frequency} Hz is shifted: {off}");
        gain
    };
    // The squared gain of a Butterworth filter of second order: w^4 / (1 + w^4), with w warped by the bilinear rule.
    for frequency in [0.05, 0.25, 0.5, 1.0, 5.0] {
        let w = (PI * frequency * 0.01).tan() / (PI * 0.5 * 0.01).tan();
        assert_close(gain(frequency), w.powi(4) / (1.0 + w.powi(4)), 1e-6, "gain");
    }
    let mut short = sampled(0.01, 101, |t| t);
    for (corner, told) in [
        (50.0, "to below 50 Hz"),
        (0.01, "must be from 0.1 to"),
        (f64::NAN, "NaN Hz is not allowed"),
    ] {
        let error = short.high_pass(corner).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn a_shorter_step_changes_nothing_and_a_longer_one_damps_what_it_cannot_carry() {
    let zigzag = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    let mut finer = record(0.01, (0..11).map(zigzag).collect());
    finer.resample(0.0025).unwrap();
    assert_eq!((finer.dt, finer.len()), (0.0025, 41));
    assert_close(finer.components[0].values[2], 0.0, 1e-15, "between two values");
    assert_eq!(finer.components[0].values[4], -1.0);
    // Picking every second value of a zigzag would leave a constant 1.
    let mut coarser = record(0.01, (0..1001).map(zigzag).collect());
    coarser.resample(0.02).unwrap();
    assert_eq!(coarser.len(), 501);
    assert!(coarser.components[0].values[2..498].iter().all(|v| v.abs() < 1e-9));
    // A straight line is its own mean.
    let mut line = sampled(0.01, 501, |t| 3.0 * t - 1.0);
    line.resample(0.03).unwrap();
    for (k, v) in line.components[0].values.iter().enumerate().skip(1).take(160) {
        assert_close(*v, 0.09 * k as f64 - 1.0, 1e-9, "line");
    }
    for bad in [0.0, -1.0, f64::NAN, 1e-12, 99.0] {
        assert!(
            line.resample(bad)
                .unwrap_err()
                .to_string()
                .contains("cannot be brought to a time step")
        );
    }
}

#[test]
fn the_report_of_a_constant_acceleration_is_known_in_closed_form() {
    let report = sampled(0.01, 201, |_| 2.0).report().remove(0);
    assert_eq!((report.pga, report.points, report.duration), (Some(2.0), 201, 2.0));
    assert_close(report.pgv, 4.0, 1e-12, "a t");
    assert_close(report.pgd, 4.0, 1e-12, "a t^2 / 2");
    assert_close(report.arias.unwrap(), 8.0 * PI / (2.0 * 9.81), 1e-12, "Arias");
    assert_close(report.significant_duration.unwrap(), 0.9 * 2.0, 1e-12, "5 to 95 %");
    let mut velocity = sampled(0.01, 201, |t| 2.0 * t);
    velocity.quantity = MotionQuantity::Velocity;
    let report = velocity.report().remove(0);
    assert_close(report.pga.unwrap(), 2.0, 1e-11, "slope");
    assert_close(report.pgd, 4.0, 1e-12, "integral");
    assert_eq!((report.pgv, report.arias), (4.0, None));
    velocity.quantity = MotionQuantity::Displacement;
    let report = velocity.report().remove(0);
    assert_eq!((report.pga, report.pgd), (None, 4.0));
}

#[test]
fn scaling_to_a_peak_needs_accelerations_that_are_not_all_zero() {
    let mut scaled = record(0.1, vec![0.0, -2.0, 1.0]);
    scaled.scale_to(3.0).unwrap();
    assert_eq!(scaled.components[0].values, [0.0, -3.0, 1.5]);
    let told = record(0.1, vec![0.0; 3]).scale_to(3.0).unwrap_err().to_string();
    assert_eq!(told, "made.txt: its peak is 0; it cannot be scaled to a pga of 3");
    scaled.quantity = MotionQuantity::Velocity;
    assert!(
        scaled
            .scale_to(3.0)
            .unwrap_err()
            .to_string()
            .contains("give scale instead of pga")
    );
    assert!(
        scaled
            .baseline(Baseline::Mean)
            .unwrap_err()
            .to_string()
            .contains("taken off accelerations")
    );
}
