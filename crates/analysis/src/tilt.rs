//! How far a structure can be tilted, from both sides, as results give it.

use std::borrow::Cow;

use drystone_mechanics::statics::{self, Method, Solvers, Tilt, TiltStatus, Verdict};
use glam::DVec3;
use serde::{Serialize, Serializer};

use crate::{
    Bracket, Case, Failure, Geometry, Grows, Side, TieResult, assumption,
    dry::{left_out_of_limits, with_left_out},
    self_stress_name,
    situation::unit,
    ties,
};

/// A critical tilt as results give it.
pub struct TiltAnswer {
    /// What was found.
    pub found: Tilt,
    /// Forces in ties at the lower bound.
    pub ties: Vec<TieResult>,
    /// Both sides, with their proofs.
    pub bracket: Bracket,
    /// What is known, in plain words.
    pub conclusion: String,
    /// What is wrong with the shapes.
    pub geometry: Geometry,
}

/// Looks for the angle about an axis at which the structure of a case falls under its weight and its loads, which turn with it,
/// and has both sides checked.
pub fn tilt(
    case: &Case<'_>,
    axis: DVec3,
    method: Method,
    geometry: &Geometry,
    solvers: &mut Solvers,
) -> Result<TiltAnswer, Failure> {
    if case.gravity == DVec3::ZERO {
        return Err(
            Failure::input("the model has no gravity, so that tilting it changes nothing").help("give --gravity X,Y,Z"),
        );
    }
    let axis = unit(axis).ok_or_else(|| Failure::input("the axis must have a length"))?;
    if axis.cross(case.gravity.normalize_or_zero()).length() < 1e-9 {
        return Err(
            Failure::input("the axis is the direction of gravity; turning about it tilts nothing")
                .help("give a level axis such as 0,1,0"),
        );
    }
    let mut structure = Cow::Borrowed(case.structure);
    if structure.gravity != case.gravity {
        structure.to_mut().gravity = case.gravity;
    }
    let found = statics::tilt(&structure, case.further, axis, method, solvers)?;
    let bracket = Bracket::of_tilt(case, axis, &found).map_err(Failure::run)?;
    let shown = |angle: f64| format!("{:.2}°", angle.to_degrees());
    Ok(TiltAnswer {
        conclusion: with_left_out(
            bracket.conclusion(Grows::Tilt, shown, geometry),
            left_out_of_limits(case.model, case.structure),
        ),
        geometry: geometry.clone(),
        ties: ties::of(case.structure, found.stands.as_ref()),
        found,
        bracket,
    })
}

impl TiltAnswer {
    /// What is known of the angle once refused bounds are withheld.
    pub fn status(&self) -> TiltStatus {
        let Bracket {
            lower, upper, refused, ..
        } = &self.bracket;
        match (refused.is_empty(), lower, upper) {
            (true, ..) => self.found.status,
            (false, Some(_), _) => TiltStatus::LowerBound,
            (false, None, Some(_)) => TiltStatus::UpperBound,
            (false, None, None) => TiltStatus::Undecided,
        }
    }
}

impl Serialize for TiltAnswer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { found, bracket, .. } = self;
        let degrees = |side: &Option<Side>| side.as_ref().map(|s| s.at.to_degrees());
        let self_stress = found.method.self_stress();
        let [lower_proven, upper_proven] = bracket.proven();
        let sample = |(angle, verdict): &(f64, Verdict)| Sample {
            tilt_deg: angle.to_degrees(),
            stands: *verdict == Verdict::Stable,
            verdict: verdict.name(),
        };
        Fields {
            critical_tilt_deg: found
                .critical
                .filter(|_| bracket.refused.is_empty())
                .map(f64::to_degrees),
            status: self.status().name(),
            lower_deg: degrees(&bracket.lower),
            upper_deg: degrees(&bracket.upper),
            upper_by: found.falls.as_ref().map(|c| c.evidence.name()),
            above_deg: degrees(&bracket.upper),
            beyond: found.beyond().name(),
            lower_proven,
            upper_proven,
            refused: bracket.refused.iter().map(|(what, _)| *what).collect(),
            method: found.method.name(),
            time_s: found.time,
            stands_again: found.stands_again,
            gaps_deg: found.gaps.iter().map(|g| g.to_degrees()).collect(),
            self_stress: self_stress_name(self_stress),
            assumption: assumption(self_stress),
            ties: &self.ties,
            samples: found.samples.iter().map(sample).collect(),
            conclusion: &self.conclusion,
            geometry_problems: &self.geometry,
        }
        .serialize(serializer)
    }
}

/// The fields of a tilt as `docs/statics.md` lists them.
#[derive(Serialize)]
struct Fields<'a> {
    critical_tilt_deg: Option<f64>,
    status: &'static str,
    lower_deg: Option<f64>,
    upper_deg: Option<f64>,
    upper_by: Option<&'static str>,
    above_deg: Option<f64>,
    beyond: &'static str,
    lower_proven: bool,
    upper_proven: bool,
    refused: Vec<&'static str>,
    method: &'static str,
    time_s: f64,
    stands_again: bool,
    gaps_deg: Vec<f64>,
    self_stress: &'static str,
    assumption: &'static str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    ties: &'a [TieResult],
    samples: Vec<Sample>,
    conclusion: &'a str,
    geometry_problems: &'a Geometry,
}

#[derive(Serialize)]
struct Sample {
    tilt_deg: f64,
    stands: bool,
    verdict: &'static str,
}
