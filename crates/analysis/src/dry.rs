//! What of the laws of joints statics leaves out.

use drystone_mechanics::Structure;

/// What of its joint laws `check`, `limit` and `tilt` do not look at, in words.
pub fn left_out(structure: &Structure) -> Option<&'static str> {
    let laws = structure.laws();
    let bonded = laws.iter().any(|law| law.bond.is_some_and(|b| !b.is_nothing()));
    let sticks = laws.iter().any(|law| law.static_friction.is_some());
    match (bonded, sticks) {
        (true, _) => Some(
            "Joints are taken as dry: what stands without its bonds stands with them, what falls without them need not \
             (`settle` and `simulate` count them).",
        ),
        (false, true) => Some("Friction is the kinetic one (`settle` and `simulate` count static friction)."),
        (false, false) => None,
    }
}

/// A conclusion with what it leaves out.
pub(crate) fn with_left_out(mut conclusion: String, structure: &Structure) -> String {
    if let Some(said) = left_out(structure) {
        conclusion.push(' ');
        conclusion.push_str(said);
    }
    conclusion
}
