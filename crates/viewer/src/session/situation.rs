//! A model as a question poses it: other supports, friction, density or loads, without finding its joints again.

use std::{
    collections::HashSet,
    sync::{Arc, OnceLock},
};

use drystone_analysis::Case;
use drystone_contact::Survey;
use drystone_mechanics::statics::{Assembly, Loads, Overrides, tilted};
use drystone_model::{Joints, Model, check::ranges, import};
use drystone_verify::Verifier;
use glam::DVec3;

use super::{Session, Version, carried};
use crate::protocol::{Refusal, Situation};

/// What an assembly depends on; friction and loads are put in afterwards.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Key {
    revision: u64,
    density: Option<f64>,
    fixed: Option<Vec<String>>,
    only: Option<Vec<String>>,
}

/// A model with a situation.
pub(crate) struct Posed {
    /// With the supports and densities asked for.
    pub(crate) model: Model,
    pub(crate) assembly: Assembly,
    /// The number of each joint of the assembly among all joints of the model.
    pub(crate) numbers: Vec<u32>,
}

/// A model, and the changes to it as a certificate states them.
pub(crate) struct Stated {
    pub(crate) as_read: Arc<Model>,
    /// That model, ready to check certificates of it, once it was.
    verifier: Arc<OnceLock<Verifier>>,
    pub(crate) overrides: Overrides,
}

impl Session {
    /// The structure that a question is about, its weight, and the loads beside it.
    pub(crate) fn posed(&mut self, situation: &Situation) -> Result<(Arc<Posed>, DVec3, Loads), Refusal> {
        let key = Key {
            revision: self.history.revision(),
            density: situation.density,
            fixed: situation.fixed.clone(),
            only: situation.only.clone(),
        };
        let before = self.posed.take().filter(|(known, _)| *known == key);
        let mut posed = match before.and_then(|(_, posed)| Arc::try_unwrap(posed).ok()) {
            Some(posed) => posed,
            None => Posed::new(self.version()?, situation)?,
        };
        posed.set_friction(&self.version()?.model, situation.friction)?;
        let posed = Arc::new(posed);
        self.posed = Some((key, Arc::clone(&posed)));
        let gravity = gravity(&posed.model, situation)?;
        let mut further = Loads::none(&posed.assembly);
        for load in &situation.loads {
            if !load.factor.is_finite() {
                return Err(Refusal::new(format!(
                    "the factor of load case `{}` is no number",
                    load.case
                )));
            }
            let case = Loads::case(&posed.model, &posed.assembly, &load.case).map_err(Refusal::new)?;
            further = further.plus(&case, load.factor);
        }
        Ok((posed, gravity, further))
    }
}

/// Gravity as the structure feels it.
pub(crate) fn gravity(model: &Model, situation: &Situation) -> Result<DVec3, Refusal> {
    let Some(tilt) = &situation.tilt else {
        return Ok(model.gravity);
    };
    if tilt.angle_deg == 0.0 {
        return Ok(model.gravity);
    }
    let axis = tilt.axis.try_normalize().filter(|_| tilt.angle_deg.is_finite());
    let axis = axis.ok_or_else(|| Refusal::new("a tilt needs an axis with a length and an angle that is a number"))?;
    Ok(tilted(model.gravity, axis, tilt.angle_deg.to_radians()))
}

/// The model with the friction, density and supports of a situation; tilt and loads are left to the caller.
pub(crate) fn changed(model: &Model, situation: &Situation) -> Result<Model, Refusal> {
    let mut model = model.clone();
    if let Some(density) = situation.density {
        if let Some(must) = ranges::DENSITY.refuses(density) {
            return Err(Refusal::new(format!("the density is {density:e} kg/m³; it {must}")));
        }
        model.density = density;
        model.materials.clear();
        for block in &mut model.blocks {
            (block.density, block.mass, block.material) = (None, None, None);
        }
    }
    if let Some(friction) = situation.friction {
        model.joints = Joints::uniform(checked_friction(friction)?);
    }
    if let Some(names) = &situation.fixed {
        let names = import::supports(&model, names).map_err(Refusal::new)?;
        let names: HashSet<&str> = names.iter().map(String::as_str).collect();
        for block in &mut model.blocks {
            block.fixed = names.contains(block.name.as_str());
        }
    }
    if let Some(names) = &situation.only {
        let names = known(&model, names)?;
        for block in &mut model.blocks {
            block.fixed |= !names.contains(block.name.as_str());
        }
    }
    Ok(model)
}

fn checked_friction(friction: f64) -> Result<f64, Refusal> {
    match ranges::FRICTION.refuses(friction) {
        Some(must) => Err(Refusal::new(format!(
            "the friction coefficient is {friction:e}; it {must}"
        ))),
        None => Ok(friction),
    }
}

/// Names, all of which a model has.
pub(crate) fn known<'a>(model: &Model, names: &'a [String]) -> Result<HashSet<&'a str>, Refusal> {
    let own: HashSet<&str> = model.blocks.iter().map(|b| b.name.as_str()).collect();
    match names.iter().find(|name| !own.contains(name.as_str())) {
        Some(name) => Err(Refusal::new(format!("there is no block `{name}`"))),
        None => Ok(names.iter().map(String::as_str).collect()),
    }
}

impl Posed {
    fn new(version: &Version, situation: &Situation) -> Result<Self, Refusal> {
        let plain = Situation {
            friction: None,
            ..situation.clone()
        };
        let model = changed(&version.model, &plain)?;
        carried(&model)?;
        let (mut joints, mut numbers) = (Vec::new(), Vec::new());
        for (number, joint) in version.joints.joints.iter().enumerate() {
            if !joint.blocks.iter().all(|&b| model.blocks[b].fixed) {
                joints.push(joint.clone());
                numbers.push(number as u32);
            }
        }
        let survey = Survey {
            search: version.joints.search,
            joints,
        };
        let assembly = Assembly::with_joints(&model, survey).map_err(Refusal::new)?;
        Ok(Self {
            model,
            assembly,
            numbers,
        })
    }

    fn set_friction(&mut self, model: &Model, friction: Option<f64>) -> Result<(), Refusal> {
        let uniform = friction.map(checked_friction).transpose()?;
        let own: Vec<f64> = self
            .assembly
            .joints
            .iter()
            .map(|joint| {
                let [a, b] = joint.blocks.map(|b| &model.blocks[b]);
                uniform.unwrap_or_else(|| model.joints.friction_between(a, b))
            })
            .collect();
        for point in &mut self.assembly.points {
            point.friction = own[point.joint as usize];
        }
        Ok(())
    }

    /// The changes as a certificate states them. Blocks that are set free cannot be stated.
    pub(crate) fn stated(&self, model: &Model, situation: &Situation) -> Result<Overrides, Refusal> {
        let mut supports = Vec::new();
        for (was, is) in model.blocks.iter().zip(&self.model.blocks) {
            match (was.fixed, is.fixed) {
                (false, true) => supports.push(is.name.clone()),
                (true, false) => {
                    let what = format!("a certificate cannot state that support `{}` is set free", is.name);
                    return Err(Refusal::new(what).help("change the model itself, then ask again"));
                }
                _ => {}
            }
        }
        Ok(Overrides {
            friction: situation.friction,
            density: situation.density,
            joint_search: None,
            supports,
        })
    }

    /// The same, with the changed model itself where a certificate cannot state the change: what it proves is then about
    /// that model.
    pub(crate) fn stated_somehow(&self, version: &Version, situation: &Situation) -> Stated {
        match self.stated(&version.model, situation) {
            Ok(overrides) => Stated {
                as_read: Arc::clone(&version.model),
                verifier: Arc::clone(&version.verifier),
                overrides,
            },
            Err(_) => Stated {
                as_read: Arc::new(self.model.clone()),
                verifier: Arc::default(),
                overrides: Overrides {
                    friction: situation.friction,
                    ..Overrides::default()
                },
            },
        }
    }

    /// The question under an acceleration and further loads.
    pub(crate) fn case<'a>(&'a self, stated: &'a Stated, gravity: DVec3, further: &'a Loads) -> Case<'a> {
        Case {
            as_read: &stated.as_read,
            verifier: stated.verifier.get_or_init(|| Verifier::new(&stated.as_read)),
            model: &self.model,
            assembly: &self.assembly,
            overrides: &stated.overrides,
            gravity,
            further,
        }
    }
}
