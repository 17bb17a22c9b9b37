//! The tests of this crate, in one program: each is linked once.

mod changes;
mod conclusions;
mod geometry;
