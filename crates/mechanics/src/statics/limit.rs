//! How far can loads grow?
//!
//! With associated friction it is a convex problem with two sides, and both are given: forces that balance the loads at the
//! lower bound, a motion on which they do no work at the upper one. The upper bound is found from above: the motion that
//! too large a load drives tells at which load it would stop (the kinematic theorem), and that load is tried next.
//!
//! Without dilatancy (Coulomb) the associated limit is an upper bound (Radenkovic); the lower one is the largest load for
//! which a motion was found that calls up the forces, as in coupled rigid-block analysis.

use std::time::Instant;

use drystone_cone::{Friction, Twist};
use glam::DVec3;

use super::{
    Assembly, Loads, Solvers, StaticsError,
    coupled::{self, Called},
    equilibrium::{self, Forces},
    mechanism,
};

/// Multiplier, over the ratio of dead to live loads, beyond which loads are taken to have no limit.
const LARGEST: f64 = 1e6;
/// Motions that are tried on the way down.
const MOST_MOTIONS: usize = 60;

/// How often the distance between the bounds is halved.
const MOST_HALVES: usize = 30;

/// How a limit is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitSettings {
    /// The friction law (default: associated).
    pub friction: Friction,
    /// How close the bounds must come, relative to the upper one (default: 1e-6; without dilatancy 1e-4).
    pub tolerance: f64,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            friction: Friction::Associated,
            tolerance: 1e-6,
        }
    }
}

/// A limit, from both sides.
#[derive(Clone, Debug)]
pub struct Limit {
    /// The largest multiplier for which it is proven to stand: the lower bound. Not a number where it is not proven to stand
    /// without the load.
    pub multiplier: f64,
    /// Lower and upper bound; the upper one is infinite where no motion stops the load.
    pub bounds: [f64; 2],
    /// The friction law.
    pub friction: Friction,
    /// Forces at the lower bound (unit: N), on the second block of each point.
    pub forces: Vec<DVec3>,
    /// Motion at the upper bound, the fastest point at 1 m/s; empty where there is none.
    pub motions: Vec<Twist>,
    /// What is left of the loads at the lower bound, over them.
    pub residual: f64,
    /// Anything to be said about it.
    pub note: String,
    /// Seconds it took.
    pub time: f64,
}

/// The largest multiplier of `live` loads that an assembly carries beside its `dead` loads.
pub fn limit(
    assembly: &Assembly,
    dead: &Loads,
    live: &Loads,
    settings: &LimitSettings,
    solvers: &mut Solvers,
) -> Result<Limit, StaticsError> {
    let start = Instant::now();
    if live.is_nothing(assembly) {
        return Err(StaticsError::NoLoad("the load that is to grow acts on no free block"));
    }
    let mut found = associated(assembly, dead, live, settings, solvers)?;
    if settings.friction == Friction::Coulomb && found.multiplier > 0.0 {
        without_dilatancy(assembly, dead, live, settings, solvers, &mut found)?;
    }
    found.friction = settings.friction;
    found.time = start.elapsed().as_secs_f64();
    Ok(found)
}

fn associated(
    assembly: &Assembly,
    dead: &Loads,
    live: &Loads,
    settings: &LimitSettings,
    solvers: &mut Solvers,
) -> Result<Limit, StaticsError> {
    let mut limit = Limit {
        multiplier: 0.0,
        bounds: [0.0, f64::INFINITY],
        friction: Friction::Associated,
        forces: Vec::new(),
        motions: Vec::new(),
        residual: f64::NAN,
        note: String::new(),
        time: 0.0,
    };
    let Some(forces) = equilibrium::smallest(assembly, dead, &mut solvers.rest)? else {
        limit.multiplier = f64::NAN;
        let falls = mechanism::mechanism(assembly, dead, &mut solvers.engine)?;
        limit.note = if falls.is_some_and(|found| found.is_proof()) {
            limit.bounds = [0.0, 0.0];
            "it does not stand under its dead loads".into()
        } else {
            "it was not found to stand under its dead loads".into()
        };
        return Ok(limit);
    };
    limit.take(assembly, dead, 0.0, forces);
    let unit = dead.size(assembly) / live.size(assembly);
    let mut trial = unit;
    let (mut motions, mut beyond) = (0, f64::INFINITY);
    loop {
        solvers.go_on()?;
        let total = dead.plus(live, trial);
        if total.size(assembly) < 1e-9 * dead.size(assembly) {
            // The two cancel each other: nothing acts, and nothing can be told from it.
            trial *= 1.25;
            continue;
        }
        let stops = mechanism::mechanism(assembly, &total, &mut solvers.engine)?
            .filter(mechanism::Mechanism::is_proof)
            .map(|found| (-dead.power(&found.motions) / live.power(&found.motions), found));
        match stops {
            Some((stop, found)) if stop.is_finite() && stop < trial => {
                motions += 1;
                solvers.at(0.25, || format!("a motion stops it at {stop:.4} times the load"));
                let closer = limit.bounds[1] - stop;
                limit.bounds[1] = stop;
                limit.motions = found.motions;
                if motions > MOST_MOTIONS || closer <= 0.1 * settings.tolerance * stop.abs() {
                    break;
                }
                trial = stop;
            }
            _ if limit.bounds[1].is_finite() => break,
            _ => {
                // No motion stops it. Where no forces carry it either, the upper bound lies below, but is not proven.
                if !limit.carries(assembly, dead, live, trial, solvers)? {
                    beyond = trial;
                    limit.note = "no motion was found that stops the load, to the precision asked".into();
                    break;
                }
                if trial > LARGEST * unit {
                    limit.note = "no limit was found up to a million times the dead loads".into();
                    return Ok(limit);
                }
                trial *= 4.0;
            }
        }
    }
    limit.approach(
        assembly,
        dead,
        live,
        (beyond.min(limit.bounds[1]), settings.tolerance),
        solvers,
    )?;
    Ok(limit)
}

impl Limit {
    /// Whether forces carry a multiple of the live loads; if so, it is the lower bound.
    fn carries(
        &mut self,
        assembly: &Assembly,
        dead: &Loads,
        live: &Loads,
        multiplier: f64,
        solvers: &mut Solvers,
    ) -> Result<bool, StaticsError> {
        solvers.go_on()?;
        let total = dead.plus(live, multiplier);
        let found = equilibrium::smallest(assembly, &total, &mut solvers.rest)?;
        let found = found.filter(|f| coupled::unbalanced(assembly, &total, f) <= equilibrium::BALANCED);
        let carries = found.is_some();
        solvers.at(0.5, || {
            let does = if carries { "carries" } else { "is not found to carry" };
            format!("it {does} {multiplier:.4} times the load")
        });
        if let Some(forces) = found {
            self.take(assembly, &total, multiplier, forces);
        }
        Ok(carries)
    }

    /// Raises the lower bound towards a multiplier that is too large: from just below it, then by halves.
    fn approach(
        &mut self,
        assembly: &Assembly,
        dead: &Loads,
        live: &Loads,
        (mut high, tolerance): (f64, f64),
        solvers: &mut Solvers,
    ) -> Result<(), StaticsError> {
        for short in [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2] {
            let trial = high * (1.0 - short);
            if trial <= self.bounds[0] || self.carries(assembly, dead, live, trial, solvers)? {
                return Ok(());
            }
        }
        high *= 1.0 - 1e-2;
        for _ in 0..MOST_HALVES {
            if high - self.bounds[0] <= tolerance.max(1e-5) * high.abs() {
                break;
            }
            let middle = 0.5 * (self.bounds[0] + high);
            if !self.carries(assembly, dead, live, middle, solvers)? {
                high = middle;
            }
        }
        Ok(())
    }

    fn take(&mut self, assembly: &Assembly, loads: &Loads, multiplier: f64, forces: Forces) {
        self.residual = coupled::unbalanced(assembly, loads, &forces);
        self.multiplier = multiplier;
        self.bounds[0] = multiplier;
        self.forces = forces.contact;
    }
}

/// Looks for the largest multiplier whose forces a motion calls up.
fn without_dilatancy(
    assembly: &Assembly,
    dead: &Loads,
    live: &Loads,
    settings: &LimitSettings,
    solvers: &mut Solvers,
    limit: &mut Limit,
) -> Result<(), StaticsError> {
    let (mut low, mut high) = (0.0, limit.multiplier);
    let mut stands = |multiplier: f64| -> Result<Option<Forces>, StaticsError> {
        solvers.go_on()?;
        let total = dead.plus(live, multiplier);
        let look = coupled::called_up(assembly, &total, &mut solvers.coupled, false)?;
        solvers.at(0.75, || format!("without dilatancy at {multiplier:.4} times the load"));
        Ok(look.best.filter(Called::is_solution).map(|f| f.forces))
    };
    let Some(mut forces) = stands(0.0)? else {
        (limit.multiplier, limit.residual) = (f64::NAN, f64::NAN);
        limit.bounds[0] = 0.0;
        limit.forces.clear();
        limit.note = "no motion calls up forces that balance the dead loads alone".into();
        return Ok(());
    };
    let tolerance = settings.tolerance.max(1e-4);
    for short in [1e-4, 1e-3, 1e-2] {
        if let Some(found) = stands(high * (1.0 - short))? {
            (low, forces) = (high * (1.0 - short), found);
            break;
        }
        high *= 1.0 - short;
    }
    while high - low > tolerance * limit.multiplier {
        let middle = 0.5 * (low + high);
        match stands(middle)? {
            Some(found) => (low, forces) = (middle, found),
            None => high = middle,
        }
    }
    let total = dead.plus(live, low);
    limit.take(assembly, &total, low, forces);
    limit.note =
        "lower bound: the largest load whose forces a motion calls up; upper bound: associated friction".into();
    Ok(())
}
