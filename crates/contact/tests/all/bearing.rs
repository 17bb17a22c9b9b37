//! Joints without an area: edges and corners that bear, and those that only meet.

use drystone_contact::{Search, interfaces::SearchSettings, survey};
use drystone_model::{Block, JointSearch, Model, Pose, Rotation, Shape, geometry::Polyhedron};
use glam::{DVec2, DVec3};

fn joints(blocks: Vec<Block>) -> Vec<usize> {
    let mut model = Model::named("bearing");
    model.blocks = blocks;
    let found = survey(&model, Search::Parts, &SearchSettings::for_model(&model)).unwrap();
    found.joints.iter().map(|j| j.points.len()).collect()
}

fn floor() -> Block {
    Block::new(
        "floor",
        Shape::cuboid(DVec3::new(-3.0, -3.0, -1.0), DVec3::new(3.0, 3.0, 0.0)),
    )
    .fixed()
}

fn turned(name: &str, position: DVec3, axis: DVec3, angle_deg: f64) -> Block {
    let mut cube = Block::new(name, Shape::cuboid(DVec3::ZERO, DVec3::ONE));
    cube.pose = Pose {
        position,
        rotation: Some(Rotation::AxisAngle { axis, angle_deg }),
    };
    cube
}

#[test]
fn a_block_on_its_edge_bears_along_the_edge_and_one_on_its_corner_at_the_corner() {
    assert_eq!(joints(vec![floor(), turned("edge", DVec3::ZERO, DVec3::Y, -45.0)]), [2]);
    let diagonal = DVec3::ONE.normalize();
    let (axis, angle) = (diagonal.cross(DVec3::Z), diagonal.angle_between(DVec3::Z).to_degrees());
    assert_eq!(joints(vec![floor(), turned("corner", DVec3::ZERO, axis, angle)]), [1]);
}

#[test]
fn edges_that_cross_bear_on_each_other() {
    let ridge = |name: &str| {
        let triangle = [(-1.0, -1.0), (1.0, -1.0), (0.0, 0.0)].map(DVec2::from);
        Block::new(name, Polyhedron::from_elevation(&triangle, -1.0, 1.0))
    };
    let mut above = ridge("above");
    above.pose.rotation = Some(Rotation::AxisAngle {
        axis: DVec3::new(1.0, 1.0, 0.0),
        angle_deg: 180.0,
    });
    assert_eq!(joints(vec![ridge("below").fixed(), above]), [1]);
}

#[test]
fn blocks_that_share_a_corner_or_an_edge_alone_do_not_bear_on_each_other() {
    let cube = |name: &str, at: DVec3| Block::new(name, Shape::cuboid(at, at + 1.0));
    let edge = DVec3::new(1.0, 0.0, 1.0);
    assert_eq!(joints(vec![cube("a", DVec3::ZERO).fixed(), cube("b", edge)]), [0; 0]);
    assert_eq!(
        joints(vec![cube("a", DVec3::ZERO).fixed(), cube("b", DVec3::ONE)]),
        [0; 0]
    );
    // A wedge that comes to its end in the corner of a block: its sloping face looks at that corner.
    let wedge = [(1.0, 1.0), (2.0, 1.5), (1.0, 2.0)].map(DVec2::from);
    let wedge = Block::new("wedge", Polyhedron::from_elevation(&wedge, 0.0, 1.0));
    assert_eq!(joints(vec![cube("a", DVec3::ZERO).fixed(), wedge]), [0; 0]);
}

/// A slab that leans on a wall: an edge on the ground, an edge at the wall.
#[test]
fn a_leaning_slab_bears_on_its_edges_whichever_way_joints_are_found() {
    let (slope, long, thick) = (1.2_f64, 2.0, 0.2);
    let (c, s) = (slope.cos(), slope.sin());
    let corners = [
        (0.0, 0.0),
        (long * c, long * s),
        (long * c - thick * s, long * s + thick * c),
        (-thick * s, thick * c),
    ];
    let slab = corners.map(|(x, z)| DVec2::new(x - long * c, z));
    let wall = Shape::cuboid(DVec3::new(0.0, -1.0, 0.0), DVec3::new(1.0, 1.0, 4.0));
    let ell = [(2.0, 0.0), (2.9, 0.0), (2.9, 0.3), (2.3, 0.3), (2.3, 1.0), (2.0, 1.0)].map(DVec2::from);
    let mut model = Model::named("lean");
    model.blocks = vec![
        floor(),
        Block::new("wall", wall).fixed(),
        Block::new("slab", Polyhedron::from_elevation(&slab, -0.3, 0.3)),
    ];
    let on_slab = |model: &Model| {
        let found = drystone_contact::joints(model).unwrap();
        let joints = found.joints.iter().filter(|j| j.blocks.contains(&2));
        joints.map(|j| (j.points.len(), j.area)).collect::<Vec<_>>()
    };
    let edges = [(2, 0.0), (2, 0.0)];
    assert_eq!(on_slab(&model), edges);
    for distance in [1e-6, 1e-3] {
        let mut near = model.clone();
        near.joint_search = Some(JointSearch {
            distance,
            angle_deg: JointSearch::DEFAULT_ANGLE_DEG,
            precision: 0.0,
            source: None,
        });
        assert_eq!(on_slab(&near), edges, "{distance}");
    }
    model
        .blocks
        .push(Block::new("ell", Polyhedron::from_elevation(&ell, -0.3, 0.3)));
    assert_eq!(on_slab(&model), edges, "beside a block that is not convex");
}

/// A bed with a bevel on either side touches with its flat part, however little the bevel rises.
#[test]
fn a_bevelled_bed_has_the_area_of_its_flat_part() {
    for angle_deg in [0.5_f64, 2.0, 4.0, 6.0] {
        let rise = 0.3 * angle_deg.to_radians().tan();
        let outline = [(0.3, 0.0), (0.7, 0.0), (1.0, rise), (1.0, 1.5), (0.0, 1.5), (0.0, rise)].map(DVec2::from);
        let mut model = Model::named("bevel");
        model.blocks = vec![
            floor(),
            Block::new("block", Polyhedron::from_elevation(&outline, 0.0, 1.0)),
        ];
        for search in [Search::Parts, Search::Faces] {
            let found = survey(&model, search, &SearchSettings::for_model(&model)).unwrap();
            assert!(
                (found.area() - 0.4).abs() < 1e-12,
                "{angle_deg} degrees, {search:?}: {}",
                found.area()
            );
            assert_eq!(found.contacts(), 4, "{angle_deg} degrees, {search:?}");
        }
        let found = drystone_contact::joints(&model).unwrap();
        let misses = drystone_contact::near_misses(&model, &found);
        // Beside the flat part the bevel is near the floor: that is told though the two blocks are joined.
        assert_eq!(misses.len(), usize::from(angle_deg < 5.0), "{misses:?}");
    }
}
