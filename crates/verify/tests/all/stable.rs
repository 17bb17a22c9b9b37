//! Structures that stand, by forces from statics.

use crate::common::*;
use drystone_model::{
    Block, Model, Shape, StoredFrame, StoredInterface, Tie, TieEnd, TieKind,
    certificate::{Claim, TieForce},
    geometry::Polyhedron,
};
use glam::{DQuat, DVec2, DVec3};

#[test]
fn a_block_on_a_support_stands_by_a_quarter_of_its_weight_at_each_corner() {
    let case = resting(0.0);
    assert_valid(&case);
    let press = case.certificate.forces[0].force.z;
    assert!((press - 0.1 * 2000.0 * G).abs() < 1e-9);
}

#[test]
fn on_an_incline_it_stands_up_to_the_angle_of_friction() {
    let angle = 0.6f64.atan();
    assert_valid(&resting(0.999 * angle));
    assert_fails(&resting(1.001 * angle), "more than its friction");
}

#[test]
fn size_does_not_matter() {
    for scale in [1e-3, 1.0, 1e3] {
        for angle in [0.0, 0.5] {
            assert_valid(&resting(angle).moved(DQuat::IDENTITY, scale, DVec3::ZERO));
            assert_valid(&resting_without_self_stress(angle).moved(DQuat::IDENTITY, scale, DVec3::ZERO));
        }
    }
}

#[test]
fn a_stack_stands_and_one_on_the_verge_stands_on_its_edges() {
    let straight = recipe("stack", &[]);
    let verge = recipe("stack", &[("offset", "0.5"), ("lean", "harmonic"), ("blocks", "6")]);
    for (model, is_on_edges) in [(straight, false), (verge, true)] {
        let mut case = claim(&model, model.gravity, Claim::Stable);
        for k in 1..model.blocks.len() {
            let above: f64 = model.blocks[k..].iter().map(|b| model.mass_of(b).0 * G).sum();
            let upper = model.blocks[k].polyhedron().bounds();
            let lower = model.blocks[k - 1].polyhedron().bounds();
            let right = upper.max.x.min(lower.max.x);
            // Under the lowest block, and in a straight stack, the load is spread; else it goes down the edge.
            let middle = model.blocks[k..]
                .iter()
                .map(|b| b.polyhedron().bounds().center().x)
                .sum::<f64>()
                / (model.blocks.len() - k) as f64;
            let xs = if is_on_edges {
                vec![middle.min(right)]
            } else {
                vec![upper.min.x, right]
            };
            let share = above / (2 * xs.len()) as f64;
            let names = [model.blocks[k - 1].name.as_str(), model.blocks[k].name.as_str()];
            for x in xs {
                for y in [upper.min.y, upper.max.y] {
                    let at = DVec3::new(x, y, upper.min.z);
                    case = case.force(names, at, DVec3::Z, DVec3::new(0.0, 0.0, share));
                }
            }
        }
        assert_valid(&case);
    }
}

#[test]
fn a_block_wedged_between_walls_hangs_by_friction_if_self_stress_is_admitted() {
    let mut model = block_on_support();
    model.blocks.remove(0);
    for (name, x) in [("left", -1.0), ("right", 1.0)] {
        let (a, b) = (DVec3::new(0.5 * x, -1.0, -1.0), DVec3::new(x, 1.0, 1.0));
        model
            .blocks
            .push(Block::new(name, Shape::cuboid(a.min(b), a.max(b))).fixed());
    }
    let weight = model.mass_of(&model.blocks[0]).0 * G;
    let mut case = claim(&model, model.gravity, Claim::Stable);
    for (name, x) in [("left", -0.5), ("right", 0.5)] {
        for (y, z) in [(-0.4, 0.0), (0.4, 0.0), (0.4, 0.5), (-0.4, 0.5)] {
            let inward = -2.0 * x * DVec3::X;
            let force = inward * weight + DVec3::Z * weight / 8.0;
            case = case.force([name, "block"], DVec3::new(x, y, z), inward, force);
        }
    }
    assert_valid(&case);
    let down = case.clone().motion("block", DVec3::new(0.0, 0.0, -1e-3), DVec3::ZERO);
    assert_fails(
        &down.without_self_stress(Some(1e-3)),
        "only joints that the motion closes press",
    );
}

#[test]
fn redundant_supports_share_a_block_in_more_ways_than_one() {
    let mut model = block_on_support();
    model.blocks[0].shape = Shape::cuboid(DVec3::new(-2.0, -2.0, -0.5), DVec3::new(0.0, 2.0, 0.0));
    let other = Shape::cuboid(DVec3::new(0.0, -2.0, -0.5), DVec3::new(2.0, 2.0, 0.0));
    model.blocks.push(Block::new("other", other).fixed());
    let weight = model.mass_of(&model.blocks[1]).0 * G;
    for (outer, inner) in [(0.25, 0.0), (0.0, 0.25), (0.2, 0.05)] {
        let mut case = claim(&model, model.gravity, Claim::Stable);
        for y in [-0.4, 0.4] {
            for (name, x, part) in [
                ("support", -0.5, outer),
                ("support", 0.0, inner),
                ("other", 0.0, inner),
                ("other", 0.5, outer),
            ] {
                // The other way round on one side: the order of the blocks is the certificate's to choose.
                let (names, sign) = if y > 0.0 {
                    ([name, "block"], 1.0)
                } else {
                    (["block", name], -1.0)
                };
                let z = sign * DVec3::Z;
                case = case.force(names, DVec3::new(x, y, 0.0), z, z * part * weight);
            }
        }
        assert_valid(&case);
    }
}

#[test]
fn a_block_stands_on_its_edge_and_a_bar_across_a_ridge_if_balanced() {
    let tilt = 0.3f64.atan();
    let model = recipe("block", &[("tilt-deg", &tilt.to_degrees().to_string())]);
    let weight = model.mass_of(&model.blocks[1]).0 * G;
    let load = DVec3::new(0.0, 0.0, weight);
    let case = claim(&model, model.gravity, Claim::Stable);
    let at = |y: f64| DVec3::new(0.3, y, 0.0);
    let names = ["ground", "block"];
    assert_valid(&case.clone().force(names, at(0.0), DVec3::Z, load));
    let two = case.clone().force(names, at(-0.3), DVec3::Z, 0.5 * load);
    assert_valid(&two.force(names, at(0.3), DVec3::Z, 0.5 * load));
    let leaning = DVec3::new(0.1, 0.0, 1.0).normalize();
    assert_fails(&case.force(names, at(0.0), leaning, load), "along the joint's normal");

    let bar = |along_x: bool| {
        let square = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)].map(|(a, z)| {
            if along_x {
                DVec3::new(-3.0, a, z - 1.0)
            } else {
                DVec3::new(a, -3.0, z + 1.0)
            }
        });
        Polyhedron::extruded(&square, 6.0 * if along_x { DVec3::X } else { DVec3::Y })
    };
    let mut model = Model::named("bars");
    model.blocks = vec![Block::new("ridge", bar(true)).fixed(), Block::new("bar", bar(false))];
    let load = DVec3::new(0.0, 0.0, model.mass_of(&model.blocks[1]).0 * G);
    let case = claim(&model, model.gravity, Claim::Stable);
    assert_valid(&case.clone().force(["ridge", "bar"], DVec3::ZERO, DVec3::Z, load));
    let slope = DVec3::new(0.0, 1.0, 1.0).normalize();
    assert_fails(
        &case.force(["ridge", "bar"], DVec3::ZERO, slope, load),
        "along the joint's normal",
    );
}

#[test]
fn diagonal_neighbours_have_no_joint() {
    let mut model = block_on_support();
    model.blocks[0].shape = Shape::cuboid(DVec3::new(-2.5, -0.4, -0.5), DVec3::new(-0.5, 0.4, 0.0));
    let load = DVec3::new(0.0, 0.0, model.mass_of(&model.blocks[1]).0 * G);
    for normal in [DVec3::Z, DVec3::X, DVec3::new(1.0, 0.0, 1.0).normalize()] {
        for y in [0.0, 0.4] {
            let case = claim(&model, model.gravity, Claim::Stable);
            let case = case.force(["support", "block"], DVec3::new(-0.5, y, 0.0), normal, load);
            assert_fails(&case, "acts at a joint");
        }
    }
}

#[test]
fn a_block_in_the_notch_of_another_touches_floor_and_wall() {
    let outline = [
        (-2.0, -1.0),
        (2.0, -1.0),
        (2.0, 2.0),
        (0.5, 2.0),
        (0.5, 0.0),
        (-2.0, 0.0),
    ]
    .map(DVec2::from);
    let mut model = block_on_support();
    model.blocks[0].shape = Polyhedron::from_elevation(&outline, -1.0, 1.0).into();
    let mut case = resting(0.0);
    case.model = model;
    // Pressed against the wall by nothing: forces there cancel only if there are none.
    assert_valid(&case);
    let corner = DVec3::new(0.5, 0.4, 0.0);
    let pushed = case.force(["support", "block"], corner, DVec3::NEG_X, DVec3::new(-50.0, 0.0, 0.0));
    let found = pushed.verify();
    assert_eq!(
        failures(&found),
        ["forces within friction balance the loads on every block"]
    );
}

#[test]
fn joints_stored_with_a_model_are_the_only_ones() {
    let mut case = resting(0.2);
    let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0);
    case.model.interfaces.push(StoredInterface {
        between: ["block".into(), "support".into()],
        points: vec![
            corner(-0.5, -0.4),
            corner(-0.5, 0.4),
            corner(0.5, 0.4),
            corner(0.5, -0.4),
        ],
        frame: StoredFrame {
            point: DVec3::ZERO,
            xaxis: DVec3::Y,
            yaxis: DVec3::X,
        },
        area: None,
        forces: Vec::new(),
    });
    assert_valid(&case);
    case.model.interfaces[0].points[2].x = 0.4;
    assert_fails(&case, "acts at a joint");
    case.model.interfaces[0].between[0] = "nobody".into();
    assert_fails(&case, "are sound");
}

/// A block that hangs on a tie above its middle.
fn hanging(kind: TieKind, tension: f64) -> Case {
    let mut model = block_on_support();
    model.blocks[0].shape = Shape::cuboid(DVec3::new(-2.0, -2.0, 2.0), DVec3::new(2.0, 2.0, 3.0));
    let end = |block: &str, z: f64| TieEnd {
        block: block.into(),
        at: DVec3::new(0.0, 0.0, z),
    };
    model.ties.push(Tie {
        name: "rod".into(),
        from: end("support", 2.0),
        to: end("block", 0.5),
        kind,
        group: None,
    });
    let mut case = claim(&model, model.gravity, Claim::Stable);
    case.certificate.tie_forces.push(TieForce {
        tie: "rod".into(),
        tension_n: tension * case.certificate.measured.weight_n,
    });
    case
}

#[test]
fn a_block_hangs_on_a_tie_that_pulls_with_its_weight() {
    let spring = TieKind::TensionSpring {
        stiffness: 1e6,
        rest_length: 1.5,
    };
    for kind in [TieKind::RigidRod, spring] {
        assert_valid(&hanging(kind, 1.0));
        assert_fails(&hanging(kind, 0.9), "balance");
    }
    let mut upside_down = hanging(spring, -1.0);
    upside_down.certificate.situation.gravity *= -1.0;
    assert_fails(&upside_down, "ties carry only what they can");
    let mut upside_down = hanging(TieKind::RigidRod, -1.0);
    upside_down.certificate.situation.gravity *= -1.0;
    assert_valid(&upside_down);
    upside_down.certificate.tie_forces[0].tie = "none".into();
    assert_fails(&upside_down, "ties carry only what they can");
}

#[test]
fn loads_beside_the_weight_have_to_be_balanced_too() {
    let mut case = resting(0.0);
    let force = DVec3::new(0.0, 0.0, -100.0);
    case.certificate
        .situation
        .loads
        .push(drystone_model::certificate::AppliedLoad {
            block: "block".into(),
            force,
            at: DVec3::new(0.5, 0.0, 0.5),
            couple: DVec3::ZERO,
        });
    case.certificate.measured.weight_n += 100.0;
    assert_fails(&case, "balance");
    for f in case.certificate.forces.iter_mut().filter(|f| f.point.x > 0.0) {
        f.force.z += 50.0;
    }
    assert_valid(&case);
    case.certificate.situation.loads[0].block = "nobody".into();
    assert_fails(&case, "are sound");
}

#[test]
fn without_self_stress_a_motion_has_to_call_the_forces_up() {
    for angle in [0.0, 0.3, 0.54] {
        assert_valid(&resting_without_self_stress(angle));
    }
    let mut open = resting_without_self_stress(0.3);
    open.certificate.motions[0].linear.z = -0.9e-3;
    assert_fails(&open, "only joints that the motion closes press");
    let mut deep = resting_without_self_stress(0.3);
    deep.certificate.motions[0].linear.z = -1.1e-3;
    assert_fails(&deep, "closes by more than its opening");
    let mut uphill = resting_without_self_stress(0.3);
    uphill.certificate.motions[0].linear.x *= -1.0;
    assert_fails(&uphill, "friction opposes");
    let mut aside = resting_without_self_stress(0.3);
    aside.certificate.motions[0].linear.y = 1e-6;
    assert_fails(&aside, "friction opposes");
    let mut at_rest = resting_without_self_stress(0.3);
    at_rest.certificate.motions[0].linear.x = 0.0;
    assert_fails(&at_rest, "friction opposes");
    assert_fails(&resting(0.3).without_self_stress(None), "opening");
    assert_fails(&resting(0.3).without_self_stress(Some(0.0)), "opening");
}
