use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    SurfaceLoad,
    motion::{History, MotionError, Multiplier},
};

/// Loads that act together under one name, beside the self-weight.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadCase {
    /// Forces at points of blocks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forces: Vec<PointForce>,
    /// Couples on blocks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub couples: Vec<Couple>,
    /// Forces in proportion to mass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<BodyForce>,
    /// Pressure and traction on faces of blocks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surfaces: Vec<SurfaceLoad>,
    /// What the loads are multiplied by in time. Left out: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<History>,
}

impl LoadCase {
    /// Multiplies all its loads.
    pub fn scale(&mut self, factor: f64) {
        self.forces.iter_mut().for_each(|f| f.force *= factor);
        self.couples.iter_mut().for_each(|c| c.moment *= factor);
        self.body.iter_mut().for_each(|b| b.acceleration *= factor);
        self.surfaces.iter_mut().for_each(|s| s.scale(factor));
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.forces.is_empty() && self.couples.is_empty() && self.body.is_empty() && self.surfaces.is_empty()
    }

    /// What the loads are multiplied by, as a function of time.
    pub fn multiplier(&self) -> Result<Multiplier, MotionError> {
        self.history
            .as_ref()
            .map_or_else(|| Ok(Multiplier::default()), History::compile)
    }
}

/// A force at a point of a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointForce {
    /// Name of the block.
    pub block: String,
    /// Force (N).
    #[schemars(with = "[f64; 3]")]
    pub force: DVec3,
    /// Point of application in world coordinates (m). Left out: the block's centroid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[f64; 3]>")]
    pub at: Option<DVec3>,
}

/// A couple on a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Couple {
    /// Name of the block.
    pub block: String,
    /// Moment (N·m).
    #[schemars(with = "[f64; 3]")]
    pub moment: DVec3,
}

/// A force on every free block, in proportion to its mass: an acceleration, as in a pseudo-static seismic load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodyForce {
    /// Acceleration (m/s²); the force on a block is its mass times this.
    #[schemars(with = "[f64; 3]")]
    pub acceleration: DVec3,
    /// Groups of blocks that are loaded. Left out: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
}
