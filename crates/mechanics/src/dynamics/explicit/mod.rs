//! The distinct element method: elastic joints with Coulomb friction, stepped explicitly.
//!
//! There is no system to be solved. Every step goes over the contact points, whose forces follow from where the blocks are, and
//! over the blocks, which the forces accelerate: steps are short ([`stable`]) and cheap.
//!
//! Blocks are put in an order of their own, along the structure, and cut into chunks of a few. A chunk has the contacts of its blocks
//! with each other, with supports and with blocks of later chunks, four points at a time. Once its contacts are done, its blocks
//! have felt all that pulls at them and move at once, while everything is still in the cache. Threads take consecutive chunks, and
//! compute contacts across their borders twice, once on either side: all that they tell each other is where blocks at the border
//! are, once a step. Every sum is taken in the order of chunks: no number depends on how many threads share the work.

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
mod vectors;

use std::sync::{PoisonError, RwLock};

use drystone_cone::{
    Twist,
    lanes::{Four, LANES, get, run, set},
};
use drystone_contact::Placement;
use glam::DVec3;

use self::{
    blocks::{Group, Moves, Support},
    links::{Bond, Tie},
    points::{Contacts, Driven, Moving, POINTS, Pack, Pull, Remembered},
    team::Meeting,
};
use super::{TieState, bonds::BondState};
pub(super) use load::Loaded;
pub(super) use stable::Shape;
pub use stable::StableStep;

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

impl Spent {
    fn add(&mut self, o: &Self) {
        self.viscous += o.viscous;
        self.friction += o.friction;
        self.bonds += o.bonds;
        self.ties += o.ties;
        self.input += o.input;
    }
}

/// Where a chunk ends in the lists of its part.
#[derive(Clone, Copy, Debug, Default)]
struct Chunk {
    blocks: u32,
    packs: u32,
    bonded: u32,
    bonds: u32,
    ties: u32,
}

impl Chunk {
    /// Whether it has as many contacts, bonds and ties.
    fn has_as_many(&self, o: &Self) -> bool {
        [self.packs, self.bonds, self.ties] == [o.packs, o.bonds, o.ties]
    }
}

/// A block of another part.
#[derive(Clone, Copy, Debug)]
struct Ghost {
    part: u32,
    /// Its place among those that its part tells of.
    place: u32,
}

/// What one thread works on.
#[derive(Debug, Default)]
struct Part {
    /// Its own blocks, ghosts, and supports, in this order; and what pulls at each.
    moving: Vec<Moving>,
    sums: Vec<Pull>,
    own: usize,
    /// Its own blocks by fours.
    groups: Vec<Group>,
    ghosts: Vec<Ghost>,
    supports: Vec<Support>,
    /// Where supports that move will be after the step, and their velocities before and in it, added up.
    coming: Vec<Option<(Placement, [DVec3; 2])>>,
    velocities: Vec<[DVec3; 2]>,
    /// Its blocks that other parts know as ghosts.
    told: Vec<u32>,
    chunks: Vec<Chunk>,
    /// What was spent in each chunk since the last look.
    spent: Vec<Spent>,
    /// Chunks at the beginning that belong to other parts: of these it has what pulls at its own blocks, and does not count it.
    borrowed: usize,
    packs: Vec<Pack>,
    remembered: Vec<Remembered>,
    /// First contact of each joint of a pack, and how many there are.
    contacts: Vec<[[u32; 2]; LANES]>,
    /// Packs with bonds, the bond of each point, the dry share of each, and what presses there.
    bonded: Vec<u32>,
    bond_of: Vec<[[u32; LANES]; POINTS]>,
    dry: Vec<[Four; POINTS]>,
    pressed: Vec<[Four; POINTS]>,
    bonds: Vec<Bond>,
    ties: Vec<Tie>,
}

/// Where blocks at the border of a part are: for this step and for the next.
type Told = [RwLock<Vec<Moving>>; 2];

/// A structure that is stepped explicitly.
#[derive(Debug, Default)]
pub(super) struct Engine {
    parts: Vec<Part>,
    told: Vec<Told>,
    meeting: Meeting,
    pub(super) stable: StableStep,
    /// Time steps taken since the start of the run.
    pub(super) steps: u64,
}

impl Part {
    /// Takes one step from `now`.
    fn step(&mut self, span: &Span<'_>, now: f64, is_last: bool) {
        self.look_ahead(span, now + span.dt);
        let mut start = Chunk::default();
        for c in 0..self.chunks.len() {
            let end = self.chunks[c];
            self.press(c, [start, end], span.dt);
            if start.bonds < end.bonds {
                self.hold([start, end], span.dt);
            }
            if start.ties < end.ties {
                self.tie(c, [start, end], now, span.dt);
            }
            self.move_blocks([start, end], span, is_last);
            start = end;
        }
        self.place_supports();
    }

    /// Where supports will be.
    fn look_ahead(&mut self, span: &Span<'_>, then: f64) {
        let first = self.first_support();
        for (k, support) in self.supports.iter().enumerate().filter(|(_, s)| s.is_driven) {
            let now = &self.moving[first + k];
            let coming = support.next(now, span, then);
            let before = [now.linear(), now.angular()];
            let after = coming.map_or(before, |(_, velocities)| velocities);
            self.velocities[k] = [before[0] + after[0], before[1] + after[1]];
            self.coming[k] = coming;
        }
    }

    fn place_supports(&mut self) {
        let first = self.first_support();
        for (k, support) in self.supports.iter_mut().enumerate() {
            if let Some((to, velocities)) = self.coming[k].take() {
                support.place(&mut self.moving[first + k], &to, velocities);
            }
        }
    }

    fn first_support(&self) -> usize {
        self.own + self.ghosts.len()
    }

    /// Forces of the contacts of a chunk.
    fn press(&mut self, chunk: usize, [start, end]: [Chunk; 2], dt: f64) {
        let of = start.packs as usize..end.packs as usize;
        let spent = &mut self.spent[chunk];
        let mut taken = [spent.viscous, spent.friction];
        run(Contacts {
            packs: &self.packs[of.clone()],
            remembered: &mut self.remembered[of],
            blocks: &self.moving,
            sums: &mut self.sums,
            dry: &self.dry,
            pressed: &mut self.pressed,
            dt,
            taken: &mut taken,
            driven: Driven {
                first: self.own + self.ghosts.len(),
                velocities: &self.velocities,
                dt,
            },
            input: &mut spent.input,
        });
        [spent.viscous, spent.friction] = taken;
    }

    /// Forces of the bonds of a chunk, by what presses beside them; and what they leave to friction.
    fn hold(&mut self, [start, end]: [Chunk; 2], dt: f64) {
        let of = start.bonds as usize..end.bonds as usize;
        let packs = start.bonded as usize..end.bonded as usize;
        let points = || (0..POINTS).flat_map(|at| (0..LANES).map(move |lane| (at, lane)));
        self.bonds[of.clone()].iter_mut().for_each(|b| b.compression = 0.0);
        for k in packs.clone() {
            for (at, lane) in points() {
                if let Some(bond) = self.bonds.get_mut(self.bond_of[k][at][lane] as usize) {
                    bond.compression += get(&self.pressed[k][at], lane);
                }
            }
        }
        for k in of {
            let pulls = self.bonds[k].step(&self.moving, dt);
            let blocks = self.bonds[k].blocks();
            let given = self.feel(blocks, &pulls, dt);
            self.bonds[k].given += given;
        }
        for k in packs {
            for (at, lane) in points() {
                let Some(bond) = self.bonds.get(self.bond_of[k][at][lane] as usize) else {
                    continue;
                };
                let (dry, before) = (1.0 - bond.state.damage.intact(), get(&self.dry[k][at], lane));
                if before == 0.0 && dry > 0.0 {
                    // What slid with the intact part is the slip of what is dry from now on; friction takes what is too much.
                    let slip = bond.slip(&self.moving);
                    let place = self.bonded[k] as usize;
                    let pack = &self.packs[place];
                    let [_, across, third] = pack.axes(self.of_joint(pack, lane), lane);
                    self.remembered[place].set_slip(lane, at, [across.dot(slip), third.dot(slip)]);
                }
                set(&mut self.dry[k][at], lane, dry);
            }
        }
    }

    /// The two blocks of a joint.
    fn of_joint(&self, pack: &Pack, lane: usize) -> [&Moving; 2] {
        [0, 1].map(|side| &self.moving[pack.blocks[side][lane] as usize])
    }

    /// Forces of the ties of a chunk.
    fn tie(&mut self, chunk: usize, [start, end]: [Chunk; 2], now: f64, dt: f64) {
        for k in start.ties as usize..end.ties as usize {
            let (pulls, taken) = self.ties[k].step(&self.moving, now);
            let blocks = self.ties[k].ends.blocks;
            let given = self.feel(blocks, &pulls, dt);
            self.spent[chunk].ties += taken;
            self.spent[chunk].input += given;
        }
    }

    /// Lets two blocks feel what pulls at them. Gives the work of supports (J).
    fn feel(&mut self, blocks: [u32; 2], pulls: &[Pull; 2], dt: f64) -> f64 {
        let first = self.first_support();
        let driven = Driven {
            first,
            velocities: &self.velocities,
            dt,
        };
        let mut given = 0.0;
        for (b, pull) in blocks.into_iter().zip(pulls) {
            self.sums[b as usize].add(pull);
            let support = (b as usize).checked_sub(first).map(|k| &self.supports[k]);
            if support.is_some_and(|s| s.is_driven) {
                given += driven.input(b, pull);
            }
        }
        given
    }

    /// Moves the blocks of a chunk, all of whose pulls are known.
    fn move_blocks(&mut self, [start, end]: [Chunk; 2], span: &Span<'_>, is_last: bool) {
        let of = start.blocks as usize..end.blocks as usize;
        // Chunks have whole groups, but for the last.
        let groups = of.start / LANES..of.end.div_ceil(LANES);
        run(Moves {
            groups: &mut self.groups[groups],
            moving: &mut self.moving[of.clone()],
            sums: &mut self.sums[of],
            dt: span.dt,
            damping: span.damping,
            is_last,
        });
    }

    /// Tells other parts where blocks at the border are.
    fn tell(&self, told: &RwLock<Vec<Moving>>) {
        let mut told = told.write().unwrap_or_else(PoisonError::into_inner);
        told.clear();
        told.extend(self.told.iter().map(|&k| self.moving[k as usize]));
    }

    /// Looks where blocks of other parts are.
    fn look(&mut self, told: &[Told], parity: usize) {
        let own = self.own;
        self.sums[own..].fill(Pull::default());
        let mut k = 0;
        while let Some(&Ghost { part, .. }) = self.ghosts.get(k) {
            let told = told[part as usize][parity]
                .read()
                .unwrap_or_else(PoisonError::into_inner);
            while let Some(ghost) = self.ghosts.get(k).filter(|g| g.part == part) {
                self.moving[own + k] = told[ghost.place as usize];
                k += 1;
            }
        }
    }

    /// Takes the steps, together with the other parts.
    fn work(&mut self, me: usize, told: &[Told], meeting: &Meeting, span: &Span<'_>) {
        let _here = meeting.attend();
        for step in 0..span.steps {
            self.look(told, step % 2);
            self.step(span, span.time + step as f64 * span.dt, step + 1 == span.steps);
            self.tell(&told[me][(step + 1) % 2]);
            if !meeting.meet(told.len()) {
                return;
            }
        }
    }

    /// Its own packs, with what they remember and their contacts.
    fn own_packs(&self) -> impl Iterator<Item = (&Pack, &Remembered, &[[u32; 2]; LANES])> {
        let skipped = self.before_own().packs as usize;
        let packs = self.packs.iter().zip(&self.remembered).zip(&self.contacts);
        packs
            .skip(skipped)
            .map(|((pack, remembered), of)| (pack, remembered, of))
    }

    /// Where the chunks of other parts end.
    fn before_own(&self) -> Chunk {
        self.borrowed
            .checked_sub(1)
            .map_or_else(Chunk::default, |k| self.chunks[k])
    }
}

impl Engine {
    /// Says what acts on blocks beside their weight: force and couple of each.
    pub(super) fn set_loads(&mut self, forces: &[[DVec3; 2]]) {
        for group in self.parts.iter_mut().flat_map(|p| &mut p.groups) {
            for (lane, index) in group.indices() {
                group.set_load(lane, forces[index]);
            }
        }
    }

    /// Takes some steps.
    pub(super) fn run(&mut self, span: &Span<'_>) {
        self.meeting.reset();
        for (part, told) in self.parts.iter_mut().zip(&self.told) {
            for (group, moving) in part.groups.iter().zip(part.moving[..part.own].chunks_mut(LANES)) {
                for (lane, now) in moving.iter_mut().enumerate() {
                    now.set_room(group.room(lane, span.dt, span.damping));
                }
            }
            part.tell(&told[0]);
        }
        let (told, meeting) = (&self.told[..], &self.meeting);
        match &mut self.parts[..] {
            [only] => only.work(0, told, meeting, span),
            [first, others @ ..] => std::thread::scope(|scope| {
                for (k, part) in (1..).zip(others) {
                    scope.spawn(move || part.work(k, told, meeting, span));
                }
                first.work(0, told, meeting, span);
            }),
            [] => {}
        }
        for part in &mut self.parts {
            part.look(told, span.steps % 2);
        }
        self.steps += span.steps as u64;
    }

    /// Brings every free block to a stop. Gives the kinetic energy that they had (J).
    pub(super) fn halt(&mut self) -> f64 {
        let mut lost = 0.0;
        for part in &mut self.parts {
            lost += part.groups.iter_mut().map(Group::halt).sum::<f64>();
            part.moving[..part.own]
                .iter_mut()
                .for_each(|now| now.set_velocity(DVec3::ZERO, DVec3::ZERO));
        }
        lost
    }

    /// Tells where blocks are and how they move: index, placement and velocity of each.
    pub(super) fn blocks(&self, mut tell: impl FnMut(usize, Placement, Twist)) {
        for part in &self.parts {
            for group in &part.groups {
                for (lane, index) in group.indices() {
                    let (placement, velocity) = group.state(lane);
                    tell(index, placement, velocity);
                }
            }
        }
        // All parts have the same supports.
        if let Some(part) = self.parts.first() {
            for (support, now) in part.supports.iter().zip(&part.moving[part.first_support()..]) {
                let (center, rotation) = (now.center(), support.rotation);
                let velocity = Twist {
                    linear: now.linear(),
                    angular: now.angular(),
                };
                tell(support.index as usize, Placement { center, rotation }, velocity);
            }
        }
    }

    /// Tells how contacts are: index and point of each, in the order of chunks.
    pub(super) fn contacts(&self, mut tell: impl FnMut(usize, &Point<'_>)) {
        for part in &self.parts {
            for (pack, remembered, contacts) in part.own_packs() {
                for (lane, &[first, count]) in contacts.iter().enumerate().filter(|(_, c)| c[1] > 0) {
                    let joint = Joint::new(pack, part.of_joint(pack, lane), lane);
                    for at in 0..count as usize {
                        let dry = match pack.bonded {
                            Pack::DRY => 1.0,
                            k => get(&part.dry[k as usize][at], lane),
                        };
                        tell(first as usize + at, &joint.point(remembered, at, dry));
                    }
                }
            }
        }
    }

    /// Tells how bonds are: index, state, force on the second block and what it holds (J).
    pub(super) fn bonds(&self, mut tell: impl FnMut(usize, &BondState, DVec3, f64)) {
        for part in &self.parts {
            for bond in &part.bonds[part.before_own().bonds as usize..] {
                let (force, held) = bond.force(&part.moving);
                tell(bond.index as usize, &bond.state, force, held);
            }
        }
    }

    /// Tells how ties are: index, state, and what each holds (J).
    pub(super) fn ties(&self, mut tell: impl FnMut(usize, &TieState, f64)) {
        for part in &self.parts {
            for tie in &part.ties[part.before_own().ties as usize..] {
                tell(tie.index as usize, &tie.state, tie.held(&part.moving));
            }
        }
    }

    /// What was taken and given since the last look.
    pub(super) fn take_spent(&mut self) -> Spent {
        let mut spent = Spent::default();
        for part in &mut self.parts {
            part.spent[part.borrowed..].iter().for_each(|s| spent.add(s));
            part.spent.fill(Spent::default());
        }
        for part in &mut self.parts {
            let borrowed = part.before_own().bonds as usize;
            for (k, bond) in part.bonds.iter_mut().enumerate() {
                let (taken, given) = (std::mem::take(&mut bond.taken), std::mem::take(&mut bond.given));
                if k >= borrowed {
                    spent.bonds += taken;
                    spent.input += given;
                }
            }
        }
        for group in self.parts.iter_mut().flat_map(|p| &mut p.groups) {
            let [input, damped] = group.take_spent();
            spent.input += input;
            spent.viscous += damped;
        }
        spent
    }

    /// The largest force on a free block that nothing balanced in the last step (N).
    pub(super) fn unbalanced(&self) -> f64 {
        let groups = self.parts.iter().flat_map(|p| &p.groups);
        groups.map(Group::unbalanced).fold(0.0, f64::max)
    }
}

/// A joint as it is.
#[derive(Clone, Copy)]
struct Joint<'a> {
    pack: &'a Pack,
    of: [&'a Moving; 2],
    lane: usize,
    axes: [DVec3; 3],
    /// The normal in axes of the second block, and how far apart the centres are along it.
    of_normal: DVec3,
    apart: f64,
}

/// A contact point as it is.
pub(super) struct Point<'a> {
    joint: &'a Joint<'a>,
    at: usize,
    pub(super) gap: f64,
    pub(super) slip: DVec3,
    pub(super) force: DVec3,
    pub(super) slides: bool,
    /// Along the normal and across it (N/m).
    pub(super) stiffness: [f64; 2],
}

impl<'a> Joint<'a> {
    fn new(pack: &'a Pack, of: [&'a Moving; 2], lane: usize) -> Self {
        let axes = pack.axes(of, lane);
        Self {
            pack,
            of,
            lane,
            axes,
            of_normal: of[1].axes().transpose() * axes[0],
            apart: axes[0].dot(of[1].center() - of[0].center()),
        }
    }

    fn point(&'a self, remembered: &Remembered, at: usize, dry: f64) -> Point<'a> {
        let (lane, [normal, across, third]) = (self.lane, self.axes);
        let gap = self.pack.gap_along(self.of_normal, self.apart, lane, at);
        let [stiffness, tangential] = self.pack.stiffness(lane, at);
        let (tangential, [y, z]) = (tangential * dry, remembered.slip(lane, at));
        let slip = across * y + third * z;
        let force = match gap < 0.0 {
            true => {
                let [beyond, lost_y, lost_z] = remembered.lost(lane, at);
                let bears = (beyond - stiffness * gap).max(0.0);
                bears * normal + across * lost_y + third * lost_z - tangential * slip
            }
            false => DVec3::ZERO,
        };
        Point {
            joint: self,
            at,
            gap,
            slip,
            force,
            slides: remembered.slides(lane, at),
            stiffness: [stiffness, tangential],
        }
    }
}

impl Point<'_> {
    /// Where it is, and the normal there.
    pub(super) fn place(&self) -> [DVec3; 2] {
        let Joint { of, axes, .. } = self.joint;
        let arms = self.arms();
        [0.5 * (of[0].center() + arms[0] + of[1].center() + arms[1]), axes[0]]
    }

    /// Velocity of the second block against the first.
    pub(super) fn velocity(&self) -> DVec3 {
        let (of, arms) = (self.joint.of, self.arms());
        of[1].at(arms[1]) - of[0].at(arms[0])
    }

    fn arms(&self) -> [DVec3; 2] {
        self.joint.pack.arms(self.joint.of, self.joint.lane, self.at)
    }
}
