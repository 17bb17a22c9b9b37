//! A block on an incline stays up to the friction angle and slides beyond it, whatever its size, its density and the
//! length of the step.

use crate::common::{G, Incline, inclines, settings, solve};
use drystone_cone::{Friction, Solution, Solver};

/// More than the residual can tell by which methods stop: they go on until they get no further.
const TOLERANCE: f64 = 1e-13;

fn at_the_angle(case: &Incline) -> bool {
    (case.angle.tan() - case.friction).abs() < 1e-12
}

/// Velocity of the corners beyond the closed form, relative to g dt.
fn error(case: &Incline, solution: &Solution, friction: Friction) -> f64 {
    let v = solution.velocities[1];
    let turning = v.angular.length() * case.width;
    ((v.linear - case.velocity(friction)).length() + turning) / (G * case.dt)
}

fn assert_closed_form(solver: Solver, friction: Friction, tolerance: f64, which: impl Fn(&Incline) -> bool) {
    for case in inclines().into_iter().filter(which) {
        let solution = solve(&case.problem(), settings(solver, friction, TOLERANCE));
        let error = error(&case, &solution, friction);
        assert!(error <= tolerance, "{solver:?} {friction:?}: {error:.1e} for {case:?}");
    }
}

#[test]
fn below_the_friction_angle_a_block_stays_and_above_it_slides_and_lifts_by_associated_friction() {
    for solver in [
        Solver::Auto,
        Solver::Interior,
        Solver::Semismooth,
        Solver::Nlgs,
        Solver::Spg,
        Solver::Apgd,
    ] {
        assert_closed_form(solver, Friction::Associated, 1e-10, |case| !at_the_angle(case));
    }
}

#[test]
fn below_the_friction_angle_a_block_stays_and_above_it_slides_by_coulombs_law() {
    for solver in [Solver::Nlgs, Solver::Apgd] {
        assert_closed_form(solver, Friction::Coulomb, 1e-10, |case| !at_the_angle(case));
    }
    // Where friction is 1.5 the fixed point creeps: the limit on iterations ends it at 2e-9.
    assert_closed_form(Solver::Spg, Friction::Coulomb, 1e-8, |case| !at_the_angle(case));
    assert_closed_form(Solver::Spg, Friction::Coulomb, 1e-10, |case| {
        !at_the_angle(case) && case.friction < 1.0
    });
}

#[test]
fn at_the_friction_angle_a_block_stays() {
    for friction in [Friction::Associated, Friction::Coulomb] {
        for solver in [Solver::Spg, Solver::Apgd] {
            assert_closed_form(solver, friction, 1e-10, at_the_angle);
        }
    }
}

#[test]
fn clarabel_finds_the_velocity_to_the_root_of_its_gap() {
    // It stops at a relative gap of 1e-13, and the square of the relative error of the velocities is at most the gap.
    let tolerance = 1e-13_f64.sqrt();
    for friction in [Friction::Associated, Friction::Coulomb] {
        assert_closed_form(Solver::Clarabel, friction, tolerance, |_| true);
    }
}

#[test]
fn at_the_friction_angle_velocities_are_as_good_as_the_residuals_say() {
    // Nothing is strict there: velocities are zero and impulses on the edge of their cones. Gauss-Seidel then gains like
    // one over its sweeps. The velocity that impulses cause is g dt.
    for case in inclines().into_iter().filter(at_the_angle) {
        for solver in [
            Solver::Nlgs,
            Solver::Interior,
            Solver::Semismooth,
            Solver::Auto,
            Solver::Clarabel,
        ] {
            let solution = solve(&case.problem(), settings(solver, Friction::Associated, 1e-6));
            let (error, told) = (
                error(&case, &solution, Friction::Associated),
                solution.residuals.velocity_error,
            );
            assert!(error <= told, "{solver:?}: {error:.1e}, not {told:.1e} for {case:?}");
        }
    }
}

#[test]
fn the_plane_carries_the_weight_of_a_block_that_stays() {
    for case in inclines().into_iter().filter(|case| case.angle.tan() < case.friction) {
        for solver in [
            Solver::Auto,
            Solver::Semismooth,
            Solver::Nlgs,
            Solver::Spg,
            Solver::Apgd,
            Solver::Clarabel,
        ] {
            let solution = solve(&case.problem(), settings(solver, Friction::Associated, 1e-6));
            let sum: glam::DVec3 = solution.impulses.iter().sum();
            let weight = case.mass() * G * case.dt * glam::DVec3::Z;
            let off = (sum - weight).length() / weight.length();
            assert!(off <= 1e-6, "{solver:?}: {off:.1e} of the weight for {case:?}");
        }
    }
}
