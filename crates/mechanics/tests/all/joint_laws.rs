//! Laws of single joints: rigid joints beside springs, and restitution by pair of blocks.

use crate::common::{built, cuboid, floor, run, with};
use drystone_cone::Friction;
use drystone_mechanics::dynamics::{JointStiffness, Simulation, SimulationError, SimulationSettings};
use drystone_model::{BlockJoint, GroupJoint, JointLaw, Joints, Model, motion::Supports};
use glam::{DQuat, DVec3, dvec3};

const G: f64 = 9.81;
const SOFT: JointLaw = JointLaw {
    friction: 0.6,
    restitution: 0.0,
    stiffness: Some(JointStiffness {
        normal: 1e8,
        tangential: 5e7,
    }),
    static_friction: None,
    bond: None,
    crushing_pa: None,
};

fn settings(friction: Friction) -> SimulationSettings {
    SimulationSettings {
        friction,
        ..SimulationSettings::default()
    }
}

/// How far a block has come down (m).
fn sunk(simulation: &Simulation, block: usize) -> f64 {
    simulation.structure().center[block].z - simulation.state().placements[block].center.z
}

/// Cubes of 0.5 m on a floor, all in group `rigid` but those named soft, whose joints with any block are springs.
fn tower(count: usize, at: f64, is_soft: impl Fn(usize) -> bool, model: &mut Model) {
    for k in 0..count {
        let center = dvec3(at, 0.0, 0.25 + 0.5 * k as f64);
        let block = cuboid(&format!("{at} {k}"), DVec3::splat(0.5), center, DQuat::IDENTITY);
        model
            .blocks
            .push(block.in_group(if is_soft(k) { "soft" } else { "rigid" }));
    }
}

fn towers() -> Model {
    let mut model = Model::named("towers");
    model.density = 2000.0;
    model.joints = Joints {
        groups: vec![
            GroupJoint::between(["soft", "soft"], SOFT),
            GroupJoint::between(["soft", "rigid"], SOFT),
        ],
        ..Joints::uniform(0.6)
    };
    model.blocks.push(floor().in_group("rigid"));
    model
}

#[test]
fn rigid_joints_do_not_sink_and_springs_beside_them_settle_by_the_weight_that_they_carry() {
    for friction in [Friction::Associated, Friction::Coulomb] {
        let mut model = towers();
        // Rigid, on springs, springs on top of rigid joints, and one spring between them.
        let soft: [fn(usize) -> bool; 4] = [|_| false, |_| true, |k| k > 2, |k| k == 1];
        for (tower_at, is_soft) in (0..).zip(soft) {
            tower(5, 2.0 * f64::from(tower_at) - 3.0, is_soft, &mut model);
        }
        let mut simulation = with(&model, "", settings(friction));
        assert!(simulation.not_compressed().is_empty() && simulation.not_settled().is_empty());
        run(&mut simulation, 0.1, |s| {
            assert!(s.last_step().relative_overlap < 1e-9, "{:?}", s.last_step());
        });
        for (t, is_soft) in soft.iter().enumerate() {
            let mut exact = 0.0;
            for k in 0..5 {
                if is_soft(k) || (k > 0 && is_soft(k - 1)) {
                    exact += (5 - k) as f64 * 2000.0 * G * 0.5 / 1e8;
                }
                let found = sunk(&simulation, 1 + 5 * t + k);
                let told = format!("{friction:?}, tower {t}, block {k}: {found} m, {exact} m");
                assert!((found - exact).abs() <= 1e-2 * exact + 1e-8, "{told}");
            }
        }
        let energies = &simulation.state().energies;
        assert!(energies.balance_error() < 1e-2, "{energies:?}");
    }
}

/// A wall of rigid joints on springs is one rigid body on an elastic ground; one of springs on a rigid ground keeps its
/// lowest course where it is.
#[test]
fn a_wall_is_rigid_where_its_law_says_so_and_yields_where_it_has_a_stiffness() {
    let wall = built("wall", &[("length", "2"), ("height", "1"), ("thickness", "0.4")]);
    let rigid = JointLaw::dry(0.6);
    for (within, on_ground) in [(rigid, SOFT), (SOFT, rigid)] {
        let mut model = wall.clone();
        model.joints = Joints {
            groups: vec![GroupJoint::between(["ground", "wall"], on_ground)],
            ..Joints::of(within)
        };
        let mut simulation = with(&model, "", settings(Friction::Associated));
        assert!(simulation.not_compressed().is_empty());
        run(&mut simulation, 0.1, |_| ());
        let structure = simulation.structure();
        let exact = structure.free_mass() * G / (1e8 * 2.0 * 0.4);
        let bottom = |b: &usize| structure.center[*b].z < 0.3;
        for b in structure.free() {
            let found = sunk(&simulation, b);
            match on_ground.stiffness {
                Some(_) => assert!((found - exact).abs() < 1e-2 * exact, "{b}: {found} m, {exact} m"),
                None if bottom(&b) => assert!(found.abs() < 1e-8, "{b}: {found} m"),
                None => assert!(found > 0.1 * exact && found < 2.0 * exact, "{b}: {found} m"),
            }
        }
        assert!(simulation.state().at_rest);
    }
}

/// It falls by h and rises by e^2 h.
#[test]
fn blocks_rebound_from_their_pads_each_by_its_own_restitution() {
    let (height, laws) = (0.5, [0.3, 0.8, 0.0]);
    let mut model = Model::named("pads");
    for (k, &e) in laws.iter().enumerate() {
        let x = 2.0 * k as f64;
        let (pad, ball) = (format!("pad {k}"), format!("ball {k}"));
        let at = |z: f64| dvec3(x, 0.0, z);
        model
            .blocks
            .push(cuboid(&pad, DVec3::ONE, at(-0.5), DQuat::IDENTITY).fixed());
        model
            .blocks
            .push(cuboid(&ball, DVec3::splat(0.2), at(0.1 + height), DQuat::IDENTITY));
        let law = JointLaw {
            restitution: e,
            ..JointLaw::default()
        };
        if e > 0.0 {
            model.joints.blocks.push(BlockJoint::between([&ball, &pad], law));
        }
    }
    let fall = (2.0 * height / G).sqrt();
    let highest = |settings: SimulationSettings| {
        let mut highest = [0.0_f64; 3];
        run(&mut with(&model, "", settings), 2.2 * fall, |s| {
            for (k, high) in highest.iter_mut().enumerate() {
                if s.state().time > fall + 0.01 {
                    *high = high.max(s.state().placements[2 * k + 1].center.z - 0.1);
                }
            }
        });
        highest
    };
    // They turn back up to a step above their pads.
    let step = 1e-3 * G * fall;
    for friction in [Friction::Associated, Friction::Coulomb] {
        for (high, e) in highest(settings(friction)).into_iter().zip(laws) {
            let exact = e * e * height;
            assert!(
                (high - exact).abs() < step + 2e-2 * exact,
                "{friction:?} {e}: {high} {exact}"
            );
        }
    }
    // A setting of the run takes the place of every law.
    let all = SimulationSettings {
        restitution: Some(0.5),
        ..SimulationSettings::default()
    };
    for high in highest(all) {
        assert!((high - 0.25 * height).abs() < step + 5e-3 * height, "{high}");
    }
}

#[test]
fn a_restitution_is_refused_where_the_law_of_a_joint_has_a_stiffness() {
    let mut model = towers();
    tower(1, 0.0, |_| true, &mut model);
    let settings = SimulationSettings {
        restitution: Some(0.5),
        ..SimulationSettings::default()
    };
    let refused = Simulation::new(&model, settings, Supports::default(), &[]).unwrap_err();
    assert!(
        matches!(refused, SimulationError::Setting { value: 0.5, .. }),
        "{refused}"
    );
}
