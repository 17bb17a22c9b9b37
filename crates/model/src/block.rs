use glam::{DAffine3, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AddedMass, Pose, Shape,
    geometry::{DecomposeError, Polyhedron, convex_hull, convex_parts},
};

/// A block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Name of the block; no two blocks share one.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Shape, in the block's own frame.
    pub shape: Shape,
    /// Where the block's frame lies. Left out: the block's frame is the world's.
    #[serde(default, skip_serializing_if = "Pose::is_identity")]
    pub pose: Pose,
    /// Whether the block is a support: it does not move, or moves as it is told. Supports are rigid.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fixed: bool,
    /// Group the block belongs to, for joint properties, loads and colours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Name of the block's material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Density (kg/m³), above zero; instead of the material's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub density: Option<f64>,
    /// Mass (kg), above zero; instead of a density.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mass: Option<f64>,
    /// Mass that the block carries rigidly beside its own, such as fill.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added_mass: Vec<AddedMass>,
}

impl Block {
    /// A free block with a shape drawn in world coordinates.
    pub fn new(name: impl Into<String>, shape: impl Into<Shape>) -> Self {
        Self {
            name: name.into(),
            shape: shape.into(),
            pose: Pose::default(),
            fixed: false,
            group: None,
            material: None,
            density: None,
            mass: None,
            added_mass: Vec::new(),
        }
    }

    /// The same block as a support.
    #[must_use]
    pub fn fixed(mut self) -> Self {
        self.fixed = true;
        self
    }

    /// The same block in a group.
    #[must_use]
    pub fn in_group(mut self, group: impl Into<String>) -> Self {
        self.group = Some(group.into());
        self
    }

    /// Gives the block another shape, drawn in world coordinates. What it carries stays where it is.
    pub fn redraw(&mut self, shape: impl Into<Shape>) {
        self.added_mass = self.added_mass_in_world();
        self.shape = shape.into();
        self.pose = Pose::default();
    }

    /// The block as a polyhedron in world coordinates. A pose without direction counts as unturned.
    pub fn polyhedron(&self) -> Polyhedron {
        let solid = self.shape.polyhedron();
        if self.pose.is_identity() {
            return solid;
        }
        solid.transformed(&self.map())
    }

    /// The map from the block's own frame to the world. A pose without direction counts as unturned.
    pub(crate) fn map(&self) -> DAffine3 {
        let unturned = || DAffine3::from_translation(self.pose.position);
        self.pose.map().unwrap_or_else(unturned)
    }

    /// Convex parts that fill the block, in world coordinates: those given, or else those found.
    pub fn convex_parts(&self, tolerance: f64) -> Result<Vec<Polyhedron>, DecomposeError> {
        let map = self.map();
        match &self.shape {
            Shape::Mesh(mesh) if !mesh.parts.is_empty() => {
                let hull = |points: &Vec<DVec3>| Ok(convex_hull(points, tolerance)?.transformed(&map));
                mesh.parts.iter().map(hull).collect()
            }
            _ => convex_parts(&self.polyhedron(), tolerance),
        }
    }
}
