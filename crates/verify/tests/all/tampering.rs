//! Certificates that were changed, or make no sense.

use crate::common::*;
use drystone_model::{
    Block, MeshShape, Model, Shape,
    certificate::{AppliedLoad, Certificate, Claim, ModelReference},
};
use drystone_verify::verify;
use glam::{DQuat, DVec3};
use proptest::prelude::*;

fn cases() -> [Case; 3] {
    [resting(0.3), resting_without_self_stress(0.3), sliding(0.6)]
}

fn sealed(case: &Case) -> Certificate {
    case.certificate.clone().sealed().unwrap()
}

#[test]
fn any_change_breaks_the_fingerprint() {
    for case in cases() {
        let certificate = sealed(&case);
        assert!(verify(&certificate, &case.model).valid);
        let mut changed = certificate.clone();
        changed.measured.weight_n = changed.measured.weight_n.next_up();
        assert_eq!(
            failures(&verify(&changed, &case.model)),
            ["the certificate is as it was written"]
        );
        let mut other = case.model.clone();
        other.density = other.density.next_up();
        assert!(failures(&verify(&certificate, &other)).contains(&"it is about this model"));
    }
}

#[test]
fn one_digit_changed_and_sealed_again_still_fails() {
    for case in cases() {
        for k in 0..case.certificate.forces.len() {
            for axis in 0..3 {
                let mut changed = case.clone();
                let force = &mut changed.certificate.forces[k].force;
                force[axis] = if force[axis] == 0.0 { 1.0 } else { 1.1 * force[axis] };
                assert!(!changed.verify().valid);
                let mut changed = case.clone();
                changed.certificate.forces[k].point[axis] += 0.01;
                assert!(!changed.verify().valid);
            }
        }
        for k in 0..case.certificate.motions.len() {
            for axis in 0..3 {
                let mut changed = case.clone();
                let linear = &mut changed.certificate.motions[k].linear;
                linear[axis] = if linear[axis] == 0.0 { 1.0 } else { 0.9 * linear[axis] };
                let is_slower_opening = axis == 0 && case.certificate.opening_m.is_some();
                let is_less_sliding = axis == 0 && case.certificate.claim == Claim::Unstable;
                // Motions that slide less, with the same rise, are as good as those given.
                assert_eq!(
                    changed.verify().valid,
                    is_slower_opening || is_less_sliding,
                    "{k} {axis}"
                );
                let mut changed = case.clone();
                changed.certificate.motions[k].angular[axis] = 1.0;
                assert!(!changed.verify().valid);
            }
        }
    }
}

#[test]
fn a_corner_of_the_model_moved_and_all_sealed_again_still_fails() {
    for case in [resting(0.3), resting_without_self_stress(0.3)] {
        for corner in 0..8 {
            for axis in 0..3 {
                let mut changed = case.clone();
                let mut solid = changed.model.blocks[1].polyhedron();
                solid.vertices[corner][axis] *= 1.1;
                if solid == case.model.blocks[1].polyhedron() {
                    continue;
                }
                changed.model.blocks[1].shape = Shape::from(solid);
                assert!(!changed.verify().valid, "corner {corner}, axis {axis}");
            }
        }
    }
}

#[test]
fn forces_off_their_joint_or_with_other_normals_fail() {
    let place = "acts at a joint";
    let case = resting(0.3);
    let changed = |change: &dyn Fn(&mut drystone_model::certificate::PointOfForce)| {
        let mut changed = case.clone();
        change(&mut changed.certificate.forces[1]);
        changed
    };
    assert_fails(&changed(&|f| f.point.x += 1e-4), place);
    assert_fails(&changed(&|f| f.point.z += 1e-4), place);
    assert_fails(&changed(&|f| f.normal = DVec3::X), place);
    assert_fails(&changed(&|f| f.normal = -f.normal), place);
    assert_fails(&changed(&|f| f.normal = DVec3::ZERO), place);
    assert_fails(&changed(&|f| f.normal = DVec3::new(1e-3, 0.0, 1.0).normalize()), place);
    assert_fails(&changed(&|f| f.normal *= 1.0 + 1e-6), "unit vectors");
    assert_fails(&changed(&|f| f.tangent = f.normal), "unit vectors");
    assert_fails(&changed(&|f| f.blocks[0] = "nobody".into()), "blocks of the model");
    assert_fails(&changed(&|f| f.blocks[0] = "block".into()), "blocks of the model");
}

#[test]
fn precision_that_is_overstated_fails() {
    let mut case = resting(0.3);
    case.certificate.measured.equilibrium_residual = Some(0.0);
    case.certificate.measured.cone_margin = Some(0.0);
    assert_valid(&case);
    case.certificate.forces[0].force.z *= 1.0 + 1e-6;
    assert_fails(&case, "as good as stated");
    case.certificate.measured.equilibrium_residual = Some(1e-6);
    assert_valid(&case);
    case.certificate.measured.cone_margin = Some(0.9);
    assert_fails(&case, "margin to friction");
    let mut case = sliding(0.6);
    case.certificate.measured.work = Some(0.05);
    assert_valid(&case);
    case.certificate.measured.work = Some(0.5);
    assert_fails(&case, "as much work as stated");
}

#[test]
fn nonsense_is_a_failed_claim_and_no_panic() {
    let bad = [f64::NAN, f64::INFINITY, f64::MAX, -f64::MAX, 0.0, -1.0];
    let changes: [fn(&mut Case, f64); 14] = [
        |c, x| c.certificate.situation.gravity.z = x,
        |c, x| c.certificate.situation.friction = Some(-x.abs()),
        |c, x| c.certificate.situation.density = Some(x),
        |c, x| c.certificate.measured.weight_n = x,
        |c, x| c.certificate.opening_m = Some(x),
        |c, x| c.certificate.forces.iter_mut().for_each(|f| f.normal *= x - 0.5),
        |c, x| c.certificate.forces.iter_mut().for_each(|f| f.point.x += x + 3.0),
        |c, x| c.certificate.forces.iter_mut().for_each(|f| f.force *= x - 0.5),
        |c, x| c.certificate.motions.iter_mut().for_each(|m| m.linear *= x - 0.5),
        |c, x| c.certificate.motions.iter_mut().for_each(|m| m.angular += x - 0.5),
        |c, x| c.model.tolerances.contact = x,
        |c, x| c.model.blocks[1].mass = Some(x),
        |c, x| c.model.blocks[0].pose.position.x = 3.0 * x + 10.0,
        |c, x| c.model.blocks[1].shape = Shape::cuboid(DVec3::ZERO, DVec3::splat(x)),
    ];
    for (k, change) in changes.iter().enumerate() {
        for x in bad {
            for case in cases() {
                let mut changed = case.clone();
                change(&mut changed, x);
                let found = changed.verify();
                let is_same = changed.model == case.model && changed.certificate == case.certificate;
                // Of a block pushed aside alone, or left without joints, the motion may still be right.
                let may_hold = case.certificate.claim == Claim::Unstable && [0, 1, 4, 12].contains(&k);
                assert!(!found.valid || is_same || may_hold, "change {k} to {x}: {found:#?}");
                serde_json::to_string(&found).unwrap();
            }
        }
    }
}

#[test]
fn models_that_are_broken_fail_whatever_is_claimed() {
    for case in cases() {
        let mut broken = case.clone();
        broken.model.blocks[1].shape = Shape::Mesh(MeshShape {
            vertices: vec![DVec3::ZERO],
            faces: vec![vec![0, 7, 9], vec![]],
            parts: Vec::new(),
        });
        assert_fails(&broken, "are sound");
        let mut inside_out = case.clone();
        inside_out.model.blocks[1].shape = case.model.blocks[1].polyhedron().flipped().into();
        assert_fails(&inside_out, "are sound");
        let mut twins = case.clone();
        twins.model.blocks[0].name = "block".into();
        assert!(!twins.verify().valid);
        let empty = verify(&sealed(&case), &Model::default());
        assert!(!empty.valid);
        let mut unknown = case.clone();
        unknown.certificate.situation.supports.push("nobody".into());
        assert_fails(&unknown, "every support named");
    }
}

#[test]
fn what_does_not_belong_to_the_claim_is_refused() {
    let other = "and nothing else";
    let mut case = resting(0.3);
    case.certificate.claim = Claim::Unstable;
    assert_fails(&case, other);
    let mut case = sliding(0.6);
    case.certificate.claim = Claim::Stable;
    assert_fails(&case, other);
    let mut case = resting(0.3);
    case.certificate.forces.clear();
    assert_fails(&case, "balance");
    let mut case = sliding(0.6);
    case.certificate.motions.clear();
    assert_fails(&case, "some block moves");
    let mut newer = resting(0.3);
    newer.certificate.drystone_certificate = 2;
    assert_fails(&newer, "version");
    let model = block_on_support();
    assert_eq!(ModelReference::to(&model).unwrap(), resting(0.3).certificate.model);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn turning_scaling_and_moving_everything_changes_nothing(
        axis in prop::array::uniform3(-1.0..1.0f64),
        angle in 0.0..6.2f64,
        scale in -3.0..3.0f64,
        shift in prop::array::uniform3(-20.0..20.0f64),
    ) {
        let turn = DVec3::from(axis).try_normalize().map_or(DQuat::IDENTITY, |a| DQuat::from_axis_angle(a, angle));
        let scale = 10f64.powf(scale);
        for case in cases() {
            let moved = case.moved(turn, scale, DVec3::from(shift) * scale);
            let found = moved.verify();
            prop_assert!(found.valid, "{:#?}", found.claims);
            let mut changed = moved.clone();
            for f in &mut changed.certificate.forces {
                f.force *= 1.01;
            }
            for m in &mut changed.certificate.motions {
                m.linear *= -1.0;
            }
            prop_assert!(!changed.verify().valid);
        }
    }

    /// Forces and motions cannot both be right.
    #[test]
    fn no_incline_holds_a_block_and_lets_it_slide(angle in 0.0..1.2f64) {
        let holds = resting(angle).verify().valid;
        let slides = sliding(angle).verify().valid;
        prop_assert!(!(holds && slides));
        let is_near_the_limit = (angle.tan() - 0.6).abs() < 1e-4;
        prop_assert!(is_near_the_limit || (slides == (angle.tan() > 0.6)));
        prop_assert!(is_near_the_limit || (holds == (angle.tan() < 0.6)));
    }

    /// A joint passes a motion exactly if all corners of the block do.
    #[test]
    fn a_motion_passes_if_all_corners_do(
        linear in prop::array::uniform3(-1.0..1.0f64),
        angular in prop::array::uniform3(-1.0..1.0f64),
    ) {
        let (linear, angular) = (DVec3::from(linear), DVec3::from(angular));
        let mut case = sliding(0.6);
        case.certificate.motions[0].linear = linear;
        case.certificate.motions[0].angular = angular;
        let least = [(-0.5, -0.4), (0.5, -0.4), (0.5, 0.4), (-0.5, 0.4)]
            .map(|(x, y)| linear + angular.cross(DVec3::new(x, y, -0.25)))
            .map(|d| d.z - 0.6 * d.truncate().length())
            .into_iter()
            .fold(f64::INFINITY, f64::min);
        let found = case.verify();
        let passes = !failures(&found).iter().any(|f| f.contains("opens at least"));
        prop_assert!(passes == (least >= 0.0) || least.abs() < 1e-5, "{least}");
    }
}

#[test]
fn a_huge_load_on_a_support_hides_nothing() {
    // No forces at all, and a load that would make any weight look small.
    let mut case = resting(0.0);
    let support = case.model.blocks.iter().find(|b| b.fixed).unwrap().name.clone();
    case.certificate.forces.clear();
    case.certificate.situation.loads.push(AppliedLoad {
        block: support,
        force: DVec3::new(0.0, 0.0, -1e15),
        at: DVec3::ZERO,
        couple: DVec3::ZERO,
    });
    for weight in [case.certificate.measured.weight_n, 1e15] {
        case.certificate.measured.weight_n = weight;
        case.certificate.measured.equilibrium_residual = Some(1.0);
        assert!(!case.verify().valid);
    }
}

#[test]
fn a_light_block_in_the_air_is_found_however_heavy_the_others_are() {
    let mut case = resting(0.0);
    let mut pebble = Block::new(
        "pebble",
        Shape::cuboid(DVec3::splat(40.0), DVec3::splat(40.0) + DVec3::splat(1e-3)),
    );
    pebble.mass = Some(1e-9);
    case.model.blocks.push(pebble);
    case.certificate.model = ModelReference::to(&case.model).unwrap();
    case.certificate.measured.equilibrium_residual = Some(1.0);
    assert_fails(&case, "balance the loads on every block");
}
