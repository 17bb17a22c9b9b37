use std::{fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::{Block, Model};

/// Linear elasticity of blocks whose material leaves it out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Elasticity {
    /// Young's modulus (Pa); above zero.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub young_pa: f64,
    /// Poisson's ratio, from 0 to below 0.5.
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 0.5))]
    pub poisson: f64,
    /// Rayleigh damping in proportion to mass (1/s); zero or above. Left out: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0))]
    pub rayleigh_mass_per_s: Option<f64>,
    /// Rayleigh damping in proportion to stiffness (s); zero or above. Left out: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0))]
    pub rayleigh_stiffness_s: Option<f64>,
}

/// Blocks that deform, as linear elastic finite elements. Fixed blocks among them stay rigid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeformableGroup {
    /// Name of a group or of a block, or `all`. Where a group and a block share a name, both are meant.
    #[schemars(length(min = 1))]
    pub blocks: String,
    /// Mesh of each block. Left out: `H8x2x2x2` where the block is a hexahedron, else `T10`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshSpec>,
}

impl DeformableGroup {
    /// What stands for all blocks.
    pub const ALL: &'static str = "all";

    /// Whether a block is named, fixed or not.
    pub fn names(&self, block: &Block) -> bool {
        self.blocks == Self::ALL || self.blocks == block.name || block.group.as_ref() == Some(&self.blocks)
    }
}

/// `GROUP`, `GROUP:MESH`, `all` or `all:MESH`. What stands behind the last colon is a mesh, so that a name with a colon needs one.
impl FromStr for DeformableGroup {
    type Err = MeshError;

    fn from_str(text: &str) -> Result<Self, MeshError> {
        let (blocks, mesh) = match text.rsplit_once(':') {
            Some((blocks, mesh)) => (blocks, Some(mesh.parse()?)),
            None => (text, None),
        };
        Ok(Self {
            blocks: blocks.trim().to_string(),
            mesh,
        })
    }
}

/// Finite elements that a block is cut into, as a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshSpec {
    /// Hexahedra of eight nodes: so many along the directions of the block nearest to x, y and z.
    Hexahedra([usize; 3]),
    /// Tetrahedra of ten nodes; each edge of the coarsest mesh is cut into so many parts.
    Tetrahedra(usize),
}

/// A text that is no mesh.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is no mesh; must be H8xNxNxN or NxNxN (hexahedra, N from 1 to {most}), H8 (2x2x2), T10 or T10xN \
     (tetrahedra, N one of 1, 2, 4, 8)",
    most = MeshSpec::MOST
)]
pub struct MeshError {
    /// The text as given.
    pub text: String,
}

impl MeshSpec {
    /// Most hexahedra along one direction.
    pub const MOST: usize = 64;
    /// Hexahedra where their number is left out.
    pub const H8: Self = Self::Hexahedra([2; 3]);
    /// Parts that edges of tetrahedra may be cut into.
    pub const CUTS: [usize; 4] = [1, 2, 4, 8];
    /// What its schema is told apart by from any other text.
    pub(crate) const FORMAT: &'static str = "mesh";
}

impl FromStr for MeshSpec {
    type Err = MeshError;

    fn from_str(text: &str) -> Result<Self, MeshError> {
        let error = || MeshError { text: text.to_string() };
        let lower = text.trim().to_ascii_lowercase();
        let parts: Vec<&str> = lower.split('x').collect();
        // Digits alone: `parse` would take a sign, too.
        let number = |part: &&str| -> Result<usize, MeshError> {
            let digits = Some(*part).filter(|p| p.bytes().all(|b| b.is_ascii_digit()));
            digits.and_then(|p| p.parse().ok()).ok_or_else(error)
        };
        let numbers = |parts: &[&str]| parts.iter().map(number).collect::<Result<Vec<usize>, MeshError>>();
        let (numbers, is_tetrahedra) = match parts.as_slice() {
            ["h8"] => return Ok(Self::H8),
            ["t10"] => return Ok(Self::Tetrahedra(1)),
            ["h8", rest @ ..] => (numbers(rest)?, false),
            ["t10", rest @ ..] => (numbers(rest)?, true),
            all => (numbers(all)?, false),
        };
        match (numbers.as_slice(), is_tetrahedra) {
            (&[x, y, z], false) if [x, y, z].iter().all(|n| (1..=Self::MOST).contains(n)) => {
                Ok(Self::Hexahedra([x, y, z]))
            }
            (&[parts], true) if Self::CUTS.contains(&parts) => Ok(Self::Tetrahedra(parts)),
            _ => Err(error()),
        }
    }
}

impl fmt::Display for MeshSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hexahedra([x, y, z]) => write!(f, "H8x{x}x{y}x{z}"),
            Self::Tetrahedra(1) => write!(f, "T10"),
            Self::Tetrahedra(parts) => write!(f, "T10x{parts}"),
        }
    }
}

impl Serialize for MeshSpec {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MeshSpec {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for MeshSpec {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "MeshSpec".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "format": Self::FORMAT,
            "description": format!(
                "Finite elements that a block is cut into. `H8xNxNxN`, or `NxNxN` for short: hexahedra of eight nodes, N of them (1 \
                 to {}) along the directions of the block that are nearest to x, y and z; `H8` is 2x2x2. `T10xN`: tetrahedra of \
                 ten nodes, with every edge of the coarsest mesh cut into N parts (1, 2, 4 or 8); `T10` does not cut them.",
                Self::MOST
            ),
        })
    }
}

/// How a block deforms, with everything looked up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deformable {
    /// Its mesh; left out: `H8x2x2x2` where the block is a hexahedron, else `T10`.
    pub mesh: Option<MeshSpec>,
    /// Young's modulus (Pa).
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Rayleigh damping in proportion to mass (1/s).
    pub rayleigh_mass: f64,
    /// Rayleigh damping in proportion to stiffness (s).
    pub rayleigh_stiffness: f64,
}

/// A block that is to deform, but whose elasticity is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingElasticity {
    /// Index of the block.
    pub block: usize,
    /// Whether Young's modulus is missing.
    pub young: bool,
    /// Whether Poisson's ratio is missing.
    pub poisson: bool,
}

impl Model {
    /// The entry by which a block is deformable: the last that names it. Fixed blocks are rigid.
    fn deformable_by(&self, block: &Block) -> Option<&DeformableGroup> {
        let entry = || self.deformable.iter().rfind(|entry| entry.names(block));
        (!block.fixed).then(entry).flatten()
    }

    /// Whether a block is to deform. Whether its elasticity is known is another matter: [`Model::missing_elasticity`].
    pub fn is_deformable(&self, block: &Block) -> bool {
        self.deformable_by(block).is_some()
    }

    /// How a block deforms. `None` where it is rigid, and where its elasticity is not known, which
    /// [`Model::missing_elasticity`] tells.
    pub fn deformable_of(&self, block: &Block) -> Option<Deformable> {
        let mesh = self.deformable_by(block)?.mesh;
        let (young, poisson) = self.elasticity_of(block);
        let material = block.material.as_ref().and_then(|name| self.materials.get(name));
        let mass = material.and_then(|m| m.rayleigh_mass_per_s);
        let stiffness = material.and_then(|m| m.rayleigh_stiffness_s);
        let model = self.elasticity.as_ref();
        Some(Deformable {
            mesh,
            young: young?,
            poisson: poisson?,
            rayleigh_mass: mass
                .or_else(|| model.and_then(|e| e.rayleigh_mass_per_s))
                .unwrap_or(0.0),
            rayleigh_stiffness: stiffness
                .or_else(|| model.and_then(|e| e.rayleigh_stiffness_s))
                .unwrap_or(0.0),
        })
    }

    /// Young's modulus (Pa) and Poisson's ratio of a block, rigid or not: each from its material, else from the model.
    fn elasticity_of(&self, block: &Block) -> (Option<f64>, Option<f64>) {
        let material = block.material.as_ref().and_then(|name| self.materials.get(name));
        let model = self.elasticity.as_ref();
        (
            material.and_then(|m| m.young_pa).or(model.map(|e| e.young_pa)),
            material.and_then(|m| m.poisson).or(model.map(|e| e.poisson)),
        )
    }

    /// Blocks that are to deform, but whose elasticity is not known.
    pub fn missing_elasticity(&self) -> Vec<MissingElasticity> {
        let deformable = self.blocks.iter().enumerate().filter(|(_, b)| self.is_deformable(b));
        let missing = deformable.map(|(block, b)| {
            let (young, poisson) = self.elasticity_of(b);
            MissingElasticity {
                block,
                young: young.is_none(),
                poisson: poisson.is_none(),
            }
        });
        missing.filter(|m| m.young || m.poisson).collect()
    }

    /// Drops entries of deformable blocks that name none any more.
    pub fn forget_deformable(&mut self) {
        let blocks = &self.blocks;
        self.deformable.retain(|entry| blocks.iter().any(|b| entry.names(b)));
    }

    /// Gives all materials and the model another Young's modulus (Pa) and another Poisson's ratio, each where it is given.
    pub fn set_elasticity(&mut self, young: Option<f64>, poisson: Option<f64>) {
        for material in self.materials.values_mut() {
            material.young_pa = young.or(material.young_pa);
            material.poisson = poisson.or(material.poisson);
        }
        match (&mut self.elasticity, young, poisson) {
            (Some(elasticity), ..) => {
                elasticity.young_pa = young.unwrap_or(elasticity.young_pa);
                elasticity.poisson = poisson.unwrap_or(elasticity.poisson);
            }
            (none, Some(young_pa), Some(poisson)) => {
                *none = Some(Elasticity {
                    young_pa,
                    poisson,
                    rayleigh_mass_per_s: None,
                    rayleigh_stiffness_s: None,
                });
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::{Material, Shape};

    fn cube(name: &str) -> Block {
        Block::new(name, Shape::cuboid(DVec3::ZERO, DVec3::ONE))
    }

    fn entry(text: &str) -> DeformableGroup {
        text.parse().unwrap()
    }

    const STONE: Elasticity = Elasticity {
        young_pa: 3e10,
        poisson: 0.25,
        rayleigh_mass_per_s: Some(1.0),
        rayleigh_stiffness_s: None,
    };

    #[test]
    fn meshes_are_read_in_full_and_in_short_and_written_in_full() {
        for (text, full) in [
            ("H8x8x2x2", "H8x8x2x2"),
            ("1x2x3", "H8x1x2x3"),
            ("h8", "H8x2x2x2"),
            (" T10 ", "T10"),
            ("T10x1", "T10"),
            ("t10x4", "T10x4"),
        ] {
            let mesh: MeshSpec = text.parse().unwrap();
            assert_eq!(mesh.to_string(), full);
            assert_eq!(full.parse::<MeshSpec>().unwrap(), mesh);
        }
        for wrong in [
            "",
            "x",
            "2",
            "2x2",
            "2x2x2x2",
            "H8x2",
            "H8x0x1x1",
            "H8x65x1x1",
            "T10x3",
            "T10x",
            "T4",
            "+1x1x1",
            "1.5x1x1",
            "H8:2",
            "99999999999999999999x1x1",
        ] {
            let told = wrong.parse::<MeshSpec>().unwrap_err().to_string();
            assert!(told.starts_with(&format!("`{wrong}` is no mesh; must be")), "{told}");
        }
    }

    #[test]
    fn the_last_entry_that_names_a_block_wins_and_supports_stay_rigid() {
        let model = Model {
            elasticity: Some(STONE),
            deformable: ["all:T10", "wall:1x2x3", "lintel"].map(entry).into(),
            ..Model::default()
        };
        let mesh = |block: &Block| model.deformable_of(block).map(|d| d.mesh.map(|m| m.to_string()));
        assert_eq!(mesh(&cube("a")), Some(Some("T10".into())));
        assert_eq!(mesh(&cube("a").in_group("wall")), Some(Some("H8x1x2x3".into())));
        assert_eq!(mesh(&cube("lintel").in_group("wall")), Some(None));
        assert_eq!(mesh(&cube("a").in_group("wall").fixed()), None);
        assert_eq!(
            Model {
                deformable: vec![],
                ..model
            }
            .deformable_of(&cube("a")),
            None
        );
    }

    #[test]
    fn what_a_material_leaves_out_comes_from_the_model() {
        let soft = Material {
            young_pa: Some(1e9),
            rayleigh_stiffness_s: Some(2.0),
            ..Material::of_density(1800.0)
        };
        let mut block = cube("a");
        block.material = Some("soft".into());
        let mut model = Model {
            elasticity: Some(STONE),
            deformable: vec![entry("a")],
            materials: [("soft".into(), soft)].into_iter().collect(),
            blocks: vec![block.clone(), cube("b")],
            ..Model::default()
        };
        let expected = Deformable {
            mesh: None,
            young: 1e9,
            poisson: 0.25,
            rayleigh_mass: 1.0,
            rayleigh_stiffness: 2.0,
        };
        assert_eq!(model.deformable_of(&block), Some(expected));
        assert!(model.missing_elasticity().is_empty());

        // Another density leaves the elasticity alone.
        model.set_density(2000.0);
        assert_eq!(model.deformable_of(&model.blocks[0]), Some(expected));
        assert_eq!(model.density_of(&model.blocks[0], 1.0), 2000.0);

        model.elasticity = None;
        let missing = MissingElasticity {
            block: 0,
            young: false,
            poisson: true,
        };
        assert_eq!(model.missing_elasticity(), [missing]);
        assert_eq!(model.deformable_of(&block), None);
        model.set_elasticity(None, Some(0.1));
        assert!(model.missing_elasticity().is_empty());
        model.deformable.push(entry("b"));
        model.blocks.truncate(1);
        model.forget_deformable();
        assert_eq!(model.deformable, [entry("a")]);
        model.set_elasticity(Some(5e9), Some(0.2));
        let changed = model.deformable_of(&block).unwrap();
        assert_eq!((changed.young, changed.poisson), (5e9, 0.2));
    }
}
