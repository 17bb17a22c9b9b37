//! Blocks that are not convex and meet along a zigzag: clean joints are no overlap, and true overlaps are found.

use crate::common::claim;
use drystone_model::{Block, MeshShape, Model, Shape, certificate::Claim, geometry::Polyhedron};
use glam::{DAffine3, DQuat, DVec2, DVec3};

/// The teeth between two blocks, from left to right: corners of the common boundary seen from the front.
fn teeth(count: usize, height: f64) -> Vec<DVec2> {
    let step = 2.0 / count as f64;
    (0..=count)
        .map(|k| DVec2::new(-1.0 + step * k as f64, height * (k % 2) as f64))
        .collect()
}

/// Steps with treads and risers: faces of two blocks that lie in one plane with edges of others.
fn steps(count: usize, height: f64) -> Vec<DVec2> {
    let step = 2.0 / count as f64;
    let level = |k: usize| height * (k % 2) as f64;
    let tread = |k: usize| {
        let x = -1.0 + step * k as f64;
        [DVec2::new(x, level(k)), DVec2::new(x + step, level(k))]
    };
    (0..count).flat_map(tread).collect()
}

/// How the two long faces are given.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Faces {
    /// As polygons with dents.
    Whole,
    /// Every face cut into triangles, as from a mesh file.
    Triangles,
}

fn solid(outline: &[DVec2], faces: Faces) -> Polyhedron {
    let whole = Polyhedron::from_elevation(outline, -0.4, 0.4);
    match faces {
        Faces::Whole => whole,
        Faces::Triangles => {
            let cut = (0..whole.faces.len()).flat_map(|f| drystone_model::geometry::triangulate_face(&whole, f));
            Polyhedron {
                faces: cut.map(|t| t.to_vec()).collect(),
                vertices: whole.vertices.clone(),
            }
        }
    }
}

/// The upper side of the upper block.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Top {
    Flat,
    /// A plate folded like the joint: its corners lie in the dents of the lower block's front, away from its surface.
    Folded(f64),
}

/// A lower block that is fixed and an upper one, with a common boundary.
fn pair(boundary: &[DVec2], top: Top, faces: [Faces; 2], place: &dyn Fn(DVec3) -> DVec3, sunk: f64) -> Model {
    let mut lower = boundary.to_vec();
    lower.extend([DVec2::new(1.0, -1.0), DVec2::new(-1.0, -1.0)]);
    lower.reverse();
    let down = DVec2::new(0.0, -sunk);
    let mut upper: Vec<DVec2> = boundary.iter().map(|&p| p + down).collect();
    let above = |by: f64| DVec2::new(0.0, by - sunk);
    match top {
        Top::Flat => upper.extend([DVec2::new(1.0, 1.5), DVec2::new(-1.0, 1.5)].map(|p| p + down)),
        Top::Folded(thick) => upper.extend(boundary.iter().rev().map(|&p| p + above(thick))),
    }
    let mut model = Model::named("zigzag");
    for (name, outline, faces) in [("lower", lower, faces[0]), ("upper", upper, faces[1])] {
        let mut placed = solid(&outline, faces);
        placed.vertices.iter_mut().for_each(|v| *v = place(*v));
        model.blocks.push(Block::new(
            name,
            Shape::Mesh(MeshShape {
                vertices: placed.vertices,
                faces: placed.faces,
                parts: Vec::new(),
            }),
        ));
    }
    model.blocks[0].fixed = true;
    model
}

/// What is wrong with the blocks of a model, if anything: a certificate without content stops at nothing else before.
fn overlap(model: &Model) -> Option<String> {
    let found = claim(model, model.gravity, Claim::Stable).verify();
    let sound = found.claims.iter().find(|c| c.claim.contains("are sound")).unwrap();
    (!sound.holds).then(|| sound.detail.clone())
}

fn places() -> Vec<(String, DAffine3)> {
    let mut places = vec![("straight".to_owned(), DAffine3::IDENTITY)];
    for (k, axis) in [DVec3::Z, DVec3::Y, DVec3::new(1.0, 2.0, -0.5).normalize()]
        .into_iter()
        .enumerate()
    {
        let turn = DQuat::from_axis_angle(axis, 0.3 + 0.7 * k as f64);
        for (scale, shift) in [
            (1.0, DVec3::ZERO),
            (1e-3, DVec3::ONE),
            (100.0, DVec3::new(1e3, -2e3, 50.0)),
        ] {
            let map = DAffine3::from_scale_rotation_translation(DVec3::splat(scale), turn, shift);
            places.push((format!("turned about {axis} by {scale}"), map));
        }
    }
    places
}

#[test]
fn a_clean_zigzag_joint_is_no_overlap() {
    for boundary in [
        teeth(2, 0.3),
        teeth(5, 0.3),
        teeth(12, 0.8),
        steps(2, 0.3),
        steps(5, 0.25),
        steps(9, 0.5),
    ] {
        for faces in [Faces::Whole, Faces::Triangles] {
            for other in [Faces::Whole, Faces::Triangles] {
                for top in [Top::Flat, Top::Folded(0.1), Top::Folded(0.4)] {
                    for (name, map) in places() {
                        let model = pair(&boundary, top, [faces, other], &|p| map.transform_point3(p), 0.0);
                        let found = overlap(&model);
                        let case = format!("{} corners, {top:?}, {faces:?} {other:?}, {name}", boundary.len());
                        assert_eq!(found, None, "{case}");
                        if map.matrix3.x_axis.length() > 1.1 || faces != other {
                            continue;
                        }
                        for decimals in [4, 5, 6] {
                            let unit = 10f64.powi(-decimals) * map.matrix3.x_axis.length();
                            let round = |p: DVec3| (map.transform_point3(p) / unit).round() * unit;
                            let rounded = pair(&boundary, top, [faces, other], &round, 0.0);
                            let found = overlap(&with_tolerance(rounded, decimals));
                            assert_eq!(found, None, "{case}, {decimals} decimals");
                        }
                    }
                }
            }
        }
    }
}

/// The tolerance that belongs to coordinates of so many decimals, of blocks about 3 m in size.
fn with_tolerance(mut model: Model, decimals: i32) -> Model {
    model.tolerances.contact = 10f64.powi(-decimals);
    model
}

#[test]
fn a_zigzag_block_that_sinks_into_the_other_is_found() {
    for boundary in [teeth(2, 0.3), teeth(5, 0.3), steps(5, 0.25)] {
        for faces in [Faces::Whole, Faces::Triangles] {
            for top in [Top::Flat, Top::Folded(0.1)] {
                for (name, map) in places() {
                    let model = pair(&boundary, top, [faces; 2], &|p| map.transform_point3(p), 1e-3);
                    let found = overlap(&model);
                    assert!(
                        found.is_some(),
                        "{} corners, {top:?}, {faces:?}, {name}",
                        boundary.len()
                    );
                }
            }
        }
    }
}

/// Two wedges whose edges cut into each other, with no corner inside: roofs across one another.
#[test]
fn edges_that_cut_into_each_other_are_found() {
    let roof = |along_x: bool, sunk: f64| {
        let triangle = [(-1.0, 0.0), (1.0, 0.0), (0.0, 1.0)].map(|(a, z)| {
            if along_x {
                DVec3::new(-3.0, a, z - 1.0)
            } else {
                DVec3::new(a, -3.0, 1.0 - z - sunk)
            }
        });
        let corners = if along_x {
            triangle
        } else {
            [triangle[0], triangle[2], triangle[1]]
        };
        let solid = Polyhedron::extruded(&corners, 6.0 * if along_x { DVec3::X } else { DVec3::Y });
        if solid.volume() < 0.0 { solid.flipped() } else { solid }
    };
    for (sunk, is_overlap) in [(0.0, false), (0.05, true)] {
        let mut model = Model::named("roofs");
        model.blocks = vec![
            Block::new("low", roof(true, 0.0)).fixed(),
            Block::new("high", roof(false, sunk)),
        ];
        assert_eq!(overlap(&model).is_some(), is_overlap, "{sunk}");
    }
}

/// Two prisms across one another, apex down and flush on top: all edges of each are on the surface of the other or outside.
#[test]
fn prisms_that_cross_with_no_edge_inside_are_found() {
    let triangle = [(-0.5, 1.0), (0.0, 0.0), (0.5, 1.0)].map(DVec2::from);
    let solid = Polyhedron::from_elevation(&triangle, -1.0, 4.0);
    for (name, map) in places() {
        for (apart, is_overlap) in [(0.0, true), (3.0, false)] {
            let mut model = Model::named("prisms");
            let across = DAffine3::from_rotation_z(std::f64::consts::FRAC_PI_2);
            let aside = DAffine3::from_translation(DVec3::X * -apart);
            for (name, place) in [("first", DAffine3::IDENTITY), ("second", aside * across)] {
                let solid = solid.transformed(&(map * place));
                model.blocks.push(Block::new(name, solid));
            }
            model.blocks[0].fixed = true;
            assert_eq!(overlap(&model).is_some(), is_overlap, "{name}, {apart}");
        }
    }
}
