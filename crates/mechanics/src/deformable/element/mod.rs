//! Stiffness, mass and stress of single elements.
//!
//! Matrices of an element with n nodes are by rows of n: one 3 x 3 block for each pair of nodes in the stiffness, one
//! number in the mass.

pub(super) mod h8;
pub(super) mod t10;

use glam::{DMat3, DVec3};

use super::material::Lame;

/// Stress at an integration point of an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointStress {
    pub(super) position: DVec3,
    /// Volume that the point stands for (m³).
    pub(super) volume: f64,
    pub(super) stress: [f64; 6],
}

/// Stiffness by nodes, for shape functions whose gradients are constant over each `(gradients, volume)`.
fn stiffness<const N: usize>(points: &[([DVec3; N], f64)], lame: &Lame) -> Vec<DMat3> {
    let mut matrix = vec![DMat3::ZERO; N * N];
    for (gradients, volume) in points {
        for i in 0..N {
            for j in i..N {
                matrix[i * N + j] += lame.stiffness(gradients[i], gradients[j]) * *volume;
            }
        }
    }
    mirror::<N>(&mut matrix);
    matrix
}

/// Copies the upper triangle to the lower one, so that the matrix is symmetric to the last bit.
fn mirror<const N: usize>(matrix: &mut [DMat3]) {
    for i in 0..N {
        let d = &mut matrix[i * N + i];
        *d = (*d + d.transpose()) * 0.5;
        for j in i + 1..N {
            matrix[j * N + i] = matrix[i * N + j].transpose();
        }
    }
}

/// Gradient of a displacement, made symmetric.
fn strain<const N: usize>(gradients: &[DVec3; N], u: &[DVec3; N]) -> DMat3 {
    let mut sum = DMat3::ZERO;
    for (g, u) in gradients.iter().zip(u) {
        sum += super::material::outer(*u, *g);
    }
    (sum + sum.transpose()) * 0.5
}

/// Components xx, yy, zz, xy, yz, zx.
fn components(s: &DMat3) -> [f64; 6] {
    [s.x_axis.x, s.y_axis.y, s.z_axis.z, s.y_axis.x, s.z_axis.y, s.x_axis.z]
}
