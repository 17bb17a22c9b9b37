//! Continuation in friction: a solution with somewhat more friction is followed down to that of the joints.

use super::{
    super::{Loads, Solvers, Stage, StageKind, StageOutcome, StaticsError, Structure},
    Mobilised, Start, TUNING,
    compliance::{attempt, compliances},
    restore, restore_from,
};

/// Looks for a solution by continuation. The loads must be such that forces balance them.
pub(super) fn by_continuation(
    structure: &Structure,
    loads: &Loads,
    solvers: &mut Solvers,
    stages: &mut Vec<Stage>,
) -> Result<Option<Mobilised>, StaticsError> {
    let mut tell = |outcome, residual| {
        stages.push(Stage::new(StageKind::FrictionContinuation, outcome, residual));
    };
    if let Some(outcome) = restore::is_left_out(structure) {
        tell(outcome, None);
        return Ok(None);
    }
    let mut ended = StageOutcome::NotFound;
    let mut rough = structure.clone();
    for most in TUNING.rougher {
        rough.scale_friction(structure, most);
        let mut found = None;
        for &compliance in compliances(structure).iter().take(TUNING.continuation_compliances) {
            let (_, start) = attempt(&rough, loads, &mut solvers.coupled, compliance, false)?;
            found = found.or_else(|| restore_from(&rough, loads, &start, solvers).ok());
        }
        let Some(mut found) = found else { continue };
        let (mut at, mut step) = (most, 0.5 * (most - 1.0));
        ended = StageOutcome::RoundLimit;
        for _ in 0..TUNING.continuation_steps {
            let next = (at - step).max(1.0);
            rough.scale_friction(structure, next);
            let mut start = found.as_start();
            start.shrink(structure, next / at);
            match restore_from(&rough, loads, &start, solvers) {
                Ok(_) if next <= 1.0 => {
                    let last = restore_from(structure, loads, &start, solvers).ok();
                    let residual = last.as_ref().map(|found| found.residual.largest());
                    tell(StageOutcome::found(last.is_some()), residual);
                    return Ok(last);
                }
                Ok(nearer) => (found, at) = (nearer, next),
                Err(_) => step *= 0.25,
            }
        }
    }
    tell(ended, None);
    Ok(None)
}

impl Start {
    /// Takes friction down in proportion to its limit.
    fn shrink(&mut self, structure: &Structure, by: f64) {
        for (force, point) in self.forces.contact.iter_mut().zip(&structure.points) {
            let normal = force.dot(point.normal) * point.normal;
            *force = normal + by * (*force - normal);
        }
    }
}
