//! The tables of a run: where every block is, what every contact carries, what every step came to, and how far every block
//! moved at most.
//!
//! All but the last are [`TableWriter`]s with fixed columns; `docs/outputs.md` lists them with their units. [`Replay`] gives back
//! the frames of a run from its table of blocks.

use std::{path::Path, sync::Arc};

use drystone_model::Model;
use glam::{DQuat, DVec3};

use crate::{
    OutputError,
    history::{BlockState, Frame},
    table::{Groups, Kind, Table, TableWriter, Values},
};

/// Columns of the table of blocks.
pub const BLOCK_COLUMNS: [(&str, Kind); 17] = [
    ("step", Kind::Int),
    ("time_s", Kind::Float),
    ("block", Kind::Int),
    ("name", Kind::Text),
    ("x", Kind::Float),
    ("y", Kind::Float),
    ("z", Kind::Float),
    ("qw", Kind::Float),
    ("qx", Kind::Float),
    ("qy", Kind::Float),
    ("qz", Kind::Float),
    ("vx", Kind::Float),
    ("vy", Kind::Float),
    ("vz", Kind::Float),
    ("wx", Kind::Float),
    ("wy", Kind::Float),
    ("wz", Kind::Float),
];

/// Columns of the table of contacts.
pub const CONTACT_COLUMNS: [(&str, Kind); 16] = [
    ("step", Kind::Int),
    ("time_s", Kind::Float),
    ("block_a", Kind::Int),
    ("block_b", Kind::Int),
    ("x", Kind::Float),
    ("y", Kind::Float),
    ("z", Kind::Float),
    ("nx", Kind::Float),
    ("ny", Kind::Float),
    ("nz", Kind::Float),
    ("fx", Kind::Float),
    ("fy", Kind::Float),
    ("fz", Kind::Float),
    ("gap", Kind::Float),
    ("friction_use", Kind::Float),
    ("status", Kind::Text),
];

/// Whether a table is begun or gone on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// A new run.
    Fresh,
    /// A run that goes on after this step; rows beyond it are dropped.
    After(u64),
}

fn open(path: &Path, columns: &[(&str, Kind)], start: Start) -> Result<TableWriter, OutputError> {
    match start {
        Start::Fresh => TableWriter::create(path, columns),
        Start::After(step) => TableWriter::resume(path, columns, step),
    }
}

/// Where every block is: `blocks.parquet`, one row for each block and frame.
pub struct BlockTable {
    writer: TableWriter,
    names: Vec<Arc<str>>,
}

impl BlockTable {
    /// Begins the table, or goes on with it.
    pub fn open(path: &Path, model: &Model, start: Start) -> Result<Self, OutputError> {
        Ok(Self {
            writer: open(path, &BLOCK_COLUMNS, start)?,
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
                let BlockState {
                    position: p,
                    rotation: q,
                    velocity: v,
                    angular_velocity: w,
                } = state;
                let numbers = [
                    frame.time_s,
                    p.x,
                    p.y,
                    p.z,
                    q.w,
                    q.x,
                    q.y,
                    q.z,
                    v.x,
                    v.y,
                    v.z,
                    w.x,
                    w.y,
                    w.z,
                ];
                push_row(columns, &[frame.step as i64, k as i64], &numbers, name);
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
    pub fn open(path: &Path, start: Start) -> Result<Self, OutputError> {
        let writer = open(path, &CONTACT_COLUMNS, start)?;
        Ok(Self { writer })
    }

    /// Adds a frame.
    pub fn push(&mut self, frame: &Frame<'_>) -> Result<(), OutputError> {
        let words = ["open", "stick", "slide"].map(Arc::<str>::from);
        self.writer.push(|columns| {
            for contact in frame.contacts {
                let (p, n, f) = (contact.point, contact.normal, contact.force);
                let numbers = [
                    frame.time_s,
                    p.x,
                    p.y,
                    p.z,
                    n.x,
                    n.y,
                    n.z,
                    f.x,
                    f.y,
                    f.z,
                    contact.gap,
                    contact.friction_use,
                ];
                let [a, b] = contact.blocks.map(i64::from);
                let word = &words[usize::from(contact.status.number())];
                push_row(columns, &[frame.step as i64, a, b], &numbers, word);
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
fn push_row(columns: &mut [Values], whole: &[i64], numbers: &[f64], text: &Arc<str>) {
    let (mut whole, mut numbers) = (whole.iter(), numbers.iter());
    for column in columns {
        match column {
            Values::Int(v) => v.extend(whole.next()),
            Values::Float(v) => v.extend(numbers.next()),
            Values::Text(v) => v.push(Arc::clone(text)),
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
    pub fn open(path: &Path, names: &[&str], start: Start) -> Result<Self, OutputError> {
        let fixed = [("step", Kind::Int), ("time_s", Kind::Float)];
        let columns: Vec<_> = fixed
            .into_iter()
            .chain(names.iter().map(|&n| (n, Kind::Float)))
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

/// Columns of the table of peaks.
pub const PEAK_COLUMNS: [(&str, Kind); 12] = [
    ("block", Kind::Int),
    ("name", Kind::Text),
    ("max_displacement_m", Kind::Float),
    ("max_displacement_time_s", Kind::Float),
    ("max_speed_m_s", Kind::Float),
    ("max_speed_time_s", Kind::Float),
    ("final_displacement_m", Kind::Float),
    ("final_speed_m_s", Kind::Float),
    ("drift_x_m", Kind::Float),
    ("drift_y_m", Kind::Float),
    ("drift_z_m", Kind::Float),
    ("residual_drift_m", Kind::Float),
];

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
    let mut table = Table::new(PEAK_COLUMNS);
    for peak in peaks {
        let ([moved, moved_at], [speed, speed_at]) = (peak.max_displacement, peak.max_speed);
        let (drift, remains) = (peak.drift, peak.drift.length());
        let numbers = [
            moved,
            moved_at,
            speed,
            speed_at,
            remains,
            peak.final_speed,
            drift.x,
            drift.y,
            drift.z,
            remains,
        ];
        push_row(table.columns_mut(), &[peak.block as i64], &numbers, &peak.name.into());
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
        let names = BLOCK_COLUMNS.map(|(name, _)| name);
        let wanted: Vec<&str> = names.into_iter().filter(|n| *n != "name").collect();
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
            let numbers: Vec<&[f64]> = BLOCK_COLUMNS[4..].iter().map(|(name, _)| column(*name)).collect();
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
