//! Facts of solid geometry that must hold for any shape, at any scale, anywhere.

use drystone_model::geometry::{
    Plane, Polyhedron, clip, convex_hull, convex_parts, defects, merge_coplanar_faces, separation, triangulate_face,
};
use glam::{DAffine3, DQuat, DVec2, DVec3};
use proptest::prelude::*;

fn direction() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-1.0..1.0f64)
        .prop_map(DVec3::from)
        .prop_filter("has a direction", |v| v.length() > 0.1)
        .prop_map(DVec3::normalize)
}

/// Any place and attitude, from millimetres to kilometres, up to ten kilometres from the origin.
fn placement() -> impl Strategy<Value = (DAffine3, f64)> {
    (direction(), -3.2..3.2f64, direction(), 0.0..1e4f64, -3i32..=3).prop_map(|(axis, angle, way, far, exponent)| {
        let scale = 10f64.powi(exponent);
        let turn = DQuat::from_axis_angle(axis, angle);
        (
            DAffine3::from_scale_rotation_translation(DVec3::splat(scale), turn, way * far.min(1e6 * scale)),
            scale,
        )
    })
}

/// A star-shaped outline with reflex corners.
fn star() -> impl Strategy<Value = Vec<DVec2>> {
    prop::collection::vec(0.3..1.0f64, 4..14).prop_map(|radii| {
        let n = radii.len() as f64;
        let corner = |(k, r): (usize, f64)| DVec2::from_angle(std::f64::consts::TAU * k as f64 / n) * r;
        radii.into_iter().enumerate().map(corner).collect()
    })
}

fn cloud() -> impl Strategy<Value = Vec<DVec3>> {
    prop::collection::vec(prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from), 8..60)
}

proptest! {
    #[test]
    fn a_hull_is_a_sound_convex_solid_that_holds_all_its_points((map, scale) in placement(), points in cloud()) {
        let points: Vec<DVec3> = points.iter().map(|&p| map.transform_point3(p)).collect();
        let tolerance = 1e-8 * scale + 1e-12 * map.translation.length();
        let hull = convex_hull(&points, tolerance).unwrap();
        prop_assert_eq!(defects(&hull, 2.0 * tolerance), []);
        for face in 0..hull.faces.len() {
            let plane = hull.face_plane(face);
            for &p in &points {
                prop_assert!(plane.distance(p) <= 4.0 * tolerance);
            }
        }
    }

    #[test]
    fn the_two_sides_of_a_cut_add_up_and_do_not_overlap(
        (map, scale) in placement(), points in cloud(), normal in direction(), at in -0.5..0.5f64,
    ) {
        let solid = convex_hull(&points, 1e-9).unwrap().transformed(&map);
        let plane = Plane::through(map.transform_point3(normal * at), normal);
        let tolerance = 1e-9 * scale + 1e-13 * map.translation.length();
        let pieces: Vec<Polyhedron> =
            [plane, plane.flipped()].iter().filter_map(|p| clip(&solid, p, tolerance)).collect();
        let sum: f64 = pieces.iter().map(Polyhedron::volume).sum();
        prop_assert!((sum - solid.volume()).abs() <= 1e-8 * solid.volume() + 1e-9 * scale.powi(3));
        if let [a, b] = &pieces[..] {
            prop_assert!(separation(a, b, f64::INFINITY) >= -1e-7 * scale - 1e-11 * map.translation.length());
        }
    }

    #[test]
    fn convex_parts_fill_any_star_without_overlap((map, scale) in placement(), outline in star()) {
        let solid = Polyhedron::from_plan(&outline, 0.0, 0.4).transformed(&map);
        let tolerance = 1e-9 * scale + 1e-13 * map.translation.length();
        let parts = convex_parts(&solid, tolerance).unwrap();
        let sum: f64 = parts.iter().map(Polyhedron::volume).sum();
        prop_assert!((sum - solid.volume()).abs() <= 1e-9 * solid.volume());
        for (i, part) in parts.iter().enumerate() {
            prop_assert!(part.is_convex(10.0 * tolerance));
            for other in &parts[..i] {
                prop_assert!(separation(part, other, 0.0) >= -20.0 * tolerance);
            }
        }
    }

    #[test]
    fn volume_and_inertia_follow_the_solid_wherever_it_goes((map, scale) in placement(), outline in star()) {
        let solid = Polyhedron::from_elevation(&outline, -0.3, 0.3);
        let here = solid.mass_properties();
        let there = solid.transformed(&map).mass_properties();
        // Coordinates far away lose digits; the integrals must not lose more.
        let digits = 1e-12 + 1e-14 * map.translation.length() / scale;
        prop_assert!((there.volume / scale.powi(3) / here.volume - 1.0).abs() <= digits);
        prop_assert!(there.centroid.distance(map.transform_point3(here.centroid)) <= digits * scale * 10.0);
        let trace = |m: glam::DMat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
        prop_assert!((trace(there.inertia) / scale.powi(5) / trace(here.inertia) - 1.0).abs() <= 10.0 * digits);
    }

    #[test]
    fn a_triangle_soup_of_any_star_becomes_the_prism_it_came_from((map, scale) in placement(), outline in star()) {
        let solid = Polyhedron::from_plan(&outline, 0.0, 1.0).transformed(&map);
        let mut soup = Polyhedron::default();
        for face in 0..solid.faces.len() {
            for triangle in triangulate_face(&solid, face) {
                let n = soup.vertices.len() as u32;
                soup.vertices.extend(triangle.map(|v| solid.vertices[v as usize]));
                soup.faces.push(vec![n, n + 1, n + 2]);
            }
        }
        let tolerance = 1e-9 * scale + 1e-13 * map.translation.length();
        let merged = merge_coplanar_faces(&soup, tolerance);
        prop_assert_eq!(merged.vertices.len(), solid.vertices.len());
        prop_assert_eq!(merged.faces.len(), solid.faces.len());
        prop_assert_eq!(defects(&merged, 10.0 * tolerance), []);
    }
}

/// Broke: outlines, edges and convexity were looked at pair by pair, which took minutes for this prism.
#[test]
fn a_prism_of_ten_thousand_corners_is_a_sound_block() {
    use drystone_model::{Block, Model, PrismAxis, PrismShape, Shape, check};
    let n = 10_000;
    let corner = |k: usize| DVec2::from_angle(k as f64 * std::f64::consts::TAU / n as f64);
    let mut model = Model::named("drum");
    let ground = Shape::cuboid(DVec3::new(-2.0, -2.0, -1.0), DVec3::new(2.0, 2.0, 0.0));
    model.blocks.push(Block::new("ground", ground).fixed());
    let prism = PrismShape {
        polygon: (0..n).map(corner).collect(),
        axis: PrismAxis::Z,
        from: 0.0,
        to: 0.5,
    };
    model.blocks.push(Block::new("drum", Shape::Prism(prism)));
    assert_eq!(check::problems(&model), []);
    let mut finer = model.clone();
    let Shape::Prism(prism) = &mut finer.blocks[1].shape else {
        unreachable!()
    };
    prism.polygon = (0..100_000)
        .map(|k| DVec2::from_angle(f64::from(k) * std::f64::consts::TAU / 1e5))
        .collect();
    let told = check::problems(&finer);
    assert!(
        told.len() == 1 && told[0].to_string().contains("100000 corners"),
        "a face of that many corners is refused before anything is computed from it: {told:?}"
    );
    let summary = check::summary(&model);
    assert_eq!(
        (summary.non_convex, summary.components, summary.worst_overlap),
        (0, 1, 0.0)
    );
    // A polygon of n corners on a circle of radius one has an area of n/2 sin(2 pi / n).
    let area = 0.5 * n as f64 * (std::f64::consts::TAU / n as f64).sin();
    assert!((summary.volume / (0.5 * area) - 1.0).abs() < 1e-9);
}
