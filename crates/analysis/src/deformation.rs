//! What blocks that deform come to, in a few numbers.

use drystone_contact::Placement;
use drystone_mechanics::{
    Structure,
    deformable::{ElasticField, FieldExtremes},
    dynamics::Deformed,
};
use serde::Serialize;

use crate::words::{counted, length, pressure};

/// Stresses and displacements of the blocks that deform, at one time: the largest of any node, in the fields of JSON results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeformationResult {
    /// Blocks that deform.
    pub deformable_blocks: usize,
    /// Largest von Mises stress (Pa).
    pub max_von_mises_pa: f64,
    /// The block that has it.
    pub max_von_mises_block: String,
    /// Largest tension: principal stress (Pa).
    pub max_tension_pa: f64,
    /// Largest compression: principal stress, without its sign (Pa).
    pub max_compression_pa: f64,
    /// Strain energy of all blocks (J).
    pub strain_energy_j: f64,
    /// Largest displacement by deformation, beside the motion of the block (m).
    pub max_deformation_m: f64,
}

impl DeformationResult {
    /// Of a structure whose blocks stand so and are deformed so; `absent` blocks do not count. Nothing where all are rigid.
    pub fn of(structure: &Structure, placements: &[Placement], deformed: &[Deformed], absent: &[bool]) -> Option<Self> {
        if structure.elastic.is_empty() {
            return None;
        }
        let field = ElasticField::of(structure, placements, deformed).without(absent);
        let extremes = field.extremes()?;
        Some(Self::new(&structure.names, field.blocks.len(), &extremes))
    }

    fn new(names: &[String], blocks: usize, extremes: &FieldExtremes) -> Self {
        Self {
            deformable_blocks: blocks,
            max_von_mises_pa: extremes.von_mises.value,
            max_von_mises_block: names[extremes.von_mises.block].clone(),
            max_tension_pa: extremes.tension.value,
            max_compression_pa: extremes.compression.value,
            strain_energy_j: extremes.strain_energy,
            max_deformation_m: extremes.deformation.value,
        }
    }

    /// As people read it.
    pub fn words(&self) -> String {
        format!(
            "{} deformed by up to {}; von Mises stress up to {} (in `{}`), tension up to {}, compression up to {}",
            counted(self.deformable_blocks, "block"),
            length(self.max_deformation_m),
            pressure(self.max_von_mises_pa),
            self.max_von_mises_block,
            pressure(self.max_tension_pa),
            pressure(self.max_compression_pa),
        )
    }
}
