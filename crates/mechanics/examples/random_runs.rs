//! Two hundred random runs of small structures, or those whose numbers are given. Ends with 1 if one of them ends before
//! its time, lets blocks sink into each other by more than a hundredth of the smaller one, or loses more than a hundredth
//! of its energy.

#[path = "../tests/all/common/random_runs.rs"]
mod random_runs;

use std::{process::ExitCode, time::Instant};

use random_runs::random_run;
use rayon::prelude::*;

/// Steps of a run at most.
const STEPS: f64 = 1000.0;

fn main() -> ExitCode {
    let mut numbers: Vec<u64> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    if numbers.is_empty() {
        numbers.extend(0..200);
    }
    let wrong: usize = numbers
        .par_iter()
        .map(|&number| {
            let start = Instant::now();
            let run = random_run(number, STEPS);
            let found = run.run();
            let problem = found.problem();
            let verdict = problem.as_deref().unwrap_or("ok");
            println!(
                "{}\n  {verdict}: {found:?}, {:.1} s",
                run.words,
                start.elapsed().as_secs_f64()
            );
            usize::from(problem.is_some())
        })
        .sum();
    println!("{} runs, {wrong} with a problem", numbers.len());
    ExitCode::from(u8::from(wrong > 0))
}
