//! What questions share: memory, a way to stop them, and a way to be told how far they are.

use std::fmt;

use drystone_cone::{Engine, Equilibrium, Stop};

use super::StaticsError;

/// Memory that checks share: use one for a sweep.
#[derive(Debug, Default)]
pub struct Solvers {
    pub(super) engine: Engine,
    pub(super) equilibrium: Equilibrium,
    pub(super) coupled: Equilibrium,
    pub(super) stop: Stop,
    listener: Listener,
}

type Tell = dyn FnMut(f64, &str) + Send;

/// Who is told how far a question is, and how far it was already: nobody is told that it has gone back.
#[derive(Default)]
struct Listener {
    tell: Option<Box<Tell>>,
    fraction: f64,
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.tell.is_some() { "Listener" } else { "nobody" })
    }
}

impl Solvers {
    /// Memory for questions that end with [`StaticsError::Stopped`] soon after they were told to stop, by a flag that another
    /// thread sets, say: it is looked at in every iteration of every solve.
    pub fn stopped_by(stop: impl Into<Stop>) -> Self {
        let mut solvers = Self {
            stop: stop.into(),
            ..Self::default()
        };
        solvers.engine.stop_by(solvers.stop.clone());
        solvers.equilibrium.stop_by(solvers.stop.clone());
        solvers.coupled.stop_by(solvers.stop.clone());
        solvers
    }

    /// From now on, sweeps tell how much of them is done (from 0 to 1, as far as can be said) and what they are at.
    pub fn tell(&mut self, listener: impl FnMut(f64, &str) + Send + 'static) {
        self.listener = Listener {
            tell: Some(Box::new(listener)),
            fraction: 0.0,
        };
    }

    /// From now on, nobody is told.
    pub fn tell_nobody(&mut self) {
        self.listener = Listener::default();
    }

    /// An error where it was told to stop.
    pub(super) fn check_stopped(&self) -> Result<(), StaticsError> {
        if self.stop.is_set() {
            return Err(StaticsError::Stopped);
        }
        Ok(())
    }

    /// Tells who listens how far a sweep is.
    pub(super) fn at(&mut self, fraction: f64, what: impl FnOnce() -> String) {
        let Listener { tell, fraction: most } = &mut self.listener;
        if let Some(tell) = tell {
            *most = most.max(fraction.min(1.0));
            tell(*most, &what());
        }
    }
}
