//! Bodies that creep to rest, or away: what a structure does whose joints yield, with so much damping that nothing swings.
//!
//! ```text
//! H w' = D r(d) + load,    d = D' w + q,    r_n = max(0, -d_n / e_n),    r_t = -d_t / e_t, at most mu r_n long
//! ```
//!
//! Forces follow from the motion alone: a joint that is closed presses, and friction acts against all that it has slid, as
//! coupled analysis asks. So an equilibrium of this motion is a solution of the static problem of Coulomb with these
//! compliances, and where the motion does not end there is none that it leads to. It is followed by implicit steps,
//!
//! ```text
//! (H / dt + D C D') dw = D r + load,    C = -dr/dd
//! ```
//!
//! each with one factorisation. Steps grow while forces come out as foreseen, in the end to those of Newton's method.

use super::{Rows, add_stiffness, stiffen, unsymmetric::Unsymmetric};
use crate::{
    cone::{Cone, V3, tangential},
    methods::Outcome,
    parallel,
    solution::Status,
    system::{Bodies, M6, Operator, System, V6, dot6, gather_wrench, times6},
};

const TUNING: crate::tuning::Creep = crate::Tuning::DEFAULT.creep;

/// The method, and its memory.
#[derive(Debug, Default)]
pub(crate) struct Creep {
    joints: Vec<Joint>,
    tried: Vec<Joint>,
    matrix: Unsymmetric,
    stiffness: Vec<M6>,
    wrench: Vec<V6>,
    moved: Vec<V3>,
    /// What forces leave of the loads, and the same after the step that is tried.
    left: Vec<V6>,
    after: Vec<V6>,
    step: Vec<V6>,
    twist: Vec<V6>,
    /// Time, and what was left of the loads.
    history: Vec<[f64; 2]>,
}

/// A joint: its force, and how it falls with the motion.
#[derive(Clone, Copy, Debug, Default)]
struct Joint {
    r: V3,
    c: Rows,
}

impl Joint {
    fn new(cone: Cone, d: &V3, compliance: &V3) -> Self {
        let [en, et, _] = *compliance;
        let press = -d[0] / en;
        let mut joint = Self::default();
        if press <= 0.0 && cone != Cone::Bilateral {
            return joint;
        }
        joint.r[0] = press;
        joint.c[0][0] = 1.0 / en;
        let Cone::Friction(mu) = cone else { return joint };
        let slid = tangential(d);
        if slid / et <= mu * press {
            for k in 1..3 {
                joint.r[k] = -d[k] / et;
                joint.c[k][k] = 1.0 / et;
            }
            return joint;
        }
        let against = [-d[1] / slid, -d[2] / slid];
        for k in 0..2 {
            joint.r[1 + k] = mu * press * against[k];
            joint.c[1 + k][0] = mu * against[k] / en;
            for l in 0..2 {
                let across = if k == l { 1.0 } else { 0.0 } - against[k] * against[l];
                joint.c[1 + k][1 + l] = mu * press / slid * across;
            }
        }
        joint
    }
}

impl Creep {
    /// Follows the motion from `twist`. [`Status::Solved`] where it comes to rest; [`Status::Infeasible`] where it goes on,
    /// and `twist` is then its velocity.
    pub(crate) fn solve(
        &mut self,
        system: &System,
        load: &[V6],
        (tolerance, limit): (f64, usize),
        (r, twist): (&mut Vec<V3>, &mut Vec<V6>),
    ) -> Outcome {
        let mut outcome = Outcome {
            status: Status::IterationLimit,
            ..Outcome::default()
        };
        let Operator::Bodies(bodies) = &system.operator else {
            return outcome;
        };
        self.prepare(system, bodies);
        let size: f64 = load
            .iter()
            .zip(&bodies.inverse)
            .map(|(l, i)| dot6(&times6(i, l), l))
            .sum();
        let size = size.sqrt().max(f64::MIN_POSITIVE);
        self.measure(system, bodies, load, twist);
        std::mem::swap(&mut self.joints, &mut self.tried);
        std::mem::swap(&mut self.left, &mut self.after);
        let first = self.reach().max(1.0);
        let (mut time, mut dt) = (0.0, 1.0);
        self.history.clear();
        loop {
            outcome.balance = norm(&self.left, &bodies.inverse) / size;
            self.history.push([time, outcome.balance]);
            if !outcome.balance.is_finite() {
                outcome.status = Status::NumericalError;
                break;
            }
            if outcome.balance <= tolerance {
                outcome.status = Status::Solved;
                break;
            }
            if self.reach() > TUNING.far * first && self.goes_on(time) {
                outcome.status = Status::Infeasible;
                twist.clone_from(&self.step);
                break;
            }
            if outcome.iterations >= limit || system.stop.is_set() {
                break;
            }
            let Some(error) = self.advance(system, bodies, load, twist, &mut dt, &mut outcome.iterations) else {
                outcome.status = Status::NumericalError;
                break;
            };
            time += dt;
            dt *= match error {
                e if e < TUNING.foreseen => TUNING.faster,
                e if e < TUNING.fair => TUNING.somewhat_faster,
                _ => 1.0,
            };
        }
        outcome.gap = 0.0;
        r.clear();
        r.extend(self.joints.iter().map(|j| j.r));
        outcome
    }

    fn prepare(&mut self, system: &System, bodies: &Bodies) {
        for joints in [&mut self.joints, &mut self.tried] {
            joints.clear();
            joints.resize(system.len(), Joint::default());
        }
        self.stiffness.resize(bodies.len(), [[0.0; 6]; 6]);
        self.wrench.resize(bodies.len(), [0.0; 6]);
        self.moved.resize(system.len(), [0.0; 3]);
        let edge = |p: usize| bodies.pairs[p].bodies;
        self.matrix.prepare(bodies.mass.len(), (0..bodies.len()).map(edge));
    }

    /// Takes a step, shorter until forces come out nearly as foreseen. Gives by how much they did not.
    fn advance(
        &mut self,
        system: &System,
        bodies: &Bodies,
        load: &[V6],
        twist: &mut Vec<V6>,
        dt: &mut f64,
        factorisations: &mut usize,
    ) -> Option<f64> {
        let joints = &self.joints;
        parallel::for_each(&mut self.stiffness, |p, stiffness| {
            *stiffness = [[0.0; 6]; 6];
            for i in bodies.constraints(p) {
                let rows = if system.cones[i].friction() > 0.0 { 3 } else { 1 };
                stiffen(&joints[i].c, rows, &bodies.jacobian[i], stiffness);
            }
        });
        loop {
            self.matrix.clear();
            add_stiffness(&mut self.matrix, bodies, &self.stiffness);
            for (b, mass) in bodies.mass.iter().enumerate() {
                self.matrix.add(0, (0, 0), (b as u32, b as u32), 1.0 / *dt, mass);
            }
            *factorisations += 1;
            self.matrix.factor()?;
            self.step.clone_from(&self.left);
            self.matrix.solve(self.step.as_flattened_mut())?;
            self.twist.clone_from(twist);
            for (twist, step) in self.twist.iter_mut().zip(&self.step) {
                twist.iter_mut().zip(step).for_each(|(x, y)| *x += y);
            }
            let tried = std::mem::take(&mut self.twist);
            self.measure(system, bodies, load, &tried);
            self.twist = tried;
            // What the step foresaw is left: H dw / dt.
            let foreseen: Vec<V6> = self.step.iter().zip(&bodies.mass).map(|(s, m)| times6(m, s)).collect();
            let by = |(f, a): (&V6, &V6)| -> V6 { std::array::from_fn(|k| f[k] / *dt - a[k]) };
            let off: Vec<V6> = foreseen.iter().zip(&self.after).map(by).collect();
            let expected = norm(&foreseen, &bodies.inverse) / *dt;
            let error = norm(&off, &bodies.inverse) / expected.max(f64::MIN_POSITIVE);
            if !error.is_finite() && *dt < TUNING.shortest {
                return None;
            }
            if error < TUNING.refused || *dt < TUNING.shortest {
                twist.clone_from(&self.twist);
                std::mem::swap(&mut self.joints, &mut self.tried);
                std::mem::swap(&mut self.left, &mut self.after);
                return Some(error);
            }
            *dt *= TUNING.slower;
        }
    }

    /// Forces of joints (`tried`), and what they leave of the loads (`after`), for a motion.
    fn measure(&mut self, system: &System, bodies: &Bodies, load: &[V6], twist: &[V6]) {
        bodies.relative(twist, &mut self.wrench, &mut self.moved);
        let moved = &self.moved;
        parallel::for_each(&mut self.tried, |i, joint| {
            let d = std::array::from_fn(|k| moved[i][k] + system.q[i][k]);
            *joint = Joint::new(system.cones[i], &d, &system.compliance[i]);
        });
        let tried = &self.tried;
        parallel::for_each(&mut self.wrench, |p, wrench| {
            *wrench = [0.0; 6];
            for i in bodies.constraints(p) {
                gather_wrench(wrench, &bodies.jacobian[i], &tried[i].r);
            }
        });
        let wrench = &self.wrench;
        self.after.clear();
        self.after.extend(load.iter().enumerate().map(|(b, load)| {
            let given = bodies.on_body(b, wrench);
            std::array::from_fn(|k| given[k] + load[k])
        }));
    }

    /// Largest relative motion at a joint.
    fn reach(&self) -> f64 {
        let longest = |v: &V3| v[0].hypot(v[1]).hypot(v[2]);
        self.moved.iter().map(longest).fold(0.0, f64::max)
    }

    /// Whether the motion does not fade: what is left of the loads falls much more slowly than time goes by.
    fn goes_on(&self, time: f64) -> bool {
        let then = self.history.iter().rev().find(|h| h[0] <= time / TUNING.looks_back);
        let now = self.history.last();
        let (Some(then), Some(now)) = (then, now) else {
            return false;
        };
        now[1] > then[1] * TUNING.looks_back.powf(-TUNING.fades)
    }
}

/// Length of a list of wrenches, by H^-1.
fn norm(wrenches: &[V6], inverse: &[M6]) -> f64 {
    let square = |(x, inverse)| dot6(&times6(inverse, x), x);
    wrenches.iter().zip(inverse).map(square).sum::<f64>().max(0.0).sqrt()
}
