//! Shapes that are no solids.

use glam::{DMat3, DVec3};

use super::{Problem, block_place};
use crate::{
    Block, Model, Shape,
    geometry::{Polyhedron, convex_hull, defects, mass_properties},
};

/// Defects reported of one block; a mesh with one wrong index can have hundreds.
const MOST: usize = 5;

/// Relative difference allowed between the volume of a mesh and that of the parts given for it.
const PARTS_TOLERANCE: f64 = 1e-6;

/// Farthest that a block may reach from the origin (m). Moments of inertia go with the fifth power of lengths, which
/// must stay within what a number can hold.
const FARTHEST: f64 = 1e30;

/// Smallest size of a block (m), for the same reason.
const SMALLEST: f64 = 1e-30;

/// Smallest size of a block as a fraction of its distance from the origin: below, its corners have too few digits left
/// to tell whether it touches its neighbours.
const FINEST: f64 = 1e-9;

pub(super) fn check(model: &Model, found: &mut Vec<Problem>) {
    for (index, block) in model.blocks.iter().enumerate() {
        let place = |field: &str| format!("{}, shape.{field}", block_place(index, &block.name));
        match &block.shape {
            Shape::Box(shape) => {
                if !(shape.size.cmpgt(DVec3::ZERO).all() && shape.size.is_finite()) {
                    let message = format!("{} is not allowed; three lengths above 0 are needed", shape.size);
                    found.push(Problem::error(place("box.size"), message));
                }
                if !shape.center.is_finite() {
                    let message = format!("{} is not allowed; must be finite numbers", shape.center);
                    found.push(Problem::error(place("box.center"), message));
                }
                in_range(block, shape.size.length(), &place("box"), found);
            }
            Shape::Prism(shape) => {
                if shape.polygon.len() < 3 {
                    let message = format!("has {} corners; at least 3 are needed", shape.polygon.len());
                    found.push(Problem::error(place("prism.polygon"), message));
                } else if !(shape.to - shape.from).is_finite() || shape.from == shape.to {
                    let message = format!("{} is where the prism begins; from and to must differ", shape.to);
                    found.push(Problem::error(place("prism.to"), message));
                } else if in_range(block, local_size(block), &place("prism"), found) {
                    solid(model, block, &place("prism"), found);
                }
            }
            Shape::Mesh(shape) => {
                let sound = in_range(block, local_size(block), &place("mesh"), found)
                    && solid(model, block, &place("mesh"), found);
                if sound && !shape.parts.is_empty() {
                    parts(&shape.parts, block.shape.polyhedron(), &place("mesh.parts"), found);
                }
            }
        }
    }
}

fn local_size(block: &Block) -> f64 {
    block.shape.polyhedron().bounds().diagonal()
}

/// Whether a block of that size (m) lies where coordinates can describe it. Faults that are told elsewhere, such as
/// numbers that are not finite or a size of zero, pass.
fn in_range(block: &Block, size: f64, place: &str, found: &mut Vec<Problem>) -> bool {
    let given_finite = match &block.shape {
        Shape::Box(shape) => shape.size.cmpgt(DVec3::ZERO).all() && shape.center.is_finite(),
        Shape::Prism(shape) => shape.polygon.iter().all(|p| p.is_finite()),
        Shape::Mesh(shape) => !shape.vertices.is_empty() && shape.vertices.iter().all(|v| v.is_finite()),
    };
    if !given_finite || size == 0.0 || !block.pose.position.is_finite() {
        return true;
    }
    let reach = |solid: Polyhedron| {
        let bounds = solid.bounds();
        bounds.min.abs().max(bounds.max.abs()).max_element()
    };
    let reach = reach(block.shape.polyhedron()).max(reach(block.polyhedron()));
    let message = if reach.is_nan() || reach > FARTHEST {
        format!("reaches {reach:.3e} m from the origin; allowed {FARTHEST:e} m")
    } else if size < SMALLEST {
        format!("is {size:.3e} m across; at least {SMALLEST:e} m is needed")
    } else if size < FINEST * reach {
        format!(
            "is {size:.3e} m across, but {reach:.3e} m from the origin, where coordinates are too coarse for it; \
             move the structure to the origin"
        )
    } else {
        return true;
    };
    found.push(Problem::error(place, message));
    false
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

/// Parts that fill a mesh have its volume, its centroid and its inertia; parts that lie elsewhere, or twice at one place,
/// may have its volume but not the others.
fn parts(parts: &[Vec<DVec3>], mesh: Polyhedron, place: &str, found: &mut Vec<Problem>) {
    let size = mesh.bounds().diagonal();
    let whole = mass_properties(&mesh);
    let (mut volume, mut moment, mut inertia) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for (k, points) in parts.iter().enumerate() {
        match convex_hull(points, 1e-9 * size) {
            Ok(hull) => {
                let part = mass_properties(&hull);
                let arm = part.centroid - whole.centroid;
                let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
                volume += part.volume;
                moment += part.volume * arm;
                inertia += part.inertia + part.volume * (DMat3::from_diagonal(DVec3::splat(arm.dot(arm))) - outer);
            }
            Err(error) => return found.push(Problem::error(format!("{place}[{k}]"), error.to_string())),
        }
    }
    let allowed = PARTS_TOLERANCE * whole.volume;
    if (volume - whole.volume).abs() > allowed {
        let message = format!(
            "add up to {volume:.9e} m3, but the mesh encloses {:.9e} m3; they must fill it exactly",
            whole.volume
        );
        found.push(Problem::error(place, message));
    } else if moment.length() > allowed * size || !inertia.abs_diff_eq(whole.inertia, allowed * size * size) {
        let message = "have the volume of the mesh, but lie elsewhere or on each other; they must fill it exactly";
        found.push(Problem::error(place, message));
    }
}
