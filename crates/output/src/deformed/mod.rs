//! Blocks that deform: their finite elements for ParaView, displacements and stresses as tables, and pictures.
//!
//! All take an [`ElasticField`]: displacements and stresses in world axes, of one time. Blocks
//! that are rigid are in the other files of a run; pictures show both.

use std::path::Path;

use drystone_contact::Placement;
use drystone_mechanics::{Structure, deformable::ElasticField, statics::ElasticEquilibrium};
use drystone_model::Model;

use crate::{OutputError, file::write_atomically};

mod drawing;
mod grid;
mod palette;
mod skin;
mod tables;

pub use drawing::StressMap;
pub use grid::unstructured_grid;
pub use palette::{stress_color, stress_scale};
pub use tables::StressTables;

/// Names of the files of [`write_files`].
pub const FILES: [&str; 7] = [
    "deformed.vtu",
    "stress.svg",
    "stress.png",
    "stresses.parquet",
    "stresses.csv",
    "nodes.parquet",
    "nodes.csv",
];

/// Writes an elastic equilibrium into a folder: elements, pictures and tables.
pub fn write_files(
    folder: &Path,
    model: &Model,
    structure: &Structure,
    found: &ElasticEquilibrium,
) -> Result<(), OutputError> {
    let field = ElasticField::of(structure, &found.placements, &found.deformed);
    let initial: Vec<Placement> = (0..structure.len()).map(|b| structure.initial(b)).collect();
    let named = match model.name.as_str() {
        "" => String::new(),
        name => format!("{name}: "),
    };
    let drawing = StressMap::new(model, &field, &initial, &found.placements, &[])
        .title(format!("{named}stress in elastic equilibrium"));
    write_atomically(&folder.join(FILES[0]), &unstructured_grid(model, &field))?;
    write_atomically(&folder.join(FILES[1]), drawing.svg()?.as_bytes())?;
    write_atomically(&folder.join(FILES[2]), &drawing.png()?)?;
    let mut tables = StressTables::new("stage");
    tables.push(1, model, &field);
    tables.write(folder)?;
    Ok(())
}
