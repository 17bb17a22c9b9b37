//! Shaking: a thread that steps a simulation, sends frames as they are computed, and keeps them for export.

use std::{fs, path::PathBuf, sync::Arc, time::Instant};

use drystone_analysis::{End, Flow, Geometry, Observer, Run as Driven, RunError, RunPlan};
use drystone_mechanics::{
    Structure,
    dynamics::{Simulation, SimulationSettings, TimeStep},
};
use drystone_model::{
    Model, Motion,
    motion::{
        CompileSettings, G, Impulse, ImpulseForm, MotionError, MotionQuantity, Sine, Supports, record::RecordMotion,
    },
};
use glam::DVec3;
use serde_json::{Value, json};

use crate::{
    desk::{Control, Desk},
    outbox::{Gone, Outbox},
    protocol::{Moved, MovedKind, Refusal, Simulate},
    runs::{Run, RunFrame},
    security::{Folder, STEPS},
    session::{Done, Session, carried, uploaded},
};

/// Step where a page names none (s).
const STEP: f64 = 0.01;
/// Frames a second where a page names none, and most.
const FRAMES: [f64; 2] = [25.0, 240.0];
/// Longest simulation (s).
const LONGEST: f64 = 3600.0;

/// Begins a simulation: refuses what cannot be done, then leaves it to a thread of its own.
pub(crate) fn start(session: &mut Session, id: u64, asked: Simulate) -> Done {
    let dt = asked.dt_s.unwrap_or(STEP);
    let steps = steps(asked.duration_s, dt)?;
    let base = session.model()?;
    let situation = asked.situation.as_asked();
    let mut model = situation.changes.apply(&base)?;
    model.gravity = situation.gravity(&base)?;
    let loads = set_loads(&mut model, &asked)?;
    let beside = session.version()?.beside.clone();
    let records = session.shared.folder.as_ref().map(|folder| Records { folder, beside });
    let supports = supports(&mut model, &asked.motion, records.as_ref())?;
    let settings = SimulationSettings {
        time_step: TimeStep::Fixed(dt),
        friction: asked.friction_law.friction(),
        ..SimulationSettings::default()
    };
    carried(&model)?;
    // The joints are those of the page's model, found once.
    let joints = session.version()?.joints.as_ref().clone();
    let structure = Structure::with_joints(&model, joints).map_err(Refusal::new)?;
    let simulation = Simulation::with_structure(&model, structure, settings, supports, &loads);
    let mut simulation = simulation.map_err(Refusal::new)?;
    let rate = asked.frames_per_s.unwrap_or(FRAMES[0]);
    if !(rate > 0.0 && rate <= FRAMES[1]) {
        return Err(Refusal::new(format!("{rate} frames a second; allowed is up to {}", FRAMES[1])).into());
    }
    let every = (1.0 / rate).max(dt);
    let control = session.desk.begin(id)?;
    simulation.stop_by(control.stop_flag().into());
    let run = Arc::new(Run::new(Arc::new(model), in_words(&asked, dt)));
    session.runs.keep(id, Arc::clone(&run));
    let fields = json!({
        "steps": steps,
        "blocks": run.model.blocks.len(),
        "frames": (asked.duration_s / every - 1e-9).ceil() as usize + 1,
    });
    let plan = RunPlan {
        every,
        ..RunPlan::of(asked.duration_s)
    };
    let shaking = Shaking {
        id,
        simulation,
        plan,
        frames: Frames {
            id,
            run,
            control,
            out: session.out.clone(),
            since: Instant::now(),
            steps: 0,
            is_full: false,
        },
        desk: Arc::clone(&session.desk),
        out: session.out.clone(),
    };
    let started = session.out.answer(id, "started", fields);
    let thread = std::thread::Builder::new().name("drystone-simulation".into());
    if let Err(error) = thread.spawn(move || shaking.work()) {
        session.desk.end(id);
        return Err(Refusal::new(error).into());
    }
    Ok(started?)
}

/// How many steps a simulation has, if that is not too many.
fn steps(duration: f64, dt: f64) -> Result<usize, Refusal> {
    if !(duration > 0.0 && duration <= LONGEST) {
        return Err(Refusal::new(format!(
            "the duration is {duration} s; it must be above 0 and at most {LONGEST} s"
        )));
    }
    if !(dt > 0.0 && dt <= duration) {
        return Err(Refusal::new(format!(
            "the step is {dt} s; it must be above 0 and no longer than the duration"
        )));
    }
    let steps = (duration / dt - 1e-9).ceil();
    if steps > STEPS as f64 {
        log::debug!("refused: a simulation of {steps} steps");
        let what = format!("{steps} steps are too many; at most {STEPS} are simulated here");
        return Err(Refusal::new(what).help("make the step longer or the duration shorter, or use `drystone simulate`"));
    }
    Ok(steps as usize)
}

/// Multiplies load cases as asked, and gives the names of those that act.
fn set_loads(model: &mut Model, asked: &Simulate) -> Result<Vec<String>, Refusal> {
    let mut names: Vec<String> = Vec::new();
    for load in &asked.situation.loads {
        if names.contains(&load.case) {
            return Err(Refusal::new(format!("load case `{}` is named twice", load.case)));
        }
        let case = model.load_cases.get_mut(&load.case);
        let case = case.ok_or_else(|| Refusal::new(format!("there is no load case `{}`", load.case)))?;
        case.forces.iter_mut().for_each(|f| f.force *= load.factor);
        case.couples.iter_mut().for_each(|c| c.moment *= load.factor);
        case.body.iter_mut().for_each(|b| b.acceleration *= load.factor);
        names.push(load.case.clone());
    }
    Ok(names)
}

/// The motions of supports.
fn supports(model: &mut Model, asked: &Moved, records: Option<&Records<'_>>) -> Result<Supports, Refusal> {
    let settings = CompileSettings::default();
    let failed = |e: MotionError| Refusal::new(e);
    let mut everywhere = Vec::new();
    let direction = asked.direction.unwrap_or(DVec3::X);
    let unit = || {
        direction
            .try_normalize()
            .ok_or_else(|| Refusal::new("the direction must have a length"))
    };
    let scale = asked.scale.unwrap_or(1.0);
    if !scale.is_finite() {
        return Err(Refusal::new("the scale must be a number"));
    }
    let peak = asked.amplitude_g.map(|a| a * scale * G);
    let needed = || Refusal::new("the motion needs `amplitude_g`");
    match asked.kind {
        MovedKind::None => model.support_motions.clear(),
        MovedKind::Sine => {
            model.support_motions.clear();
            let motion = Motion::Sine(Sine {
                quantity: MotionQuantity::Acceleration,
                amplitude: unit()? * peak.ok_or_else(needed)?,
                frequency_hz: asked.frequency_hz.unwrap_or(1.0),
                phase_deg: 0.0,
                start: 0.0,
                cycles: None,
                duration: asked.duration_s,
                centred: true,
            });
            everywhere.push(motion.compile(&settings).map_err(failed)?);
        }
        MovedKind::Impulse => {
            model.support_motions.clear();
            let motion = Motion::Impulse(Impulse {
                quantity: MotionQuantity::Acceleration,
                peak: unit()? * peak.ok_or_else(needed)?,
                duration: asked.duration_s.unwrap_or(0.5),
                form: ImpulseForm::default(),
                start: 0.0,
            });
            everywhere.push(motion.compile(&settings).map_err(failed)?);
        }
        MovedKind::Record => {
            model.support_motions.clear();
            everywhere.push(recorded(asked, unit()?, peak)?);
        }
        MovedKind::Model => match &asked.name {
            None => {}
            Some(name) => {
                let motion = model.motions.get(name).cloned();
                let mut motion = motion.ok_or_else(|| Refusal::new(format!("the model has no motion `{name}`")))?;
                contain(&mut motion, records)?;
                model.support_motions.clear();
                everywhere.push(motion.compile(&settings).map_err(failed)?);
            }
        },
    }
    for (name, motion) in &mut model.motions {
        // Those that move nothing are never read.
        if model.support_motions.iter().any(|support| support.motion == *name) {
            contain(motion, records)?;
        }
    }
    let supports = Supports::new(model, &settings, &everywhere).map_err(failed)?;
    // The others have it in their peaks.
    Ok(if asked.kind == MovedKind::Model {
        supports.times(scale)
    } else {
        supports
    })
}

/// Where the records are that a model names.
struct Records<'a> {
    folder: &'a Folder,
    /// Folder of the model's file, from the opened one on; empty where it is that one.
    beside: String,
}

/// Makes sure that records are read from beside the model and from the opened folder alone: models come from anywhere.
fn contain(motion: &mut Motion, records: Option<&Records<'_>>) -> Result<(), Refusal> {
    match motion {
        Motion::Record(record) => {
            let Records { folder, beside } = records.ok_or_else(|| {
                let what = format!("the record `{}` cannot be read: no folder is opened", record.path);
                Refusal::new(what).help("give the record itself")
            })?;
            record.path = folder.beside(beside, &record.path)?.display().to_string();
        }
        Motion::Rotation(rotation) => contain(&mut rotation.motion, records)?,
        Motion::Sum(parts) => parts.iter_mut().try_for_each(|part| contain(part, records))?,
        _ => {}
    }
    Ok(())
}

/// A record that the page sends.
fn recorded(asked: &Moved, direction: DVec3, peak: Option<f64>) -> Result<drystone_model::motion::Trajectory, Refusal> {
    let file = asked
        .file
        .as_ref()
        .ok_or_else(|| Refusal::new("the motion needs a `file`"))?;
    let files = uploaded(std::slice::from_ref(file))?;
    let (name, bytes) = files.first().ok_or_else(|| Refusal::new("the motion needs a `file`"))?;
    // Readers go by the ending; the rest of the name is ours.
    let ending: String = name
        .rsplit_once('.')
        .map_or("txt", |(_, e)| e)
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    let folder = tempfile::tempdir().map_err(Refusal::new)?;
    let path: PathBuf = folder.path().join(format!("record.{ending}"));
    fs::write(&path, bytes).map_err(Refusal::new)?;
    let mut record = RecordMotion::new(path.display().to_string());
    record.direction = asked.direction.map(|_| direction);
    record.scale = asked.scale.unwrap_or(1.0);
    record.pga = peak.map(f64::abs).filter(|&p| p > 0.0);
    let compiled = Motion::Record(record).compile(&CompileSettings::default());
    compiled.map_err(|e| Refusal::new(e.to_string().replace(&path.display().to_string(), name)))
}

/// What was asked, for reports.
fn in_words(asked: &Simulate, dt: f64) -> Vec<(String, String)> {
    let motion = &asked.motion;
    let along = motion
        .direction
        .map_or_else(String::new, |d| format!(" along {},{},{}", d.x, d.y, d.z));
    let size = motion.amplitude_g.map_or_else(String::new, |a| format!(" of {a} g"));
    let shaken = match motion.kind {
        MovedKind::None => "none".to_string(),
        MovedKind::Sine => format!("sine{size}{along}, {} Hz", motion.frequency_hz.unwrap_or(1.0)),
        MovedKind::Impulse => format!("impulse{size}{along}, {} s", motion.duration_s.unwrap_or(0.5)),
        MovedKind::Record => {
            let name = motion.file.as_ref().map_or("a record", |f| f.name.as_str());
            format!("{name}{size}{along}")
        }
        MovedKind::Model => {
            let name = motion.name.clone().unwrap_or_else(|| "as the model has it".into());
            let scale = motion.scale.filter(|s| *s != 1.0);
            name + &scale.map_or_else(String::new, |s| format!(", {s} times"))
        }
    };
    let law = format!("{:?}", asked.friction_law).to_lowercase();
    [
        ("motion of the supports", shaken),
        ("duration", format!("{} s", asked.duration_s)),
        ("time step", format!("{dt} s")),
        ("friction law", law),
    ]
    .map(|(name, value)| (name.to_string(), value))
    .to_vec()
}

/// A simulation at work.
struct Shaking {
    id: u64,
    simulation: Simulation,
    plan: RunPlan,
    frames: Frames,
    desk: Arc<Desk>,
    out: Outbox,
}

/// Keeps and sends frames as they are computed.
struct Frames {
    id: u64,
    run: Arc<Run>,
    control: Arc<Control>,
    out: Outbox,
    /// When the last frame was, and the steps since.
    since: Instant,
    steps: u32,
    /// Whether there was no room for another.
    is_full: bool,
}

impl Observer for Frames {
    type Error = Gone;

    fn proceed(&mut self, _: &Driven<'_>) -> Flow {
        if self.control.go_on() { Flow::GoOn } else { Flow::Stop }
    }

    fn step(&mut self, _: &Driven<'_>) -> Result<(), Gone> {
        self.steps += 1;
        Ok(())
    }

    fn frame(&mut self, driven: &Driven<'_>) -> Result<Flow, Gone> {
        let step_ms = match self.steps {
            0 => 0.0,
            steps => 1e3 * self.since.elapsed().as_secs_f64() / f64::from(steps),
        };
        let has_room = self.keep(driven, step_ms)?;
        self.is_full = !has_room;
        (self.since, self.steps) = (Instant::now(), 0);
        Ok(if has_room { Flow::GoOn } else { Flow::Stop })
    }
}

impl Frames {
    /// How it ended.
    fn told(&self, driven: &Driven<'_>, end: End) -> Value {
        let summary = driven.summary(&self.run.model, &Geometry::default(), end);
        let mut told = json!(summary);
        told["ended"] = json!(match end {
            End::Stopped if self.is_full => "limit",
            End::Stopped => "stopped",
            End::Duration | End::Collapse | End::Rest => "finished",
        });
        told["frames"] = json!(self.run.frame_count());
        told
    }

    /// Keeps and sends a frame; tells whether there was room for it.
    fn keep(&self, driven: &Driven<'_>, step_ms: f64) -> Result<bool, Gone> {
        let state = driven.state();
        let energies = &state.energies;
        let mut frame = RunFrame {
            time: state.time,
            kinetic: energies.kinetic,
            potential: energies.potential,
            dissipated: energies.dissipated(),
            balance: energies.balance_error(),
            residual: driven.last_step().residual,
            step_ms,
            ground: driven.simulation().ground_displacement().as_vec3().to_array(),
            poses: Vec::with_capacity(7 * state.placements.len()),
        };
        frame.place(state.placements.iter().map(|p| (p.center, p.rotation)));
        let number = self.run.frame_count();
        if !self.run.push(frame) {
            return Ok(false);
        }
        match self.run.message(self.id, number) {
            Some(message) => self.out.binary(message).map(|()| true),
            None => Ok(false),
        }
    }
}

/// Ends what runs when its thread does, however that comes.
pub(crate) struct Ending {
    pub(crate) id: u64,
    pub(crate) desk: Arc<Desk>,
    pub(crate) out: Outbox,
    /// What the page is told where the thread fails.
    pub(crate) failed: Refusal,
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.desk.end(self.id);
        if std::thread::panicking() {
            let _ = self.out.refuse(Some(self.id), &self.failed);
        }
    }
}

impl Shaking {
    fn work(mut self) {
        // A failure of the thread must not leave a simulation that seems to run for ever.
        let _ending = Ending {
            id: self.id,
            desk: Arc::clone(&self.desk),
            out: self.out.clone(),
            failed: Refusal::new("the simulation failed").help("a shorter time step may help"),
        };
        // An error in telling is a page that has gone: there is nobody to tell.
        let mut driven = Driven::new(&mut self.simulation, self.plan);
        let _ = match driven.drive(&mut self.frames) {
            Ok(end) => {
                let ended = self.frames.told(&driven, end);
                self.frames.run.end(ended.clone());
                self.desk.end(self.id);
                self.out.answer(self.id, "simulate", ended)
            }
            Err(RunError::Observer(gone)) => Err(gone),
            Err(RunError::Simulation(error)) => {
                self.desk.end(self.id);
                let refusal = Refusal::new(error).help("a shorter time step may help; frames until then are kept");
                self.out.refuse(Some(self.id), &refusal)
            }
        };
    }
}
