//! Joints with an area: common parts of two faces that lie on each other.
//!
//! A patch lies half-way between its faces, across the mean of their normals. It is made of convex pieces: what holds at
//! their corners for a motion of rigid blocks holds all over it.

use glam::{DVec2, DVec3};

use crate::{
    bodies::{Body, Face},
    polygons::{Outline, area, common_part, left_outside, nearest, reach},
    slack::Slack,
};

/// A face that looks back along a normal by more than this (cosine) covers what is behind it.
const LOOKING_BACK: f64 = 0.1;

/// A plane part of the surface along which two blocks touch.
pub(crate) struct Patch {
    /// Unit normal from the first block to the second, and across the plane of the pieces.
    pub(crate) normal: DVec3,
    /// Unit normals of the two faces, both from the first block to the second.
    pub(crate) of_faces: [DVec3; 2],
    /// Smallest and largest distance between the faces (m).
    pub(crate) gaps: [f64; 2],
    /// How far its corners are off its plane, where it is stored with a model (m).
    bent: f64,
    origin: DVec3,
    u: DVec3,
    v: DVec3,
    pub(crate) pieces: Vec<Outline>,
}

impl Patch {
    /// The common part of two faces that lie on each other, without what is behind faces of other blocks.
    pub(crate) fn of(f: &Face, g: &Face, others: &[&Body], slack: &Slack) -> Option<Self> {
        let turned = (f.normal + g.normal).length();
        if turned > slack.turned && (slack.rounded == 0.0 || turned > slack.turned_by_rounding) {
            return None;
        }
        let between = Between::of(f, g)?;
        // Faces that have passed each other by less than what is refused as an overlap are joined, too.
        let touches = |gap: f64| gap <= slack.joined && gap >= -slack.depth();
        let touching = |part: &Outline| part.iter().all(|&p| touches(between.gap(p)));
        let mut pieces: Vec<Outline> = between.common_parts().into_iter().filter(touching).collect();
        if pieces.iter().flatten().any(|&p| between.gap(p) > slack.line) {
            let covers = others.iter().flat_map(|body| &body.faces);
            for cover in covers.filter(|face| face.normal.dot(between.normal) < -LOOKING_BACK) {
                pieces = between.uncovered(pieces, cover, slack);
            }
        }
        // A wide patch may be cut into pieces some of which are narrow. These belong to it; one of nothing else is none.
        let is_wide = pieces.iter().any(|p| area(p) > slack.line * reach(p));
        if !is_wide {
            return None;
        }
        pieces.retain(|p| area(p) > 1e-3 * slack.line * reach(p));
        let gaps = || pieces.iter().flatten().map(|&p| between.gap(p));
        let (narrowest, widest) = (
            gaps().fold(f64::INFINITY, f64::min),
            gaps().fold(f64::NEG_INFINITY, f64::max),
        );
        if turned > slack.turned && widest - narrowest > slack.rounded {
            return None;
        }
        Some(Self {
            normal: between.normal,
            of_faces: [f.normal, -g.normal],
            gaps: [narrowest, widest],
            bent: 0.0,
            origin: between.origin,
            u: between.u,
            v: between.v,
            pieces,
        })
    }

    /// A polygon that is stored with a model; its normal is that of the file.
    pub(crate) fn stored(points: &[DVec3], origin: DVec3, normal: DVec3) -> Self {
        let (u, v) = axes(normal);
        let flat = |p: &DVec3| DVec2::new((*p - origin).dot(u), (*p - origin).dot(v));
        let off = points.iter().map(|p| (*p - origin).dot(normal).abs());
        Self {
            normal,
            of_faces: [normal; 2],
            gaps: [0.0; 2],
            bent: off.fold(0.0, f64::max),
            origin,
            u,
            v,
            pieces: vec![points.iter().map(flat).collect()],
        }
    }

    /// The point of it that is nearest to a point: half-way between the faces, within the outline.
    fn nearest(&self, point: DVec3) -> Option<DVec3> {
        let arm = point - self.origin;
        let flat = DVec2::new(arm.dot(self.u), arm.dot(self.v));
        let found = self.pieces.iter().filter_map(|p| nearest(p, flat));
        let found = found.min_by(|p, q| p.distance(flat).total_cmp(&q.distance(flat)))?;
        // From the point itself, so that one that lies on the patch keeps its digits.
        let (across, height) = (found - flat, arm.dot(self.normal));
        let lower = height.clamp(-self.bent, self.bent) - height;
        Some(point + self.u * across.x + self.v * across.y + self.normal * lower)
    }

    /// The same for a point that is meant to lie on it; none for others.
    pub(crate) fn seat(&self, point: DVec3, slack: &Slack) -> Option<DVec3> {
        let found = self.nearest(point)?;
        let off = point - found;
        let height = off.dot(self.normal);
        let between = 0.5 * self.gaps[0].abs().max(self.gaps[1].abs());
        let is_near =
            height.abs() <= between + 2.0 * slack.touch && (off - self.normal * height).length() <= slack.touch;
        is_near.then_some(found)
    }

    /// The corners of its pieces.
    pub(crate) fn corners(&self) -> impl Iterator<Item = DVec3> + '_ {
        let lifted = |&p: &DVec2| self.origin + self.u * p.x + self.v * p.y;
        self.pieces.iter().flatten().map(lifted)
    }
}

/// The plane half-way between two faces that look against each other.
pub(crate) struct Between<'a> {
    faces: [&'a Face; 2],
    /// Mean of the normals, from the first to the second.
    pub(crate) normal: DVec3,
    origin: DVec3,
    u: DVec3,
    v: DVec3,
}

impl<'a> Between<'a> {
    pub(crate) fn of(f: &'a Face, g: &'a Face) -> Option<Self> {
        let normal = (f.normal - g.normal).try_normalize()?;
        let (u, v) = axes(normal);
        let mut between = Self {
            faces: [f, g],
            normal,
            origin: f.origin,
            u,
            v,
        };
        between.origin += 0.5 * between.above(g, f.origin) * normal;
        Some(between)
    }

    /// How far along the normal a face is above a point.
    fn above(&self, face: &Face, point: DVec3) -> f64 {
        -face.height(point) / face.normal.dot(self.normal)
    }

    pub(crate) fn lifted(&self, p: DVec2) -> DVec3 {
        self.origin + self.u * p.x + self.v * p.y
    }

    /// How far apart the faces are along the normal; below zero where they have passed each other.
    pub(crate) fn gap(&self, p: DVec2) -> f64 {
        let [f, g] = self.faces;
        let at = self.lifted(p);
        self.above(g, at) - self.above(f, at)
    }

    /// What is left of pieces of the common part where a face of another block does not lie between the two.
    fn uncovered(&self, pieces: Vec<Outline>, cover: &Face, slack: &Slack) -> Vec<Outline> {
        let flat = |p: &DVec2| {
            let arm = cover.lifted(*p) - self.origin;
            DVec2::new(arm.dot(self.u), arm.dot(self.v))
        };
        let is_between = |part: &Outline| {
            let at = self.lifted(part.iter().sum::<DVec2>() / part.len() as f64);
            let [low, high] = self.faces.map(|face| self.above(face, at));
            let height = self.above(cover, at);
            height >= low - slack.line && height < high - slack.line
        };
        let is_wide = |part: &Outline| part.len() > 2 && area(part) > slack.line * reach(part);
        let mut left = pieces;
        for piece in &cover.pieces {
            let outline: Outline = piece.iter().rev().map(flat).collect();
            let rest = |part: Outline| {
                let common = common_part(&part, &outline);
                match is_wide(&common) && is_between(&common) {
                    true => left_outside(&part, &outline),
                    false => vec![part],
                }
            };
            left = left.into_iter().flat_map(rest).collect();
        }
        left
    }

    /// The common parts of the faces, seen along the normal.
    pub(crate) fn common_parts(&self) -> Vec<Outline> {
        let [f, g] = self.faces;
        let flat = |face: &Face, p: DVec2| {
            let arm = face.lifted(p) - self.origin;
            DVec2::new(arm.dot(self.u), arm.dot(self.v))
        };
        let firsts: Vec<Outline> = f
            .pieces
            .iter()
            .map(|piece| piece.iter().map(|&p| flat(f, p)).collect())
            .collect();
        // Seen from the first block the second face turns clockwise.
        let seconds: Vec<Outline> = g
            .pieces
            .iter()
            .map(|piece| piece.iter().rev().map(|&p| flat(g, p)).collect())
            .collect();
        let pairs = firsts.iter().flat_map(|a| seconds.iter().map(move |b| (a, b)));
        pairs.map(|(a, b)| common_part(a, b)).filter(|p| p.len() > 2).collect()
    }
}

fn axes(normal: DVec3) -> (DVec3, DVec3) {
    let u = normal.any_orthonormal_vector();
    (u, normal.cross(u))
}
