use std::collections::BTreeMap;

use glam::DVec3;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Model;

/// How a structure is loaded slowly: one stage after another, each from where the last one ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stages {
    /// The stages, in order.
    pub stages: Vec<Stage>,
}

/// One stage. Everything that it names changes in proportion from what it was to what is given here; what it leaves out stays.
/// Gravity begins at zero, and becomes 1 in the first stage unless that says otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Stage {
    /// What it is called.
    pub name: String,
    /// Steps that it is taken in; more where they turn out too long (default: 20).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// Factor of the weight at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gravity: Option<f64>,
    /// Factors of load cases at the end, by name.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub loads: IndexMap<String, f64>,
    /// A point whose displacement is prescribed; the load cases of this stage all take the factor that goes with it, so that
    /// loads may fall past a peak.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// Supports that move.
    #[serde(rename = "move", skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<SupportMove>,
    /// The structure is tilted: gravity turns the other way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tilt: Option<StageTilt>,
    /// How much every joint has shrunk at the end (m).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shrinkage_m: Option<f64>,
    /// Groups or blocks that are built at its beginning and grow heavy in it. They are not there before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub build: Vec<String>,
    /// Groups or blocks that are taken away at its beginning, such as a centring.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<String>,
}

/// A motion of supports over a stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SupportMove {
    /// Names of fixed blocks or groups of them.
    pub blocks: Vec<String>,
    /// How far (m).
    #[schemars(with = "[f64; 3]")]
    pub by: DVec3,
    /// How much they turn about the three axes of the world (degrees), as one rotation.
    #[schemars(with = "[f64; 3]")]
    #[serde(skip_serializing_if = "is_zero")]
    pub turn_deg: DVec3,
    /// The point that they turn about (m); left out, each about its own centre.
    #[schemars(with = "Option<[f64; 3]>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<DVec3>,
}

/// A point whose displacement is prescribed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// Name of a free block.
    pub block: String,
    /// A point of it as it is drawn (m); left out, its centre of mass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[f64; 3]>")]
    pub at: Option<DVec3>,
    /// Direction.
    #[schemars(with = "[f64; 3]")]
    pub direction: DVec3,
    /// How far it moves along the direction in this stage (m).
    pub to_m: f64,
}

/// A tilt.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StageTilt {
    /// Axis.
    #[schemars(with = "[f64; 3]")]
    pub axis: DVec3,
    /// Angle at the end (degrees), right-handed about the axis.
    pub angle_deg: f64,
}

fn is_zero(v: &DVec3) -> bool {
    *v == DVec3::ZERO
}

impl Stages {
    /// The weight alone.
    pub fn weight() -> Self {
        let weight = Stage {
            name: "weight".to_string(),
            ..Stage::default()
        };
        Self { stages: vec![weight] }
    }

    /// What is wrong with them for a model, each with where it stands.
    pub fn problems(&self, model: &Model) -> Vec<String> {
        let mut said = Vec::new();
        if self.stages.is_empty() {
            said.push("`stages` is empty; it must have one at least".to_string());
        }
        let mut built: BTreeMap<usize, usize> = BTreeMap::new();
        for (k, stage) in self.stages.iter().enumerate() {
            let place = format!("stages[{k}]");
            let mut finite = |what: &str, value: f64| {
                if !(value.is_finite() && value.abs() <= 1e6) {
                    said.push(format!("{place}.{what}: {value} is not allowed; must be a number"));
                }
            };
            stage.gravity.into_iter().for_each(|g| finite("gravity", g));
            stage.shrinkage_m.into_iter().for_each(|s| finite("shrinkage_m", s));
            for (j, moved) in stage.moves.iter().enumerate() {
                moved
                    .about
                    .into_iter()
                    .flat_map(|p| p.to_array())
                    .for_each(|x| finite(&format!("move[{j}].about"), x));
            }
            if let Some(control) = &stage.control {
                finite("control.to_m", control.to_m);
                control
                    .at
                    .into_iter()
                    .flat_map(|p| p.to_array())
                    .for_each(|x| finite("control.at", x));
            }
            stage
                .loads
                .iter()
                .for_each(|(name, f)| finite(&format!("loads.{name}"), *f));
            for (j, moved) in stage.moves.iter().enumerate() {
                let numbers = moved.by.to_array().into_iter().chain(moved.turn_deg.to_array());
                numbers.for_each(|x| finite(&format!("move[{j}]"), x));
            }
            if let Some(tilt) = stage.tilt {
                finite("tilt.angle_deg", tilt.angle_deg);
                if tilt.axis.try_normalize().is_none() {
                    said.push(format!("{place}.tilt.axis: must have a length"));
                }
            }
            if stage.shrinkage_m.is_some_and(|s| s < 0.0) {
                said.push(format!("{place}.shrinkage_m: is below zero; joints do not swell"));
            }
            for (j, _) in stage.moves.iter().enumerate().filter(|(_, m)| m.blocks.is_empty()) {
                said.push(format!("{place}.move[{j}].blocks: is empty"));
            }
            let both = |name: &&String| stage.remove.contains(name);
            for name in stage.build.iter().filter(both) {
                said.push(format!("{place}: `{name}` is built and removed"));
            }
            if let Some(control) = &stage.control {
                let place = format!("{place}.control");
                let block = model.blocks.iter().find(|b| b.name == control.block);
                if block.is_none_or(|b| b.fixed) {
                    said.push(format!("{place}.block: there is no free block `{}`", control.block));
                }
                if control.direction.try_normalize().is_none() {
                    said.push(format!("{place}.direction: must have a length"));
                }
                if !(control.to_m.is_finite() && control.to_m != 0.0) {
                    said.push(format!("{place}.to_m: must be a number other than 0"));
                }
                if stage.loads.is_empty() {
                    said.push(format!("{place}: needs `loads`, whose factor it finds"));
                }
            }
            if stage.steps.is_some_and(|steps| !(1..=100_000).contains(&steps)) {
                said.push(format!("{place}.steps: must be from 1 to 100000"));
            }
            for name in stage.loads.keys().filter(|name| !model.load_cases.contains_key(*name)) {
                said.push(format!("{place}.loads: there is no load case `{name}`"));
            }
            for (what, names) in [("build", &stage.build), ("remove", &stage.remove)] {
                for name in names {
                    let blocks = named(model, name);
                    if blocks.is_empty() {
                        said.push(format!("{place}.{what}: there is no block and no group `{name}`"));
                    }
                    for b in blocks.into_iter().filter(|_| what == "build") {
                        if let Some(before) = built.insert(b, k) {
                            let block = &model.blocks[b].name;
                            said.push(format!("{place}.build: block `{block}` was built in stages[{before}]"));
                        }
                    }
                }
            }
            for (j, moved) in stage.moves.iter().enumerate() {
                for name in &moved.blocks {
                    let blocks = named(model, name);
                    let free = blocks.iter().find(|&&b| !model.blocks[b].fixed);
                    match (blocks.is_empty(), free) {
                        (true, _) => {
                            said.push(format!(
                                "{place}.move[{j}].blocks: there is no block and no group `{name}`"
                            ));
                        }
                        (false, Some(&b)) => {
                            let block = &model.blocks[b].name;
                            said.push(format!(
                                "{place}.move[{j}].blocks: block `{block}` is not fixed; only supports are moved"
                            ));
                        }
                        (false, None) => {}
                    }
                }
            }
        }
        said
    }
}

/// Indices of the blocks that a name stands for: that of a block, or of a group.
pub fn named(model: &Model, name: &str) -> Vec<usize> {
    let blocks = model.blocks.iter().enumerate();
    let has_name = |b: &crate::Block| b.name == name || b.group.as_deref() == Some(name);
    blocks.filter(|(_, b)| has_name(b)).map(|(k, _)| k).collect()
}
