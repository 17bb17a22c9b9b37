//! Paper 001, figure 8: the same loads on an arch that carries its spandrels as dead weight, and on the whole wall.

use drystone_mechanics::statics::{LimitSettings, Loads, Method, Verdict};
use drystone_model::Model;
use glam::DVec3;

use super::{
    Allowed, Case, Context, Failure, Outcome, Row, Solvers, Structure, limited,
    point_loads::{PLACES, highest, places},
    short, structure,
};
use crate::reproduce::drive;

pub(super) const CASE: Case = Case {
    name: "spandrel-load",
    group: "statics",
    source: "001 fig. 8",
    summary: "concentrated loads on an arch under dead spandrels, and on the spandrel wall",
    long: false,
    run,
};

/// Load, over the weight of the sole arch, that the paper's arch fails under.
const LOAD: f64 = 0.40;
/// Height of the wall (m).
const TOP: f64 = 5.0;
/// Radius of the opening and depth of the ring (m).
const OUTER: f64 = 3.8 + 0.7;
/// Thickness of the wall (m).
const DEPTH: f64 = 0.8;
/// One load, over the crown.
const CROWN: &[(f64, f64)] = &[(0.0, 1.0)];
/// Strips that the wall above the ring is cut into.
const STRIPS: usize = 2000;

fn run(_: &Context<'_>) -> Result<Outcome, Failure> {
    let mut solvers = Solvers::default();
    let wall = drive::build("spandrel-arch", &[])?;
    let mut ring = wall.clone();
    ring.blocks.retain(|b| b.fixed || b.group.as_deref() == Some("arch"));
    let alone = structure(&ring)?;
    let dead = spandrels(&ring, &alone);
    let mut rows = Vec::new();
    for (places, name) in [(PLACES, "those of point-loads"), (CROWN, "one over the crown")] {
        let live = point_loads(&ring, &alone, places);
        let found = limited(&alone, &dead, &live, &LimitSettings::default(), &mut solvers)?;
        let row = Row::figure(
            format!("arch under dead spandrels, loads {name}: load over its own weight"),
            LOAD,
            found.bounds[0],
            Allowed::Within(0.05),
        );
        rows.push(row.note("bond and places of the loads are in a drawing"));
    }
    let whole = structure(&wall)?;
    let live = point_loads(&wall, &whole, CROWN);
    let times = |part: f64| Loads::none(&whole).plus(&live, part);
    for method in [Method::Cone, Method::Cra] {
        let found = solvers.check(&whole, whole.gravity, &times(LOAD), method)?;
        let quantity = format!("whole wall under 40 % over the crown, {}", method.name());
        rows.push(Row::words(quantity, "stable", found.verdict.name()).note(found.reason));
    }
    let (mut stands, mut part) = (LOAD, 2.0 * LOAD);
    while part < 20.0 {
        let found = solvers.check(&whole, whole.gravity, &times(part), Method::Cone)?;
        if found.verdict != Verdict::Stable {
            break;
        }
        (stands, part) = (part, 2.0 * part);
    }
    let row = Row::shown("whole wall, cone: load over the arch's weight", "more", short(stands));
    rows.push(row.note(format!(
        "still stands; twice that is {}",
        if part < 20.0 { "too much" } else { "not asked" }
    )));
    rows.push(solvers.certificates());
    Ok(Outcome {
        rows,
        plots: Vec::new(),
    })
}

/// The weight of the wall above the ring, each strip on the stone that lies under it.
fn spandrels(ring: &Model, alone: &Structure) -> Loads {
    let mut loads = Loads::none(alone);
    let reach = ring.bounds(|b| !b.fixed).max.x;
    let width = 2.0 * reach / STRIPS as f64;
    for k in 0..STRIPS {
        let x = -reach + (k as f64 + 0.5) * width;
        let Some((b, z)) = highest(ring, x) else { continue };
        let weight = ring.density * DEPTH * width * (TOP - z).max(0.0) * alone.gravity.length();
        loads.push(alone, b, DVec3::new(0.0, 0.0, -weight), DVec3::new(x, 0.0, z));
    }
    loads
}

/// Loads as heavy as the sole arch.
fn point_loads(model: &Model, structure: &Structure, where_to: &[(f64, f64)]) -> Loads {
    let in_ring = |b: &usize| model.blocks[*b].group.as_deref() == Some("arch");
    let mass: f64 = (0..structure.len()).filter(in_ring).map(|b| structure.mass[b]).sum();
    let mut loads = Loads::none(structure);
    for (block, at, part) in places(model, OUTER, where_to) {
        loads.push(structure, block, mass * part * structure.gravity, at);
    }
    loads
}
