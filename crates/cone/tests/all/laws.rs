//! Laws of mechanics that a solution must obey: restitution, energy, links, driven bodies, free flight; what has no
//! solution; and what is no problem.

use crate::common::{G, block, incline_block, mass_norm, patch, settings, solve, wall};
use drystone_cone::{
    Body, BodyMotion, Contact, Engine, Friction, Link, Problem, ProblemError, Solution, Solver, SolverSettings, Status,
    Twist,
};
use glam::{DMat3, DVec3, dvec3};

const ALL: [Solver; 7] = [
    Solver::Auto,
    Solver::Interior,
    Solver::Semismooth,
    Solver::Spg,
    Solver::Apgd,
    Solver::Nlgs,
    Solver::Clarabel,
];
const DT: f64 = 0.01;
/// Velocities are found to the root of the gap that Clarabel stops at, or better.
const CLOSE: f64 = 1e-6;

fn tight(solver: Solver) -> SolverSettings {
    settings(solver, Friction::Associated, 1e-7)
}

fn moving(linear: DVec3) -> Twist {
    Twist {
        linear,
        angular: DVec3::ZERO,
    }
}

fn near(found: DVec3, expected: DVec3, tolerance: f64, what: &str) {
    let off = (found - expected).length();
    assert!(off <= tolerance, "{what}: {found} is not {expected} (off by {off:.1e})");
}

/// A cube of 1 m on a floor that moves, with velocities before the step and at its end if nothing touched it.
fn falling(before: DVec3, free: DVec3, floor: DVec3, restitution: f64) -> Problem {
    let mut cube = block(0.5 * DVec3::Z, DVec3::ONE, DVec3::ZERO, DT);
    if let BodyMotion::Free {
        free_velocity,
        velocity_before,
        ..
    } = &mut cube.motion
    {
        (*free_velocity, *velocity_before) = (moving(free), moving(before));
    }
    let mut contacts = patch([0, 1], DVec3::ZERO, DVec3::Z, DVec3::X, DVec3::Y, 0.0).to_vec();
    contacts.iter_mut().for_each(|c| c.restitution = restitution);
    Problem {
        bodies: vec![Body::driven(DVec3::ZERO, moving(floor)), cube],
        contacts,
        links: Vec::new(),
        deformations: Vec::new(),
        dt: DT,
    }
}

#[test]
fn a_falling_block_rebounds_with_e_times_its_speed_and_keeps_what_is_along_the_floor() {
    let before = dvec3(0.7, -0.2, -2.0);
    let free = before - G * DT * DVec3::Z;
    for solver in ALL {
        for e in [0.0, 0.5, 1.0] {
            let solution = solve(&falling(before, free, DVec3::ZERO, e), tight(solver));
            let v = solution.velocities[1];
            near(v.linear, dvec3(0.7, -0.2, 2.0 * e), CLOSE, &format!("{solver:?} {e}"));
            near(v.angular, DVec3::ZERO, CLOSE, &format!("{solver:?} {e}"));
        }
    }
}

#[test]
fn a_block_rebounds_relative_to_the_floor_that_hits_it() {
    let floor = dvec3(0.3, 0.0, 1.5);
    let before = dvec3(0.0, 0.0, -2.0);
    for solver in ALL {
        for e in [0.0, 0.5, 1.0] {
            let solution = solve(&falling(before, before, floor, e), tight(solver));
            // Newton's law: the relative velocity turns round, times e.
            near(
                solution.velocities[1].linear,
                dvec3(0.0, 0.0, 1.5 + 3.5 * e),
                CLOSE,
                &format!("{solver:?} {e}"),
            );
        }
    }
}

#[test]
fn a_point_mass_rebounds_from_another_by_momentum_and_newtons_law() {
    // 1 kg at 3 m/s meets 2 kg at rest: v1 = (1 - 2 e), v2 = (1 + e) by conservation and v2 - v1 = 3 e.
    let point = |x: f64, m: f64, v: f64| {
        Body::free(
            x * DVec3::X,
            m,
            DMat3::from_diagonal(DVec3::splat(1e-3 * m)),
            moving(v * DVec3::X),
        )
    };
    for solver in ALL {
        for e in [0.0, 0.5, 1.0] {
            let contact = Contact {
                restitution: e,
                ..Contact::new([0, 1], DVec3::ZERO, DVec3::X, 0.0, 0.4)
            };
            let problem = Problem {
                bodies: vec![point(-0.1, 1.0, 3.0), point(0.1, 2.0, 0.0)],
                contacts: vec![contact],
                links: Vec::new(),
                deformations: Vec::new(),
                dt: DT,
            };
            let solution = solve(&problem, tight(solver));
            let [first, second] = [0, 1].map(|b| solution.velocities[b].linear.x);
            let what = format!("{solver:?} {e}: {first} {second}");
            assert!((first - (1.0 - 2.0 * e)).abs() < 1e-5, "{what}");
            assert!((second - (1.0 + e)).abs() < 1e-5, "{what}");
        }
    }
}

/// Repeatable numbers from -1 to 1.
fn noise(seed: &mut u64) -> f64 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

#[test]
fn without_restitution_contacts_never_add_energy() {
    // Rigid contacts at zero gap on a still base: v = 0 is admissible, and v is the admissible velocity nearest to the
    // free one by the mass, so |v| <= |v_free|, and impulses do no work: v . H (v - v_free) = 0.
    let mut seed = 7;
    for solver in ALL {
        for _ in 0..6 {
            let mut problem = wall(3, 3, DVec3::ZERO, DT, 0.5 + 0.5 * noise(&mut seed));
            for body in &mut problem.bodies[1..] {
                let mut vector = |scale: f64| scale * dvec3(noise(&mut seed), noise(&mut seed), noise(&mut seed));
                let twist = Twist {
                    linear: vector(1.0),
                    angular: vector(5.0),
                };
                if let BodyMotion::Free {
                    free_velocity,
                    velocity_before,
                    ..
                } = &mut body.motion
                {
                    (*free_velocity, *velocity_before) = (twist, twist);
                }
            }
            let free = crate::common::free_velocities(&problem);
            let before = mass_norm(&problem, &free);
            let solution = solve(&problem, settings(solver, Friction::Associated, 1e-5));
            let after = mass_norm(&problem, &solution.velocities);
            let error = solution.residuals.velocity_error;
            // Methods that are made for other problems may fail on such an impact, but then say so.
            if matches!(solver, Solver::Auto | Solver::Interior) {
                assert!(error <= 1e-5, "{solver:?} {:?} {error:.1e}", solution.status);
            }
            println!(
                "{solver:?} {:?} {error:.1e} it {}",
                solution.status, solution.iterations
            );
            assert!(after <= before * (1.0 + error), "{solver:?}: {before} to {after}");
            // By Pythagoras, then: what is left and what was taken.
            let taken = mass_norm(&problem, &crate::common::less(&solution.velocities, &free));
            let sum = (after * after + taken * taken).sqrt();
            assert!(
                (sum - before).abs() <= 2.0 * error * before,
                "{solver:?}: {sum} of {before}"
            );
        }
    }
}

/// A cube that hangs on links from body 0 and would move at `free`.
fn hung(links: Vec<Link>, free: DVec3) -> Problem {
    Problem {
        bodies: vec![Body::fixed(), block(DVec3::ZERO, DVec3::ONE, free / DT, DT)],
        contacts: Vec::new(),
        links,
        deformations: Vec::new(),
        dt: DT,
    }
}

#[test]
fn a_tie_rod_pulls_does_not_push_and_lets_its_slack_go_first() {
    let (anchor, top) = (3.0 * DVec3::Z, 0.5 * DVec3::Z);
    let tie = |slack| vec![Link::tie([0, 1], anchor, top, slack)];
    for solver in ALL {
        let name = format!("{solver:?}");
        // Away from the anchor: it holds. Slack over the step is left first. Towards it, or too slack: nothing.
        for (slack, free, expected, impulse) in [
            (0.0, -1.0, 0.0, 1000.0),
            (0.004, -1.0, -0.4, 600.0),
            (0.02, -1.0, -1.0, 0.0),
            (0.0, 1.0, 1.0, 0.0),
        ] {
            let solution = solve(&hung(tie(slack), free * DVec3::Z), tight(solver));
            near(solution.velocities[1].linear, expected * DVec3::Z, CLOSE, &name);
            let found = solution.link_impulses[0];
            assert!((found - impulse).abs() < 1e-2, "{name}: {found} is not {impulse}");
        }
    }
}

#[test]
fn a_rigid_link_pulls_and_pushes_and_undoes_its_error() {
    let (anchor, top) = (3.0 * DVec3::Z, 0.5 * DVec3::Z);
    for solver in ALL {
        let name = format!("{solver:?}");
        for (offset, free) in [(0.0, -1.0), (0.0, 1.0), (0.003, 0.5), (-0.003, 0.5)] {
            let rod = Link::rod([0, 1], anchor, top, offset);
            let solution = solve(&hung(vec![rod], dvec3(0.2, 0.0, free)), tight(solver));
            // The rod acts along z through the centre, towards the anchor: w . v + offset / dt = 0.
            let expected = -offset / DT;
            near(solution.velocities[1].linear, dvec3(0.2, 0.0, expected), CLOSE, &name);
            let impulse = 1000.0 * (expected - free);
            let found = solution.link_impulses[0];
            assert!((found - impulse).abs() < 1e-2, "{name}: {found} is not {impulse}");
        }
    }
}

#[test]
fn a_compliant_link_yields_in_proportion() {
    // m (v - v_free) = r and v + e r = 0.
    let (m, e) = (1000.0, 2e-3);
    let link = Link {
        compliance: e,
        ..Link::rod([0, 1], 3.0 * DVec3::Z, 0.5 * DVec3::Z, 0.0)
    };
    let r = m / (1.0 + m * e);
    for solver in ALL {
        let solution = solve(&hung(vec![link], -DVec3::Z), tight(solver));
        let found = solution.link_impulses[0];
        assert!((found - r).abs() < 1e-5 * r, "{solver:?}: {found} is not {r}");
        near(
            solution.velocities[1].linear,
            -e * r * DVec3::Z,
            CLOSE,
            &format!("{solver:?}"),
        );
    }
}

#[test]
fn a_ball_joint_and_three_turns_make_two_bodies_one() {
    // Two cubes side by side, made one, on a small foot below the first: the pair tips as one body would that has their
    // mass, and their inertia about the common centre (Steiner).
    let load = dvec3(0.3 * G, 0.2 * G, -G);
    let foot = |bodies| {
        patch(
            bodies,
            dvec3(-0.5, 0.0, 0.0),
            DVec3::Z,
            0.6 * DVec3::X,
            0.6 * DVec3::Y,
            0.5,
        )
    };
    let at = |x: f64| dvec3(x, 0.0, 0.5);
    let mut two = Problem {
        bodies: vec![
            Body::fixed(),
            block(at(-0.5), DVec3::ONE, load, DT),
            block(at(0.5), DVec3::ONE, load, DT),
        ],
        contacts: foot([0, 1]).to_vec(),
        links: Link::ball([1, 2], at(0.0)).to_vec(),
        deformations: Vec::new(),
        dt: DT,
    };
    two.links
        .extend([DVec3::X, DVec3::Y, DVec3::Z].map(|axis| Link::turn([1, 2], axis)));
    let (m, own) = (1000.0, 1000.0 / 6.0);
    let steiner = m * 0.25;
    let inertia = 2.0 * dvec3(own, own + steiner, own + steiner);
    let joined = Body::free(at(0.0), 2.0 * m, DMat3::from_diagonal(inertia), moving(load * DT));
    let one = Problem {
        bodies: vec![Body::fixed(), joined],
        contacts: foot([0, 1]).to_vec(),
        links: Vec::new(),
        deformations: Vec::new(),
        dt: DT,
    };
    let whole = solve(&one, settings(Solver::Interior, Friction::Associated, 1e-8)).velocities[1];
    assert!(whole.angular.length() > 0.01 * G * DT, "it must tip: {whole:?}");
    for solver in ALL {
        let solution = solve(&two, tight(solver));
        for (b, x) in [(1, -0.5), (2, 0.5)] {
            let v = solution.velocities[b];
            let name = format!("{solver:?}");
            near(v.angular, whole.angular, 1e-5 * G * DT, &name);
            near(v.linear, whole.at(x * DVec3::X), 1e-5 * G * DT, &name);
        }
    }
}

#[test]
fn a_driven_body_pushes_a_block_over_a_rough_floor() {
    // Pushed at the height of its centre, at a speed that the floor's friction cannot stop. Along the push the block
    // moves with the driven body; the floor's law then makes it lift by mu times that. The pusher has no friction, so
    // the resultant of floor and weight must pass through the centre for it not to turn: the cube is wide enough.
    let (speed, mu) = (0.4, 0.3);
    let mut problem = incline_block(0.0, mu, DT);
    problem.bodies.push(Body::driven(DVec3::ZERO, moving(speed * DVec3::X)));
    let face = dvec3(-0.5, 0.0, 0.5);
    problem
        .contacts
        .extend(patch([2, 1], face, DVec3::X, DVec3::Y, DVec3::Z, 0.0));
    for solver in ALL {
        let name = format!("{solver:?}");
        let solution = solve(&problem, tight(solver));
        near(solution.velocities[1].linear, speed * dvec3(1.0, 0.0, mu), CLOSE, &name);
        let floor: DVec3 = solution.impulses[..4].iter().sum();
        // m (v_z - v_free) = r_n, and the floor drags by mu r_n.
        let normal = 1000.0 * (mu * speed + G * DT);
        near(floor, normal * dvec3(-mu, 0.0, 1.0), 1e-5 * normal, &name);
        let push: DVec3 = solution.impulses[4..].iter().sum();
        near(push, (1000.0 * speed + mu * normal) * DVec3::X, 1e-5 * normal, &name);
    }
}

#[test]
fn a_driven_body_with_friction_lifts_a_block_that_it_presses_on_a_smooth_wall() {
    // A jaw that moves in and up at a slope within friction's reach carries the block with it: sticking, no slip.
    let mut problem = Problem {
        bodies: vec![
            Body::driven(DVec3::ZERO, moving(dvec3(0.5, 0.0, 0.2))),
            block(0.5 * DVec3::X, DVec3::ONE, DVec3::ZERO, DT),
        ],
        contacts: patch([0, 1], DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, 0.5).to_vec(),
        links: Vec::new(),
        deformations: Vec::new(),
        dt: DT,
    };
    for solver in ALL {
        let solution = solve(&problem, tight(solver));
        let v = solution.velocities[1];
        near(v.linear, dvec3(0.5, 0.0, 0.2), CLOSE, &format!("{solver:?}"));
    }
    // Without friction it goes in only.
    problem.contacts.iter_mut().for_each(|c| c.friction = 0.0);
    for solver in ALL {
        let solution = solve(&problem, tight(solver));
        near(
            solution.velocities[1].linear,
            0.5 * DVec3::X,
            CLOSE,
            &format!("{solver:?}"),
        );
    }
}

#[test]
fn in_free_flight_impulses_are_exactly_zero_and_velocities_the_free_ones() {
    let mut problem = wall(3, 2, -G * DVec3::Z, DT, 0.5);
    problem.contacts.iter_mut().for_each(|c| {
        c.gap = 1.0;
        c.guess = 3.0 * c.normal;
    });
    problem
        .links
        .push(Link::tie([0, 1], 3.0 * DVec3::Z, 0.2 * DVec3::Z, 1.0));
    let free = crate::common::free_velocities(&problem);
    for solver in ALL {
        for friction in [Friction::Associated, Friction::Coulomb] {
            let solution = solve(&problem, settings(solver, friction, 1e-6));
            assert_eq!(solution.status, Status::Solved);
            assert!(solution.impulses.iter().all(|r| *r == DVec3::ZERO), "{solver:?}");
            assert_eq!(solution.link_impulses, [0.0]);
            assert_eq!(solution.velocities, free, "{solver:?}");
        }
    }
}

#[test]
fn a_problem_of_nothing_is_solved() {
    let nothing = Problem {
        dt: DT,
        ..Problem::default()
    };
    let alone = Problem {
        bodies: vec![Body::fixed(), block(DVec3::ZERO, DVec3::ONE, -G * DVec3::Z, DT)],
        dt: DT,
        ..Problem::default()
    };
    for solver in ALL {
        for problem in [&nothing, &alone] {
            let solution = solve(problem, tight(solver));
            assert_eq!(solution.status, Status::Solved, "{solver:?}");
            assert_eq!(solution.velocities, crate::common::free_velocities(problem));
        }
    }
}

/// A cube between two walls that close on it.
pub(crate) fn crushed() -> Problem {
    let jaw = |x: f64| Body::driven(x * DVec3::X, moving(-x * DVec3::X));
    let mut contacts = patch([0, 1], -0.5 * DVec3::X, DVec3::X, DVec3::Y, DVec3::Z, 0.5).to_vec();
    contacts.extend(patch([1, 2], 0.5 * DVec3::X, DVec3::X, DVec3::Y, DVec3::Z, 0.5));
    Problem {
        bodies: vec![jaw(-1.0), block(DVec3::ZERO, DVec3::ONE, -G * DVec3::Z, DT), jaw(1.0)],
        contacts,
        links: Vec::new(),
        deformations: Vec::new(),
        dt: DT,
    }
}

/// Impulses prove that no velocities will do: they lie in their cones, hold every free body, and work against what the
/// contacts would have to do (Farkas).
fn assert_proves(problem: &Problem, solution: &Solution) {
    let size: f64 = solution.impulses.iter().map(|r| r.length()).sum();
    assert!(size > 0.0 && size.is_finite());
    let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
    let mut work = 0.0;
    for (contact, r) in problem.contacts.iter().zip(&solution.impulses) {
        let normal = r.dot(contact.normal);
        let across = (*r - normal * contact.normal).length();
        assert!(
            across <= contact.friction * normal + 1e-9 * size,
            "outside of its cone: {r}"
        );
        for (b, sign) in [(contact.bodies[0], -1.0), (contact.bodies[1], 1.0)] {
            let body = &problem.bodies[b as usize];
            match &body.motion {
                BodyMotion::Free { free_velocity, .. } => {
                    let arm = contact.point - body.center;
                    force += sign * *r;
                    moment += sign * arm.cross(*r);
                    work += sign * r.dot(free_velocity.at(arm));
                }
                BodyMotion::Driven { velocity } => work += sign * r.dot(velocity.at(contact.point - body.center)),
            }
        }
        work += normal * contact.gap / problem.dt;
    }
    assert!(
        force.length() + moment.length() <= 1e-6 * size,
        "{force} {moment} of {size}"
    );
    assert!(work < 0.0, "{work}");
}

#[test]
fn a_block_crushed_between_closing_walls_is_proved_infeasible() {
    let problem = crushed();
    for solver in [Solver::Interior, Solver::Auto] {
        let solution = solve(&problem, settings(solver, Friction::Associated, 1e-6));
        assert_eq!(solution.status, Status::Infeasible, "{solver:?}");
        assert_proves(&problem, &solution);
    }
}

#[test]
fn with_coulomb_friction_the_crushed_block_is_proved_infeasible_too() {
    let problem = crushed();
    let solution = solve(&problem, settings(Solver::Interior, Friction::Coulomb, 1e-6));
    assert_eq!(solution.status, Status::Infeasible);
    assert_proves(&problem, &solution);
}

/// A block that leaves a closing wedge fast enough has a solution with Coulomb friction: no impulse. With associated
/// friction it would have to open the joints by the friction coefficient times its slip, faster than the wedge allows;
/// that must not be taken for a proof.
#[test]
fn a_block_that_leaves_a_closing_wedge_is_not_called_infeasible() {
    let (slope, friction) = (10_f64.to_radians(), 0.5);
    let side = |sign: f64| dvec3(sign * slope.cos(), 0.0, slope.sin());
    let close = |sign: f64| Body::driven(-sign * DVec3::X, moving(0.01 * sign * DVec3::X));
    let leaving = Body::free(DVec3::ZERO, 1.0, glam::DMat3::IDENTITY, moving(DVec3::Z));
    let resting = block(10.0 * DVec3::Y, DVec3::ONE, -G * DVec3::Z, DT);
    let mut contacts = vec![
        Contact::new([0, 2], -0.5 * DVec3::X, side(1.0), 0.0, friction),
        Contact::new([1, 2], 0.5 * DVec3::X, side(-1.0), 0.0, friction),
    ];
    let foot = 10.0 * DVec3::Y - 0.5 * DVec3::Z;
    contacts.extend(patch([4, 3], foot, DVec3::Z, DVec3::X, DVec3::Y, friction));
    let problem = Problem {
        bodies: vec![close(1.0), close(-1.0), leaving, resting, Body::fixed()],
        contacts,
        links: Vec::new(),
        deformations: Vec::new(),
        dt: DT,
    };
    for solver in [Solver::Auto, Solver::Interior, Solver::Semismooth, Solver::Clarabel] {
        let solution = solve(&problem, settings(solver, Friction::Coulomb, 1e-7));
        assert_eq!(solution.status, Status::Solved, "{solver:?}");
        assert!((solution.velocities[2].linear - DVec3::Z).length() < 1e-6, "{solver:?}");
        assert!(solution.velocities[3].linear.length() < 1e-5 * G * DT, "{solver:?}");
    }
}

#[test]
fn a_coarse_tolerance_is_no_error() {
    for solver in ALL {
        let solution = solve(&crushed(), settings(solver, Friction::Coulomb, 0.5));
        assert!(solution.impulses.iter().all(|r| r.is_finite()), "{solver:?}");
    }
}

#[test]
fn what_has_no_solution_is_never_called_solved() {
    for solver in ALL {
        for friction in [Friction::Associated, Friction::Coulomb] {
            let solution = solve(&crushed(), settings(solver, friction, 1e-6));
            assert_ne!(solution.status, Status::Solved, "{solver:?} {friction:?}");
            assert!(solution.impulses.iter().all(|r| r.is_finite()), "{solver:?}");
            assert!(
                solution
                    .velocities
                    .iter()
                    .all(|v| v.linear.is_finite() && v.angular.is_finite()),
                "{solver:?}"
            );
        }
    }
}

#[test]
fn with_compliance_the_crushed_block_has_a_solution_with_the_force_of_the_springs() {
    // Each joint of four must yield by 1 m/s: r = 1 / e per contact; the block stays in the middle and friction, with
    // tangential compliance, holds its weight by sinking: 8 r_t = m (g dt - v), v = e_t r_t.
    let (e, et, m) = (1e-3, 1e-4, 1000.0);
    let mut problem = crushed();
    problem.contacts.iter_mut().for_each(|c| c.compliance = [e, et]);
    let sinking = m * G * DT / (m + 8.0 / et);
    for solver in ALL {
        let solution = solve(&problem, settings(solver, Friction::Associated, 1e-6));
        assert!(
            solution.residuals.natural_map <= 1e-9,
            "{solver:?} {:?}",
            solution.residuals
        );
        near(
            solution.velocities[1].linear,
            -sinking * DVec3::Z,
            CLOSE,
            &format!("{solver:?}"),
        );
        for (contact, r) in problem.contacts.iter().zip(&solution.impulses) {
            assert!((r.dot(contact.normal) - 1.0 / e).abs() < 1e-4 / e, "{solver:?}: {r}");
        }
    }
}

#[test]
fn what_is_no_problem_is_refused_and_the_engine_goes_on() {
    let good = incline_block(0.3, 0.5, DT);
    let mut engine = Engine::new(SolverSettings::default());
    let mut refused = |change: &dyn Fn(&mut Problem)| {
        let mut problem = good.clone();
        problem.links.push(Link::rod([0, 1], 3.0 * DVec3::Z, DVec3::Z, 0.0));
        change(&mut problem);
        let error = engine.solve(&problem).map(|_| ()).unwrap_err();
        assert_eq!(engine.solve(&good).unwrap().status, Status::Solved);
        assert!(!error.to_string().is_empty());
        error
    };
    type Change = Box<dyn Fn(&mut Problem)>;
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(refused(&|p| p.dt = dt), ProblemError::TimeStep(_)));
    }
    let not_finite: Vec<(&str, usize, Change)> = vec![
        ("contact", 2, Box::new(|p| p.contacts[2].point.x = f64::NAN)),
        ("contact", 2, Box::new(|p| p.contacts[2].gap = f64::INFINITY)),
        ("contact", 2, Box::new(|p| p.contacts[2].slip.y = f64::NAN)),
        ("contact", 2, Box::new(|p| p.contacts[2].guess.z = f64::NAN)),
        ("body", 1, Box::new(|p| p.bodies[1].center.x = f64::NAN)),
        (
            "body",
            0,
            Box::new(|p| {
                p.bodies[0] = Body::driven(DVec3::ZERO, moving(f64::NAN * DVec3::X));
            }),
        ),
        (
            "body",
            1,
            Box::new(|p| {
                p.bodies[1] = block(DVec3::ZERO, DVec3::ONE, f64::INFINITY * DVec3::Z, DT);
            }),
        ),
        ("link", 0, Box::new(|p| p.links[0].force.x = f64::NAN)),
        ("link", 0, Box::new(|p| p.links[0].offset = f64::NAN)),
        ("link", 0, Box::new(|p| p.links[0].guess = f64::NAN)),
    ];
    for (kind, place, change) in not_finite {
        match refused(&change) {
            ProblemError::NotFinite { what, index, .. } => assert_eq!((what, index), (kind, place)),
            other => panic!("{kind} {place}: {other}"),
        }
    }
    let out_of_range: Vec<(usize, Change)> = vec![
        (1, Box::new(|p| p.contacts[1].friction = -0.1)),
        (1, Box::new(|p| p.contacts[1].friction = f64::NAN)),
        (1, Box::new(|p| p.contacts[1].friction = f64::INFINITY)),
        (1, Box::new(|p| p.contacts[1].restitution = 1.5)),
        (1, Box::new(|p| p.contacts[1].restitution = -0.5)),
        (1, Box::new(|p| p.contacts[1].compliance[0] = -1.0)),
        (1, Box::new(|p| p.contacts[1].compliance[1] = f64::NAN)),
        (1, Box::new(|p| p.contacts[1].normal *= 1.01)),
        (1, Box::new(|p| p.contacts[1].normal = DVec3::ZERO)),
        (1, Box::new(|p| p.contacts[1].normal.x = f64::NAN)),
        (0, Box::new(|p| p.links[0].compliance = -1.0)),
    ];
    for (place, change) in out_of_range {
        match refused(&change) {
            ProblemError::OutOfRange { index, .. } => assert_eq!(index, place),
            other => panic!("{place}: {other}"),
        }
    }
    assert!(matches!(
        refused(&|p| p.contacts[3].bodies = [0, 9]),
        ProblemError::NoSuchBody {
            what: "contact",
            index: 3,
            body: 9,
            bodies: 2
        }
    ));
    assert!(matches!(
        refused(&|p| p.links[0].bodies = [5, 1]),
        ProblemError::NoSuchBody {
            what: "link",
            index: 0,
            body: 5,
            bodies: 2
        }
    ));
    assert!(matches!(
        refused(&|p| p.contacts[0].bodies = [1, 1]),
        ProblemError::SameBody {
            what: "contact",
            index: 0,
            body: 1
        }
    ));
    assert!(matches!(
        refused(&|p| p.links[0].bodies = [0, 0]),
        ProblemError::SameBody {
            what: "link",
            index: 0,
            body: 0
        }
    ));
    let masses: [fn(&mut [[f64; 6]; 6]); 5] = [
        |m| m[0][0] = 0.0,
        |m| m[4][4] = -1.0,
        |m| m[1][2] = 10.0,
        |m| (m[0][1], m[1][0]) = (2000.0, 2000.0),
        |m| m[3][3] = f64::NAN,
    ];
    for change in masses {
        let error = refused(&|p| {
            if let BodyMotion::Free { mass, .. } = &mut p.bodies[1].motion {
                change(mass);
            }
        });
        assert_eq!(error, ProblemError::Mass { body: 1 });
    }
}
