//! Joints in dents: an edge or a corner where no plane separates the blocks.
//!
//! Near a point of its surface a block is a cone of directions, with dents perhaps. The planes of its faces there cut the
//! space around the point into convex cells, and the block fills some of them. The second block closes on the first if it
//! moves along a direction of the first less one of its own: differences of two cells, each a convex cone of velocities.
//! What is in none of these cones is free to first order.
//!
//! A joint has a normal if every velocity against it closes; every force within friction about it then resists. If no velocity
//! closes but those against one of the normals, the joint is known. Otherwise it is not, and a fall in which the blocks move
//! against each other there is not shown.

use std::{collections::HashSet, f64::consts::TAU};

use glam::{DVec2, DVec3};

use crate::{
    bodies::{Body, Face},
    local::{DIFFERENT, PARALLEL, directions},
    overlap::is_inside,
    polygons::{Outline, common_part, left_outside},
    slack::Slack,
};

/// How far around a point, over the width of an edge, a block is asked what it fills.
const AROUND: f64 = 30.0;
/// Half of the width, at a distance of one, of what is seen of a half-space: all but what differs by less from its border.
const WIDE: f64 = 1.0 / DIFFERENT;
/// Fraction of all directions that tolerances may leave open.
const OPEN: f64 = 1e-4;

/// What a block fills near a point: convex cones, each by directions that span it.
type Cells = Vec<Vec<DVec3>>;

/// The normals that two blocks have at a point, from the first to the second, one of each joint there, and whether they are
/// all that is needed to know.
pub(crate) fn normals_in_dent(
    [first, second]: [(&Body, &[&Face]); 2],
    point: DVec3,
    slack: &Slack,
    beyond: f64,
) -> (Vec<DVec3>, bool) {
    let (fills, other) = (cells(first, point, slack), cells(second, point, slack));
    let differences = fills.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
    let closing: Vec<Vec<DVec3>> = differences
        .map(|(a, b)| {
            let spanned: Vec<DVec3> = a.iter().copied().chain(b.iter().map(|d| -*d)).collect();
            bounds(&spanned, beyond)
        })
        .collect();
    let of_faces = first
        .1
        .iter()
        .map(|f| f.normal)
        .chain(second.1.iter().map(|f| -f.normal));
    let mut known: Vec<DVec3> = Vec::new();
    for normal in of_faces.chain(closing.iter().flatten().copied()) {
        if known.iter().all(|n| n.distance(normal) > DIFFERENT) && all_close(normal, &closing, beyond) {
            known.push(normal);
        }
    }
    let normals: Vec<DVec3> = known
        .iter()
        .filter(|n| !is_sum_of_others(**n, &known))
        .copied()
        .collect();
    let is_known = others_are_free(&normals, &closing);
    (normals, is_known)
}

/// The cells that a block fills near a point.
fn cells((body, faces): (&Body, &[&Face]), point: DVec3, slack: &Slack) -> Cells {
    let spanned = directions(faces, point, slack);
    let is_convex = faces
        .iter()
        .all(|f| spanned.iter().all(|d| d.dot(f.normal) <= DIFFERENT));
    if is_convex {
        return vec![spanned];
    }
    let mut planes: Vec<DVec3> = Vec::new();
    for n in faces.iter().map(|f| f.normal) {
        if planes.iter().all(|m| m.cross(n).length() > DIFFERENT) {
            planes.push(n);
        }
    }
    // Along an edge all planes share a line: one across it bounds the cells.
    let lines = lines(&planes);
    if let Some(line) = lines.first()
        && lines.iter().all(|l| l.cross(*line).length() <= PARALLEL)
    {
        planes.push(*line);
    }
    let rays: Vec<DVec3> = self::lines(&planes).into_iter().flat_map(|l| [l, -l]).collect();
    let mut seen = HashSet::new();
    let mut filled = Cells::new();
    for (i, a) in rays.iter().enumerate() {
        for (j, b) in rays[..i].iter().enumerate() {
            for c in &rays[..j] {
                let middle = (*a + *b + *c).normalize_or_zero();
                if planes.iter().any(|n| n.dot(middle).abs() <= DIFFERENT * DIFFERENT) {
                    continue;
                }
                let side = |n: &DVec3, d: DVec3| if n.dot(middle) > 0.0 { n.dot(d) } else { -n.dot(d) };
                let name: Vec<bool> = planes.iter().map(|n| n.dot(middle) > 0.0).collect();
                if !seen.insert(name) {
                    continue;
                }
                let bounded = rays.iter().copied();
                let spanned: Vec<DVec3> = bounded
                    .filter(|r| planes.iter().all(|n| side(n, *r) >= -1e-9))
                    .collect();
                let middle = spanned.iter().sum::<DVec3>().normalize_or_zero();
                if is_inside(body, point + middle * (AROUND * slack.feature), 0.0) {
                    filled.push(spanned);
                }
            }
        }
    }
    filled
}

/// Lines in which planes meet.
fn lines(planes: &[DVec3]) -> Vec<DVec3> {
    let pairs = planes
        .iter()
        .enumerate()
        .flat_map(|(k, m)| planes[..k].iter().map(move |n| m.cross(*n)));
    pairs.filter(|l| l.length() > PARALLEL).map(DVec3::normalize).collect()
}

/// Unit normals, outwards, of the planes that bound a convex cone: each through two of the directions that span it.
fn bounds(spanned: &[DVec3], beyond: f64) -> Vec<DVec3> {
    let planes = lines(spanned).into_iter().flat_map(|n| [n, -n]);
    let mut found: Vec<DVec3> = Vec::new();
    for n in planes.filter(|n| spanned.iter().all(|d| d.dot(*n) <= beyond)) {
        if found.iter().all(|m| m.distance(n) > 1e-9) {
            found.push(n);
        }
    }
    found
}

/// A plane at a distance of one, on which cones of directions are polygons.
struct Screen {
    ahead: DVec3,
    u: DVec3,
    v: DVec3,
}

impl Screen {
    fn new(ahead: DVec3) -> Self {
        let u = ahead.any_orthonormal_vector();
        Self {
            ahead,
            u,
            v: ahead.cross(u),
        }
    }

    /// What is seen of the directions behind some planes, but for a distance.
    fn seen(&self, behind: &[DVec3], beyond: f64) -> Outline {
        let corners = [(-WIDE, -WIDE), (WIDE, -WIDE), (WIDE, WIDE), (-WIDE, WIDE)];
        let mut left: Outline = corners.map(DVec2::from).to_vec();
        for n in behind {
            let slope = DVec2::new(n.dot(self.u), n.dot(self.v));
            let height = n.dot(self.ahead) - beyond;
            match slope
                .try_normalize()
                .filter(|_| slope.length() * 2.0 * WIDE > height.abs())
            {
                Some(across) => {
                    // The side of the line that is behind the plane, as a square that is wide enough.
                    let on_line = across * (-height / slope.length());
                    let (along, far) = (across.perp() * (8.0 * WIDE), across * (-16.0 * WIDE));
                    left = common_part(
                        &left,
                        &[
                            on_line - along,
                            on_line + along,
                            on_line + along + far,
                            on_line - along + far,
                        ],
                    );
                }
                None if height > 0.0 => left.clear(),
                None => {}
            }
        }
        left
    }
}

/// The fraction of all directions that a convex polygon on a screen takes up: the sum of the angles of a polygon on a sphere,
/// less that of one in a plane.
fn fraction(outline: &[DVec2]) -> f64 {
    let at = |k: usize| outline[k % outline.len()].extend(1.0).normalize();
    let triangle = |k: usize| {
        let (a, b, c) = (at(0), at(k), at(k + 1));
        2.0 * a.dot(b.cross(c)).abs().atan2(1.0 + a.dot(b) + b.dot(c) + c.dot(a))
    };
    (1..outline.len().saturating_sub(1)).map(triangle).sum::<f64>() / (2.0 * TAU)
}

/// Whether every velocity against a normal closes.
fn all_close(normal: DVec3, closing: &[Vec<DVec3>], beyond: f64) -> bool {
    let screen = Screen::new(-normal);
    let mut left = vec![screen.seen(&[], 0.0)];
    for cone in closing {
        let seen = screen.seen(cone, beyond);
        if fraction(&seen) > 0.0 {
            left = left.iter().flat_map(|piece| left_outside(piece, &seen)).collect();
        }
    }
    left.iter().map(|piece| fraction(piece)).sum::<f64>() <= OPEN
}

/// Whether every velocity against a normal is one against another, too.
fn is_sum_of_others(normal: DVec3, all: &[DVec3]) -> bool {
    let others: Vec<DVec3> = all.iter().copied().filter(|n| *n != normal).collect();
    let against_it_alone = |w: DVec3| w.dot(normal) < -OPEN * w.length() && others.iter().all(|n| w.dot(*n) >= -1e-12);
    // The velocities against no other form a cone. Of those in it that go farthest against the normal, one is straight against
    // it, or along one plane, or along two.
    let along_one = others.iter().map(|n| n * normal.dot(*n) - normal);
    let along_two = lines(&others).into_iter().flat_map(|l| [l, -l]);
    let mut tried = std::iter::once(-normal).chain(along_one).chain(along_two);
    !tried.any(against_it_alone)
}

/// Whether no velocity closes but those against a normal.
fn others_are_free(normals: &[DVec3], closing: &[Vec<DVec3>]) -> bool {
    let Some(ahead) = normals.iter().sum::<DVec3>().try_normalize() else {
        return false;
    };
    let against: Vec<DVec3> = normals.iter().map(|n| -*n).collect();
    let screen = Screen::new(ahead);
    let free = screen.seen(&against, 0.0);
    let is_seen = normals.iter().all(|n| n.dot(ahead) > DIFFERENT);
    let is_free_of = |cone: &Vec<DVec3>| {
        let seen = screen.seen(cone, 0.0);
        seen.len() < 3 || fraction(&common_part(&free, &seen)) <= OPEN
    };
    is_seen && closing.iter().all(is_free_of)
}
