//! The statistics of a study: fragility functions, incremental dynamic analysis, sampling, sensitivity and failure
//! domains. Pure functions on plain numbers: nothing here knows what a block is, and nothing reads a file.
//!
//! Results have the same bits on every machine: elementary functions come from `libm`, random numbers from a generator of
//! this module ([`random`]), and sums run in the order of the input.
//!
//! No estimate is given where the data determine none: [`fit::FitOutcome`] says why not.

pub mod bootstrap;
pub mod error;
mod extended;
pub mod fit;
pub mod fragility;
pub mod hull;
pub mod ida;
mod likelihood;
pub mod lognormal;
pub mod normal;
pub mod percentile;
pub mod random;
pub mod sampling;
pub mod sensitivity;

#[cfg(test)]
mod tests;
