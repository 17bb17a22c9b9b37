//! What a solution tells of the way to it: the method that gave it, and what was tried before.

use crate::{
    common::{G, incline_block, settings, solve, wall},
    laws::crushed,
};
use drystone_cone::{Friction, Solver, SolverSettings, SolverStageKind, SolverStageOutcome, Status};
use glam::dvec3;

#[test]
fn every_solver_is_found_by_its_name() {
    for &solver in Solver::ALL {
        assert_eq!(solver.name().parse(), Ok(solver));
    }
    assert!("gauss".parse::<Solver>().unwrap_err().contains("nlgs"));
}

#[test]
fn a_block_that_slides_takes_one_stage_of_the_method_that_auto_chose() {
    let solution = solve(
        &incline_block(0.6, 0.3, 0.01),
        settings(Solver::Auto, Friction::Associated, 1e-6),
    );
    assert_eq!((solution.status, solution.solver), (Status::Solved, Solver::Interior));
    let [stage] = solution.stages[..] else {
        panic!("{:?}", solution.stages)
    };
    assert_eq!(stage.kind, SolverStageKind::Method(Solver::Interior));
    assert_eq!(stage.outcome, SolverStageOutcome::Solved);
    assert!(stage.residual.unwrap() <= 1e-6);
    assert_eq!(stage.iterations, solution.iterations);
}

#[test]
fn a_limit_on_iterations_is_told_by_the_stage_that_reached_it() {
    let settings = SolverSettings {
        max_iterations: Some(1),
        ..settings(Solver::Interior, Friction::Associated, 1e-8)
    };
    let solution = solve(&wall(4, 4, dvec3(0.3 * G, 0.0, -G), 0.01, 0.4), settings);
    let last = solution.stages.last().unwrap();
    assert_eq!(
        last.outcome,
        SolverStageOutcome::IterationLimit,
        "{:?}",
        &solution.stages[..]
    );
}

/// With so few iterations the fixed point cannot end below such a tolerance: Newton's method on the natural map goes on.
#[test]
fn polishing_is_a_stage_of_its_own() {
    let problem = wall(5, 4, dvec3(0.6 * G, 0.1 * G, -G), 0.01, 0.4);
    let settings = SolverSettings {
        max_iterations: Some(20),
        ..settings(Solver::Interior, Friction::Coulomb, 1e-14)
    };
    let solution = solve(&problem, settings);
    let kinds: Vec<SolverStageKind> = solution.stages.iter().map(|s| s.kind).collect();
    assert_eq!(
        kinds[..2],
        [SolverStageKind::Method(Solver::Interior), SolverStageKind::Polish],
        "{kinds:?}"
    );
}

/// No velocities keep a block out of walls that close on it: the semismooth method gets nowhere, and the interior-point
/// method, which can tell, replaces it.
#[test]
fn the_fallback_is_named_as_the_method_that_answered() {
    let solution = solve(&crushed(), settings(Solver::Semismooth, Friction::Associated, 1e-6));
    let kinds: Vec<SolverStageKind> = solution.stages.iter().map(|s| s.kind).collect();
    assert_eq!(
        kinds[..2],
        [Solver::Semismooth, Solver::Interior].map(SolverStageKind::Method),
        "{kinds:?}"
    );
    assert_eq!(
        (solution.status, solution.solver),
        (Status::Infeasible, Solver::Interior)
    );
}
