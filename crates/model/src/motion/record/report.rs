use std::f64::consts::PI;

use super::{Component, Record};
use crate::motion::{G, MotionQuantity};

/// What a component of a record amounts to.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordReport {
    /// Name of the component's column, or empty.
    pub name: String,
    /// Values.
    pub points: usize,
    /// Time step (s).
    pub dt: f64,
    /// From the first value to the last (s).
    pub duration: f64,
    /// Peak ground acceleration (m/s²); of displacements there is none.
    pub pga: Option<f64>,
    /// Peak ground velocity (m/s), from rest.
    pub pgv: f64,
    /// Peak ground displacement (m), from rest.
    pub pgd: f64,
    /// Velocity after the last value (m/s): what the baseline leaves.
    pub end_velocity: f64,
    /// Arias intensity (m/s): the integral of the squared acceleration times pi / 2g. Of accelerations only.
    pub arias: Option<f64>,
    /// From 5 to 95 % of the Arias intensity (s). Of accelerations only.
    pub significant_duration: Option<f64>,
}

impl Record {
    /// What each component amounts to. Peaks are those at the values.
    pub fn report(&self) -> Vec<RecordReport> {
        self.components.iter().map(|c| self.report_of(c)).collect()
    }

    fn report_of(&self, component: &Component) -> RecordReport {
        let (dt, values) = (self.dt, &component.values);
        let slope = |values: &[f64]| values.windows(2).map(|p| (p[1] - p[0]) / dt).collect::<Vec<f64>>();
        let (accelerations, velocities, displacements) = match self.quantity {
            MotionQuantity::Acceleration => {
                let (v, d) = integrals(values, dt);
                (Some(values.clone()), v, d)
            }
            MotionQuantity::Velocity => {
                let (d, _) = integrals(values, dt);
                (Some(slope(values)), values.clone(), d)
            }
            MotionQuantity::Displacement => (None, slope(values), values.clone()),
        };
        let energy = (self.quantity == MotionQuantity::Acceleration).then(|| squares(values, dt));
        let total = energy.as_ref().and_then(|e| e.last().copied());
        RecordReport {
            name: component.name.clone(),
            points: values.len(),
            dt,
            duration: self.duration(),
            pga: accelerations.map(|a| peak(&a)),
            pgv: peak(&velocities),
            pgd: peak(&displacements),
            end_velocity: velocities.last().copied().unwrap_or_default(),
            arias: total.map(|total| total * PI / (2.0 * G)),
            significant_duration: energy.zip(total).map(|(e, total)| {
                let reached = |part: f64| crossing(&e, part * total) * dt;
                reached(0.95) - reached(0.05)
            }),
        }
    }
}

fn peak(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |peak: f64, v| peak.max(v.abs()))
}

/// First and second integral of values that are linear between steps.
pub(super) fn integrals(values: &[f64], dt: f64) -> (Vec<f64>, Vec<f64>) {
    let (mut v, mut d) = (0.0, 0.0);
    let mut first = vec![0.0];
    let mut second = vec![0.0];
    for pair in values.windows(2) {
        d += v * dt + dt * dt * (2.0 * pair[0] + pair[1]) / 6.0;
        v += 0.5 * dt * (pair[0] + pair[1]);
        first.push(v);
        second.push(d);
    }
    (first, second)
}

/// Integral of the square of values that are linear between steps.
fn squares(values: &[f64], dt: f64) -> Vec<f64> {
    let mut sum = 0.0;
    let steps = values.windows(2).map(|p| {
        sum += dt * (p[0] * p[0] + p[0] * p[1] + p[1] * p[1]) / 3.0;
        sum
    });
    std::iter::once(0.0).chain(steps).collect()
}

/// Where a growing sequence reaches a value, in steps.
fn crossing(sums: &[f64], value: f64) -> f64 {
    let k = sums.partition_point(|s| *s < value);
    if k == 0 || k >= sums.len() {
        return k.min(sums.len().saturating_sub(1)) as f64;
    }
    (k - 1) as f64 + (value - sums[k - 1]) / (sums[k] - sums[k - 1])
}
