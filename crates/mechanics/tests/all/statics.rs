//! Structures at rest against what theory says of them.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use drystone_cone::Friction;
use drystone_mechanics::{
    StructureError,
    statics::{
        Acting, LimitSettings, Loads, Method, Overrides, Solvers, StaticsError, Structure, TiltStatus, Verdict,
        certify, check, least_friction, limit, settle, tilt, unstable_in_turn,
    },
};
use drystone_model::{Block, Joints, MeshShape, Model, Pose, Shape};
use glam::{DVec3, dvec3};

use crate::common::built;

const METHODS: [Method; 3] = [Method::Cone, Method::Rbe, Method::Cra];

/// A block of a size on a floor.
fn block_on_floor(size: DVec3, friction: f64) -> Model {
    let mut model = Model::named("block");
    let floor = Shape::cuboid(dvec3(-5.0, -5.0, -1.0), dvec3(5.0, 5.0, 0.0));
    model.blocks.push(Block::new("floor", floor).fixed());
    let half = dvec3(0.5 * size.x, 0.5 * size.y, 0.0);
    model.blocks.push(Block::new(
        "block",
        Shape::cuboid(-half, half + dvec3(0.0, 0.0, size.z)),
    ));
    model.joints = Joints::uniform(friction);
    model
}

/// The same structure at another size and of another density.
fn scaled(model: &Model, length: f64, density: f64) -> Model {
    let mut other = model.clone();
    other.density = density;
    other.materials.clear();
    for block in &mut other.blocks {
        let solid = block.polyhedron();
        block.shape = Shape::Mesh(MeshShape {
            vertices: solid.vertices.iter().map(|v| *v * length).collect(),
            faces: solid.faces,
            parts: Vec::new(),
        });
        block.pose = Pose::default();
        (block.density, block.mass, block.material) = (None, None, None);
    }
    for interface in &mut other.interfaces {
        interface.points.iter_mut().for_each(|p| *p *= length);
        interface.frame.point *= length;
        interface.area = None;
    }
    other
}

fn weight(structure: &Structure) -> Loads {
    Loads::body_force(structure, structure.gravity)
}

fn critical_deg(model: &Model, axis: DVec3, method: Method) -> f64 {
    let structure = Structure::new(model).unwrap();
    let found = tilt(
        &structure,
        &Loads::none(&structure),
        axis,
        method,
        &mut Solvers::default(),
    )
    .unwrap();
    assert!(!found.stands_again, "{found:?}");
    assert_eq!(
        found.status,
        TiltStatus::Exact,
        "{:?} to {:?}",
        found.lower,
        found.upper
    );
    found.critical.unwrap().to_degrees()
}

#[test]
fn a_wide_block_slides_at_the_friction_angle_and_a_slender_one_topples_before() {
    for method in METHODS {
        let wide = critical_deg(&block_on_floor(dvec3(1.0, 1.0, 0.5), 0.6), DVec3::X, method);
        assert!((wide - 0.6_f64.atan().to_degrees()).abs() < 0.01, "{method:?} {wide}");
        let slender = critical_deg(&block_on_floor(dvec3(0.3, 1.0, 1.0), 0.6), DVec3::Y, method);
        assert!(
            (slender - 0.3_f64.atan().to_degrees()).abs() < 0.01,
            "{method:?} {slender}"
        );
    }
}

#[test]
fn the_limit_of_a_block_is_that_of_sliding_or_of_toppling() {
    for (size, friction, expected) in [
        (dvec3(1.0, 1.0, 0.5), 0.6, 0.6),
        (dvec3(0.3, 1.0, 1.0), 0.6, 0.3),
        (dvec3(0.5, 1.0, 1.0), 0.45, 0.45),
    ] {
        let structure = Structure::new(&block_on_floor(size, friction)).unwrap();
        let live = Loads::body_force(&structure, DVec3::X * structure.gravity.length());
        for law in [Friction::Associated, Friction::Coulomb] {
            let settings = LimitSettings {
                friction: law,
                ..LimitSettings::default()
            };
            let found = limit(
                &structure,
                &weight(&structure),
                &live,
                &settings,
                &mut Solvers::default(),
            )
            .unwrap();
            let [low, high] = found.bounds;
            assert!(
                low <= expected * (1.0 + 1e-7) && high >= expected * (1.0 - 1e-7),
                "{law:?} {found:?}"
            );
            let apart = if law == Friction::Associated { 1e-5 } else { 2e-4 };
            assert!(high - low < apart * expected, "{law:?} {found:?}");
        }
    }
}

#[test]
fn a_block_between_walls_stands_only_if_it_is_wedged() {
    let model = built("model-h", &[]);
    let structure = Structure::new(&model).unwrap();
    let (loads, mut solvers) = (weight(&structure), Solvers::default());
    let wedged = check(&structure, &loads, Method::Cone, &mut solvers).unwrap();
    assert_eq!(wedged.verdict, Verdict::Stable);
    let free = check(&structure, &loads, Method::Cra, &mut solvers).unwrap();
    assert_eq!(free.verdict, Verdict::Unstable, "{}", free.reason);
    let moving: Vec<&str> = free
        .unstable_blocks
        .iter()
        .map(|&b| structure.names[b].as_str())
        .collect();
    let not_fixed: Vec<&str> = model.free_blocks().map(|b| b.name.as_str()).collect();
    assert_eq!(moving, not_fixed);
    assert_eq!(settle(&model, model.gravity).unwrap().verdict, Verdict::Unstable);
}

/// Two blocks on one slope: both slide past the friction angle, whichever the motion shows first.
#[test]
fn what_moves_later_is_told_once_what_moves_first_is_held() {
    let mut model = block_on_floor(dvec3(1.0, 1.0, 0.5), 0.5);
    let mut second = model.blocks[1].clone();
    second.name = "second".into();
    second.pose.position.y += 2.0;
    second.mass = Some(1.0);
    model.blocks.push(second);
    let structure = Structure::new(&model).unwrap();
    let mut solvers = Solvers::default();
    for (slope, expected) in [(0.4_f64, vec![]), (0.6, vec![1, 2])] {
        let gravity = drystone_mechanics::statics::tilted(structure.gravity, DVec3::Y, slope.atan());
        let loads = Loads::body_force(&structure, gravity);
        let mut first = check(&structure, &loads, Method::Cone, &mut solvers).unwrap();
        // The motion may show both at once: then the second is left out of it, as if it had rested.
        first.unstable_blocks.truncate(1);
        let (turns, last) = unstable_in_turn(&structure, &loads, &first, &mut solvers).unwrap();
        let mut all: Vec<usize> = first
            .unstable_blocks
            .iter()
            .chain(turns.iter().flatten())
            .copied()
            .collect();
        all.sort_unstable();
        assert_eq!(all, expected, "slope {slope}");
        let ends = if expected.is_empty() {
            Verdict::Stable
        } else {
            Verdict::Unstable
        };
        assert_eq!(last, ends, "slope {slope}: all that is free moves, or nothing does");
    }
}

#[test]
fn a_block_that_touches_nothing_is_named() {
    let mut model = built("wall", &[]);
    let far = DVec3::splat(50.0);
    model.blocks.push(Block::new("lost", Shape::cuboid(far, far + 1.0)));
    let structure = Structure::new(&model).unwrap();
    for method in METHODS {
        let found = check(&structure, &weight(&structure), method, &mut Solvers::default()).unwrap();
        assert_eq!(found.verdict, Verdict::Unstable);
        assert!(found.reason.contains("`lost`"), "{}", found.reason);
        assert_eq!(found.unstable_blocks, [model.blocks.len() - 1]);
    }
}

#[test]
fn verdicts_and_angles_do_not_depend_on_scale() {
    let arch = built("arch", &[("friction", "0.5"), ("voussoirs", "9")]);
    for method in METHODS {
        let expected = critical_deg(&arch, DVec3::Y, method);
        for (length, density) in [(1e-3, 1.0), (1e3, 1e5), (1.0, 1e5)] {
            let found = critical_deg(&scaled(&arch, length, density), DVec3::Y, method);
            assert!(
                (found - expected).abs() < 0.01,
                "{method:?} {length} {density}: {found}, {expected}"
            );
        }
    }
}

#[test]
fn a_sweep_across_a_threshold_changes_its_verdict_once() {
    let model = built("arch", &[("voussoirs", "9")]);
    let structure = Structure::new(&model).unwrap();
    let mut solvers = Solvers::default();
    for method in METHODS {
        let found = tilt(&structure, &Loads::none(&structure), DVec3::Y, method, &mut solvers).unwrap();
        let mut stands = Vec::new();
        for k in 0..60 {
            let angle = found.middle() + (k as f64 - 29.5) * 0.05_f64.to_radians();
            let gravity = drystone_mechanics::statics::tilted(structure.gravity, DVec3::Y, angle);
            let loads = Loads::body_force(&structure, gravity);
            stands.push(check(&structure, &loads, method, &mut solvers).unwrap().verdict == Verdict::Stable);
        }
        let changes = stands.windows(2).filter(|w| w[0] != w[1]).count();
        assert_eq!((changes, stands[0]), (1, true), "{method:?}");
    }
}

/// Wedges about an axis 30 degrees from x, where no single ratio of friction to sliding solves eq. 11 far below the angle of
/// Kao et al. (2022), table 2. Their angles are 40.2 and 48.5 degrees; half a degree is left to either side.
#[test]
fn blunt_wedges_about_a_skew_axis_stand_up_to_the_published_angles() {
    let axis = dvec3(3.0_f64.sqrt(), 1.0, 0.0).normalize();
    let mut solvers = Solvers::default();
    for (kind, angles) in [("c", [36.0, 38.0, 39.7, 40.7]), ("d", [46.0, 47.0, 48.0, 49.0])] {
        let model = built("wedge", &[("type", kind)]);
        let structure = Structure::new(&model).unwrap();
        for (k, angle) in angles.into_iter().enumerate() {
            let gravity = drystone_mechanics::statics::tilted(structure.gravity, axis, f64::to_radians(angle));
            let loads = Loads::body_force(&structure, gravity);
            let found = check(&structure, &loads, Method::Cra, &mut solvers).unwrap();
            let stands = found.verdict == Verdict::Stable;
            assert_eq!(stands, k < 3, "type {kind} at {angle}: {}", found.reason);
            let certificate = certify(
                &model,
                &structure,
                &loads,
                (&Overrides::default(), Acting::weight(gravity)),
                &found,
            );
            if let Ok(certificate) = certificate {
                assert!(
                    drystone_verify::verify(&certificate, &model).valid,
                    "type {kind} at {angle}"
                );
            }
        }
    }
}

#[test]
fn every_verdict_passes_the_independent_check() {
    let mut count = 0;
    for (recipe, tilts) in [
        ("arch", [0.0, 40.0]),
        ("wall", [0.0, 50.0]),
        ("model-h", [0.0, 0.0]),
        ("stack", [0.0, 60.0]),
    ] {
        let model = built(recipe, &[]);
        let structure = Structure::new(&model).unwrap();
        for (angle, method) in tilts.into_iter().flat_map(|a| METHODS.map(|m| (a, m))) {
            let gravity = drystone_mechanics::statics::tilted(structure.gravity, DVec3::Y, f64::to_radians(angle));
            let loads = Loads::body_force(&structure, gravity);
            let found = check(&structure, &loads, method, &mut Solvers::default()).unwrap();
            assert_ne!(
                found.verdict,
                Verdict::Undecided,
                "{recipe} {angle} {method:?}: {}",
                found.reason
            );
            let certificate = certify(
                &model,
                &structure,
                &loads,
                (&Overrides::default(), Acting::weight(gravity)),
                &found,
            );
            let certificate = certificate.unwrap();
            let verified = drystone_verify::verify(&certificate, &model);
            let failed: Vec<_> = verified.claims.iter().filter(|c| !c.holds).collect();
            assert!(verified.valid, "{recipe} {angle} {method:?}: {failed:?}");
            count += 1;
        }
    }
    assert_eq!(count, 24);
}

#[test]
fn a_pebble_that_falls_off_a_boulder_is_not_forgotten() {
    let mut model = block_on_floor(DVec3::splat(4.0), 0.6);
    let low = dvec3(2.0 - 0.002, 0.0, 4.0);
    model
        .blocks
        .push(Block::new("pebble", Shape::cuboid(low, low + DVec3::splat(0.01))));
    let structure = Structure::new(&model).unwrap();
    for method in METHODS {
        let found = check(&structure, &weight(&structure), method, &mut Solvers::default()).unwrap();
        assert_ne!(found.verdict, Verdict::Stable, "{method:?} {}", found.reason);
    }
}

#[test]
fn the_least_friction_of_a_block_on_a_slope_is_its_slope() {
    let mut model = block_on_floor(dvec3(1.0, 1.0, 0.3), 0.8);
    model.gravity = dvec3(9.81 * 0.3, 0.0, -9.81);
    let structure = Structure::new(&model).unwrap();
    for method in METHODS {
        let found = least_friction(&structure, &weight(&structure), method, &mut Solvers::default()).unwrap();
        let least = found.least_friction.unwrap();
        assert!((least - 0.3).abs() < 1e-3, "{method:?} {found:?}");
    }
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let mut model = block_on_floor(DVec3::ONE, 0.6);
    let structure = Structure::new(&model).unwrap();
    let mut solvers = Solvers::default();
    let error = tilt(
        &structure,
        &Loads::none(&structure),
        DVec3::ZERO,
        Method::Cone,
        &mut solvers,
    )
    .unwrap_err();
    assert!(matches!(error, StaticsError::NoDirection { .. }));
    let none = Loads::none(&structure);
    let error = limit(
        &structure,
        &weight(&structure),
        &none,
        &LimitSettings::default(),
        &mut solvers,
    )
    .unwrap_err();
    assert!(matches!(error, StaticsError::NoLoad(_)));
    let error = Loads::case(&model, &structure, "wind").unwrap_err();
    assert!(error.to_string().contains("wind"), "{error}");
    model.blocks[0].fixed = false;
    assert!(matches!(Structure::new(&model), Err(StructureError::NoSupport)));
}

/// A number from 0 to 1.
fn random(seed: &mut u64) -> f64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    (*seed >> 11) as f64 / (1_u64 << 53) as f64
}

/// Boxes piled on each other at random, with cut faces: some stand.
fn pile(seed: &mut u64) -> Model {
    let mut model = Model::named("pile");
    let floor = Shape::cuboid(dvec3(-9.0, -9.0, -1.0), dvec3(9.0, 9.0, 0.0));
    model.blocks.push(Block::new("floor", floor).fixed());
    let (mut height, mut center) = (0.0, DVec3::ZERO);
    for k in 0..2 + (random(seed) * 4.0) as usize {
        let size = dvec3(0.3 + random(seed), 0.3 + random(seed), 0.2 + 0.5 * random(seed));
        center += dvec3(0.7 * (random(seed) - 0.5), 0.7 * (random(seed) - 0.5), 0.0);
        let low = dvec3(center.x - 0.5 * size.x, center.y - 0.5 * size.y, height);
        model
            .blocks
            .push(Block::new(format!("b{k}"), Shape::cuboid(low, low + size)));
        height += size.z;
    }
    let tilt = 0.35 * random(seed);
    model.gravity = dvec3(9.81 * tilt, 0.0, -9.81);
    model.joints = Joints::uniform(0.1 + 0.7 * random(seed));
    model
}

#[test]
fn methods_do_not_contradict_each_other_on_random_piles() {
    let (mut seed, mut stand, mut fall) = (0x9E37_79B9_7F4A_7C15, 0, 0);
    let mut solvers = Solvers::default();
    for _ in 0..60 {
        let model = pile(&mut seed);
        let structure = Structure::new(&model).unwrap();
        let loads = weight(&structure);
        let verdicts = METHODS.map(|m| check(&structure, &loads, m, &mut solvers).unwrap().verdict);
        let [cone, rbe, cra] = verdicts;
        assert_eq!(cone, rbe);
        assert_ne!(cone, Verdict::Undecided, "{model:?}");
        // Whatever stands without self-stress stands with it.
        assert!(!(cra == Verdict::Stable && cone == Verdict::Unstable));
        // Piles of plane joints cannot be wedged.
        assert_eq!(cra, cone, "{model:?}");
        match cone {
            Verdict::Stable => stand += 1,
            _ => fall += 1,
        }
    }
    assert!(stand > 10 && fall > 10, "{stand} stand, {fall} fall");
}

#[test]
fn a_question_that_is_told_to_stop_has_no_verdict() {
    let structure = Structure::new(&built("shelf", &[])).unwrap();
    let loads = weight(&structure);
    let flag = Arc::new(AtomicBool::new(true));
    let mut solvers = Solvers::stopped_by(Arc::clone(&flag));
    for method in METHODS {
        let told = check(&structure, &loads, method, &mut solvers).unwrap_err();
        assert!(matches!(told, StaticsError::Stopped), "{method:?}: {told}");
    }
    // What was given up leaves no trace.
    flag.store(false, Ordering::Relaxed);
    for method in METHODS {
        let found = check(&structure, &loads, method, &mut solvers).unwrap();
        let fresh = check(&structure, &loads, method, &mut Solvers::default()).unwrap();
        assert_eq!((found.verdict, found.evidence), (fresh.verdict, fresh.evidence));
    }
}

#[test]
fn sweeps_tell_how_far_they_are_and_stop_where_they_are_told_to() {
    let structure = Structure::new(&block_on_floor(DVec3::ONE, 0.4)).unwrap();
    let flag = Arc::new(AtomicBool::new(false));
    let told = Arc::new(Mutex::new(Vec::new()));
    let mut solvers = Solvers::stopped_by(Arc::clone(&flag));
    let heard = Arc::clone(&told);
    solvers.tell(move |part, says| heard.lock().unwrap().push((part, says.to_string())));
    let found = tilt(
        &structure,
        &Loads::none(&structure),
        DVec3::Y,
        Method::Cra,
        &mut solvers,
    )
    .unwrap();
    assert!((found.critical.unwrap().tan() - 0.4).abs() < 1e-3);
    let parts = std::mem::take(&mut *told.lock().unwrap());
    assert!(
        parts.len() > 40 && parts.windows(2).all(|w| w[0].0 <= w[1].0),
        "{parts:?}"
    );
    assert_eq!(parts[0].1, "at 0.00° it stands");
    assert!(parts.iter().all(|(part, _)| (0.0..=1.0).contains(part)), "{parts:?}");
    // Told to stop at the third angle, it asks about no fourth.
    let (heard, stop) = (Arc::clone(&told), Arc::clone(&flag));
    solvers.tell(move |part, says| {
        let mut heard = heard.lock().unwrap();
        heard.push((part, says.to_string()));
        stop.store(heard.len() == 3, Ordering::Relaxed);
    });
    let stopped = tilt(
        &structure,
        &Loads::none(&structure),
        DVec3::Y,
        Method::Cra,
        &mut solvers,
    )
    .unwrap_err();
    assert!(matches!(stopped, StaticsError::Stopped), "{stopped}");
    assert_eq!(told.lock().unwrap().len(), 3);
}
