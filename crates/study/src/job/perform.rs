//! Performs one run. Its result does not depend on when, where or beside which others that is.

use std::time::Instant;

use drystone_analysis::{
    Failure, Flow, Geometry, Growing, Observer, Run, RunError, RunPlan, Situation, Subject, Way, limit, tilt, unit,
};
use drystone_cone::Stop;
use drystone_contact::choose;
use drystone_mechanics::{
    dynamics::{ReferenceFrame, Simulation, SimulationError},
    statics::{Method, Solvers, Verdict},
};
use drystone_model::{
    Model,
    motion::{CompileSettings, Supports, Trajectory, record::Record},
};
use glam::DVec3;
use serde_json::{Map, Value, json};

use super::{Ask, BUILD, Ground, Job, Outcome, Shared, Status, Task};
use crate::{ground::record_of, spec::SimulationSpec};

/// Fields that tell of the machine and not of the structure.
const OF_THE_MACHINE: [&str; 9] = [
    "time_s",
    "wall_s",
    "step_ms_median",
    "threads",
    "detect_part",
    "solve_part",
    "stages",
    "details",
    "certificate",
];

/// Performs a run. Nothing where it was stopped.
pub fn perform(task: &Task, shared: &Shared, stop: &Stop) -> Option<Outcome> {
    let began = Instant::now();
    let found = task.job.perform(shared, stop);
    if stop.is_set() {
        return None;
    }
    let wall_s = began.elapsed().as_secs_f64();
    Some(match found {
        Ok((result, residual)) => Outcome {
            status: Status::Done,
            result,
            error: None,
            residual,
            wall_s,
            version: BUILD.into(),
        },
        Err(failure) => {
            let help = failure.remedy().map(|help| format!(" ({help})")).unwrap_or_default();
            Outcome::failed(format!("{failure}{help}"), wall_s)
        }
    })
}

/// The way of asking with a name.
pub(crate) fn way(name: &str) -> Result<Way, Failure> {
    let methods = [
        Method::Cone,
        Method::Rbe,
        Method::RbeLinearised,
        Method::Cra,
        Method::CraPenalty,
    ];
    let ways: Vec<Way> = methods
        .into_iter()
        .map(Way::Static)
        .chain([Way::Elastic, Way::Dynamic])
        .collect();
    let names = || ways.iter().map(|w| w.name()).collect::<Vec<_>>().join(", ");
    let found = ways.iter().find(|w| w.name() == name).copied();
    found.ok_or_else(|| Failure::input(format!("there is no method `{name}`; there are {}", names())))
}

/// The static method with a name.
pub(crate) fn method(name: &str) -> Result<Method, Failure> {
    match way(name)? {
        Way::Static(method) => Ok(method),
        _ => Err(Failure::input(format!(
            "the critical tilt is not looked for by `{name}`"
        ))),
    }
}

type Found = (Map<String, Value>, Option<f64>);

impl Job {
    fn perform(&self, shared: &Shared, stop: &Stop) -> Result<Found, Failure> {
        if let Ask::Simulate {
            duration,
            grounds,
            settings,
        } = &self.ask
        {
            return self.simulate(self.structure(shared)?, *duration, grounds, settings, shared, stop);
        }
        let model = self.built(shared)?;
        match &self.ask {
            Ask::Simulate { .. } => Err(Failure::run("a time history is not asked at rest")),
            Ask::Check { method } => {
                let (subject, mut solvers) = self.subject(model, stop)?;
                let answer = subject.check(way(method)?, &mut solvers)?;
                let residual = answer
                    .check
                    .as_ref()
                    .and_then(drystone_mechanics::statics::Check::residual);
                let mut result = fields(json!(answer));
                let stands = match answer.finding.verdict() {
                    Verdict::Stable => json!(true),
                    Verdict::Unstable => json!(false),
                    Verdict::Undecided => Value::Null,
                };
                result.insert("stands".into(), stands);
                Ok((result, residual))
            }
            Ask::Limit {
                direction,
                load,
                friction_law,
            } => {
                let (subject, mut solvers) = self.subject(model, stop)?;
                let growing = match (direction, load) {
                    (Some(direction), _) => Growing::Direction(DVec3::from_array(*direction)),
                    (None, Some(load)) => Growing::Load(load.clone()),
                    (None, None) => return Err(Failure::input("a limit needs a direction or a load case")),
                };
                let friction = friction_law.friction();
                let answer = limit(&subject.case(), growing, friction, &subject.geometry, &mut solvers)?;
                let residual = answer.found.residual();
                let mut result = fields(json!(answer));
                for (name, side) in [
                    ("multiplier", &answer.bracket.lower),
                    ("upper_bound", &answer.bracket.upper),
                ] {
                    let value = side.as_ref().map(|side| side.at).filter(|v| v.is_finite());
                    result.insert(name.into(), json!(value));
                }
                Ok((result, residual))
            }
            Ask::Tilt { axis, method: name } => {
                let (subject, mut solvers) = self.subject(model, stop)?;
                let answer = tilt(
                    &subject.case(),
                    DVec3::from_array(*axis),
                    method(name)?,
                    &subject.geometry,
                    &mut solvers,
                )?;
                let mut result = fields(json!(answer));
                result.insert("status".into(), json!(answer.status().name()));
                Ok((result, None))
            }
        }
    }

    /// What is different from the model that was built.
    fn situation(&self) -> Situation {
        Situation {
            changes: self.model.changes.changes(),
            tilt: self
                .tilt
                .map(|(axis, angle)| (DVec3::from_array(axis), angle.to_radians())),
            loads: self.loads.clone(),
        }
    }

    fn subject(&self, model: Model, stop: &Stop) -> Result<(Subject, Solvers), Failure> {
        let situation = self.situation();
        Ok((Subject::new(model, &situation)?, Solvers::stopped_by(stop.clone())))
    }

    /// The structure of this run, with its changes.
    pub fn structure(&self, shared: &Shared) -> Result<Model, Failure> {
        let mut model = self.built(shared)?;
        model = self.situation().changes.apply(&model)?;
        for (name, factor) in &self.loads {
            let case = model.load_cases.get_mut(name);
            let case = case.ok_or_else(|| Failure::input(format!("the model has no load case `{name}`")))?;
            case.scale(*factor);
        }
        if let Some((axis, angle)) = self.tilt {
            let axis =
                unit(DVec3::from_array(axis)).ok_or_else(|| Failure::input("a tilt needs an axis with a length"))?;
            model.gravity = drystone_mechanics::statics::tilted(model.gravity, axis, angle.to_radians());
        }
        Ok(model)
    }

    /// The words that put the question of this run to its structure: a command, then its options. A time history has none.
    pub fn words(&self) -> Option<Vec<String>> {
        let vector = |v: &[f64; 3]| format!("{},{},{}", v[0], v[1], v[2]);
        // Their factors are in the structure.
        let loads = |option: &str| -> Vec<String> {
            let names = self.loads.iter().map(|(name, _)| name);
            names.map(|name| format!("--{option}={name}")).collect()
        };
        let (command, options, loads) = match &self.ask {
            Ask::Simulate { .. } => return None,
            Ask::Check { method } => ("check", vec![format!("--method={method}")], loads("load")),
            Ask::Limit {
                direction,
                load,
                friction_law,
            } => {
                let growing = match direction {
                    Some(direction) => format!("--direction={}", vector(direction)),
                    None => format!("--load={}", load.as_deref().unwrap_or_default()),
                };
                let law = format!("--friction-law={}", friction_law.name());
                ("limit", vec![growing, law], loads("dead"))
            }
            Ask::Tilt { axis, method } => (
                "tilt",
                vec![format!("--axis={}", vector(axis)), format!("--method={method}")],
                loads("load"),
            ),
        };
        let command = std::iter::once(command.to_string());
        Some(command.chain(options).chain(loads).collect())
    }

    /// The same as a line, where the structure is in a file.
    pub fn command(&self, path: &str) -> Option<String> {
        let words = self.words()?;
        let (command, options) = words.split_first()?;
        Some(format!("drystone {command} {path} {}", options.join(" ")))
    }

    /// The simulation of this run with its plan, before its first step, and its model.
    pub fn simulation(&self, shared: &Shared) -> Result<(Model, Simulation, RunPlan), Failure> {
        let Ask::Simulate {
            duration,
            grounds,
            settings,
        } = &self.ask
        else {
            return Err(Failure::input("this run is no time history"));
        };
        self.prepared(self.structure(shared)?, *duration, grounds, settings, shared)
    }

    fn prepared(
        &self,
        mut model: Model,
        duration: f64,
        grounds: &[Ground],
        spec: &SimulationSpec,
        shared: &Shared,
    ) -> Result<(Model, Simulation, RunPlan), Failure> {
        // Gaps of undersized blocks are no joints: what is to be filled is known.
        if !self.model.is_undersized() {
            model.joint_search = choose(&model).search;
        }
        let mut loads = spec.loads.clone();
        for (name, _) in &self.loads {
            if !loads.contains(name) {
                loads.push(name.clone());
            }
        }
        let everywhere = grounds
            .iter()
            .map(|ground| ground.trajectory(shared))
            .collect::<Result<Vec<_>, _>>()?;
        let supports = Supports::new(&model, &CompileSettings::default(), &everywhere).map_err(Failure::input)?;
        let mut settings = spec.settings(&model).map_err(Failure::input)?;
        if settings.explicit().is_none() && ReferenceFrame::is_common(&model, &supports) {
            // What stands still there need not be solved for.
            settings.frame = ReferenceFrame::Ground;
        }
        let simulation = Simulation::new(&model, settings, supports, &loads).map_err(Failure::input)?;
        let plan = RunPlan {
            every: duration,
            collapse: spec.collapse(),
            stop_after_collapse: Some(0.0),
            stop_at_rest: spec.stop_at_rest,
            ..RunPlan::of(duration)
        };
        Ok((model, simulation, plan))
    }

    fn simulate(
        &self,
        model: Model,
        duration: f64,
        grounds: &[Ground],
        spec: &SimulationSpec,
        shared: &Shared,
        stop: &Stop,
    ) -> Result<Found, Failure> {
        let (model, mut simulation, plan) = self.prepared(model, duration, grounds, spec, shared)?;
        simulation.stop_by(stop.clone());
        let geometry = Geometry::of_structure(&model, simulation.structure());
        let mut run = Run::new(&mut simulation, plan);
        let end = match run.drive(&mut Stopped(stop)) {
            Err(RunError::Simulation(SimulationError::Stopped)) => return Err(Failure::run("stopped")),
            end => end?,
        };
        let summary = run.summary(&model, &geometry, end);
        let residual = summary.worst_residual;
        let simulated = summary.time_s;
        let mut result = fields(json!(summary));
        result.insert("simulated_s".into(), json!(simulated));
        Ok((result, Some(residual)))
    }
}

/// Looks whether to stop before each step.
struct Stopped<'a>(&'a Stop);

impl Observer for Stopped<'_> {
    type Error = Failure;

    fn proceed(&mut self, _run: &Run<'_>) -> Flow {
        match self.0.is_set() {
            true => Flow::Stop,
            false => Flow::GoOn,
        }
    }
}

impl Ground {
    /// As a function of time.
    fn trajectory(&self, shared: &Shared) -> Result<Trajectory, Failure> {
        match self {
            Self::Motion(motion) => motion.compile(&CompileSettings::default()).map_err(Failure::input),
            Self::Record { record, factor, start } => {
                let text = shared.get(record);
                let text = text.ok_or_else(|| Failure::run(format!("the record {record} was not sent")))?;
                let record: Record = record_of(text)?;
                Ok(record.trajectory(*start).times(*factor))
            }
        }
    }
}

/// The fields of a result that depend on the run alone.
fn fields(json: Value) -> Map<String, Value> {
    let Value::Object(mut fields) = json else {
        return Map::new();
    };
    for name in OF_THE_MACHINE {
        fields.remove(name);
    }
    fields
}
