//! Continuation in friction: a solution with somewhat more friction is followed down to that of the joints.

use super::{
    super::{Assembly, Loads, Solvers, Stage, StageKind, StageOutcome, StaticsError},
    Mobilised, Start, TUNING,
    compliance::{attempt, compliances},
    restore, restore_from,
};

/// Looks for a solution by continuation. The loads must be such that forces balance them.
pub(super) fn by_continuation(
    assembly: &Assembly,
    loads: &Loads,
    solvers: &mut Solvers,
    stages: &mut Vec<Stage>,
) -> Result<Option<Mobilised>, StaticsError> {
    let mut tell = |outcome, residual| {
        stages.push(Stage::new(StageKind::FrictionContinuation, outcome, residual));
    };
    if let Some(outcome) = restore::is_left_out(assembly) {
        tell(outcome, None);
        return Ok(None);
    }
    let mut ended = StageOutcome::NotFound;
    let mut rough = assembly.clone();
    for most in TUNING.rougher {
        roughen(&mut rough, assembly, most);
        let mut found = None;
        for compliance in compliances(assembly).take(TUNING.continuation_compliances) {
            let (_, start) = attempt(&rough, loads, &mut solvers.coupled, compliance, false)?;
            found = found.or_else(|| restore_from(&rough, loads, &start, solvers).ok());
        }
        let Some(mut found) = found else { continue };
        let (mut at, mut step) = (most, 0.5 * (most - 1.0));
        ended = StageOutcome::RoundLimit;
        for _ in 0..TUNING.continuation_steps {
            let next = (at - step).max(1.0);
            roughen(&mut rough, assembly, next);
            let mut start = found.as_start();
            start.shrink(assembly, next / at);
            match restore_from(&rough, loads, &start, solvers) {
                Ok(_) if next <= 1.0 => {
                    let last = restore_from(assembly, loads, &start, solvers).ok();
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

fn roughen(rough: &mut Assembly, assembly: &Assembly, by: f64) {
    for (rough, own) in rough.points.iter_mut().zip(&assembly.points) {
        rough.friction = by * own.friction;
    }
}

impl Start {
    /// Takes friction down in proportion to its limit.
    fn shrink(&mut self, assembly: &Assembly, by: f64) {
        for (force, point) in self.forces.contact.iter_mut().zip(&assembly.points) {
            let normal = force.dot(point.normal) * point.normal;
            *force = normal + by * (*force - normal);
        }
    }
}
