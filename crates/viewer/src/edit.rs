//! Changes of a version of a model.

use std::sync::Arc;

use drystone_analysis::Edit;

use crate::{
    protocol::Refusal,
    session::{Version, found},
};

/// The version after a change. A change that leaves no sound model is refused.
pub(crate) fn edit(version: &Version, change: &Edit) -> Result<Version, Refusal> {
    let edited = drystone_analysis::edit(&version.model, change)?;
    let joints = (!edited.shapes_changed).then(|| Arc::clone(&version.joints));
    let built = version.built.clone().map(|mut built| {
        built.edits.push(change.clone());
        built
    });
    let mut changed = found(edited.model, built, joints)?;
    changed.beside.clone_from(&version.beside);
    if edited.drops_joints {
        let what = "the joints that came with the model were dropped, and are found from the shapes from now on";
        changed.problems.push(what.into());
    }
    Ok(changed)
}
