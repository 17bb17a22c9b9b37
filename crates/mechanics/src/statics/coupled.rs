//! Coupled rigid-block analysis (paper 004, eq. 11 and 14): forces that one small motion of the blocks calls up.
//!
//! Every joint must first close the same small opening. What presses is closed by the motion, and friction acts against
//! the sliding. With a tangential compliance that is the static problem of Coulomb in the openings; any compliance gives a
//! solution of eq. 11, which leaves the ratio of friction to sliding free, so several are tried. What is found is checked
//! against eq. 11 itself.
//!
//! Where nothing is found, rounds of the convex problem tell why: each round opens every joint by what sliding in it would
//! raise, and closes them again. Where openings grow from round to round, the loads drive the motion faster than friction
//! without dilatancy can hold it.

use drystone_cone::{Equilibrium, EquilibriumSettings, Friction, Status, Twist};
use glam::DVec3;

use super::{
    Assembly, ContactPoint, Loads, StaticsError,
    assembly::Law,
    equilibrium::{BALANCED, Forces},
    mechanism::{Mechanism, measured},
    polish::polish,
};

/// The opening, over the size of a block.
const OPENING: f64 = 1e-4;
/// Compliances to try: motion in openings for the load of a block.
const COMPLIANCES: [f64; 9] = [1e-3, 1e-1, 1e-2, 1.0, 3e-2, 3e-1, 3e-3, 3.0, 10.0];
/// Motion in openings for a tension as large as the load of a block.
const TENSION_PRICE: f64 = 1e6;
/// What a solution may lack of eq. 11, in openings and in loads.
pub(super) const SATISFIED: f64 = 1e-8;
/// What a solution may lack, as the solver measures it, to be worth making exact.
const NEAR: f64 = 3e-2;
/// Sliding, in openings, beyond which a motion is no longer small.
const FARTHEST: f64 = 1e5;
/// Where force and opening are both small, the smaller counts times this.
const BOTH: f64 = 2e-2;
/// What is left over on a block counts by all that acts on it, times this.
const ALONE: f64 = 1e-5;
/// Rounds of the convex problem.
const ROUNDS: usize = 60;
/// Points from which an assembly is large.
const LARGE: usize = 2000;
/// Growth of the openings, over where they began, beyond which they are taken to grow for ever.
const GROWN: f64 = 1e7;

/// A solution of eq. 11.
#[derive(Clone, Debug)]
pub(super) struct Called {
    pub(super) forces: Forces,
    /// The motion that calls them up (unit: m and rad).
    pub(super) motions: Vec<Twist>,
    /// What every joint has to close (unit: m).
    pub(super) opening: f64,
    /// How well it satisfies eq. 11.
    pub(super) lack: Lack,
    /// Largest motion at a joint, in openings: the nearer to the limit, the larger.
    pub(super) reach: f64,
}

/// What is lacking of eq. 11, in openings and in loads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lack {
    balance: f64,
    cone: f64,
    closure: f64,
    complementarity: f64,
    alignment: f64,
}

impl Lack {
    pub(super) fn largest(&self) -> f64 {
        [
            self.balance,
            self.cone,
            self.closure,
            self.complementarity,
            self.alignment,
        ]
        .into_iter()
        .fold(0.0, |a, b| if b.is_nan() { f64::INFINITY } else { a.max(b) })
    }
}

/// Looks for a solution of eq. 11, or of eq. 14 where tension is allowed at a price.
pub(super) fn called_up(
    assembly: &Assembly,
    loads: &Loads,
    solver: &mut Equilibrium,
    tension: bool,
) -> Result<Option<Called>, StaticsError> {
    let blocks = assembly.free().count() as f64;
    let scaled = assembly.scaled(loads);
    // What tension costs is motion: as far as its price.
    let farthest = if tension { f64::INFINITY } else { FARTHEST };
    let mut best: Option<Called> = None;
    for compliance in tries(assembly) {
        let law = Law {
            gaps: &|_| 1.0,
            compliance: [0.0, compliance * blocks],
            tension: tension.then_some(TENSION_PRICE * blocks),
        };
        let problem = assembly.problem(&law, |_| Twist::ZERO);
        solver.settings = EquilibriumSettings {
            friction: Friction::Coulomb,
            ..EquilibriumSettings::default()
        };
        let balance = solver.solve(&problem, &scaled)?;
        let near = balance.balance <= NEAR && balance.gap <= NEAR;
        if !(near || balance.status == Status::Solved) {
            continue;
        }
        let forces = Forces::new(assembly, balance, loads.size(assembly));
        let motions: Vec<Twist> = balance.motions.iter().map(|m| in_openings(assembly, m)).collect();
        let mut called = finish(assembly, loads, forces, &motions);
        if called.lack.largest() > SATISFIED
            && !tension
            && let Some((forces, motions)) = polish(assembly, loads, &called.forces, &motions, compliance)
        {
            called = finish(assembly, loads, forces, &motions);
        }
        if called.lack.largest() <= SATISFIED && called.reach <= farthest {
            return Ok(Some(called));
        }
        if best.as_ref().is_none_or(|b| called.lack.largest() < b.lack.largest()) {
            best = Some(called);
        }
    }
    Ok(best.filter(|b| b.reach <= farthest))
}

/// Compliances worth trying: of large assemblies fewer, for each takes seconds.
fn tries(assembly: &Assembly) -> impl Iterator<Item = f64> {
    let few = assembly.points.len() > LARGE;
    COMPLIANCES.into_iter().take(if few { 2 } else { COMPLIANCES.len() })
}

/// Motions of the contact problem have rotations by the unit of length.
fn in_openings(assembly: &Assembly, motion: &Twist) -> Twist {
    Twist {
        linear: motion.linear,
        angular: motion.angular / assembly.length,
    }
}

/// Measures a solution, and gives it its units. Motions come in openings.
fn finish(assembly: &Assembly, loads: &Loads, forces: Forces, motions: &[Twist]) -> Called {
    let size = loads.size(assembly);
    let mut lack = Lack {
        balance: unbalanced(assembly, loads, &forces),
        ..Lack::default()
    };
    let mut reach = 0.0_f64;
    for (k, (point, force)) in assembly.points.iter().zip(&forces.contact).enumerate() {
        let d = assembly.relative(motions, point);
        reach = reach.max(d.length());
        let tension = forces.tension.get(k).copied().unwrap_or(0.0) / size;
        lack.add(point, *force / size, d, tension);
    }
    let opening = OPENING * assembly.length;
    let real = |m: &Twist| Twist {
        linear: m.linear * opening,
        angular: m.angular * opening,
    };
    Called {
        motions: motions.iter().map(real).collect(),
        forces,
        opening,
        lack,
        reach,
    }
}

impl Lack {
    /// Takes in what one point lacks: eq. 4, 9, 10 and 13.
    fn add(&mut self, point: &ContactPoint, force: DVec3, d: DVec3, tension: f64) {
        let (f_n, d_n) = (force.dot(point.normal), d.dot(point.normal));
        let (f_t, d_t) = (force - f_n * point.normal, d - d_n * point.normal);
        let open = d_n + 1.0;
        self.cone = self.cone.max(f_t.length() - point.friction * f_n).max(-f_n);
        // What is glued may be pulled open, never entered.
        self.closure = self.closure.max(-open);
        self.complementarity = self.complementarity.max((f_n * open).abs()).max((f_n * tension).abs());
        // Whichever of the two vanishes must do so visibly, not only their product.
        self.complementarity = self.complementarity.max(BOTH * f_n.min(open).abs());
        let slide = d_t.length();
        let wrong = if slide > 0.0 {
            let way = d_t / slide;
            let along = f_t.dot(way);
            (f_t - along * way).length().max(along)
        } else {
            f_t.length()
        };
        self.alignment = self.alignment.max(wrong);
    }
}

/// What forces leave of the loads on any block, over the loads on all; moments by the block's radius. So that a light block
/// among heavy ones is not forgotten, a hundred-thousandth of what is left counts over all that acts on the block itself.
pub(super) fn unbalanced(assembly: &Assembly, loads: &Loads, forces: &Forces) -> f64 {
    let mut left: Vec<drystone_cone::Wrench> = loads.wrenches.clone();
    let mut acting: Vec<f64> = left.iter().map(|w| w.force.length()).collect();
    let mut act = |b: u32, force: DVec3, at: DVec3| {
        acting[b as usize] += force.length();
        let w = &mut left[b as usize];
        w.force += force;
        w.moment += (at - assembly.center[b as usize]).cross(force);
    };
    for (k, (point, force)) in assembly.points.iter().zip(&forces.contact).enumerate() {
        let tension = forces.tension.get(k).copied().unwrap_or(0.0);
        let total = *force - tension * point.normal;
        act(point.blocks[1], total, point.position);
        act(point.blocks[0], -total, point.position);
    }
    for (tie, tension) in assembly.ties.iter().zip(&forces.ties) {
        let pull = (tie.ends[1] - tie.ends[0]).normalize_or_zero() * *tension;
        act(tie.blocks[0], pull, tie.ends[0]);
        act(tie.blocks[1], -pull, tie.ends[1]);
    }
    let size = loads.size(assembly);
    let one = |b: usize| {
        let rest = left[b].force.length().max(left[b].moment.length() / assembly.radius[b]);
        let alone = if acting[b] > 0.0 { ALONE * rest / acting[b] } else { 0.0 };
        (rest / size).max(alone)
    };
    assembly.free().map(one).fold(0.0, f64::max)
}

/// How openings grow from round to round.
#[derive(Clone, Debug)]
pub(super) struct Growth {
    /// Ratio of the last two increments; below one where they die out.
    pub(super) ratio: f64,
    /// Whether they grow without bound.
    pub(super) unbounded: bool,
    /// The motion that they tend to, the fastest point at 1 m/s.
    pub(super) mechanism: Option<Mechanism>,
}

/// Rounds of the convex problem, each with the openings that the sliding of the last asks for.
pub(super) fn growth(
    assembly: &Assembly,
    loads: &Loads,
    solver: &mut Equilibrium,
) -> Result<Option<Growth>, StaticsError> {
    let blocks = assembly.free().count() as f64;
    let scaled = assembly.scaled(loads);
    let compliance = COMPLIANCES[0] * blocks;
    let mut rounds = Rounds {
        raised: vec![0.0; assembly.points.len()],
        ..Rounds::default()
    };
    let mut jumped = false;
    for round in 0..if assembly.points.len() > LARGE {
        ROUNDS / 3
    } else {
        ROUNDS
    } {
        let raised = &rounds.raised;
        let law = Law {
            gaps: &|i| 1.0 + raised[i],
            compliance: [0.0, compliance],
            tension: None,
        };
        let mut problem = assembly.problem(&law, |_| Twist::ZERO);
        for (contact, force) in problem.contacts.iter_mut().zip(&rounds.forces) {
            contact.guess = *force;
        }
        solver.settings = EquilibriumSettings {
            warm_start: round > 0 && !jumped,
            ..EquilibriumSettings::default()
        };
        let balance = solver.solve(&problem, &scaled)?;
        if balance.status == Status::Infeasible || balance.balance > 1e3 * BALANCED {
            return Ok(None);
        }
        let before = rounds.increment;
        rounds.take(assembly, balance, compliance);
        let ratio = rounds.increment / before;
        let largest = rounds.raised.iter().copied().fold(0.0, f64::max);
        let settled = (ratio - rounds.ratio).abs() < 1e-4;
        rounds.ratio = ratio;
        if rounds.increment < 1e-6 {
            return Ok(Some(rounds.conclude(assembly, loads, false)));
        }
        if largest > GROWN {
            let unbounded = !jumped || rounds.increment > 0.5 * before;
            return Ok(Some(rounds.conclude(assembly, loads, unbounded)));
        }
        // Openings that grow at the same rate, round after round: far ahead they must still.
        if round > 6 && settled && ratio > 0.9999 && !jumped {
            jumped = true;
            let far = 2.0 * GROWN / rounds.increment;
            for (raised, step) in rounds.raised.iter_mut().zip(&rounds.step) {
                *raised = (*raised + far * step).max(0.0);
            }
        }
    }
    Ok(Some(rounds.conclude(assembly, loads, false)))
}

#[derive(Debug, Default)]
struct Rounds {
    raised: Vec<f64>,
    step: Vec<f64>,
    forces: Vec<DVec3>,
    motions: Vec<Twist>,
    increment: f64,
    ratio: f64,
}

impl Rounds {
    fn take(&mut self, assembly: &Assembly, balance: &drystone_cone::Balance, compliance: f64) {
        self.forces.clone_from(&balance.forces);
        self.motions.clone_from(&balance.motions);
        self.step.resize(self.raised.len(), 0.0);
        self.increment = 0.0;
        for (i, point) in assembly.points.iter().enumerate() {
            let across = |v: DVec3| v - v.dot(point.normal) * point.normal;
            let slip = across(balance.relative[i]) + compliance * across(balance.forces[i]);
            let asked = point.friction * slip.length();
            self.step[i] = asked - self.raised[i];
            // What does not press raises nothing.
            if balance.forces[i].dot(point.normal) > 1e-9 {
                self.increment = self.increment.max(self.step[i].abs());
            }
            self.raised[i] = asked;
        }
    }

    fn conclude(self, assembly: &Assembly, loads: &Loads, unbounded: bool) -> Growth {
        let motions = self.motions.iter().map(|m| in_openings(assembly, m));
        Growth {
            ratio: self.ratio,
            unbounded,
            mechanism: measured(assembly, loads, motions.collect(), false),
        }
    }
}
