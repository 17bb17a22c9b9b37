//! Names: used twice, or naming what is not there.

use std::collections::{HashMap, HashSet};

use super::{ModelProblem, block_place, nearest};
use crate::{Block, DeformableGroup, MissingElasticity, Model};

pub(super) fn check(model: &Model, found: &mut Vec<ModelProblem>) {
    let names = Names::new(model);
    if model.blocks.is_empty() {
        found.push(ModelProblem::error(
            "blocks",
            "is empty; a structure has at least one block",
        ));
    } else if !model.blocks.iter().any(|b| b.fixed) {
        found.push(ModelProblem::no_supports());
    }
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (index, block) in model.blocks.iter().enumerate() {
        if block.name.is_empty() {
            found.push(ModelProblem::error(block_place(index, ""), "name must not be empty"));
        }
        let earlier = *first.entry(&block.name).or_insert(index);
        if earlier != index && !block.name.is_empty() {
            let message = format!("name is used twice; block {earlier} has it too");
            found.push(ModelProblem::error(block_place(index, &block.name), message));
        }
        if let Some(material) = &block.material
            && !model.materials.contains_key(material)
        {
            let place = format!("{}, material", block_place(index, &block.name));
            found.push(missing(
                place,
                "material",
                material,
                model.materials.keys().map(String::as_str),
            ));
        }
    }
    for (k, joint) in model.joints.groups.iter().enumerate() {
        for group in &joint.between {
            names.group(format!("joints.groups[{k}].between"), group, found);
        }
    }
    for (k, joint) in model.joints.blocks.iter().enumerate() {
        for block in &joint.between {
            names.block(format!("joints.blocks[{k}].between"), block, found);
        }
    }
    for (name, case) in &model.load_cases {
        let blocks = case
            .forces
            .iter()
            .map(|f| &f.block)
            .chain(case.couples.iter().map(|c| &c.block));
        for block in blocks {
            names.block(format!("load_cases.{name}"), block, found);
        }
        for group in case.body.iter().flat_map(|b| &b.groups) {
            names.group(format!("load_cases.{name}.body"), group, found);
        }
    }
    for (k, support) in model.support_motions.iter().enumerate() {
        let place = format!("support_motions[{k}]");
        if !model.motions.contains_key(&support.motion) {
            let known = model.motions.keys().map(String::as_str);
            found.push(missing(format!("{place}.motion"), "motion", &support.motion, known));
        }
        for block in &support.blocks {
            match names.block(format!("{place}.blocks"), block, found) {
                Some(block) if !block.fixed => found.push(ModelProblem::error(
                    format!("{place}.blocks"),
                    format!(
                        "block `{}` is free; only fixed blocks can be given a motion: set `fixed`",
                        block.name
                    ),
                )),
                _ => {}
            }
        }
        for group in &support.groups {
            let place = format!("{place}.groups");
            names.group(place.clone(), group, found);
            let of_group = |b: &&Block| b.group.as_ref() == Some(group);
            if model.blocks.iter().any(|b| of_group(&b)) && !model.blocks.iter().filter(of_group).any(|b| b.fixed) {
                let message =
                    format!("no block of group `{group}` is fixed, so nothing moves: set `fixed` on its blocks");
                found.push(ModelProblem::error(place, message));
            }
        }
    }
    for (k, entry) in model.deformable.iter().enumerate() {
        let place = format!("deformable[{k}].blocks");
        found.extend(deformable_problem(model, entry, place));
    }
    found.extend(without_elasticity(model, &model.missing_elasticity()));
    for (k, tie) in model.ties.iter().enumerate() {
        let place = format!("ties[{k}] (`{}`)", tie.name);
        names.block(format!("{place}.from.block"), &tie.from.block, found);
        names.block(format!("{place}.to.block"), &tie.to.block, found);
        if tie.from.block == tie.to.block {
            found.push(ModelProblem::error(
                place,
                format!("both ends are on block `{}`; tie two blocks", tie.to.block),
            ));
        }
    }
    for (k, interface) in model.interfaces.iter().enumerate() {
        for block in &interface.between {
            names.block(format!("interfaces[{k}].between"), block, found);
        }
    }
}

/// What is wrong with the name of an entry of deformable blocks, at a place in the file. That it names supports only is a
/// warning: blocks may be fixed and set free.
pub fn deformable_problem(model: &Model, entry: &DeformableGroup, place: impl Into<String>) -> Option<ModelProblem> {
    let name = &entry.blocks;
    let mut named = model.blocks.iter().filter(|b| entry.names(b)).peekable();
    if named.peek().is_none() && name != DeformableGroup::ALL {
        let names = Names::new(model);
        let known = names.groups.iter().chain(names.blocks.keys()).copied();
        let hint = nearest(name, known.chain([DeformableGroup::ALL]));
        let mut groups: Vec<&str> = names.groups.into_iter().collect();
        groups.sort_unstable();
        let hint = match (hint, groups.as_slice()) {
            (Some(hint), _) => format!("; did you mean `{hint}`?"),
            (None, []) => "; the model has no groups: name a block, or `all`".to_string(),
            (None, _) => format!("; groups are: {}", groups.join(", ")),
        };
        let message = format!("there is no group and no block called `{name}`{hint}");
        return Some(ModelProblem::error(place, message));
    }
    let is_rigid = named.all(|b| b.fixed);
    is_rigid.then(|| {
        let message = format!("`{name}` names supports only, which stay rigid: name blocks that are not `fixed`");
        ModelProblem::warning(place, message)
    })
}

/// That deformable blocks have no elasticity, said of the first of them. Command lines have options for it, so that a file may
/// leave it out: analyses refuse what is left.
pub fn without_elasticity(model: &Model, missing: &[MissingElasticity]) -> Option<ModelProblem> {
    let first = missing.first()?;
    let what = match (first.young, first.poisson) {
        (true, true) => "neither `young_pa` nor `poisson`",
        (true, false) => "no `young_pa`",
        _ => "no `poisson`",
    };
    let more = match missing.len() - 1 {
        0 => String::new(),
        1 => " (like 1 more block)".to_string(),
        more => format!(" (like {more} more blocks)"),
    };
    let message = format!(
        "is deformable but has {what}{more}: give `young_pa` and `poisson` in its material, or `elasticity` in the model, or \
         --young and --poisson"
    );
    let place = block_place(first.block, &model.blocks[first.block].name);
    Some(ModelProblem::warning(place, message))
}

pub(super) struct Names<'a> {
    blocks: HashMap<&'a str, &'a Block>,
    groups: HashSet<&'a str>,
}

impl<'a> Names<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        Self {
            blocks: model.blocks.iter().map(|b| (b.name.as_str(), b)).collect(),
            groups: model.blocks.iter().filter_map(|b| b.group.as_deref()).collect(),
        }
    }

    pub(super) fn block(&self, place: String, name: &str, found: &mut Vec<ModelProblem>) -> Option<&'a Block> {
        let block = self.blocks.get(name).copied();
        if block.is_none() {
            found.push(missing(place, "block", name, self.blocks.keys().copied()));
        }
        block
    }

    pub(super) fn group(&self, place: String, name: &str, found: &mut Vec<ModelProblem>) {
        if !self.groups.contains(name) {
            found.push(missing(place, "group", name, self.groups.iter().copied()));
        }
    }
}

fn missing<'a>(place: String, what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> ModelProblem {
    let hint = nearest(name, known)
        .map(|n| format!("; did you mean `{n}`?"))
        .unwrap_or_default();
    ModelProblem::error(place, format!("there is no {what} called `{name}`{hint}"))
}
