//! Four constraints on the way of the interior-point method: where they are, their step, what they add to the sums.

use super::{
    outer::Convex,
    passes::Steps,
    scaling::{Kinds, Scaling, circle, divide, step_to_boundary, times},
};
use crate::{
    bundles::{Lane6, upper_index},
    cone::{Cone, V3},
    lanes::{Four, LANES, Lane, Lane3, Processor, add, dot, four, get, load, norm, scale, set, store, sub, tangential},
    system::{NONE, Operator, System},
};

const TUNING: crate::tuning::Interior = crate::Tuning::DEFAULT.interior;

/// Four constraints. An empty lane is a rigid link that acts on nothing: all its numbers are zero.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Block {
    /// Friction coefficient; one where there is none.
    mu: Four,
    /// 2 for a cone, 1 for a half-line, 0 for a line.
    kind: Four,
    /// Along the normal, across it.
    compliance: [Four; 2],
    jacobian: [[Four; 6]; 3],
    q: [Four; 3],
    /// What is added to the normal component of q.
    shift: Four,
    weight: Four,
    pub(super) r: [Four; 3],
    z: [Four; 3],
    pub(super) u: [Four; 3],
    p: [Four; 3],
    dr: [Four; 3],
    dz: [Four; 3],
    /// dr and dz before the last corrector.
    old: [[Four; 3]; 2],
    /// Upper triangle of Theta for bodies, of its inverse for an explicit matrix.
    theta: [Four; 6],
    scaling: [Four; 7],
}

impl Default for Block {
    fn default() -> Self {
        let none = four(0.0);
        Self {
            mu: four(1.0),
            kind: none,
            compliance: [none; 2],
            jacobian: [[none; 6]; 3],
            q: [none; 3],
            shift: none,
            weight: four(1.0),
            r: [none; 3],
            z: [none; 3],
            u: [none; 3],
            p: [none; 3],
            dr: [none; 3],
            dz: [none; 3],
            old: [[none; 3]; 2],
            theta: [none; 6],
            scaling: [none; 7],
        }
    }
}

#[inline(always)]
fn set3(x: &mut [Four; 3], lane: usize, value: &V3) {
    for k in 0..3 {
        set(&mut x[k], lane, value[k]);
    }
}

#[inline(always)]
fn get3(x: &[Four; 3], lane: usize) -> V3 {
    [get(&x[0], lane), get(&x[1], lane), get(&x[2], lane)]
}

impl Block {
    /// Takes in what a problem says of these constraints.
    pub(super) fn enter(&mut self, system: &System, constraints: &[u32; LANES]) {
        *self = Self::default();
        for (lane, &i) in constraints.iter().enumerate().filter(|(_, i)| **i != NONE) {
            let i = i as usize;
            let (kind, across) = match system.cones[i] {
                Cone::Friction(mu) => {
                    set(&mut self.mu, lane, mu);
                    (2.0, system.compliance[i][1])
                }
                Cone::Unilateral => (1.0, 0.0),
                Cone::Bilateral => (0.0, 0.0),
            };
            set(&mut self.kind, lane, kind);
            set(&mut self.compliance[0], lane, system.compliance[i][0]);
            set(&mut self.compliance[1], lane, across);
            set(&mut self.weight, lane, system.weight[i]);
            set3(&mut self.q, lane, &system.q[i]);
            if let Operator::Bodies(bodies) = &system.operator {
                for (to, from) in self.jacobian.iter_mut().zip(&bodies.jacobian[i]) {
                    to.iter_mut().zip(from).for_each(|(to, from)| set(to, lane, *from));
                }
            }
        }
    }

    /// Takes in impulses and the velocities that belong to them.
    pub(super) fn place(&mut self, constraints: &[u32; LANES], convex: &Convex<'_>, r: &[V3], u: &[V3]) {
        for (lane, &i) in constraints.iter().enumerate().filter(|(_, i)| **i != NONE) {
            let i = i as usize;
            set(&mut self.shift, lane, convex.shift_of(i));
            set3(&mut self.r, lane, &r[i]);
            set3(&mut self.u, lane, &convex.gradient(i, &u[i]));
        }
    }

    /// Theta, p and t of one constraint.
    pub(super) fn load_of(&self, lane: usize) -> crate::newton::Load {
        let theta = |k: usize| get(&self.theta[k], lane);
        let (z, u, p) = (get3(&self.z, lane), get3(&self.u, lane), get3(&self.p, lane));
        let e = [0, 1, 1].map(|k: usize| get(&self.compliance[k], lane));
        crate::newton::Load {
            theta: [
                [theta(0), theta(1), theta(2)],
                [theta(1), theta(3), theta(4)],
                [theta(2), theta(4), theta(5)],
            ],
            p,
            t: std::array::from_fn(|k| z[k] - u[k] - e[k] * p[k]),
        }
    }

    /// -N r of one constraint.
    pub(super) fn taken_back(&self, lane: usize) -> V3 {
        let (r, u, q) = (get3(&self.r, lane), get3(&self.u, lane), get3(&self.q, lane));
        let shift = [get(&self.shift, lane), 0.0, 0.0];
        let e = [0, 1, 1].map(|k: usize| get(&self.compliance[k], lane));
        std::array::from_fn(|k| q[k] + shift[k] + e[k] * r[k] - u[k])
    }

    #[inline(always)]
    fn kinds<S: Processor>(&self, s: S) -> Kinds<S> {
        let (mu, kind) = (Lane::new(s, self.mu), Lane::new(s, self.kind));
        Kinds {
            mu,
            over_mu: mu.inverse(),
            friction: kind.all(1.5).less(kind),
            cone: kind.all(0.5).less(kind),
        }
    }

    /// E x.
    #[inline(always)]
    fn yielding<S: Processor>(&self, s: S, x: &Lane3<S>) -> Lane3<S> {
        let e = load(s, &self.compliance);
        [e[0] * x[0], e[1] * x[1], e[1] * x[2]]
    }

    /// t = z - u - E p.
    #[inline(always)]
    fn right_side<S: Processor>(&self, s: S, p: &Lane3<S>) -> Lane3<S> {
        let (z, u) = (load(s, &self.z), load(s, &self.u));
        sub(&sub(&z, &u), &self.yielding(s, p))
    }

    /// p + Theta t: the impulse that loads the bodies.
    #[inline(always)]
    pub(super) fn load<S: Processor>(&self, s: S) -> Lane3<S> {
        let p = load(s, &self.p);
        add(&times(&load(s, &self.theta), &self.right_side(s, &p)), &p)
    }

    /// Adds J' x to a wrench.
    #[inline(always)]
    pub(super) fn gather<S: Processor>(&self, s: S, x: &Lane3<S>, wrench: &mut Lane6<S>) {
        for k in 0..6 {
            let j = |row: usize| Lane::new(s, self.jacobian[row][k]);
            wrench[k] = wrench[k] + (j(0) * x[0] + j(1) * x[1] + j(2) * x[2]);
        }
    }

    /// J times a relative twist.
    #[inline(always)]
    pub(super) fn moved<S: Processor>(&self, s: S, twist: &Lane6<S>) -> Lane3<S> {
        let row = |k: usize| {
            let j = load(s, &self.jacobian[k]);
            (j[0] * twist[0] + j[1] * twist[1] + j[2] * twist[2])
                + (j[3] * twist[3] + j[4] * twist[4] + j[5] * twist[5])
        };
        [row(0), row(1), row(2)]
    }

    /// Adds J' Theta J to a stiffness.
    #[inline(always)]
    pub(super) fn stiffen<S: Processor>(&self, s: S, sum: &mut [Lane<S>; 21]) {
        let m = load(s, &self.theta);
        for c in 0..6 {
            let j = |row: usize, k: usize| Lane::new(s, self.jacobian[row][k]);
            let weighted = times(&m, &[j(0, c), j(1, c), j(2, c)]);
            for r in 0..=c {
                let at = upper_index(r, c);
                sum[at] = sum[at] + (j(0, r) * weighted[0] + j(1, r) * weighted[1] + j(2, r) * weighted[2]);
            }
        }
    }

    /// Moves impulses and slacks to the centre that belongs to r - u.
    #[inline(always)]
    pub(super) fn start<S: Processor>(&mut self, s: S, centre: f64) {
        let (kinds, before, u) = (self.kinds(s), load(s, &self.r), load(s, &self.u));
        let y = sub(&kinds.impulse(&before), &kinds.velocity(&u));
        let y = [y[0], kinds.friction.keep(y[1]), kinds.friction.keep(y[2])];
        // The larger of the two roots first, so that nothing cancels.
        let split = |y: Lane<S>| {
            let large = (y.abs() + (y * y + 4.0 * centre).sqrt()) * 0.5;
            let small = large.all(centre) / large;
            (y.positive().choose(large, small), y.positive().choose(small, large))
        };
        let t = tangential(&y);
        let over = t.inverse();
        let axis = [
            t.positive().choose(y[1] * over, t.all(1.0)),
            t.positive().keep(y[2] * over),
        ];
        let ((xp, zp), (xm, zm)) = (split(y[0] + t), split(y[0] - t));
        let (xt, zt) = ((xp - xm) * 0.5, (zp - zm) * 0.5);
        let across = |x: Lane<S>| kinds.friction.keep(x);
        let r = [
            kinds.cone.choose((xp + xm) * 0.5 * kinds.over_mu, before[0]),
            across(xt * axis[0]),
            across(xt * axis[1]),
        ];
        let z = [
            kinds.cone.keep((zp + zm) * 0.5 * kinds.mu),
            across(zt * axis[0]),
            across(zt * axis[1]),
        ];
        self.u = store(add(&u, &self.yielding(s, &sub(&r, &before))));
        (self.r, self.z) = (store(r), store(z));
    }

    /// The scaling of this point, Theta = (W^2 + E)^-1 or its inverse, and the predictor, which aims at r o z = 0: its p
    /// is -r.
    #[inline(always)]
    pub(super) fn predict<S: Processor>(&mut self, s: S, inverse: bool) {
        let (kinds, r, z) = (self.kinds(s), load(s, &self.r), load(s, &self.z));
        let scaling = Scaling::new(&kinds.impulse(&r), &kinds.velocity(&z));
        let mut e = load(s, &self.compliance);
        e[0] = kinds.cone.choose(e[0], e[0] + TUNING.link_compliance);
        self.theta = store(if inverse {
            scaling.resistance(&kinds, &e)
        } else {
            scaling.theta(&kinds, &e)
        });
        self.scaling = scaling.store();
        self.p = store([kinds.cone.keep(-r[0]), kinds.cone.keep(-r[1]), kinds.cone.keep(-r[2])]);
    }

    /// The corrector aims at r o z = target, and takes the predictor's product of steps into account:
    /// p = -r + W^-1 (lambda \ (target e - (W dr) o (W^-1 dz))).
    #[inline(always)]
    pub(super) fn correct<S: Processor>(&mut self, s: S, target: f64) {
        let (kinds, scaling) = (self.kinds(s), Scaling::load(s, &self.scaling));
        let (r, dr, dz) = (load(s, &self.r), load(s, &self.dr), load(s, &self.dz));
        let (a, b) = (scaling.apply(&kinds.impulse(&dr)), scaling.undo(&kinds.velocity(&dz)));
        let product = circle(&a, &b);
        let wanted = [-(product[0] - target), -product[1], -product[2]];
        let back = kinds.impulse_back(&scaling.undo(&divide(&scaling.lambda, &wanted)));
        let p = sub(&back, &r);
        self.p = store([kinds.cone.keep(p[0]), kinds.cone.keep(p[1]), kinds.cone.keep(p[2])]);
    }

    /// Gondzio's corrector: where the products of a longer step would leave the neighbourhood of the target, they are
    /// brought back to its edge.
    #[inline(always)]
    pub(super) fn recentre<S: Processor>(&mut self, s: S, target: f64, aim: f64) {
        let (kinds, scaling) = (self.kinds(s), Scaling::load(s, &self.scaling));
        let (dr, dz, p) = (load(s, &self.dr), load(s, &self.dz), load(s, &self.p));
        let aim = Lane::splat(s, aim);
        let a = add(&scaling.lambda, &scale(&scaling.apply(&kinds.impulse(&dr)), aim));
        let b = add(&scaling.lambda, &scale(&scaling.undo(&kinds.velocity(&dz)), aim));
        let v = circle(&a, &b);
        let t = tangential(&v);
        let over = t.inverse();
        let axis = [t.positive().keep(v[1] * over), t.positive().keep(v[2] * over)];
        let (least, most) = (t.all(0.1 * target), t.all(10.0 * target));
        let back = |v: Lane<S>| {
            let inside = most.less(v).choose(most, v.less(least).choose(least, v));
            let change = inside - v;
            change.less(-most).choose(-most, change)
        };
        let (plus, minus) = (back(v[0] + t), back(v[0] - t));
        // On the half-line there is one product, not two.
        let half = kinds.friction.keep((plus - minus) * 0.5);
        let wanted = [(plus + minus) * 0.5, half * axis[0], half * axis[1]];
        let more = kinds.impulse_back(&scaling.undo(&divide(&scaling.lambda, &wanted)));
        let keep = |x: Lane<S>| kinds.cone.keep(x);
        self.p = store(add(&p, &[keep(more[0]), keep(more[1]), keep(more[2])]));
    }

    /// Sets the step that belongs to relative velocities N dr, or to impulses that are known.
    #[inline(always)]
    pub(super) fn set_step<S: Processor>(&mut self, s: S, moved: &Lane3<S>, known: Option<Lane3<S>>) {
        let (kinds, p) = (self.kinds(s), load(s, &self.p));
        let rest = sub(&self.right_side(s, &p), moved);
        let dr = match known {
            Some(dr) => dr,
            None => add(&p, &times(&load(s, &self.theta), &rest)),
        };
        let dz = sub(&self.yielding(s, &sub(&dr, &p)), &rest);
        self.dr = store(dr);
        self.dz = store([
            kinds.cone.keep(dz[0]),
            kinds.friction.keep(dz[1]),
            kinds.friction.keep(dz[2]),
        ]);
    }

    /// Remembers the step, for [`Self::restore`].
    #[inline(always)]
    pub(super) fn remember(&mut self) {
        self.old = [self.dr, self.dz];
    }

    #[inline(always)]
    pub(super) fn restore(&mut self) {
        [self.dr, self.dz] = self.old;
    }

    /// Longest steps of impulses and of slacks that stay inside their cones.
    #[inline(always)]
    pub(super) fn longest<S: Processor>(&self, s: S, limit: f64) -> [Lane<S>; 2] {
        let (kinds, limit) = (self.kinds(s), Lane::splat(s, limit));
        let (r, z) = (load(s, &self.r), load(s, &self.z));
        let (dr, dz) = (load(s, &self.dr), load(s, &self.dz));
        let of_impulse = step_to_boundary(&kinds.impulse(&r), &kinds.impulse(&dr), limit);
        let of_slack = step_to_boundary(&kinds.velocity(&z), &kinds.velocity(&dz), limit);
        [kinds.cone.choose(of_impulse, limit), kinds.cone.choose(of_slack, limit)]
    }

    /// The products r . z along the step, as a polynomial of its length.
    #[inline(always)]
    pub(super) fn products<S: Processor>(&self, s: S) -> [Lane<S>; 2] {
        let (r, z) = (load(s, &self.r), load(s, &self.z));
        let (dr, dz) = (load(s, &self.dr), load(s, &self.dz));
        [dot(&r, &dz) + dot(&dr, &z), dot(&dr, &dz)]
    }

    /// Takes the step of impulses and that of slacks; the velocities move by (N + E) dr.
    #[inline(always)]
    pub(super) fn advance<S: Processor>(&mut self, s: S, moved: &Lane3<S>, steps: Steps) {
        let (step, of_slack) = (Lane::splat(s, steps.impulse), Lane::splat(s, steps.slack));
        let (dr, dz) = (load(s, &self.dr), load(s, &self.dz));
        let du = add(moved, &self.yielding(s, &dr));
        self.u = store(add(&load(s, &self.u), &scale(&du, step)));
        self.r = store(add(&load(s, &self.r), &scale(&dr, step)));
        self.z = store(add(&load(s, &self.z), &scale(&dz, of_slack)));
    }

    /// What the constraints add to the sums, in the order of [`super::sums::Sums`]. The natural map is
    /// asked for only with a shift.
    #[inline(always)]
    pub(super) fn measure<S: Processor>(&self, s: S, mean: f64, map: bool) -> [Lane<S>; 7] {
        let kinds = self.kinds(s);
        let (r, z, u, q) = (load(s, &self.r), load(s, &self.z), load(s, &self.u), load(s, &self.q));
        let below = project(&kinds, &[-u[0], -u[1], -u[2]]);
        let (inside, violation) = (add(&u, &below), norm(&below));
        let (shift, zero) = (Lane::new(s, self.shift), Lane::splat(s, 0.0));
        let yielded = self.yielding(s, &r);
        let caused = sub(&sub(&u, &[q[0] + shift, q[1], q[2]]), &yielded);
        let all = add(&caused, &yielded);
        let (mut square, mut size) = (zero, zero);
        if map {
            // In the problem's own units, up to those of the whole.
            let weight = Lane::new(s, self.weight);
            let (rs, us) = (scale(&r, weight.all(mean) / weight), scale(&u, weight));
            let away = sub(&rs, &project(&kinds, &sub(&rs, &us)));
            (square, size) = (dot(&away, &away), weight * weight * dot(&q, &q));
        }
        [
            dot(&r, &z),
            dot(&r, &inside).abs() + norm(&r) * violation + violation * violation,
            square,
            size,
            dot(&r, &caused),
            dot(&all, &all),
            dot(&r, &q) + r[0] * shift,
        ]
    }
}

/// The nearest point of the cone.
#[inline(always)]
fn project<S: Processor>(kinds: &Kinds<S>, x: &Lane3<S>) -> Lane3<S> {
    let (t, mu, zero) = (tangential(x), kinds.mu, kinds.mu.all(0.0));
    let n = (x[0] + mu * t) / (mu * mu + 1.0);
    let along = mu * n / t;
    let (within, polar) = (t.at_most(mu * x[0]), (mu * t).at_most(-x[0]));
    let of = |own: Lane<S>, edge: Lane<S>| within.choose(own, polar.choose(zero, edge));
    let across = |x: Lane<S>| kinds.friction.keep(of(x, along * x));
    let half_line = x[0].less(zero).choose(zero, x[0]);
    let scalar = kinds.cone.choose(half_line, x[0]);
    [kinds.friction.choose(of(x[0], n), scalar), across(x[1]), across(x[2])]
}
