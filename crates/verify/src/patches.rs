//! Joints with an area: common parts of two faces that lie on each other.
//!
//! A patch lies half-way between its faces, across the mean of their normals. It is made of convex pieces: what holds at
//! their corners for a motion of rigid blocks holds all over it.

use glam::{DVec2, DVec3};

use crate::{
    bodies::{Body, Face},
    polygons::{Outline, area, common_part, distance, left_outside, reach},
    slack::Slack,
};

/// A face that looks back along a normal by more than this (cosine) covers what is behind it.
const LOOKING_BACK: f64 = 0.1;

/// A plane part of the surface along which two blocks touch.
pub(crate) struct Patch {
    /// Unit normal from the first block to the second, and across the plane of the pieces.
    pub(crate) normal: DVec3,
    /// How far the normals of the two faces are from it.
    pub(crate) misfit: f64,
    /// How far the faces are from the plane of the patch (m).
    pub(crate) off: f64,
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
        let touching = |part: &Outline| part.iter().all(|&p| between.gap(p).abs() <= slack.joined);
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
            misfit: 0.5 * turned,
            off: 0.5 * widest.abs().max(narrowest.abs()),
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
            misfit: 0.0,
            off: off.fold(0.0, f64::max),
            origin,
            u,
            v,
            pieces: vec![points.iter().map(flat).collect()],
        }
    }

    /// Whether a point lies on it.
    pub(crate) fn holds(&self, point: DVec3, slack: &Slack) -> bool {
        let arm = point - self.origin;
        let flat = DVec2::new(arm.dot(self.u), arm.dot(self.v));
        arm.dot(self.normal).abs() <= self.off + 2.0 * slack.touch
            && self.pieces.iter().any(|p| distance(p, flat) <= slack.touch)
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
