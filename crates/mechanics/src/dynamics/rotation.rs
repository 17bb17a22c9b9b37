//! The rotation of one body over a step.
//!
//! Backward Euler on the angular momentum, `J w - J_n w_n = c dt + C`, is not linear in w, because the body turns by
//! `exp(dt w)` within the step and J with it. Paper 003 (eq. 6-7 and appendix) linearises it about an iterate w*:
//!
//! ```text
//! H* w = H* w* - (J* w* - J_n w_n) + c dt + C
//! ```
//!
//! where H* is the positive part of the symmetric part of the Jacobian of `w -> J w`,
//!
//! ```text
//! (J + (J skw(w) - skw(J w)) B) dw,    B = dt T(dt w),    T the tangent of the exponential map
//! ```
//!
//! (the appendix of the paper leaves the factor dt to its units of time). Of the Jacobian only a symmetric part is kept,
//! so each step gains a digit or two; the first iterate is therefore the angular velocity of a body that nothing touches,
//! iterated to the end, and one step for what contacts add is enough. What contact solvers need of it is a symmetric
//! positive definite mass matrix and the angular velocity that the body would have if nothing touched it.

use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// How the turning of blocks is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum RotationScheme {
    /// Change of angular momentum, by the quasi-Newton scheme of paper 003.
    #[default]
    Momentum,
    /// Inertia of the start of the step, and the gyroscopic moment of its angular velocity, as in paper 001.
    Gyroscopic,
}

/// Steps within which the rotation of a body that nothing touches must converge.
const FREE_STEPS: usize = 20;
/// Least eigenvalue of H* over that of the inertia.
const LEAST: f64 = 1e-3;

/// The angular equation of a body, linearised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linearised {
    /// H*: in place of the inertia.
    pub(crate) inertia: DMat3,
    /// Angular velocity at the end of the step if nothing touches the body.
    pub(crate) free: DVec3,
}

/// The skew-symmetric matrix of a cross product.
fn skew(v: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, v.z, -v.y),
        DVec3::new(-v.z, 0.0, v.x),
        DVec3::new(v.y, -v.x, 0.0),
    )
}

/// Tangent of the exponential map: `exp(a + da) = exp(T da) exp(a)` to first order.
fn tangent(a: DVec3) -> DMat3 {
    let (square, k) = (a.length_squared(), skew(a));
    // Near zero the series is exact and the quotients are not.
    let (first, second) = if square < 1e-6 {
        (0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0)
    } else {
        let angle = square.sqrt();
        ((1.0 - angle.cos()) / square, (angle - angle.sin()) / (angle * square))
    };
    DMat3::IDENTITY + first * k + second * k * k
}

/// The turn by `dt w`.
pub(crate) fn turn(w: DVec3, dt: f64) -> DQuat {
    DQuat::from_scaled_axis(dt * w)
}

/// The inertia of a body after a turn.
fn turned(inertia: DMat3, w: DVec3, dt: f64) -> DMat3 {
    let r = DMat3::from_quat(turn(w, dt));
    r * inertia * r.transpose()
}

/// The angular equation of a body about `iterate`, for its inertia and angular velocity at the start of the step and the
/// couple on it.
pub(crate) fn linearise(
    rotation: RotationScheme,
    inertia: DMat3,
    before: DVec3,
    iterate: DVec3,
    couple: DVec3,
    dt: f64,
) -> Linearised {
    match rotation {
        RotationScheme::Momentum => {
            let now = turned(inertia, iterate, dt);
            let momentum = now * iterate;
            let b = dt * tangent(dt * iterate);
            let h = positive_part(now + (now * skew(iterate) - skew(momentum)) * b, inertia);
            let unbalanced = dt * couple - (momentum - inertia * before);
            Linearised {
                inertia: h,
                free: iterate + h.inverse() * unbalanced,
            }
        }
        RotationScheme::Gyroscopic => {
            let moment = couple - before.cross(inertia * before);
            Linearised {
                inertia,
                free: before + inertia.inverse() * (dt * moment),
            }
        }
    }
}

/// Angular velocity at the end of the step of a body that nothing touches.
pub(crate) fn free_rotation(rotation: RotationScheme, inertia: DMat3, before: DVec3, couple: DVec3, dt: f64) -> DVec3 {
    let mut w = before;
    for _ in 0..FREE_STEPS {
        let next = linearise(rotation, inertia, before, w, couple, dt).free;
        let change = next.distance(w);
        w = next;
        if change <= 1e-15 * w.length() || rotation == RotationScheme::Gyroscopic {
            break;
        }
    }
    w
}

/// The symmetric part of a matrix, with its eigenvalues raised where they fall short of a small part of what the
/// inertia itself has.
fn positive_part(m: DMat3, inertia: DMat3) -> DMat3 {
    let symmetric = 0.5 * (m + m.transpose());
    // Nearly always it is close to the inertia, and nothing is to be done.
    if minors(symmetric - LEAST * inertia).min_element() > 0.0 {
        return symmetric;
    }
    let (values, vectors) = eigen(symmetric);
    let least = LEAST * eigen(inertia).0.min_element();
    let raised = DMat3::from_diagonal(values.max(DVec3::splat(least)));
    vectors * raised * vectors.transpose()
}

/// Leading minors of a symmetric matrix: all are positive where it is positive definite.
fn minors(a: DMat3) -> DVec3 {
    let second = a.x_axis.x * a.y_axis.y - a.x_axis.y * a.x_axis.y;
    DVec3::new(a.x_axis.x, second, a.determinant())
}

/// Eigenvalues and eigenvectors (columns) of a symmetric matrix, by Jacobi's rotations.
fn eigen(mut a: DMat3) -> (DVec3, DMat3) {
    let mut vectors = DMat3::IDENTITY;
    for _ in 0..50 {
        let off = [(0, 1), (0, 2), (1, 2)];
        let size = |&(p, q): &(usize, usize)| a.col(q)[p].abs();
        let (p, q) = off
            .into_iter()
            .max_by(|x, y| size(x).total_cmp(&size(y)))
            .unwrap_or((0, 1));
        if size(&(p, q)) <= 1e-16 * (a.col(p)[p].abs() + a.col(q)[q].abs()) {
            break;
        }
        let theta = (a.col(q)[q] - a.col(p)[p]) / (2.0 * a.col(q)[p]);
        let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
        let c = 1.0 / (t * t + 1.0).sqrt();
        let s = t * c;
        let mut g = DMat3::IDENTITY;
        g.col_mut(p)[p] = c;
        g.col_mut(q)[q] = c;
        g.col_mut(q)[p] = s;
        g.col_mut(p)[q] = -s;
        a = g.transpose() * a * g;
        vectors *= g;
    }
    (DVec3::new(a.x_axis.x, a.y_axis.y, a.z_axis.z), vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INERTIA: DMat3 = DMat3::from_cols(
        DVec3::new(2.0, 0.3, -0.1),
        DVec3::new(0.3, 1.2, 0.2),
        DVec3::new(-0.1, 0.2, 0.7),
    );

    #[test]
    fn the_jacobian_is_the_derivative_of_the_momentum() {
        let (w, dt) = (DVec3::new(1.3, -0.7, 2.1), 0.05);
        let momentum = |w: DVec3| turned(INERTIA, w, dt) * w;
        let now = turned(INERTIA, w, dt);
        let b = dt * tangent(dt * w);
        let jacobian = now + (now * skew(w) - skew(now * w)) * b;
        for k in 0..3 {
            let mut d = DVec3::ZERO;
            d[k] = 1e-6;
            let slope = (momentum(w + d) - momentum(w - d)) / 2e-6;
            assert!((slope - jacobian.col(k)).length() < 1e-8, "{slope} {}", jacobian.col(k));
        }
    }

    #[test]
    fn a_body_in_free_flight_keeps_its_angular_momentum_to_rounding() {
        let (mut inertia, mut w, dt) = (INERTIA, DVec3::new(3.0, -2.0, 5.0), 0.01);
        let momentum = inertia * w;
        for _ in 0..1000 {
            let next = free_rotation(RotationScheme::Momentum, inertia, w, DVec3::ZERO, dt);
            inertia = turned(inertia, next, dt);
            w = next;
        }
        assert!((inertia * w - momentum).length() < 1e-11 * momentum.length());
    }

    #[test]
    fn a_couple_changes_the_momentum_by_its_impulse() {
        let (w, couple, dt) = (DVec3::new(0.5, 0.2, -0.4), DVec3::new(1.0, 2.0, -3.0), 0.02);
        let next = free_rotation(RotationScheme::Momentum, INERTIA, w, couple, dt);
        let change = turned(INERTIA, next, dt) * next - INERTIA * w;
        assert!((change - dt * couple).length() < 1e-13);
    }

    #[test]
    fn each_quasi_newton_step_comes_much_closer_and_the_explicit_form_stays_behind() {
        let (w, dt) = (DVec3::new(3.0, -2.0, 5.0), 0.005);
        let exact = free_rotation(RotationScheme::Momentum, INERTIA, w, DVec3::ZERO, dt);
        let explicit = linearise(RotationScheme::Gyroscopic, INERTIA, w, w, DVec3::ZERO, dt).free;
        let mut iterate = w;
        let mut last = w.distance(exact);
        for _ in 0..4 {
            iterate = linearise(RotationScheme::Momentum, INERTIA, w, iterate, DVec3::ZERO, dt).free;
            let error = iterate.distance(exact);
            assert!(error < 0.1 * last, "{error} {last}");
            last = error;
        }
        assert!(last < 1e-3 * explicit.distance(exact));
    }

    #[test]
    fn a_mass_matrix_that_would_not_be_positive_is_made_so() {
        let bad = DMat3::from_cols(DVec3::new(1.0, 2.0, 0.0), DVec3::new(2.0, 1.0, 0.0), DVec3::Z);
        let good = positive_part(bad, INERTIA);
        let (values, _) = eigen(good);
        assert!(values.min_element() > 0.0 && (values.max_element() - 3.0).abs() < 1e-12);
        let (values, vectors) = eigen(INERTIA);
        let back = vectors * DMat3::from_diagonal(values) * vectors.transpose();
        assert!((back - INERTIA).abs().x_axis.max_element() < 1e-14);
    }
}
