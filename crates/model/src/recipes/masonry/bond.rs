//! Where the vertical joints of one stretch of a course go.
//!
//! Joints may stand on a raster of eighths of a unit. Of all ways to choose them, the cheapest is taken: stones as long
//! as a unit, joints half a unit from those above and below, and on the wall's regular pattern where that is free. A
//! plain wall so gets exact running bond with half units at its ends; beside openings and corners the same rule makes
//! the closers that a mason would cut.

use super::span::Span;

/// The regular pattern of a wall: joints at `origin + i unit`, shifted by half a unit on odd courses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bond {
    pub(super) origin: f64,
    pub(super) unit: f64,
}

/// No stone is shorter than this fraction of a unit unless its stretch is.
const SHORTEST: f64 = 0.45;
/// Nothing is gained by a stone longer than this many units, apart from what must not be cut.
const LONGEST: f64 = 3.0;
/// How much longer than it must be a stone may get for free where it must not be cut, in units.
const RUN_ON: f64 = 0.75;
/// What a joint off the regular pattern costs: above 1/8, so that a half unit is not evened out with its neighbour.
const OFF_PATTERN: f64 = 0.2;
/// Eighths of a unit: fine enough to stagger closers, coarse enough to look laid.
const RASTER: f64 = 8.0;

impl Bond {
    /// A pattern for a wall between `lo` and `hi`: a whole number of units, as near `unit` as that allows. Half a unit
    /// left over would make the pattern differ at the two ends of a wall.
    pub(super) fn fitted(lo: f64, hi: f64, unit: f64) -> Self {
        let units = ((hi - lo) / unit).round().max(1.0);
        Self {
            origin: lo,
            unit: (hi - lo) / units,
        }
    }

    /// Positions of the joints within a stretch. `whole` are intervals that no joint may cut (lintels, corners);
    /// `beside` are the joints of the courses above and below, in order.
    pub(super) fn joints(&self, course: usize, span: &Span, whole: &[(f64, f64)], beside: &[f64]) -> Vec<f64> {
        let whole = merged(whole, 0.25 * self.unit);
        let places = self.places(course, span, &whole);
        let end = places.len() + 1;
        let at = |n: usize| match n {
            0 => span.left.mean(),
            n if n == end => span.right.mean(),
            n => places[n - 1].0,
        };
        // best[n] is the least cost of laying everything up to place n, and the place before it.
        let mut best = vec![(f64::INFINITY, 0); end + 1];
        best[0].0 = 0.0;
        for n in 1..=end {
            let joint = if n == end {
                0.0
            } else {
                self.joint_cost(places[n - 1].0, beside) + if places[n - 1].1 { 0.0 } else { OFF_PATTERN }
            };
            // Only a stone that ends at something that must not be cut can be worth more than LONGEST.
            let longest = LONGEST * self.unit;
            let ending_here = whole.iter().filter(|w| w.0 < at(n) && w.1 > at(n) - longest);
            let reach = longest + ending_here.map(|w| w.1 - w.0).fold(0.0, f64::max);
            for m in (0..n).rev() {
                let length = at(n) - at(m);
                if length > reach && best[n].0.is_finite() {
                    break;
                }
                let cost = best[m].0 + self.stone_cost(at(m), at(n), &whole) + joint;
                if cost < best[n].0 {
                    best[n] = (cost, m);
                }
            }
        }
        let mut joints = Vec::new();
        let mut n = best[end].1;
        while n > 0 {
            joints.push(at(n));
            n = best[n].1;
        }
        joints.reverse();
        joints
    }

    /// Places where a joint may stand, in order, and whether each belongs to the wall's regular pattern.
    fn places(&self, course: usize, span: &Span, whole: &[(f64, f64)]) -> Vec<(f64, bool)> {
        let shortest = SHORTEST * self.unit;
        let (lo, hi) = (span.left.most() + shortest, span.right.least() - shortest);
        let step = self.unit / RASTER;
        let shift = if course.is_multiple_of(2) { 0.0 } else { 0.5 * RASTER };
        let index = |x: f64| (x - self.origin) / step;
        let first = index(lo).ceil() as i64;
        let last = index(hi).floor() as i64;
        let on_raster = (first..=last).map(|i| {
            let regular = (i as f64 - shift).rem_euclid(RASTER) == 0.0;
            (self.origin + i as f64 * step, regular)
        });
        let halves = |from: f64, sign: f64| {
            let count = ((hi - lo) / (0.5 * self.unit) + 2.0).max(0.0) as i64;
            (1..=count).map(move |i| (from + sign * 0.5 * i as f64 * self.unit, false))
        };
        // Jambs and corners off the raster get whole and half units counted from them.
        let from_ends = halves(span.left.most(), 1.0).chain(halves(span.right.least(), -1.0));
        let cuts = |x: f64| {
            whole
                .iter()
                .any(|w| w.0 + 1e-9 * self.unit < x && x < w.1 - 1e-9 * self.unit)
        };
        let mut places: Vec<(f64, bool)> = on_raster
            .chain(from_ends)
            .filter(|p| lo <= p.0 && p.0 <= hi && !cuts(p.0))
            .collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        places.dedup_by(|b, a| {
            let same = b.0 - a.0 < 1e-6 * self.unit;
            a.1 |= same && b.1;
            same
        });
        places
    }

    fn joint_cost(&self, x: f64, beside: &[f64]) -> f64 {
        let after = beside.partition_point(|&b| b < x);
        let off = |b: Option<&f64>| b.map_or(f64::INFINITY, |b| (b - x).abs());
        let lap = off(beside.get(after)).min(off(after.checked_sub(1).and_then(|i| beside.get(i)))) / self.unit;
        let short = (0.5 - lap).max(0.0);
        // A lap under a quarter is as good as a straight joint.
        8.0 * short * short + if lap < 0.2 { 4.0 } else { 0.0 }
    }

    fn stone_cost(&self, from: f64, to: f64, whole: &[(f64, f64)]) -> f64 {
        let inside = whole.iter().filter(|w| w.0 < to && from < w.1);
        let (lo, hi, count) = inside.fold((to, from, 0), |(lo, hi, n), w| {
            (lo.min(w.0.max(from)), hi.max(w.1.min(to)), n + 1)
        });
        // A lintel or a quoin may run on to where the pattern has a joint.
        let wanted = if hi > lo {
            let least = self.unit.max(hi - lo);
            (to - from).clamp(least, least + RUN_ON * self.unit)
        } else {
            self.unit
        };
        let off = (to - from - wanted) / self.unit;
        let too_short = SHORTEST - (to - from) / self.unit;
        // Long stones are rarer than cut ones, and one stone should not be lintel and quoin at once.
        off * off * if off > 0.0 { 2.5 } else { 1.0 }
            + f64::from((count - 1).max(0))
            + if too_short > 1e-9 { 100.0 } else { 0.0 }
    }
}

/// Intervals in order, those closer than `gap` made one.
fn merged(intervals: &[(f64, f64)], gap: f64) -> Vec<(f64, f64)> {
    let mut sorted = intervals.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut merged: Vec<(f64, f64)> = Vec::with_capacity(sorted.len());
    for next in sorted {
        match merged.last_mut() {
            Some(last) if next.0 < last.1 + gap => last.1 = last.1.max(next.1),
            _ => merged.push(next),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lay(course: usize, length: f64, whole: &[(f64, f64)], beside: &[f64]) -> Vec<f64> {
        Bond::fitted(0.0, length, 1.0).joints(course, &Span::plumb(0.0, length), whole, beside)
    }

    #[test]
    fn a_plain_stretch_alternates_whole_units_with_half_units_at_its_ends() {
        let even = lay(0, 4.0, &[], &[]);
        assert_eq!(even, [1.0, 2.0, 3.0]);
        assert_eq!(lay(1, 4.0, &[], &even), [0.5, 1.5, 2.5, 3.5]);
    }

    #[test]
    fn half_a_unit_left_over_by_a_stretch_lies_now_right_now_left() {
        let bond = Bond { origin: 0.0, unit: 1.0 };
        let even = bond.joints(0, &Span::plumb(0.0, 3.5), &[], &[]);
        assert_eq!(even, [1.0, 2.0, 3.0]);
        assert_eq!(bond.joints(1, &Span::plumb(0.0, 3.5), &[], &even), [0.5, 1.5, 2.5]);
    }

    #[test]
    fn the_pattern_has_whole_units_as_near_those_asked_for_as_the_length_allows() {
        assert_eq!(Bond::fitted(0.0, 3.4, 1.0).unit, 3.4 / 3.0);
        assert_eq!(Bond::fitted(0.0, 0.1, 1.0).unit, 0.1);
    }

    #[test]
    fn no_joint_cuts_a_lintel_and_it_may_be_as_long_as_it_must() {
        let joints = lay(0, 12.0, &[(2.5, 9.0)], &[]);
        assert!(joints.iter().all(|&x| x <= 2.5 || x >= 9.0), "{joints:?}");
        assert!(joints.iter().any(|&x| x <= 2.5) && joints.iter().any(|&x| x >= 9.0));
    }

    #[test]
    fn a_stretch_too_short_to_divide_is_one_stone() {
        assert!(lay(0, 0.7, &[], &[]).is_empty());
        assert!(
            Bond { origin: 0.0, unit: 1.0 }
                .joints(1, &Span::plumb(0.3, 0.31), &[], &[])
                .is_empty()
        );
    }

    #[test]
    fn joints_keep_off_those_beside_them_even_where_the_pattern_would_meet_them() {
        let beside = [1.0, 2.0, 3.0];
        for x in lay(0, 4.0, &[], &beside) {
            assert!(beside.iter().all(|b| (b - x).abs() >= 0.25), "joint at {x}");
        }
    }
}
