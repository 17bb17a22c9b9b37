//! The Nesterov-Todd scaling of one constraint, for the interior-point method.
//!
//! Coordinates here are those in which Coulomb's cone is the second-order cone: x = (mu r_n, r_t) for the impulse,
//! z = (u_n / mu, u_t) for the velocity. The scaling W is the symmetric matrix with W x = W^-1 z, called lambda. A scalar
//! constraint uses the first coordinate alone.

use crate::{
    cone::{Cone, M3, V3, dot, tangential},
    newton::RIGID,
};

/// The scaling W = eta (2 v v' - J)^(1/2) of a pair of points inside the cone, by its axis w.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scaling {
    w: V3,
    eta: f64,
    /// W x = W^-1 z.
    pub(super) lambda: V3,
}

/// Determinant of a point of the second-order cone. The difference of squares would lose all digits near the boundary.
#[inline(always)]
pub(super) fn determinant(x: &V3) -> f64 {
    let t = tangential(x);
    (x[0] - t) * (x[0] + t)
}

/// Jordan product.
#[inline(always)]
pub(super) fn circle(a: &V3, b: &V3) -> V3 {
    [dot(a, b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]]
}

/// The y with `circle(a, y) = b`.
#[inline(always)]
pub(super) fn divide(a: &V3, b: &V3) -> V3 {
    let y = (a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) / determinant(a);
    [y, (b[1] - y * a[1]) / a[0], (b[2] - y * a[2]) / a[0]]
}

/// Largest step along `d` that stays in the second-order cone, at most `limit`; from a point inside.
#[inline(always)]
pub(super) fn step_to_boundary(x: &V3, d: &V3, limit: f64) -> f64 {
    let (xt, dt) = (tangential(x), tangential(d));
    // a s^2 + 2 b s + c, the determinant of x + s d, and its smallest positive root.
    let a = (d[0] - dt) * (d[0] + dt);
    let b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    let c = (x[0] - xt) * (x[0] + xt);
    let inside = b * b - a * c;
    if d[0] >= dt || (a > 0.0 && b > 0.0) || inside < 0.0 {
        return limit;
    }
    let root = if b > 0.0 {
        // a < 0: one positive root.
        -(b + inside.sqrt()) / a
    } else {
        c / (-b + inside.sqrt())
    };
    // The determinant vanishes at 0 too where x is on the boundary; a NaN must not pass for a long step.
    if root >= 0.0 { root.min(limit) } else { 0.0 }
}

impl Scaling {
    /// The scaling for points inside the cone, in the coordinates above.
    #[inline(always)]
    pub(super) fn new(cone: Cone, x: &V3, z: &V3) -> Self {
        match cone {
            Cone::Friction(_) => {
                let (dx, dz) = (determinant(x), determinant(z));
                let (sx, sz) = (dx.sqrt(), dz.sqrt());
                let gamma = (0.5 * (1.0 + dot(x, z) / (sx * sz))).sqrt();
                let half = 0.5 / gamma;
                let w = [
                    half * (z[0] / sz + x[0] / sx),
                    half * (z[1] / sz - x[1] / sx),
                    half * (z[2] / sz - x[2] / sx),
                ];
                let eta = (sz / sx).sqrt();
                let mut scaling = Self {
                    w,
                    eta,
                    lambda: [0.0; 3],
                };
                scaling.lambda = scaling.apply(cone, x);
                scaling
            }
            Cone::Unilateral => Self {
                w: [1.0, 0.0, 0.0],
                eta: (z[0] / x[0]).sqrt(),
                lambda: [(x[0] * z[0]).sqrt(), 0.0, 0.0],
            },
            Cone::Bilateral => Self::default(),
        }
    }

    /// W a.
    #[inline(always)]
    pub(super) fn apply(&self, cone: Cone, a: &V3) -> V3 {
        self.turn(cone, a, 1.0, self.eta)
    }

    /// W^-1 a.
    #[inline(always)]
    pub(super) fn undo(&self, cone: Cone, a: &V3) -> V3 {
        self.turn(cone, a, -1.0, 1.0 / self.eta)
    }

    #[inline(always)]
    fn turn(&self, cone: Cone, a: &V3, sign: f64, eta: f64) -> V3 {
        match cone {
            Cone::Friction(_) => {
                let w = &self.w;
                let along = w[1] * a[1] + w[2] * a[2];
                let f = sign * a[0] + along / (1.0 + w[0]);
                [
                    eta * (w[0] * a[0] + sign * along),
                    eta * (a[1] + f * w[1]),
                    eta * (a[2] + f * w[2]),
                ]
            }
            Cone::Unilateral => [eta * a[0], 0.0, 0.0],
            Cone::Bilateral => [0.0; 3],
        }
    }

    /// W^2 + E in the coordinates of the contact (normal, tangent 1, tangent 2): what one unit of impulse costs. Across a
    /// scalar constraint nothing gives.
    pub(super) fn resistance(&self, cone: Cone, e: &V3) -> M3 {
        let mut m = [[e[0], 0.0, 0.0], [0.0, e[1], 0.0], [0.0, 0.0, e[2]]];
        match cone {
            Cone::Friction(mu) => {
                let (w, square) = (&self.w, self.eta * self.eta);
                let t = [mu, 1.0, 1.0];
                for i in 0..3 {
                    for j in 0..3 {
                        // 2 w0^2 - 1 = w0^2 + |w1|^2 for a point of the hyperboloid: no cancellation.
                        let part = match (i, j) {
                            (0, 0) => w[0] * w[0] + w[1] * w[1] + w[2] * w[2],
                            _ if i == j => 1.0 + 2.0 * w[i] * w[i],
                            _ => 2.0 * w[i] * w[j],
                        };
                        m[i][j] += square * t[i] * t[j] * part;
                    }
                }
            }
            Cone::Unilateral => {
                m[0][0] += self.eta * self.eta;
                (m[1][1], m[2][2]) = (RIGID, RIGID);
            }
            Cone::Bilateral => (m[1][1], m[2][2]) = (RIGID, RIGID),
        }
        m
    }
}

impl Scaling {
    /// (W^2 + E)^-1 in the coordinates of the contact, for a diagonal compliance E. Written in the eigenvectors of W^2,
    /// whose eigenvalues may differ by more than a double has digits, so that no small number is left of large ones.
    #[inline(always)]
    pub(super) fn theta(&self, cone: Cone, e: &V3) -> M3 {
        let mut m = [[0.0; 3]; 3];
        match cone {
            Cone::Friction(mu) => {
                let w = &self.w;
                let t = tangential(w);
                let axis = if t > 0.0 { [w[1] / t, w[2] / t] } else { [1.0, 0.0] };
                let square = self.eta * self.eta;
                let far = (w[0] + t) * (w[0] + t);
                // Eigenvalues along (1, axis) and (1, -axis); E in the same basis.
                let (a, b) = (square * far, square / far);
                let en = e[0] / (mu * mu);
                let (mean, half) = (0.5 * (en + e[1]), 0.5 * (en - e[1]));
                let det = 1.0 / (a * b + mean * (a + b) + en * e[1]);
                let (pp, mm, pm) = ((b + mean) * det, (a + mean) * det, -half * det);
                let (along, cross) = (0.5 * (pp + mm) - pm, 0.5 * (pp - mm) / mu);
                let across = 1.0 / (square + e[1]);
                m[0][0] = (0.5 * (pp + mm) + pm) / (mu * mu);
                for i in 0..2 {
                    m[0][1 + i] = cross * axis[i];
                    m[1 + i][0] = cross * axis[i];
                    for j in 0..2 {
                        let identity = if i == j { 1.0 } else { 0.0 };
                        m[1 + i][1 + j] = along * axis[i] * axis[j] + across * (identity - axis[i] * axis[j]);
                    }
                }
            }
            Cone::Unilateral => m[0][0] = 1.0 / (self.eta * self.eta + e[0]),
            Cone::Bilateral => m[0][0] = 1.0 / e[0],
        }
        m
    }
}

/// An impulse in the coordinates of the second-order cone.
#[inline(always)]
pub(super) fn impulse(cone: Cone, r: &V3) -> V3 {
    match cone {
        Cone::Friction(mu) => [mu * r[0], r[1], r[2]],
        Cone::Unilateral | Cone::Bilateral => [r[0], 0.0, 0.0],
    }
}

/// A velocity in the coordinates of the second-order cone.
#[inline(always)]
pub(super) fn velocity(cone: Cone, u: &V3) -> V3 {
    match cone {
        Cone::Friction(mu) => [u[0] / mu, u[1], u[2]],
        Cone::Unilateral | Cone::Bilateral => [u[0], 0.0, 0.0],
    }
}

/// An impulse back in the coordinates of the contact.
#[inline(always)]
pub(super) fn impulse_back(cone: Cone, x: &V3) -> V3 {
    match cone {
        Cone::Friction(mu) => [x[0] / mu, x[1], x[2]],
        Cone::Unilateral | Cone::Bilateral => *x,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cone::times;

    const MU: f64 = 0.6;
    const CONE: Cone = Cone::Friction(MU);

    #[test]
    fn the_scaling_takes_both_points_to_the_same() {
        let (x, z) = ([2.0, 1.0, -0.5], [0.3, 0.05, 0.2]);
        let scaling = Scaling::new(CONE, &x, &z);
        let (a, b) = (scaling.apply(CONE, &x), scaling.undo(CONE, &z));
        for k in 0..3 {
            assert!((a[k] - b[k]).abs() < 1e-14, "{a:?} {b:?}");
        }
        // And its square takes the impulse to the velocity, in the coordinates of the contact.
        let r = [x[0] / MU, x[1], x[2]];
        let u = times(&scaling.resistance(CONE, &[0.0; 3]), &r);
        let back = velocity(CONE, &u);
        for k in 0..3 {
            assert!((back[k] - z[k]).abs() < 1e-14, "{back:?}");
        }
    }

    #[test]
    fn theta_inverts_the_square_and_the_compliance() {
        let (x, z) = ([2.0, 1.0, -0.5], [0.3, 0.05, 0.2]);
        let scaling = Scaling::new(CONE, &x, &z);
        for e in [[0.0; 3], [0.3, 0.1, 0.1], [0.0, 2.0, 2.0]] {
            let m = scaling.resistance(CONE, &e);
            let theta = scaling.theta(CONE, &e);
            for i in 0..3 {
                let row = times(&theta, &m[i]);
                for (j, value) in row.iter().enumerate() {
                    assert!((value - if i == j { 1.0 } else { 0.0 }).abs() < 1e-13, "{e:?}");
                }
            }
        }
    }

    #[test]
    fn division_undoes_the_product() {
        let (a, b) = ([1.0, 0.3, -0.6], [0.2, 0.7, -1.1]);
        let back = divide(&a, &circle(&a, &b));
        for k in 0..3 {
            assert!((back[k] - b[k]).abs() < 1e-14);
        }
    }

    #[test]
    fn a_step_ends_on_the_boundary() {
        let x = [1.0, 0.3, -0.2];
        for d in [
            [-1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.5, -2.0, 1.0],
            [-3.0, -1.0, -1.0],
            [-1.0, 3.0, 0.0],
        ] {
            let s = step_to_boundary(&x, &d, 1e9);
            let end: V3 = std::array::from_fn(|k| x[k] + s * d[k]);
            assert!(determinant(&end).abs() < 1e-12 && end[0] > 0.0, "{d:?} {s}");
        }
        assert_eq!(step_to_boundary(&x, &[1.0, 0.5, 0.2], 7.0), 7.0);
        assert_eq!(step_to_boundary(&x, &[1.0, 1.0, 0.0], 7.0), 7.0);
    }
}
