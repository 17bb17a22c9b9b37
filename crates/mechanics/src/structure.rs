//! A model by index, with its joints at rest found once: what statics and dynamics both work on.

use drystone_cone::Twist;
use drystone_contact::{BodiesError, Joint, Placement, Search, Survey, joints};
use drystone_model::{JointLaw, Model};
use glam::{DMat3, DVec3};

use crate::{
    by_name::{TieLine, ties},
    deformable::{ElasticBlockError, ElasticBlocks},
    laws::Laws,
};

/// Why a model is not a structure that mechanics can work with.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StructureError {
    /// A block has no usable shape.
    #[error(transparent)]
    Shape(#[from] BodiesError),
    /// Nothing can move.
    #[error("no block is free to move: every block of the model is fixed, or there is none")]
    NothingFree,
    /// Nothing holds it.
    #[error("no block is fixed: the structure would fall for ever. Fix its supports (`fixed`, or --supports)")]
    NoSupport,
    /// A block weighs nothing, or its mass is no number.
    #[error("block `{name}`: its mass is {mass} kg; it must be a positive number")]
    Mass {
        /// Name of the block.
        name: String,
        /// What its mass comes to.
        mass: f64,
    },
    /// A block cannot deform as the model says.
    #[error(transparent)]
    Elastic(#[from] ElasticBlockError),
    /// Something names a block that does not exist.
    #[error("{what} names block `{name}`, which does not exist")]
    NoSuchBlock {
        /// What names it.
        what: String,
        /// The name.
        name: String,
    },
}

/// A corner of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Which joint it belongs to.
    pub joint: u32,
    /// The two blocks.
    pub blocks: [u32; 2],
    /// Where it is (unit: m).
    pub position: DVec3,
    /// Unit normal from the first block to the second.
    pub normal: DVec3,
    /// Its law, as an index into [`Structure::laws`].
    pub law: u32,
}

/// A structure: everything by index, nothing by name. It does not change while its blocks move.
#[derive(Clone, Debug)]
pub struct Structure {
    /// Names of the blocks.
    pub names: Vec<String>,
    /// Which blocks are supports.
    pub fixed: Vec<bool>,
    /// Centres of mass as the blocks stand at first (unit: m).
    pub center: Vec<DVec3>,
    /// Masses (unit: kg).
    pub mass: Vec<f64>,
    /// Inertias about the centres, in world axes as the blocks stand at first (unit: kg m²).
    pub inertia: Vec<DMat3>,
    /// Largest distance of a corner from the centre of each block (unit: m).
    pub radius: Vec<f64>,
    /// Lowest corner of each block as it stands at first (unit: m).
    lowest: Vec<DVec3>,
    /// Size of a block: the cube root of the mean volume of those that can move (unit: m).
    pub length: f64,
    /// Gravity of the model (unit: m/s²).
    pub gravity: DVec3,
    /// Blocks that deform.
    pub elastic: ElasticBlocks,
    /// Ties.
    pub ties: Vec<TieLine>,
    /// The joints at rest.
    pub joints: Vec<Joint>,
    /// How they were found.
    pub search: Search,
    /// Their corners.
    pub points: Vec<ContactPoint>,
    /// Parts that hang on no support, each the indices of its blocks.
    pub loose: Vec<Vec<usize>>,
    laws: Laws,
}

impl Structure {
    /// Reads a model and finds its joints, the way that suits it. One in which nothing can move, or nothing holds it, is
    /// refused.
    pub fn new(model: &Model) -> Result<Self, StructureError> {
        // What cannot be asked about is told before the search, which takes longest.
        let mut structure = Self::without_joints(model)?;
        structure.set_joints(model, joints(model)?);
        Ok(structure)
    }

    /// Reads a model whose joints were found before: where blocks became supports or got another mass since, nothing need be
    /// searched again. Joints between two supports are left out, as in a survey.
    pub fn with_joints(model: &Model, found: Survey) -> Result<Self, StructureError> {
        let mut structure = Self::without_joints(model)?;
        structure.set_joints(model, found);
        Ok(structure)
    }

    fn without_joints(model: &Model) -> Result<Self, StructureError> {
        if model.free_blocks().next().is_none() {
            return Err(StructureError::NothingFree);
        }
        if model.blocks.iter().all(|b| !b.fixed) {
            return Err(StructureError::NoSupport);
        }
        let mut structure = Self {
            names: model.blocks.iter().map(|b| b.name.clone()).collect(),
            fixed: model.blocks.iter().map(|b| b.fixed).collect(),
            center: Vec::new(),
            mass: Vec::new(),
            inertia: Vec::new(),
            radius: Vec::new(),
            lowest: Vec::new(),
            length: 1.0,
            gravity: model.gravity,
            elastic: ElasticBlocks::of_model(model)?,
            ties: ties(model)?,
            joints: Vec::new(),
            search: Search::Stored,
            points: Vec::new(),
            loose: Vec::new(),
            laws: Laws::new(model),
        };
        let (mut volume, mut count) = (0.0, 0.0);
        for block in &model.blocks {
            let (mass, properties) = model.mass_of(block);
            let is_heavy = mass > 0.0 && mass.is_finite() && properties.inertia.is_finite();
            if !(block.fixed || is_heavy) {
                let name = block.name.clone();
                return Err(StructureError::Mass { name, mass });
            }
            if !block.fixed {
                (volume, count) = (volume + properties.volume, count + 1.0);
            }
            let center = properties.centroid;
            let corners = block.polyhedron().vertices;
            let height = |v: &&DVec3| -v.dot(model.gravity);
            let lowest = corners.iter().min_by(|a, b| height(a).total_cmp(&height(b)));
            structure.lowest.push(lowest.copied().unwrap_or(center));
            let distances = corners.iter().map(|v| v.distance(center));
            structure.radius.push(distances.fold(0.0, f64::max));
            structure.center.push(center);
            structure.mass.push(mass);
            structure.inertia.push(properties.inertia);
        }
        structure.length = (volume / count).cbrt();
        Ok(structure)
    }

    fn set_joints(&mut self, model: &Model, mut found: Survey) {
        let is_fixed = |b: &usize| model.blocks[*b].fixed;
        found.joints.retain(|j| !j.blocks.iter().all(is_fixed));
        let parts = found.components(model).into_iter();
        self.loose = parts.filter(|part| !part.iter().any(is_fixed)).collect();
        (self.search, self.joints) = (found.search, found.joints);
        for (k, joint) in (0..).zip(&self.joints) {
            let blocks = joint.blocks.map(|b| b as u32);
            let law = self.laws.between(blocks);
            self.points.extend(joint.points.iter().map(|&position| ContactPoint {
                joint: k,
                blocks,
                position,
                normal: joint.normal,
                law,
            }));
        }
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Indices of the blocks that can move.
    pub fn free(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&b| !self.fixed[b])
    }

    /// Mass of the blocks that can move (unit: kg).
    pub fn free_mass(&self) -> f64 {
        self.free().map(|b| self.mass[b]).sum()
    }

    /// Where a block stands at first.
    pub fn initial(&self, block: usize) -> Placement {
        Placement::at(self.center[block])
    }

    /// The diagonal of a box around the corners of the free blocks as they stand at first (m).
    pub(crate) fn extent(&self) -> f64 {
        let reach = |b: usize| DVec3::splat(self.radius[b]);
        let (low, high) = self
            .free()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), b| {
                (low.min(self.center[b] - reach(b)), high.max(self.center[b] + reach(b)))
            });
        if low.x <= high.x { (high - low).length() } else { 0.0 }
    }

    /// How far up the lowest corner of a block is as it stands at first (m).
    pub(crate) fn lowest(&self, block: usize, up: DVec3) -> f64 {
        self.lowest[block].dot(up)
    }

    /// Diameter of the smaller of two blocks (m).
    pub(crate) fn smaller(&self, blocks: [u32; 2]) -> f64 {
        let [a, b] = blocks.map(|b| self.radius[b as usize]);
        2.0 * a.min(b)
    }

    /// Relative motion at a point, of the second block against the first.
    pub fn relative(&self, motions: &[Twist], point: &ContactPoint) -> DVec3 {
        let [a, b] = point.blocks.map(|b| b as usize);
        let at = |b: usize| motions[b].at(point.position - self.center[b]);
        at(b) - at(a)
    }

    /// Every law that a joint may have.
    pub fn laws(&self) -> &[JointLaw] {
        self.laws.all()
    }

    /// The law of the joint between two blocks.
    pub fn law(&self, blocks: [u32; 2]) -> &JointLaw {
        &self.laws()[self.laws.between(blocks) as usize]
    }

    /// The law at a point.
    pub fn law_at(&self, point: &ContactPoint) -> &JointLaw {
        &self.laws()[point.law as usize]
    }

    /// The friction coefficient at a point.
    pub fn friction(&self, point: &ContactPoint) -> f64 {
        self.law_at(point).friction
    }

    /// The largest friction coefficient of any joint.
    pub fn largest_friction(&self) -> f64 {
        self.laws().iter().map(|law| law.friction).fold(0.0, f64::max)
    }

    /// Whether joints may have a stiffness.
    pub fn yields(&self) -> bool {
        self.laws().iter().any(|law| law.stiffness.is_some())
    }

    /// Laws as its model has them, whatever they were changed to.
    pub fn reset_laws(&mut self, model: &Model) {
        self.laws = Laws::new(model);
    }

    /// Changes the laws of all joints.
    pub fn change_laws(&mut self, to: impl Fn(JointLaw) -> JointLaw) {
        self.laws.change(to);
    }

    /// The same with one friction coefficient for every joint.
    #[must_use]
    pub fn with_friction(&self, friction: f64) -> Self {
        let mut other = self.clone();
        other.change_laws(|law| JointLaw { friction, ..law });
        other
    }

    /// Takes the laws of another state of the same structure, with friction `factor` times what it is there.
    pub fn scale_friction(&mut self, own: &Self, factor: f64) {
        self.laws.clone_from(&own.laws);
        self.change_laws(|law| JointLaw {
            friction: factor * law.friction,
            ..law
        });
    }
}
