//! Coulomb friction by proximal points, for what Newton's method on the natural map leaves.
//!
//! Where contacts are redundant and many are about to stick, slide or open, the natural map has local minima that are
//! no solution, from which no step of Newton's makes it smaller. Impulses must then change a lot before the status of a
//! contact does. Proximal points go that way. Each round gives every contact a compliance rho about the impulses c of the
//! last round,
//!
//! ```text
//! g(r) = r - P_K(c - ũ / rho) = 0,    ũ = u + mu |u_t| n,    u = (N + E) r + q
//! ```
//!
//! that Newton's method solves within a few steps. Only (N + E) r counts, so g is measured by g.(N + E)g.
//! Nothing of rho is left where c no longer changes. In a local minimum the impulses drift by the same amount in every round,
//! which is the larger the smaller rho is: it shrinks where a round is easy and grows where one fails. The natural map may
//! rise for some time on the way; the best that was met is returned.

use super::{
    direct::slope,
    jacobian::{Jacobian, Row},
};
use crate::{
    cone::{V3, add, dot, scale, sub, times},
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

/// Where a round is: r and u, P_K(c - ũ / rho), g, its derivative and its size.
#[derive(Debug)]
struct Place {
    r: Vec<V3>,
    u: Vec<V3>,
    projected: Vec<V3>,
    g: Vec<V3>,
    rows: Vec<Option<Row>>,
    size: f64,
}

impl Proximal {
    /// Improves `r`, of which the natural map is above `tolerance`, for a problem with Coulomb friction.
    pub(super) fn improve(&mut self, system: &System, jacobian: &mut Jacobian, tolerance: f64, r: &mut [V3]) -> Ended {
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
        let limit = TUNING
            .steps
            .min((TUNING.multiplications / jacobian.work().max(1.0)) as usize);
        let load = system.q.iter().map(|q| dot(q, q)).sum::<f64>().sqrt();
        let (mut rho, mut steps) = (TUNING.first_compliance, 0);
        while least > tolerance && steps < limit && !system.stop.is_set() {
            let (next, taken) = round(system, jacobian, r, rho, TUNING.tighten * merit * load);
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

/// One round about `centre`, until g falls to `enough`. Returns its impulses, if it got there, and the number of steps.
fn round(system: &System, jacobian: &mut Jacobian, centre: &[V3], rho: f64, enough: f64) -> (Option<Vec<V3>>, usize) {
    let mut u = vec![[0.0; 3]; centre.len()];
    jacobian.multiply(centre, &mut u);
    u.iter_mut().zip(&system.q).for_each(|(u, q)| *u = add(u, q));
    let mut caused = u.clone();
    let mut here = place(system, jacobian, centre, rho, (centre.to_vec(), u));
    for step in 0..=TUNING.steps_per_round {
        if here.size <= enough {
            return (Some(here.projected), step);
        }
        if step == TUNING.steps_per_round {
            break;
        }
        let d = newton(jacobian, &here);
        jacobian.multiply(&d, &mut caused);
        let mut length = 1.0;
        here = loop {
            let moved = |from: &[V3], by: &[V3]| from.iter().zip(by).map(|(x, d)| add(x, &scale(d, length))).collect();
            let trial = place(
                system,
                jacobian,
                centre,
                rho,
                (moved(&here.r, &d), moved(&here.u, &caused)),
            );
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

/// Evaluates g at r. u comes with it, carried along from step to step: computed from r afresh, it would lose the digits of large
/// impulses that balance each other, which 1 / rho makes visible. The derivative is I + P' C (N + E) / rho; rows are divided by I + P' / rho, so that all are about one, however
/// small rho is: by each eigenvalue of P' for itself, as those that are zero must stay so.
fn place(system: &System, jacobian: &Jacobian, centre: &[V3], rho: f64, (r, u): (Vec<V3>, Vec<V3>)) -> Place {
    let n = r.len();
    let (mut projected, mut rows) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for (i, centre) in centre.iter().enumerate() {
        let cone = system.cones[i];
        let y = sub(centre, &scale(&corrected(system.friction, cone, &u[i]), 1.0 / rho));
        projected.push(cone.project(&y));
        let p = cone.derivative_by(&y, |value| value / (rho + value));
        rows.push(p.iter().flatten().any(|x| *x != 0.0).then(|| Row {
            own: std::array::from_fn(|a| std::array::from_fn(|b| if a == b { 1.0 } else { 0.0 } - p[a][b])),
            slope: slope(system.friction, cone, &p, &u[i], 1.0),
        }));
    }
    let g: Vec<V3> = r.iter().zip(&projected).map(|(r, p)| sub(r, p)).collect();
    let mut caused = vec![[0.0; 3]; n];
    jacobian.multiply(&g, &mut caused);
    let size = g
        .iter()
        .zip(&caused)
        .map(|(g, u)| dot(g, u))
        .sum::<f64>()
        .max(0.0)
        .sqrt();
    Place {
        r,
        u,
        projected,
        g,
        rows,
        size,
    }
}

/// Newton's step.
fn newton(jacobian: &mut Jacobian, here: &Place) -> Vec<V3> {
    let right = |(g, row): (&V3, &Option<Row>)| match row {
        Some(row) => times(&row.own, &scale(g, -1.0)),
        None => scale(g, -1.0),
    };
    let mut d: Vec<V3> = here.g.iter().zip(&here.rows).map(right).collect();
    jacobian.solve(&here.rows, &mut d);
    d
}
