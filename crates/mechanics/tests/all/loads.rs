//! Loads on faces and mass that blocks carry, in every analysis, against closed forms.

use crate::common::{built, floor, supports};
use drystone_cone::Friction;
use drystone_mechanics::{
    Structure,
    dynamics::{Simulation, SimulationSettings, TimeStep},
    statics::{LimitSettings, Loads, Solvers, limit},
};
use drystone_model::{
    AddedMass, Block, Hydrostatic, Joints, LoadCase, Model, Shape, SurfaceLoad, geometry::Polyhedron,
};
use glam::{DVec2, DVec3};

const G: f64 = 9.81;

fn limit_of(model: &Model, live: &Loads) -> f64 {
    let structure = Structure::new(model).unwrap();
    let dead = Loads::body_force(&structure, model.gravity);
    let found = limit(
        &structure,
        &dead,
        live,
        &LimitSettings::default(),
        &mut Solvers::default(),
    )
    .unwrap();
    let multiplier = found.multiplier.unwrap();
    assert!(
        (found.bounds[1] / multiplier - 1.0).abs() < 1e-4,
        "{:?} {}",
        found.bounds,
        found.note
    );
    multiplier
}

fn case_of(model: &Model, name: &str) -> Loads {
    let structure = Structure::new(model).unwrap();
    Loads::case(model, &structure, name).unwrap()
}

/// A wall of some section on the floor, in the middle of 1.5 m, with what stands behind it to the right up to a level.
fn wall(outline: &[[f64; 2]], friction: f64, behind: Hydrostatic) -> Model {
    let outline = outline.iter().copied().map(DVec2::from_array).collect::<Vec<_>>();
    let mut model = Model::named("wall");
    model.joints = Joints::uniform(friction);
    model.blocks = vec![
        floor(),
        Block::new("wall", Shape::from(Polyhedron::from_elevation(&outline, -0.75, 0.75))),
    ];
    let load = SurfaceLoad {
        blocks: vec!["wall".into()],
        facing: Some(DVec3::X),
        hydrostatic: Some(behind),
        ..SurfaceLoad::on_groups(&[])
    };
    let surfaces = vec![load];
    model.load_cases.insert(
        "behind".into(),
        LoadCase {
            surfaces,
            ..LoadCase::default()
        },
    );
    model
}

/// A wall holds water back until `n g d²/2 d/3` turns it about its toe, or until `n g d²/2` is more than friction.
#[test]
fn a_wall_turns_about_its_toe_or_slides_under_the_thrust_of_water() {
    let water = |level: f64| Hydrostatic {
        level,
        unit_weight: 9810.0,
        lateral: 1.0,
    };
    let (b, h) = (0.7, 2.0);
    let weight = 2000.0 * G * b * h;
    for depth in [2.0, 1.3] {
        let section = [[0.0, 0.0], [b, 0.0], [b, h], [0.0, h]];
        let thrust = 0.5 * 9810.0 * depth * depth;
        let rough = wall(&section, 5.0, water(depth));
        let turns = weight * 0.5 * b / (thrust * depth / 3.0);
        let found = limit_of(&rough, &case_of(&rough, "behind"));
        assert!((found / turns - 1.0).abs() < 1e-5, "{depth}: {found} {turns}");
        let smooth = wall(&section, 0.1, water(depth));
        let slides = 0.1 * weight / thrust;
        let found = limit_of(&smooth, &case_of(&smooth, "behind"));
        assert!((found / slides - 1.0).abs() < 1e-5, "{depth}: {found} {slides}");
    }
    // Earth behind a back that leans away from it: its weight on the back holds the wall, its thrust turns it.
    let (k, gamma, depth) = (0.3, 18e3, 2.0);
    let back = wall(
        &[[0.0, 0.0], [1.1, 0.0], [0.5, h], [0.0, h]],
        5.0,
        Hydrostatic {
            level: depth,
            unit_weight: gamma,
            lateral: k,
        },
    );
    let own = 2000.0 * G * (0.5 * h * 0.25 + 0.5 * 0.6 * h * (0.5 + 0.2));
    let thrust = k * 0.5 * gamma * depth * depth * depth / 3.0;
    // The triangle of earth over the back, a third of its width from its vertical side.
    let above = gamma * 0.5 * 0.6 * depth * (1.1 - 0.2);
    let structure = Structure::new(&back).unwrap();
    let dead = Loads::body_force(&structure, back.gravity);
    let live = case_of(&back, "behind");
    let about_toe = |loads: &Loads| {
        let (wrench, arm) = (loads.wrenches[1], structure.center[1] - DVec3::ZERO);
        (wrench.moment + arm.cross(wrench.force)).y / 1.5
    };
    assert!(
        (about_toe(&dead) - own).abs() < 1e-9 * own,
        "{} {own}",
        about_toe(&dead)
    );
    assert!(
        (about_toe(&live) - (above - thrust)).abs() < 1e-9 * above,
        "{}",
        about_toe(&live)
    );
}

/// A slab on the floor, 0.3 m high, with what it carries above it.
fn slab(with: Option<AddedMass>, height: f64) -> Model {
    let mut model = Model::named("slab");
    model.joints = Joints::uniform(2.0);
    let shape = Shape::cuboid(DVec3::new(-0.25, -0.4, 0.0), DVec3::new(0.25, 0.4, height));
    let mut block = Block::new("slab", shape);
    block.added_mass.extend(with);
    model.blocks = vec![floor(), block];
    model
}

/// What stands on a slab moves with it: as much weight, and the centre so much higher. The lateral capacity of the slab with mass is
/// that of a whole stone.
#[test]
fn added_mass_takes_part_in_lateral_loads() {
    let upper = Polyhedron::cuboid(DVec3::new(-0.25, -0.4, 0.3), DVec3::new(0.25, 0.4, 1.0));
    let carrying = slab(Some(AddedMass::of_solid(&upper, 2000.0)), 0.3);
    let whole = slab(None, 1.0);
    let lateral = |model: &Model| {
        let structure = Structure::new(model).unwrap();
        limit_of(model, &Loads::body_force(&structure, DVec3::X * G))
    };
    let (a, b) = (lateral(&carrying), lateral(&whole));
    assert!((a - 0.5).abs() < 1e-5 && (b - 0.5).abs() < 1e-5, "{a} {b}");
    assert!((lateral(&slab(None, 0.3)) - 0.5 / 0.3).abs() < 1e-4);
    // Off centre it turns the slab by itself at less.
    let aside = AddedMass {
        mass: 240.0,
        center: DVec3::new(0.25, 0.0, 1.3),
        inertia: [0.0; 6],
    };
    let expected = (240.0 * 0.25) / (240.0 * 0.15 + 240.0 * 1.3);
    let found = lateral(&slab(Some(aside), 0.3));
    assert!((found / expected - 1.0).abs() < 1e-5, "{found} {expected}");
}

/// On ground that shakes, the slab that carries the upper part of a stone rocks as the whole stone does: the same mass, centre and
/// inertia on the same base.
#[test]
fn added_mass_rocks_with_the_block_that_carries_it() {
    let upper = Polyhedron::cuboid(DVec3::new(-0.25, -0.4, 0.3), DVec3::new(0.25, 0.4, 1.0));
    let inert = AddedMass {
        inertia: [0.0; 6],
        ..AddedMass::of_solid(&upper, 2000.0)
    };
    let path = |model: &Model| {
        let settings = SimulationSettings {
            time_step: TimeStep::Fixed(2e-3),
            ..SimulationSettings::default()
        };
        let motion = "sine:quantity=acceleration,amplitude=6.5,frequency=1.2,cycles=1,direction=x";
        let mut simulation = Simulation::new(model, settings, supports(model, motion), &[]).unwrap();
        let mut path = Vec::new();
        for _ in 0..500 {
            simulation.step().unwrap();
            path.push(simulation.state().placements[1]);
        }
        path
    };
    let rocks = |path: &[drystone_contact::Placement]| path.iter().map(|p| p.rotation.y.abs()).fold(0.0, f64::max);
    let whole = path(&slab(None, 1.0));
    let carrying = path(&slab(Some(AddedMass::of_solid(&upper, 2000.0)), 0.3));
    assert!(rocks(&whole) > 0.02, "it is to rock: {}", rocks(&whole));
    for (k, (a, b)) in whole.iter().zip(&carrying).enumerate() {
        assert!(
            a.center.distance(b.center) < 1e-6,
            "step {k}: {} {}",
            a.center,
            b.center
        );
    }
    // Its inertia about its own centre tells.
    let point = path(&slab(Some(inert), 0.3));
    assert!(
        (rocks(&point) / rocks(&whole) - 1.0).abs() > 1e-3,
        "{} {}",
        rocks(&point),
        rocks(&whole)
    );
}

/// Under a pressure `p` on a side `A` a block slides with `a = p A / m - mu g`; with half of the pressure it stands.
#[test]
fn pressure_moves_a_block_in_time() {
    for (pressure, stands) in [(9000.0, false), (4500.0, true)] {
        let mut model = slab(None, 0.5);
        model.joints = Joints::uniform(0.6);
        let load = SurfaceLoad {
            pressure_pa: Some(pressure),
            facing: Some(DVec3::NEG_X),
            blocks: vec!["slab".into()],
            ..SurfaceLoad::on_groups(&[])
        };
        let surfaces = vec![load];
        model.load_cases.insert(
            "wind".into(),
            LoadCase {
                surfaces,
                ..LoadCase::default()
            },
        );
        let settings = SimulationSettings {
            time_step: TimeStep::Fixed(1e-3),
            friction: Friction::Coulomb,
            ..SimulationSettings::default()
        };
        let mut simulation = Simulation::new(&model, settings, supports(&model, ""), &["wind".to_string()]).unwrap();
        let start = simulation.state().placements[1].center;
        let time = 0.2;
        while simulation.state().time < time - 1e-9 {
            simulation.step().unwrap();
        }
        let moved = simulation.state().placements[1].center - start;
        let acceleration = pressure * 0.4 / 400.0 - 0.6 * G;
        let expected = if stands { 0.0 } else { 0.5 * acceleration * time * time };
        assert!(
            (moved.x - expected).abs() < 6e-3 * 0.5 * 3.0 * time,
            "{pressure}: {} {expected}",
            moved.x
        );
        assert!(moved.z.abs() < 1e-5);
    }
}

/// The arch of the recipe `bridge` under an axle, by a linear program that `reference/bridge.py` states by itself, in the plane, from
/// nothing but span, rise, thickness and fill.
#[test]
fn a_bridge_carries_the_axle_that_a_linear_program_finds() {
    for (rise, friction, fill, at, expected) in REFERENCE {
        let model = built(
            "bridge",
            &[
                ("rise", rise),
                ("friction", friction),
                ("fill", fill),
                ("axle-position", at),
                ("axle-spread", "0"),
            ],
        );
        let found = limit_of(&model, &case_of(&model, "axle"));
        assert!(
            (found / expected - 1.0).abs() < 1e-3,
            "{rise} {friction} {fill} {at}: {found} {expected}"
        );
    }
}

/// What `reference/bridge.py` prints: rise (m), friction, fill, axle (m from the left springing), multiplier.
const REFERENCE: [(&str, &str, &str, &str, f64); 5] = [
    ("2", "0.6", "none", "1.5", 2.367367),
    ("2", "0.6", "mass", "1.5", 5.307514),
    ("3", "0.6", "none", "1.5", 0.860166),
    ("3", "0.6", "mass", "1.5", 2.320225),
    ("3", "0.35", "mass", "1.5", 1.057502),
];
