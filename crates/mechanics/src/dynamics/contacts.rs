//! Contacts as the problem of a step has them, and as its solution leaves them.

use drystone_cone::Contact;
use drystone_contact::DetectedInterface;
use glam::DVec3;

use super::{
    SimulationSettings, State,
    problem::middle,
    springs::{Spring, least_share},
};
use crate::Structure;

/// What a contact does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactStatus {
    /// No force.
    Open,
    /// A force within the friction cone.
    Stick,
    /// A force on its boundary, and motion across the normal.
    Slide,
}

impl ContactStatus {
    /// The word for it in tables: `open`, `stick` or `slide`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Stick => "stick",
            Self::Slide => "slide",
        }
    }

    /// The number for it in files: 0 open, 1 stick, 2 slide.
    pub fn number(self) -> u8 {
        match self {
            Self::Open => 0,
            Self::Stick => 1,
            Self::Slide => 2,
        }
    }
}

/// The force of a contact over the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// The two blocks.
    pub blocks: [u32; 2],
    /// Where (m).
    pub point: DVec3,
    /// Unit normal from the first block to the second.
    pub normal: DVec3,
    /// Mean force on the second block (N).
    pub force: DVec3,
    /// Gap at the start of the step (m).
    pub gap: f64,
    /// Tangential force over what friction allows, from 0 to 1.
    pub friction_use: f64,
    /// What it does.
    pub status: ContactStatus,
}

/// The force of a contact by its impulse, the force of its bond and its relative velocity.
pub(super) fn contact_force(contact: &Contact, impulse: DVec3, bond: DVec3, velocity: DVec3, dt: f64) -> ContactForce {
    let normal = contact.normal.dot(impulse);
    let across = (impulse - normal * contact.normal).length();
    let slip = (velocity - contact.normal.dot(velocity) * contact.normal).length();
    let allowed = contact.friction * normal;
    let friction_use = if allowed > 0.0 {
        (across / allowed).min(1.0)
    } else {
        0.0
    };
    let status = match normal > 0.0 {
        false if bond != DVec3::ZERO => ContactStatus::Stick,
        false => ContactStatus::Open,
        true if friction_use > 0.99 && slip > 0.0 => ContactStatus::Slide,
        true => ContactStatus::Stick,
    };
    ContactForce {
        blocks: contact.bodies,
        point: contact.point,
        normal: contact.normal,
        force: impulse / dt + bond,
        gap: contact.gap,
        friction_use,
        status,
    }
}

/// The contacts of the problem, without what they remember. Where joints yield, gaps are those of the shapes, and springs
/// those of blocks that have not touched before, until [`set_springs`](super::springs::set_springs) has been told what of
/// the gaps is compression. `interfaces` come with their contacts and what fills them
/// at rest, less what has shrunk. `jumps` are displacement and velocity that deformation gives the second block against the first
/// at each contact; there are none where all blocks are rigid.
pub(super) fn state_contacts<'a, T: Fn(&drystone_contact::DetectedContact) -> f64>(
    structure: &Structure,
    settings: &SimulationSettings,
    state: &State,
    interfaces: impl Iterator<Item = (&'a DetectedInterface, &'a [drystone_contact::DetectedContact], T)>,
    (dt, shrinkage, jumps): (f64, f64, &[[DVec3; 2]]),
    points: &mut Vec<Contact>,
    springs: &mut Vec<Spring>,
) {
    points.clear();
    springs.clear();
    for (interface, found, rest_gap) in interfaces {
        let law = structure.law(interface.blocks);
        let least = law
            .stiffness
            .map(|_| least_share(found, structure.smaller(interface.blocks)));
        for contact in found {
            let point = middle(&state.placements, interface.blocks, contact);
            let [moved, moving] = jumps
                .get(points.len())
                .map_or([0.0; 2], |jump| jump.map(|x| x.dot(interface.normal)));
            let gap = contact.gap - rest_gap(contact) + shrinkage + moved;
            let mut stated = Contact::new(interface.blocks, point, interface.normal, gap, law.friction);
            // Of rigid joints it is the overlap alone that is asked for.
            springs.push(Spring::new(gap, contact.area, least.unwrap_or(0.0)));
            if least.is_none() {
                let approach = state.relative_velocity(interface.blocks, point).dot(interface.normal);
                stated.gap = rigid_gap(settings, law.restitution, gap, approach + moving, dt);
                stated.restitution = law.restitution;
            }
            points.push(stated);
        }
    }
}

/// The gap that a rigid contact is stated with.
fn rigid_gap(settings: &SimulationSettings, restitution: f64, gap: f64, approach: f64, dt: f64) -> f64 {
    let mut gap = gap;
    if restitution > 0.0 && gap + dt * approach <= 0.0 {
        // It is going to be hit: to close the gap first would slow down what is to rebound.
        gap = gap.min(0.0);
    }
    if settings.theta < 1.0 && gap >= 0.0 {
        // What the velocities of the start do to the gap is known; only its closing is left to the step.
        let forecast = gap + (1.0 - settings.theta) * dt * approach;
        gap = forecast.max(0.0) / settings.theta;
    }
    gap.max(-settings.bounded_recovery() * dt)
}
