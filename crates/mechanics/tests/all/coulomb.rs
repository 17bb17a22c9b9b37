//! Coulomb's law in structures of many contacts.

use crate::common::{built, cuboid, floor, run, with};
use drystone_cone::{Friction, Solver, Twist};
use drystone_mechanics::dynamics::{Simulation, SimulationSettings, TimeStep};
use drystone_model::{
    Joints, Model, SupportMotion,
    motion::{Motion, MotionQuantity},
};
use glam::{DQuat, DVec3};

fn coulomb(dt: f64) -> SimulationSettings {
    SimulationSettings {
        time_step: TimeStep::Fixed(dt),
        friction: Friction::Coulomb,
        ..SimulationSettings::default()
    }
}

/// Thirty blocks far apart from each other: 120 contacts.
fn many(friction: f64) -> Model {
    let mut model = Model::named("many");
    model.blocks.push(floor());
    for k in 0..30 {
        let (row, column) = (f64::from(k / 6), f64::from(k % 6));
        let size = DVec3::new(0.4, 0.4, 0.1);
        let center = DVec3::new(column - 4.0, 1.5 * row - 3.0, 0.05);
        let block = cuboid(&format!("block {k}"), size, center, DQuat::IDENTITY);
        model.blocks.push(block);
    }
    model.joints = Joints::uniform(friction);
    model
}

/// Each block slows down by mu g, and sliding does not lift it. With associated friction it would be lifted by mu v dt.
#[test]
fn many_blocks_slide_as_coulomb_says_and_stay_on_the_floor() {
    let (mu, dt, count) = (0.4, 1e-3, 100);
    let mut simulation = with(&many(mu), "", coulomb(dt));
    let speed = |b: usize| 0.5 + 0.02 * b as f64;
    for b in 1..=30 {
        let velocity = Twist {
            linear: speed(b) * DVec3::X,
            angular: DVec3::ZERO,
        };
        simulation.set_velocity(b, velocity);
    }
    for _ in 0..count {
        let step = simulation.step().unwrap();
        assert_eq!(step.slip_opening, 0.0);
    }
    let time = dt * f64::from(count);
    for b in 1..=30 {
        let exact = speed(b) - mu * 9.81 * time;
        let found = simulation.state().velocities[b].linear.x;
        assert!(
            (found - exact).abs() < 1e-3 * speed(b),
            "block {b}: {found} for {exact}"
        );
        let lift = simulation.state().placements[b].center.z - 0.05;
        assert!(lift.abs() < 1e-2 * mu * speed(b) * dt, "block {b}: lifted by {lift}");
    }
}

/// An impulse along y shears a dome of few, large blocks: joints slide in many directions at once, and which of them do changes
/// from one fixed point to the next. Every step has an answer, and none creates energy.
#[test]
fn a_dome_that_is_shaken_apart_is_followed_with_coulombs_law() {
    let dome = built("dome", &[("courses", "4"), ("meridians", "8"), ("friction", "0.947")]);
    let motion = "impulse:peak=1.168g,half_period=0.117,direction=y";
    let mut simulation = with(&dome, motion, coulomb(1e-3));
    // Until after the first steps that no method solves to the tolerance.
    for _ in 0..36 {
        let step = simulation.step().unwrap();
        assert!(step.relative_overlap < 1e-4, "overlap {}", step.relative_overlap);
        // A part of what a joint would open by with associated friction.
        assert!(step.slip_opening < 1e-5, "opening {}", step.slip_opening);
    }
    let energies = &simulation.state().energies;
    assert!(energies.balance_error().abs() < 1e-3, "{}", energies.balance_error());
    assert!(energies.created_part() < 1e-2, "{}", energies.created_part());
    assert!(simulation.max_speed() > 0.01, "it does not move");
}

/// Sets every free block of a model in motion along x.
fn pushed(model: &Model, dt: f64, speed: f64) -> Simulation {
    let mut simulation = with(model, "", coulomb(dt));
    for b in simulation.structure().free().collect::<Vec<_>>() {
        let velocity = Twist {
            linear: speed * DVec3::X,
            angular: DVec3::ZERO,
        };
        simulation.set_velocity(b, velocity);
    }
    simulation
}

/// What slides as a whole, slowed down by mu g, is lifted by nothing, and friction takes mu N s. With associated friction it would
/// be lifted by mu v dt: 0.1 to 0.4 mm here.
fn slides_without_uplift(model: &Model, mu: f64) {
    let (dt, speed, time) = (1e-3, 1.0, 0.1);
    let mut simulation = pushed(model, dt, speed);
    let free: Vec<usize> = simulation.structure().free().collect();
    let start: Vec<f64> = simulation.state().placements.iter().map(|p| p.center.z).collect();
    let mut worst: f64 = 0.0;
    run(&mut simulation, time, |simulation| {
        let lift = |&b: &usize| simulation.state().placements[b].center.z - start[b];
        worst = free.iter().map(lift).fold(worst, f64::max);
        assert_eq!(simulation.last_step().slip_opening, 0.0);
    });
    assert!(worst < 1e-6, "lifted by {worst} m");
    // Work is that on the mean velocity of each step.
    let slowed = mu * 9.81;
    let way = speed * time - 0.5 * slowed * time * time;
    let weight: f64 = 9.81 * simulation.structure().free_mass();
    let (taken, exact) = (simulation.state().energies.friction, mu * weight * way);
    assert!(
        (taken - exact).abs() < 2e-3 * exact,
        "friction took {taken} J of {exact} J"
    );
    for &b in &free {
        let found = simulation.state().velocities[b].linear.x;
        assert!(
            (found - (speed - slowed * time)).abs() < 1e-3 * speed,
            "block {b}: {found} m/s"
        );
    }
}

#[test]
fn a_block_that_slides_is_not_lifted() {
    let mut model = Model::named("block");
    model.blocks.push(floor());
    let size = DVec3::new(0.4, 0.4, 0.1);
    model
        .blocks
        .push(cuboid("block", size, DVec3::new(-2.0, 0.0, 0.05), DQuat::IDENTITY));
    model.joints = Joints::uniform(0.4);
    slides_without_uplift(&model, 0.4);
}

#[test]
fn a_stack_that_slides_is_not_lifted() {
    let mut model = Model::named("stack");
    model.blocks.push(floor());
    for k in 0..4 {
        let center = DVec3::new(-2.0, 0.0, 0.05 + 0.1 * f64::from(k));
        model.blocks.push(cuboid(
            &format!("block {k}"),
            DVec3::new(0.8, 0.4, 0.1),
            center,
            DQuat::IDENTITY,
        ));
    }
    model.joints = Joints::uniform(0.3);
    slides_without_uplift(&model, 0.3);
}

#[test]
fn a_wall_that_slides_is_not_lifted() {
    let wall = built(
        "wall",
        &[
            ("length", "2"),
            ("height", "0.75"),
            ("friction", "0.6"),
            ("ground-friction", "0.1"),
        ],
    );
    slides_without_uplift(&wall, 0.1);
}

/// Where a wall rocks on its base and its courses slide, both laws lead to the same motion, with an error of the order of the
/// step. Associated friction lifts what slides by mu v dt, Coulomb's law by nothing: its error is the smaller one.
#[test]
fn a_wall_that_rocks_and_slides_converges_with_the_step_by_either_law() {
    let wall = built("wall", &[("length", "1"), ("height", "0.75"), ("friction", "0.4")]);
    let moved = |friction: Friction, dt: f64| {
        let settings = SimulationSettings {
            friction,
            ..coulomb(dt)
        };
        let mut simulation = with(&wall, "impulse:peak=0.7g,half_period=0.15,direction=y", settings);
        run(&mut simulation, 0.2, |_| ());
        simulation.last_step().max_displacement
    };
    let limit = [Friction::Associated, Friction::Coulomb].map(|friction| {
        let exact = moved(friction, 0.125e-3);
        let steps = [8e-3, 4e-3, 2e-3, 1e-3, 0.5e-3];
        let logs = steps.map(|dt: f64| (dt.ln(), (moved(friction, dt) - exact).abs().ln()));
        let [mx, my] = [0, 1].map(|k| logs.iter().map(|l| [l.0, l.1][k]).sum::<f64>() / 5.0);
        let (over, under) = logs.iter().fold((0.0, 0.0), |(a, b), l| {
            (a + (l.0 - mx) * (l.1 - my), b + (l.0 - mx).powi(2))
        });
        assert!(over / under > 0.8, "{friction:?}: order {}, {logs:?}", over / under);
        exact
    });
    assert!((limit[0] - limit[1]).abs() < 1e-3 * limit[1], "{limit:?}");
}

/// Where nothing slides both laws are the same.
#[test]
fn both_laws_agree_where_nothing_slides() {
    let wall = built(
        "wall",
        &[
            ("length", "1"),
            ("height", "0.75"),
            ("friction", "2"),
            ("ground-friction", "2"),
        ],
    );
    let [a, b] = [Friction::Associated, Friction::Coulomb].map(|friction| {
        let settings = SimulationSettings {
            friction,
            ..coulomb(1e-3)
        };
        let mut simulation = with(&wall, "impulse:peak=0.7g,half_period=0.15,direction=y", settings);
        run(&mut simulation, 0.15, |_| ());
        simulation.last_step().max_displacement
    });
    assert!(a > 1e-3, "it does not rock: {a}");
    assert!((a - b).abs() < 2e-3 * a, "{a} and {b}");
}

/// Where nothing pressed, the speed at which a block sinks was measured against nothing, and Gauss-Seidel took no impulses at all
/// for a solution as soon as the ground slid under the block.
#[test]
fn no_solver_lets_a_block_sink_into_a_floor_that_slides_under_it() {
    let mut model = Model::named("block");
    model.blocks.push(floor());
    let size = DVec3::new(0.6, 0.6, 0.4);
    model
        .blocks
        .push(cuboid("block", size, DVec3::new(0.0, 0.0, 0.2), DQuat::IDENTITY));
    model.joints = Joints::uniform(0.3);
    for &solver in Solver::ALL {
        let settings = SimulationSettings {
            solver,
            ..coulomb(1e-3)
        };
        let mut simulation = with(&model, "sine:amplitude=0.1g,frequency=2,direction=x", settings);
        run(&mut simulation, 0.05, |_| ());
        let sunk = 0.2 - simulation.state().placements[1].center.z;
        assert!(sunk.abs() < 1e-7, "{solver:?}: sunk by {sunk} m");
    }
}

/// A post slides past, 1 mm below a lintel that rests on two others. Associated friction would throw the lintel up; impulses that do
/// so met every condition but that of the open gap, which was not counted.
#[test]
fn a_support_that_slides_past_under_an_open_gap_moves_nothing() {
    let boxes = [
        ("left", [0.3, 0.5, 1.0], [-1.0, 0.0, 0.5]),
        ("right", [0.3, 0.5, 1.0], [1.0, 0.0, 0.5]),
        ("middle", [0.4, 0.5, 0.999], [-0.3, 0.0, 0.4995]),
        ("lintel", [2.4, 0.5, 0.3], [0.0, 0.0, 1.15]),
        ("upper", [1.0, 0.4, 0.3], [0.1, 0.0, 1.45]),
    ];
    let mut model = Model::named("lintel");
    for (k, (name, size, center)) in boxes.into_iter().enumerate() {
        let mut block = cuboid(
            name,
            DVec3::from_array(size),
            DVec3::from_array(center),
            DQuat::IDENTITY,
        );
        block.fixed = k < 3;
        model.blocks.push(block);
    }
    model.joints = Joints::uniform(0.6);
    for speed in [3.0, 5.0] {
        let past = Motion::Table {
            quantity: MotionQuantity::Displacement,
            times: vec![0.0, 1.0],
            values: vec![DVec3::ZERO, speed * DVec3::X],
        };
        model.motions.insert("past".to_string(), past);
        model.support_motions = vec![SupportMotion {
            motion: "past".to_string(),
            blocks: vec!["middle".to_string()],
            groups: Vec::new(),
        }];
        let mut simulation = with(&model, "", coulomb(1e-3));
        let start = simulation.state().placements[3].center;
        run(&mut simulation, 0.02, |_| ());
        let moved = simulation.state().placements[3].center.distance(start);
        assert!(moved < 2e-6, "at {speed} m/s: moved by {moved} m");
    }
}

/// A strut that comes down hits another one edge to edge, where there is no contact before they overlap. To drive such an overlap
/// apart between struts that are wedged in took impulses a thousand times the weight, and more work than all else in the run.
#[test]
fn overlaps_of_wedged_struts_are_not_driven_apart_by_force() {
    let shelf = built("shelf", &[("friction", "0.5")]);
    let motion = "sine:amplitude=0.8g,frequency=3,direction=1,1,0";
    let mut simulation = with(&shelf, motion, coulomb(1e-3));
    run(&mut simulation, 0.3, |_| ());
    let energies = &simulation.state().energies;
    assert!(energies.created_part() < 1e-3, "{}", energies.created_part());
}

/// The velocity of the ground jumps. A block with much friction neither sinks into it nor is lifted.
#[test]
fn a_jump_of_the_ground_velocity_neither_sinks_nor_lifts_a_block() {
    let mut model = Model::named("block");
    model.blocks.push(floor());
    let size = DVec3::new(0.8, 0.6, 0.1);
    model
        .blocks
        .push(cuboid("block", size, DVec3::new(0.0, 0.0, 0.05), DQuat::IDENTITY));
    model.joints = Joints::uniform(1.4);
    let motion = "ramp:quantity=velocity,to=1,duration=0.0001,direction=x";
    let mut simulation = with(&model, motion, coulomb(1e-3));
    let mut worst: f64 = 0.0;
    run(&mut simulation, 0.05, |simulation| {
        worst = worst.max((simulation.state().placements[1].center.z - 0.05).abs());
    });
    assert!(worst < 1e-6, "off by {worst} m");
}
