//! Certificates that the program writes: exact enough to be accepted, whatever the size of the structure.

use drystone_mechanics::statics::{
    Acting, Loads, Method, Overrides, Solvers, Structure, Verdict, certify, check, tilted,
};
use drystone_model::{Block, Joints, Model, Pose, Shape, certificate::Certificate, geometry::Polyhedron, recipes};
use drystone_verify::{Verifier, verify};
use glam::{DAffine3, DQuat, DVec2, DVec3, dvec3};

/// Blocks beyond which one place is enough.
const LARGE: usize = 400;

fn built(name: &str, values: &[(&str, &str)]) -> Model {
    let values: Vec<_> = values.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    recipes::find(name).and_then(|r| r.build_alone(&values)).unwrap()
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
    let structure = Structure::new(model).unwrap();
    let loads = Loads::body_force(&structure, model.gravity);
    let found = check(&structure, &loads, method, &mut Solvers::default()).unwrap();
    let start = std::time::Instant::now();
    let certificate = certify(
        model,
        &structure,
        &loads,
        (&Overrides::default(), Acting::weight(model.gravity)),
        &found,
    );
    let writing = start.elapsed().as_secs_f64();
    let certificate = certificate.unwrap_or_else(|why| panic!("{what}: no certificate ({why}), {}", found.reason));
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
            let structure = Structure::new(&placed).unwrap();
            let loads = Loads::body_force(&structure, placed.gravity);
            let found = check(&structure, &loads, Method::Cone, &mut Solvers::default()).unwrap();
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

/// A unit cube of which one foot line is `off` above the ground: joined all over up to the tolerance, a millionth of the
/// diagonal, and beyond that resting on the other foot line alone. That it then has to turn, by however little.
#[test]
fn a_foot_out_of_square_bears_where_both_programs_say() {
    let tolerance = 1e-6 * 3f64.sqrt();
    for times in [0.0, 0.3, 0.99, 1.01, 1.7, 2.9, 3.99, 4.1, 12.0] {
        let off = times * tolerance;
        let mut foot = drystone_model::geometry::Polyhedron::cuboid(dvec3(-0.5, -0.5, 0.0), dvec3(0.5, 0.5, 1.0));
        for corner in foot.vertices.iter_mut().filter(|v| v.x > 0.0 && v.z < 0.5) {
            corner.z += off;
        }
        let mut model = Model::named("out of square");
        model.joints = Joints::uniform(0.6);
        let ground = Shape::cuboid(dvec3(-2.0, -2.0, -1.0), dvec3(2.0, 2.0, 0.0));
        model.blocks = vec![
            Block::new("ground", ground).fixed(),
            Block::new("cube", Shape::from(foot)),
        ];
        let expected = if times < 1.0 {
            Verdict::Stable
        } else {
            Verdict::Unstable
        };
        for (turn, scale, shift) in places().into_iter().take(3) {
            let placed = moved(&model, turn, scale, shift);
            let (verdict, _) = certified(&placed, Method::Cone, &format!("{times} tolerances out of square"));
            // The box of a cube that is turned, and with it the tolerance, is larger, by up to the root of three.
            let is_open = turn != DQuat::IDENTITY && (1.0..1.74).contains(&times);
            assert!(verdict == expected || is_open, "{times}: {}", verdict.name());
        }
    }
}

/// A smooth block between upright walls that it touches along its upper edges, tapered by an angle below what counts as
/// parallel edges. The walls are upright: it falls, whichever block comes first.
#[test]
fn a_taper_has_the_normal_of_the_wall_whatever_the_order_of_the_blocks() {
    for taper in [2e-5, 9e-5, 2e-4] {
        let corners = [(-0.5 + taper, 0.0), (0.5 - taper, 0.0), (0.5, 1.0), (-0.5, 1.0)].map(DVec2::from);
        let wedge = Shape::from(Polyhedron::from_elevation(&corners, -0.5, 0.5));
        let wall = |name: &str, x: f64| {
            let (low, high) = (dvec3(x - 0.25, -0.5, -0.5), dvec3(x + 0.25, 0.5, 1.5));
            Block::new(name, Shape::cuboid(low, high)).fixed()
        };
        let blocks = [Block::new("wedge", wedge), wall("left", -0.75), wall("right", 0.75)];
        for first in 0..3 {
            let mut model = Model::named("taper");
            model.joints = Joints::uniform(0.0);
            model.blocks = blocks.to_vec();
            model.blocks.rotate_left(first);
            let structure = Structure::new(&model).unwrap();
            let loads = Loads::body_force(&structure, model.gravity);
            let found = check(&structure, &loads, Method::Cone, &mut Solvers::default()).unwrap();
            assert_ne!(found.verdict, Verdict::Stable, "{taper} {first}");
            if found.verdict == Verdict::Unstable {
                certified(&model, Method::Cone, &format!("taper {taper}, order {first}"));
            }
        }
    }
}

/// A slab that leans against a wall with its upper edge and stands on the ground with its lower one, its corners rounded:
/// edges are then off the faces they bear on by what the decimals explain.
#[test]
fn edges_that_bear_are_certified_however_their_corners_are_rounded() {
    let (sin, cos) = 1.2f64.sin_cos();
    let (length, thick) = (2.0, 0.2);
    let corners = [
        (0.0, 0.0),
        (length * cos, length * sin),
        (length * cos - thick * sin, length * sin + thick * cos),
        (-thick * sin, thick * cos),
    ];
    let outline = corners.map(|(x, z)| DVec2::new(x - length * cos, z));
    let slab = Shape::from(Polyhedron::from_elevation(&outline, -0.3, 0.3));
    let cuboid = |name: &str, low: DVec3, high: DVec3| Block::new(name, Shape::cuboid(low, high)).fixed();
    let mut model = Model::named("leaning");
    model.joints = Joints::uniform(1.0);
    model.blocks = vec![
        cuboid("ground", dvec3(-4.0, -1.0, -0.5), dvec3(4.0, 1.0, 0.0)),
        cuboid("wall", dvec3(0.0, -1.0, 0.0), dvec3(1.0, 1.0, 4.0)),
        Block::new("slab", slab),
    ];
    for (axis, angle) in [
        (DVec3::Z, 0.3),
        (dvec3(0.3, 0.5, 1.0), 0.4),
        (dvec3(-1.0, 0.5, 0.2), 2.1),
    ] {
        let turn = DQuat::from_axis_angle(axis.normalize(), angle);
        for decimals in [3, 4, 5] {
            let mut rounded = moved(&model, turn, 1.0, DVec3::ZERO);
            let unit = 10f64.powi(decimals);
            for block in &mut rounded.blocks {
                let mut solid = block.polyhedron();
                solid.vertices.iter_mut().for_each(|v| *v = (*v * unit).round() / unit);
                block.shape = Shape::from(solid);
            }
            rounded.joint_search = drystone_contact::choose(&rounded).search;
            let what = format!("leaning slab, {decimals} decimals, turned by {angle}");
            let (verdict, _) = certified(&rounded, Method::Cone, &what);
            assert_eq!(verdict, Verdict::Stable, "{what}");
        }
    }
}

/// Just below the push at which a block topples over an edge, sideways by half its width over its height, forces without
/// self-stress are on the boundary of their cones. What is stated of them is what they are when they are written.
#[test]
fn forces_on_the_verge_of_sliding_keep_the_margin_that_is_stated() {
    for (width, height, friction) in [(0.36, 1.07, 1.07), (0.3, 0.8, 0.8), (0.2, 0.9, 1.0)] {
        let mut model = Model::named("pushed");
        model.joints = Joints::uniform(friction);
        let half = dvec3(0.5 * width, 0.37, 0.0);
        model.blocks = vec![
            Block::new("ground", Shape::cuboid(dvec3(-3.0, -3.0, -1.0), dvec3(3.0, 3.0, 0.0))).fixed(),
            Block::new("block", Shape::cuboid(-half, half + DVec3::Z * height)),
        ];
        let push = width / height * (1.0 - 1e-6);
        model.gravity = 9.81 * dvec3(push, push, -1.0);
        let (verdict, _) = certified(&model, Method::Cra, &format!("{width} m wide, pushed"));
        assert_eq!(verdict, Verdict::Stable, "{width}");
    }
}

/// Nine and ten decimals are exact, and so are coordinates of a map: what they leave of a joint's place and normal, no figure
/// of the certificate can be better than.
#[test]
fn exact_structures_are_certified_however_many_decimals_they_have_and_in_coordinates_of_a_map() {
    let structures = [
        built("tower", &[("height", "1.5")]),
        built("barrel-vault", &[("blocks-along", "3")]),
        built("model-a", &[]),
        built("dome", &[("courses", "4"), ("meridians", "10")]),
    ];
    let turn = DQuat::from_rotation_z(0.7);
    let map = dvec3(512_345.0, 5_412_345.0, 310.0);
    for model in &structures {
        for decimals in [9, 10] {
            let mut placed = moved(model, turn, 1.0, dvec3(2.0, 1.0, 0.0));
            let unit = 10f64.powi(decimals);
            for block in &mut placed.blocks {
                let mut solid = block.polyhedron();
                solid.vertices.iter_mut().for_each(|v| *v = (*v * unit).round() / unit);
                block.shape = Shape::from(solid);
            }
            certified(&placed, Method::Cone, &format!("{} to {decimals} decimals", model.name));
        }
        certified(
            &moved(model, turn, 1.0, map),
            Method::Cone,
            &format!("{} on a map", model.name),
        );
    }
}
