use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use glam::{DQuat, DVec3};
use serde_json::{Value, json};

use drystone_analysis::{Subject, TiltAnswer, Way, assumption, left_out_of_limits, tie_words, tilt};
use drystone_mechanics::statics::{self, Loads, Method, Solvers, Tilt as Found, Verdict, tilted};
use drystone_model::Model;
use drystone_output::{
    report::Asked,
    run::take_folder,
    statics::{mechanism_files, written},
};

use super::{
    check::{remove_old, write_result},
    question::{Question, geometry_rows, unit, write},
    waiting::Waiting,
};
use crate::program::{
    Failure, joints,
    overrides::{RigidOnly, vector},
    report::{Console, counted, table},
};

/// Angles that a sweep covers to both sides of the critical one (degrees).
const SWEPT_DEG: f64 = 2.0;

/// Find the angle by which a structure can be tilted before it falls
///
/// Like a model on a board that is raised slowly: the structure turns about the axis, gravity stays. Load cases turn with the
/// structure: they keep their directions in its axes. Methods differ in one assumption: `cone` and `rbe` allow self-stress; `cra` and `cra-penalty` count only forces mobilised by displacement. Two
/// bounds are given, each checked by independent code: the largest angle at which it stands, and the smallest at which it
/// falls.
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone tilt arch.json --axis 0,1,0
  drystone tilt arch.json --axis 0,1,0 --method cone -o tilted  with its mechanism and certificates
  drystone tilt bridge.json --axis 0,1,0 --load truck:1.5
  drystone tilt arch.json --axis 0,-1,0 --sweep 40 --json      one change of verdict expected")]
pub(crate) struct Tilt {
    /// Axis that it turns about, right-handed
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    axis: DVec3,
    /// How it is asked whether it stands
    #[arg(long, value_enum, default_value = "cra")]
    method: TiltMethod,
    /// Also ask at N angles within 2 degrees of the critical one, and count how often the verdict changes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    sweep: Option<u32>,
    /// Load case of the model that acts beside the weight, times a factor. May be given several times
    #[arg(long = "load", value_name = "NAME[:FACTOR]")]
    loads: Vec<String>,
    /// Folder for result.json, certificate-stands.json (lower bound), certificate-falls.json (upper one), and of that
    /// mechanism.svg, mechanism.png and mechanism.glb
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    question: Question,
    #[command(flatten)]
    rigid: RigidOnly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TiltMethod {
    /// Equilibrium within friction cones; self-stress allowed
    Cone,
    /// Rigid-block equilibrium; self-stress allowed
    Rbe,
    /// The same with 8-sided pyramids around the friction cones, as published
    RbeLinearised,
    /// Coupled rigid-block analysis; self-stress not allowed
    Cra,
    /// The same with tension at a price: the same angle
    CraPenalty,
}

impl TiltMethod {
    fn method(self) -> Method {
        match self {
            Self::Cone => Method::Cone,
            Self::Rbe => Method::Rbe,
            Self::RbeLinearised => Method::RbeLinearised,
            Self::Cra => Method::Cra,
            Self::CraPenalty => Method::CraPenalty,
        }
    }
}

/// A model that was tilted.
pub struct Tilted {
    /// What is printed with `--json`.
    pub result: Value,
    /// The model in its situation.
    pub subject: Subject,
    /// The bounds.
    pub answer: TiltAnswer,
    sweep: Option<Sweep>,
    /// Paths of the certificates.
    certificates: Vec<String>,
}

/// Verdicts around the critical angle.
struct Sweep {
    verdicts: Vec<(f64, Verdict)>,
}

impl Sweep {
    /// How often it changes whether it is proven to stand.
    fn changes(&self) -> usize {
        let stands = |k: usize| self.verdicts[k].1 == Verdict::Stable;
        (1..self.verdicts.len()).filter(|&k| stands(k) != stands(k - 1)).count()
    }

    fn undecided(&self) -> usize {
        self.verdicts.iter().filter(|(_, v)| *v == Verdict::Undecided).count()
    }

    fn json(&self) -> Value {
        let one = |(angle, verdict): &(f64, Verdict)| json!({ "tilt_deg": angle, "verdict": verdict.name() });
        json!({
            "changes": self.changes(),
            "undecided": self.undecided(),
            "verdicts": self.verdicts.iter().map(one).collect::<Vec<_>>(),
        })
    }
}

impl Tilt {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let tilted = self.of(self.question.model(console)?, console)?;
        console.result(&tilted.result, || {
            let Tilted { subject, answer, .. } = &tilted;
            let mut rows = geometry_rows(&subject.geometry);
            rows.extend(self.rows(&tilted));
            format!("{}: {}\n\n{}", subject.name(), answer.conclusion, table(&rows))
        })
    }

    /// Tilts a model.
    pub(crate) fn of(&self, model: Model, console: &Console) -> Result<Tilted, Failure> {
        let elastic = self.rigid.elastic("`tilt`")?;
        let subject = self
            .question
            .subject(model, ("--load", &self.loads), None, &elastic, console)?;
        let axis = unit("--axis", self.axis)?;
        let method = self.method.method();
        // Held until the last file is written.
        let _lock = self
            .output
            .as_deref()
            .map(|folder| take_folder(folder, |message| console.warn(message)))
            .transpose()?;
        if let Some(folder) = &self.output {
            remove_old(folder)?;
        }
        let (answer, sweep) = self.question.on_threads(|| {
            let _waiting = Waiting::new(console, &format!("tilting by {}", method.name()));
            let mut solvers = console.solvers();
            let answer = tilt(&subject.case(), axis, method, &subject.geometry, &mut solvers)?;
            let sweep = match self.sweep {
                None => None,
                Some(count) => Some(sweep(&subject, axis, &answer.found, count, &mut solvers)?),
            };
            Ok((answer, sweep))
        })?;
        let mut result = json!(answer);
        result["sweep"] = json!(sweep.as_ref().map(Sweep::json));
        result["joint_search"] = joints::as_json(&subject.choice);
        result["left_out"] = json!(left_out_of_limits(&subject.model, &subject.structure));
        let mut certificates = Vec::new();
        if let Some(folder) = &self.output {
            certificates = write_certificates(folder, &answer)?;
            result["certificates"] = json!(certificates);
            write_result(folder, &result)?;
            self.question
                .leave(folder, &subject, None, Some(Asked::Axis(axis.to_array())), console)?;
            draw(folder, &subject, axis, &answer)?;
        }
        Ok(Tilted {
            result,
            subject,
            answer,
            sweep,
            certificates,
        })
    }

    fn rows(&self, tilted: &Tilted) -> Vec<(&'static str, String)> {
        let Tilted {
            answer,
            sweep,
            certificates,
            ..
        } = tilted;
        let (found, bracket) = (&answer.found, &answer.bracket);
        let way = Way::Static(found.method);
        let [x, y, z] = self.axis.to_array();
        let mut rows = Vec::new();
        for (name, side, proof) in [
            ("stands up to", &bracket.lower, "not proven"),
            ("falls at", &bracket.upper, "evidence, not proof"),
        ] {
            let Some(side) = side else { continue };
            let proof = if side.proof.is_accepted() { "proven" } else { proof };
            let angle = side.at.to_degrees();
            rows.push((name, format!("{angle:.4} degrees about {x},{y},{z} ({proof})")));
        }
        if let Some(ties) = tie_words(&answer.ties) {
            rows.push(("ties", format!("{ties} where it stands")));
        }
        rows.push(("method", format!("{}: {}", way.name(), way.title())));
        rows.push(("assumes", assumption(way.self_stress()).to_string()));
        if found.stands_again {
            let after = found.upper.unwrap_or(0.0);
            let again = found
                .samples
                .iter()
                .filter(|(a, v)| *v == Verdict::Stable && *a > after);
            let angles: Vec<String> = again.map(|(a, _)| format!("{:.0}", a.to_degrees())).collect();
            rows.push(("stands again at", format!("{} degrees", angles.join(", "))));
        }
        if !found.gaps.is_empty() {
            let angles: Vec<String> = found.gaps.iter().map(|g| format!("{:.0}", g.to_degrees())).collect();
            rows.push(("not decided at", format!("{} degrees", angles.join(", "))));
        }
        if let Some(sweep) = sweep {
            let text = format!(
                "{} of verdict among {}, {} undecided",
                counted(sweep.changes(), "change"),
                counted(sweep.verdicts.len(), "angle"),
                sweep.undecided()
            );
            rows.push(("sweep", text));
        }
        rows.push(("time", format!("{:.3} s", found.time)));
        rows.extend(certificates.iter().map(|file| ("certificate", file.clone())));
        if self.question.details {
            for (what, claims) in &bracket.refused {
                rows.extend(claims.iter().map(|claim| ("refused", format!("{what}: {claim}"))));
            }
        }
        rows
    }
}

/// Writes the certificates that were accepted, and gives their paths.
fn write_certificates(folder: &Path, answer: &TiltAnswer) -> Result<Vec<String>, Failure> {
    let sides = [("stands", &answer.bracket.lower), ("falls", &answer.bracket.upper)];
    let certified = sides
        .into_iter()
        .filter_map(|(name, side)| Some((name, side.as_ref()?.certificate.as_ref()?)));
    certified
        .map(|(name, certificate)| write(&folder.join(format!("certificate-{name}.json")), certificate))
        .collect()
}

/// Draws the mechanism at the upper bound, turned by that angle.
fn draw(folder: &Path, subject: &Subject, axis: DVec3, answer: &TiltAnswer) -> Result<(), Failure> {
    let found = &answer.found;
    let (Some(check), Some(angle)) = (&found.falls, found.upper) else {
        return Ok(());
    };
    if check.motions.is_empty() {
        return Ok(());
    }
    let title = format!("{}: mechanism at {:.2}°", subject.name(), angle.to_degrees());
    let turned = DQuat::from_axis_angle(axis, angle);
    written(
        folder,
        mechanism_files(&subject.model, &subject.structure, &check.motions, (&title, turned))?,
    )?;
    Ok(())
}

/// Asks again at angles around the critical one.
fn sweep(subject: &Subject, axis: DVec3, found: &Found, count: u32, solvers: &mut Solvers) -> Result<Sweep, Failure> {
    let middle = found.middle().to_degrees();
    let (from, to) = ((middle - SWEPT_DEG).max(0.0), (middle + SWEPT_DEG).min(180.0));
    let mut verdicts = Vec::new();
    for k in 0..count {
        let angle = from + (to - from) * f64::from(k) / f64::from(count - 1);
        let gravity = tilted(subject.model.gravity, axis, angle.to_radians());
        let loads = Loads::body_force(&subject.structure, gravity).plus(&subject.further, 1.0);
        let check = statics::check(&subject.structure, &loads, found.method, solvers)?;
        verdicts.push((angle, check.verdict));
    }
    Ok(Sweep { verdicts })
}
