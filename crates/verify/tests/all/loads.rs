//! What acts by load cases of the model, on faces above all, and mass that blocks carry: the sums are known from the statics of one
//! block. A certificate states load cases by name, and what they come to is for the verification to find.

use crate::common::*;
use drystone_model::geometry::Polyhedron;
use drystone_model::{
    AddedMass, Block, BodyForce, Couple, Hydrostatic, LoadCase, Model, PointForce, Shape, SurfaceLoad,
    certificate::{ActingCase, Claim},
};
use glam::{DVec2, DVec3};
use proptest::prelude::*;

const WATER: f64 = 9810.0;
/// Half length, half width and height of the block of [`block_on_support`] (m), and its weight (N).
const BLOCK: [f64; 3] = [0.5, 0.4, 0.5];
const WEIGHT: f64 = 2000.0 * 0.4 * G;

/// Water against the left face of the block, up to a level.
fn water(level: f64) -> SurfaceLoad {
    SurfaceLoad {
        blocks: vec!["block".into()],
        facing: Some(DVec3::NEG_X),
        hydrostatic: Some(Hydrostatic {
            level,
            unit_weight: WATER,
            lateral: 1.0,
        }),
        ..SurfaceLoad::on_groups(&[])
    }
}

fn act(case: &mut Case, name: &str, factor: f64) {
    let name = name.into();
    case.certificate.situation.load_cases.push(ActingCase { name, factor });
}

/// The block stands under `[x, z]` forces that meet its middle plane at a height and beside the middle: pressures over its corners that
/// balance them, friction in proportion.
fn standing(model: &Model, mass: f64, force: DVec2, moment: f64) -> Case {
    let mut case = claim(model, DVec3::NEG_Z * G, Claim::Stable);
    let down = mass * G - force.y;
    for (x, y) in [(-0.5, -0.4), (0.5, -0.4), (0.5, 0.4), (-0.5, 0.4)] {
        let press = 0.25 * down + moment / (4.0 * x);
        let push = DVec3::new(-force.x * press / down, 0.0, press);
        case = case.force(["support", "block"], DVec3::new(x, y, 0.0), DVec3::Z, push);
    }
    case.certificate.measured.weight_n = mass * G;
    case
}

/// The block holds water of some depth back: `g d²/2` by the metre, at a third of the depth.
fn dam(depth: f64, factor: f64) -> Case {
    let mut model = block_on_support();
    model.load_cases.insert(
        "water".into(),
        LoadCase {
            surfaces: vec![water(depth)],
            ..LoadCase::default()
        },
    );
    let thrust = factor * 0.5 * WATER * depth * depth * 2.0 * BLOCK[1];
    let mut case = standing(&model, WEIGHT / G, DVec2::new(thrust, 0.0), thrust * depth / 3.0);
    act(&mut case, "water", factor);
    case.certificate.measured.weight_n += thrust;
    case
}

#[test]
fn water_against_a_block_is_balanced_or_refused() {
    for depth in [0.1, 0.33, 0.5] {
        for factor in [1.0, 1.7] {
            assert_valid(&dam(depth, factor));
        }
    }
    let told = dam(0.4, 2.0).verify();
    let situation = told.claims.iter().find(|c| c.claim.contains("situation")).unwrap();
    assert!(
        situation.detail.contains("load case `water` 2 times"),
        "{}",
        situation.detail
    );
}

/// Every kind of load at once, each with a resultant that is known.
#[test]
fn all_kinds_of_loads_in_a_case_count() {
    let mut model = block_on_support();
    let on = |way: DVec3| SurfaceLoad {
        facing: Some(way),
        ..SurfaceLoad {
            hydrostatic: None,
            ..water(0.0)
        }
    };
    let case = LoadCase {
        forces: vec![PointForce {
            block: "block".into(),
            force: DVec3::new(100.0, 0.0, -50.0),
            at: Some(DVec3::new(0.5, 0.0, 0.3)),
        }],
        couples: vec![Couple {
            block: "block".into(),
            moment: DVec3::new(0.0, 70.0, 0.0),
        }],
        body: vec![BodyForce {
            acceleration: DVec3::X * 0.2,
            groups: Vec::new(),
        }],
        surfaces: vec![
            SurfaceLoad {
                pressure_pa: Some(2000.0),
                ..on(DVec3::NEG_X)
            },
            SurfaceLoad {
                traction_pa: Some(DVec3::new(300.0, 0.0, -500.0)),
                faces: vec![1],
                ..on(DVec3::Z)
            },
        ],
        history: None,
    };
    model.load_cases.insert("all".into(), case);
    // Forces along x with their heights, and those along z with their places.
    let side = 2000.0 * 0.8 * 0.5;
    let along = [(100.0, 0.3), (800.0 * 0.2, 0.25), (side, 0.25), (300.0 * 0.8, 0.5)];
    let [x, moment] = along
        .iter()
        .fold([0.0, 70.0 + 50.0 * 0.5], |[x, m], (f, z)| [x + f, m + f * z]);
    let force = DVec2::new(x, -50.0 - 500.0 * 0.8);
    let mut case = standing(&model, WEIGHT / G, force, moment);
    act(&mut case, "all", 1.0);
    case.certificate.measured.weight_n += force.length();
    assert_valid(&case);
}

/// Pressure on a sloped face that is not convex, part under water: against sums over a thousand strips of its area.
#[test]
fn pressure_on_a_face_of_any_outline_is_the_sum_over_its_strips() {
    // A sheet standing on the support, seen along x a fork whose prongs point down, leaning.
    let outline = [
        [0.0, 4.0],
        [0.0, 0.0],
        [1.0, 0.0],
        [1.0, 3.0],
        [2.0, 3.0],
        [2.0, 0.0],
        [3.0, 0.0],
        [3.0, 4.0],
    ];
    let lean = |y: f64, z: f64| DVec3::new(0.25 * z, 0.3 * (y - 1.5), 0.3 * z);
    let front: Vec<DVec3> = outline.iter().map(|p| lean(p[0], p[1])).collect();
    let mut model = block_on_support();
    model.blocks[1].shape = Shape::from(Polyhedron::extruded(&front, DVec3::X * 0.4));
    let (level, lateral) = (1.05, 0.6);
    let way = (front[0] - front[1]).cross(front[1] - front[2]).normalize();
    let way = if way.x < 0.0 { way } else { -way };
    let load = SurfaceLoad {
        facing: Some(way),
        within_deg: 1.0,
        hydrostatic: Some(Hydrostatic {
            level,
            unit_weight: WATER,
            lateral,
        }),
        ..water(level)
    };
    let found = load.pressures(&model);
    assert_eq!(found.len(), 1);
    let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
    let strips = 4000;
    let per_area = -WATER * DVec3::new(lateral * way.x, lateral * way.y, way.z);
    let slope = (lean(0.0, 1.0) - lean(0.0, 0.0)).length();
    for k in 0..strips {
        let z = 4.0 * (f64::from(k) + 0.5) / f64::from(strips);
        let pieces: &[[f64; 2]] = if z < 3.0 {
            &[[0.0, 1.0], [2.0, 3.0]]
        } else {
            &[[0.0, 3.0]]
        };
        for [a, b] in pieces {
            let at = lean(0.5 * (a + b), z);
            let area = 0.3 * (b - a) * slope * 4.0 / f64::from(strips);
            let push = (level - at.z).max(0.0) * area * per_area;
            (force, moment) = (force + push, moment + at.cross(push));
        }
    }
    let size = force.length();
    assert!(
        (found[0].force - force).length() < 1e-6 * size,
        "{} {force}",
        found[0].force
    );
    assert!((found[0].at.cross(found[0].force) - moment).length() < 1e-6 * size);
    // The verification finds the same, by sums of its own: what the file says is balanced by exactly that force.
    model.load_cases.insert(
        "water".into(),
        LoadCase {
            surfaces: vec![load],
            ..LoadCase::default()
        },
    );
    let mut case = claim(&model, DVec3::NEG_Z * 1e-9, Claim::Stable);
    act(&mut case, "water", 1.0);
    act(&mut case, "answer", 1.0);
    case.model.load_cases.insert(
        "answer".into(),
        LoadCase {
            forces: vec![PointForce {
                block: "block".into(),
                force: -found[0].force,
                at: Some(found[0].at),
            }],
            ..LoadCase::default()
        },
    );
    // Nothing is left over of them, and the weight that there is comes to rest on the feet; what fails is not the balance.
    case.certificate.measured.weight_n = 0.0;
    let weight = case.model.mass_of(&case.model.blocks[1]).0 * 1e-9;
    let told = case.verify();
    let stated = told
        .claims
        .iter()
        .find(|c| c.claim.contains("weight is as stated"))
        .unwrap();
    let found: f64 = stated
        .detail
        .split("found ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(found < weight + 1e-9 * size, "{found} {weight} {size}");
}

/// What a certificate may not do with load cases.
#[test]
fn forged_loads_on_faces_are_refused() {
    // A load case that the model does not have.
    let mut other = dam(0.4, 1.0);
    other.certificate.situation.load_cases[0].name = "wine".into();
    assert_fails(&other, "are sound");
    // Water that is there and not in the certificate, twice in it, or as much more.
    let mut dry = dam(0.4, 1.0);
    dry.certificate.situation.load_cases.clear();
    assert_fails(&dry, "balance");
    let mut twice = dam(0.4, 1.0);
    act(&mut twice, "water", 1.0);
    assert_fails(&twice, "balance");
    let mut more = dam(0.4, 1.0);
    more.certificate.situation.load_cases[0].factor = 1.001;
    assert_fails(&more, "balance");
    let mut odd = dam(0.4, 1.0);
    odd.certificate.situation.load_cases[0].factor = f64::NAN;
    assert_fails(&odd, "finite");
    // Taken off by a force that the file lists beside it: it is told that it acts, and the weight that is stated is another.
    let mut hidden = standing(&dam(0.4, 1.0).model, WEIGHT / G, DVec2::ZERO, 0.0);
    act(&mut hidden, "water", 1.0);
    assert_fails(&hidden, "balance");
    // A load of which two things are said, or none, means nothing.
    for given in [None, Some(5.0)] {
        let mut unclear = dam(0.4, 1.0);
        let load = &mut unclear.model.load_cases["water"].surfaces[0];
        load.pressure_pa = given;
        load.hydrostatic = load.hydrostatic.filter(|_| given.is_some());
        assert_fails(&unclear, "are sound");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Forces for one depth, another factor, a uniform pressure with the same resultant or the thrust of earth: none balances water.
    #[test]
    fn forces_for_another_pressure_are_refused(
        depth in 0.05..0.5f64, kind in 0..4usize, off in prop_oneof![0.5..0.99f64, 1.01..1.6f64],
    ) {
        let mut case = dam(depth, 1.0);
        let thrust = 0.5 * WATER * depth * depth * 0.8;
        let weight = case.certificate.measured.weight_n;
        let load = &mut case.model.load_cases["water"].surfaces[0];
        match kind {
            0 => load.hydrostatic.as_mut().unwrap().level *= off,
            1 => load.hydrostatic.as_mut().unwrap().unit_weight *= off,
            2 => load.hydrostatic.as_mut().unwrap().lateral *= off,
            _ => {
                // The same force, at half of the height instead of a third of the depth.
                load.hydrostatic = None;
                load.pressure_pa = Some(thrust / 0.4);
            }
        }
        // Whoever forges states the weight that is found.
        case.certificate.measured.weight_n = if kind == 3 { weight } else {
            let load = load.clone();
            WEIGHT + load.pressures(&case.model)[0].force.length()
        };
        case.certificate.measured.equilibrium_residual = Some(1.0);
        let found = case.verify();
        prop_assert!(!found.valid);
        prop_assert!(failures(&found).iter().all(|f| f.contains("balance")), "{:?}", failures(&found));
    }
}

/// A block that carries mass beyond its edge stands on the pressures of both together, and not on those of its own weight.
#[test]
fn mass_that_a_block_carries_weighs_where_it_is() {
    let mut model = block_on_support();
    let added = AddedMass {
        mass: 300.0,
        center: DVec3::new(0.6, 0.0, 0.9),
        inertia: [0.0; 6],
    };
    model.blocks[1].added_mass.push(added);
    let mass = WEIGHT / G + 300.0;
    let right = standing(&model, mass, DVec2::ZERO, 300.0 * G * 0.6);
    assert_valid(&right);
    for (total, moment) in [(WEIGHT / G, 0.0), (mass, 0.0), (mass, 300.0 * G * 0.5)] {
        let mut wrong = standing(&model, total, DVec2::ZERO, moment);
        wrong.certificate.measured.weight_n = mass * G;
        assert_fails(&wrong, "balance");
    }
    // Another density moves the centre: the shapes that were found before do not tell it.
    let mut light = standing(&model, 0.5 * WEIGHT / G + 300.0, DVec2::ZERO, 300.0 * G * 0.6);
    light.certificate.situation.density = Some(1000.0);
    assert_valid(&light);
    // In a posed block the mass is where its frame puts it.
    let mut posed = right.clone();
    let block: &mut Block = &mut posed.model.blocks[1];
    block.pose.position = DVec3::new(0.0, 0.0, 0.25);
    block.shape = Shape::cuboid(DVec3::new(-0.5, -0.4, -0.25), DVec3::new(0.5, 0.4, 0.25));
    block.added_mass[0].center.z -= 0.25;
    assert_valid(&posed);
    posed.model.blocks[1].added_mass[0].center.x = -0.6;
    assert_fails(&posed, "balance");
}
