use clap::{Args, ValueEnum};
use glam::DVec3;
use serde_json::{Value, json};

use drystone_mechanics::statics::{self, Loads, Method, Solvers, Tilt as Found, TiltStatus, Verdict, tilted};

use super::{
    question::{Question, Subject, bad, unit},
    waiting::Waiting,
    words::{Way, assumption, prestress_name},
};
use crate::{
    error::Failure,
    overrides::vector,
    report::{Console, counted, table},
};

/// Angles that a sweep covers to both sides of the critical one (degrees).
const SWEPT_DEG: f64 = 2.0;

/// Find the angle by which a structure can be tilted before it falls
///
/// Like a model on a board that is raised slowly: the structure turns about the axis, gravity stays. Methods differ in one
/// assumption: `cone` and `rbe` admit prestress, forces that no motion has called up; `cra` and `cra-penalty` do not.
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone tilt arch.json --axis 0,1,0
  drystone tilt arch.json --axis 0,1,0 --method cone
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
    #[command(flatten)]
    question: Question,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TiltMethod {
    /// Forces in the friction cones; prestress is admitted
    Cone,
    /// Rigid-block equilibrium; prestress is admitted
    Rbe,
    /// The same with 8-sided pyramids around the friction cones, as published
    RbeLinearised,
    /// Coupled rigid-block analysis; no prestress
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
        let subject = self.question.subject(console)?;
        let axis = unit("--axis", self.axis)?;
        let gravity = subject.model.gravity;
        if gravity == DVec3::ZERO {
            let message = "the model has no gravity, so that tilting it changes nothing";
            return Err(Failure::input(message).help("give --gravity X,Y,Z"));
        }
        if axis.cross(gravity.normalize_or_zero()).length() < 1e-9 {
            let [x, y, z] = self.axis.to_array();
            let message = format!("--axis {x},{y},{z}: it is the direction of gravity; turning about it tilts nothing");
            return Err(Failure::input(message).help("give a level axis such as 0,1,0"));
        }
        let method = self.method.method();
        let (found, sweep) = self.question.on_threads(|| {
            let _waiting = Waiting::new(console, &format!("tilting by {}", method.name()));
            let mut solvers = Solvers::default();
            let found = statics::tilt(&subject.assembly, axis, method, &mut solvers).map_err(bad)?;
            let sweep = match self.sweep {
                None => None,
                Some(count) => Some(sweep(&subject, axis, &found, count, &mut solvers)?),
            };
            Ok((found, sweep))
        })?;
        let result = self.json(&found, sweep.as_ref());
        console.result(&result, || self.text(subject.name(), &found, sweep.as_ref()))
    }

    fn json(&self, found: &Found, sweep: Option<&Sweep>) -> Value {
        let prestress = found.method.prestress();
        let sample = |(angle, verdict): &(f64, Verdict)| json!({ "tilt_deg": angle.to_degrees(), "stands": *verdict == Verdict::Stable, "verdict": verdict.name() });
        json!({
            "critical_tilt_deg": found.critical.map(f64::to_degrees),
            "status": found.status.name(),
            "lower_deg": found.lower.map(f64::to_degrees),
            "upper_deg": found.upper.map(f64::to_degrees),
            "upper_by": found.falls.as_ref().map(|c| c.evidence.name()),
            "method": found.method.name(),
            "time_s": found.time,
            "above_deg": found.upper.map(f64::to_degrees),
            "beyond": found.beyond().name(),
            "stands_again": found.stands_again,
            "gaps_deg": found.gaps.iter().map(|g| g.to_degrees()).collect::<Vec<_>>(),
            "prestress": prestress_name(prestress),
            "assumption": assumption(prestress),
            "samples": found.samples.iter().map(sample).collect::<Vec<_>>(),
            "sweep": sweep.map(Sweep::json),
        })
    }

    fn text(&self, name: &str, found: &Found, sweep: Option<&Sweep>) -> String {
        let way = Way::Static(found.method);
        let [x, y, z] = self.axis.to_array();
        let deg = |angle: Option<f64>| angle.unwrap_or(f64::NAN).to_degrees();
        let (lower, upper) = (deg(found.lower), deg(found.upper));
        let about = format!("degrees about {x},{y},{z}");
        let angle = match found.status {
            TiltStatus::Exact => format!("{lower:.2} {about} (stands at {lower:.4}, falls at {upper:.4})"),
            TiltStatus::Bracketed => {
                format!("between {lower:.2} and {upper:.2} {about}: stands at the lower, falls at the upper bound")
            }
            TiltStatus::LowerBound => format!("at least {lower:.2} {about}: a lower bound; beyond it undecided"),
            TiltStatus::UpperBound => format!("at most {upper:.2} {about}: an upper bound; below it undecided"),
            TiltStatus::FallsUpright => "none: it falls upright".to_string(),
            TiltStatus::NeverFalls => "none: it stands at every angle looked at, upside down too".to_string(),
            TiltStatus::Undecided => "undecided: neither found to stand nor to fall".to_string(),
        };
        let mut rows = vec![
            ("critical tilt", angle),
            ("method", format!("{}: {}", way.name(), way.title())),
            ("assumes", assumption(way.prestress()).to_string()),
            ("just beyond", found.beyond().name().to_string()),
        ];
        if found.stands_again {
            let beyond = |a: f64| found.upper.is_some_and(|upper| a > upper);
            let again = (found.samples.iter()).filter(|(a, verdict)| *verdict == Verdict::Stable && beyond(*a));
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
        format!("{name}\n\n{}", table(&rows))
    }
}

/// Asks again at angles around the critical one.
fn sweep(subject: &Subject, axis: DVec3, found: &Found, count: u32, solvers: &mut Solvers) -> Result<Sweep, Failure> {
    let middle = found.middle().to_degrees();
    let (from, to) = ((middle - SWEPT_DEG).max(0.0), (middle + SWEPT_DEG).min(180.0));
    let mut verdicts = Vec::new();
    for k in 0..count {
        let angle = from + (to - from) * f64::from(k) / f64::from(count - 1);
        let gravity = tilted(subject.model.gravity, axis, angle.to_radians());
        let loads = Loads::body_force(&subject.assembly, gravity);
        let check = statics::check(&subject.assembly, &loads, found.method, solvers).map_err(bad)?;
        verdicts.push((angle, check.verdict));
    }
    Ok(Sweep { verdicts })
}
