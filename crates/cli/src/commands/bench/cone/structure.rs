//! The contact problem of a structure at rest.

use glam::DVec3;

use drystone_cone::{Body, Contact, Problem, Twist};
use drystone_contact::{Bodies, BodiesError, Contacts, Detector, Settings};
use drystone_model::Model;

/// The problem of a step of `dt` with the blocks of a model where they stand, and the contacts found there. Bodies are
/// the blocks, in their order; free ones are at rest.
pub(super) fn problem_of(model: &Model, contacts: &Contacts, dt: f64) -> Problem {
    let mut centers = Vec::with_capacity(model.blocks.len());
    let mut bodies = Vec::with_capacity(model.blocks.len());
    for block in &model.blocks {
        let (mass, properties) = model.mass_of(block);
        centers.push(properties.centroid);
        bodies.push(if block.fixed {
            Body::fixed()
        } else {
            Body::free(properties.centroid, mass, properties.inertia, Twist::ZERO)
        });
    }
    let mut points = Vec::with_capacity(contacts.contacts.len());
    for interface in &contacts.interfaces {
        let [first, second] = interface.blocks.map(|b| b as usize);
        let friction = model
            .joints
            .friction_between(&model.blocks[first], &model.blocks[second]);
        for contact in contacts.of(interface) {
            // Half-way between the two nearest points, so that impulses on the two blocks balance each other.
            let ends = centers[first] + contact.arm_first + centers[second] + contact.arm_second;
            points.push(Contact::new(
                interface.blocks,
                0.5 * ends,
                interface.normal,
                contact.gap,
                friction,
            ));
        }
    }
    Problem {
        bodies,
        contacts: points,
        links: Vec::new(),
        dt,
    }
}

/// The contacts of a model at rest, those that are up to a small fraction of the smallest block apart included.
pub(super) fn contacts_of(model: &Model) -> Result<Contacts, BodiesError> {
    let (bodies, placements) = Bodies::of_model(model)?;
    let size = |b: &drystone_model::Block| b.polyhedron().bounds().diagonal();
    let smallest = model.blocks.iter().map(size).fold(f64::INFINITY, f64::min);
    let margin = 5e-3 * smallest;
    let settings = Settings {
        margin,
        ..Settings::default()
    };
    let mut detector = Detector::new(bodies, settings);
    Ok(detector.detect(&placements).clone())
}

/// Relative velocity along each normal (m/s): how fast gaps open.
pub(super) fn opening(contacts: &[Contact], relative_velocities: &[DVec3]) -> impl Iterator<Item = f64> {
    contacts.iter().zip(relative_velocities).map(|(c, u)| c.normal.dot(*u))
}
