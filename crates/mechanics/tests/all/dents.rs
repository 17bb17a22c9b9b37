//! Edges that bear in dents: forces and limits from the statics of single blocks.

use drystone_mechanics::statics::{
    Acting, LimitSettings, Loads, Method, Overrides, Solvers, Structure, Verdict, certify, check, limit,
};
use drystone_model::{Block, Joints, Model, Pose, Shape, certificate::Certificate, geometry::Polyhedron};
use drystone_verify::verify;
use glam::{DAffine3, DQuat, DVec2, DVec3, dvec3};

fn prism(name: &str, outline: &[(f64, f64)], depth: f64) -> Block {
    let outline: Vec<DVec2> = outline.iter().copied().map(DVec2::from).collect();
    Block::new(name, Polyhedron::from_elevation(&outline, -depth, depth))
}

fn structure(blocks: Vec<Block>, friction: f64) -> Model {
    let mut model = Model::named("dent");
    model.joints = Joints::uniform(friction);
    model.blocks = blocks;
    model
}

/// Area and centre of a polygon.
fn centroid(outline: &[(f64, f64)]) -> (f64, DVec2) {
    let (mut area, mut moment) = (0.0, DVec2::ZERO);
    for (k, &p) in outline.iter().enumerate() {
        let (p, q) = (DVec2::from(p), DVec2::from(outline[(k + 1) % outline.len()]));
        area += 0.5 * p.perp_dot(q);
        moment += (p + q) * p.perp_dot(q) / 6.0;
    }
    (area, moment / area)
}

/// The same structure elsewhere: as it is, turned, in millimetres, and at a hundred times its size.
fn places(model: &Model) -> Vec<(Model, DQuat, f64)> {
    let turn = DQuat::from_axis_angle(dvec3(1.0, -2.0, 0.7).normalize(), 0.9);
    let places = [
        (DQuat::IDENTITY, 1.0, DVec3::ZERO),
        (turn, 1.0, dvec3(3.0, -7.0, 2.0)),
        (turn, 1e-3, DVec3::ZERO),
        (turn.inverse(), 100.0, dvec3(1e3, 2e3, -500.0)),
    ];
    let placed = |(turn, scale, shift): (DQuat, f64, DVec3)| {
        let map = DAffine3::from_scale_rotation_translation(DVec3::splat(scale), turn, shift);
        let mut moved = model.clone();
        for block in &mut moved.blocks {
            block.shape = Shape::from(block.polyhedron().transformed(&map));
            block.pose = Pose::default();
        }
        moved.gravity = turn * model.gravity;
        (moved, turn, scale)
    };
    places.into_iter().map(placed).collect()
}

/// Checks a model and has the certificate verified.
#[track_caller]
fn certified(model: &Model) -> (Verdict, Certificate) {
    let assembly = Structure::new(model).unwrap();
    let loads = Loads::body_force(&assembly, model.gravity);
    let found = check(&assembly, &loads, Method::Cone, &mut Solvers::default()).unwrap();
    let situation = (&Overrides::default(), Acting::weight(model.gravity));
    let written = certify(model, &assembly, &loads, situation, &found);
    let certificate = written.unwrap_or_else(|why| panic!("no certificate ({why}): {}", found.reason));
    let verified = verify(&certificate, model);
    let failed: Vec<_> = verified.claims.iter().filter(|c| !c.holds).collect();
    assert!(verified.valid, "{failed:#?}");
    (found.verdict, certificate)
}

/// The sum of the forces between two blocks along a normal from the first to the second, over the weight of all that is free.
fn along(model: &Model, certificate: &Certificate, blocks: [&str; 2], normal: DVec3) -> f64 {
    let own = |f: &&drystone_model::certificate::PointOfForce| f.blocks == blocks && f.normal.distance(normal) < 1e-6;
    let sum: f64 = certificate.forces.iter().filter(own).map(|f| f.force.dot(normal)).sum();
    let weights = model.free_blocks().map(|b| model.mass_of(b).0);
    sum / (weights.sum::<f64>() * model.gravity.length())
}

/// A block with a notch of a half angle at the origin, on a ridge of another. It reaches farther to the right at its top.
fn notch_on_ridge(notch: f64, ridge: f64, farther: f64) -> Vec<Block> {
    let down = |angle: f64, x: f64| (x, -x.abs() / angle.to_radians().tan());
    let notched = [
        down(notch, -0.5),
        (0.0, 0.0),
        down(notch, 0.5),
        (0.5 + farther, 0.6),
        (-0.5, 0.6),
    ];
    vec![
        prism("ridge", &[down(ridge, -0.4), down(ridge, 0.4), (0.0, 0.0)], 0.7).fixed(),
        prism("notched", &notched, 0.5),
    ]
}

/// Without friction each side of the notch carries `W / (2 sin a)`: along an edge if the ridge is sharper, on faces if not.
#[test]
fn a_notch_on_a_ridge_is_carried_by_both_of_its_sides() {
    for (notch, ridge) in [(60.0_f64, 20.0), (45.0, 44.0), (30.0, 10.0), (50.0, 50.0)] {
        // With a little more on the right it turns over the ridge, unless faces hold it.
        if ridge < notch {
            let heavier = structure(notch_on_ridge(notch, ridge, 1e-3), 0.6);
            assert_eq!(certified(&heavier).0, Verdict::Unstable, "{notch} on {ridge}");
        }
        let model = structure(notch_on_ridge(notch, ridge, 0.0), 0.0);
        let expected = 0.5 / notch.to_radians().sin();
        let (c, s) = (notch.to_radians().cos(), notch.to_radians().sin());
        for (placed, turn, scale) in places(&model) {
            let (verdict, certificate) = certified(&placed);
            assert_eq!(verdict, Verdict::Stable);
            for normal in [dvec3(c, 0.0, s), dvec3(-c, 0.0, s)] {
                let found = along(&placed, &certificate, ["ridge", "notched"], turn * normal);
                let off = (found / expected - 1.0).abs();
                assert!(off < 1e-5, "{notch} on {ridge} at {scale}: {found} for {expected}");
            }
        }
    }
}

/// A lintel with a notch on a ridge and its other end on a pier, pushed to the right: the left side of the notch holds it. With
/// the centre at `(x, z)` and the reaction of the pier at `r`, both from the ridge, it lifts off the right side where
/// `l tan a + (x + z l) / r = 1`.
#[test]
fn a_notch_holds_against_a_push_until_its_other_side_is_free() {
    let slope = 60f64.to_radians().tan();
    let low = -0.5 / slope;
    let lintel = [(-0.5, low), (0.0, 0.0), (0.5, low), (4.0, low), (4.0, 0.5), (-0.5, 0.5)];
    let ridge = [(-0.3, -1.0), (0.3, -1.0), (0.0, 0.0)];
    let pier = [(3.0, -1.0), (4.0, -1.0), (4.0, low), (3.0, low)];
    let blocks = vec![
        prism("ridge", &ridge, 1.0).fixed(),
        prism("pier", &pier, 1.0).fixed(),
        prism("lintel", &lintel, 1.0),
    ];
    let (_, center) = centroid(&lintel);
    let at = |r: f64| (1.0 - center.x / r) / (slope + center.y / r);
    let expected = at(3.0).max(at(4.0));
    for (placed, turn, scale) in places(&structure(blocks, 0.0)) {
        let assembly = Structure::new(&placed).unwrap();
        let dead = Loads::body_force(&assembly, placed.gravity);
        let live = Loads::body_force(&assembly, turn * DVec3::X * placed.gravity.length());
        let found = limit(
            &assembly,
            &dead,
            &live,
            &LimitSettings::default(),
            &mut Solvers::default(),
        )
        .unwrap();
        for (times, verdict) in [(0.99, Verdict::Stable), (1.01, Verdict::Unstable)] {
            let mut pushed = placed.clone();
            pushed.gravity += turn * DVec3::X * (times * expected * placed.gravity.length());
            assert_eq!(certified(&pushed).0, verdict, "{times} at {scale}");
        }
        for bound in found.bounds {
            assert!(
                (bound / expected - 1.0).abs() < 1e-4,
                "{scale}: {:?} for {expected}",
                found.bounds
            );
        }
    }
}

/// A pointed block leans on a pillar, its foot in the inner corner between a floor and a step of one block. Without friction the
/// floor carries the weight, and the step what the pillar pushes with.
#[test]
fn a_foot_in_an_inner_corner_is_held_by_floor_and_wall() {
    let step = [
        (-1.0, -1.0),
        (2.0, -1.0),
        (2.0, 0.0),
        (0.0, 0.0),
        (0.0, 1.0),
        (-1.0, 1.0),
    ];
    let leaning = [(0.0, 0.0), (0.9, 1.6), (1.0, 2.0), (0.2, 1.2)];
    let pillar = [(1.0, 0.5), (2.0, 0.5), (2.0, 3.0), (1.0, 3.0)];
    let blocks = vec![
        prism("step", &step, 1.0).fixed(),
        prism("pillar", &pillar, 1.0).fixed(),
        prism("leaning", &leaning, 0.3),
    ];
    let push = centroid(&leaning).1.x / 2.0;
    for (placed, turn, scale) in places(&structure(blocks, 0.0)) {
        let (verdict, certificate) = certified(&placed);
        assert_eq!(verdict, Verdict::Stable);
        for (other, normal, expected) in [
            ("step", DVec3::Z, 1.0),
            ("step", DVec3::X, push),
            ("pillar", -DVec3::X, push),
        ] {
            let found = along(&placed, &certificate, [other, "leaning"], turn * normal);
            assert!(
                (found / expected - 1.0).abs() < 1e-5,
                "{other} at {scale}: {found} for {expected}"
            );
        }
    }
}
