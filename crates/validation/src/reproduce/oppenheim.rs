//! Oppenheim's arch of seven blocks under a biphasic impulse.

use drystone_mechanics::dynamics::SimulationSettings;
use drystone_output::plot::{Panel, Plot};

use super::{
    case::{Allowed, Case, Context, Outcome, Row},
    drive::{self, History},
    measure::{nearest, peaks, times},
};
use drystone_analysis::Failure;

pub(super) const CASE: Case = Case {
    name: "oppenheim",
    group: "dynamics",
    source: "003 section 4.3, figs. 11, 12",
    summary: "an arch of seven blocks under a biphasic impulse: four hinges, rocking, collapse to the left",
    long: false,
    run,
};

const BLOCKS: usize = 7;
pub(super) const PEAKS: [f64; 5] = [0.5, 0.85, 1.5, 1.75, 2.0];
/// The paper gives times of peaks to 0.05 s.
const PEAK_TIME: f64 = 0.05;
/// A peak counts if it stands out by this part of the highest.
const PROMINENCE: f64 = 0.02;
/// Joints that open by less than this part of the joint that opens most are no hinges.
const HINGE: f64 = 0.1;

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let steps = context.pick([1e-3, 1e-4], [2e-3, 1e-3]);
    let mut histories = Vec::new();
    for dt in steps {
        histories.push((dt, shake(context, drive::steps_of(dt))?));
    }
    let [(coarse_dt, coarse), (dt, fine)] = &histories[..] else {
        return Err(Failure::run("two runs are needed"));
    };
    let side = |x: f64| if x > 0.0 { "to the right" } else { "to the left" };
    let at_first = mean_drift(fine, 0.3);
    let found = potential_peaks(fine);
    let mut rows = vec![
        Row::figure(
            "hinges of the first motion, at 0.2 s",
            4.0,
            hinges(fine, 0.2).len() as f64,
            Allowed::Within(0.0),
        )
        .note(format!("joints from right to left: {:?}; dt {dt}", hinges(fine, 0.2))),
        Row::words("first motion, relative to the ground", "to the right", side(at_first)),
        Row::words("outcome", "collapses to the left", ending(fine))
            .note(format!("at dt {coarse_dt}: {}", ending(coarse))),
    ];
    let all = format!(
        "peaks: {}; at dt {coarse_dt}: {}",
        times(&found),
        times(&potential_peaks(coarse))
    );
    for (k, time) in PEAKS.into_iter().enumerate() {
        let quantity = format!("potential-energy peak {} (s)", k + 1);
        let row = Row::figure(quantity, time, nearest(&found, time), Allowed::Within(PEAK_TIME));
        let row = row.note_if_off(|| match nearest_impact(fine, time) {
            Some(impact) => {
                format!("no peak, but an impact at {impact:.2} s, where the potential energy turns sharply")
            }
            None => "no peak and no impact nearby".to_string(),
        });
        rows.push(if k == 0 { row.note(all.clone()) } else { row });
    }
    let plots = vec![("oppenheim".to_string(), plot(*dt, fine))];
    Ok(Outcome { rows, plots })
}

pub(super) fn shake(context: &Context<'_>, settings: SimulationSettings) -> Result<History, Failure> {
    let model = drive::build("oppenheim-arch", &[])?;
    let mut simulation = drive::simulation_with(&model, settings, "biphasic:peak=1.11g,duration=0.3,direction=-x")?;
    let blocks: Vec<usize> = (0..model.blocks.len()).filter(|&b| !model.blocks[b].fixed).collect();
    drive::run(context, &mut simulation, 3.5, &blocks, |_, history| {
        history.collapsed.is_some()
    })
}

/// Mean displacement of the blocks along x at a time, or at the end (m).
fn mean_drift(history: &History, time: f64) -> f64 {
    let k = history.time.partition_point(|t| *t < time).min(history.time.len() - 1);
    history.blocks.iter().map(|b| b[k].moved.x).sum::<f64>() / history.blocks.len() as f64
}

pub(super) fn ending(history: &History) -> &'static str {
    match (history.collapsed, mean_drift(history, f64::INFINITY)) {
        (None, _) => "stands",
        (Some(_), x) if x < 0.0 => "collapses to the left",
        (Some(_), _) => "collapses to the right",
    }
}

/// Joints, counted from the right, that have opened at a time.
pub(super) fn hinges(history: &History, time: f64) -> Vec<usize> {
    let k = history.time.partition_point(|t| *t < time).min(history.time.len() - 1);
    let mut turns = vec![0.0];
    turns.extend(history.blocks.iter().map(|b| b[k].turned.y));
    turns.push(0.0);
    let openings: Vec<f64> = turns.windows(2).map(|t| (t[1] - t[0]).abs()).collect();
    let most = openings.iter().copied().fold(0.0, f64::max);
    let opened = openings.iter().enumerate().filter(|(_, o)| **o > HINGE * most);
    opened.map(|(j, _)| j + 1).collect()
}

pub(super) fn potential_peaks(history: &History) -> Vec<[f64; 2]> {
    // A collapse goes far below: the highest peak is the measure.
    let curve = history.energy(|e| e.potential);
    let highest = curve.iter().map(|p| p[1]).fold(0.0, f64::max);
    peaks(&curve, PROMINENCE * highest)
}

/// The impact within a tenth of a second of a time that dissipates most, if any takes a hundredth of what is dissipated.
fn nearest_impact(history: &History, time: f64) -> Option<f64> {
    let dissipated = history.energy(|e| e.dissipated());
    let last = dissipated.last().map_or(0.0, |p| p[1]);
    let near = dissipated.windows(2).filter(|p| (p[1][0] - time).abs() < 0.1);
    let most = near.max_by(|a, b| (a[1][1] - a[0][1]).total_cmp(&(b[1][1] - b[0][1])))?;
    (most[1][1] - most[0][1] > 0.01 * last).then_some(most[1][0])
}

fn plot(dt: f64, history: &History) -> Plot {
    let mut rotations = Panel::new("time (s)", "rotation (deg)")
        .x_range(0.0, 3.0)
        .y_range(-30.0, 30.0);
    for k in 0..BLOCKS {
        rotations = rotations.line(
            format!("block {}", k + 1),
            history.block(k, |s| s.turned.y.to_degrees()),
        );
    }
    let curve = history.energy(|e| e.potential);
    let marks = PEAKS.map(|t| [t, super::measure::at(&curve, t)]).to_vec();
    let highest = curve.iter().map(|p| p[1]).fold(0.0, f64::max);
    let energy = Panel::new("time (s)", "energy over weight (m)")
        .x_range(0.0, 3.0)
        .y_range(-highest, 4.0 * highest)
        .line("kinetic", history.energy(|e| e.kinetic))
        .line("potential", curve)
        .line("dissipated", history.energy(|e| e.dissipated()))
        .dashed("input", history.energy(|e| e.input))
        .markers("published times of peaks", marks);
    Plot::new()
        .size(720, 720)
        .title(format!("Oppenheim's arch, 1.11 g for 0.30 s, dt = {dt} s"))
        .panel(rotations)
        .panel(energy)
}
