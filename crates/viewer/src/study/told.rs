//! What the page is told of a study: what it comes to so far, and a line for each run.

use std::collections::HashMap;

use drystone_analysis::words::{length, significant};
use drystone_model::file;
use drystone_study::{Outcome, SUMMARY, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Place;
use crate::{protocol::Refusal, security::UPLOAD_BYTES};

/// Runs that are listed; `runs.csv` has all.
pub(super) const MOST_LISTED: usize = 5000;
/// Points of all charts together.
const MOST_POINTS: usize = 200_000;
/// Displacements below this are none, for people (m).
const STILL: f64 = 1e-6;

/// What is read of `summary.json`. What another version leaves out is empty.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Summary {
    title: String,
    kind: String,
    runs: usize,
    complete: bool,
    conclusions: Vec<String>,
    notes: Vec<String>,
    charts: Vec<Chart>,
}

/// A chart; numbers that are none are left to the page.
#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct Chart {
    name: String,
    title: String,
    x: String,
    y: String,
    log_x: bool,
    y_range: Option<[f64; 2]>,
    series: Vec<Series>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct Series {
    name: String,
    mark: String,
    points: Vec<[Option<f64>; 2]>,
    runs: Vec<String>,
}

/// A run as it is listed.
#[derive(Clone, Serialize)]
struct Row {
    run: String,
    label: String,
    /// What came of it, in a few words.
    says: String,
    /// Whether the structure came down; nothing where that was not asked, or not decided.
    falls: Option<bool>,
    failed: bool,
    wall_s: f64,
}

/// What was told of a study so far.
#[derive(Default)]
pub(super) struct Told {
    rows: HashMap<String, Row>,
}

impl Told {
    /// The study as it is now.
    pub(super) fn state(&mut self, place: &Place<'_>, path: &str) -> Result<Value, Refusal> {
        let store = place.store()?;
        let said = |failure| place.said(&failure);
        let summary = summary(place)?;
        let [runs, done] = store.progress().map_err(said)?;
        let mut rows = Vec::new();
        for (id, status) in store.ended(MOST_LISTED).map_err(said)? {
            let failed = status == Status::Failed;
            // A run that failed may have been done again.
            let known = self.rows.remove(&id).filter(|row| row.failed == failed);
            let row = match known {
                Some(row) => row,
                None => match store.run(&id).map_err(said)? {
                    Some(run) => Row {
                        says: says(&run.outcome),
                        falls: falls(&run.outcome),
                        label: run.label,
                        failed,
                        wall_s: run.outcome.wall_s,
                        run: id,
                    },
                    // Taken away this moment.
                    None => continue,
                },
            };
            rows.push(row);
        }
        let title = match summary.title.is_empty() {
            true => path.rsplit('/').next().unwrap_or(path).to_string(),
            false => summary.title,
        };
        let state = json!({
            "path": path,
            "title": title,
            "kind": summary.kind,
            // A database that was put together of others may not know the plan.
            "runs": if runs == 0 { summary.runs } else { runs },
            "done": done,
            "failed": store.failed().map_err(said)?,
            "complete": summary.complete && done == runs,
            "conclusions": summary.conclusions,
            "notes": summary.notes,
            "charts": within(summary.charts),
            "listed": &rows,
        });
        self.rows = rows.into_iter().map(|row| (row.run.clone(), row)).collect();
        Ok(state)
    }
}

/// What `summary.json` says; nothing where it is not there yet.
fn summary(place: &Place<'_>) -> Result<Summary, Refusal> {
    let path = place.file(SUMMARY);
    if !path.exists() {
        return Ok(Summary::default());
    }
    let refused = |e: String| Refusal::new(format!("{SUMMARY}: {e}"));
    let bytes =
        file::file_bytes(&path, UPLOAD_BYTES as u64, file::Pipes::Refused).map_err(|e| refused(e.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|e| refused(e.to_string()))
}

/// As many charts as a page can draw.
fn within(charts: Vec<Chart>) -> Vec<Chart> {
    let mut points = 0;
    let has_room = |chart: &Chart| {
        points += chart.series.iter().map(|s| s.points.len()).sum::<usize>();
        points <= MOST_POINTS
    };
    charts.into_iter().take_while(has_room).collect()
}

/// Whether the structure came down.
fn falls(outcome: &Outcome) -> Option<bool> {
    outcome
        .flag("collapsed")
        .or_else(|| outcome.flag("stands").map(|stands| !stands))
}

/// What came of a run, in a few words.
pub(super) fn says(outcome: &Outcome) -> String {
    if let Some(error) = &outcome.error {
        return format!("failed: {error}");
    }
    if outcome.status == Status::Failed {
        return "failed".into();
    }
    let has = |name: &str| outcome.result.contains_key(name);
    if let Some(collapsed) = outcome.flag("collapsed") {
        return simulated(outcome, collapsed);
    }
    if let Some(verdict) = outcome.word("verdict") {
        let word = match verdict {
            "stable" => "stands",
            "unstable" => "falls",
            other => other,
        };
        let proven = outcome.flag("proven") == Some(true);
        return format!("{word}{}", if proven { ", proven" } else { "" });
    }
    if has("multiplier") {
        return match (outcome.number("multiplier"), outcome.flag("unbounded")) {
            (Some(multiplier), _) if outcome.word("unit") == Some("gravity") => {
                format!("capacity {} g", significant(multiplier))
            }
            (Some(multiplier), _) => format!("load multiplier {}", significant(multiplier)),
            (None, Some(true)) => "no limit".into(),
            _ => "no multiplier was found".into(),
        };
    }
    if has("critical_tilt_deg") {
        return match (outcome.number("critical_tilt_deg"), outcome.word("status")) {
            (Some(angle), _) => format!("critical tilt {}°", significant(angle)),
            (None, Some(status)) => status.replace('_', " "),
            (None, None) => "no critical tilt".into(),
        };
    }
    "done".into()
}

fn simulated(outcome: &Outcome, collapsed: bool) -> String {
    if collapsed {
        let partial = if outcome.word("collapse") == Some("partial") {
            " partially"
        } else {
            ""
        };
        let at = outcome
            .number("collapse_time_s")
            .map_or_else(String::new, |t| format!(" at {} s", significant(t)));
        return format!("collapses{partial}{at}");
    }
    match outcome.number("max_displacement_m") {
        Some(most) if most < STILL => "stands still".into(),
        Some(most) => format!("stands, moves {}", length(most)),
        None => "stands".into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;

    fn outcome(result: Value) -> Outcome {
        let Value::Object(result) = result else { panic!() };
        Outcome {
            status: Status::Done,
            result,
            error: None,
            residual: None,
            wall_s: 0.1,
            version: String::new(),
        }
    }

    #[test]
    fn outcomes_are_told_in_a_few_words() {
        for (result, words, down) in [
            (
                json!({ "collapsed": true, "collapse": "global", "collapse_time_s": 1.88 }),
                "collapses at 1.880 s",
                Some(true),
            ),
            (
                json!({ "collapsed": true, "collapse": "partial", "collapse_time_s": null }),
                "collapses partially",
                Some(true),
            ),
            (
                json!({ "collapsed": false, "max_displacement_m": 0.0123 }),
                "stands, moves 12.3 mm",
                Some(false),
            ),
            (
                json!({ "collapsed": false, "max_displacement_m": 4e-9 }),
                "stands still",
                Some(false),
            ),
            (
                json!({ "verdict": "stable", "proven": true, "stands": true }),
                "stands, proven",
                Some(false),
            ),
            (json!({ "verdict": "unstable", "stands": false }), "falls", Some(true)),
            (json!({ "verdict": "undecided", "stands": null }), "undecided", None),
            (
                json!({ "multiplier": 0.3, "unit": "gravity" }),
                "capacity 0.3000 g",
                None,
            ),
            (
                json!({ "multiplier": 2.5, "unit": "load" }),
                "load multiplier 2.500",
                None,
            ),
            (json!({ "multiplier": null, "unbounded": true }), "no limit", None),
            (
                json!({ "multiplier": null, "unbounded": false }),
                "no multiplier was found",
                None,
            ),
            (json!({ "critical_tilt_deg": 8.246 }), "critical tilt 8.246°", None),
            (
                json!({ "critical_tilt_deg": null, "status": "falls_upright" }),
                "falls upright",
                None,
            ),
        ] {
            let found = outcome(result);
            assert_eq!((says(&found).as_str(), falls(&found)), (words, down), "{found:?}");
        }
        let failed = Outcome {
            status: Status::Failed,
            error: Some("no block is fixed".into()),
            result: Map::new(),
            ..outcome(json!({}))
        };
        assert_eq!(says(&failed), "failed: no block is fixed");
    }
}
