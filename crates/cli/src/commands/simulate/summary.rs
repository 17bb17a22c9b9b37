//! What a run came to: peaks and what remains, collapse, accuracy, wall times. All of it is of the whole run, also where it
//! was stopped and gone on with: it comes from the tables and from what checkpoints hold.

use std::path::Path;

use serde_json::{Value, json};

use drystone_mechanics::dynamics::{Collapse, CollapseExtent, Extreme, Simulation};
use drystone_model::Model;
use drystone_output::{
    OutputError,
    records::{self, BlockPeak},
    table::Groups,
};

use super::run::{End, Plan};
use crate::{
    error::Failure,
    report::{Console, count, length, speed, table},
};

/// Balance errors above this are pointed out.
const BALANCE_BOUND: f64 = 0.05;
/// Energy that contacts created, as a fraction of what was exchanged, is pointed out above this.
const CREATED_BOUND: f64 = 0.01;
/// Overlaps, as a fraction of the size of the smaller block, are pointed out above this.
const OVERLAP_BOUND: f64 = 0.01;

/// What came out.
pub(crate) struct Summary {
    pub(crate) json: Value,
    /// Lines of a name and a value.
    pub(crate) text: Vec<(&'static str, String)>,
    pub(super) interrupted: Option<String>,
}

impl Summary {
    pub(super) fn show(self, console: &Console) -> Result<(), Failure> {
        console.result(&self.json, || table(&self.text))?;
        match self.interrupted {
            None => Ok(()),
            Some(message) => {
                Err(Failure::run(message).help("the same command with --resume goes on from its last checkpoint"))
            }
        }
    }

    pub(super) fn new(
        model: &Model,
        simulation: &Simulation,
        tally: &Tally,
        wall_s: f64,
        end: End,
        plan: &Plan,
    ) -> Self {
        let state = simulation.state();
        let balance = state.energies.balance_error();
        let fraction = |part: f64| if tally.total_s > 0.0 { part / tally.total_s } else { 0.0 };
        let ended = match end {
            End::Duration => "the duration is over",
            End::Collapse => "it collapsed",
            End::Rest => "it came to rest",
            End::Interrupted => "it was interrupted",
        };
        let mut json = json!({
            "steps": state.step,
            "time_s": state.time,
            "wall_s": wall_s,
            "step_ms_median": tally.median_ms(),
            "collapsed": tally.extent.is_collapse(),
            "collapse": tally.extent.name(),
            "collapse_time_s": tally.collapse_time,
            "at_rest": state.at_rest,
        });
        let extremes = simulation.extremes();
        if let Value::Object(fields) = &mut json {
            fields.extend(extremes.fields(model));
        }
        for (name, value) in [
            ("energy_balance_error", json!(balance)),
            ("energy_created_j", json!(state.energies.created)),
            ("energy_created_part", json!(state.energies.created_part())),
            ("not_compressed_blocks", json!(simulation.not_compressed().len())),
            ("worst_overlap_m", json!(tally.overlap)),
            ("worst_overlap_fraction", json!(tally.overlap_fraction)),
            ("worst_compression_fraction", json!(tally.compression_fraction)),
            ("worst_residual", json!(tally.worst_residual)),
            ("threads", json!(rayon::current_num_threads())),
            ("potential_drop", json!(tally.last_drop)),
            ("max_potential_drop", json!(tally.potential_drop)),
            ("fallen_fraction", json!(tally.fallen)),
            ("steps_above_tolerance", json!(tally.unsolved)),
            ("steps_relaxed", json!(tally.relaxed)),
            ("max_relaxed_m", json!(tally.most_relaxed)),
            ("steps_slip_opened", json!(tally.slip_opened)),
            ("max_slip_opening_m", json!(tally.most_slip_opened)),
            ("steps_restitution_lowered", json!(tally.rebounds_lowered)),
            ("iterations", json!(tally.iterations)),
            ("detect_part", json!(fraction(tally.detect_s))),
            ("solve_part", json!(fraction(tally.solve_s))),
            ("ended", json!(ended)),
            ("folder", json!(plan.folder.display().to_string())),
        ] {
            json[name] = value;
        }
        let name = |block: usize| model.blocks.get(block).map_or("", |b| b.name.as_str());
        let peak = |value: String, e: &Extreme| match e.value > 0.0 {
            true => format!("{value}, block `{}`, at {} s", name(e.block), rounded(e.time)),
            false => value,
        };
        let time = rounded(state.time);
        let mut text = vec![
            (
                "simulated",
                format!("{time} s in {} steps, until {ended}", count(state.step as usize)),
            ),
            (
                "took",
                format!("{wall_s:.1} s, {:.2} ms a step (median)", tally.median_ms()),
            ),
            ("collapsed", tally.collapse_text()),
            ("at rest", if state.at_rest { "yes" } else { "no" }.to_string()),
            (
                "largest displacement",
                peak(length(extremes.max_displacement.value), &extremes.max_displacement),
            ),
            (
                "largest speed",
                peak(speed(extremes.max_speed.value), &extremes.max_speed),
            ),
            (
                "residual drift",
                peak(length(extremes.final_displacement.value), &extremes.final_displacement),
            ),
            ("final speed", speed(extremes.final_speed.value)),
            ("fallen blocks", format!("{} %", percent(tally.fallen))),
            ("energy balance", format!("off by {balance:.1e} of what was exchanged")),
            ("worst residual", format!("{:.1e}", tally.worst_residual)),
        ];
        if tally.unsolved > 0 {
            text.push(("above tolerance", format!("{} steps", count(tally.unsolved))));
        }
        let created = state.energies.created_part();
        if created > CREATED_BOUND {
            let (joules, part) = (state.energies.created, 100.0 * created);
            let what = format!("{joules:.3} J, {part:.1} % of what was exchanged, by contacts that drove blocks apart");
            text.push(("energy created", what));
        }
        if tally.relaxed > 0 {
            let (steps, most) = (count(tally.relaxed), length(tally.most_relaxed));
            let what = format!(
                "{steps} steps, by up to {most}: blocks are wedged in or squeezed; in these steps no overlap was driven apart"
            );
            text.push(("relaxed contacts", what));
        }
        if tally.slip_opened > 0 {
            let (steps, most) = (count(tally.slip_opened), length(tally.most_slip_opened));
            let what = format!("in {steps} steps joints that slide opened or closed by it, by up to {most}");
            text.push(("Coulomb's law", what));
        }
        if tally.rebounds_lowered > 0 {
            let steps = count(tally.rebounds_lowered);
            let what = format!("lowered in {steps} steps, for blocks whose rebounds would have created energy");
            text.push(("restitution", what));
        }
        if tally.overlap_fraction > OVERLAP_BOUND {
            let (deepest, part) = (length(tally.overlap), percent(tally.overlap_fraction));
            text.push((
                "overlap",
                format!("up to {deepest}; up to {part} % of the smaller block"),
            ));
        }
        if tally.compression_fraction > OVERLAP_BOUND {
            let part = percent(tally.compression_fraction);
            let what = format!("up to {part} % of the smaller block: the stiffness is low for what the joints carry");
            text.push(("compression", what));
        }
        if balance > BALANCE_BOUND {
            text.push((
                "beware",
                "the energy balance is poor: a shorter time step may help".to_string(),
            ));
        }
        Self {
            json,
            text,
            interrupted: (end == End::Interrupted).then(|| format!("interrupted at {time} s")),
        }
    }
}

/// Writes how far and how fast each free block moved.
pub(super) fn write_peaks(model: &Model, simulation: &Simulation, folder: &Path) -> Result<(), OutputError> {
    let mut rows = Vec::new();
    for (k, motion) in simulation.relative_motions().enumerate() {
        let (block, peak) = (&model.blocks[k], &simulation.state().peaks[k]);
        if !block.fixed {
            rows.push(BlockPeak {
                block: k,
                name: block.name.clone(),
                max_displacement: [peak.displacement, peak.displacement_time],
                max_speed: [peak.speed, peak.speed_time],
                drift: motion.displacement,
                final_speed: motion.velocity.length(),
            });
        }
    }
    records::write_peaks(&folder.join("peaks.parquet"), rows)
}

/// What steps came to.
#[derive(Default)]
pub(super) struct Tally {
    times_ms: Vec<f64>,
    detect_s: f64,
    solve_s: f64,
    total_s: f64,
    worst_residual: f64,
    unsolved: usize,
    /// Steps in which constraints were relaxed, and the farthest (m).
    relaxed: usize,
    most_relaxed: f64,
    /// Steps in which sliding joints opened or closed although friction is Coulomb's, and the most (m).
    slip_opened: usize,
    most_slip_opened: f64,
    /// Steps in which restitution was lowered.
    rebounds_lowered: usize,
    /// Deepest overlap (m), and the deepest over the size of the smaller block of its pair.
    overlap: f64,
    overlap_fraction: f64,
    /// The largest compression of a joint, over the same.
    compression_fraction: f64,
    iterations: usize,
    /// Largest fraction of the potential energy that was lost, and that at the end.
    potential_drop: f64,
    last_drop: f64,
    /// Fraction of the blocks that have fallen, at the end.
    fallen: f64,
    /// The worst of any step, and when anything had collapsed first (s).
    extent: CollapseExtent,
    collapse_time: Option<f64>,
}

impl Tally {
    /// That of a run, from its table of steps, a piece at a time.
    pub(super) fn of_run(folder: &Path, collapse: &Collapse, tolerance: f64) -> Result<Self, OutputError> {
        let mut tally = Self::default();
        for rows in Groups::open(&folder.join("steps.parquet"), None)? {
            let rows = rows?;
            let column = |name: &str| rows.floats(name).unwrap_or_default();
            let largest = |name: &str, so_far: f64| column(name).iter().copied().fold(so_far, f64::max);
            let times = ["detect_ms", "assemble_ms", "solve_ms", "integrate_ms"].map(column);
            let of_step = |k: usize| times.iter().map(|t| t[k]).sum::<f64>();
            let first = tally.times_ms.len();
            tally.times_ms.extend((0..rows.rows()).map(of_step));
            tally.total_s += 1e-3 * tally.times_ms[first..].iter().sum::<f64>();
            tally.detect_s += 1e-3 * times[0].iter().sum::<f64>();
            tally.solve_s += 1e-3 * times[2].iter().sum::<f64>();
            tally.worst_residual = largest("residual", tally.worst_residual);
            // What is not within the tolerance counts, a NaN too.
            let is_solved = |r: &&f64| **r <= tolerance;
            let residuals = column("residual");
            tally.unsolved += residuals.len() - residuals.iter().filter(is_solved).count();
            tally.relaxed += column("relaxed_m").iter().filter(|&&r| r > 0.0).count();
            tally.rebounds_lowered += column("restitution_lost").iter().filter(|&&r| r > 0.0).count();
            tally.most_relaxed = largest("relaxed_m", tally.most_relaxed);
            tally.slip_opened += column("slip_opening_m").iter().filter(|&&o| o > 0.0).count();
            tally.most_slip_opened = largest("slip_opening_m", tally.most_slip_opened);
            tally.overlap = largest("overlap_m", tally.overlap);
            tally.overlap_fraction = largest("overlap_fraction", tally.overlap_fraction);
            tally.compression_fraction = largest("compression_fraction", tally.compression_fraction);
            tally.iterations += column("iterations").iter().sum::<f64>() as usize;
            tally.potential_drop = largest("potential_drop", tally.potential_drop);
            let [drops, moved, fallen] = ["potential_drop", "max_displacement_m", "fallen_fraction"].map(column);
            for (k, &time) in column("time_s").iter().enumerate() {
                let extent = collapse.extent(drops[k], moved[k], fallen[k]);
                tally.extent = tally.extent.max(extent);
                if extent.is_collapse() {
                    tally.collapse_time.get_or_insert(time);
                }
            }
            tally.last_drop = drops.last().copied().unwrap_or(tally.last_drop);
            tally.fallen = fallen.last().copied().unwrap_or(tally.fallen);
        }
        Ok(tally)
    }

    fn median_ms(&self) -> f64 {
        let mut times = self.times_ms.clone();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or(0.0)
    }

    fn collapse_text(&self) -> String {
        let at = self
            .collapse_time
            .map_or_else(String::new, |t| format!(", from {} s on", rounded(t)));
        let drop = percent(self.potential_drop);
        match self.extent {
            CollapseExtent::None => "no".into(),
            CollapseExtent::Partial => format!("partially{at}"),
            CollapseExtent::Global => format!("yes{at}; {drop} % of the potential energy is lost"),
        }
    }
}

/// A fraction in per cent. What is not none is not told as none.
fn percent(fraction: f64) -> String {
    let value = 100.0 * fraction.max(0.0);
    if value > 0.0 && value < 1.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}
