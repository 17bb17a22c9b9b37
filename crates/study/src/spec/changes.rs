//! The structure that is studied, and its variants.

use std::{collections::BTreeMap, path::Path};

use drystone_analysis::{Changes, Failure};
use drystone_model::{Model, file, recipes};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where the structure comes from.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(
    untagged,
    expecting = "expected the path of a model file, or { recipe = \"NAME\", parameters = { ... } }"
)]
pub enum Source {
    /// A model file, from the folder of the study file.
    File(String),
    /// A recipe.
    Recipe(RecipeSource),
}

/// A recipe with its parameters.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RecipeSource {
    /// Its name.
    pub recipe: String,
    /// Its parameters, as `drystone new RECIPE --help` lists them.
    #[serde(default)]
    pub parameters: BTreeMap<String, Value>,
}

/// What is different from the model. Fields are the options that every command has.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelChanges {
    /// Friction coefficient of every joint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Density of every block (kg/m³).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Acceleration of gravity (m/s²).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gravity: Option<[f64; 3]>,
    /// Largest distance between faces that are joined (m).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint_distance: Option<f64>,
    /// Largest angle between them (degrees).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint_angle_deg: Option<f64>,
    /// Blocks that are fixed beside those of the file: names, `lowest`, `group:NAME` or `below:HEIGHT`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supports: Vec<String>,
    /// Blocks that deform: `GROUP[:MESH]` or `all[:MESH]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deformable: Vec<String>,
    /// Young's modulus of every deformable block (Pa).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub young: Option<f64>,
    /// Poisson's ratio of every deformable block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poisson: Option<f64>,
}

/// One of several structures that are studied alike.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Variant {
    /// What it is called in curves and tables (default: what is different).
    pub name: Option<String>,
    /// Parameters of the recipe that are different.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Value>,
    /// What is different from the model, beside what the study changes.
    pub changes: ModelChanges,
}

impl Source {
    /// What parameters make of it: those that are given take the place of its own.
    pub fn with(&self, parameters: &BTreeMap<String, Value>) -> Result<Self, Failure> {
        match self {
            Self::File(_) if parameters.is_empty() => Ok(self.clone()),
            Self::File(path) => {
                let names: Vec<&str> = parameters.keys().map(String::as_str).collect();
                Err(Failure::input(format!(
                    "parameters of a recipe ({}), but the structure is the file `{path}`",
                    names.join(", ")
                ))
                .help("give model = { recipe = \"NAME\" }, or sweep fields of the file by `model:/PATH`"))
            }
            Self::Recipe(recipe) => {
                let mut recipe = recipe.clone();
                recipe.parameters.extend(parameters.clone());
                Ok(Self::Recipe(recipe))
            }
        }
    }

    /// The text of its model file.
    pub fn text(&self, folder: &Path) -> Result<String, Failure> {
        let model = match self {
            Self::File(path) => file::read(&folder.join(path))?,
            Self::Recipe(recipe) => recipe.build()?,
        };
        file::to_text(&model).map_err(Failure::run)
    }
}

impl RecipeSource {
    /// Builds it.
    pub fn build(&self) -> Result<Model, Failure> {
        let values: Vec<(String, String)> = self
            .parameters
            .iter()
            .map(|(name, value)| (name.clone(), plain(value)))
            .collect();
        Ok(recipes::find(&self.recipe)?.build(&values)?)
    }
}

/// A value as a command line would have it.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

impl ModelChanges {
    /// These, and where `later` says something, that.
    #[must_use]
    pub fn and(&self, later: &Self) -> Self {
        let both = |a: &[String], b: &[String]| a.iter().chain(b).cloned().collect();
        Self {
            friction: later.friction.or(self.friction),
            density: later.density.or(self.density),
            gravity: later.gravity.or(self.gravity),
            joint_distance: later.joint_distance.or(self.joint_distance),
            joint_angle_deg: later.joint_angle_deg.or(self.joint_angle_deg),
            supports: both(&self.supports, &later.supports),
            deformable: both(&self.deformable, &later.deformable),
            young: later.young.or(self.young),
            poisson: later.poisson.or(self.poisson),
        }
    }

    /// As analyses take them.
    pub fn changes(&self) -> Changes {
        Changes {
            friction: self.friction,
            density: self.density,
            gravity: self.gravity.map(DVec3::from_array),
            joint_distance: self.joint_distance,
            joint_angle_deg: self.joint_angle_deg,
            supports: self.supports.clone(),
            deformable: self.deformable.clone(),
            young: self.young,
            poisson: self.poisson,
            ..Changes::default()
        }
    }
}

impl Variant {
    /// What it is called.
    pub fn name(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let mut said: Vec<String> = self
            .parameters
            .iter()
            .map(|(name, value)| format!("{name} {}", plain(value)))
            .collect();
        if let Ok(Value::Object(changes)) = serde_json::to_value(&self.changes) {
            said.extend(
                changes
                    .iter()
                    .map(|(name, value)| format!("{} {}", name.replace('_', " "), plain(value))),
            );
        }
        said.join(", ")
    }
}
