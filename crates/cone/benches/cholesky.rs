//! The sparse Cholesky factorisation of this crate beside faer's, on the matrices that contact problems make: 6x6 blocks on
//! the graph of blocks that touch. Both are analysed before; what is timed happens in every iteration of a solver.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use drystone_cone::Cholesky;
use faer::{
    Side,
    linalg::solvers::Solve,
    sparse::{
        SparseColMat, Triplet,
        linalg::solvers::{Llt, SymbolicLlt},
    },
};

const BLOCK: usize = 6;

/// Graph of a wall in running bond, `leaves` thick: each block touches its neighbours, two blocks above, and the leaf behind.
fn wall(courses: usize, length: usize, leaves: usize) -> (usize, Vec<(u32, u32)>) {
    let at = |z: usize, x: usize, y: usize| ((z * length + x) * leaves + y) as u32;
    let mut edges = Vec::new();
    for z in 0..courses {
        for x in 0..length {
            for y in 0..leaves {
                let mut touch = |z: usize, x: usize, y: usize, from: u32| {
                    if z < courses && x < length && y < leaves {
                        edges.push((at(z, x, y), from));
                    }
                };
                let from = at(z, x, y);
                touch(z, x + 1, y, from);
                touch(z, x, y + 1, from);
                touch(z + 1, x, y, from);
                // Every other course is shifted by half a block.
                touch(z + 1, (x + z % 2).wrapping_sub(1 - z % 2), y, from);
            }
        }
    }
    (courses * length * leaves, edges)
}

/// Off-diagonal entry of the block of an edge; the diagonal outweighs all of them.
fn entry(row: usize, column: usize) -> f64 {
    -1.0 / (1.0 + (row + 2 * column) as f64)
}

fn cholesky(c: &mut Criterion) {
    let mut group = c.benchmark_group("factorise and solve");
    group.sample_size(10);
    for (name, (n, edges)) in [
        ("200 blocks", wall(10, 20, 1)),
        ("2,000 blocks", wall(40, 50, 1)),
        ("5,000 blocks, five leaves", wall(25, 40, 5)),
    ] {
        let mut ours = Cholesky::default();
        ours.analyse(n, &edges, BLOCK);
        let mut values = vec![0.0; (n + edges.len()) * BLOCK * BLOCK];
        let mut entries = Vec::new();
        for i in 0..n * BLOCK {
            values[i / BLOCK * BLOCK * BLOCK + i % BLOCK * (BLOCK + 1)] = 40.0;
            entries.push(Triplet::new(i, i, 40.0));
        }
        for (k, &(a, b)) in edges.iter().enumerate() {
            for column in 0..BLOCK {
                for row in 0..BLOCK {
                    values[((n + k) * BLOCK + column) * BLOCK + row] = entry(row, column);
                    entries.push(Triplet::new(
                        a as usize * BLOCK + row,
                        b as usize * BLOCK + column,
                        entry(row, column),
                    ));
                }
            }
        }
        let size = n * BLOCK;
        let matrix = SparseColMat::<usize, f64>::try_new_from_triplets(size, size, &entries).expect("a lower triangle");
        let symbolic = SymbolicLlt::try_new(matrix.symbolic(), Side::Lower).expect("an analysis");
        let right = faer::Col::from_fn(size, |i| (i as f64).sin());
        let mut solution = vec![0.0; size];
        group.bench_function(BenchmarkId::new("drystone", name), |bench| {
            bench.iter(|| {
                ours.values_mut().copy_from_slice(&values);
                ours.factor().expect("positive definite");
                solution.iter_mut().enumerate().for_each(|(i, x)| *x = right[i]);
                ours.solve(&mut solution);
            });
        });
        let mut theirs = right.clone();
        group.bench_function(BenchmarkId::new("faer", name), |bench| {
            bench.iter(|| {
                let factor = Llt::try_new_with_symbolic(symbolic.clone(), matrix.as_ref(), Side::Lower);
                theirs = factor.expect("positive definite").solve(&right);
            });
        });
        let apart = (0..size).map(|i| (solution[i] - theirs[i]).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-10, "the two solutions differ by {apart:e}");
    }
    group.finish();
}

criterion_group!(benches, cholesky);
criterion_main!(benches);
