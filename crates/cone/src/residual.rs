//! How well velocities and impulses satisfy a problem, computed from the problem as stated and from nothing of the
//! solver's. With w the mean diagonal of the Delassus matrix over the contacts, u the relative velocity with offset and
//! compliance (and De Saxce's term for Coulomb friction), q that without impulses:
//!
//! ```text
//! equilibrium      |H (v - v_free) - D r| / |D r|                       both by H^-1
//! cone             max over contacts of |w r - P_K(w r)|, |u - P_K*(u)|, over |q|
//! complementarity  sum of |w r . u| / |q|^2
//! natural map      |w r - P_K(w r - u)| / |q|
//! local            max over contacts of |w_i r - P_K(w_i r - u)| and over bodies of |H (v - v_free) - D r| by H^-1 over
//!                  the root of the mass, each over the speed that counts there (`measure::speed_that_counts`)
//! velocity error   (b + sqrt(b^2 + 4 g)) / 2 / |v - v_free|   by H, where b = |H (v - v_free) - D r| by H^-1 and
//!                  g = sum of |r . P_K*(u)| + |r| d + d^2 / w_i,  d = |u - P_K*(u)|,  w_i the contact's own diagonal
//! ```

use glam::{DMat3, DVec3};

use crate::{
    cone::{Cone, V3, dot, norm, scale, sub},
    measure::{CoulombLeft, OPENING, corrected, coulomb_error, larger, mean_speed, over, root, speed_that_counts},
    problem::{Body, BodyMotion, Contact, DelassusProblem, Link, LinkKind, Problem, Twist},
    settings::{CoulombMeasure, Friction, SolverSettings},
    solution::{Residuals, Solution},
};

/// One constraint as the residuals need it.
#[derive(Clone, Copy, Debug)]
struct Row {
    cone: Cone,
    r: V3,
    u: V3,
    q: V3,
    /// Mean diagonal of its own block of the Delassus matrix.
    own: f64,
}

/// Memory that is used again.
#[derive(Debug, Default)]
pub(crate) struct Auditor {
    rows: Vec<Row>,
    wrench: Vec<[f64; 6]>,
    inverse: Vec<[[f64; 6]; 6]>,
    /// Inverse mass of each body, and the speed that counts for it; zero where it is driven.
    speed: Vec<(f64, f64)>,
    /// Impulses of links as vectors, where bodies deform.
    by_links: Vec<DVec3>,
}

impl Row {
    /// Impulse and velocity in units that make the constraint's own diagonal one.
    fn scaled(&self) -> [V3; 2] {
        let root = if self.own > 0.0 { self.own.sqrt() } else { 1.0 };
        [scale(&self.r, root), scale(&self.u, 1.0 / root)]
    }

    /// The natural map with the constraint's own diagonal: an error of its velocity.
    /// Over the speed that counts.
    fn error(&self, settings: &SolverSettings, speed: f64) -> f64 {
        if (settings.friction, settings.coulomb) == (Friction::Coulomb, CoulombMeasure::VelocityError) {
            let [r, u] = self.scaled();
            return over(self.own.sqrt() * coulomb_error(self.cone, &r, &u), speed);
        }
        let u = corrected(settings.friction, self.cone, &self.u);
        let r = scale(&self.r, self.own);
        over(norm(&sub(&r, &self.cone.project(&sub(&r, &u)))), speed)
    }
}

/// Velocity with which a body moves if nothing touches it.
fn free(body: &Body) -> Twist {
    match &body.motion {
        BodyMotion::Free { free_velocity, .. } => *free_velocity,
        BodyMotion::Driven { velocity } => *velocity,
    }
}

/// Inverse by Gauss-Jordan elimination; mass matrices need no pivoting.
fn inverse(matrix: &[[f64; 6]; 6]) -> [[f64; 6]; 6] {
    let mut a = *matrix;
    for p in 0..6 {
        let pivot = 1.0 / a[p][p];
        a[p][p] = 1.0;
        a[p].iter_mut().for_each(|x| *x *= pivot);
        let row = a[p];
        for (i, other) in a.iter_mut().enumerate() {
            if i != p {
                let factor = other[p];
                other[p] = 0.0;
                for (x, y) in other.iter_mut().zip(row) {
                    *x -= factor * y;
                }
            }
        }
    }
    a
}

fn form(m: &[[f64; 6]; 6], x: &[f64; 6]) -> f64 {
    let product = |row: &[f64; 6]| row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
    m.iter().zip(x).map(|(row, xi)| xi * product(row)).sum()
}

fn wrench_of(force: DVec3, moment: DVec3) -> [f64; 6] {
    [force.x, force.y, force.z, moment.x, moment.y, moment.z]
}

/// Sum of [`form`] over the wrenches of unit forces in three directions across each other that act at the end of `arm`.
/// The sum does not depend on the directions.
fn trace(m: &[[f64; 6]; 6], arm: DVec3) -> f64 {
    let [x, y, z] = arm.to_array();
    let mixed = (m[0][4] - m[1][3]) * z + (m[2][3] - m[0][5]) * y + (m[1][5] - m[2][4]) * x;
    let turning = DMat3::from_cols_array_2d(&[
        [m[3][3], m[4][3], m[5][3]],
        [m[3][4], m[4][4], m[5][4]],
        [m[3][5], m[4][5], m[5][5]],
    ]);
    let angular = (m[3][3] + m[4][4] + m[5][5]) * arm.length_squared() - arm.dot(turning * arm);
    m[0][0] + m[1][1] + m[2][2] + 2.0 * mixed + angular
}

impl Auditor {
    /// The residuals of a solution of a problem of bodies.
    pub(crate) fn audit(&mut self, problem: &Problem, settings: &SolverSettings, solution: &Solution) -> Residuals {
        let friction = settings.friction;
        let is_free = |body: &&Body| matches!(body.motion, BodyMotion::Free { .. });
        let free = problem.bodies.iter().filter(is_free).count();
        self.inverse.clear();
        self.inverse
            .extend(problem.bodies.iter().map(|body| match &body.motion {
                BodyMotion::Free { mass, .. } => inverse(mass),
                BodyMotion::Driven { .. } => [[0.0; 6]; 6],
            }));
        self.wrench.clear();
        self.wrench.resize(problem.bodies.len(), [0.0; 6]);
        self.rows.clear();
        for (contact, impulse) in problem.contacts.iter().zip(&solution.impulses) {
            let row = self.contact(problem, solution, contact, *impulse);
            self.rows.push(row);
        }
        for (link, impulse) in problem.links.iter().zip(&solution.link_impulses) {
            let row = self.link(problem, solution, link, *impulse);
            self.rows.push(row);
        }
        let deformed = self.deform(problem, solution);
        let (mut residuals, left) = assess(&self.rows, friction);
        self.speed.clear();
        let (mut unbalanced, mut caused, mut moved, mut all) = (0.0, 0.0, deformed, 0.0);
        for (b, body) in problem.bodies.iter().enumerate() {
            let BodyMotion::Free {
                mass, free_velocity, ..
            } = &body.motion
            else {
                self.speed.push((0.0, 0.0));
                continue;
            };
            let (v, f) = (solution.velocities[b].to_array(), free_velocity.to_array());
            let change: [f64; 6] = std::array::from_fn(|k| v[k] - f[k]);
            let missing: [f64; 6] = std::array::from_fn(|k| {
                mass[k].iter().zip(change).map(|(h, c)| h * c).sum::<f64>() - self.wrench[b][k]
            });
            let own = form(&self.inverse[b], &missing);
            let [change, after, before] = [form(mass, &change), form(mass, &v), form(mass, &f)];
            unbalanced += own;
            caused += form(&self.inverse[b], &self.wrench[b]);
            moved += change;
            all += after + before;
            let m = (mass[0][0] + mass[1][1] + mass[2][2]) / 3.0;
            let by_mass = |energy: f64| (energy.max(0.0) / m).sqrt();
            let fastest = by_mass(after.max(before));
            let speed = speed_that_counts(by_mass(change), body.given_speeds(problem.dt), fastest);
            self.speed.push((1.0 / m, speed));
            residuals.local = larger(residuals.local, over(by_mass(own), speed));
        }
        let joined = problem.contacts.iter().map(|c| c.bodies);
        for (row, bodies) in self
            .rows
            .iter()
            .zip(joined.chain(problem.links.iter().map(|l| l.bodies)))
        {
            let speed = mean_speed(bodies.map(|b| self.speed[b as usize]));
            residuals.local = larger(residuals.local, row.error(settings, speed));
        }
        residuals.equilibrium = root(unbalanced, caused);
        let gap = residuals.velocity_error + left.gap(free, OPENING);
        let bound = 0.5 * (unbalanced.sqrt() + (unbalanced + 4.0 * gap).sqrt());
        // What lies below the rounding of the velocities themselves is no error of theirs.
        residuals.velocity_error = root(bound * bound, moved.max(1e-24 * all));
        residuals
    }

    /// Adds what impulses move contacts by through deformation. Gives the square of the velocities of deformation that they
    /// cause, by the iteration matrix.
    fn deform(&mut self, problem: &Problem, solution: &Solution) -> f64 {
        let mut square = 0.0;
        let links = problem.links.iter().zip(&solution.link_impulses);
        self.by_links.clear();
        self.by_links.extend(links.map(|(link, r)| *r * link.force));
        let count = problem.contacts.len();
        let Self { rows, by_links, .. } = self;
        for deformation in &problem.deformations {
            let impulses: [&dyn Fn(usize) -> DVec3; 2] = [&|k| solution.impulses[k], &|k| by_links[k]];
            deformation.respond(problem, impulses, |place, moved| {
                for (u, axis) in rows[place as usize].u.iter_mut().zip(problem.axes(place)) {
                    *u += axis.dot(moved);
                }
                square += moved.dot(match (place as usize).checked_sub(count) {
                    None => impulses[0](place as usize),
                    Some(link) => impulses[1](link),
                });
            });
            for (k, &place) in deformation.contacts.iter().enumerate() {
                rows[place as usize].own += deformation.own(problem, k);
            }
        }
        square
    }

    /// The residuals of impulses for a problem that is given by its matrix.
    pub(crate) fn audit_matrix(
        &mut self,
        problem: &DelassusProblem,
        friction: Friction,
        impulses: &[DVec3],
    ) -> Residuals {
        self.rows.clear();
        self.rows.extend(problem.q.iter().enumerate().map(|(i, &q)| Row {
            cone: contact_cone(problem.friction[i]),
            r: impulses[i].to_array(),
            u: q,
            q,
            own: 0.0,
        }));
        for &(i, j, value) in &problem.entries {
            // Half of every entry stands where it is, half across the diagonal: the symmetric part.
            for (i, j) in [(i as usize, j as usize), (j as usize, i as usize)] {
                self.rows[i / 3].u[i % 3] += 0.5 * value * self.rows[j / 3].r[j % 3];
                if i == j {
                    self.rows[i / 3].own += 0.5 * value / 3.0;
                }
            }
        }
        let (mut residuals, left) = assess(&self.rows, friction);
        let caused: f64 = self.rows.iter().map(|row| dot(&row.r, &sub(&row.u, &row.q))).sum();
        let gap = residuals.velocity_error + left.gap(problem.q.len(), OPENING);
        residuals.velocity_error = root(gap, caused);
        residuals
    }

    fn contact(&mut self, problem: &Problem, solution: &Solution, contact: &Contact, impulse: DVec3) -> Row {
        let [a, b] = contact.tangents();
        let frame = [contact.normal, a, b];
        let offset = contact.offset(&problem.bodies, problem.dt, &[a, b]);
        let [en, et] = contact.compliance;
        let [i, j] = contact.bodies.map(|b| b as usize);
        let arms = [i, j].map(|b| contact.point - problem.bodies[b].center);
        let relative = |v: &dyn Fn(usize) -> Twist| v(j).at(arms[1]) - v(i).at(arms[0]);
        let u = relative(&|b| solution.velocities[b]);
        let q = relative(&|b| free(&problem.bodies[b]));
        let r = frame.map(|d| d.dot(impulse));
        let e = [en, et, et];
        for (b, arm, sign) in [(i, arms[0], -1.0), (j, arms[1], 1.0)] {
            let part = wrench_of(sign * impulse, sign * arm.cross(impulse));
            self.wrench[b].iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
        }
        let own = trace(&self.inverse[i], arms[0]) + trace(&self.inverse[j], arms[1]);
        Row {
            cone: contact_cone(contact.friction),
            r,
            u: std::array::from_fn(|k| frame[k].dot(u) + offset[k] + e[k] * r[k]),
            q: std::array::from_fn(|k| frame[k].dot(q) + offset[k]),
            own: own / 3.0,
        }
    }

    fn link(&mut self, problem: &Problem, solution: &Solution, link: &Link, impulse: f64) -> Row {
        let sides = [(link.bodies[0] as usize, -1.0), (link.bodies[1] as usize, 1.0)];
        let wrench = |b: usize| {
            let arm = link.point - problem.bodies[b].center;
            wrench_of(link.force, link.moment + arm.cross(link.force))
        };
        let along = |v: &dyn Fn(usize) -> Twist| -> f64 {
            let one = |&(b, sign): &(usize, f64)| {
                let v = v(b).to_array();
                sign * wrench(b).iter().zip(v).map(|(w, x)| w * x).sum::<f64>()
            };
            sides.iter().map(one).sum()
        };
        let offset = link.offset / problem.dt + link.free_deformation;
        let (u, q) = (along(&|b| solution.velocities[b]), along(&|b| free(&problem.bodies[b])));
        let own = sides.iter().map(|&(b, _)| form(&self.inverse[b], &wrench(b))).sum();
        for (b, sign) in sides {
            let part = wrench(b).map(|x| sign * impulse * x);
            self.wrench[b].iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
        }
        Row {
            cone: match link.kind {
                LinkKind::Rigid => Cone::Bilateral,
                LinkKind::OneWay => Cone::Unilateral,
            },
            r: [impulse, 0.0, 0.0],
            u: [u + offset + link.compliance * impulse, 0.0, 0.0],
            q: [q + offset, 0.0, 0.0],
            own,
        }
    }
}

fn contact_cone(friction: f64) -> Cone {
    if friction > 0.0 {
        Cone::Friction(friction)
    } else {
        Cone::Unilateral
    }
}

/// Everything but the residuals that need the bodies. `velocity_error` is left as the sum under the root, without what
/// [`CoulombLeft`] sums up to, which comes beside it.
fn assess(rows: &[Row], friction: Friction) -> (Residuals, CoulombLeft) {
    let mut left = CoulombLeft::default();
    let mean = rows.iter().map(|row| row.own).sum::<f64>() / rows.len().max(1) as f64;
    let mean = if mean > 0.0 { mean } else { 1.0 };
    let load: f64 = rows.iter().map(|row| dot(&row.q, &row.q)).sum::<f64>();
    let (mut worst, mut product, mut map, mut gap) = (0.0_f64, 0.0, 0.0, 0.0);
    for row in rows {
        let u = corrected(friction, row.cone, &row.u);
        let r = scale(&row.r, mean);
        let inside = row.cone.project_dual(&u);
        let violation = norm(&sub(&inside, &u));
        let out = norm(&sub(&r, &row.cone.project(&r)));
        // `f64::max` would hide a NaN.
        let farther = violation.max(out) + 0.0 * (violation + out);
        worst = if farther > worst || farther.is_nan() {
            farther
        } else {
            worst
        };
        product += dot(&r, &u).abs();
        let step = sub(&r, &row.cone.project(&sub(&r, &u)));
        map += dot(&step, &step);
        let own = if row.own > 0.0 { row.own } else { mean };
        if let (Friction::Coulomb, Cone::Friction(mu)) = (friction, row.cone) {
            let [r, u] = row.scaled();
            let beyond = sub(&r, &row.cone.project(&r));
            left = left.plus(CoulombLeft::new(mu, &r, &u));
            gap += dot(&beyond, &beyond);
        } else {
            gap += dot(&row.r, &inside).abs() + norm(&row.r) * violation + violation * violation / own;
        }
    }
    let over = |a: f64, b: f64| over(a, b.max(f64::MIN_POSITIVE));
    let residuals = Residuals {
        equilibrium: 0.0,
        cone: over(worst, load.sqrt()),
        complementarity: over(product, load),
        natural_map: root(map, load),
        velocity_error: gap,
        local: 0.0,
    };
    (residuals, left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trace_is_the_sum_over_any_three_directions() {
        let m: [[f64; 6]; 6] = std::array::from_fn(|i| {
            std::array::from_fn(|j| if i == j { 4.0 } else { 0.3 / (1 + i + j + i * j) as f64 })
        });
        let arm = DVec3::new(0.3, -0.7, 1.1);
        let a = DVec3::new(0.6, 0.0, 0.8);
        let b = DVec3::new(0.0, 1.0, 0.0);
        let sum: f64 = [a, b, a.cross(b)]
            .map(|d| form(&m, &wrench_of(d, arm.cross(d))))
            .iter()
            .sum();
        assert!((sum - trace(&m, arm)).abs() < 1e-13 * sum);
    }
}
