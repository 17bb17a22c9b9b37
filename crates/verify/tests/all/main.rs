//! The tests of this crate, in one program: each is linked once.

mod common;
mod dents;
mod forgeries;
mod loads;
mod stable;
mod tampering;
mod unstable;
mod zigzag;
