//! The structure of one run, as data: where it comes from and what is different.

use drystone_analysis::{Edit, Failure, drawn_joints, edit, known_joints};
use drystone_model::{Block, JointSearch, Model, file, geometry::Polyhedron};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Shared;
use crate::{
    spec::{ModelChanges, RecipeSource},
    statistics::random::Random,
};

/// The structure of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelSpec {
    /// Where it comes from.
    pub base: Base,
    /// Fields of the model file that are different, by JSON pointers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<(String, Value)>,
    /// Blocks that are not there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The only free blocks that are there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub present: Option<Vec<String>>,
    /// Free blocks are smaller than drawn by up to this fraction, at random by a seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undersize: Option<(f64, u64)>,
    /// What gravity is multiplied by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gravity_factor: Option<f64>,
    /// Changes beside these.
    pub changes: ModelChanges,
}

/// What becomes of the gaps that undersized blocks leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gaps {
    /// Faces that met still do, across them: nothing moves at rest, and blocks that touch nothing would fall.
    Bridged,
    /// They are there, and close as blocks settle. Where joints are filled as they are drawn, with mortar or by rounding, the
    /// filling fills these gaps, too.
    Open,
}

/// Where a structure comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Base {
    /// The text of a model file, by its key among what is shared.
    File(String),
    /// A recipe.
    Recipe(RecipeSource),
}

impl ModelSpec {
    /// The structure of a study, as it stands.
    pub fn new(base: Base, changes: ModelChanges) -> Self {
        Self {
            base,
            fields: Vec::new(),
            missing: Vec::new(),
            present: None,
            undersize: None,
            gravity_factor: None,
            changes,
        }
    }

    /// Whether blocks are smaller than drawn.
    pub(crate) fn is_undersized(&self) -> bool {
        self.undersize.is_some_and(|(fraction, _)| fraction > 0.0)
    }

    /// Builds the structure, but for the [`changes`](Self::changes).
    pub(crate) fn build(&self, shared: &Shared, gaps: Gaps) -> Result<Model, Failure> {
        let mut model = match &self.base {
            Base::Recipe(recipe) => recipe.build()?,
            Base::File(key) => {
                let text = shared
                    .get(key)
                    .ok_or_else(|| Failure::run(format!("the model {key} was not sent")))?;
                file::parse(text.as_bytes(), "the model")?
            }
        };
        if !self.fields.is_empty() {
            model = with_fields(&model, &self.fields)?;
        }
        if !self.missing.is_empty() {
            model = without(&model, self.missing.clone())?;
        }
        if let Some(present) = &self.present {
            let free = model.blocks.iter().filter(|b| !b.fixed);
            let absent: Vec<String> = free
                .map(|b| b.name.clone())
                .filter(|name| !present.contains(name))
                .collect();
            if !absent.is_empty() {
                model = without(&model, absent)?;
            }
        }
        if let Some((fraction, seed)) = self.undersize.filter(|(fraction, _)| *fraction > 0.0) {
            shrink(&mut model, fraction, seed, gaps);
        }
        if let Some(factor) = self.gravity_factor {
            model.gravity *= factor;
        }
        Ok(model)
    }
}

/// A model without some of its blocks, and without all that names them.
fn without(model: &Model, blocks: Vec<String>) -> Result<Model, Failure> {
    let edited = edit(model, &Edit::Delete { blocks })?;
    Ok(edited.model)
}

fn with_fields(model: &Model, fields: &[(String, Value)]) -> Result<Model, Failure> {
    let text = file::to_text(model).map_err(Failure::run)?;
    let mut json: Value = serde_json::from_str(&text).map_err(Failure::run)?;
    for (pointer, value) in fields {
        put(&mut json, pointer, value.clone())?;
    }
    Ok(file::parse(json.to_string().as_bytes(), "the model as changed")?)
}

/// Puts a value where a JSON pointer leads. A field that is not there yet is added to the object that it belongs to.
fn put(json: &mut Value, pointer: &str, value: Value) -> Result<(), Failure> {
    let lost = || Failure::input(format!("model:{pointer}: the model file has nothing there"));
    if let Some(place) = json.pointer_mut(pointer) {
        *place = value;
        return Ok(());
    }
    let (parent, name) = pointer.rsplit_once('/').ok_or_else(lost)?;
    let object = json
        .pointer_mut(parent)
        .and_then(Value::as_object_mut)
        .ok_or_else(lost)?;
    object.insert(name.replace("~1", "/").replace("~0", "~"), value);
    Ok(())
}

/// Makes every free block smaller about its centre of mass by a random fraction.
fn shrink(model: &mut Model, fraction: f64, seed: u64, gaps: Gaps) {
    let mut random = Random::new(seed);
    match gaps == Gaps::Open && drawn_joints(model).is_none() {
        // Joints are where blocks touch, once they do.
        true => model.interfaces.clear(),
        false => model.search_joints(wider(model, fraction)),
    }
    for k in 0..model.blocks.len() {
        // Drawn for supports, too: a block's fraction does not depend on which others are supports.
        let factor = 1.0 - fraction * random.unit();
        if model.blocks[k].fixed {
            continue;
        }
        let center = model.mass_of(&model.blocks[k]).1.centroid;
        let solid = model.blocks[k].polyhedron();
        let vertices = solid.vertices.iter().map(|v| center + factor * (*v - center)).collect();
        model.blocks[k].redraw(Polyhedron {
            vertices,
            faces: solid.faces,
        });
    }
}

/// The search for the joints of a model whose free blocks will be smaller by a fraction at most. Two faces that meet then part by as
/// much of their distances from the centres of mass.
fn wider(model: &Model, fraction: f64) -> JointSearch {
    let known = known_joints(model);
    let farthest = |block: &Block| {
        let (solid, center) = (block.polyhedron(), model.mass_of(block).1.centroid);
        let distances = (0..solid.faces.len()).map(|face| solid.face_plane(face).distance(center).abs());
        distances.fold(0.0, f64::max)
    };
    let farthest = model.free_blocks().map(farthest).fold(0.0, f64::max);
    JointSearch {
        distance: known.distance + 2.0 * fraction * farthest,
        source: None,
        ..known
    }
}
