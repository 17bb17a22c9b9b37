//! Blocks that overlap.
//!
//! Joints are looked for where surfaces meet. Blocks that overlap by more than the tolerance have surfaces inside each
//! other instead, and joints that the search would miss: a motion could then seem free that is not. Such models are
//! refused. A point is inside a block if the solid angle of all faces, seen from it, is the full one.
//!
//! Two blocks overlap if a part of the surface of one is inside the other, or if they are in one place. Points to try are
//! therefore the corners, the middles of what faces of the other cut off edges, points of what they cut off faces (two prisms
//! that cross with all edges on the surface of the other), and, where surfaces have passed each other without any of these
//! between, the centres and the middles between faces that look against each other.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};

use crate::{
    bodies::{Body, Face},
    boxes::Span,
    patches::Between,
    polygons::{area, distance, reach, segment_distance},
    slack::Slack,
};

/// Faces that look against each other at least this much (cosine) bound an overlap with a middle worth trying.
const AGAINST: f64 = 0.9;
/// Pairs of faces up to which middles are tried. Surfaces of more faces have corners and edges wherever they overlap.
const MANY: usize = 1_000_000;
/// Places on the border of parts of a face with which each is paired.
const BESIDE: usize = 64;
/// A direction that no edge and no face of a structure is likely to follow.
const ASKEW: DVec3 = DVec3::new(0.367_879_441_171, 0.577_215_664_902, 0.728_973_104_337);

/// A point that is inside two blocks, by more than the tolerance, if one is found.
pub(crate) fn common_point(a: &Body, b: &Body, slack: &Slack) -> Option<DVec3> {
    let depth = slack.depth();
    let common = Span {
        min: a.min.max(b.min),
        max: a.max.min(b.max),
    };
    if (common.max - common.min).min_element() <= depth || is_apart(a, b, depth) || is_apart(b, a, depth) {
        return None;
    }
    let sides = [(a, b), (b, a)];
    let on_edges = sides.iter().find_map(|(body, other)| {
        let corners = body.corners.iter().copied();
        let mut points = corners.chain(between_faces(body, other, &common));
        points.find(|p| is_within(&common, *p) && is_inside(other, *p, depth))
    });
    // The middle of an overlap is half as deep as the overlap.
    let shallow = 0.45 * depth;
    let is_inside_both = |p: &DVec3| is_inside(a, *p, shallow) && is_inside(b, *p, shallow);
    on_edges
        .or_else(|| {
            sides.iter().find_map(|(body, other)| {
                let near: Vec<&Face> = other.faces.iter().filter(|f| f.span().meets(&common)).collect();
                let faces = body.faces.iter().filter(|f| f.span().meets(&common));
                let mut points = faces.flat_map(|f| within_face(f, &near, slack)).take(MANY);
                points.find(|p| is_within(&common, *p) && is_inside(other, *p, depth))
            })
        })
        .or_else(|| [a.center, b.center].into_iter().find(is_inside_both))
        .or_else(|| {
            let [near_a, near_b] = [a, b].map(|body| {
                let faces = body.faces.iter().filter(|f| f.span().meets(&common));
                faces.collect::<Vec<_>>()
            });
            let pairs = near_a.iter().flat_map(|&f| near_b.iter().map(move |&g| (f, g)));
            let mut middles = pairs.take(MANY).filter_map(|(f, g)| middle(f, g, slack));
            middles.find(is_inside_both)
        })
}

/// Whether a face of a convex block has all of another before it, but for a depth.
fn is_apart(convex: &Body, other: &Body, depth: f64) -> bool {
    let before = |f: &Face| other.corners.iter().all(|&c| f.height(c) >= -depth);
    convex.is_convex && convex.faces.iter().any(before)
}

fn is_within(span: &Span, p: DVec3) -> bool {
    span.min.cmple(p).all() && p.cmple(span.max).all()
}

/// Middles of the parts into which faces of another block cut the edges of a block.
fn between_faces(body: &Body, other: &Body, common: &Span) -> Vec<DVec3> {
    let faces: Vec<&Face> = other.faces.iter().filter(|f| f.span().meets(common)).collect();
    let mut found = Vec::new();
    for &[p, q] in &body.edges {
        let edge = Span {
            min: p.min(q),
            max: p.max(q),
        };
        if !edge.meets(common) {
            continue;
        }
        let mut cuts = vec![0.0, 1.0];
        for face in &faces {
            if !face.span().meets(&edge) {
                continue;
            }
            let (from, to) = (face.height(p), face.height(q));
            let t = from / (from - to);
            if t > 0.0 && t < 1.0 && distance(&face.outline, face.flat(p + (q - p) * t)) == 0.0 {
                cuts.push(t);
            }
        }
        if cuts.len() > 2 {
            cuts.sort_by(f64::total_cmp);
            found.extend(cuts.windows(2).map(|w| p + (q - p) * (0.5 * (w[0] + w[1]))));
        }
    }
    found
}

/// Points of the parts into which faces of another block cut a face: middles between two places on the border of a part.
fn within_face(face: &Face, others: &[&Face], slack: &Slack) -> Vec<DVec3> {
    // What is no wider than an edge has no plane worth having, and its edges have been tried.
    let has_width = |f: &Face| area(&f.outline) > slack.feature * reach(&f.outline);
    if !has_width(face) {
        return Vec::new();
    }
    let near = others.iter().filter(|g| has_width(g) && g.span().meets(&face.span()));
    let cuts: Vec<[DVec2; 2]> = near.flat_map(|g| crossing(face, g, slack)).collect();
    let mut border: Vec<DVec2> = cuts.iter().map(|[p, q]| 0.5 * (*p + *q)).collect();
    let n = face.outline.len();
    for (k, &p) in face.outline.iter().enumerate() {
        let q = face.outline[(k + 1) % n];
        let along = q - p;
        let on_side = cuts
            .iter()
            .flatten()
            .filter(|c| segment_distance(**c, p, q) <= slack.feature);
        let mut ends: Vec<f64> = on_side.map(|c| (*c - p).dot(along) / along.length_squared()).collect();
        ends.extend([0.0, 1.0]);
        ends.sort_by(f64::total_cmp);
        border.extend(ends.windows(2).map(|w| p + along * (0.5 * (w[0] + w[1]))));
    }
    let pairs = border.iter().enumerate().flat_map(|(k, p)| {
        // Of a face that is cut very often, places that follow each other.
        let others = &border[k.saturating_sub(BESIDE)..k];
        others.iter().map(move |q| 0.5 * (*p + *q))
    });
    let is_on_face = |p: &DVec2| distance(&face.outline, *p) == 0.0;
    pairs.filter(is_on_face).map(|p| face.lifted(p)).collect()
}

/// Where a face of another block runs through a face.
fn crossing(face: &Face, other: &Face, slack: &Slack) -> Vec<[DVec2; 2]> {
    let Some(along) = face.normal.cross(other.normal).try_normalize() else {
        return Vec::new();
    };
    let across = along.cross(face.normal);
    let start = face.origin - across * (other.height(face.origin) / other.normal.dot(across));
    // From where to where a convex piece has the line.
    let span = |face: &Face, piece: &[DVec2]| {
        let (p, q) = (face.flat(start), face.flat(start + along));
        let mut range = [f64::NEG_INFINITY, f64::INFINITY];
        for (k, &a) in piece.iter().enumerate() {
            let side = piece[(k + 1) % piece.len()] - a;
            let (height, slope) = (side.perp_dot(p - a), side.perp_dot(q - p));
            let end = -height / slope;
            match slope {
                _ if slope > 0.0 => range[0] = end.max(range[0]),
                _ if slope < 0.0 => range[1] = end.min(range[1]),
                _ if height < 0.0 => range = [0.0, -1.0],
                _ => {}
            }
        }
        range
    };
    let [own, others] = [face, other].map(|f| f.pieces.iter().map(move |p| span(f, p)).collect::<Vec<_>>());
    let mut found = Vec::new();
    for [low, high] in &own {
        for [from, to] in &others {
            let (from, to) = (low.max(*from), high.min(*to));
            if to - from > slack.feature {
                found.push([from, to].map(|t| face.flat(start + along * t)));
            }
        }
    }
    found
}

/// The middle between two faces that look against each other and have passed each other.
fn middle(f: &Face, g: &Face, slack: &Slack) -> Option<DVec3> {
    if f.normal.dot(g.normal) > -AGAINST {
        return None;
    }
    let between = Between::of(f, g)?;
    let parts = between.common_parts();
    let widest = parts.iter().max_by(|p, q| area(p).total_cmp(&area(q)))?;
    if area(widest) <= slack.feature * reach(widest) {
        return None;
    }
    let at = widest.iter().sum::<DVec2>() / widest.len() as f64;
    (between.gap(at) < -slack.depth()).then(|| between.lifted(at))
}

/// Whether a point is inside a block and not near its surface.
pub(crate) fn is_inside(body: &Body, point: DVec3, near: f64) -> bool {
    if body.faces.iter().any(|f| f.is_near(point, near)) || crossings(body, point).is_multiple_of(2) {
        return false;
    }
    let angle: f64 = body.faces.iter().map(|f| solid_angle(f, point)).sum();
    angle > 2.0 * PI
}

/// How many faces a ray from a point crosses: a quick way to tell most points that are outside.
fn crossings(body: &Body, point: DVec3) -> usize {
    let crosses = |f: &&Face| {
        let t = -f.height(point) / f.normal.dot(ASKEW);
        if t.is_nan() || t <= 0.0 {
            return false;
        }
        let at = point + ASKEW * t;
        // Boxes are cheap to ask, and a little wider than their faces for rounding.
        let margin = DVec3::splat(1e-9 * body.size);
        (f.min - margin).cmple(at).all() && at.cmple(f.max + margin).all() && distance(&f.outline, f.flat(at)) == 0.0
    };
    body.faces.iter().filter(crosses).count()
}

/// The solid angle of a face seen from a point, above zero from behind (van Oosterom and Strackee 1983).
///
/// It is the sum over the convex pieces of the face. A fan from one corner reaches over the dents of a face: a point in the
/// plane of the face and in such a dent would see parts of it from both sides at once.
fn solid_angle(face: &Face, point: DVec3) -> f64 {
    let of_piece = |piece: &Vec<DVec2>| {
        let corner = |k: usize| face.lifted(piece[k]) - point;
        let a = corner(0);
        let triangle = |k: usize| {
            let (b, c) = (corner(k), corner(k + 1));
            let (la, lb, lc) = (a.length(), b.length(), c.length());
            let above = a.dot(b.cross(c));
            let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            2.0 * above.atan2(below)
        };
        (1..piece.len().saturating_sub(1)).map(triangle).sum::<f64>()
    };
    face.pieces.iter().map(of_piece).sum()
}

#[cfg(test)]
mod tests {
    use drystone_model::{Block, Model, Shape, recipes};

    use super::*;
    use crate::{
        bodies::{Bodies, shapes},
        contacts::Contacts,
    };

    fn boxes(second: [DVec3; 2]) -> Model {
        let mut model = Model::named("boxes");
        let first = Shape::cuboid(DVec3::ZERO, DVec3::ONE);
        model.blocks.push(Block::new("first", first).fixed());
        let second = Shape::cuboid(second[0], second[1]);
        model.blocks.push(Block::new("second", second));
        model
    }

    fn points(model: &Model) -> Result<usize, String> {
        let shapes = shapes(model)?;
        let contacts = Contacts::of(model, &shapes)?;
        let bodies = Bodies::of(model, &shapes)?;
        match contacts.fault(&bodies) {
            Some(fault) => Err(fault),
            None => Ok(contacts.joints.iter().map(|j| j.points.len()).sum()),
        }
    }

    #[test]
    fn boxes_that_overlap_by_more_than_the_tolerance_are_refused() {
        let at = |z: f64| boxes([DVec3::new(0.0, 0.0, z), DVec3::new(1.0, 1.0, z + 1.0)]);
        for (z, joints) in [
            (1.0, Some(4)),
            (1.0 - 1e-6, Some(4)),
            (1.0 + 1e-6, Some(4)),
            (1.1, Some(0)),
        ] {
            assert_eq!(points(&at(z)).ok(), joints, "{z}");
        }
        for z in [0.9999, 0.5, 0.0] {
            assert!(points(&at(z)).unwrap_err().contains("overlap"), "{z}");
        }
        let corner = boxes([DVec3::splat(0.999), DVec3::splat(2.0)]);
        assert!(points(&corner).is_err());
        let within = boxes([DVec3::splat(0.4), DVec3::splat(0.6)]);
        assert!(points(&within).is_err());
        // Plates thinner than anything else are no overlap.
        let plate = boxes([DVec3::new(0.0, 0.0, 1.0), DVec3::new(1.0, 1.0, 1.0001)]);
        assert_eq!(points(&plate), Ok(4));
    }

    #[test]
    fn no_recipe_has_blocks_in_each_other() {
        for recipe in recipes::all() {
            let model = recipe.build(&[]).unwrap();
            assert!(points(&model).unwrap() > 0, "{}", recipe.name);
        }
    }
}
