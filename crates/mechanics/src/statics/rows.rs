//! What statics hands to the Clarabel solver: rows of sparse matrices, and the problem they make.

use clarabel::{
    algebra::CscMatrix,
    solver::{DefaultSettingsBuilder, DefaultSolution, DefaultSolver, IPSolver, SupportedConeT},
};
use drystone_cone::Twist;
use glam::DVec3;

use super::Structure;

/// Where the six unknowns of each free block stand.
#[derive(Clone, Debug)]
pub(super) struct Places(Vec<Option<usize>>);

impl Places {
    pub(super) fn of(structure: &Structure) -> Self {
        let mut place = vec![None; structure.len()];
        structure.free().enumerate().for_each(|(k, b)| place[b] = Some(6 * k));
        Self(place)
    }

    /// The first unknown of a block that is free.
    pub(super) fn get(&self, block: usize) -> Option<usize> {
        self.0[block]
    }

    /// The motion of a block among the unknowns.
    pub(super) fn motion(&self, structure: &Structure, block: usize, x: &[f64]) -> Twist {
        match self.get(block) {
            None => Twist::ZERO,
            Some(k) => Twist {
                linear: DVec3::from_slice(&x[k..k + 3]),
                angular: DVec3::from_slice(&x[k + 3..k + 6]) / structure.length,
            },
        }
    }
}

/// Rows of a sparse matrix, with what they equal or are bounded by. The last is the one that is being written.
#[derive(Debug, Default)]
pub(super) struct Rows {
    i: Vec<usize>,
    j: Vec<usize>,
    v: Vec<f64>,
    pub(super) b: Vec<f64>,
}

impl Rows {
    /// Begins a row.
    pub(super) fn open(&mut self, b: f64) {
        self.b.push(b);
    }

    pub(super) fn put(&mut self, column: usize, value: f64) {
        if value != 0.0 {
            self.i.push(self.b.len() - 1);
            self.j.push(column);
            self.v.push(value);
        }
    }

    /// Adds the motion of a point of a block along an axis; turns are by the unit of length.
    pub(super) fn put_motion(&mut self, structure: &Structure, places: &Places, block: u32, at: DVec3, axis: DVec3) {
        let Some(first) = places.get(block as usize) else {
            return;
        };
        let turn = ((at - structure.center[block as usize]) / structure.length).cross(axis);
        for (c, value) in [axis.x, axis.y, axis.z, turn.x, turn.y, turn.z].into_iter().enumerate() {
            self.put(first + c, value);
        }
    }

    /// Adds the motion at a point along an axis, of the second block against the first.
    pub(super) fn put_relative(
        &mut self,
        structure: &Structure,
        places: &Places,
        p: &super::ContactPoint,
        axis: DVec3,
    ) {
        self.put_motion(structure, places, p.blocks[0], p.position, -axis);
        self.put_motion(structure, places, p.blocks[1], p.position, axis);
    }

    /// The transposed rows, with another right-hand side.
    pub(super) fn transposed(self, b: Vec<f64>) -> Self {
        Self {
            i: self.j,
            j: self.i,
            v: self.v,
            b,
        }
    }

    /// Puts others below these.
    pub(super) fn extend(&mut self, others: Self) {
        let above = self.b.len();
        self.i.extend(others.i.into_iter().map(|i| above + i));
        self.j.extend(others.j);
        self.v.extend(others.v);
        self.b.extend(others.b);
    }

    /// The matrix, and the right-hand side.
    pub(super) fn finish(self, columns: usize) -> (CscMatrix<f64>, Vec<f64>) {
        let matrix = CscMatrix::new_from_triplets(self.b.len(), columns, self.i, self.j, self.v);
        (matrix, self.b)
    }
}

/// Solves for the least of `x' P x / 2 + q' x` with what each cone's rows leave of their right-hand side in the cone, on one
/// thread. Nothing where the problem is none.
pub(super) fn solved(
    objective: &CscMatrix<f64>,
    linear: &[f64],
    rows: Rows,
    cones: &[SupportedConeT<f64>],
    precision: f64,
) -> Option<DefaultSolution<f64>> {
    let (matrix, right) = rows.finish(linear.len());
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .max_threads(1)
        .tol_gap_abs(precision)
        .tol_gap_rel(precision)
        .tol_feas(precision)
        .build()
        .ok()?;
    let mut solver = DefaultSolver::new(objective, linear, &matrix, &right, cones, settings).ok()?;
    solver.solve();
    Some(solver.solution)
}
