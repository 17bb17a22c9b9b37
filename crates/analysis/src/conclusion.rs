//! One conclusion from all evidence: the sentence that text, JSON, page and report open with.
//!
//! Verdicts of single methods differ in what they assume and in how far they are proven. What follows from all of them is
//! said once, here. A collapse mechanism excludes every force distribution; forces mobilised by displacement are also an
//! admissible force distribution; that openings grow without end is evidence, no proof.

use drystone_mechanics::{Structure, statics::Verdict};
use drystone_model::certificate::SelfStress;

use serde_json::{Value, json};

use crate::{
    Answer, Finding, Geometry, Way,
    dry::{left_out, with_left_out},
    words::{listed, sentence},
};

/// What all evidence together says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    /// The verdict of the method asked first; undecided where it is withheld.
    pub verdict: Verdict,
    /// What is known, in two or three words.
    pub headline: &'static str,
    /// What is known, in plain words.
    pub sentence: String,
}

impl Conclusion {
    /// The fields of an answer as results give them, with what all answers come to.
    pub fn stated(&self, answer: &Answer, geometry: &Geometry) -> Result<Value, serde_json::Error> {
        let mut fields = serde_json::to_value(answer)?;
        fields["verdict"] = json!(self.verdict.name());
        fields["headline"] = json!(self.headline);
        fields["conclusion"] = json!(self.sentence);
        fields["geometry_problems"] = json!(geometry);
        Ok(fields)
    }

    /// The same with what statics left out of the joint laws of a structure.
    #[must_use]
    pub fn of_joints(self, structure: &Structure) -> Self {
        Self {
            sentence: with_left_out(self.sentence, left_out(structure)),
            ..self
        }
    }
}

/// Draws the conclusion from what methods found, the first of which gives the verdict.
pub fn conclude(findings: &[Finding], geometry: &Geometry) -> Conclusion {
    let known = Known::from(findings);
    let first = findings.first().map_or(Verdict::Undecided, Finding::verdict);
    let withheld = |sentence: String| Conclusion {
        verdict: Verdict::Undecided,
        headline: "No verdict",
        sentence,
    };
    let overlapping = geometry.overlapping(1);
    if let (Some(overlaps), false) = (&overlapping, known.refused.is_empty()) {
        return withheld(no_verdict(overlaps));
    }
    if let (Some(joints), false) = (geometry.unknown(1), known.refused.is_empty()) {
        return withheld(format!("No verdict: a joint is not known. {}", sentence(&joints)));
    }
    if known.falls && known.equilibrium {
        let both = "No verdict: an admissible force distribution and a collapse mechanism, which exclude each other, both \
                    passed the program's own check. This is a defect of the program; please report it.";
        return withheld(both.into());
    }
    let loose = geometry.loose(1);
    let mut parts = vec![known.statics(loose.as_deref()), known.in_time()];
    if !known.refused.is_empty() {
        parts.push(defect(&format!("the result by {}", listed(&known.refused))));
    }
    if let Some(loose) = loose.filter(|_| !known.falls) {
        parts.push(format!("Its geometry is at fault: {loose}."));
    }
    parts.extend(overlapping.map(|overlaps| about_overlaps(&overlaps)));
    parts.extend(geometry.doubtful(1).map(|joints| about_doubtful(&joints)));
    let falls = known.falls || known.needs_self_stress || known.seems_to_fall;
    if let Some(near) = geometry.nearly_joined(1).filter(|_| falls) {
        parts.push(format!("Joints may be missing: {near}."));
    }
    if let Some(edges) = geometry.meeting(1).filter(|_| falls) {
        parts.push(format!("Edges may be meant to bear: {edges}."));
    }
    parts.retain(|part| !part.is_empty());
    Conclusion {
        verdict: first,
        headline: match first {
            Verdict::Stable => "It stands",
            Verdict::Unstable => "It does not stand",
            Verdict::Undecided if known.equilibrium => "Equilibrium is proven",
            Verdict::Undecided if !known.refused.is_empty() => "No verdict",
            Verdict::Undecided => "Undecided",
        },
        sentence: parts.join(" "),
    }
}

/// Overlaps that leave nothing to say.
pub(crate) fn no_verdict(overlaps: &str) -> String {
    format!(
        "No verdict: the geometry is wrong. {} Correct it and check again.",
        sentence(overlaps)
    )
}

/// Overlaps beside a verdict.
pub(crate) fn about_overlaps(overlaps: &str) -> String {
    format!("But the geometry is wrong, and this holds only for the geometry as drawn: {overlaps}.")
}

/// Joints in doubt beside a verdict.
pub(crate) fn about_doubtful(joints: &str) -> String {
    format!("But joints are in doubt, and this holds only with them as they are: {joints}.")
}

/// A finding that independent code refused.
pub(crate) fn defect(what: &str) -> String {
    format!("The program's own check refused {what}: this is a defect of the program; please report it.")
}

/// What is known, whichever method found it.
struct Known<'a> {
    /// A collapse mechanism exists, proven.
    falls: bool,
    /// The same, found and not proven.
    seems_to_fall: bool,
    /// An admissible force distribution exists, proven.
    equilibrium: bool,
    /// The same, found and not proven.
    seems_balanced: bool,
    /// It is mobilised by displacement, proven.
    mobilised: bool,
    /// The same, found and not proven.
    seems_mobilised: bool,
    /// Without self-stress it falls, by evidence.
    needs_self_stress: bool,
    /// Methods were asked that allow self-stress.
    asked_allowed: bool,
    /// Methods of statics were asked that do not.
    asked_mobilised: bool,
    /// What time stepping found.
    in_time: Option<Verdict>,
    /// Methods whose results were refused.
    refused: Vec<&'a str>,
}

impl<'a> Known<'a> {
    fn from(findings: &'a [Finding]) -> Self {
        let statics = || findings.iter().filter(|e| e.way != Way::Dynamic);
        // What is proven of an elastic equilibrium are its forces. That displacement mobilises them is evidence.
        let is_elastic = statics().any(|e| e.way == Way::Elastic && e.verdict() == Verdict::Stable && e.is_proven());
        let any = |self_stress: Option<SelfStress>, verdict: Verdict, proven: bool| {
            let counts = |e: &&Finding| e.way != Way::Elastic || verdict == Verdict::Unstable;
            let all = statics().filter(counts);
            let mut all = all.filter(|e| self_stress.is_none_or(|p| e.way.self_stress() == p));
            all.any(|e| e.verdict() == verdict && e.is_proven() == proven)
        };
        let asked = |self_stress: SelfStress| statics().any(|e| e.way.self_stress() == self_stress);
        let (allowed, mobilised) = (Some(SelfStress::Allowed), Some(SelfStress::Excluded));
        Self {
            falls: any(None, Verdict::Unstable, true),
            seems_to_fall: any(allowed, Verdict::Unstable, false),
            equilibrium: statics().any(Finding::proves_equilibrium),
            seems_balanced: any(None, Verdict::Stable, false),
            mobilised: any(mobilised, Verdict::Stable, true),
            seems_mobilised: any(mobilised, Verdict::Stable, false) || is_elastic,
            needs_self_stress: any(mobilised, Verdict::Unstable, false),
            asked_allowed: asked(SelfStress::Allowed),
            asked_mobilised: asked(SelfStress::Excluded),
            in_time: findings.iter().find(|e| e.way == Way::Dynamic).map(Finding::verdict),
            refused: statics()
                .filter(|e| e.proof.refused().is_some())
                .map(|e| e.way.name())
                .collect(),
        }
    }

    /// What statics says.
    fn statics(&self, loose: Option<&str>) -> String {
        if !(self.asked_allowed || self.asked_mobilised) {
            return String::new();
        }
        if let (true, Some(loose)) = (self.falls, loose) {
            return format!("It does not stand because of its geometry: {loose}. The collapse mechanism is proven.");
        }
        let said = if self.falls {
            "It does not stand: a collapse mechanism exists (proven), whether self-stress is allowed or not."
        } else if self.mobilised {
            "It stands: equilibrium is proven, by forces mobilised by displacement; it needs no self-stress."
        } else if self.equilibrium && self.needs_self_stress {
            "Equilibrium is proven, but only with self-stress, which nothing ensures. Without it the structure falls \
             (evidence, not proof)."
        } else if self.equilibrium && self.seems_mobilised {
            "It stands: equilibrium is proven. That it needs no self-stress is evidence, not proof."
        } else if self.equilibrium && self.asked_mobilised {
            "Equilibrium is proven. Whether it needs self-stress is not decided."
        } else if self.equilibrium {
            "Equilibrium is proven, with self-stress allowed. Whether it needs self-stress was not checked."
        } else if self.needs_self_stress && self.asked_allowed {
            "Without self-stress it falls (evidence, not proof). Whether it stands with self-stress is not decided."
        } else if self.needs_self_stress {
            "Without self-stress it falls (evidence, not proof). Whether it stands with self-stress was not checked."
        } else if self.seems_to_fall {
            "A collapse mechanism was found, without proof."
        } else if self.seems_mobilised {
            "It stands without self-stress (evidence, not proof)."
        } else if self.seems_balanced {
            "Forces in equilibrium were found, without proof that they stay within friction limits."
        } else if !self.refused.is_empty() {
            "No verdict."
        } else if self.asked_allowed {
            "Not decided: neither an admissible force distribution nor a collapse mechanism was found."
        } else {
            "Not decided: neither forces mobilised by displacement nor a collapse mechanism was found."
        };
        said.into()
    }

    /// What time stepping says, where it adds to that.
    fn in_time(&self) -> String {
        let alone = !(self.asked_allowed || self.asked_mobilised);
        let falls = self.falls || self.needs_self_stress || self.seems_to_fall;
        let stands = self.equilibrium && !self.needs_self_stress;
        let said = match self.in_time {
            None => "",
            Some(Verdict::Stable) if alone => "In a simulation it comes to rest (no proof that it stands).",
            Some(Verdict::Unstable) if alone => "In a simulation it falls (no proof).",
            Some(Verdict::Undecided) if alone => "Not decided: in a simulation it neither falls nor comes to rest.",
            Some(Verdict::Stable) if falls => "In a simulation its blocks move and come to rest again.",
            Some(Verdict::Stable) if stands => "",
            Some(Verdict::Stable) => "In a simulation it comes to rest (no proof).",
            Some(Verdict::Unstable) if falls => "",
            Some(Verdict::Unstable) => "In a simulation, from slightly open joints, it falls (no proof).",
            Some(Verdict::Undecided) => "In a simulation it neither falls nor comes to rest.",
        };
        said.into()
    }
}
