use glam::{DVec2, DVec3};

use super::*;

fn cube() -> Polyhedron {
    Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE)
}

#[test]
fn sound_solids_have_no_defects_at_any_scale() {
    let l = [(0., 0.), (3., 0.), (3., 1.), (1., 1.), (1., 2.), (0., 2.)].map(DVec2::from);
    for scale in [1e-3, 1.0, 1e3] {
        let l: Vec<_> = l.iter().map(|p| *p * scale).collect();
        assert_eq!(defects(&Polyhedron::from_elevation(&l, 0.0, scale), 1e-6 * scale), []);
        assert_eq!(
            defects(&Polyhedron::cuboid(DVec3::ZERO, DVec3::splat(scale)), 1e-6 * scale),
            []
        );
    }
}

#[test]
fn each_fault_is_named() {
    let mut open = cube();
    open.faces.pop();
    assert!(matches!(defects(&open, 1e-6)[..], [Defect::Open { more: 3, .. }]));

    assert!(matches!(
        defects(&cube().flipped(), 1e-6)[..],
        [Defect::InsideOut { .. }]
    ));

    let mut turned = cube();
    turned.faces[2].reverse();
    assert_eq!(defects(&turned, 1e-6), [Defect::Turned { face: 2 }]);

    let mut twice = cube();
    twice.faces.push(twice.faces[0].clone());
    assert!(matches!(
        defects(&twice, 1e-6)[0],
        Defect::DuplicateFace { first: 0, second: 6 }
    ));

    let mut nan = cube();
    nan.vertices[3].y = f64::NAN;
    assert!(matches!(defects(&nan, 1e-6)[..], [Defect::NotFinite { vertex: 3, .. }]));

    let mut outside = cube();
    outside.faces[1][2] = 77;
    assert!(matches!(
        defects(&outside, 1e-6)[0],
        Defect::NoSuchVertex {
            face: 1,
            vertex: 77,
            vertices: 8
        }
    ));

    let mut warped = cube();
    warped.vertices[6].z += 0.01;
    let found = defects(&warped, 1e-6);
    assert!(found.iter().all(|d| matches!(d, Defect::NotPlanar { .. })), "{found:?}");
    assert_eq!(found.len(), 1, "the sides stay planar, the top does not");

    let mut split = cube();
    split.vertices.push(split.vertices[0]);
    split.faces[0].iter_mut().filter(|v| **v == 0).for_each(|v| *v = 8);
    assert!(matches!(
        defects(&split, 1e-6)[..],
        [Defect::SplitVertex { first: 0, second: 8 }]
    ));

    let flat = Polyhedron::cuboid(DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0));
    assert!(
        defects(&flat, 1e-6)
            .iter()
            .any(|d| matches!(d, Defect::ZeroArea { .. }))
    );
}

#[test]
fn a_spike_pushed_through_the_opposite_face_is_found() {
    // A pyramid on the top face of a cube whose tip is pulled down through the bottom.
    let mut solid = cube();
    let top = solid
        .faces
        .iter()
        .position(|f| f.iter().all(|&v| solid.vertices[v as usize].z == 1.0))
        .unwrap();
    let corners = solid.faces.remove(top);
    solid.vertices.push(DVec3::new(0.5, 0.5, -0.5));
    solid
        .faces
        .extend((0..4).map(|k| vec![corners[k], corners[(k + 1) % 4], 8]));
    assert!(
        defects(&solid, 1e-6)
            .iter()
            .any(|d| matches!(d, Defect::SelfIntersection { .. }))
    );
    // With the tip inside, the solid is a sound, concave one.
    solid.vertices[8].z = 0.5;
    assert_eq!(defects(&solid, 1e-6), []);
}

#[test]
fn a_bow_tie_face_is_found() {
    let bow = [(0., 0.), (1., 1.), (1., 0.), (0., 1.5)].map(DVec2::from);
    let found = defects(&Polyhedron::from_elevation(&bow, 0.0, 1.0), 1e-6);
    assert!(
        found.iter().any(|d| matches!(d, Defect::OutlineCrosses { .. })),
        "{found:?}"
    );
}

/// Broke: a cube listed twice in one mesh passed as one convex block of twice the volume, because no edge passes
/// through a face and no corner rises above one.
#[test]
fn a_surface_listed_twice_is_found() {
    let mut twice = cube();
    twice.vertices.extend(cube().vertices);
    let again = cube().faces.into_iter().map(|f| f.iter().map(|v| v + 8).collect());
    twice.faces.extend(again);
    assert_eq!(defects(&twice, 1e-6), [Defect::Doubled { shells: 2 }]);
}
