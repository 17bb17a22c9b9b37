//! Facts of mechanics that the methods without factorisations must find: non-linear Gauss-Seidel, spectral projected
//! gradient, accelerated projected gradient.

use crate::common::{G, block, down_slope, incline_block, patch, wall};
use drystone_cone::{
    Body, Contact, DelassusProblem, Engine, Friction, Link, Problem, Solution, Solver, SolverSettings,
};
use drystone_cone::{Status, Twist};
use glam::{DVec3, dvec3};

const METHODS: [Solver; 3] = [Solver::Nlgs, Solver::Spg, Solver::Apgd];
const LAWS: [Friction; 2] = [Friction::Coulomb, Friction::Associated];
const DT: f64 = 0.01;

fn settings(solver: Solver, friction: Friction, tolerance: f64) -> SolverSettings {
    SolverSettings {
        solver,
        friction,
        tolerance,
        ..SolverSettings::default()
    }
}

fn solve(problem: &Problem, solver: Solver, friction: Friction, tolerance: f64) -> Solution {
    // The bound on the velocity error is the root of a sum of products that cancel: it ends at the root of rounding.
    let tolerance = if friction == Friction::Associated {
        tolerance.max(1e-7)
    } else {
        tolerance
    };
    let mut engine = Engine::new(settings(solver, friction, tolerance));
    let solution = engine.solve(problem).unwrap().clone();
    assert_eq!(
        solution.status,
        Status::Solved,
        "{solver:?} {friction:?} {:?}",
        solution.residuals
    );
    assert_eq!(solution.solver, solver);
    solution
}

fn each(test: impl Fn(Solver, Friction)) {
    for solver in METHODS {
        for friction in LAWS {
            test(solver, friction);
        }
    }
}

fn near(found: DVec3, expected: DVec3, tolerance: f64, what: &str) {
    assert!(
        (found - expected).length() <= tolerance,
        "{what}: {found} is not {expected}"
    );
}

#[test]
fn a_block_below_its_friction_angle_stays_where_it_is() {
    each(|solver, friction| {
        let solution = solve(&incline_block(0.5, 0.6, DT), solver, friction, 1e-8);
        let v = solution.velocities[1];
        near(v.linear, DVec3::ZERO, 1e-8, &format!("{solver:?} {friction:?}"));
        near(v.angular, DVec3::ZERO, 1e-8, &format!("{solver:?} {friction:?}"));
        // The impulses carry its weight.
        let sum: DVec3 = solution.impulses.iter().sum();
        near(sum, 1000.0 * G * DT * DVec3::Z, 1e-4, "weight");
    });
}

#[test]
fn a_block_above_its_friction_angle_slides_with_what_friction_leaves_of_gravity() {
    let (angle, mu) = (0.7_f64, 0.5);
    let (sin, cos) = angle.sin_cos();
    for solver in METHODS {
        let solution = solve(&incline_block(angle, mu, DT), solver, Friction::Coulomb, 1e-8);
        let expected = G * DT * (sin - mu * cos) * down_slope(angle);
        near(solution.velocities[1].linear, expected, 1e-8, &format!("{solver:?}"));
        near(
            solution.velocities[1].angular,
            DVec3::ZERO,
            1e-8,
            &format!("{solver:?}"),
        );
    }
}

#[test]
fn with_associated_friction_a_sliding_block_also_lifts_off_by_mu_times_its_slip() {
    // The velocity is the projection of the free one on the cone |v_t| mu <= v_n: nothing turns the block, because the
    // resultant meets the base within it.
    let (angle, mu) = (0.7_f64, 0.5);
    let (sin, cos) = angle.sin_cos();
    let slip = G * DT * (sin - mu * cos) / (1.0 + mu * mu);
    let normal = dvec3(sin, 0.0, cos);
    let expected = slip * down_slope(angle) + mu * slip * normal;
    for solver in METHODS {
        let solution = solve(&incline_block(angle, mu, DT), solver, Friction::Associated, 1e-8);
        near(solution.velocities[1].linear, expected, 1e-8, &format!("{solver:?}"));
    }
}

/// Two cubes on each other on a fixed plane, and a side load as an acceleration.
fn stack(mu: [f64; 2], acceleration: DVec3) -> Problem {
    let at = |height: f64| block(height * DVec3::Z, DVec3::ONE, acceleration, DT);
    let joint = |bodies, height: f64, mu| patch(bodies, height * DVec3::Z, DVec3::Z, DVec3::X, DVec3::Y, mu);
    let mut contacts = joint([0, 1], 0.0, mu[0]).to_vec();
    contacts.extend(joint([1, 2], 1.0, mu[1]));
    Problem {
        bodies: vec![Body::fixed(), at(0.5), at(1.5)],
        contacts,
        links: Vec::new(),
        deformations: Vec::new(),
        dt: DT,
    }
}

#[test]
fn the_lower_of_two_blocks_carries_both() {
    each(|solver, friction| {
        let solution = solve(&stack([0.6; 2], -G * DVec3::Z), solver, friction, 1e-9);
        let sum = |range: std::ops::Range<usize>| solution.impulses[range].iter().sum::<DVec3>();
        near(sum(0..4), 2000.0 * G * DT * DVec3::Z, 1e-4, "foot");
        near(sum(4..8), 1000.0 * G * DT * DVec3::Z, 1e-4, "joint");
    });
}

#[test]
fn where_only_the_upper_joint_is_slippery_only_the_upper_block_slides() {
    let load = dvec3(0.2 * G, 0.0, -G);
    for solver in METHODS {
        let solution = solve(&stack([0.6, 0.1], load), solver, Friction::Coulomb, 1e-8);
        near(
            solution.velocities[1].linear,
            DVec3::ZERO,
            1e-7,
            &format!("{solver:?} lower"),
        );
        near(
            solution.velocities[2].linear,
            0.1 * G * DT * DVec3::X,
            1e-7,
            &format!("{solver:?} upper"),
        );
    }
}

#[test]
fn a_frictionless_block_keeps_its_velocity_along_the_plane() {
    let angle = 0.3_f64;
    each(|solver, friction| {
        let solution = solve(&incline_block(angle, 0.0, DT), solver, friction, 1e-9);
        let expected = G * DT * angle.sin() * down_slope(angle);
        // The resultant of normal impulses passes through the centre: the block does not turn.
        near(solution.velocities[1].linear, expected, 1e-8, &format!("{solver:?}"));
        near(
            solution.velocities[1].angular,
            DVec3::ZERO,
            1e-8,
            &format!("{solver:?}"),
        );
    });
}

#[test]
fn a_rod_carries_a_hanging_block_and_a_slack_tie_lets_it_fall_until_it_is_taut() {
    let hung = |link: Link| Problem {
        bodies: vec![Body::fixed(), block(DVec3::ZERO, DVec3::ONE, -G * DVec3::Z, DT)],
        contacts: Vec::new(),
        links: vec![link],
        deformations: Vec::new(),
        dt: DT,
    };
    let (anchor, top) = (2.0 * DVec3::Z, 0.5 * DVec3::Z);
    let weight = 1000.0 * G * DT;
    each(|solver, friction| {
        for link in [Link::rod([0, 1], anchor, top, 0.0), Link::tie([0, 1], anchor, top, 0.0)] {
            let solution = solve(&hung(link), solver, friction, 1e-9);
            near(solution.velocities[1].linear, DVec3::ZERO, 1e-8, &format!("{solver:?}"));
            assert!((solution.link_impulses[0] - weight).abs() < 1e-6 * weight);
        }
        // Half of the way that it would fall in the step is slack.
        let slack = 0.5 * G * DT * DT;
        let solution = solve(&hung(Link::tie([0, 1], anchor, top, slack)), solver, friction, 1e-9);
        near(solution.velocities[1].linear, -0.5 * G * DT * DVec3::Z, 1e-8, "slack");
        // More than that: nothing holds it.
        let solution = solve(
            &hung(Link::tie([0, 1], anchor, top, 4.0 * slack)),
            solver,
            friction,
            1e-9,
        );
        near(solution.velocities[1].linear, -G * DT * DVec3::Z, 1e-12, "free");
        assert_eq!(solution.link_impulses[0], 0.0);
    });
}

#[test]
fn a_driven_body_pushes_a_block_along_at_its_own_speed() {
    // The push is at the height of the centre and the floor is smooth.
    let speed = 0.3 * DVec3::X;
    let twist = Twist {
        linear: speed,
        angular: DVec3::ZERO,
    };
    let mut problem = incline_block(0.0, 0.0, DT);
    problem.bodies.push(Body::driven(-2.0 * DVec3::X, twist));
    let face = dvec3(-0.5, 0.0, 0.5);
    problem
        .contacts
        .extend(patch([2, 1], face, DVec3::X, DVec3::Y, DVec3::Z, 0.4));
    // A contact between what is driven and what is fixed moves nothing, and opens.
    problem
        .contacts
        .push(Contact::new([0, 2], DVec3::ZERO, DVec3::X, 0.1, 0.5));
    each(|solver, friction| {
        let solution = solve(&problem, solver, friction, 1e-8);
        near(
            solution.velocities[1].linear,
            speed,
            1e-7,
            &format!("{solver:?} {friction:?}"),
        );
        let push: DVec3 = solution.impulses[4..8].iter().sum();
        assert!((push.x - 300.0).abs() < 1e-4, "{push}");
    });
}

#[test]
fn the_floor_drags_a_block_along_as_far_as_friction_can() {
    let twist = Twist {
        linear: DVec3::X,
        angular: DVec3::ZERO,
    };
    for solver in METHODS {
        let mut problem = incline_block(0.0, 0.3, DT);
        problem.bodies[0] = Body::driven(DVec3::ZERO, twist);
        let solution = solve(&problem, solver, Friction::Coulomb, 1e-8);
        near(
            solution.velocities[1].linear,
            0.3 * G * DT * DVec3::X,
            1e-7,
            &format!("{solver:?}"),
        );
    }
}

#[test]
fn a_contact_given_by_its_matrix_slides_as_the_same_contact_of_a_point_mass() {
    let problem = DelassusProblem {
        friction: vec![0.5, 0.5],
        q: vec![[-1.0, 2.0, 0.0], [-3.0, 0.0, 0.5]],
        entries: (0..6).map(|i| (i, i, 0.25)).collect(),
        guess: Vec::new(),
    };
    for solver in METHODS {
        let mut engine = Engine::new(settings(solver, Friction::Coulomb, 1e-10));
        let solution = engine.solve_delassus(&problem).unwrap();
        assert_eq!(solution.status, Status::Solved, "{solver:?}");
        near(solution.impulses[0], dvec3(4.0, -2.0, 0.0), 1e-8, "sliding");
        near(solution.impulses[1], dvec3(12.0, 0.0, -2.0), 1e-8, "sticking");
    }
}

#[test]
fn a_wall_stands_under_its_weight_and_slides_on_its_base_under_a_strong_side_load() {
    each(|solver, friction| {
        let standing = solve(&wall(4, 4, -G * DVec3::Z, DT, 0.6), solver, friction, 1e-6);
        let fastest = standing
            .velocities
            .iter()
            .map(|v| v.linear.length())
            .fold(0.0, f64::max);
        assert!(fastest < 1e-4 * G * DT, "{solver:?} {friction:?} {fastest}");
        let sliding = solve(&wall(4, 4, dvec3(0.8 * G, 0.0, -G), DT, 0.4), solver, friction, 1e-6);
        println!(
            "{solver:?} {friction:?}: standing {} iterations, sliding {}",
            standing.iterations, sliding.iterations
        );
        let slowest = sliding.velocities[1..]
            .iter()
            .map(|v| v.linear.x)
            .fold(f64::INFINITY, f64::min);
        assert!(slowest > 0.05 * G * DT, "{solver:?} {friction:?} {slowest}");
    });
}

#[test]
fn the_solution_has_the_same_bits_on_one_thread_and_on_two_and_when_solved_again() {
    let problem = wall(16, 34, dvec3(0.3 * G, 0.0, -G), DT, 0.5);
    assert!(problem.contacts.len() > 4096);
    let on = |threads: usize, solver, friction| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let limit = SolverSettings {
                max_iterations: Some(25),
                ..settings(solver, friction, 1e-12)
            };
            let mut engine = Engine::new(limit);
            let first = engine.solve(&problem).unwrap().clone();
            let again = engine.solve(&problem).unwrap();
            assert_eq!(first.impulses, again.impulses, "{solver:?} {friction:?} again");
            first
        })
    };
    each(|solver, friction| {
        let (one, two) = (on(1, solver, friction), on(2, solver, friction));
        assert_eq!(one.impulses, two.impulses, "{solver:?} {friction:?}");
        assert_eq!(one.velocities, two.velocities, "{solver:?} {friction:?}");
        assert_eq!(one.iterations, two.iterations);
    });
}

#[test]
fn a_matrix_problem_has_the_same_bits_on_one_thread_and_on_two() {
    // A chain of contacts, each coupled to the next, in two colours.
    let n = 600_u32;
    let diagonal = (0..3 * n).map(|i| (i, i, 1.0));
    let coupled = (0..3 * (n - 1)).map(|i| (i, i + 3, 0.3));
    let problem = DelassusProblem {
        friction: vec![0.5; n as usize],
        q: (0..n).map(|i| [-1.0, f64::from(i % 7) * 0.2, 0.1]).collect(),
        entries: diagonal.chain(coupled).collect(),
        guess: Vec::new(),
    };
    let on = |threads: usize, solver, friction| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut engine = Engine::new(settings(solver, friction, 1e-8));
            let solution = engine.solve_delassus(&problem).unwrap().clone();
            assert_eq!(solution.status, Status::Solved, "{solver:?} {friction:?}");
            solution.impulses
        })
    };
    each(|solver, friction| assert_eq!(on(1, solver, friction), on(2, solver, friction)));
    // The matrix is positive definite and its blocks are isotropic: there is one solution, whatever the method.
    for friction in LAWS {
        let [first, second, third] = METHODS.map(|solver| on(2, solver, friction));
        for ((a, b), c) in first.iter().zip(&second).zip(&third) {
            near(*b, *a, 1e-6, "spectral");
            near(*c, *a, 1e-6, "accelerated");
        }
    }
}

#[test]
fn a_compliant_joint_yields_in_proportion_to_what_it_carries() {
    // m v = 4 r - m g dt and v + e r = 0.
    let (m, e) = (1000.0, 2e-3);
    let mut problem = incline_block(0.0, 0.6, DT);
    problem.contacts.iter_mut().for_each(|c| c.compliance = [e, 0.5 * e]);
    let r = m * G * DT / (4.0 + m * e);
    each(|solver, friction| {
        let solution = solve(&problem, solver, friction, 1e-9);
        near(
            solution.velocities[1].linear,
            -e * r * DVec3::Z,
            1e-8,
            &format!("{solver:?} {friction:?}"),
        );
        for impulse in &solution.impulses {
            near(*impulse, r * DVec3::Z, 1e-4, &format!("{solver:?} {friction:?}"));
        }
    });
}

#[test]
fn a_solution_handed_back_as_a_guess_is_recognised() {
    let problem = wall(3, 3, dvec3(0.2 * G, 0.0, -G), DT, 0.6);
    each(|solver, friction| {
        let cold = solve(&problem, solver, friction, 1e-6);
        let mut warm = problem.clone();
        for (contact, impulse) in warm.contacts.iter_mut().zip(&cold.impulses) {
            contact.guess = *impulse;
        }
        let warm = solve(&warm, solver, friction, 1e-6);
        assert!(warm.iterations <= 10, "{solver:?} {friction:?}: {}", warm.iterations);
    });
}

#[test]
fn numbers_that_overflow_are_reported_and_go_no_further() {
    let mut problem = incline_block(0.3, 0.5, DT);
    problem.bodies[1] = block(0.5 * DVec3::Z, DVec3::ONE, -1e200 * DVec3::Z, DT);
    each(|solver, friction| {
        let mut engine = Engine::new(settings(solver, friction, 1e-6));
        let solution = engine.solve(&problem).unwrap();
        assert_eq!(solution.status, Status::NumericalError, "{solver:?} {friction:?}");
        assert!(solution.impulses.iter().all(|r| r.is_finite()));
        assert!(solution.velocities.iter().all(|v| v.linear.is_finite()));
        // The engine is as good as new afterwards.
        let solution = engine.solve(&incline_block(0.3, 0.5, DT)).unwrap();
        assert_eq!(solution.status, Status::Solved, "{solver:?} {friction:?}");
    });
}

#[test]
fn a_body_that_is_crushed_between_driven_ones_is_not_called_solved() {
    let towards = |x: f64| Twist {
        linear: x * DVec3::X,
        angular: DVec3::ZERO,
    };
    let mut problem = incline_block(0.0, 0.5, DT);
    problem.bodies.push(Body::driven(DVec3::ZERO, towards(1.0)));
    problem.bodies.push(Body::driven(DVec3::ZERO, towards(-1.0)));
    let (left, right) = (dvec3(-0.5, 0.0, 0.5), dvec3(0.5, 0.0, 0.5));
    problem
        .contacts
        .extend(patch([2, 1], left, DVec3::X, DVec3::Y, DVec3::Z, 0.5));
    problem
        .contacts
        .extend(patch([1, 3], right, DVec3::X, DVec3::Y, DVec3::Z, 0.5));
    each(|solver, friction| {
        let mut engine = Engine::new(settings(solver, friction, 1e-6));
        let solution = engine.solve(&problem).unwrap();
        assert_ne!(solution.status, Status::Solved, "{solver:?} {friction:?}");
        assert!(solution.impulses.iter().all(|r| r.is_finite()));
        assert!(solution.velocities.iter().all(|v| v.linear.is_finite()));
    });
}
