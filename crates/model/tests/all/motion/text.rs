//! The short form of the command line.

use drystone_model::{
    LoadCase,
    motion::{
        Biphasic, G, Impulse, ImpulseForm, Motion, MotionQuantity, RotationMotion, Sine, parse, parse_all,
        record::{Baseline, Envelope, Eurocode8, Ground, RecordMotion, RecordUnits, SpectrumShape, SyntheticMotion},
    },
};
use glam::DVec3;
use serde_json::json;

use super::from_json;

#[test]
fn functions_read_as_the_model_file_would_have_them() {
    assert_eq!(
        parse("sine:amplitude=0.2g,frequency=1,direction=x").unwrap(),
        Motion::Sine(Sine {
            quantity: MotionQuantity::Acceleration,
            amplitude: DVec3::X * 0.2 * 9.81,
            frequency_hz: 1.0,
            phase_deg: 0.0,
            start: 0.0,
            cycles: None,
            duration: None,
            centred: false,
        })
    );
    let impulse = |duration, form| {
        Motion::Impulse(Impulse {
            quantity: MotionQuantity::Acceleration,
            peak: DVec3::X * (0.8 * 9.81) * -1.0,
            duration,
            form,
            start: 0.0,
        })
    };
    let whole = impulse(0.2, ImpulseForm::Whole);
    assert_eq!(parse("impulse:peak=0.8g,duration=0.2,direction=-x").unwrap(), whole);
    assert_eq!(
        parse(" impulse: peak=0.8 g, half_period=0.1s, direction=-2,0,0").unwrap(),
        whole
    );
    let half = impulse(0.1, ImpulseForm::Half);
    assert_eq!(
        parse("impulse:peak=0.8g,half_period=0.1,form=half,direction=-x").unwrap(),
        half
    );
    assert_eq!(
        parse("biphasic:peak=1.11g,duration=0.3,direction=x").unwrap(),
        Motion::Biphasic(Biphasic::new(DVec3::X * (1.11 * 9.81), 0.3))
    );
    for (text, file) in [
        (
            "sine:quantity=displacement,amplitude=0.05,frequency_hz=1Hz,phase=-90,cycles=3,start=0.5,direction=0,0,4",
            json!({ "sine": { "quantity": "displacement", "amplitude": [0, 0, 0.05], "frequency_hz": 1,
                "phase_deg": -90, "cycles": 3, "start": 0.5 } }),
        ),
        (
            "sine:amplitude=1,frequency=1,centred=yes",
            json!({ "sine": { "amplitude": [1, 0, 0], "frequency_hz": 1, "centred": true } }),
        ),
        (
            "ramp:to=2,duration=5,form=smooth,direction=-z",
            json!({ "ramp": { "to": [0, 0, -2], "duration": 5, "form": "smooth" } }),
        ),
        (
            "ricker:peak=3,frequency=2,delay=1,direction=y",
            json!({ "ricker": { "peak": [0, 3, 0], "frequency_hz": 2, "delay": 1 } }),
        ),
    ] {
        assert_eq!(parse(text).unwrap(), from_json(file), "{text}");
    }
}

#[test]
fn files_are_records_and_pivots_are_turns() {
    let expected = RecordMotion {
        direction: Some(DVec3::X),
        pga: Some(0.3 * 9.81),
        ..RecordMotion::new("data/record.AT2")
    };
    assert_eq!(
        parse("data/record.AT2:direction=x,pga=0.3g").unwrap(),
        Motion::Record(expected.clone())
    );
    assert_eq!(
        parse("record:path=data/record.AT2,direction=x,pga=0.3g").unwrap(),
        Motion::Record(expected)
    );
    let prepared = RecordMotion {
        units: Some(RecordUnits::CentimetrePerSecond2),
        baseline: Baseline::Linear,
        taper: 0.05,
        high_pass_hz: Some(0.1),
        resample: Some(0.01),
        dt: Some(0.005),
        scale: 2.0,
        column: Some("acc x".to_owned()),
        ..RecordMotion::new("C:\\data\\a.csv")
    };
    let text = "C:\\data\\a.csv:units=cm/s2,baseline=linear,taper=0.05,high_pass=0.1,resample=0.01,dt=0.005,scale=2,column=acc x";
    assert_eq!(parse(text).unwrap(), Motion::Record(prepared));
    assert_eq!(
        parse("C:\\a.AT2").unwrap(),
        Motion::Record(RecordMotion::new("C:\\a.AT2"))
    );
    let turn = parse("ramp:quantity=displacement,to=0.1,duration=1,direction=y,pivot=1,2,3").unwrap();
    assert!(matches!(turn, Motion::Rotation(RotationMotion { pivot, .. }) if pivot == DVec3::new(1.0, 2.0, 3.0)));
}

#[test]
fn several_add_up() {
    let one = "ricker:peak=1,frequency=1";
    assert_eq!(parse_all([one]).unwrap(), parse(one).unwrap());
    assert!(matches!(parse_all([one, one, one]).unwrap(), Motion::Sum(parts) if parts.len() == 3));
}

#[test]
fn what_is_wrong_is_told_with_the_field_and_what_is_allowed() {
    for (text, told) in [
        (
            "",
            "motion ``: names no function and no file; functions are sine, impulse, biphasic, ramp, ricker, record, synthetic",
        ),
        (
            "sin:amplitude=1",
            "there is no function `sin` (did you mean `sine`?); functions are sine, impulse, biphasic, ramp, ricker, record, synthetic, \
             and anything with a dot or a slash is a file",
        ),
        ("sine:amplitude=1", "field `frequency` is missing"),
        ("sine:frequency=1", "field `amplitude` is missing"),
        (
            "sine:amplitude=1,frequency=1,dircetion=x",
            "unknown field `dircetion` (did you mean `direction`?); known here: quantity, pivot, direction, amplitude, \
             frequency_hz, frequency, phase_deg, phase, start, cycles, duration, centred",
        ),
        (
            "sine:amplitude=1,frequency=1,amplitude=2",
            "field `amplitude` is given twice",
        ),
        (
            "sine:amplitude=1,frequency=1,frequency_hz=2",
            "`frequency_hz` and `frequency` are the same field",
        ),
        (
            "sine:amplitude=1,frequency=0",
            "sine.frequency_hz: 0 is not allowed; must be above 0",
        ),
        (
            "sine:amplitude=1,frequency=nan",
            "frequency: `nan` is not a finite number",
        ),
        (
            "sine:amplitude=big,frequency=1",
            "amplitude: `big` is not a finite number",
        ),
        (
            "sine:quantity=speed,amplitude=1,frequency=1",
            "quantity: `speed` is not allowed; must be one of acceleration",
        ),
        (
            "sine:quantity=velocity,amplitude=1g,frequency=1",
            "`1g` is in g, which is for accelerations",
        ),
        (
            "sine:amplitude=1,frequency=1,direction=w",
            "direction: `w` is not allowed; must be x, -x, y, -y, z, -z or three",
        ),
        (
            "sine:amplitude=1,frequency=1,direction=0,0,0",
            "direction: `0,0,0` is not allowed",
        ),
        (
            "sine:amplitude=1,frequency=1,direction=1,0",
            "direction: `1,0` is not allowed",
        ),
        (
            "sine:amplitude=1,frequency=1,cycles=-1",
            "sine.cycles: -1 is not allowed; must be above 0",
        ),
        (
            "sine:amplitude=1,frequency=1,cycles=1,duration=1",
            "both `cycles` and `duration` are given",
        ),
        (
            "sine:amplitude=1,frequency=1,centred=perhaps",
            "centred: `perhaps` is not allowed; must be one of yes, true",
        ),
        ("impulse:peak=1", "field `duration` or `half_period` is missing"),
        (
            "impulse:peak=1,duration=1,half_period=1",
            "both `duration` and `half_period` are given",
        ),
        (
            "impulse:peak=1,duration=-1",
            "impulse.duration: -1 is not allowed; must be above 0",
        ),
        (
            "impulse:peak=1,duration=1,form=third",
            "form: `third` is not allowed; must be one of whole, half",
        ),
        (
            "biphasic:quantity=displacement,peak=1,duration=1",
            "biphasic.quantity: `displacement` would jump",
        ),
        ("a.AT2:pga=0.3g,scale=2", "record.pga: both `pga` and `scale` are given"),
        (
            "a.AT2:units=furlong",
            "units: `furlong` is not allowed; must be one of g, m/s2, cm/s2, gal",
        ),
        (
            "a.AT2:quantity=velocity,units=g",
            "record.units: g is a unit of acceleration, not of velocity",
        ),
        (
            "a.AT2:taper=0.7",
            "record.taper: 0.7 is not allowed; must be from 0 to 0.5",
        ),
        (
            "a.AT2:x,direction=x=",
            "`x` is not a field with a value; write field=value",
        ),
        ("record:direction=x", "field `path` is missing"),
    ] {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.contains(told), "{text}: {error}");
        assert!(error.starts_with(&format!("motion `{text}`: ")), "{error}");
    }
}

#[test]
fn the_examples_in_the_docs_read() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/motion.md")).unwrap();
    let blocks: Vec<&str> = page.split("```").skip(1).step_by(2).collect();
    let (files, lines): (Vec<&str>, Vec<&str>) = blocks.into_iter().partition(|b| b.starts_with("json"));
    assert_eq!((files.len(), lines.len()), (3, 1));
    for line in lines[0].lines().filter(|l| !l.is_empty()) {
        parse(line).unwrap();
    }
    for file in files {
        let value: serde_json::Value = serde_json::from_str(file.trim_start_matches("json")).unwrap();
        for (name, motion) in value["motions"].as_object().into_iter().flatten() {
            serde_json::from_value::<Motion>(motion.clone()).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        for (name, case) in value["load_cases"].as_object().into_iter().flatten() {
            serde_json::from_value::<LoadCase>(case.clone()).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
    }
}

#[test]
fn a_synthetic_motion_in_one_word() {
    let expected = SyntheticMotion {
        seed: 3,
        pga: Some(0.3 * G),
        duration: 12.0,
        ground_frequency_hz: 4.0,
        direction: Some(-DVec3::Y),
        envelope: Envelope {
            rise: Some(2.0),
            ..Envelope::default()
        },
        ..SyntheticMotion::default()
    };
    let text = "synthetic:seed=3,pga=0.3g,duration=12s,ground_frequency=4Hz,direction=-y,rise=2";
    assert_eq!(parse(text).unwrap(), Motion::Synthetic(expected));
    assert_eq!(
        parse("synthetic").unwrap(),
        Motion::Synthetic(SyntheticMotion::default())
    );
    let matched = SyntheticMotion {
        spectrum: Some(Eurocode8 {
            shape: SpectrumShape::Type2,
            ground: Ground::C,
            ..Eurocode8::new(0.2 * G)
        }),
        ..SyntheticMotion::default()
    };
    assert_eq!(
        parse("synthetic:spectrum=2C,ag=0.2g").unwrap(),
        Motion::Synthetic(matched)
    );
    for (text, what) in [
        (
            "synthetic:seed=-1",
            "seed: `-1` is not allowed; must be a whole number from 0",
        ),
        (
            "synthetic:seed=1,pga=1,spectrum=1A,ag=1",
            "both `pga` and `spectrum` are given",
        ),
        ("synthetic:spectrum=1A", "field `ag` is missing"),
        ("synthetic:ag=1", "field `spectrum` is missing"),
        (
            "synthetic:spectrum=3A,ag=1",
            "spectrum: `3A` is not allowed; must be one of 1A, 1B",
        ),
        ("synthetic:sed=1", "unknown field `sed` (did you mean `seed`?)"),
        ("synthetic:quantity=velocity", "a synthetic motion is accelerations"),
    ] {
        let told = parse(text).unwrap_err().to_string();
        assert!(told.contains(what), "{told}");
    }
}
