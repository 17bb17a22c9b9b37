//! The cones of one contact: projections, their derivatives, distances. Components are (normal, tangent 1, tangent 2).

/// A vector of one contact.
pub(crate) type V3 = [f64; 3];
/// A symmetric matrix of one contact.
pub(crate) type M3 = [[f64; 3]; 3];

/// The set K in which the impulse of a contact or link must lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cone {
    /// Coulomb's cone |r_t| <= mu r_n with its friction coefficient, positive.
    Friction(f64),
    /// r_n >= 0, nothing across: a frictionless contact, a tie rod.
    Unilateral,
    /// Any r_n, nothing across: a rigid link.
    Bilateral,
}

#[inline(always)]
pub(crate) fn dot(a: &V3, b: &V3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn norm(a: &V3) -> f64 {
    dot(a, a).sqrt()
}

#[inline(always)]
pub(crate) fn tangential(a: &V3) -> f64 {
    (a[1] * a[1] + a[2] * a[2]).sqrt()
}

#[inline(always)]
pub(crate) fn add(a: &V3, b: &V3) -> V3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(crate) fn sub(a: &V3, b: &V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn scale(a: &V3, s: f64) -> V3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

#[inline(always)]
pub(crate) fn times(m: &M3, a: &V3) -> V3 {
    [dot(&m[0], a), dot(&m[1], a), dot(&m[2], a)]
}

impl Cone {
    /// The friction coefficient; zero where there is none.
    #[inline(always)]
    pub(crate) fn friction(self) -> f64 {
        match self {
            Self::Friction(mu) => mu,
            Self::Unilateral | Self::Bilateral => 0.0,
        }
    }

    /// The nearest point of K.
    #[inline(always)]
    pub(crate) fn project(self, x: &V3) -> V3 {
        match self {
            Self::Friction(mu) => {
                let t = tangential(x);
                if t <= mu * x[0] {
                    *x
                } else if mu * t <= -x[0] {
                    [0.0; 3]
                } else {
                    let n = (x[0] + mu * t) / (1.0 + mu * mu);
                    [n, mu * n / t * x[1], mu * n / t * x[2]]
                }
            }
            Self::Unilateral => [x[0].max(0.0), 0.0, 0.0],
            Self::Bilateral => [x[0], 0.0, 0.0],
        }
    }

    /// The nearest point of the dual cone K*: by Moreau, what is left of x after its projection on -K.
    #[inline(always)]
    pub(crate) fn project_dual(self, x: &V3) -> V3 {
        let p = self.project(&[-x[0], -x[1], -x[2]]);
        add(x, &p)
    }

    /// A generalised derivative of the projection, symmetric, with eigenvalues from 0 to 1.
    #[inline(always)]
    pub(crate) fn derivative(self, x: &V3) -> M3 {
        self.derivative_by(x, |value| value)
    }

    /// The derivative with f of each eigenvalue in place of the eigenvalue, for an f that leaves zero as it is.
    #[inline(always)]
    pub(crate) fn derivative_by(self, x: &V3, f: impl Fn(f64) -> f64) -> M3 {
        let mut d = [[0.0; 3]; 3];
        match self {
            Self::Friction(mu) => {
                let t = tangential(x);
                if t <= mu * x[0] {
                    for (i, row) in d.iter_mut().enumerate() {
                        row[i] = f(1.0);
                    }
                } else if mu * t > -x[0] {
                    let e = [x[1] / t, x[2] / t];
                    let across = f(mu * (x[0] + mu * t) / ((1.0 + mu * mu) * t));
                    let c = f(1.0) / (1.0 + mu * mu);
                    d[0] = [c, c * mu * e[0], c * mu * e[1]];
                    d[1][0] = d[0][1];
                    d[2][0] = d[0][2];
                    for i in 0..2 {
                        for j in 0..2 {
                            let identity = if i == j { 1.0 } else { 0.0 };
                            d[1 + i][1 + j] = c * mu * mu * e[i] * e[j] + across * (identity - e[i] * e[j]);
                        }
                    }
                }
            }
            Self::Unilateral => d[0][0] = if x[0] > 0.0 { f(1.0) } else { 0.0 },
            Self::Bilateral => d[0][0] = f(1.0),
        }
        d
    }

    /// The inverse of the derivative, with `rigid` in place of what is infinite.
    pub(crate) fn derivative_inverse(self, x: &V3, rigid: f64) -> M3 {
        let mut d = [[rigid, 0.0, 0.0], [0.0, rigid, 0.0], [0.0, 0.0, rigid]];
        match self {
            Self::Friction(mu) => {
                let t = tangential(x);
                if t <= mu * x[0] {
                    d = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
                } else if mu * t > -x[0] {
                    // Eigenvalue 1 along the cone's edge, 0 across it, and the rest around the axis.
                    let e = [x[1] / t, x[2] / t];
                    let c = 1.0 / (1.0 + mu * mu);
                    let around = (t / (mu * (x[0] + mu * t) * c)).min(rigid);
                    d[0][0] = c * (1.0 + rigid * mu * mu);
                    for i in 0..2 {
                        d[0][1 + i] = c * mu * (1.0 - rigid) * e[i];
                        d[1 + i][0] = d[0][1 + i];
                        for j in 0..2 {
                            let identity = if i == j { 1.0 } else { 0.0 };
                            d[1 + i][1 + j] = c * (mu * mu + rigid) * e[i] * e[j] + around * (identity - e[i] * e[j]);
                        }
                    }
                }
            }
            Self::Unilateral if x[0] > 0.0 => d[0][0] = 1.0,
            Self::Unilateral => {}
            Self::Bilateral => d[0][0] = 1.0,
        }
        d
    }

    /// Rank of the cone as the barrier counts it: 2 for a second-order cone, 1 for a half-line, none for a line.
    pub(crate) fn degree(self) -> f64 {
        match self {
            Self::Friction(_) => 2.0,
            Self::Unilateral => 1.0,
            Self::Bilateral => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [V3; 5] = [
        [1.0, 0.2, 0.1],
        [-2.0, 0.3, 0.1],
        [0.3, 2.0, -1.0],
        [-0.5, 2.0, 3.0],
        [0.0, 0.0, 0.0],
    ];

    #[test]
    fn a_vector_is_the_sum_of_its_projections_on_the_cone_and_on_its_polar_which_are_orthogonal() {
        for cone in [Cone::Friction(0.7), Cone::Friction(3.0), Cone::Unilateral] {
            for x in POINTS {
                let (p, d) = (cone.project(&x), cone.project_dual(&scale(&x, -1.0)));
                for k in 0..3 {
                    assert!((p[k] - d[k] - x[k]).abs() < 1e-14);
                }
                assert!(dot(&p, &d).abs() < 1e-13, "{cone:?} {x:?}");
                assert!(tangential(&p) <= cone.friction() * p[0] + 1e-14);
                assert!(d[0] >= cone.friction() * tangential(&d) - 1e-14);
            }
        }
    }

    #[test]
    fn the_derivative_is_that_of_the_projection() {
        for cone in [Cone::Friction(0.7), Cone::Unilateral, Cone::Bilateral] {
            for x in &POINTS[..4] {
                let d = cone.derivative(x);
                for k in 0..3 {
                    let h = 1e-6;
                    let (mut up, mut down) = (*x, *x);
                    up[k] += h;
                    down[k] -= h;
                    let (up, down) = (cone.project(&up), cone.project(&down));
                    for i in 0..3 {
                        assert!(((up[i] - down[i]) / (2.0 * h) - d[i][k]).abs() < 1e-8, "{cone:?} {x:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_inverse_of_the_derivative_is_one_where_it_is_not_singular() {
        let x = [1.0, 0.2, 0.1];
        assert_eq!(
            Cone::Friction(0.7).derivative_inverse(&x, 1e3),
            Cone::Friction(0.7).derivative(&x)
        );
        for x in &POINTS[2..4] {
            let cone = Cone::Friction(0.7);
            let (mut d, inverse) = (cone.derivative(x), cone.derivative_inverse(x, 1e3));
            // The derivative has no resistance across the edge; give it one.
            let t = tangential(x);
            let m = [-0.7, x[1] / t, x[2] / t].map(|v| v / (1.0_f64 + 0.49).sqrt());
            for i in 0..3 {
                for j in 0..3 {
                    d[i][j] += 1e-3 * m[i] * m[j];
                }
            }
            for (i, row) in d.iter().enumerate() {
                for (j, value) in times(&inverse, row).iter().enumerate() {
                    assert!((value - if i == j { 1.0 } else { 0.0 }).abs() < 1e-12);
                }
            }
        }
    }
}
