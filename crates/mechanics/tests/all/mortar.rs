//! Joined faces carry as they are at rest: across mortar, and where rounding leaves gaps or overlaps.

use crate::common::{built, run, simulation};
use drystone_cone::Twist;
use drystone_mechanics::{
    dynamics::max_displacement,
    statics::{Acting, Loads, Method, Overrides, Solvers, Structure, Verdict, certify, check},
};
use drystone_model::{Block, JointSearch, Model, Shape, StoredFrame, StoredInterface};
use glam::DVec3;

/// Blocks of 1 x 0.5 x 0.25 m (times a scale) on each other, `gap` apart.
fn stack(blocks: usize, gap: f64, scale: f64) -> Model {
    let mut model = Model::named("stack");
    let size = DVec3::new(1.0, 0.5, 0.25) * scale;
    for k in 0..=blocks {
        let low = DVec3::Z * (k as f64 * (size.z + gap));
        let block = Block::new(format!("b{k}"), Shape::cuboid(low, low + size));
        model.blocks.push(if k == 0 { block.fixed() } else { block });
    }
    model
}

fn joined(distance: f64) -> Option<JointSearch> {
    Some(JointSearch {
        distance,
        angle_deg: JointSearch::DEFAULT_ANGLE_DEG,
        precision: 0.0,
        source: None,
    })
}

#[test]
fn a_stack_with_mortar_stands_in_statics_and_stands_still_in_time() {
    for scale in [0.1, 1.0, 100.0] {
        let mut model = stack(4, 0.01 * scale, scale);
        let weight = |a: &Structure| Loads::body_force(a, model.gravity);
        let apart = Structure::new(&model).unwrap();
        assert_eq!((apart.joints.len(), apart.loose.len()), (0, 4));
        model.joint_search = joined(0.02 * scale);
        let structure = Structure::new(&model).unwrap();
        assert_eq!(structure.joints.len(), 4);
        // Half-way between the faces.
        let heights = structure.points.iter().map(|p| p.position.z);
        let expected = |p: usize| ((p / 4) as f64 * 0.26 + 0.255) * scale;
        assert!(heights.enumerate().all(|(p, z)| (z - expected(p)).abs() < 1e-9 * scale));
        let found = check(&structure, &weight(&structure), Method::Cone, &mut Solvers::default()).unwrap();
        assert_eq!(found.verdict, Verdict::Stable);
        let situation = (&Overrides::default(), Acting::weight(model.gravity));
        let certificate = certify(&model, &structure, &weight(&structure), situation, &found).unwrap();
        let verified = drystone_verify::verify(&certificate, &model);
        assert!(verified.valid, "scale {scale}: {:?}", verified.claims);
        let mut moving = simulation(&model, 1e-3, "");
        run(&mut moving, 0.3, |_| ());
        let moved = max_displacement(moving.structure(), moving.state(), DVec3::ZERO);
        assert!(moved < 1e-6 * scale, "scale {scale}: {moved} m");
    }
}

/// A block that rocks on a bed of mortar rocks as on the bare ground: over the corner, not through the mortar.
#[test]
fn a_block_rocks_on_mortar_as_on_the_ground() {
    let angle = |gap: f64| {
        let mut model = Model::named("rocking");
        let floor = Shape::cuboid(DVec3::new(-3.0, -3.0, -1.0), DVec3::new(3.0, 3.0, 0.0));
        let low = DVec3::new(-0.3, -0.3, gap);
        model.blocks = vec![
            Block::new("floor", floor).fixed(),
            Block::new("block", Shape::cuboid(low, low + DVec3::new(0.6, 0.6, 2.0))),
        ];
        model.joints = drystone_model::Joints::uniform(2.0);
        model.joint_search = joined(0.02);
        let mut moving = simulation(&model, 1e-3, "");
        let angular = DVec3::Y * 0.5;
        moving.set_velocity(
            1,
            Twist {
                linear: angular.cross(DVec3::new(-0.3, 0.0, 1.0)),
                angular,
            },
        );
        let mut largest = 0.0_f64;
        run(&mut moving, 1.0, |s| {
            let turned = s.state().placements[1].rotation.to_scaled_axis().y;
            largest = largest.max(turned);
            assert!(s.state().placements[1].center.z > 1.0 + gap - 1e-4, "it sank");
        });
        largest
    };
    let (bare, bedded) = (angle(0.0), angle(0.01));
    assert!(bare > 0.02, "{bare}");
    assert!(
        (bedded / bare - 1.0).abs() < 0.02,
        "{bedded} rad on mortar, {bare} rad on the ground"
    );
}

#[test]
fn rounding_neither_drops_blocks_nor_drives_them_apart() {
    for shift in [2e-4, -2e-4] {
        let mut model = built("stack", &[("blocks", "5")]);
        for (k, block) in model.blocks.iter_mut().enumerate() {
            block.pose.position.z += k as f64 * shift;
        }
        model.joint_search = Some(JointSearch {
            distance: 4e-4,
            angle_deg: JointSearch::DEFAULT_ANGLE_DEG,
            precision: 1e-4,
            source: None,
        });
        let mut moving = simulation(&model, 1e-3, "");
        run(&mut moving, 0.2, |_| ());
        let moved = max_displacement(moving.structure(), moving.state(), DVec3::ZERO);
        assert!(moved < 1e-8, "{shift}: {moved} m");
    }
}

#[test]
fn a_simulation_keeps_to_the_joints_that_are_stored_with_a_model() {
    let mut model = stack(3, 0.005, 1.0);
    let mut moving = simulation(&model, 1e-3, "");
    run(&mut moving, 0.2, |_| ());
    let dropped = max_displacement(moving.structure(), moving.state(), DVec3::ZERO);
    assert!(
        dropped > 0.004,
        "without joints the blocks fall on each other: {dropped} m"
    );
    model.interfaces = (0..3)
        .map(|k| {
            let z = 0.25 + 0.0025 + k as f64 * 0.255;
            let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 0.5), (0.0, 0.5)];
            StoredInterface {
                between: [format!("b{k}"), format!("b{}", k + 1)],
                points: corners.map(|(x, y)| DVec3::new(x, y, z)).to_vec(),
                frame: StoredFrame {
                    point: DVec3::new(0.5, 0.25, z),
                    xaxis: DVec3::X,
                    yaxis: DVec3::Y,
                },
                area: Some(0.5),
                forces: Vec::new(),
            }
        })
        .collect();
    let mut moving = simulation(&model, 1e-3, "");
    assert_eq!(moving.rest_gaps().lost, [[0; 2]; 0]);
    run(&mut moving, 0.2, |_| ());
    let moved = max_displacement(moving.structure(), moving.state(), DVec3::ZERO);
    assert!(moved < 1e-6, "{moved} m");
}
