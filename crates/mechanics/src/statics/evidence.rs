//! What a verdict rests on, with what was measured of it. Every number has one meaning.
//!
//! What is here was found, not proven: `drystone-verify` proves it, from a certificate and the model alone.

use drystone_cone::Wrench;
use glam::DVec3;

use super::{Loads, Structure, equilibrium::Forces};

const TUNING: crate::statics::tuning::Acceptance = crate::statics::Tuning::DEFAULT.acceptance;

/// What a verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// Nothing was found.
    Nothing,
    /// An admissible force distribution: forces within the friction limits that balance the loads.
    Forces(Balanced),
    /// The same, mobilised by a small displacement that closes an opening of every joint (paper 004, eq. 11).
    Mobilised {
        /// How well the forces balance the loads.
        balance: Balanced,
        /// Largest error of eq. 11, in openings and in loads.
        error: f64,
        /// What every joint has to close before it acts (unit: m).
        opening: f64,
        /// Largest motion at a joint, in openings: the nearer the limit, the larger.
        reach: f64,
    },
    /// A collapse mechanism: a motion that no joint resists and on which the loads do work, so that no forces balance them.
    Mechanism(Driven),
    /// Each round of closing the joints asks for more motion, without end, where self-stress is not allowed. No proof.
    Growth {
        /// Ratio of the last two rounds.
        ratio: f64,
        /// The motion that the rounds tend to. Joints slide in it without opening.
        motion: Driven,
    },
}

/// How well forces balance the loads, and how far they keep from the friction limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balanced {
    /// Largest force left over on a block, over the loads on all blocks; moments by the radius of the block.
    pub unbalanced: f64,
    /// The same over the block's own load: its weight and what else acts on it, whatever its joints carry.
    pub unbalanced_alone: f64,
    /// Smallest distance of a contact force to the boundary of its cone, over the loads on all blocks.
    pub cone_margin: f64,
}

/// How well a motion proves a fall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Driven {
    /// Largest velocity at which a joint closes against its law, over that of the fastest point.
    pub closing: f64,
    /// Power of the loads, over their size times the speed of the fastest point.
    pub power: f64,
}

impl Evidence {
    /// What was measured of the forces, where it rests on forces.
    pub fn balance(&self) -> Option<Balanced> {
        match *self {
            Self::Forces(balance) | Self::Mobilised { balance, .. } => Some(balance),
            Self::Nothing | Self::Mechanism(_) | Self::Growth { .. } => None,
        }
    }

    /// What was measured of the motion, where it rests on one.
    pub fn motion(&self) -> Option<Driven> {
        match *self {
            Self::Mechanism(motion) | Self::Growth { motion, .. } => Some(motion),
            Self::Nothing | Self::Forces(_) | Self::Mobilised { .. } => None,
        }
    }

    /// Its name in results.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Forces(_) => "forces",
            Self::Mobilised { .. } => "mobilised_forces",
            Self::Mechanism(_) => "mechanism",
            Self::Growth { .. } => "growth",
        }
    }
}

impl Balanced {
    /// Measures forces against the loads, block by block.
    pub(super) fn of(structure: &Structure, loads: &Loads, forces: &Forces) -> Self {
        let left = left_over(structure, loads, forces);
        let size = loads.size(structure);
        let own = own_loads(structure, loads);
        let (mut unbalanced, mut alone) = (0.0_f64, 0.0_f64);
        let larger = |a: f64, b: f64| if b.is_nan() { f64::INFINITY } else { a.max(b) };
        for b in structure.free() {
            let unheld = by_radius(structure, b, &left[b]);
            unbalanced = larger(unbalanced, unheld / size);
            // A load may cancel the weight; what must be carried is then still of the weight's size.
            let weight = structure.mass[b] * structure.gravity.length();
            alone = larger(alone, unheld / own[b].max(weight));
        }
        let margin = |(p, f): (&super::ContactPoint, &DVec3)| {
            let normal = f.dot(p.normal);
            let across = (*f - normal * p.normal).length();
            let mu = structure.friction(p);
            let within = (mu * normal - across) / (1.0 + mu * mu).sqrt();
            if normal < 0.0 { within.min(normal) } else { within }
        };
        let margins = structure.points.iter().zip(&forces.contact).map(margin);
        Self {
            unbalanced,
            unbalanced_alone: alone,
            cone_margin: margins.fold(
                f64::INFINITY,
                |a, b| if b.is_nan() { f64::NEG_INFINITY } else { a.min(b) },
            ) / size,
        }
    }

    /// Whether the loads count as balanced on every block, by the measure of all loads and by that of its own.
    pub fn holds(&self) -> bool {
        self.unbalanced <= TUNING.balanced && self.unbalanced_alone <= TUNING.balanced_alone
    }

    /// Whether every force lies within its friction cone.
    pub fn is_within_cones(&self) -> bool {
        self.cone_margin >= -TUNING.rounding
    }

    /// Both measures of the balance as one, which `Tuning` bounds.
    pub(super) fn worst(&self) -> f64 {
        self.unbalanced
            .max(self.unbalanced_alone * (TUNING.balanced / TUNING.balanced_alone))
    }
}

fn by_radius(structure: &Structure, b: usize, w: &Wrench) -> f64 {
    w.force.length().max(w.moment.length() / structure.radius[b])
}

/// What acts on each block (N). Of a block on which nothing acts, the mean of all.
pub(super) fn own_loads(structure: &Structure, loads: &Loads) -> Vec<f64> {
    let mean = loads.mean(structure);
    let one = |b: usize| Some(by_radius(structure, b, &loads.wrenches[b])).filter(|own| *own > 0.0);
    (0..structure.len()).map(|b| one(b).unwrap_or(mean)).collect()
}

/// What forces leave of the loads on each block.
pub(super) fn left_over(structure: &Structure, loads: &Loads, forces: &Forces) -> Vec<Wrench> {
    let mut left = loads.wrenches.clone();
    let mut act = |b: u32, force: DVec3, at: DVec3| {
        let w = &mut left[b as usize];
        w.force += force;
        w.moment += (at - structure.center[b as usize]).cross(force);
    };
    for (k, (point, force)) in structure.points.iter().zip(&forces.contact).enumerate() {
        let tension = forces.tension.get(k).copied().unwrap_or(0.0);
        let total = *force - tension * point.normal;
        act(point.blocks[1], total, point.position);
        act(point.blocks[0], -total, point.position);
    }
    for (tie, tension) in structure.ties.iter().zip(&forces.ties) {
        let pull = (tie.ends[1] - tie.ends[0]).normalize_or_zero() * *tension;
        act(tie.blocks[0], pull, tie.ends[0]);
        act(tie.blocks[1], -pull, tie.ends[1]);
    }
    left
}
