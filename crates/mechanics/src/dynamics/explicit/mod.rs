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
mod points;
mod stable;
mod team;

use std::sync::{PoisonError, RwLock};

use drystone_cone::{
    Contact, Twist,
    lanes::{Four, four, get, run, set},
};
use drystone_contact::Placement;
use glam::{DMat3, DQuat, DVec3};

use self::{
    blocks::{Block, End, Kind},
    links::{Bond, Ends, Tie},
    points::{Contacts, Moving, Pull, Quad, Shared, Stated},
    team::Meeting,
};
use super::{
    TieState,
    bonds::{BondState, Bonds},
    springs::Spring,
};
use crate::{Structure, dynamics::ExplicitSettings};
pub(super) use stable::Shapes;
pub use stable::StableStep;

/// A place in one of the lists of the parts that threads work on.
#[derive(Clone, Copy, Debug, Default)]
struct At {
    part: u32,
    place: u32,
}

/// Quads after which work may go to another thread: sums are taken over as many of them, whoever takes them.
const CHUNK: usize = 64;
/// Contacts that are worth another thread.
const WORTH: usize = 600;
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

/// What an engine is made of: a structure where it is, with its contacts as stated.
pub(super) struct Loaded<'a> {
    pub(super) structure: &'a Structure,
    pub(super) settings: &'a ExplicitSettings,
    pub(super) placements: &'a [Placement],
    pub(super) velocities: &'a [Twist],
    /// Blocks that are not there.
    pub(super) absent: &'a [bool],
    /// Whether a block is a support that follows a motion.
    pub(super) is_driven: &'a dyn Fn(usize) -> bool,
    pub(super) contacts: &'a [Contact],
    pub(super) springs: &'a [Spring],
    /// Which contacts slid.
    pub(super) slid: &'a [bool],
    pub(super) bonds: &'a Bonds,
    pub(super) bond_states: &'a [BondState],
    pub(super) ties: &'a [TieState],
    pub(super) threads: usize,
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
    /// A structure where it is, with its contacts as they are stated. `last` is its stable step as it
    /// was, and `shapes` its fastest motions, kept from one time to the next; nothing is kept where these are empty.
    pub(super) fn load(loaded: &Loaded<'_>, last: StableStep, shapes: &mut Shapes) -> Self {
        let structure = loaded.structure;
        let stable = match shapes[0].is_empty() {
            true => None,
            false => last.again(loaded),
        };
        let stable = stable.unwrap_or_else(|| StableStep::new(loaded, shapes));
        let threads = (loaded.contacts.len() / WORTH).clamp(1, loaded.threads.clamp(1, THREADS));
        let mut engine = Self::default();
        let (quads, chunks) = engine.place(loaded, threads);
        engine.add_blocks(loaded, &stable);
        engine.add_quads(loaded, &stable, &quads, &chunks);
        engine.add_links(loaded, &stable);
        engine.add_ends(structure.len());
        engine.stable = stable;
        engine
    }

    /// Groups contacts into quads and these into chunks of whole joints; shares chunks and blocks among threads. Gives the contacts of each quad, and
    /// the quads of each chunk.
    fn place(&mut self, loaded: &Loaded<'_>, threads: usize) -> (Vec<[u32; 2]>, Vec<[u32; 2]>) {
        let contacts = loaded.contacts;
        let is_same = |a: &Contact, b: &Contact| a.bodies == b.bodies && a.normal == b.normal;
        let mut quads: Vec<[u32; 2]> = Vec::with_capacity(contacts.len() / 3);
        let mut chunks: Vec<[u32; 2]> = vec![];
        let mut begun = 0;
        for (k, contact) in contacts.iter().enumerate() {
            if contact.bodies.iter().any(|&b| loaded.absent[b as usize]) {
                continue;
            }
            let last = quads.last_mut().filter(|q| q[1] as usize == k);
            match last {
                Some(q) if q[1] - q[0] < 4 && is_same(&contacts[q[0] as usize], contact) => q[1] += 1,
                other => {
                    let is_new_pair = other.is_none_or(|q| contacts[q[0] as usize].bodies != contact.bodies);
                    if is_new_pair && quads.len() - begun >= CHUNK {
                        chunks.push([begun as u32, quads.len() as u32]);
                        begun = quads.len();
                    }
                    quads.push([k as u32, k as u32 + 1]);
                }
            }
        }
        if begun < quads.len() {
            chunks.push([begun as u32, quads.len() as u32]);
        }
        self.parts = (0..threads).map(|_| Part::default()).collect();
        let n = loaded.structure.len();
        // Blocks are shared by number: those of a model are often in the order in which they were built.
        self.of_block = (0..n)
            .map(|b| {
                let part = b * threads / n;
                At {
                    part: part as u32,
                    place: (b - (part * n).div_ceil(threads)) as u32,
                }
            })
            .collect();
        (quads, chunks)
    }

    fn add_blocks(&mut self, loaded: &Loaded<'_>, stable: &StableStep) {
        let structure = loaded.structure;
        let mut moving: Vec<Vec<Moving>> = self.parts.iter().map(|_| Vec::new()).collect();
        for b in 0..structure.len() {
            let part = self.of_block[b].part as usize;
            let (Placement { center, rotation }, velocity) = (loaded.placements[b], loaded.velocities[b]);
            let kind = match (structure.fixed[b], (loaded.is_driven)(b)) {
                (false, _) if !loaded.absent[b] => Kind::Free,
                (true, true) => Kind::Driven,
                _ => Kind::Still,
            };
            let axes = DMat3::from_quat(rotation);
            let more = stable.scaled(b);
            let inertia = more * structure.inertia[b];
            moving[part].push(Moving {
                center,
                axes,
                room: 1.0,
                linear: if kind == Kind::Still {
                    DVec3::ZERO
                } else {
                    velocity.linear
                },
                angular: if kind == Kind::Still {
                    DVec3::ZERO
                } else {
                    velocity.angular
                },
            });
            self.parts[part].blocks.push(Block {
                index: b as u32,
                kind,
                mass: more * structure.mass[b],
                inverse: inertia.inverse(),
                rotation,
                momentum: axes * (inertia * (axes.transpose() * velocity.angular)),
                weight: structure.mass[b] * structure.gravity,
                load: [DVec3::ZERO; 2],
                pulls: [0; 2],
                input: 0.0,
                damped: 0.0,
                unbalanced: 0.0,
                radius: structure.radius[b],
                room: stable.room(b),
            });
        }
        self.moving = moving.into_iter().map(RwLock::new).collect();
    }

    fn add_quads(&mut self, loaded: &Loaded<'_>, stable: &StableStep, quads: &[[u32; 2]], chunks: &[[u32; 2]]) {
        let threads = self.parts.len();
        let mut points = Vec::with_capacity(4);
        with_all(&self.moving, |moving| {
            for (c, &[first, end]) in chunks.iter().enumerate() {
                let part = &mut self.parts[c * threads / chunks.len()];
                for &[k, last] in &quads[first as usize..end as usize] {
                    let of = k as usize..last as usize;
                    let contact = &loaded.contacts[of.start];
                    let law = loaded.structure.law(contact.bodies);
                    let Some(stiffness) = law.stiffness else { continue };
                    let blocks = contact.bodies.map(|b| self.of_block[b as usize]);
                    let dashpot = stable.dashpot(contact.bodies);
                    let tangential = stiffness.tangential / stiffness.normal;
                    let shared = Shared {
                        blocks,
                        normal: contact.normal,
                        tangential,
                        dashpots: [dashpot, dashpot * tangential.sqrt()],
                        friction: [law.friction, law.sticking_friction()],
                    };
                    points.clear();
                    points.extend(of.clone().map(|i| Stated {
                        point: loaded.contacts[i].point,
                        gap: loaded.contacts[i].gap,
                        stiffness: stiffness.normal * loaded.springs[i].area,
                        slip: loaded.contacts[i].slip,
                        slides: loaded.slid.get(i) == Some(&true),
                    }));
                    let of_blocks = blocks.map(|at| &moving[at.part as usize][at.place as usize]);
                    let mut quad = Quad::new(k, &shared, of_blocks, &points);
                    let bonds = of.map(|i| loaded.bonds.nearest.get(i).copied().flatten());
                    let mut of_points = [u32::MAX; 4];
                    of_points
                        .iter_mut()
                        .zip(bonds)
                        .for_each(|(at, k)| *at = k.unwrap_or(u32::MAX));
                    if of_points != [u32::MAX; 4] {
                        quad.bonded = part.bonded.len() as u32;
                        part.bonded.push(part.quads.len() as u32);
                        part.bond_of.push(of_points);
                        part.dry.push(four(1.0));
                        part.pressed.push(four(0.0));
                    }
                    part.quads.push(quad);
                }
                part.chunks.push(part.quads.len() as u32);
                part.taken.push([0.0; 2]);
            }
        });
    }

    /// Bonds go with the quads of their joint, ties with the first part.
    fn add_links(&mut self, loaded: &Loaded<'_>, stable: &StableStep) {
        let structure = loaded.structure;
        let mut part_of_bond = vec![0; loaded.bonds.bonds.len()];
        let mut of_pair = std::collections::BTreeMap::new();
        for (p, part) in self.parts.iter().enumerate() {
            for quad in part.bonded.iter().map(|&q| &part.quads[q as usize]) {
                of_pair.insert(loaded.contacts[quad.first as usize].bodies, p);
            }
        }
        for (k, bond) in loaded.bonds.bonds.iter().enumerate() {
            part_of_bond[k] = of_pair.get(&bond.blocks).copied().unwrap_or(0);
        }
        let mut place = vec![u32::MAX; part_of_bond.len()];
        for (k, bond) in loaded.bonds.bonds.iter().enumerate() {
            if bond.blocks.iter().any(|&b| loaded.absent[b as usize]) {
                continue;
            }
            let part = &mut self.parts[part_of_bond[k]];
            place[k] = part.bonds.len() as u32;
            let ends = Ends {
                blocks: bond.blocks.map(|b| self.of_block[b as usize]),
                arms: bond.arms,
            };
            let state = loaded.bond_states[k];
            let dashpot = stable.dashpot(bond.blocks);
            part.bonds
                .push(Bond::new(k as u32, ends, bond.normal, bond.law, state, dashpot));
        }
        for part in &mut self.parts {
            for (of, dry) in part.bond_of.iter_mut().zip(&mut part.dry) {
                for (lane, bond) in of.iter_mut().enumerate() {
                    *bond = place.get(*bond as usize).copied().unwrap_or(u32::MAX);
                    if let Some(bond) = part.bonds.get(*bond as usize) {
                        set(dry, lane, 1.0 - bond.state.damage.intact());
                    }
                }
            }
        }
        for (tie, state) in structure.ties.iter().zip(loaded.ties) {
            let ends = Ends {
                blocks: tie.blocks.map(|b| self.of_block[b as usize]),
                arms: [0, 1].map(|side| tie.ends[side] - structure.center[tie.blocks[side] as usize]),
            };
            let law = stable.tie_law(&tie.law);
            self.parts[0].ties.push(Tie::new(ends, law, *state));
        }
    }

    /// Tells blocks what pulls at them: contacts, bonds and ties, each in their order.
    fn add_ends(&mut self, blocks: usize) {
        let mut of_block: Vec<Vec<End>> = vec![Vec::new(); blocks];
        let mut add = |parts: &[Part], pair: [At; 2], at: At| {
            for (side, block) in (0..).zip(pair) {
                let index = parts[block.part as usize].blocks[block.place as usize].index;
                of_block[index as usize].push(End { at, side });
            }
        };
        for (p, part) in (0..).zip(&self.parts) {
            for (place, quad) in (0..).zip(&part.quads) {
                add(&self.parts, quad.blocks, At { part: p, place });
            }
        }
        let mut bonds: Vec<(u32, [At; 2], At)> = Vec::new();
        for (p, part) in (0..).zip(&self.parts) {
            let first = part.quads.len() as u32;
            let of_part = part.bonds.iter().zip(first..);
            bonds.extend(of_part.map(|(b, place)| (b.index, b.blocks(), At { part: p, place })));
        }
        bonds.sort_unstable_by_key(|(index, ..)| *index);
        bonds.iter().for_each(|(_, pair, at)| add(&self.parts, *pair, *at));
        for (p, part) in (0..).zip(&self.parts) {
            let first = (part.quads.len() + part.bonds.len()) as u32;
            for (place, tie) in (first..).zip(&part.ties) {
                add(&self.parts, tie.ends.blocks, At { part: p, place });
            }
        }
        self.pulls.clear();
        for part in &mut self.parts {
            for block in &mut part.blocks {
                let ends = &of_block[block.index as usize];
                let first = part.ends.len() as u32;
                part.ends.extend(ends);
                block.pulls = [first, part.ends.len() as u32];
            }
            let all = part.quads.len() + part.bonds.len() + part.ties.len();
            self.pulls.push(RwLock::new(vec![Pull::default(); all]));
        }
    }

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
