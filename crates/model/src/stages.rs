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
}

/// Indices of the blocks that a name stands for: that of a block, or of a group.
pub fn named(model: &Model, name: &str) -> Vec<usize> {
    let blocks = model.blocks.iter().enumerate();
    let has_name = |b: &crate::Block| b.name == name || b.group.as_deref() == Some(name);
    blocks.filter(|(_, b)| has_name(b)).map(|(k, _)| k).collect()
}
