//! Runs of the time stepper, with what cases look at afterwards.

use std::{
    convert::Infallible,
    time::{Duration, Instant},
};

use glam::DVec3;

use drystone_analysis::{Failure, Flow, Observer, Run, RunError, RunPlan};
use drystone_mechanics::dynamics::{Collapse, Energies, Simulation, SimulationSettings, TimeStep};
use drystone_model::{Model, recipes};

use super::case::Context;

/// Time between two lines that tell how far a run is.
const LINE: Duration = Duration::from_secs(10);

/// Builds a recipe with values for some of its parameters.
pub(super) fn build(recipe: &str, values: &[(&str, &str)]) -> Result<Model, Failure> {
    let values: Vec<(String, String)> = values.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    recipes::find(recipe)
        .and_then(|r| r.build_alone(&values))
        .map_err(Failure::run)
}

/// The index of a block.
pub(super) fn index(model: &Model, name: &str) -> Result<usize, Failure> {
    let position = model.blocks.iter().position(|b| b.name == name);
    position.ok_or_else(|| Failure::run(format!("the model has no block `{name}`")))
}

/// A simulation with steps of `dt` of a structure whose supports all move as `motion` says, if it says anything.
pub(super) fn simulation(model: &Model, dt: f64, motion: &str) -> Result<Simulation, Failure> {
    simulation_with(model, steps_of(dt), motion)
}

/// The settings of steps of `dt`.
pub(super) fn steps_of(dt: f64) -> SimulationSettings {
    SimulationSettings {
        time_step: TimeStep::Fixed(dt),
        ..SimulationSettings::default()
    }
}

/// The same with all settings.
pub(super) fn simulation_with(
    model: &Model,
    settings: SimulationSettings,
    motion: &str,
) -> Result<Simulation, Failure> {
    let motions: &[&str] = if motion.is_empty() { &[] } else { &[motion] };
    drystone_analysis::simulation(model, settings, motions, &[])
}

/// One block at one time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// How far its centre has moved, relative to the ground (m).
    pub(super) moved: DVec3,
    /// How far it has turned: a rotation vector (rad).
    pub(super) turned: DVec3,
    /// Angular velocity (rad/s).
    pub(super) angular: DVec3,
}

/// A structure over time: one entry a step, the first at its start.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) time: Vec<f64>,
    pub(super) energies: Vec<Energies>,
    /// For each of the blocks that were asked for, its samples.
    pub(super) blocks: Vec<Vec<Sample>>,
    /// Displacement of the ground (m).
    pub(super) ground: Vec<DVec3>,
    /// When the potential energy above the foundation had lost a fifth (s).
    pub(super) collapsed: Option<f64>,
    /// Weight of what can move (N).
    weight: f64,
}

impl History {
    fn take(&mut self, run: &Run<'_>, blocks: &[usize]) {
        let (simulation, state) = (run.simulation(), run.state());
        let ground = simulation.ground_displacement();
        self.time.push(state.time);
        self.energies.push(state.energies);
        self.ground.push(ground);
        for (samples, &b) in self.blocks.iter_mut().zip(blocks) {
            let (now, first) = (&state.placements[b], simulation.structure().initial(b));
            samples.push(Sample {
                moved: now.center - first.center - ground,
                turned: (now.rotation * first.rotation.conjugate()).to_scaled_axis(),
                angular: state.velocities[b].angular,
            });
        }
        self.collapsed = run.tally().collapse_time;
    }

    /// A quantity of the energies over time, per unit weight (m).
    pub(super) fn energy(&self, of: impl Fn(&Energies) -> f64) -> Vec<[f64; 2]> {
        let at = |(t, e): (&f64, &Energies)| [*t, of(e) / self.weight];
        self.time.iter().zip(&self.energies).map(at).collect()
    }

    /// A quantity of one of the blocks over time.
    pub(super) fn block(&self, k: usize, of: impl Fn(&Sample) -> f64) -> Vec<[f64; 2]> {
        let samples = self.blocks.get(k).map_or(&[][..], |s| s);
        self.time.iter().zip(samples).map(|(t, s)| [*t, of(s)]).collect()
    }

    /// Worst error of the balance of energies at the end, as a part of what was exchanged.
    pub(super) fn balance_error(&self) -> f64 {
        self.energies.last().map_or(0.0, Energies::balance_error)
    }
}

/// Steps a structure until `duration` (s) and keeps what becomes of some of its blocks. `stop` may end it before.
pub(super) fn run(
    context: &Context<'_>,
    simulation: &mut Simulation,
    duration: f64,
    blocks: &[usize],
    stop: impl FnMut(&Simulation, &History) -> bool,
) -> Result<History, Failure> {
    let structure = simulation.structure();
    let history = History {
        blocks: vec![Vec::new(); blocks.len()],
        weight: structure.free_mass() * structure.gravity.length(),
        ..History::default()
    };
    let now = Instant::now();
    let mut keeper = Keeper {
        context,
        blocks,
        history,
        stop,
        began: now,
        shown: now,
    };
    let plan = RunPlan {
        // As published: by the potential energy alone.
        collapse: Collapse {
            fallen: None,
            ..Collapse::default()
        },
        every: f64::INFINITY,
        ..RunPlan::of(duration)
    };
    let mut run = Run::new(simulation, plan);
    keeper.history.take(&run, blocks);
    match run.drive(&mut keeper) {
        Ok(_) => Ok(keeper.history),
        Err(RunError::Simulation(error)) => Err(Failure::run(error)),
        Err(RunError::Observer(never)) => match never {},
    }
}

/// Keeps what cases look at.
struct Keeper<'a, F> {
    context: &'a Context<'a>,
    blocks: &'a [usize],
    history: History,
    stop: F,
    began: Instant,
    shown: Instant,
}

impl<F: FnMut(&Simulation, &History) -> bool> Observer for Keeper<'_, F> {
    type Error = Infallible;

    fn proceed(&mut self, run: &Run<'_>) -> Flow {
        // Before the first step there is nothing to judge.
        let has_moved = self.history.time.len() > 1;
        if has_moved && (self.stop)(run.simulation(), &self.history) {
            Flow::Stop
        } else {
            Flow::GoOn
        }
    }

    fn step(&mut self, run: &Run<'_>) -> Result<(), Infallible> {
        self.history.take(run, self.blocks);
        if self.shown.elapsed() > LINE {
            self.shown = Instant::now();
            let (time, wall) = (run.state().time, self.began.elapsed().as_secs_f64());
            let duration = run.plan().duration;
            let listener = self.context.listener;
            listener.progress(&format!("  {time:.3} of {duration} s, {wall:.0} s"));
        }
        Ok(())
    }
}
