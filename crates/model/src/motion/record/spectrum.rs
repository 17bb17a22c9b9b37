//! Response spectra: the largest response of a damped oscillator whose base moves as the record says.
//!
//! The oscillator `u'' + 2 zeta omega u' + omega² u = -a(t)` is followed exactly between the values of a record, where `a`
//! is linear (Nigam and Jennings, "Calculation of response spectra from strong-motion earthquake records", BSSA 59, 1969).
//! The state is `x = omega² u` and `y = omega u'`, both accelerations, so that short periods lose no digits. Sine, cosine
//! and exponential come from `libm`: a synthetic motion that is matched to a spectrum has the same bits everywhere.

use std::f64::consts::PI;

use super::{Component, Record, RecordError};
use crate::motion::MotionQuantity;

/// Parts of a period that the response is looked at, at least. Between two of them a cubic finds the peak.
const PARTS_OF_PERIOD: f64 = 40.0;
/// Parts of a time step, at most. A period so short follows the ground, and peaks at the values themselves.
const PARTS_OF_STEP: f64 = 64.0;

impl Record {
    /// Pseudo-acceleration (m/s²) of each component at each period (s): the largest displacement, during the record or
    /// after it, of an oscillator with this damping (as a fraction of critical), times its angular frequency squared.
    ///
    /// A period of zero has the peak ground acceleration. Of velocities the acceleration is their slope; displacements
    /// are refused.
    pub fn spectrum(&self, periods: &[f64], damping: f64) -> Result<Vec<Vec<f64>>, RecordError> {
        if !(0.0..1.0).contains(&damping) {
            let what =
                format!("a damping of {damping} is not allowed; must be from 0 to below 1 (0.05 is 5 % of critical)");
            return Err(self.error(what));
        }
        if let Some(period) = periods.iter().find(|t| !(**t >= 0.0 && **t <= 1e6)) {
            return Err(self.error(format!(
                "a period of {period} s is not allowed; must be from 0 to 1e6 s"
            )));
        }
        if self.quantity == MotionQuantity::Displacement {
            let what =
                "holds displacements, whose accelerations are not known; a spectrum needs accelerations or velocities";
            return Err(self.error(what));
        }
        let of = |component: &Component| {
            let pieces = self.pieces(component);
            let response = |&period: &f64| response(&pieces, self.dt, period, damping);
            periods.iter().map(response).collect()
        };
        Ok(self.components.iter().map(of).collect())
    }

    /// The acceleration at the start and at the end of each time step.
    fn pieces(&self, component: &Component) -> Vec<[f64; 2]> {
        let piece = |pair: &[f64]| match self.quantity {
            MotionQuantity::Velocity => [(pair[1] - pair[0]) / self.dt; 2],
            _ => [pair[0], pair[1]],
        };
        component.values.windows(2).map(piece).collect()
    }
}

fn response(pieces: &[[f64; 2]], dt: f64, period: f64, damping: f64) -> f64 {
    let ground = pieces.iter().flatten().fold(0.0, |peak: f64, a| peak.max(a.abs()));
    if period == 0.0 {
        return ground;
    }
    let parts = (PARTS_OF_PERIOD * dt / period).ceil().clamp(1.0, PARTS_OF_STEP);
    let mut oscillator = Oscillator::new(2.0 * PI / period, damping, dt / parts);
    for [first, last] in pieces {
        let slope = (last - first) / parts;
        for part in 0..parts as usize {
            let a = first + part as f64 * slope;
            oscillator.step(a, a + slope);
        }
    }
    // After its end the oscillator swings on: the largest swing comes within one period.
    let mut after = Oscillator::new(2.0 * PI / period, damping, period / PARTS_OF_PERIOD);
    after.state = oscillator.state;
    (0..PARTS_OF_PERIOD as usize).for_each(|_| after.step(0.0, 0.0));
    oscillator.peak.max(after.peak)
}

/// An oscillator that is followed in equal steps.
struct Oscillator {
    /// Angle that it would turn by in a step without damping: `omega h`.
    angle: f64,
    /// From the state `[x, y]` to the one after a step, under no load.
    free: [[f64; 2]; 2],
    /// The state after a step from rest under a unit load at its start that falls to zero, and one that rises from zero.
    forced: [[f64; 2]; 2],
    state: [f64; 2],
    /// The largest `x` so far.
    peak: f64,
}

impl Oscillator {
    fn new(omega: f64, zeta: f64, h: f64) -> Self {
        let angle = omega * h;
        let root = (1.0 - zeta * zeta).sqrt();
        let (sine, cosine) = libm::sincos(root * angle);
        let decay = libm::exp(-zeta * angle);
        let (s, c) = (decay * sine / root, decay * cosine);
        let free = [[c + zeta * s, s], [-s, c - zeta * s]];
        // A particular solution under `a = p + q t / h` is `x = -a + 2 zeta q / angle`, `y = -q / angle`; the free one
        // takes it back to rest at the start.
        let forced = [[1.0, -1.0], [0.0, 1.0]].map(|[p, q]: [f64; 2]| {
            let (lag, y) = (2.0 * zeta * q / angle, -q / angle);
            let start = [-p + lag, y];
            let end = [-(p + q) + lag, y];
            [0, 1].map(|k| end[k] - free[k][0] * start[0] - free[k][1] * start[1])
        });
        Self {
            angle,
            free,
            forced,
            state: [0.0; 2],
            peak: 0.0,
        }
    }

    fn step(&mut self, first: f64, last: f64) {
        let [x, y] = self.state;
        let next = [0, 1].map(|k| {
            let [from_x, from_y] = self.free[k];
            from_x * x + from_y * y + self.forced[0][k] * first + self.forced[1][k] * last
        });
        self.peak = self
            .turning_points(next)
            .into_iter()
            .fold(self.peak.max(next[0].abs()), f64::max);
        self.state = next;
    }

    /// How far it is out where it turns within a step, on the cubic through both states; zero where it does not turn.
    fn turning_points(&self, next: [f64; 2]) -> [f64; 2] {
        let ([x0, y0], [x1, y1]) = (self.state, next);
        // dx/dt = omega y, so that the slope over the step is y times the angle.
        let [m0, m1] = [y0 * self.angle, y1 * self.angle];
        // x = x0 + m0 s + b s² + c s³; it turns where m0 + 2 b s + 3 c s² = 0.
        let (b, c) = (3.0 * (x1 - x0) - 2.0 * m0 - m1, m0 + m1 - 2.0 * (x1 - x0));
        let square = b * b - 3.0 * c * m0;
        if square < 0.0 {
            return [0.0; 2];
        }
        // Both roots without cancellation.
        let q = -(b + square.sqrt().copysign(b));
        [q / (3.0 * c), m0 / q].map(|s| match s > 0.0 && s < 1.0 {
            true => (x0 + s * (m0 + s * (b + s * c))).abs(),
            false => 0.0,
        })
    }
}
