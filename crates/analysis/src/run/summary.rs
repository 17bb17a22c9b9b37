//! What a run came to: peaks and what remains, collapse, accuracy, wall times.

use drystone_mechanics::dynamics::{CollapseExtent, ExplicitSettings, Extreme, TieNow};
use drystone_model::Model;
use serde::Serialize;

use super::{End, Run};
use crate::{
    DeformationResult, Geometry, Stepping, TieGroup, filtered_waves, taken_as_rigid, ties,
    words::{count, force, length, speed},
};

/// Balance errors above this are pointed out.
const BALANCE_BOUND: f64 = 0.05;
/// Energy that contacts created, as a fraction of what was exchanged, is pointed out above this.
const CREATED_BOUND: f64 = 0.01;
/// Overlaps, as a fraction of the size of the smaller block, are pointed out above this.
const OVERLAP_BOUND: f64 = 0.01;

/// What a run came to, with the fields of `docs/dynamics.md`. Displacements and speeds are those of centres of mass of free
/// blocks, relative to the ground.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs, reason = "the names are those of the documented JSON")]
pub struct Summary {
    /// How steps were taken: `implicit` or `explicit`.
    pub integrator: &'static str,
    pub steps: u64,
    pub time_s: f64,
    pub wall_s: f64,
    pub step_ms_median: f64,
    pub collapsed: bool,
    pub collapse: &'static str,
    pub collapse_time_s: Option<f64>,
    pub at_rest: bool,
    pub max_displacement_m: f64,
    pub max_displacement_block: Option<String>,
    pub max_displacement_time_s: f64,
    pub max_speed_m_s: f64,
    pub max_speed_block: Option<String>,
    pub max_speed_time_s: f64,
    pub final_displacement_m: f64,
    pub final_displacement_block: Option<String>,
    pub final_speed_m_s: f64,
    pub final_speed_block: Option<String>,
    /// Displacements are relative to the ground already: what remains of them is the drift.
    pub residual_drift_m: f64,
    pub residual_drift_block: Option<String>,
    pub energy_balance_error: f64,
    pub energy_created_j: f64,
    pub energy_created_part: f64,
    pub not_compressed_blocks: usize,
    pub worst_overlap_m: f64,
    pub worst_overlap_fraction: f64,
    pub worst_compression_fraction: f64,
    pub worst_residual: f64,
    pub threads: usize,
    pub potential_drop: f64,
    pub max_potential_drop: f64,
    pub fallen_fraction: f64,
    pub steps_above_tolerance: usize,
    pub steps_relaxed: usize,
    pub max_relaxed_m: f64,
    pub steps_slip_opened: usize,
    pub max_slip_opening_m: f64,
    pub steps_restitution_lowered: usize,
    pub iterations: usize,
    pub detect_part: f64,
    pub solve_part: f64,
    /// Where steps are explicit: see there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explicit: Option<ExplicitSummary>,
    pub ended: &'static str,
    #[serde(skip)]
    pub end: End,
    /// What each tie came to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ties: Vec<TieSummary>,
    /// The largest force of each group of ties, of any time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tie_groups: Vec<TieGroup>,
    /// Points of joints that were bonded at the start, where any were, and how many of them are broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bonds: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_bonds: Option<usize>,
    /// Stresses at the end, where blocks deform.
    #[serde(flatten)]
    pub deformation: Option<DeformationResult>,
    pub geometry_problems: Geometry,
    /// What of the model was not looked at, in words: explicit steps take deformable blocks as rigid, and long implicit ones filter waves in them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// Folder with its files, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Files in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// How explicit steps were taken.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs, reason = "the names are those of the documented JSON")]
pub struct ExplicitSummary {
    /// Short steps, and the length of one at the end.
    pub short_steps: u64,
    pub short_step_s: f64,
    /// The longest that is stable, and the block that rules it.
    pub stable_step_s: f64,
    pub ruling_block: String,
    /// Blocks with more inertia than they have, and by how much at most.
    pub mass_scaled_blocks: usize,
    pub largest_mass_scale: f64,
    /// Whether joints without a stiffness were given one.
    pub stiffness_assumed: bool,
    pub viscous_j: f64,
}

/// What a tie came to.
#[derive(Clone, Debug, Serialize)]
#[allow(missing_docs, reason = "the names are those of the documented JSON")]
pub struct TieSummary {
    pub tie: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The force that was largest in size; it pulls where it is positive.
    pub peak_force_n: f64,
    pub peak_time_s: f64,
    pub yielded: bool,
    pub ruptured: bool,
    pub final_force_n: f64,
    pub final_elongation_m: f64,
    pub plastic_elongation_m: f64,
}

impl Run<'_> {
    /// What the run came to, of a model whose shapes have these problems.
    pub fn summary(&self, model: &Model, geometry: &Geometry, end: End) -> Summary {
        let (state, tally) = (self.state(), &self.tally);
        let extremes = self.simulation.extremes();
        let name = |e: &Extreme| model.blocks.get(e.block).map(|b| b.name.clone());
        let [bonds, intact] = self.simulation.bonds();
        let fraction = |part: f64| if tally.total_s > 0.0 { part / tally.total_s } else { 0.0 };
        Summary {
            integrator: Stepping::of(self.simulation.settings()).name(),
            steps: state.step,
            time_s: state.time,
            wall_s: self.wall_s,
            step_ms_median: tally.step_ms_median(),
            collapsed: tally.collapse.is_collapse(),
            collapse: tally.collapse.name(),
            collapse_time_s: tally.collapse_time,
            at_rest: state.at_rest,
            max_displacement_m: extremes.max_displacement.value,
            max_displacement_block: name(&extremes.max_displacement),
            max_displacement_time_s: extremes.max_displacement.time,
            max_speed_m_s: extremes.max_speed.value,
            max_speed_block: name(&extremes.max_speed),
            max_speed_time_s: extremes.max_speed.time,
            final_displacement_m: extremes.final_displacement.value,
            final_displacement_block: name(&extremes.final_displacement),
            final_speed_m_s: extremes.final_speed.value,
            final_speed_block: name(&extremes.final_speed),
            residual_drift_m: extremes.final_displacement.value,
            residual_drift_block: name(&extremes.final_displacement),
            energy_balance_error: state.energies.balance_error(),
            energy_created_j: state.energies.created,
            energy_created_part: state.energies.created_part(),
            not_compressed_blocks: self.simulation.not_compressed().len(),
            worst_overlap_m: tally.overlap,
            worst_overlap_fraction: tally.overlap_fraction,
            worst_compression_fraction: tally.compression_fraction,
            worst_residual: tally.worst_residual,
            threads: rayon::current_num_threads(),
            potential_drop: tally.potential_drop,
            max_potential_drop: tally.max_potential_drop,
            fallen_fraction: tally.fallen,
            steps_above_tolerance: tally.steps_above_tolerance,
            steps_relaxed: tally.steps_relaxed,
            max_relaxed_m: tally.max_relaxed,
            steps_slip_opened: tally.steps_slip_opened,
            max_slip_opening_m: tally.max_slip_opening,
            steps_restitution_lowered: tally.steps_restitution_lowered,
            iterations: tally.iterations,
            detect_part: fraction(tally.detect_s),
            solve_part: fraction(tally.solve_s),
            ties: self.simulation.ties().map(TieSummary::of).collect(),
            tie_groups: ties::groups((self.simulation.ties()).map(|t| (t.name, t.group, t.state.peak_force))),
            bonds: (bonds > 0).then_some(bonds),
            broken_bonds: (bonds > 0).then_some(bonds - intact),
            deformation: DeformationResult::of(self.simulation.structure(), &state.placements, state.deformed(), &[]),
            explicit: self.explicit_summary(),
            ended: end.words(),
            end,
            geometry_problems: geometry.clone(),
            left_out: match self.simulation.settings().explicit() {
                Some(_) => taken_as_rigid(model),
                None => filtered_waves(self.simulation),
            },
            folder: None,
            files: Vec::new(),
        }
    }
}

impl Run<'_> {
    fn explicit_summary(&self) -> Option<ExplicitSummary> {
        let (stable, step) = (self.simulation.stable_step()?, self.last_step());
        Some(ExplicitSummary {
            short_steps: self.tally.iterations as u64,
            short_step_s: if step.iterations > 0 {
                step.dt / step.iterations as f64
            } else {
                stable.dt
            },
            stable_step_s: stable.limit,
            ruling_block: self.simulation.structure().names[stable.block].clone(),
            mass_scaled_blocks: stable.scaled_blocks,
            largest_mass_scale: stable.largest_scale,
            stiffness_assumed: self.simulation.has_assumed_stiffness(),
            viscous_j: self.state().energies.viscous,
        })
    }
}

impl Summary {
    /// Lines of a name and a value, for people.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let peak = |value: String, size: f64, block: &Option<String>, time: f64| match (size > 0.0, block) {
            (true, Some(block)) => format!("{value}, block `{block}`, at {} s", rounded(time)),
            _ => value,
        };
        let mut rows = vec![
            (
                "simulated",
                format!(
                    "{} s in {} steps, until {}",
                    rounded(self.time_s),
                    count(self.steps as usize),
                    self.ended
                ),
            ),
            (
                "took",
                format!("{:.1} s, {:.2} ms a step (median)", self.wall_s, self.step_ms_median),
            ),
            ("collapsed", self.collapse_text()),
            ("at rest", if self.at_rest { "yes" } else { "no" }.to_string()),
            (
                "largest displacement",
                peak(
                    length(self.max_displacement_m),
                    self.max_displacement_m,
                    &self.max_displacement_block,
                    self.max_displacement_time_s,
                ),
            ),
            (
                "largest speed",
                peak(
                    speed(self.max_speed_m_s),
                    self.max_speed_m_s,
                    &self.max_speed_block,
                    self.max_speed_time_s,
                ),
            ),
            (
                "residual drift",
                peak(
                    length(self.residual_drift_m),
                    self.residual_drift_m,
                    &self.residual_drift_block,
                    self.time_s,
                ),
            ),
            ("final speed", speed(self.final_speed_m_s)),
            ("fallen blocks", format!("{} %", percent(self.fallen_fraction))),
            (
                "energy balance",
                format!("off by {:.1e} of what was exchanged", self.energy_balance_error),
            ),
        ];
        match &self.explicit {
            None => rows.push(("worst residual", format!("{:.1e}", self.worst_residual))),
            Some(explicit) => explicit.add_rows(&mut rows),
        }
        if let Some(words) = tie_words(&self.ties) {
            rows.push(("ties", words));
        }
        if let (Some(bonds), Some(broken)) = (self.bonds, self.broken_bonds) {
            rows.push(("bonded points", format!("{} of {} broken", count(broken), count(bonds))));
        }
        if let Some(deformation) = &self.deformation {
            rows.push(("stresses", deformation.words()));
        }
        self.add_warnings(&mut rows);
        let lines = self.geometry_problems.lines().into_iter();
        rows.extend(lines.map(|line| ("geometry", line)));
        if !self.files.is_empty() {
            rows.push(("written", self.files.join(", ")));
        }
        rows
    }

    /// What a reader has to know before relying on it.
    fn add_warnings(&self, rows: &mut Vec<(&'static str, String)>) {
        rows.extend(self.left_out.clone().map(|said| ("left out", said)));
        if self.steps_above_tolerance > 0 {
            rows.push((
                "above tolerance",
                format!("{} steps", count(self.steps_above_tolerance)),
            ));
        }
        if self.energy_created_part > CREATED_BOUND {
            let (joules, part) = (self.energy_created_j, 100.0 * self.energy_created_part);
            let what = format!("{joules:.3} J, {part:.1} % of what was exchanged, by contacts that drove blocks apart");
            rows.push(("energy created", what));
        }
        if self.steps_relaxed > 0 {
            let (steps, most) = (count(self.steps_relaxed), length(self.max_relaxed_m));
            let what = format!(
                "{steps} steps, by up to {most}: blocks are wedged in or squeezed; in these steps no overlap was driven apart"
            );
            rows.push(("relaxed contacts", what));
        }
        if self.steps_slip_opened > 0 {
            let (steps, most) = (count(self.steps_slip_opened), length(self.max_slip_opening_m));
            let what = format!(
                "not met to the tolerance in {steps} steps: joints that slide opened or closed by up to {most} in such a step"
            );
            rows.push(("Coulomb's law", what));
        }
        if self.steps_restitution_lowered > 0 {
            let steps = count(self.steps_restitution_lowered);
            let what = format!("lowered in {steps} steps, for blocks whose rebounds would have created energy");
            rows.push(("restitution", what));
        }
        if self.worst_overlap_fraction > OVERLAP_BOUND {
            let (deepest, part) = (length(self.worst_overlap_m), percent(self.worst_overlap_fraction));
            rows.push((
                "overlap",
                format!("up to {deepest}; up to {part} % of the smaller block"),
            ));
        }
        if self.worst_compression_fraction > OVERLAP_BOUND {
            let part = percent(self.worst_compression_fraction);
            let what = format!("up to {part} % of the smaller block: the stiffness is low for what the joints carry");
            rows.push(("compression", what));
        }
        if self.energy_balance_error > BALANCE_BOUND {
            rows.push((
                "beware",
                "the energy balance is poor: a shorter time step may help".to_string(),
            ));
        }
    }

    fn collapse_text(&self) -> String {
        let at = self
            .collapse_time_s
            .map_or_else(String::new, |t| format!(", from {} s on", rounded(t)));
        if !self.collapsed {
            "no".into()
        } else if self.collapse == CollapseExtent::Partial.name() {
            format!("partially{at}")
        } else {
            let drop = percent(self.max_potential_drop);
            format!("yes{at}; {drop} % of the potential energy is lost")
        }
    }
}

impl ExplicitSummary {
    fn add_rows(&self, rows: &mut Vec<(&'static str, String)>) {
        let (steps, step) = (count(self.short_steps as usize), 1e6 * self.short_step_s);
        let what = format!(
            "{steps} of {step:.3} µs; stable up to {:.3} µs, by block `{}`",
            1e6 * self.stable_step_s,
            self.ruling_block
        );
        rows.push(("explicit steps", what));
        if self.stiffness_assumed {
            let what = format!("{:e} N/m3 where the model gives none", ExplicitSettings::STIFFNESS);
            rows.push(("stiffness", what));
        }
        if self.mass_scaled_blocks > 0 {
            let what = format!(
                "{} with up to {:.1} times their inertia: their motion is slower than it would be",
                count(self.mass_scaled_blocks),
                self.largest_mass_scale
            );
            rows.push(("scaled blocks", what));
        }
    }
}

impl TieSummary {
    fn of(now: TieNow<'_>) -> Self {
        Self {
            tie: now.name.to_string(),
            group: now.group.map(str::to_string),
            peak_force_n: now.state.peak_force,
            peak_time_s: now.state.peak_time,
            yielded: now.state.plastic > 0.0,
            ruptured: now.state.ruptured,
            final_force_n: now.state.force,
            final_elongation_m: now.elongation,
            plastic_elongation_m: now.state.plastic,
        }
    }
}

/// Ties told by name before the rest is left out.
const MOST_TIES: usize = 6;

/// Peaks of the ties that carried most.
fn tie_words(all: &[TieSummary]) -> Option<String> {
    let mut sorted: Vec<&TieSummary> = all.iter().collect();
    sorted.sort_by(|a, b| b.peak_force_n.abs().total_cmp(&a.peak_force_n.abs()));
    let one = |(tie, size): &(&TieSummary, usize)| {
        let how = match (tie.ruptured, tie.yielded) {
            (true, _) => ", broke",
            (false, true) => ", yielded",
            (false, false) => "",
        };
        let name = ties::spoken(&tie.tie, tie.group.as_deref(), *size);
        format!("{name} up to {}{how}", force(tie.peak_force_n.abs()))
    };
    let told = ties::spokesmen(&sorted, |t| t.group.as_deref());
    let words: Vec<String> = told.iter().take(MOST_TIES).map(one).collect();
    let more = match told.len().saturating_sub(MOST_TIES) {
        0 => String::new(),
        more => format!("; {more} more carry less"),
    };
    (!words.is_empty()).then(|| format!("{}{more}", words.join("; ")))
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
