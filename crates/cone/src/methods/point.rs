//! One constraint on the way of the interior-point method: where it is, its step, what it adds to the sums.

use super::{
    outer::Convex,
    scaling::{Scaling, circle, divide, impulse, impulse_back, step_to_boundary, velocity},
};
use crate::{
    cone::{Cone, M3, V3, add, dot, norm, scale, sub, tangential},
    measure::root,
    newton::Load,
    system::{Operator, System},
};

/// Compliance that stands for none in the rows of rigid links; its effect vanishes as the iterations go on.
const PROXIMAL: f64 = 1e-8;

/// One constraint.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Point {
    pub(super) r: V3,
    pub(super) z: V3,
    pub(super) u: V3,
    pub(super) p: V3,
    pub(super) t: V3,
    pub(super) dr: V3,
    pub(super) dz: V3,
    /// (N + E) dr.
    pub(super) du: V3,
    /// dr, dz and du before the last corrector.
    pub(super) old: (V3, V3, V3),
    pub(super) theta: M3,
    pub(super) scaling: Scaling,
}

/// Sums over the constraints at one point of the way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    /// r . z, for mu.
    pub(super) product: f64,
    /// What bounds the square of the velocity error.
    pub(super) gap: f64,
    /// The square of the natural map, and of q.
    pub(super) map: f64,
    pub(super) load: f64,
    /// Work of the impulses on the velocities that they cause.
    pub(super) caused: f64,
    /// Squares of those velocities, and work of the offsets: for the proof that no velocity will do.
    pub(super) moved: f64,
    pub(super) offsets: f64,
}

impl Sums {
    #[inline(always)]
    pub(super) fn plus(self, o: Self) -> Self {
        Self {
            product: self.product + o.product,
            gap: self.gap + o.gap,
            map: self.map + o.map,
            load: self.load + o.load,
            caused: self.caused + o.caused,
            moved: self.moved + o.moved,
            offsets: self.offsets + o.offsets,
        }
    }

    /// The figure that must fall below the tolerance: see [`crate::measure`].
    pub(super) fn figure(&self, convex: &Convex<'_>, unbalanced: f64) -> f64 {
        if convex.shift.is_empty() {
            let gap = 0.5 * (unbalanced.sqrt() + (unbalanced + 4.0 * self.gap).sqrt());
            root(gap * gap, self.caused)
        } else {
            root(self.map, self.load)
        }
    }
}

impl Point {
    #[inline(always)]
    pub(super) fn load(&self) -> Load {
        Load {
            theta: self.theta,
            p: self.p,
            t: self.t,
        }
    }

    /// The scaling of this point, Theta = (W^2 + E)^-1, and the predictor, which aims at r o z = 0: its p is -r.
    #[inline(always)]
    pub(super) fn predict(&mut self, system: &System, i: usize) -> Load {
        let (cone, e) = (system.cones[i], &system.compliance[i]);
        self.scaling = Scaling::new(cone, &impulse(cone, &self.r), &velocity(cone, &self.z));
        let e = match cone {
            Cone::Bilateral => &[e[0] + PROXIMAL, 0.0, 0.0],
            Cone::Friction(_) | Cone::Unilateral => e,
        };
        self.theta = match &system.operator {
            Operator::Bodies(_) => self.scaling.theta(cone, e),
            Operator::Matrix(_) => self.scaling.resistance(cone, e),
        };
        self.p = match cone {
            Cone::Bilateral => [0.0; 3],
            Cone::Friction(_) | Cone::Unilateral => scale(&self.r, -1.0),
        };
        let e = &system.compliance[i];
        self.set_right_side(e);
        self.load()
    }

    /// The corrector aims at r o z = target, and takes the predictor's product of steps into account:
    /// p = -r + W^-1 (lambda \ (target e - (W dr) o (W^-1 dz))).
    #[inline(always)]
    pub(super) fn correct(&mut self, system: &System, i: usize, target: f64) -> Load {
        let (cone, s) = (system.cones[i], &self.scaling);
        match cone {
            Cone::Friction(_) => {
                let (a, b) = (
                    s.apply(cone, &impulse(cone, &self.dr)),
                    s.undo(cone, &velocity(cone, &self.dz)),
                );
                let product = circle(&a, &b);
                let wanted = [target - product[0], -product[1], -product[2]];
                let back = impulse_back(cone, &s.undo(cone, &divide(&s.lambda, &wanted)));
                self.p = sub(&back, &self.r);
            }
            Cone::Unilateral => {
                self.p = [(target - self.dr[0] * self.dz[0]) / self.z[0] - self.r[0], 0.0, 0.0];
            }
            Cone::Bilateral => {}
        }
        self.set_right_side(&system.compliance[i]);
        self.load()
    }

    /// Gondzio's corrector: where the products of a longer step would leave the neighbourhood of the target, they are
    /// brought back to its edge.
    #[inline(always)]
    pub(super) fn recentre(&mut self, system: &System, i: usize, target: f64, aim: f64) -> Load {
        let (cone, s, e) = (system.cones[i], &self.scaling, &system.compliance[i]);
        let (least, most) = (0.1 * target, 10.0 * target);
        let back = |v: f64| (v.clamp(least, most) - v).max(-most);
        let before = self.p;
        match cone {
            Cone::Friction(_) => {
                let a = add(&s.lambda, &scale(&s.apply(cone, &impulse(cone, &self.dr)), aim));
                let b = add(&s.lambda, &scale(&s.undo(cone, &velocity(cone, &self.dz)), aim));
                let v = circle(&a, &b);
                let t = tangential(&v);
                let axis = if t > 0.0 { [v[1] / t, v[2] / t] } else { [0.0; 2] };
                let (plus, minus) = (back(v[0] + t), back(v[0] - t));
                let half = 0.5 * (plus - minus);
                let wanted = [0.5 * (plus + minus), half * axis[0], half * axis[1]];
                let more = impulse_back(cone, &s.undo(cone, &divide(&s.lambda, &wanted)));
                self.p = add(&self.p, &more);
            }
            Cone::Unilateral => {
                let v = (self.r[0] + aim * self.dr[0]) * (self.z[0] + aim * self.dz[0]);
                self.p[0] += back(v) / self.z[0];
            }
            Cone::Bilateral => {}
        }
        self.t = std::array::from_fn(|k| self.t[k] - e[k] * (self.p[k] - before[k]));
        self.load()
    }

    /// t = z - u - E p.
    #[inline(always)]
    pub(super) fn set_right_side(&mut self, e: &V3) {
        let (z, u, p) = (&self.z, &self.u, &self.p);
        self.t = std::array::from_fn(|k| z[k] - u[k] - e[k] * p[k]);
    }

    /// Sets the step; `rest` is t - N dr.
    #[inline(always)]
    pub(super) fn set_step(&mut self, dr: V3, rest: V3, moved: &V3, e: &V3) {
        self.dr = dr;
        self.du = std::array::from_fn(|k| moved[k] + e[k] * dr[k]);
        self.dz = std::array::from_fn(|k| e[k] * (dr[k] - self.p[k]) - rest[k]);
    }

    /// Longest step that stays inside the cones.
    #[inline(always)]
    pub(super) fn longest(&self, cone: Cone, limit: f64) -> f64 {
        match cone {
            Cone::Bilateral => limit,
            Cone::Friction(_) => {
                let s = step_to_boundary(&impulse(cone, &self.r), &impulse(cone, &self.dr), limit);
                step_to_boundary(&velocity(cone, &self.z), &velocity(cone, &self.dz), s)
            }
            Cone::Unilateral => {
                let along = |x: f64, d: f64| if d < 0.0 { -x / d } else { limit };
                along(self.r[0], self.dr[0]).min(along(self.z[0], self.dz[0]))
            }
        }
    }

    /// What the point adds to the sums.
    #[inline(always)]
    pub(super) fn measure(&self, system: &System, convex: &Convex<'_>, i: usize, mean: f64) -> Sums {
        let (r, u, cone) = (&self.r, &self.u, system.cones[i]);
        let (q, e) = (&system.q[i], &system.compliance[i]);
        let inside = cone.project_dual(u);
        let lack = norm(&sub(&inside, u));
        // In the problem's own units, up to those of the whole.
        let s = system.weight[i];
        let (rs, us) = (scale(r, mean / s), scale(u, s));
        let map = sub(&rs, &cone.project(&sub(&rs, &us)));
        let shift = convex.shift_of(i);
        let caused = [
            u[0] - shift - q[0] - e[0] * r[0],
            u[1] - q[1] - e[1] * r[1],
            u[2] - q[2] - e[2] * r[2],
        ];
        let all = add(&caused, &[e[0] * r[0], e[1] * r[1], e[2] * r[2]]);
        Sums {
            product: dot(r, &self.z),
            gap: dot(r, &inside).abs() + norm(r) * lack + lack * lack,
            map: dot(&map, &map),
            load: s * s * dot(q, q),
            caused: dot(r, &caused),
            moved: dot(&all, &all),
            offsets: dot(r, q) + r[0] * shift,
        }
    }
}
