//! The tables of a run: where every block is, what every contact and tie carries, what every step came to, and how far every
//! block moved at most.
//!
//! All but the last are [`TableWriter`]s with fixed columns; `docs/outputs.md` lists them with their units. [`Replay`] returns
//! the frames of a run from its table of blocks.

use std::{path::Path, sync::Arc};

use drystone_mechanics::dynamics::{ContactForce, TieNow};
use drystone_model::Model;
use glam::{DQuat, DVec3};

use crate::{
    OutputError,
    history::{BlockState, Frame},
    table::{ColumnKind, ColumnValues, Groups, Table, TableWriter},
};

/// A column of numbers: its name, and the number of something.
type Number<T> = (&'static str, fn(&T) -> f64);

/// Numbers of a block in a frame: `blocks.parquet` has step, time, block and name before them. Lengths are in m, angular
/// velocities in rad/s.
const BLOCK_NUMBERS: [Number<BlockState>; 13] = [
    ("x", |b| b.position.x),
    ("y", |b| b.position.y),
    ("z", |b| b.position.z),
    ("qw", |b| b.rotation.w),
    ("qx", |b| b.rotation.x),
    ("qy", |b| b.rotation.y),
    ("qz", |b| b.rotation.z),
    ("vx", |b| b.velocity.x),
    ("vy", |b| b.velocity.y),
    ("vz", |b| b.velocity.z),
    ("wx", |b| b.angular_velocity.x),
    ("wy", |b| b.angular_velocity.y),
    ("wz", |b| b.angular_velocity.z),
];

/// Numbers of a contact in a frame: `contacts.parquet` has step, time and the two blocks before them, and the status after
/// them. Lengths are in m, forces in N.
const CONTACT_NUMBERS: [Number<ContactForce>; 11] = [
    ("x", |c| c.point.x),
    ("y", |c| c.point.y),
    ("z", |c| c.point.z),
    ("nx", |c| c.normal.x),
    ("ny", |c| c.normal.y),
    ("nz", |c| c.normal.z),
    ("fx", |c| c.force.x),
    ("fy", |c| c.force.y),
    ("fz", |c| c.force.z),
    ("gap", |c| c.gap),
    ("friction_use", |c| c.friction_use),
];

/// Columns of the table of blocks.
pub fn block_columns() -> Vec<(&'static str, ColumnKind)> {
    let first = [
        ("step", ColumnKind::Int),
        ("time_s", ColumnKind::Float),
        ("block", ColumnKind::Int),
        ("name", ColumnKind::Text),
    ];
    first.into_iter().chain(floats(&BLOCK_NUMBERS)).collect()
}

/// Columns of the table of contacts.
pub fn contact_columns() -> Vec<(&'static str, ColumnKind)> {
    let first = [
        ("step", ColumnKind::Int),
        ("time_s", ColumnKind::Float),
        ("block_a", ColumnKind::Int),
        ("block_b", ColumnKind::Int),
    ];
    let numbers = floats(&CONTACT_NUMBERS);
    first
        .into_iter()
        .chain(numbers)
        .chain([("status", ColumnKind::Text)])
        .collect()
}

fn floats<T>(numbers: &[Number<T>]) -> impl Iterator<Item = (&'static str, ColumnKind)> {
    numbers.iter().map(|(name, _)| (*name, ColumnKind::Float))
}

/// Whether a table is begun or gone on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableStart {
    /// A new run.
    Fresh,
    /// A run that goes on after this step; rows beyond it are dropped.
    After(u64),
}

fn open(path: &Path, columns: &[(&str, ColumnKind)], start: TableStart) -> Result<TableWriter, OutputError> {
    match start {
        TableStart::Fresh => TableWriter::create(path, columns),
        TableStart::After(step) => TableWriter::resume(path, columns, step),
    }
}

/// Where every block is: `blocks.parquet`, one row for each block and frame.
pub struct BlockTable {
    writer: TableWriter,
    names: Vec<Arc<str>>,
}

impl BlockTable {
    /// Begins the table, or goes on with it.
    pub fn open(path: &Path, model: &Model, start: TableStart) -> Result<Self, OutputError> {
        Ok(Self {
            writer: open(path, &block_columns(), start)?,
            names: model.blocks.iter().map(|b| b.name.as_str().into()).collect(),
        })
    }

    /// Adds a frame.
    pub fn push(&mut self, frame: &Frame<'_>) -> Result<(), OutputError> {
        if frame.blocks.len() != self.names.len() {
            return Err(OutputError::WrongCount {
                time_s: frame.time_s,
                what: "placements".to_string(),
                found: frame.blocks.len(),
                expected: self.names.len(),
            });
        }
        let names = &self.names;
        self.writer.push(|columns| {
            for (k, (state, name)) in frame.blocks.iter().zip(names).enumerate() {
                let numbers = BLOCK_NUMBERS.iter().map(|(_, of)| of(state));
                let numbers = std::iter::once(frame.time_s).chain(numbers);
                push_row(columns, &[frame.step as i64, k as i64], numbers, name);
            }
        })
    }

    /// See [`TableWriter::checkpoint`].
    pub fn checkpoint(&mut self) -> Result<(), OutputError> {
        self.writer.checkpoint()
    }

    /// See [`TableWriter::finish`].
    pub fn finish(self) -> Result<(), OutputError> {
        self.writer.finish()
    }
}

/// What every contact carries: `contacts.parquet`, one row for each contact and frame.
pub struct ContactTable {
    writer: TableWriter,
}

impl ContactTable {
    /// Begins the table, or goes on with it.
    pub fn open(path: &Path, start: TableStart) -> Result<Self, OutputError> {
        let writer = open(path, &contact_columns(), start)?;
        Ok(Self { writer })
    }

    /// Adds a frame.
    pub fn push(&mut self, frame: &Frame<'_>) -> Result<(), OutputError> {
        let words = ["open", "stick", "slide"].map(Arc::<str>::from);
        self.writer.push(|columns| {
            for contact in frame.contacts {
                let numbers = CONTACT_NUMBERS.iter().map(|(_, of)| of(contact));
                let numbers = std::iter::once(frame.time_s).chain(numbers);
                let [a, b] = contact.blocks.map(i64::from);
                let word = &words[usize::from(contact.status.number())];
                push_row(columns, &[frame.step as i64, a, b], numbers, word);
            }
        })
    }

    /// See [`TableWriter::checkpoint`].
    pub fn checkpoint(&mut self) -> Result<(), OutputError> {
        self.writer.checkpoint()
    }

    /// See [`TableWriter::finish`].
    pub fn finish(self) -> Result<(), OutputError> {
        self.writer.finish()
    }
}

/// Deals a row out to the columns: whole numbers, other numbers and text go, each in order, to columns of their kind.
fn push_row(columns: &mut [ColumnValues], whole: &[i64], mut numbers: impl Iterator<Item = f64>, text: &Arc<str>) {
    let mut whole = whole.iter();
    for column in columns {
        match column {
            ColumnValues::Int(v) => v.extend(whole.next()),
            ColumnValues::Float(v) => v.extend(numbers.next()),
            ColumnValues::Text(v) => v.push(Arc::clone(text)),
        }
    }
}

/// What every step came to: `steps.parquet`, one row a step with numbers of the caller's choice (energies, iterations,
/// residuals, wall times).
pub struct StepTable {
    writer: TableWriter,
}

impl StepTable {
    /// Begins the table, or goes on with it. The columns are `step`, `time_s` and those named; put units into names.
    pub fn open(path: &Path, names: &[&str], start: TableStart) -> Result<Self, OutputError> {
        let fixed = [("step", ColumnKind::Int), ("time_s", ColumnKind::Float)];
        let columns: Vec<_> = fixed
            .into_iter()
            .chain(names.iter().map(|&n| (n, ColumnKind::Float)))
            .collect();
        Ok(Self {
            writer: open(path, &columns, start)?,
        })
    }

    /// Adds a step: one value for each name.
    pub fn push(&mut self, step: u64, time_s: f64, values: &[f64]) -> Result<(), OutputError> {
        let mut row = Vec::with_capacity(values.len() + 1);
        row.push(time_s);
        row.extend(values);
        self.writer.push_row(step, &row)
    }

    /// See [`TableWriter::checkpoint`].
    pub fn checkpoint(&mut self) -> Result<(), OutputError> {
        self.writer.checkpoint()
    }

    /// See [`TableWriter::finish`].
    pub fn finish(self) -> Result<(), OutputError> {
        self.writer.finish()
    }
}

/// Columns of the table of ties.
pub fn tie_columns() -> [(&'static str, ColumnKind); 7] {
    [
        ("step", ColumnKind::Int),
        ("time_s", ColumnKind::Float),
        ("name", ColumnKind::Text),
        ("force_n", ColumnKind::Float),
        ("elongation_m", ColumnKind::Float),
        ("plastic_elongation_m", ColumnKind::Float),
        ("state", ColumnKind::Text),
    ]
}

/// What every tie carries: `ties.parquet`, one row for each tie and step.
pub struct TieTable {
    writer: TableWriter,
}

impl TieTable {
    /// Begins the table, or goes on with it.
    pub fn open(path: &Path, start: TableStart) -> Result<Self, OutputError> {
        let writer = open(path, &tie_columns(), start)?;
        Ok(Self { writer })
    }

    /// Adds a step.
    pub fn push<'a>(
        &mut self,
        step: u64,
        time_s: f64,
        ties: impl Iterator<Item = TieNow<'a>>,
    ) -> Result<(), OutputError> {
        self.writer.push(|columns| {
            for tie in ties {
                let mut numbers = [time_s, tie.state.force, tie.elongation, tie.state.plastic].into_iter();
                let mut texts = [tie.name, tie.status().name()].into_iter();
                for column in columns.iter_mut() {
                    match column {
                        ColumnValues::Int(v) => v.push(step as i64),
                        ColumnValues::Float(v) => v.extend(numbers.next()),
                        ColumnValues::Text(v) => v.extend(texts.next().map(Arc::from)),
                    }
                }
            }
        })
    }

    /// See [`TableWriter::checkpoint`].
    pub fn checkpoint(&mut self) -> Result<(), OutputError> {
        self.writer.checkpoint()
    }

    /// See [`TableWriter::finish`].
    pub fn finish(self) -> Result<(), OutputError> {
        self.writer.finish()
    }
}

/// Numbers of the peaks of a block: `peaks.parquet` has block and name before them.
const PEAK_NUMBERS: [Number<BlockPeak>; 10] = [
    ("max_displacement_m", |p| p.max_displacement[0]),
    ("max_displacement_time_s", |p| p.max_displacement[1]),
    ("max_speed_m_s", |p| p.max_speed[0]),
    ("max_speed_time_s", |p| p.max_speed[1]),
    ("final_displacement_m", |p| p.drift.length()),
    ("final_speed_m_s", |p| p.final_speed),
    ("drift_x_m", |p| p.drift.x),
    ("drift_y_m", |p| p.drift.y),
    ("drift_z_m", |p| p.drift.z),
    ("residual_drift_m", |p| p.drift.length()),
];

/// Columns of the table of peaks.
pub fn peak_columns() -> Vec<(&'static str, ColumnKind)> {
    let first = [("block", ColumnKind::Int), ("name", ColumnKind::Text)];
    first.into_iter().chain(floats(&PEAK_NUMBERS)).collect()
}

/// How far and how fast a block moved, relative to the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockPeak {
    /// Position of the block in the model.
    pub block: usize,
    /// Its name.
    pub name: String,
    /// Largest displacement (m) and when (s).
    pub max_displacement: [f64; 2],
    /// Largest speed (m/s) and when (s).
    pub max_speed: [f64; 2],
    /// Displacement at the end (m): the drift.
    pub drift: DVec3,
    /// Speed at the end (m/s).
    pub final_speed: f64,
}

/// Writes how far and how fast blocks moved: `peaks.parquet`, one row for each block.
pub fn write_peaks(path: &Path, peaks: impl IntoIterator<Item = BlockPeak>) -> Result<(), OutputError> {
    let mut table = Table::new(peak_columns());
    for peak in peaks {
        let numbers = PEAK_NUMBERS.iter().map(|(_, of)| of(&peak));
        push_row(
            table.columns_mut(),
            &[peak.block as i64],
            numbers,
            &peak.name.as_str().into(),
        );
    }
    table.write(path)
}

/// One moment of a run, read back.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Number of the time step.
    pub step: u64,
    /// Time (s).
    pub time_s: f64,
    /// One for each block, in the order of the model.
    pub blocks: Vec<BlockState>,
}

impl Moment {
    /// The moment as a frame, without contacts.
    pub fn frame(&self) -> Frame<'_> {
        Frame {
            step: self.step,
            time_s: self.time_s,
            blocks: &self.blocks,
            contacts: &[],
            measures: &[],
        }
    }
}

/// The frames of a run, one after the other, from its table of blocks, finished or not.
pub struct Replay {
    groups: Groups,
    rows: Option<(Table, usize)>,
}

impl Replay {
    /// Opens a table of blocks.
    pub fn open(path: &Path) -> Result<Self, OutputError> {
        let names = block_columns().into_iter().map(|(name, _)| name);
        let wanted: Vec<&str> = names.filter(|n| *n != "name").collect();
        Ok(Self {
            groups: Groups::open(path, Some(&wanted))?,
            rows: None,
        })
    }

    fn read_next(&mut self) -> Result<Option<Moment>, OutputError> {
        let mut moment: Option<Moment> = None;
        loop {
            let (table, first) = match self.rows.take() {
                Some(rows) => rows,
                None => match self.groups.next().transpose()? {
                    Some(table) => (table, 0),
                    None => return Ok(moment),
                },
            };
            let steps = table.ints("step").unwrap_or_default();
            let column = |name| table.floats(name).unwrap_or_default();
            let times = column("time_s");
            let numbers: Vec<&[f64]> = BLOCK_NUMBERS.iter().map(|(name, _)| column(name)).collect();
            for row in first..table.rows() {
                let begun = moment.get_or_insert_with(|| Moment {
                    step: steps[row] as u64,
                    time_s: times[row],
                    blocks: Vec::new(),
                });
                if begun.step != steps[row] as u64 {
                    self.rows = Some((table, row));
                    return Ok(moment);
                }
                let at = |k: usize| numbers[k][row];
                let vector = |k: usize| DVec3::new(at(k), at(k + 1), at(k + 2));
                begun.blocks.push(BlockState {
                    position: vector(0),
                    rotation: DQuat::from_xyzw(at(4), at(5), at(6), at(3)),
                    velocity: vector(7),
                    angular_velocity: vector(10),
                });
            }
        }
    }
}

impl Iterator for Replay {
    type Item = Result<Moment, OutputError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read_next().transpose()
    }
}
