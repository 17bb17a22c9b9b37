//! Hexahedron with eight nodes and twelve enhanced strains.
//!
//! ```text
//! strain = sym grad u + sum_m alpha_m E_m,    E_m = det J0 / det J  J0^-T (natural mode m) J0^-1
//! ```
//!
//! with the Jacobian J0 at the centre. The natural modes are linear: e_a e_a' xi_a for the three axes, and
//! (e_a e_b' + e_b e_a') times xi_a and xi_b for the three pairs of axes. Three more change the volume alone, bilinearly:
//! without them, elements whose neighbours bend differently lock when they are nearly incompressible. The integrals of all
//! against a constant stress vanish by the factor det J0 / det J, which is the patch test. The stress is orthogonal to all modes; the parameters alpha are
//! eliminated in each element: K = K_uu - C' C with C = L^-1 K_au, L L' = K_aa.

use glam::{DMat3, DVec3};

use super::{PointStress, components, mirror, strain};
use crate::deformable::material::{Lame, outer};

const MODES: usize = 12;

/// Natural coordinates of the nodes, in the order of VTK_HEXAHEDRON.
pub(in crate::deformable) const NODES: [DVec3; 8] = [
    DVec3::new(-1.0, -1.0, -1.0),
    DVec3::new(1.0, -1.0, -1.0),
    DVec3::new(1.0, 1.0, -1.0),
    DVec3::new(-1.0, 1.0, -1.0),
    DVec3::new(-1.0, -1.0, 1.0),
    DVec3::new(1.0, -1.0, 1.0),
    DVec3::new(1.0, 1.0, 1.0),
    DVec3::new(-1.0, 1.0, 1.0),
];

/// Faces seen from outside.
pub(in crate::deformable) const FACES: [[usize; 4]; 6] = [
    [0, 4, 7, 3],
    [1, 2, 6, 5],
    [0, 1, 5, 4],
    [3, 7, 6, 2],
    [0, 3, 2, 1],
    [4, 5, 6, 7],
];

pub(in crate::deformable) fn shape(xi: DVec3) -> [f64; 8] {
    NODES.map(|n| 0.125 * (1.0 + n.x * xi.x) * (1.0 + n.y * xi.y) * (1.0 + n.z * xi.z))
}

/// Gradients of the shape functions in natural coordinates.
fn derivatives(xi: DVec3) -> [DVec3; 8] {
    NODES.map(|n| {
        let f = DVec3::ONE + n * xi;
        0.125 * n * DVec3::new(f.y * f.z, f.z * f.x, f.x * f.y)
    })
}

/// Columns are the derivatives of the position along the natural axes.
pub(in crate::deformable) fn jacobian(x: &[DVec3; 8], xi: DVec3) -> DMat3 {
    let mut sum = DMat3::ZERO;
    for (x, d) in x.iter().zip(derivatives(xi)) {
        sum += outer(*x, d);
    }
    sum
}

/// Points of the 2 x 2 x 2 Gauss rule, all of weight 1: one near each node, in their order.
fn gauss() -> [DVec3; 8] {
    NODES.map(|n| n / 3f64.sqrt())
}

/// What the element knows at one Gauss point.
struct Point {
    gradients: [DVec3; 8],
    modes: [DMat3; MODES],
    volume: f64,
}

fn points(x: &[DVec3; 8]) -> [Point; 8] {
    let center = jacobian(x, DVec3::ZERO);
    // Columns: gradients of the natural coordinates at the centre.
    let g = center.inverse().transpose();
    let natural = [
        outer(g.x_axis, g.x_axis),
        outer(g.y_axis, g.y_axis),
        outer(g.z_axis, g.z_axis),
        outer(g.x_axis, g.y_axis) + outer(g.y_axis, g.x_axis),
        outer(g.y_axis, g.z_axis) + outer(g.z_axis, g.y_axis),
        outer(g.z_axis, g.x_axis) + outer(g.x_axis, g.z_axis),
        DMat3::IDENTITY,
    ];
    gauss().map(|xi| {
        let j = jacobian(x, xi);
        let volume = j.determinant();
        let to_space = j.inverse().transpose();
        let ratio = center.determinant() / volume;
        let along = [
            (0, xi.x),
            (1, xi.y),
            (2, xi.z),
            (3, xi.x),
            (3, xi.y),
            (4, xi.y),
            (4, xi.z),
            (5, xi.z),
            (5, xi.x),
            (6, xi.x * xi.y),
            (6, xi.y * xi.z),
            (6, xi.z * xi.x),
        ];
        Point {
            gradients: derivatives(xi).map(|d| to_space * d),
            modes: along.map(|(k, factor)| natural[k] * (factor * ratio)),
            volume,
        }
    })
}

/// Factor L of the stiffness of the enhanced modes, and C = L^-1 K_au with a vector for each node.
fn condensed(points: &[Point; 8], lame: &Lame) -> ([[f64; MODES]; MODES], [[DVec3; 8]; MODES]) {
    let mut a = [[0.0; MODES]; MODES];
    let mut c = [[DVec3::ZERO; 8]; MODES];
    for point in points {
        for m in 0..MODES {
            let stress = lame.stress(&point.modes[m]) * point.volume;
            for n in 0..=m {
                a[m][n] += double_dot(&stress, &point.modes[n]);
            }
            for (c, g) in c[m].iter_mut().zip(&point.gradients) {
                *c += stress * *g;
            }
        }
    }
    for m in 0..MODES {
        for n in 0..=m {
            let sum: f64 = (0..n).map(|k| a[m][k] * a[n][k]).sum();
            a[m][n] = if n == m {
                (a[m][m] - sum).sqrt()
            } else {
                (a[m][n] - sum) / a[n][n]
            };
        }
        let (before, rest) = c.split_at_mut(m);
        for (k, earlier) in before.iter().enumerate() {
            for (c, e) in rest[0].iter_mut().zip(earlier) {
                *c -= *e * a[m][k];
            }
        }
        for c in &mut rest[0] {
            *c /= a[m][m];
        }
    }
    (a, c)
}

fn double_dot(a: &DMat3, b: &DMat3) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

pub(in crate::deformable) fn stiffness(x: &[DVec3; 8], lame: &Lame) -> Vec<DMat3> {
    let points = points(x);
    let (_, c) = condensed(&points, lame);
    let plain: Vec<_> = points.iter().map(|p| (p.gradients, p.volume)).collect();
    let mut matrix = super::stiffness(&plain, lame);
    for i in 0..8 {
        for j in i..8 {
            for c in &c {
                matrix[i * 8 + j] -= outer(c[i], c[j]);
            }
        }
    }
    mirror::<8>(&mut matrix);
    matrix
}

/// Mass of unit density. Products of two shape functions with the determinant of a straight-edged hexahedron are of
/// degree four along each axis: three Gauss points are exact, so that volume, centre and inertia are those of the solid.
pub(in crate::deformable) fn mass(x: &[DVec3; 8]) -> Vec<f64> {
    let mut matrix = vec![0.0; 64];
    let rule = [
        (-(0.6f64.sqrt()), 5.0 / 9.0),
        (0.0, 8.0 / 9.0),
        (0.6f64.sqrt(), 5.0 / 9.0),
    ];
    for (r, wr) in rule {
        for (s, ws) in rule {
            for (t, wt) in rule {
                let xi = DVec3::new(r, s, t);
                let n = shape(xi);
                let weight = wr * ws * wt * jacobian(x, xi).determinant();
                for i in 0..8 {
                    for j in 0..8 {
                        matrix[i * 8 + j] += weight * (n[i] * n[j]);
                    }
                }
            }
        }
    }
    matrix
}

pub(in crate::deformable) fn stress(x: &[DVec3; 8], u: &[DVec3; 8], lame: &Lame) -> [PointStress; 8] {
    let points = points(x);
    let (l, c) = condensed(&points, lame);
    // alpha = -L^-T C u
    let mut alpha = [0.0; MODES];
    for m in (0..MODES).rev() {
        let driven: f64 = c[m].iter().zip(u).map(|(c, u)| c.dot(*u)).sum();
        let known: f64 = (m + 1..MODES).map(|k| l[k][m] * alpha[k]).sum();
        alpha[m] = (-driven - known) / l[m][m];
    }
    let gauss = gauss();
    std::array::from_fn(|k| {
        let point = &points[k];
        let mut strain = strain(&point.gradients, u);
        for (mode, alpha) in point.modes.iter().zip(alpha) {
            strain += *mode * alpha;
        }
        PointStress {
            position: shape(gauss[k]).iter().zip(x).map(|(n, x)| *x * *n).sum(),
            volume: point.volume,
            stress: components(&lame.stress(&strain)),
        }
    })
}

/// Values at the nodes, extrapolated from those at the Gauss points.
pub(in crate::deformable) fn at_nodes(points: &[PointStress; 8]) -> [[f64; 6]; 8] {
    NODES.map(|node| {
        let weights = shape(node * 3f64.sqrt());
        std::array::from_fn(|k| weights.iter().zip(points).map(|(w, p)| w * p.stress[k]).sum())
    })
}

/// What is wrong with the shape, if anything: the map must keep its orientation at every corner and at the centre.
pub(in crate::deformable) fn defect(x: &[DVec3; 8]) -> Option<String> {
    let defect = |xi: DVec3| {
        let j = jacobian(x, xi);
        let extent = j.x_axis.length() * j.y_axis.length() * j.z_axis.length();
        let relative = j.determinant() / extent;
        if relative > super::super::mesh::FLATTEST {
            None
        } else if relative < -super::super::mesh::FLATTEST {
            Some("is turned inside out".to_owned())
        } else {
            Some("is degenerate: edges at a corner lie in one plane or have no length".to_owned())
        }
    };
    NODES.into_iter().chain([DVec3::ZERO]).find_map(defect)
}
