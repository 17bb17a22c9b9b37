//! Slow loading: a thread that follows the path of `drystone settle` and sends each equilibrium as it is found.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use drystone_analysis::{Failure, Reached, SettleAnswer, crack_width, settle};
use drystone_cone::Stop;
use drystone_mechanics::{deformable::ElasticField, slow::STEPS};
use drystone_model::Stages;
use glam::DVec3;
use serde_json::{Map, Value, json};

use crate::{
    desk::{Control, Desk},
    outbox::{Gone, Outbox},
    protocol::{Refusal, Situation},
    runs::RUN_BYTES,
    security,
    session::{Done, Posed, Session},
    simulate::Ending,
    skin::Skins,
    wire::{Binary, Kind},
};

/// Begins a slow loading: refuses what cannot be done, then leaves it to a thread of its own.
pub(crate) fn start(session: &mut Session, id: u64, situation: &Situation, stages: Option<Value>) -> Done {
    if situation.tilt.is_some() || !situation.loads.is_empty() {
        let what = "the situation of a slow loading has a tilt or loads";
        return Err(Refusal::new(what)
            .help("the stages say how it is tilted and loaded")
            .into());
    }
    let stages = match stages {
        None => Stages::weight(),
        Some(stages) => {
            serde_json::from_value(stages).map_err(|e| Refusal::new(format!("the stages cannot be read: {e}")))?
        }
    };
    let (posed, _, _) = session.posed(situation)?;
    let problems = stages.problems(&posed.model);
    if !problems.is_empty() {
        return Err(Refusal::new(problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")).into());
    }
    let steps: usize = stages.stages.iter().map(|s| s.steps.unwrap_or(STEPS) as usize).sum();
    if steps > security::STEPS {
        let what = format!(
            "{steps} steps are too many; at most {} are followed here",
            security::STEPS
        );
        return Err(Refusal::new(what)
            .help("take fewer steps, or use `drystone settle`")
            .into());
    }
    let control = session.desk.begin(id)?;
    let fields = json!({
        "steps": steps,
        "blocks": posed.model.blocks.len(),
        "crack_m": crack_width(&posed.structure),
    });
    let loading = Loading {
        id,
        joints: session.version()?.joints.joints.len(),
        skins: Skins::of(&posed.structure),
        posed,
        stages,
        control,
        is_full: Arc::default(),
        desk: Arc::clone(&session.desk),
        out: session.out.clone(),
    };
    let started = session.out.answer(id, "started", fields);
    let thread = std::thread::Builder::new().name("drystone-settle".into());
    if let Err(error) = thread.spawn(move || loading.work()) {
        session.desk.end(id);
        return Err(Refusal::new(error).into());
    }
    Ok(started?)
}

/// A slow loading at work.
struct Loading {
    id: u64,
    posed: Arc<Posed>,
    /// How many joints the page knows.
    joints: usize,
    stages: Stages,
    control: Arc<Control>,
    /// Set where there is no room for another equilibrium.
    is_full: Arc<AtomicBool>,
    /// Surfaces of blocks that deform.
    skins: Skins,
    desk: Arc<Desk>,
    out: Outbox,
}

impl Loading {
    fn work(self) {
        // A failure of the thread must not leave a loading that seems to go on for ever.
        let _ending = Ending {
            id: self.id,
            desk: Arc::clone(&self.desk),
            out: self.out.clone(),
            failed: Refusal::new("the slow loading failed").help("equilibria until then are kept"),
        };
        let (stopped, full) = (self.control.stop_flag(), Arc::clone(&self.is_full));
        let stop = Stop::when(move || stopped.load(Ordering::Relaxed) || full.load(Ordering::Relaxed));
        let mut sent = Ok(());
        let mut bytes: usize = 0;
        let mut is_first = true;
        let posed = &self.posed;
        let answer = settle(
            &posed.model,
            &posed.structure,
            &self.stages,
            drystone_mechanics::slow::PathSettings::default(),
            Some(stop),
            |reached| {
                self.control.go_on();
                if sent.is_ok() {
                    sent = self.out.binary(self.message(reached, is_first));
                    is_first = false;
                }
                bytes += size_of_val(reached.placements) + self.skins.bytes();
                if sent.is_err() || bytes > RUN_BYTES {
                    self.is_full.store(true, Ordering::Relaxed);
                }
            },
        );
        // Where the page has gone there is nobody to tell.
        if sent.is_ok() {
            let _ = self.tell(answer);
        }
    }

    /// An equilibrium; the first has what stays the same in all, too.
    fn message(&self, reached: &Reached<'_>, is_first: bool) -> Vec<u8> {
        let point = reached.point;
        let loads: Map<String, Value> = (reached.load_cases.iter().cloned())
            .zip(point.factors.iter().map(|f| json!(f)))
            .collect();
        let mut header = json!({
            "stage": point.stage,
            "done": point.done,
            "gravity": point.gravity,
            "loads": loads,
            "tilt_deg": point.tilt.map(f64::to_degrees),
            "max_displacement_m": point.displacement,
            "along_loads_m": point.along_loads,
            "rounds": point.rounds,
            "residual_m": point.residual,
            "open_joints": reached.open_joints(),
            "slipped_joints": reached.slipped_joints(),
            "max_opening_m": reached.max_opening(),
            "max_slip_m": reached.max_slip(),
            "bonds": reached.bonds,
            "broken_bonds": reached.broken_bonds,
        });
        // How far blocks have moved, not where they are: magnified, the rounding of their places would show.
        let moved = reached.placements.iter().zip(reached.initial).flat_map(|(now, was)| {
            let turn = (now.rotation * was.rotation.conjugate()).to_scaled_axis();
            numbers([now.center - was.center, turn])
        });
        let (mut opening, mut slip) = (vec![0.0; self.joints], vec![0.0; self.joints]);
        for joint in reached.joints {
            let number = self.posed.numbers[joint.joint] as usize;
            (opening[number], slip[number]) = (joint.opening as f32, joint.slip as f32);
        }
        let absent: Vec<u8> = match reached.absent.contains(&true) {
            true => reached.absent.iter().map(|&a| u8::from(a)).collect(),
            false => Vec::new(),
        };
        let field = ElasticField::of(&self.posed.structure, reached.placements, reached.deformed);
        self.skins.tell(&mut header, &field);
        let mut message = Binary::new(Kind::Equilibrium, self.id, header)
            .floats("moved", moved)
            .floats("opening", opening)
            .floats("slip", slip)
            .bytes("absent", &absent);
        if !self.skins.is_empty() {
            if is_first {
                message = self.skins.put(message, &field);
            }
            message = self.skins.put_state(message, &field);
        }
        message.finish()
    }

    fn tell(&self, answer: Result<SettleAnswer, Failure>) -> Result<(), Gone> {
        let is_full = self.is_full.load(Ordering::Relaxed);
        let (fields, motions) = match answer {
            Ok(answer) => (json!(answer), answer.motions),
            Err(_) if self.control.is_stopped() => {
                (json!({ "end": "stopped", "conclusion": "It was stopped." }), Vec::new())
            }
            Err(_) if is_full => {
                let what = "There is no room for more equilibria; `drystone settle` has no such limit.";
                (json!({ "end": "limit", "conclusion": what }), Vec::new())
            }
            Err(failure) => {
                self.desk.end(self.id);
                return self.out.refuse(Some(self.id), &failure.into());
            }
        };
        let motion = motions.iter().flat_map(|m| numbers([m.linear, m.angular]));
        let message = Binary::new(Kind::Forces, self.id, json!({}))
            .floats("motion", motion)
            .finish();
        self.desk.end(self.id);
        self.out.answer(self.id, "settle", fields)?;
        self.out.binary(message)
    }
}

fn numbers(vectors: [DVec3; 2]) -> impl Iterator<Item = f32> {
    vectors.into_iter().flat_map(|v| v.as_vec3().to_array())
}
