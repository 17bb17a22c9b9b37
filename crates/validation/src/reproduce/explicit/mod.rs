//! Explicit steps: exact motions, structures at rest, and published cases beside the implicit method with the same joints.

mod at_rest;
mod beside;
mod column;
mod convergence;
mod energy;
mod housner;
mod published;
mod rounded;
mod sliding;
mod tilting;
mod together;

use drystone_mechanics::dynamics::{ExplicitSettings, Integrator, JointStiffness, SimulationSettings};

use super::{
    case::{Allowed, Case, Context, Outcome, Row, short},
    drive, measure,
};

/// The cases, in the order in which they are listed and run.
pub(super) const CASES: &[Case] = &[
    housner::CASE,
    published::BLOCK3D,
    published::OPPENHEIM,
    beside::ARCH,
    beside::HOUSE,
    sliding::CASE,
    at_rest::STACK,
    at_rest::ARCH,
    at_rest::SPANDREL,
    column::CASE,
    together::CASE,
    convergence::STEPS,
    convergence::RIGID,
    energy::CASE,
    tilting::CASE,
    rounded::SPANDREL,
    rounded::NATURAL_ARCH,
    rounded::CYLINDER,
];

const GROUP: &str = "explicit";
/// Stiffness of joints where a case does not go through several (N/m3).
const STIFFNESS: f64 = 1e10;

/// Implicit steps of `dt` with joints of a stiffness (N/m3).
fn implicit(stiffness: f64, dt: f64) -> SimulationSettings {
    SimulationSettings {
        stiffness: Some(JointStiffness {
            normal: stiffness,
            tangential: stiffness,
        }),
        ..drive::steps_of(dt)
    }
}

/// Explicit steps with the same joints, looked at every `interval` (s).
fn explicit(stiffness: f64, interval: f64) -> SimulationSettings {
    damped(stiffness, interval, None)
}

/// The same with dashpots that are a part of what is critical.
fn damped(stiffness: f64, interval: f64, damping: Option<f64>) -> SimulationSettings {
    SimulationSettings {
        integrator: Integrator::Explicit(ExplicitSettings {
            damping,
            ..ExplicitSettings::default()
        }),
        ..implicit(stiffness, interval)
    }
}
