use std::{
    io::Read,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use clap::Args;
use serde::{Deserialize, Serialize};

use drystone_mechanics::statics::{Check, Loads, Method, Solvers, StaticsError, Structure, Verdict, check};
use drystone_model::{Joints, Model, import};

use super::median;
use drystone_analysis::Failure;

use crate::{CommandReport, Listener};

/// Equilibrium and coupled analysis on the models of paper 004, beside its table 5 and beside compas_cra
///
/// Times are of the verdict alone, joints found already, as in the paper: medians of several runs here, one run of
/// compas_cra. The paper's times are of another machine.
#[derive(Args)]
pub struct StaticsBench {
    /// Folder with the models (COMPAS JSON)
    #[arg(long, value_name = "DIR", default_value = "../shared/cra")]
    models: PathBuf,
    /// A Python with compas_cra, to measure it on the same models in the same run
    #[arg(long, value_name = "PYTHON")]
    peer: Option<PathBuf>,
    /// Seconds after which compas_cra is stopped
    #[arg(long, value_name = "S", default_value_t = 60.0)]
    patience: f64,
    /// Models to measure [default: all]
    #[arg(long = "case", value_name = "MODEL")]
    cases: Vec<String>,
    /// Runs to take the median of
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
}

const PEER: &str = include_str!("peer.py");
const FRICTION: f64 = 0.84;

/// A model, its supports where the file does not hold them, and its time in table 5 of paper 004 (s).
const MODELS: [(&str, &str, Option<f64>); 16] = [
    ("cubes", "0", None),
    ("H", "0,1", None),
    ("A", "0,1", None),
    ("type-a", "0,1", Some(0.05)),
    ("type-b", "0,1", Some(0.05)),
    ("type-c", "0,1", Some(0.05)),
    ("type-d", "0,1", Some(0.05)),
    ("concave-short", "0", Some(0.23)),
    ("concave-long", "0", Some(0.15)),
    ("curve-3-blocks", "0", Some(2.38)),
    ("cube-curve-short", "0", Some(1.15)),
    ("cube-curve-tall", "0", Some(1.04)),
    ("shelf", "0", Some(0.50)),
    ("shelf-stable", "0", None),
    ("bridge", "0,1", Some(1.26)),
    ("armadillo_cra", "", Some(2424.44)),
];

/// One method on one model.
#[derive(Serialize)]
struct Row {
    model: &'static str,
    blocks: usize,
    contacts: usize,
    method: &'static str,
    verdict: &'static str,
    residual: Option<f64>,
    time_ms: f64,
    published_s: Option<f64>,
    peer_verdict: Option<String>,
    peer_s: Option<f64>,
    peer_ratio: Option<f64>,
}

#[derive(Deserialize)]
struct Answer {
    verdict: String,
    time_s: f64,
}

impl StaticsBench {
    pub(crate) fn run(&self, listener: &dyn Listener) -> Result<CommandReport, Failure> {
        if let Some(unknown) = self.cases.iter().find(|c| MODELS.iter().all(|(name, ..)| name != c)) {
            let known: Vec<&str> = MODELS.iter().map(|(name, ..)| *name).collect();
            return Err(Failure::input(format!("there is no model `{unknown}`")).help(known.join(", ")));
        }
        listener.line(&header())?;
        let mut rows = Vec::new();
        for (name, supports, published) in MODELS {
            if !(self.cases.is_empty() || self.cases.iter().any(|c| c == name)) {
                continue;
            }
            let path = self.models.join(format!("{name}.json"));
            let model = read(&path, supports)?;
            for method in [Method::Rbe, Method::Cra] {
                let published = published.filter(|_| method == Method::Cra);
                let row = self.measure((name, &path, supports, published), &model, method)?;
                listener.line(&line(&row))?;
                rows.push(row);
            }
        }
        Ok(CommandReport::new(serde_json::json!({ "rows": rows }), String::new()))
    }

    fn measure(
        &self,
        (name, path, supports, published_s): (&'static str, &Path, &str, Option<f64>),
        model: &Model,
        method: Method,
    ) -> Result<Row, Failure> {
        let structure = Structure::new(model).map_err(Failure::input)?;
        let once = || -> Result<Check, StaticsError> {
            let loads = Loads::body_force(&structure, structure.gravity);
            check(&structure, &loads, method, &mut Solvers::default())
        };
        let found = once().map_err(Failure::run)?;
        let mut times = vec![found.time];
        // What takes long is measured once.
        for _ in 1..if found.time > 2.0 { 1 } else { self.runs } {
            times.push(once().map_err(Failure::run)?.time);
        }
        let time = median(times);
        let answer = match &self.peer {
            Some(python) => self.ask(python, path, supports, method)?,
            None => None,
        };
        Ok(Row {
            model: name,
            blocks: structure.free().count(),
            contacts: structure.points.len(),
            method: method.name(),
            verdict: found.verdict.name(),
            residual: found.residual(),
            time_ms: 1e3 * time,
            published_s,
            // Where there is no answer there is nothing to be faster with.
            peer_ratio: answer
                .as_ref()
                .filter(|_| found.verdict != Verdict::Undecided)
                .map(|a| a.time_s / time),
            peer_s: answer.as_ref().map(|a| a.time_s),
            peer_verdict: answer.map(|a| a.verdict),
        })
    }

    /// Runs compas_cra; where it is not done in time, that time is a lower bound.
    fn ask(&self, python: &Path, path: &Path, supports: &str, method: Method) -> Result<Option<Answer>, Failure> {
        let mut child = Command::new(python)
            .args(["-c", PEER])
            .arg(path)
            .args([supports, method.name(), &FRICTION.to_string()])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| Failure::input(format!("{}: {e}", python.display())))?;
        let start = Instant::now();
        loop {
            if child.try_wait()?.is_some() {
                break;
            }
            if start.elapsed().as_secs_f64() > self.patience {
                child.kill()?;
                child.wait()?;
                return Ok(Some(Answer {
                    verdict: "stopped".into(),
                    time_s: self.patience,
                }));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let mut text = String::new();
        if let Some(out) = &mut child.stdout {
            out.read_to_string(&mut text)?;
        }
        Ok(text.lines().last().and_then(|line| serde_json::from_str(line).ok()))
    }
}

fn read(path: &Path, supports: &str) -> Result<Model, Failure> {
    let mut model = import::import_files(&[path.to_path_buf()])
        .map_err(Failure::input)?
        .model;
    let names: Vec<String> = supports
        .split(',')
        .filter(|s| !s.is_empty())
        .map(String::from)
        .collect();
    import::set_supports(&mut model, &names).map_err(Failure::input)?;
    model.joints = Joints::uniform(FRICTION);
    Ok(model)
}

fn header() -> String {
    "model             blocks  contacts  method  verdict    residual   time ms  paper 004 s  compas_cra s  verdict   ratio".into()
}

fn line(row: &Row) -> String {
    let number = |value: Option<f64>, digits: usize| value.map_or("-".to_string(), |v| format!("{v:.digits$}"));
    format!(
        "{:<17} {:>6}  {:>8}  {:<6}  {:<9}  {:>8}  {:>8.2}  {:>11}  {:>12}  {:<8}  {:>5}",
        row.model,
        row.blocks,
        row.contacts,
        row.method,
        row.verdict,
        row.residual.map_or("-".to_string(), |r| format!("{r:.0e}")),
        row.time_ms,
        number(row.published_s, 2),
        number(row.peer_s, 2),
        row.peer_verdict.as_deref().unwrap_or("-"),
        number(row.peer_ratio, 0),
    )
}
