//! One run of a study: what it needs, as data that any machine can be sent, and what came of it.

mod model;
mod perform;

use std::{collections::BTreeMap, sync::Arc};

use drystone_analysis::Failure;
use drystone_model::{Model, Motion};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::spec::{FrictionLaw, SimulationSpec};
pub(crate) use model::Gaps;
pub use model::{Base, ModelSpec};
pub use perform::perform;
pub(crate) use perform::{method, way};

/// The version of the program with its build: results of two builds may differ though their version is the same.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("DRYSTONE_BUILD"));

/// What several runs share, by a key made of it: models and ground motions. A run and these are all that it takes.
pub type Shared = BTreeMap<String, Arc<str>>;

/// One run of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Made of all that the result depends on: the same for the same run.
    pub id: String,
    /// Runs of one group are never split among shards.
    pub group: String,
    /// What it is, for people.
    pub label: String,
    /// Roughly how long it takes, beside others.
    pub cost: f64,
    /// Where it stands in the study: columns of its tables.
    pub parameters: Map<String, Value>,
    /// What is to be done.
    pub job: Job,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The structure.
    pub model: ModelSpec,
    /// Load cases that act, each times a factor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<(String, f64)>,
    /// Axis and angle that the structure is tilted by (degrees).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tilt: Option<([f64; 3], f64)>,
    /// What is asked.
    pub ask: Ask,
}

/// What is asked of a structure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// Whether it stands.
    Check {
        /// By which method.
        method: String,
    },
    /// How much it carries.
    Limit {
        /// Along a direction, in units of gravity.
        direction: Option<[f64; 3]>,
        /// Of a load case.
        load: Option<String>,
        /// By which friction law.
        friction_law: FrictionLaw,
    },
    /// How far it can be tilted.
    Tilt {
        /// About which axis.
        axis: [f64; 3],
        /// By which method.
        method: String,
    },
    /// How it moves.
    Simulate {
        /// How long (s).
        duration: f64,
        /// How the ground moves.
        grounds: Vec<Ground>,
        /// How it is computed.
        settings: SimulationSpec,
    },
}

/// How the ground moves: parts that add up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// A function of time.
    Motion(Motion),
    /// A record, by its key among what is shared.
    Record {
        /// Its key.
        record: String,
        /// What it is multiplied by.
        factor: f64,
        /// When its first value comes (s).
        #[serde(default, skip_serializing_if = "is_zero")]
        start: f64,
    },
}

fn is_zero(start: &f64) -> bool {
    *start == 0.0
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It has a result.
    Done,
    /// It has none.
    Failed,
}

impl Status {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    /// The one of a name; what is not known to be done has failed.
    pub(crate) fn of(name: &str) -> Self {
        match name {
            "done" => Self::Done,
            _ => Self::Failed,
        }
    }
}

/// What came of a run. All but `wall_s` depends on the run alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// What was found: fields that the command of the same name documents.
    pub result: Map<String, Value>,
    /// Why there is no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The worst residual behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual: Option<f64>,
    /// How long it took (s).
    pub wall_s: f64,
    /// Version and build of the program that found it, as [`BUILD`].
    pub version: String,
}

impl Outcome {
    /// Of a run of this program that has failed.
    pub fn failed(why: impl Into<String>, wall_s: f64) -> Self {
        Self {
            status: Status::Failed,
            result: Map::new(),
            error: Some(why.into()),
            residual: None,
            wall_s,
            version: BUILD.into(),
        }
    }

    /// A number of the result.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.result.get(name)?.as_f64()
    }

    /// A flag of the result.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.result.get(name)?.as_bool()
    }

    /// A word of the result.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.result.get(name)?.as_str()
    }
}

/// Outcomes by the identity of their runs.
pub type Outcomes = BTreeMap<String, Outcome>;

impl Task {
    /// A run with the identity that follows from what is to be done.
    pub fn new(
        group: impl Into<String>,
        label: impl Into<String>,
        cost: f64,
        parameters: Map<String, Value>,
        job: Job,
    ) -> Self {
        let text = serde_json::to_string(&job).unwrap_or_default();
        Self {
            id: key_of(&text),
            group: group.into(),
            label: label.into(),
            cost,
            parameters,
            job,
        }
    }
}

impl Job {
    /// A time history of a structure on ground that moves.
    pub(crate) fn time_history(model: &ModelSpec, duration: f64, ground: Ground, settings: &SimulationSpec) -> Self {
        Self {
            model: model.clone(),
            loads: Vec::new(),
            tilt: None,
            ask: Ask::Simulate {
                duration,
                grounds: vec![ground],
                settings: settings.clone(),
            },
        }
    }

    /// The structure, built but for its changes, as what is asked takes it.
    pub(crate) fn built(&self, shared: &Shared) -> Result<Model, Failure> {
        let gaps = match self.ask {
            Ask::Simulate { .. } => Gaps::Open,
            Ask::Check { .. } | Ask::Limit { .. } | Ask::Tilt { .. } => Gaps::Bridged,
        };
        self.model.build(shared, gaps)
    }

    /// How long its time history is at most, and its time steps (s).
    pub(crate) fn steps(&self) -> Option<[f64; 2]> {
        match &self.ask {
            Ask::Simulate { duration, settings, .. } => Some([*duration, settings.dt()]),
            _ => None,
        }
    }

    /// Keys of what it needs of [`Shared`].
    pub fn needs(&self) -> Vec<&str> {
        let model = match &self.model.base {
            Base::File(key) => Some(key.as_str()),
            Base::Recipe(_) => None,
        };
        let grounds = match &self.ask {
            Ask::Simulate { grounds, .. } => grounds.as_slice(),
            _ => &[],
        };
        let records = grounds.iter().filter_map(|ground| match ground {
            Ground::Record { record, .. } => Some(record.as_str()),
            Ground::Motion(_) => None,
        });
        let mut needs: Vec<&str> = model.into_iter().chain(records).collect();
        needs.sort_unstable();
        needs.dedup();
        needs
    }
}

/// The key of a text: the start of its SHA-256.
pub(crate) fn key_of(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}

/// Keeps a text among what is shared; gives its key.
pub(crate) fn share(shared: &mut Shared, text: String) -> String {
    let key = key_of(&text);
    shared.entry(key.clone()).or_insert_with(|| text.into());
    key
}
