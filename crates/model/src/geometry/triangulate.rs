use glam::{DVec2, DVec3};

use super::{Plane, Polyhedron, polygon::signed_area};

/// Cuts a planar face into triangles of its own corners, by clipping ears. Convex faces come out as a fan.
///
/// A face with an outline that crosses itself still comes back as `n - 2` triangles, without meaning.
pub fn triangulate_face(solid: &Polyhedron, face: usize) -> Vec<[u32; 3]> {
    let corners = &solid.faces[face];
    if corners.len() <= 3 {
        return corners.as_chunks().0.to_vec();
    }
    let outline = solid.face_outline(face);
    ears(&outline).into_iter().map(|t| t.map(|k| corners[k])).collect()
}

fn ears(outline: &[DVec2]) -> Vec<[usize; 3]> {
    let mut left: Vec<usize> = (0..outline.len()).collect();
    let mut triangles = Vec::with_capacity(outline.len().saturating_sub(2));
    let scale = signed_area(outline).abs().max(f64::MIN_POSITIVE);
    if is_convex(outline, 1e-14 * scale) {
        // The ears that the search below would find, without searching.
        let last = outline.len() - 1;
        triangles.extend((0..last - 2).map(|k| [last, k, k + 1]));
        triangles.push([last - 2, last - 1, last]);
        return triangles;
    }
    let mut start = 0;
    while left.len() > 3 {
        let n = left.len();
        let is_ear = |k: usize| {
            let [a, b, c] = [left[(k + n - 1) % n], left[k], left[(k + 1) % n]].map(|i| outline[i]);
            let area = (b - a).perp_dot(c - a);
            area > 1e-14 * scale
                && left.iter().all(|&i| {
                    let p = outline[i];
                    p == a || p == b || p == c || !in_triangle(p, a, b, c)
                })
        };
        // Going round from the last ear keeps the fan order for convex faces; a degenerate outline takes any corner.
        let k = (0..n)
            .map(|k| (start + k) % n)
            .find(|&k| is_ear(k))
            .unwrap_or(start % n);
        triangles.push([left[(k + n - 1) % n], left[k], left[(k + 1) % n]]);
        left.remove(k);
        start = k;
    }
    triangles.push([left[0], left[1], left[2]]);
    triangles
}

/// Whether an outline of four or more corners turns counter-clockwise at every corner, once around, and each triangle of
/// its fan about the last corner has more than half of `least` as area.
fn is_convex(outline: &[DVec2], least: f64) -> bool {
    let n = outline.len();
    let at = |k: usize| outline[k % n];
    let last = at(n - 1);
    (0..n).all(|k| (at(k + 1) - at(k)).perp_dot(at(k + 2) - at(k + 1)) > 0.0)
        && (0..n - 2).all(|k| (at(k) - last).perp_dot(at(k + 1) - last) > least)
}

fn in_triangle(p: DVec2, a: DVec2, b: DVec2, c: DVec2) -> bool {
    let side = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p) >= 0.0;
    side(a, b, p) && side(b, c, p) && side(c, a, p)
}

/// Cuts a face whose corners do not lie in one plane into triangles, by the shortest diagonals first.
///
/// Only ears of the outline as seen along the face's mean normal are cut, so that triangles of a concave outline do
/// not lie across each other. The choice depends on the corner positions alone, not on where the list starts or which
/// way it turns: two blocks that share such a face get the same triangles and still fit each other.
pub(crate) fn triangulate_warped_face(corners: &[DVec3]) -> Vec<[usize; 3]> {
    let outline = seen_along_mean_normal(corners);
    let mut left: Vec<usize> = (0..corners.len()).collect();
    let mut triangles = Vec::with_capacity(corners.len().saturating_sub(2));
    while left.len() > 3 {
        let n = left.len();
        let ear = |k: usize| [left[(k + n - 1) % n], left[k], left[(k + 1) % n]];
        let key = |k: usize| {
            let [i, j, l] = ear(k);
            let (a, c) = (corners[i], corners[l]);
            let (low, high) = if a.to_array() < c.to_array() { (a, c) } else { (c, a) };
            // For a quadrilateral both ears share a diagonal; the corner cut off decides between them.
            (
                !is_ear(&outline, &left, ear(k)),
                a.distance(c),
                low.to_array(),
                high.to_array(),
                corners[j].to_array(),
            )
        };
        let keys: Vec<_> = (0..n).map(key).collect();
        let best = |&i: &usize, &j: &usize| keys[i].partial_cmp(&keys[j]).unwrap_or(std::cmp::Ordering::Equal);
        let k = (0..n).min_by(best).unwrap_or(0);
        triangles.push(ear(k));
        left.remove(k);
    }
    if let [a, b, c] = left[..] {
        triangles.push([a, b, c]);
    }
    triangles
}

/// The outline on the plane across its mean normal, turning counter-clockwise.
fn seen_along_mean_normal(corners: &[DVec3]) -> Vec<DVec2> {
    let origin = corners.first().copied().unwrap_or_default();
    let edges = corners.iter().zip(corners.iter().cycle().skip(1));
    let normal: DVec3 = edges.map(|(&a, &b)| (a - origin).cross(b - origin)).sum();
    let (u, v) = Plane::through(origin, normal.try_normalize().unwrap_or(DVec3::Z)).axes();
    corners
        .iter()
        .map(|&p| DVec2::new((p - origin).dot(u), (p - origin).dot(v)))
        .collect()
}

/// Whether a corner sticks out and no other corner that is left lies in its triangle.
fn is_ear(outline: &[DVec2], left: &[usize], ear: [usize; 3]) -> bool {
    let [a, b, c] = ear.map(|i| outline[i]);
    (b - a).perp_dot(c - a) > 0.0
        && left
            .iter()
            .all(|i| ear.contains(i) || !in_triangle(outline[*i], a, b, c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ears_of_a_comb_cover_its_area() {
        let comb = [
            (0., 0.),
            (7., 0.),
            (7., 3.),
            (6., 3.),
            (6., 1.),
            (4., 1.),
            (4., 3.),
            (3., 3.),
            (3., 1.),
            (0., 1.),
        ];
        let comb: Vec<_> = comb.map(DVec2::from).into();
        let solid = Polyhedron::from_elevation(&comb, 0.0, 1.0);
        for face in 0..2 {
            let area: f64 = triangulate_face(&solid, face)
                .iter()
                .map(|t| {
                    let [a, b, c] = t.map(|i| solid.vertices[i as usize]);
                    0.5 * (b - a).cross(c - a).dot(solid.face_plane(face).normal)
                })
                .inspect(|&area| assert!(area > 0.0))
                .sum();
            assert!((area - 11.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_concave_warped_outline_is_not_covered_twice() {
        // An arrow head: the shortest diagonal lies outside it.
        let arrow = [(0., 0., 0.), (2., 1., 0.05), (0., 2., 0.), (0.5, 1., 0.1)].map(DVec3::from);
        let area: f64 = triangulate_warped_face(&arrow)
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| arrow[i]);
                0.5 * (b - a).cross(c - a).z
            })
            .inspect(|&area| assert!(area > 0.0))
            .sum();
        assert!((area - 1.5).abs() < 1e-12);
    }

    #[test]
    fn neighbours_cut_a_warped_face_along_the_same_diagonals() {
        let face = [
            (0., 0., 0.),
            (2., 0., 0.1),
            (2.5, 1., 0.),
            (1., 2., 0.2),
            (-0.5, 1., 0.),
        ]
        .map(DVec3::from);
        let diagonals = |corners: &[DVec3]| {
            let mut set: Vec<_> = triangulate_warped_face(corners)
                .iter()
                .map(|t| {
                    let mut points = t.map(|i| corners[i].to_array());
                    points.sort_by(|a, b| a.partial_cmp(b).unwrap());
                    points
                })
                .collect();
            set.sort_by(|a, b| a.partial_cmp(b).unwrap());
            set
        };
        let expected = diagonals(&face);
        assert_eq!(expected.len(), 3);
        let mut turned = face.to_vec();
        for _ in 0..5 {
            turned.rotate_left(1);
            assert_eq!(diagonals(&turned), expected);
            let reversed: Vec<_> = turned.iter().rev().copied().collect();
            assert_eq!(diagonals(&reversed), expected);
        }
    }
}
