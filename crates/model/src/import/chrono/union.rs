//! One surface around the convex parts of a block.

use std::collections::{HashMap, HashSet};

use glam::DVec3;

use crate::{
    MeshShape,
    geometry::{Bounds, Polyhedron, common_volume, convex_hull, merge_coplanar_faces, weld_vertices},
};

/// The shape that convex parts fill together, and which share of its volume parts have in common.
///
/// Where parts meet in whole faces these faces cancel, and one closed surface is left. Parts that meet otherwise stay
/// shells of their own beside each other: volume, centroid and inertia are the sums over the parts either way. Hulls of
/// rounded corners may overlap a little where they meet; what they share counts twice.
pub(super) fn shape(parts: &[Vec<DVec3>]) -> Result<(MeshShape, f64), String> {
    let size = Bounds::around(parts.iter().flatten().copied()).diagonal();
    let mut hulls = Vec::with_capacity(parts.len());
    for part in parts {
        // Brick files carry eight decimals: points that close are one.
        let own = Bounds::around(part.iter().copied()).diagonal();
        hulls.push(convex_hull(part, 1e-7 * own).map_err(|e| e.to_string())?);
    }
    if let [hull] = &hulls[..] {
        return Ok((mesh(hull.clone(), Vec::new()), 0.0));
    }
    let common = common_volume(&hulls) / hulls.iter().map(Polyhedron::volume).sum::<f64>();
    let mut shells = Polyhedron::default();
    for hull in &hulls {
        let first = shells.vertices.len() as u32;
        shells.vertices.extend(&hull.vertices);
        let shifted = |f: &Vec<u32>| f.iter().map(|v| v + first).collect();
        shells.faces.extend(hull.faces.iter().map(shifted));
    }
    let points = hulls.into_iter().map(|h| h.vertices).collect();
    let joined = without_shared_faces(&weld_vertices(&shells, 1e-7 * size));
    let solid = match joined {
        Some(joined) => merge_coplanar_faces(&joined, 1e-7 * size),
        None => shells,
    };
    // Below, it is the rounding of the eight decimals.
    let common = if common > 1e-7 { common } else { 0.0 };
    Ok((mesh(solid, points), common))
}

fn mesh(solid: Polyhedron, parts: Vec<Vec<DVec3>>) -> MeshShape {
    MeshShape {
        vertices: solid.vertices,
        faces: solid.faces,
        parts,
    }
}

/// The surface without the pairs of faces that coincide, or `None` if there is no such pair or what is left is not a
/// simple closed surface.
fn without_shared_faces(solid: &Polyhedron) -> Option<Polyhedron> {
    let key = |face: &Vec<u32>| {
        let mut key = face.clone();
        key.sort_unstable();
        key
    };
    let mut count: HashMap<Vec<u32>, usize> = HashMap::new();
    for face in &solid.faces {
        *count.entry(key(face)).or_default() += 1;
    }
    let once = |face: &&Vec<u32>| count.get(&key(face)) == Some(&1);
    let faces: Vec<Vec<u32>> = solid.faces.iter().filter(once).cloned().collect();
    if faces.len() == solid.faces.len() {
        return None;
    }
    let left = Polyhedron {
        vertices: solid.vertices.clone(),
        faces,
    };
    let mut edges = HashSet::new();
    let simple = (0..left.faces.len())
        .flat_map(|f| left.face_edges(f))
        .all(|edge| edges.insert(edge));
    (simple && edges.iter().all(|&(a, b)| edges.contains(&(b, a)))).then_some(left)
}
