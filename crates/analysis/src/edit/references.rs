//! What names blocks, when blocks go, split or get another name.

use std::collections::HashSet;

use drystone_model::{BlockJoint, DeformableGroup, Model};

/// Drops whatever names blocks that are gone.
pub(super) fn forget(model: &mut Model, gone: &HashSet<String>) {
    let left: HashSet<String> = model.blocks.iter().filter_map(|b| b.group.clone()).collect();
    for case in model.load_cases.values_mut() {
        case.forces.retain(|f| !gone.contains(&f.block));
        case.couples.retain(|c| !gone.contains(&c.block));
        case.surfaces.retain_mut(|s| {
            s.groups.retain(|g| left.contains(g));
            !s.forget(|name| gone.contains(name))
        });
    }
    model.load_cases.retain(|_, case| !case.is_empty());
    model
        .ties
        .retain(|t| ![&t.from, &t.to].iter().any(|end| gone.contains(&end.block)));
    model
        .joints
        .blocks
        .retain(|j| !j.between.iter().any(|b| gone.contains(b)));
    model.interfaces.retain(|i| !i.between.iter().any(|b| gone.contains(b)));
    model
        .joints
        .groups
        .retain(|j| j.between.iter().all(|g| left.contains(g)));
    model.support_motions.retain_mut(|motion| {
        let named = !motion.groups.is_empty();
        motion.groups.retain(|g| left.contains(g));
        !(named && motion.groups.is_empty() && motion.blocks.is_empty())
    });
    model.forget_deformable();
    forget_motions(model, gone);
}

/// Drops motions of blocks that are supports no longer. A motion that named only such blocks goes altogether: one without
/// names would move every support.
pub(super) fn forget_motions(model: &mut Model, free: &HashSet<String>) {
    model.support_motions.retain_mut(|motion| {
        let named = !motion.blocks.is_empty();
        motion.blocks.retain(|b| !free.contains(b));
        !(named && motion.blocks.is_empty() && motion.groups.is_empty())
    });
}

/// Gives a block another name wherever it stands.
pub(super) fn rename(model: &mut Model, from: &str, to: &str) {
    let change = |name: &mut String| {
        if name == from {
            *name = to.to_string();
        }
    };
    for case in model.load_cases.values_mut() {
        case.forces.iter_mut().for_each(|f| change(&mut f.block));
        case.couples.iter_mut().for_each(|c| change(&mut c.block));
        case.surfaces.iter_mut().flat_map(|s| &mut s.blocks).for_each(change);
    }
    for tie in &mut model.ties {
        change(&mut tie.from.block);
        change(&mut tie.to.block);
    }
    model
        .joints
        .blocks
        .iter_mut()
        .flat_map(|j| &mut j.between)
        .for_each(change);
    model
        .interfaces
        .iter_mut()
        .flat_map(|i| &mut i.between)
        .for_each(change);
    model
        .support_motions
        .iter_mut()
        .flat_map(|m| &mut m.blocks)
        .for_each(change);
    // Where a group has the name, the entry is the group's.
    if !model.blocks.iter().any(|b| b.group.as_deref() == Some(from)) {
        model.deformable.iter_mut().for_each(|entry| change(&mut entry.blocks));
    }
}

/// Gives a new block the joint laws of another, its mesh, and its motion if it is a support.
pub(super) fn joints_as(model: &mut Model, other: &str, new: &str) {
    let own: Vec<BlockJoint> = model
        .joints
        .blocks
        .iter()
        .filter(|j| j.between.iter().any(|b| b == other))
        .map(|j| BlockJoint {
            between: j.between.clone().map(|b| if b == other { new.to_string() } else { b }),
            ..j.clone()
        })
        .collect();
    model.joints.blocks.extend(own);
    let entries = model.deformable.iter().filter(|entry| entry.blocks == other);
    let meshes: Vec<_> = entries.map(|entry| entry.mesh).collect();
    let blocks = || new.to_string();
    (model.deformable).extend(
        meshes
            .into_iter()
            .map(|mesh| DeformableGroup { blocks: blocks(), mesh }),
    );
    for motion in &mut model.support_motions {
        if motion.blocks.iter().any(|b| b == other) {
            motion.blocks.push(new.to_string());
        }
    }
}
