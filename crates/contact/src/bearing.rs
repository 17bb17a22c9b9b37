//! Whether blocks that meet at a point without a common area bear on each other there.
//!
//! Near a point of its surface a convex part is a cone of directions. Blocks bear on each other where exactly one plane
//! separates their cones: a corner or an edge on a face, edges that cross. Where many planes do (corner to corner, corner
//! to edge, parallel edges), neither block has a surface that faces the other, and any normal would be made up.

use glam::DVec3;

use crate::{
    DetectedInterface, Placement,
    bodies::{Bodies, range},
    cones::{PARALLEL, SAME},
};

/// How far a direction may reach over a separating plane (sine), beside what the tolerance of the geometry turns it by.
pub(crate) const BEYOND: f64 = 1e-4;

/// Whether the parts of an interface bear on each other at a point of it, along its normal. `reach` (m) is how far the
/// point may be off either part.
pub(crate) fn bears(
    bodies: &Bodies,
    placements: &[Placement],
    interface: &DetectedInterface,
    point: DVec3,
    reach: f64,
) -> bool {
    let near = |side: usize| {
        let block = interface.blocks[side] as usize;
        let part = bodies.part_range[block][0] + interface.parts[side];
        directions(bodies, part as usize, point - placements[block].center, reach)
    };
    let (behind, ahead) = (near(0), near(1));
    if behind.is_empty() || ahead.is_empty() {
        return false;
    }
    let size = interface.blocks.map(|b| bodies.size[b as usize]);
    let beyond = BEYOND.max(2.0 * reach / size[0].min(size[1]));
    let separates =
        |n: &DVec3| behind.iter().all(|d| d.dot(*n) <= beyond) && ahead.iter().all(|d| d.dot(*n) >= -beyond);
    // The separating normals form a cone whose edges are across two of the directions each.
    let all: Vec<DVec3> = behind.iter().chain(&ahead).copied().collect();
    let mut found = 0;
    for i in 0..all.len() {
        for j in 0..i {
            let across = all[i].cross(all[j]);
            if across.length() <= PARALLEL {
                continue;
            }
            let across = across.normalize();
            for normal in [across, -across].iter().filter(|n| separates(n)) {
                if normal.distance(interface.normal) > SAME {
                    return false;
                }
                found += 1;
            }
        }
    }
    found > 0
}

/// Directions that span a part near a point of its surface, both relative to the centre of its block; none where the
/// point is farther than `reach` from it.
pub(crate) fn directions(bodies: &Bodies, part: usize, at: DVec3, reach: f64) -> Vec<DVec3> {
    let part = &bodies.parts[part];
    let height = |f: usize| bodies.normals[f].dot(at) - bodies.faces[f].offset;
    if range(part.faces).any(|f| height(f) > reach) {
        return Vec::new();
    }
    let active: Vec<usize> = range(part.faces).filter(|&f| height(f) >= -reach).collect();
    let mut found = Vec::new();
    for edge in &bodies.edges[range(part.edges)] {
        if !edge.faces.iter().all(|&f| active.contains(&(f as usize))) {
            continue;
        }
        let [p, q] = edge.ends.map(|v| bodies.vertices[v as usize]);
        let Some(along) = (q - p).try_normalize() else { continue };
        let place = (at - p).dot(along);
        if place < -reach || place > p.distance(q) + reach {
            continue;
        }
        if place <= reach {
            found.push(along);
        } else if place >= p.distance(q) - reach {
            found.push(-along);
        } else {
            found.extend([along, -along]);
            // Into the faces on either side, away from the edge.
            for (face, other) in [(edge.faces[0], edge.faces[1]), (edge.faces[1], edge.faces[0])] {
                let inward = bodies.normals[face as usize].cross(along);
                let away = -bodies.normals[other as usize].dot(inward);
                found.push(if away < 0.0 { -inward } else { inward });
            }
        }
    }
    if let (true, [face]) = (found.is_empty(), &active[..]) {
        let normal = bodies.normals[*face];
        let (u, v) = normal.any_orthonormal_pair();
        found.extend([u, -u, v, -v, -normal]);
    }
    found
}
