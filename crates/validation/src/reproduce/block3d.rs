//! A block with a square base under a one-sine impulse askew to its sides.

use glam::{DQuat, DVec3};

use drystone_mechanics::dynamics::SimulationSettings;
use drystone_output::plot::{Panel, Plot};

use super::{
    case::{Allowed, Case, Context, Outcome, Row},
    drive::{self, History, Sample},
    measure::{nearest, peaks, times},
};
use drystone_analysis::Failure;

pub(super) const CASE: Case = Case {
    name: "block3d",
    group: "dynamics",
    source: "003 section 4.2, figs. 6 to 9",
    summary: "a block under a one-sine impulse at 44 degrees: rocks and recovers, or overturns",
    long: false,
    run,
};

/// Base vertex A from the block's centre (m).
const VERTEX_A: DVec3 = DVec3::new(-0.3, -0.3, -1.0);
/// The paper gives times of peaks to 0.05 s.
pub(super) const PEAK_TIME: f64 = 0.05;
/// A peak counts if it stands out by this part of the highest.
const PROMINENCE: f64 = 0.02;

/// One amplitude.
pub(super) struct Published {
    /// Acceleration (m/s2).
    pub(super) peak: f64,
    pub(super) outcome: &'static str,
    /// Times of the peaks of the potential energy (s).
    pub(super) peaks: &'static [f64],
}

pub(super) const PUBLISHED: [Published; 2] = [
    Published {
        peak: 8.0,
        outcome: "recovers",
        peaks: &[0.3, 0.85, 1.35, 1.75, 2.1, 2.7],
    },
    Published {
        peak: 9.5,
        outcome: "overturns",
        peaks: &[0.3, 0.95, 1.6, 2.15, 2.5],
    },
];

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let steps = context.pick([1e-3, 1e-4], [4e-3, 2e-3]);
    for published in &PUBLISHED {
        let mut histories = Vec::new();
        for dt in steps {
            histories.push((dt, shake(context, published.peak, drive::steps_of(dt))?));
        }
        let [(coarse_dt, coarse), (dt, fine)] = &histories[..] else {
            return Err(Failure::run("two runs are needed"));
        };
        let name = format!("a_p {} m/s2", published.peak);
        outcome.rows.push(
            Row::words(format!("{name}, outcome"), published.outcome, ending(fine))
                .note(format!("dt {dt}; {} at dt {coarse_dt}", ending(coarse))),
        );
        let found = potential_peaks(fine);
        for (k, &time) in published.peaks.iter().enumerate() {
            let row = Row::figure(
                format!("{name}, potential-energy peak {} (s)", k + 1),
                time,
                nearest(&found, time),
                Allowed::Within(PEAK_TIME),
            );
            let all = format!(
                "peaks: {}; at dt {coarse_dt}: {}",
                times(&found),
                times(&potential_peaks(coarse))
            );
            outcome.rows.push(if k == 0 { row.note(all) } else { row });
        }
        let file = format!("block3d-{}", published.peak.to_string().replace('.', "-"));
        outcome.plots.push((file, plot(published, &histories)));
    }
    Ok(outcome)
}

pub(super) fn shake(context: &Context<'_>, peak: f64, settings: SimulationSettings) -> Result<History, Failure> {
    let model = drive::build("block", &[("width", "0.6"), ("height", "2"), ("friction", "2")])?;
    let (sin, cos) = 44f64.to_radians().sin_cos();
    let motion = format!("impulse:peak={peak},half_period=0.25,direction={cos},{sin},0");
    let mut simulation = drive::simulation_with(&model, settings, &motion)?;
    let block = drive::index(&model, "block")?;
    drive::run(context, &mut simulation, 6.0, &[block], |_, history| {
        history.blocks[0].last().is_some_and(|s| lean(s) > 1.2)
    })
}

/// Angle between the block's axis and the vertical (rad).
fn lean(sample: &Sample) -> f64 {
    (DQuat::from_scaled_axis(sample.turned) * DVec3::Z).angle_between(DVec3::Z)
}

pub(super) fn ending(history: &History) -> &'static str {
    // Beyond its slenderness a block does not come back; the diagonal one of this block is 23 degrees.
    match history.blocks.first().and_then(|s| s.last()) {
        Some(sample) if lean(sample) < 0.05 => "recovers",
        Some(sample) if lean(sample) > 1.0 => "overturns",
        _ => "still rocks",
    }
}

pub(super) fn potential_peaks(history: &History) -> Vec<[f64; 2]> {
    let curve = history.energy(|e| e.potential);
    let highest = curve.iter().map(|p| p[1]).fold(0.0, f64::max);
    peaks(&curve, PROMINENCE * highest)
}

fn plot(published: &Published, histories: &[(f64, History)]) -> Plot {
    let raised = |s: &Sample| {
        let arm = DQuat::from_scaled_axis(s.turned) * VERTEX_A;
        1e3 * (s.moved + arm - VERTEX_A).z
    };
    let mut rise = Panel::new("time (s)", "rise of vertex A (mm)").x_range(0.0, 3.5);
    let mut energy = Panel::new("time (s)", "energy over weight (mm)").x_range(0.0, 3.5);
    for (dt, history) in histories {
        rise = rise.line(format!("dt = {dt} s"), history.block(0, raised));
    }
    if let Some((_, history)) = histories.last() {
        let scaled = |curve: Vec<[f64; 2]>| curve.iter().map(|p| [p[0], 1e3 * p[1]]).collect();
        let curve = history.energy(|e| e.potential);
        let marks = published.peaks.iter();
        let marks = marks.map(|t| [*t, 1e3 * super::measure::at(&curve, *t)]).collect();
        energy = energy
            .line("kinetic", scaled(history.energy(|e| e.kinetic)))
            .line("potential", scaled(curve))
            .line("dissipated", scaled(history.energy(|e| e.dissipated())))
            .dashed("input", scaled(history.energy(|e| e.input)))
            .markers("published times of peaks", marks);
    }
    Plot::new()
        .size(720, 640)
        .title(format!("One-sine impulse of {} m/s² at 44 degrees", published.peak))
        .panel(rise)
        .panel(energy)
}
