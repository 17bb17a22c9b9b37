//! What answers claim: bounds that are called bounds, limits from both sides, forces that are the only ones of their kind.

use crate::common::built;
use drystone_cone::Friction;
use drystone_mechanics::statics::{
    Acting, Check, Evidence, Limit, LimitSettings, Loads, Method, Overrides, Solvers, Structure, TiltStatus, Verdict,
    certify, check, least_friction, limit,
    results::{PointForces, joint_results, results},
    tilt, tilted,
};
use drystone_model::{Block, Joints, MeshShape, Model, Pose, Shape};
use glam::{DQuat, DVec3, dvec3};

fn weight(structure: &Structure) -> Loads {
    Loads::body_force(structure, structure.gravity)
}

fn pushed(structure: &Structure, direction: DVec3) -> Limit {
    let live = Loads::body_force(structure, direction.normalize() * structure.gravity.length());
    let settings = LimitSettings::default();
    limit(structure, &weight(structure), &live, &settings, &mut Solvers::default()).unwrap()
}

fn checked(model: &Model, method: Method) -> (Structure, Check) {
    let structure = Structure::new(model).unwrap();
    let found = check(&structure, &weight(&structure), method, &mut Solvers::default()).unwrap();
    (structure, found)
}

/// A wall 4 m long, 1.5 m high and 0.4 m thick: 51 blocks in courses of 0.25 m.
fn wall() -> Model {
    built("wall", &[("length", "4"), ("height", "1.5"), ("thickness", "0.4")])
}

#[test]
fn a_wall_topples_over_its_edge_where_its_weight_leaves_the_base() {
    let expected = (0.4_f64 / 1.5).atan().to_degrees();
    let short = built("wall", &[("length", "1.5"), ("height", "1.5"), ("thickness", "0.4")]);
    for (method, wall) in [(Method::Cone, wall()), (Method::Rbe, wall()), (Method::Cra, short)] {
        let structure = Structure::new(&wall).unwrap();
        let found = tilt(
            &structure,
            &Loads::none(&structure),
            DVec3::X,
            method,
            &mut Solvers::default(),
        )
        .unwrap();
        let (lower, upper) = (found.lower.unwrap().to_degrees(), found.upper.unwrap().to_degrees());
        assert!(
            lower <= expected + 1e-6 && upper >= expected - 1e-6,
            "{method:?} {lower} {upper}"
        );
        assert_eq!(found.status, TiltStatus::Exact, "{method:?} {lower} {upper}");
        assert!(
            (found.critical.unwrap().to_degrees() - expected).abs() < 0.01,
            "{method:?} {lower}"
        );
        let (stands, falls) = (found.stands.unwrap(), found.falls.unwrap());
        assert_eq!((stands.verdict, falls.verdict), (Verdict::Stable, Verdict::Unstable));
        assert!(matches!(falls.evidence, Evidence::Mechanism(_)));
    }
}

#[test]
fn both_bounds_of_a_tilt_pass_the_independent_check() {
    for (recipe, axis) in [("arch", DVec3::Y), ("wall", DVec3::X), ("stack", dvec3(1.0, 1.0, 0.0))] {
        let model = built(recipe, &[]);
        let structure = Structure::new(&model).unwrap();
        let axis = axis.normalize();
        let found = tilt(
            &structure,
            &Loads::none(&structure),
            axis,
            Method::Cone,
            &mut Solvers::default(),
        )
        .unwrap();
        let sides = [(found.lower, &found.stands), (found.upper, &found.falls)];
        for (angle, answer) in sides {
            let gravity = tilted(model.gravity, axis, angle.unwrap());
            let loads = Loads::body_force(&structure, gravity);
            let with = (&Overrides::default(), Acting::weight(gravity));
            let certificate = certify(&model, &structure, &loads, with, answer.as_ref().unwrap()).unwrap();
            let verified = drystone_verify::verify(&certificate, &model);
            let failed: Vec<_> = verified.claims.iter().filter(|c| !c.holds).collect();
            assert!(verified.valid, "{recipe} at {angle:?}: {failed:?}");
        }
    }
}

#[test]
fn a_structure_that_falls_upright_has_no_critical_tilt() {
    let model = built("stack", &[("offset", "0.4")]);
    let structure = Structure::new(&model).unwrap();
    for method in [Method::Cone, Method::Cra] {
        let found = tilt(
            &structure,
            &Loads::none(&structure),
            DVec3::Y,
            method,
            &mut Solvers::default(),
        )
        .unwrap();
        assert_eq!(
            found.status,
            TiltStatus::FallsUpright,
            "{method:?} {:?} {:?}",
            found.lower,
            found.upper
        );
        assert_eq!((found.critical, found.lower, found.upper), (None, None, Some(0.0)));
    }
}

#[test]
fn the_bounds_of_a_limit_meet() {
    for recipe in [
        "arch",
        "wall",
        "spandrel-arch",
        "oppenheim-arch",
        "barrel-vault",
        "stack",
    ] {
        let structure = Structure::new(&built(recipe, &[])).unwrap();
        for direction in [DVec3::X, DVec3::Y, dvec3(0.6, -0.3, 0.2)] {
            let found = pushed(&structure, direction);
            let [low, high] = found.bounds;
            assert!(
                low > 0.0 && high - low <= 1e-5 * high,
                "{recipe} {direction}: {low} {high}"
            );
            // The forces at the lower bound cannot carry more than the motion at the upper one allows.
            assert!(low <= high * (1.0 + 1e-9), "{recipe} {direction}: {low} {high}");
            assert!(found.residual().unwrap() < 1e-8 && !found.unbounded);
            let Evidence::Forces(balance) = found.stands.as_ref().unwrap().evidence else {
                panic!("{recipe}: a lower bound rests on forces")
            };
            assert!(
                balance.unbalanced_alone <= 1e-6 && balance.cone_margin >= -1e-12,
                "{balance:?}"
            );
        }
    }
}

#[test]
fn a_wall_carries_half_its_weight_along_itself_and_the_ratio_of_its_sides_across() {
    let structure = Structure::new(&wall()).unwrap();
    for (direction, expected) in [(DVec3::X, 0.5), (DVec3::Y, 0.4 / 1.5)] {
        let [low, high] = pushed(&structure, direction).bounds;
        assert!(
            (low / expected - 1.0).abs() < 1e-6 && (high / expected - 1.0).abs() < 1e-6,
            "{low} {high}"
        );
    }
}

#[test]
fn a_load_that_the_structure_carries_alone_has_no_limit() {
    for recipe in ["wall", "arch", "barrel-vault"] {
        let structure = Structure::new(&built(recipe, &[])).unwrap();
        let found = pushed(&structure, DVec3::NEG_Z);
        assert!(found.unbounded, "{recipe} {:?}", found.bounds);
        assert_eq!((found.multiplier, found.falls.is_none()), (None, true));
        assert!(found.bounds.iter().all(|b| b.is_infinite()));
        // Its forces balance the load alone, so that any multiple of them balances that multiple.
        let alone = found.carried_alone.unwrap();
        assert!(alone.evidence.balance().unwrap().holds(), "{recipe}");
    }
    // A load that lifts has one: its own weight.
    let structure = Structure::new(&wall()).unwrap();
    let [low, high] = pushed(&structure, DVec3::Z).bounds;
    assert!((low - 1.0).abs() < 1e-6 && (high - 1.0).abs() < 1e-6, "{low} {high}");
}

#[test]
fn a_load_that_holds_a_block_up_is_needed_from_one_multiplier_on_and_carried_up_to_another() {
    // A cube whose centre is 0.1 m beyond the edge it stands on, and a load of its weight 0.4 m behind that edge. It must be
    // a quarter at least. Pushed at its foot by 0.7 times that load, it slides where 0.7 x = 0.6 (1 + x).
    let mut model = Model::named("held");
    let ground = Shape::cuboid(dvec3(-2.0, -1.0, -1.0), dvec3(0.0, 2.0, 0.0));
    model.blocks.push(Block::new("ground", ground).fixed());
    model.blocks.push(Block::new(
        "cube",
        Shape::cuboid(dvec3(-0.4, 0.0, 0.0), dvec3(0.6, 1.0, 1.0)),
    ));
    model.joints = Joints::uniform(0.6);
    let structure = Structure::new(&model).unwrap();
    let unit = structure.mass[1] * structure.gravity.length();
    for (push, most) in [(0.0, None), (0.7, Some(6.0))] {
        let mut live = Loads::none(&structure);
        live.push(&structure, 1, unit * dvec3(-push, 0.0, -1.0), dvec3(-0.4, 0.5, 0.0));
        let settings = LimitSettings::default();
        let found = limit(
            &structure,
            &weight(&structure),
            &live,
            &settings,
            &mut Solvers::default(),
        )
        .unwrap();
        assert_eq!(found.falls_without.as_ref().unwrap().verdict, Verdict::Unstable);
        let needed = found.needed.as_ref().unwrap().0;
        assert!((needed - 0.25).abs() < 1e-5, "{needed}");
        assert_eq!(found.unbounded, most.is_none());
        if let Some(most) = most {
            let [low, high] = found.bounds;
            assert!(
                (low / most - 1.0).abs() < 1e-5 && (high / most - 1.0).abs() < 1e-5,
                "{low} {high}"
            );
        }
        // Displacement mobilises forces where the load holds it, too.
        let coulomb = LimitSettings {
            friction: Friction::Coulomb,
            ..settings
        };
        let found = limit(
            &structure,
            &weight(&structure),
            &live,
            &coulomb,
            &mut Solvers::default(),
        )
        .unwrap();
        let needed = found.needed.as_ref().unwrap().0;
        assert!((0.25 - 1e-9..0.3).contains(&needed), "{needed}");
        assert!(found.multiplier.unwrap() >= needed && !found.unbounded);
        // The other way round no multiple of it holds the cube, and no bound is claimed.
        let away = Loads::none(&structure).plus(&live, -1.0);
        let found = limit(
            &structure,
            &weight(&structure),
            &away,
            &settings,
            &mut Solvers::default(),
        )
        .unwrap();
        assert!(found.needed.is_none() && found.multiplier.is_none() && found.falls.is_none());
    }
}

#[test]
fn a_load_just_outside_the_friction_cone_has_a_limit_however_high() {
    // A block pushed by a force t outside the cone of 0.6: it slides where (0.6 + t) x = 0.6 (1 + x).
    let mut model = Model::named("slab");
    let ground = Shape::cuboid(dvec3(-2.0, -2.0, -1.0), dvec3(2.0, 2.0, 0.0));
    model.blocks.push(Block::new("ground", ground).fixed());
    model.blocks.push(Block::new(
        "slab",
        Shape::cuboid(dvec3(-0.5, -0.5, 0.0), dvec3(0.5, 0.5, 0.2)),
    ));
    model.joints = Joints::uniform(0.6);
    let structure = Structure::new(&model).unwrap();
    let unit = structure.mass[1] * structure.gravity.length();
    for t in [1e-2, 1e-4, 1e-5, 1e-6] {
        let mut live = Loads::none(&structure);
        live.push(&structure, 1, unit * dvec3(0.6 + t, 0.0, -1.0), dvec3(0.0, 0.0, 0.0));
        let found = limit(
            &structure,
            &weight(&structure),
            &live,
            &LimitSettings::default(),
            &mut Solvers::default(),
        );
        let [low, high] = found.unwrap().bounds;
        let exact = 0.6 / t;
        assert!(
            (low / exact - 1.0).abs() < 1e-3 && (high / exact - 1.0).abs() < 1e-3,
            "{t} {low} {high} {exact}"
        );
    }
}

#[test]
fn without_dilatancy_nothing_is_claimed_that_a_check_leaves_open() {
    // A block held between two walls by friction alone: forces balance its weight, but nothing mobilises them.
    let structure = Structure::new(&built("model-h", &[])).unwrap();
    let live = Loads::body_force(&structure, DVec3::X * 9.81);
    let settings = LimitSettings {
        friction: Friction::Coulomb,
        ..LimitSettings::default()
    };
    let (dead, mut solvers) = (weight(&structure), Solvers::default());
    let found = limit(&structure, &dead, &live, &settings, &mut solvers).unwrap();
    // With self-stress any weight is held; that says nothing of what is held without.
    let down = Loads::body_force(&structure, DVec3::NEG_Z * 9.81);
    let heavier = limit(&structure, &dead, &down, &settings, &mut solvers).unwrap();
    assert!(!heavier.unbounded && heavier.carried_alone.is_none() && heavier.multiplier.is_none());
    let asked = check(&structure, &dead, Method::Cra, &mut solvers).unwrap();
    match asked.verdict {
        Verdict::Stable => assert!(found.multiplier.is_some()),
        Verdict::Unstable => assert!(found.multiplier.is_none() && found.note.contains("dead loads alone")),
        Verdict::Undecided => assert!(found.multiplier.is_none() && found.note.contains("not decided")),
    }
}

/// The same structure, its blocks in another order and all of it turned.
fn turned(model: &Model, turn: DQuat) -> Model {
    let mut other = model.clone();
    other.blocks.reverse();
    let half = other.blocks.len() / 3;
    other.blocks.rotate_left(half);
    other.gravity = turn * other.gravity;
    for block in &mut other.blocks {
        let solid = block.polyhedron();
        block.shape = Shape::Mesh(MeshShape {
            vertices: solid.vertices.iter().map(|v| turn * *v).collect(),
            faces: solid.faces,
            parts: Vec::new(),
        });
        block.pose = Pose::default();
    }
    other
}

/// The resultant of each pair of blocks, on the one whose name comes last (unit: N).
fn resultants(structure: &Structure, found: &Check) -> std::collections::BTreeMap<(String, String), DVec3> {
    let mut sums = std::collections::BTreeMap::new();
    for (point, force) in structure.points.iter().zip(&found.forces) {
        let [a, b] = point.blocks.map(|b| structure.names[b as usize].clone());
        let (pair, force) = if a < b { ((a, b), *force) } else { ((b, a), -*force) };
        *sums.entry(pair).or_insert(DVec3::ZERO) += force;
    }
    sums
}

#[test]
fn forces_depend_neither_on_the_order_of_the_blocks_nor_on_the_axes() {
    let turn = DQuat::from_axis_angle(dvec3(1.0, 2.0, -0.5).normalize(), 0.7);
    for recipe in ["arch", "wall", "spandrel-arch"] {
        let model = built(recipe, &[]);
        let (first, found) = checked(&model, Method::Cone);
        let (second, again) = checked(&turned(&model, turn), Method::Cone);
        assert!(found.is_least_norm && again.is_least_norm, "{recipe}");
        assert_eq!([found.verdict, again.verdict], [Verdict::Stable; 2]);
        let (before, after) = (resultants(&first, &found), resultants(&second, &again));
        assert_eq!(before.len(), after.len(), "{recipe}");
        let most = before.values().map(|f| f.length()).fold(0.0, f64::max);
        for (pair, force) in &before {
            let other = turn.inverse() * after[pair];
            assert!(
                force.distance(other) < 1e-4 * most,
                "{recipe} {pair:?}: {force} {other}"
            );
        }
    }
}

#[test]
fn an_arch_has_one_stress_whichever_method_allows_self_stress() {
    let model = built("arch", &[]);
    let stress = |method| {
        let (structure, found) = checked(&model, method);
        let forces = PointForces::of(&found).unwrap();
        let joints = joint_results(&structure, &weight(&structure), forces);
        let most = joints
            .iter()
            .filter_map(|j| j.stress.as_ref()?.largest_pa)
            .fold(0.0, f64::max);
        (most, found.redundancy)
    };
    let ((cone, redundancy), (rbe, _)) = (stress(Method::Cone), stress(Method::Rbe));
    assert!((cone / rbe - 1.0).abs() < 1e-6, "{cone} {rbe}");
    // An arch clamped at both ends is statically indeterminate to the sixth degree in space.
    assert_eq!(redundancy, 6);
}

#[test]
fn the_forces_of_a_hyperstatic_arch_lie_within_the_range_of_its_thrust() {
    let model = built("arch", &[("thickness", "0.3"), ("radius", "1")]);
    let (structure, found) = checked(&model, Method::Cone);
    let told = results(&model, &structure, &weight(&structure), &found, &mut Solvers::default()).unwrap();
    assert!(told.redundancy == 6 && told.forces == "least_norm");
    let range = told.thrust_range.unwrap();
    let thrust = told.thrust_lines[0].horizontal_n[0];
    let [least, most] = [range.minimum.horizontal_n, range.maximum.horizontal_n];
    assert!(
        least < most && thrust >= least * (1.0 - 1e-6) && thrust <= most * (1.0 + 1e-6),
        "{least} {thrust} {most}"
    );
}

#[test]
fn evenly_loaded_courses_press_evenly() {
    // The pressure under a wall that stands upright is that of a column: least norm by area, not by point.
    let (structure, found) = checked(&wall(), Method::Cone);
    let joints = joint_results(&structure, &weight(&structure), PointForces::of(&found).unwrap());
    let density = structure.mass[structure.free().next().unwrap()] / (0.5 * 0.4 * 0.25);
    let mut beds = 0;
    for joint in joints.iter().filter(|j| j.normal.z.abs() > 0.9) {
        let expected = density * 9.81 * (1.5 - joint.center.z);
        let stress = joint.stress.as_ref().unwrap().mean_pa;
        assert!(
            (stress / expected - 1.0).abs() < 1e-4,
            "{} {stress} {expected}",
            joint.center.z
        );
        beds += 1;
    }
    assert!(beds > 50, "{beds}");
}

#[test]
fn what_is_left_over_on_a_block_counts_against_its_own_load() {
    // A stone of 100 kg on a floor beside one of 1e9 kg. Forces that leave the small one's weight over would be 1e-7 of all.
    let mut model = Model::named("pair");
    model
        .blocks
        .push(Block::new("floor", Shape::cuboid(dvec3(-5.0, -5.0, -1.0), dvec3(5.0, 5.0, 0.0))).fixed());
    let cube = |x: f64| Shape::cuboid(dvec3(x, 0.0, 0.0), dvec3(x + 0.5, 0.5, 0.5));
    model.blocks.push(Block::new("light", cube(-2.0)));
    model.blocks.push(Block::new("heavy", cube(2.0)));
    (model.blocks[1].mass, model.blocks[2].mass) = (Some(100.0), Some(1e9));
    model.joints = Joints::uniform(0.5);
    for method in [Method::Cone, Method::Rbe, Method::RbeLinearised, Method::Cra] {
        let (_, found) = checked(&model, method);
        assert_eq!(found.verdict, Verdict::Stable, "{method:?} {}", found.reason);
        assert!(
            found.evidence.balance().unwrap().unbalanced_alone <= 1e-6,
            "{method:?} {:?}",
            found.evidence
        );
    }
}

#[test]
fn tension_that_would_hold_a_structure_leaves_what_its_fall_rests_on() {
    for (recipe, values) in [("model-h", &[][..]), ("stack", &[("offset", "0.4")])] {
        let model = built(recipe, values);
        for (plain, held) in [(Method::Cra, Method::CraPenalty), (Method::Cone, Method::Rbe)] {
            let ((_, plain), (_, held)) = (checked(&model, plain), checked(&model, held));
            assert_eq!(
                (plain.verdict, plain.evidence),
                (held.verdict, held.evidence),
                "{recipe}"
            );
            if held.verdict == Verdict::Unstable {
                // Beside tension, if any holds it, stands how fast the motion closes joints, not what tension leaves over.
                assert_eq!(held.residual(), held.closing(), "{recipe}");
                assert_eq!(held.with_tension.is_some(), !held.tensions.is_empty());
            }
        }
    }
    let (_, grown) = checked(&built("model-h", &[]), Method::CraPenalty);
    assert!(
        matches!(grown.evidence, Evidence::Growth { .. }),
        "{:?}",
        grown.evidence
    );
    let (_, held) = checked(&built("stack", &[("offset", "0.4")]), Method::Rbe);
    assert!(held.tension() > 0.0 && held.with_tension.unwrap().unbalanced < 1e-6);
}

#[test]
fn the_least_friction_is_bounded_from_both_sides() {
    let mut model = built("block", &[]);
    model.gravity = dvec3(9.81 * 0.2, 0.0, -9.81);
    let structure = Structure::new(&model).unwrap();
    for method in [Method::Cone, Method::Cra] {
        let found = least_friction(&structure, &weight(&structure), method, &mut Solvers::default()).unwrap();
        let (stands, falls) = (found.friction_factor.unwrap(), found.falls_at_factor.unwrap());
        assert!(falls < stands && found.is_exact(), "{method:?} {found:?}");
        assert!(
            (found.least_friction.unwrap() - 0.2).abs() < 1e-4,
            "{method:?} {found:?}"
        );
    }
}
