//! What keeps a mesh from being a solid.

mod faces;
mod surface;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use glam::DVec3;

use super::{Polyhedron, shells};

/// What keeps a mesh from being a solid. Faces and vertices are numbered from 0, as in the file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant and its fields mean")]
pub enum Defect {
    #[error("vertex {vertex} is ({x}, {y}, {z}); coordinates must be finite numbers", x = at.x, y = at.y, z = at.z)]
    NotFinite { vertex: usize, at: DVec3 },
    #[error("{faces} faces do not enclose a volume; at least 4 are needed")]
    TooFewFaces { faces: usize },
    #[error("face {face} has {corners} corners; at least 3 are needed")]
    TooFewCorners { face: usize, corners: usize },
    #[error("face {face} names vertex {vertex}, but there are only {vertices} vertices (0 to {})", vertices.saturating_sub(1))]
    NoSuchVertex { face: usize, vertex: u32, vertices: usize },
    #[error("face {face} names vertex {vertex} twice; name each corner once")]
    RepeatedCorner { face: usize, vertex: u32 },
    #[error("faces {first} and {second} have the same corners; remove one")]
    DuplicateFace { first: usize, second: usize },
    #[error("face {face} is degenerate: its area is {area:.3e} m2; remove it or move its corners apart")]
    ZeroArea { face: usize, area: f64 },
    #[error(
        "face {face} is not planar: a corner is {off:.3e} m off its plane; allowed {allowed:.3e} m. \
         Raise `tolerances.planarity`, or cut the face into triangles"
    )]
    NotPlanar { face: usize, off: f64, allowed: f64 },
    #[error("the outline of face {face} crosses itself; list its corners in order around the face")]
    OutlineCrosses { face: usize },
    #[error(
        "the outline of face {face} touches itself: vertices {first} and {second} are at the same place; \
         cut the face in two there, or move one of them"
    )]
    OutlineMeets { face: usize, first: u32, second: u32 },
    #[error(
        "the outline of face {face} touches itself: vertex {vertex} lies on its edge from vertex {from} to vertex {to}; \
         cut the face in two there, or move the vertex"
    )]
    OutlineTouches {
        face: usize,
        vertex: u32,
        from: u32,
        to: u32,
    },
    #[error(
        "the surface is not closed: the edge from vertex {from} to vertex {to} belongs to one face only{}",
        others(*more)
    )]
    Open { from: u32, to: u32, more: usize },
    #[error("the surface is not closed: vertices {first} and {second} are at the same place; make them one vertex")]
    SplitVertex { first: u32, second: u32 },
    #[error(
        "faces {first} and {second} both run from vertex {from} to vertex {to}: one of them is turned the wrong way, \
         or the edge belongs to more than two faces"
    )]
    Orientation {
        first: usize,
        second: usize,
        from: u32,
        to: u32,
    },
    #[error("face {face} is turned the wrong way; list its corners in the opposite order")]
    Turned { face: usize },
    #[error("the surface cuts itself: the edge from vertex {from} to vertex {to} passes through face {face}{}", others(*more))]
    SelfIntersection {
        from: u32,
        to: u32,
        face: usize,
        more: usize,
    },
    #[error(
        "the mesh is inside-out (volume {volume:.6e} m3): list the corners of each face counter-clockwise as seen from outside"
    )]
    InsideOut { volume: f64 },
    #[error("{shells} closed surfaces lie on each other, so that the volume counts {shells} times; keep one")]
    Doubled { shells: usize },
    #[error("the mesh encloses no volume ({volume:.3e} m3)")]
    Flat { volume: f64 },
}

fn others(more: usize) -> String {
    if more == 0 {
        String::new()
    } else {
        format!(" (and {more} more)")
    }
}

/// Everything that keeps a mesh from being a closed, orientable solid with planar faces that does not cut itself.
///
/// A corner may be off the plane of its face by `planarity` (m). Combinatorial faults hide geometric ones: if the
/// faces do not fit together, planes and crossings are not looked at.
pub fn defects(solid: &Polyhedron, planarity: f64) -> Vec<Defect> {
    let mut found = numbers(solid);
    if !found.is_empty() {
        return found;
    }
    let size = solid.bounds().diagonal();
    found.extend(faces::check(solid, planarity, size));
    if !found.iter().any(|d| matches!(d, Defect::DuplicateFace { .. })) {
        found.extend(surface::check(solid, size));
    }
    if !found.is_empty() {
        return found;
    }
    found.extend(surface::self_intersection(solid, planarity.max(1e-9 * size)));
    let volume = solid.volume();
    let area: f64 = (0..solid.faces.len()).map(|f| solid.face_area(f)).sum();
    if volume.abs() <= 1e-13 * area * size {
        found.push(Defect::Flat { volume });
    } else if volume < 0.0 {
        found.push(Defect::InsideOut { volume });
    } else if solid.is_convex(1e-9 * size) {
        // No corner rises above any face, so each closed surface is the whole boundary.
        let shells = shells(solid).len();
        if shells > 1 {
            found.push(Defect::Doubled { shells });
        }
    }
    found
}

/// Faults of the lists themselves, which make any geometry meaningless.
fn numbers(solid: &Polyhedron) -> Vec<Defect> {
    let mut found = Vec::new();
    let vertices = solid.vertices.len();
    for (vertex, &at) in solid.vertices.iter().enumerate().filter(|(_, v)| !v.is_finite()) {
        found.push(Defect::NotFinite { vertex, at });
    }
    if solid.faces.len() < 4 {
        found.push(Defect::TooFewFaces {
            faces: solid.faces.len(),
        });
    }
    for (face, corners) in solid.faces.iter().enumerate() {
        if corners.len() < 3 {
            found.push(Defect::TooFewCorners {
                face,
                corners: corners.len(),
            });
        }
        if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertices) {
            found.push(Defect::NoSuchVertex { face, vertex, vertices });
        }
        let mut seen = HashSet::new();
        if let Some(&vertex) = corners.iter().find(|&&v| !seen.insert(v)) {
            found.push(Defect::RepeatedCorner { face, vertex });
        }
    }
    found
}
