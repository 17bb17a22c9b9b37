//! Paper 004, table 2: wedges of four types, tilted about three axes.

use drystone_mechanics::statics::{settle, tilted};
use glam::DVec3;

use super::{
    Allowed, Case, Context, Failure, Method, Outcome, Row, Solvers, Verdict, angle_row, equilibrium_row, short,
    structure, tilted_until,
};
use crate::reproduce::drive;

pub(super) const CASE: Case = Case {
    name: "table2",
    group: "statics",
    source: "004 table 2",
    summary: "wedges a to d tilted about x, y and xy30, friction 0.20 and 0.84",
    long: false,
    run,
};

/// How far critical angles of coupled analysis may be off (deg).
const WITHIN: f64 = 0.3;
/// Published angles of rigid-block equilibrium are mostly whole degrees.
const HALF: f64 = 0.5;
/// Where the time stepper begins (deg).
const FROM: f64 = 28.0;
pub(super) const FRICTION: [f64; 2] = [0.20, 0.84];

/// Critical angles of a wedge about an axis: coupled analysis and rigid-block equilibrium, for both frictions (deg).
pub(super) struct Entry {
    pub(super) wedge: &'static str,
    pub(super) axis: &'static str,
    pub(super) coupled: [f64; 2],
    equilibrium: [f64; 2],
}

const fn entry(wedge: &'static str, axis: &'static str, coupled: [f64; 2], equilibrium: [f64; 2]) -> Entry {
    Entry {
        wedge,
        axis,
        coupled,
        equilibrium,
    }
}

pub(super) const TABLE: [Entry; 12] = [
    entry("a", "x", [21.8, 59.2], [25.0, 180.0]),
    entry("a", "y", [71.3, 100.0], [71.3, 180.0]),
    entry("a", "xy30", [24.7, 62.9], [28.0, 180.0]),
    entry("b", "x", [21.8, 58.5], [25.0, 180.0]),
    entry("b", "y", [67.4, 109.1], [67.4, 180.0]),
    entry("b", "xy30", [24.7, 62.0], [28.0, 180.0]),
    entry("c", "x", [13.0, 44.1], [13.0, 47.0]),
    entry("c", "y", [41.3, 64.4], [41.3, 65.7]),
    entry("c", "xy30", [14.9, 40.2], [15.0, 51.0]),
    entry("d", "x", [13.0, 44.1], [13.0, 50.0]),
    entry("d", "y", [41.3, 70.0], [41.3, 70.0]),
    entry("d", "xy30", [14.9, 48.5], [15.0, 54.0]),
];

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let mut solvers = Solvers::default();
    let mut rows = Vec::new();
    for entry in &TABLE {
        for k in 0..2 {
            rows.push(coupled(entry, k, &mut solvers)?);
        }
    }
    for entry in &TABLE {
        let wedge = structure(&drive::build("wedge", &[("type", entry.wedge)])?)?;
        for (friction, published) in FRICTION.into_iter().zip(entry.equilibrium) {
            let quantity = format!("type-{} about {}, mu {friction}, rbe (deg)", entry.wedge, entry.axis);
            let about = axis(entry.axis);
            let row = equilibrium_row(quantity, published, &wedge, about, friction, HALF, &mut solvers)?;
            rows.push(row);
        }
    }
    rows.push(settling(context.pick(2.0, 4.0))?);
    rows.push(solvers.certificates());
    Ok(Outcome {
        rows,
        plots: Vec::new(),
    })
}

pub(super) fn axis(name: &str) -> DVec3 {
    match name {
        "x" => DVec3::X,
        "y" => DVec3::Y,
        _ => DVec3::new(3_f64.sqrt(), 1.0, 0.0),
    }
}

/// A critical angle of coupled analysis, for the first or the second friction.
pub(super) fn coupled(entry: &Entry, which: usize, solvers: &mut Solvers) -> Result<Row, Failure> {
    let wedge = structure(&drive::build("wedge", &[("type", entry.wedge)])?)?.with_friction(FRICTION[which]);
    let found = tilted_until(&wedge, axis(entry.axis), Method::Cra, solvers)?;
    let quantity = format!(
        "type-{} about {}, mu {}, cra (deg)",
        entry.wedge, entry.axis, FRICTION[which]
    );
    Ok(angle_row(quantity, entry.coupled[which], &found, WITHIN))
}

/// Between coupled analysis (40.2) and the time stepper of 3DEC (48.1) type-c about xy30 slides a little and comes to rest:
/// the same question put to ours.
fn settling(step: f64) -> Result<Row, Failure> {
    let model = drive::build("wedge", &[("type", "c"), ("friction", "0.84")])?;
    let (mut last, mut seen) = (f64::NAN, Vec::new());
    for k in 0..=((54.0 - FROM) / step) as usize {
        let angle = FROM + step * k as f64;
        let gravity = tilted(model.gravity, axis("xy30").normalize(), angle.to_radians());
        let found = settle(&model, gravity).map_err(Failure::run)?;
        let moved = format!("{} ({:.0} mm)", short(angle), 1e3 * found.displacement);
        match found.verdict {
            Verdict::Stable => last = angle,
            _ => {
                seen.push(format!("{moved} {}", found.verdict.name()));
                break;
            }
        }
        seen.push(moved);
    }
    let row = Row::figure(
        "type-c about xy30, mu 0.84, time stepping (deg)",
        48.1,
        last,
        Allowed::Within(step),
    );
    Ok(row.note(format!(
        "published: 3DEC; in steps of {step}°, with what the block moves by: {}",
        seen.join(", ")
    )))
}
