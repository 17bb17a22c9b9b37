use glam::{DAffine3, DVec2, DVec3};

use super::{Bounds, MassProperties, Plane, mass_properties, polygon::signed_area, tree::Support};

/// A solid bounded by polygonal faces.
///
/// Each face lists its corners counter-clockwise as seen from outside. Faces are simple polygons, convex or not,
/// without holes. Whether a polyhedron really is closed, planar and free of self-intersections is found by
/// [`super::defects`]; the constructors here give sound solids for sound arguments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polyhedron {
    /// Corner points (m).
    pub vertices: Vec<DVec3>,
    /// Corners of each face, as indices into `vertices`.
    pub faces: Vec<Vec<u32>>,
}

impl Polyhedron {
    /// The box between two opposite corners, `min` below `max` in every coordinate.
    pub fn cuboid(min: DVec3, max: DVec3) -> Self {
        let base = [(min.x, min.y), (max.x, min.y), (max.x, max.y), (min.x, max.y)];
        let base: Vec<_> = base.iter().map(|&(x, y)| DVec3::new(x, y, min.z)).collect();
        Self::extruded(&base, DVec3::new(0.0, 0.0, max.z - min.z))
    }

    /// A planar polygon swept along `by`. The polygon may turn either way; the faces come out right.
    pub fn extruded(polygon: &[DVec3], by: DVec3) -> Self {
        let n = polygon.len() as u32;
        let top = polygon.iter().map(|&p| p + by);
        let vertices: Vec<DVec3> = polygon.iter().copied().chain(top).collect();
        let mut faces = vec![(0..n).rev().collect::<Vec<u32>>(), (n..2 * n).collect()];
        faces.extend((0..n).map(|i| {
            let j = (i + 1) % n;
            vec![i, j, n + j, n + i]
        }));
        let solid = Self { vertices, faces };
        if solid.newell(0).dot(by) > 0.0 {
            solid.flipped()
        } else {
            solid
        }
    }

    /// A polygon in the x–z plane (elevation) made into a solid from `y0` to `y1`: how walls and arches are drawn.
    pub fn from_elevation(outline: &[DVec2], y0: f64, y1: f64) -> Self {
        let outline: Vec<_> = outline.iter().map(|p| DVec3::new(p.x, y0, p.y)).collect();
        Self::extruded(&outline, DVec3::new(0.0, y1 - y0, 0.0))
    }

    /// A polygon in the x–y plane (plan) made into a solid from `z0` to `z1`.
    pub fn from_plan(outline: &[DVec2], z0: f64, z1: f64) -> Self {
        let outline: Vec<_> = outline.iter().map(|p| DVec3::new(p.x, p.y, z0)).collect();
        Self::extruded(&outline, DVec3::new(0.0, 0.0, z1 - z0))
    }

    /// The solid between two congruent-topology loops (`bottom[i]` joined to `top[i]`), for frusta and voussoirs of
    /// double curvature. The side quadrilaterals must come out planar; [`super::defects`] tells.
    pub fn lofted(bottom: &[DVec3], top: &[DVec3]) -> Self {
        assert_eq!(bottom.len(), top.len(), "a loft joins loops of equal length");
        let n = bottom.len() as u32;
        let mut solid = Self::extruded(bottom, DVec3::Z);
        solid.vertices[n as usize..].copy_from_slice(top);
        if solid.volume() < 0.0 { solid.flipped() } else { solid }
    }

    /// The same solid with every face turned over (inside out).
    #[must_use]
    pub fn flipped(mut self) -> Self {
        for face in &mut self.faces {
            face.reverse();
        }
        self
    }

    /// The solid moved by an affine map. A map that mirrors also turns the faces, so that they still look outwards.
    #[must_use]
    pub fn transformed(&self, map: &DAffine3) -> Self {
        let vertices = self.vertices.iter().map(|&p| map.transform_point3(p)).collect();
        let moved = Self {
            vertices,
            faces: self.faces.clone(),
        };
        if map.matrix3.determinant() < 0.0 {
            moved.flipped()
        } else {
            moved
        }
    }

    /// The solid moved by a vector.
    #[must_use]
    pub fn translated(&self, by: DVec3) -> Self {
        self.transformed(&DAffine3::from_translation(by))
    }

    /// Corner points of a face, in order.
    pub fn corners(&self, face: usize) -> impl ExactSizeIterator<Item = DVec3> + Clone + '_ {
        self.faces[face].iter().map(|&i| self.vertices[i as usize])
    }

    /// Newell's vector of a face: along its normal, with twice its area as length. Robust for any simple polygon.
    pub(crate) fn newell(&self, face: usize) -> DVec3 {
        let corners = self.corners(face);
        let Some(origin) = corners.clone().next() else {
            return DVec3::ZERO;
        };
        let mut sum = DVec3::ZERO;
        for (a, b) in corners.clone().zip(corners.skip(1)) {
            sum += (a - origin).cross(b - origin);
        }
        sum
    }

    /// Area of a face (m²).
    pub fn face_area(&self, face: usize) -> f64 {
        0.5 * self.newell(face).length()
    }

    /// Outward plane of a face: its mean normal through the mean of its corners.
    pub fn face_plane(&self, face: usize) -> Plane {
        let n = self.faces[face].len().max(1) as f64;
        let first = self.corners(face).next().unwrap_or_default();
        let mean = first + self.corners(face).map(|p| p - first).sum::<DVec3>() / n;
        Plane::through(mean, self.newell(face).try_normalize().unwrap_or(DVec3::Z))
    }

    /// How far a corner is off the plane of its face, at most (m).
    pub fn off_planes(&self) -> f64 {
        let off = |face: usize| {
            let plane = self.face_plane(face);
            self.corners(face).map(|p| plane.distance(p).abs()).fold(0.0, f64::max)
        };
        (0..self.faces.len()).map(off).fold(0.0, f64::max)
    }

    /// Directed edges `(from, to)` of a face.
    pub fn face_edges(&self, face: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let f = &self.faces[face];
        (0..f.len()).map(move |k| (f[k], f[(k + 1) % f.len()]))
    }

    /// Every edge once, with the smaller index first, in the order in which faces name them.
    pub fn edges(&self) -> Vec<(u32, u32)> {
        let mut seen = std::collections::HashSet::new();
        let mut edges = Vec::new();
        for face in 0..self.faces.len() {
            for (a, b) in self.face_edges(face) {
                let edge = (a.min(b), a.max(b));
                if seen.insert(edge) {
                    edges.push(edge);
                }
            }
        }
        edges
    }

    /// The smallest axis-aligned box around the solid.
    pub fn bounds(&self) -> Bounds {
        Bounds::around(self.vertices.iter().copied())
    }

    /// Volume, centroid and second moments of the solid at unit density.
    pub fn mass_properties(&self) -> MassProperties {
        mass_properties(self)
    }

    /// Enclosed volume (m³); negative if the faces look inwards.
    pub fn volume(&self) -> f64 {
        mass_properties(self).volume
    }

    /// Whether no vertex rises more than `tolerance` (m) above the plane of any face.
    ///
    /// For a closed solid this is convexity. The test is exact: for every face it finds the vertex that rises highest.
    pub fn is_convex(&self, tolerance: f64) -> bool {
        let support = Support::new(&self.vertices);
        (0..self.faces.len()).all(|f| {
            let plane = self.face_plane(f);
            let most = plane.offset + tolerance;
            support.farthest_above(plane.normal, most) <= most
        })
    }

    /// Corners of a face in the axes of its plane, counter-clockwise.
    pub fn face_outline(&self, face: usize) -> Vec<DVec2> {
        let plane = self.face_plane(face);
        let (u, v) = plane.axes();
        let origin = plane.normal * plane.offset;
        let outline: Vec<_> = self
            .corners(face)
            .map(|p| DVec2::new((p - origin).dot(u), (p - origin).dot(v)))
            .collect();
        debug_assert!(outline.len() < 3 || signed_area(&outline) >= -1e-9 * self.face_area(face).max(1e-30));
        outline
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_its_volume_and_outward_faces() {
        let solid = Polyhedron::cuboid(DVec3::new(-1.0, 0.0, 2.0), DVec3::new(1.0, 3.0, 2.5));
        assert!((solid.volume() - 3.0).abs() < 1e-14);
        let center = solid.bounds().center();
        for face in 0..6 {
            assert!(
                solid.face_plane(face).distance(center) < 0.0,
                "face {face} looks inwards"
            );
        }
        assert!(solid.is_convex(1e-12));
        assert_eq!(solid.edges().len(), 12);
    }

    #[test]
    fn an_extrusion_looks_outwards_whichever_way_its_polygon_turns() {
        let outline = [DVec2::new(0.0, 0.0), DVec2::new(2.0, 0.0), DVec2::new(0.0, 2.0)];
        let mut reversed = outline;
        reversed.reverse();
        for outline in [outline, reversed] {
            for (y0, y1) in [(0.0, 0.5), (0.5, 0.0)] {
                assert!((Polyhedron::from_elevation(&outline, y0, y1).volume() - 1.0).abs() < 1e-14);
                assert!((Polyhedron::from_plan(&outline, y0, y1).volume() - 1.0).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn mirroring_keeps_the_faces_outward() {
        let solid = Polyhedron::cuboid(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0));
        let mirrored = solid.transformed(&DAffine3::from_scale(DVec3::new(-1.0, 1.0, 1.0)));
        assert!((mirrored.volume() - 6.0).abs() < 1e-12);
    }
}
