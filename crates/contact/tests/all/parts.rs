//! Blocks that are not convex are cut into parts; where they are cut there is nothing to touch.

use drystone_contact::{Bodies, Detector, DetectorSettings};
use drystone_model::{Block, Model, Shape, geometry::Polyhedron};
use glam::{DVec2, DVec3};

/// A block with an outline in elevation, and another beside it.
fn detector(outline: &[(f64, f64)], min: [f64; 3], max: [f64; 3]) -> (Detector, Vec<drystone_contact::Placement>) {
    let outline: Vec<DVec2> = outline.iter().map(|&p| DVec2::from(p)).collect();
    let mut model = Model::named("test");
    let solids = [
        Polyhedron::from_elevation(&outline, 0.0, 1.0),
        Polyhedron::cuboid(DVec3::from(min), DVec3::from(max)),
    ];
    for (k, solid) in solids.into_iter().enumerate() {
        model.blocks.push(Block::new(k.to_string(), Shape::from(solid)));
    }
    let (bodies, placements) = Bodies::of_model(&model).unwrap();
    let settings = DetectorSettings {
        margin: 2e-3,
        ..DetectorSettings::default()
    };
    (Detector::new(bodies, settings), placements)
}

const L: [(f64, f64); 6] = [(0., 0.), (2., 0.), (2., 1.), (1., 1.), (1., 2.), (0., 2.)];
const U: [(f64, f64); 8] = [
    (0., 0.),
    (3., 0.),
    (3., 2.),
    (2., 2.),
    (2., 1.),
    (1., 1.),
    (1., 2.),
    (0., 2.),
];

#[test]
fn a_block_that_slides_over_a_cut_between_parts_is_not_caught_by_it() {
    let beside = ([-0.5, 0.1, 0.0], [0.0, 0.9, 0.6], DVec3::Z, DVec3::X);
    let below = ([0.0, 0.1, -0.5], [0.6, 0.9, 0.0], DVec3::X, DVec3::Z);
    for (min, max, way, into) in [beside, below] {
        let (mut detector, mut placements) = detector(&L, min, max);
        let start = placements[1].center;
        for step in 0..4000 {
            let deep = 3e-3 * f64::from(step % 7) / 6.0;
            placements[1].center = start + way * (1.4 * f64::from(step) / 4000.0) + into * deep;
            let contacts = detector.detect(&placements);
            for i in &contacts.interfaces {
                assert!(i.normal.dot(into) < -0.999, "step {step}: a normal {}", i.normal);
            }
            // What is less over a part than it is deep may go without.
            assert!((contacts.area() - 0.48).abs() < 0.8 * deep + 1e-9, "step {step}");
        }
    }
}

#[test]
fn a_block_in_a_notch_or_a_slot_touches_all_its_walls() {
    for deep in [0.0, 1e-9, 1e-6, 1e-4, 1e-3] {
        let low = 1.0 - deep;
        let (mut in_notch, placements) = detector(&L, [low, 0.1, low], [1.8, 0.9, 1.8]);
        assert_eq!(in_notch.detect(&placements).interfaces.len(), 2, "{deep}");
        let (mut in_slot, placements) = detector(&U, [low, 0.1, low], [2.0 + deep, 0.9, 1.8]);
        let contacts = in_slot.detect(&placements);
        for wall in [DVec3::X, DVec3::NEG_X, DVec3::Z] {
            assert!(
                contacts.interfaces.iter().any(|i| i.normal.dot(wall) > 0.999),
                "{deep}: {wall}"
            );
        }
    }
}
