//! Joints at single points: a corner or an edge on a face, and edges that cross.
//!
//! Near a point of its surface a block is a cone of directions. A plane through the point separates two blocks if all
//! directions of the first lie behind it and all of the second before it. Where exactly one plane does, the blocks have
//! a joint there and its normal is known. Where many do (corner to corner, corner to edge, edges side by side, as
//! between diagonal neighbours in a wall), neither block has a surface that faces the other, and there is no joint. Where
//! none does, one is in a dent of the other (`dents`).

use glam::DVec3;

use crate::{
    bodies::{Body, Face},
    dents::normals_in_dent,
    polygons::segment_distance,
    slack::Slack,
};

/// Directions closer to parallel than this (sine, about a degree) span no plane worth having.
pub(crate) const PARALLEL: f64 = 0.02;
/// How far a direction may reach over a plane that separates (sine): corners of small faces may be off by the
/// tolerance of the geometry.
const BEYOND: f64 = 1e-4;
/// Normals that differ by more than this are of different joints.
pub(crate) const DIFFERENT: f64 = 1e-2;
/// What rounding of arithmetic leaves of angles that are equal.
const EQUAL: f64 = 1e-13;

/// What two blocks have in common at a point.
#[derive(Default)]
pub(crate) struct Bearing {
    /// For each joint the normals that it may have, from the first to the second.
    pub(crate) joints: Vec<Vec<DVec3>>,
    /// Whether the blocks may close in other ways, too: a joint whose normals are not known.
    pub(crate) is_open: bool,
}

/// The joints of two blocks at a point.
///
/// Where planes separate them, the normal is that of a plane over which the blocks reach least. Where the corners of the model
/// are rounded, those of planes over which they reach farther, by no more than the rounding turns an edge, are as good.
pub(crate) fn bearing_at(first: &Body, second: &Body, point: DVec3, slack: &Slack) -> Bearing {
    let faces_first: Vec<&Face> = faces_at(first, point, slack);
    let faces_second: Vec<&Face> = faces_at(second, point, slack);
    if faces_first.is_empty() || faces_second.is_empty() {
        return Bearing::default();
    }
    let ahead = directions(&faces_second, point, slack);
    let behind = directions(&faces_first, point, slack);
    // How far directions reach over the plane across a normal.
    let over = |n: DVec3| {
        let of_first = behind.iter().map(|d| d.dot(n));
        of_first.chain(ahead.iter().map(|d| -d.dot(n))).fold(0.0, f64::max)
    };
    let of_faces = faces_first.iter().map(|f| f.normal);
    let of_faces: Vec<DVec3> = of_faces.chain(faces_second.iter().map(|f| -f.normal)).collect();
    // The separating normals form a cone with sides across the directions: its corners are across two of them.
    let all: Vec<DVec3> = behind.iter().chain(&ahead).copied().collect();
    let across = (0..all.len())
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .filter_map(|(i, j)| {
            let across = all[i].cross(all[j]);
            let length = across.length();
            (length > PARALLEL).then(|| across / length)
        });
    let turned = 2.0 * slack.rounded / slack.size;
    let beyond = BEYOND.max(turned);
    let candidates = of_faces.into_iter().chain(across.flat_map(|n| [n, -n]));
    let mut separating: Vec<(f64, DVec3)> = candidates
        .map(|n| (over(n), n))
        .filter(|(over, _)| *over <= beyond)
        .collect();
    // The first of the best: normals of faces come before those across edges.
    let least = separating.iter().map(|(over, _)| *over).fold(f64::INFINITY, f64::min);
    separating.sort_by_key(|(over, _)| *over > least + EQUAL);
    let Some(&(_, best)) = separating.first() else {
        // Convex blocks have no dents: what reaches over every plane there is within the tolerance of an overlap.
        if first.is_convex && second.is_convex {
            return Bearing::default();
        }
        let sides = [(first, &faces_first[..]), (second, &faces_second[..])];
        let (normals, is_known) = normals_in_dent(sides, point, slack, beyond);
        return Bearing {
            joints: normals.into_iter().map(|n| vec![n]).collect(),
            is_open: !is_known,
        };
    };
    if separating.iter().any(|(_, n)| n.distance(best) > DIFFERENT) {
        return Bearing::default();
    }
    let as_good = separating
        .into_iter()
        .filter(|(over, _)| *over <= least + turned + EQUAL);
    Bearing {
        joints: vec![distinct(as_good.map(|(_, n)| n))],
        is_open: false,
    }
}

/// Each of some normals once.
pub(crate) fn distinct(normals: impl IntoIterator<Item = DVec3>) -> Vec<DVec3> {
    let mut found: Vec<DVec3> = Vec::new();
    for normal in normals {
        if !found.iter().any(|n| n.distance(normal) <= EQUAL) {
            found.push(normal);
        }
    }
    found
}

/// The faces of a block that a point lies on.
fn faces_at<'a>(body: &'a Body, point: DVec3, slack: &Slack) -> Vec<&'a Face> {
    body.faces.iter().filter(|f| f.is_near(point, slack.touch)).collect()
}

/// Directions that span the part of a block near a point, or more where the block is not convex there.
pub(crate) fn directions(faces: &[&Face], point: DVec3, slack: &Slack) -> Vec<DVec3> {
    let mut found = Vec::new();
    for face in faces {
        let flat = face.flat(point);
        let n = face.outline.len();
        let corner = |k: usize| face.outline[k % n];
        let lift = |d: glam::DVec2| face.u * d.x + face.v * d.y;
        let mut inside = true;
        for k in 0..n {
            let (before, at, after) = (corner(k + n - 1), corner(k), corner(k + 1));
            if at.distance(flat) <= slack.feature {
                inside = false;
                let sides = [before - at, after - at].map(|d| lift(d).normalize_or_zero());
                found.extend(sides);
                let is_dent = (at - before).perp_dot(after - at) < 0.0;
                if is_dent {
                    found.extend(sides.map(|d| -d));
                }
            } else if segment_distance(flat, at, after) <= slack.feature && after.distance(flat) > slack.feature {
                inside = false;
                let along = lift(after - at).normalize_or_zero();
                found.extend([along, -along, face.normal.cross(along)]);
            }
        }
        if inside {
            found.extend([face.u, -face.u, face.v, -face.v, -face.normal]);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use drystone_model::{Block, Model, Pose, Rotation, Shape};

    use super::*;
    use crate::{bodies::shapes, contacts::Contacts};

    /// A cube of 1 m that stands on a corner at `foot`, over a floor that ends at x = 1.
    fn on_a_corner(foot: DVec3) -> Model {
        let mut model = Model::named("corner");
        let floor = Shape::cuboid(DVec3::new(-3.0, -3.0, -1.0), DVec3::new(1.0, 3.0, 0.0));
        model.blocks.push(Block::new("floor", floor).fixed());
        let mut cube = Block::new("cube", Shape::cuboid(DVec3::ZERO, DVec3::ONE));
        // Turned so that the diagonal of the cube points up.
        let diagonal = DVec3::ONE.normalize();
        cube.pose = Pose {
            position: foot,
            rotation: Some(Rotation::AxisAngle {
                axis: diagonal.cross(DVec3::Z),
                angle_deg: diagonal.angle_between(DVec3::Z).to_degrees(),
            }),
        };
        model.blocks.push(cube);
        model
    }

    fn normals(model: &Model) -> Vec<DVec3> {
        let found = shapes(model).and_then(|shapes| Contacts::of(model, &shapes)).unwrap();
        found.joints.iter().flat_map(|j| j.normals.clone()).collect()
    }

    #[test]
    fn a_corner_on_a_face_has_the_normal_of_the_face_and_one_on_an_edge_has_none() {
        let up = |n: &DVec3| n.distance(DVec3::Z) < 1e-12;
        let inside = normals(&on_a_corner(DVec3::ZERO));
        assert!(inside.len() == 1 && inside.iter().all(up), "{inside:?}");
        assert_eq!(normals(&on_a_corner(DVec3::new(1.0, 0.0, 0.0))), []);
        assert_eq!(normals(&on_a_corner(DVec3::new(1.0, 3.0, 0.0))), []);
        assert_eq!(normals(&on_a_corner(DVec3::new(0.0, 0.0, 1e-3))), []);
        // Within the tolerance of the model it still touches.
        assert_eq!(normals(&on_a_corner(DVec3::new(0.0, 0.0, 1e-6))).len(), 1);
    }

    #[test]
    fn an_edge_that_ends_where_the_face_ends_touches_at_both_ends() {
        let mut model = on_a_corner(DVec3::ZERO);
        let mut roof = Block::new("roof", Shape::cuboid(DVec3::ZERO, DVec3::new(1.0, 6.0, 1.0)));
        roof.pose = Pose {
            position: DVec3::new(0.0, -3.0, 0.0),
            rotation: Some(Rotation::AxisAngle {
                axis: DVec3::Y,
                angle_deg: -30.0,
            }),
        };
        model.blocks[1] = roof;
        let found = normals(&model);
        assert!(
            found.len() == 2 && found.iter().all(|n| n.distance(DVec3::Z) < 1e-12),
            "{found:?}"
        );
    }
}
