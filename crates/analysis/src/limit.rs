//! The largest multiplier of a load, from both sides, as results give it.

use drystone_cone::Friction;
use drystone_mechanics::statics::{self, Limit, LimitSettings, Loads, Solvers};
use glam::DVec3;
use serde::{Serialize, Serializer};

use crate::{
    Bracket, Case, Failure, Geometry, Grows, Side, TieResult,
    answer::StageFields,
    dry::{left_out_of_limits, with_left_out},
    situation::unit,
    ties,
    words::significant,
};

/// The loads that grow.
#[derive(Clone, Debug, PartialEq)]
pub enum Growing {
    /// A force in proportion to mass along a direction, in units of gravity.
    Direction(DVec3),
    /// A load case of the model.
    Load(String),
}

impl Growing {
    /// The loads at a multiplier of one.
    pub fn loads(&self, case: &Case<'_>) -> Result<Loads, Failure> {
        match self {
            Self::Load(name) => Ok(Loads::case(case.model, case.structure, name)?),
            Self::Direction(direction) => {
                let direction = unit(*direction).ok_or_else(|| Failure::input("the direction must have a length"))?;
                let gravity = case.gravity.length();
                if gravity == 0.0 {
                    return Err(Failure::input(
                        "the multiplier is in units of gravity, and the model has none",
                    ));
                }
                Ok(Loads::body_force(case.structure, gravity * direction))
            }
        }
    }

    /// What a multiplier multiplies.
    pub fn unit(&self) -> String {
        match self {
            Self::Direction(d) => {
                let short = |v: f64| {
                    Some(v.to_string())
                        .filter(|text| text.len() <= 8)
                        .unwrap_or(significant(v))
                };
                format!("g along {}", d.to_array().map(short).join(","))
            }
            Self::Load(name) => format!("times load case `{name}`"),
        }
    }
}

/// A limit as results give it.
pub struct LimitAnswer {
    /// What grew.
    pub growing: Growing,
    /// The friction law.
    pub friction: Friction,
    /// What was found.
    pub found: Limit,
    /// Forces in ties at the lower bound.
    pub ties: Vec<TieResult>,
    /// Both sides, with their proofs.
    pub bracket: Bracket,
    /// What is known, in plain words.
    pub conclusion: String,
    /// What is wrong with the shapes.
    pub geometry: Geometry,
    /// Files of the certificates, in the order of [`CERTIFICATES`].
    pub files: [Option<String>; 5],
}

/// Names of the certificates of a limit.
pub const CERTIFICATES: [&str; 5] = ["stands", "falls", "no-limit", "without", "needed"];

/// Looks for the largest multiplier of growing loads beside the loads of a case, and has both sides checked.
pub fn limit(
    case: &Case<'_>,
    growing: Growing,
    friction: Friction,
    geometry: &Geometry,
    solvers: &mut Solvers,
) -> Result<LimitAnswer, Failure> {
    let live = growing.loads(case)?;
    let settings = LimitSettings {
        friction,
        ..LimitSettings::default()
    };
    let found = statics::limit(case.structure, &case.loads(), &live, &settings, solvers)?;
    let bracket = Bracket::of_limit(case, &growing, &live, &found).map_err(Failure::run)?;
    let shown = |multiplier: f64| format!("{} {}", significant(multiplier), growing.unit());
    Ok(LimitAnswer {
        conclusion: with_left_out(
            bracket.conclusion(Grows::Load, shown, geometry),
            left_out_of_limits(case.model, case.structure),
        ),
        geometry: geometry.clone(),
        growing,
        friction,
        ties: ties::of(case.structure, found.stands.as_ref()),
        found,
        bracket,
        files: [const { None }; 5],
    })
}

impl LimitAnswer {
    /// The sides in the order of [`CERTIFICATES`].
    pub fn sides(&self) -> [Option<&Side>; 5] {
        let Bracket {
            lower,
            upper,
            unbounded,
            without,
            needed,
            ..
        } = &self.bracket;
        [lower, upper, unbounded, without, needed].map(Option::as_ref)
    }

    /// What the friction law assumes, in words.
    pub fn friction_words(&self) -> &'static str {
        match self.friction {
            Friction::Associated => "associated: sliding opens joints; self-stress allowed",
            Friction::Coulomb => {
                "coulomb: sliding does not open joints; for the lower bound self-stress is not allowed, the upper bound is that \
                 of associated friction"
            }
        }
    }
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

impl Serialize for LimitAnswer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let sides = self.sides();
        let bound = |k: usize| sides[k].and_then(|side| finite(side.at));
        let proof = |k: usize| {
            let (side, file) = (sides[k]?, self.files[k].as_deref()?);
            Some(CertificateFile {
                file,
                multiplier: finite(side.proven_at),
            })
        };
        let [lower_proven, upper_proven] = self.bracket.proven();
        Fields {
            multiplier: bound(0),
            bounds: [bound(0), bound(1)],
            unbounded: self.bracket.unbounded.is_some(),
            needed: bound(4),
            lower_proven,
            upper_proven,
            refused: self.bracket.refused.iter().map(|(what, _)| *what).collect(),
            friction: match self.friction {
                Friction::Associated => "associated",
                Friction::Coulomb => "coulomb",
            },
            friction_words: self.friction_words(),
            ties: &self.ties,
            residual: self.found.residual(),
            time_s: self.found.time,
            note: &self.found.note,
            stages: self.found.stages.iter().map(StageFields::from).collect(),
            unit: match self.growing {
                Growing::Direction(_) => "gravity",
                Growing::Load(_) => "load case",
            },
            certificates: Certificates {
                stands: proof(0),
                falls: proof(1),
                no_limit: proof(2),
                without: proof(3),
                needed: proof(4),
            },
            conclusion: &self.conclusion,
            geometry_problems: &self.geometry,
        }
        .serialize(serializer)
    }
}

/// The fields of a limit as `docs/statics.md` lists them.
#[derive(Serialize)]
struct Fields<'a> {
    multiplier: Option<f64>,
    bounds: [Option<f64>; 2],
    unbounded: bool,
    needed: Option<f64>,
    lower_proven: bool,
    upper_proven: bool,
    refused: Vec<&'static str>,
    friction: &'static str,
    friction_words: &'static str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    ties: &'a [TieResult],
    residual: Option<f64>,
    time_s: f64,
    note: &'a str,
    stages: Vec<StageFields>,
    unit: &'static str,
    certificates: Certificates<'a>,
    conclusion: &'a str,
    geometry_problems: &'a Geometry,
}

#[derive(Serialize)]
struct Certificates<'a> {
    stands: Option<CertificateFile<'a>>,
    falls: Option<CertificateFile<'a>>,
    no_limit: Option<CertificateFile<'a>>,
    without: Option<CertificateFile<'a>>,
    needed: Option<CertificateFile<'a>>,
}

#[derive(Serialize)]
struct CertificateFile<'a> {
    file: &'a str,
    multiplier: Option<f64>,
}
