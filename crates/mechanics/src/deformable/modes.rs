//! Natural frequencies of the free block: K x = omega² M x, by subspace iteration on what is orthogonal to rigid motion
//! (K.-J. Bathe, E. L. Wilson, 1972).

use faer::{
    Accum, Mat, MatRef, Par,
    dyn_stack::{MemBuffer, MemStack},
    linalg::{
        evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch},
        matmul::matmul,
    },
};
use glam::DVec3;

use super::{Elastic, Response};

/// Rigid modes of a block.
const RIGID: usize = 6;
/// Iterations end when no eigenvalue changes by more than this fraction.
const CHANGE: f64 = 1e-11;
const ITERATIONS: usize = 300;
/// Mass added to the stiffness for the iteration, as a fraction of the stiffest entries: enough to factorise with the rigid
/// modes, too little to slow convergence.
const SHIFT: f64 = 1e-9;

impl Elastic {
    /// The lowest natural frequencies of the free block (Hz), in rising order. The first six are those of rigid motion, zero.
    /// NaN stands for what could not be computed, because elements are too distorted.
    pub fn lowest_frequencies(&self, count: usize) -> Vec<f64> {
        let wanted = count.saturating_sub(RIGID);
        let elastic = self.lowest_eigenvalues(wanted);
        let to_hertz = |square: f64| square.sqrt() / std::f64::consts::TAU;
        let rigid = std::iter::repeat_n(0.0, RIGID.min(count));
        rigid.chain(elastic.into_iter().map(to_hertz)).collect()
    }

    /// Period of the first elastic mode of the free block (s).
    pub fn first_period(&self) -> f64 {
        let square = self.lowest_eigenvalues(1).first().copied().unwrap_or(f64::NAN);
        std::f64::consts::TAU / square.sqrt()
    }

    /// Squares of the lowest elastic angular frequencies (1/s²), as many as wanted or as there are; NaN where the block cannot
    /// be factorised.
    fn lowest_eigenvalues(&self, wanted: usize) -> Vec<f64> {
        let n = self.node_count();
        let wanted = wanted.min((3 * n).saturating_sub(RIGID));
        let side = (2 * wanted).max(wanted + 8).min((3 * n).saturating_sub(RIGID));
        let (m, k) = self.largest();
        let Ok(mut response) = Response::new(self, SHIFT * k / m, 1.0) else {
            return vec![f64::NAN; wanted];
        };
        if wanted == 0 {
            return Vec::new();
        }
        let whole = side + RIGID == 3 * n;
        let mut x = start(n, side);
        let mut kx = vec![vec![DVec3::ZERO; n]; side];
        let mut mx = kx.clone();
        x.iter_mut().for_each(|x| self.remove_rigid(x));
        let mut values = vec![f64::NAN; wanted];
        for _ in 0..ITERATIONS {
            // In the whole space there is nothing to iterate; further rounds only make the basis orthogonal.
            for x in x.iter_mut().filter(|_| !whole) {
                self.mass_times(x, &mut mx[0]);
                x.copy_from_slice(&mx[0]);
                response.solve(self, x);
            }
            for j in 0..x.len() {
                self.stiffness_times(&x[j], &mut kx[j]);
                self.mass_times(&x[j], &mut mx[j]);
            }
            let Some((ritz, vectors)) = project(&x, &kx, &mx) else {
                break;
            };
            if ritz.len() < wanted {
                break;
            }
            x = combine(&x, &vectors);
            let change = |(new, old): (&f64, &f64)| ((new - old) / new).abs();
            let done = ritz.iter().zip(&values).all(|pair| change(pair) <= CHANGE);
            values.copy_from_slice(&ritz[..wanted]);
            if done {
                break;
            }
        }
        values
    }
}

/// Vectors without symmetry, the same in every run.
fn start(nodes: usize, count: usize) -> Vec<Vec<DVec3>> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut number = || {
        // xorshift64 (G. Marsaglia, 2003).
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let mut vector = || (0..nodes).map(|_| DVec3::new(number(), number(), number())).collect();
    (0..count).map(|_| vector()).collect()
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

/// Eigenvalues in rising order and eigenvectors (by columns, of unit mass) of the problem restricted to the vectors `x`.
fn project(x: &[Vec<DVec3>], kx: &[Vec<DVec3>], mx: &[Vec<DVec3>]) -> Option<(Vec<f64>, Mat<f64>)> {
    let side = x.len();
    let scale: Vec<f64> = (0..side).map(|i| 1.0 / dot(&x[i], &mx[i]).sqrt()).collect();
    let restricted = |ax: &[Vec<DVec3>]| {
        let entry = |i: usize, j: usize| {
            let (i, j) = (i.max(j), i.min(j));
            dot(&x[i], &ax[j]) * scale[i] * scale[j]
        };
        Mat::<f64>::from_fn(side, side, entry)
    };
    // Through the eigenvectors of the mass: vectors that have become parallel drop out rather than spoil the others.
    let (masses, basis) = eigen(&restricted(mx))?;
    let lost = masses.iter().take_while(|&&m| !(m > 1e-13 * masses[side - 1])).count();
    let whitened = Mat::<f64>::from_fn(side, side - lost, |i, j| basis[(i, j + lost)] / masses[j + lost].sqrt());
    let stiffness = times(
        whitened.transpose(),
        times(restricted(kx).as_ref(), whitened.as_ref()).as_ref(),
    );
    let (values, vectors) = eigen(&stiffness)?;
    let vectors = times(whitened.as_ref(), vectors.as_ref());
    let vectors = Mat::from_fn(side, side - lost, |i, j| vectors[(i, j)] * scale[i]);
    Some((values, vectors))
}

/// A product on one thread: the bits must not depend on how many there are.
fn times(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut product = Mat::zeros(a.nrows(), b.ncols());
    matmul(product.as_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
    product
}

fn eigen(matrix: &Mat<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let side = matrix.nrows();
    let mut values = faer::diag::Diag::<f64>::zeros(side);
    let mut vectors = Mat::<f64>::zeros(side, side);
    let scratch = self_adjoint_evd_scratch::<f64>(side, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    self_adjoint_evd(
        matrix.as_ref(),
        values.as_mut(),
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .ok()?;
    let values = values.column_vector().iter().copied().collect();
    Some((values, vectors))
}

/// Columns of `x` times a matrix.
fn combine(x: &[Vec<DVec3>], by: &Mat<f64>) -> Vec<Vec<DVec3>> {
    let nodes = x.first().map_or(0, Vec::len);
    let column = |j: usize| {
        let mut sum = vec![DVec3::ZERO; nodes];
        for (i, x) in x.iter().enumerate() {
            for (sum, x) in sum.iter_mut().zip(x) {
                *sum += *x * by[(i, j)];
            }
        }
        sum
    };
    (0..by.ncols()).map(column).collect()
}
