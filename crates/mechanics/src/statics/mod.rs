//! Does it stand, what would bring it down, and how can anybody check the answer?
//!
//! A [`Structure`] is a model with its joints, [`Loads`] what acts on its blocks. [`check()`] asks by one of the
//! [`Method`]s whether it stands, [`limit`] how far loads can grow, [`tilt`] how far it can be tilted. Verdicts come with
//! their [`Evidence`]: forces that balance the loads, or a motion that the loads drive; [`certify`] writes it down, so that
//! `drystone-verify` can prove it.
//! A [`Check`] tells the [stages](Stage) that were tried, and [`Tuning`] holds every tuned number with its meaning.
//! [`results`] turns forces into what people look at: resultants, stress, thrust lines.
//!
//! Methods differ in one assumption. `cone`, `rbe` and the limits of associated friction allow self-stress: forces that no
//! displacement has mobilised. `cra` and [`settle`] do not.

#![allow(
    clippy::needless_range_loop,
    reason = "small matrices read like the formulas they come from"
)]
#![allow(
    clippy::neg_cmp_op_on_partial_ord,
    reason = "a comparison with NaN must fall on the side of failure"
)]

mod certify;
mod check;
mod coupled;
mod elastic;
mod equilibrium;
mod error;
mod evidence;
mod limit;
mod loads;
mod mechanism;
mod problem;
mod program;
mod refine;
pub mod results;
mod rows;
mod sensitivity;
mod settle;
mod solvers;
mod stages;
mod ties;
mod tilt;
pub mod tuning;
mod turns;

pub use crate::{ContactPoint, Structure, TieLine};
pub use certify::{Acting, Overrides, Uncertified, certify};
pub use check::{Check, Method, Verdict, check};
pub use elastic::{ElasticEquilibrium, check_elastic};
pub use error::StaticsError;
pub use evidence::{Balanced, Driven, Evidence};
pub use limit::{Limit, LimitSettings, limit};
pub use loads::Loads;
pub use sensitivity::{Sensitivity, least_friction, worst_direction};
pub use settle::{Settled, settle, settle_under};
pub use solvers::Solvers;
pub use stages::{Stage, StageKind, StageOutcome};
pub use tilt::{Tilt, TiltStatus, tilt, tilted};
pub use tuning::Tuning;
pub use turns::unstable_in_turn;
