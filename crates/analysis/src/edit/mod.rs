//! Changes of a model, one at a time. What names a block follows it: loads, ties, friction, motions.

mod references;
mod shapes;

use std::collections::HashSet;

use drystone_contact::choose;
use drystone_model::{
    Block, BlockJoint, JointLaw, JointSearch, Model, PointForce, Pose, Rotation, Tie, TieEnd, TieKind,
};
use glam::{DQuat, DVec3};
use serde::Deserialize;

use crate::{Failure, known_blocks};

/// A change of the model.
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs, reason = "fields say what they are")]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Edit {
    /// Moves blocks (unit: m).
    Move { blocks: Vec<String>, by: DVec3 },
    /// Turns blocks about an axis through a point, right-handed.
    Rotate {
        blocks: Vec<String>,
        about: DVec3,
        axis: DVec3,
        angle_deg: f64,
    },
    /// Takes blocks away, with all that names them.
    Delete { blocks: Vec<String> },
    /// Copies blocks, and moves the copies (unit: m).
    Duplicate { blocks: Vec<String>, by: DVec3 },
    /// Makes supports of blocks, or sets them free.
    Fix { blocks: Vec<String>, fixed: bool },
    /// Sets the friction of every joint, or of that between two blocks.
    Friction { value: f64, between: Option<[String; 2]> },
    /// Sets the density of every block, or of some (unit: kg/m³).
    Density { value: f64, blocks: Option<Vec<String>> },
    /// Which faces count as joined (unit: m, degrees); what is left out stays as it is.
    Joints {
        distance: Option<f64>,
        angle_deg: Option<f64>,
    },
    /// Adds a force to a load case (unit: N); it acts at the centre of mass unless a point is given.
    Load {
        case: String,
        block: String,
        at: Option<DVec3>,
        force: DVec3,
    },
    /// Drops a load case.
    Unload { case: String },
    /// Adds a tie, or changes the one of that name.
    Tie {
        name: String,
        from: TieEnd,
        to: TieEnd,
        kind: TieKind,
    },
    /// Drops a tie.
    Untie { name: String },
    /// Cuts a block in two by a plane.
    Cut { block: String, point: DVec3, normal: DVec3 },
    /// Cuts off what lies before a plane.
    Trim { block: String, point: DVec3, normal: DVec3 },
    /// Moves a corner (unit: m).
    Vertex { block: String, vertex: usize, by: DVec3 },
    /// Moves a face along its normal (unit: m).
    Face { block: String, face: usize, by: f64 },
    /// Gives a block another name.
    Rename { block: String, name: String },
}

/// A model after a change.
pub struct Edited {
    /// The model.
    pub model: Model,
    /// Whether blocks have other shapes or places.
    pub shapes_changed: bool,
    /// Whether joints that were stored with it were dropped: from now on they are found from the shapes.
    pub drops_joints: bool,
}

/// The model after a change. Whether it is sound is not looked at.
pub fn edit(model: &Model, edit: &Edit) -> Result<Edited, Failure> {
    let mut model = model.clone();
    let mut shapes_changed = true;
    match edit {
        Edit::Move { blocks, by } => {
            move_blocks(&mut model, blocks, DVec3::ZERO, DQuat::IDENTITY, checked(*by)?)?;
        }
        Edit::Rotate {
            blocks,
            about,
            axis,
            angle_deg,
        } => {
            let axis = checked(*axis)?.try_normalize().filter(|_| angle_deg.is_finite());
            let axis = axis.ok_or_else(|| Failure::input("a turn needs an axis with a length and an angle"))?;
            let turn = DQuat::from_axis_angle(axis, angle_deg.to_radians());
            move_blocks(&mut model, blocks, checked(*about)?, turn, DVec3::ZERO)?;
        }
        Edit::Delete { blocks } => {
            let names: HashSet<String> = known_blocks(&model, blocks)?.into_iter().map(String::from).collect();
            model.blocks.retain(|b| !names.contains(&b.name));
            references::forget(&mut model, &names);
        }
        Edit::Duplicate { blocks, by } => duplicate(&mut model, blocks, checked(*by)?)?,
        Edit::Fix { blocks, fixed } => {
            shapes_changed = false;
            let names = known_blocks(&model, blocks)?;
            for block in model.blocks.iter_mut().filter(|b| names.contains(b.name.as_str())) {
                block.fixed = *fixed;
            }
            if !fixed {
                let names = names.into_iter().map(String::from).collect();
                references::forget_motions(&mut model, &names);
            }
        }
        Edit::Friction { value, between } => {
            shapes_changed = false;
            set_friction(&mut model, *value, between.as_ref())?;
        }
        Edit::Density { value, blocks } => {
            // Shapes are drawn about centres of mass, which move in blocks that carry something.
            shapes_changed = model.blocks.iter().any(|b| !b.added_mass.is_empty());
            set_density(&mut model, *value, blocks.as_deref())?;
        }
        Edit::Joints { distance, angle_deg } => set_joints(&mut model, *distance, *angle_deg),
        Edit::Load { case, block, at, force } => {
            shapes_changed = false;
            known_blocks(&model, std::slice::from_ref(block))?;
            let case = model.load_cases.entry(case.clone()).or_default();
            case.forces.push(PointForce {
                block: block.clone(),
                force: checked(*force)?,
                at: at.map(checked).transpose()?,
            });
        }
        Edit::Unload { case } => {
            shapes_changed = false;
            if model.load_cases.shift_remove(case).is_none() {
                return Err(Failure::input(format!("there is no load case `{case}`")));
            }
        }
        Edit::Tie { name, from, to, kind } => {
            shapes_changed = false;
            let known = model.ties.iter_mut().find(|t| t.name == *name);
            let tie = Tie {
                name: name.clone(),
                from: from.clone(),
                to: to.clone(),
                kind: *kind,
                group: known.as_ref().and_then(|t| t.group.clone()),
            };
            // One that is there is changed.
            match known {
                Some(known) => *known = tie,
                None => model.ties.push(tie),
            }
        }
        Edit::Untie { name } => {
            shapes_changed = false;
            let before = model.ties.len();
            model.ties.retain(|t| t.name != *name);
            if model.ties.len() == before {
                return Err(Failure::input(format!("there is no tie `{name}`")));
            }
        }
        Edit::Cut { block, point, normal } => shapes::cut(&mut model, block, *point, *normal)?,
        Edit::Trim { block, point, normal } => shapes::trim(&mut model, block, *point, *normal)?,
        Edit::Vertex { block, vertex, by } => shapes::move_vertex(&mut model, block, *vertex, *by)?,
        Edit::Face { block, face, by } => shapes::move_face(&mut model, block, *face, *by)?,
        Edit::Rename { block, name } => {
            shapes_changed = false;
            let k = index_of(&model, block)?;
            if block != name && model.block(name).is_some() {
                return Err(Failure::input(format!("there is a block `{name}` already")));
            }
            model.blocks[k].name.clone_from(name);
            references::rename(&mut model, block, name);
        }
    }
    let drops_joints = shapes_changed && !model.interfaces.is_empty();
    if drops_joints {
        model.interfaces.clear();
    }
    Ok(Edited {
        model,
        shapes_changed,
        drops_joints,
    })
}

/// Which faces count as joined. What is left out stays as it is; both left out, the geometry tells.
fn set_joints(model: &mut Model, distance: Option<f64>, angle_deg: Option<f64>) {
    let precision = model.joint_search.map_or(0.0, |search| search.precision);
    let sizes = model.blocks.iter().map(|b| b.polyhedron().bounds().diagonal());
    let known = JointSearch {
        distance: model.joint_distance(sizes.fold(0.0, f64::max)),
        angle_deg: model.joint_angle_deg(),
        precision,
        source: None,
    };
    model.interfaces.clear();
    model.joint_search = None;
    model.joint_search = match (distance, angle_deg) {
        (None, None) => choose(model).search,
        _ => Some(JointSearch {
            distance: distance.unwrap_or(known.distance),
            angle_deg: angle_deg.unwrap_or(known.angle_deg),
            precision,
            source: None,
        }),
    };
}

fn checked(v: DVec3) -> Result<DVec3, Failure> {
    if v.is_finite() {
        Ok(v)
    } else {
        Err(Failure::input("coordinates must be finite numbers"))
    }
}

fn index_of(model: &Model, name: &str) -> Result<usize, Failure> {
    let found = model.blocks.iter().position(|b| b.name == name);
    found.ok_or_else(|| Failure::input(format!("there is no block `{name}`")))
}

/// Turns blocks about a point, then moves them; points that are fixed to them go with them.
fn move_blocks(model: &mut Model, names: &[String], about: DVec3, turn: DQuat, by: DVec3) -> Result<(), Failure> {
    let names = known_blocks(model, names)?;
    let map = |p: DVec3| about + turn * (p - about) + by;
    for block in model.blocks.iter_mut().filter(|b| names.contains(b.name.as_str())) {
        block.pose = moved(block, turn, map(block.pose.position));
    }
    for case in model.load_cases.values_mut() {
        for force in case.forces.iter_mut().filter(|f| names.contains(f.block.as_str())) {
            force.at = force.at.map(map);
        }
    }
    for tie in &mut model.ties {
        for end in [&mut tie.from, &mut tie.to] {
            if names.contains(end.block.as_str()) {
                end.at = map(end.at);
            }
        }
    }
    Ok(())
}

fn moved(block: &Block, turn: DQuat, position: DVec3) -> Pose {
    if turn == DQuat::IDENTITY {
        return Pose { position, ..block.pose };
    }
    let own = block
        .pose
        .rotation
        .and_then(|r| r.quaternion())
        .unwrap_or(DQuat::IDENTITY);
    let DQuat { x, y, z, w } = (turn * own).normalize();
    Pose {
        position,
        rotation: Some(Rotation::Quaternion {
            quaternion: [w, x, y, z],
        }),
    }
}

fn duplicate(model: &mut Model, names: &[String], by: DVec3) -> Result<(), Failure> {
    let names = known_blocks(model, names)?;
    let originals: Vec<Block> = model
        .blocks
        .iter()
        .filter(|b| names.contains(b.name.as_str()))
        .cloned()
        .collect();
    let mut taken: HashSet<String> = model.blocks.iter().map(|b| b.name.clone()).collect();
    for original in originals {
        let name = unused(&taken, &original.name);
        taken.insert(name.clone());
        references::joints_as(model, &original.name, &name);
        let pose = moved(&original, DQuat::IDENTITY, original.pose.position + by);
        model.blocks.push(Block { name, pose, ..original });
    }
    Ok(())
}

/// A name like another that is not taken: `stone`, `stone-2`, `stone-3`.
fn unused(taken: &HashSet<String>, like: &str) -> String {
    let mut k = 2_usize;
    loop {
        let name = format!("{like}-{k}");
        if !taken.contains(&name) {
            return name;
        }
        k += 1;
    }
}

fn set_friction(model: &mut Model, value: f64, between: Option<&[String; 2]>) -> Result<(), Failure> {
    let Some(pair) = between else {
        model.joints.set_friction(value);
        return Ok(());
    };
    known_blocks(model, pair)?;
    if pair[0] == pair[1] {
        return Err(Failure::input(format!(
            "friction is between two blocks, and `{}` is one",
            pair[0]
        )));
    }
    let is_same = |j: &BlockJoint| j.between == *pair || [&j.between[1], &j.between[0]] == [&pair[0], &pair[1]];
    let find = |name: &String| model.blocks.iter().find(|b| b.name == *name);
    if let (Some(a), Some(b)) = (find(&pair[0]), find(&pair[1])) {
        let law = JointLaw {
            friction: value,
            ..model.joints.law_between(a, b)
        };
        model.joints.blocks.retain(|j| !is_same(j));
        let pair = [pair[0].as_str(), pair[1].as_str()];
        model.joints.blocks.push(BlockJoint::between(pair, law));
    }
    Ok(())
}

fn set_density(model: &mut Model, value: f64, blocks: Option<&[String]>) -> Result<(), Failure> {
    let Some(names) = blocks else {
        model.set_density(value);
        return Ok(());
    };
    let names = known_blocks(model, names)?;
    for block in model.blocks.iter_mut().filter(|b| names.contains(b.name.as_str())) {
        (block.density, block.mass) = (Some(value), None);
    }
    Ok(())
}
