//! `drystone settle`: slow loading, followed to the last equilibrium.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use glam::DVec3;
use serde_json::{Value, json};

use drystone_analysis::{Reached, SettleAnswer, Subject, settle};
use drystone_mechanics::slow::{PathSettings, PathWay, STEPS};
use drystone_model::{JointStiffness, Model, Stage, Stages, SupportMove, file::read_stages};
use drystone_output::{run::take_folder, slow::write_files};

use super::{
    check::write_result,
    question::{Question, cases, geometry_rows},
    waiting::Waiting,
};
use crate::program::{
    Failure, joints,
    numbers::within,
    overrides::{Elastic, vector},
    report::{Console, counted, force, length, table},
};

/// Load a structure slowly and follow it through equilibria, to the last that there is
///
/// The weight grows in steps; then load cases, settlements of supports, a tilt, shrinkage of joints, one stage after another.
/// Every step is brought into equilibrium on the deformed shape: joints yield, slide with Coulomb friction, crack, and lose
/// their bond. Where there is no equilibrium any more the path ends, with the motion that follows.
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone settle arch.json -o slow
  drystone settle bridge.json --load truck:5 --steps 50 -o truck
  drystone settle arch.json --shift right=0.1,0,0 -o spread
  drystone settle wall.json --stages stages.json --stiffness 1e10,4e9 -o slow

Stages are {\"stages\": [{\"name\": \"...\", \"gravity\": 1, \"loads\": {\"truck\": 2}, \"move\": [{\"blocks\": [\"pier\"],
\"by\": [0, 0, -0.05]}], \"tilt\": {...}, \"shrinkage_m\": 0.001, \"build\": [...], \"remove\": [...]}, ...]}; see docs/slow-loading.md.")]
pub(crate) struct Settle {
    /// File with the stages
    #[arg(long, value_name = "FILE", conflicts_with_all = ["load", "shift"])]
    stages: Option<PathBuf>,
    /// Load case that grows from zero to a factor (default 1), in a stage of its own after the weight. May be given several times
    #[arg(long, value_name = "NAME[:FACTOR]")]
    load: Vec<String>,
    /// Support or group of supports that moves (m), in a stage of its own. May be given several times
    #[arg(long, value_name = "NAME=X,Y,Z")]
    shift: Vec<String>,
    /// Steps of a stage that does not say how many
    #[arg(long, value_name = "N", default_value_t = STEPS, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    steps: u32,
    /// Stiffness of every joint along its normal and across it (N/m3) [default: that of the model, or one too large to show]
    #[arg(long, value_name = "KN,KT", value_parser = stiffness)]
    stiffness: Option<JointStiffness>,
    /// How equilibria are found
    #[arg(long, alias = "by", value_name = "WAY", default_value = "equilibria")]
    way: Way,
    /// Length of the time steps of the two ways that have them (s) [default: 0.001]
    #[arg(long, value_name = "S", value_parser = within(1e-9, 10.0))]
    dt: Option<f64>,
    /// Folder for result.json, path.csv, joints.csv, curve and cracks (.svg, .png), path.glb, and the structure after each stage
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    question: Question,
    #[command(flatten)]
    elastic: Elastic,
}

/// A model that was loaded slowly.
pub struct Settled {
    /// What is printed with `--json`.
    pub result: Value,
    /// The model in its situation.
    pub subject: Subject,
    /// The path.
    pub answer: SettleAnswer,
    written: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Way {
    /// One by one, without a mass: steps are as long as equilibria allow, and an end may be proven
    Equilibria,
    /// By time steps, after each of which every velocity is set to zero
    VelocityCancelling,
    /// By time steps longer than the periods of the joints, which damp what swings
    NumericalFilter,
    /// By the distinct element method with local damping: short explicit steps, Coulomb friction
    Relaxation,
}

fn stiffness(text: &str) -> Result<JointStiffness, String> {
    let numbers: Vec<f64> = text.split(',').filter_map(|t| t.trim().parse().ok()).collect();
    match numbers[..] {
        [normal, tangential] if normal > 0.0 && tangential > 0.0 && normal.is_finite() && tangential.is_finite() => {
            Ok(JointStiffness { normal, tangential })
        }
        _ => Err("must be two numbers above zero, such as 1e10,4e9".to_string()),
    }
}

impl Settle {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let settled = self.of(self.question.model(console)?, console, |_| ())?;
        console.result(&settled.result, || {
            let Settled {
                subject,
                answer,
                written,
                ..
            } = &settled;
            let mut rows = geometry_rows(&subject.geometry);
            rows.extend(self.rows(answer, written));
            format!("{}: {}\n\n{}", subject.name(), answer.conclusion, table(&rows))
        })
    }

    /// Loads a model slowly, and writes what is to be written. `watch` sees every equilibrium.
    pub(crate) fn of(
        &self,
        model: Model,
        console: &Console,
        mut watch: impl FnMut(&Reached<'_>) + Send,
    ) -> Result<Settled, Failure> {
        let subject = self
            .question
            .subject(model, ("--load", &[]), None, &self.elastic, console)?;
        let (settings, stages) = (self.settings()?, self.stages(&subject)?);
        // Held until the last file is written.
        let _lock = self
            .output
            .as_deref()
            .map(|folder| take_folder(folder, |message| console.warn(message)))
            .transpose()?;
        let answer = self.question.on_threads(|| {
            let _waiting = Waiting::new(console, "following the path");
            let whole = stages.stages.len().max(1) as f64;
            let watch = |reached: &Reached<'_>| {
                console.progress(
                    (reached.point.stage as f64 + reached.point.done) / whole,
                    "following the path",
                );
                watch(reached);
            };
            settle(
                &subject.model,
                &subject.structure,
                &stages,
                settings,
                Some(console.stop()),
                watch,
            )
        })?;
        let mut result = json!(answer);
        result["joint_search"] = joints::as_json(&subject.choice);
        let mut written = Vec::new();
        if let Some(folder) = &self.output {
            written = write_files(folder, &subject.model, &subject.structure, &answer)?;
            result["files"] = json!(written);
            write_result(folder, &result)?;
            self.question.leave(folder, &subject, None, None, console)?;
        }
        Ok(Settled {
            result,
            subject,
            answer,
            written,
        })
    }

    fn settings(&self) -> Result<PathSettings, Failure> {
        let dt = self.dt.unwrap_or(1e-3);
        let way = match self.way {
            Way::Equilibria if self.dt.is_some() => {
                let message = "--dt: equilibria that are found one by one take no time; give it with another --way";
                return Err(Failure::input(message));
            }
            Way::Relaxation if self.dt.is_some() => {
                let message = "--dt: relaxation takes steps that are as long as is stable; give it with another --way";
                return Err(Failure::input(message));
            }
            Way::Relaxation => PathWay::Relaxation,
            Way::Equilibria => PathWay::Equilibria,
            Way::VelocityCancelling => PathWay::VelocityCancelling(dt),
            Way::NumericalFilter => PathWay::NumericalFilter(dt),
        };
        Ok(PathSettings {
            stiffness: self.stiffness,
            way,
        })
    }

    fn stages(&self, subject: &Subject) -> Result<Stages, Failure> {
        let mut stages = match &self.stages {
            Some(path) => read_stages(path, &subject.model)?,
            None => self.simple_stages(subject)?,
        };
        for stage in &mut stages.stages {
            stage.steps = stage.steps.or(Some(self.steps));
        }
        let problems: Vec<String> = stages
            .problems(&subject.model)
            .iter()
            .map(ToString::to_string)
            .collect();
        match problems.is_empty() {
            true => Ok(stages),
            false => Err(Failure::input(problems.join("\n"))),
        }
    }

    /// The weight, then each load and each shift by itself.
    fn simple_stages(&self, subject: &Subject) -> Result<Stages, Failure> {
        let Stages { mut stages } = Stages::weight();
        for (name, factor) in cases(&subject.model, "--load", &self.load)? {
            stages.push(Stage {
                loads: [(name.clone(), factor)].into_iter().collect(),
                name,
                ..Stage::default()
            });
        }
        for text in &self.shift {
            let wrong = || Failure::input(format!("--shift {text}: must be NAME=X,Y,Z, such as right=0.1,0,0"));
            let (name, by) = text.rsplit_once('=').ok_or_else(wrong)?;
            let by: DVec3 = vector(by).map_err(|_| wrong())?;
            stages.push(Stage {
                name: format!("{name} moves"),
                moves: vec![SupportMove {
                    blocks: vec![name.to_string()],
                    by,
                    ..SupportMove::default()
                }],
                ..Stage::default()
            });
        }
        Ok(Stages { stages })
    }

    fn rows(&self, answer: &SettleAnswer, written: &[String]) -> Vec<(&'static str, String)> {
        let mut rows: Vec<(&'static str, String)> = Vec::new();
        for stage in &answer.stages {
            let mut text = format!(
                "{}: {:.4} % done in {}, moved {}, {} open up to {}, slip up to {}",
                stage.name,
                100.0 * stage.done,
                counted(stage.equilibria, "step"),
                length(stage.max_displacement_m),
                counted(stage.open_joints, "joint"),
                length(stage.max_opening_m),
                length(stage.max_slip_m)
            );
            if stage.bonds > 0 {
                text += &format!(", {} of {} broken", stage.broken_bonds, counted(stage.bonds, "bond"));
            }
            if stage.crushed_points > 0 {
                let points = counted(stage.crushed_points, "point");
                text += &format!(", {points} of joints crushed by up to {}", length(stage.max_crushing_m));
            }
            rows.push(("stage", text));
            if let Some(deformation) = &stage.deformation {
                rows.push(("stresses", deformation.words()));
            }
        }
        for group in &answer.tie_groups {
            let text = format!(
                "{}: up to {} in {}, of {}",
                group.group,
                force(group.max_force_n),
                group.tie,
                counted(group.ties, "tie")
            );
            rows.push(("ties", text));
        }
        for tie in answer.ties.iter().filter(|t| t.group.is_none()) {
            let text = format!(
                "{}: {}, {}, longer by {}",
                tie.name,
                tie.state,
                force(tie.force_n),
                length(tie.elongation_m)
            );
            rows.push(("tie", text));
        }
        if answer.hard_joints {
            let of = match answer.deformation {
                Some(_) => "displacements are those of the blocks",
                None => "displacements are those of rigid blocks",
            };
            rows.push(("note", format!("joints without a stiffness are taken as hard: {of}")));
        }
        rows.push(("time", format!("{:.3} s", answer.time_s)));
        if let (Some(folder), false) = (&self.output, written.is_empty()) {
            rows.push((
                "files",
                format!("{} in {}", counted(written.len() + 1, "file"), folder.display()),
            ));
        }
        rows
    }
}
