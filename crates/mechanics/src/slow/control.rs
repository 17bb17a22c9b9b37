//! Stages in which the displacement of a point is prescribed.

use drystone_model::{Control, Stage};
use glam::DVec3;

use super::{CLOSED, HALVINGS, Level, Path, PathEnd, PathError, STEPS, between};
use crate::dynamics::{Equilibrated, HeldPoint};

/// Trials of the factor of a load, and what may be left to hold a point, over the load.
const TRIALS: usize = 25;
const UNHELD: f64 = 1e-6;

impl Path {
    /// A stage in which the displacement of a point is prescribed: in every step the factor of the loads is found at which
    /// nothing is needed to hold the point there.
    pub(super) fn follow_controlled(
        &mut self,
        k: usize,
        stage: &Stage,
        (control, built): (&Control, &[usize]),
        (from, to): (&Level, &Level),
        watch: &mut impl FnMut(&Self),
    ) -> Result<Option<PathEnd>, PathError> {
        let structure = self.simulation.structure();
        let block = structure.names.iter().position(|n| *n == control.block).unwrap_or(0);
        let center = structure.center[block];
        let mut held = HeldPoint {
            block,
            arm: control.at.map_or(DVec3::ZERO, |at| at - center),
            direction: control.direction.normalize_or_zero(),
            at: 0.0,
        };
        let start = held.direction.dot(held.point(&self.simulation.state().placements));
        let push = self.push_along(stage, held.direction);
        let longest = 1.0 / f64::from(stage.steps.unwrap_or(STEPS));
        let shortest = longest / f64::from(1_u32 << HALVINGS);
        // The loads of the stage are a factor times what it gives, whatever they were before.
        let acts: Vec<bool> = self
            .load_cases
            .iter()
            .map(|name| stage.loads.contains_key(name))
            .collect();
        let begins = (0..acts.len()).find(|&k| acts[k] && to.factors[k] != 0.0);
        let before = begins.map_or(0.0, |k| from.factors[k] / to.factors[k]);
        let (mut done, mut step, mut factor, mut slope) = (0.0_f64, longest, before, 0.0);
        while done < 1.0 {
            let next = if done + step > 1.0 - 1e-9 { 1.0 } else { done + step };
            held.at = start + next * control.to_m;
            let guess = factor + slope * (next - done);
            for &b in built {
                self.weights[b] = next;
            }
            let at = between(from, to, next);
            let level = |factor: f64| Level {
                factors: (from.factors.iter().zip(&to.factors).enumerate())
                    .map(|(k, (from, to))| if acts[k] { factor * to } else { *from })
                    .collect(),
                ..at.clone()
            };
            match self.find_factor(&level, held, guess, push)? {
                Some((found, rounds, residual)) => {
                    slope = (found - factor) / (next - done);
                    (done, factor) = (next, found);
                    self.level = level(factor);
                    let point = self.point(k, stage, done, rounds, residual);
                    self.points.push(point);
                    watch(self);
                    step = (2.0 * step).min(longest);
                }
                None if step <= shortest => {
                    return Ok(Some(PathEnd::NoEquilibrium {
                        stage: k,
                        between: [done, next],
                        motions: self.equilibrium.solution().motions.clone(),
                        is_proven: false,
                    }));
                }
                None => (step, slope) = (0.5 * step, 0.0),
            }
        }
        self.supports = self.support_placements(to);
        self.level.moved.clear();
        Ok(None)
    }

    /// The factor at which a point stays where it is held by itself, with the rounds and the residual of that equilibrium; the
    /// structure is then in it. `push` is what a unit of the factor pushes the point by (N).
    fn find_factor(
        &mut self,
        level: &impl Fn(f64) -> Level,
        held: HeldPoint,
        guess: f64,
        push: f64,
    ) -> Result<Option<(f64, usize, f64)>, PathError> {
        let before = self.simulation.state().clone();
        let mut known: Option<(f64, f64)> = None;
        let (mut factor, mut all) = (guess, 0);
        for _ in 0..TRIALS {
            self.simulation.resume(before.clone())?;
            let acting = self.acting(&level(factor), Some(held), CLOSED[1], 0.0);
            let Equilibrated::Found {
                rounds,
                residual,
                reaction,
            } = self.simulation.equilibrate(&acting, &mut self.equilibrium)?
            else {
                break;
            };
            all += rounds;
            if reaction.abs() <= UNHELD * push * factor.abs().max(1e-3) {
                return Ok(Some((factor, all, residual)));
            }
            // Secant; at first, as if the load acted at the point.
            let slope = match known {
                Some((other, was)) if was != reaction => (reaction - was) / (factor - other),
                _ => -push,
            };
            known = Some((factor, reaction));
            factor -= reaction / slope;
            if !factor.is_finite() {
                break;
            }
        }
        self.simulation.resume(before)?;
        Ok(None)
    }

    /// The size of the loads of a stage along a direction, or all of it where they are across (N).
    fn push_along(&self, stage: &Stage, direction: DVec3) -> f64 {
        let structure = self.simulation.structure();
        let (mut along, mut size) = (0.0, 0.0);
        for (name, factor) in &stage.loads {
            let Some(case) = self.model.load_cases.get(name) else {
                continue;
            };
            for load in structure.loads_of(&self.model, name, case).unwrap_or_default() {
                along += factor * load.force.dot(direction);
                size += factor.abs() * load.force.length();
            }
        }
        if along.abs() > 1e-3 * size {
            along.abs()
        } else {
            size.max(f64::MIN_POSITIVE)
        }
    }
}
