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

/// Numbers that look random, the same for a seed (Steele, Lea and Flood's SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn within(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        low + (high - low) * ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
