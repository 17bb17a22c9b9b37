//! The contact of two convex parts (Nodargi and Bisegna 2024, section 3).
//!
//! One common normal, then the faces that look at each other along it, projected on the plane across it and clipped
//! against each other; the corners of what is left, projected back on both parts, are the contact points.
//!
//! The normal is the direction in which the parts are farthest apart among those that can separate convex polyhedra:
//! normals of faces, and directions across two edges. For parts that are apart this is the direction of their closest
//! points whenever these lie on a face or on two crossing edges, and the gap is then the distance; the check is that a
//! contact point with that gap exists. Where the closest points are two corners, a corner and an edge, or parallel
//! edges (diagonal neighbours in a wall), and no nearly parallel faces lie over each other, neither part has a surface
//! that faces the other: there is no contact. A normal between such corners would be arbitrary and would hold up blocks
//! that slide past each other; the same goes for overlaps thinner than the tolerance, which are joints between flush
//! faces and not walls.

use glam::{DVec2, DVec3};

use crate::{
    Contacts, DetectedContact, DetectedInterface, DetectorSettings,
    bodies::{Bodies, Edge, Part, Turned, range},
    cells::{Cells, Grid},
    clip::Overlap,
    points::Nodes,
};

/// Two edges closer to parallel than this (sine, about a degree) have no direction across them worth having: it would
/// be the ratio of two small angles.
const PARALLEL: f64 = 0.02;
/// Fraction of the size of the smaller block beyond which an interpenetration is no inaccuracy of a step.
const DEEP: f64 = 1e-2;
/// Fraction of the size of the smaller block that rounding may cost.
pub(crate) const ROUNDING: f64 = 1e-10;

/// Memory that is used again from one pair to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) overlap: Overlap,
    pub(crate) first: Vec<DVec2>,
    pub(crate) second: Vec<DVec2>,
    pub(crate) faces_first: Vec<u32>,
    pub(crate) faces_second: Vec<u32>,
    pub(crate) placed: Vec<(DVec2, usize)>,
    pub(crate) cells: Cells,
    pub(crate) outline: Vec<DVec2>,
    pub(crate) nodes: Nodes,
}

/// A direction from the first part to the second, and how far apart they are along it.
#[derive(Clone, Copy)]
pub(crate) struct Axis {
    pub(crate) normal: DVec3,
    separation: f64,
}

/// Two parts and where they are.
pub(crate) struct Pair<'a> {
    pub(crate) bodies: &'a Bodies,
    pub(crate) turned: &'a Turned,
    pub(crate) settings: &'a DetectorSettings,
    /// Whether its faces are divided into cells.
    pub(crate) divided: bool,
    /// Elements of the blocks, where one at least deforms.
    pub(crate) grid: Option<Grid<'a>>,
    pub(crate) blocks: [u32; 2],
    pub(crate) parts: [u32; 2],
    /// From the centre of the first block to that of the second. Everything is measured from the first centre.
    pub(crate) offset: DVec3,
    /// Size of the smaller block.
    pub(crate) size: f64,
}

impl Pair<'_> {
    /// How far apart points of this pair may be and still be a contact.
    pub(crate) fn margin(&self) -> f64 {
        self.settings.margin + (self.settings.touch * self.size).max(self.settings.distance)
    }

    /// Length that rounding may cost, of the computation and of the coordinates (m).
    pub(crate) fn rounding(&self) -> f64 {
        (ROUNDING * self.size).max(self.settings.rounding)
    }

    /// Largest width of an overlap that is no contact, and largest depth of an interpenetration of touching faces (m).
    pub(crate) fn thin(&self) -> f64 {
        (self.settings.tolerance * self.size).max(self.settings.rounding)
    }

    /// Finds the contact of the two parts and adds it.
    pub(crate) fn detect(&self, scratch: &mut Scratch, contacts: &mut Contacts) {
        let Some(face_axis) = self.best_face_axis() else { return };
        let (rounding, thin) = (self.rounding(), self.thin());
        let start = contacts.contacts.len();
        let mut areas = self.points(&face_axis, scratch, contacts);
        let mut axis = face_axis;
        // The face's direction is right if some point is as near as it says. Otherwise, or if the parts are so deep in
        // each other that a corner far inside seems to confirm it, two edges may do better.
        let nearest = nearest(&contacts.contacts[start..]);
        let is_right = |axis: &Axis, nearest: f64| nearest <= axis.separation + rounding;
        if !is_right(&face_axis, nearest) || face_axis.separation < -DEEP * self.size {
            // Nearly always the edges are those of the faces that look at each other; only if these do not settle it
            // are all edges tried.
            for edges in [Edges::OfLookingFaces, Edges::All] {
                let best = self.best_edge_axis(edges, scratch);
                let Some(edge_axis) = best.filter(|e| e.separation > axis.separation + rounding) else {
                    continue;
                };
                contacts.contacts.truncate(start);
                if edge_axis.separation > self.margin() {
                    return;
                }
                axis = edge_axis;
                areas = self.points(&axis, scratch, contacts);
                if is_right(&axis, self::nearest(&contacts.contacts[start..])) {
                    break;
                }
            }
        }
        let nearest = self::nearest(&contacts.contacts[start..]);
        // Faces that meet over an area look at each other even where no direction is confirmed: a block that hangs over
        // an edge it is nearly parallel to has its lowest corner beside the other, and no direction across the edges.
        let is_corner_to_corner = axis.separation > thin && areas.facing == 0.0 && !is_right(&axis, nearest);
        let is_within = |k: usize| self.is_within_block(k, axis.normal, &contacts.contacts[start..]);
        if is_corner_to_corner || contacts.contacts.len() == start || is_within(0) || is_within(1) {
            contacts.contacts.truncate(start);
            return;
        }
        contacts.interfaces.push(DetectedInterface {
            blocks: self.blocks,
            parts: [
                self.parts[0] - self.bodies.part_range[self.blocks[0] as usize][0],
                self.parts[1] - self.bodies.part_range[self.blocks[1] as usize][0],
            ],
            normal: axis.normal,
            area: areas.touching,
            contacts: [start as u32, contacts.contacts.len() as u32],
        });
    }

    /// Whether contacts are on a face along which one of the blocks, first or second, was cut into parts: another of its
    /// parts is in front of all of them. Such a face is not on the block's surface.
    fn is_within_block(&self, which: usize, normal: DVec3, contacts: &[DetectedContact]) -> bool {
        let parts = range(self.bodies.part_range[self.blocks[which] as usize]);
        if parts.len() < 2 || contacts.is_empty() {
            return false;
        }
        let thin = self.thin();
        let ahead = if which == 0 { normal } else { -normal } * (2.0 * thin);
        let arm = |c: &DetectedContact| if which == 0 { c.arm_first } else { c.arm_second };
        let is_inside = |part: usize, at: DVec3| {
            range(self.bodies.parts[part].faces)
                .all(|f| self.turned.normals[f].dot(at) - self.bodies.faces[f].offset <= thin)
        };
        let is_covered = |at: DVec3| {
            parts
                .clone()
                .any(|p| p as u32 != self.parts[which] && is_inside(p, at + ahead))
        };
        // The corners of a contact in a slot are on its walls: its middle is not.
        let middle = contacts.iter().map(arm).sum::<DVec3>() / contacts.len() as f64;
        is_covered(middle) && contacts.iter().all(|c| is_covered(arm(c)))
    }

    /// The face normal along which the parts are farthest apart; `None` if it parts them by more than the margin.
    fn best_face_axis(&self) -> Option<Axis> {
        let [a, b] = self.parts.map(|p| &self.bodies.parts[p as usize]);
        let first = self.farthest_face(a, b, self.offset)?;
        let second = self.farthest_face(b, a, -self.offset)?;
        // The first part's face wins ties, so that flush faces do not hand the normal to and fro.
        let is_second = second.separation > first.separation + self.rounding();
        Some(if is_second {
            Axis {
                normal: -second.normal,
                ..second
            }
        } else {
            first
        })
    }

    /// The face of `part` that `other`, whose block lies `offset` away, is farthest in front of; `None` if some face is
    /// farther than the margin. Of equal faces the first.
    ///
    /// Every face would have to be tried against every vertex. But a part reaches at least the radius of the sphere
    /// inside it in every direction, which bounds the separation from above: most faces are ruled out by one product.
    fn farthest_face(&self, part: &Part, other: &Part, offset: DVec3) -> Option<Axis> {
        let height = |f: usize| self.turned.normals[f].dot(offset) - self.bodies.faces[f].offset;
        let vertices = &self.turned.vertices[range(other.vertices)];
        let separation = |f: usize| height(f) + lowest(vertices, self.turned.normals[f]);
        let faces = range(part.faces);
        let mut best = faces.start;
        let mut highest = f64::NEG_INFINITY;
        for f in faces.clone() {
            let height = height(f);
            if height > highest {
                (best, highest) = (f, height);
            }
        }
        let mut farthest = separation(best);
        let margin = self.margin();
        for f in faces {
            if farthest > margin {
                return None;
            }
            if f != best && height(f) - other.inner_radius >= farthest {
                let separation = separation(f);
                if separation > farthest || (separation == farthest && f < best) {
                    (best, farthest) = (f, separation);
                }
            }
        }
        (farthest <= margin).then_some(Axis {
            normal: self.turned.normals[best],
            separation: farthest,
        })
    }

    /// The direction across an edge of each part along which they are farthest apart.
    ///
    /// Only pairs of edges whose arcs cross on the sphere of directions can touch from outside: the arc of an edge runs
    /// from the normal of one of its faces to that of the other.
    fn best_edge_axis(&self, edges: Edges, scratch: &Scratch) -> Option<Axis> {
        let [a, b] = self.parts.map(|p| &self.bodies.parts[p as usize]);
        let mut best: Option<Axis> = None;
        let taken = |edge: &Edge, looking: &[u32]| match edges {
            Edges::All => true,
            Edges::OfLookingFaces => edge.faces.iter().any(|f| looking.contains(f)),
        };
        for first in self.bodies.edges[range(a.edges)]
            .iter()
            .filter(|e| taken(e, &scratch.faces_first))
        {
            let [p1, q1] = first.ends.map(|v| self.turned.vertices[v as usize]);
            let [na, nb] = first.faces.map(|f| self.turned.normals[f as usize]);
            let direction1 = q1 - p1;
            let ba = nb.cross(na);
            for second in self.bodies.edges[range(b.edges)]
                .iter()
                .filter(|e| taken(e, &scratch.faces_second))
            {
                let [nc, nd] = second.faces.map(|f| -self.turned.normals[f as usize]);
                let (cba, dba) = (nc.dot(ba), nd.dot(ba));
                if cba * dba >= 0.0 {
                    continue;
                }
                let dc = nd.cross(nc);
                let (adc, bdc) = (na.dot(dc), nb.dot(dc));
                if adc * bdc >= 0.0 || cba * bdc <= 0.0 {
                    continue;
                }
                let [p2, q2] = second.ends.map(|v| self.turned.vertices[v as usize]);
                let direction2 = q2 - p2;
                let cross = direction1.cross(direction2);
                let length = cross.length();
                if length <= PARALLEL * direction1.length() * direction2.length() {
                    continue;
                }
                let normal = cross / length;
                let normal = if normal.dot(na + nb) < 0.0 { -normal } else { normal };
                let separation = normal.dot(p2 + self.offset - p1);
                if best.is_none_or(|b| separation > b.separation) {
                    best = Some(Axis { normal, separation });
                }
            }
        }
        best
    }
}

/// Which edges are tried.
#[derive(Clone, Copy)]
enum Edges {
    OfLookingFaces,
    All,
}

/// Smallest coordinate of some points along a direction.
fn lowest(vertices: &[DVec3], direction: DVec3) -> f64 {
    let mut lowest = f64::INFINITY;
    for v in vertices {
        let d = v.dot(direction);
        lowest = if d < lowest { d } else { lowest };
    }
    lowest
}

fn nearest(contacts: &[DetectedContact]) -> f64 {
    contacts.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min)
}
