//! Solutions of eq. 11 by rounds of the convex problem, each with joints opened by what the sliding of the last would raise.
//!
//! With associated friction a joint that slides opens, by mu times its sliding. Where every joint is opened by as much beforehand,
//! sliding closes it again to nothing, and friction is Coulomb's: a fixed point of `s -> mu |d_t(s)|`. Rounds are
//! extrapolated from a few before (Anderson), so that most structures take two to ten of them.

use std::collections::VecDeque;

use drystone_cone::{Balance, Equilibrium, EquilibriumSettings, Status};
use glam::DVec3;

use super::{
    super::{Loads, Stage, StageKind, StageOutcome, StaticsError, Structure, equilibrium::Forces, problem::Law},
    Mobilised, Start, finish,
    polish::polish,
};

const TUNING: crate::statics::tuning::Rounds = crate::statics::Tuning::DEFAULT.rounds;

/// Looks for a solution of eq. 11, with the first compliance or with one of the others after the other. Gives the openings that the
/// first round asked for, too, with joints that were opened by nothing.
pub(super) fn by_rounds(
    structure: &Structure,
    loads: &Loads,
    from: usize,
    solver: &mut Equilibrium,
    stages: &mut Vec<Stage>,
) -> Result<(Option<Mobilised>, Option<Vec<f64>>), StaticsError> {
    let to = if from == 0 { 1 } else { TUNING.compliances.len() };
    let mut first = None;
    for k in from..to {
        let found = rounds(structure, loads, solver, k, (&mut first, stages))?;
        if found.is_some() {
            return Ok((found, first));
        }
    }
    Ok((None, first))
}

/// The same with one of them: joints slide by so many openings under the load of a block before they reach their friction.
fn rounds(
    structure: &Structure,
    loads: &Loads,
    solver: &mut Equilibrium,
    which: usize,
    (first, stages): (&mut Option<Vec<f64>>, &mut Vec<Stage>),
) -> Result<Option<Mobilised>, StaticsError> {
    let compliance = TUNING.compliances[which];
    let kind = StageKind::Rounds(compliance);
    let compliance = compliance / loads.mean(structure);
    let is_large = structure.points.len() > TUNING.large_points;
    let (patience, worth) = if is_large {
        (TUNING.patience_large, TUNING.near)
    } else {
        (TUNING.patience, TUNING.worth)
    };
    let mut slips = Slips::new(structure, loads);
    let (mut least, mut stalled) = (f64::INFINITY, 0);
    let (mut outcome, mut polish_below) = (StageOutcome::RoundLimit, TUNING.near);
    let mut best = None;
    let made_exact = |start: &Start| {
        let (forces, motions) = polish(structure, loads, &start.forces, &start.motions).ok()?;
        Some(finish(structure, loads, forces, &motions)).filter(Mobilised::is_solution)
    };
    for _ in 0..TUNING.rounds {
        let opened = &slips.opened;
        let law = Law {
            gaps: &|i| 1.0 + opened[i],
            compliance: [0.0, compliance],
            tension: None,
        };
        solver.settings = EquilibriumSettings {
            tolerance: TUNING.tolerances[which],
            enough: TUNING.enough,
            ..EquilibriumSettings::default()
        };
        let balance = solver.solve(&structure.problem(&law), &loads.wrenches)?;
        if balance.status == Status::Infeasible || !(balance.balance.max(balance.gap) <= TUNING.unsolved) {
            outcome = StageOutcome::NotFound;
            break;
        }
        let change = slips.take(structure, balance, compliance);
        if first.is_none() {
            *first = slips.before.back().map(|(_, asked)| asked.clone());
        }
        let start = Start::of(structure, balance);
        if change < polish_below {
            polish_below = TUNING.again * change;
            if let Some(found) = made_exact(&start) {
                stages.push(Stage::new(kind, StageOutcome::Answered, Some(found.residual.largest())));
                return Ok(Some(found));
            }
        }
        stalled = if change < TUNING.fall * least { 0 } else { stalled + 1 };
        if change < least {
            (least, best) = (change, Some(start));
        }
        if stalled >= patience || least < TUNING.exact {
            break;
        }
    }
    if let Some(start) = best.filter(|_| least < worth && least > polish_below) {
        if let Some(found) = made_exact(&start) {
            stages.push(Stage::new(kind, StageOutcome::Answered, Some(found.residual.largest())));
            return Ok(Some(found));
        }
        outcome = StageOutcome::Near;
    }
    stages.push(Stage::new(kind, outcome, Some(least)));
    Ok(None)
}

impl Start {
    /// What a solver found.
    fn of(structure: &Structure, balance: &Balance) -> Self {
        Self {
            residual: balance.balance.max(balance.gap),
            forces: Forces::new(structure, balance),
            motions: balance.motions.clone(),
        }
    }
}

/// What joints are opened by, and how they came to it.
pub(super) struct Slips {
    pub(super) opened: Vec<f64>,
    /// What joints were opened by, and what their sliding then asked for, round by round.
    pub(super) before: VecDeque<(Vec<f64>, Vec<f64>)>,
    weights: Vec<f64>,
    /// What presses with less presses not (unit: N).
    least_force: f64,
}

impl Slips {
    pub(super) fn new(structure: &Structure, loads: &Loads) -> Self {
        Self {
            opened: vec![0.0; structure.points.len()],
            before: VecDeque::new(),
            weights: vec![1.0; structure.points.len()],
            least_force: TUNING.least_force * loads.mean(structure),
        }
    }

    /// Takes in a round. Gives the largest change that sliding asks for at a point that presses, over the largest motion.
    pub(super) fn take(&mut self, structure: &Structure, balance: &Balance, compliance: f64) -> f64 {
        let mut asked = vec![0.0; self.opened.len()];
        let (mut change, mut reach) = (0.0_f64, 1.0_f64);
        for (i, point) in structure.points.iter().enumerate() {
            let across = |v: DVec3| v - v.dot(point.normal) * point.normal;
            let (force, moved) = (balance.forces[i], balance.relative[i]);
            asked[i] = structure.friction(point) * (across(moved) + compliance * across(force)).length();
            reach = reach.max(moved.length());
            let presses = force.dot(point.normal) > self.least_force;
            self.weights[i] = if presses { 1.0 } else { TUNING.resting };
            if presses {
                change = change.max((asked[i] - self.opened[i]).abs());
            }
        }
        if self.before.len() > TUNING.memory {
            self.before.pop_front();
        }
        self.before.push_back((self.opened.clone(), asked));
        self.extrapolate();
        change / reach
    }

    /// The openings of the next round: the combination of those before that would have changed least.
    fn extrapolate(&mut self) {
        let Some(((opened, asked), before)) = self.before.make_contiguous().split_last() else {
            return;
        };
        let off = |x: &[f64], y: &[f64], i: usize| y[i] - x[i];
        let differences: Vec<Vec<f64>> = before
            .iter()
            .map(|(x, y)| (0..x.len()).map(|i| off(opened, asked, i) - off(x, y, i)).collect())
            .collect();
        let dot =
            |a: &dyn Fn(usize) -> f64, b: &[f64]| -> f64 { (0..b.len()).map(|i| self.weights[i] * a(i) * b[i]).sum() };
        let n = differences.len();
        let mut matrix = faer::Mat::<f64>::from_fn(n, n, |r, c| dot(&|i| differences[r][i], &differences[c]));
        let trace: f64 = (0..n).map(|k| matrix[(k, k)]).sum();
        (0..n).for_each(|k| matrix[(k, k)] += TUNING.trace * trace + f64::MIN_POSITIVE);
        let right = faer::Mat::<f64>::from_fn(n, 1, |r, _| dot(&|i| off(opened, asked, i), &differences[r]));
        let by = faer::linalg::solvers::Solve::solve(&matrix.partial_piv_lu(), &right);
        let next = (0..asked.len()).map(|i| {
            let back: f64 = (0..n).map(|k| by[(k, 0)] * (asked[i] - before[k].1[i])).sum();
            let next = asked[i] - back;
            if next.is_finite() { next.max(0.0) } else { asked[i] }
        });
        self.opened = next.collect();
    }
}
