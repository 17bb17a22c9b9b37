use std::collections::HashMap;

use super::{CompileSettings, MotionError, SupportMotion, Trajectory};
use crate::{Block, Model};

/// The motions of every support of a model. Supports that move alike share one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Supports {
    trajectories: Vec<Trajectory>,
    /// For each block of the model, which of the trajectories is its own.
    of_block: Vec<Option<usize>>,
}

impl Supports {
    /// The motions that a model gives its supports, compiled with `settings`, and `everywhere`, which move every support
    /// in addition.
    pub fn new(model: &Model, settings: &CompileSettings, everywhere: &[Trajectory]) -> Result<Self, MotionError> {
        let mut named = HashMap::new();
        for support in &model.support_motions {
            if named.contains_key(support.motion.as_str()) {
                continue;
            }
            let place = format!("motions.{}", support.motion);
            let motion = model
                .motions
                .get(&support.motion)
                .ok_or_else(|| MotionError::value("support_motions", format!("there is no {place}")))?;
            named.insert(
                support.motion.as_str(),
                motion.compile(settings).map_err(|e| at(&place, e))?,
            );
        }
        let mut shared = Trajectory::default();
        for motion in everywhere {
            shared = add(&shared, motion)?;
        }
        let mut supports = Self::default();
        let mut known: HashMap<Vec<usize>, usize> = HashMap::new();
        for block in &model.blocks {
            let given: Vec<usize> = (0..model.support_motions.len())
                .filter(|&k| block.fixed && moves(&model.support_motions[k], block))
                .collect();
            if !block.fixed || (given.is_empty() && shared.is_rest()) {
                supports.of_block.push(None);
                continue;
            }
            if let Some(&index) = known.get(&given) {
                supports.of_block.push(Some(index));
                continue;
            }
            let mut trajectory = shared.clone();
            for &k in &given {
                if let Some(own) = named.get(model.support_motions[k].motion.as_str()) {
                    trajectory = add(&trajectory, own).map_err(|e| at(&format!("block `{}`", block.name), e))?;
                }
            }
            supports.of_block.push(Some(supports.trajectories.len()));
            known.insert(given, supports.trajectories.len());
            supports.trajectories.push(trajectory);
        }
        Ok(supports)
    }

    /// These motions made larger or smaller.
    #[must_use]
    pub fn times(mut self, factor: f64) -> Self {
        for trajectory in &mut self.trajectories {
            *trajectory = trajectory.times(factor);
        }
        self
    }

    /// The motion of a block by its place in the model, or `None` where it is free or at rest.
    pub fn of(&self, block: usize) -> Option<&Trajectory> {
        self.trajectories.get((*self.of_block.get(block)?)?)
    }

    /// Every motion, each once.
    pub fn trajectories(&self) -> &[Trajectory] {
        &self.trajectories
    }

    /// What was made of the motions that their texts do not say, each once.
    pub fn notes(&self) -> Vec<&str> {
        let mut notes: Vec<&str> = Vec::new();
        for note in self.trajectories.iter().flat_map(Trajectory::notes) {
            if !notes.contains(&note.as_str()) {
                notes.push(note);
            }
        }
        notes
    }

    /// When the last of the motions ends (s), or `None` where one goes on for ever. Zero where nothing moves.
    pub fn end(&self) -> Option<f64> {
        self.trajectories
            .iter()
            .try_fold(0.0, |end: f64, trajectory| Some(end.max(trajectory.end()?)))
    }
}

fn moves(support: &SupportMotion, block: &Block) -> bool {
    let all = support.blocks.is_empty() && support.groups.is_empty();
    let in_group = || block.group.as_ref().is_some_and(|group| support.groups.contains(group));
    all || support.blocks.contains(&block.name) || in_group()
}

fn add(a: &Trajectory, b: &Trajectory) -> Result<Trajectory, MotionError> {
    a.plus(b).map_err(|what| MotionError::value("motion", what))
}

fn at(place: &str, error: MotionError) -> MotionError {
    match error {
        MotionError::Value { place: inner, what } => {
            let inner = inner.strip_prefix("motion").unwrap_or(&inner);
            MotionError::value(format!("{place}{inner}"), what)
        }
        other => other,
    }
}
