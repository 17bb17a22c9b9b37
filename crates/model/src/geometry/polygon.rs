//! Plane polygons: area, point tests, crossings. Private helpers of the geometry module, apart from the area.

use glam::DVec2;

use super::{Bounds, near_pairs};

/// Area of a simple polygon, positive if it turns counter-clockwise (m²).
pub fn signed_area(outline: &[DVec2]) -> f64 {
    let Some(&origin) = outline.first() else { return 0.0 };
    0.5 * outline
        .windows(2)
        .map(|e| (e[0] - origin).perp_dot(e[1] - origin))
        .sum::<f64>()
}

/// Where a point lies with respect to a simple polygon, with a band of width `tolerance` around the outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Inside,
    Outline,
    Outside,
}

/// Distance from `p` to the segment `a b`.
pub(crate) fn segment_distance(p: DVec2, a: DVec2, b: DVec2) -> f64 {
    let ab = b - a;
    let length2 = ab.length_squared();
    let t = if length2 > 0.0 {
        ((p - a).dot(ab) / length2).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (p - (a + t * ab)).length()
}

pub(crate) fn side_of(outline: &[DVec2], p: DVec2, tolerance: f64) -> Side {
    let n = outline.len();
    let mut inside = false;
    for i in 0..n {
        let (a, b) = (outline[i], outline[(i + 1) % n]);
        if segment_distance(p, a, b) <= tolerance {
            return Side::Outline;
        }
        if (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x) {
            inside = !inside;
        }
    }
    if inside { Side::Inside } else { Side::Outside }
}

/// Whether two open segments cross at a point interior to both.
pub(crate) fn cross_properly(a: DVec2, b: DVec2, c: DVec2, d: DVec2, tolerance: f64) -> bool {
    let side = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p) / (q - p).length().max(f64::MIN_POSITIVE);
    let (s1, s2) = (side(a, b, c), side(a, b, d));
    let (s3, s4) = (side(c, d, a), side(c, d, b));
    let apart = |x: f64, y: f64| (x > tolerance && y < -tolerance) || (x < -tolerance && y > tolerance);
    apart(s1, s2) && apart(s3, s4)
}

/// How an outline meets itself. Corners are numbered from 0; edge `k` runs from corner `k` to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    /// Two corners are at the same place.
    Corners(usize, usize),
    /// Two edges cross.
    Edges(usize, usize),
    /// A corner lies on an edge that it does not end.
    CornerOnEdge(usize, usize),
}

/// Below this distance (m) corners and edges of an outline meet: for a solid of that size, with coordinates up to
/// `reach` (m) that are themselves rounded.
pub(crate) fn outline_tolerance(size: f64, reach: f64) -> f64 {
    (1e-12 * size).max(4.0 * f64::EPSILON * reach)
}

/// The first place where an outline meets itself within `tolerance` (m), or `None` for a simple polygon.
pub(crate) fn touches_itself(outline: &[DVec2], tolerance: f64) -> Option<Touch> {
    let n = outline.len();
    let edge = |k: usize| (outline[k], outline[(k + 1) % n]);
    let pairs = near_edges(outline, tolerance);
    let pairs = || pairs.iter().copied();
    let same = |&(i, j): &(usize, usize)| outline[i].distance(outline[j]) <= tolerance;
    let cross = |&(i, j): &(usize, usize)| {
        let ((a, b), (c, d)) = (edge(i), edge(j));
        cross_properly(a, b, c, d, tolerance)
    };
    let on_edge = |&(corner, k): &(usize, usize)| {
        (k + 1) % n != corner && segment_distance(outline[corner], edge(k).0, edge(k).1) <= tolerance
    };
    let corners = pairs().find(same).map(|(i, j)| Touch::Corners(i, j));
    let edges = || pairs().find(cross).map(|(i, j)| Touch::Edges(i, j));
    let corner_on_edge = || {
        let both = pairs().flat_map(|(i, j)| [(i, j), (j, i)]);
        both.filter(on_edge).min().map(|(c, k)| Touch::CornerOnEdge(c, k))
    };
    corners.or_else(edges).or_else(corner_on_edge)
}

/// Pairs of edges of an outline that can meet within `tolerance`, in increasing order.
fn near_edges(outline: &[DVec2], tolerance: f64) -> Vec<(usize, usize)> {
    // For a few corners all pairs cost less than finding out which are near.
    const FEW: usize = 24;
    let n = outline.len();
    if n <= FEW {
        return (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
    }
    let flat = |k: usize| outline[k % n].extend(0.0);
    let boxes: Vec<Bounds> = (0..n).map(|k| Bounds::around([flat(k), flat(k + 1)])).collect();
    near_pairs(&boxes, tolerance)
}

/// The corners of the convex hull, counter-clockwise, as indices; corners closer than `tolerance` to the line through
/// their neighbours are left out.
pub(crate) fn convex_hull_2d(points: &[DVec2], tolerance: f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&i, &j| {
        let (a, b) = (points[i], points[j]);
        a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(i.cmp(&j))
    });
    let chain = |order: &mut dyn Iterator<Item = usize>| {
        let mut hull: Vec<usize> = Vec::new();
        for k in order {
            while hull.len() >= 2 {
                let (a, b) = (points[hull[hull.len() - 2]], points[hull[hull.len() - 1]]);
                let ac = points[k] - a;
                // Height of b outside the line from a to the new point; not outside means not a corner.
                if (b - a).perp_dot(ac) > tolerance * ac.length() {
                    break;
                }
                hull.pop();
            }
            hull.push(k);
        }
        hull.pop();
        hull
    };
    let mut hull = chain(&mut order.iter().copied());
    hull.extend(chain(&mut order.iter().rev().copied()));
    hull
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_inside_on_or_outside_a_concave_outline() {
        let l: Vec<_> = [(0., 0.), (3., 0.), (3., 1.), (1., 1.), (1., 2.), (0., 2.)]
            .map(DVec2::from)
            .into();
        assert_eq!(side_of(&l, DVec2::new(0.5, 1.5), 1e-9), Side::Inside);
        assert_eq!(side_of(&l, DVec2::new(2.0, 1.5), 1e-9), Side::Outside);
        assert_eq!(side_of(&l, DVec2::new(2.0, 1.0), 1e-9), Side::Outline);
        assert_eq!(signed_area(&l), 4.0);
    }

    #[test]
    fn an_outline_that_meets_itself_says_where() {
        let touch = |points: &[(f64, f64)]| {
            let points: Vec<_> = points.iter().copied().map(DVec2::from).collect();
            touches_itself(&points, 1e-12)
        };
        let spike = [(0., 0.), (1., 0.), (1., 1.), (2., 1.), (1., 1.), (0., 1.)];
        assert_eq!(touch(&spike), Some(Touch::Corners(2, 4)));
        let notch_to_the_base = [(0., 0.), (2., 0.), (2., 2.), (1., 0.), (0., 2.)];
        assert_eq!(touch(&notch_to_the_base), Some(Touch::CornerOnEdge(3, 0)));
        let there_and_back = [(0., 0.), (2., 0.), (1., 0.), (1., 1.), (0., 1.)];
        assert_eq!(touch(&there_and_back), Some(Touch::CornerOnEdge(2, 0)));
        let bow_tie = [(0., 0.), (1., 1.), (1., 0.), (0., 1.5)];
        assert_eq!(touch(&bow_tie), Some(Touch::Edges(0, 2)));
        // A corner in the middle of a straight side is none of these.
        let straight = [(0., 0.), (1., 0.), (2., 0.), (2., 1.), (0., 1.)];
        assert_eq!(touch(&straight), None);
    }

    #[test]
    fn the_hull_leaves_out_interior_and_collinear_points() {
        let p = [(0., 0.), (2., 0.), (1., 0.), (2., 2.), (1., 1.), (0., 2.), (0., 1.)].map(DVec2::from);
        assert_eq!(convex_hull_2d(&p, 1e-12), [0, 1, 3, 5]);
    }
}
