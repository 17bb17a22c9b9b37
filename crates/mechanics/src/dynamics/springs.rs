//! Joints that yield: what of an overlap is the compression of a spring, and what a spring holds.
//!
//! A contact of tributary area A has a spring of k_n A along its normal and one of k_t A across it. The first is compressed
//! by the overlap of the blocks at the end of the step, beyond a `rest` at which it carries nothing; the impulse of the step
//! is `-k_n A dt (gap + rest + dt u)` with u the velocity at its end, whatever the compression: only the rest is taken back
//! slowly. It is the overlap, or the gap, that the model was drawn with, and the overlap with which blocks were found that
//! had not touched before.

use drystone_cone::Contact;
use glam::DVec3;

use super::State;

/// Width over which an edge or a corner bears, as a part of the size of the smaller block.
const BEARING: f64 = 1e-2;

/// The least tributary area of each contact of an interface (m²). A corner bears on a square, an edge on a strip of its
/// length; as wide as [`BEARING`] times the smaller block, of which `size` is the diameter.
pub(super) fn least_share(contacts: &[drystone_contact::Contact], size: f64) -> f64 {
    let Some(first) = contacts.first() else {
        return 0.0;
    };
    let width = BEARING * size;
    let length = contacts
        .iter()
        .map(|c| c.arm_first.distance(first.arm_first))
        .fold(0.0, f64::max);
    width * (length + width) / contacts.len() as f64
}

/// The rest of a spring after a step. `kept` is what it may keep for good: as much as faces may be apart and still touch,
/// because models are drawn with rounded numbers. What exceeds it shrinks by `back`, and with the overlap itself.
pub(super) fn rest_after(past: f64, overlap: f64, kept: f64, back: f64) -> f64 {
    if past <= kept {
        return past.min(overlap.max(0.0));
    }
    (past - back).max(kept).min(overlap.max(0.0))
}

/// Tells contacts what of their gaps is compression. Returns the energy that the springs hold at the start of the step (J).
///
/// With theta below one, blocks move by a part of the velocities at the start as well, and gaps with them.
pub(super) fn set_springs(state: &State, theta: f64, dt: f64, rests: &[f64], contacts: &mut [Contact]) -> f64 {
    let mut held = 0.0;
    for (contact, rest) in contacts.iter_mut().zip(rests) {
        contact.gap += rest;
        let [normal, across] = stored(contact.compliance, dt, contact.gap, contact.slip);
        held += normal + across;
        if theta < 1.0 {
            let velocity = state.relative_velocity(contact.bodies, contact.point);
            let along = contact.normal.dot(velocity);
            let before = (1.0 - theta) * dt;
            contact.gap = (contact.gap + before * along) / theta;
            contact.slip = (contact.slip + before * (velocity - along * contact.normal)) / theta;
            contact.compliance = contact.compliance.map(|e| e / theta);
        }
    }
    held
}

/// Energies that springs hold along the normal and across it (J), by their compliance over a step of `dt`.
pub(super) fn stored(compliance: [f64; 2], dt: f64, gap: f64, slip: DVec3) -> [f64; 2] {
    let stiffness = compliance.map(|e| if e > 0.0 { 1.0 / (e * dt * dt) } else { 0.0 });
    [
        0.5 * stiffness[0] * gap.min(0.0).powi(2),
        0.5 * stiffness[1] * slip.length_squared(),
    ]
}
