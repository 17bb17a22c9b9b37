//! Does it stand? One function, [`stands`], is behind every question: checks, limits, tilts and sensitivities.

use std::time::Instant;

use drystone_cone::Twist;
use drystone_model::certificate::SelfStress;
use glam::DVec3;

use super::{
    Balanced, Driven, Evidence, Loads, Solvers, Stage, StageKind, StageOutcome, StaticsError, Structure,
    coupled::{self, Coupled, Mobilised},
    equilibrium::{self, Forces, LeastNorm},
    mechanism::{self, Mechanism},
    ties,
};

const TUNING: crate::statics::tuning::Acceptance = crate::statics::Tuning::DEFAULT.acceptance;

/// How the question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Forces in the friction cones that balance the loads (paper 001, section 2.4). Self-stress is allowed.
    Cone,
    /// Rigid-block equilibrium with tension at a price (paper 004, eq. 6). Self-stress is allowed.
    Rbe,
    /// The same with 8-sided pyramids around the friction cones (paper 004, appendix B): it admits somewhat more friction.
    RbeLinearised,
    /// Coupled rigid-block analysis (paper 004, eq. 11). Self-stress is not allowed.
    Cra,
    /// The same with tension at a price (paper 004, eq. 14).
    CraPenalty,
}

impl Method {
    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cone => "cone",
            Self::Rbe => "rbe",
            Self::RbeLinearised => "rbe-linearised",
            Self::Cra => "cra",
            Self::CraPenalty => "cra-penalty",
        }
    }

    /// Which forces it admits.
    pub fn self_stress(self) -> SelfStress {
        match self {
            Self::Cone | Self::Rbe | Self::RbeLinearised => SelfStress::Allowed,
            Self::Cra | Self::CraPenalty => SelfStress::Excluded,
        }
    }
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was found to stand: there are forces.
    Stable,
    /// It was found to fall: there is a motion.
    Unstable,
    /// Neither was found.
    Undecided,
}

impl Verdict {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::Unstable => "unstable",
            Self::Undecided => "undecided",
        }
    }
}

/// An answer, and what it rests on. It tells what was found; whether that is proven, `drystone-verify` says of its
/// [certificate](super::certify()).
#[derive(Clone, Debug)]
pub struct Check {
    /// The answer.
    pub verdict: Verdict,
    /// How it was found.
    pub method: Method,
    /// What it rests on. Where self-stress is not allowed, [`Evidence::Forces`] may come with an undecided verdict: there
    /// are forces that balance the loads, and it was not decided whether displacement mobilises any.
    pub evidence: Evidence,
    /// Force on the second block at each point (unit: N); empty where none were found.
    pub forces: Vec<DVec3>,
    /// Tension at each point (unit: N); empty where none is needed.
    pub tensions: Vec<f64>,
    /// Force in each tie, positive where it pulls (unit: N).
    pub tie_forces: Vec<f64>,
    /// By tie: whether it was put as the load of its yield force and a strut that takes back from it; empty where none yields.
    pub(super) ties_from_above: Vec<bool>,
    /// How well forces and tension together balance the loads, where tension would hold what falls.
    pub with_tension: Option<Balanced>,
    /// Motion of each block: the mechanism, with the fastest point at 1 m/s, or the small displacement that mobilises the
    /// forces (unit: m and rad). Empty where there is none.
    pub motions: Vec<Twist>,
    /// How the openings grow from round to round, where coupled analysis asked: the ratio of the last two.
    pub growth: Option<f64>,
    /// By how much the structure is statically indeterminate, at least: components of force that its joints can transmit
    /// beyond the six equations of each free block. Above zero, other forces than those given may balance the loads, too.
    pub redundancy: usize,
    /// Whether the forces are those of least norm, weighted by area, among all that balance the loads.
    pub is_least_norm: bool,
    /// Blocks that move, or that need tension.
    pub unstable_blocks: Vec<usize>,
    /// What was tried, in order; of those that answered, the last gave the verdict.
    pub stages: Vec<Stage>,
    /// Why, in words.
    pub reason: String,
    /// Seconds it took.
    pub time: f64,
}

impl Check {
    fn new(structure: &Structure, method: Method, reason: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Undecided,
            method,
            evidence: Evidence::Nothing,
            forces: Vec::new(),
            tensions: Vec::new(),
            tie_forces: Vec::new(),
            ties_from_above: Vec::new(),
            with_tension: None,
            motions: Vec::new(),
            growth: None,
            redundancy: equilibrium::redundancy(structure),
            is_least_norm: false,
            unstable_blocks: Vec::new(),
            stages: Vec::new(),
            reason: reason.into(),
            time: 0.0,
        }
    }

    /// It stands by forces.
    pub(super) fn by_forces(structure: &Structure, method: Method, (forces, balance): (Forces, Balanced)) -> Self {
        let reason = "an admissible force distribution was found: it balances the loads within the friction limits";
        Self {
            verdict: Verdict::Stable,
            evidence: Evidence::Forces(balance),
            forces: forces.contact,
            tie_forces: forces.ties,
            ..Self::new(structure, method, reason)
        }
    }

    /// It falls by a motion that proves it.
    pub(super) fn by_mechanism(structure: &Structure, method: Method, found: Mechanism) -> Self {
        let reason = "a collapse mechanism was found: the loads do work on a motion that no joint resists";
        Self {
            verdict: Verdict::Unstable,
            evidence: Evidence::Mechanism(driven(&found)),
            unstable_blocks: moving(structure, &found.motions, TUNING.moving),
            motions: found.motions,
            ..Self::new(structure, method, reason)
        }
    }

    /// It stands by forces that a displacement mobilises.
    fn mobilised(structure: &Structure, method: Method, found: Mobilised) -> Self {
        let evidence = Evidence::Mobilised {
            balance: found.balance,
            error: found.residual.largest(),
            opening: found.opening,
            reach: found.reach,
        };
        Self {
            verdict: Verdict::Stable,
            evidence,
            forces: found.forces.contact,
            tie_forces: found.forces.ties,
            motions: found.motions,
            ..Self::new(
                structure,
                method,
                "a small displacement was found that mobilises forces which balance the loads",
            )
        }
    }

    /// What is left over of the loads on a block, over all of them, where the verdict rests on forces.
    pub fn unbalanced(&self) -> Option<f64> {
        self.evidence.balance().map(|b| b.unbalanced)
    }

    /// Smallest distance of a contact force to the boundary of its cone, over the loads, where the verdict rests on forces.
    pub fn cone_margin(&self) -> Option<f64> {
        self.evidence.balance().map(|b| b.cone_margin)
    }

    /// Largest velocity at which a joint closes, over that of the fastest point, where the verdict rests on a motion.
    pub fn closing(&self) -> Option<f64> {
        self.evidence.motion().map(|m| m.closing)
    }

    /// Power of the loads on that motion, over their size times the fastest speed.
    pub fn power(&self) -> Option<f64> {
        self.evidence.motion().map(|m| m.power)
    }

    /// The residual of what the verdict rests on: [`Self::unbalanced`] of forces, [`Self::closing`] of a motion.
    pub fn residual(&self) -> Option<f64> {
        self.unbalanced().or(self.closing())
    }

    /// What every joint has to close before it acts (unit: m), where a displacement mobilises the forces.
    pub fn opening(&self) -> Option<f64> {
        match self.evidence {
            Evidence::Mobilised { opening, .. } => Some(opening),
            _ => None,
        }
    }

    /// Largest motion at a joint, in openings, where a displacement mobilises the forces: how near the limit is.
    pub fn reach(&self) -> Option<f64> {
        match self.evidence {
            Evidence::Mobilised { reach, .. } => Some(reach),
            _ => None,
        }
    }

    /// The equilibrium within it as an answer of its own, by [`Method::Cone`]: where it rests on forces, whether or not
    /// displacement mobilises them.
    #[must_use]
    pub fn equilibrium(&self) -> Option<Self> {
        let balance = self.evidence.balance()?;
        Some(Self {
            verdict: Verdict::Stable,
            method: Method::Cone,
            evidence: Evidence::Forces(balance),
            motions: Vec::new(),
            growth: None,
            ..self.clone()
        })
    }

    /// The same answer under loads that are `factor` times as large. What was measured is relative to them.
    #[must_use]
    pub(super) fn scaled(mut self, factor: f64) -> Self {
        self.forces.iter_mut().for_each(|f| *f *= factor);
        self.tie_forces.iter_mut().for_each(|t| *t *= factor);
        self
    }

    /// Largest force at a point (unit: N).
    pub fn largest_force(&self) -> f64 {
        self.forces.iter().map(|f| f.length()).fold(0.0, f64::max)
    }

    /// Sum of the tensions (unit: N).
    pub fn tension(&self) -> f64 {
        self.tensions.iter().sum()
    }
}

fn driven(found: &Mechanism) -> Driven {
    Driven {
        closing: found.violation,
        power: found.power,
    }
}

/// Asks whether a structure stands under loads.
pub fn check(
    structure: &Structure,
    loads: &Loads,
    method: Method,
    solvers: &mut Solvers,
) -> Result<Check, StaticsError> {
    let start = Instant::now();
    let mut check = ties::within(structure, loads, |structure, loads| {
        let mut check = stands_as_stated(structure, loads, method, solvers)?;
        if matches!(method, Method::Rbe | Method::CraPenalty) && structure.loose.is_empty() {
            hold_by_tension(structure, loads, solvers, &mut check)?;
        }
        Ok(check)
    })?;
    check.time = start.elapsed().as_secs_f64();
    Ok(check)
}

/// Whether a structure stands under loads, with what was found.
pub(super) fn stands(
    structure: &Structure,
    loads: &Loads,
    method: Method,
    solvers: &mut Solvers,
) -> Result<Check, StaticsError> {
    ties::within(structure, loads, |structure, loads| {
        stands_as_stated(structure, loads, method, solvers)
    })
}

/// The same under loads near those of an answer: where displacement mobilised its forces, these are followed on from there, and
/// only where that leads nowhere is the question put anew.
pub(super) fn stands_near(
    structure: &Structure,
    loads: &Loads,
    (method, near): (Method, Option<&Check>),
    solvers: &mut Solvers,
) -> Result<Check, StaticsError> {
    solvers.check_stopped()?;
    match near.and_then(|near| followed(structure, loads, near)) {
        Some(found) => Ok(found),
        None => stands(structure, loads, method, solvers),
    }
}

/// Forces that displacement mobilises under loads near those of an answer, followed from its own.
pub(super) fn followed(structure: &Structure, loads: &Loads, near: &Check) -> Option<Check> {
    let found = coupled::followed(structure, loads, near)?;
    let error = Some(found.residual.largest());
    Some(Check {
        stages: vec![Stage::new(StageKind::Polish, StageOutcome::Answered, error)],
        ..Check::mobilised(structure, near.method, found)
    })
}

/// The same where no tie yields.
fn stands_as_stated(
    structure: &Structure,
    loads: &Loads,
    method: Method,
    solvers: &mut Solvers,
) -> Result<Check, StaticsError> {
    solvers.check_stopped()?;
    if !structure.loose.is_empty() {
        return loose(structure, loads, method, solvers);
    }
    match method {
        Method::Cone | Method::Rbe => by_forces(structure, loads, method, solvers),
        Method::RbeLinearised => by_pyramids(structure, loads, solvers),
        Method::Cra | Method::CraPenalty => by_motion(structure, loads, method, solvers),
    }
}

/// Blocks that hang on nothing fall, whatever the others do.
fn loose(structure: &Structure, loads: &Loads, method: Method, solvers: &mut Solvers) -> Result<Check, StaticsError> {
    let name = |b: &usize| format!("`{}`", structure.names[*b]);
    let island = |island: &Vec<usize>| {
        let some: Vec<String> = island.iter().take(5).map(name).collect();
        let more = island.len().saturating_sub(5);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let way = if island.len() == 1 {
            "touches nothing"
        } else {
            "hang on no support"
        };
        format!("{}{more} {way}", some.join(", "))
    };
    let reason: Vec<String> = structure.loose.iter().map(island).collect();
    let mut check = by_mechanism(structure, loads, method, solvers, Vec::new())?;
    check.reason = reason.join("; ");
    check.unstable_blocks.extend(structure.loose.iter().flatten());
    check.unstable_blocks.sort_unstable();
    check.unstable_blocks.dedup();
    Ok(check)
}

fn by_forces(
    structure: &Structure,
    loads: &Loads,
    method: Method,
    solvers: &mut Solvers,
) -> Result<Check, StaticsError> {
    let mut stages = Vec::new();
    match equilibrium::least_norm(structure, loads, &mut solvers.equilibrium, &mut stages)? {
        Some(LeastNorm { found, is_least }) => Ok(Check {
            is_least_norm: is_least,
            stages,
            ..Check::by_forces(structure, method, found)
        }),
        None => by_mechanism(structure, loads, method, solvers, stages),
    }
}

fn by_pyramids(structure: &Structure, loads: &Loads, solvers: &mut Solvers) -> Result<Check, StaticsError> {
    let method = Method::RbeLinearised;
    let found = equilibrium::linearised(structure, loads, &mut solvers.equilibrium)?;
    let residual = found.as_ref().map(|(_, balance)| balance.unbalanced);
    let outcome = StageOutcome::found(found.is_some());
    let stages = vec![Stage::new(StageKind::Pyramids, outcome, residual)];
    match found {
        Some(found) => Ok(Check {
            stages,
            reason: "forces within pyramids around the friction cones were found that balance the loads".into(),
            ..Check::by_forces(structure, method, found)
        }),
        None => by_mechanism(structure, loads, method, solvers, stages),
    }
}

fn by_mechanism(
    structure: &Structure,
    loads: &Loads,
    method: Method,
    solvers: &mut Solvers,
    mut stages: Vec<Stage>,
) -> Result<Check, StaticsError> {
    let found = mechanism::mechanism(structure, loads, &mut solvers.engine)?;
    match &found {
        Some(found) => found.tell(StageKind::Mechanism, &mut stages),
        None => stages.push(Stage::new(StageKind::Mechanism, StageOutcome::NotFound, None)),
    }
    let check = match found.filter(Mechanism::is_proof) {
        Some(found) => Check::by_mechanism(structure, method, found),
        None => {
            let reason =
                "neither an admissible force distribution nor a collapse mechanism was found to the precision asked";
            Check::new(structure, method, reason)
        }
    };
    Ok(Check { stages, ..check })
}

/// Whether it stands by forces that a displacement mobilises.
fn by_motion(
    structure: &Structure,
    loads: &Loads,
    method: Method,
    solvers: &mut Solvers,
) -> Result<Check, StaticsError> {
    let mut plain = by_forces(structure, loads, method, solvers)?;
    if plain.verdict == Verdict::Unstable {
        // No forces balance the loads, mobilised or not.
        return Ok(plain);
    }
    let mut stages = std::mem::take(&mut plain.stages);
    let balanced = (plain.verdict == Verdict::Stable).then(|| Forces {
        contact: plain.forces.clone(),
        tension: Vec::new(),
        ties: plain.tie_forces.clone(),
    });
    match coupled::coupled(structure, loads, balanced.as_ref(), solvers, &mut stages)? {
        Coupled::Stands(found) => Ok(Check {
            stages,
            ..Check::mobilised(structure, method, found)
        }),
        Coupled::Falls(coupled::Growth {
            ratio,
            sign,
            mechanism: Some(found),
            ..
        }) => {
            let goes_on = match sign {
                coupled::Sign::Creep => "on joints that yield the blocks creep on".to_string(),
                coupled::Sign::Rounds if (ratio - 1.0).abs() < 1e-3 => {
                    "each round of closing the joints asks for as much motion again".to_string()
                }
                coupled::Sign::Rounds => {
                    format!("each round of closing the joints asks for {ratio:.3} times the motion of the last")
                }
            };
            let reason = format!(
                "forces balance the loads only with self-stress: no displacement was found that mobilises them, and \
                 {goes_on}, without end (evidence, not proof)"
            );
            let motion = driven(&found);
            // Beside blocks that creep away others still settle a little.
            let least = match sign {
                coupled::Sign::Creep => TUNING.creeping,
                coupled::Sign::Rounds => TUNING.moving,
            };
            Ok(Check {
                unstable_blocks: moving(structure, &found.motions, least),
                evidence: Evidence::Growth { ratio, motion },
                growth: Some(ratio),
                stages,
                reason,
                ..Check::by_mechanism(structure, method, found)
            })
        }
        Coupled::Undecided(_) | Coupled::Falls(_) if balanced.is_none() => Ok(Check { stages, ..plain }),
        Coupled::Falls(growth) | Coupled::Undecided(Some(growth)) => Ok(undecided(plain, stages, Some(growth.ratio))),
        Coupled::Undecided(None) => Ok(undecided(plain, stages, None)),
    }
}

/// Forces balance the loads, and whether a displacement mobilises some is not known.
fn undecided(plain: Check, stages: Vec<Stage>, growth: Option<f64>) -> Check {
    Check {
        verdict: Verdict::Undecided,
        growth,
        stages,
        reason: "an admissible force distribution was found; whether displacement mobilises one was not decided".into(),
        ..plain
    }
}

/// Looks for the tension that would hold what does not stand.
fn hold_by_tension(
    structure: &Structure,
    loads: &Loads,
    solvers: &mut Solvers,
    check: &mut Check,
) -> Result<(), StaticsError> {
    if check.verdict == Verdict::Stable {
        return Ok(());
    }
    let found = if check.method == Method::Rbe {
        equilibrium::with_tension(structure, loads, &mut solvers.equilibrium)?.map(|forces| (forces, Vec::new()))
    } else {
        let found = coupled::with_tension(structure, loads, &mut solvers.coupled)?;
        found.map(|found| (found.forces, found.motions))
    };
    let balance = found.as_ref().map(|(forces, _)| Balanced::of(structure, loads, forces));
    let outcome = StageOutcome::found(found.is_some());
    check
        .stages
        .push(Stage::new(StageKind::Tension, outcome, balance.map(|b| b.unbalanced)));
    let Some((forces, motions)) = found else { return Ok(()) };
    check.with_tension = balance;
    check.unstable_blocks = pulled(structure, loads, &forces.tension);
    (check.forces, check.tensions, check.tie_forces) = (forces.contact, forces.tension, forces.ties);
    if check.motions.is_empty() {
        check.motions = motions;
    }
    check.reason = format!("{}; tension of {:.3e} N would hold it", check.reason, check.tension());
    Ok(())
}

/// Free blocks that move, by their fastest point: by at least so much of the fastest.
fn moving(structure: &Structure, motions: &[Twist], least: f64) -> Vec<usize> {
    let speed = |b: usize| motions[b].linear.length() + motions[b].angular.length() * structure.radius[b];
    let fastest = structure.free().map(speed).fold(0.0, f64::max);
    structure.free().filter(|&b| speed(b) > least * fastest).collect()
}

/// Free blocks at points that need tension.
fn pulled(structure: &Structure, loads: &Loads, tensions: &[f64]) -> Vec<usize> {
    let size = loads.size(structure);
    let mut blocks: Vec<usize> = structure
        .points
        .iter()
        .zip(tensions)
        .filter(|(_, t)| **t > TUNING.no_tension * size)
        .flat_map(|(p, _)| p.blocks.map(|b| b as usize))
        .filter(|&b| !structure.fixed[b])
        .collect();
    blocks.sort_unstable();
    blocks.dedup();
    blocks
}
