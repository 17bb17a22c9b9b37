//! Joints of finite compressive strength against stress blocks.

use crate::common::{cuboid, push};
use drystone_mechanics::{
    Structure,
    slow::{Path, PathEnd, PathSettings},
};
use drystone_model::{JointLaw, JointStiffness, Joints, Model, Stage, Stages};
use glam::{DQuat, DVec3, dvec3};

/// A block of 2 x 1 x 1 m on the floor, at any scale, so light that its weight is this fraction of the strength of its joint, and
/// a force on top of it of that strength.
fn pressed(weight: f64, scale: f64, strength: f64, stiffness: Option<f64>, eccentricity: f64) -> (Model, f64) {
    let mut model = Model::named("pressed");
    model.density = weight * strength / (9.81 * scale);
    model.joints = Joints::of(JointLaw {
        stiffness: stiffness.map(|k| JointStiffness {
            normal: k,
            tangential: 0.4 * k,
        }),
        crushing_pa: Some(strength),
        ..JointLaw::dry(0.7)
    });
    let block = |name: &str, size: DVec3, at: DVec3| cuboid(name, scale * size, scale * at, DQuat::IDENTITY);
    let floor = block("floor", dvec3(20.0, 20.0, 1.0), dvec3(0.0, 0.0, -0.5));
    model.blocks.push(floor.fixed());
    model
        .blocks
        .push(block("block", dvec3(2.0, 1.0, 1.0), dvec3(0.0, 0.0, 0.5)));
    let all = strength * 2.0 * scale * scale;
    let at = scale * dvec3(0.0, eccentricity, 1.0);
    push(&mut model, "press", "block", dvec3(0.0, 0.0, -all), Some(at));
    (model, all)
}

fn press(factor: f64, steps: u32) -> Stage {
    Stage {
        name: "press".into(),
        steps: Some(steps),
        loads: [("press".to_string(), factor)].into_iter().collect(),
        ..Stage::default()
    }
}

fn followed(model: &Model, loads: Vec<Stage>) -> (Path, PathEnd) {
    let mut stages = vec![Stage {
        name: "weight".into(),
        steps: Some(1),
        ..Stage::default()
    }];
    stages.extend(loads);
    let structure = Structure::new(model).unwrap();
    let mut path = Path::new(model, structure, &Stages { stages }, PathSettings::default()).unwrap();
    let end = path.follow(|_| ()).unwrap();
    (path, end)
}

/// A stress block bears N_c (1 - 2 e / h) at an eccentricity e. Cells bear no more: what they bear is what a stress block would
/// at an eccentricity larger by up to a fiftieth of h. The whole face bears its strength.
#[test]
fn an_eccentric_force_crushes_a_joint_at_what_its_stress_block_bears() {
    for (scale, strength, stiffness) in [(1.0, 5e6, Some(2e10)), (1e-2, 3e5, None), (50.0, 2e7, None)] {
        for eccentricity in [0.0, 0.1, 0.25, 0.4] {
            let (model, _) = pressed(1e-6, scale, strength, stiffness, eccentricity);
            let (_, end) = followed(&model, vec![press(1.2, 24)]);
            let PathEnd::NoEquilibrium { between, .. } = end else {
                panic!("{scale} {eccentricity}: it bears more than its strength")
            };
            let (found, exact) = (1.2 * between[0], 1.0 - 2.0 * eccentricity);
            let farther_in = 0.5 * (exact - found);
            let most = if eccentricity == 0.0 { 1e-3 } else { 0.02 };
            assert!(
                (-5e-4..=most).contains(&farther_in),
                "{scale} {eccentricity}: {found} {exact}"
            );
        }
    }
}

/// What is crushed stays crushed: unloaded, the block leans more than one whose joint is strong, by friction alone.
#[test]
fn what_is_crushed_stays_so() {
    let mut leans = 0.0;
    for (strength, is_crushed) in [(5e8, false), (5e6, true)] {
        let (mut model, _) = pressed(1e-2, 1.0, 5e6, Some(2e10), 0.25);
        model.joints.crushing_pa = Some(strength);
        let (path, end) = followed(&model, vec![press(0.45, 18), press(0.0, 9), press(0.45, 9)]);
        assert_eq!(end, PathEnd::Completed);
        let steps: Vec<f64> = path.points().iter().map(|p| p.along_loads).collect();
        let (before, peak, left, again) = (steps[0], steps[18], steps[27], steps[36]);
        let share = (left - before) / peak;
        assert!(share > 2.0 * leans && share < 0.5, "{strength}: {share} {leans}");
        leans = share;
        // Loaded again to where it was, it goes where it was.
        assert!((again / peak - 1.0).abs() < 2e-2, "{strength}: {again} {peak}");
        let (count, depth) = path.simulation().crushed();
        assert_eq!((count > 0, depth > 0.0), (is_crushed, is_crushed));
    }
}

/// A strength that is never reached changes where a joint bears, not whether.
#[test]
fn a_joint_that_is_strong_enough_is_not_crushed() {
    let (mut model, all) = pressed(1e-6, 1.0, 5e6, Some(2e10), 0.1);
    let settle = |model: &Model| {
        let (path, end) = followed(model, vec![press(0.1, 4)]);
        assert_eq!(end, PathEnd::Completed);
        path
    };
    let cells = settle(&model);
    assert_eq!(cells.simulation().crushed(), (0, 0.0));
    // Stress over the whole face: the middle sinks by N / (k A), the face turns by M / (k I).
    let placement = &cells.simulation().state().placements[1];
    let (force, moment) = (0.1 * all, 0.1 * all * 0.1);
    // Forces at the centres of cells of widths w leave out the sum of their own w^3 / 12.
    let widths = [0.04_f64, 0.09, 0.15, 0.22];
    let own = 2.0 * widths.map(|w| w.powi(3)).iter().sum::<f64>();
    let turned = moment / (2e10 * 2.0 / 12.0 * (1.0 - own));
    let sunk = force / (2e10 * 2.0);
    let angle = placement.rotation.to_scaled_axis().x;
    assert!((-angle / turned - 1.0).abs() < 1e-3, "{angle} {turned}");
    assert!(((0.5 - placement.center.z) / sunk - 1.0).abs() < 1e-3);
    // Corners alone, where there is no strength, turn a third as much.
    model.joints.crushing_pa = None;
    let corners = settle(&model);
    let angle = corners.simulation().state().placements[1].rotation.to_scaled_axis().x;
    assert!(
        (-angle / turned * 3.0 / (1.0 - own) - 1.0).abs() < 1e-3,
        "{angle} {turned}"
    );
}
