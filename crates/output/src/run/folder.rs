//! The folder of a run: who may write to it, and what of an earlier run is in the way.

use std::{
    fs,
    path::{Path, PathBuf},
};

use drystone_analysis::{Failure, Run};
use drystone_model::{Model, file};
use serde_json::json;

use super::{RunFiles, Watcher, failed};
use crate::{
    file::write_atomically,
    lock::{FolderLock, LockError},
    records::TableStart,
    report::QUESTION,
};

/// Files that every run leaves or may leave, beside plots and pictures.
const FILES: [&str; 19] = [
    "run.json",
    QUESTION,
    "model.json",
    "summary.json",
    "checkpoint.bin",
    "blocks.parquet",
    "contacts.parquet",
    "steps.parquet",
    "ties.parquet",
    "peaks.parquet",
    "motion.glb",
    "film.gif",
    "stresses.parquet",
    "stresses.csv",
    "nodes.parquet",
    "nodes.csv",
    "deformed.vtu",
    "stress.svg",
    "stress.png",
];
const PLOTS: [&str; 5] = ["energies", "ties", "displacement-x", "displacement-y", "displacement-z"];

pub(super) fn checkpoint_path(folder: &Path) -> PathBuf {
    folder.join("checkpoint.bin")
}

/// Takes a folder for the results of a command, so that no other process writes there at the same time.
pub fn take(folder: &Path, warn: impl FnOnce(&str)) -> Result<FolderLock, Failure> {
    let lock = FolderLock::take(folder).map_err(|error| match error {
        LockError::Taken { .. } => {
            Failure::run(error).help("wait until it has ended, or give another folder with -o; nothing was changed")
        }
        LockError::Write(error) => Failure::run(error),
    })?;
    if !lock.is_held() {
        warn(&format!(
            "{}: its file system knows no locks; let no other process write there meanwhile",
            folder.display()
        ));
    }
    Ok(lock)
}

/// Makes the folder ready, and the simulation where it goes on from.
pub(super) fn open(
    model: &Model,
    run: &mut Run<'_>,
    files: &RunFiles,
    watcher: &dyn Watcher,
) -> Result<(TableStart, FolderLock), Failure> {
    let folder = &files.folder;
    let text = serde_json::to_string_pretty(&files.description).map_err(Failure::run)?;
    if files.resume {
        if !folder.is_dir() {
            return Err(nothing_to_resume(folder));
        }
        let lock = take(folder, |message| watcher.warn(message))?;
        return Ok((resume(run, folder, &text)?, lock));
    }
    let lock = take(folder, |message| watcher.warn(message))?;
    keep_what_is_there(files)?;
    clear(folder);
    let model_text = file::to_text(model).map_err(Failure::run)?;
    let question = json!({ "program": env!("CARGO_PKG_VERSION"), "command": files.command });
    let question = serde_json::to_string_pretty(&question).map_err(Failure::run)?;
    for (name, content) in [("run.json", &text), ("model.json", &model_text), (QUESTION, &question)] {
        write_atomically(&folder.join(name), content.as_bytes()).map_err(failed)?;
    }
    Ok((TableStart::Fresh, lock))
}

fn nothing_to_resume(folder: &Path) -> Failure {
    let is_finished = folder.join("summary.json").is_file();
    let what = if is_finished {
        "the run there is finished: there is no unfinished run to go on with"
    } else {
        "there is no unfinished run to go on with"
    };
    Failure::input(format!("{}: {what}", folder.display())).help("leave --resume out to begin one")
}

/// Brings a simulation to the last checkpoint of the run in a folder.
fn resume(run: &mut Run<'_>, folder: &Path, description: &str) -> Result<TableStart, Failure> {
    let description_path = folder.join("run.json");
    let earlier = fs::read_to_string(&description_path).ok();
    let bytes = fs::read(checkpoint_path(folder)).ok();
    let (Some(earlier), Some(bytes)) = (earlier, bytes) else {
        return Err(nothing_to_resume(folder));
    };
    if earlier != description {
        let message = format!(
            "{}: the run there was begun with another model, other motions or other options",
            folder.display()
        );
        return Err(Failure::input(message).help(format!("{} holds them", description_path.display())));
    }
    run.resume(&bytes).map(TableStart::After).map_err(Failure::input)
}

/// Refuses to replace a run, or files that are no run's, unless that was asked for.
fn keep_what_is_there(files: &RunFiles) -> Result<(), Failure> {
    let folder = &files.folder;
    let refuse = |what: &str, help: &str| Err(Failure::input(format!("{}: {what}", folder.display())).help(help));
    if let Some(name) = replaced_input(files) {
        let what = format!("the run would replace {name}, which it is to simulate");
        return refuse(&what, "give another folder with -o");
    }
    if files.overwrite {
        return Ok(());
    }
    if checkpoint_path(folder).exists() {
        return refuse(
            "an unfinished run is there",
            "go on with it by --resume, or replace it by --overwrite",
        );
    }
    if folder.join("summary.json").exists() {
        return refuse(
            "a finished run is there",
            "give another folder with -o, or replace it by --overwrite",
        );
    }
    // A run that ended before its first checkpoint left nothing that is worth keeping.
    let is_run = folder.join("run.json").exists();
    match FILES.iter().find(|name| folder.join(name).exists()) {
        Some(name) if !is_run => refuse(
            &format!("{name} is there already, and it is no run's"),
            "give another folder with -o, or replace it by --overwrite",
        ),
        _ => Ok(()),
    }
}

/// The name of the model file, where the run would write to it.
fn replaced_input(files: &RunFiles) -> Option<String> {
    let input = files.input.as_ref()?.canonicalize().ok()?;
    let name = input.file_name()?.to_str()?;
    let is_in_the_way = FILES.contains(&name) && input.parent()? == files.folder.canonicalize().ok()?;
    is_in_the_way.then(|| name.to_string())
}

/// Removes what an earlier run left, so that nothing of it stands beside the new one.
fn clear(folder: &Path) {
    let plots = PLOTS
        .iter()
        .flat_map(|plot| ["svg", "png"].map(|ending| format!("{plot}.{ending}")));
    for name in FILES.map(String::from).into_iter().chain(plots) {
        let _ = fs::remove_file(folder.join(name));
    }
    for table in ["blocks", "contacts", "steps", "ties"] {
        let _ = fs::remove_dir_all(folder.join(format!("{table}.parquet.parts")));
    }
    let series = folder.join("paraview");
    for name in ["blocks.pvd", "contacts.pvd", "deformed.pvd"] {
        let _ = fs::remove_file(series.join(name));
    }
    // Only what we name so ourselves: letters, a number of so many figures, an ending.
    remove_numbered(&series.join("frames"), "blocks_", 8, ".vtu");
    remove_numbered(&series.join("frames"), "contacts_", 8, ".vtp");
    remove_numbered(&series.join("frames"), "deformed_", 8, ".vtu");
    remove_numbered(&folder.join("pictures"), "", 5, ".png");
    for empty in [series.join("frames"), series, folder.join("pictures")] {
        let _ = fs::remove_dir(empty);
    }
}

fn remove_numbered(folder: &Path, start: &str, figures: usize, ending: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().to_string();
        let number = name.strip_prefix(start).and_then(|n| n.strip_suffix(ending));
        if number.is_some_and(|n| n.len() == figures && n.bytes().all(|b| b.is_ascii_digit())) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
