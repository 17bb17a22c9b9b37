//! What is wrong with a model, beyond what its file format can say, and what it amounts to.

mod overlap;
mod problem;
mod references;
mod shapes;
mod summary;
mod values;

pub use overlap::{Neighbour, Overlap, neighbours, overlaps};
pub use problem::{Problem, Severity};
pub(crate) use problem::{block_place, nearest, shown, shown_list};
pub use summary::{Summary, summary};

use crate::Model;

/// Largest coordinate of a block (m), in its own frame and in the world. Beyond it a file is damaged or in other units,
/// and moments of inertia, which go with the fifth power of lengths, would lose all meaning.
pub const LARGEST_COORDINATE: f64 = 1e12;

/// Everything that is wrong with a model that can be said without looking at pairs of blocks.
///
/// Errors make a model unusable; warnings are for a person to judge. Overlaps are found by [`overlaps`], which takes
/// longer.
pub fn problems(model: &Model) -> Vec<Problem> {
    let mut found = Vec::new();
    values::check(model, &mut found);
    references::check(model, &mut found);
    shapes::check(model, &mut found);
    found
}
