//! Changing a solid so that it stays one: cutting it by a plane, moving a face, moving corners.
//!
//! Every operation takes a sound solid and returns a sound one, or says why it cannot. Faces stay planar: what a moved
//! corner lifts off the plane of its face becomes a face of its own.

mod corners;
mod cut;
mod face;
#[cfg(test)]
mod tests;

use super::{Defect, Polyhedron, defects};

pub use corners::move_corners;
pub use cut::{cut, split};
pub use face::move_face;

/// Distance, over the size of a solid, below which points count as one and a plane as met.
const SAME: f64 = 1e-9;

/// Why a solid cannot be changed like that.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant and its fields mean")]
pub enum EditError {
    #[error("what is to be changed is no solid: {0}")]
    Unsound(Defect),
    #[error("that would leave no solid: {0}")]
    Spoilt(Defect),
    #[error("{what} must be finite numbers, and a normal not zero")]
    NotFinite { what: &'static str },
    #[error("the solid is not convex; cut its convex parts one by one")]
    NotConvex,
    #[error("the plane does not pass through the solid: it lies wholly {side} it")]
    Missed { side: &'static str },
    #[error("there is no face {face}; the solid has {faces} (0 to {})", faces.saturating_sub(1))]
    NoSuchFace { face: usize, faces: usize },
    #[error("there is no vertex {vertex}; the solid has {vertices} (0 to {})", vertices.saturating_sub(1))]
    NoSuchVertex { vertex: usize, vertices: usize },
    #[error("vertex {vertex} is moved twice; name it once")]
    MovedTwice { vertex: usize },
    #[error(
        "{edges} edges leave face {face} at vertex {vertex}: it cannot follow the face on all of them; cut the solid instead"
    )]
    ManyEdges { face: usize, vertex: u32, edges: usize },
    #[error("the edge from vertex {vertex} to vertex {other} runs along the new plane and never meets it")]
    Parallel { vertex: u32, other: u32 },
    #[error("vertex {vertex} would move past vertex {other} at the other end of its edge")]
    Past { vertex: u32, other: u32 },
}

/// What a solid's faces may be off their planes after a change (m): what they were before, and rounding.
fn allowance(solid: &Polyhedron) -> f64 {
    solid.off_planes() + SAME * solid.bounds().diagonal()
}

/// Refuses what is no solid. Faces that came warped are let pass as they are.
fn sound(solid: &Polyhedron) -> Result<(), EditError> {
    // Numbers first: planes of faces that name no vertex cannot be looked at.
    let vertices = solid.vertices.len();
    for (face, corners) in solid.faces.iter().enumerate() {
        if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertices) {
            return Err(EditError::Unsound(Defect::NoSuchVertex { face, vertex, vertices }));
        }
    }
    match defects(solid, allowance(solid)).into_iter().next() {
        Some(defect) => Err(EditError::Unsound(defect)),
        None => Ok(()),
    }
}

/// A changed solid, if it still is one.
fn kept(changed: Polyhedron, planarity: f64) -> Result<Polyhedron, EditError> {
    match defects(&changed, planarity).into_iter().next() {
        Some(defect) => Err(EditError::Spoilt(defect)),
        None => Ok(changed),
    }
}
