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
//! proximal term is added that vanishes with the residual, and the step is shortened until |G| falls.

use super::{
    jacobian::{Jacobian, Row},
    proximal::{Ended, Proximal},
};
use crate::{
    cone::{Cone, M3, V3, add, dot, scale, sub, tangential},
    measure::{corrected, measure},
    settings::Friction,
    system::{System, Work},
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
    jacobian: Jacobian,
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
        self.jacobian.prepare(system);
        let mut steps = 0;
        for gamma in TUNING.weights {
            r.copy_from_slice(&self.best);
            steps += self.descend(system, gamma, tolerance, r, &mut least);
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
        self.jacobian.prepare(system);
        self.proximal.improve(system, &mut self.jacobian, tolerance, r)
    }

    /// Newton's method for one weight, until it gets no further. Returns the number of steps.
    fn descend(&mut self, system: &System, gamma: f64, tolerance: f64, r: &mut [V3], least: &mut f64) -> usize {
        let mut rho = (0.1 * *least).clamp(TUNING.proximal_range[1], TUNING.proximal_range[0]);
        let mut size = self.residual(system, r, gamma);
        for step in 1..=TUNING.steps_per_weight {
            if system.stop.is_set() {
                return step;
            }
            let found = self
                .step(system, r, rho, gamma)
                .and_then(|d| self.search(system, r, &d, gamma, size));
            let Some((length, here)) = found else {
                // No step along it helps, or a pivot was zero: a shorter one, nearer to the gradient's.
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

    /// Newton's step: (I - P' + P' (C (N + E) + rho)) d = -G, with C the derivative of ũ by u. Where P' is zero, as at every
    /// contact that is open, the row says d = -G at once.
    fn step(&mut self, system: &System, r: &[V3], rho: f64, gamma: f64) -> Option<Vec<V3>> {
        let mut d: Vec<V3> = self.g.iter().map(|g| scale(g, -1.0)).collect();
        let rows: Vec<Option<Row>> = (0..r.len()).map(|i| self.linearise(system, r, rho, gamma, i)).collect();
        self.jacobian.solve(&rows, &mut d);
        d.iter().flatten().all(|x| x.is_finite()).then_some(d)
    }

    /// The derivative of one row of G, or nothing where P' is zero.
    fn linearise(&self, system: &System, r: &[V3], rho: f64, gamma: f64, index: usize) -> Option<Row> {
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
        Some(Row { own, slope })
    }
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
