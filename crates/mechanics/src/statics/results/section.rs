//! The plane figure of a joint: area, second moments, outline.

use drystone_contact::Joint;
use glam::{DMat2, DVec2, DVec3};

/// Moments of a plane figure about its origin: area, first and second moments.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    pub(super) area: f64,
    pub(super) first: DVec2,
    /// Integrals of xx, xy and yy.
    pub(super) second: [f64; 3],
}

impl Moments {
    /// By Green's theorem; clockwise outlines count negative.
    pub(super) fn of(outline: &[DVec2]) -> Self {
        let mut sum = Self::default();
        for (k, &p) in outline.iter().enumerate() {
            let q = outline[(k + 1) % outline.len()];
            let cross = p.perp_dot(q);
            sum.area += cross / 2.0;
            sum.first += (p + q) * cross / 6.0;
            sum.second[0] += (p.x * p.x + p.x * q.x + q.x * q.x) * cross / 12.0;
            sum.second[1] += (2.0 * p.x * p.y + p.x * q.y + q.x * p.y + 2.0 * q.x * q.y) * cross / 24.0;
            sum.second[2] += (p.y * p.y + p.y * q.y + q.y * q.y) * cross / 12.0;
        }
        sum
    }

    pub(super) fn tensor(&self) -> DMat2 {
        let [xx, xy, yy] = self.second;
        DMat2::from_cols_array(&[xx, xy, xy, yy])
    }
}

/// A side of the hull of a joint, seen from its centre.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) ends: [DVec2; 2],
    /// Unit normal outwards.
    pub(super) outward: DVec2,
    /// Distance from the centre.
    pub(super) distance: f64,
}

/// A joint in its own plane, with its centre of area as origin.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) center: DVec3,
    axes: [DVec3; 2],
    /// The corners of the joint, in its order.
    pub(super) corners: Vec<DVec2>,
    /// The outline, counterclockwise; empty where the joint has no area.
    pub(super) outline: Vec<DVec2>,
    /// Sides of the hull.
    pub(super) sides: Vec<Side>,
    pub(super) area: f64,
    /// Second moments of the outline.
    pub(super) second: DMat2,
}

/// Area, over the square of the size, below which a joint is a line.
const NO_AREA: f64 = 1e-9;

impl Section {
    pub(super) fn of(joint: &Joint) -> Self {
        let mean = joint.points.iter().sum::<DVec3>() / joint.points.len().max(1) as f64;
        let first = joint.normal.any_orthonormal_vector();
        let axes = [first, joint.normal.cross(first)];
        let flat = |p: &DVec3| DVec2::new((*p - mean).dot(axes[0]), (*p - mean).dot(axes[1]));
        let mut section = Self {
            center: mean,
            axes,
            corners: joint.points.iter().map(flat).collect(),
            outline: Vec::new(),
            sides: Vec::new(),
            area: 0.0,
            second: DMat2::ZERO,
        };
        let size = section.corners.iter().map(|c| c.length()).fold(0.0, f64::max);
        let hull = hull(&section.corners);
        let mut outline = section.corners.clone();
        if Moments::of(&outline).area < 0.0 {
            outline.reverse();
        }
        // Corners that do not run around the joint describe it by their hull only.
        if (Moments::of(&outline).area - joint.area).abs() > 1e-3 * joint.area {
            outline.clone_from(&hull);
        }
        let moments = Moments::of(&outline);
        if moments.area <= NO_AREA * size * size {
            return section.line();
        }
        let shift = moments.first / moments.area;
        let back = |p: &DVec2| *p - shift;
        section.center += section.lifted(shift);
        section.corners = section.corners.iter().map(back).collect();
        section.outline = outline.iter().map(back).collect();
        let centred = Moments::of(&section.outline);
        section.area = centred.area;
        section.second = centred.tensor();
        let hull: Vec<DVec2> = hull.iter().map(back).collect();
        section.sides = (0..hull.len())
            .filter_map(|k| side(hull[k], hull[(k + 1) % hull.len()]))
            .collect();
        section
    }

    /// A joint along a line: its ends are its sides.
    fn line(mut self) -> Self {
        let far = |c: &DVec2| {
            let other = self
                .corners
                .iter()
                .max_by(|p, q| p.distance(*c).total_cmp(&q.distance(*c)));
            other.copied().unwrap_or_default()
        };
        let Some(from) = self.corners.first().map(far) else {
            return self;
        };
        let to = far(&from);
        let shift = 0.5 * (from + to);
        if let Some(outward) = (to - from).try_normalize() {
            let distance = 0.5 * from.distance(to);
            let end = |p: DVec2, outward: DVec2| Side {
                ends: [p - shift; 2],
                outward,
                distance,
            };
            self.sides = vec![end(from, -outward), end(to, outward)];
        }
        self.center += self.lifted(shift);
        self.corners.iter_mut().for_each(|c| *c -= shift);
        self
    }

    /// A direction of the plane in space.
    pub(super) fn lifted(&self, p: DVec2) -> DVec3 {
        p.x * self.axes[0] + p.y * self.axes[1]
    }

    /// A direction in space, seen in the plane.
    pub(super) fn flat(&self, v: DVec3) -> DVec2 {
        DVec2::new(v.dot(self.axes[0]), v.dot(self.axes[1]))
    }

    /// How far a point lies towards the hull, 0 at the centre and 1 on it, and the side it lies nearest to by that measure.
    pub(super) fn reach(&self, p: DVec2) -> Option<(f64, &Side)> {
        let of = |s: &Side| p.dot(s.outward) / s.distance;
        let sides = self.sides.iter().map(|s| (of(s), s));
        sides.max_by(|a, b| a.0.total_cmp(&b.0))
    }
}

fn side(from: DVec2, to: DVec2) -> Option<Side> {
    let outward = -(to - from).try_normalize()?.perp();
    let distance = outward.dot(from);
    (distance > 0.0).then_some(Side {
        ends: [from, to],
        outward,
        distance,
    })
}

/// The convex hull, counterclockwise, without corners on straight sides.
fn hull(points: &[DVec2]) -> Vec<DVec2> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    sorted.dedup();
    let size = sorted.iter().map(|p| p.length()).fold(0.0, f64::max);
    let mut hull: Vec<DVec2> = Vec::new();
    for upper in [false, true] {
        let start = hull.len();
        let mut add = |p: DVec2| {
            while hull.len() >= start + 2 {
                let (a, b) = (hull[hull.len() - 2], hull[hull.len() - 1]);
                if (b - a).perp_dot(p - b) > 1e-12 * size * size {
                    break;
                }
                hull.pop();
            }
            hull.push(p);
        };
        if upper {
            sorted.iter().rev().for_each(|&p| add(p));
        } else {
            sorted.iter().for_each(|&p| add(p));
        }
        hull.pop();
    }
    hull
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_has_its_textbook_moments_wherever_it_lies() {
        let corners = [(1.0, 1.0), (3.0, 1.0), (3.0, 4.0), (1.0, 4.0)];
        let joint = Joint {
            blocks: [0, 1],
            points: corners.map(|(x, y)| DVec3::new(x, y, 7.0)).to_vec(),
            normal: DVec3::Z,
            area: 6.0,
            least_gap: 0.0,
            largest_gap: 0.0,
        };
        let section = Section::of(&joint);
        assert!(section.center.abs_diff_eq(DVec3::new(2.0, 2.5, 7.0), 1e-12));
        assert!((section.area - 6.0).abs() < 1e-12);
        let along_x = section.flat(DVec3::X);
        assert!((along_x.dot(section.second * along_x) - 3.0 * 8.0 / 12.0).abs() < 1e-12);
        let (reach, side) = section.reach(section.flat(DVec3::new(0.9, 0.1, 0.0))).unwrap();
        assert!((reach - 0.9).abs() < 1e-12);
        assert!(section.lifted(side.outward).abs_diff_eq(DVec3::X, 1e-12));
    }

    #[test]
    fn a_line_reaches_to_its_ends() {
        let joint = Joint {
            blocks: [0, 1],
            points: vec![DVec3::ZERO, DVec3::new(0.0, 2.0, 0.0)],
            normal: DVec3::Z,
            area: 0.0,
            least_gap: 0.0,
            largest_gap: 0.0,
        };
        let section = Section::of(&joint);
        assert_eq!(section.area, 0.0);
        let (reach, _) = section.reach(section.flat(DVec3::new(0.0, 0.5, 0.0))).unwrap();
        assert!((reach - 0.5).abs() < 1e-12);
    }
}
