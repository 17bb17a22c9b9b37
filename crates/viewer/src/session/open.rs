//! Where models come from and go to: recipes, the page, files it sends, the opened folder.

use std::path::Path;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use drystone_analysis::{Edit, edit};
use drystone_contact::{Source, choose};
use drystone_model::{
    Model,
    file::{self, ReadError},
    import, recipes,
};
use drystone_output::file::write_atomically;
use indexmap::IndexMap;
use serde_json::{Value, json};

use super::{Built, Done, Session, found};
use crate::{
    folder::is_run,
    protocol::{Import, Open, Refusal, Upload},
    runs::Run,
    security::{Folder, UPLOAD_BYTES},
    study,
};

/// A file by its name, and what it holds.
type NamedFile = (String, Vec<u8>);

impl Session {
    pub(super) fn build(&mut self, id: u64, name: &str, values: &IndexMap<String, Value>, keep_edits: bool) -> Done {
        let recipe = recipes::find(name).map_err(Refusal::new)?;
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let values: IndexMap<String, String> = values.iter().map(|(k, v)| (k.clone(), text(v))).collect();
        let pairs: Vec<(String, String)> = values.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
        // The page hides what has no effect, and keeps its values for when it has one again.
        let model = recipe.build(&recipe.with_effect(&pairs)).map_err(Refusal::new)?;
        let before = self.history.now().and_then(|version| version.built.as_ref());
        let edits = match before.filter(|before| keep_edits && before.recipe == recipe.name) {
            Some(before) => before.edits.clone(),
            None => Vec::new(),
        };
        let (model, edits, lost) = edited_again(model, edits);
        let built = Built {
            recipe: recipe.name,
            values,
            edits,
        };
        let mut version = found(model, Some(built), None)?;
        version.problems.extend(lost);
        self.become_version(id, version)
    }

    pub(super) fn open(&mut self, id: u64, open: Open) -> Done {
        let mut beside = String::new();
        let (model, warnings) = match open {
            Open {
                model: Some(model),
                beside: from,
                ..
            } => {
                beside = from;
                // Through the reader of files, for its errors tell what is wrong where.
                let read = file::parse(model.to_string().as_bytes(), "the model");
                (read.map_err(unreadable)?, Vec::new())
            }
            Open {
                imported: Some(given), ..
            } => return self.accept(id, &given),
            Open {
                study: Some(study),
                run: Some(run),
                ..
            } => {
                let (model, key) = study::structure_of(self.folder()?, &study, &run)?;
                return self.open_studied(id, &study, model, &key);
            }
            Open { path: Some(path), .. } => return self.open_path(id, &path),
            Open { files: Some(files), .. } => {
                let files = uploaded(&files)?;
                read(&files)?
            }
            _ => {
                return Err(Refusal::new(
                    "`open` needs a `model`, a `path`, `files`, a `study` and a `run`, or what was `imported`",
                )
                .into());
            }
        };
        self.opened(id, model, warnings, beside)
    }

    fn opened(&mut self, id: u64, mut model: Model, mut warnings: Vec<String>, beside: String) -> Done {
        let choice = choose(&model);
        if choice.source == Source::Geometry {
            model.joint_search = choice.search;
            warnings.push(choice.reason);
        }
        let mut version = found(model, None, None)?;
        version.beside = beside;
        version.problems.extend(warnings);
        self.become_version(id, version)
    }

    fn open_path(&mut self, id: u64, path: &str) -> Done {
        let place = self.folder()?.existing(path)?;
        if !is_run(&place) {
            if study::is_study(&place) {
                let (model, key) = study::Place::of(self.folder()?, path)?.structure()?;
                return self.open_studied(id, path, model, &key);
            }
            if place.is_dir() {
                return Err(Refusal::new(format!("`{path}` is a folder without a run or a study")).into());
            }
            let (model, warnings) = read(&[(path.to_string(), bytes_at(&place, path)?)])?;
            return self.opened(id, model, warnings, folder_of(path));
        }
        // Links within a run's folder must not lead out of the opened one.
        let inside = |name: &str| self.folder()?.existing(&format!("{path}/{name}"));
        let damaged = |refusal: Refusal| Refusal {
            error: format!("the run `{path}` cannot be opened: {}", refusal.error),
            ..refusal
        };
        let bytes =
            std::fs::read(inside("model.json")?).map_err(|e| Refusal::new(format!("`{path}/model.json`: {e}")))?;
        let model = file::parse(&bytes, "model.json").map_err(unreadable).map_err(damaged)?;
        let run = Run::read(&inside("blocks.parquet")?, &inside("steps.parquet")?, &model).map_err(damaged)?;
        let told = json!({ "path": path, "frames": run.frame_count(), "duration_s": run.duration() });
        let mut version = found(model, None, None)?;
        // The model of a run is a copy of one that most often lies beside the run's folder, and names records from there.
        version.beside = folder_of(path);
        self.runs.keep(id, std::sync::Arc::new(run));
        self.history.push(version);
        self.tell_model_with(id, json!({ "run": told }))
    }

    /// What files to be imported hold, and the folder that they are in.
    pub(super) fn bytes_of(&self, import: &Import) -> Result<(Vec<NamedFile>, String), Refusal> {
        if let Some(files) = &import.files {
            return Ok((uploaded(files)?, String::new()));
        }
        let path = import.path.as_deref().unwrap_or_default();
        let place = self.folder()?.existing(path)?;
        Ok((vec![(path.to_string(), bytes_at(&place, path)?)], folder_of(path)))
    }

    /// Shows a structure of a study.
    fn open_studied(&mut self, id: u64, path: &str, model: Model, key: &str) -> Done {
        let mut version = found(model, None, None)?;
        version.beside = folder_of(path);
        self.history.push(version);
        self.tell_model_with(id, json!({ "study": { "path": path, "structure": key } }))
    }

    /// Sends the frames of the run that was opened last.
    pub(super) fn frames(&mut self, id: u64) -> Done {
        let run = self.runs.last().ok_or_else(|| Refusal::new("no run was opened"))?;
        for number in 0..run.frame_count() {
            if let Some(frame) = run.message(id, number) {
                self.out.binary(frame)?;
            }
        }
        Ok(self.out.answer(id, "frames", json!({ "frames": run.frame_count() }))?)
    }

    pub(super) fn save(&mut self, id: u64, path: Option<String>) -> Done {
        let model = self.model()?;
        let Some(path) = path else {
            let object = serde_json::to_value(&*model).map_err(Refusal::new)?;
            return Ok(self.out.answer(id, "save", json!({ "model": object }))?);
        };
        if !path.to_lowercase().ends_with(".json") {
            return Err(Refusal::new(format!("`{path}`: a model is saved as a .json file")).into());
        }
        let place = self.folder()?.place(&path)?;
        let text = file::to_text(&model).map_err(Refusal::new)?;
        write_atomically(&place, text.as_bytes()).map_err(|e| Refusal::new(format!("`{path}`: {}", e.source)))?;
        Ok(self.out.answer(id, "save", json!({ "path": path }))?)
    }

    pub(crate) fn folder(&self) -> Result<&Folder, Refusal> {
        self.shared.folder.as_ref().ok_or_else(|| {
            Refusal::new("no folder is opened")
                .help("start with `drystone view FOLDER`, or open and save in the browser")
        })
    }
}

/// Makes changes once more, on another model of the same recipe. Those that it does not take are left out, and told.
fn edited_again(mut model: Model, edits: Vec<Edit>) -> (Model, Vec<Edit>, Option<String>) {
    let (all, mut kept, mut first) = (edits.len(), Vec::new(), None);
    for change in edits {
        match edit(&model, &change) {
            Ok(edited) => {
                model = edited.model;
                kept.push(change);
            }
            Err(failure) => first = first.or(Some(failure)),
        }
    }
    let lost = all - kept.len();
    let told = first.map(|why| {
        format!(
            "{lost} of {all} changes could not be made to it again: {}",
            why.message()
        )
    });
    (model, kept, told)
}

/// The folder part of a path.
fn folder_of(path: &str) -> String {
    path.rsplit_once('/')
        .map_or_else(String::new, |(folder, _)| folder.to_string())
}

/// Why a model cannot be read, as a sentence rather than as compilers say it.
fn unreadable(error: ReadError) -> Refusal {
    match error {
        ReadError::Syntax {
            file,
            line,
            column,
            message,
        } => Refusal::new(format!("{file}: {message}, at line {line}, column {column}")),
        other => Refusal::new(other),
    }
}

fn too_large(bytes: u64) -> Refusal {
    let mib = bytes >> 20;
    log::debug!("refused: a file of {mib} MiB");
    Refusal::new(format!(
        "{mib} MiB is too large; at most {} MiB can be opened here",
        UPLOAD_BYTES >> 20
    ))
    .help("the command line has no such limit")
}

/// The bytes of a file of the opened folder.
fn bytes_at(place: &Path, path: &str) -> Result<Vec<u8>, Refusal> {
    let size = place.metadata().map_or(0, |m| m.len());
    if size > UPLOAD_BYTES as u64 {
        return Err(too_large(size));
    }
    file::file_bytes(place, UPLOAD_BYTES as u64, file::Pipes::Refused)
        .map_err(|e| Refusal::new(format!("`{path}`: {e}")))
}

/// The bytes of files that the page sends.
pub(crate) fn uploaded(files: &[Upload]) -> Result<Vec<(String, Vec<u8>)>, Refusal> {
    let encoded: usize = files.iter().map(|f| f.base64.len()).sum();
    if encoded / 4 * 3 > UPLOAD_BYTES {
        return Err(too_large((encoded / 4 * 3) as u64));
    }
    let one = |file: &Upload| {
        let bytes = STANDARD.decode(&file.base64);
        let bytes = bytes.map_err(|e| Refusal::new(format!("`{}` is not base64: {e}", file.name)))?;
        Ok((file.name.clone(), bytes))
    };
    files.iter().map(one).collect()
}

/// A model from the bytes of files, its own format or others, and what to say about it.
pub(super) fn read(files: &[(String, Vec<u8>)]) -> Result<(Model, Vec<String>), Refusal> {
    if let [(name, bytes)] = files
        && is_own(name, bytes)
    {
        return Ok((file::parse(bytes, name).map_err(unreadable)?, Vec::new()));
    }
    let imported = import::import(files).map_err(Refusal::new)?;
    Ok((imported.model, imported.warnings))
}

/// Whether a file is a model of ours: JSON that has what every model has. What is no JSON at all is best explained by the
/// reader of models.
pub(super) fn is_own(name: &str, bytes: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Peek {
        drystone: Option<serde::de::IgnoredAny>,
        blocks: Option<serde::de::IgnoredAny>,
    }
    let is_json = name.to_lowercase().ends_with(".json");
    match serde_json::from_slice::<Peek>(bytes) {
        Ok(peek) => peek.drystone.is_some() || peek.blocks.is_some(),
        Err(_) => is_json,
    }
}
