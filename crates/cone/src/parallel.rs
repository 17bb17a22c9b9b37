//! Loops that may run on several threads and give the same bits on any number of them: every element is computed by
//! itself, and sums are taken over pieces of fixed size, whose parts are then added in order.

use rayon::prelude::*;

const TUNING: crate::tuning::Machine = crate::Tuning::DEFAULT.machine;

/// Runs a loop with the widest vectors that this processor has. What the loop calls must be inlined to profit. Neither
/// order nor rounding of its operations change, so the bits stay the same.
#[inline(always)]
pub(crate) fn vectorised<R>(f: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(f)
}

/// Calls `f` with the index and a reference to each element.
pub(crate) fn for_each<T: Send>(items: &mut [T], f: impl Fn(usize, &mut T) + Sync + Send) {
    share(items, TUNING.worth_sharing, TUNING.piece, f);
}

/// As [`for_each`], for elements that take a microsecond or so each: fewer of them are worth sharing.
pub(crate) fn for_each_heavy<T: Send>(items: &mut [T], f: impl Fn(usize, &mut T) + Sync + Send) {
    share(items, 65, 64, f);
}

fn share<T: Send>(items: &mut [T], worth: usize, piece: usize, f: impl Fn(usize, &mut T) + Sync + Send) {
    let run = |offset: usize, items: &mut [T]| {
        vectorised(
            #[inline(always)]
            || items.iter_mut().enumerate().for_each(|(i, x)| f(offset + i, x)),
        );
    };
    if items.len() < worth {
        run(0, items);
    } else {
        let pieces = items.par_chunks_mut(piece).enumerate();
        pieces.for_each(|(k, items)| run(k * piece, items));
    }
}

/// Calls `f` with the index and the items of each row. `start` has the first item of each row, and the end of the last.
pub(crate) fn for_each_row<T: Send>(start: &[u32], items: &mut [T], f: impl Fn(usize, &mut [T]) + Sync + Send) {
    rows(start, 0, items, &f);
}

fn rows<T: Send>(start: &[u32], first: usize, items: &mut [T], f: &(impl Fn(usize, &mut [T]) + Sync + Send)) {
    let count = start.len() - 1;
    let length = |from: usize, to: usize| (start[to] - start[from]) as usize;
    if count > 1 && items.len() >= TUNING.worth_sharing {
        let half = count / 2;
        let (left, right) = items.split_at_mut(length(0, half));
        rayon::join(
            || rows(&start[..=half], first, left, f),
            || rows(&start[half..], first + half, right, f),
        );
        return;
    }
    let mut rest = items;
    for row in 0..count {
        let (own, others) = rest.split_at_mut(length(row, row + 1));
        f(first + row, own);
        rest = others;
    }
}

/// As [`for_each`], over two lists of the same length.
pub(crate) fn for_each2<S: Send, T: Send>(
    first: &mut [S],
    second: &mut [T],
    f: impl Fn(usize, &mut S, &mut T) + Sync + Send,
) {
    debug_assert_eq!(first.len(), second.len());
    let run = |offset: usize, (a, b): (&mut [S], &mut [T])| {
        let both = a.iter_mut().zip(b).enumerate();
        vectorised(
            #[inline(always)]
            || both.for_each(|(i, (x, y))| f(offset + i, x, y)),
        );
    };
    if first.len() < TUNING.worth_sharing {
        run(0, (first, second));
    } else {
        let pieces = first
            .par_chunks_mut(TUNING.piece)
            .zip(second.par_chunks_mut(TUNING.piece));
        pieces
            .enumerate()
            .for_each(|(piece, both)| run(piece * TUNING.piece, both));
    }
}

/// As [`for_each2`], over three lists.
pub(crate) fn for_each3<R: Send, S: Send, T: Send>(
    first: &mut [R],
    second: &mut [S],
    third: &mut [T],
    f: impl Fn(usize, &mut R, &mut S, &mut T) + Sync + Send,
) {
    debug_assert!(first.len() == second.len() && second.len() == third.len());
    let run = |offset: usize, ((a, b), c): ((&mut [R], &mut [S]), &mut [T])| {
        let all = a.iter_mut().zip(b).zip(c).enumerate();
        vectorised(
            #[inline(always)]
            || all.for_each(|(i, ((x, y), z))| f(offset + i, x, y, z)),
        );
    };
    if first.len() < TUNING.worth_sharing {
        run(0, ((first, second), third));
    } else {
        let pieces = first
            .par_chunks_mut(TUNING.piece)
            .zip(second.par_chunks_mut(TUNING.piece));
        let pieces = pieces.zip(third.par_chunks_mut(TUNING.piece)).enumerate();
        pieces.for_each(|(piece, all)| run(piece * TUNING.piece, all));
    }
}

/// Combines the values of `f` over `0..n` with `combine`, starting from `start`, in a fixed order.
/// `partial` is scratch for the parts.
pub(crate) fn fold<T: Copy + Send + Sync>(
    n: usize,
    partial: &mut Vec<T>,
    start: T,
    f: impl Fn(usize) -> T + Sync + Send,
    combine: impl Fn(T, T) -> T + Sync + Send,
) -> T {
    let pieces = n.div_ceil(TUNING.piece);
    partial.clear();
    partial.resize(pieces, start);
    let piece = |(k, part): (usize, &mut T)| {
        let range = k * TUNING.piece..n.min((k + 1) * TUNING.piece);
        *part = vectorised(
            #[inline(always)]
            || range.fold(start, |sum, i| combine(sum, f(i))),
        );
    };
    if n < TUNING.worth_sharing {
        partial.iter_mut().enumerate().for_each(piece);
    } else {
        partial.par_iter_mut().enumerate().for_each(piece);
    }
    partial.iter().fold(start, |sum, &part| combine(sum, part))
}

/// Sum of `f` over `0..n`.
pub(crate) fn sum(n: usize, partial: &mut Vec<f64>, f: impl Fn(usize) -> f64 + Sync + Send) -> f64 {
    fold(n, partial, 0.0, f, |a, b| a + b)
}

/// Calls `f` for each group of neighbouring items and combines what it returns, in a tree of fixed shape. Group `g` has
/// the items from `start(g)` to `start(g + 1)`; there are as many groups as `results`, of which each call gets its own.
pub(crate) fn fold_groups<T: Send, P: Send, R: Send>(
    items: &mut [T],
    results: &mut [P],
    start: impl Fn(usize) -> usize + Sync,
    f: impl Fn(usize, usize, &mut [T], &mut P) -> R + Sync,
    combine: impl Fn(R, R) -> R + Sync,
    zero: impl Fn() -> R + Sync,
) -> R {
    fold_part(0, items, results, &start, &f, &combine, &zero)
}

fn fold_part<T: Send, P: Send, R: Send>(
    first: usize,
    items: &mut [T],
    results: &mut [P],
    start: &(impl Fn(usize) -> usize + Sync),
    f: &(impl Fn(usize, usize, &mut [T], &mut P) -> R + Sync),
    combine: &(impl Fn(R, R) -> R + Sync),
    zero: &(impl Fn() -> R + Sync),
) -> R {
    if results.len() > TUNING.groups {
        let half = results.len() / 2;
        let (left, right) = results.split_at_mut(half);
        let (a, b) = items.split_at_mut(start(first + half) - start(first));
        let (a, b) = rayon::join(
            || fold_part(first, a, left, start, f, combine, zero),
            || fold_part(first + half, b, right, start, f, combine, zero),
        );
        return combine(a, b);
    }
    vectorised(
        #[inline(always)]
        || {
            let mut sum = zero();
            let mut rest = items;
            for (k, result) in results.iter_mut().enumerate() {
                let group = first + k;
                let from = start(group);
                let (own, later) = rest.split_at_mut(start(group + 1) - from);
                rest = later;
                sum = combine(sum, f(group, from, own, result));
            }
            sum
        },
    )
}
