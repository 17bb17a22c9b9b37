use drystone_model::{
    Model,
    geometry::{DecomposeError, Polyhedron},
};
use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// How far a corner may rise over a face of a convex block (m): rounding alone makes no block a non-convex one.
pub(crate) fn convexity_tolerance(model: &Model, solid: &Polyhedron) -> f64 {
    (1e-9 * solid.bounds().diagonal()).max(model.rounding())
}

/// Where a block is: its centre and its attitude.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    /// Centre of the block (m).
    pub center: DVec3,
    /// Rotation from the block's axes to the world's.
    pub rotation: DQuat,
}

impl Placement {
    /// A block that is not turned.
    pub fn at(center: DVec3) -> Self {
        Self {
            center,
            rotation: DQuat::IDENTITY,
        }
    }
}

/// Why the shapes of a model cannot be used for contact.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("block {block} (`{name}`) cannot be cut into convex parts: {source}")]
pub struct BodiesError {
    /// Index of the block.
    pub block: usize,
    /// Name of the block.
    pub name: String,
    /// What went wrong.
    pub source: DecomposeError,
}

/// A convex part: ranges into the common arrays of [`Bodies`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) vertices: [u32; 2],
    pub(crate) faces: [u32; 2],
    pub(crate) edges: [u32; 2],
    /// Radius of the largest sphere about the block's centre inside the part (m); minus infinity if the centre is outside,
    /// where it bounds nothing.
    pub(crate) inner_radius: f64,
}

/// A face of a part: its plane and its corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    /// Distance of the plane from the block's centre along the normal.
    pub(crate) offset: f64,
    /// Range into `corners`.
    pub(crate) corners: [u32; 2],
}

/// An edge of a part: its ends and the faces on its two sides, as global indices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) ends: [u32; 2],
    pub(crate) faces: [u32; 2],
}

/// The shapes of all blocks as convex parts, in flat arrays, about the centres of their blocks.
///
/// Only vertices and normals turn as blocks move; everything else is fixed once and for all.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    pub(crate) parts: Vec<Part>,
    /// Range of parts of each block.
    pub(crate) part_range: Vec<[u32; 2]>,
    pub(crate) fixed: Vec<bool>,
    /// Diagonal of the box around each block (m).
    pub(crate) size: Vec<f64>,
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) normals: Vec<DVec3>,
    pub(crate) faces: Vec<Face>,
    /// Corners of faces as global vertex indices.
    pub(crate) corners: Vec<u32>,
    pub(crate) edges: Vec<Edge>,
}

impl Bodies {
    /// The blocks of a model about their centres of mass, and where they are.
    pub fn of_model(model: &Model) -> Result<(Self, Vec<Placement>), BodiesError> {
        let mut bodies = Self::default();
        let mut placements = Vec::with_capacity(model.blocks.len());
        for (index, block) in model.blocks.iter().enumerate() {
            let solid = block.polyhedron();
            let center = model.center_of(block);
            let parts = block
                .convex_parts(convexity_tolerance(model, &solid))
                .map_err(|source| BodiesError {
                    block: index,
                    name: block.name.clone(),
                    source,
                })?;
            let parts: Vec<Polyhedron> = parts.iter().map(|p| p.translated(-center)).collect();
            bodies.push(&parts, block.fixed);
            placements.push(Placement::at(center));
        }
        Ok((bodies, placements))
    }

    /// Adds a block made of convex parts, given about its centre.
    pub fn push(&mut self, parts: &[Polyhedron], fixed: bool) {
        let first = self.parts.len() as u32;
        let mut bounds = drystone_model::geometry::Bounds::EMPTY;
        for part in parts {
            bounds = bounds.union(&part.bounds());
            self.push_part(part);
        }
        self.part_range.push([first, self.parts.len() as u32]);
        self.fixed.push(fixed);
        self.size.push(bounds.diagonal());
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.part_range.len()
    }

    /// Whether there are no blocks.
    pub fn is_empty(&self) -> bool {
        self.part_range.is_empty()
    }

    fn push_part(&mut self, part: &Polyhedron) {
        let (vertex0, face0, edge0) = (
            self.vertices.len() as u32,
            self.faces.len() as u32,
            self.edges.len() as u32,
        );
        self.vertices.extend_from_slice(&part.vertices);
        let mut left_of = std::collections::HashMap::new();
        for face in 0..part.faces.len() {
            let plane = part.face_plane(face);
            let corner0 = self.corners.len() as u32;
            self.corners.extend(part.faces[face].iter().map(|v| vertex0 + v));
            self.normals.push(plane.normal);
            let corners = [corner0, self.corners.len() as u32];
            self.faces.push(Face {
                offset: plane.offset,
                corners,
            });
            for edge in part.face_edges(face) {
                left_of.insert(edge, face0 + face as u32);
            }
        }
        for (a, b) in part.edges() {
            if let (Some(&left), Some(&right)) = (left_of.get(&(a, b)), left_of.get(&(b, a))) {
                self.edges.push(Edge {
                    ends: [vertex0 + a, vertex0 + b],
                    faces: [left, right],
                });
            }
        }
        let least_offset = self.faces[face0 as usize..]
            .iter()
            .map(|f| f.offset)
            .fold(f64::INFINITY, f64::min);
        self.parts.push(Part {
            inner_radius: if least_offset > 0.0 {
                least_offset
            } else {
                f64::NEG_INFINITY
            },
            vertices: [vertex0, self.vertices.len() as u32],
            faces: [face0, self.faces.len() as u32],
            edges: [edge0, self.edges.len() as u32],
        });
    }
}

/// The vertices and normals of all parts as they are turned now, about the centres of their blocks.
#[derive(Clone, Debug)]
pub(crate) struct Turned {
    pub(crate) centers: Vec<DVec3>,
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) normals: Vec<DVec3>,
    pub(crate) rotations: Vec<DQuat>,
}

impl Turned {
    pub(crate) fn new(bodies: &Bodies) -> Self {
        Self {
            centers: vec![DVec3::ZERO; bodies.len()],
            vertices: bodies.vertices.clone(),
            normals: bodies.normals.clone(),
            rotations: vec![DQuat::IDENTITY; bodies.len()],
        }
    }

    /// Brings everything up to date. Blocks that have not turned cost nothing.
    pub(crate) fn update(&mut self, bodies: &Bodies, placements: &[Placement]) {
        for (body, placement) in placements.iter().enumerate() {
            self.centers[body] = placement.center;
            if self.rotations[body] == placement.rotation {
                continue;
            }
            self.rotations[body] = placement.rotation;
            let matrix = DMat3::from_quat(placement.rotation);
            for part in &bodies.parts[range(bodies.part_range[body])] {
                for v in range(part.vertices) {
                    self.vertices[v] = matrix * bodies.vertices[v];
                }
                for f in range(part.faces) {
                    self.normals[f] = matrix * bodies.normals[f];
                }
            }
        }
    }
}

pub(crate) fn range([first, end]: [u32; 2]) -> std::ops::Range<usize> {
    first as usize..end as usize
}
