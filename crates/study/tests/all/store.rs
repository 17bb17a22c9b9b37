//! The database of a study: a run is recorded once, and what is no database is told from one.

use std::{fs, path::Path};

use drystone_study::{BUILD, DATABASE, Outcome, Outcomes, Status, Store, Task, summary};
use serde_json::json;

use crate::support::{BLOCK, DOMAIN, SHORT, failed, go_on, outcome, plan, settings};

fn tasks() -> Vec<Task> {
    plan(&[BLOCK, SHORT, DOMAIN].concat()).tasks(&Outcomes::new())
}

/// A folder with a store that holds two runs, the second of which failed.
fn with_two() -> (tempfile::TempDir, Vec<Task>) {
    let folder = tempfile::tempdir().unwrap();
    let tasks = tasks();
    let mut store = Store::open(folder.path()).unwrap();
    store.plan(&tasks).unwrap();
    store
        .record(&tasks[0], &outcome(json!({ "collapsed": true, "x": 0.1 })), "a")
        .unwrap();
    store.record(&tasks[1], &failed(), "a").unwrap();
    (folder, tasks)
}

#[test]
fn a_run_is_recorded_once_and_comes_back_as_it_was() {
    let (folder, tasks) = with_two();
    let mut store = Store::open(folder.path()).unwrap();
    store
        .record(&tasks[0], &outcome(json!({ "collapsed": false })), "b")
        .unwrap();
    let known = store.outcomes().unwrap();
    assert_eq!(known.len(), 2);
    assert_eq!(known[&tasks[0].id], outcome(json!({ "collapsed": true, "x": 0.1 })));
    assert_eq!(known[&tasks[1].id].error.as_deref(), Some("made up"));
    assert_eq!(store.workers().unwrap()[&tasks[0].id], "a");
    assert_eq!(store.progress().unwrap(), [tasks.len(), 2]);
    assert_eq!(store.failed().unwrap(), 1);
    let ended = store.ended(10).unwrap();
    assert_eq!(
        ended,
        [
            (tasks[0].id.clone(), Status::Done),
            (tasks[1].id.clone(), Status::Failed)
        ]
    );
    let run = store.run(&tasks[0].id).unwrap().unwrap();
    assert_eq!(
        (&run.label, &run.job, &run.parameters),
        (&tasks[0].label, &tasks[0].job, &tasks[0].parameters)
    );
}

#[test]
fn a_run_is_found_by_the_start_of_its_identity() {
    let (folder, tasks) = with_two();
    let store = Store::look(folder.path()).unwrap();
    let (label, job) = store.find(&tasks[0].id[..10]).unwrap();
    assert_eq!((label, job), (tasks[0].label.clone(), tasks[0].job.clone()));
    assert!(store.find("").is_err(), "both begin with nothing");
    assert!(store.find("zzz").unwrap_err().to_string().contains("zzz"));
}

#[test]
fn failed_runs_are_forgotten_when_they_are_to_be_done_again() {
    let (folder, tasks) = with_two();
    let mut store = Store::open(folder.path()).unwrap();
    assert_eq!(store.forget_failed().unwrap(), 1);
    let known = store.outcomes().unwrap();
    assert!(known.contains_key(&tasks[0].id) && known.len() == 1);
}

/// A run that failed on one machine stayed failed when the folder of another, where it had ended well, was merged.
#[test]
fn merging_takes_what_is_new_and_what_failed_here_alone() {
    let (here, tasks) = with_two();
    let there = tempfile::tempdir().unwrap();
    let mut other = Store::open(there.path()).unwrap();
    other.record(&tasks[0], &failed(), "b").unwrap();
    other
        .record(&tasks[1], &outcome(json!({ "collapsed": false })), "b")
        .unwrap();
    other.record(&tasks[2], &failed(), "b").unwrap();
    drop(other);
    let mut store = Store::open(here.path()).unwrap();
    assert_eq!(store.merge(there.path()).unwrap(), 2);
    let known = store.outcomes().unwrap();
    let status = [0, 1, 2].map(|k: usize| known[&tasks[k].id].status);
    assert_eq!(status, [Status::Done, Status::Done, Status::Failed]);
    assert_eq!(store.merge(there.path()).unwrap(), 0);
    assert_eq!(store.merge(here.path()).unwrap(), 0, "a folder knows its own runs");
}

#[test]
fn what_is_no_study_is_not_merged_and_named() {
    let (here, _) = with_two();
    let mut store = Store::open(here.path()).unwrap();
    let nothing = tempfile::tempdir().unwrap();
    let mut said = |folder: &Path| store.merge(folder).expect_err("nothing to merge").to_string();
    let name = nothing.path().display().to_string();
    assert!(said(nothing.path()).contains(&name));
    for bytes in [vec![], b"hello".to_vec(), vec![0xa5; 40_000]] {
        fs::write(nothing.path().join(DATABASE), &bytes).unwrap();
        assert!(said(nothing.path()).contains(&name), "{} bytes", bytes.len());
    }
}

#[test]
fn a_damaged_database_is_refused_and_left_alone() {
    let (folder, _) = with_two();
    let path = folder.path().join(DATABASE);
    let whole = fs::read(&path).unwrap();
    for bytes in [vec![0x5a; 40_000], b"not a database".to_vec(), whole[..5000].to_vec()] {
        fs::write(&path, &bytes).unwrap();
        let failure = Store::open(folder.path())
            .and_then(|store| store.outcomes())
            .expect_err("damaged");
        let said = format!("{failure} {}", failure.remedy().unwrap_or_default());
        assert!(said.contains(DATABASE) && said.contains("damaged"), "{said}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn the_layout_of_another_version_is_refused() {
    let (folder, _) = with_two();
    let path = folder.path().join(DATABASE);
    let mut bytes = fs::read(&path).unwrap();
    // The user version of an SQLite file: a big-endian number at byte 60 of its header.
    assert_eq!(bytes[60..64], [0, 0, 0, 1]);
    bytes[63] = 7;
    fs::write(&path, &bytes).unwrap();
    for failure in [Store::open(folder.path()).err(), Store::look(folder.path()).err()] {
        let said = failure.expect("another layout").to_string();
        assert!(said.contains("number 7") && said.contains("knows 1"), "{said}");
    }
}

#[test]
fn looking_begins_no_study() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Store::look(folder.path()).is_err());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A connection that may only read leaves `-wal` and `-shm` beside the database, for good.
#[test]
fn looking_leaves_nothing_beside_the_database() {
    let (folder, tasks) = with_two();
    let names = || {
        let entries = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        entries.map(|name| name.into_string().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(Store::look(folder.path()).unwrap().outcomes().unwrap().len(), 2);
    assert_eq!(names(), [DATABASE]);
    // Also where somebody still looks when the one who writes has ended.
    let mut store = Store::open(folder.path()).unwrap();
    let look = Store::look(folder.path()).unwrap();
    store.record(&tasks[2], &outcome(json!({})), "a").unwrap();
    assert_eq!(look.outcomes().unwrap().len(), 3);
    drop(store);
    assert_eq!(look.outcomes().unwrap().len(), 3);
    drop(look);
    assert_eq!(names(), [DATABASE]);
    assert_eq!(Store::look(folder.path()).unwrap().outcomes().unwrap().len(), 3);
}

/// Runs of a program that was built anew were mixed with those of the one before without a word.
#[test]
fn runs_of_other_builds_are_told_and_done_again_when_asked() {
    let version = BUILD.split_once('+').expect("a version and a build").0;
    let (folder, tasks) = with_two();
    let plan = plan(&[BLOCK, SHORT, DOMAIN].concat());
    let mut store = Store::open(folder.path()).unwrap();
    let mixed = |store: &Store| {
        let summary = summary(&plan, &store.outcomes().unwrap(), 0.0);
        let note = summary.notes.iter().find(|note| note.contains("builds")).cloned();
        (summary.builds, note)
    };
    assert_eq!(mixed(&store), ([("0".to_string(), 2)].into(), None));
    let now = Outcome {
        version: BUILD.into(),
        ..outcome(json!({ "collapsed": true }))
    };
    let before = Outcome {
        version: format!("{version}+0"),
        ..now.clone()
    };
    store.forget_failed().unwrap();
    store.record(&tasks[1], &now, "a").unwrap();
    store.record(&tasks[2], &before, "a").unwrap();
    let (builds, note) = mixed(&store);
    let note = note.expect("it is told");
    assert_eq!(builds.into_values().collect::<Vec<_>>(), [1, 1, 1]);
    assert!(
        [&before.version, BUILD, "--redo-other-builds"]
            .iter()
            .all(|part| note.contains(*part)),
        "{note}"
    );
    assert_eq!(store.forget_other_builds().unwrap(), 2);
    assert_eq!(mixed(&store), ([(BUILD.to_string(), 1)].into(), None));
}

#[test]
fn a_build_is_a_version_with_the_hash_of_its_sources() {
    let (version, hash) = BUILD.split_once('+').expect("a version and a build");
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    assert!(
        hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()),
        "{hash}"
    );
    let plan = plan(&format!(
        "{BLOCK}[sweep]\nanalysis = {{ limit = {{ direction = \"x\" }} }}\n[[sweep.parameters]]\nname = \"friction\"\nvalues = [0.2, -1.0, 0.3]\n"
    ));
    let folder = tempfile::tempdir().unwrap();
    go_on(&plan, folder.path(), &settings(1, None));
    let known = Store::look(folder.path()).unwrap().outcomes().unwrap();
    assert!(
        known.len() == 3 && known.values().all(|outcome| outcome.version == BUILD),
        "{known:?}"
    );
}
