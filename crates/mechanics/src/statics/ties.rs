//! Ties that yield, in statics.
//!
//! Forces in the friction cones, of ties that pull and of rods make a cone; a tie that carries at most its yield force Y does not.
//! So such a tie is put from below, as one that pulls with any force, or from above: as the load of its pull Y, and a strut in its
//! line that carries `Y - f` and only pushes. Each leaves out one of the bounds `0 <= f <= Y`. If the answer keeps it all the
//! same, it is that of the structure with both. If no forces are found, there are none within both bounds, either, and the motion
//! that proves it lengthens no tie put from below, while the loads have paid Y for what those put from above lengthen by.

use super::{Check, Evidence, Limit, Loads, StaticsError, Structure, Verdict};

/// Answers after which ties still change sides.
const ROUNDS: usize = 12;
/// Forces beyond a bound that are rounding, over the yield force.
const ROUNDING: f64 = 1e-9;

/// Whether a tie yields.
pub(super) fn any_yields(structure: &Structure) -> bool {
    structure.ties.iter().any(|tie| tie.law.yield_force.is_finite())
}

/// The structure with ties put from below or from above, and none that yields.
pub(super) fn stated(structure: &Structure, above: &[bool]) -> Structure {
    let mut stated = structure.clone();
    for (tie, &above) in stated.ties.iter_mut().zip(above) {
        tie.law.yield_force = f64::INFINITY;
        if above {
            // A force has the same moment anywhere on its line.
            tie.ends.swap(0, 1);
        }
    }
    stated
}

/// The loads with the pulls of the ties that are put from above.
pub(super) fn pulled(structure: &Structure, loads: &Loads, above: &[bool]) -> Loads {
    let mut loads = loads.clone();
    for (tie, _) in structure.ties.iter().zip(above).filter(|(_, above)| **above) {
        let pull = (tie.ends[1] - tie.ends[0]).normalize_or_zero() * tie.law.yield_force;
        for (side, force) in [(0, pull), (1, -pull)] {
            let block = tie.blocks[side] as usize;
            if !structure.fixed[block] {
                let wrench = &mut loads.wrenches[block];
                wrench.force += force;
                wrench.moment += (tie.ends[side] - structure.center[block]).cross(force);
            }
        }
    }
    loads
}

/// Turns forces of ties into those of struts where they are put from above, and back.
pub(super) fn turned(structure: &Structure, above: &[bool], forces: &mut [f64]) {
    for ((tie, _), force) in structure
        .ties
        .iter()
        .zip(above)
        .zip(forces)
        .filter(|((_, above), _)| **above)
    {
        *force = tie.law.yield_force - *force;
    }
}

/// Takes rounding off forces of ties.
pub(super) fn clamp(structure: &Structure, forces: &mut [f64]) {
    for (tie, force) in structure.ties.iter().zip(forces) {
        if tie.law.yield_force.is_finite() {
            *force = force.clamp(0.0, tie.law.yield_force);
        }
    }
}

/// Puts ties the other way whose forces are beyond the bound that was left out. Whether there is one.
pub(super) fn turn(structure: &Structure, forces: &[f64], above: &mut [bool]) -> bool {
    let mut any = false;
    for ((tie, force), above) in structure.ties.iter().zip(forces).zip(above) {
        let most = tie.law.yield_force;
        let beyond = if *above { -force } else { force - most };
        if most.is_finite() && beyond > ROUNDING * most {
            (*above, any) = (!*above, true);
        }
    }
    any
}

/// Puts a question with ties one way and the other until every tie is within its bounds.
pub(super) fn within(
    structure: &Structure,
    loads: &Loads,
    mut ask: impl FnMut(&Structure, &Loads) -> Result<Check, StaticsError>,
) -> Result<Check, StaticsError> {
    if !any_yields(structure) {
        return ask(structure, loads);
    }
    let mut above = vec![false; structure.ties.len()];
    let mut round = 0;
    loop {
        let mut check = ask(&stated(structure, &above), &pulled(structure, loads, &above))?;
        check.tell_ties(structure, &above);
        let by_forces = check.evidence.balance().is_some();
        if !(by_forces && turn(structure, &check.tie_forces, &mut above)) {
            clamp(structure, &mut check.tie_forces);
            return Ok(check);
        }
        round += 1;
        if round == ROUNDS {
            check.verdict = Verdict::Undecided;
            check.evidence = Evidence::Nothing;
            check.reason =
                "forces were found that balance the loads, but none with every tie within its yield force".into();
            return Ok(check);
        }
    }
}

/// The same of a limit: what it rests on has every tie within its bounds.
pub(super) fn limit_within(
    structure: &Structure,
    dead: &Loads,
    mut ask: impl FnMut(&Structure, &Loads) -> Result<Limit, StaticsError>,
) -> Result<Limit, StaticsError> {
    if !any_yields(structure) {
        return ask(structure, dead);
    }
    let mut above = vec![false; structure.ties.len()];
    let mut round = 0;
    loop {
        let mut limit = ask(&stated(structure, &above), &pulled(structure, dead, &above))?;
        let was = above.clone();
        let needed = limit.needed.as_mut().map(|(_, check)| check);
        let falls = limit.falls.as_mut().map(|(_, check)| check);
        for check in [limit.stands.as_mut(), limit.falls_without.as_mut(), needed, falls]
            .into_iter()
            .flatten()
        {
            check.tell_ties(structure, &was);
        }
        // What carries the live load alone goes on for ever: no tie that yields may take part in it.
        let alone = limit.carried_alone.as_ref().map(|check| &check.tie_forces);
        let forces = limit.stands.as_ref().map(|check| &check.tie_forces);
        let again = match (alone, forces) {
            (Some(alone), _) => pulls_alone(structure, alone, &mut above),
            (None, Some(forces)) => turn(structure, forces, &mut above),
            (None, None) => false,
        };
        if !again {
            let needed = limit.needed.as_mut().map(|(_, check)| check);
            for check in [limit.stands.as_mut(), limit.carried_alone.as_mut(), needed]
                .into_iter()
                .flatten()
            {
                clamp(structure, &mut check.tie_forces);
            }
            return Ok(limit);
        }
        round += 1;
        if round == ROUNDS {
            // With a bound left out the structure carries no less: the upper bound holds.
            (limit.multiplier, limit.stands, limit.needed) = (None, None, None);
            (limit.unbounded, limit.carried_alone) = (false, None);
            limit.bounds[0] = 0.0;
            limit.note =
                "no forces were found with every tie within its yield force; the upper bound is that of a motion"
                    .into();
            return Ok(limit);
        }
    }
}

/// Puts ties the other way that take part in carrying a load that grows for ever. Whether there is one.
fn pulls_alone(structure: &Structure, forces: &[f64], above: &mut [bool]) -> bool {
    let largest = forces.iter().map(|f| f.abs()).fold(0.0, f64::max);
    let mut any = false;
    for ((tie, force), above) in structure.ties.iter().zip(forces).zip(above) {
        if tie.law.yield_force.is_finite() && force.abs() > ROUNDING * largest {
            (*above, any) = (!*above, true);
        }
    }
    any
}

impl Check {
    /// Takes over how ties were put, and tells their forces.
    pub(super) fn tell_ties(&mut self, structure: &Structure, above: &[bool]) {
        turned(structure, above, &mut self.tie_forces);
        self.ties_from_above = above.to_vec();
        // The least that struts carry is not the least that their ties do.
        self.is_least_norm &= !above.contains(&true);
    }

    /// Ties that carry their yield force, or that yield in its motion, by index.
    pub fn yielding_ties(&self, structure: &Structure) -> Vec<usize> {
        let is_full = |k: &usize| {
            let most = structure.ties[*k].law.yield_force;
            self.tie_forces
                .get(*k)
                .is_some_and(|force| *force >= (1.0 - 1e-6) * most)
        };
        (0..structure.ties.len()).filter(is_full).collect()
    }
}
