//! What analyses leave out of a model: laws of joints, and that blocks deform.

use drystone_mechanics::Structure;
use drystone_model::{JointLaw, Model};

/// What of its joint laws `check`, `limit` and `tilt` do not look at, in words.
pub fn left_out(structure: &Structure) -> Option<String> {
    let has = |is: fn(&JointLaw) -> bool| structure.laws().iter().any(is);
    let mut said = Vec::new();
    if has(|law| law.bond.is_some_and(|b| !b.is_nothing())) {
        said.push(
            "Joints are taken as dry: what stands without its bonds stands with them, what falls without them need not \
             (`settle` and `simulate` count them).",
        );
    } else if has(|law| law.static_friction.is_some()) {
        said.push("Friction is the kinetic one (`settle` and `simulate` count static friction).");
    }
    if has(|law| law.crushing_pa.is_some()) {
        said.push("Joints are taken as strong in compression: what stands so may be crushed (`settle` counts that).");
    }
    (!said.is_empty()).then(|| said.join(" "))
}

/// That an analysis of rigid blocks takes deformable ones as rigid, in words.
pub fn taken_as_rigid(model: &Model) -> Option<String> {
    let deformable = model.blocks.iter().filter(|b| model.is_deformable(b)).count();
    let blocks = match model.free_blocks().count() {
        free if free == deformable => "Blocks".to_string(),
        _ => format!("Blocks, {deformable} of which the model lets deform,"),
    };
    (deformable > 0).then(|| format!("{blocks} are taken as rigid in this analysis."))
}

/// What of a model `limit` and `tilt` do not look at, in words.
pub fn left_out_of_limits(model: &Model, structure: &Structure) -> Option<String> {
    let said: Vec<String> = left_out(structure).into_iter().chain(taken_as_rigid(model)).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// A conclusion with what it leaves out.
pub(crate) fn with_left_out(mut conclusion: String, left_out: Option<String>) -> String {
    if let Some(said) = left_out {
        conclusion.push(' ');
        conclusion.push_str(&said);
    }
    conclusion
}
