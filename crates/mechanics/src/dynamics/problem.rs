//! Blocks and ties as the contact problem of a step has them.

use drystone_cone::{Body, Contact, Link, Problem, Twist};
use drystone_contact::{Contacts, Placement};
use drystone_model::TieKind;
use glam::{DMat3, DVec3};

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
        self.fill_links(&placements, dt, &[], &mut links);
        Problem {
            bodies: self.problem_bodies(),
            contacts: points,
            links,
            dt,
        }
    }

    /// Ties as links for blocks where they are now; `guesses` are impulses to start from.
    pub(crate) fn fill_links(&self, placements: &[Placement], dt: f64, guesses: &[f64], links: &mut Vec<Link>) {
        links.clear();
        for (k, tie) in self.ties.iter().enumerate() {
            let end = |side: usize| {
                let block = tie.blocks[side] as usize;
                let p = &placements[block];
                p.center + p.rotation * (tie.ends[side] - self.center[block])
            };
            let (from, to) = (end(0), end(1));
            let length = from.distance(to);
            let mut link = match tie.kind {
                TieKind::RigidRod => Link::rod(tie.blocks, from, to, tie.ends[0].distance(tie.ends[1]) - length),
                TieKind::TensionSpring { stiffness, rest_length } => Link {
                    compliance: 1.0 / (stiffness * dt * dt),
                    ..Link::tie(tie.blocks, from, to, rest_length - length)
                },
            };
            link.guess = guesses.get(k).copied().unwrap_or(0.0);
            links.push(link);
        }
    }
}

/// Half-way between the two nearest points of a contact, so that impulses on the two blocks balance each other.
pub(crate) fn middle(placements: &[Placement], blocks: [u32; 2], contact: &drystone_contact::DetectedContact) -> DVec3 {
    let [first, second] = blocks.map(|b| placements[b as usize].center);
    0.5 * (first + contact.arm_first + second + contact.arm_second)
}
