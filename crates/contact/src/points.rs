//! Contact points of two parts along a common normal: the corners of the overlap of their faces, cells of it, or nodes where
//! blocks deform.

use glam::{DVec2, DVec3};

use crate::{
    Contacts, DetectedContact, Feature,
    bodies::range,
    cells::Grid,
    clip::{Corner, Origin},
    narrow::{Axis, Pair, ROUNDING, Scratch},
    shares::Clip,
};

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
/// Area of the overlap of faces that look at each other, and of those among them that touch (m²).
#[derive(Clone, Copy, Default)]
pub(crate) struct Areas {
    pub(crate) facing: f64,
    pub(crate) touching: f64,
}

/// Whether the corners of a face are taken in their order or the other way round.
#[derive(Clone, Copy)]
enum Turn {
    Kept,
    Reversed,
}

/// Two faces that look at each other along a normal.
struct Faces {
    /// Their places in their parts.
    places: (u32, u32),
    normal: DVec3,
    /// Axes of the plane across it.
    axes: [DVec3; 2],
    /// Their own normals, and how far they lie along them; how much higher than along these they lie along the common one.
    own: [DVec3; 2],
    offset: [f64; 2],
    lift: [f64; 2],
}

impl Faces {
    /// Whether both look along the normal by so much (cosine).
    fn are_within(&self, least: f64) -> bool {
        self.own[0].dot(self.normal) >= least && -self.own[1].dot(self.normal) >= least
    }

    fn flat(&self, at: DVec3) -> DVec2 {
        DVec2::new(at.dot(self.axes[0]), at.dot(self.axes[1]))
    }

    /// A place of the plane across the normal, and the heights of the two faces there.
    fn heights(&self, at: DVec2) -> (DVec3, [f64; 2]) {
        let across = self.axes[0] * at.x + self.axes[1] * at.y;
        let height = |k: usize| (self.offset[k] - self.own[k].dot(across)) * self.lift[k];
        (across, [height(0), height(1)])
    }

    fn gap(&self, at: DVec2) -> f64 {
        let (_, [first, second]) = self.heights(at);
        second - first
    }

    /// A contact there; `between` leads from the centre of the first block to that of the second.
    fn contact(&self, feature: Feature, at: DVec2, area: f64, between: DVec3) -> DetectedContact {
        let (across, [first, second]) = self.heights(at);
        DetectedContact {
            feature,
            arm_first: across + self.normal * first,
            arm_second: across + self.normal * second - between,
            gap: second - first,
            area,
        }
    }
}

/// Nodes of the meshes of two blocks, as they are seen along the normal of two faces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    seen: [Vec<Seen>; 2],
    shares: Vec<f64>,
    clip: Clip,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    at: DVec2,
    is_on_face: bool,
    /// Its place among the points of the overlap, where it is one.
    point: Option<usize>,
}

impl Nodes {
    /// What each point of an overlap, of which so many corners and an area are told, bears of an even pressure on it: by the
    /// triangles of either mesh, or half by each.
    fn shares(&mut self, grid: &Grid<'_>, outline: &[DVec2], (corners, area): (usize, f64)) -> &[f64] {
        self.shares.clear();
        self.shares.resize(outline.len(), 0.0);
        for side in 0..2 {
            let seen = &self.seen[side];
            for triangle in grid.triangles(side) {
                let nodes = triangle.map(|n| seen[n as usize]);
                let [a, b, c, ..] = nodes;
                if [a, b, c].iter().all(|node| node.is_on_face) {
                    let shares = self.clip.shares(&outline[..corners], [a.at, b.at, c.at]);
                    for (node, share) in nodes.iter().zip(shares) {
                        if let Some(point) = node.point {
                            self.shares[point] += share;
                        }
                    }
                }
            }
        }
        // What lies beside the overlap bears nothing of it, and nothing bears less.
        let rounding = 1e-9 * area;
        for share in &mut self.shares {
            *share = if *share > rounding { *share } else { 0.0 };
        }
        let sum: f64 = self.shares.iter().sum();
        for share in &mut self.shares {
            *share = if sum > rounding {
                *share * area / sum
            } else {
                area / outline.len() as f64
            };
        }
        &self.shares
    }
}

impl Pair<'_> {
    /// Adds the contact points along an axis; returns the area of contact.
    pub(crate) fn points(&self, axis: &Axis, scratch: &mut Scratch, contacts: &mut Contacts) -> Areas {
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
        let faces = self.faces([first, second], n, [u, v]);
        let same_place = (100.0 * ROUNDING * self.size).max(rounding);
        let corners = &overlap.corners;
        let faces_meet = faces.are_within(FACING);
        let touches = |corner: &Corner| faces.gap(corner.at) <= self.margin();
        let has_area = faces_meet && (!self.settings.whole_faces || corners.iter().all(touches));
        // Along an edge of the first face, so that cells stay where they are as blocks turn.
        let along = || {
            let edge = scratch.first[1] - scratch.first[0];
            edge.try_normalize().unwrap_or(DVec2::X)
        };
        let outline = &mut scratch.outline;
        outline.clear();
        outline.extend(corners.iter().map(|c| c.at));
        if self.divided && faces_meet {
            let begins = contacts.contacts.len();
            scratch.cells.each(outline, along(), |cell, at, area| {
                let feature = Feature::Cell {
                    faces: faces.places,
                    cell,
                };
                contacts.contacts.push(faces.contact(feature, at, area, self.offset));
            });
            // Cells that are open stay, so that what they have been crushed by is not forgotten, as long as one is not.
            if !contacts.contacts[begins..].iter().any(|c| c.gap <= self.margin()) {
                contacts.contacts.truncate(begins);
            }
            return Areas {
                facing: area,
                touching: area,
            };
        }
        let placed = &mut scratch.placed;
        let mut add = |feature: Feature, at: DVec2, area: f64| {
            let area = if has_area { area } else { 0.0 };
            let contact = faces.contact(feature, at, area, self.offset);
            if contact.gap > self.margin() {
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
            contacts.contacts.push(contact);
        };
        let node = |node: u32| Feature::Node {
            faces: faces.places,
            node,
        };
        match self.grid.filter(|_| faces.are_within(GRIDDED)) {
            Some(grid) if grid.has_nodes() => {
                self.add_nodes(&grid, &faces, same_place, (outline, &mut scratch.nodes));
                let shares = scratch.nodes.shares(&grid, outline, (corners.len(), area));
                for ((k, &at), &share) in (0..).zip(&*outline).zip(shares) {
                    add(node(k), at, share);
                }
            }
            Some(grid) => {
                let count = |axis: DVec2, length: f64| grid.count(u * axis.x + v * axis.y, length);
                let add_node = |k, at, area| add(node(k), at, area);
                scratch.cells.each_node(outline, along(), count, add_node);
            }
            None => {
                let middle = corners.iter().map(|c| c.at).sum::<DVec2>() / corners.len() as f64;
                for (k, corner) in corners.iter().enumerate() {
                    add(
                        self.feature(corner.origin, first, second),
                        corner.at,
                        share(corners, k, middle),
                    );
                }
            }
        }
        Areas {
            facing: if faces_meet { area } else { 0.0 },
            touching: if has_area { area } else { 0.0 },
        }
    }

    fn faces(&self, [first, second]: [u32; 2], normal: DVec3, axes: [DVec3; 2]) -> Faces {
        let own = [first, second].map(|f| self.turned.normals[f as usize]);
        let offset = |f: u32| self.bodies.faces[f as usize].offset;
        let [a, b] = self.parts.map(|p| &self.bodies.parts[p as usize]);
        Faces {
            places: (first - a.faces[0], second - b.faces[0]),
            normal,
            axes,
            own,
            offset: [offset(first), offset(second) + own[1].dot(self.offset)],
            lift: own.map(|face| 1.0 / face.dot(normal)),
        }
    }

    /// Adds to the corners of an overlap the nodes of both faces that lie within it.
    fn add_nodes(
        &self,
        grid: &Grid<'_>,
        faces: &Faces,
        same_place: f64,
        (outline, nodes): (&mut Vec<DVec2>, &mut Nodes),
    ) {
        let corners = outline.len();
        for side in 0..2 {
            nodes.seen[side].clear();
            let from = if side == 0 { DVec3::ZERO } else { self.offset };
            for at in grid.nodes(side) {
                let off = faces.own[side].dot(at + from) - faces.offset[side];
                let mut seen = Seen {
                    at: faces.flat(at + from),
                    is_on_face: off.abs() <= ON_FACE * self.size,
                    point: None,
                };
                let edge = |k: usize| {
                    let (from, to) = (outline[k], outline[(k + 1) % corners]);
                    (to - from).perp_dot(seen.at - from) >= -same_place * (to - from).length()
                };
                if seen.is_on_face && (0..corners).all(edge) {
                    let is_same = |q: &DVec2| q.distance(seen.at) <= ON_FACE * self.size;
                    let point = outline.iter().position(is_same).unwrap_or(outline.len());
                    if point == outline.len() {
                        outline.push(seen.at);
                    }
                    seen.point = Some(point);
                }
                nodes.seen[side].push(seen);
            }
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

/// Collects the faces that look along a direction.
pub(crate) fn looking(normals: &[DVec3], faces: std::ops::Range<usize>, direction: DVec3, found: &mut Vec<u32>) {
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
