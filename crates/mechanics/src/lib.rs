//! How structures of blocks stand and fall.
//!
//! - [`dynamics`] steps a structure through time: gravity, impulses, earthquakes.
//! - [`statics`] asks whether it stands, what would bring it down, and proves the answer.
//! - [`Structure`] is a model as mechanics needs it: masses, inertias, friction and links by index.
//!
//! A simulation reads a model, finds contacts with `drystone-contact` and asks `drystone-cone` which impulses flow.
//! Nothing here prints or touches the disk.

pub mod dynamics;
pub mod statics;

mod laws;
mod rest_gaps;
mod structure;

pub use rest_gaps::RestGaps;
pub use structure::{Structure, StructureError};
