//! How answers are shown.

use glam::DVec3;
use serde_json::{Value, json};

use drystone_analysis::{
    Answer, Conclusion, Geometry, Proof, Way, assumption, tie_words,
    words::{named, significant},
};
use drystone_mechanics::statics::{Sensitivity, Verdict};

use super::super::question::geometry_rows;
use crate::program::{
    Failure,
    report::{counted, force, length, table},
};

/// Blocks named one by one before the rest is only counted.
const MOST_NAMED: usize = 10;

/// Everything that is shown.
pub(super) struct Shown<'a> {
    pub(super) conclusion: Conclusion,
    pub(super) geometry: &'a Geometry,
    pub(super) answers: &'a [Answer],
    pub(super) sensitive: Option<&'a Sensitive>,
}

/// How near a verdict is to its opposite.
pub(super) struct Sensitive {
    /// The method that the friction was found with.
    pub(super) method: Option<&'static str>,
    pub(super) friction: Option<Sensitivity>,
    pub(super) worst: Option<(DVec3, f64)>,
}

impl Shown<'_> {
    /// The fields of the first answer, and the others beside it.
    pub(super) fn json(&self) -> Result<Value, Failure> {
        let Some((first, others)) = self.answers.split_first() else {
            return Ok(Value::Null);
        };
        let stated = self.conclusion.stated(first, self.geometry);
        let mut first = stated.map_err(Failure::run)?;
        let others: Result<Vec<Value>, _> = others.iter().map(serde_json::to_value).collect();
        first["others"] = json!(others.map_err(Failure::run)?);
        first["sensitivity"] = json!(self.sensitive.map(Sensitive::json));
        Ok(first)
    }

    /// For people: the conclusion, what is wrong with the geometry, each method, and details where they are asked for.
    pub(super) fn text(&self, name: &str, details: bool) -> String {
        let mut text = format!("{name}: {}\n", self.conclusion.sentence);
        if !self.geometry.is_sound() {
            text.push_str(&format!("\n{}", table(&geometry_rows(self.geometry))));
        }
        for answer in self.answers {
            text.push_str(&format!("\n{}", table(&rows(answer))));
        }
        if let Some(sensitive) = self.sensitive {
            text.push_str(&format!("\n{}", table(&sensitive.rows())));
        }
        if details {
            text.push_str("\ndetails\n");
            for answer in self.answers {
                for line in answer.details() {
                    text.push_str(&format!("  {}: {line}\n", answer.finding.way.name()));
                }
            }
        }
        text
    }
}

fn rows(answer: &Answer) -> Vec<(&'static str, String)> {
    let way = answer.finding.way;
    let mut rows = vec![
        ("verdict", answer.finding.verdict().name().to_string()),
        ("method", format!("{}: {}", way.name(), way.title())),
        ("assumes", assumes(answer)),
        ("because", answer.reason()),
    ];
    if !answer.unstable.is_empty() {
        rows.push(("unstable blocks", named(&answer.unstable, MOST_NAMED)));
    }
    if !answer.later.is_empty() {
        let later = named(&answer.later, MOST_NAMED);
        rows.push(("once fixed", format!("{later} would move, too")));
    }
    if let Some(found) = &answer.check {
        if !found.forces.is_empty() {
            rows.push(("largest force", force(found.largest_force())));
            if way == Way::Elastic && answer.elastic.is_some() {
                rows.push(("forces", "those that blocks mobilise as they deform".to_string()));
            } else if found.redundancy > 0 {
                let degree = counted(found.redundancy, "time");
                let which = if found.is_least_norm { "the smallest" } else { "one" };
                let others = format!("{which} of many distributions (at least {degree} statically indeterminate)");
                rows.push(("forces", others));
            }
        }
        if let Some(ties) = tie_words(&answer.ties) {
            rows.push(("ties", ties));
        }
        if way.has_tension() {
            let none = || "none that would hold it was found".to_string();
            rows.push(("tension", answer.tension().map_or_else(none, force)));
        }
    }
    if let Some(displacement) = answer.displacement {
        rows.push(("displacement", length(displacement)));
    }
    rows.push(("time", format!("{:.3} s", answer.time)));
    if let Some(file) = &answer.file {
        let proof = match answer.finding.proof {
            Proof::Accepted if answer.finding.is_proven() => "checked by independent code",
            Proof::Accepted => "proves equilibrium with self-stress allowed",
            Proof::Open(_) | Proof::Refused(_) => "shows the motion; evidence, not proof",
        };
        rows.push(("certificate", format!("{file} ({proof})")));
    }
    rows
}

fn assumes(answer: &Answer) -> String {
    let assumption = assumption(answer.finding.way.self_stress());
    if answer.finding.verdict() == Verdict::Unstable && answer.finding.is_proven() {
        format!("{assumption}; here no force distribution is admissible, so that the verdict holds either way")
    } else {
        assumption.to_string()
    }
}

impl Sensitive {
    fn json(&self) -> Value {
        json!({
            "method": self.method,
            "friction_factor": self.friction.and_then(|f| f.friction_factor),
            "falls_at_factor": self.friction.and_then(|f| f.falls_at_factor),
            "least_friction": self.friction.and_then(|f| f.least_friction),
            "worst_direction": self.worst.map(|(direction, multiplier)| {
                json!({ "direction": direction, "multiplier": multiplier, "friction": "associated" })
            }),
        })
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        if let (Some(method), Some(found)) = (self.method, &self.friction) {
            let friction = match (found.friction_factor, found.least_friction) {
                (Some(factor), Some(least)) => {
                    let bound = if found.is_exact() { "" } else { "at most " };
                    let [least, factor] = [least, factor].map(significant);
                    format!("{bound}{least}, {factor} times that of the model (by {method})")
                }
                _ => format!("no friction was found to be enough (by {method})"),
            };
            rows.push(("minimum friction", friction));
        }
        if let Some((direction, multiplier)) = self.worst {
            let [x, y, z] = direction.to_array().map(|v| if v.abs() < 5e-4 { 0.0 } else { v });
            let capacity = if multiplier.is_finite() {
                format!("lateral capacity {} g", significant(multiplier))
            } else {
                "no limit".into()
            };
            rows.push((
                "worst direction",
                format!("{x:.3},{y:.3},{z:.3}: {capacity} (associated friction)"),
            ));
        }
        rows
    }
}
