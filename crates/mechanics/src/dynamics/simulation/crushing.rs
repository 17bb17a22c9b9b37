//! Joints that are crushed, in slow loading.
//!
//! A contact of a crushed joint bears its strength times its area and shortens. It is stated as a spring that is much softer from
//! there on, about where it yields (paper 002's change of variables: the same contact problem with another gap and
//! compliance). Which contacts yield is found by solving again; what they have shortened by stays, as if the joint had shrunk there.

use drystone_cone::{Contact, Solution};
use drystone_contact::Divided;

use super::{super::springs::Spring, Simulation};
use crate::Structure;

/// Stiffness of what is crushed, over that of the joint. What it bears beyond its strength by this vanishes as rounds come to
/// rest.
const SOFTER: f64 = 1e-3;
/// A force beyond the strength by this fraction of it.
const BEYOND: f64 = 1e-6;
/// How often a round is solved again before contacts that yield go on yielding.
const TURNS: usize = 20;

/// Which contacts of the problem yield.
#[derive(Debug, Default)]
pub(super) struct Crushing {
    pub(super) has_any: bool,
    yields: Vec<bool>,
    turns: usize,
    /// Whether the last solution had contacts that should have yielded, or should not.
    is_open: bool,
}

/// The joints that can be crushed.
pub(super) fn divided(structure: &Structure) -> Divided {
    let crushes = |blocks: [u32; 2]| structure.law(blocks).crushing_pa.is_some();
    if structure.laws().iter().all(|law| law.crushing_pa.is_some()) {
        return Divided::All;
    }
    let joints = structure.joints.iter().map(|j| j.blocks.map(|b| b as u32));
    let mut pairs: Vec<[u32; 2]> = joints
        .map(|[a, b]| [a.min(b), a.max(b)])
        .filter(|&p| crushes(p))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    match pairs.is_empty() {
        true => Divided::None,
        false => Divided::Pairs(pairs),
    }
}

impl Crushing {
    /// A round begins.
    pub(super) fn begin(&mut self) {
        (self.turns, self.is_open) = (0, false);
    }

    /// Whether the contacts of the last solution that yield are those that should.
    pub(super) fn is_settled(&self) -> bool {
        !self.is_open
    }

    pub(super) fn yields(&self, contact: usize) -> bool {
        self.yields.get(contact).copied().unwrap_or(false)
    }

    /// States the contacts that yield.
    pub(super) fn state(&mut self, structure: &Structure, springs: &[Spring], contacts: &mut [Contact]) {
        if !self.has_any {
            return;
        }
        if self.yields.len() != contacts.len() {
            self.yields.clear();
            self.yields.resize(contacts.len(), false);
        }
        for (k, contact) in contacts.iter_mut().enumerate().filter(|(k, _)| self.yields[*k]) {
            let Some(strength) = strength(structure, contact, &springs[k]) else {
                continue;
            };
            contact.gap -= contact.compliance[0] * strength * (1.0 / SOFTER - 1.0);
            contact.compliance[0] /= SOFTER;
        }
    }

    /// Lets contacts yield that bear more than their strength, and those bear again that bear less. Tells whether the round is
    /// to be solved again.
    pub(super) fn turn(
        &mut self,
        structure: &Structure,
        springs: &[Spring],
        contacts: &[Contact],
        solution: &Solution,
    ) -> bool {
        if !self.has_any {
            return false;
        }
        self.turns += 1;
        let mut any = false;
        for (k, contact) in contacts.iter().enumerate() {
            let Some(strength) = strength(structure, contact, &springs[k]) else {
                continue;
            };
            let force = contact.normal.dot(solution.impulses[k]);
            let yields = match self.yields[k] {
                true => force >= strength || self.turns > TURNS / 2,
                false => force > (1.0 + BEYOND) * strength,
            };
            any |= yields != self.yields[k];
            self.yields[k] = yields;
        }
        self.is_open = any;
        any && self.turns < TURNS
    }

    /// What contacts have been crushed by, once blocks have moved by a share of a solution.
    pub(super) fn crush(
        &self,
        structure: &Structure,
        contacts: &[Contact],
        solution: &Solution,
        springs: &mut [Spring],
        share: f64,
    ) {
        for (k, contact) in contacts.iter().enumerate().filter(|(k, _)| self.yields(*k)) {
            let Some(strength) = strength(structure, contact, &springs[k]) else {
                continue;
            };
            let force = contact.normal.dot(solution.impulses[k]);
            // Along the soft line: all of it beyond the strength is shortening, less what the joint itself would yield.
            let beyond = contact.compliance[0] * (1.0 - SOFTER) * (force - strength);
            springs[k].crushed += share * beyond.max(0.0);
        }
    }
}

/// What a contact can bear (N).
fn strength(structure: &Structure, contact: &Contact, spring: &Spring) -> Option<f64> {
    let strength = structure.law(contact.bodies).crushing_pa?;
    (contact.compliance[0] > 0.0 && spring.area > 0.0).then_some(strength * spring.area)
}

impl Simulation {
    /// From now on joints are divided into cells where they can be crushed, and static equilibria crush them.
    pub fn count_crushing(&mut self) {
        let divided = divided(&self.structure);
        self.crushing.has_any = divided != Divided::None;
        self.detector.divide(divided);
    }

    /// How many contacts have been crushed, and by how much at most (m).
    pub fn crushed(&self) -> (usize, f64) {
        let crushed = self.springs.iter().map(|s| s.crushed).filter(|&c| c > 0.0);
        crushed.fold((0, 0.0), |(n, most), c| (n + 1, most.max(c)))
    }
}
