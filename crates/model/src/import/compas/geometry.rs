//! Shapes and transformations of COMPAS.

use std::collections::HashMap;

use glam::{DAffine3, DMat3, DVec3};
use serde_json::Value;

use super::{
    super::text::quoted,
    json::{class, frame, in_order, key_of, unwrapped, vector},
};
use crate::{check::LARGEST_COORDINATE, geometry::Polyhedron};

/// The polyhedron that a mesh, a polyhedron or a box of COMPAS describes.
pub(super) fn polyhedron(value: &Value) -> Result<Polyhedron, String> {
    let data = unwrapped(value);
    if data.get("vertex").is_some() {
        mesh(data)
    } else if data.get("vertices").is_some() {
        listed(data)
    } else if data.get("xsize").is_some() {
        cuboid(data)
    } else {
        let what = class(value).map_or_else(|| "of its kind".to_owned(), |c| format!("of class {}", quoted(c)));
        Err(format!("its geometry {what} is not a mesh, a polyhedron or a box"))
    }
}

/// A mesh data structure: vertices and faces under keys.
fn mesh(data: &Value) -> Result<Polyhedron, String> {
    let (Some(Value::Object(vertex)), Some(Value::Object(face))) = (data.get("vertex"), data.get("face")) else {
        return Err("its mesh must have objects `vertex` and `face`".to_owned());
    };
    let default = |axis: &str| data.get("default_vertex_attributes")?.get(axis)?.as_f64();
    let mut index = HashMap::new();
    let mut solid = Polyhedron::default();
    for (key, at) in in_order(vertex) {
        let coordinate = |axis: &str| match at.get(axis) {
            None | Some(Value::Null) => Some(default(axis).unwrap_or(0.0)),
            Some(value) => value.as_f64(),
        };
        let at = match (coordinate("x"), coordinate("y"), coordinate("z")) {
            (Some(x), Some(y), Some(z)) => DVec3::new(x, y, z),
            _ => return Err(format!("vertex {}: x, y and z must be numbers", quoted(&key))),
        };
        check(at).map_err(|what| format!("vertex {}: {what}", quoted(&key)))?;
        index.insert(key, solid.vertices.len() as u32);
        solid.vertices.push(at);
    }
    for (key, corners) in in_order(face) {
        let Some(corners) = corners.as_array() else {
            return Err(format!("face {}: it must be a list of vertices", quoted(&key)));
        };
        let corner = |v: &Value| {
            let name = key_of(v);
            let found = name.as_ref().and_then(|name| index.get(name).copied());
            found.ok_or_else(|| {
                format!(
                    "face {} names vertex {}, which is not there",
                    quoted(&key),
                    quoted(&v.to_string())
                )
            })
        };
        push_face(&mut solid, corners.iter().map(corner).collect::<Result<_, _>>()?, &key)?;
    }
    Ok(solid)
}

/// A polyhedron: lists of vertices and faces.
fn listed(data: &Value) -> Result<Polyhedron, String> {
    let list = |name: &str| data.get(name).and_then(Value::as_array);
    let (Some(vertices), Some(faces)) = (list("vertices"), list("faces")) else {
        return Err("its polyhedron must have lists `vertices` and `faces`".to_owned());
    };
    let mut solid = Polyhedron::default();
    for (number, at) in vertices.iter().enumerate() {
        let at = vector(at).ok_or_else(|| format!("vertex {number}: three coordinates within range are needed"))?;
        solid.vertices.push(at);
    }
    for (number, corners) in faces.iter().enumerate() {
        let corner = |v: &Value| {
            v.as_u64()
                .and_then(|v| u32::try_from(v).ok())
                .filter(|&v| (v as usize) < vertices.len())
                .ok_or_else(|| {
                    format!(
                        "face {number} names vertex {}, which is not there",
                        quoted(&v.to_string())
                    )
                })
        };
        let corners = corners.as_array().map(Vec::as_slice).unwrap_or_default();
        push_face(
            &mut solid,
            corners.iter().map(corner).collect::<Result<_, _>>()?,
            &number.to_string(),
        )?;
    }
    Ok(solid)
}

fn push_face(solid: &mut Polyhedron, corners: Vec<u32>, key: &str) -> Result<(), String> {
    if corners.len() < 3 {
        return Err(format!(
            "face {} has {} corners; at least 3 are needed",
            quoted(key),
            corners.len()
        ));
    }
    solid.faces.push(corners);
    Ok(())
}

/// A box: its size and the frame of its centre.
fn cuboid(data: &Value) -> Result<Polyhedron, String> {
    let length = |name: &str| data.get(name).and_then(super::json::positive);
    let (Some(x), Some(y), Some(z)) = (length("xsize"), length("ysize"), length("zsize")) else {
        return Err("its box must have lengths `xsize`, `ysize` and `zsize` above zero".to_owned());
    };
    let half = 0.5 * DVec3::new(x, y, z);
    check(half)?;
    let solid = Polyhedron::cuboid(-half, half);
    match data.get("frame") {
        None | Some(Value::Null) => Ok(solid),
        Some(at) => moved(solid, &transformation(at)?),
    }
}

fn check(at: DVec3) -> Result<(), String> {
    if at.is_finite() && at.abs().max_element() <= LARGEST_COORDINATE {
        Ok(())
    } else {
        Err(format!(
            "a coordinate of {at} is out of range; at most {LARGEST_COORDINATE:e} m is allowed"
        ))
    }
}

/// The solid moved, if it stays within range.
pub(super) fn moved(solid: Polyhedron, by: &DAffine3) -> Result<Polyhedron, String> {
    if *by == DAffine3::IDENTITY {
        return Ok(solid);
    }
    let solid = solid.transformed(by);
    solid.vertices.iter().try_for_each(|&v| check(v))?;
    Ok(solid)
}

/// A transformation: a matrix of four rows, or a frame that stands for the map from the world's frame to it.
pub(super) fn transformation(value: &Value) -> Result<DAffine3, String> {
    if value.is_null() {
        return Ok(DAffine3::IDENTITY);
    }
    if let Some(frame) = frame(value) {
        let x = frame.xaxis.normalize();
        let z = x.cross(frame.yaxis).normalize();
        return Ok(DAffine3::from_mat3_translation(
            DMat3::from_cols(x, z.cross(x), z),
            frame.point,
        ));
    }
    let data = unwrapped(value);
    let rows = data.get("matrix").unwrap_or(data).as_array();
    let row = |k: usize| -> Option<[f64; 4]> {
        let row = rows?.get(k)?.as_array()?;
        let number = |c: usize| {
            row.get(c)
                .and_then(Value::as_f64)
                .filter(|v| v.abs() <= LARGEST_COORDINATE)
        };
        Some([number(0)?, number(1)?, number(2)?, number(3)?])
    };
    let wrong = || "its transformation is neither a frame nor a matrix of 4 x 4 numbers".to_owned();
    let (Some(a), Some(b), Some(c), Some(d)) = (row(0), row(1), row(2), row(3)) else {
        return Err(wrong());
    };
    if d != [0.0, 0.0, 0.0, 1.0] {
        return Err("its transformation is not affine; the last row of the matrix must be 0, 0, 0, 1".to_owned());
    }
    let column = |k: usize| DVec3::new(a[k], b[k], c[k]);
    let map = DAffine3::from_mat3_translation(DMat3::from_cols(column(0), column(1), column(2)), column(3));
    Ok(map)
}
