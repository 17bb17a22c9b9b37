//! What a run writes as it goes: tables, and a series for ParaView.

use std::path::Path;

use drystone_mechanics::dynamics::{ContactStatus as Status, Simulation, Step};
use drystone_model::Model;
use drystone_output::{
    OutputError,
    history::{BlockState, ContactState, ContactStatus, Frame},
    records::{BlockTable, ContactTable, Start, StepTable},
    series::VtkSeries,
};

/// Columns of the table of steps, before those of the monitored blocks.
const COLUMNS: [&str; 30] = [
    "dt_s",
    "kinetic_j",
    "potential_j",
    "harvested_j",
    "impact_j",
    "friction_j",
    "elastic_j",
    "created_j",
    "balance_error",
    "max_speed_m_s",
    "contacts",
    "iterations",
    "residual",
    "local_residual",
    "relaxed_m",
    "slip_opening_m",
    "restitution_lost",
    "overlap_m",
    "overlap_fraction",
    "compression_fraction",
    "detect_ms",
    "assemble_ms",
    "solve_ms",
    "integrate_ms",
    "ground_x_m",
    "ground_y_m",
    "ground_z_m",
    "potential_drop",
    "max_displacement_m",
    "fallen_fraction",
];

/// The files of a run.
pub(super) struct Recorder<'a> {
    blocks: BlockTable,
    contacts: ContactTable,
    steps: StepTable,
    series: Option<VtkSeries<'a>>,
    states: Vec<BlockState>,
    forces: Vec<ContactState>,
    damage: Vec<f64>,
    row: Vec<f64>,
    monitor: Vec<usize>,
}

/// Names of the columns of a monitored block.
pub(super) fn monitor_columns(model: &Model, block: usize) -> [String; 3] {
    ["x", "y", "z"].map(|axis| format!("u_{}_{axis}_m", model.blocks[block].name))
}

impl<'a> Recorder<'a> {
    pub(super) fn open(
        folder: &Path,
        model: &'a Model,
        monitor: &[usize],
        vtk: bool,
        start: Start,
    ) -> Result<Self, OutputError> {
        let mut columns: Vec<String> = COLUMNS.iter().map(ToString::to_string).collect();
        for &block in monitor {
            columns.extend(monitor_columns(model, block));
        }
        let names: Vec<&str> = columns.iter().map(String::as_str).collect();
        Ok(Self {
            blocks: BlockTable::open(&folder.join("blocks.parquet"), model, start)?,
            contacts: ContactTable::open(&folder.join("contacts.parquet"), start)?,
            steps: StepTable::open(&folder.join("steps.parquet"), &names, start)?,
            series: vtk
                .then(|| VtkSeries::open(&folder.join("paraview"), model, start))
                .transpose()?,
            states: Vec::new(),
            forces: Vec::new(),
            damage: Vec::new(),
            row: Vec::new(),
            monitor: monitor.to_vec(),
        })
    }

    /// Writes where every block is and what every contact carries.
    pub(super) fn frame(&mut self, simulation: &Simulation) -> Result<(), OutputError> {
        let state = simulation.state();
        self.states.clear();
        let blocks = state.placements.iter().zip(&state.velocities);
        self.states.extend(blocks.map(|(placement, velocity)| BlockState {
            position: placement.center,
            rotation: placement.rotation,
            velocity: velocity.linear,
            angular_velocity: velocity.angular,
        }));
        self.forces.clear();
        if state.step > 0 {
            self.forces.extend(simulation.contact_forces().map(|c| ContactState {
                blocks: c.blocks,
                point: c.point,
                normal: c.normal,
                force: c.force,
                gap: c.gap,
                status: match c.status {
                    Status::Open => ContactStatus::Open,
                    Status::Stick => ContactStatus::Stick,
                    Status::Slide => ContactStatus::Slide,
                },
                friction_use: c.friction_use,
            }));
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
            series.push(&frame)?;
        }
        Ok(())
    }

    /// Writes what a step came to.
    pub(super) fn step(&mut self, simulation: &Simulation, step: &Step, drop: f64) -> Result<(), OutputError> {
        let (state, energies) = (simulation.state(), &simulation.state().energies);
        let ground = simulation.ground_displacement();
        self.row.clear();
        self.row.extend([
            step.dt,
            energies.kinetic,
            energies.potential,
            energies.harvested,
            energies.impact,
            energies.friction,
            energies.elastic,
            energies.created,
            energies.balance_error(),
            step.max_speed,
            step.contacts as f64,
            step.iterations as f64,
            step.residual,
            step.local_residual,
            step.relaxed,
            step.slip_opening,
            step.rebound_lost,
            step.overlap,
            step.relative_overlap,
            step.relative_compression,
            1e3 * step.times.detect_s,
            1e3 * step.times.assemble_s,
            1e3 * step.times.solve_s,
            1e3 * step.times.integrate_s,
            ground.x,
            ground.y,
            ground.z,
            drop,
            step.max_displacement,
            step.fallen,
        ]);
        for &block in &self.monitor {
            let moved = state.placements[block].center - simulation.structure().initial[block].center;
            self.row.extend(moved.to_array());
        }
        self.steps.push(state.step, state.time, &self.row)
    }

    /// Puts what is held in memory on disk, for a run that may be stopped here.
    pub(super) fn checkpoint(&mut self) -> Result<(), OutputError> {
        self.blocks.checkpoint()?;
        self.contacts.checkpoint()?;
        self.steps.checkpoint()
    }

    pub(super) fn finish(self) -> Result<(), OutputError> {
        self.blocks.finish()?;
        self.contacts.finish()?;
        self.steps.finish()
    }
}
