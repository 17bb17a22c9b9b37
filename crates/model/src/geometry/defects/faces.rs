//! Faults of single faces.

use std::collections::HashMap;

use super::Defect;
use crate::geometry::{
    Polyhedron,
    polygon::{Touch, outline_tolerance, touches_itself},
};

pub(super) fn check(solid: &Polyhedron, planarity: f64, size: f64) -> Vec<Defect> {
    let mut found = Vec::new();
    let mut seen: HashMap<Vec<u32>, usize> = HashMap::new();
    for face in 0..solid.faces.len() {
        let mut key = solid.faces[face].clone();
        key.sort_unstable();
        if let Some(&first) = seen.get(&key) {
            found.push(Defect::DuplicateFace { first, second: face });
        }
        seen.entry(key).or_insert(face);
        let area = solid.face_area(face);
        // Measured by the face's own outline, so that long thin blocks keep their small end faces.
        let perimeter = perimeter(solid, face);
        if area <= 1e-12 * perimeter * perimeter || perimeter <= 1e-12 * size {
            found.push(Defect::ZeroArea { face, area });
            continue;
        }
        let plane = solid.face_plane(face);
        let off = solid.corners(face).map(|p| plane.distance(p).abs()).fold(0.0, f64::max);
        if off > planarity {
            found.push(Defect::NotPlanar {
                face,
                off,
                allowed: planarity,
            });
        } else {
            found.extend(outline(solid, face, size));
        }
    }
    found
}

fn perimeter(solid: &Polyhedron, face: usize) -> f64 {
    solid
        .face_edges(face)
        .map(|(a, b)| solid.vertices[a as usize].distance(solid.vertices[b as usize]))
        .sum()
}

/// Where the outline of a face meets itself: such a face has no inside of its own.
fn outline(solid: &Polyhedron, face: usize, size: f64) -> Option<Defect> {
    let corners = &solid.faces[face];
    let reach = solid.corners(face).map(|p| p.abs().max_element()).fold(0.0, f64::max);
    // A triangle with an area cannot meet itself.
    let touch = (corners.len() > 3)
        .then(|| touches_itself(&solid.face_outline(face), outline_tolerance(size, reach)))
        .flatten()?;
    let vertex = |k: usize| corners[k % corners.len()];
    Some(match touch {
        Touch::Edges(..) => Defect::OutlineCrosses { face },
        Touch::Corners(first, second) => Defect::OutlineMeets {
            face,
            first: vertex(first),
            second: vertex(second),
        },
        Touch::CornerOnEdge(corner, edge) => Defect::OutlineTouches {
            face,
            vertex: vertex(corner),
            from: vertex(edge),
            to: vertex(edge + 1),
        },
    })
}
