//! What is wrong with a model, beyond what its file format can say.

mod overlap;

pub use overlap::{Neighbour, Overlap, neighbours, overlaps};
