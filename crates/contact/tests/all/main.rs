//! The tests of this crate, in one program: each is linked once.

mod bearing;
mod contacts;
mod ghosts;
mod interfaces;
mod motion;
mod parts;
mod properties;
mod recipes;
mod resting;
#[path = "../../../model/tests/all/shared.rs"]
mod shared;
mod support;
