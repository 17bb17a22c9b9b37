//! Changes of the shape of a block. It is drawn in world coordinates afterwards.

use std::collections::HashSet;

use drystone_model::{
    Block, Model, SurfaceLoad,
    geometry::{Plane, Polyhedron, edit},
};
use glam::DVec3;

use super::{index_of, references, unused};
use crate::Failure;

fn refused(block: &str, error: &edit::EditError) -> Failure {
    Failure::input(format!("block `{block}`: {error}"))
}

fn plane(point: DVec3, normal: DVec3) -> Result<Plane, Failure> {
    if point.is_finite() && normal.try_normalize().is_some() {
        return Ok(Plane::through(point, normal));
    }
    Err(Failure::input("a cut needs a point and a normal that has a length"))
}

/// Gives a block another shape. A mass of its own becomes a density: what is cut off takes its weight along.
fn reshape(block: &mut Block, solid: Polyhedron) {
    if let Some(mass) = block.mass.take() {
        block.density = Some(mass / block.polyhedron().volume());
    }
    block.redraw(solid);
}

/// Refuses to change the faces of a block where a load names them by number: it would act on others.
fn keeps_faces(model: &Model, name: &str) -> Result<(), Failure> {
    let Some(block) = model.block(name) else { return Ok(()) };
    let by_number = |load: &SurfaceLoad| !load.faces.is_empty() && load.is_on(block);
    match model
        .load_cases
        .iter()
        .find(|(_, case)| case.surfaces.iter().any(by_number))
    {
        Some((case, _)) => {
            let what =
                format!("block `{name}`: load case `{case}` acts on faces of it by their numbers, which would change");
            Err(Failure::input(what)
                .help("give the way that the faces look (`facing`) in the model file, or remove the load case"))
        }
        None => Ok(()),
    }
}

pub(super) fn cut(model: &mut Model, name: &str, point: DVec3, normal: DVec3) -> Result<(), Failure> {
    let plane = plane(point, normal)?;
    let k = index_of(model, name)?;
    keeps_faces(model, name)?;
    let halves = edit::split(&model.blocks[k].polyhedron(), &plane).map_err(|e| refused(name, &e))?;
    let [behind, before] = halves;
    let taken: HashSet<String> = model.blocks.iter().map(|b| b.name.clone()).collect();
    let other = unused(&taken, name);
    references::joints_as(model, name, &other);
    let mut second = model.blocks[k].clone();
    reshape(&mut second, before);
    second.name.clone_from(&other);
    reshape(&mut model.blocks[k], behind);
    model.blocks.insert(k + 1, second);
    // What is fixed to a point of the block stays with the half that the point lies on.
    let is_other = |at: DVec3| plane.distance(at) > 0.0;
    model.blocks[k].added_mass.retain(|a| !is_other(a.center));
    model.blocks[k + 1].added_mass.retain(|a| is_other(a.center));
    for load in model.load_cases.values_mut().flat_map(|c| &mut c.surfaces) {
        if load.blocks.iter().any(|b| b == name) {
            load.blocks.push(other.clone());
        }
    }
    for force in model.load_cases.values_mut().flat_map(|c| &mut c.forces) {
        if force.block == name && force.at.is_some_and(is_other) {
            force.block.clone_from(&other);
        }
    }
    for end in model.ties.iter_mut().flat_map(|t| [&mut t.from, &mut t.to]) {
        if end.block == name && is_other(end.at) {
            end.block.clone_from(&other);
        }
    }
    Ok(())
}

pub(super) fn trim(model: &mut Model, name: &str, point: DVec3, normal: DVec3) -> Result<(), Failure> {
    let plane = plane(point, normal)?;
    change(model, name, |solid| edit::cut(solid, &plane))
}

pub(super) fn move_vertex(model: &mut Model, name: &str, vertex: usize, by: DVec3) -> Result<(), Failure> {
    change(model, name, |solid| edit::move_corners(solid, &[(vertex, by)]))
}

pub(super) fn move_face(model: &mut Model, name: &str, face: usize, by: f64) -> Result<(), Failure> {
    change(model, name, |solid| {
        let faces = solid.faces.len();
        if face >= faces {
            return Err(edit::EditError::NoSuchFace { face, faces });
        }
        let mut to = solid.face_plane(face);
        to.offset += by;
        edit::move_face(solid, face, &to)
    })
}

fn change(
    model: &mut Model,
    name: &str,
    edited: impl FnOnce(&Polyhedron) -> Result<Polyhedron, edit::EditError>,
) -> Result<(), Failure> {
    let k = index_of(model, name)?;
    keeps_faces(model, name)?;
    let solid = edited(&model.blocks[k].polyhedron()).map_err(|e| refused(name, &e))?;
    reshape(&mut model.blocks[k], solid);
    Ok(())
}
