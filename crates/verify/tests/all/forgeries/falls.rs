//! Structures that stand, said to fall by a motion.

use drystone_model::{Joints, Model, certificate::Claim};
use glam::{DQuat, DVec3, dvec3};

use super::{Forger, cuboid};
use crate::common::*;

pub(crate) fn forge(forger: &mut Forger) {
    forge_falling_stacks(forger);
    forge_sliding_blocks(forger);
}

/// A stack of cubes on a support, friction 0.6: it stands.
fn stack(blocks: usize) -> Model {
    let mut model = Model::named("stack");
    model.joints = Joints::uniform(0.6);
    model
        .blocks
        .push(cuboid("support", dvec3(-1.0, -1.0, -1.0), dvec3(2.0, 2.0, 0.0)).fixed());
    for k in 0..blocks {
        let low = dvec3(0.0, 0.0, k as f64);
        model.blocks.push(cuboid(&format!("cube-{k}"), low, low + 1.0));
    }
    model
}

/// Every joint of a stack closes a little, and the highest block moves at 1 m/s.
fn closing_stack(blocks: usize, closing: f64, highest: [DVec3; 2]) -> Case {
    let model = stack(blocks);
    let mut case = claim(&model, model.gravity, Claim::Unstable);
    for k in 0..blocks {
        let sinks = DVec3::Z * -closing * (k + 1) as f64;
        let [linear, angular] = if k + 1 == blocks { highest } else { [DVec3::ZERO; 2] };
        case = case.motion(&format!("cube-{k}"), sinks + linear, angular);
    }
    case
}

fn forge_falling_stacks(forger: &mut Forger) {
    // As it was found: 2,500 blocks, every joint closes by 0.99e-6, the highest spins and rises by its friction.
    let spin = [DVec3::Z * 0.6 * 0.5f64.sqrt(), DVec3::Z];
    forger.offer("a spinning block on 2,500", closing_stack(2500, 0.99e-6, spin));
    for _ in 0..100 {
        let (blocks, closing) = (2 + forger.random.index(80), forger.random.power(-17.0, 0.0));
        let highest = match forger.random.index(3) {
            0 => spin,
            1 => [dvec3(1.0, 0.0, 0.6), DVec3::ZERO],
            _ => [DVec3::Z * 1e-3, forger.random.vector()],
        };
        forger.offer("tiny closings of many joints", closing_stack(blocks, closing, highest));
    }
    for _ in 0..60 {
        let blocks = 2 + forger.random.index(20);
        let mut case = closing_stack(blocks, 0.0, [DVec3::ZERO; 2]);
        let scale = forger.random.power(-300.0, 300.0);
        for m in &mut case.certificate.motions {
            (m.linear, m.angular) = (forger.random.vector() * scale, forger.random.vector() * scale);
        }
        match forger.random.index(4) {
            0 => case.certificate.motions.push(case.certificate.motions[0].clone()),
            1 => case.certificate.motions[0].block = "support".into(),
            2 => case.certificate.motions[0].linear.x = forger.random.odd(),
            _ => (),
        }
        forger.offer("motions at random", case);
    }
    for _ in 0..80 {
        // A block that weighs nothing flies off at 1 m/s while one that weighs much sinks a little.
        let (sinks, mass) = (forger.random.power(-16.0, -1.0), forger.random.power(-30.0, 0.0));
        let mut case = claim(&stack(2), -9.81 * DVec3::Z, Claim::Unstable);
        case.model.blocks[2].mass = Some(mass);
        let heavy = case.model.mass_of(&case.model.blocks[1]).0;
        case.certificate.measured.weight_n = (heavy + mass) * 9.81;
        case = case.motion("cube-0", DVec3::Z * -sinks, DVec3::ZERO);
        case = case.motion("cube-1", DVec3::Z, DVec3::ZERO);
        forger.offer("a feather that hides a closing", case);
    }
}

fn forge_sliding_blocks(forger: &mut Forger) {
    let limit = 0.6f64.atan();
    for _ in 0..80 {
        // Below the angle of friction: it rises by somewhat less than its friction.
        let mut case = sliding(forger.random.between(0.0, limit - 1e-3));
        let less = forger.random.power(-16.0, 0.0);
        case.certificate.motions[0].linear.z = 0.6 * (1.0 - less);
        case.certificate.motions[0].angular = forger.random.vector() * less * forger.random.next();
        forger.offer("a block on a gentle incline", case);
    }
    for _ in 0..60 {
        // Without friction on a level floor: any sinking would drive it.
        let mut case = sliding(0.0);
        case.model.joints = Joints::uniform(0.0);
        let sinks = forger.random.power(-17.0, -1.0);
        case.certificate.motions[0].linear = dvec3(1.0, forger.random.next(), -sinks);
        forger.offer("a smooth block on a level floor", case);
    }
    for _ in 0..40 {
        // Motions of another orientation.
        let mut case = sliding(forger.random.between(0.0, 0.5));
        let turn = DQuat::from_axis_angle(
            forger.random.vector().normalize_or(DVec3::Y),
            forger.random.between(0.1, 3.0),
        );
        let m = &mut case.certificate.motions[0];
        (m.linear, m.angular) = (turn * m.linear, turn * DVec3::X * forger.random.next());
        forger.offer("a motion turned round", case);
    }
}
