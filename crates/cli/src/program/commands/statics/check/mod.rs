//! `drystone check`: does it stand?

mod answer;
mod moved;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use glam::DVec3;
use serde_json::{Value, json};

use drystone_analysis::{Answer, Subject, Way, conclude, left_out};
use drystone_mechanics::statics::{Loads, Method, Solvers, least_friction, worst_direction};
use drystone_model::Model;
use drystone_output::{
    file::write_atomically,
    report::QUESTION,
    run::take_folder,
    statics::{FILES, write_files},
};

use super::{
    question::{Question, unit, write},
    waiting::Waiting,
    words::MethodName,
};
use crate::program::{
    Failure, joints,
    numbers::within,
    overrides::{Elastic, vector},
    report::Console,
};
use answer::{Sensitive, Shown};
use moved::Moved;

/// Directions of a horizontal force that are tried for the worst one.
const DIRECTIONS: usize = 16;

/// Ask whether a structure stands, and prove it
///
/// Stable comes with an admissible force distribution, unstable with a collapse mechanism; where neither is found the
/// verdict is undecided. What is called proven has been checked by independent code in the same run. Methods differ in one
/// assumption. `cone` and `rbe` allow self-stress: any forces in equilibrium within friction limits count, as if blocks had
/// been wedged. `cra`, `cra-penalty` and `dynamic` do not: only forces mobilised by displacement count. Without --method both
/// are asked: cra, then cone; where blocks deform, elastic, then cone. Problems of the geometry (blocks that overlap or touch nothing) stand beside the verdict.
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone check arch.json
  drystone check arch.json -o verdict                           result.json and certificates
  drystone check arch.json --method all --friction 0.4
  drystone check arch.json --details                            residuals, and how it was found
  drystone check wall.json --load wind:1.5 --method cone --certificate wind.json
  drystone check arch.json --tilt-axis 0,1,0 --tilt-deg 5 --sensitivity
  drystone check shelf.compas.json --supports 0 --friction 0.84 --json
  drystone check arch.json --move-support springer-right=1,0,0  drawn apart: least thrust
  drystone check arch.json --deformable all:H8x2x2x2 --young 60e9 --poisson 0.2

Exit status 0 whatever the verdict. `drystone verify` checks certificates; docs/statics.md gives the methods.")]
pub(crate) struct Check {
    /// How it is asked; several are separated by commas, and the first gives the verdict [default: cra,cone, or elastic,cone where blocks deform]
    #[arg(long = "method", value_enum, value_name = "METHOD", value_delimiter = ',')]
    methods: Vec<MethodName>,
    /// Load case of the model that acts beside the weight, times a factor. May be given several times
    #[arg(long = "load", value_name = "NAME[:FACTOR]")]
    loads: Vec<String>,
    /// Axis that the structure is tilted about
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true, requires = "tilt_deg")]
    tilt_axis: Option<DVec3>,
    /// Angle that the structure is tilted by, right-handed about the axis (degrees)
    #[arg(long, value_name = "A", value_parser = within(-360.0, 360.0), allow_hyphen_values = true, requires = "tilt_axis")]
    tilt_deg: Option<f64>,
    /// Also tell the safety margins: the minimum friction it stands with, and its lateral capacity in the worst of 16
    /// directions (associated friction)
    #[arg(long)]
    sensitivity: bool,
    /// Support that gives way by a little, and where to; only proportions count. May be given several times. Of all forces
    /// that balance the loads those are told that the movement leaves, the hinges that open and the motion that follows
    #[arg(long = "move-support", value_name = "NAME=X,Y,Z", allow_hyphen_values = true)]
    moved: Vec<String>,
    /// Folder for result.json, certificate.json (first method), certificate-METHOD.json (the others), and of the first
    /// method results.json, forces.svg, forces.png, forces.vtp, joints.vtp and mechanism.glb; with --move-support
    /// moved.svg, moved.png and moved.glb; of an elastic equilibrium deformed.vtu, stress.svg, stress.png, stresses and nodes
    /// as .parquet and .csv
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// File for the certificate of the first method
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    #[command(flatten)]
    question: Question,
    #[command(flatten)]
    elastic: Elastic,
}

impl Check {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let checked = self.of(self.question.model(console)?, console)?;
        console.result(&checked.result, || {
            let mut text = checked.shown().text(checked.subject.name(), self.question.details);
            if let Some(moved) = &checked.moved {
                text.push_str(&format!("\n{}", moved.text(&checked.subject)));
            }
            text
        })
    }

    /// Checks a model, and writes what is to be written.
    pub(crate) fn of(&self, model: Model, console: &Console) -> Result<Checked, Failure> {
        let tilt = self.tilt_axis.zip(self.tilt_deg);
        let tilt = tilt.map(|(axis, angle)| Ok::<_, Failure>((unit("--tilt-axis", axis)?, angle.to_radians())));
        let tilt = tilt.transpose()?;
        let subject = self
            .question
            .subject(model, ("--load", &self.loads), tilt, &self.elastic, console)?;
        if self.tilt_deg.is_some() && subject.model.gravity == DVec3::ZERO {
            let message = "--tilt-deg: the model has no gravity, so that tilting it changes nothing";
            return Err(Failure::input(message).help("give --gravity X,Y,Z"));
        }
        let loads = subject.loads();
        if loads.is_nothing(&subject.structure) {
            return Err(
                Failure::input("nothing acts on the structure: there is no gravity and no load")
                    .help("give --gravity X,Y,Z or --load NAME"),
            );
        }
        let asks_elastic = self.methods.contains(&MethodName::Elastic);
        if asks_elastic && subject.structure.elastic.is_empty() {
            return Err(Failure::input("--method elastic: no block of the model deforms")
                .help("say which: --deformable all --young 60e9 --poisson 0.2"));
        }
        let movements = moved::movements(&subject, &self.moved)?;
        // Held until the last file is written.
        let _lock = self
            .output
            .as_deref()
            .map(|folder| take_folder(folder, |message| console.warn(message)))
            .transpose()?;
        let (mut answers, sensitive, moved) = self.question.on_threads(|| {
            let mut solvers = console.solvers();
            let mut answers = Vec::new();
            for way in self.ways(!subject.structure.elastic.is_empty()) {
                let _waiting = Waiting::new(console, &format!("checking by {}", way.name()));
                answers.push(subject.check(way, &mut solvers)?);
            }
            let sensitive = self.sensitive(&subject, &loads, &mut solvers, console)?;
            let moved = match movements.is_empty() {
                true => None,
                false => Some(Moved::find(&subject, &loads, &movements, &mut solvers)?),
            };
            Ok((answers, sensitive, moved))
        })?;
        self.write_certificates(&mut answers)?;
        if self.certificate.is_some() && answers.first().is_none_or(|a| a.file.is_none()) {
            console.warn("no certificate was written: the first method has none for this verdict");
        }
        let mut checked = Checked {
            result: Value::Null,
            subject,
            answers,
            sensitive,
            moved,
        };
        let mut result = checked.shown().json()?;
        let Checked {
            subject,
            answers,
            moved,
            ..
        } = &checked;
        result["joint_search"] = joints::as_json(&subject.choice);
        result["left_out"] = json!(left_out(&subject.structure));
        result["moved_supports"] = json!(moved.as_ref().map(|m| m.json(subject)));
        if let Some(folder) = &self.output {
            write_result(folder, &result)?;
            self.question.leave(folder, subject, tilt, None, console)?;
            if let Some(found) = answers.iter().find_map(|a| Some((a.check.as_ref()?, a.finding.way))) {
                let _waiting = Waiting::new(console, "drawing forces and motions");
                write_files(folder, &subject.model, &subject.structure, &loads, found)?;
            }
            if let Some(elastic) = answers.iter().find_map(|a| a.elastic.as_ref()) {
                drystone_output::deformed::write_files(folder, &subject.model, &subject.structure, elastic)
                    .map_err(Failure::run)?;
            }
            if let Some(moved) = moved {
                moved.write(folder, subject)?;
            }
        }
        checked.result = result;
        Ok(checked)
    }

    /// The methods asked for, each once.
    fn ways(&self, deforms: bool) -> Vec<Way> {
        let asked = match (self.methods.is_empty(), deforms) {
            (false, _) => &self.methods[..],
            (true, false) => &[MethodName::Cra, MethodName::Cone],
            (true, true) => &[MethodName::Elastic, MethodName::Cone],
        };
        let mut ways = Vec::new();
        for way in asked.iter().flat_map(|m| m.ways()) {
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        ways
    }

    fn sensitive(
        &self,
        subject: &Subject,
        loads: &Loads,
        solvers: &mut Solvers,
        console: &Console,
    ) -> Result<Option<Sensitive>, Failure> {
        if !self.sensitivity {
            return Ok(None);
        }
        let _waiting = Waiting::new(console, "looking for the minimum friction and the worst direction");
        let mut structure = subject.structure.clone();
        structure.gravity = subject.gravity;
        let statics = self.ways(false).into_iter().find_map(|way| match way {
            Way::Static(method) => Some(method),
            Way::Elastic | Way::Dynamic => None,
        });
        let friction = match statics {
            Some(method) => Some(least_friction(&structure, loads, method, solvers)?),
            None => None,
        };
        let worst = if subject.gravity == DVec3::ZERO {
            None
        } else {
            worst_direction(&structure, loads, DIRECTIONS, solvers)?
        };
        Ok(Some(Sensitive {
            method: statics.map(Method::name),
            friction,
            worst,
        }))
    }

    /// Writes the certificates that were asked for, and notes their paths. One that was refused is no proof of anything.
    fn write_certificates(&self, answers: &mut [Answer]) -> Result<(), Failure> {
        if let Some(folder) = &self.output {
            remove_old(folder)?;
        }
        for (k, answer) in answers.iter_mut().enumerate() {
            let Some(certificate) = answer
                .certificate
                .as_ref()
                .filter(|_| answer.finding.proof.refused().is_none())
            else {
                continue;
            };
            let name = if k == 0 {
                "certificate.json".to_string()
            } else {
                format!("certificate-{}.json", answer.finding.way.name())
            };
            let mut file = None;
            if let Some(folder) = &self.output {
                file = Some(write(&folder.join(name), certificate)?);
            }
            if let (0, Some(path)) = (k, &self.certificate) {
                file = Some(write(path, certificate)?);
            }
            answer.file = file;
        }
        Ok(())
    }
}

/// A model that was checked.
pub struct Checked {
    /// What is printed with `--json`.
    pub result: Value,
    /// The model in its situation.
    pub subject: Subject,
    /// What each method found, in the order in which they were asked for.
    pub answers: Vec<Answer>,
    sensitive: Option<Sensitive>,
    moved: Option<Moved>,
}

impl Checked {
    fn shown(&self) -> Shown<'_> {
        let findings: Vec<_> = self.answers.iter().map(|a| a.finding.clone()).collect();
        Shown {
            conclusion: conclude(&findings, &self.subject.geometry).of_joints(&self.subject.structure),
            geometry: &self.subject.geometry,
            answers: &self.answers,
            sensitive: self.sensitive.as_ref(),
        }
    }
}

/// Removes what an earlier question left in a folder: old proofs must not lie beside new results.
pub(super) fn remove_old(folder: &std::path::Path) -> Result<(), Failure> {
    let methods = MethodName::value_variants().iter().flat_map(|m| m.ways());
    let certificates = methods.map(|way| format!("certificate-{}.json", way.name()));
    let others = [
        "certificate.json",
        "certificate-stands.json",
        "certificate-falls.json",
        "certificate-no-limit.json",
        "result.json",
        QUESTION,
    ]
    .into_iter()
    .chain(FILES)
    .chain(drystone_output::deformed::FILES)
    .chain(moved::FILES);
    for name in certificates.chain(others.map(String::from)) {
        match std::fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

/// Writes what is printed with `--json` to a folder.
pub(super) fn write_result(folder: &std::path::Path, result: &Value) -> Result<(), Failure> {
    let mut text = serde_json::to_string_pretty(&json!(result)).map_err(Failure::run)?;
    text.push('\n');
    write_atomically(&folder.join("result.json"), text.as_bytes()).map_err(Failure::run)
}
