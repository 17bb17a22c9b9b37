//! Slow loading and joint laws: paper 002's wall and dome, and closed forms.

mod arch;
mod dome;
mod joints;
mod tied;
mod wall;

use drystone_analysis::Failure;
use drystone_mechanics::{
    Structure,
    dynamics::Simulation,
    slow::{Path, PathEnd, PathSettings},
};
use drystone_model::{JointStiffness, LoadCase, Model, PointForce, Stage, Stages, SupportMove};
use glam::DVec3;

use super::case::{Allowed, Case, Context, Outcome, Row, short};

/// The cases of this group, in the order in which they are listed and run.
pub(super) const CASES: &[Case] = &[
    wall::AT_REST,
    wall::SETTLEMENT,
    dome::CASE,
    arch::CASE,
    joints::COUPLET,
    joints::CANTILEVER,
    joints::CYCLIC,
    tied::CASE,
];

/// A path through stages, followed to its end.
fn followed(model: &Model, stages: Vec<Stage>, stiffness: Option<JointStiffness>) -> Result<(Path, PathEnd), Failure> {
    let structure = Structure::new(model)?;
    let settings = PathSettings {
        stiffness,
        ..PathSettings::default()
    };
    let mut path = Path::new(model, structure, &Stages { stages }, settings)?;
    let end = path.follow(|_| ())?;
    Ok((path, end))
}

/// A stage of some steps.
pub(super) fn stage(name: &str, steps: u32) -> Stage {
    Stage {
        name: name.to_string(),
        steps: Some(steps),
        ..Stage::default()
    }
}

/// A stage in which a support moves.
pub(super) fn shift(block: &str, by: DVec3, steps: u32) -> Stage {
    Stage {
        moves: vec![SupportMove {
            blocks: vec![block.to_string()],
            by,
            ..SupportMove::default()
        }],
        ..stage(block, steps)
    }
}

/// A stage in which a load case grows.
pub(super) fn load(name: &str, factor: f64, steps: u32) -> Stage {
    Stage {
        loads: [(name.to_string(), factor)].into_iter().collect(),
        ..stage(name, steps)
    }
}

/// A load case of one force.
fn force(model: &mut Model, name: &str, block: &str, force: DVec3, at: Option<DVec3>) {
    let case = LoadCase {
        forces: vec![PointForce {
            block: block.to_string(),
            force,
            at,
        }],
        ..LoadCase::default()
    };
    model.load_cases.insert(name.to_string(), case);
}

/// How far a path came in its last stage, from 0 to 1.
pub(super) fn reached(end: &PathEnd) -> f64 {
    match end {
        PathEnd::Completed => 1.0,
        PathEnd::NoEquilibrium { between, .. } => between[0],
    }
}

/// What the structure weighs on its supports (N).
pub(crate) fn resultant(simulation: &Simulation) -> f64 {
    let fixed = &simulation.structure().fixed;
    let one = |c: drystone_mechanics::dynamics::ContactForce| {
        let [a, b] = c.blocks.map(|b| fixed[b as usize]);
        match (a, b) {
            (true, false) => c.force.z,
            (false, true) => -c.force.z,
            _ => 0.0,
        }
    };
    simulation.contact_forces().map(one).sum()
}
