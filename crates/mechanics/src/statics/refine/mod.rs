//! Makes forces and motions exact enough to be checked by anybody.
//!
//! Solvers end when what is left is small against all loads together. A certificate is checked block by block, against the
//! load of each, and joint by joint, with all closings added up: [`forces`] takes what is left of the balance back, and
//! [`motion`] closes or opens joints, until rounding alone is left. Neither changes what was found: forces stay in their
//! cones, and the motion the mechanism that it was.

mod forces;
mod motion;
mod system;
mod wide;

pub(super) use forces::{Directions, forces};
pub(super) use motion::motion;
