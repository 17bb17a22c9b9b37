//! Validation: published cases beside what is computed here, and measurements beside peers.
//!
//! [`Reproduce`] and [`Bench`] are the options of `drystone reproduce` and `drystone bench`; their `run` gives a [`CommandReport`].
//! What is known before the end goes to a [`Listener`]: nothing here prints.

mod bench;
mod report;
mod reproduce;

pub use bench::Bench;
pub use report::{CommandReport, Listener};
pub use reproduce::Reproduce;
