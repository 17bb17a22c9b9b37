//! `drystone simulate`: a structure through time.

mod motions;
mod options;
mod progress;

use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::{Value, json};

use drystone_analysis::{End, ExplicitNote, Geometry, RunPlan, Summary, explicit_notes, simulation, supports};
use drystone_cone::Friction;
use drystone_mechanics::dynamics::{Collapse, Simulation, SimulationSettings, TimeStep};
use drystone_model::{Model, file, motion::Supports};
use drystone_output::run::{RunFiles, Watcher, drive, record};

use crate::program::{
    Failure,
    numbers::{fraction, short, threads, within},
    overrides::{Elastic, Overrides},
    report::{Console, count, table},
};
use options::Method;
pub(crate) use progress::Progress;

/// Most steps of a run: its table of steps has a row for each.
const MOST_STEPS: f64 = 1e7;
/// Most frames of a run: tables and films have a picture of every block for each.
const MOST_FRAMES: f64 = 1e5;

/// Step a structure through time: how it moves, and how it falls
///
/// The structure starts at rest as its model has it; motions move its supports. What happens is written to a folder:
/// tables of blocks, contacts, steps and peaks (Parquet), an animated scene (.glb), a film (.gif), plots, and summary.json.
/// Displacements and speeds that are told are those of centres of mass, relative to the ground.
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone simulate arch.json --duration 5 -o run
  drystone simulate house.json --duration 3 --motion impulse:peak=0.8g,duration=0.4,direction=-y -o run
  drystone simulate wall.json --duration 20 --motion RSN68.AT2:direction=x,pga=0.3g --stop-at collapse -o run
  drystone simulate arch.json --duration 6 --motion sine:amplitude=0.36g,frequency=0.5,direction=-x --dt 0.005 -o run
  drystone simulate arch.json --duration 5 -o run --resume    go on with a run that was stopped

A motion is FUNCTION:FIELD=VALUE,... (sine, impulse, biphasic, ramp, ricker) or FILE:FIELD=VALUE,... (a record); see
docs/motion.md. Several add up.")]
pub(crate) struct Simulate {
    /// Model file
    model: PathBuf,
    /// How long to simulate (s), rounded up to whole steps
    #[arg(long, value_name = "S", value_parser = within(1e-9, 1e7), allow_hyphen_values = true)]
    duration: f64,
    /// Folder to write to
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Motion of every support, beside those that the model gives. May be given several times
    #[arg(long = "motion", value_name = "MOTION")]
    motions: Vec<String>,
    /// Load case of the model that acts. May be given several times
    #[arg(long = "load", value_name = "NAME")]
    loads: Vec<String>,
    /// Time between two frames of the tables and the film (s) [default: a 200th of the duration]
    #[arg(long, value_name = "S", value_parser = within(1e-9, 1e7), allow_hyphen_values = true)]
    every: Option<f64>,
    /// Blocks whose displacements are written in every step and plotted [default: the highest one]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    monitor: Vec<String>,
    /// Stop before the duration is over when this has happened. May be given several times
    #[arg(long = "stop-at", value_enum, value_name = "EVENT")]
    stops: Vec<options::Stop>,
    /// Fraction of the potential energy above the foundation whose loss is a global collapse
    #[arg(long, value_name = "FRACTION", default_value_t = 0.2, value_parser = fraction, allow_hyphen_values = true)]
    collapse_drop: f64,
    /// Displacement of a block, relative to the ground, that is a partial collapse (m)
    #[arg(long, value_name = "M", value_parser = within(1e-9, 1e6), allow_hyphen_values = true)]
    collapse_displacement: Option<f64>,
    /// Fraction of the free blocks whose fall by more than their size is a partial collapse
    #[arg(long, value_name = "FRACTION", default_value_t = 0.1, value_parser = fraction, allow_hyphen_values = true)]
    collapse_fallen: f64,
    /// Also write a time series for ParaView (.pvd with .vtu and .vtp files)
    #[arg(long)]
    vtk: bool,
    /// Also write each frame as a picture (.png)
    #[arg(long)]
    pictures: bool,
    /// Write tables and summary only: no film, no animated scene, no plots
    #[arg(long)]
    tables_only: bool,
    /// Go on with a run that was stopped, from its last checkpoint. Everything else must be as it was
    #[arg(long, conflicts_with = "overwrite")]
    resume: bool,
    /// Replace the run that the folder holds, finished or not
    #[arg(long)]
    overwrite: bool,
    /// Threads to use [default: all]. The result does not depend on it
    #[arg(long, value_name = "N", value_parser = threads())]
    threads: Option<usize>,
    #[command(flatten)]
    method: Method,
    #[command(flatten)]
    overrides: Overrides,
    #[command(flatten)]
    elastic: Elastic,
}

/// Shakes a model as the demonstration does.
pub(crate) fn demonstrate(model: &Model, folder: &Path, console: &Console) -> Result<Summary, Failure> {
    const MOTION: &str = "sine:amplitude=0.36g,frequency=0.5,direction=-x";
    let settings = SimulationSettings {
        time_step: TimeStep::Fixed(0.01),
        ..SimulationSettings::default()
    };
    let mut simulation = simulation(model, settings, &[MOTION], &[])?;
    let plan = RunPlan {
        every: 0.04,
        ..RunPlan::of(2.0)
    };
    let files = RunFiles {
        folder: folder.to_path_buf(),
        input: None,
        monitor: highest(model),
        vtk: false,
        pictures: false,
        tables_only: false,
        resume: false,
        overwrite: true,
        description: json!({ "model": model.name, "motions": [MOTION], "dt_s": 0.01 }),
        command: console.command.clone(),
    };
    let mut progress = Progress::new(console, plan.duration);
    let summary = record(
        model,
        &mut simulation,
        plan,
        &Geometry::default(),
        &files,
        &mut progress,
    )?;
    interrupted(&summary).map_or(Ok(summary), Err)
}

/// That a run was stopped before its end.
pub(super) fn interrupted(summary: &Summary) -> Option<Failure> {
    (summary.end == End::Stopped).then(|| {
        let message = format!("interrupted at {} s", short(summary.time_s));
        Failure::run(message).help("the same command with --resume goes on from its last checkpoint")
    })
}

/// A number with two digits.
fn two_digits(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}

/// The highest free block.
pub(super) fn highest(model: &Model) -> Vec<usize> {
    let height = |i: &usize| model.mass_of(&model.blocks[*i]).1.centroid.z;
    let free = (0..model.blocks.len()).filter(|&i| !model.blocks[i].fixed);
    free.max_by(|a, b| height(a).total_cmp(&height(b)))
        .into_iter()
        .collect()
}

/// A run before its first step.
pub struct Prepared {
    /// The model with the changes of the command.
    pub model: Model,
    /// The run's simulation.
    pub simulation: Simulation,
    /// How it is driven.
    pub plan: RunPlan,
    /// What is wrong with the shapes.
    pub geometry: Geometry,
    files: RunFiles,
}

impl Prepared {
    pub(crate) fn new(model: Model, simulation: Simulation, plan: RunPlan, files: RunFiles) -> Self {
        let geometry = Geometry::of_structure(&model, simulation.structure());
        Self {
            model,
            simulation,
            plan,
            geometry,
            files,
        }
    }

    /// How far it is, for a console.
    pub(crate) fn progress<'a>(&self, console: &'a Console) -> Progress<'a> {
        Progress::new(console, self.plan.duration)
    }

    /// Runs, and leaves the folder of the run.
    pub(crate) fn recorded(&mut self, watcher: &mut dyn Watcher) -> Result<Summary, Failure> {
        let Self {
            model,
            simulation,
            plan,
            geometry,
            files,
        } = self;
        record(model, simulation, *plan, geometry, files, watcher)
    }

    /// Runs, and writes nothing.
    pub(crate) fn driven(&mut self, watcher: &mut dyn Watcher) -> Result<Summary, Failure> {
        drive(&self.model, &mut self.simulation, self.plan, &self.geometry, watcher)
    }
}

impl Simulate {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let folder = self.model.parent().unwrap_or(Path::new(""));
        let mut prepared = self.of(&file::read(&self.model)?, folder, console)?;
        let mut progress = prepared.progress(console);
        let summary = self.on_threads(|| prepared.recorded(&mut progress))?;
        console.result(&summary, || table(&summary.rows()))?;
        interrupted(&summary).map_or(Ok(()), Err)
    }

    /// Does the work on as many threads as asked for.
    pub(crate) fn on_threads<T: Send>(&self, work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
        let Some(threads) = self.threads else { return work() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map_err(Failure::run)?.install(work)
    }

    /// Makes the run of a model ready. Records are looked for in `folder`.
    pub(crate) fn of(&self, model: &Model, folder: &Path, console: &Console) -> Result<Prepared, Failure> {
        if self.method.is_explicit() {
            self.elastic.refuse("--integrator explicit")?;
        }
        let mut model = self.elastic.added_to(self.overrides.changes()).apply(model)?;
        let choice = crate::program::joints::settle(&mut model);
        if !console.json && console.caller.is_none() && choice.source == drystone_contact::Source::Geometry {
            console.note(&choice.reason);
        }
        self.check_size(&model)?;
        let supports = supports(&model, &self.motions, folder)?;
        motions::check(&supports, self.duration)?;
        let settings = self.method.settings(&model).map_err(Failure::input)?;
        let description = self.description(&model, &supports)?;
        let simulation = Simulation::new(&model, settings, supports, &self.loads).map_err(Failure::input)?;
        for &blocks in &simulation.rest_gaps().lost {
            let [a, b] = blocks.map(|b| &model.blocks[b as usize].name);
            console.warn(format!(
                "blocks `{a}` and `{b}` are joined in the model, but where they are their shapes do not meet as the joint says: \
                 it is not there in the run"
            ));
        }
        self.tell_explicit(&model, &simulation, console);
        let associated = settings.friction == Friction::Associated;
        let dt = self.method.shortest().0;
        for note in motions::notes(
            simulation.supports(),
            simulation.structure(),
            self.duration,
            dt,
            associated,
        ) {
            console.warn(note);
        }
        let plan = RunPlan {
            duration: self.duration,
            every: self.every(),
            collapse: Collapse {
                potential_drop: Some(self.collapse_drop),
                displacement: self.collapse_displacement,
                fallen: Some(self.collapse_fallen),
            },
            stop_after_collapse: self.stops.contains(&options::Stop::Collapse).then_some(0.0),
            stop_at_rest: self.stops.contains(&options::Stop::Rest),
        };
        let files = RunFiles {
            folder: self.output.clone(),
            input: Some(self.model.clone()),
            monitor: self.monitored(&model)?,
            vtk: self.vtk,
            pictures: self.pictures,
            tables_only: self.tables_only,
            resume: self.resume,
            overwrite: self.overwrite,
            description,
            command: console.command.clone(),
        };
        let prepared = Prepared::new(model, simulation, plan, files);
        // Told before the run: it may take hours.
        prepared.geometry.lines().iter().for_each(|line| console.warn(line));
        Ok(prepared)
    }

    /// Says what has to be known of explicit steps before they are taken. That a stiffness was assumed, and that
    /// deformable blocks are taken as rigid, is told in the summary.
    fn tell_explicit(&self, model: &Model, simulation: &Simulation, console: &Console) {
        for note in explicit_notes(model, simulation, self.duration) {
            match &note {
                // Told in the summary.
                ExplicitNote::AssumedStiffness | ExplicitNote::RigidBlocks(_) => {}
                ExplicitNote::RulingBlock { most, .. } => {
                    let is_scaled = simulation
                        .settings()
                        .explicit()
                        .is_some_and(|e| e.mass_scaling.is_some());
                    console.warn(match is_scaled {
                        true => note.to_string(),
                        false => format!("{note}; so does --mass-scaling {}", short(two_digits(*most))),
                    });
                }
                ExplicitNote::RigidTies(_) | ExplicitNote::StartsUnbalanced | ExplicitNote::Long { .. } => {
                    console.warn(note.to_string())
                }
            }
        }
    }

    /// Time between two frames (s).
    fn every(&self) -> f64 {
        self.every.unwrap_or(self.duration / 200.0)
    }

    /// Refuses what would never end, or fill the disk.
    fn check_size(&self, model: &Model) -> Result<(), Failure> {
        let (duration, dt) = (self.duration, self.method.dt());
        if dt > duration {
            let message = match self.method.has_dt() {
                true => format!("--dt {dt}: the step is longer than the duration of {duration} s"),
                false => format!("--duration {duration}: shorter than the {dt} s of one step of the run"),
            };
            return Err(Failure::input(message).help("give a shorter step or a longer duration"));
        }
        let (shortest, option) = self.method.shortest();
        let steps = duration / shortest;
        let given = if option == "--dt" { dt } else { shortest };
        if steps > MOST_STEPS {
            let message = format!(
                "{option} {}: --duration {} would take up to {} steps of {} s; allowed are {}",
                short(given),
                short(duration),
                short(steps.round()),
                short(shortest),
                count(MOST_STEPS as usize)
            );
            let least = short(given * steps / MOST_STEPS);
            return Err(Failure::input(message).help(format!("for this duration it must be at least {least} s")));
        }
        let frames = (duration / self.every()).min(steps);
        if frames > MOST_FRAMES {
            let message = format!(
                "--every {}: {} frames of {} blocks; allowed are {} frames",
                short(self.every()),
                short(frames.round()),
                count(model.blocks.len()),
                count(MOST_FRAMES as usize)
            );
            let least = short(duration / MOST_FRAMES);
            return Err(Failure::input(message).help(format!("for this duration it must be at least {least} s")));
        }
        Ok(())
    }

    fn monitored(&self, model: &Model) -> Result<Vec<usize>, Failure> {
        if self.monitor.is_empty() {
            return Ok(highest(model));
        }
        if let Some(k) = (1..self.monitor.len()).find(|&k| self.monitor[..k].contains(&self.monitor[k])) {
            return Err(Failure::input(format!(
                "--monitor: block `{}` is named twice",
                self.monitor[k]
            )));
        }
        let find = |name: &String| {
            let position = model.blocks.iter().position(|b| b.name == *name);
            position.ok_or_else(|| Failure::input(format!("--monitor: the model has no block `{name}`")))
        };
        self.monitor.iter().map(find).collect()
    }

    /// What the run depends on, for a run that goes on to be the same.
    fn description(&self, model: &Model, supports: &Supports) -> Result<Value, Failure> {
        let model_hash = Digest::of(format_args!("{}", file::to_text(model).map_err(Failure::run)?));
        // Motions as they were compiled: what they say may be in files that change.
        let motion_hash = Digest::of(format_args!("{supports:?}"));
        Ok(json!({
            "model": model.name,
            "model_hash": model_hash,
            "motions": self.motions,
            "motion_hash": motion_hash,
            "loads": self.loads,
            "every_s": self.every(),
            "monitor": self.monitor,
            "vtk": self.vtk,
            "collapse": [Some(self.collapse_drop), self.collapse_displacement, Some(self.collapse_fallen)],
            "method": self.method.description(),
        }))
    }
}

/// Fowler, Noll and Vo's hash (FNV-1a) of what is written to it. Numbers are written with all the digits that they need, so
/// that no two of them are written alike.
struct Digest(u64);

impl Digest {
    fn of(what: std::fmt::Arguments<'_>) -> String {
        let mut digest = Self(0xcbf2_9ce4_8422_2325);
        // Writing to it does not fail.
        let _ = digest.write_fmt(what);
        format!("{:016x}", digest.0)
    }
}

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        self.0 = text.bytes().fold(self.0, step);
        Ok(())
    }
}
