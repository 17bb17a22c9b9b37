//! The steps of walls and of a building, by every solver.

use glam::DVec3;
use serde::Serialize;

use drystone_cone::{Friction, Solver, SolverSettings};
use drystone_model::{Model, recipes};

use super::{
    super::exponent,
    ConeBench, pool,
    replay::{Course, Outcome},
    structure::contacts_of,
    table::Table,
};
use drystone_analysis::{Failure, words::count};

use crate::{CommandReport, Listener};

/// Length of a step (s).
const DT: f64 = 0.002;
/// Tolerance of the reference velocities.
const FLOOR: f64 = 1e-9;
/// How much farther from the reference than a solver Clarabel may be and still be compared with it.
const EQUAL: f64 = 2.0;

/// Error above which a run that did not end well is not worth comparing.
const FAILED: f64 = 1e-2;

/// A name for a structure, its recipe, and the recipe's values.
type Case = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const STRUCTURES: [Case; 4] = [
    (
        "wall",
        "wall",
        &[("length", "20"), ("height", "10"), UNIT_LENGTH, UNIT_HEIGHT],
    ),
    (
        "wall",
        "wall",
        &[("length", "40"), ("height", "40"), UNIT_LENGTH, UNIT_HEIGHT],
    ),
    (
        "building",
        "tower",
        &[
            ("width", "14"),
            ("depth", "12"),
            ("height", "12.5"),
            ("unit-length", "0.5"),
            ("unit-height", "0.25"),
            ("wall-thickness", "0.25"),
        ],
    ),
    (
        "wall",
        "wall",
        &[("length", "70"), ("height", "74"), UNIT_LENGTH, UNIT_HEIGHT],
    ),
];
const UNIT_LENGTH: (&str, &str) = ("unit-length", "1");
const UNIT_HEIGHT: (&str, &str) = ("unit-height", "1");

#[derive(Serialize)]
struct Row {
    structure: &'static str,
    blocks: usize,
    contacts: usize,
    acceleration_g: f64,
    solver: &'static str,
    chosen: &'static str,
    tolerance: f64,
    threads: u16,
    steps: usize,
    solved_steps: usize,
    iterations: f64,
    time_ms: f64,
    velocity_error: f64,
    worst_velocity_error: f64,
    velocity_error_estimate: f64,
    natural_map: f64,
    reference_error: f64,
    clarabel_ratio: Option<f64>,
    clarabel_tolerance: Option<f64>,
    clarabel_ratio_is_lower_bound: Option<bool>,
}

pub(super) fn run(bench: &ConeBench, listener: &dyn Listener) -> Result<CommandReport, Failure> {
    let mut rows = Vec::new();
    let table = table();
    for (structure, recipe, values) in STRUCTURES {
        let values: Vec<(String, String)> = values.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        let model = recipes::find(recipe)
            .and_then(|r| r.build_alone(&values))
            .map_err(Failure::run)?;
        if model.free_blocks().count() <= bench.most {
            if rows.is_empty() {
                listener.line(&table.head())?;
            }
            for &acceleration in &bench.accelerations {
                rows.extend(measure(bench, listener, &table, structure, &model, acceleration)?);
            }
        }
    }
    if rows.is_empty() {
        return Err(Failure::input(format!(
            "--most {} leaves out every structure; the smallest has 205 free blocks",
            bench.most
        )));
    }
    let growth = growth(bench, &rows);
    let exponents: serde_json::Map<_, _> = growth.iter().map(|(name, e)| (name.clone(), (*e).into())).collect();
    let result = serde_json::json!({ "rows": rows, "growth_exponents": exponents });
    Ok(CommandReport::new(result, notes(&growth)))
}

/// All solvers on one case, each printed when it is done.
fn measure(
    bench: &ConeBench,
    listener: &dyn Listener,
    table: &Table,
    structure: &'static str,
    model: &Model,
    acceleration_g: f64,
) -> Result<Vec<Row>, Failure> {
    let blocks = model.free_blocks().count();
    let blocks_at_rest = drystone_mechanics::Structure::new(model).map_err(Failure::run)?;
    let problem = blocks_at_rest.problem_at_rest(&contacts_of(model).map_err(Failure::run)?, DT);
    let contacts = problem.contacts.len();
    let progress = |what: &str| {
        listener.progress(&format!(
            "{structure}, {} blocks, {acceleration_g} g: {what} ...",
            count(blocks)
        ));
    };
    let most_threads = bench.threads.iter().copied().max().unwrap_or(1);
    let acceleration = model.gravity + DVec3::X * (acceleration_g * model.gravity.length());
    let settings = |solver: Solver, tolerance: f64| SolverSettings {
        solver,
        friction: Friction::Associated,
        tolerance,
        ..SolverSettings::default()
    };
    progress("reference");
    let floor = settings(bench.reference, FLOOR);
    let course = pool(most_threads)?
        .install(|| Course::lay(problem, acceleration, bench.steps, floor))
        .map_err(Failure::run)?;
    let usual = SolverSettings::default().tolerance;
    // A NaN is no good reference either.
    if course.reference_error.is_nan() || course.reference_error > usual {
        listener.warn(&format!(
            "{structure}, {} blocks, {acceleration_g} g: the velocities of the reference may be off by {:.1e}; smaller \
             errors mean nothing",
            count(blocks),
            course.reference_error
        ));
    }
    let row = |solver: Solver, tolerance: f64, threads: u16, o: Outcome| Row {
        structure,
        blocks,
        contacts,
        acceleration_g,
        solver: solver.name(),
        chosen: o.chosen.name(),
        tolerance,
        threads,
        steps: o.steps,
        solved_steps: o.solved,
        iterations: o.iterations,
        time_ms: o.time_ms,
        velocity_error: o.velocity_error,
        worst_velocity_error: o.worst_velocity_error,
        velocity_error_estimate: o.velocity_error_estimate,
        natural_map: o.natural_map,
        reference_error: course.reference_error,
        clarabel_ratio: None,
        clarabel_tolerance: None,
        clarabel_ratio_is_lower_bound: None,
    };
    let mut rows: Vec<Row> = Vec::new();
    for (solver, tolerance, threads, most) in runs(bench, usual) {
        progress(&format!("{} at {tolerance:e}, threads {threads}", solver.name()));
        let chosen = SolverSettings {
            max_iterations: most,
            ..settings(solver, tolerance)
        };
        let outcome = pool(threads)?.install(|| course.run(chosen, bench.patience));
        let mut row = row(solver, tolerance, threads, outcome.map_err(Failure::run)?);
        compare(&mut row, &rows);
        listener.line(&table.line(&cells(&row)))?;
        rows.push(row);
    }
    Ok(rows)
}

/// Every run of a case: solver, tolerance, threads, limit on iterations. Clarabel factorises on one thread; it comes first,
/// because others are compared with it.
fn runs(bench: &ConeBench, usual: f64) -> Vec<(Solver, f64, u16, Option<usize>)> {
    let mut runs = Vec::new();
    runs.extend(
        bench
            .clarabel_tolerances
            .iter()
            .map(|&t| (Solver::Clarabel, t, 1, None)),
    );
    for solver in [Solver::Auto, Solver::Interior, Solver::Semismooth] {
        runs.extend(bench.threads.iter().map(|&threads| (solver, usual, threads, None)));
    }
    let first = bench.threads.first().copied().unwrap_or(1);
    if bench.first_order {
        let most = Some(bench.first_order_iterations as usize);
        runs.extend([Solver::Apgd, Solver::Spg, Solver::Nlgs].map(|solver| (solver, usual, first, most)));
    }
    runs
}

/// Compares a solver with the runs of Clarabel among those before it, unless it failed.
fn compare(row: &mut Row, before: &[Row]) {
    let clarabel = Solver::Clarabel.name();
    let failed = 2 * row.solved_steps < row.steps && row.velocity_error > FAILED;
    if row.solver == clarabel || failed {
        return;
    }
    let peers = || {
        before
            .iter()
            .filter(|r| r.solver == clarabel && r.velocity_error.is_finite())
    };
    let equal = peers().filter(|p| p.velocity_error <= EQUAL * row.velocity_error);
    let fastest = equal.min_by(|a, b| a.time_ms.total_cmp(&b.time_ms));
    let closest = || peers().min_by(|a, b| a.velocity_error.total_cmp(&b.velocity_error));
    if let Some(peer) = fastest.or_else(closest) {
        row.clarabel_ratio = Some(peer.time_ms / row.time_ms);
        row.clarabel_tolerance = Some(peer.tolerance);
        row.clarabel_ratio_is_lower_bound = Some(fastest.is_none());
    }
}

/// Powers with which the time of the default solver grows with the blocks of the walls.
fn growth(bench: &ConeBench, rows: &[Row]) -> Vec<(String, f64)> {
    let mut growth = Vec::new();
    for &acceleration in &bench.accelerations {
        for &threads in &bench.threads {
            let of_case = |r: &&Row| {
                r.structure == "wall"
                    && r.solver == Solver::Auto.name()
                    && (r.threads, r.acceleration_g) == (threads, acceleration)
            };
            let points = rows.iter().filter(of_case).map(|r| (r.blocks as f64, r.time_ms));
            let points: Vec<(f64, f64)> = points.collect();
            if points.len() > 1 {
                growth.push((format!("{acceleration}_g_{threads}_threads"), exponent(&points)));
            }
        }
    }
    growth
}

/// Columns as wide as the largest structure and times of days need.
fn table() -> Table {
    Table::new([
        ("<structure", 0),
        (">blocks", 0),
        (">contacts", 0),
        (">g", 4),
        ("<solver", 10),
        ("<chosen", 10),
        (">tolerance", 0),
        (">threads", 0),
        (">steps", 0),
        (">solved", 0),
        (">iterations", 0),
        (">time ms", 10),
        (">error", 7),
        (">worst", 7),
        (">estimate", 0),
        (">natural map", 0),
        (">Clarabel/this", 0),
    ])
}

fn cells(r: &Row) -> Vec<String> {
    let bound = if r.clarabel_ratio_is_lower_bound == Some(true) {
        "> "
    } else {
        ""
    };
    vec![
        r.structure.to_string(),
        count(r.blocks),
        count(r.contacts),
        r.acceleration_g.to_string(),
        r.solver.to_string(),
        r.chosen.to_string(),
        format!("{:.0e}", r.tolerance),
        r.threads.to_string(),
        r.steps.to_string(),
        r.solved_steps.to_string(),
        format!("{:.0}", r.iterations),
        format!("{:.2}", r.time_ms),
        format!("{:.1e}", r.velocity_error),
        format!("{:.1e}", r.worst_velocity_error),
        format!("{:.1e}", r.velocity_error_estimate),
        format!("{:.1e}", r.natural_map),
        r.clarabel_ratio.map_or("-".to_string(), |x| format!("{bound}{x:.2}")),
    ]
}

/// What is told below the rows.
fn notes(growth: &[(String, f64)]) -> String {
    let mut text =
        "\nTimes and errors of velocities are medians over the steps; the natural map is the worst.\n".to_string();
    if !growth.is_empty() {
        text.push_str("\ntime of the default solver grows with the blocks of the walls to the power of\n");
        for (name, exponent) in growth {
            text.push_str(&format!("  {:<18} {exponent:.2}\n", name.replace('_', " ")));
        }
    }
    text
}
