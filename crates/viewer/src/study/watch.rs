//! Looks at a study while a page does, and tells the page whenever there is more of it.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};

use drystone_study::{DATABASE, SUMMARY};
use serde_json::json;

use super::{Place, told::Told};
use crate::{
    desk::Watch,
    outbox::{Gone, Outbox},
    protocol::Refusal,
    server::Shared,
    session::{Done, Session},
};

/// Time between two looks.
const EVERY: Duration = Duration::from_secs(1);
/// Looks in a row that may fail: a folder may be copied, or tidied up, this moment.
const MOST_FAILURES: u32 = 5;

/// Tells what a study comes to, and from then on whenever that changes, until it is stopped.
pub(crate) fn watch(session: &mut Session, id: u64, path: String) -> Done {
    Place::of(session.folder()?, &path)?.store()?;
    let watcher = Watcher {
        id,
        path,
        shared: Arc::clone(&session.shared),
        out: session.out.clone(),
        watch: session.desk.watch(id),
    };
    let thread = std::thread::Builder::new().name("drystone-study".into());
    // An error in telling is a page that has gone: there is nobody to tell.
    thread.spawn(move || drop(watcher.work())).map_err(Refusal::new)?;
    Ok(())
}

struct Watcher {
    id: u64,
    path: String,
    shared: Arc<Shared>,
    out: Outbox,
    watch: Arc<Watch>,
}

/// When files were changed, and how large they are.
type Stamps = Vec<Option<(SystemTime, u64)>>;

impl Watcher {
    fn work(&self) -> Result<(), Gone> {
        let mut told = Told::default();
        let (mut seen, mut failures) = (None, 0);
        loop {
            match self.look(&mut told, &mut seen) {
                Ok(Some(state)) => {
                    failures = 0;
                    self.out.answer(self.id, "study_state", json!({ "study": state }))?;
                }
                Ok(None) => {}
                Err(refusal) => {
                    failures += 1;
                    if failures == MOST_FAILURES {
                        return self.out.refuse(Some(self.id), &refusal);
                    }
                }
            }
            if !self.watch.wait(EVERY) {
                return self.out.answer(self.id, "study", json!({ "ended": "stopped" }));
            }
        }
    }

    /// The study, where it is not as it was seen last.
    fn look(&self, told: &mut Told, seen: &mut Option<Stamps>) -> Result<Option<serde_json::Value>, Refusal> {
        let folder = self.shared.folder.as_ref();
        let folder = folder.ok_or_else(|| Refusal::new("no folder is opened"))?;
        // Looked for each time: what lies there may have been replaced.
        let place = Place::of(folder, &self.path)?;
        let now = stamps(&[
            place.file(SUMMARY),
            place.file(DATABASE),
            place.file(&format!("{DATABASE}-wal")),
        ]);
        if seen.as_ref() == Some(&now) {
            return Ok(None);
        }
        let state = told.state(&place, &self.path)?;
        // As they were before it was read: what changed meanwhile is seen next time.
        *seen = Some(now);
        Ok(Some(state))
    }
}

fn stamps(files: &[PathBuf]) -> Stamps {
    let one = |path: &PathBuf| {
        let found = path.metadata().ok()?;
        Some((found.modified().ok()?, found.len()))
    };
    files.iter().map(one).collect()
}
