//! Random problems, solved by our methods that factorise and by Clarabel: the velocities are unique, so they agree.

use crate::common::{
    apart,
    random::{Kind, random_problem},
    settings, solve,
};
use drystone_cone::{Friction, Problem, Solution, Solver, Status};
use glam::DVec3;
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};

/// The same cases in every run; a smaller seed is no simpler problem.
fn config(cases: u32) -> Config {
    Config {
        cases,
        rng_seed: RngSeed::Fixed(1),
        max_shrink_iters: 0,
        failure_persistence: None,
        ..Config::default()
    }
}

fn peer(problem: &Problem) -> Solution {
    solve(problem, settings(Solver::Clarabel, Friction::Associated, 1e-7))
}

/// Both errors are relative to the velocity that impulses cause: where neither is large, they add.
fn agree(problem: &Problem, ours: &Solution, peer: &Solution) -> Result<(), TestCaseError> {
    if peer.impulses.iter().all(|r| *r == DVec3::ZERO) && peer.link_impulses.iter().all(|r| *r == 0.0) {
        prop_assert_eq!(&ours.velocities, &peer.velocities);
        return Ok(());
    }
    let promised = ours.residuals.velocity_error + peer.residuals.velocity_error;
    if promised <= 0.01 {
        let apart = apart(problem, &ours.velocities, &peer.velocities);
        prop_assert!(
            apart <= 1.01 * promised,
            "{:.1e} apart, {:.1e} promised",
            apart,
            promised
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(192))]

    #[test]
    fn interior_point_finds_the_velocities_that_clarabel_finds(
        seed: u64, decades in 0.0..6.0, links: bool, redundant: bool
    ) {
        let problem = random_problem(seed, Kind { decades, links, redundant });
        let ours = solve(&problem, settings(Solver::Interior, Friction::Associated, 1e-6));
        agree(&problem, &ours, &peer(&problem))?;
    }

    #[test]
    fn semismooth_newton_finds_the_velocities_that_clarabel_finds(
        seed: u64, decades in 0.0..6.0, links: bool, redundant: bool
    ) {
        let problem = random_problem(seed, Kind { decades, links, redundant });
        let ours = solve(&problem, settings(Solver::Semismooth, Friction::Associated, 1e-6));
        agree(&problem, &ours, &peer(&problem))?;
    }

    #[test]
    fn contacts_alone_are_solved_to_one_in_ten_thousand(seed: u64, decades in 0.0..6.0, redundant: bool) {
        let problem = random_problem(seed, Kind { decades, links: false, redundant });
        for solver in [Solver::Auto, Solver::Interior] {
            let ours = solve(&problem, settings(solver, Friction::Associated, 1e-4));
            prop_assert_eq!(ours.status, Status::Solved, "{:?}", ours.residuals);
            agree(&problem, &ours, &peer(&problem))?;
        }
    }
}
