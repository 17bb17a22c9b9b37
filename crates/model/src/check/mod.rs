//! What is wrong with a model, beyond what its file format can say, and what it amounts to.

mod overlap;
mod problem;
pub mod ranges;
mod references;
mod shapes;
mod stages;
mod summary;
mod surfaces;
mod values;

pub use overlap::{Neighbour, Overlap, neighbours, overlaps};
pub use problem::{ModelProblem, Severity};
pub(crate) use problem::{block_place, nearest, shown, shown_list};
pub use references::{deformable_problem, without_elasticity};
pub use summary::{ModelSummary, summary};

use crate::Model;

/// Largest coordinate of a block (m), in its own frame and in the world. Geodetic and geocentric coordinates in metres
/// stay below 1e7; beyond this a file is damaged or in other units.
pub const LARGEST_COORDINATE: f64 = 1e8;

/// Everything that is wrong with the shape of one block of a model.
pub(crate) fn shape_problems(model: &Model, index: usize) -> Vec<ModelProblem> {
    let mut found = Vec::new();
    if let Some(block) = model.blocks.get(index) {
        shapes::check_block(model, index, block, &mut found);
    }
    found
}

/// Everything that is wrong with a model that can be said without looking at pairs of blocks.
///
/// Errors make a model unusable; warnings are for a person to judge. Overlaps are found by [`overlaps`], which takes
/// longer.
pub fn problems(model: &Model) -> Vec<ModelProblem> {
    let mut found = Vec::new();
    values::check(model, &mut found);
    references::check(model, &mut found);
    surfaces::check(model, &mut found);
    shapes::check(model, &mut found);
    found
}
