//! Motions of supports and loads in time: closed forms, consistency, recorded ground motions, the short form.

mod bad_records;
mod functions;
mod loads;
mod preparation;
mod records;
mod rotations;
mod supports;
mod text;

use drystone_model::motion::{CompileSettings, Motion, Trajectory};

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
