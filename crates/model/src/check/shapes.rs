//! Shapes that are no solids.

use super::{Problem, block_place};
use crate::{
    Block, Model, Shape,
    geometry::{Polyhedron, convex_hull, defects},
};

/// Defects reported of one block; a mesh with one wrong index can have hundreds.
const MOST: usize = 5;

/// Relative difference allowed between the volume of a mesh and that of the parts given for it.
const PARTS_TOLERANCE: f64 = 1e-6;

pub(super) fn check(model: &Model, found: &mut Vec<Problem>) {
    for (index, block) in model.blocks.iter().enumerate() {
        let place = |field: &str| format!("{}, shape.{field}", block_place(index, &block.name));
        match &block.shape {
            Shape::Box(shape) => {
                if !(shape.size.cmpgt(glam::DVec3::ZERO).all() && shape.size.is_finite()) {
                    let message = format!("{} is not allowed; three lengths above 0 are needed", shape.size);
                    found.push(Problem::error(place("box.size"), message));
                }
                if !shape.center.is_finite() {
                    let message = format!("{} is not allowed; must be finite numbers", shape.center);
                    found.push(Problem::error(place("box.center"), message));
                }
            }
            Shape::Prism(shape) => {
                if shape.polygon.len() < 3 {
                    let message = format!("has {} corners; at least 3 are needed", shape.polygon.len());
                    found.push(Problem::error(place("prism.polygon"), message));
                } else if !(shape.to - shape.from).is_finite() || shape.from == shape.to {
                    let message = format!("{} is where the prism begins; from and to must differ", shape.to);
                    found.push(Problem::error(place("prism.to"), message));
                } else {
                    solid(model, block, &place("prism"), found);
                }
            }
            Shape::Mesh(shape) => {
                let sound = solid(model, block, &place("mesh"), found);
                if sound && !shape.parts.is_empty() {
                    parts(&shape.parts, block.shape.polyhedron(), &place("mesh.parts"), found);
                }
            }
        }
    }
}

fn solid(model: &Model, block: &Block, place: &str, found: &mut Vec<Problem>) -> bool {
    let solid = block.shape.polyhedron();
    let allowed = model.tolerances.planarity * solid.bounds().diagonal();
    let defects = defects(&solid, allowed);
    for defect in defects.iter().take(MOST) {
        found.push(Problem::error(place, defect.to_string()));
    }
    if defects.len() > MOST {
        found.push(Problem::error(
            place,
            format!("... and {} more defects", defects.len() - MOST),
        ));
    }
    defects.is_empty()
}

fn parts(parts: &[Vec<glam::DVec3>], mesh: Polyhedron, place: &str, found: &mut Vec<Problem>) {
    let tolerance = 1e-9 * mesh.bounds().diagonal();
    let mut sum = 0.0;
    for (k, points) in parts.iter().enumerate() {
        match convex_hull(points, tolerance) {
            Ok(hull) => sum += hull.volume(),
            Err(error) => return found.push(Problem::error(format!("{place}[{k}]"), error.to_string())),
        }
    }
    let volume = mesh.volume();
    if (sum - volume).abs() > PARTS_TOLERANCE * volume {
        let message =
            format!("add up to {sum:.9e} m3, but the mesh encloses {volume:.9e} m3; they must fill it exactly");
        found.push(Problem::error(place, message));
    }
}
