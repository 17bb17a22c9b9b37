//! Blocks as polyhedra that are safe to write: finite, with corners that exist, looking outwards.

use drystone_model::{Block, Model, check::LARGEST_COORDINATE, geometry::Polyhedron};

use crate::OutputError;

/// A block and its polyhedron in world coordinates.
pub(crate) struct Solid<'a> {
    pub(crate) index: usize,
    pub(crate) block: &'a Block,
    pub(crate) polyhedron: Polyhedron,
}

/// Every block of a model, in order, or the first thing that keeps one from being written.
pub(crate) fn solids(model: &Model) -> Result<Vec<Solid<'_>>, OutputError> {
    if model.blocks.is_empty() {
        return Err(OutputError::NoBlocks);
    }
    let blocks = model.blocks.iter().enumerate();
    blocks.map(|(index, block)| solid(index, block)).collect()
}

fn solid(index: usize, block: &Block) -> Result<Solid<'_>, OutputError> {
    let mut polyhedron = block.polyhedron();
    let name = || block.name.clone();
    if polyhedron.vertices.is_empty() || polyhedron.faces.iter().all(|f| f.len() < 3) {
        return Err(OutputError::NoFaces { index, name: name() });
    }
    let is_bad = |p: &&glam::DVec3| !(p.abs().max_element() <= LARGEST_COORDINATE && p.is_finite());
    if let Some(p) = polyhedron.vertices.iter().find(is_bad) {
        return Err(OutputError::BadCoordinate {
            index,
            name: name(),
            x: p.x,
            y: p.y,
            z: p.z,
            limit: LARGEST_COORDINATE,
        });
    }
    let corners = polyhedron.vertices.len();
    for (face, list) in polyhedron.faces.iter().enumerate() {
        if let Some(&corner) = list.iter().find(|&&c| c as usize >= corners) {
            return Err(OutputError::BadCorner {
                index,
                name: name(),
                face,
                corner,
                corners,
            });
        }
    }
    polyhedron.faces.retain(|f| f.len() >= 3);
    // An inside-out mesh would be lit from within and culled away; its surface is right, only its faces are turned.
    if polyhedron.volume() < 0.0 {
        polyhedron = polyhedron.flipped();
    }
    Ok(Solid {
        index,
        block,
        polyhedron,
    })
}

#[cfg(test)]
mod tests {
    use drystone_model::{MeshShape, Shape};
    use glam::DVec3;

    use super::*;

    fn model_of(shape: Shape) -> Model {
        let mut model = Model::named("one");
        model.blocks.push(Block::new("odd", shape));
        model
    }

    #[test]
    fn what_cannot_be_written_is_an_error_that_names_the_block() {
        assert!(matches!(solids(&Model::default()), Err(OutputError::NoBlocks)));
        let nan = model_of(Shape::cuboid(DVec3::ZERO, DVec3::new(1.0, f64::NAN, 1.0)));
        assert!(solids(&nan).err().unwrap().to_string().contains("`odd`"));
        let empty = model_of(Shape::Mesh(MeshShape::default()));
        assert!(matches!(solids(&empty), Err(OutputError::NoFaces { .. })));
        let mut cube = Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE);
        cube.faces[3][1] = 8;
        let error = solids(&model_of(cube.into())).err().unwrap();
        assert!(matches!(
            error,
            OutputError::BadCorner {
                face: 3,
                corner: 8,
                corners: 8,
                ..
            }
        ));
    }

    #[test]
    fn an_inside_out_mesh_is_turned_over() {
        let cube = Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE).flipped();
        assert!(solids(&model_of(cube.into())).unwrap()[0].polyhedron.volume() > 0.0);
    }
}
