use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Biphasic, Impulse, Ramp, Ricker, Sine,
    record::{RecordMotion, SyntheticMotion},
};

/// How a support moves, from rest where it is not said otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Motion {
    /// A translation given at points in time, linear between them, constant before and after. Of a velocity the
    /// acceleration is a step between points; of a displacement the velocity is one, and the acceleration zero.
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
    /// A sine.
    Sine(Sine),
    /// A one-sine impulse.
    Impulse(Impulse),
    /// A constant phase, and a smaller one the other way for longer.
    Biphasic(Biphasic),
    /// From zero to a value that is then kept.
    Ramp(Ramp),
    /// A Ricker wavelet.
    Ricker(Ricker),
    /// A recorded ground motion, read from a file.
    Record(RecordMotion),
    /// A synthetic ground motion, made from a seed.
    Synthetic(SyntheticMotion),
    /// A turn about a point.
    Rotation(RotationMotion),
    /// Motions that add up, as three records along three axes do.
    Sum(Vec<Motion>),
}

/// A turn about a point. The components of the motion inside are those of a rotation vector: its direction is the axis,
/// its length the angle (rad, rad/s or rad/s² in place of m, m/s and m/s², also for a record).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotationMotion {
    /// The point, in world coordinates before the motion (m). Turns that add up share it.
    #[serde(default)]
    #[schemars(with = "[f64; 3]")]
    pub pivot: DVec3,
    /// The rotation vector in time: any motion but a turn.
    pub motion: Box<Motion>,
}

/// What the values of a motion are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MotionQuantity {
    /// Displacements (m).
    Displacement,
    /// Velocities (m/s).
    Velocity,
    /// Accelerations (m/s²).
    #[default]
    Acceleration,
}

/// Gives a motion to supports. Motions that are given to the same support add up.
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

impl MotionQuantity {
    /// The word for it in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Displacement => "displacement",
            Self::Velocity => "velocity",
            Self::Acceleration => "acceleration",
        }
    }
}

pub(super) fn is_acceleration(quantity: &MotionQuantity) -> bool {
    *quantity == MotionQuantity::Acceleration
}

pub(super) fn is_zero(value: &f64) -> bool {
    *value == 0.0
}
