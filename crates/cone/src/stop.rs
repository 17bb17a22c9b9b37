//! A flag that gives up what is being solved.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A flag that another thread may set: a solve that has it looks at it in each iteration, and ends with
/// [`ProblemError::Stopped`](crate::ProblemError::Stopped). Clones share the flag; the default is never set.
#[derive(Clone, Debug, Default)]
pub struct Stop(Option<Arc<AtomicBool>>);

impl Stop {
    /// Whether it is set.
    pub fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

impl From<Arc<AtomicBool>> for Stop {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(Some(flag))
    }
}
