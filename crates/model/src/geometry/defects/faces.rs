//! Faults of single faces.

use std::collections::HashMap;

use glam::DVec2;

use super::Defect;
use crate::geometry::{Polyhedron, polygon::cross_properly};

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
        } else if outline_crosses(&solid.face_outline(face), 1e-12 * size) {
            found.push(Defect::OutlineCrosses { face });
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

fn outline_crosses(outline: &[DVec2], tolerance: f64) -> bool {
    let n = outline.len();
    let edge = |k: usize| (outline[k], outline[(k + 1) % n]);
    (0..n).any(|i| {
        let (a, b) = edge(i);
        (i + 2..n).any(|j| {
            let (c, d) = edge(j);
            cross_properly(a, b, c, d, tolerance)
        })
    })
}
