//! Certificates that the program writes: exact enough to be accepted, whatever the size of the structure.

use drystone_mechanics::statics::{Assembly, Loads, Method, Overrides, Solvers, Verdict, certify, check, tilted};
use drystone_model::{Block, Joints, Model, Pose, Shape, certificate::Certificate, recipes};
use drystone_verify::{Verifier, verify};
use glam::{DAffine3, DQuat, DVec3, dvec3};

/// Blocks beyond which one place is enough.
const LARGE: usize = 400;

fn built(name: &str, values: &[(&str, &str)]) -> Model {
    let values: Vec<_> = values.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    recipes::find(name).and_then(|r| r.build(&values)).unwrap()
}

/// The same structure turned, scaled and moved, with gravity.
fn moved(model: &Model, turn: DQuat, scale: f64, shift: DVec3) -> Model {
    let map = DAffine3::from_scale_rotation_translation(DVec3::splat(scale), turn, shift);
    let mut moved = model.clone();
    for block in &mut moved.blocks {
        block.shape = Shape::from(block.polyhedron().transformed(&map));
        block.pose = Pose::default();
        block.mass = block.mass.map(|m| m * scale.powi(3));
    }
    for tie in &mut moved.ties {
        (tie.from.at, tie.to.at) = (map.transform_point3(tie.from.at), map.transform_point3(tie.to.at));
    }
    for interface in &mut moved.interfaces {
        interface.points.iter_mut().for_each(|p| *p = map.transform_point3(*p));
        let frame = &mut interface.frame;
        (frame.point, frame.xaxis, frame.yaxis) = (
            map.transform_point3(frame.point),
            turn * frame.xaxis,
            turn * frame.yaxis,
        );
    }
    moved.gravity = turn * model.gravity;
    moved
}

/// Places and sizes: as it is, turned, in millimetres and at a hundred times its size, far from the origin.
fn places() -> [(DQuat, f64, DVec3); 4] {
    let turn = DQuat::from_axis_angle(dvec3(1.0, -2.0, 0.7).normalize(), 0.9);
    [
        (DQuat::IDENTITY, 1.0, DVec3::ZERO),
        (turn, 1.0, dvec3(3.0, -7.0, 2.0)),
        (DQuat::from_rotation_z(0.3), 1e-3, DVec3::ZERO),
        (turn.inverse(), 100.0, dvec3(1e3, 2e3, -500.0)),
    ]
}

/// Checks a model and has the certificate verified.
#[track_caller]
fn certified(model: &Model, method: Method, what: &str) -> (Verdict, Certificate) {
    let assembly = Assembly::new(model).unwrap();
    let loads = Loads::body_force(&assembly, model.gravity);
    let found = check(&assembly, &loads, method, &mut Solvers::default()).unwrap();
    let start = std::time::Instant::now();
    let certificate = certify(
        model,
        &assembly,
        &loads,
        (&Overrides::default(), model.gravity, &[]),
        &found,
    );
    let writing = start.elapsed().as_secs_f64();
    let certificate = certificate
        .unwrap()
        .unwrap_or_else(|| panic!("{what}: no certificate, {}", found.reason));
    let start = std::time::Instant::now();
    let verified = verify(&certificate, model);
    let failed: Vec<_> = verified.claims.iter().filter(|c| !c.holds).collect();
    let figures: Vec<String> = verified
        .claims
        .iter()
        .filter_map(|c| Some(format!("{:.1e}", c.found?)))
        .collect();
    println!(
        "{what}: {} {:.1} + {:.1} ms, {}",
        found.verdict.name(),
        1e3 * writing,
        1e3 * start.elapsed().as_secs_f64(),
        figures.join(" ")
    );
    assert!(verified.valid, "{what}: {failed:#?}");
    (found.verdict, certificate)
}

#[test]
fn every_recipe_is_certified_wherever_it_stands_and_however_large_it_is() {
    for recipe in recipes::all() {
        let model = recipe.build(&[]).unwrap();
        for (k, (turn, scale, shift)) in places().into_iter().enumerate() {
            // Large structures take time, and are like their small parts.
            if model.blocks.len() > LARGE && k != 1 {
                continue;
            }
            let placed = moved(&model, turn, scale, shift);
            certified(&placed, Method::Cone, &format!("{} at place {k}", recipe.name));
        }
    }
}

#[test]
fn every_recipe_that_is_tilted_until_it_falls_is_certified() {
    for recipe in recipes::all() {
        let model = recipe.build(&[]).unwrap();
        if model.blocks.len() > LARGE {
            continue;
        }
        for (k, (turn, scale, shift)) in places().into_iter().enumerate().step_by(2) {
            let mut placed = moved(&model, turn, scale, shift);
            let axis = turn * dvec3(0.3, 1.0, 0.0).normalize();
            placed.gravity = tilted(placed.gravity, axis, 80f64.to_radians());
            let assembly = Assembly::new(&placed).unwrap();
            let loads = Loads::body_force(&assembly, placed.gravity);
            let found = check(&assembly, &loads, Method::Cone, &mut Solvers::default()).unwrap();
            if found.verdict != Verdict::Undecided {
                certified(&placed, Method::Cone, &format!("{} tilted at place {k}", recipe.name));
            }
        }
    }
}

#[test]
fn long_stacks_arches_walls_and_domes_are_certified() {
    let cases: [(&str, &[(&str, &str)]); 6] = [
        ("stack", &[("blocks", "400")]),
        ("arch", &[("voussoirs", "301"), ("thickness", "0.4")]),
        ("arch", &[("voussoirs", "301"), ("thickness", "0.05")]),
        ("wall", &[("length", "12"), ("height", "4")]),
        ("dome", &[]),
        ("barrel-vault", &[]),
    ];
    for (name, values) in cases {
        let model = built(name, values);
        for (turn, scale, shift) in places().into_iter().take(2) {
            for tilt in [0.0, 50f64.to_radians()] {
                let mut placed = moved(&model, turn, scale, shift);
                placed.gravity = tilted(placed.gravity, turn * DVec3::Y, tilt);
                certified(&placed, Method::Cone, &format!("{name} {values:?} tilted by {tilt}"));
            }
        }
    }
}

/// A pebble that slides off beside a mountain: the work of its weight is a billionth of what the mountain's would be.
#[test]
fn a_pebble_that_falls_beside_a_mountain_is_certified_to_fall() {
    let mut model = built("block", &[]);
    model.joints = Joints::uniform(0.6);
    model.blocks[1].mass = Some(1e9);
    let low = dvec3(40.0, 0.0, 3.0);
    let mut pebble = Block::new("pebble", Shape::cuboid(low, low + DVec3::splat(0.01)));
    pebble.mass = Some(1e-3);
    model.blocks.push(pebble);
    let (verdict, _) = certified(&model, Method::Cone, "pebble beside");
    assert_eq!(verdict, Verdict::Unstable);
}

#[test]
fn one_verifier_checks_many_certificates_of_a_model() {
    let model = built("wall", &[]);
    let verifier = Verifier::new(&model);
    let (_, certificate) = certified(&model, Method::Cone, "wall");
    let found = verifier.verify(&certificate);
    assert_eq!(found, verify(&certificate, &model));
    let mut friction = certificate.clone();
    friction.situation.friction = Some(0.01);
    assert!(!verifier.verify(&friction.sealed().unwrap()).valid);
}
