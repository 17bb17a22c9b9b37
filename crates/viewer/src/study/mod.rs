//! Studies of the opened folder: what is told of them while they fill, and their runs, one by one.
//!
//! Files of a study come from anywhere, as models do: nothing they name outside the opened folder is read.

mod again;
mod run;
mod told;
mod watch;

use std::path::{Path, PathBuf};

use drystone_analysis::Failure;
use drystone_model::{Model, Motion, file, recipes};
use drystone_study::{
    Ask, DATABASE, Ground, Job, ModelSpec, RecordedRun, STUDY, SUMMARY, Shared, Source, Store, Study,
};

use crate::{protocol::Refusal, security::Folder};
pub(crate) use again::rerun;
pub(crate) use run::tell_run;
pub(crate) use watch::watch;

/// Largest database that is opened (bytes).
const DATABASE_BYTES: u64 = 1 << 30;
/// Largest study file (bytes).
const STUDY_BYTES: u64 = 1 << 20;

/// Whether a folder holds a study.
pub(crate) fn is_study(path: &Path) -> bool {
    path.join(DATABASE).is_file()
}

/// A study of the opened folder.
pub(crate) struct Place<'a> {
    folder: &'a Folder,
    place: PathBuf,
}

impl<'a> Place<'a> {
    /// The study at a path from the opened folder on.
    pub(crate) fn of(folder: &'a Folder, path: &str) -> Result<Self, Refusal> {
        let place = folder.existing(path)?;
        if !is_study(&place) {
            let what = format!("`{path}` is a folder without a study");
            return Err(Refusal::new(what).help(format!("a study's folder has a file `{DATABASE}`")));
        }
        // Links within it must not lead out of the opened folder.
        let beside = ["-wal", "-shm"].map(|ending| format!("{DATABASE}{ending}"));
        for name in [DATABASE, SUMMARY, STUDY]
            .into_iter()
            .chain(beside.iter().map(String::as_str))
        {
            if place
                .join(name)
                .symlink_metadata()
                .is_ok_and(|found| found.is_symlink())
            {
                folder.existing(&format!("{path}/{name}"))?;
            }
        }
        let bytes = place.join(DATABASE).metadata().map_or(0, |found| found.len());
        if bytes > DATABASE_BYTES {
            let what = format!(
                "`{path}/{DATABASE}` has {} MiB; at most {} MiB are opened here",
                bytes >> 20,
                DATABASE_BYTES >> 20
            );
            return Err(Refusal::new(what).help("its report.html tells what it came to"));
        }
        Ok(Self { folder, place })
    }

    /// One of its files.
    fn file(&self, name: &str) -> PathBuf {
        self.place.join(name)
    }

    fn store(&self) -> Result<Store, Refusal> {
        Store::look(&self.place).map_err(|failure| self.said(&failure))
    }

    /// A failure of the study, with paths as the page knows them.
    fn said(&self, failure: &Failure) -> Refusal {
        let root = format!("{}{}", self.folder.root().display(), std::path::MAIN_SEPARATOR);
        Refusal {
            error: failure.message().replace(&root, ""),
            help: failure.remedy().map(str::to_string),
        }
    }

    /// A run and what runs share.
    fn run(&self, id: &str) -> Result<(RecordedRun, Shared), Refusal> {
        let store = self.store()?;
        let found = store.run(id).map_err(|failure| self.said(&failure))?;
        let run = found.ok_or_else(|| Refusal::new(format!("the study has no run `{id}`")))?;
        let shared = store.shared().map_err(|failure| self.said(&failure))?;
        Ok((run, shared))
    }

    /// The structure that is studied, as it stands, and which one that is. That of the first run tells; before any has ended, the
    /// study file and what runs share do.
    pub(crate) fn structure(&self) -> Result<(Model, String), Refusal> {
        let store = self.store()?;
        let said = |failure: Failure| self.said(&failure);
        let shared = store.shared().map_err(said)?;
        if let Some((id, _)) = store.ended(1).map_err(said)?.first()
            && let Some(run) = store.run(id).map_err(said)?
        {
            let job = Job {
                // Without what is different in that run alone.
                model: ModelSpec::new(run.job.model.base.clone(), run.job.model.changes.clone()),
                loads: Vec::new(),
                tilt: None,
                ask: run.job.ask.clone(),
            };
            return Ok((shown(job.structure(&shared).map_err(said)?), key(&job)));
        }
        let model = self.planned(&shared).ok_or_else(|| {
            Refusal::new("the study has no run yet, and its structure is not known").help("open it again later")
        })?;
        Ok((shown(model), String::new()))
    }

    fn planned(&self, shared: &Shared) -> Option<Model> {
        let bytes = file::file_bytes(&self.file(STUDY), STUDY_BYTES, file::Pipes::Refused).ok()?;
        let study = Study::parse(&String::from_utf8(bytes).ok()?, STUDY, Path::new("")).ok()?;
        let model = match &study.model {
            Source::Recipe(recipe) => {
                recipes::find(&recipe.recipe).ok()?;
                recipe.build().ok()?
            }
            Source::File(_) => {
                let texts = shared.values();
                texts
                    .filter_map(|text| file::parse(text.as_bytes(), "the model").ok())
                    .next()?
            }
        };
        study.changes.changes().apply(&model).ok()
    }
}

/// A structure as it is shown: with the settings by which its joints are found.
pub(crate) fn shown(mut model: Model) -> Model {
    model.joint_search = drystone_contact::choose(&model).search;
    model
}

/// Tells structures of runs apart.
pub(crate) fn key(job: &Job) -> String {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    serde_json::to_string(&(&job.model, &job.loads, &job.tilt))
        .unwrap_or_default()
        .hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// The structure of a run, and which one that is.
pub(crate) fn structure_of(folder: &Folder, path: &str, id: &str) -> Result<(Model, String), Refusal> {
    let place = Place::of(folder, path)?;
    let (run, shared) = place.run(id)?;
    let model = run.job.structure(&shared).map_err(|failure| place.said(&failure))?;
    Ok((shown(model), key(&run.job)))
}

/// Refuses a run that reads records from outside the opened folder: studies come from anywhere.
fn contain(folder: &Folder, job: &Job, model: &Model) -> Result<(), Refusal> {
    let Ask::Simulate { grounds, .. } = &job.ask else {
        return Ok(());
    };
    let own = grounds.iter().filter_map(|ground| match ground {
        Ground::Motion(motion) => Some(motion),
        Ground::Record { .. } => None,
    });
    let used = model
        .support_motions
        .iter()
        .filter_map(|s| model.motions.get(&s.motion));
    own.chain(used).try_for_each(|motion| contain_motion(folder, motion))
}

fn contain_motion(folder: &Folder, motion: &Motion) -> Result<(), Refusal> {
    match motion {
        Motion::Record(record) => folder.holds(Path::new(&record.path)).map_err(|refusal| {
            refusal.help("`drystone study FOLDER --run ID -o DIR` simulates this run; open what it leaves")
        }),
        Motion::Rotation(rotation) => contain_motion(folder, &rotation.motion),
        Motion::Sum(parts) => parts.iter().try_for_each(|part| contain_motion(folder, part)),
        _ => Ok(()),
    }
}
