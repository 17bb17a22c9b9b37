//! Displacements and stresses as tables.

use std::{path::Path, sync::Arc};

use drystone_mechanics::deformable::{ElasticField, principal, von_mises};
use drystone_model::Model;
use glam::DVec3;

use crate::{
    OutputError,
    file::write_atomically,
    table::{
        ColumnKind::{self, Float, Int, Text},
        ColumnValues, Table,
    },
};

/// What a row of either table ends with.
const STRESSES: [(&str, ColumnKind); 10] = [
    ("xx_pa", Float),
    ("yy_pa", Float),
    ("zz_pa", Float),
    ("xy_pa", Float),
    ("yz_pa", Float),
    ("zx_pa", Float),
    ("von_mises_pa", Float),
    ("s1_pa", Float),
    ("s2_pa", Float),
    ("s3_pa", Float),
];
const PLACE: [(&str, ColumnKind); 3] = [("x_m", Float), ("y_m", Float), ("z_m", Float)];
const MOTION: [(&str, ColumnKind); 6] = [
    ("displacement_x_m", Float),
    ("displacement_y_m", Float),
    ("displacement_z_m", Float),
    ("deformation_x_m", Float),
    ("deformation_y_m", Float),
    ("deformation_z_m", Float),
];

/// Stresses at integration points and displacements and stresses at nodes, at one or several moments.
#[derive(Clone, Debug)]
pub struct StressTables {
    stresses: Table,
    nodes: Table,
}

impl StressTables {
    /// Tables whose first column, of whole numbers, is named so: `stage` or `step`.
    pub fn new(moments: &str) -> Self {
        let block = |part| [(moments, Int), ("block", Int), ("name", Text), (part, Int)];
        Self {
            stresses: Table::new(block("element").into_iter().chain(PLACE).chain(STRESSES)),
            nodes: Table::new(block("node").into_iter().chain(PLACE).chain(MOTION).chain(STRESSES)),
        }
    }

    /// Adds what is known at a moment.
    pub fn push(&mut self, moment: u64, model: &Model, field: &ElasticField) {
        for of in &field.blocks {
            let name: Arc<str> = model.blocks[of.block].name.as_str().into();
            for point in &of.gauss {
                let start = [moment as i64, of.block as i64, point.element as i64];
                let numbers = point.position.to_array().into_iter().chain(stresses(point.stress));
                add(&mut self.stresses, start, &name, numbers);
            }
            for (node, stress) in of.stress.iter().enumerate() {
                let start = [moment as i64, of.block as i64, node as i64];
                let vectors = [of.place(node), of.moved(node), of.displacement[node]];
                let numbers = vectors.iter().flat_map(DVec3::to_array).chain(stresses(*stress));
                add(&mut self.nodes, start, &name, numbers);
            }
        }
    }

    /// Writes `stresses` and `nodes` into a folder, each as `.parquet` and `.csv`. Gives the names of the files.
    pub fn write(&self, folder: &Path) -> Result<Vec<String>, OutputError> {
        let mut written = Vec::new();
        for (name, table) in [("stresses", &self.stresses), ("nodes", &self.nodes)] {
            let [parquet, csv] = ["parquet", "csv"].map(|ending| format!("{name}.{ending}"));
            table.write(&folder.join(&parquet))?;
            write_atomically(&folder.join(&csv), table.csv().as_bytes())?;
            written.extend([parquet, csv]);
        }
        Ok(written)
    }

    /// One row for each integration point.
    pub fn stresses(&self) -> &Table {
        &self.stresses
    }

    /// One row for each node.
    pub fn nodes(&self) -> &Table {
        &self.nodes
    }
}

fn stresses(stress: [f64; 6]) -> impl Iterator<Item = f64> {
    let equivalent = [von_mises(&stress)];
    stress.into_iter().chain(equivalent).chain(principal(&stress))
}

/// Adds a row: three whole numbers, with the name before the last, then the rest.
fn add(table: &mut Table, [moment, block, part]: [i64; 3], name: &Arc<str>, mut numbers: impl Iterator<Item = f64>) {
    let mut whole = [moment, block, part].into_iter();
    for column in table.columns_mut() {
        match column {
            ColumnValues::Int(v) => v.extend(whole.next()),
            ColumnValues::Text(v) => v.push(Arc::clone(name)),
            ColumnValues::Float(v) => v.extend(numbers.next()),
        }
    }
}
