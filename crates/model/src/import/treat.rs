//! What becomes of blocks that are no solids: left out, or repaired.

use std::collections::HashSet;

use super::{error::ImportError, mesh::polygons, text::listed};
use crate::{
    Block, MeshShape, Model, Shape,
    check::{self, ModelProblem},
    geometry::{Polyhedron, hull_of, repair},
};

/// What to do with blocks that are no solids. Neither: they stay as they are, for the checks of the model to refuse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Treatment {
    /// Leave out blocks that are no solids (after a repair, those that it did not help).
    pub skip_bad: bool,
    /// Close small holes, turn faces, merge what is doubled; where that is not enough, take the convex hull.
    pub repair: bool,
}

/// What was done to a block that was no solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Treated {
    /// Name of the block.
    pub block: String,
    /// What was wrong with it.
    pub reason: String,
    /// What was done.
    pub action: Action,
}

/// What was done to a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// It is not in the model.
    LeftOut,
    /// It is in the model with another surface.
    Repaired {
        /// What was done, step by step.
        done: Vec<String>,
        /// Whether its convex hull took its place.
        hull: bool,
        /// Volume that the surface enclosed before, as far as it was closed (m³).
        volume_before: f64,
        /// Volume now (m³).
        volume_after: f64,
    },
}

impl std::fmt::Display for Treated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.action {
            Action::LeftOut => write!(f, "block `{}` left out: {}", self.block, self.reason),
            Action::Repaired {
                done,
                volume_before,
                volume_after,
                ..
            } => write!(
                f,
                "block `{}` repaired: {}; volume {} before, {} now. It was: {}",
                self.block,
                done.join(", "),
                volume(*volume_before),
                volume(*volume_after),
                self.reason
            ),
        }
    }
}

/// A volume (m³) in the unit that suits it.
fn volume(value: f64) -> String {
    let (scale, unit) = match value.abs() {
        v if v >= 0.1 => (1.0, "m3"),
        v if v >= 1e-4 => (1e3, "dm3"),
        v if v >= 1e-7 => (1e6, "cm3"),
        _ => (1e9, "mm3"),
    };
    format!("{:.4} {unit}", value * scale)
}

/// Treats every block of a model that is no solid, and everything that names a block left out.
pub(super) fn treat(
    model: &mut Model,
    treatment: Treatment,
    warnings: &mut Vec<String>,
    file: &str,
) -> Result<Vec<Treated>, ImportError> {
    let mut treated = Vec::new();
    if treatment == Treatment::default() {
        return Ok(treated);
    }
    let mut out = HashSet::new();
    for index in 0..model.blocks.len() {
        let Some(reason) = fault(model, index) else { continue };
        let block = model.blocks[index].name.clone();
        let action = match treatment.repair.then(|| repaired(model, index)).flatten() {
            Some(action) => action,
            None if treatment.skip_bad => {
                out.insert(block.clone());
                Action::LeftOut
            }
            // The checks of the model tell why.
            None => continue,
        };
        treated.push(Treated { block, reason, action });
    }
    leave_out(model, &out, warnings);
    if model.blocks.is_empty() {
        let reasons: Vec<String> = treated.iter().take(5).map(ToString::to_string).collect();
        let what = format!("no block is left:\n  {}", reasons.join("\n  "));
        return Err(super::error::format_error(file, what));
    }
    Ok(treated)
}

/// What is wrong with the shape of a block, in one line.
fn fault(model: &Model, index: usize) -> Option<String> {
    let problems = check::shape_problems(model, index);
    let mut errors = problems
        .iter()
        .filter(|p| p.is_error())
        .map(|p: &ModelProblem| &p.message);
    let first = errors.next()?;
    Some(match errors.count() {
        0 => first.clone(),
        more => format!("{first} (and {more} more)"),
    })
}

/// Repairs a block, by its surface or else by its hull; `None`, with the block as it was, if neither makes it sound.
fn repaired(model: &mut Model, index: usize) -> Option<Action> {
    let before = model.blocks[index].shape.clone();
    let mesh = before.polyhedron();
    let in_range = |f: &Vec<u32>| f.iter().all(|&v| (v as usize) < mesh.vertices.len());
    if !mesh.vertices.iter().all(|v| v.is_finite()) || !mesh.faces.iter().all(in_range) {
        return None;
    }
    let size = mesh.bounds().diagonal();
    let planarity = model.tolerances.planarity * size;
    let mut attempt = |solid: Polyhedron, done: Vec<String>, hull: bool| {
        let volume_after = solid.volume();
        model.blocks[index].shape = Shape::Mesh(MeshShape {
            vertices: solid.vertices,
            faces: solid.faces,
            parts: Vec::new(),
        });
        fault(model, index).is_none().then(|| Action::Repaired {
            done,
            hull,
            volume_before: mesh.volume().abs(),
            volume_after,
        })
    };
    // Vertices a hundred times further apart than the digits of most files are still one.
    let closed = repair(&mesh, 1e-7 * size);
    let by_surface = polygons(closed.solid, 1e-6 * size, planarity)
        .ok()
        .and_then(|solid| attempt(solid, closed.done, false));
    let by_hull = || {
        let hull = hull_of(&mesh, 1e-6 * size).ok()?;
        attempt(hull, vec!["replaced by its convex hull".to_owned()], true)
    };
    let action = by_surface.or_else(by_hull);
    if action.is_none() {
        model.blocks[index].shape = before;
    }
    action
}

/// Removes blocks, and whatever names them.
pub(super) fn leave_out(model: &mut Model, out: &HashSet<String>, warnings: &mut Vec<String>) {
    if out.is_empty() {
        return;
    }
    model.blocks.retain(|b: &Block| !out.contains(&b.name));
    let gone = |names: &[&String]| names.iter().any(|name| out.contains(*name));
    let mut lost = Vec::new();
    model.ties.retain(|tie| {
        let keep = !gone(&[&tie.from.block, &tie.to.block]);
        if !keep {
            lost.push(format!("tie {}", tie.name));
        }
        keep
    });
    let before = model.interfaces.len();
    model.interfaces.retain(|i| !gone(&[&i.between[0], &i.between[1]]));
    if model.interfaces.len() < before {
        lost.push(format!("{} stored interfaces", before - model.interfaces.len()));
    }
    for (name, case) in &mut model.load_cases {
        let before = case.forces.len() + case.couples.len() + case.surfaces.len();
        case.forces.retain(|f| !out.contains(&f.block));
        case.couples.retain(|c| !out.contains(&c.block));
        case.surfaces.retain_mut(|s| !s.forget(|name| out.contains(name)));
        let now = case.forces.len() + case.couples.len() + case.surfaces.len();
        if now < before {
            lost.push(format!("{} loads of case {name}", before - now));
        }
    }
    for support in &mut model.support_motions {
        support.blocks.retain(|b| !out.contains(b));
    }
    model
        .support_motions
        .retain(|s| !s.blocks.is_empty() || !s.groups.is_empty());
    model.joints.blocks.retain(|j| !gone(&[&j.between[0], &j.between[1]]));
    if !lost.is_empty() {
        warnings.push(format!("left out with the blocks they name: {}", listed(&lost)));
    }
}
