//! The elastic response spectrum of Eurocode 8, EN 1998-1:2004, 3.2.2.2.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A horizontal elastic response spectrum of Eurocode 8 (EN 1998-1:2004, 3.2.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Eurocode8 {
    /// Design ground acceleration on ground type A (m/s²).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub ag: f64,
    /// Shape of the spectrum. Default `type1`.
    #[serde(default)]
    pub shape: SpectrumShape,
    /// Ground type. Default `A`.
    #[serde(default)]
    pub ground: Ground,
    /// Damping as a fraction of critical, 0.05 by default; another one scales the spectrum by
    /// `eta = sqrt(10 / (5 + damping in %))`, at least 0.55.
    #[serde(default = "five_percent")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub damping: f64,
    /// Soil factor and corner periods of a National Annex. Left out: those that the standard recommends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soil: Option<Soil>,
}

/// Shapes of the spectrum of Eurocode 8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SpectrumShape {
    /// Type 1: earthquakes with a surface-wave magnitude above 5.5 contribute most to the hazard.
    #[default]
    Type1,
    /// Type 2: those up to 5.5.
    Type2,
}

/// Ground types of Eurocode 8 (3.1.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Ground {
    /// Rock.
    #[default]
    A,
    /// Very dense sand, gravel or very stiff clay.
    B,
    /// Deep deposits of dense or medium-dense sand, gravel or stiff clay.
    C,
    /// Loose to medium cohesionless soil, or soft to firm cohesive soil.
    D,
    /// A shallow layer of types C or D on rock.
    E,
}

/// What a ground type does to the spectrum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Soil {
    /// Soil factor S.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub factor: f64,
    /// Start of the plateau TB (s).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tb: f64,
    /// End of the plateau TC (s).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tc: f64,
    /// Start of constant displacement TD (s).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub td: f64,
}

fn five_percent() -> f64 {
    0.05
}

impl Ground {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::A, Self::B, Self::C, Self::D, Self::E];

    /// Its letter.
    pub fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
            Self::E => "E",
        }
    }
}

impl Soil {
    /// The values that the standard recommends: its tables 3.2 and 3.3.
    pub fn recommended(shape: SpectrumShape, ground: Ground) -> Self {
        use SpectrumShape::{Type1, Type2};
        let (factor, tb, tc, td) = match (shape, ground) {
            (Type1, Ground::A) => (1.0, 0.15, 0.4, 2.0),
            (Type1, Ground::B) => (1.2, 0.15, 0.5, 2.0),
            (Type1, Ground::C) => (1.15, 0.2, 0.6, 2.0),
            (Type1, Ground::D) => (1.35, 0.2, 0.8, 2.0),
            (Type1, Ground::E) => (1.4, 0.15, 0.5, 2.0),
            (Type2, Ground::A) => (1.0, 0.05, 0.25, 1.2),
            (Type2, Ground::B) => (1.35, 0.05, 0.25, 1.2),
            (Type2, Ground::C) => (1.5, 0.1, 0.25, 1.2),
            (Type2, Ground::D) => (1.8, 0.1, 0.3, 1.2),
            (Type2, Ground::E) => (1.6, 0.05, 0.25, 1.2),
        };
        Self { factor, tb, tc, td }
    }
}

impl Eurocode8 {
    /// The spectrum of type 1 on ground type A with 5 % damping.
    pub fn new(ag: f64) -> Self {
        Self {
            ag,
            shape: SpectrumShape::Type1,
            ground: Ground::A,
            damping: five_percent(),
            soil: None,
        }
    }

    /// The soil factor and corner periods in use.
    pub fn soil(&self) -> Soil {
        self.soil.unwrap_or_else(|| Soil::recommended(self.shape, self.ground))
    }

    /// The damping correction factor: 1 at 5 %.
    pub fn eta(&self) -> f64 {
        (10.0 / (5.0 + 100.0 * self.damping)).sqrt().max(0.55)
    }

    /// The spectral acceleration at a period (m/s²), expressions 3.2 to 3.5. They hold to 4 s.
    pub fn acceleration(&self, period: f64) -> f64 {
        let Soil { factor, tb, tc, td } = self.soil();
        let plateau = 2.5 * self.eta();
        let shape = if period <= tb {
            1.0 + period / tb * (plateau - 1.0)
        } else if period <= tc {
            plateau
        } else if period <= td {
            plateau * tc / period
        } else {
            plateau * tc * td / (period * period)
        };
        self.ag * factor * shape
    }

    /// What is wrong with it, as fields and messages.
    pub(crate) fn problems(&self) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        let mut check = |field: &'static str, value: f64, least: f64, most: f64| {
            if !(value >= least && value <= most) {
                found.push((field, format!("{value} is not allowed; must be from {least} to {most}")));
            }
        };
        check("ag", self.ag, 1e-6, 1e3);
        check("damping", self.damping, 1e-3, 0.5);
        let Soil { factor, tb, tc, td } = self.soil();
        check("soil.factor", factor, 0.01, 100.0);
        check("soil.tb", tb, 1e-3, 4.0);
        check("soil.tc", tc, tb.max(1e-3), 4.0);
        check("soil.td", td, tc.max(1e-3), 100.0);
        found
    }
}
