//! Least-squares systems in the motions or the balance of the free blocks: `sum of g g'` over rows `g` that belong to two
//! blocks each, as a sparse matrix of 6x6 blocks.

use std::collections::HashMap;

use drystone_cone::{Cholesky, NotPositive};
use glam::DVec3;

use super::super::Structure;

/// What is added to the diagonal, as a fraction of it, so that what no row holds stays where it is.
const TRACE: f64 = 1e-13;

/// A row: what a unit of its variable does to each of its two blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Places of the blocks among the free ones.
    pub(super) places: [Option<u32>; 2],
    pub(super) by: [[f64; 6]; 2],
}

impl Row {
    /// Product with a vector of six numbers for each free block.
    pub(super) fn dot(&self, x: &[f64]) -> f64 {
        let one = |side: usize| {
            self.places[side].map_or(0.0, |b| {
                let at = 6 * b as usize;
                self.by[side]
                    .iter()
                    .zip(&x[at..at + 6])
                    .map(|(g, x)| g * x)
                    .sum::<f64>()
            })
        };
        one(0) + one(1)
    }

    /// Adds a multiple of it to such a vector.
    pub(super) fn add_to(&self, x: &mut [f64], factor: f64) {
        for side in 0..2 {
            if let Some(b) = self.places[side] {
                let at = 6 * b as usize;
                let part = x[at..at + 6].iter_mut().zip(&self.by[side]);
                part.for_each(|(x, g)| *x += factor * g);
            }
        }
    }
}

/// The free blocks, which of them touch, and the factor of a matrix on them.
pub(super) struct System {
    /// Place of each block among the free ones.
    pub(super) place: Vec<Option<u32>>,
    pub(super) blocks: Vec<usize>,
    edges: HashMap<(u32, u32), usize>,
    cholesky: Cholesky,
    /// Inverse roots of the diagonal: the matrix is scaled to ones there, so that light blocks count as much as heavy ones.
    scale: Vec<f64>,
}

impl System {
    /// The blocks that `moves` tells, with the joints and ties between them.
    pub(super) fn new(structure: &Structure, moves: impl Fn(usize) -> bool) -> Self {
        let blocks: Vec<usize> = structure.free().filter(|&b| moves(b)).collect();
        let mut place = vec![None; structure.len()];
        blocks.iter().enumerate().for_each(|(k, &b)| place[b] = Some(k as u32));
        let joined = structure.points.iter().map(|p| p.blocks);
        let tied = structure.ties.iter().map(|t| t.blocks);
        let mut pairs: Vec<(u32, u32)> = joined
            .chain(tied)
            .filter_map(|[a, b]| {
                let (a, b) = (place[a as usize]?, place[b as usize]?);
                (a != b).then_some((a.min(b), a.max(b)))
            })
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut cholesky = Cholesky::default();
        cholesky.analyse(blocks.len(), &pairs, 6);
        Self {
            place,
            scale: vec![1.0; 6 * blocks.len()],
            blocks,
            edges: pairs.into_iter().enumerate().map(|(k, pair)| (pair, k)).collect(),
            cholesky,
        }
    }

    /// The row of a vector at a point, against the first block and for the second; moments count by the lengths.
    pub(super) fn row(&self, structure: &Structure, blocks: [u32; 2], points: [DVec3; 2], along: DVec3) -> Row {
        let side = |k: usize| {
            let (b, sign) = (blocks[k] as usize, if k == 1 { 1.0 } else { -1.0 });
            let m = sign * (points[k] - structure.center[b]).cross(along) / structure.radius[b];
            let f = sign * along;
            [f.x, f.y, f.z, m.x, m.y, m.z]
        };
        Row {
            places: blocks.map(|b| self.place[b as usize]),
            by: [side(0), side(1)],
        }
    }

    /// Factorises the sum of `g g'` over some rows.
    pub(super) fn factor<'r>(&mut self, rows: impl Iterator<Item = &'r Row> + Clone) -> Result<(), NotPositive> {
        let n = self.blocks.len();
        self.scale.clear();
        self.scale.resize(6 * n, 0.0);
        for row in rows.clone() {
            for side in 0..2 {
                if let Some(b) = row.places[side] {
                    let at = 6 * b as usize;
                    let part = self.scale[at..at + 6].iter_mut().zip(&row.by[side]);
                    part.for_each(|(s, g)| *s += g * g);
                }
            }
        }
        // What no row holds stays where it is.
        let root = |s: &mut f64| *s = if *s > 0.0 && s.is_finite() { 1.0 / s.sqrt() } else { 0.0 };
        self.scale.iter_mut().for_each(root);
        let Self {
            scale, cholesky, edges, ..
        } = self;
        let values = cholesky.values_mut();
        values.fill(0.0);
        for row in rows {
            let scaled = |side: usize, b: u32| -> [f64; 6] {
                let at = 6 * b as usize;
                std::array::from_fn(|k| row.by[side][k] * scale[at + k])
            };
            let mut add = |block: usize, g: &[f64; 6], h: &[f64; 6]| {
                let at = &mut values[36 * block..36 * block + 36];
                for c in 0..6 {
                    for r in 0..6 {
                        at[6 * c + r] += g[r] * h[c];
                    }
                }
            };
            let sides = [0, 1].map(|side| row.places[side].map(|b| (b, scaled(side, b))));
            for (b, g) in sides.iter().flatten() {
                add(*b as usize, g, g);
            }
            let [Some((a, g)), Some((b, h))] = &sides else { continue };
            match a.cmp(b) {
                std::cmp::Ordering::Less => add(n + edges[&(*a, *b)], g, h),
                std::cmp::Ordering::Greater => add(n + edges[&(*b, *a)], h, g),
                std::cmp::Ordering::Equal => {
                    add(*a as usize, g, h);
                    add(*a as usize, h, g);
                }
            }
        }
        for b in 0..n {
            for k in 0..6 {
                let held = scale[6 * b + k] > 0.0;
                values[36 * b + 7 * k] += if held { TRACE } else { 1.0 };
            }
        }
        cholesky.factor()
    }

    /// Replaces a right-hand side by the solution.
    pub(super) fn solve(&mut self, x: &mut [f64]) {
        x.iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
        self.cholesky.solve(x);
        x.iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
    }
}
