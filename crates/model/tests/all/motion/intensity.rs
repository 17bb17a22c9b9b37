//! Intensity measures against closed forms.

use std::f64::consts::PI;

use drystone_model::motion::{
    G, MotionQuantity,
    record::{Component, Measure},
};
use glam::DVec3;

use super::{assert_close, record, sampled};

/// The integral of `(A sin wt)²` over whole periods is `A² t / 2`, and grows evenly from period to period.
#[test]
fn the_arias_intensity_of_a_sine_is_its_closed_form() {
    let (amplitude, duration) = (3.0, 10.0);
    let sine = sampled(0.001, 10_001, |t| amplitude * (2.0 * PI * 2.0 * t).sin());
    let expected = PI / (2.0 * G) * amplitude * amplitude * duration / 2.0;
    assert_close(sine.measure(Measure::Arias).unwrap() / expected, 1.0, 1e-4, "Arias");
    assert_close(sine.significant_duration().unwrap(), 0.9 * duration, 1e-3, "5 to 95 %");
    assert_close(sine.measure(Measure::Pga).unwrap(), amplitude, 1e-12, "PGA");
    assert_close(
        sine.measure(Measure::Pgv).unwrap(),
        2.0 * amplitude / (4.0 * PI),
        1e-5,
        "PGV",
    );
    let stiff = sine.measure(Measure::Sa { period: 0.001 }).unwrap();
    assert_close(stiff, amplitude, 1e-3, "Sa of a stiff oscillator");
}

#[test]
fn of_several_components_the_strongest_counts() {
    let mut both = sampled(0.01, 101, |t| (2.0 * PI * t).sin());
    both.components.push(Component {
        name: String::new(),
        direction: DVec3::Y,
        // Stronger, and shorter.
        values: (0..101)
            .map(|k| if (40..60).contains(&k) { -4.0 } else { 0.0 })
            .collect(),
    });
    assert_eq!(both.measure(Measure::Pga).unwrap(), 4.0);
    let alone: Vec<f64> = both.report().iter().map(|r| r.arias.unwrap()).collect();
    assert_eq!(both.measure(Measure::Arias).unwrap(), alone[0].max(alone[1]));
    assert!(both.significant_duration().unwrap() < 0.25);
}

#[test]
fn a_record_that_is_multiplied_by_the_factor_has_the_intensity_that_is_wanted() {
    let original = sampled(0.005, 2001, |t| (9.0 * t).sin() * (0.3 * t).sin());
    for measure in [Measure::Pga, Measure::Pgv, Measure::Sa { period: 0.5 }, Measure::Arias] {
        let current = original.measure(measure).unwrap();
        let mut scaled = original.clone();
        scaled.scale(measure.factor(current, 7.0).unwrap());
        assert_close(scaled.measure(measure).unwrap(), 7.0, 1e-9, &measure.label());
        assert_eq!(measure.factor(current, 0.0), Some(0.0));
        for (current, wanted) in [(0.0, 1.0), (1.0, -1.0), (f64::NAN, 1.0), (1.0, f64::INFINITY)] {
            assert_eq!(measure.factor(current, wanted), None, "{current} {wanted}");
        }
    }
}

#[test]
fn velocities_and_displacements_have_the_measures_that_follow_from_them() {
    let velocity = record(MotionQuantity::Velocity, 0.5, vec![0.0, 1.0, -1.0, 0.0]);
    assert_eq!(velocity.measure(Measure::Pga).unwrap(), 4.0);
    assert_eq!(velocity.measure(Measure::Pgv).unwrap(), 1.0);
    assert!(velocity.measure(Measure::Sa { period: 1.0 }).unwrap() > 0.0);
    let told = velocity.measure(Measure::Arias).unwrap_err().to_string();
    let expected = "made.txt: holds velocities, which have no Arias intensity; choose pga, pgv or sa, or give the record as \
                    accelerations";
    assert_eq!(told, expected);
    assert!(velocity.significant_duration().is_err());
    let displacement = record(MotionQuantity::Displacement, 0.5, vec![0.0, 1.0, 1.0]);
    assert_eq!(displacement.measure(Measure::Pgv).unwrap(), 2.0);
    for measure in [Measure::Pga, Measure::Arias, Measure::Sa { period: 1.0 }] {
        let told = displacement.measure(measure).unwrap_err().to_string();
        assert!(told.contains("holds displacements"), "{told}");
    }
}

#[test]
fn the_text_of_a_measure_reads_back_in_files_too() {
    for (text, measure, unit) in [
        ("pga", Measure::Pga, "m/s²"),
        ("pgv", Measure::Pgv, "m/s"),
        ("arias", Measure::Arias, "m/s"),
        ("sa:0.5", Measure::Sa { period: 0.5 }, "m/s²"),
    ] {
        assert_eq!(text.parse::<Measure>().unwrap(), measure);
        assert_eq!(measure.to_string(), text);
        assert_eq!(measure.unit(), unit);
        let json = format!("\"{text}\"");
        assert_eq!(serde_json::to_string(&measure).unwrap(), json);
        assert_eq!(serde_json::from_str::<Measure>(&json).unwrap(), measure);
    }
    assert_eq!(" SA:1.25 s".parse::<Measure>().unwrap(), Measure::Sa { period: 1.25 });
    for bad in [
        "", "sa", "sa:", "sa:0", "sa:-1", "sa:nan", "sa:inf", "sa:1000", "pgd", "sa:1:2",
    ] {
        let told = bad.parse::<Measure>().unwrap_err().to_string();
        assert!(told.starts_with(&format!("`{bad}` is no intensity measure")), "{told}");
        assert!(serde_json::from_str::<Measure>(&format!("\"{bad}\"")).is_err());
    }
    assert_eq!(schemars::schema_for!(Measure).as_value()["type"], "string");
}
