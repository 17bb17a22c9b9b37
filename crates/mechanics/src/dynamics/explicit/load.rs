//! An engine is made of a structure where it is: blocks in an order along the structure, in chunks of a few, with their contacts by
//! fours; consecutive chunks are shared among threads.

use std::sync::RwLock;

use drystone_cone::{
    Contact, Twist,
    lanes::{LANES, four, set},
};
use drystone_contact::Placement;
use glam::{DMat3, DVec3};

use super::{
    Chunk, Engine, Ghost, Part, Shape, Spent, StableStep,
    blocks::{self, Group, Support},
    links::{Bond, Ends, Tie},
    points::{Moving, POINTS, Pack, Pull, Shared, Stated},
};
use crate::{
    Structure,
    dynamics::{
        ExplicitSettings, TieState,
        bonds::{BondState, Bonds},
        springs::Spring,
    },
};

/// Blocks of a chunk: few, so that threads get their share, and enough to keep vector units busy.
const CHUNK: usize = 16;
/// Contacts that are worth another thread, and most threads that share a structure.
const WORTH: usize = 500;
const THREADS: usize = 64;
/// What a block costs in a step, in quads.
const BLOCK: usize = 1;

/// What an engine is made of: a structure where it is, with its contacts as stated.
pub(in crate::dynamics) struct Loaded<'a> {
    pub(in crate::dynamics) structure: &'a Structure,
    pub(in crate::dynamics) settings: &'a ExplicitSettings,
    pub(in crate::dynamics) placements: &'a [Placement],
    pub(in crate::dynamics) velocities: &'a [Twist],
    /// Blocks that are not there.
    pub(in crate::dynamics) absent: &'a [bool],
    /// Whether a block is a support that follows a motion.
    pub(in crate::dynamics) is_driven: &'a dyn Fn(usize) -> bool,
    pub(in crate::dynamics) contacts: &'a [Contact],
    pub(in crate::dynamics) springs: &'a [Spring],
    /// Length of the step that guesses of contacts are impulses over (s).
    pub(in crate::dynamics) dt: f64,
    /// Which contacts slid.
    pub(in crate::dynamics) slid: &'a [bool],
    pub(in crate::dynamics) bonds: &'a Bonds,
    pub(in crate::dynamics) bond_states: &'a [BondState],
    pub(in crate::dynamics) ties: &'a [TieState],
    pub(in crate::dynamics) threads: usize,
}

/// A support, in place of a rank.
const SUPPORT: u32 = u32::MAX;

/// What acts between two blocks, in the order of chunks: which it is, and the ranks of the two.
#[derive(Clone, Copy)]
struct Between {
    chunk: u32,
    index: u32,
    ranks: [u32; 2],
}

/// Who works on what.
struct Plan {
    /// Free blocks in their order: the rank of each is its place in it.
    order: Vec<u32>,
    supports: Vec<u32>,
    /// Contacts of each quad: the first, and one after the last.
    quads: Vec<[u32; 2]>,
    of_quads: Vec<Between>,
    of_bonds: Vec<Between>,
    of_ties: Vec<Between>,
    /// First chunk of each part, and one after the last.
    parts: Vec<usize>,
}

impl Plan {
    fn new(loaded: &Loaded<'_>) -> Self {
        let structure = loaded.structure;
        let is_free = |b: u32| !(structure.fixed[b as usize] || loaded.absent[b as usize]);
        let (mut order, supports): (Vec<u32>, Vec<u32>) = (0..structure.len() as u32).partition(|&b| is_free(b));
        // Along the longest side, as the structure stands at first: borders between threads are short, and neighbours are near in memory.
        let centers = || order.iter().map(|&b| structure.center[b as usize]);
        let low = centers().fold(DVec3::INFINITY, DVec3::min);
        let size = centers().fold(DVec3::NEG_INFINITY, DVec3::max) - low;
        let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
        let along = |b: u32| structure.center[b as usize][axis];
        order.sort_by(|&a, &b| along(a).total_cmp(&along(b)).then(a.cmp(&b)));
        let mut rank = vec![SUPPORT; structure.len()];
        for (k, &b) in (0..).zip(&order) {
            rank[b as usize] = k;
        }
        let quads = quads(loaded);
        let between = |index: usize, blocks: [u32; 2]| {
            let ranks = blocks.map(|b| rank[b as usize]);
            let first = ranks[0].min(ranks[1]);
            Between {
                // What is between supports is anybody's.
                chunk: if first == SUPPORT { 0 } else { first / CHUNK as u32 },
                index: index as u32,
                ranks,
            }
        };
        let sorted = |mut all: Vec<Between>| {
            all.sort_by_key(|b| b.chunk);
            all
        };
        let blocks_of = |q: &[u32; 2]| loaded.contacts[q[0] as usize].bodies;
        let of_quads = sorted(
            (quads.iter().enumerate())
                .map(|(k, q)| between(k, blocks_of(q)))
                .collect(),
        );
        let bonds = loaded.bonds.bonds.iter().enumerate();
        let is_there = |blocks: [u32; 2]| blocks.iter().all(|&b| !loaded.absent[b as usize]);
        let of_bonds = bonds
            .filter(|(_, b)| is_there(b.blocks))
            .map(|(k, b)| between(k, b.blocks));
        let of_bonds = sorted(of_bonds.collect());
        let ties = structure.ties.iter().enumerate();
        let of_ties = sorted(ties.map(|(k, t)| between(k, t.blocks)).collect());
        let chunks = order.len().div_ceil(CHUNK).max(1);
        let threads = (loaded.contacts.len() / WORTH)
            .clamp(1, loaded.threads.clamp(1, THREADS))
            .min(chunks);
        let parts = shares(&of_quads, chunks, threads);
        Self {
            order,
            supports,
            quads,
            of_quads,
            of_bonds,
            of_ties,
            parts,
        }
    }

    fn part_of(&self, rank: u32) -> usize {
        let chunk = rank as usize / CHUNK;
        self.parts.partition_point(|&first| first <= chunk) - 1
    }

    /// Ranks of the blocks of a part.
    fn own(&self, part: usize) -> std::ops::Range<u32> {
        let [first, end] = [part, part + 1].map(|k| (self.parts[k] * CHUNK).min(self.order.len()) as u32);
        first..end
    }

    /// Blocks of other parts that each part needs to know of, by their ranks in order.
    fn ghosts(&self) -> Vec<Vec<u32>> {
        let mut ghosts = vec![Vec::new(); self.parts.len() - 1];
        if ghosts.len() == 1 {
            return ghosts;
        }
        for between in self.of_quads.iter().chain(&self.of_bonds).chain(&self.of_ties) {
            let [a, b] = between.ranks;
            if a == SUPPORT || b == SUPPORT {
                continue;
            }
            let parts = [a, b].map(|rank| self.part_of(rank));
            if parts[0] != parts[1] {
                ghosts[parts[0]].push(b);
                ghosts[parts[1]].push(a);
            }
        }
        for of_part in &mut ghosts {
            of_part.sort_unstable();
            of_part.dedup();
        }
        ghosts
    }
}

/// Groups contacts by fours, those of a joint together.
fn quads(loaded: &Loaded<'_>) -> Vec<[u32; 2]> {
    let contacts = loaded.contacts;
    let is_same = |a: &Contact, b: &Contact| a.bodies == b.bodies && a.normal == b.normal;
    let mut quads: Vec<[u32; 2]> = Vec::with_capacity(contacts.len() / 3);
    for (k, contact) in contacts.iter().enumerate() {
        if contact.bodies.iter().any(|&b| loaded.absent[b as usize]) {
            continue;
        }
        match quads.last_mut().filter(|q| q[1] as usize == k) {
            Some(q) if q[1] - q[0] < 4 && is_same(&contacts[q[0] as usize], contact) => q[1] += 1,
            _ => quads.push([k as u32, k as u32 + 1]),
        }
    }
    quads
}

/// Shares chunks among threads, each as much work: the first chunk of each, and one after the last.
fn shares(of_quads: &[Between], chunks: usize, threads: usize) -> Vec<usize> {
    let mut cost = vec![CHUNK * BLOCK; chunks];
    of_quads.iter().for_each(|q| cost[q.chunk as usize] += 1);
    let all: usize = cost.iter().sum();
    let (mut parts, mut done) = (vec![0], 0);
    for (chunk, cost) in cost.iter().enumerate() {
        // Every part has a chunk at least.
        let left = threads - parts.len();
        if left > 0 && chunk > parts[parts.len() - 1] && (done * threads >= parts.len() * all || chunks - chunk == left)
        {
            parts.push(chunk);
        }
        done += cost;
    }
    parts.push(chunks);
    parts
}

impl Engine {
    /// A structure where it is, with its contacts as they are stated. `last` is its stable step as it
    /// was, and `shape` its fastest motion, kept from one time to the next; nothing is kept where this is empty.
    pub(in crate::dynamics) fn load(loaded: &Loaded<'_>, last: StableStep, shape: &mut Shape) -> Self {
        let stable = match shape.is_empty() {
            true => None,
            false => last.again(loaded),
        };
        let stable = stable.unwrap_or_else(|| StableStep::new(loaded, shape));
        let plan = Plan::new(loaded);
        let ghosts = plan.ghosts();
        let mut told: Vec<Vec<u32>> = vec![Vec::new(); ghosts.len()];
        let mut all: Vec<u32> = ghosts.iter().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        for rank in all {
            told[plan.part_of(rank)].push(rank);
        }
        let parts = (0..ghosts.len()).map(|p| Part::new(p, loaded, &stable, &plan, &ghosts[p], &told));
        let parts: Vec<_> = parts.collect();
        Self {
            parts,
            told: told.iter().map(|_| [RwLock::default(), RwLock::default()]).collect(),
            stable,
            ..Self::default()
        }
    }
}

impl Part {
    fn new(
        part: usize,
        loaded: &Loaded<'_>,
        stable: &StableStep,
        plan: &Plan,
        ghosts: &[u32],
        told: &[Vec<u32>],
    ) -> Self {
        let own = plan.own(part);
        let mut new = Self {
            told: told[part].iter().map(|rank| rank - own.start).collect(),
            ..Self::default()
        };
        let mut place = vec![u32::MAX; loaded.structure.len()];
        let own_blocks = &plan.order[own.start as usize..own.end as usize];
        for &b in own_blocks {
            place[b as usize] = new.moving.len() as u32;
            new.add_block(b as usize, loaded, stable);
        }
        for &rank in ghosts {
            let b = plan.order[rank as usize] as usize;
            place[b] = new.moving.len() as u32;
            new.moving.push(moving(b, loaded, true));
            let part = plan.part_of(rank);
            let found = told[part].binary_search(&rank);
            new.ghosts.push(Ghost {
                part: part as u32,
                place: found.map_or(0, |k| k as u32),
            });
        }
        for &b in &plan.supports {
            place[b as usize] = new.moving.len() as u32;
            new.add_support(b as usize, loaded);
        }
        new.sums = vec![Pull::default(); new.moving.len()];
        let mut bond_place = vec![u32::MAX; loaded.bonds.bonds.len()];
        let is_own = |between: &Between| between.ranks.iter().any(|rank| own.contains(rank));
        let mut lists = [&plan.of_quads[..], &plan.of_bonds, &plan.of_ties];
        for chunk in 0..plan.parts[part + 1] {
            let [quads, bonds, ties] = lists.each_mut().map(|list| {
                let count = list.partition_point(|b| b.chunk as usize <= chunk);
                let (here, later) = list.split_at(count);
                *list = later;
                here
            });
            let is_borrowed = chunk < plan.parts[part];
            // What is between supports is that of the first.
            let keep = |b: &&Between| !is_borrowed || is_own(b);
            let before = new.chunk_end(0);
            bonds.iter().filter(keep).for_each(|b| {
                bond_place[b.index as usize] = new.bonds.len() as u32;
                new.add_bond(b.index, &place, loaded, stable);
            });
            quads.iter().filter(keep).enumerate().for_each(|(k, q)| {
                let (of, lane) = (plan.quads[q.index as usize], k % LANES);
                if lane == 0 {
                    new.add_pack();
                }
                new.add_joint(lane, of, &place, &bond_place, loaded, stable);
            });
            ties.iter()
                .filter(keep)
                .for_each(|t| new.add_tie(t.index, &place, loaded, stable));
            let blocks = match is_borrowed {
                true => 0,
                false => (((chunk + 1) * CHUNK).min(plan.order.len()) as u32).saturating_sub(own.start),
            };
            let end = new.chunk_end(blocks);
            if is_borrowed && end.has_as_many(&before) {
                continue;
            }
            new.borrowed += usize::from(is_borrowed);
            new.chunks.push(end);
            new.spent.push(Spent::default());
        }
        new
    }

    fn chunk_end(&self, blocks: u32) -> Chunk {
        Chunk {
            blocks,
            packs: self.packs.len() as u32,
            bonded: self.bonded.len() as u32,
            bonds: self.bonds.len() as u32,
            ties: self.ties.len() as u32,
        }
    }

    fn add_block(&mut self, b: usize, loaded: &Loaded<'_>, stable: &StableStep) {
        let structure = loaded.structure;
        let more = stable.scaled(b);
        self.moving.push(moving(b, loaded, true));
        self.own += 1;
        if self.groups.last().is_none_or(Group::is_full) {
            self.groups.push(Group::new());
        }
        let block = blocks::Stated {
            index: b as u32,
            mass: more * structure.mass[b],
            inertia: more * structure.inertia[b],
            placement: loaded.placements[b],
            velocity: loaded.velocities[b],
            weight: structure.mass[b] * structure.gravity,
            radius: structure.radius[b],
            room: stable.room(b),
        };
        if let Some(group) = self.groups.last_mut() {
            group.push(&block);
        }
    }

    fn add_support(&mut self, b: usize, loaded: &Loaded<'_>) {
        let is_driven = loaded.structure.fixed[b] && (loaded.is_driven)(b);
        self.moving.push(moving(b, loaded, is_driven));
        self.supports.push(Support {
            index: b as u32,
            is_driven,
            rotation: loaded.placements[b].rotation,
        });
        self.coming.push(None);
        self.velocities.push([DVec3::ZERO; 2]);
    }

    /// Which of two blocks is a support that moves.
    fn driven(&self, blocks: [u32; 2]) -> u8 {
        let first = self.first_support();
        let is_driven = |b: &u32| {
            (*b as usize)
                .checked_sub(first)
                .is_some_and(|k| self.supports[k].is_driven)
        };
        blocks
            .iter()
            .position(is_driven)
            .map_or(Pack::NEITHER, |side| side as u8)
    }

    fn add_pack(&mut self) {
        let (pack, remembered) = Pack::new();
        self.packs.push(pack);
        self.remembered.push(remembered);
        self.contacts.push([[0; 2]; LANES]);
    }

    /// Adds a joint to the last pack.
    fn add_joint(
        &mut self,
        lane: usize,
        [first, end]: [u32; 2],
        place: &[u32],
        bond_place: &[u32],
        loaded: &Loaded<'_>,
        stable: &StableStep,
    ) {
        let of = first as usize..end as usize;
        let contact = &loaded.contacts[of.start];
        let law = loaded.structure.law(contact.bodies);
        let at = self.packs.len() - 1;
        let Some(stiffness) = law.stiffness else { return };
        let blocks = contact.bodies.map(|b| place[b as usize]);
        let dashpot = stable.dashpot(contact.bodies);
        let tangential = stiffness.tangential / stiffness.normal;
        let shared = Shared {
            blocks,
            driven: self.driven(blocks),
            normal: contact.normal,
            tangential,
            dashpots: [dashpot, dashpot / tangential.sqrt()],
            friction: [law.friction, law.sticking_friction()],
        };
        let mut points = [Stated::default(); POINTS];
        let mut bonds = [u32::MAX; POINTS];
        for (point, i) in of.clone().enumerate() {
            let bond = loaded.bonds.nearest.get(i).copied().flatten();
            bonds[point] = bond
                .and_then(|k| bond_place.get(k as usize))
                .copied()
                .unwrap_or(u32::MAX);
            let bond = self.bonds.get(bonds[point] as usize);
            let contact = &loaded.contacts[i];
            points[point] = Stated {
                point: contact.point,
                gap: contact.gap,
                stiffness: stiffness.normal * loaded.springs[i].area,
                slip: contact.slip,
                slides: loaded.slid.get(i) == Some(&true),
                force: contact.guess / loaded.dt,
                dry: bond.map_or(1.0, |bond| 1.0 - bond.state.damage.intact()),
            };
        }
        let of_blocks = blocks.map(|b| &self.moving[b as usize]);
        self.contacts[at][lane] = [first, end - first];
        let remembered = &mut self.remembered[at];
        self.packs[at].set(lane, &shared, of_blocks, &points[..of.len()], remembered);
        for (point, bond) in bonds.into_iter().enumerate() {
            if bond as usize >= self.bonds.len() {
                continue;
            }
            if self.packs[at].bonded == Pack::DRY {
                self.packs[at].bonded = self.bonded.len() as u32;
                self.bonded.push(at as u32);
                self.bond_of.push([[u32::MAX; LANES]; POINTS]);
                self.dry.push([four(1.0); POINTS]);
                self.pressed.push([four(0.0); POINTS]);
            }
            let k = self.packs[at].bonded as usize;
            self.bond_of[k][point][lane] = bond;
            set(&mut self.dry[k][point], lane, points[point].dry);
        }
    }

    fn add_bond(&mut self, index: u32, place: &[u32], loaded: &Loaded<'_>, stable: &StableStep) {
        let bond = &loaded.bonds.bonds[index as usize];
        let ends = Ends {
            blocks: bond.blocks.map(|b| place[b as usize]),
            arms: bond.arms,
        };
        let (state, dashpot) = (loaded.bond_states[index as usize], stable.dashpot(bond.blocks));
        let bond = Bond::new(index, ends, bond.normal, bond.law, state, dashpot);
        self.bonds.push(bond);
    }

    fn add_tie(&mut self, index: u32, place: &[u32], loaded: &Loaded<'_>, stable: &StableStep) {
        let tie = &loaded.structure.ties[index as usize];
        let center = |side: usize| loaded.structure.center[tie.blocks[side] as usize];
        let ends = Ends {
            blocks: tie.blocks.map(|b| place[b as usize]),
            arms: [0, 1].map(|side| tie.ends[side] - center(side)),
        };
        let state = loaded.ties[index as usize];
        self.ties.push(Tie::new(index, ends, stable.tie_law(&tie.law), state));
    }
}

/// A block as its contacts see it.
fn moving(b: usize, loaded: &Loaded<'_>, moves: bool) -> Moving {
    let Placement { center, rotation } = loaded.placements[b];
    let velocity = if moves { loaded.velocities[b] } else { Twist::ZERO };
    Moving::new(center, DMat3::from_quat(rotation), velocity.linear, velocity.angular)
}
