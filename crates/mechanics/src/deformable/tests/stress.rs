//! Stresses.

use drystone_model::geometry::Polyhedron;
use glam::{DMat3, DQuat, DVec3, dvec3};

use super::{STONE, elastic};
use crate::deformable::{Mesh, Subdivision, principal, von_mises};

#[test]
fn principal_stresses_are_those_that_were_turned() {
    let turn = DMat3::from_quat(DQuat::from_axis_angle(dvec3(1.0, -2.0, 0.5).normalize(), 1.1));
    for exact in [
        [3.0, 1.0, -2.0],
        [5.0, 5.0, 1.0],
        [0.0, 0.0, -7.0],
        [2.0, 2.0, 2.0],
        [0.0; 3],
    ] {
        let s = turn * DMat3::from_diagonal(DVec3::from_array(exact)) * turn.transpose();
        let stress = [s.x_axis.x, s.y_axis.y, s.z_axis.z, s.y_axis.x, s.z_axis.y, s.x_axis.z].map(|s| s * 1e6);
        for (found, exact) in principal(&stress).into_iter().zip(exact) {
            assert!((found - exact * 1e6).abs() < 1e-14 * 1e7, "{found} {exact}");
        }
        let [a, b, c] = exact;
        let mises = (0.5 * ((a - b).powi(2) + (b - c).powi(2) + (c - a).powi(2))).sqrt();
        assert!((von_mises(&stress) - 1e6 * mises).abs() < 1e-8 * 1e6);
    }
    assert!(
        (von_mises(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]) - 3f64.sqrt()).abs() < 1e-15,
        "pure shear"
    );
}

/// The displacement of pure bending at the nodes. The hexahedra hold it through their enhanced strains; without those, shear
/// and lateral stresses would be as large as the bending stress.
#[test]
fn a_hexahedron_in_pure_bending_has_the_stress_of_a_beam() {
    let solid = Polyhedron::cuboid(dvec3(-1.0, -0.2, -0.3), dvec3(1.0, 0.2, 0.3));
    let elastic = elastic(Mesh::new(&solid, Some(Subdivision::Hexahedra([1, 1, 1]))).unwrap());
    let nu = STONE.poisson;
    let bend = |x: &DVec3| {
        dvec3(
            -x.x * x.z,
            nu * x.y * x.z,
            0.5 * (x.x * x.x + nu * (x.z * x.z - x.y * x.y)),
        )
    };
    let u: Vec<DVec3> = elastic.mesh().nodes.iter().map(bend).collect();
    for (stress, x) in elastic.nodal_stress(&u).iter().zip(&elastic.mesh().nodes) {
        let exact = -STONE.young * x.z;
        assert!((stress[0] - exact).abs() < 1e-12 * STONE.young, "{stress:?} {exact:e}");
        assert!(stress[1..].iter().all(|s| s.abs() < 1e-12 * STONE.young), "{stress:?}");
    }
    // Energy E I kappa² L / 2.
    let exact = 0.5 * STONE.young * (0.4 * 0.6f64.powi(3) / 12.0) * 2.0;
    assert!((elastic.strain_energy(&u) / exact - 1.0).abs() < 1e-12);
}
