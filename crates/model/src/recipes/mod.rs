//! Structures built from a few parameters: the library behind `drystone new`, and the one that tests, examples and
//! benchmarks take their structures from.
//!
//! A recipe is a file here with a parameter block declared by `parameters!` and a function that builds a [`Model`](crate::Model).
//! [`all`] lists them; [`order`] builds one with values in Rust's own types; [`Recipe::build`] takes values as text, as a command line or a page would give them, checks
//! them against the declared ranges and reports every one that is wrong.

mod parameter;
mod registry;

pub use parameter::{Is, Need, Parameter, ParameterKind, RecipeError};
pub(crate) use parameter::{above, choices, not, one_of, parameters};
pub use registry::{Order, Recipe, Values, all, find, order};

mod arch;
mod barrel_vault;
mod block;
mod block_count;
mod bridge;
mod church;
mod column;
mod corbelled_cylinder;
mod cross_vault;
mod dome;
mod ground;
mod masonry;
mod model_a;
mod model_h;
mod natural_arch_wall;
mod oppenheim_arch;
mod rubble_wall;
mod shelf;
mod spandrel_arch;
mod stack;
mod stone_house;
mod three_legged_pi;
mod tower;
mod voussoir;
mod wall;
mod wedge;

#[cfg(test)]
mod effects;
#[cfg(test)]
mod published;
#[cfg(test)]
pub(crate) mod soundness;
