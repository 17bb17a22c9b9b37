//! Loads beside gravity, by block, as functions of time.

use drystone_contact::Placement;
use drystone_model::{Model, motion::Multiplier};
use glam::DVec3;

use super::SimulationError;
use crate::Structure;

/// A force and a couple on one block.
#[derive(Clone, Debug)]
struct Load {
    block: u32,
    force: DVec3,
    /// Where it acts, from the block's centre, in the axes of the block as it stood at first.
    arm: DVec3,
    couple: DVec3,
    /// Whether it acts at a point, and not on the whole block.
    is_at_point: bool,
    /// Which of the histories it follows.
    history: u32,
}

/// Loads that act together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loads {
    loads: Vec<Load>,
    histories: Vec<Multiplier>,
}

impl Loads {
    /// The load cases of a model that are named.
    pub(crate) fn new(model: &Model, structure: &Structure, names: &[String]) -> Result<Self, SimulationError> {
        let mut all = Self::default();
        for name in names {
            let case = model.load_cases.get(name).ok_or_else(|| SimulationError::NoSuchLoad {
                name: name.clone(),
                known: model.load_cases.keys().cloned().collect::<Vec<_>>().join(", "),
            })?;
            let history = all.histories.len() as u32;
            all.histories.push(case.multiplier()?);
            for load in structure.loads_of(model, name, case)? {
                let center = structure.center[load.block];
                all.loads.push(Load {
                    block: load.block as u32,
                    force: load.force,
                    arm: load.at.map_or(DVec3::ZERO, |at| at - center),
                    couple: load.couple,
                    is_at_point: load.at.is_some(),
                    history,
                });
            }
        }
        Ok(all)
    }

    /// When the loads change no more (s), or `None` where one goes on changing for ever.
    pub(crate) fn end(&self) -> Option<f64> {
        self.histories
            .iter()
            .try_fold(0.0, |end: f64, history| Some(end.max(history.end()?)))
    }

    /// Adds force and couple on each block, each load case times a factor.
    pub(crate) fn add_by_factors(&self, factors: &[f64], placements: &[Placement], forces: &mut [[DVec3; 2]]) {
        for load in &self.loads {
            self.add_one(load, factors[load.history as usize], placements, forces);
        }
    }

    /// Adds the mean force and couple on each block over a step.
    pub(crate) fn add(&self, from: f64, to: f64, placements: &[Placement], forces: &mut [[DVec3; 2]]) {
        for load in &self.loads {
            let factor = self.histories[load.history as usize].mean(from, to);
            self.add_one(load, factor, placements, forces);
        }
    }

    /// Impulses over a step of `dt` of the loads that act at a point of a block: block, point and impulse in the axes of the block.
    /// `factors` are those of the load cases.
    pub(crate) fn impulses(
        &self,
        factors: impl Fn(usize) -> f64,
        dt: f64,
        placements: &[Placement],
        mut add: impl FnMut(usize, DVec3, DVec3),
    ) {
        for load in self.loads.iter().filter(|l| l.is_at_point) {
            let b = load.block as usize;
            let force = placements[b].rotation.conjugate() * (factors(load.history as usize) * load.force);
            add(b, load.arm, dt * force);
        }
    }

    /// Number of load cases.
    pub(crate) fn cases(&self) -> usize {
        self.histories.len()
    }

    /// Mean factor of a load case over a step.
    pub(crate) fn factor(&self, case: usize, from: f64, to: f64) -> f64 {
        self.histories[case].mean(from, to)
    }

    fn add_one(&self, load: &Load, factor: f64, placements: &[Placement], forces: &mut [[DVec3; 2]]) {
        let b = load.block as usize;
        let arm = placements[b].rotation * load.arm;
        forces[b][0] += factor * load.force;
        forces[b][1] += factor * (load.couple + arm.cross(load.force));
    }
}
