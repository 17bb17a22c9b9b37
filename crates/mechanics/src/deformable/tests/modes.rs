//! Frequencies of the free block.

use drystone_model::geometry::Polyhedron;
use faer::{Mat, Side};
use glam::DVec3;

use super::{DENSITY, STONE, dense};
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
    // Errors allowed (%), as measured: of the first frequency, and the largest of the first ten. Within 2 %: the first with
    // 12 x 5 x 4 hexahedra, all ten with tetrahedra halved twice; a single halving has the first within 0.4 %.
    let meshes = [
        (Subdivision::Hexahedra([2, 2, 2]), 20.0, 90.0),
        (Subdivision::Hexahedra([4, 2, 2]), 8.5, 27.5),
        (Subdivision::Hexahedra([6, 3, 2]), 4.5, 16.5),
        (Subdivision::Hexahedra([12, 5, 4]), 1.3, 5.5),
        (Subdivision::Tetrahedra(1), 2.6, 12.6),
        (Subdivision::Tetrahedra(2), 0.4, 2.4),
    ];
    for (subdivision, first, ten) in meshes {
        let elastic = block(subdivision, MassKind::Consistent);
        let (f, t) = (100.0 * worst(&elastic, 1), 100.0 * worst(&elastic, 10));
        println!("{subdivision:?}: first {f:.3} %, ten {t:.3} %");
        // Displacements are restricted and mass is consistent: frequencies come out too high, never too low.
        assert!(
            (0.0..first).contains(&f) && (0.0..ten).contains(&t),
            "{subdivision:?}: {f} {t}"
        );
    }
}

#[test]
fn lumped_mass_has_frequencies_below_the_true_ones() {
    let subdivision = Subdivision::Hexahedra([8, 4, 3]);
    let (lumped, consistent) = (
        block(subdivision, MassKind::Lumped),
        block(subdivision, MassKind::Consistent),
    );
    assert!((-0.05..0.0).contains(&worst(&lumped, 1)) && worst(&consistent, 1) > 0.0);
}

#[test]
fn the_iteration_finds_what_the_dense_eigenproblem_has() {
    for counts in [[1, 1, 1], [2, 2, 2], [3, 2, 1]] {
        let elastic = block(Subdivision::Hexahedra(counts), MassKind::Consistent);
        let n = elastic.node_count();
        let mut mass = Mat::<f64>::zeros(3 * n, 3 * n);
        let (mut v, mut p) = (vec![DVec3::ZERO; n], vec![DVec3::ZERO; n]);
        for column in 0..3 * n {
            v[column / 3][column % 3] = 1.0;
            elastic.mass_times(&v, &mut p);
            v[column / 3][column % 3] = 0.0;
            for row in 0..3 * n {
                mass[(row, column)] = p[row / 3][row % 3];
            }
        }
        // K x = omega² M x with M = L L': the eigenvalues of L^-1 K L^-T.
        let factor = mass.llt(Side::Lower).unwrap();
        let lower = factor.L();
        let mut matrix = dense(&elastic);
        lower.solve_lower_triangular_in_place(matrix.as_mut());
        let mut matrix = matrix.transpose().to_owned();
        lower.solve_lower_triangular_in_place(matrix.as_mut());
        let values = matrix.self_adjoint_eigenvalues(Side::Lower).unwrap();
        let hertz: Vec<f64> = values
            .iter()
            .map(|v| v.max(0.0).sqrt() / std::f64::consts::TAU)
            .collect();
        let found = elastic.lowest_frequencies(18);
        for (found, exact) in found.iter().zip(&hertz).skip(6) {
            assert!((found / exact - 1.0).abs() < 1e-9, "{counts:?}: {found} {exact}");
        }
        assert!(hertz[5] < 1e-4 * hertz[6]);
        assert!((elastic.first_period() * hertz[6] - 1.0).abs() < 1e-9);
        assert_eq!(elastic.lowest_frequencies(4), [0.0; 4]);
        assert_eq!(elastic.lowest_frequencies(1000).len(), 3 * n);
    }
}
