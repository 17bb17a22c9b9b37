//! What the methods that factorise should reach on problems that ask much of them: exactly at the friction angle, in
//! impacts, and on random problems with masses over six powers of ten.

use crate::common::{
    G, apart,
    collapse::{collapsing, rotated},
    inclines,
    random::{Kind, random_problem},
    settings, solve, wall,
};
use drystone_cone::{BodyMotion, Friction, Solver, SolverSettings, Status, Twist};
use glam::{DQuat, DVec3, dvec3};

fn assert_stays_at_the_angle(solver: Solver) {
    for case in inclines() {
        if (case.angle.tan() - case.friction).abs() > 1e-12 {
            continue;
        }
        let solution = solve(&case.problem(), settings(solver, Friction::Associated, 1e-13));
        let v = solution.velocities[1];
        let error = (v.linear.length() + v.angular.length() * case.width) / (G * case.dt);
        assert!(error <= 1e-10, "{solver:?}: {error:.1e} for {case:?}");
    }
}

#[test]
fn a_block_exactly_at_its_friction_angle_stays_by_interior_point() {
    assert_stays_at_the_angle(Solver::Auto);
    assert_stays_at_the_angle(Solver::Interior);
}

#[test]
fn a_block_exactly_at_its_friction_angle_stays_by_semismooth_newton() {
    assert_stays_at_the_angle(Solver::Semismooth);
}

/// Solves 200 random problems and tells which are not solved.
fn assert_all_solved(solver: Solver, tolerance: f64, kind: Kind) {
    let mut failed = Vec::new();
    for k in 0..200_u64 {
        let seed = k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let settings = SolverSettings {
            tolerance,
            solver,
            ..SolverSettings::default()
        };
        let solution = solve(&random_problem(seed, kind), settings);
        if solution.status != Status::Solved {
            failed.push((k, solution.status, solution.residuals.velocity_error));
        }
    }
    let some = &failed[..failed.len().min(8)];
    assert!(
        failed.is_empty(),
        "{solver:?}: {} of 200, among them {some:?}",
        failed.len()
    );
}

const CONTACTS: Kind = Kind {
    decades: 6.0,
    links: false,
    redundant: true,
};
const LINKS: Kind = Kind {
    links: true,
    ..CONTACTS
};

#[test]
fn random_contacts_are_solved_by_interior_point_to_one_in_ten_thousand() {
    assert_all_solved(Solver::Interior, 1e-4, CONTACTS);
}

#[test]
fn random_contacts_are_solved_by_semismooth_newton_to_one_in_ten_thousand() {
    assert_all_solved(Solver::Semismooth, 1e-4, CONTACTS);
}

#[test]
fn random_contacts_and_links_are_solved_by_interior_point_to_one_in_ten_thousand() {
    assert_all_solved(Solver::Interior, 1e-4, LINKS);
}

#[test]
fn random_contacts_and_links_are_solved_by_semismooth_newton_to_one_in_ten_thousand() {
    assert_all_solved(Solver::Semismooth, 1e-4, LINKS);
}

#[test]
fn interior_point_and_semismooth_newton_find_the_same_velocities() {
    let problem = collapsing();
    let [a, b] = [Solver::Interior, Solver::Semismooth]
        .map(|solver| solve(&problem, settings(solver, Friction::Associated, 1e-13)).velocities);
    let off = apart(&problem, &a, &b);
    assert!(off <= 1e-8, "{off:.1e}");
}

/// Turned about an axis, and with contacts in another order: to 1e-9 of what contacts changed.
fn assert_invariant(solver: Solver) {
    let problem = collapsing();
    let settings = settings(solver, Friction::Associated, 1e-13);
    let found = solve(&problem, settings).velocities;
    for axis in [dvec3(0.3, -1.1, 0.7), dvec3(0.0, 0.0, 1.0), dvec3(2.0, 0.5, 0.1)] {
        let q = DQuat::from_scaled_axis(axis);
        let turned = solve(&rotated(&problem, q), settings).velocities;
        let back = |v: &Twist| Twist {
            linear: q.inverse() * v.linear,
            angular: q.inverse() * v.angular,
        };
        let back: Vec<Twist> = turned.iter().map(back).collect();
        let off = apart(&problem, &found, &back);
        assert!(off <= 1e-9, "{solver:?}, turned by {axis}: {off:.1e}");
    }
    let mut reversed = problem.clone();
    reversed.contacts.reverse();
    let off = apart(&problem, &found, &solve(&reversed, settings).velocities);
    assert!(off <= 1e-9, "{solver:?}, contacts reversed: {off:.1e}");
}

#[test]
fn neither_axes_nor_order_change_the_solution_of_interior_point() {
    assert_invariant(Solver::Interior);
}

#[test]
fn neither_axes_nor_order_change_the_solution_of_semismooth_newton() {
    assert_invariant(Solver::Semismooth);
}

#[test]
fn every_contact_three_times_is_solved_by_semismooth_newton() {
    for mut problem in [wall(3, 3, -G * DVec3::Z, 0.01, 0.6), collapsing()] {
        problem.contacts.iter_mut().for_each(|c| c.compliance = [0.0; 2]);
        problem.contacts = problem.contacts.iter().flat_map(|c| [*c; 3]).collect();
        let solution = solve(&problem, settings(Solver::Semismooth, Friction::Associated, 1e-4));
        assert_eq!(solution.status, Status::Solved, "{:?}", solution.residuals);
    }
}

#[test]
fn an_impact_of_a_wall_is_solved_by_the_methods_that_factorise() {
    // Every block flies its own way, as fast as it would after a fall of 5 cm, into its neighbours.
    for solver in [Solver::Auto, Solver::Interior, Solver::Semismooth] {
        let mut problem = wall(3, 3, DVec3::ZERO, 0.01, 0.5);
        for (k, body) in problem.bodies.iter_mut().enumerate() {
            let wave = |n: usize| (1.7 * k as f64 + 2.3 * n as f64).sin();
            if let BodyMotion::Free { free_velocity, .. } = &mut body.motion {
                free_velocity.linear = dvec3(wave(0), wave(1), wave(2));
                free_velocity.angular = 5.0 * dvec3(wave(3), wave(4), wave(5));
            }
        }
        let solution = solve(&problem, settings(solver, Friction::Associated, 1e-6));
        assert_eq!(solution.status, Status::Solved, "{solver:?} {:?}", solution.residuals);
    }
}
