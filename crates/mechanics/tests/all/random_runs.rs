//! Random runs of small structures: none ends before its time, none lets blocks sink into each other, and the energy adds
//! up. `cargo run --release -p drystone-mechanics --example random_runs` does 200 longer ones.

#[path = "common/random_runs.rs"]
mod runs;

use runs::random_run;

#[test]
fn random_runs_end_by_themselves_without_overlap_and_with_their_energy_accounted_for() {
    let mut wrong = Vec::new();
    for number in 0..34 {
        // Backward Euler is off by a part of one over the number of steps.
        let run = random_run(number, 240.0);
        let found = run.run();
        if let Some(problem) = found.problem() {
            wrong.push(format!("{}\n  {problem}: {found:?}", run.words));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
