//! What contacts remember from one step to the next: their impulses, to start from, and the state of their joint laws.
//!
//! A contact is known by its two blocks, their convex parts and the [`Feature`] that touches, and its [`Past`] by these: none
//! of it depends on the order in which contacts are found, and all of it is in a checkpoint. A law with a state of its own
//! adds a field to [`Past`], what the field is where a contact is new ([`Memory::recall`]), and what it is at the
//! end of a step (`Simulation::integrate`); damage belongs to points of the blocks (`bonds`). What belongs to an interface as a whole stands in [`Known`], as [`Held`] does.

use drystone_contact::{Contacts, DetectedInterface, Feature};
use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::springs::{Held, Spring};

/// Contacts of the last step by what touched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    interfaces: Vec<Known>,
    points: Vec<Point>,
    /// Impulses of the ties.
    pub(crate) links: Vec<f64>,
    /// What the springs of ties held at its end (J).
    pub(crate) links_held: f64,
    /// Length of the step that the impulses belong to (s).
    dt: f64,
}

/// One interface of the last step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Known {
    blocks: [u32; 2],
    parts: [u32; 2],
    points: [u32; 2],
    /// What its springs held at the end.
    held: Held,
}

/// One contact of the last step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Point {
    feature: Feature,
    past: Past,
}

/// What a contact is remembered by.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Past {
    /// Impulse on the second block, scaled to the length of the present step (N s).
    pub(crate) impulse: DVec3,
    /// Elastic slip (m).
    pub(crate) slip: DVec3,
    /// How fast it slid (m/s): what the next step begins with, under Coulomb's law.
    pub(crate) sliding: f64,
    /// Its springs.
    pub(crate) spring: Spring,
    /// Whether it slid, where static friction is larger than kinetic friction.
    pub(crate) slides: bool,
}

impl Memory {
    /// Length of the step that the impulses belong to (s); zero before the first.
    pub(crate) fn dt(&self) -> f64 {
        self.dt
    }

    /// Each interface with what is known of it. Both lists of interfaces are in the order of blocks and parts.
    fn known<'a>(&'a self, contacts: &'a Contacts) -> impl Iterator<Item = (&'a DetectedInterface, Option<&'a Known>)> {
        let mut known = self.interfaces.iter().peekable();
        contacts.interfaces.iter().map(move |interface| {
            let key = (interface.blocks, interface.parts);
            while known.next_if(|k| (k.blocks, k.parts) < key).is_some() {}
            (interface, known.next_if(|k| (k.blocks, k.parts) == key))
        })
    }

    /// Each interface with what its springs held at the end of the last step: nothing where it is new.
    pub(crate) fn held<'a>(&'a self, contacts: &'a Contacts) -> impl Iterator<Item = (&'a DetectedInterface, Held)> {
        let known = self.known(contacts);
        known.map(|(interface, known)| (interface, known.map_or_else(Held::default, |k| k.held)))
    }

    /// Hands each contact what it is remembered by, in steps of `dt`. A contact that is new between parts that touched
    /// before takes the springs of its neighbours: faces that slide bring new corners all the time, and their joint does
    /// not let go for that.
    pub(crate) fn recall(&self, contacts: &Contacts, dt: f64, mut give: impl FnMut(usize, Past)) {
        let scale = if self.dt > 0.0 { dt / self.dt } else { 0.0 };
        for (interface, known) in self.known(contacts) {
            let Some(k) = known else {
                continue;
            };
            let points = &self.points[k.points[0] as usize..k.points[1] as usize];
            let first = interface.contacts[0] as usize;
            for (i, contact) in contacts.of(interface).iter().enumerate() {
                let past = match points.iter().find(|p| p.feature == contact.feature) {
                    Some(Point { past, .. }) => Past {
                        impulse: scale * past.impulse,
                        spring: match past.spring.area > 0.0 {
                            true => past.spring,
                            // What closes again bears as the faces do that have not opened.
                            false => Spring {
                                rest: past.spring.rest,
                                settled: past.spring.settled,
                                ..neighbours(points)
                            },
                        },
                        ..*past
                    },
                    None => Past {
                        impulse: DVec3::ZERO,
                        sliding: points.iter().map(|p| p.past.sliding).sum::<f64>() / points.len().max(1) as f64,
                        slip: points.iter().map(|p| p.past.slip).sum::<DVec3>() / points.len().max(1) as f64,
                        spring: neighbours(points),
                        slides: points.iter().any(|p| p.past.slides),
                    },
                };
                give(first + i, past);
            }
        }
    }

    /// Remembers the contacts of a step by their impulses, elastic slips and springs, and what the springs of each
    /// interface hold.
    pub(crate) fn store<'a>(
        &mut self,
        contacts: &Contacts,
        pasts: impl Iterator<Item = Past>,
        held: impl Iterator<Item = Held>,
        links: impl Iterator<Item = &'a f64>,
        dt: f64,
    ) {
        self.dt = dt;
        self.interfaces.clear();
        let interfaces = contacts.interfaces.iter().zip(held);
        self.interfaces.extend(interfaces.map(|(i, held)| Known {
            blocks: i.blocks,
            parts: i.parts,
            points: i.contacts,
            held,
        }));
        self.points.clear();
        let points = contacts.contacts.iter().zip(pasts);
        self.points.extend(points.map(|(contact, past)| Point {
            feature: contact.feature,
            past,
        }));
        self.links.clear();
        self.links.extend(links);
    }

    /// Says anew what a contact is remembered by, in the order in which contacts were stored.
    pub(crate) fn renew(&mut self, contact: usize, renew: impl FnOnce(&mut Past)) {
        renew(&mut self.points[contact].past);
    }

    /// Says anew what the springs of each interface hold.
    pub(crate) fn hold(&mut self, held: impl Iterator<Item = Held>) {
        for (known, held) in self.interfaces.iter_mut().zip(held) {
            known.held = held;
        }
    }
}

/// The spring of a contact that is new, by those that were there: the largest of their rests, and the mean area of the
/// faces that are compressed, if any.
fn neighbours(points: &[Point]) -> Spring {
    let springs = points.iter().map(|p| &p.past.spring);
    let bearing = springs.clone().filter(|s| s.area > 0.0 && s.on_face);
    let largest = springs.clone().map(|s| s.rest).fold(f64::NEG_INFINITY, f64::max);
    Spring {
        rest: if largest.is_finite() { largest } else { 0.0 },
        settled: springs.map(|s| s.settled).fold(0.0, f64::max),
        area: bearing.clone().map(|s| s.area).sum::<f64>() / bearing.count().max(1) as f64,
        on_face: true,
        ..Spring::default()
    }
}
