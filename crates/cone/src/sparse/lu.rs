//! LU factorisation of matrices made of 3x3 blocks that are not symmetric, but whose pattern is, along the tree of fronts.
//!
//! A front is a dense square: blocks to eliminate first, then the later ones that they touch. Rows are exchanged only among
//! those that a front eliminates, so that the tree stays as it was analysed. That suffices for I - F + F N with N positive
//! semidefinite: a combination of eliminated columns that vanishes in a front vanishes in all rows, and spoils nothing.
//!
//! Rows and columns can be left out of a factorisation without another analysis. All runs on one thread, so that the bits do
//! not depend on their number.

use faer::{
    Accum, MatMut, Par,
    dyn_stack::{MemBuffer, MemStack},
    linalg::{lu::partial_pivoting::factor, matmul::matmul, triangular_solve::solve_lower_triangular_in_place},
    reborrow::{Reborrow, ReborrowMut},
};

use super::{graph::Graph, symbolic::Symbolic};

type Block = [[f64; 3]; 3];
const SIDE: usize = 3;

/// The factor of a matrix on a graph, and the memory that it needs.
#[derive(Debug, Default)]
pub(crate) struct Lu {
    symbolic: Symbolic,
    /// The pattern: where the columns of each row start, and the columns.
    start: Vec<u32>,
    column: Vec<u32>,
    fronts: Vec<Front>,
    /// Place of a block in the front at hand, by its position in the order of elimination.
    place: Vec<u32>,
    local: Vec<f64>,
}

/// One front, as it is left after its elimination: the factors, and the update for the parent.
#[derive(Debug, Default)]
struct Front {
    /// Positions of the blocks that it holds, those that it eliminates first.
    blocks: Vec<u32>,
    /// How many it eliminates.
    width: usize,
    /// By columns.
    values: Vec<f64>,
    /// Which of the eliminated rows stands in the place of each.
    order: Vec<usize>,
}

impl Lu {
    /// Analyses a pattern: where the columns of each row start, and the columns. Nothing is done if it is the last one.
    pub(crate) fn analyse(&mut self, start: &[u32], column: &[u32]) {
        if self.start == start && self.column == column {
            return;
        }
        (self.start, self.column) = (start.to_vec(), column.to_vec());
        let n = start.len() - 1;
        let row = |i: usize| column[start[i] as usize..start[i + 1] as usize].iter();
        let edges: Vec<(u32, u32)> = (0..n)
            .flat_map(|i| row(i).map(move |&j| (i as u32, j)).filter(|(i, j)| i < j))
            .collect();
        self.symbolic = Symbolic::best(&Graph::new(n, &edges), SIDE);
        self.fronts.clear();
        self.fronts.resize_with(self.symbolic.nodes.len(), Front::default);
        self.place.clear();
        self.place.resize(n, 0);
    }

    /// Multiplications of a factorisation with all rows.
    pub(crate) fn work(&self) -> f64 {
        2.0 * self.symbolic.work()
    }

    /// Factorises the rows and columns in `is_in`. `block` gives two blocks for an entry of the pattern, by its row and its
    /// index: its own, and that of the entry across the diagonal.
    pub(crate) fn factor(&mut self, is_in: &[bool], block: impl Fn(usize, usize) -> [Block; 2]) {
        for k in 0..self.symbolic.nodes.len() {
            let (before, rest) = self.fronts.split_at_mut(k);
            let (node, front) = (&self.symbolic.nodes[k], &mut rest[0]);
            let order = &self.symbolic.order;
            let stays = |position: &u32| is_in[order[*position as usize] as usize];
            let own = node.first as u32..(node.first + node.width) as u32;
            front.blocks.clear();
            front.blocks.extend(own.filter(stays));
            front.width = front.blocks.len();
            front.blocks.extend(node.rows.iter().copied().filter(stays));
            for (place, &position) in front.blocks.iter().enumerate() {
                self.place[position as usize] = place as u32;
            }
            let height = SIDE * front.blocks.len();
            front.values.clear();
            front.values.resize(height * height, 0.0);
            for &child in &node.children {
                front.add(&before[child], &self.place);
            }
            for p in 0..front.width {
                let position = front.blocks[p];
                let i = order[position as usize] as usize;
                for entry in self.start[i] as usize..self.start[i + 1] as usize {
                    let j = self.column[entry] as usize;
                    let other = self.symbolic.position[j];
                    if other < position || !is_in[j] {
                        continue;
                    }
                    let at = self.place[other as usize] as usize;
                    let [own, across] = block(i, entry);
                    front.add_block(p, at, &own);
                    if at != p {
                        front.add_block(at, p, &across);
                    }
                }
            }
            front.eliminate();
        }
    }

    /// Replaces a right-hand side by the solution, in the rows that were factorised.
    pub(crate) fn solve(&mut self, x: &mut [[f64; 3]]) {
        let order = &self.symbolic.order;
        let mut local = std::mem::take(&mut self.local);
        for front in self.fronts.iter().filter(|front| front.width > 0) {
            let (height, width) = (SIDE * front.blocks.len(), SIDE * front.width);
            let at = |k: usize| (order[front.blocks[k / SIDE] as usize] as usize, k % SIDE);
            local.clear();
            local.extend(front.order.iter().map(|&k| x[at(k).0][at(k).1]));
            local.resize(height, 0.0);
            for j in 0..width {
                let (done, below) = local.split_at_mut(j + 1);
                let column = &front.values[j * height + j + 1..][..below.len()];
                below.iter_mut().zip(column).for_each(|(y, l)| *y -= l * done[j]);
            }
            for (k, y) in local.iter().enumerate() {
                let x = &mut x[at(k).0][at(k).1];
                *x = if k < width { *y } else { *x + y };
            }
        }
        for front in self.fronts.iter().rev().filter(|front| front.width > 0) {
            let (height, width) = (SIDE * front.blocks.len(), SIDE * front.width);
            let at = |k: usize| (order[front.blocks[k / SIDE] as usize] as usize, k % SIDE);
            local.clear();
            local.extend((0..height).map(|k| x[at(k).0][at(k).1]));
            for j in (0..height).rev() {
                let column = &front.values[j * height..][..height];
                if j < width {
                    local[j] /= column[j];
                }
                let (above, here) = local.split_at_mut(j);
                let above = &mut above[..j.min(width)];
                above.iter_mut().zip(column).for_each(|(y, u)| *y -= u * here[0]);
            }
            for (k, y) in local[..width].iter().enumerate() {
                x[at(k).0][at(k).1] = *y;
            }
        }
        self.local = local;
    }
}

impl Front {
    fn add_block(&mut self, row: usize, column: usize, block: &Block) {
        let height = SIDE * self.blocks.len();
        for c in 0..SIDE {
            let to = &mut self.values[(SIDE * column + c) * height + SIDE * row..][..SIDE];
            for r in 0..SIDE {
                to[r] += block[r][c];
            }
        }
    }

    /// Adds the update of a child.
    fn add(&mut self, child: &Self, place: &[u32]) {
        let (height, from_height) = (SIDE * self.blocks.len(), SIDE * child.blocks.len());
        let rows = &child.blocks[child.width..];
        for (j, &column) in rows.iter().enumerate() {
            for c in 0..SIDE {
                let from = &child.values[(SIDE * (child.width + j) + c) * from_height + SIDE * child.width..];
                let to = &mut self.values[(SIDE * place[column as usize] as usize + c) * height..][..height];
                let to = to.as_chunks_mut::<SIDE>().0;
                for (&row, from) in rows.iter().zip(from.as_chunks::<SIDE>().0) {
                    let to = &mut to[place[row as usize] as usize];
                    for r in 0..SIDE {
                        to[r] += from[r];
                    }
                }
            }
        }
    }

    fn eliminate(&mut self) {
        let (height, width) = (SIDE * self.blocks.len(), SIDE * self.width);
        self.order.clear();
        self.order.resize(width, 0);
        if width == 0 {
            return;
        }
        let mut back = vec![0; width];
        let mut memory = MemBuffer::new(factor::lu_in_place_scratch::<usize, f64>(
            width,
            height,
            Par::Seq,
            Default::default(),
        ));
        let matrix = MatMut::from_column_major_slice_mut(&mut self.values, height, height);
        let (mut top, bottom) = matrix.split_at_row_mut(width);
        factor::lu_in_place(
            top.rb_mut(),
            &mut self.order,
            &mut back,
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        );
        if width == height {
            return;
        }
        let (upper, right) = top.rb().split_at_col(width);
        let (mut left, update) = bottom.split_at_col_mut(width);
        solve_lower_triangular_in_place(upper.transpose(), left.rb_mut().transpose_mut(), Par::Seq);
        matmul(update, Accum::Add, left.rb(), right, -1.0, Par::Seq);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid, some vertices of which are left out, and a matrix on it that is far from symmetric.
    #[test]
    fn the_solution_solves_in_the_rows_that_are_in() {
        let (width, height) = (9_usize, 7_usize);
        let n = width * height;
        let (mut start, mut column) = (vec![0_u32], Vec::new());
        for i in 0..n {
            for j in 0..n {
                if (i % width).abs_diff(j % width) <= 1 && (i / width).abs_diff(j / width) <= 1 {
                    column.push(j as u32);
                }
            }
            start.push(column.len() as u32);
        }
        let value = |i: usize, j: usize, r: usize, c: usize| {
            let own = if i == j && r == (c + 1) % 3 { 6.0 } else { 0.0 };
            own + ((7 * i + 13 * j + 5 * r + 3 * c) as f64).sin()
        };
        let block =
            |i: usize, j: usize| -> Block { std::array::from_fn(|r| std::array::from_fn(|c| value(i, j, r, c))) };
        let mut lu = Lu::default();
        lu.analyse(&start, &column);
        for every in [1, 2, 5, n + 1] {
            let is_in: Vec<bool> = (0..n).map(|i| every == 1 || i % every != 0).collect();
            lu.factor(&is_in, |i, k| {
                let j = column[k] as usize;
                [block(i, j), block(j, i)]
            });
            let right: Vec<[f64; 3]> = (0..n)
                .map(|i| std::array::from_fn(|k| ((3 * i + k) as f64).cos()))
                .collect();
            let mut x = right.clone();
            lu.solve(&mut x);
            for i in (0..n).filter(|&i| is_in[i]) {
                for r in 0..3 {
                    let mut left: f64 = -right[i][r];
                    for &j in &column[start[i] as usize..start[i + 1] as usize] {
                        let j = j as usize;
                        if is_in[j] {
                            left += (0..3).map(|c| value(i, j, r, c) * x[j][c]).sum::<f64>();
                        }
                    }
                    assert!(left.abs() < 1e-10, "{every} {i} {left}");
                }
            }
        }
    }
}
