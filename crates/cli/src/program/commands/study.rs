//! `drystone study`: many runs, until a curve comes of them.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use clap::Args;
use indicatif::ProgressBar;
use serde_json::{Value, json};

use drystone_analysis::words::significant;
use drystone_model::{Model, file, recipes};
use drystone_output::{
    file::write_atomically,
    lock::FolderLock,
    run::{RunFiles, take_folder},
};
use drystone_study::{
    Ask, EngineSettings, Job, Kind, Named, Plan, Progress, STUDY, Shard, Shared, Store, Summary, Watched, template,
    work, write_files,
};

use super::simulate::{Prepared, interrupted};
use crate::program::{
    Failure,
    numbers::threads,
    progress::{LINE, LOOK, bar, clock, interrupt_flag},
    report::{Console, table},
};

/// Many runs: failure domains, fragility curves, sweeps, stages of construction
///
/// A study file says what is asked of which structure; `--new` prints one to start from. Runs go to all cores, the expensive ones
/// first, and each is recorded when it has ended: the same command goes on where it was stopped, and runs again only what a
/// changed study file changes. The folder gets tables (CSV, Parquet), charts (SVG, PNG), report.html and summary.json.
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone study --new fragility house.json > house.toml    a study file with comments
  drystone study house.toml -o fragility                    all runs; the same again goes on
  drystone study house.toml -o part3 --shard 3/8            a part of it, on one of eight machines
  drystone study house.toml -o all --merge part1 --merge part2
  drystone study fragility --run 0a1b2c3d4e5f -o run        one of its runs again, with its film

Kinds: failure-domain, fragility, sweep, assembly. docs/studies.md has every field.")]
pub(crate) struct Study {
    /// Study file. With --new: model file or recipe. With --run: folder of a study
    #[arg(value_name = "FILE|MODEL|DIR")]
    path: PathBuf,
    /// Folder for the results. With --new: the study file to write, instead of printing it
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Print a study file of this kind to start from: failure-domain, fragility, sweep or assembly
    #[arg(long, value_name = "KIND", conflicts_with_all = ["threads", "shard", "merge", "retry_failed", "redo_other_builds", "run"])]
    new: Option<Kind>,
    /// Runs at a time, each on one thread [default: one for each core]. Results do not depend on it
    #[arg(long, value_name = "N", value_parser = threads())]
    threads: Option<usize>,
    /// Do only this part of the runs, as 3/8: for machines that share nothing
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Take over the runs of another folder of this study first. May be given several times
    #[arg(long, value_name = "DIR")]
    merge: Vec<PathBuf>,
    /// Do failed runs again
    #[arg(long)]
    retry_failed: bool,
    /// Do runs of other builds of the program again: their results need not agree with those of this one
    #[arg(long)]
    redo_other_builds: bool,
    /// Do one run again and leave all of it, as `simulate` and `check` do: its identity, or the start of it
    #[arg(long, value_name = "ID", conflicts_with_all = ["shard", "merge", "retry_failed", "redo_other_builds"])]
    run: Option<String>,
}

impl Study {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        if let Some(kind) = self.new {
            return self.begin(kind, console);
        }
        let folder = self.output.as_deref();
        let folder = folder.ok_or_else(|| Failure::input("--output DIR is needed: the folder for the results"))?;
        match &self.run {
            Some(run) => self.again(run, folder, console),
            None => self.perform(console),
        }
    }

    /// Prints a study file.
    fn begin(&self, kind: Kind, console: &Console) -> Result<(), Failure> {
        // What a study file names is looked for from its own folder.
        let is_elsewhere = |path: &PathBuf| path.parent().is_some_and(|folder| !folder.as_os_str().is_empty());
        let model = match self.output.as_ref().is_some_and(is_elsewhere) && self.path.exists() {
            true => std::path::absolute(&self.path)?,
            false => self.path.clone(),
        };
        let text = new(kind, &model, console)?;
        match &self.output {
            Some(path) if path.exists() => Err(Failure::input(format!("{}: is there already", path.display()))
                .help("give another name, or remove it first")),
            None => console.result(&json!({ "text": text }), || text.clone()),
            Some(path) => {
                write_atomically(path, text.as_bytes()).map_err(Failure::run)?;
                console.result(&json!({ "output": path.display().to_string() }), || {
                    format!(
                        "wrote {0}: change it, then drystone study {0} -o FOLDER",
                        path.display()
                    )
                })
            }
        }
    }

    /// Performs all runs that are not recorded yet, and prints what came of them.
    fn perform(&self, console: &Console) -> Result<(), Failure> {
        let summary = self.of(Plan::read(&self.path)?, console)?;
        console.result(&summary, || told(&summary, self.shard, self.folder()))?;
        match summary.done > 0 && summary.failed == summary.done {
            true => Err(Failure::run(format!("all of {} runs failed", summary.done))
                .help("the column `error` of runs.csv says why; --retry-failed does them again")),
            false => Ok(()),
        }
    }

    /// Performs all runs of a plan that are not recorded yet.
    pub(crate) fn of(&self, plan: Plan, console: &Console) -> Result<Summary, Failure> {
        let mut open = self.open(plan, console)?;
        let settings = EngineSettings {
            threads: self.threads,
            shard: self.shard,
            // A caller has its own way to stop.
            stop: match console.caller {
                Some(_) => console.stop(),
                None => interrupt_flag().into(),
            },
        };
        let mut shown = Shown::new(console, &open);
        let Open { plan, store, .. } = &mut open;
        let worked = work(plan, store, &settings, |progress| shown.tell(plan, progress))?;
        shown.done();
        let summary = open.finish(worked.wall_s)?;
        if worked.is_stopped {
            let message = format!("interrupted: {} of {} runs are done", summary.done, summary.runs);
            return Err(Failure::run(message).help("the same command goes on where it was stopped"));
        }
        Ok(summary)
    }

    /// Takes the folder of a plan, and takes over what other folders know.
    pub(crate) fn open(&self, plan: Plan, console: &Console) -> Result<Open, Failure> {
        // Nothing is begun in the folder where another is none.
        self.merge.iter().try_for_each(|other| Store::look(other).map(drop))?;
        let folder = self.folder();
        let lock = take_folder(folder, |message| console.warn(message))?;
        let mut store = Store::open(folder)?;
        for other in &self.merge {
            let taken = store.merge(other)?;
            console.note(format!("{}: {taken} runs taken over", other.display()));
        }
        if self.retry_failed {
            let forgotten = store.forget_failed()?;
            console.note(format!("{forgotten} failed runs are done again"));
        }
        if self.redo_other_builds {
            let forgotten = store.forget_other_builds()?;
            console.note(format!("{forgotten} runs of other builds are done again"));
        }
        write_atomically(&folder.join(STUDY), plan.study().text.as_bytes()).map_err(Failure::run)?;
        // The result tells a caller.
        if console.caller.is_none() {
            plan.notes().iter().for_each(|note| console.warn(note));
        }
        Ok(Open {
            plan,
            store,
            shard: self.shard,
            folder: folder.to_path_buf(),
            _lock: lock,
        })
    }

    /// Folder for the results.
    fn folder(&self) -> &Path {
        self.output.as_deref().unwrap_or(Path::new(""))
    }

    /// Does one run again, with all that it leaves.
    fn again(&self, run: &str, folder: &Path, console: &Console) -> Result<(), Failure> {
        let store = Store::look(&self.path)?;
        let (label, job) = store.find(run)?;
        let shared = store.shared()?;
        console.note(&label);
        match &job.ask {
            Ask::Simulate { .. } => {
                let description = json!({ "study": self.path.display().to_string(), "run": run, "label": label });
                let mut prepared = again(&job, &shared, folder, description)?;
                let mut progress = prepared.progress(console);
                let summary = prepared.recorded(&mut progress)?;
                console.result(&summary, || table(&summary.rows()))?;
                interrupted(&summary).map_or(Ok(()), Err)
            }
            _ => self.model_again(&job, &shared, folder, console),
        }
    }

    /// Leaves the model of a run that is no time history, and says how to ask it.
    fn model_again(&self, job: &Job, shared: &Shared, folder: &Path, console: &Console) -> Result<(), Failure> {
        let model: Model = job.structure(shared)?;
        let _lock = take_folder(folder, |message| console.warn(message))?;
        let path = folder.join("model.json");
        let text = file::to_text(&model).map_err(Failure::run)?;
        write_atomically(&path, text.as_bytes()).map_err(Failure::run)?;
        let words = job.command(&path.display().to_string()).unwrap_or_default();
        console.result(
            &json!({ "output": path.display().to_string(), "command": words }),
            || format!("wrote {}; the same question is\n  {words}", path.display()),
        )
    }
}

/// The time history of a run, before its first step, with more frames than a study keeps.
pub(crate) fn again(job: &Job, shared: &Shared, folder: &Path, description: Value) -> Result<Prepared, Failure> {
    let (model, simulation, mut plan) = job.simulation(shared)?;
    plan.every = plan.duration / 200.0;
    let files = RunFiles {
        folder: folder.to_path_buf(),
        input: None,
        monitor: super::simulate::highest(&model),
        vtk: false,
        pictures: false,
        tables_only: false,
        resume: false,
        overwrite: false,
        description,
        command: None,
    };
    Ok(Prepared::new(model, simulation, plan, files))
}

/// A study file of a kind to start from, of a model file or a recipe.
pub(crate) fn new(kind: Kind, model: &Path, console: &Console) -> Result<String, Failure> {
    let name = model.to_str().unwrap_or_default();
    let (named, model) = match recipes::find(name) {
        Ok(recipe) if !model.exists() => (Named::Recipe(name), recipe.build(&Vec::<(String, String)>::new())?),
        _ => (Named::File(name), super::statics::read(model, console)?),
    };
    Ok(template(kind, named, &model))
}

/// A study in its folder, where nobody else writes meanwhile.
pub struct Open {
    /// Its runs.
    pub plan: Plan,
    /// What is known of them.
    pub store: Store,
    /// The part of the runs that is done here.
    pub shard: Option<Shard>,
    /// The folder.
    pub folder: PathBuf,
    _lock: FolderLock,
}

impl Open {
    /// Writes the files of the study, after so many seconds of work.
    pub fn finish(self, wall_s: f64) -> Result<Summary, Failure> {
        write_files(&self.plan, &self.store, wall_s, &self.folder)
    }
}

/// How far a study is, as a fraction and in words.
pub fn how_far(progress: &Progress<'_>) -> (f64, String) {
    let failed = match progress.failed {
        0 => String::new(),
        n => format!(", {n} failed"),
    };
    let left = progress.left_s.filter(|_| progress.done < progress.runs);
    let left = left.map_or_else(String::new, |s| format!(", about {} left", clock(s)));
    let words = format!("{} of {} runs{failed}{left}", progress.done, progress.runs);
    (progress.done as f64 / progress.runs.max(1) as f64, words)
}

/// What is shown of a study that is under way.
struct Shown<'a> {
    console: &'a Console,
    watched: Watched,
    bar: Option<ProgressBar>,
    shown: Instant,
}

impl<'a> Shown<'a> {
    fn new(console: &'a Console, open: &Open) -> Self {
        Self {
            console,
            watched: Watched::new(&open.folder),
            bar: bar(console, 1),
            shown: Instant::now(),
        }
    }

    fn tell(&mut self, plan: &Plan, progress: &Progress<'_>) {
        self.watched.tell(plan, progress.known);
        let (done, message) = how_far(progress);
        if self.console.caller.is_some() {
            return self.console.progress(done, &message);
        }
        if let Some((task, outcome)) = progress.last
            && let Some(error) = &outcome.error
        {
            self.console.warn(format!("{}: {error}", task.label));
        }
        let now = Instant::now();
        let is_last = progress.done == progress.runs;
        let wait = if self.bar.is_some() { LOOK } else { LINE };
        if self.console.quiet || (now - self.shown < wait && !is_last && progress.last.is_some()) {
            return;
        }
        self.shown = now;
        match &self.bar {
            Some(bar) => {
                bar.set_length(progress.runs.max(1) as u64);
                bar.set_position(progress.done as u64);
                bar.set_message(message);
            }
            None => eprintln!("{message}"),
        }
    }

    fn done(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// What came of a study, for people.
fn told(summary: &Summary, shard: Option<Shard>, folder: &Path) -> String {
    let mut text: String = summary.conclusions.iter().map(|line| format!("{line}\n")).collect();
    for note in &summary.notes {
        text += &format!("note: {note}\n");
    }
    let failed = match summary.failed {
        0 => String::new(),
        n => format!(", {n} failed"),
    };
    let mut rows = vec![
        ("runs", format!("{} of {}{failed}", summary.done, summary.runs)),
        (
            "time",
            format!(
                "{} s now, {} s of computing in all",
                significant(summary.wall_s),
                significant(summary.computing_s)
            ),
        ),
    ];
    if let Some(residual) = summary.worst_residual {
        rows.push(("worst residual", format!("{residual:.1e}")));
    }
    rows.push(("files", folder.join("report.html").display().to_string()));
    if let Some(shard) = shard {
        rows.push((
            "part",
            format!("{} of {}: --merge puts the parts together", shard.number, shard.count),
        ));
    }
    text + "\n" + &table(&rows)
}
