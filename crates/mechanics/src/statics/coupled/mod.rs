//! Coupled rigid-block analysis (paper 004, eq. 11 and 14): forces that one small motion of the blocks mobilises.
//!
//! Every joint must first close the same small opening. What presses is closed by the motion, and friction acts against
//! the sliding. [`coupled`] looks for such forces and motions by stages, in the order of [`ORDER`]:
//!
//! 1. `rounds`: convex problems, each with joints opened by what the sliding of the last would raise. What comes near is made
//!    exact (`polish`), here as in all that follows.
//! 2. `compliance`: with a tangential compliance it is the static problem of Coulomb in the openings. Any compliance gives a
//!    solution of eq. 11, which leaves the ratio of friction to sliding free, so several are tried: two at once, others later.
//! 3. `growth`: the rounds one by one. Where openings grow without bound, no displacement mobilises forces.
//! 4. `creep`: blocks that creep on joints that yield. Where they do not come to rest, the same.
//! 5. `mobilise`: with the forces given, it is a convex problem in the motion; it is asked of the forces of least norm.
//! 6. `restore`: from each attempt that came near, with every ratio free.
//! 7. `continuation`: from a solution with somewhat more friction, down to that of the joints.
//!
//! What is found is checked against eq. 11 itself (`residual`).

mod compliance;
mod continuation;
mod creep;
mod growth;
mod mobilise;
mod polish;
mod residual;
mod restore;
mod rounds;

use drystone_cone::Twist;

use self::{
    compliance::by_compliances, continuation::by_continuation, creep::creep, growth::growth, mobilise::mobilise,
    residual::Residual, rounds::by_rounds,
};
pub(super) use self::{
    compliance::with_tension,
    growth::{Growth, Sign},
};
use super::{
    Check, Loads, Solvers, Stage, StageKind, StageOutcome, StaticsError, Structure, equilibrium::Forces,
    evidence::Balanced,
};

const TUNING: crate::statics::tuning::Coupled = crate::statics::Tuning::DEFAULT.coupled;

/// A stage of coupled analysis.
#[derive(Clone, Copy, Debug)]
enum Strategy {
    /// With compliances from this on: the first alone, or the others.
    Rounds(usize),
    /// The first compliances, or the others.
    Compliances(usize),
    Growth,
    Creep,
    Mobilise,
    Restore,
    Continuation,
}

/// The order in which they are tried: the cheapest first.
const ORDER: [Strategy; 9] = [
    Strategy::Rounds(0),
    Strategy::Compliances(0),
    Strategy::Growth,
    Strategy::Creep,
    Strategy::Rounds(1),
    Strategy::Mobilise,
    Strategy::Compliances(TUNING.first_compliances),
    Strategy::Restore,
    Strategy::Continuation,
];

/// What coupled analysis found.
pub(super) enum Coupled {
    /// A solution of eq. 11.
    Stands(Mobilised),
    /// No solution, and openings that grow without bound.
    Falls(Growth),
    /// Neither; with the growth that there was, where rounds told one.
    Undecided(Option<Growth>),
}

/// Looks for a solution of eq. 11. `balanced` are forces that balance the loads, where there are any: without them only
/// rounds and compliances are tried. Openings that grow end the search when as much else has failed as the size of the
/// structure lets be tried in seconds: of small ones all, of huge ones nothing more.
pub(super) fn coupled(
    structure: &Structure,
    loads: &Loads,
    balanced: Option<&Forces>,
    solvers: &mut Solvers,
    stages: &mut Vec<Stage>,
) -> Result<Coupled, StaticsError> {
    let mut starts = Vec::new();
    let mut first = None;
    let mut grown = None;
    for strategy in ORDER {
        let found = match (strategy, balanced) {
            (Strategy::Rounds(from), _) => {
                let (found, asked) = by_rounds(structure, loads, from, &mut solvers.equilibrium, stages)?;
                first = first.or(asked);
                found
            }
            (Strategy::Compliances(from), _) if from > 0 && !is_worth_more(structure, &starts) => {
                let kind = StageKind::Compliance(TUNING.compliances[from]);
                stages.push(Stage::new(kind, StageOutcome::TooLarge, None));
                None
            }
            (Strategy::Compliances(from), _) => {
                let tried = by_compliances(structure, loads, from, &mut solvers.coupled, stages)?;
                starts.extend(tried.starts);
                tried.best.filter(Mobilised::is_solution)
            }
            (Strategy::Growth, Some(_)) => {
                grown = growth(structure, loads, first.take(), &mut solvers.equilibrium, stages)?;
                None
            }
            (Strategy::Creep, Some(_)) => {
                if !goes_on(grown.as_ref()) {
                    grown = creep(structure, loads, &mut solvers.equilibrium, stages)?.or(grown);
                }
                None
            }
            (Strategy::Mobilise, Some(forces)) => mobilise(structure, loads, forces, stages),
            (Strategy::Restore, Some(_)) => restored(structure, loads, &mut starts, solvers, stages),
            (Strategy::Continuation, Some(_)) => by_continuation(structure, loads, solvers, stages)?,
            (_, None) => None,
        };
        solvers.check_stopped()?;
        if let Some(found) = found {
            return Ok(Coupled::Stands(found));
        }
        let points = structure.points.len();
        // Blocks creep with one ratio of friction to sliding; other ratios, tried later, may still hold them.
        let by_rounds = grown.as_ref().is_some_and(|g| g.sign == Sign::Rounds);
        let enough = match strategy {
            Strategy::Growth | Strategy::Creep => points > TUNING.huge_points,
            Strategy::Rounds(from) => from > 0 && points > TUNING.middle_points && by_rounds,
            _ => false,
        };
        if enough && goes_on(grown.as_ref()) {
            break;
        }
    }
    Ok(match grown {
        Some(grown) if goes_on(Some(&grown)) => Coupled::Falls(grown),
        grown => Coupled::Undecided(grown),
    })
}

/// Whether other compliances are worth their time after the first: always where they take little.
fn is_worth_more(structure: &Structure, starts: &[Start]) -> bool {
    let is_near = |start: &Start| start.residual <= TUNING.promising;
    structure.points.len() <= TUNING.middle_points || starts.iter().any(is_near)
}

/// Whether a motion was found that goes on without end.
fn goes_on(grown: Option<&Growth>) -> bool {
    grown.is_some_and(|g| g.unbounded && g.mechanism.is_some())
}

/// Restores a solution from what came near, the nearest first. The loads must be such that forces balance them.
fn restored(
    structure: &Structure,
    loads: &Loads,
    starts: &mut [Start],
    solvers: &Solvers,
    stages: &mut Vec<Stage>,
) -> Option<Mobilised> {
    if let Some(outcome) = restore::is_left_out(structure) {
        stages.push(Stage::new(StageKind::Restore, outcome, None));
        return None;
    }
    starts.sort_by(|a, b| a.residual.total_cmp(&b.residual));
    for start in starts.iter() {
        let found = restore_from(structure, loads, start, solvers);
        let (outcome, residual) = match &found {
            Ok(found) => (StageOutcome::Answered, found.residual.largest()),
            Err(failed) => *failed,
        };
        stages.push(Stage::new(StageKind::Restore, outcome, Some(residual)));
        if let Ok(found) = found {
            return Some(found);
        }
    }
    None
}

/// Restores a solution from a start; how it ended and with which residual of the products where there is none.
fn restore_from(
    structure: &Structure,
    loads: &Loads,
    start: &Start,
    solvers: &Solvers,
) -> Result<Mobilised, (StageOutcome, f64)> {
    let exact = |forces: Forces, motions: Vec<Twist>| {
        let (forces, motions) = polish::polish(structure, loads, &forces, &motions).ok()?;
        Some(finish(structure, loads, forces, &motions)).filter(Mobilised::is_solution)
    };
    restore::restore(structure, loads, (&start.forces, &start.motions), &solvers.stop, exact)
}

/// A solution of eq. 11 near that of an answer under other loads, where Newton's method leads from one to the other.
pub(super) fn followed(structure: &Structure, loads: &Loads, near: &Check) -> Option<Mobilised> {
    let opening = near.opening()?;
    let forces = Forces {
        contact: near.forces.clone(),
        tension: Vec::new(),
        ties: near.tie_forces.clone(),
    };
    let back = |m: &Twist| Twist {
        linear: m.linear / opening,
        angular: m.angular / opening,
    };
    let motions: Vec<Twist> = near.motions.iter().map(back).collect();
    let (forces, motions) = polish::polish(structure, loads, &forces, &motions).ok()?;
    Some(finish(structure, loads, forces, &motions)).filter(Mobilised::is_solution)
}

/// A solution of eq. 11.
#[derive(Clone, Debug)]
pub(super) struct Mobilised {
    pub(super) forces: Forces,
    /// The motion that mobilises them (unit: m and rad).
    pub(super) motions: Vec<Twist>,
    /// What every joint has to close (unit: m).
    pub(super) opening: f64,
    /// How well the forces balance the loads.
    pub(super) balance: Balanced,
    /// How well it satisfies eq. 11.
    pub(super) residual: Residual,
    /// Largest motion at a joint, in openings: the nearer to the limit, the larger.
    pub(super) reach: f64,
}

impl Mobilised {
    /// Whether it satisfies eq. 11.
    fn is_solution(&self) -> bool {
        self.residual.largest() <= TUNING.satisfied && self.reach <= TUNING.farthest_motion
    }

    /// Where to look for a solution under other loads.
    fn as_start(&self) -> Start {
        let opening = self.opening;
        let back = |m: &Twist| Twist {
            linear: m.linear / opening,
            angular: m.angular / opening,
        };
        Start {
            residual: self.residual.largest(),
            forces: self.forces.clone(),
            motions: self.motions.iter().map(back).collect(),
        }
    }
}

/// Forces and a motion, in openings, from where a solution may be near.
#[derive(Clone, Debug)]
struct Start {
    /// Their residual, as the solver measured it.
    residual: f64,
    forces: Forces,
    motions: Vec<Twist>,
}

/// Measures a solution, and gives it its units. Motions come in openings.
fn finish(structure: &Structure, loads: &Loads, forces: Forces, motions: &[Twist]) -> Mobilised {
    let size = loads.size(structure);
    let balance = Balanced::of(structure, loads, &forces);
    let mut residual = Residual::of_balance(balance.worst());
    let mut reach = 0.0_f64;
    for (k, (point, force)) in structure.points.iter().zip(&forces.contact).enumerate() {
        let d = structure.relative(motions, point);
        reach = reach.max(d.length());
        let tension = forces.tension.get(k).copied().unwrap_or(0.0) / size;
        residual.add(structure, point, *force / size, d, tension);
    }
    let opening = TUNING.opening * structure.length;
    let real = |m: &Twist| Twist {
        linear: m.linear * opening,
        angular: m.angular * opening,
    };
    Mobilised {
        motions: motions.iter().map(real).collect(),
        forces,
        opening,
        balance,
        residual,
        reach,
    }
}
