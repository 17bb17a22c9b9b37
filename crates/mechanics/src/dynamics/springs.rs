//! Joints that yield: what of an overlap is the compression of a spring, and what a spring holds.
//!
//! A contact of tributary area A has a spring of k_n A along its normal and one of k_t A across it. The first is compressed
//! by the overlap of the blocks at the end of the step, beyond a `rest` at which it carries nothing; the impulse of the step
//! is `-k_n A dt (gap + rest + dt u)` with u the velocity at its end, whatever the compression: only the rest is taken back
//! slowly. It is the overlap, or the gap, that the model was drawn with, and the overlap with which blocks were found that
//! had not touched before.
//!
//! Within a step springs are conservative. Between two steps areas change, points come and go, and shapes turn: what an
//! interface holds could grow although nothing compressed it, and a block that rocks would be thrown by it. So its springs
//! hold no more at the start of a step than they did at the end of the last, but for the little that such changes took from
//! them before: normals that waver between those of two faces would use up the springs of a joint at rest. Where they would,
//! all of them are compressed by less than their overlap, in proportion, until they open.

use drystone_cone::{Contact, Link, LinkKind};
use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{JointStiffness, State};

/// Width over which an edge or a corner bears, as a part of the size of the smaller block.
const BEARING: f64 = 1e-2;

/// How much of what changes of shapes and areas took from the springs of an interface they may take back, as a part of what
/// they hold.
const TAKEN_BACK: f64 = 1e-2;

/// What a contact's springs are measured by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spring {
    /// Overlap at which it is not compressed (m); negative where it is so across a gap.
    pub(crate) rest: f64,
    /// What the rest was before overlaps were taken back in this step (m).
    #[serde(skip)]
    pub(crate) rest_before: f64,
    /// Overlap of the blocks, compression and all (m).
    #[serde(skip)]
    pub(crate) overlap: f64,
    /// What of the rest is kept for good, because the run starts in equilibrium with it (m).
    pub(crate) settled: f64,
    /// Tributary area (m²); zero in the memory of springs that are not compressed.
    pub(crate) area: f64,
    /// Whether the area is a share of faces that meet, and not that of an edge or a corner.
    pub(crate) on_face: bool,
    /// What the joint has been crushed by here (m).
    #[serde(default)]
    pub(crate) crushed: f64,
    /// The fraction of the area that bears shear by friction: what is bonded bears it by the bond.
    #[serde(skip)]
    pub(crate) dry: f64,
}

impl Spring {
    /// The spring of blocks that are found so, and have not touched before.
    pub(crate) fn new(gap: f64, share: f64, least: f64) -> Self {
        let overlap = (-gap).max(0.0);
        Self {
            rest: overlap,
            rest_before: overlap,
            overlap,
            settled: 0.0,
            area: share.max(least),
            on_face: share > 0.0,
            crushed: 0.0,
            dry: 1.0,
        }
    }

    /// The overlap that is taken back (m).
    pub(crate) fn unsettled(&self) -> f64 {
        self.rest - self.settled
    }

    /// Goes on from the last step. `kept` is the rest that it may keep for good beside what is settled: as much as faces may
    /// be apart and still touch, because models are drawn with rounded numbers. What exceeds it shrinks by `back`, and with
    /// the overlap itself.
    ///
    /// While it is compressed it keeps its stiffness where faces become an edge and where an edge becomes faces: the edge
    /// that a block rocks about bears what its face did.
    pub(crate) fn go_on(&mut self, past: &Self, kept: f64, back: f64) {
        let (overlap, kept) = (self.overlap, kept + past.settled);
        self.settled = past.settled;
        self.rest_before = past.rest.min(overlap);
        self.rest = match past.rest <= kept {
            true => self.rest_before,
            false => (past.rest - back).max(kept).min(overlap),
        };
        if past.area > 0.0 && past.on_face != self.on_face {
            (self.area, self.on_face) = (past.area, past.on_face);
        }
    }
}

/// The least tributary area of each contact of an interface (m²). A corner bears on a square, an edge on a strip of its
/// length; as wide as [`BEARING`] times the smaller block, of which `size` is the diameter.
pub(super) fn least_share(contacts: &[drystone_contact::DetectedContact], size: f64) -> f64 {
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

/// What the springs of an interface hold (J), along the normal and across it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Held {
    /// What they hold.
    pub(crate) energy: [f64; 2],
    /// What they may take back.
    pub(crate) lost: [f64; 2],
    /// At the start of a step: what was given to them by taking back overlaps.
    #[serde(skip)]
    pub(crate) given: f64,
}

impl Held {
    /// Springs that may hold anything: those of a structure that is still to settle.
    pub(super) const ANYTHING: Self = Self {
        energy: [f64::INFINITY; 2],
        lost: [0.0; 2],
        given: 0.0,
    };

    /// The same at the end of a step, when springs hold `energy`.
    pub(super) fn after(&self, energy: [f64; 2]) -> Self {
        Self {
            energy,
            lost: [0, 1].map(|k| self.lost[k].min(TAKEN_BACK * energy[k])),
            given: 0.0,
        }
    }
}

/// Tells the contacts of an interface what of their gaps is compression. They held `held` at the end of the last step.
///
/// Normal and tangential springs are apart: a slip that is taken away does not come back, and joints would creep.
pub(super) fn set_springs(
    stiffness: JointStiffness,
    dt: f64,
    held: Held,
    springs: &[Spring],
    contacts: &mut [Contact],
) -> Held {
    let (mut energy, mut before) = ([0.0; 2], 0.0);
    for (contact, spring) in contacts.iter_mut().zip(springs) {
        let stiffness = [stiffness.normal, stiffness.tangential * spring.dry].map(|k| k * spring.area);
        contact.compliance = stiffness.map(|k| if k > 0.0 { 1.0 / (k * dt * dt) } else { 0.0 });
        if contact.gap + spring.rest > 0.0 && contact.normal.dot(contact.guess) <= 0.0 {
            // What is open has nothing to hold a slip by, also where its neighbours do. With associated friction what slides
            // is open by friction times the slip, and bears all the same.
            contact.slip = DVec3::ZERO;
        }
        let of = |rest: f64| 0.5 * stiffness[0] * (contact.gap + rest).min(0.0).powi(2);
        energy[0] += of(spring.rest);
        before += of(spring.rest_before);
        energy[1] += 0.5 * stiffness[1] * contact.slip.length_squared();
        contact.gap += spring.rest;
    }
    let given = energy[0] - before;
    let allowed = [held.energy[0] + held.lost[0] + given, held.energy[1] + held.lost[1]];
    let scale = [0, 1].map(|k| match energy[k] > allowed[k] {
        true => (allowed[k] / energy[k]).sqrt(),
        false => 1.0,
    });
    for contact in contacts {
        contact.gap *= if contact.gap < 0.0 { scale[0] } else { 1.0 };
        contact.slip *= scale[1];
    }
    let energy = [0, 1].map(|k| energy[k].min(allowed[k]));
    Held {
        energy,
        lost: [0, 1].map(|k| allowed[k] - energy[k]),
        given,
    }
}

/// With theta below one, blocks move by a part of the velocities at the start as well, and gaps of springs with them. Those of
/// rigid contacts are stated so.
pub(super) fn look_ahead(state: &State, jumps: &[[DVec3; 2]], theta: f64, dt: f64, contacts: &mut [Contact]) {
    for (k, contact) in contacts.iter_mut().enumerate().filter(|(_, c)| yields(c)) {
        let moving = jumps.get(k).map_or(DVec3::ZERO, |jump| jump[1]);
        let velocity = state.relative_velocity(contact.bodies, contact.point) + moving;
        let along = contact.normal.dot(velocity);
        let before = (1.0 - theta) * dt;
        contact.gap = (contact.gap + before * along) / theta;
        contact.slip = (contact.slip + before * (velocity - along * contact.normal)) / theta;
        contact.compliance = contact.compliance.map(|e| e / theta);
    }
}

/// Whether a contact as stated is a spring.
pub(super) fn yields(contact: &Contact) -> bool {
    contact.compliance[0] > 0.0
}

/// Energies that springs hold along the normal and across it (J), by their compliance over a step of `dt`.
pub(super) fn stored(compliance: [f64; 2], dt: f64, gap: f64, slip: DVec3) -> [f64; 2] {
    let stiffness = compliance.map(|e| if e > 0.0 { 1.0 / (e * dt * dt) } else { 0.0 });
    [
        0.5 * stiffness[0] * gap.min(0.0).powi(2),
        0.5 * stiffness[1] * slip.length_squared(),
    ]
}

/// What a link holds by its offset (J).
pub(super) fn stored_in_link(link: &Link, dt: f64, offset: f64) -> f64 {
    let stretched = match link.kind {
        LinkKind::OneWay => offset,
        LinkKind::Rigid => -offset.abs(),
    };
    stored([link.compliance, 0.0], dt, stretched, DVec3::ZERO)[0]
}

/// The same at the end of a step: of a contact as [`look_ahead`] left it, its relative velocity and elastic slip then.
pub(super) fn stored_after(contact: &Contact, theta: f64, dt: f64, velocity: DVec3, slip: DVec3) -> [f64; 2] {
    let gap = theta * (contact.gap + dt * contact.normal.dot(velocity));
    stored(contact.compliance.map(|e| theta * e), dt, gap, theta * slip)
}
