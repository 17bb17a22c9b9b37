//! Meshes fill their blocks: volume, mass and inertia are those of the solid.

use drystone_model::geometry::Polyhedron;
use glam::{DAffine3, DQuat, DVec2, DVec3};

use super::{DENSITY, STONE, hexahedron};
use crate::deformable::{Elastic, Elements, Facet, MassKind, Mesh, Subdivision};

fn elevation(outline: &[(f64, f64)]) -> Polyhedron {
    let outline: Vec<DVec2> = outline.iter().copied().map(DVec2::from).collect();
    Polyhedron::from_elevation(&outline, 0.0, 0.7)
}

pub(super) fn tetrahedron() -> Polyhedron {
    Polyhedron {
        vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y * 2.0, DVec3::Z * 0.5],
        faces: vec![vec![0, 2, 1], vec![0, 1, 3], vec![1, 2, 3], vec![0, 3, 2]],
    }
}

pub(super) fn l_shape() -> Polyhedron {
    elevation(&[(0., 0.), (3., 0.), (3., 1.), (1., 1.), (1., 2.), (0., 2.)])
}

/// Name, solid, and whether it is a hexahedron.
pub(super) fn solids() -> Vec<(&'static str, Polyhedron, bool)> {
    let hexagon: Vec<DVec2> = (0..6)
        .map(|k| DVec2::from_angle(f64::from(k) * std::f64::consts::FRAC_PI_3))
        .collect();
    let mut dented = Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE);
    let top = dented
        .faces
        .iter()
        .position(|f| f.iter().all(|&v| dented.vertices[v as usize].z == 1.0))
        .unwrap();
    let corners = dented.faces.remove(top);
    dented.vertices.push(DVec3::new(0.5, 0.5, 0.4));
    dented
        .faces
        .extend((0..4).map(|k| vec![corners[k], corners[(k + 1) % 4], 8]));
    vec![
        ("box", Polyhedron::cuboid(DVec3::ZERO, DVec3::new(1.0, 0.4, 0.3)), true),
        (
            "voussoir",
            elevation(&[(0.0, 0.0), (0.5, 0.0), (0.6, 0.8), (-0.1, 0.8)]),
            true,
        ),
        ("frustum", hexahedron(), true),
        ("tetrahedron", tetrahedron(), false),
        ("hexagonal prism", Polyhedron::from_plan(&hexagon, 0.0, 1.5), false),
        ("L", l_shape(), false),
        (
            "U",
            elevation(&[
                (0., 0.),
                (3., 0.),
                (3., 2.),
                (2., 2.),
                (2., 1.),
                (1., 1.),
                (1., 2.),
                (0., 2.),
            ]),
            false,
        ),
        (
            "stairs",
            elevation(&[
                (0., 0.),
                (4., 0.),
                (4., 1.),
                (2.5, 1.2),
                (2.2, 2.),
                (1., 2.5),
                (0.5, 3.),
                (0., 3.),
            ]),
            false,
        ),
        ("dented cube", dented, false),
    ]
}

#[test]
fn volume_mass_and_inertia_are_exact_at_any_scale_and_place() {
    for (name, solid, is_hexahedron) in solids() {
        for (scale, angle) in [(1.0, 0.0), (1e-3, 0.4), (100.0, 2.0)] {
            let map = DAffine3::from_scale_rotation_translation(
                DVec3::splat(scale),
                DQuat::from_axis_angle(DVec3::new(0.3, -1.0, 0.5).normalize(), angle),
                DVec3::new(1.0, 2.0, 3.0) * scale,
            );
            let solid = solid.transformed(&map);
            let expected = solid.mass_properties();
            for subdivision in [None, Some(Subdivision::Tetrahedra(2))] {
                let mesh = Mesh::new(&solid, subdivision).unwrap_or_else(|e| panic!("{name}: {e}"));
                let hexahedra = matches!(mesh.elements, Elements::H8(_));
                assert_eq!(hexahedra, is_hexahedron && subdivision.is_none(), "{name}");
                let elastic = Elastic::new(mesh, STONE, DENSITY, MassKind::Consistent).unwrap();
                let mass = DENSITY * expected.volume;
                assert!(
                    (elastic.mass() - mass).abs() < 1e-12 * mass,
                    "{name}: {:e}",
                    elastic.mass() / mass - 1.0
                );
                assert!(
                    (elastic.centre() - expected.centroid).length() < 1e-12 * scale,
                    "{name}"
                );
                let inertia = expected.inertia * DENSITY;
                for axis in 0..3 {
                    let off = (elastic.inertia().col(axis) - inertia.col(axis)).length();
                    assert!(off < 1e-12 * (inertia.x_axis.x + inertia.y_axis.y), "{name}: {off:e}");
                }
                let lumped = Elastic::new(elastic.mesh().clone(), STONE, DENSITY, MassKind::Lumped).unwrap();
                let v = vec![DVec3::X; lumped.node_count()];
                assert!((lumped.kinetic_energy(&v) - 0.5 * mass).abs() < 1e-12 * mass, "{name}");
            }
        }
    }
}

/// The rim of a facet: corners alone, since edges are straight.
fn area(mesh: &Mesh, facet: &Facet) -> DVec3 {
    let at: Vec<DVec3> = facet.corners().iter().map(|&n| mesh.nodes[n as usize]).collect();
    let last = *at.last().unwrap();
    0.5 * (at[1] - at[0]).cross(at[2] - at[0]) + 0.5 * (at[2] - at[0]).cross(last - at[0])
}

#[test]
fn facets_cover_every_face_of_the_block_and_look_outwards() {
    for (name, solid, _) in solids() {
        for subdivision in [None, Some(Subdivision::Tetrahedra(2))] {
            let mesh = Mesh::new(&solid, subdivision).unwrap();
            let mut covered = vec![0.0; solid.faces.len()];
            for facet in &mesh.surface {
                let plane = solid.face_plane(facet.face as usize);
                let area = area(&mesh, facet);
                assert!(area.dot(plane.normal) > (1.0 - 1e-12) * area.length(), "{name}");
                covered[facet.face as usize] += area.length();
                for &node in facet.nodes() {
                    assert!(plane.distance(mesh.nodes[node as usize]).abs() < 1e-12, "{name}");
                }
            }
            for (face, area) in covered.iter().enumerate() {
                assert!(
                    (area / solid.face_area(face) - 1.0).abs() < 1e-12,
                    "{name}: face {face}"
                );
            }
        }
    }
}

#[test]
fn interpolation_gives_the_nearest_point_of_the_surface() {
    let mut weights = Vec::new();
    for (name, solid, _) in solids() {
        for subdivision in [None, Some(Subdivision::Tetrahedra(1))] {
            let mesh = Mesh::new(&solid, subdivision).unwrap();
            let place =
                |weights: &[(u32, f64)]| -> DVec3 { weights.iter().map(|&(n, w)| mesh.nodes[n as usize] * w).sum() };
            // A point of the surface is itself, and so is one off it along the normal by less than the block is thick.
            for (k, facet) in mesh.surface.iter().enumerate() {
                let corners = facet.corners().iter().map(|&n| mesh.nodes[n as usize]);
                let shares = [0.1 + 0.07 * (k % 5) as f64, 0.3, 0.2, 0.15];
                let total: f64 = shares[..corners.len()].iter().sum();
                let point: DVec3 = corners.zip(shares).map(|(x, s)| x * (s / total)).sum();
                let out = area(&mesh, facet).normalize();
                for off in [0.0, -1e-3, 1e-3] {
                    mesh.interpolate(point + out * off, &mut weights);
                    assert!((weights.iter().map(|w| w.1).sum::<f64>() - 1.0).abs() < 1e-14);
                    assert!(
                        (place(&weights) - point).length() < 1e-12,
                        "{name}: {}",
                        place(&weights) - point
                    );
                }
            }
            for &node in &mesh.surface_nodes() {
                let x = mesh.nodes[node as usize];
                mesh.interpolate(x, &mut weights);
                let own = weights.iter().find(|w| w.0 == node).map_or(0.0, |w| w.1);
                assert!((own - 1.0).abs() < 1e-12, "{name}: node {node} {weights:?}");
            }
        }
    }
    // Beyond an edge and beyond a corner.
    let mesh = Mesh::new(&Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE), None).unwrap();
    for (point, nearest) in [
        (DVec3::new(2.0, 0.3, 3.0), DVec3::new(1.0, 0.3, 1.0)),
        (DVec3::splat(-1.0), DVec3::ZERO),
    ] {
        mesh.interpolate(point, &mut weights);
        let found: DVec3 = weights.iter().map(|&(n, w)| mesh.nodes[n as usize] * w).sum();
        assert!((found - nearest).length() < 1e-14);
    }
}

#[test]
fn counts_of_hexahedra_run_along_x_y_and_z_however_the_block_is_numbered() {
    let size = DVec3::new(1.0, 2.0, 3.0);
    let block = Polyhedron::cuboid(DVec3::ZERO, size);
    let expected = Mesh::new(&block, Some(Subdivision::Hexahedra([1, 2, 3]))).unwrap();
    // The same box from its sides, with split faces.
    let outline = [(0., 0.), (1., 0.), (1., 1.), (1., 3.), (0.5, 3.), (0., 3.)].map(DVec2::from);
    let split = Polyhedron::from_elevation(&outline, 2.0, 0.0);
    let mesh = Mesh::new(&split, Some(Subdivision::Hexahedra([1, 2, 3]))).unwrap();
    assert_eq!(mesh.elements, expected.elements);
    for (a, b) in mesh.nodes.iter().zip(&expected.nodes) {
        assert!((*a - *b).length() < 1e-14, "{a} {b}");
    }
    for element in 0..6 {
        let Elements::H8(all) = &mesh.elements else {
            panic!("hexahedra")
        };
        let x = all[element].map(|n| mesh.nodes[n as usize]);
        assert!((x[6] - x[0] - DVec3::ONE).length() < 1e-14 && (x[1] - x[0] - DVec3::X).length() < 1e-14);
    }
}

#[test]
fn rounded_coordinates_are_meshed_like_exact_ones() {
    for (name, solid, is_hexahedron) in solids() {
        for angle in [0.3, 1.0, 2.2] {
            let axis = DVec3::new(0.3, -1.0, 0.5).normalize();
            let mut solid = solid.transformed(&DAffine3::from_quat(DQuat::from_axis_angle(axis, angle)));
            for v in &mut solid.vertices {
                *v = (*v * 1e5).round() / 1e5;
            }
            let mesh = Mesh::new(&solid, None).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(matches!(mesh.elements, Elements::H8(_)), is_hexahedron, "{name}");
            let elastic = Elastic::new(mesh, STONE, DENSITY, MassKind::Consistent).unwrap();
            let mass = DENSITY * solid.volume();
            assert!((elastic.mass() / mass - 1.0).abs() < 1e-4, "{name}");
        }
    }
}
