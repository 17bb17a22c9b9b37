//! More contacts than equilibrium can tell apart: velocities are unique all the same, and with compliance impulses are.

use crate::common::{G, Incline, apart, collapse::collapsing, free_velocities, less, mass_norm, settings, solve, wall};
use drystone_cone::{BodyMotion, Contact, Engine, Friction, Problem, Solution, Solver, SolverSettings, Status, Twist};
use glam::{DVec3, dvec3};

const DT: f64 = 0.01;
const ALL: [Solver; 6] = [
    Solver::Interior,
    Solver::Semismooth,
    Solver::Clarabel,
    Solver::Nlgs,
    Solver::Spg,
    Solver::Apgd,
];

/// A small wall under its weight and some side load, whose joints yield. A block has 16 kg.
fn compliant(normal: f64, across: f64) -> Problem {
    let mut problem = wall(3, 3, dvec3(0.2 * G, 0.05 * G, -G), DT, 0.6);
    problem
        .contacts
        .iter_mut()
        .for_each(|c| c.compliance = [normal, across]);
    problem
}

/// Difference of impulses as the elastic joints measure it, relative to the velocity that impulses cause: the root of
/// sum of e |r - s|^2. Where velocities are known to a bound by the mass, so are impulses by this, because the energy of
/// the joints is part of what is minimised.
fn elastic_distance(problem: &Problem, a: &Solution, b: &[DVec3]) -> f64 {
    let one = |((c, r), s): ((&Contact, &DVec3), &DVec3)| {
        let d = *r - *s;
        let normal = d.dot(c.normal);
        let across = d - normal * c.normal;
        c.compliance[0] * normal * normal + c.compliance[1] * across.length_squared()
    };
    let sum: f64 = problem.contacts.iter().zip(&a.impulses).zip(b).map(one).sum();
    sum.sqrt() / mass_norm(problem, &less(&a.velocities, &free_velocities(problem)))
}

#[test]
fn with_compliance_every_method_finds_the_same_impulses() {
    // Joints as soft as the blocks are heavy, and a thousand times as stiff.
    for (normal, across) in [(2e-2, 4e-2), (2e-5, 4e-5)] {
        let problem = compliant(normal, across);
        let reference = solve(&problem, settings(Solver::Interior, Friction::Associated, 1e-7));
        assert!(reference.residuals.velocity_error < 1e-6);
        for solver in ALL {
            let solution = solve(&problem, settings(solver, Friction::Associated, 1e-5));
            let promised = solution.residuals.velocity_error + reference.residuals.velocity_error;
            // Where joints are stiff, methods without factors get no further than this.
            let most = match solver {
                Solver::Nlgs | Solver::Spg | Solver::Apgd => 0.05,
                _ => 1e-4,
            };
            assert!(promised < most, "{solver:?} {promised:.1e}");
            let off = elastic_distance(&problem, &reference, &solution.impulses);
            assert!(off <= promised, "{solver:?}: {off:.1e}, {promised:.1e} promised");
        }
    }
}

#[test]
fn the_impulses_of_a_compliant_wall_do_not_depend_on_the_order_of_contacts() {
    let problem = compliant(2e-2, 4e-2);
    let mut order: Vec<usize> = (0..problem.contacts.len()).collect();
    order.sort_by_key(|&k| (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut shuffled = problem.clone();
    shuffled.contacts = order.iter().map(|&k| problem.contacts[k]).collect();
    for solver in [Solver::Interior, Solver::Semismooth] {
        let settings = settings(solver, Friction::Associated, 1e-8);
        let (first, second) = (solve(&problem, settings), solve(&shuffled, settings));
        let largest = first.impulses.iter().map(|r| r.length()).fold(0.0, f64::max);
        for (&k, r) in order.iter().zip(&second.impulses) {
            let off = (first.impulses[k] - *r).length() / largest;
            assert!(off < 1e-6, "{solver:?}, contact {k}: {off:.1e}");
        }
    }
}

#[test]
fn a_joint_in_three_parts_each_a_third_as_stiff_carries_in_thirds() {
    let problem = compliant(2e-2, 4e-2);
    let mut thirds = problem.clone();
    thirds.contacts = problem.contacts.iter().flat_map(|c| [*c; 3]).collect();
    thirds
        .contacts
        .iter_mut()
        .for_each(|c| c.compliance = c.compliance.map(|e| 3.0 * e));
    for solver in [Solver::Interior, Solver::Semismooth, Solver::Apgd] {
        let settings = settings(solver, Friction::Associated, 1e-7);
        let (whole, parts) = (solve(&problem, settings), solve(&thirds, settings));
        let off = apart(&problem, &whole.velocities, &parts.velocities);
        assert!(off < 1e-6, "{solver:?}: {off:.1e}");
        let largest = whole.impulses.iter().map(|r| r.length()).fold(0.0, f64::max);
        for (k, r) in parts.impulses.iter().enumerate() {
            let off = (whole.impulses[k / 3] / 3.0 - *r).length() / largest;
            assert!(off < 1e-5, "{solver:?}, contact {k}: {off:.1e}");
        }
    }
}

#[test]
fn every_contact_three_times_moves_bodies_as_every_contact_once() {
    for problem in [wall(3, 3, -G * DVec3::Z, DT, 0.6), collapsing()] {
        // Where a joint yields, three of it yield less: here all are rigid.
        let mut once = problem.clone();
        once.contacts.iter_mut().for_each(|c| c.compliance = [0.0; 2]);
        let mut thrice = once.clone();
        thrice.contacts = once.contacts.iter().flat_map(|c| [*c; 3]).collect();
        for solver in ALL {
            let settings = SolverSettings {
                max_iterations: Some(1000),
                ..settings(solver, Friction::Associated, 1e-4)
            };
            let (first, second) = (solve(&once, settings), solve(&thrice, settings));
            let promised = first.residuals.velocity_error + second.residuals.velocity_error;
            if matches!(solver, Solver::Interior | Solver::Clarabel) {
                let both = [first.status, second.status];
                assert_eq!(both, [Status::Solved; 2], "{solver:?} {promised:.1e}");
            }
            let off = apart(&once, &first.velocities, &second.velocities);
            assert!(off <= promised, "{solver:?}: {off:.1e}, {promised:.1e} promised");
        }
    }
}

/// Makes a step's solution the start of the next: velocities, gaps, elastic slip and guesses, under gravity along `g`.
fn carry_over(problem: &mut Problem, solution: &Solution, g: DVec3, keep_slip: bool) {
    let dt = problem.dt;
    for (body, v) in problem.bodies.iter_mut().zip(&solution.velocities) {
        if let BodyMotion::Free {
            free_velocity,
            velocity_before,
            ..
        } = &mut body.motion
        {
            *velocity_before = *v;
            *free_velocity = Twist {
                linear: v.linear + g * dt,
                angular: v.angular,
            };
        }
    }
    for (k, contact) in problem.contacts.iter_mut().enumerate() {
        contact.gap += dt * solution.relative_velocities[k].dot(contact.normal);
        contact.guess = solution.impulses[k];
        if keep_slip {
            contact.slip = solution.elastic_slip[k];
        }
    }
}

#[test]
fn the_impulses_of_a_standing_wall_hardly_change_from_step_to_step() {
    // The elastic wall is left to its weight. Implicit steps damp a mode of frequency w by 1 / sqrt(1 + (w dt)^2): the
    // slowest one, of three courses on each other, has (w dt)^2 = 0.2 * 4 / (m e) = 50, so it falls to a seventh at each
    // step, and after eight steps to 1e-6.
    let e = 1e-3;
    for solver in [Solver::Interior, Solver::Semismooth] {
        let mut problem = wall(3, 3, -G * DVec3::Z, DT, 0.6);
        problem.contacts.iter_mut().for_each(|c| c.compliance = [e, 2.0 * e]);
        let mut engine = Engine::new(settings(solver, Friction::Associated, 1e-7));
        let weight = 9.0 * 16.0 * G * DT;
        let mut last: Option<Vec<DVec3>> = None;
        for step in 0..20 {
            let solution = engine.solve(&problem).unwrap().clone();
            let feet = problem.contacts.iter().zip(&solution.impulses);
            let carried: f64 = feet.filter(|(c, _)| c.bodies[0] == 0).map(|(_, r)| r.z).sum();
            if let Some(last) = last.filter(|_| step > 8) {
                let change = last
                    .iter()
                    .zip(&solution.impulses)
                    .map(|(a, b)| (*a - *b).length())
                    .fold(0.0, f64::max);
                assert!(
                    change < 1e-5 * weight,
                    "{solver:?}, step {step}: {change:.1e} of {weight}"
                );
                assert!(
                    (carried - weight).abs() < 1e-5 * weight,
                    "{solver:?}: {carried} of {weight}"
                );
            }
            last = Some(solution.impulses.clone());
            carry_over(&mut problem, &solution, -G * DVec3::Z, true);
        }
    }
}

/// A slab on an incline below the friction angle, whose joints yield across: `e` for each of its four corners.
fn elastic_slab(e: f64) -> (Incline, Problem) {
    let incline = Incline {
        angle: 0.3,
        heading: 0.4,
        friction: 0.9,
        width: 1.0,
        density: 2000.0,
        dt: DT,
    };
    let mut problem = incline.problem();
    problem.contacts.iter_mut().for_each(|c| c.compliance = [0.0, e]);
    (incline, problem)
}

/// How far the slab goes down the slope in each of 200 steps.
fn steps_of(solver: Solver, e: f64, keep_slip: bool) -> Vec<f64> {
    let (incline, mut problem) = elastic_slab(e);
    let mut engine = Engine::new(settings(solver, Friction::Associated, 1e-8));
    (0..200)
        .map(|_| {
            let solution = engine.solve(&problem).unwrap().clone();
            carry_over(&mut problem, &solution, -G * DVec3::Z, keep_slip);
            DT * solution.velocities[1].linear.dot(incline.down())
        })
        .collect()
}

#[test]
fn a_block_that_remembers_its_elastic_slip_ends_at_the_elastic_displacement() {
    // Four springs of stiffness k = 1 / (e dt^2): m g sin / (4 k). They swing at (w dt)^2 = 4 / (m e) = 1, damped by the
    // root of two at each step: by 1e-30 in 200. The swing is at most twice the static force, within friction's reach.
    let (incline, _) = elastic_slab(0.0);
    let m = incline.mass();
    let e = 4.0 / m;
    let k = 1.0 / (e * DT * DT);
    let expected = m * G * incline.angle.sin() / (4.0 * k);
    for solver in ALL {
        let path = steps_of(solver, e, true);
        let total: f64 = path.iter().sum();
        assert!(
            (total - expected).abs() < 1e-5 * expected,
            "{solver:?}: {total} is not {expected}"
        );
        // It is still: the last steps go nowhere.
        let late: f64 = path[150..].iter().map(|x| x.abs()).sum();
        assert!(late < 1e-5 * expected, "{solver:?}: {late}");
    }
}

#[test]
fn a_block_that_forgets_its_elastic_slip_creeps() {
    // Each step stretches the springs anew: v = e r with 4 r = m g sin dt once it is steady. On the way the difference
    // from that falls by 1 + 4 / (m e) = 2 at each step.
    let (incline, _) = elastic_slab(0.0);
    let m = incline.mass();
    let e = 4.0 / m;
    let drift = e * m * G * incline.angle.sin() * DT / 4.0 * DT;
    for solver in ALL {
        let path = steps_of(solver, e, false);
        for (step, moved) in path.iter().enumerate() {
            let expected = drift * (1.0 - 0.5_f64.powi(step as i32 + 1));
            assert!(
                (moved - expected).abs() < 1e-5 * drift,
                "{solver:?}, step {step}: {moved} is not {expected}"
            );
        }
    }
}
