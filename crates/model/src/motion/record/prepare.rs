//! Preparing a record: direction, time step, taper, baseline, scale.

use std::f64::consts::PI;

use glam::DVec3;

use super::{Baseline, Record, RecordError};
use crate::motion::{
    MotionQuantity,
    curve::{Curve, Shape},
};

/// Points that a record may be brought to.
const MOST_POINTS: f64 = 2e7;

impl Record {
    /// Points a record of one component along a direction.
    pub fn point(&mut self, direction: DVec3) -> Result<(), RecordError> {
        let Some(unit) = direction.try_normalize() else {
            return Err(self.error(format!(
                "the direction {direction} has no direction; must be finite and not zero"
            )));
        };
        if let [only] = &mut self.components[..] {
            only.direction = unit;
            return Ok(());
        }
        let names: Vec<String> = self.components.iter().map(|c| format!("`{}`", c.name)).collect();
        Err(self.error(format!(
            "has {} components ({}), each with its own direction; leave direction out, or choose one with column=",
            names.len(),
            names.join(", ")
        )))
    }

    /// Multiplies every value.
    pub fn scale(&mut self, factor: f64) {
        let values = self.components.iter_mut().flat_map(|c| &mut c.values);
        values.for_each(|v| *v *= factor);
    }

    /// Scales accelerations so that the largest of any component is `pga` (m/s²).
    pub fn scale_to(&mut self, pga: f64) -> Result<(), RecordError> {
        let peak = self.peak();
        if self.quantity != MotionQuantity::Acceleration {
            let what = format!(
                "holds {}s, which have no peak acceleration; give scale instead of pga",
                self.quantity.name()
            );
            return Err(self.error(what));
        }
        let factor = pga / peak;
        if !factor.is_finite() {
            return Err(self.error(format!("its peak is {peak}; it cannot be scaled to a pga of {pga}")));
        }
        self.scale(factor);
        Ok(())
    }

    /// Brings the record to another time step.
    ///
    /// To a shorter one by straight lines between the values, which changes nothing. To a longer one each value becomes
    /// the mean under a triangle as wide as two new steps: frequencies that the new step cannot carry are damped (by the
    /// square of a sinc) instead of turning up as others.
    pub fn resample(&mut self, dt: f64) -> Result<(), RecordError> {
        let count = (self.duration() / dt * (1.0 + 1e-12)).floor() + 1.0;
        if !(dt > 0.0 && (2.0..=MOST_POINTS).contains(&count)) {
            let what = format!(
                "{} s cannot be brought to a time step of {dt} s; it must leave 2 to {MOST_POINTS:e} values",
                self.duration()
            );
            return Err(self.error(what));
        }
        let coarser = dt > self.dt * (1.0 + 1e-9);
        for component in &mut self.components {
            let values = &component.values;
            let [first, last] = [values.first(), values.last()].map(|v| v.copied().unwrap_or_default());
            // Beyond its ends the record goes on as it ends, so that the mean there is not half of it. Shifted by one
            // new step, because a curve starts at time zero.
            let shift = if coarser { dt } else { 0.0 };
            let times: Vec<f64> = (0..values.len()).map(|k| k as f64 * self.dt + shift).collect();
            let curve = Curve::through(&times, |k| values[k], Shape::constant(first), Shape::constant(last));
            let double = |t: f64| curve.jet(t).double_integral;
            component.values = (0..count as usize)
                .map(|k| {
                    let t = k as f64 * dt + shift;
                    if coarser {
                        (double(t + dt) - 2.0 * double(t) + double(t - dt)) / (dt * dt)
                    } else {
                        curve.jet(t.min(times.last().copied().unwrap_or(t))).value
                    }
                })
                .collect();
        }
        self.dt = dt;
        Ok(())
    }

    /// Swells and fades the record over `part` of its length at either end, as a cosine.
    pub fn taper(&mut self, part: f64) {
        let last = self.len().saturating_sub(1) as f64;
        let width = part.clamp(0.0, 0.5) * last;
        if width <= 0.0 {
            return;
        }
        for component in &mut self.components {
            for (k, value) in component.values.iter_mut().enumerate() {
                let inside = (k as f64).min(last - k as f64);
                if inside < width {
                    *value *= 0.5 * (1.0 - (PI * inside / width).cos());
                }
            }
        }
    }

    /// Takes a polynomial off the accelerations so that the velocity, from rest, ends at zero. Of those polynomials the
    /// one whose integral is nearest to the velocity, by least squares.
    pub fn baseline(&mut self, baseline: Baseline) -> Result<(), RecordError> {
        let degree = match baseline {
            Baseline::None => return Ok(()),
            Baseline::Mean => 0,
            Baseline::Linear => 1,
            Baseline::Quadratic => 2,
        };
        if self.quantity != MotionQuantity::Acceleration {
            let what = format!("holds {}s; a baseline is taken off accelerations", self.quantity.name());
            return Err(self.error(what));
        }
        let last = self.len().saturating_sub(1).max(1) as f64;
        let powers: Vec<Vec<f64>> = (0..=degree)
            .map(|n| (0..self.len()).map(|k| (k as f64 / last).powi(n)).collect())
            .collect();
        for component in &mut self.components {
            let coefficients = fit(&component.values, &powers);
            for (c, power) in coefficients.iter().zip(&powers) {
                for (value, p) in component.values.iter_mut().zip(power) {
                    *value -= c * p;
                }
            }
            // What rounding leaves of the velocity at the end.
            let rest = end(&velocity(&component.values)) / last;
            component.values.iter_mut().for_each(|v| *v -= rest);
        }
        Ok(())
    }
}

/// The velocity of accelerations that are linear between unit steps, from rest.
fn velocity(values: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let steps = values.windows(2).map(|pair| {
        sum += 0.5 * (pair[0] + pair[1]);
        sum
    });
    std::iter::once(0.0).chain(steps).collect()
}

fn end(velocity: &[f64]) -> f64 {
    velocity.last().copied().unwrap_or_default()
}

/// Coefficients of the powers whose velocity is nearest to that of the values and the same at the end.
fn fit(values: &[f64], powers: &[Vec<f64>]) -> Vec<f64> {
    let of_power: Vec<Vec<f64>> = powers.iter().map(|p| velocity(p)).collect();
    let mut target = velocity(values);
    let steps = end(&of_power[0]);
    // Each function less the multiple of the first that makes it end at zero: what is left can be fitted freely.
    let drop = |function: &mut [f64]| {
        let share = end(function) / steps;
        function
            .iter_mut()
            .zip(&of_power[0])
            .for_each(|(f, first)| *f -= share * first);
        share
    };
    let mut coefficients = vec![drop(&mut target)];
    let mut basis: Vec<Vec<f64>> = of_power[1..].to_vec();
    let shares: Vec<f64> = basis.iter_mut().map(|b| drop(b)).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let free = match &basis[..] {
        [] => Vec::new(),
        [b] => vec![dot(b, &target) / dot(b, b)],
        [b, c, ..] => {
            let (bb, bc, cc) = (dot(b, b), dot(b, c), dot(c, c));
            let (bt, ct) = (dot(b, &target), dot(c, &target));
            let determinant = bb * cc - bc * bc;
            vec![(bt * cc - ct * bc) / determinant, (ct * bb - bt * bc) / determinant]
        }
    };
    // Too few points leave some of them open: those that a fit does not need are zero.
    let free: Vec<f64> = free.into_iter().map(|c| if c.is_finite() { c } else { 0.0 }).collect();
    coefficients[0] -= free.iter().zip(&shares).map(|(c, share)| c * share).sum::<f64>();
    coefficients.extend(free);
    coefficients
}
