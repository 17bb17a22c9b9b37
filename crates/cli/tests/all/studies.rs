//! `drystone study` as a program: resumed after kills, in parts, refused, and its study files.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use drystone::study::{BUILD, Plan, Store};
use serde_json::Value;

use crate::common::{drystone, failure, folder, json};

/// A slender block under impulses: with half-periods of 0.1 and 0.4 s some bring it down and some do not.
const STUDY: &str = "
model = { recipe = \"block\", parameters = { width = 0.3, height = 1.2 } }
[simulation]
dt = 0.005
after = 1.0
[failure_domain]
direction = \"x\"
half_periods = [0.1, 0.2, 0.4]
amplitudes_g = [0.2, 0.4, 0.6, 0.8]
";

/// All that must not depend on who performed the runs, and when.
fn tables(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                fs::read(&path).unwrap(),
            )
        })
        .filter(|(name, _)| {
            !name.starts_with("study.sqlite") && !["timings.csv", "report.html"].contains(&name.as_str())
        })
        .map(|(name, bytes)| match name.as_str() {
            "summary.json" => {
                let mut summary: Value = serde_json::from_slice(&bytes).unwrap();
                for time in ["wall_s", "computing_s"] {
                    assert!(summary.as_object_mut().unwrap().remove(time).is_some());
                }
                (name, summary.to_string().into_bytes())
            }
            _ => (name, bytes),
        })
        .collect();
    files.sort();
    files
}

fn rows(folder: &Path, name: &str) -> usize {
    fs::read_to_string(folder.join(name)).unwrap().lines().count() - 1
}

#[test]
fn a_study_that_is_killed_again_and_again_ends_as_if_it_had_not_been() {
    let place = folder();
    fs::write(place.path().join("study.toml"), STUDY).unwrap();
    let whole = json(place.path(), "study study.toml -o whole --threads 2");
    assert_eq!([&whole["runs"], &whole["done"], &whole["failed"]], [26, 26, 0]);
    // Impulses of both kinds, or the tables say little.
    let collapses = whole["result"]["domains"][0]["collapses"].as_u64().unwrap();
    assert!((1..24).contains(&collapses), "{collapses}");
    let mut kills = 0;
    for wait in [30, 70, 110, 160, 210, 90, 140, 250, 300, 180] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_drystone"))
            .args("study study.toml -o killed --threads 1 --quiet".split(' '))
            .current_dir(place.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        sleep(Duration::from_millis(wait));
        if child.try_wait().unwrap().is_none() {
            kills += 1;
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let resumed = json(place.path(), "study study.toml -o killed");
    assert_eq!(resumed["done"], 26, "after {kills} kills");
    assert_eq!(
        tables(&place.path().join("killed")),
        tables(&place.path().join("whole")),
        "after {kills} kills"
    );
    assert_eq!(rows(&place.path().join("killed"), "timings.csv"), 26);
}

#[test]
fn parts_that_are_merged_are_the_whole() {
    let place = folder();
    fs::write(place.path().join("study.toml"), STUDY).unwrap();
    json(place.path(), "study study.toml -o whole");
    let parts: Vec<u64> = (1..=2)
        .map(|k| {
            json(place.path(), &format!("study study.toml -o part{k} --shard {k}/2"))["done"]
                .as_u64()
                .unwrap()
        })
        .collect();
    assert_eq!(parts.iter().sum::<u64>(), 26, "{parts:?}");
    json(place.path(), "study study.toml -o all --merge part1 --merge part2");
    assert_eq!(tables(&place.path().join("all")), tables(&place.path().join("whole")));
}

/// Runs that another build did are mixed with those of this one and told, until they are done again.
#[test]
fn runs_of_another_build_are_done_again_when_asked() {
    let place = folder();
    fs::write(place.path().join("study.toml"), STUDY).unwrap();
    json(place.path(), "study study.toml -o whole");
    let plan = Plan::read(&place.path().join("study.toml")).unwrap();
    let known = Store::look(&place.path().join("whole")).unwrap().outcomes().unwrap();
    fs::create_dir(place.path().join("mixed")).unwrap();
    let mut store = Store::open(&place.path().join("mixed")).unwrap();
    for task in plan.tasks(&known).iter().take(3) {
        let mut outcome = known[&task.id].clone();
        // What it came to differs, as that of another build may.
        outcome.version = "0.0.9+0".to_string();
        outcome.result.insert("collapsed".to_string(), true.into());
        store.record(task, &outcome, "a").unwrap();
    }
    drop(store);
    let mixed = json(place.path(), "study study.toml -o mixed");
    assert_eq!(mixed["builds"], serde_json::json!({ "0.0.9+0": 3, BUILD: 23 }));
    let notes = mixed["notes"].to_string();
    assert!(
        notes.contains("0.0.9+0 did 3") && notes.contains("--redo-other-builds"),
        "{notes}"
    );
    assert_ne!(tables(&place.path().join("mixed")), tables(&place.path().join("whole")));
    let again = json(place.path(), "study study.toml -o mixed --redo-other-builds");
    assert_eq!(
        (&again["builds"], &again["notes"]),
        (&serde_json::json!({ BUILD: 26 }), &serde_json::json!([]))
    );
    assert_eq!(tables(&place.path().join("mixed")), tables(&place.path().join("whole")));
}

#[test]
fn a_changed_study_runs_only_what_changed() {
    let place = folder();
    let file = place.path().join("study.toml");
    fs::write(&file, STUDY).unwrap();
    json(place.path(), "study study.toml -o out");
    let timings = |folder: &Path| fs::read_to_string(folder.join("timings.csv")).unwrap();
    let out = place.path().join("out");
    let before = timings(&out);
    fs::write(&file, STUDY.replace("0.6, 0.8]", "0.6, 1.0]")).unwrap();
    let changed = json(place.path(), "study study.toml -o out");
    assert_eq!(changed["done"], 26);
    // A run that was kept has the time that it took then, to the last digit.
    let after = timings(&out);
    let kept = after.lines().skip(1).filter(|row| before.contains(row)).count();
    assert_eq!(kept, 26 - 6, "six impulses of 1 g are new");
}

#[test]
fn a_record_that_cannot_be_read_is_named_and_left_out_only_where_that_is_asked_for() {
    let place = folder();
    let records = place.path().join("records");
    fs::create_dir(&records).unwrap();
    let pulse: String = (0..40)
        .map(|k| format!("{} {}\n", 0.01 * f64::from(k), 0.1 * (0.3 * f64::from(k)).sin()))
        .collect();
    fs::write(records.join("good.txt"), pulse).unwrap();
    fs::write(records.join("broken.txt"), "0.0 0.1\n0.01 zero\n").unwrap();
    let study = "
model = { recipe = \"block\" }
[simulation]
dt = 0.005
after = 0.1
[fragility]
records = \"records\"
intensities = [0.1]
bootstrap = 0
";
    fs::write(place.path().join("study.toml"), study).unwrap();
    let told = failure(place.path(), "study study.toml -o out", 2);
    assert!(told.contains("broken.txt") && told.contains("skip_broken"), "{told}");
    assert!(
        !place.path().join("out").exists(),
        "nothing is left of a study that was refused"
    );
    fs::write(place.path().join("study.toml"), format!("{study}skip_broken = true\n")).unwrap();
    let summary = json(place.path(), "study study.toml -o out");
    assert_eq!(summary["runs"], 1);
    assert!(summary["notes"].to_string().contains("broken.txt"), "{summary}");
}

#[test]
fn study_files_to_start_from_are_study_files() {
    let place = folder();
    for kind in ["failure-domain", "fragility", "sweep", "assembly"] {
        let printed = drystone(place.path(), &format!("study --new {kind} arch"));
        assert!(printed.status.success(), "{kind}");
        let text = String::from_utf8(printed.stdout).unwrap();
        let study = drystone::study::Study::parse(&text, kind, place.path()).expect("it parses");
        assert_eq!(study.kind().name(), kind);
        drystone::study::Plan::new(study).expect("it can be planned");
    }
    let told = failure(place.path(), "study --new fragilty arch", 2);
    assert!(told.contains("failure-domain, fragility, sweep, assembly"), "{told}");
}

#[test]
fn the_studies_of_the_documentation_are_study_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/studies.md")).unwrap();
    let blocks: Vec<&str> = page
        .split("```toml\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    assert_eq!(blocks.len(), 3);
    for text in blocks {
        let study = drystone::study::Study::parse(text, "docs/studies.md", &root).expect("it parses");
        drystone::study::Plan::new(study).expect("it can be planned");
    }
    for entry in fs::read_dir(root.join("examples/studies")).unwrap() {
        let path = entry.unwrap().path();
        drystone::study::Study::read(&path).expect("it parses");
    }
}

#[test]
fn a_run_of_a_study_is_done_again_from_the_database_alone() {
    let place = folder();
    fs::write(place.path().join("study.toml"), STUDY).unwrap();
    json(place.path(), "study study.toml -o out");
    let table = fs::read_to_string(place.path().join("out/runs.csv")).unwrap();
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let place_of = |name: &str| names.iter().position(|n| *n == name).unwrap();
    let row = lines
        .find(|values| values[place_of("collapsed")] == "true")
        .expect("one collapses");
    let store = drystone::study::Store::look(&place.path().join("out")).unwrap();
    let (_, job) = store.find(&row[place_of("run")][..8]).unwrap();
    let (model, mut simulation, plan) = job.simulation(&store.shared().unwrap()).unwrap();
    let mut run = drystone::prelude::Run::new(&mut simulation, plan);
    let end = run.drive(&mut ()).unwrap();
    let summary = run.summary(&model, &drystone::prelude::Geometry::default(), end);
    assert_eq!(
        summary.max_displacement_m,
        row[place_of("max_displacement_m")].parse::<f64>().unwrap()
    );
    let told = failure(place.path(), "study out --run ffffffffffffffff -o run", 2);
    assert!(told.contains("no run's identity begins with"), "{told}");
}

/// Three drums whose later runs depend on what the earlier ones came to.
const SEARCH: &str = "
model = { recipe = \"column\", parameters = { drums = 3, sides = 6 } }
[simulation]
dt = 0.004
after = 0.5
[failure_domain]
direction = \"x\"
half_periods = [0.3, 0.5, 0.8]
amplitudes_g = [0.2, 0.4, 0.6, 0.8]
search = \"boundary\"
resolution_g = 0.1
";

/// Starts a study in the background.
fn start(folder: &Path, output: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_drystone"))
        .args(["study", "study.toml", "--quiet", "-o", output])
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// How many runs of a folder have ended.
fn ended(folder: &Path) -> usize {
    let progress = Store::look(folder).and_then(|store| store.progress());
    progress.map_or(0, |[_, ended]| ended)
}

#[test]
fn no_run_that_has_ended_is_lost_by_a_kill() {
    let place = folder();
    fs::write(place.path().join("study.toml"), SEARCH).unwrap();
    let out = place.path().join("killed");
    let mut before = 0;
    for least in [1, 4, 9] {
        let mut child = start(place.path(), "killed");
        let began = Instant::now();
        while ended(&out) < least && child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(60), "{least} runs never ended");
            sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let now = ended(&out);
        assert!(now >= before.max(least), "{now} runs are left of {before}");
        before = now;
    }
    let resumed = json(place.path(), "study study.toml -o killed");
    assert_eq!(resumed["complete"], true);
    assert_eq!(rows(&out, "runs.csv") as u64, resumed["runs"].as_u64().unwrap());
    json(place.path(), "study study.toml -o whole");
    assert_eq!(tables(&out), tables(&place.path().join("whole")));
}

#[test]
fn two_processes_do_not_work_in_one_folder() {
    let place = folder();
    fs::write(place.path().join("study.toml"), SEARCH.replace("0.004", "0.0002")).unwrap();
    let mut first = start(place.path(), "out");
    let began = Instant::now();
    while Store::look(&place.path().join("out")).is_err() {
        assert!(began.elapsed() < Duration::from_secs(60), "the study never began");
        sleep(Duration::from_millis(2));
    }
    let told = failure(place.path(), "study study.toml -o out", 1);
    assert!(told.contains("another process"), "{told}");
    assert!(first.try_wait().unwrap().is_none(), "the first goes on");
    first.kill().unwrap();
    first.wait().unwrap();
}

#[test]
fn what_is_refused_leaves_no_folder_behind() {
    let place = folder();
    let cases = [
        (SEARCH.replace("column", "colum"), ["`colum`", "`column`"]),
        (SEARCH.replace("0.004", "0"), ["simulation.dt", "above 0"]),
        (
            SEARCH.replace("after = 0.5", "tolerance = 2.0"),
            ["tolerance", "below 1"],
        ),
        (
            SEARCH.replace("resolution_g", "resolution"),
            ["study.toml:11:1", "`resolution`"],
        ),
        (String::new(), ["study.toml", "`model`"]),
    ];
    for (text, told) in cases {
        fs::write(place.path().join("study.toml"), text).unwrap();
        let said = failure(place.path(), "study study.toml -o out", 2);
        for part in told {
            assert!(said.contains(part), "`{part}` is not in: {said}");
        }
        assert!(!place.path().join("out").exists(), "{said}");
    }
    for arguments in [
        "study nowhere.toml -o out",
        "study . -o out",
        "study . --run abc -o out",
    ] {
        failure(place.path(), arguments, 2);
        assert!(!place.path().join("out").exists(), "{arguments}");
    }
}

#[test]
fn a_tilt_of_a_study_is_asked_again_with_its_loads() {
    let place = folder();
    json(place.path(), "new block --friction 0.2 -o block.json");
    let path = place.path().join("block.json");
    let mut model: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    model["load_cases"] = serde_json::json!({ "press": { "forces": [{ "block": "block", "force": [0, 0, -1e4] }] } });
    fs::write(&path, model.to_string()).unwrap();
    let study = "
model = \"block.json\"
[sweep]
analysis = { tilt = { axis = \"y\", method = \"cone\" } }
[[sweep.parameters]]
name = \"load:press\"
values = [0.0, 1.0, 2.0]
";
    fs::write(place.path().join("study.toml"), study).unwrap();
    let found = json(place.path(), "study study.toml -o out");
    let points = found["result"]["sweep"][0]["points"].as_array().unwrap();
    let angles: Vec<f64> = points
        .iter()
        .map(|p| p["critical_tilt_deg"].as_f64().unwrap())
        .collect();
    // The weight alone slides at atan(mu); what presses it on its board holds it longer.
    assert!((angles[0] - 0.2_f64.atan().to_degrees()).abs() < 0.01, "{angles:?}");
    assert!(angles[0] < angles[1] && angles[1] < angles[2], "{angles:?}");
    let run = points[2]["run"].as_str().unwrap();
    let left = json(place.path(), &format!("study out --run {run} -o again"));
    let command = left["command"].as_str().unwrap().strip_prefix("drystone ").unwrap();
    assert_eq!(
        json(place.path(), command)["critical_tilt_deg"],
        points[2]["critical_tilt_deg"]
    );
}

#[test]
fn a_check_of_a_study_is_left_as_a_model_with_its_question() {
    let place = folder();
    drystone(place.path(), "study --new sweep block -o sweep.toml");
    let found = json(place.path(), "study sweep.toml -o out");
    let point = &found["result"]["sweep"][0]["points"][3];
    let run = point["run"].as_str().unwrap();
    let left = json(place.path(), &format!("study out --run {run} -o again"));
    let command = left["command"].as_str().unwrap().strip_prefix("drystone ").unwrap();
    let answer = json(place.path(), command);
    assert_eq!(answer["bounds"][0], point["multiplier"]);
    // A block of 0.6 m by 2 m tips over at 0.3, whatever its friction is above that.
    assert!((answer["bounds"][0].as_f64().unwrap() - 0.3).abs() < 1e-9, "{answer}");
}
