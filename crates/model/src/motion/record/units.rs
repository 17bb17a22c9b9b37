use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RecordError;
use crate::motion::{G, MotionQuantity};

/// Units of the values of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RecordUnits {
    /// Accelerations in g, of 9.81 m/s².
    #[serde(rename = "g")]
    G,
    /// Accelerations in m/s².
    #[serde(rename = "m/s2")]
    MetrePerSecond2,
    /// Accelerations in cm/s².
    #[serde(rename = "cm/s2")]
    CentimetrePerSecond2,
    /// Accelerations in gal, which are cm/s².
    #[serde(rename = "gal")]
    Gal,
    /// Accelerations in mm/s².
    #[serde(rename = "mm/s2")]
    MillimetrePerSecond2,
    /// Velocities in m/s.
    #[serde(rename = "m/s")]
    MetrePerSecond,
    /// Velocities in cm/s.
    #[serde(rename = "cm/s")]
    CentimetrePerSecond,
    /// Velocities in mm/s.
    #[serde(rename = "mm/s")]
    MillimetrePerSecond,
    /// Displacements in m.
    #[serde(rename = "m")]
    Metre,
    /// Displacements in cm.
    #[serde(rename = "cm")]
    Centimetre,
    /// Displacements in mm.
    #[serde(rename = "mm")]
    Millimetre,
}

/// A larger acceleration (m/s²) has never been recorded in an earthquake; it stands for a mistake about units.
const IMPLAUSIBLE: f64 = 50.0;

impl RecordUnits {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::G,
        Self::MetrePerSecond2,
        Self::CentimetrePerSecond2,
        Self::Gal,
        Self::MillimetrePerSecond2,
        Self::MetrePerSecond,
        Self::CentimetrePerSecond,
        Self::MillimetrePerSecond,
        Self::Metre,
        Self::Centimetre,
        Self::Millimetre,
    ];

    /// How it is written in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::G => "g",
            Self::MetrePerSecond2 => "m/s2",
            Self::CentimetrePerSecond2 => "cm/s2",
            Self::Gal => "gal",
            Self::MillimetrePerSecond2 => "mm/s2",
            Self::MetrePerSecond => "m/s",
            Self::CentimetrePerSecond => "cm/s",
            Self::MillimetrePerSecond => "mm/s",
            Self::Metre => "m",
            Self::Centimetre => "cm",
            Self::Millimetre => "mm",
        }
    }

    /// What has this unit.
    pub fn quantity(self) -> MotionQuantity {
        match self {
            Self::G | Self::MetrePerSecond2 | Self::CentimetrePerSecond2 | Self::Gal | Self::MillimetrePerSecond2 => {
                MotionQuantity::Acceleration
            }
            Self::MetrePerSecond | Self::CentimetrePerSecond | Self::MillimetrePerSecond => MotionQuantity::Velocity,
            Self::Metre | Self::Centimetre | Self::Millimetre => MotionQuantity::Displacement,
        }
    }

    /// The unit in SI units.
    pub fn factor(self) -> f64 {
        match self {
            Self::G => G,
            Self::MetrePerSecond2 | Self::MetrePerSecond | Self::Metre => 1.0,
            Self::CentimetrePerSecond2 | Self::Gal | Self::CentimetrePerSecond | Self::Centimetre => 0.01,
            Self::MillimetrePerSecond2 | Self::MillimetrePerSecond | Self::Millimetre => 0.001,
        }
    }

    /// The unit that a spelling such as `cm/sec^2`, `CM/S/S` or `m/s²` means.
    pub fn from_spelling(text: &str) -> Option<Self> {
        let text = text
            .trim()
            .to_lowercase()
            .replace('²', "2")
            .replace(['^', '*', ' '], "");
        let text = text.replace("seconds", "s").replace("second", "s").replace("sec", "s");
        let text = text.trim_end_matches(['.', ',', ';', ':']);
        let text = match text.strip_suffix("/s/s") {
            Some(length) => format!("{length}/s2"),
            None => text.to_owned(),
        };
        match text.as_str() {
            "g's" | "gs" => Some(Self::G),
            "gals" => Some(Self::Gal),
            _ => Self::ALL.into_iter().find(|unit| unit.name() == text),
        }
    }
}

/// Refuses accelerations that no earthquake reaches, with the units that would make them plausible.
pub(super) fn check_plausible(values: &[f64], units: RecordUnits, file: &str) -> Result<(), RecordError> {
    let peak = values.iter().fold(0.0, |peak: f64, v| peak.max(v.abs()));
    if units.quantity() != MotionQuantity::Acceleration || peak * units.factor() <= IMPLAUSIBLE {
        return Ok(());
    }
    use RecordUnits::{CentimetrePerSecond2, MetrePerSecond2, MillimetrePerSecond2};
    let likely = [MetrePerSecond2, CentimetrePerSecond2, MillimetrePerSecond2]
        .into_iter()
        .find(|u| peak * u.factor() <= IMPLAUSIBLE);
    let remedy = match likely {
        Some(likely) => format!(
            "it looks like {0}: say units={0}, or units={1} to take it as it is",
            likely.name(),
            units.name()
        ),
        None => format!("say units={} to take it as it is", units.name()),
    };
    let what = format!(
        "a peak of {peak} {} is more than any earthquake reached; {remedy}",
        units.name()
    );
    Err(RecordError::new(file, None, what))
}
