//! What contacts remember from one step to the next: their impulses, to start from, and the elastic slip of their joints.

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
}

impl Memory {
    /// Length of the step that the impulses belong to (s); zero before the first.
    pub(crate) fn dt(&self) -> f64 {
        self.dt
    }

    /// Hands each contact what it is remembered by: its impulse, scaled to a step of `dt`, and its elastic slip. Both lists
    /// of interfaces are in the order of blocks and parts.
    pub(crate) fn recall(&self, contacts: &Contacts, dt: f64, mut give: impl FnMut(usize, DVec3, DVec3)) {
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
                if let Some(point) = points.iter().find(|p| p.feature == contact.feature) {
                    give(first + i, scale * point.impulse, point.slip);
                }
            }
        }
    }

    /// Remembers the contacts of a step.
    pub(crate) fn store(&mut self, contacts: &Contacts, impulses: &[DVec3], slips: &[DVec3], links: &[f64], dt: f64) {
        self.dt = dt;
        self.interfaces.clear();
        self.interfaces.extend(contacts.interfaces.iter().map(|i| Known {
            blocks: i.blocks,
            parts: i.parts,
            points: i.contacts,
        }));
        self.points.clear();
        let points = contacts.contacts.iter().zip(impulses).zip(slips);
        self.points.extend(points.map(|((contact, &impulse), &slip)| Point {
            feature: contact.feature,
            impulse,
            slip,
        }));
        self.links.clear();
        self.links.extend_from_slice(links);
    }
}
