//! No ghost contacts: where blocks share only an edge or a corner, or a block passes a joint between flush faces, no
//! normal may stand in its way. This is the classic flaw of rigid-body engines on tiled surfaces.

use crate::support::{at, cuboid, detector, found};
use drystone_contact::Placement;
use drystone_model::{check, recipes};
use glam::{DQuat, DVec3};

/// A small generator, the same on every machine: numbers from -1 to 1.
fn random(state: &mut u64) -> f64 {
    *state = state
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[test]
fn diagonal_neighbours_do_not_touch_whatever_rounding_does() {
    for scale in [1e-3, 1.0, 100.0] {
        let cube = cuboid(DVec3::splat(scale));
        for dx in [-1e-9, -1e-12, 0.0, 1e-12, 1e-9, 1e-4] {
            for dz in [-1e-9, -1e-12, 0.0, 1e-12, 1e-9, 1e-4] {
                for (x, y, z) in [(1.0, 0.0, 1.0), (1.0, 0.3, -1.0), (-1.0, -0.2, 1.0)] {
                    let center = DVec3::new(x * (1.0 + dx), y, z * (1.0 + dz)) * scale;
                    let blocks = [(cube.clone(), at(0., 0., 0.)), (cube.clone(), Placement::at(center))];
                    let contacts = found(&blocks, 1e-3 * scale);
                    assert!(
                        contacts.contacts.is_empty(),
                        "edge on edge: {dx} {dz} {:?}",
                        contacts.interfaces
                    );
                }
                let corner = DVec3::new(1.0 + dx, 1.0 - dx, 1.0 + dz) * scale;
                let blocks = [(cube.clone(), at(0., 0., 0.)), (cube.clone(), Placement::at(corner))];
                assert!(
                    found(&blocks, 1e-3 * scale).contacts.is_empty(),
                    "corner on corner: {dx} {dz}"
                );
            }
        }
    }
}

#[test]
fn a_block_dragged_over_flush_joints_feels_the_floor_alone() {
    // Five tiles with tops flush to rounding; a block slides over all of them, a little deep or high, a little tilted.
    let mut shapes = vec![cuboid(DVec3::ONE); 5];
    shapes.push(cuboid(DVec3::new(0.8, 0.6, 0.5)));
    let mut detector = detector(&shapes, 2e-3);
    let mut state = 5;
    for step in 0..4000 {
        let x = -0.3 + 4.6 * f64::from(step) / 4000.0;
        let mut placements: Vec<Placement> = (0..5)
            .map(|k| {
                let off = DVec3::new(0.0, random(&mut state), random(&mut state)) * 1e-9;
                Placement::at(DVec3::new(f64::from(k), 0.0, -0.5) + off)
            })
            .collect();
        let tilt =
            DQuat::from_rotation_y(1e-7 * random(&mut state)) * DQuat::from_rotation_x(1e-7 * random(&mut state));
        let height = 0.25 + 1e-7 * random(&mut state);
        placements.push(Placement {
            center: DVec3::new(x, 0.1, height),
            rotation: tilt,
        });
        let contacts = detector.detect(&placements);
        let mut supported = 0.0;
        for interface in contacts.interfaces.iter().filter(|i| i.blocks[1] == 5) {
            assert!(
                interface.normal.z > 1.0 - 1e-9,
                "step {step}: a normal {} in the way",
                interface.normal
            );
            supported += interface.area;
        }
        let on_tiles = (x + 0.4).min(4.5) - (x - 0.4).max(-0.5);
        assert!(
            (supported - 0.6 * on_tiles).abs() < 2e-5,
            "step {step}: {supported} of {}",
            0.6 * on_tiles
        );
    }
}

#[test]
fn a_block_turned_and_tilted_a_little_is_not_caught_by_an_edge_it_is_nearly_parallel_to() {
    // Two edges that are nearly but not quite parallel have a direction across them, which may point anywhere between
    // up and sideways: whatever the ratio of two small angles says. It must not become a normal.
    let shapes = vec![
        cuboid(DVec3::ONE),
        cuboid(DVec3::ONE),
        cuboid(DVec3::new(0.8, 0.6, 0.5)),
    ];
    let mut detector = detector(&shapes, 2e-3);
    let mut state = 11;
    for step in 0..6000 {
        let x = 0.0 + 1.0 * f64::from(step) / 6000.0;
        let (yaw, tilt) = (5e-3 * random(&mut state), 2e-6 * random(&mut state));
        let rotation = DQuat::from_rotation_z(yaw) * DQuat::from_rotation_x(tilt) * DQuat::from_rotation_y(tilt);
        let block = Placement {
            center: DVec3::new(x, 0.1, 0.25 + 1e-6 * random(&mut state)),
            rotation,
        };
        let placements = [at(0.0, 0.0, -0.5), at(1.0, 0.0, -0.5), block];
        let contacts = detector.detect(&placements);
        for interface in contacts.interfaces.iter().filter(|i| i.blocks[1] == 2) {
            assert!(
                interface.normal.z > 0.999,
                "step {step}: a normal {} in the way",
                interface.normal
            );
        }
        assert!(contacts.contacts.len() >= 4, "step {step}");
    }
    // Beside an edge, not yet over it: no contact, whatever the angles.
    for _ in 0..3000 {
        let angles = DVec3::new(random(&mut state), random(&mut state), random(&mut state)) * 3e-3;
        let rotation = DQuat::from_scaled_axis(angles);
        let beside = DVec3::new(
            0.91 + 1e-3 * random(&mut state).abs(),
            0.0,
            0.7535 + 1e-3 * random(&mut state).abs(),
        );
        let blocks = [
            (shapes[0].clone(), at(0.0, 0.0, 0.0)),
            (
                shapes[2].clone(),
                Placement {
                    center: beside,
                    rotation,
                },
            ),
        ];
        for interface in &found(&blocks, 0.02).interfaces {
            assert!(interface.normal.z > 0.99, "a normal {} between edges", interface.normal);
        }
    }
}

#[test]
fn a_block_flying_low_over_an_edge_is_not_stopped_by_it() {
    // It comes from beside and a hair above the top of the other block, fast enough to pass its edge within the margin.
    let cube = cuboid(DVec3::ONE);
    for height in [1e-9, 1e-6, 1e-4] {
        for dx in [0.02, 0.01, 1e-3, 1e-6] {
            let blocks = [
                (cube.clone(), at(0., 0., 0.)),
                (cube.clone(), at(1.0 + dx, 0.0, 1.0 + height)),
            ];
            assert!(found(&blocks, 0.05).contacts.is_empty(), "{height} above, {dx} beside");
        }
    }
}

#[test]
fn a_wall_has_only_upright_and_level_normals() {
    for recipe in ["wall", "natural-arch-wall", "tower", "stone-house"] {
        let model = recipes::find(recipe).and_then(|r| r.build_alone(&[])).unwrap();
        let (bodies, placements) = drystone_contact::Bodies::of_model(&model).unwrap();
        let mut detector = drystone_contact::Detector::new(bodies, Default::default());
        let contacts = detector.detect(&placements);
        assert!(contacts.interfaces.len() > model.blocks.len());
        for i in &contacts.interfaces {
            assert!(i.normal.abs().max_element() > 1.0 - 1e-12, "{recipe}: {}", i.normal);
            assert!(i.area > 0.0);
        }
        // Whatever has an interface touches; blocks that share only an edge or a corner have none.
        let neighbours = check::neighbours(&model).unwrap().len();
        assert!(contacts.interfaces.len() <= neighbours, "{recipe}");
    }
}
