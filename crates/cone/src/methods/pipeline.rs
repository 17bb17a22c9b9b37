//! The stages of a solve, in their order.
//!
//! ```text
//! 1. the method that the settings name, or the one that suits the problem
//! 2. polish: Newton's method on the natural map; with 3 after the first turn; then 1 again from there, up to the turns of the method's plan
//! 3. leave a local minimum by proximal points
//! 4. the method's fallback, with its own stages 1 to 3
//! ```
//!
//! A stage follows where those before it ended above the tolerance. 2 and 3 are for small problems:
//! they take hundreds of factorisations. The list of stages tells what was tried, how each ended and by which residual.

use super::{Methods, Named, Report, Solver, State, direct::Direct};
use crate::{
    Tuning,
    cone::V3,
    settings::{Friction, SolverSettings},
    solution::Status,
    stages::{SolverStage, SolverStageKind, SolverStageOutcome, Stages},
    system::System,
};

/// The methods and the stages that they share, with their memory.
#[derive(Debug, Default)]
pub(crate) struct Pipeline {
    methods: Methods,
    direct: Direct,
    /// Impulses that a solve began with.
    start: Vec<V3>,
}

impl Pipeline {
    /// The method that the settings name, or the one that suits the problem: interior point, which depends least on what
    /// it is given; semismooth Newton where every contact yields so much that few factorisations do; accelerated gradient
    /// where a factor would not fit.
    fn choose(settings: &SolverSettings, system: &System) -> Named {
        let by_problem = || {
            if system.len() > Tuning::DEFAULT.choice.most_to_factor {
                Named::Apgd
            } else if system.yields(Tuning::DEFAULT.choice.soft_compliance) {
                Named::Semismooth
            } else {
                Named::Interior
            }
        };
        settings.solver.named().unwrap_or_else(by_problem)
    }

    /// The method that would be tried first.
    pub(crate) fn first(settings: &SolverSettings, system: &System) -> Solver {
        Self::choose(settings, system).into()
    }

    /// Forgets what was learnt of earlier problems, so that the next solve depends on its problem alone.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Solves, and says by which method.
    pub(crate) fn solve(
        &mut self,
        system: &System,
        settings: &SolverSettings,
        state: &mut State,
        stages: &mut Stages,
    ) -> (Solver, Report) {
        stages.clear();
        self.start.clear();
        self.start.extend_from_slice(&state.r);
        let mut named = Self::choose(settings, system);
        let mut report = Report::default();
        loop {
            let plan = self.methods.get(named).plan(system.friction);
            let left = settings.max_iterations.map(|most| most - report.iterations);
            let limit = left.unwrap_or(plan.iterations);
            let more = self.run(named, system, settings, (limit, left.is_some()), state, stages);
            report = Report {
                iterations: report.iterations + more.iterations,
                factor_s: report.factor_s + more.factor_s,
                substitute_s: report.substitute_s + more.substitute_s,
                ..more
            };
            let over = more.iterations >= limit || system.stop.is_set();
            match plan.fallback {
                Some(fallback) if report.status != Status::Solved && !over => named = fallback,
                Some(_) | None => return (named.into(), report),
            }
            if system.friction == Friction::Coulomb {
                // Where the rounds went astray, so did the slip that another method would start from.
                state.r.copy_from_slice(&self.start);
            }
        }
    }

    /// Stages 1 to 3 of one method. `is_asked` tells whether the user gave the limit: it then bounds every stage.
    fn run(
        &mut self,
        named: Named,
        system: &System,
        settings: &SolverSettings,
        (limit, is_asked): (usize, bool),
        state: &mut State,
        stages: &mut Stages,
    ) -> Report {
        let method = self.methods.get(named);
        let plan = method.plan(system.friction);
        method.prepare(system);
        let mut report = Report::default();
        let polishes = match system.friction == Friction::Coulomb && system.is_for_velocities() {
            true => 0,
            false => plan.polishes,
        };
        let mut reached = f64::INFINITY;
        for turn in 0..polishes.max(1) {
            let left = limit.saturating_sub(report.iterations);
            let more = self.methods.get(named).solve(system, settings, left, state);
            stages.push(SolverStage {
                kind: SolverStageKind::Method(named.into()),
                outcome: more.status.into(),
                residual: more.residual,
                iterations: more.iterations,
            });
            report = Report {
                iterations: report.iterations + more.iterations,
                ..more
            };
            if turn >= polishes
                || system.stop.is_set()
                || !self.polish(system, settings, state, &mut report, stages)
                || report.iterations >= limit
            {
                break;
            }
            if turn == 0 && plan.leaves_local_minimum && !is_asked {
                // Close to a solution this gets further than another turn of the method.
                self.leave_local_minimum(system, settings, state, &mut report, stages);
                if report.status == Status::Solved || report.iterations >= limit {
                    break;
                }
            }
            // Each stage leaves the best it met: without a gain the next turn would begin, and end, where this one did.
            let now = stages.last().and_then(|stage| stage.residual);
            let now = now.unwrap_or(f64::INFINITY);
            if !(now < reached) {
                break;
            }
            reached = now;
        }
        let is_coulomb = !system.is_for_velocities();
        let over = system.stop.is_set() || (is_asked && report.iterations >= limit);
        let settled = matches!(report.status, Status::Solved | Status::Infeasible);
        if plan.leaves_local_minimum && is_coulomb && !over && !settled {
            self.leave_local_minimum(system, settings, state, &mut report, stages);
        }
        if polishes > 0 && is_coulomb {
            // The impulses are those of the best stage, whichever that was: velocities follow from them.
            state.twist.clear();
        }
        report
    }

    /// Newton's method on the natural map goes on where the method ended above the tolerance. Tells whether it came closer
    /// without reaching it: then the method may get further from there.
    fn polish(
        &mut self,
        system: &System,
        settings: &SolverSettings,
        state: &mut State,
        report: &mut Report,
        stages: &mut Stages,
    ) -> bool {
        let limited = report.status == Status::IterationLimit && system.friction == Friction::Associated;
        if limited || matches!(report.status, Status::Solved | Status::Infeasible) {
            return false;
        }
        let tuning = Tuning::DEFAULT;
        // The natural map of velocities that are good to the tolerance is smaller; how much, only the end tells.
        let (goal, gain, most) = match system.friction {
            Friction::Coulomb => (settings.tolerance, 1.0, tuning.polish.most_constraints),
            Friction::Associated => (0.0, tuning.polish.gain, tuning.interior.most_to_polish),
        };
        if system.len() > most {
            stages.push(SolverStage {
                kind: SolverStageKind::Polish,
                outcome: SolverStageOutcome::TooLarge,
                residual: None,
                iterations: 0,
            });
            return false;
        }
        let (before, after, steps) = self.direct.polish(system, goal, gain, &mut state.r);
        report.iterations += steps;
        if after < before {
            // Velocities follow from the impulses again.
            state.twist.clear();
        }
        let is_solved = system.friction == Friction::Coulomb && after <= settings.tolerance;
        if is_solved {
            report.status = Status::Solved;
        }
        stages.push(SolverStage {
            kind: SolverStageKind::Polish,
            outcome: match (is_solved, after < before) {
                (true, _) => SolverStageOutcome::Solved,
                (false, true) => SolverStageOutcome::Improved,
                (false, false) => SolverStageOutcome::Stalled,
            },
            residual: Some(after),
            iterations: steps,
        });
        system.friction == Friction::Coulomb && after > settings.tolerance && steps > 0
    }

    /// Proximal points go on where Newton's method ended in a local minimum of the natural map.
    fn leave_local_minimum(
        &mut self,
        system: &System,
        settings: &SolverSettings,
        state: &mut State,
        report: &mut Report,
        stages: &mut Stages,
    ) {
        let mut stage = SolverStage {
            kind: SolverStageKind::LeaveLocalMinimum,
            outcome: SolverStageOutcome::TooLarge,
            residual: None,
            iterations: 0,
        };
        if system.len() <= Tuning::DEFAULT.polish.most_constraints {
            let ended = self
                .direct
                .leave_local_minimum(system, settings.tolerance, &mut state.r);
            report.iterations += ended.steps;
            if ended.residual <= settings.tolerance {
                report.status = Status::Solved;
            }
            stage.outcome = ended.outcome;
            stage.residual = Some(ended.residual);
            stage.iterations = ended.steps;
        }
        stages.push(stage);
    }
}
