//! Once warm, a step allocates nothing, with one thread or two: in motion, at rest, and while a part rests. Alone in its
//! file, because it counts every allocation of the program.

#[path = "all/common/mod.rs"]
mod common;
#[path = "../../cone/tests/counting/mod.rs"]
mod counting;

use common::{built, with};
use counting::count;
use drystone_cone::{Friction, Twist};
use drystone_mechanics::dynamics::{JointStiffness, Simulation, SimulationSettings, TimeStep};
use glam::DVec3;

/// Checkpoints are beyond what is counted: there the solver forgets, and begins anew.
fn settings(friction: Friction) -> SimulationSettings {
    SimulationSettings {
        time_step: TimeStep::Fixed(2e-3),
        friction,
        checkpoint_steps: 1000,
        ..SimulationSettings::default()
    }
}

const WALL: [(&str, &str); 4] = [
    ("length", "3"),
    ("height", "2"),
    ("unit-length", "0.6"),
    ("unit-height", "0.4"),
];

/// A wall that is carried by its ground, with joints that stay closed.
fn shaken() -> Simulation {
    let motion = "sine:amplitude=0.2g,frequency=2,direction=x";
    with(&built("wall", &WALL), motion, settings(Friction::Associated))
}

/// The same with joints that yield.
fn shaken_on_springs() -> Simulation {
    let motion = "sine:amplitude=0.2g,frequency=2,direction=x";
    let settings = SimulationSettings {
        stiffness: Some(JointStiffness {
            normal: 1e10,
            tangential: 4e9,
        }),
        ..settings(Friction::Associated)
    };
    with(&built("wall", &WALL), motion, settings)
}

/// A block that slides.
fn sliding(friction: Friction) -> Simulation {
    let mut model = built("block", &[("width", "1"), ("depth", "1"), ("height", "0.2")]);
    model.joints.friction = 0.3;
    let mut simulation = with(&model, "", settings(friction));
    simulation.set_velocity(1, along(DVec3::X));
    simulation
}

fn along(linear: DVec3) -> Twist {
    Twist {
        linear,
        angular: DVec3::ZERO,
    }
}

/// A wall that nothing moves.
fn standing() -> Simulation {
    with(&built("wall", &WALL), "", settings(Friction::Associated))
}

/// A wall that rests, and a block that falls far from it.
fn partly_at_rest() -> Simulation {
    let mut model = built("wall", &WALL);
    let mut block = model.blocks[model.blocks.len() - 1].clone();
    block.name = "falling".to_string();
    block.pose.position.x += 100.0;
    let number = model.blocks.len();
    model.blocks.push(block);
    let mut simulation = with(&model, "", settings(Friction::Associated));
    simulation.set_velocity(number, along(3.0 * DVec3::Z));
    simulation
}

/// A name, how it begins, and whether a block rests in the end.
type Case = (&'static str, fn() -> Simulation, bool);

#[test]
fn a_warm_step_allocates_nothing() {
    // Threads allocate as they start and as they end, in their own time: they start before all, and end after all.
    let pools = [1, 2].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    pools.iter().for_each(|pool| drop(pool.broadcast(|_| ())));
    let mut found = Vec::new();
    let cases: [Case; 6] = [
        ("in motion", shaken, false),
        ("in motion, on springs", shaken_on_springs, false),
        ("sliding", || sliding(Friction::Associated), false),
        ("sliding, Coulomb", || sliding(Friction::Coulomb), false),
        ("at rest", standing, true),
        ("partly at rest", partly_at_rest, true),
    ];
    for (what, begin, rests) in cases {
        for pool in &pools {
            let mut simulation = begin();
            let (warm, count) = pool.install(|| {
                let start = count();
                for _ in 0..60 {
                    simulation.step().unwrap();
                }
                let before = count();
                for _ in 0..60 {
                    simulation.step().unwrap();
                }
                (before - start, count() - before)
            });
            assert!(warm > 0, "{what}: the first steps allocate, or nothing is counted");
            assert_eq!(simulation.state().resting.contains(&true), rests, "{what}");
            if count > 0 {
                found.push(format!(
                    "{what}, {} threads: {count} in 60 steps",
                    pool.current_num_threads()
                ));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
