//! Motions that are known without time stepping.

use std::f64::consts::TAU;

use crate::common::{built, run, simulation};
use drystone_cone::Twist;
use drystone_mechanics::dynamics::reference::{RockingBlock, SlidingBlock, rocking, sliding};
use glam::DVec3;

const G: f64 = 9.81;

/// When a tilted block first comes down (s), and its angular velocity after over that before.
fn first_impact(dt: f64) -> [f64; 2] {
    let model = built(
        "block",
        &[("width", "0.6"), ("height", "2"), ("tilt-deg", "15"), ("friction", "2")],
    );
    let mut simulation = simulation(&model, dt, "");
    let tilt = 15f64.to_radians();
    let mut angles = vec![[0.0, tilt]];
    run(&mut simulation, 1.3, |s| {
        let turned = s.state().placements[1].rotation * s.structure().initial(1).rotation.conjugate();
        angles.push([s.state().time, tilt + turned.to_scaled_axis().y]);
    });
    // The impact takes two or three steps. On either side the angle is a smooth function of time: its slope at zero, from
    // the differences over a few steps next to it, corrected for the constant acceleration towards the base.
    let block = RockingBlock {
        half_width: 0.3,
        half_height: 1.0,
        gravity: G,
    };
    let pull = block.frequency().powi(2) * block.slenderness().sin();
    let down = angles.iter().position(|a| a[1] <= 1e-12).unwrap();
    let slope_at_zero = |[t0, a0]: [f64; 2], [t1, a1]: [f64; 2]| {
        let (slope, angle) = ((a1 - a0) / (t1 - t0), 0.5 * (a0 + a1));
        (slope * slope + 2.0 * pull * angle.abs()).sqrt()
    };
    let before = slope_at_zero(angles[down - 8], angles[down - 4]);
    let after = slope_at_zero(angles[down + 4], angles[down + 8]);
    let [time, angle] = angles[down - 4];
    [time + angle / before, after / before]
}

#[test]
fn a_tilted_block_comes_down_and_goes_on_as_housner_says() {
    let block = RockingBlock {
        half_width: 0.3,
        half_height: 1.0,
        gravity: G,
    };
    let exact = rocking(&block, 15f64.to_radians(), 1.3, 1e-3).impacts[0];
    let [time, ratio] = first_impact(1e-3);
    assert!((time / exact.time - 1.0).abs() < 2e-3, "{time}, {}", exact.time);
    assert!((ratio / block.restitution() - 1.0).abs() < 5e-3, "{ratio}");
    // The error of the time is half a step: the method is of first order.
    let [coarse, _] = first_impact(2e-3);
    let order = ((coarse - exact.time) / (time - exact.time)).log2();
    assert!((order - 1.0).abs() < 0.25, "{order}");
}

#[test]
fn a_block_on_a_ground_that_shakes_slides_as_friction_lets_it() {
    let model = built("block", &[("width", "0.6"), ("height", "0.1"), ("friction", "0.3")]);
    let mut simulation = simulation(&model, 1e-3, "sine:amplitude=0.5g,frequency=1,direction=x");
    let shake = 0.5 * G;
    let ground = |t: f64| [shake / TAU * (1.0 - (TAU * t).cos()), shake * (TAU * t).sin()];
    let block = SlidingBlock {
        friction: 0.3 * G,
        slope: 0.0,
    };
    let exact = sliding(&block, ground, 2.0, 1e-3);
    let mut worst: f64 = 0.0;
    run(&mut simulation, 2.0, |s| {
        let [_, x] = exact[s.state().step as usize];
        worst = worst.max((s.state().placements[1].center.x - x).abs());
    });
    assert!(worst < 1e-4, "{worst}");
}

#[test]
fn a_block_on_an_incline_slides_past_the_angle_of_friction_and_not_below() {
    for (slope_deg, slides) in [(16.0_f64, false), (20.0, true), (30.0, true)] {
        let slope = slope_deg.to_radians();
        let mut model = built("block", &[("width", "0.6"), ("height", "0.1"), ("friction", "0.3")]);
        model.gravity = G * DVec3::new(slope.sin(), 0.0, -slope.cos());
        let mut simulation = simulation(&model, 1e-3, "");
        run(&mut simulation, 1.0, |_| ());
        let way = simulation.state().placements[1].center.x - simulation.structure().center[1].x;
        let exact = 0.5 * G * (slope.sin() - 0.3 * slope.cos());
        if slides {
            assert!((way / exact - 1.0).abs() < 5e-3, "{slope_deg}: {way}, {exact}");
        } else {
            assert_eq!(way, 0.0);
        }
    }
}

#[test]
fn a_block_in_free_flight_keeps_its_momentum() {
    let mut model = built("block", &[("width", "0.6"), ("depth", "0.4"), ("height", "1")]);
    model.blocks[1].pose.position.z += 100.0;
    let mut simulation = simulation(&model, 1e-3, "");
    let linear = DVec3::new(3.0, -1.0, 5.0);
    // Mostly about the axis of middle inertia, about which a spin is not stable.
    let angular = DVec3::new(5.0, 0.1, 0.2);
    simulation.set_velocity(1, Twist { linear, angular });
    let first = simulation.structure().inertia[1] * angular;
    run(&mut simulation, 2.0, |s| {
        let (v, placement) = (&s.state().velocities[1], &s.state().placements[1]);
        let expected = linear + s.state().time * s.structure().gravity;
        assert!((v.linear - expected).length() < 1e-11);
        let now = s.structure().inertia_at(1, placement) * v.angular;
        assert!((now - first).length() < 1e-9 * first.length());
    });
}

#[test]
fn a_block_under_an_impulse_recovers_or_overturns_with_its_amplitude() {
    // Nodargi and Bisegna (2024), section 4.2. The stronger impulse is close to the least that overturns: with steps twice
    // as long the block recovers.
    let lean = |peak: f64| {
        let model = built("block", &[("width", "0.6"), ("height", "2"), ("friction", "2")]);
        let (sin, cos) = 44f64.to_radians().sin_cos();
        let motion = format!("impulse:peak={peak},half_period=0.25,direction={cos},{sin},0");
        // The longest step of the paper; twice as long, and the method's own damping lets the block recover.
        let mut simulation = simulation(&model, 1e-3, &motion);
        run(&mut simulation, 4.0, |_| ());
        (simulation.state().placements[1].rotation * DVec3::Z).angle_between(DVec3::Z)
    };
    let (weak, strong) = (lean(8.0), lean(9.5));
    // It is in balance on a corner at 0.4 rad.
    assert!(weak < 0.1, "{weak}");
    assert!(strong > 1.0, "{strong}");
}
