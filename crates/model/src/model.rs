use glam::DVec3;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Block, DeformableGroup, Elasticity, JointSearch, Joints, LoadCase, Motion, StoredInterface, SupportMotion, Tie,
    added_mass::together,
    geometry::{Bounds, MassProperties, mass_properties},
    tie::{TieEntry, read_ties},
};

/// Version of the model file format that this program writes and reads.
pub const FORMAT_VERSION: u32 = 1;

/// A structure of blocks that touch without glue, rigid but for those that `deformable` names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Version of the file format: 1.
    pub drystone: u32,
    /// Name of the structure.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Where the structure comes from, and what was assumed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Acceleration of gravity (m/s²).
    #[serde(default = "standard_gravity")]
    #[schemars(with = "[f64; 3]")]
    pub gravity: DVec3,
    /// Density of blocks that name neither a mass, a density nor a material (kg/m³); above zero.
    #[serde(default = "default_density")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub density: f64,
    /// Tolerances of the geometry.
    #[serde(default)]
    pub tolerances: Tolerances,
    /// Which faces count as joined. Left out: those that touch within `tolerances`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint_search: Option<JointSearch>,
    /// Materials by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub materials: IndexMap<String, Material>,
    /// Elasticity of deformable blocks, where their material leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elasticity: Option<Elasticity>,
    /// Friction between blocks.
    #[serde(default)]
    pub joints: Joints,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// Which blocks deform, and by which finite elements. Later entries override earlier ones; blocks that none names, and
    /// all fixed blocks, are rigid.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deformable: Vec<DeformableGroup>,
    /// Tie rods and other links.
    #[serde(default, deserialize_with = "read_ties", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<TieEntry>")]
    pub ties: Vec<Tie>,
    /// Loads beside the self-weight, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub load_cases: IndexMap<String, LoadCase>,
    /// Motions for supports, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub motions: IndexMap<String, Motion>,
    /// Which supports move how. Supports that are not named stay at rest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub support_motions: Vec<SupportMotion>,
    /// Interfaces that come with the model, instead of being found from the shapes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interfaces: Vec<StoredInterface>,
}

/// What blocks are made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Density (kg/m³); above zero.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub density: f64,
    /// Young's modulus (Pa), above zero. Deformable blocks alone look at it; left out, it is that of `elasticity` of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub young_pa: Option<f64>,
    /// Poisson's ratio, from 0 to below 0.5; left out, it is that of `elasticity` of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 0.5))]
    pub poisson: Option<f64>,
    /// Rayleigh damping in proportion to mass (1/s), zero or above; left out, it is that of `elasticity` of the model, or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0))]
    pub rayleigh_mass_per_s: Option<f64>,
    /// Rayleigh damping in proportion to stiffness (s), zero or above; left out, it is that of `elasticity` of the model, or
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0))]
    pub rayleigh_stiffness_s: Option<f64>,
}

impl Material {
    /// A material of which only the density is known (kg/m³).
    pub fn of_density(density: f64) -> Self {
        Self {
            density,
            young_pa: None,
            poisson: None,
            rayleigh_mass_per_s: None,
            rayleigh_stiffness_s: None,
        }
    }
}

/// Tolerances of the geometry, as fractions of the size of what is looked at, so that a model in millimetres and one
/// in kilometres behave alike.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Tolerances {
    /// How far a corner may be off the plane of its face, as a fraction of the block's size. Default 1e-6.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub planarity: f64,
    /// How far blocks may be apart and still touch, or overlap and still count as touching, as a fraction of the size
    /// of the smaller block. Default 1e-6.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub contact: f64,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self {
            planarity: 1e-6,
            contact: 1e-6,
        }
    }
}

fn standard_gravity() -> DVec3 {
    Model::STANDARD_GRAVITY
}

fn default_density() -> f64 {
    Model::DEFAULT_DENSITY
}

impl Default for Model {
    fn default() -> Self {
        Self {
            drystone: FORMAT_VERSION,
            name: String::new(),
            description: String::new(),
            gravity: Self::STANDARD_GRAVITY,
            density: Self::DEFAULT_DENSITY,
            tolerances: Tolerances::default(),
            joint_search: None,
            materials: IndexMap::new(),
            elasticity: None,
            joints: Joints::default(),
            blocks: Vec::new(),
            deformable: Vec::new(),
            ties: Vec::new(),
            load_cases: IndexMap::new(),
            motions: IndexMap::new(),
            support_motions: Vec::new(),
            interfaces: Vec::new(),
        }
    }
}

impl Model {
    /// Gravity where a file says nothing (m/s²).
    pub const STANDARD_GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
    /// Density where a file says nothing (kg/m³): a light limestone.
    pub const DEFAULT_DENSITY: f64 = 2000.0;

    /// An empty model with a name.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// The block with a name.
    pub fn block(&self, name: &str) -> Option<&Block> {
        self.blocks.iter().find(|b| b.name == name)
    }

    /// Blocks that are not supports.
    pub fn free_blocks(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|b| !b.fixed)
    }

    /// Density of a block (kg/m³), without what it carries: from its mass, its own density, its material, or the model's default.
    pub fn density_of(&self, block: &Block, volume: f64) -> f64 {
        let by_mass = block.mass.map(|mass| mass / volume);
        let by_material = || self.materials.get(block.material.as_ref()?).map(|m| m.density);
        by_mass.or(block.density).or_else(by_material).unwrap_or(self.density)
    }

    /// Gives all blocks and materials one density (kg/m³), in place of their own and of masses. Elasticity and added mass stay.
    pub fn set_density(&mut self, density: f64) {
        self.density = density;
        for material in self.materials.values_mut() {
            material.density = density;
        }
        for block in &mut self.blocks {
            (block.density, block.mass) = (None, None);
        }
    }

    /// Mass of a block with all that it carries (kg), the volume of its shape, its centre of mass as the centroid, and the
    /// inertia about that in world axes (kg·m²).
    pub fn mass_of(&self, block: &Block) -> (f64, MassProperties) {
        let mut properties = mass_properties(&block.polyhedron());
        let density = self.density_of(block, properties.volume);
        properties.inertia *= density;
        let own = density * properties.volume;
        if block.added_mass.is_empty() {
            return (own, properties);
        }
        let mut bodies = vec![(own, properties.centroid, properties.inertia)];
        let added = block.added_mass_in_world();
        bodies.extend(added.iter().map(|a| (a.mass, a.center, a.tensor())));
        let (mass, centroid, inertia) = together(&bodies);
        let volume = properties.volume;
        (
            mass,
            MassProperties {
                volume,
                centroid,
                inertia,
            },
        )
    }

    /// Centre of mass of a block with all that it carries, in world coordinates (m): what its placements refer to.
    pub fn center_of(&self, block: &Block) -> DVec3 {
        self.mass_of(block).1.centroid
    }

    /// The smallest box around the blocks that `which` selects, in world coordinates.
    pub fn bounds(&self, which: impl Fn(&Block) -> bool) -> Bounds {
        let selected = self.blocks.iter().filter(|b| which(b));
        selected.fold(Bounds::EMPTY, |all, b| all.union(&b.polyhedron().bounds()))
    }
}
