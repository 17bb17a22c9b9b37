//! Constant strain is represented exactly, and nothing but rigid motion is free.

use faer::Side;
use glam::{DMat3, DVec3, dvec3};

use super::{DENSITY, Noise, STONE, dense, distorted, elastic, hexahedron, solids};
use crate::deformable::{Elastic, Elasticity, MassKind, Mesh, Subdivision};

fn meshes() -> Vec<Mesh> {
    vec![
        distorted(&hexahedron(), [2, 2, 2], 0.06),
        distorted(&hexahedron(), [3, 4, 2], 0.03),
        // Tetrahedra: with a reflex edge, and halved once.
        Mesh::new(&solids::l_shape(), Some(Subdivision::Tetrahedra(1))).unwrap(),
        Mesh::new(&hexahedron(), Some(Subdivision::Tetrahedra(2))).unwrap(),
    ]
}

#[test]
fn any_linear_displacement_field_leaves_inner_nodes_without_force_and_gives_its_exact_stress() {
    for mesh in meshes() {
        for poisson in [0.0, 0.27, 0.499] {
            let young = STONE.young;
            let elastic = Elastic::new(
                mesh.clone(),
                Elasticity { young, poisson },
                DENSITY,
                MassKind::Consistent,
            )
            .unwrap();
            let surface = elastic.mesh().surface_nodes();
            let mut noise = Noise(3);
            let mut worst = [0.0_f64; 2];
            for _ in 0..10 {
                let (gradient, shift) = (noise.matrix(), noise.vector());
                let u: Vec<DVec3> = elastic.mesh().nodes.iter().map(|&x| gradient * x + shift).collect();
                let mut f = vec![DVec3::ZERO; u.len()];
                elastic.stiffness_times(&u, &mut f);
                let largest = f.iter().map(|f| f.length()).fold(0.0, f64::max);
                for (node, f) in f.iter().enumerate() {
                    if surface.binary_search(&(node as u32)).is_err() {
                        worst[0] = worst[0].max(f.length() / largest);
                    }
                }
                let strain = (gradient + gradient.transpose()) * 0.5;
                let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
                let (mu, lambda) = (
                    young / (2.0 * (1.0 + poisson)),
                    young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
                );
                let s = DMat3::from_diagonal(DVec3::splat(lambda * trace)) + strain * (2.0 * mu);
                let exact = [s.x_axis.x, s.y_axis.y, s.z_axis.z, s.x_axis.y, s.y_axis.z, s.z_axis.x];
                let size = exact.iter().fold(0.0_f64, |most, s| most.max(s.abs()));
                let at_gauss = elastic.gauss_stress(&u).into_iter().map(|(_, stress)| stress);
                for stress in elastic
                    .nodal_stress(&u)
                    .into_iter()
                    .chain(at_gauss)
                    .chain(elastic.element_stress(&u))
                {
                    for (s, e) in stress.iter().zip(exact) {
                        worst[1] = worst[1].max((s - e).abs() / size);
                    }
                }
            }
            println!(
                "patch test, nu = {poisson}: residual {:.1e}, stress {:.1e}",
                worst[0], worst[1]
            );
            assert!(worst[0] < 1e-12 && worst[1] < 1e-12, "{worst:?}");
        }
    }
}

#[test]
fn six_rigid_modes_are_free_of_energy_and_no_others() {
    for mesh in meshes() {
        let values = dense(&elastic(mesh)).self_adjoint_eigenvalues(Side::Lower).unwrap();
        let largest = values[values.len() - 1];
        assert!(
            values[..6].iter().all(|v| v.abs() < 1e-13 * largest),
            "{:?}",
            &values[..6]
        );
        assert!(values[6] > 1e-4 * largest, "{:e}", values[6] / largest);
    }
}

/// The displacement of pure bending is quadratic. Quadratic tetrahedra hold it exactly, whatever their shape.
#[test]
fn tetrahedra_of_any_shape_bend_exactly_under_a_constant_moment() {
    for (name, solid, _) in solids::solids() {
        let elastic = elastic(Mesh::new(&solid, Some(Subdivision::Tetrahedra(1))).unwrap());
        let nu = STONE.poisson;
        let u: Vec<DVec3> = elastic
            .mesh()
            .nodes
            .iter()
            .map(|x| {
                dvec3(
                    -x.x * x.z,
                    nu * x.y * x.z,
                    0.5 * (x.x * x.x + nu * (x.z * x.z - x.y * x.y)),
                )
            })
            .collect();
        let size = STONE.young * elastic.mesh().nodes.iter().map(|x| x.z.abs()).fold(0.0, f64::max);
        for (at, stress) in elastic.gauss_stress(&u) {
            let off = (stress[0] + STONE.young * at.z).abs() + stress[1..].iter().map(|s| s.abs()).sum::<f64>();
            assert!(off < 1e-12 * size, "{name}: {:e}", off / size);
        }
        // Elements hang together: inside, their forces cancel.
        let mut f = vec![DVec3::ZERO; u.len()];
        elastic.stiffness_times(&u, &mut f);
        let largest = f.iter().map(|f| f.length()).fold(0.0, f64::max);
        let surface = elastic.mesh().surface_nodes();
        for (node, f) in f.iter().enumerate() {
            let inside = surface.binary_search(&(node as u32)).is_err();
            assert!(
                !inside || f.length() < 1e-12 * largest,
                "{name}: {:e}",
                f.length() / largest
            );
        }
    }
}
