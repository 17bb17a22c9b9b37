//! What gives up a solve from outside.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Asked in each iteration of a solve that has it whether to give up; the solve then ends with
/// [`ProblemError::Stopped`](crate::ProblemError::Stopped). Clones ask the same; the default never gives up. Most often it is
/// made from a flag that another thread sets.
#[derive(Clone, Default)]
pub struct Stop(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Stop {
    /// Gives up once `asked` says so. It is asked often, and must be quick.
    pub fn when(asked: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(asked)))
    }

    /// Whether to give up.
    pub fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|asked| asked())
    }
}

impl From<Arc<AtomicBool>> for Stop {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self::when(move || flag.load(Ordering::Relaxed))
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "Stop::when(..)"
        } else {
            "Stop::default()"
        })
    }
}
