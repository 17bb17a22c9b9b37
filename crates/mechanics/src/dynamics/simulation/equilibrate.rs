//! Static equilibria on the deformed shape, one after another: joints that yield, Coulomb friction, bonds and all history.
//!
//! A round states the contacts where the blocks are and finds the forces of least elastic energy that balance the loads within
//! the friction cones: one cone problem, whose multipliers are the displacements (Newton's method on the elastic energy, in which
//! unilateral contact and friction are exact). Blocks are moved by these and it is stated again, until they stay. A joint that
//! has to slide opens by it in one round (associated friction) and is closed in the next, so that what is reached is an
//! equilibrium with Coulomb friction, mobilised by displacement. There is none where no forces balance the loads, which
//! the problem proves with a motion, or where closing the joints takes ever more motion.

use drystone_cone::{Equilibrium, Link, LinkKind, Twist, Wrench};
use drystone_contact::Placement;
use glam::DVec3;

use super::{
    super::{SimulationError, State, TieState, bonds::BondState, memory::Memory, springs::yields},
    Simulation,
    round::{Round, Slow},
};

/// Impulses of static forces are over a second.
pub(super) const SECOND: f64 = 1.0;
/// Rounds of a step.
const ROUNDS: usize = 60;
/// Rounds that move blocks by more than the best before, after which a step counts as not found.
const PATIENCE: usize = 12;
/// Rounds that move blocks by less than this fraction of their size, and do not come to rest, may go to and fro.
const SWINGS: f64 = 1e-3;
/// Rounds without progress after which what strains nothing counts as at rest.
const STAGNANT: usize = 3;
/// A round may move blocks by this fraction of their size; the load step is too long otherwise.
const FARTHEST: f64 = 0.1;

/// What a structure is brought into equilibrium with.
#[derive(Clone, Debug, PartialEq)]
pub struct Acting {
    /// Gravity (unit: m/s²).
    pub gravity: DVec3,
    /// Factor of the weight of each block.
    pub weights: Vec<f64>,
    /// Factor of each load case that the simulation was made with.
    pub factors: Vec<f64>,
    /// Where supports are.
    pub supports: Vec<(usize, Placement)>,
    /// How much every joint has shrunk (unit: m).
    pub shrinkage: f64,
    /// A point that is held where it is told.
    pub held: Option<HeldPoint>,
    /// Blocks stay where a round moves them by no more than this fraction of what the springs that carry are compressed by.
    pub closed: f64,
    /// How long the step is beside the last that was found, which it goes on from in proportion as a first guess; zero where it
    /// is something else.
    pub ahead: f64,
}

/// A point of a block that is held in one direction, as by the jack of a testing machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldPoint {
    /// The block.
    pub block: usize,
    /// From its centre, as it stands at first (unit: m).
    pub arm: DVec3,
    /// Unit vector.
    pub direction: DVec3,
    /// Where it is held along the direction (unit: m).
    pub at: f64,
}

impl HeldPoint {
    /// Where the point is.
    pub fn point(&self, placements: &[Placement]) -> DVec3 {
        let p = &placements[self.block];
        p.center + p.rotation * self.arm
    }

    /// The link that holds it to a support.
    pub(super) fn link(&self, support: u32, placements: &[Placement]) -> Link {
        let point = self.point(placements);
        Link {
            force: self.direction,
            offset: self.direction.dot(point) - self.at,
            ..Link::rod([support, self.block as u32], point, point, 0.0)
        }
    }
}

/// How a search for equilibrium ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Equilibrated {
    /// It is one.
    Found {
        /// Rounds it took.
        rounds: usize,
        /// How far the last round moved a block or strained a joint (unit: m).
        residual: f64,
        /// Force on the point that is held, along its direction (unit: N); zero where none is.
        reaction: f64,
    },
    /// No forces balance the loads: a motion that nothing resists, by block. The structure is where it was.
    NoForces(Vec<Twist>),
    /// The rounds went on moving blocks, by as much in the last (unit: m). The structure is where it was.
    NotFound(Vec<Twist>, f64),
}

/// What a search that finds nothing leaves as it was.
struct Kept {
    placements: Vec<Placement>,
    memory: Memory,
    bonds: Vec<BondState>,
    ties: Vec<TieState>,
    shrinkage: f64,
}

/// A support that was moved.
#[derive(Debug)]
pub(super) struct Shift {
    block: usize,
    from: Placement,
    to: Placement,
    /// A bound of the way of its points (m).
    by: f64,
}

impl Shift {
    /// How far the point of it was moved that is here now.
    fn at(&self, point: DVec3) -> DVec3 {
        let local = self.to.rotation.conjugate() * (point - self.to.center);
        point - (self.from.center + self.from.rotation * local)
    }
}

impl Simulation {
    /// Brings the structure into equilibrium from where it is.
    pub fn equilibrate(
        &mut self,
        acting: &Acting,
        equilibrium: &mut Equilibrium,
    ) -> Result<Equilibrated, SimulationError> {
        let kept = Kept {
            placements: self.state.placements.clone(),
            memory: self.state.memory.clone(),
            bonds: self.state.bonds.clone(),
            ties: self.state.ties.clone(),
            shrinkage: self.shrinkage,
        };
        let mut outcome = self.rounds(acting, equilibrium, 1.0)?;
        if matches!(outcome, Equilibrated::NotFound(_, moved) if moved < SWINGS * self.structure.length) {
            // Rounds may go to and fro, as friction lets them: then they are taken by half.
            self.put_back(&kept);
            outcome = self.rounds(acting, equilibrium, 0.5)?;
        }
        match outcome {
            Equilibrated::Found { .. } => self.state.step += 1,
            _ => self.put_back(&kept),
        }
        Ok(outcome)
    }

    fn put_back(&mut self, kept: &Kept) {
        let State {
            placements,
            memory,
            bonds,
            ties,
            ..
        } = &mut self.state;
        placements.clone_from(&kept.placements);
        memory.clone_from(&kept.memory);
        bonds.clone_from(&kept.bonds);
        ties.clone_from(&kept.ties);
        self.shrinkage = kept.shrinkage;
    }

    /// Rounds until blocks stay. Where they do not come closer, blocks are moved by `swings` of what a round finds.
    fn rounds(
        &mut self,
        acting: &Acting,
        equilibrium: &mut Equilibrium,
        swings: f64,
    ) -> Result<Equilibrated, SimulationError> {
        (self.shrinkage, self.problem.dt) = (acting.shrinkage, SECOND);
        self.shifts = self.shift_supports(&acting.supports);
        let shifted = self.shifts.iter().map(|s| s.by).fold(0.0, f64::max);
        let moves: Vec<bool> = (0..self.structure.len())
            .map(|b| !(self.structure.fixed[b] || self.absent[b]))
            .collect();
        let bonds_at_start = self.state.bonds.clone();
        let (mut last, mut least, mut worse) = (shifted, f64::INFINITY, 0);
        for round in 1..=ROUNDS {
            self.detect_around(4.0 * last + self.apart);
            self.bonds.begin(&self.state.bonds);
            self.crushing.begin();
            self.ties.choose(&self.structure, &self.state.ties);
            self.state_round();
            let loads = self.acting(acting);
            let mut is_forecast = false;
            if round == 1 {
                let contacts = &mut self.problem.contacts;
                self.forecast.begin(&self.state.placements, contacts);
                is_forecast = self.forecast.apply(acting.ahead, contacts, equilibrium);
            }
            let slow = Slow {
                acting,
                is_forecast,
                share: if worse >= STAGNANT { swings } else { 1.0 },
            };
            let (moved, strained) = match self.round(&moves, &loads, equilibrium, Some(slow))? {
                Round::Moved { farthest, strained } => (farthest, strained),
                Round::Unbalanced(motion, true) => return Ok(Equilibrated::NoForces(motion)),
                Round::Unbalanced(motion, false) => return Ok(Equilibrated::NotFound(motion, f64::INFINITY)),
            };
            self.shifts.clear();
            // What stays is there. Where blocks go on moving and strain nothing, nothing resists that motion, and they are there,
            // too, unless they turned so far that they are not where the linear motion says.
            let allowed = acting.closed * self.compression();
            let unstrained = strained.max(moved * moved / self.structure.length);
            let is_there = moved <= allowed || (worse >= STAGNANT && unstrained <= allowed);
            if is_there && self.crushing.is_settled() && !self.tie_broke() {
                let reaction = match acting.held {
                    Some(_) => equilibrium.solution().link_forces.last().copied().unwrap_or(0.0),
                    None => 0.0,
                };
                self.forecast.end(&self.state.placements, &self.problem.contacts);
                return Ok(Equilibrated::Found {
                    rounds: round,
                    residual: moved.min(unstrained),
                    reaction,
                });
            }
            // What a round damages on its way is damaged for good only where it is the last.
            for (bond, start) in self.state.bonds.iter_mut().zip(&bonds_at_start) {
                bond.damage = start.damage;
            }
            last = moved;
            worse = if moved < 0.9 * least { 0 } else { worse + 1 };
            least = least.min(moved);
            let too_far = moved.is_nan() || moved > FARTHEST * self.structure.length + 2.0 * shifted;
            if too_far || worse > PATIENCE {
                break;
            }
        }
        Ok(Equilibrated::NotFound(equilibrium.solution().motions.clone(), last))
    }

    /// Takes over what an equilibrium did to the ties, and tells whether one broke: then it is none.
    fn tie_broke(&mut self) -> bool {
        let State { placements, ties, .. } = &mut self.state;
        let broken = |ties: &[TieState]| ties.iter().filter(|t| t.ruptured).count();
        let before = broken(ties);
        let links = &self.solution.link_impulses;
        self.ties.after(&self.structure, placements, links, [SECOND, 0.0], ties);
        broken(ties) > before
    }

    /// Puts supports elsewhere, and tells which were moved.
    fn shift_supports(&mut self, supports: &[(usize, Placement)]) -> Vec<Shift> {
        let mut shifts = Vec::new();
        for &(block, to) in supports {
            let by = self.way_of(block, &to);
            let from = std::mem::replace(&mut self.state.placements[block], to);
            if by > 0.0 {
                shifts.push(Shift { block, from, to, by });
            }
        }
        shifts
    }

    /// States the problem of a round. Friction is dragged along by supports that were moved before it; what they closed or
    /// opened is in the gaps.
    pub(super) fn state_round(&mut self) {
        for (body, placement) in self.problem.bodies.iter_mut().zip(&self.state.placements) {
            body.center = placement.center;
        }
        self.state_problem(SECOND, 1.0, 0.0);
        self.crushing
            .state(&self.structure, &self.springs, &mut self.problem.contacts);
        let shifts = &self.shifts;
        for contact in &mut self.problem.contacts {
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let block = contact.bodies[side] as usize;
                if let Some(shift) = shifts.iter().find(|s| s.block == block) {
                    let moved = sign * shift.at(contact.point);
                    contact.slip += moved - moved.dot(contact.normal) * contact.normal;
                }
            }
        }
    }

    /// Forces and couples on blocks where they are.
    fn acting(&mut self, acting: &Acting) -> Vec<Wrench> {
        self.forces.fill([DVec3::ZERO; 2]);
        self.loads
            .add_by_factors(&acting.factors, &self.state.placements, &mut self.forces);
        let weight = |b: usize| acting.weights[b] * self.structure.mass[b] * acting.gravity;
        let forces = self.forces.iter().enumerate();
        forces
            .map(|(b, [force, moment])| Wrench {
                force: weight(b) + *force,
                moment: *moment,
            })
            .collect()
    }

    /// The mean of what springs that carry are compressed or stretched by (m).
    fn compression(&self) -> f64 {
        let contacts = self.problem.contacts.iter().enumerate();
        let contacts = contacts.filter(|(k, c)| yields(c) && !self.crushing.yields(*k));
        let pressed = contacts.map(|(_, c)| c.compliance[0] * c.normal.dot(c.guess));
        let links = self.problem.links.iter().filter(|l| l.kind == LinkKind::OneWay);
        let pulled = links.map(|l| l.compliance * l.guess);
        let each = pressed.chain(pulled).filter(|&x| x > 0.0);
        let (sum, count) = each.fold((0.0, 0_usize), |(sum, n), x| (sum + x, n + 1));
        if count > 0 { sum / count as f64 } else { 0.0 }
    }

    /// Puts blocks that were absent where they are drawn. They touch what is there without a force, although that has moved.
    pub fn build(&mut self, blocks: &[usize]) {
        for &b in blocks {
            self.absent[b] = false;
        }
        let moved = |b: usize| self.state.placements[b].center.distance(self.structure.center[b]);
        let farthest = (0..self.structure.len()).map(moved).fold(0.0, f64::max);
        self.apart = self.apart.max(2.0 * farthest);
        self.detect_around(self.apart);
        self.state_problem(SECOND, 1.0, 0.0);
        let is_new = |b: &u32| blocks.contains(&(*b as usize));
        for (contact, spring) in self.problem.contacts.iter().zip(&mut self.springs) {
            if yields(contact) && contact.bodies.iter().any(is_new) {
                spring.rest -= contact.gap;
            }
        }
        self.remember();
    }

    /// Takes blocks away, or leaves them out until they are built.
    pub fn remove(&mut self, blocks: &[usize]) {
        for &b in blocks {
            self.absent[b] = true;
        }
    }

    /// Which blocks are not there.
    pub fn absent(&self) -> &[bool] {
        &self.absent
    }
}
