//! Finite elements for ParaView and other VTK programs.

use drystone_mechanics::deformable::{BlockField, ElasticField, principal, von_mises};
use drystone_model::Model;
use glam::DVec3;

use crate::vtk::{self, Cells};

const VTK_HEXAHEDRON: u8 = 12;
const VTK_QUADRATIC_TETRA: u8 = 24;

/// The elements of all blocks that deform, where they are: an UnstructuredGrid file (`.vtu`). Blocks share no points.
/// `docs/outputs.md` tells what the arrays are.
pub fn unstructured_grid(model: &Model, field: &ElasticField) -> Vec<u8> {
    let (mut points, mut cells, mut types) = (Vec::new(), Vec::new(), Vec::new());
    let (mut moved, mut deformation, mut stress) = (Vec::new(), Vec::new(), Vec::new());
    let (mut block, mut element, mut of_cells, mut energy) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for of in &field.blocks {
        let first = points.len() as i64;
        for nodes in of.shape.elastic.mesh().elements.iter() {
            cells.push(nodes.iter().map(|&n| first + i64::from(n)).collect::<Vec<i64>>());
            types.push(match nodes.len() {
                8 => VTK_HEXAHEDRON,
                _ => VTK_QUADRATIC_TETRA,
            });
        }
        points.extend((0..of.nodes.len()).map(|n| of.place(n)));
        moved.extend((0..of.nodes.len()).flat_map(|n| of.moved(n).to_array()));
        deformation.extend(of.displacement.iter().flat_map(DVec3::to_array));
        stress.extend_from_slice(&of.stress);
        block.extend(vec![of.block as i32; of.elements.len()]);
        element.extend(0..of.elements.len() as i32);
        of_cells.extend(of.elements.iter().map(|e| e.stress));
        energy.extend(of.elements.iter().map(|e| e.energy_density));
    }
    let stresses = |of: &[[f64; 6]]| {
        let equivalent: Vec<f64> = of.iter().map(von_mises).collect();
        let main: Vec<[f64; 3]> = of.iter().map(principal).collect();
        vtk::array("von_mises", &equivalent)
            + &vtk::tensors("stress", of)
            + &vtk::named_components("principal_stress", ["s1", "s2", "s3"], &main)
    };
    let owner = |field: &BlockField| vec![field.block; field.elements.len()];
    let owners: Vec<usize> = field.blocks.iter().flat_map(owner).collect();
    let point_data =
        vtk::vectors("displacement", &moved) + &vtk::vectors("deformation", &deformation) + &stresses(&stress);
    let cell_data = vtk::array("block", &block)
        + &vtk::array("element", &element)
        + &vtk::strings("name", "", owners.iter().map(|&b| model.blocks[b].name.as_str()))
        + &stresses(&of_cells)
        + &vtk::array("energy_density", &energy);
    Cells {
        points: &points,
        cells: &cells,
        types: &types,
        point_data: &point_data,
        cell_data: &cell_data,
    }
    .grid()
}
