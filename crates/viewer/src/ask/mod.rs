//! Questions about a structure at rest. Each takes the model as it stands in a situation, and changes nothing.

mod check;
mod hello;
mod limits;
mod thrust;

use drystone_analysis::AskError;
use drystone_mechanics::statics::StaticsError;

use crate::protocol::Refusal;

pub(crate) use check::{Checked, Findings, certificate, certified, check, checked};
pub(crate) use hello::hello;
pub(crate) use limits::{limit, sensitivity, tilt};
pub(crate) use thrust::thrust;

impl From<StaticsError> for Refusal {
    fn from(error: StaticsError) -> Self {
        Self::new(error)
    }
}

impl From<AskError> for Refusal {
    fn from(error: AskError) -> Self {
        Self::new(error)
    }
}

/// Numbers that are none are left out of JSON.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
