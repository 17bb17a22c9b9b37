//! Edges and corners that bear on blocks that are not convex, or of such blocks.
//!
//! A block with a dent is cut into convex parts, and an edge in the dent meets only edges of these. So the points where two
//! blocks meet are looked at with all parts of both at once.

use drystone_model::geometry::{Bounds, near_pairs};
use glam::DVec3;

use crate::{
    DetectorSettings, Joint, Placement,
    bearing::{BEYOND, directions},
    bodies::{Bodies, range},
    cones::{Bearing, PARALLEL, bearing},
};

/// Two blocks that meet, and how near counts.
struct Meeting<'a> {
    bodies: &'a Bodies,
    blocks: [usize; 2],
    /// Centres of the two blocks.
    centers: [DVec3; 2],
    /// How far what touches may be apart (m).
    near: f64,
    /// How far a point may be off a corner or an edge that it is on (m).
    reach: f64,
    /// How far a direction may reach over a plane that separates (sine).
    beyond: f64,
}

/// What is found of pairs of blocks one of which, at least, is not convex.
#[derive(Default)]
pub(crate) struct Dents {
    /// Joints without an area.
    pub(crate) joints: Vec<Joint>,
    /// Blocks that meet at a point where no normals tell how they may move.
    pub(crate) unknown: Vec<[usize; 2]>,
}

/// Looks at all such pairs, but for points that lie on a joint with an area in `found`.
pub(crate) fn dents(bodies: &Bodies, placements: &[Placement], settings: &DetectorSettings, found: &[Joint]) -> Dents {
    let around = |k: usize| {
        let parts = &bodies.parts[range(bodies.part_range[k])];
        let corners = parts.iter().flat_map(|p| &bodies.vertices[range(p.vertices)]);
        Bounds::around(corners.map(|v| *v + placements[k].center))
    };
    let boxes: Vec<Bounds> = (0..bodies.len()).map(around).collect();
    let near = |size: f64| (settings.touch * size).max(settings.distance);
    let largest = bodies.size.iter().copied().fold(0.0, f64::max);
    let mut dents = Dents::default();
    for (i, j) in near_pairs(&boxes, near(largest)) {
        let is_cut = |k: usize| bodies.part_range[k][1] - bodies.part_range[k][0] > 1;
        if (bodies.fixed[i] && bodies.fixed[j]) || !(is_cut(i) || is_cut(j)) {
            continue;
        }
        let size = bodies.size[i].min(bodies.size[j]);
        let reach = near(size).max(settings.tolerance * size);
        let meeting = Meeting {
            bodies,
            blocks: [i, j],
            centers: [placements[i].center, placements[j].center],
            near: near(size),
            reach,
            beyond: BEYOND.max(2.0 * reach / size),
        };
        let own: Vec<&Joint> = found
            .iter()
            .filter(|joint| joint.blocks == [i, j] && joint.area > 0.0)
            .collect();
        // Where corners are off by rounding, those beside a common face tell nothing.
        if !own.is_empty() && settings.rounding > 0.0 {
            continue;
        }
        meeting.add([&boxes[i], &boxes[j]], &own, &mut dents);
    }
    dents
}

impl Meeting<'_> {
    /// One joint for each normal and plane.
    fn add(&self, boxes: [&Bounds; 2], found: &[&Joint], dents: &mut Dents) {
        let mut joints: Vec<Joint> = Vec::new();
        let mut is_open = false;
        for (point, gap) in self.points(boxes) {
            // What touches on a common face is carried there.
            if found.iter().any(|j| self.is_on(j, point)) {
                continue;
            }
            let bearing = self.bearing(point);
            is_open |= bearing.is_open;
            for normal in bearing.normals {
                let is_same = |j: &&mut Joint| {
                    j.normal.distance(normal) <= 1e-9 && (point - j.points[0]).dot(normal).abs() <= self.reach
                };
                match joints.iter_mut().find(is_same) {
                    Some(joint) => {
                        joint.points.push(point);
                        joint.least_gap = joint.least_gap.min(gap);
                        joint.largest_gap = joint.largest_gap.max(gap);
                    }
                    None => joints.push(Joint {
                        blocks: self.blocks,
                        points: vec![point],
                        normal,
                        area: 0.0,
                        least_gap: gap,
                        largest_gap: gap,
                    }),
                }
            }
        }
        dents.joints.extend(joints);
        dents.unknown.extend(is_open.then_some(self.blocks));
    }

    fn bearing(&self, point: DVec3) -> Bearing {
        let mut preferred = Vec::new();
        let [behind, ahead] = [0, 1].map(|side| {
            let at = point - self.centers[side];
            let mut cones = Vec::new();
            for part in range(self.bodies.part_range[self.blocks[side]]) {
                let cone = directions(self.bodies, part, at, self.reach);
                if cone.is_empty() {
                    continue;
                }
                cones.push(cone);
                let faces = range(self.bodies.parts[part].faces);
                let touched = faces.filter(|&f| self.height(f, at).abs() <= self.reach);
                preferred.extend(touched.map(|f| self.bodies.normals[f] * if side == 0 { 1.0 } else { -1.0 }));
            }
            cones
        });
        match behind.is_empty() || ahead.is_empty() {
            true => Bearing::default(),
            false => bearing([&behind, &ahead], &preferred, self.beyond),
        }
    }

    /// Whether a point lies on a joint that has an area.
    fn is_on(&self, joint: &Joint, point: DVec3) -> bool {
        let n = joint.points.len();
        let apart = 0.5 * joint.least_gap.abs().max(joint.largest_gap.abs());
        (point - joint.points[0]).dot(joint.normal).abs() <= apart + self.reach
            && (0..n).all(|k| {
                let (p, q) = (joint.points[k], joint.points[(k + 1) % n]);
                joint.normal.cross(q - p).normalize_or_zero().dot(point - p) >= -self.reach
            })
    }

    /// How far a point, relative to the centre of its block, is before a face.
    fn height(&self, face: usize, at: DVec3) -> f64 {
        self.bodies.normals[face].dot(at) - self.bodies.faces[face].offset
    }

    /// Points that the blocks share, half-way between them, and how far they are apart there: corners of one on the other,
    /// and crossings of edges.
    fn points(&self, boxes: [&Bounds; 2]) -> Vec<(DVec3, f64)> {
        let mut found: Vec<(DVec3, f64)> = Vec::new();
        let mut add = |point: DVec3, gap: f64| {
            if !found.iter().any(|(p, _)| p.distance(point) <= self.reach) {
                found.push((point, gap));
            }
        };
        for side in [0, 1] {
            let [own, other] = [self.blocks[side], self.blocks[1 - side]];
            for corner in self.corners(own).map(|v| v + self.centers[side]) {
                if !Bounds::around([corner]).is_near(boxes[1 - side], self.near) {
                    continue;
                }
                let at = corner - self.centers[1 - side];
                for part in &self.bodies.parts[range(self.bodies.part_range[other])] {
                    let highest = range(part.faces).max_by(|&f, &g| self.height(f, at).total_cmp(&self.height(g, at)));
                    let Some(face) = highest else { continue };
                    let height = self.height(face, at);
                    if height.abs() <= self.near {
                        add(corner - 0.5 * height * self.bodies.normals[face], height);
                    }
                }
            }
        }
        let edges = |side: usize| -> Vec<([DVec3; 2], Bounds)> {
            let parts = &self.bodies.parts[range(self.bodies.part_range[self.blocks[side]])];
            let edges = parts.iter().flat_map(|p| &self.bodies.edges[range(p.edges)]);
            let ends = edges.map(|e| e.ends.map(|v| self.bodies.vertices[v as usize] + self.centers[side]));
            ends.map(|ends| (ends, Bounds::around(ends)))
                .filter(|(_, around)| around.is_near(boxes[1 - side], self.near))
                .collect()
        };
        let (firsts, seconds) = (edges(0), edges(1));
        for (first, around) in &firsts {
            for (second, _) in seconds.iter().filter(|(_, b)| b.is_near(around, self.near)) {
                let crossing = closest_points(*first, *second).filter(|[p, q]| p.distance(*q) <= self.near);
                if let Some([p, q]) = crossing {
                    add(0.5 * (p + q), p.distance(q));
                }
            }
        }
        found
    }

    fn corners(&self, block: usize) -> impl Iterator<Item = DVec3> + '_ {
        let parts = &self.bodies.parts[range(self.bodies.part_range[block])];
        let corners = parts.iter().flat_map(|p| &self.bodies.vertices[range(p.vertices)]);
        corners.copied()
    }
}

/// Where two segments that are not parallel come closest, on each.
fn closest_points([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> Option<[DVec3; 2]> {
    let (e, f, r) = (b - a, d - c, c - a);
    let across = e.cross(f);
    if across.length() <= PARALLEL * e.length() * f.length() {
        return None;
    }
    let s = r.cross(f).dot(across) / across.length_squared();
    let t = r.cross(e).dot(across) / across.length_squared();
    let is_within = |t: f64| (0.0..=1.0).contains(&t);
    (is_within(s) && is_within(t)).then(|| [a + e * s, c + f * t])
}
