//! Models in the formats of other programs. Blocks are written in world coordinates, their poses applied.

mod compas;
mod dxf;
mod obj;

pub use compas::compas;
pub use dxf::{NotFlat, dxf};
pub use obj::obj;
