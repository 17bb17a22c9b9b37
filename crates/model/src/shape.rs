use glam::{DVec2, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::geometry::Polyhedron;

/// The shape of a block, in the block's own frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// A box with edges along the axes.
    Box(BoxShape),
    /// A polygon swept along an axis.
    Prism(PrismShape),
    /// Any closed polyhedron, convex or not.
    Mesh(MeshShape),
}

/// A box with edges along the axes of the block's frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxShape {
    /// Edge lengths along x, y and z (m); each above zero.
    #[schemars(with = "[f64; 3]")]
    pub size: DVec3,
    /// Centre of the box (m).
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(with = "[f64; 3]")]
    pub center: DVec3,
}

/// A polygon swept along an axis of the block's frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrismShape {
    /// Corners of the polygon in order, turning either way (m). For axis `z` they are `[x, y]`, for axis `y` they are
    /// `[x, z]`, for axis `x` they are `[y, z]`.
    #[schemars(with = "Vec<[f64; 2]>", length(min = 3))]
    pub polygon: Vec<DVec2>,
    /// Axis along which the polygon is swept.
    #[serde(default)]
    pub axis: PrismAxis,
    /// Where the prism begins along the axis (m).
    #[serde(default)]
    pub from: f64,
    /// Where the prism ends along the axis (m); different from `from`.
    pub to: f64,
}

/// The axis of a prism.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PrismAxis {
    /// Along x.
    X,
    /// Along y: the polygon is an elevation, as for an arch or a wall.
    Y,
    /// Along z: the polygon is a plan.
    #[default]
    Z,
}

/// A closed polyhedral surface.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshShape {
    /// Corner points (m).
    #[schemars(with = "Vec<[f64; 3]>")]
    pub vertices: Vec<DVec3>,
    /// Corners of each face as indices into `vertices`, from 0, counter-clockwise as seen from outside.
    pub faces: Vec<Vec<u32>>,
    /// Convex parts that fill a non-convex shape, each the convex hull of the points listed (m). Left out, the shape
    /// is cut into convex parts by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Vec<[f64; 3]>>")]
    pub parts: Vec<Vec<DVec3>>,
}

fn is_zero(v: &DVec3) -> bool {
    *v == DVec3::ZERO
}

impl Shape {
    /// A box between two corners.
    pub fn cuboid(min: DVec3, max: DVec3) -> Self {
        Self::Box(BoxShape {
            size: max - min,
            center: 0.5 * (min + max),
        })
    }

    /// The shape as a polyhedron in the block's frame. Meshes come as they are, sound or not.
    pub fn polyhedron(&self) -> Polyhedron {
        match self {
            Self::Box(BoxShape { size, center }) => Polyhedron::cuboid(*center - 0.5 * *size, *center + 0.5 * *size),
            Self::Prism(PrismShape {
                polygon,
                axis,
                from,
                to,
            }) => {
                let lift = |p: &DVec2| match axis {
                    PrismAxis::X => DVec3::new(*from, p.x, p.y),
                    PrismAxis::Y => DVec3::new(p.x, *from, p.y),
                    PrismAxis::Z => DVec3::new(p.x, p.y, *from),
                };
                let outline: Vec<DVec3> = polygon.iter().map(lift).collect();
                let along = match axis {
                    PrismAxis::X => DVec3::X,
                    PrismAxis::Y => DVec3::Y,
                    PrismAxis::Z => DVec3::Z,
                };
                Polyhedron::extruded(&outline, along * (to - from))
            }
            Self::Mesh(mesh) => Polyhedron {
                vertices: mesh.vertices.clone(),
                faces: mesh.faces.clone(),
            },
        }
    }
}

impl From<Polyhedron> for Shape {
    fn from(solid: Polyhedron) -> Self {
        Self::Mesh(MeshShape {
            vertices: solid.vertices,
            faces: solid.faces,
            parts: Vec::new(),
        })
    }
}
