//! The tables of a study: a row for each run that has ended, in the order of the plan.

use std::{collections::BTreeMap, sync::Arc};

use drystone_output::table::{ColumnKind, ColumnValues, Table};
use serde_json::{Map, Value};

use super::Known;
use crate::job::{Outcome, Task};

/// A run that has ended, as a row of a table.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) id: &'a str,
    pub(crate) label: &'a str,
    pub(crate) parameters: &'a Map<String, Value>,
    pub(crate) outcome: &'a Outcome,
}

/// The runs of a study that have ended.
fn ended<'a>(known: &'a Known<'_>) -> Vec<Row<'a>> {
    let row = |task: &'a Task| {
        Some(Row {
            id: &task.id,
            label: &task.label,
            parameters: &task.parameters,
            outcome: known.outcomes.get(&task.id)?,
        })
    };
    known.tasks.iter().filter_map(row).collect()
}

/// All that depends on the runs alone: where each stands in the study, how it ended and what it found.
pub(super) fn runs(known: &Known<'_>) -> Table {
    of(&ended(known))
}

/// The table of some runs.
pub(super) fn of(rows: &[Row<'_>]) -> Table {
    let text =
        |of: &dyn Fn(&Row<'_>) -> String| ColumnValues::Text(rows.iter().map(|row| Arc::from(of(row))).collect());
    let mut columns = vec![
        ("run".to_string(), text(&|row| row.id.into())),
        ("label".to_string(), text(&|row| row.label.into())),
    ];
    let mut add = |of: &dyn Fn(&Row<'_>, &str) -> Option<Value>, names: Vec<String>| {
        for name in names {
            let values: Vec<Option<Value>> = rows.iter().map(|row| of(row, &name)).collect();
            columns.extend(column(&values).map(|values| (name, values)));
        }
    };
    let names = names(rows.iter().map(|row| row.parameters.keys()));
    add(&|row, name| row.parameters.get(name).cloned(), names.clone());
    add(&|row, _| Some(row.outcome.status.name().into()), vec!["status".into()]);
    let mut found = self::names(rows.iter().map(|row| row.outcome.result.keys()));
    // A result may be called as a parameter is: its column comes once.
    found.retain(|name| {
        !names.contains(name) && !["run", "label", "status", "residual", "error", "version"].contains(&name.as_str())
    });
    add(&|row, name| row.outcome.result.get(name).cloned(), found);
    add(
        &|row, _| Some(row.outcome.residual.map_or(Value::Null, Value::from)),
        vec!["residual".into()],
    );
    add(
        &|row, _| Some(row.outcome.error.clone().unwrap_or_default().into()),
        vec!["error".into()],
    );
    add(
        &|row, _| Some(row.outcome.version.clone().into()),
        vec!["version".into()],
    );
    Table::of(columns)
}

/// How long each run took, and who performed it.
pub(super) fn timings(known: &Known<'_>, workers: &BTreeMap<String, String>) -> Table {
    let rows = ended(known);
    let text =
        |of: &dyn Fn(&Row<'_>) -> String| ColumnValues::Text(rows.iter().map(|row| Arc::from(of(row))).collect());
    Table::of(vec![
        ("run".to_string(), text(&|row| row.id.into())),
        ("label".to_string(), text(&|row| row.label.into())),
        (
            "wall_s".to_string(),
            ColumnValues::Float(rows.iter().map(|row| row.outcome.wall_s).collect()),
        ),
        (
            "worker".to_string(),
            text(&|row| workers.get(row.id).cloned().unwrap_or_default()),
        ),
    ])
}

/// All names, in the order in which they come first.
fn names<'a>(rows: impl Iterator<Item = serde_json::map::Keys<'a>>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for keys in rows {
        for key in keys {
            if !names.contains(key) {
                names.push(key.clone());
            }
        }
    }
    names
}

/// The values of a column: numbers where all that are there are numbers, else text. What is missing is NaN, or empty. Nothing
/// where they are neither.
fn column(values: &[Option<Value>]) -> Option<ColumnValues> {
    let there = || values.iter().flatten().filter(|v| !v.is_null());
    let kind = match there().next() {
        None => ColumnKind::Float,
        Some(_) if there().all(Value::is_number) => ColumnKind::Float,
        Some(_) if there().any(Value::is_object) => return None,
        Some(_)
            if there().any(|v| {
                v.as_array()
                    .is_some_and(|list| list.iter().any(|v| v.is_object() || v.is_array()))
            }) =>
        {
            return None;
        }
        Some(_) => ColumnKind::Text,
    };
    Some(match kind {
        ColumnKind::Text => ColumnValues::Text(values.iter().map(|v| Arc::from(text(v.as_ref()))).collect()),
        _ => ColumnValues::Float(
            values
                .iter()
                .map(|v| v.as_ref().and_then(Value::as_f64).unwrap_or(f64::NAN))
                .collect(),
        ),
    })
}

fn text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::Array(list)) => list.iter().map(|v| text(Some(v))).collect::<Vec<_>>().join("; "),
        Some(value) => crate::spec::plain(value),
    }
}
