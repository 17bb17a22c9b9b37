//! Questions about a structure at rest. Each takes the model as it stands in a situation, and changes nothing.

mod check;
mod hello;
mod limits;
mod thrust;

pub(crate) use check::{Checked, Findings, certificate, certified, check, checked};
pub(crate) use hello::hello;
pub(crate) use limits::{limit, sensitivity, tilt};
pub(crate) use thrust::thrust;
