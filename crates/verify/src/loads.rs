//! What acts on the blocks beside the forces of joints: weight and applied loads.

use drystone_model::certificate::Situation;
use glam::DVec3;

use crate::bodies::Bodies;

/// A force and a moment about the centre of mass of a block.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wrench {
    pub(crate) force: DVec3,
    pub(crate) moment: DVec3,
}

impl Wrench {
    /// Adds a force at a point, `arm` away from the centre.
    pub(crate) fn add(&mut self, force: DVec3, arm: DVec3) {
        self.force += force;
        self.moment += arm.cross(force);
    }
}

/// The loads on all blocks.
pub(crate) struct Loads {
    /// By block.
    pub(crate) wrenches: Vec<Wrench>,
    /// For each free block, its weight and the size of what else acts on it, added up (N): what forces are measured by.
    /// Loads on supports count for nothing, nor do loads on one block that cancel each other.
    pub(crate) weight: f64,
}

impl Loads {
    /// The loads of a situation, or why they cannot be told.
    pub(crate) fn of(situation: &Situation, bodies: &Bodies) -> Result<Self, String> {
        let gravity = situation.gravity;
        let mut wrenches: Vec<Wrench> = Vec::with_capacity(bodies.all.len());
        let mut weight = 0.0;
        for body in &bodies.all {
            wrenches.push(Wrench {
                force: body.mass * gravity,
                moment: DVec3::ZERO,
            });
        }
        let mut applied = vec![DVec3::ZERO; bodies.all.len()];
        for load in &situation.loads {
            let block = bodies.find(&load.block)?;
            wrenches[block].add(load.force, load.at - bodies.all[block].center);
            wrenches[block].moment += load.couple;
            applied[block] += load.force;
        }
        for (body, applied) in bodies.all.iter().zip(&applied).filter(|(body, _)| !body.fixed) {
            weight += body.mass * gravity.length() + applied.length();
        }
        if weight > 0.0 && weight.is_finite() {
            Ok(Self { wrenches, weight })
        } else {
            Err(format!(
                "weight and loads add up to {weight} N: nothing to measure forces by"
            ))
        }
    }
}
