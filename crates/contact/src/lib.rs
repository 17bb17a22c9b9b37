//! Where the blocks of a structure touch.

pub mod interfaces;
