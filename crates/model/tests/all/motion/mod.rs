//! Motions of supports and loads in time: closed forms, consistency, recorded ground motions, the short form.

mod bad_records;
mod functions;
mod intensity;
mod loads;
mod preparation;
mod records;
mod rotations;
mod spectra;
mod suites;
mod supports;
mod synthetic;
mod text;

use drystone_model::motion::{
    CompileSettings, Motion, MotionQuantity, Trajectory,
    record::{Component, Record},
};
use glam::DVec3;

fn compile(motion: &Motion) -> Trajectory {
    motion.compile(&CompileSettings::default()).unwrap()
}

/// A motion as a model file states it.
fn from_json(value: serde_json::Value) -> Motion {
    serde_json::from_value(value).unwrap()
}

fn assert_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    let off = (found - expected).abs();
    assert!(off <= tolerance, "{what}: {found} is not {expected} (off by {off:e})");
}

/// A record of one component along x.
fn record(quantity: MotionQuantity, dt: f64, values: Vec<f64>) -> Record {
    Record {
        file: "made.txt".to_owned(),
        title: String::new(),
        quantity,
        dt,
        first_time: 0.0,
        components: vec![Component {
            name: String::new(),
            direction: DVec3::X,
            values,
        }],
    }
}

/// Accelerations by a formula.
fn sampled(dt: f64, count: usize, f: impl Fn(f64) -> f64) -> Record {
    let values = (0..count).map(|k| f(k as f64 * dt)).collect();
    record(MotionQuantity::Acceleration, dt, values)
}
