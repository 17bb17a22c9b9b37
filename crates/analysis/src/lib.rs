//! From a question about a structure to its answer.
//!
//! What every front end needs, once: [`Geometry`] is what is wrong with the shapes, [`Case`] a structure with what acts on
//! it, [`ask`] one method's [`Answer`], [`Proof`] what independent code said of its certificate, [`conclude`] the one
//! conclusion from all evidence. Answers serialise to the fields that `docs/statics.md` lists. [`words`] writes numbers and
//! names for people. Nothing here prints or touches the disk.

mod answer;
mod bounds;
mod case;
mod conclusion;
mod deformation;
mod dry;
mod edit;
mod failure;
mod finding;
mod geometry;
mod limit;
mod pairs;
mod run;
mod settle;
mod shaking;
mod situation;
mod stepping;
mod subject;
mod ties;
mod tilt;
mod way;
pub mod words;

pub use answer::{Answer, AskError, ask, stage_words};
pub use bounds::{Bracket, Grows, Side};
pub use case::Case;
pub use conclusion::{Conclusion, conclude};
pub use deformation::DeformationResult;
pub use dry::{left_out, left_out_of_limits, taken_as_rigid};
pub use edit::{Edit, Edited, edit};
pub use failure::{Failure, FailureKind, Place};
pub use finding::{Finding, Proof};
pub use geometry::{Geometry, GeometryProblem, ProblemKind, loose};
pub use limit::{CERTIFICATES, Growing, LimitAnswer, limit};
pub use pairs::Pairs;
pub use run::{End, Flow, Observer, Run, RunError, RunPlan, Summary, Tally};
pub use settle::{
    JointOpening, Reached, SettleAnswer, SettledTie, StageResult, StageState, crack_width, moved_model, openings,
    settle,
};
pub use shaking::{simulation, supports};
pub use situation::{Changes, Situation, drawn_joints, known_blocks, known_joints, unit};
pub use stepping::{
    Chosen, ExplicitNote, STIFFNESS_RANGE, Stepping, USUAL_STEP, USUAL_STEPPING, explicit_notes, explicit_span,
    filtered_waves,
};
pub use subject::Subject;
pub use ties::{TieGroup, TieResult, tie_words};
pub use tilt::{TiltAnswer, tilt};
pub use way::{Way, assumption, self_stress_name};
