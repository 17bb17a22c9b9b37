//! Does it stand, how far can it be loaded or tilted, and is a verdict true? One file a command, and what they share:
//! `question` is the model that is asked about, `words` what is said of verdicts, `waiting` tells that work goes on.

pub(crate) mod check;
pub(crate) mod limit;
mod question;
pub(crate) mod settle;
pub(crate) mod tilt;
pub(crate) mod verify;
mod waiting;
mod words;

pub(crate) use question::read;
