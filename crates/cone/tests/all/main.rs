//! The tests of this crate, in one program: each is linked once.

mod against_clarabel;
mod clarabel;
mod common;
mod coulomb_newton;
mod deformation;
mod demanding;
mod equilibrium;
mod fc3d;
mod first_order;
mod incline;
mod invariance;
mod laws;
mod redundancy;
#[path = "../../../model/tests/all/shared.rs"]
mod shared;
mod stages;
mod threads;
