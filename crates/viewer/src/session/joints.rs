//! The joints of a model, whatever its supports are, and what is wrong with it.

use std::sync::Arc;

use drystone_analysis::{Geometry, Pairs, loose};
use drystone_contact::{Survey, joints as find_joints};
use drystone_model::{
    Model,
    check::{self, ModelProblem},
};

use super::{Built, Version};
use crate::{protocol::Refusal, security::BLOCKS};

/// Looks at a model: refuses one that cannot be used, finds its joints and what a person should judge. Joints that were
/// found before serve again where shapes have not changed.
pub(crate) fn found(model: Model, built: Option<Built>, joints: Option<Arc<Survey>>) -> Result<Version, Refusal> {
    if model.blocks.len() > BLOCKS {
        let what = format!(
            "the model has {} blocks; at most {BLOCKS} can be shown",
            model.blocks.len()
        );
        return Err(Refusal::new(what).help("the command line has no such limit"));
    }
    let all = check::problems(&model);
    let errors: Vec<String> = all
        .iter()
        .filter(|p| p.is_error())
        .map(ModelProblem::to_string)
        .collect();
    if !errors.is_empty() {
        return Err(Refusal::new(errors.join("\n")));
    }
    // What the command line is told about supports is of no use on the page.
    let others = all.iter().filter(|p| !p.is_about_no_supports());
    let mut problems: Vec<String> = others.map(ModelProblem::to_string).collect();
    problems.extend(carried(&model).err().map(|refusal| refusal.in_full()));
    let joints = match joints {
        Some(joints) => joints,
        None => Arc::new(search(&model)?),
    };
    let pairs = Pairs::of(&model, &joints);
    problems.extend(Geometry::with_pairs(&model, &pairs, &loose(&model, &joints)).lines());
    Ok(Version {
        model: Arc::new(model),
        joints,
        pairs: Arc::new(pairs),
        verifier: Arc::default(),
        built,
        beside: String::new(),
        problems,
    })
}

/// Whether anything carries a model; tells how to make something.
pub(crate) fn carried(model: &Model) -> Result<(), Refusal> {
    if model.blocks.iter().any(|b| b.fixed) {
        return Ok(());
    }
    Err(Refusal::new("no block is fixed, so nothing carries the structure")
        .help("select the blocks that carry it and press Fix under Edit"))
}

fn search(model: &Model) -> Result<Survey, Refusal> {
    // A survey leaves out joints between supports; which blocks are supports may change without another search.
    let mut free = model.clone();
    free.blocks.iter_mut().for_each(|b| b.fixed = false);
    find_joints(&free).map_err(Refusal::new)
}
