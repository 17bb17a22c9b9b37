//! Frequencies of the free block.

use drystone_model::geometry::Polyhedron;
use glam::DVec3;

use super::{DENSITY, STONE};
use crate::deformable::{Elastic, MassKind, Mesh, Subdivision};

/// The ten lowest elastic frequencies of a block of 1 x 0.4 x 0.3 m of `STONE` (Hz): printed by
/// tests/reference/free_block.py with scikit-fem 12.0.2, 16 x 7 x 5 triquadratic hexahedra. Those of 12 x 5 x 4 are at most
/// 0.08 % higher.
const REFERENCE: [f64; 10] = [
    1156.6888, 1302.1803, 1375.2549, 2337.5617, 2456.0019, 2583.9147, 2633.7254, 3808.8916, 3815.6697, 3920.4110,
];

fn block(subdivision: Subdivision, mass: MassKind) -> Elastic {
    let solid = Polyhedron::cuboid(DVec3::ZERO, DVec3::new(1.0, 0.4, 0.3));
    let mesh = Mesh::new(&solid, Some(subdivision)).unwrap();
    Elastic::new(mesh, STONE, DENSITY, mass).unwrap()
}

fn worst(elastic: &Elastic, count: usize) -> f64 {
    let found = elastic.lowest_frequencies(6 + count);
    assert!(found[..6].iter().all(|&f| f == 0.0));
    let errors = found[6..].iter().zip(REFERENCE).map(|(f, r)| f / r - 1.0);
    errors.fold(0.0, |worst: f64, e| if e.abs() > worst.abs() { e } else { worst })
}

#[test]
fn a_free_block_has_the_frequencies_of_an_independent_program() {
    let first = |subdivision, mass| worst(&block(subdivision, mass), 1);
    for counts in [[2, 2, 2], [4, 2, 2], [6, 3, 2], [8, 4, 3], [12, 5, 4]] {
        let subdivision = Subdivision::Hexahedra(counts);
        println!(
            "H8 {counts:?}: first {:.3} %, first three {:.3} %, ten {:.3} %; lumped: first {:.3} %, ten {:.3} %",
            1e2 * first(subdivision, MassKind::Consistent),
            1e2 * worst(&block(subdivision, MassKind::Consistent), 3),
            1e2 * worst(&block(subdivision, MassKind::Consistent), 10),
            1e2 * first(subdivision, MassKind::Lumped),
            1e2 * worst(&block(subdivision, MassKind::Lumped), 10),
        );
    }
    for parts in [1, 2, 4] {
        let subdivision = Subdivision::Tetrahedra(parts);
        println!(
            "T10 {parts}: first {:.3} %, ten {:.3} %; lumped: first {:.3} %, ten {:.3} %",
            1e2 * first(subdivision, MassKind::Consistent),
            1e2 * worst(&block(subdivision, MassKind::Consistent), 10),
            1e2 * first(subdivision, MassKind::Lumped),
            1e2 * worst(&block(subdivision, MassKind::Lumped), 10),
        );
    }
}
