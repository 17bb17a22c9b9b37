//! A study goes on where it was stopped, on as many threads and machines as there are: its tables are the same, bit for bit.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use drystone_cone::Stop;
use drystone_study::{EngineSettings, Store, work};

use crate::support::{BLOCK, DOMAIN, SHORT, go_on, perform, plan, settings, tables, told, write};

/// Studies whose later runs depend on what earlier ones came to, and one whose runs do not.
const STUDIES: [&str; 4] = [
    "search = \"boundary\"\nresolution_g = 0.05\n",
    "FRAGILITY skip_decided = true\n",
    "FRAGILITY method = \"incremental\"\n",
    "[assembly]\n",
];

fn texts() -> Vec<String> {
    let mut texts = vec![[BLOCK, SHORT, DOMAIN].concat()];
    texts.extend(STUDIES.iter().map(|study| match study.strip_prefix("FRAGILITY ") {
        Some(rest) => format!(
            "{BLOCK}{SHORT}[fragility]\nsynthetic = {{ count = 3, motion = {{ duration = 3.0 }} }}\ndirection = \"x\"\n\
             intensities = [0.3, 0.6, 1.2]\nbootstrap = 50\n{rest}"
        ),
        None if study.starts_with('[') => {
            format!("model = {{ recipe = \"wall\", parameters = {{ length = 1.5, height = 0.75 }} }}\n{study}")
        }
        None => [BLOCK, SHORT, DOMAIN, study].concat(),
    }));
    texts
}

#[test]
fn threads_parts_and_stops_leave_no_trace_in_the_tables() {
    for text in texts() {
        let plan = plan(&text);
        let whole = tempfile::tempdir().unwrap();
        let runs = go_on(&plan, whole.path(), &settings(1, None)).performed;
        let expected = told(&plan, whole.path());
        assert_eq!(expected.0["complete"], true);
        assert!(expected.1.lines().count() > 3, "{}", expected.1);

        let threads = tempfile::tempdir().unwrap();
        go_on(&plan, threads.path(), &settings(3, None));
        assert_eq!(told(&plan, threads.path()), expected, "threads:\n{text}");

        let stopped = tempfile::tempdir().unwrap();
        let mut pieces = 0;
        loop {
            // Stopped after every third run.
            let ended = Arc::new(AtomicUsize::new(0));
            let asked = Arc::clone(&ended);
            let stop = Stop::when(move || asked.load(Relaxed) >= 3);
            let mut store = Store::open(stopped.path()).unwrap();
            let settings = EngineSettings {
                threads: Some(2),
                shard: None,
                stop,
            };
            let worked = work(&plan, &mut store, &settings, |progress| {
                ended.fetch_add(usize::from(progress.last.is_some()), Relaxed);
            });
            pieces += 1;
            if !worked.unwrap().is_stopped {
                break;
            }
        }
        assert!(pieces > 1, "it was never stopped");
        assert_eq!(told(&plan, stopped.path()), expected, "stops:\n{text}");

        let parts: Vec<tempfile::TempDir> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
        let mut performed = 0;
        for (k, part) in parts.iter().enumerate() {
            performed += go_on(&plan, part.path(), &settings(1, Some(&format!("{}/3", k + 1)))).performed;
        }
        let merged = tempfile::tempdir().unwrap();
        let mut store = Store::open(merged.path()).unwrap();
        for part in &parts {
            store.merge(part.path()).unwrap();
        }
        drop(store);
        assert_eq!(
            go_on(&plan, merged.path(), &settings(1, None)).performed,
            0,
            "parts:\n{text}"
        );
        assert_eq!(performed, runs, "parts:\n{text}");
        assert_eq!(told(&plan, merged.path()), expected, "parts:\n{text}");
    }
}

#[test]
fn a_changed_study_does_only_what_is_new() {
    let text = [BLOCK, SHORT, DOMAIN].concat();
    let folder = tempfile::tempdir().unwrap();
    let performed = |text: &str| go_on(&plan(text), folder.path(), &EngineSettings::default()).performed;
    assert_eq!(performed(&text), 18);
    assert_eq!(performed(&text), 0);
    assert_eq!(performed(&text.replace("1.1]", "1.1, 1.4]")), 4);
    assert_eq!(performed(&text.replace("0.8, 1.1]", "0.8]")), 0);
    // All of them, and the capacities.
    assert_eq!(performed(&text.replace("friction = 2.0", "friction = 0.4")), 18);
    assert_eq!(performed(&text), 0);
    // Charts, tables and their summary, byte for byte.
    write(&plan(&text), folder.path());
    let fresh = tempfile::tempdir().unwrap();
    perform(&plan(&text), fresh.path());
    let (found, expected) = (tables(folder.path()), tables(fresh.path()));
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    assert!(found == expected && found.contains_key("failure-domain.png"));
    assert_eq!(found["runs.csv"], told(&plan(&text), folder.path()).1.as_bytes());
}

/// Charts of what the folder was used for before stayed in it, beside a report that does not know them.
#[test]
fn charts_of_an_earlier_study_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    let text = [BLOCK, SHORT, DOMAIN].concat();
    let two = text.replace(
        "[simulation]",
        "[[variants]]\nname = \"a\"\n[[variants]]\nname = \"b\"\n[simulation]",
    );
    perform(&plan(&two), folder.path());
    let is_there = |name: &str| folder.path().join(name).exists();
    assert!(is_there("failure-domains.svg") && is_there("failure-domain-2.png"));
    fs::write(folder.path().join("notes.svg"), "mine").unwrap();
    perform(&plan(&text), folder.path());
    assert!(is_there("failure-domain.svg") && is_there("notes.svg"));
    assert!(!is_there("failure-domains.svg") && !is_there("failure-domain-2.png") && !is_there("failure-domain-1.csv"));
}

#[test]
fn runs_that_fail_are_told_and_done_again_when_asked() {
    let text = format!(
        "{BLOCK}[sweep]\nanalysis = {{ limit = {{ direction = \"x\" }} }}\n[[sweep.parameters]]\nname = \"friction\"\n\
         values = [0.2, -0.4, 0.3]\n"
    );
    let plan = plan(&text);
    let folder = tempfile::tempdir().unwrap();
    let found = perform(&plan, folder.path());
    assert!(
        (found.runs, found.done, found.failed, found.complete) == (3, 3, 1, true),
        "{found:?}"
    );
    assert!(found.notes.concat().contains("1 of 3 runs failed"), "{:?}", found.notes);
    let csv = fs::read_to_string(folder.path().join("runs.csv")).unwrap();
    assert!(csv.contains("it must be 0 or above"), "{csv}");
    assert_eq!(go_on(&plan, folder.path(), &settings(1, None)).performed, 0);
    Store::open(folder.path()).unwrap().forget_failed().unwrap();
    assert_eq!(go_on(&plan, folder.path(), &settings(1, None)).performed, 1);
}

/// Names of parameters and blocks have commas, and shifted the columns of the table.
#[test]
fn tables_can_be_read_where_names_have_commas() {
    let text = format!(
        "{BLOCK}[sweep]\nanalysis = {{ limit = {{ direction = \"x\" }} }}\n[[sweep.parameters]]\nname = \"tilt:0,1,0\"\n\
         values = [0.0, 5.0]\n[[sweep.parameters]]\nname = \"friction\"\nvalues = [0.1]\n"
    );
    let folder = tempfile::tempdir().unwrap();
    perform(&plan(&text), folder.path());
    let rows = csv(&folder.path().join("runs.csv"));
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{rows:?}");
    let column = rows[0]
        .iter()
        .position(|name| name == "tilt:0,1,0")
        .expect("the parameter");
    assert_eq!(
        [&rows[1][column], &rows[2][column]].map(|cell| cell.parse::<f64>()),
        [Ok(0.0), Ok(5.0)]
    );
    assert_eq!(rows[1][1], "tilt:0,1,0 0, friction 0.1000");
}

/// Comma-separated text, as RFC 4180 has it.
fn csv(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap();
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            letter => cell.push(letter),
        }
    }
    rows
}
