//! The stone house under one-sine impulses.

use drystone_mechanics::dynamics::SimulationSettings;
use drystone_output::plot::{Panel, Plot};

use super::{
    case::{Allowed, Case, Context, Outcome, Row},
    drive::{self, History},
    measure::{nearest, peaks, times},
};
use drystone_analysis::Failure;

pub(super) const CASE: Case = Case {
    name: "stone-house",
    group: "dynamics",
    source: "003 section 4.5.1, figs. 17 to 20",
    summary: "the stone house under 0.8 g towards -y: recovers from 0.20 s, loses its facade by 0.40 s",
    long: false,
    run,
};

pub(super) const MONITORED: [&str; 3] = ["top-central", "top-south", "top-north"];
/// Residual displacement that is still slight: a tenth of the walls' thickness (m).
const SLIGHT: f64 = 0.05;

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let dt = context.pick(1e-3, 5e-3);
    let short = shake(context, drive::steps_of(dt), 0.2, 2.0)?;
    let residual = |h: &History| {
        let last = |samples: &Vec<drive::Sample>| samples.last().map_or(0.0, |s| s.moved.length());
        h.blocks.iter().map(last).fold(0.0, f64::max)
    };
    let stands = |h: &History| if h.collapsed.is_some() { "collapses" } else { "recovers" };
    let mut rows = vec![
        Row::words("half-period 0.20 s, outcome", "recovers", stands(&short)).note(format!("dt {dt}")),
        Row::figure(
            "half-period 0.20 s, largest residual displacement (m)",
            SLIGHT,
            residual(&short),
            Allowed::AtMost,
        )
        .note("published: slightly deformed; a tenth of the wall's thickness is taken for it"),
    ];
    let curve = short.energy(|e| e.potential);
    let highest = curve.iter().map(|p| p[1]).fold(0.0, f64::max);
    let found = peaks(&curve, 0.05 * highest);
    for (k, time) in [0.25, 0.65].into_iter().enumerate() {
        let quantity = format!("half-period 0.20 s, potential-energy peak {} (s)", k + 1);
        let row = Row::figure(quantity, time, nearest(&found, time), Allowed::Within(0.05));
        rows.push(row.note(format!(
            "peaks: {}; the drawing of the house is not in the text",
            times(&found)
        )));
    }
    let long = shake(context, drive::steps_of(dt), 0.4, 2.5)?;
    let top = long.block(0, |s| s.moved.y).last().map_or(0.0, |p| p[1]);
    let way = match (long.collapsed, top) {
        (None, _) => "stands",
        (Some(_), y) if y < -0.5 => "facade falls outward",
        (Some(_), _) => "falls otherwise",
    };
    rows.push(
        Row::words("half-period 0.40 s, outcome", "facade falls outward", way).note(format!(
            "top of the gable at {top:.2} m along y; a fifth of the potential energy lost at {}",
            long.collapsed.map_or("no time".to_string(), |t| format!("{t:.2} s"))
        )),
    );
    let plots = vec![
        ("stone-house-0-20".to_string(), plot("0.20", dt, &short)),
        ("stone-house-0-40".to_string(), plot("0.40", dt, &long)),
    ];
    Ok(Outcome { rows, plots })
}

pub(super) fn shake(
    context: &Context<'_>,
    settings: SimulationSettings,
    half_period: f64,
    duration: f64,
) -> Result<History, Failure> {
    let model = drive::build("stone-house", &[])?;
    let motion = format!("impulse:peak=0.8g,half_period={half_period},direction=-y");
    let mut simulation = drive::simulation_with(&model, settings, &motion)?;
    let blocks = MONITORED
        .iter()
        .map(|name| drive::index(&model, name))
        .collect::<Result<Vec<_>, _>>()?;
    drive::run(context, &mut simulation, duration, &blocks, |_, _| false)
}

fn plot(half_period: &str, dt: f64, history: &History) -> Plot {
    let mut displacement = Panel::new("time (s)", "displacement along y (m)");
    for (k, name) in MONITORED.iter().enumerate() {
        displacement = displacement.line(name.replace('-', " "), history.block(k, |s| s.moved.y));
    }
    Plot::new()
        .size(720, 640)
        .title(format!(
            "Stone house, 0.8 g, half-period {half_period} s, relative to the ground, dt = {dt} s"
        ))
        .panel(displacement)
        .panel(
            Panel::new("time (s)", "energy over weight (m)")
                .line("kinetic", history.energy(|e| e.kinetic))
                .line("potential", history.energy(|e| e.potential))
                .line("dissipated", history.energy(|e| e.dissipated()))
                .dashed("input", history.energy(|e| e.input)),
        )
}
