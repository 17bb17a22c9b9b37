//! Which supports move how.

use drystone_model::{
    Block, Model, SupportMotion, check,
    motion::{CompileSettings, Supports, parse},
};
use glam::DVec3;
use serde_json::json;

use super::{compile, from_json};

fn model() -> Model {
    let block = |name: &str, fixed: bool, group: &str| {
        let model: Block = serde_json::from_value(json!({ "name": name, "fixed": fixed, "group": group,
            "shape": { "box": { "size": [1, 1, 1] } } }))
        .unwrap();
        model
    };
    let mut model = Model::named("piers");
    model.blocks = vec![
        block("left", true, "piers"),
        block("right", true, "piers"),
        block("ground", true, "ground"),
        block("stone", false, "stones"),
    ];
    let settlement = from_json(json!({ "settlement": { "translation": [0, 0, -0.1] } }));
    let shake = from_json(json!({ "sine": { "amplitude": [1, 0, 0], "frequency_hz": 1 } }));
    model.motions.insert("sink".to_owned(), settlement);
    model.motions.insert("shake".to_owned(), shake);
    model.support_motions = vec![
        SupportMotion {
            motion: "shake".to_owned(),
            groups: vec!["piers".to_owned()],
            ..SupportMotion::default()
        },
        SupportMotion {
            motion: "sink".to_owned(),
            blocks: vec!["right".to_owned()],
            ..SupportMotion::default()
        },
    ];
    model
}

#[test]
fn motions_of_one_support_add_up_and_the_others_rest() {
    let model = model();
    let supports = Supports::new(&model, &CompileSettings::default(), &[]).unwrap();
    assert_eq!(supports.trajectories().len(), 2);
    let (left, right) = (supports.of(0).unwrap().at(2.0), supports.of(1).unwrap().at(2.0));
    assert!((right.displacement - left.displacement - DVec3::new(0.0, 0.0, -0.1)).length() < 1e-15);
    assert!(supports.of(2).is_none() && supports.of(3).is_none() && supports.of(99).is_none());
    assert_eq!(supports.end(), None);
}

#[test]
fn a_motion_from_the_command_line_moves_every_support_in_addition() {
    let extra = compile(&parse("ramp:quantity=displacement,to=0.3,duration=1,direction=y").unwrap());
    let supports = Supports::new(&model(), &CompileSettings::default(), &[extra.clone(), extra]).unwrap();
    for block in 0..3 {
        assert!((supports.of(block).unwrap().at(1.5).displacement.y - 0.6).abs() < 1e-15);
    }
    assert!(supports.of(3).is_none());
}

#[test]
fn motions_made_larger_move_as_many_times_as_far() {
    let supports = Supports::new(&model(), &CompileSettings::default(), &[]).unwrap();
    let larger = supports.clone().times(2.5);
    for block in [0, 1] {
        let [own, scaled] = [&supports, &larger].map(|s| s.of(block).unwrap().at(0.7));
        assert!(own.displacement.length() > 0.0 && own.acceleration.length() > 0.0);
        assert!((scaled.displacement - 2.5 * own.displacement).length() < 1e-15);
        assert!((scaled.velocity - 2.5 * own.velocity).length() < 1e-14);
        assert!((scaled.acceleration - 2.5 * own.acceleration).length() < 1e-14);
    }
    let turning = compile(&from_json(json!({ "rotation": { "pivot": [1, 0, 0],
        "motion": { "ramp": { "quantity": "displacement", "to": [0, 0, 0.2], "duration": 1 } } } })));
    let [own, scaled] = [turning.at(2.0), turning.times(0.5).at(2.0)].map(|state| state.rotation.to_scaled_axis().z);
    assert!(
        (own - 0.2).abs() < 1e-12 && (scaled - 0.1).abs() < 1e-12,
        "{own} {scaled}"
    );
    assert_eq!(turning.times(0.5).pivot(), turning.pivot());
}

#[test]
fn supports_that_move_alike_share_one_motion_and_every_fixed_block_is_the_default() {
    let mut model = model();
    model.support_motions = vec![SupportMotion {
        motion: "sink".to_owned(),
        ..SupportMotion::default()
    }];
    let supports = Supports::new(&model, &CompileSettings::default(), &[]).unwrap();
    assert_eq!((supports.trajectories().len(), supports.end()), (1, Some(1.0)));
    assert!((0..3).all(|k| supports.of(k) == supports.of(0)));
}

#[test]
fn errors_name_the_motion() {
    let mut broken = model();
    broken.motions.insert(
        "shake".to_owned(),
        from_json(json!({ "sum": [{ "record": { "path": "none.AT2" } }] })),
    );
    let told = Supports::new(&broken, &CompileSettings::default(), &[])
        .unwrap_err()
        .to_string();
    assert!(told.starts_with("none.AT2: cannot be read"), "{told}");
    broken.motions.insert(
        "shake".to_owned(),
        from_json(json!({ "sine": { "amplitude": [1, 0, 0], "frequency_hz": 0 } })),
    );
    let told = Supports::new(&broken, &CompileSettings::default(), &[])
        .unwrap_err()
        .to_string();
    assert_eq!(
        told,
        "motions.shake.sine.frequency_hz: 0 is not allowed; must be above 0"
    );
}

#[test]
fn a_displacement_that_does_not_start_at_zero_is_counted_from_its_start_with_a_warning() {
    let mut model = model();
    let jump = json!({ "table": { "quantity": "displacement", "times": [0, 1], "values": [[0.1, 0, 0], [0, 0, 0]] } });
    model.motions.insert("sink".to_owned(), from_json(jump));
    // The blocks of this model stand in each other; only what is said of motions counts here.
    let found = check::problems(&model);
    let told = found.iter().find(|p| p.place.starts_with("motions")).unwrap();
    assert!(!told.is_error());
    assert!(told.message.contains("counted from there"), "{told}");
    // Where it is placed and how it moves there are one.
    let trajectory = compile(&model.motions["sink"]);
    assert_eq!(trajectory.notes().len(), 1);
    assert_eq!(trajectory.at(0.0).displacement, DVec3::ZERO);
    let (end, step) = (trajectory.at(1.0), trajectory.step(DVec3::ZERO, 0.0, 1.0));
    assert!(
        (end.displacement - DVec3::new(-0.1, 0.0, 0.0)).length() < 1e-15,
        "{end:?}"
    );
    assert!((step.velocity - end.displacement).length() < 1e-15, "{step:?}");
}
