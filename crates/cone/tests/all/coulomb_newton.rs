//! Coulomb friction by the methods that factorise: a block on an incline, and a wall against methods that do not.

use crate::common::{G, apart, inclines, settings, solve, wall};
use drystone_cone::{Friction, Solver, Status};
use glam::dvec3;

const SOLVERS: [Solver; 3] = [Solver::Auto, Solver::Interior, Solver::Semismooth];

#[test]
fn a_block_on_an_incline_stays_up_to_the_friction_angle_and_slides_beyond_it() {
    for solver in SOLVERS {
        for case in inclines() {
            // At the angle velocities are only as good as the root of what can be told of impulses.
            let exact = (case.angle.tan() - case.friction).abs() < 1e-12;
            let tolerance = if exact { 1e-7 } else { 1e-10 };
            let solution = solve(&case.problem(), settings(solver, Friction::Coulomb, 1e-12));
            let v = solution.velocities[1];
            let turning = v.angular.length() * case.width;
            let error = ((v.linear - case.velocity(Friction::Coulomb)).length() + turning) / (G * case.dt);
            assert!(error <= tolerance, "{solver:?}: {error:.1e} for {case:?}");
        }
    }
}

#[test]
fn a_wall_that_slides_and_leans_moves_as_gauss_seidel_says() {
    // Coulomb's problem may have several solutions; two blocks and one way to go leave one.
    let problem = wall(2, 1, dvec3(0.5 * G, 0.1 * G, -G), 0.01, 0.3);
    let reference = solve(&problem, settings(Solver::Nlgs, Friction::Coulomb, 1e-10));
    assert_eq!(reference.status, Status::Solved);
    for solver in SOLVERS {
        let solution = solve(&problem, settings(solver, Friction::Coulomb, 1e-8));
        assert_eq!(solution.status, Status::Solved, "{solver:?} {:?}", solution.residuals);
        let apart = apart(&problem, &reference.velocities, &solution.velocities);
        assert!(apart < 1e-6, "{solver:?}: {apart:.1e}");
    }
}

#[test]
fn a_standing_wall_stands() {
    let problem = wall(4, 4, dvec3(0.0, 0.0, -G), 0.01, 0.6);
    for solver in SOLVERS {
        let solution = solve(&problem, settings(solver, Friction::Coulomb, 1e-8));
        assert_eq!(solution.status, Status::Solved, "{solver:?} {:?}", solution.residuals);
        let fastest = solution
            .velocities
            .iter()
            .map(|v| v.linear.length())
            .fold(0.0, f64::max);
        assert!(fastest <= 1e-6 * G * 0.01, "{solver:?}: {fastest:.1e}");
    }
}
