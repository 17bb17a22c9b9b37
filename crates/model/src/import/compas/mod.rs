//! COMPAS JSON: assemblies of compas_assembly and compas_cra, and the block models of compas_dem and compas_model.
//!
//! Blocks are named by the key of their node in the graph (`0`, `1`, ...) and come in the order of these numbers,
//! because that is how supports and interfaces refer to them; blocks' own names are mostly missing or all the same.
//! Only a file whose attributes say `"named_by": "block"`, as [`crate::export::compas`] writes them, is read with
//! the blocks' own names. Interfaces that the file stores are kept, with their forces.

mod assembly;
mod block_model;
mod geometry;
mod interfaces;
mod json;

use serde_json::Value;

use self::json::unwrapped;
use super::{
    Imported,
    error::{ImportError, Problems, format_error, single},
    mesh::Meshes,
    text::stem,
};
use crate::{Block, Joints, Model, geometry::Polyhedron};

/// Reads a COMPAS JSON file. `file` names it in messages and gives the model its name.
pub fn read(bytes: &[u8], file: &str) -> Result<Imported, ImportError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value: Value = serde_json::from_slice(bytes).map_err(|e| single(file, Some(e.line()), e.to_string()))?;
    if value.get("drystone").is_some() {
        return Err(format_error(
            file,
            "this is a model file of drystone already; it needs no import",
        ));
    }
    let data = unwrapped(&value);
    let mut reading = Reading::new(file);
    if data.get("elements").is_some() {
        block_model::read(data, &mut reading);
    } else if data.get("graph").or_else(|| data.get("node")).is_some() {
        assembly::read(data, &mut reading);
    } else {
        return Err(format_error(
            file,
            "this is not a COMPAS assembly (`graph` of blocks) or block model (`elements`)",
        ));
    }
    reading.finish(data, file)
}

/// A block as found in the file, before its mesh is looked at.
struct Found {
    /// Key of its node.
    key: String,
    own_name: Option<String>,
    mesh: Polyhedron,
    fixed: bool,
    density: Option<f64>,
    mass: Option<f64>,
    group: Option<String>,
}

/// What has been read so far.
struct Reading {
    problems: Problems,
    warnings: Vec<String>,
    blocks: Vec<Found>,
    interfaces: Vec<crate::StoredInterface>,
}

impl Reading {
    fn new(file: &str) -> Self {
        Self {
            problems: Problems::new(file),
            warnings: Vec::new(),
            blocks: Vec::new(),
            interfaces: Vec::new(),
        }
    }

    fn finish(mut self, data: &Value, file: &str) -> Result<Imported, ImportError> {
        let attributes = data.get("attributes").unwrap_or(&Value::Null);
        let mut model = Model::named(stem(file));
        let text = |key: &str| attributes.get(key).and_then(Value::as_str);
        let own_names = text("named_by") == Some("block");
        if let Some(name) = text("name").filter(|_| own_names) {
            model.name = name.to_owned();
        }
        if let Some(density) = attributes.get("density").and_then(json::positive) {
            model.density = density;
        }
        if let Some(friction) = attributes
            .get("friction")
            .and_then(Value::as_f64)
            .filter(|f| (0.0..1e6).contains(f))
        {
            model.joints = Joints::uniform(friction);
        }
        let mut meshes = Meshes::default();
        let mut extras = Vec::new();
        let mut names = std::collections::HashMap::new();
        for found in self.blocks {
            let name = match found.own_name {
                Some(name) if own_names => name,
                _ => found.key.clone(),
            };
            if let Some(name) = meshes.add(&name, &found.mesh) {
                names.insert(found.key, name);
                extras.push((found.fixed, found.density, found.mass, found.group));
            }
        }
        self.problems.finish()?;
        meshes
            .finish(&mut model, &mut self.warnings)
            .map_err(|what| single(file, None, what))?;
        for (block, (fixed, density, mass, group)) in model.blocks.iter_mut().zip(extras) {
            *block = Block {
                fixed,
                density,
                mass,
                group,
                ..block.clone()
            };
        }
        let known = self.interfaces.len();
        for mut interface in self.interfaces {
            let renamed = interface.between.clone().map(|key| names.get(&key).cloned());
            if let [Some(u), Some(v)] = renamed {
                interface.between = [u, v];
                model.interfaces.push(interface);
            }
        }
        if model.interfaces.len() < known {
            self.warnings.push(format!(
                "{} interfaces belong to blocks that were left out",
                known - model.interfaces.len()
            ));
        }
        super::with_blocks(model, self.warnings, file)
    }
}

#[cfg(test)]
mod tests;
