//! Coupled analysis of structures of the size that is built: it decides, and what it finds is proven by independent code.

use drystone_mechanics::{
    Structure,
    statics::{Acting, Check, Evidence, Loads, Method, Overrides, Solvers, Verdict, certify, check, tilt, tilted},
};
use drystone_model::{Model, recipes};
use glam::DVec3;

use crate::common::Random;

fn built(name: &str, parameters: &[(&str, f64)]) -> Model {
    let given: Vec<_> = parameters.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    recipes::find(name).unwrap().build_alone(&given).unwrap()
}

/// Asks by a method under gravity tilted about an axis. What is found and certified is verified.
fn asked(model: &Model, method: Method, (axis, degrees): (DVec3, f64)) -> Check {
    let structure = Structure::new(model).unwrap();
    let gravity = tilted(model.gravity, axis, degrees.to_radians());
    let loads = Loads::body_force(&structure, gravity);
    let found = check(&structure, &loads, method, &mut Solvers::default()).unwrap();
    if found.verdict != Verdict::Undecided {
        let situation = (&Overrides::default(), Acting::weight(gravity));
        let certificate = certify(model, &structure, &loads, situation, &found).unwrap();
        let verified = drystone_verify::verify(&certificate, model);
        let failed: Vec<_> = verified.claims.iter().filter(|c| !c.holds).collect();
        assert!(verified.valid, "{}: {failed:?}", model.name);
    }
    found
}

#[test]
fn vaults_domes_and_walls_stand_by_forces_that_displacement_mobilises() {
    let upright = (DVec3::X, 0.0);
    for (name, parameters) in [
        ("barrel-vault", &[][..]),
        ("cross-vault", &[]),
        ("dome", &[("courses", 8.0), ("meridians", 16.0)]),
        ("spandrel-arch", &[("courses", 8.0)]),
        ("rubble-wall", &[]),
        ("stone-house", &[]),
        ("stack", &[("blocks", 300.0)]),
        ("tower", &[("height", 3.0)]),
    ] {
        let model = built(name, parameters);
        let found = asked(&model, Method::Cra, upright);
        assert_eq!(found.verdict, Verdict::Stable, "{name}: {:?}", found.stages);
        let Evidence::Mobilised { error, reach, .. } = found.evidence else {
            panic!("{name}: {:?}", found.evidence);
        };
        assert!(error <= 1e-8 && reach >= 1.0 - 1e-9, "{name}: {error} {reach}");
    }
}

/// A wall that rocks over its long edge falls at atan(thickness / height).
#[test]
fn a_wall_falls_out_of_plane_at_the_angle_of_its_slenderness() {
    for (thickness, height) in [(0.4, 1.5), (0.3, 1.0)] {
        let model = built(
            "wall",
            &[
                ("length", 4.0),
                ("height", height),
                ("thickness", thickness),
                ("friction", 0.7),
            ],
        );
        let exact = f64::atan2(thickness, height).to_degrees();
        for (off, verdict) in [(-0.05, Verdict::Stable), (0.05, Verdict::Unstable)] {
            let found = asked(&model, Method::Cra, (DVec3::X, exact + off));
            assert_eq!(found.verdict, verdict, "{} degrees from {exact}", off);
        }
    }
}

/// Followed from angle to angle, the same wall falls at the same angle.
#[test]
fn the_critical_tilt_of_a_wall_out_of_plane_is_that_of_its_slenderness() {
    let wall = [("length", 3.0), ("height", 1.0), ("thickness", 0.3), ("friction", 0.7)];
    let structure = Structure::new(&built("wall", &wall)).unwrap();
    let found = tilt(
        &structure,
        &Loads::none(&structure),
        DVec3::X,
        Method::Cra,
        &mut Solvers::default(),
    )
    .unwrap();
    let critical = found.critical.expect("both bounds").to_degrees();
    let exact = f64::atan2(0.3, 1.0).to_degrees();
    assert!((critical - exact).abs() < 0.05, "{critical} {exact}");
    // What was followed satisfies eq. 11 as what is found anew.
    let stands = found.stands.unwrap();
    let Evidence::Mobilised { error, .. } = stands.evidence else {
        panic!("{:?}", stands.evidence);
    };
    assert!(error <= 1e-8, "{error}");
    assert_eq!(stands.stages.len(), 1, "{:?}", stands.stages);
}

/// Bonded walls and vaults of 20 to 200 blocks, tilted, with any friction: every one is decided, and where displacement
/// mobilises forces, or nothing balances the loads, equilibrium says the same.
#[test]
fn bonded_walls_and_vaults_are_decided() {
    let count: usize = std::env::var("ASSEMBLIES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(12);
    let mut random = Random(0xD1CE_5EED);
    let mut tally = [0; 3];
    for k in 0..count {
        let mut between = |from, to| random.within(from, to);
        let friction = ("friction", between(0.3, 0.9));
        let model = if k % 2 == 0 {
            let unit = between(0.4, 0.8);
            built(
                "wall",
                &[
                    ("length", between(6.0, 16.0) * unit),
                    ("height", between(4.0, 9.0) * 0.25),
                    ("thickness", between(0.25, 0.6)),
                    ("unit-length", unit),
                    friction,
                ],
            )
        } else {
            built(
                "barrel-vault",
                &[
                    ("radius", between(2.0, 4.0)),
                    ("thickness", between(0.3, 0.8)),
                    ("embrace-deg", between(110.0, 180.0)),
                    ("voussoirs", 2.0 * between(4.0, 10.0).floor() + 1.0),
                    ("blocks-along", between(2.0, 8.0).floor()),
                    friction,
                ],
            )
        };
        let axis = if between(0.0, 1.0) < 0.5 { DVec3::X } else { DVec3::Y };
        let at = (axis, between(0.0, 30.0));
        let [coupled, cone] = [Method::Cra, Method::Cone].map(|method| asked(&model, method, at));
        let what = format!("{k}: {} at {at:?}: {:?} {:?}", model.name, coupled.stages, cone.verdict);
        assert_ne!(coupled.verdict, Verdict::Undecided, "{what}");
        match coupled.evidence {
            Evidence::Growth { .. } => assert_eq!(cone.verdict, Verdict::Stable, "{what}"),
            _ => assert_eq!(coupled.verdict, cone.verdict, "{what}"),
        }
        tally[match coupled.evidence {
            Evidence::Mobilised { .. } => 0,
            Evidence::Growth { .. } => 1,
            _ => 2,
        }] += 1;
    }
    println!(
        "{count}: {} stand, {} fall without self-stress, {} fall",
        tally[0], tally[1], tally[2]
    );
    assert!(tally[0] > 0 && tally[2] > 0, "{tally:?}");
}
