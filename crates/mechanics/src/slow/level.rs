//! What acts at a place of a path.

use drystone_contact::Placement;
use drystone_model::Stage;
use glam::{DQuat, DVec3};

use super::{Path, blocks_of};
use crate::dynamics::{Acting, HeldPoint};

/// What acts at one place of a path.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Level {
    pub(super) gravity: f64,
    pub(super) tilt: DVec3,
    pub(super) factors: Vec<f64>,
    pub(super) shrinkage: f64,
    /// Motion of each support: shift, rotation and the point it is about.
    pub(super) moved: Vec<(usize, DVec3, DVec3, Option<DVec3>)>,
}

impl Path {
    /// What a stage ends with.
    pub(super) fn target(&self, k: usize, stage: &Stage) -> Level {
        let mut to = self.level.clone();
        to.gravity = stage.gravity.unwrap_or(if k == 0 { 1.0 } else { to.gravity });
        to.shrinkage = stage.shrinkage_m.unwrap_or(to.shrinkage);
        if let Some(tilt) = stage.tilt {
            to.tilt = tilt.axis.normalize_or_zero() * tilt.angle_deg.to_radians();
        }
        for (name, factor) in &stage.loads {
            if let Some(at) = self.load_cases.iter().position(|l| l == name) {
                to.factors[at] = *factor;
            }
        }
        for moved in &stage.moves {
            let turn = moved.turn_deg.map(f64::to_radians);
            for b in blocks_of(&self.model, &moved.blocks) {
                to.moved.push((b, moved.by, turn, moved.about));
            }
        }
        to
    }

    pub(super) fn acting(&self, level: &Level, held: Option<HeldPoint>, closed: f64, ahead: f64) -> Acting {
        // The structure is tilted: gravity turns the other way.
        let gravity = DQuat::from_scaled_axis(-level.tilt) * self.simulation.structure().gravity;
        Acting {
            gravity: level.gravity * gravity,
            weights: self.weights.clone(),
            factors: level.factors.clone(),
            supports: self.support_placements(level),
            shrinkage: level.shrinkage,
            held,
            closed,
            ahead,
        }
    }

    /// Where supports are that any stage has moved.
    pub(super) fn support_placements(&self, level: &Level) -> Vec<(usize, Placement)> {
        let mut placed = self.supports.clone();
        for &(b, by, turn, about) in &level.moved {
            let at = placed.iter().position(|(known, _)| *known == b).unwrap_or_else(|| {
                placed.push((b, self.initial[b]));
                placed.len() - 1
            });
            let placement = &mut placed[at].1;
            let rotation = DQuat::from_scaled_axis(turn);
            let pivot = about.unwrap_or(placement.center);
            placement.center = pivot + rotation * (placement.center - pivot) + by;
            placement.rotation = (rotation * placement.rotation).normalize();
        }
        placed
    }
}

pub(super) fn between(from: &Level, to: &Level, at: f64) -> Level {
    let mix = |a: f64, b: f64| if at == 1.0 { b } else { a + at * (b - a) };
    Level {
        gravity: mix(from.gravity, to.gravity),
        tilt: from.tilt + at * (to.tilt - from.tilt),
        factors: from.factors.iter().zip(&to.factors).map(|(a, b)| mix(*a, *b)).collect(),
        shrinkage: mix(from.shrinkage, to.shrinkage),
        moved: (to.moved.iter())
            .map(|&(b, by, turn, about)| (b, at * by, at * turn, about))
            .collect(),
    }
}
