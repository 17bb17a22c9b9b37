//! Displacements and stresses of the blocks that deform, in the axes of the world.
//!
//! Finite elements work in the axes of their block, which turn with it. Whoever writes or draws results wants one set of axes
//! and positions where blocks are.

use std::sync::Arc;

use drystone_contact::Placement;
use glam::{DMat3, DVec3};

use super::{ElasticShape, Elasticity, principal, von_mises};
use crate::{Structure, dynamics::Deformed};

/// Displacements and stresses of all blocks that deform, at one time. Stresses are tension positive, in world axes: xx, yy,
/// zz, xy, yz, zx (unit: Pa).
#[derive(Clone, Debug, Default)]
pub struct ElasticField {
    /// Blocks that deform, in rising order.
    pub blocks: Vec<BlockField>,
}

/// A block that deforms.
#[derive(Clone, Debug)]
pub struct BlockField {
    /// Its index in the model.
    pub block: usize,
    /// Its mesh and material.
    pub shape: Arc<ElasticShape>,
    /// Where nodes were at first (unit: m).
    pub start: Vec<DVec3>,
    /// Where nodes would be if the block were rigid (unit: m).
    pub nodes: Vec<DVec3>,
    /// Displacement of nodes by deformation, beside the rigid motion (unit: m).
    pub displacement: Vec<DVec3>,
    /// Stress at nodes, the mean of their elements (unit: Pa).
    pub stress: Vec<[f64; 6]>,
    /// Integration points, by elements.
    pub gauss: Vec<GaussPoint>,
    /// Elements.
    pub elements: Vec<ElementMean>,
}

/// Stress at an integration point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaussPoint {
    /// Its element.
    pub element: usize,
    /// Where it would be if the block were rigid (unit: m).
    pub position: DVec3,
    /// Volume that it stands for (unit: m³).
    pub volume: f64,
    /// Stress (unit: Pa).
    pub stress: [f64; 6],
}

/// Means of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementMean {
    /// Volume (unit: m³).
    pub volume: f64,
    /// Mean stress (unit: Pa).
    pub stress: [f64; 6],
    /// Strain energy by volume (unit: J/m³).
    pub energy_density: f64,
}

/// The largest of something, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldPeak {
    /// How large.
    pub value: f64,
    /// Where, on the deformed block (unit: m).
    pub at: DVec3,
    /// The block.
    pub block: usize,
}

/// Largest values at the nodes, and the energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldExtremes {
    /// Von Mises' stress (unit: Pa).
    pub von_mises: FieldPeak,
    /// Tension: the largest principal stress; zero where there is none (unit: Pa).
    pub tension: FieldPeak,
    /// Compression: the lowest principal stress, without its sign; zero where there is none (unit: Pa).
    pub compression: FieldPeak,
    /// Displacement by deformation (unit: m).
    pub deformation: FieldPeak,
    /// Strain energy of all blocks (unit: J).
    pub strain_energy: f64,
}

impl ElasticField {
    /// Of a structure whose blocks stand so and are deformed so, in the order of
    /// [`ElasticBlocks::blocks`](super::ElasticBlocks::blocks).
    pub fn of(structure: &Structure, placements: &[Placement], deformed: &[Deformed]) -> Self {
        let all = structure.elastic.blocks.iter().zip(deformed);
        let of = |(&(block, shape), deformed): (&(u32, u32), &Deformed)| {
            let b = block as usize;
            let shape = Arc::clone(&structure.elastic.shapes[shape as usize]);
            BlockField::new(b, shape, structure.center[b], &placements[b], &deformed.displacement)
        };
        Self {
            blocks: all.map(of).collect(),
        }
    }

    /// Without some blocks: those that are not there.
    #[must_use]
    pub fn without(mut self, absent: &[bool]) -> Self {
        self.blocks.retain(|b| absent.get(b.block) != Some(&true));
        self
    }

    /// Whether no block deforms.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Largest values; nothing where no block deforms.
    pub fn extremes(&self) -> Option<FieldExtremes> {
        let first = self.blocks.first()?;
        let none = FieldPeak {
            value: 0.0,
            at: first.nodes.first().copied().unwrap_or_default(),
            block: first.block,
        };
        let mut found = FieldExtremes {
            von_mises: none,
            tension: none,
            compression: none,
            deformation: none,
            strain_energy: 0.0,
        };
        for field in &self.blocks {
            found.strain_energy += field.strain_energy();
            for node in 0..field.nodes.len() {
                let at = field.place(node);
                let take = |peak: &mut FieldPeak, value: f64| {
                    if value > peak.value {
                        let block = field.block;
                        *peak = FieldPeak { value, at, block };
                    }
                };
                let [most, _, least] = principal(&field.stress[node]);
                take(&mut found.von_mises, von_mises(&field.stress[node]));
                take(&mut found.tension, most);
                take(&mut found.compression, -least);
                take(&mut found.deformation, field.displacement[node].length());
            }
        }
        Some(found)
    }
}

impl BlockField {
    fn new(block: usize, shape: Arc<ElasticShape>, start: DVec3, placement: &Placement, u: &[DVec3]) -> Self {
        let turn = DMat3::from_quat(placement.rotation);
        let place = |p: DVec3| placement.center + turn * p;
        let elastic = &shape.elastic;
        let (mut gauss, mut elements) = (Vec::new(), Vec::new());
        elastic.for_each_element(u, |points| {
            let volume: f64 = points.iter().map(|p| p.volume).sum();
            let mean =
                |of: &dyn Fn(&[f64; 6]) -> f64| points.iter().map(|p| p.volume * of(&p.stress)).sum::<f64>() / volume;
            let stress = std::array::from_fn(|k| mean(&|s| s[k]));
            gauss.extend(points.iter().map(|p| GaussPoint {
                element: elements.len(),
                position: place(p.position),
                volume: p.volume,
                stress: turned(&p.stress, &turn),
            }));
            elements.push(ElementMean {
                volume,
                stress: turned(&stress, &turn),
                energy_density: mean(&|s| energy_density(s, &shape.elasticity)),
            });
        });
        Self {
            block,
            start: elastic.mesh().nodes.iter().map(|&x| start + x).collect(),
            nodes: elastic.mesh().nodes.iter().map(|&x| place(x)).collect(),
            displacement: u.iter().map(|&u| turn * u).collect(),
            stress: elastic.nodal_stress(u).iter().map(|s| turned(s, &turn)).collect(),
            gauss,
            elements,
            shape,
        }
    }

    /// Where a node is (unit: m).
    pub fn place(&self, node: usize) -> DVec3 {
        self.nodes[node] + self.displacement[node]
    }

    /// How far a node has come since the start, with the block and by deformation (unit: m).
    pub fn moved(&self, node: usize) -> DVec3 {
        self.place(node) - self.start[node]
    }

    /// Strain energy (unit: J).
    pub fn strain_energy(&self) -> f64 {
        self.elements.iter().map(|e| e.energy_density * e.volume).sum()
    }
}

/// A stress in other axes: R S R'.
fn turned(stress: &[f64; 6], turn: &DMat3) -> [f64; 6] {
    let [xx, yy, zz, xy, yz, zx] = *stress;
    let own = DMat3::from_cols_array(&[xx, xy, zx, xy, yy, yz, zx, yz, zz]);
    let s = *turn * own * turn.transpose();
    [s.x_axis.x, s.y_axis.y, s.z_axis.z, s.y_axis.x, s.z_axis.y, s.x_axis.z]
}

/// Half of stress times strain, by Hooke's law (unit: J/m³).
fn energy_density(stress: &[f64; 6], of: &Elasticity) -> f64 {
    let [xx, yy, zz, xy, yz, zx] = *stress;
    let trace = xx + yy + zz;
    let square = xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + yz * yz + zx * zx);
    ((1.0 + of.poisson) * square - of.poisson * trace * trace) / (2.0 * of.young)
}
