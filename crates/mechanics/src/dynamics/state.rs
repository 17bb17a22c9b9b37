//! What a simulation is at one time: all that a checkpoint holds.

use drystone_cone::Twist;
use drystone_contact::Placement;
use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{Deformed, Energies, Peak, SimulationError, TieState, bonds::BondState, checkpoint, memory::Memory};
use crate::Structure;

/// A structure at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Steps taken.
    pub step: u64,
    /// Time in units of the shortest step, from which the time follows without rounding errors that add up.
    pub(crate) tick: u64,
    /// Time (s).
    pub time: f64,
    /// How many times the longest step is halved now.
    pub(crate) level: u32,
    /// Where blocks are.
    pub placements: Vec<Placement>,
    /// How blocks move; supports as over the last step.
    pub velocities: Vec<Twist>,
    /// Velocities of the ground over the last step, where the axes move with it.
    pub(crate) ground: DVec3,
    /// Energies.
    pub energies: Energies,
    /// Largest displacement and speed of each block since the start; zero for supports.
    pub peaks: Vec<Peak>,
    /// What ties remember, in the order of the model.
    pub(crate) ties: Vec<TieState>,
    /// How blocks are deformed, those that can be, in the order of the structure.
    pub(crate) elastic: Vec<Deformed>,
    pub(crate) memory: Memory,
    /// Damage of bonded points, in the order in which the structure has them.
    pub(crate) bonds: Vec<BondState>,
    /// Whether nothing moves and nothing will until something acts that did not.
    pub at_rest: bool,
    /// The same for each block: it rests, with all that it touches. Never for supports.
    pub resting: Vec<bool>,
}

impl State {
    /// What ties remember, in the order of the model.
    pub fn ties(&self) -> &[TieState] {
        &self.ties
    }

    /// How blocks are deformed, in the order of [`ElasticBlocks::blocks`](crate::deformable::ElasticBlocks::blocks).
    pub fn deformed(&self) -> &[Deformed] {
        &self.elastic
    }

    /// Velocity of the second block against the first at a point (m/s).
    pub(crate) fn relative_velocity(&self, blocks: [u32; 2], point: DVec3) -> DVec3 {
        let [first, second] = blocks.map(|b| {
            let b = b as usize;
            self.velocities[b].at(point - self.placements[b].center)
        });
        second - first
    }

    /// Ends a step of some ticks at a time, with the velocity that the ground had in it.
    pub(crate) fn end_step(&mut self, structure: &Structure, ticks: u64, time: f64, ground: DVec3) {
        self.ground = ground;
        self.step += 1;
        self.tick += ticks;
        self.time = time;
        self.energies.measure(structure, &self.placements, &self.velocities);
    }

    /// The state as bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SimulationError> {
        checkpoint::to_bytes(self)
    }

    /// A state from bytes that [`Self::to_bytes`] made.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SimulationError> {
        checkpoint::from_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_survives_as_bytes_and_damage_is_noticed() {
        let state = State {
            step: 17,
            time: 0.1 + 0.2,
            placements: vec![Placement::at(DVec3::new(1.0, f64::MIN_POSITIVE, -3.5e300))],
            velocities: vec![Twist {
                linear: DVec3::X,
                angular: DVec3::new(-0.0, 1e-310, 2.0),
            }],
            ..State::default()
        };
        let mut bytes = state.to_bytes().unwrap();
        assert_eq!(State::from_bytes(&bytes).unwrap(), state);
        *bytes.last_mut().unwrap() ^= 1;
        let error = State::from_bytes(&bytes).unwrap_err().to_string();
        assert!(error.contains("damaged"), "{error}");
        assert!(
            State::from_bytes(b"what?")
                .unwrap_err()
                .to_string()
                .contains("no checkpoint")
        );
    }
}
