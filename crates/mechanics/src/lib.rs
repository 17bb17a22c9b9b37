//! How structures of blocks stand and fall.
//!
//! - [`deformable`] holds finite elements of blocks that deform.
//! - [`dynamics`] steps a structure through time: gravity, impulses, earthquakes.
//! - [`slow`] follows it through equilibria as it is loaded slowly.
//! - [`statics`] asks whether it stands, what would bring it down, and proves the answer.
//! - [`Structure`] is what both work on: a model by index, with its joints at rest, their laws and its ties.
//!
//! A simulation reads a model, finds contacts with `drystone-contact` and asks `drystone-cone` which impulses flow.
//! Nothing here prints or touches the disk.

pub mod deformable;
pub mod dynamics;
pub mod slow;
pub mod statics;

mod by_name;
mod laws;
mod structure;

pub use by_name::TieLine;
pub use laws::joint_laws;
pub use structure::{ContactPoint, Structure, StructureError};
