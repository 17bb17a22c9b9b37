//! Falls that are made up of blocks that stand in a dent of another, and points where no normals tell how blocks may move.

use crate::common::*;
use drystone_model::{Block, Joints, MeshShape, Model, Pose, Shape, certificate::Claim, geometry::Polyhedron};
use glam::{DAffine3, DQuat, DVec2, DVec3, dvec3};

fn prism(name: &str, outline: &[(f64, f64)], depth: f64) -> Block {
    let outline: Vec<DVec2> = outline.iter().copied().map(DVec2::from).collect();
    Block::new(name, Polyhedron::from_elevation(&outline, -depth, depth))
}

fn placed(model: &Model, turn: DQuat, scale: f64) -> Model {
    let map = DAffine3::from_scale_rotation_translation(DVec3::splat(scale), turn, DVec3::ZERO);
    let mut moved = model.clone();
    for block in &mut moved.blocks {
        block.shape = Shape::from(block.polyhedron().transformed(&map));
        block.pose = Pose::default();
    }
    moved.gravity = turn * model.gravity;
    moved
}

/// A lintel with a notch on a ridge, its other end on a pier; and a pointed block that leans on a pillar with its foot in the
/// inner corner of a step. Both stand, even without friction.
fn standing() -> [Model; 2] {
    let low = -0.5 * 30f64.to_radians().tan();
    let lintel = [(-0.5, low), (0.0, 0.0), (0.5, low), (4.0, low), (4.0, 0.5), (-0.5, 0.5)];
    let step = [
        (-1.0, -1.0),
        (2.0, -1.0),
        (2.0, 0.0),
        (0.0, 0.0),
        (0.0, 1.0),
        (-1.0, 1.0),
    ];
    let blocks = [
        vec![
            prism("ridge", &[(-0.3, -1.0), (0.3, -1.0), (0.0, 0.0)], 1.0).fixed(),
            prism("pier", &[(3.0, -1.0), (4.0, -1.0), (4.0, low), (3.0, low)], 1.0).fixed(),
            prism("free", &lintel, 1.0),
        ],
        vec![
            prism("step", &step, 1.0).fixed(),
            prism("pillar", &[(1.0, 0.5), (2.0, 0.5), (2.0, 3.0), (1.0, 3.0)], 1.0).fixed(),
            prism("free", &[(0.0, 0.0), (0.9, 1.6), (1.0, 2.0), (0.2, 1.2)], 0.3),
        ],
    ];
    blocks.map(|blocks| {
        let mut model = Model::named("dent");
        model.joints = Joints::uniform(0.0);
        model.blocks = blocks;
        model
    })
}

#[test]
fn no_fall_of_a_block_that_stands_in_a_dent_is_accepted() {
    let mut seed = 7u64;
    let mut random = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let turn = DQuat::from_axis_angle(dvec3(1.0, -2.0, 0.7).normalize(), 0.9);
    for model in standing() {
        for (turn, scale) in [(DQuat::IDENTITY, 1.0), (turn, 1e-3), (turn, 100.0)] {
            let model = placed(&model, turn, scale);
            for k in 0..120 {
                let mut vector = || dvec3(random(), random(), random());
                // Sinking, sliding down either side of the dent, turning about the edge, and anything.
                let (linear, angular) = match k {
                    0 => (-DVec3::Z, DVec3::ZERO),
                    1 => (dvec3(3f64.sqrt(), 0.0, -1.0), DVec3::ZERO),
                    2 => (dvec3(-3f64.sqrt(), 0.0, -1.0), DVec3::ZERO),
                    3..40 => (dvec3(vector().x, 0.0, vector().z), DVec3::Y * vector().y),
                    _ => (vector(), vector()),
                };
                let forged = claim(&model, model.gravity, Claim::Unstable);
                let forged = forged.motion("free", turn * linear * scale, turn * angular);
                assert!(!forged.verify().valid, "{linear} {angular} at {scale}");
            }
        }
    }
}

/// A needle on its point at the foot of a post that is one block with the floor: the point may go past the edge of the post on
/// either side, or not, and no normal tells.
#[test]
fn a_fall_into_what_has_no_normal_is_not_accepted() {
    let plan = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(DVec2::from);
    let mut vertices: Vec<DVec3> = Vec::new();
    for z in [0.0, 2.0] {
        vertices.extend(plan.map(|p| p.extend(z)));
    }
    let floor = [(-2.0, -2.0), (1.0, -2.0), (1.0, 1.0), (-2.0, 1.0)].map(DVec2::from);
    for z in [-1.0, 0.0] {
        vertices.extend(floor.map(|p| p.extend(z)));
    }
    // Post 0 to 7, floor 8 to 15; corner 14 of the floor is corner 2 of the post.
    let faces: Vec<Vec<u32>> = vec![
        vec![4, 5, 6, 7],
        vec![0, 1, 5, 4],
        vec![0, 4, 7, 3],
        vec![1, 2, 6, 5],
        vec![2, 3, 7, 6],
        vec![11, 10, 9, 8],
        vec![8, 9, 13, 12],
        vec![9, 10, 2, 1, 13],
        vec![10, 11, 15, 3, 2],
        vec![11, 8, 12, 15],
        vec![12, 13, 1, 0, 3, 15],
    ];
    let mesh = MeshShape {
        vertices,
        faces,
        parts: Vec::new(),
    };
    let needle = MeshShape {
        vertices: vec![
            DVec3::ZERO,
            dvec3(-0.2, -0.1, 1.0),
            dvec3(-0.1, -0.2, 1.0),
            dvec3(-0.3, -0.3, 1.0),
        ],
        faces: vec![vec![0, 1, 2], vec![0, 2, 3], vec![0, 3, 1], vec![1, 3, 2]],
        parts: Vec::new(),
    };
    let mut model = Model::named("needle");
    model.joints = Joints::uniform(0.0);
    model.blocks = vec![
        Block::new("floor", Shape::Mesh(mesh)).fixed(),
        Block::new("needle", Shape::Mesh(needle)),
    ];
    model.gravity = dvec3(5.0, 5.0, -5.0);
    let into = claim(&model, model.gravity, Claim::Unstable).motion("needle", dvec3(1.0, 1.0, 0.0), DVec3::ZERO);
    let found = into.verify();
    let failed: Vec<_> = found
        .claims
        .iter()
        .filter(|c| !c.holds)
        .map(|c| c.claim.as_str())
        .collect();
    assert_eq!(
        failed,
        ["the joints of blocks that move against each other are known"],
        "{found:#?}"
    );
}
