//! Blocks that are wedged in: constraints that contradict each other by rounding are relaxed and told, a squeeze is an error.

use crate::common::{built, run, simulation, with};
use drystone_cone::Friction;
use drystone_mechanics::dynamics::{SimulationError, SimulationSettings, StepAttempt, TimeStep, max_displacement};
use drystone_model::{
    Block, Joints, Model, Shape,
    motion::{Motion, MotionQuantity, SupportMotion},
};
use glam::{DVec3, dvec3};

/// The struts of the shelf overlap the frame by some 1e-12 m, which no motion can undo: the run ended at 0.014 s.
#[test]
fn struts_that_overlap_their_frame_by_rounding_do_not_end_the_run() {
    let mut simulation = simulation(&built("shelf", &[]), 1e-3, "");
    let mut most = 0.0_f64;
    while simulation.state().time < 0.3 {
        let step = simulation.step().unwrap();
        // Above the tolerance is allowed where it is told, up to an error of the velocities of 1 %.
        assert!(step.residual <= 1e-2 && step.relative_overlap < 1e-3, "{step:?}");
        most = most.max(step.relaxed);
    }
    assert!(most < 1e-5, "relaxed by {most} m");
}

/// A block between parallel walls is held by friction where sliding would have to open the joint; and where it need not, it
/// is held or falls, but never faster than free.
#[test]
fn a_block_between_walls_never_falls_faster_than_free() {
    for (width, friction) in [
        ("1.675", "0.526"),
        ("0.7", "0.3"),
        ("2.35", "0.9"),
        ("1.13", "0.11"),
        ("1.8", "0.84"),
    ] {
        let model = built("model-h", &[("width", width), ("friction", friction)]);
        for law in [Friction::Associated, Friction::Coulomb] {
            let settings = SimulationSettings {
                time_step: TimeStep::Fixed(1e-3),
                friction: law,
                ..SimulationSettings::default()
            };
            let mut simulation = with(&model, "", settings);
            run(&mut simulation, 0.2, |s| {
                let free = 9.81 * s.state().time;
                assert!(
                    s.max_speed() <= free * (1.0 + 1e-6),
                    "{width}, {friction}, {law:?}: {}",
                    s.max_speed()
                );
            });
            let fallen = max_displacement(simulation.structure(), simulation.state(), DVec3::ZERO);
            // Backward Euler falls by g t^2 / 2 and half a step more.
            assert!(
                fallen <= 0.5 * 9.81 * 0.2 * 0.201 * (1.0 + 1e-6),
                "{width}, {friction}, {law:?}: {fallen}"
            );
            assert!(
                law == Friction::Coulomb || fallen < 1e-6,
                "{width}, {friction}: {fallen}"
            );
        }
    }
}

/// A block between two walls, one of which moves into it at a speed.
fn pressed(speed: f64) -> Model {
    let mut model = Model::named("press");
    let mut add = |name: &str, low: DVec3, high: DVec3, fixed: bool| {
        let mut block = Block::new(name, Shape::cuboid(low, high));
        block.fixed = fixed;
        block.density = Some(2000.0);
        model.blocks.push(block);
    };
    add("floor", dvec3(-2.0, -1.0, -0.2), dvec3(2.0, 1.0, 0.0), true);
    add("left", dvec3(-0.7, -0.5, 0.0), dvec3(-0.5, 0.5, 1.0), true);
    add("right", dvec3(0.5, -0.5, 0.0), dvec3(0.7, 0.5, 1.0), true);
    add("block", dvec3(-0.5, -0.5, 0.0), dvec3(0.5, 0.5, 1.0), false);
    model.joints = Joints::uniform(0.5);
    let press = Motion::Table {
        quantity: MotionQuantity::Displacement,
        times: vec![0.0, 10.0],
        values: vec![DVec3::ZERO, dvec3(10.0 * speed, 0.0, 0.0)],
    };
    model.motions.insert("press".to_string(), press);
    model.support_motions.push(SupportMotion {
        motion: "press".to_string(),
        blocks: vec!["left".to_string()],
        groups: Vec::new(),
    });
    model
}

/// What cannot give way stops the run where it is a hundredth of the smaller block's size into its neighbour. That is the
/// wall of 0.2 x 1 x 1 m, 1.428 m by its diagonal; two joints share the way.
#[test]
fn a_press_stops_the_run_and_names_the_blocks() {
    let mut simulation = simulation(&pressed(0.1), 1e-3, "");
    let (mut most, mut told) = (0.0_f64, 0);
    let error = loop {
        match simulation.step() {
            Ok(step) => {
                assert!(step.residual <= 1e-2, "{step:?}");
                told += usize::from(step.relaxed > 0.0);
                assert!(
                    step.relaxed == 0.0 || step.attempt as u8 >= StepAttempt::OverlapsKept as u8,
                    "{step:?}"
                );
                most = most.max(step.relaxed);
            }
            Err(error) => break error,
        }
        assert!(simulation.state().time < 1.0, "it goes on for ever");
    };
    let SimulationError::Squeezed {
        time,
        blocks,
        depth,
        allowed,
        driven: true,
    } = &error
    else {
        panic!("{error}");
    };
    assert!(blocks.contains(&"block".to_string()), "{error}");
    assert!(
        (allowed - 0.01 * 2.04_f64.sqrt()).abs() < 1e-6 && depth > allowed,
        "{error}"
    );
    // 0.1 m/s, on one joint alone or on two.
    assert!(*time > 0.14 && *time < 0.29, "{error}");
    assert!(told > 100 && most > 0.0, "{told} steps relaxed, by up to {most} m");
}
