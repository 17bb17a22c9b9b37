//! Failure domains under impulses (paper 003, section 4.5.2).
//!
//! A point is an impulse that made the structure collapse: half period t and amplitude a. Points of both directions go
//! together. Their failure domain is the convex hull; its lower left boundary separates what stands from what collapses.
//! Convexity covers safe pockets: impulses that stood in the midst of ones that did not.
//!
//! Points that are not finite are disregarded. Three points count as collinear where rounding of their coordinates could
//! make them so.

/// The corners of the convex hull, counterclockwise from the point of least t (of those, of least a); no corner lies on a
/// line with its neighbours. One point, or the two ends of a segment, where there is no area.
#[must_use]
pub fn hull(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut sorted: Vec<[f64; 2]> = points
        .iter()
        .copied()
        .filter(|point| point.iter().all(|c| c.is_finite()))
        .collect();
    sorted.sort_by(|p, q| p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])));
    // By value: 0 and -0 are one coordinate.
    sorted.dedup_by(|p, q| p == q);
    if sorted.len() < 3 {
        return sorted;
    }
    let mut corners = chain(sorted.iter());
    let mut upper = chain(sorted.iter().rev());
    corners.pop();
    upper.pop();
    corners.append(&mut upper);
    corners
}

/// The lower left boundary of the hull: from the point of least t (of those, of least a) along convex, descending edges to
/// the point of least a (of those, of least t). The domain goes on straight up from its beginning and to the right from its
/// end.
#[must_use]
pub fn boundary(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut corners = hull(points);
    let descends = corners
        .windows(2)
        .take_while(|edge| edge[1][0] > edge[0][0] && edge[1][1] < edge[0][1])
        .count();
    corners.truncate(descends + 1);
    corners
}

/// The boundary as it is drawn: with the edges of the hull straight up from its beginning and to the right from its end.
#[must_use]
pub fn edge(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut line = boundary(points);
    let (Some(&[t, _]), Some(&[_, a])) = (line.first(), line.last()) else {
        return line;
    };
    let of = |k: usize, value: f64| points.iter().filter(move |p| p[k] == value).map(move |p| p[1 - k]);
    line.insert(0, [t, of(0, t).fold(f64::NEG_INFINITY, f64::max)]);
    line.push([of(1, a).fold(f64::NEG_INFINITY, f64::max), a]);
    line.dedup();
    line
}

/// The amplitude of a boundary at half period `t`: nothing before its beginning, that of its end after it.
#[must_use]
pub fn amplitude(boundary: &[[f64; 2]], t: f64) -> Option<f64> {
    let [first, .., last] = boundary else {
        return boundary.first().filter(|p| t >= p[0]).map(|p| p[1]);
    };
    if t.is_nan() || t < first[0] {
        return None;
    }
    let edge = boundary.windows(2).find(|edge| t <= edge[1][0]);
    Some(edge.map_or(last[1], |edge| {
        let ([t0, a0], [t1, a1]) = (edge[0], edge[1]);
        let weight = (t - t0) / (t1 - t0);
        a0 * (1.0 - weight) + a1 * weight
    }))
}

/// Positions in `stood` of the points that lie in the hull of `collapsed` or on its edge: safe pockets that the failure
/// domain covers.
#[must_use]
pub fn safe_pockets(stood: &[[f64; 2]], collapsed: &[[f64; 2]]) -> Vec<usize> {
    let corners = hull(collapsed);
    (0..stood.len())
        .filter(|&index| contains(&corners, stood[index]))
        .collect()
}

/// Whether a point lies in a hull or on its edge.
fn contains(corners: &[[f64; 2]], point: [f64; 2]) -> bool {
    match *corners {
        [] => false,
        [corner] => corner == point,
        [p, q] => {
            let within = |k: usize| p[k].min(q[k]) <= point[k] && point[k] <= p[k].max(q[k]);
            turn(p, q, point) == Turn::Straight && within(0) && within(1)
        }
        [.., last] => {
            let before = std::iter::once(&last).chain(corners);
            // NaN turns nowhere.
            before
                .zip(corners)
                .all(|(&p, &q)| matches!(turn(p, q, point), Turn::Left | Turn::Straight))
        }
    }
}

/// One side of the hull of points in ascending (lower side) or descending (upper side) order.
fn chain<'a>(points: impl Iterator<Item = &'a [f64; 2]>) -> Vec<[f64; 2]> {
    let mut corners: Vec<[f64; 2]> = Vec::new();
    for &point in points {
        while let [.., p, q] = corners[..]
            && turn(p, q, point) != Turn::Left
        {
            corners.pop();
        }
        corners.push(point);
    }
    corners
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Left,
    Straight,
    Right,
    Undefined,
}

/// Which way the path from `p` over `q` to `r` turns.
fn turn(p: [f64; 2], q: [f64; 2], r: [f64; 2]) -> Turn {
    let left = (q[0] - p[0]) * (r[1] - p[1]);
    let right = (q[1] - p[1]) * (r[0] - p[0]);
    let difference = left - right;
    // Coordinates carry a relative error of 1e-16 each, amplified by their size over their difference.
    let size = |k: usize| p[k].abs().max(q[k].abs()).max(r[k].abs());
    let spread = |k: usize| (q[k] - p[k]).abs().max((r[k] - p[k]).abs());
    let rounding = 4.0 * f64::EPSILON * (size(0) * spread(1) + size(1) * spread(0));
    if difference.is_nan() {
        Turn::Undefined
    } else if difference.abs() <= rounding {
        Turn::Straight
    } else if difference > 0.0 {
        Turn::Left
    } else {
        Turn::Right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drawn_boundary_goes_up_from_its_beginning_and_right_from_its_end() {
        let points = [[0.2, 1.5], [0.2, 1.2], [0.4, 0.6], [0.4, 1.5], [1.0, 0.6], [1.0, 1.5]];
        assert_eq!(edge(&points), [[0.2, 1.5], [0.2, 1.2], [0.4, 0.6], [1.0, 0.6]]);
        assert_eq!(edge(&[[0.3, 0.7]]), [[0.3, 0.7]]);
        assert!(edge(&[]).is_empty());
    }
}
