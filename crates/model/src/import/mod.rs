//! Models from the files of other programs: OBJ, STL, PLY, DXF drawings, COMPAS JSON and the files of the Chrono masonry simulator.
//!
//! Each format has a reader from bytes; [`import_files`] chooses among them by file name and content, and puts files
//! together that belong together. Readers report every problem they find with its line, never panic, and take no
//! more memory than the file warrants. What they change or assume they say in [`Imported::warnings`].
//!
//! Blocks keep the names of their files: objects of OBJ, node numbers of COMPAS, ids of brick files.

pub mod chrono;
pub mod compas;
pub mod dxf;
pub mod obj;
pub mod ply;
pub mod stl;

mod error;
mod files;
mod frame;
mod mesh;
mod supports;
mod text;
mod treat;

pub use dxf::{Drawing, DrawingPlane};
pub use error::{ImportError, ImportProblem};
pub use files::{Format, format, import, import_files, import_files_as, import_files_with, import_with};
pub use frame::{Frame, UpAxis};
pub use supports::{SupportError, nearly_lowest, set_supports, supports};
pub use treat::{Action, Treated, Treatment};

use crate::Model;

/// A model as imported, and what the user should know about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The model.
    pub model: Model,
    /// What was changed, assumed or not understood.
    pub warnings: Vec<String>,
    /// Blocks that were no solids, and what became of them.
    pub treated: Vec<Treated>,
}

/// The model of meshes, named after their file.
fn of_meshes(meshes: mesh::Meshes, file: &str) -> Result<Imported, ImportError> {
    let (mut model, mut warnings) = (Model::named(text::stem(file)), Vec::new());
    let finished = meshes.finish(&mut model, &mut warnings);
    finished.map_err(|what| error::single(file, None, what))?;
    with_blocks(model, warnings, file)
}

/// The import, or an error if there is no block in it.
fn with_blocks(model: Model, warnings: Vec<String>, file: &str) -> Result<Imported, ImportError> {
    if model.blocks.is_empty() {
        let reason = warnings.first().map_or(String::new(), |w| format!(" ({w})"));
        return Err(error::format_error(file, format!("there is no block in it{reason}")));
    }
    Ok(Imported {
        model,
        warnings,
        treated: Vec::new(),
    })
}
