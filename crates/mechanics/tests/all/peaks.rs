//! The largest displacements and speeds of a run, relative to the ground.

use crate::common::{built, run, simulation, supports};
use drystone_cone::Twist;
use drystone_mechanics::dynamics::{Simulation, SimulationSettings, State, TimeStep};
use drystone_model::{Model, SupportMotion};
use glam::DVec3;

#[test]
fn a_thrown_block_peaks_at_the_top_of_its_parabola_at_any_scale() {
    for scale in [1e-3, 1.0, 100.0] {
        let size = |factor: f64| (factor * scale).to_string();
        let [width, height] = [size(0.5), size(0.3)];
        let block = built("block", &[("width", &width), ("depth", &width), ("height", &height)]);
        let (top, gravity) = (2.0 * scale, block.gravity.length());
        let speed = (2.0 * gravity * top).sqrt();
        let rise = speed / gravity;
        let mut simulation = simulation(&block, rise / 500.0, "");
        let up = Twist {
            linear: DVec3::Z * speed,
            angular: DVec3::ZERO,
        };
        simulation.set_velocity(1, up);
        run(&mut simulation, 1.5 * rise, |_| ());
        let found = simulation.extremes();
        let peak = found.max_displacement;
        assert_eq!((peak.block, found.max_speed.block), (1, 1));
        assert!(
            (peak.value / top - 1.0).abs() < 5e-3,
            "{scale}: {} of {top} m",
            peak.value
        );
        assert!(
            (peak.time / rise - 1.0).abs() < 5e-3,
            "{scale}: at {} of {rise} s",
            peak.time
        );
        // It was fastest when it was thrown.
        assert_eq!((found.max_speed.value, found.max_speed.time), (speed, 0.0));
        // After half the time that the way up took it has come down by a quarter of it.
        assert!((found.final_displacement.value / (0.75 * top) - 1.0).abs() < 1e-2);
        assert!((found.final_speed.value / (0.5 * speed) - 1.0).abs() < 1e-2);
    }
}

/// A motion of some supports of a model.
fn moved(model: &mut Model, name: &str, motion: &str, blocks: &[&str]) {
    let motion = serde_json::from_str(motion).expect("a motion");
    model.motions.insert(name.into(), motion);
    model.support_motions.push(SupportMotion {
        motion: name.into(),
        blocks: blocks.iter().map(ToString::to_string).collect(),
        groups: Vec::new(),
    });
}

fn settings(dt: f64) -> SimulationSettings {
    SimulationSettings {
        time_step: TimeStep::Fixed(dt),
        tolerance: Some(1e-6),
        ..SimulationSettings::default()
    }
}

#[test]
fn what_rides_on_a_ground_that_turns_has_not_moved() {
    let mut block = built("block", &[("width", "0.6"), ("height", "0.5"), ("friction", "0.7")]);
    let tilt = r#"{"rotation": {"pivot": [-3, 0, 0], "motion": {"ramp": {"quantity": "displacement", "to": [0, -0.2, 0],
                   "duration": 2.0, "form": "smooth"}}}}"#;
    moved(&mut block, "tilt", tilt, &[]);
    let own = supports(&block, "");
    let mut simulation = Simulation::new(&block, settings(2e-3), own, &[]).expect("a simulation");
    run(&mut simulation, 2.2, |_| ());
    let found = simulation.extremes();
    let lifted = simulation.state().placements[1].center - simulation.structure().center[1];
    assert!(lifted.length() > 0.5, "{lifted}");
    assert!(found.max_displacement.value < 1e-3, "{found:?}");
    assert!(
        found.max_speed.value < 1e-2 && found.final_speed.value < 1e-3,
        "{found:?}"
    );
}

#[test]
fn the_ground_is_what_most_supports_do() {
    let mut model = built("block", &[]);
    for k in 1..3 {
        let mut other = model.blocks[0].clone();
        other.name = format!("far away {k}");
        other.pose.position.x += 100.0 * f64::from(k);
        model.blocks.push(other);
    }
    let ramp = r#"{"ramp": {"quantity": "displacement", "to": [0.1, 0, 0], "duration": 1.0, "form": "smooth"}}"#;
    let mut settles = model.clone();
    moved(&mut settles, "settle", ramp, &["ground"]);
    let own = supports(&settles, "");
    let mut simulation = Simulation::new(&settles, settings(5e-3), own, &[]).expect("a simulation");
    run(&mut simulation, 1.0, |_| ());
    assert_eq!(simulation.ground_displacement(), DVec3::ZERO);
    let found = simulation.extremes();
    assert!((found.final_displacement.value - 0.1).abs() < 1e-3, "{found:?}");
    // The other way round: two go, and the third, with what stands on it, stays behind.
    moved(&mut model, "drift", ramp, &["far away 1", "far away 2"]);
    let own = supports(&model, "");
    let mut simulation = Simulation::new(&model, settings(5e-3), own, &[]).expect("a simulation");
    run(&mut simulation, 1.0, |_| ());
    assert!((simulation.ground_displacement().x - 0.1).abs() < 1e-9);
    let found = simulation.extremes();
    assert!((found.final_displacement.value - 0.1).abs() < 1e-3, "{found:?}");
}

#[test]
fn peaks_are_a_part_of_checkpoints() {
    let block = built("block", &[("tilt-deg", "10")]);
    let mut whole = simulation(&block, 1e-3, "");
    run(&mut whole, 2.0, |_| ());
    let mut first = simulation(&block, 1e-3, "");
    run(&mut first, 1.0, |_| ());
    let bytes = first.state().to_bytes().expect("a checkpoint");
    let mut second = simulation(&block, 1e-3, "");
    second
        .resume(State::from_bytes(&bytes).expect("a state"))
        .expect("it goes on");
    run(&mut second, 2.0, |_| ());
    assert_eq!(second.extremes(), whole.extremes());
    assert!(
        whole.extremes().max_displacement.time < 1.9,
        "it peaked before its end: {:?}",
        whole.extremes()
    );
}
