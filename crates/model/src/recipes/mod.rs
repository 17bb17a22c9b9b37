//! Structures built from a few parameters: the library behind `drystone new`, and the one that tests, examples and
//! benchmarks take their structures from.
//!
//! A recipe is a file here with a parameter block declared by [`parameters!`] and a function that builds a [`Model`].
//! [`all`] lists them; [`Recipe::build`] takes values as text, as a command line or a page would give them, checks
//! them against the declared ranges and reports every one that is wrong.

mod parameter;
mod registry;

pub use parameter::{Kind, Parameter, RecipeError};
pub(crate) use parameter::{choices, parameters};
pub use registry::{Recipe, Values, all, find};

mod block;
mod church;
mod masonry;
mod natural_arch_wall;
mod stone_house;
mod tower;
mod wall;

#[cfg(test)]
pub(crate) mod soundness;
