//! Faults of how faces fit together, and of surfaces that pass through themselves.

use std::collections::HashMap;

use glam::{DVec2, DVec3};

use super::Defect;
use crate::geometry::{
    Bounds, Plane, Polyhedron,
    hull::weld,
    near_pairs,
    polygon::{Side, side_of},
};

/// Faults of how faces fit together: every edge must be used once in each direction.
pub(super) fn check(solid: &Polyhedron, size: f64) -> Vec<Defect> {
    let mut clashes = Vec::new();
    let mut left_of: HashMap<(u32, u32), usize> = HashMap::new();
    for face in 0..solid.faces.len() {
        for (from, to) in solid.face_edges(face) {
            if let Some(&first) = left_of.get(&(from, to)) {
                clashes.push((first, face, from, to));
            }
            left_of.entry((from, to)).or_insert(face);
        }
    }
    // An edge run twice in one direction leaves its neighbours' edges open too; saying so would only confuse.
    if !clashes.is_empty() {
        return clash(solid, &clashes);
    }
    let mut open: Vec<(u32, u32)> = left_of
        .keys()
        .filter(|&&(a, b)| !left_of.contains_key(&(b, a)))
        .copied()
        .collect();
    open.sort_unstable();
    let Some(&(from, to)) = open.first() else {
        return Vec::new();
    };
    let first = weld(&solid.vertices, 1e-9 * size);
    let twin = open.iter().flat_map(|&(a, b)| [a, b]).find(|&v| first[v as usize] != v);
    vec![match twin {
        Some(second) => Defect::SplitVertex {
            first: first[second as usize],
            second,
        },
        None => Defect::Open {
            from,
            to,
            more: open.len() - 1,
        },
    }]
}

/// A face that clashes along every edge is turned over; other clashes are named edge by edge.
fn clash(solid: &Polyhedron, clashes: &[(usize, usize, u32, u32)]) -> Vec<Defect> {
    let mut count = vec![0usize; solid.faces.len()];
    for &(first, second, ..) in clashes {
        count[first] += 1;
        count[second] += 1;
    }
    let turned = |face: usize| count[face] == solid.faces[face].len();
    let mut found: Vec<Defect> = (0..solid.faces.len())
        .filter(|&face| turned(face))
        .map(|face| Defect::Turned { face })
        .collect();
    let others = clashes
        .iter()
        .filter(|&&(first, second, ..)| !turned(first) && !turned(second));
    found.extend(others.map(|&(first, second, from, to)| Defect::Orientation {
        first,
        second,
        from,
        to,
    }));
    found
}

/// A surface that cuts itself has an edge that passes through a face, or lies in a face that does not contain it.
pub(super) fn self_intersection(solid: &Polyhedron, tolerance: f64) -> Option<Defect> {
    let faces: Vec<(Plane, Vec<DVec2>, Bounds, DVec3, DVec3)> = (0..solid.faces.len())
        .map(|f| {
            let plane = solid.face_plane(f);
            let (u, v) = plane.axes();
            (plane, solid.face_outline(f), Bounds::around(solid.corners(f)), u, v)
        })
        .collect();
    let edges = solid.edges();
    let ends = |&(a, b): &(u32, u32)| [a, b].map(|v| solid.vertices[v as usize]);
    let mut boxes: Vec<Bounds> = edges.iter().map(|edge| Bounds::around(ends(edge))).collect();
    boxes.extend(faces.iter().map(|(.., bounds, _, _)| *bounds));
    let mut first = None;
    let mut count = 0usize;
    let of_both = |&(edge, face): &(usize, usize)| edge < edges.len() && face >= edges.len();
    for (edge, face) in near_pairs(&boxes, 0.0).into_iter().filter(of_both) {
        let face = face - edges.len();
        let ((from, to), (plane, outline, _, u, v)) = (edges[edge], &faces[face]);
        let [a, b] = ends(&edges[edge]);
        let (da, db) = (plane.distance(a), plane.distance(b));
        let crosses = (da > tolerance && db < -tolerance) || (da < -tolerance && db > tolerance);
        if !crosses || solid.faces[face].iter().any(|&k| k == from || k == to) {
            continue;
        }
        let p = a + (b - a) * (da / (da - db)) - plane.normal * plane.offset;
        if side_of(outline, DVec2::new(p.dot(*u), p.dot(*v)), tolerance) == Side::Inside {
            first.get_or_insert((from, to, face));
            count += 1;
        }
    }
    first.map(|(from, to, face)| Defect::SelfIntersection {
        from,
        to,
        face,
        more: count - 1,
    })
}
