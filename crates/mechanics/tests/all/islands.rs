//! What rests, rests while other things move; and wakes when something reaches it.

use crate::common::{built, push, run, supports, table, with};
use drystone_cone::Twist;
use drystone_mechanics::dynamics::{Simulation, SimulationSettings, State, TimeStep};
use drystone_model::{Model, SupportMotion, motion::parse};
use glam::DVec3;

/// Two stacks of three far from each other, each on ground of its own.
fn stacks() -> Model {
    let mut model = built("stack", &[("blocks", "3")]);
    let first = model.blocks.clone();
    model.blocks.extend(first.into_iter().map(|mut block| {
        block.name = format!("other-{}", block.name);
        block.pose.position.x += 10.0;
        block
    }));
    model
}

/// Blocks of the stacks.
const FIRST: [usize; 3] = [1, 2, 3];
const OTHER: [usize; 3] = [5, 6, 7];

fn settings(rest: bool) -> SimulationSettings {
    SimulationSettings {
        time_step: TimeStep::Fixed(2e-3),
        checkpoint_steps: 20,
        rest,
        ..SimulationSettings::default()
    }
}

/// The second stack on ground that shakes.
fn shaken(motion: &str) -> Model {
    let mut model = stacks();
    model.motions.insert("shake".to_string(), parse(motion).unwrap());
    model.support_motions = vec![SupportMotion {
        motion: "shake".to_string(),
        blocks: vec![model.blocks[4].name.clone()],
        groups: Vec::new(),
    }];
    model
}

fn rests(simulation: &Simulation, blocks: [usize; 3]) -> bool {
    let state = simulation.state();
    blocks
        .iter()
        .all(|&b| state.resting[b] && state.velocities[b] == Twist::ZERO)
}

const SHAKE: &str = "sine:amplitude=0.8g,frequency=2,direction=x";

#[test]
fn a_stack_rests_while_another_is_shaken() {
    let model = shaken(SHAKE);
    let mut simulation = with(&model, "", settings(true));
    run(&mut simulation, 0.1, |_| ());
    let places = simulation.state().placements[..4].to_vec();
    let mut fastest = 0.0_f64;
    run(&mut simulation, 1.0, |s| {
        assert!(rests(s, FIRST), "at {}", s.state().time);
        assert!(!s.state().at_rest && !rests(s, OTHER));
        fastest = fastest.max(s.max_speed());
    });
    assert!(fastest > 0.5, "{fastest}");
    assert_eq!(simulation.state().placements[..4], places, "to the last bit");
    // It carries its weight all the same, and what is seen of it is as if all were solved for.
    let weight = simulation.structure().mass[1] * 9.81;
    let force: DVec3 = simulation
        .contact_forces()
        .filter(|c| c.blocks == [0, 1])
        .map(|c| c.force)
        .sum();
    assert!((force.z / (3.0 * weight) - 1.0).abs() < 1e-5, "{force}");
}

/// The other stack moves as it does where all is solved for in every step, within what the solver's tolerance leaves.
#[test]
fn what_sleeps_changes_nothing_of_what_moves() {
    let model = shaken(SHAKE);
    let tight = |rest: bool| {
        let settings = SimulationSettings {
            tolerance: Some(1e-7),
            ..settings(rest)
        };
        let mut simulation = with(&model, "", settings);
        run(&mut simulation, 0.6, |_| ());
        simulation.state().clone()
    };
    let (with_rest, without) = (tight(true), tight(false));
    assert!(with_rest.resting[1] && !without.resting[1]);
    for b in OTHER {
        let apart = with_rest.placements[b].center.distance(without.placements[b].center);
        assert!(apart < 1e-5, "block {b}: {apart}");
    }
    let energies = [with_rest.energies, without.energies];
    assert!((energies[0].input / energies[1].input - 1.0).abs() < 1e-3);
    assert!(energies[0].balance_error() < 2.0 * energies[1].balance_error() + 1e-6);
}

/// A stack asleep, and a block that falls on it from 0.5 m above, or from so far that it comes fast.
#[test]
fn a_block_that_falls_on_what_rests_wakes_it() {
    for (height, speed) in [(0.5, 0.0), (20.0, 60.0)] {
        let mut model = stacks();
        let mut block = model.blocks[3].clone();
        block.name = "falling".to_string();
        block.pose.position += DVec3::new(0.45, 0.0, height + 0.25);
        model.blocks.push(block);
        let fall = |rest: bool| {
            let mut simulation = with(&model, "", settings(rest));
            let linear = DVec3::new(0.0, 0.0, -speed);
            simulation.set_velocity(
                8,
                Twist {
                    linear,
                    angular: DVec3::ZERO,
                },
            );
            let (mut slept, mut woke) = (false, false);
            run(&mut simulation, 0.45, |s| {
                slept |= rests(s, FIRST);
                woke |= slept && !rests(s, FIRST);
                assert!(!rest || s.state().time < 0.1 || rests(s, OTHER));
            });
            assert_eq!((slept, woke), (rest, rest), "{height} m");
            simulation.state().clone()
        };
        let (with_rest, without) = (fall(true), fall(false));
        for b in [1, 2, 3, 8] {
            let apart = with_rest.placements[b].center.distance(without.placements[b].center);
            assert!(apart < 1e-3, "{height} m, block {b}: {apart}");
        }
        let impact = with_rest.energies.impact / without.energies.impact;
        assert!((impact - 1.0).abs() < 1e-2, "{height} m: {impact}");
    }
}

#[test]
fn a_support_that_begins_to_move_wakes_what_stands_on_it() {
    let model = shaken("impulse:peak=0.5g,half_period=0.2,direction=x,start=0.3");
    let mut simulation = with(&model, "", settings(true));
    run(&mut simulation, 0.298, |_| ());
    assert!(simulation.state().at_rest && rests(&simulation, OTHER));
    run(&mut simulation, 0.36, |_| ());
    assert!(rests(&simulation, FIRST) && !rests(&simulation, OTHER));
    let (ground, block) = (&simulation.state().velocities[4], &simulation.state().velocities[5]);
    assert!(ground.linear.x.abs() > 0.05 && (block.linear.x / ground.linear.x - 1.0).abs() < 0.05);
    run(&mut simulation, 1.2, |_| ());
    assert!(simulation.state().at_rest, "it comes to rest again");
}

#[test]
fn a_load_that_grows_wakes_what_it_acts_on() {
    let mut model = stacks();
    let top = model.blocks[3].name.clone();
    let force = DVec3::new(1e5, 0.0, 0.0);
    push(&mut model, "push", &top, force, None).history = Some(table(&[(0.3, 0.0), (0.31, 1.0)]));
    let mut simulation = Simulation::new(&model, settings(true), supports(&model, ""), &["push".to_string()]).unwrap();
    run(&mut simulation, 0.298, |_| ());
    assert!(simulation.state().at_rest);
    run(&mut simulation, 0.35, |_| ());
    assert!(!simulation.state().resting[3] && simulation.state().velocities[3].linear.x > 0.1);
    assert!(rests(&simulation, OTHER));
}

#[test]
fn a_run_that_is_resumed_while_a_part_sleeps_goes_on_with_the_same_bits() {
    let model = shaken(SHAKE);
    let begin = || with(&model, "", settings(true));
    let mut unbroken = begin();
    let mut kept = None;
    for _ in 0..150 {
        unbroken.step().unwrap();
        if unbroken.state().step == 60 {
            assert!(unbroken.is_at_checkpoint() && rests(&unbroken, FIRST));
            kept = Some(unbroken.state().to_bytes().unwrap());
        }
    }
    let mut resumed = begin();
    resumed.resume(State::from_bytes(&kept.unwrap()).unwrap()).unwrap();
    for _ in 60..150 {
        resumed.step().unwrap();
    }
    assert!(rests(&resumed, FIRST) && !resumed.state().at_rest);
    assert!(resumed.state().to_bytes().unwrap() == unbroken.state().to_bytes().unwrap());
}

/// A block far away falls so fast that contacts 10 mm wide are stated, and a blow drives one block at rest into its neighbour
/// within one step, though neither of them moved before.
#[test]
fn a_blow_across_a_gap_wakes_the_neighbour_in_the_same_step() {
    let mut model = built("stack", &[("blocks", "1"), ("width", "0.4")]);
    let mut block = |name: &str, by: DVec3| {
        let mut block = model.blocks[1].clone();
        block.name = name.to_string();
        block.pose.position += by;
        model.blocks.push(block);
    };
    block("neighbour", DVec3::new(0.41, 0.0, 0.0));
    block("falling", DVec3::new(50.0, 0.0, 0.0));
    let first = model.blocks[1].name.clone();
    let factors = [(0.1, 0.0), (0.1001, 1.0), (0.1019, 1.0), (0.102, 0.0)];
    push(&mut model, "blow", &first, DVec3::new(1e7, 0.0, 0.0), None).history = Some(table(&factors));
    let blows = ["blow".to_string()];
    let mut simulation = Simulation::new(&model, settings(true), supports(&model, ""), &blows).unwrap();
    let linear = DVec3::new(0.0, 0.0, -50.0);
    simulation.set_velocity(
        3,
        Twist {
            linear,
            angular: DVec3::ZERO,
        },
    );
    run(&mut simulation, 0.1, |_| ());
    assert!(simulation.state().resting[1] && simulation.state().resting[2]);
    simulation.step().unwrap();
    let state = simulation.state();
    let gap = state.placements[2].center.x - state.placements[1].center.x - 0.4;
    assert!(gap > -1e-4, "one block is in the other by {gap}");
    assert!(
        !state.resting[2] && state.velocities[2].linear.x > 1.0,
        "{:?}",
        state.velocities
    );
}
