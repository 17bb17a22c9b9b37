//! A high-pass filter that shifts nothing in time.

use std::f64::consts::{PI, SQRT_2};

use super::{Record, RecordError};

impl Record {
    /// Takes off what is slower than `corner` (Hz): a Butterworth filter of second order, run forwards and backwards, so
    /// that its gain at the corner is one half and its phase zero. Three periods of the corner are added as zeros on
    /// either side while it runs, and cut off again.
    pub fn high_pass(&mut self, corner: f64) -> Result<(), RecordError> {
        let (duration, nyquist) = (self.duration(), 0.5 / self.dt);
        if !(corner * duration >= 0.1 && corner < nyquist) {
            let what = format!(
                "a high-pass corner of {corner} Hz is not allowed; for {duration} s with a time step of {} s it must be from \
                 {} to below {nyquist} Hz",
                self.dt,
                0.1 / duration
            );
            return Err(self.error(what));
        }
        let pad = (3.0 / corner / self.dt).ceil() as usize;
        let filter = Section::high_pass(corner * self.dt);
        for component in &mut self.components {
            let count = component.values.len();
            let mut padded = vec![0.0; count + 2 * pad];
            padded[pad..pad + count].copy_from_slice(&component.values);
            filter.run(padded.iter_mut());
            filter.run(padded.iter_mut().rev());
            component.values.copy_from_slice(&padded[pad..pad + count]);
        }
        Ok(())
    }
}

/// A filter of second order: `y = b0 x + b1 x' + b2 x'' - a1 y' - a2 y''`, each prime one step earlier.
struct Section {
    b: [f64; 3],
    a: [f64; 2],
}

impl Section {
    /// From the corner as a fraction of the sampling rate, by the bilinear transform.
    fn high_pass(fraction: f64) -> Self {
        let k = (PI * fraction).tan();
        let gain = 1.0 / (1.0 + SQRT_2 * k + k * k);
        Self {
            b: [gain, -2.0 * gain, gain],
            a: [2.0 * (k * k - 1.0) * gain, (1.0 - SQRT_2 * k + k * k) * gain],
        }
    }

    fn run<'a>(&self, values: impl Iterator<Item = &'a mut f64>) {
        let (mut first, mut second) = (0.0, 0.0);
        for value in values {
            let x = *value;
            let y = self.b[0] * x + first;
            first = self.b[1] * x - self.a[0] * y + second;
            second = self.b[2] * x - self.a[1] * y;
            *value = y;
        }
    }
}
