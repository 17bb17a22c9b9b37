//! How supports move and how loads vary in time.
//!
//! - [`Motion`] and the types beside it are what a model file says. [`parse`] reads the short form of the command line.
//! - [`Motion::compile`] turns a motion into a [`Trajectory`], which gives displacement, velocity and acceleration at any
//!   time, each the exact integral or derivative of the others. [`Supports`] does so for every support of a model.
//! - [`record`] reads recorded ground motions and prepares them: baseline, taper, filter, time step, peak.
//! - [`History`] varies a load in time; [`Multiplier`] is its compiled form.
//!
//! Everything in time rests on `curve`, functions made of pieces with closed integrals. Nothing here steps in time.

pub mod record;

mod check;
mod compile;
mod curve;
mod error;
mod functions;
mod history;
mod kinds;
mod rotation;
mod supports;
mod text;
mod trajectory;

pub(crate) use check::{history_problems, motion_problems};
pub use compile::CompileSettings;
pub use error::MotionError;
pub use functions::{Biphasic, Impulse, ImpulseForm, Ramp, RampForm, Ricker, Sine};
pub use history::{History, Multiplier};
pub use kinds::{Motion, MotionQuantity, RotationMotion, SupportMotion};
pub use supports::Supports;
pub use text::{TextError, parse, parse_all};
pub use trajectory::{MotionState, StepVelocity, Trajectory};

/// The unit g of accelerations (m/s²): the gravity of a model that states none, so that a motion of 0.3 g pushes with
/// 0.3 times the weight.
pub const G: f64 = 9.81;
