//! Bonds and ties between points of two blocks.

use drystone_model::TieLaw;
use glam::DVec3;

use super::{
    super::{
        TieState,
        bonds::{BondState, Cohesive, Strained},
    },
    points::{Moving, Pull, pulls},
};

/// Two points, each fixed to a block, that something acts between.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// Places of the blocks in their part.
    pub(super) blocks: [u32; 2],
    /// From the centres, in axes of the blocks.
    pub(super) arms: [DVec3; 2],
}

/// Where they are now.
struct Placed {
    arms: [DVec3; 2],
    /// From the first point to the second, and how fast it changes.
    apart: DVec3,
    velocity: DVec3,
}

impl Ends {
    fn placed(&self, blocks: &[Moving]) -> (Placed, [Moving; 2]) {
        let of = self.blocks.map(|b| blocks[b as usize]);
        let arms = [0, 1].map(|side| of[side].axes() * self.arms[side]);
        let placed = Placed {
            arms,
            apart: of[1].center() - of[0].center() + (arms[1] - arms[0]),
            velocity: of[1].at(arms[1]) - of[0].at(arms[0]),
        };
        (placed, of)
    }
}

/// A bonded point.
#[derive(Clone, Debug)]
pub(super) struct Bond {
    pub(super) index: u32,
    ends: Ends,
    /// In axes of the first block.
    normal: DVec3,
    law: Cohesive,
    pub(super) state: BondState,
    /// Its dashpots over its stiffnesses (s).
    dashpots: f64,
    /// What presses beside it (N), from contacts.
    pub(super) compression: f64,
    /// Force of its dashpots in the last step.
    damped: DVec3,
    /// What damage and dashpots took, and what supports gave, since the last look (J).
    pub(super) taken: f64,
    pub(super) given: f64,
}

impl Bond {
    pub(super) fn new(index: u32, ends: Ends, normal: DVec3, law: Cohesive, state: BondState, dashpots: f64) -> Self {
        Self {
            index,
            ends,
            normal,
            law,
            state,
            dashpots,
            compression: 0.0,
            damped: DVec3::ZERO,
            taken: 0.0,
            given: 0.0,
        }
    }

    pub(super) fn blocks(&self) -> [u32; 2] {
        self.ends.blocks
    }

    /// What is left of it after a step, and its pull.
    pub(super) fn step(&mut self, blocks: &[Moving], dt: f64) -> [Pull; 2] {
        if self.state.damage.is_broken() {
            return Default::default();
        }
        let (at, of) = self.ends.placed(blocks);
        let normal = of[0].axes() * self.normal;
        let opening = normal.dot(at.apart);
        let slip = at.apart - opening * normal;
        let strained = Strained {
            opening,
            slip: slip.length(),
            compression: self.compression,
        };
        let before = self.state.damage.intact();
        self.state.damage = self.law.damaged(self.state.damage, &strained, dt);
        let intact = self.state.damage.intact();
        let [k_n, k_t] = self.law.stiffness.map(|k| intact * k);
        let along = normal.dot(at.velocity);
        let (tension, open) = (k_n * opening.max(0.0), if opening > 0.0 { 1.0 } else { 0.0 });
        let elastic = -tension * normal - k_t * slip;
        let dashpots = of[0].room().min(of[1].room()) * self.dashpots;
        let damped = -open * dashpots * k_n * along * normal - dashpots * k_t * (at.velocity - along * normal);
        let force = elastic + damped;
        // What is damaged releases what it held; dashpots take the mean of their forces before and after times the way.
        let whole = self.law.stiffness[0] * opening.max(0.0).powi(2) + self.law.stiffness[1] * slip.length_squared();
        self.taken += 0.5 * ((before - intact) * whole - dt * (self.damped + damped).dot(at.velocity));
        self.damped = damped;
        pulls(force, at.arms)
    }

    /// Force on the second block now, without dashpots, and what the bond holds (J).
    pub(super) fn force(&self, blocks: &[Moving]) -> (DVec3, f64) {
        if self.state.damage.is_broken() {
            return (DVec3::ZERO, 0.0);
        }
        let (at, of) = self.ends.placed(blocks);
        let normal = of[0].axes() * self.normal;
        let opening = normal.dot(at.apart);
        let slip = at.apart - opening * normal;
        let [k_n, k_t] = self.law.stiffness.map(|k| self.state.damage.intact() * k);
        let open = opening.max(0.0);
        let held = 0.5 * (k_n * open * open + k_t * slip.length_squared());
        (-k_n * open * normal - k_t * slip, held)
    }

    /// How far the two sides have slid (m).
    pub(super) fn slip(&self, blocks: &[Moving]) -> DVec3 {
        let (at, of) = self.ends.placed(blocks);
        let normal = of[0].axes() * self.normal;
        at.apart - normal.dot(at.apart) * normal
    }
}

/// A tie.
#[derive(Clone, Debug)]
pub(super) struct Tie {
    pub(super) index: u32,
    pub(super) ends: Ends,
    /// Its law, with a stiffness in any case.
    pub(super) law: TieLaw,
    pub(super) state: TieState,
}

impl Tie {
    pub(super) fn new(index: u32, ends: Ends, law: TieLaw, state: TieState) -> Self {
        Self {
            index,
            ends,
            law,
            state,
        }
    }

    /// Its pull at `time`. Gives what yielding and rupture took (J).
    pub(super) fn step(&mut self, blocks: &[Moving], time: f64) -> ([Pull; 2], f64) {
        if self.state.ruptured {
            return Default::default();
        }
        let (at, _) = self.ends.placed(blocks);
        let (plastic, held) = (self.state.plastic, self.held(blocks));
        self.state.pull(&self.law, at.apart.length(), time);
        let force = -self.state.force * at.apart.normalize_or_zero();
        let lost = if self.state.ruptured { held } else { 0.0 };
        let yielded = self.state.plastic - plastic;
        let taken = if yielded > 0.0 {
            self.law.yield_force * yielded
        } else {
            0.0
        };
        (pulls(force, at.arms), taken + lost)
    }

    /// What it holds now (J).
    pub(super) fn held(&self, blocks: &[Moving]) -> f64 {
        if self.state.ruptured {
            return 0.0;
        }
        let (at, _) = self.ends.placed(blocks);
        let force = self.state.force_at(&self.law, at.apart.length());
        0.5 * force * force / self.law.stiffness
    }
}
