//! Structures of blocks that touch without glue: do they stand, what would bring them down, and how do they fall?
//!
//! ```
//! use drystone::prelude::*;
//!
//! fn main() -> Result<(), Failure> {
//!     let arch = recipes::order("arch").with("voussoirs", 12).with("thickness", 0.9).build()?;
//!
//!     let subject = Subject::new(arch, &Situation::default())?;
//!     let answer = subject.check(Way::Static(Method::Cone), &mut Solvers::default())?;
//!     println!("{}: {}", answer.finding.verdict().name(), answer.reason());
//!     assert!(answer.finding.is_proven());
//!
//!     let motion = "sine:amplitude=0.3g,frequency=2,direction=x";
//!     let settings = SimulationSettings { time_step: TimeStep::Fixed(0.01), ..SimulationSettings::default() };
//!     let mut simulation = simulation(&subject.model, settings, &[motion], &[])?;
//!     let mut run = Run::new(&mut simulation, RunPlan::of(0.5));
//!     let end = run.drive(&mut ())?;
//!     let summary = run.summary(&subject.model, &subject.geometry, end);
//!     println!("a block has moved by up to {} m", summary.max_displacement_m);
//!     Ok(())
//! }
//! ```
//!
//! The crates underneath, from what a structure is to what becomes of it: [`model`], [`contact`], [`cone`], [`mechanics`],
//! [`verify`], [`analysis`], [`output`], [`study`]. `ARCHITECTURE.md` has the picture.

pub use drystone_analysis as analysis;
pub use drystone_cone as cone;
pub use drystone_contact as contact;
pub use drystone_mechanics as mechanics;
pub use drystone_model as model;
pub use drystone_output as output;
pub use drystone_study as study;
pub use drystone_verify as verify;

#[cfg(feature = "program")]
pub mod program;

/// What most programs need.
pub mod prelude {
    pub use drystone_analysis::{
        Answer, Changes, Failure, Flow, Geometry, Growing, LimitAnswer, Observer, Run, RunPlan, Situation, Subject,
        Summary, TiltAnswer, Way, conclude, limit, simulation, tilt,
    };
    pub use drystone_cone::Friction;
    pub use drystone_mechanics::{
        dynamics::{Collapse, Simulation, SimulationSettings, State, TimeStep},
        statics::{Method, Solvers, Verdict},
    };
    pub use drystone_model::{Block, Model, Shape, file, import, recipes};
    pub use drystone_output::run::{RunFiles, record};
    pub use glam::{DQuat, DVec3};
}
