//! What the page is told first: recipes and their parameters, files, limits.

use drystone_analysis::{USUAL_STEP, USUAL_STEPPING};
use drystone_mechanics::slow::STEPS;
use drystone_model::{
    Stages,
    recipes::{self, Is, Need, Parameter, ParameterKind, Recipe},
};
use serde_json::{Value, json};

use crate::{folder, security, server::Shared, simulate::AFTER_COLLAPSE};

pub(crate) fn hello(shared: &Shared) -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "recipes": recipes::all().iter().map(recipe).collect::<Vec<_>>(),
        "folder": shared.folder.as_ref().map(security::Folder::name),
        "files": shared.folder.as_ref().map_or_else(Vec::new, folder::list),
        "opened": shared.opened,
        "limits": {
            "upload_bytes": security::UPLOAD_BYTES,
            "blocks": security::BLOCKS,
            "steps": security::STEPS,
        },
        "defaults": {
            "integrator": USUAL_STEPPING,
            "dt_s": USUAL_STEP,
            "after_collapse_s": AFTER_COLLAPSE,
        },
        "slow_loading": { "stages": Stages::weight().stages, "steps": STEPS },
        "threads": rayon::current_num_threads(),
    })
}

fn recipe(recipe: &Recipe) -> Value {
    let parameters: Vec<Value> = recipe.parameters().iter().map(parameter).collect();
    json!({ "name": recipe.name, "summary": recipe.summary, "notes": recipe.notes, "parameters": parameters })
}

fn parameter(parameter: &Parameter) -> Value {
    let (kind, least, most, step, choices) = match parameter.kind {
        ParameterKind::Number { min, max } => ("number", json!(min), json!(max), Value::Null, Value::Null),
        ParameterKind::Count { min, max } => ("integer", json!(min), json!(max), json!(1), Value::Null),
        ParameterKind::Flag => (
            "choice",
            Value::Null,
            Value::Null,
            Value::Null,
            json!(["true", "false"]),
        ),
        ParameterKind::Choice(words) => ("choice", Value::Null, Value::Null, Value::Null, json!(words)),
    };
    json!({
        "name": parameter.name,
        "label": label(&parameter.name),
        "help": parameter.help,
        "unit": parameter.unit,
        "default": parameter.default,
        "kind": kind,
        "least": least,
        "most": most,
        "step": step,
        "choices": choices,
        "needs": parameter.needs.iter().map(need).collect::<Vec<_>>(),
    })
}

/// What another parameter must be for a parameter to have an effect.
fn need(need: &Need) -> Value {
    match need.is {
        Is::OneOf(words) => json!({ "parameter": need.parameter, "one_of": words }),
        Is::Above(number) => json!({ "parameter": need.parameter, "above": number }),
        Is::Not(number) => json!({ "parameter": need.parameter, "not": number }),
    }
}

/// A name as it stands on a form: `skew-deg` is `Skew`, for its unit stands beside it.
fn label(name: &str) -> String {
    let words = match name {
        "embrace-deg" => "angle of embrace".to_string(),
        _ => name.trim_end_matches("-deg").replace('-', " "),
    };
    let mut letters = words.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
