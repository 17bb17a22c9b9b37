use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An interface between two blocks that comes with the model, found by the program that made it.
///
/// For blocks whose faces are not quite planar such interfaces are more faithful than any that could be found again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoredInterface {
    /// Names of the two blocks; the normal of the frame points from the first to the second.
    pub between: [String; 2],
    /// Corners of the contact polygon (m).
    #[schemars(with = "Vec<[f64; 3]>", length(min = 1))]
    pub points: Vec<DVec3>,
    /// Frame of the interface.
    pub frame: StoredFrame,
    /// Area (m²).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<f64>,
    /// A force solution stored with the interface: one entry a point, acting on the second block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forces: Vec<StoredForce>,
}

/// A frame in space; the third axis is `xaxis × yaxis`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoredFrame {
    /// Origin (m).
    #[schemars(with = "[f64; 3]")]
    pub point: DVec3,
    /// First axis.
    #[schemars(with = "[f64; 3]")]
    pub xaxis: DVec3,
    /// Second axis.
    #[schemars(with = "[f64; 3]")]
    pub yaxis: DVec3,
}

/// The force at one point of a stored interface, in the units of the program that stored it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoredForce {
    /// Compression along the normal, zero or above.
    pub compression: f64,
    /// Tension along the normal, zero or above (penalty methods).
    #[serde(default)]
    pub tension: f64,
    /// Friction along the first axis.
    #[serde(default)]
    pub u: f64,
    /// Friction along the second axis.
    #[serde(default)]
    pub v: f64,
}
