//! The blocks of a structure that deform.

use std::sync::Arc;

use drystone_model::{JointStiffness, MeshSpec, Model, geometry::Polyhedron};
use glam::DVec3;

use super::{Elastic, ElasticError, Elasticity, Elements, MassKind, Mesh, Subdivision};

/// Corners closer than this, over the size of a block, are the same.
const SAME: f64 = 1e-12;

/// Stiffness of joints that hardly shows, over that of an element.
const HARD: f64 = 1e3;

/// A block that deforms, in axes that are the world's as it stands at first, about its centre of mass. Blocks of one shape and
/// material share it.
#[derive(Debug)]
pub struct ElasticShape {
    /// Its finite elements.
    pub elastic: Elastic,
    /// Rayleigh damping: factors of mass (unit: 1/s) and of stiffness (unit: s).
    pub rayleigh: [f64; 2],
    /// Elasticity.
    pub elasticity: Elasticity,
    /// Three edges of a typical element (unit: m).
    pub(crate) edges: [DVec3; 3],
    density: f64,
    mesh: Option<MeshSpec>,
    corners: Vec<DVec3>,
    faces: Vec<Vec<u32>>,
}

/// Which blocks of a structure deform, and how.
#[derive(Clone, Debug, Default)]
pub struct ElasticBlocks {
    /// Shapes, each once.
    pub shapes: Vec<Arc<ElasticShape>>,
    /// Blocks that deform, in rising order, and the shape of each.
    pub blocks: Vec<(u32, u32)>,
}

/// Why a block of a model cannot deform.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ElasticBlockError {
    /// Nothing is known of its material.
    #[error(
        "block `{0}` is to deform, but its elasticity is not known: give `young_pa` and `poisson` in its material, `elasticity` \
         in the model, or --young and --poisson"
    )]
    NoElasticity(String),
    /// It cannot be cut into elements, or they make no sense.
    #[error("block `{name}`: {source}")]
    Elastic {
        /// Name of the block.
        name: String,
        /// What is wrong.
        source: ElasticError,
    },
}

impl ElasticBlocks {
    /// Those of a model. Blocks that are fixed stay rigid.
    pub(crate) fn of_model(model: &Model) -> Result<Self, ElasticBlockError> {
        let mut all = Self::default();
        if let Some(missing) = model.missing_elasticity().first() {
            return Err(ElasticBlockError::NoElasticity(
                model.blocks[missing.block].name.clone(),
            ));
        }
        for (b, block) in (0..).zip(&model.blocks) {
            let Some(deformable) = model.deformable_of(block) else {
                continue;
            };
            let solid = block.polyhedron();
            let properties = solid.mass_properties();
            let density = model.density_of(block, properties.volume);
            let about = solid.translated(-properties.centroid);
            let elasticity = Elasticity {
                young: deformable.young,
                poisson: deformable.poisson,
            };
            let rayleigh = [deformable.rayleigh_mass, deformable.rayleigh_stiffness];
            let is_same = |shape: &Arc<ElasticShape>| {
                (shape.elasticity, shape.rayleigh, shape.density, shape.mesh)
                    == (elasticity, rayleigh, density, deformable.mesh)
                    && shape.has(&about)
            };
            let known = all.shapes.iter().position(is_same);
            let shape = match known {
                Some(shape) => shape,
                None => {
                    let mesh = Mesh::new(&about, deformable.mesh.map(subdivision)).map_err(ElasticError::from);
                    let elastic = mesh.and_then(|mesh| Elastic::new(mesh, elasticity, density, MassKind::Consistent));
                    let elastic = elastic.map_err(|source| ElasticBlockError::Elastic {
                        name: block.name.clone(),
                        source,
                    })?;
                    all.shapes.push(Arc::new(ElasticShape {
                        edges: typical_edges(elastic.mesh()),
                        elastic,
                        rayleigh,
                        elasticity,
                        density,
                        mesh: deformable.mesh,
                        corners: about.vertices,
                        faces: about.faces,
                    }));
                    all.shapes.len() - 1
                }
            };
            all.blocks.push((b, shape as u32));
        }
        Ok(all)
    }

    /// Whether all blocks are rigid.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The shape of a block that deforms, by its place in [`Self::blocks`].
    pub fn shape(&self, place: usize) -> &ElasticShape {
        &self.shapes[self.blocks[place].1 as usize]
    }

    /// Place of a block among those that deform.
    pub fn place(&self, block: u32) -> Option<usize> {
        self.blocks.binary_search_by_key(&block, |(b, _)| *b).ok()
    }

    /// Time that sound takes over a length in the slowest block (unit: s), along a bar; zero where all are rigid.
    pub fn sound_time(&self, length: f64) -> f64 {
        let slow = |s: &std::sync::Arc<ElasticShape>| length * (s.density / s.elasticity.young).sqrt();
        self.shapes.iter().map(slow).fold(0.0, f64::max)
    }

    /// A stiffness of joints that hardly shows beside what blocks yield themselves; none where all are rigid.
    pub(crate) fn joint_stiffness(&self) -> Option<JointStiffness> {
        let stiff = |s: &Arc<ElasticShape>| {
            let shortest = s.edges.iter().map(|e| e.length()).fold(f64::INFINITY, f64::min);
            s.elasticity.young / shortest
        };
        let stiffest = self.shapes.iter().map(stiff).fold(0.0, f64::max);
        (stiffest > 0.0).then(|| JointStiffness::from([HARD * stiffest; 2]))
    }

    /// The longest period with which one of the blocks swings by itself (unit: s); zero where all are rigid.
    pub fn longest_period(&self) -> f64 {
        self.shapes.iter().map(|s| s.elastic.first_period()).fold(0.0, f64::max)
    }
}

impl ElasticShape {
    fn has(&self, solid: &Polyhedron) -> bool {
        let size = solid.bounds().diagonal();
        let corners = self.corners.iter().zip(&solid.vertices);
        self.faces == solid.faces
            && self.corners.len() == solid.vertices.len()
            && corners.into_iter().all(|(a, b)| a.distance(*b) <= SAME * size)
    }
}

fn subdivision(mesh: MeshSpec) -> Subdivision {
    match mesh {
        MeshSpec::Hexahedra(counts) => Subdivision::Hexahedra(counts.map(|n| n as u32)),
        MeshSpec::Tetrahedra(parts) => Subdivision::Tetrahedra(parts as u32),
    }
}

/// The mean of each of the three directions of hexahedra; of tetrahedra, the mean of their edges along each axis.
fn typical_edges(mesh: &Mesh) -> [DVec3; 3] {
    let at = |n: u32| mesh.nodes[n as usize];
    match &mesh.elements {
        Elements::H8(all) => {
            let mean = |end: usize| all.iter().map(|e| at(e[end]) - at(e[0])).sum::<DVec3>() / all.len() as f64;
            [1, 3, 4].map(mean)
        }
        Elements::T10(all) => {
            const EDGES: [(usize, usize); 6] = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)];
            let length = |e: &[u32; 10]| EDGES.map(|(a, b)| at(e[a]).distance(at(e[b]))).iter().sum::<f64>() / 6.0;
            // Half-way along each edge there is a node.
            let half = 0.5 * all.iter().map(length).sum::<f64>() / all.len() as f64;
            DVec3::AXES.map(|axis| half * axis)
        }
    }
}
