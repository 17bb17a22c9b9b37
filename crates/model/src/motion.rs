use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a support moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Motion {
    /// A translation given at points in time, linear between them, constant before and after.
    Table {
        /// What the values are.
        quantity: MotionQuantity,
        /// Points in time, increasing (s).
        times: Vec<f64>,
        /// One vector a point in time (m, m/s or m/s²).
        #[schemars(with = "Vec<[f64; 3]>")]
        values: Vec<DVec3>,
    },
    /// A translation that is reached slowly and then kept.
    Settlement {
        /// Translation in the end (m).
        #[schemars(with = "[f64; 3]")]
        translation: DVec3,
    },
}

/// What the values of a motion table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MotionQuantity {
    /// Displacements (m).
    Displacement,
    /// Velocities (m/s).
    Velocity,
    /// Accelerations (m/s²).
    Acceleration,
}

/// Gives a motion to supports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SupportMotion {
    /// Name of the motion, one of the model's `motions`.
    pub motion: String,
    /// Names of the fixed blocks that move so. With `groups` also left out: every fixed block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<String>,
    /// Groups whose fixed blocks move so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
}
