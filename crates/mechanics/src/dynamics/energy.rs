//! Where the energy is and where it went.
//!
//! Over a step from v- to v+ with impulses r, momentum is balanced exactly, so the work of everything that acts is that on
//! the mean velocity (v- + v+) / 2. Contacts give or take r . (u- + u+) / 2, with u the relative velocity at the contact:
//! its normal part is what impacts dissipate, its tangential part what friction does. A support gives the impulse on the
//! block times its own velocity. What remains between these and the change of kinetic and potential energy is the error of
//! the method: positions move by v+ dt and not by the mean, inertias turn, and solvers leave a residual.

use drystone_cone::{Problem, Solution, Twist};
use drystone_contact::Placement;
use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::Structure;

/// Energies at one time (unit: J).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energies {
    /// Of the motion of the free blocks.
    pub kinetic: f64,
    /// Of their weight, from where they stood at first.
    pub potential: f64,
    /// Given by supports and loads since the start.
    pub harvested: f64,
    /// Taken by impacts since the start.
    pub impact: f64,
    /// Taken by friction since the start.
    pub friction: f64,
    /// Kinetic energy at the start.
    pub initial: f64,
    /// The largest exchange so far, which errors are measured by.
    pub scale: f64,
}

impl Energies {
    /// Kinetic and potential energy (J).
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }

    /// What impacts and friction took since the start (J).
    pub fn dissipated(&self) -> f64 {
        self.impact + self.friction
    }

    /// What the balance of all lacks, over the largest exchange so far.
    pub fn balance_error(&self) -> f64 {
        let lacking = self.total() - self.initial - self.harvested + self.dissipated();
        if self.scale > 0.0 {
            (lacking / self.scale).abs()
        } else {
            0.0
        }
    }

    /// Takes in kinetic and potential energy of a state.
    pub(crate) fn measure(&mut self, structure: &Structure, placements: &[Placement], velocities: &[Twist]) {
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for b in structure.free() {
            let (v, placement) = (&velocities[b], &placements[b]);
            let local = placement.rotation.conjugate() * v.angular;
            let mass = structure.mass[b];
            kinetic += 0.5 * (mass * v.linear.length_squared() + local.dot(structure.inertia[b] * local));
            potential -= mass * structure.gravity.dot(placement.center - structure.initial[b].center);
        }
        (self.kinetic, self.potential) = (kinetic, potential);
        let exchanged = kinetic.abs() + potential.abs() + self.dissipated().abs();
        self.scale = self.scale.max(exchanged);
    }

    /// Adds the work of the contacts and supports over a step. `before` are the velocities at its start; what is at rest
    /// at its end is left out.
    pub(crate) fn add_contacts(
        &mut self,
        problem: &Problem,
        solution: &Solution,
        before: &[Twist],
        fixed: &[bool],
        at_rest: &[bool],
    ) {
        let after = &solution.velocities;
        let rests = |[a, b]: [usize; 2]| (fixed[a] || at_rest[a]) && (fixed[b] || at_rest[b]);
        for (contact, impulse) in problem.contacts.iter().zip(&solution.impulses) {
            let [a, b] = contact.bodies.map(|b| b as usize);
            if rests([a, b]) {
                continue;
            }
            let mean = |body: usize| {
                let arm = contact.point - problem.bodies[body].center;
                0.5 * (before[body].at(arm) + after[body].at(arm))
            };
            let (first, second) = (mean(a), mean(b));
            let relative = second - first;
            let along = contact.normal.dot(relative) * contact.normal.dot(*impulse);
            self.impact -= along;
            self.friction -= relative.dot(*impulse) - along;
            self.harvested += support_work(fixed, [a, b], [first, second], *impulse);
        }
        for (link, &impulse) in problem.links.iter().zip(&solution.link_impulses) {
            let [a, b] = link.bodies.map(|b| b as usize);
            if rests([a, b]) {
                continue;
            }
            let power = |body: usize| {
                let mean = |v: &Twist| {
                    let arm = link.point - problem.bodies[body].center;
                    link.force.dot(v.at(arm)) + link.moment.dot(v.angular)
                };
                0.5 * impulse * (mean(&before[body]) + mean(&after[body]))
            };
            let (first, second) = (power(a), power(b));
            self.impact -= second - first;
            // The impulse acts on the second body, its opposite on the first: a support gives what it does not keep.
            self.harvested += if fixed[a] { first } else { 0.0 };
            self.harvested -= if fixed[b] { second } else { 0.0 };
        }
    }

    /// Adds the work of a load over a step.
    pub(crate) fn add_load(&mut self, force: DVec3, couple: DVec3, before: &Twist, after: &Twist, dt: f64) {
        let linear = 0.5 * (before.linear + after.linear);
        let angular = 0.5 * (before.angular + after.angular);
        self.harvested += dt * (force.dot(linear) + couple.dot(angular));
    }
}

/// Work of an impulse on its second block (and its opposite on the first) where one of them is a support that moves.
fn support_work(fixed: &[bool], [a, b]: [usize; 2], [first, second]: [DVec3; 2], impulse: DVec3) -> f64 {
    // On the free block acts the opposite of what acts on the support: what the support gives is minus its own work.
    let on_first = if fixed[a] { first.dot(impulse) } else { 0.0 };
    let on_second = if fixed[b] { -second.dot(impulse) } else { 0.0 };
    on_first + on_second
}
