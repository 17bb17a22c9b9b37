//! Interfaces and contacts stored on the edges of a graph.

use std::collections::HashMap;

use glam::DVec3;
use serde_json::Value;

use super::{
    super::text::quoted,
    Reading,
    json::{frame, in_order, unwrapped, vector},
};
use crate::{StoredForce, StoredFrame, StoredInterface, geometry::Polyhedron};

/// Reads `edge: {u: {v: {"interfaces": [..]}}}`; `contacts` and a single `interface` are understood alike.
pub(super) fn read(graph: &Value, reading: &mut Reading) {
    let Some(Value::Object(edges)) = graph.get("edge") else {
        return;
    };
    let middles = reading.blocks.iter().map(|b| (b.key.clone(), b.mesh.bounds().center()));
    let middles: HashMap<String, DVec3> = middles.collect();
    let (mut pointless, mut unequal) = (0, 0);
    for (u, ends) in in_order(edges) {
        let Some(ends) = ends.as_object() else { continue };
        for (v, edge) in in_order(ends) {
            for item in stored_on(edge) {
                if let Some(missing) = [&u, &v].into_iter().find(|k| !middles.contains_key(*k)) {
                    reading.problems.somewhere(format!(
                        "the edge from {} to {} has an interface, but there is no block at node {}",
                        quoted(&u),
                        quoted(&v),
                        quoted(missing)
                    ));
                    continue;
                }
                match interface(item, [&u, &v], &middles) {
                    Ok(Some((interface, complete))) => {
                        unequal += usize::from(!complete);
                        reading.interfaces.push(interface);
                    }
                    Ok(None) => pointless += 1,
                    Err(what) => {
                        reading.problems.somewhere(format!(
                            "the interface from {} to {}: {what}",
                            quoted(&u),
                            quoted(&v)
                        ));
                    }
                }
            }
        }
    }
    if pointless > 0 {
        reading.warnings.push(format!(
            "{pointless} interfaces without points or without area left out"
        ));
    }
    if unequal > 0 {
        reading.warnings.push(format!(
            "forces of {unequal} interfaces left out: they are not one for each point"
        ));
    }
}

fn stored_on(edge: &Value) -> Vec<&Value> {
    let mut found = Vec::new();
    for name in ["interfaces", "contacts"] {
        match edge.get(name).map(unwrapped) {
            Some(Value::Array(list)) => found.extend(list.iter().filter(|v| v.is_object())),
            Some(one @ Value::Object(_)) => found.push(one),
            _ => {}
        }
    }
    // compas_cra keeps a list and a single interface side by side; the single one then repeats the list.
    if found.is_empty() {
        found.extend(edge.get("interface").filter(|v| v.is_object()));
    }
    found
}

/// The interface and whether its forces are kept; `None` if it has no extent.
fn interface(
    item: &Value,
    between: [&String; 2],
    middles: &HashMap<String, DVec3>,
) -> Result<Option<(StoredInterface, bool)>, String> {
    let data = unwrapped(item);
    let Some(points) = data.get("points").map(unwrapped).and_then(Value::as_array) else {
        return Ok(None);
    };
    let point = |(k, p)| vector(p).ok_or_else(|| format!("point {k} must be three coordinates within range"));
    let points: Vec<DVec3> = points.iter().enumerate().map(point).collect::<Result<_, _>>()?;
    let frame = data
        .get("frame")
        .and_then(frame)
        .or_else(|| fitted(&points, between, middles));
    let (Some(frame), false) = (frame, points.is_empty()) else {
        return Ok(None);
    };
    let forces = data
        .get("forces")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let forces: Vec<StoredForce> = forces.iter().filter_map(force).collect();
    let complete = forces.is_empty() || forces.len() == points.len();
    let interface = StoredInterface {
        between: between.map(String::clone),
        points,
        frame,
        area: data.get("size").and_then(Value::as_f64).filter(|a| *a >= 0.0),
        forces: if complete { forces } else { Vec::new() },
    };
    Ok(Some((interface, complete)))
}

fn force(value: &Value) -> Option<StoredForce> {
    let value = unwrapped(value).as_object()?;
    let component = |name: &str| value.get(name).and_then(Value::as_f64).unwrap_or(0.0);
    Some(StoredForce {
        compression: component("c_np"),
        tension: component("c_nn"),
        u: component("c_u"),
        v: component("c_v"),
    })
}

/// A frame in the plane of the points that looks from the first block to the second.
fn fitted(points: &[DVec3], between: [&String; 2], middles: &HashMap<String, DVec3>) -> Option<StoredFrame> {
    let polygon = Polyhedron {
        vertices: points.to_vec(),
        faces: vec![(0..points.len() as u32).collect()],
    };
    let plane = polygon.face_plane(0);
    if polygon.face_area(0) <= 0.0 {
        return None;
    }
    let [from, to] = between.map(|key| middles.get(key));
    let (u, v) = plane.axes();
    let mean = points.iter().sum::<DVec3>() / points.len() as f64;
    let along = u.cross(v).dot(*to? - *from?) >= 0.0;
    let (xaxis, yaxis) = if along { (u, v) } else { (v, u) };
    Some(StoredFrame {
        point: mean,
        xaxis,
        yaxis,
    })
}
