//! What cannot be made elastic is refused with its reason.

use drystone_model::geometry::Polyhedron;
use glam::DVec3;

use super::{DENSITY, STONE, distorted, hexahedron, solids};
use crate::deformable::{
    Elastic, ElasticError, Elasticity, Elements, MEMORY_LIMIT, MassKind, Mesh, MeshError, Subdivision,
    memory_bytes_estimate,
};

fn cube() -> Polyhedron {
    Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE)
}

fn build(mesh: Mesh, young: f64, poisson: f64, density: f64) -> Result<Elastic, ElasticError> {
    Elastic::new(mesh, Elasticity { young, poisson }, density, MassKind::Consistent)
}

#[test]
fn constants_that_no_material_has_are_refused() {
    let mesh = Mesh::new(&cube(), None).unwrap();
    for young in [0.0, -1e9, f64::NAN, f64::INFINITY] {
        let error = build(mesh.clone(), young, 0.2, DENSITY).unwrap_err();
        assert!(matches!(error, ElasticError::Young(_)), "{error}");
    }
    for poisson in [0.5, -1.0, 0.7, f64::NAN] {
        let error = build(mesh.clone(), 1e9, poisson, DENSITY).unwrap_err();
        assert!(matches!(error, ElasticError::Poisson(_)), "{error}");
    }
    for density in [0.0, -2.0, f64::NAN, f64::INFINITY] {
        let error = build(mesh.clone(), 1e9, 0.2, density).unwrap_err();
        assert!(matches!(error, ElasticError::Density(_)), "{error}");
    }
}

#[test]
fn an_element_that_is_inverted_or_flat_is_named() {
    let build = |mesh: Mesh| build(mesh, STONE.young, 0.2, DENSITY).unwrap_err().to_string();
    let mut mesh = distorted(&hexahedron(), [2, 2, 2], 0.0);
    mesh.nodes[13] += DVec3::X * 3.0;
    let text = build(mesh);
    assert!(
        text.contains("element 1 around") && text.contains("turned inside out"),
        "{text}"
    );

    let mut mesh = distorted(&hexahedron(), [2, 2, 2], 0.0);
    mesh.nodes[13] = mesh.nodes[12];
    let text = build(mesh);
    assert!(
        text.contains("element 0 around") && text.contains("degenerate"),
        "{text}"
    );

    let mut mesh = Mesh::new(&solids::tetrahedron(), None).unwrap();
    if let Elements::T10(elements) = &mut mesh.elements {
        elements[2].swap(0, 1);
    }
    assert!(build(mesh).contains("element 2 around"));

    let mut mesh = Mesh::new(&cube(), None).unwrap();
    mesh.nodes.truncate(20);
    assert!(build(mesh).contains("there are 20 nodes"));

    let mut mesh = Mesh::new(&cube(), None).unwrap();
    mesh.nodes[5].x = f64::NAN;
    assert!(build(mesh).contains("element"));
}

#[test]
fn hexahedra_of_another_shape_are_refused_with_what_to_use() {
    for (name, solid, is_hexahedron) in solids::solids() {
        let mesh = Mesh::new(&solid, Some(Subdivision::Hexahedra([1, 2, 1])));
        match mesh {
            Ok(_) => assert!(is_hexahedron, "{name}"),
            Err(error) => {
                assert!(
                    !is_hexahedron && error.to_string().ends_with("use tetrahedra instead"),
                    "{name}: {error}"
                );
            }
        }
    }
}

#[test]
fn subdivisions_that_make_no_sense_are_refused() {
    let new = |subdivision| Mesh::new(&cube(), Some(subdivision)).unwrap_err();
    assert!(matches!(
        new(Subdivision::Hexahedra([2, 0, 2])),
        MeshError::NoElements(_)
    ));
    assert!(matches!(new(Subdivision::Tetrahedra(0)), MeshError::NoElements(_)));
    assert_eq!(new(Subdivision::Tetrahedra(3)), MeshError::NotAPowerOfTwo(3));
    let flat = Polyhedron::cuboid(DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0));
    assert!(matches!(Mesh::new(&flat, None), Err(MeshError::NoVolume(_))));
    let mut broken = cube();
    broken.vertices[2].y = f64::NAN;
    assert!(Mesh::new(&broken, None).is_err());
}

#[test]
fn a_mesh_that_is_too_fine_is_refused_with_the_memory_it_would_take() {
    for subdivision in [
        Subdivision::Hexahedra([1000; 3]),
        Subdivision::Hexahedra([u32::MAX; 3]),
        Subdivision::Tetrahedra(64),
        Subdivision::Tetrahedra(1 << 31),
    ] {
        let needed = memory_bytes_estimate(&cube(), Some(subdivision)).unwrap();
        assert!(needed > MEMORY_LIMIT);
        let error = Mesh::new(&cube(), Some(subdivision)).unwrap_err();
        assert!(
            matches!(error, MeshError::TooFine { bytes, .. } if bytes == needed),
            "{error}"
        );
        let text = error.to_string();
        assert!(text.contains("GB of memory, more than the 4.0 GB allowed"), "{text}");
    }
    assert!(memory_bytes_estimate(&cube(), None).unwrap() < 1_000_000);
}

#[test]
fn the_estimate_knows_the_counts_of_the_mesh_that_is_made() {
    for (name, solid, _) in solids::solids() {
        for parts in [1, 2] {
            let mesh = Mesh::new(&solid, Some(Subdivision::Tetrahedra(parts))).unwrap();
            let budget = crate::deformable::mesh::tetrahedra_budget(&solid, parts).unwrap();
            assert_eq!(budget, (mesh.elements.len() as u64, mesh.nodes.len() as u64), "{name}");
        }
    }
}

#[test]
fn blocks_that_hang_together_by_an_edge_are_refused() {
    let mut two = cube();
    let other = cube().translated(DVec3::new(1.0, 1.0, 0.0));
    two.faces
        .extend(other.faces.iter().map(|f| f.iter().map(|v| v + 8).collect()));
    two.vertices.extend(other.vertices);
    let error = Mesh::new(&two, None).unwrap_err();
    assert!(
        matches!(error, MeshError::Disconnected { pieces: 2 } | MeshError::Decompose(_)),
        "{error}"
    );
}
