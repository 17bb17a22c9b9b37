//! One run of a study, as its card on the page tells it.

use drystone_study::{Ask, Job};
use serde_json::{Map, Value, json};

use super::{Place, key, told::says};
use crate::session::{Done, Session};

/// Longest text of a result that is told.
const MOST_LETTERS: usize = 400;

/// Tells where a run stands in its study, and what came of it.
pub(crate) fn tell_run(session: &mut Session, id: u64, path: &str, run: &str) -> Done {
    let place = Place::of(session.folder()?, path)?;
    let store = place.store()?;
    let found = store.run(run).map_err(|failure| place.said(&failure))?;
    let found = found.ok_or_else(|| crate::protocol::Refusal::new(format!("the study has no run `{run}`")))?;
    let outcome = &found.outcome;
    let (asks, method) = asked(&found.job);
    let fields = json!({
        "run": run,
        "label": found.label,
        "says": says(outcome),
        "asks": asks,
        "method": method,
        "loads": found.job.loads.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "parameters": plain(&found.parameters),
        "result": plain(&outcome.result),
        "failed": outcome.status == drystone_study::Status::Failed,
        "residual": outcome.residual,
        "wall_s": outcome.wall_s,
        "version": outcome.version,
        "structure": key(&found.job),
    });
    Ok(session.out.answer(id, "study_run", fields)?)
}

/// What was asked, and by which method.
fn asked(job: &Job) -> (&'static str, Option<&str>) {
    match &job.ask {
        Ask::Simulate { .. } => ("simulate", None),
        Ask::Check { method } => ("check", Some(method)),
        Ask::Tilt { method, .. } => ("tilt", Some(method)),
        Ask::Limit { .. } => ("limit", None),
    }
}

/// What fits in a line: numbers, words, and short lists of them.
fn plain(fields: &Map<String, Value>) -> Map<String, Value> {
    let is_plain = |value: &Value| match value {
        Value::Null | Value::Object(_) => false,
        Value::String(text) => !text.is_empty() && text.len() <= MOST_LETTERS,
        Value::Array(list) => {
            !list.is_empty()
                && list.iter().all(|v| v.is_number() || v.is_string())
                && value.to_string().len() <= MOST_LETTERS
        }
        Value::Bool(_) | Value::Number(_) => true,
    };
    let kept = fields.iter().filter(|(_, value)| is_plain(value));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}
