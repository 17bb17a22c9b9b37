//! The problem of one constraint while all others keep their impulses, solved exactly:
//!
//! ```text
//! u = A r + b,    r in K,    u (+ mu |u_t| n) in K*,    r . u = 0        A = W_ii + E_i, symmetric, 3x3
//! ```
//!
//! With Coulomb friction (Bonnefon and Daviet, 2011, in another form) a contact that slides has u_n = 0 and
//! u_t = -alpha r_t. The first eliminates r_n, and with S = A_tt - A_tn A_nt / A_nn and c = b_t - A_tn b_n / A_nn
//!
//! ```text
//! (S + alpha) r_t = -c,    |r_t| = -mu (b_n + A_nt r_t) / A_nn:    one equation in alpha > 0
//! ```
//!
//! whose two sides change order between alpha = 0, where the contact would stick, and infinity: there is a root. Where A
//! couples normal and tangents strongly there may be several, and separation may be a solution beside them: separation
//! goes first, then sticking, then the root that the safeguarded iteration from alpha = 0 meets.
//!
//! With associated friction r minimises r.Ar/2 + b.r over K. For a given r_n the tangential part solves a trust-region
//! problem, (A_tt + alpha) r_t = -(b_t + A_tn r_n) with |r_t| = mu r_n, and the minimum over r_n is where the derivative
//! A_nn r_n + A_nt r_t + b_n - mu^2 alpha r_n, which grows with r_n, is zero. Unlike the equation in alpha alone, this one
//! has no pole where the contact is about to be pulled apart.

use crate::{
    cone::{Cone, M3, V3},
    settings::Friction,
};

/// A mobility that is nothing beside that of other contacts, whose diagonals are scaled to one.
const IMMOBILE: f64 = 1e-14;

/// The part of the problem of one constraint that does not change with the impulses of others. Tangents are turned so
/// that S (for Coulomb friction) or A_tt (for associated friction) is diagonal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    cone: Cone,
    friction: Friction,
    /// A_nn.
    normal: f64,
    /// A_nt.
    coupling: [f64; 2],
    /// Eigenvalues of S or A_tt.
    across: [f64; 2],
    /// Cosine and sine of the turn.
    turn: [f64; 2],
}

impl Default for Local {
    fn default() -> Self {
        Self::new(&[[0.0; 3]; 3], Cone::Unilateral, Friction::Associated)
    }
}

/// Eigenvalues of a symmetric 2x2 matrix, and cosine and sine of the turn that makes it diagonal (Jacobi).
fn diagonalise(p: f64, off: f64, q: f64) -> ([f64; 2], [f64; 2]) {
    if off == 0.0 {
        return ([p, q], [1.0, 0.0]);
    }
    let theta = (q - p) / (2.0 * off);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    ([p - t * off, q + t * off], [c, t * c])
}

/// A zero between `low` and `high` of a function that is positive at the first and negative at the second, by Newton's
/// method from `start`, by bisection where that leaves the bracket or is slow. The function returns its value, its
/// derivative, and the size of the terms that the value is the difference of.
fn zero(mut low: f64, mut high: f64, start: f64, f: impl Fn(f64) -> [f64; 3]) -> f64 {
    let mut x = start;
    let mut before = f64::INFINITY;
    for _ in 0..200 {
        let [value, slope, size] = f(x);
        if value.abs() <= f64::EPSILON * size || value.is_nan() {
            return x;
        }
        if value > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let mut next = x - value / slope;
        let slow = value.abs() > 0.5 * before;
        before = value.abs();
        if !(next > low && next < high) || slow {
            next = 0.5 * (low + high);
            before = f64::INFINITY;
        }
        if (next - x).abs() <= f64::EPSILON * x.abs() || next <= low || next >= high {
            return next;
        }
        x = next;
    }
    x
}

fn length(x: &[f64; 2]) -> f64 {
    (x[0] * x[0] + x[1] * x[1]).sqrt()
}

fn dot2(x: &[f64; 2], y: &[f64; 2]) -> f64 {
    x[0] * y[0] + x[1] * y[1]
}

impl Local {
    /// Prepares a constraint whose block of the Delassus matrix, with compliance, is `a`.
    pub(crate) fn new(a: &M3, cone: Cone, friction: Friction) -> Self {
        let normal = a[0][0];
        let mut s = [a[1][1], a[1][2], a[2][2]];
        if friction == Friction::Coulomb && normal > IMMOBILE {
            let (x, y) = (a[0][1], a[0][2]);
            s = [s[0] - x * x / normal, s[1] - x * y / normal, s[2] - y * y / normal];
        }
        let (mut across, turn) = diagonalise(s[0], s[1], s[2]);
        // A direction that nothing yields in, but for rounding, must not be divided by.
        let least = IMMOBILE * (normal + a[1][1] + a[2][2]);
        across = across.map(|x| x.max(least).max(f64::MIN_POSITIVE));
        let mut local = Self {
            cone,
            friction,
            normal,
            coupling: [0.0; 2],
            across,
            turn,
        };
        local.coupling = local.turned(a[0][1], a[0][2]);
        local
    }

    fn turned(&self, x: f64, y: f64) -> [f64; 2] {
        let [c, s] = self.turn;
        [c * x - s * y, s * x + c * y]
    }

    fn back(&self, normal: f64, [x, y]: [f64; 2]) -> V3 {
        let [c, s] = self.turn;
        [normal, c * x + s * y, c * y - s * x]
    }

    /// The impulse of the constraint for the velocity `b` that it would have without one. Zero where nothing moves.
    pub(crate) fn solve(&self, b: &V3) -> V3 {
        if self.normal <= IMMOBILE {
            return [0.0; 3];
        }
        match (self.cone, self.friction) {
            (Cone::Bilateral, _) => [-b[0] / self.normal, 0.0, 0.0],
            (Cone::Unilateral, _) => [(-b[0] / self.normal).max(0.0), 0.0, 0.0],
            (Cone::Friction(mu), Friction::Coulomb) => self.coulomb(mu, b[0], &self.turned(b[1], b[2])),
            (Cone::Friction(mu), Friction::Associated) => self.associated(mu, b[0], &self.turned(b[1], b[2])),
        }
    }

    fn coulomb(&self, mu: f64, bn: f64, bt: &[f64; 2]) -> V3 {
        if bn >= 0.0 {
            return [0.0; 3];
        }
        let (nn, nt) = (self.normal, &self.coupling);
        let c = [bt[0] - nt[0] * bn / nn, bt[1] - nt[1] * bn / nn];
        let tangential = |alpha: f64| [-c[0] / (self.across[0] + alpha), -c[1] / (self.across[1] + alpha)];
        let stick = tangential(0.0);
        let rn = -(bn + dot2(nt, &stick)) / nn;
        if length(&stick) <= mu * rn {
            return self.back(rn, stick);
        }
        // The equation divided by |r_t|: nearly linear in alpha.
        let equation = |alpha: f64| {
            let r = tangential(alpha);
            let dr = [-r[0] / (self.across[0] + alpha), -r[1] / (self.across[1] + alpha)];
            let rho = length(&r);
            let drho = dot2(&r, &dr) / rho;
            let (force, turn) = (bn / rho, dot2(nt, &r) / rho);
            let slope = mu * (dot2(nt, &dr) - (force + turn) * drho) / rho;
            [nn + mu * (force + turn), slope, nn + mu * (turn.abs() - force)]
        };
        let high = 2.0 * (nn + mu * length(nt)) * length(&c) / (mu * -bn);
        let r = if high.is_finite() {
            tangential(zero(0.0, high, 0.0, equation))
        } else {
            [-c[0], -c[1]]
        };
        let rho = length(&r);
        let d = [r[0] / rho, r[1] / rho];
        let yielding = nn + mu * dot2(nt, &d);
        // So that u_n is zero and r on its cone to the last bit; what is left of the error turns the direction.
        let rn = -bn / yielding;
        if !(yielding > 0.0 && rn.is_finite()) {
            return [0.0; 3];
        }
        self.back(rn, [mu * rn * d[0], mu * rn * d[1]])
    }

    /// Multiplier and tangential part of the trust-region problem for a given normal impulse.
    fn trust(&self, mu: f64, rn: f64, bt: &[f64; 2]) -> (f64, [f64; 2]) {
        let c: [f64; 2] = std::array::from_fn(|k| bt[k] + self.coupling[k] * rn);
        let tangential = |alpha: f64| [-c[0] / (self.across[0] + alpha), -c[1] / (self.across[1] + alpha)];
        let radius = mu * rn;
        if length(&tangential(0.0)) <= radius {
            return (0.0, tangential(0.0));
        }
        let equation = |alpha: f64| {
            let r = tangential(alpha);
            let rho = length(&r);
            let ratio = radius / rho;
            let slope =
                -(r[0] * r[0] / (self.across[0] + alpha) + r[1] * r[1] / (self.across[1] + alpha)) / (rho * rho);
            [1.0 - ratio, ratio * slope, 1.0]
        };
        let alpha = zero(0.0, 2.0 * length(&c) / radius, 0.0, equation);
        (alpha, tangential(alpha))
    }

    fn associated(&self, mu: f64, bn: f64, bt: &[f64; 2]) -> V3 {
        if bn >= mu * length(bt) {
            return [0.0; 3];
        }
        let (nn, nt, tt) = (self.normal, &self.coupling, &self.across);
        let schur = nn - nt[0] * nt[0] / tt[0] - nt[1] * nt[1] / tt[1];
        if schur > IMMOBILE * nn {
            let rn = -(bn - nt[0] * bt[0] / tt[0] - nt[1] * bt[1] / tt[1]) / schur;
            let stick: [f64; 2] = std::array::from_fn(|k| -(bt[k] + nt[k] * rn) / tt[k]);
            if length(&stick) <= mu * rn {
                return self.back(rn, stick);
            }
        }
        // Minus the derivative over r_n of the least energy, so that it falls through zero.
        let equation = |rn: f64| {
            let (alpha, r) = self.trust(mu, rn, bt);
            let m = [1.0 / (tt[0] + alpha), 1.0 / (tt[1] + alpha)];
            let (along, friction) = (dot2(nt, &r), mu * mu * alpha * rn);
            let value = nn * rn + along + bn - friction;
            let mut slope = nn;
            if alpha > 0.0 {
                let (rma, rmr) = (
                    r[0] * m[0] * nt[0] + r[1] * m[1] * nt[1],
                    r[0] * r[0] * m[0] + r[1] * r[1] * m[1],
                );
                let dalpha = -(mu * mu * rn + rma) / rmr;
                for k in 0..2 {
                    slope -= nt[k] * m[k] * (nt[k] + dalpha * r[k]);
                }
                slope -= mu * mu * (dalpha * rn + alpha);
            } else {
                slope -= nt[0] * nt[0] * m[0] + nt[1] * nt[1] * m[1];
            }
            [-value, -slope, nn * rn + along.abs() + bn.abs() + friction]
        };
        let start = (mu * length(bt) - bn) / (nn + mu * mu * tt[0].max(tt[1]));
        let mut high = start;
        for _ in 0..200 {
            if equation(high)[0] <= 0.0 {
                break;
            }
            high *= 2.0;
        }
        let rn = zero(0.0, high, start.min(0.75 * high), equation);
        let (alpha, r) = self.trust(mu, rn, bt);
        if alpha == 0.0 {
            return if rn.is_finite() { self.back(rn, r) } else { [0.0; 3] };
        }
        let rho = length(&r);
        let d = [r[0] / rho, r[1] / rho];
        // On the ray that was found, the energy is least where r . u = 0.
        let form = nn + 2.0 * mu * dot2(nt, &d) + mu * mu * (tt[0] * d[0] * d[0] + tt[1] * d[1] * d[1]);
        let rn = (-(bn + mu * dot2(bt, &d)) / form).max(0.0);
        if !(form > 0.0 && rn.is_finite()) {
            return [0.0; 3];
        }
        self.back(rn, [mu * rn * d[0], mu * rn * d[1]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cone::{add, dot, norm, sub, times},
        measure::corrected,
    };

    struct Random(u64);

    impl Random {
        /// From -1 to 1.
        fn next(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }

        fn vector(&mut self) -> V3 {
            [self.next(), self.next(), self.next()]
        }

        /// Symmetric positive definite, with a condition number of about `spread`.
        fn matrix(&mut self, spread: f64) -> M3 {
            let scales = [1.0, spread.powf(self.next().abs()).recip(), spread.recip()];
            let first = self.vector();
            let second = self.vector();
            let x = first.map(|x| x / norm(&first));
            let along = dot(&x, &second);
            let y: V3 = std::array::from_fn(|k| second[k] - along * x[k]);
            let y = y.map(|v| v / norm(&y));
            let z = [
                x[1] * y[2] - x[2] * y[1],
                x[2] * y[0] - x[0] * y[2],
                x[0] * y[1] - x[1] * y[0],
            ];
            let sum = |i: usize, j: usize| [x, y, z].iter().zip(scales).map(|(v, s)| s * v[i] * v[j]).sum::<f64>();
            std::array::from_fn(|i| std::array::from_fn(|j| sum(i.min(j), i.max(j))))
        }
    }

    /// Distance of r and u from their cones and from being orthogonal, relative to the terms that make up u.
    fn error(a: &M3, b: &V3, cone: Cone, friction: Friction, r: &V3) -> f64 {
        let u = add(&times(a, r), b);
        let size = norm(b) + norm(r) * (a[0][0] + a[1][1] + a[2][2]);
        let u = corrected(friction, cone, &u);
        let out = norm(&sub(r, &cone.project(r))) / norm(r).max(1e-300);
        let violation = norm(&sub(&u, &cone.project_dual(&u))) / size;
        let work = dot(r, &u).abs() / (size * norm(r)).max(1e-300);
        out.max(violation).max(work)
    }

    #[test]
    fn impulse_and_velocity_lie_in_their_cones_and_do_no_work_for_any_mobility() {
        let mut random = Random(7);
        for friction in [Friction::Coulomb, Friction::Associated] {
            for spread in [1.0, 10.0, 1e3, 1e6, 1e9] {
                for k in 0..20_000 {
                    let a = random.matrix(spread);
                    let mut b = random.vector();
                    if k % 5 == 0 {
                        // On the verge of separation.
                        b[0] *= 1e-9;
                    }
                    let mu = [0.05, 0.3, 0.7, 1.5, 10.0][k % 5];
                    let cone = Cone::Friction(mu);
                    let r = Local::new(&a, cone, friction).solve(&b);
                    let e = error(&a, &b, cone, friction, &r);
                    assert!(
                        e <= 1e-12,
                        "{friction:?} mu {mu} spread {spread}: {e:e} with {a:?} {b:?} {r:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn an_isotropic_contact_slides_against_its_velocity_with_mu_times_the_normal_impulse() {
        let a = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let (mu, b) = (0.5, [-1.0, 3.0, 4.0]);
        let r = Local::new(&a, Cone::Friction(mu), Friction::Coulomb).solve(&b);
        for (x, y) in r.iter().zip([1.0, -0.3, -0.4]) {
            assert!((x - y).abs() < 1e-15);
        }
        // Associated: the projection of -b on the cone.
        let r = Local::new(&a, Cone::Friction(mu), Friction::Associated).solve(&b);
        let expected = Cone::Friction(mu).project(&[1.0, -3.0, -4.0]);
        assert!(norm(&sub(&r, &expected)) < 1e-14);
        // It also holds where nothing presses the contact, the case with a pole in other forms of the equation.
        let r = Local::new(&a, Cone::Friction(mu), Friction::Associated).solve(&[0.0, 3.0, 4.0]);
        assert!(norm(&sub(&r, &Cone::Friction(mu).project(&[0.0, -3.0, -4.0]))) < 1e-14);
    }

    #[test]
    fn a_contact_that_nothing_moves_carries_no_impulse() {
        for cone in [Cone::Friction(0.5), Cone::Unilateral, Cone::Bilateral] {
            let local = Local::new(&[[0.0; 3]; 3], cone, Friction::Coulomb);
            assert_eq!(local.solve(&[-1.0, 0.2, 0.0]), [0.0; 3]);
        }
    }

    #[test]
    fn friction_acts_in_full_where_it_cannot_stop_the_slip() {
        // The contact yields along its normal only.
        let mut a = [[0.0; 3]; 3];
        a[0][0] = 1.0;
        let (mu, b) = (0.5, [-1.0, 0.6, 0.8]);
        for friction in [Friction::Coulomb, Friction::Associated] {
            let r = Local::new(&a, Cone::Friction(mu), friction).solve(&b);
            assert!(
                error(&a, &b, Cone::Friction(mu), friction, &r) < 1e-12,
                "{friction:?} {r:?}"
            );
            assert!((r[1] + 0.6 * mu * r[0]).abs() < 1e-12 && (r[2] + 0.8 * mu * r[0]).abs() < 1e-12);
        }
    }

    #[test]
    fn a_link_stops_its_velocity_and_a_one_way_link_only_pushes() {
        let mut a = [[0.0; 3]; 3];
        a[0][0] = 2.0;
        let solve = |cone, b| Local::new(&a, cone, Friction::Associated).solve(&[b, 0.0, 0.0])[0];
        assert_eq!(solve(Cone::Bilateral, 3.0), -1.5);
        assert_eq!(solve(Cone::Unilateral, 3.0), 0.0);
        assert_eq!(solve(Cone::Unilateral, -3.0), 1.5);
    }
}
