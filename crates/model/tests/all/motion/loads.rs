//! Loads that vary in time.

use std::f64::consts::PI;

use drystone_model::{LoadCase, motion::History};
use serde_json::{Value, json};

use super::assert_close;

fn case(history: Value) -> LoadCase {
    LoadCase {
        history: Some(serde_json::from_value(history).unwrap()),
        ..LoadCase::default()
    }
}

#[test]
fn a_load_without_history_is_constant() {
    let multiplier = LoadCase::default().multiplier().unwrap();
    assert_eq!(
        [multiplier.at(0.0), multiplier.at(7.0), multiplier.mean(1.0, 2.0)],
        [1.0; 3]
    );
}

#[test]
fn histories_have_their_values_and_means() {
    let ramp = case(json!({ "ramp": { "from": 1, "to": 3, "duration": 2, "start": 1 } }))
        .multiplier()
        .unwrap();
    assert_eq!([0.0, 1.0, 2.0, 3.0, 9.0].map(|t| ramp.at(t)), [1.0, 1.0, 2.0, 3.0, 3.0]);
    assert_close(ramp.mean(0.0, 4.0), (1.0 + 4.0 + 3.0) / 4.0, 1e-14, "area of the ramp");
    let smooth = case(json!({ "ramp": { "duration": 2, "form": "smooth" } }))
        .multiplier()
        .unwrap();
    assert_close(smooth.at(1.0), 0.5, 1e-14, "half way");

    let sine = case(json!({ "sine": { "mean": 1, "amplitude": 0.5, "frequency_hz": 2, "phase_deg": 90 } }));
    let sine = sine.multiplier().unwrap();
    assert_close(sine.at(0.1), 1.0 + 0.5 * (0.4 * PI).cos(), 1e-14, "cosine");
    assert_close(sine.mean(0.0, 0.5), 1.0, 1e-14, "whole period");

    let impulse = case(json!({ "impulse": { "peak": 2, "duration": 0.5, "form": "half", "start": 1 } }));
    let impulse = impulse.multiplier().unwrap();
    assert_eq!([0.9, 1.5, 2.0].map(|t| impulse.at(t)), [0.0; 3]);
    assert_close(impulse.at(1.25), 2.0, 1e-14, "peak");
    assert_close(
        impulse.mean(0.0, 2.0),
        0.5 * 2.0 * 0.5 * 2.0 / PI,
        1e-14,
        "area of half a sine",
    );

    let table = case(json!({ "table": { "times": [1, 2], "factors": [0.5, 1.5] } }))
        .multiplier()
        .unwrap();
    assert_eq!([0.0, 1.5, 5.0].map(|t| table.at(t)), [0.5, 1.0, 1.5]);
    assert_eq!(table.mean(3.0, 3.0), 1.5);
}

#[test]
fn a_history_that_is_no_function_is_refused() {
    let told = |history: Value| case(history).multiplier().unwrap_err().to_string();
    assert_eq!(
        told(json!({ "ramp": { "duration": 0.0 } })),
        "history.ramp.duration: 0 is not allowed; must be above 0"
    );
    assert_eq!(
        told(json!({ "table": { "times": [0, 1], "factors": [1] } })),
        "history.table.factors: 1 factors for 2 times; one a time needed"
    );
    let nan = History::Table {
        times: vec![0.0, f64::NAN],
        factors: vec![1.0, 1.0],
    };
    let told = nan.compile().unwrap_err().to_string();
    assert_eq!(
        told,
        "history.table.times[1]: NaN is not allowed; must be a finite number"
    );
}
