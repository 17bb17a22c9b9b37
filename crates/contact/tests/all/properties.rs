//! Properties of contact that hold for any two convex blocks: symmetry, invariance, and the distance found by others.

use crate::support::{cuboid, found};
use drystone_contact::{Contacts, Placement};
use drystone_model::geometry::{Polyhedron, convex_hull};
use glam::{DQuat, DVec3};
use parry3d_f64::{glamx, query, shape::ConvexPolyhedron};
use proptest::prelude::*;

fn vector(reach: f64) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-reach..reach).prop_map(DVec3::from)
}

fn rotation() -> impl Strategy<Value = DQuat> {
    prop::array::uniform4(-1.0..1.0f64)
        .prop_map(|[x, y, z, w]| DQuat::from_xyzw(x, y, z, w))
        .prop_filter("has a direction", |q| q.length() > 0.1)
        .prop_map(|q| q.normalize())
}

fn block() -> impl Strategy<Value = Polyhedron> {
    let boxes = prop::array::uniform3(0.3..1.0f64).prop_map(|s| cuboid(DVec3::from(s)));
    let hulls = prop::collection::vec(vector(0.6), 8..20).prop_filter_map("is solid", |points| {
        let hull = convex_hull(&points, 1e-9).ok()?;
        let center = hull.mass_properties().centroid;
        (hull.volume() > 0.02).then(|| hull.translated(-center))
    });
    prop_oneof![boxes, hulls]
}

/// The distance between two blocks by an independent program, with its closest points.
fn parry_distance(a: &(Polyhedron, Placement), b: &(Polyhedron, Placement)) -> (f64, DVec3) {
    let shape = |p: &Polyhedron| {
        let points: Vec<glamx::DVec3> = p.vertices.iter().map(|v| glamx::DVec3::new(v.x, v.y, v.z)).collect();
        ConvexPolyhedron::from_convex_hull(&points).expect("a convex block")
    };
    let pose = |p: &Placement| {
        let (c, q) = (p.center, p.rotation);
        glamx::DPose3::from_parts(
            glamx::DVec3::new(c.x, c.y, c.z),
            glamx::DQuat::from_xyzw(q.x, q.y, q.z, q.w),
        )
    };
    let found = query::closest_points(&pose(&a.1), &shape(&a.0), &pose(&b.1), &shape(&b.0), 10.0).expect("convex");
    match found {
        query::ClosestPoints::WithinMargin(p, q) => {
            let apart = q - p;
            (apart.length(), DVec3::new(apart.x, apart.y, apart.z))
        }
        _ => (0.0, DVec3::ZERO),
    }
}

fn nearest(contacts: &Contacts) -> Option<f64> {
    contacts.contacts.iter().map(|c| c.gap).min_by(f64::total_cmp)
}

proptest! {

    #[test]
    fn the_gap_of_blocks_apart_is_their_distance_unless_corners_face_each_other(
        a in block(), b in block(), turn_a in rotation(), turn_b in rotation(), way in vector(1.0), far in 1.1..2.2f64,
    ) {
        prop_assume!(way.length() > 0.1);
        let first = (a, Placement { center: DVec3::ZERO, rotation: turn_a });
        let second = (b, Placement { center: way.normalize() * far, rotation: turn_b });
        let (distance, apart) = parry_distance(&first, &second);
        prop_assume!(distance > 1e-3);
        let contacts = found(&[first.clone(), second.clone()], 5.0);
        match nearest(&contacts) {
            Some(gap) => {
                let interface = &contacts.interfaces[0];
                prop_assert!(gap > distance - 1e-6, "{gap} is less than {distance}");
                // Nearly parallel faces over each other touch even where corners beside them are closest.
                if interface.area == 0.0 || gap < distance + 1e-6 {
                    prop_assert!((gap - distance).abs() < 1e-6, "{gap} is not {distance}");
                    prop_assert!(interface.normal.dot(apart.normalize()) > 1.0 - 1e-6);
                }
            }
            None => {
                // Then no face looks along the closest direction: corners or edges face each other.
                let along = apart.normalize();
                for (block, sign) in [(&first, 1.0), (&second, -1.0)] {
                    for face in 0..block.0.faces.len() {
                        let normal = block.1.rotation * block.0.face_plane(face).normal;
                        prop_assert!(normal.dot(along * sign) < 1.0 - 1e-12, "a face looks that way");
                    }
                }
            }
        }
    }

    #[test]
    fn contact_is_the_same_seen_from_either_block(
        a in block(), b in block(), turn_a in rotation(), turn_b in rotation(), way in vector(1.0), far in 0.3..1.2f64,
    ) {
        prop_assume!(way.length() > 0.1);
        let first = (a, Placement { center: DVec3::ZERO, rotation: turn_a });
        let second = (b, Placement { center: way.normalize() * far, rotation: turn_b });
        let one = found(&[first.clone(), second.clone()], 0.3);
        let other = found(&[second.clone(), first.clone()], 0.3);
        prop_assert_eq!(one.contacts.len(), other.contacts.len());
        for (i, j) in one.interfaces.iter().zip(&other.interfaces) {
            prop_assert!((i.normal + j.normal).length() < 1e-9);
            prop_assert!((i.area - j.area).abs() < 1e-9);
        }
        for c in &one.contacts {
            let matches = |d: &&drystone_contact::DetectedContact| {
                (c.gap - d.gap).abs() < 1e-9 && c.arm_first.distance(d.arm_second) < 1e-8
            };
            prop_assert!(other.contacts.iter().any(|d| matches(&d)));
        }
    }

    #[test]
    fn contact_moves_with_the_blocks(
        a in block(), b in block(), turn_b in rotation(), way in vector(1.0), far in 0.3..1.2f64,
        motion in rotation(), shift in vector(1e4),
    ) {
        prop_assume!(way.length() > 0.1);
        let first = (a, Placement::at(DVec3::ZERO));
        let second = (b, Placement { center: way.normalize() * far, rotation: turn_b });
        let moved = |p: &Placement| Placement { center: motion * p.center + shift, rotation: motion * p.rotation };
        let here = found(&[first.clone(), second.clone()], 0.3);
        let there = found(&[(first.0.clone(), moved(&first.1)), (second.0.clone(), moved(&second.1))], 0.3);
        prop_assert_eq!(here.contacts.len(), there.contacts.len());
        for (i, j) in here.interfaces.iter().zip(&there.interfaces) {
            prop_assert!((motion * i.normal - j.normal).length() < 1e-9);
            prop_assert!((i.area - j.area).abs() < 1e-9);
        }
        for c in &here.contacts {
            let matches = |d: &drystone_contact::DetectedContact| {
                (c.gap - d.gap).abs() < 1e-9 && (motion * c.arm_first).distance(d.arm_first) < 1e-8
            };
            prop_assert!(there.contacts.iter().any(matches));
        }
    }

    #[test]
    fn the_overlap_of_two_rectangles_has_the_area_of_the_closed_form(
        size in prop::array::uniform4(0.2..1.0f64), x in -1.2..1.2f64, y in -1.2..1.2f64, motion in rotation(),
    ) {
        let (lower, upper) = (DVec3::new(size[0], size[1], 0.4), DVec3::new(size[2], size[3], 0.5));
        let placed = |p: DVec3| Placement { center: motion * p, rotation: motion };
        let blocks = [(cuboid(lower), placed(DVec3::ZERO)), (cuboid(upper), placed(DVec3::new(x, y, 0.45)))];
        let along = |a: f64, b: f64, d: f64| ((d + 0.5 * b).min(0.5 * a) - (d - 0.5 * b).max(-0.5 * a)).max(0.0);
        let (w, h) = (along(lower.x, upper.x, x), along(lower.y, upper.y, y));
        let contacts = found(&blocks, 0.0);
        if w > 1e-4 && h > 1e-4 {
            prop_assert!((contacts.area() - w * h).abs() < 1e-9);
            prop_assert_eq!(contacts.contacts.len(), 4);
        } else if w == 0.0 || h == 0.0 {
            prop_assert_eq!(contacts.contacts.len(), 0);
        }
    }
}
