//! Polygons in a plane: clipping, convex pieces, joining. All polygons turn counter-clockwise.

use drystone_model::geometry::signed_area;
use glam::DVec2;

/// Distance by which corner `b` stands out of the line from `a` to `c`; negative at a corner that points inwards.
fn depth(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a) / (c - a).length().max(f64::MIN_POSITIVE)
}

/// Length of the diagonal of the box around a polygon.
pub(super) fn extent(polygon: &[DVec2]) -> f64 {
    let min = polygon.iter().fold(DVec2::INFINITY, |m, p| m.min(*p));
    let max = polygon.iter().fold(DVec2::NEG_INFINITY, |m, p| m.max(*p));
    if polygon.is_empty() { 0.0 } else { (max - min).length() }
}

/// Centroid of a convex polygon with area.
pub(super) fn centroid(polygon: &[DVec2]) -> DVec2 {
    let origin = polygon[0];
    let (mut moment, mut twice_area) = (DVec2::ZERO, 0.0);
    for edge in polygon.windows(2) {
        let (a, b) = (edge[0] - origin, edge[1] - origin);
        let cross = a.perp_dot(b);
        moment += cross * (a + b);
        twice_area += cross;
    }
    origin + moment / (3.0 * twice_area)
}

/// The common part of two convex polygons; empty where there is none.
pub(crate) fn clip(first: &[DVec2], second: &[DVec2]) -> Vec<DVec2> {
    // Each edge of the clipper costs a walk around the other.
    let (subject, clipper) = if first.len() < second.len() {
        (second, first)
    } else {
        (first, second)
    };
    let mut kept = subject.to_vec();
    for k in 0..clipper.len() {
        let (a, b) = (clipper[k], clipper[(k + 1) % clipper.len()]);
        let inside = |p: DVec2| (b - a).perp_dot(p - a);
        let before = std::mem::take(&mut kept);
        for (i, &p) in before.iter().enumerate() {
            let q = before[(i + 1) % before.len()];
            let (dp, dq) = (inside(p), inside(q));
            if dp >= 0.0 {
                kept.push(p);
            }
            if (dp > 0.0 && dq < 0.0) || (dp < 0.0 && dq > 0.0) {
                kept.push(p + (q - p) * (dp / (dp - dq)));
            }
        }
        if kept.len() < 3 {
            return Vec::new();
        }
    }
    kept
}

/// What is left of a convex polygon outside another: convex pieces.
pub(crate) fn without(subject: &[DVec2], hole: &[DVec2]) -> Vec<Vec<DVec2>> {
    let mut pieces = Vec::new();
    let mut inside = subject.to_vec();
    let far = 4.0 * (extent(subject) + extent(hole) + 1e-300);
    for k in 0..hole.len() {
        let (a, b) = (hole[k], hole[(k + 1) % hole.len()]);
        let Some(along) = (b - a).try_normalize() else { continue };
        let (reach, across) = (far * along, far * along.perp());
        let half_plane = |across: DVec2| {
            let quad = [a - reach, a + reach, a + reach + across, a - reach + across];
            if across.perp_dot(reach) > 0.0 {
                [quad[3], quad[2], quad[1], quad[0]]
            } else {
                quad
            }
        };
        let outside = clip(&inside, &half_plane(-across));
        if !outside.is_empty() {
            pieces.push(outside);
        }
        inside = clip(&inside, &half_plane(across));
        if inside.is_empty() {
            break;
        }
    }
    pieces
}

/// The polygon without the corners that lie within `tolerance` of the line between their neighbours.
///
/// Corners that stand out less than both neighbours go first, and the others are then measured anew: of a fine curve enough
/// corners remain.
pub(super) fn without_straight_corners(mut polygon: Vec<DVec2>, tolerance: f64) -> Vec<DVec2> {
    let mut off = Vec::new();
    while polygon.len() > 3 {
        let n = polygon.len();
        off.clear();
        off.extend((0..n).map(|k| depth(polygon[(k + n - 1) % n], polygon[k], polygon[(k + 1) % n]).abs()));
        // Of equals along a curve some come first, here and there.
        let is_before = |a: usize, b: usize| {
            let (a, b) = (a % n, b % n);
            off[a]
                .total_cmp(&off[b])
                .then(a.reverse_bits().cmp(&b.reverse_bits()))
                .is_lt()
        };
        let goes = |k: usize| off[k] <= tolerance && is_before(k, k + 1) && is_before(k, k + n - 1);
        let mut left = n;
        let mut k = 0;
        polygon.retain(|_| {
            let goes = left > 3 && goes(k);
            k += 1;
            left -= usize::from(goes);
            !goes
        });
        if left == n {
            break;
        }
    }
    polygon
}

/// A polygon around another that rounding has left with corners in straight sides and short edges, by no more than a few
/// times `tolerance` larger: corners that point inwards by up to `tolerance` are dropped, sides with a corner that points
/// outwards by up to that are pushed out to it, and the sides beside an edge no longer than that are drawn out until they
/// meet. What such a polygon bounds, it bounds of the other, too.
pub(super) fn simplified(mut polygon: Vec<DVec2>, tolerance: f64) -> Vec<DVec2> {
    let straight = 1e-9 * extent(&polygon);
    let is_dropped = |p: &[DVec2], k: usize| {
        let n = p.len();
        (-tolerance..=straight).contains(&depth(p[(k + n - 1) % n], p[k], p[(k + 1) % n]))
    };
    let mut k = 0;
    while polygon.len() > 3 && k < polygon.len() {
        if is_dropped(&polygon, k) {
            polygon.remove(k);
            k = 0;
        } else {
            k += 1;
        }
    }
    let mut k = 0;
    while polygon.len() > 4 && k < polygon.len() {
        match pushed_out(&polygon, k, tolerance) {
            Some([before, after]) => {
                let n = polygon.len();
                (polygon[(k + n - 1) % n], polygon[(k + 1) % n]) = (before, after);
                polygon.remove(k);
                k = 0;
            }
            None => k += 1,
        }
    }
    let mut k = 0;
    while polygon.len() > 3 && k < polygon.len() {
        match drawn_out(&polygon, k, tolerance) {
            Some(corner) => {
                let n = polygon.len();
                polygon[k] = corner;
                polygon.remove((k + 1) % n);
                k = 0;
            }
            None => k += 1,
        }
    }
    polygon
}

/// The neighbours of corner `k` once the side between them is pushed out to it, if it is nearly straight and they hardly move.
fn pushed_out(polygon: &[DVec2], k: usize, tolerance: f64) -> Option<[DVec2; 2]> {
    let n = polygon.len();
    let [p, a, b, c, q] = [k + n - 2, k + n - 1, k, k + 1, k + 2].map(|i| polygon[i % n]);
    if depth(a, b, c) > tolerance {
        return None;
    }
    let side = (c - a).try_normalize()?;
    // Where the side through the corner meets a line through a neighbour.
    let met = |at: DVec2, way: DVec2| {
        let turn = way.perp_dot(side);
        let moved = (b - at).perp_dot(side) / turn;
        (turn.abs() > 0.1 && (0.0..=4.0 * tolerance).contains(&moved)).then(|| at + moved * way)
    };
    Some([met(a, (a - p).try_normalize()?)?, met(c, (c - q).try_normalize()?)?])
}

/// Where the sides beside the edge from corner `k` meet, if the edge is short and they meet close beyond it.
fn drawn_out(polygon: &[DVec2], k: usize, tolerance: f64) -> Option<DVec2> {
    let n = polygon.len();
    let [a, b, c, d] = [k + n - 1, k, k + 1, k + 2].map(|i| polygon[i % n]);
    let (into, out) = ((b - a).try_normalize()?, (d - c).try_normalize()?);
    let turn = into.perp_dot(out);
    if b.distance(c) > tolerance || turn <= 0.1 {
        return None;
    }
    let beyond = (c - b).perp_dot(out) / turn;
    (0.0..=4.0 * tolerance).contains(&beyond).then(|| b + beyond * into)
}

/// Whether no corner points inwards by more than `tolerance`.
pub(super) fn is_convex(polygon: &[DVec2], tolerance: f64) -> bool {
    let n = polygon.len();
    (0..n).all(|k| depth(polygon[(k + n - 1) % n], polygon[k], polygon[(k + 1) % n]) >= -tolerance)
}

/// Joins triangles of a polygon across diagonals as long as the pieces stay convex (Hertel and Mehlhorn).
///
/// `triangles` and the pieces index into `outline`.
pub(super) fn convex_pieces(outline: &[DVec2], triangles: &[[u32; 3]], tolerance: f64) -> Vec<Vec<u32>> {
    let mut pieces: Vec<Vec<u32>> = triangles.iter().map(|t| t.to_vec()).collect();
    let mut k = 0;
    while k < pieces.len() {
        let joined = (k + 1..pieces.len()).find_map(|other| {
            let union = joined_at_edge(&pieces[k], &pieces[other])?;
            let points: Vec<DVec2> = union.iter().map(|&v| outline[v as usize]).collect();
            is_convex(&points, tolerance).then_some((other, union))
        });
        match joined {
            Some((other, union)) => {
                pieces[k] = union;
                pieces.remove(other);
            }
            None => k += 1,
        }
    }
    pieces
}

/// The outline around two pieces that share an edge.
fn joined_at_edge(a: &[u32], b: &[u32]) -> Option<Vec<u32>> {
    let (n, m) = (a.len(), b.len());
    for i in 0..n {
        for j in 0..m {
            if a[i] == b[(j + 1) % m] && a[(i + 1) % n] == b[j] {
                let from_a = (1..=n).map(|k| a[(i + k) % n]);
                let from_b = (2..m).map(|k| b[(j + k) % m]);
                return Some(from_a.chain(from_b).collect());
            }
        }
    }
    None
}

/// Joins convex polygons that do not overlap, two at a time, wherever the union is convex within `tolerance`.
pub(super) fn join_convex(mut pieces: Vec<Vec<DVec2>>, tolerance: f64) -> Vec<Vec<DVec2>> {
    let mut k = 0;
    while k < pieces.len() {
        let joined = (0..pieces.len()).filter(|&other| other != k).find_map(|other| {
            let union = convex_union(&pieces[k], &pieces[other], tolerance)?;
            Some((other, union))
        });
        match joined {
            Some((other, union)) => {
                let (first, second) = (k.min(other), k.max(other));
                pieces[first] = union;
                pieces.remove(second);
                k = first;
            }
            None => k += 1,
        }
    }
    pieces
}

/// The union of two convex polygons if it is convex: if their hull holds nothing but the two.
fn convex_union(a: &[DVec2], b: &[DVec2], tolerance: f64) -> Option<Vec<DVec2>> {
    let hull = hull(a.iter().chain(b).copied().collect());
    let more = signed_area(&hull) - signed_area(a) - signed_area(b);
    (more <= tolerance * extent(&hull)).then_some(hull)
}

/// Convex hull, without points on its edges (Andrew's monotone chain).
fn hull(mut points: Vec<DVec2>) -> Vec<DVec2> {
    points.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    points.dedup();
    let chain = |points: &mut dyn Iterator<Item = DVec2>| {
        let mut chain: Vec<DVec2> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..]
                && (b - a).perp_dot(p - a) <= 0.0
            {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut lower = chain(&mut points.iter().copied());
    lower.extend(chain(&mut points.iter().rev().copied()));
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rectangle(x: f64, y: f64, w: f64, h: f64) -> Vec<DVec2> {
        [(x, y), (x + w, y), (x + w, y + h), (x, y + h)].map(DVec2::from).into()
    }

    #[test]
    fn two_crossed_strips_share_a_square() {
        let common = clip(&rectangle(0., 1., 3., 1.), &rectangle(1., 0., 1., 3.));
        assert_eq!(signed_area(&common), 1.0);
        assert_eq!(centroid(&common), DVec2::splat(1.5));
        assert!(clip(&rectangle(0., 0., 1., 1.), &rectangle(2., 0., 1., 1.)).is_empty());
    }

    #[test]
    fn a_hole_in_a_square_leaves_the_rest_of_its_area() {
        let square = rectangle(0., 0., 2., 2.);
        let area = |hole: &[DVec2]| without(&square, hole).iter().map(|p| signed_area(p)).sum::<f64>();
        for (hole, left) in [
            (rectangle(0.5, 0.5, 1., 1.), 3.0),
            (rectangle(-1., -1., 9., 9.), 0.0),
            (rectangle(1., -1., 9., 9.), 2.0),
        ] {
            assert!((area(&hole) - left).abs() < 1e-12, "{hole:?}");
        }
    }

    #[test]
    fn pieces_of_a_square_join_to_the_square_and_those_of_a_cross_do_not_join_over_its_corners() {
        let quarters = vec![
            rectangle(0., 0., 1., 1.),
            rectangle(1., 1., 1., 1.),
            rectangle(1., 0., 1., 1.),
            rectangle(0., 1., 1., 1.),
        ];
        let whole = join_convex(quarters, 1e-9);
        assert_eq!(whole.len(), 1);
        assert_eq!(without_straight_corners(whole[0].clone(), 1e-9).len(), 4);
        let cross = vec![
            rectangle(0., 1., 1., 1.),
            rectangle(1., 0., 1., 3.),
            rectangle(2., 1., 1., 1.),
        ];
        assert_eq!(join_convex(cross, 1e-9).len(), 3);
    }

    #[test]
    fn what_rounding_leaves_of_two_flush_rectangles_is_bounded_by_one_rectangle() {
        let first = [(0., 0.), (2., 1e-4), (2., 1.), (1e-4, 1.)].map(DVec2::from);
        let second = [(1e-4, -1e-4), (2.0001, 0.), (1.9999, 1.0001), (0., 0.9999)].map(DVec2::from);
        let common = clip(&first, &second);
        let around = simplified(common.clone(), 4e-4);
        assert!(common.len() > 4);
        assert_eq!(around.len(), 4, "{around:?}");
        let inside = |p: &DVec2| (0..4).all(|k| (around[(k + 1) % 4] - around[k]).perp_dot(*p - around[k]) >= -1e-12);
        assert!(common.iter().all(inside));
        assert!(signed_area(&around) - signed_area(&common) < 4e-4 * 6.0);
    }

    #[test]
    fn straight_corners_go_and_the_outline_stays() {
        let mut outline = rectangle(0., 0., 1., 1.);
        outline.insert(1, DVec2::new(0.5, 1e-9));
        outline.insert(0, DVec2::new(0.0, 1e-10));
        let cleaned = without_straight_corners(outline, 1e-8);
        assert_eq!(cleaned.len(), 4);
        assert!((signed_area(&cleaned) - 1.0).abs() < 1e-8);
    }
}
