//! The same input gives the same bits: on any number of threads, and after a run was stopped and resumed.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::common::{built, with};
use drystone_cone::Friction;
use drystone_mechanics::dynamics::{Simulation, SimulationError, SimulationSettings, State, TimeStep};

const SHAKE: &str = "sine:amplitude=0.6g,frequency=2,direction=0.8 0.3 0.1";

const LAWS: [Friction; 2] = [Friction::Associated, Friction::Coulomb];

fn shaken_wall() -> Simulation {
    shaken(Friction::Associated)
}

/// A wall of some 200 contacts; a short one with Coulomb's law, which takes longer.
fn shaken(friction: Friction) -> Simulation {
    let (length, height) = match friction {
        Friction::Associated => ("3", "2"),
        Friction::Coulomb => ("1.2", "0.8"),
    };
    let wall = built(
        "wall",
        &[
            ("length", length),
            ("height", height),
            ("unit-length", "0.6"),
            ("unit-height", "0.4"),
        ],
    );
    let settings = SimulationSettings {
        time_step: TimeStep::Fixed(2e-3),
        checkpoint_steps: 20,
        friction,
        ..SimulationSettings::default()
    };
    with(&wall, SHAKE, settings)
}

fn steps(simulation: &mut Simulation, count: usize) {
    for _ in 0..count {
        simulation.step().expect("a step");
    }
}

/// Every bit of a state, as a checkpoint has it.
fn bits(state: &State) -> Vec<u8> {
    state.to_bytes().expect("bytes")
}

#[test]
fn a_run_has_the_same_bits_on_one_and_on_two_threads() {
    for law in LAWS {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("a pool");
            pool.install(|| {
                let mut simulation = shaken(law);
                steps(&mut simulation, 60);
                bits(simulation.state())
            })
        };
        let one = on(1);
        assert!(one == on(2), "{law:?}: one and two threads");
        assert!(one == on(3), "{law:?}: one and three threads");
    }
}

#[test]
fn a_run_that_is_resumed_from_a_checkpoint_goes_on_with_the_same_bits() {
    for law in LAWS {
        let mut unbroken = shaken(law);
        let mut kept = Vec::new();
        for _ in 0..90 {
            unbroken.step().expect("a step");
            if unbroken.is_at_checkpoint() {
                kept.push(bits(unbroken.state()));
            }
        }
        // Killed at step 53: the last checkpoint is that of step 40.
        let mut killed = shaken(law);
        steps(&mut killed, 53);
        let mut resumed = shaken(law);
        resumed
            .resume(State::from_bytes(&kept[1]).expect("a state"))
            .expect("the same structure");
        assert_eq!(resumed.state().step, 40);
        steps(&mut resumed, 50);
        assert_eq!(resumed.state().step, unbroken.state().step);
        assert!(bits(resumed.state()) == bits(unbroken.state()), "{law:?}");
    }
}

#[test]
fn a_checkpoint_of_another_structure_is_refused() {
    let mut wall = shaken_wall();
    let other = with(&built("stack", &[("blocks", "3")]), "", SimulationSettings::default());
    let error = wall
        .resume(other.state().clone())
        .expect_err("another structure")
        .to_string();
    assert!(error.contains("4 blocks"), "{error}");
}

#[test]
fn a_step_that_is_given_up_leaves_the_state_as_it_was() {
    let (mut stopped, mut other) = (shaken_wall(), shaken_wall());
    let flag = Arc::new(AtomicBool::new(false));
    stopped.stop_by(Arc::clone(&flag).into());
    for step in 0..20 {
        if step % 5 == 3 {
            flag.store(true, Ordering::Relaxed);
            let before = stopped.state().placements.clone();
            assert!(matches!(stopped.step(), Err(SimulationError::Stopped)), "step {step}");
            assert_eq!(before, stopped.state().placements);
            flag.store(false, Ordering::Relaxed);
        }
        stopped.step().unwrap();
        other.step().unwrap();
    }
    let apart = stopped.state().placements.iter().zip(&other.state().placements);
    let farthest = apart.map(|(a, b)| (a.center - b.center).length()).fold(0.0, f64::max);
    assert!(farthest < 1e-9, "{farthest}");
}
