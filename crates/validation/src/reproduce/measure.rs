//! What cases measure histories by: peaks, fits, orders of convergence.

/// Times and heights of the peaks of a curve that stand out by at least `prominence` from the valleys on either side. What
/// rises until the end is no peak.
pub(super) fn peaks(curve: &[[f64; 2]], prominence: f64) -> Vec<[f64; 2]> {
    let mut found = Vec::new();
    let Some(&first) = curve.first() else {
        return found;
    };
    // From a valley up to a top, and from there down again far enough for it to count.
    let (mut valley, mut top, mut rising) = (first[1], first, false);
    for &[t, y] in curve {
        if rising {
            if y > top[1] {
                top = [t, y];
            } else if y < top[1] - prominence {
                found.push(top);
                (valley, rising) = (y, false);
            }
        } else if y < valley {
            valley = y;
        } else if y > valley + prominence {
            (top, rising) = ([t, y], true);
        }
    }
    found
}

/// The time of the peak nearest to a time, or not a number where there is none.
pub(super) fn nearest(peaks: &[[f64; 2]], time: f64) -> f64 {
    let times = peaks.iter().map(|p| p[0]);
    times
        .min_by(|a, b| (a - time).abs().total_cmp(&(b - time).abs()))
        .unwrap_or(f64::NAN)
}

/// Times in words.
pub(super) fn times(peaks: &[[f64; 2]]) -> String {
    let words: Vec<String> = peaks.iter().map(|p| format!("{:.2}", p[0])).collect();
    words.join(", ")
}

/// The value and the slope at `x` of the parabola that fits points best, by least squares.
pub(super) fn extrapolate(points: &[[f64; 2]], x: f64) -> [f64; 2] {
    // About `x` and scaled, so that the value sought is the first coefficient and the equations are well conditioned.
    let scale = points
        .iter()
        .map(|p| (p[0] - x).abs())
        .fold(f64::MIN_POSITIVE, f64::max);
    let mut m = [[0.0; 4]; 3];
    for [t, y] in points {
        let s = (t - x) / scale;
        let powers = [1.0, s, s * s];
        for r in 0..3 {
            for c in 0..3 {
                m[r][c] += powers[r] * powers[c];
            }
            m[r][3] += powers[r] * y;
        }
    }
    // The matrix is positive definite: elimination needs no exchange of rows.
    for k in 0..3 {
        let pivot = m[k];
        for row in &mut m[k + 1..] {
            let factor = row[k] / pivot[k];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
        }
    }
    let c2 = m[2][3] / m[2][2];
    let c1 = (m[1][3] - m[1][2] * c2) / m[1][1];
    [(m[0][3] - m[0][1] * c1 - m[0][2] * c2) / m[0][0], c1 / scale]
}

/// The power of the step with which an error shrinks from one step to a shorter one.
pub(super) fn order([dt, error]: [f64; 2], [finer_dt, finer_error]: [f64; 2]) -> f64 {
    (error / finer_error).ln() / (dt / finer_dt).ln()
}

/// A curve at a time, between its points by straight lines. Beyond its ends it has the values there.
pub(super) fn at(curve: &[[f64; 2]], time: f64) -> f64 {
    let after = curve.partition_point(|p| p[0] < time);
    match (after.checked_sub(1).and_then(|k| curve.get(k)), curve.get(after)) {
        (Some([t0, y0]), Some([t1, y1])) if t1 > t0 => y0 + (y1 - y0) * (time - t0) / (t1 - t0),
        (_, Some([_, y])) | (Some([_, y]), None) => *y,
        (None, None) => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(f: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
        (0..=1000).map(|k| 0.01 * f64::from(k)).map(|t| [t, f(t)]).collect()
    }

    #[test]
    fn peaks_are_those_that_stand_out() {
        let wave = curve(|t| t.sin() + 0.001 * (100.0 * t).sin());
        let found = peaks(&wave, 0.1);
        assert_eq!(found.len(), 2);
        assert!((nearest(&found, 8.0) - 7.854).abs() < 0.05);
        assert!(peaks(&curve(|t| t), 0.1).is_empty());
    }

    #[test]
    fn a_parabola_is_continued_exactly_and_a_line_between_points() {
        let points = curve(|t| 3.0 - 2.0 * t + 0.5 * t * t);
        let [value, slope] = extrapolate(&points[100..120], 1.3);
        assert!(
            (value - 1.245).abs() < 1e-9 && (slope + 0.7).abs() < 1e-9,
            "{value}, {slope}"
        );
        assert!((at(&points, 2.005) - 0.5 * (points[200][1] + points[201][1])).abs() < 1e-12);
        assert_eq!(at(&points, -1.0), points[0][1]);
    }

    #[test]
    fn an_error_that_halves_with_the_step_is_of_first_order() {
        assert!((order([0.1, 4.0], [0.05, 2.0]) - 1.0).abs() < 1e-12);
    }
}
