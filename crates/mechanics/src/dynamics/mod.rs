//! Time stepping by non-smooth contact dynamics (papers 001 and 003).
//!
//! A step finds the velocities at its end and the impulses within it together: backward Euler in impulses, contacts and
//! gaps of the start of the step, one cone problem. Impacts need no event location and friction no small steps.
//!
//! [`Simulation`] holds a structure and its [`State`] and takes steps; [`SimulationSettings`] says how; [`Watch`] tells when a
//! structure has collapsed, [`Extremes`] how far and how fast it moved. [`mod@reference`] holds motions that are known without it.

mod bonds;
pub mod checkpoint;
mod contacts;
mod deformation;
mod energy;
mod error;
mod explicit;
mod loads;
mod memory;
mod problem;
pub mod reference;
mod rest_gaps;
mod rotation;
mod settings;
mod simulation;
mod springs;
mod state;
mod step;
mod ties;
mod watch;

pub use drystone_model::JointStiffness;

pub use contacts::{ContactForce, ContactStatus};
pub use deformation::Deformed;
pub use energy::Energies;
pub use error::SimulationError;
pub use explicit::StableStep;
pub use rest_gaps::RestGaps;
pub use rotation::RotationScheme;
pub use settings::{ExplicitSettings, Integrator, ReferenceFrame, SimulationSettings, Start, TimeStep};
pub use simulation::{
    Acting, Calming, Equilibrated, Extreme, Extremes, HeldPoint, Peak, RelativeMotion, Simulation, StepAttempt, TieNow,
};
pub use state::State;
pub use step::{Step, StepTimes};
pub use ties::{TieState, TieStatus};
pub use watch::{Collapse, CollapseExtent, Watch, max_displacement};
