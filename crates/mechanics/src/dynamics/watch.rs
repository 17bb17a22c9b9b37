//! When a structure has collapsed.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{Simulation, State};
use crate::Structure;

/// What counts as a collapse. Any of the criteria that are set is enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collapse {
    /// Fraction of the potential energy, measured from the foundation, whose loss is a global collapse (default: 0.2,
    /// paper 003 section 4.5.2).
    pub potential_drop: Option<f64>,
    /// Displacement of the centre of a block relative to the ground that is a partial collapse (unit: m; default: none).
    pub displacement: Option<f64>,
    /// Fraction of the free blocks, by number, whose fall by more than their own size is a partial collapse (default: 0.1).
    pub fallen: Option<f64>,
}

impl Default for Collapse {
    fn default() -> Self {
        Self {
            potential_drop: Some(0.2),
            displacement: None,
            fallen: Some(0.1),
        }
    }
}

/// How much of a structure has collapsed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CollapseExtent {
    /// No criterion is met.
    #[default]
    None,
    /// So many blocks have fallen, or one has moved so far, as the criteria say; most of the potential energy is left.
    Partial,
    /// As much of the potential energy is lost as the criteria say.
    Global,
}

impl CollapseExtent {
    /// The word for it in summaries: `none`, `partial` or `global`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Partial => "partial",
            Self::Global => "global",
        }
    }

    /// Whether anything has collapsed.
    pub fn is_collapse(self) -> bool {
        self != Self::None
    }
}

impl Collapse {
    /// How much has collapsed of a structure that has lost `potential_drop` of its potential energy, whose farthest block
    /// has moved by `displacement` (m), and of whose blocks the fraction `fallen` has fallen by more than their size.
    pub fn extent(&self, potential_drop: f64, displacement: f64, fallen: f64) -> CollapseExtent {
        let reaches = |value: f64, limit: Option<f64>| limit.is_some_and(|limit| value >= limit);
        if reaches(potential_drop, self.potential_drop) {
            CollapseExtent::Global
        } else if reaches(displacement, self.displacement) || reaches(fallen, self.fallen) {
            CollapseExtent::Partial
        } else {
            CollapseExtent::None
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
        let height = |b: usize| structure.center[b].dot(up) - lowest;
        Self {
            criteria,
            reference: structure.free().map(|b| weight(b) * height(b)).sum(),
            weight: structure.free_mass() * structure.gravity,
        }
    }

    /// Fraction of the potential energy that is lost, beyond what a ground that has moved took with it.
    pub fn potential_drop(&self, simulation: &Simulation) -> f64 {
        if self.reference > 0.0 {
            let carried = self.weight.dot(simulation.ground_displacement());
            -(simulation.state().energies.potential + carried) / self.reference
        } else {
            0.0
        }
    }

    /// How much of the structure had collapsed at the end of the last step.
    pub fn extent(&self, simulation: &Simulation) -> CollapseExtent {
        let step = simulation.last_step();
        self.criteria
            .extent(self.potential_drop(simulation), step.max_displacement, step.fallen)
    }
}

/// Largest displacement of the centre of a free block since the start, relative to a ground that has moved by `ground` (m).
pub fn max_displacement(structure: &Structure, state: &State, ground: DVec3) -> f64 {
    let moved = |b: usize| (state.placements[b].center - structure.center[b]).distance(ground);
    structure.free().map(moved).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Broke: a structure of which more than half lay on the ground was told not to have collapsed, because only the
    /// potential energy was looked at.
    #[test]
    fn what_has_fallen_in_part_has_collapsed_in_part() {
        let criteria = Collapse::default();
        assert_eq!(criteria.extent(0.15, 3.0, 0.53), CollapseExtent::Partial);
        assert_eq!(criteria.extent(0.25, 3.0, 0.0), CollapseExtent::Global);
        assert_eq!(criteria.extent(0.01, 3.0, 0.05), CollapseExtent::None);
        let strict = Collapse {
            displacement: Some(0.5),
            ..criteria
        };
        assert_eq!(strict.extent(0.01, 0.6, 0.0), CollapseExtent::Partial);
        assert!(CollapseExtent::Global > CollapseExtent::Partial && !CollapseExtent::None.is_collapse());
    }
}
