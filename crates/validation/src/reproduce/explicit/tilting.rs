//! Paper 004, table 2: wedges that are tilted, beside the distinct element program of the paper.

use drystone_analysis::Failure;
use drystone_mechanics::{
    Structure,
    dynamics::JointStiffness,
    slow::{Path, PathEnd, PathSettings, PathWay},
    statics::{Verdict, settle, tilted},
};
use drystone_model::{Model, Stage, StageTilt, Stages};
use glam::DVec3;

use super::{Case, Context, GROUP, Outcome, Row, STIFFNESS, drive, short};

pub(super) const CASE: Case = Case {
    name: "table2-explicit",
    group: GROUP,
    source: "004 table 2, 3DEC",
    summary: "wedges a to d tilted about x, y and xy30 by explicit steps with Coulomb friction, beside 3DEC",
    long: false,
    run,
};

const FRICTION: [f64; 2] = [0.20, 0.84];
/// Last tilt that is looked at (deg).
const LAST: u32 = 120;
/// The paper gives angles to a tenth of a degree, and tilts in steps of its own.
const SLACK: f64 = 0.3;

/// What the paper has from 3DEC for both frictions (deg).
const TABLE: [(&str, &str, [f64; 2]); 12] = [
    ("a", "x", [21.8, 59.2]),
    ("a", "y", [71.3, 100.0]),
    ("a", "xy30", [24.8, 62.7]),
    ("b", "x", [21.8, 58.7]),
    ("b", "y", [67.4, 109.1]),
    ("b", "xy30", [24.8, 63.1]),
    ("c", "x", [13.0, 44.1]),
    ("c", "y", [41.3, 64.5]),
    ("c", "xy30", [14.9, 48.1]),
    ("d", "x", [13.0, 44.1]),
    ("d", "y", [41.3, 70.0]),
    ("d", "xy30", [14.9, 49.0]),
];

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let step = context.pick(1, 2);
    let mut rows = Vec::new();
    for (wedge, axis, published) in &TABLE {
        for (friction, published) in FRICTION.into_iter().zip(*published) {
            let model = drive::build("wedge", &[("type", wedge), ("friction", &friction.to_string())])?;
            let name = format!("type-{wedge} about {axis}, mu {friction}");
            let (found, moved) = turned(&model, direction(axis), step)?;
            let anew = let_go(&model, direction(axis))?;
            rows.push(
                Row::between(format!("{name}: stands, falls (deg)"), published, found, SLACK).note(format!(
                    "tilted in steps of {step}°; moved by {} mm before it falls; let go at a tilt it stands at {}° and falls at {}°",
                    short(1e3 * moved),
                    short(anew[0]),
                    short(anew[1])
                )),
            );
        }
    }
    Ok(Outcome { rows, plots: vec![] })
}

fn direction(axis: &str) -> DVec3 {
    match axis {
        "x" => DVec3::X,
        "y" => DVec3::Y,
        _ => DVec3::new(3_f64.sqrt(), 1.0, 0.0),
    }
}

/// The last tilt at which a wedge comes to rest and the first at which it does not (deg), turned on from one to the next; and how
/// far it had moved at the last (m).
fn turned(model: &Model, axis: DVec3, step: u32) -> Result<([f64; 2], f64), Failure> {
    let stage = |name: &str, steps: u32, tilt: Option<StageTilt>| Stage {
        name: name.to_string(),
        steps: Some(steps),
        tilt,
        ..Stage::default()
    };
    let tilt = StageTilt {
        axis,
        angle_deg: f64::from(LAST),
    };
    let stages = vec![stage("weight", 1, None), stage("tilt", LAST / step, Some(tilt))];
    let settings = PathSettings {
        stiffness: Some(JointStiffness {
            normal: STIFFNESS,
            tangential: STIFFNESS,
        }),
        way: PathWay::Relaxation,
    };
    let mut path = Path::new(model, Structure::new(model)?, &Stages { stages }, settings)?;
    let angles = match path.follow(|_| ())? {
        PathEnd::Completed => [f64::from(LAST), f64::INFINITY],
        PathEnd::NoEquilibrium { stage: 0, .. } => [f64::NEG_INFINITY, 0.0],
        PathEnd::NoEquilibrium { between, .. } => between.map(|part| part * f64::from(LAST)),
    };
    let moved = path.points().last().map_or(0.0, |p| p.displacement);
    Ok((angles, moved))
}

/// The same where the wedge is let go at each tilt, from slightly open joints: between angles two degrees apart.
fn let_go(model: &Model, axis: DVec3) -> Result<[f64; 2], Failure> {
    let mut angles = [0.0, f64::from(LAST) + 8.0];
    while angles[1] - angles[0] > 2.0 {
        let middle = 0.5 * (angles[0] + angles[1]);
        let gravity = tilted(model.gravity, axis.normalize(), middle.to_radians());
        let stands = settle(model, gravity).map_err(Failure::run)?.verdict == Verdict::Stable;
        angles[usize::from(!stands)] = middle;
    }
    Ok(angles)
}
