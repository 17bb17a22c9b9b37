//! The distinct element method: elastic joints with Coulomb friction, stepped explicitly.
//!
//! There is no system to be solved. Every step goes over the contact points, whose forces follow from where the blocks are, and
//! then over the blocks, which the forces accelerate: steps are short ([`stable`]) and cheap. Contacts lie in memory by joints, four
//! points at a time, each with what it needs, so that nothing is looked up but the two blocks; each block then gathers what
//! pulls at it in a fixed order. No number depends on how many threads share the work.

#![allow(
    clippy::needless_range_loop,
    reason = "small matrices and lanes read like the formulas they come from"
)]

mod blocks;
mod links;
mod load;
mod points;
mod stable;
mod team;

use std::sync::{PoisonError, RwLock};

use drystone_cone::{
    Twist,
    lanes::{Four, get, run, set},
};
use drystone_contact::Placement;
use glam::{DQuat, DVec3};

use self::{
    blocks::{Block, End, Kind},
    links::{Bond, Tie},
    points::{Contacts, Moving, Pull, Quad},
    team::Meeting,
};
use super::{TieState, bonds::BondState};
pub(super) use load::Loaded;
pub(super) use stable::Shapes;
pub use stable::StableStep;

/// A place in one of the lists of the parts that threads work on.
#[derive(Clone, Copy, Debug, Default)]
struct At {
    part: u32,
    place: u32,
}

/// Most threads that share a structure.
const THREADS: usize = 16;

/// Steps to be taken.
pub(super) struct Span<'a> {
    pub(super) steps: usize,
    pub(super) dt: f64,
    /// Time at the start (s).
    pub(super) time: f64,
    /// Local damping: what part of an unbalanced force acts against the velocity.
    pub(super) damping: f64,
    /// Where a support that moves is at a time.
    pub(super) drive: &'a (dyn Fn(usize, f64) -> Option<Placement> + Sync),
}

/// What joints and blocks took and were given (J).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub(super) viscous: f64,
    pub(super) friction: f64,
    pub(super) bonds: f64,
    pub(super) ties: f64,
    pub(super) input: f64,
}

/// What one thread works on.
#[derive(Debug, Default)]
struct Part {
    quads: Vec<Quad>,
    /// Where chunks end among them, and what dashpots and friction took in each.
    chunks: Vec<u32>,
    taken: Vec<[f64; 2]>,
    /// Quads with bonds, the bond of each point, the dry share of each, and what presses there.
    bonded: Vec<u32>,
    bond_of: Vec<[u32; 4]>,
    dry: Vec<Four>,
    pressed: Vec<Four>,
    bonds: Vec<Bond>,
    ties: Vec<Tie>,
    ties_taken: f64,
    blocks: Vec<Block>,
    ends: Vec<End>,
}

/// A structure that is stepped explicitly.
#[derive(Debug, Default)]
pub(super) struct Engine {
    parts: Vec<Part>,
    moving: Vec<RwLock<Vec<Moving>>>,
    pulls: Vec<RwLock<Vec<Pull>>>,
    meeting: Meeting,
    /// Where each block is.
    of_block: Vec<At>,
    pub(super) stable: StableStep,
    /// Time steps taken since the start of the run.
    pub(super) steps: u64,
}

fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// Calls with what all parts hold, as slices.
fn with_all<T, R>(locks: &[RwLock<Vec<T>>], f: impl FnOnce(&[&[T]]) -> R) -> R {
    let guards: [_; THREADS] = std::array::from_fn(|k| locks.get(k).map(read));
    let slices: [&[T]; THREADS] = std::array::from_fn(|k| guards[k].as_ref().map_or(&[][..], |g| &g[..]));
    f(&slices[..locks.len()])
}

impl Part {
    /// Forces of contacts, bonds and ties.
    fn press(&mut self, blocks: &[&[Moving]], pulls: &mut [Pull], span: &Span<'_>, time: f64) {
        let (of_quads, of_links) = pulls.split_at_mut(self.quads.len());
        let mut start = 0;
        for (&end, taken) in self.chunks.iter().zip(&mut self.taken) {
            let of = start..end as usize;
            start = of.end;
            run(Contacts {
                quads: &mut self.quads[of.clone()],
                blocks,
                pulls: &mut of_quads[of],
                dry: &self.dry,
                pressed: &mut self.pressed,
                dt: span.dt,
                taken,
            });
        }
        if !self.bonds.is_empty() {
            self.hold(blocks, &mut of_links[..self.bonds.len()], span.dt);
        }
        let of_ties = of_links[self.bonds.len()..].iter_mut();
        for (tie, pull) in self.ties.iter_mut().zip(of_ties) {
            let taken;
            (*pull, taken) = tie.step(blocks, time);
            self.ties_taken += taken;
        }
    }

    /// Forces of bonds, by what presses beside them; and what they leave to friction.
    fn hold(&mut self, blocks: &[&[Moving]], pulls: &mut [Pull], dt: f64) {
        self.bonds.iter_mut().for_each(|b| b.compression = 0.0);
        for (of, pressed) in self.bond_of.iter().zip(&self.pressed) {
            for lane in 0..4 {
                if let Some(bond) = self.bonds.get_mut(of[lane] as usize) {
                    bond.compression += get(pressed, lane);
                }
            }
        }
        for (bond, pull) in self.bonds.iter_mut().zip(pulls) {
            *pull = bond.step(blocks, dt);
        }
        for (k, of) in self.bond_of.iter().enumerate() {
            for (lane, &bond) in of.iter().enumerate() {
                let Some(bond) = self.bonds.get(bond as usize) else {
                    continue;
                };
                let (dry, before) = (1.0 - bond.state.damage.intact(), get(&self.dry[k], lane));
                if before == 0.0 && dry > 0.0 {
                    // What slid with the intact part is the slip of what is dry from now on; friction takes what is too much.
                    let slip = bond.slip(blocks);
                    let quad = &mut self.quads[self.bonded[k] as usize];
                    (0..3).for_each(|axis| set(&mut quad.slip[axis], lane, slip[axis]));
                }
                set(&mut self.dry[k], lane, dry);
            }
        }
    }

    /// Takes the steps, together with the other parts.
    fn work(&mut self, me: usize, engine: &Common<'_>, span: &Span<'_>) {
        let _here = engine.meeting.attend();
        let team = engine.pulls.len();
        for step in 0..span.steps {
            let (now, then) = ([0, 1].map(|k| span.time + (step + k) as f64 * span.dt)).into();
            with_all(engine.moving, |blocks| {
                let mut pulls = write(&engine.pulls[me]);
                self.press(blocks, &mut pulls, span, now);
            });
            if !engine.meeting.meet(team) {
                return;
            }
            with_all(engine.pulls, |pulls| {
                let mut moving = write(&engine.moving[me]);
                let Self { blocks, ends, .. } = self;
                pulp::Arch::new().dispatch(
                    #[inline(always)]
                    || {
                        for (block, now) in blocks.iter_mut().zip(moving.iter_mut()) {
                            block.step(now, ends, pulls, span, then);
                        }
                    },
                );
            });
            if !engine.meeting.meet(team) {
                return;
            }
        }
    }
}

/// What parts share.
struct Common<'a> {
    moving: &'a [RwLock<Vec<Moving>>],
    pulls: &'a [RwLock<Vec<Pull>>],
    meeting: &'a Meeting,
}

impl Engine {
    /// Says what acts on blocks beside their weight: force and couple of each.
    pub(super) fn set_loads(&mut self, forces: &[[DVec3; 2]]) {
        for block in self.parts.iter_mut().flat_map(|p| &mut p.blocks) {
            block.load = forces[block.index as usize];
        }
    }

    /// Takes some steps.
    pub(super) fn run(&mut self, span: &Span<'_>) {
        self.meeting.reset();
        for (part, moving) in self.parts.iter().zip(&self.moving) {
            let mut moving = write(moving);
            let free = part.blocks.iter().zip(moving.iter_mut());
            for (block, now) in free.filter(|(b, _)| b.kind == Kind::Free) {
                now.room = block.room.of(span.dt, span.damping);
            }
        }
        let common = Common {
            moving: &self.moving,
            pulls: &self.pulls,
            meeting: &self.meeting,
        };
        match &mut self.parts[..] {
            [only] => only.work(0, &common, span),
            [first, rest @ ..] => std::thread::scope(|scope| {
                for (k, part) in rest.iter_mut().enumerate() {
                    let common = &common;
                    scope.spawn(move || part.work(k + 1, common, span));
                }
                first.work(0, &common, span);
            }),
            [] => {}
        }
        self.steps += span.steps as u64;
    }

    /// Brings every free block to a stop. Gives the kinetic energy that they had (J).
    pub(super) fn halt(&mut self) -> f64 {
        let mut lost = 0.0;
        for (part, moving) in self.parts.iter_mut().zip(&self.moving) {
            for (block, now) in part.blocks.iter_mut().zip(write(moving).iter_mut()) {
                if block.kind == Kind::Free {
                    lost += 0.5 * (block.mass * now.linear.length_squared() + block.momentum.dot(now.angular));
                    (now.linear, now.angular, block.momentum) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
                }
            }
        }
        lost
    }

    /// Tells where blocks are and how they move: index, placement and velocity of each.
    pub(super) fn blocks(&self, mut tell: impl FnMut(usize, Placement, Twist)) {
        for (part, moving) in self.parts.iter().zip(&self.moving) {
            for (block, now) in part.blocks.iter().zip(read(moving).iter()) {
                let rotation: DQuat = block.rotation;
                let center = now.center;
                let velocity = Twist {
                    linear: now.linear,
                    // By the momentum: blocks that are handed on keep it.
                    angular: match block.kind {
                        Kind::Free => block.spin(now.axes, block.momentum),
                        _ => now.angular,
                    },
                };
                tell(block.index as usize, Placement { center, rotation }, velocity);
            }
        }
    }

    /// Tells how contacts are: index, point, normal, gap, elastic slip, force on the second block, velocity of it against
    /// the first.
    pub(super) fn contacts(&self, mut tell: impl FnMut(usize, &Point)) {
        with_all(&self.moving, |moving| {
            for part in &self.parts {
                for quad in &part.quads {
                    let of = quad.blocks.map(|at| &moving[at.part as usize][at.place as usize]);
                    let normal = quad.normal(of);
                    for lane in 0..quad.count as usize {
                        let arms = quad.arms(of, lane);
                        let (gap, slip) = (quad.gap(of, lane), quad.slip(lane));
                        let stiffness = quad.at(&quad.stiffness, lane);
                        let dry = match quad.bonded {
                            Quad::DRY => 1.0,
                            k => get(&part.dry[k as usize], lane),
                        };
                        let (beyond, damped) = quad.lost(lane);
                        let tangential = quad.tangential * dry * stiffness;
                        let bears = if gap < 0.0 {
                            (beyond - stiffness * gap).max(0.0)
                        } else {
                            0.0
                        };
                        let across = if gap < 0.0 {
                            damped - tangential * slip
                        } else {
                            DVec3::ZERO
                        };
                        let point = Point {
                            point: 0.5 * (of[0].center + arms[0] + of[1].center + arms[1]),
                            normal,
                            gap,
                            slip,
                            force: bears * normal + across,
                            velocity: of[1].at(arms[1]) - of[0].at(arms[0]),
                            slides: quad.slides >> lane & 1 == 1,
                            stiffness: [stiffness, tangential],
                        };
                        tell(quad.first as usize + lane, &point);
                    }
                }
            }
        });
    }

    /// Tells how bonds are: index, state, force on the second block and what it holds (J).
    pub(super) fn bonds(&self, mut tell: impl FnMut(usize, &BondState, DVec3, f64)) {
        with_all(&self.moving, |moving| {
            for bond in self.parts.iter().flat_map(|p| &p.bonds) {
                let (force, held) = bond.force(moving);
                tell(bond.index as usize, &bond.state, force, held);
            }
        });
    }

    /// Tells how ties are, in their order, and what each holds (J).
    pub(super) fn ties(&self, mut tell: impl FnMut(usize, &TieState, f64)) {
        with_all(&self.moving, |moving| {
            for (k, tie) in self.parts.iter().flat_map(|p| &p.ties).enumerate() {
                tell(k, &tie.state, tie.held(moving));
            }
        });
    }

    /// What was taken and given since the last look.
    pub(super) fn take_spent(&mut self) -> Spent {
        let mut spent = Spent::default();
        for part in &mut self.parts {
            for taken in &mut part.taken {
                let [viscous, friction] = std::mem::take(taken);
                spent.viscous += viscous;
                spent.friction += friction;
            }
        }
        for part in &mut self.parts {
            spent.bonds += part.bonds.iter_mut().map(|b| std::mem::take(&mut b.taken)).sum::<f64>();
            spent.ties += std::mem::take(&mut part.ties_taken);
        }
        for block in self.parts.iter_mut().flat_map(|p| &mut p.blocks) {
            spent.input += std::mem::take(&mut block.input);
            spent.viscous += std::mem::take(&mut block.damped);
        }
        spent
    }

    /// The largest force on a free block that nothing balanced in the last step (N).
    pub(super) fn unbalanced(&self) -> f64 {
        let blocks = self.parts.iter().flat_map(|p| &p.blocks);
        blocks
            .filter(|b| b.kind == Kind::Free)
            .map(|b| b.unbalanced)
            .fold(0.0, f64::max)
    }
}

/// A contact point as it is.
pub(super) struct Point {
    pub(super) point: DVec3,
    pub(super) normal: DVec3,
    pub(super) gap: f64,
    pub(super) slip: DVec3,
    pub(super) force: DVec3,
    pub(super) velocity: DVec3,
    pub(super) slides: bool,
    /// Along the normal and across it (N/m).
    pub(super) stiffness: [f64; 2],
}
