//! Forces at rest: they balance the loads, stay in their cones, and act only where joints are closed and against their
//! slip, all computed from the problem as stated.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use drystone_cone::{
    Balance, Body, BodyMotion, Contact, Engine, Equilibrium, EquilibriumSettings, Friction, Link, LinkKind, Problem,
    ProblemError, Solver, SolverSettings, Status, Stop, Twist, Wrench,
};
use glam::{DMat3, DQuat, DVec3, dvec3};

/// What is left of each law: of the balance over the largest load, of lengths over the gap, of forces over the load.
#[derive(Debug)]
struct Check {
    balance: f64,
    cone: f64,
    /// How far joints overlap beyond their gap.
    overlap: f64,
    /// Normal force where the joint is open: the lesser of force and opening.
    complementarity: f64,
    /// With Coulomb friction: part of the force that is not opposite to the slip, or not at the bound where it slips.
    alignment: f64,
}

impl Check {
    fn worst(&self) -> f64 {
        let both = self.balance.max(self.cone).max(self.overlap);
        both.max(self.complementarity).max(self.alignment)
    }
}

/// Checks every equation. `size` is a load and `gap` a length to measure by.
fn check(
    problem: &Problem,
    loads: &[Wrench],
    solution: &Balance,
    friction: Friction,
    (size, gap): (f64, f64),
) -> Check {
    let mut left: Vec<(DVec3, DVec3)> = loads.iter().map(|l| (l.force, l.moment)).collect();
    let mut found = Check {
        balance: 0.0,
        cone: 0.0,
        overlap: 0.0,
        complementarity: 0.0,
        alignment: 0.0,
    };
    let widest = solution.relative.iter().fold(gap, |a, d| a.max(d.length()));
    let mut arm: f64 = 0.0;
    for (contact, r) in problem.contacts.iter().zip(&solution.forces) {
        let [i, j] = contact.bodies.map(|b| b as usize);
        let mut moved = DVec3::ZERO;
        for (b, sign) in [(i, -1.0), (j, 1.0)] {
            let (to, motion) = (contact.point - problem.bodies[b].center, solution.motions[b]);
            left[b].0 += sign * *r;
            left[b].1 += sign * to.cross(*r);
            moved += sign * (motion.linear + motion.angular.cross(to));
            if matches!(problem.bodies[b].motion, BodyMotion::Free { .. }) {
                arm = arm.max(to.length());
            }
        }
        let (n, mu) = (contact.normal, contact.friction);
        let (rn, un) = (r.dot(n), moved.dot(n) + contact.gap + contact.compliance[0] * r.dot(n));
        let rt = *r - rn * n;
        let ut = moved - moved.dot(n) * n + contact.compliance[1] * rt;
        found.cone = found.cone.max((rt.length() - mu * rn).max(-rn) / size);
        // By associated friction a joint that slips opens.
        let open = match friction {
            Friction::Coulomb => un,
            Friction::Associated => un - mu * ut.length(),
        } / widest;
        found.overlap = found.overlap.max(-open);
        let slips = ut.length() / widest;
        found.complementarity = found.complementarity.max((rn / size).min(open));
        let expected = -mu * rn * ut.normalize_or_zero();
        found.alignment = found.alignment.max(((rt - expected).length() / size).min(slips));
    }
    for (b, (force, moment)) in left.iter().enumerate() {
        if matches!(problem.bodies[b].motion, BodyMotion::Free { .. }) {
            found.balance = found.balance.max(force.length().max(moment.length() / arm) / size);
        }
    }
    found
}

/// Boxes, the first of them fixed, and contacts at points given with their bodies and normals.
fn bodies(boxes: &[(DVec3, DVec3)], fixed: usize, density: f64) -> (Vec<Body>, Vec<f64>) {
    let mut masses = Vec::new();
    let all = boxes.iter().enumerate().map(|(k, (center, size))| {
        let mass = density * size.element_product();
        masses.push(mass);
        if k < fixed {
            return Body::driven(*center, Twist::ZERO);
        }
        let square = *size * *size;
        let inertia = DVec3::splat(square.element_sum()) - square;
        Body::free(
            *center,
            mass,
            DMat3::from_diagonal(inertia * (mass / 12.0)),
            Twist::ZERO,
        )
    });
    (all.collect(), masses)
}

/// The corners of a rectangle around a point, its sides along two axes.
fn corners(center: DVec3, a: DVec3, b: DVec3) -> [DVec3; 4] {
    [center - a - b, center + a - b, center + a + b, center - a + b]
}

struct Case {
    problem: Problem,
    loads: Vec<Wrench>,
    size: f64,
    gap: f64,
}

impl Case {
    /// Gaps and compliance follow the scales of length and load.
    fn new(
        boxes: &[(DVec3, DVec3)],
        fixed: usize,
        joints: &[([u32; 2], DVec3, DVec3)],
        mu: f64,
        down: DVec3,
        (length, load): (f64, f64),
    ) -> Self {
        let scaled: Vec<_> = boxes.iter().map(|(c, s)| (*c * length, *s * length)).collect();
        let (bodies, masses) = bodies(&scaled, fixed, load / length.powi(3));
        let gap = 1e-3 * length;
        let contact = |&(bodies, point, normal): &([u32; 2], DVec3, DVec3)| {
            let mut contact = Contact::new(bodies, point * length, normal, gap, mu);
            contact.compliance = [0.0, 1e-3 * gap / load];
            contact
        };
        let contacts = joints.iter().map(contact).collect();
        let loads = masses.iter().map(|m| Wrench {
            force: *m * down,
            moment: DVec3::ZERO,
        });
        Self {
            loads: loads.collect(),
            problem: Problem {
                bodies,
                contacts,
                links: vec![],
                deformations: Vec::new(),
                dt: 1.0,
            },
            size: load,
            gap,
        }
    }

    fn solve(&self, friction: Friction) -> Balance {
        let settings = EquilibriumSettings {
            friction,
            ..EquilibriumSettings::default()
        };
        let mut solver = Equilibrium::new(settings);
        solver.solve(&self.problem, &self.loads).unwrap().clone()
    }

    /// Solved, and every equation satisfied.
    fn assert_solved(&self, friction: Friction, what: &str) {
        let solution = self.solve(friction);
        assert_eq!(solution.status, Status::Solved, "{what} {friction:?}: {}", solution.gap);
        let found = check(&self.problem, &self.loads, &solution, friction, (self.size, self.gap));
        // The method stops by r.z <= 1e-10, which falls with the square of the angle between friction and slip: that angle is
        // known to the root of it.
        assert!(found.alignment < 1e-5, "{what} {friction:?}: {found:?}");
        let aligned = Check {
            alignment: 0.0,
            ..found
        };
        assert!(aligned.worst() < 1e-6, "{what} {friction:?}: {found:?}");
        assert!(found.balance < 1e-8, "{what} {friction:?}: {found:?}");
    }
}

const SCALES: [(f64, f64); 5] = [(1.0, 1.0), (1e-3, 1.0), (1e3, 1.0), (1.0, 1e-3), (1.0, 1e3)];

/// A cube on a plane, gravity turned by an angle; joints may be given several times over.
fn incline(angle: f64, mu: f64, times: usize, scales: (f64, f64)) -> Case {
    let boxes = [(dvec3(0.0, 0.0, -1.0), DVec3::ONE), (dvec3(0.0, 0.0, 0.5), DVec3::ONE)];
    let at = corners(DVec3::ZERO, 0.5 * DVec3::X, 0.5 * DVec3::Y);
    let joints: Vec<_> = (0..times).flat_map(|_| at).map(|p| ([0, 1], p, DVec3::Z)).collect();
    let down = DQuat::from_rotation_y(-angle) * DVec3::NEG_Z;
    Case::new(&boxes, 1, &joints, mu, down, scales)
}

/// A cube between two walls that hold it by friction alone.
fn squeezed() -> Case {
    let walls = [-1.5, 1.5, 0.0];
    let boxes = walls.map(|x| (dvec3(x, 0.0, 0.0), DVec3::ONE));
    let mut joints = Vec::new();
    for (wall, x) in [(0, -0.5), (1, 0.5)] {
        let normal = dvec3(-f64::signum(x), 0.0, 0.0);
        for p in corners(x * DVec3::X, 0.5 * DVec3::Y, 0.5 * DVec3::Z) {
            joints.push(([wall, 2], p, normal));
        }
    }
    Case::new(&boxes, 2, &joints, 0.8, DVec3::NEG_Z, (1.0, 1.0))
}

/// Boxes of several widths on top of each other.
fn tower(seed: u64, count: usize, scales: (f64, f64)) -> Case {
    let mut state = seed;
    let mut random = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut boxes = vec![(dvec3(0.0, 0.0, -0.5), dvec3(2.0, 2.0, 1.0))];
    let mut joints = Vec::new();
    let mut z = 0.0;
    for k in 1..=count {
        let size = dvec3(1.0 + 0.5 * random(), 1.0 + 0.5 * random(), 0.3 + 0.4 * random());
        let center = dvec3(0.1 * random() - 0.05, 0.1 * random() - 0.05, z + 0.5 * size.z);
        let below = boxes[k - 1];
        let low = (center - 0.5 * size).max(below.0 - 0.5 * below.1);
        let high = (center + 0.5 * size).min(below.0 + 0.5 * below.1);
        let half = 0.5 * (high - low);
        let middle = (0.5 * (low + high)).with_z(z);
        for p in corners(middle, half.x * DVec3::X, half.y * DVec3::Y) {
            joints.push(([k as u32 - 1, k as u32], p, DVec3::Z));
        }
        boxes.push((center, size));
        z += size.z;
    }
    let down = dvec3(0.04 * random(), 0.04 * random(), -1.0);
    Case::new(&boxes, 1, &joints, 0.6, down, scales)
}

#[test]
fn a_block_on_an_incline_is_held_up_to_the_friction_angle() {
    for mu in [0.3_f64, 0.7] {
        for part in [0.0, 0.5, 0.9, 0.99] {
            let case = incline((part * mu).atan(), mu, 1, (1.0, 1.0));
            case.assert_solved(Friction::Associated, &format!("{part} of {mu}"));
            case.assert_solved(Friction::Coulomb, &format!("{part} of {mu}"));
        }
        for part in [1.01, 1.1, 1.3] {
            let case = incline((part * mu).atan(), mu, 1, (1.0, 1.0));
            for friction in [Friction::Associated, Friction::Coulomb] {
                let status = case.solve(friction).status;
                assert_ne!(status, Status::Solved, "{part} of {mu} {friction:?}");
            }
        }
    }
}

#[test]
fn a_block_between_walls_is_held_by_associated_friction_alone() {
    let case = squeezed();
    case.assert_solved(Friction::Associated, "walls");
    assert_ne!(case.solve(Friction::Coulomb).status, Status::Solved);
}

/// Joints that yield along the normal, too, by a tenth of their gap under a load of one; then the way from rest with
/// associated friction.
fn crept(case: &mut Case) -> Balance {
    let soft = 0.1 * case.gap / case.size;
    for contact in &mut case.problem.contacts {
        contact.compliance = [soft, 10.0 * soft];
    }
    let mut solver = Equilibrium::default();
    solver.solve(&case.problem, &case.loads).unwrap();
    solver.settings.max_iterations = 1000;
    solver.creep(&case.problem, &case.loads).unwrap().clone()
}

#[test]
fn bodies_creep_to_an_equilibrium_with_coulomb_friction() {
    for scales in SCALES {
        let mut cases = vec![tower(7, 12, scales), tower(8, 30, scales)];
        cases.extend([0.0, 0.5, 0.99].map(|part: f64| incline((0.6 * part).atan(), 0.6, 2, scales)));
        for case in &mut cases {
            let found = crept(case);
            assert_eq!(found.status, Status::Solved, "{scales:?} {}", found.balance);
            let check = check(
                &case.problem,
                &case.loads,
                &found,
                Friction::Coulomb,
                (case.size, case.gap),
            );
            assert!(check.worst() < 1e-8, "{scales:?} {check:?}");
        }
    }
}

#[test]
fn what_no_displacement_holds_creeps_on() {
    // Walls that nothing presses together, and a slope steeper than friction holds.
    for scales in SCALES {
        for (mut case, way) in [
            (squeezed(), DVec3::NEG_Z),
            (incline((1.05_f64 * 0.6).atan(), 0.6, 1, scales), DVec3::X),
        ] {
            let found = crept(&mut case);
            assert_eq!(found.status, Status::Infeasible, "{scales:?}");
            let velocity = found.motions.last().unwrap().linear;
            assert!(velocity.normalize().dot(way).abs() > 0.999, "{scales:?} {velocity}");
        }
    }
}

#[test]
fn joints_may_be_given_several_times() {
    for times in [2, 5] {
        let case = incline(0.2, 0.5, times, (1.0, 1.0));
        case.assert_solved(Friction::Associated, &format!("{times} times"));
        case.assert_solved(Friction::Coulomb, &format!("{times} times"));
    }
}

#[test]
fn lengths_and_loads_may_be_of_any_size() {
    for scales in SCALES {
        for friction in [Friction::Associated, Friction::Coulomb] {
            incline(0.3, 0.5, 1, scales).assert_solved(friction, &format!("{scales:?}"));
            tower(3, 3, scales).assert_solved(friction, &format!("tower {scales:?}"));
        }
    }
}

#[test]
fn towers_of_boxes_stand() {
    for seed in 0..12 {
        let case = tower(seed, 2 + seed as usize % 4, (1.0, 1.0));
        case.assert_solved(Friction::Associated, &format!("seed {seed}"));
        case.assert_solved(Friction::Coulomb, &format!("seed {seed}"));
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    // Enough bodies for the sparse matrix.
    let case = tower(7, 45, (1.0, 1.0));
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| case.solve(Friction::Coulomb))
    };
    let bits = |b: &Balance| -> Vec<u64> {
        let twists = b.motions.iter().flat_map(|m| [m.linear, m.angular]);
        let numbers = b.forces.iter().copied().chain(twists).flat_map(|v| v.to_array());
        numbers.map(f64::to_bits).collect()
    };
    let (one, two) = (on(1), on(2));
    assert_eq!((one.status, one.iterations), (two.status, two.iterations));
    assert!(bits(&one) == bits(&two), "bits differ");
}

/// Gives up at its third look, and counts how often it is asked.
fn at_third_look() -> (Stop, Arc<AtomicUsize>) {
    let looks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&looks);
    (Stop::when(move || counted.fetch_add(1, Ordering::Relaxed) >= 2), looks)
}

/// A solve in the midst of which it is asked to stop looks at least three times, and then hardly more.
fn assert_given_up<T: std::fmt::Debug>(told: Result<T, ProblemError>, looks: &AtomicUsize, what: &str) {
    assert_eq!(told.unwrap_err(), ProblemError::Stopped, "{what}");
    let looks = looks.load(Ordering::Relaxed);
    assert!((3..12).contains(&looks), "{what}: looked {looks} times");
}

#[test]
fn forces_are_given_up_in_the_midst_and_leave_no_trace() {
    let case = tower(3, 5, (1.0, 1.0));
    for friction in [Friction::Associated, Friction::Coulomb] {
        let mut solver = Equilibrium::new(EquilibriumSettings {
            friction,
            ..EquilibriumSettings::default()
        });
        let (stop, looks) = at_third_look();
        solver.stop_by(stop);
        let told = solver.solve(&case.problem, &case.loads).map(|_| ());
        assert_given_up(told, &looks, &format!("{friction:?}"));
        solver.stop_by(Stop::default());
        let after = solver.solve(&case.problem, &case.loads).unwrap();
        assert_eq!(after.forces, case.solve(friction).forces);
    }
}

#[test]
fn steps_are_given_up_in_the_midst_by_every_method() {
    let mut falling = tower(7, 12, (1.0, 1.0)).problem;
    for body in &mut falling.bodies {
        if let BodyMotion::Free { free_velocity, .. } = &mut body.motion {
            *free_velocity = Twist {
                linear: dvec3(0.3, 0.1, -1.0),
                angular: dvec3(0.2, 0.4, 0.1),
            };
        }
    }
    falling
        .contacts
        .iter_mut()
        .for_each(|c| (c.gap, c.compliance) = (0.0, [0.0; 2]));
    let methods = [
        Solver::Interior,
        Solver::Semismooth,
        Solver::Spg,
        Solver::Apgd,
        Solver::Nlgs,
    ];
    for (solver, friction) in methods
        .into_iter()
        .flat_map(|s| [(s, Friction::Associated), (s, Friction::Coulomb)])
    {
        let mut engine = Engine::new(SolverSettings {
            solver,
            friction,
            tolerance: 1e-9,
            ..SolverSettings::default()
        });
        let (stop, looks) = at_third_look();
        engine.stop_by(stop);
        let told = engine.solve(&falling).map(|_| ());
        assert_given_up(told, &looks, &format!("{solver:?} {friction:?}"));
    }
}

/// A body that hangs by springs alone: one that pulls and two across it at each of four corners, beside a contact there.
#[test]
fn a_body_hangs_on_bonds_whatever_the_rounding_of_its_gaps() {
    let half = DVec3::new(0.5, 0.25, 0.2);
    for gap in [0.0, 1e-17, -3e-17, 1e-12] {
        let stiffness = 1e9;
        let mut problem = Problem {
            bodies: vec![
                Body::fixed(),
                Body::free(
                    DVec3::new(0.0, 0.0, -0.2),
                    400.0,
                    DMat3::from_diagonal(DVec3::new(13.0, 38.0, 41.0)),
                    Twist::ZERO,
                ),
            ],
            dt: 1.0,
            ..Problem::default()
        };
        for (x, y) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
            let point = DVec3::new(x * half.x, y * half.y, 0.0);
            let contact = Contact::new([0, 1], point, -DVec3::Z, gap, 0.0);
            problem.contacts.push(Contact {
                compliance: [1.0 / stiffness, 0.0],
                ..contact
            });
            for (kind, force) in [
                (LinkKind::OneWay, DVec3::Z),
                (LinkKind::Rigid, DVec3::X),
                (LinkKind::Rigid, DVec3::Y),
            ] {
                problem.links.push(Link {
                    kind,
                    force,
                    compliance: 1.0 / stiffness,
                    ..Link::rod([0, 1], point, point, 0.0)
                });
            }
        }
        let weight = Wrench {
            force: DVec3::new(0.0, 0.0, -400.0 * 9.81),
            moment: DVec3::ZERO,
        };
        let mut solver = Equilibrium::default();
        let found = solver.solve(&problem, &[Wrench::default(), weight]).unwrap();
        assert!(found.balance < 1e-9 && found.gap < 1e-7, "{gap}: {:?}", found.status);
        let sunk = -found.motions[1].linear.z;
        assert!((sunk / (100.0 * 9.81 / stiffness) - 1.0).abs() < 1e-6, "{gap}: {sunk}");
    }
}
