//! One method's answer.

use std::time::Instant;

use drystone_mechanics::statics::{
    Check, ElasticEquilibrium, Evidence, Method, Solvers, Stage, StaticsError, Verdict, check, check_elastic,
    settle_under, unstable_in_turn,
};
use drystone_model::certificate::Certificate;
use serde::{Serialize, Serializer};

use crate::{
    Case, DeformationResult, Finding, Geometry, Proof, TieGroup, TieResult, Way, assumption, self_stress_name, ties,
    words::{force, significant},
};

/// Displacement, over the size of a block, from which a block counts as moved in time stepping.
const MOVED: f64 = 0.01;
/// Contact points up to which it is asked what moves later.
const SMALL: usize = 500;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The question cannot be asked of this model.
    #[error(transparent)]
    Statics(#[from] StaticsError),
    /// The certificate could not be written.
    #[error("the certificate could not be written: {0}")]
    Certificate(#[from] serde_json::Error),
}

/// What one method found.
pub struct Answer {
    /// The finding, and how far it is proven.
    pub finding: Finding,
    /// What it rests on; nothing for time stepping.
    pub check: Option<Check>,
    /// Whether its certificate was refused where blocks overlap: the geometry is at fault, not the program.
    pub geometry_at_fault: bool,
    /// Names of the blocks that move, or that need tension.
    pub unstable: Vec<String>,
    /// Forces in ties that it rests on.
    pub ties: Vec<TieResult>,
    /// Names of the blocks that move once those are fixed.
    pub later: Vec<String>,
    /// The elastic equilibrium, where it was asked for and found.
    pub elastic: Option<ElasticEquilibrium>,
    /// What its blocks deform by.
    pub deformation: Option<DeformationResult>,
    /// Largest displacement of a block in time stepping or in elastic equilibrium (unit: m).
    pub displacement: Option<f64>,
    /// Simulated time (unit: s).
    pub duration: Option<f64>,
    /// Seconds it took.
    pub time: f64,
    /// The certificate that was checked.
    pub certificate: Option<Certificate>,
    /// Where that was written to.
    pub file: Option<String>,
}

/// Asks whether a structure stands, and has what was found checked by independent code. `geometry` is what is wrong with its
/// shapes.
pub fn ask(case: &Case<'_>, way: Way, geometry: &Geometry, solvers: &mut Solvers) -> Result<Answer, AskError> {
    let loads = case.loads();
    let (method, found, elastic) = match way {
        Way::Dynamic => return in_time(case, solvers),
        Way::Static(method) => (method, check(case.structure, &loads, method, solvers)?, None),
        Way::Elastic => {
            let acting = (case.gravity, case.load_cases, &loads);
            let (found, elastic) = check_elastic(case.model, case.structure, acting, solvers)?;
            (Method::Cone, found, elastic)
        }
    };
    let name = |b: &usize| case.structure.names[*b].clone();
    let (certificate, proof) = case.prove(&found)?;
    let mut answer = Answer {
        geometry_at_fault: proof.refused().is_some() && geometry.overlapping(1).is_some(),
        finding: Finding {
            way,
            found: found.verdict,
            proof,
        },
        unstable: found.unstable_blocks.iter().map(name).collect(),
        ties: ties::of(case.structure, Some(&found)),
        later: Vec::new(),
        displacement: elastic.as_ref().map(|e| e.displacement),
        duration: None,
        deformation: elastic
            .as_ref()
            .and_then(|e| DeformationResult::of(case.structure, &e.placements, &e.deformed, &[])),
        elastic,
        time: found.time,
        certificate,
        check: Some(found),
        file: None,
    };
    // Where forces balance the loads, and neither a displacement that mobilises some nor growth was found, time tells; not of
    // blocks that overlap, which it would throw apart.
    let balanced = answer.finding.found == Verdict::Undecided && answer.finding.proves_equilibrium();
    if method == Method::Cra && balanced && geometry.overlapping(1).is_none() {
        let tried = in_time(case, solvers)?;
        if tried.finding.found != Verdict::Undecided {
            answer.finding.found = tried.finding.found;
            answer.finding.proof = Proof::Open(None);
            (answer.displacement, answer.duration) = (tried.displacement, tried.duration);
            answer.unstable = tried.unstable;
            answer.certificate = None;
        }
        answer.time += tried.time;
    }
    Ok(answer)
}

fn in_time(case: &Case<'_>, solvers: &Solvers) -> Result<Answer, AskError> {
    let start = Instant::now();
    let (settled, moved) = settle_under(case.model, case.structure, case.gravity, &case.applied(), solvers)?;
    let structure = case.structure;
    let falls = |b: &usize| settled.verdict == Verdict::Unstable && moved[*b] > MOVED * structure.length;
    Ok(Answer {
        geometry_at_fault: false,
        finding: Finding {
            way: Way::Dynamic,
            found: settled.verdict,
            proof: Proof::Open(None),
        },
        check: None,
        unstable: structure
            .free()
            .filter(falls)
            .map(|b| structure.names[b].clone())
            .collect(),
        ties: Vec::new(),
        later: Vec::new(),
        displacement: Some(settled.displacement),
        duration: Some(settled.duration),
        elastic: None,
        deformation: None,
        time: start.elapsed().as_secs_f64(),
        certificate: None,
        file: None,
    })
}

impl Answer {
    /// Looks for blocks that move once those are fixed which move now, where there are not too many.
    pub fn look_later(&mut self, case: &Case<'_>, solvers: &mut Solvers) {
        let Some(found) = self.check.as_ref().filter(|_| case.structure.points.len() <= SMALL) else {
            return;
        };
        // The verdict stands, whatever becomes of this.
        if let Ok((turns, _)) = unstable_in_turn(case.structure, &case.loads(), found, solvers) {
            self.later = turns
                .iter()
                .flatten()
                .map(|&b| case.structure.names[b].clone())
                .collect();
        }
    }

    /// Why, in plain words.
    pub fn reason(&self) -> String {
        let Finding { way, found, proof } = &self.finding;
        let mobilised = way.self_stress() == drystone_model::certificate::SelfStress::Excluded;
        let proven = match proof {
            Proof::Accepted => "proven".to_string(),
            Proof::Open(Some(why)) => format!("not proven: {why}"),
            Proof::Open(None) | Proof::Refused(_) => "not proven".to_string(),
        };
        let mut said = match (proof, found) {
            (Proof::Refused(_), _) if self.geometry_at_fault => {
                "blocks overlap: no result is accepted for such a geometry".to_string()
            }
            (Proof::Refused(_), _) => "the program's own check refused this result; please report it".to_string(),
            _ if *way == Way::Dynamic => return self.reason_in_time(),
            (_, Verdict::Stable) if *way == Way::Elastic => {
                let deformed = self
                    .deformation
                    .as_ref()
                    .map_or(String::new(), |d| format!("; {}", d.words()));
                format!(
                    "loaded from a state free of stress it comes to an elastic equilibrium (forces {proven}){deformed}"
                )
            }
            (Proof::Accepted, Verdict::Undecided) if *way == Way::Elastic => {
                "an admissible force distribution exists (proven), but no elastic equilibrium was found".into()
            }
            _ if self.duration.is_some() => {
                return format!(
                    "an admissible force distribution exists; no displacement was found that mobilises one. Loaded slowly \
                     from slightly open joints, {} (time stepping: evidence, not proof)",
                    self.reason_in_time()
                );
            }
            (_, Verdict::Stable) if mobilised => {
                format!("forces mobilised by displacement are in equilibrium within friction limits ({proven})")
            }
            (_, Verdict::Stable) => format!("an admissible force distribution exists ({proven})"),
            (Proof::Accepted, Verdict::Unstable) => "a collapse mechanism exists (proven)".into(),
            (_, Verdict::Unstable) if mobilised => {
                "no forces mobilised by displacement were found: closing the joints takes ever more motion (evidence, \
                 not proof)"
                    .into()
            }
            (_, Verdict::Unstable) => format!("a collapse mechanism was found ({proven})"),
            (Proof::Accepted, Verdict::Undecided) => {
                "an admissible force distribution exists (proven); whether displacement mobilises one is not decided"
                    .into()
            }
            (_, Verdict::Undecided) if mobilised => {
                "neither forces mobilised by displacement nor a collapse mechanism was found".into()
            }
            (_, Verdict::Undecided) => {
                "neither an admissible force distribution nor a collapse mechanism was found".into()
            }
        };
        if let Some(tension) = self.tension().filter(|t| *t > 0.0) {
            said.push_str(&format!("; tension of {} would hold it", force(tension)));
        }
        said
    }

    fn reason_in_time(&self) -> String {
        let length = self.displacement.unwrap_or_default();
        let reason = match self.finding.found {
            Verdict::Stable if length > 0.0 => "it came to rest",
            Verdict::Stable => "it did not move",
            Verdict::Unstable => "a block moved by a good fraction of its size",
            Verdict::Undecided => "it neither fell nor came to rest in the time given",
        };
        format!(
            "{reason} after {:.3} s of simulated time",
            self.duration.unwrap_or_default()
        )
    }

    /// What only a specialist asks for, in words: how it was found and what was measured.
    pub fn details(&self) -> Vec<String> {
        let mut details = Vec::new();
        if let Some(found) = &self.check {
            details.push(found.reason.clone());
            if let Some(left) = found.unbalanced() {
                details.push(format!("residual: {left:.1e} of the loads is left over on a block"));
            }
            if let Some(closing) = found.closing() {
                details.push(format!(
                    "residual: a joint closes at {closing:.1e} of the fastest speed"
                ));
            }
            if let Evidence::Mobilised { error, .. } = found.evidence {
                details.push(format!(
                    "the conditions of coupled analysis (paper 004, eq. 11) hold to {error:.0e}"
                ));
            }
        }
        details.extend(
            self.stages()
                .iter()
                .map(|stage| format!("stage {}", stage_words(stage))),
        );
        let refused = self.finding.proof.refused().into_iter().flatten();
        details.extend(refused.map(|claim| format!("refused: {claim}")));
        details
    }

    /// What was tried, in order; nothing for time stepping.
    pub fn stages(&self) -> &[Stage] {
        self.check.as_ref().map_or(&[], |found| &found.stages)
    }

    /// Sum of the tensions that hold it, where the method has them and found any that do (unit: N).
    pub fn tension(&self) -> Option<f64> {
        let found = self.check.as_ref().filter(|_| self.finding.way.has_tension())?;
        match (found.verdict, found.tensions.is_empty()) {
            (Verdict::Stable, true) => Some(0.0),
            (_, true) => None,
            (_, false) => Some(found.tension()),
        }
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let found = self.check.as_ref();
        let with_forces = found.filter(|c| !c.forces.is_empty());
        let way = self.finding.way;
        let refused = self.finding.proof.refused();
        Fields {
            verdict: self.finding.verdict().name(),
            method: way.name(),
            residual: found.and_then(Check::residual),
            max_force_n: with_forces.map(Check::largest_force),
            tension_n: self.tension(),
            ties: &self.ties,
            tie_groups: ties::groups_of(&self.ties),
            unstable_blocks: &self.unstable,
            unstable_later: &self.later,
            certificate: self.file.as_deref(),
            time_s: self.time,
            self_stress: self_stress_name(way.self_stress()),
            assumption: assumption(way.self_stress()),
            proven: self.finding.is_proven(),
            equilibrium_proven: self.finding.proves_equilibrium(),
            evidence: match self.duration {
                Some(_) if way != Way::Dynamic => Some("settling"),
                _ => found.map(|c| c.evidence.name()),
            },
            redundancy: found.map(|c| c.redundancy),
            least_norm: found.map(|c| c.is_least_norm),
            refused,
            reason: self.reason(),
            details: self.details(),
            stages: self.stages().iter().map(StageFields::from).collect(),
            cone_margin: found.and_then(Check::cone_margin),
            work: found.and_then(Check::power),
            growth: found.and_then(|c| c.growth),
            reach: found.and_then(Check::reach),
            displacement_m: self.displacement,
            deformation: self.deformation.as_ref(),
        }
        .serialize(serializer)
    }
}

/// The fields of an answer as `docs/statics.md` lists them.
#[derive(Serialize)]
struct Fields<'a> {
    verdict: &'static str,
    method: &'static str,
    residual: Option<f64>,
    max_force_n: Option<f64>,
    tension_n: Option<f64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    ties: &'a [TieResult],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tie_groups: Vec<TieGroup>,
    unstable_blocks: &'a [String],
    unstable_later: &'a [String],
    certificate: Option<&'a str>,
    time_s: f64,
    self_stress: &'static str,
    assumption: &'static str,
    proven: bool,
    equilibrium_proven: bool,
    evidence: Option<&'static str>,
    redundancy: Option<usize>,
    least_norm: Option<bool>,
    refused: Option<&'a [String]>,
    reason: String,
    details: Vec<String>,
    stages: Vec<StageFields>,
    cone_margin: Option<f64>,
    work: Option<f64>,
    growth: Option<f64>,
    reach: Option<f64>,
    displacement_m: Option<f64>,
    #[serde(flatten)]
    deformation: Option<&'a DeformationResult>,
}

/// A stage in words: what was tried, how it ended, at which multiplier and by which residual.
pub fn stage_words(stage: &Stage) -> String {
    let at = stage
        .multiplier
        .map_or(String::new(), |m| format!(" at {}", significant(m)));
    let residual = stage.residual.map_or(String::new(), |r| format!(", residual {r:.1e}"));
    format!("{}: {}{at}{residual}", stage.kind.name(), stage.outcome.name())
}

/// The fields of a stage.
#[derive(Serialize)]
pub(crate) struct StageFields {
    stage: &'static str,
    outcome: &'static str,
    residual: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    multiplier: Option<f64>,
}

impl From<&Stage> for StageFields {
    fn from(stage: &Stage) -> Self {
        Self {
            stage: stage.kind.name(),
            outcome: stage.outcome.name(),
            residual: stage.residual,
            multiplier: stage.multiplier,
        }
    }
}
