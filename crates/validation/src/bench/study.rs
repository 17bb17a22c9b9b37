//! Studies: runs a minute by threads, beside the same runs in a plain loop.

use std::{path::PathBuf, time::Instant};

use clap::Args;
use serde::Serialize;

use drystone_analysis::{Failure, words::count};
use drystone_cone::Stop;
use drystone_study::{Alone, EngineSettings, Outcomes, Plan, Store, Study, work};

use crate::{CommandReport, Listener};

/// Studies by threads, beside a plain loop over the same runs
///
/// The peer performs the same runs one after another on one thread and keeps nothing. `dynamics` is a failure domain of a wall, `short` are
/// runs that take next to no time: what is left of them is what the engine and its database cost.
#[derive(Args)]
pub struct StudyBench {
    /// Numbers of threads to measure
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,2", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Vec<u32>,
    /// Short runs
    #[arg(long, value_name = "N", default_value_t = 400)]
    short: usize,
}

#[derive(Serialize)]
struct Row {
    study: &'static str,
    runs: usize,
    threads: u32,
    study_s: f64,
    runs_per_minute: f64,
    loop_s: f64,
    /// Times that of the loop.
    speedup: f64,
    /// Speedup over threads.
    efficiency: f64,
    /// What a run costs beside its own work, on one thread (ms).
    overhead_ms: Option<f64>,
}

const DYNAMICS: &str = "
model = { recipe = \"wall\" }
[simulation]
dt = 0.005
after = 0.5
[failure_domain]
direction = \"y\"
half_periods = [0.1, 0.2, 0.3, 0.4]
amplitudes_g = [0.2, 0.4, 0.6, 0.8]
capacity = false
";

/// A study in a folder that goes with it.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("drystone-bench-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl StudyBench {
    pub(super) fn run(&self, listener: &dyn Listener) -> Result<CommandReport, Failure> {
        let short = format!(
            "model = {{ recipe = \"block\" }}\n[sweep]\nanalysis = {{ limit = {{ direction = \"x\" }} }}\n[[sweep.parameters]]\n\
             name = \"friction\"\nvalues = {{ from = 0.1, to = 1.0, count = {} }}\n",
            self.short.max(2)
        );
        let mut rows = Vec::new();
        for (name, text) in [("dynamics", DYNAMICS), ("short", &short)] {
            listener.progress(&format!("{name}: a plain loop"));
            let plan = Plan::new(Study::parse(text, name, std::path::Path::new(""))?)?;
            let tasks = plan.tasks(&Outcomes::new());
            let alone = Alone::new();
            let began = Instant::now();
            for task in &tasks {
                let outcome = alone.perform(task, plan.shared(), &Stop::default());
                if let Some(error) = outcome.and_then(|o| o.error) {
                    return Err(Failure::run(format!("{}: {error}", task.label)));
                }
            }
            let loop_s = began.elapsed().as_secs_f64();
            for &threads in &self.threads {
                listener.progress(&format!("{name}: {threads} threads"));
                let scratch = Scratch::new(&format!("{name}-{threads}"))?;
                let mut store = Store::open(&scratch.0)?;
                let settings = EngineSettings {
                    threads: Some(threads as usize),
                    ..EngineSettings::default()
                };
                let worked = work(&plan, &mut store, &settings, |_| {})?;
                let speedup = loop_s / worked.wall_s;
                rows.push(Row {
                    study: name,
                    runs: worked.performed,
                    threads,
                    study_s: worked.wall_s,
                    runs_per_minute: 60.0 * worked.performed as f64 / worked.wall_s,
                    loop_s,
                    speedup,
                    efficiency: speedup / f64::from(threads),
                    overhead_ms: (threads == 1).then(|| 1e3 * (worked.wall_s - loop_s) / worked.performed as f64),
                });
            }
        }
        let heads = [
            "study",
            "runs",
            "threads",
            "runs a minute",
            "loop",
            "study",
            "times the loop",
            "efficiency",
            "overhead a run",
        ];
        let mut cells = vec![heads.map(str::to_string)];
        for row in &rows {
            cells.push([
                row.study.to_string(),
                count(row.runs),
                row.threads.to_string(),
                format!("{:.0}", row.runs_per_minute),
                format!("{:.2} s", row.loop_s),
                format!("{:.2} s", row.study_s),
                format!("{:.2}", row.speedup),
                format!("{:.0} %", 100.0 * row.efficiency),
                row.overhead_ms
                    .map_or_else(|| "-".to_string(), |ms| format!("{ms:.2} ms")),
            ]);
        }
        Ok(CommandReport::new(
            serde_json::json!({ "rows": rows }),
            crate::reproduce::columns(&cells),
        ))
    }
}
