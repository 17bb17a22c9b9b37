//! `drystone bench cone`: contact problems from files, or the steps of whole structures.

mod cases;
mod external;
mod replay;
mod structure;
mod table;

use std::path::PathBuf;

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};

use drystone_cone::Solver;

use drystone_analysis::Failure;

use crate::{CommandReport, Listener};

/// Solvers of the frictional contact problem on structures of 205 to 5,217 blocks, beside Clarabel; or on files
///
/// Without --problem: walls and a building of four walls start from rest under gravity and a horizontal acceleration,
/// in steps of 2 ms, with associated friction. Contacts are found once, at the start; later only their gaps change. A
/// first run with a tight tolerance fixes the problem of each step and its reference velocities. Every solver then gets
/// these same problems, and starts each from the impulses that it found for the one before. Our own solvers run at the
/// default tolerance.
///
/// Times are medians over the steps, from the problem as stated to the checked solution. `error` is the distance of the
/// velocities from the reference, weighted by mass and relative to the velocity that the impulses cause (the median;
/// `worst` is the largest); `estimate` is what the check says of it without knowing the reference. `solved` counts the
/// steps that met the tolerance. A solver that would need more than --patience for all steps solves a few of them,
/// spread evenly (column `steps`).
///
/// `Clarabel/this` (`clarabel_ratio` in JSON) tells how many times longer Clarabel takes. Clarabel runs at several
/// tolerances; a solver is compared with the fastest of these runs whose error is at most twice its own. Where there is
/// none, it is compared with the most accurate run, and the ratio, marked `>`, is a lower bound.
///
/// With --problem: each problem is solved once with Coulomb friction, from zero impulses, with as many threads as
/// --threads names first. The time is that of the solve and its check, without reading the file. Where
/// results of Siconos for a problem are known, the table shows them beside ours.
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone bench cone --most 2000
  drystone bench cone --problem wall.fc3d --solution impulses.txt
  drystone bench cone --problem folder-of-problems --solver nlgs --tolerance 1e-6")]
pub struct ConeBench {
    /// Solve this `.fc3d` file, or all such files of this folder, instead of the structures
    #[arg(long, value_name = "PATH")]
    problem: Option<PathBuf>,
    /// Write the impulses of --problem (one file) here: on each line normal, tangent 1 and tangent 2 of a contact
    #[arg(long, value_name = "FILE", requires = "problem")]
    solution: Option<PathBuf>,
    /// Solver for --problem
    #[arg(long, default_value = "auto", value_parser = solvers(), requires = "problem")]
    solver: Solver,
    /// Natural-map residual (relative to the free velocities) at which --problem counts as solved
    #[arg(long, default_value_t = 1e-8, value_parser = tolerance)]
    tolerance: f64,
    /// Leave out structures with more free blocks than this
    #[arg(long, default_value_t = 60_000)]
    most: usize,
    /// Steps of 2 ms for each structure and acceleration
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    steps: u32,
    /// Horizontal accelerations of the structures, as fractions of gravity
    #[arg(long, value_delimiter = ',', default_value = "0.1,0.3,0.6", value_parser = acceleration)]
    accelerations: Vec<f64>,
    /// Also measure the solvers that factorise nothing: apgd, spg and nlgs
    #[arg(long)]
    first_order: bool,
    /// Iterations after which apgd, spg and nlgs stop (with --first-order)
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..))]
    first_order_iterations: u32,
    /// Numbers of threads to measure with; Clarabel always runs on one, and --problem and --first-order on the first
    #[arg(long, value_delimiter = ',', default_value = "1,2", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Vec<u16>,
    /// Tolerances that Clarabel runs at on the structures
    #[arg(long, value_delimiter = ',', default_value = "1e-3,1e-6", value_parser = tolerance)]
    clarabel_tolerances: Vec<f64>,
    /// Solver that finds the reference velocities
    #[arg(long, default_value = "auto", value_parser = solvers())]
    reference: Solver,
    /// Seconds that a solver may take for the steps of a structure at one acceleration; if it needs more, it solves a few
    #[arg(long, default_value_t = 30.0, value_parser = tolerance)]
    patience: f64,
}

impl ConeBench {
    pub(crate) fn run(&self, listener: &dyn Listener) -> Result<CommandReport, Failure> {
        match &self.problem {
            Some(path) => external::run(self, path, listener),
            None => cases::run(self, listener),
        }
    }
}

/// Solvers by the names of their registry.
fn solvers() -> impl TypedValueParser<Value = Solver> {
    PossibleValuesParser::new(Solver::ALL.iter().map(|solver| solver.name())).try_map(|name| name.parse())
}

fn tolerance(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_string())?;
    if value >= 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err("must be a finite number, zero or more".to_string())
    }
}

fn acceleration(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_string())?;
    if value.abs() <= 100.0 {
        Ok(value)
    } else {
        Err("must be from -100 to 100".to_string())
    }
}

/// A pool of so many threads, for [`rayon::ThreadPool::install`].
fn pool(threads: u16) -> Result<rayon::ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(usize::from(threads))
        .build()
        .map_err(Failure::run)
}
