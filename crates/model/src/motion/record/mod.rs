//! Recorded ground motions: reading them and preparing them for an analysis.
//!
//! [`Record::read`] knows PEER files (`.AT2`, `.VT2`, `.DT2`) and columns of text, with or without a header; what it
//! cannot be sure of is an error that names the file, the line and the remedy. A [`Record`] is in SI units with a
//! constant time step. [`RecordMotion`] is what a model file says about one; [`RecordMotion::load`] reads the file and
//! prepares it in this order: time step, taper, high-pass filter, baseline, scale.
//!
//! [`Measure`] says how strong a record is, [`Record::spectrum`] is its response spectrum. [`SyntheticMotion`] makes records
//! from a seed, [`Suite`] reads those of a folder.

mod at2;
mod columns;
mod eurocode;
mod filter;
mod fourier;
mod header;
mod matching;
mod measure;
mod prepare;
mod report;
mod spectrum;
mod suite;
mod synthetic;
mod time;
mod units;

use std::path::Path;

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kinds::{MotionQuantity, is_zero};
use crate::file::{Pipes, file_bytes};
pub use eurocode::{Eurocode8, Ground, Soil, SpectrumShape};
pub use matching::SpectrumFit;
pub use measure::{MEASURE_DAMPING, Measure, MeasureError};
pub use report::RecordReport;
pub use suite::{RecordSummary, Suite};
pub(super) use synthetic::MOST_POINTS;
pub use synthetic::{Envelope, Synthetic, SyntheticMotion};
pub use units::RecordUnits;

/// Largest file that is read as a record (bytes); the longest of strong motion take a hundredth of it.
const LARGEST_RECORD: u64 = 64 << 20;

/// A recorded ground motion, read from a file when an analysis starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordMotion {
    /// Path of the file, from the folder of the model file: PEER `.AT2`, `.VT2` or `.DT2`, or columns of text or CSV.
    pub path: String,
    /// Direction of a record with one component; any length but zero. Left out: the one that the column's name gives,
    /// or else x.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[f64; 3]>")]
    pub direction: Option<DVec3>,
    /// Name of the column to take from a file with several. Left out: all that are accelerations along x, y and z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// What the values are. Left out: what the file says, or else accelerations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<MotionQuantity>,
    /// Units of the values. Left out: what the file says, or else g, m/s and m (in PEER files g, cm/s and cm).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<RecordUnits>,
    /// Time step (s). Left out: what the file says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub dt: Option<f64>,
    /// When its first value comes (s). Default 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(extend("minimum" = 0))]
    pub start: f64,
    /// What the values are multiplied by. Default 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub scale: f64,
    /// Peak acceleration to scale to (m/s²), instead of `scale`: of several components the largest reaches it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub pga: Option<f64>,
    /// What is taken off accelerations so that the motion ends at rest. Default: nothing.
    #[serde(default, skip_serializing_if = "Baseline::is_none")]
    pub baseline: Baseline,
    /// Part of the record over which it swells at its start and fades at its end, as a cosine; 0 to 0.5. Default 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(extend("minimum" = 0))]
    pub taper: f64,
    /// Corner of a high-pass filter (Hz): Butterworth of second order, run forwards and backwards. Left out: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub high_pass_hz: Option<f64>,
    /// Time step to bring the record to (s). Left out: its own. No analysis needs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub resample: Option<f64>,
}

/// What is taken off accelerations: a polynomial of time, fitted by least squares to the velocity from rest among those
/// that leave no velocity at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Baseline {
    /// Nothing.
    #[default]
    None,
    /// A constant: the mean acceleration.
    Mean,
    /// A straight line.
    Linear,
    /// A parabola.
    Quadratic,
}

impl Baseline {
    fn is_none(&self) -> bool {
        *self == Self::None
    }
}

fn one() -> f64 {
    1.0
}

fn is_one(value: &f64) -> bool {
    *value == 1.0
}

impl RecordMotion {
    /// A record as it is in its file.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            direction: None,
            column: None,
            quantity: None,
            units: None,
            dt: None,
            start: 0.0,
            scale: 1.0,
            pga: None,
            baseline: Baseline::None,
            taper: 0.0,
            high_pass_hz: None,
            resample: None,
        }
    }

    /// Reads the file and prepares the record; a path that is not absolute is taken from `folder`.
    pub fn load(&self, folder: &Path) -> Result<Record, RecordError> {
        let settings = ReadSettings {
            quantity: self.quantity,
            units: self.units,
            dt: self.dt,
            column: self.column.clone(),
        };
        let mut record = Record::read(&folder.join(&self.path), &settings)?;
        if let Some(direction) = self.direction {
            record.point(direction)?;
        }
        if let Some(dt) = self.resample {
            record.resample(dt)?;
        }
        record.taper(self.taper);
        if let Some(corner) = self.high_pass_hz {
            record.high_pass(corner)?;
        }
        record.baseline(self.baseline)?;
        match self.pga {
            Some(pga) => record.scale_to(pga)?,
            None => record.scale(self.scale),
        }
        Ok(record)
    }
}

/// What to assume about a file. What is left out is taken from the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadSettings {
    /// What the values are.
    pub quantity: Option<MotionQuantity>,
    /// Units of the values.
    pub units: Option<RecordUnits>,
    /// Time step (s).
    pub dt: Option<f64>,
    /// Name of the only column to take.
    pub column: Option<String>,
}

/// A recorded ground motion in SI units with a constant time step.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Name of the file, as messages give it.
    pub file: String,
    /// What the file says about itself: event and station.
    pub title: String,
    /// What the values are.
    pub quantity: MotionQuantity,
    /// Time step (s).
    pub dt: f64,
    /// Time that the file gives to the first value (s); zero where it gives none.
    pub first_time: f64,
    /// Its components, one or more, equally long.
    pub components: Vec<Component>,
}

/// One component of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// Name of its column, or empty.
    pub name: String,
    /// Its direction, a unit vector.
    pub direction: DVec3,
    /// Its values (m, m/s or m/s²).
    pub values: Vec<f64>,
}

/// Why a record cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {what}", line.map(|l| format!(":{l}")).unwrap_or_default())]
pub struct RecordError {
    /// Name of the file.
    pub file: String,
    /// Line in the file, from 1, where there is one to blame.
    pub line: Option<usize>,
    /// What is wrong, with the value and what is allowed.
    pub what: String,
}

impl RecordError {
    fn new(file: &str, line: impl Into<Option<usize>>, what: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line: line.into(),
            what: what.into(),
        }
    }
}

impl Record {
    /// A record of one component along x, whose first value comes at time zero.
    pub(in crate::motion) fn single(
        file: impl Into<String>,
        title: impl Into<String>,
        quantity: MotionQuantity,
        dt: f64,
        values: Vec<f64>,
    ) -> Self {
        Self {
            file: file.into(),
            title: title.into(),
            quantity,
            dt,
            first_time: 0.0,
            components: vec![Component {
                name: String::new(),
                direction: DVec3::X,
                values,
            }],
        }
    }

    /// Reads a record from a file.
    pub fn read(path: &Path, settings: &ReadSettings) -> Result<Self, RecordError> {
        let file = path.display().to_string();
        let bytes = file_bytes(path, LARGEST_RECORD, Pipes::Refused)
            .map_err(|e| RecordError::new(&file, None, format!("cannot be read: {e}")))?;
        Self::parse(&bytes, &file, settings)
    }

    /// Reads a record from the bytes of a file; `file` is the name that errors give, and its ending counts.
    pub fn parse(bytes: &[u8], file: &str, settings: &ReadSettings) -> Result<Self, RecordError> {
        let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
        if text.trim().is_empty() {
            return Err(RecordError::new(file, None, "the file is empty"));
        }
        if let Some(dt) = settings.dt.filter(|dt| !(*dt > 0.0 && dt.is_finite())) {
            return Err(RecordError::new(
                file,
                None,
                format!("a time step dt={dt} is not allowed; must be above 0"),
            ));
        }
        let record = if at2::is_peer(&text, file) {
            at2::parse(&text, file, settings)?
        } else {
            columns::parse(&text, file, settings)?
        };
        if !record.peak().is_finite() {
            return Err(record.error("has values too large for numbers in SI units"));
        }
        Ok(record)
    }

    /// How long the record is, from its first value to its last (s).
    pub fn duration(&self) -> f64 {
        self.len().saturating_sub(1) as f64 * self.dt
    }

    /// Values of each component.
    pub fn len(&self) -> usize {
        self.components.first().map_or(0, |c| c.values.len())
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The largest absolute value of any component.
    pub fn peak(&self) -> f64 {
        let values = self.components.iter().flat_map(|c| &c.values);
        values.fold(0.0, |peak: f64, v| peak.max(v.abs()))
    }

    fn error(&self, what: impl Into<String>) -> RecordError {
        RecordError::new(&self.file, None, what)
    }
}
