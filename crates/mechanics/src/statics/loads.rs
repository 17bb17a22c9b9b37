//! What acts on the blocks of a structure at rest.

use drystone_cone::Wrench;
use drystone_model::{Model, certificate::AppliedLoad};
use glam::DVec3;

use super::{StaticsError, Structure};

/// A force and a moment about its centre for each block.
#[derive(Clone, Debug, PartialEq)]
pub struct Loads {
    /// By block (unit: N and N m).
    pub wrenches: Vec<Wrench>,
}

impl Loads {
    /// Nothing at all.
    pub fn none(structure: &Structure) -> Self {
        Self {
            wrenches: vec![Wrench::default(); structure.len()],
        }
    }

    /// The weight of the free blocks, or any force in proportion to their mass.
    pub fn body_force(structure: &Structure, acceleration: DVec3) -> Self {
        let mut loads = Self::none(structure);
        for b in structure.free() {
            loads.wrenches[b].force = structure.mass[b] * acceleration;
        }
        loads
    }

    /// A load case of the model, without its history in time.
    pub fn case(model: &Model, structure: &Structure, name: &str) -> Result<Self, StaticsError> {
        let case = model.load_cases.get(name);
        let case = case.ok_or_else(|| StaticsError::no_such_load(name, model))?;
        let mut loads = Self::none(structure);
        for load in structure.loads_of(model, name, case)? {
            let at = load.at.unwrap_or(structure.center[load.block]);
            loads.push(structure, load.block, load.force, at);
            loads.wrenches[load.block].moment += load.couple;
        }
        Ok(loads)
    }

    /// Adds a force at a point of a block.
    pub fn push(&mut self, structure: &Structure, block: usize, force: DVec3, at: DVec3) {
        let wrench = &mut self.wrenches[block];
        wrench.force += force;
        wrench.moment += (at - structure.center[block]).cross(force);
    }

    /// The sum of these and of `factor` times others.
    #[must_use]
    pub fn plus(&self, others: &Self, factor: f64) -> Self {
        let pair = |(a, b): (&Wrench, &Wrench)| Wrench {
            force: a.force + factor * b.force,
            moment: a.moment + factor * b.moment,
        };
        Self {
            wrenches: self.wrenches.iter().zip(&others.wrenches).map(pair).collect(),
        }
    }

    /// Power on a motion of the blocks (unit: W, or J for small displacements).
    pub fn power(&self, motions: &[drystone_cone::Twist]) -> f64 {
        let one = |(w, m): (&Wrench, &drystone_cone::Twist)| w.force.dot(m.linear) + w.moment.dot(m.angular);
        self.wrenches.iter().zip(motions).map(one).sum()
    }

    /// The sum of the sizes of all forces on free blocks (unit: N): what other forces are compared with. Moments count by
    /// the size of a block.
    pub fn size(&self, structure: &Structure) -> f64 {
        let one = |b: usize| {
            let w = &self.wrenches[b];
            w.force.length().max(w.moment.length() / structure.length)
        };
        let sum: f64 = structure.free().map(one).sum();
        if sum > 0.0 { sum } else { 1.0 }
    }

    /// The mean of the sizes of the forces on free blocks (unit: N).
    pub(super) fn mean(&self, structure: &Structure) -> f64 {
        self.size(structure) / structure.free().count().max(1) as f64
    }

    /// The loads on free blocks one by one: those of a block as one force at its centre with a couple.
    pub fn listed(&self, structure: &Structure) -> Vec<AppliedLoad> {
        let acts = |b: &usize| self.wrenches[*b] != Wrench::default();
        let one = |b: usize| AppliedLoad {
            block: structure.names[b].clone(),
            force: self.wrenches[b].force,
            at: structure.center[b],
            couple: self.wrenches[b].moment,
        };
        structure.free().filter(acts).map(one).collect()
    }

    /// Whether nothing acts on any free block.
    pub fn is_nothing(&self, structure: &Structure) -> bool {
        structure.free().all(|b| self.wrenches[b] == Wrench::default())
    }
}
