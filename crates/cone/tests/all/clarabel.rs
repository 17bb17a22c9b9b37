//! Clarabel on problems whose solutions are known in closed form.

use drystone_cone::{
    Body, Contact, DelassusProblem, Engine, Friction, Link, Problem, Solution, Solver, SolverSettings, Status, Twist,
};
use glam::{DMat3, DVec3};

const DT: f64 = 0.01;
const G: f64 = 9.81;

fn settings(friction: Friction, tolerance: f64) -> SolverSettings {
    SolverSettings {
        solver: Solver::Clarabel,
        friction,
        tolerance,
        ..SolverSettings::default()
    }
}

fn solve(problem: &Problem, friction: Friction, tolerance: f64) -> Solution {
    Engine::new(settings(friction, tolerance))
        .solve(problem)
        .unwrap()
        .clone()
}

/// A block of 2 x 2 x 0.5 m and 3 kg at a height, after a step of free fall under gravity `g`.
fn slab(height: f64, g: DVec3) -> Body {
    let inertia = DMat3::from_diagonal(DVec3::new(4.25, 4.25, 8.0) * 0.25);
    let velocity = Twist {
        linear: g * DT,
        angular: DVec3::ZERO,
    };
    Body::free(DVec3::new(0.0, 0.0, height), 3.0, inertia, velocity)
}

/// Four contacts at the corners of a face at a height, between two bodies.
fn joint(bodies: [u32; 2], height: f64, friction: f64) -> impl Iterator<Item = Contact> {
    [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        .into_iter()
        .map(move |(x, y)| Contact::new(bodies, DVec3::new(x, y, height), DVec3::Z, 0.0, friction))
}

/// A slab on a plane that is tilted about y.
fn incline(angle: f64, friction: f64) -> Problem {
    Problem {
        bodies: vec![
            Body::fixed(),
            slab(0.25, G * DVec3::new(angle.sin(), 0.0, -angle.cos())),
        ],
        contacts: joint([0, 1], 0.0, friction).collect(),
        links: Vec::new(),
        deformations: Vec::new(),
        dt: DT,
    }
}

fn assert_near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not {b}");
}

#[test]
fn a_block_on_an_incline_stays_below_the_friction_angle() {
    for friction in [Friction::Associated, Friction::Coulomb] {
        let solution = solve(&incline(0.4, 0.5), friction, 1e-6);
        assert_eq!(solution.status, Status::Solved, "{:?}", solution.residuals);
        assert!(solution.velocities[1].linear.length() < 1e-7 * G * DT);
        let total: DVec3 = solution.impulses.iter().sum();
        assert_near(total.z, 3.0 * G * DT * 0.4_f64.cos(), 1e-7);
        assert_near(total.x, -3.0 * G * DT * 0.4_f64.sin(), 1e-7);
    }
}

#[test]
fn a_block_on_an_incline_slides_past_the_friction_angle() {
    let (angle, mu) = (0.6_f64, 0.5);
    let [along, down] = [G * DT * angle.sin(), G * DT * angle.cos()];
    // Associated: the free velocity projected on the dual cone, so it lifts by mu times what it slides.
    let slide = (along - mu * down) / (1.0 + mu * mu);
    let solution = solve(&incline(angle, mu), Friction::Associated, 1e-6);
    assert_eq!(solution.status, Status::Solved, "{:?}", solution.residuals);
    assert_near(solution.velocities[1].linear.x, slide, 1e-8);
    assert_near(solution.velocities[1].linear.z, mu * slide, 1e-8);
    // Coulomb's: it stays on the plane.
    let solution = solve(&incline(angle, mu), Friction::Coulomb, 1e-7);
    assert_eq!(solution.status, Status::Solved, "{:?}", solution.residuals);
    assert_near(solution.velocities[1].linear.x, along - mu * down, 1e-7);
    assert_near(solution.velocities[1].linear.z, 0.0, 1e-7);
}

#[test]
fn a_stack_carries_what_lies_above() {
    let blocks = 8;
    let mut problem = Problem {
        bodies: vec![Body::fixed()],
        dt: DT,
        ..Problem::default()
    };
    for k in 0..blocks {
        problem.bodies.push(slab(0.25 + 0.5 * f64::from(k), DVec3::NEG_Z * G));
        // Alternately first to second and second to first.
        let contacts = joint([k, k + 1], 0.5 * f64::from(k), 0.3);
        problem.contacts.extend(contacts.map(|c| match k % 2 {
            0 => c,
            _ => Contact {
                bodies: [k + 1, k],
                normal: -c.normal,
                ..c
            },
        }));
    }
    let solution = solve(&problem, Friction::Associated, 1e-6);
    assert_eq!(solution.status, Status::Solved, "{:?}", solution.residuals);
    assert!(solution.residuals.natural_map < 1e-6 && solution.residuals.equilibrium < 1e-12);
    for (k, four) in solution.impulses.chunks(4).enumerate() {
        let sum: f64 = four.iter().map(|r| r.z.abs()).sum();
        assert_near(sum, 3.0 * G * DT * (blocks as f64 - k as f64), 1e-5);
    }
    // With the analysis of the last solve it finds the same, bit by bit.
    let mut engine = Engine::new(settings(Friction::Associated, 1e-6));
    for _ in 0..2 {
        let again = engine.solve(&problem).unwrap();
        assert_eq!(again.impulses, solution.impulses);
    }
}

#[test]
fn a_tolerance_of_zero_goes_as_far_as_it_can() {
    let (angle, mu) = (0.6, 0.5);
    let solution = solve(&incline(angle, mu), Friction::Associated, 0.0);
    assert!(solution.residuals.velocity_error < 1e-7, "{:?}", solution.residuals);
    assert!(matches!(
        solution.status,
        Status::Inaccurate | Status::Solved | Status::IterationLimit
    ));
}

#[test]
fn a_compliant_joint_yields_in_proportion() {
    // Frictionless, one contact below the centre: r = -v_free / (1 / m + e).
    for friction in [0.0, 0.5] {
        let mut problem = incline(0.0, friction);
        let e = 0.2;
        let center = Contact::new([0, 1], DVec3::ZERO, DVec3::Z, 0.0, friction);
        problem.contacts = vec![Contact {
            compliance: [e, 0.7],
            ..center
        }];
        let solution = solve(&problem, Friction::Associated, 1e-6);
        assert_eq!(solution.status, Status::Solved, "{:?}", solution.residuals);
        assert_near(solution.impulses[0].z, G * DT / (1.0 / 3.0 + e), 1e-7);
    }
}

#[test]
fn links_pull_hold_and_slacken() {
    // Hung by a tie rod: at rest. A rod: the same. A tie rod below: free fall.
    let above = DVec3::new(0.0, 0.0, 2.0);
    for (link, speed) in [
        (Link::tie([0, 1], above, DVec3::new(0.0, 0.0, 0.5), 0.0), 0.0),
        (Link::rod([0, 1], above, DVec3::new(0.0, 0.0, 0.5), 0.0), 0.0),
        (Link::tie([0, 1], -above, DVec3::ZERO, 1.0), -G * DT),
    ] {
        let problem = Problem {
            contacts: Vec::new(),
            links: vec![link],
            ..incline(0.0, 0.5)
        };
        let solution = solve(&problem, Friction::Associated, 1e-6);
        assert_eq!(solution.status, Status::Solved, "{:?}", solution.residuals);
        assert_near(solution.velocities[1].linear.z, speed, 1e-8);
    }
}

#[test]
fn a_body_between_closing_jaws_is_infeasible() {
    let mut problem = incline(0.0, 0.5);
    let push = Twist {
        linear: DVec3::NEG_Z,
        angular: DVec3::ZERO,
    };
    problem.bodies.push(Body::driven(DVec3::new(0.0, 0.0, 1.0), push));
    problem.contacts.extend(joint([1, 2], 0.5, 0.5));
    let solution = solve(&problem, Friction::Associated, 1e-6);
    assert_eq!(solution.status, Status::Infeasible);
    // The proof: impulses that hold the slab and work against the jaws.
    let [below, above] = [0, 4].map(|k| solution.impulses[k..k + 4].iter().sum::<DVec3>());
    assert!(below.z > 0.0 && (below - above).length() < 1e-5 * below.length());
    // The same without anything that could move.
    problem.bodies.truncate(1);
    problem.bodies.push(Body::driven(DVec3::Z, push));
    problem.contacts.truncate(4);
    assert_eq!(solve(&problem, Friction::Associated, 1e-6).status, Status::Infeasible);
}

#[test]
fn a_matrix_is_solved_in_its_dual_form() {
    let problem = DelassusProblem {
        friction: vec![0.5, 0.0],
        q: vec![[-1.0, 2.0, 0.0], [-1.0, 5.0, 0.0]],
        entries: (0..6).map(|i| (i, i, 2.0)).collect(),
        guess: Vec::new(),
    };
    for friction in [Friction::Associated, Friction::Coulomb] {
        let solution = Engine::new(settings(friction, 1e-6))
            .solve_delassus(&problem)
            .unwrap()
            .clone();
        assert_eq!(solution.status, Status::Solved, "{:?}", solution.residuals);
        assert_near(solution.impulses[1].x, 0.5, 1e-7);
        assert_eq!(solution.impulses[1].y, 0.0);
        // Associated: r = P_K(-q / 2). Coulomb's: the normal impulse stops the approach.
        let normal = match friction {
            Friction::Associated => (0.5 + 0.5) / 1.25,
            Friction::Coulomb => 0.5,
        };
        assert_near(solution.impulses[0].x, normal, 1e-6);
        assert_near(solution.impulses[0].y, -0.5 * normal, 1e-6);
    }
}
