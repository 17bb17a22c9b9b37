//! Beams of one block, clamped at one end, bend as Timoshenko's.

use drystone_model::geometry::Polyhedron;
use glam::{DMat3, DVec3};

use super::{DENSITY, STONE};
use crate::deformable::{Elastic, Elasticity, FacetNodes, MassKind, Mesh, Subdivision};

const SIZE: DVec3 = DVec3::new(10.0, 0.8, 1.0);
const FORCE: f64 = 1e6;

/// Deflection of the tip: bending and shear, with the shear coefficient of a rectangle (G. R. Cowper, 1966).
fn timoshenko(poisson: f64) -> f64 {
    let (length, area, inertia) = (SIZE.x, SIZE.y * SIZE.z, SIZE.y * SIZE.z.powi(3) / 12.0);
    let shear = STONE.young / (2.0 * (1.0 + poisson));
    let kappa = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);
    FORCE * length.powi(3) / (3.0 * STONE.young * inertia) + FORCE * length / (kappa * shear * area)
}

/// Nodal forces of a uniform traction on the face at `x`.
pub(super) fn traction(elastic: &Elastic, x: f64, total: DVec3) -> Vec<DVec3> {
    let mesh = elastic.mesh();
    let mut forces = vec![DVec3::ZERO; elastic.node_count()];
    let mut whole = 0.0;
    for facet in &mesh.surface {
        let at: Vec<DVec3> = facet.corners().iter().map(|&n| mesh.nodes[n as usize]).collect();
        if at.iter().any(|p| (p.x - x).abs() > 1e-9) {
            continue;
        }
        // Rectangles give a quarter to each corner; the integrals of a quadratic triangle's shape functions vanish at its
        // corners.
        let (area, shares) = match facet.nodes {
            FacetNodes::Quad(_) => ((at[2] - at[0]).cross(at[3] - at[1]).length() / 2.0, [0.25; 6]),
            FacetNodes::Triangle(_) => {
                let third = 1.0 / 3.0;
                (
                    (at[1] - at[0]).cross(at[2] - at[0]).length() / 2.0,
                    [0.0, 0.0, 0.0, third, third, third],
                )
            }
        };
        whole += area;
        for (&node, share) in facet.nodes().iter().zip(shares) {
            forces[node as usize] += total * (share * area);
        }
    }
    forces.iter_mut().for_each(|f| *f /= whole);
    forces
}

/// Solves K u = f with the components held at zero that `free` does not mark by 1.
fn solve(elastic: &Elastic, forces: &[DVec3], free: &[DVec3]) -> Vec<DVec3> {
    let n = forces.len();
    let row = |i: usize| elastic.pattern().row(i);
    let block = |i: usize, j: usize, place: usize| {
        let unit = STONE.young;
        let held = if i == j {
            DMat3::from_diagonal(1.0 - free[i])
        } else {
            DMat3::ZERO
        };
        let (rows, columns) = (DMat3::from_diagonal(free[i]), DMat3::from_diagonal(free[j]));
        (rows * elastic.combined(place, 0.0, 1.0 / unit) * columns + held).to_cols_array()
    };
    let places = (0..n).flat_map(|i| row(i).filter(move |&(_, j)| j > i).map(move |(place, j)| (i, j, place)));
    let places: Vec<(usize, usize, usize)> = places.collect();
    let edges: Vec<(u32, u32)> = places.iter().map(|&(i, j, _)| (i as u32, j as u32)).collect();
    let mut factor = drystone_cone::Cholesky::default();
    factor.analyse(n, &edges, 3);
    let diagonal = (0..n).flat_map(|i| {
        row(i)
            .filter(move |&(_, j)| j == i)
            .map(move |(place, _)| (i, i, place))
    });
    for (values, (i, j, place)) in factor.values_mut().chunks_exact_mut(9).zip(diagonal.chain(places)) {
        values.copy_from_slice(&block(i, j, place));
    }
    factor.factor().unwrap();
    let mut x: Vec<f64> = forces
        .iter()
        .zip(free)
        .flat_map(|(f, k)| (*f * *k / STONE.young).to_array())
        .collect();
    factor.solve(&mut x);
    x.chunks_exact(3).map(DVec3::from_slice).collect()
}

/// Deflection of the tip (the displacement on which the load does its work) over that of Timoshenko's beam.
fn deflection(subdivision: Subdivision, poisson: f64) -> f64 {
    let solid = Polyhedron::cuboid(-0.5 * SIZE, 0.5 * SIZE);
    let mesh = Mesh::new(&solid, Some(subdivision)).unwrap();
    let elasticity = Elasticity { poisson, ..STONE };
    let elastic = Elastic::new(mesh, elasticity, DENSITY, MassKind::Consistent).unwrap();
    // The root stays plane. Shear flows out of it as it flows in at the tip; otherwise its points are free, since keeping
    // its width would stiffen the beam by what Timoshenko leaves out.
    let mut forces = traction(&elastic, 0.5 * SIZE.x, DVec3::Z * FORCE);
    let root = traction(&elastic, -0.5 * SIZE.x, DVec3::Z * -FORCE);
    forces.iter_mut().zip(root).for_each(|(f, r)| *f += r);
    let nodes = &elastic.mesh().nodes;
    let free: Vec<DVec3> = nodes
        .iter()
        .map(|x| {
            let zero = |x: f64| x.abs() < 1e-9;
            let root = zero(x.x + 0.5 * SIZE.x);
            let held = [root, root && zero(x.y), root && zero(x.y) && zero(x.z)];
            DVec3::from_array(held.map(|held| f64::from(u8::from(!held))))
        })
        .collect();
    let u = solve(&elastic, &forces, &free);
    let work: f64 = u.iter().zip(&forces).map(|(u, f)| u.dot(*f)).sum();
    assert!(
        (2.0 * elastic.strain_energy(&u) - work).abs() < 1e-8 * work,
        "the load's work is stored"
    );
    work / FORCE / timoshenko(poisson)
}

/// The order at which three values on meshes halved twice converge.
fn order(values: &[f64]) -> f64 {
    ((values[1] - values[0]) / (values[2] - values[1])).abs().log2()
}

#[test]
fn hexahedra_bend_like_timoshenkos_beam() {
    for poisson in [0.0, 0.27, 0.499] {
        let ratios: Vec<f64> = [4, 8, 16]
            .map(|n| deflection(Subdivision::Hexahedra([n, 2, 2]), poisson))
            .to_vec();
        println!("H8 nu {poisson}: {ratios:.4?}, order {:.2}", order(&ratios));
        assert!((order(&ratios) - 2.0).abs() < 0.1, "{ratios:?}");
        // Four elements, each two and a half times as long as the beam is high, are within 2 % but for the last material.
        let coarsest = if poisson > 0.4 { 0.03 } else { 0.02 };
        assert!(
            (ratios[0] - 1.0).abs() < coarsest && (ratios[1] - 1.0).abs() < 0.01,
            "{ratios:?}"
        );
    }
}

#[test]
fn tetrahedra_bend_like_timoshenkos_beam() {
    for poisson in [0.0, 0.27, 0.499] {
        let ratios = [1, 2].map(|n| deflection(Subdivision::Tetrahedra(n), poisson));
        println!("T10 nu {poisson}: {ratios:.4?}");
        assert!(ratios.iter().all(|r| (r - 1.0).abs() < 0.002), "{ratios:?}");
    }
}
