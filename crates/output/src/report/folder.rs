//! A report of what a command left in a folder.

use std::{
    fs,
    path::{Path, PathBuf},
};

use drystone_analysis::{Failure, Subject};
use drystone_model::{
    Model,
    certificate::{Certificate, CertifiedSituation},
    file,
};
use serde_json::{Value, json};

use super::{
    document::{Cover, Document, Figure},
    page::Image,
    results::{Still, stills},
    texts::{About, ENGLISH, called},
    values::told,
};
use crate::{file::write_atomically, history::BlockState, records::Replay, table::Table};

/// The file of a folder that says what was asked.
pub const QUESTION: &str = "question.json";
/// The file of a folder that holds the model as it was read.
pub const STRUCTURE: &str = "structure.json";

/// Files that are larger are left out of a report (bytes).
const LARGEST: u64 = 20 << 20;
/// Blocks whose peaks are listed.
const MOST_BLOCKS: usize = 12;
/// Moments of a run that are shown.
const MOMENTS: usize = 4;
/// Settings of a run that are told; all of them are in its `run.json`.
const SETTINGS: [&str; 7] = [
    "dt_s",
    "adaptive_m",
    "friction_law",
    "damping",
    "restitution",
    "stiffness_n_m3",
    "tolerance",
];
/// Numbered pictures of one kind that are looked for.
const MOST_NUMBERED: usize = 40;

/// Pictures that commands leave, in the order of a report.
const PICTURES: [&str; 8] = [
    "mechanism",
    "forces",
    "courses",
    "moved",
    "moved-motion",
    "stress",
    "curve",
    "cracks-",
];
const HISTORIES: [&str; 5] = ["displacement-x", "displacement-y", "displacement-z", "energies", "ties"];

/// What was asked beyond the situation.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// What grows towards a limit, in words.
    Grows(String),
    /// The axis that the structure is tilted about.
    Axis([f64; 3]),
}

/// Leaves in a folder what a report needs beside the result: what was asked, by which command line, and the model as it was read.
/// `tilt` is an axis and an angle (degrees), `more` what else was asked, `input` the model's file, which is not written to.
pub fn asked(
    folder: &Path,
    subject: &Subject,
    tilt: Option<([f64; 3], f64)>,
    more: Option<Asked>,
    (command, input): (Option<&str>, &Path),
) -> Result<(), Failure> {
    let case = subject.case();
    let situation = CertifiedSituation {
        gravity: subject.model.gravity,
        friction: case.overrides.friction,
        density: case.overrides.density,
        joint_search: case.overrides.joint_search,
        supports: case.overrides.supports.clone(),
        load_cases: Vec::new(),
        loads: Vec::new(),
    };
    let mut question = json!({
        "program": env!("CARGO_PKG_VERSION"),
        "command": command,
        "situation": situation,
        "tilt": tilt,
        "loads": subject.load_cases,
    });
    match more {
        Some(Asked::Grows(what)) => question["grows"] = json!(what),
        Some(Asked::Axis(axis)) => question["axis"] = json!(axis),
        None => {}
    }
    let mut text = serde_json::to_string_pretty(&question).map_err(Failure::run)?;
    text.push('\n');
    write_atomically(&folder.join(QUESTION), text.as_bytes()).map_err(Failure::run)?;
    let path = folder.join(STRUCTURE);
    let same = |a: &Path| a.canonicalize().ok();
    if path.exists() && same(&path) == same(input) {
        return Ok(());
    }
    let model = file::to_text(case.as_read).map_err(Failure::run)?;
    write_atomically(&path, model.as_bytes()).map_err(Failure::run)
}

/// The page of what a folder holds.
pub fn of_folder(folder: &Path, cover: Cover) -> Result<String, Failure> {
    let found = Found::read(folder)?;
    let mut model = found.as_read.clone();
    let mut changed = Vec::new();
    let question = &found.question;
    let situation = question.get("situation").cloned();
    let situation = situation.and_then(|value| serde_json::from_value::<CertifiedSituation>(value).ok());
    if let (Some(model), Some(situation)) = (&mut model, &situation) {
        changed = changes(model, situation);
        situation.apply(model);
    }
    let text = |name: &str| question.get(name).and_then(Value::as_str).map(String::from);
    let named = |field: &str| {
        let list = question.get(field).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(|v| v.as_str().map(String::from)).collect::<Vec<_>>()
    };
    let loads = question
        .get("loads")
        .cloned()
        .and_then(|v| serde_json::from_value(v).ok());
    // Those of a run have the factors and histories of the model.
    let loads = loads.unwrap_or_else(|| named("loads").into_iter().map(|name| (name, 1.0)).collect());
    let (certificates, figures) = (certificates(folder), figures(folder, found.about));
    let is_run = found.about == About::Run;
    let (moments, peaks) = match (&model, is_run) {
        (Some(model), true) => (moments(folder, model)?, peaks(folder)),
        _ => (Vec::new(), Vec::new()),
    };
    let forces = read(&folder.join("results.json")).ok();
    let document = Document {
        cover,
        model: model.as_ref(),
        as_read: found.as_read.as_ref(),
        changed,
        tilt: question
            .get("tilt")
            .cloned()
            .and_then(|v| serde_json::from_value(v).ok()),
        loads,
        motions: named("motions"),
        settings: settings(question),
        about: Some((found.about, &found.result)),
        beside: None,
        forces: forces.as_ref(),
        certificates,
        figures,
        stills: moments,
        peaks,
        command: text("command"),
        model_file: found.as_read.is_some().then(|| found.model_file.to_string()),
    };
    document.html().map_err(Failure::run)
}

/// What lies in a folder.
struct Found {
    about: About,
    result: Value,
    question: Value,
    as_read: Option<Model>,
    model_file: &'static str,
}

impl Found {
    fn read(folder: &Path) -> Result<Self, Failure> {
        let (about, result, question, model_file) = if folder.join("summary.json").is_file() {
            let summary = read(&folder.join("summary.json"))?;
            if summary.get("time_s").is_none() {
                let what = format!("{}: a study is there, which has a report of its own", folder.display());
                return Err(Failure::input(what).help(format!("open {}", folder.join("report.html").display())));
            }
            let mut run = read(&folder.join("run.json")).unwrap_or_default();
            if let (Value::Object(run), Ok(mut question)) = (&mut run, read(&folder.join(QUESTION))) {
                run.insert("command".into(), question["command"].take());
            }
            (About::Run, summary, Ok(run), "model.json")
        } else if folder.join("result.json").is_file() {
            let result = read(&folder.join("result.json"))?;
            let has = |field: &str| result.get(field).is_some();
            let about = match () {
                () if has("critical_tilt_deg") => About::Tilt,
                () if has("bounds") => About::Limit,
                () if has("stages") && has("end") => About::Settle,
                () => About::Check,
            };
            (about, result, read(&folder.join(QUESTION)), STRUCTURE)
        } else {
            let message = format!("{}: no results are there", folder.display());
            let help = "give a folder that check, limit, tilt, settle or simulate has written with -o DIR";
            return Err(Failure::input(message).help(help));
        };
        Ok(Self {
            about,
            result,
            // Folders of earlier versions have none.
            question: question.unwrap_or_default(),
            as_read: file::read(&folder.join(model_file)).ok(),
            model_file,
        })
    }
}

fn read(path: &Path) -> Result<Value, Failure> {
    let text = fs::read_to_string(path).map_err(|e| Failure::input(format!("{}: {e}", path.display())))?;
    serde_json::from_str(&text).map_err(|e| Failure::input(format!("{}: not JSON: {e}", path.display())))
}

/// What a situation changes, in words.
fn changes(model: &Model, situation: &CertifiedSituation) -> Vec<(String, String)> {
    let mut changed = Vec::new();
    let mut add = |what: &str, to: Option<String>| changed.extend(to.map(|to| (what.to_string(), to)));
    add(
        "friction of every joint",
        situation.friction.map(|friction| friction.to_string()),
    );
    add(
        "density of every block",
        situation.density.map(|density| format!("{density} kg/m³")),
    );
    let g = situation.gravity;
    add(
        "gravity",
        (g != model.gravity).then(|| format!("{}, {}, {} m/s²", g.x, g.y, g.z)),
    );
    let supports = (!situation.supports.is_empty()).then(|| situation.supports.join(", "));
    add("further supports", supports);
    changed
}

/// How a run was asked, in words.
fn settings(question: &Value) -> Vec<(String, String)> {
    let texts = &ENGLISH.loads;
    let asked = [("grows", texts.grows), ("axis", texts.axis)].into_iter();
    let asked = asked.filter_map(|(field, name)| Some((name.to_string(), told(field, question.get(field)?)?)));
    let Some(method) = question.get("method").and_then(Value::as_object) else {
        return asked.collect();
    };
    let shown = |(name, value): (&String, &Value)| {
        let text = told(name, value)?;
        Some((called(ENGLISH.fields, name), text))
    };
    let listed = method.iter().filter(|(name, _)| SETTINGS.contains(&name.as_str()));
    listed.filter_map(shown).collect()
}

/// The certificates of a folder, by name: unreadable ones are none.
fn certificates(folder: &Path) -> Vec<(String, Certificate)> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<PathBuf> = names.map(|entry| entry.path()).collect();
    names.sort();
    let one = |path: &PathBuf| {
        let name = path.file_name()?.to_str()?;
        let is_one = name.starts_with("certificate") && name.ends_with(".json");
        let bytes = is_one.then(|| fs::read(path).ok()).flatten()?;
        Some((name.to_string(), serde_json::from_slice(&bytes).ok()?))
    };
    names.iter().filter_map(one).collect()
}

/// The pictures of a folder.
fn figures(folder: &Path, about: About) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut add = |name: &str, ending: &str| {
        let path = folder.join(format!("{name}.{ending}"));
        let is_small = fs::metadata(&path).is_ok_and(|m| m.len() <= LARGEST);
        let Some(bytes) = is_small.then(|| fs::read(&path).ok()).flatten() else {
            return false;
        };
        let image = match ending {
            "svg" => Image::Svg(String::from_utf8_lossy(&bytes).into_owned()),
            _ => Image::Gif(bytes),
        };
        figures.push(Figure {
            name: name.to_string(),
            image,
        });
        true
    };
    if about == About::Run {
        add("film", "gif");
        for name in HISTORIES {
            add(name, "svg");
        }
    }
    for name in PICTURES {
        if !name.ends_with('-') {
            add(name, "svg");
            continue;
        }
        for number in 1..=MOST_NUMBERED {
            if !add(&format!("{name}{number}"), "svg") {
                break;
            }
        }
    }
    figures
}

/// Moments of a run at equal distances, the first and the last among them.
fn moments(folder: &Path, model: &Model) -> Result<Vec<Still>, Failure> {
    let Ok(replay) = Replay::open(&folder.join("blocks.parquet")) else {
        return Ok(Vec::new());
    };
    let frames = replay.count();
    let wanted: Vec<usize> = (0..MOMENTS)
        .map(|k| k * frames.saturating_sub(1) / (MOMENTS - 1))
        .collect();
    let mut kept: Vec<(f64, Vec<BlockState>)> = Vec::new();
    let replay = Replay::open(&folder.join("blocks.parquet")).map_err(Failure::run)?;
    for (k, moment) in replay.enumerate() {
        let moment = moment.map_err(Failure::run)?;
        if wanted.contains(&k) {
            kept.push((moment.time_s, moment.blocks));
        }
    }
    stills(model, &kept).map_err(Failure::run)
}

/// The blocks that moved farthest, where the folder has the table.
fn peaks(folder: &Path) -> Vec<(String, [f64; 4])> {
    let Ok(table) = Table::read(&folder.join("peaks.parquet"), None) else {
        return Vec::new();
    };
    let column = |name: &str| table.floats(name);
    let columns = (
        table.texts("name"),
        column("max_displacement_m"),
        column("max_displacement_time_s"),
        column("max_speed_m_s"),
        column("residual_drift_m"),
    );
    let (Some(names), Some(moved), Some(at), Some(speed), Some(drift)) = columns else {
        return Vec::new();
    };
    let mut order: Vec<usize> = (0..table.rows()).collect();
    order.sort_by(|&a, &b| moved[b].total_cmp(&moved[a]));
    let one = |k: usize| (names[k].to_string(), [moved[k], at[k], speed[k], drift[k]]);
    order.into_iter().take(MOST_BLOCKS).map(one).collect()
}
