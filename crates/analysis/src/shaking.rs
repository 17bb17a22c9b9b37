//! From a model and motions of its supports to a simulation.

use std::path::Path;

use drystone_mechanics::dynamics::{Simulation, SimulationSettings};
use drystone_model::{
    Model,
    motion::{CompileSettings, Supports, parse},
};

use crate::Failure;

/// The motions of a model's supports: its own, and everywhere those given as text (`sine:amplitude=0.3g,frequency=2`, or a
/// record's file; `docs/motion.md`). Records that the model names are looked for in `folder`.
pub fn supports(model: &Model, motions: &[impl AsRef<str>], folder: &Path) -> Result<Supports, Failure> {
    let everywhere: Vec<_> = motions
        .iter()
        .map(|text| {
            let motion = parse(text.as_ref()).map_err(Failure::input)?;
            motion.compile(&CompileSettings::default()).map_err(Failure::input)
        })
        .collect::<Result<_, _>>()?;
    let settings = CompileSettings {
        folder: folder.to_path_buf(),
        ..CompileSettings::default()
    };
    Supports::new(model, &settings, &everywhere).map_err(Failure::input)
}

/// A simulation of a model whose supports move so, under its weight and the load cases that are named.
pub fn simulation(
    model: &Model,
    settings: SimulationSettings,
    motions: &[impl AsRef<str>],
    loads: &[String],
) -> Result<Simulation, Failure> {
    let supports = supports(model, motions, Path::new(""))?;
    Simulation::new(model, settings, supports, loads).map_err(Failure::input)
}
