//! When a structure has collapsed, and when it has come to rest.

use glam::DVec3;

use super::State;
use crate::Structure;

/// What counts as a collapse. Any of the criteria that are set is enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collapse {
    /// Part of the potential energy, measured from the foundation, that is lost (default: 0.2, paper 003 section 4.5.2).
    pub potential_drop: Option<f64>,
    /// Displacement of the centre of a block relative to the ground (unit: m; default: none).
    pub displacement: Option<f64>,
    /// Part of the free blocks, by number, that have fallen by more than their own size (default: none).
    pub fallen: Option<f64>,
}

impl Default for Collapse {
    fn default() -> Self {
        Self {
            potential_drop: Some(0.2),
            displacement: None,
            fallen: None,
        }
    }
}

/// Watches a structure.
#[derive(Clone, Debug)]
pub struct Watch {
    criteria: Collapse,
    /// Potential energy at first, from the foundation (J).
    reference: f64,
    /// Weight of all free blocks (N).
    weight: DVec3,
}

impl Watch {
    /// Watches a structure for some criteria.
    pub fn new(structure: &Structure, criteria: Collapse) -> Self {
        let up = -structure.gravity.normalize_or_zero();
        // The foundation is as high as the lowest corner of what stands on it.
        let lowest = structure
            .free()
            .map(|b| structure.lowest(b, up))
            .fold(f64::INFINITY, f64::min);
        let weight = |b: usize| structure.mass[b] * structure.gravity.length();
        let height = |b: usize| structure.initial[b].center.dot(up) - lowest;
        Self {
            criteria,
            reference: structure.free().map(|b| weight(b) * height(b)).sum(),
            weight: structure.free_mass() * structure.gravity,
        }
    }

    /// Part of the potential energy that is lost, beyond what a ground that has moved by `ground` took with it.
    pub fn potential_drop(&self, state: &State, ground: DVec3) -> f64 {
        if self.reference > 0.0 {
            -(state.energies.potential + self.weight.dot(ground)) / self.reference
        } else {
            0.0
        }
    }

    /// Whether the structure has collapsed.
    pub fn has_collapsed(&self, structure: &Structure, state: &State, ground: DVec3) -> bool {
        let Collapse {
            potential_drop,
            displacement,
            fallen,
        } = self.criteria;
        let by_energy = potential_drop.is_some_and(|limit| self.potential_drop(state, ground) >= limit);
        let by_displacement = || displacement.is_some_and(|limit| max_displacement(structure, state, ground) >= limit);
        let by_fall = || fallen.is_some_and(|limit| fallen_part(structure, state, ground) >= limit);
        by_energy || by_displacement() || by_fall()
    }
}

/// Largest displacement of the centre of a free block since the start, relative to a ground that has moved by `ground` (m).
pub fn max_displacement(structure: &Structure, state: &State, ground: DVec3) -> f64 {
    let moved = |b: usize| (state.placements[b].center - structure.initial[b].center).distance(ground);
    structure.free().map(moved).fold(0.0, f64::max)
}

/// Part of the free blocks, by number, that have fallen by more than their own size, relative to a ground that has moved by
/// `ground` (m).
pub fn fallen_part(structure: &Structure, state: &State, ground: DVec3) -> f64 {
    let down = structure.gravity.normalize_or_zero();
    let has_fallen = |&b: &usize| {
        let moved = state.placements[b].center - structure.initial[b].center - ground;
        moved.dot(down) > 2.0 * structure.radius[b]
    };
    let all = structure.free().count().max(1);
    structure.free().filter(has_fallen).count() as f64 / all as f64
}
