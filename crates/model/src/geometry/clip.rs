use std::collections::HashMap;

use glam::DVec3;

use super::{Plane, Polyhedron};

/// The part of a convex solid behind a plane (where the signed distance is negative), or `None` if nothing is left.
///
/// Vertices within `tolerance` (m) of the plane count as lying on it, which keeps slivers from appearing when a plane
/// passes through existing corners. A solid that lies wholly behind the plane comes back unchanged.
pub fn clip(solid: &Polyhedron, plane: &Plane, tolerance: f64) -> Option<Polyhedron> {
    let distance: Vec<f64> = solid.vertices.iter().map(|&v| plane.distance(v)).collect();
    if distance.iter().all(|&d| d >= -tolerance) {
        return None;
    }
    if distance.iter().all(|&d| d <= tolerance) {
        return Some(solid.clone());
    }
    let mut cut = Cut {
        solid,
        distance,
        tolerance,
        vertices: Vec::new(),
        kept: HashMap::new(),
        crossed: HashMap::new(),
    };
    let mut faces: Vec<Vec<u32>> = Vec::with_capacity(solid.faces.len() + 1);
    for face in 0..solid.faces.len() {
        let clipped = cut.clip_face(face);
        if clipped.len() >= 3 {
            faces.push(clipped);
        }
    }
    let cap = cut.cap(plane);
    if cap.len() >= 3 {
        faces.push(cap);
    }
    let (vertices, faces) = drop_unused(cut.vertices, faces);
    (faces.len() >= 4).then_some(Polyhedron { vertices, faces })
}

/// One clipping of one solid: the distances, and the vertices made so far.
struct Cut<'a> {
    solid: &'a Polyhedron,
    distance: Vec<f64>,
    tolerance: f64,
    vertices: Vec<DVec3>,
    /// Old vertex to new vertex.
    kept: HashMap<u32, u32>,
    /// Old edge (smaller index first) to the new vertex where it meets the plane.
    crossed: HashMap<(u32, u32), u32>,
}

impl Cut<'_> {
    fn keep(&mut self, v: u32) -> u32 {
        *self.kept.entry(v).or_insert_with(|| {
            self.vertices.push(self.solid.vertices[v as usize]);
            self.vertices.len() as u32 - 1
        })
    }

    fn cross(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (a.min(b), a.max(b));
        *self.crossed.entry((a, b)).or_insert_with(|| {
            let (da, db) = (self.distance[a as usize], self.distance[b as usize]);
            let (pa, pb) = (self.solid.vertices[a as usize], self.solid.vertices[b as usize]);
            self.vertices.push(pa + (pb - pa) * (da / (da - db)));
            self.vertices.len() as u32 - 1
        })
    }

    fn clip_face(&mut self, face: usize) -> Vec<u32> {
        let solid = self.solid;
        let mut clipped = Vec::with_capacity(solid.faces[face].len() + 1);
        for (a, b) in solid.face_edges(face) {
            let (da, db) = (self.distance[a as usize], self.distance[b as usize]);
            if da <= self.tolerance {
                clipped.push(self.keep(a));
            }
            if (da < -self.tolerance && db > self.tolerance) || (da > self.tolerance && db < -self.tolerance) {
                clipped.push(self.cross(a, b));
            }
        }
        // A face that only touches the plane along an edge or a corner, from in front, leaves nothing.
        let behind = solid.faces[face]
            .iter()
            .any(|&v| self.distance[v as usize] < -self.tolerance);
        if behind { clipped } else { Vec::new() }
    }

    /// The face that closes the cut: the points on the plane, ordered around their middle.
    fn cap(&mut self, plane: &Plane) -> Vec<u32> {
        let mut on: Vec<u32> = self.crossed.values().copied().collect();
        let tolerance = self.tolerance;
        on.extend(
            self.kept
                .iter()
                .filter(|(v, _)| self.distance[**v as usize].abs() <= tolerance)
                .map(|(_, &n)| n),
        );
        on.sort_unstable();
        let at = |n: u32| self.vertices[n as usize];
        let middle = on.iter().map(|&n| at(n)).sum::<DVec3>() / on.len().max(1) as f64;
        let (u, v) = plane.axes();
        let angle = |n: u32| {
            let r = at(n) - middle;
            r.dot(v).atan2(r.dot(u))
        };
        on.sort_by(|&m, &n| angle(m).total_cmp(&angle(n)).then(m.cmp(&n)));
        on
    }
}

/// Renumbers the vertices so that only those that some face uses remain, in their old order.
pub(super) fn drop_unused(vertices: Vec<DVec3>, mut faces: Vec<Vec<u32>>) -> (Vec<DVec3>, Vec<Vec<u32>>) {
    let mut new_index = vec![u32::MAX; vertices.len()];
    for &v in faces.iter().flatten() {
        new_index[v as usize] = 0;
    }
    let mut kept = Vec::new();
    for (v, index) in new_index.iter_mut().enumerate().filter(|(_, index)| **index == 0) {
        *index = kept.len() as u32;
        kept.push(vertices[v]);
    }
    for v in faces.iter_mut().flatten() {
        *v = new_index[*v as usize];
    }
    (kept, faces)
}

/// Volume that convex solids have in common, counted once for each pair (m³). What two have in common only within 1e-9 of
/// their size is not seen.
pub(crate) fn common_volume(solids: &[Polyhedron]) -> f64 {
    let boxes: Vec<super::Bounds> = solids.iter().map(Polyhedron::bounds).collect();
    let common = |(i, j): (usize, usize)| {
        let tolerance = 1e-9 * boxes[i].diagonal().min(boxes[j].diagonal());
        let mut left = solids[i].clone();
        for face in 0..solids[j].faces.len() {
            left = clip(&left, &solids[j].face_plane(face), tolerance)?;
        }
        Some(left.volume())
    };
    super::near_pairs(&boxes, 0.0).into_iter().filter_map(common).sum()
}

/// A convex solid with its edges chipped off, as in Nodargi and Bisegna (2024), section 4.4.
///
/// Each edge between faces with normals `n1` and `n2` is trimmed by the plane with normal `n1 + n2` that lies `depth`
/// (m) behind the edge. Edges between faces that are nearly coplanar are left alone. `None` if `depth` would trim the
/// whole solid away.
pub fn chamfer(solid: &Polyhedron, depth: f64) -> Option<Polyhedron> {
    const NEARLY_COPLANAR: f64 = 1.0 - 1e-6;
    let planes: Vec<Plane> = (0..solid.faces.len()).map(|f| solid.face_plane(f)).collect();
    let mut left_of: HashMap<(u32, u32), usize> = HashMap::new();
    for face in 0..solid.faces.len() {
        for edge in solid.face_edges(face) {
            left_of.insert(edge, face);
        }
    }
    let tolerance = 1e-9 * solid.bounds().diagonal();
    let mut trimmed = solid.clone();
    for (a, b) in solid.edges() {
        let (Some(&f1), Some(&f2)) = (left_of.get(&(a, b)), left_of.get(&(b, a))) else {
            continue;
        };
        let (n1, n2) = (planes[f1].normal, planes[f2].normal);
        if n1.dot(n2) > NEARLY_COPLANAR {
            continue;
        }
        let mut plane = Plane::through(solid.vertices[a as usize], n1 + n2);
        plane.offset -= depth;
        trimmed = clip(&trimmed, &plane, tolerance)?;
    }
    Some(trimmed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit_cube() -> Polyhedron {
        Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE)
    }

    #[test]
    fn cutting_a_cube_in_half_gives_half_its_volume_with_a_closed_cap() {
        let plane = Plane::through(DVec3::splat(0.5), DVec3::new(1.0, 1.0, 1.0));
        let half = clip(&unit_cube(), &plane, 1e-12).unwrap();
        assert!((half.volume() - 0.5).abs() < 1e-14);
        // The cut through the middle across the diagonal is a regular hexagon.
        assert!(half.faces.iter().any(|f| f.len() == 6));
        assert_eq!(
            half.vertices.len() + half.faces.len(),
            half.edges().len() + 2,
            "Euler's formula"
        );
    }

    #[test]
    fn a_plane_through_corners_makes_no_slivers() {
        let plane = Plane::through(DVec3::ZERO, DVec3::new(1.0, -1.0, 0.0));
        let wedge = clip(&unit_cube(), &plane, 1e-12).unwrap();
        assert_eq!((wedge.vertices.len(), wedge.faces.len()), (6, 5));
        assert!((wedge.volume() - 0.5).abs() < 1e-14);
    }

    #[test]
    fn a_plane_that_misses_leaves_all_or_nothing() {
        let above = Plane::through(DVec3::Z, DVec3::Z);
        assert_eq!(clip(&unit_cube(), &above, 1e-12), Some(unit_cube()));
        assert_eq!(clip(&unit_cube(), &above.flipped(), 1e-12), None);
    }

    #[test]
    fn a_chamfered_cube_loses_twelve_edge_prisms() {
        let depth = 0.01;
        let trimmed = chamfer(&unit_cube(), depth).unwrap();
        // Each trimming takes a triangular prism of height d and width 2d, less what three prisms share at a corner:
        // the corner is then cut back to a pyramid; volume by inclusion and exclusion with s = d√2 as the leg.
        let s = depth * 2f64.sqrt();
        let prisms = 12.0 * 0.5 * s * s;
        // Two prisms at a corner share ∫∫ (s - x)⁺... = s³/3 each pair, all three share s³/4.
        let corners = 8.0 * (3.0 * s.powi(3) / 3.0 - s.powi(3) / 4.0);
        assert!((1.0 - trimmed.volume() - (prisms - corners)).abs() < 1e-12);
        assert_eq!(trimmed.faces.len(), 18);
        assert!(chamfer(&unit_cube(), 2.0).is_none());
    }
}
