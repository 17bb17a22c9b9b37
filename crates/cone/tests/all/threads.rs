//! The number of threads changes how long a solution takes and not one bit of what it is; nor does what the engine solved
//! before, if that had the same graph.

use crate::common::{G, settings, wall};
use drystone_cone::{Engine, Friction, Problem, Solution, Solver, SolverSettings};
use glam::dvec3;

const DT: f64 = 0.01;

/// A wall large enough for every loop to be shared: more than 6000 contacts.
fn large() -> Problem {
    let problem = wall(24, 24, dvec3(0.25 * G, 0.02 * G, -G), DT, 0.5);
    assert!(problem.contacts.len() > 6000, "{}", problem.contacts.len());
    problem
}

fn on(threads: usize, problem: &Problem, settings: SolverSettings) -> Solution {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| Engine::new(settings).solve(problem).unwrap().clone())
}

/// Every number of the result but the times.
fn assert_same_bits(a: &Solution, b: &Solution, what: &str) {
    let bits = |s: &Solution| -> Vec<u64> {
        let vectors = s.impulses.iter().chain(&s.relative_velocities).chain(&s.elastic_slip);
        let twists = s.velocities.iter().flat_map(|v| [v.linear, v.angular]);
        let r = &s.residuals;
        let figures = [
            r.equilibrium,
            r.cone,
            r.complementarity,
            r.natural_map,
            r.velocity_error,
        ];
        let numbers = vectors.copied().chain(twists).flat_map(|v| v.to_array());
        let numbers = numbers.chain(s.link_impulses.iter().copied()).chain(figures);
        numbers.map(f64::to_bits).collect()
    };
    assert_eq!(
        (a.status, a.solver, a.iterations),
        (b.status, b.solver, b.iterations),
        "{what}"
    );
    assert!(bits(a) == bits(b), "{what}: bits differ");
}

fn assert_for_any_threads(solver: Solver, friction: Friction, most: usize) {
    let problem = large();
    let settings = SolverSettings {
        max_iterations: Some(most),
        ..settings(solver, friction, 1e-8)
    };
    let one = on(1, &problem, settings);
    assert!(one.impulses.iter().any(|r| r.length() > 0.0));
    for threads in [2, 3] {
        let other = on(threads, &problem, settings);
        assert_same_bits(&one, &other, &format!("{solver:?} {friction:?} on {threads} threads"));
    }
}

#[test]
fn interior_point_gives_the_same_bits_on_any_number_of_threads() {
    assert_for_any_threads(Solver::Interior, Friction::Associated, 15);
}

#[test]
fn semismooth_newton_gives_the_same_bits_on_any_number_of_threads() {
    assert_for_any_threads(Solver::Semismooth, Friction::Associated, 15);
}

#[test]
fn methods_without_factors_give_the_same_bits_on_any_number_of_threads() {
    for friction in [Friction::Associated, Friction::Coulomb] {
        for solver in [Solver::Nlgs, Solver::Spg, Solver::Apgd] {
            assert_for_any_threads(solver, friction, 12);
        }
    }
}

/// With so few iterations the fixed point cannot end below such a tolerance: the dense method that finishes runs too.
#[test]
fn coulomb_friction_by_newton_gives_the_same_bits_on_any_number_of_threads() {
    let problem = wall(5, 4, dvec3(0.6 * G, 0.1 * G, -G), DT, 0.4);
    for solver in [Solver::Interior, Solver::Semismooth] {
        let settings = SolverSettings {
            max_iterations: Some(20),
            ..settings(solver, Friction::Coulomb, 1e-14)
        };
        let one = on(1, &problem, settings);
        assert!(one.iterations > 20, "{solver:?}: the dense method took no step");
        for threads in [2, 3] {
            let other = on(threads, &problem, settings);
            assert_same_bits(&one, &other, &format!("{solver:?} on {threads} threads"));
        }
    }
}

#[test]
fn clarabel_gives_the_same_bits_on_any_number_of_threads() {
    assert_for_any_threads(Solver::Clarabel, Friction::Associated, 3);
}

#[test]
fn an_engine_that_has_solved_before_gives_the_bits_of_a_fresh_one() {
    // The same structure with another load and other gaps in between.
    let problem = wall(8, 8, dvec3(0.25 * G, 0.0, -G), DT, 0.5);
    let mut other = wall(8, 8, dvec3(-0.1 * G, 0.3 * G, -G), DT, 0.7);
    other.contacts.iter_mut().step_by(3).for_each(|c| c.gap = 1e-4);
    for solver in [
        Solver::Interior,
        Solver::Semismooth,
        Solver::Nlgs,
        Solver::Spg,
        Solver::Apgd,
        Solver::Clarabel,
    ] {
        let settings = SolverSettings {
            max_iterations: Some(60),
            ..settings(solver, Friction::Associated, 1e-6)
        };
        let fresh = Engine::new(settings).solve(&problem).unwrap().clone();
        let mut engine = Engine::new(settings);
        let first = engine.solve(&problem).unwrap().clone();
        assert_same_bits(&fresh, &first, &format!("{solver:?} first"));
        let again = engine.solve(&problem).unwrap().clone();
        assert_same_bits(&fresh, &again, &format!("{solver:?} again"));
        engine.solve(&other).unwrap();
        let after = engine.solve(&problem).unwrap();
        assert_same_bits(&fresh, after, &format!("{solver:?} after another"));
    }
}
