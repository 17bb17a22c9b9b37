use std::f64::consts::PI;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ImpulseForm, MotionError, RampForm,
    check::history_problems,
    compile::ramp_pieces,
    curve::{Curve, Shape},
    kinds::is_zero,
};

/// How a load varies in time: what its forces are multiplied by. Analyses without time multiply by 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum History {
    /// Factors at points in time, linear between them, constant before and after.
    Table {
        /// Points in time, increasing (s).
        times: Vec<f64>,
        /// One factor a point in time.
        factors: Vec<f64>,
    },
    /// From one factor to another that is then kept.
    Ramp {
        /// Factor before. Default 0.
        #[serde(default, skip_serializing_if = "is_zero")]
        from: f64,
        /// Factor after. Default 1.
        #[serde(default = "one")]
        to: f64,
        /// How long it takes (s).
        #[schemars(extend("exclusiveMinimum" = 0))]
        duration: f64,
        /// How it gets there.
        #[serde(default)]
        form: RampForm,
        /// When it starts (s). Default 0.
        #[serde(default, skip_serializing_if = "is_zero")]
        #[schemars(extend("minimum" = 0))]
        start: f64,
    },
    /// `mean + amplitude * sin(2 pi frequency_hz t + phase_deg)`.
    Sine {
        /// Factor about which it goes. Default 0.
        #[serde(default, skip_serializing_if = "is_zero")]
        mean: f64,
        /// Amplitude of the factor. Default 1.
        #[serde(default = "one")]
        amplitude: f64,
        /// Frequency (Hz); above zero.
        #[schemars(extend("exclusiveMinimum" = 0))]
        frequency_hz: f64,
        /// Phase at time zero (degrees). Default 0.
        #[serde(default, skip_serializing_if = "is_zero")]
        phase_deg: f64,
    },
    /// One sine or half of one, and nothing before and after.
    Impulse {
        /// Largest factor. Default 1.
        #[serde(default = "one")]
        peak: f64,
        /// How long it lasts (s).
        #[schemars(extend("exclusiveMinimum" = 0))]
        duration: f64,
        /// A whole sine or half of one.
        #[serde(default)]
        form: ImpulseForm,
        /// When it starts (s). Default 0.
        #[serde(default, skip_serializing_if = "is_zero")]
        #[schemars(extend("minimum" = 0))]
        start: f64,
    },
}

fn one() -> f64 {
    1.0
}

/// A factor as a function of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Multiplier {
    curve: Curve,
}

impl Default for Multiplier {
    /// 1 at any time from zero on.
    fn default() -> Self {
        Self {
            curve: Curve::new([(0.0, Shape::constant(1.0))]),
        }
    }
}

impl History {
    /// The history as a function of time.
    pub fn compile(&self) -> Result<Multiplier, MotionError> {
        let problems = history_problems(self, "history");
        if let Some(problem) = problems.into_iter().find(|p| p.is_error()) {
            return Err(MotionError::value(problem.place, problem.message));
        }
        let curve = match *self {
            Self::Table { ref times, ref factors } => {
                let [first, last] =
                    [factors.first(), factors.last()].map(|f| Shape::constant(f.copied().unwrap_or(1.0)));
                Curve::through(times, |k| factors[k], first, last)
            }
            Self::Ramp {
                from,
                to,
                duration,
                form,
                start,
            } => {
                let before = (start > 0.0).then_some((0.0, Shape::constant(from)));
                Curve::new(before.into_iter().chain(ramp_pieces(from, to, start, duration, form)))
            }
            Self::Sine {
                mean,
                amplitude,
                frequency_hz,
                phase_deg,
            } => {
                let shape = Shape::Sine {
                    amplitude,
                    omega: 2.0 * PI * frequency_hz,
                    phase: phase_deg.to_radians(),
                    offset: mean,
                };
                Curve::new([(0.0, shape)])
            }
            Self::Impulse {
                peak,
                duration,
                form,
                start,
            } => {
                let cycle = if form == ImpulseForm::Whole { 2.0 * PI } else { PI };
                let shape = Shape::Sine {
                    amplitude: peak,
                    omega: cycle / duration,
                    phase: 0.0,
                    offset: 0.0,
                };
                Curve::new([(start, shape), (start + duration, Shape::ZERO)])
            }
        };
        Ok(Multiplier { curve })
    }
}

impl Multiplier {
    /// The factor at time `t` (s), from zero on.
    pub fn at(&self, t: f64) -> f64 {
        self.curve.jet(t).value
    }

    /// When the factor changes no more (s), or `None` where it goes on changing for ever.
    pub fn end(&self) -> Option<f64> {
        self.curve.end()
    }

    /// The mean of the factor over a time step (s), which gives its impulse; of an empty step the factor at its time.
    pub fn mean(&self, from: f64, to: f64) -> f64 {
        if from == to {
            return self.at(from);
        }
        (self.curve.jet(to).integral - self.curve.jet(from).integral) / (to - from)
    }
}
