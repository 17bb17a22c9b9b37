//! Restitution with friction: Newton's law of impact creates energy where joints slide as they are hit. Runs ended there.

use crate::common::{floor, run, stones, with};
use drystone_cone::Friction;
use drystone_mechanics::dynamics::{SimulationSettings, TimeStep};
use drystone_model::{Block, Model, Shape};
use glam::{DVec3, dvec3};

fn settings(restitution: f64, friction: Friction) -> SimulationSettings {
    SimulationSettings {
        time_step: TimeStep::Fixed(1e-3),
        restitution: Some(restitution),
        friction,
        ..SimulationSettings::default()
    }
}

#[test]
fn stones_that_tumble_and_rebound_create_nothing() {
    for seed in 0..4 {
        let model = stones(seed);
        for restitution in [0.5, 0.8, 0.9, 1.0] {
            let mut simulation = with(&model, "", settings(restitution, Friction::Associated));
            run(&mut simulation, 1.2, |_| ());
            let energies = &simulation.state().energies;
            assert!(
                energies.created_part() < 1e-2,
                "seed {seed}, restitution {restitution}: {energies:?}"
            );
        }
    }
}

#[test]
fn a_cube_that_falls_flat_rebounds_as_far_as_its_restitution_says() {
    for friction in [Friction::Associated, Friction::Coulomb] {
        for restitution in [0.3, 0.7, 1.0] {
            let mut model = Model::named("cube");
            let low = dvec3(-0.1, -0.1, 0.5);
            model.blocks = vec![floor(), Block::new("cube", Shape::cuboid(low, low + DVec3::splat(0.2)))];
            let mut simulation = with(&model, "", settings(restitution, friction));
            // It falls by h in sqrt(2 h / g) and rises by e^2 h within e times as long.
            let fall = (2.0 * 0.5 / 9.81_f64).sqrt();
            let mut highest = 0.0_f64;
            run(&mut simulation, fall * (1.0 + 1.5 * restitution), |s| {
                if s.state().time > fall + 0.01 {
                    highest = highest.max(s.state().placements[1].center.z - 0.1);
                }
            });
            let exact = restitution * restitution * 0.5;
            // It turns back up to a step above the ground.
            let step = 1e-3 * 9.81 * fall;
            assert!(
                (highest - exact).abs() < step + 2e-2 * exact,
                "{friction:?} {restitution}: {highest} {exact}"
            );
        }
    }
}
