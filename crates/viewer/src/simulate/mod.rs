//! Shaking: a thread that steps a simulation, sends frames as they are computed, and keeps them for export.

mod ground;
mod method;
mod record;
mod shaking;

use std::sync::Arc;

use drystone_analysis::{Chosen, RunPlan};
use drystone_mechanics::{Structure, dynamics::Simulation};
use drystone_model::Model;
use glam::DVec3;

use crate::{
    protocol::{MovedKind, Refusal, Simulate, Upload},
    runs::Run,
    security::STEPS,
    session::{Done, Session, carried},
};
use ground::{Records, supports};
use method::Method;
pub(crate) use record::record;
pub(crate) use shaking::Ending;
use shaking::{Frames, Shaking};

/// Frames a second where a page names none, and most.
const FRAMES: [f64; 2] = [25.0, 240.0];
/// How long a run goes on once it has collapsed, where a page does not say (s): blocks land meanwhile.
pub(crate) const AFTER_COLLAPSE: f64 = 2.0;
/// Longest simulation (s).
const LONGEST: f64 = 3600.0;

/// Begins a simulation: refuses what cannot be done, then leaves it to a thread of its own.
pub(crate) fn start(session: &mut Session, id: u64, asked: Simulate) -> Done {
    let method = Method::new(&asked)?;
    let base = session.model()?;
    let situation = asked.situation.as_asked();
    let mut model = situation.changes.apply(&base)?;
    model.gravity = situation.gravity(&base)?;
    let chosen = method.choose(&model);
    let dt = method.step(chosen, asked.duration_s);
    let steps = steps(asked.duration_s, dt, chosen)?;
    let settings = method.settings(chosen, dt)?;
    let loads = set_loads(&mut model, &asked)?;
    let beside = session.version()?.beside.clone();
    let records = session.shared.folder.as_ref().map(|folder| Records { folder, beside });
    let supports = supports(&mut model, &asked.motion, records.as_ref())?;
    carried(&model)?;
    // The joints are those of the page's model, found once.
    let joints = session.version()?.joints.as_ref().clone();
    let structure = Structure::with_joints(&model, joints).map_err(Refusal::new)?;
    let plan = RunPlan {
        every: frame_interval(asked.frames_per_s, dt)?,
        stop_after_collapse: Some(after_collapse(asked.after_collapse_s)?),
        ..RunPlan::of(asked.duration_s)
    };
    let run = Arc::new(Run::new(Arc::new(model), in_words(&asked, &method, chosen)));
    begin(session, id, run, chosen, steps, move |model| {
        // Joints with a stiffness are compressed here, which may take as long as many steps.
        let simulation = Simulation::with_structure(model, structure, settings, supports, &loads);
        Ok((simulation.map_err(Refusal::new)?, plan))
    })
}

/// Leaves a simulation to a thread of its own, which makes it first.
pub(crate) fn begin(
    session: &mut Session,
    id: u64,
    run: Arc<Run>,
    chosen: Chosen,
    steps: usize,
    make: impl FnOnce(&Model) -> Result<(Simulation, RunPlan), Refusal> + Send + 'static,
) -> Done {
    let control = session.desk.begin(id)?;
    session.runs.keep(id, Arc::clone(&run));
    let shaking = Shaking {
        id,
        chosen,
        steps,
        frames: Frames::new(id, run, control, session.out.clone()),
        desk: Arc::clone(&session.desk),
        out: session.out.clone(),
    };
    let thread = std::thread::Builder::new().name("drystone-simulation".into());
    if let Err(error) = thread.spawn(move || shaking.work(make)) {
        session.desk.end(id);
        return Err(Refusal::new(error).into());
    }
    Ok(())
}

/// Time between two frames (s), at least a step.
pub(crate) fn frame_interval(rate: Option<f64>, dt: f64) -> Result<f64, Refusal> {
    let rate = rate.unwrap_or(FRAMES[0]);
    if !(rate > 0.0 && rate <= FRAMES[1]) {
        return Err(Refusal::new(format!(
            "{rate} frames a second; allowed is up to {}",
            FRAMES[1]
        )));
    }
    Ok((1.0 / rate).max(dt))
}

fn after_collapse(asked: Option<f64>) -> Result<f64, Refusal> {
    let after = asked.unwrap_or(AFTER_COLLAPSE);
    if after >= 0.0 {
        return Ok(after);
    }
    let what = format!("a run would go on for {after} s after its collapse; it must be 0 or more");
    Err(Refusal::new(what).help("give the duration to see all of it"))
}

/// How many steps a simulation has, if that is not too many.
pub(crate) fn steps(duration: f64, dt: f64, chosen: Chosen) -> Result<usize, Refusal> {
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
        let (what, remedy) = if chosen.is_explicit() {
            let longest = STEPS as f64 * dt;
            let what = format!("{duration} s are too long; at most {longest} s of explicit steps are simulated here");
            (what, "make the duration shorter, or use `drystone simulate`")
        } else {
            let what = format!("{steps} steps are too many; at most {STEPS} are simulated here");
            let remedy = "make the step longer or the duration shorter, or use `drystone simulate`";
            (what, remedy)
        };
        return Err(Refusal::new(what).help(remedy));
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
        case.scale(load.factor);
        names.push(load.case.clone());
    }
    Ok(names)
}

/// What was asked, for reports.
fn in_words(asked: &Simulate, method: &Method, chosen: Chosen) -> Vec<(String, String)> {
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
            let one = |file: &Upload, along: &Option<DVec3>| {
                let along = along.map_or_else(String::new, |d| format!(" along {},{},{}", d.x, d.y, d.z));
                format!("{}{along}", file.name)
            };
            let single = motion.file.iter().map(|file| one(file, &motion.direction));
            let parts = motion.components.iter().map(|c| one(&c.file, &c.direction));
            format!("{}{size}", single.chain(parts).collect::<Vec<_>>().join(", "))
        }
        MovedKind::Model => {
            let name = motion.name.clone().unwrap_or_else(|| "as the model has it".into());
            let scale = motion.scale.filter(|s| *s != 1.0);
            name + &scale.map_or_else(String::new, |s| format!(", {s} times"))
        }
    };
    let mut words = vec![
        ("motion of the supports", shaken),
        ("duration", format!("{} s", asked.duration_s)),
        ("method", chosen.reason.to_string()),
    ];
    words.extend(method.in_words(chosen));
    words
        .into_iter()
        .map(|(name, value)| (name.to_string(), value))
        .collect()
}
