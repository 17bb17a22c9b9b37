use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use glam::{DQuat, DVec3};
use serde_json::{Value, json};

use drystone_analysis::{
    CERTIFICATES, Growing, LimitAnswer, Side, Subject, Way, left_out_of_limits, limit, stage_words, tie_words,
    words::significant,
};
use drystone_cone::Friction;
use drystone_model::Model;
use drystone_output::{
    report::Asked,
    run::take_folder,
    statics::{mechanism_files, write_files, written},
};

use super::{
    check::{remove_old, write_result},
    question::{Question, geometry_rows, growing, unit, write},
    waiting::Waiting,
};
use crate::program::{
    Failure, joints,
    overrides::{RigidOnly, vector},
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
    /// where there is no limit, certificate-no-limit.json; of the lower bound results.json, forces.svg, forces.png, forces.vtp
    /// and joints.vtp, of the upper one mechanism.svg, mechanism.png and mechanism.glb
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    question: Question,
    #[command(flatten)]
    rigid: RigidOnly,
}

/// A model whose limit was looked for.
pub struct Limited {
    /// What is printed with `--json`.
    pub result: Value,
    /// The model in its situation.
    pub subject: Subject,
    /// The bounds.
    pub answer: LimitAnswer,
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
}

/// Draws the forces at the lower bound and the mechanism at the upper one.
fn draw(folder: &Path, subject: &Subject, answer: &LimitAnswer) -> Result<(), Failure> {
    let LimitAnswer { found, growing, .. } = answer;
    let (model, structure) = (&subject.model, &subject.structure);
    if let (Some(check), Some(multiplier)) = (&found.stands, found.multiplier) {
        let loads = subject.loads().plus(&growing.loads(&subject.case())?, multiplier);
        write_files(folder, model, structure, &loads, (check, Way::Static(check.method)))?;
    }
    if let Some((_, check)) = found.falls.as_ref().filter(|(_, check)| !check.motions.is_empty()) {
        let at = significant(found.bounds[1]);
        let title = format!("{}: mechanism at {at} {}", subject.name(), growing.unit());
        written(
            folder,
            mechanism_files(model, structure, &check.motions, (&title, DQuat::IDENTITY))?,
        )?;
    }
    Ok(())
}

impl Limit {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let limited = self.of(self.question.model(console)?, console)?;
        console.result(&limited.result, || {
            let Limited { subject, answer, .. } = &limited;
            let mut rows = geometry_rows(&subject.geometry);
            rows.extend(self.rows(answer));
            format!("{}: {}\n\n{}", subject.name(), answer.conclusion, table(&rows))
        })
    }

    /// Finds the limit of a model, and writes what is to be written.
    pub(crate) fn of(&self, model: Model, console: &Console) -> Result<Limited, Failure> {
        let elastic = self.rigid.elastic("`limit`")?;
        let subject = self
            .question
            .subject(model, ("--dead", &self.dead), None, &elastic, console)?;
        let growing = self.growing(&subject)?;
        // Held until the last file is written.
        let _lock = self
            .output
            .as_deref()
            .map(|folder| take_folder(folder, |message| console.warn(message)))
            .transpose()?;
        if let Some(folder) = &self.output {
            remove_old(folder)?;
        }
        let mut answer = self.question.on_threads(|| {
            let _waiting = Waiting::new(console, "looking for the limit");
            let (case, friction) = (subject.case(), self.friction_law.friction());
            limit(&case, growing, friction, &subject.geometry, &mut console.solvers())
        })?;
        self.write_certificates(&mut answer)?;
        let mut result = json!(answer);
        result["joint_search"] = joints::as_json(&subject.choice);
        result["left_out"] = json!(left_out_of_limits(&subject.model, &subject.structure));
        if let Some(folder) = &self.output {
            write_result(folder, &result)?;
            self.question.leave(
                folder,
                &subject,
                None,
                Some(Asked::Grows(answer.growing.unit())),
                console,
            )?;
            let _waiting = Waiting::new(console, "drawing forces and motions");
            draw(folder, &subject, &answer)?;
        }
        Ok(Limited {
            result,
            subject,
            answer,
        })
    }

    /// The loads that grow.
    fn growing(&self, subject: &Subject) -> Result<Growing, Failure> {
        match (self.direction, &self.load) {
            (Some(direction), _) => {
                unit("--direction", direction)?;
                if subject.gravity == DVec3::ZERO {
                    let message = "--direction: the multiplier is in units of gravity, and the model has none";
                    return Err(Failure::input(message).help("give --gravity X,Y,Z"));
                }
                Ok(Growing::Direction(direction))
            }
            (None, name) => growing(&subject.model, "--load", name.as_deref().unwrap_or_default()),
        }
    }

    /// Writes the certificates that were accepted, where a folder was given, and notes the path of each.
    fn write_certificates(&self, answer: &mut LimitAnswer) -> Result<(), Failure> {
        let Some(folder) = &self.output else { return Ok(()) };
        let mut files = [const { None }; 5];
        for ((side, name), file) in answer.sides().into_iter().zip(CERTIFICATES).zip(&mut files) {
            let path = folder.join(format!("certificate-{name}.json"));
            if let Some(certificate) = side.and_then(|s| s.certificate.as_ref()) {
                *file = Some(write(&path, certificate)?);
            }
        }
        answer.files = files;
        Ok(())
    }

    fn rows(&self, answer: &LimitAnswer) -> Vec<(&'static str, String)> {
        let (found, bracket) = (&answer.found, &answer.bracket);
        let bound = |side: &Option<Side>| {
            let none = || "none found".to_string();
            side.as_ref().map_or_else(none, |s| {
                let proven = if s.proof.is_accepted() { "proven" } else { "not proven" };
                // Six decimals tell how close bounds are; very small multipliers have none there.
                let at = match s.at.abs() {
                    small if small > 0.0 && small < 1e-4 => format!("{:.6e}", s.at),
                    _ => format!("{:.6}", s.at),
                };
                format!("{at} {} ({proven})", answer.growing.unit())
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
        if let Some(ties) = tie_words(&answer.ties) {
            rows.push(("ties", format!("{ties} at the lower bound")));
        }
        rows.push(("friction", answer.friction_words().to_string()));
        if !found.note.is_empty() {
            rows.push(("note", found.note.clone()));
        }
        rows.push(("time", format!("{:.3} s", found.time)));
        rows.extend(answer.files.iter().flatten().map(|file| ("certificate", file.clone())));
        if self.question.details {
            if let Some(residual) = found.residual() {
                let text = format!("{residual:.1e} of the loads is left over on a block at the lower bound");
                rows.push(("residual", text));
            }
            rows.extend(found.stages.iter().map(|stage| ("stage", stage_words(stage))));
            for (what, claims) in &bracket.refused {
                rows.extend(claims.iter().map(|claim| ("refused", format!("{what}: {claim}"))));
            }
        }
        rows
    }
}
