//! Blocks that deform in time steps: waves, impacts, weight, energy.

use drystone_cone::Twist;
use drystone_mechanics::dynamics::{Simulation, SimulationSettings, Start, TimeStep};
use drystone_model::{Block, DeformableGroup, Elasticity, Model, Shape, motion::Supports};
use glam::{DVec3, dvec3};

const STONE: f64 = 60e9;

/// Blocks on a rigid ground whose top is at z = 0, with friction `mu`, all deformable with this mesh.
fn model(blocks: &[(DVec3, DVec3)], mesh: &str, (young, poisson, mu): (f64, f64, f64)) -> Model {
    let mut model = Model::named("deformable");
    model.density = 2700.0;
    model.joints.set_friction(mu);
    model
        .blocks
        .push(Block::new("ground", Shape::cuboid(dvec3(-5.0, -5.0, -1.0), dvec3(5.0, 5.0, 0.0))).fixed());
    for (k, (low, high)) in blocks.iter().enumerate() {
        model
            .blocks
            .push(Block::new(format!("b{k}"), Shape::cuboid(*low, *high)));
    }
    model.elasticity = Some(Elasticity {
        young_pa: young,
        poisson,
        rayleigh_mass_per_s: None,
        rayleigh_stiffness_s: None,
    });
    model.deformable = vec![format!("all:{mesh}").parse::<DeformableGroup>().unwrap()];
    model
}

fn simulation(model: &Model, dt: f64, theta: f64) -> Simulation {
    let settings = SimulationSettings {
        time_step: TimeStep::Fixed(dt),
        theta,
        start: Start::Uncompressed,
        tolerance: Some(1e-6),
        ..SimulationSettings::default()
    };
    Simulation::new(model, settings, Supports::default(), &[]).unwrap()
}

/// An elastic bar that hits a wall leaves it when its wave has run to the free end and back, with the speed that it came with.
#[test]
fn a_bar_stays_at_a_wall_for_twice_its_length_over_the_speed_of_sound() {
    let (length, side) = (1.0, 0.1);
    let mut m = model(
        &[(dvec3(-side, -side, 0.0), dvec3(side, side, length))],
        "H8x1x1x40",
        (STONE, 0.0, 0.0),
    );
    m.gravity = DVec3::ZERO;
    let c = (STONE / 2700.0_f64).sqrt();
    let dt = length / c / 160.0;
    for theta in [0.5, 1.0] {
        let mut s = simulation(&m, dt, theta);
        let v = 0.1;
        s.set_velocity(
            1,
            Twist {
                linear: -v * DVec3::Z,
                angular: DVec3::ZERO,
            },
        );
        let (mut begins, mut ends) = (None, 0.0);
        for _ in 0..480 {
            s.step().unwrap();
            let force: f64 = s.contact_forces().map(|f| f.force.z).sum();
            if force > 1e-3 * STONE * 4.0 * side * side * v / c {
                begins.get_or_insert(s.state().time - dt);
                ends = s.state().time;
            }
        }
        let duration = ends - begins.unwrap();
        let exact = 2.0 * length / c;
        let rebound = s.state().velocities[1].linear.z / v;
        println!(
            "theta {theta}: duration {:.4} of 2L/c, rebound {rebound:.4}, energy {:.2e}",
            duration / exact,
            s.state().energies.balance_error()
        );
    }
}

#[test]
fn a_block_on_a_smooth_plane_presses_evenly() {
    let m = model(
        &[(dvec3(-0.5, -0.3, 0.0), dvec3(0.5, 0.3, 0.8))],
        "H8x4x4x4",
        (STONE, 0.27, 0.0),
    );
    let mut s = simulation(&m, 2e-3, 1.0);
    for _ in 0..20 {
        s.step().unwrap();
        s.cancel_velocities();
        println!("{:?} {:?}", s.last_step().iterations, s.last_step().residual);
    }
    let weight = 2700.0 * 9.81 * 0.6 * 0.8;
    for f in s.contact_forces() {
        println!("{} {:.5}", f.point, f.force.z / weight);
    }
    let total: f64 = s.contact_forces().map(|f| f.force.z).sum();
    println!("{}", total / weight);
}

#[test]
fn a_tumbling_block_that_swings_keeps_its_energy() {
    let mut m = model(
        &[(dvec3(-0.5, -0.2, 1.0), dvec3(0.5, 0.2, 1.3))],
        "H8x4x2x2",
        (STONE, 0.27, 0.5),
    );
    m.gravity = DVec3::ZERO;
    let mut s = simulation(&m, 2e-5, 0.5);
    s.set_velocity(
        1,
        Twist {
            linear: DVec3::X,
            angular: dvec3(1.0, 2.0, -0.5),
        },
    );
    for k in 0..200 {
        s.step().unwrap();
        if k % 20 == 0 {
            println!("{:?}", s.state().energies);
        }
    }
}

/// The wall of `reference/wall_penalty.py`: three courses of blocks of 0.5 x 0.3 x 0.25 m with half blocks at the ends of the second.
fn small_wall(mesh: &str, friction: f64) -> Model {
    let [l, d, h] = [0.5, 0.3, 0.25];
    let x = [
        &[0.0, l, 2.0 * l][..],
        &[0.0, 0.5 * l, 1.5 * l, 2.0 * l],
        &[0.0, l, 2.0 * l],
    ];
    let mut blocks = Vec::new();
    for (course, ends) in x.iter().enumerate() {
        let z = h * course as f64;
        blocks.extend(ends.windows(2).map(|e| (dvec3(e[0], 0.0, z), dvec3(e[1], d, z + h))));
    }
    let mut model = model(&blocks, mesh, (STONE, 0.27, friction));
    for half in [3, 5] {
        let name = format!("b{}", half - 1);
        let spec: Vec<usize> = mesh[2..].split('x').filter_map(|n| n.parse().ok()).collect();
        let half = format!("{name}:H8x{}x{}x{}", spec[0] / 2, spec[1], spec[2]);
        model.deformable.push(half.parse().unwrap());
    }
    model
}

#[test]
fn a_wall_at_rest() {
    let m = small_wall("H8x2x2x2", 0.5);
    let start = std::time::Instant::now();
    let structure = drystone_mechanics::Structure::new(&m).unwrap();
    let stages: drystone_model::Stages =
        serde_json::from_str(r#"{"stages":[{"name":"g","gravity":1.0,"steps":2}]}"#).unwrap();
    let mut path = drystone_mechanics::slow::Path::new(&m, structure, &stages, Default::default()).unwrap();
    let end = path.follow(|_| ()).unwrap();
    println!("{:?} {end:?} {:?}", start.elapsed(), path.points());
    let s = path.simulation();
    let mut sums = std::collections::BTreeMap::new();
    for f in s.contact_forces() {
        *sums.entry(f.blocks).or_insert(DVec3::ZERO) += f.force;
    }
    println!("{sums:#?}");
    let elastic = &s.structure().elastic;
    for (k, deformed) in s.state().deformed().iter().enumerate() {
        let shape = &elastic.shape(k).elastic;
        let stress = shape.element_stress(&deformed.displacement);
        let drystone_mechanics::deformable::Elements::H8(all) = &shape.mesh().elements else {
            panic!()
        };
        let mut half = [(0.0, 0); 2];
        for (element, stress) in all.iter().zip(stress) {
            let x: f64 = element.iter().map(|&n| shape.mesh().nodes[n as usize].x).sum();
            let side = usize::from(x > 0.0);
            half[side] = (half[side].0 + stress[2], half[side].1 + 1);
        }
        println!("{k}: {:?}", half.map(|(s, n)| s / f64::from(n) / 1e3));
    }
}
