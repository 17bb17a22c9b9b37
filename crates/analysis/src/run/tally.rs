//! What the steps of a run came to, kept as they are taken: it is part of a checkpoint, and so of the whole run, also
//! where that was stopped and gone on with.

use drystone_mechanics::dynamics::{CollapseExtent, Simulation};
use serde::{Deserialize, Serialize};

/// Shortest and longest time of a step that are told apart (unit: ms), and how finely: buckets for each factor of ten.
const SHORTEST_MS: f64 = 1e-4;
const LONGEST_MS: f64 = 1e8;
const BUCKETS: f64 = 250.0;

/// What steps came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// How many steps took how long: `(bucket, steps)` by rising bucket.
    durations: Vec<(u32, u64)>,
    /// Time spent on detection, on solving, and in all (unit: s).
    pub detect_s: f64,
    /// See `detect_s`.
    pub solve_s: f64,
    /// See `detect_s`.
    pub total_s: f64,
    /// The worst residual.
    pub worst_residual: f64,
    /// Steps whose residual is above the tolerance.
    pub steps_above_tolerance: usize,
    /// Steps in which constraints were relaxed.
    pub steps_relaxed: usize,
    /// How far one is from being met then, at most (unit: m).
    pub max_relaxed: f64,
    /// Steps in which Coulomb's law was met to less than the tolerance, the slip held.
    pub steps_slip_opened: usize,
    /// The most that a joint opened or closed by that in a step (unit: m).
    pub max_slip_opening: f64,
    /// Steps in which restitution was lowered.
    pub steps_restitution_lowered: usize,
    /// Deepest overlap (unit: m).
    pub overlap: f64,
    /// The deepest over the size of the smaller block of its pair.
    pub overlap_fraction: f64,
    /// The largest compression of a joint, over the same.
    pub compression_fraction: f64,
    /// Iterations of the contact solver.
    pub iterations: usize,
    /// Largest fraction of the potential energy that was lost.
    pub max_potential_drop: f64,
    /// That at the end.
    pub potential_drop: f64,
    /// Fraction of the blocks that have fallen, at the end.
    pub fallen: f64,
    /// The worst extent of a collapse.
    pub collapse: CollapseExtent,
    /// When anything had collapsed first (unit: s).
    pub collapse_time: Option<f64>,
}

impl Tally {
    /// Adds the last step of a simulation, after which `drop` of the potential energy is lost.
    pub(super) fn add(&mut self, simulation: &Simulation, drop: f64, extent: CollapseExtent) {
        let step = simulation.last_step();
        let times = &step.times;
        self.add_duration(1e3 * times.total_s());
        self.detect_s += times.detect_s;
        self.solve_s += times.solve_s;
        self.total_s += times.total_s();
        self.worst_residual = self.worst_residual.max(step.residual);
        // What is not within the tolerance counts, a NaN too.
        let is_solved = step.residual <= simulation.settings().solver_tolerance();
        self.steps_above_tolerance += usize::from(!is_solved);
        self.steps_relaxed += usize::from(step.relaxed > 0.0);
        self.max_relaxed = self.max_relaxed.max(step.relaxed);
        self.steps_slip_opened += usize::from(step.slip_opening > 0.0);
        self.max_slip_opening = self.max_slip_opening.max(step.slip_opening);
        self.steps_restitution_lowered += usize::from(step.rebound_lost > 0.0);
        self.overlap = self.overlap.max(step.overlap);
        self.overlap_fraction = self.overlap_fraction.max(step.relative_overlap);
        self.compression_fraction = self.compression_fraction.max(step.relative_compression);
        self.iterations += step.iterations;
        self.max_potential_drop = self.max_potential_drop.max(drop);
        self.potential_drop = drop;
        self.fallen = step.fallen;
        self.collapse = self.collapse.max(extent);
        if extent.is_collapse() {
            self.collapse_time.get_or_insert(simulation.state().time);
        }
    }

    fn add_duration(&mut self, ms: f64) {
        let bucket = ((ms.clamp(SHORTEST_MS, LONGEST_MS) / SHORTEST_MS).log10() * BUCKETS) as u32;
        match self.durations.binary_search_by_key(&bucket, |(b, _)| *b) {
            Ok(k) => self.durations[k].1 += 1,
            Err(k) => self.durations.insert(k, (bucket, 1)),
        }
    }

    /// The median time of a step (unit: ms), to 0.5 %.
    pub fn step_ms_median(&self) -> f64 {
        let all: u64 = self.durations.iter().map(|(_, steps)| steps).sum();
        let mut before = 0;
        for (bucket, steps) in &self.durations {
            before += steps;
            if 2 * before > all {
                return SHORTEST_MS * 10_f64.powf((f64::from(*bucket) + 0.5) / BUCKETS);
            }
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_time_of_a_step_is_told_to_half_a_per_cent() {
        let mut tally = Tally::default();
        assert_eq!(tally.step_ms_median(), 0.0);
        for k in 0..999 {
            // From 0.01 to 100 ms, the one in the middle being 1 ms.
            tally.add_duration(10_f64.powf(f64::from(k - 499) / 249.5));
        }
        assert!(
            (tally.step_ms_median() - 1.0).abs() < 5e-3,
            "{}",
            tally.step_ms_median()
        );
    }
}
