//! Bodies that deform: contacts of one body share a compliance.

use drystone_cone::{
    Contact, Deformation, Engine, Friction, Link, LinkKind, Problem, ProblemError, Solver, SolverSettings, Status,
};
use glam::{DMat3, DVec3, dvec3};

use crate::common::{G, wall};

/// A wall pushed to the side by a third of its weight.
fn pushed(courses: usize) -> Problem {
    wall(4, courses, dvec3(0.3 * G, 0.1 * G, -G), 1e-3, 0.6)
}

/// Contacts of each free body.
fn touching(problem: &Problem, body: u32) -> Vec<u32> {
    let touches = |k: &u32| problem.contacts[*k as usize].bodies.contains(&body);
    (0..problem.contacts.len() as u32).filter(touches).collect()
}

/// What an elastic block may answer with: every mode is a smooth field of displacements over it, more compliant the smoother.
fn elastic(problem: &Problem, body: u32, softness: f64) -> Deformation {
    let contacts = touching(problem, body);
    let center = problem.bodies[body as usize].center;
    let rows = 3 * contacts.len();
    let mut compliance = vec![0.0; rows * rows];
    for mode in 0..12 {
        let field = |x: DVec3| {
            let m = f64::from(mode + 1);
            let a = dvec3(
                (m * x.x * 5.0).sin(),
                (m * x.y * 7.0).cos(),
                (m * x.z * 9.0 + 1.0).sin(),
            );
            DMat3::from_axis_angle(DVec3::ONE.normalize(), m) * a
        };
        let values: Vec<f64> = contacts
            .iter()
            .flat_map(|&k| field(problem.contacts[k as usize].point - center).to_array())
            .collect();
        for r in 0..rows {
            for c in 0..rows {
                compliance[r * rows + c] += softness / f64::from(1 + mode * mode) * values[r] * values[c];
            }
        }
    }
    Deformation {
        body,
        contacts,
        compliance,
    }
}

fn deformable(courses: usize, softness: f64) -> Problem {
    let mut problem = pushed(courses);
    // Every second block is rigid: both kinds mix.
    let bodies = (1..problem.bodies.len() as u32).filter(|b| b % 2 == 1);
    let all: Vec<Deformation> = bodies.map(|b| elastic(&problem, b, softness)).collect();
    problem.deformations = all;
    problem
}

fn solve(problem: &Problem, solver: Solver, friction: Friction, tolerance: f64) -> drystone_cone::Solution {
    let mut engine = Engine::new(SolverSettings {
        solver,
        friction,
        tolerance,
        ..SolverSettings::default()
    });
    engine.solve(problem).unwrap().clone()
}

#[test]
fn a_deformation_that_couples_nothing_is_a_compliance_of_contacts() {
    // Velocity for a unit impulse, some tenths of what a block of 16 kg answers with.
    let soft = 0.02;
    let mut springs = pushed(5);
    let mut bodies = springs.clone();
    for contact in &mut springs.contacts {
        let deform = contact.bodies.iter().filter(|b| **b > 0).count();
        contact.compliance = [soft * deform as f64; 2];
    }
    let diagonal = |body: u32| {
        let contacts = touching(&bodies, body);
        let rows = 3 * contacts.len();
        let compliance = (0..rows * rows).map(|k| if k % (rows + 1) == 0 { soft } else { 0.0 });
        Deformation {
            body,
            compliance: compliance.collect(),
            contacts,
        }
    };
    bodies.deformations = (1..bodies.bodies.len() as u32).map(diagonal).collect();
    for solver in [Solver::Interior, Solver::Semismooth] {
        let by_springs = solve(&springs, solver, Friction::Associated, 1e-6);
        let by_bodies = solve(&bodies, solver, Friction::Associated, 1e-6);
        assert_eq!((by_springs.status, by_bodies.status), (Status::Solved, Status::Solved));
        let largest = by_springs.impulses.iter().map(|r| r.length()).fold(0.0, f64::max);
        for (a, b) in by_springs.impulses.iter().zip(&by_bodies.impulses) {
            assert!(a.distance(*b) < 1e-5 * largest, "{a} {b}");
        }
        let speed = 1e-3 * G;
        for (a, b) in by_springs.velocities.iter().zip(&by_bodies.velocities) {
            assert!(a.linear.distance(b.linear) < 1e-6 * speed);
        }
        // The relative velocity of a body that deforms is that of its points.
        for k in 0..springs.contacts.len() {
            let more = springs.contacts[k].compliance[0] * by_springs.impulses[k];
            let moved = by_springs.relative_velocities[k] + more;
            assert!(moved.distance(by_bodies.relative_velocities[k]) < 1e-5 * speed);
        }
    }
}

#[test]
fn all_methods_agree_on_rigid_and_deformable_bodies_side_by_side() {
    for softness in [1e-4, 1e-2, 1.0] {
        let problem = deformable(4, softness);
        let reference = solve(&problem, Solver::Interior, Friction::Associated, 1e-6);
        assert_eq!(reference.status, Status::Solved, "{:?}", reference.residuals);
        // Methods that do not factorise get no further in reasonable time, and no way where bodies are nearly rigid.
        let (close, rough) = (1e-5, 1e-3);
        for (solver, tolerance) in [
            (Solver::Semismooth, close),
            (Solver::Clarabel, close),
            (Solver::Apgd, rough),
            (Solver::Spg, 2e-2),
            (Solver::Nlgs, rough),
        ] {
            if tolerance > close && softness < 1.0 {
                continue;
            }
            let other = solve(&problem, solver, Friction::Associated, tolerance);
            assert_eq!(
                other.status,
                Status::Solved,
                "{solver:?} {softness} {:?}",
                other.residuals
            );
            let change = 1e-3 * G;
            for (a, b) in reference.velocities.iter().zip(&other.velocities) {
                let off = a.linear.distance(b.linear);
                assert!(off < 2.0 * tolerance.max(1e-3) * change, "{solver:?} {softness}: {off}");
            }
        }
    }
}

#[test]
fn coulombs_law_holds_between_deformable_bodies() {
    let problem = deformable(4, 1e-2);
    let solution = solve(&problem, Solver::Auto, Friction::Coulomb, 1e-8);
    assert_eq!(solution.status, Status::Solved, "{:?}", solution.residuals);
    let speed = 1e-3 * G;
    for (k, contact) in problem.contacts.iter().enumerate() {
        let (r, u) = (solution.impulses[k], solution.relative_velocities[k]);
        let normal = contact.normal.dot(r);
        let across = r - normal * contact.normal;
        assert!(normal >= -1e-9 && across.length() <= 0.6 * normal + 1e-8);
        assert!(contact.normal.dot(u) > -1e-6 * speed);
        // What presses does not open, whether it slides or not.
        if normal > 1e-4 {
            assert!(contact.normal.dot(u).abs() < 1e-5 * speed, "{k} {u} {r}");
        }
    }
}

/// A block that hangs on two rods at one corner, each of which pulls on what deforms there: by hand, two masses would give
/// the same two equations.
#[test]
fn links_pull_on_what_deforms() {
    let mut problem = wall(1, 1, DVec3::ZERO, 1e-3, 0.5);
    problem.contacts.clear();
    let center = problem.bodies[1].center;
    let rod = |offset: f64, force: DVec3| Link {
        kind: LinkKind::Rigid,
        force,
        ..Link::rod([0, 1], center, center, offset)
    };
    problem.links = vec![rod(1e-4, DVec3::Z), rod(0.0, DVec3::X)];
    problem.links[0].free_deformation = 0.05;
    let c = [[0.3, 0.0, 0.1], [0.0, 0.2, 0.0], [0.1, 0.0, 0.4]];
    let block: Vec<f64> = (0..36).map(|k| c[k / 6 % 3][k % 3]).collect();
    problem.deformations = vec![Deformation {
        body: 1,
        contacts: vec![0, 1],
        compliance: block,
    }];
    let drystone_cone::BodyMotion::Free { mass, .. } = &problem.bodies[1].motion else {
        panic!("the block is free")
    };
    let m = 1.0 / mass[0][0];
    // (1/m + c) r = - offset / dt - free, with no couple at the centre.
    let [a, b, d] = [m + c[2][2], c[2][0], m + c[0][0]];
    let right = [-0.1 - 0.05, 0.0];
    let determinant = a * d - b * b;
    let r = [
        (d * right[0] - b * right[1]) / determinant,
        (a * right[1] - b * right[0]) / determinant,
    ];
    for solver in [Solver::Auto, Solver::Clarabel, Solver::Nlgs] {
        let solution = solve(&problem, solver, Friction::Associated, 1e-7);
        assert_eq!(solution.status, Status::Solved, "{solver:?} {:?}", solution.residuals);
        for (found, expected) in solution.link_impulses.iter().zip(r) {
            assert!(
                (found - expected).abs() < 1e-6 * r[0].abs(),
                "{solver:?}: {found} {expected}"
            );
        }
        for (velocity, asked) in solution.link_velocities.iter().zip([-0.1, 0.0]) {
            assert!((velocity - asked).abs() < 1e-6, "{solver:?}: {velocity}");
        }
    }
}

#[test]
fn a_free_deformation_counts_as_relative_velocity() {
    // A floor that is still and a block that would not move, but its base swells towards the floor.
    let mut problem = wall(1, 1, DVec3::ZERO, 1e-3, 0.5);
    for contact in &mut problem.contacts {
        contact.free_deformation = dvec3(0.0, 0.0, -0.2);
    }
    let solution = solve(&problem, Solver::Auto, Friction::Associated, 1e-8);
    let v = solution.velocities[1].linear;
    assert!(v.distance(dvec3(0.0, 0.0, 0.2)) < 1e-6, "{v}");
    assert!(solution.relative_velocities.iter().all(|u| u.length() < 1e-6));
}

#[test]
fn a_deformation_that_fits_no_problem_is_refused() {
    let sound = deformable(2, 1e-2);
    let refused = |change: &dyn Fn(&mut Deformation), says: &str| {
        let mut problem = sound.clone();
        change(&mut problem.deformations[0]);
        let error = Engine::default().solve(&problem).map(|_| ()).unwrap_err();
        assert!(matches!(error, ProblemError::Shape(_)));
        assert!(error.to_string().contains(says), "{error}");
    };
    refused(&|d| d.contacts[0] = 10_000, "does not act on it");
    refused(&|d| d.contacts.swap(0, 1), "rising order");
    refused(&|d| d.compliance.truncate(9), "numbers for");
    refused(&|d| d.compliance[1] += 1.0, "not symmetric");
    refused(&|d| d.compliance[0] = f64::NAN, "no number");
    refused(&|d| d.compliance[0] = -1.0, "negative");
    let mut twice = sound.clone();
    let again = twice.deformations[0].clone();
    twice.deformations.push(again);
    assert!(Engine::default().solve(&twice).is_err());
    let contact = Contact {
        free_deformation: DVec3::NAN,
        ..sound.contacts[0]
    };
    let mut problem = sound.clone();
    problem.contacts[0] = contact;
    assert!(Engine::default().solve(&problem).is_err());
}

#[test]
fn rigid_bodies_after_deformable_ones_give_the_bits_of_a_new_engine() {
    let (rigid, soft) = (pushed(3), deformable(3, 1e-2));
    let mut used = Engine::default();
    used.solve(&soft).unwrap();
    used.forget();
    let after = used.solve(&rigid).unwrap().clone();
    let fresh = Engine::default().solve(&rigid).unwrap().clone();
    assert_eq!(after.velocities, fresh.velocities);
    assert_eq!(after.impulses, fresh.impulses);
}
