//! Slow loading against closed forms.

use crate::common::{built, cuboid, push};
use drystone_mechanics::{
    Structure,
    slow::{Path, PathEnd, PathSettings, PathWay},
};
use drystone_model::{Bond, Control, JointLaw, JointStiffness, Joints, Model, Stage, StageTilt, Stages, SupportMove};
use glam::{DQuat, DVec3, dvec3};

const G: f64 = 9.81;
const STIFFNESS: JointStiffness = JointStiffness {
    normal: 1e9,
    tangential: 4e8,
};

fn stages(all: Vec<Stage>) -> Stages {
    Stages { stages: all }
}

fn weight(steps: u32) -> Stage {
    Stage {
        name: "weight".into(),
        steps: Some(steps),
        ..Stage::default()
    }
}

fn load(name: &str, factor: f64, steps: u32) -> Stage {
    Stage {
        name: name.into(),
        steps: Some(steps),
        loads: [(name.to_string(), factor)].into_iter().collect(),
        ..Stage::default()
    }
}

fn shift(blocks: &str, by: DVec3, steps: u32) -> Stage {
    Stage {
        name: "shift".into(),
        steps: Some(steps),
        moves: vec![SupportMove {
            blocks: vec![blocks.into()],
            by,
            ..SupportMove::default()
        }],
        ..Stage::default()
    }
}

fn path(model: &Model, all: Vec<Stage>, stiffness: Option<JointStiffness>) -> Path {
    path_by(PathWay::Equilibria, model, all, stiffness).unwrap()
}

fn path_by(
    way: PathWay,
    model: &Model,
    all: Vec<Stage>,
    stiffness: Option<JointStiffness>,
) -> Result<Path, drystone_mechanics::slow::PathError> {
    let settings = PathSettings { stiffness, way };
    Path::new(model, Structure::new(model).unwrap(), &stages(all), settings)
}

/// The fraction of its last stage that a path ends at.
fn last(path: &mut Path) -> f64 {
    match path.follow(|_| ()).unwrap() {
        PathEnd::Completed => 1.0,
        PathEnd::NoEquilibrium { between, .. } => {
            assert!(between[1] - between[0] < 1e-3);
            between[0]
        }
    }
}

/// A block of 2 x 1 x 0.5 m on the floor, at any scale.
fn on_floor(friction: f64, scale: f64) -> Model {
    let mut model = Model::named("block");
    model.density = 2000.0;
    model.joints = Joints::uniform(friction);
    model.blocks.push(
        cuboid(
            "floor",
            scale * dvec3(20.0, 20.0, 1.0),
            scale * dvec3(0.0, 0.0, -0.5),
            DQuat::IDENTITY,
        )
        .fixed(),
    );
    model.blocks.push(cuboid(
        "block",
        scale * dvec3(2.0, 1.0, 0.5),
        scale * dvec3(0.0, 0.0, 0.25),
        DQuat::IDENTITY,
    ));
    model
}

#[test]
fn a_block_sinks_into_its_joint_by_its_weight_over_the_stiffness() {
    for scale in [1e-3, 1.0, 100.0] {
        let model = on_floor(0.5, scale);
        let mut path = path(&model, vec![weight(4)], Some(STIFFNESS));
        assert_eq!(path.follow(|_| ()).unwrap(), PathEnd::Completed);
        assert_eq!(path.points().len(), 4);
        let sunk = -(path.simulation().state().placements[1].center.z - 0.25 * scale);
        let exact = 2000.0 * 0.5 * scale * G / STIFFNESS.normal;
        assert!((sunk / exact - 1.0).abs() < 1e-6, "{scale}: {sunk} {exact}");
    }
}

/// Pushed at its foot it slides at mu W, having moved by the elastic slip until then; pushed high it tips.
#[test]
fn a_block_that_is_pushed_slides_or_tips_at_its_limit() {
    let mass = 2000.0;
    for (height, friction) in [(0.0, 0.4), (0.5, 1.5)] {
        let mut model = on_floor(friction, 1.0);
        push(
            &mut model,
            "push",
            "block",
            dvec3(0.0, mass * G, 0.0),
            Some(dvec3(0.0, 0.0, height)),
        );
        let mut path = path(&model, vec![weight(2), load("push", 2.0, 20)], Some(STIFFNESS));
        let found = 2.0 * last(&mut path);
        let exact = if height == 0.0 { friction } else { 0.5 / height };
        assert!((found / exact - 1.0).abs() < 2e-3, "{height}: {found} {exact}");
        let before = &path.points()[4];
        if height == 0.0 {
            let slip = before.factors[0] * mass * G / (STIFFNESS.tangential * 2.0);
            assert!(
                (before.along_loads / slip - 1.0).abs() < 1e-3,
                "{} {slip}",
                before.along_loads
            );
        }
    }
}

/// Peak c A + mu_s N of an intact joint, exact.
#[test]
fn a_mortar_joint_under_precompression_shears_at_cohesion_plus_friction() {
    for precompression in [0.0, 3e4] {
        let mut model = on_floor(0.5, 1.0);
        model.joints = Joints::of(JointLaw {
            stiffness: Some(STIFFNESS),
            bond: Some(Bond {
                tension_pa: Some(1e4),
                cohesion_pa: Some(2e4),
                ..Bond::default()
            }),
            ..JointLaw::dry(0.5)
        });
        let normal = 2000.0 * G + precompression;
        let peak = 2e4 * 2.0 + 0.5 * normal;
        push(&mut model, "push", "block", dvec3(peak, 0.0, 0.0), Some(DVec3::ZERO));
        push(&mut model, "down", "block", dvec3(0.0, 0.0, -precompression), None);
        let mut path = path(
            &model,
            vec![weight(1), load("down", 1.0, 1), load("push", 1.5, 30)],
            None,
        );
        let found = 1.5 * last(&mut path);
        assert!((found - 1.0).abs() < 1e-3, "{found}");
    }
}

/// Hinges at crown and springings: the arch spreads until its thrust line can turn no more, far beyond any elastic motion.
#[test]
fn an_arch_on_spreading_supports_opens_three_hinges_and_stands() {
    let model = built("arch", &[("voussoirs", "11"), ("thickness", "1.5")]);
    let right = model.blocks.iter().rev().find(|b| b.fixed).unwrap().name.clone();
    let mut path = path(&model, vec![weight(2), shift(&right, dvec3(0.1, 0.0, 0.0), 20)], None);
    assert_eq!(path.follow(|_| ()).unwrap(), PathEnd::Completed);
    let simulation = path.simulation();
    let joints = &simulation.structure().joints;
    let placements = &simulation.state().placements;
    let open = |joint: &drystone_contact::Joint| {
        let [a, b] = joint.blocks;
        let moved = |b: usize, p: DVec3| placements[b].center + placements[b].rotation * (p - path.initial()[b].center);
        let apart = |p: &DVec3| (moved(b, *p) - moved(a, *p)).dot(joint.normal);
        joint.points.iter().map(apart).fold(0.0, f64::max) > 1e-4
    };
    assert_eq!(joints.iter().filter(|j| open(j)).count(), 3);
}

/// A tall block pushed at its top by a prescribed displacement: past its peak the force falls with the arm of the weight, through
/// zero where the block stands on its corner.
#[test]
fn a_block_that_rocks_is_followed_past_its_peak() {
    let mut model = Model::named("tall");
    model.density = 2000.0;
    model.joints = Joints::uniform(0.8);
    let floor = cuboid("floor", dvec3(20.0, 20.0, 1.0), dvec3(0.0, 0.0, -0.5), DQuat::IDENTITY);
    model.blocks.push(floor.fixed());
    let (half, high) = (0.5, 3.0);
    let size = dvec3(1.0, 2.0 * half, high);
    model
        .blocks
        .push(cuboid("block", size, dvec3(0.0, 0.0, 0.5 * high), DQuat::IDENTITY));
    let top = dvec3(0.0, 0.0, high);
    let weight_n = 2000.0 * 2.0 * half * high * G;
    push(&mut model, "push", "block", dvec3(0.0, weight_n, 0.0), Some(top));
    let rock = Stage {
        control: Some(Control {
            block: "block".into(),
            at: Some(top),
            direction: DVec3::Y,
            to_m: 1.1,
        }),
        ..load("push", 1.0, 22)
    };
    let mut path = path(&model, vec![weight(1), rock], None);
    assert_eq!(path.follow(|_| ()).unwrap(), PathEnd::Completed);
    let points = &path.points()[1..];
    for point in points {
        // The angle at which the top has come so far about the corner.
        let way = |turn: f64| -half * turn.cos() + high * turn.sin() + half;
        let (mut low, mut up) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + up);
            (low, up) = if way(middle) < point.along_loads {
                (middle, up)
            } else {
                (low, middle)
            };
        }
        let (sin, cos) = low.sin_cos();
        let exact = (half * cos - 0.5 * high * sin) / (half * sin + high * cos);
        let found = point.factors[0];
        assert!((found - exact).abs() < 1e-4, "{} m: {found} {exact}", point.along_loads);
    }
    assert!(points.last().unwrap().factors[0] < 0.0);
}

/// Elastic and perfectly plastic: a full cycle of amplitude a dissipates 4 mu N (a - mu N / k), the area of its loop.
#[test]
fn cyclic_shear_dissipates_the_area_of_its_loop() {
    let mut model = on_floor(0.5, 1.0);
    let normal = 2000.0 * G;
    push(&mut model, "push", "block", dvec3(normal, 0.0, 0.0), Some(DVec3::ZERO));
    let stiffness = JointStiffness {
        normal: 1e9,
        tangential: 1e7,
    };
    let (limit, slack) = (0.5 * normal, 0.5 * normal / (1e7 * 2.0));
    let amplitude = 3.0 * slack;
    let to = |by: f64| Stage {
        control: Some(Control {
            block: "block".into(),
            at: Some(DVec3::ZERO),
            direction: DVec3::X,
            to_m: by,
        }),
        ..load("push", 1.0, 12)
    };
    let stages = vec![weight(1), to(amplitude), to(-2.0 * amplitude), to(2.0 * amplitude)];
    let mut path = path(&model, stages, Some(stiffness));
    assert_eq!(path.follow(|_| ()).unwrap(), PathEnd::Completed);
    let cycle: Vec<[f64; 2]> = (path.points().iter().skip(12))
        .map(|p| [p.along_loads, p.factors[0] * normal])
        .collect();
    assert_eq!(cycle.len(), 25);
    let area: f64 = cycle
        .windows(2)
        .map(|w| 0.5 * (w[0][1] + w[1][1]) * (w[1][0] - w[0][0]))
        .sum();
    let exact = 4.0 * limit * (amplitude - slack);
    // Steps end at the corners of the loop.
    assert!((area / exact - 1.0).abs() < 1e-3, "{area} {exact}");
    let most = cycle.iter().map(|c| c[1].abs()).fold(0.0, f64::max);
    assert!((most / limit - 1.0).abs() < 1e-4, "{most} {limit}");
}

#[test]
fn a_block_on_a_slope_that_steepens_slides_at_its_angle_of_friction() {
    let model = on_floor(0.5, 1.0);
    let tilt = Stage {
        name: "tilt".into(),
        steps: Some(30),
        tilt: Some(StageTilt {
            axis: DVec3::X,
            angle_deg: 45.0,
        }),
        ..Stage::default()
    };
    let mut path = path(&model, vec![weight(1), tilt], Some(STIFFNESS));
    let found = 45.0 * last(&mut path);
    let exact = 0.5_f64.atan().to_degrees();
    assert!((found - exact).abs() < 0.05, "{found} {exact}");
}

/// Three blocks W high over one another in joints of k A: together the top sinks by (3 + 2 + 1) W / (k A), built one after
/// another by what its own weight adds in each joint, 3 W / (k A).
#[test]
fn a_stack_that_is_built_in_stages_sinks_by_what_comes_after() {
    let mut model = on_floor(0.5, 1.0);
    for k in 1..3 {
        let center = dvec3(0.0, 0.0, 0.25 + 0.5 * f64::from(k));
        model
            .blocks
            .push(cuboid(&format!("{k}"), dvec3(2.0, 1.0, 0.5), center, DQuat::IDENTITY));
    }
    let unit = 2000.0 * 0.5 * G / STIFFNESS.normal;
    let sunk = |stages: Vec<Stage>| {
        let mut path = path(&model, stages, Some(STIFFNESS));
        assert_eq!(path.follow(|_| ()).unwrap(), PathEnd::Completed);
        1.25 - path.simulation().state().placements[3].center.z
    };
    let build = |name: &str| Stage {
        name: name.into(),
        steps: Some(2),
        build: vec![name.into()],
        ..Stage::default()
    };
    let (together, after) = (sunk(vec![weight(2)]), sunk(vec![weight(2), build("1"), build("2")]));
    assert!((together / (6.0 * unit) - 1.0).abs() < 1e-6, "{together}");
    assert!((after / (3.0 * unit) - 1.0).abs() < 1e-6, "{after}");
}

#[test]
fn joints_that_shrink_let_a_stack_down_by_as_much() {
    let model = on_floor(0.5, 1.0);
    let shrink = Stage {
        name: "dries".into(),
        steps: Some(4),
        shrinkage_m: Some(2e-3),
        ..Stage::default()
    };
    let mut path = path(&model, vec![weight(2), shrink], Some(STIFFNESS));
    assert_eq!(path.follow(|_| ()).unwrap(), PathEnd::Completed);
    let sunk = 0.25 - path.simulation().state().placements[1].center.z;
    let exact = 2e-3 + 2000.0 * 0.5 * G / STIFFNESS.normal;
    assert!((sunk / exact - 1.0).abs() < 1e-6, "{sunk} {exact}");
}

#[test]
fn stages_that_cannot_be_are_refused_with_their_place() {
    let model = on_floor(0.5, 1.0);
    let refused = |stage: Stage| {
        let structure = Structure::new(&model).unwrap();
        let path = Path::new(
            &model,
            structure,
            &stages(vec![weight(1), stage]),
            PathSettings::default(),
        );
        match path.and_then(|mut path| path.follow(|_| ()).map(|_| ())) {
            Ok(()) => panic!("it is not refused"),
            Err(error) => error.to_string(),
        }
    };
    let one = |said: String, has: &str| assert!(said.contains(has), "{said}");
    one(
        refused(load("wind", 1.0, 1)),
        "stages[1].loads: there is no load case `wind`",
    );
    one(
        refused(shift("pier", DVec3::X, 1)),
        "there is no block and no group `pier`",
    );
    one(refused(shift("block", DVec3::X, 1)), "`block` is not fixed");
    let nan = Stage {
        shrinkage_m: Some(f64::NAN),
        ..Stage::default()
    };
    one(refused(nan), "stages[1].shrinkage_m");
    let gone = Stage {
        name: "out".into(),
        remove: vec!["floor".into()],
        ..Stage::default()
    };
    one(refused(gone), "stage `out` leaves blocks without a support: `block`");
}

#[test]
fn a_path_does_not_depend_on_the_number_of_threads() {
    let mut model = built("wall", &[("length", "3"), ("height", "1.5"), ("thickness", "0.3")]);
    model.joints = Joints::of(JointLaw {
        bond: Some(Bond {
            tension_pa: Some(2e3),
            ..Bond::default()
        }),
        ..JointLaw::dry(0.6)
    });
    let tilt = Stage {
        steps: Some(10),
        tilt: Some(StageTilt {
            axis: DVec3::X,
            angle_deg: 8.0,
        }),
        ..Stage::default()
    };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut path = path(&model, vec![weight(2), tilt.clone()], None);
            path.follow(|_| ()).unwrap();
            path.simulation().state().to_bytes().unwrap()
        })
    };
    assert!(run(1) == run(2));
}

/// The three ways lead to the same equilibrium, and to the same end where there is none.
#[test]
fn time_steps_lead_where_equilibria_do() {
    let ways = [
        PathWay::Equilibria,
        PathWay::VelocityCancelling(2e-2),
        PathWay::NumericalFilter(2e-2),
    ];
    for way in ways {
        let mut model = on_floor(0.5, 1.0);
        push(
            &mut model,
            "push",
            "block",
            dvec3(0.0, 2000.0 * G, 0.0),
            Some(DVec3::ZERO),
        );
        let down = shift("floor", dvec3(0.01, 0.0, -0.02), 2);
        let all = vec![weight(2), load("push", 0.3, 3), down, load("push", 0.9, 5)];
        let mut path = path_by(way, &model, all, Some(STIFFNESS)).unwrap();
        let end = path.follow(|_| ()).unwrap();
        // Weight over stiffness, and the elastic slip that bears the push.
        let sunk = 0.25 - 0.02 - 1000.0 * G / STIFFNESS.normal;
        let slip = |factor: f64| factor * 1000.0 * G / STIFFNESS.tangential;
        let at = &path.simulation().state().placements[1].center;
        assert!((at.z - sunk).abs() < 1e-7, "{way:?}: {} {sunk}", at.z);
        assert!((at.x - 0.01).abs() < 1e-7, "{way:?}: {}", at.x);
        let PathEnd::NoEquilibrium { stage, between, .. } = end else {
            panic!("{way:?}: it slides at half its weight")
        };
        let last = path.points().last().unwrap();
        assert!((at.y - slip(last.factors[0])).abs() < 2e-7, "{way:?}: {}", at.y);
        assert_eq!(stage, 3);
        assert!(between[0] < 0.3334 && 0.3333 < between[1], "{way:?}: {between:?}");
    }
    let model = on_floor(0.5, 1.0);
    let built = Stage {
        build: vec!["block".into()],
        ..weight(1)
    };
    let refused = path_by(PathWay::NumericalFilter(1e-3), &model, vec![built], None);
    assert!(refused.is_err_and(|e| e.to_string().contains("one by one")));
}

/// Weightless and not loaded, a bonded block that its supports pull apart loses its bonds at f_t.
#[test]
fn a_bond_that_supports_pull_apart_breaks_without_weight() {
    let mut model = on_floor(0.5, 1.0);
    model.gravity = DVec3::ZERO;
    let lid = cuboid("lid", dvec3(2.0, 1.0, 0.5), dvec3(0.0, 0.0, 0.75), DQuat::IDENTITY);
    model.blocks.push(lid.fixed());
    model.joints = Joints::of(JointLaw {
        stiffness: Some(STIFFNESS),
        bond: Some(Bond {
            tension_pa: Some(2e4),
            cohesion_pa: Some(4e4),
            ..Bond::default()
        }),
        ..JointLaw::dry(0.5)
    });
    // Two joints in a row: the strength is reached when both have opened by f_t / k.
    let breaks = 2.0 * 2e4 / STIFFNESS.normal;
    for (by, is_broken) in [(0.9 * breaks, false), (1.2 * breaks, true)] {
        let lift = shift("lid", dvec3(0.0, 0.0, by), 6);
        let mut path = path(&model, vec![weight(1), lift], None);
        assert_eq!(path.follow(|_| ()).unwrap(), PathEnd::Completed, "{by}");
        let [bonds, intact] = path.simulation().bonds();
        assert_eq!((bonds, intact < bonds), (8, is_broken), "{by}: {intact}");
    }
}
