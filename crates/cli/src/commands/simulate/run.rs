//! The run: steps, frames, checkpoints, until it is over or stopped.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use serde_json::{Value, json};

use drystone_analysis::Geometry;
use drystone_mechanics::dynamics::{Collapse, Rung, Simulation, State, Watch};
use drystone_model::Model;
use drystone_output::{OutputError, file::write_atomically, records::Start};

use super::{
    folder::{self, checkpoint_path},
    options::Stop,
    progress::Progress,
    recorder::Recorder,
    results,
    summary::{self, Summary, Tally},
};
use crate::{
    Failure,
    report::{Console, counted, length},
};

/// What a run is to do.
pub(super) struct Plan {
    pub(super) folder: PathBuf,
    /// The model file, where it comes from one.
    pub(super) input: Option<PathBuf>,
    pub(super) duration: f64,
    pub(super) every: f64,
    pub(super) monitor: Vec<usize>,
    pub(super) stops: Vec<Stop>,
    pub(super) collapse: Collapse,
    pub(super) vtk: bool,
    pub(super) pictures: bool,
    pub(super) tables_only: bool,
    pub(super) resume: bool,
    pub(super) overwrite: bool,
    /// What is wrong with the shapes.
    pub(super) geometry: Geometry,
    /// What the run depends on.
    pub(super) description: Value,
}

/// Why the loop ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Duration,
    Collapse,
    Rest,
    Interrupted,
}

pub(super) fn failed(error: OutputError) -> Failure {
    Failure::run(error).help("what was written before is whole; a run that has a checkpoint goes on with --resume")
}

/// Runs a simulation as planned.
pub(super) fn run(
    model: &Model,
    mut simulation: Simulation,
    plan: &Plan,
    console: &Console,
) -> Result<Summary, Failure> {
    // Held until the last file is written.
    let (start, _lock) = folder::open(model, &mut simulation, plan, console)?;
    if let Some(first) = simulation.not_compressed().first() {
        console.warn(format!(
            "joints of {} (such as `{}`) start uncompressed: no forces within them balance the loads at the start",
            counted(simulation.not_compressed().len(), "block"),
            model.blocks[*first].name
        ));
    }
    if let Some(first) = simulation.not_settled().first() {
        console.warn(format!(
            "joints of {} (such as `{}`) start with forces that balance the loads, but as they are drawn: where they settle by \
             these was not found, and displacements are without that",
            counted(simulation.not_settled().len(), "block"),
            model.blocks[*first].name
        ));
    }
    let watch = Watch::new(simulation.structure(), plan.collapse);
    let mut recorder = Recorder::open(&plan.folder, model, &plan.monitor, plan.vtk, start).map_err(failed)?;
    let stopped = interrupt_flag();
    let began = Instant::now();
    let mut progress = Progress::new(console, simulation.state().time, plan.duration);
    let smallest = {
        let structure = simulation.structure();
        structure
            .free()
            .map(|b| structure.radius[b])
            .fold(f64::INFINITY, f64::min)
    };
    if start == Start::Fresh {
        recorder.frame(&simulation).map_err(failed)?;
        // From the first step on there is something to go on from.
        checkpoint(&mut recorder, simulation.state(), &plan.folder)?;
    }
    let mut next_frame = next_frame(simulation.state(), plan.every);
    let mut last_frame = simulation.state().step;
    let end = loop {
        if simulation.state().time >= plan.duration * (1.0 - 1e-12) {
            break End::Duration;
        }
        if stopped.load(Ordering::Relaxed) {
            break End::Interrupted;
        }
        let step = match simulation.step() {
            Ok(step) => *step,
            Err(error) => {
                // The state before the step that failed.
                checkpoint(&mut recorder, simulation.state(), &plan.folder)?;
                return Err(
                    Failure::run(error).help(format!("what was computed until then is in {}", plan.folder.display()))
                );
            }
        };
        if simulation.state().step == 1 && step.overlap > 1e-3 * smallest {
            let depth = length(step.overlap);
            let what = if step.rung >= Rung::OverlapsKept {
                "left as they are, because driving them apart contradicts other contacts or throws blocks"
            } else {
                "driven apart slowly"
            };
            console.warn(format!("blocks lie in each other by up to {depth}; they are {what}"));
        }
        recorder
            .step(&simulation, &step, watch.potential_drop(&simulation))
            .map_err(failed)?;
        if simulation.state().time >= next_frame * (1.0 - 1e-9) {
            recorder.frame(&simulation).map_err(failed)?;
            last_frame = simulation.state().step;
            next_frame = self::next_frame(simulation.state(), plan.every);
        }
        if simulation.is_at_checkpoint() {
            checkpoint(&mut recorder, simulation.state(), &plan.folder)?;
        }
        progress.step(simulation.state().time, &step);
        if plan.stops.contains(&Stop::Collapse) && watch.extent(&simulation).is_collapse() {
            break End::Collapse;
        }
        let over = simulation
            .forcing_end()
            .is_some_and(|end| simulation.state().time >= end);
        if plan.stops.contains(&Stop::Rest) && over && simulation.state().at_rest {
            break End::Rest;
        }
    };
    progress.done();
    let wall_s = began.elapsed().as_secs_f64();
    if end == End::Interrupted {
        recorder.checkpoint().map_err(failed)?;
    } else {
        if last_frame != simulation.state().step {
            // What the summary tells of the end is in the tables, too.
            recorder.frame(&simulation).map_err(failed)?;
        }
        recorder.finish().map_err(failed)?;
    }
    summary::write_peaks(model, &simulation, &plan.folder).map_err(failed)?;
    let tally =
        Tally::of_run(&plan.folder, &plan.collapse, simulation.settings().solver_tolerance()).map_err(failed)?;
    let mut summary = Summary::new(model, &simulation, &tally, wall_s, end, plan);
    summary.json["geometry_problems"] = json!(plan.geometry);
    let lines = plan.geometry.lines().into_iter();
    summary.text.extend(lines.map(|line| ("geometry", line)));
    if end != End::Interrupted {
        let files = results::write(model, plan, console).map_err(failed)?;
        summary.text.push(("written", files.join(", ")));
        summary.json["files"] = json!(files);
    }
    let text = serde_json::to_string_pretty(&summary.json).map_err(Failure::run)?;
    write_atomically(&plan.folder.join("summary.json"), text.as_bytes()).map_err(|e| failed(e.into()))?;
    if end != End::Interrupted {
        // A finished run needs none; that it is gone tells that it is finished.
        let _ = fs::remove_file(checkpoint_path(&plan.folder));
    }
    Ok(summary)
}

/// First the tables, then the state: rows beyond it are dropped when the run goes on, missing ones could not be made up.
fn checkpoint(recorder: &mut Recorder<'_>, state: &State, folder: &Path) -> Result<(), Failure> {
    recorder.checkpoint().map_err(failed)?;
    let bytes = state.to_bytes().map_err(Failure::run)?;
    write_atomically(&checkpoint_path(folder), &bytes).map_err(|e| failed(e.into()))
}

/// Frames are taken at multiples of their interval, so that a run that goes on takes the same.
fn next_frame(state: &State, every: f64) -> f64 {
    (1.0 + (state.time / every + 1e-9).floor()) * every
}

/// A flag that Ctrl-C sets. A second Ctrl-C ends the program at once.
fn interrupt_flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&flag);
    // It fails where a handler is set already, by a run before this one in the same program.
    let _ = ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
    });
    flag
}
