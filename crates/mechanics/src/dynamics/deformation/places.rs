//! Where contacts and links act on blocks that deform.

use drystone_contact::Placement;
use glam::DVec3;

use super::Deformed;
use crate::deformable::{Elastic, ElasticBlocks};

/// Points that moved by less than this, over the size of the block, have the interpolation that they had.
const STAYS: f64 = 1e-7;

/// Where a contact or a link acts on a block that deforms.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Side {
    /// Place of the block among those that deform, plus one; zero: it is rigid.
    pub(super) place: u32,
    /// In the axes of the block (m).
    at: DVec3,
    /// Range of its weights.
    weights: [u32; 2],
}

/// The places of a step: contacts, and links after them.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// On the two blocks of each.
    pub(super) sides: Vec<[Side; 2]>,
    /// Displacement and velocity of the second block against the first there, by deformation, at the start of the step.
    pub(super) jumps: Vec<[DVec3; 2]>,
    weights: Vec<(u32, f64)>,
    before: (Vec<[Side; 2]>, Vec<(u32, f64)>),
    own: Vec<(u32, f64)>,
}

impl Places {
    /// From here on nothing depends on what came before.
    pub(super) fn forget(&mut self) {
        self.before.0.clear();
        self.sides.clear();
    }

    /// Begins a step.
    pub(super) fn begin(&mut self) {
        std::mem::swap(&mut self.before.0, &mut self.sides);
        std::mem::swap(&mut self.before.1, &mut self.weights);
        self.sides.clear();
        self.weights.clear();
        self.jumps.clear();
    }

    /// Nodes of the surface, and their weights, at a place.
    pub(super) fn weights(&self, side: &Side) -> &[(u32, f64)] {
        &self.weights[side.weights[0] as usize..side.weights[1] as usize]
    }

    /// The same at any point of a block, in its axes.
    pub(super) fn interpolated(&mut self, elastic: &Elastic, at: DVec3) -> &[(u32, f64)] {
        elastic.mesh().interpolate(at, &mut self.own);
        &self.own
    }

    /// Adds a place, by its two blocks and where it lies from their centres. Gives its jump.
    pub(super) fn locate(
        &mut self,
        elastic: &ElasticBlocks,
        blocks: [u32; 2],
        arms: [DVec3; 2],
        placements: &[Placement],
        state: &[Deformed],
    ) -> [DVec3; 2] {
        let index = self.sides.len();
        let mut jump = [DVec3::ZERO; 2];
        let sides = [0, 1].map(|side| {
            let block = blocks[side];
            let Some(place) = elastic.place(block) else {
                return Side::default();
            };
            let rotation = placements[block as usize].rotation;
            let at = rotation.conjugate() * arms[side];
            let shape = elastic.shape(place);
            let begins = self.weights.len();
            let known = self.before.0.get(index).map(|s| s[side]);
            let size = shape.edges[0].length();
            let mut kept = at;
            match known.filter(|k| k.place == place as u32 + 1 && k.at.distance(at) <= STAYS * size) {
                Some(k) => {
                    kept = k.at;
                    self.weights
                        .extend_from_slice(&self.before.1[k.weights[0] as usize..k.weights[1] as usize]);
                }
                None => {
                    shape.elastic.mesh().interpolate(at, &mut self.own);
                    self.weights.extend_from_slice(&self.own);
                }
            }
            let weights = [begins as u32, self.weights.len() as u32];
            let sign = if side == 0 { -1.0 } else { 1.0 };
            for &(node, w) in &self.weights[begins..] {
                let deformed = &state[place];
                jump[0] += sign * w * (rotation * deformed.displacement[node as usize]);
                jump[1] += sign * w * (rotation * deformed.velocity[node as usize]);
            }
            Side {
                place: place as u32 + 1,
                at: kept,
                weights,
            }
        });
        self.sides.push(sides);
        self.jumps.push(jump);
        jump
    }

    /// A field of nodes where a contact acts, in the axes of the world.
    pub(super) fn at(
        &self,
        elastic: &ElasticBlocks,
        side: &Side,
        placements: &[Placement],
        field: &[Vec<DVec3>],
    ) -> DVec3 {
        let Some(place) = side.place.checked_sub(1) else {
            return DVec3::ZERO;
        };
        let field = &field[place as usize];
        let sum: DVec3 = self
            .weights(side)
            .iter()
            .map(|&(node, w)| w * field[node as usize])
            .sum();
        placements[elastic.blocks[place as usize].0 as usize].rotation * sum
    }
}
