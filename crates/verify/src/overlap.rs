//! Blocks that lie in each other.
//!
//! Joints are looked for where surfaces meet. Blocks that overlap by more than the tolerance have surfaces inside each
//! other instead, and joints that the search would miss: a motion could then seem free that is not. Such models are
//! refused. A point is inside both blocks if both have it in front of none of their surface: the solid angle of all
//! faces, seen from it, is the full one.

use std::f64::consts::PI;

use glam::DVec3;

use crate::{
    bodies::{Body, Face},
    contacts::{Slack, common_parts},
    polygons::{area, distance, reach},
};

/// Faces that look against each other at least this much (cosine) bound an overlap with a middle worth trying.
const AGAINST: f64 = 0.9;

/// A point that is inside two blocks, by more than the tolerance, if one is found.
pub(crate) fn common_point(a: &Body, b: &Body, slack: &Slack) -> Option<DVec3> {
    let (low, high) = (a.min.max(b.min), a.max.min(b.max));
    if (high - low).min_element() <= slack.touch {
        return None;
    }
    // The middle of an overlap is half as deep as the overlap.
    let shallow = 0.45 * slack.touch;
    let is_inside_both = |p: &DVec3| is_inside(a, *p, shallow) && is_inside(b, *p, shallow);
    let is_near = |p: &&DVec3| low.cmple(**p).all() && p.cmple(high).all();
    let in_second = a
        .corners
        .iter()
        .filter(is_near)
        .find(|&&p| is_inside(b, p, slack.touch));
    let in_first = || {
        b.corners
            .iter()
            .filter(is_near)
            .find(|&&p| is_inside(a, p, slack.touch))
    };
    if let Some(&corner) = in_second.or_else(in_first) {
        return Some(corner);
    }
    let faces = a.faces.iter().flat_map(|f| b.faces.iter().map(move |g| (f, g)));
    faces.filter_map(|(f, g)| middle(f, g, slack)).find(is_inside_both)
}

/// The middle between two faces that look against each other and have passed each other.
fn middle(f: &Face, g: &Face, slack: &Slack) -> Option<DVec3> {
    let facing = f.normal.dot(g.normal);
    if facing > -AGAINST {
        return None;
    }
    let parts = common_parts(f, g);
    let widest = parts.iter().max_by(|p, q| area(p).total_cmp(&area(q)))?;
    if area(widest) <= slack.feature * reach(widest) {
        return None;
    }
    let at = f.lifted(widest.iter().sum::<glam::DVec2>() / widest.len() as f64);
    let gap = g.height(at) / -facing;
    (gap < -slack.touch).then(|| at + f.normal * (0.5 * gap))
}

/// Whether a point is inside a block and not near its surface.
fn is_inside(body: &Body, point: DVec3, near: f64) -> bool {
    let is_on = |f: &Face| f.height(point).abs() <= near && distance(&f.outline, f.flat(point)) <= near;
    let angle: f64 = body.faces.iter().map(|f| solid_angle(f, point)).sum();
    angle > 2.0 * PI && !body.faces.iter().any(is_on)
}

/// The solid angle of a face seen from a point, above zero from behind (van Oosterom and Strackee 1983).
fn solid_angle(face: &Face, point: DVec3) -> f64 {
    let corners: Vec<DVec3> = face.outline.iter().map(|&p| face.lifted(p) - point).collect();
    let Some((&a, rest)) = corners.split_first() else {
        return 0.0;
    };
    let triangle = |pair: &[DVec3]| {
        let (b, c) = (pair[0], pair[1]);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let above = a.dot(b.cross(c));
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * above.atan2(below)
    };
    rest.windows(2).map(triangle).sum()
}

#[cfg(test)]
mod tests {
    use drystone_model::{Block, Model, Shape, recipes};

    use super::*;
    use crate::{bodies::Bodies, contacts::Contacts};

    fn boxes(second: [DVec3; 2]) -> Model {
        let mut model = Model::named("boxes");
        let first = Shape::cuboid(DVec3::ZERO, DVec3::ONE);
        model.blocks.push(Block::new("first", first).fixed());
        let second = Shape::cuboid(second[0], second[1]);
        model.blocks.push(Block::new("second", second));
        model
    }

    fn points(model: &Model) -> Result<usize, String> {
        Bodies::of(model).and_then(|b| Contacts::of(&b)).map(|c| c.points.len())
    }

    #[test]
    fn boxes_that_overlap_by_more_than_the_tolerance_are_refused() {
        let at = |z: f64| boxes([DVec3::new(0.0, 0.0, z), DVec3::new(1.0, 1.0, z + 1.0)]);
        for (z, joints) in [
            (1.0, Some(4)),
            (1.0 - 4e-6, Some(4)),
            (1.0 + 1e-6, Some(4)),
            (1.1, Some(0)),
        ] {
            assert_eq!(points(&at(z)).ok(), joints, "{z}");
        }
        for z in [0.9999, 0.5, 0.0] {
            assert!(points(&at(z)).unwrap_err().contains("lie in each other"), "{z}");
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
