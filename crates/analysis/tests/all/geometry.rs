//! What is wrong with shapes is found at any scale, and told in a few lines.

use drystone_analysis::{Geometry, ProblemKind};
use drystone_contact::joints;
use drystone_model::{Block, JointSearch, Model, Shape, StoredFrame, StoredInterface, geometry::Polyhedron};
use glam::{DVec2, DVec3};

const SCALES: [f64; 4] = [1e-3, 1.0, 30.0, 1e3];

/// Boxes of one unit above each other from the ground, lifted by what is given (in units).
fn tower(scale: f64, lifted: &[f64]) -> Model {
    let mut model = Model::named("tower");
    let cuboid = |z: f64| Shape::cuboid(DVec3::new(0.0, 0.0, z) * scale, DVec3::new(1.0, 1.0, z + 1.0) * scale);
    model.blocks.push(Block::new("ground", cuboid(-1.0)).fixed());
    for (k, lift) in lifted.iter().enumerate() {
        model.blocks.push(Block::new(format!("b{k}"), cuboid(k as f64 + lift)));
    }
    model
}

fn geometry(model: &Model) -> Geometry {
    Geometry::of(model, &joints(model).unwrap())
}

#[test]
fn an_overlap_is_told_with_its_depth_and_touching_is_none() {
    for scale in SCALES {
        assert!(geometry(&tower(scale, &[0.0, 0.0])).is_sound(), "{scale}");
        let found = geometry(&tower(scale, &[-0.05, -0.05]));
        let [problem] = found.problems.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(problem.kind, ProblemKind::Overlap);
        assert_eq!(problem.blocks, ["ground", "b0"]);
        assert!(
            (problem.depth_m.unwrap() - 0.05 * scale).abs() < 1e-9 * scale,
            "{problem:?}"
        );
        assert!(problem.affects_verdict);
    }
    let found = geometry(&tower(1.0, &[-0.05]));
    assert_eq!(found.lines(), ["`ground` and `b0` overlap by 50 mm"]);
}

/// The boxes have a size (diagonal) of 1.73 units: the contact tolerance is 1.73e-6 of a unit.
#[test]
fn joined_blocks_may_overlap_by_four_times_the_tolerance() {
    for scale in SCALES {
        for depth in [2e-6, 5e-6] {
            assert!(
                geometry(&tower(scale, &[-depth, -depth])).is_sound(),
                "{scale}, {depth}"
            );
        }
        assert!(!geometry(&tower(scale, &[-1e-5, -1e-5])).is_sound(), "{scale}");
    }
}

#[test]
fn two_blocks_in_one_place_are_told_from_two_that_overlap() {
    for scale in SCALES {
        let found = geometry(&tower(scale, &[0.0, -1.0]));
        assert_eq!(found.problems.len(), 1, "{found:?}");
        assert_eq!(found.problems[0].kind, ProblemKind::SamePlace);
        assert_eq!(found.lines(), ["`b0` and `b1` are in the same place"]);
    }
}

#[test]
fn supports_that_overlap_are_told_and_decide_nothing() {
    let mut model = tower(1.0, &[-0.05, -0.05]);
    model.blocks[1].fixed = true;
    let found = geometry(&model);
    assert!(!found.problems[0].affects_verdict, "{found:?}");
    assert!(found.lines()[0].contains("supports only"), "{:?}", found.lines());
}

#[test]
fn a_block_that_nearly_touches_is_told_with_its_distance() {
    for scale in SCALES {
        let model = tower(scale, &[0.0, 0.002]);
        let found = geometry(&model);
        let [problem] = found.problems.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(problem.kind, ProblemKind::NearlyTouching, "{problem:?}");
        assert!(
            (problem.distance_m.unwrap() - 0.002 * scale).abs() < 1e-9 * scale,
            "{problem:?}"
        );
        assert_eq!(problem.blocks, ["b1", "b0"]);
    }
    let line = &geometry(&tower(1.0, &[0.0, 0.002])).lines()[0];
    assert_eq!(line, "`b1` touches nothing, but `b0` is only 2 mm away");
}

#[test]
fn a_part_far_from_everything_is_unsupported() {
    let model = tower(1.0, &[0.0, 5.0, 5.0]);
    let found = geometry(&model);
    assert_eq!(found.problems[0].kind, ProblemKind::Unsupported);
    assert_eq!(found.lines(), ["2 blocks hang on no support (`b1` and `b2`)"]);
}

#[test]
fn many_problems_are_counted_and_the_deepest_named() {
    // Each stands 0.01 deeper than the last: 100 overlaps, the deepest of one unit less nothing.
    let lifted: Vec<f64> = (0..100).map(|k| -0.001 * f64::from(k * (k + 1)) / 2.0).collect();
    let found = geometry(&tower(1.0, &lifted));
    assert!(found.problems.len() >= 98, "{}", found.problems.len());
    let lines = found.lines();
    assert!(lines.len() <= 2 && lines.iter().all(|l| l.len() < 300), "{lines:?}");
    assert!(
        lines
            .iter()
            .any(|l| l.contains("pairs of blocks overlap; the deepest: ")),
        "{lines:?}"
    );
    let depths: Vec<f64> = found.problems.iter().filter_map(|p| p.depth_m).collect();
    assert!(depths.is_sorted_by(|a, b| a >= b));
}

#[test]
fn overlaps_within_rounding_are_none_and_those_within_the_joint_distance_are_told() {
    let mut model = tower(1.0, &[-1e-4, -1e-4]);
    assert_eq!(geometry(&model).problems.len(), 1);
    let mut search = JointSearch {
        distance: 1e-3,
        angle_deg: JointSearch::DEFAULT_ANGLE_DEG,
        precision: 0.0,
        source: None,
    };
    model.joint_search = Some(search);
    assert_eq!(geometry(&model).problems.len(), 1);
    search.precision = 5e-5;
    model.joint_search = Some(search);
    assert!(geometry(&model).is_sound());
    model.blocks[1] = tower(1.0, &[-0.01]).blocks[1].clone();
    assert!(!geometry(&model).is_sound());
}

/// A joint in the plane of the top of `b0`, stored with the model.
fn with_stored_joint(scale: f64, change: impl Fn(&mut StoredInterface)) -> Vec<ProblemKind> {
    let mut model = tower(scale, &[0.0, 0.0]);
    let corners = |z: f64| [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, y)| DVec3::new(x, y, z) * scale);
    let joint = |names: [&str; 2], z: f64| StoredInterface {
        between: names.map(str::to_string),
        points: corners(z).to_vec(),
        frame: StoredFrame {
            point: DVec3::new(0.5, 0.5, z) * scale,
            xaxis: DVec3::X,
            yaxis: DVec3::Y,
        },
        area: None,
        forces: Vec::new(),
    };
    let mut upper = joint(["b0", "b1"], 1.0);
    change(&mut upper);
    model.interfaces = vec![joint(["ground", "b0"], 0.0), upper];
    geometry(&model).problems.iter().map(|p| p.kind).collect()
}

#[test]
fn joints_that_are_stored_are_measured_against_their_blocks() {
    for scale in SCALES {
        let moved =
            |by: DVec3| move |joint: &mut StoredInterface| joint.points.iter_mut().for_each(|p| *p += by * scale);
        let wrong = [ProblemKind::MisplacedJoint];
        assert_eq!(with_stored_joint(scale, |_| ()), []);
        assert_eq!(with_stored_joint(scale, moved(DVec3::Z * 1e-3)), []);
        assert_eq!(with_stored_joint(scale, moved(DVec3::Z * 0.1)), wrong);
        assert_eq!(with_stored_joint(scale, moved(DVec3::X * 0.5)), wrong);
        assert_eq!(
            with_stored_joint(scale, |j| j.points.iter_mut().for_each(|p| p.x *= 3.0)),
            wrong
        );
        assert_eq!(with_stored_joint(scale, |j| j.frame.yaxis *= -1.0), wrong);
        let tilt = |j: &mut StoredInterface| j.frame.xaxis = DVec3::new(0.88, 0.0, 0.48);
        assert_eq!(with_stored_joint(scale, tilt), wrong);
    }
}

/// One bed of a tower along the axes is askew by a last digit: it counts as rounded, and is named.
#[test]
fn a_pair_that_alone_is_joined_by_rounding_is_named() {
    let mut model = tower(1.0, &[0.0, 0.0]);
    let mut solid = model.blocks[2].polyhedron();
    for v in solid.vertices.iter_mut().filter(|v| v.z < 1.5 && v.x > 0.5) {
        v.z += 1e-3;
    }
    model.blocks[2] = Block::new("b1", solid);
    model.joint_search = drystone_contact::choose(&model).search;
    let found = geometry(&model);
    let kinds: Vec<ProblemKind> = found.problems.iter().map(|p| p.kind).collect();
    assert_eq!(kinds, [ProblemKind::JoinedApart], "{:?}: {found:?}", model.joint_search);
}

#[test]
fn faces_that_nearly_touch_are_told_though_their_blocks_are_joined_elsewhere() {
    let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 0.5), (1.0, 0.5), (1.0, 1.5), (0.0, 1.5)].map(DVec2::from);
    let mut model = Model::named("corner");
    model.blocks = vec![
        Block::new("ell", Polyhedron::from_elevation(&outline, 0.0, 1.0)).fixed(),
        Block::new(
            "b",
            Shape::cuboid(DVec3::new(1.0005, 0.0, 0.5), DVec3::new(1.6005, 1.0, 1.2)),
        ),
    ];
    let found = geometry(&model);
    let [problem] = found.problems.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(problem.kind, ProblemKind::NearlyJoined);
    assert!((problem.distance_m.unwrap() - 5e-4).abs() < 1e-9, "{problem:?}");
}

/// Two cards that lean on each other: their edges meet in a line, and any normal there would be made up.
#[test]
fn edges_that_lean_on_each_other_are_named_and_diagonal_neighbours_in_a_wall_are_not() {
    let slope = 60_f64.to_radians();
    let (along, across) = (
        DVec2::new(slope.cos(), slope.sin()),
        DVec2::new(-slope.sin(), slope.cos()),
    );
    let card = [DVec2::ZERO, 2.0 * along, 2.0 * along + 0.1 * across, 0.1 * across];
    let left = card.map(|p| p - DVec2::X * (2.0 * along.x));
    let mut right = left.map(|p| DVec2::new(-p.x, p.y));
    right.reverse();
    let mut model = Model::named("cards");
    let ground = Shape::cuboid(DVec3::new(-5.0, -5.0, -1.0), DVec3::new(5.0, 5.0, 0.0));
    model.blocks = vec![
        Block::new("ground", ground).fixed(),
        Block::new("left", Polyhedron::from_elevation(&left, -0.5, 0.5)),
        Block::new("right", Polyhedron::from_elevation(&right, -0.5, 0.5)),
    ];
    let found = geometry(&model);
    let kinds: Vec<ProblemKind> = found.problems.iter().map(|p| p.kind).collect();
    assert_eq!(kinds, [ProblemKind::MeetingEdges], "{found:?}");
    assert_eq!(found.problems[0].blocks, ["left", "right"]);
    for recipe in ["wall", "arch", "barrel-vault", "dome", "rubble-wall"] {
        let model = drystone_model::recipes::find(recipe)
            .and_then(|r| r.build(&[]))
            .unwrap();
        assert!(geometry(&model).is_sound(), "{recipe}: {:?}", geometry(&model).lines());
    }
}
