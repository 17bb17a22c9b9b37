//! Straight-sided tetrahedron with ten nodes: corners, then the middles of edges, in the order of VTK_QUADRATIC_TETRA.
//!
//! Gradients are linear, so that four Gauss points integrate the stiffness exactly; the mass has a closed form.

use glam::{DMat3, DVec3};

use super::{PointStress, components, strain};
use crate::deformable::material::Lame;

/// Corners of the edges that nodes 4 to 9 halve.
pub(in crate::deformable) const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];

/// Faces seen from outside: three corners, then the middles between first and second, second and third, third and first.
pub(in crate::deformable) const FACES: [[usize; 6]; 4] = [
    [0, 2, 1, 6, 5, 4],
    [0, 1, 3, 4, 8, 7],
    [1, 2, 3, 5, 9, 8],
    [0, 3, 2, 7, 9, 6],
];

/// Gauss point k has this barycentric coordinate at corner k, and `OTHER` at the rest.
const NEAR: f64 = 0.585_410_196_624_968_5;
const OTHER: f64 = 0.138_196_601_125_010_5;

/// Gradients of the barycentric coordinates, and the volume.
fn barycentric(x: &[DVec3; 10]) -> ([DVec3; 4], f64) {
    let edges = DMat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0]);
    let g = edges.inverse().transpose();
    let first = -(g.x_axis + g.y_axis + g.z_axis);
    ([first, g.x_axis, g.y_axis, g.z_axis], edges.determinant() / 6.0)
}

fn points(x: &[DVec3; 10]) -> [([DVec3; 10], f64); 4] {
    let (g, volume) = barycentric(x);
    std::array::from_fn(|k| {
        let l: [f64; 4] = std::array::from_fn(|c| if c == k { NEAR } else { OTHER });
        let gradients = std::array::from_fn(|i| match i.checked_sub(4) {
            None => g[i] * (4.0 * l[i] - 1.0),
            Some(edge) => {
                let [a, b] = EDGES[edge];
                4.0 * (g[a] * l[b] + g[b] * l[a])
            }
        });
        (gradients, 0.25 * volume)
    })
}

pub(in crate::deformable) fn stiffness(x: &[DVec3; 10], lame: &Lame) -> Vec<DMat3> {
    super::stiffness(&points(x), lame)
}

/// Mass of unit density.
pub(in crate::deformable) fn mass(x: &[DVec3; 10]) -> Vec<f64> {
    let (_, volume) = barycentric(x);
    let of = |i: usize, j: usize| match (i.checked_sub(4), j.checked_sub(4)) {
        (None, None) => {
            if i == j {
                6.0
            } else {
                1.0
            }
        }
        (None, Some(edge)) if EDGES[edge].contains(&i) => -4.0,
        (Some(edge), None) if EDGES[edge].contains(&j) => -4.0,
        (None, Some(_)) | (Some(_), None) => -6.0,
        (Some(e), Some(f)) if e == f => 32.0,
        // Edges of a tetrahedron meet in a corner or are opposite.
        (Some(e), Some(f)) if EDGES[e].iter().any(|c| EDGES[f].contains(c)) => 16.0,
        _ => 8.0,
    };
    (0..100).map(|k| of(k / 10, k % 10) * (volume / 420.0)).collect()
}

pub(in crate::deformable) fn stress(x: &[DVec3; 10], u: &[DVec3; 10], lame: &Lame) -> [PointStress; 4] {
    let points = points(x);
    std::array::from_fn(|k| {
        let (gradients, volume) = &points[k];
        let position = (0..4).map(|c| x[c] * if c == k { NEAR } else { OTHER }).sum();
        PointStress {
            position,
            volume: *volume,
            stress: components(&lame.stress(&strain(gradients, u))),
        }
    })
}

/// Values at the nodes, extrapolated from those at the Gauss points: stress is linear over the element.
pub(in crate::deformable) fn at_nodes(points: &[PointStress; 4]) -> [[f64; 6]; 10] {
    let corner = |c: usize| -> [f64; 6] {
        std::array::from_fn(|k| {
            let sum: f64 = points.iter().map(|p| p.stress[k]).sum();
            (points[c].stress[k] - OTHER * sum) / (NEAR - OTHER)
        })
    };
    let corners: [[f64; 6]; 4] = std::array::from_fn(corner);
    std::array::from_fn(|i| match i.checked_sub(4) {
        None => corners[i],
        Some(edge) => {
            let [a, b] = EDGES[edge];
            std::array::from_fn(|k| 0.5 * (corners[a][k] + corners[b][k]))
        }
    })
}

/// What is wrong with the shape, if anything.
pub(in crate::deformable) fn defect(x: &[DVec3; 10]) -> Option<String> {
    let [a, b, c] = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
    let longest = EDGES.map(|[i, j]| x[i].distance(x[j])).into_iter().fold(0.0, f64::max);
    let relative = a.cross(b).dot(c) / longest.powi(3);
    let flattest = super::super::mesh::FLATTEST;
    if relative < -flattest {
        return Some("is turned inside out".to_owned());
    }
    if !(relative > flattest) {
        return Some("is degenerate: its corners lie in one plane".to_owned());
    }
    let bent = EDGES
        .iter()
        .enumerate()
        .any(|(k, &[i, j])| x[4 + k].distance(0.5 * (x[i] + x[j])) > 1e-9 * longest);
    bent.then(|| "has an edge whose middle node lies elsewhere".to_owned())
}
