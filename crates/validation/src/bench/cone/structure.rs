//! The contacts of a structure at rest, and how they open.

use glam::DVec3;

use drystone_cone::Contact;
use drystone_contact::{Bodies, BodiesError, Contacts, Detector, DetectorSettings};
use drystone_model::Model;

/// The contacts of a model at rest, those that are up to a small fraction of the smallest block apart included.
pub(super) fn contacts_of(model: &Model) -> Result<Contacts, BodiesError> {
    let (bodies, placements) = Bodies::of_model(model)?;
    let size = |b: &drystone_model::Block| b.polyhedron().bounds().diagonal();
    let smallest = model.blocks.iter().map(size).fold(f64::INFINITY, f64::min);
    let margin = 5e-3 * smallest;
    let settings = DetectorSettings {
        margin,
        ..DetectorSettings::default()
    };
    let mut detector = Detector::new(bodies, settings);
    Ok(detector.detect(&placements).clone())
}

/// Relative velocity along each normal (m/s): how fast gaps open.
pub(super) fn opening(contacts: &[Contact], relative_velocities: &[DVec3]) -> impl Iterator<Item = f64> {
    contacts.iter().zip(relative_velocities).map(|(c, u)| c.normal.dot(*u))
}
