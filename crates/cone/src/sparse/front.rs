//! Dense work on one front: entries of the matrix and updates of children go in, the panel is factorised, the update
//! goes out. Fronts are by columns; only their lower triangles count.

use faer::{
    Accum, Auto, MatMut, MatRef, Par, Spec,
    dyn_stack::{MemBuffer, MemStack},
    linalg::{
        cholesky::llt::factor::{LltParams, LltRegularization, cholesky_in_place, cholesky_in_place_scratch},
        matmul::{
            matmul,
            triangular::{self, BlockStructure},
        },
        triangular_solve::solve_lower_triangular_in_place,
    },
    reborrow::{Reborrow, ReborrowMut},
};
use rayon::prelude::*;

use crate::parallel::vectorised;

/// Columns of an update that one thread computes at a time, in numbers.
const STRIPE: usize = 96;

/// The factorisation met a pivot that is not positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotPositive;

/// A block of the matrix and where in a panel it goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) block: u32,
    /// First number of the block in the panel.
    pub(super) at: u32,
    pub(super) transposed: bool,
}

/// Memory that dense kernels ask for.
pub(super) struct Scratch(MemBuffer);

impl Scratch {
    /// Enough for panels up to this width.
    pub(super) fn new(width: usize) -> Self {
        Self(MemBuffer::new(cholesky_in_place_scratch::<f64>(
            width,
            Par::Seq,
            params(),
        )))
    }
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scratch").finish_non_exhaustive()
    }
}

fn params() -> Spec<LltParams, f64> {
    <LltParams as Auto<f64>>::auto().into()
}

/// Columns that a triangular solve takes at once: each number of the vector is then read and written once for all.
const COLUMNS: usize = 6;

/// Replaces the first `width` numbers by L11^-1 times them, and takes L21 times the result off the others.
pub(super) fn solve_forward(panel: &[f64], local: &mut [f64], width: usize) {
    let height = local.len();
    vectorised(
        #[inline(always)]
        || {
            for first in (0..width).step_by(COLUMNS) {
                let count = COLUMNS.min(width - first);
                let mut x = [0.0; COLUMNS];
                for j in 0..count {
                    let column = &panel[(first + j) * height..(first + j + 1) * height];
                    x[j] = local[first + j] / column[first + j];
                    local[first + j] = x[j];
                    for i in j + 1..count {
                        local[first + i] -= column[first + i] * x[j];
                    }
                }
                let below = first + count;
                let length = height - below;
                let columns: [&[f64]; COLUMNS] =
                    std::array::from_fn(|j| &panel[(first + j.min(count - 1)) * height + below..][..length]);
                let rest = &mut local[below..][..length];
                for i in 0..length {
                    let mut sum = columns[0][i] * x[0];
                    for j in 1..COLUMNS {
                        sum += columns[j][i] * x[j];
                    }
                    rest[i] -= sum;
                }
            }
        },
    );
}

/// Replaces the first `width` numbers by L11'^-1 times what they are less L21' times the others.
pub(super) fn solve_backward(panel: &[f64], local: &mut [f64], width: usize) {
    let height = local.len();
    vectorised(
        #[inline(always)]
        || {
            for block in (0..width.div_ceil(COLUMNS)).rev() {
                let first = block * COLUMNS;
                let count = COLUMNS.min(width - first);
                let below = first + count;
                let length = height - below;
                let columns: [&[f64]; COLUMNS] =
                    std::array::from_fn(|j| &panel[(first + j.min(count - 1)) * height + below..][..length]);
                let rest = &local[below..][..length];
                // Four interleaved sums for each column, which fit one register.
                let mut sums = [[0.0; 4]; COLUMNS];
                let whole = length - length % 4;
                for i in (0..whole).step_by(4) {
                    for j in 0..COLUMNS {
                        for k in 0..4 {
                            sums[j][k] += columns[j][i + k] * rest[i + k];
                        }
                    }
                }
                for i in whole..length {
                    for j in 0..COLUMNS {
                        sums[j][0] += columns[j][i] * rest[i];
                    }
                }
                for j in (0..count).rev() {
                    let column = &panel[(first + j) * height..(first + j + 1) * height];
                    let [a, b, c, d] = sums[j];
                    let mut x = local[first + j] - ((a + c) + (b + d));
                    for i in j + 1..count {
                        x -= column[first + i] * local[first + i];
                    }
                    local[first + j] = x / column[first + j];
                }
            }
        },
    );
}

pub(super) fn scatter(local: &mut [f64], part: &[f64], relative: &[u32], b: usize) {
    for (r, &place) in relative.iter().enumerate() {
        let to = place as usize * b;
        for (sum, x) in local[to..to + b].iter_mut().zip(&part[r * b..(r + 1) * b]) {
            *sum += x;
        }
    }
}

pub(super) fn add_entry(panel: &mut [f64], height: usize, entry: &Entry, block: &[f64], b: usize) {
    for c in 0..b {
        let at = entry.at as usize + c * height;
        let column = &mut panel[at..at + b];
        for (r, x) in column.iter_mut().enumerate() {
            *x += if entry.transposed {
                block[r * b + c]
            } else {
                block[c * b + r]
            };
        }
    }
}

/// Adds those columns of a child's update that the parent eliminates. Only blocks on and under the diagonal count.
pub(super) fn add_to_panel(
    panel: &mut [f64],
    columns: usize,
    height: usize,
    update: &[f64],
    relative: &[u32],
    b: usize,
) {
    let size = relative.len() * b;
    for (j, &column) in relative
        .iter()
        .enumerate()
        .take_while(|&(_, &c)| (c as usize) < columns)
    {
        for c in 0..b {
            let from = &update[(j * b + c) * size..(j * b + c + 1) * size];
            let to = &mut panel[(column as usize * b + c) * height..(column as usize * b + c + 1) * height];
            for (r, &row) in relative.iter().enumerate().skip(j) {
                let (to, from) = (&mut to[row as usize * b..][..b], &from[r * b..][..b]);
                to.iter_mut().zip(from).for_each(|(x, y)| *x += y);
            }
        }
    }
}

/// Adds the other columns.
pub(super) fn add_to_update(own: &mut [f64], columns: usize, below: usize, update: &[f64], relative: &[u32], b: usize) {
    let size = relative.len() * b;
    let first = relative.partition_point(|&c| (c as usize) < columns);
    for (j, &column) in relative.iter().enumerate().skip(first) {
        for c in 0..b {
            let from = &update[(j * b + c) * size..(j * b + c + 1) * size];
            let at = ((column as usize - columns) * b + c) * below;
            let to = &mut own[at..at + below];
            for (r, &row) in relative.iter().enumerate().skip(j) {
                let (to, from) = (&mut to[(row as usize - columns) * b..][..b], &from[r * b..][..b]);
                to.iter_mut().zip(from).for_each(|(x, y)| *x += y);
            }
        }
    }
}

/// Factorises a panel, and writes minus its outer product to the lower triangle of the update.
pub(super) fn eliminate(
    panel: &mut [f64],
    update: &mut [f64],
    width: usize,
    below: usize,
    shared: bool,
    scratch: &mut Scratch,
) -> Result<(), NotPositive> {
    let height = width + below;
    let front = MatMut::from_column_major_slice_mut(panel, height, width);
    let (mut top, mut bottom) = front.split_at_row_mut(width);
    cholesky_in_place(
        top.rb_mut(),
        LltRegularization::default(),
        Par::Seq,
        MemStack::new(&mut scratch.0),
        params(),
    )
    .map_err(|_| NotPositive)?;
    if below == 0 {
        return Ok(());
    }
    let top = top.rb();
    if !shared || below < 2 * STRIPE {
        solve_lower_triangular_in_place(top, bottom.rb_mut().transpose_mut(), Par::Seq);
        let bottom = bottom.rb();
        let update = MatMut::from_column_major_slice_mut(update, below, below);
        triangular::matmul(
            update,
            BlockStructure::TriangularLower,
            Accum::Replace,
            bottom,
            BlockStructure::Rectangular,
            bottom.transpose(),
            BlockStructure::Rectangular,
            -1.0,
            Par::Seq,
        );
        return Ok(());
    }
    // Pieces of fixed size, whatever the number of threads.
    solve_stripes(top, bottom.rb_mut());
    let bottom = bottom.rb();
    update
        .par_chunks_mut(below * STRIPE)
        .enumerate()
        .for_each(|(s, stripe)| {
            let from = s * STRIPE;
            let columns = stripe.len() / below;
            let stripe = MatMut::from_column_major_slice_mut(stripe, below, columns)
                .split_at_row_mut(from)
                .1;
            let (diagonal, rest) = stripe.split_at_row_mut(columns);
            let own = bottom.subrows(from, columns);
            triangular::matmul(
                diagonal,
                BlockStructure::TriangularLower,
                Accum::Replace,
                own,
                BlockStructure::Rectangular,
                own.transpose(),
                BlockStructure::Rectangular,
                -1.0,
                Par::Seq,
            );
            let later = bottom.subrows(from + columns, below - from - columns);
            matmul(rest, Accum::Replace, later, own.transpose(), -1.0, Par::Seq);
        });
    Ok(())
}

fn solve_stripes(top: MatRef<'_, f64>, bottom: MatMut<'_, f64>) {
    if bottom.nrows() <= STRIPE {
        solve_lower_triangular_in_place(top, bottom.transpose_mut(), Par::Seq);
        return;
    }
    let half = (bottom.nrows() / STRIPE).div_ceil(2) * STRIPE;
    let (first, second) = bottom.split_at_row_mut(half);
    rayon::join(|| solve_stripes(top, first), || solve_stripes(top, second));
}
