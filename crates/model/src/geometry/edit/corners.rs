use glam::DVec3;

use super::{
    super::{Plane, Polyhedron},
    EditError, allowance, kept, sound,
};

/// The solid with corners moved by vectors. Faces that stay planar stay whole; of the others the triangle at each moved
/// corner becomes a face of its own.
pub fn move_corners(solid: &Polyhedron, moves: &[(usize, DVec3)]) -> Result<Polyhedron, EditError> {
    sound(solid)?;
    let planarity = allowance(solid);
    let vertices = solid.vertices.len();
    let mut changed = solid.clone();
    let mut is_moved = vec![false; vertices];
    for &(vertex, by) in moves {
        if vertex >= vertices {
            return Err(EditError::NoSuchVertex { vertex, vertices });
        }
        if !by.is_finite() {
            return Err(EditError::NotFinite { what: "movements" });
        }
        if std::mem::replace(&mut is_moved[vertex], true) {
            return Err(EditError::MovedTwice { vertex });
        }
        changed.vertices[vertex] += by;
    }
    let mut faces = Vec::with_capacity(solid.faces.len());
    for mut face in std::mem::take(&mut changed.faces) {
        while face.len() > 3 && !is_planar(&changed.vertices, &face, planarity) {
            // What is left when every moved corner is cut off is as planar as it was.
            let Some(k) = face.iter().position(|&v| is_moved[v as usize]) else {
                break;
            };
            let n = face.len();
            faces.push(vec![face[(k + n - 1) % n], face[k], face[(k + 1) % n]]);
            face.remove(k);
        }
        faces.push(face);
    }
    changed.faces = faces;
    kept(changed, planarity)
}

fn is_planar(vertices: &[DVec3], face: &[u32], within: f64) -> bool {
    let alone = Polyhedron {
        vertices: face.iter().map(|&v| vertices[v as usize]).collect(),
        faces: vec![(0..face.len() as u32).collect()],
    };
    let plane: Plane = alone.face_plane(0);
    alone.vertices.iter().all(|&p| plane.distance(p).abs() <= within)
}
