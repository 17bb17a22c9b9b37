//! Coulomb friction by proximal points, for what Newton's method on the natural map leaves.
//!
//! Where contacts are redundant and many are about to stick, slide or open, the natural map has local minima that are
//! no solution, from which no step of Newton's makes it smaller. Impulses must then change a lot before the status of a
//! contact does. Proximal points go that way. Each round gives every contact a compliance rho about the impulses c of the
//! last round,
//!
//! ```text
//! r = P_K(c - ũ / rho),    ũ = u + mu |u_t| n,    u = L v + q,    L L' = N + E
//! ```
//!
//! which is a system of equations in v = L' r alone,
//!
//! ```text
//! h(v) = v - L' P_K(c - ũ(v) / rho) = 0
//! ```
//!
//! that Newton's method solves within a few steps; there are as many unknowns as N has rank, far fewer than impulses.
//! Nothing of rho is left where c no longer changes. In a local minimum the impulses drift by the same amount in every round,
//! which is the larger the smaller rho is: it shrinks where a round is easy and grows where one fails. The natural map may
//! rise for some time on the way; the best that was met is returned.

use faer::{Accum, Mat, MatRef, Par, linalg::matmul::matmul};

use super::direct::{slope, solve_dense};
use crate::{
    cone::{M3, V3, dot, scale, sub},
    measure::{corrected, measure},
    stages::SolverStageOutcome,
    system::{System, Work},
};

const TUNING: crate::tuning::Proximal = crate::Tuning::DEFAULT.proximal;

/// The method, and its memory.
#[derive(Debug, Default)]
pub(crate) struct Proximal {
    work: Work,
    u: Vec<V3>,
    best: Vec<V3>,
    partial: Vec<[f64; 5]>,
}

/// How the stage ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    /// What the natural map falls to.
    pub(crate) residual: f64,
    /// Newton steps.
    pub(crate) steps: usize,
    pub(crate) outcome: SolverStageOutcome,
}

/// Where a round is: v, the impulses that belong to it, less their derivative by u, h and its norm.
#[derive(Debug)]
struct Place {
    v: Mat<f64>,
    r: Vec<V3>,
    slope: Vec<M3>,
    h: Mat<f64>,
    size: f64,
}

impl Proximal {
    /// Improves `r`, of which the natural map is above `tolerance`, for a problem with Coulomb friction and the matrix N + E.
    pub(crate) fn improve(&mut self, system: &System, matrix: &Mat<f64>, tolerance: f64, r: &mut [V3]) -> Ended {
        self.u.resize(system.len(), [0.0; 3]);
        self.best.clear();
        self.best.extend_from_slice(r);
        let mut merit = self.merit(system, r);
        let (mut least, first) = (merit, merit);
        if !(merit <= TUNING.largest_residual) {
            return Ended {
                residual: least,
                steps: 0,
                outcome: SolverStageOutcome::TooFar,
            };
        }
        let root = factor(matrix);
        let work = (root.nrows() * root.ncols() * root.ncols()) as f64;
        let limit = TUNING.steps.min((TUNING.multiplications / work.max(1.0)) as usize);
        let load = system.q.iter().map(|q| dot(q, q)).sum::<f64>().sqrt();
        let (mut rho, mut steps) = (TUNING.first_compliance, 0);
        while least > tolerance && steps < limit && !system.stop.is_set() {
            let (next, taken) = round(system, &root, r, rho, TUNING.tighten * merit * load);
            steps += taken.max(1);
            let Some(next) = next else {
                if rho >= TUNING.compliance_range[1] {
                    break;
                }
                rho = (8.0 * rho).min(TUNING.compliance_range[1]);
                continue;
            };
            r.copy_from_slice(&next);
            merit = self.merit(system, r);
            if merit < least {
                least = merit;
                self.best.copy_from_slice(r);
            }
            if taken <= TUNING.easy_steps {
                rho = (0.5 * rho).max(TUNING.compliance_range[0]);
            }
        }
        r.copy_from_slice(&self.best);
        let by_work = limit < TUNING.steps;
        Ended {
            residual: least,
            steps,
            outcome: if least <= tolerance {
                SolverStageOutcome::Solved
            } else if steps >= limit && by_work {
                SolverStageOutcome::WorkLimit
            } else if steps >= limit {
                SolverStageOutcome::IterationLimit
            } else if least < first {
                SolverStageOutcome::Improved
            } else {
                SolverStageOutcome::Stalled
            },
        }
    }

    fn merit(&mut self, system: &System, r: &[V3]) -> f64 {
        system.velocity(r, &mut self.work, &mut self.u);
        measure(system, r, &self.u, &mut self.partial).natural_map
    }
}

/// One round about `centre`, until h falls to `enough`. Returns its impulses, if it got there, and the number of steps.
fn round(system: &System, root: &Mat<f64>, centre: &[V3], rho: f64, enough: f64) -> (Option<Vec<V3>>, usize) {
    let v = product(root.transpose(), column(centre).as_ref());
    let mut here = place(system, root, centre, rho, v);
    for step in 0..=TUNING.steps_per_round {
        if here.size <= enough {
            return (Some(here.r), step);
        }
        if step == TUNING.steps_per_round {
            break;
        }
        let d = newton(root, &here);
        let mut length = 1.0;
        here = loop {
            let v = Mat::from_fn(d.nrows(), 1, |i, _| here.v[(i, 0)] + length * d[(i, 0)]);
            let trial = place(system, root, centre, rho, v);
            if trial.size < (1.0 - 1e-3 * length) * here.size {
                break trial;
            }
            length *= 0.5;
            if length < 1e-3 {
                return (None, step + 1);
            }
        };
    }
    (None, TUNING.steps_per_round)
}

/// Evaluates h at v.
fn place(system: &System, root: &Mat<f64>, centre: &[V3], rho: f64, v: Mat<f64>) -> Place {
    let u = product(root.as_ref(), v.as_ref());
    let (mut r, mut slopes) = (Vec::with_capacity(centre.len()), Vec::with_capacity(centre.len()));
    for (i, centre) in centre.iter().enumerate() {
        let cone = system.cones[i];
        let u: V3 = std::array::from_fn(|k| u[(3 * i + k, 0)] + system.q[i][k]);
        let y = sub(centre, &scale(&corrected(system.friction, cone, &u), 1.0 / rho));
        r.push(cone.project(&y));
        slopes.push(slope(system.friction, cone, &cone.derivative(&y), &u, 1.0 / rho));
    }
    let caused = product(root.transpose(), column(&r).as_ref());
    let h = Mat::from_fn(v.nrows(), 1, |i, _| v[(i, 0)] - caused[(i, 0)]);
    let size = (0..h.nrows()).map(|i| h[(i, 0)] * h[(i, 0)]).sum::<f64>().sqrt();
    Place {
        v,
        r,
        slope: slopes,
        h,
        size,
    }
}

/// Newton's step: (I + L' P' C L / rho) d = -h. Contacts that are open have no part in it.
fn newton(root: &Mat<f64>, here: &Place) -> Mat<f64> {
    let rank = root.ncols();
    let pushed: Vec<usize> = (0..here.r.len())
        .filter(|&i| here.slope[i].iter().flatten().any(|x| *x != 0.0))
        .collect();
    let rows = 3 * pushed.len();
    let (mut left, mut right) = (Mat::<f64>::zeros(rows, rank), Mat::<f64>::zeros(rows, rank));
    for c in 0..rank {
        for (k, &i) in pushed.iter().enumerate() {
            let x: V3 = std::array::from_fn(|a| root[(3 * i + a, c)]);
            for a in 0..3 {
                left[(3 * k + a, c)] = x[a];
                right[(3 * k + a, c)] = dot(&here.slope[i][a], &x);
            }
        }
    }
    let mut jacobian = Mat::<f64>::identity(rank, rank);
    matmul(
        jacobian.as_mut(),
        Accum::Add,
        left.transpose(),
        right.as_ref(),
        1.0,
        Par::Seq,
    );
    let mut d = Mat::from_fn(rank, 1, |i, _| -here.h[(i, 0)]);
    solve_dense(&mut jacobian, &mut d);
    d
}

/// A product on one thread, so that the bits do not depend on their number.
fn product(left: MatRef<'_, f64>, right: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(left.nrows(), right.ncols());
    matmul(out.as_mut(), Accum::Replace, left, right, 1.0, Par::Seq);
    out
}

fn column(r: &[V3]) -> Mat<f64> {
    Mat::from_fn(3 * r.len(), 1, |i, _| r[i / 3][i % 3])
}

/// L with L L' = `matrix`, symmetric and positive semidefinite, and as many columns as it has rank: Cholesky's factor, the
/// largest pivot first.
fn factor(matrix: &Mat<f64>) -> Mat<f64> {
    let n = matrix.nrows();
    let mut left: Vec<f64> = (0..n).map(|i| matrix[(i, i)]).collect();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let first = left.iter().copied().fold(0.0, f64::max);
    while columns.len() < n {
        let (pivot, most) = left
            .iter()
            .enumerate()
            .fold((0, 0.0), |best, (i, &x)| if x > best.1 { (i, x) } else { best });
        if !(most > TUNING.rank * first) {
            break;
        }
        let mut next: Vec<f64> = (0..n).map(|i| matrix[(i, pivot)]).collect();
        for column in &columns {
            let factor = column[pivot];
            if factor != 0.0 {
                next.iter_mut().zip(column).for_each(|(x, y)| *x -= factor * y);
            }
        }
        let scale = 1.0 / most.sqrt();
        for (x, left) in next.iter_mut().zip(&mut left) {
            *x *= scale;
            *left -= *x * *x;
        }
        left[pivot] = 0.0;
        columns.push(next);
    }
    Mat::from_fn(n, columns.len(), |i, j| columns[j][i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_of_a_singular_matrix_has_its_rank_and_gives_it_back() {
        let thin = Mat::from_fn(9, 4, |i, j| ((3 * i + 7 * j + i * j) % 11) as f64 - 5.0);
        let matrix = &thin * thin.transpose();
        let root = factor(&matrix);
        assert_eq!(root.ncols(), 4);
        let again = &root * root.transpose();
        for i in 0..9 {
            for j in 0..9 {
                assert!((again[(i, j)] - matrix[(i, j)]).abs() < 1e-10);
            }
        }
    }
}
