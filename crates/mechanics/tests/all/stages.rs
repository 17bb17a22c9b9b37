//! What a verdict tells of the way to it.

use crate::common::built;
use drystone_cone::Friction;
use drystone_mechanics::statics::{
    Check, Limit, LimitSettings, Loads, Method, Solvers, StageKind, StageOutcome, Structure, Verdict, check, limit,
};
use glam::DVec3;

fn checked(recipe: &str, options: &[(&str, &str)], method: Method) -> Check {
    let structure = Structure::new(&built(recipe, options)).unwrap();
    let weight = Loads::body_force(&structure, structure.gravity);
    check(&structure, &weight, method, &mut Solvers::default()).unwrap()
}

/// The last stage that answered.
fn answered(check: &Check) -> StageKind {
    let answered = check.stages.iter().rev().find(|s| s.outcome == StageOutcome::Answered);
    answered.unwrap_or_else(|| panic!("{:?}", check.stages)).kind
}

#[test]
fn an_arch_stands_by_forces_of_least_norm_and_by_a_motion_that_mobilises_them() {
    let by_forces = checked("arch", &[], Method::Cone);
    assert_eq!(by_forces.verdict, Verdict::Stable);
    assert!(matches!(
        answered(&by_forces),
        StageKind::LeastNorm | StageKind::CorrectForces
    ));
    let by_motion = checked("arch", &[], Method::Cra);
    assert_eq!(by_motion.verdict, Verdict::Stable);
    assert_eq!(by_motion.stages[..by_forces.stages.len()], by_forces.stages[..]);
    let last = by_motion.stages.last().unwrap();
    assert_eq!(last.outcome, StageOutcome::Answered);
    assert!(last.residual.unwrap() <= 1e-8);
}

#[test]
fn a_stack_that_leans_too_far_falls_by_a_corrected_mechanism() {
    let found = checked("stack", &[("offset", "0.4")], Method::Cone);
    assert_eq!(found.verdict, Verdict::Unstable);
    assert_eq!(found.stages[0].kind, StageKind::LeastNorm);
    assert_eq!(found.stages[0].outcome, StageOutcome::NotFound);
    assert_eq!(answered(&found), StageKind::CorrectMotion);
    assert_eq!(found.residual(), found.stages.last().unwrap().residual);
}

#[test]
fn tension_that_would_hold_a_leaning_stack_is_the_last_stage() {
    let found = checked("stack", &[("offset", "0.4")], Method::Rbe);
    assert_eq!(found.stages.last().unwrap().kind, StageKind::Tension);
}

/// The largest horizontal force on a block of 0.6 by 1.
fn limited(friction: Friction) -> Limit {
    let structure = Structure::new(&built("block", &[("friction", "0.3")])).unwrap();
    let weight = Loads::body_force(&structure, structure.gravity);
    let push = Loads::body_force(&structure, structure.gravity.length() * DVec3::X);
    let settings = LimitSettings {
        friction,
        ..LimitSettings::default()
    };
    limit(&structure, &weight, &push, &settings, &mut Solvers::default()).unwrap()
}

#[test]
fn each_bound_of_a_limit_comes_from_a_stage_that_answered() {
    let found = limited(Friction::Associated);
    let kinds: Vec<StageKind> = found.stages.iter().map(|s| s.kind).collect();
    assert_eq!(kinds[..2], [StageKind::DeadLoads, StageKind::Program]);
    for bound in found.bounds {
        let gave = |s: &&drystone_mechanics::statics::Stage| {
            s.outcome == StageOutcome::Answered && s.multiplier == Some(bound) && s.residual.is_some()
        };
        assert!(found.stages.iter().any(|s| gave(&s)), "{bound}: {:?}", found.stages);
    }
    let coulomb = limited(Friction::Coulomb);
    let last = coulomb.stages.last().unwrap();
    assert_eq!(last.kind, StageKind::WithoutDilatancy);
    assert_eq!(
        (last.outcome, last.multiplier),
        (StageOutcome::Answered, coulomb.multiplier)
    );
}
