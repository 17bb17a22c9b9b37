//! Coupled rigid-block analysis (paper 004, eq. 11 and 14): forces that one small motion of the blocks mobilises.
//!
//! Every joint must first close the same small opening. What presses is closed by the motion, and friction acts against
//! the sliding. With the forces given, that is a convex problem in the motion (`mobilise`): it is asked of the forces of
//! least norm first. With a tangential compliance it is the static problem of Coulomb in the openings; any compliance gives
//! a solution of eq. 11, which leaves the ratio of friction to sliding free, so several are tried. Where none is found that
//! way, what came nearest is led on (`restore`), with every ratio free. What is found is checked against eq. 11 itself
//! (`lack`).
//!
//! Where nothing is found, rounds of the convex problem tell why (`growth`).

mod growth;
mod lack;
mod mobilise;
mod polish;
mod restore;

use drystone_cone::{Equilibrium, EquilibriumSettings, Friction, Status, Stop, Twist};

pub(super) use self::{
    growth::{Growth, growth},
    mobilise::mobilise,
};
use self::{lack::Lack, polish::polish, restore::restore};
use super::{Assembly, Loads, StaticsError, assembly::Law, equilibrium::Forces, evidence::Balanced};

/// The opening, over the size of a block.
const OPENING: f64 = 1e-5;
/// Compliances to try: motion in openings for the load of a block.
const COMPLIANCES: [f64; 9] = [1e-3, 1e-1, 1e-2, 1.0, 3e-2, 3e-1, 3e-3, 3.0, 10.0];
/// Motion in openings for a tension as large as the load of a block.
const TENSION_PRICE: f64 = 1e6;
/// What a solution may lack of eq. 11, in openings and in loads.
pub(super) const SATISFIED: f64 = 1e-8;
/// What a solution may lack, as the solver measures it, to be worth making exact.
const NEAR: f64 = 3e-2;
/// What it may lack to be worth leading on.
const FAR: f64 = 1e3;
/// Motion at a joint, in openings, beyond which it is no longer small: a hundredth of a block, as far as paper 004 goes.
const FARTHEST: f64 = 1e3;
/// Points from which an assembly is large.
const LARGE: usize = 2000;
/// Friction, over that of the joints, from which a solution is led down to it.
const ROUGHER: [f64; 2] = [1.003, 1.01];
/// Stages of that.
const STAGES: usize = 12;
/// Compliances to try for that.
const FEW: usize = 3;

/// A solution of eq. 11.
#[derive(Clone, Debug)]
pub(super) struct Called {
    pub(super) forces: Forces,
    /// The motion that mobilises them (unit: m and rad).
    pub(super) motions: Vec<Twist>,
    /// What every joint has to close (unit: m).
    pub(super) opening: f64,
    /// How well the forces balance the loads.
    pub(super) balance: Balanced,
    /// How well it satisfies eq. 11.
    pub(super) lack: Lack,
    /// Largest motion at a joint, in openings: the nearer to the limit, the larger.
    pub(super) reach: f64,
}

impl Called {
    /// Whether it satisfies eq. 11.
    pub(super) fn is_solution(&self) -> bool {
        self.lack.largest() <= SATISFIED && self.reach <= FARTHEST
    }

    /// Where to look for a solution under other loads.
    pub(super) fn as_start(&self) -> Start {
        let opening = self.opening;
        let back = |m: &Twist| Twist {
            linear: m.linear / opening,
            angular: m.angular / opening,
        };
        Start {
            lack: self.lack.largest(),
            forces: self.forces.clone(),
            motions: self.motions.iter().map(back).collect(),
        }
    }
}

/// Forces and a motion, in openings, from where a solution may be near.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// What they lack, as the solver measured it.
    lack: f64,
    forces: Forces,
    motions: Vec<Twist>,
}

/// What a look at several compliances gave.
#[derive(Debug, Default)]
pub(super) struct Look {
    /// A solution, or what satisfies eq. 11 best.
    pub(super) best: Option<Called>,
    /// What came near, the nearest first.
    pub(super) starts: Vec<Start>,
}

impl Look {
    /// A solution, if one was found.
    pub(super) fn solution(&self) -> Option<&Called> {
        self.best.as_ref().filter(|b| b.is_solution())
    }
}

/// Looks for a solution of eq. 11, or of eq. 14 where tension is allowed at a price.
pub(super) fn called_up(
    assembly: &Assembly,
    loads: &Loads,
    solver: &mut Equilibrium,
    tension: bool,
) -> Result<Look, StaticsError> {
    // What tension costs is motion: as far as its price.
    let farthest = if tension { f64::INFINITY } else { FARTHEST };
    let mut look = Look::default();
    for compliance in tries(assembly) {
        let (status, start) = attempt(assembly, loads, solver, compliance, tension)?;
        if start.lack > FAR {
            continue;
        }
        if start.lack <= NEAR || status == Status::Solved {
            let mut called = finish(assembly, loads, start.forces.clone(), &start.motions);
            if called.lack.largest() > SATISFIED
                && !tension
                && let Some((forces, motions)) =
                    polish(assembly, loads, &start.forces, &start.motions, Some(compliance))
            {
                called = finish(assembly, loads, forces, &motions);
            }
            let better = |b: &Called| called.lack.largest() < b.lack.largest();
            let found = called.lack.largest() <= SATISFIED;
            if called.reach <= farthest && look.best.as_ref().is_none_or(better) {
                look.best = Some(called);
                if found {
                    return Ok(look);
                }
            }
        }
        look.starts.push(start);
    }
    look.starts.sort_by(|a, b| a.lack.total_cmp(&b.lack));
    Ok(look)
}

/// Forces and a motion by one compliance, whether or not they are near a solution.
fn attempt(
    assembly: &Assembly,
    loads: &Loads,
    solver: &mut Equilibrium,
    compliance: f64,
    tension: bool,
) -> Result<(Status, Start), StaticsError> {
    let blocks = assembly.free().count() as f64;
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
    let balance = solver.solve(&problem, &assembly.scaled(loads))?;
    let start = Start {
        lack: balance.balance.max(balance.gap),
        forces: Forces::new(assembly, balance, loads.size(assembly)),
        motions: balance.motions.iter().map(|m| in_openings(assembly, m)).collect(),
    };
    Ok((balance.status, start))
}

/// Leads what came near to a solution. The loads must be such that forces balance them.
pub(super) fn lead(assembly: &Assembly, loads: &Loads, starts: &[Start], stop: &Stop) -> Option<Called> {
    starts.iter().find_map(|start| lead_from(assembly, loads, start, stop))
}

fn lead_from(assembly: &Assembly, loads: &Loads, start: &Start, stop: &Stop) -> Option<Called> {
    restore(
        assembly,
        loads,
        (&start.forces, &start.motions),
        stop,
        |forces, motions| {
            let (forces, motions) = polish(assembly, loads, &forces, &motions, None)?;
            Some(finish(assembly, loads, forces, &motions)).filter(Called::is_solution)
        },
    )
}

/// Leads a solution with somewhat more friction down to that of the joints.
pub(super) fn lead_down(
    assembly: &Assembly,
    loads: &Loads,
    solver: &mut Equilibrium,
    stop: &Stop,
) -> Result<Option<Called>, StaticsError> {
    if !restore::is_worth_it(assembly) {
        return Ok(None);
    }
    let mut rough = assembly.clone();
    for most in ROUGHER {
        roughen(&mut rough, assembly, most);
        let mut found = None;
        for compliance in tries(assembly).take(FEW) {
            let (_, start) = attempt(&rough, loads, solver, compliance, false)?;
            found = found.or_else(|| lead_from(&rough, loads, &start, stop));
        }
        let Some(mut found) = found else { continue };
        let (mut at, mut step) = (most, 0.5 * (most - 1.0));
        for _ in 0..STAGES {
            let next = (at - step).max(1.0);
            roughen(&mut rough, assembly, next);
            let mut start = found.as_start();
            start.shrink(assembly, next / at);
            match lead_from(&rough, loads, &start, stop) {
                Some(_) if next <= 1.0 => return Ok(lead_from(assembly, loads, &start, stop)),
                Some(nearer) => (found, at) = (nearer, next),
                None => step *= 0.25,
            }
        }
    }
    Ok(None)
}

fn roughen(rough: &mut Assembly, assembly: &Assembly, by: f64) {
    for (rough, own) in rough.points.iter_mut().zip(&assembly.points) {
        rough.friction = by * own.friction;
    }
}

impl Start {
    /// Takes friction down in proportion to its limit.
    fn shrink(&mut self, assembly: &Assembly, by: f64) {
        for (force, point) in self.forces.contact.iter_mut().zip(&assembly.points) {
            let normal = force.dot(point.normal) * point.normal;
            *force = normal + by * (*force - normal);
        }
    }
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
    let balance = Balanced::of(assembly, loads, &forces);
    let mut lack = Lack::of_balance(balance.worst());
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
        balance,
        lack,
        reach,
    }
}
