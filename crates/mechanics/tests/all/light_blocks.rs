//! Light blocks among heavy ones, small ones beside large ones: what holds for the sum of all must hold for each. A cube of
//! a millimetre that lay on one of a metre fell through it, because its error was nothing in a mean by the mass.

use crate::common::{supports, with};
use drystone_cone::Friction;
use drystone_mechanics::dynamics::{Simulation, SimulationSettings, TimeStep};
use drystone_model::{Block, Joints, Model, Shape};
use glam::{DVec3, dvec3};

/// A cube by the middle of its lower face.
fn cube(name: &str, foot: DVec3, side: f64) -> Block {
    let half = dvec3(0.5 * side, 0.5 * side, 0.0);
    let mut block = Block::new(name, Shape::cuboid(foot - half, foot + half + side * DVec3::Z));
    block.density = Some(2000.0);
    block
}

fn on_floor(size: f64, blocks: impl IntoIterator<Item = Block>) -> Model {
    let mut model = Model::named("light blocks");
    let floor = Shape::cuboid(dvec3(-size, -size, -0.1 * size), dvec3(size, size, 0.0));
    model.blocks.push(Block::new("floor", floor).fixed());
    model.blocks.extend(blocks);
    model.joints = Joints::uniform(0.6);
    model
}

/// Runs for a time, and gives the deepest overlap over the size of the smaller block.
fn deepest(simulation: &mut Simulation, until: f64) -> f64 {
    let mut deepest = 0.0_f64;
    while simulation.state().time < until * (1.0 - 1e-9) {
        let step = simulation.step().unwrap();
        assert!(step.residual <= 1e-3, "at {}: {}", step.dt, step.residual);
        deepest = deepest.max(step.relative_overlap);
    }
    deepest
}

fn settings(dt: f64, friction: Friction) -> SimulationSettings {
    SimulationSettings {
        time_step: TimeStep::Fixed(dt),
        friction,
        ..SimulationSettings::default()
    }
}

const LAWS: [Friction; 2] = [Friction::Associated, Friction::Coulomb];

/// How far a block has moved from where it stood (m).
fn moved(simulation: &Simulation, block: usize) -> f64 {
    let (now, then) = (&simulation.state().placements, &simulation.structure().center);
    now[block].center.distance(then[block])
}

#[test]
fn a_grain_lies_still_on_a_boulder() {
    let model = on_floor(2.0, [cube("boulder", DVec3::ZERO, 1.0), cube("grain", DVec3::Z, 1e-3)]);
    for law in LAWS {
        for dt in [1e-4, 1e-3, 1e-2] {
            let mut simulation = with(&model, "", settings(dt, law));
            let overlap = deepest(&mut simulation, 100.0 * dt);
            let moved = moved(&simulation, 2);
            assert!(
                overlap < 1e-2 && moved < 1e-5,
                "{law:?}, {dt}: overlap {overlap}, moved {moved}"
            );
        }
    }
}

/// Without restitution and friction that matters, a fall from a height h ends on the boulder and stays there.
#[test]
fn a_grain_that_falls_on_a_boulder_stays_on_it() {
    let height = 5e-3;
    let grain = cube("grain", DVec3::Z * (1.0 + height), 1e-3);
    let model = on_floor(2.0, [cube("boulder", DVec3::ZERO, 1.0), grain]);
    for law in LAWS {
        let mut simulation = with(&model, "", settings(1e-3, law));
        let overlap = deepest(&mut simulation, 0.15);
        let error = (moved(&simulation, 2) - height).abs();
        assert!(
            overlap < 1e-2 && error < 2e-5,
            "{law:?}: overlap {overlap}, off by {error}"
        );
    }
}

#[test]
fn three_grains_carry_a_boulder() {
    let places = [dvec3(-0.3, -0.3, 0.0), dvec3(0.3, -0.3, 0.0), dvec3(0.0, 0.3, 0.0)];
    let grains = places
        .iter()
        .zip(["a", "b", "c"])
        .map(|(&at, name)| cube(name, at, 1e-3));
    let boulder = cube("boulder", 1e-3 * DVec3::Z, 1.0);
    let model = on_floor(2.0, grains.chain([boulder]));
    for law in LAWS {
        let mut simulation = with(&model, "", settings(1e-3, law));
        let overlap = deepest(&mut simulation, 0.1);
        let moved = (1..5).map(|b| moved(&simulation, b)).fold(0.0, f64::max);
        assert!(
            overlap < 1e-2 && moved < 1e-5,
            "{law:?}: overlap {overlap}, moved {moved}"
        );
    }
}

#[test]
fn stacks_whose_masses_differ_by_a_billion_stand() {
    for order in [
        [1.0, 1e9, 1.0, 1e9],
        [1e9, 1.0, 1e9, 1.0],
        [1e9, 1e6, 1e3, 1.0],
        [1.0, 1e3, 1e6, 1e9],
    ] {
        let blocks = order.iter().enumerate().map(|(k, &mass)| {
            let mut block = cube(&format!("{k}"), k as f64 * DVec3::Z, 1.0);
            (block.density, block.mass) = (None, Some(mass));
            block
        });
        let model = on_floor(2.0, blocks);
        for law in LAWS {
            let mut simulation = with(&model, "", settings(1e-3, law));
            let overlap = deepest(&mut simulation, 0.1);
            let moved = (1..5).map(|b| moved(&simulation, b)).fold(0.0, f64::max);
            assert!(
                overlap < 1e-5 && moved < 1e-5,
                "{order:?}, {law:?}: overlap {overlap}, moved {moved}"
            );
        }
    }
}

/// A ground that shakes with 0.3 g carries what friction of 0.6 holds: grains between large blocks move with it.
#[test]
fn grains_beside_large_blocks_are_carried_by_the_ground() {
    let large = [-10.0, 10.0].map(|x| cube(&format!("large at {x}"), dvec3(x, 0.0, 0.0), 10.0));
    let grains = [-2.0, 0.0, 2.0].map(|x| cube(&format!("grain at {x}"), dvec3(x, 0.0, 0.0), 1e-3));
    let model = on_floor(40.0, large.into_iter().chain(grains));
    let motion = "sine:amplitude=0.3g,frequency=2,direction=x";
    assert!(supports(&model, motion).of(0).is_some());
    for law in LAWS {
        let mut simulation = with(&model, motion, settings(1e-3, law));
        let overlap = deepest(&mut simulation, 0.2);
        let ground = simulation.ground_displacement();
        assert!(ground.length() > 0.01, "{ground}");
        for b in 3..6 {
            let at = simulation.state().placements[b].center - simulation.structure().center[b];
            let off = at.distance(ground);
            assert!(overlap < 1e-2 && off < 1e-5, "{law:?}: overlap {overlap}, off by {off}");
        }
    }
}
