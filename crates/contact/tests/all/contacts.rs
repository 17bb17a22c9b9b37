//! Contacts of blocks against closed forms: normals, gaps, areas and numbers of points.

use std::f64::consts::{FRAC_PI_4, PI};

use crate::support::{at, cuboid, found, turned};
use drystone_contact::{Bodies, Detector, DetectorSettings, Feature, Placement};
use drystone_model::geometry::Polyhedron;
use glam::{DQuat, DVec3};

#[test]
fn a_cube_on_a_cube_touches_in_four_points_at_any_scale_and_anywhere() {
    for scale in [1e-3, 0.05, 1.0, 50.0, 1000.0] {
        for far in [0.0, 1e4] {
            for gap in [0.0, 1e-4 * scale, -1e-4 * scale] {
                let cube = cuboid(DVec3::splat(scale));
                let below = DVec3::splat(far);
                let above = below + DVec3::new(0.25 * scale, 0.0, scale + gap);
                let blocks = [(cube.clone(), Placement::at(below)), (cube, Placement::at(above))];
                let contacts = found(&blocks, 1e-3 * scale);
                assert_eq!((contacts.interfaces.len(), contacts.contacts.len()), (1, 4));
                let rounding = 1e-15 * (scale + 4.0 * far);
                assert!((contacts.interfaces[0].normal - DVec3::Z).length() < 1e-12);
                assert!((contacts.area() - 0.75 * scale.powi(2)).abs() < 10.0 * rounding * scale);
                for c in &contacts.contacts {
                    assert!((c.gap - gap).abs() <= rounding, "{} is not {gap}", c.gap);
                    assert!((c.area - 0.25 * contacts.area()).abs() < 1e-12 * contacts.area());
                    let apart = above + c.arm_second - (below + c.arm_first);
                    assert!((apart - DVec3::Z * gap).length() <= 10.0 * rounding);
                }
            }
        }
    }
}

#[test]
fn a_cube_on_its_edge_touches_along_the_edge_however_it_is_turned() {
    let slab = cuboid(DVec3::new(4.0, 4.0, 1.0));
    for gap in [0.0, 1e-3, -1e-6] {
        for yaw in [0.0, 0.3, 1.2, 2.9] {
            let rotation = DQuat::from_rotation_z(yaw) * DQuat::from_rotation_y(FRAC_PI_4);
            let center = DVec3::new(0.1, -0.2, 0.5 + 0.5f64.sqrt() + gap);
            let cube = (cuboid(DVec3::ONE), turned(center, rotation));
            let contacts = found(&[(slab.clone(), at(0., 0., 0.)), cube], 0.01);
            assert_eq!(contacts.contacts.len(), 2, "yaw {yaw}");
            assert!((contacts.interfaces[0].normal - DVec3::Z).length() < 1e-12);
            assert_eq!(contacts.area(), 0.0, "an edge has no area");
            let along = rotation * DVec3::Y;
            for c in &contacts.contacts {
                assert!((c.gap - gap).abs() < 1e-12);
                assert!(
                    ((c.arm_second.dot(along)).abs() - 0.5).abs() < 1e-12,
                    "the ends of the edge"
                );
                assert!(matches!(c.feature, Feature::FaceUnderCorner { .. }));
            }
        }
    }
}

#[test]
fn a_cube_on_its_corner_touches_in_the_corner() {
    let slab = cuboid(DVec3::new(4.0, 4.0, 1.0));
    let tip = DQuat::from_rotation_arc(DVec3::splat(-1.0).normalize(), -DVec3::Z);
    for gap in [0.0, 2e-3] {
        let center = DVec3::new(0.3, 0.2, 0.5 + 0.75f64.sqrt() + gap);
        let contacts = found(
            &[
                (slab.clone(), at(0., 0., 0.)),
                (cuboid(DVec3::ONE), turned(center, tip)),
            ],
            0.01,
        );
        assert_eq!(contacts.contacts.len(), 1);
        assert!((contacts.contacts[0].gap - gap).abs() < 1e-12);
        assert!((contacts.interfaces[0].normal - DVec3::Z).length() < 1e-12);
        assert!((contacts.contacts[0].arm_second - DVec3::NEG_Z * 0.75f64.sqrt()).length() < 1e-12);
    }
}

#[test]
fn crossed_edges_touch_in_one_point_along_the_direction_across_both() {
    for gap in [0.0, 1e-3, -1e-4] {
        for yaw in [PI / 2.0, 1.0, 0.2] {
            let lower = turned(DVec3::ZERO, DQuat::from_rotation_y(FRAC_PI_4));
            let upper = turned(
                DVec3::new(0.03, 0.05, 2f64.sqrt() + gap),
                DQuat::from_rotation_z(yaw) * DQuat::from_rotation_y(FRAC_PI_4),
            );
            let contacts = found(&[(cuboid(DVec3::ONE), lower), (cuboid(DVec3::ONE), upper)], 0.01);
            let nearest = contacts.contacts.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
            assert!((nearest - gap).abs() < 1e-12, "yaw {yaw}: {nearest} is not {gap}");
            assert!((contacts.interfaces[0].normal - DVec3::Z).length() < 1e-12);
            let crossing = contacts
                .contacts
                .iter()
                .find(|c| matches!(c.feature, Feature::EdgeOnEdge { .. }));
            assert!(crossing.is_some_and(|c| (c.gap - gap).abs() < 1e-12));
        }
    }
}

#[test]
fn a_slab_under_64_cubes_has_64_interfaces() {
    let mut blocks = vec![(cuboid(DVec3::new(1.0, 1.0, 0.1)), at(0., 0., 0.))];
    for i in 0..8 {
        for j in 0..8 {
            let place = |k: i32| (f64::from(k) - 3.5) * 0.125;
            blocks.push((cuboid(DVec3::splat(0.05)), at(place(i), place(j), 0.075)));
        }
    }
    let contacts = found(&blocks, 0.0);
    assert_eq!((contacts.interfaces.len(), contacts.contacts.len()), (64, 256));
    assert!((contacts.area() - 64.0 * 0.05 * 0.05).abs() < 1e-12);
}

#[test]
fn a_block_of_a_metre_stands_on_one_of_a_millimetre() {
    let (large, small) = (cuboid(DVec3::ONE), cuboid(DVec3::splat(1e-3)));
    for (x, y) in [(0.0, 0.0), (0.4, -0.3), (0.4995, 0.0)] {
        let blocks = [(small.clone(), at(x, y, 0.0)), (large.clone(), at(0.0, 0.0, 0.5005))];
        let contacts = found(&blocks, 0.0);
        assert_eq!(contacts.contacts.len(), 4, "at {x}, {y}");
        assert!((contacts.area() / 1e-6 - 1.0).abs() < 1e-9);
        assert!(contacts.contacts.iter().all(|c| c.gap.abs() < 1e-15));
    }
}

#[test]
fn the_shares_of_the_corners_add_up_to_the_area() {
    let triangle = Polyhedron::from_plan(&[(-1., -1.).into(), (1., -1.).into(), (0., 1.).into()], -0.5, 0.5);
    let slab = (cuboid(DVec3::new(4., 4., 1.)), at(0., 0., 0.));
    let contacts = found(&[slab, (triangle, at(0., 0., 1.))], 0.0);
    assert_eq!(contacts.contacts.len(), 3);
    assert!((contacts.area() - 2.0).abs() < 1e-12);
    for c in &contacts.contacts {
        assert!((c.area - 2.0 / 3.0).abs() < 1e-12);
    }
}

#[test]
fn a_corner_in_the_middle_of_a_side_is_left_out_unless_all_are_kept() {
    let outline = [(0., 0.), (0.5, 0.), (1., 0.), (1., 1.), (0., 1.)].map(glam::DVec2::from);
    let upper = Polyhedron::from_plan(&outline, -0.5, 0.5).translated(DVec3::new(-0.5, -0.5, 0.0));
    let lower = cuboid(DVec3::new(3.0, 3.0, 1.0));
    let places = [at(0., 0., 0.), at(0., 0., 1.)];
    for (keep_all, count) in [(false, 4), (true, 5)] {
        let mut bodies = Bodies::default();
        bodies.push(std::slice::from_ref(&lower), true);
        bodies.push(std::slice::from_ref(&upper), false);
        let mut detector = Detector::new(
            bodies,
            DetectorSettings {
                keep_all,
                ..DetectorSettings::default()
            },
        );
        let contacts = detector.detect(&places);
        assert_eq!(contacts.contacts.len(), count);
        assert!((contacts.contacts.iter().map(|c| c.area).sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn needles_and_plates_touch_like_other_blocks() {
    // A hair of a metre by a tenth of a millimetre, and a plate of a metre by a tenth of a millimetre, on a slab.
    let slab = (cuboid(DVec3::new(4.0, 4.0, 1.0)), at(0., 0., 0.));
    for size in [
        DVec3::new(1.0, 1e-4, 1e-4),
        DVec3::new(1.0, 1.0, 1e-4),
        DVec3::new(1e-4, 1e-4, 1.0),
    ] {
        let rotation = DQuat::from_rotation_z(0.4);
        let center = DVec3::new(0.3, 0.2, 0.5 + 0.5 * size.z);
        let contacts = found(&[slab.clone(), (cuboid(size), turned(center, rotation))], 0.0);
        assert_eq!(contacts.contacts.len(), 4, "{size}");
        assert!((contacts.area() / (size.x * size.y) - 1.0).abs() < 1e-9, "{size}");
    }
}

#[test]
fn blocks_farther_apart_than_the_margin_do_not_touch() {
    let blocks = |gap: f64| {
        [
            (cuboid(DVec3::ONE), at(0., 0., 0.)),
            (cuboid(DVec3::ONE), at(0., 0., 1.0 + gap)),
        ]
    };
    assert_eq!(found(&blocks(0.011), 0.01).contacts.len(), 0);
    assert_eq!(found(&blocks(0.009), 0.01).contacts.len(), 4);
    assert_eq!(
        found(&blocks(1e-7), 0.0).contacts.len(),
        4,
        "within rounding of a drawing"
    );
    assert_eq!(found(&blocks(1e-4), 0.0).contacts.len(), 0);
}

#[test]
fn an_opened_joint_keeps_its_far_points_within_the_margin() {
    // A block rocking on its lower edge: the far side of the joint opens by the sine of the angle.
    let angle = 0.002f64;
    let rotation = DQuat::from_rotation_y(angle);
    let pivot = DVec3::new(0.5, 0.0, 0.5);
    let center = pivot + rotation * DVec3::new(-0.5, 0.0, 0.5);
    let slab = (cuboid(DVec3::new(3.0, 3.0, 1.0)), at(0., 0., 0.));
    let blocks = [slab, (cuboid(DVec3::ONE), turned(center, rotation))];
    let contacts = found(&blocks, 0.01);
    assert_eq!(contacts.contacts.len(), 4);
    let mut gaps: Vec<f64> = contacts.contacts.iter().map(|c| c.gap).collect();
    gaps.sort_by(f64::total_cmp);
    for (gap, expected) in gaps.iter().zip([0.0, 0.0, angle.sin(), angle.sin()]) {
        assert!((gap - expected).abs() < 1e-12, "{gaps:?}");
    }
    assert_eq!(
        found(&blocks, 1e-3).contacts.len(),
        2,
        "a small margin sees only the pivot"
    );
}
