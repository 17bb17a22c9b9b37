//! PLY, ASCII and binary of either byte order. Connected pieces are the blocks, or the faces that share the number of
//! a property `block`, `block_id`, `object`, `object_id`, `group` or `group_id`. Lengths are metres.

mod body;
mod header;

use std::collections::BTreeMap;

use glam::DVec3;

use self::{
    body::{Source, Value},
    header::{Element, Header, Property, Scalar},
};
use super::{
    Imported,
    error::{ImportError, Problems, format_error, single},
    mesh::{Meshes, without_unused},
    text::{in_range, stem},
};
use crate::geometry::Polyhedron;

/// Reads a PLY file. `file` names it in messages and gives the model its name.
pub fn read(bytes: &[u8], file: &str) -> Result<Imported, ImportError> {
    let mut meshes = Meshes::default();
    read_into(&mut meshes, bytes, file)?;
    super::of_meshes(meshes, file)
}

const BLOCK_PROPERTIES: [&str; 6] = ["block", "block_id", "object", "object_id", "group", "group_id"];

pub(super) fn read_into(meshes: &mut Meshes, bytes: &[u8], file: &str) -> Result<(), ImportError> {
    let header = Header::read(bytes, file)?;
    let content = read_body(&header, bytes, file)?;
    meshes.single_precision |= content.single_precision;
    let faces: Vec<Vec<u32>> = content.faces.iter().map(|(_, corners)| corners.clone()).collect();
    if faces.is_empty() {
        return Err(format_error(file, "there are no faces in it"));
    }
    let vertices = content.vertices;
    if content.faces.iter().all(|(block, _)| block.is_none()) {
        let mesh = without_unused(Polyhedron { vertices, faces });
        meshes.add_pieces(&stem(file), &mesh);
        return Ok(());
    }
    let mut by_block: BTreeMap<i64, Vec<Vec<u32>>> = BTreeMap::new();
    for (block, corners) in content.faces {
        by_block.entry(block.unwrap_or(0)).or_default().push(corners);
    }
    for (block, faces) in by_block {
        let mut mesh = Polyhedron::default();
        let mut local = std::collections::HashMap::new();
        for face in faces {
            let mut corner = |v: u32| {
                *local.entry(v).or_insert_with(|| {
                    mesh.vertices
                        .push(vertices.get(v as usize).copied().unwrap_or_default());
                    mesh.vertices.len() as u32 - 1
                })
            };
            let face = face.into_iter().map(&mut corner).collect();
            mesh.faces.push(face);
        }
        meshes.add(&block.to_string(), &mesh);
    }
    Ok(())
}

#[derive(Default)]
struct Content {
    vertices: Vec<DVec3>,
    /// Each with the number of its block, where faces have one.
    faces: Vec<(Option<i64>, Vec<u32>)>,
    single_precision: bool,
}

fn read_body(header: &Header, bytes: &[u8], file: &str) -> Result<Content, ImportError> {
    let mut content = Content::default();
    let mut problems = Problems::new(file);
    let mut source = Source::new(header, bytes);
    for element in &header.elements {
        // An element without properties takes no room, however many there are said to be.
        if element.properties.is_empty() {
            continue;
        }
        let columns = Columns::of(element);
        match element.name.as_str() {
            "vertex" if columns.position.is_none() => {
                return Err(format_error(file, "its vertices need the properties x, y and z"));
            }
            "face" if columns.corners.is_none() => {
                return Err(format_error(
                    file,
                    "its faces need a list property `vertex_indices` (or `vertex_index`)",
                ));
            }
            "vertex" => content.single_precision = columns.single_precision,
            _ => {}
        }
        for number in 0..element.count {
            let record = source.record(element).map_err(|what| {
                let of = format!("{} {number} of {}", element.name, element.count);
                single(file, source.line(), format!("{of}: {what}"))
            })?;
            match element.name.as_str() {
                "vertex" => match columns.vertex(&record) {
                    Ok(vertex) => content.vertices.push(vertex),
                    Err(what) => {
                        content.vertices.push(DVec3::ZERO);
                        problems.somewhere(format!("vertex {number}: {what}"));
                    }
                },
                "face" => match columns.face(&record) {
                    Ok(face) => content.faces.push(face),
                    Err(what) => problems.somewhere(format!("face {number}: {what}")),
                },
                _ => {}
            }
        }
    }
    let count = content.vertices.len();
    for (number, (_, corners)) in content.faces.iter().enumerate() {
        if let Some(v) = corners.iter().find(|&&v| v as usize >= count) {
            problems.somewhere(format!(
                "face {number} names vertex {v}, but there are {count} (numbered from 0)"
            ));
        }
    }
    problems.finish()?;
    Ok(content)
}

/// Where the properties that matter stand in a record.
struct Columns {
    position: Option<[usize; 3]>,
    single_precision: bool,
    corners: Option<usize>,
    block: Option<usize>,
}

impl Columns {
    fn of(element: &Element) -> Self {
        let find = |name: &str| element.properties.iter().position(|p| p.name() == name);
        let position = match (find("x"), find("y"), find("z")) {
            (Some(x), Some(y), Some(z)) => Some([x, y, z]),
            _ => None,
        };
        let is_single = |p: &Property| {
            matches!(
                p,
                Property::Scalar {
                    scalar: Scalar::F32,
                    ..
                }
            )
        };
        Self {
            position,
            single_precision: position
                .is_some_and(|p| p.iter().any(|&k| element.properties.get(k).is_some_and(is_single))),
            corners: find("vertex_indices").or_else(|| find("vertex_index")),
            block: BLOCK_PROPERTIES.iter().find_map(|name| find(name)),
        }
    }

    fn vertex(&self, record: &[Value]) -> Result<DVec3, String> {
        let Some(position) = self.position else {
            return Ok(DVec3::ZERO);
        };
        let at = |k: usize| match record.get(k) {
            Some(&Value::Number(value)) => in_range(value),
            _ => Err("a coordinate is a list; it must be a number".to_owned()),
        };
        let [x, y, z] = position;
        Ok(DVec3::new(at(x)?, at(y)?, at(z)?))
    }

    fn face(&self, record: &[Value]) -> Result<(Option<i64>, Vec<u32>), String> {
        let Some(Value::List(list)) = self.corners.and_then(|k| record.get(k)) else {
            return Err("its corners are not a list".to_owned());
        };
        let corner = |&v: &f64| {
            (v >= 0.0 && v < f64::from(u32::MAX) && v.fract() == 0.0)
                .then_some(v as u32)
                .ok_or_else(|| format!("{v} is not the number of a vertex"))
        };
        let corners = list.iter().map(corner).collect::<Result<Vec<u32>, _>>()?;
        if corners.len() < 3 {
            return Err(format!("it has {} corners; at least 3 are needed", corners.len()));
        }
        let block = match self.block.and_then(|k| record.get(k)) {
            Some(&Value::Number(number)) => Some(number as i64),
            _ => None,
        };
        Ok((block, corners))
    }
}

#[cfg(test)]
mod tests;
