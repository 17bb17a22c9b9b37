//! Versions of a model, back and forth.

use std::sync::{Arc, OnceLock};

use drystone_analysis::{Edit, Pairs};
use drystone_contact::Survey;
use drystone_model::Model;
use drystone_verify::Verifier;
use indexmap::IndexMap;

use crate::protocol::Refusal;

/// Steps that can be undone.
const MOST_STEPS: usize = 200;
/// Blocks of all versions together: what bounds their memory, some 2 kB each.
const MOST_BLOCKS: usize = 1_000_000;

/// The recipe that a model comes from, and how it was changed since.
#[derive(Clone, Debug)]
pub(crate) struct Built {
    pub(crate) recipe: &'static str,
    pub(crate) values: IndexMap<String, String>,
    pub(crate) edits: Vec<Edit>,
}

/// A model as it stood at one time.
#[derive(Clone)]
pub(crate) struct Version {
    pub(crate) model: Arc<Model>,
    /// All its joints, those between supports included: supports may become free.
    pub(crate) joints: Arc<Survey>,
    /// Blocks that overlap or are nearly joined.
    pub(crate) pairs: Arc<Pairs>,
    /// The model ready to check certificates of it, once one was.
    pub(crate) verifier: Arc<OnceLock<Verifier>>,
    pub(crate) built: Option<Built>,
    /// Folder of its file, from the opened one on; empty where it is that one or where there is no file.
    pub(crate) beside: String,
    /// What is wrong with it, for a person to judge.
    pub(crate) problems: Vec<String>,
}

/// All versions.
#[derive(Default)]
pub(crate) struct History {
    versions: Vec<Version>,
    /// The one that stands, from 1; 0 where there is none.
    now: usize,
    revision: u64,
}

impl History {
    pub(crate) fn now(&self) -> Option<&Version> {
        self.versions.get(self.now.checked_sub(1)?)
    }

    pub(crate) fn push(&mut self, version: Version) {
        self.versions.truncate(self.now);
        self.versions.push(version);
        let blocks = |v: &Version| v.model.blocks.len();
        let mut all: usize = self.versions.iter().map(blocks).sum();
        while self.versions.len() > 1 && (self.versions.len() > MOST_STEPS + 1 || all > MOST_BLOCKS) {
            all -= blocks(&self.versions.remove(0));
        }
        self.now = self.versions.len();
        self.revision += 1;
    }

    pub(crate) fn undo(&mut self) -> Result<(), Refusal> {
        if self.undo_count() == 0 {
            return Err(Refusal::new("there is nothing to undo"));
        }
        self.now -= 1;
        self.revision += 1;
        Ok(())
    }

    pub(crate) fn redo(&mut self) -> Result<(), Refusal> {
        if self.redo_count() == 0 {
            return Err(Refusal::new("there is nothing to redo"));
        }
        self.now += 1;
        self.revision += 1;
        Ok(())
    }

    pub(crate) fn undo_count(&self) -> usize {
        self.now.saturating_sub(1)
    }

    pub(crate) fn redo_count(&self) -> usize {
        self.versions.len() - self.now
    }

    /// Counts up with every change.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }
}

#[cfg(test)]
mod tests {
    use drystone_contact::Search;

    use super::*;

    fn named(name: &str) -> Version {
        Version {
            model: Arc::new(Model::named(name)),
            joints: Arc::new(Survey {
                search: Search::Parts,
                joints: Vec::new(),
            }),
            pairs: Arc::default(),
            verifier: Arc::default(),
            built: None,
            beside: String::new(),
            problems: Vec::new(),
        }
    }

    #[test]
    fn changes_go_back_and_forth_and_a_new_one_ends_what_was_undone() {
        let mut history = History::default();
        assert!(history.undo().is_err());
        for name in ["a", "b", "c"] {
            history.push(named(name));
        }
        history.undo().unwrap();
        history.undo().unwrap();
        assert!(history.undo().is_err());
        history.redo().unwrap();
        assert_eq!(history.now().unwrap().model.name, "b");
        assert_eq!(
            (history.undo_count(), history.redo_count(), history.revision()),
            (1, 1, 6)
        );
        history.push(named("d"));
        assert!(history.redo().is_err());
        history.undo().unwrap();
        assert_eq!(history.now().unwrap().model.name, "b");
        for _ in 0..300 {
            history.push(named("e"));
        }
        assert_eq!(history.undo_count(), MOST_STEPS);
    }
}
