//! Explicit steps against motions that are known without them.

use std::f64::consts::{PI, TAU};

use crate::common::{built, cuboid, floor, run, supports, with};
use drystone_cone::Twist;
use drystone_mechanics::dynamics::{
    ExplicitSettings, Integrator, JointStiffness, Simulation, SimulationSettings, State, TimeStep,
    reference::{RockingBlock, rocking},
};
use drystone_model::{
    Bond, Joints, LoadCase, Model, PointForce,
    motion::{History, RampForm},
};
use glam::{DQuat, DVec3, dvec3};

const G: f64 = 9.81;

fn explicit(stiffness: f64, interval: f64, settings: ExplicitSettings) -> SimulationSettings {
    SimulationSettings {
        integrator: Integrator::Explicit(settings),
        time_step: TimeStep::Fixed(interval),
        stiffness: Some(JointStiffness {
            normal: stiffness,
            tangential: stiffness,
        }),
        ..SimulationSettings::default()
    }
}

fn undamped() -> ExplicitSettings {
    ExplicitSettings {
        damping: Some(0.0),
        ..ExplicitSettings::default()
    }
}

/// A cuboid on a floor.
fn on_floor(size: DVec3, friction: f64) -> Model {
    let mut model = Model {
        name: "block on a floor".into(),
        ..Model::default()
    };
    let block = cuboid("block", size, dvec3(0.0, 0.0, 0.5 * size.z), DQuat::IDENTITY);
    model.blocks = vec![floor(), block];
    model.joints = Joints {
        friction,
        ..Joints::default()
    };
    model
}

/// At millimetres and at metres: it stops after v^2 / (2 mu g), does not rise, and friction takes what it had.
#[test]
fn a_block_that_slides_stops_where_coulomb_says() {
    for size in [2e-3, 0.5, 2.0] {
        let (mu, speed) = (0.4, (G * size).sqrt());
        let model = on_floor(dvec3(2.0, 1.0, 0.5) * size, mu);
        let unit = (size / G).sqrt();
        // As stiff, for its weight, at all sizes.
        let settings = explicit(1e10 / size, 0.01 * unit, ExplicitSettings::default());
        let mut simulation = with(&model, "", settings);
        let start = simulation.state().placements[1].center;
        simulation.set_velocity(
            1,
            Twist {
                linear: dvec3(speed, 0.0, 0.0),
                angular: DVec3::ZERO,
            },
        );
        let had = simulation.state().energies.kinetic;
        let mut rises = 0.0_f64;
        run(&mut simulation, 1.5 * speed / (mu * G), |s| {
            rises = rises.max((s.state().placements[1].center.z - start.z).abs());
        });
        let way = simulation.state().placements[1].center.x - start.x;
        let exact = speed * speed / (2.0 * mu * G);
        assert!((way / exact - 1.0).abs() < 1e-3, "{size}: {way} {exact}");
        assert!(rises < 1e-6 * size, "{size}: {rises}");
        let energies = simulation.state().energies;
        assert!((energies.friction / had - 1.0).abs() < 2e-3, "{size}: {energies:?}");
        assert!(energies.balance_error() < 1e-3, "{size}: {}", energies.balance_error());
    }
}

#[test]
fn what_flies_keeps_its_momenta_and_its_energy() {
    let mut model = on_floor(dvec3(0.3, 0.5, 0.9), 0.5);
    model.blocks[1].pose.position.z = 8.0;
    let mut simulation = with(&model, "", explicit(1e9, 1e-3, ExplicitSettings::default()));
    let spin = dvec3(3.0, -2.0, 5.0);
    simulation.set_velocity(
        1,
        Twist {
            linear: dvec3(1.0, 2.0, 3.0),
            angular: spin,
        },
    );
    let momentum = |s: &Simulation| {
        let state = s.state();
        s.structure().inertia_at(1, &state.placements[1]) * state.velocities[1].angular
    };
    let (before, start) = (momentum(&simulation), simulation.state().placements[1].center);
    run(&mut simulation, 1.0, |_| ());
    let state = simulation.state();
    let after = momentum(&simulation);
    assert!(before.distance(after) < 1e-12 * before.length(), "{before} {after}");
    let exact = start + dvec3(1.0, 2.0, 3.0 - 0.5 * G);
    let short = simulation.stable_step().unwrap().dt;
    assert!(state.placements[1].center.distance(exact) < G * short, "{short}");
    assert!(
        state.energies.balance_error() < 1e-3,
        "{}",
        state.energies.balance_error()
    );
}

/// Height that it comes back to, of a block that falls flat: by its dashpots, or by the restitution of its joint.
#[test]
fn blocks_rebound_as_their_dashpots_say() {
    let rebound = |settings: ExplicitSettings, restitution: f64| {
        let mut model = on_floor(dvec3(0.5, 0.5, 0.5), 0.5);
        let drop = 0.1;
        model.blocks[1].pose.position.z += drop;
        model.joints.restitution = restitution;
        let mut simulation = with(&model, "", explicit(1e9, 5e-4, settings));
        let speed = (2.0 * G * drop).sqrt();
        let mut back = 0.0_f64;
        run(&mut simulation, speed / G + 0.03, |s| {
            back = back.max(s.state().velocities[1].linear.z)
        });
        back / speed
    };
    let fine = 2e-5;
    let by = |z: f64| {
        let settings = ExplicitSettings {
            damping: Some(z),
            dt: Some(fine),
            ..ExplicitSettings::default()
        };
        rebound(settings, 0.0)
    };
    for z in [0.05, 0.2, 0.5, ExplicitSettings::DAMPING] {
        // A dashpot that does not pull lets go when the force is zero (Schwager and Poeschel, 2007).
        let w = (1.0 - z * z).sqrt();
        let exact = (-(z / w) * (PI - (2.0 * z * w).atan2(1.0 - 2.0 * z * z))).exp();
        assert!((by(z) - exact).abs() < 0.02, "{z}: {} {exact}", by(z));
    }
    // Steps of the default length are coarse for an impact, and still take nearly all of it.
    let coarse = rebound(ExplicitSettings::default(), 0.0);
    assert!(coarse < 0.35, "{coarse}");
    let settings = ExplicitSettings {
        dt: Some(fine),
        ..ExplicitSettings::default()
    };
    let given = rebound(settings, 0.6);
    assert!((given - 0.6).abs() < 0.02, "{given}");
}

/// When a tilted block first comes down (s), and its angular velocity after over that before.
fn first_impact(stiffness: f64) -> [f64; 2] {
    let model = built(
        "block",
        &[("width", "0.6"), ("height", "2"), ("tilt-deg", "15"), ("friction", "2")],
    );
    let settings = explicit(stiffness, 1e-3, ExplicitSettings::default());
    let mut simulation = with(&model, "", settings);
    let (tilt, mut angles) = (15f64.to_radians(), vec![]);
    run(&mut simulation, 1.3, |s| {
        let turned = s.state().placements[1].rotation * s.structure().initial(1).rotation.conjugate();
        angles.push([s.state().time, tilt + turned.to_scaled_axis().y]);
    });
    let down = angles.iter().position(|a| a[1] <= 0.0).unwrap();
    let block = housner();
    let pull = block.frequency().powi(2) * block.slenderness().sin();
    let slope_at_zero = |[t0, a0]: [f64; 2], [t1, a1]: [f64; 2]| {
        let (slope, angle) = ((a1 - a0) / (t1 - t0), 0.5 * (a0 + a1));
        (slope * slope + 2.0 * pull * angle.abs()).sqrt()
    };
    let before = slope_at_zero(angles[down - 30], angles[down - 20]);
    let after = slope_at_zero(angles[down + 30], angles[down + 60]);
    let [time, angle] = angles[down - 20];
    let end_speed = (before * before - 2.0 * pull * angle).sqrt();
    [time + 2.0 * angle / (before + end_speed), after / before]
}

fn housner() -> RockingBlock {
    RockingBlock {
        half_width: 0.3,
        half_height: 1.0,
        gravity: G,
    }
}

#[test]
fn a_tilted_block_comes_down_and_goes_on_as_housner_says() {
    let exact = rocking(&housner(), 15f64.to_radians(), 1.3, 1e-3).impacts[0];
    let [time, ratio] = first_impact(1e10);
    assert!((time / exact.time - 1.0).abs() < 1e-2, "{time} {}", exact.time);
    assert!(
        (ratio / housner().restitution() - 1.0).abs() < 1e-2,
        "{ratio} {}",
        housner().restitution()
    );
}

/// A column of n blocks swings up and down with 2 sqrt(k / m) sin(pi / (2 (2 n + 1))).
#[test]
fn a_column_swings_with_its_own_frequency() {
    let (n, side, stiffness) = (6, 0.4, 1e9);
    let mut model = Model {
        name: "column".into(),
        ..Model::default()
    };
    model.gravity = DVec3::ZERO;
    model.blocks = vec![floor()];
    for k in 0..n {
        let at = dvec3(0.0, 0.0, (k as f64 + 0.5) * side);
        model
            .blocks
            .push(cuboid(&format!("b{k}"), DVec3::splat(side), at, DQuat::IDENTITY));
    }
    // Pressed by a force of its top, so that joints stay closed while it swings.
    let mass = model.mass_of(&model.blocks[1]).0;
    let press = LoadCase {
        forces: vec![PointForce {
            block: format!("b{}", n - 1),
            force: dvec3(0.0, 0.0, -50.0 * mass * G),
            at: None,
        }],
        ..LoadCase::default()
    };
    model.load_cases.insert("press".into(), press);
    let exact = 2.0 * (stiffness * side * side / mass).sqrt() * (PI / (2.0 * (2.0 * n as f64 + 1.0))).sin();
    let settings = explicit(stiffness, 0.01 * TAU / exact, undamped());
    let none = supports(&model, "");
    let mut simulation = Simulation::new(&model, settings, none, &["press".into()]).unwrap();
    for k in 1..=n {
        let shape = (k as f64 * PI / (2.0 * n as f64 + 1.0)).sin();
        let linear = dvec3(0.0, 0.0, 1e-3 * shape);
        simulation.set_velocity(
            k,
            Twist {
                linear,
                angular: DVec3::ZERO,
            },
        );
    }
    let mut crossings = Vec::new();
    let mut last = [0.0, 1e-3];
    run(&mut simulation, 20.2 * TAU / exact, |s| {
        let (t, v) = (s.state().time, s.state().velocities[n].linear.z);
        if last[1] < 0.0 && v >= 0.0 {
            crossings.push(last[0] + (t - last[0]) * last[1] / (last[1] - v));
        }
        last = [t, v];
    });
    let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    assert!((TAU / period / exact - 1.0).abs() < 1e-3, "{} {exact}", TAU / period);
    assert!(simulation.state().energies.balance_error() < 1e-3);
}

/// Stacks, walls and arches that begin compressed stay where they are.
#[test]
fn what_stands_does_not_creep() {
    let arch = built("arch", &[]);
    let wall = built("wall", &[]);
    for model in [arch, wall] {
        let mut simulation = with(&model, "", explicit(1e9, 1e-2, ExplicitSettings::default()));
        let start = simulation.state().placements.clone();
        run(&mut simulation, 1.0, |_| ());
        let moved = simulation.state().placements.iter().zip(&start);
        let drift = moved.map(|(p, s)| p.center.distance(s.center)).fold(0.0, f64::max);
        assert!(drift < 1e-8, "{}: {drift:e}", model.name);
    }
}

fn shaken_wall(threads: usize, until: f64, resume: Option<State>) -> Simulation {
    let model = built("wall", &[("length", "6"), ("height", "3")]);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let settings = SimulationSettings {
            checkpoint_steps: 50,
            ..explicit(1e9, 2e-3, ExplicitSettings::default())
        };
        let mut simulation = with(&model, "sine:amplitude=0.5g,frequency=2,direction=y", settings);
        if let Some(state) = resume {
            simulation.resume(state).unwrap();
        }
        run(&mut simulation, until, |_| ());
        simulation
    })
}

#[test]
fn any_number_of_threads_gives_the_same_bits_and_so_does_a_run_that_is_resumed() {
    let one = shaken_wall(1, 0.4, None);
    let three = shaken_wall(3, 0.4, None);
    assert!(
        one.last_step().contacts > 1200,
        "worth more than one thread: {}",
        one.last_step().contacts
    );
    assert!(one.state() == three.state());
    let middle = shaken_wall(2, 0.2, None).state().clone();
    let bytes = middle.to_bytes().unwrap();
    let resumed = shaken_wall(2, 0.4, Some(State::from_bytes(&bytes).unwrap()));
    assert!(one.state() == resumed.state());
    assert!(
        one.state().energies.balance_error() < 1e-3,
        "{}",
        one.state().energies.balance_error()
    );
}

#[test]
fn steps_that_are_not_stable_are_refused_and_mass_scaling_makes_them_so() {
    let mut model = on_floor(dvec3(0.5, 0.5, 0.5), 0.5);
    let tiny = cuboid("pebble", DVec3::splat(0.01), dvec3(0.0, 0.0, 0.505), DQuat::IDENTITY);
    model.blocks.push(tiny);
    let try_with =
        |settings: ExplicitSettings| Simulation::new(&model, explicit(1e10, 1e-3, settings), supports(&model, ""), &[]);
    let stable = try_with(ExplicitSettings::default())
        .unwrap()
        .stable_step()
        .unwrap()
        .clone();
    assert_eq!(model.blocks[stable.block].name, "pebble");
    assert!(stable.median > 3.0 * stable.dt, "{stable:?}");
    let asked = |dt: f64| ExplicitSettings {
        dt: Some(dt),
        ..ExplicitSettings::default()
    };
    let error = try_with(asked(1.01 * stable.limit)).unwrap_err().to_string();
    assert!(error.contains("`pebble`") && error.contains("stable"), "{error}");
    assert!(try_with(asked(0.99 * stable.limit)).is_ok());
    let scaled = ExplicitSettings {
        mass_scaling: Some(stable.median),
        ..ExplicitSettings::default()
    };
    let mut simulation = try_with(scaled).unwrap();
    let step = simulation.stable_step().unwrap();
    assert!(step.dt >= 0.99 * stable.median && step.scaled_blocks >= 1, "{step:?}");
    run(&mut simulation, 0.2, |_| ());
    assert!(simulation.max_speed() < 1e-4, "{}", simulation.max_speed());
}

/// A block that swings on its joint without leaving it swings on, up to the limit.
#[test]
fn the_stable_step_is_stable() {
    let model = on_floor(dvec3(0.5, 0.5, 0.5), 0.5);
    let stable = with(&model, "", explicit(1e9, 1e-2, undamped()))
        .stable_step()
        .unwrap()
        .clone();
    // Released on its springs, it would swing with g / w.
    let swing = G * (model.mass_of(&model.blocks[1]).0 / (1e9 * 0.25)).sqrt();
    for share in [0.1, 0.7, 0.98] {
        let settings = ExplicitSettings {
            dt: Some(share * stable.limit),
            ..undamped()
        };
        let mut simulation = with(&model, "", explicit(1e9, 1e-2, settings));
        let push = Twist {
            linear: dvec3(0.2, 0.1, 0.4) * swing,
            angular: dvec3(0.1, 0.3, 0.2) * swing,
        };
        simulation.set_velocity(1, push);
        let mut fastest = 0.0_f64;
        run(&mut simulation, 1.0, |s| fastest = fastest.max(s.max_speed()));
        assert!(fastest < 1.5 * swing, "{share}: {fastest} {swing}");
    }
}

/// A block that is bonded to a floor and pulled by a force that grows: along x, or up.
fn pulled(direction: DVec3, until: f64, bond: Bond) -> Simulation {
    let mut model = on_floor(dvec3(0.5, 0.4, 0.2), 0.6);
    model.joints.bond = Some(bond);
    let block = &model.blocks[1];
    let (mass, name) = (model.mass_of(block).0, block.name.clone());
    let area = 0.5 * 0.4;
    // Mohr and Coulomb: c + mu sigma. It pulls at the joint, so that nothing turns.
    let strength = match direction.z > 0.0 {
        true => 3e4 * area + mass * G,
        false => 5e4 * area + 0.6 * mass * G,
    };
    model.load_cases.insert(
        "pull".into(),
        LoadCase {
            forces: vec![PointForce {
                block: name,
                force: strength * direction,
                at: Some(DVec3::ZERO),
            }],
            history: Some(History::Ramp {
                from: 0.0,
                to: until,
                duration: 0.4,
                form: RampForm::Linear,
                start: 0.0,
            }),
            ..LoadCase::default()
        },
    );
    let settings = explicit(1e9, 1e-3, ExplicitSettings::default());
    let none = supports(&model, "");
    let mut simulation = Simulation::new(&model, settings, none, &["pull".into()]).unwrap();
    run(&mut simulation, 0.5, |_| ());
    simulation
}

#[test]
fn bonds_break_at_their_strength_and_the_energy_is_told() {
    let brittle = Bond {
        tension_pa: Some(3e4),
        cohesion_pa: Some(5e4),
        ..Bond::default()
    };
    let softening = Bond {
        fracture_energy_j_m2: Some([5.0, 20.0]),
        ..brittle
    };
    for bond in [brittle, softening] {
        for direction in [DVec3::X, DVec3::Z] {
            for (share, breaks) in [(0.97, false), (1.03, true)] {
                let simulation = pulled(direction, share, bond);
                let [bonds, intact] = simulation.bonds();
                assert_eq!(bonds, 4);
                assert_eq!(intact == 0, breaks, "{direction} {share} {bond:?}: {intact}");
                let state = simulation.state();
                assert!(
                    state.energies.balance_error() < 2e-3,
                    "{direction} {share}: {:?}",
                    state.energies
                );
                assert!(state.placements[1].center.is_finite());
            }
        }
    }
}

/// A block on a tie swings with sqrt(k / m); one that is pulled too far lets it yield, and break.
#[test]
fn ties_swing_yield_and_break_as_they_say() {
    let mut model = on_floor(dvec3(0.5, 0.4, 0.2), 0.0);
    model.gravity = DVec3::ZERO;
    model.blocks[1].pose.position.z = 3.0;
    model.ties = serde_json::from_str(
        r#"[{"name": "rod", "kind": {"tie": {"stiffness_n_m": 2e6, "yield_n": 1e4, "rupture_elongation_m": 0.05}},
             "from": {"block": "floor", "at": [0, 0, 0]}, "to": {"block": "block", "at": [0, 0, 3]}}]"#,
    )
    .unwrap();
    let mass = model.mass_of(&model.blocks[1]).0;
    let pull = |speed: f64, until: f64| {
        let mut simulation = with(&model, "", explicit(1e9, 1e-4, ExplicitSettings::default()));
        let linear = dvec3(0.0, 0.0, speed);
        simulation.set_velocity(
            1,
            Twist {
                linear,
                angular: DVec3::ZERO,
            },
        );
        run(&mut simulation, until, |_| ());
        simulation
    };
    // Within its strength: after half a period it is back, with the velocity reversed.
    let swing = (2e6 / mass).sqrt();
    let speed = 0.5 * 1e4 / (mass * swing);
    let back = pull(speed, PI / swing);
    let returned = back.state().velocities[1].linear.z / -speed;
    assert!((returned - 1.0).abs() < 1e-2, "{returned}");
    assert!((back.state().ties()[0].peak_force / 5e3 - 1.0).abs() < 1e-2);
    // Beyond: the yield force takes the rest of the energy, over the plastic elongation.
    let yields = pull(3.0 * speed, PI / swing);
    let tie = yields.state().ties()[0];
    let plastic = (0.5 * mass * 9.0 * speed * speed - 0.5 * 1e8 / 2e6) / 1e4;
    assert!(
        (tie.plastic / plastic - 1.0).abs() < 1e-2 && !tie.ruptured,
        "{tie:?} {plastic}"
    );
    assert!(yields.state().energies.created == 0.0, "{:?}", yields.state().energies);
    let taken = yields.state().energies.ties;
    assert!((taken / (1e4 * plastic) - 1.0).abs() < 2e-2, "{taken}");
    let breaks = pull(40.0 * speed, PI / swing);
    let energies = breaks.state().energies;
    assert!(breaks.state().ties()[0].ruptured);
    // Elastic, then yielding, up to its elongation at rupture.
    let spent = 0.5 * 1e8 / 2e6 + 1e4 * (0.05 - 1e4 / 2e6);
    assert!((energies.ties / spent - 1.0).abs() < 0.05, "{energies:?} {spent}");
}
