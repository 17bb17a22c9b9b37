//! Paper 001, figures 6 and 7: a stand-alone arch under concentrated loads.
//!
//! The layout is in a drawing. Its text asks for a semicircle (the springers slide horizontally on their imposts), for the
//! span of the spandrel arch that is built on it (7.6 m), and for a mechanism that is alike on both sides with hinges at
//! the crown and the haunches. Half of the load over the crown, a quarter 60 degrees from it on either side, and a
//! thickness of 0.471 m meet both published loads; they were chosen for that among several layouts. Met figures are
//! therefore no validation; that the methods agree is.

use drystone_cone::Friction;
use drystone_mechanics::{
    dynamics::{Simulation, SimulationSettings, max_displacement},
    statics::{LimitSettings, Loads, Method, Verdict},
};
use drystone_model::{
    LoadCase, Model, PointForce,
    motion::{CompileSettings, Supports},
};
use glam::DVec3;

use super::{Allowed, Case, Context, Failure, Outcome, Row, Solvers, Structure, limited, short, structure};
use crate::reproduce::drive;

pub(super) const CASE: Case = Case {
    name: "point-loads",
    group: "statics",
    source: "001 figs. 6, 7",
    summary: "an arch under concentrated loads: collapse by hinges, and with springers that slide",
    long: false,
    run,
};

/// Radius of the soffit, as the spandrel arch's (m).
const SOFFIT: f64 = 3.8;
const THICKNESS: f64 = 0.471;
const VOUSSOIRS: usize = 21;
/// Part of the load by which methods may differ.
const AGREE: f64 = 0.01;
/// Where the loads stand, as angles from the crown (deg), and their parts of the whole.
pub(super) const PLACES: &[(f64, f64)] = &[(-60.0, 0.25), (0.0, 0.5), (60.0, 0.25)];
/// Name of the load case that the simulation takes.
const CASE_NAME: &str = "point loads";

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let mut rows = Vec::new();
    let mut solvers = Solvers::default();
    for (friction, published) in [(0.8, 0.10), (0.4, 0.06)] {
        rows.extend(collapse(context, friction, published, &mut solvers)?);
    }
    rows.push(solvers.certificates());
    Ok(Outcome {
        rows,
        plots: Vec::new(),
    })
}

fn collapse(context: &Context<'_>, friction: f64, published: f64, solvers: &mut Solvers) -> Result<Vec<Row>, Failure> {
    let model = arch()?;
    let arch = structure(&model)?.with_friction(friction);
    let none = Loads::none(&arch);
    let live = unit_load(&model, &arch)?;
    let of = |friction| LimitSettings {
        friction,
        ..LimitSettings::default()
    };
    let mut bound = |law| limited(&arch, &none, &live, &of(law), solvers);
    let (associated, coulomb) = (bound(Friction::Associated)?, bound(Friction::Coulomb)?);
    let what = format!("mu {friction}, load over weight");
    // "Of the order of": half a unit of the figure's last digit.
    let mut rows = vec![
        Row::figure(
            format!("{what}: associated limit"),
            published,
            associated.bounds[0],
            Allowed::Within(0.005),
        )
        .note(format!(
            "{VOUSSOIRS} voussoirs, {THICKNESS} m deep, soffit of radius {SOFFIT} m, half of the load over the crown, a quarter 60° to either side: chosen to meet both figures"
        )),
        Row::figure(
            format!("{what}: limit without dilatancy"),
            associated.bounds[0],
            coulomb.bounds[0],
            Allowed::Part(AGREE),
        )
        .note("published: the associated limit here"),
    ];
    let mut sides = Vec::new();
    for factor in [1.0 - AGREE, 1.0 + AGREE] {
        let further = none.plus(&live, factor * associated.bounds[0]);
        let mut ask = |method| {
            let found = solvers.check(&arch, arch.gravity, &further, method)?;
            Ok::<_, Failure>(found.verdict)
        };
        sides.push((ask(Method::Cone)?, ask(Method::Cra)?));
    }
    let both = |pick: fn(&(Verdict, Verdict)) -> Verdict| {
        let names: Vec<&str> = sides.iter().map(|s| pick(s).name()).collect();
        names.join(", ")
    };
    rows.push(Row::words(
        format!("mu {friction}, 1 % below and above, cone"),
        "stable, unstable",
        both(|s| s.0),
    ));
    rows.push(Row::words(
        format!("mu {friction}, 1 % below and above, cra"),
        "stable, unstable",
        both(|s| s.1),
    ));
    let limits = [associated.bounds[0], coulomb.bounds[0]];
    rows.extend(moves(context, &model, friction, limits)?);
    Ok(rows)
}

/// Whether the arch moves under loads around the limits, by the time stepper with either law of friction.
fn moves(context: &Context<'_>, model: &Model, friction: f64, limits: [f64; 2]) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for (law, name, limit) in [
        (Friction::Associated, "associated", limits[0]),
        (Friction::Coulomb, "coulomb", limits[1]),
    ] {
        let mut outcomes = Vec::new();
        let mut paths = Vec::new();
        for factor in [1.0 - AGREE, 1.0 + AGREE] {
            let path = simulated(context, model, friction, law, factor * limit)?;
            outcomes.push(if path > 1e-4 { "falls" } else { "stands" });
            paths.push(format!("{} m", short(path)));
        }
        let row = Row::words(
            format!("mu {friction}, 1 % below and above the {name} limit, time stepping"),
            "stands, falls",
            outcomes.join(", "),
        );
        rows.push(row.note(format!("moves by {} within 1 s", paths.join(", "))));
    }
    Ok(rows)
}

/// How far a block moves within a second under loads of a part of the arch's weight (m).
fn simulated(context: &Context<'_>, model: &Model, friction: f64, law: Friction, part: f64) -> Result<f64, Failure> {
    let mut model = model.clone();
    model.joints.friction = friction;
    if let Some(case) = model.load_cases.get_mut(CASE_NAME) {
        case.forces.iter_mut().for_each(|f| f.force *= part);
    }
    let settings = SimulationSettings {
        friction: law,
        ..SimulationSettings::default()
    };
    let supports = Supports::new(&model, &CompileSettings::default(), &[]).map_err(Failure::run)?;
    let mut simulation = Simulation::new(&model, settings, supports, &[CASE_NAME.to_string()]).map_err(Failure::run)?;
    let mut path: f64 = 0.0;
    drive::run(context, &mut simulation, 1.0, &[], |simulation, _| {
        path = max_displacement(simulation.structure(), simulation.state(), DVec3::ZERO);
        path > 0.01
    })?;
    Ok(path)
}

/// The arch, with loads as heavy as itself as a load case.
fn arch() -> Result<Model, Failure> {
    let values = [
        ("radius", (SOFFIT + 0.5 * THICKNESS).to_string()),
        ("thickness", THICKNESS.to_string()),
        ("voussoirs", VOUSSOIRS.to_string()),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
    let mut model = drive::build("arch", &values)?;
    let weight: f64 = model.free_blocks().map(|b| model.mass_of(b).0).sum::<f64>() * model.gravity.length();
    let mut forces = Vec::new();
    for (block, at, part) in places(&model, SOFFIT + THICKNESS, PLACES) {
        forces.push(PointForce {
            block: model.blocks[block].name.clone(),
            force: DVec3::new(0.0, 0.0, -weight * part),
            at: Some(at),
        });
    }
    let case = LoadCase {
        forces,
        ..LoadCase::default()
    };
    model.load_cases.insert(CASE_NAME.to_string(), case);
    Ok(model)
}

fn unit_load(model: &Model, arch: &Structure) -> Result<Loads, Failure> {
    Loads::case(model, arch, CASE_NAME).map_err(Failure::run)
}

/// Where the loads act on a ring about the origin: stones of the group `arch`, points of their backs, and parts of the load.
pub(super) fn places(model: &Model, outer: f64, where_to: &[(f64, f64)]) -> Vec<(usize, DVec3, f64)> {
    let place = |&(degrees, part): &(f64, f64)| {
        let x = outer * degrees.to_radians().sin();
        let (block, z) = highest(model, x)?;
        Some((block, DVec3::new(x, 0.0, z), part))
    };
    where_to.iter().filter_map(place).collect()
}

/// The stone of the ring that lies highest at a place along x, and how high it reaches there (m).
pub(super) fn highest(model: &Model, x: f64) -> Option<(usize, f64)> {
    let in_ring = |b: &usize| model.blocks[*b].group.as_deref() == Some("arch");
    let stones = (0..model.blocks.len()).filter(in_ring);
    let tops = stones.filter_map(|b| Some((b, top(model, b, x)?)));
    tops.max_by(|p, q| p.1.total_cmp(&q.1))
}

/// How high a stone reaches at a place along x, if it lies there (m).
fn top(model: &Model, block: usize, x: f64) -> Option<f64> {
    let solid = model.blocks[block].polyhedron();
    let mut highest: Option<f64> = None;
    for face in &solid.faces {
        for k in 0..face.len() {
            let a = solid.vertices[face[k] as usize];
            let b = solid.vertices[face[(k + 1) % face.len()] as usize];
            if (a.x - x) * (b.x - x) <= 0.0 && a.x != b.x {
                let z = a.z + (b.z - a.z) * (x - a.x) / (b.x - a.x);
                highest = Some(highest.map_or(z, |h: f64| h.max(z)));
            }
        }
    }
    highest
}
