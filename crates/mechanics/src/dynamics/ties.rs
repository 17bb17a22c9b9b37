//! Ties in a step: how they are stated as links, and what they remember.
//!
//! A tie's force is `f = k (length - rest length - plastic elongation)`, at the end of the step, and stays between 0 and the
//! yield force Y. A one-way link has one bound. So a tie that yields is stated from below, as a spring that only pulls,
//!
//! ```text
//! f = r,       r >= 0,  r >= k (length - rest length),      complementary
//! ```
//!
//! or from above, as a constant pull Y that a spring which only pushes takes back from:
//!
//! ```text
//! f = Y - r,   r >= 0,  r >= Y - k (length - rest length),  complementary.
//! ```
//!
//! Between the bounds both say the same, and each keeps one of them exactly. Which one a step needs is seen from its solution:
//! where the bound that was left out does not hold, the step is solved again with the tie stated the other way.

use drystone_cone::Link;
use drystone_contact::Placement;
use drystone_model::TieLaw;
use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::springs::stored_in_link;
use crate::{Structure, TieLine};

/// What a tie is at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TieState {
    /// Force over the last step, positive where it pulls (N).
    pub force: f64,
    /// By how much it grew longer for ever as it yielded (m).
    pub plastic: f64,
    /// Whether it broke.
    pub ruptured: bool,
    /// The force that was largest in size since the start (N), and when (s).
    pub peak_force: f64,
    /// See [`Self::peak_force`].
    pub peak_time: f64,
}

/// What a tie does at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieStatus {
    /// It carries nothing.
    Slack,
    /// It carries a force within its strength.
    Bears,
    /// It carries its yield force.
    Yields,
    /// It broke.
    Ruptured,
}

impl TieStatus {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slack => "slack",
            Self::Bears => "bears",
            Self::Yields => "yields",
            Self::Ruptured => "ruptured",
        }
    }
}

impl TieState {
    /// A tie of the length that it is drawn with.
    fn drawn(law: &TieLaw) -> Self {
        let force = match law.stiffness.is_finite() {
            true => force_at(law, law.drawn_length, 0.0),
            false => 0.0,
        };
        Self {
            force,
            peak_force: force,
            ..Self::default()
        }
    }

    /// The force at a length (N), of a tie that has a stiffness.
    pub(crate) fn force_at(&self, law: &TieLaw, length: f64) -> f64 {
        force_at(law, length, self.plastic)
    }

    /// Follows a length: the tie pulls, yields or breaks.
    pub(crate) fn pull(&mut self, law: &TieLaw, length: f64, time: f64) {
        self.force = self.force_at(law, length);
        if self.force.abs() > self.peak_force.abs() {
            (self.peak_force, self.peak_time) = (self.force, time);
        }
        self.settle(law, length);
        if length - law.drawn_length >= law.rupture {
            (self.force, self.ruptured) = (0.0, true);
        }
    }

    /// What the tie does.
    pub fn status(&self, law: &TieLaw) -> TieStatus {
        if self.ruptured {
            TieStatus::Ruptured
        } else if self.force == 0.0 {
            TieStatus::Slack
        } else if self.force >= (1.0 - 1e-9) * law.yield_force {
            TieStatus::Yields
        } else {
            TieStatus::Bears
        }
    }
}

/// The force of an elastic tie at a length (N), within its bounds.
fn force_at(law: &TieLaw, length: f64, plastic: f64) -> f64 {
    let force = law.stiffness * (length - law.rest_length - plastic);
    let least = if law.pushes { f64::NEG_INFINITY } else { 0.0 };
    force.max(least).min(law.yield_force)
}

/// The ties of a step as they were stated.
#[derive(Debug, Default)]
pub(crate) struct StatedTies {
    /// The tie of each link: those that broke have none.
    ties: Vec<u32>,
    /// By tie: whether it is stated from above, from its yield force.
    from_above: Vec<bool>,
    /// Constant pull of each link over the step (N s): the yield force of what is stated from above, otherwise zero.
    pub(crate) pulls: Vec<f64>,
    /// Force and couple of these on each block; empty where there are none.
    forces: Vec<[DVec3; 2]>,
    /// What each link holds at the end of the step (J).
    pub(crate) held: Vec<f64>,
    kept: Vec<f64>,
}

impl StatedTies {
    /// Chooses how ties are stated at first: as they came out of the last step.
    pub(crate) fn choose(&mut self, structure: &Structure, states: &[TieState]) {
        let ties = structure.ties.iter().zip(states);
        self.from_above.clear();
        self.from_above
            .extend(ties.map(|(tie, state)| state.force > 0.5 * tie.law.yield_force));
    }

    /// States the ties as links for blocks where they are now. `guesses` are impulses of the ties to start from.
    pub(crate) fn state(
        &mut self,
        structure: &Structure,
        placements: &[Placement],
        states: &[TieState],
        guesses: &[f64],
        dt: f64,
        links: &mut Vec<Link>,
    ) {
        links.clear();
        self.ties.clear();
        self.pulls.clear();
        self.forces.clear();
        for (k, (tie, state)) in structure.ties.iter().zip(states).enumerate() {
            if state.ruptured {
                continue;
            }
            let is_above = self.from_above.get(k) == Some(&true);
            let ends = structure.tie_ends(tie, placements);
            let pull = if is_above { tie.law.yield_force * dt } else { 0.0 };
            let guess = guesses.get(k).copied().unwrap_or(0.0);
            let mut link = tie.link(ends, state.plastic, is_above, dt);
            link.guess = if is_above { (pull - guess).max(0.0) } else { guess };
            if is_above {
                self.forces.resize(structure.len(), [DVec3::ZERO; 2]);
                for (side, sign) in [(0, 1.0), (1, -1.0)] {
                    let block = tie.blocks[side] as usize;
                    let force = sign * tie.law.yield_force * link.force;
                    let arm = ends[side] - placements[block].center;
                    self.forces[block][0] += force;
                    self.forces[block][1] += arm.cross(force);
                }
            }
            self.ties.push(k as u32);
            self.pulls.push(pull);
            links.push(link);
        }
    }

    /// Where the ends of a link are that is a tie.
    pub(crate) fn ends(&self, link: usize, structure: &Structure, placements: &[Placement]) -> Option<[DVec3; 2]> {
        let tie = &structure.ties[*self.ties.get(link)? as usize];
        Some(structure.tie_ends(tie, placements))
    }

    /// A force and couple on a block, with the constant pulls.
    pub(crate) fn with_pulls(&self, block: usize, [force, couple]: [DVec3; 2]) -> [DVec3; 2] {
        match self.forces.get(block) {
            Some(pull) => [force + pull[0], couple + pull[1]],
            None => [force, couple],
        }
    }

    /// Impulses of the ties, each with its index, by those of the links.
    fn impulses<'a>(&'a self, links: &'a [f64]) -> impl Iterator<Item = (usize, f64)> + 'a {
        let all = self.ties.iter().zip(links).zip(&self.pulls);
        all.map(|((&tie, &impulse), &pull)| {
            let total = if pull > 0.0 { pull - impulse } else { impulse };
            (tie as usize, total)
        })
    }

    /// Turns round how ties are stated whose force came out beyond the bound that was left out: all of them, or the first.
    /// Whether there is one.
    pub(crate) fn turn(&mut self, structure: &Structure, links: &[f64], dt: f64, only_first: bool) -> bool {
        let is_beyond = |(tie, impulse): (usize, f64)| {
            let most = structure.ties[tie].law.yield_force * dt;
            let left_out = if self.from_above[tie] { -impulse } else { impulse - most };
            (left_out > 1e-12 * most).then_some(tie)
        };
        if self.from_above.is_empty() {
            return false;
        }
        let found: Vec<usize> = self.impulses(links).filter_map(is_beyond).collect();
        for &tie in found.iter().take(if only_first { 1 } else { found.len() }) {
            self.from_above[tie] = !self.from_above[tie];
        }
        !found.is_empty()
    }

    /// Impulses of a step that was solved, by tie.
    pub(crate) fn kept(&mut self, links: &[f64], ties: usize) -> &[f64] {
        let mut kept = std::mem::take(&mut self.kept);
        kept.clear();
        kept.resize(ties, 0.0);
        for (tie, impulse) in self.impulses(links) {
            kept[tie] = impulse;
        }
        self.kept = kept;
        &self.kept
    }

    /// What links hold at the start of a step as stated (J): those of the ties, and others after them.
    pub(crate) fn held_at_start(&self, links: &[Link], dt: f64) -> f64 {
        let pulls = self.pulls.iter().copied().chain(std::iter::repeat(0.0));
        links
            .iter()
            .zip(pulls)
            .map(|(l, pull)| held(l, pull, dt, l.offset))
            .sum()
    }

    /// Takes over what a step did to the ties, with the blocks where they are at its end: forces, plastic elongation, and
    /// which of them broke. Gives what those held (J).
    pub(crate) fn after(
        &self,
        structure: &Structure,
        placements: &[Placement],
        links: &[f64],
        [dt, time]: [f64; 2],
        states: &mut [TieState],
    ) -> f64 {
        let mut lost = 0.0;
        for (k, (tie, impulse)) in self.impulses(links).enumerate() {
            let (line, state) = (&structure.ties[tie], &mut states[tie]);
            state.force = impulse / dt;
            if state.force.abs() > state.peak_force.abs() {
                (state.peak_force, state.peak_time) = (state.force, time);
            }
            let length = structure.tie_length(line, placements);
            state.settle(&line.law, length);
            if length - line.law.drawn_length >= line.law.rupture {
                (state.force, state.ruptured) = (0.0, true);
                lost += self.held.get(k).copied().unwrap_or(0.0);
            }
        }
        lost
    }
}

impl TieState {
    /// Lets the plastic elongation follow a length beyond that at which the tie yields. The same length again changes nothing.
    pub(crate) fn settle(&mut self, law: &TieLaw, length: f64) {
        if law.yield_force.is_finite() {
            let elastic = law.yield_force / law.stiffness;
            self.plastic = self.plastic.max(length - law.rest_length - elastic);
        }
    }
}

impl TieLine {
    /// The tie as a link between two points: as a spring that pulls, or from above.
    fn link(&self, [from, to]: [DVec3; 2], plastic: f64, is_above: bool, dt: f64) -> Link {
        let (law, blocks, length) = (&self.law, self.blocks, from.distance(to));
        if law.stiffness.is_infinite() {
            return Link::rod(blocks, from, to, law.rest_length - length);
        }
        let stated = if is_above {
            let yields = law.rest_length + plastic + law.yield_force / law.stiffness;
            let pushes = Link::tie(blocks, from, to, length - yields);
            Link {
                force: -pushes.force,
                ..pushes
            }
        } else if law.pushes {
            Link::rod(blocks, from, to, law.rest_length - length)
        } else {
            Link::tie(blocks, from, to, law.rest_length + plastic - length)
        };
        Link {
            compliance: 1.0 / (law.stiffness * dt * dt),
            ..stated
        }
    }
}

impl Structure {
    /// Ties as they are drawn.
    pub(crate) fn drawn_ties(&self) -> Vec<TieState> {
        self.ties.iter().map(|tie| TieState::drawn(&tie.law)).collect()
    }

    /// Where the ends of a tie are.
    pub fn tie_ends(&self, tie: &TieLine, placements: &[Placement]) -> [DVec3; 2] {
        [0, 1].map(|side| {
            let block = tie.blocks[side] as usize;
            let p = &placements[block];
            p.center + p.rotation * (tie.ends[side] - self.center[block])
        })
    }

    /// How long a tie is (m).
    pub(crate) fn tie_length(&self, tie: &TieLine, placements: &[Placement]) -> f64 {
        let [from, to] = self.tie_ends(tie, placements);
        from.distance(to)
    }
}

/// What a link as stated holds at an offset (J): with a constant pull, the tie that it is stated from above for.
pub(crate) fn held(link: &Link, pull: f64, dt: f64, offset: f64) -> f64 {
    if pull > 0.0 {
        let stiffness = 1.0 / (link.compliance * dt * dt);
        let force = (pull / dt + stiffness * offset.min(0.0)).max(0.0);
        return 0.5 * force * force / stiffness;
    }
    stored_in_link(link, dt, offset)
}

/// What a link spends as it yields in a step that ends at an offset (J).
pub(crate) fn spent(pull: f64, dt: f64, offset: f64) -> f64 {
    if pull > 0.0 { pull / dt * offset.max(0.0) } else { 0.0 }
}
