//! Simulations of recipes, in a few words.
#![allow(dead_code, reason = "each test uses its own part")]

use drystone_mechanics::dynamics::{Settings, Simulation, TimeStep};
use drystone_model::{
    Model,
    motion::{CompileSettings, Supports, parse},
    recipes,
};

/// A structure by its recipe and values for some of its parameters.
pub(crate) fn built(recipe: &str, values: &[(&str, &str)]) -> Model {
    let values: Vec<(String, String)> = values.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    recipes::find(recipe).unwrap().build(&values).unwrap()
}

/// The motions of a model's supports, and one that moves all of them, if it says anything.
pub(crate) fn supports(model: &Model, motion: &str) -> Supports {
    let compile = CompileSettings::default();
    let motions: Vec<_> = Some(motion)
        .filter(|m| !m.is_empty())
        .map(|m| parse(m).unwrap().compile(&compile).unwrap())
        .into_iter()
        .collect();
    Supports::new(model, &compile, &motions).unwrap()
}

/// The simulation of a model whose supports all move as `motion` says, if it says anything.
pub(crate) fn simulation(model: &Model, dt: f64, motion: &str) -> Simulation {
    let settings = Settings {
        time_step: TimeStep::Fixed(dt),
        ..Settings::default()
    };
    with(model, motion, settings)
}

/// The same with other settings.
pub(crate) fn with(model: &Model, motion: &str, settings: Settings) -> Simulation {
    Simulation::new(model, settings, supports(model, motion), &[]).unwrap()
}

/// Steps until a time.
pub(crate) fn run(simulation: &mut Simulation, until: f64, mut look: impl FnMut(&Simulation)) {
    while simulation.state().time < until * (1.0 - 1e-9) {
        simulation.step().unwrap();
        look(simulation);
    }
}
