//! Synthetic motions, and the spectrum of Eurocode 8 that they are matched to.

use drystone_model::motion::{
    CompileSettings, Motion,
    record::{Envelope, Eurocode8, Ground, Measure, Record, Soil, SpectrumShape, SyntheticMotion},
};
use glam::DVec3;

use super::assert_close;

fn bits(record: &Record) -> Vec<u64> {
    record.components[0].values.iter().map(|v| v.to_bits()).collect()
}

/// EN 1998-1:2004, tables 3.2 and 3.3.
#[test]
fn the_soils_are_those_of_the_standard() {
    let tables = [
        (
            SpectrumShape::Type1,
            [
                (Ground::A, 1.0, 0.15, 0.4, 2.0),
                (Ground::B, 1.2, 0.15, 0.5, 2.0),
                (Ground::C, 1.15, 0.20, 0.6, 2.0),
                (Ground::D, 1.35, 0.20, 0.8, 2.0),
                (Ground::E, 1.4, 0.15, 0.5, 2.0),
            ],
        ),
        (
            SpectrumShape::Type2,
            [
                (Ground::A, 1.0, 0.05, 0.25, 1.2),
                (Ground::B, 1.35, 0.05, 0.25, 1.2),
                (Ground::C, 1.5, 0.10, 0.25, 1.2),
                (Ground::D, 1.8, 0.10, 0.30, 1.2),
                (Ground::E, 1.6, 0.05, 0.25, 1.2),
            ],
        ),
    ];
    for (shape, grounds) in tables {
        for (ground, factor, tb, tc, td) in grounds {
            assert_eq!(Soil::recommended(shape, ground), Soil { factor, tb, tc, td });
        }
    }
}

/// Expressions 3.2 to 3.6 by hand: ground type B, type 1, a_g = 2 m/s².
#[test]
fn the_elastic_spectrum_is_that_of_the_standard() {
    let spectrum = Eurocode8 {
        ground: Ground::B,
        ..Eurocode8::new(2.0)
    };
    for (period, expected) in [
        (0.0, 2.4),
        (0.075, 2.4 * 1.75),
        (0.15, 6.0),
        (0.5, 6.0),
        (1.0, 3.0),
        (2.0, 1.5),
        (4.0, 0.375),
    ] {
        assert_close(spectrum.acceleration(period), expected, 1e-12, &format!("{period} s"));
    }
    let damped = |damping: f64| Eurocode8 { damping, ..spectrum };
    assert_close(damped(0.10).eta(), (2.0f64 / 3.0).sqrt(), 1e-12, "eta");
    assert_close(damped(0.3).eta(), 0.55, 1e-12, "eta is at least 0.55");
    // At a period of zero damping does not matter.
    assert_close(damped(0.10).acceleration(0.0), 2.4, 1e-12, "PGA");
}

#[test]
fn a_seed_gives_one_motion_bit_for_bit_and_another_seed_another() {
    let motion = SyntheticMotion {
        duration: 8.0,
        spectrum: Some(Eurocode8::new(2.0)),
        ..SyntheticMotion::default()
    };
    let first = motion.generate().unwrap();
    assert_eq!(bits(&first.record), bits(&motion.generate().unwrap().record));
    let other = SyntheticMotion { seed: 2, ..motion };
    assert_ne!(bits(&first.record), bits(&other.generate().unwrap().record));
}

/// Pinned, so that a machine or a change that gives other bits shows.
#[test]
fn the_bits_are_the_same_on_every_machine() {
    let hash = |record: &Record| {
        let bytes = bits(record).into_iter().flat_map(u64::to_le_bytes);
        bytes.fold(0xcbf2_9ce4_8422_2325u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
        })
    };
    let plain = SyntheticMotion::default().generate().unwrap();
    let matched = SyntheticMotion {
        spectrum: Some(Eurocode8::new(2.0)),
        ..SyntheticMotion::default()
    };
    let found = [hash(&plain.record), hash(&matched.generate().unwrap().record)];
    assert_eq!(found, GOLDEN, "{found:#x?}");
}

const GOLDEN: [u64; 2] = [0xef89_cd72_d29d_c231, 0xc61a_78dd_8a28_cc7e];

#[test]
fn a_motion_has_its_peak_and_length_and_ends_at_rest_where_it_began() {
    for (seed, duration, dt) in [(1, 20.0, 0.01), (2, 7.5, 0.005), (3, 40.0, 0.02), (4, 0.32, 0.02)] {
        let motion = SyntheticMotion {
            seed,
            duration,
            dt,
            pga: Some(3.5),
            direction: Some(DVec3::new(0.0, -2.0, 0.0)),
            high_pass_hz: 0.1,
            ..SyntheticMotion::default()
        };
        let record = motion.generate().unwrap().record;
        assert_eq!(record.len(), (duration / dt).round() as usize + 1);
        assert_close(record.duration(), duration, 1e-9, "duration");
        assert_eq!(record.components[0].direction, -DVec3::Y);
        assert_close(record.measure(Measure::Pga).unwrap(), 3.5, 1e-12, "PGA");
        let report = record.report().remove(0);
        assert!(report.end_velocity.abs() < 1e-12 * report.pgv.max(1.0), "{report:?}");
        let values = &record.components[0].values;
        assert_eq!(values[0], 0.0);
        let trajectory = Motion::Synthetic(motion).compile(&CompileSettings::default()).unwrap();
        let end = trajectory.at(duration + 1.0);
        assert!(end.displacement.length() < 1e-9, "{end:?}");
    }
}

/// The spectrum of the noise itself: most power near the frequency of the ground, little far above it.
#[test]
fn the_ground_frequency_sets_where_the_power_is() {
    let crossings = |ground_frequency_hz: f64| {
        let motion = SyntheticMotion {
            ground_frequency_hz,
            ground_damping: 0.2,
            duration: 60.0,
            ..SyntheticMotion::default()
        };
        let record = motion.generate().unwrap().record;
        let values = &record.components[0].values;
        values.windows(2).filter(|p| p[0] * p[1] < 0.0).count() as f64 / 2.0 / record.duration()
    };
    let (slow, fast) = (crossings(1.5), crossings(6.0));
    assert!(
        (1.2..3.5).contains(&slow) && (5.0..10.0).contains(&fast),
        "{slow} {fast}"
    );
}

#[test]
fn the_envelope_holds_the_strong_part() {
    let motion = SyntheticMotion {
        duration: 30.0,
        envelope: Envelope {
            rise: Some(10.0),
            strong: Some(5.0),
            decay: Some(0.5),
        },
        ..SyntheticMotion::default()
    };
    let record = motion.generate().unwrap().record;
    let squares = |from: usize, to: usize| record.components[0].values[from..to].iter().map(|v| v * v).sum::<f64>();
    assert!(squares(1000, 1500) > 20.0 * squares(1650, 3001), "decay");
    assert!(squares(0, 300) < 0.02 * squares(1000, 1300), "rise");
}

/// EN 1998-1, 3.2.3.1.2 (4): of three motions the mean spectrum is nowhere below 90 % of the elastic one, and the mean peak not
/// below `a_g S`. Looked at between the periods that were matched, too.
#[test]
fn three_matched_motions_have_the_spectrum_of_the_standard() {
    for (shape, ground, damping) in [
        (SpectrumShape::Type1, Ground::D, 0.05),
        (SpectrumShape::Type2, Ground::E, 0.10),
        (SpectrumShape::Type1, Ground::B, 0.02),
    ] {
        let spectrum = Eurocode8 {
            shape,
            ground,
            damping,
            ..Eurocode8::new(2.0)
        };
        let periods: Vec<f64> = (0..300).map(|k| 0.05 * 40f64.powf(k as f64 / 299.0)).collect();
        let (mut mean, mut peak) = (vec![0.0; periods.len()], 0.0);
        for seed in 1..=3 {
            let motion = SyntheticMotion {
                seed,
                spectrum: Some(spectrum),
                ..SyntheticMotion::default()
            };
            let made = motion.generate().unwrap();
            let fit = made.fit.unwrap();
            let found = made.record.spectrum(&periods, damping).unwrap().remove(0);
            let ratios: Vec<f64> = found
                .iter()
                .zip(&periods)
                .map(|(f, t)| f / spectrum.acceleration(*t))
                .collect();
            let lowest = ratios.iter().fold(f64::INFINITY, |low: f64, r| low.min(*r));
            let average = ratios.iter().sum::<f64>() / ratios.len() as f64;
            // What is told of each is so.
            assert_close(fit.mean, average, 0.005, "mean");
            // Between the periods that were compared it may dip a little.
            assert_close(fit.lowest, lowest, 0.02, "lowest");
            assert_eq!(fit.is_close(), fit.lowest >= 0.9, "{fit:?}");
            assert!((0.95..=1.1 + 1e-9).contains(&fit.mean) && lowest > 0.8, "{fit:?}");
            assert_close(made.record.peak() / spectrum.acceleration(0.0), fit.pga, 1e-9, "peak");
            mean.iter_mut().zip(&ratios).for_each(|(m, r)| *m += r / 3.0);
            peak += fit.pga / 3.0;
        }
        assert!(mean.iter().all(|m| *m >= 0.9), "{ground:?} {mean:?}");
        assert!(peak >= 1.0 - 1e-9, "{ground:?} {peak}");
    }
}

#[test]
fn what_no_motion_can_be_made_from_is_refused_with_its_field() {
    let told = |json: serde_json::Value| {
        let motion: SyntheticMotion = serde_json::from_value(json).unwrap();
        motion.generate().unwrap_err().to_string()
    };
    for (json, field) in [
        (serde_json::json!({ "dt": 0 }), "dt: 0"),
        (serde_json::json!({ "dt": 1e-9 }), "dt: makes 20000000001 points"),
        (serde_json::json!({ "duration": 0.05 }), "dt: makes 6 points"),
        (serde_json::json!({ "duration": -1 }), "duration: -1"),
        (serde_json::json!({ "pga": 0 }), "pga: 0"),
        (serde_json::json!({ "direction": [0, 0, 0] }), "direction: [0, 0, 0]"),
        (
            serde_json::json!({ "ground_frequency_hz": 60 }),
            "ground_frequency_hz: 60",
        ),
        (
            serde_json::json!({ "envelope": { "rise": 15, "strong": 6 } }),
            "envelope: a rise of 15 s",
        ),
        (serde_json::json!({ "pga": 1, "spectrum": { "ag": 1 } }), "pga: both"),
        (serde_json::json!({ "spectrum": { "ag": -1 } }), "spectrum.ag: -1"),
        (
            serde_json::json!({ "spectrum": { "ag": 1, "damping": 5 } }),
            "spectrum.damping: 5",
        ),
        (
            serde_json::json!({ "shortest_period": 0.01, "spectrum": { "ag": 1 } }),
            "shortest_period: 0.01",
        ),
        (
            serde_json::json!({ "longest_period": 5, "spectrum": { "ag": 1 } }),
            "longest_period: 5",
        ),
    ] {
        let told = told(json);
        assert!(
            told.starts_with(&format!("synthetic motion: {field}")),
            "{told} is not {field}"
        );
    }
    // Without a rise or without a decay is no fault.
    for envelope in [
        (Some(0.0), Some(20.0), None),
        (Some(20.0), None, None),
        (None, Some(20.0), None),
        (Some(0.0), Some(0.0), None),
    ] {
        let motion = SyntheticMotion {
            envelope: Envelope {
                rise: envelope.0,
                strong: envelope.1,
                decay: envelope.2,
            },
            ..SyntheticMotion::default()
        };
        let record = motion.generate().unwrap().record;
        assert!(
            record.components[0].values.iter().all(|v| v.is_finite()),
            "{envelope:?}"
        );
    }
}

/// A motion that was compiled without what it is made of stood still, and every structure with it.
#[test]
fn supports_move_as_the_synthetic_record_does() {
    let motion = SyntheticMotion {
        seed: 7,
        duration: 5.0,
        pga: Some(2.0),
        ..SyntheticMotion::default()
    };
    let record = motion.generate().unwrap().record;
    let moved = Motion::Synthetic(motion).compile(&CompileSettings::default()).unwrap();
    let expected = record.trajectory(0.0);
    let mut largest = 0.0_f64;
    for k in 0..=100 {
        let time = 0.05 * f64::from(k);
        let (is, should) = (moved.at(time), expected.at(time));
        assert_eq!(is, should, "at {time} s");
        largest = largest.max(is.displacement.length());
    }
    assert!(largest > 1e-3, "the ground has to move: {largest} m");
}
