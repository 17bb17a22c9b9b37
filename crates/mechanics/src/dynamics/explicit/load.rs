//! An engine is made of a structure where it is: contacts by fours, in chunks of whole joints, shared among threads.

use std::sync::RwLock;

use drystone_cone::{
    Contact, Twist,
    lanes::{four, set},
};
use drystone_contact::Placement;
use glam::{DMat3, DVec3};

use super::{
    At, Engine, Part, Shapes, StableStep, THREADS,
    blocks::{Block, End, Kind},
    links::{Bond, Ends, Tie},
    points::{Moving, Pull, Quad, Shared, Stated},
    with_all,
};
use crate::{
    Structure,
    dynamics::{
        ExplicitSettings, TieState,
        bonds::{BondState, Bonds},
        springs::Spring,
    },
};

/// Quads after which work may go to another thread: sums are taken over as many of them, whoever takes them.
const CHUNK: usize = 64;
/// Contacts that are worth another thread.
const WORTH: usize = 600;

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
    /// Which contacts slid.
    pub(in crate::dynamics) slid: &'a [bool],
    pub(in crate::dynamics) bonds: &'a Bonds,
    pub(in crate::dynamics) bond_states: &'a [BondState],
    pub(in crate::dynamics) ties: &'a [TieState],
    pub(in crate::dynamics) threads: usize,
}

impl Engine {
    /// A structure where it is, with its contacts as they are stated. `last` is its stable step as it
    /// was, and `shapes` its fastest motions, kept from one time to the next; nothing is kept where these are empty.
    pub(in crate::dynamics) fn load(loaded: &Loaded<'_>, last: StableStep, shapes: &mut Shapes) -> Self {
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
}
