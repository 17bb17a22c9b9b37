//! Meshes fill their blocks: volume, mass and inertia are those of the solid.

use drystone_model::geometry::Polyhedron;
use glam::{DAffine3, DQuat, DVec2, DVec3};

use super::{DENSITY, STONE, hexahedron};
use crate::deformable::{Elastic, Elements, MassKind, Mesh, Subdivision};

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
