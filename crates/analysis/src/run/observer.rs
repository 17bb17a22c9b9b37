//! Whoever watches a run.

use std::convert::Infallible;

use drystone_mechanics::dynamics::SimulationError;

use super::Run;

/// Whether a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It goes on.
    GoOn,
    /// It stops.
    Stop,
}

/// Whoever watches a run, and may stop it. Every method but the error has a default that does nothing.
pub trait Observer {
    /// Why it could not do its part; the run ends then.
    type Error;

    /// Before each step: whether there is to be another.
    fn proceed(&mut self, _run: &Run<'_>) -> Flow {
        Flow::GoOn
    }

    /// After each step.
    fn step(&mut self, _run: &Run<'_>) -> Result<(), Self::Error> {
        Ok(())
    }

    /// At the start, at each multiple of the plan's interval, and at the end.
    fn frame(&mut self, _run: &Run<'_>) -> Result<Flow, Self::Error> {
        Ok(Flow::GoOn)
    }

    /// Where a run can go on from with the same bits, and before it fails.
    fn checkpoint(&mut self, _run: &Run<'_>) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// Nobody.
impl Observer for () {
    type Error = Infallible;
}

/// Why a run failed.
#[derive(Debug)]
pub enum RunError<E> {
    /// A step did.
    Simulation(SimulationError),
    /// The observer did.
    Observer(E),
}
