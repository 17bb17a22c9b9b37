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
//! the stage is for small problems.

use faer::{
    Mat, Par,
    dyn_stack::{MemBuffer, MemStack, StackReq},
    linalg::lu::partial_pivoting::{factor, solve},
};

use super::proximal::{Ended, Proximal};
use crate::{
    cone::{Cone, M3, V3, add, dot, scale, sub, tangential},
    measure::{corrected, measure},
    settings::Friction,
    system::{Operator, System, Work},
};

const TUNING: crate::tuning::Polish = crate::Tuning::DEFAULT.polish;

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
    proximal: Proximal,
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
        let mut least = self.merit(system, r);
        let before = least;
        if n > TUNING.most_constraints || !(least > tolerance) {
            return (before, least, 0);
        }
        let matrix = self.fill(system);
        let mut steps = 0;
        for gamma in TUNING.weights {
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

    /// Improves `r` by proximal points where [`Self::polish`] ended in a local minimum.
    pub(crate) fn leave_local_minimum(&mut self, system: &System, tolerance: f64, r: &mut [V3]) -> Ended {
        for list in [&mut self.trial, &mut self.projected] {
            list.resize(system.len(), [0.0; 3]);
        }
        let matrix = self.fill(system);
        self.proximal.improve(system, &matrix, tolerance, r)
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
        let mut rho = (0.1 * *least).clamp(TUNING.proximal_range[1], TUNING.proximal_range[0]);
        let mut size = self.residual(system, r, gamma);
        for step in 1..=TUNING.steps_per_weight {
            if system.stop.is_set() {
                return step;
            }
            let Some(d) = self.step(system, matrix, r, rho, gamma) else {
                return step;
            };
            let Some((length, here)) = self.search(system, r, &d, gamma, size) else {
                // No step along it helps: a shorter one, nearer to the gradient's.
                self.residual(system, r, gamma);
                rho *= 30.0;
                if rho > TUNING.proximal_range[0] {
                    return step;
                }
                continue;
            };
            rho = if length == 1.0 {
                (0.1 * rho).max(TUNING.proximal_range[1])
            } else {
                (2.0 * rho).min(TUNING.proximal_range[0])
            };
            size = here;
            r.copy_from_slice(&self.trial);
            let merit = self.merit(system, r);
            if merit < *least {
                *least = merit;
                self.best.copy_from_slice(&self.projected);
            }
            if *least <= tolerance {
                return step;
            }
            self.residual(system, r, gamma);
        }
        TUNING.steps_per_weight
    }

    /// Halves the step until |G| falls. Leaves the new impulses in `trial`; returns the length, and |G| there.
    fn search(&mut self, system: &System, r: &[V3], d: &[V3], gamma: f64, size: f64) -> Option<(f64, f64)> {
        let mut length = 1.0;
        let mut trial = std::mem::take(&mut self.trial);
        let mut found = None;
        for _ in 0..10 {
            for (i, trial) in trial.iter_mut().enumerate() {
                *trial = add(&r[i], &scale(&d[i], length));
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
    fn merit(&mut self, system: &System, r: &[V3]) -> f64 {
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

    /// Newton's step: (I - P' + P' (C (N + E) + rho)) d = -G, with C the derivative of ũ by u. Where P' is zero, as at every
    /// contact that is open, the row says d = -G at once; the matrix holds the other constraints alone.
    fn step(&mut self, system: &System, matrix: &Mat<f64>, r: &[V3], rho: f64, gamma: f64) -> Option<Vec<V3>> {
        let mut d: Vec<V3> = self.g.iter().map(|g| scale(g, -1.0)).collect();
        let pushed: Vec<Pushed> = (0..r.len())
            .filter_map(|i| self.linearise(system, r, rho, gamma, i))
            .collect();
        // What the steps of the others do to these.
        let mut others = d.clone();
        pushed.iter().for_each(|p| others[p.index] = [0.0; 3]);
        let mut caused = std::mem::take(&mut self.projected);
        system.multiply(&others, &mut self.work, &mut caused);
        let n = 3 * pushed.len();
        let mut jacobian = Mat::<f64>::zeros(n, n);
        for (k, column) in pushed.iter().enumerate() {
            for c in 0..3 {
                let from = matrix.col(3 * column.index + c);
                let mut to = jacobian.col_mut(3 * k + c);
                for (l, row) in pushed.iter().enumerate() {
                    let x: V3 = std::array::from_fn(|b| from[3 * row.index + b]);
                    for (a, slope) in row.slope.iter().enumerate() {
                        to[3 * l + a] = dot(slope, &x);
                    }
                }
                for a in 0..3 {
                    to[3 * k + a] += column.own[a][c];
                }
            }
        }
        let mut right = Mat::from_fn(n, 1, |k, _| {
            let p = &pushed[k / 3];
            d[p.index][k % 3] - dot(&p.slope[k % 3], &caused[p.index])
        });
        self.projected = caused;
        if n > 0 {
            solve_dense(&mut jacobian, &mut right);
        }
        for (k, p) in pushed.iter().enumerate() {
            d[p.index] = std::array::from_fn(|a| right[(3 * k + a, 0)]);
        }
        d.iter().flatten().all(|x| x.is_finite()).then_some(d)
    }

    /// The derivative of one row of G, or nothing where P' is zero.
    fn linearise(&self, system: &System, r: &[V3], rho: f64, gamma: f64, index: usize) -> Option<Pushed> {
        let (cone, u) = (system.cones[index], &self.u[index]);
        let y = sub(&r[index], &scale(&corrected(system.friction, cone, u), gamma));
        let p = cone.derivative(&y);
        if p.iter().flatten().all(|x| *x == 0.0) {
            return None;
        }
        let slope = slope(system.friction, cone, &p, u, gamma);
        let own = std::array::from_fn(|a| {
            std::array::from_fn(|b| if a == b { 1.0 } else { 0.0 } + (gamma * rho - 1.0) * p[a][b])
        });
        Some(Pushed { index, slope, own })
    }
}

/// A constraint whose impulse follows its velocity.
#[derive(Clone, Copy, Debug)]
struct Pushed {
    index: usize,
    /// gamma P' C, which multiplies its rows of N + E.
    slope: M3,
    /// What is added to its own block.
    own: M3,
}

/// gamma P' C for the derivative P' of a projection, with C the derivative of ũ by u.
pub(super) fn slope(friction: Friction, cone: Cone, p: &M3, u: &V3, gamma: f64) -> M3 {
    let t = tangential(u);
    let lift = match cone {
        Cone::Friction(mu) if t > 0.0 && friction == Friction::Coulomb => [mu * u[1] / t, mu * u[2] / t],
        _ => [0.0; 2],
    };
    std::array::from_fn(|a| [p[a][0], p[a][1] + p[a][0] * lift[0], p[a][2] + p[a][0] * lift[1]].map(|x| gamma * x))
}

/// Replaces `right` by the solution; `matrix` is used up. On one thread, so that the bits do not depend on their number.
pub(super) fn solve_dense(matrix: &mut Mat<f64>, right: &mut Mat<f64>) {
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
