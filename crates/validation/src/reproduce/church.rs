//! The church of 5,161 blocks under a one-sine impulse.

use glam::DVec3;

use drystone_model::Model;
use drystone_output::plot::{Panel, Plot};

use super::{
    case::{Allowed, Case, Context, Outcome, Row},
    drive::{self, History},
};
use drystone_analysis::Failure;

pub(super) const CASE: Case = Case {
    name: "church",
    group: "dynamics",
    source: "003 section 4.6, fig. 23",
    summary: "a church of 5,161 blocks under 1 g towards -y: facade and bell tower fall forward",
    long: true,
    run,
};

/// Blocks at the top of each part whose mean displacement tells how it falls.
const TOP: usize = 20;

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let dt = context.pick(2e-3, 1e-2);
    let duration = context.pick(2.0, 0.1);
    let model = drive::build("church", &[])?;
    let blocks = model.free_blocks().count();
    let (facade, tower) = (top_of(&model, "facade"), top_of(&model, "tower"));
    let mut simulation = drive::simulation(&model, dt, "impulse:peak=1g,half_period=0.4,direction=-y")?;
    let watched: Vec<usize> = facade.iter().chain(&tower).copied().collect();
    let history = drive::run(context, &mut simulation, duration, &watched, |_, _| false)?;
    let mut rows = vec![
        Row::figure("blocks", 5161.0, blocks as f64, Allowed::Within(0.0)),
        Row::figure(
            "simulated until (s)",
            duration,
            simulation.state().time,
            Allowed::Within(1e-9),
        )
        .note(format!(
            "dt {dt}, energy balance off by {:.0e}",
            history.balance_error()
        )),
    ];
    if !context.quick {
        for (name, which) in [("facade", 0..facade.len()), ("bell tower", facade.len()..watched.len())] {
            let moved = mean(&history, which, |v| v).last().map_or(DVec3::ZERO, |p| p.1);
            let way = match moved {
                m if m.y < -0.5 && m.z < -0.1 => "falls forward",
                m if m.y > 0.5 && m.z < -0.1 => "falls backward",
                _ => "stands",
            };
            let note = format!("its top at {:.2} m along y and {:.2} m along z", moved.y, moved.z);
            rows.push(Row::words(format!("{name} at {duration} s"), "falls forward", way).note(note));
        }
    }
    let curve = |which: std::ops::Range<usize>| mean(&history, which, |v| v).iter().map(|p| [p.0, p.1.y]).collect();
    let plot = Plot::new()
        .size(720, 640)
        .title(format!(
            "Church, 1 g, half-period 0.40 s, relative to the ground, dt = {dt} s"
        ))
        .panel(
            Panel::new("time (s)", "displacement along y (m)")
                .line("top of the facade", curve(0..facade.len()))
                .line("top of the bell tower", curve(facade.len()..watched.len())),
        )
        .panel(
            Panel::new("time (s)", "energy over weight (m)")
                .line("kinetic", history.energy(|e| e.kinetic))
                .line("potential", history.energy(|e| e.potential))
                .line("dissipated", history.energy(|e| e.dissipated()))
                .dashed("input", history.energy(|e| e.input)),
        );
    Ok(Outcome {
        rows,
        plots: vec![("church".to_string(), plot)],
    })
}

/// The highest blocks of a group.
fn top_of(model: &Model, group: &str) -> Vec<usize> {
    let height = |b: &usize| model.mass_of(&model.blocks[*b]).1.centroid.z;
    let in_group = |b: &usize| model.blocks[*b].group.as_deref() == Some(group);
    let mut blocks: Vec<usize> = (0..model.blocks.len()).filter(in_group).collect();
    blocks.sort_by(|a, b| height(b).total_cmp(&height(a)));
    blocks.truncate(TOP);
    blocks
}

/// Mean displacement of some of the watched blocks over time.
fn mean(history: &History, which: std::ops::Range<usize>, of: impl Fn(DVec3) -> DVec3) -> Vec<(f64, DVec3)> {
    let count = which.len().max(1) as f64;
    let at = |k: usize| which.clone().map(|b| of(history.blocks[b][k].moved)).sum::<DVec3>() / count;
    history.time.iter().enumerate().map(|(k, t)| (*t, at(k))).collect()
}
