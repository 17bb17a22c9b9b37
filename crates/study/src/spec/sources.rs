//! Ground motions of a study.

use drystone_model::motion::record::SyntheticMotion;
use serde::{Deserialize, Serialize};

/// Recorded ground motions.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(untagged, expecting = "expected a folder of records, or a list of files")]
pub enum Records {
    /// All records of a folder.
    Folder(String),
    /// Files.
    Files(Vec<String>),
}

/// Ground motions that are made up.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Synthetic {
    /// How many; their seeds follow one another.
    pub count: usize,
    /// What they are like.
    #[serde(default)]
    pub motion: SyntheticMotion,
}
