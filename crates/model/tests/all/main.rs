//! The tests of this crate, in one program: each is linked once.

mod bad_inputs;
mod docs;
mod geometry;
mod imports;
mod model_file;
mod motion;
mod readers_never_panic;
mod recipes;
mod shared;
