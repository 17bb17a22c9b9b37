//! Questions as the page asks them (`docs/viewer-protocol.md`), and how answers and refusals are written.

use std::fmt::Display;

use drystone_analysis::{AskError, Changes, Edit, Failure, Stepping};
use drystone_mechanics::statics::{Method, StaticsError};
use drystone_model::{JointStiffness, import::UpAxis};
use glam::DVec3;
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Value, json};

/// A question with its number.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) id: u64,
    pub(crate) ask: Ask,
}

/// What can be asked.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub(crate) enum Ask {
    Hello {},
    Build {
        recipe: String,
        #[serde(default)]
        values: IndexMap<String, Value>,
        /// Whether changes of the structure that stands are made again, where it is of the same recipe.
        #[serde(default)]
        keep_edits: bool,
    },
    Open(Open),
    Import(Import),
    Save {
        path: Option<String>,
    },
    Check(Asked),
    Tilt {
        #[serde(flatten)]
        asked: Asked,
        axis: DVec3,
    },
    Limit {
        #[serde(default)]
        situation: Situation,
        direction: Option<DVec3>,
        load: Option<String>,
        #[serde(default)]
        friction_law: FrictionLaw,
    },
    Sensitivity(Asked),
    Thrust(Asked),
    Certificate(Asked),
    Edit(Edit),
    Undo {},
    Redo {},
    Simulate(Box<Simulate>),
    /// What a record holds, before anything is shaken by it.
    Record {
        components: Vec<Recorded>,
        /// Peak acceleration that it is scaled to.
        pga_g: Option<f64>,
    },
    Settle {
        #[serde(default)]
        situation: Situation,
        stages: Option<Value>,
    },
    Frames {},
    Study {
        path: String,
    },
    StudyRun {
        path: String,
        run: String,
    },
    Rerun {
        path: String,
        run: String,
        frames_per_s: Option<f64>,
    },
    Export(Export),
    Report(Export),
    Stop {
        which: u64,
    },
    Pause {
        which: u64,
    },
    Resume {
        which: u64,
    },
}

/// What to open: one of these.
#[derive(Debug, Deserialize)]
pub(crate) struct Open {
    pub(crate) model: Option<Value>,
    /// Folder that the model came from, from the opened one on.
    #[serde(default)]
    pub(crate) beside: String,
    pub(crate) path: Option<String>,
    pub(crate) files: Option<Vec<Upload>>,
    /// Folder of a study, with the run whose structure is meant.
    pub(crate) study: Option<String>,
    pub(crate) run: Option<String>,
    /// What was imported last, under this.
    pub(crate) imported: Option<Given>,
}

/// A file to be looked at before it is opened; without one, that of before.
#[derive(Debug, Deserialize)]
pub(crate) struct Import {
    pub(crate) path: Option<String>,
    pub(crate) files: Option<Vec<Upload>>,
    #[serde(default)]
    pub(crate) given: Given,
}

/// What files of other programs do not say.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Given {
    /// Metres in a unit of its coordinates.
    pub(crate) unit_m: f64,
    pub(crate) up: UpAxis,
    pub(crate) supports: Supports,
    /// Largest distance between faces that are joined; nothing: by the precision of the coordinates.
    pub(crate) joint_distance_m: Option<f64>,
}

impl Default for Given {
    fn default() -> Self {
        Self {
            unit_m: 1.0,
            up: UpAxis::Z,
            supports: Supports::AsRead,
            joint_distance_m: None,
        }
    }
}

/// Which blocks of a file carry the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Supports {
    /// Those that the file fixes.
    #[default]
    AsRead,
    /// Those that begin as low as the lowest.
    Lowest,
    None,
}

/// A file that the page sends.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Upload {
    pub(crate) name: String,
    pub(crate) base64: String,
}

/// A question about a structure at rest.
#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    #[serde(default)]
    pub(crate) situation: Situation,
    #[serde(default)]
    pub(crate) method: MethodName,
}

impl Situation {
    /// The same as analyses take it.
    pub(crate) fn as_asked(&self) -> drystone_analysis::Situation {
        drystone_analysis::Situation {
            changes: Changes {
                friction: self.friction,
                friction_factor: self.friction_factor,
                density: self.density,
                fixed: self.fixed.clone(),
                only: self.only.clone(),
                ..Changes::default()
            },
            tilt: self.tilt.as_ref().map(|t| (t.axis, t.angle_deg.to_radians())),
            loads: self.loads.iter().map(|l| (l.case.clone(), l.factor)).collect(),
        }
    }
}

/// What is different from the model, without changing it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(crate) struct Situation {
    /// Of every joint.
    pub(crate) friction: Option<f64>,
    /// On the friction of every joint, which may differ from joint to joint.
    pub(crate) friction_factor: Option<f64>,
    pub(crate) density: Option<f64>,
    pub(crate) tilt: Option<Tilted>,
    pub(crate) fixed: Option<Vec<String>>,
    pub(crate) only: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) loads: Vec<Loaded>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Tilted {
    pub(crate) axis: DVec3,
    pub(crate) angle_deg: f64,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Loaded {
    pub(crate) case: String,
    #[serde(default = "one")]
    pub(crate) factor: f64,
}

fn one() -> f64 {
    1.0
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MethodName {
    #[default]
    Cone,
    Rbe,
    Cra,
    CraPenalty,
}

impl MethodName {
    pub(crate) fn method(self) -> Method {
        match self {
            Self::Cone => Method::Cone,
            Self::Rbe => Method::Rbe,
            Self::Cra => Method::Cra,
            Self::CraPenalty => Method::CraPenalty,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FrictionLaw {
    #[default]
    Associated,
    Coulomb,
}

impl FrictionLaw {
    pub(crate) fn friction(self) -> drystone_cone::Friction {
        match self {
            Self::Associated => drystone_cone::Friction::Associated,
            Self::Coulomb => drystone_cone::Friction::Coulomb,
        }
    }
}

/// A simulation.
#[derive(Debug, Deserialize)]
pub(crate) struct Simulate {
    #[serde(default)]
    pub(crate) situation: Situation,
    #[serde(default)]
    pub(crate) motion: Moved,
    pub(crate) duration_s: f64,
    pub(crate) frames_per_s: Option<f64>,
    #[serde(default)]
    pub(crate) integrator: Stepping,
    /// Of every joint, in place of the model's.
    pub(crate) stiffness_n_m3: Option<JointStiffness>,
    /// Of implicit steps.
    pub(crate) dt_s: Option<f64>,
    /// Of implicit steps; what it is has a say in the automatic choice.
    pub(crate) friction_law: Option<FrictionLaw>,
    /// Of explicit steps.
    pub(crate) damping: Option<f64>,
    /// How long it goes on once it has collapsed.
    pub(crate) after_collapse_s: Option<f64>,
}

/// How supports move.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Moved {
    #[serde(default)]
    pub(crate) kind: MovedKind,
    pub(crate) direction: Option<DVec3>,
    pub(crate) amplitude_g: Option<f64>,
    pub(crate) frequency_hz: Option<f64>,
    pub(crate) duration_s: Option<f64>,
    pub(crate) file: Option<Upload>,
    /// Records of up to three components, in place of `file` and `direction`.
    #[serde(default)]
    pub(crate) components: Vec<Recorded>,
    pub(crate) name: Option<String>,
    pub(crate) scale: Option<f64>,
}

/// A component of a recorded motion.
#[derive(Debug, Deserialize)]
pub(crate) struct Recorded {
    pub(crate) file: Upload,
    /// Left out: as its file says.
    pub(crate) direction: Option<DVec3>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MovedKind {
    #[default]
    None,
    Sine,
    Impulse,
    Record,
    Model,
}

/// A file to be made.
#[derive(Debug, Deserialize)]
pub(crate) struct Export {
    #[serde(default)]
    pub(crate) what: Option<ExportKind>,
    /// Number of the question that started a simulation.
    pub(crate) which: Option<u64>,
    /// PNG file in base64.
    pub(crate) picture: Option<String>,
    /// What the page shows beside it.
    pub(crate) view: Option<Value>,
    /// Blocks whose paths are written.
    #[serde(default)]
    pub(crate) blocks: Vec<String>,
    #[serde(default)]
    pub(crate) situation: Situation,
    #[serde(default)]
    pub(crate) method: MethodName,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ExportKind {
    Glb,
    Csv,
    Html,
    Gif,
    Model,
    Certificate,
}

/// Why a question is not answered, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub(crate) struct Refusal {
    pub(crate) error: String,
    pub(crate) help: Option<String>,
}

impl Refusal {
    pub(crate) fn new(error: impl Display) -> Self {
        Self {
            error: error.to_string(),
            help: None,
        }
    }

    #[must_use]
    pub(crate) fn help(mut self, help: impl Display) -> Self {
        self.help = Some(help.to_string());
        self
    }

    /// What is wrong and what to do, in one line.
    pub(crate) fn in_full(&self) -> String {
        match &self.help {
            Some(help) => format!("{}: {help}", self.error),
            None => self.error.clone(),
        }
    }

    pub(crate) fn text(&self, id: Option<u64>) -> String {
        json!({ "id": id, "error": self.error, "help": self.help }).to_string()
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self {
            error: failure.message().to_string(),
            help: failure.remedy().map(str::to_string),
        }
    }
}

impl From<StaticsError> for Refusal {
    fn from(error: StaticsError) -> Self {
        Failure::from(error).into()
    }
}

impl From<AskError> for Refusal {
    fn from(error: AskError) -> Self {
        Failure::from(error).into()
    }
}

/// The answer to a question: its fields with the number and the kind.
pub(crate) fn answer(id: u64, kind: &str, mut fields: Value) -> String {
    let mut whole = json!({ "id": id, "answer": kind });
    if let (Some(whole), Some(fields)) = (whole.as_object_mut(), fields.as_object_mut()) {
        whole.append(fields);
    }
    whole.to_string()
}

/// Largest number of a question: binary messages have 32 bits for it.
const MOST_ID: u64 = u32::MAX as u64;

/// Reads a question. What is wrong comes with the number, where there is one.
pub(crate) fn read(text: &str) -> Result<Question, (Option<u64>, Refusal)> {
    let value: Value =
        serde_json::from_str(text).map_err(|e| (None, Refusal::new(format!("the message is no JSON: {e}"))))?;
    let id = value.get("id").and_then(Value::as_u64);
    let needs_none = matches!(
        value.get("ask").and_then(Value::as_str),
        Some("stop" | "pause" | "resume")
    );
    match id {
        Some(id) if id <= MOST_ID => {}
        None if needs_none => {}
        _ => {
            let what = format!("a question needs an `id`, a whole number from 0 to {MOST_ID}");
            return Err((None, Refusal::new(what)));
        }
    }
    let ask = serde_json::from_value(value)
        .map_err(|e| (id, Refusal::new(format!("the question is not understood: {e}"))))?;
    Ok(Question {
        id: id.unwrap_or_default(),
        ask,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_read_with_what_is_left_out() {
        let read = read(r#"{"id": 3, "ask": "check", "method": "cra-penalty", "situation": {"tilt": {"axis": [0,1,0], "angle_deg": 4}}}"#).unwrap();
        let Ask::Check(asked) = read.ask else {
            panic!("{read:?}")
        };
        assert_eq!((read.id, asked.method), (3, MethodName::CraPenalty));
        assert_eq!(asked.situation.tilt.unwrap().axis, DVec3::Y);
        let question = super::read(r#"{"id":4,"ask":"edit","do":"move","blocks":["a"],"by":[1,0,0]}"#).unwrap();
        assert!(matches!(question.ask, Ask::Edit(Edit::Move { .. })));
        assert!(matches!(
            super::read(r#"{"ask":"stop","which":4}"#).unwrap().ask,
            Ask::Stop { which: 4 }
        ));
    }

    #[test]
    fn what_is_not_understood_is_told_with_its_number() {
        let (id, refusal) = read(r#"{"id": 3, "ask": "dance"}"#).unwrap_err();
        assert_eq!(id, Some(3));
        assert!(refusal.error.contains("dance"), "{refusal}");
        assert!(read("{").unwrap_err().1.error.contains("no JSON"));
        assert!(read(r#"{"ask": "hello"}"#).unwrap_err().1.error.contains("`id`"));
        assert!(read(r#"{"id": 4294967296, "ask": "hello"}"#).is_err());
    }
}
