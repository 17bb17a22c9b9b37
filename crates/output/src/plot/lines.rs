//! Lines made ready for paper: thinned where points crowd, cut at the frame.

use glam::DVec2;

/// Fewer points where many share a column of pixels: the first, the lowest, the highest and the last of each.
pub(super) fn thin(points: &[DVec2]) -> Vec<DVec2> {
    const PIECES: f64 = 4.0;
    let is_forward = points.windows(2).all(|p| p[0].x <= p[1].x);
    if points.len() < 4000 || !is_forward {
        return points.to_vec();
    }
    let mut kept: Vec<DVec2> = Vec::new();
    for column in points.chunk_by(|a, b| (a.x * PIECES).floor() == (b.x * PIECES).floor()) {
        let by_height = |a: &&DVec2, b: &&DVec2| a.y.total_cmp(&b.y);
        let mut chosen = [
            column.first(),
            column.iter().min_by(by_height),
            column.iter().max_by(by_height),
            column.last(),
        ]
        .map(|p| p.copied().unwrap_or(DVec2::NAN));
        chosen[1..3].sort_by(|a, b| a.x.total_cmp(&b.x));
        kept.extend(chosen);
        kept.dedup();
    }
    kept
}

/// The parts of a line within a rectangle; points that are not finite interrupt it.
pub(super) fn clip(points: &[DVec2], min: DVec2, max: DVec2) -> Vec<Vec<DVec2>> {
    let mut parts: Vec<Vec<DVec2>> = Vec::new();
    let mut part: Vec<DVec2> = Vec::new();
    for ends in points.windows(2) {
        match clip_segment(ends[0], ends[1], min, max) {
            Some((a, b)) => {
                if part.last() != Some(&a) {
                    parts.push(std::mem::replace(&mut part, vec![a]));
                }
                part.push(b);
            }
            None => parts.push(std::mem::take(&mut part)),
        }
    }
    parts.push(part);
    parts.retain(|p| p.len() > 1);
    parts
}

/// The piece of a segment within a rectangle (Liang and Barsky).
fn clip_segment(a: DVec2, b: DVec2, min: DVec2, max: DVec2) -> Option<(DVec2, DVec2)> {
    if !(a.is_finite() && b.is_finite()) {
        return None;
    }
    let along = b - a;
    let (mut from, mut to) = (0.0f64, 1.0f64);
    for (speed, room) in [
        (-along.x, a.x - min.x),
        (along.x, max.x - a.x),
        (-along.y, a.y - min.y),
        (along.y, max.y - a.y),
    ] {
        if speed == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if speed < 0.0 {
            from = from.max(room / speed);
        } else {
            to = to.min(room / speed);
        }
    }
    let at = |t: f64| {
        if t == 0.0 {
            a
        } else if t == 1.0 {
            b
        } else {
            a + along * t
        }
    };
    (from <= to).then(|| (at(from), at(to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_at_the_frame_and_at_what_is_not_a_number() {
        let (min, max) = (DVec2::ZERO, DVec2::splat(10.0));
        let p = |x: f64, y: f64| DVec2::new(x, y);
        let parts = clip(&[p(1.0, 5.0), p(5.0, 5.0), p(15.0, 5.0), p(5.0, 6.0)], min, max);
        assert_eq!(parts[0], [p(1.0, 5.0), p(5.0, 5.0), p(10.0, 5.0)]);
        assert_eq!(parts[1], [p(10.0, 5.5), p(5.0, 6.0)]);
        let parts = clip(
            &[p(1.0, 1.0), p(2.0, 2.0), DVec2::NAN, p(3.0, 3.0), p(4.0, 4.0)],
            min,
            max,
        );
        assert_eq!(parts.len(), 2);
    }

    #[test]
    fn thinning_keeps_the_peaks() {
        let mut points: Vec<DVec2> = (0..100_000).map(|k| DVec2::new(k as f64 * 5e-3, 1.0)).collect();
        points[54_321].y = 100.0;
        points[70_000].y = -100.0;
        let thinned = thin(&points);
        assert!(thinned.len() < 10_000, "{}", thinned.len());
        for peak in [54_321, 70_000] {
            assert!(thinned.contains(&points[peak]));
        }
        assert!(thinned.windows(2).all(|p| p[0].x <= p[1].x));
    }
}
