//! Structures that fall, said to stand by forces.

use drystone_model::{
    Joints, Model,
    certificate::{AppliedLoad, Claim, PointOfForce},
};
use glam::{DQuat, DVec3, dvec3};

use super::{Forger, cuboid};
use crate::common::*;

pub(crate) fn forge(forger: &mut Forger) {
    forge_hanging_blocks(forger);
    forge_inclines(forger);
    forge_leaning_stacks(forger);
}

/// A block of 100 kg that nothing but two frictionless walls touches, and one of any mass that rests on a floor.
fn between_smooth_walls(companion: f64) -> Model {
    let mut model = Model::named("between walls");
    model.joints = Joints::uniform(0.0);
    model.blocks = vec![
        cuboid("left", dvec3(-1.5, -1.0, 0.0), dvec3(-0.5, 1.0, 3.0)).fixed(),
        cuboid("right", dvec3(0.5, -1.0, 0.0), dvec3(1.5, 1.0, 3.0)).fixed(),
        cuboid("block", dvec3(-0.5, -0.4, 1.0), dvec3(0.5, 0.4, 1.6)),
        cuboid("floor", dvec3(4.0, -2.0, -1.0), dvec3(8.0, 2.0, 0.0)).fixed(),
        cuboid("companion", dvec3(5.0, -1.0, 0.0), dvec3(7.0, 1.0, 2.0)),
    ];
    model.blocks[2].mass = Some(100.0);
    model.blocks[4].mass = Some(companion);
    model
}

/// The companion at rest and the block under a pressure of its walls, each point with a share of what is asked for.
pub(crate) fn pressed(companion: f64, pressure: f64, share: impl Fn(DVec3) -> DVec3) -> Case {
    let model = between_smooth_walls(companion);
    let mut case = claim(&model, model.gravity, Claim::Stable);
    for (x, y) in [(5.0, -1.0), (7.0, -1.0), (7.0, 1.0), (5.0, 1.0)] {
        let force = dvec3(0.0, 0.0, 0.25 * companion * model.gravity.length());
        case = case.force(["floor", "companion"], dvec3(x, y, 0.0), DVec3::Z, force);
    }
    for (name, x) in [("left", -0.5), ("right", 0.5)] {
        for (y, z) in [(-0.4, 1.0), (0.4, 1.0), (0.4, 1.6), (-0.4, 1.6)] {
            let inward = DVec3::X * -2.0 * x;
            let force = inward * pressure + share(inward);
            case = case.force([name, "block"], dvec3(x, y, z), inward, force);
        }
    }
    case
}

/// Weight of the block (N).
pub(crate) fn weight() -> f64 {
    100.0 * Model::default().gravity.length()
}

fn forge_hanging_blocks(forger: &mut Forger) {
    // As it was found: 2 MN beside 1e9 kg, and the whole weight left over.
    forger.offer("wall pressure beside a mountain", pressed(1e9, 2e6, |_| DVec3::ZERO));
    for _ in 0..60 {
        let (mass, pressure) = (forger.random.power(0.0, 15.0), forger.random.power(-3.0, 300.0));
        forger.offer("wall pressure", pressed(mass, pressure, |_| DVec3::ZERO));
    }
    for _ in 0..60 {
        // Friction that is not there, as a small part of a large pressure.
        let (mass, part) = (forger.random.power(0.0, 10.0), forger.random.power(-17.0, -2.0));
        let up = DVec3::Z * weight() / 8.0;
        forger.offer("friction of smooth walls", pressed(mass, weight() / 8.0 / part, |_| up));
    }
    for _ in 0..60 {
        // Normals tilted upwards, so that the pressure carries.
        let tilt = forger.random.power(-17.0, -2.0);
        let mut case = pressed(100.0, 0.0, |_| DVec3::ZERO);
        for force in case.certificate.forces.iter_mut().filter(|f| f.blocks[1] == "block") {
            force.normal = (force.normal + DVec3::Z * tilt).normalize();
            force.force = force.normal * (weight() / 8.0 / force.normal.z);
            force.tangent = force.normal.any_orthonormal_vector();
        }
        forger.offer("tilted normals", case);
    }
    for _ in 0..60 {
        // Forces from where nothing touches.
        let mut case = pressed(100.0, forger.random.power(0.0, 6.0), |_| DVec3::ZERO);
        let at = dvec3(forger.random.between(-0.5, 0.5), forger.random.between(-0.4, 0.4), 1.0);
        let names = [["floor", "block"], ["companion", "block"], ["left", "block"]][forger.random.index(3)];
        case = case.force(names, at, DVec3::Z, DVec3::Z * weight());
        forger.offer("forces from the air", case);
    }
    for _ in 0..40 {
        // One entry many times over, or many that pull a little each.
        let mut case = pressed(100.0, forger.random.power(0.0, 9.0), |_| DVec3::ZERO);
        let copies = 1 + forger.random.index(200);
        let one = case.certificate.forces[4 + forger.random.index(8)].clone();
        let pulls = forger.random.next() < 0.5;
        for _ in 0..copies {
            let across = DVec3::Z * weight() / copies as f64;
            let force = if pulls { across } else { one.force + across };
            case.certificate.forces.push(PointOfForce { force, ..one.clone() });
        }
        forger.offer("split entries", case);
    }
    for _ in 0..40 {
        // Loads and weights as it suits.
        let mut case = pressed(100.0, forger.random.power(0.0, 9.0), |_| DVec3::ZERO);
        let size = forger.random.power(0.0, 15.0);
        let load = |block: &str, force: DVec3| AppliedLoad {
            block: block.into(),
            force,
            at: DVec3::ZERO,
            couple: DVec3::ZERO,
        };
        match forger.random.index(4) {
            0 => case.certificate.situation.loads.push(load("floor", DVec3::Z * -size)),
            1 => {
                let both = [load("block", DVec3::X * size), load("block", DVec3::X * -size)];
                case.certificate.situation.loads.extend(both);
            }
            2 => case.certificate.measured.weight_n = size,
            _ => {
                let less = forger.random.power(-12.0, -1.0);
                case.certificate.situation.gravity *= less;
                case.certificate.measured.weight_n *= less;
            }
        }
        case.certificate.measured.equilibrium_residual = Some(1.0);
        forger.offer("loads that hide", case);
    }
}

fn forge_inclines(forger: &mut Forger) {
    let limit = 0.6f64.atan();
    for _ in 0..80 {
        let angle = forger.random.between(limit + 1e-3, 1.4);
        let mut case = resting(angle);
        match forger.random.index(6) {
            // The truth, beyond friction.
            0 => (),
            // Within friction, and something left over.
            1 => {
                for f in &mut case.certificate.forces {
                    let across = f.force - f.force.z * DVec3::Z;
                    f.force = f.force.z * DVec3::Z + across * (0.6 * f.force.z.abs() / across.length()).min(1.0);
                }
            }
            // Pressed at the same points that pull: friction of a pressure that is none.
            2 => {
                let more = forger.random.power(0.0, 9.0) * DVec3::Z;
                for k in 0..4 {
                    case.certificate.forces[k].force += more;
                    let pull = PointOfForce {
                        force: -more,
                        ..case.certificate.forces[k].clone()
                    };
                    case.certificate.forces.push(pull);
                }
            }
            // The blocks exchanged.
            3 => case.certificate.forces.iter_mut().for_each(|f| f.blocks.swap(0, 1)),
            // A steeper normal.
            4 => {
                let normal = dvec3(-forger.random.power(-9.0, -1.0), 0.0, 1.0).normalize();
                for f in &mut case.certificate.forces {
                    (f.normal, f.tangent) = (normal, normal.any_orthonormal_vector());
                }
            }
            // Turned as a whole.
            _ => {
                let turn = DQuat::from_rotation_y(angle);
                case.certificate
                    .forces
                    .iter_mut()
                    .for_each(|f| f.force = turn * f.force);
            }
        }
        forger.offer("a block on a steep incline", case);
    }
    for _ in 0..60 {
        // Forces beyond the edges of the joint keep a block from tipping over.
        let mut case = resting(0.5);
        case.certificate.situation.gravity = inclined(forger.random.between(0.0, 0.5));
        let beyond = forger.random.power(-4.0, 0.0);
        case.certificate.forces.iter_mut().for_each(|f| f.point.x += beyond);
        forger.offer("forces beyond the joint", case);
    }
    for _ in 0..80 {
        // Anything at all.
        let mut case = resting(forger.random.between(limit + 1e-3, 1.4));
        for f in &mut case.certificate.forces {
            f.force = forger.random.vector() * forger.random.power(-6.0, 12.0);
            f.point += forger.random.vector() * forger.random.power(-12.0, 0.0);
        }
        forger.offer("forces at random", case);
    }
    for _ in 0..80 {
        // Numbers that are none, anywhere.
        let mut case = resting(forger.random.between(limit + 1e-3, 1.4));
        let x = forger.random.odd();
        let k = forger.random.index(case.certificate.forces.len());
        let axis = forger.random.index(3);
        let c = &mut case.certificate;
        match forger.random.index(9) {
            0 => c.forces[k].force[axis] = x,
            1 => c.forces[k].point[axis] = x,
            2 => c.forces[k].normal[axis] = x,
            3 => c.forces.iter_mut().for_each(|f| f.force *= x),
            4 => c.situation.gravity[axis] = if x == 0.0 { f64::NAN } else { x },
            5 => c.measured.weight_n = x,
            6 => c.situation.density = Some(x),
            7 => c.forces.iter_mut().for_each(|f| f.normal *= x),
            _ => c.situation.friction = Some(-x.abs()),
        }
        forger.offer("odd numbers", case);
    }
}

fn forge_leaning_stacks(forger: &mut Forger) {
    for _ in 0..60 {
        // The centre of the upper block is beyond the lower one's edge: one corner would have to pull.
        let over = forger.random.power(-3.0, -0.5);
        let mut model = Model::named("over the edge");
        model.joints = Joints::uniform(0.6);
        model.blocks = vec![
            cuboid("low", dvec3(-1.0, -0.5, -1.0), dvec3(0.0, 0.5, 0.0)).fixed(),
            cuboid("high", dvec3(-0.5 + over, -0.5, 0.0), dvec3(0.5 + over, 0.5, 0.5)),
        ];
        let weight = model.mass_of(&model.blocks[1]).0 * model.gravity.length();
        let mut case = claim(&model, model.gravity, Claim::Stable);
        let (back, centre) = (-0.5 + over, over);
        let ahead = weight * (centre - back) / (0.0 - back);
        let way = forger.random.index(3);
        for y in [-0.5, 0.5] {
            let up = |force: f64| DVec3::Z * 0.5 * force;
            case = case.force(["low", "high"], dvec3(0.0, y, 0.0), DVec3::Z, up(ahead));
            let pull = weight - ahead;
            match way {
                // A pull, as it is.
                0 => case = case.force(["low", "high"], dvec3(back, y, 0.0), DVec3::Z, up(pull)),
                // A pull, turned into a push the other way round.
                1 => case = case.force(["high", "low"], dvec3(back, y, 0.0), DVec3::NEG_Z, up(pull)),
                // Nothing there, and the weight alone.
                _ => case.certificate.forces.last_mut().unwrap().force = up(weight),
            }
        }
        forger.offer("a block over the edge", case);
    }
}
