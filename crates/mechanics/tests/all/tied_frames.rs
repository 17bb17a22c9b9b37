//! Structures whose thrust ties take, in statics, against closed forms.

use drystone_mechanics::statics::{
    Acting, Check, LimitSettings, Loads, Method, Overrides, Solvers, Structure, Verdict, certify, check, limit, tilt,
};
use drystone_model::{Block, Joints, Model, Shape, Tie, TieEnd, TieKind, TieRod, certificate::Certificate};
use drystone_verify::verify;
use glam::{DVec2, DVec3};

/// Where the frame stands, meets and is tied (m): inner and outer edge of a foot, lower and upper edge of the top joint. The tie
/// is at the level of the feet.
const FOOT: [f64; 2] = [1.98, 2.0];
const TOP: [f64; 2] = [1.98, 2.0];
/// Distance of the centres of the struts from the middle (m): what lies between two triangles.
const CENTER: f64 = (8.0 - 1.98 * 1.98 * 1.98) / (3.0 * (4.0 - 1.98 * 1.98));

/// Two struts that lean against each other on smooth ground, their feet joined by a tie.
fn frame(kind: TieKind) -> Model {
    let strut = |name: &str, side: f64| {
        let mut outline = [
            DVec2::new(-FOOT[1], 0.0),
            DVec2::new(-FOOT[0], 0.0),
            DVec2::new(0.0, TOP[0]),
            DVec2::new(0.0, TOP[1]),
        ];
        outline.iter_mut().for_each(|p| p.x *= -side);
        let [low, high] = [-0.2, 0.2].map(|y| outline.iter().map(move |p| DVec3::new(p.x, y, p.y)));
        let points: Vec<DVec3> = low.chain(high).collect();
        Block::new(
            name,
            Shape::from(drystone_model::geometry::convex_hull(&points, 1e-9).unwrap()),
        )
    };
    let (low, high) = (DVec3::new(-3.0, -1.0, -1.0), DVec3::new(3.0, 1.0, 0.0));
    let end = |block: &str, x: f64| TieEnd {
        block: block.to_string(),
        at: DVec3::new(x, 0.0, 0.0),
    };
    let mut model = Model {
        joints: Joints {
            friction: 0.0,
            ..Joints::default()
        },
        ..Model::default()
    };
    model.blocks = vec![
        Block::new("ground", Shape::cuboid(low, high)).fixed(),
        strut("left", -1.0),
        strut("right", 1.0),
    ];
    model.ties = vec![Tie {
        name: "tie".to_string(),
        from: end("left", -FOOT[1]),
        to: end("right", FOOT[1]),
        kind,
        group: None,
    }];
    model
}

fn rod(yield_n: Option<f64>) -> TieKind {
    TieKind::Tie(TieRod {
        stiffness_n_m: Some(1e7),
        yield_n,
        ..TieRod::default()
    })
}

fn weight(structure: &Structure) -> f64 {
    structure.mass[1] * 9.81
}

/// The least and the largest thrust under its weight: the foot presses at its inner or outer edge, the top at its upper or lower.
fn thrusts(structure: &Structure) -> [f64; 2] {
    let weight = weight(structure);
    [
        weight * (FOOT[0] - CENTER) / TOP[1],
        weight * (FOOT[1] - CENTER) / TOP[0],
    ]
}

/// The certificate of a check, accepted.
#[track_caller]
fn proven(model: &Model, structure: &Structure, loads: &Loads, applied: Option<&Loads>, found: &Check) -> Certificate {
    let overrides = Overrides::default();
    let acting = Acting {
        others: applied,
        further: applied,
        ..Acting::weight(model.gravity)
    };
    let certificate = certify(model, structure, loads, (&overrides, acting), found);
    let certificate = certificate.unwrap_or_else(|why| panic!("no certificate ({why}): {}", found.reason));
    let verified = verify(&certificate, model);
    let failed: Vec<_> = verified.claims.iter().filter(|c| !c.holds).collect();
    assert!(verified.valid, "{failed:?}");
    certificate
}

#[test]
fn the_thrust_of_a_frame_is_what_its_tie_carries() {
    for kind in [TieKind::RigidRod, rod(None), rod(Some(1e6))] {
        let model = frame(kind);
        let structure = Structure::new(&model).unwrap();
        let loads = Loads::body_force(&structure, model.gravity);
        let [least, most] = thrusts(&structure);
        for method in [Method::Cone, Method::Rbe, Method::RbeLinearised] {
            let found = check(&structure, &loads, method, &mut Solvers::default()).unwrap();
            assert_eq!(found.verdict, Verdict::Stable, "{kind:?}: {}", found.reason);
            let force = found.tie_forces[0];
            assert!(
                (least * (1.0 - 1e-6)..=most * (1.0 + 1e-6)).contains(&force),
                "{force} not in {least}..{most}"
            );
            if method == Method::Cone {
                let certificate = proven(&model, &structure, &loads, None, &found);
                assert_eq!(certificate.tie_forces.len(), 1);
            }
        }
    }
}

#[test]
fn a_frame_stands_as_long_as_its_tie_yields_at_no_less_than_the_least_thrust() {
    let model = frame(rod(None));
    let [least, most] = thrusts(&Structure::new(&model).unwrap());
    for (strength, verdict) in [
        (0.5 * (least + most), Verdict::Stable),
        (1.0001 * least, Verdict::Stable),
        (0.9999 * least, Verdict::Unstable),
        (0.1 * least, Verdict::Unstable),
    ] {
        let model = frame(rod(Some(strength)));
        let structure = Structure::new(&model).unwrap();
        let loads = Loads::body_force(&structure, model.gravity);
        for method in [Method::Cone, Method::Rbe, Method::Cra] {
            let found = check(&structure, &loads, method, &mut Solvers::default()).unwrap();
            if method != Method::Cra || verdict == Verdict::Unstable {
                assert_eq!(found.verdict, verdict, "{strength} of {least}: {}", found.reason);
            }
            if found.verdict == Verdict::Stable {
                assert!(found.tie_forces[0] <= strength, "{:?} {strength}", found.tie_forces);
            }
            if found.verdict == verdict {
                proven(&model, &structure, &loads, None, &found);
            }
        }
    }
}

#[test]
fn a_load_grows_until_the_tie_yields() {
    // The weight may grow to the yield force over the least thrust of the weight itself.
    let strength = 3.0;
    let model = frame(rod(None));
    let [least, _] = thrusts(&Structure::new(&model).unwrap());
    let model = frame(rod(Some(strength * least)));
    let structure = Structure::new(&model).unwrap();
    let dead = Loads::body_force(&structure, model.gravity);
    let found = limit(
        &structure,
        &dead,
        &dead,
        &LimitSettings::default(),
        &mut Solvers::default(),
    )
    .unwrap();
    let multiplier = found.multiplier.unwrap_or(f64::NAN);
    assert!(
        (multiplier / (strength - 1.0) - 1.0).abs() < 1e-6,
        "{:?} {}",
        found.bounds,
        found.note
    );
    assert!(
        (found.bounds[1] / (strength - 1.0) - 1.0).abs() < 1e-5,
        "{:?}",
        found.bounds
    );
    let stands = found.stands.as_ref().unwrap();
    assert!(
        (stands.tie_forces[0] / (strength * least) - 1.0).abs() < 1e-4,
        "{:?}",
        stands.tie_forces
    );
    assert_eq!(stands.yielding_ties(&structure), [0]);
    // Both sides are proven: forces with no more than the yield force, and a motion in which the tie yields.
    let (above, falls) = found.falls.as_ref().unwrap();
    for (at, check) in [(multiplier, stands), (*above, falls)] {
        let more = Loads::none(&structure).plus(&dead, at);
        proven(&model, &structure, &dead.plus(&more, 1.0), Some(&more), check);
    }
}

#[test]
fn a_tie_that_never_yields_sets_no_limit() {
    let model = frame(rod(None));
    let structure = Structure::new(&model).unwrap();
    let dead = Loads::body_force(&structure, model.gravity);
    let found = limit(
        &structure,
        &dead,
        &dead,
        &LimitSettings::default(),
        &mut Solvers::default(),
    )
    .unwrap();
    assert!(found.unbounded, "{:?} {}", found.bounds, found.note);
}

#[test]
fn a_certificate_with_more_in_a_tie_than_it_yields_at_is_refused() {
    let model = frame(rod(Some(1e6)));
    let structure = Structure::new(&model).unwrap();
    let loads = Loads::body_force(&structure, model.gravity);
    let found = check(&structure, &loads, Method::Cone, &mut Solvers::default()).unwrap();
    let weak = frame(rod(Some(0.5 * found.tie_forces[0])));
    let overrides = Overrides::default();
    let certificate = certify(
        &weak,
        &structure,
        &loads,
        (&overrides, Acting::weight(model.gravity)),
        &found,
    )
    .unwrap();
    let verified = verify(&certificate, &weak);
    let failed: Vec<_> = verified.claims.iter().filter(|c| !c.holds).collect();
    assert!(
        !verified.valid && failed.iter().any(|c| format!("{c:?}").contains("yields at")),
        "{failed:?}"
    );
}

#[test]
fn a_frame_is_tilted_until_its_tie_yields() {
    // Along y it slides at once on smooth ground; about y its weight splits unevenly. What is asked is that a tilt is found with
    // the tie within its strength, and that a stronger tie bears no smaller one.
    let [least, _] = thrusts(&Structure::new(&frame(rod(None))).unwrap());
    let angle = |strength: f64| {
        let mut model = frame(rod(Some(strength * least)));
        model.joints.friction = 0.3;
        let structure = Structure::new(&model).unwrap();
        let found = tilt(
            &structure,
            &Loads::none(&structure),
            DVec3::Y,
            Method::Cone,
            &mut Solvers::default(),
        )
        .unwrap();
        let stands = found.stands.as_ref().expect("it stands upright");
        assert!(stands.tie_forces[0] <= strength * least, "{:?}", stands.tie_forces);
        found.lower.unwrap()
    };
    assert!(angle(0.8) <= angle(1.2) + 1e-6);
}

#[test]
fn a_block_hangs_on_a_tie_that_yields_at_no_less_than_its_weight() {
    let hanging = |yield_n: Option<f64>| {
        let mut model = Model::default();
        let (low, high) = (DVec3::new(-3.0, -1.0, -1.0), DVec3::new(3.0, 1.0, 0.0));
        let end = |block: &str, z: f64| TieEnd {
            block: block.to_string(),
            at: DVec3::new(0.0, 0.0, z),
        };
        model.blocks = vec![
            Block::new("ceiling", Shape::cuboid(low, high)).fixed(),
            Block::new(
                "lamp",
                Shape::cuboid(DVec3::new(-0.2, -0.2, -3.4), DVec3::new(0.2, 0.2, -3.0)),
            ),
        ];
        model.ties = vec![Tie {
            name: "tie".to_string(),
            from: end("ceiling", -1.0),
            to: end("lamp", -3.0),
            kind: rod(yield_n),
            group: None,
        }];
        model
    };
    let weight = weight(&Structure::new(&hanging(None)).unwrap());
    for (strength, verdict) in [
        (None, Verdict::Stable),
        (Some(1.000_001 * weight), Verdict::Stable),
        (Some(0.999_999 * weight), Verdict::Unstable),
    ] {
        let model = hanging(strength);
        let structure = Structure::new(&model).unwrap();
        let loads = Loads::body_force(&structure, model.gravity);
        let found = check(&structure, &loads, Method::Cone, &mut Solvers::default()).unwrap();
        assert_eq!(found.verdict, verdict, "{strength:?} of {weight}: {}", found.reason);
        proven(&model, &structure, &loads, None, &found);
        if verdict == Verdict::Stable {
            assert!(
                (found.tie_forces[0] / weight - 1.0).abs() < 1e-9,
                "{:?}",
                found.tie_forces
            );
        }
    }
}
