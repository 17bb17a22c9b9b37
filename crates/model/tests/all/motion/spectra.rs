//! Response spectra against closed forms and independent computations.

use std::f64::consts::PI;

use drystone_model::motion::{
    MotionQuantity,
    record::{ReadSettings, Record},
};
use proptest::prelude::*;

use super::{assert_close, record, sampled};
use crate::shared::shared;

fn spectrum(record: &Record, periods: &[f64], damping: f64) -> Vec<f64> {
    record.spectrum(periods, damping).unwrap().remove(0)
}

/// Chopra, "Dynamics of Structures", 4.7: a half sine as long as half of the period turns the undamped oscillator to pi/2 of
/// its static response; 4.8: under a rectangle it is 2 for pulses above half of the period, and 2 sin(pi t / T) for
/// shorter ones.
#[test]
fn pulses_have_the_shock_spectra_of_textbooks() {
    // Straight lines between values take (pi dt / length)² / 12 off the pulse.
    let half_sine = |length: f64| {
        sampled(0.0002, (length / 0.0002).round() as usize + 1, |t| {
            (PI * t / length).sin()
        })
    };
    assert_close(
        spectrum(&half_sine(0.5), &[1.0], 0.0)[0],
        PI / 2.0,
        1e-5,
        "half a period",
    );
    // Other lengths: the peak comes after the pulse if that is shorter than half of the period, and is
    // 2 r cos(pi / 2r) / (1 - r²) with r = T / 2 length.
    let r: f64 = 1.0 / (2.0 * 0.25);
    let after = 2.0 * r * (PI / (2.0 * r)).cos() / (r * r - 1.0);
    assert_close(spectrum(&half_sine(0.25), &[1.0], 0.0)[0], after, 1e-5, "shorter");
    let rectangle = |length: f64| sampled(0.001, (length / 0.001).round() as usize + 1, |_| 1.0);
    assert_close(spectrum(&rectangle(0.8), &[1.0], 0.0)[0], 2.0, 1e-5, "long rectangle");
    let short = 2.0 * (PI * 0.2).sin();
    assert_close(
        spectrum(&rectangle(0.2), &[1.0], 0.0)[0],
        short,
        1e-5,
        "short rectangle",
    );
    // Under a constant acceleration the damped oscillator overshoots by exp(-pi zeta / sqrt(1 - zeta²)).
    let overshoot = 1.0 + (-PI * 0.2 / 0.96f64.sqrt()).exp();
    assert_close(spectrum(&rectangle(0.8), &[1.0], 0.2)[0], overshoot, 1e-5, "overshoot");
}

/// A velocity `v` that the ground is given at once swings the damped oscillator out to
/// `v omega exp(-zeta atan(r / zeta) / r)` with `r = sqrt(1 - zeta²)`, in units of acceleration.
#[test]
fn an_impulse_gives_the_free_vibration_of_its_velocity() {
    let dt = 1e-4;
    // A triangle of two steps has the area dt times its peak.
    let impulse = record(MotionQuantity::Acceleration, dt, vec![0.0, 0.5 / dt, 0.0]);
    for zeta in [0.0, 0.05, 0.3] {
        let r = f64::sqrt(1.0 - zeta * zeta);
        let decay = (-zeta / r * r.atan2(zeta)).exp();
        for period in [0.5, 1.0, 4.0] {
            let expected = 0.5 * 2.0 * PI / period * decay;
            assert_close(spectrum(&impulse, &[period], zeta)[0] / expected, 1.0, 1e-4, "impulse");
        }
    }
}

/// At resonance the oscillator swings `1 / (2 zeta)` times as far as the ground's acceleration says, after enough cycles;
/// without damping each cycle adds pi.
#[test]
fn a_harmonic_at_resonance_is_amplified_as_its_closed_form_says() {
    let sine = |cycles: f64| sampled(0.005, (cycles / 0.005) as usize + 1, |t| (2.0 * PI * t).sin());
    for zeta in [0.05, 0.1] {
        assert_close(spectrum(&sine(60.0), &[1.0], zeta)[0] * 2.0 * zeta, 1.0, 2e-4, "steady");
    }
    // x = (sin wt - wt cos wt) / 2: at the end of six cycles 6 pi.
    let six = spectrum(&sine(6.0), &[1.0], 0.0)[0];
    assert_close(six, 6.0 * PI, 2e-3, "six cycles without damping");
}

/// The record is made by a formula, so that anyone can repeat it. Numbers from `scipy.signal.lsim` 1.17, which
/// integrates `u'' + 2 zeta w u' + w² u = -a` exactly between points, on the record made at least 40 times finer by
/// straight lines, and 2000 points a period, with zeros for one period after it; Newmark's method of constant mean
/// acceleration on the same points agrees within 3e-6.
#[test]
fn a_record_by_formula_has_the_spectrum_of_other_programs() {
    let formula = |t: f64| {
        let chirp = (2.0 * PI * (t + 0.35 * t * t)).sin();
        3.0 * (-0.4 * (t - 2.5) * (t - 2.5)).exp() * chirp + 0.8 * (40.0 * t).cos() * (-0.5 * t).exp()
    };
    let record = sampled(0.01, 601, formula);
    assert_close(record.peak(), 3.164_986_648_928_196_4, 1e-12, "PGA");
    let periods = [0.02, 0.05, 0.1, 0.3, 0.7, 1.0, 2.0, 5.0];
    let expected = [
        (
            0.0,
            [
                3.949_683_646_3,
                3.926_023_226_2,
                4.851_192_249_4,
                29.387_763_950_7,
                5.443_725_227_5,
                1.487_812_143_6,
                0.291_357_935_6,
                0.069_840_052_7,
            ],
        ),
        (
            0.05,
            [
                3.176_787_394_8,
                3.239_872_416_7,
                3.529_113_329_0,
                14.498_790_139_1,
                4.119_394_700_8,
                1.288_167_787_4,
                0.256_975_485_6,
                0.065_976_167_9,
            ],
        ),
        (
            0.2,
            [
                3.175_839_367_1,
                3.232_225_595_3,
                3.464_754_673_3,
                6.493_018_860_5,
                2.306_571_274_9,
                0.909_598_366_1,
                0.206_416_652_9,
                0.056_568_192_9,
            ],
        ),
    ];
    for (damping, expected) in expected {
        let found = spectrum(&record, &periods, damping);
        for ((period, found), expected) in periods.iter().zip(found).zip(expected) {
            let what = format!("damping {damping}, period {period} s");
            assert_close(found / expected, 1.0, 1e-4, &what);
        }
    }
}

#[test]
fn a_stiff_oscillator_follows_the_ground_and_a_soft_one_stays_behind() {
    let record = sampled(0.01, 400, |t| (12.0 * t).sin() * (0.5 * t).sin());
    let peak = record.peak();
    for period in [0.0, 1e-9, 1e-5, 1e-4] {
        let found = spectrum(&record, &[period], 0.05)[0];
        assert_close(found / peak, 1.0, 2e-3, "stiff");
    }
    // A soft oscillator stays where it is: its displacement against the ground is that of the ground.
    let period = 2e4;
    let displacement = spectrum(&record, &[period], 0.05)[0] * (period / (2.0 * PI)).powi(2);
    let drift = record.report()[0].end_velocity * period / (2.0 * PI);
    assert!(
        displacement > 0.8 * drift.abs().max(record.report()[0].pgd),
        "{displacement}"
    );
}

#[test]
fn a_record_of_velocities_has_the_spectrum_of_its_slopes() {
    let velocity = record(
        MotionQuantity::Velocity,
        0.001,
        (0..4001)
            .map(|k| (1.0 - (2.0 * PI * k as f64 * 0.001).cos()) / (2.0 * PI))
            .collect(),
    );
    let acceleration = sampled(0.001, 4001, |t| (2.0 * PI * t).sin());
    let periods = [0.2, 0.5, 1.0, 3.0];
    let (a, b) = (
        spectrum(&velocity, &periods, 0.05),
        spectrum(&acceleration, &periods, 0.05),
    );
    for (a, b) in a.iter().zip(&b) {
        assert_close(a / b, 1.0, 1e-3, "velocity");
    }
}

#[test]
fn what_no_oscillator_has_is_refused() {
    let flat = sampled(0.01, 10, |_| 1.0);
    let told = |periods: &[f64], damping: f64| flat.spectrum(periods, damping).unwrap_err().to_string();
    for damping in [-0.1, 1.0, 5.0, f64::NAN] {
        assert!(told(&[1.0], damping).contains("must be from 0 to below 1"), "{damping}");
    }
    for period in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(
            told(&[1.0, period], 0.05).contains("must be from 0 to 1e6 s"),
            "{period}"
        );
    }
    let displacement = record(MotionQuantity::Displacement, 0.01, vec![0.0, 1.0, 0.0]);
    assert!(
        displacement
            .spectrum(&[1.0], 0.05)
            .unwrap_err()
            .to_string()
            .contains("needs accelerations")
    );
    assert_eq!(flat.spectrum(&[], 0.05).unwrap(), [Vec::<f64>::new()]);
}

proptest! {
    #[test]
    fn a_spectrum_scales_with_its_record_and_does_not_mind_a_finer_time_step(
        values in prop::collection::vec(-5.0..5.0f64, 2..60), period in 0.03..3.0f64, damping in 0.0..0.9f64
    ) {
        let coarse = record(MotionQuantity::Acceleration, 0.02, values);
        let mut fine = coarse.clone();
        fine.resample(0.002).unwrap();
        fine.scale(-3.0);
        let (a, b) = (spectrum(&coarse, &[period], damping)[0], spectrum(&fine, &[period], damping)[0]);
        // The cubic between states leaves up to 2 zeta (2 pi / 40)³ / 384 of what the ground does.
        let peak = coarse.peak().max(a);
        prop_assert!((b / 3.0 - a).abs() < 2e-5 * peak, "{} {}", a, b / 3.0);
    }
}

/// Peak ordinates of a far-field record by `scipy.signal.lsim`, on its own points made 40 times finer.
#[test]
fn a_far_field_record_has_the_spectrum_of_other_programs() {
    let Some(folder) = shared("records/fema_p695_far_field") else {
        return;
    };
    let record = Record::read(&folder.join("120111.txt"), &ReadSettings::default()).unwrap();
    let found = spectrum(&record, &FAR_FIELD_120111.map(|(period, _)| period), 0.05);
    for ((period, expected), found) in FAR_FIELD_120111.iter().zip(found) {
        assert_close(found / expected, 1.0, 1e-4, &format!("period {period} s"));
    }
}

/// Period (s) and pseudo-acceleration with 5 % damping (m/s²).
const FAR_FIELD_120111: [(f64, f64); 6] = [
    (0.05, 4.822_342_11),
    (0.2, 9.955_041_92),
    (0.5, 12.238_019_19),
    (1.0, 10.006_054_18),
    (2.0, 1.864_812_18),
    (4.0, 0.472_792),
];
