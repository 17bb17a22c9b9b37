use std::path::PathBuf;

use clap::{Args, ValueEnum};
use glam::DVec3;
use serde_json::{Value, json};

use drystone_analysis::{Bracket, Grows, Side, words::significant};
use drystone_cone::Friction;
use drystone_mechanics::statics::{self, Limit as Found, LimitSettings, Loads, Solvers};
use drystone_output::run::take_folder;

use super::{
    check::{remove_old, write_result},
    question::{Question, Subject, bad, geometry_rows, unit, write},
    waiting::Waiting,
};
use crate::{
    Failure, joints,
    overrides::vector,
    report::{Console, table},
};

/// Find the largest multiplier of a force or of a load case that a structure carries
///
/// A force in proportion to mass (--direction) is the multiplier times gravity, as an earthquake is idealised; a load case
/// (--load) is multiplied as it stands. Weight and --dead loads act beside it unmultiplied. Two bounds are given, each
/// checked by independent code: the largest multiplier with an admissible force distribution, and the smallest with a
/// collapse mechanism. With associated friction self-stress is allowed; with Coulomb's the lower bound counts only forces
/// mobilised by displacement, and the upper bound is that of associated friction.
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone limit arch.json --direction 1,0,0
  drystone limit arch.json --direction 1,0,0 --friction-law coulomb
  drystone limit bridge.json --load truck --dead fill:1.2 -o truck
  drystone limit wall.json --direction 0,1,0 --friction 0.4 --json")]
#[command(group = clap::ArgGroup::new("what").required(true).args(["direction", "load"]))]
pub(crate) struct Limit {
    /// Direction of a force in proportion to mass; the force on a block is multiplier * mass * g along it
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    direction: Option<DVec3>,
    /// Load case of the model that grows
    #[arg(long, value_name = "NAME")]
    load: Option<String>,
    /// Friction law
    #[arg(long, value_enum, default_value = "associated")]
    friction_law: Law,
    /// Load case that acts beside the weight and does not grow. May be given several times
    #[arg(long, value_name = "NAME[:FACTOR]")]
    dead: Vec<String>,
    /// Folder for result.json, certificate-stands.json (lower bound), certificate-falls.json (just above the upper one) and,
    /// where there is no limit, certificate-no-limit.json
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    question: Question,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Law {
    /// Sliding opens joints; self-stress is allowed. The bounds meet, to the precision of the solver
    Associated,
    /// Sliding does not open joints; no self-stress at the lower bound. Bounds may stay apart
    Coulomb,
}

impl Law {
    fn friction(self) -> Friction {
        match self {
            Self::Associated => Friction::Associated,
            Self::Coulomb => Friction::Coulomb,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Associated => "associated",
            Self::Coulomb => "coulomb",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Associated => "associated: sliding opens joints; self-stress allowed",
            Self::Coulomb => {
                "coulomb: sliding does not open joints; for the lower bound self-stress is not allowed, the upper bound is that \
                 of associated friction"
            }
        }
    }
}

/// Names of the certificates: lower bound, upper bound, no limit.
const CERTIFICATES: [&str; 5] = ["stands", "falls", "no-limit", "without", "needed"];

impl Limit {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let subject = self.question.subject(console)?;
        let gravity = subject.model.gravity;
        let further = subject.cases("--dead", &self.dead)?;
        let dead = subject.weight(gravity).plus(&further, 1.0);
        let live = self.live(&subject)?;
        // Held until the last file is written.
        let _lock = self
            .output
            .as_deref()
            .map(|folder| take_folder(folder, |message| console.warn(message)))
            .transpose()?;
        if let Some(folder) = &self.output {
            remove_old(folder)?;
        }
        let settings = LimitSettings {
            friction: self.friction_law.friction(),
            ..LimitSettings::default()
        };
        let case = subject.case(gravity, &further);
        let (found, bracket) = self.question.on_threads(|| {
            let _waiting = Waiting::new(console, "looking for the limit");
            let mut solvers = Solvers::default();
            let found = statics::limit(&subject.assembly, &dead, &live, &settings, &mut solvers).map_err(bad)?;
            let bracket = Bracket::of_limit(&case, &live, &found).map_err(Failure::run)?;
            Ok((found, bracket))
        })?;
        let files = self.write_certificates(&bracket)?;
        let shown = |multiplier: f64| format!("{} {}", significant(multiplier), self.unit());
        let conclusion = bracket.conclusion(Grows::Load, shown, &subject.geometry);
        let mut result = self.json(&found, &bracket, &files);
        result["conclusion"] = json!(conclusion);
        result["geometry_problems"] = json!(subject.geometry);
        result["joint_search"] = joints::as_json(&subject.choice);
        if let Some(folder) = &self.output {
            write_result(folder, &result)?;
        }
        console.result(&result, || {
            let mut rows = geometry_rows(&subject.geometry);
            rows.extend(self.rows(&found, &bracket, &files));
            format!("{}: {conclusion}\n\n{}", subject.name(), table(&rows))
        })
    }

    /// The loads that grow.
    fn live(&self, subject: &Subject) -> Result<Loads, Failure> {
        if let Some(direction) = self.direction {
            let direction = unit("--direction", direction)?;
            let gravity = subject.model.gravity.length();
            if gravity == 0.0 {
                let message = "--direction: the multiplier is in units of gravity, and the model has none";
                return Err(Failure::input(message).help("give --gravity X,Y,Z"));
            }
            return Ok(Loads::body_force(&subject.assembly, gravity * direction));
        }
        subject.cases("--load", self.load.as_slice())
    }

    /// What a multiplier multiplies.
    fn unit(&self) -> String {
        match (&self.direction, &self.load) {
            (Some(d), _) => {
                let short = |v: f64| {
                    Some(v.to_string())
                        .filter(|text| text.len() <= 8)
                        .unwrap_or(significant(v))
                };
                format!("g along {}", d.to_array().map(short).join(","))
            }
            (_, Some(load)) => format!("times load case `{load}`"),
            _ => String::new(),
        }
    }

    /// Writes the certificates that were accepted, where a folder was given, and gives the path of each.
    fn write_certificates(&self, bracket: &Bracket) -> Result<[Option<String>; 5], Failure> {
        let mut files = [const { None }; 5];
        let Some(folder) = &self.output else { return Ok(files) };
        let sides = [
            &bracket.lower,
            &bracket.upper,
            &bracket.unbounded,
            &bracket.without,
            &bracket.needed,
        ];
        for ((side, name), file) in sides.into_iter().zip(CERTIFICATES).zip(&mut files) {
            let path = folder.join(format!("certificate-{name}.json"));
            if let Some(certificate) = side.as_ref().and_then(|s| s.certificate.as_ref()) {
                *file = Some(write(&path, certificate)?);
            }
        }
        Ok(files)
    }

    fn json(&self, found: &Found, bracket: &Bracket, files: &[Option<String>; 5]) -> Value {
        let proof = |side: &Option<Side>, file: &Option<String>| match (side, file) {
            (Some(side), Some(file)) => json!({ "file": file, "multiplier": finite(side.proven_at) }),
            _ => Value::Null,
        };
        let bounds = [&bracket.lower, &bracket.upper].map(|s| s.as_ref().and_then(|s| finite(s.at)));
        let [lower, upper] = bracket.proven();
        let refused: Vec<&str> = bracket.refused.iter().map(|(what, _)| *what).collect();
        json!({
            "multiplier": bracket.lower.as_ref().and_then(|side| finite(side.at)),
            "bounds": bounds,
            "unbounded": bracket.unbounded.is_some(),
            "needed": bracket.needed.as_ref().and_then(|side| finite(side.at)),
            "lower_proven": lower,
            "upper_proven": upper,
            "refused": refused,
            "friction": self.friction_law.name(),
            "friction_words": self.friction_law.words(),
            "residual": found.residual(),
            "time_s": found.time,
            "note": found.note,
            "unit": if self.direction.is_some() { "gravity" } else { "load case" },
            "certificates": {
                "stands": proof(&bracket.lower, &files[0]),
                "falls": proof(&bracket.upper, &files[1]),
                "no_limit": proof(&bracket.unbounded, &files[2]),
                "without": proof(&bracket.without, &files[3]),
                "needed": proof(&bracket.needed, &files[4]),
            },
        })
    }

    fn rows(&self, found: &Found, bracket: &Bracket, files: &[Option<String>; 5]) -> Vec<(&'static str, String)> {
        let bound = |side: &Option<Side>| {
            let none = || "none found".to_string();
            side.as_ref().map_or_else(none, |s| {
                let proven = if s.proof.is_accepted() { "proven" } else { "not proven" };
                // Six decimals tell how close bounds are; very small multipliers have none there.
                let at = match s.at.abs() {
                    small if small > 0.0 && small < 1e-4 => format!("{:.6e}", s.at),
                    _ => format!("{:.6}", s.at),
                };
                format!("{at} {} ({proven})", self.unit())
            })
        };
        let mut rows = Vec::new();
        if bracket.needed.is_some() {
            rows.push(("needed", bound(&bracket.needed)));
        }
        if bracket.unbounded.is_none() {
            rows.push(("lower bound", bound(&bracket.lower)));
            rows.push(("upper bound", bound(&bracket.upper)));
        }
        rows.push(("friction", self.friction_law.words().to_string()));
        if !found.note.is_empty() {
            rows.push(("note", found.note.clone()));
        }
        rows.push(("time", format!("{:.3} s", found.time)));
        rows.extend(files.iter().flatten().map(|file| ("certificate", file.clone())));
        if self.question.details {
            if let Some(residual) = found.residual() {
                let text = format!("{residual:.1e} of the loads is left over on a block at the lower bound");
                rows.push(("residual", text));
            }
            for (what, claims) in &bracket.refused {
                rows.extend(claims.iter().map(|claim| ("refused", format!("{what}: {claim}"))));
            }
        }
        rows
    }
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
