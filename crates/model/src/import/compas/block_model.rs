//! Block models of compas_dem and models of compas_model: elements by id, a tree that places them, and a graph whose
//! nodes refer to them.

use std::collections::HashMap;

use glam::DAffine3;
use serde_json::Value;

use super::{
    Found, Reading,
    geometry::{moved, polyhedron, transformation},
    interfaces,
    json::{in_order, positive, truth, unwrapped},
};
use crate::import::text::quoted;

pub(super) fn read(data: &Value, reading: &mut Reading) {
    let elements = elements(data);
    let graph = data.get("graph").map_or(&Value::Null, unwrapped);
    let mut places = HashMap::new();
    let base = placed(data.get("transformation"), &DAffine3::IDENTITY, "the model", reading);
    if let Some(root) = data.get("tree").map(unwrapped).and_then(|tree| tree.get("root")) {
        walk(root, &base, &elements, &mut places, reading);
    }
    for (key, id) in nodes(graph, &elements) {
        let Some(element) = elements.get(&id).map(|e| unwrapped(e)) else {
            let what = format!(
                "node {} refers to an element {} that is not there",
                quoted(&key),
                quoted(&id)
            );
            reading.problems.somewhere(what);
            continue;
        };
        // Groups order the tree and have no geometry.
        let Some(geometry) = element.get("geometry").filter(|g| !g.is_null()) else {
            continue;
        };
        let place = match places.get(&id) {
            Some(place) => *place,
            None => placed(element.get("transformation"), &base, &format!("node {key}"), reading),
        };
        match polyhedron(geometry).and_then(|mesh| moved(mesh, &place)) {
            Ok(mesh) => reading.blocks.push(Found {
                key,
                own_name: element.get("name").and_then(Value::as_str).map(str::to_owned),
                mesh,
                fixed: element.get("is_support").and_then(truth).unwrap_or(false),
                density: density(data, element),
                mass: None,
                group: None,
            }),
            Err(what) => reading.problems.somewhere(format!("node {}: {what}", quoted(&key))),
        }
    }
    interfaces::read(graph, reading);
}

/// The elements by id, from an object of ids or from a list.
fn elements(data: &Value) -> HashMap<String, &Value> {
    match data.get("elements").map(unwrapped) {
        Some(Value::Object(by_id)) => by_id.iter().map(|(id, e)| (id.clone(), e)).collect(),
        Some(Value::Array(list)) => list
            .iter()
            .enumerate()
            .map(|(number, e)| {
                let id = e
                    .get("guid")
                    .or_else(|| unwrapped(e).get("guid"))
                    .and_then(Value::as_str);
                (id.map_or_else(|| number.to_string(), str::to_owned), e)
            })
            .collect(),
        _ => HashMap::new(),
    }
}

/// Keys of graph nodes with the ids of their elements; without a graph, the elements numbered in the order of ids.
fn nodes(graph: &Value, elements: &HashMap<String, &Value>) -> Vec<(String, String)> {
    match graph.get("node") {
        Some(Value::Object(nodes)) if !nodes.is_empty() => {
            let id = |node: &Value| node.get("element")?.as_str().map(str::to_owned);
            in_order(nodes)
                .into_iter()
                .filter_map(|(key, node)| Some((key, id(node)?)))
                .collect()
        }
        _ => {
            let mut ids: Vec<&String> = elements.keys().collect();
            ids.sort();
            let numbered = ids.into_iter().enumerate();
            numbered.map(|(number, id)| (number.to_string(), id.clone())).collect()
        }
    }
}

/// An element's transformation acts within its parent's.
fn walk(
    node: &Value,
    parent: &DAffine3,
    elements: &HashMap<String, &Value>,
    places: &mut HashMap<String, DAffine3>,
    reading: &mut Reading,
) {
    let mut place = *parent;
    if let Some(id) = node.get("element").and_then(Value::as_str)
        && let Some(element) = elements.get(id)
    {
        let own = unwrapped(element).get("transformation");
        place = placed(own, parent, &format!("element {}", quoted(id)), reading);
        places.insert(id.to_owned(), place);
    }
    let children = node.get("children").and_then(Value::as_array);
    for child in children.into_iter().flatten() {
        walk(child, &place, elements, places, reading);
    }
}

fn placed(own: Option<&Value>, parent: &DAffine3, whose: &str, reading: &mut Reading) -> DAffine3 {
    match own.map(transformation) {
        None => *parent,
        Some(Ok(own)) => *parent * own,
        Some(Err(what)) => {
            reading.problems.somewhere(format!("{whose}: {what}"));
            *parent
        }
    }
}

/// The density of the material that an element refers to, or holds itself.
fn density(data: &Value, element: &Value) -> Option<f64> {
    let material = element.get("material").filter(|m| !m.is_null())?;
    let material = match material.as_str() {
        Some(id) => data.get("materials")?.get(id)?,
        None => material,
    };
    unwrapped(material).get("density").and_then(positive)
}
