//! Which runs a study takes, and when two runs are the same one.

use std::{collections::BTreeSet, fs, path::Path};

use drystone_model::recipes;
use drystone_study::{Kind, Mark, Named, Outcomes, Plan, Task, summary, template};
use serde_json::json;

use crate::support::{BLOCK, DOMAIN, SHORT, answer, failed, outcome, plan, study_in};

fn ids(plan: &Plan) -> BTreeSet<String> {
    plan.tasks(&Outcomes::new()).into_iter().map(|task| task.id).collect()
}

#[test]
fn every_template_is_a_study() {
    let block = recipes::find("block")
        .unwrap()
        .build(&Vec::<(String, String)>::new())
        .unwrap();
    for kind in Kind::ALL {
        let text = template(kind, Named::Recipe("block"), &block);
        let plan = plan(&text);
        assert_eq!(plan.study().kind(), kind);
        assert!(!ids(&plan).is_empty(), "{}", kind.name());
    }
}

#[test]
fn only_what_a_result_depends_on_makes_another_run() {
    let text = [BLOCK, SHORT, DOMAIN].concat();
    let before = ids(&plan(&text));
    // Two half-periods, four amplitudes, two directions; a capacity for each direction.
    assert_eq!(before.len(), 2 * 4 * 2 + 2);
    let after = |old: &str, new: &str| ids(&plan(&text.replacen(old, new, 1)));
    assert_eq!(after("model", "title = \"another\"\nmodel"), before);
    let more = after("1.1]", "1.1, 1.4]");
    assert!(more.is_superset(&before) && more.len() == before.len() + 4);
    let fewer = after("0.8, 1.1]", "0.8]");
    assert!(fewer.is_subset(&before) && fewer.len() == before.len() - 4);
    assert!(after("friction = 2.0", "friction = 1.0").is_disjoint(&before));
    // Capacities know nothing of time steps.
    assert_eq!(after("dt = 0.01", "dt = 0.005").intersection(&before).count(), 2);
}

/// A ramp of accelerations up and down, and what makes it another record.
fn record(folder: &Path, name: &str, peak: f64) {
    let rows = (0..=40).map(|k| {
        format!(
            "{},{}\n",
            0.02 * f64::from(k),
            peak * (1.0 - f64::from((k - 20_i32).abs()) / 20.0)
        )
    });
    fs::write(folder.join(name), format!("t,a\n{}", rows.collect::<String>())).unwrap();
}

fn fragility(records: &str) -> String {
    format!("{BLOCK}{SHORT}[fragility]\nrecords = {records}\nintensities = [0.2, 0.4]\n")
}

/// Records were told apart by the path that they were read by: the same study from another working folder, or on another
/// machine, did all of its runs again, and one record under two names was not noticed.
#[test]
fn a_record_is_the_same_from_wherever_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("records");
    fs::create_dir(&records).unwrap();
    record(&records, "one.csv", 1.0);
    record(&records, "two.csv", 3.0);
    let by_folder = study_in(&fragility("\"records\""), folder.path()).unwrap();
    let elsewhere = study_in(&fragility(&format!("{:?}", records.to_str().unwrap())), Path::new("/")).unwrap();
    let listed = study_in(&fragility("[\"records/one.csv\", \"records/two.csv\"]"), folder.path()).unwrap();
    assert_eq!(ids(&by_folder).len(), 4);
    assert_eq!(ids(&by_folder), ids(&elsewhere));
    assert_eq!(ids(&by_folder), ids(&listed));
    assert_eq!(by_folder.shared(), elsewhere.shared());
}

#[test]
fn one_motion_under_two_names_is_told() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), "one.csv", 1.0);
    record(folder.path(), "again.csv", 1.0);
    record(folder.path(), "two.csv", 2.0);
    let plan = study_in(&fragility("\".\""), folder.path()).unwrap();
    let told: Vec<&String> = plan
        .notes()
        .iter()
        .filter(|note| note.contains("same ground motion"))
        .collect();
    assert!(
        matches!(&told[..], [note] if note.contains("`one.csv`") && note.contains("`again.csv`")),
        "{told:?}"
    );
}

#[test]
fn a_broken_record_is_refused_unless_the_study_leaves_it_out() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), "one.csv", 1.0);
    fs::write(folder.path().join("broken.csv"), "t,a\n0,1\n0.01,abc\n").unwrap();
    let text = fragility("\".\"");
    let failure = study_in(&text, folder.path()).err().expect("a record cannot be read");
    let said = format!("{failure} {}", failure.remedy().unwrap_or_default());
    assert!(
        said.contains("broken.csv:3") && said.contains("`abc`") && said.contains("skip_broken"),
        "{said}"
    );
    let plan = study_in(&(text + "skip_broken = true\n"), folder.path()).unwrap();
    assert_eq!(ids(&plan).len(), 2);
    let notes = plan.notes().concat();
    assert!(notes.contains("broken.csv:3") && notes.contains("left out"), "{notes}");
    let empty = tempfile::tempdir().unwrap();
    for records in ["\".\"", "\"nowhere\"", "[]", "[\"nowhere.csv\"]"] {
        assert!(study_in(&fragility(records), empty.path()).is_err(), "{records}");
    }
}

/// Impulses of a few milliseconds fell between two time steps, and the study said that the structure stands.
#[test]
fn impulses_that_time_steps_cannot_follow_are_told() {
    let text = [BLOCK, SHORT, DOMAIN].concat();
    assert_eq!(plan(&text).notes(), [""; 0]);
    let notes = plan(&text.replace("[0.4, 0.8]", "[0.02, 0.8]")).notes().concat();
    assert!(
        notes.contains("0.02000 s") && notes.contains("simulation.dt"),
        "{notes}"
    );
}

#[test]
fn parts_of_a_study_are_all_of_it_and_share_nothing() {
    let text = [BLOCK, SHORT, DOMAIN]
        .concat()
        .replace("[0.4, 0.8]", "{ from = 0.1, to = 2.0, count = 20 }");
    let tasks = plan(&text).tasks(&Outcomes::new());
    let shards: Vec<drystone_study::Shard> = (1..=3).map(|k| format!("{k}/3").parse().unwrap()).collect();
    let mut sizes = [0; 3];
    for task in &tasks {
        let of: Vec<usize> = (0..3).filter(|k| shards[*k].has(task)).collect();
        assert_eq!(of.len(), 1, "{}", task.label);
        sizes[of[0]] += 1;
        // A search along one half-period stays together.
        let mates = tasks.iter().filter(|other| other.group == task.group);
        assert!(mates.into_iter().all(|mate| shards[of[0]].has(mate)));
    }
    assert!(sizes.iter().all(|size| *size > tasks.len() / 10), "{sizes:?}");
    for text in ["0/3", "4/3", "3", "a/b", "1/0", "-1/3"] {
        assert!(text.parse::<drystone_study::Shard>().is_err(), "{text}");
    }
}

fn undersized(values: &str, rest: &str) -> BTreeSet<String> {
    ids(&plan(&format!(
        "{BLOCK}[sweep]\nanalysis = {{ limit = {{ direction = \"x\" }} }}\n[[sweep.parameters]]\nname = \"undersize\"\nvalues = {values}\n{rest}"
    )))
}

/// Seeds were counted by place: a value more at the front made other imperfections at all that follow.
#[test]
fn a_longer_list_of_undersizes_keeps_the_points_there_are() {
    let before = undersized("[0.01, 0.02]", "");
    let after = undersized("[0.005, 0.01, 0.015, 0.02, 0.03]", "");
    assert!(before.is_subset(&after) && after.len() == 5);
    let friction = |values: &str| format!("[[sweep.parameters]]\nname = \"friction\"\nvalues = {values}\n");
    let (few, more) = (friction("[0.3, 0.5]"), friction("[0.2, 0.3, 0.4, 0.5]"));
    let (before, after) = (undersized("[0.01, 0.02]", &few), undersized("[0.01, 0.02]", &more));
    assert!(before.is_subset(&after) && after.len() == 8);
    // The same value again is another sample.
    let (twice, thrice) = (undersized("[0.01, 0.01]", ""), undersized("[0.01, 0.01, 0.01]", ""));
    assert!(twice.is_subset(&thrice) && [twice.len(), thrice.len()] == [2, 3]);
}

/// A search stopped for good at the first run that failed.
#[test]
fn searches_go_round_runs_that_fail() {
    let falls = |task: &Task, amplitude: f64| match amplitude == 0.5 {
        true => failed(),
        false => outcome(json!({ "collapsed": amplitude > 0.6, "multiplier": 0.3, "label": task.label.clone() })),
    };
    let boundary = plan(&[BLOCK, SHORT, DOMAIN, "search = \"boundary\"\nresolution_g = 0.1\n"].concat());
    let known = answer(&boundary, |task| {
        falls(task, task.parameters["amplitude_g"].as_f64().unwrap_or(0.0))
    });
    let found = summary(&boundary, &known, 0.0);
    assert!(found.complete && found.failed == 4, "{found:?}");
    for row in found.result["domains"][0]["lowest"].as_array().unwrap() {
        let [stands, falls] = ["stands_at_g", "collapses_at_g"].map(|name| row[name].as_f64().unwrap());
        assert!(stands <= 0.6 && 0.6 < falls && falls - stands <= 0.1 + 1e-9, "{row}");
    }
    assert!(
        found.conclusions[0].contains("went round 4 runs that failed"),
        "{:?}",
        found.conclusions
    );

    let text = format!(
        "{BLOCK}{SHORT}[fragility]\nsynthetic = {{ count = 3, motion = {{ duration = 1.0 }} }}\nintensities = [0.2, 0.5, 0.8]\n\
         method = \"incremental\"\nresolution = 0.1\nbootstrap = 20\n"
    );
    let incremental = plan(&text);
    let known = answer(&incremental, |task| {
        falls(task, task.parameters["intensity"].as_f64().unwrap())
    });
    let found = summary(&incremental, &known, 0.0);
    let curve = &found.result["fragility"][0];
    for row in curve["records"].as_array().unwrap() {
        assert_eq!((&row["done"], &row["failed_at"]), (&json!(true), &json!([0.5])));
        let [stands, falls] = ["stands_at", "collapses_at"].map(|name| row[name].as_f64().unwrap());
        assert!(stands <= 0.6 && 0.6 < falls && falls - stands <= 0.1 + 1e-9, "{row}");
    }
    assert!(
        found.conclusions[0].contains("went round 3 runs that failed"),
        "{:?}",
        found.conclusions
    );
}

/// Stripes beyond one of which every run failed were left out as decided.
#[test]
fn stripes_that_failed_decide_nothing() {
    let stripes = plan(&format!(
        "{BLOCK}{SHORT}[fragility]\nsynthetic = {{ count = 2, motion = {{ duration = 1.0 }} }}\nintensities = [0.2, 0.4, 0.6, 0.8, 1.0, 1.2]\nskip_decided = true\n"
    ));
    // The search begins at 0.8, which fails.
    let known = answer(&stripes, |task| match task.parameters["intensity"].as_f64().unwrap() {
        0.8 => failed(),
        intensity => outcome(json!({ "collapsed": intensity > 0.5 })),
    });
    let found = &summary(&stripes, &known, 0.0).result["fragility"][0];
    let intensities: Vec<&serde_json::Value> = found["stripes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| &s["intensity"])
        .collect();
    assert_eq!(intensities, [0.4, 0.6, 0.8, 1.0]);
    assert_eq!(found["skipped"], json!([0.2, 1.2]));
}

/// The number of resamples had no effect on incremental analyses, which have bands as stripes do.
#[test]
fn incremental_analyses_have_bands() {
    let with = |bootstrap: usize| {
        let plan = plan(&format!(
            "{BLOCK}{SHORT}[fragility]\nsynthetic = {{ count = 8, motion = {{ duration = 1.0 }} }}\nintensities = [0.2, 0.4, 0.6, 0.8, 1.0]\n\
             method = \"incremental\"\nbootstrap = {bootstrap}\n"
        ));
        // The k-th motion brings it down from 0.25 + 0.1 k on, and the last ones not at all.
        let known = answer(&plan, |task| {
            let k: f64 = task.parameters["record"]
                .as_str()
                .unwrap()
                .trim_start_matches("synthetic-")
                .parse()
                .unwrap();
            let collapsed = k < 7.0 && task.parameters["intensity"].as_f64().unwrap() > 0.25 + 0.1 * k;
            outcome(json!({ "collapsed": collapsed, "max_displacement_m": 0.01 }))
        });
        summary(&plan, &known, 0.0)
    };
    let found = with(200);
    let curve = &found.result["fragility"][0];
    let theta = curve["fit"]["estimate"]["theta"].as_f64().expect("an estimate");
    let [low, high] = [0, 1].map(|k| curve["bands"]["theta"][k].as_f64().expect("a band"));
    assert!(low < theta && theta < high, "{low} to {high} about {theta}");
    assert!(found.charts[0].series.iter().any(|series| series.name == "90 % band"));
    assert!(found.conclusions[0].contains("90 % bands"), "{:?}", found.conclusions);
    assert_eq!(with(0).result["fragility"][0]["bands"], json!(null));
}

/// 44 curves in the colour of the axes buried their median, and marks of both directions lay on each other.
#[test]
fn single_curves_are_faint_and_directions_lie_beside_each_other() {
    let text = format!(
        "{BLOCK}{SHORT}[[variants]]\nname = \"a\"\n[[variants]]\nname = \"b\"\n[fragility]\nsynthetic = {{ count = 3, motion = {{ duration = 1.0 }} }}\n\
         intensities = [0.2, 0.5]\nmethod = \"incremental\"\n"
    );
    let incremental = plan(&text.replace("name = \"b\"\n", "name = \"b\"\nchanges = { friction = 1.0 }\n"));
    let known = answer(&incremental, |task| {
        let intensity = task.parameters["intensity"].as_f64().unwrap();
        outcome(json!({ "collapsed": intensity > 0.4, "max_displacement_m": intensity }))
    });
    let charts = summary(&incremental, &known, 0.0).charts;
    for name in ["incremental", "spectra"] {
        let chart = charts.iter().find(|chart| chart.name == name).expect("a chart");
        let faint: Vec<bool> = chart.series.iter().map(|series| series.mark == Mark::Faint).collect();
        let many = faint.iter().take_while(|is_faint| **is_faint).count();
        assert!(
            many >= 3 && faint[many..].iter().all(|is_faint| !is_faint) && many < faint.len(),
            "{name}: {faint:?}"
        );
    }
    let marks = |text: &str| {
        let domain = plan(text);
        let known = answer(&domain, |task| {
            let amplitude = task.parameters["amplitude_g"].as_f64().unwrap_or(0.0);
            outcome(json!({ "collapsed": amplitude > 0.6, "multiplier": 0.3 }))
        });
        let chart = summary(&domain, &known, 0.0).charts.remove(0);
        let of_runs = chart.series.into_iter().filter(|series| !series.runs.is_empty());
        of_runs.map(|series| (series.name, series.mark)).collect::<Vec<_>>()
    };
    let text = [BLOCK, SHORT, DOMAIN].concat();
    let named = |marks: &[(&str, Mark)]| {
        marks
            .iter()
            .map(|(name, mark)| (name.to_string(), *mark))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        marks(&text),
        named(&[
            ("collapse, +", Mark::FilledRight),
            ("stands, +", Mark::HollowRight),
            ("collapse, -", Mark::FilledLeft),
            ("stands, -", Mark::HollowLeft)
        ])
    );
    assert_eq!(
        marks(&(text + "both_directions = false\n")),
        named(&[("collapse, +", Mark::Points), ("stands, +", Mark::Points)])
    );
}
