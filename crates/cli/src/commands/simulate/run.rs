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
use drystone_mechanics::dynamics::{Collapse, Simulation, State, Step, Watch, fallen_part, max_displacement};
use drystone_model::{Model, file};
use drystone_output::{OutputError, file::write_atomically, records::Start, table::Table};

use super::{options::Stop, progress::Progress, recorder::Recorder, results};
use crate::{
    error::Failure,
    report::{Console, count, length, table},
};

/// What a run is to do.
pub(super) struct Plan {
    pub(super) folder: PathBuf,
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
enum End {
    Duration,
    Collapse,
    Rest,
    Interrupted,
}

/// What came out.
pub(crate) struct Summary {
    pub(crate) json: Value,
    /// Lines of a name and a value.
    pub(crate) text: Vec<(&'static str, String)>,
    pub(super) interrupted: Option<String>,
}

impl Summary {
    pub(super) fn show(self, console: &Console) -> Result<(), Failure> {
        console.result(&self.json, || table(&self.text))?;
        match self.interrupted {
            None => Ok(()),
            Some(message) => {
                Err(Failure::run(message).help("the same command with --resume goes on from its last checkpoint"))
            }
        }
    }
}

fn failed(error: OutputError) -> Failure {
    Failure::run(error).help("what was written before is whole; a run that has a checkpoint goes on with --resume")
}

/// Runs a simulation as planned.
pub(super) fn run(
    model: &Model,
    mut simulation: Simulation,
    plan: &Plan,
    console: &Console,
) -> Result<Summary, Failure> {
    let start = open_folder(model, &mut simulation, plan)?;
    let watch = Watch::new(simulation.structure(), plan.collapse);
    let mut recorder = Recorder::open(&plan.folder, model, &plan.monitor, plan.vtk, start).map_err(failed)?;
    let stopped = interrupt_flag();
    let began = Instant::now();
    let mut progress = Progress::new(console, simulation.state().time, plan.duration);
    let mut tally = Tally::default();
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
    let mut collapsed = watch_collapse(&watch, &simulation);
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
                recorder.checkpoint().map_err(failed)?;
                return Err(
                    Failure::run(error).help(format!("what was computed until then is in {}", plan.folder.display()))
                );
            }
        };
        tally.add(&step);
        if simulation.state().step == 1 && step.overlap > 1e-3 * smallest {
            let depth = length(step.overlap);
            console.warn(format!(
                "blocks lie in each other by up to {depth}; they are driven apart slowly"
            ));
        }
        recorder
            .step(&simulation, &step, potential_drop(&watch, &simulation))
            .map_err(failed)?;
        if simulation.state().time >= next_frame * (1.0 - 1e-9) {
            recorder.frame(&simulation).map_err(failed)?;
            last_frame = simulation.state().step;
            next_frame = self::next_frame(simulation.state(), plan.every);
        }
        if simulation.is_at_checkpoint() {
            checkpoint(&mut recorder, simulation.state(), &plan.folder)?;
        }
        collapsed |= watch_collapse(&watch, &simulation);
        progress.step(simulation.state().time, &step);
        if collapsed && plan.stops.contains(&Stop::Collapse) {
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
        tally = Tally::of_run(&plan.folder, simulation.settings().solver_tolerance()).map_err(failed)?;
        collapsed |= plan
            .collapse
            .potential_drop
            .is_some_and(|limit| tally.potential_drop >= limit);
    }
    let mut summary = summarise(&simulation, &watch, &tally, wall_s, collapsed, end, plan);
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

fn checkpoint_path(folder: &Path) -> PathBuf {
    folder.join("checkpoint.bin")
}

/// Makes the folder ready, and the simulation where it goes on from.
fn open_folder(model: &Model, simulation: &mut Simulation, plan: &Plan) -> Result<Start, Failure> {
    let folder = &plan.folder;
    let unfinished = checkpoint_path(folder).exists();
    let description_path = folder.join("run.json");
    let text = serde_json::to_string_pretty(&plan.description).map_err(Failure::run)?;
    if plan.resume {
        let earlier = fs::read_to_string(&description_path).ok();
        let bytes = fs::read(checkpoint_path(folder)).ok();
        let (Some(earlier), Some(bytes)) = (earlier, bytes) else {
            let message = format!("{}: there is no unfinished run to go on with", folder.display());
            return Err(Failure::input(message).help("leave --resume out to begin one"));
        };
        if earlier != text {
            let message = format!(
                "{}: the run there was begun with another model, other motions or other options",
                folder.display()
            );
            return Err(Failure::input(message).help(format!("{} holds them", description_path.display())));
        }
        let state = State::from_bytes(&bytes).map_err(Failure::input)?;
        let step = state.step;
        simulation.resume(state).map_err(Failure::input)?;
        return Ok(Start::After(step));
    }
    if unfinished && !plan.overwrite {
        let message = format!("{}: an unfinished run is there", folder.display());
        return Err(Failure::input(message).help("go on with it by --resume, or give it up by --overwrite"));
    }
    fs::create_dir_all(folder).map_err(|e| Failure::run(format!("{}: {e}", folder.display())))?;
    clear(folder);
    let model_text = file::to_text(model).map_err(Failure::run)?;
    for (name, content) in [("run.json", &text), ("model.json", &model_text)] {
        write_atomically(&folder.join(name), content.as_bytes()).map_err(|e| failed(e.into()))?;
    }
    Ok(Start::Fresh)
}

/// Removes what an earlier run left, so that nothing of it stands beside the new one.
fn clear(folder: &Path) {
    let _ = fs::remove_file(checkpoint_path(folder));
    for name in ["summary.json", "motion.glb", "film.gif"] {
        let _ = fs::remove_file(folder.join(name));
    }
    for name in ["energies", "displacement-x", "displacement-y", "displacement-z"] {
        for ending in ["svg", "png"] {
            let _ = fs::remove_file(folder.join(format!("{name}.{ending}")));
        }
    }
    let pictures = folder.join("pictures");
    for entry in fs::read_dir(&pictures).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().to_string();
        // Only what we name so ourselves.
        if name.len() == 9 && name.ends_with(".png") && name[..5].bytes().all(|b| b.is_ascii_digit()) {
            let _ = fs::remove_file(entry.path());
        }
    }
    let _ = fs::remove_dir(&pictures);
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

fn potential_drop(watch: &Watch, simulation: &Simulation) -> f64 {
    watch.potential_drop(simulation.state(), simulation.ground_displacement())
}

fn watch_collapse(watch: &Watch, simulation: &Simulation) -> bool {
    watch.has_collapsed(
        simulation.structure(),
        simulation.state(),
        simulation.ground_displacement(),
    )
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

/// What steps came to.
#[derive(Default)]
struct Tally {
    times_ms: Vec<f64>,
    detect_s: f64,
    solve_s: f64,
    total_s: f64,
    worst_residual: f64,
    unsolved: usize,
    iterations: usize,
    /// Largest part of the potential energy that was lost.
    potential_drop: f64,
}

impl Tally {
    fn add(&mut self, step: &Step) {
        self.times_ms.push(1e3 * step.times.total_s());
        self.detect_s += step.times.detect_s;
        self.solve_s += step.times.solve_s;
        self.total_s += step.times.total_s();
        self.worst_residual = self.worst_residual.max(step.residual);
        self.unsolved += usize::from(step.status != drystone_cone::Status::Solved);
        self.iterations += step.iterations;
    }

    /// That of a whole run, from its table of steps: one that was resumed has more steps than were just taken.
    fn of_run(folder: &Path, tolerance: f64) -> Result<Self, OutputError> {
        let table = Table::read(&folder.join("steps.parquet"), None)?;
        let column = |name: &str| table.floats(name).unwrap_or_default();
        let parts = ["detect_ms", "assemble_ms", "solve_ms", "integrate_ms"].map(column);
        let times_ms: Vec<f64> = (0..table.rows()).map(|k| parts.iter().map(|p| p[k]).sum()).collect();
        let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        Ok(Self {
            detect_s: 1e-3 * parts[0].iter().sum::<f64>(),
            solve_s: 1e-3 * parts[2].iter().sum::<f64>(),
            total_s: 1e-3 * times_ms.iter().sum::<f64>(),
            times_ms,
            worst_residual: largest(column("residual")),
            unsolved: column("residual").iter().filter(|&&r| r > tolerance).count(),
            iterations: column("iterations").iter().sum::<f64>() as usize,
            potential_drop: largest(column("potential_drop")),
        })
    }

    fn median_ms(&self) -> f64 {
        let mut times = self.times_ms.clone();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or(0.0)
    }
}

fn summarise(
    simulation: &Simulation,
    watch: &Watch,
    tally: &Tally,
    wall_s: f64,
    collapsed: bool,
    end: End,
    plan: &Plan,
) -> Summary {
    let (structure, state) = (simulation.structure(), simulation.state());
    let ground = simulation.ground_displacement();
    let displacement = max_displacement(structure, state, ground);
    let speed = simulation.max_speed();
    let balance = state.energies.balance_error();
    let fallen = fallen_part(structure, state, ground);
    let per_second = |part: f64| if tally.total_s > 0.0 { part / tally.total_s } else { 0.0 };
    let ended = match end {
        End::Duration => "the duration is over",
        End::Collapse => "it collapsed",
        End::Rest => "it came to rest",
        End::Interrupted => "it was interrupted",
    };
    let json = json!({
        "steps": state.step,
        "time_s": state.time,
        "wall_s": wall_s,
        "step_ms_median": tally.median_ms(),
        "collapsed": collapsed,
        "at_rest": state.at_rest,
        "max_displacement_m": displacement,
        "max_speed_m_s": speed,
        "energy_balance_error": balance,
        "worst_residual": tally.worst_residual,
        "threads": rayon::current_num_threads(),
        "potential_drop": potential_drop(watch, simulation),
        "fallen_part": fallen,
        "steps_above_tolerance": tally.unsolved,
        "iterations": tally.iterations,
        "detect_part": per_second(tally.detect_s),
        "solve_part": per_second(tally.solve_s),
        "ended": ended,
        "folder": plan.folder.display().to_string(),
    });
    let mut text = vec![
        (
            "simulated",
            format!(
                "{} s in {} steps, until {ended}",
                rounded(state.time),
                count(state.step as usize)
            ),
        ),
        (
            "took",
            format!("{wall_s:.1} s, {:.2} ms a step (median)", tally.median_ms()),
        ),
        ("collapsed", if collapsed { "yes" } else { "no" }.to_string()),
        ("at rest", if state.at_rest { "yes" } else { "no" }.to_string()),
        (
            "largest displacement",
            format!("{} relative to the ground", length(displacement)),
        ),
        ("largest speed", format!("{speed:.3e} m/s")),
        ("fallen blocks", format!("{:.0} %", 100.0 * fallen)),
        ("energy balance", format!("off by {balance:.1e} of what was exchanged")),
        ("worst residual", format!("{:.1e}", tally.worst_residual)),
    ];
    if tally.unsolved > 0 {
        text.push(("above tolerance", format!("{} steps", count(tally.unsolved))));
    }
    if balance > BALANCE_BOUND {
        text.push((
            "beware",
            "the energy balance is poor: a shorter time step may help".to_string(),
        ));
    }
    Summary {
        json,
        text,
        interrupted: (end == End::Interrupted).then(|| format!("interrupted at {} s", rounded(state.time))),
    }
}

/// Balance errors above this are pointed out.
const BALANCE_BOUND: f64 = 0.05;

fn rounded(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}
