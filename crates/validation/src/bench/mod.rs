//! Measurements beside a peer on the same problem in the same run.

mod cone;
mod contact;
mod deformable;
mod dynamics;
mod explicit;
mod settle;
mod statics;
mod study;

use clap::Subcommand;

use drystone_analysis::Failure;

use crate::{CommandReport, Listener};

/// Measure speed beside a peer, on the same problem in the same run
#[derive(Subcommand)]
#[command(
    after_help = "Examples:\n  drystone bench contact\n  drystone bench cone --most 300\n  drystone bench deformable --steps 10\n  drystone bench dynamics --case stone-house\n  drystone bench explicit --case wall --threads 1,2\n  drystone bench settle --case church --most 0\n  drystone bench statics --peer python3\n  drystone bench study"
)]
pub enum Bench {
    /// Contact detection.
    Contact(contact::ContactBench),
    /// Contact solvers.
    Cone(cone::ConeBench),
    /// Blocks that deform.
    Deformable(deformable::DeformableBench),
    /// Time stepping.
    Dynamics(dynamics::DynamicsBench),
    /// Explicit time stepping.
    Explicit(explicit::ExplicitBench),
    /// Slow loading.
    Settle(settle::SettleBench),
    /// Verdicts.
    Statics(statics::StaticsBench),
    /// Studies.
    Study(study::StudyBench),
}

impl Bench {
    /// Measures.
    pub fn run(&self, listener: &dyn Listener) -> Result<CommandReport, Failure> {
        match self {
            Self::Contact(bench) => bench.run(listener),
            Self::Cone(bench) => bench.run(listener),
            Self::Deformable(bench) => bench.run(listener),
            Self::Dynamics(bench) => bench.run(listener),
            Self::Explicit(bench) => bench.run(listener),
            Self::Settle(bench) => bench.run(listener),
            Self::Statics(bench) => bench.run(listener),
            Self::Study(bench) => bench.run(listener),
        }
    }
}

/// Slope of the logarithm of `y` over that of `x` by least squares: the power with which `y` grows.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let (mx, my) = (
        logs.iter().map(|p| p.0).sum::<f64>() / n,
        logs.iter().map(|p| p.1).sum::<f64>() / n,
    );
    let (sxy, sxx) = logs.iter().fold((0.0, 0.0), |(sxy, sxx), p| {
        (sxy + (p.0 - mx) * (p.1 - my), sxx + (p.0 - mx).powi(2))
    });
    sxy / sxx
}

/// The middle one of some durations.
fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Does something on a number of threads.
fn on_threads<R: Send>(threads: usize, f: impl FnOnce() -> R + Send) -> Result<R, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    Ok(pool.map_err(Failure::run)?.install(f))
}

/// The most memory that the program has held so far, where the system tells.
fn memory_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|text| text.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    kilobytes.map_or(f64::NAN, |kb| kb / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_with_the_square_has_exponent_two() {
        let points: Vec<(f64, f64)> = [1.0, 3.0, 10.0].map(|x: f64| (x, 5.0 * x * x)).into();
        assert!((exponent(&points) - 2.0).abs() < 1e-12);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }
}
