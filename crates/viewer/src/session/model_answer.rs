//! A model as the page is told it: figures as JSON, shapes as a binary message.

use std::collections::HashMap;

use drystone_analysis::{Stepping, words::joint_laws};
use drystone_cone::Friction;
use drystone_model::{
    Block, Model,
    geometry::{Bounds, triangulate_face},
};
use glam::DVec3;
use serde_json::{Value, json};

use super::{Version, history::History, no_model};
use crate::{
    protocol::Refusal,
    wire::{Binary, Kind, flat},
};

/// The fields of the `model` answer.
pub(super) fn fields(history: &History) -> Result<Value, Refusal> {
    let Version {
        model,
        joints,
        built,
        beside,
        problems,
        ..
    } = history.now().ok_or_else(no_model)?;
    let mut bounds = Bounds::EMPTY;
    let mut blocks = Vec::with_capacity(model.blocks.len());
    for block in &model.blocks {
        let (mass, properties) = model.mass_of(block);
        let solid = block.polyhedron();
        let own = solid.bounds();
        bounds = bounds.union(&own);
        blocks.push(json!({
            "name": block.name,
            "fixed": block.fixed,
            "mass_kg": mass,
            "volume_m3": properties.volume,
            "center": properties.centroid,
            "size": own.size(),
            "group": block.group,
            "material": block.material,
            "faces": solid.faces.len(),
        }));
    }
    if bounds.is_empty() {
        bounds = Bounds {
            min: DVec3::ZERO,
            max: DVec3::ZERO,
        };
    }
    Ok(json!({
        "name": model.name,
        "description": model.description,
        "revision": history.revision(),
        "blocks": blocks,
        "friction": model.joints.friction,
        "friction_range": friction_range(model),
        "joint_laws": joint_laws(&model.joints),
        "automatic_steps": automatic_steps(model),
        "gravity": model.gravity,
        "density": model.density,
        "loads": model.load_cases.keys().collect::<Vec<_>>(),
        "load_forces": load_forces(model),
        "ties": model.ties,
        "motions": model.motions.keys().collect::<Vec<_>>(),
        "bounds": { "least": bounds.min, "most": bounds.max },
        "problems": problems,
        "beside": beside,
        "joints": joints.joints.len(),
        "joint_search": model.joint_search,
        "contacts": joints.contacts(),
        "undo": history.undo_count(),
        "redo": history.redo_count(),
        "recipe": built.as_ref().map(|b| json!({ "name": b.recipe, "values": b.values, "edits": b.edits.len() })),
    }))
}

/// The least and the largest friction that joints of a model can have.
fn friction_range(model: &Model) -> [f64; 2] {
    let laws = drystone_mechanics::joint_laws(model);
    let each = || laws.iter().map(|law| law.friction);
    [each().fold(f64::INFINITY, f64::min), each().fold(0.0, f64::max)]
}

/// How a simulation steps where nobody chooses, by what is asked beside.
fn automatic_steps(model: &Model) -> Value {
    let laws = drystone_mechanics::joint_laws(model);
    let chosen = |is_stiffness_given, friction| Stepping::Automatic.choose(&laws, is_stiffness_given, friction);
    json!({
        "associated": chosen(false, Friction::Associated),
        "coulomb": chosen(false, Friction::Coulomb),
        "stiffness": chosen(true, Friction::Associated),
    })
}

/// Where load cases push, and how strongly: their forces, and accelerations as a force at the centre of each free block.
fn load_forces(model: &Model) -> Vec<Value> {
    let mut all = Vec::new();
    if model.load_cases.is_empty() {
        return all;
    }
    let properties: HashMap<&str, _> = model
        .blocks
        .iter()
        .map(|b| (b.name.as_str(), model.mass_of(b)))
        .collect();
    for (name, case) in &model.load_cases {
        let mut push = |block: &str, at: DVec3, force: DVec3| {
            all.push(json!({ "case": name, "block": block, "at": at, "force_n": force }));
        };
        for force in &case.forces {
            if let Some((_, own)) = properties.get(force.block.as_str()) {
                push(&force.block, force.at.unwrap_or(own.centroid), force.force);
            }
        }
        for pressed in case.surfaces.iter().flat_map(|s| s.pressures(model)) {
            push(&model.blocks[pressed.block].name, pressed.at, pressed.force);
        }
        for body in &case.body {
            let is_loaded = |b: &&Block| {
                let in_group = |group: &String| body.groups.contains(group);
                !b.fixed && (body.groups.is_empty() || b.group.as_ref().is_some_and(in_group))
            };
            for block in model.blocks.iter().filter(is_loaded) {
                if let Some((mass, own)) = properties.get(block.name.as_str()) {
                    push(&block.name, own.centroid, *mass * body.acceleration);
                }
            }
        }
    }
    all
}

/// Shapes: corners of faces relative to the centres of their blocks, and joints.
pub(super) fn geometry(id: u64, version: &Version) -> Vec<u8> {
    let model = &version.model;
    let (mut positions, mut normals, mut of_block, mut of_vertex) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut triangles, mut of_face, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    for (index, block) in model.blocks.iter().enumerate() {
        let solid = block.polyhedron();
        let center = model.center_of(block);
        // Any corner at a vertex serves the edges that end there.
        let mut at: HashMap<u32, u32> = HashMap::new();
        for (face, vertices) in solid.faces.iter().enumerate() {
            let normal = solid.face_plane(face).normal;
            let first = positions.len() as u32;
            let mut own: HashMap<u32, u32> = HashMap::with_capacity(vertices.len());
            for (k, &vertex) in vertices.iter().enumerate() {
                let corner = first + k as u32;
                own.insert(vertex, corner);
                at.insert(vertex, corner);
                positions.push(solid.vertices[vertex as usize] - center);
                normals.push(normal);
                of_block.push(index as u32);
                of_vertex.push(vertex);
            }
            for triangle in triangulate_face(&solid, face) {
                triangles.extend(triangle.map(|v| own.get(&v).copied().unwrap_or(first)));
                of_face.push(face as u32);
            }
        }
        for (a, b) in solid.edges() {
            if let (Some(&a), Some(&b)) = (at.get(&a), at.get(&b)) {
                edges.extend([a, b]);
            }
        }
    }
    let joints = &version.joints.joints;
    let mut start = vec![0];
    for joint in joints {
        start.push(start.last().copied().unwrap_or(0) + joint.points.len() as u32);
    }
    Binary::new(Kind::Geometry, id, json!({ "blocks": model.blocks.len() }))
        .floats("positions", flat(&positions))
        .indices("block", of_block)
        .indices("vertex", of_vertex)
        .floats("normals", flat(&normals))
        .indices("triangles", triangles)
        .indices("edges", edges)
        .indices("face", of_face)
        .floats("joint_corners", flat(joints.iter().flat_map(|j| &j.points)))
        .indices("joint_start", start)
        .indices("joint_blocks", joints.iter().flat_map(|j| j.blocks.map(|b| b as u32)))
        .floats("joint_normals", flat(joints.iter().map(|j| &j.normal)))
        .finish()
}
