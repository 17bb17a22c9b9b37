//! Small studies, and what their folders hold.

use std::{collections::BTreeMap, fs, path::Path};

use drystone_analysis::Failure;
use drystone_cone::Stop;
use drystone_study::{
    EngineSettings, Outcome, Outcomes, Plan, Shard, Status, Store, Study, Summary, Worked, runs_table, summary, work,
    write_files,
};
use serde_json::{Map, Value};

/// A block of 0.5 m by 1.5 m that rocks and does not slide.
pub(crate) const BLOCK: &str =
    "model = { recipe = \"block\", parameters = { width = 0.5, depth = 0.5, height = 1.5, friction = 2.0 } }\n";
/// Time histories that end soon.
pub(crate) const SHORT: &str = "[simulation]\ndt = 0.01\nafter = 0.2\n";
/// Eight impulses of either direction, some of which bring the block down.
pub(crate) const DOMAIN: &str =
    "[failure_domain]\ndirection = \"x\"\nhalf_periods = [0.4, 0.8]\namplitudes_g = [0.2, 0.5, 0.8, 1.1]\n";

/// The study of a text, whose files are looked for in a folder.
pub(crate) fn study_in(text: &str, folder: &Path) -> Result<Plan, Failure> {
    Plan::new(Study::parse(text, "study.toml", folder)?)
}

/// The study of a text that names no files.
#[track_caller]
pub(crate) fn plan(text: &str) -> Plan {
    study_in(text, Path::new("")).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Performs what a folder does not know yet.
pub(crate) fn go_on(plan: &Plan, folder: &Path, settings: &EngineSettings) -> Worked {
    let mut store = Store::open(folder).expect("the folder can be written to");
    work(plan, &mut store, settings, |_| ()).expect("the runs can be recorded")
}

/// Writes the files of a study, and gives what it comes to.
pub(crate) fn write(plan: &Plan, folder: &Path) -> Summary {
    let store = Store::open(folder).expect("the folder has a study");
    write_files(plan, &store, 0.0, folder).expect("the files can be written")
}

/// Performs all of a study in a folder, and writes its files.
pub(crate) fn perform(plan: &Plan, folder: &Path) -> Summary {
    go_on(plan, folder, &EngineSettings::default());
    write(plan, folder)
}

/// What a study comes to.
pub(crate) fn found_by(plan: &Plan) -> Summary {
    let folder = tempfile::tempdir().expect("a temporary folder");
    go_on(plan, folder.path(), &EngineSettings::default());
    let outcomes = Store::look(folder.path()).and_then(|store| store.outcomes());
    summary(plan, &outcomes.expect("the runs are recorded"), 0.0)
}

/// What the study of a text comes to.
#[track_caller]
pub(crate) fn found(text: &str) -> Summary {
    found_by(&plan(text))
}

/// What a folder knows, without its files: the summary but for its times, and the table of runs.
pub(crate) fn told(plan: &Plan, folder: &Path) -> (Value, String) {
    let outcomes = Store::look(folder).and_then(|store| store.outcomes());
    let summary = summary(plan, &outcomes.expect("the runs are recorded"), 0.0);
    let mut json = serde_json::to_value(summary).expect("it is written");
    json["computing_s"] = Value::Null;
    (json, runs_table(folder).expect("the runs are recorded").csv())
}

/// Settings with a number of threads, and perhaps a part of the runs.
pub(crate) fn settings(threads: usize, shard: Option<&str>) -> EngineSettings {
    EngineSettings {
        threads: Some(threads),
        shard: shard.map(|text| text.parse::<Shard>().expect("a part")),
        stop: Stop::default(),
    }
}

/// All files of a folder that depend on the runs alone, by name.
pub(crate) fn tables(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("its entries can be read").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if name.starts_with("study.sqlite") || ["timings.csv", "report.html"].contains(&&*name) {
            continue;
        }
        let mut bytes = fs::read(&path).expect("it can be read");
        if name == "summary.json" {
            let mut json: Map<String, Value> = serde_json::from_slice(&bytes).expect("it is JSON");
            json.remove("wall_s");
            json.remove("computing_s");
            bytes = serde_json::to_vec(&json).expect("it is written");
        }
        files.insert(name, bytes);
    }
    files
}

/// An outcome with a result that was made up.
pub(crate) fn outcome(result: Value) -> Outcome {
    let Value::Object(result) = result else {
        panic!("a result is an object")
    };
    Outcome {
        status: Status::Done,
        result,
        error: None,
        residual: None,
        wall_s: 0.0,
        version: "0".into(),
    }
}

/// One that failed.
pub(crate) fn failed() -> Outcome {
    Outcome {
        status: Status::Failed,
        error: Some("made up".into()),
        ..outcome(serde_json::json!({}))
    }
}

/// Answers all runs of a plan from a function of what is asked, until none is new.
pub(crate) fn answer(plan: &Plan, answer: impl Fn(&drystone_study::Task) -> Outcome) -> Outcomes {
    let mut known = Outcomes::new();
    loop {
        let open: Vec<_> = plan.tasks(&known);
        let open: Vec<_> = open.into_iter().filter(|t| !known.contains_key(&t.id)).collect();
        if open.is_empty() {
            return known;
        }
        known.extend(open.iter().map(|task| (task.id.clone(), answer(task))));
    }
}
