//! Trees of boxes: which of many boxes come near each other, and how far points reach in a direction, without looking at
//! all of them.

use glam::DVec3;

use super::Bounds;

/// Boxes in a leaf; below, looking at each is as fast as dividing them.
const LEAF: usize = 8;

struct Node {
    bounds: Bounds,
    /// Range in `order`.
    from: usize,
    to: usize,
    /// Index of the first child, the second following its subtree; zero for a leaf.
    second: usize,
}

/// A binary tree over boxes, divided at the median of their middles along the longest axis.
pub(super) struct Tree<'a> {
    boxes: &'a [Bounds],
    order: Vec<usize>,
    nodes: Vec<Node>,
}

impl<'a> Tree<'a> {
    /// The tree over the boxes that hold something.
    pub(super) fn new(boxes: &'a [Bounds]) -> Self {
        let order: Vec<usize> = (0..boxes.len()).filter(|&i| !boxes[i].is_empty()).collect();
        let mut tree = Self {
            boxes,
            nodes: Vec::with_capacity(order.len() / 2 + 1),
            order,
        };
        if !tree.order.is_empty() {
            tree.build(0, tree.order.len());
        }
        tree
    }

    fn build(&mut self, from: usize, to: usize) -> usize {
        let boxes = self.boxes;
        let slice = &mut self.order[from..to];
        let bounds = slice.iter().fold(Bounds::EMPTY, |all, &i| all.union(&boxes[i]));
        let index = self.nodes.len();
        self.nodes.push(Node {
            bounds,
            from,
            to,
            second: 0,
        });
        if to - from > LEAF {
            let middle = |i: usize| boxes[i].min + boxes[i].max;
            let spread = Bounds::around(slice.iter().map(|&i| middle(i))).size();
            let axis = (0..3).max_by(|&a, &b| spread[a].total_cmp(&spread[b])).unwrap_or(0);
            let half = slice.len() / 2;
            slice.select_nth_unstable_by(half, |&i, &j| {
                middle(i)[axis].total_cmp(&middle(j)[axis]).then(i.cmp(&j))
            });
            self.build(from, from + half);
            let second = self.build(from + half, to);
            self.nodes[index].second = second;
        }
        index
    }

    /// Calls `found` with every pair of boxes within `margin` of each other, in no order.
    pub(super) fn pairs(&self, margin: f64, mut found: impl FnMut(usize, usize)) {
        let mut open: Vec<(usize, usize)> = Vec::new();
        if !self.nodes.is_empty() {
            open.push((0, 0));
        }
        while let Some((a, b)) = open.pop() {
            let (one, two) = (&self.nodes[a], &self.nodes[b]);
            if a != b && !one.bounds.is_near(&two.bounds, margin) {
                continue;
            }
            match (one.second, two.second) {
                (0, 0) => {
                    for (k, &i) in self.order[one.from..one.to].iter().enumerate() {
                        let rest = if a == b {
                            one.from + k + 1..one.to
                        } else {
                            two.from..two.to
                        };
                        for &j in &self.order[rest] {
                            if self.boxes[i].is_near(&self.boxes[j], margin) {
                                found(i.min(j), i.max(j));
                            }
                        }
                    }
                }
                (second, _) if a == b => open.extend([(a + 1, a + 1), (a + 1, second), (second, second)]),
                (second, other) => {
                    // The node with more boxes is divided.
                    if other == 0 || (second != 0 && one.to - one.from >= two.to - two.from) {
                        open.extend([(a + 1, b), (second, b)]);
                    } else {
                        open.extend([(a, b + 1), (a, other)]);
                    }
                }
            }
        }
    }
}

/// How far points reach in any direction.
pub(super) struct Support<'a> {
    points: &'a [DVec3],
    order: Vec<usize>,
    nodes: Vec<Node>,
}

impl<'a> Support<'a> {
    pub(super) fn new(points: &'a [DVec3]) -> Self {
        // A few points are looked at one by one.
        if points.len() <= 8 * LEAF {
            return Self {
                points,
                order: Vec::new(),
                nodes: Vec::new(),
            };
        }
        let boxes: Vec<Bounds> = points.iter().map(|&p| Bounds::around([p])).collect();
        let Tree { order, nodes, .. } = Tree::new(&boxes);
        Self { points, order, nodes }
    }

    /// The largest `direction · p` of any point; `-∞` if there are none.
    pub(super) fn farthest(&self, direction: DVec3) -> f64 {
        self.farthest_above(direction, f64::NEG_INFINITY)
    }

    /// The largest `direction · p` of any point that is above `least`, or else `least`.
    pub(super) fn farthest_above(&self, direction: DVec3, least: f64) -> f64 {
        let height = |best: f64, &p: &DVec3| best.max(p.dot(direction));
        if self.nodes.is_empty() {
            return self.points.iter().fold(least, height);
        }
        let mut best = least;
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            let n = &self.nodes[node];
            if reach(&n.bounds, direction) <= best {
                continue;
            }
            if n.second == 0 {
                best = self.order[n.from..n.to]
                    .iter()
                    .fold(best, |best, &i| height(best, &self.points[i]));
                continue;
            }
            // The half that reaches further comes first.
            let [first, second] = [node + 1, n.second];
            let of = |k: usize| reach(&self.nodes[k].bounds, direction);
            open.extend(if of(first) > of(second) {
                [second, first]
            } else {
                [first, second]
            });
        }
        best
    }
}

/// The largest `direction · p` over a box. Products and sums are rounded in the same order as for a point, and rounding
/// keeps the order of numbers, so no point of the box exceeds it.
fn reach(bounds: &Bounds, direction: DVec3) -> f64 {
    let high = |axis: usize| {
        if direction[axis] > 0.0 {
            bounds.max[axis]
        } else {
            bounds.min[axis]
        }
    };
    DVec3::new(high(0), high(1), high(2)).dot(direction)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cloud(n: usize) -> Vec<DVec3> {
        let mut state = 1u64;
        let mut next = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 40) as f64 / (1u64 << 24) as f64
        };
        (0..n).map(|_| DVec3::new(next() * 5.0, next(), next() * 0.2)).collect()
    }

    #[test]
    fn the_farthest_point_is_the_farthest_of_all() {
        for n in [0, 1, 50, 3000] {
            let points = cloud(n);
            let support = Support::new(&points);
            for direction in cloud(40).into_iter().flat_map(|d| [d, -d, d.any_orthogonal_vector()]) {
                let all = points
                    .iter()
                    .map(|p| p.dot(direction))
                    .fold(f64::NEG_INFINITY, f64::max);
                assert_eq!(support.farthest(direction), all);
                assert_eq!(support.farthest_above(direction, 0.3), all.max(0.3));
            }
        }
    }

    #[test]
    fn every_near_pair_is_found_once() {
        let boxes: Vec<Bounds> = cloud(600)
            .windows(2)
            .map(|w| Bounds::around([w[0], w[0] + 0.05 * w[1]]))
            .chain([Bounds::EMPTY])
            .collect();
        for margin in [0.0, 0.02] {
            let mut found = Vec::new();
            Tree::new(&boxes).pairs(margin, |i, j| found.push((i, j)));
            found.sort_unstable();
            let near = |&(i, j): &(usize, usize)| !boxes[j].is_empty() && boxes[i].is_near(&boxes[j], margin);
            let all: Vec<_> = (0..boxes.len())
                .flat_map(|i| (i + 1..boxes.len()).map(move |j| (i, j)))
                .filter(near)
                .collect();
            assert_eq!(found, all);
        }
    }
}
