//! Blocks that deform: waves, weight, energy, equilibria. Expected values are closed forms, or come from the finite element codes
//! in `reference/` beside this folder and in `crates/validation/peers`.

use std::collections::BTreeMap;

use drystone_cone::Twist;
use drystone_mechanics::{
    Structure,
    deformable::Elements,
    dynamics::{ContactForce, Deformed, Simulation, SimulationSettings, Start, State, TimeStep},
    slow::{Path, PathEnd, PathSettings},
    statics::{Loads, Solvers, Verdict, check_elastic},
};
use drystone_model::{
    Block, DeformableGroup, Elasticity, GroupJoint, JointLaw, LoadCase, Model, PointForce, Shape, Stages,
    motion::Supports,
};
use glam::{DVec3, dvec3};

const STONE: f64 = 60e9;
const DENSITY: f64 = 2700.0;
const G: f64 = 9.81;

/// Blocks on a rigid ground whose top is at z = 0, with friction `mu`, all deformable with this mesh.
fn model(blocks: &[(DVec3, DVec3)], mesh: &str, (young, poisson, mu): (f64, f64, f64)) -> Model {
    let mut model = Model::named("deformable");
    model.density = DENSITY;
    model.joints.set_friction(mu);
    let ground = Shape::cuboid(dvec3(-5.0, -5.0, -1.0), dvec3(5.0, 5.0, 0.0));
    model.blocks.push(Block::new("ground", ground).fixed());
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

fn stepped(dt: f64, theta: f64) -> SimulationSettings {
    SimulationSettings {
        time_step: TimeStep::Fixed(dt),
        theta,
        start: Start::Uncompressed,
        tolerance: Some(1e-6),
        ..SimulationSettings::default()
    }
}

fn simulation(model: &Model, settings: SimulationSettings) -> Simulation {
    Simulation::new(model, settings, Supports::default(), &[]).unwrap()
}

fn at_rest(model: &Model) -> Simulation {
    let simulation = simulation(model, SimulationSettings::default());
    assert_eq!(simulation.not_compressed(), [0_usize; 0]);
    simulation
}

fn moving(linear: DVec3, angular: DVec3) -> Twist {
    Twist { linear, angular }
}

fn vertical(simulation: &Simulation) -> f64 {
    simulation.contact_forces().map(|f| f.force.z).sum()
}

/// An elastic bar that hits a wall leaves it when its wave has run to the free end and back, with nearly all of its speed.
#[test]
fn a_bar_stays_at_a_wall_for_twice_its_length_over_the_speed_of_sound() {
    let (length, side, v) = (1.0, 0.1, 0.1);
    let corners = (dvec3(-side, -side, 0.0), dvec3(side, side, length));
    let mut m = model(&[corners], "H8x1x1x40", (STONE, 0.0, 0.0));
    m.gravity = DVec3::ZERO;
    let c = (STONE / DENSITY).sqrt();
    let dt = length / c / 160.0;
    // What the wave presses with: v times the impedance.
    let pressed = 4.0 * side * side * DENSITY * c * v;
    for (theta, kept) in [(0.5, 0.97), (1.0, 0.90)] {
        let mut s = simulation(&m, stepped(dt, theta));
        s.set_velocity(1, moving(-v * DVec3::Z, DVec3::ZERO));
        let (mut begins, mut ends, mut mean) = (None, 0.0, Vec::new());
        for _ in 0..480 {
            s.step().unwrap();
            let force = vertical(&s);
            if force > 1e-2 * pressed {
                begins.get_or_insert(s.state().time - dt);
                ends = s.state().time;
                mean.push(force);
            }
        }
        let exact = 2.0 * length / c;
        let duration = ends - begins.unwrap();
        assert!(
            (duration / exact - 1.0).abs() < 0.02,
            "theta {theta}: {}",
            duration / exact
        );
        let rebound = s.state().velocities[1].linear.z / v;
        assert!(rebound > kept && rebound < 1.0, "theta {theta}: {rebound}");
        mean.sort_by(f64::total_cmp);
        let usual = mean[mean.len() / 2] / pressed;
        assert!((usual - 1.0).abs() < 0.03, "theta {theta}: {usual}");
        assert!(s.state().energies.balance_error() < 1e-9);
    }
}

/// With Poisson's ratio zero the column is in uniaxial stress: `rho g` times what stands above, whatever the mesh.
#[test]
fn a_block_on_a_plane_presses_evenly_and_shortens_by_its_weight() {
    for scale in [1e-3, 1.0, 100.0] {
        let [b, d, h] = [1.0, 0.6, 0.8].map(|x| scale * x);
        let m = model(&[(dvec3(0.0, 0.0, 0.0), dvec3(b, d, h))], "H8x4x3x4", (STONE, 0.0, 0.4));
        let mut m = m;
        m.blocks[0].shape = Shape::cuboid(
            5.0 * scale * dvec3(-1.0, -1.0, -1.0),
            5.0 * scale * dvec3(1.0, 1.0, 0.0),
        );
        let s = at_rest(&m);
        let pressure = DENSITY * G * h;
        let forces: Vec<ContactForce> = s.contact_forces().collect();
        assert_eq!(forces.len(), 20);
        for f in &forces {
            let sides = [f.point.x / b, f.point.y / d].map(|x: f64| if (0.01..=0.99).contains(&x) { 1.0 } else { 0.5 });
            let area = b * d / 12.0 * sides[0] * sides[1];
            assert!(
                (f.force.z / area / pressure - 1.0).abs() < 1e-2,
                "{} {}",
                f.point,
                f.force
            );
        }
        let shape = &s.structure().elastic.shape(0).elastic;
        let deformed = &s.state().deformed()[0];
        let Elements::H8(elements) = &shape.mesh().elements else {
            panic!("hexahedra")
        };
        for (element, stress) in elements.iter().zip(shape.element_stress(&deformed.displacement)) {
            let at = element.iter().map(|&n| shape.mesh().nodes[n as usize]).sum::<DVec3>() / 8.0;
            let above = 0.5 * h - at.z;
            assert!(
                (stress[2] + DENSITY * G * above).abs() < 1e-3 * pressure,
                "{at} {stress:?}"
            );
            assert!([0, 1, 3, 4, 5].iter().all(|&k| stress[k].abs() < 1e-3 * pressure));
        }
        // Top and base come nearer by rho g h^2 / 2E.
        let mean = |top: f64| {
            let on = |(x, _): &(&DVec3, &DVec3)| (x.z - top).abs() < 1e-9 * h;
            let all: Vec<f64> = shape
                .mesh()
                .nodes
                .iter()
                .zip(&deformed.displacement)
                .filter(on)
                .map(|(_, u)| u.z)
                .collect();
            all.iter().sum::<f64>() / all.len() as f64
        };
        let shorter = mean(-0.5 * h) - mean(0.5 * h);
        let exact = pressure * h / (2.0 * STONE);
        assert!((shorter / exact - 1.0).abs() < 1e-3, "{scale}: {shorter} {exact}");
    }
}

/// Midpoint steps without damping keep the energy of a free block that tumbles and swings.
#[test]
fn a_tumbling_block_that_swings_keeps_its_energy() {
    let mut m = model(
        &[(dvec3(-0.5, -0.2, 1.0), dvec3(0.5, 0.2, 1.3))],
        "H8x4x2x2",
        (STONE, 0.27, 0.5),
    );
    m.gravity = DVec3::ZERO;
    let dt = 1e-6;
    let mut s = simulation(&m, stepped(dt, 0.5));
    s.set_velocity(1, moving(DVec3::X, dvec3(1.0, 2.0, -0.5)));
    let nodes = &s.structure().elastic.shape(0).elastic.mesh().nodes;
    // Bending: the ends go up while the middle goes down, by some tenths of a metre a second.
    let velocity = nodes.iter().map(|x| dvec3(0.0, 0.0, 8.0 * x.x * x.x)).collect();
    let swinging = Deformed {
        displacement: vec![DVec3::ZERO; nodes.len()],
        velocity,
    };
    assert!(s.set_deformed(1, &swinging));
    assert!(!s.set_deformed(0, &swinging));
    let start = s.state().energies.total();
    let swing = s.state().energies.deformation;
    assert!(swing > 0.1 * start, "{swing} {start}");
    let (mut strained, mut worst) = (0.0_f64, 0.0_f64);
    // Some ten periods of the lowest mode.
    for _ in 0..8000 {
        s.step().unwrap();
        let shape = &s.structure().elastic.shape(0).elastic;
        strained = strained.max(shape.strain_energy(&s.state().deformed()[0].displacement));
        worst = worst.max((s.state().energies.total() / start - 1.0).abs());
    }
    assert!(strained > 0.5 * swing);
    assert!(worst < 1e-6, "{worst:e}");
}

/// The wall of `crates/validation/peers/wall_penalty.py`: three courses of blocks of 0.5 x 0.3 x 0.25 m with half blocks at the ends of the second.
fn small_wall(n: usize, young: f64) -> Model {
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
    let mut model = model(&blocks, &format!("H8x{n}x{n}x{n}"), (young, 0.27, 0.5));
    for half in ["b2", "b4"] {
        let spec = format!("{half}:H8x{}x{n}x{n}", n / 2);
        model.deformable.push(spec.parse().unwrap());
    }
    // The ground is rougher.
    model.blocks[0].group = Some("ground".into());
    for block in &mut model.blocks[1..] {
        block.group = Some("wall".into());
    }
    let rough = GroupJoint::between(["ground", "wall"], JointLaw::dry(1.0));
    model.joints.groups.push(rough);
    model
}

/// Follows a model under weight and load cases.
fn settled(model: &Model, stages: &str) -> Path {
    let stages: Stages = serde_json::from_str(stages).unwrap();
    let structure = Structure::new(model).unwrap();
    let mut path = Path::new(model, structure, &stages, PathSettings::default()).unwrap();
    assert_eq!(path.follow(|_| ()).unwrap(), PathEnd::Completed);
    path
}

/// Vertical stress averaged over the left and the right half of each block (kPa).
fn halves(structure: &Structure, state: &State) -> Vec<[f64; 2]> {
    let one = |(k, deformed): (usize, &Deformed)| {
        let shape = &structure.elastic.shape(k).elastic;
        let Elements::H8(all) = &shape.mesh().elements else {
            panic!("hexahedra")
        };
        let mut sums = [[0.0; 2]; 2];
        for (element, stress) in all.iter().zip(shape.element_stress(&deformed.displacement)) {
            let x: f64 = element.iter().map(|&n| shape.mesh().nodes[n as usize].x).sum();
            let side = &mut sums[usize::from(x > 1e-9)];
            *side = [side[0] + stress[2], side[1] + 1.0];
        }
        sums.map(|[sum, count]| 1e-3 * sum / count)
    };
    state.deformed().iter().enumerate().map(one).collect()
}

fn resultants(simulation: &Simulation) -> BTreeMap<[u32; 2], DVec3> {
    let mut sums = BTreeMap::new();
    for f in simulation.contact_forces() {
        *sums.entry(f.blocks).or_insert(DVec3::ZERO) += f.force;
    }
    sums
}

/// Stresses and resultants of a wall under its weight and under a load, beside those of `crates/validation/peers/wall_penalty.py` with the same
/// elements (penalty contact, 1,000 times as stiff as the blocks).
#[test]
fn a_wall_bears_as_in_an_independent_finite_element_code() {
    let mut m = small_wall(2, STONE);
    let spread = |x: f64, force: f64| PointForce {
        block: if x < 0.5 { "b5" } else { "b6" }.into(),
        force: dvec3(0.0, 0.0, -force),
        at: Some(dvec3(x, 0.15, 0.75)),
    };
    // 100 kN on the middle half of the top, as its nodes share an even pressure: along x 1/4 of a block at each end of it.
    let mut patch = LoadCase::default();
    for (x, share) in [(0.25, 0.25), (0.499_999, 0.25), (0.500_001, 0.25), (0.75, 0.25)] {
        for (y, part) in [(0.0, 0.25), (0.15, 0.5), (0.3, 0.25)] {
            patch.forces.push(PointForce {
                at: Some(dvec3(x, y, 0.75)),
                ..spread(x, 100e3 * share * part)
            });
        }
    }
    m.load_cases.insert("patch".into(), patch);
    let path = settled(&m, r#"{"stages":[{"name":"weight","gravity":1,"steps":4}]}"#);
    let near = |found: f64, expected: f64, within: f64, what: &str| {
        assert!(
            (found - expected).abs() <= within * expected.abs(),
            "{what}: {found} {expected}"
        );
    };
    let stress = halves(path.simulation().structure(), path.simulation().state());
    for (block, expected) in [
        (0, [-16.656, -16.453]),
        (1, [-16.453, -16.656]),
        (3, [-10.090, -10.090]),
        (5, [-3.317, -3.305]),
        (6, [-3.305, -3.317]),
    ] {
        for side in 0..2 {
            near(stress[block][side], expected[side], 5e-3, "weight");
        }
    }
    near(stress[2][0], -9.775, 5e-3, "half block");
    let sums = resultants(path.simulation());
    for (pair, expected) in [
        ([0, 1], 2979.8),
        ([1, 3], 980.0),
        ([1, 4], 1006.5),
        ([3, 6], 486.1),
        ([4, 6], 507.2),
    ] {
        near(sums[&pair].z, expected, 1e-2, "weight on a joint");
    }
    let path = settled(
        &m,
        r#"{"stages":[{"name":"weight","gravity":1,"steps":2},{"name":"load","loads":{"patch":1},"steps":4}]}"#,
    );
    let stress = halves(path.simulation().structure(), path.simulation().state());
    for (block, expected) in [
        (0, [-319.85, -379.92]),
        (3, [-452.80, -452.80]),
        (5, [-123.97, -549.32]),
    ] {
        for side in 0..2 {
            near(stress[block][side], expected[side], 0.05, "load");
        }
    }
    let sums = resultants(path.simulation());
    for (pair, expected) in [([0, 1], 52979.8), ([1, 3], 17778.0), ([1, 4], 34208.0)] {
        near(sums[&pair].z, expected, 0.03, "load on a joint");
    }
}

/// Hard blocks stand like rigid ones: a wall pushed to the side rocks the same way, the nearer the harder.
#[test]
fn hard_blocks_move_like_rigid_ones() {
    let moved = |young: Option<f64>| {
        let mut m = small_wall(2, young.unwrap_or(STONE));
        m.gravity = dvec3(0.9 * G, 0.0, -G);
        if young.is_none() {
            m.deformable.clear();
        }
        let mut s = simulation(&m, stepped(1e-3, 1.0));
        for _ in 0..60 {
            s.step().unwrap();
        }
        let state = s.state();
        (1..state.placements.len())
            .map(|b| state.placements[b].center - s.structure().center[b])
            .collect::<Vec<DVec3>>()
    };
    let rigid = moved(None);
    let farthest = rigid.iter().map(|d| d.length()).fold(0.0, f64::max);
    assert!(farthest > 1e-3, "{farthest}");
    let off = |young: f64| {
        let soft = moved(Some(young));
        rigid.iter().zip(&soft).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max) / farthest
    };
    let [soft, hard, harder] = [1e8, 1e10, 1e12].map(off);
    println!("{soft:e} {hard:e} {harder:e}");
    assert!(soft > hard && harder < 0.01, "{soft:e} {hard:e} {harder:e}");
}

/// The forces of an elastic equilibrium balance the loads at the corners of the joints, and what cannot stand has none.
#[test]
fn an_elastic_equilibrium_is_one_of_rigid_blocks_too() {
    let m = small_wall(2, STONE);
    let asked = |m: &Model| {
        let structure = Structure::new(m).unwrap();
        let loads = Loads::body_force(&structure, m.gravity);
        check_elastic(m, &structure, (m.gravity, &[], &loads), &mut Solvers::default()).unwrap()
    };
    let (check, elastic) = asked(&m);
    assert_eq!(check.verdict, Verdict::Stable);
    assert!(
        check.unbalanced().unwrap() < 1e-4 && check.cone_margin().unwrap() > -1e-6,
        "{check:?}"
    );
    assert!(elastic.is_some());
    let mut tipping = m.clone();
    tipping.gravity = dvec3(0.0, 2.0 * G, -G);
    let (check, elastic) = asked(&tipping);
    assert_eq!(check.verdict, Verdict::Unstable, "{}", check.reason);
    assert!(elastic.is_none());
}

#[test]
fn one_thread_and_three_give_the_same_bits_and_a_resumed_run_goes_on_with_them() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut m = small_wall(2, 1e9);
            m.gravity = dvec3(0.3 * G, 0.0, -G);
            let settings = SimulationSettings {
                checkpoint_steps: 10,
                ..stepped(5e-4, 1.0)
            };
            let mut s = simulation(&m, settings);
            let mut kept = None;
            for k in 0..30 {
                s.step().unwrap();
                if k == 19 {
                    kept = Some(s.state().to_bytes().unwrap());
                }
            }
            let mut other = simulation(&m, settings);
            other.resume(State::from_bytes(&kept.unwrap()).unwrap()).unwrap();
            for _ in 20..30 {
                other.step().unwrap();
            }
            assert_eq!(other.state().deformed(), s.state().deformed());
            assert_eq!(other.state().placements, s.state().placements);
            s.state().to_bytes().unwrap()
        })
    };
    assert!(run(1) == run(3));
}

/// What two quadratic tetrahedra press on each other by, their nodes within the faces included: the column settles as a bar does.
#[test]
fn tetrahedra_stand_on_all_nodes_of_their_faces() {
    for (mesh, within) in [("T10", 0.02), ("T10x2", 0.01)] {
        let h = 2.0;
        let m = model(&[(DVec3::ZERO, dvec3(1.0, 1.0, h))], mesh, (STONE, 0.0, 0.5));
        let s = at_rest(&m);
        let energy = s.state().energies.deformation;
        // Half the integral of (rho g (h - z))^2 / E over the column.
        let exact = (DENSITY * G).powi(2) * h.powi(3) / (6.0 * STONE);
        assert!((energy / exact - 1.0).abs() < within, "{mesh}: {}", energy / exact);
        let shape = s.structure().elastic.shape(0);
        let (now, nodes) = (s.state().placements[1].center, &shape.elastic.mesh().nodes);
        for (node, u) in nodes.iter().zip(&s.state().deformed()[0].displacement) {
            let depth = -(now + *node + *u).z;
            assert!(
                depth < 1e-3 * DENSITY * G * h * h / (2.0 * STONE),
                "{mesh}: {node} is {depth} deep"
            );
        }
    }
}

fn elastic_verdict(m: &Model) -> Verdict {
    let structure = Structure::new(m).unwrap();
    let loads = Loads::body_force(&structure, m.gravity);
    let (check, found) = check_elastic(m, &structure, (m.gravity, &[], &loads), &mut Solvers::default()).unwrap();
    assert_eq!(found.is_some(), check.verdict == Verdict::Stable);
    check.verdict
}

/// Proximal steps know nothing of the way: a block that would come to rest elsewhere does not stand, and a run does not begin there.
#[test]
fn what_comes_to_rest_elsewhere_does_not_stand() {
    for young in [1e9, 1e11] {
        // On a pedestal, with its centre beyond the edge, one metre above the ground.
        let mut m = model(&[(dvec3(0.0, 0.0, 1.0), dvec3(3.0, 0.5, 1.5))], "H8", (young, 0.2, 0.6));
        let pedestal = Shape::cuboid(dvec3(0.0, 0.0, 0.0), dvec3(0.5, 0.5, 1.0));
        m.blocks.push(Block::new("pedestal", pedestal).fixed());
        assert_eq!(elastic_verdict(&m), Verdict::Unstable);
        let above = model(
            &[(dvec3(0.0, 0.0, 0.05), dvec3(0.5, 0.5, 0.55))],
            "H8",
            (young, 0.2, 0.6),
        );
        assert_ne!(elastic_verdict(&above), Verdict::Stable);
        let mut s = simulation(&above, SimulationSettings::default());
        assert_eq!(s.not_compressed(), [1]);
        for _ in 0..50 {
            s.step().unwrap();
        }
        let speed = -s.state().velocities[1].linear.z;
        assert!((speed - 0.05 * G).abs() < 1e-9, "{speed}");
    }
}

/// A load acts where the model says, in a check as on a path: a force at the edge of the top bends the column.
#[test]
fn a_check_bends_a_column_under_an_eccentric_load() {
    let (b, h, force, e) = (0.4, 1.6, 1e6, 0.05);
    let mut m = model(&[(DVec3::ZERO, dvec3(b, b, h))], "H8x4x2x8", (STONE, 0.0, 0.8));
    m.gravity = DVec3::ZERO;
    let push = PointForce {
        block: "b0".into(),
        force: dvec3(0.0, 0.0, -force),
        at: Some(dvec3(0.5 * b + e, 0.5 * b, h)),
    };
    m.load_cases.insert(
        "push".into(),
        LoadCase {
            forces: vec![push],
            ..LoadCase::default()
        },
    );
    let structure = Structure::new(&m).unwrap();
    let loads = Loads::case(&m, &structure, "push").unwrap();
    let cases = [("push".to_string(), 1.0)];
    let (check, found) = check_elastic(&m, &structure, (m.gravity, &cases, &loads), &mut Solvers::default()).unwrap();
    assert_eq!(check.verdict, Verdict::Stable, "{}", check.reason);
    let shape = &structure.elastic.shape(0).elastic;
    let stress = shape.gauss_stress(&found.unwrap().deformed[0].displacement);
    // Half-way up, away from both ends.
    for (at, stress) in stress.iter().filter(|(at, _)| at.z.abs() < 0.15 * h) {
        let exact = -force / (b * b) * (1.0 + 12.0 * e * at.x / (b * b));
        assert!(
            (stress[2] - exact).abs() < 0.03 * force / (b * b),
            "{at}: {} {exact}",
            stress[2]
        );
    }
}

/// A bond has a point at every node of a joint: a beam glued to a wall cracks where the beam theory says, and not at the strength of
/// its corners.
#[test]
fn a_bonded_cantilever_cracks_at_the_strength_of_its_edge() {
    let cantilever = |tension_pa: f64| {
        let mut m = model(
            &[(dvec3(0.0, 0.0, 1.0), dvec3(1.0, 0.5, 1.5))],
            "H8x6x2x6",
            (STONE, 0.0, 0.6),
        );
        m.blocks[0].shape = Shape::cuboid(dvec3(-1.0, -1.0, 0.0), dvec3(0.0, 2.0, 3.0));
        let bond = serde_json::json!({"tension_pa": tension_pa, "cohesion_pa": 1e8});
        m.joints.bond = Some(serde_json::from_value(bond).unwrap());
        let stages: Stages = serde_json::from_str(r#"{"stages":[{"name":"weight","gravity":1,"steps":2}]}"#).unwrap();
        let mut path = Path::new(&m, Structure::new(&m).unwrap(), &stages, PathSettings::default()).unwrap();
        let end = path.follow(|_| ()).unwrap();
        let [points, intact] = path.simulation().bonds();
        assert_eq!(points, 3 * 7);
        (end == PathEnd::Completed, intact == points)
    };
    // rho g l^2 / 2 over h / 6: the stress at the edge of the root is 3 rho g l^2 / h = 159 kPa for a depth of 0.5 m.
    let edge = 3.0 * DENSITY * G / 0.5;
    assert_eq!(cantilever(1.1 * edge), (true, true));
    // What the first crack sheds, the next point cannot bear: it runs through, and there is no equilibrium to go on to. Springs at
    // the corners of a rigid block would hold at a third of the strength.
    let (stands, _) = cantilever(0.8 * edge);
    assert!(!stands);
}

/// A soft drum of 32 facets flattens under its weight: those beside the lowest come down to the ground, and are contacts.
#[test]
fn a_drum_flattens_towards_its_other_facets() {
    let corner = |k: usize| {
        let angle = std::f64::consts::TAU * (k as f64 + 0.5) / 32.0 - 0.5 * std::f64::consts::PI;
        glam::dvec2(angle.cos(), angle.sin())
    };
    let lowest = corner(0).y;
    let outline: Vec<glam::DVec2> = (0..32).map(|k| corner(k) - glam::dvec2(0.0, lowest)).collect();
    let mut m = model(&[(DVec3::ZERO, DVec3::ONE)], "T10", (2e6, 0.0, 0.3));
    m.blocks[1].shape = Shape::Prism(drystone_model::PrismShape {
        polygon: outline,
        axis: drystone_model::PrismAxis::Y,
        from: 0.0,
        to: 0.4,
    });
    let path = settled(&m, r#"{"stages":[{"name":"weight","gravity":1,"steps":10}]}"#);
    let s = path.simulation();
    let half = (std::f64::consts::PI / 32.0).sin();
    // Undeformed, the facet beside the lowest is 9.5 mm above the ground a quarter of its width from their edge.
    let beside: Vec<f64> = (s.contact_forces())
        .filter(|f| (1.4 * half..1.6 * half).contains(&f.point.x.abs()))
        .map(|f| f.gap)
        .collect();
    assert_eq!(beside.len(), 4);
    assert!(beside.iter().all(|gap| (0.0..3e-3).contains(gap)), "{beside:?}");
}
