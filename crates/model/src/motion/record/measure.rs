//! One number for how strong a motion is.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::{Record, RecordError, RecordReport};
use crate::motion::MotionQuantity;

/// Damping of the oscillators of [`Measure::Sa`], as a fraction of critical.
pub const MEASURE_DAMPING: f64 = 0.05;

/// A measure of the intensity of a ground motion. Its text is `pga`, `pgv`, `arias`, or `sa:0.5` with the period in s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Measure {
    /// Peak ground acceleration (m/s²).
    #[default]
    Pga,
    /// Peak ground velocity (m/s).
    Pgv,
    /// Pseudo-acceleration of an oscillator with 5 % damping (m/s²).
    Sa {
        /// Period of the oscillator (s).
        period: f64,
    },
    /// Arias intensity (m/s).
    Arias,
}

/// Why a text names no measure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is no intensity measure; must be pga, pgv, arias, or sa: and a period from 0.001 to 100 s, such as sa:0.5"
)]
pub struct MeasureError {
    /// The text as given.
    pub text: String,
}

impl Measure {
    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Pga | Self::Sa { .. } => "m/s²",
            Self::Pgv | Self::Arias => "m/s",
        }
    }

    /// What plots and tables call it, without its unit.
    pub fn label(self) -> String {
        match self {
            Self::Pga => "PGA".to_owned(),
            Self::Pgv => "PGV".to_owned(),
            Self::Sa { period } => format!("Sa({period} s, 5 %)"),
            Self::Arias => "Arias intensity".to_owned(),
        }
    }

    /// What to multiply a record by that brings the measure from its current value to the one wanted. The Arias intensity
    /// grows with the square of the factor. `None` where no factor does: a current value that is not above zero, or a
    /// wanted one below zero.
    pub fn factor(self, current: f64, wanted: f64) -> Option<f64> {
        if !(current > 0.0 && wanted >= 0.0) {
            return None;
        }
        let ratio = wanted / current;
        let factor = match self {
            Self::Arias => ratio.sqrt(),
            Self::Pga | Self::Pgv | Self::Sa { .. } => ratio,
        };
        factor.is_finite().then_some(factor)
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pga => f.write_str("pga"),
            Self::Pgv => f.write_str("pgv"),
            Self::Sa { period } => write!(f, "sa:{period}"),
            Self::Arias => f.write_str("arias"),
        }
    }
}

impl FromStr for Measure {
    type Err = MeasureError;

    fn from_str(text: &str) -> Result<Self, MeasureError> {
        let error = || MeasureError { text: text.to_owned() };
        match text.trim().to_ascii_lowercase().as_str() {
            "pga" => Ok(Self::Pga),
            "pgv" => Ok(Self::Pgv),
            "arias" => Ok(Self::Arias),
            other => {
                let period = other.strip_prefix("sa:").ok_or_else(error)?.trim();
                let period: f64 = period
                    .strip_suffix('s')
                    .unwrap_or(period)
                    .trim()
                    .parse()
                    .map_err(|_| error())?;
                (0.001..=100.0)
                    .contains(&period)
                    .then_some(Self::Sa { period })
                    .ok_or_else(error)
            }
        }
    }
}

impl TryFrom<String> for Measure {
    type Error = MeasureError;

    fn try_from(text: String) -> Result<Self, MeasureError> {
        text.parse()
    }
}

impl From<Measure> for String {
    fn from(measure: Measure) -> Self {
        measure.to_string()
    }
}

impl JsonSchema for Measure {
    fn schema_name() -> Cow<'static, str> {
        "Measure".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A measure of the intensity of a ground motion: `pga` (peak ground acceleration, m/s²), `pgv` (peak \
                ground velocity, m/s), `arias` (Arias intensity, m/s), or `sa:0.5` (pseudo-acceleration at a period of \
                0.5 s with 5 % damping, m/s²).",
            "type": "string",
            "pattern": r"^(pga|pgv|arias|sa:[0-9.]+)$"
        })
    }
}

impl Record {
    /// The intensity by a measure: of several components the largest.
    pub fn measure(&self, measure: Measure) -> Result<f64, RecordError> {
        let of_each: Vec<Option<f64>> = match measure {
            Measure::Pga => self.report().iter().map(|r| r.pga).collect(),
            Measure::Pgv => self.report().iter().map(|r| Some(r.pgv)).collect(),
            Measure::Arias => self.report().iter().map(|r| r.arias).collect(),
            Measure::Sa { period } => {
                let spectra = self.spectrum(&[period], MEASURE_DAMPING)?;
                spectra.into_iter().map(|s| s.first().copied()).collect()
            }
        };
        let largest = of_each
            .into_iter()
            .try_fold(0.0, |most: f64, value| value.map(|v| most.max(v)));
        largest.ok_or_else(|| self.lacks_accelerations(&measure.label()))
    }

    /// From 5 to 95 % of the Arias intensity (s): of several components that of the one with the largest intensity.
    pub fn significant_duration(&self) -> Result<f64, RecordError> {
        let reports = self.report();
        let strength = |r: &&RecordReport| r.arias.unwrap_or_default();
        let strongest = reports.iter().max_by(|a, b| strength(a).total_cmp(&strength(b)));
        strongest
            .and_then(|r| r.significant_duration)
            .ok_or_else(|| self.lacks_accelerations("significant duration"))
    }

    fn lacks_accelerations(&self, what: &str) -> RecordError {
        let (held, others) = match self.quantity {
            MotionQuantity::Velocity => ("velocities", "pga, pgv or sa"),
            MotionQuantity::Displacement => ("displacements", "pgv"),
            MotionQuantity::Acceleration => ("no components", "pgv"),
        };
        self.error(format!(
            "holds {held}, which have no {what}; choose {others}, or give the record as accelerations"
        ))
    }
}
