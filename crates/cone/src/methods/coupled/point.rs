//! One constraint on the way of the coupled method.

use crate::{
    cone::{Cone, V3, dot, tangential},
    system::{M6, V6},
};

use super::Rows;

const TUNING: crate::tuning::AtRestCoulomb = crate::Tuning::DEFAULT.at_rest_coulomb;

/// A constraint: where it is, and its step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    cone: Cone,
    q: V3,
    compliance: V3,
    pub(super) r: V3,
    z: V3,
    /// u - F(z).
    residual: V3,
    /// Derivative of mu |z_t|.
    slope: [f64; 2],
    theta: Rows,
    scaling: Scaling,
    p: V3,
    pub(super) dr: V3,
    dz: V3,
}

/// Nesterov-Todd scaling of a second-order cone: W x = W^-1 y.
#[derive(Clone, Copy, Debug, Default)]
struct Scaling {
    eta: f64,
    w: V3,
    lambda: V3,
}

fn determinant(x: &V3) -> f64 {
    let t = tangential(x);
    ((x[0] - t) * (x[0] + t)).max(f64::MIN_POSITIVE)
}

impl Scaling {
    fn new(x: &V3, y: &V3) -> Self {
        let (dx, dy) = (determinant(x).sqrt(), determinant(y).sqrt());
        let (a, b) = (x.map(|v| v / dx), y.map(|v| v / dy));
        let gamma = (0.5 * (1.0 + dot(&a, &b))).sqrt();
        let w1 = [(b[1] - a[1]) / (2.0 * gamma), (b[2] - a[2]) / (2.0 * gamma)];
        // On the unit hyperboloid, also after rounding.
        let w0 = (1.0 + w1[0] * w1[0] + w1[1] * w1[1]).sqrt();
        let mut scaling = Self {
            eta: (dy / dx).sqrt(),
            w: [w0, w1[0], w1[1]],
            lambda: [0.0; 3],
        };
        scaling.lambda = scaling.apply(x);
        scaling
    }

    fn turned(&self, v: &V3, sign: f64) -> V3 {
        let [w0, w1, w2] = self.w;
        let along = w1 * v[1] + w2 * v[2];
        let factor = sign * v[0] + along / (1.0 + w0);
        [w0 * v[0] + sign * along, v[1] + factor * w1, v[2] + factor * w2]
    }

    /// W v.
    fn apply(&self, v: &V3) -> V3 {
        self.turned(v, 1.0).map(|x| x * self.eta)
    }

    /// W^-1 v.
    fn undo(&self, v: &V3) -> V3 {
        self.turned(v, -1.0).map(|x| x / self.eta)
    }
}

/// The product of the cone's Jordan algebra.
fn circle(a: &V3, b: &V3) -> V3 {
    [dot(a, b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]]
}

/// The x with `a o x = b`.
fn divide(a: &V3, b: &V3) -> V3 {
    let det = determinant(a);
    let along = a[1] * b[1] + a[2] * b[2];
    let x0 = (a[0] * b[0] - along) / det;
    [x0, (b[1] - x0 * a[1]) / a[0], (b[2] - x0 * a[2]) / a[0]]
}

/// Longest step from x along d that stays in the cone.
fn to_boundary(x: &V3, d: &V3) -> f64 {
    let a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
    let b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    let c = determinant(x);
    let mut longest = if d[0] < 0.0 { -x[0] / d[0] } else { f64::INFINITY };
    let discriminant = b * b - a * c;
    if discriminant >= 0.0 {
        // The root of smallest size first, without cancellation.
        let s = b + b.signum() * discriminant.sqrt();
        for root in [-s / a, -c / s] {
            if root > 0.0 {
                longest = longest.min(root);
            }
        }
    }
    longest
}

/// Longest step that stays inside all cones.
pub(super) fn longest_of(points: &[Point]) -> f64 {
    points.iter().map(Point::longest).fold(f64::INFINITY, f64::min)
}

impl Point {
    /// The start: forces and slacks of about one, at the middle of their cones.
    pub(super) fn new(cone: Cone, q: V3, compliance: V3) -> Self {
        let across = if cone.friction() > 0.0 { compliance[1] } else { 0.0 };
        let start = if super::is_bounded(cone) { 1.0 } else { 0.0 };
        Self {
            cone,
            q,
            compliance: [compliance[0], across, across],
            r: [start, 0.0, 0.0],
            z: [start, 0.0, 0.0],
            residual: [0.0; 3],
            slope: [0.0; 2],
            theta: [[0.0; 3]; 3],
            scaling: Scaling::default(),
            p: [0.0; 3],
            dr: [0.0; 3],
            dz: [0.0; 3],
        }
    }

    /// r.z.
    pub(super) fn product(&self) -> f64 {
        self.product_after(0.0)
    }

    /// r.z after a step.
    pub(super) fn product_after(&self, step: f64) -> f64 {
        let at = |x: &V3, d: &V3| -> V3 { std::array::from_fn(|k| x[k] + step * d[k]) };
        dot(&at(&self.r, &self.dr), &at(&self.z, &self.dz))
    }

    /// Largest part of u that is not F(z).
    pub(super) fn residual(&self) -> f64 {
        self.residual.iter().fold(0.0, |a, b| a.max(b.abs()))
    }

    /// Takes in the relative motion, and rounds |z_t| off.
    pub(super) fn measure(&mut self, moved: &V3, round: f64) {
        let mu = self.cone.friction();
        let z = &self.z;
        let t = (z[1] * z[1] + z[2] * z[2] + round).sqrt();
        self.slope = if mu > 0.0 {
            [mu * z[1] / t, mu * z[2] / t]
        } else {
            [0.0; 2]
        };
        let opening = mu * t;
        let stands_for = [z[0] - opening, z[1], z[2]];
        for k in 0..3 {
            self.residual[k] = moved[k] + self.q[k] + self.compliance[k] * self.r[k] - stands_for[k];
        }
        match self.cone {
            Cone::Friction(_) => {}
            Cone::Unilateral => self.residual = [self.residual[0], 0.0, 0.0],
            Cone::Bilateral => {
                self.residual = [moved[0] + self.q[0] + self.compliance[0] * self.r[0], 0.0, 0.0];
            }
        }
    }

    fn scaled(&self, r: &V3) -> V3 {
        [self.cone.friction() * r[0], r[1], r[2]]
    }

    fn scaled_dual(&self, z: &V3) -> V3 {
        let mu = self.cone.friction();
        [z[0], mu * z[1], mu * z[2]]
    }

    /// Scaling and Theta of this point, and the predictor, which aims at r o z = 0.
    pub(super) fn predict(&mut self) {
        let [en, et, _] = self.compliance;
        match self.cone {
            Cone::Friction(mu) => {
                self.scaling = Scaling::new(&self.scaled(&self.r), &self.scaled_dual(&self.z));
                self.theta = self.resistance(mu, en, et);
                self.p = self.r.map(|x| -x);
            }
            Cone::Unilateral => {
                self.theta[0][0] = 1.0 / (self.z[0] / self.r[0] + en);
                self.p = [-self.r[0], 0.0, 0.0];
            }
            Cone::Bilateral => {
                self.theta[0][0] = 1.0 / (en + TUNING.link_compliance);
                self.p = [0.0; 3];
            }
        }
    }

    /// (E + F' M)^-1, from the eigenvalues of the scaling: nothing that cancels is subtracted.
    fn resistance(&self, mu: f64, en: f64, et: f64) -> Rows {
        let Scaling { eta, w, .. } = self.scaling;
        let w1 = tangential(&w);
        let axis = if w1 > 0.0 { [w[1] / w1, w[2] / w1] } else { [1.0, 0.0] };
        let square = eta * eta;
        // M along the normal and the axis of the scaling: [mu a, b; b, a / mu], determinant eta^4.
        let a = square * (w[0] * w[0] + w1 * w1);
        let b = 2.0 * square * w[0] * w1;
        let det = square * square + et * mu * a + en * a / mu + en * et;
        let (nn, nt, tt) = ((a / mu + et) / det, -b / det, (mu * a + en) / det);
        let ss = 1.0 / (square / mu + et);
        let mut t = [[0.0; 3]; 3];
        t[0][0] = nn;
        for i in 0..2 {
            t[0][1 + i] = nt * axis[i];
            t[1 + i][0] = nt * axis[i];
            for j in 0..2 {
                let identity = if i == j { 1.0 } else { 0.0 };
                t[1 + i][1 + j] = tt * axis[i] * axis[j] + ss * (identity - axis[i] * axis[j]);
            }
        }
        // (M + E + n v')^-1 with v = E slope, by one correction of rank one; 1 + v' T n as a sum of what is positive.
        let g = self.slope;
        let cosine = (g[0] * axis[0] + g[1] * axis[1]) / mu;
        let less = square / (w[0] + w1).powi(2);
        let rest = square * square + en * a / mu + en * et + et * mu * (less + b * (1.0 - cosine));
        let v = [0.0, et * g[0], et * g[1]];
        let vt: V3 = std::array::from_fn(|c| v[1] * t[1][c] + v[2] * t[2][c]);
        let factor = det / rest;
        let mut theta: Rows = std::array::from_fn(|r| std::array::from_fn(|c| t[r][c] - t[r][0] * vt[c] * factor));
        // Times F'^-1 = I + n slope'.
        for row in &mut theta {
            row[1] += row[0] * g[0];
            row[2] += row[0] * g[1];
        }
        theta
    }

    /// The corrector aims at r o z = target.
    pub(super) fn correct(&mut self, target: f64) {
        match self.cone {
            Cone::Friction(mu) => {
                let s = &self.scaling;
                let (a, b) = (s.apply(&self.scaled(&self.dr)), s.undo(&self.scaled_dual(&self.dz)));
                let product = circle(&a, &b);
                // The products of a cone count mu r.z.
                let wanted = [mu * target - product[0], -product[1], -product[2]];
                let back = s.undo(&divide(&s.lambda, &wanted));
                self.p = [back[0] / mu - self.r[0], back[1] - self.r[1], back[2] - self.r[2]];
            }
            Cone::Unilateral => {
                self.p[0] = (target - self.dr[0] * self.dz[0]) / self.z[0] - self.r[0];
            }
            Cone::Bilateral => {}
        }
    }

    /// t = F(z) - u - E p.
    fn right_side(&self) -> V3 {
        std::array::from_fn(|k| -self.residual[k] - self.compliance[k] * self.p[k])
    }

    /// p + Theta t: the force that loads the bodies.
    pub(super) fn load(&self) -> V3 {
        let t = self.right_side();
        std::array::from_fn(|k| self.p[k] + dot(&self.theta[k], &t))
    }

    /// Sets the step that belongs to relative motions D' dw.
    pub(super) fn set_step(&mut self, moved: &V3) {
        let t = self.right_side();
        let rest = [t[0] - moved[0], t[1] - moved[1], t[2] - moved[2]];
        self.dr = std::array::from_fn(|k| self.p[k] + dot(&self.theta[k], &rest));
        let du: V3 = std::array::from_fn(|k| self.residual[k] + moved[k] + self.compliance[k] * self.dr[k]);
        self.dz = match self.cone {
            Cone::Friction(_) => [du[0] + self.slope[0] * du[1] + self.slope[1] * du[2], du[1], du[2]],
            Cone::Unilateral => [du[0], 0.0, 0.0],
            Cone::Bilateral => [0.0; 3],
        };
    }

    fn longest(&self) -> f64 {
        match self.cone {
            Cone::Friction(_) => {
                let primal = to_boundary(&self.scaled(&self.r), &self.scaled(&self.dr));
                primal.min(to_boundary(&self.scaled_dual(&self.z), &self.scaled_dual(&self.dz)))
            }
            Cone::Unilateral => {
                let to = |x: f64, d: f64| if d < 0.0 { -x / d } else { f64::INFINITY };
                to(self.r[0], self.dr[0]).min(to(self.z[0], self.dz[0]))
            }
            Cone::Bilateral => f64::INFINITY,
        }
    }

    pub(super) fn advance(&mut self, step: f64) {
        for k in 0..3 {
            self.r[k] += step * self.dr[k];
            self.z[k] += step * self.dz[k];
        }
    }

    /// Adds J' Theta J to a stiffness.
    pub(super) fn stiffen(&self, jacobian: &[V6; 3], sum: &mut M6) {
        let rows = if self.cone.friction() > 0.0 { 3 } else { 1 };
        super::stiffen(&self.theta, rows, jacobian, sum);
    }
}
