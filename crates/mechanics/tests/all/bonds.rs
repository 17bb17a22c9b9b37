//! Joints that hold until they break, and friction that is larger at rest: strengths against closed forms.

use crate::common::{Random, built, cuboid, floor, push, run, supports, table, with};
use drystone_cone::Friction;
use drystone_mechanics::dynamics::{Simulation, SimulationSettings, State, TimeStep};
use drystone_model::{Adhesion, Bond, JointLaw, JointStiffness, Joints, Model};
use glam::{DQuat, DVec3, dvec3};

const G: f64 = 9.81;
const BOTH: [Friction; 2] = [Friction::Associated, Friction::Coulomb];
const SIZE: DVec3 = dvec3(1.0, 0.5, 0.4);
const AREA: f64 = 0.5;
const WEIGHT: f64 = 2000.0 * 0.2 * G;

fn settings(friction: Friction, dt: f64) -> SimulationSettings {
    SimulationSettings {
        friction,
        time_step: TimeStep::Fixed(dt),
        checkpoint_steps: 20,
        ..SimulationSettings::default()
    }
}

fn by_area(tension: f64, cohesion: Option<f64>) -> Option<Bond> {
    Some(Bond {
        tension_pa: Some(tension),
        cohesion_pa: cohesion,
        ..Bond::default()
    })
}

/// A force on a block that goes through these factors.
fn pushed(model: &mut Model, block: &str, force: DVec3, at: DVec3, history: &[(f64, f64)]) {
    push(model, "push", block, force, Some(at)).history = Some(table(history));
}

fn start(model: &Model, friction: Friction, dt: f64) -> Simulation {
    let loads: Vec<String> = model.load_cases.keys().cloned().collect();
    Simulation::new(model, settings(friction, dt), supports(model, ""), &loads).unwrap()
}

/// Factor of the load at which a block begins to move: within a step of its growth from 0 to 1 in a second.
fn limit(model: &Model, friction: Friction, block: usize) -> f64 {
    let dt = 1e-3;
    let mut simulation = start(model, friction, dt);
    let before = simulation.state().placements[block].center;
    while simulation.state().time < 1.0 {
        simulation.step().unwrap();
        if simulation.state().velocities[block].linear.length() > 1e-4 {
            return simulation.state().time - dt;
        }
        let moved = simulation.state().placements[block].center.distance(before);
        assert!(moved < 1e-4, "it creeps by {moved} m");
    }
    panic!("it holds");
}

fn on_floor(law: JointLaw) -> Model {
    let mut model = Model::named("block");
    model.density = 2000.0;
    model.joints = Joints::of(law);
    model.blocks.push(floor());
    model
        .blocks
        .push(cuboid("block", SIZE, dvec3(0.0, 0.0, 0.2), DQuat::IDENTITY));
    model
}

/// Peak shear c A + mu N with the friction of a joint at rest, then what the residual friction leaves.
#[test]
fn a_mortar_joint_shears_at_cohesion_plus_friction_and_slides_by_its_residual_friction() {
    let law = JointLaw {
        static_friction: Some(0.8),
        bond: by_area(5e3, Some(1.2e4)),
        ..JointLaw::dry(0.5)
    };
    let (peak, residual) = (1.2e4 * AREA + 0.8 * WEIGHT, 0.5 * WEIGHT);
    let mut model = on_floor(law);
    // At the height of the joint, so that it does not tip.
    pushed(
        &mut model,
        "block",
        dvec3(1.5 * peak, 0.0, 0.0),
        DVec3::ZERO,
        &[(0.0, 0.0), (1.0, 1.5)],
    );
    for friction in BOTH {
        let found = 1.5 * limit(&model, friction, 1) * 1.5 * peak;
        assert!((found / peak - 1.0).abs() < 3e-3, "{friction:?}: {found} N, {peak} N");
    }
    let mut simulation = start(&model, Friction::Coulomb, 1e-3);
    assert_eq!(simulation.bonds(), [4, 4]);
    // Before it is so fast that it tips over backwards.
    run(&mut simulation, 0.46, |_| ());
    assert_eq!(simulation.bonds(), [4, 0]);
    let speed = |s: &Simulation| s.state().velocities[1].linear.x;
    let (before, push) = (speed(&simulation), 1.5 * 1.5 * peak * 0.48);
    run(&mut simulation, 0.5, |_| ());
    let acceleration = (speed(&simulation) - before) / 0.04;
    let exact = (push - residual) * G / WEIGHT;
    assert!((acceleration / exact - 1.0).abs() < 3e-3, "{acceleration} {exact}");
}

/// Hung from a ceiling: it falls when its weight and the pull reach the strength, whatever the cohesion.
#[test]
fn a_joint_in_tension_breaks_at_its_tensile_strength_times_its_area() {
    for (friction, cohesion) in BOTH.into_iter().flat_map(|f| [(f, None), (f, Some(4e4))]) {
        let law = JointLaw {
            bond: by_area(2e4, cohesion),
            ..JointLaw::dry(0.6)
        };
        let mut model = Model::named("hung");
        model.density = 2000.0;
        model.joints = Joints::of(law);
        let ceiling = cuboid("ceiling", DVec3::splat(3.0), dvec3(0.0, 0.0, 1.5), DQuat::IDENTITY);
        model.blocks.push(ceiling.fixed());
        model
            .blocks
            .push(cuboid("block", SIZE, dvec3(0.0, 0.0, -0.2), DQuat::IDENTITY));
        let strength = 2e4 * AREA;
        let center = dvec3(0.0, 0.0, -0.2);
        pushed(
            &mut model,
            "block",
            dvec3(0.0, 0.0, -strength),
            center,
            &[(0.0, 0.0), (1.0, 1.0)],
        );
        let (found, exact) = (limit(&model, friction, 1), 1.0 - WEIGHT / strength);
        assert!(
            (found - exact).abs() < 2e-3,
            "{friction:?} {cohesion:?}: {found} {exact}"
        );
        // The same by forces of its four points.
        let by_points = Bond {
            tension_n: Some(0.25 * strength),
            cohesion_n: cohesion.map(|c| 0.25 * c * AREA),
            ..Bond::default()
        };
        model.joints = Joints::of(JointLaw {
            bond: Some(by_points),
            ..law
        });
        assert_eq!(limit(&model, friction, 1), found);
    }
}

/// Weightless blocks in a row from a wall, pulled up at the end: the joint at the wall opens at its lower edge when the two
/// points there bear their strength, at the depth of the beam from the upper edge about which it turns.
#[test]
fn a_cantilever_of_mortared_blocks_fails_at_the_wall_by_bending() {
    for friction in BOTH {
        let mut model = Model::named("cantilever");
        model.gravity = DVec3::ZERO;
        model.joints = Joints::of(JointLaw {
            bond: by_area(1e5, Some(1e6)),
            ..JointLaw::dry(0.6)
        });
        let wall = cuboid("wall", DVec3::splat(3.0), dvec3(-1.5, 0.0, 0.0), DQuat::IDENTITY);
        model.blocks.push(wall.fixed());
        let (length, depth, width, count) = (0.5, 0.4, 0.3, 3);
        for k in 0..count {
            let center = dvec3(length * (f64::from(k) + 0.5), 0.0, 0.0);
            let size = dvec3(length, width, depth);
            model
                .blocks
                .push(cuboid(&format!("{k}"), size, center, DQuat::IDENTITY));
        }
        let tip = dvec3(f64::from(count) * length, 0.0, 0.0);
        let strength = 1e5 * depth * width / 2.0 * depth / tip.x;
        let force = dvec3(0.0, 0.0, 1.25 * strength);
        pushed(
            &mut model,
            &format!("{}", count - 1),
            force,
            tip,
            &[(0.0, 0.0), (1.0, 1.0)],
        );
        let found = 1.25 * limit(&model, friction, count as usize);
        assert!((found - 1.0).abs() < 5e-3, "{friction:?}: {found}");
        let mut simulation = start(&model, friction, 1e-3);
        run(&mut simulation, 0.85, |_| ());
        // The two points at the lower edge of the first joint.
        assert_eq!(simulation.bonds()[0], 12);
        assert!(simulation.bonds()[1] <= 10, "{:?}", simulation.bonds());
        assert!(simulation.last_step().max_displacement > 1e-4);
    }
}

/// It moves at mu_s N, slides by mu_k, stops, and holds by mu_s again.
#[test]
fn a_joint_at_rest_holds_by_static_friction_and_slides_by_kinetic_friction() {
    let law = JointLaw {
        static_friction: Some(0.6),
        ..JointLaw::dry(0.3)
    };
    let mut model = on_floor(law);
    let history = [(0.0, 0.0), (1.0, 1.0), (1.001, 0.0), (2.0, 0.0), (3.0, 1.0)];
    pushed(
        &mut model,
        "block",
        dvec3(0.65 * WEIGHT, 0.0, 0.0),
        DVec3::ZERO,
        &history,
    );
    let mut simulation = start(&model, Friction::Coulomb, 1e-3);
    let mut moves = Vec::new();
    let mut was_moving = false;
    run(&mut simulation, 3.0, |s| {
        let is_moving = s.state().velocities[1].linear.x > 1e-5;
        if is_moving != was_moving {
            moves.push(s.state().time);
        }
        was_moving = is_moving;
    });
    let (begins, stops, again) = (moves[0], moves[1], moves[2]);
    assert!((begins - 0.6 / 0.65).abs() < 3e-3, "{moves:?}");
    assert!((again - 2.0 - 0.6 / 0.65).abs() < 3e-3, "{moves:?}");
    // Momentum: the push less kinetic friction, until it stops.
    let impulse = 0.65 * (1.0 - (0.6_f64 / 0.65).powi(2)) / 2.0;
    let exact = begins + impulse / 0.3;
    assert!((stops - exact).abs() < 5e-3, "{moves:?}, stops at {exact}");
}

#[test]
fn a_bond_without_strength_is_dry_to_the_last_bit() {
    for friction in BOTH {
        let arch = built("arch", &[("voussoirs", "9"), ("thickness", "0.9")]);
        let mut bonded = arch.clone();
        bonded.joints = Joints::of(JointLaw {
            bond: by_area(0.0, Some(0.0)),
            static_friction: Some(arch.joints.friction),
            ..arch.joints.law()
        });
        let motion = "impulse:peak=0.4g,half_period=0.3,direction=x";
        let placements = |model: &Model| {
            let mut simulation = with(model, motion, settings(friction, 2e-3));
            run(&mut simulation, 0.5, |_| ());
            (
                simulation.state().placements.clone(),
                simulation.state().velocities.clone(),
            )
        };
        assert!(placements(&arch) == placements(&bonded), "{friction:?}");
    }
}

/// A wall that is shaken until some of its joints are broken, and goes on from a checkpoint with the same bits.
#[test]
fn a_run_is_resumed_in_the_middle_of_breaking() {
    let mut model = built("wall", &[("length", "2"), ("height", "1"), ("thickness", "0.2")]);
    model.joints = Joints::of(JointLaw {
        bond: by_area(1.5e3, None),
        ..JointLaw::dry(0.6)
    });
    let motion = "impulse:peak=1.2g,half_period=0.3,direction=y";
    let begin = || with(&model, motion, settings(Friction::Associated, 1e-3));
    let mut unbroken = begin();
    let (bonds, mut kept) = (unbroken.bonds()[1], None);
    run(&mut unbroken, 0.5, |s| {
        let is_half_broken = s.bonds()[1] < bonds && s.bonds()[1] > 0;
        if kept.is_none() && is_half_broken && s.is_at_checkpoint() {
            kept = Some((s.bonds()[1], s.state().to_bytes().unwrap()));
        }
    });
    let (left, state) = kept.expect("some bonds break, and some hold");
    let mut resumed = begin();
    resumed.resume(State::from_bytes(&state).unwrap()).unwrap();
    assert_eq!(resumed.bonds(), [bonds, left]);
    run(&mut resumed, 0.5, |_| ());
    assert!(resumed.bonds()[1] <= left);
    assert!(resumed.state().to_bytes().unwrap() == unbroken.state().to_bytes().unwrap());
}

/// Pushed and pulled at random beyond what the joint bears: whatever its law, blocks and springs never gain more than loads give.
#[test]
fn a_bonded_joint_under_random_loads_creates_no_energy() {
    let strengths = Bond {
        tension_pa: Some(5e3),
        cohesion_pa: Some(1.2e4),
        ..Bond::default()
    };
    let softening = Bond {
        fracture_energy_j_m2: Some([0.2, 2.0]),
        ..strengths
    };
    let adhesion = |viscosity_j_s_m2: f64| Bond {
        adhesion: Some(Adhesion {
            energy_j_m2: 0.5,
            viscosity_j_s_m2,
        }),
        ..Bond::default()
    };
    let mut random = Random(3);
    for bond in [strengths, softening, adhesion(0.0), adhesion(0.01)] {
        for friction in BOTH {
            let mut model = on_floor(JointLaw {
                stiffness: Some(JointStiffness {
                    normal: 4e8,
                    tangential: 2e8,
                }),
                bond: Some(bond),
                ..JointLaw::dry(0.5)
            });
            let mut loads: Vec<(DVec3, Vec<(f64, f64)>)> = Vec::new();
            for (name, size) in [
                ("along", dvec3(2.2 * WEIGHT, 0.0, 0.0)),
                ("across", dvec3(0.0, 0.8 * WEIGHT, 0.0)),
                ("up", dvec3(0.0, 0.0, 0.9 * WEIGHT)),
            ] {
                // They grow, so that the joint breaks on its way.
                let factors = (0..50).map(|k| 0.02 * f64::from(k));
                let factors: Vec<(f64, f64)> = factors.map(|t| (t, t * random.within(-1.0, 1.0))).collect();
                push(&mut model, name, "block", size, None).history = Some(table(&factors));
                loads.push((size, factors));
            }
            // In the middle of a step, whose ends none of the corners of the histories lies between.
            let force = |time: f64| -> DVec3 {
                let at = |factors: &[(f64, f64)]| {
                    let k = factors.partition_point(|f| f.0 < time);
                    let ((t0, f0), (t1, f1)) = (factors[k - 1], factors[k]);
                    f0 + (f1 - f0) * (time - t0) / (t1 - t0)
                };
                loads.iter().map(|(size, factors)| at(factors) * *size).sum()
            };
            let dt = 5e-4;
            let mut simulation = start(&model, friction, dt);
            let (mut place, mut work) = (simulation.state().placements[1].center, 0.0);
            let (mut least, mut most) = (simulation.state().energies.total(), 0.0_f64);
            run(&mut simulation, 0.98, |s| {
                let (moved, time) = (s.state().placements[1].center - place, s.state().time);
                work += force(time - 0.5 * dt).dot(moved);
                place += moved;
                let now = s.state().energies.total() - work;
                most = most.max(now - least);
                least = least.min(now);
            });
            let energies = &simulation.state().energies;
            let told = format!(
                "{bond:?}, {friction:?}: gains {most} J, {energies:?}, {:?}",
                simulation.bonds()
            );
            // Implicit Euler gives nothing, to the last bit of what is summed up.
            assert!(most <= 1e-12 * energies.scale, "{told}");
            assert!(energies.balance_error() < 1e-6, "{told}");
            assert!(energies.dissipated() > 0.0 && energies.created_part() < 1e-4, "{told}");
        }
    }
}

/// An arch far below the least thickness of a dry one.
#[test]
fn a_thin_arch_that_falls_dry_stands_in_mortar() {
    let dry = built("arch", &[("voussoirs", "11"), ("thickness", "0.2")]);
    let mut mortared = dry.clone();
    mortared.joints = Joints::of(JointLaw {
        bond: by_area(5e5, None),
        ..dry.joints.law()
    });
    let sinks = |model: &Model| {
        let mut simulation = with(model, "", settings(Friction::Associated, 2e-3));
        let bonds = simulation.bonds();
        run(&mut simulation, 1.0, |_| ());
        assert_eq!(simulation.bonds(), bonds);
        simulation.last_step().max_displacement
    };
    assert!(sinks(&dry) > 0.3);
    assert!(sinks(&mortared) < 1e-3);
}
