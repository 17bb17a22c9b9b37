//! What acts on the blocks beside the forces of joints: weight and applied loads.

use drystone_model::certificate::CertifiedSituation;
use glam::DVec3;

use crate::{bodies::Bodies, cases, wide::WideVector};

/// Sums of forces beyond which products with lengths leave the range of numbers (N).
const RANGE: std::ops::RangeInclusive<f64> = 1e-150..=1e150;

/// A force and a moment about the centre of mass of a block.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wrench {
    force: WideVector,
    moment: WideVector,
}

impl Wrench {
    /// Adds `sign` times a force at a point of a block with a centre.
    pub(crate) fn add(&mut self, sign: f64, force: DVec3, at: DVec3, center: DVec3) {
        self.force.add(sign * force);
        self.moment.add_cross(sign, at, center, force);
    }

    /// Adds a force at the centre.
    pub(crate) fn push(&mut self, force: DVec3) {
        self.force.add(force);
    }

    /// Adds a couple.
    pub(crate) fn twist(&mut self, couple: DVec3) {
        self.moment.add(couple);
    }

    pub(crate) fn force(&self) -> DVec3 {
        self.force.value()
    }

    pub(crate) fn moment(&self) -> DVec3 {
        self.moment.value()
    }
}

/// The loads on all blocks.
pub(crate) struct Loads {
    /// By block.
    pub(crate) wrenches: Vec<Wrench>,
    /// What each block's own load is (N): its weight, the size of the sum of the forces applied to it, and that of their
    /// moment over the block's size. Of a block on which nothing acts, the least of any other. Zero for supports.
    pub(crate) own: Vec<f64>,
    /// For each free block, its weight and the size of what else acts on it, added up (N). Loads on supports count for
    /// nothing, nor do loads on one block that cancel each other.
    pub(crate) weight: f64,
    /// What forces and powers are measured by (N): the weight, or where couples alone act, these over the sizes of their blocks.
    pub(crate) scale: f64,
}

impl Loads {
    /// The loads of a situation, or why they cannot be told.
    pub(crate) fn of(situation: &CertifiedSituation, bodies: &Bodies) -> Result<Self, String> {
        let gravity = situation.gravity;
        let count = bodies.all.len();
        let mut applied = vec![Wrench::default(); count];
        for load in &situation.loads {
            let block = bodies.find(&load.block)?;
            applied[block].add(1.0, load.force, load.at, bodies.all[block].center);
            applied[block].twist(load.couple);
        }
        for case in &situation.load_cases {
            cases::add(&case.name, case.factor, bodies, &mut applied)?;
        }
        let (mut weight, mut own) = (0.0, vec![0.0; count]);
        for k in (0..count).filter(|&k| !bodies.fixed[k]) {
            let force = bodies.mass[k] * gravity.length() + applied[k].force().length();
            weight += force;
            own[k] = force + applied[k].moment().length() / bodies.all[k].size;
            applied[k].push(bodies.mass[k] * gravity);
        }
        let scale = if weight > 0.0 { weight } else { own.iter().sum() };
        if !(RANGE.contains(&scale) && own.iter().all(|o| o.is_finite())) {
            return Err(format!(
                "weight and loads add up to {scale} N: nothing to measure forces by"
            ));
        }
        let least = own.iter().copied().filter(|&o| o > 0.0).fold(f64::INFINITY, f64::min);
        for k in (0..count).filter(|&k| !bodies.fixed[k]) {
            own[k] = if own[k] > 0.0 { own[k] } else { least };
        }
        Ok(Self {
            wrenches: applied,
            own,
            weight,
            scale,
        })
    }
}
