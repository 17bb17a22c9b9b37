//! Energy: what goes in comes out as motion, height, impacts and friction.

use crate::common::{built, run, simulation, with};
use drystone_cone::Twist;
use drystone_mechanics::dynamics::{SimulationSettings, TimeStep};
use glam::DVec3;

#[test]
fn a_ground_that_carries_a_block_gives_it_its_kinetic_energy() {
    // 0.2 g is far from what friction of 0.6 or the slenderness of the block allow: it moves with the ground.
    let block = built("block", &[("width", "1"), ("depth", "1"), ("height", "1")]);
    let mut simulation = simulation(&block, 1e-3, "biphasic:peak=0.2g,duration=1,direction=x");
    run(&mut simulation, 0.2, |_| ());
    let (state, mass) = (simulation.state(), simulation.structure().mass[1]);
    let speed = 0.2 * 9.81 * 0.2;
    let kinetic = 0.5 * mass * speed * speed;
    // The mean velocity of the last step stands for that at its end.
    assert!(
        (state.energies.kinetic / kinetic - 1.0).abs() < 6e-3,
        "{:?}",
        state.energies
    );
    assert!(
        (state.energies.input / kinetic - 1.0).abs() < 6e-3,
        "{:?}",
        state.energies
    );
    assert!(state.energies.dissipated().abs() < 1e-6 * kinetic);
    assert!(state.energies.balance_error() < 1e-6);
}

#[test]
fn the_balance_of_a_block_that_rises_and_falls_holds_for_long_steps() {
    // Carried up by the ground, and in free fall: the weight works on the way, which is half a step ahead of the speed.
    let block = built("block", &[("width", "1"), ("depth", "1"), ("height", "1")]);
    let mut carried = simulation(&block, 1e-2, "biphasic:peak=0.5g,duration=1,direction=z");
    let mut worst = 0.0_f64;
    run(&mut carried, 0.7, |s| {
        worst = worst.max(s.state().energies.balance_error())
    });
    assert!(worst < 1e-6, "{worst}");
    let mut fall = simulation(&block, 1e-2, "");
    let up = Twist {
        linear: DVec3::new(0.0, 0.0, 3.0),
        angular: DVec3::ZERO,
    };
    fall.set_velocity(1, up);
    run(&mut fall, 0.4, |_| ());
    let state = fall.state();
    assert!(state.energies.balance_error() < 1e-9, "{:?}", state.energies);
    // What is ahead is of the order of a step: m g v dt / 2, since the start.
    let mass = fall.structure().mass[1];
    let ahead = 0.5 * 1e-2 * mass * 9.81 * (up.linear.z - state.velocities[1].linear.z);
    assert!(
        (state.energies.ahead / ahead - 1.0).abs() < 1e-6,
        "{} {ahead}",
        state.energies.ahead
    );
}

#[test]
fn friction_takes_the_energy_of_a_sliding_block() {
    let mut block = built("block", &[("width", "1"), ("depth", "1"), ("height", "0.2")]);
    block.joints.friction = 0.3;
    let mut simulation = simulation(&block, 1e-3, "");
    simulation.set_velocity(
        1,
        Twist {
            linear: DVec3::new(1.5, 0.0, 0.0),
            angular: DVec3::ZERO,
        },
    );
    run(&mut simulation, 1.0, |_| ());
    let (state, mass) = (simulation.state(), simulation.structure().mass[1]);
    let kinetic = 0.5 * mass * 1.5 * 1.5;
    assert!(state.at_rest);
    assert!(
        (state.energies.friction / kinetic - 1.0).abs() < 5e-3,
        "{:?}",
        state.energies
    );
    // It stops after v^2 / (2 mu g).
    let way = state.placements[1].center.x - simulation.structure().center[1].x;
    let exact = 1.5 * 1.5 / (2.0 * 0.3 * 9.81);
    assert!((way / exact - 1.0).abs() < 5e-3, "{way} {exact}");
}

#[test]
fn an_impact_takes_what_restitution_leaves() {
    // A cube that falls flat on the ground from 0.2 m.
    let mut block = built("block", &[("width", "0.5"), ("depth", "0.5"), ("height", "0.5")]);
    block.blocks[1].pose.position.z += 0.2;
    let fall = |restitution: f64| {
        let mut simulation = with(
            &block,
            "",
            SimulationSettings {
                time_step: TimeStep::Fixed(2e-4),
                restitution: Some(restitution),
                tolerance: Some(1e-6),
                ..SimulationSettings::default()
            },
        );
        let time = (2.0 * 0.2 / 9.81_f64).sqrt();
        run(&mut simulation, time + 0.02, |_| ());
        let weight = simulation.structure().mass[1] * 9.81;
        let e = simulation.state().energies;
        (
            e.impact / (weight * 0.2),
            e.balance_error(),
            simulation.state().velocities[1].linear.z,
        )
    };
    let (lost, balance, speed) = fall(0.0);
    assert!(
        (lost - 1.0).abs() < 1e-2 && balance < 1e-2 && speed.abs() < 1e-6,
        "{lost} {balance} {speed}"
    );
    let (lost, balance, speed) = fall(0.5);
    assert!(
        (lost - 0.75).abs() < 2e-2 && balance < 1e-2 && speed > 0.5,
        "{lost} {balance} {speed}"
    );
}

#[test]
fn blocks_that_nothing_touches_keep_their_momentum() {
    let mut block = built("block", &[("width", "0.3"), ("depth", "0.5"), ("height", "0.9")]);
    block.gravity = DVec3::ZERO;
    block.blocks[1].pose.position.z += 100.0;
    let mut simulation = simulation(&block, 1e-3, "");
    let twist = Twist {
        linear: DVec3::new(1.0, -2.0, 0.5),
        angular: DVec3::new(3.0, 1.0, -2.0),
    };
    simulation.set_velocity(1, twist);
    let momentum = |s: &drystone_mechanics::dynamics::Simulation| {
        s.structure().inertia_at(1, &s.state().placements[1]) * s.state().velocities[1].angular
    };
    let before = momentum(&simulation);
    run(&mut simulation, 2.0, |_| ());
    assert_eq!(simulation.state().velocities[1].linear, twist.linear);
    assert!((momentum(&simulation) - before).length() < 1e-11 * before.length());
}

#[test]
fn a_support_gives_its_work_through_a_tie() {
    // A block that hardly rubs, held to ground that shakes by a rigid rod: what moves it comes through the rod.
    let mut block = built("block", &[("width", "1"), ("depth", "1"), ("height", "0.4")]);
    block.joints.friction = 0.05;
    let centre = DVec3::new(0.0, 0.0, 0.2);
    for (name, from, to) in [("to", "ground", "block"), ("fro", "block", "ground")] {
        let end = |block: &str| drystone_model::TieEnd {
            block: block.to_string(),
            at: if block == "block" {
                centre
            } else {
                centre + DVec3::new(2.0, 0.0, 0.0)
            },
        };
        block.ties = vec![drystone_model::Tie {
            name: name.to_string(),
            from: end(from),
            to: end(to),
            kind: drystone_model::TieKind::RigidRod,
            group: None,
        }];
        let mut simulation = simulation(&block, 1e-3, "sine:amplitude=0.3g,frequency=1,direction=x");
        run(&mut simulation, 0.4, |_| ());
        let energies = simulation.state().energies;
        assert!(energies.kinetic > 10.0, "{energies:?}");
        assert!(energies.balance_error() < 5e-3, "{name}: {energies:?}");
    }
}

#[test]
fn blocks_drawn_into_each_other_are_not_thrown() {
    let mut block = built("block", &[("width", "0.5"), ("depth", "0.5"), ("height", "0.5")]);
    block.blocks[1].pose.position.z -= 1e-3;
    let mut simulation = simulation(&block, 1e-3, "");
    let mut highest = 0.0_f64;
    run(&mut simulation, 0.3, |s| {
        highest = highest.max(s.state().placements[1].center.z - s.structure().center[1].z);
    });
    assert!(highest < 4e-3, "{highest}");
}

#[test]
fn what_drives_overlapping_blocks_apart_is_counted_as_created() {
    // A cube drawn 5 mm into the ground, and no other that moves: its weight is lifted by the overlap, and what is more went
    // into its speed, which its impact takes again.
    let mut block = built("block", &[("width", "0.5"), ("depth", "0.5"), ("height", "0.5")]);
    block.blocks[1].pose.position.z -= 5e-3;
    for dt in [1e-3, 5e-3] {
        let mut simulation = simulation(&block, dt, "");
        let mut before = simulation.state().energies;
        run(&mut simulation, 0.5, |s| {
            let now = s.state().energies;
            let rounding = 1e-12 * now.scale;
            assert!(now.dissipated() >= before.dissipated() - rounding && now.created >= before.created);
            before = now;
        });
        let energies = simulation.state().energies;
        let lift = simulation.structure().mass[1] * 9.81 * 5e-3;
        let speed = simulation.settings().recovery_speed.unwrap();
        let kick = 0.5 * simulation.structure().mass[1] * speed * speed;
        assert!(
            energies.created > 0.99 * lift && energies.created < 1.2 * (lift + kick),
            "{lift} {kick} {energies:?}"
        );
        assert!(
            energies.created_part() > 0.3 && energies.balance_error() < 2e-2,
            "{energies:?}"
        );
    }
}

#[test]
fn a_second_block_that_loses_energy_does_not_hide_what_the_first_is_given() {
    let mut model = built("stack", &[("blocks", "1"), ("width", "0.5")]);
    let mut falling = model.blocks[1].clone();
    falling.name = "falling".to_string();
    falling.pose.position += DVec3::new(1.5, 0.0, 0.5);
    model.blocks[0].shape = drystone_model::Shape::Box(drystone_model::BoxShape {
        size: DVec3::new(8.0, 4.0, 0.5),
        center: DVec3::new(0.0, 0.0, -0.25),
    });
    model.blocks[0].pose = Default::default();
    model.blocks.push(falling);
    model.blocks[1].pose.position.z -= 5e-3;
    let mut simulation = simulation(&model, 1e-3, "");
    run(&mut simulation, 0.6, |_| ());
    let energies = simulation.state().energies;
    let [lift, fall] = [5e-3, 0.5].map(|h| simulation.structure().mass[1] * 9.81 * h);
    assert!(energies.created > 0.99 * lift, "{lift} {energies:?}");
    assert!(energies.impact > 0.98 * fall, "{fall} {energies:?}");
}

#[test]
fn rocking_sliding_and_falling_create_nothing() {
    let rocking = built(
        "block",
        &[("width", "0.6"), ("height", "2"), ("tilt-deg", "15"), ("friction", "2")],
    );
    let stack = built("stack", &[("blocks", "4"), ("width", "0.5")]);
    for (name, model, motion) in [
        ("rocking", &rocking, ""),
        ("rocked", &rocking, "sine:amplitude=0.4g,frequency=1,direction=x"),
        ("shaken", &stack, "sine:amplitude=0.7g,frequency=1.5,direction=x"),
    ] {
        let mut simulation = simulation(model, 1e-3, motion);
        let mut before = simulation.state().energies;
        run(&mut simulation, 1.5, |s| {
            let now = s.state().energies;
            let rounding = 1e-12 * now.scale;
            assert!(now.dissipated() >= before.dissipated() - rounding, "{name}");
            before = now;
        });
        let energies = simulation.state().energies;
        assert!(energies.dissipated() > 0.01 * energies.scale, "{name}: {energies:?}");
        assert!(energies.created_part() < 2e-3, "{name}: {energies:?}");
        assert!(energies.balance_error() < 1e-2, "{name}: {energies:?}");
    }
}

#[test]
fn a_rebound_that_restitution_asks_for_is_not_created() {
    let mut block = built("block", &[("width", "0.5"), ("depth", "0.5"), ("height", "0.5")]);
    block.blocks[1].pose.position.z += 0.2;
    let settings = SimulationSettings {
        restitution: Some(0.8),
        ..SimulationSettings::default()
    };
    let mut simulation = with(&block, "", settings);
    run(&mut simulation, 1.0, |_| ());
    let energies = simulation.state().energies;
    assert!(energies.created_part() < 1e-3, "{energies:?}");
}

#[test]
fn a_tie_gives_back_what_it_holds() {
    // A block that hangs on a spring and swings up and down: nothing is lost but by the step, and nothing is created.
    let mut model = built("block", &[("width", "0.4"), ("depth", "0.4"), ("height", "0.4")]);
    model.blocks[1].pose.position.z += 1.0;
    let top = DVec3::new(0.0, 0.0, 1.4);
    let end = |block: &str, at: DVec3| drystone_model::TieEnd {
        block: block.to_string(),
        at,
    };
    model.ties = vec![drystone_model::Tie {
        name: "spring".to_string(),
        from: end("ground", top + DVec3::new(0.0, 0.0, 1.0)),
        to: end("block", top),
        kind: drystone_model::TieKind::TensionSpring {
            stiffness: 2e4,
            rest_length: 1.0,
        },
        group: None,
    }];
    let mut simulation = simulation(&model, 1e-4, "");
    let mut held = 0.0_f64;
    run(&mut simulation, 0.5, |s| held = held.max(s.state().energies.elastic));
    let energies = simulation.state().energies;
    // It falls by twice its settlement before it turns.
    let weight = simulation.structure().mass[1] * 9.81;
    let exact = 2.0 * weight * weight / 2e4;
    assert!((held / exact - 1.0).abs() < 2e-2, "{held} {exact}");
    assert!(energies.created_part() < 1e-3, "{energies:?}");
    assert!(energies.balance_error() < 2e-2, "{energies:?}");
}
