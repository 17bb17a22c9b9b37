//! Checks verdicts about block structures with code of its own.
//!
//! [`verify`] takes a certificate and the model it is about, and goes through every claim again: that the model is the
//! one meant, that forces act where blocks touch and balance every block within the friction that the joints have, or
//! that a motion is one that no joint resists and the loads drive. Joints are found again from the shapes. Nothing is
//! taken from the programs that find verdicts: this crate knows the model and its certificate files, and no solver.
//!
//! - [`Verification`] and [`CheckedClaim`] are the answer. A [`Verifier`] checks many certificates of one model.
//! - `bodies` is the model by index; `loads` what acts on it; `motions` how it moves.
//! - `contacts` finds the joints: `patches` between faces, `local` those at single points, on the plane geometry of
//!   `polygons`; `slack` says what counts as touching; `overlap` refuses blocks that overlap; `boxes` tells
//!   what is near enough to look at; `precision` whether coordinates are as rough as it is said.
//! - `stable`, `coupled` and `unstable` check the claims themselves, with sums in twice the precision (`wide`).
//!
//! `docs/certificates.md` gives the tolerances and their reasons, and what a valid certificate does not prove.

mod bodies;
mod boxes;
mod cases;
mod claims;
mod contacts;
mod coupled;
mod dents;
mod loads;
mod local;
mod motions;
mod overlap;
mod patches;
mod polygons;
mod precision;
mod slack;
mod stable;
mod unstable;
mod verify;
mod wide;

pub use claims::{CheckedClaim, Verification};
pub use verify::{Verifier, verify};
