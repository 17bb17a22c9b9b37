//! Tie rods that are prestressed, yield and break, and springs, in time.

use drystone_cone::Friction;
use drystone_mechanics::dynamics::{Simulation, SimulationSettings, State, TieStatus, TimeStep};
use drystone_model::{Model, Tie, TieEnd, TieKind, TieRod};
use glam::DVec3;

use crate::common::{built, run, simulation, with};

fn tie(name: &str, from: (&str, DVec3), to: (&str, DVec3), kind: TieKind) -> Tie {
    let end = |(block, at): (&str, DVec3)| TieEnd {
        block: block.to_string(),
        at,
    };
    Tie {
        name: name.to_string(),
        from: end(from),
        to: end(to),
        kind,
        group: None,
    }
}

/// A cube of 0.4 m in the air, under a tie of one metre to the ground above it.
fn hanging(kind: TieKind) -> Model {
    let mut model = built("block", &[("width", "0.4"), ("depth", "0.4"), ("height", "0.4")]);
    model.blocks[1].pose.position.z += 5.0;
    let top = DVec3::new(0.0, 0.0, 5.4);
    model.ties = vec![tie("rod", ("ground", top + DVec3::Z), ("block", top), kind)];
    model
}

fn weight(simulation: &Simulation) -> f64 {
    simulation.structure().mass[1] * 9.81
}

/// The weight of the cube (N).
fn cube_weight() -> f64 {
    weight(&simulation(&hanging(TieKind::RigidRod), 1e-3, ""))
}

fn rod(stiffness: f64) -> TieRod {
    TieRod {
        stiffness_n_m: Some(stiffness),
        ..TieRod::default()
    }
}

#[test]
fn a_tie_grows_longer_by_the_weight_over_its_stiffness() {
    let section = TieRod {
        area_m2: Some(1e-5),
        modulus_pa: Some(1e11),
        ..TieRod::default()
    };
    for kind in [rod(1e6), section] {
        let mut simulation = simulation(&hanging(TieKind::Tie(kind)), 5e-3, "");
        run(&mut simulation, 3.0, |_| ());
        let (weight, now) = (weight(&simulation), simulation.ties().next().unwrap());
        assert!((now.elongation / (weight / 1e6) - 1.0).abs() < 1e-5, "{now:?}");
        assert!((now.state.force / weight - 1.0).abs() < 1e-5, "{now:?}");
        assert_eq!(now.status(), TieStatus::Bears);
    }
}

#[test]
fn a_tie_without_strength_is_a_tension_spring_to_the_bit() {
    let kinds = [
        TieKind::Tie(rod(2e4)),
        TieKind::TensionSpring {
            stiffness: 2e4,
            rest_length: 1.0,
        },
    ];
    let [a, b] = kinds.map(|kind| {
        let mut simulation = simulation(&hanging(kind), 1e-3, "");
        run(&mut simulation, 0.5, |_| ());
        simulation.state().to_bytes().unwrap()
    });
    assert!(a == b);
}

#[test]
fn a_weight_dropped_on_a_tie_makes_it_yield_by_what_the_energies_say() {
    // It falls by e: W e = Y^2 / 2k + Y (e - Y / k), so that e = Y^2 / (2k (Y - W)).
    let (k, weight) = (2e4, cube_weight());
    let strength = 1.5 * weight;
    let kind = TieRod {
        yield_n: Some(strength),
        ..rod(k)
    };
    let mut simulation = simulation(&hanging(TieKind::Tie(kind)), 1e-4, "");
    let (mut longest, mut spent, mut yielded) = (0.0_f64, 0.0_f64, false);
    run(&mut simulation, 0.5, |s| {
        let (now, energies) = (s.ties().next().unwrap(), s.state().energies);
        longest = longest.max(now.elongation);
        yielded |= now.status() == TieStatus::Yields;
        assert!(now.state.force <= strength * (1.0 + 1e-12), "{now:?}");
        assert!(energies.ties >= spent, "{energies:?}");
        spent = energies.ties;
    });
    let elongation = strength * strength / (2.0 * k * (strength - weight));
    let (energies, now) = (simulation.state().energies, simulation.ties().next().unwrap());
    let plastic = now.state.plastic;
    assert!(yielded);
    assert!((longest / elongation - 1.0).abs() < 5e-3, "{longest} {elongation}");
    assert!((plastic / (elongation - strength / k) - 1.0).abs() < 1e-2, "{plastic}");
    assert!((now.state.peak_force / strength - 1.0).abs() < 1e-12);
    // All that it took is the yield force times the plastic elongation, and nothing was created.
    assert!(
        (energies.ties / (strength * plastic) - 1.0).abs() < 1e-9,
        "{energies:?}"
    );
    assert!(energies.created <= 1e-9 * energies.scale, "{energies:?}");
    assert!(energies.balance_error() < 1e-3, "{energies:?}");
}

#[test]
fn a_tie_that_is_too_weak_lets_go_at_its_rupture_elongation() {
    let weight = cube_weight();
    let (k, strength, rupture, dt) = (2e5, 0.5 * weight, 0.05, 1e-3);
    let kind = TieRod {
        yield_n: Some(strength),
        rupture_elongation_m: Some(rupture),
        ..rod(k)
    };
    let mut simulation = simulation(&hanging(TieKind::Tie(kind)), dt, "");
    let (mut before, mut broke) = (0.0, None);
    run(&mut simulation, 0.5, |s| {
        let now = s.ties().next().unwrap();
        match (now.state.ruptured, broke) {
            (false, None) => before = now.elongation,
            (true, None) => {
                assert!(before < rupture && now.elongation >= rupture, "{before} {now:?}");
                broke = Some((s.state().time, s.state().velocities[1].linear.z));
            }
            (is_broken, Some(_)) => assert!(is_broken && now.state.force == 0.0, "{now:?}"),
        }
    });
    // Elastic until it carries half of the weight, a sixth of a cycle; then half of the weight is left to speed it up, and from
    // rupture on all of it.
    let (time, speed) = broke.expect("it breaks");
    let now = simulation.state();
    let (g, frequency) = (9.81, (k * 9.81 / weight).sqrt());
    let first = 3_f64.sqrt() / 2.0 * g / frequency;
    let last = (first * first + g * (rupture - strength / k)).sqrt();
    let expected = std::f64::consts::FRAC_PI_3 / frequency + (last - first) / (0.5 * g);
    assert!((time / expected - 1.0).abs() < 2e-2, "{time} {expected}");
    assert!((speed / -last - 1.0).abs() < 2e-2, "{speed} {last}");
    let fallen = speed - 9.81 * (now.time - time);
    assert!((now.velocities[1].linear.z - fallen).abs() < 1e-9, "{now:?}");
    assert_eq!(simulation.ties().next().unwrap().status(), TieStatus::Ruptured);
    // What it held when it broke is lost with it.
    let plastic = now.ties()[0].plastic;
    let spent = strength * plastic + strength * strength / (2.0 * k);
    assert!((now.energies.ties / spent - 1.0).abs() < 1e-6, "{:?}", now.energies);
    assert!(now.energies.created <= 1e-9 * now.energies.scale);
    assert!(now.energies.balance_error() < 1e-3, "{:?}", now.energies);
}

#[test]
fn a_prestressed_tie_holds_a_block_by_friction_up_to_mu_times_its_force() {
    let (mu, weight) = (0.5, cube_weight());
    for (factor, holds) in [(2.2, true), (1.8, false)] {
        // The cube hangs beside a wall, pressed to it by a tie that is anchored in the wall.
        let mut model = built("block", &[("width", "0.4"), ("depth", "0.4"), ("height", "0.4")]);
        model.joints.friction = mu;
        let mut wall = model.blocks[0].clone();
        wall.name = "wall".to_string();
        wall.shape = drystone_model::Shape::cuboid(DVec3::new(-1.2, -1.0, 1.0), DVec3::new(-0.2, 1.0, 4.0));
        wall.pose = drystone_model::Pose::default();
        model.blocks.push(wall);
        model.blocks[1].pose.position.z += 2.0;
        let middle = DVec3::new(0.0, 0.0, 2.2);
        let kind = TieRod {
            prestress_n: Some(factor * weight),
            ..rod(1e4)
        };
        let from = ("wall", middle - DVec3::X);
        model.ties = vec![tie("rod", from, ("block", middle), TieKind::Tie(kind))];
        let settings = SimulationSettings {
            time_step: TimeStep::Fixed(1e-3),
            friction: Friction::Coulomb,
            ..SimulationSettings::default()
        };
        let mut simulation = with(&model, "", settings);
        let start = simulation.state().placements[1].center;
        run(&mut simulation, 0.2, |_| ());
        let slid = start.z - simulation.state().placements[1].center.z;
        assert_eq!(slid < 1e-6, holds, "{factor}: {slid}");
    }
}

#[test]
fn a_spring_pushes_as_it_pulls() {
    // Over the ground on a spring as long as it is drawn, a weight sinks by twice W / k and comes up again.
    let k = 2e4;
    let mut model = hanging(TieKind::RigidRod);
    let bottom = DVec3::new(0.0, 0.0, 5.0);
    let kind = TieKind::Spring {
        stiffness_n_m: k,
        rest_length_m: None,
    };
    model.ties = vec![tie("spring", ("ground", bottom - DVec3::Z), ("block", bottom), kind)];
    let mut simulation = simulation(&model, 1e-4, "");
    let (mut shortest, mut held) = (0.0_f64, 0.0_f64);
    run(&mut simulation, 0.5, |s| {
        shortest = shortest.min(s.ties().next().unwrap().elongation);
        held = held.max(s.state().energies.elastic);
    });
    let sunk = 2.0 * weight(&simulation) / k;
    let energies = simulation.state().energies;
    assert!((shortest / -sunk - 1.0).abs() < 1e-2, "{shortest} {sunk}");
    assert!((held / (0.5 * k * sunk * sunk) - 1.0).abs() < 2e-2, "{held}");
    assert!(simulation.ties().next().unwrap().state.peak_force < 0.0);
    assert!(
        energies.balance_error() < 2e-2 && energies.created_part() < 1e-3,
        "{energies:?}"
    );
}

/// The cube on three weak ties in three directions, on supports that shake.
fn shaken() -> Simulation {
    let weight = cube_weight();
    let top = DVec3::new(0.0, 0.0, 5.4);
    let mut model = hanging(TieKind::RigidRod);
    let kind = |part: f64| {
        TieKind::Tie(TieRod {
            prestress_n: Some(0.1 * weight),
            yield_n: Some(part * weight),
            ..rod(3e4)
        })
    };
    model.ties = [(0.0, 0.8), (1.0, 0.6), (2.0, 0.7)]
        .into_iter()
        .map(|(turn, part)| {
            let (sin, cos) = (turn * 2.0 * std::f64::consts::FRAC_PI_3).sin_cos();
            let corner = DVec3::new(0.2 * cos, 0.2 * sin, 0.0);
            let up = top + DVec3::new(cos, sin, 1.5);
            tie(
                &format!("rod {turn}"),
                ("ground", up),
                ("block", top + corner),
                kind(part),
            )
        })
        .collect();
    let settings = SimulationSettings {
        time_step: TimeStep::Fixed(1e-3),
        checkpoint_steps: 20,
        ..SimulationSettings::default()
    };
    with(&model, "sine:amplitude=0.6g,frequency=2,direction=x", settings)
}

#[test]
fn ties_that_yield_again_and_again_never_give_energy_and_never_bear_more() {
    let mut simulation = shaken();
    let (mut spent, mut yields, mut slack) = (0.0, 0, 0);
    for _ in 0..1200 {
        simulation.step().unwrap();
        let energies = simulation.state().energies;
        assert!(energies.ties >= spent, "{energies:?}");
        spent = energies.ties;
        for now in simulation.ties() {
            assert!(
                (0.0..=now.law.yield_force * (1.0 + 1e-12)).contains(&now.state.force),
                "{now:?}"
            );
            yields += usize::from(now.status() == TieStatus::Yields);
            slack += usize::from(now.status() == TieStatus::Slack);
        }
    }
    let energies = simulation.state().energies;
    assert!(yields > 50 && slack > 0, "{yields} {slack}");
    assert!(
        energies.created_part() < 5e-3 && energies.balance_error() < 2e-2,
        "{energies:?}"
    );
}

#[test]
fn a_run_that_is_resumed_while_a_tie_yields_goes_on_with_the_same_bits() {
    let mut unbroken = shaken();
    let mut kept = None;
    for _ in 0..300 {
        unbroken.step().unwrap();
        let yields = unbroken.ties().any(|t| t.status() == TieStatus::Yields);
        if kept.is_none() && unbroken.is_at_checkpoint() && yields {
            kept = Some(unbroken.state().to_bytes().unwrap());
        }
    }
    let state = State::from_bytes(&kept.expect("a tie yields at a checkpoint")).unwrap();
    assert!(state.ties().iter().any(|t| t.plastic > 0.0));
    let mut resumed = shaken();
    resumed.resume(state).unwrap();
    while resumed.state().step < 300 {
        resumed.step().unwrap();
    }
    assert!(resumed.state().to_bytes().unwrap() == unbroken.state().to_bytes().unwrap());
}
