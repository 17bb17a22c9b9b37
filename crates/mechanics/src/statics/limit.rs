//! How far can loads grow?
//!
//! With associated friction it is one cone program with two sides (`program`), and both are given: forces that balance the
//! loads at the lower bound, a motion on which they do no work at the upper one. Both are measured apart from the solver
//! that found them. Where forces balance the live load alone, there is no limit. A structure that the live load holds up
//! stands between two multipliers: the least one is looked for with the load turned round.
//!
//! Without dilatancy (Coulomb) the associated limit is an upper bound (Radenkovic); the lower one is the largest load under
//! which displacement was found to mobilise forces, as in coupled rigid-block analysis.

use std::time::Instant;

use drystone_cone::{Friction, Twist};
use glam::DVec3;

use super::{
    Check, Loads, Method, Solvers, Stage, StageKind, StageOutcome, StaticsError, Structure, Verdict,
    check::stands,
    equilibrium::{Forces, balanced},
    mechanism::{self, Mechanism},
    program::{Largest, largest, opening},
    ties,
};

const TUNING: crate::statics::tuning::Limit = crate::statics::Tuning::DEFAULT.limit;

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
    /// The largest multiplier at which it was found to stand: the lower bound. None where there is no limit, or where it was
    /// not found to stand under any multiple of the load.
    pub multiplier: Option<f64>,
    /// Lower and upper bound; both infinite where there is no limit, the upper one where no motion was found that stops the
    /// load.
    pub bounds: [f64; 2],
    /// Whether there is no limit: forces within the friction limits balance the live load alone, and so any multiple of it.
    pub unbounded: bool,
    /// The friction law.
    pub friction: Friction,
    /// What the lower bound rests on: the loads are the dead ones and [`Self::multiplier`] times the live ones.
    pub stands: Option<Check>,
    /// What the upper bound rests on: a multiplier just above it, and the answer there. Without dilatancy, as with it.
    pub falls: Option<(f64, Check)>,
    /// What [`Self::unbounded`] rests on: the answer under the live loads alone.
    pub carried_alone: Option<Check>,
    /// Where it falls without the load: the answer there.
    pub falls_without: Option<Check>,
    /// Where it falls without the load but not with it: the least multiplier at which it was found to stand, and the answer
    /// there.
    pub needed: Option<(f64, Check)>,
    /// What was tried, in order; a stage that answered gave or moved a bound.
    pub stages: Vec<Stage>,
    /// Anything to be said about it.
    pub note: String,
    /// Seconds it took.
    pub time: f64,
}

impl Limit {
    /// Forces at the lower bound (unit: N), on the second block of each point.
    pub fn forces(&self) -> &[DVec3] {
        self.stands.as_ref().map_or(&[], |check| &check.forces)
    }

    /// Motion at the upper bound, the fastest point at 1 m/s; empty where there is none.
    pub fn motions(&self) -> &[Twist] {
        self.falls.as_ref().map_or(&[], |(_, check)| &check.motions)
    }

    /// What is left of the loads at the lower bound, over them.
    pub fn residual(&self) -> Option<f64> {
        self.stands.as_ref().and_then(Check::unbalanced)
    }
}

/// The largest multiplier of `live` loads that a structure carries beside its `dead` loads.
pub fn limit(
    structure: &Structure,
    dead: &Loads,
    live: &Loads,
    settings: &LimitSettings,
    solvers: &mut Solvers,
) -> Result<Limit, StaticsError> {
    let start = Instant::now();
    if live.is_nothing(structure) {
        return Err(StaticsError::NoLoad("the load that is to grow acts on no free block"));
    }
    let mut limit = ties::limit_within(structure, dead, |structure, dead| {
        limit_as_stated(structure, dead, live, settings, solvers)
    })?;
    limit.time = start.elapsed().as_secs_f64();
    Ok(limit)
}

/// The same where no tie yields.
fn limit_as_stated(
    structure: &Structure,
    dead: &Loads,
    live: &Loads,
    settings: &LimitSettings,
    solvers: &mut Solvers,
) -> Result<Limit, StaticsError> {
    let mut search = Search {
        structure,
        dead,
        live,
        unit: dead.size(structure) / live.size(structure),
        tolerance: settings.tolerance,
        limit: Limit {
            multiplier: None,
            bounds: [0.0, f64::INFINITY],
            unbounded: false,
            friction: settings.friction,
            stands: None,
            falls: None,
            carried_alone: None,
            falls_without: None,
            needed: None,
            stages: Vec::new(),
            note: String::new(),
            time: 0.0,
        },
    };
    search.associated(solvers)?;
    if settings.friction == Friction::Coulomb && search.limit.stands.is_some() {
        search.without_dilatancy(solvers)?;
    }
    Ok(search.limit)
}

/// A search, and what it has found so far.
struct Search<'a> {
    structure: &'a Structure,
    dead: &'a Loads,
    live: &'a Loads,
    /// Ratio of the dead to the live loads.
    unit: f64,
    tolerance: f64,
    limit: Limit,
}

impl Search<'_> {
    fn associated(&mut self, solvers: &mut Solvers) -> Result<(), StaticsError> {
        let without = stands(self.structure, self.dead, Method::Cone, solvers)?;
        self.tell_check(StageKind::DeadLoads, Some(0.0), &without);
        match without.verdict {
            Verdict::Stable => self.take(0.0, without),
            Verdict::Unstable => {
                self.limit.falls_without = Some(without);
                let needed = self.needed(solvers)?;
                let residual = needed.as_ref().and_then(|(_, check)| check.residual());
                let outcome = StageOutcome::found(needed.is_some());
                self.tell(
                    StageKind::LeastLoad,
                    needed.as_ref().map(|(m, _)| *m),
                    outcome,
                    residual,
                );
                let Some((least, check)) = needed else {
                    self.limit.note =
                        "it does not stand under its dead loads, and no multiple of the load was found that holds it"
                            .into();
                    return Ok(());
                };
                self.limit.needed = Some((least, check.clone()));
                self.take(least, check);
            }
            Verdict::Undecided => {
                self.limit.note = "it was not found to stand under its dead loads".into();
                return Ok(());
            }
        }
        solvers.at(0.1, || "it stands without the load".into());
        let (guess, program, outcome) = match largest(self.structure, self.dead, self.live) {
            Largest::At {
                multiplier,
                forces,
                motions,
            } => (Some(multiplier), Some((forces, motions)), StageOutcome::Near),
            Largest::Unbounded => (None, None, StageOutcome::Near),
            Largest::Unknown => (None, None, StageOutcome::NotFound),
        };
        self.tell(StageKind::Program, guess, outcome, None);
        solvers.check_stopped()?;
        if guess.is_none_or(|guess| guess >= TUNING.largest * self.unit) {
            let alone = stands(self.structure, self.live, Method::Cone, solvers)?;
            self.tell_check(StageKind::LoadAlone, None, &alone);
            if alone.verdict == Verdict::Stable {
                self.limit.multiplier = None;
                self.limit.bounds = [f64::INFINITY; 2];
                self.limit.unbounded = true;
                self.limit.carried_alone = Some(alone);
                self.limit.note = "there is no limit: forces within the friction limits balance the load alone".into();
                return Ok(());
            }
        }
        if let Some((forces, motions)) = program {
            let multiplier = guess.unwrap_or(0.0);
            solvers.at(0.3, || format!("the program ends at {multiplier:.4} times the load"));
            let fastest = motions.iter().map(|m| m.linear.length()).fold(0.0, f64::max);
            self.take_motion(StageKind::LimitMotion, motions, Some(&forces));
            self.take_forces(multiplier.min(self.limit.bounds[1]), &forces);
            for opened in TUNING.opened {
                if self.meets(self.tolerance) {
                    break;
                }
                solvers.check_stopped()?;
                let found = opening(self.structure, self.dead, self.live, opened * fastest);
                if found.is_some_and(|motions| self.take_motion(StageKind::OpenedMotion, motions, None)) {
                    break;
                }
            }
            if !self.meets(TUNING.precise) {
                // The time stepper's motion closes no joint by more than rounding.
                let above = multiplier + 1e-5 * multiplier.abs().max(1e-3 * self.unit);
                let found = mechanism::mechanism(self.structure, &self.total(above), &mut solvers.engine)?;
                if let Some(found) = found.filter(Mechanism::is_proof) {
                    self.take_motion(StageKind::Mechanism, found.motions, Some(&forces));
                }
            }
        }
        if !self.meets(TUNING.precise) {
            let before = self.limit.bounds[1];
            let ended = self.lower_from_above(guess, solvers)?;
            self.tell_upper(StageKind::MotionsFromAbove, self.limit.bounds[1] < before, ended);
        }
        let before = self.limit.bounds[0];
        if let Some(ended) = self.raise_from_below(guess, solvers)? {
            self.tell_lower(StageKind::ForcesFromBelow, self.limit.bounds[0] > before, ended);
        }
        let [low, high] = self.limit.bounds;
        if !high.is_finite() {
            self.limit.note = "no motion was found that stops the load, to the precision asked".into();
        } else if high - low > 1e-5 * high.abs().max(1e-9 * self.unit) {
            self.limit.note = "the bounds do not meet: between them nothing was found, to the precision asked".into();
        }
        Ok(())
    }

    /// Whether the bounds are as close as this, over the upper one.
    fn meets(&self, tolerance: f64) -> bool {
        let [low, high] = self.limit.bounds;
        high.is_finite() && high - low <= tolerance * high.abs()
    }

    /// Notes what was tried, and the multiplier that it ended at.
    fn tell(&mut self, kind: StageKind, multiplier: Option<f64>, outcome: StageOutcome, residual: Option<f64>) {
        self.limit.stages.push(Stage {
            multiplier,
            ..Stage::new(kind, outcome, residual)
        });
    }

    /// Notes whether it stands under a multiple of the live loads.
    fn tell_check(&mut self, kind: StageKind, multiplier: Option<f64>, check: &Check) {
        let outcome = StageOutcome::found(check.verdict == Verdict::Stable);
        self.tell(kind, multiplier, outcome, check.residual());
    }

    /// Notes a search for the lower bound: whether it moved it, and whether it ended before its rounds did.
    fn tell_lower(&mut self, kind: StageKind, moved: bool, ended: bool) {
        self.tell_search(kind, 0, moved, ended, self.limit.residual());
    }

    /// The same of the upper bound.
    fn tell_upper(&mut self, kind: StageKind, moved: bool, ended: bool) {
        let residual = self.limit.falls.as_ref().and_then(|(_, check)| check.residual());
        self.tell_search(kind, 1, moved, ended, residual);
    }

    fn tell_search(&mut self, kind: StageKind, bound: usize, moved: bool, ended: bool, residual: Option<f64>) {
        let outcome = if ended {
            StageOutcome::found(moved)
        } else {
            StageOutcome::RoundLimit
        };
        let multiplier = moved.then_some(self.limit.bounds[bound]);
        self.tell(kind, multiplier, outcome, residual.filter(|_| moved));
    }

    /// It stands under a multiple of the live loads.
    fn take(&mut self, multiplier: f64, check: Check) {
        self.limit.multiplier = Some(multiplier);
        self.limit.bounds[0] = multiplier;
        self.limit.stands = Some(check);
    }

    /// The least multiplier at which it stands, where it falls without the load.
    fn needed(&self, solvers: &mut Solvers) -> Result<Option<(f64, Check)>, StaticsError> {
        let against = Loads::none(self.structure).plus(self.live, -1.0);
        let Largest::At { multiplier, .. } = largest(self.structure, self.dead, &against) else {
            return Ok(None);
        };
        let least = -multiplier;
        if !(least > 0.0) {
            return Ok(None);
        }
        for more in [0.0, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1] {
            solvers.check_stopped()?;
            let trial = least * (1.0 + more);
            let found = stands(self.structure, &self.total(trial), Method::Cone, solvers)?;
            if found.verdict == Verdict::Stable {
                return Ok(Some((trial, found)));
            }
        }
        Ok(None)
    }

    fn total(&self, multiplier: f64) -> Loads {
        self.dead.plus(self.live, multiplier)
    }

    /// Takes the upper bound from a motion, if it proves one that is lower than the last. Where joints close by rounding,
    /// forces at the limit, if they are known, would do work against the loads there, and the bound is the higher for it.
    fn take_motion(&mut self, kind: StageKind, motions: Vec<Twist>, forces: Option<&Forces>) -> bool {
        let taken = self.lower(motions, forces);
        self.tell_upper(kind, taken, true);
        taken
    }

    fn lower(&mut self, motions: Vec<Twist>, forces: Option<&Forces>) -> bool {
        let against = |(p, f): (&super::ContactPoint, &DVec3)| {
            let d = self.structure.relative(&motions, p);
            (-f.dot(d)).max(0.0)
        };
        let points = || self.structure.points.iter();
        let work: f64 = forces.map_or(0.0, |forces| points().zip(&forces.contact).map(against).sum());
        let live = self.live.power(&motions);
        let stop = (work - self.dead.power(&motions)) / live;
        if !(live > 0.0 && stop.is_finite() && stop < self.limit.bounds[1]) {
            return false;
        }
        for beyond in TUNING.beyond {
            let above = stop + beyond * stop.abs().max(1e-3 * self.unit);
            let measured = mechanism::measured(self.structure, &self.total(above), motions.clone(), true);
            if let Some(found) = measured.filter(Mechanism::is_proof) {
                self.limit.bounds[1] = stop;
                let mut stages = Vec::new();
                found.tell(StageKind::LimitMotion, &mut stages);
                let falls = Check::by_mechanism(self.structure, Method::Cone, found);
                self.limit.falls = Some((above, Check { stages, ..falls }));
                return true;
            }
        }
        false
    }

    /// Takes the lower bound from forces that nearly balance the loads at a multiplier: somewhat below it, where they are
    /// drawn into their cones by those of the lower bound so far.
    fn take_forces(&mut self, multiplier: f64, forces: &Forces) {
        let (Some(stands), base) = (&self.limit.stands, self.limit.bounds[0]) else {
            return;
        };
        let inner = Forces {
            contact: stands.forces.clone(),
            tension: Vec::new(),
            ties: stands.tie_forces.clone(),
        };
        for short in TUNING.short {
            let below = (1.0 - short) * multiplier + short * base;
            if below <= self.limit.bounds[0] {
                break;
            }
            let (total, blend) = (self.total(below), forces.blend(&inner, short));
            let mut stages = Vec::new();
            if let Some(found) = balanced(self.structure, &total, blend, StageKind::ProgramForces, &mut stages) {
                let stands = Check::by_forces(self.structure, Method::Cone, found);
                self.tell(
                    StageKind::ProgramForces,
                    Some(below),
                    StageOutcome::Answered,
                    stands.residual(),
                );
                return self.take(below, Check { stages, ..stands });
            }
        }
        self.tell(StageKind::ProgramForces, None, StageOutcome::NotFound, None);
    }

    /// Lowers the upper bound: the motion that too large a load drives tells at which load it would stop (the kinematic
    /// theorem), and that load is tried next. Returns whether it ended before its rounds did.
    fn lower_from_above(&mut self, guess: Option<f64>, solvers: &mut Solvers) -> Result<bool, StaticsError> {
        let mut trial = guess.map_or(self.unit, |guess| guess + 1e-4 * guess.abs().max(self.unit));
        if self.limit.bounds[1].is_finite() {
            trial = self.limit.bounds[1];
        }
        for _ in 0..TUNING.motions {
            solvers.check_stopped()?;
            let total = self.total(trial);
            if total.size(self.structure) < 1e-9 * self.dead.size(self.structure) {
                // The two cancel each other: nothing acts, and nothing can be told from it.
                trial *= 1.25;
                continue;
            }
            let before = self.limit.bounds[1];
            let found = mechanism::mechanism(self.structure, &total, &mut solvers.engine)?;
            let lower = found.is_some_and(|found| found.is_proof() && self.lower(found.motions, None));
            let stop = self.limit.bounds[1];
            if lower {
                solvers.at(0.5, || format!("a motion stops it at {stop:.4} times the load"));
                if before - stop <= 0.1 * self.tolerance * stop.abs() {
                    return Ok(true);
                }
                trial = stop;
            } else if stop.is_finite() || trial > TUNING.largest * self.unit {
                return Ok(true);
            } else {
                trial *= 4.0;
            }
        }
        Ok(false)
    }

    /// Raises the lower bound by forces of least norm where the program's did not do: from just below a multiplier that is
    /// too large, then by bisection. Returns whether it ended before its rounds did; nothing where none was needed.
    fn raise_from_below(&mut self, guess: Option<f64>, solvers: &mut Solvers) -> Result<Option<bool>, StaticsError> {
        let Some(mut high) = guess.or(Some(self.limit.bounds[1])).filter(|h| h.is_finite()) else {
            return Ok(None);
        };
        high = high.min(self.limit.bounds[1]);
        let near = |low: f64, high: f64| high - low <= 1e-5 * high.abs();
        let mut tried = false;
        for short in [1e-6, 1e-5, 1e-4, 1e-3, 1e-2] {
            let trial = high * (1.0 - short);
            if near(self.limit.bounds[0], high) || trial <= self.limit.bounds[0] {
                return Ok(tried.then_some(true));
            }
            tried = true;
            if self.carries(trial, solvers)? {
                return Ok(Some(true));
            }
        }
        high *= 1.0 - 1e-2;
        for _ in 0..TUNING.halves {
            if near(self.limit.bounds[0], high) {
                return Ok(Some(true));
            }
            let middle = 0.5 * (self.limit.bounds[0] + high);
            if !self.carries(middle, solvers)? {
                high = middle;
            }
        }
        Ok(Some(false))
    }

    /// Whether it stands under a multiple of the live loads; if so, that is the lower bound.
    fn carries(&mut self, multiplier: f64, solvers: &mut Solvers) -> Result<bool, StaticsError> {
        let found = stands(self.structure, &self.total(multiplier), Method::Cone, solvers)?;
        let carries = found.verdict == Verdict::Stable;
        solvers.at(0.6, || {
            let does = if carries { "carries" } else { "is not found to carry" };
            format!("it {does} {multiplier:.4} times the load")
        });
        if carries {
            self.take(multiplier, found);
        }
        Ok(carries)
    }

    /// Looks for the largest multiplier whose forces displacement mobilises.
    fn without_dilatancy(&mut self, solvers: &mut Solvers) -> Result<(), StaticsError> {
        let most = self.limit.bounds[1].min(self.limit.multiplier.unwrap_or(f64::INFINITY));
        self.limit.stands = None;
        self.limit.multiplier = None;
        self.limit.bounds[0] = 0.0;
        self.limit.unbounded = false;
        self.limit.carried_alone = None;
        match self.limit.needed.take() {
            None => {
                let without = stands(self.structure, self.dead, Method::Cra, solvers)?;
                self.tell_check(StageKind::DeadLoads, Some(0.0), &without);
                match without.verdict {
                    Verdict::Stable => self.take(0.0, without),
                    Verdict::Unstable => {
                        self.limit.note = format!("under the dead loads alone: {}", without.reason);
                        return Ok(());
                    }
                    Verdict::Undecided => {
                        self.limit.note =
                            "it was not decided whether displacement mobilises forces under the dead loads \
                                           alone; the upper bound is that of associated friction"
                                .into();
                        return Ok(());
                    }
                }
            }
            // The load holds it up: from the least multiplier of associated friction on, or somewhat more.
            Some((least, _)) => {
                let between = if most.is_finite() {
                    0.5 * (least + most)
                } else {
                    2.0 * least
                };
                for trial in [least * (1.0 + 1e-6), least * (1.0 + 1e-3), least * 1.1, between] {
                    let found = stands(self.structure, &self.total(trial), Method::Cra, solvers)?;
                    if found.verdict == Verdict::Stable {
                        self.limit.needed = Some((trial, found.clone()));
                        self.take(trial, found);
                        break;
                    }
                }
                self.tell_lower(StageKind::LeastLoad, self.limit.needed.is_some(), true);
                if self.limit.needed.is_none() {
                    self.limit.note = "it does not stand under its dead loads, and no multiple of the load was found under \
                                       which displacement mobilises forces; the upper bound is that of associated friction"
                        .into();
                    return Ok(());
                }
            }
        }
        let before = self.limit.bounds[0];
        let mut high = most;
        if !high.is_finite() {
            let ended = self.without_limit(solvers)?;
            self.tell_lower(StageKind::WithoutDilatancy, self.limit.bounds[0] > before, ended);
            return Ok(());
        }
        let tolerance = self.tolerance.max(1e-4) * most.abs();
        for short in [1e-6, 1e-4, 1e-3, 1e-2] {
            let trial = most * (1.0 - short);
            if self.mobilises(trial, solvers)? {
                break;
            }
            high = trial;
        }
        while high - self.limit.bounds[0] > tolerance {
            let middle = 0.5 * (self.limit.bounds[0] + high);
            if !self.mobilises(middle, solvers)? {
                high = middle;
            }
        }
        self.tell_lower(StageKind::WithoutDilatancy, self.limit.bounds[0] > before, true);
        self.limit.note =
            "lower bound: the largest load found under which displacement mobilises forces; upper bound: \
                           associated friction"
                .into();
        Ok(())
    }

    /// Raises the lower bound where nothing bounds the load with self-stress: no motion then bounds it without, either.
    fn without_limit(&mut self, solvers: &mut Solvers) -> Result<bool, StaticsError> {
        let (mut trial, mut ended) = (self.unit, false);
        for _ in 0..TUNING.factors {
            ended = !self.mobilises(trial, solvers)?;
            if ended {
                break;
            }
            trial *= 4.0;
        }
        self.limit.note =
            "lower bound: the largest load found under which displacement mobilises forces; with self-stress \
                           there is no limit, so that no motion gives an upper bound"
                .into();
        Ok(ended)
    }

    /// Whether displacement was found to mobilise forces under a multiple of the live loads; if so, that is the lower bound.
    fn mobilises(&mut self, multiplier: f64, solvers: &mut Solvers) -> Result<bool, StaticsError> {
        let found = stands(self.structure, &self.total(multiplier), Method::Cra, solvers)?;
        solvers.at(0.8, || format!("without dilatancy at {multiplier:.4} times the load"));
        let mobilises = found.verdict == Verdict::Stable;
        if mobilises {
            self.take(multiplier, found);
        }
        Ok(mobilises)
    }
}
