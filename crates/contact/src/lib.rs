//! Where blocks touch.
//!
//! - [`Detector`] finds the contacts of blocks that move: a bounding volume tree that is refitted as they go, one common
//!   normal for each pair of convex parts, the faces that look at each other clipped on the plane across it, and the
//!   corners of what is left as contact points with a gap, an area and an identity that lasts from step to step.
//! - [`interfaces`] searches a model at rest for faces that lie on each other, of blocks convex or not.
//! - [`survey`] gives the joints of a model at rest, found either way or stored with it, and what hangs together by them.
//!
//! A contact is a pair of points, one on each block, on a line along the normal. The normal points from the first block
//! to the second; the gap is positive while they are apart. Units are SI.

pub mod interfaces;

mod bearing;
mod bodies;
mod broad;
mod cells;
mod clip;
mod cones;
mod contact;
mod dents;
mod detector;
mod narrow;
mod near;
mod points;
mod precision;
mod settings;
mod shares;
mod stored;
mod survey;

pub use bodies::{Bodies, BodiesError, Placement};
pub use cells::{BlockMesh, Divided, Meshed};
pub use contact::{Contacts, DetectedContact, DetectedInterface, Feature};
pub use detector::Detector;
pub use near::{NearMiss, describe, near_misses};
pub use precision::{Choice, Source, choose, doubtful};
pub use settings::DetectorSettings;
pub use stored::{Misplaced, misplaced};
pub use survey::{Joint, Search, Survey, joints, survey, unknown_joints};
