//! The end game: a regularised Newton method on the natural map.
//!
//! With ũ(r) = u for associated friction and ũ(r) = u + mu |u_t| n for Coulomb's, u = N r + q + E r, the impulses solve
//! the problem where
//!
//! ```text
//! G(r) = r - P_K(r - ũ(r)) = 0
//! ```
//!
//! The fixed point over convex problems that solves Coulomb's closes in on such impulses at a steady rate, which is slow
//! where much slides; and the interior-point method loses the last digits to its own scaling. From close by, Newton's
//! method with a derivative of G takes a few steps. G' is unsymmetric, and singular where contacts are redundant, so a
//! proximal term is added that vanishes with the residual, and the step is shortened until |G| falls. The matrix is dense:
//! the method is for problems of at most [`MOST`] constraints.

use faer::{
    Mat, Par,
    dyn_stack::{MemBuffer, MemStack, StackReq},
    linalg::lu::partial_pivoting::{factor, solve},
};

use crate::{
    cone::{Cone, M3, V3, dot, scale, sub, tangential},
    measure::{corrected, measure},
    settings::Friction,
    system::{Operator, System, Work},
};

/// Constraints up to which a dense matrix is worth it.
pub(crate) const MOST: usize = 1500;
/// Newton steps for one weight.
const LIMIT: usize = 60;
/// Weights of the velocity in the natural map, tried one after another: where one of the maps has a hollow that is no
/// solution, another has none.
const GAMMAS: [f64; 2] = [1.0, 30.0];
/// The largest and the least proximal term; diagonal blocks of N are about one.
const RHO: [f64; 2] = [1e-1, 1e-13];

/// The method, and its memory.
#[derive(Debug, Default)]
pub(crate) struct Direct {
    work: Work,
    u: Vec<V3>,
    g: Vec<V3>,
    trial: Vec<V3>,
    projected: Vec<V3>,
    best: Vec<V3>,
    given: Vec<V3>,
    partial: Vec<[f64; 5]>,
}

impl Direct {
    /// Improves `r` until the natural map falls to `tolerance`, and leaves it as it was where it does not fall to `gain` of
    /// what it was. Returns what it was, what it falls to, and the number of
    /// steps.
    pub(crate) fn polish(&mut self, system: &System, tolerance: f64, gain: f64, r: &mut [V3]) -> (f64, f64, usize) {
        let n = system.len();
        for list in [&mut self.u, &mut self.g, &mut self.trial, &mut self.projected] {
            list.resize(n, [0.0; 3]);
        }
        self.best.clear();
        self.best.extend_from_slice(r);
        self.given.clear();
        self.given.extend_from_slice(r);
        let mut least = self.figure(system, r);
        let before = least;
        if n > MOST || !(least > tolerance) {
            return (before, least, 0);
        }
        let matrix = self.fill(system);
        let mut steps = 0;
        for gamma in GAMMAS {
            r.copy_from_slice(&self.best);
            steps += self.descend(system, &matrix, gamma, tolerance, r, &mut least);
            if least <= tolerance {
                break;
            }
        }
        if least <= gain * before {
            r.copy_from_slice(&self.best);
            (before, least, steps)
        } else {
            r.copy_from_slice(&self.given);
            (before, before, steps)
        }
    }

    /// Newton's method for one weight, until it gets no further. Returns the number of steps.
    fn descend(
        &mut self,
        system: &System,
        matrix: &Mat<f64>,
        gamma: f64,
        tolerance: f64,
        r: &mut [V3],
        least: &mut f64,
    ) -> usize {
        let mut rho = (0.1 * *least).clamp(RHO[1], RHO[0]);
        let mut size = self.residual(system, r, gamma);
        for step in 1..=LIMIT {
            let Some(d) = self.step(system, matrix, r, rho, gamma) else {
                return step;
            };
            let Some((length, here)) = self.search(system, r, &d, gamma, size) else {
                // No step along it helps: a shorter one, nearer to the gradient's.
                self.residual(system, r, gamma);
                rho *= 30.0;
                if rho > RHO[0] {
                    return step;
                }
                continue;
            };
            rho = if length == 1.0 {
                (0.1 * rho).max(RHO[1])
            } else {
                (2.0 * rho).min(RHO[0])
            };
            size = here;
            r.copy_from_slice(&self.trial);
            let figure = self.figure(system, r);
            if figure < *least {
                *least = figure;
                self.best.copy_from_slice(&self.projected);
            }
            if *least <= tolerance {
                return step;
            }
            self.residual(system, r, gamma);
        }
        LIMIT
    }

    /// Halves the step until |G| falls. Leaves the new impulses in `trial`; returns the length, and |G| there.
    fn search(&mut self, system: &System, r: &[V3], d: &Mat<f64>, gamma: f64, size: f64) -> Option<(f64, f64)> {
        let mut length = 1.0;
        let mut trial = std::mem::take(&mut self.trial);
        let mut found = None;
        for _ in 0..10 {
            for (i, trial) in trial.iter_mut().enumerate() {
                *trial = std::array::from_fn(|k| r[i][k] + length * d[(3 * i + k, 0)]);
            }
            let here = self.residual(system, &trial, gamma);
            if here < (1.0 - 1e-3 * length) * size {
                found = Some((length, here));
                break;
            }
            length *= 0.5;
        }
        self.trial = trial;
        found
    }

    /// The natural map of the impulses nearest to `r` in their cones, which are left in `projected`.
    fn figure(&mut self, system: &System, r: &[V3]) -> f64 {
        for (p, (r, cone)) in self.projected.iter_mut().zip(r.iter().zip(&system.cones)) {
            *p = cone.project(r);
        }
        system.velocity(&self.projected, &mut self.work, &mut self.u);
        measure(system, &self.projected, &self.u, &mut self.partial).natural_map
    }

    /// Sets u and G; returns |G|.
    fn residual(&mut self, system: &System, r: &[V3], gamma: f64) -> f64 {
        system.velocity(r, &mut self.work, &mut self.u);
        let mut sum = 0.0;
        for i in 0..r.len() {
            let cone = system.cones[i];
            let y = sub(&r[i], &scale(&corrected(system.friction, cone, &self.u[i]), gamma));
            self.g[i] = sub(&r[i], &cone.project(&y));
            sum += dot(&self.g[i], &self.g[i]);
        }
        sum.sqrt()
    }

    /// N + E.
    fn fill(&mut self, system: &System) -> Mat<f64> {
        let n = system.len();
        let mut dense = Mat::zeros(3 * n, 3 * n);
        match &system.operator {
            Operator::Matrix(matrix) => {
                for i in 0..n {
                    for k in matrix.start[i] as usize..matrix.start[i + 1] as usize {
                        let j = matrix.column[k] as usize;
                        for (a, row) in matrix.block[k].iter().enumerate() {
                            for (b, value) in row.iter().enumerate() {
                                dense[(3 * i + a, 3 * j + b)] = *value;
                            }
                        }
                    }
                }
            }
            Operator::Bodies(_) => {
                for j in 0..3 * n {
                    self.trial.fill([0.0; 3]);
                    self.trial[j / 3][j % 3] = 1.0;
                    system.multiply(&self.trial, &mut self.work, &mut self.projected);
                    for i in 0..3 * n {
                        dense[(i, j)] = self.projected[i / 3][i % 3];
                    }
                }
            }
        }
        for (i, e) in system.compliance.iter().enumerate() {
            for (k, e) in e.iter().enumerate() {
                dense[(3 * i + k, 3 * i + k)] += e;
            }
        }
        dense
    }

    /// Newton's step: (I - P' + P' (C (N + E) + rho)) d = -G, with C the derivative of ũ by u.
    fn step(&self, system: &System, matrix: &Mat<f64>, r: &[V3], rho: f64, gamma: f64) -> Option<Mat<f64>> {
        let n = r.len();
        // P' C of each constraint, and the rest of the diagonal.
        let mut blocks: Vec<(M3, M3)> = Vec::with_capacity(n);
        for i in 0..n {
            let (cone, u) = (system.cones[i], &self.u[i]);
            let y = sub(&r[i], &scale(&corrected(system.friction, cone, u), gamma));
            let p = cone.derivative(&y);
            let t = tangential(u);
            let slope = match cone {
                Cone::Friction(mu) if t > 0.0 && system.friction == Friction::Coulomb => [mu * u[1] / t, mu * u[2] / t],
                _ => [0.0; 2],
            };
            let pc: M3 = std::array::from_fn(|a| {
                [p[a][0], p[a][1] + p[a][0] * slope[0], p[a][2] + p[a][0] * slope[1]].map(|x| gamma * x)
            });
            let rest: M3 = std::array::from_fn(|a| {
                std::array::from_fn(|b| if a == b { 1.0 } else { 0.0 } + (gamma * rho - 1.0) * p[a][b])
            });
            blocks.push((pc, rest));
        }
        let mut jacobian = Mat::<f64>::zeros(3 * n, 3 * n);
        for j in 0..3 * n {
            for i in 0..n {
                let x: V3 = std::array::from_fn(|b| matrix[(3 * i + b, j)]);
                for (a, row) in blocks[i].0.iter().enumerate() {
                    jacobian[(3 * i + a, j)] = dot(row, &x);
                }
            }
            for a in 0..3 {
                jacobian[(3 * (j / 3) + a, j)] += blocks[j / 3].1[a][j % 3];
            }
        }
        let mut d = Mat::from_fn(3 * n, 1, |i, _| -self.g[i / 3][i % 3]);
        solve_dense(&mut jacobian, &mut d);
        (0..3 * n).all(|i| d[(i, 0)].is_finite()).then_some(d)
    }
}

/// Replaces `right` by the solution; `matrix` is used up. On one thread, so that the bits do not depend on their number.
fn solve_dense(matrix: &mut Mat<f64>, right: &mut Mat<f64>) {
    let n = matrix.nrows();
    let (mut forward, mut backward) = (vec![0_usize; n], vec![0_usize; n]);
    let mut memory = MemBuffer::new(StackReq::any_of(&[
        factor::lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Default::default()),
        solve::solve_in_place_scratch::<usize, f64>(n, 1, Par::Seq),
    ]));
    let stack = MemStack::new(&mut memory);
    let (_, order) = factor::lu_in_place(
        matrix.as_mut(),
        &mut forward,
        &mut backward,
        Par::Seq,
        stack,
        Default::default(),
    );
    solve::solve_in_place(matrix.as_ref(), matrix.as_ref(), order, right.as_mut(), Par::Seq, stack);
}
