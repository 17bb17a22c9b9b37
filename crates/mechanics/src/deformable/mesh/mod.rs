//! Division of a polyhedron into finite elements.

mod budget;
mod cells;
mod hexahedra;
mod interpolate;
mod slabs;
mod surface;
mod tetrahedra;

use drystone_model::geometry::Polyhedron;
use glam::DVec3;

pub use budget::{MEMORY_LIMIT, memory_bytes_estimate};

use super::{
    MeshError,
    element::{h8, t10},
};

/// An element is degenerate where its volume is below this fraction of that of a box with its edges.
pub(super) const FLATTEST: f64 = 1e-9;

/// Corners closer to each other, or to a plane, than this fraction of the block's diagonal are taken to coincide.
const COINCIDENT: f64 = 1e-9;

/// How finely a block is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subdivision {
    /// Hexahedra: numbers of elements along the edges most aligned with x, y and z.
    Hexahedra([u32; 3]),
    /// Tetrahedra: in how many parts each edge of the coarsest mesh is cut: 1, 2, 4, 8, ...
    Tetrahedra(u32),
}

/// Nodes of all elements.
#[derive(Clone, Debug, PartialEq)]
pub enum Elements {
    /// Hexahedra with eight nodes, in the order of VTK_HEXAHEDRON (12).
    H8(Vec<[u32; 8]>),
    /// Straight-sided tetrahedra with ten nodes, in the order of VTK_QUADRATIC_TETRA (24).
    T10(Vec<[u32; 10]>),
}

/// Nodes of a facet, counter-clockwise seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FacetNodes {
    /// Corners of a bilinear quadrilateral.
    Quad([u32; 4]),
    /// Corners of a straight-sided triangle, then the middles between first and second, second and third, third and first
    /// (VTK_QUADRATIC_TRIANGLE).
    Triangle([u32; 6]),
}

/// A face of an element on the surface of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facet {
    /// Its nodes.
    pub nodes: FacetNodes,
    /// The element it belongs to.
    pub element: u32,
    /// Face of the block's polyhedron, as handed in, on which its middle lies.
    pub face: u32,
}

/// A block divided into finite elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Positions of the nodes (m).
    pub nodes: Vec<DVec3>,
    /// The elements.
    pub elements: Elements,
    /// Faces of elements on the surface of the block.
    pub surface: Vec<Facet>,
}

impl Mesh {
    /// Divides a solid. Without a subdivision: 2 x 2 x 2 hexahedra where the solid has the shape for it, else tetrahedra,
    /// without halving.
    pub fn new(solid: &Polyhedron, subdivision: Option<Subdivision>) -> Result<Self, MeshError> {
        let volume = solid.volume();
        if !(volume > 0.0 && volume.is_finite()) {
            return Err(MeshError::NoVolume(volume));
        }
        let (nodes, elements) = match subdivision {
            None => match hexahedra::corners(solid) {
                Ok(corners) => hexahedra::divide(&corners, [2; 3])?,
                Err(_) => tetrahedra::divide(solid, 1)?,
            },
            Some(Subdivision::Hexahedra(counts)) => hexahedra::divide(&hexahedra::corners(solid)?, counts)?,
            Some(Subdivision::Tetrahedra(parts)) => tetrahedra::divide(solid, parts)?,
        };
        let surface = surface::facets(&nodes, &elements, solid);
        let mesh = Self {
            nodes,
            elements,
            surface,
        };
        mesh.check()?;
        Ok(mesh)
    }

    /// Nodes on the surface, in rising order.
    pub fn surface_nodes(&self) -> Vec<u32> {
        let mut nodes: Vec<u32> = self.surface.iter().flat_map(|f| f.nodes().iter().copied()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Finds the element that is inverted, degenerate or names nodes that do not exist.
    pub(super) fn check(&self) -> Result<(), MeshError> {
        for (element, nodes) in self.elements.iter().enumerate() {
            if let Some(&node) = nodes.iter().find(|&&n| n as usize >= self.nodes.len()) {
                return Err(MeshError::NoSuchNode {
                    element,
                    node,
                    nodes: self.nodes.len(),
                });
            }
            let defect = match &self.elements {
                Elements::H8(all) => h8::defect(&self.at(&all[element])),
                Elements::T10(all) => t10::defect(&self.at(&all[element])),
            };
            if let Some(why) = defect {
                let middle = nodes.iter().map(|&n| self.nodes[n as usize]).sum::<DVec3>() / nodes.len() as f64;
                return Err(MeshError::Element {
                    element,
                    at: middle.to_array(),
                    why,
                });
            }
        }
        Ok(())
    }

    /// Positions of some nodes.
    pub(super) fn at<const N: usize>(&self, nodes: &[u32; N]) -> [DVec3; N] {
        nodes.map(|n| self.nodes[n as usize])
    }
}

impl Elements {
    /// Number of elements.
    pub fn len(&self) -> usize {
        match self {
            Self::H8(all) => all.len(),
            Self::T10(all) => all.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Nodes of every element.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let (h8, t10): (&[[u32; 8]], &[[u32; 10]]) = match self {
            Self::H8(all) => (all, &[]),
            Self::T10(all) => (&[], all),
        };
        let h8 = h8.iter().map(<[u32; 8]>::as_slice);
        h8.chain(t10.iter().map(<[u32; 10]>::as_slice))
    }
}

impl Facet {
    /// Its nodes: four, or six with the corners first.
    pub fn nodes(&self) -> &[u32] {
        match &self.nodes {
            FacetNodes::Quad(nodes) => nodes,
            FacetNodes::Triangle(nodes) => nodes,
        }
    }

    /// The nodes at its corners.
    pub fn corners(&self) -> &[u32] {
        match &self.nodes {
            FacetNodes::Quad(nodes) => nodes,
            FacetNodes::Triangle(nodes) => &nodes[..3],
        }
    }
}

/// Elements and nodes that the estimate of memory counts for tetrahedra.
#[cfg(test)]
pub(super) fn tetrahedra_budget(solid: &Polyhedron, parts: u32) -> Result<(u64, u64), MeshError> {
    tetrahedra::budget(solid, parts).map(|budget| (budget.elements, budget.nodes))
}
