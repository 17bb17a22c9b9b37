use super::{
    super::{Plane, Polyhedron},
    EditError, SAME, allowance, kept, sound,
};

/// The solid with a face moved into another plane. Its corners slide along the edges that leave the face, so that the faces
/// beside it grow or shrink within their planes.
pub fn move_face(solid: &Polyhedron, face: usize, to: &Plane) -> Result<Polyhedron, EditError> {
    if !(to.offset.is_finite() && to.normal.is_normalized()) {
        return Err(EditError::NotFinite { what: "planes" });
    }
    sound(solid)?;
    let faces = solid.faces.len();
    let Some(corners) = solid.faces.get(face) else {
        return Err(EditError::NoSuchFace { face, faces });
    };
    let edges = solid.edges();
    let mut moved = solid.clone();
    for &vertex in corners {
        let leaving: Vec<u32> = edges
            .iter()
            .filter_map(|&(a, b)| match (a == vertex, b == vertex) {
                (true, _) => Some(b),
                (_, true) => Some(a),
                _ => None,
            })
            .filter(|other| !corners.contains(other))
            .collect();
        let &[other] = &leaving[..] else {
            let edges = leaving.len();
            return Err(EditError::ManyEdges { face, vertex, edges });
        };
        let (from, end) = (solid.vertices[vertex as usize], solid.vertices[other as usize]);
        let edge = end - from;
        let towards = to.normal.dot(edge);
        if towards.abs() <= SAME * edge.length() {
            return Err(EditError::Parallel { vertex, other });
        }
        // Fraction of the way to the edge's other end; below zero where the solid grows.
        let way = -to.distance(from) / towards;
        if way >= 1.0 - SAME {
            return Err(EditError::Past { vertex, other });
        }
        moved.vertices[vertex as usize] = from + way * edge;
    }
    // Longer faces carry the warp that they came with farther out.
    let grown = moved.bounds().diagonal() / solid.bounds().diagonal();
    kept(moved, allowance(solid) * grown.max(1.0))
}
