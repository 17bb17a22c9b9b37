use std::collections::HashMap;

use glam::DVec3;

use super::{Plane, Polyhedron, clip::drop_unused, hull::weld};

/// The mesh with vertices at the same place (within `tolerance`, m) made one, adjacent coplanar faces joined into
/// polygons, and corners that are left in the middle of a straight edge removed.
///
/// Triangulated meshes so become the polyhedra they were drawn as. Faces that would get a hole stay as they are,
/// because a face is one outline. Faces that vanish in the welding are dropped.
pub fn merge_coplanar_faces(solid: &Polyhedron, tolerance: f64) -> Polyhedron {
    let mut merged = weld_vertices(solid, tolerance);
    let regions = coplanar_regions(&merged, tolerance);
    let mut faces = Vec::new();
    for region in regions {
        match outline(&merged, &region) {
            Some(outline) if region.len() > 1 => faces.push(outline),
            _ => faces.extend(region.iter().map(|&f| merged.faces[f].clone())),
        }
    }
    merged.faces = faces;
    drop_straight_corners(&mut merged, tolerance);
    let (vertices, faces) = drop_unused(merged.vertices, merged.faces);
    Polyhedron { vertices, faces }
}

/// The mesh with vertices at the same place (within `tolerance`, m) made one. Faces that vanish are dropped; vertices
/// that are no longer used stay in the list.
pub(crate) fn weld_vertices(solid: &Polyhedron, tolerance: f64) -> Polyhedron {
    let first = weld(&solid.vertices, tolerance);
    let mut faces = Vec::with_capacity(solid.faces.len());
    for face in &solid.faces {
        let mut face: Vec<u32> = face.iter().map(|&v| first[v as usize]).collect();
        face.dedup();
        while face.len() > 1 && face.first() == face.last() {
            face.pop();
        }
        if face.len() >= 3 {
            faces.push(face);
        }
    }
    Polyhedron {
        vertices: solid.vertices.clone(),
        faces,
    }
}

/// Sets of faces that hang together by edges and lie in one plane, each in increasing order.
fn coplanar_regions(solid: &Polyhedron, tolerance: f64) -> Vec<Vec<usize>> {
    let mut left_of: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
    for face in 0..solid.faces.len() {
        for edge in solid.face_edges(face) {
            left_of.entry(edge).or_default().push(face);
        }
    }
    let planes: Vec<Plane> = (0..solid.faces.len()).map(|f| solid.face_plane(f)).collect();
    // Regions grow from their largest face, whose plane is the most accurate; they cannot drift away from it.
    let mut seeds: Vec<usize> = (0..solid.faces.len()).collect();
    let area: Vec<f64> = seeds.iter().map(|&f| solid.face_area(f)).collect();
    seeds.sort_by(|&f, &g| area[g].total_cmp(&area[f]).then(f.cmp(&g)));
    let mut taken = vec![false; solid.faces.len()];
    let mut regions = Vec::new();
    for seed in seeds {
        if taken[seed] {
            continue;
        }
        taken[seed] = true;
        let (mut region, mut next) = (vec![seed], 0);
        while let Some(&face) = region.get(next) {
            next += 1;
            for (a, b) in solid.face_edges(face) {
                // An edge used more than twice is a defect of the mesh; joining across it would hide it.
                let Some([other]) = left_of.get(&(b, a)).map(Vec::as_slice) else {
                    continue;
                };
                let flat = solid
                    .corners(*other)
                    .all(|p| planes[seed].distance(p).abs() <= tolerance);
                // A face without area lies in any plane through it and must not be left over as a sliver.
                let facing = planes[seed].normal.dot(planes[*other].normal) > 0.0 || area[*other] <= tolerance.powi(2);
                if !taken[*other] && flat && facing {
                    taken[*other] = true;
                    region.push(*other);
                }
            }
        }
        region.sort_unstable();
        regions.push(region);
    }
    regions.sort_by_key(|region| region[0]);
    regions
}

/// The single closed outline around some faces, or `None` if there are holes or it touches itself.
fn outline(solid: &Polyhedron, region: &[usize]) -> Option<Vec<u32>> {
    let mut next: HashMap<u32, u32> = HashMap::new();
    let inner: std::collections::HashSet<(u32, u32)> = region.iter().flat_map(|&f| solid.face_edges(f)).collect();
    let mut start = None;
    for &face in region {
        for (a, b) in solid.face_edges(face) {
            if !inner.contains(&(b, a)) {
                start.get_or_insert(a);
                if next.insert(a, b).is_some() {
                    return None;
                }
            }
        }
    }
    let start = start?;
    let mut outline = vec![start];
    let mut at = *next.get(&start)?;
    while at != start {
        outline.push(at);
        at = *next.get(&at)?;
        if outline.len() > next.len() {
            return None;
        }
    }
    (outline.len() == next.len()).then_some(outline)
}

fn drop_straight_corners(solid: &mut Polyhedron, tolerance: f64) {
    let mut uses = vec![0u32; solid.vertices.len()];
    let mut straight = vec![0u32; solid.vertices.len()];
    for face in 0..solid.faces.len() {
        let f = &solid.faces[face];
        let n = f.len();
        for k in 0..n {
            let [a, b, c] = [f[(k + n - 1) % n], f[k], f[(k + 1) % n]].map(|v| solid.vertices[v as usize]);
            uses[f[k] as usize] += 1;
            straight[f[k] as usize] += u32::from(is_between(a, b, c, tolerance));
        }
    }
    let drop: Vec<bool> = uses.iter().zip(&straight).map(|(&u, &s)| u == 2 && s == 2).collect();
    // A face must keep three corners; a sliver that would lose them stays for the checks to report.
    let keeps_three = solid
        .faces
        .iter()
        .all(|f| f.iter().filter(|&&v| !drop[v as usize]).count() >= 3);
    if keeps_three {
        for face in &mut solid.faces {
            face.retain(|&v| !drop[v as usize]);
        }
    }
}

/// Whether `b` lies on the segment from `a` to `c`.
fn is_between(a: DVec3, b: DVec3, c: DVec3, tolerance: f64) -> bool {
    let ac = c - a;
    let length = ac.length();
    (b - a).cross(ac).length() <= tolerance * length && (b - a).dot(ac) > 0.0 && (b - c).dot(ac) < 0.0
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;
    use crate::geometry::triangulate_face;

    fn triangulated(solid: &Polyhedron) -> Polyhedron {
        // Every triangle with vertices of its own, as in an STL file.
        let mut soup = Polyhedron::default();
        for face in 0..solid.faces.len() {
            for t in triangulate_face(solid, face) {
                let n = soup.vertices.len() as u32;
                soup.vertices.extend(t.map(|v| solid.vertices[v as usize]));
                soup.faces.push(vec![n, n + 1, n + 2]);
            }
        }
        soup
    }

    #[test]
    fn a_triangle_soup_becomes_the_polyhedron_it_came_from() {
        let l = [(0., 0.), (3., 0.), (3., 1.), (1., 1.), (1., 2.), (0., 2.)].map(DVec2::from);
        for solid in [
            Polyhedron::cuboid(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0)),
            Polyhedron::from_elevation(&l, 0.0, 0.5),
        ] {
            let merged = merge_coplanar_faces(&triangulated(&solid), 1e-9);
            assert_eq!(merged.vertices.len(), solid.vertices.len());
            assert_eq!(merged.faces.len(), solid.faces.len());
            assert!((merged.volume() - solid.volume()).abs() < 1e-12);
        }
    }

    #[test]
    fn a_corner_in_the_middle_of_a_straight_edge_disappears() {
        // A box whose top is two halves, so that the long edges have a corner in the middle.
        let outline = [(0., 0.), (2., 0.), (2., 1.), (1., 1.), (0., 1.)].map(DVec2::from);
        let solid = Polyhedron::from_elevation(&outline, 0.0, 1.0);
        assert_eq!(solid.vertices.len(), 10);
        let merged = merge_coplanar_faces(&solid, 1e-9);
        assert_eq!((merged.vertices.len(), merged.faces.len()), (8, 6));
    }

    #[test]
    fn a_slightly_warped_quadrilateral_is_not_flattened() {
        let mut solid = Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE);
        let top = solid.vertices.iter().position(|v| *v == DVec3::ONE).unwrap();
        solid.vertices[top].z += 1e-3;
        let merged = merge_coplanar_faces(&triangulated(&solid), 1e-6);
        assert!((merged.volume() - triangulated(&solid).volume()).abs() < 1e-12);
        assert!(merged.faces.len() > 6);
    }
}
