//! The overlap of two convex polygons, with what each corner comes from.

use glam::DVec2;

/// What a corner of an overlap is: a corner of either polygon, or a crossing of two edges. Edges are named by the
/// position of the corner where they begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    First(u32),
    Second(u32),
    Crossing(u32, u32),
}

/// An edge of one of the polygons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    First(u32),
    Second(u32),
}

/// A corner of an overlap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pub(crate) at: DVec2,
    pub(crate) origin: Origin,
    /// The edge that leaves here.
    side: Side,
}

/// Memory that is used again from one overlap to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlap {
    /// Corners of the overlap, counter-clockwise.
    pub(crate) corners: Vec<Corner>,
    spare: Vec<Corner>,
}

impl Overlap {
    /// Clips the first polygon by the edges of the second; both turn counter-clockwise.
    ///
    /// Corners within `tolerance` of an edge count as inside it, so that faces that end flush keep the corners they
    /// had, and with them their identity, whatever rounding does.
    pub(crate) fn find(&mut self, first: &[DVec2], second: &[DVec2], tolerance: f64) {
        self.corners.clear();
        self.corners.extend(first.iter().enumerate().map(|(k, &at)| {
            let k = k as u32;
            Corner {
                at,
                origin: Origin::First(k),
                side: Side::First(k),
            }
        }));
        let count = second.len() as u32;
        for k in 0..count {
            let (from, to) = (second[k as usize], second[((k + 1) % count) as usize]);
            let along = to - from;
            let length = along.length();
            if length <= tolerance {
                continue;
            }
            self.cut(from, along / length, k, count, tolerance);
            if self.corners.len() < 3 {
                self.corners.clear();
                return;
            }
        }
        self.merge_coincident(tolerance);
    }

    /// Keeps what lies to the left of the line through `from`, which carries edge `k` of the second polygon.
    fn cut(&mut self, from: DVec2, along: DVec2, k: u32, count: u32, tolerance: f64) {
        let distance = |c: &Corner| along.perp_dot(c.at - from);
        if self.corners.iter().all(|c| distance(c) >= -tolerance) {
            return;
        }
        self.spare.clear();
        for i in 0..self.corners.len() {
            let (here, next) = (self.corners[i], self.corners[(i + 1) % self.corners.len()]);
            let (d, e) = (distance(&here), distance(&next));
            let (inside, next_inside) = (d >= -tolerance, e >= -tolerance);
            if inside {
                self.spare.push(here);
            }
            if inside != next_inside {
                let t = (d / (d - e)).clamp(0.0, 1.0);
                let at = here.at + (next.at - here.at) * t;
                let side = if inside { Side::Second(k) } else { here.side };
                self.spare.push(Corner {
                    at,
                    origin: meeting(here.side, k, count),
                    side,
                });
            }
        }
        std::mem::swap(&mut self.corners, &mut self.spare);
    }

    /// Makes neighbours at the same place one. Corners of the polygons outlast crossings, whose features come and go
    /// with rounding.
    fn merge_coincident(&mut self, tolerance: f64) {
        let rank = |o: Origin| match o {
            Origin::First(_) => 0,
            Origin::Second(_) => 1,
            Origin::Crossing(..) => 2,
        };
        self.spare.clear();
        for &corner in &self.corners {
            match self.spare.last_mut() {
                Some(last) if last.at.distance(corner.at) <= tolerance => {
                    if rank(corner.origin) < rank(last.origin) {
                        *last = corner;
                    }
                }
                _ => self.spare.push(corner),
            }
        }
        while self.spare.len() > 1 && self.spare[0].at.distance(self.spare[self.spare.len() - 1].at) <= tolerance {
            let last = self.spare.len() - 1;
            if rank(self.spare[last].origin) < rank(self.spare[0].origin) {
                self.spare[0] = self.spare[last];
            }
            self.spare.pop();
        }
        std::mem::swap(&mut self.corners, &mut self.spare);
    }

    /// Drops corners in the middle of straight sides: the rest spans the same polygon.
    pub(crate) fn drop_straight(&mut self, tolerance: f64) {
        let mut k = 0;
        while self.corners.len() > 3 && k < self.corners.len() {
            let n = self.corners.len();
            let (a, b, c) = (
                self.corners[(k + n - 1) % n].at,
                self.corners[k].at,
                self.corners[(k + 1) % n].at,
            );
            let ac = c - a;
            if (b - a).perp_dot(ac).abs() <= tolerance * ac.length() {
                self.corners.remove(k);
            } else {
                k += 1;
            }
        }
    }

    /// Adds corners of the second polygon in the middle of straight sides, which clipping passes over.
    pub(crate) fn add_straight(&mut self, second: &[DVec2], tolerance: f64) {
        for (k, &at) in second.iter().enumerate() {
            let n = self.corners.len();
            let is_between = |i: usize| {
                let (a, b) = (self.corners[i].at, self.corners[(i + 1) % n].at);
                let (along, away) = (b - a, at - a);
                let length = along.length();
                along.perp_dot(away).abs() <= tolerance * length
                    && away.dot(along) > tolerance * length
                    && (b - at).dot(along) > tolerance * length
            };
            if let Some(i) = (0..n).find(|&i| is_between(i)) {
                let side = self.corners[i].side;
                self.corners.insert(
                    i + 1,
                    Corner {
                        at,
                        origin: Origin::Second(k as u32),
                        side,
                    },
                );
            }
        }
    }

    /// Area (m²).
    pub(crate) fn area(&self) -> f64 {
        let Some(origin) = self.corners.first().map(|c| c.at) else {
            return 0.0;
        };
        0.5 * self
            .corners
            .windows(2)
            .map(|e| (e[0].at - origin).perp_dot(e[1].at - origin))
            .sum::<f64>()
    }

    /// Largest distance between neighbours and from the first corner: between half and all of the diameter (m).
    pub(crate) fn reach(&self) -> f64 {
        let Some(origin) = self.corners.first().map(|c| c.at) else {
            return 0.0;
        };
        self.corners.iter().map(|c| c.at.distance(origin)).fold(0.0, f64::max)
    }
}

/// Where edge `side` of a partly clipped polygon meets edge `k` of the second polygon, which has `count` edges.
fn meeting(side: Side, k: u32, count: u32) -> Origin {
    match side {
        Side::First(edge) => Origin::Crossing(edge, k),
        // Two edges of the second polygon meet in the corner between them.
        Side::Second(edge) if (edge + 1) % count == k => Origin::Second(k),
        Side::Second(edge) => Origin::Second(edge),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rectangle(x0: f64, y0: f64, x1: f64, y1: f64) -> [DVec2; 4] {
        [(x0, y0), (x1, y0), (x1, y1), (x0, y1)].map(DVec2::from)
    }

    #[test]
    fn the_overlap_of_shifted_rectangles_has_their_corners_and_crossings() {
        let mut overlap = Overlap::default();
        overlap.find(&rectangle(0.0, 0.0, 2.0, 2.0), &rectangle(1.0, 1.0, 3.0, 3.0), 1e-9);
        assert!((overlap.area() - 1.0).abs() < 1e-15);
        let origins: Vec<Origin> = overlap.corners.iter().map(|c| c.origin).collect();
        for expected in [
            Origin::First(2),
            Origin::Second(0),
            Origin::Crossing(1, 0),
            Origin::Crossing(2, 3),
        ] {
            assert!(origins.contains(&expected), "{expected:?} is not in {origins:?}");
        }
        assert_eq!(origins.len(), 4);
    }

    #[test]
    fn flush_rectangles_keep_the_corners_of_the_first_whatever_rounding_does() {
        for noise in [0.0, 1e-12, -1e-12] {
            let mut overlap = Overlap::default();
            let second = rectangle(0.0 + noise, 0.0 - noise, 1.0 + noise, 1.0);
            overlap.find(&rectangle(0.0, 0.0, 1.0, 1.0), &second, 1e-9);
            let origins: Vec<Origin> = overlap.corners.iter().map(|c| c.origin).collect();
            assert_eq!(origins, [0, 1, 2, 3].map(Origin::First));
        }
    }

    #[test]
    fn one_inside_the_other_is_the_inner_one_and_apart_is_nothing() {
        let mut overlap = Overlap::default();
        let (outer, inner) = (rectangle(0.0, 0.0, 9.0, 9.0), rectangle(1.0, 1.0, 3.0, 3.0));
        overlap.find(&outer, &inner, 1e-9);
        let origins: Vec<Origin> = overlap.corners.iter().map(|c| c.origin).collect();
        assert_eq!(origins.len(), 4);
        assert!((0..4).all(|k| origins.contains(&Origin::Second(k))), "{origins:?}");
        overlap.find(&inner, &outer, 1e-9);
        assert!((overlap.area() - 4.0).abs() < 1e-14);
        overlap.find(&inner, &rectangle(5.0, 0.0, 6.0, 1.0), 1e-9);
        assert!(overlap.corners.is_empty());
    }

    #[test]
    fn a_corner_in_the_middle_of_a_side_is_dropped() {
        let mut overlap = Overlap::default();
        let second = [(0., 0.), (1., 0.), (2., 0.), (2., 1.), (0., 1.)].map(DVec2::from);
        overlap.find(&second, &rectangle(-1.0, -1.0, 3.0, 3.0), 1e-9);
        assert_eq!(overlap.corners.len(), 5);
        overlap.drop_straight(1e-9);
        assert_eq!(overlap.corners.len(), 4);
    }
}
