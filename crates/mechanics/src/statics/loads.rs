//! What acts on the blocks of a structure at rest.

use drystone_cone::Wrench;
use drystone_model::Model;
use glam::DVec3;

use super::{Assembly, StaticsError};
use crate::StructureError;

/// A force and a moment about its centre for each block.
#[derive(Clone, Debug, PartialEq)]
pub struct Loads {
    /// By block (unit: N and N m).
    pub wrenches: Vec<Wrench>,
}

impl Loads {
    /// Nothing at all.
    pub fn none(assembly: &Assembly) -> Self {
        Self {
            wrenches: vec![Wrench::default(); assembly.len()],
        }
    }

    /// The weight of the free blocks, or any force in proportion to their mass.
    pub fn body_force(assembly: &Assembly, acceleration: DVec3) -> Self {
        let mut loads = Self::none(assembly);
        for b in assembly.free() {
            loads.wrenches[b].force = assembly.mass[b] * acceleration;
        }
        loads
    }

    /// A load case of the model, without its history in time.
    pub fn case(model: &Model, assembly: &Assembly, name: &str) -> Result<Self, StaticsError> {
        let case = model.load_cases.get(name);
        let case = case.ok_or_else(|| StaticsError::no_such_load(name, model))?;
        let mut loads = Self::none(assembly);
        let find = |block: &String| {
            let position = assembly.names.iter().position(|n| n == block);
            position.ok_or_else(|| StructureError::NoSuchBlock {
                what: format!("load case `{name}`"),
                name: block.clone(),
            })
        };
        for force in &case.forces {
            let block = find(&force.block)?;
            loads.push(assembly, block, force.force, force.at.unwrap_or(assembly.center[block]));
        }
        for couple in &case.couples {
            let block = find(&couple.block)?;
            loads.wrenches[block].moment += couple.moment;
        }
        for body in &case.body {
            for b in assembly.free() {
                let group = model.blocks[b].group.as_ref();
                if body.groups.is_empty() || group.is_some_and(|g| body.groups.contains(g)) {
                    loads.wrenches[b].force += assembly.mass[b] * body.acceleration;
                }
            }
        }
        Ok(loads)
    }

    /// Adds a force at a point of a block.
    pub fn push(&mut self, assembly: &Assembly, block: usize, force: DVec3, at: DVec3) {
        let wrench = &mut self.wrenches[block];
        wrench.force += force;
        wrench.moment += (at - assembly.center[block]).cross(force);
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
    pub fn size(&self, assembly: &Assembly) -> f64 {
        let one = |b: usize| {
            let w = &self.wrenches[b];
            w.force.length().max(w.moment.length() / assembly.length)
        };
        let sum: f64 = assembly.free().map(one).sum();
        if sum > 0.0 { sum } else { 1.0 }
    }

    /// Whether nothing acts on any free block.
    pub fn is_nothing(&self, assembly: &Assembly) -> bool {
        assembly.free().all(|b| self.wrenches[b] == Wrench::default())
    }
}
