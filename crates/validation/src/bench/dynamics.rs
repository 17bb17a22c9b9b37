use clap::Args;
use serde::Serialize;

use drystone_cone::{Friction, Solver, Status};
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
    /// Friction law: `coulomb` measures both laws, on a wall of 1,000 blocks, too
    #[arg(long, value_name = "LAW", default_value = "associated", value_parser = ["associated", "coulomb"])]
    friction_law: String,
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

const CASES: [Case; 4] = [
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
    // Not in the paper: for both friction laws side by side.
    Case {
        name: "wall",
        motion: "sine:amplitude=0.4g,frequency=2,direction=y",
        dt: 0.001,
        steps: 200,
        published: [f64::NAN; 2],
    },
];

/// Parameters of a structure that differ from those of its recipe: a wall of 1,000 blocks.
fn parameters(case: &Case) -> Vec<(String, String)> {
    let wall = [("length", "10.25"), ("height", "12.5")];
    let of = |(name, value): (&str, &str)| (name.to_string(), value.to_string());
    wall.into_iter().filter(|_| case.name == "wall").map(of).collect()
}

/// Both friction laws on one structure.
#[derive(Clone, Serialize)]
struct LawRow {
    structure: &'static str,
    blocks: usize,
    threads: usize,
    steps: usize,
    friction_law: &'static str,
    iterations: f64,
    mean_ms: f64,
    longest_ms: f64,
    steps_above_tolerance: usize,
    worst_residual: f64,
    worst_local_residual: f64,
    max_opening_m: f64,
    max_displacement_m: f64,
    ratio: Option<f64>,
}

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
        if self.friction_law == "coulomb" {
            return self.both_laws(listener);
        }
        let mut rows = Vec::new();
        for case in &CASES {
            if !self.has(case) || (self.cases.is_empty() && case.name == "wall") {
                continue;
            }
            let model = recipes::find(case.name)
                .and_then(|r| r.build_alone(&parameters(case)))
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

    fn has(&self, case: &Case) -> bool {
        self.cases.is_empty() || self.cases.iter().any(|c| c == case.name)
    }

    /// Both friction laws, one after the other, on the same structures.
    fn both_laws(&self, listener: &dyn Listener) -> Result<CommandReport, Failure> {
        let mut rows: Vec<LawRow> = Vec::new();
        for case in CASES.iter().filter(|case| self.has(case)) {
            let built = recipes::find(case.name).and_then(|r| r.build_alone(&parameters(case)));
            let model = built.map_err(Failure::run)?;
            for threads in self.threads.iter().map(|&n| usize::from(n)) {
                let mut associated = None;
                for law in [Friction::Associated, Friction::Coulomb] {
                    listener.progress(&format!("{}, {threads} threads, {law:?} ...", case.name));
                    let mut row = on_threads(threads, || self.law(case, &model, threads, law))??;
                    row.ratio = associated.map(|mean: f64| row.mean_ms / mean);
                    associated = Some(row.mean_ms);
                    rows.push(row);
                }
            }
        }
        Ok(CommandReport::new(
            serde_json::json!({ "rows": rows }),
            laws_text(&rows),
        ))
    }

    fn law(&self, case: &Case, model: &Model, threads: usize, friction: Friction) -> Result<LawRow, Failure> {
        let mut simulation = begun(case, model, Solver::Auto, friction)?;
        let steps = self.steps.unwrap_or(case.steps);
        let mut row = LawRow {
            structure: case.name,
            blocks: simulation.structure().free().count(),
            threads,
            steps: steps as usize,
            friction_law: match friction {
                Friction::Associated => "associated",
                Friction::Coulomb => "coulomb",
            },
            iterations: 0.0,
            mean_ms: 0.0,
            longest_ms: 0.0,
            steps_above_tolerance: 0,
            worst_residual: 0.0,
            worst_local_residual: 0.0,
            max_opening_m: 0.0,
            max_displacement_m: 0.0,
            ratio: None,
        };
        for _ in 0..steps {
            let step = simulation.step().map_err(Failure::run)?;
            let milliseconds = 1e3 * step.times.total_s();
            row.iterations += step.iterations as f64 / f64::from(steps);
            row.mean_ms += milliseconds / f64::from(steps);
            row.longest_ms = row.longest_ms.max(milliseconds);
            row.steps_above_tolerance += usize::from(step.status != Status::Solved);
            row.worst_residual = row.worst_residual.max(step.residual);
            row.worst_local_residual = row.worst_local_residual.max(step.local_residual);
            row.max_opening_m = row.max_opening_m.max(step.slip_opening);
            row.max_displacement_m = row.max_displacement_m.max(step.max_displacement);
        }
        Ok(row)
    }

    fn measure(&self, case: &Case, model: &Model, threads: usize) -> Result<Row, Failure> {
        let mut simulation = begun(case, model, Solver::Auto, Friction::Associated)?;
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
            let mut simulation = begun(case, model, solver, Friction::Associated)?;
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

fn begun(case: &Case, model: &Model, solver: Solver, friction: Friction) -> Result<Simulation, Failure> {
    let settings = SimulationSettings {
        time_step: TimeStep::Fixed(case.dt),
        solver,
        friction,
        ..SimulationSettings::default()
    };
    drystone_analysis::simulation(model, settings, &[case.motion], &[])
}

fn laws_text(rows: &[LawRow]) -> String {
    let mut text = String::from(
        "structure      blocks  threads   steps  law         iterations  mean ms  longest  above tolerance  worst residual    local  \
         opening um  moved mm  ratio\n",
    );
    for row in rows {
        text += &format!(
            "{:<14} {:>6}  {:>7}  {:>6}  {:<10}  {:>10.1}  {:>7.2}  {:>7.1}  {:>15}  {:>14.1e}  {:>7.1e}  {:>10.2}  {:>8.1}  {:>5}\n",
            row.structure,
            count(row.blocks),
            row.threads,
            row.steps,
            row.friction_law,
            row.iterations,
            row.mean_ms,
            row.longest_ms,
            row.steps_above_tolerance,
            row.worst_residual,
            row.worst_local_residual,
            1e6 * row.max_opening_m,
            1e3 * row.max_displacement_m,
            row.ratio.map_or("-".to_string(), |ratio| format!("{ratio:.2}")),
        );
    }
    text + "\nTimes are means over steps; the ratio is that of Coulomb's law to associated friction.\n"
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
