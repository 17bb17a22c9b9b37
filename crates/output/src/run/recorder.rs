//! What a run writes as it goes: tables, and a series for ParaView.

use std::path::Path;

use drystone_analysis::{Run, words};
use drystone_mechanics::{
    deformable::ElasticField,
    dynamics::{ContactForce, Simulation},
};
use drystone_model::Model;
use glam::DVec3;

use super::RunFiles;
use crate::{
    OutputError,
    deformed::{StressMap, StressTables, unstructured_grid},
    file::write_atomically,
    history::{BlockState, Frame},
    records::{self, BlockPeak, BlockTable, ContactTable, StepTable, TableStart, TieTable},
    series::VtkSeries,
};

/// A column of the table of steps: its name, which ends in its unit, and its value after a step.
type Column = (&'static str, fn(&Run<'_>) -> f64);

/// Columns of the table of steps, before those of the monitored blocks.
const COLUMNS: [Column; 32] = [
    ("dt_s", |run| run.last_step().dt),
    ("kinetic_j", |run| run.state().energies.kinetic),
    ("potential_j", |run| run.state().energies.potential),
    ("input_j", |run| run.state().energies.input),
    ("impact_j", |run| run.state().energies.impact),
    ("friction_j", |run| run.state().energies.friction),
    ("viscous_j", |run| run.state().energies.viscous),
    ("ties_j", |run| run.state().energies.ties),
    ("elastic_j", |run| run.state().energies.elastic),
    ("created_j", |run| run.state().energies.created),
    ("balance_error", |run| run.state().energies.balance_error()),
    ("max_speed_m_s", |run| run.last_step().max_speed),
    ("contacts", |run| run.last_step().contacts as f64),
    ("iterations", |run| run.last_step().iterations as f64),
    ("residual", |run| run.last_step().residual),
    ("local_residual", |run| run.last_step().local_residual),
    ("relaxed_m", |run| run.last_step().relaxed),
    ("slip_opening_m", |run| run.last_step().slip_opening),
    ("restitution_lost", |run| run.last_step().rebound_lost),
    ("overlap_m", |run| run.last_step().overlap),
    ("overlap_fraction", |run| run.last_step().relative_overlap),
    ("compression_fraction", |run| run.last_step().relative_compression),
    ("detect_ms", |run| 1e3 * run.last_step().times.detect_s),
    ("assemble_ms", |run| 1e3 * run.last_step().times.assemble_s),
    ("solve_ms", |run| 1e3 * run.last_step().times.solve_s),
    ("integrate_ms", |run| 1e3 * run.last_step().times.integrate_s),
    ("ground_x_m", |run| run.simulation().ground_displacement().x),
    ("ground_y_m", |run| run.simulation().ground_displacement().y),
    ("ground_z_m", |run| run.simulation().ground_displacement().z),
    ("potential_drop", |run| run.potential_drop()),
    ("max_displacement_m", |run| run.last_step().max_displacement),
    ("fallen_fraction", |run| run.last_step().fallen),
];

/// The column after these, where joints are bonded.
const BROKEN_BONDS: Column = ("broken_bonds", |run| {
    let [bonds, intact] = run.simulation().bonds();
    (bonds - intact) as f64
});

/// The files of a run.
pub(super) struct Recorder<'a> {
    blocks: BlockTable,
    contacts: ContactTable,
    steps: StepTable,
    /// Where the model has ties.
    ties: Option<TieTable>,
    series: Option<VtkSeries<'a>>,
    states: Vec<BlockState>,
    forces: Vec<ContactForce>,
    damage: Vec<f64>,
    row: Vec<f64>,
    columns: Vec<Column>,
    monitor: Vec<usize>,
}

/// Names of the columns of a monitored block.
pub(super) fn monitor_columns(model: &Model, block: usize) -> [String; 3] {
    ["x", "y", "z"].map(|axis| format!("u_{}_{axis}_m", model.blocks[block].name))
}

impl<'a> Recorder<'a> {
    pub(super) fn open(
        files: &RunFiles,
        model: &'a Model,
        simulation: &Simulation,
        start: TableStart,
    ) -> Result<Self, OutputError> {
        let (folder, is_bonded) = (&files.folder, simulation.bonds()[0] > 0);
        let columns: Vec<Column> = COLUMNS.into_iter().chain(is_bonded.then_some(BROKEN_BONDS)).collect();
        let monitored: Vec<String> = (files.monitor.iter())
            .flat_map(|&block| monitor_columns(model, block))
            .collect();
        let names: Vec<&str> = (columns.iter().map(|(name, _)| *name))
            .chain(monitored.iter().map(String::as_str))
            .collect();
        Ok(Self {
            blocks: BlockTable::open(&folder.join("blocks.parquet"), model, start)?,
            contacts: ContactTable::open(&folder.join("contacts.parquet"), start)?,
            steps: StepTable::open(&folder.join("steps.parquet"), &names, start)?,
            ties: match model.ties.is_empty() {
                true => None,
                false => Some(TieTable::open(&folder.join("ties.parquet"), start)?),
            },
            series: files
                .vtk
                .then(|| VtkSeries::open(&folder.join("paraview"), model, start))
                .transpose()?,
            states: Vec::new(),
            forces: Vec::new(),
            damage: Vec::new(),
            row: Vec::new(),
            columns,
            monitor: files.monitor.clone(),
        })
    }

    /// Writes where every block is and what every contact carries.
    pub(super) fn frame(&mut self, simulation: &Simulation) -> Result<(), OutputError> {
        let state = simulation.state();
        self.states.clear();
        let blocks = state.placements.iter().zip(&state.velocities);
        self.states
            .extend(blocks.map(|(place, motion)| BlockState::new(place, motion)));
        self.forces.clear();
        if state.step > 0 {
            self.forces.extend(simulation.contact_forces());
        }
        // How far a block is from where the ground would have carried it, in sizes of itself.
        let structure = simulation.structure();
        self.damage.clear();
        let motions = simulation.relative_motions().enumerate();
        self.damage.extend(motions.map(|(b, motion)| match structure.fixed[b] {
            true => 0.0,
            false => motion.displacement.length() / (2.0 * structure.radius[b]),
        }));
        let frame = Frame {
            step: state.step,
            time_s: state.time,
            blocks: &self.states,
            contacts: &self.forces,
            measures: &[("damage", &self.damage)],
        };
        self.blocks.push(&frame)?;
        self.contacts.push(&frame)?;
        if let Some(series) = &mut self.series {
            let field = ElasticField::of(structure, &state.placements, state.deformed());
            series.push_with(&frame, &field)?;
        }
        Ok(())
    }

    /// Writes what a step came to.
    pub(super) fn step(&mut self, run: &Run<'_>) -> Result<(), OutputError> {
        self.row.clear();
        self.row.extend(self.columns.iter().map(|(_, value)| value(run)));
        let (state, initial) = (run.state(), &run.simulation().structure().center);
        for &block in &self.monitor {
            let moved: DVec3 = state.placements[block].center - initial[block];
            self.row.extend(moved.to_array());
        }
        if let Some(ties) = &mut self.ties {
            ties.push(state.step, state.time, run.simulation().ties())?;
        }
        self.steps.push(state.step, state.time, &self.row)
    }

    /// Puts what is held in memory on disk, for a run that may be stopped here.
    pub(super) fn checkpoint(&mut self) -> Result<(), OutputError> {
        self.blocks.checkpoint()?;
        self.contacts.checkpoint()?;
        if let Some(ties) = &mut self.ties {
            ties.checkpoint()?;
        }
        self.steps.checkpoint()
    }

    pub(super) fn finish(self) -> Result<(), OutputError> {
        self.blocks.finish()?;
        self.contacts.finish()?;
        if let Some(ties) = self.ties {
            ties.finish()?;
        }
        self.steps.finish()
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

/// Writes elements, displacements and stresses of the blocks that deform, as they are now, and a picture of them. Gives the names
/// of the files.
pub(super) fn write_deformed(
    model: &Model,
    simulation: &Simulation,
    folder: &Path,
    tables_only: bool,
) -> Result<Vec<String>, OutputError> {
    let (structure, state) = (simulation.structure(), simulation.state());
    let field = ElasticField::of(structure, &state.placements, state.deformed());
    if field.is_empty() {
        return Ok(Vec::new());
    }
    let mut tables = StressTables::new("step");
    tables.push(state.step, model, &field);
    let mut files = tables.write(folder)?;
    let mut save = |name: &str, bytes: &[u8]| -> Result<(), OutputError> {
        files.push(name.to_string());
        Ok(write_atomically(&folder.join(name), bytes)?)
    };
    save("deformed.vtu", &unstructured_grid(model, &field))?;
    if !tables_only {
        let initial: Vec<_> = (0..structure.len()).map(|b| structure.initial(b)).collect();
        let name = if model.name.is_empty() {
            "structure"
        } else {
            &model.name
        };
        let title = format!("{name}: stress at {}", words::short_time(state.time));
        let drawing = StressMap::new(model, &field, &initial, &state.placements, &[]).title(title);
        save("stress.svg", drawing.svg()?.as_bytes())?;
        save("stress.png", &drawing.png()?)?;
    }
    Ok(files)
}
