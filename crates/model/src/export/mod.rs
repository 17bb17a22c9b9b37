//! Models in the formats of other programs. Blocks are written in world coordinates, their poses applied.

mod compas;
mod obj;

pub use compas::compas;
pub use obj::obj;
