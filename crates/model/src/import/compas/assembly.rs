//! Assemblies of compas_assembly and compas_cra: a graph whose nodes hold blocks.

use serde_json::Value;

use super::{
    Found, Reading,
    geometry::polyhedron,
    interfaces,
    json::{in_order, positive, truth, unwrapped},
};
use crate::import::text::quoted;

pub(super) fn read(data: &Value, reading: &mut Reading) {
    let graph = data.get("graph").map_or(data, unwrapped);
    let Some(Value::Object(nodes)) = graph.get("node") else {
        reading.problems.somewhere("its graph has no `node` object");
        return;
    };
    let defaults = graph.get("default_node_attributes").unwrap_or(&Value::Null);
    let fixed_by_default = defaults.get("is_support").and_then(truth).unwrap_or(false);
    let mut empty = 0;
    for (key, node) in in_order(nodes) {
        let Some(block) = node.get("block").filter(|b| !b.is_null()) else {
            empty += 1;
            continue;
        };
        match polyhedron(block) {
            Ok(mesh) => reading.blocks.push(found(key, node, block, mesh, fixed_by_default)),
            Err(what) => reading.problems.somewhere(format!("node {}: {what}", quoted(&key))),
        }
    }
    if empty > 0 {
        reading.warnings.push(format!("{empty} nodes without a block left out"));
    }
    interfaces::read(graph, reading);
}

fn found(key: String, node: &Value, block: &Value, mesh: crate::geometry::Polyhedron, fixed_by_default: bool) -> Found {
    let attributes = unwrapped(block).get("attributes").unwrap_or(&Value::Null);
    let text = |name: &str| attributes.get(name).and_then(Value::as_str).map(str::to_owned);
    let number = |name: &str| attributes.get(name).or_else(|| node.get(name)).and_then(positive);
    let fixed = node
        .get("is_support")
        .or_else(|| attributes.get("is_support"))
        .and_then(truth);
    Found {
        key,
        own_name: text("name"),
        mesh,
        fixed: fixed.unwrap_or(fixed_by_default),
        density: number("density"),
        mass: number("mass"),
        group: text("group"),
    }
}
