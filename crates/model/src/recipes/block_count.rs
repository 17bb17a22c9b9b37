//! The most blocks a recipe builds, so that a slip of the keyboard asks for no more memory than there is.

use super::RecipeError;

/// The most blocks that one structure may have.
pub(super) const MOST: usize = 200_000;

/// An error that names the parameters to lower if a structure would have more than [`MOST`] blocks.
pub(super) fn within_limit(blocks: f64, lower: &str) -> Result<(), RecipeError> {
    if blocks <= MOST as f64 {
        return Ok(());
    }
    Err(RecipeError::conflict(format!(
        "this would be {blocks:.0} blocks; at most {MOST} are built. {lower}"
    )))
}
