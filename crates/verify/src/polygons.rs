//! Plane polygons: convex pieces, common parts, distances. General simple polygons, either convex or not.

use glam::{DVec2, DVec3};

/// Corners of a polygon in order.
pub(crate) type Outline = Vec<DVec2>;

/// An ear, twice its area over the squares of its sides, that is worth cutting at once; of equal sides it is 0.29.
const FAT: f64 = 0.15;

/// Area; above zero if the corners turn counter-clockwise (m²).
pub(crate) fn area(outline: &[DVec2]) -> f64 {
    let Some(&first) = outline.first() else { return 0.0 };
    let fan = outline.windows(2).map(|e| (e[0] - first).perp_dot(e[1] - first));
    0.5 * fan.sum::<f64>()
}

/// Largest distance of a corner from the first, twice: no less than the diameter (m).
pub(crate) fn reach(outline: &[DVec2]) -> f64 {
    let Some(&first) = outline.first() else { return 0.0 };
    2.0 * outline.iter().map(|p| p.distance(first)).fold(0.0, f64::max)
}

fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - b)
}

/// Convex polygons that fill a counter-clockwise simple polygon: itself, or triangles.
pub(crate) fn convex_pieces(outline: &[DVec2]) -> Vec<Outline> {
    let n = outline.len();
    if n < 3 {
        return Vec::new();
    }
    // Turns of nearly straight corners are rounding, not dents.
    let slack = 1e-12 * reach(outline).powi(2);
    if (0..n).all(|k| turn(outline[k], outline[(k + 1) % n], outline[(k + 2) % n]) >= -slack) {
        return vec![outline.to_vec()];
    }
    let mut left = outline.to_vec();
    let mut pieces = Vec::with_capacity(n);
    let mut at = 0;
    while left.len() > 3 {
        let m = left.len();
        let corner = |k: usize| [left[(k + m - 1) % m], left[k % m], left[(k + 1) % m]];
        // Corners of dents alone can be in an ear.
        let dents: Vec<DVec2> = (0..m)
            .map(corner)
            .filter(|[a, b, c]| turn(*a, *b, *c) <= 0.0)
            .map(|[_, b, _]| b)
            .collect();
        let is_ear = |[a, b, c]: [DVec2; 3]| {
            let is_inside = |p: DVec2| turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
            turn(a, b, c) > 0.0 && !dents.iter().any(|&p| p != a && p != b && p != c && is_inside(p))
        };
        let fat = |[a, b, c]: [DVec2; 3]| {
            turn(a, b, c) / (a.distance_squared(b) + b.distance_squared(c) + c.distance_squared(a))
        };
        // The next ear that is fat, or else the fattest. What is left of a degenerate outline has no area and may be cut
        // anywhere.
        let around = || (at..at + m).filter(|&k| is_ear(corner(k)));
        let ear = around()
            .find(|&k| fat(corner(k)) > FAT)
            .or_else(|| around().max_by(|&i, &j| fat(corner(i)).total_cmp(&fat(corner(j)))))
            .unwrap_or(at);
        pieces.push(corner(ear).to_vec());
        left.remove(ear % m);
        at = (ear + 1) % m;
    }
    pieces.push(left);
    pieces
}

/// The common part of two convex polygons, both counter-clockwise.
pub(crate) fn common_part(first: &[DVec2], second: &[DVec2]) -> Outline {
    let mut part = first.to_vec();
    for (k, &a) in second.iter().enumerate() {
        let along = second[(k + 1) % second.len()] - a;
        let side = |p: DVec2| along.perp_dot(p - a);
        let mut kept = Vec::with_capacity(part.len() + 1);
        for (i, &p) in part.iter().enumerate() {
            let q = part[(i + 1) % part.len()];
            let (s, t) = (side(p), side(q));
            if s >= 0.0 {
                kept.push(p);
            }
            if (s > 0.0 && t < 0.0) || (s < 0.0 && t > 0.0) {
                kept.push(p + (q - p) * (s / (s - t)));
            }
        }
        part = kept;
    }
    part
}

/// What is left of a convex polygon outside another: convex pieces, one beside each side of the hole that cuts it.
pub(crate) fn left_outside(first: &[DVec2], hole: &[DVec2]) -> Vec<Outline> {
    let (mut pieces, mut inside) = (Vec::new(), first.to_vec());
    let wide = 4.0 * (reach(first) + reach(hole));
    for (k, &a) in hole.iter().enumerate() {
        let Some(along) = (hole[(k + 1) % hole.len()] - a).try_normalize() else {
            continue;
        };
        let (ahead, left) = (wide * along, wide * along.perp());
        let half = |left: DVec2| [a - ahead, a + ahead, a + ahead + left, a - ahead + left];
        let [p, q, r, s] = half(-left);
        pieces.push(common_part(&inside, &[s, r, q, p]));
        inside = common_part(&inside, &half(left));
    }
    pieces.retain(|piece| piece.len() > 2);
    pieces
}

/// Distance of a point from a simple polygon with its inside; from the line or the point, if it has two corners or one.
pub(crate) fn distance(outline: &[DVec2], p: DVec2) -> f64 {
    nearest(outline, p).map_or(f64::INFINITY, |q| q.distance(p))
}

/// The point of a simple polygon, with its inside, that is nearest to a point.
pub(crate) fn nearest(outline: &[DVec2], p: DVec2) -> Option<DVec2> {
    let n = outline.len();
    let mut inside = false;
    let mut nearest: Option<(f64, DVec2)> = None;
    for (k, &a) in outline.iter().enumerate() {
        let b = outline[(k + 1) % n];
        let on_side = nearest_on_segment(p, a, b);
        let off = on_side.distance(p);
        if nearest.is_none_or(|(least, _)| off < least) {
            nearest = Some((off, on_side));
        }
        if (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x) {
            inside = !inside;
        }
    }
    if inside { Some(p) } else { nearest.map(|(_, q)| q) }
}

/// Distance of a point from a segment.
pub(crate) fn segment_distance(p: DVec2, a: DVec2, b: DVec2) -> f64 {
    p.distance(nearest_on_segment(p, a, b))
}

fn nearest_on_segment(p: DVec2, a: DVec2, b: DVec2) -> DVec2 {
    let along = b - a;
    let length2 = along.length_squared();
    let t = if length2 > 0.0 {
        (p - a).dot(along) / length2
    } else {
        0.0
    };
    // The ends themselves, to the last digit.
    if t >= 1.0 { b } else { a + along * t.max(0.0) }
}

/// Where two segments that are not parallel come closest, on each; `None` if they are within about a degree of parallel.
pub(crate) fn closest_points([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> Option<[DVec3; 2]> {
    let (e, f, r) = (b - a, d - c, a - c);
    let (ee, ff, ef) = (e.dot(e), f.dot(f), e.dot(f));
    let across = ee * ff - ef * ef;
    if across <= (crate::local::PARALLEL * crate::local::PARALLEL) * ee * ff {
        return None;
    }
    let (er, fr) = (e.dot(r), f.dot(r));
    // Unclamped feet on the two lines; one beyond an end is put there and its partner looked for again.
    let s = ((ef * fr - er * ff) / across).clamp(0.0, 1.0);
    let t = ((ef * s + fr) / ff).clamp(0.0, 1.0);
    let s = ((ef * t - er) / ee).clamp(0.0, 1.0);
    Some([a + e * s, c + f * t])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(points: &[(f64, f64)]) -> Outline {
        points.iter().copied().map(DVec2::from).collect()
    }

    #[test]
    fn pieces_fill_a_polygon_with_dents() {
        let comb = outline(&[
            (0., 0.),
            (5., 0.),
            (5., 3.),
            (4., 3.),
            (4., 1.),
            (3., 1.),
            (3., 3.),
            (2., 3.),
            (2., 1.),
            (1., 1.),
            (1., 3.),
            (0., 3.),
        ]);
        let pieces = convex_pieces(&comb);
        assert!((pieces.iter().map(|p| area(p)).sum::<f64>() - area(&comb)).abs() < 1e-12);
        assert!(pieces.iter().all(|p| area(p) > 0.0));
        let square = outline(&[(0., 0.), (1., 0.), (1., 1.), (0.5, 1.), (0., 1.)]);
        assert_eq!(convex_pieces(&square), [square]);
    }

    #[test]
    fn the_common_part_of_squares_that_share_a_side_has_no_area() {
        let square = |x: f64| outline(&[(x, 0.), (x + 1., 0.), (x + 1., 1.), (x, 1.)]);
        assert!((area(&common_part(&square(0.0), &square(0.25))) - 0.75).abs() < 1e-15);
        assert_eq!(area(&common_part(&square(0.0), &square(1.0))), 0.0);
        assert!(common_part(&square(0.0), &square(3.0)).is_empty());
    }

    #[test]
    fn distances_are_zero_inside_and_to_the_outline_beyond() {
        let l = outline(&[(0., 0.), (3., 0.), (3., 1.), (1., 1.), (1., 2.), (0., 2.)]);
        assert_eq!(distance(&l, DVec2::new(0.5, 1.5)), 0.0);
        assert!((distance(&l, DVec2::new(2.0, 1.5)) - 0.5).abs() < 1e-15);
        assert!((distance(&l[..2], DVec2::new(4.0, 0.0)) - 1.0).abs() < 1e-15);
        assert_eq!(distance(&[], DVec2::ZERO), f64::INFINITY);
    }

    #[test]
    fn crossing_segments_meet_and_parallel_ones_have_no_closest_points() {
        let x = [DVec3::ZERO, DVec3::X];
        let y = [DVec3::new(0.5, -1.0, 0.1), DVec3::new(0.5, 1.0, 0.1)];
        let [p, q] = closest_points(x, y).unwrap();
        assert!(p.distance(DVec3::new(0.5, 0.0, 0.0)) < 1e-15 && q.distance(p + 0.1 * DVec3::Z) < 1e-15);
        assert_eq!(closest_points(x, x.map(|p| p + DVec3::Y)), None);
    }
}
