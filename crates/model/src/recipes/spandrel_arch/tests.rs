use super::*;
use crate::{
    geometry::signed_area,
    recipes::soundness::{assert_sound, built, free_volume},
};

const OTHERS: [&str; 7] = [
    "--unit-length 0.6",
    "--voussoir-length 0.3",
    "--courses 14 --ring 0.5 --unit-length 0.45",
    "--height 12 --courses 20 --radius 2 --length 9",
    "--ring 1.1 --voussoir-length 5",
    "--courses 3 --height 6 --unit-length 3 --length 14",
    "--radius 0.038 --ring 0.007 --length 0.162 --height 0.05 --thickness 0.008 --unit-length 0.0054 \
     --voussoir-length 0.008",
];

/// Area under the soffit, from the corners of the blocks that lie on the circle of the opening.
fn opening_area(model: &Model, radius: f64) -> f64 {
    let arch = model.blocks.iter().filter(|b| b.group.as_deref() == Some("arch"));
    let corners = arch.flat_map(|b| b.polyhedron().vertices);
    let on_circle = corners.filter(|v| v.x.hypot(v.z) < radius * (1.0 + 1e-9));
    let mut angles: Vec<f64> = on_circle.map(|v| v.z.atan2(v.x)).collect();
    angles.sort_by(f64::total_cmp);
    angles.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    let polygon: Vec<DVec2> = angles.iter().map(|&a| radius * DVec2::from_angle(a)).collect();
    signed_area(&polygon)
}

/// Positions of the vertical joints of each course, the ends of the wall left out.
fn vertical_joints(model: &Model, p: &Params) -> Vec<Vec<f64>> {
    let mut joints = vec![Vec::new(); p.courses];
    for block in model.blocks.iter().filter(|b| b.group.as_deref() == Some("wall")) {
        let bounds = block.polyhedron().bounds();
        let course = (bounds.min.z * p.courses as f64 / p.height).round() as usize;
        let inside = [bounds.min.x, bounds.max.x].into_iter();
        joints[course].extend(inside.filter(|x| x.abs() < 0.5 * p.length * (1.0 - 1e-9)));
    }
    joints
}

#[test]
fn the_wall_of_the_papers_has_201_blocks() {
    let model = built("spandrel-arch", "");
    assert_sound(&model);
    assert_eq!(model.free_blocks().count(), 201);
    assert_eq!(model.blocks.iter().filter(|b| b.fixed).count(), 1);
    assert_eq!((model.density, model.joints.friction), (1800.0, 0.4));
    let size = model.bounds(|b| !b.fixed).size();
    assert!((size - DVec3::new(16.2, 0.8, 5.0)).abs().max_element() < 1e-12);
}

#[test]
fn the_blocks_fill_the_wall_but_for_the_opening() {
    let model = built("spandrel-arch", "");
    let volume = 0.8 * (16.2 * 5.0 - opening_area(&model, 3.8));
    assert!((free_volume(&model) - volume).abs() < 1e-9 * volume);
    // The polygon of the soffit is near the semicircle it is inscribed in.
    let semicircle = 0.5 * std::f64::consts::PI * 3.8 * 3.8;
    assert!((0.98 * semicircle..semicircle).contains(&opening_area(&model, 3.8)));
}

#[test]
fn chipped_edges_leave_the_same_201_blocks() {
    let model = built("spandrel-arch", "--chamfer 0.0075");
    assert_sound(&model);
    assert_eq!(model.free_blocks().count(), 201);
    let (sharp, chipped) = (free_volume(&built("spandrel-arch", "")), free_volume(&model));
    assert!((0.98 * sharp..sharp).contains(&chipped));
}

#[test]
fn every_block_is_convex_and_the_keystone_stands_in_the_middle() {
    let model = built("spandrel-arch", "");
    for block in model.free_blocks() {
        let solid = block.polyhedron();
        assert!(solid.is_convex(1e-12 * solid.bounds().diagonal()), "{}", block.name);
    }
    let keystone = model.block("keystone").unwrap().polyhedron();
    assert!(keystone.mass_properties().centroid.x.abs() < 1e-12);
    assert!((keystone.bounds().max.z - 4.5).abs() < 1e-12);
}

#[test]
fn the_wall_is_its_own_mirror_image() {
    let centroid = |b: &Block| b.polyhedron().mass_properties().centroid;
    let model = built("spandrel-arch", "");
    let centroids: Vec<DVec3> = model.free_blocks().map(centroid).collect();
    for c in &centroids {
        let mirrored = DVec3::new(-c.x, c.y, c.z);
        assert!(centroids.iter().any(|d| d.distance(mirrored) < 1e-9));
    }
}

#[test]
fn vertical_joints_are_staggered_and_no_piece_is_a_sliver() {
    let p = Params::default();
    let model = built("spandrel-arch", "");
    let joints = vertical_joints(&model, &p);
    for (course, pair) in joints.windows(2).enumerate() {
        // The back of the ring may run on straight from one course to the next; no other joint may.
        let back = pair[1].iter().map(|x| x.abs()).fold(f64::INFINITY, f64::min);
        for upper in &pair[1] {
            for lower in &pair[0] {
                let apart = (upper - lower).abs();
                let straight_back = upper.abs() == back && apart < 1e-9;
                assert!(
                    apart > 0.09 || straight_back,
                    "joints {apart} m apart over course {}",
                    course + 1
                );
            }
        }
    }
    for block in model.free_blocks().filter(|b| b.group.as_deref() == Some("wall")) {
        let length = block.polyhedron().bounds().size().x;
        assert!(
            (0.27 - 1e-9..0.81 + 1e-9).contains(&length),
            "{}: {length} m",
            block.name
        );
    }
}

#[test]
fn walls_of_other_proportions_are_sound_and_full() {
    for arguments in OTHERS {
        let model = built("spandrel-arch", arguments);
        assert_sound(&model);
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let values: Vec<_> = words
            .chunks(2)
            .map(|w| (w[0][2..].to_string(), w[1].to_string()))
            .collect();
        let p = Params::read(&values).unwrap();
        let volume = p.thickness * (p.length * p.height - opening_area(&model, p.radius));
        assert!((free_volume(&model) - volume).abs() < 1e-9 * volume, "{arguments}");
        for block in model.free_blocks() {
            let solid = block.polyhedron();
            assert!(
                solid.is_convex(1e-12 * solid.bounds().diagonal()),
                "{arguments}: {}",
                block.name
            );
        }
    }
}

#[test]
fn walls_too_low_or_too_short_for_their_arch_are_refused() {
    for (name, value, reason) in [
        ("height", "4", "courses"),
        ("length", "9.1", "longer wall"),
        ("unit-length", "0.001", "50000"),
    ] {
        let error = RECIPE.build(&[(name.to_string(), value.to_string())]).unwrap_err();
        assert!(
            matches!(&error, RecipeError::Conflict(m) if m.contains(reason)),
            "{error}"
        );
    }
}
