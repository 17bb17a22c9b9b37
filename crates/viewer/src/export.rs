//! Files made for the page, each fetched once: models, certificates, scenes, films, tables, reports.

use std::{fmt::Write, sync::Mutex};

use drystone_model::{Model, file, geometry::Bounds};
use drystone_output::{
    film::Film,
    glb::{self, Animation},
    history::{BlockState, Frame, Rest},
};
use serde_json::json;

use crate::{
    ask,
    desk::lock,
    protocol::{Export, ExportKind, Refusal},
    report,
    runs::{Run, RunFrame},
    security::random_name,
    session::{Done, Session},
};

/// Exports that wait to be fetched, and their bytes together: older ones are given up first.
const MOST_WAITING: usize = 16;
const MOST_BYTES: usize = 512 << 20;
/// Frames of a film: more make it long to draw and large.
const FILM_FRAMES: usize = 120;
/// Blocks whose paths are written into one table.
const MOST_PICKED: usize = 200;

/// Finished files by name.
#[derive(Default)]
pub(crate) struct Exports(Mutex<Vec<(String, Vec<u8>)>>);

impl Exports {
    fn put(&self, ending: &str, bytes: Vec<u8>) -> Result<String, Refusal> {
        let name = format!("{}.{ending}", random_name().map_err(Refusal::new)?);
        let mut waiting = lock(&self.0);
        waiting.push((name.clone(), bytes));
        let all = |waiting: &[(String, Vec<u8>)]| waiting.iter().map(|(_, b)| b.len()).sum::<usize>();
        while waiting.len() > 1 && (waiting.len() > MOST_WAITING || all(&waiting) > MOST_BYTES) {
            waiting.remove(0);
        }
        Ok(name)
    }

    pub(crate) fn take(&self, name: &str) -> Option<Vec<u8>> {
        let mut waiting = lock(&self.0);
        let found = waiting.iter().position(|(own, _)| own == name)?;
        Some(waiting.remove(found).1)
    }
}

pub(crate) fn export(session: &mut Session, id: u64, answer: &str, asked: &Export) -> Done {
    let what = match (asked.what, answer) {
        (Some(what), "export") => what,
        (None, "export") => return Err(Refusal::new("`export` needs `what`").into()),
        _ => ExportKind::Html,
    };
    session.out.progress(id, 0.0, "writing")?;
    let (ending, bytes) = match what {
        ExportKind::Model => {
            let text = file::to_text(&*session.model()?).map_err(Refusal::new)?;
            ("json", text.into_bytes())
        }
        ExportKind::Certificate => {
            let (certificate, _) = ask::certified(session, &asked.situation, asked.method)?;
            ("json", certificate.to_text().map_err(Refusal::new)?.into_bytes())
        }
        ExportKind::Glb if asked.which.is_none() => ("glb", glb::glb(&*session.model()?).map_err(Refusal::new)?),
        ExportKind::Glb => ("glb", scene(&*session.runs.find(asked.which)?)?),
        ExportKind::Gif => ("gif", film(session, id, &*session.runs.find(asked.which)?)?),
        ExportKind::Csv => {
            let run = session.runs.find(asked.which)?;
            ("csv", table(&run, &asked.blocks)?.into_bytes())
        }
        ExportKind::Html => ("html", report::report(session, asked)?.into_bytes()),
    };
    let size = bytes.len();
    let name = session.shared.exports.put(ending, bytes)?;
    Ok(session.out.answer(id, answer, json!({ "name": name, "bytes": size }))?)
}

/// A frame as writers of files take it.
fn as_frame<'a>(frame: &RunFrame, number: usize, states: &'a [BlockState]) -> Frame<'a> {
    Frame {
        step: number as u64,
        time_s: frame.time,
        blocks: states,
        contacts: &[],
        measures: &[],
    }
}

fn scene(run: &Run) -> Result<Vec<u8>, Refusal> {
    let mut animation = Animation::new(&run.model).map_err(Refusal::new)?;
    for (number, frame) in run.frames().iter().enumerate() {
        let states = frame.states();
        animation
            .push(&as_frame(frame, number, &states))
            .map_err(Refusal::new)?;
    }
    animation.glb().map_err(Refusal::new)
}

fn film(session: &Session, id: u64, run: &Run) -> Result<Vec<u8>, Refusal> {
    let frames = run.frames();
    let model: &Model = &run.model;
    let rest = Rest::of(model);
    let stride = frames.len().div_ceil(FILM_FRAMES).max(1);
    let picked: Vec<(usize, &RunFrame)> = frames.iter().map(|f| &**f).enumerate().step_by(stride).collect();
    let mut window = Bounds::EMPTY;
    for (number, frame) in &picked {
        let states = frame.states();
        window = window.union(&rest.bounds(&as_frame(frame, *number, &states)).map_err(Refusal::new)?);
    }
    let folder = tempfile::tempdir().map_err(Refusal::new)?;
    let path = folder.path().join("film.gif");
    let between = match &frames[..] {
        [a, b, ..] => (b.time - a.time) * stride as f64,
        _ => 0.04,
    };
    let film = Film::new(model)
        .window(window)
        .with(|p| p.title(model.name.clone()))
        .frames_per_second(1.0 / between.max(0.02));
    let mut writer = film.create(&path).map_err(Refusal::new)?;
    for (k, (number, frame)) in picked.iter().enumerate() {
        let states = frame.states();
        writer.push(&as_frame(frame, *number, &states)).map_err(Refusal::new)?;
        let part = k as f64 / picked.len() as f64;
        if k % 10 == 0 && session.out.progress(id, part, "drawing the film").is_err() {
            break;
        }
    }
    writer.finish().map_err(Refusal::new)?;
    std::fs::read(&path).map_err(Refusal::new)
}

/// Energies by frame, and where the blocks that were picked are.
fn table(run: &Run, blocks: &[String]) -> Result<String, Refusal> {
    if blocks.len() > MOST_PICKED {
        return Err(Refusal::new(format!(
            "{} blocks are too many for a table; at most {MOST_PICKED}",
            blocks.len()
        )));
    }
    let mut text = String::from(
        "time_s,kinetic_j,potential_j,dissipated_j,balance_error,residual,ground_x_m,ground_y_m,ground_z_m",
    );
    let mut picked = Vec::new();
    for name in blocks {
        let index = run.model.blocks.iter().position(|b| b.name == *name);
        picked.push(index.ok_or_else(|| Refusal::new(format!("the run has no block `{name}`")))?);
        for quantity in ["x_m", "y_m", "z_m", "qx", "qy", "qz", "qw"] {
            let _ = write!(text, ",\"{} {quantity}\"", name.replace('"', "\"\""));
        }
    }
    text.push('\n');
    for frame in run.frames() {
        let [x, y, z] = frame.ground;
        let _ = write!(
            text,
            "{},{},{},{},{},{},{x},{y},{z}",
            frame.time, frame.kinetic, frame.potential, frame.dissipated, frame.balance, frame.residual
        );
        for &block in &picked {
            for value in frame.poses.get(7 * block..7 * block + 7).unwrap_or_default() {
                let _ = write!(text, ",{value}");
            }
        }
        text.push('\n');
    }
    Ok(text)
}
