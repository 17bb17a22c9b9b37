//! Coulomb's law in structures of many contacts.

use crate::common::{built, cuboid, floor, with};
use drystone_cone::{Friction, Twist};
use drystone_mechanics::dynamics::{SimulationSettings, TimeStep};
use drystone_model::{Joints, Model};
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
