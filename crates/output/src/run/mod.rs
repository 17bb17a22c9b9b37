//! The folder of a run: tables as it goes, and at its end an animated scene, a film, plots and a summary.
//!
//! [`record`] drives a simulation and leaves such a folder. `docs/outputs.md` lists the files and their columns. A run that
//! was stopped goes on from its last checkpoint, and leaves the same files.

mod folder;
mod recorder;
mod results;

use std::{fs, path::PathBuf};

use drystone_analysis::{
    End, Failure, Flow, Geometry, Observer, Run, RunError, RunPlan, Summary,
    words::{counted, length},
};
use drystone_mechanics::dynamics::{Simulation, StepAttempt};
use drystone_model::Model;
use serde_json::Value;

use crate::{OutputError, file::write_atomically};
use folder::checkpoint_path;
pub use folder::take as take_folder;
use recorder::Recorder;

/// What a run is to leave, and where.
#[derive(Clone, Debug)]
pub struct RunFiles {
    /// The folder.
    pub folder: PathBuf,
    /// The model file, where it comes from one: it must not be written to.
    pub input: Option<PathBuf>,
    /// Blocks whose displacements are written in every step and plotted.
    pub monitor: Vec<usize>,
    /// Whether to write a time series for ParaView.
    pub vtk: bool,
    /// Whether to write each frame as a picture.
    pub pictures: bool,
    /// Whether to write no film, no animated scene and no plots.
    pub tables_only: bool,
    /// Whether to go on with the run that is there.
    pub resume: bool,
    /// Whether to replace a run that is there.
    pub overwrite: bool,
    /// What the run depends on: a run goes on only where it is the same.
    pub description: Value,
    /// The command line that asked for it, for reports.
    pub command: Option<String>,
}

/// Whoever waits for a run.
pub trait Watcher {
    /// What a reader of the results has to know.
    fn warn(&self, message: &str);

    /// Before each step: whether there is to be another.
    fn proceed(&mut self) -> Flow {
        Flow::GoOn
    }

    /// After each step.
    fn step(&mut self, _run: &Run<'_>) {}

    /// At each frame.
    fn frame(&mut self, _run: &Run<'_>) {}

    /// After the last.
    fn done(&mut self) {}
}

fn failed(error: impl Into<OutputError>) -> Failure {
    Failure::run(error.into())
        .help("what was written before is whole; a run that has a checkpoint goes on with --resume")
}

/// Drives a simulation as planned and writes what happens. Where it is stopped, the folder holds what is needed to go on.
pub fn record(
    model: &Model,
    simulation: &mut Simulation,
    plan: RunPlan,
    geometry: &Geometry,
    files: &RunFiles,
    watcher: &mut dyn Watcher,
) -> Result<Summary, Failure> {
    let mut run = Run::new(simulation, plan);
    // Held until the last file is written.
    let (start, _lock) = folder::open(model, &mut run, files, watcher)?;
    let mut recording = Recording {
        recorder: Recorder::open(files, model, run.simulation(), start).map_err(failed)?,
        watching: Watching::new(model, run.simulation(), watcher),
        files,
    };
    let end = run.drive(&mut recording).map_err(|error| match error {
        RunError::Observer(failure) => failure,
        RunError::Simulation(error) => {
            Failure::run(error).help(format!("what was computed until then is in {}", files.folder.display()))
        }
    });
    let Recording {
        mut recorder,
        watching: Watching { watcher, .. },
        ..
    } = recording;
    watcher.done();
    let end = end?;
    let mut summary = run.summary(model, geometry, end);
    summary.folder = Some(files.folder.display().to_string());
    let is_over = end != End::Stopped;
    if is_over {
        recorder.finish().map_err(failed)?;
    } else {
        recorder.checkpoint().map_err(failed)?;
    }
    recorder::write_peaks(model, run.simulation(), &files.folder).map_err(failed)?;
    if is_over {
        summary.files = results::write(model, &plan, files, watcher).map_err(failed)?;
        let deformed = recorder::write_deformed(model, run.simulation(), &files.folder, files.tables_only);
        summary.files.extend(deformed.map_err(failed)?);
    }
    let text = serde_json::to_string_pretty(&summary).map_err(Failure::run)?;
    write_atomically(&files.folder.join("summary.json"), text.as_bytes()).map_err(failed)?;
    if is_over {
        // A finished run needs none; that it is gone tells that it is finished.
        let _ = fs::remove_file(checkpoint_path(&files.folder));
    }
    Ok(summary)
}

/// Drives a simulation as planned, and writes nothing.
pub fn drive(
    model: &Model,
    simulation: &mut Simulation,
    plan: RunPlan,
    geometry: &Geometry,
    watcher: &mut dyn Watcher,
) -> Result<Summary, Failure> {
    let mut run = Run::new(simulation, plan);
    let mut watching = Watching::new(model, run.simulation(), watcher);
    let end = run.drive(&mut watching);
    watching.watcher.done();
    Ok(run.summary(model, geometry, end?))
}

/// What is to be known of the start.
fn tell_start(model: &Model, simulation: &Simulation, watcher: &dyn Watcher) {
    if simulation
        .structure()
        .laws()
        .iter()
        .any(|law| law.crushing_pa.is_some())
    {
        watcher.warn(
            "joints are taken as strong in compression: time stepping does not count `crushing_pa` (`settle` does)",
        );
    }
    if let Some(first) = simulation.not_compressed().first() {
        watcher.warn(&format!(
            "joints of {} (such as `{}`) start uncompressed: no forces within them balance the loads at the start",
            counted(simulation.not_compressed().len(), "block"),
            model.blocks[*first].name
        ));
    }
    if let Some(first) = simulation.not_settled().first() {
        watcher.warn(&format!(
            "joints of {} (such as `{}`) start with forces that balance the loads, but as they are drawn: where they settle by \
             these was not found, and displacements are without that",
            counted(simulation.not_settled().len(), "block"),
            model.blocks[*first].name
        ));
    }
}

/// Passes what happens on to whoever waits.
struct Watching<'a> {
    watcher: &'a mut dyn Watcher,
    /// Radius of the smallest free block (m).
    smallest: f64,
}

impl<'a> Watching<'a> {
    fn new(model: &Model, simulation: &Simulation, watcher: &'a mut dyn Watcher) -> Self {
        tell_start(model, simulation, watcher);
        let structure = simulation.structure();
        let radii = structure.free().map(|b| structure.radius[b]);
        Self {
            smallest: radii.fold(f64::INFINITY, f64::min),
            watcher,
        }
    }
}

impl Observer for Watching<'_> {
    type Error = Failure;

    fn proceed(&mut self, _run: &Run<'_>) -> Flow {
        self.watcher.proceed()
    }

    fn step(&mut self, run: &Run<'_>) -> Result<(), Failure> {
        let step = run.last_step();
        if run.state().step == 1 && step.overlap > 1e-3 * self.smallest {
            let depth = length(step.overlap);
            let what = if step.attempt >= StepAttempt::OverlapsKept {
                "left as they are, because driving them apart contradicts other contacts or throws blocks"
            } else {
                "driven apart slowly"
            };
            self.watcher
                .warn(&format!("blocks overlap by up to {depth}; they are {what}"));
        }
        self.watcher.step(run);
        Ok(())
    }

    fn frame(&mut self, run: &Run<'_>) -> Result<Flow, Failure> {
        self.watcher.frame(run);
        Ok(Flow::GoOn)
    }
}

/// Writes what happens, and passes it on.
struct Recording<'a> {
    recorder: Recorder<'a>,
    files: &'a RunFiles,
    watching: Watching<'a>,
}

impl Observer for Recording<'_> {
    type Error = Failure;

    fn proceed(&mut self, run: &Run<'_>) -> Flow {
        self.watching.proceed(run)
    }

    fn step(&mut self, run: &Run<'_>) -> Result<(), Failure> {
        self.recorder.step(run).map_err(failed)?;
        self.watching.step(run)
    }

    fn frame(&mut self, run: &Run<'_>) -> Result<Flow, Failure> {
        self.recorder.frame(run.simulation()).map_err(failed)?;
        self.watching.frame(run)
    }

    /// First the tables, then the state: rows beyond it are dropped when the run goes on, missing ones could not be made up.
    fn checkpoint(&mut self, run: &Run<'_>) -> Result<(), Failure> {
        self.recorder.checkpoint().map_err(failed)?;
        let bytes = run.to_bytes().map_err(Failure::run)?;
        write_atomically(&checkpoint_path(&self.files.folder), &bytes).map_err(failed)
    }
}
