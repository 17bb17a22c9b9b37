//! Loads between two that a structure at rest was found to hold.
//!
//! Impulses within the friction cones that balance one load, and others that balance another, balance every load between the two when
//! they are mixed alike: cones are convex. Where they exist nothing moves, because the velocities of a step are unique (with Coulomb's law, rest is one of
//! its solutions). A structure that stands still in axes that move with the ground is therefore solved for only where an earthquake goes beyond what
//! it was seen to hold since it came to rest. Joints that yield, and what remembers, are left out: they move with every load.

use glam::DVec3;

use super::Simulation;

/// How far a load may be from the line between the two, as a fraction of their sizes: far below what counts as rest.
const OFF_THE_LINE: f64 = 1e-9;

/// A load, and the impulses that hold it.
#[derive(Debug, Default)]
struct End {
    forces: Vec<[DVec3; 2]>,
    impulses: Vec<DVec3>,
}

/// Two loads that are held without motion, with the same contacts and in steps of the same length.
#[derive(Debug, Default)]
pub(super) struct Held {
    ends: [End; 2],
    /// How many of the ends are known.
    known: usize,
    dt: f64,
}

impl Held {
    pub(super) fn forget(&mut self) {
        self.known = 0;
    }

    /// Where a load lies between the two: 0 at the first, 1 at the second. Nothing if it is not on their line.
    fn place(&self, forces: &[[DVec3; 2]]) -> Option<f64> {
        let [first, second] = &self.ends;
        let pairs = || forces.iter().zip(&first.forces).zip(&second.forces);
        let (mut along, mut length) = (0.0, 0.0);
        for ((f, a), b) in pairs() {
            for k in 0..2 {
                let d = b[k] - a[k];
                along += (f[k] - a[k]).dot(d);
                length += d.length_squared();
            }
        }
        let place = along / length;
        let is_near = |((f, a), b): ((&[DVec3; 2], &[DVec3; 2]), &[DVec3; 2])| {
            (0..2).all(|k| {
                let off = (f[k] - a[k].lerp(b[k], place)).length();
                off <= OFF_THE_LINE * (a[k].length() + b[k].length())
            })
        };
        (place.is_finite() && pairs().all(is_near)).then_some(place)
    }

    /// Notes a load that was held.
    fn note(&mut self, forces: &[[DVec3; 2]], impulses: &[DVec3], dt: f64) {
        if self.dt != dt || self.ends[0].impulses.len() != impulses.len() {
            (self.known, self.dt) = (0, dt);
        }
        let end = match self.known {
            0 => 0,
            1 => 1,
            _ => match self.place(forces) {
                Some(place) if place < 0.0 => 0,
                Some(place) if place > 1.0 => 1,
                Some(_) => return,
                // Another direction: the second end stays, as the first, and this load takes the place of the other. Which of the
                // two is older is not kept: either line is of loads that were held.
                None => {
                    self.ends.swap(0, 1);
                    1
                }
            },
        };
        self.known = (self.known + 1).min(2);
        let End {
            forces: to_forces,
            impulses: to_impulses,
        } = &mut self.ends[end];
        to_forces.clear();
        to_forces.extend_from_slice(forces);
        to_impulses.clear();
        to_impulses.extend_from_slice(impulses);
    }
}

impl Simulation {
    /// Whether nothing moves in the step because its load lies between two that were held. Its impulses are then those of the
    /// solution.
    pub(super) fn is_held(&mut self, dt: f64) -> bool {
        let held = &self.held;
        if held.known < 2 || held.dt != dt || !self.is_solved || !self.state.at_rest || self.is_driven() {
            return false;
        }
        let Some(place) = held.place(&self.forces).filter(|place| (0.0..=1.0).contains(place)) else {
            return false;
        };
        let [first, second] = &held.ends;
        let mixed = first
            .impulses
            .iter()
            .zip(&second.impulses)
            .map(|(a, b)| a.lerp(*b, place));
        self.solution.impulses.clear();
        self.solution.impulses.extend(mixed);
        true
    }

    /// Notes the load of a step that was solved, where nothing moved before it nor within it.
    pub(super) fn note_held(&mut self, was_at_rest: bool, dt: f64) {
        let is_rigid = || self.problem.contacts.iter().all(|c| c.compliance == [0.0; 2]);
        let remembers = || !self.problem.links.is_empty() || !self.bonds.is_empty() || !self.deformation.is_empty();
        if was_at_rest && self.state.at_rest && !remembers() && is_rigid() {
            self.held.note(&self.forces, &self.solution.impulses, dt);
        } else {
            self.held.forget();
        }
    }
}
