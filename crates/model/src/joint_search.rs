use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Model;

/// Which faces count as joined, where that does not follow from `tolerances` alone.
///
/// Two faces of different blocks are joined where they look at each other within `angle_deg`, their common part (seen
/// along the mean of their normals) has a width, and they are nowhere on it farther apart, or deeper in each other, than
/// `distance`. The joint lies half-way between the faces. A gap that is left between joined faces is filled by mortar or
/// by rounding: it is there at rest, and need not close before the joint carries.
///
/// Rounding turns small faces more than large ones. Faces that are farther from parallel than `angle_deg`, but by no more
/// than 5 degrees, are joined as well where the distance between them varies over the common part by no more than four
/// times `precision`. A common part narrower than four times `precision` is a line, and no joint. What lies behind a face
/// of another block is not part of it: faces are joined through gaps, not through blocks.
///
/// Without this section, faces are joined up to `tolerances.contact` (or `tolerances.planarity`, if larger) times the size
/// of the smaller block, its angle is the default below, and its precision is zero.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointSearch {
    /// Largest distance between two faces that are joined, and largest depth by which they overlap (m); above zero.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub distance: f64,
    /// Largest angle between two faces that are joined (degrees), from 0 to 60.
    #[serde(default = "default_angle_deg")]
    #[schemars(extend("minimum" = 0, "maximum" = 60))]
    pub angle_deg: f64,
    /// How far corners may be off their true place (m), because coordinates are rounded; zero or above. Overlaps of up to
    /// four times this, and no more than `distance`, are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(extend("minimum" = 0))]
    pub precision: f64,
    /// What the program worked the distance out from; left out where somebody gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SearchSource>,
}

/// What shows that coordinates are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchSource {
    /// The decimals of the coordinates.
    Decimals,
    /// Coordinates of single precision.
    SinglePrecision,
    /// Most opposite faces are a little apart, each by another distance.
    Scatter,
}

impl SearchSource {
    /// In words, after "worked out from".
    pub fn text(self) -> &'static str {
        match self {
            Self::Decimals => "the decimals of the coordinates",
            Self::SinglePrecision => "coordinates of single precision",
            Self::Scatter => "how the distances between opposite faces scatter",
        }
    }
}

fn default_angle_deg() -> f64 {
    JointSearch::DEFAULT_ANGLE_DEG
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl JointSearch {
    /// Largest angle between joined faces where a file says nothing (degrees).
    pub const DEFAULT_ANGLE_DEG: f64 = 0.1;
    /// Largest angle by which rounding may have turned two faces against each other (degrees).
    pub const MOST_ROUNDED_DEG: f64 = 5.0;
    /// How many times the precision two rounded faces, or two corners, may be off each other.
    pub const ROUNDED: f64 = 4.0;
}

impl Model {
    /// Has joints found anew, by other settings: joints stored with the model are dropped.
    ///
    /// What was worked out from the geometry is told apart by its `source`.
    pub fn search_joints(&mut self, search: JointSearch) {
        self.joint_search = Some(search);
        self.interfaces.clear();
    }

    /// Largest distance between joined faces of two blocks, the smaller of which has a size (the diagonal of its bounding
    /// box) of `size` (m).
    pub fn joint_distance(&self, size: f64) -> f64 {
        match &self.joint_search {
            Some(search) => search.distance,
            None => self.tolerances.contact.max(self.tolerances.planarity) * size,
        }
    }

    /// Largest angle between joined faces (degrees).
    pub fn joint_angle_deg(&self) -> f64 {
        self.joint_search
            .map_or(JointSearch::DEFAULT_ANGLE_DEG, |search| search.angle_deg)
    }

    /// How far two corners, or two faces, may be off each other by rounding alone (m); zero where nothing is known of it.
    pub fn rounding(&self) -> f64 {
        self.joint_search
            .map_or(0.0, |search| JointSearch::ROUNDED * search.precision)
    }

    /// How deep two blocks may be in each other by rounding alone (m): no deeper than joined faces may be.
    pub fn rounded_overlap(&self) -> f64 {
        self.joint_search
            .map_or(0.0, |search| self.rounding().min(search.distance))
    }
}
