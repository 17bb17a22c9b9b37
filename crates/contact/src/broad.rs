//! Which blocks are near each other: a binary tree of boxes over the blocks.
//!
//! The tree is built once and refitted as blocks move: children come after their parents in the array, so one pass from
//! the back brings every box up to date. It is rebuilt, in the same memory, only when the blocks have moved so far that
//! its boxes have grown to twice what they were.

use drystone_model::geometry::Bounds;
use glam::DVec3;

/// A node: a box, and either two children or one block.
#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Bounds,
    /// The second child, or `LEAF`; the first child is the next node.
    second: u32,
    /// The block, for a leaf; else the largest index of a block below.
    block: u32,
}

const LEAF: u32 = u32::MAX;
/// The tree is rebuilt when its boxes have grown by this factor.
const GROWTH: f64 = 2.0;
/// Deeper than any tree over `u32` blocks split in halves.
const DEPTH: usize = 64;

#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    order: Vec<u32>,
    built_area: f64,
}

impl Tree {
    /// Brings the tree up to date with the boxes of the blocks.
    pub(crate) fn update(&mut self, boxes: &[Bounds]) {
        if self.order.len() != boxes.len() {
            self.build(boxes);
            return;
        }
        let area = self.refit(boxes);
        if area > GROWTH * self.built_area {
            self.build(boxes);
        }
    }

    fn build(&mut self, boxes: &[Bounds]) {
        self.order.clear();
        self.order.extend(0..boxes.len() as u32);
        self.nodes.clear();
        let mut order = std::mem::take(&mut self.order);
        if !order.is_empty() {
            self.split(boxes, &mut order);
        }
        self.order = order;
        self.built_area = self.refit(boxes);
    }

    /// Splits at the median along the longest side of the centres' box: depth is the logarithm of the number.
    fn split(&mut self, boxes: &[Bounds], blocks: &mut [u32]) {
        let node = self.nodes.len();
        let bounds = Bounds::EMPTY;
        self.nodes.push(Node {
            bounds,
            second: LEAF,
            block: blocks[0],
        });
        if blocks.len() == 1 {
            return;
        }
        let centers = Bounds::around(blocks.iter().map(|&b| boxes[b as usize].center()));
        let size = centers.size();
        let axis = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let middle = blocks.len() / 2;
        let key = |b: &u32| boxes[*b as usize].center()[axis];
        blocks.select_nth_unstable_by(middle, |a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
        let (low, high) = blocks.split_at_mut(middle);
        self.split(boxes, low);
        self.nodes[node].second = self.nodes.len() as u32;
        self.split(boxes, high);
    }

    /// Recomputes every box from the leaves up; returns the sum of their surfaces.
    fn refit(&mut self, boxes: &[Bounds]) -> f64 {
        let mut area = 0.0;
        for k in (0..self.nodes.len()).rev() {
            let node = self.nodes[k];
            if node.second == LEAF {
                self.nodes[k].bounds = boxes[node.block as usize];
            } else {
                let (first, second) = (self.nodes[k + 1], self.nodes[node.second as usize]);
                self.nodes[k].bounds = first.bounds.union(&second.bounds);
                self.nodes[k].block = first.block.max(second.block);
            }
            let size = self.nodes[k].bounds.size();
            area += size.dot(DVec3::new(size.y, size.z, size.x));
        }
        area
    }

    /// Adds to `found` every block with an index above `block` whose box touches that of `block`, in order.
    pub(crate) fn above(&self, block: u32, bounds: &Bounds, found: &mut Vec<u32>) {
        found.clear();
        let mut stack = [0u32; DEPTH];
        let mut depth = usize::from(!self.nodes.is_empty());
        while depth > 0 {
            depth -= 1;
            let k = stack[depth];
            let node = &self.nodes[k as usize];
            // Whole branches of lower blocks have been asked the other way round.
            if node.block <= block || !node.bounds.is_near(bounds, 0.0) {
                continue;
            }
            if node.second == LEAF {
                found.push(node.block);
            } else {
                stack[depth] = node.second;
                stack[depth + 1] = k + 1;
                depth += 2;
            }
        }
        found.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator, the same on every machine.
    fn random(state: &mut u64) -> f64 {
        *state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (*state >> 11) as f64 / (1u64 << 53) as f64
    }

    #[test]
    fn the_refitted_tree_finds_the_pairs_that_trying_all_would_find() {
        let mut state = 7;
        let mut centers: Vec<DVec3> = (0..300)
            .map(|_| DVec3::new(random(&mut state), random(&mut state), random(&mut state)) * 10.0)
            .collect();
        let mut tree = Tree::default();
        for step in 0..40 {
            let boxes: Vec<Bounds> = centers
                .iter()
                .map(|&c| Bounds {
                    min: c - 0.4,
                    max: c + 0.5,
                })
                .collect();
            tree.update(&boxes);
            let mut found = Vec::new();
            for (i, bounds) in boxes.iter().enumerate() {
                tree.above(i as u32, bounds, &mut found);
                let all: Vec<u32> = (i + 1..boxes.len())
                    .filter(|&j| bounds.is_near(&boxes[j], 0.0))
                    .map(|j| j as u32)
                    .collect();
                assert_eq!(found, all, "block {i} in step {step}");
            }
            for c in &mut centers {
                *c += DVec3::new(random(&mut state), random(&mut state), random(&mut state)) - 0.5;
            }
        }
    }
}
