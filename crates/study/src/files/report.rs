//! The report of a study: one page with what came out, its curves, its runs, and how to make it again.

use drystone_analysis::words::{self, counted, significant};
use drystone_output::{
    picture::Picture,
    report::{Image, Report, Section, Tone},
};
use serde_json::Value;

use super::{Known, STUDY, found};
use crate::job::{Outcome, Status};

/// Most rows of the table of runs; all of them are in `runs.csv`.
const MOST_ROWS: usize = 500;

pub(super) fn html(known: &Known<'_>, charts: Vec<(String, String)>) -> String {
    let summary = &known.summary;
    let (tone, word) = match (summary.complete, summary.failed) {
        (true, 0) => (Tone::Good, "complete".to_string()),
        (true, n) => (Tone::Open, format!("complete, {} failed", counted(n, "run"))),
        (false, _) => (Tone::Open, format!("{} of {} runs", summary.done, summary.runs)),
    };
    let mut report = Report::new(summary.title.as_str()).verdict(tone, word, summary.conclusions.join(" "));
    let mut structure = Section::new("Structure");
    match known.plan.model() {
        Ok(model) => {
            let mass: f64 = model.free_blocks().map(|b| model.mass_of(b).0).sum();
            structure = structure
                .row("structure", model.name.as_str())
                .row(
                    "blocks",
                    format!(
                        "{}, {} of them fixed",
                        model.blocks.len(),
                        model.blocks.len() - model.free_blocks().count()
                    ),
                )
                .row("mass of free blocks", words::mass(mass));
            if let Ok(svg) = Picture::new(&model).svg() {
                structure = structure.image("The structure as it is studied", Image::Svg(svg));
            }
        }
        Err(error) => structure = structure.text(format!("The structure cannot be shown: {error}")),
    }
    report = report.section(structure);
    let mut curves = Section::new("Results");
    for (title, svg) in charts {
        curves = curves.image(title, Image::Svg(svg));
    }
    report = report.section(curves);
    for section in found::sections(&summary.result) {
        report = report.section(section);
    }
    let mut notes = Section::new("What to know");
    for note in &summary.notes {
        notes = notes.text(note.as_str());
    }
    report = report.section(notes);
    let mut accuracy = Section::new("Accuracy and time")
        .row(
            "runs",
            format!("{} of {}, {} failed", summary.done, summary.runs, summary.failed),
        )
        .row(
            "computing time",
            format!("{} on one core", words::long_time(summary.computing_s)),
        );
    for (build, runs) in &summary.builds {
        accuracy = accuracy.row("program", format!("drystone {build}: {}", counted(*runs, "run")));
    }
    if let Some(residual) = summary.worst_residual {
        accuracy = accuracy.row("worst residual", format!("{residual:.1e}"));
    }
    report = report.section(accuracy);
    report = report.section(runs(known));
    let again = Section::new("How to make it again")
        .text(format!(
            "drystone study {STUDY} -o FOLDER, with this study file and what it names beside it:"
        ))
        .code(known.plan.study().text.trim());
    report.section(again).html()
}

/// The table of runs.
fn runs(known: &Known<'_>) -> Section {
    let mut columns: Vec<String> = vec!["run".into()];
    let told = told(known.summary.kind);
    columns.extend(told.iter().map(|name| heading(name)));
    columns.extend(["residual".into(), "time (s)".into()]);
    let cell = |outcome: &Outcome, name: &str| match outcome.result.get(name) {
        None | Some(Value::Null) => String::new(),
        Some(Value::Bool(true)) => "yes".into(),
        Some(Value::Bool(false)) => "no".into(),
        Some(Value::Number(n)) => n.as_f64().map_or_else(|| n.to_string(), significant),
        Some(value) => crate::spec::plain(value),
    };
    let ended = known
        .tasks
        .iter()
        .filter_map(|task| Some((task, known.outcomes.get(&task.id)?)));
    let rows: Vec<Vec<String>> = ended
        .take(MOST_ROWS)
        .map(|(task, outcome)| {
            let mut row = vec![task.label.clone()];
            match outcome.status {
                Status::Done => row.extend(told.iter().map(|name| cell(outcome, name))),
                Status::Failed => {
                    row.push(format!(
                        "failed: {}",
                        outcome.error.as_deref().unwrap_or("no reason was given")
                    ));
                    row.extend(told.iter().skip(1).map(|_| String::new()));
                }
            }
            row.push(outcome.residual.map_or_else(String::new, |r| format!("{r:.1e}")));
            row.push(significant(outcome.wall_s));
            row
        })
        .collect();
    let mut section = Section::new("Runs");
    if known.summary.done > rows.len() {
        section = section.text(format!(
            "The first {} of {}; all are in runs.csv and runs.parquet.",
            rows.len(),
            known.summary.done
        ));
    }
    match rows.is_empty() {
        true => section.text("None has ended yet."),
        false => section.table(columns, rows),
    }
}

/// The name of a result as people read it, with its unit.
fn heading(name: &str) -> String {
    let unit = [("_m", "m"), ("_s", "s"), ("_deg", "degrees")].into_iter();
    let with_unit = unit
        .filter_map(|(end, unit)| Some((name.strip_suffix(end)?, unit)))
        .next();
    match with_unit {
        Some((name, unit)) => format!("{} ({unit})", name.replace('_', " ")),
        None => name.replace('_', " "),
    }
}

/// Results that the table of runs shows.
fn told(kind: &str) -> &'static [&'static str] {
    match kind {
        "failure-domain" => &["collapsed", "at_rest", "max_displacement_m", "multiplier"],
        "fragility" => &["collapsed", "at_rest", "max_displacement_m", "simulated_s"],
        "assembly" => &["verdict", "proven"],
        _ => &[
            "verdict",
            "multiplier",
            "critical_tilt_deg",
            "collapsed",
            "max_displacement_m",
        ],
    }
}
