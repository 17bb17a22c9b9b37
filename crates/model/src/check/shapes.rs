//! Shapes that are no solids.

use glam::{DMat3, DVec3};

use super::{LARGEST_COORDINATE, ModelProblem, block_place, shown, shown_list};
use crate::{
    Block, Model, PrismShape, Shape,
    geometry::{
        DecomposeError, Defect, Polyhedron, Touch, common_volume, convex_hull, convex_parts, defects, mass_properties,
        outline_tolerance, shells, signed_area, touches_itself,
    },
};

/// Defects reported of one block; a mesh with one wrong index can have hundreds.
const MOST: usize = 5;

/// Relative difference allowed between the volume of a mesh and that of the parts given for it.
const PARTS_TOLERANCE: f64 = 1e-6;

/// Share of a block's volume that its parts may have in common: hulls of rounded corners overlap a little where they meet.
const COMMON_VOLUME: f64 = 1e-3;

/// Smallest size of a block (m): a nanometre. Below, a file is damaged or in other units.
const SMALLEST: f64 = 1e-9;

/// Smallest size of a block as a fraction of its distance from the origin: below, its corners have too few digits left
/// to tell whether it touches its neighbours.
const FINEST: f64 = 1e-9;

/// Most corners of one face. Every corner of a face may become a contact point, each of which is looked for along all edges
/// of the other face: beyond, an answer would take minutes, and no joint needs that many.
const MOST_CORNERS: usize = 20_000;

pub(super) fn check(model: &Model, found: &mut Vec<ModelProblem>) {
    for (index, block) in model.blocks.iter().enumerate() {
        check_block(model, index, block, found);
    }
}

/// Everything that is wrong with the shape of one block.
pub(super) fn check_block(model: &Model, index: usize, block: &Block, found: &mut Vec<ModelProblem>) {
    let place = |field: &str| format!("{}, shape.{field}", block_place(index, &block.name));
    if let Some((corners, field)) = too_many_corners(&block.shape) {
        let message = format!(
            "has a face with {corners} corners; at most {MOST_CORNERS} are taken. Leave out corners that hardly stand out"
        );
        found.push(ModelProblem::error(place(field), message));
        return;
    }
    match &block.shape {
        Shape::Box(shape) => {
            if !(shape.size.cmpgt(DVec3::ZERO).all() && shape.size.is_finite()) {
                let message = format!(
                    "{} is not allowed; three lengths above 0 are needed",
                    shown_list(&shape.size.to_array())
                );
                found.push(ModelProblem::error(place("box.size"), message));
            }
            if !shape.center.is_finite() {
                let message = format!(
                    "{} is not allowed; must be finite numbers",
                    shown_list(&shape.center.to_array())
                );
                found.push(ModelProblem::error(place("box.center"), message));
            }
            in_range(block, shape.size.length(), &place("box"), found);
        }
        Shape::Prism(shape) => {
            if shape.polygon.len() < 3 {
                let message = format!("has {} corners; at least 3 are needed", shape.polygon.len());
                found.push(ModelProblem::error(place("prism.polygon"), message));
            } else if !(shape.to - shape.from).is_finite() || shape.from == shape.to {
                let message = format!("{} is where the prism begins; from and to must differ", shown(shape.to));
                found.push(ModelProblem::error(place("prism.to"), message));
            } else if in_range(block, local_size(block), &place("prism"), found)
                && polygon(shape, &place("prism.polygon"), found)
            {
                solid(model, block, &place("prism"), found);
            }
        }
        Shape::Mesh(shape) => {
            if !in_range(block, local_size(block), &place("mesh"), found) {
                return;
            }
            let mesh = block.shape.polyhedron();
            if shape.parts.is_empty() {
                if solid(model, block, &place("mesh"), found) {
                    shells_apart(block, &place("mesh"), found);
                }
            } else if sound_shells(model, &mesh, &place("mesh"), found) {
                parts(&shape.parts, mesh, &place("mesh.parts"), found);
            }
        }
    }
}

/// How many corners the largest face has, where they are too many, and the field that gives it.
fn too_many_corners(shape: &Shape) -> Option<(usize, &'static str)> {
    let (corners, field) = match shape {
        Shape::Box(_) => return None,
        Shape::Prism(shape) => (shape.polygon.len(), "prism.polygon"),
        Shape::Mesh(shape) => (shape.faces.iter().map(Vec::len).max()?, "mesh.faces"),
    };
    (corners > MOST_CORNERS).then_some((corners, field))
}

fn local_size(block: &Block) -> f64 {
    block.shape.polyhedron().bounds().diagonal()
}

/// Whether a block of that size (m) lies where coordinates can describe it. Faults that are told elsewhere, such as
/// numbers that are not finite or a size of zero, pass.
fn in_range(block: &Block, size: f64, place: &str, found: &mut Vec<ModelProblem>) -> bool {
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
    let message = if reach.is_nan() || reach > LARGEST_COORDINATE {
        format!("reaches {reach:.3e} m from the origin; allowed {LARGEST_COORDINATE:e} m")
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
    found.push(ModelProblem::error(place, message));
    false
}

/// Whether a mesh with parts is sound. Where surfaces of parts meet they may pass through each other; by how much, [`parts`]
/// finds from volumes.
fn sound_shells(model: &Model, mesh: &Polyhedron, place: &str, found: &mut Vec<ModelProblem>) -> bool {
    let allowed = model.tolerances.planarity * mesh.bounds().diagonal();
    let crossing = |d: &Defect| matches!(d, Defect::SelfIntersection { .. });
    let whole = defects(mesh, allowed);
    let crossing_only = !whole.is_empty() && whole.iter().all(crossing);
    if crossing_only && shells(mesh).iter().all(|shell| defects(shell, allowed).is_empty()) {
        return true;
    }
    tell(&whole, place, found)
}

fn solid(model: &Model, block: &Block, place: &str, found: &mut Vec<ModelProblem>) -> bool {
    let solid = block.shape.polyhedron();
    let allowed = model.tolerances.planarity * solid.bounds().diagonal();
    tell(&defects(&solid, allowed), place, found)
}

fn tell(defects: &[Defect], place: &str, found: &mut Vec<ModelProblem>) -> bool {
    for defect in defects.iter().take(MOST) {
        found.push(ModelProblem::error(place, defect.to_string()));
    }
    if defects.len() > MOST {
        found.push(ModelProblem::error(
            place,
            format!("... and {} more defects", defects.len() - MOST),
        ));
    }
    defects.is_empty()
}

/// Closed surfaces that lie in or on each other pass every look at single edges and faces; that together they do not
/// enclose their volume once shows when they are cut into convex parts. A mesh of one surface is spared the cutting,
/// which takes long for finely curved ones.
fn shells_apart(block: &Block, place: &str, found: &mut Vec<ModelProblem>) {
    let solid = block.shape.polyhedron();
    if shells(&solid).len() < 2 {
        return;
    }
    if let Err(error @ DecomposeError::VolumeMismatch { .. }) = convex_parts(&solid, 1e-9 * solid.bounds().diagonal()) {
        found.push(ModelProblem::error(
            place,
            format!("cannot be cut into convex parts: {error}"),
        ));
    }
}

/// Whether the polygon of a prism encloses an area and does not meet itself. Its faults are told by its own corners:
/// nobody who writes a polygon knows the faces made of it.
fn polygon(shape: &PrismShape, place: &str, found: &mut Vec<ModelProblem>) -> bool {
    let polygon = &shape.polygon;
    if let Some((k, corner)) = polygon.iter().enumerate().find(|(_, p)| !p.is_finite()) {
        let message = format!(
            "{} is not allowed; must be finite numbers",
            shown_list(&corner.to_array())
        );
        found.push(ModelProblem::error(format!("{place}[{k}]"), message));
        return false;
    }
    let n = polygon.len();
    let at = |k: usize| shown_list(&polygon[k].to_array());
    let perimeter: f64 = (0..n).map(|k| polygon[k].distance(polygon[(k + 1) % n])).sum();
    let reach = polygon.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let message = match touches_itself(polygon, outline_tolerance(perimeter, reach)) {
        Some(Touch::Corners(i, j)) if j == i + 1 || (i, j) == (0, n - 1) => {
            format!("corners {i} and {j} are both at {}; leave one out", at(i))
        }
        Some(Touch::Corners(i, j)) => format!(
            "the outline touches itself: corners {i} and {j} are both at {}; leave out what lies between them, or \
             make two blocks",
            at(i)
        ),
        Some(Touch::Edges(i, j)) => format!(
            "the outline crosses itself: the edge from corner {i} to {} crosses the one from corner {j} to {}; list \
             the corners in order around the polygon",
            (i + 1) % n,
            (j + 1) % n
        ),
        Some(Touch::CornerOnEdge(corner, edge)) => format!(
            "the outline touches itself: corner {corner} at {} lies on the edge from corner {edge} to {}; move it off \
             the edge",
            at(corner),
            (edge + 1) % n
        ),
        None if signed_area(polygon).abs() <= 1e-12 * perimeter * perimeter => {
            "encloses no area; move its corners apart".to_string()
        }
        None => return true,
    };
    found.push(ModelProblem::error(place, message));
    false
}

/// Parts that fill a mesh have its volume, its centroid and its inertia; parts that lie elsewhere, or twice at one place,
/// may have its volume but not the others.
fn parts(parts: &[Vec<DVec3>], mesh: Polyhedron, place: &str, found: &mut Vec<ModelProblem>) {
    let size = mesh.bounds().diagonal();
    let whole = mass_properties(&mesh);
    let (mut volume, mut moment, mut inertia) = (0.0, DVec3::ZERO, DMat3::ZERO);
    let mut hulls = Vec::with_capacity(parts.len());
    for (k, points) in parts.iter().enumerate() {
        match convex_hull(points, 1e-9 * size) {
            Ok(hull) => {
                let part = mass_properties(&hull);
                let arm = part.centroid - whole.centroid;
                let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
                volume += part.volume;
                moment += part.volume * arm;
                inertia += part.inertia + part.volume * (DMat3::from_diagonal(DVec3::splat(arm.dot(arm))) - outer);
                hulls.push(hull);
            }
            Err(error) => return found.push(ModelProblem::error(format!("{place}[{k}]"), error.to_string())),
        }
    }
    let allowed = PARTS_TOLERANCE * whole.volume;
    if (volume - whole.volume).abs() > allowed {
        let message = format!(
            "add up to {volume:.9e} m3, but the mesh encloses {:.9e} m3; they must fill it exactly",
            whole.volume
        );
        found.push(ModelProblem::error(place, message));
    } else if moment.length() > allowed * size || !inertia.abs_diff_eq(whole.inertia, allowed * size * size) {
        let message = "have the volume of the mesh, but lie elsewhere or on each other; they must fill it exactly";
        found.push(ModelProblem::error(place, message));
    } else {
        let common = common_volume(&hulls) / whole.volume;
        if common > COMMON_VOLUME {
            let message = format!(
                "overlap each other by {:.2} % of the block's volume, which counts twice; at most {} % is allowed",
                100.0 * common,
                100.0 * COMMON_VOLUME
            );
            found.push(ModelProblem::error(place, message));
        }
    }
}
