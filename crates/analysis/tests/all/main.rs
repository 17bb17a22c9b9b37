//! The tests of this crate, in one program: each is linked once.

mod conclusions;
mod geometry;
