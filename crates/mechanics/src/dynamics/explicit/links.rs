//! Bonds and ties between points of two blocks.

use drystone_model::TieLaw;
use glam::DVec3;

use super::{
    super::{
        TieState,
        bonds::{BondState, Cohesive, Strained},
    },
    At,
    points::{Moving, Pull},
};

/// Two points, each fixed to a block, that something acts between.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub(super) blocks: [At; 2],
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
    fn placed(&self, blocks: &[&[Moving]]) -> (Placed, [Moving; 2]) {
        let of = self.blocks.map(|at| blocks[at.part as usize][at.place as usize]);
        let arms = [0, 1].map(|side| of[side].axes * self.arms[side]);
        let placed = Placed {
            arms,
            apart: of[1].center - of[0].center + (arms[1] - arms[0]),
            velocity: of[1].at(arms[1]) - of[0].at(arms[0]),
        };
        (placed, of)
    }
}

/// What a link took over a step: the work on it by the mean of its forces, less what it holds more.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    force: DVec3,
    held: f64,
}

impl Account {
    fn step(&mut self, force: DVec3, held: f64, velocity: DVec3, dt: f64) -> f64 {
        let taken = -0.5 * dt * (self.force + force).dot(velocity) - (held - self.held);
        (self.force, self.held) = (force, held);
        taken
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
    account: Account,
    /// What damage and dashpots took since the last look (J).
    pub(super) taken: f64,
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
            account: Account::default(),
            taken: 0.0,
        }
    }

    pub(super) fn blocks(&self) -> [At; 2] {
        self.ends.blocks
    }

    /// What is left of it after a step, and its pull.
    pub(super) fn step(&mut self, blocks: &[&[Moving]], dt: f64, is_first: bool) -> Pull {
        if self.state.damage.is_broken() {
            return Pull::default();
        }
        let (at, of) = self.ends.placed(blocks);
        let normal = of[0].axes * self.normal;
        let opening = normal.dot(at.apart);
        let slip = at.apart - opening * normal;
        let strained = Strained {
            opening,
            slip: slip.length(),
            compression: self.compression,
        };
        self.state.damage = self.law.damaged(self.state.damage, &strained, dt);
        let intact = self.state.damage.intact();
        let [k_n, k_t] = self.law.stiffness.map(|k| intact * k);
        let along = normal.dot(at.velocity);
        let (pulls, open) = (k_n * opening.max(0.0), if opening > 0.0 { 1.0 } else { 0.0 });
        let elastic = -pulls * normal - k_t * slip;
        let damped =
            -open * self.dashpots * k_n * along * normal - self.dashpots * k_t * (at.velocity - along * normal);
        let held = 0.5 * (pulls * opening.max(0.0) + k_t * slip.length_squared());
        let force = elastic + damped;
        if is_first {
            self.account = Account { force, held };
        } else {
            self.taken += self.account.step(force, held, at.velocity, dt);
        }
        Pull::new(force, at.arms)
    }

    /// Force on the second block now, without dashpots, and what the bond holds (J).
    pub(super) fn force(&self, blocks: &[&[Moving]]) -> (DVec3, f64) {
        if self.state.damage.is_broken() {
            return (DVec3::ZERO, 0.0);
        }
        let (at, of) = self.ends.placed(blocks);
        let normal = of[0].axes * self.normal;
        let opening = normal.dot(at.apart);
        let slip = at.apart - opening * normal;
        let [k_n, k_t] = self.law.stiffness.map(|k| self.state.damage.intact() * k);
        let open = opening.max(0.0);
        let held = 0.5 * (k_n * open * open + k_t * slip.length_squared());
        (-k_n * open * normal - k_t * slip, held)
    }

    /// How far the two sides have slid (m).
    pub(super) fn slip(&self, blocks: &[&[Moving]]) -> DVec3 {
        let (at, of) = self.ends.placed(blocks);
        let normal = of[0].axes * self.normal;
        at.apart - normal.dot(at.apart) * normal
    }
}

/// A tie.
#[derive(Clone, Debug)]
pub(super) struct Tie {
    pub(super) ends: Ends,
    /// Its law, with a stiffness in any case.
    pub(super) law: TieLaw,
    pub(super) state: TieState,
    account: Account,
}

impl Tie {
    pub(super) fn new(ends: Ends, law: TieLaw, state: TieState) -> Self {
        Self {
            ends,
            law,
            state,
            account: Account::default(),
        }
    }

    /// Its pull at `time`. Gives what yielding and rupture took (J).
    pub(super) fn step(&mut self, blocks: &[&[Moving]], dt: f64, time: f64, is_first: bool) -> (Pull, f64) {
        if self.state.ruptured {
            return (Pull::default(), self.account.step(DVec3::ZERO, 0.0, DVec3::ZERO, dt));
        }
        let (at, _) = self.ends.placed(blocks);
        let length = at.apart.length();
        self.state.pull(&self.law, length, time);
        let force = -self.state.force * at.apart.normalize_or_zero();
        let held = 0.5 * self.state.force * self.state.force / self.law.stiffness;
        if is_first {
            self.account = Account { force, held };
        }
        let taken = self.account.step(force, held, at.velocity, dt);
        (Pull::new(force, at.arms), if is_first { 0.0 } else { taken })
    }

    /// What it holds now (J).
    pub(super) fn held(&self, blocks: &[&[Moving]]) -> f64 {
        if self.state.ruptured {
            return 0.0;
        }
        let (at, _) = self.ends.placed(blocks);
        let force = self.state.force_at(&self.law, at.apart.length());
        0.5 * force * force / self.law.stiffness
    }
}
