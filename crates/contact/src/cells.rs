//! Faces that touch, divided into cells: where a joint can be crushed, forces act within it and not only at its corners.

use glam::DVec2;

/// Where cells begin and end, over the length and the breadth of the faces: narrow at the edges. A force at the centre of each
/// cell, up to its strength times its area, bears what stress blocks of that strength do, or up to a twentieth less.
const LINES: [f64; 9] = [0.0, 0.04, 0.13, 0.28, 0.5, 0.72, 0.87, 0.96, 1.0];
/// Cells smaller than this fraction of the faces are left out.
const SMALLEST: f64 = 1e-9;

/// Joints that are divided into cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Divided {
    /// None.
    #[default]
    None,
    /// Every one.
    All,
    /// Those of these pairs of blocks, the smaller index first, in order.
    Pairs(Vec<[u32; 2]>),
}

impl Divided {
    /// Whether the joint of two blocks is.
    pub fn has(&self, blocks: [u32; 2]) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Pairs(pairs) => pairs.binary_search(&blocks).is_ok(),
        }
    }
}

/// Memory that is used again from one pair of faces to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    strip: Vec<DVec2>,
    piece: Vec<DVec2>,
    spare: Vec<DVec2>,
}

impl Cells {
    /// Divides a convex polygon along a direction and across it. `take` gets the number of each cell, its centroid and its area.
    pub(crate) fn each(&mut self, corners: &[DVec2], along: DVec2, mut take: impl FnMut(u32, DVec2, f64)) {
        let across = along.perp();
        let extent = |axis: DVec2| {
            let at = corners.iter().map(|c| c.dot(axis));
            let (least, most) = at.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
            LINES.map(|line| least + line * (most - least))
        };
        let (columns, rows) = (extent(along), extent(across));
        let smallest = SMALLEST * (columns[8] - columns[0]) * (rows[8] - rows[0]);
        for row in 0..8 {
            self.strip.clear();
            self.strip.extend_from_slice(corners);
            between(&mut self.strip, &mut self.spare, across, [rows[row], rows[row + 1]]);
            for column in 0..8 {
                self.piece.clone_from(&self.strip);
                let lines = [columns[column], columns[column + 1]];
                between(&mut self.piece, &mut self.spare, along, lines);
                let (centroid, area) = centroid(&self.piece);
                if area > smallest {
                    take((8 * row + column) as u32, centroid, area);
                }
            }
        }
    }
}

/// What of a convex polygon lies between two lines across an axis.
fn between(polygon: &mut Vec<DVec2>, spare: &mut Vec<DVec2>, axis: DVec2, [from, to]: [f64; 2]) {
    for (normal, limit) in [(-axis, -from), (axis, to)] {
        spare.clear();
        for (k, &here) in polygon.iter().enumerate() {
            let next = polygon[(k + 1) % polygon.len()];
            let (d, e) = (normal.dot(here) - limit, normal.dot(next) - limit);
            if d <= 0.0 {
                spare.push(here);
            }
            if (d < 0.0 && e > 0.0) || (d > 0.0 && e < 0.0) {
                spare.push(here.lerp(next, d / (d - e)));
            }
        }
        std::mem::swap(polygon, spare);
    }
}

fn centroid(polygon: &[DVec2]) -> (DVec2, f64) {
    let Some(&first) = polygon.first() else {
        return (DVec2::ZERO, 0.0);
    };
    let (mut sum, mut area) = (DVec2::ZERO, 0.0);
    for pair in polygon.windows(2) {
        let (a, b) = (pair[0] - first, pair[1] - first);
        let twice = a.perp_dot(b);
        sum += twice * (a + b) / 3.0;
        area += twice;
    }
    match area > 0.0 {
        true => (first + sum / area, 0.5 * area),
        false => (first, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divided(corners: &[DVec2], along: DVec2) -> Vec<(u32, DVec2, f64)> {
        let mut all = Vec::new();
        Cells::default().each(corners, along, |cell, at, area| all.push((cell, at, area)));
        all
    }

    /// Areas add up to that of the polygon, and their centroids to its.
    #[test]
    fn cells_fill_the_polygon() {
        let rectangle = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0)].map(DVec2::from);
        let turned = rectangle.map(|c| DVec2::from_angle(0.7).rotate(c) + DVec2::new(3.0, -1.0));
        let triangle = [(0.0, 0.0), (2.0, 0.0), (0.5, 1.5)].map(DVec2::from);
        for (corners, area) in [(&rectangle[..], 2.0), (&turned[..], 2.0), (&triangle[..], 1.5)] {
            let along = (corners[1] - corners[0]).normalize();
            let cells = divided(corners, along);
            let sum: f64 = cells.iter().map(|c| c.2).sum();
            assert!((sum / area - 1.0).abs() < 1e-12, "{sum} {area}");
            let middle: DVec2 = cells.iter().map(|c| c.2 * c.1).sum::<DVec2>() / sum;
            let (exact, _) = centroid(corners);
            assert!(middle.distance(exact) < 1e-12);
        }
        assert_eq!(divided(&rectangle, DVec2::X).len(), 64);
    }

    /// Eccentricity of the stress block: h/2 (1 - n) at a fraction n of the strength of the whole face, and never more.
    #[test]
    fn cells_bear_no_more_than_stress_blocks_and_almost_as_much() {
        let face = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(DVec2::from);
        let mut rows: Vec<(f64, f64)> = divided(&face, DVec2::X).iter().map(|c| (c.1.y, c.2)).collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        for n in [0.01, 0.04, 0.1, 0.25, 0.5, 0.7, 0.95] {
            let (mut left, mut moment) = (n, 0.0);
            for (y, area) in &rows {
                let force = area.min(left);
                (left, moment) = (left - force, moment + force * (0.5 - y));
            }
            let exact = 0.5 * n * (1.0 - n);
            assert!(
                moment <= exact * (1.0 + 1e-12) && moment >= 0.94 * exact,
                "{n}: {moment} {exact}"
            );
        }
    }
}
