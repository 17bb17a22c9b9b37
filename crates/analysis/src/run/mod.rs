//! A structure through time: one driver for every front end.
//!
//! A [`Run`] is a simulation with a [`RunPlan`] and a [`Tally`] of its steps. [`Run::drive`] steps it until it is over and
//! tells an [`Observer`] of steps, frames and checkpoints: who writes files, who sends frames to a page, who only looks.
//! [`Run::summary`] is what it came to.

mod observer;
mod summary;
mod tally;

use std::time::Instant;

use drystone_mechanics::dynamics::{Collapse, Simulation, SimulationError, State, Step, Watch, checkpoint};

pub use observer::{Flow, Observer, RunError};
pub use summary::Summary;
pub use tally::Tally;

/// What a run is to do.
#[derive(Clone, Copy, Debug)]
pub struct RunPlan {
    /// How long it is simulated (unit: s).
    pub duration: f64,
    /// Time between two frames (unit: s).
    pub every: f64,
    /// What counts as a collapse.
    pub collapse: Collapse,
    /// How long it goes on once it has collapsed (unit: s); none: to its end.
    pub stop_after_collapse: Option<f64>,
    /// Whether it stops once motions and loads are over and nothing moves.
    pub stop_at_rest: bool,
}

impl RunPlan {
    /// A run of some seconds, with 200 frames, that is not stopped before its end.
    pub fn of(duration: f64) -> Self {
        Self {
            duration,
            every: duration / 200.0,
            collapse: Collapse::default(),
            stop_after_collapse: None,
            stop_at_rest: false,
        }
    }
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Its duration is over.
    Duration,
    /// It has collapsed, and was to stop then.
    Collapse,
    /// It has come to rest, and was to stop then.
    Rest,
    /// It was stopped.
    Stopped,
}

impl End {
    /// Why, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Duration => "the duration is over",
            Self::Collapse => "it collapsed",
            Self::Rest => "it came to rest",
            Self::Stopped => "it was interrupted",
        }
    }
}

/// A simulation as it is driven.
pub struct Run<'s> {
    simulation: &'s mut Simulation,
    plan: RunPlan,
    watch: Watch,
    tally: Tally,
    is_resumed: bool,
    /// Seconds that it was driven for.
    wall_s: f64,
}

impl<'s> Run<'s> {
    /// A run from the state that a simulation is in.
    pub fn new(simulation: &'s mut Simulation, plan: RunPlan) -> Self {
        Self {
            watch: Watch::new(simulation.structure(), plan.collapse),
            simulation,
            plan,
            tally: Tally::default(),
            is_resumed: false,
            wall_s: 0.0,
        }
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        self.simulation
    }

    /// What it is to do.
    pub fn plan(&self) -> &RunPlan {
        &self.plan
    }

    /// What its steps came to so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Where it is.
    pub fn state(&self) -> &State {
        self.simulation.state()
    }

    /// The last step.
    pub fn last_step(&self) -> &Step {
        self.simulation.last_step()
    }

    /// Fraction of the potential energy that is lost.
    pub fn potential_drop(&self) -> f64 {
        self.watch.potential_drop(self.simulation)
    }

    /// All that is needed to go on from here, as bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SimulationError> {
        checkpoint::to_bytes(&(&self.tally, self.simulation.state()))
    }

    /// Goes on from bytes that [`Self::to_bytes`] made, with the same simulation and plan. Gives the step it goes on after.
    pub fn resume(&mut self, bytes: &[u8]) -> Result<u64, SimulationError> {
        let (tally, state): (Tally, State) = checkpoint::from_bytes(bytes)?;
        let step = state.step;
        self.simulation.resume(state)?;
        self.tally = tally;
        self.is_resumed = true;
        Ok(step)
    }

    /// Steps until the run is over, and tells the observer. The state stays that of the last good step.
    pub fn drive<O: Observer>(&mut self, observer: &mut O) -> Result<End, RunError<O::Error>> {
        let began = Instant::now();
        let end = self.steps(observer);
        self.wall_s += began.elapsed().as_secs_f64();
        end
    }

    fn steps<O: Observer>(&mut self, observer: &mut O) -> Result<End, RunError<O::Error>> {
        let observed = RunError::Observer;
        if !self.is_resumed {
            if observer.frame(self).map_err(observed)? == Flow::Stop {
                return Ok(End::Stopped);
            }
            // From the first step on there is something to go on from.
            observer.checkpoint(self).map_err(observed)?;
        }
        let mut next_frame = self.next_frame();
        let mut last_frame = self.state().step;
        let end = loop {
            if self.state().time >= self.plan.duration * (1.0 - 1e-12) {
                break End::Duration;
            }
            if observer.proceed(self) == Flow::Stop {
                return Ok(End::Stopped);
            }
            match self.simulation.step() {
                Ok(_) => {}
                Err(SimulationError::Stopped) => return Ok(End::Stopped),
                Err(error) => {
                    // The state before the step that failed.
                    observer.checkpoint(self).map_err(observed)?;
                    return Err(RunError::Simulation(error));
                }
            }
            let (drop, extent) = (self.potential_drop(), self.watch.extent(self.simulation));
            self.tally.add(self.simulation, drop, extent);
            observer.step(self).map_err(observed)?;
            if self.state().time >= next_frame * (1.0 - 1e-9) {
                if observer.frame(self).map_err(observed)? == Flow::Stop {
                    return Ok(End::Stopped);
                }
                last_frame = self.state().step;
                next_frame = self.next_frame();
            }
            if self.simulation.is_at_checkpoint() {
                observer.checkpoint(self).map_err(observed)?;
            }
            if let (Some(more), Some(collapse)) = (self.plan.stop_after_collapse, self.tally.collapse_time)
                && self.state().time >= (collapse + more) * (1.0 - 1e-12)
            {
                break End::Collapse;
            }
            let is_over = self
                .simulation
                .forcing_end()
                .is_some_and(|end| self.state().time >= end);
            if self.plan.stop_at_rest && is_over && self.state().at_rest {
                break End::Rest;
            }
        };
        if last_frame != self.state().step {
            // What the summary tells of the end is in the frames, too.
            observer.frame(self).map_err(observed)?;
        }
        Ok(end)
    }

    /// Frames are taken at multiples of their interval, so that a run that goes on takes the same.
    fn next_frame(&self) -> f64 {
        (1.0 + (self.state().time / self.plan.every + 1e-9).floor()) * self.plan.every
    }
}
