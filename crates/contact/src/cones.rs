//! Which normals blocks have at a point where they meet, from the directions that they fill there.
//!
//! Near a point of its surface a block is a union of convex cones, one for each of its parts there. A velocity of the second
//! block against the first closes the two if it leads from some direction of the second into one of the first: if it is the
//! difference of the two. Such differences of two convex cones are a convex cone again. What no such cone holds is free.
//!
//! A normal is one of the joint if every velocity against it closes. Between convex blocks that is so where exactly one plane
//! separates them. An edge in a dent that is wider than the edge has the normal of each side of the dent: every velocity into a
//! side closes, and what goes into neither is free.

use drystone_model::geometry::signed_area;
use glam::{DVec2, DVec3};

use crate::interfaces::polygon::{clip, without};

/// Directions closer to parallel than this (sine, about a degree) span no plane worth having.
pub(crate) const PARALLEL: f64 = 0.02;
/// Normals that differ by no more than this are the same.
pub(crate) const SAME: f64 = 1e-2;
/// Solid angle below which velocities that do not close are what tolerances leave.
const NOTHING: f64 = 1e-3;
/// What arithmetic leaves of angles that are equal.
const EQUAL: f64 = 1e-12;

/// What is known of two blocks at a point where they meet.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Bearing {
    /// Unit normals from the first block to the second; none where neither bears on the other.
    pub(crate) normals: Vec<DVec3>,
    /// Whether velocities that go against no normal may close the blocks though no plane separates them: a joint whose
    /// normals are not known.
    pub(crate) is_open: bool,
}

/// The normals of two blocks, each given by the directions of its convex cones. Of normals that are the same those in
/// `preferred` come first. `beyond` is how far a direction may reach over a plane (sine).
pub(crate) fn bearing(cones: [&[Vec<DVec3>]; 2], preferred: &[DVec3], beyond: f64) -> Bearing {
    let [behind, ahead] = cones.map(|all| all.concat());
    let outwards = |first: &[DVec3], second: &[DVec3]| -> Vec<DVec3> {
        first.iter().copied().chain(second.iter().map(|d| -d)).collect()
    };
    let whole = outwards(&behind, &ahead);
    let separating = sides(&whole, preferred, beyond);
    if let Some((_, best)) = separating.first() {
        let is_one = separating.iter().all(|(_, n)| n.distance(*best) <= SAME);
        return Bearing {
            normals: Vec::from_iter(is_one.then_some(*best)),
            is_open: false,
        };
    }
    let pairs = cones[0].iter().flat_map(|a| cones[1].iter().map(move |b| (a, b)));
    let closing: Vec<Vec<DVec3>> = pairs
        .map(|(a, b)| sides(&outwards(a, b), preferred, beyond))
        .map(|sides| sides.into_iter().map(|(_, n)| n).collect())
        .collect();
    // Cones that nothing separates overlap: then everything closes, and no normal means anything.
    if closing.iter().any(Vec::is_empty) {
        return Bearing {
            normals: Vec::new(),
            is_open: true,
        };
    }
    let mut candidates: Vec<DVec3> = Vec::new();
    for &n in preferred.iter().chain(closing.iter().flatten()) {
        if !candidates.iter().any(|m| m.distance(n) <= SAME) {
            candidates.push(n);
        }
    }
    candidates.retain(|&n| left_free(n, &closing, beyond) <= NOTHING);
    let normals: Vec<DVec3> = (0..candidates.len())
        .filter(|&k| is_extreme(&candidates, k))
        .map(|k| candidates[k])
        .collect();
    Bearing {
        is_open: !is_all(&normals, &closing),
        normals,
    }
}

/// The unit normals, outwards, of the sides of the convex cone of some directions and how far it reaches over each, the least
/// first.
fn sides(directions: &[DVec3], preferred: &[DVec3], beyond: f64) -> Vec<(f64, DVec3)> {
    let pairs = (0..directions.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let across = pairs
        .map(|(i, j)| directions[i].cross(directions[j]))
        .filter(|n| n.length() > PARALLEL)
        .map(DVec3::normalize)
        .flat_map(|n| [n, -n]);
    let over = |n: DVec3| directions.iter().map(|d| d.dot(n)).fold(0.0, f64::max);
    let is_side = |n: DVec3| directions.iter().filter(|d| d.dot(n).abs() <= beyond).count() > 1;
    let preferred = preferred.iter().copied().filter(|&n| is_side(n));
    let mut found: Vec<(f64, DVec3)> = preferred
        .chain(across)
        .map(|n| (over(n), n))
        .filter(|(over, _)| *over <= beyond)
        .collect();
    let least = found.iter().map(|(over, _)| *over).fold(f64::INFINITY, f64::min);
    found.sort_by_key(|(over, _)| *over > least + EQUAL);
    found
}

/// Part of a cone that a plane cuts, `seen` in front of the origin: where its points are behind all sides, but for a distance.
fn cut(seen: DVec3, sides: &[DVec3], beyond: f64) -> Vec<DVec2> {
    let wide = 1.0 / SAME;
    let (u, v) = seen.any_orthonormal_pair();
    let mut left: Vec<DVec2> = [(-wide, -wide), (wide, -wide), (wide, wide), (-wide, wide)]
        .map(DVec2::from)
        .into();
    for side in sides {
        let height = |p: DVec2| side.dot(seen + u * p.x + v * p.y) - beyond;
        let mut kept = Vec::with_capacity(left.len() + 1);
        for (k, &p) in left.iter().enumerate() {
            let q = left[(k + 1) % left.len()];
            let (from, to) = (height(p), height(q));
            if from <= 0.0 {
                kept.push(p);
            }
            if (from < 0.0 && to > 0.0) || (from > 0.0 && to < 0.0) {
                kept.push(p + (q - p) * (from / (from - to)));
            }
        }
        left = kept;
    }
    left
}

/// The solid angle of polygons that are seen at a distance of one.
fn solid_angle(polygons: &[Vec<DVec2>]) -> f64 {
    let of_triangle = |corners: [DVec2; 3]| {
        let [a, b, c] = corners.map(|p| p.extend(1.0));
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * a.dot(b.cross(c)).abs().atan2(below)
    };
    let triangles = |p: &Vec<DVec2>| (2..p.len()).map(|k| of_triangle([p[0], p[k - 1], p[k]])).sum::<f64>();
    polygons.iter().map(triangles).sum()
}

/// The solid angle of velocities that go against a normal and do not close.
fn left_free(normal: DVec3, closing: &[Vec<DVec3>], beyond: f64) -> f64 {
    let mut left = vec![cut(-normal, &[], 0.0)];
    for sides in closing {
        let hole = cut(-normal, sides, beyond);
        if hole.len() > 2 && signed_area(&hole) > 0.0 {
            left = left.iter().flat_map(|piece| without(piece, &hole)).collect();
        }
    }
    solid_angle(&left)
}

/// Whether a normal is no sum of others: whether some velocity goes against it alone.
fn is_extreme(normals: &[DVec3], k: usize) -> bool {
    let n = normals[k];
    let others = || {
        normals
            .iter()
            .enumerate()
            .filter(move |(j, _)| *j != k)
            .map(|(_, m)| *m)
    };
    let goes = |w: DVec3| {
        let w = w.normalize_or_zero();
        w.dot(n) < -SAME * SAME && others().all(|m| w.dot(m) >= -EQUAL)
    };
    let crossing = others().flat_map(|m| others().flat_map(move |o| [m.cross(o), o.cross(m)]));
    goes(-n) || others().any(|m| goes(m * n.dot(m) - n)) || crossing.into_iter().any(goes)
}

/// Whether what goes against no normal is free.
fn is_all(normals: &[DVec3], closing: &[Vec<DVec3>]) -> bool {
    let middle = normals.iter().sum::<DVec3>().normalize_or_zero();
    if normals.iter().any(|n| n.dot(middle) <= SAME) || normals.is_empty() {
        return false;
    }
    let against: Vec<DVec3> = normals.iter().map(|n| -n).collect();
    let free = cut(middle, &against, 0.0);
    let closed = |sides: &Vec<DVec3>| {
        let hole = cut(middle, sides, 0.0);
        let has_both = hole.len() > 2 && free.len() > 2;
        has_both && solid_angle(&[clip(&free, &hole)]) > NOTHING
    };
    !closing.iter().any(closed)
}
