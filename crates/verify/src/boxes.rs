//! Which boxes meet, found by a sweep.

use glam::DVec3;

/// A box along the axes.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub(crate) min: DVec3,
    pub(crate) max: DVec3,
}

impl Span {
    pub(crate) fn widened(self, by: f64) -> Self {
        Self {
            min: self.min - by,
            max: self.max + by,
        }
    }

    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }
}

/// The axis along which boxes are spread most.
fn spread(boxes: &[Span]) -> usize {
    let middle = |b: &Span| b.min + 0.5 * (b.max - b.min);
    let low = boxes.iter().fold(DVec3::INFINITY, |m, b| m.min(middle(b)));
    let high = boxes.iter().fold(DVec3::NEG_INFINITY, |m, b| m.max(middle(b)));
    (high - low).max_position()
}

/// Pairs of boxes that meet, the smaller index first, in order.
pub(crate) fn meeting(boxes: &[Span]) -> Vec<(usize, usize)> {
    let axis = spread(boxes);
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|&i, &j| boxes[i].min[axis].total_cmp(&boxes[j].min[axis]).then(i.cmp(&j)));
    let mut pairs = Vec::new();
    for (k, &i) in order.iter().enumerate() {
        let ahead = order[k + 1..]
            .iter()
            .take_while(|&&j| boxes[j].min[axis] <= boxes[i].max[axis]);
        pairs.extend(
            ahead
                .filter(|&&j| boxes[i].meets(&boxes[j]))
                .map(|&j| (i.min(j), i.max(j))),
        );
    }
    pairs.sort_unstable();
    pairs
}

/// Pairs of a box of the first list and one of the second that meet, in order.
pub(crate) fn meeting_each_other(first: &[Span], second: &[Span]) -> Vec<(usize, usize)> {
    // Lists are short as a rule.
    if first.len() * second.len() <= 4096 {
        let all = (0..first.len()).flat_map(|i| (0..second.len()).map(move |j| (i, j)));
        return all.filter(|&(i, j)| first[i].meets(&second[j])).collect();
    }
    let all: Vec<Span> = first.iter().chain(second).copied().collect();
    let n = first.len();
    let pairs = meeting(&all).into_iter().filter(|&(i, j)| i < n && j >= n);
    pairs.map(|(i, j)| (i, j - n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_finds_what_comparing_all_finds() {
        let mut seed = 1u64;
        let mut random = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut boxes = |n: usize| -> Vec<Span> {
            let one = |_| {
                let min = DVec3::new(random(), 3.0 * random(), random());
                let max = min + 0.3 * DVec3::new(random(), random(), 2.0 * random());
                Span { min, max }
            };
            (0..n).map(one).collect()
        };
        let (a, b) = (boxes(120), boxes(90));
        let all = |i: usize| (i + 1..a.len()).map(move |j| (i, j));
        let plain: Vec<_> = (0..a.len()).flat_map(all).filter(|&(i, j)| a[i].meets(&a[j])).collect();
        assert!(plain.len() > 10);
        assert_eq!(meeting(&a), plain);
        let all = |i: usize| (0..b.len()).map(move |j| (i, j));
        let plain: Vec<_> = (0..a.len()).flat_map(all).filter(|&(i, j)| a[i].meets(&b[j])).collect();
        assert_eq!(meeting_each_other(&a, &b), plain);
    }
}
