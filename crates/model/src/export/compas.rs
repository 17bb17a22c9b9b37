use serde_json::{Map, Value, json};

use crate::{Block, Model, StoredInterface};

/// The model as a COMPAS assembly (compas_assembly's `Assembly` in JSON).
///
/// Nodes are numbered from 0 in the order of the blocks. Each block's mesh is in world coordinates; its attributes hold
/// its name, density, mass and group where the model has them, and the assembly's attributes the name of the model,
/// its default density and friction. Interfaces are written with frames and forces. Read again by
/// [`crate::import::compas`], blocks get their own names back, because the attributes say `"named_by": "block"`.
/// Ties, loads, motions, gravity and frictions of single joints have no place in the format.
pub fn compas(model: &Model) -> String {
    let index: std::collections::HashMap<&str, usize> = model
        .blocks
        .iter()
        .enumerate()
        .map(|(k, b)| (b.name.as_str(), k))
        .collect();
    let mut node = Map::new();
    let mut edge = Map::new();
    let mut adjacency = Map::new();
    for (k, block) in model.blocks.iter().enumerate() {
        node.insert(k.to_string(), node_of(model, block));
        edge.insert(k.to_string(), json!({}));
        adjacency.insert(k.to_string(), json!({}));
    }
    for interface in &model.interfaces {
        let [Some(u), Some(v)] = interface.between.each_ref().map(|name| index.get(name.as_str())) else {
            continue;
        };
        let (u, v) = (u.to_string(), v.to_string());
        let list = &mut edge[&u][&v]["interfaces"];
        match list {
            Value::Array(list) => list.push(interface_of(interface)),
            _ => *list = json!([interface_of(interface)]),
        }
        adjacency[&u][&v] = Value::Null;
        adjacency[&v][&u] = Value::Null;
    }
    let assembly = json!({
        "dtype": "compas_assembly.datastructures/Assembly",
        "data": {
            "attributes": {
                "name": model.name,
                "named_by": "block",
                "density": model.density,
                "friction": model.joints.friction,
            },
            "graph": {
                "dtype": "compas.datastructures/Graph",
                "data": {
                    "attributes": {"name": "Graph"},
                    "default_node_attributes": {"block": null, "is_support": false},
                    "default_edge_attributes": {"interfaces": null},
                    "node": node,
                    "edge": edge,
                    "adjacency": adjacency,
                    "max_node": model.blocks.len() as i64 - 1,
                },
            },
        },
    });
    assembly.to_string()
}

fn node_of(model: &Model, block: &Block) -> Value {
    let solid = block.polyhedron();
    let mut attributes = Map::new();
    attributes.insert("name".into(), block.name.as_str().into());
    if let Some(mass) = block.mass {
        attributes.insert("mass".into(), mass.into());
    } else if block.density.is_some() || block.material.is_some() {
        attributes.insert("density".into(), model.density_of(block, 1.0).into());
    }
    if let Some(group) = &block.group {
        attributes.insert("group".into(), group.as_str().into());
    }
    let vertex: Map<String, Value> = solid
        .vertices
        .iter()
        .enumerate()
        .map(|(k, v)| (k.to_string(), json!({"x": v.x, "y": v.y, "z": v.z})))
        .collect();
    let face: Map<String, Value> = solid
        .faces
        .iter()
        .enumerate()
        .map(|(k, corners)| (k.to_string(), json!(corners)))
        .collect();
    json!({
        "is_support": block.fixed,
        "block": {
            "dtype": "compas_assembly.datastructures/Block",
            "data": {
                "attributes": attributes,
                "default_vertex_attributes": {"x": 0.0, "y": 0.0, "z": 0.0},
                "default_edge_attributes": {},
                "default_face_attributes": {},
                "vertex": vertex,
                "face": face,
                "facedata": {},
                "edgedata": {},
                "max_vertex": solid.vertices.len() as i64 - 1,
                "max_face": solid.faces.len() as i64 - 1,
            },
        },
    })
}

fn interface_of(interface: &StoredInterface) -> Value {
    let points: Vec<[f64; 3]> = interface.points.iter().map(|p| p.to_array()).collect();
    let forces: Vec<Value> = interface
        .forces
        .iter()
        .map(|f| json!({"c_np": f.compression, "c_nn": f.tension, "c_u": f.u, "c_v": f.v}))
        .collect();
    let frame = &interface.frame;
    json!({
        "dtype": "compas_assembly.datastructures/Interface",
        "data": {
            "points": points,
            "size": interface.area,
            "frame": {
                "dtype": "compas.geometry/Frame",
                "data": {
                    "point": frame.point.to_array(),
                    "xaxis": frame.xaxis.to_array(),
                    "yaxis": frame.yaxis.to_array(),
                },
            },
            "forces": if forces.is_empty() { Value::Null } else { forces.into() },
            "mesh": null,
        },
    })
}
