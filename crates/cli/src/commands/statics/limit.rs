use std::path::PathBuf;

use clap::{Args, ValueEnum};
use glam::DVec3;
use serde_json::{Value, json};

use drystone_cone::Friction;
use drystone_mechanics::statics::{self, Check, Limit as Found, LimitSettings, Loads, Solvers};

use super::{
    check::write_result,
    question::{Question, Subject, bad, make_folder, unit, write},
    waiting::Waiting,
};
use crate::{
    error::Failure,
    overrides::vector,
    report::{Console, table},
};

/// Find the largest multiplier of a force or of a load case that a structure carries
///
/// A force in proportion to mass (--direction) is the multiplier times gravity, as an earthquake is idealised; a load case
/// (--load) is multiplied as it stands. Weight and --dead loads act beside it unmultiplied. Both sides are given: the
/// largest multiplier for which forces balance the loads, and the smallest at which a motion was found that the loads
/// drive. With associated friction prestress is admitted; with Coulomb's the lower bound admits only forces that a motion
/// calls up, and the upper bound is that of associated friction.
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
    /// Folder for result.json, certificate-stands.json (lower bound) and certificate-falls.json (just above the upper)
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    question: Question,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Law {
    /// Sliding opens joints; prestress is admitted. The bounds meet, to the precision of the solver
    Associated,
    /// Sliding does not open joints; no prestress at the lower bound. Bounds may stay apart
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
            Self::Associated => {
                "associated: sliding opens joints, and prestress is admitted, forces that no motion called up"
            }
            Self::Coulomb => {
                "coulomb: sliding does not open joints; the lower bound admits only forces that a motion calls up"
            }
        }
    }
}

/// A certificate and the multiplier that it is about.
struct Proof {
    file: String,
    multiplier: f64,
}

impl Limit {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let subject = self.question.subject(console)?;
        let gravity = subject.model.gravity;
        let further = subject.cases("--dead", &self.dead)?;
        let dead = subject.weight(gravity).plus(&further, 1.0);
        let live = self.live(&subject)?;
        let settings = LimitSettings {
            friction: self.friction_law.friction(),
            ..LimitSettings::default()
        };
        let (found, proofs) = self.question.on_threads(|| {
            let _waiting = Waiting::new(console, "looking for the limit");
            let mut solvers = Solvers::default();
            let found = statics::limit(&subject.assembly, &dead, &live, &settings, &mut solvers).map_err(bad)?;
            let proofs = self.prove(&subject, &further, &live, &found)?;
            Ok((found, proofs))
        })?;
        let result = self.json(&found, &proofs);
        if let Some(folder) = &self.output {
            write_result(folder, &result)?;
        }
        console.result(&result, || self.text(subject.name(), &found, &proofs))
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

    /// Certificates at the lower bound and just above the upper one.
    fn prove(
        &self,
        subject: &Subject,
        further: &Loads,
        live: &Loads,
        found: &Found,
    ) -> Result<[Option<Proof>; 2], Failure> {
        let Some(folder) = &self.output else {
            return Ok([None, None]);
        };
        make_folder(folder)?;
        let gravity = subject.model.gravity;
        let prove = |multiplier: f64, check: &Check, name: &str| {
            let all = further.plus(live, multiplier);
            let Some(certificate) = subject.certificate(gravity, &all, check)? else {
                return Ok::<_, Failure>(None);
            };
            let file = write(&folder.join(name), &certificate)?;
            Ok(Some(Proof { file, multiplier }))
        };
        let stands = match (found.multiplier, &found.stands) {
            (Some(multiplier), Some(check)) => prove(multiplier, check, "certificate-stands.json")?,
            _ => None,
        };
        let falls = match &found.falls {
            Some((multiplier, check)) => prove(*multiplier, check, "certificate-falls.json")?,
            None => None,
        };
        Ok([stands, falls])
    }

    fn json(&self, found: &Found, [stands, falls]: &[Option<Proof>; 2]) -> Value {
        let proof = |p: &Option<Proof>| {
            p.as_ref()
                .map(|p| json!({ "file": p.file, "multiplier": p.multiplier }))
        };
        let finite = |value: f64| value.is_finite().then_some(value);
        json!({
            "multiplier": found.multiplier,
            "bounds": found.bounds.map(finite),
            "unbounded": found.unbounded,
            "friction": self.friction_law.name(),
            "friction_words": self.friction_law.words(),
            "residual": found.residual(),
            "time_s": found.time,
            "note": found.note,
            "unit": if self.direction.is_some() { "gravity" } else { "load case" },
            "certificates": { "stands": proof(stands), "falls": proof(falls) },
        })
    }

    fn text(&self, name: &str, found: &Found, [stands, falls]: &[Option<Proof>; 2]) -> String {
        let [low, high] = found.bounds;
        let of = match (&self.direction, &self.load) {
            (Some(d), _) => format!("times gravity along {},{},{}", d.x, d.y, d.z),
            (_, Some(load)) => format!("times load case `{load}`"),
            _ => String::new(),
        };
        let high = if found.unbounded {
            "no limit".into()
        } else if high.is_finite() {
            format!("falls above {high:.6}")
        } else {
            "no motion found that stops it".into()
        };
        let mut rows = vec![
            ("multiplier", format!("{low:.6} {of}")),
            ("bounds", format!("stands up to {low:.6}, {high}")),
            ("friction", self.friction_law.words().to_string()),
        ];
        if found.unbounded {
            rows[0].1 = "none: there is no limit".into();
            rows[1].1 = "no load of this kind brings it down".into();
        } else if found.multiplier.is_none() {
            rows[0].1 = "none".into();
            rows[1].1 = format!("not found to stand without the load; {high}");
        }
        if let Some(residual) = found.residual() {
            rows.push((
                "residual",
                format!("{residual:.1e} of the loads is left over on a block"),
            ));
        }
        if !found.note.is_empty() {
            rows.push(("note", found.note.clone()));
        }
        rows.push(("time", format!("{:.3} s", found.time)));
        for (what, proof) in [("stands", stands), ("falls", falls)] {
            if let Some(proof) = proof {
                rows.push((what, format!("{} (at {:.6})", proof.file, proof.multiplier)));
            }
        }
        format!("{name}\n\n{}", table(&rows))
    }
}
