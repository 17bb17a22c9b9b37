//! The tests of this crate, in one program: each is linked once.

mod assembly;
mod findings;
mod going_on;
mod plans;
mod refused;
mod statistics;
mod store;
mod support;
