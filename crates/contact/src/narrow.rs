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
    Contacts, DetectedContact, DetectedInterface, DetectorSettings, Feature,
    bodies::{Bodies, Edge, Part, Turned, range},
    cells::{Cells, Grid},
    clip::{Corner, Origin, Overlap},
};

/// Two edges closer to parallel than this (sine, about a degree) have no direction across them worth having: it would
/// be the ratio of two small angles.
const PARALLEL: f64 = 0.02;
/// Faces count as looking along the normal if they do so at least this much as much as the one that does most. Others
/// only share edges with it.
const LOOKING: f64 = 0.3;
/// Faces within about 5 degrees of the plane across the normal have an area of contact; others touch along an edge.
const FACING: f64 = 0.996;
/// Nodes closer to a face than this fraction of the size of the smaller block lie on it.
const ON_FACE: f64 = 1e-6;
/// Faces within about 25 degrees of it have contacts at the nodes of a grid where their blocks deform: such faces may be pressed
/// together.
const GRIDDED: f64 = 0.906;
/// Fraction of the size of the smaller block beyond which an interpenetration is no inaccuracy of a step.
const DEEP: f64 = 1e-2;
/// Fraction of the size of the smaller block that rounding may cost.
const ROUNDING: f64 = 1e-10;

/// Memory that is used again from one pair to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    overlap: Overlap,
    first: Vec<DVec2>,
    second: Vec<DVec2>,
    faces_first: Vec<u32>,
    faces_second: Vec<u32>,
    placed: Vec<(DVec2, usize)>,
    cells: Cells,
    outline: Vec<DVec2>,
}

/// A direction from the first part to the second, and how far apart they are along it.
#[derive(Clone, Copy)]
struct Axis {
    normal: DVec3,
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
    fn margin(&self) -> f64 {
        self.settings.margin + (self.settings.touch * self.size).max(self.settings.distance)
    }

    /// Length that rounding may cost, of the computation and of the coordinates (m).
    fn rounding(&self) -> f64 {
        (ROUNDING * self.size).max(self.settings.rounding)
    }

    /// Largest width of an overlap that is no contact, and largest depth of an interpenetration of touching faces (m).
    fn thin(&self) -> f64 {
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

    /// Adds the contact points along an axis; returns the area of contact.
    fn points(&self, axis: &Axis, scratch: &mut Scratch, contacts: &mut Contacts) -> Areas {
        let n = axis.normal;
        let u = n.any_orthonormal_vector();
        let v = n.cross(u);
        let [a, b] = self.parts.map(|p| &self.bodies.parts[p as usize]);
        looking(&self.turned.normals, range(a.faces), n, &mut scratch.faces_first);
        looking(&self.turned.normals, range(b.faces), -n, &mut scratch.faces_second);
        let single = scratch.faces_first.len() == 1 && scratch.faces_second.len() == 1;
        scratch.placed.clear();
        let mut areas = Areas::default();
        for i in 0..scratch.faces_first.len() {
            let first = scratch.faces_first[i];
            self.project(first, DVec3::ZERO, u, v, Turn::Kept, &mut scratch.first);
            for j in 0..scratch.faces_second.len() {
                let second = scratch.faces_second[j];
                // Seen along the normal, faces of the second part turn clockwise.
                self.project(second, self.offset, u, v, Turn::Reversed, &mut scratch.second);
                let of_faces = self.face_points([first, second], n, [u, v], single, scratch, contacts);
                areas.facing += of_faces.facing;
                areas.touching += of_faces.touching;
            }
        }
        areas
    }

    /// The corners of a face on the plane across the normal, counter-clockwise.
    fn project(&self, face: u32, offset: DVec3, u: DVec3, v: DVec3, turn: Turn, out: &mut Vec<DVec2>) {
        let corners = &self.bodies.corners[range(self.bodies.faces[face as usize].corners)];
        let flat = |&c: &u32| {
            let p = self.turned.vertices[c as usize] + offset;
            DVec2::new(p.dot(u), p.dot(v))
        };
        out.clear();
        match turn {
            Turn::Kept => out.extend(corners.iter().map(flat)),
            Turn::Reversed => out.extend(corners.iter().rev().map(flat)),
        }
    }

    /// Adds the contact points of two faces; returns the areas of their overlap, none if they do not face each other.
    fn face_points(
        &self,
        [first, second]: [u32; 2],
        n: DVec3,
        [u, v]: [DVec3; 2],
        single: bool,
        scratch: &mut Scratch,
        contacts: &mut Contacts,
    ) -> Areas {
        let rounding = self.rounding();
        let overlap = &mut scratch.overlap;
        overlap.find(&scratch.first, &scratch.second, rounding);
        let area = overlap.area();
        if area <= self.thin() * overlap.reach() {
            return Areas::default();
        }
        if self.settings.keep_all {
            overlap.add_straight(&scratch.second, rounding);
        } else {
            overlap.drop_straight(rounding);
        }
        let (na, nb) = (
            self.turned.normals[first as usize],
            self.turned.normals[second as usize],
        );
        let (face_a, face_b) = (&self.bodies.faces[first as usize], &self.bodies.faces[second as usize]);
        let faces_meet = na.dot(n) >= FACING && -nb.dot(n) >= FACING;
        let (lift_a, lift_b) = (1.0 / na.dot(n), 1.0 / nb.dot(n));
        let offset_b = face_b.offset + nb.dot(self.offset);
        let same_place = (100.0 * ROUNDING * self.size).max(rounding);
        let corners = &overlap.corners;
        let middle = corners.iter().map(|c| c.at).sum::<DVec2>() / corners.len() as f64;
        let heights = |at: DVec2| {
            let across = u * at.x + v * at.y;
            let height_a = (face_a.offset - na.dot(across)) * lift_a;
            (across, height_a, (offset_b - nb.dot(across)) * lift_b)
        };
        let is_contact = |gap: f64| gap <= self.margin();
        let touches = |corner: &Corner| {
            let (_, height_a, height_b) = heights(corner.at);
            is_contact(height_b - height_a)
        };
        let has_area = faces_meet && (!self.settings.whole_faces || corners.iter().all(touches));
        if self.divided && faces_meet {
            // Along an edge of the first face, so that cells stay where they are as blocks turn.
            let along = (scratch.first[1] - scratch.first[0])
                .try_normalize()
                .unwrap_or(DVec2::X);
            let [a, b] = self.parts.map(|p| &self.bodies.parts[p as usize]);
            let faces = (first - a.faces[0], second - b.faces[0]);
            scratch.outline.clear();
            scratch.outline.extend(corners.iter().map(|c| c.at));
            let begins = contacts.contacts.len();
            scratch.cells.each(&scratch.outline, along, |cell, at, area| {
                let (across, height_a, height_b) = heights(at);
                contacts.contacts.push(DetectedContact {
                    feature: Feature::Cell { faces, cell },
                    arm_first: across + n * height_a,
                    arm_second: across + n * height_b - self.offset,
                    gap: height_b - height_a,
                    area,
                });
            });
            // Cells that are open stay, so that what they have been crushed by is not forgotten, as long as one is not.
            if !contacts.contacts[begins..].iter().any(|c| is_contact(c.gap)) {
                contacts.contacts.truncate(begins);
            }
            return Areas {
                facing: area,
                touching: area,
            };
        }
        let placed = &mut scratch.placed;
        let mut add = |feature: Feature, at: DVec2, area: f64| {
            let (across, height_a, height_b) = heights(at);
            let gap = height_b - height_a;
            if !is_contact(gap) {
                return;
            }
            // Faces that share an edge both bring its points, each with its own share of the area.
            if !single {
                if let Some(&(_, contact)) = placed.iter().find(|(p, _)| p.distance(at) <= same_place) {
                    contacts.contacts[contact].area += area;
                    return;
                }
                placed.push((at, contacts.contacts.len()));
            }
            contacts.contacts.push(DetectedContact {
                feature,
                arm_first: across + n * height_a,
                arm_second: across + n * height_b - self.offset,
                gap,
                area,
            });
        };
        let grid = self.grid.filter(|_| na.dot(n) >= GRIDDED && -nb.dot(n) >= GRIDDED);
        match grid {
            Some(grid) if grid.has_nodes() => {
                let [a, b] = self.parts.map(|p| &self.bodies.parts[p as usize]);
                let faces = (first - a.faces[0], second - b.faces[0]);
                let off = |side: usize, at: DVec3| match side {
                    0 => na.dot(at) - face_a.offset,
                    _ => nb.dot(at) - face_b.offset,
                };
                let flat = |at: DVec3| DVec2::new(at.dot(u), at.dot(v));
                let n_corners = corners.len();
                let is_inside = |p: DVec2| {
                    let side = |k: usize| {
                        let (from, to) = (corners[k].at, corners[(k + 1) % n_corners].at);
                        (to - from).perp_dot(p - from) >= -same_place * (to - from).length()
                    };
                    (0..n_corners).all(side)
                };
                scratch.outline.clear();
                scratch.outline.extend(corners.iter().map(|c| c.at));
                for side in 0..2 {
                    let from = if side == 0 { DVec3::ZERO } else { self.offset };
                    let on_face = grid
                        .nodes(side)
                        .filter(|at| off(side, *at).abs() <= ON_FACE * self.size);
                    let inside = on_face.map(|at| flat(at + from)).filter(|p| is_inside(*p));
                    for p in inside {
                        if scratch.outline.iter().all(|q| q.distance(p) > ON_FACE * self.size) {
                            scratch.outline.push(p);
                        }
                    }
                }
                let each = if has_area {
                    area / scratch.outline.len() as f64
                } else {
                    0.0
                };
                for (node, &at) in (0..).zip(&scratch.outline) {
                    add(Feature::Node { faces, node }, at, each);
                }
            }
            Some(grid) => {
                let along = (scratch.first[1] - scratch.first[0])
                    .try_normalize()
                    .unwrap_or(DVec2::X);
                let [a, b] = self.parts.map(|p| &self.bodies.parts[p as usize]);
                let faces = (first - a.faces[0], second - b.faces[0]);
                scratch.outline.clear();
                scratch.outline.extend(corners.iter().map(|c| c.at));
                let count = |axis: DVec2, length: f64| grid.count(u * axis.x + v * axis.y, length);
                scratch
                    .cells
                    .each_node(&scratch.outline, along, count, |node, at, area| {
                        add(Feature::Node { faces, node }, at, if has_area { area } else { 0.0 });
                    });
            }
            None => {
                for (k, corner) in corners.iter().enumerate() {
                    let area = if has_area { share(corners, k, middle) } else { 0.0 };
                    add(self.feature(corner.origin, first, second), corner.at, area);
                }
            }
        }
        Areas {
            facing: if faces_meet { area } else { 0.0 },
            touching: if has_area { area } else { 0.0 },
        }
    }

    fn feature(&self, origin: Origin, first: u32, second: u32) -> Feature {
        let [a, b] = self.parts.map(|p| &self.bodies.parts[p as usize]);
        let corner_a = |k: u32| {
            let corners = range(self.bodies.faces[first as usize].corners);
            self.bodies.corners[corners.start + k as usize % corners.len()] - a.vertices[0]
        };
        // The second face was turned round: its corner k is the one k from the end.
        let corner_b = |k: u32| {
            let corners = range(self.bodies.faces[second as usize].corners);
            self.bodies.corners[corners.end - 1 - k as usize % corners.len()] - b.vertices[0]
        };
        let edge = |p: u32, q: u32| (p.min(q), p.max(q));
        match origin {
            Origin::First(k) => Feature::CornerOnFace {
                corner: corner_a(k),
                face: second - b.faces[0],
            },
            Origin::Second(k) => Feature::FaceUnderCorner {
                face: first - a.faces[0],
                corner: corner_b(k),
            },
            Origin::Crossing(i, k) => Feature::EdgeOnEdge {
                first: edge(corner_a(i), corner_a(i + 1)),
                second: edge(corner_b(k), corner_b(k + 1)),
            },
        }
    }
}

/// Area of the overlap of faces that look at each other, and of those among them that touch (m²).
#[derive(Clone, Copy, Default)]
struct Areas {
    facing: f64,
    touching: f64,
}

/// Which edges are tried.
#[derive(Clone, Copy)]
enum Edges {
    OfLookingFaces,
    All,
}

/// Whether the corners of a face are taken in their order or the other way round.
#[derive(Clone, Copy)]
enum Turn {
    Kept,
    Reversed,
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

/// Collects the faces that look along a direction.
fn looking(normals: &[DVec3], faces: std::ops::Range<usize>, direction: DVec3, found: &mut Vec<u32>) {
    let most = normals[faces.clone()]
        .iter()
        .map(|n| n.dot(direction))
        .fold(0.0, f64::max);
    found.clear();
    found.extend(
        faces
            .filter(|&f| normals[f].dot(direction) > LOOKING * most)
            .map(|f| f as u32),
    );
}

/// The part of a polygon's area that belongs to one of its corners: half of each of the two triangles that join its
/// sides to the polygon's middle. The shares add up to the area and change continuously as the polygon does.
fn share(corners: &[Corner], k: usize, middle: DVec2) -> f64 {
    let n = corners.len();
    let at = |i: usize| corners[i % n].at - middle;
    0.25 * (at(k + n - 1).perp_dot(at(k)) + at(k).perp_dot(at(k + 1)))
}
