use glam::{DAffine3, DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a block's own frame lies in the world: first turned about its origin, then moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pose {
    /// Position of the origin of the block's frame (m).
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(with = "[f64; 3]")]
    pub position: DVec3,
    /// Rotation of the block's frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
}

/// A rotation, as a person or as a program would write it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Rotation {
    /// A turn about an axis.
    AxisAngle {
        /// Axis of the turn; any length but zero.
        #[schemars(with = "[f64; 3]")]
        axis: DVec3,
        /// Angle of the turn, right-handed about the axis (degrees).
        angle_deg: f64,
    },
    /// A unit quaternion.
    Quaternion {
        /// Components `[w, x, y, z]`; normalised on reading.
        quaternion: [f64; 4],
    },
}

fn is_zero(v: &DVec3) -> bool {
    *v == DVec3::ZERO
}

impl Rotation {
    /// The rotation as a unit quaternion, or `None` if the axis or the quaternion has no direction.
    pub fn quaternion(&self) -> Option<DQuat> {
        match *self {
            Self::AxisAngle { axis, angle_deg } => {
                let axis = axis.try_normalize()?;
                angle_deg
                    .is_finite()
                    .then(|| DQuat::from_axis_angle(axis, angle_deg.to_radians()))
            }
            Self::Quaternion {
                quaternion: [w, x, y, z],
            } => {
                let q = DQuat::from_xyzw(x, y, z, w);
                (q.is_finite() && q.length() > 1e-9).then(|| q.normalize())
            }
        }
    }
}

impl Pose {
    /// A pose that only moves.
    pub fn at(position: DVec3) -> Self {
        Self {
            position,
            rotation: None,
        }
    }

    /// Whether the block's frame is the world's.
    pub fn is_identity(&self) -> bool {
        *self == Self::default()
    }

    /// The map from the block's frame to the world, or `None` if the rotation has no direction.
    pub fn map(&self) -> Option<DAffine3> {
        let rotation = match &self.rotation {
            None => DQuat::IDENTITY,
            Some(rotation) => rotation.quaternion()?,
        };
        Some(DAffine3::from_rotation_translation(rotation, self.position))
    }
}
