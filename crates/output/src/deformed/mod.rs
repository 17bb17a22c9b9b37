//! Blocks that deform: their finite elements for ParaView, displacements and stresses as tables, and pictures.
//!
//! All take an [`ElasticField`](drystone_mechanics::deformable::ElasticField): displacements and stresses in world axes, of one time. Blocks
//! that are rigid are in the other files of a run; pictures show both.

mod drawing;
mod grid;
mod palette;
mod skin;
mod tables;

pub use drawing::StressMap;
pub use grid::unstructured_grid;
pub use palette::{stress_color, stress_scale};
pub use tables::StressTables;
