//! The functions of time that a motion can be, as a model file states them.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kinds::{MotionQuantity, is_acceleration, is_zero};

/// A sine: `amplitude * sin(2 pi frequency_hz (t - start) + phase_deg)` from `start` on. After the end, where there is
/// one, an acceleration or a velocity is zero and a displacement is kept. A displacement is counted from where it
/// starts, so that nothing jumps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sine {
    /// What the amplitude is. Default: an acceleration.
    #[serde(default, skip_serializing_if = "is_acceleration")]
    pub quantity: MotionQuantity,
    /// Amplitude (m/s², m/s or m).
    #[schemars(with = "[f64; 3]")]
    pub amplitude: DVec3,
    /// Frequency (Hz); above zero.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub frequency_hz: f64,
    /// Phase at the start (degrees). Default 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub phase_deg: f64,
    /// When it starts (s). Default 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(extend("minimum" = 0))]
    pub start: f64,
    /// Number of cycles. With `duration` also left out: it never ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cycles: Option<f64>,
    /// How long it lasts (s), instead of `cycles`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub duration: Option<f64>,
    /// For an acceleration: whether the support starts with the velocity that leaves no drift, and stops at the end.
    /// Otherwise, and by default, it starts from rest, and drifts unless its phase is 90 or -90 degrees.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub centred: bool,
}

/// A one-sine impulse: one cycle of a sine, or half of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Impulse {
    /// What the peak is. Default: an acceleration.
    #[serde(default, skip_serializing_if = "is_acceleration")]
    pub quantity: MotionQuantity,
    /// Peak (m/s², m/s or m).
    #[schemars(with = "[f64; 3]")]
    pub peak: DVec3,
    /// How long the impulse lasts (s); for a whole sine twice the half-period that papers often give.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub duration: f64,
    /// A whole sine or half of one.
    #[serde(default)]
    pub form: ImpulseForm,
    /// When it starts (s). Default 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(extend("minimum" = 0))]
    pub start: f64,
}

/// How much of a sine an impulse is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImpulseForm {
    /// One cycle: to the peak, back through zero to the opposite peak, and back. Ends at rest as an acceleration.
    #[default]
    Whole,
    /// Half a cycle: to the peak and back.
    Half,
}

/// Two constant phases: the peak, then a smaller value the other way for longer. With the ratios at their defaults an
/// acceleration ends at rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Biphasic {
    /// What the peak is: an acceleration, the default, or a velocity.
    #[serde(default, skip_serializing_if = "is_acceleration")]
    pub quantity: MotionQuantity,
    /// Value during the first phase (m/s² or m/s).
    #[schemars(with = "[f64; 3]")]
    pub peak: DVec3,
    /// How long the first phase lasts (s).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub duration: f64,
    /// Value of the second phase, the other way, as a fraction of the peak.
    #[serde(default = "half")]
    #[schemars(extend("minimum" = 0))]
    pub ratio: f64,
    /// How long the second phase lasts, as a multiple of the first.
    #[serde(default = "two")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub duration_ratio: f64,
    /// When it starts (s). Default 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(extend("minimum" = 0))]
    pub start: f64,
}

/// From zero to a value that is then kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ramp {
    /// What the value is. Default: an acceleration.
    #[serde(default, skip_serializing_if = "is_acceleration")]
    pub quantity: MotionQuantity,
    /// Value in the end (m/s², m/s or m).
    #[schemars(with = "[f64; 3]")]
    pub to: DVec3,
    /// How long it takes to get there (s).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub duration: f64,
    /// How it gets there.
    #[serde(default)]
    pub form: RampForm,
    /// When it starts (s). Default 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(extend("minimum" = 0))]
    pub start: f64,
}

/// How a ramp rises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RampForm {
    /// In proportion to time.
    #[default]
    Linear,
    /// Without a jump of its first and second derivative: `10 s^3 - 15 s^4 + 6 s^5` of the part `s` of its duration.
    Smooth,
}

/// A Ricker wavelet, `peak * (1 - 2 x^2) exp(-x^2)` with `x = pi frequency_hz (t - delay)`: one smooth pulse with a
/// smaller one the other way on either side, after which an acceleration leaves neither velocity nor displacement. What
/// little there is of it before time zero is left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ricker {
    /// What the peak is. Default: an acceleration.
    #[serde(default, skip_serializing_if = "is_acceleration")]
    pub quantity: MotionQuantity,
    /// Peak (m/s², m/s or m).
    #[schemars(with = "[f64; 3]")]
    pub peak: DVec3,
    /// Frequency at which its spectrum peaks (Hz); above zero.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub frequency_hz: f64,
    /// When the peak comes (s). Left out: 1.5 divided by the frequency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0))]
    pub delay: Option<f64>,
}

fn half() -> f64 {
    0.5
}

fn two() -> f64 {
    2.0
}

impl Sine {
    /// When it ends (s), if it does.
    pub fn end(&self) -> Option<f64> {
        let cycles = self.cycles.map(|n| n / self.frequency_hz);
        cycles.or(self.duration).map(|length| self.start + length)
    }
}

impl Biphasic {
    /// A biphasic acceleration with the ratios at their defaults, from time zero.
    pub fn new(peak: DVec3, duration: f64) -> Self {
        Self {
            quantity: MotionQuantity::Acceleration,
            peak,
            duration,
            ratio: half(),
            duration_ratio: two(),
            start: 0.0,
        }
    }
}

impl Ricker {
    /// When the peak comes (s).
    pub fn peak_time(&self) -> f64 {
        self.delay.unwrap_or(1.5 / self.frequency_hz)
    }
}
