//! Commands as calls, for programs that hold a model. Options are the words of the command line, as `--friction=0.6`; what a
//! command prints with `--json` is the `result` of what comes back, beside what it was made from.
//!
//! ```
//! use std::sync::Arc;
//! use drystone::{model::recipes, program::call};
//!
//! let arch = recipes::order("arch").build().unwrap();
//! let limited = call::limit(arch, &["--direction=1,0,0"], Arc::default()).unwrap();
//! assert!(limited.result["lower_proven"].as_bool().unwrap());
//! ```

use std::{path::Path, sync::Arc};

use clap::{Args, Command, FromArgMatches};
use drystone_analysis::{Failure, Flow, Reached, Run, Summary};
use drystone_contact::Placement;
use drystone_model::{Model, certificate::Certificate};
use drystone_output::run::Watcher;
use drystone_study::{self as study, Plan};
use serde_json::{Value, json};

use super::{
    commands::{
        self,
        contacts::Contacts,
        info::Info,
        simulate::{Progress, Simulate},
        statics::{self, check::Check, limit::Limit, settle::Settle, tilt::Tilt, verify},
        study::Study,
    },
    report::Console,
    target::Targets,
};
pub use super::{
    commands::{
        contacts::Touching,
        simulate::Prepared,
        statics::{check::Checked, limit::Limited, settle::Settled, tilt::Tilted},
        study::{Open as OpenStudy, how_far},
    },
    report::{Caller, Tell},
};

/// In place of a file that is not read, and of a folder that is not written.
const NONE: &str = "-";

/// Whether a model stands: `drystone check`.
pub fn check(model: Model, options: &[impl AsRef<str>], caller: Arc<Caller>) -> Result<Checked, Failure> {
    read::<Check>("check", options, &[NONE])?.of(model, &Console::for_caller(caller))
}

/// How much it carries: `drystone limit`.
pub fn limit(model: Model, options: &[impl AsRef<str>], caller: Arc<Caller>) -> Result<Limited, Failure> {
    read::<Limit>("limit", options, &[NONE])?.of(model, &Console::for_caller(caller))
}

/// How far it can be tilted: `drystone tilt`.
pub fn tilt(model: Model, options: &[impl AsRef<str>], caller: Arc<Caller>) -> Result<Tilted, Failure> {
    read::<Tilt>("tilt", options, &[NONE])?.of(model, &Console::for_caller(caller))
}

/// Its path through equilibria: `drystone settle`. `watch` sees each of them.
pub fn settle(
    model: Model,
    options: &[impl AsRef<str>],
    caller: Arc<Caller>,
    watch: impl FnMut(&Reached<'_>) + Send,
) -> Result<Settled, Failure> {
    read::<Settle>("settle", options, &[NONE])?.of(model, &Console::for_caller(caller), watch)
}

/// Where its blocks touch: `drystone contacts`.
pub fn contacts(model: &Model, options: &[impl AsRef<str>], caller: Arc<Caller>) -> Result<Touching, Failure> {
    read::<Contacts>("contacts", options, &[NONE])?.of(model, &Console::for_caller(caller))
}

/// What is to be known of it before anything is asked: `drystone info`.
pub fn info(model: &Model, options: &[impl AsRef<str>]) -> Result<Value, Failure> {
    let (model, look) = read::<Info>("info", options, &[NONE])?.of(model)?;
    Ok(look.as_json(&model))
}

/// What a certificate is worth: `drystone verify`.
pub fn verify(model: &Model, certificate: &Certificate) -> Value {
    verify::verified(certificate, model).0
}

/// The model of a file: its own, or one of COMPAS, OBJ, STL or PLY.
pub fn open(path: &Path, caller: Arc<Caller>) -> Result<Model, Failure> {
    statics::read(path, &Console::for_caller(caller))
}

/// Writes a model; the ending of the file's name says what: as `drystone export`.
pub fn save(model: &Model, path: &Path) -> Result<(), Failure> {
    Targets::files(vec![path.to_path_buf()]).write(model).map(drop)
}

/// A run that was driven, and where blocks were in each frame.
pub struct Filmed {
    /// What is printed with `--json`.
    pub summary: Summary,
    /// The run as it ended.
    pub run: Prepared,
    /// Times of the frames (unit: s).
    pub times: Vec<f64>,
    /// Where all blocks were, frame by frame.
    pub placements: Vec<Placement>,
    /// After each step: the time, and the energies that [`ENERGIES`] lists (unit: s, J).
    pub steps: Vec<[f64; 1 + ENERGIES.len()]>,
}

/// Energies of each step of a run.
pub const ENERGIES: [&str; 12] = [
    "kinetic",
    "potential",
    "elastic",
    "deformation",
    "input",
    "impact",
    "friction",
    "viscous",
    "damped",
    "ties",
    "created",
    "ahead",
];

/// A structure through time: `drystone simulate`. Without `--output` nothing is written. Records are looked for in `folder`.
pub fn simulate(
    model: &Model,
    options: &[impl AsRef<str>],
    folder: &Path,
    caller: Arc<Caller>,
) -> Result<Filmed, Failure> {
    let writes = options.iter().any(|word| word.as_ref().starts_with("--output="));
    let nowhere = format!("--output={NONE}");
    let given: &[&str] = if writes { &[NONE] } else { &[NONE, &nowhere] };
    let simulate = read::<Simulate>("simulate", options, given)?;
    let console = Console::for_caller(caller);
    let run = simulate.of(model, folder, &console)?;
    simulate.on_threads(|| filmed(run, writes, &console))
}

/// Drives a run, and leaves its folder if it is to.
fn filmed(mut run: Prepared, writes: bool, console: &Console) -> Result<Filmed, Failure> {
    let mut film = Film {
        progress: run.progress(console),
        times: Vec::new(),
        placements: Vec::new(),
        steps: Vec::new(),
    };
    let summary = match writes {
        true => run.recorded(&mut film),
        false => run.driven(&mut film),
    }?;
    let Film {
        times,
        placements,
        steps,
        ..
    } = film;
    Ok(Filmed {
        summary,
        run,
        times,
        placements,
        steps,
    })
}

/// All runs of a study that are not recorded yet: `drystone study`. The options must have an `--output`.
pub fn study(plan: Plan, options: &[impl AsRef<str>], caller: Arc<Caller>) -> Result<study::Summary, Failure> {
    read::<Study>("study", options, &[NONE])?.of(plan, &Console::for_caller(caller))
}

/// The same for a program that has the runs performed by others: the folder of the study is taken, and nothing is run.
pub fn open_study(plan: Plan, options: &[impl AsRef<str>], caller: Arc<Caller>) -> Result<OpenStudy, Failure> {
    read::<Study>("study", options, &[NONE])?.open(plan, &Console::for_caller(caller))
}

/// A study file to start from: `drystone study --new`.
pub fn new_study(kind: study::Kind, model: &Path, caller: Arc<Caller>) -> Result<String, Failure> {
    commands::study::new(kind, model, &Console::for_caller(caller))
}

/// A run of a study that is done again: `drystone study --run`.
pub enum Again {
    /// A time history.
    Filmed(Box<Filmed>),
    /// The structure of another one, and what is asked of it: a command and its options.
    Asked(Box<Model>, Vec<String>),
}

/// Does a run of a study again: its identity, or the start of it. A time history leaves its folder if there is an `output`.
pub fn again(folder: &Path, run: &str, output: Option<&Path>, caller: Arc<Caller>) -> Result<Again, Failure> {
    let store = study::Store::look(folder)?;
    let (label, job) = store.find(run)?;
    let shared = store.shared()?;
    if let Some(words) = job.words() {
        return Ok(Again::Asked(Box::new(job.structure(&shared)?), words));
    }
    let description = json!({ "study": folder.display().to_string(), "run": run, "label": label });
    let prepared = commands::study::again(&job, &shared, output.unwrap_or(Path::new("")), description)?;
    let filmed = filmed(prepared, output.is_some(), &Console::for_caller(caller))?;
    Ok(Again::Filmed(Box::new(filmed)))
}

/// Keeps what it sees of a run.
struct Film<'a> {
    progress: Progress<'a>,
    times: Vec<f64>,
    placements: Vec<Placement>,
    steps: Vec<[f64; 1 + ENERGIES.len()]>,
}

impl Watcher for Film<'_> {
    fn warn(&self, message: &str) {
        self.progress.warn(message);
    }

    fn proceed(&mut self) -> Flow {
        self.progress.proceed()
    }

    fn step(&mut self, run: &Run<'_>) {
        let e = run.state().energies;
        let energies = [
            e.kinetic,
            e.potential,
            e.elastic,
            e.deformation,
            e.input,
            e.impact,
            e.friction,
            e.viscous,
            e.damped,
            e.ties,
            e.created,
            e.ahead,
        ];
        let mut row = [run.state().time; 1 + ENERGIES.len()];
        row[1..].copy_from_slice(&energies);
        self.steps.push(row);
        self.progress.step(run);
    }

    fn frame(&mut self, run: &Run<'_>) {
        self.times.push(run.state().time);
        self.placements.extend_from_slice(&run.state().placements);
    }

    fn done(&mut self) {
        self.progress.done();
    }
}

/// Reads the options of a command, with what else its command line needs.
fn read<T: Args + FromArgMatches>(
    name: &'static str,
    options: &[impl AsRef<str>],
    more: &[&str],
) -> Result<T, Failure> {
    let command = T::augment_args(Command::new(name).no_binary_name(true).disable_help_flag(true));
    let words = options.iter().map(AsRef::as_ref).chain(more.iter().copied());
    let read = command
        .try_get_matches_from(words)
        .and_then(|matches| T::from_arg_matches(&matches));
    read.map_err(|error| {
        // What is wrong, without how a command line is written.
        let text = error.render().to_string();
        let what = text.split("\n\nUsage:").next().unwrap_or(&text);
        let what = what.split("\n\nFor more information").next().unwrap_or(what);
        Failure::input(what.trim_start_matches("error: ").trim())
    })
}
