//! A run of a study, simulated again: it comes out as it did, and now every frame of it is seen.

use std::sync::Arc;

use drystone_analysis::{Chosen, Stepping};
use drystone_study::{Ask, IntegratorName, Job};
use serde_json::Value;

use super::{Place, contain, shown};
use crate::{
    protocol::Refusal,
    runs::Run,
    session::{Done, Session},
    simulate::{self, frame_interval},
};

/// Begins it: frames come as those of a simulation do. The structure of the run must be the one on screen.
pub(crate) fn rerun(session: &mut Session, id: u64, path: &str, run: &str, rate: Option<f64>) -> Done {
    let place = Place::of(session.folder()?, path)?;
    let (found, shared) = place.run(run)?;
    let (label, job) = (found.label, found.job);
    let Ask::Simulate { duration, settings, .. } = &job.ask else {
        return Err(Refusal::new(format!("the run `{run}` ({label}) is no time history"))
            .help("open its structure and check it")
            .into());
    };
    let said = |failure| place.said(&failure);
    let structure = shown(job.structure(&shared).map_err(said)?);
    if *session.model()? != structure {
        let what = format!("the structure of the run `{run}` is not the one on screen");
        return Err(Refusal::new(what).help("open it first").into());
    }
    contain(session.folder()?, &job, &structure)?;
    let chosen = match settings.integrator {
        IntegratorName::Implicit => Chosen {
            integrator: Stepping::Implicit,
            reason: "Implicit steps, as in the study.",
        },
        IntegratorName::Explicit => Chosen {
            integrator: Stepping::Explicit,
            reason: "Explicit steps, as in the study.",
        },
    };
    let dt = settings.dt();
    let steps = simulate::steps(*duration, dt, chosen)?;
    let every = frame_interval(rate, dt)?;
    let words = in_words(&label, &found.parameters);
    let kept = Arc::new(Run::new(Arc::new(structure), words));
    simulate::begin(session, id, kept, chosen, steps, move |_| {
        let made: Result<_, drystone_analysis::Failure> = Job::simulation(&job, &shared);
        let (_, simulation, mut plan) = made?;
        plan.every = every;
        Ok((simulation, plan))
    })
}

/// What was asked, for reports.
fn in_words(label: &str, parameters: &serde_json::Map<String, Value>) -> Vec<(String, String)> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let told = parameters.iter().map(|(name, value)| (name.clone(), text(value)));
    let told = told.filter(|(_, value)| !value.is_empty() && value != "null");
    std::iter::once(("run of the study".to_string(), label.to_string()))
        .chain(told)
        .collect()
}
