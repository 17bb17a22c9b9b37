//! What the blocks of an island have before and after a step, and what was given to them: a solution that leaves them with
//! more is refused.

use drystone_cone::{BodyMotion, Contact, Problem, Solution, Twist};

use super::super::{
    deformation::link_after,
    springs::{stored, stored_in_link},
};

/// The energies of an island over a step (J), by the problem as it was put.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Budget {
    /// Kinetic energy that blocks would have without contacts, and what springs hold at the start.
    before: f64,
    /// Both at the end.
    after: f64,
    /// What supports gave, and the sum of the magnitudes of what each contact with them did.
    given: f64,
    exchanged: f64,
    /// Mass (kg), and the largest speed at which an overlap is driven apart (m/s).
    mass: f64,
    recovery: f64,
    /// Work of driving overlaps apart.
    recovered: f64,
}

impl Budget {
    /// That of all islands together.
    pub(super) fn total(all: &[Self]) -> Self {
        all.iter().fold(Self::default(), |sum, b| Self {
            before: sum.before + b.before,
            after: sum.after + b.after,
            given: sum.given + b.given,
            exchanged: sum.exchanged + b.exchanged,
            mass: sum.mass + b.mass,
            recovery: sum.recovery.max(b.recovery),
            recovered: sum.recovered + b.recovered,
        })
    }

    /// What was created, over all that was there or came in; zero up to the fraction `allowed` of that and to what driving
    /// overlaps apart gives.
    pub(super) fn excess(&self, allowed: f64) -> f64 {
        let all = self.before + self.after;
        let created = self.after - self.before - self.given;
        let recovered = 2.0 * self.mass * self.recovery * self.recovery;
        // Of impulses that cancel out, the work does so only to rounding.
        let limit = allowed * all + recovered + 1e-9 * self.exchanged;
        match created <= limit {
            true => 0.0,
            false => created / all,
        }
    }

    /// The work of driving overlaps apart, over all that was there or came in; zero up to what it takes to move all blocks so fast,
    /// against their weight and what they have. With Coulomb's law blocks that are wedged in can be driven apart by impulses of any
    /// size, which sliding takes up. With associated friction there is no solution then.
    pub(super) fn forced(&self) -> f64 {
        let all = self.before + self.after;
        let limit = all + 2.0 * self.mass * self.recovery * self.recovery;
        match self.recovered <= limit {
            true => 0.0,
            false => self.recovered / all,
        }
    }
}

/// Works out the budget of every island, kept at its root.
///
/// Springs and friction do not create energy in a step that is solved: `E(v) + S(end) <= E(v_free) + S(start) + given`, because
/// what springs hold, S, is convex and the impulses are its slope at the end, and because friction opposes sliding.
pub(super) fn fill(budgets: &mut Vec<Budget>, problem: &Problem, solution: &Solution, roots: &[u32]) {
    budgets.clear();
    budgets.resize(problem.bodies.len(), Budget::default());
    let is_driven = |b: u32| matches!(problem.bodies[b as usize].motion, BodyMotion::Driven { .. });
    // A support is alone in its island: the account is that of what it touches.
    let root = |bodies: [u32; 2]| {
        let free = bodies.into_iter().find(|&b| !is_driven(b)).unwrap_or(bodies[0]);
        roots[free as usize] as usize
    };
    for (b, (body, velocity)) in problem.bodies.iter().zip(&solution.velocities).enumerate() {
        if let BodyMotion::Free {
            mass, free_velocity, ..
        } = &body.motion
        {
            let budget = &mut budgets[roots[b] as usize];
            budget.before += 0.5 * form(mass, free_velocity);
            budget.after += 0.5 * form(mass, velocity);
            budget.mass += mass[0][0];
        }
    }
    let given = |budget: &mut Budget, bodies: [u32; 2], power: &dyn Fn(usize, Twist) -> f64| {
        for (b, sign) in [(bodies[0] as usize, 1.0), (bodies[1] as usize, -1.0)] {
            if let BodyMotion::Driven { velocity } = problem.bodies[b].motion {
                let work: f64 = sign * power(b, velocity);
                budget.given += work;
                budget.exchanged += work.abs();
            }
        }
    };
    let dt = problem.dt;
    let contacts = problem.contacts.iter().zip(&solution.impulses);
    for (k, (contact, impulse)) in contacts.enumerate() {
        let budget = &mut budgets[root(contact.bodies)];
        let Contact { compliance, gap, .. } = *contact;
        if compliance[0] > 0.0 {
            let end = gap + dt * contact.normal.dot(solution.relative_velocities[k]);
            budget.before += stored(compliance, dt, gap, contact.slip).iter().sum::<f64>();
            budget.after += stored(compliance, dt, end, solution.elastic_slip[k])
                .iter()
                .sum::<f64>();
        } else {
            let speed = (-gap / dt).max(0.0);
            let along = contact.normal.dot(solution.relative_velocities[k]);
            budget.recovery = budget.recovery.max(speed);
            budget.recovered += contact.normal.dot(*impulse) * along.clamp(0.0, speed);
        }
        let arm = |b: usize| contact.point - problem.bodies[b].center;
        if !problem.deformations.is_empty() {
            // What the impulse does to the deformation: half on the free velocity, half on the one that comes of it.
            let [first, second] = contact
                .bodies
                .map(|b| solution.velocities[b as usize].at(arm(b as usize)));
            let deforming = solution.relative_velocities[k] - (second - first);
            budget.after += 0.5 * impulse.dot(deforming + contact.free_deformation);
        }
        given(budget, contact.bodies, &|b, v| impulse.dot(v.at(arm(b))));
    }
    for (k, (link, impulse)) in problem.links.iter().zip(&solution.link_impulses).enumerate() {
        let budget = &mut budgets[root(link.bodies)];
        let along = |b: usize, v: Twist| {
            link.force.dot(v.at(link.point - problem.bodies[b].center)) + link.moment.dot(v.angular)
        };
        let [first, second] = link.bodies.map(|b| along(b as usize, solution.velocities[b as usize]));
        let speed = link_after(problem, solution, k, second - first);
        if !problem.deformations.is_empty() {
            budget.after += 0.5 * impulse * (speed - (second - first) + link.free_deformation);
        }
        if link.compliance > 0.0 {
            // As stated: a constant pull of a tie is part of the free velocities.
            let held = |offset: f64| stored_in_link(link, dt, offset);
            budget.before += held(link.offset);
            budget.after += held(link.offset + dt * speed);
        } else {
            budget.recovery = budget.recovery.max(link.offset.abs() / dt);
        }
        given(budget, link.bodies, &|b, v| impulse * along(b, v));
    }
}

fn form(h: &[[f64; 6]; 6], velocity: &Twist) -> f64 {
    let v = velocity.to_array();
    let product = |row: &[f64; 6]| row.iter().zip(v).map(|(a, b)| a * b).sum::<f64>();
    h.iter().zip(v).map(|(row, x)| x * product(row)).sum()
}
