//! Contact problems that others collected, solved from files.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

use serde::Serialize;

use drystone_cone::{DelassusProblem, Engine, Friction, Solution, SolverSettings, SolverStage, fc3d};
use drystone_output::file::write_atomically;

use super::{ConeBench, pool, table::Table};
use drystone_analysis::Failure;

use crate::{CommandReport, Listener};

/// What Siconos 4.4.0 reaches on one thread from zero impulses with a tolerance of 1e-8: of its Gauss-Seidel, ADMM,
/// proximal point and Newton methods the fastest with a residual of 1e-8 or less, else the most accurate. Residuals
/// that are not scaled are of W as it stands.
struct Published {
    file: &'static str,
    method: &'static str,
    residual: f64,
    scaled: bool,
    seconds: f64,
}

const fn published(file: &'static str, method: &'static str, residual: f64, scaled: bool, seconds: f64) -> Published {
    Published {
        file,
        method,
        residual,
        scaled,
        seconds,
    }
}

const SICONOS: [Published; 10] = [
    published("boxes_stack_52", "proximal point", 1e-9, false, 0.09),
    published("kaplas_tower_570", "ADMM", 2e-9, false, 0.02),
    published("periobox_60", "Newton", 7e-11, true, 0.12),
    published("capsules_286", "proximal point", 5e-9, false, 0.03),
    published("confetti_107", "Gauss-Seidel", 1e-9, true, 0.001),
    published("bridge_step001_108", "ADMM", 2e-8, true, 0.04),
    published("bridge_step100_106", "proximal point", 9e-8, true, 0.08),
    published("bridge_step600_74", "proximal point", 2e-10, true, 0.04),
    published("running_bond_300", "Gauss-Seidel", 2e-5, true, 5.4),
    published("wall_1108", "Gauss-Seidel", 2e-5, true, 4.7),
];

#[derive(Serialize)]
struct Row {
    problem: String,
    contacts: usize,
    residual_natural_map: f64,
    iterations: usize,
    time_ms: f64,
    solver: &'static str,
    status: &'static str,
    stages: Vec<StageRow>,
    tolerance: f64,
    threads: u16,
    siconos_solver: Option<&'static str>,
    siconos_residual: Option<f64>,
    siconos_residual_scaled: Option<bool>,
    siconos_time_ms: Option<f64>,
}

/// A stage of the solve.
#[derive(Serialize)]
struct StageRow {
    stage: &'static str,
    outcome: &'static str,
    residual: Option<f64>,
    iterations: usize,
}

impl From<&SolverStage> for StageRow {
    fn from(stage: &SolverStage) -> Self {
        Self {
            stage: stage.kind.name(),
            outcome: stage.outcome.name(),
            residual: stage.residual.filter(|r| r.is_finite()),
            iterations: stage.iterations,
        }
    }
}

pub(super) fn run(bench: &ConeBench, path: &Path, listener: &dyn Listener) -> Result<CommandReport, Failure> {
    let files = files(path)?;
    if bench.solution.is_some() && files.len() > 1 {
        return Err(
            Failure::input("--solution holds the impulses of one problem, and --problem is a folder")
                .help("name one file of the folder"),
        );
    }
    let threads = bench.threads.first().copied().unwrap_or(1);
    let pool = pool(threads)?;
    let mut rows = Vec::new();
    let stem = |file: &PathBuf| {
        file.file_stem()
            .map_or_else(String::new, |s| s.to_string_lossy().to_string())
    };
    let longest = files.iter().map(|file| stem(file).chars().count()).max();
    let table = table(longest.unwrap_or(0));
    for file in files {
        let problem = fc3d::read(&file).map_err(Failure::input)?;
        let stem = stem(&file);
        listener.progress(&format!("{stem}, {} contacts ...", problem.q.len()));
        let solution = pool.install(|| solve(bench, &problem))?;
        if let Some(output) = &bench.solution {
            write_atomically(output, print(&solution).as_bytes()).map_err(Failure::run)?;
        }
        let row = row(bench, stem, threads, &solution);
        if rows.is_empty() {
            listener.line(&table.head())?;
        }
        listener.line(&table.line(&cells(&row)))?;
        rows.push(row);
    }
    Ok(CommandReport::new(serde_json::json!({ "rows": rows }), notes(&rows)))
}

/// The file itself, or the problems in the folder, by name.
fn files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let told = |error: std::io::Error| Failure::input(format!("cannot read `{}`: {error}", path.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(told)? {
        files.push(entry.map_err(told)?.path());
    }
    files.retain(|file| file.extension().is_some_and(|e| e == "fc3d"));
    files.sort();
    if files.is_empty() {
        return Err(Failure::input(format!("`{}` holds no `.fc3d` file", path.display())));
    }
    Ok(files)
}

fn solve(bench: &ConeBench, problem: &DelassusProblem) -> Result<Solution, Failure> {
    let mut engine = Engine::new(SolverSettings {
        solver: bench.solver,
        friction: Friction::Coulomb,
        tolerance: bench.tolerance,
        ..SolverSettings::default()
    });
    engine.solve_delassus(problem).map_err(Failure::input)?;
    Ok(engine.solution().clone())
}

/// The impulses, three numbers a line, with all their digits.
fn print(solution: &Solution) -> String {
    let mut text = String::new();
    for r in &solution.impulses {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:.16e} {:.16e} {:.16e}", r.x, r.y, r.z);
    }
    text
}

fn row(bench: &ConeBench, problem: String, threads: u16, solution: &Solution) -> Row {
    let siconos = SICONOS.iter().find(|s| s.file == problem);
    Row {
        problem,
        contacts: solution.impulses.len(),
        residual_natural_map: solution.residuals.natural_map,
        iterations: solution.iterations,
        time_ms: 1e3 * solution.times.total_s,
        solver: solution.solver.name(),
        status: solution.status.name(),
        stages: solution.stages.iter().map(StageRow::from).collect(),
        tolerance: bench.tolerance,
        threads,
        siconos_solver: siconos.map(|s| s.method),
        siconos_residual: siconos.map(|s| s.residual),
        siconos_residual_scaled: siconos.map(|s| s.scaled),
        siconos_time_ms: siconos.map(|s| 1e3 * s.seconds),
    }
}

/// Columns; the first as wide as the longest name.
fn table(longest: usize) -> Table {
    Table::new([
        ("<problem", longest),
        (">contacts", 0),
        ("<solver", 10),
        ("<status", 15),
        (">iterations", 0),
        (">residual", 0),
        (">time ms", 10),
        ("<Siconos by", 14),
        (">residual", 0),
        (">time ms", 0),
    ])
}

fn cells(r: &Row) -> Vec<String> {
    let mark = match r.siconos_residual_scaled {
        Some(false) => " +",
        _ => "  ",
    };
    vec![
        r.problem.clone(),
        r.contacts.to_string(),
        r.solver.to_string(),
        r.status.to_string(),
        r.iterations.to_string(),
        format!("{:.1e}", r.residual_natural_map),
        format!("{:.1}", r.time_ms),
        r.siconos_solver.unwrap_or("-").to_string(),
        r.siconos_residual.map_or("-".to_string(), |x| format!("{x:.0e}{mark}")),
        r.siconos_time_ms.map_or("-".to_string(), |x| format!("{x:.0}")),
    ]
}

/// What is told below the rows.
fn notes(rows: &[Row]) -> String {
    if rows.iter().any(|r| r.siconos_residual_scaled == Some(false)) {
        "\n+ published for W as it stands, not scaled to a mean diagonal of one as ours are\n".to_string()
    } else {
        String::new()
    }
}
