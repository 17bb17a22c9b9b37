//! Where the energy is and where it went.
//!
//! Over a step from v- to v+ with impulses r, momentum is balanced exactly, so the work of everything that acts is that on
//! the mean velocity (v- + v+) / 2. Contacts give or take r . (u- + u+) / 2, with u the relative velocity at the contact:
//! its normal part is what impacts dissipate, its tangential part what friction does. A support gives the impulse on the
//! block times its own velocity. Positions move by v+ dt and not by the mean: they are half a step ahead of the velocities,
//! and the weight has done the work of that half step already, which is kept apart (`ahead`). What remains between all these
//! and the change of kinetic and potential energy is the error of the method: inertias turn, and solvers leave a residual.
//!
//! What contacts give is counted apart from what they take, island by island, so that one does not hide the other. They
//! give where overlaps are driven apart, which is known contact by contact, and where all contacts of an island together
//! give more than they take. What springs hold is kept; where that changes between two steps, because shapes turn or areas
//! change, it is lost, of which little is returned (`springs`); taking back overlaps creates it.

use drystone_cone::{Contact, Link, Problem, Solution, Twist};
use drystone_contact::Placement;
use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{
    deformation::{link_after, relative_after},
    springs::{stored, stored_after},
    ties::{held, spent},
};
use crate::Structure;

/// Energies at one time (unit: J).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energies {
    /// Of the motion of the free blocks.
    pub kinetic: f64,
    /// Of their weight, from where they stood at first.
    pub potential: f64,
    /// Held by springs: of joints that yield, and of ties.
    pub elastic: f64,
    /// Of the deformation of blocks: of their strain, and of what moves in them beside the rigid motion.
    #[serde(default)]
    pub deformation: f64,
    /// Given by supports and loads since the start.
    pub input: f64,
    /// Taken by impacts and by damage of bonds since the start, less what associated friction lifted blocks by and they have not fallen back from.
    pub impact: f64,
    /// Taken by friction since the start.
    pub friction: f64,
    /// Taken by dashpots of joints and by local damping since the start: explicit steps have them.
    pub viscous: f64,
    /// Taken from waves in blocks since the start: by the damping of their material, and by that of the time step.
    #[serde(default)]
    pub damped: f64,
    /// Taken by ties as they yielded and broke since the start.
    pub ties: f64,
    /// Given by contacts since the start, which nothing should: by driving overlapping blocks apart, above all.
    pub created: f64,
    /// Work that the weight has done since the start on the part of a step by which positions are ahead of velocities. It
    /// comes and goes with the speed: `m g v dt / 2` for a block that falls.
    #[serde(default)]
    pub ahead: f64,
    /// Total energy at the start.
    pub initial: f64,
    /// The largest exchange so far, which errors are measured by.
    pub scale: f64,
}

impl Energies {
    /// Kinetic, potential and elastic energy, with that of the deformation of blocks (J).
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential + self.elastic + self.deformation
    }

    /// What impacts, friction, dashpots, damping in blocks and ties that yielded took since the start (J).
    pub fn dissipated(&self) -> f64 {
        self.impact + self.friction + self.viscous + self.damped + self.ties
    }

    /// The residual of the balance, over the largest exchange so far.
    pub fn balance_error(&self) -> f64 {
        let residual = self.total() + self.ahead - self.initial - self.input - self.created + self.dissipated();
        self.relative(residual).abs()
    }

    /// What contacts created since the start, over the largest exchange so far.
    pub fn created_part(&self) -> f64 {
        self.relative(self.created)
    }

    fn relative(&self, energy: f64) -> f64 {
        if self.scale > 0.0 { energy / self.scale } else { 0.0 }
    }

    /// Takes in kinetic and potential energy of a state.
    pub(crate) fn measure(&mut self, structure: &Structure, placements: &[Placement], velocities: &[Twist]) {
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for b in structure.free() {
            let (v, placement) = (&velocities[b], &placements[b]);
            let local = placement.rotation.conjugate() * v.angular;
            let mass = structure.mass[b];
            kinetic += 0.5 * (mass * v.linear.length_squared() + local.dot(structure.inertia[b] * local));
            potential -= mass * structure.gravity.dot(placement.center - structure.center[b]);
        }
        (self.kinetic, self.potential) = (kinetic, potential);
        let exchanged = kinetic.abs() + potential.abs() + self.elastic + self.deformation + self.dissipated().abs();
        self.scale = self.scale.max(exchanged);
    }

    /// Adds the work of contacts, ties and supports over a step, and tells what the springs of ties hold more at its end
    /// (J); `links_held` is what each of them holds then. `accounts` is scratch, one for each block.
    pub(crate) fn add_contacts(&mut self, work: &Work<'_>, accounts: &mut [Account], links_held: &mut Vec<f64>) -> f64 {
        let Work { problem, solution, .. } = *work;
        accounts.fill(Account::default());
        self.created += work.given;
        self.impact -= work.held - self.elastic - work.given;
        self.elastic = work.held;
        for (k, (contact, &impulse)) in problem.contacts.iter().zip(&solution.impulses).enumerate() {
            let Some(account) = work.account(contact.bodies, accounts) else {
                continue;
            };
            let [first, second] = work.velocities(contact.bodies, contact.point);
            let [before, after] = [0, 1].map(|k| second[k] - first[k]);
            let before = before + work.jumps.get(k).map_or(DVec3::ZERO, |jump| jump[1]);
            let after = relative_after(problem, solution, k, after);
            let [first, second] = [first, second].map(|[before, after]| 0.5 * (before + after));
            let mean = 0.5 * (before + after);
            let along = contact.normal.dot(mean) * contact.normal.dot(impulse);
            account.normal -= along;
            account.tangential -= mean.dot(impulse) - along;
            self.input += support_work(work.fixed, contact.bodies, [first, second], impulse);
            if contact.compliance[0] > 0.0 {
                let change = work.spring_change(k, [before, after]);
                account.normal -= change[0];
                account.tangential -= change[1];
                account.holds = true;
                self.elastic += change[0] + change[1];
            } else if contact.gap < 0.0 {
                let [before, after] = [before, after].map(|u| contact.normal.dot(u));
                // No faster than the overlap asks for: sliding and rebounds part blocks, too.
                let rebound = -contact.restitution * before.min(0.0);
                let [before, after] = [before, after - rebound].map(|u| u.clamp(0.0, -contact.gap / problem.dt));
                account.recovered += 0.5 * contact.normal.dot(impulse) * (before + after);
            }
        }
        let mut links_change = 0.0;
        links_held.clear();
        for (k, (link, &impulse)) in problem.links.iter().zip(&solution.link_impulses).enumerate() {
            let pull = work.pulls.get(k).copied().unwrap_or(0.0);
            let start = held(link, pull, problem.dt, link.offset);
            links_held.push(start);
            let Some(account) = work.account(link.bodies, accounts) else {
                continue;
            };
            let speed = |v: [&[Twist]; 2], body: u32| {
                let arm = link.point - problem.bodies[body as usize].center;
                v.map(|v| link.force.dot(v[body as usize].at(arm)) + link.moment.dot(v[body as usize].angular))
            };
            let [first, second] = link.bodies.map(|b| speed([work.before, &solution.velocities], b));
            let jump = work.jumps.get(problem.contacts.len() + k);
            let before = second[0] - first[0] + jump.map_or(0.0, |jump| jump[1].dot(link.force));
            let ends = [before, link_after(problem, solution, k, second[1] - first[1])];
            let power = |[before, after]: [f64; 2]| 0.5 * (impulse - pull) * (before + after);
            account.normal -= power(ends);
            if link.compliance > 0.0 {
                let end = work.link_end(link, ends);
                let (after, spent) = (held(link, pull, problem.dt, end), spent(pull, problem.dt, end));
                let change = after - start;
                links_held[k] = after;
                account.normal -= change + spent;
                account.holds = true;
                self.elastic += change;
                self.ties += spent;
                links_change += change;
            }
            // The impulse acts on the second body, its opposite on the first: a support gives what it does not keep.
            let [a, b] = link.bodies.map(|b| work.fixed[b as usize]);
            self.input += if a { power(first) } else { 0.0 };
            self.input -= if b { power(second) } else { 0.0 };
        }
        accounts.iter().for_each(|account| self.close(account));
        links_change
    }

    /// Tells what an island lost from what it was given.
    fn close(&mut self, account: &Account) {
        let taken = account.normal + account.tangential;
        // Springs take nothing but by the step's own damping, and give it back and take it again as they swing: only where
        // nothing swings is it a gain that is never taken back.
        let given = if account.holds { 0.0 } else { -taken };
        let created = account.recovered.max(given).max(0.0);
        let lost = taken + created;
        // With associated friction a joint that slides opens, and friction does that work: what lifts the blocks is lent by
        // impacts, which take it as they fall back.
        let friction = account.tangential.max(0.0);
        self.created += created;
        self.friction += friction;
        self.impact += lost - friction;
    }

    /// Adds the work of a load over a step.
    pub(crate) fn add_load(&mut self, force: DVec3, couple: DVec3, before: &Twist, after: &Twist, dt: f64) {
        let linear = 0.5 * (before.linear + after.linear);
        let angular = 0.5 * (before.angular + after.angular);
        self.input += dt * (force.dot(linear) + couple.dot(angular));
    }
}

/// A step, for what contacts did in it.
pub(crate) struct Work<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) solution: &'a Solution,
    /// Velocities at the start.
    pub(crate) before: &'a [Twist],
    pub(crate) fixed: &'a [bool],
    /// Blocks at rest at the end: what they touch is left out.
    pub(crate) at_rest: &'a [bool],
    /// The island of each block.
    pub(crate) islands: &'a [u32],
    /// Weight of the velocities at the end in the change of position.
    pub(crate) theta: f64,
    /// Constant pull of each link of a tie (N s), opposite to its wrench.
    pub(crate) pulls: &'a [f64],
    /// What springs hold at the start (J), and what was given to them since the end of the last step.
    pub(crate) held: f64,
    pub(crate) given: f64,
    /// What deformation gives the second block against the first at the start, at contacts and then links; nothing where all blocks
    /// are rigid.
    pub(crate) jumps: &'a [[DVec3; 2]],
}

/// What the contacts of an island took in a step (J).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Account {
    normal: f64,
    tangential: f64,
    /// Work of driving overlapping blocks apart.
    recovered: f64,
    /// Whether springs are among them.
    holds: bool,
}

impl Work<'_> {
    /// The account of two bodies' island; none where nothing of it moves.
    fn account<'a>(&self, bodies: [u32; 2], accounts: &'a mut [Account]) -> Option<&'a mut Account> {
        let free = bodies.into_iter().find(|&b| !self.fixed[b as usize])?;
        let rests = |b: u32| self.fixed[b as usize] || self.at_rest[b as usize];
        if bodies.into_iter().all(rests) {
            return None;
        }
        accounts.get_mut(self.islands[free as usize] as usize)
    }

    /// Velocities of the two bodies at a point, each before and after.
    fn velocities(&self, bodies: [u32; 2], point: DVec3) -> [[DVec3; 2]; 2] {
        bodies.map(|b| {
            let b = b as usize;
            let arm = point - self.problem.bodies[b].center;
            [self.before[b].at(arm), self.solution.velocities[b].at(arm)]
        })
    }

    /// What the springs of a contact hold more at the end than at the start, along the normal and across it (J), for
    /// relative velocities before and after.
    fn spring_change(&self, contact: usize, [before, after]: [DVec3; 2]) -> [f64; 2] {
        let (dt, theta) = (self.problem.dt, self.theta);
        let Contact {
            normal,
            gap,
            slip,
            compliance,
            ..
        } = self.problem.contacts[contact];
        let held = |gap: f64, slip: DVec3| stored(compliance.map(|e| theta * e), dt, gap, slip);
        // The problem is stated for the part of the way that the velocities at the end make.
        let along = normal.dot(before);
        let made = (1.0 - theta) * dt;
        let start = held(
            theta * gap - made * along,
            theta * slip - made * (before - along * normal),
        );
        let slip_after = self.solution.elastic_slip[contact];
        let end = stored_after(&self.problem.contacts[contact], theta, dt, after, slip_after);
        [end[0] - start[0], end[1] - start[1]]
    }

    /// The offset of a link at the end, for speeds of its ends towards each other before and after.
    fn link_end(&self, link: &Link, [before, after]: [f64; 2]) -> f64 {
        link.offset + self.problem.dt * (self.theta * after + (1.0 - self.theta) * before)
    }
}

/// Work of an impulse on its second block (and its opposite on the first) where one of them is a support that moves.
fn support_work(fixed: &[bool], bodies: [u32; 2], [first, second]: [DVec3; 2], impulse: DVec3) -> f64 {
    let [a, b] = bodies.map(|b| b as usize);
    // On the free block acts the opposite of what acts on the support: what the support gives is minus its own work.
    let on_first = if fixed[a] { first.dot(impulse) } else { 0.0 };
    let on_second = if fixed[b] { -second.dot(impulse) } else { 0.0 };
    on_first + on_second
}
