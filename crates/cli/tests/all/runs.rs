//! What a run says of itself, and who may write where.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::common::{drystone, failure, folder, json};
use drystone_output::table::Table;
use serde_json::Value;

/// Starts a command in the background.
fn start(folder: &Path, command: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_drystone"))
        .args(command.split_whitespace())
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

fn wait_for(path: &Path) {
    let began = Instant::now();
    while !path.exists() {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{} never came",
            path.display()
        );
        thread::sleep(Duration::from_millis(2));
    }
}

/// A block that rocks on a shaken ground, with a frame for every step.
const ROCKING: &str = "--duration 3 --dt 0.005 --every 0.005 --tables-only \
                       --motion sine:amplitude=0.5g,frequency=2,direction=x,duration=1";

fn with_block() -> tempfile::TempDir {
    let folder = folder();
    json(
        folder.path(),
        "new block --width 0.4 --depth 0.5 --height 1.2 --friction 0.7 -o block.json",
    );
    folder
}

type Vector = [f64; 3];

fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn length(a: Vector) -> f64 {
    (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt()
}

/// Largest value and when, by block.
type Peaks = BTreeMap<i64, [f64; 2]>;

/// Peaks of displacement and speed, and displacements at the end, from the tables of a run with a frame for every step.
fn recomputed(run: &Path) -> (Peaks, Peaks, BTreeMap<i64, f64>) {
    let blocks = Table::read(&run.join("blocks.parquet"), None).expect("a table of blocks");
    let steps = Table::read(&run.join("steps.parquet"), None).expect("a table of steps");
    let of_step = |name: &str, row: usize| steps.floats(name).expect("a column")[row];
    let mut ground = BTreeMap::from([(0, [[0.0; 3]; 2])]);
    let mut last = [0.0; 3];
    for (row, &step) in steps.ints("step").expect("steps").iter().enumerate() {
        let now = ["ground_x_m", "ground_y_m", "ground_z_m"].map(|n| of_step(n, row));
        let dt = of_step("dt_s", row);
        ground.insert(step, [now, minus(now, last).map(|d| d / dt)]);
        last = now;
    }
    let (numbers, times) = (
        blocks.ints("block").expect("blocks"),
        blocks.floats("time_s").expect("times"),
    );
    let vector = |names: [&str; 3], row: usize| names.map(|n| blocks.floats(n).expect("a column")[row]);
    let (mut start, mut moved, mut fast, mut end) = (BTreeMap::new(), Peaks::new(), Peaks::new(), BTreeMap::new());
    for (row, &step) in blocks.ints("step").expect("steps").iter().enumerate() {
        let [carried, velocity] = ground[&step];
        let place = vector(["x", "y", "z"], row);
        let first = *start.entry(numbers[row]).or_insert(place);
        let displacement = length(minus(minus(place, first), carried));
        let speed = length(minus(vector(["vx", "vy", "vz"], row), velocity));
        for (peaks, value) in [(&mut moved, displacement), (&mut fast, speed)] {
            let peak = peaks.entry(numbers[row]).or_insert([0.0; 2]);
            if value > peak[0] {
                *peak = [value, times[row]];
            }
        }
        end.insert(numbers[row], displacement);
    }
    (moved, fast, end)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1e-3 + a.abs().max(b.abs()))
}

#[test]
fn peaks_are_those_of_every_step_and_what_remains_is_that_of_the_end() {
    let folder = with_block();
    let place = folder.path();
    json(place, "new column --drums 3 --sides 6 -o column.json");
    for (model, free, frame) in [("block", 1, "world"), ("block", 1, "ground"), ("column", 4, "world")] {
        let name = format!("{model}-{frame}");
        let summary = json(
            place,
            &format!("simulate {model}.json {ROCKING} --frame {frame} -o {name}"),
        );
        let field = |name: &str| summary[name].as_f64().expect("a number");
        let run = place.join(&name);
        let (moved, fast, end) = recomputed(&run);
        let peaks = Table::read(&run.join("peaks.parquet"), None).expect("a table of peaks");
        let column = |name: &str| peaks.floats(name).expect("a column");
        assert_eq!(peaks.rows(), free, "free blocks only");
        for (row, block) in peaks.ints("block").expect("blocks").iter().enumerate() {
            for (name, expected) in [
                ("max_displacement_m", moved[block][0]),
                ("max_displacement_time_s", moved[block][1]),
                ("max_speed_m_s", fast[block][0]),
                ("max_speed_time_s", fast[block][1]),
                ("residual_drift_m", end[block]),
                ("final_displacement_m", end[block]),
            ] {
                let found = column(name)[row];
                assert!(close(found, expected), "{name}: {found}, from the tables {expected}");
            }
        }
        let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let steps = Table::read(&run.join("steps.parquet"), None).expect("a table of steps");
        for name in ["max_displacement_m", "max_speed_m_s"] {
            assert_eq!(largest(column(name)).to_bits(), field(name).to_bits(), "{name}");
            assert_eq!(
                largest(steps.floats(name).expect("a column")).to_bits(),
                field(name).to_bits(),
                "{name}"
            );
            let row = column(name).iter().position(|&v| v == field(name)).expect("a row");
            let [block, time] = match name {
                "max_speed_m_s" => ["max_speed_block", "max_speed_time_s"],
                _ => ["max_displacement_block", "max_displacement_time_s"],
            };
            assert_eq!(summary[block], peaks.texts("name").expect("names")[row].as_ref());
            assert_eq!(field(time), column(time)[row]);
        }
        for name in ["final_displacement_m", "final_speed_m_s", "residual_drift_m"] {
            assert_eq!(largest(column(name)).to_bits(), field(name).to_bits(), "{name}");
        }
        assert!(
            field("max_displacement_m") > 0.01,
            "it must have moved to show anything: {summary}"
        );
        if model == "block" {
            // It rocks and comes back: the largest is not the last.
            assert!(
                field("max_displacement_m") > 3.0 * field("residual_drift_m"),
                "{summary}"
            );
            assert!(field("max_speed_m_s") > 10.0 * field("final_speed_m_s"), "{summary}");
        }
    }
    json(place, "report column-world -o run.html");
    let page = fs::read_to_string(place.join("run.html")).expect("a page");
    for word in ["largest displacement", "residual drift", "Blocks that moved farthest"] {
        assert!(page.contains(word), "{word}");
    }
}

#[test]
fn what_rides_on_the_ground_has_neither_displacement_nor_speed_nor_drift() {
    let folder = with_block();
    let ramp = "--motion ramp:quantity=displacement,to=0.3,duration=1,direction=x,form=smooth";
    let summary = json(
        folder.path(),
        &format!("simulate block.json --duration 1.2 --dt 0.005 --tables-only {ramp} -o run"),
    );
    for field in [
        "max_displacement_m",
        "max_speed_m_s",
        "residual_drift_m",
        "final_speed_m_s",
    ] {
        assert!(summary[field].as_f64().is_some_and(|v| v < 1e-3), "{field}: {summary}");
    }
}

/// Fields that are the same however often a run was stopped.
fn lasting(mut summary: Value) -> Value {
    let fields = summary.as_object_mut().expect("an object");
    for name in [
        "wall_s",
        "step_ms_median",
        "threads",
        "detect_part",
        "solve_part",
        "folder",
    ] {
        fields.remove(name).unwrap_or_else(|| panic!("there is no {name}"));
    }
    summary
}

#[test]
fn a_run_that_was_killed_and_resumed_tells_the_same_peaks() {
    let folder = with_block();
    let command =
        "simulate block.json --duration 30 --tables-only --motion sine:amplitude=0.35g,frequency=2,direction=x";
    let whole = lasting(json(folder.path(), &format!("{command} -o whole")));
    let killed = folder.path().join("killed");
    let mut child = start(folder.path(), &format!("{command} -o killed"));
    // Beyond its first step, before its end.
    wait_for(&killed.join("steps.parquet.parts").join("00000.parquet"));
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    assert!(killed.join("checkpoint.bin").exists(), "it was killed before its end");
    let resumed = lasting(json(folder.path(), &format!("{command} -o killed --resume")));
    assert_eq!(resumed, whole);
    let bytes = |run: &str| fs::read(folder.path().join(run).join("peaks.parquet")).expect("a table");
    assert!(bytes("whole") == bytes("killed"));
}

/// Broke: "collapsed no, fallen blocks 53 %".
#[test]
fn blocks_that_have_fallen_are_a_collapse() {
    let folder = folder();
    json(
        folder.path(),
        "new stack --blocks 6 --height 0.5 --offset 0.45 -o stack.json",
    );
    let command = "simulate stack.json --duration 1.6 --dt 0.01 --tables-only";
    let fallen = json(folder.path(), &format!("{command} --collapse-drop 1 -o run"));
    let fraction = fallen["fallen_fraction"].as_f64().expect("a fraction");
    assert!((0.1..1.0).contains(&fraction), "{fallen}");
    assert_eq!(
        (&fallen["collapsed"], &fallen["collapse"]),
        (&true.into(), &"partial".into())
    );
    assert!(
        fallen["collapse_time_s"].as_f64().is_some_and(|t| t > 0.0 && t < 1.6),
        "{fallen}"
    );
    let text = String::from_utf8(drystone(folder.path(), &format!("{command} --collapse-drop 1 -o text")).stdout);
    let text = text.expect("text");
    assert!(text.contains("collapsed             partially, from"), "{text}");
    let stopped = json(
        folder.path(),
        &format!("{command} --collapse-drop 1 --stop-at collapse -o stopped"),
    );
    assert_eq!(stopped["collapsed"], true);
    assert!(stopped["steps"].as_u64() < fallen["steps"].as_u64());
    let global = json(folder.path(), &format!("{command} --collapse-drop 0.05 -o global"));
    assert_eq!(global["collapse"], "global");
    let unmoved = json(
        folder.path(),
        &format!("{command} --collapse-drop 1 --collapse-fallen 1 -o unmoved"),
    );
    assert_eq!(
        (&unmoved["collapsed"], &unmoved["collapse_time_s"]),
        (&false.into(), &Value::Null)
    );
}

#[test]
fn a_finished_run_is_replaced_only_where_that_is_asked_for() {
    let folder = with_block();
    let place = folder.path();
    let command = "simulate block.json --duration 0.02 --dt 0.01 --tables-only";
    json(place, &format!("{command} -o run"));
    let read = |name: &str| fs::read(place.join("run").join(name)).expect("a file");
    let before = (read("summary.json"), read("blocks.parquet"));
    let told = failure(place, &format!("{command} -o run"), 2);
    assert!(
        told.contains("run: a finished run is there") && told.contains("--overwrite"),
        "{told}"
    );
    let told = failure(place, &format!("{command} -o run --resume"), 2);
    assert!(told.contains("the run there is finished"), "{told}");
    assert!(
        before == (read("summary.json"), read("blocks.parquet")),
        "nothing was touched"
    );
    fs::write(place.join("run/film.gif"), "of the run before").expect("a file");
    let again = json(
        place,
        &format!("{} -o run --overwrite", command.replace("--dt 0.01", "--dt 0.002")),
    );
    assert_eq!(again["steps"], 10);
    assert!(
        !place.join("run/film.gif").exists(),
        "nothing of the run before is left"
    );
    // Files of other kinds are not replaced either, least of all the model itself.
    fs::create_dir(place.join("models")).expect("a folder");
    fs::copy(place.join("block.json"), place.join("models/model.json")).expect("a copy");
    let told = failure(place, &format!("{command} -o models"), 2);
    assert!(told.contains("model.json is there already"), "{told}");
    let own = command.replace("block.json", "models/model.json");
    for option in ["", "--overwrite"] {
        let told = failure(place, &format!("{own} -o models {option}"), 2);
        assert!(told.contains("would replace model.json"), "{told}");
    }
}

/// Everything in a folder that is named as a temporary file is.
fn temporary(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(temporary(&path));
        } else if path.extension().is_some_and(|e| e == "tmp") {
            found.push(path);
        }
    }
    found
}

#[test]
fn whenever_a_run_is_killed_no_temporary_file_stays() {
    let folder = folder();
    let place = folder.path();
    json(
        place,
        "new wall --length 2 --height 1.2 --unit-length 0.5 --unit-height 0.3 -o wall.json",
    );
    let command = "simulate wall.json --duration 0.2 --dt 0.002 --every 0.02 --vtk \
                   --motion sine:amplitude=0.7g,frequency=2,direction=x -o run";
    let run = place.join("run");
    for wait_ms in [10, 60, 200, 700] {
        let _ = fs::remove_dir_all(&run);
        let mut child = start(place, command);
        wait_for(&run.join("run.json"));
        thread::sleep(Duration::from_millis(wait_ms));
        child.kill().expect("it is killed, or has ended");
        child.wait().expect("it ends");
        if cfg!(target_os = "linux") {
            assert_eq!(temporary(&run), [""; 0].map(PathBuf::from), "after {wait_ms} ms");
        }
        // What a program on a system without nameless files would have left.
        let left = run.join("blocks.parquet.parts");
        fs::create_dir_all(&left).expect("a folder");
        fs::write(left.join(".00001.parquet.77777777-3.tmp"), "half").expect("a file");
        let option = if run.join("checkpoint.bin").exists() {
            "--resume"
        } else {
            "--overwrite"
        };
        let summary = json(place, &format!("{command} {option}"));
        assert_eq!(summary["steps"], 100);
        assert_eq!(temporary(&run), [""; 0].map(PathBuf::from));
    }
}

#[test]
fn two_processes_do_not_share_a_folder_and_a_killed_one_does_not_block_it() {
    let folder = with_block();
    let place = folder.path();
    let run = place.join("run");
    let mut first = start(
        place,
        "simulate block.json --duration 1000 --dt 0.001 --motion sine:amplitude=0.2g,frequency=2,direction=x -o run",
    );
    wait_for(&run.join("checkpoint.bin"));
    let short = "--duration 0.02 --dt 0.01 --tables-only";
    for command in [
        format!("simulate block.json {short} -o run"),
        format!("simulate block.json {short} -o run --overwrite"),
        "simulate block.json --duration 1000 --dt 0.001 -o run --resume".to_string(),
        "check block.json --method cone -o run".to_string(),
        "limit block.json --direction 1,0,0 -o run".to_string(),
    ] {
        let told = failure(place, &command, 1);
        assert!(
            told.contains("run: another process") && told.contains("is writing there"),
            "{told}"
        );
        if cfg!(target_os = "linux") {
            assert!(told.contains(&first.id().to_string()), "{told}");
        }
    }
    assert!(first.try_wait().expect("a process").is_none(), "the first goes on");
    first.kill().expect("it is killed");
    first.wait().expect("it ends");
    let told = failure(place, &format!("simulate block.json {short} -o run"), 2);
    assert!(told.contains("an unfinished run is there"), "{told}");
    json(place, &format!("simulate block.json {short} -o run --overwrite"));
}

#[test]
fn a_check_has_its_folder_for_itself_and_leaves_none_where_it_fails() {
    let folder = with_block();
    let place = folder.path();
    let taken = place.join("taken");
    fs::create_dir(&taken).expect("a folder");
    let lock = fs::File::open(&taken).expect("a folder");
    if cfg!(unix) && lock.try_lock().is_ok() {
        for command in ["check block.json --method cone", "limit block.json --direction 1,0,0"] {
            let told = failure(place, &format!("{command} -o taken"), 1);
            assert!(told.contains("taken: another process"), "{told}");
        }
        assert_eq!(fs::read_dir(&taken).expect("a folder").count(), 0);
        drop(lock);
    }
    json(place, "check block.json --method cone -o taken");
    json(place, "limit block.json --direction 1,0,0 -o taken");
    // An old proof must not lie beside a new result.
    assert!(!taken.join("certificate.json").exists() && taken.join("certificate-stands.json").exists());
}

#[test]
fn numbers_that_make_no_sense_are_refused_with_what_is_allowed() {
    let folder = with_block();
    let place = folder.path();
    let began = Instant::now();
    let simulate = "simulate block.json -o run --tables-only --duration 1";
    for (command, option, expected) in [
        (simulate, "--threads 100000", "1..=1024"),
        (simulate, "--threads 0", "1..=1024"),
        (simulate, "--dt 1e-300", "from 1e-9 to 1000"),
        (simulate, "--dt nan", "not a finite number"),
        (simulate, "--dt inf", "not a finite number"),
        (simulate, "--dt 1e-9", "allowed are 10,000,000"),
        (simulate, "--every 1e-300", "from 1e-9 to 1e7"),
        (simulate, "--dt 1e-6 --every 1e-9", "allowed are 100,000 frames"),
        (simulate, "--every -1", "from 1e-9"),
        (simulate, "--adaptive 1e-300", "from 1e-12 to 1000"),
        (simulate, "--adaptive 1e-3 --dt-min 1e-300", "from 1e-12 to 1000"),
        (simulate, "--adaptive 1e-3 --dt-min 1e-11", "allowed are 10,000,000"),
        (simulate, "--tolerance 1e-300", "from 1e-14 to 0.5"),
        (simulate, "--restitution nan", "not a finite number"),
        (simulate, "--restitution -1", "from 0 to 1"),
        (simulate, "--stiffness 1e300,1e300", "from 1 to 1e20"),
        (simulate, "--stiffness nan,1e9", "not a finite number"),
        (simulate, "--theta 1e300", "from 0.5 to 1"),
        (simulate, "--rotation-iterations 100000000", "1..=100"),
        (simulate, "--recovery-speed 1e300", "from 1e-9 to 10000"),
        (simulate, "--collapse-drop 2", "above 0 and at most 1"),
        (simulate, "--collapse-fallen 0", "above 0 and at most 1"),
        (simulate, "--collapse-displacement 1e-300", "from 1e-9 to 1e6"),
        (simulate, "--friction 1e300", "from 0 to 1e6"),
        (simulate, "--friction -0.1", "must be 0 or above"),
        (simulate, "--density 1e300", "from 1e-12 to 1e12"),
        (simulate, "--gravity 0,0,-1e300", "from -1e6 to 1e6"),
        (
            simulate,
            "--motion sine:amplitude=1e9g,frequency=2,direction=x",
            "allowed are up to 1e5 m",
        ),
        ("simulate block.json -o run", "--duration 1e300", "from 1e-9 to 1e7"),
        ("simulate block.json -o run", "--duration 1e7", "allowed are 10,000,000"),
        ("check block.json", "--threads 100000", "1..=1024"),
        (
            "check block.json --tilt-axis 1,0,0",
            "--tilt-deg 1e300",
            "from -360 to 360",
        ),
        ("check block.json", "--load wind:1e300", "from -1e9 to 1e9"),
        ("limit block.json --direction 1,0,0", "--threads 100000", "1..=1024"),
        ("limit block.json", "--direction nan,0,0", "not a finite number"),
        ("tilt block.json --axis 0,1,0", "--sweep 1000000000", "2..=100000"),
        ("view", "--port 100000", "0..=65535"),
    ] {
        let told = failure(place, &format!("{command} {option}"), 2);
        let [name, value] = [0, 1].map(|k| option.split_whitespace().nth_back(1 - k).unwrap_or_default());
        let value = value
            .split([',', ':'])
            .find(|v| v.parse::<f64>().is_ok_and(|v| v != 0.0))
            .unwrap_or("0");
        assert!(
            told.contains(name) && told.contains(value),
            "{command} {option}: {told}"
        );
        assert!(told.contains(expected), "{command} {option}: {told}");
    }
    assert!(!place.join("run").exists(), "nothing is left behind");
    // Directions count by their ratios alone, however large.
    for direction in ["1e300,0,0", "1e-300,0,0"] {
        let found = json(place, &format!("limit block.json --direction {direction}"));
        assert!(
            found["multiplier"]
                .as_f64()
                .is_some_and(|m| (m - 1.0 / 3.0).abs() < 1e-4),
            "{found}"
        );
    }
    assert!(began.elapsed() < Duration::from_secs(60), "bounded work");
}
