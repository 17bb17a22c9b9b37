//! A model in a situation, ready to be asked about.

use drystone_contact::{Choice, choose};
use drystone_mechanics::{
    StructureError,
    statics::{Loads, Overrides, Solvers, StaticsError, Structure},
};
use drystone_model::Model;
use drystone_verify::Verifier;
use glam::DVec3;

use crate::{Answer, AskError, Case, Failure, Geometry, Situation, Way, ask};

/// A model in a situation: with its joints, what acts on it, and what is wrong with its shapes.
pub struct Subject {
    /// As its file gives it.
    as_read: Model,
    /// The same, ready to check certificates of it.
    verifier: Verifier,
    /// With the changes of the situation.
    pub model: Model,
    /// That by index, with its joints.
    pub structure: Structure,
    /// What is wrong with its shapes.
    pub geometry: Geometry,
    /// Which faces count as joined, and why.
    pub choice: Choice,
    /// Gravity as the structure feels it (unit: m/s²).
    pub gravity: DVec3,
    /// Loads beside the weight.
    pub further: Loads,
    /// The load cases that these come from, each times a factor.
    pub load_cases: Vec<(String, f64)>,
    /// That none act beside the load cases.
    none: Loads,
    overrides: Overrides,
}

impl Subject {
    /// Puts a model into a situation and finds its joints.
    pub fn new(as_read: Model, situation: &Situation) -> Result<Self, Failure> {
        let mut model = situation.changes.apply(&as_read)?;
        let choice = choose(&model);
        model.joint_search = choice.search;
        let structure = Structure::new(&model)?;
        Ok(Self {
            overrides: situation.changes.stated(&as_read, &model)?,
            verifier: Verifier::new(&as_read),
            as_read,
            geometry: Geometry::of_structure(&model, &structure),
            gravity: situation.gravity(&model)?,
            further: situation.further(&model, &structure)?,
            load_cases: situation.loads.clone(),
            none: Loads::none(&structure),
            structure,
            model,
            choice,
        })
    }

    /// What the structure is called.
    pub fn name(&self) -> &str {
        if self.model.name.is_empty() {
            "the model"
        } else {
            &self.model.name
        }
    }

    /// The question under the loads of the situation.
    pub fn case(&self) -> Case<'_> {
        Case {
            as_read: &self.as_read,
            verifier: &self.verifier,
            model: &self.model,
            structure: &self.structure,
            overrides: &self.overrides,
            gravity: self.gravity,
            further: &self.further,
            load_cases: &self.load_cases,
            others: Some(&self.none),
        }
    }

    /// All that acts.
    pub fn loads(&self) -> Loads {
        self.case().loads()
    }

    /// Whether it stands, by one method, with what would move later.
    pub fn check(&self, way: Way, solvers: &mut Solvers) -> Result<Answer, Failure> {
        let case = self.case();
        let mut answer = ask(&case, way, &self.geometry, solvers)?;
        answer.look_later(&case, solvers);
        Ok(answer)
    }
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Statics(error) => Self::input(error),
            AskError::Certificate(_) => Self::run(error),
        }
    }
}

impl From<StructureError> for Failure {
    fn from(error: StructureError) -> Self {
        Self::input(error)
    }
}

impl From<StaticsError> for Failure {
    fn from(error: StaticsError) -> Self {
        Self::input(error)
    }
}
