//! What the nodes of quadratic triangles bear of an even pressure: nothing at corners, a third of the area in the middle of each
//! side, where the whole triangle is pressed.

use glam::DVec2;

/// Memory that is used again from one triangle to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clip {
    polygon: Vec<DVec2>,
    spare: Vec<DVec2>,
}

impl Clip {
    /// Integrals of the six shape functions of a triangle, its corners before the middles of its sides, over what of it lies in a
    /// convex polygon.
    pub(crate) fn shares(&mut self, polygon: &[DVec2], [a, b, c]: [DVec2; 3]) -> [f64; 6] {
        let twice = (b - a).perp_dot(c - a);
        let mut shares = [0.0; 6];
        self.polygon.clear();
        self.polygon.extend_from_slice(polygon);
        for (from, to) in [(a, b), (b, c), (c, a)] {
            self.keep(|p| twice.signum() * (to - from).perp_dot(p - from));
        }
        let Some(&first) = self.polygon.first() else {
            return shares;
        };
        for pair in self.polygon[1..].windows(2) {
            let area = 0.5 * (pair[0] - first).perp_dot(pair[1] - first);
            // Exact for functions of second order.
            for at in [
                first.midpoint(pair[0]),
                pair[0].midpoint(pair[1]),
                pair[1].midpoint(first),
            ] {
                let (s, t) = ((at - a).perp_dot(c - a) / twice, (b - a).perp_dot(at - a) / twice);
                let [p, q, r] = [1.0 - s - t, s, t];
                let values = [
                    p * (2.0 * p - 1.0),
                    q * (2.0 * q - 1.0),
                    r * (2.0 * r - 1.0),
                    4.0 * p * q,
                    4.0 * q * r,
                    4.0 * r * p,
                ];
                shares
                    .iter_mut()
                    .zip(values)
                    .for_each(|(sum, value)| *sum += area / 3.0 * value);
            }
        }
        shares
    }

    /// Cuts off what has a negative side.
    fn keep(&mut self, side: impl Fn(DVec2) -> f64) {
        self.spare.clear();
        for (k, &here) in self.polygon.iter().enumerate() {
            let next = self.polygon[(k + 1) % self.polygon.len()];
            let (d, e) = (side(here), side(next));
            if d >= 0.0 {
                self.spare.push(here);
            }
            if d * e < 0.0 {
                self.spare.push(here.lerp(next, d / (d - e)));
            }
        }
        std::mem::swap(&mut self.polygon, &mut self.spare);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(found: [f64; 6], expected: [f64; 6]) {
        let apart = found
            .iter()
            .zip(expected)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        assert!(apart < 1e-14, "{found:?} {expected:?}");
    }

    #[test]
    fn corners_bear_nothing_of_an_even_pressure() {
        let triangle = [(0.0, 0.0), (2.0, 0.0), (0.5, 1.5)].map(DVec2::from);
        let around = [(-1.0, -1.0), (4.0, -1.0), (4.0, 3.0), (-1.0, 3.0)].map(DVec2::from);
        let third = 1.5 / 3.0;
        let expected = [0.0, 0.0, 0.0, third, third, third];
        let [a, b, c] = triangle;
        for corners in [[a, b, c], [a, c, b]] {
            assert_close(Clip::default().shares(&around, corners), expected);
        }
        let apart = around.map(|p| p + DVec2::new(9.0, 0.0));
        assert_close(Clip::default().shares(&apart, triangle), [0.0; 6]);
    }

    /// The triangle x, y >= 0, x + y <= 1, cut at x = 1/2. Integrals by hand, of polynomials over 0 <= x <= 1/2, 0 <= y <= 1 - x.
    #[test]
    fn what_is_not_pressed_bears_nothing() {
        let triangle = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)].map(DVec2::from);
        let half = [(-1.0, -1.0), (0.5, -1.0), (0.5, 2.0), (-1.0, 2.0)].map(DVec2::from);
        let found = Clip::default().shares(&half, triangle);
        assert!((found.iter().sum::<f64>() - 0.375).abs() < 1e-14);
        // q = x: integral of x (2 x - 1) (1 - x) = [-x²/2 + x³ - x⁴/2] at 1/2 = -1/32.
        assert!((found[1] + 1.0 / 32.0).abs() < 1e-14, "{found:?}");
        // 4 p q: integral of 4 x (1 - x - y) = 2 x (1 - x)², [x² - 4 x³/3 + x⁴/2] at 1/2 = 11/96.
        assert!((found[3] - 11.0 / 96.0).abs() < 1e-14, "{found:?}");
    }
}
