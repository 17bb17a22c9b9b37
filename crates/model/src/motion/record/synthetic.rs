//! Synthetic ground motions: filtered white noise under an envelope, from a seed.
//!
//! 1. White noise of the seed, Gaussian, taken to frequencies.
//! 2. Its amplitudes are multiplied by the root of the spectral density of Kanai and Tajimi with the high pass of Clough
//!    and Penzien ("Dynamics of Structures", 1993), `omega_g`, `zeta_g` being those of the ground and `omega_f`, `zeta_f`
//!    those of the high pass:
//!    `S = (omega_g⁴ + (2 zeta_g omega_g omega)²) / ((omega_g² - omega²)² + (2 zeta_g omega_g omega)²)
//!       * omega⁴ / ((omega_f² - omega²)² + (2 zeta_f omega_f omega)²)`.
//! 3. Back in time it is multiplied by the envelope, and what remains of velocity and displacement at the end is taken off.
//! 4. It is scaled to its peak, or its amplitudes are matched to a response spectrum (see `matching`).
//!
//! The same settings give the same bits on every machine: sines, exponentials and logarithms come from `libm`, and nothing
//! is added up in an order that could vary.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Eurocode8, Record, RecordError,
    fourier::{Complex, Direction, transform},
    matching::{self, SpectrumFit},
    report::integrals,
};
use crate::{
    motion::{Motion, MotionQuantity, motion_problems},
    random::Random,
};

/// Peak acceleration where neither a peak nor a spectrum is given (m/s²).
const DEFAULT_PGA: f64 = 1.0;
/// Most points of a synthetic motion.
pub(crate) const MOST_POINTS: f64 = 2e5;

/// A synthetic ground motion: accelerations made from a seed, filtered white noise under an envelope. It ends without
/// velocity and displacement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SyntheticMotion {
    /// Which of the motions with the same settings. The same seed gives the same motion on every machine.
    pub seed: u64,
    /// From the first value to the last (s).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub duration: f64,
    /// Time step (s).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub dt: f64,
    /// Peak acceleration (m/s²). Left out: 1 m/s², or what the match with `spectrum` gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub pga: Option<f64>,
    /// Direction, any length but zero. Left out: x.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[f64; 3]>")]
    pub direction: Option<DVec3>,
    /// Predominant frequency of the ground (Hz): about 2.5 for firm ground, less for soft and more for rock.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub ground_frequency_hz: f64,
    /// Damping of the ground, as a fraction of critical: the smaller, the narrower the band of frequencies.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub ground_damping: f64,
    /// Frequency of the high pass (Hz), which takes off what is slower.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub high_pass_hz: f64,
    /// Damping of the high pass, as a fraction of critical.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub high_pass_damping: f64,
    /// How the strength varies in time.
    pub envelope: Envelope,
    /// Response spectrum to match, in place of `pga`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spectrum: Option<Eurocode8>,
    /// Shortest period at which the spectrum is matched (s).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub shortest_period: f64,
    /// Longest period at which the spectrum is matched (s).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub longest_period: f64,
}

/// The envelope of a synthetic motion (Jennings): it rises as a parabola, stays, and decays exponentially to zero at the
/// end of the motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Envelope {
    /// How long it rises (s). Left out: 0.15 of the duration.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0))]
    pub rise: Option<f64>,
    /// How long it stays at its full strength (s). Left out: 0.45 of the duration, or what the rise leaves of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0))]
    pub strong: Option<f64>,
    /// Time constant of its decay (s). Left out: a third of the time that is left.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub decay: Option<f64>,
}

/// A synthetic motion that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Synthetic {
    /// The accelerations; the title says how they were made.
    pub record: Record,
    /// How well they match the response spectrum, if one is given.
    pub fit: Option<SpectrumFit>,
}

impl Default for SyntheticMotion {
    fn default() -> Self {
        Self {
            seed: 1,
            duration: 20.0,
            dt: 0.01,
            pga: None,
            direction: None,
            ground_frequency_hz: 2.5,
            ground_damping: 0.6,
            high_pass_hz: 0.25,
            high_pass_damping: 0.6,
            envelope: Envelope::default(),
            spectrum: None,
            shortest_period: 0.05,
            longest_period: 2.0,
        }
    }
}

impl SyntheticMotion {
    /// Makes the motion.
    pub fn generate(&self) -> Result<Synthetic, RecordError> {
        let problems = motion_problems(&Motion::Synthetic(self.clone()), "");
        if let Some(problem) = problems.into_iter().find(|p| p.is_error()) {
            let field = problem.place.trim_start_matches(".synthetic.");
            let what = format!("{field}: {}", problem.message);
            return Err(RecordError::new("synthetic motion", None, what));
        }
        let noise = Noise::new(self);
        let mut title = format!("synthetic, seed {}", self.seed);
        let (values, fit) = match &self.spectrum {
            Some(spectrum) => {
                let (values, fit) = matching::matched(&noise, spectrum, [self.shortest_period, self.longest_period])?;
                title.push_str(&format!(", {fit}"));
                (values, Some(fit))
            }
            None => (noise.accelerations(&noise.amplitudes), None),
        };
        let mut record = record(values, self.dt);
        record.title = title;
        record.point(self.direction.unwrap_or(DVec3::X))?;
        if fit.is_none() {
            record.scale_to(self.pga.unwrap_or(DEFAULT_PGA))?;
        }
        Ok(Synthetic { record, fit })
    }

    /// Values of the motion.
    pub(crate) fn points(&self) -> f64 {
        (self.duration / self.dt).round() + 1.0
    }

    /// Density of power at a frequency (Hz), in any unit.
    fn density(&self, frequency: f64) -> f64 {
        let (g, f, w) = (self.ground_frequency_hz, self.high_pass_hz, frequency);
        let square = |x: f64| x * x;
        let ground = square(2.0 * self.ground_damping * g * w);
        let high_pass = square(2.0 * self.high_pass_damping * f * w);
        let kanai_tajimi = (square(g * g) + ground) / (square(g * g - w * w) + ground);
        kanai_tajimi * square(w * w) / (square(f * f - w * w) + high_pass)
    }
}

/// Accelerations as a record along x.
pub(super) fn record(values: Vec<f64>, dt: f64) -> Record {
    Record::single("synthetic motion", "", MotionQuantity::Acceleration, dt, values)
}

/// Filtered noise, before its envelope.
pub(super) struct Noise {
    /// Amplitudes by frequency, as the transform orders them.
    pub(super) amplitudes: Vec<Complex>,
    pub(super) dt: f64,
    /// The envelope at each point in time.
    envelope: Vec<f64>,
}

impl Noise {
    fn new(motion: &SyntheticMotion) -> Self {
        let points = motion.points() as usize;
        let mut random = Random::new(motion.seed);
        let mut amplitudes: Vec<Complex> = Vec::with_capacity(points.next_power_of_two());
        while amplitudes.len() < points.next_power_of_two() {
            amplitudes.extend(random.two_normal().map(|x| [x, 0.0]));
        }
        transform(&mut amplitudes, Direction::Forward);
        let mut noise = Self {
            amplitudes,
            dt: motion.dt,
            envelope: motion.envelope.values(points, motion.duration),
        };
        let frequencies: Vec<f64> = noise.frequencies().collect();
        for (amplitude, frequency) in noise.amplitudes.iter_mut().zip(frequencies) {
            let gain = motion.density(frequency).sqrt();
            *amplitude = amplitude.map(|part| gain * part);
        }
        noise
    }

    /// The frequency of each amplitude (Hz), without its sign.
    pub(super) fn frequencies(&self) -> impl Iterator<Item = f64> + use<> {
        let (count, dt) = (self.amplitudes.len(), self.dt);
        (0..count).map(move |k| k.min(count - k) as f64 / (count as f64 * dt))
    }

    /// The accelerations that amplitudes give under the envelope, at rest in the end.
    pub(super) fn accelerations(&self, amplitudes: &[Complex]) -> Vec<f64> {
        let mut wave = amplitudes.to_vec();
        transform(&mut wave, Direction::Backward);
        let mut values: Vec<f64> = self.envelope.iter().zip(&wave).map(|(e, [re, _])| e * re).collect();
        self.bring_to_rest(&mut values);
        values
    }

    /// Takes a straight line under the envelope off the accelerations: the one that leaves no velocity and no displacement
    /// at the end.
    fn bring_to_rest(&self, values: &mut [f64]) {
        let last = (values.len() - 1) as f64;
        let line: Vec<f64> = self
            .envelope
            .iter()
            .enumerate()
            .map(|(k, e)| e * k as f64 / last)
            .collect();
        // Once more, for what rounding leaves.
        for _ in 0..2 {
            let [(v, d), (v0, d0), (v1, d1)] = [&*values, &self.envelope, &line].map(ends);
            let determinant = v0 * d1 - v1 * d0;
            let constant = (v * d1 - v1 * d) / determinant;
            let slope = (v0 * d - v * d0) / determinant;
            for (value, (e, l)) in values.iter_mut().zip(self.envelope.iter().zip(&line)) {
                *value -= constant * e + slope * l;
            }
        }
    }
}

/// First and second integral at the end of values with a step of one.
fn ends(values: &[f64]) -> (f64, f64) {
    let (first, second) = integrals(values, 1.0);
    let last = |v: Vec<f64>| v.last().copied().unwrap_or_default();
    (last(first), last(second))
}

impl Envelope {
    /// How long it rises and stays, and the time constant of its decay (s).
    pub(crate) fn times(&self, duration: f64) -> [f64; 3] {
        let rise = self
            .rise
            .unwrap_or_else(|| (0.15 * duration).min(duration - self.strong.unwrap_or(0.0)));
        let strong = self.strong.unwrap_or((0.45 * duration).min(duration - rise));
        let decay = self.decay.unwrap_or((duration - rise - strong) / 3.0);
        [rise, strong, decay]
    }

    fn values(&self, points: usize, duration: f64) -> Vec<f64> {
        let [rise, strong, decay] = self.times(duration);
        let end = libm::exp(-(duration - rise - strong) / decay);
        let at = |k: usize| {
            let t = k as f64 / (points - 1) as f64 * duration;
            if t < rise {
                (t / rise) * (t / rise)
            } else if t <= rise + strong {
                1.0
            } else {
                ((libm::exp(-(t - rise - strong) / decay) - end) / (1.0 - end)).max(0.0)
            }
        };
        (0..points).map(at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Envelope, SyntheticMotion};

    #[test]
    fn the_density_is_the_transfer_of_two_oscillators() {
        // Far above both filters Kanai-Tajimi falls as (2 zeta g / w)²; at the ground's frequency it is 1 + 1 / (2 zeta)².
        let motion = SyntheticMotion {
            high_pass_hz: 1e-6,
            ..SyntheticMotion::default()
        };
        let zeta = motion.ground_damping;
        let peak = 1.0 + 1.0 / (4.0 * zeta * zeta);
        assert!((motion.density(2.5) - peak).abs() < 1e-6);
        assert!((motion.density(2.5e4) / (2.0 * zeta * 1e-4f64).powi(2) - 1.0).abs() < 1e-6);
        // At its own frequency the high pass has the gain 1 / (2 zeta).
        let passed = SyntheticMotion::default().density(0.25) / motion.density(0.25);
        assert!((passed - 1.0 / (4.0 * 0.36)).abs() < 1e-6, "{passed}");
    }

    #[test]
    fn the_envelope_rises_stays_and_ends_at_zero() {
        let values = Envelope::default().values(2001, 20.0);
        assert_eq!(
            (values[0], values[150], values[300], values[1200]),
            (0.0, 0.25, 1.0, 1.0)
        );
        assert!(values[1200..].windows(2).all(|p| p[1] < p[0]));
        assert_eq!(values[2000], 0.0);
    }
}
