//! Rounds of the convex problem, each with the openings that the sliding of the last asks for.
//!
//! Each round opens every joint by what sliding in it would raise, and closes them again. Where openings grow from round to
//! round, the loads drive the motion faster than friction without dilatancy can hold it.

use drystone_cone::{Equilibrium, EquilibriumSettings, Status, Twist};
use glam::DVec3;

use super::super::{
    Loads, Stage, StageKind, StageOutcome, StaticsError, Structure, Tuning,
    mechanism::{Mechanism, measured},
    problem::Law,
};

const TUNING: crate::statics::tuning::Growth = crate::statics::Tuning::DEFAULT.growth;

/// How openings grow from round to round.
#[derive(Clone, Debug)]
pub(in super::super) struct Growth {
    /// Ratio of the last two increments; below one where they die out.
    pub(in super::super) ratio: f64,
    /// Whether they grow without bound.
    pub(in super::super) unbounded: bool,
    /// The motion that they tend to, the fastest point at 1 m/s.
    pub(in super::super) mechanism: Option<Mechanism>,
}

/// Rounds of the convex problem, each with the openings that the sliding of the last asks for.
pub(in super::super) fn growth(
    structure: &Structure,
    loads: &Loads,
    solver: &mut Equilibrium,
    stages: &mut Vec<Stage>,
) -> Result<Option<Growth>, StaticsError> {
    let found = rounds(structure, loads, solver)?;
    let is_unbounded = found.as_ref().is_some_and(|g| g.unbounded && g.mechanism.is_some());
    let closing = found.as_ref().and_then(|g| g.mechanism.as_ref()).map(|m| m.violation);
    stages.push(Stage::new(
        StageKind::Growth,
        StageOutcome::found(is_unbounded),
        closing,
    ));
    Ok(found)
}

fn rounds(structure: &Structure, loads: &Loads, solver: &mut Equilibrium) -> Result<Option<Growth>, StaticsError> {
    let compliance = Tuning::DEFAULT.coupled.compliances[0] / loads.mean(structure);
    let mut rounds = Rounds {
        least_force: 1e-9 * loads.size(structure),
        raised: vec![0.0; structure.points.len()],
        ..Rounds::default()
    };
    let mut jumped = false;
    let is_large = structure.points.len() > Tuning::DEFAULT.coupled.large_points;
    let most = if is_large { TUNING.rounds_large } else { TUNING.rounds };
    for round in 0..most {
        let raised = &rounds.raised;
        let law = Law {
            gaps: &|i| 1.0 + raised[i],
            compliance: [0.0, compliance],
            tension: None,
        };
        let mut problem = structure.problem(&law);
        for (contact, force) in problem.contacts.iter_mut().zip(&rounds.forces) {
            contact.guess = *force;
        }
        solver.settings = EquilibriumSettings {
            warm_start: round > 0 && !jumped,
            ..EquilibriumSettings::default()
        };
        let balance = solver.solve(&problem, &loads.wrenches)?;
        if balance.status == Status::Infeasible || balance.balance > 1e3 * Tuning::DEFAULT.acceptance.balanced {
            return Ok(None);
        }
        let before = rounds.increment;
        rounds.take(structure, balance, compliance);
        let ratio = rounds.increment / before;
        let largest = rounds.raised.iter().copied().fold(0.0, f64::max);
        let settled = (ratio - rounds.ratio).abs() < 1e-4;
        rounds.ratio = ratio;
        if rounds.increment < 1e-6 {
            return Ok(Some(rounds.conclude(structure, loads, false)));
        }
        if largest > TUNING.grown {
            let unbounded = !jumped || rounds.increment > 0.5 * before;
            return Ok(Some(rounds.conclude(structure, loads, unbounded)));
        }
        // Openings that grow at the same rate, round after round: far ahead they must still.
        if round > 6 && settled && ratio > 0.9999 && !jumped {
            jumped = true;
            let far = 2.0 * TUNING.grown / rounds.increment;
            for (raised, step) in rounds.raised.iter_mut().zip(&rounds.step) {
                *raised = (*raised + far * step).max(0.0);
            }
        }
    }
    Ok(Some(rounds.conclude(structure, loads, false)))
}

#[derive(Debug, Default)]
struct Rounds {
    raised: Vec<f64>,
    step: Vec<f64>,
    forces: Vec<DVec3>,
    motions: Vec<Twist>,
    increment: f64,
    ratio: f64,
    /// What presses with less presses not (unit: N).
    least_force: f64,
}

impl Rounds {
    fn take(&mut self, structure: &Structure, balance: &drystone_cone::Balance, compliance: f64) {
        self.forces.clone_from(&balance.forces);
        self.motions.clone_from(&balance.motions);
        self.step.resize(self.raised.len(), 0.0);
        self.increment = 0.0;
        for (i, point) in structure.points.iter().enumerate() {
            let across = |v: DVec3| v - v.dot(point.normal) * point.normal;
            let slip = across(balance.relative[i]) + compliance * across(balance.forces[i]);
            let asked = structure.friction(point) * slip.length();
            self.step[i] = asked - self.raised[i];
            // What does not press raises nothing.
            if balance.forces[i].dot(point.normal) > self.least_force {
                self.increment = self.increment.max(self.step[i].abs());
            }
            self.raised[i] = asked;
        }
    }

    fn conclude(self, structure: &Structure, loads: &Loads, unbounded: bool) -> Growth {
        Growth {
            ratio: self.ratio,
            unbounded,
            mechanism: measured(structure, loads, self.motions, false),
        }
    }
}
