//! Where a run begins. Joints that yield begin in equilibrium with the loads at the start, compressed by them.
//!
//! The forces are those of least elastic energy among all that balance the loads within the friction cones: one cone problem,
//! whose multipliers are the displacements. It is linear in these, so blocks are moved and it is stated again until they
//! stay. A joint that has to slide opens by it in one round (associated friction) and is closed in the next; one that would
//! slide for ever is not held. In the end springs are set to carry the forces of the last round, which balance the loads.

use drystone_cone::{Equilibrium, EquilibriumSettings, Wrench};
use glam::DVec3;

use super::{
    super::{
        Energies, Peak, SimulationError, Start,
        memory::Past,
        springs::{Held, yields},
    },
    Acting, Calming, Equilibrated, Simulation,
    equilibrate::SECOND,
    round::Round,
};

/// Rounds after which blocks that still move count as not held.
const ROUNDS: usize = 12;
/// They stay where a round moves them by no more than this fraction of what all rounds together do.
const SETTLED: f64 = 1e-6;
/// Where rounds get no further, this will do: the forces of springs are those that balance the loads in any case, at places
/// that are off by as much.
const NEARLY: f64 = 1e-2;
/// A round that moves blocks by more than this fraction of the last gets no further.
const SLOW: f64 = 0.8;

/// How an island of blocks begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begins {
    /// Where its springs balance the loads.
    Settled,
    /// As it is drawn. Forces balance the loads there, but the place where springs settle by them was not found.
    Drawn,
    /// As it is drawn, without forces: none balance the loads.
    Unbalanced,
}

impl Simulation {
    /// Brings joints that yield to where they begin. Rigid ones begin as the model has them.
    pub(super) fn begin(&mut self) -> Result<(), SimulationError> {
        if self.structure.yields() {
            self.detect_around(0.0);
            // Whatever touches does so without a force: gaps and overlaps are how the model is drawn, mortar apart.
            self.state_problem(SECOND, 1.0, 0.0);
            let contacts = self.problem.contacts.iter().zip(&mut self.springs);
            for (contact, spring) in contacts.filter(|(c, _)| yields(c)) {
                // As stated, the gap is that beyond the rest.
                spring.rest -= contact.gap;
            }
            self.remember();
            if self.settings.start == Start::Compressed {
                self.compress()?;
            }
        }
        for (tie, state) in self.structure.ties.iter().zip(&mut self.state.ties) {
            state.settle(&tie.law, self.structure.tie_length(tie, &self.state.placements));
        }
        self.state_problem(SECOND, 1.0, 0.0);
        let [held, _] = self.held();
        let state = &mut self.state;
        state.memory.links_held = self.links_held;
        state
            .memory
            .hold(self.springs_held.iter().map(|h| Held::default().after(h.energy)));
        state.energies.elastic = held;
        state
            .energies
            .measure(&self.structure, &state.placements, &state.velocities);
        state.energies.initial = state.energies.total();
        Ok(())
    }

    /// Brings blocks that deform to where they begin: into equilibrium with the loads at the start, compressed by them, or as they
    /// are drawn. Where there is none, they begin as they are drawn, and it is told.
    pub(super) fn begin_deformed(&mut self) -> Result<(), SimulationError> {
        if self.deformation.is_empty() || self.settings.start != Start::Compressed {
            return Ok(());
        }
        let settings = self.settings;
        self.settings = settings.proximal(&self.structure);
        let acting = Acting {
            gravity: self.structure.gravity,
            weights: vec![1.0; self.structure.len()],
            factors: (0..self.loads.cases())
                .map(|case| self.loads.factor(case, 0.0, 0.0))
                .collect(),
            supports: Vec::new(),
            shrinkage: self.shrinkage,
            held: None,
            closed: 0.0,
            ahead: 0.0,
        };
        let found = self.relax(&acting, Calming::Proximal);
        self.settings = settings;
        if !matches!(found?, Equilibrated::Found { .. }) {
            self.not_compressed
                .extend(self.structure.elastic.blocks.iter().map(|(b, _)| *b as usize));
            self.not_compressed.sort_unstable();
            self.not_compressed.dedup();
        }
        let state = &mut self.state;
        (state.step, state.tick, state.time, state.level) = (0, 0, 0.0, 0);
        state.peaks.fill(Peak::default());
        let energies = Energies {
            scale: state.energies.scale,
            elastic: state.energies.elastic,
            deformation: self.deformation.energy(&state.elastic),
            ..Energies::default()
        };
        state.energies = energies;
        state
            .energies
            .measure(&self.structure, &state.placements, &state.velocities);
        state.energies.initial = state.energies.total();
        Ok(())
    }

    pub(super) fn detect_around(&mut self, margin: f64) {
        self.detector.set_margin(margin);
        self.detector.detect(&self.state.placements);
    }

    /// Compresses what can be: everything at once, or else one island after the other.
    fn compress(&mut self) -> Result<(), SimulationError> {
        let islands = self.connected();
        let is_rigid = self.rigid_islands(&islands);
        let free: Vec<bool> = (0..islands.len())
            .map(|b| !(self.structure.fixed[b] || is_rigid[islands[b]]))
            .collect();
        let firsts: Vec<usize> = (0..islands.len()).filter(|&b| free[b] && islands[b] == b).collect();
        let all = self.settle(&free)?;
        if all == Begins::Settled {
            return Ok(());
        }
        for &first in &firsts {
            let island: Vec<bool> = (0..islands.len()).map(|b| free[b] && islands[b] == first).collect();
            // What is everything was tried before.
            let begins = if firsts.len() == 1 { all } else { self.settle(&island)? };
            let blocks = (0..island.len()).filter(|&b| island[b]);
            match begins {
                Begins::Settled => {}
                Begins::Drawn => {
                    self.bear_as_drawn(&island)?;
                    self.not_settled.extend(blocks);
                }
                Begins::Unbalanced => self.not_compressed.extend(blocks),
            }
        }
        self.not_settled.sort_unstable();
        self.not_compressed.sort_unstable();
        Ok(())
    }

    /// The first block of the island that each free block belongs to.
    fn connected(&self) -> Vec<usize> {
        let mut first: Vec<usize> = (0..self.structure.len()).collect();
        let touching = self.problem.contacts.iter().map(|c| c.bodies);
        let tied = self.problem.links.iter().map(|l| l.bodies);
        let pairs: Vec<[usize; 2]> = touching
            .chain(tied)
            .map(|bodies| bodies.map(|b| b as usize))
            .filter(|bodies| bodies.iter().all(|&b| !self.structure.fixed[b]))
            .collect();
        loop {
            let mut is_done = true;
            for &[a, b] in &pairs {
                let least = first[a].min(first[b]);
                is_done &= first[a] == least && first[b] == least;
                (first[a], first[b]) = (least, least);
            }
            if is_done {
                return first;
            }
        }
    }

    /// By the first block of an island: whether all of its contacts are rigid. Such an island begins as it is drawn.
    fn rigid_islands(&self, islands: &[usize]) -> Vec<bool> {
        let (mut touches, mut is_springy) = (vec![false; islands.len()], vec![false; islands.len()]);
        for contact in &self.problem.contacts {
            for first in contact.bodies.map(|b| islands[b as usize]) {
                touches[first] = true;
                is_springy[first] |= yields(contact);
            }
        }
        touches
            .iter()
            .zip(is_springy)
            .map(|(&touches, springy)| touches && !springy)
            .collect()
    }

    /// Moves an island of blocks to where springs balance the loads at the start. Where there is no such place, or it is not
    /// found, nothing has changed.
    fn settle(&mut self, island: &[bool]) -> Result<Begins, SimulationError> {
        let kept = (self.state.placements.clone(), self.state.memory.clone());
        // Explicit steps come to rest by themselves from nearby.
        let settled = if self.explicit.is_some() { NEARLY } else { SETTLED };
        let mut equilibrium = self.exact_enough();
        let (mut way, mut first, mut last) = (0.0, 0.0, 0.0);
        for round in 0..ROUNDS {
            self.detect_around(4.0 * last);
            self.state_problem(SECOND, 1.0, 0.0);
            let moved = self.settle_once(island, &mut equilibrium)?;
            let before = last;
            // NaN fails every comparison below: it is no place.
            last = moved.unwrap_or(f64::NAN);
            first = if round == 0 { last } else { first };
            if last > first {
                // A round after the first corrects it. Blocks that it moves farther are on their way elsewhere.
                last = f64::NAN;
            }
            way += last;
            let (goes_on, is_slow) = (last > settled * way, round > 0 && last > SLOW * before);
            if !goes_on || (is_slow && last <= NEARLY * way) {
                break;
            }
        }
        let is_held = last <= NEARLY * way;
        if !is_held {
            (self.state.placements, self.state.memory) = kept;
            self.detect_around(0.0);
            self.state_problem(SECOND, 1.0, 0.0);
            return Ok(match first.is_nan() {
                true => Begins::Unbalanced,
                false => Begins::Drawn,
            });
        }
        self.detect_around(4.0 * last);
        self.bear(island);
        Ok(Begins::Settled)
    }

    /// Lets the springs of an island carry, with the blocks where they are drawn, forces that balance the loads there.
    fn bear_as_drawn(&mut self, island: &[bool]) -> Result<(), SimulationError> {
        let drawn = self.state.placements.clone();
        self.detect_around(0.0);
        self.state_problem(SECOND, 1.0, 0.0);
        self.settle_once(island, &mut self.exact_enough())?;
        self.state.placements = drawn;
        self.bear(island);
        Ok(())
    }

    /// Sets the springs of an island so that they carry the forces that were found last.
    fn bear(&mut self, island: &[bool]) {
        self.state_problem(SECOND, 1.0, 0.0);
        // What a joint opened by as it slid, and what rounds left, is no compression: forces balance, and springs carry them.
        let contacts = self.problem.contacts.iter_mut().zip(&mut self.springs);
        for (contact, spring) in contacts.filter(|(c, _)| yields(c)) {
            let [normal, across] = contact.compliance;
            let force = contact.normal.dot(contact.guess);
            if force > 0.0 && contact.bodies.iter().any(|&b| island[b as usize]) {
                let left = contact.gap + normal * force;
                spring.rest -= left;
                spring.settled += (-left).max(0.0);
                contact.slip = -across * (contact.guess - force * contact.normal);
            }
        }
        self.remember();
    }

    /// Finds forces that balance the loads and the displacements that go with them, and moves the blocks of an island by these.
    /// Gives the largest; `None` where no forces do.
    fn settle_once(&mut self, island: &[bool], equilibrium: &mut Equilibrium) -> Result<Option<f64>, SimulationError> {
        self.forces.fill([DVec3::ZERO; 2]);
        self.loads.add(0.0, 0.0, &self.state.placements, &mut self.forces);
        let load = |b: usize| Wrench {
            force: self.structure.mass[b] * self.structure.gravity + self.forces[b][0],
            moment: self.forces[b][1],
        };
        let loads: Vec<Wrench> = (0..island.len()).map(load).collect();
        Ok(match self.round(island, &loads, equilibrium, None)? {
            Round::Moved { farthest, .. } => Some(farthest),
            Round::Unbalanced(..) => None,
        })
    }

    /// A solver of forces that are as exact as it can make them: what is left of them is motion. Explicit steps take that out.
    fn exact_enough(&self) -> Equilibrium {
        Equilibrium::new(EquilibriumSettings {
            tolerance: if self.explicit.is_some() { 1e-6 } else { 1e-13 },
            ..EquilibriumSettings::default()
        })
    }

    /// Keeps forces and springs of the problem as stated. What they hold is told once all is settled.
    pub(super) fn remember(&mut self) {
        let contacts = self.problem.contacts.iter().zip(&self.springs);
        let pasts = contacts.map(|(contact, &spring)| Past {
            sliding: 0.0,
            impulse: contact.guess,
            slip: contact.slip,
            spring,
            slides: false,
        });
        let links: Vec<f64> = self.problem.links.iter().map(|l| l.guess).collect();
        self.bonds.store(&links, &mut self.state.bonds);
        let links = links[..self.structure.ties.len()].iter();
        let held = std::iter::repeat(Held::ANYTHING);
        self.state
            .memory
            .store(self.detector.contacts(), pasts, held, links, SECOND);
    }
}
