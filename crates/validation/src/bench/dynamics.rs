use clap::Args;
use serde::Serialize;

use drystone_cone::Solver;
use drystone_mechanics::dynamics::{Simulation, SimulationSettings, State, TimeStep};
use drystone_model::{Model, recipes};

use super::{median, memory_mb, on_threads};
use drystone_analysis::{Failure, words::count};

use crate::{CommandReport, Listener};

/// Time stepping on the structures of paper 003, beside its table 2 and beside Clarabel as the contact solver
///
/// Each structure is shaken as in the paper, from rest. Times are of whole steps: finding contacts, solving, the rest.
/// The paper's times are of a MATLAB program with the Mosek solver on another machine. Clarabel solves some steps from
/// the state that was reached last, and so does drystone's own solver, for the ratio.
#[derive(Args)]
pub struct DynamicsBench {
    /// Structures to measure [default: all]
    #[arg(long = "case", value_name = "CASE", value_parser = CASES.map(|c| c.name))]
    cases: Vec<String>,
    /// Most steps of a structure [default: those of the paper's figure; 100 for the church]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    steps: Option<u32>,
    /// Threads to measure with
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,2", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Vec<u16>,
    /// Steps that Clarabel solves; 0 leaves it out
    #[arg(long, value_name = "N", default_value_t = 5)]
    peer_steps: u32,
}

/// A structure and how it is shaken.
struct Case {
    name: &'static str,
    motion: &'static str,
    dt: f64,
    steps: u32,
    /// Seconds a step in table 2 of paper 003: finding contacts, solving.
    published: [f64; 2],
}

const CASES: [Case; 3] = [
    Case {
        name: "spandrel-arch",
        motion: "sine:amplitude=0.36g,frequency=0.5,direction=-x",
        dt: 0.001,
        steps: 6000,
        published: [0.072, 0.1],
    },
    Case {
        name: "stone-house",
        motion: "impulse:peak=0.8g,half_period=0.4,direction=-y",
        dt: 0.001,
        steps: 2000,
        published: [0.062, 0.4],
    },
    Case {
        name: "church",
        motion: "impulse:peak=1g,half_period=0.4,direction=-y",
        dt: 0.002,
        steps: 100,
        published: [2.5, 9.5],
    },
];

#[derive(Clone, Serialize)]
struct Row {
    structure: &'static str,
    blocks: usize,
    threads: usize,
    steps: usize,
    simulated_s: f64,
    contacts: usize,
    iterations: f64,
    step_ms: f64,
    mean_ms: f64,
    detect_ms: f64,
    solve_ms: f64,
    rest_ms: f64,
    longest_ms: f64,
    published_ms: f64,
    published_ratio: f64,
    real_time_factor: f64,
    clarabel_ms: Option<f64>,
    clarabel_ratio: Option<f64>,
    energy_balance_error: f64,
    worst_residual: f64,
    memory_mb: f64,
}

impl DynamicsBench {
    pub(crate) fn run(&self, listener: &dyn Listener) -> Result<CommandReport, Failure> {
        let mut rows = Vec::new();
        for case in &CASES {
            if !self.cases.is_empty() && !self.cases.iter().any(|c| c == case.name) {
                continue;
            }
            let model = recipes::find(case.name)
                .and_then(|r| r.build(&[]))
                .map_err(Failure::run)?;
            for threads in self.threads.iter().map(|&n| usize::from(n)) {
                listener.progress(&format!(
                    "{}, {} blocks, {threads} threads ...",
                    case.name,
                    count(model.blocks.len())
                ));
                rows.push(on_threads(threads, || self.measure(case, &model, threads))??);
            }
        }
        Ok(CommandReport::new(serde_json::json!({ "rows": rows }), text(&rows)))
    }

    fn measure(&self, case: &Case, model: &Model, threads: usize) -> Result<Row, Failure> {
        let mut simulation = begun(case, model, Solver::Auto)?;
        let steps = self.steps.unwrap_or(case.steps);
        let (mut whole, mut detect, mut solve) = (Vec::new(), Vec::new(), Vec::new());
        let (mut contacts, mut iterations, mut worst) = (0, 0, 0.0_f64);
        for _ in 0..steps {
            let step = simulation.step().map_err(Failure::run)?;
            whole.push(step.times.total_s());
            detect.push(step.times.detect_s);
            solve.push(step.times.solve_s);
            contacts = contacts.max(step.contacts);
            iterations += step.iterations;
            worst = worst.max(step.residual);
        }
        let state = simulation.state();
        let total: f64 = whole.iter().sum();
        let longest = whole.iter().copied().fold(0.0, f64::max);
        let (step_ms, detect_ms, solve_ms) = (1e3 * median(whole), 1e3 * median(detect), 1e3 * median(solve));
        let published_ms = 1e3 * (case.published[0] + case.published[1]);
        let peer = (self.peer_steps > 0 && threads == 1)
            .then(|| self.beside_clarabel(case, model, state))
            .transpose()?;
        Ok(Row {
            structure: case.name,
            blocks: simulation.structure().free().count(),
            threads,
            steps: steps as usize,
            simulated_s: state.time,
            contacts,
            iterations: iterations as f64 / f64::from(steps),
            step_ms,
            detect_ms,
            solve_ms,
            rest_ms: (step_ms - detect_ms - solve_ms).max(0.0),
            longest_ms: 1e3 * longest,
            published_ms,
            published_ratio: published_ms / (1e3 * total / f64::from(steps)),
            mean_ms: 1e3 * total / f64::from(steps),
            real_time_factor: state.time / total,
            clarabel_ms: peer.map(|(_, clarabel)| clarabel),
            clarabel_ratio: peer.map(|(ours, clarabel)| clarabel / ours),
            energy_balance_error: state.energies.balance_error(),
            worst_residual: worst,
            memory_mb: memory_mb(),
        })
    }

    /// Milliseconds a solve from the same state, by drystone's solver and by Clarabel.
    fn beside_clarabel(&self, case: &Case, model: &Model, state: &State) -> Result<(f64, f64), Failure> {
        let time = |solver: Solver| {
            let mut simulation = begun(case, model, solver)?;
            simulation.resume(state.clone()).map_err(Failure::run)?;
            let mut times = Vec::new();
            for _ in 0..self.peer_steps {
                times.push(simulation.step().map_err(Failure::run)?.times.solve_s);
            }
            Ok::<f64, Failure>(1e3 * median(times))
        };
        Ok((time(Solver::Auto)?, time(Solver::Clarabel)?))
    }
}

fn begun(case: &Case, model: &Model, solver: Solver) -> Result<Simulation, Failure> {
    let settings = SimulationSettings {
        time_step: TimeStep::Fixed(case.dt),
        solver,
        ..SimulationSettings::default()
    };
    drystone_analysis::simulation(model, settings, &[case.motion], &[])
}

fn text(rows: &[Row]) -> String {
    let mut text = String::from(
        "structure      blocks  threads   steps  iterations  step ms     mean  detect   solve    rest  paper 003 ms  ratio  \
         Clarabel ms  ratio  x real time  balance  memory MB\n",
    );
    for row in rows {
        let peer = |value: Option<f64>, digits: usize| value.map_or("-".to_string(), |v| format!("{v:.digits$}"));
        text += &format!(
            "{:<14} {:>6}  {:>7}  {:>6}  {:>10.1}  {:>7.2}  {:>7.2}  {:>6.2}  {:>6.2}  {:>6.2}  {:>12.0}  {:>5.0}  {:>11}  {:>5}  \
             {:>11.4}  {:>7.0e}  {:>9.0}\n",
            row.structure,
            count(row.blocks),
            row.threads,
            row.steps,
            row.iterations,
            row.step_ms,
            row.mean_ms,
            row.detect_ms,
            row.solve_ms,
            row.rest_ms,
            row.published_ms,
            row.published_ratio,
            peer(row.clarabel_ms, 1),
            peer(row.clarabel_ratio, 0),
            row.real_time_factor,
            row.energy_balance_error,
            row.memory_mb,
        );
    }
    text += "\nTimes are medians over steps, and their mean. Paper 003, table 2, gives means, of MATLAB and Mosek on another machine;\nits ratio is to the mean.\n";
    text
}
