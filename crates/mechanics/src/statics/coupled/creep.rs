//! What nature does: joints yield, and blocks creep under their loads until forces balance them, or on and on.
//!
//! Every joint has its opening to close; then it is elastic, and friction acts against all that it has slid. Blocks that come to rest on
//! joints that yield much are followed on with stiffer ones. Where they do not come to rest, displacement mobilises no forces
//! that hold them: evidence that it falls, by the motion that goes on.

use drystone_cone::{Equilibrium, EquilibriumSettings, Status};

use super::{
    super::{Loads, Stage, StageKind, StageOutcome, StaticsError, Structure, mechanism::measured, problem::Law},
    Growth,
    growth::Sign,
};

const TUNING: crate::statics::tuning::Creep = crate::statics::Tuning::DEFAULT.creep;

/// Follows blocks that creep; the motion that goes on, if one does.
pub(super) fn creep(
    structure: &Structure,
    loads: &Loads,
    solver: &mut Equilibrium,
    stages: &mut Vec<Stage>,
) -> Result<Option<Growth>, StaticsError> {
    let unit = loads.mean(structure);
    for (k, [along, across]) in TUNING.compliances.into_iter().enumerate() {
        let mut tell = |outcome, left| stages.push(Stage::new(StageKind::Creep(along), outcome, left));
        if !structure.ties.is_empty() {
            tell(StageOutcome::HasTies, None);
            return Ok(None);
        }
        if structure.points.len() > super::TUNING.most_points {
            tell(StageOutcome::TooLarge, None);
            return Ok(None);
        }
        let law = Law {
            gaps: &|_| 1.0,
            compliance: [along / unit, across / unit],
            tension: None,
        };
        let problem = structure.problem(&law);
        if k == 0 {
            solver.settings = EquilibriumSettings {
                tolerance: TUNING.start,
                ..EquilibriumSettings::default()
            };
            solver.solve(&problem, &loads.wrenches)?;
        }
        solver.settings = EquilibriumSettings {
            tolerance: TUNING.rest,
            max_iterations: TUNING.steps,
            ..EquilibriumSettings::default()
        };
        let balance = solver.creep(&problem, &loads.wrenches)?;
        let left = Some(balance.balance);
        match balance.status {
            Status::Solved => tell(StageOutcome::NotFound, left),
            Status::Infeasible => {
                tell(StageOutcome::Answered, left);
                return Ok(Some(Growth {
                    ratio: 1.0,
                    unbounded: true,
                    sign: Sign::Creep,
                    mechanism: measured(structure, loads, balance.motions.clone(), false),
                }));
            }
            _ => {
                tell(StageOutcome::RoundLimit, left);
                return Ok(None);
            }
        }
    }
    Ok(None)
}
