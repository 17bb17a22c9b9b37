//! The tests of this crate, in one program: each is linked once.

mod animation;
mod deformed;
mod glb;
mod picture;
mod plot;
mod series;
mod statics;
mod structures;
mod tables;
mod vtk;
