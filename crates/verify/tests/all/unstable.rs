//! Structures that do not stand, by motions from kinematics.

use crate::common::*;
use drystone_model::{
    Block, Shape, Tie, TieEnd, TieKind,
    certificate::{Claim, SelfStress},
};
use glam::{DQuat, DVec3};

#[test]
fn a_block_slides_past_the_angle_of_friction() {
    let angle = 0.6f64.atan();
    assert_valid(&sliding(1.001 * angle));
    assert_fails(&sliding(0.999 * angle), "the loads drive the motion");
}

#[test]
fn a_motion_that_slides_without_rising_is_no_proof() {
    let mut case = sliding(1.0);
    case.certificate.motions[0].linear.z = 0.599;
    assert_fails(&case, "opens at least by its friction");
    // Without self-stress it is one that the loads drive, and is told apart from a proof.
    case.certificate.motions[0].linear.z = 0.0;
    case.certificate.self_stress = SelfStress::Excluded;
    let found = case.verify();
    assert!(found.valid);
    assert!(found.claims.iter().any(|c| c.claim.contains("not a proof")));
    case.certificate.motions[0].linear.z = -0.1;
    assert_fails(&case, "no joint closes");
}

#[test]
fn forces_that_could_still_resist_are_told() {
    let mut case = sliding(0.5405);
    assert_valid(&case);
    // Close to the limit the work is small; a motion that is a little off then proves nothing.
    case.certificate.motions[0].linear.z -= 8e-7;
    let found = case.verify();
    assert_eq!(failures(&found).len(), 1, "{found:#?}");
    assert!(failures(&found)[0].contains("far beyond the weight"));
}

#[test]
fn size_does_not_matter() {
    for scale in [1e-3, 1.0, 1e3] {
        assert_valid(&sliding(0.6).moved(DQuat::IDENTITY, scale, DVec3::ZERO));
    }
}

#[test]
fn a_tilted_block_topples_over_its_edge() {
    for (tilt, topples) in [(20.0, true), (10.0, false)] {
        let model = recipe("block", &[("tilt-deg", &f64::to_string(&tilt))]);
        let center = model.mass_of(&model.blocks[1]).1.centroid;
        let edge = DVec3::new(0.3, 0.0, 0.0);
        let case = claim(&model, model.gravity, Claim::Unstable);
        let over = case.clone().motion("block", DVec3::Y.cross(center - edge), DVec3::Y);
        // A tilt of 10 degrees falls back instead.
        let back = case.motion("block", -DVec3::Y.cross(center - edge), -DVec3::Y);
        let (falls, rises) = if topples { (over, back) } else { (back, over) };
        assert_valid(&falls);
        assert_fails(&rises, "the loads drive the motion");
    }
}

#[test]
fn a_block_that_touches_nothing_falls() {
    let mut model = block_on_support();
    let low = DVec3::new(0.0, 0.0, 5.0);
    model.blocks.push(Block::new("lost", Shape::cuboid(low, low + 1.0)));
    let case = claim(&model, model.gravity, Claim::Unstable);
    assert_valid(&case.clone().motion("lost", DVec3::NEG_Z, DVec3::ZERO));
    assert_fails(&case.motion("block", DVec3::NEG_Z, DVec3::ZERO), "opens at least");
    let mut stable = resting(0.0);
    stable.certificate.measured.weight_n = claim(&model, model.gravity, Claim::Stable)
        .certificate
        .measured
        .weight_n;
    stable.model = model;
    assert_fails(&stable, "balance");
}

#[test]
fn an_arch_flies_off_if_the_earth_is_turned_over() {
    for name in ["arch", "stack", "wall", "dome"] {
        let model = recipe(name, &[]);
        let mut case = claim(&model, DVec3::new(0.0, 0.0, G), Claim::Unstable);
        for block in model.free_blocks() {
            case = case.motion(&block.name, DVec3::Z, DVec3::ZERO);
        }
        assert_valid(&case);
        let one = case.certificate.motions.len() / 2;
        case.certificate.motions[one].linear.z = 0.9;
        assert_fails(&case, "opens at least");
    }
}

#[test]
fn supports_do_not_move_and_no_block_moves_in_two_ways() {
    assert_fails(&sliding(0.6).motion("support", DVec3::X, DVec3::ZERO), "supports rest");
    assert_fails(&sliding(0.6).motion("block", DVec3::X, DVec3::ZERO), "supports rest");
    assert_fails(&sliding(0.6).motion("nobody", DVec3::X, DVec3::ZERO), "supports rest");
    assert_valid(&sliding(0.6).motion("support", DVec3::ZERO, DVec3::ZERO));
    let mut fixed = sliding(0.6);
    fixed.certificate.situation.supports.push("block".into());
    assert_fails(&fixed, "some block is free");
}

#[test]
fn ties_hold_blocks_back() {
    let mut case = sliding(0.6);
    let tie = |x: f64, kind: TieKind| Tie {
        name: "tie".into(),
        from: TieEnd {
            block: "support".into(),
            at: DVec3::new(x, 0.0, 0.0),
        },
        to: TieEnd {
            block: "block".into(),
            at: DVec3::new(0.0, 0.0, 0.25),
        },
        kind,
        group: None,
    };
    let spring = TieKind::TensionSpring {
        stiffness: 1.0,
        rest_length: 1.0,
    };
    for (x, kind, holds) in [
        (-1.5, TieKind::RigidRod, true),
        (1.5, TieKind::RigidRod, true),
        (-1.5, spring, true),
        (1.5, spring, false),
    ] {
        case.model.ties = vec![tie(x, kind)];
        if holds {
            assert_fails(&case, "ties do not lengthen");
        } else {
            assert_valid(&case);
        }
    }
}

/// A block that slides off, turned and with four decimals: its corners are off by up to half of the last decimal along each
/// axis. That much may be stated, and is told; ten times as much may not, nor anything of the same block with all its digits.
#[test]
fn coordinates_are_taken_as_rounded_as_far_as_their_digits_show() {
    let precision = 0.5 * 3f64.sqrt() * 1e-4;
    let stated = |precision: f64| {
        let fields = serde_json::json!({ "distance": 4.0 * precision, "angle_deg": 0.1, "precision": precision });
        Some(serde_json::from_value(fields).unwrap())
    };
    let mut exact = sliding(0.9);
    exact.certificate.motions[0].linear.z = 0.7;
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, -2.0, 0.7).normalize(), 0.9);
    let exact = exact.moved(turn, 1.0, DVec3::ZERO);
    let mut rounded = exact.clone();
    for block in &mut rounded.model.blocks {
        let mut solid = block.polyhedron();
        solid.vertices.iter_mut().for_each(|v| *v = (*v * 1e4).round() / 1e4);
        block.shape = solid.into();
    }
    rounded.certificate.measured.weight_n = rounded.model.mass_of(&rounded.model.blocks[1]).0 * G;
    rounded.certificate.situation.joint_search = stated(precision);
    assert_valid(&rounded);
    let found = rounded.verify();
    let told = found.claims.iter().find(|c| c.claim.contains("situation")).unwrap();
    assert!(
        told.detail.contains(&format!("rounded by up to {precision} m")),
        "{}",
        told.detail
    );
    rounded.certificate.situation.joint_search = stated(10.0 * precision);
    assert_fails(&rounded, "coordinates are rounded as far");
    let mut claimed = exact;
    claimed.certificate.situation.joint_search = stated(precision);
    assert_fails(&claimed, "coordinates are rounded as far");
}
