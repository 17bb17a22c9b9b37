use std::collections::{HashMap, HashSet, VecDeque};

use glam::{DVec2, DVec3};

use super::{Bounds, Plane, Polyhedron, clip::drop_unused, polygon::convex_hull_2d};

/// Why a set of points has no solid convex hull.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum HullError {
    /// Fewer than four points remain once coincident ones are merged.
    #[error("{0} distinct points do not span a solid; at least 4 are needed")]
    TooFewPoints(usize),
    /// All points lie in one plane.
    #[error("the points lie in one plane")]
    Flat,
    /// A coordinate is NaN or infinite.
    #[error("a coordinate is not a finite number")]
    NotFinite,
    /// There are so many points on the hull that finding it would take too long.
    #[error("the hull of {0} points has too many faces; leave out points that matter little")]
    TooLarge(usize),
    /// The points are so close to degenerate that no closed hull could be built.
    #[error("the points are too close to degenerate for a closed hull")]
    Degenerate,
}

/// The convex hull of some points, with polygonal faces.
///
/// Gift wrapping over whole facets: from an edge of a known facet the supporting plane is turned until it meets a
/// point; all points within `tolerance` (m) of the new plane form the next facet, whose outline is their plane hull.
/// Coplanar points so give one polygon, never a fan of triangles. Corners keep the order in which points were given.
/// Where rounding makes the facets disagree about an edge, the search is repeated with a smaller tolerance.
pub fn convex_hull(points: &[DVec3], tolerance: f64) -> Result<Polyhedron, HullError> {
    if points.iter().any(|p| !p.is_finite()) {
        return Err(HullError::NotFinite);
    }
    let size = Bounds::around(points.iter().copied()).diagonal();
    let points = distinct(points, tolerance.max(1e-12 * size));
    if points.len() < 4 {
        return Err(HullError::TooFewPoints(points.len()));
    }
    let mut error = HullError::Degenerate;
    for factor in [1.0, 1e-1, 1e-2, 1e-3, 10.0] {
        let tolerance = (tolerance * factor).max(1e-14 * size);
        match Wrapping::new(&points, tolerance).run() {
            Ok(hull) => return Ok(hull),
            Err(e @ HullError::TooLarge(_)) => return Err(e),
            Err(e) => error = e,
        }
    }
    Err(error)
}

/// Points looked at for all faces together: a few seconds of work.
const MOST_WORK: usize = 500_000_000;

fn distinct(points: &[DVec3], tolerance: f64) -> Vec<DVec3> {
    // Sorting by x bounds the candidates for coincidence; the result keeps the order given.
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&i, &j| points[i].x.total_cmp(&points[j].x).then(i.cmp(&j)));
    let mut dropped = vec![false; points.len()];
    for (k, &i) in order.iter().enumerate() {
        if dropped[i] {
            continue;
        }
        for &j in order[k + 1..]
            .iter()
            .take_while(|&&j| points[j].x - points[i].x <= tolerance)
        {
            dropped[j] |= points[i].distance(points[j]) <= tolerance;
        }
    }
    (0..points.len()).filter(|&i| !dropped[i]).map(|i| points[i]).collect()
}

struct Wrapping<'a> {
    points: &'a [DVec3],
    tolerance: f64,
    faces: Vec<Vec<u32>>,
    /// Directed edges that a facet already has on its left.
    edges: HashSet<(u32, u32)>,
    open: VecDeque<(u32, u32, DVec3)>,
}

impl<'a> Wrapping<'a> {
    fn new(points: &'a [DVec3], tolerance: f64) -> Self {
        Self {
            points,
            tolerance,
            faces: Vec::new(),
            edges: HashSet::new(),
            open: VecDeque::new(),
        }
    }

    fn run(mut self) -> Result<Polyhedron, HullError> {
        let first = self.first_plane()?;
        if !self.add_facet(&first) {
            return Err(HullError::Degenerate);
        }
        // Euler: a polyhedron of n vertices has at most 2n - 4 faces.
        let most = 2 * self.points.len();
        while let Some((a, b, normal)) = self.open.pop_front() {
            if self.edges.contains(&(b, a)) {
                continue;
            }
            if self.faces.len().saturating_mul(self.points.len()) > MOST_WORK {
                return Err(HullError::TooLarge(self.points.len()));
            }
            let plane = self
                .turn(self.points[b as usize], self.points[a as usize], normal)
                .ok_or(HullError::Flat)?;
            if plane.normal.dot(normal) < -1.0 + 1e-12 {
                return Err(HullError::Flat);
            }
            if self.faces.len() >= most || !self.add_facet(&plane) || !self.edges.contains(&(b, a)) {
                return Err(HullError::Degenerate);
            }
        }
        if self.faces.len() < 4 || self.edges.iter().any(|&(a, b)| !self.edges.contains(&(b, a))) {
            return Err(HullError::Degenerate);
        }
        let (vertices, faces) = drop_unused(self.points.to_vec(), self.faces);
        Ok(Polyhedron { vertices, faces })
    }

    /// A plane that touches the points along at least three of them that are not in line.
    fn first_plane(&self) -> Result<Plane, HullError> {
        let lowest = (0..self.points.len())
            .min_by(|&i, &j| {
                let (a, b) = (self.points[i], self.points[j]);
                a.z.total_cmp(&b.z).then(a.y.total_cmp(&b.y)).then(a.x.total_cmp(&b.x))
            })
            .ok_or(HullError::TooFewPoints(0))?;
        let a = self.points[lowest];
        // Turn the horizontal plane about the x axis through the lowest point until it meets a second point ...
        let tilted = self.turn(a, a + DVec3::X, -DVec3::Z).ok_or(HullError::Flat)?;
        let b = self
            .points
            .iter()
            .filter(|&&p| tilted.distance(p).abs() <= self.tolerance && p.distance(a) > self.tolerance)
            .max_by(|p, q| p.distance(a).total_cmp(&q.distance(a)))
            .ok_or(HullError::Degenerate)?;
        // ... then about the line through both until it meets a third.
        self.turn(a, *b, tilted.normal).ok_or(HullError::Flat)
    }

    /// Turns the supporting plane with outward `normal` about the line from `a` to `b` until it meets a point off the
    /// line. The new facet lies to the left of `a → b` as seen from outside.
    fn turn(&self, a: DVec3, b: DVec3, normal: DVec3) -> Option<Plane> {
        let along = (b - a).normalize();
        let across = normal.cross(along).normalize();
        let (mut best, mut best_angle, mut best_reach) = (None, f64::INFINITY, 0.0);
        for &p in self.points {
            let r = p - a;
            // Rounding may put a point of the known facet in front of it; below zero its angle would wrap round, and that of
            // a negative zero would, too, which `max` may give.
            let (u, behind) = (r.dot(across), -r.dot(normal));
            let w = if behind > 0.0 { behind } else { 0.0 };
            let reach = u.hypot(w);
            if reach <= self.tolerance {
                continue;
            }
            // Points within the tolerance of the turned plane tie; the farthest gives the most accurate plane.
            let angle = w.atan2(u);
            let slack = self.tolerance / reach.min(if best_reach > 0.0 { best_reach } else { reach });
            if angle < best_angle - slack || (angle < best_angle + slack && reach > best_reach) {
                (best, best_angle, best_reach) = (Some(p), angle.min(best_angle), reach);
            }
        }
        let p = best?;
        let outward = along.cross(p - a).try_normalize()?;
        Some(Plane::through(a, outward))
    }

    fn add_facet(&mut self, plane: &Plane) -> bool {
        let on: Vec<u32> = (0..self.points.len() as u32)
            .filter(|&i| plane.distance(self.points[i as usize]).abs() <= self.tolerance)
            .collect();
        let (u, v) = plane.axes();
        let flat: Vec<DVec2> = on
            .iter()
            .map(|&i| self.points[i as usize])
            .map(|p| DVec2::new(p.dot(u), p.dot(v)))
            .collect();
        let facet: Vec<u32> = convex_hull_2d(&flat, self.tolerance)
            .into_iter()
            .map(|k| on[k])
            .collect();
        if facet.len() < 3 {
            return false;
        }
        for k in 0..facet.len() {
            let edge = (facet[k], facet[(k + 1) % facet.len()]);
            if !self.edges.insert(edge) {
                return false;
            }
            self.open.push_back((edge.0, edge.1, plane.normal));
        }
        self.faces.push(facet);
        true
    }
}

/// Groups vertices by coincidence within `tolerance`: for each vertex, the first vertex at its place.
pub(super) fn weld(vertices: &[DVec3], tolerance: f64) -> Vec<u32> {
    let cell = |p: DVec3| {
        let q = (p / tolerance.max(f64::MIN_POSITIVE)).round();
        (q.x as i64, q.y as i64, q.z as i64)
    };
    let mut seen: HashMap<(i64, i64, i64), Vec<u32>> = HashMap::new();
    let mut first = Vec::with_capacity(vertices.len());
    for (i, &p) in vertices.iter().enumerate() {
        let (x, y, z) = cell(p);
        let mut found = None;
        'search: for dx in -1..=1 {
            for dy in -1..=1 {
                for dz in -1..=1 {
                    let key = (x.saturating_add(dx), y.saturating_add(dy), z.saturating_add(dz));
                    let near = seen.get(&key).into_iter().flatten();
                    if let Some(&j) = near
                        .into_iter()
                        .find(|&&j| vertices[j as usize].distance(p) <= tolerance)
                    {
                        found = Some(j);
                        break 'search;
                    }
                }
            }
        }
        let index = found.unwrap_or(i as u32);
        if index == i as u32 {
            seen.entry((x, y, z)).or_default().push(index);
        }
        first.push(index);
    }
    first
}

#[cfg(test)]
mod tests {
    use glam::{DAffine3, DQuat};

    use super::*;

    #[test]
    fn the_hull_of_a_box_with_points_inside_and_on_its_faces_is_the_box() {
        let corners = Polyhedron::cuboid(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0));
        for (scale, turn) in [(1.0, 0.0), (1e-3, 0.3), (100.0, 1.0)] {
            let map = DAffine3::from_scale_rotation_translation(
                DVec3::splat(scale),
                DQuat::from_axis_angle(DVec3::new(1.0, 1.0, 0.3).normalize(), turn),
                DVec3::new(5.0, -3.0, 1.0) * scale,
            );
            let mut points = corners.vertices.clone();
            points.extend([(0.5, 1.0, 1.5), (0.5, 1.0, 0.0), (0.0, 0.0, 1.5), (0.5, 0.0, 0.0)].map(DVec3::from));
            let points: Vec<_> = points.iter().map(|&p| map.transform_point3(p)).collect();
            let hull = convex_hull(&points, 1e-9 * scale).unwrap();
            assert_eq!((hull.vertices.len(), hull.faces.len()), (8, 6));
            assert!(hull.faces.iter().all(|f| f.len() == 4));
            assert!((hull.volume() / scale.powi(3) - 6.0).abs() < 1e-10);
        }
    }

    #[test]
    fn points_on_a_sphere_all_become_corners() {
        let n = 200;
        let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
        let points: Vec<DVec3> = (0..n)
            .map(|i| {
                let z = 1.0 - 2.0 * (i as f64 + 0.5) / n as f64;
                let (s, c) = (golden * i as f64).sin_cos();
                let r = (1.0 - z * z).sqrt();
                DVec3::new(r * c, r * s, z)
            })
            .collect();
        let hull = convex_hull(&points, 1e-9).unwrap();
        assert_eq!(hull.vertices.len(), n);
        assert_eq!(hull.vertices.len() + hull.faces.len(), hull.edges().len() + 2);
        assert!(hull.is_convex(1e-9));
        assert!((3.9..4.0 / 3.0 * std::f64::consts::PI).contains(&hull.volume()));
    }

    #[test]
    fn flat_and_few_points_are_refused_with_the_reason() {
        let flat = [(0., 0., 0.), (1., 0., 0.), (1., 1., 0.), (0., 1., 0.), (0.3, 0.4, 0.)].map(DVec3::from);
        assert_eq!(convex_hull(&flat, 1e-9), Err(HullError::Flat));
        assert_eq!(convex_hull(&flat[..3], 1e-9), Err(HullError::TooFewPoints(3)));
        assert_eq!(convex_hull(&[DVec3::ZERO; 9], 1e-9), Err(HullError::TooFewPoints(1)));
        assert_eq!(convex_hull(&[DVec3::NAN; 9], 1e-9), Err(HullError::NotFinite));
    }
}
