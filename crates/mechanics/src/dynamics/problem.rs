//! Blocks and ties as the contact problem of a step has them.

use drystone_cone::{Body, Contact, Problem, Twist};
use drystone_contact::{Contacts, Placement};
use glam::{DMat3, DVec3};

use super::ties::StatedTies;
use crate::Structure;

impl Structure {
    /// Inertia of a block in world axes (kg m²).
    pub fn inertia_at(&self, block: usize, placement: &Placement) -> DMat3 {
        let r = DMat3::from_quat(placement.rotation);
        r * self.inertia[block] * r.transpose()
    }

    /// Where the blocks stand at first.
    pub(crate) fn placements(&self) -> Vec<Placement> {
        (0..self.len()).map(|b| self.initial(b)).collect()
    }

    /// The bodies of the contact problem, free ones at rest.
    pub(crate) fn problem_bodies(&self) -> Vec<Body> {
        let body = |b: usize| {
            if self.fixed[b] {
                Body::driven(self.center[b], Twist::ZERO)
            } else {
                Body::free(self.center[b], self.mass[b], self.inertia[b], Twist::ZERO)
            }
        };
        (0..self.len()).map(body).collect()
    }

    /// The contact problem of a step of `dt` with the blocks where they stand at first, at rest, and the contacts found
    /// there. Bodies are the blocks, in their order.
    pub fn problem_at_rest(&self, contacts: &Contacts, dt: f64) -> Problem {
        let placements = self.placements();
        let mut points = Vec::with_capacity(contacts.contacts.len());
        for interface in &contacts.interfaces {
            let friction = self.law(interface.blocks).friction;
            for contact in contacts.of(interface) {
                let point = middle(&placements, interface.blocks, contact);
                points.push(Contact::new(
                    interface.blocks,
                    point,
                    interface.normal,
                    contact.gap,
                    friction,
                ));
            }
        }
        let mut links = Vec::new();
        StatedTies::default().state(self, &placements, &self.drawn_ties(), &[], dt, &mut links);
        Problem {
            bodies: self.problem_bodies(),
            contacts: points,
            links,
            deformations: Vec::new(),
            dt,
        }
    }
}

/// Half-way between the two nearest points of a contact, so that impulses on the two blocks balance each other.
pub(crate) fn middle(placements: &[Placement], blocks: [u32; 2], contact: &drystone_contact::DetectedContact) -> DVec3 {
    let [first, second] = blocks.map(|b| placements[b as usize].center);
    0.5 * (first + contact.arm_first + second + contact.arm_second)
}
