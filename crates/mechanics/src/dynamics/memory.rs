//! What contacts remember from one step to the next: their impulses, to start from, and the state of their springs.

use drystone_contact::{Contacts, Feature};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Contacts of the last step by what touched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    interfaces: Vec<Known>,
    points: Vec<Point>,
    pub(crate) links: Vec<f64>,
    /// Length of the step that the impulses belong to (s).
    dt: f64,
}

/// One interface of the last step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Known {
    blocks: [u32; 2],
    parts: [u32; 2],
    points: [u32; 2],
}

/// One contact of the last step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Point {
    feature: Feature,
    impulse: DVec3,
    slip: DVec3,
    rest: f64,
}

/// What a contact is remembered by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Past {
    /// Impulse on the second block, scaled to the length of the present step (N s).
    pub(crate) impulse: DVec3,
    /// Elastic slip (m).
    pub(crate) slip: DVec3,
    /// Overlap at which the spring is not compressed (m); negative where it is so across a gap.
    pub(crate) rest: f64,
}

impl Memory {
    /// Length of the step that the impulses belong to (s); zero before the first.
    pub(crate) fn dt(&self) -> f64 {
        self.dt
    }

    /// Hands each contact what it is remembered by, in steps of `dt`. A contact that is new between parts that touched
    /// before takes the springs of its neighbours: faces that slide bring new corners all the time, and their joint does
    /// not let go for that. Both lists of interfaces are in the order of blocks and parts.
    pub(crate) fn recall(&self, contacts: &Contacts, dt: f64, mut give: impl FnMut(usize, Past)) {
        let scale = if self.dt > 0.0 { dt / self.dt } else { 0.0 };
        let mut known = self.interfaces.iter().peekable();
        for interface in &contacts.interfaces {
            let key = (interface.blocks, interface.parts);
            while known.next_if(|k| (k.blocks, k.parts) < key).is_some() {}
            let Some(k) = known.next_if(|k| (k.blocks, k.parts) == key) else {
                continue;
            };
            let points = &self.points[k.points[0] as usize..k.points[1] as usize];
            let first = interface.contacts[0] as usize;
            for (i, contact) in contacts.of(interface).iter().enumerate() {
                let past = match points.iter().find(|p| p.feature == contact.feature) {
                    Some(point) => Past {
                        impulse: scale * point.impulse,
                        slip: point.slip,
                        rest: point.rest,
                    },
                    None => Past {
                        impulse: DVec3::ZERO,
                        slip: points.iter().map(|p| p.slip).sum::<DVec3>() / points.len().max(1) as f64,
                        rest: points.iter().map(|p| p.rest).fold(0.0, f64::max),
                    },
                };
                give(first + i, past);
            }
        }
    }

    /// Remembers the contacts of a step by their impulses, elastic slips and rests.
    pub(crate) fn store<'a>(
        &mut self,
        contacts: &Contacts,
        pasts: impl Iterator<Item = Past>,
        links: impl Iterator<Item = &'a f64>,
        dt: f64,
    ) {
        self.dt = dt;
        self.interfaces.clear();
        self.interfaces.extend(contacts.interfaces.iter().map(|i| Known {
            blocks: i.blocks,
            parts: i.parts,
            points: i.contacts,
        }));
        self.points.clear();
        let points = contacts.contacts.iter().zip(pasts);
        self.points.extend(points.map(|(contact, past)| Point {
            feature: contact.feature,
            impulse: past.impulse,
            slip: past.slip,
            rest: past.rest,
        }));
        self.links.clear();
        self.links.extend(links);
    }
}
