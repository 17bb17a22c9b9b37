//! One method's answer, and how answers are shown.

use std::time::Instant;

use glam::DVec3;
use serde_json::{Value, json};

use drystone_mechanics::statics::{
    Check, Evidence, Loads, Method, Solvers, Verdict, check, settle_under, unstable_in_turn,
};
use drystone_model::certificate::Certificate;

use super::super::{
    question::{Subject, bad},
    words::{Way, assumption, prestress_name, sentence, together},
};
use crate::{
    error::Failure,
    report::{counted, force, length, table},
};

/// Blocks named one by one before the rest is only counted.
const MOST_NAMED: usize = 10;
/// Displacement, over the size of a block, from which a block counts as moved in time stepping.
const MOVED: f64 = 0.01;

/// Contact points up to which it is asked what moves later.
const SMALL: usize = 500;

/// What one method found.
pub(super) struct Answer {
    pub(super) way: Way,
    verdict: Verdict,
    reason: String,
    /// Nothing for time stepping.
    check: Option<Check>,
    unstable: Vec<String>,
    /// Blocks that move once those are held.
    later: Vec<String>,
    displacement: Option<f64>,
    time: f64,
    pub(super) certificate: Option<Certificate>,
}

/// How near a verdict is to its opposite.
pub(super) struct Sensitive {
    /// The method that the friction was found with.
    pub(super) method: Option<&'static str>,
    pub(super) friction_factor: Option<f64>,
    pub(super) least_friction: Option<f64>,
    pub(super) worst: Option<(DVec3, f64)>,
}

impl Answer {
    /// What the verdict rests on; nothing for time stepping.
    pub(super) fn check(&self) -> Option<&Check> {
        self.check.as_ref()
    }

    pub(super) fn ask(
        subject: &Subject,
        gravity: DVec3,
        further: &Loads,
        way: Way,
        solvers: &mut Solvers,
    ) -> Result<Self, Failure> {
        match way {
            Way::Static(method) => Self::by_method(subject, gravity, further, method, solvers),
            Way::Dynamic => Self::by_time(subject, gravity, further),
        }
    }

    fn by_method(
        subject: &Subject,
        gravity: DVec3,
        further: &Loads,
        method: Method,
        solvers: &mut Solvers,
    ) -> Result<Self, Failure> {
        let loads = subject.weight(gravity).plus(further, 1.0);
        let found = check(&subject.assembly, &loads, method, solvers).map_err(bad)?;
        let name = |b: &usize| subject.assembly.names[*b].clone();
        let later = if subject.assembly.points.len() <= SMALL {
            // The verdict stands, whatever becomes of this.
            let turns =
                unstable_in_turn(&subject.assembly, &loads, &found, solvers).map_or_else(|_| Vec::new(), |t| t.0);
            turns.iter().flatten().map(name).collect()
        } else {
            Vec::new()
        };
        Ok(Self {
            way: Way::Static(method),
            verdict: found.verdict,
            reason: found.reason.clone(),
            unstable: found.unstable_blocks.iter().map(name).collect(),
            later,
            displacement: None,
            time: found.time,
            certificate: subject.certificate(gravity, further, &found)?,
            check: Some(found),
        })
    }

    fn by_time(subject: &Subject, gravity: DVec3, further: &Loads) -> Result<Self, Failure> {
        let start = Instant::now();
        let applied = subject.applied(further);
        let (settled, moved) = settle_under(&subject.model, gravity, &applied).map_err(bad)?;
        let assembly = &subject.assembly;
        let reason = match settled.verdict {
            Verdict::Stable if settled.displacement > MOVED * assembly.length => "it came to rest elsewhere",
            Verdict::Stable => "it came to rest",
            Verdict::Unstable => "a block moved by a good part of its size",
            Verdict::Undecided => "it neither fell nor came to rest in the time given",
        };
        let falls = |b: &usize| settled.verdict == Verdict::Unstable && moved[*b] > MOVED * assembly.length;
        Ok(Self {
            way: Way::Dynamic,
            verdict: settled.verdict,
            reason: format!("{reason} after {:.3} s of simulated time", settled.duration),
            check: None,
            unstable: assembly
                .free()
                .filter(falls)
                .map(|b| assembly.names[b].clone())
                .collect(),
            later: Vec::new(),
            displacement: Some(settled.displacement),
            time: start.elapsed().as_secs_f64(),
            certificate: None,
        })
    }

    fn json(&self, certificate: Option<&String>) -> Value {
        let found = self.check.as_ref();
        let with_forces = found.filter(|c| !c.forces.is_empty());
        json!({
            "verdict": self.verdict.name(),
            "method": self.way.name(),
            "residual": found.and_then(Check::residual),
            "evidence": found.map(|c| c.evidence.name()),
            "redundancy": found.map(|c| c.redundancy),
            "max_force_n": with_forces.map(Check::largest_force),
            "tension_n": self.tension(),
            "unstable_blocks": self.unstable,
            "unstable_later": self.later,
            "certificate": certificate,
            "time_s": self.time,
            "prestress": prestress_name(self.way.prestress()),
            "assumption": assumption(self.way.prestress()),
            "proven": self.certificate.is_some() && !self.is_evidence(),
            "reason": self.reason,
            "cone_margin": found.and_then(Check::cone_margin),
            "work": found.and_then(Check::power),
            "growth": found.and_then(|c| c.growth),
            "reach": found.and_then(Check::reach),
            "displacement_m": self.displacement,
        })
    }

    fn rows(&self, certificate: Option<&String>) -> Vec<(&'static str, String)> {
        let mut rows = vec![
            ("verdict", self.verdict.name().to_string()),
            ("method", format!("{}: {}", self.way.name(), self.way.title())),
            ("assumes", self.assumes()),
            ("because", self.reason.clone()),
        ];
        if !self.unstable.is_empty() {
            rows.push(("unstable blocks", named(&self.unstable)));
        }
        if !self.later.is_empty() {
            rows.push(("once held", format!("{} would move, too", named(&self.later))));
        }
        if let Some(found) = &self.check {
            if let Some(unbalanced) = found.unbalanced() {
                rows.push((
                    "residual",
                    format!("{unbalanced:.1e} of the loads is left over on a block"),
                ));
            }
            if let Some(closing) = found.closing() {
                rows.push((
                    "residual",
                    format!("a joint is entered at {closing:.1e} of the fastest speed"),
                ));
            }
            if !found.forces.is_empty() {
                rows.push(("largest force", force(found.largest_force())));
            }
            if self.way.has_tension() {
                let none = || "none that would hold it was found".to_string();
                rows.push(("tension", self.tension().map_or_else(none, force)));
            }
        }
        if let Some(displacement) = self.displacement {
            rows.push(("displacement", length(displacement)));
        }
        rows.push(("time", format!("{:.3} s", self.time)));
        if let Some(file) = certificate {
            let proof = if self.is_evidence() {
                " (shows the motion; evidence, no proof)"
            } else {
                ""
            };
            rows.push(("certificate", format!("{file}{proof}")));
        }
        rows
    }

    /// Sum of the tensions that hold it, where the method has them and found any that do (unit: N).
    fn tension(&self) -> Option<f64> {
        let found = self.check.as_ref().filter(|_| self.way.has_tension())?;
        match (self.verdict, found.tensions.is_empty()) {
            (Verdict::Stable, true) => Some(0.0),
            (_, true) => None,
            (_, false) => Some(found.tension()),
        }
    }

    /// Whether the verdict rests on openings that grew without end: no proof.
    fn is_evidence(&self) -> bool {
        let is_growth = |c: &Check| matches!(c.evidence, Evidence::Growth { .. });
        self.verdict == Verdict::Unstable && self.check.as_ref().is_none_or(is_growth)
    }

    fn assumes(&self) -> String {
        let assumption = assumption(self.way.prestress());
        if self.verdict == Verdict::Unstable && !self.is_evidence() {
            format!("{assumption}; here no forces balance at all, so that the verdict holds either way")
        } else {
            assumption.to_string()
        }
    }
}

fn named(blocks: &[String]) -> String {
    let some: Vec<String> = blocks.iter().take(MOST_NAMED).map(|n| format!("`{n}`")).collect();
    let more = blocks.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        format!(
            "{}, {} and {more} more",
            counted(blocks.len(), "block"),
            some.join(", ")
        )
    } else {
        some.join(", ")
    }
}

/// The fields of the first answer, and the others beside it.
pub(super) fn json(answers: &[Answer], files: &[Option<String>], sensitive: Option<&Sensitive>) -> Value {
    let mut each = answers.iter().zip(files).map(|(a, f)| a.json(f.as_ref()));
    let mut first = each.next().unwrap_or_default();
    first["others"] = each.collect();
    first["together"] = json!(said(answers));
    first["sensitivity"] = json!(sensitive.map(|s| {
        json!({
            "method": s.method,
            "friction_factor": s.friction_factor,
            "least_friction": s.least_friction,
            "worst_direction": s.worst.map(|(direction, multiplier)| {
                json!({ "direction": direction, "multiplier": multiplier, "friction": "associated" })
            }),
        })
    }));
    first
}

/// Answers for people.
pub(super) fn text(name: &str, answers: &[Answer], files: &[Option<String>], sensitive: Option<&Sensitive>) -> String {
    let verdict = answers.first().map_or(Verdict::Undecided, |a| a.verdict);
    let mut text = format!("{name}: {}\n", sentence(verdict));
    for (answer, file) in answers.iter().zip(files) {
        text.push_str(&format!("\n{}", table(&answer.rows(file.as_ref()))));
    }
    if let Some(said) = said(answers) {
        text.push_str(&format!("\n{said}\n"));
    }
    if let Some(sensitive) = sensitive {
        text.push_str(&format!("\n{}", table(&sensitive.rows())));
    }
    text
}

fn said(answers: &[Answer]) -> Option<String> {
    let verdicts: Vec<(Way, Verdict)> = answers.iter().map(|a| (a.way, a.verdict)).collect();
    together(&verdicts)
}

impl Sensitive {
    fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        if let Some(method) = self.method {
            let friction = match (self.friction_factor, self.least_friction) {
                (Some(factor), Some(least)) => {
                    format!("{least:.4}, {factor:.4} times that of the model (by {method})")
                }
                _ => format!("no friction is enough (by {method})"),
            };
            rows.push(("least friction", friction));
        }
        if let Some((direction, multiplier)) = self.worst {
            let [x, y, z] = direction.to_array().map(|v| if v.abs() < 5e-4 { 0.0 } else { v });
            rows.push((
                "worst direction",
                format!("{x:.3},{y:.3},{z:.3}: carries {multiplier:.4} times its weight (associated friction)"),
            ));
        }
        rows
    }
}
