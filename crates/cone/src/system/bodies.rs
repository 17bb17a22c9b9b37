//! The operator given by bodies: N = D' H^-1 D, never formed.
//!
//! Everything that joins the same two bodies acts on their relative twist at one point between them, so the work of a
//! contact is three rows of six numbers, and the work of a body is done once for each pair.

use glam::DVec3;

use super::{Operator, System};
use crate::{
    cone::{Cone, M3, V3},
    parallel,
    problem::{Body, BodyMotion, Contact, Link, LinkKind, Problem, ProblemError, Twist},
};

/// A twist or a wrench: linear part, angular part.
pub(crate) type V6 = [f64; 6];
/// A 6x6 matrix by rows.
pub(crate) type M6 = [[f64; 6]; 6];

/// In place of the index of a body that is not free.
pub(crate) const NONE: u32 = u32::MAX;

/// Two bodies, and the constraints that join them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// Indices among the free bodies, or [`NONE`]. Relative twist is that of the second less that of the first.
    pub(crate) bodies: [u32; 2],
    /// From the centre of each body to the point that the pair's twists and wrenches are about.
    pub(crate) arms: [V3; 2],
    /// First constraint; the last one is before the first of the next pair.
    pub(crate) start: u32,
    /// Relative twist of what is not free.
    driven: V6,
}

/// Bodies and how constraints act on them, without dimensions.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    /// Mass matrix of each free body.
    pub(crate) mass: Vec<M6>,
    /// Its inverse.
    pub(crate) inverse: Vec<M6>,
    /// Velocity of each free body if nothing touched it.
    pub(crate) free: Vec<V6>,
    /// For each free body the speed that it is given within the step, by its mass, and a tenth of its size over the step.
    pub(crate) given: Vec<[f64; 2]>,
    /// Index among the free bodies of each body, or [`NONE`].
    pub(crate) index: Vec<u32>,
    /// One more than there are pairs: the last tells where constraints end.
    pub(crate) pairs: Vec<Pair>,
    /// Three rows on the pair's relative twist for each constraint.
    pub(crate) jacobian: Vec<[V6; 3]>,
    /// Pair of each constraint.
    pair_of: Vec<u32>,
    /// For each free body, where its part of `incident` starts.
    incident_start: Vec<u32>,
    /// Pairs that a body takes part in: twice the pair, plus one where it is the second.
    incident: Vec<u32>,
    cursor: Vec<u32>,
}

#[inline(always)]
fn cross(a: &V3, b: &V3) -> V3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// The twist of a body at a point `arm` away from where it is given.
#[inline(always)]
pub(crate) fn lever(twist: &V6, arm: &V3) -> V6 {
    let w = [twist[3], twist[4], twist[5]];
    let c = cross(&w, arm);
    [twist[0] + c[0], twist[1] + c[1], twist[2] + c[2], w[0], w[1], w[2]]
}

/// The wrench about a body's centre of one that is given at a point `arm` away from it.
#[inline(always)]
pub(crate) fn spread(wrench: &V6, arm: &V3) -> V6 {
    let f = [wrench[0], wrench[1], wrench[2]];
    let c = cross(arm, &f);
    [f[0], f[1], f[2], wrench[3] + c[0], wrench[4] + c[1], wrench[5] + c[2]]
}

/// Adds J' r to a wrench.
#[inline(always)]
pub(crate) fn gather_wrench(wrench: &mut V6, jacobian: &[V6; 3], r: &V3) {
    for k in 0..6 {
        wrench[k] += jacobian[0][k] * r[0] + jacobian[1][k] * r[1] + jacobian[2][k] * r[2];
    }
}

#[inline(always)]
pub(crate) fn dot6(a: &V6, b: &V6) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]
}

#[inline(always)]
pub(crate) fn times6(m: &M6, a: &V6) -> V6 {
    std::array::from_fn(|i| dot6(&m[i], a))
}

impl Bodies {
    /// Number of pairs.
    pub(crate) fn len(&self) -> usize {
        self.pairs.len().saturating_sub(1)
    }

    /// Constraints of a pair.
    pub(crate) fn constraints(&self, pair: usize) -> std::ops::Range<usize> {
        self.pairs[pair].start as usize..self.pairs[pair + 1].start as usize
    }

    /// The pair that a constraint belongs to.
    #[inline(always)]
    pub(crate) fn pair(&self, constraint: usize) -> &Pair {
        &self.pairs[self.pair_of[constraint] as usize]
    }

    /// Wrench of each pair, about its point: D r before it is shared among bodies.
    pub(crate) fn wrenches(&self, r: &[V3], wrench: &mut Vec<V6>) {
        wrench.resize(self.len(), [0.0; 6]);
        parallel::for_each(wrench, |p, wrench| {
            *wrench = [0.0; 6];
            for i in self.constraints(p) {
                gather_wrench(wrench, &self.jacobian[i], &r[i]);
            }
        });
    }

    /// Pairs that a free body takes part in, and on which side.
    #[inline(always)]
    pub(crate) fn incident(&self, body: usize) -> impl Iterator<Item = (usize, usize)> {
        let range = self.incident_start[body] as usize..self.incident_start[body + 1] as usize;
        self.incident[range]
            .iter()
            .map(|&code| ((code / 2) as usize, (code % 2) as usize))
    }

    /// The wrench on one body: its part of D r.
    #[inline(always)]
    pub(crate) fn on_body(&self, body: usize, wrench: &[V6]) -> V6 {
        let mut sum = [0.0; 6];
        for (pair, side) in self.incident(body) {
            let part = spread(&wrench[pair], &self.pairs[pair].arms[side]);
            let sign = if side == 1 { 1.0 } else { -1.0 };
            for k in 0..6 {
                sum[k] += sign * part[k];
            }
        }
        sum
    }

    /// H^-1 D r, for each free body.
    pub(crate) fn velocity_change(&self, r: &[V3], wrench: &mut Vec<V6>, twist: &mut Vec<V6>) {
        self.wrenches(r, wrench);
        twist.resize(self.mass.len(), [0.0; 6]);
        parallel::for_each(twist, |b, twist| {
            *twist = times6(&self.inverse[b], &self.on_body(b, wrench));
        });
    }

    /// Relative twist of a pair whose free bodies move as given, at its point; driven bodies count as still.
    #[inline(always)]
    pub(crate) fn relative_twist(&self, pair: &Pair, twist: &[V6]) -> V6 {
        let mut sum = [0.0; 6];
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if pair.bodies[side] != NONE {
                let part = lever(&twist[pair.bodies[side] as usize], &pair.arms[side]);
                for k in 0..6 {
                    sum[k] += sign * part[k];
                }
            }
        }
        sum
    }

    /// D' v for velocities of the free bodies. `relative` is scratch, one for each pair.
    pub(crate) fn relative(&self, twist: &[V6], relative: &mut Vec<V6>, u: &mut [V3]) {
        relative.resize(self.len(), [0.0; 6]);
        parallel::for_each(relative, |p, relative| {
            *relative = self.relative_twist(&self.pairs[p], twist);
        });
        parallel::for_each(u, |i, u| {
            let t = &relative[self.pair_of[i] as usize];
            *u = std::array::from_fn(|k| dot6(&self.jacobian[i][k], t));
        });
    }

    /// The diagonal block of N of a constraint.
    pub(crate) fn diagonal(&self, i: usize) -> M3 {
        let pair = &self.pairs[self.pair_of[i] as usize];
        let mut sum = [[0.0; 3]; 3];
        for side in 0..2 {
            if pair.bodies[side] == NONE {
                continue;
            }
            let inverse = &self.inverse[pair.bodies[side] as usize];
            let rows: [V6; 3] = std::array::from_fn(|k| spread(&self.jacobian[i][k], &pair.arms[side]));
            for k in 0..3 {
                let t = times6(inverse, &rows[k]);
                for l in 0..3 {
                    sum[l][k] += dot6(&rows[l], &t);
                }
            }
        }
        sum
    }

    /// Mean of the diagonal of N over the rows of a constraint that are used.
    #[inline(always)]
    fn mean_diagonal(&self, i: usize, rows: usize) -> f64 {
        let pair = &self.pairs[self.pair_of[i] as usize];
        let mut sum = 0.0;
        for side in 0..2 {
            if pair.bodies[side] == NONE {
                continue;
            }
            let inverse = &self.inverse[pair.bodies[side] as usize];
            for row in &self.jacobian[i][..rows] {
                let t = spread(row, &pair.arms[side]);
                sum += dot6(&t, &times6(inverse, &t));
            }
        }
        sum / rows as f64
    }

    pub(super) fn divide_speeds(&mut self, speed: f64) {
        parallel::for_each(&mut self.free, |_, v| v.iter_mut().for_each(|x| *x /= speed));
        parallel::for_each(&mut self.given, |_, v| v.iter_mut().for_each(|x| *x /= speed));
    }
}

pub(super) fn validate(problem: &Problem) -> Result<(), ProblemError> {
    if !(problem.dt > 0.0 && problem.dt.is_finite()) {
        return Err(ProblemError::TimeStep(problem.dt));
    }
    let not_finite = |what, index, field| Err(ProblemError::NotFinite { what, index, field });
    for (index, body) in problem.bodies.iter().enumerate() {
        if !body.center.is_finite() {
            return not_finite("body", index, "its centre");
        }
        let finite = match &body.motion {
            BodyMotion::Driven { velocity } => velocity.is_finite(),
            BodyMotion::Free {
                free_velocity,
                velocity_before,
                ..
            } => free_velocity.is_finite() && velocity_before.is_finite(),
        };
        if !finite {
            return not_finite("body", index, "its velocity");
        }
    }
    let count = problem.bodies.len();
    let joined = |what, index, bodies: [u32; 2]| {
        if let Some(&body) = bodies.iter().find(|&&b| b as usize >= count) {
            return Err(ProblemError::NoSuchBody {
                what,
                index,
                body,
                bodies: count,
            });
        }
        if bodies[0] == bodies[1] {
            let body = bodies[0];
            return Err(ProblemError::SameBody { what, index, body });
        }
        Ok(())
    };
    let range = |what, index, field, value: f64, high: f64, allowed| {
        if (0.0..=high).contains(&value) {
            return Ok(());
        }
        Err(ProblemError::OutOfRange {
            what,
            index,
            field,
            value,
            allowed,
        })
    };
    const NOT_NEGATIVE: &str = "a finite number, zero or more";
    for (index, c) in problem.contacts.iter().enumerate() {
        joined("contact", index, c.bodies)?;
        if !(c.point.is_finite()
            && c.gap.is_finite()
            && c.slip.is_finite()
            && c.guess.is_finite()
            && c.sliding.is_finite()
            && c.free_deformation.is_finite())
        {
            return not_finite("contact", index, "its point, gap, slip, guess, sliding or deformation");
        }
        let length = c.normal.length();
        // A NaN must not pass, hence the negation.
        if !((length - 1.0).abs() <= 1e-6) {
            return Err(ProblemError::OutOfRange {
                what: "contact",
                index,
                field: "the length of its normal",
                value: length,
                allowed: "1",
            });
        }
        range("contact", index, "friction", c.friction, f64::MAX, NOT_NEGATIVE)?;
        range("contact", index, "restitution", c.restitution, 1.0, "from 0 to 1")?;
        for value in c.compliance {
            range("contact", index, "compliance", value, f64::MAX, NOT_NEGATIVE)?;
        }
    }
    for (index, l) in problem.links.iter().enumerate() {
        joined("link", index, l.bodies)?;
        let vectors = [l.point, l.force, l.moment];
        if !(vectors.iter().all(|v| v.is_finite()) && l.offset.is_finite() && l.guess.is_finite()) {
            return not_finite("link", index, "its point, force, moment, offset or guess");
        }
        range("link", index, "compliance", l.compliance, f64::MAX, NOT_NEGATIVE)?;
    }
    Ok(())
}

/// Inverse of a symmetric positive definite 6x6 matrix, or nothing where it is not one.
fn invert6(m: &M6) -> Option<M6> {
    let mut l = [[0.0; 6]; 6];
    for i in 0..6 {
        for j in 0..=i {
            let largest = m[i][i].abs().max(m[j][j].abs());
            if !((m[i][j] - m[j][i]).abs() <= 1e-9 * largest) {
                return None;
            }
            let mut sum = m[i][j];
            for k in 0..j {
                sum -= l[i][k] * l[j][k];
            }
            if i == j {
                if !(sum > 1e-14 * m[i][i] && sum.is_finite()) {
                    return None;
                }
                l[i][i] = sum.sqrt();
            } else {
                l[i][j] = sum / l[j][j];
            }
        }
    }
    let mut inverse = [[0.0; 6]; 6];
    for c in 0..6 {
        let mut x = [0.0; 6];
        x[c] = 1.0;
        for i in 0..6 {
            for k in 0..i {
                x[i] -= l[i][k] * x[k];
            }
            x[i] /= l[i][i];
        }
        for i in (0..6).rev() {
            for k in i + 1..6 {
                x[i] -= l[k][i] * x[k];
            }
            x[i] /= l[i][i];
        }
        for i in 0..6 {
            inverse[i][c] = x[i];
        }
    }
    Some(inverse)
}

/// The joined bodies in rising order, and whether that turned them round.
fn sorted(bodies: [u32; 2]) -> ([u32; 2], bool) {
    if bodies[0] < bodies[1] {
        (bodies, false)
    } else {
        ([bodies[1], bodies[0]], true)
    }
}

fn row(force: DVec3, moment: DVec3) -> V6 {
    [force.x, force.y, force.z, moment.x, moment.y, moment.z]
}

fn point_of(problem: &Problem, i: u32) -> DVec3 {
    match problem.contacts.get(i as usize) {
        Some(contact) => contact.point,
        None => problem.links[i as usize - problem.contacts.len()].point,
    }
}

/// Fills the system, in units of length and mass; speeds are still in m/s.
pub(super) fn fill(system: &mut System, problem: &Problem) -> Result<(), ProblemError> {
    let System {
        operator: Operator::Bodies(bodies),
        order,
        units,
        ..
    } = system
    else {
        return Ok(());
    };
    units.speed = 1.0;
    (units.length, units.mass) = characteristic(&problem.bodies);
    let (length, mass) = (units.length, units.mass);
    set_masses(bodies, problem, length, mass)?;

    let count = (problem.contacts.len() + problem.links.len()) as u32;
    order.clear();
    order.extend(0..count);
    order.sort_unstable_by_key(|&i| (sorted(problem.joins(i)).0, i));

    bodies.pairs.clear();
    bodies.pair_of.clear();
    let mut last = None;
    for (k, &i) in order.iter().enumerate() {
        let (joined, _) = sorted(problem.joins(i));
        if last != Some(joined) {
            last = Some(joined);
            bodies.pairs.push(new_pair(
                problem,
                &bodies.index,
                joined,
                point_of(problem, i),
                length,
                k,
            ));
        }
        bodies.pair_of.push(bodies.pairs.len() as u32 - 1);
    }
    bodies.pairs.push(Pair {
        bodies: [NONE; 2],
        arms: [[0.0; 3]; 2],
        start: count,
        driven: [0.0; 6],
    });
    set_incident(bodies);
    set_constraints(system, problem);
    Ok(())
}

/// Length and mass that the problem is measured in: means over the free bodies of gyration radius and mass.
fn characteristic(bodies: &[Body]) -> (f64, f64) {
    let (mut count, mut radius, mut total) = (0.0, 0.0, 0.0);
    for body in bodies {
        if let BodyMotion::Free { mass: h, .. } = &body.motion {
            let m = (h[0][0] + h[1][1] + h[2][2]) / 3.0;
            radius += ((h[3][3] + h[4][4] + h[5][5]) / (3.0 * m)).sqrt();
            total += m;
            count += 1.0;
        }
    }
    let fits = |x: f64| if x.is_normal() && x > 0.0 { x } else { 1.0 };
    (fits(radius / count), fits(total / count))
}

fn set_masses(bodies: &mut Bodies, problem: &Problem, length: f64, mass: f64) -> Result<(), ProblemError> {
    bodies.mass.clear();
    bodies.inverse.clear();
    bodies.free.clear();
    bodies.given.clear();
    bodies.index.clear();
    let power = |k: usize| if k < 3 { 1.0 } else { length };
    for (index, body) in problem.bodies.iter().enumerate() {
        let BodyMotion::Free {
            mass: h, free_velocity, ..
        } = &body.motion
        else {
            bodies.index.push(NONE);
            continue;
        };
        bodies.given.push(body.given_speeds(problem.dt));
        let h: M6 = std::array::from_fn(|i| std::array::from_fn(|j| h[i][j] / (mass * power(i) * power(j))));
        let inverse = invert6(&h).ok_or(ProblemError::Mass { body: index })?;
        bodies.index.push(bodies.mass.len() as u32);
        bodies.mass.push(h);
        bodies.inverse.push(inverse);
        let v = free_velocity.to_array();
        bodies.free.push(std::array::from_fn(|k| v[k] * power(k)));
    }
    Ok(())
}

fn new_pair(problem: &Problem, index: &[u32], joined: [u32; 2], point: DVec3, length: f64, start: usize) -> Pair {
    let mut driven = [0.0; 6];
    for (side, sign) in [(0, -1.0), (1, 1.0)] {
        let body = &problem.bodies[joined[side] as usize];
        if let BodyMotion::Driven { velocity } = body.motion {
            let at = Twist {
                linear: velocity.at(point - body.center),
                angular: velocity.angular * length,
            };
            for (sum, part) in driven.iter_mut().zip(at.to_array()) {
                *sum += sign * part;
            }
        }
    }
    Pair {
        bodies: joined.map(|b| index[b as usize]),
        arms: joined.map(|b| ((point - problem.bodies[b as usize].center) / length).to_array()),
        start: start as u32,
        driven,
    }
}

fn set_incident(bodies: &mut Bodies) {
    let n = bodies.mass.len();
    bodies.incident_start.clear();
    bodies.incident_start.resize(n + 1, 0);
    let pairs = &bodies.pairs[..bodies.pairs.len() - 1];
    for body in pairs.iter().flat_map(|p| p.bodies).filter(|&b| b != NONE) {
        bodies.incident_start[body as usize + 1] += 1;
    }
    for b in 0..n {
        bodies.incident_start[b + 1] += bodies.incident_start[b];
    }
    bodies.cursor.clear();
    bodies.cursor.extend(&bodies.incident_start[..n]);
    bodies.incident.clear();
    bodies.incident.resize(bodies.incident_start[n] as usize, 0);
    for (p, pair) in pairs.iter().enumerate() {
        for side in 0..2 {
            if pair.bodies[side] != NONE {
                let cursor = &mut bodies.cursor[pair.bodies[side] as usize];
                bodies.incident[*cursor as usize] = (2 * p + side) as u32;
                *cursor += 1;
            }
        }
    }
}

/// One constraint: rows on the pair's twist, offset, guess; in units of length.
#[inline(always)]
fn constraint(problem: &Problem, i: u32, from: DVec3, length: f64) -> ([V6; 3], V3, V3) {
    match problem.contacts.get(i as usize) {
        Some(contact) => contact_rows(problem, contact, from, length),
        None => link_rows(
            &problem.links[i as usize - problem.contacts.len()],
            from,
            length,
            problem.dt,
        ),
    }
}

#[inline(always)]
fn contact_rows(problem: &Problem, contact: &Contact, from: DVec3, length: f64) -> ([V6; 3], V3, V3) {
    let sign = if sorted(contact.bodies).1 { -1.0 } else { 1.0 };
    let tangents = contact.tangents();
    let arm = (contact.point - from) / length;
    let frame = [contact.normal, tangents[0], tangents[1]];
    let rows = frame.map(|d| row(sign * d, sign * arm.cross(d)));
    let offset = contact.offset(&problem.bodies, problem.dt, &tangents);
    (rows, offset, frame.map(|d| d.dot(contact.guess)))
}

fn link_rows(link: &Link, from: DVec3, length: f64, dt: f64) -> ([V6; 3], V3, V3) {
    let sign = if sorted(link.bodies).1 { -1.0 } else { 1.0 };
    let arm = (link.point - from) / length;
    let first = row(sign * link.force, sign * (arm.cross(link.force) + link.moment / length));
    (
        [first, [0.0; 6], [0.0; 6]],
        [link.offset / dt + link.free_deformation, 0.0, 0.0],
        [link.guess, 0.0, 0.0],
    )
}

/// Cone and compliance of a constraint.
fn kind(problem: &Problem, i: u32) -> (Cone, V3) {
    match problem.contacts.get(i as usize) {
        Some(contact) => {
            let [en, et] = contact.compliance;
            let cone = if contact.friction > 0.0 {
                Cone::Friction(contact.friction)
            } else {
                Cone::Unilateral
            };
            (cone, [en, et, et])
        }
        None => {
            let link = &problem.links[i as usize - problem.contacts.len()];
            let cone = match link.kind {
                LinkKind::Rigid => Cone::Bilateral,
                LinkKind::OneWay => Cone::Unilateral,
            };
            (cone, [link.compliance, 0.0, 0.0])
        }
    }
}

fn set_constraints(system: &mut System, problem: &Problem) {
    let n = system.order.len();
    let Operator::Bodies(bodies) = &mut system.operator else {
        return;
    };
    let (length, mass) = (system.units.length, system.units.mass);
    system.cones.resize(n, Cone::Bilateral);
    system.q.resize(n, [0.0; 3]);
    system.compliance.resize(n, [0.0; 3]);
    system.guess.resize(n, [0.0; 3]);
    system.weight.resize(n, 1.0);
    system.shift.resize(n, 0.0);
    bodies.jacobian.resize(n, [[0.0; 6]; 3]);
    let order = &system.order;
    let (pairs, pair_of) = (&bodies.pairs, &bodies.pair_of);
    // The point of a pair is that of its first constraint.
    let from = |i: usize| point_of(problem, order[pairs[pair_of[i] as usize].start as usize]);
    parallel::for_each3(
        &mut bodies.jacobian,
        &mut system.q,
        &mut system.guess,
        |i, rows, q, guess| {
            let (j, offset, start) = constraint(problem, order[i], from(i), length);
            let driven = &pairs[pair_of[i] as usize].driven;
            *rows = j;
            *q = std::array::from_fn(|k| offset[k] + dot6(&j[k], driven));
            *guess = start.map(|g| g / mass);
        },
    );
    parallel::for_each2(&mut system.cones, &mut system.compliance, |i, cone, compliance| {
        let (set, e) = kind(problem, order[i]);
        *cone = set;
        *compliance = e.map(|e| e * mass);
    });
    // A link between driven bodies, or one without a wrench, has no diagonal: it keeps the scale of the others.
    let (shared, deformed): (&Bodies, _) = (bodies, &system.deformed);
    parallel::for_each(&mut system.weight, |i, weight| {
        let rows = if order[i] < problem.contacts.len() as u32 { 3 } else { 1 };
        let mean = shared.mean_diagonal(i, rows) + deformed.get(order[i] as usize).map_or(0.0, |more| more * mass);
        *weight = if mean.is_normal() { mean.sqrt() } else { 1.0 };
    });
    let weight = &system.weight;
    parallel::for_each(&mut system.shift, |i, shift| {
        let contact = problem.contacts.get(order[i] as usize);
        *shift = contact.map_or(0.0, |c| c.friction * c.sliding / weight[i]);
    });
    parallel::for_each2(&mut bodies.jacobian, &mut system.q, |i, rows, q| {
        let w = weight[i];
        rows.as_flattened_mut().iter_mut().for_each(|x| *x /= w);
        q.iter_mut().for_each(|x| *x /= w);
    });
    parallel::for_each2(&mut system.compliance, &mut system.guess, |i, compliance, guess| {
        let w = weight[i];
        compliance.iter_mut().for_each(|x| *x /= w * w);
        guess.iter_mut().for_each(|x| *x *= w);
    });
    // The free velocity of the bodies makes the rest of q.
    let bodies: &Bodies = bodies;
    parallel::for_each(&mut system.q, |i, q| {
        let t = bodies.relative_twist(&bodies.pairs[bodies.pair_of[i] as usize], &bodies.free);
        for k in 0..3 {
            q[k] += dot6(&bodies.jacobian[i][k], &t);
        }
    });
    debug_assert!(system.weight.iter().all(|w| *w > 0.0));
}
