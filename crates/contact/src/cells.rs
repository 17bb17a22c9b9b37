//! Faces that touch, divided into cells: where a joint can be crushed or its blocks deform, forces act within it and not only at
//! its corners.

use std::sync::Arc;

use glam::{DQuat, DVec2, DVec3};

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

/// Most elements along a joint that have contacts of their own.
const MOST: f64 = 64.0;
/// A part of an element this small counts for none: faces that taper are a little longer than the mean element of their block.
const PART: f64 = 0.25;

/// The mesh of a block that deforms, in the axes of the block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockMesh {
    /// Three edges of a typical element (m).
    pub edges: [DVec3; 3],
    /// Nodes of its surface, where they lie on no grid of such edges (m).
    pub nodes: Arc<[DVec3]>,
    /// Triangles of these, the corners before the middles of the sides.
    pub triangles: Arc<[[u32; 6]]>,
}

/// Meshes of the blocks; those without one are rigid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meshed(pub Vec<Option<BlockMesh>>);

impl Meshed {
    /// The meshes of two blocks as they are turned; none where both are rigid.
    pub(crate) fn of(&self, blocks: [usize; 2], rotations: &[DQuat]) -> Option<Grid<'_>> {
        let mesh = blocks.map(|b| self.0.get(b).and_then(Option::as_ref));
        (mesh != [None, None]).then(|| Grid {
            edges: [0, 1].map(|k| mesh[k].map(|mesh| mesh.edges.map(|e| rotations[blocks[k]] * e))),
            nodes: mesh.map(|mesh| mesh.map_or(&[][..], |mesh| &mesh.nodes[..])),
            triangles: mesh.map(|mesh| mesh.map_or(&[][..], |mesh| &mesh.triangles[..])),
            rotations: blocks.map(|b| rotations[b]),
        })
    }
}

/// Meshes of two blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid<'a> {
    /// Edges of their elements, in the axes of the world.
    edges: [Option<[DVec3; 3]>; 2],
    /// Nodes that lie on no grid, in the axes of each block.
    nodes: [&'a [DVec3]; 2],
    triangles: [&'a [[u32; 6]]; 2],
    rotations: [DQuat; 2],
}

impl Grid<'_> {
    /// Triangles of the nodes of the first or the second block.
    pub(crate) fn triangles(&self, side: usize) -> &[[u32; 6]] {
        self.triangles[side]
    }

    /// Whether the nodes of a block are contacts, not those of a grid.
    pub(crate) fn has_nodes(&self) -> bool {
        self.nodes.iter().any(|nodes| !nodes.is_empty())
    }

    /// Nodes that lie on no grid, from the centres of their blocks: of the first or the second block.
    pub(crate) fn nodes(&self, side: usize) -> impl Iterator<Item = DVec3> + '_ {
        self.nodes[side].iter().map(move |&at| self.rotations[side] * at)
    }

    /// Into how many elements a length in a direction is divided, by the finer of the two meshes.
    pub(crate) fn count(&self, direction: DVec3, length: f64) -> usize {
        let along = |edges: &[DVec3; 3]| {
            let turned = |e: &&DVec3| e.dot(direction).abs() / e.length();
            let nearest = edges.iter().max_by(|a, b| turned(a).total_cmp(&turned(b)));
            nearest.map_or(f64::INFINITY, |e| e.length())
        };
        let finest = self.edges.iter().flatten().map(along).fold(f64::INFINITY, f64::min);
        (length / finest - PART).ceil().clamp(1.0, MOST) as usize
    }
}

/// Memory that is used again from one pair of faces to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    nodes: Vec<(u32, DVec2, f64)>,
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

impl Cells {
    /// Divides a convex polygon into cells: one with four corners as a mesh of hexahedra divides a face, any other along a direction
    /// and across it. `count` tells into how many elements a length in a direction is divided; `take` gets the number of each
    /// corner of the cells, where it is, and its share of the area.
    pub(crate) fn each_node(
        &mut self,
        corners: &[DVec2],
        along: DVec2,
        count: impl Fn(DVec2, f64) -> usize,
        take: impl FnMut(u32, DVec2, f64),
    ) {
        match corners {
            &[a, b, c, d] => quad_nodes([a, b, c, d], count, take),
            _ => self.polygon_nodes(corners, along, count, take),
        }
    }

    fn polygon_nodes(
        &mut self,
        corners: &[DVec2],
        along: DVec2,
        count: impl Fn(DVec2, f64) -> usize,
        mut take: impl FnMut(u32, DVec2, f64),
    ) {
        let axes = [along, along.perp()];
        let [columns, rows] = axes.map(|axis| {
            let at = corners.iter().map(|c| c.dot(axis));
            let (least, most) = at.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
            (least, most - least, count(axis, most - least))
        });
        let line = |(least, length, count): (f64, f64, usize), k: usize| least + length * k as f64 / count as f64;
        let cell = columns.1 * rows.1 / (columns.2 * rows.2) as f64;
        let same = 1e-9 * (columns.1 + rows.1);
        self.nodes.clear();
        for row in 0..rows.2 {
            self.strip.clear();
            self.strip.extend_from_slice(corners);
            between(
                &mut self.strip,
                &mut self.spare,
                axes[1],
                [line(rows, row), line(rows, row + 1)],
            );
            for column in 0..columns.2 {
                self.piece.clone_from(&self.strip);
                let lines = [line(columns, column), line(columns, column + 1)];
                between(&mut self.piece, &mut self.spare, along, lines);
                let (_, area) = centroid(&self.piece);
                if area <= SMALLEST * cell {
                    continue;
                }
                let n = self.piece.len();
                let middle = self.piece.iter().sum::<DVec2>() / n as f64;
                for k in 0..n {
                    let at = |i: usize| self.piece[i % n] - middle;
                    let share = 0.25 * (at(k + n - 1).perp_dot(at(k)) + at(k).perp_dot(at(k + 1)));
                    let place = self.piece[k];
                    match self.nodes.iter_mut().rev().find(|(_, p, _)| p.distance(place) <= same) {
                        Some((_, _, area)) => *area += share,
                        None => self
                            .nodes
                            .push(((8 * (row * columns.2 + column) + k) as u32, place, share)),
                    }
                }
            }
        }
        for &(node, at, area) in &self.nodes {
            take(node, at, area);
        }
    }
}

/// Nodes of a quadrilateral, by the bilinear map of a square onto it.
fn quad_nodes(corners: [DVec2; 4], count: impl Fn(DVec2, f64) -> usize, mut take: impl FnMut(u32, DVec2, f64)) {
    let [a, b, c, d] = corners;
    let mean = |one: DVec2, other: DVec2| {
        let sum = 0.5 * (one + other);
        let length = 0.5 * (one.length() + other.length());
        count(sum.try_normalize().unwrap_or(DVec2::X), length)
    };
    let (columns, rows) = (mean(b - a, c - d), mean(d - a, c - b));
    let at = |i: usize, j: usize| {
        let (s, t) = (i as f64 / columns as f64, j as f64 / rows as f64);
        a.lerp(b, s).lerp(d.lerp(c, s), t)
    };
    // A node has a quarter of the parallelogram at it of each cell that it is a corner of.
    let share = |i: usize, j: usize| {
        let mut sum = 0.0;
        for (di, dj) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let (Some(p), Some(q)) = ((i + di).checked_sub(1), (j + dj).checked_sub(1)) else {
                continue;
            };
            if p < columns && q < rows {
                let cell = [at(p, q), at(p + 1, q), at(p + 1, q + 1), at(p, q + 1)];
                let middle = 0.25 * cell.iter().sum::<DVec2>();
                let own = match (di, dj) {
                    (0, 0) => 2,
                    (1, 0) => 3,
                    (0, 1) => 1,
                    _ => 0,
                };
                let to = |k: usize| cell[k % 4] - middle;
                sum += 0.25 * (to(own + 3).perp_dot(to(own)) + to(own).perp_dot(to(own + 1)));
            }
        }
        sum
    };
    for j in 0..=rows {
        for i in 0..=columns {
            take((j * (columns + 1) + i) as u32, at(i, j), share(i, j));
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

    /// A rectangle of 2 by 3 elements has 12 nodes; at its corners each has a quarter of an element, along its sides half of one.
    #[test]
    fn nodes_share_the_area_as_an_even_pressure_does() {
        let rectangle = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.5), (0.0, 1.5)].map(DVec2::from);
        let turned = rectangle.map(|c| DVec2::from_angle(0.4).rotate(c) + DVec2::new(-2.0, 5.0));
        let along = (turned[1] - turned[0]).normalize();
        let meshed = Meshed(vec![Some(BlockMesh {
            edges: [DVec3::X, 0.5 * DVec3::Y, DVec3::Z],
            ..BlockMesh::default()
        })]);
        let edges = meshed.of([0, 1], &[DQuat::IDENTITY; 2]).unwrap();
        let mut nodes = Vec::new();
        let turn = DVec2::from_angle(-0.4);
        let count = |axis: DVec2, length: f64| edges.count(turn.rotate(axis).extend(0.0), length);
        Cells::default().each_node(&turned, along, count, |node, at, area| nodes.push((node, at, area)));
        assert_eq!(nodes.len(), 12);
        for (node, at, area) in &nodes {
            let at = turn.rotate(*at - DVec2::new(-2.0, 5.0));
            let on_side = |x: f64, end: f64| {
                if x.abs() < 1e-9 || (x - end).abs() < 1e-9 {
                    0.5
                } else {
                    1.0
                }
            };
            let expected = 0.5 * on_side(at.x, 2.0) * on_side(at.y, 1.5);
            assert!((area - expected).abs() < 1e-12, "{node} {at}: {area}");
            assert_eq!(nodes.iter().filter(|n| n.0 == *node).count(), 1);
        }
        // A voussoir's face has no more nodes than its mesh has.
        let tapered = [(0.0, 0.0), (2.0, 0.0), (1.5, 1.0), (0.5, 1.0)].map(DVec2::from);
        let (mut sum, mut found) = (0.0, Vec::new());
        Cells::default().each_node(
            &tapered,
            DVec2::X,
            |_, _| 2,
            |_, at, area| {
                sum += area;
                found.push(at);
            },
        );
        assert!((sum - 1.5).abs() < 1e-12);
        assert_eq!(found.len(), 9);
        assert!(found.iter().any(|p| p.distance(DVec2::new(1.0, 0.5)) < 1e-12));
        let triangle = [(0.0, 0.0), (2.0, 0.0), (0.5, 1.5)].map(DVec2::from);
        let mut sum = 0.0;
        Cells::default().each_node(&triangle, DVec2::X, |_, _| 4, |_, _, area| sum += area);
        assert!((sum - 1.5).abs() < 1e-12);
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
