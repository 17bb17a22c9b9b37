//! Joint laws with a history: bonds that are damaged, and friction that is larger before a joint slides.
//!
//! A bonded point is three springs between a point of one block and the point of the other that it coincides with at the start:
//! one that pulls along the normal, two across it. They act beside dry contact, as links of the contact problem (paper 002's
//! change of variables: what is left of the force is that of a dry contact), and [`law`] says how they are damaged. A step is
//! solved with the damage that is known, and again where that has grown, until it does not.
//!
//! How points share the load of a joint between rigid blocks is not determined, and a strength of points would mean nothing.
//! Bonded joints therefore yield: by their stiffness, or, where they have none, by one so large that it does not show.

mod law;

use drystone_cone::{Contact, Link, LinkKind, Problem, Solution};
use drystone_contact::{Contacts, Placement};
use drystone_model::JointLaw;
use glam::DVec3;
use serde::{Deserialize, Serialize};

use self::law::Damage;
pub(super) use self::law::{Cohesive, Strained};
use super::{deformation::link_after, springs::Spring};
use crate::{Structure, laws::hard_stiffness};

/// What a bonded point remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct BondState {
    pub(crate) damage: Damage,
    /// Impulses of its springs over the last step (N s).
    pub(crate) impulses: [f64; 3],
}

/// Compression of a bonded joint without a stiffness under the weight of the whole structure on one block, or at its
/// strength, as a fraction of the size of a block.
const HARD: f64 = 1e-5;
/// Points whose force over strength is at least this fraction of the largest break together.
const TOGETHER: f64 = 0.95;
/// Change of a damage that is none.
const SAME: f64 = 1e-6;
/// Rounds after which the damage that was found is taken, and grows on in the next step.
const ROUNDS: usize = 200;
/// A tangential force this close to what friction bears, as a fraction of it, is at the limit.
const AT_LIMIT: f64 = 1e-7;
/// The same where the blocks move there by more than [`MOVES`].
const NEAR_LIMIT: f64 = 1e-3;
/// Motion within a step that is one, as a fraction of the size of the smaller block.
const MOVES: f64 = 1e-10;

/// The law with the stiffness that a bond needs, in a structure of this weight (N) whose blocks have this size (m).
pub(super) fn with_stiffness(law: JointLaw, weight: f64, size: f64) -> JointLaw {
    let (Some(bond), None) = (law.bond.filter(|b| !b.is_nothing()), law.stiffness) else {
        return law;
    };
    let strength = bond.strength(size * size, law.sticking_friction());
    let stiffness = hard_stiffness(weight.max(strength.tension).max(strength.cohesion), size, HARD);
    JointLaw { stiffness, ..law }
}

/// A bonded point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bond {
    pub(super) blocks: [u32; 2],
    /// From the centre of each block, as they stand at first (m).
    pub(super) arms: [DVec3; 2],
    pub(super) normal: DVec3,
    pub(super) law: Cohesive,
}

/// Where a bonded point is now, and by how much its two ends are apart.
#[derive(Debug)]
struct Placed {
    point: DVec3,
    normal: DVec3,
    apart: DVec3,
}

impl Bond {
    fn placed(&self, placements: &[Placement]) -> Placed {
        let end = |side: usize| {
            let p = &placements[self.blocks[side] as usize];
            p.center + p.rotation * self.arms[side]
        };
        let (first, second) = (end(0), end(1));
        Placed {
            point: 0.5 * (first + second),
            normal: placements[self.blocks[0] as usize].rotation * self.normal,
            apart: second - first,
        }
    }
}

/// Bonded points of a structure, and what contacts of a step remember of sliding.
#[derive(Debug, Default)]
pub(super) struct Bonds {
    /// In the order of their blocks.
    pub(super) bonds: Vec<Bond>,
    /// Their states within the step that is being solved, and their damage at its start.
    pub(super) states: Vec<BondState>,
    start: Vec<Damage>,
    /// The bonds that have links in the problem, and where these begin.
    linked: Vec<u32>,
    first_link: usize,
    /// The bond nearest to each contact of the problem.
    pub(super) nearest: Vec<Option<u32>>,
    /// Bonds of a pair of blocks where they are, and how all are strained: memory that is used again.
    placed: Vec<Placed>,
    strained: Vec<Strained>,
    /// Contacts that slide: friction is the kinetic one. Empty where the two do not differ.
    pub(super) slides: Vec<bool>,
    has_static_friction: bool,
    /// Rounds of the step so far.
    rounds: usize,
}

impl Bonds {
    /// The bonds of the joints of a structure, all of them intact: at the corners of joints, and where blocks deform, at their nodes,
    /// which are the contacts of the structure as it stands at first.
    pub(super) fn new(structure: &Structure, nodes: &Contacts) -> Self {
        let mut bonds = Vec::new();
        let deforms = |blocks: [u32; 2]| blocks.iter().any(|&b| structure.elastic.place(b).is_some());
        let mut at_nodes = Vec::new();
        for interface in nodes.interfaces.iter().filter(|i| deforms(i.blocks)) {
            let law = structure.law(interface.blocks);
            for contact in nodes.of(interface).iter().filter(|c| c.area > 0.0) {
                if let Some(law) = Cohesive::new(law, contact.area) {
                    at_nodes.push(interface.blocks);
                    bonds.push(Bond {
                        blocks: interface.blocks,
                        arms: [contact.arm_first, contact.arm_second],
                        normal: interface.normal,
                        law,
                    });
                }
            }
        }
        at_nodes.dedup();
        for joint in &structure.joints {
            let mut blocks = joint.blocks.map(|b| b as u32);
            if at_nodes.contains(&[blocks[0].min(blocks[1]), blocks[0].max(blocks[1])]) {
                continue;
            }
            let law = structure.law(blocks);
            let mut normal = joint.normal;
            if blocks[0] > blocks[1] {
                (blocks, normal) = ([blocks[1], blocks[0]], -normal);
            }
            for (point, area) in joint.points.iter().zip(joint.tributary_areas()) {
                if let Some(law) = Cohesive::new(law, area) {
                    bonds.push(Bond {
                        blocks,
                        arms: blocks.map(|b| *point - structure.center[b as usize]),
                        normal,
                        law,
                    });
                }
            }
        }
        bonds.sort_by_key(|b| b.blocks);
        Self {
            states: vec![BondState::default(); bonds.len()],
            start: vec![Damage::default(); bonds.len()],
            bonds,
            has_static_friction: structure.laws().iter().any(|law| law.static_friction.is_some()),
            ..Self::default()
        }
    }

    /// Whether there is nothing to remember.
    pub(super) fn is_empty(&self) -> bool {
        self.bonds.is_empty() && !self.has_static_friction
    }

    /// How many points were bonded, and how many of them still are.
    pub(super) fn count(states: &[BondState]) -> [usize; 2] {
        let intact = states.iter().filter(|s| !s.damage.is_broken()).count();
        [states.len(), intact]
    }

    /// Begins a step.
    pub(super) fn begin(&mut self, states: &[BondState]) {
        self.states.clear();
        self.states.extend_from_slice(states);
        self.start.clear();
        self.start.extend(states.iter().map(|s| s.damage));
        self.rounds = 0;
    }

    fn of_pair(&self, blocks: [u32; 2]) -> std::ops::Range<usize> {
        let first = self.bonds.partition_point(|b| b.blocks < blocks);
        let count = self.bonds[first..].partition_point(|b| b.blocks == blocks);
        first..first + count
    }

    /// Tells contacts how much of their area is dry, and what friction they have. `past` are the states at the start of the
    /// step, `slid` whether each contact slid in the last.
    pub(super) fn state_contacts(
        &mut self,
        structure: &Structure,
        placements: &[Placement],
        (past, slid): (&[BondState], &[bool]),
        (dt, jumps): (f64, &[[DVec3; 2]]),
        contacts: &mut [Contact],
        springs: &mut [Spring],
    ) {
        if self.rounds == 0 {
            self.slides.clear();
            self.slides.extend_from_slice(slid);
        }
        self.nearest.clear();
        let (mut blocks, mut of_pair) = ([u32::MAX; 2], 0..0);
        let mut placed = std::mem::take(&mut self.placed);
        for (i, (contact, spring)) in contacts.iter_mut().zip(springs).enumerate() {
            if contact.bodies != blocks {
                blocks = contact.bodies;
                of_pair = self.of_pair(blocks);
                placed.clear();
                placed.extend(self.bonds[of_pair.clone()].iter().map(|b| b.placed(placements)));
            }
            let law = structure.law(blocks);
            contact.friction = if self.slides[i] {
                law.friction
            } else {
                law.sticking_friction()
            };
            let away = |p: &Placed| p.point.distance_squared(contact.point);
            let nearest = (0..placed.len()).min_by(|&a, &b| away(&placed[a]).total_cmp(&away(&placed[b])));
            self.nearest.push(nearest.map(|k| (of_pair.start + k) as u32));
            let Some(k) = nearest else { continue };
            let intact = self.states[of_pair.start + k].damage.intact();
            spring.dry = 1.0 - intact;
            contact.friction *= spring.dry;
            if past[of_pair.start + k].damage.intact() >= 1.0 {
                // What slid with the intact part is the slip of what is dry from now on, as far as friction holds it.
                let apart = placed[k].apart + jumps.get(i).map_or(DVec3::ZERO, |jump| jump[0]);
                let slip = apart - apart.dot(placed[k].normal) * placed[k].normal;
                let bears = law.friction * contact.normal.dot(contact.guess).max(0.0) / dt;
                let stiffness = law.stiffness.map_or(0.0, |s| s.tangential) * spring.area;
                contact.slip = slip.clamp_length_max(bears / stiffness.max(f64::MIN_POSITIVE));
                if intact >= 1.0 {
                    contact.slip = DVec3::ZERO;
                }
            }
        }
        self.placed = placed;
    }

    /// Adds the springs of what is intact to the links of a step of `dt`.
    pub(super) fn state_links(&mut self, placements: &[Placement], dt: f64, links: &mut Vec<Link>) {
        self.linked.clear();
        self.first_link = links.len();
        for (k, (bond, state)) in self.bonds.iter().zip(&self.states).enumerate() {
            if state.damage.is_broken() {
                continue;
            }
            let intact = state.damage.intact();
            self.linked.push(k as u32);
            let at = bond.placed(placements);
            let compliance = bond.law.stiffness.map(|s| 1.0 / (intact * s * dt * dt));
            let across = at.normal.any_orthonormal_vector();
            let spring = |kind: LinkKind, force: DVec3, compliance: f64, guess: f64| Link {
                kind,
                force,
                compliance,
                offset: force.dot(at.apart),
                guess,
                ..Link::rod(bond.blocks, at.point, at.point, 0.0)
            };
            let [pull, first, second] = state.impulses;
            links.extend([
                spring(LinkKind::OneWay, -at.normal, compliance[0], pull),
                spring(LinkKind::Rigid, across, compliance[1], first),
                spring(LinkKind::Rigid, at.normal.cross(across), compliance[1], second),
            ]);
        }
    }

    /// Lets bonds be damaged by a solution of the step, and contacts slide that held by static friction. Tells whether the
    /// step is to be solved again.
    pub(super) fn give_way(&mut self, structure: &Structure, problem: &Problem, solution: &Solution, dt: f64) -> bool {
        self.rounds += 1;
        let again = self.damage(problem, solution, dt) | self.slide(structure, problem, solution, dt);
        again && self.rounds < ROUNDS
    }

    fn damage(&mut self, problem: &Problem, solution: &Solution, dt: f64) -> bool {
        if self.linked.is_empty() {
            return false;
        }
        self.strain(problem, solution, dt);
        let bonds = |k: &u32| (*k as usize, &self.bonds[*k as usize].law, &self.strained[*k as usize]);
        // Of those that break at once the most loaded ones do; what is left of the load goes to the others.
        let brittle = self.linked.iter().map(bonds).filter(|(_, law, _)| law.is_brittle());
        let most = brittle.map(|(_, law, at)| law.use_of_strength(at)).fold(1.0, f64::max);
        let mut any = false;
        for (k, law, at) in self.linked.iter().map(bonds) {
            if law.is_brittle() && law.use_of_strength(at) < TOGETHER * most {
                continue;
            }
            // From the damage at the start of the step, however often it is solved; within it damage grows only, so that this ends.
            let damage = &mut self.states[k].damage;
            let after = law.damaged(self.start[k], at, dt);
            any |= (0..2).any(|mode| after.0[mode] > damage.0[mode] + SAME);
            *damage = Damage([0, 1].map(|mode| after.0[mode].max(damage.0[mode])));
        }
        any
    }

    /// How bonds are strained at the end of the step, and what presses beside them.
    fn strain(&mut self, problem: &Problem, solution: &Solution, dt: f64) {
        self.strained.clear();
        self.strained.resize(self.bonds.len(), Strained::default());
        for ((contact, impulse), nearest) in problem.contacts.iter().zip(&solution.impulses).zip(&self.nearest) {
            if let Some(k) = nearest {
                self.strained[*k as usize].compression += contact.normal.dot(*impulse) / dt;
            }
        }
        for (n, &k) in self.linked.iter().enumerate() {
            let end = |axis: usize| {
                let link = &problem.links[self.first_link + 3 * n + axis];
                let at = |b: u32| {
                    let arm = link.point - problem.bodies[b as usize].center;
                    link.force.dot(solution.velocities[b as usize].at(arm))
                };
                let rigid = at(link.bodies[1]) - at(link.bodies[0]);
                link.offset + dt * link_after(problem, solution, self.first_link + 3 * n + axis, rigid)
            };
            let strained = &mut self.strained[k as usize];
            (strained.opening, strained.slip) = (-end(0), end(1).hypot(end(2)));
        }
    }

    fn slide(&mut self, structure: &Structure, problem: &Problem, solution: &Solution, dt: f64) -> bool {
        if !self.has_static_friction {
            return false;
        }
        let mut any = false;
        for (i, contact) in problem.contacts.iter().enumerate() {
            if self.slides[i] || structure.law(contact.bodies).static_friction.is_none() {
                continue;
            }
            let (normal, across) = parts(contact.normal, solution.impulses[i]);
            let (_, slip) = parts(contact.normal, dt * solution.relative_velocities[i]);
            let moves = slip.length() > MOVES * structure.smaller(contact.bodies);
            let near = if moves { NEAR_LIMIT } else { AT_LIMIT };
            let slides = normal > 0.0 && across.length() > (1.0 - near) * contact.friction * normal;
            self.slides[i] = slides;
            any |= slides;
        }
        any
    }

    /// Whether a contact still slides at the end of a step.
    pub(super) fn slides_after(&self, i: usize, contact: &Contact, impulse: DVec3) -> bool {
        let (normal, across) = parts(contact.normal, impulse);
        let slides = across.length() > (1.0 - NEAR_LIMIT) * contact.friction * normal;
        self.slides.get(i).is_some_and(|&began| began && slides)
    }

    /// Where the links of a bond begin in the problem.
    pub(super) fn link_of(&self, bond: usize) -> Option<usize> {
        let n = self.linked.binary_search(&(bond as u32)).ok()?;
        Some(self.first_link + 3 * n)
    }

    /// States at the end of a step with these impulses of links.
    pub(super) fn store(&mut self, link_impulses: &[f64], states: &mut Vec<BondState>) {
        self.states.iter_mut().for_each(|s| s.impulses = [0.0; 3]);
        for (n, &k) in self.linked.iter().enumerate() {
            self.states[k as usize]
                .impulses
                .copy_from_slice(&link_impulses[self.first_link + 3 * n..][..3]);
        }
        states.clone_from(&self.states);
    }

    /// Forces of bonds on the second blocks over a step of `dt`, summed up at the contacts that are nearest to them.
    pub(super) fn forces(&self, problem: &Problem, solution: &Solution, dt: f64) -> Vec<DVec3> {
        let mut forces = vec![DVec3::ZERO; problem.contacts.len()];
        let mut contact_of = vec![None; self.bonds.len()];
        for (i, nearest) in self.nearest.iter().enumerate() {
            if let Some(k) = nearest {
                contact_of[*k as usize].get_or_insert(i);
            }
        }
        for (n, &k) in self.linked.iter().enumerate() {
            let of = self.first_link + 3 * n..self.first_link + 3 * n + 3;
            let (Some(links), Some(impulses)) = (problem.links.get(of.clone()), solution.link_impulses.get(of)) else {
                continue;
            };
            if let Some(i) = contact_of[k as usize] {
                forces[i] += links
                    .iter()
                    .zip(impulses)
                    .map(|(l, r)| *r * l.force / dt)
                    .sum::<DVec3>();
            }
        }
        forces
    }
}

fn parts(normal: DVec3, vector: DVec3) -> (f64, DVec3) {
    let along = normal.dot(vector);
    (along, vector - along * normal)
}
