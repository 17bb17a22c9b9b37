//! Rounds of the convex problem, each with the openings that the sliding of the last asks for.
//!
//! Each round opens every joint by what sliding in it would raise, and closes them again. Where openings grow from round to
//! round, the loads drive the motion faster than friction without dilatancy can hold it.

use std::collections::VecDeque;

use drystone_cone::{Equilibrium, EquilibriumSettings, Status, Twist};
use glam::DVec3;

use super::super::{
    Loads, Stage, StageKind, StageOutcome, StaticsError, Structure, Tuning,
    mechanism::{Mechanism, measured},
    problem::Law,
};

const TUNING: crate::statics::tuning::Growth = crate::statics::Tuning::DEFAULT.growth;

/// What tells that motion goes on without end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Sign {
    /// Openings that grow from round to round.
    Rounds,
    /// Blocks that creep on and on.
    Creep,
}

/// How openings grow from round to round.
#[derive(Clone, Debug)]
pub(in super::super) struct Growth {
    /// Ratio of the last two increments; below one where they die out.
    pub(in super::super) ratio: f64,
    /// Whether they grow without bound.
    pub(in super::super) unbounded: bool,
    /// What tells it.
    pub(in super::super) sign: Sign,
    /// The motion that they tend to, the fastest point at 1 m/s.
    pub(in super::super) mechanism: Option<Mechanism>,
}

/// Rounds of the convex problem, each with the openings that the sliding of the last asks for; `first` are those after the first
/// round, where they are known.
pub(in super::super) fn growth(
    structure: &Structure,
    loads: &Loads,
    first: Option<Vec<f64>>,
    solver: &mut Equilibrium,
    stages: &mut Vec<Stage>,
) -> Result<Option<Growth>, StaticsError> {
    let found = rounds(structure, loads, first, solver)?;
    let is_unbounded = found.as_ref().is_some_and(|g| g.unbounded && g.mechanism.is_some());
    let closing = found.as_ref().and_then(|g| g.mechanism.as_ref()).map(|m| m.violation);
    stages.push(Stage::new(
        StageKind::Growth,
        StageOutcome::found(is_unbounded),
        closing,
    ));
    Ok(found)
}

fn rounds(
    structure: &Structure,
    loads: &Loads,
    first: Option<Vec<f64>>,
    solver: &mut Equilibrium,
) -> Result<Option<Growth>, StaticsError> {
    let compliance = TUNING.compliance / loads.mean(structure);
    let mut rounds = Rounds {
        least_force: 1e-9 * loads.size(structure),
        raised: vec![0.0; structure.points.len()],
        ..Rounds::default()
    };
    if let Some(first) = first {
        rounds.before.push_front(std::mem::replace(&mut rounds.raised, first));
    }
    let is_large = structure.points.len() > Tuning::DEFAULT.rounds.large_points;
    let tolerance = if is_large {
        TUNING.tolerance_large
    } else {
        TUNING.tolerance
    };
    // The growth that was found, how many rounds it was seen over, and how many it has gone on far ahead.
    let mut ahead: Option<(Vec<f64>, usize, usize)> = None;
    for _ in 0..TUNING.rounds {
        let raised = &rounds.raised;
        let law = Law {
            gaps: &|i| 1.0 + raised[i],
            compliance: [0.0, compliance],
            tension: None,
        };
        solver.settings = EquilibriumSettings {
            tolerance,
            enough: TUNING.enough,
            ..EquilibriumSettings::default()
        };
        let balance = solver.solve(&structure.problem(&law), &loads.wrenches)?;
        if balance.status == Status::Infeasible
            || balance.balance > tolerance.max(1e3 * Tuning::DEFAULT.acceptance.balanced)
        {
            return Ok(None);
        }
        rounds.take(structure, balance, compliance);
        if rounds.increment < 1e-6 {
            return Ok(Some(rounds.conclude(structure, loads, false)));
        }
        match &mut ahead {
            None => {
                let Some((rate, over)) = rounds.steady() else { continue };
                let far = TUNING.grown / rate.iter().copied().fold(0.0, f64::max);
                for (raised, rate) in rounds.raised.iter_mut().zip(&rate) {
                    *raised = (*raised + far * rate).max(0.0);
                }
                rounds.before.clear();
                ahead = Some((rate, over, 0));
            }
            Some((rate, over, seen)) => {
                *seen += 1;
                if *seen > 2 * *over {
                    let now = rounds.rate(0, *over);
                    let along = dot(&now, rate);
                    rounds.ratio = along / dot(rate, rate);
                    let same_way = along.powi(2) > TUNING.alike.powi(2) * dot(&now, &now) * dot(rate, rate);
                    let goes_on =
                        rounds.ratio > TUNING.goes_on && same_way && rounds.reach > TUNING.stays * TUNING.grown;
                    // The first rounds there may put right what the leap has left behind.
                    if goes_on || *seen > TUNING.settles * *over {
                        return Ok(Some(rounds.conclude(structure, loads, goes_on)));
                    }
                }
            }
        }
    }
    Ok(Some(rounds.conclude(structure, loads, false)))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[derive(Debug, Default)]
struct Rounds {
    raised: Vec<f64>,
    /// What joints were raised by before, the last first.
    before: VecDeque<Vec<f64>>,
    motions: Vec<Twist>,
    increment: f64,
    ratio: f64,
    /// Largest motion at a joint, in openings.
    reach: f64,
    /// What presses with less presses not (unit: N).
    least_force: f64,
}

impl Rounds {
    fn take(&mut self, structure: &Structure, balance: &drystone_cone::Balance, compliance: f64) {
        self.motions.clone_from(&balance.motions);
        self.before.push_front(self.raised.clone());
        self.before.truncate(2 * TUNING.over[TUNING.over.len() - 1].0 + 1);
        self.increment = 0.0;
        self.reach = 0.0;
        for (i, point) in structure.points.iter().enumerate() {
            let across = |v: DVec3| v - v.dot(point.normal) * point.normal;
            self.reach = self.reach.max(balance.relative[i].length());
            let slip = across(balance.relative[i]) + compliance * across(balance.forces[i]);
            let asked = structure.friction(point) * slip.length();
            // What does not press raises nothing.
            if balance.forces[i].dot(point.normal) > self.least_force {
                self.increment = self.increment.max((asked - self.raised[i]).abs());
            }
            self.raised[i] = asked;
        }
    }

    /// What a round raises joints by, over some rounds that end some rounds ago.
    fn rate(&self, ago: usize, over: usize) -> Vec<f64> {
        let at = |k: usize| if k == 0 { &self.raised } else { &self.before[k - 1] };
        let each = at(ago).iter().zip(at(ago + over));
        each.map(|(now, then)| (now - then) / over as f64).collect()
    }

    /// A growth that goes on the same way and does not fade, and the number of rounds it was seen over.
    fn steady(&self) -> Option<(Vec<f64>, usize)> {
        let is_steady = |&(over, alike): &(usize, f64)| {
            if self.before.len() < 2 * over + 1 {
                return None;
            }
            let (now, then) = (self.rate(0, over), self.rate(over, over));
            let (square, other) = (dot(&now, &now), dot(&then, &then));
            let same_way = dot(&now, &then) > alike * (square * other).sqrt();
            (same_way && square.sqrt() > TUNING.fades * other.sqrt()).then_some((now, over))
        };
        TUNING.over.iter().find_map(is_steady)
    }

    fn conclude(self, structure: &Structure, loads: &Loads, unbounded: bool) -> Growth {
        Growth {
            ratio: self.ratio,
            unbounded,
            sign: Sign::Rounds,
            mechanism: measured(structure, loads, self.motions, false),
        }
    }
}
