use glam::{DVec2, DVec3};

use super::{super::Plane, *};

fn cube() -> Polyhedron {
    Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE)
}

/// The face whose outward normal is this.
fn facing(solid: &Polyhedron, normal: DVec3) -> usize {
    let is = |f: &usize| solid.face_plane(*f).normal.dot(normal) > 1.0 - 1e-9;
    (0..solid.faces.len()).find(is).unwrap()
}

fn at(solid: &Polyhedron, point: DVec3) -> usize {
    solid.vertices.iter().position(|v| v.distance(point) < 1e-12).unwrap()
}

#[test]
fn the_parts_of_a_cut_solid_add_up_to_it() {
    // A plane through the middle that cuts off as much as it leaves, and one that cuts off a corner of volume a b c / 6.
    let half = split(&cube(), &Plane::through(DVec3::splat(0.5), DVec3::new(1.0, 2.0, -3.0))).unwrap();
    assert!(half.iter().all(|p| (p.volume() - 0.5).abs() < 1e-14));
    let plane = Plane::through(
        DVec3::new(0.3, 0.0, 0.0),
        DVec3::new(-1.0 / 0.3, -1.0 / 0.2, -1.0 / 0.6),
    );
    let [rest, corner] = split(&cube(), &plane).unwrap();
    assert!((corner.volume() - 0.3 * 0.2 * 0.6 / 6.0).abs() < 1e-15);
    assert!((rest.volume() + corner.volume() - 1.0).abs() < 1e-14);
    assert_eq!(cut(&cube(), &plane).unwrap(), rest);
}

#[test]
fn sizes_from_micrometres_to_kilometres_are_cut_alike() {
    for size in [1e-6, 1.0, 1e3] {
        let solid = Polyhedron::cuboid(DVec3::ZERO, DVec3::splat(size));
        let low = cut(&solid, &Plane::through(DVec3::splat(0.25 * size), DVec3::Z)).unwrap();
        assert!((low.volume() / size.powi(3) - 0.25).abs() < 1e-12, "{size}");
    }
}

#[test]
fn a_plane_that_cuts_nothing_off_is_refused() {
    for (at, side) in [
        (2.0, "in front of"),
        (1.0, "in front of"),
        (0.0, "behind"),
        (-1.0, "behind"),
    ] {
        let plane = Plane::through(at * DVec3::Z, DVec3::Z);
        assert_eq!(split(&cube(), &plane), Err(EditError::Missed { side }), "{at}");
    }
    for (normal, offset) in [
        (DVec3::ZERO, 0.0),
        (DVec3::NAN, 0.0),
        (DVec3::Z, f64::NAN),
        (2.0 * DVec3::Z, 0.5),
    ] {
        let refused = split(&cube(), &Plane { normal, offset });
        assert!(matches!(refused, Err(EditError::NotFinite { .. })), "{refused:?}");
    }
}

#[test]
fn a_solid_that_is_not_convex_is_not_cut() {
    let l = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)].map(DVec2::from);
    let solid = Polyhedron::from_elevation(&l, 0.0, 1.0);
    let plane = Plane::through(DVec3::new(0.0, 0.0, 0.5), DVec3::Z);
    assert_eq!(cut(&solid, &plane), Err(EditError::NotConvex));
}

#[test]
fn what_is_no_solid_is_refused_by_every_operation() {
    let plane = Plane::through(DVec3::splat(0.5), DVec3::Z);
    let mut open = cube();
    open.faces.pop();
    let mut wild = cube();
    wild.faces[0][0] = 99;
    for bad in [open, wild, Polyhedron::default()] {
        assert!(matches!(cut(&bad, &plane), Err(EditError::Unsound(_))));
        assert!(matches!(move_face(&bad, 0, &plane), Err(EditError::Unsound(_))));
        assert!(matches!(move_corners(&bad, &[]), Err(EditError::Unsound(_))));
    }
}

#[test]
fn a_face_moved_outwards_makes_the_box_higher() {
    let top = facing(&cube(), DVec3::Z);
    let high = move_face(&cube(), top, &Plane::through(3.0 * DVec3::Z, DVec3::Z)).unwrap();
    assert!((high.volume() - 3.0).abs() < 1e-14);
    assert_eq!(high.faces, cube().faces);
}

#[test]
fn a_face_turned_about_its_middle_keeps_the_volume_and_planes_beside_it() {
    let top = facing(&cube(), DVec3::Z);
    let slope = Plane::through(DVec3::new(0.5, 0.5, 1.0), DVec3::new(0.3, -0.2, 1.0));
    let turned = move_face(&cube(), top, &slope).unwrap();
    assert!((turned.volume() - 1.0).abs() < 1e-14);
    assert!(turned.off_planes() < 1e-15);
    for normal in [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::NEG_Z] {
        facing(&turned, normal);
    }
}

#[test]
fn a_face_of_a_pyramid_slides_along_the_edges_that_leave_it() {
    // A frustum: its sides meet in the apex (0, 0, 1), so a top at height h has sides of 2 (1 - h).
    let square = |s: f64, z: f64| [(-s, -s), (s, -s), (s, s), (-s, s)].map(|(x, y)| DVec3::new(x, y, z));
    let solid = Polyhedron::lofted(&square(1.0, 0.0), &square(0.5, 0.5));
    let top = facing(&solid, DVec3::Z);
    let low = move_face(&solid, top, &Plane::through(0.25 * DVec3::Z, DVec3::Z)).unwrap();
    assert!((low.face_area(top) - 1.5 * 1.5).abs() < 1e-14);
    assert!(low.off_planes() < 1e-15);
}

#[test]
fn faces_that_cannot_move_there_say_why() {
    let solid = cube();
    let top = facing(&solid, DVec3::Z);
    let to = |z: f64, n: DVec3| move_face(&solid, top, &Plane::through(z * DVec3::Z, n));
    assert!(matches!(to(0.0, DVec3::Z), Err(EditError::Past { .. })));
    assert!(matches!(to(-1.0, DVec3::Z), Err(EditError::Past { .. })));
    assert!(matches!(to(0.5, DVec3::X), Err(EditError::Parallel { .. })));
    let beyond = move_face(&solid, 17, &Plane::through(DVec3::ZERO, DVec3::Z));
    assert_eq!(beyond, Err(EditError::NoSuchFace { face: 17, faces: 6 }));
    // All four sides of a pyramid meet in its apex: two of its edges leave any one side there.
    let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
    let mut vertices = square.to_vec();
    vertices.push(DVec3::Z);
    let faces = vec![
        vec![3, 2, 1, 0],
        vec![0, 1, 4],
        vec![1, 2, 4],
        vec![2, 3, 4],
        vec![3, 0, 4],
    ];
    let pyramid = Polyhedron { vertices, faces };
    let side = pyramid.face_plane(1);
    let out = Plane {
        offset: side.offset + 0.1,
        ..side
    };
    assert!(matches!(
        move_face(&pyramid, 1, &out),
        Err(EditError::ManyEdges {
            vertex: 4,
            edges: 2,
            ..
        })
    ));
}

#[test]
fn a_corner_pulled_out_adds_a_tetrahedron_over_each_face_that_it_leaves() {
    // Each of the three faces at the corner gains the tetrahedron over its half next to the corner: base 1/2, height 0.3.
    let solid = cube();
    let corner = at(&solid, DVec3::ONE);
    let pulled = move_corners(&solid, &[(corner, DVec3::splat(0.3))]).unwrap();
    assert!((pulled.volume() - (1.0 + 3.0 * 0.5 * 0.3 / 3.0)).abs() < 1e-14);
    assert_eq!(pulled.faces.len(), 9);
    assert!(pulled.off_planes() < 1e-15);
}

#[test]
fn an_edge_moved_along_a_face_leaves_every_face_whole() {
    let solid = cube();
    let edge = [DVec3::new(0.0, 0.0, 1.0), DVec3::new(0.0, 1.0, 1.0)].map(|p| (at(&solid, p), -0.5 * DVec3::X));
    let wide = move_corners(&solid, &edge).unwrap();
    assert!((wide.volume() - 1.25).abs() < 1e-14);
    assert_eq!(wide.faces, solid.faces);
}

#[test]
fn corners_that_cannot_move_there_say_why() {
    let solid = cube();
    let refused = |moves: &[(usize, DVec3)]| move_corners(&solid, moves).unwrap_err();
    assert_eq!(
        refused(&[(8, DVec3::X)]),
        EditError::NoSuchVertex { vertex: 8, vertices: 8 }
    );
    assert_eq!(
        refused(&[(1, DVec3::X), (1, DVec3::Y)]),
        EditError::MovedTwice { vertex: 1 }
    );
    assert!(matches!(refused(&[(1, DVec3::NAN)]), EditError::NotFinite { .. }));
    // Through the opposite corner, and onto the next one.
    let corner = at(&solid, DVec3::ONE);
    assert!(matches!(refused(&[(corner, DVec3::splat(-2.0))]), EditError::Spoilt(_)));
    assert!(matches!(refused(&[(corner, -DVec3::X)]), EditError::Spoilt(_)));
}
