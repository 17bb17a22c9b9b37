//! What came out: the headline and the rows of each kind of question.

use drystone_model::{Model, geometry::Bounds};
use serde_json::Value;

use super::{
    page::{Section, Tone},
    texts::{About, ENGLISH, fill},
    values::{self, length, seconds, three},
};
use crate::{
    OutputError,
    film::Film,
    history::{BlockState, Frame, Rest},
};

/// Pixels of a moment of a run.
const STILL: (u32, u32) = (900, 560);

/// The headline of a report, and the sentence that goes with it. It is about what the report is about: a run, not a check of the
/// structure before it.
pub(super) fn headline(about: About, result: &Value) -> (Tone, String, String) {
    let texts = &ENGLISH.headlines;
    let word = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_default();
    let number = |name: &str| result.get(name).and_then(Value::as_f64);
    let is = |name: &str| result.get(name).and_then(Value::as_bool).unwrap_or(false);
    // Folders of earlier versions have a reason only.
    let known = [word("conclusion"), word("reason")];
    let conclusion = known.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
    let said = |tone, headline: &str| (tone, headline.to_string(), conclusion.to_string());
    match about {
        About::Check => {
            let (tone, plain) = match word("verdict") {
                "stable" => (Tone::Good, texts.stable),
                "unstable" => (Tone::Bad, texts.unstable),
                _ => (Tone::Open, texts.undecided),
            };
            let headline = [word("headline"), plain].into_iter().find(|text| !text.is_empty());
            said(tone, headline.unwrap_or(plain))
        }
        About::Limit => match number("multiplier") {
            _ if is("unbounded") => said(Tone::Plain, texts.no_limit),
            Some(multiplier) => {
                let unit = if word("unit") == "gravity" { " g" } else { "" };
                let times = if unit.is_empty() { " ×" } else { "" };
                let text = format!("{}{unit}{times}", three(multiplier));
                said(Tone::Plain, &fill(texts.limit, &[&text]))
            }
            None => said(Tone::Bad, texts.no_lower),
        },
        About::Tilt => match number("lower_deg") {
            Some(angle) => said(Tone::Plain, &fill(texts.tilt, &[&three(angle)])),
            None if number("upper_deg").is_some() => said(Tone::Bad, texts.upright),
            None => said(Tone::Open, texts.undecided),
        },
        About::Settle => match word("end") {
            "completed" => said(Tone::Good, texts.settled),
            _ => said(Tone::Bad, texts.not_settled),
        },
        About::Run => run(result),
    }
}

fn run(result: &Value) -> (Tone, String, String) {
    let texts = &ENGLISH.headlines;
    let word = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_default();
    let number = |name: &str| result.get(name).and_then(Value::as_f64);
    let collapsed = result.get("collapsed").and_then(Value::as_bool).unwrap_or(false);
    let (tone, headline) = match (collapsed, word("collapse")) {
        (true, "partial") => (Tone::Bad, texts.partially),
        (true, _) => (Tone::Bad, texts.collapsed),
        (false, _) if ["stopped", "limit"].contains(&word("ended")) => (Tone::Open, texts.stopped),
        (false, _) => (Tone::Good, texts.held),
    };
    let simulated = seconds(number("time_s").unwrap_or(0.0));
    let mut said = Vec::new();
    match number("collapse_time_s").filter(|_| collapsed) {
        Some(at) => said.push(fill(texts.at, &[&seconds(at), &simulated])),
        None => said.push(fill(texts.ended, &[&simulated])),
    }
    if let (false, Some(most), Some(rest)) = (collapsed, number("max_displacement_m"), number("residual_drift_m")) {
        let block = word("max_displacement_block");
        said.push(fill(texts.moved, &[&length(most), block, &length(rest)]));
    }
    (tone, headline.to_string(), said.join(" "))
}

/// The rows of a result.
pub(super) fn section(about: About, result: &Value, forces: Option<&Value>) -> Section {
    let texts = &ENGLISH.results;
    // Computing time is no result, but that of a run is simulated.
    let hidden: &[&str] = match about {
        About::Run if result["collapsed"] != true => &["end", "collapse", "collapsed"],
        About::Run => &["end"],
        _ => &["time_s", "steps", "max_displacement_m"],
    };
    let mut section = Section::new(ENGLISH.headings.results)
        .text(texts.precision)
        .rows(values::rows(result, hidden));
    section = section.rows(margins(result));
    if let Some(forces) = forces {
        let own: Vec<&str> = ENGLISH.fields.iter().map(|(field, _)| *field).collect();
        let shown = ["load_n", "reaction_n", "largest_friction_use", "largest_stress_pa"];
        let others: Vec<&str> = own.into_iter().filter(|field| !shown.contains(field)).collect();
        section = section.rows(values::rows(forces, &others)).rows(states(forces));
    }
    if let Some(stages) = result
        .get("stages")
        .and_then(Value::as_array)
        .filter(|_| about == About::Settle)
    {
        let fields = [
            "name",
            "done",
            "max_displacement_m",
            "open_joints",
            "max_opening_m",
            "max_slip_m",
        ];
        let row = |stage: &Value| {
            let cell = |field: &&str| values::told(field, stage.get(*field)?);
            fields.iter().map(|field| cell(field).unwrap_or_default()).collect()
        };
        section = section.table(
            texts.stages.map(String::from).to_vec(),
            stages.iter().map(row).collect(),
        );
    }
    let others: Vec<&Value> = result
        .get("others")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .collect();
    if !others.is_empty() {
        let row = |other: &&Value| {
            let cell = |field: &str| values::told(field, other.get(field)?);
            let fields = ["method", "verdict", "proven", "reason"];
            fields.map(|field| cell(field).unwrap_or_default()).to_vec()
        };
        section = section.table(
            texts.others.map(String::from).to_vec(),
            others.iter().map(row).collect(),
        );
    }
    section
}

/// Safety margins, where they were asked for.
fn margins(result: &Value) -> Vec<(String, String)> {
    let texts = &ENGLISH.results;
    let mut rows = Vec::new();
    let Some(found) = result.get("sensitivity") else {
        return rows;
    };
    if let Some(least) = found.get("least_friction").and_then(Value::as_f64) {
        rows.push((texts.least_friction.to_string(), three(least)));
    }
    let worst = found.get("worst_direction").filter(|worst| !worst.is_null());
    if let Some(worst) = worst
        && let Some(direction) = values::told("direction", &worst["direction"])
        && let Some(multiplier) = worst["multiplier"].as_f64()
    {
        let text = fill(texts.capacity, &[&direction, &three(multiplier)]);
        rows.push((texts.worst_direction.to_string(), text));
    }
    rows
}

/// How many joints do what.
fn states(forces: &Value) -> Vec<(String, String)> {
    let states = forces.get("states").and_then(Value::as_array).into_iter().flatten();
    let one = |state: &Value| {
        let count = state.get(1)?.as_u64().filter(|n| *n > 0)?;
        Some((
            fill(ENGLISH.results.joints, &[state.get(0)?.as_str()?]),
            count.to_string(),
        ))
    };
    states.filter_map(one).collect()
}

/// The blocks that moved farthest: largest displacement (m), when (s), largest speed (m/s), residual drift (m).
pub(super) fn peaks(peaks: &[(String, [f64; 4])]) -> Section {
    let texts = &ENGLISH.results;
    let section = Section::new(texts.peaks_title);
    if peaks.is_empty() {
        return section;
    }
    let row = |(name, [moved, at, speed, drift]): &(String, [f64; 4])| {
        let speed = values::told("speed_m_s", &serde_json::json!(speed)).unwrap_or_default();
        vec![name.clone(), length(*moved), seconds(*at), speed, length(*drift)]
    };
    section
        .text(texts.peaks_note)
        .table(texts.peaks.map(String::from).to_vec(), peaks.iter().map(row).collect())
}

/// A moment of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Still {
    /// When (s).
    pub time: f64,
    /// Its picture.
    pub png: Vec<u8>,
}

impl Still {
    pub(super) fn caption(&self) -> String {
        fill(ENGLISH.results.still, &[&three(self.time)])
    }
}

/// Pictures of moments of a run, seen from its ground: from the first support.
pub fn stills(model: &Model, moments: &[(f64, Vec<BlockState>)]) -> Result<Vec<Still>, OutputError> {
    let rest = Rest::of(model);
    let ground = model.blocks.iter().position(|b| b.fixed);
    let seen = |(time, blocks): &(f64, Vec<BlockState>)| {
        let mut blocks = blocks.clone();
        let gone = ground.and_then(|g| Some(blocks.get(g)?.position - rest.centres().get(g)?));
        for block in &mut blocks {
            block.position -= gone.unwrap_or_default();
        }
        (*time, blocks)
    };
    let moments: Vec<(f64, Vec<BlockState>)> = moments.iter().map(seen).collect();
    let mut window = Bounds::EMPTY;
    for moment in &moments {
        window = window.union(&rest.bounds(&frame(moment))?);
    }
    let film = Film::new(model)
        .window(window)
        .with(|picture| picture.size(STILL.0, STILL.1).scale_bar(false));
    let one = |moment: &(f64, Vec<BlockState>)| {
        Ok(Still {
            time: moment.0,
            png: film.png(&frame(moment))?,
        })
    };
    moments.iter().map(one).collect()
}

fn frame((time_s, blocks): &(f64, Vec<BlockState>)) -> Frame<'_> {
    Frame {
        step: 0,
        time_s: *time_s,
        blocks,
        contacts: &[],
        measures: &[],
    }
}
