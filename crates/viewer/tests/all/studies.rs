//! Studies: told while they fill, their runs simulated again as they were, and what of them is refused.

use std::{collections::BTreeSet, fs, path::Path};

use drystone_cone::Stop;
use drystone_model::{Motion, motion::record::RecordMotion};
use drystone_study::{Ask, DATABASE, Ground, Job, Outcomes, Plan, Store, Study, Task, perform, write_summary};
use serde_json::{Value, json};

use crate::common::{Page, get, server, token};

/// A block on the ground: two impulses each way, and its capacity.
const IMPULSES: &str = r#"
title = "Impulses"
model = { recipe = "block" }
[simulation]
dt = 0.01
after = 0.5
[failure_domain]
direction = "x"
half_periods = [0.2, 0.8]
amplitudes_g = [0.2, 0.9]
"#;

/// What keeps a study in a folder: its plan, its database and what is known.
struct Filling {
    plan: Plan,
    store: Store,
    known: Outcomes,
}

impl Filling {
    fn begin(folder: &Path, text: &str) -> Self {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("study.toml"), text).unwrap();
        let plan = Plan::new(Study::parse(text, "study.toml", folder).unwrap()).unwrap();
        let mut store = Store::open(folder).unwrap();
        let known = Outcomes::new();
        store.plan(&plan.tasks(&known)).unwrap();
        store.share(plan.shared()).unwrap();
        Self { plan, store, known }
    }

    fn tasks(&self) -> Vec<Task> {
        self.plan.tasks(&self.known)
    }

    fn fill(&mut self, task: &Task) {
        let outcome = perform(task, self.plan.shared(), &Stop::default()).unwrap();
        self.store.record(task, &outcome, "test").unwrap();
        self.known.insert(task.id.clone(), outcome);
    }

    fn sum_up(&self, folder: &Path) {
        write_summary(&self.plan, &self.known, 1.0, folder).unwrap();
    }
}

/// The next that is told of a study that is looked at.
fn state(page: &mut Page, id: u64) -> Value {
    loop {
        let text = page.text();
        if text["id"] == id {
            assert_eq!(text["answer"], "study_state", "{text}");
            return text["study"].clone();
        }
    }
}

fn names(rows: &Value, what: &str) -> Vec<String> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row[what].as_str().unwrap().to_string()).collect()
}

#[test]
fn a_study_is_told_again_whenever_more_of_it_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("all/impulses");
    let mut filling = Filling::begin(&place, IMPULSES);
    let server = server(Some(folder.path()));
    let mut page = Page::open(&server);
    let hello = page.ask(json!({ "ask": "hello" }));
    assert_eq!(hello["files"], json!([{ "path": "all/impulses", "kind": "study" }]));

    // Before any run has ended the structure is known from the study file.
    let (model, _) = page.ask_binary(json!({ "ask": "open", "path": "all/impulses" }));
    assert_eq!(
        (&model["name"], &model["study"]["path"]),
        (&json!("block"), &json!("all/impulses"))
    );
    let id = page.send(json!({ "ask": "study", "path": "all/impulses" }));
    let first = state(&mut page, id);
    assert_eq!((&first["runs"], &first["done"]), (&json!(10), &json!(0)));
    assert_eq!((&first["complete"], &first["charts"]), (&json!(false), &json!([])));

    let tasks = filling.tasks();
    // In another order than they are planned in.
    for task in tasks.iter().rev().take(3) {
        filling.fill(task);
    }
    filling.sum_up(&place);
    let mut next = state(&mut page, id);
    while next["done"] != 3 || next["title"] != "Impulses" {
        next = state(&mut page, id);
    }
    assert_eq!(next["complete"], false);
    let planned: Vec<&str> = tasks[7..].iter().map(|t| t.label.as_str()).collect();
    assert_eq!(names(&next["listed"], "label"), planned, "in the order of the plan");

    for task in &tasks[..7] {
        filling.fill(task);
    }
    filling.sum_up(&place);
    let mut last = state(&mut page, id);
    while last["complete"] != true {
        last = state(&mut page, id);
    }
    assert_eq!((&last["done"], &last["failed"]), (&json!(10), &json!(0)));
    assert_eq!(last["conclusions"].as_array().unwrap().len(), 1);
    let listed: BTreeSet<String> = names(&last["listed"], "run").into_iter().collect();
    let series = last["charts"][0]["series"].as_array().unwrap();
    let mut drawn = BTreeSet::new();
    for one in series {
        let runs = one["runs"].as_array().unwrap();
        assert!(runs.is_empty() || runs.len() == one["points"].as_array().unwrap().len());
        drawn.extend(runs.iter().map(|r| r.as_str().unwrap().to_string()));
    }
    assert_eq!(drawn.len(), 8, "a point for each impulse");
    assert!(drawn.is_subset(&listed));
    // A weak impulse does not overturn a block, which takes an acceleration of its width over its height.
    let of = |label: &str| {
        let rows = last["listed"].as_array().unwrap();
        rows.iter().find(|row| row["label"] == label).unwrap().clone()
    };
    assert_eq!(of("+0.2000 g for 0.2000 s")["falls"], false);
    let blocks = model["blocks"].as_array().unwrap();
    let free = blocks.iter().find(|block| block["fixed"] == false).unwrap();
    let slender = free["size"][0].as_f64().unwrap() / free["size"][2].as_f64().unwrap();
    assert_eq!(of("capacity +")["says"], format!("capacity {slender:.4} g"));

    page.send_raw(tungstenite::Message::text(
        json!({ "ask": "stop", "which": id }).to_string(),
    ));
    let ended = page.text();
    assert_eq!(
        (&ended["id"], &ended["answer"], &ended["ended"]),
        (&json!(id), &json!("study"), &json!("stopped"))
    );
}

#[test]
fn looking_at_another_study_ends_looking_at_the_first() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["one", "two"] {
        Filling::begin(&folder.path().join(name), IMPULSES);
    }
    let server = server(Some(folder.path()));
    let mut page = Page::open(&server);
    let one = page.send(json!({ "ask": "study", "path": "one" }));
    assert_eq!(state(&mut page, one)["path"], "one");
    let two = page.send(json!({ "ask": "study", "path": "two" }));
    let (mut ended, mut told) = (false, false);
    while !(ended && told) {
        let text = page.text();
        ended |= text["id"] == one && text["ended"] == "stopped";
        told |= text["id"] == two && text["study"]["path"] == "two";
    }
}

#[test]
fn a_run_comes_out_again_as_it_did_frame_by_frame() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("impulses");
    let mut filling = Filling::begin(&place, IMPULSES);
    for task in filling.tasks() {
        filling.fill(&task);
    }
    let server = server(Some(&place));
    let mut page = Page::open(&server);
    assert_eq!(page.ask(json!({ "ask": "hello" }))["opened"], "impulses");
    let (model, _) = page.ask_binary(json!({ "ask": "open", "path": "impulses" }));
    for task in filling.tasks() {
        let details = page.ask(json!({ "ask": "study_run", "path": "impulses", "run": task.id }));
        assert_eq!(
            (&details["label"], &details["failed"]),
            (&json!(task.label), &json!(false))
        );
        assert_eq!(
            details["structure"], model["study"]["structure"],
            "all are of one structure"
        );
        let outcome = &filling.known[&task.id];
        let again = json!({ "ask": "rerun", "path": "impulses", "run": task.id, "frames_per_s": 50 });
        if details["asks"] == "limit" {
            assert_eq!(details["result"]["multiplier"], outcome.result["multiplier"]);
            assert!(page.refusal(again).contains("no time history"));
            continue;
        }
        assert_eq!(details["asks"], "simulate");
        let id = page.send(again);
        let started = page.text();
        assert_eq!(
            (&started["id"], &started["answer"]),
            (&json!(id), &json!("started")),
            "{started}"
        );
        let (mut frames, mut time) = (0, 0.0);
        let ended = loop {
            match page.read() {
                tungstenite::Message::Text(text) => break serde_json::from_str::<Value>(&text).unwrap(),
                tungstenite::Message::Binary(_) => frames += 1,
                _ => {}
            }
            time += 0.02;
        };
        assert_eq!(
            (&ended["answer"], &ended["ended"]),
            (&json!("simulate"), &json!("finished"))
        );
        // Other frames, the same bits.
        for field in [
            "max_displacement_m",
            "collapsed",
            "steps",
            "energy_balance_error",
            "worst_residual",
        ] {
            assert_eq!(ended[field], outcome.result[field], "{}: {field}", task.label);
        }
        let simulated = outcome.number("simulated_s").unwrap();
        assert!(
            frames > 10 && (time - simulated).abs() < 0.1,
            "{frames} frames for {simulated} s"
        );
        // The run can be taken along as any other.
        let table = page.ask(json!({ "ask": "export", "what": "csv", "which": id }));
        let path = format!("/export/{}?token={}", table["name"].as_str().unwrap(), token(&server));
        let (status, text) = get(&server, &path);
        let rows = text
            .lines()
            .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
        assert_eq!((status, rows.count()), (200, frames), "a row for each frame: {text}");
    }

    // Frames are of the blocks on screen, or they are not sent.
    let run = &filling.tasks().last().unwrap().id.clone();
    page.build("stack", json!({}));
    let again = json!({ "ask": "rerun", "path": "impulses", "run": run });
    assert!(page.refusal(again.clone()).contains("not the one on screen"));
    let (back, _) = page.ask_binary(json!({ "ask": "open", "study": "impulses", "run": run }));
    assert_eq!(back["study"], model["study"]);
    let id = page.send(again);
    let started = std::iter::repeat_with(|| page.text()).find(|text| text["id"] == id);
    assert_eq!(started.unwrap()["answer"], "started");
}

#[test]
fn each_run_has_its_own_structure() {
    const SWEEP: &str = r#"
model = { recipe = "stack", parameters = { blocks = 3 } }
[sweep]
analysis = { check = { method = "cra" } }
[[sweep.parameters]]
name = "friction"
values = [0.3, 0.6]
[[sweep.parameters]]
name = "missing"
values = [[], ["block-3"]]
"#;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("sweep");
    let mut filling = Filling::begin(&place, SWEEP);
    for task in filling.tasks() {
        filling.fill(&task);
    }
    let server = server(Some(folder.path()));
    let mut page = Page::open(&server);
    let (whole, _) = page.ask_binary(json!({ "ask": "open", "path": "sweep" }));
    let blocks = |model: &Value| model["blocks"].as_array().unwrap().len();
    let mut keys = BTreeSet::new();
    for task in filling.tasks() {
        let details = page.ask(json!({ "ask": "study_run", "path": "sweep", "run": task.id }));
        assert_eq!((&details["asks"], &details["method"]), (&json!("check"), &json!("cra")));
        let (model, _) = page.ask_binary(json!({ "ask": "open", "study": "sweep", "run": task.id }));
        assert_eq!(model["study"]["structure"], details["structure"]);
        assert_eq!(model["friction"], task.parameters["friction"]);
        let missing = task.parameters["missing"].as_array().unwrap().len();
        assert_eq!(blocks(&model), blocks(&whole) - missing);
        let checked = page.ask_binary(json!({ "ask": "check", "method": "cra" })).0;
        assert_eq!(checked["verdict"], filling.known[&task.id].result["verdict"]);
        keys.insert(details["structure"].as_str().unwrap().to_string());
    }
    assert_eq!(keys.len(), 4);
}

#[test]
fn what_is_no_study_and_what_leads_out_of_the_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let opened = folder.path().join("opened");
    let place = opened.join("impulses");
    let mut filling = Filling::begin(&place, IMPULSES);
    let capacity = filling.tasks().remove(0);
    filling.fill(&capacity);
    fs::create_dir_all(opened.join("empty")).unwrap();
    fs::create_dir_all(opened.join("damaged")).unwrap();
    fs::write(opened.join("damaged").join(DATABASE), "no database").unwrap();
    Filling::begin(&folder.path().join("outside"), IMPULSES);
    fs::write(folder.path().join("quake.csv"), "0,0\n0.1,1\n0.2,0\n").unwrap();

    // A run that reads a record from elsewhere.
    let mut task = filling.tasks().remove(1);
    let Ask::Simulate { grounds, .. } = &mut task.job.ask else {
        panic!("{task:?}")
    };
    let record = |path: &Path| Ground::Motion(Motion::Record(RecordMotion::new(path.display().to_string())));
    *grounds = vec![record(&folder.path().join("quake.csv"))];
    let stolen = Task::new("", "stolen", 1.0, task.parameters.clone(), task.job.clone());
    filling.fill(&stolen);
    let mut inside = task.job.clone();
    fs::copy(folder.path().join("quake.csv"), opened.join("quake.csv")).unwrap();
    if let Ask::Simulate { grounds, .. } = &mut inside.ask {
        *grounds = vec![record(&opened.join("quake.csv"))];
    }
    let own = Task::new("", "own", 1.0, task.parameters.clone(), inside);
    filling.fill(&own);
    // One that would take for ever.
    let mut endless: Job = task.job.clone();
    if let Ask::Simulate { duration, grounds, .. } = &mut endless.ask {
        *duration = 1e9;
        grounds.clear();
    }
    let endless = Task::new("", "endless", 1.0, task.parameters, endless);
    let outcome = filling.known[&own.id].clone();
    filling.store.record(&endless, &outcome, "test").unwrap();

    let server = server(Some(&opened));
    let mut page = Page::open(&server);
    for (path, says) in [
        ("empty", "without a study"),
        ("nowhere", "nowhere"),
        ("../outside", "no path in the opened folder"),
        ("/etc", "no path in the opened folder"),
        ("damaged", "damaged/study.sqlite"),
    ] {
        for ask in ["study", "study_run", "rerun"] {
            let told = page.refusal(json!({ "ask": ask, "path": path, "run": capacity.id }));
            assert!(told.contains(says), "{ask} {path}: {told}");
            assert!(!told.contains(&opened.display().to_string()), "{told}");
        }
        let told = page.refusal(json!({ "ask": "open", "study": path, "run": capacity.id }));
        assert!(told.contains(says), "{path}: {told}");
    }
    assert!(
        page.refusal(json!({ "ask": "open", "path": "empty" }))
            .contains("without a run or a study")
    );
    for run in ["", "0a1b", "' OR 1=1 --"] {
        let told = page.refusal(json!({ "ask": "study_run", "path": "impulses", "run": run }));
        assert!(told.contains("has no run"), "{told}");
    }
    page.ask_binary(json!({ "ask": "open", "path": "impulses" }));
    let rerun = |run: &str| json!({ "ask": "rerun", "path": "impulses", "run": run });
    let told = page.refusal(rerun(&stolen.id));
    assert!(told.contains("leads out of the opened folder"), "{told}");
    assert!(page.refusal(rerun(&endless.id)).contains("duration"));
    let mut often = rerun(&own.id);
    often["frames_per_s"] = json!(1e6);
    assert!(page.refusal(often).contains("frames a second"));
    let id = page.send(rerun(&own.id));
    assert_eq!((page.text()["answer"].clone(), id > 0), (json!("started"), true));

    #[cfg(unix)]
    {
        fs::create_dir_all(opened.join("linked")).unwrap();
        std::os::unix::fs::symlink(
            folder.path().join("outside").join(DATABASE),
            opened.join("linked").join(DATABASE),
        )
        .unwrap();
        let mut page = Page::open(&server);
        let told = page.refusal(json!({ "ask": "study", "path": "linked" }));
        assert!(told.contains("leads out of the opened folder"), "{told}");
    }
}
