//! Interfaces found from the shapes are those that geometry, and the makers of published models, say there are.

use std::path::Path;

use crate::shared::shared;
use drystone_contact::interfaces::{Interface, SearchSettings, interfaces};
use drystone_model::{Block, Model, Shape, geometry::Polyhedron, import::import_files};
use glam::{DAffine3, DQuat, DVec2, DVec3};
use proptest::prelude::*;

fn import(folder: &Path, name: &str) -> Model {
    import_files(&[folder.join(format!("{name}.json"))])
        .unwrap_or_else(|e| panic!("{e}"))
        .model
}

/// A model of polyhedra, each moved by the same map.
fn model(solids: impl IntoIterator<Item = Polyhedron>, map: &DAffine3) -> Model {
    let mut model = Model::named("test");
    for (k, solid) in solids.into_iter().enumerate() {
        model
            .blocks
            .push(Block::new(k.to_string(), Shape::from(solid.transformed(map))));
    }
    model
}

fn found(solids: impl IntoIterator<Item = Polyhedron>) -> Vec<Interface> {
    interfaces(&model(solids, &DAffine3::IDENTITY), &SearchSettings::default())
}

fn cuboid(min: [f64; 3], max: [f64; 3]) -> Polyhedron {
    Polyhedron::cuboid(DVec3::from(min), DVec3::from(max))
}

fn area(found: &[Interface]) -> f64 {
    found.iter().map(|i| i.area).sum()
}

fn points(found: &[Interface]) -> usize {
    found.iter().map(|i| i.points.len()).sum()
}

/// Places far from the origin, turned and scaled: (map, scale).
fn places() -> Vec<(DAffine3, f64)> {
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 0.7);
    let far = DVec3::new(1e4, -1e4, 1e4);
    let place = |scale: f64, at: DVec3| {
        (
            DAffine3::from_scale_rotation_translation(DVec3::splat(scale), turn, at),
            scale,
        )
    };
    vec![
        (DAffine3::IDENTITY, 1.0),
        place(1.0, far),
        place(1e-3, DVec3::ZERO),
        place(1e-2, far),
        place(100.0, far),
    ]
}

#[test]
fn two_cubes_offset_share_the_common_rectangle() {
    let cubes = [cuboid([0.; 3], [1.; 3]), cuboid([0.25, 0.5, 1.], [1.25, 1.5, 2.])];
    let found = found(cubes);
    assert_eq!((found.len(), points(&found)), (1, 4));
    let i = &found[0];
    assert_eq!((i.blocks, i.area, i.gap, i.normal), ([0, 1], 0.375, 0.0, DVec3::Z));
    // Counter-clockwise seen against the normal, at the height of the joint.
    let turn = (i.points[1] - i.points[0]).cross(i.points[2] - i.points[1]);
    assert!(turn.dot(i.normal) > 0.0);
    assert!(i.points.iter().all(|p| p.z == 1.0));
}

#[test]
fn cubes_that_share_only_an_edge_or_a_corner_have_no_interface() {
    let cubes = [
        cuboid([0.; 3], [1.; 3]),
        cuboid([1., 1., 0.], [2., 2., 1.]),
        cuboid([1., 0., 1.], [2., 1., 2.]),
    ];
    assert_eq!(found(cubes).len(), 0);
}

#[test]
fn an_l_shaped_face_touches_along_two_convex_parts_and_squares_within_it_along_one_each() {
    let l = [(0., 0.), (3., 0.), (3., 1.), (1., 1.), (1., 2.), (0., 2.)].map(DVec2::from);
    let l = Polyhedron::from_plan(&l, 1.0, 2.0);
    for (map, scale) in places() {
        let search = |solids: &[Polyhedron]| interfaces(&model(solids.to_vec(), &map), &SearchSettings::default());
        let close = |a: f64, b: f64| (a / (scale * scale) - b).abs() < 1e-6;
        let on_slab = search(&[l.clone(), cuboid([-1., -1., 0.], [4., 3., 1.])]);
        assert_eq!(on_slab.len(), 2);
        assert!(close(area(&on_slab), 4.0));
        let on_square = search(&[l.clone(), cuboid([0.25, 0.25, 0.], [0.75, 0.75, 1.])]);
        assert_eq!((on_square.len(), points(&on_square)), (1, 4));
        assert!(close(area(&on_square), 0.25));
        // A square over the inner corner is met on three of its quarters; one in the notch is not met on top.
        let over_corner = search(&[l.clone(), cuboid([0.5, 0.5, 0.], [1.5, 1.5, 1.])]);
        assert_eq!(over_corner.len(), 2);
        assert!(close(area(&over_corner), 0.75));
        let in_notch = search(&[l.clone(), cuboid([1., 1., 0.], [2., 2., 1.])]);
        assert_eq!(in_notch.len(), 0);
        // Two of the same shape, face to face.
        let twins = search(&[l.clone(), l.translated(DVec3::Z)]);
        assert_eq!(twins.len(), 2);
        assert!(close(area(&twins), 4.0));
    }
}

#[test]
fn a_slab_under_many_small_cubes_meets_every_one() {
    for (map, scale) in places() {
        let mut solids = vec![cuboid([0., 0., -0.1], [1., 1., 0.])];
        for k in 0..64 {
            let (x, y) = (f64::from(k % 8) / 8.0, f64::from(k / 8) / 8.0);
            solids.push(cuboid([x + 0.01, y + 0.01, 0.], [x + 0.11, y + 0.11, 0.1]));
        }
        let found = interfaces(&model(solids, &map), &SearchSettings::default());
        assert_eq!((found.len(), points(&found)), (64, 256), "scale {scale}");
        assert!((area(&found) / (scale * scale) - 0.64).abs() < 1e-6);
        assert!(found.windows(2).all(|w| w[0].blocks < w[1].blocks));
    }
}

#[test]
fn faces_are_joined_across_a_gap_but_not_through_a_block_in_it() {
    let below = cuboid([0.0, 0.0, 0.0], [1.0, 1.0, 0.3]);
    let above = cuboid([0.0, 0.0, 0.32], [1.0, 1.0, 0.6]);
    for (map, scale) in places() {
        let settings = SearchSettings {
            distance_m: Some(0.021 * scale),
            ..SearchSettings::default()
        };
        let direct = |tile: Option<Polyhedron>| {
            let solids = [below.clone(), above.clone()].into_iter().chain(tile);
            let mut found = interfaces(&model(solids, &map), &settings);
            found.retain(|i| i.blocks == [0, 1]);
            area(&found) / (scale * scale)
        };
        let close = |found: f64, known: f64| assert!((found - known).abs() < 1e-4, "{found} is not {known}");
        close(direct(None), 1.0);
        // In touch with both, with a gap on either side, and over a part of the face.
        close(direct(Some(cuboid([0.0, 0.0, 0.3], [1.0, 1.0, 0.32]))), 0.0);
        close(direct(Some(cuboid([0.0, 0.0, 0.305], [1.0, 1.0, 0.315]))), 0.0);
        close(direct(Some(cuboid([0.25, 0.25, 0.305], [0.75, 0.75, 0.315]))), 0.75);
        close(direct(Some(cuboid([0.5, -1.0, 0.3], [2.0, 2.0, 0.32]))), 0.5);
    }
}

#[test]
fn a_gap_or_an_overlap_counts_as_touching_up_to_the_tolerance() {
    // The diagonal of a unit cube is √3, so that the tolerance is 1.7e-6 m.
    for (gap, count) in [(1e-6, 1), (-1e-6, 1), (3e-6, 0), (-3e-6, 0)] {
        let cubes = [cuboid([0.; 3], [1.; 3]), cuboid([0., 0., 1. + gap], [1., 1., 2. + gap])];
        let found = found(cubes.clone());
        assert_eq!(found.len(), count, "gap {gap}");
        assert!(found.iter().all(|i| (i.gap - gap).abs() < 1e-12));
        let wide = SearchSettings {
            distance: 1e-5,
            ..SearchSettings::default()
        };
        assert_eq!(interfaces(&model(cubes, &DAffine3::IDENTITY), &wide).len(), 1);
    }
}

#[test]
fn a_tilted_face_touches_only_within_distance_and_angle() {
    let tilt = DAffine3::from_axis_angle(DVec3::X, 0.5f64.to_radians());
    let tilted = cuboid([0., 0., 0.], [1., 1., 1.])
        .transformed(&tilt)
        .translated(DVec3::Z);
    let pair = model([cuboid([0.; 3], [1.; 3]), tilted], &DAffine3::IDENTITY);
    let count = |distance: f64, angle_deg: f64| {
        let settings = SearchSettings {
            distance,
            angle_deg,
            ..SearchSettings::default()
        };
        interfaces(&pair, &settings).len()
    };
    assert_eq!(count(1e-6, 0.1), 0);
    assert_eq!(count(1e-6, 1.0), 0, "the far side is 9 mm away");
    assert_eq!(count(1e-2, 0.1), 0, "half a degree is too much");
    assert_eq!(count(1e-2, 1.0), 1);
}

/// Settings for the armadillo, chosen among many for the number of interfaces that its file stores: agreement with that
/// number is therefore no test of the search, only a guard against change.
const WARPED: SearchSettings = SearchSettings {
    distance_m: None,
    rounding: 0.0,
    distance: 0.05,
    angle_deg: 15.0,
    area: 1e-3,
    merge_angle_deg: 25.0,
};

/// The interfaces without those between two supports, which the published counts leave out.
fn between_free(model: &Model, settings: &SearchSettings, supports: &[usize]) -> Vec<Interface> {
    let fixed = |b: usize| model.blocks[b].fixed || supports.contains(&b);
    let mut found = interfaces(model, settings);
    found.retain(|i| !i.blocks.iter().all(|&b| fixed(b)));
    found
}

#[test]
fn published_assemblies_have_the_interfaces_that_their_makers_count() {
    let Some(folder) = shared("cra") else { return };
    // Name, supports, interfaces, contact points. The makers count 80 and 64 points for the shelves. Clipped without
    // tolerance the faces give 81 and 64: edges that are parallel but for rounding cross in the middle of a side.
    for (name, supports, count, corners) in [
        ("cubes", &[0][..], 2, 8),
        ("H", &[0, 1], 2, 8),
        ("A", &[0, 1], 2, 8),
        ("type-a", &[0, 1], 2, 8),
        ("type-b", &[0, 1], 2, 8),
        ("type-c", &[0, 1], 2, 8),
        ("type-d", &[0, 1], 2, 8),
        ("concave-short", &[0], 7, 28),
        ("concave-long", &[0], 7, 28),
        ("shelf", &[0], 19, 76),
        ("shelf-stable", &[0], 15, 60),
        ("bridge", &[0, 1], 37, 148),
        ("arch_assembly", &[], 29, 116),
        ("wall_assembly", &[], 80, 480),
        ("stack_assembly", &[], 9, 36),
    ] {
        let model = import(&folder, name);
        let found = between_free(&model, &SearchSettings::for_model(&model), supports);
        assert_eq!((found.len(), points(&found)), (count, corners), "{name}");
        if !model.interfaces.is_empty() {
            assert_as_stored(&model, &found);
        }
    }
    let mut bridge = import(&folder, "bridge");
    bridge.blocks.truncate(11);
    let found = between_free(&bridge, &SearchSettings::for_model(&bridge), &[0, 1]);
    assert_eq!((found.len(), points(&found)), (32, 128));
}

/// The same pairs of blocks meet, with the same number of interfaces, points and the same area as the file stores.
fn assert_as_stored(model: &Model, found: &[Interface]) {
    let place = |name: &String| model.blocks.iter().position(|b| b.name == *name).unwrap();
    for (k, interface) in model.interfaces.iter().enumerate() {
        let mut blocks = interface.between.each_ref().map(place);
        blocks.sort_unstable();
        let same = |s: &[String; 2]| {
            let mut other = s.each_ref().map(place);
            other.sort_unstable();
            other == blocks
        };
        let stored: Vec<_> = model.interfaces.iter().filter(|s| same(&s.between)).collect();
        let ours: Vec<_> = found.iter().filter(|i| i.blocks == blocks).cloned().collect();
        let stored_area: f64 = stored.iter().filter_map(|s| s.area).sum();
        assert_eq!(ours.len(), stored.len(), "{} interface {k}", model.name);
        assert_eq!(points(&ours), stored.iter().map(|s| s.points.len()).sum::<usize>());
        assert!((area(&ours) / stored_area - 1.0).abs() < 1e-6);
    }
}

#[test]
fn curved_interfaces_found_from_matching_meshes_have_the_stored_area() {
    let Some(folder) = shared("cra") else { return };
    // The file stores 72 interfaces of a mesh of its own, coarser than the triangles of the blocks.
    let model = import(&folder, "cube-curve-short");
    let found = interfaces(&model, &SearchSettings::for_model(&model));
    let stored: f64 = model.interfaces.iter().filter_map(|i| i.area).sum();
    assert_eq!((found.len(), points(&found)), (156, 468));
    assert!((area(&found) / stored - 1.0).abs() < 1e-3);
}

#[test]
fn the_warped_faces_of_the_armadillo_meet_as_stored() {
    let Some(folder) = shared("cra") else { return };
    let model = import(&folder, "armadillo_cra");
    let found = between_free(&model, &WARPED, &[]);
    let stored: f64 = model.interfaces.iter().filter_map(|i| i.area).sum();
    let off = found.len() as f64 / model.interfaces.len() as f64 - 1.0;
    assert!(off.abs() < 0.02, "{} interfaces", found.len());
    assert!((area(&found) / stored - 1.0).abs() < 0.02, "{} m²", area(&found));
}

proptest! {
    #[test]
    fn rectangles_overlap_by_the_closed_form_in_any_place(
        (x, y) in (-1.2..1.2f64, -1.2..1.2f64),
        (w, h) in (0.1..1.0f64, 0.1..1.0f64),
        axis in prop::array::uniform3(-1.0..1.0f64),
        angle in 0.0..6.0f64,
        at in prop::array::uniform3(-1e4..1e4f64),
    ) {
        let side = |a: f64, size: f64| ((a + size).min(1.0) - a.max(0.0)).max(0.0);
        let expected = side(x, w) * side(y, h);
        let (below, above) = (cuboid([0., 0., -1.], [1., 1., 0.]), cuboid([x, y, 0.], [x + w, y + h, 1.]));
        let axis = DVec3::from(axis).try_normalize().unwrap_or(DVec3::Z);
        let moved = DAffine3::from_rotation_translation(DQuat::from_axis_angle(axis, angle), DVec3::from(at));
        for map in [DAffine3::IDENTITY, moved] {
            let one = interfaces(&model([below.clone(), above.clone()], &map), &SearchSettings::default());
            let other = interfaces(&model([above.clone(), below.clone()], &map), &SearchSettings::default());
            prop_assert!((area(&one) - expected).abs() < 1e-5);
            prop_assert_eq!(one.len(), other.len());
            for (a, b) in one.iter().zip(&other) {
                prop_assert!((a.area - expected).abs() < 1e-10);
                prop_assert!((a.area - b.area).abs() < 1e-10);
                prop_assert!((a.normal + b.normal).length() < 1e-9);
                prop_assert!((a.normal - map.transform_vector3(DVec3::Z)).length() < 1e-9);
                prop_assert_eq!(a.points.len(), 4);
                prop_assert!(a.points.iter().all(|p| b.points.iter().any(|q| p.distance(*q) < 1e-9)));
                prop_assert_eq!([a.faces[0], a.faces[1]], [b.faces[1], b.faces[0]]);
            }
        }
    }
}
