//! What may touch within a step is found before it does: also where a support or a load sets off suddenly.

use crate::common::{built, run, simulation, supports};
use drystone_mechanics::dynamics::{Simulation, SimulationSettings, TimeStep};
use drystone_model::Model;
use glam::DVec3;

/// Two blocks side by side on the ground, a little apart; the first is a support that moves towards the second.
fn pusher(gap: f64) -> Model {
    let mut model = built(
        "block",
        &[
            ("width", "0.5"),
            ("depth", "0.5"),
            ("height", "0.5"),
            ("friction", "0.3"),
        ],
    );
    let mut pusher = model.blocks[1].clone();
    (pusher.name, pusher.fixed) = ("pusher".to_string(), true);
    // Above the ground, so that it passes over it.
    pusher.pose.position += DVec3::new(-0.5 - gap, 0.0, 0.1);
    model.blocks.push(pusher);
    model
}

/// How deep the second block is in the first (m).
fn overlap(simulation: &Simulation) -> f64 {
    let at = |b: usize| simulation.state().placements[b].center.x;
    at(2) + 0.5 - at(1)
}

#[test]
fn a_support_that_sets_off_at_once_does_not_enter_a_block_that_rests() {
    for dt in [1e-3, 5e-3, 1e-2, 2e-2] {
        for gap in [1e-4, 1e-3, 5e-3] {
            for speed in [0.5, 2.0, 10.0] {
                let model = pusher(gap);
                let motion = format!(
                    "ramp:quantity=displacement,to={},duration=1,direction=x,form=linear",
                    speed
                );
                let mut simulation = simulation(&model, dt, &motion);
                let mut deepest = f64::NEG_INFINITY;
                run(&mut simulation, 10.0 * dt, |s| deepest = deepest.max(overlap(s)));
                // It is pushed, and not entered but by the error of the solver, which is a part of the speed.
                let allowed = 2e-3 * speed * dt + 1e-9;
                assert!(
                    deepest > -gap && deepest < allowed,
                    "{dt} s, {gap} m, {speed} m/s: {deepest} m"
                );
            }
        }
    }
}

#[test]
fn a_load_that_sets_in_at_once_does_not_drive_a_block_into_another() {
    for dt in [1e-3, 5e-3, 1e-2, 2e-2] {
        let mut model = pusher(1e-3);
        // Without weight nothing else tells how far a block may get.
        model.gravity = DVec3::new(0.0, 0.0, -1e-3);
        model.load_cases.insert(
            "push".to_string(),
            drystone_model::LoadCase {
                body: vec![drystone_model::BodyForce {
                    acceleration: DVec3::new(-50.0, 0.0, 0.0),
                    groups: Vec::new(),
                }],
                ..Default::default()
            },
        );
        let settings = SimulationSettings {
            time_step: TimeStep::Fixed(dt),
            ..SimulationSettings::default()
        };
        let mut simulation = Simulation::new(&model, settings, supports(&model, ""), &["push".to_string()]).unwrap();
        let mut deepest = f64::NEG_INFINITY;
        run(&mut simulation, 10.0 * dt, |s| deepest = deepest.max(overlap(s)));
        assert!(deepest < 2e-3 * 50.0 * dt * dt, "{dt} s: {deepest} m");
    }
}
