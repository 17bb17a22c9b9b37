//! Runs: frames of simulations, kept for as long as their page is open.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex},
};

use drystone_model::Model;
use drystone_output::{
    OutputError,
    history::BlockState,
    records::{Moment, Replay},
    table::Table,
};
use glam::{DQuat, DVec3};
use serde_json::{Value, json};

use crate::{
    desk::lock,
    protocol::Refusal,
    security::FRAME_BYTES,
    wire::{Binary, Kind},
};

/// Runs that are kept.
const KEPT: usize = 2;
/// Memory for the frames of one of them (bytes).
pub(crate) const RUN_BYTES: usize = FRAME_BYTES / KEPT;
/// Numbers for a block: position of its centre, quaternion x y z w.
const POSE: usize = 7;

/// One moment of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunFrame {
    pub(crate) time: f64,
    pub(crate) kinetic: f64,
    pub(crate) potential: f64,
    pub(crate) dissipated: f64,
    pub(crate) balance: f64,
    pub(crate) residual: f64,
    pub(crate) step_ms: f64,
    /// Length of a step (s), a short one where steps are explicit, and how many were taken in a second by the clock; zero where
    /// that is not known.
    pub(crate) step: f64,
    pub(crate) steps_per_s: f64,
    pub(crate) ground: [f32; 3],
    pub(crate) poses: Vec<f32>,
}

impl RunFrame {
    /// Puts blocks where they are.
    pub(crate) fn place(&mut self, placements: impl Iterator<Item = (DVec3, DQuat)>) {
        for (center, rotation) in placements {
            self.poses.extend(center.as_vec3().to_array());
            self.poses.extend(rotation.as_quat().to_array());
        }
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + 4 * self.poses.len()
    }

    /// Where blocks are, as writers of files take it.
    pub(crate) fn states(&self) -> Vec<BlockState> {
        let one = |pose: &[f32; POSE]| {
            let [x, y, z, a, b, c, w] = pose.map(f64::from);
            BlockState {
                position: DVec3::new(x, y, z),
                rotation: DQuat::from_xyzw(a, b, c, w),
                velocity: DVec3::ZERO,
                angular_velocity: DVec3::ZERO,
            }
        };
        self.poses.as_chunks::<POSE>().0.iter().map(one).collect()
    }

    fn message(&self, id: u64, number: usize) -> Vec<u8> {
        let header = json!({
            "frame": number,
            "time_s": self.time,
            "kinetic_j": self.kinetic,
            "potential_j": self.potential,
            "dissipated_j": self.dissipated,
            "balance": self.balance,
            "residual": self.residual,
            "step_ms": self.step_ms,
            "step_s": self.step,
            "steps_per_s": self.steps_per_s,
        });
        Binary::new(Kind::Frame, id, header)
            .floats("poses", self.poses.iter().copied())
            .floats("ground", self.ground)
            .finish()
    }
}

/// A run, in the making or over.
pub(crate) struct Run {
    pub(crate) model: Arc<Model>,
    /// What was asked, in words.
    pub(crate) asked: Vec<(String, String)>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    frames: Vec<Arc<RunFrame>>,
    bytes: usize,
    /// What came out, once it is over.
    ended: Option<Value>,
    /// It could not be begun.
    is_void: bool,
}

impl Run {
    pub(crate) fn new(model: Arc<Model>, asked: Vec<(String, String)>) -> Self {
        Self {
            model,
            asked,
            inner: Mutex::default(),
        }
    }

    /// The run that a folder holds.
    pub(crate) fn read(blocks: &Path, steps: &Path, model: &Model) -> Result<Self, Refusal> {
        let table = Table::read(steps, None).map_err(|e| damaged(steps, &e))?;
        let row_of: HashMap<i64, usize> = {
            let steps = table.ints("step").unwrap_or_default();
            steps.iter().enumerate().map(|(row, &step)| (step, row)).collect()
        };
        let run = Self::new(Arc::new(model.clone()), Vec::new());
        let damaged = |e: OutputError| damaged(blocks, &e);
        for moment in Replay::open(blocks).map_err(damaged)? {
            let moment: Moment = moment.map_err(damaged)?;
            let [found, own] = [moment.blocks.len(), model.blocks.len()];
            if found != own {
                return Err(Refusal::new(format!(
                    "blocks.parquet is of another model: it moves {found} blocks, model.json has {own}"
                )));
            }
            let row = row_of.get(&(moment.step as i64));
            let value = |name: &str| row.and_then(|&r| table.floats(name)?.get(r).copied()).unwrap_or(0.0);
            let mut frame = RunFrame {
                time: moment.time_s,
                kinetic: value("kinetic_j"),
                potential: value("potential_j"),
                dissipated: value("impact_j") + value("friction_j"),
                balance: value("balance_error"),
                residual: value("residual"),
                step_ms: ["detect_ms", "assemble_ms", "solve_ms", "integrate_ms"]
                    .map(value)
                    .iter()
                    .sum(),
                step: 0.0,
                steps_per_s: 0.0,
                ground: ["ground_x_m", "ground_y_m", "ground_z_m"].map(|n| value(n) as f32),
                poses: Vec::new(),
            };
            frame.place(moment.blocks.iter().map(|b| (b.position, b.rotation)));
            if !run.push(frame) {
                return Err(Refusal::new(format!(
                    "the run is too large: its frames fill {RUN_BYTES} bytes"
                )));
            }
        }
        Ok(run)
    }

    /// Adds a frame; tells whether there was room for it.
    pub(crate) fn push(&self, frame: RunFrame) -> bool {
        let mut inner = lock(&self.inner);
        inner.bytes += frame.bytes();
        if inner.bytes > RUN_BYTES {
            return false;
        }
        inner.frames.push(Arc::new(frame));
        true
    }

    pub(crate) fn frames(&self) -> Vec<Arc<RunFrame>> {
        lock(&self.inner).frames.clone()
    }

    pub(crate) fn frame_count(&self) -> usize {
        lock(&self.inner).frames.len()
    }

    pub(crate) fn duration(&self) -> f64 {
        lock(&self.inner).frames.last().map_or(0.0, |f| f.time)
    }

    /// A frame as it is sent.
    pub(crate) fn message(&self, id: u64, number: usize) -> Option<Vec<u8>> {
        let frame = lock(&self.inner).frames.get(number).cloned()?;
        Some(frame.message(id, number))
    }

    /// It could not be begun: nobody is to find it.
    pub(crate) fn give_up(&self) {
        lock(&self.inner).is_void = true;
    }

    fn is_void(&self) -> bool {
        lock(&self.inner).is_void
    }

    pub(crate) fn end(&self, ended: Value) {
        lock(&self.inner).ended = Some(ended);
    }

    pub(crate) fn ended(&self) -> Option<Value> {
        lock(&self.inner).ended.clone()
    }
}

/// Why a file of a run cannot be read. Where the folder is, the page knows.
fn damaged(file: &Path, error: &OutputError) -> Refusal {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let what = error.to_string().replace(&format!("`{}`: ", file.display()), "");
    Refusal::new(format!("{name} cannot be read: {what}"))
}

/// The runs of a page, by the question that asked for them.
#[derive(Default)]
pub(crate) struct Runs(Vec<(u64, Arc<Run>)>);

impl Runs {
    pub(crate) fn keep(&mut self, id: u64, run: Arc<Run>) {
        self.0.retain(|(_, run)| !run.is_void());
        if self.0.len() >= KEPT {
            self.0.remove(0);
        }
        self.0.push((id, run));
    }

    pub(crate) fn last(&self) -> Option<Arc<Run>> {
        self.begun().next_back().map(|(_, run)| Arc::clone(run))
    }

    fn begun(&self) -> impl DoubleEndedIterator<Item = &(u64, Arc<Run>)> {
        self.0.iter().filter(|(_, run)| !run.is_void())
    }

    /// The run of a question, or the last one.
    pub(crate) fn find(&self, which: Option<u64>) -> Result<Arc<Run>, Refusal> {
        let found = match which {
            None => self.last(),
            Some(id) => self.begun().find(|(own, _)| *own == id).map(|(_, run)| Arc::clone(run)),
        };
        found.ok_or_else(|| {
            Refusal::new("there is no such run").help(format!("simulate first; the last {KEPT} runs are kept"))
        })
    }
}
