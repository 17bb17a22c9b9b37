//! Springs give back what compressed them and no more. Their stiffness went with an area that jumped by a factor of fifty as
//! a block that rocked passed through 5 degrees, and threw it up with energy that nothing had given.

use crate::common::{built, cuboid, floor, run, stones, with};
use drystone_mechanics::dynamics::{JointStiffness, Simulation, SimulationSettings, Start, TimeStep};
use drystone_model::{JointSearch, Joints, Model};
use glam::{DQuat, DVec3, dvec3};

fn yielding(stiffness: f64, dt: f64) -> SimulationSettings {
    SimulationSettings {
        time_step: TimeStep::Fixed(dt),
        stiffness: Some(JointStiffness {
            normal: stiffness,
            tangential: stiffness,
        }),
        ..SimulationSettings::default()
    }
}

/// A block of 0.8 x 1 x 2 m on one of its edges, by its angle to the ground.
fn tilted(degrees: f64) -> Model {
    let q = DQuat::from_rotation_y(degrees.to_radians());
    let center = dvec3(0.4, 0.0, 0.0) + q * dvec3(-0.4, 0.0, 1.0);
    let mut model = Model::named("tilted");
    model.blocks = vec![floor(), cuboid("block", dvec3(0.8, 1.0, 2.0), center, q)];
    model.joints = Joints::uniform(0.8);
    model
}

/// Runs, and gives the most that the energy of the blocks and springs rises by beyond what supports give, and what contacts
/// are said to have created, both over the largest exchange. Work that positions do ahead of velocities is no rise.
fn gained(simulation: &mut Simulation, until: f64) -> [f64; 2] {
    let now = |s: &Simulation| {
        let e = &s.state().energies;
        e.total() + e.ahead - e.input
    };
    let (mut least, mut most) = (now(simulation), 0.0_f64);
    run(simulation, until, |s| {
        most = most.max(now(s) - least);
        least = least.min(now(s));
    });
    let energies = &simulation.state().energies;
    assert!(energies.balance_error() < 1e-2, "{energies:?}");
    [most / energies.scale, energies.created_part()]
}

#[test]
fn a_block_that_rocks_on_springs_gains_nothing() {
    for stiffness in [1e6, 1e7, 1e8, 1e9, 1e11] {
        for dt in [1e-3, 5e-3] {
            let motion = "impulse:peak=0.5g,duration=0.5,direction=x";
            let mut simulation = with(&built("block", &[]), motion, yielding(stiffness, dt));
            let gained = gained(&mut simulation, 2.0);
            assert!(gained.iter().all(|g| *g < 1e-2), "{stiffness} N/m3, {dt} s: {gained:?}");
        }
    }
}

/// Corners that closed again beyond 5 degrees bore as an edge from then on, also under the whole face: the block sank through
/// the ground.
#[test]
fn a_block_that_rocks_on_soft_springs_does_not_sink() {
    for dt in [3e-4, 1e-3] {
        let motion = "impulse:peak=0.5g,duration=0.5,direction=x";
        let mut simulation = with(&built("block", &[]), motion, yielding(1e6, dt));
        let begun = simulation.state().placements[1].center.z;
        let mut lowest = f64::INFINITY;
        run(&mut simulation, 3.0, |s| {
            lowest = lowest.min(s.state().placements[1].center.z)
        });
        // It starts settled by 39 mm; about its edge, on half of its springs, it is twice that.
        assert!(lowest > begun - 0.039, "{dt} s: {lowest} m, {begun} m");
    }
}

#[test]
fn a_block_let_go_on_its_edge_gains_nothing_and_stays_on_the_ground() {
    for degrees in [4.5, 8.0, 15.0] {
        for stiffness in [1e7, 1e8, 1e9, 1e11] {
            let model = tilted(degrees);
            let mut simulation = with(&model, "", yielding(stiffness, 1e-3));
            let begun = simulation.state().placements[1].center.z;
            let mut highest = 0.0_f64;
            let mut gained = [0.0; 2];
            for k in 1..=4 {
                gained = self::gained(&mut simulation, 0.5 * f64::from(k));
                highest = highest.max(simulation.state().placements[1].center.z);
            }
            let told = format!("{degrees} degrees, {stiffness} N/m3: {gained:?}, {highest} m");
            assert!(gained.iter().all(|g| *g < 1e-2), "{told}");
            assert!(highest < begun + 1e-3, "{told}");
        }
    }
}

#[test]
fn a_block_that_rocks_on_stiff_springs_rocks_as_a_rigid_one() {
    let swing = |settings: SimulationSettings| {
        let mut simulation = with(&tilted(8.0), "", settings);
        let mut least = f64::INFINITY;
        run(&mut simulation, 1.0, |s| {
            let q = s.state().placements[1].rotation;
            least = least.min((q * DVec3::Z).x.atan2((q * DVec3::Z).z));
        });
        least.to_degrees()
    };
    let rigid = swing(SimulationSettings::default());
    let stiff = swing(yielding(1e11, 1e-3));
    assert!((stiff / rigid - 1.0).abs() < 1e-2, "{stiff} {rigid}");
}

#[test]
fn stones_that_tumble_on_springs_gain_nothing() {
    for seed in 0..3 {
        let model = stones(seed);
        for stiffness in [1e8, 1e9, 1e10, 1e12] {
            let mut simulation = with(&model, "", yielding(stiffness, 1e-3));
            let gained = gained(&mut simulation, 1.2);
            assert!(
                gained.iter().all(|g| *g < 1e-2),
                "seed {seed}, {stiffness} N/m3: {gained:?}"
            );
        }
    }
}

/// Mortar, or what rounding leaves, is no compression: springs across it begin without a force, and settle by the weight.
#[test]
fn springs_across_mortar_are_compressed_by_the_weight_alone() {
    for mortar in [1e-5, 1e-4, 3e-3, 1e-2] {
        for (stiffness, start) in [
            (1e8, Start::Compressed),
            (1e10, Start::Compressed),
            (1e10, Start::Uncompressed),
        ] {
            let mut model = Model::named("mortar");
            let center = dvec3(0.0, 0.0, 0.1 + mortar);
            model.blocks = vec![floor(), cuboid("slab", dvec3(1.0, 1.0, 0.2), center, DQuat::IDENTITY)];
            model.blocks[1].density = Some(2000.0);
            model.joint_search = Some(JointSearch {
                distance: 1.5 * mortar,
                angle_deg: JointSearch::DEFAULT_ANGLE_DEG,
                precision: 0.0,
                source: None,
            });
            let settings = SimulationSettings {
                start,
                ..yielding(stiffness, 1e-3)
            };
            let mut simulation = with(&model, "", settings);
            let mut fastest = 0.0_f64;
            run(&mut simulation, 0.3, |s| fastest = fastest.max(s.max_speed()));
            let settlement = simulation.structure().center[1].z - simulation.state().placements[1].center.z;
            let exact = 2000.0 * 9.81 * 0.2 / stiffness;
            let told = format!("{mortar} m, {stiffness} N/m3, {start:?}: {settlement} m, {exact} m, {fastest} m/s");
            assert!((settlement / exact - 1.0).abs() < 1e-2, "{told}");
            // No faster than what is let go on a spring: g over its angular frequency.
            let swing = 9.81 / (stiffness / (2000.0 * 0.2)).sqrt();
            assert!(fastest < 1.1 * swing, "{told}");
        }
    }
}

/// The gap of a joint is computed twice, by its survey and as blocks move: the two differ in their last digits.
#[test]
fn joints_across_mortar_are_kept_on_any_slope() {
    for degrees in 1..=40 {
        let slope = DQuat::from_rotation_y(f64::from(degrees).to_radians());
        let mut model = Model::named("slope");
        let ground = cuboid("ground", dvec3(20.0, 4.0, 1.0), DVec3::ZERO, slope).fixed();
        let slab = cuboid("slab", dvec3(1.0, 1.0, 0.2), slope * dvec3(0.0, 0.0, 0.61), slope);
        model.blocks = vec![ground, slab];
        model.joints = Joints::uniform(1.0);
        model.joint_search = Some(JointSearch {
            distance: 0.015,
            angle_deg: JointSearch::DEFAULT_ANGLE_DEG,
            precision: 0.0,
            source: None,
        });
        let mut simulation = with(&model, "", SimulationSettings::default());
        assert!(simulation.rest_gaps().lost.is_empty(), "{degrees} degrees");
        run(&mut simulation, 0.05, |_| ());
        let moved = simulation.state().placements[1].center - simulation.structure().center[1];
        assert!(moved.length() < 1e-6, "{degrees} degrees: {moved}");
    }
}

#[test]
fn what_nothing_acts_on_is_in_equilibrium() {
    let mut model = built("stack", &[("blocks", "3"), ("offset", "0")]);
    model.gravity = DVec3::ZERO;
    let mut simulation = with(&model, "", yielding(1e8, 1e-3));
    assert!(simulation.not_compressed().is_empty());
    run(&mut simulation, 0.05, |_| ());
    assert_eq!(simulation.max_speed(), 0.0);
}
