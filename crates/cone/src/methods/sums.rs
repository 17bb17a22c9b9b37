//! What the interior-point method sums over the constraints, to know how far it is.

use super::outer::Convex;
use crate::{
    lanes::{Four, sum_of},
    measure::root,
};

/// Sums over the constraints at one point of the way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    /// r . z, for mu.
    pub(super) product: f64,
    /// What bounds the square of the velocity error.
    pub(super) gap: f64,
    /// The square of the natural map, and of q.
    pub(super) map: f64,
    pub(super) load: f64,
    /// Work of the impulses on the velocities that they cause.
    pub(super) caused: f64,
    /// Squares of those velocities, and work of the offsets: for the proof that no velocity will do.
    pub(super) moved: f64,
    pub(super) offsets: f64,
}

impl Sums {
    /// From sums that were kept lane by lane.
    pub(super) fn of(lanes: &[Four; 7]) -> Self {
        let total = |k: usize| sum_of(&lanes[k]);
        Self {
            product: total(0),
            gap: total(1),
            map: total(2),
            load: total(3),
            caused: total(4),
            moved: total(5),
            offsets: total(6),
        }
    }

    /// The merit that must fall below the tolerance: see [`crate::measure`].
    pub(super) fn merit(&self, convex: &Convex<'_>, unbalanced: f64) -> f64 {
        if convex.by_velocity {
            let gap = 0.5 * (unbalanced.sqrt() + (unbalanced + 4.0 * self.gap).sqrt());
            root(gap * gap, self.caused)
        } else {
            root(self.map, self.load)
        }
    }
}
