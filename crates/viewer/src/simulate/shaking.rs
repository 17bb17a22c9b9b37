//! A simulation at work, on a thread of its own.

use std::{sync::Arc, time::Instant};

use drystone_analysis::{
    Chosen, End, Flow, Geometry, Observer, Run as Driven, RunError, RunPlan, explicit_notes, words::short_time,
};
use drystone_mechanics::dynamics::{Simulation, TimeStep};
use drystone_model::Model;
use serde_json::{Value, json};

use crate::{
    desk::{Control, Desk},
    outbox::{Gone, Outbox},
    protocol::Refusal,
    runs::{Run, RunFrame},
};

/// Explicit steps of contact points that may be taken at a time: some seconds, in which a run cannot be stopped.
const MOST_WORK: f64 = 5e8;

/// A simulation at work.
pub(super) struct Shaking {
    pub(super) id: u64,
    pub(super) chosen: Chosen,
    pub(super) steps: usize,
    pub(super) frames: Frames,
    pub(super) desk: Arc<Desk>,
    pub(super) out: Outbox,
}

/// Keeps and sends frames as they are computed.
pub(super) struct Frames {
    id: u64,
    run: Arc<Run>,
    control: Arc<Control>,
    out: Outbox,
    /// When the last frame was, and the steps since; then with explicit steps counted one by one.
    since: Instant,
    steps: u32,
    short_steps: u64,
    /// Whether there was no room for another.
    is_full: bool,
}

impl Observer for Frames {
    type Error = Gone;

    fn proceed(&mut self, _: &Driven<'_>) -> Flow {
        if self.control.go_on() { Flow::GoOn } else { Flow::Stop }
    }

    fn step(&mut self, driven: &Driven<'_>) -> Result<(), Gone> {
        self.steps += 1;
        self.short_steps += short_steps(driven);
        Ok(())
    }

    fn frame(&mut self, driven: &Driven<'_>) -> Result<Flow, Gone> {
        let has_room = self.keep(driven)?;
        self.is_full = !has_room;
        (self.since, self.steps, self.short_steps) = (Instant::now(), 0, 0);
        Ok(if has_room { Flow::GoOn } else { Flow::Stop })
    }
}

impl Frames {
    pub(super) fn new(id: u64, run: Arc<Run>, control: Arc<Control>, out: Outbox) -> Self {
        Self {
            id,
            run,
            control,
            out,
            since: Instant::now(),
            steps: 0,
            short_steps: 0,
            is_full: false,
        }
    }

    /// How it ended.
    fn told(&self, driven: &Driven<'_>, end: End, chosen: Chosen, warnings: &[String]) -> Value {
        let summary = driven.summary(&self.run.model, &Geometry::default(), end);
        let mut told = json!(summary);
        told["stopped_after_collapse"] = json!(end == End::Collapse);
        told["integrator_reason"] = json!(chosen.reason);
        told["warnings"] = json!(warnings);
        told["ended"] = json!(match end {
            End::Stopped if self.is_full => "limit",
            End::Stopped => "stopped",
            End::Duration | End::Collapse | End::Rest => "finished",
        });
        told["frames"] = json!(self.run.frame_count());
        told
    }

    /// Keeps and sends a frame; tells whether there was room for it.
    fn keep(&self, driven: &Driven<'_>) -> Result<bool, Gone> {
        let (state, step) = (driven.state(), driven.last_step());
        let seconds = self.since.elapsed().as_secs_f64();
        let (step_ms, steps_per_s) = match self.steps {
            0 => (0.0, 0.0),
            steps => (
                1e3 * seconds / f64::from(steps),
                self.short_steps as f64 / seconds.max(1e-9),
            ),
        };
        let energies = &state.energies;
        let mut frame = RunFrame {
            time: state.time,
            kinetic: energies.kinetic,
            potential: energies.potential,
            dissipated: energies.dissipated(),
            balance: energies.balance_error(),
            residual: step.residual,
            step_ms,
            step: step.dt / short_steps(driven) as f64,
            steps_per_s,
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

/// Steps that the last one was made up of.
fn short_steps(driven: &Driven<'_>) -> u64 {
    match driven.simulation().stable_step() {
        None => 1,
        Some(_) => driven.last_step().iterations.max(1) as u64,
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
    pub(super) fn work(mut self, make: impl FnOnce(&Model) -> Result<(Simulation, RunPlan), Refusal>) {
        // A failure of the thread must not leave a simulation that seems to run for ever.
        let _ending = Ending {
            id: self.id,
            desk: Arc::clone(&self.desk),
            out: self.out.clone(),
            failed: Refusal::new("the simulation failed").help(self.remedy()),
        };
        // An error in telling is a page that has gone: there is nobody to tell.
        let made = make(&self.frames.run.model).and_then(|made| {
            check_span(&made.0)?;
            Ok(made)
        });
        let _ = match made {
            Ok((simulation, plan)) => self.drive(simulation, plan),
            Err(refusal) => {
                self.frames.run.give_up();
                self.desk.end(self.id);
                self.out.refuse(Some(self.id), &refusal)
            }
        };
    }

    fn drive(&mut self, mut simulation: Simulation, plan: RunPlan) -> Result<(), Gone> {
        simulation.stop_by(self.frames.control.stop_flag().into());
        let notes = explicit_notes(&self.frames.run.model, &simulation, plan.duration);
        let warnings: Vec<String> = notes.iter().map(ToString::to_string).collect();
        let fields = json!({
            "steps": self.steps,
            "blocks": self.frames.run.model.blocks.len(),
            "frames": (plan.duration / plan.every - 1e-9).ceil() as usize + 1,
            "integrator": self.chosen.integrator,
            "reason": self.chosen.reason,
            "short_step_s": simulation.stable_step().map(|stable| stable.dt),
            "warnings": warnings,
        });
        self.out.answer(self.id, "started", fields)?;
        self.frames.since = Instant::now();
        let mut driven = Driven::new(&mut simulation, plan);
        match driven.drive(&mut self.frames) {
            Ok(end) => {
                let ended = self.frames.told(&driven, end, self.chosen, &warnings);
                self.frames.run.end(ended.clone());
                self.desk.end(self.id);
                self.out.answer(self.id, "simulate", ended)
            }
            Err(RunError::Observer(gone)) => Err(gone),
            Err(RunError::Simulation(error)) => {
                self.desk.end(self.id);
                let help = format!("{}; frames until then are kept", self.remedy());
                self.out.refuse(Some(self.id), &Refusal::new(error).help(help))
            }
        }
    }

    fn remedy(&self) -> &'static str {
        if self.chosen.is_explicit() {
            "a lower stiffness or more damping may help"
        } else {
            "a shorter time step may help"
        }
    }
}

/// Refuses explicit steps so short that a run could not be stopped between two of its own, nor would ever end.
fn check_span(simulation: &Simulation) -> Result<(), Refusal> {
    let (Some(stable), TimeStep::Fixed(span)) = (simulation.stable_step(), simulation.settings().time_step) else {
        return Ok(());
    };
    let work = span / stable.dt * simulation.contact_count() as f64;
    if work <= MOST_WORK {
        return Ok(());
    }
    let block = &simulation.structure().names[stable.block];
    let step = short_time(stable.dt);
    let what =
        format!("explicit steps would be as short as {step}, by block `{block}`: too short to be simulated here");
    Err(Refusal::new(what).help("lower the joint stiffness, use implicit steps, or use `drystone simulate`"))
}
