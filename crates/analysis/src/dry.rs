//! What of the laws of joints statics leaves out.

use drystone_mechanics::Structure;
use drystone_model::JointLaw;

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

/// A conclusion with what it leaves out.
pub(crate) fn with_left_out(mut conclusion: String, structure: &Structure) -> String {
    if let Some(said) = left_out(structure) {
        conclusion.push(' ');
        conclusion.push_str(&said);
    }
    conclusion
}
