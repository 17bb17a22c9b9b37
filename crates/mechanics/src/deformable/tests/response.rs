//! The response to forces.

use drystone_model::geometry::Polyhedron;
use glam::DVec3;

use super::{DENSITY, Noise, STONE, distorted, elastic, hexahedron, solids};
use crate::deformable::{Elastic, ElasticError, Elasticity, MassKind, Mesh, Response, Subdivision};

fn examples() -> Vec<Elastic> {
    vec![
        elastic(distorted(&hexahedron(), [2, 3, 2], 0.04)),
        elastic(Mesh::new(&solids::l_shape(), None).unwrap()),
    ]
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

fn norm(a: &[DVec3]) -> f64 {
    dot(a, a).sqrt()
}

/// Factors of mass: dominant, of one size with the stiffness, small, tiny, none.
fn masses(elastic: &Elastic) -> [f64; 5] {
    let (m, k) = elastic.largest();
    [1e3, 1.0, 1e-8, 1e-13, 0.0].map(|fraction| fraction * k / m)
}

#[test]
fn the_response_balances_the_forces_and_has_no_rigid_part() {
    for elastic in examples() {
        let n = elastic.node_count();
        for mass in masses(&elastic) {
            let mut response = Response::new(&elastic, mass, 1.0).unwrap();
            let mut forces = Noise(5).field(n);
            let mut x = forces.clone();
            response.solve(&elastic, &mut x);
            elastic.balance(&mut forces);
            let (mut kx, mut mx) = (vec![DVec3::ZERO; n], vec![DVec3::ZERO; n]);
            elastic.stiffness_times(&x, &mut kx);
            elastic.mass_times(&x, &mut mx);
            let mut left: Vec<DVec3> = (0..n).map(|i| forces[i] - kx[i] - mx[i] * mass).collect();
            elastic.balance(&mut left);
            assert!(
                norm(&left) < 1e-11 * norm(&forces),
                "{mass:e}: {:e}",
                norm(&left) / norm(&forces)
            );
            for axis in DVec3::AXES {
                let shift = vec![axis; n];
                let turn: Vec<DVec3> = elastic.mesh().nodes.iter().map(|&r| axis.cross(r)).collect();
                for rigid in [shift, turn] {
                    let along = dot(&rigid, &mx).abs() / (norm(&rigid) * norm(&mx));
                    assert!(along < 1e-12, "{mass:e}: {along:e}");
                }
            }
        }
    }
}

#[test]
fn quasi_static_response_is_the_limit_of_little_mass() {
    for elastic in examples() {
        let solve = |mass: f64| {
            let mut x = Noise(9).field(elastic.node_count());
            Response::new(&elastic, mass, 1.0).unwrap().solve(&elastic, &mut x);
            x
        };
        let [_, _, small, tiny, none] = masses(&elastic).map(solve);
        let off = |a: &[DVec3]| {
            let difference: Vec<DVec3> = a.iter().zip(&none).map(|(a, b)| *a - *b).collect();
            norm(&difference) / norm(&none)
        };
        // Mass matters by its share of the lowest elastic stiffness, which lies some 1e3 below the stiffest entries.
        assert!(
            off(&small) < 1e-4 && off(&tiny) < 1e-9,
            "{:e} {:e}",
            off(&small),
            off(&tiny)
        );
    }
}

#[test]
fn flexibility_is_the_response_to_unit_forces() {
    for elastic in examples() {
        let nodes = elastic.mesh().surface_nodes();
        for mass in masses(&elastic) {
            let mut response = Response::new(&elastic, mass, 1.0).unwrap();
            let matrix = response.flexibility(&elastic, &nodes);
            let side = 3 * nodes.len();
            let largest = matrix.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
            for column in 0..side {
                let mut x = vec![DVec3::ZERO; elastic.node_count()];
                x[nodes[column / 3] as usize][column % 3] = 1.0;
                response.solve(&elastic, &mut x);
                for row in 0..side {
                    let off = (matrix[row * side + column] - x[nodes[row / 3] as usize][row % 3]).abs();
                    assert!(off < 1e-13 * largest, "{mass:e}: {:e}", off / largest);
                    assert_eq!(matrix[row * side + column], matrix[column * side + row]);
                }
            }
        }
    }
}

#[test]
fn projections_are_projections_and_each_others_transposes() {
    for elastic in examples() {
        let n = elastic.node_count();
        let mut noise = Noise(2);
        let (u, f) = (noise.field(n), noise.field(n));
        let (mut pu, mut pf) = (u.clone(), f.clone());
        elastic.remove_rigid(&mut pu);
        elastic.balance(&mut pf);
        assert!((dot(&pu, &f) - dot(&u, &pf)).abs() < 1e-12 * norm(&u) * norm(&f));
        let total: DVec3 = pf.iter().sum();
        let torque: DVec3 = pf.iter().zip(&elastic.mesh().nodes).map(|(f, r)| r.cross(*f)).sum();
        assert!(
            total.length() < 1e-12 * norm(&f) && torque.length() < 1e-12 * norm(&f),
            "{total} {torque}"
        );
        let mut again = pu.clone();
        elastic.remove_rigid(&mut again);
        assert!(
            again
                .iter()
                .zip(&pu)
                .all(|(a, b)| (*a - *b).length() < 1e-14 * norm(&u))
        );
        // Displacements lose nothing but energy-free motion.
        assert!((elastic.strain_energy(&pu) / elastic.strain_energy(&u) - 1.0).abs() < 1e-11);
    }
}

#[test]
fn scale_and_units_do_not_matter() {
    let reference = |solid: &Polyhedron, scale: f64, young: f64| {
        let solid = solid.transformed(&glam::DAffine3::from_scale(DVec3::splat(scale)));
        let mesh = Mesh::new(&solid, None).unwrap();
        let elasticity = Elasticity { young, poisson: 0.2 };
        let elastic = Elastic::new(mesh, elasticity, DENSITY, MassKind::Consistent).unwrap();
        let mut x = Noise(4).field(elastic.node_count());
        Response::new(&elastic, 0.0, 1.0).unwrap().solve(&elastic, &mut x);
        let period = elastic.first_period() * (young / DENSITY).sqrt() / scale;
        (x.into_iter().map(|x| x * young * scale).collect::<Vec<_>>(), period)
    };
    for solid in [hexahedron(), solids::l_shape()] {
        let (expected, period) = reference(&solid, 1.0, 1e10);
        for (scale, young) in [(1e-3, 1e14), (1e-3, 1e6), (100.0, 1e6), (100.0, 1e14)] {
            let (x, p) = reference(&solid, scale, young);
            let off = x
                .iter()
                .zip(&expected)
                .map(|(a, b)| (*a - *b).length())
                .fold(0.0, f64::max);
            assert!(
                off < 1e-10 * norm(&expected),
                "{scale} {young:e}: {:e}",
                off / norm(&expected)
            );
            assert!((p / period - 1.0).abs() < 1e-9, "{p} {period}");
        }
    }
}

/// By F L / (E A), and by Poisson's ratio.
#[test]
fn a_pulled_bar_gets_longer_and_thinner() {
    let size = DVec3::new(2.0, 0.5, 0.4);
    let solid = Polyhedron::cuboid(DVec3::ZERO, size);
    for subdivision in [Subdivision::Hexahedra([3, 2, 1]), Subdivision::Tetrahedra(1)] {
        let elastic = elastic(Mesh::new(&solid, Some(subdivision)).unwrap());
        let total = DVec3::X * 1e5;
        let mut u = super::cantilever::traction(&elastic, 0.5 * size.x, total);
        let pull = super::cantilever::traction(&elastic, -0.5 * size.x, -total);
        u.iter_mut().zip(pull).for_each(|(u, f)| *u += f);
        Response::new(&elastic, 0.0, 1.0).unwrap().solve(&elastic, &mut u);
        let strain = total.x / (size.y * size.z) / STONE.young;
        for (u, r) in u.iter().zip(&elastic.mesh().nodes) {
            let exact = strain * DVec3::new(r.x, -STONE.poisson * r.y, -STONE.poisson * r.z);
            assert!((*u - exact).length() < 1e-11 * strain * size.x, "{u} {exact}");
        }
    }
}

#[test]
fn factors_that_make_no_sense_are_refused() {
    let elastic = &examples()[0];
    for (mass, stiffness) in [(-1.0, 1.0), (f64::NAN, 1.0), (1.0, 0.0), (1.0, f64::INFINITY)] {
        let response = Response::new(elastic, mass, stiffness);
        assert!(matches!(response, Err(ElasticError::Factors { .. })));
    }
}
