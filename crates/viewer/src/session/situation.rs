//! A model as a question poses it: other supports, friction, density or loads, without finding its joints again.

use std::sync::{Arc, OnceLock};

use drystone_analysis::{Case, Changes};
use drystone_contact::Survey;
use drystone_mechanics::statics::{Loads, Overrides, Structure};
use drystone_model::{JointLaw, Model};
use drystone_verify::Verifier;
use glam::DVec3;

use super::{Session, Version, carried};
use crate::protocol::{Refusal, Situation};

/// What a structure depends on; friction and loads are put in afterwards.
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
    pub(crate) structure: Structure,
    /// The number of each joint of the structure among all joints of the model.
    pub(crate) numbers: Vec<u32>,
}

/// A model, and the changes to it as a certificate states them.
pub(crate) struct Stated {
    pub(crate) as_read: Arc<Model>,
    /// That model, ready to check certificates of it, once it was.
    verifier: Arc<OnceLock<Verifier>>,
    pub(crate) overrides: Overrides,
    /// Load cases that act, each times a factor, and that nothing acts beside them.
    load_cases: Vec<(String, f64)>,
    none: Loads,
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
        posed.set_friction(situation)?;
        let posed = Arc::new(posed);
        self.posed = Some((key, Arc::clone(&posed)));
        let asked = situation.as_asked();
        let gravity = asked.gravity(&posed.model)?;
        let further = asked.further(&posed.model, &posed.structure)?;
        Ok((posed, gravity, further))
    }
}

impl Posed {
    fn new(version: &Version, situation: &Situation) -> Result<Self, Refusal> {
        let plain = Changes {
            friction: None,
            friction_factor: None,
            ..situation.as_asked().changes
        };
        let model = plain.apply(&version.model)?;
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
        let structure = Structure::with_joints(&model, survey).map_err(Refusal::new)?;
        Ok(Self {
            model,
            structure,
            numbers,
        })
    }

    fn set_friction(&mut self, situation: &Situation) -> Result<(), Refusal> {
        let &Situation {
            friction,
            friction_factor,
            ..
        } = situation;
        let asked = Changes {
            friction,
            friction_factor,
            ..Changes::default()
        };
        asked.check()?;
        self.structure.reset_laws(&self.model);
        if let Some(friction) = friction {
            self.structure.change_laws(|law| JointLaw { friction, ..law });
        }
        if let Some(factor) = friction_factor {
            self.structure.change_laws(|law| JointLaw {
                friction: factor * law.friction,
                ..law
            });
        }
        Ok(())
    }

    /// The changes as a certificate states them. Blocks that are set free cannot be stated.
    pub(crate) fn stated(&self, model: &Model, situation: &Situation) -> Result<Overrides, Refusal> {
        let changes = situation.as_asked().changes;
        Ok(Overrides {
            // The joints are those of the page's model, found once.
            joint_search: None,
            ..changes.stated(model, &self.model)?
        })
    }

    /// The same, with the changed model itself where a certificate cannot state the change: what it proves is then about
    /// that model.
    pub(crate) fn stated_somehow(&self, version: &Version, situation: &Situation) -> Stated {
        let load_cases = situation.as_asked().loads;
        let none = Loads::none(&self.structure);
        match self.stated(&version.model, situation) {
            Ok(overrides) => Stated {
                as_read: Arc::clone(&version.model),
                verifier: Arc::clone(&version.verifier),
                overrides,
                load_cases,
                none,
            },
            Err(_) => {
                let mut changed = self.model.clone();
                situation.friction.iter().for_each(|f| changed.joints.set_friction(*f));
                situation
                    .friction_factor
                    .iter()
                    .for_each(|f| changed.joints.scale_friction(*f));
                Stated {
                    as_read: Arc::new(changed),
                    verifier: Arc::default(),
                    overrides: Overrides::default(),
                    load_cases,
                    none,
                }
            }
        }
    }

    /// The question under an acceleration and further loads.
    pub(crate) fn case<'a>(&'a self, stated: &'a Stated, gravity: DVec3, further: &'a Loads) -> Case<'a> {
        Case {
            as_read: &stated.as_read,
            verifier: stated.verifier.get_or_init(|| Verifier::new(&stated.as_read)),
            model: &self.model,
            structure: &self.structure,
            overrides: &stated.overrides,
            gravity,
            further,
            load_cases: &stated.load_cases,
            others: Some(&stated.none),
        }
    }
}
