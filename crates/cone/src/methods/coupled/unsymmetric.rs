//! Linear systems of 6x6 blocks that are not symmetric: dense where few bodies move, sparse where many do. On one thread,
//! so that the bits do not depend on their number.

use faer::{
    Conj, Mat, MatMut, Par,
    dyn_stack::{MemBuffer, MemStack, StackReq},
    linalg::lu::partial_pivoting::{factor, solve},
    perm::Perm,
    sparse::{
        SparseColMatRef, SymbolicSparseColMat,
        linalg::lu::{LuRef, NumericLu, SymbolicLu, factorize_symbolic_lu},
    },
};

use crate::system::{M6, NONE};

const TUNING: crate::tuning::AtRestCoulomb = crate::Tuning::DEFAULT.at_rest_coulomb;

/// A matrix on the graph of bodies that touch.
#[derive(Debug)]
pub(super) struct Unsymmetric {
    bodies: usize,
    dense: Mat<f64>,
    order: Option<Perm<usize>>,
    sparse: Option<Sparse>,
}

#[derive(Debug)]
struct Sparse {
    pairs: Vec<[u32; 2]>,
    pattern: SymbolicSparseColMat<usize>,
    values: Vec<f64>,
    /// Where the first column of each block starts: diagonal blocks, then the two of each pair.
    place: Vec<usize>,
    symbolic: SymbolicLu<usize>,
    numeric: NumericLu<usize, f64>,
}

impl Default for Unsymmetric {
    fn default() -> Self {
        Self {
            bodies: 0,
            dense: Mat::new(),
            order: None,
            sparse: None,
        }
    }
}

impl Unsymmetric {
    /// Makes ready for bodies that touch in pairs.
    pub(super) fn prepare(&mut self, bodies: usize, pairs: impl Iterator<Item = [u32; 2]>) {
        self.bodies = bodies;
        if 6 * bodies <= TUNING.dense_rows {
            self.sparse = None;
            self.dense = Mat::zeros(6 * bodies, 6 * bodies);
            return;
        }
        let pairs: Vec<[u32; 2]> = pairs.collect();
        if self
            .sparse
            .as_ref()
            .is_some_and(|s| s.pairs == pairs && s.place.len() == bodies + 2 * pairs.len())
        {
            return;
        }
        self.sparse = Sparse::new(bodies, pairs);
    }

    pub(super) fn clear(&mut self) {
        match &mut self.sparse {
            Some(sparse) => {
                sparse.values.fill(0.0);
                for b in 0..self.bodies {
                    for k in 0..6 {
                        let at = sparse.at(sparse.place[b], 6 * b + k) + k;
                        sparse.values[at] = TUNING.diagonal_trace;
                    }
                }
            }
            None => {
                self.dense.fill(0.0);
                for k in 0..6 * self.bodies {
                    self.dense[(k, k)] = TUNING.diagonal_trace;
                }
            }
        }
    }

    /// Adds a block of pair `p` between two of its sides.
    pub(super) fn add(&mut self, p: usize, (rows, columns): (usize, usize), (i, j): (u32, u32), sign: f64, block: &M6) {
        let (i, j) = (i as usize, j as usize);
        if let Some(sparse) = &mut self.sparse {
            let place = if rows == columns {
                sparse.place[i]
            } else {
                sparse.place[self.bodies + 2 * p + rows]
            };
            for c in 0..6 {
                let at = sparse.at(place, 6 * j + c);
                for r in 0..6 {
                    sparse.values[at + r] += sign * block[r][c];
                }
            }
            return;
        }
        for c in 0..6 {
            for r in 0..6 {
                self.dense[(6 * i + r, 6 * j + c)] += sign * block[r][c];
            }
        }
    }

    /// Factorises, or fails.
    pub(super) fn factor(&mut self) -> Option<()> {
        match &mut self.sparse {
            Some(sparse) => sparse.factor(),
            None => self.factor_dense(),
        }
    }

    fn factor_dense(&mut self) -> Option<()> {
        let n = self.dense.nrows();
        let mut memory = MemBuffer::try_new(factor::lu_in_place_scratch::<usize, f64>(
            n,
            n,
            Par::Seq,
            Default::default(),
        ))
        .ok()?;
        let (mut forward, mut back) = (vec![0; n], vec![0; n]);
        factor::lu_in_place(
            self.dense.as_mut(),
            &mut forward,
            &mut back,
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        );
        self.order = Some(Perm::new_checked(
            forward.into_boxed_slice(),
            back.into_boxed_slice(),
            n,
        ));
        Some(())
    }

    /// Replaces `right` by the solution.
    pub(super) fn solve(&self, right: &mut [f64]) -> Option<()> {
        let n = right.len();
        let columns = MatMut::from_column_major_slice_mut(right, n, 1);
        match &self.sparse {
            Some(sparse) => {
                let lu = LuRef::new_unchecked(&sparse.symbolic, &sparse.numeric);
                let need = sparse.symbolic.solve_in_place_scratch::<f64>(1, Par::Seq);
                let mut memory = MemBuffer::try_new(need).ok()?;
                lu.solve_in_place_with_conj(Conj::No, columns, Par::Seq, MemStack::new(&mut memory));
            }
            None => {
                let order = self.order.as_ref()?;
                let need = solve::solve_in_place_scratch::<usize, f64>(n, 1, Par::Seq);
                let mut memory = MemBuffer::try_new(StackReq::any_of(&[need])).ok()?;
                solve::solve_in_place(
                    self.dense.as_ref(),
                    self.dense.as_ref(),
                    order.as_ref(),
                    columns,
                    Par::Seq,
                    MemStack::new(&mut memory),
                );
            }
        }
        Some(())
    }
}

impl Sparse {
    fn new(bodies: usize, pairs: Vec<[u32; 2]>) -> Option<Self> {
        let mut rows: Vec<Vec<usize>> = (0..bodies).map(|b| vec![b]).collect();
        for &[i, j] in pairs.iter().filter(|p| !p.contains(&NONE)) {
            rows[j as usize].push(i as usize);
            rows[i as usize].push(j as usize);
        }
        rows.iter_mut().for_each(|r| r.sort_unstable());
        let (mut starts, mut indices) = (vec![0], Vec::new());
        for column in &rows {
            for _ in 0..6 {
                indices.extend(column.iter().flat_map(|&r| 6 * r..6 * r + 6));
                starts.push(indices.len());
            }
        }
        let find = |row: usize, column: usize| rows[column].binary_search(&row).map_or(0, |k| 6 * k);
        let mut place: Vec<usize> = (0..bodies).map(|b| find(b, b)).collect();
        for &[i, j] in &pairs {
            let both = if i == NONE || j == NONE {
                [0, 0]
            } else {
                [find(i as usize, j as usize), find(j as usize, i as usize)]
            };
            place.extend(both);
        }
        let n = 6 * bodies;
        let pattern = SymbolicSparseColMat::new_checked(n, n, starts, None, indices);
        let symbolic = factorize_symbolic_lu(pattern.as_ref(), Default::default()).ok()?;
        let values = vec![0.0; pattern.row_idx().len()];
        Some(Self {
            pairs,
            pattern,
            values,
            place,
            symbolic,
            numeric: NumericLu::new(),
        })
    }

    /// Index of the first value of a block in a column, for a block that starts `place` rows down.
    fn at(&self, place: usize, column: usize) -> usize {
        self.pattern.col_ptr()[column] + place
    }

    fn factor(&mut self) -> Option<()> {
        let matrix = SparseColMatRef::new(self.pattern.as_ref(), &self.values[..]);
        let need = self
            .symbolic
            .factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(need).ok()?;
        self.symbolic
            .factorize_numeric_lu(
                &mut self.numeric,
                matrix,
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .ok()?;
        Some(())
    }
}
