//! Explicit steps through impacts: what flies is found, what rests keeps resting, and energies are kept account of.

use crate::common::{built, cuboid, floor, run, with};
use drystone_cone::Twist;
use drystone_mechanics::dynamics::{
    ExplicitSettings, Integrator, JointStiffness, Simulation, SimulationSettings, TimeStep,
};
use drystone_model::{Joints, Model};
use glam::{DQuat, DVec3, dvec3};

fn explicit(stiffness: f64) -> SimulationSettings {
    SimulationSettings {
        integrator: Integrator::Explicit(ExplicitSettings::default()),
        time_step: TimeStep::Fixed(2e-3),
        stiffness: Some(JointStiffness {
            normal: stiffness,
            tangential: stiffness,
        }),
        ..SimulationSettings::default()
    }
}

fn model(blocks: Vec<drystone_model::Block>) -> Model {
    Model {
        name: "impacts".into(),
        blocks,
        joints: Joints {
            friction: 0.6,
            ..Joints::default()
        },
        ..Model::default()
    }
}

fn throw(simulation: &mut Simulation, block: usize, linear: DVec3) {
    let angular = DVec3::ZERO;
    simulation.set_velocity(block, Twist { linear, angular });
}

/// The motion that the power method had found knew only of the small block, which rules the step; once that had left, steps became longer than the
/// other block is stable with, and threw it.
#[test]
fn a_block_stays_where_it_is_when_another_that_ruled_the_step_has_left() {
    let large = cuboid("large", DVec3::splat(0.4), dvec3(0.0, 0.0, 0.2), DQuat::IDENTITY);
    let small = cuboid("small", DVec3::splat(0.05), dvec3(3.0, 0.0, 0.025), DQuat::IDENTITY);
    let alone = with(&model(vec![floor(), large.clone()]), "", explicit(1e10));
    let limit = alone.stable_step().unwrap().limit;
    let mut both = with(&model(vec![floor(), large, small]), "", explicit(1e10));
    let start = both.state().placements[1].center;
    throw(&mut both, 2, dvec3(0.0, 0.0, 3.0));
    let mut longest = 0.0_f64;
    run(&mut both, 0.5, |s| {
        longest = longest.max(s.last_step().dt / s.last_step().iterations as f64)
    });
    assert!(both.state().placements[2].center.z > 0.05, "the small one flies");
    assert!(longest < 1.01 * limit, "{longest} {limit}");
    let moved = both.state().placements[1].center.distance(start);
    assert!(moved < 1e-9, "{moved}");
}

/// Faster than it passes the wall within one look at the run.
#[test]
fn what_flies_fast_does_not_pass_a_thin_wall() {
    for speed in [5.0, 20.0, 60.0] {
        let size = dvec3(0.01, 1.0, 1.0);
        let wall = cuboid("wall", size, dvec3(0.0, 0.0, 0.0), DQuat::IDENTITY).fixed();
        let cube = cuboid("cube", DVec3::splat(0.05), dvec3(-0.5, 0.0, 0.0), DQuat::IDENTITY);
        let mut model = model(vec![wall, cube]);
        model.gravity = DVec3::ZERO;
        let mut simulation = with(&model, "", explicit(1e10));
        throw(&mut simulation, 1, dvec3(speed, 0.0, 0.0));
        let mut farthest = f64::NEG_INFINITY;
        run(&mut simulation, 1.0 / speed, |s| {
            farthest = farthest.max(s.state().placements[1].center.x)
        });
        let state = simulation.state();
        assert!(farthest < -0.02, "{speed}: {farthest}");
        assert!(state.velocities[1].linear.x <= 0.0, "{speed}");
    }
}

/// A slender block that rocks has an impact every half period: in default steps its energies were off by a hundredth.
#[test]
fn energies_of_a_rocking_block_are_kept_account_of_in_default_steps() {
    for stiffness in [1e9, 1e10, 1e11] {
        let block = built("block", &[("width", "0.3"), ("height", "1.5"), ("friction", "0.6")]);
        let motion = "sine:amplitude=0.3g,frequency=2,direction=x";
        let mut simulation = with(&block, motion, explicit(stiffness));
        run(&mut simulation, 3.0, |_| ());
        let energies = simulation.state().energies;
        assert!(
            energies.balance_error() < 1e-3,
            "{stiffness}: {}",
            energies.balance_error()
        );
        assert!(simulation.last_step().max_displacement < 1.0);
    }
}

/// Dashpots beyond critical ones lead to a restitution below a seventh.
#[test]
fn small_coefficients_of_restitution_are_respected() {
    for restitution in [0.02, 0.08, 0.3] {
        let drop = 0.1;
        let cube = cuboid("cube", DVec3::splat(0.5), dvec3(0.0, 0.0, 0.25 + drop), DQuat::IDENTITY);
        let mut model = model(vec![floor(), cube]);
        model.joints.restitution = restitution;
        let settings = SimulationSettings {
            integrator: Integrator::Explicit(ExplicitSettings {
                dt: Some(1e-5),
                ..ExplicitSettings::default()
            }),
            time_step: TimeStep::Fixed(5e-4),
            ..explicit(1e9)
        };
        let mut simulation = with(&model, "", settings);
        let speed = (2.0 * 9.81 * drop).sqrt();
        let mut back = 0.0_f64;
        run(&mut simulation, speed / 9.81 + 0.03, |s| {
            back = back.max(s.state().velocities[1].linear.z)
        });
        assert!(
            (back / speed - restitution).abs() < 0.02,
            "{restitution}: {}",
            back / speed
        );
    }
}
