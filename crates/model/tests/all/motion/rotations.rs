//! Supports that turn.

use std::f64::consts::PI;

use drystone_model::motion::{CompileSettings, Trajectory};
use glam::{DQuat, DVec3};
use serde_json::{Value, json};

use super::{compile, from_json};

fn turn(pivot: [f64; 3], motion: Value) -> Value {
    json!({ "rotation": { "pivot": pivot, "motion": motion } })
}

#[test]
fn a_turn_about_a_fixed_axis_is_the_angle_of_its_function() {
    let sine = json!({ "sine": { "quantity": "displacement", "amplitude": [0, 0.2, 0], "frequency_hz": 1 } });
    let trajectory = compile(&from_json(turn([1.0, 0.0, 2.0], sine)));
    assert!(trajectory.turns() && trajectory.pivot() == DVec3::new(1.0, 0.0, 2.0));
    for t in [0.0, 0.1, 0.37, 1.9] {
        let state = trajectory.at(t);
        let (sin, cos) = (2.0 * PI * t).sin_cos();
        assert!(state.rotation.abs_diff_eq(DQuat::from_rotation_y(0.2 * sin), 1e-14));
        assert!((state.angular_velocity - DVec3::Y * 0.2 * 2.0 * PI * cos).length() < 1e-13);
        assert!((state.angular_acceleration + DVec3::Y * 0.2 * 4.0 * PI * PI * sin).length() < 1e-12);
        assert_eq!(state.displacement, DVec3::ZERO);
        // The pivot stays; a point one metre beside it goes down as it turns about y.
        assert!((trajectory.position(trajectory.pivot(), t) - trajectory.pivot()).length() < 1e-15);
        let beside = trajectory.position(DVec3::new(2.0, 0.0, 2.0), t);
        assert!((beside.z - 2.0 + (0.2 * sin).sin()).abs() < 1e-14);
    }
}

/// Tumbling: a rotation vector whose direction changes, up to more than half a turn.
fn tumbling() -> Trajectory {
    let x = json!({ "sine": { "quantity": "displacement", "amplitude": [1.9, 0, 0.3], "frequency_hz": 0.8 } });
    let y = json!({ "ramp": { "quantity": "displacement", "to": [0, 2.4, 0], "duration": 2, "form": "smooth" } });
    let shift = json!({ "ricker": { "peak": [2, 0, 1], "frequency_hz": 1 } });
    let turn = turn([0.5, -0.25, 0.125], json!({ "sum": [x, y] }));
    compile(&from_json(json!({ "sum": [turn, shift] })))
}

#[test]
fn the_angular_velocity_is_that_of_the_rotation_and_the_acceleration_its_derivative() {
    let trajectory = tumbling();
    let point = DVec3::new(0.7, -1.1, 2.0);
    for k in 1..60 {
        let (t, h) = (0.031 * f64::from(k), 1e-5);
        let [before, now, after] = [t - h, t, t + h].map(|t| trajectory.at(t));
        let found = (after.angular_velocity - before.angular_velocity) / (2.0 * h);
        assert!((found - now.angular_acceleration).length() < 1e-6, "{t}: {found}");
        let moved = (trajectory.position(point, t + h) - trajectory.position(point, t - h)) / (2.0 * h);
        assert!((moved - trajectory.velocity(point, t)).length() < 1e-7, "{t}");
        let mapped = trajectory.map(t).transform_point3(point);
        assert!((mapped - trajectory.position(point, t)).length() < 1e-14);
    }
}

#[test]
fn steps_of_constant_angular_velocity_end_where_the_rotation_says() {
    let trajectory = tumbling();
    let point = DVec3::new(0.7, -1.1, 2.0);
    let (mut q, mut x, dt) = (DQuat::IDENTITY, point, 0.01);
    for k in 0..180 {
        let step = trajectory.step(point, f64::from(k) * dt, f64::from(k + 1) * dt);
        q = DQuat::from_scaled_axis(step.angular_velocity * dt) * q;
        x += step.velocity * dt;
    }
    assert!(q.angle_between(trajectory.at(1.8).rotation) < 1e-7);
    assert!((x - trajectory.position(point, 1.8)).length() < 1e-12);
}

/// Libraries take angles below 1e-8 for none: a slow turn would stand still.
#[test]
fn a_turn_too_slow_to_see_in_one_step_still_turns() {
    let ramp = json!({ "ramp": { "quantity": "velocity", "to": [0, 0, 1e-7], "duration": 1e-3 } });
    let trajectory = compile(&from_json(turn([0.0; 3], ramp)));
    let step = trajectory.step(DVec3::X, 1.0, 1.0001);
    assert!(
        (step.angular_velocity.z - 1e-7).abs() < 1e-13,
        "{}",
        step.angular_velocity
    );
}

#[test]
fn turns_that_add_up_share_their_pivot_and_none_stands_in_another() {
    let ricker = || json!({ "ricker": { "peak": [0, 1, 0], "frequency_hz": 1 } });
    let two = json!({ "sum": [turn([0.0; 3], ricker()), turn([1.0, 0.0, 0.0], ricker())] });
    let told = from_json(two)
        .compile(&CompileSettings::default())
        .unwrap_err()
        .to_string();
    assert_eq!(
        told,
        "motion.sum[1].rotation.pivot: [1, 0, 0] is not [0, 0, 0], the pivot of another turn of the sum; turns that add up \
         share one pivot"
    );
    let nested = turn([0.0; 3], turn([0.0; 3], ricker()));
    let told = from_json(nested)
        .compile(&CompileSettings::default())
        .unwrap_err()
        .to_string();
    assert!(
        told.starts_with("motion.rotation.motion.rotation: stands inside a rotation"),
        "{told}"
    );
}
