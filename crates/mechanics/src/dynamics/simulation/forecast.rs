//! Where the search for the next equilibrium begins: on from the last, in proportion.

use drystone_cone::{Contact, Equilibrium, Twist};
use drystone_contact::Placement;
use glam::DVec3;

/// What the last step that was found changed.
#[derive(Debug, Default)]
pub(super) struct Forecast {
    moved: Vec<Twist>,
    forces: Vec<DVec3>,
    /// Where blocks were and what contacts carried as it began.
    from: Vec<Placement>,
    carried: Vec<DVec3>,
}

impl Forecast {
    /// A step begins here.
    pub(super) fn begin(&mut self, placements: &[Placement], contacts: &[Contact]) {
        self.from.clear();
        self.from.extend_from_slice(placements);
        self.carried.clear();
        self.carried.extend(contacts.iter().map(|c| c.guess));
    }

    /// Lets a solve begin `ahead` times what the last step changed farther on. Tells whether that is known.
    pub(super) fn apply(&self, ahead: f64, contacts: &mut [Contact], equilibrium: &mut Equilibrium) -> bool {
        if ahead <= 0.0 || self.forces.len() != contacts.len() {
            return false;
        }
        for (contact, change) in contacts.iter_mut().zip(&self.forces) {
            contact.guess += ahead * *change;
        }
        equilibrium.begin_with(self.moved.iter().map(|twist| Twist {
            linear: ahead * twist.linear,
            angular: ahead * twist.angular,
        }));
        true
    }

    /// The step that began ends here.
    pub(super) fn end(&mut self, placements: &[Placement], contacts: &[Contact]) {
        self.moved.clear();
        self.moved
            .extend(self.from.iter().zip(placements).map(|(from, to)| Twist {
                linear: to.center - from.center,
                angular: (to.rotation * from.rotation.conjugate()).to_scaled_axis(),
            }));
        self.forces.clear();
        if self.carried.len() == contacts.len() {
            self.forces
                .extend(contacts.iter().zip(&self.carried).map(|(c, before)| c.guess - *before));
        }
    }
}
