//! The Nesterov-Todd scaling of four constraints, for the interior-point method.
//!
//! Coordinates here are those in which Coulomb's cone is the second-order cone: x = (mu r_n, r_t) for the impulse,
//! z = (u_n / mu, u_t) for the velocity. The scaling W is the symmetric matrix with W x = W^-1 z, called lambda. A half-line
//! is the axis of such a cone with mu = 1: where x and z have nothing across, the formulas are those of the half-line.

use crate::{
    lanes::{Four, Lane, Lane3, Mask, Processor, dot, load, store, tangential},
    newton::RIGID,
};

/// The kinds of four constraints.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kinds<S: Processor> {
    /// Friction coefficient; one where there is none.
    pub(super) mu: Lane<S>,
    pub(super) over_mu: Lane<S>,
    /// Where there is friction; elsewhere nothing acts across.
    pub(super) friction: Mask<S>,
    /// Where there is a cone or a half-line; elsewhere any impulse is allowed.
    pub(super) cone: Mask<S>,
}

impl<S: Processor> Kinds<S> {
    /// An impulse in the coordinates of the second-order cone.
    #[inline(always)]
    pub(super) fn impulse(&self, r: &Lane3<S>) -> Lane3<S> {
        [self.mu * r[0], r[1], r[2]]
    }

    /// A velocity in the coordinates of the second-order cone.
    #[inline(always)]
    pub(super) fn velocity(&self, u: &Lane3<S>) -> Lane3<S> {
        [self.over_mu * u[0], u[1], u[2]]
    }

    /// An impulse back in the coordinates of the contact.
    #[inline(always)]
    pub(super) fn impulse_back(&self, x: &Lane3<S>) -> Lane3<S> {
        [self.over_mu * x[0], x[1], x[2]]
    }
}

/// The scaling W = eta (2 v v' - J)^(1/2) of pairs of points inside the cone, by its axis w.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaling<S: Processor> {
    w: Lane3<S>,
    eta: Lane<S>,
    /// W x = W^-1 z.
    pub(super) lambda: Lane3<S>,
}

/// Determinant of a point of the second-order cone. The difference of squares would lose all digits near the boundary.
#[inline(always)]
pub(super) fn determinant<S: Processor>(x: &Lane3<S>) -> Lane<S> {
    let t = tangential(x);
    (x[0] - t) * (x[0] + t)
}

/// Jordan product.
#[inline(always)]
pub(super) fn circle<S: Processor>(a: &Lane3<S>, b: &Lane3<S>) -> Lane3<S> {
    [dot(a, b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]]
}

/// The y with `circle(a, y) = b`.
#[inline(always)]
pub(super) fn divide<S: Processor>(a: &Lane3<S>, b: &Lane3<S>) -> Lane3<S> {
    let y = (a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) / determinant(a);
    let over = a[0].inverse();
    [y, (b[1] - y * a[1]) * over, (b[2] - y * a[2]) * over]
}

/// Largest step along `d` that stays in the second-order cone, at most `limit`; from a point inside.
#[inline(always)]
pub(super) fn step_to_boundary<S: Processor>(x: &Lane3<S>, d: &Lane3<S>, limit: Lane<S>) -> Lane<S> {
    let (dt, zero) = (tangential(d), limit.all(0.0));
    // a s^2 + 2 b s + c, the determinant of x + s d, and its smallest positive root.
    let a = (d[0] - dt) * (d[0] + dt);
    let b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    let c = determinant(x);
    // From inside there is always one; what rounding leaves below zero counts as zero.
    let inside = b * b - a * c;
    let root = inside.less(zero).choose(zero, inside).sqrt();
    let stays = dt.at_most(d[0]).or(a.positive().and(b.positive()));
    // Where b > 0, a < 0: one positive root.
    let above = b.positive().choose(-(b + root), c);
    let below = b.positive().choose(a, root - b);
    let step = above / below;
    // The determinant vanishes at 0 too where x is on the boundary; a NaN must not pass for a long step.
    let step = zero.at_most(step).keep(step.smaller(limit));
    stays.choose(limit, step)
}

impl<S: Processor> Scaling<S> {
    /// The scaling for points inside the cone, in the coordinates above.
    #[inline(always)]
    pub(super) fn new(x: &Lane3<S>, z: &Lane3<S>) -> Self {
        let (sx, sz) = (determinant(x).sqrt(), determinant(z).sqrt());
        let over = (sx * sz).inverse();
        let gamma = ((dot(x, z) * over + 1.0) * 0.5).sqrt();
        let half = over.all(0.5) / gamma * over;
        let (of_z, of_x) = (half * sx, half * sz);
        let w = [
            of_z * z[0] + of_x * x[0],
            of_z * z[1] - of_x * x[1],
            of_z * z[2] - of_x * x[2],
        ];
        let eta = (sz / sx).sqrt();
        let lambda = turn(&w, x, 1.0, eta);
        Self { w, eta, lambda }
    }

    #[inline(always)]
    pub(super) fn load(s: S, x: &[Four; 7]) -> Self {
        let [a, b, c, eta, d, e, f] = load(s, x);
        Self {
            w: [a, b, c],
            eta,
            lambda: [d, e, f],
        }
    }

    #[inline(always)]
    pub(super) fn store(&self) -> [Four; 7] {
        let ([a, b, c], [d, e, f]) = (self.w, self.lambda);
        store([a, b, c, self.eta, d, e, f])
    }

    /// W a.
    #[inline(always)]
    pub(super) fn apply(&self, a: &Lane3<S>) -> Lane3<S> {
        turn(&self.w, a, 1.0, self.eta)
    }

    /// W^-1 a.
    #[inline(always)]
    pub(super) fn undo(&self, a: &Lane3<S>) -> Lane3<S> {
        turn(&self.w, a, -1.0, self.eta.inverse())
    }

    /// W^2 + E in the coordinates of the contact (normal, tangent 1, tangent 2), by its upper triangle: what one unit of
    /// impulse costs. Across a scalar constraint nothing gives.
    #[inline(always)]
    pub(super) fn resistance(&self, kinds: &Kinds<S>, e: &[Lane<S>; 2]) -> [Lane<S>; 6] {
        let (w, square, mu) = (&self.w, self.eta * self.eta, kinds.mu);
        let twice = square + square;
        let across = |x: Lane<S>, else_: f64| kinds.friction.choose(x, x.all(else_));
        // 2 w0^2 - 1 = w0^2 + |w1|^2 for a point of the hyperboloid: no cancellation.
        let first = square * mu * mu * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        [
            kinds.cone.keep(first) + e[0],
            across(twice * mu * w[0] * w[1], 0.0),
            across(twice * mu * w[0] * w[2], 0.0),
            across(square + twice * w[1] * w[1] + e[1], RIGID),
            across(twice * w[1] * w[2], 0.0),
            across(square + twice * w[2] * w[2] + e[1], RIGID),
        ]
    }

    /// (W^2 + E)^-1 in the coordinates of the contact, by its upper triangle, for a diagonal compliance E. Written in the
    /// eigenvectors of W^2, whose eigenvalues may differ by more than a double has digits, so that no small number is left
    /// of large ones.
    #[inline(always)]
    pub(super) fn theta(&self, kinds: &Kinds<S>, e: &[Lane<S>; 2]) -> [Lane<S>; 6] {
        let (w, over_mu) = (&self.w, kinds.over_mu);
        let t = tangential(w);
        let over_t = t.inverse();
        let somewhere = t.positive();
        let axis = [
            somewhere.choose(w[1] * over_t, t.all(1.0)),
            somewhere.keep(w[2] * over_t),
        ];
        let square = self.eta * self.eta;
        let far = (w[0] + t) * (w[0] + t);
        // Eigenvalues along (1, axis) and (1, -axis); E in the same basis.
        let (a, b) = (square * far, square / far);
        let en = e[0] * over_mu * over_mu;
        let (mean, half) = ((en + e[1]) * 0.5, (en - e[1]) * 0.5);
        let det = (a * b + mean * (a + b) + en * e[1]).inverse();
        let (pp, mm, pm) = ((b + mean) * det, (a + mean) * det, -half * det);
        let along = (pp + mm) * 0.5 - pm;
        let cross = (pp - mm) * 0.5 * over_mu;
        let across = (square + e[1]).inverse();
        let first = ((pp + mm) * 0.5 + pm) * over_mu * over_mu;
        let only = |x: Lane<S>| kinds.friction.keep(x);
        let second = |i: usize, j: usize| axis[i] * axis[j];
        [
            kinds.cone.choose(first, e[0].inverse()),
            only(cross * axis[0]),
            only(cross * axis[1]),
            only(along * second(0, 0) + across * (second(1, 1))),
            only((along - across) * second(0, 1)),
            only(along * second(1, 1) + across * (second(0, 0))),
        ]
    }
}

/// W a for a sign of one, and its inverse for minus one.
#[inline(always)]
fn turn<S: Processor>(w: &Lane3<S>, a: &Lane3<S>, sign: f64, eta: Lane<S>) -> Lane3<S> {
    let along = w[1] * a[1] + w[2] * a[2];
    let f = a[0] * sign + along / (w[0] + 1.0);
    [
        eta * (w[0] * a[0] + along * sign),
        eta * (a[1] + f * w[1]),
        eta * (a[2] + f * w[2]),
    ]
}

/// A symmetric matrix, by its upper triangle, times a vector.
#[inline(always)]
pub(super) fn times<S: Processor>(m: &[Lane<S>; 6], a: &Lane3<S>) -> Lane3<S> {
    [
        m[0] * a[0] + m[1] * a[1] + m[2] * a[2],
        m[1] * a[0] + m[3] * a[1] + m[4] * a[2],
        m[2] * a[0] + m[4] * a[1] + m[5] * a[2],
    ]
}

#[cfg(test)]
mod tests {
    use pulp::Scalar256b;

    use super::*;
    use crate::lanes::get;

    const MU: f64 = 0.6;

    fn kinds() -> Kinds<Scalar256b> {
        let mu = Lane::splat(Scalar256b, MU);
        Kinds {
            mu,
            over_mu: mu.inverse(),
            friction: mu.positive(),
            cone: mu.positive(),
        }
    }

    fn lanes<const N: usize>(x: [f64; N]) -> [Lane<Scalar256b>; N] {
        x.map(|x| Lane::splat(Scalar256b, x))
    }

    fn first<const N: usize>(x: [Lane<Scalar256b>; N]) -> [f64; N] {
        x.map(|x| get(&x.four(), 0))
    }

    fn scaling() -> (Lane3<Scalar256b>, Lane3<Scalar256b>, Scaling<Scalar256b>) {
        let (x, z) = (lanes([2.0, 1.0, -0.5]), lanes([0.3, 0.05, 0.2]));
        (x, z, Scaling::new(&x, &z))
    }

    #[test]
    fn the_scaling_takes_both_points_to_the_same() {
        let (x, z, scaling) = scaling();
        let (a, b) = (first(scaling.apply(&x)), first(scaling.undo(&z)));
        for k in 0..3 {
            assert!((a[k] - b[k]).abs() < 1e-14, "{a:?} {b:?}");
        }
        // And its square takes the impulse to the velocity, in the coordinates of the contact.
        let u = times(
            &scaling.resistance(&kinds(), &lanes([0.0; 2])),
            &kinds().impulse_back(&x),
        );
        let (back, z) = (first(kinds().velocity(&u)), first(z));
        for k in 0..3 {
            assert!((back[k] - z[k]).abs() < 1e-14, "{back:?}");
        }
    }

    #[test]
    fn theta_inverts_the_square_and_the_compliance() {
        let (_, _, scaling) = scaling();
        for e in [[0.0; 2], [0.3, 0.1], [0.0, 2.0]] {
            let m = scaling.resistance(&kinds(), &lanes(e));
            let theta = scaling.theta(&kinds(), &lanes(e));
            let rows = [[m[0], m[1], m[2]], [m[1], m[3], m[4]], [m[2], m[4], m[5]]];
            for (i, row) in rows.iter().enumerate() {
                for (j, value) in first(times(&theta, row)).iter().enumerate() {
                    assert!((value - if i == j { 1.0 } else { 0.0 }).abs() < 1e-13, "{e:?}");
                }
            }
        }
    }

    #[test]
    fn on_the_axis_the_scaling_is_that_of_a_half_line() {
        let (x, z) = (3.0, 0.2);
        let scaling = Scaling::new(&lanes([x, 0.0, 0.0]), &lanes([z, 0.0, 0.0]));
        assert!((first(scaling.lambda)[0] - f64::sqrt(x * z)).abs() < 1e-15);
        let back = first(scaling.undo(&lanes([1.0, 0.0, 0.0])))[0];
        assert!((back - f64::sqrt(x / z)).abs() < 1e-14);
    }

    #[test]
    fn division_undoes_the_product() {
        let (a, b) = (lanes([1.0, 0.3, -0.6]), lanes([0.2, 0.7, -1.1]));
        let (back, b) = (first(divide(&a, &circle(&a, &b))), first(b));
        for k in 0..3 {
            assert!((back[k] - b[k]).abs() < 1e-14);
        }
    }

    #[test]
    fn a_step_ends_on_the_boundary() {
        let x = lanes([1.0, 0.3, -0.2]);
        let longest = |d: [f64; 3], limit: f64| {
            let [limit] = lanes([limit]);
            first([step_to_boundary(&x, &lanes(d), limit)])[0]
        };
        for d in [
            [-1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.5, -2.0, 1.0],
            [-3.0, -1.0, -1.0],
            [-1.0, 3.0, 0.0],
        ] {
            let s = longest(d, 1e9);
            let end: [Lane<Scalar256b>; 3] = std::array::from_fn(|k| x[k] + s * d[k]);
            assert!(
                first([determinant(&end)])[0].abs() < 1e-12 && first(end)[0] > 0.0,
                "{d:?} {s}"
            );
        }
        assert_eq!(longest([1.0, 0.5, 0.2], 7.0), 7.0);
        assert_eq!(longest([1.0, 1.0, 0.0], 7.0), 7.0);
        // What is not a number must not pass for a long step.
        assert_eq!(longest([f64::NAN, 0.0, 0.0], 7.0), 0.0);
    }
}
