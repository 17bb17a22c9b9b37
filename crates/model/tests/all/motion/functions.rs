//! Every function against its closed form, and velocity and acceleration against differences.

use std::f64::consts::PI;

use drystone_model::motion::{Biphasic, Motion, MotionQuantity, Trajectory};
use glam::DVec3;
use proptest::prelude::*;
use serde_json::json;

use super::{assert_close, compile, from_json};

/// Displacement, velocity and acceleration along x.
fn along_x(trajectory: &Trajectory, t: f64) -> [f64; 3] {
    let state = trajectory.at(t);
    assert_eq!(state.displacement * (DVec3::Y + DVec3::Z), DVec3::ZERO);
    [state.displacement.x, state.velocity.x, state.acceleration.x]
}

fn assert_states(motion: serde_json::Value, expected: impl Fn(f64) -> [f64; 3], until: f64) {
    let trajectory = compile(&from_json(motion.clone()));
    for k in 0..=400 {
        let t = until * f64::from(k) / 400.0;
        let found = along_x(&trajectory, t);
        for (found, expected) in found.iter().zip(expected(t)) {
            assert_close(*found, expected, 1e-12, &format!("{motion} at {t}"));
        }
    }
    assert_eq!(along_x(&trajectory, -0.1), [0.0; 3]);
}

#[test]
fn a_sine_acceleration_from_rest_drifts_and_a_centred_one_does_not() {
    let (a, w) = (1.962, 2.0 * PI);
    let sine = json!({ "sine": { "amplitude": [a, 0, 0], "frequency_hz": 1 } });
    let drift = |t: f64| {
        [
            a / w * (t - (w * t).sin() / w),
            a / w * (1.0 - (w * t).cos()),
            a * (w * t).sin(),
        ]
    };
    assert_states(sine, drift, 6.0);

    let centred = json!({ "sine": { "amplitude": [a, 0, 0], "frequency_hz": 1, "centred": true } });
    let still = |t: f64| [-a / (w * w) * (w * t).sin(), -a / w * (w * t).cos(), a * (w * t).sin()];
    assert_states(centred, still, 6.0);
}

#[test]
fn a_sine_with_a_phase_a_start_and_an_end() {
    let (a, f, start, phase) = (2.0, 1.5, 0.4, 30f64.to_radians());
    let (w, end) = (2.0 * PI * f, 0.4 + 2.0 / 1.5);
    let at = |s: f64| (a / w * (phase.cos() - (w * s + phase).cos()), (w * s + phase).sin());
    let displacement = |s: f64| a / w * (s * phase.cos() - ((w * s + phase).sin() - phase.sin()) / w);
    let sine =
        json!({ "sine": { "amplitude": [a, 0, 0], "frequency_hz": f, "phase_deg": 30, "start": start, "cycles": 2 } });
    let expected = |t: f64| {
        let s = t - start;
        if s < 0.0 {
            [0.0; 3]
        } else if t < end {
            [displacement(s), at(s).0, a * at(s).1]
        } else {
            let (s, over) = (end - start, t - end);
            [displacement(s) + at(s).0 * over, at(s).0, 0.0]
        }
    };
    assert_states(sine, expected, 3.0);
}

#[test]
fn a_sine_displacement_is_counted_from_its_start_and_kept_at_its_end() {
    let w = 2.0 * PI;
    // A phase of -90 degrees starts from rest: 1 - cos.
    let sine = json!({ "sine": { "quantity": "displacement", "amplitude": [0.05, 0, 0], "frequency_hz": 1,
        "phase_deg": -90, "duration": 1.5 } });
    let expected = |t: f64| {
        if t < 1.5 {
            [
                0.05 * (1.0 - (w * t).cos()),
                0.05 * w * (w * t).sin(),
                0.05 * w * w * (w * t).cos(),
            ]
        } else {
            [0.1, 0.0, 0.0]
        }
    };
    assert_states(sine, expected, 3.0);
    let velocity = json!({ "sine": { "quantity": "velocity", "amplitude": [0.3, 0, 0], "frequency_hz": 1 } });
    let expected = |t: f64| {
        [
            0.3 / w * (1.0 - (w * t).cos()),
            0.3 * (w * t).sin(),
            0.3 * w * (w * t).cos(),
        ]
    };
    assert_states(velocity, expected, 3.0);
}

#[test]
fn a_whole_sine_impulse_ends_at_rest_and_half_of_one_with_its_impulse() {
    let (a, length) = (7.848, 0.5);
    let w = 2.0 * PI / length;
    let whole = json!({ "impulse": { "peak": [a, 0, 0], "duration": length } });
    let expected = |t: f64| {
        let s = t.min(length);
        let acceleration = if t < length { a * (w * s).sin() } else { 0.0 };
        [
            a / w * (s - (w * s).sin() / w),
            a / w * (1.0 - (w * s).cos()),
            acceleration,
        ]
    };
    assert_states(whole, expected, 1.0);

    let half = compile(&from_json(
        json!({ "impulse": { "peak": [a, 0, 0], "duration": length, "form": "half", "start": 0.2 } }),
    ));
    assert_close(half.at(0.45).acceleration.x, a, 1e-12, "peak in the middle");
    assert_close(
        half.at(3.0).velocity.x,
        2.0 * a * length / PI,
        1e-12,
        "area under half a sine",
    );
    assert_eq!(half.at(0.7).acceleration, DVec3::ZERO);
}

#[test]
fn the_biphasic_impulse_of_the_oppenheim_arch_ends_at_rest() {
    let (a, t1) = (1.11 * 9.81, 0.3);
    let trajectory = compile(&Motion::Biphasic(Biphasic::new(DVec3::X * a, t1)));
    assert_eq!(trajectory.at(0.0).acceleration.x, a);
    assert_eq!(trajectory.at(0.3).acceleration.x, -0.5 * a);
    assert_close(trajectory.at(t1).velocity.x, a * t1, 1e-12, "after the first phase");
    let end = trajectory.at(0.9 + 1e-12);
    assert_close(end.velocity.x, 0.0, 1e-11, "rest");
    assert_close(
        end.displacement.x,
        0.5 * a * t1 * t1 + a * t1 * t1,
        1e-11,
        "two triangles of velocity",
    );
    assert_close(trajectory.end().unwrap(), 0.9, 1e-12, "end");
}

#[test]
fn ramps_reach_their_value_and_keep_it() {
    let linear = json!({ "ramp": { "to": [2, 0, 0], "duration": 0.5, "start": 0.25 } });
    let expected = |t: f64| {
        let s = (t - 0.25).clamp(0.0, 0.5);
        let over = (t - 0.75).max(0.0);
        let (v, d) = (2.0 * s * s, 2.0 * s * s * s / 3.0);
        [d + v * over + over * over, v + 2.0 * over, 4.0 * s]
    };
    assert_states(linear, expected, 2.0);
    let smooth = json!({ "ramp": { "quantity": "displacement", "to": [0.1, 0, 0], "duration": 2, "form": "smooth" } });
    let expected = |t: f64| {
        let s = (t / 2.0).min(1.0);
        let value = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
        let first = 30.0 * s * s * (1.0 - s) * (1.0 - s) / 2.0;
        let second = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / 4.0;
        [0.1 * value, 0.1 * first, 0.1 * second]
    };
    assert_states(smooth, expected, 3.0);
    let settled = compile(&from_json(json!({ "settlement": { "translation": [0, 0, -0.05] } })));
    assert_eq!(settled.at(1.0).displacement, DVec3::new(0.0, 0.0, -0.05));
    assert_eq!(settled.at(0.0).velocity, DVec3::ZERO);
    assert_eq!(settled.end(), Some(1.0));
}

#[test]
fn a_ricker_acceleration_leaves_neither_velocity_nor_displacement() {
    let f = 2.0;
    let k = (PI * f) * (PI * f);
    let ricker = json!({ "ricker": { "peak": [3, 0, 0], "frequency_hz": f, "delay": 1.2 } });
    let expected = |t: f64| {
        let x = t - 1.2;
        let bell = (-k * x * x).exp();
        [
            -3.0 * bell / (2.0 * k),
            3.0 * x * bell,
            3.0 * (1.0 - 2.0 * k * x * x) * bell,
        ]
    };
    assert_states(ricker, expected, 4.0);
    let by_default = compile(&from_json(
        json!({ "ricker": { "peak": [3, 0, 0], "frequency_hz": f } }),
    ));
    assert_close(by_default.at(0.75).acceleration.x, 3.0, 1e-12, "peak at 1.5 / f");
    assert_close(by_default.at(5.0).velocity.x, 0.0, 1e-8, "rest");
    assert_close(by_default.end().unwrap(), 2.25, 1e-12, "three periods after the peak");
}

#[test]
fn tables_are_integrated_exactly() {
    // Acceleration t on [0, 1], then 1 - (t - 1) on [1, 2], then 0.
    let table = |quantity: &str, values: [[f64; 3]; 3]| json!({ "table": { "quantity": quantity, "times": [0, 1, 2], "values": values } });
    let hat = [[0.0; 3], [1.0, 0.0, 0.0], [0.0; 3]];
    let expected = |t: f64| {
        if t < 1.0 {
            [t * t * t / 6.0, t * t / 2.0, t]
        } else {
            let (s, over) = ((t - 1.0).min(1.0), (t - 2.0).max(0.0));
            let (d, v) = (
                1.0 / 6.0 + 0.5 * s + s * s / 2.0 - s * s * s / 6.0,
                0.5 + s - s * s / 2.0,
            );
            [d + over, v, 1.0 - s]
        }
    };
    assert_states(table("acceleration", hat), expected, 3.0);
    let velocity = compile(&from_json(table("velocity", hat)));
    assert_eq!(along_x(&velocity, 0.5), [0.125, 0.5, 1.0]);
    assert_eq!(along_x(&velocity, 1.5), [0.875, 0.5, -1.0]);
    let displacement = compile(&from_json(table("displacement", hat)));
    assert_eq!(along_x(&displacement, 0.5), [0.5, 1.0, 0.0]);
    assert_eq!(along_x(&displacement, 1.0), [1.0, -1.0, 0.0]);
    assert_eq!(along_x(&displacement, 2.5), [0.0; 3]);
}

#[test]
fn a_table_is_constant_before_its_first_and_after_its_last_point() {
    let table = json!({ "table": { "quantity": "acceleration", "times": [1, 2], "values": [[2, 0, 0], [2, 0, 0]] } });
    assert_states(table, |t| [t * t, 2.0 * t, 2.0], 5.0);
    // What lies before time zero is no part of the motion: it starts from rest at zero.
    let early = json!({ "table": { "quantity": "acceleration", "times": [-1, 1], "values": [[0, 0, 0], [4, 0, 0]] } });
    let trajectory = compile(&from_json(early));
    assert_eq!(along_x(&trajectory, 0.0), [0.0, 0.0, 2.0]);
    assert_close(trajectory.at(1.0).velocity.x, 3.0, 1e-12, "from rest at zero");
}

#[test]
fn motions_of_a_sum_add_up() {
    let parts = [
        json!({ "sine": { "amplitude": [1, 0, 0], "frequency_hz": 2 } }),
        json!({ "ricker": { "peak": [0, 2, 0], "frequency_hz": 3 } }),
        json!({ "settlement": { "translation": [0, 0, -0.1] } }),
    ];
    let sum = compile(&from_json(json!({ "sum": parts })));
    let alone = parts.map(|p| compile(&from_json(p)));
    for t in [0.0, 0.3, 0.77, 4.0] {
        let expected: DVec3 = alone.iter().map(|p| p.at(t).displacement).sum();
        assert_eq!(sum.at(t).displacement, expected);
    }
    assert_eq!(sum.end(), None);
}

#[test]
fn a_stepper_that_moves_by_mean_velocities_ends_where_the_displacement_says() {
    let trajectory = compile(&from_json(
        json!({ "sine": { "amplitude": [3, 1, 0.5], "frequency_hz": 1.3 } }),
    ));
    let (mut x, dt) = (DVec3::ZERO, 0.01);
    for k in 0..1000 {
        x += dt
            * trajectory
                .step(DVec3::ZERO, f64::from(k) * dt, f64::from(k + 1) * dt)
                .velocity;
    }
    assert!((x - trajectory.at(10.0).displacement).length() < 1e-11);
    let now = trajectory.step(DVec3::ZERO, 0.2, 0.2).velocity;
    assert_eq!(now, trajectory.at(0.2).velocity);
}

proptest! {
    /// Between the points of a table everything is a polynomial of at most third degree, which Simpson's rule integrates
    /// exactly.
    #[test]
    fn velocity_integrates_acceleration_and_displacement_velocity(
        points in prop::collection::vec((0.01..1.0f64, -9.0..9.0f64), 2..40),
        first in 0.0..2.0f64,
        from in 0.0..3.0f64,
        length in 0.0..30.0f64,
    ) {
        let gaps = points.iter().scan(first, |t, (gap, _)| { *t += gap; Some(*t) });
        let times: Vec<f64> = gaps.collect();
        let values: Vec<[f64; 3]> = points.iter().map(|(_, value)| [*value, 0.0, 0.0]).collect();
        let table = json!({ "table": { "quantity": "acceleration", "times": times, "values": values } });
        let trajectory = compile(&from_json(table));
        let to = from + length;
        let inside = times.iter().copied().filter(|t| (from..to).contains(t) && *t > from);
        let cuts: Vec<f64> = std::iter::once(from).chain(inside).chain([to]).collect();
        let (mut v, mut d) = (0.0, 0.0);
        for cell in cuts.windows(2) {
            let states = [cell[0], 0.5 * (cell[0] + cell[1]), cell[1]].map(|t| along_x(&trajectory, t));
            let simpson = |k: usize| (cell[1] - cell[0]) / 6.0 * (states[0][k] + 4.0 * states[1][k] + states[2][k]);
            v += simpson(2);
            d += simpson(1);
        }
        let (start, end) = (along_x(&trajectory, from), along_x(&trajectory, to));
        let scale = 1.0 + end[0].abs() + end[1].abs();
        prop_assert!((end[1] - start[1] - v).abs() < 1e-12 * scale, "velocity {} for {v}", end[1] - start[1]);
        prop_assert!((end[0] - start[0] - d).abs() < 1e-12 * scale, "displacement {} for {d}", end[0] - start[0]);
    }
}

#[test]
fn differences_of_displacement_give_velocity_and_acceleration() {
    let motions = [
        json!({ "sine": { "amplitude": [2, 0, 0], "frequency_hz": 1.7, "phase_deg": 40 } }),
        json!({ "impulse": { "peak": [2, 0, 0], "duration": 3 } }),
        json!({ "ramp": { "to": [2, 0, 0], "duration": 3, "form": "smooth" } }),
        json!({ "ricker": { "peak": [2, 0, 0], "frequency_hz": 1.1 } }),
        json!({ "table": { "quantity": "acceleration", "times": [0, 3], "values": [[1, 0, 0], [-2, 0, 0]] } }),
        json!({ "ricker": { "quantity": "velocity", "peak": [2, 0, 0], "frequency_hz": 1.1 } }),
        json!({ "ricker": { "quantity": "displacement", "peak": [2, 0, 0], "frequency_hz": 1.1 } }),
        json!({ "impulse": { "quantity": "displacement", "peak": [2, 0, 0], "duration": 3 } }),
    ];
    for motion in motions {
        let trajectory = compile(&from_json(motion.clone()));
        for k in 1..28 {
            let (t, h) = (0.1 * f64::from(k), 1e-4);
            let [before, now, after] = [t - h, t, t + h].map(|t| along_x(&trajectory, t));
            assert_close(
                (after[0] - before[0]) / (2.0 * h),
                now[1],
                1e-5,
                &format!("{motion} velocity at {t}"),
            );
            assert_close(
                (after[1] - before[1]) / (2.0 * h),
                now[2],
                2e-4,
                &format!("{motion} acceleration at {t}"),
            );
        }
    }
    assert_eq!(MotionQuantity::default(), MotionQuantity::Acceleration);
}
