//! What bad input is told.

use crate::common::{built, supports};
use drystone_mechanics::dynamics::{JointStiffness, Simulation, SimulationSettings, TimeStep};
use drystone_model::Model;

fn refused(model: &Model, settings: SimulationSettings, loads: &[String]) -> String {
    Simulation::new(model, settings, supports(model, ""), loads)
        .expect_err("it must be refused")
        .to_string()
}

#[test]
fn settings_out_of_range_are_refused_by_name_and_value() {
    let model = built("stack", &[("blocks", "2")]);
    let cases = [
        (
            SimulationSettings {
                time_step: TimeStep::Fixed(0.0),
                ..SimulationSettings::default()
            },
            "the time step is 0",
        ),
        (
            SimulationSettings {
                time_step: TimeStep::Fixed(f64::NAN),
                ..SimulationSettings::default()
            },
            "the time step is NaN",
        ),
        (
            SimulationSettings {
                time_step: TimeStep::Adaptive {
                    longest: 1e-3,
                    shortest: 1e-2,
                    tolerance: 1e-4,
                },
                ..SimulationSettings::default()
            },
            "the shortest time step is 0.01",
        ),
        (
            SimulationSettings {
                theta: 0.3,
                ..SimulationSettings::default()
            },
            "theta is 0.3",
        ),
        (
            SimulationSettings {
                restitution: Some(1.5),
                ..SimulationSettings::default()
            },
            "restitution is 1.5",
        ),
        (
            SimulationSettings {
                stiffness: Some(JointStiffness {
                    normal: 1e9,
                    tangential: 0.0,
                }),
                ..SimulationSettings::default()
            },
            "the tangential stiffness is 0",
        ),
        (
            SimulationSettings {
                stiffness: Some(JointStiffness {
                    normal: 1e9,
                    tangential: 1e9,
                }),
                restitution: Some(0.5),
                ..SimulationSettings::default()
            },
            "restitution is 0.5; it must be 0 where joints have a stiffness",
        ),
    ];
    for (settings, expected) in cases {
        let message = refused(&model, settings, &[]);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn structures_that_cannot_be_simulated_are_refused() {
    let mut model = built("stack", &[("blocks", "2")]);
    let message = refused(&model, SimulationSettings::default(), &["wind".to_string()]);
    assert!(message.contains("no load case `wind`"), "{message}");
    model.blocks[0].fixed = false;
    let message = refused(&model, SimulationSettings::default(), &[]);
    assert!(message.contains("no block is fixed"), "{message}");
    model.blocks.iter_mut().for_each(|b| b.fixed = true);
    let message = refused(&model, SimulationSettings::default(), &[]);
    assert!(message.contains("no block is free"), "{message}");
}
