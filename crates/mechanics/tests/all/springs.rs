//! Joints that yield: what they carry, they are compressed by, and nothing else moves them.

use std::f64::consts::TAU;

use crate::common::{built, run, with};
use drystone_cone::{Friction, Twist};
use drystone_mechanics::dynamics::{JointStiffness, Simulation, SimulationSettings, Start, State, TimeStep};
use drystone_model::{Block, BoxShape, Model, Pose, Rotation, Shape, geometry::convex_hull};
use glam::{DQuat, DVec3};

const G: f64 = 9.81;

fn yielding(normal: f64, dt: f64) -> SimulationSettings {
    SimulationSettings {
        time_step: TimeStep::Fixed(dt),
        stiffness: Some(JointStiffness {
            normal,
            tangential: 0.5 * normal,
        }),
        ..SimulationSettings::default()
    }
}

fn cube(size: f64, density: f64) -> Model {
    let [size, density] = [size, density].map(|x| x.to_string());
    built(
        "block",
        &[
            ("width", &size),
            ("depth", &size),
            ("height", &size),
            ("density", &density),
        ],
    )
}

fn quaternion(q: DQuat) -> Rotation {
    Rotation::Quaternion {
        quaternion: [q.w, q.x, q.y, q.z],
    }
}

/// The model turned about the origin, its gravity too.
fn rotated(mut model: Model, q: DQuat) -> Model {
    for block in &mut model.blocks {
        let frame = block.pose.map().unwrap_or_default();
        let (_, own, position) = frame.to_scale_rotation_translation();
        block.pose = Pose {
            position: q * position,
            rotation: Some(quaternion(q * own)),
        };
    }
    model.gravity = q * model.gravity;
    model
}

fn steps(simulation: &mut Simulation, count: usize) {
    for _ in 0..count {
        simulation.step().unwrap();
    }
}

/// How far a block has moved along a direction (m).
fn way(simulation: &Simulation, block: usize, direction: DVec3) -> f64 {
    (simulation.state().placements[block].center - simulation.structure().center[block]).dot(direction)
}

#[test]
fn a_block_settles_by_its_weight_over_stiffness_and_area_whatever_the_step() {
    for (size, density) in [(1e-3, 7800.0), (0.1, 2000.0), (1.0, 2400.0), (10.0, 1600.0)] {
        for stiffness in [1e6, 1e8, 1e10, 1e12] {
            for dt in [1e-4, 1e-3, 5e-3, 2e-2] {
                let mut simulation = with(&cube(size, density), "", yielding(stiffness, dt));
                let exact = density * G * size / stiffness;
                for _ in 0..40 {
                    simulation.step().unwrap();
                    let settlement = way(&simulation, 1, -DVec3::Z);
                    assert!(
                        (settlement / exact - 1.0).abs() < 1e-3,
                        "{size} m, {stiffness} N/m3, {dt} s: {settlement} m, {exact} m"
                    );
                }
                assert!(simulation.state().at_rest, "{size} m, {stiffness} N/m3, {dt} s");
            }
        }
    }
}

#[test]
fn a_block_that_is_let_go_on_its_springs_comes_to_rest_at_the_same_place() {
    // Backward Euler damps by half the step times the frequency: long steps bring it to rest within the time given.
    for (size, density, stiffness, dt) in [
        (1e-3, 7800.0, 1e6, 1e-3),
        (0.1, 2000.0, 1e8, 2e-3),
        (1.0, 2400.0, 1e8, 1e-3),
        (1.0, 2400.0, 1e6, 2e-2),
        (10.0, 1600.0, 1e12, 1e-3),
    ] {
        let settings = SimulationSettings {
            start: Start::Uncompressed,
            ..yielding(stiffness, dt)
        };
        let mut simulation = with(&cube(size, density), "", settings);
        assert_eq!(way(&simulation, 1, DVec3::Z), 0.0);
        run(&mut simulation, 800.0 * dt, |_| ());
        let (settlement, exact) = (way(&simulation, 1, -DVec3::Z), density * G * size / stiffness);
        assert!(
            (settlement / exact - 1.0).abs() < 1e-2,
            "{size} m, {stiffness} N/m3, {dt} s: {settlement} m, {exact} m"
        );
    }
}

#[test]
fn each_joint_of_a_stack_is_compressed_by_what_lies_on_it() {
    let turn = DQuat::from_axis_angle(DVec3::new(0.3, -0.8, 0.5).normalize(), 1.1);
    for q in [DQuat::IDENTITY, turn] {
        let model = rotated(built("stack", &[("blocks", "8"), ("offset", "0")]), q);
        let down = model.gravity.normalize();
        for (stiffness, dt) in [(1e6, 1e-2), (1e8, 1e-4), (1e10, 1e-3), (1e12, 2e-2)] {
            let mut simulation = with(&model, "", yielding(stiffness, dt));
            for _ in 0..30 {
                simulation.step().unwrap();
            }
            // A block is 0.25 m high and weighs 2000 kg/m3; those above it press its joint.
            let mut exact = 0.0;
            for b in 1..=8 {
                exact += (9 - b) as f64 * 2000.0 * G * 0.25 / stiffness;
                let found = way(&simulation, b, down);
                assert!(
                    (found / exact - 1.0).abs() < 1e-3,
                    "{stiffness} N/m3, {dt} s: block {b} {found} m, {exact} m"
                );
            }
        }
    }
}

#[test]
fn a_block_on_an_incline_is_held_by_elastic_slip_and_does_not_creep() {
    for (friction, dt) in [
        (Friction::Associated, 1e-3),
        (Friction::Associated, 2e-2),
        (Friction::Coulomb, 1e-3),
    ] {
        for start in [Start::Compressed, Start::Uncompressed] {
            let mut model = cube(1.0, 2000.0);
            // Half of what friction of 0.6 holds.
            let slope = 0.3_f64.atan();
            model.gravity = G * DVec3::new(slope.sin(), 0.0, -slope.cos());
            let settings = SimulationSettings {
                friction,
                start,
                ..yielding(1e8, dt)
            };
            let mut simulation = with(&model, "", settings);
            let exact = 2000.0 * G * slope.sin() / 0.5e8;
            run(&mut simulation, 2.0, |_| ());
            let at = |s: &Simulation| {
                let p = &s.state().placements[1];
                // The middle of the base: the block leans as well, for it is pushed at its middle and held at its base.
                p.center + p.rotation * DVec3::new(0.0, 0.0, -0.5)
            };
            let (there, told) = (at(&simulation), format!("{friction:?} {start:?} {dt}"));
            let slid = there.x - simulation.structure().center[1].x;
            if start == Start::Compressed {
                assert!((slid / exact - 1.0).abs() < 1e-3, "{told}: {slid}, {exact}");
            } else {
                // Let go, it is pressed too little to be held as it swings up, and slides until it no longer does.
                assert!(slid > 0.99 * exact, "{told}: {slid}, {exact}");
            }
            run(&mut simulation, 4.0, |_| ());
            let crept = at(&simulation).distance(there);
            assert!(crept < 1e-3 * exact, "{told}: crept {crept}");
        }
    }
}

#[test]
fn a_block_on_springs_swings_at_the_frequency_of_its_stiffness_and_mass() {
    let (density, stiffness) = (2000.0, 1e8);
    let omega = (stiffness / (density * 1.0_f64)).sqrt();
    let dt = 0.005 / omega;
    let settings = SimulationSettings {
        start: Start::Uncompressed,
        tolerance: Some(1e-8),
        rest: false,
        ..yielding(stiffness, dt)
    };
    let mut simulation = with(&cube(1.0, density), "", settings);
    let settlement = density * G / stiffness;
    let (mut crossings, mut last, mut largest) = (Vec::new(), [0.0, settlement], 0.0_f64);
    run(&mut simulation, 2.1 * TAU / omega, |s| {
        let now = [s.state().time, way(s, 1, DVec3::Z) + settlement];
        if last[1] > 0.0 && now[1] <= 0.0 {
            crossings.push(last[0] + (now[0] - last[0]) * last[1] / (last[1] - now[1]));
        }
        largest = largest.max(-now[1]);
        last = now;
    });
    let period = crossings[1] - crossings[0];
    assert!((period * omega / TAU - 1.0).abs() < 1e-3, "{period}");
    // Backward Euler damps by exp(-omega^2 dt t / 2) until the first turning point at t = pi / omega.
    let damped = settlement * (-0.5 * 0.005 * std::f64::consts::PI).exp();
    assert!((largest / damped - 1.0).abs() < 2e-3, "{largest} {damped}");
    let energies = simulation.state().energies;
    assert!(energies.balance_error() < 1e-2, "{energies:?}");
    assert!(energies.created_part() < 1e-6, "{energies:?}");
}

#[test]
fn nothing_swings_that_starts_compressed() {
    let arch = built("arch", &[("voussoirs", "15"), ("radius", "5"), ("thickness", "1")]);
    let wall = built("wall", &[("length", "3"), ("height", "2")]);
    for (name, model) in [("arch", &arch), ("wall", &wall)] {
        for (stiffness, dt) in [(1e8, 1e-3), (1e11, 1e-3), (1e9, 1e-2)] {
            let mut simulation = with(model, "", yielding(stiffness, dt));
            assert!(simulation.not_compressed().is_empty());
            let begun = simulation.state().placements.clone();
            run(&mut simulation, 50.0 * dt, |_| ());
            let lowered = simulation.structure().free().map(|b| way(&simulation, b, -DVec3::Z));
            let settlement = lowered.fold(0.0, f64::max);
            let moved = simulation.state().placements.iter().zip(&begun);
            let moved = moved.map(|(a, b)| a.center.distance(b.center)).fold(0.0, f64::max);
            assert!(
                settlement > 0.0 && moved < 1e-3 * settlement,
                "{name}: {moved} of {settlement}"
            );
        }
    }
}

/// A plank of 1 m by 0.6 m by 0.1 m on the ridges or the tips of supports that have nothing else to offer.
fn plank_on(supports: &[&[[f64; 3]]]) -> Model {
    let mut model = cube(1.0, 2000.0);
    let plank = BoxShape {
        size: DVec3::new(1.0, 0.6, 0.1),
        center: DVec3::new(0.0, 0.0, 0.05),
    };
    (model.blocks[1].shape, model.blocks[1].pose) = (Shape::Box(plank), Pose::default());
    model.blocks.remove(0);
    for (k, corners) in supports.iter().enumerate() {
        let corners: Vec<DVec3> = corners.iter().map(|&c| DVec3::from(c)).collect();
        let hull = convex_hull(&corners, 1e-9).unwrap();
        model.blocks.push(Block::new(format!("support {k}"), hull).fixed());
    }
    model
}

fn ridge(x: f64) -> [[f64; 3]; 6] {
    let foot = |x: f64, y: f64| [x, y, -0.2];
    [
        [x, -0.5, 0.0],
        [x, 0.5, 0.0],
        foot(x - 0.2, -0.5),
        foot(x + 0.2, -0.5),
        foot(x - 0.2, 0.5),
        foot(x + 0.2, 0.5),
    ]
}

fn tip(x: f64, y: f64) -> [[f64; 3]; 5] {
    let foot = |dx: f64, dy: f64| [x + dx, y + dy, -0.2];
    [
        [x, y, 0.0],
        foot(-0.1, -0.1),
        foot(0.1, -0.1),
        foot(-0.1, 0.1),
        foot(0.1, 0.1),
    ]
}

#[test]
fn edges_and_corners_bear_on_a_hundredth_of_the_block() {
    // A hundredth of the smaller block: the corner of a support that is farthest from its centre is one of its foot.
    let weight = 2000.0 * 0.06 * G;
    let ridge_width = 0.02 * DVec3::new(0.2, 0.5, 0.2 / 3.0).length();
    let tip_width = 0.02 * DVec3::new(0.1, 0.1, 0.05).length();
    let (ridges, tips) = (
        [ridge(-0.3), ridge(0.3)],
        [tip(-0.3, -0.2), tip(0.3, -0.2), tip(-0.3, 0.2), tip(0.3, 0.2)],
    );
    let ridges: Vec<&[[f64; 3]]> = ridges.iter().map(|r| &r[..]).collect();
    let tips: Vec<&[[f64; 3]]> = tips.iter().map(|t| &t[..]).collect();
    // The edges are as long as the plank is wide.
    for (supports, area) in [
        (ridges, 2.0 * ridge_width * (0.6 + ridge_width)),
        (tips, 4.0 * tip_width * tip_width),
    ] {
        for dt in [1e-4, 1e-3, 2e-2] {
            let mut simulation = with(&plank_on(&supports), "", yielding(1e9, dt));
            for _ in 0..20 {
                simulation.step().unwrap();
            }
            let (settlement, exact) = (way(&simulation, 0, -DVec3::Z), weight / (1e9 * area));
            assert!((settlement / exact - 1.0).abs() < 1e-3, "{dt}: {settlement} {exact}");
        }
    }
}

#[test]
fn a_block_balanced_on_an_edge_begins_somewhere() {
    // It could lean either way: no displacement is the right one, but one that is none has no place in a run.
    let mut model = cube(1.0, 2000.0);
    model.blocks[1].pose = Pose {
        position: DVec3::ZERO,
        rotation: Some(quaternion(DQuat::from_rotation_y(TAU / 8.0))),
    };
    let center = model.mass_of(&model.blocks[1]).1.centroid;
    model.blocks[1].pose.position = DVec3::new(-center.x, -center.y, 0.5_f64.sqrt() - center.z);
    for start in [Start::Compressed, Start::Uncompressed] {
        let settings = SimulationSettings {
            start,
            ..yielding(1e8, 1e-3)
        };
        let mut simulation = with(&model, "", settings);
        for _ in 0..20 {
            simulation.step().unwrap();
        }
        let moved = simulation.state().placements[1].center - simulation.structure().center[1];
        assert!(moved.length() < 0.05, "{start:?}: {moved}");
    }
}

#[test]
fn a_loose_block_leaves_the_others_compressed() {
    let mut model = built("stack", &[("blocks", "3"), ("offset", "0")]);
    let mut loose = model.blocks[3].clone();
    loose.name = "loose".to_string();
    loose.pose.position.z += 5.0;
    model.blocks.push(loose);
    let simulation = with(&model, "", yielding(1e9, 1e-3));
    assert_eq!(simulation.not_compressed(), [4]);
    let exact = 3.0 * 2000.0 * G * 0.25 / 1e9;
    assert!((way(&simulation, 1, -DVec3::Z) / exact - 1.0).abs() < 1e-6);
    assert_eq!(way(&simulation, 4, DVec3::Z), 0.0);
}

#[test]
fn blocks_drawn_into_each_other_are_not_thrown_by_their_springs() {
    for stiffness in [1e8, 1e10] {
        let mut model = cube(0.5, 2000.0);
        model.blocks[1].pose.position.z -= 1e-3;
        let mut simulation = with(&model, "", yielding(stiffness, 1e-3));
        let mut highest = f64::NEG_INFINITY;
        run(&mut simulation, 0.5, |s| highest = highest.max(way(s, 1, DVec3::Z)));
        assert!(highest < 5e-3, "{stiffness}: {highest}");
        // What drives it up is counted: its weight is lifted by the overlap, and more went into its speed.
        let energies = simulation.state().energies;
        let lift = simulation.structure().mass[1] * G * 1e-3;
        assert!(energies.created > 0.9 * lift, "{stiffness}: {energies:?}");
        assert!(energies.balance_error() < 5e-2, "{stiffness}: {energies:?}");
    }
}

#[test]
fn a_run_on_springs_that_is_resumed_has_the_same_bits_on_any_number_of_threads() {
    let begin = || {
        let wall = built("wall", &[("length", "3"), ("height", "2"), ("unit-length", "0.6")]);
        let settings = SimulationSettings {
            checkpoint_steps: 20,
            ..yielding(1e9, 2e-3)
        };
        with(&wall, "sine:amplitude=0.5g,frequency=2,direction=0.8 0.3 0.1", settings)
    };
    let bits = |s: &Simulation| s.state().to_bytes().unwrap();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut simulation = begin();
            steps(&mut simulation, 40);
            let kept = bits(&simulation);
            steps(&mut simulation, 20);
            (kept, bits(&simulation))
        })
    };
    let (kept, end) = on(1);
    assert!(on(2) == (kept.clone(), end.clone()));
    let mut resumed = begin();
    resumed.resume(State::from_bytes(&kept).unwrap()).unwrap();
    steps(&mut resumed, 20);
    assert!(bits(&resumed) == end);
}

#[test]
fn a_block_that_slides_over_yielding_joints_is_stopped_by_friction() {
    // Across the joint between two flush blocks, where corners and pairs come and go.
    let mut model = built("stack", &[("blocks", "1"), ("width", "1"), ("depth", "1")]);
    let mut base = model.blocks[1].clone();
    (base.name, base.fixed) = ("left".to_string(), true);
    let mut right = base.clone();
    right.name = "right".to_string();
    right.pose.position.x += 1.0;
    model.blocks[1].pose.position.z += 0.25;
    model.blocks.push(base);
    model.blocks.push(right);
    model.joints.friction = 0.3;
    let mut simulation = with(&model, "", yielding(1e9, 1e-3));
    let velocity = Twist {
        linear: DVec3::new(1.8, 0.0, 0.0),
        angular: DVec3::ZERO,
    };
    simulation.set_velocity(1, velocity);
    run(&mut simulation, 1.0, |_| ());
    let (slid, exact) = (way(&simulation, 1, DVec3::X), 1.8 * 1.8 / (2.0 * 0.3 * G));
    assert!((slid / exact - 1.0).abs() < 2e-2, "{slid} {exact}");
    let energies = simulation.state().energies;
    assert!(
        energies.created_part() < 1e-2 && energies.balance_error() < 1e-2,
        "{energies:?}"
    );
}

/// One block on four springs has a solution of Coulomb's law in every step, and friction and springs create no energy: no
/// tolerance of the solver may stop such a run.
#[test]
fn coulombs_law_on_springs_goes_through_a_push_at_any_tolerance() {
    let size = [
        ("width", "0.3"),
        ("depth", "0.3"),
        ("height", "0.9"),
        ("density", "2400"),
    ];
    let mut model = built("block", &size);
    model.joints.friction = 0.7;
    let motion = "impulse:peak=6,duration=0.4,direction=x";
    for (tolerance, dt, until) in [(None, 1e-4, 0.56), (Some(1e-5), 1e-4, 0.05), (None, 1e-3, 0.6)] {
        let settings = SimulationSettings {
            time_step: TimeStep::Fixed(dt),
            friction: Friction::Coulomb,
            stiffness: Some(JointStiffness {
                normal: 1e8,
                tangential: 1e8,
            }),
            tolerance,
            ..SimulationSettings::default()
        };
        let mut simulation = with(&model, motion, settings);
        run(&mut simulation, until, |_| ());
        let created = simulation.state().energies.created_part();
        assert!(created < 1e-2, "{tolerance:?} {dt}: {created}");
    }
}

/// A block on an incline of 30 degrees, less than the 31 of its friction; its uphill corners slide before the others.
fn on_incline() -> Model {
    let size = [("width", "1"), ("depth", "1"), ("height", "0.4"), ("density", "2000")];
    let mut model = built("block", &size);
    model.joints.friction = 0.6;
    let angle = 30_f64.to_radians();
    model.gravity = G * DVec3::new(angle.sin(), 0.0, -angle.cos());
    model
}

#[test]
fn coulombs_law_holds_a_block_on_springs_at_steps_that_hardly_move_it() {
    let model = on_incline();
    let settings = SimulationSettings {
        friction: Friction::Coulomb,
        ..yielding(1e9, 2e-5)
    };
    let mut simulation = with(&model, "", settings);
    run(&mut simulation, 0.02, |_| ());
    // What springs give way by: less than the weight over the softer of them.
    let moved = way(&simulation, 1, DVec3::X);
    assert!(moved < 2000.0 * G / 0.5e9 * 2.0, "{moved}");
}

#[test]
fn a_block_whose_uphill_corners_slide_begins_in_equilibrium() {
    for friction in [Friction::Associated, Friction::Coulomb] {
        let settings = SimulationSettings {
            friction,
            stiffness: Some(JointStiffness {
                normal: 1e9,
                tangential: 1e8,
            }),
            ..yielding(1e9, 1e-3)
        };
        let mut simulation = with(&on_incline(), "", settings);
        assert!(simulation.not_compressed().is_empty());
        let before = way(&simulation, 1, DVec3::X);
        run(&mut simulation, 0.05, |_| ());
        // A hundredth of what springs give way by, had they begun without forces.
        let moved = way(&simulation, 1, DVec3::X) - before;
        assert!(moved.abs() < 1e-2 * 2000.0 * 0.4 * G / 1e8, "{friction:?}: {moved}");
    }
}

#[test]
fn a_block_that_slides_on_springs_down_an_incline_within_friction_stops_by_either_law() {
    let model = on_incline();
    for friction in [Friction::Associated, Friction::Coulomb] {
        for start in [Start::Compressed, Start::Uncompressed] {
            let settings = SimulationSettings {
                friction,
                start,
                stiffness: Some(JointStiffness {
                    normal: 1e9,
                    tangential: 1e8,
                }),
                ..yielding(1e9, 1e-3)
            };
            let mut simulation = with(&model, "", settings);
            run(&mut simulation, 1.0, |_| ());
            let speed = simulation.max_speed();
            assert!(speed < 1e-4, "{friction:?} {start:?}: {speed}");
        }
    }
}

/// A block on springs that gravity leans over tilts by its moment over k, its moment then grows by W h / 2 for a unit of
/// tilt, and so on: a place where it settles exists if W h / 2 < k, with k = KN A b^2 / 12. Forces that balance the loads
/// where it is drawn exist as long as the resultant stays within the middle third of the base. On softer springs the block
/// begins there, and these forces hold it.
#[test]
fn a_block_on_springs_too_soft_to_settle_on_begins_as_drawn_in_balance() {
    let (width, height, density) = (0.5, 3.0, 2400.0);
    let mut model = built(
        "block",
        &[
            ("width", "0.5"),
            ("depth", "0.5"),
            ("height", "3"),
            ("density", "2400"),
            ("friction", "0.6"),
        ],
    );
    let lean = 2.0_f64.to_radians();
    assert!(0.5 * height * lean.tan() < width / 6.0);
    model.gravity = G * DVec3::new(lean.sin(), 0.0, -lean.cos());
    let least = 6.0 * density * G * height * height / (width * width);
    let dt = 1e-4;
    for (stiffness, is_held) in [(0.3 * least, false), (30.0 * least, true)] {
        for start in [Start::Compressed, Start::Uncompressed] {
            let settings = SimulationSettings {
                start,
                ..yielding(stiffness, dt)
            };
            let mut simulation = with(&model, "", settings);
            assert!(simulation.not_compressed().is_empty());
            let is_drawn = start == Start::Compressed && !is_held;
            assert_eq!(simulation.not_settled(), if is_drawn { &[1][..] } else { &[] });
            let moved = simulation.state().placements[1] != simulation.structure().initial(1);
            assert_eq!(moved, start == Start::Compressed && is_held);
            simulation.step().unwrap();
            let force: DVec3 = simulation.contact_forces().map(|c| c.force).sum();
            let weight = density * width * width * height * model.gravity;
            let (left, speed) = ((force + weight).length(), simulation.max_speed());
            match start {
                Start::Compressed => {
                    assert!(
                        left < 1e-3 * weight.length(),
                        "{stiffness:e}: {left} N are not balanced"
                    );
                    assert!(speed < 1e-2 * G * dt, "{stiffness:e}: {speed} m/s");
                }
                // Springs without a force do not hold it.
                Start::Uncompressed => assert!(speed > 0.5 * G * dt, "{stiffness:e}: {speed} m/s"),
            }
        }
    }
}
