//! The files of a study: tables, charts, a report. All of them are made of what is known alone: who performed the runs, and in
//! which order, leaves no trace but in `timings.csv` and in `wall_s`.

mod charts;
mod found;
mod report;
mod tables;

pub use charts::plot;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use drystone_analysis::Failure;
use drystone_output::{file::write_atomically, table::Table};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    job::{Outcomes, Status, Task},
    plan::{Chart, Findings, Plan},
    store::{Recorded, Store},
};
pub(crate) use tables::Row;

/// Name of the copy of the study file in its folder.
pub const STUDY: &str = "study.toml";
/// Name of what is told of a study as JSON.
pub const SUMMARY: &str = "summary.json";
/// Least time between two looks at what a study comes to so far.
const SUMMARY_EVERY: Duration = Duration::from_secs(2);
/// How many times longer than it takes to write that down.
const SUMMARY_SHARE: u32 = 20;
/// Name of the table of runs.
const RUNS: &str = "runs.parquet";

/// What is told of a study.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// What it is called.
    pub title: String,
    /// Which kind of study it is.
    pub kind: &'static str,
    /// Runs that are known to be needed.
    pub runs: usize,
    /// Runs that have ended.
    pub done: usize,
    /// Runs among them that failed.
    pub failed: usize,
    /// Whether all runs have ended.
    pub complete: bool,
    /// How long this call worked (s).
    pub wall_s: f64,
    /// How long all runs took, one after another (s).
    pub computing_s: f64,
    /// How many runs each version and build of the program did.
    pub builds: BTreeMap<String, usize>,
    /// The worst residual of all runs.
    pub worst_residual: Option<f64>,
    /// In sentences.
    pub conclusions: Vec<String>,
    /// What a reader of the results has to know.
    pub notes: Vec<String>,
    /// In numbers.
    pub result: Map<String, Value>,
    /// In charts.
    pub charts: Vec<Chart>,
}

/// What is known of a study.
struct Known<'a> {
    plan: &'a Plan,
    tasks: Vec<Task>,
    outcomes: &'a Outcomes,
    summary: Summary,
}

impl<'a> Known<'a> {
    fn new(plan: &'a Plan, outcomes: &'a Outcomes, wall_s: f64) -> Self {
        let tasks = plan.tasks(outcomes);
        let Findings {
            conclusions,
            result,
            charts,
        } = plan.findings(outcomes);
        let ended = || tasks.iter().filter_map(|task| outcomes.get(&task.id));
        let failed = ended().filter(|o| o.status == Status::Failed).count();
        let mut notes = plan.notes().to_vec();
        if failed > 0 {
            notes.push(format!(
                "{failed} of {} runs failed and count for nothing; the table of runs says why",
                tasks.len()
            ));
        }
        let above = ended()
            .filter(|o| o.number("steps_above_tolerance").is_some_and(|n| n > 0.0))
            .count();
        if above > 0 {
            notes.push(format!(
                "{above} runs have time steps whose residual is above the tolerance; the table of runs tells how many"
            ));
        }
        let mut builds = BTreeMap::new();
        for outcome in ended() {
            *builds.entry(outcome.version.clone()).or_default() += 1;
        }
        if builds.len() > 1 {
            notes.push(mixed(&builds));
        }
        let summary = Summary {
            title: plan.title(),
            kind: plan.study().kind().name(),
            runs: tasks.len(),
            done: ended().count(),
            failed,
            complete: ended().count() == tasks.len(),
            wall_s,
            computing_s: ended().map(|o| o.wall_s).sum(),
            builds,
            worst_residual: ended().filter_map(|o| o.residual).reduce(f64::max),
            conclusions,
            notes,
            result,
            charts,
        };
        Self {
            plan,
            tasks,
            outcomes,
            summary,
        }
    }
}

/// What is said of runs that several builds of the program did.
fn mixed(builds: &BTreeMap<String, usize>) -> String {
    let builds: Vec<String> = builds
        .iter()
        .map(|(build, runs)| format!("{build} did {runs}"))
        .collect();
    format!(
        "the runs are of different builds of the program, whose results need not agree: {}. --redo-other-builds does all again \
         that are not of the build that is called; the column `version` of the table of runs tells which one did each",
        builds.join(", ")
    )
}

/// What is told of a study as far as its runs are known.
pub fn summary(plan: &Plan, outcomes: &Outcomes, wall_s: f64) -> Summary {
    Known::new(plan, outcomes, wall_s).summary
}

/// The table of the runs of a folder that have ended: `runs.parquet`, or where that is older, what the database knows.
pub fn runs_table(folder: &Path) -> Result<Table, Failure> {
    let recorded = Store::look(folder)?.recorded()?;
    let path = folder.join(RUNS);
    if path.is_file() {
        let table = Table::read(&path, None).map_err(Failure::run)?;
        let written = table.texts("run").unwrap_or_default();
        if written
            .iter()
            .map(|id| &**id)
            .eq(recorded.iter().map(|run| run.row().id))
        {
            return Ok(table);
        }
    }
    let rows: Vec<Row<'_>> = recorded.iter().map(Recorded::row).collect();
    Ok(tables::of(&rows))
}

/// Writes what is told of a study as far as its runs are known, for those who watch: `summary.json` alone.
pub fn write_summary(plan: &Plan, outcomes: &Outcomes, wall_s: f64, folder: &Path) -> Result<Summary, Failure> {
    let summary = summary(plan, outcomes, wall_s);
    put(folder, SUMMARY, &json_text(&summary)?)?;
    Ok(summary)
}

/// Writes `summary.json` now and then while a study is under way, for those who watch its folder.
pub struct Watched {
    folder: PathBuf,
    began: Instant,
    /// Until when it is not written again.
    wait: Instant,
}

impl Watched {
    /// Of a study whose work begins now.
    pub fn new(folder: &Path) -> Self {
        let now = Instant::now();
        Self {
            folder: folder.to_path_buf(),
            began: now,
            wait: now,
        }
    }

    /// Looks whether it is time to write.
    pub fn tell(&mut self, plan: &Plan, known: &Outcomes) {
        let now = Instant::now();
        if now < self.wait {
            return;
        }
        // Who watches sees it later: the files at the end tell what is wrong with the disk.
        let _ = write_summary(plan, known, self.began.elapsed().as_secs_f64(), &self.folder);
        self.wait = Instant::now() + SUMMARY_EVERY.max(SUMMARY_SHARE * now.elapsed());
    }
}

/// Writes all files of a study: `summary.json`, `runs.csv`, `runs.parquet`, `timings.csv`, each chart as `.svg`, `.png` and `.csv`, and
/// `report.html`.
pub fn write_files(plan: &Plan, store: &Store, wall_s: f64, folder: &Path) -> Result<Summary, Failure> {
    let outcomes = store.outcomes()?;
    let known = Known::new(plan, &outcomes, wall_s);
    put(folder, SUMMARY, &json_text(&known.summary)?)?;
    let table = tables::runs(&known);
    put(folder, "runs.csv", &table.csv())?;
    table.write(&folder.join(RUNS)).map_err(Failure::run)?;
    put(folder, "timings.csv", &tables::timings(&known, &store.workers()?).csv())?;
    let mut drawn = Vec::new();
    for chart in &known.summary.charts {
        let plot = plot(chart);
        put(folder, &format!("{}.csv", chart.name), &charts::csv(chart))?;
        let svg = plot.svg().map_err(Failure::run)?;
        put(folder, &format!("{}.svg", chart.name), &svg)?;
        let png = plot.png().map_err(Failure::run)?;
        write_atomically(&folder.join(format!("{}.png", chart.name)), &png).map_err(Failure::run)?;
        drawn.push((chart.title.clone(), svg));
    }
    remove_stale(folder, &known.summary.charts)?;
    put(folder, "report.html", &report::html(&known, drawn))?;
    Ok(known.summary)
}

/// Removes charts that the study drew before its file was changed: nothing in the folder may tell of another study.
fn remove_stale(folder: &Path, charts: &[Chart]) -> Result<(), Failure> {
    let cannot =
        |path: &Path, e: std::io::Error| Failure::run(format!("cannot remove the old chart `{}`: {e}", path.display()));
    for entry in std::fs::read_dir(folder).map_err(|e| cannot(folder, e))? {
        let path = entry.map_err(|e| cannot(folder, e))?.path();
        let [Some(stem), Some(ending)] = [path.file_stem(), path.extension()].map(|part| part.and_then(|p| p.to_str()))
        else {
            continue;
        };
        let is_stale = Chart::may_be_called(stem)
            && ["csv", "svg", "png"].contains(&ending)
            && charts.iter().all(|chart| chart.name != stem);
        if is_stale {
            std::fs::remove_file(&path).map_err(|e| cannot(&path, e))?;
        }
    }
    Ok(())
}

fn json_text(value: &impl Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string_pretty(value).map_err(Failure::run)? + "\n")
}

fn put(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    write_atomically(&folder.join(name), text.as_bytes()).map_err(Failure::run)
}
