//! The same motion seen from the world and from the ground, and by rules that must agree as steps become short.

use crate::common::{built, run, simulation, with};
use drystone_mechanics::dynamics::{ReferenceFrame, RotationScheme, SimulationError, SimulationSettings, TimeStep};
use glam::DVec3;

#[test]
fn axes_that_move_with_the_ground_show_the_same_relative_motion() {
    let stack = built("stack", &[("blocks", "3"), ("width", "0.4"), ("height", "0.6")]);
    let shake = "sine:amplitude=0.5g,frequency=2,direction=x";
    let settings = |frame| SimulationSettings {
        time_step: TimeStep::Fixed(2e-3),
        frame,
        tolerance: Some(1e-6),
        ..SimulationSettings::default()
    };
    let (mut world, mut ground) = (
        with(&stack, shake, settings(ReferenceFrame::World)),
        with(&stack, shake, settings(ReferenceFrame::Ground)),
    );
    let mut largest = 0.0_f64;
    for _ in 0..200 {
        world.step().expect("a step");
        ground.step().expect("a step");
        let carried = world.ground_displacement();
        for b in world.structure().free() {
            let start = world.structure().center[b];
            let (a, b) = (&world.state().placements[b], &ground.state().placements[b]);
            assert!(a.center.distance(b.center + carried) < 1e-6);
            assert!(a.rotation.angle_between(b.rotation) < 1e-5);
            largest = largest.max(b.center.distance(start));
        }
    }
    assert!(largest > 1e-2, "the blocks must have moved to show anything: {largest}");
}

#[test]
fn a_steady_acceleration_below_friction_moves_nothing_in_axes_of_the_ground() {
    let mut block = built("block", &[("width", "1"), ("depth", "1"), ("height", "0.4")]);
    block.joints.friction = 0.6;
    let mut simulation = with(
        &block,
        "biphasic:peak=0.55g,duration=0.2,direction=x",
        SimulationSettings {
            time_step: TimeStep::Fixed(2e-3),
            frame: ReferenceFrame::Ground,
            ..SimulationSettings::default()
        },
    );
    run(&mut simulation, 0.19, |_| ());
    let moved = simulation.state().placements[1].center - simulation.structure().center[1];
    assert!(moved.length() < 1e-7, "{moved}");
}

/// Impulses that hold two loads hold every load between: while a shaken stack stands still in the axes of its ground, steps are solved only
/// where the ground goes beyond what it was seen to hold. What comes of it is what comes of solving all.
#[test]
fn what_lies_between_two_loads_that_are_held_is_held() {
    let stack = built("stack", &[("blocks", "3"), ("width", "0.4"), ("height", "0.6")]);
    // Slender blocks tip at 0.4 / 1.8 of gravity, all of them at once.
    let shake = "sine:amplitude=0.2g,frequency=2,cycles=4,direction=x";
    let settings = |rest| SimulationSettings {
        time_step: TimeStep::Fixed(2e-3),
        frame: ReferenceFrame::Ground,
        rest,
        ..SimulationSettings::default()
    };
    let mut simulation = with(&stack, shake, settings(true));
    let (mut solved, mut steps) = (0, 0);
    run(&mut simulation, 2.2, |s| {
        solved += usize::from(s.last_step().attempts > 0);
        steps += 1;
    });
    assert!(10 * solved < 3 * steps, "{solved} of {steps} steps were solved");
    for b in simulation.structure().free() {
        let moved = simulation.state().placements[b].center - simulation.structure().center[b];
        assert!(moved.length() < 1e-9, "block {b}: {moved}");
    }
    // A pulse that it does not hold, after a while that it does.
    let stronger =
        "sine:amplitude=0.15g,frequency=2,cycles=2,direction=x & impulse:peak=0.6g,duration=0.3,start=1.0,direction=x";
    let tops = [true, false].map(|rest| {
        let mut simulation = with(&stack, stronger, settings(rest));
        run(&mut simulation, 1.4, |_| ());
        simulation.state().placements[3].center
    });
    let moved = tops[0] - simulation.structure().center[3];
    assert!(moved.length() > 0.02, "{moved}");
    assert!(tops[0].distance(tops[1]) < 2e-3 * moved.length(), "{tops:?}");
}

#[test]
fn grounds_that_differ_are_no_frame() {
    let mut stack = built("stack", &[("blocks", "1")]);
    let mut second = stack.blocks[0].clone();
    second.name = "far away".to_string();
    second.pose.position += DVec3::new(100.0, 0.0, 0.0);
    stack.blocks.push(second);
    let motion = r#"{"sine": {"amplitude": [1.0, 0.0, 0.0], "frequency_hz": 1.0}}"#;
    stack
        .motions
        .insert("shake".into(), serde_json::from_str(motion).expect("a motion"));
    stack.support_motions.push(drystone_model::SupportMotion {
        motion: "shake".into(),
        blocks: vec!["ground".into()],
        groups: Vec::new(),
    });
    let settings = SimulationSettings {
        frame: ReferenceFrame::Ground,
        ..SimulationSettings::default()
    };
    let supports = crate::common::supports(&stack, "");
    let error = drystone_mechanics::dynamics::Simulation::new(&stack, settings, supports, &[]);
    assert!(matches!(error, Err(SimulationError::NoCommonGround)));
}

#[test]
fn the_rules_for_turning_and_for_time_agree_where_steps_are_short() {
    let block = built("block", &[("tilt-deg", "12")]);
    let angle = |settings: SimulationSettings| {
        let mut simulation = with(&block, "", settings);
        run(&mut simulation, 0.5, |_| ());
        let state = simulation.state();
        state.placements[1].rotation.to_scaled_axis().y
    };
    let short = SimulationSettings {
        time_step: TimeStep::Fixed(2e-4),
        tolerance: Some(1e-6),
        ..SimulationSettings::default()
    };
    let momentum = angle(short);
    let gyroscopic = angle(SimulationSettings {
        rotation: RotationScheme::Gyroscopic,
        ..short
    });
    let midpoint = angle(SimulationSettings { theta: 0.5, ..short });
    assert!(momentum.abs() > 0.05, "{momentum}");
    assert!(
        (momentum - gyroscopic).abs() < 1e-4 * momentum.abs(),
        "{momentum} {gyroscopic}"
    );
    // Backward Euler is of first order: a step of 2e-4 s is worth about that much.
    assert!(
        (momentum - midpoint).abs() < 3e-3 * momentum.abs(),
        "{momentum} {midpoint}"
    );
}

#[test]
fn adaptive_steps_are_long_at_rest_and_short_at_impacts() {
    let block = built("block", &[("tilt-deg", "10")]);
    let (longest, shortest) = (4e-3, 4e-3 / 64.0);
    let mut adaptive = with(
        &block,
        "",
        SimulationSettings {
            time_step: TimeStep::Adaptive {
                longest,
                shortest,
                tolerance: 4e-6,
            },
            ..SimulationSettings::default()
        },
    );
    let mut lengths = Vec::new();
    while adaptive.state().time < 1.5 {
        lengths.push(adaptive.step().expect("a step").dt);
    }
    let is_level = |dt: &f64| ((longest / dt).log2() - (longest / dt).log2().round()).abs() < 1e-12;
    assert!(lengths.iter().all(is_level));
    let least = lengths.iter().copied().fold(f64::INFINITY, f64::min);
    let most = lengths.iter().copied().fold(0.0, f64::max);
    assert!(least <= longest / 8.0 && most >= longest / 2.0, "{least} {most}");
    // Close to what short steps of one length give, with far fewer of them.
    let mut fine = simulation(&block, shortest, "");
    run(&mut fine, adaptive.state().time, |_| ());
    let turned = |s: &drystone_mechanics::dynamics::Simulation| s.state().placements[1].rotation.to_scaled_axis().y;
    let mut coarse = simulation(&block, longest, "");
    run(&mut coarse, adaptive.state().time, |_| ());
    let (error, plain) = (
        (turned(&adaptive) - turned(&fine)).abs(),
        (turned(&coarse) - turned(&fine)).abs(),
    );
    assert!(error < 0.5 * plain, "{error} {plain} {}", lengths.len());
    assert!((lengths.len() as f64) < 0.5 * 1.5 / shortest, "{}", lengths.len());
}
