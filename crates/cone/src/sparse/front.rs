//! Dense work on one front: entries of the matrix and updates of children go in, the panel is factorised, the update
//! goes out. Fronts are by columns; only their lower triangles count.

use std::ops::Range;

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

use super::symbolic::Node;
use crate::lanes::{self, Four, Kernel, LANES, Lane, Processor, sum_of};

const TUNING: crate::tuning::Machine = crate::Tuning::DEFAULT.machine;

/// The factorisation met a pivot that is not positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPositive;

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

/// Replaces the first `width` numbers by L11^-1 times them, and takes L21 times the result off the others. The diagonal of
/// L11 is kept inverted.
pub(super) fn solve_forward(panel: &[f64], local: &mut [f64], width: usize) {
    lanes::run(Forward { panel, local, width });
}

/// Replaces the first `width` numbers by L11'^-1 times what they are less L21' times the others.
pub(super) fn solve_backward(panel: &[f64], local: &mut [f64], width: usize) {
    lanes::run(Backward { panel, local, width });
}

struct Forward<'a> {
    panel: &'a [f64],
    local: &'a mut [f64],
    width: usize,
}

struct Backward<'a> {
    panel: &'a [f64],
    local: &'a mut [f64],
    width: usize,
}

/// What lies below the diagonal in the columns from `first` on, in groups of four and what is left of that. Where there
/// are fewer columns the last stands for those that are missing.
#[inline(always)]
fn below(panel: &[f64], height: usize, first: usize, count: usize) -> ([&[[f64; LANES]]; COLUMNS], [&[f64]; COLUMNS]) {
    let length = height - first - count;
    let (mut whole, mut left): ([&[[f64; LANES]]; COLUMNS], [&[f64]; COLUMNS]) = ([&[]; COLUMNS], [&[]; COLUMNS]);
    for j in 0..COLUMNS {
        let column = &panel[(first + j.min(count - 1)) * height + first + count..][..length];
        (whole[j], left[j]) = column.as_chunks::<LANES>();
        whole[j] = &whole[j][..length / LANES];
        left[j] = &left[j][..length % LANES];
    }
    (whole, left)
}

impl Kernel for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Processor>(self, s: S) {
        let Self { panel, local, width } = self;
        let height = local.len();
        for first in (0..width).step_by(COLUMNS) {
            let count = COLUMNS.min(width - first);
            let (top, rest) = local[first..].split_at_mut(count);
            let mut x = [0.0; COLUMNS];
            for j in 0..count {
                let column = &panel[(first + j) * height + first..][..count];
                x[j] = top[j] * column[j];
                top[j] = x[j];
                for i in j + 1..count {
                    top[i] -= column[i] * x[j];
                }
            }
            let (whole, left) = below(panel, height, first, count);
            let (groups, single) = rest.as_chunks_mut::<LANES>();
            let mut y = [Lane::splat(s, 0.0); COLUMNS];
            for j in 0..COLUMNS {
                y[j] = Lane::splat(s, x[j]);
            }
            for i in 0..groups.len().min(whole[0].len()) {
                let mut sum = lane(s, &whole[0][i]) * y[0];
                for j in 1..COLUMNS {
                    sum = sum + lane(s, &whole[j][i]) * y[j];
                }
                let Four(a, b, c, d) = (lane(s, &groups[i]) - sum).four();
                groups[i] = [a, b, c, d];
            }
            for i in 0..single.len().min(left[0].len()) {
                let mut sum = left[0][i] * x[0];
                for j in 1..COLUMNS {
                    sum += left[j][i] * x[j];
                }
                single[i] -= sum;
            }
        }
    }
}

impl Kernel for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Processor>(self, s: S) {
        let Self { panel, local, width } = self;
        let height = local.len();
        for block in (0..width.div_ceil(COLUMNS)).rev() {
            let first = block * COLUMNS;
            let count = COLUMNS.min(width - first);
            let (whole, left) = below(panel, height, first, count);
            let (top, rest) = local[first..].split_at_mut(count);
            let (groups, single) = rest.as_chunks::<LANES>();
            let mut sums = [Lane::splat(s, 0.0); COLUMNS];
            for i in 0..groups.len().min(whole[0].len()) {
                let x = lane(s, &groups[i]);
                for j in 0..COLUMNS {
                    sums[j] = sums[j] + lane(s, &whole[j][i]) * x;
                }
            }
            let mut x = [0.0; COLUMNS];
            for j in 0..COLUMNS {
                x[j] = sum_of(&sums[j].four());
            }
            for i in 0..single.len().min(left[0].len()) {
                for j in 0..COLUMNS {
                    x[j] += left[j][i] * single[i];
                }
            }
            for j in (0..count).rev() {
                let column = &panel[(first + j) * height + first..][..count];
                let mut rest = top[j] - x[j];
                for i in j + 1..count {
                    rest -= column[i] * top[i];
                }
                top[j] = rest * column[j];
            }
        }
    }
}

#[inline(always)]
fn lane<S: Processor>(s: S, x: &[f64; LANES]) -> Lane<S> {
    Lane::new(s, Four(x[0], x[1], x[2], x[3]))
}

/// Calls a function with the side of a block as a constant, for the sides that occur: loops over a block then have a
/// fixed length.
macro_rules! with_side {
    ($b:expr, $name:ident($($argument:expr),*)) => {
        match $b {
            6 => $name::<6>($($argument),*),
            3 => $name::<3>($($argument),*),
            _ => {
                debug_assert_eq!($b, 1);
                $name::<1>($($argument),*);
            }
        }
    };
}

/// Adds one block to another.
#[inline(always)]
fn add_block<const B: usize>(to: &mut [f64; B], from: &[f64; B]) {
    for k in 0..B {
        to[k] += from[k];
    }
}

pub(super) fn scatter(local: &mut [f64], part: &[f64], relative: &[u32], b: usize) {
    with_side!(b, scatter_blocks(local, part, relative));
}

fn scatter_blocks<const B: usize>(local: &mut [f64], part: &[f64], relative: &[u32]) {
    let local = local.as_chunks_mut::<B>().0;
    for (&place, from) in relative.iter().zip(part.as_chunks::<B>().0) {
        add_block(&mut local[place as usize], from);
    }
}

/// Adds blocks of the matrix to a panel.
pub(super) fn add_entries(panel: &mut [f64], height: usize, entries: &[Entry], values: &[f64], b: usize) {
    with_side!(b, add_entry_blocks(panel, height, entries, values));
}

fn add_entry_blocks<const B: usize>(panel: &mut [f64], height: usize, entries: &[Entry], values: &[f64]) {
    let values = values.as_chunks::<B>().0;
    for entry in entries {
        let block = &values[entry.block as usize * B..][..B];
        let turned: [[f64; B]; B];
        let block = if entry.transposed {
            turned = std::array::from_fn(|c| std::array::from_fn(|r| block[r][c]));
            &turned
        } else {
            block
        };
        for (c, from) in block.iter().enumerate() {
            let column = panel[entry.at as usize + c * height..].as_chunks_mut::<B>().0;
            add_block(&mut column[0], from);
        }
    }
}

/// Adds those columns of a child's update that the parent eliminates. Only blocks on and under the diagonal count.
pub(super) fn add_to_panel(panel: &mut [f64], columns: usize, height: usize, update: &[f64], child: &Node, b: usize) {
    let own = child.relative.partition_point(|&c| (c as usize) < columns);
    lanes::run(AddColumns {
        to: panel,
        origin: 0,
        height,
        update,
        child,
        which: 0..own,
        b,
    });
}

/// Adds the other columns.
pub(super) fn add_to_update(own: &mut [f64], columns: usize, below: usize, update: &[f64], child: &Node, b: usize) {
    let first = child.relative.partition_point(|&c| (c as usize) < columns);
    lanes::run(AddColumns {
        to: own,
        origin: columns,
        height: below,
        update,
        child,
        which: first..child.relative.len(),
        b,
    });
}

/// Adds some columns of blocks of a child's update to a matrix of a given height, whose first row and column are block `origin`
/// of the front.
struct AddColumns<'a> {
    to: &'a mut [f64],
    origin: usize,
    height: usize,
    update: &'a [f64],
    child: &'a Node,
    which: Range<usize>,
    b: usize,
}

impl Kernel for AddColumns<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Processor>(self, _: S) {
        let Self {
            to,
            origin,
            height,
            update,
            child,
            which,
            b,
        } = self;
        let size = child.relative.len() * b;
        let mut first = 0;
        for j in which {
            while child.runs[first].end <= j {
                first += 1;
            }
            let column = (child.relative[j] as usize - origin) * b;
            for c in 0..b {
                let from = &update[(j * b + c) * size..][..size];
                let to = &mut to[(column + c) * height..][..height];
                for run in &child.runs[first..] {
                    let start = run.start.max(j);
                    let place = run.place + (start - run.start) - origin;
                    let from = &from[start * b..run.end * b];
                    let to = &mut to[place * b..][..from.len()];
                    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
                }
            }
        }
    }
}

/// Factorises a panel, and writes minus its outer product to the lower triangle of the update. The diagonal of the factor
/// is left inverted, as solves need it.
pub(super) fn eliminate(
    panel: &mut [f64],
    update: &mut [f64],
    width: usize,
    below: usize,
    shared: bool,
    scratch: &mut Scratch,
) -> Result<(), NotPositive> {
    factorise(panel, update, width, below, shared, scratch)?;
    for j in 0..width {
        let pivot = &mut panel[j * (width + below + 1)];
        *pivot = 1.0 / *pivot;
    }
    Ok(())
}

fn factorise(
    panel: &mut [f64],
    update: &mut [f64],
    width: usize,
    below: usize,
    shared: bool,
    scratch: &mut Scratch,
) -> Result<(), NotPositive> {
    let height = width + below;
    let front = MatMut::from_column_major_slice_mut(panel, height, width);
    if !shared || height < 2 * TUNING.stripe_columns {
        let (mut top, mut bottom) = front.split_at_row_mut(width);
        factorise_top(top.rb_mut(), scratch)?;
        if below > 0 {
            solve_lower_triangular_in_place(top.rb(), bottom.rb_mut().transpose_mut(), Par::Seq);
            let bottom = bottom.rb();
            triangular::matmul(
                MatMut::from_column_major_slice_mut(update, below, below),
                BlockStructure::TriangularLower,
                Accum::Replace,
                bottom,
                BlockStructure::Rectangular,
                bottom.transpose(),
                BlockStructure::Rectangular,
                -1.0,
                Par::Seq,
            );
        }
        return Ok(());
    }
    // Pieces of fixed size, whatever the number of threads.
    let mut front = front;
    factorise_columns(front.rb_mut(), scratch)?;
    let update = MatMut::from_column_major_slice_mut(update, below, below);
    take_off(update, 0, front.rb().split_at_row(width).1, Accum::Replace);
    Ok(())
}

fn factorise_top(top: MatMut<'_, f64>, scratch: &mut Scratch) -> Result<(), NotPositive> {
    let stack = MemStack::new(&mut scratch.0);
    cholesky_in_place(top, LltRegularization::default(), Par::Seq, stack, params()).map_err(|_| NotPositive)?;
    Ok(())
}

/// Factorises the columns of a panel, halves of them one after the other, so that threads can share what the first does to
/// the second.
fn factorise_columns(panel: MatMut<'_, f64>, scratch: &mut Scratch) -> Result<(), NotPositive> {
    let width = panel.ncols();
    if width <= TUNING.stripe_columns {
        let (mut top, bottom) = panel.split_at_row_mut(width);
        factorise_top(top.rb_mut(), scratch)?;
        solve_stripes(top.rb(), bottom);
        return Ok(());
    }
    let (mut first, second) = panel.split_at_col_mut(half(width));
    factorise_columns(first.rb_mut(), scratch)?;
    let rows = first.rb().split_at_row(half(width)).1;
    let mut second = second.split_at_row_mut(half(width)).1;
    take_off(second.rb_mut(), 0, rows, Accum::Add);
    factorise_columns(second, scratch)
}

/// Takes columns of `rows rows'` from the first on off the lower triangle of a matrix that has all of its rows.
fn take_off(matrix: MatMut<'_, f64>, first: usize, rows: MatRef<'_, f64>, accum: Accum) {
    let columns = matrix.ncols();
    if columns > TUNING.stripe_columns {
        let (left, right) = matrix.split_at_col_mut(half(columns));
        rayon::join(
            || take_off(left, first, rows, accum),
            || take_off(right, first + half(columns), rows, accum),
        );
        return;
    }
    let (diagonal, rest) = matrix.split_at_row_mut(first).1.split_at_row_mut(columns);
    let own = rows.subrows(first, columns);
    triangular::matmul(
        diagonal,
        BlockStructure::TriangularLower,
        accum,
        own,
        BlockStructure::Rectangular,
        own.transpose(),
        BlockStructure::Rectangular,
        -1.0,
        Par::Seq,
    );
    let later = rows.split_at_row(first + columns).1;
    matmul(rest, accum, later, own.transpose(), -1.0, Par::Seq);
}

/// About half of a length above that of a stripe, in whole stripes.
fn half(length: usize) -> usize {
    (length / TUNING.stripe_columns).div_ceil(2) * TUNING.stripe_columns
}

fn solve_stripes(top: MatRef<'_, f64>, bottom: MatMut<'_, f64>) {
    let count = bottom.nrows();
    if count <= TUNING.stripe_columns {
        solve_lower_triangular_in_place(top, bottom.transpose_mut(), Par::Seq);
        return;
    }
    let (first, second) = bottom.split_at_row_mut(half(count));
    rayon::join(|| solve_stripes(top, first), || solve_stripes(top, second));
}
