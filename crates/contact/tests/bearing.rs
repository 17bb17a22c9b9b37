//! Joints without an area: edges and corners that bear, and those that only meet.

use drystone_contact::{Search, interfaces::SearchSettings, survey};
use drystone_model::{Block, Model, Pose, Rotation, Shape, geometry::Polyhedron};
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
