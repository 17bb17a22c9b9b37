//! The tests of this crate, in one program: each is linked once.

mod bridges;
mod cli;
mod common;
mod deformable;
mod library;
mod runs;
mod settle;
mod simulate;
mod statics;
mod studies;
mod tutorials;
mod view;
