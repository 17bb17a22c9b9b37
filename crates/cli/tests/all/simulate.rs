//! `drystone simulate` as a person or a script meets it.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::common::{drystone, failure, folder, json};
use serde_json::Value;

/// A folder with a small wall.
fn with_wall() -> tempfile::TempDir {
    let folder = folder();
    json(
        folder.path(),
        "new wall --length 2 --height 1.2 --unit-length 0.5 --unit-height 0.3 -o wall.json",
    );
    folder
}

const SHAKE: &str = "--motion sine:amplitude=0.7g,frequency=2,direction=x --dt 0.002";

#[test]
fn a_run_leaves_its_tables_pictures_and_a_summary() {
    let folder = with_wall();
    let result = json(
        folder.path(),
        &format!("simulate wall.json --duration 0.4 {SHAKE} --vtk --pictures --every 0.1 -o run"),
    );
    assert_eq!(result["steps"], 200);
    for field in [
        "wall_s",
        "step_ms_median",
        "max_displacement_m",
        "max_speed_m_s",
        "energy_balance_error",
        "worst_residual",
    ] {
        assert!(
            result[field].as_f64().is_some_and(|v| v >= 0.0),
            "{field}: {}",
            result[field]
        );
    }
    assert_eq!(result["collapsed"], false);
    assert_eq!(result["at_rest"], false);
    assert!(result["threads"].as_u64().is_some_and(|n| n >= 1));
    let run = folder.path().join("run");
    let summary: Value = serde_json::from_slice(&fs::read(run.join("summary.json")).expect("a summary")).expect("JSON");
    assert_eq!(summary["steps"], 200);
    for (name, magic) in [
        ("blocks.parquet", b"PAR1".as_slice()),
        ("contacts.parquet", b"PAR1"),
        ("steps.parquet", b"PAR1"),
        ("motion.glb", b"glTF"),
        ("film.gif", b"GIF89a"),
        ("energies.png", b"\x89PNG"),
        ("displacement-x.svg", b"<svg"),
        ("pictures/00004.png", b"\x89PNG"),
        ("paraview/blocks.pvd", b"<?xml"),
    ] {
        let bytes = fs::read(run.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(bytes.starts_with(magic), "{name}");
    }
    assert!(!run.join("checkpoint.bin").exists(), "a finished run has no checkpoint");
}

/// A block of weight W on a joint of area A that is shaken by a: it holds where c A + mu W exceeds a W / g.
#[test]
fn bonded_points_and_how_many_are_broken_are_told_where_joints_are_bonded() {
    let folder = folder();
    let path = folder.path();
    json(
        path,
        "new block --width 1 --depth 1 --height 0.2 --friction 0.2 -o block.json",
    );
    let run = |model: &str| {
        let shake = "--motion sine:amplitude=0.8g,frequency=2,direction=x --duration 0.3 --dt 0.002 --every 0.3";
        let said = drystone(path, &format!("simulate {model}.json {shake} -o {model}"));
        let summary = fs::read(path.join(model).join("summary.json")).expect("a summary");
        let summary: Value = serde_json::from_slice(&summary).expect("JSON");
        (String::from_utf8_lossy(&said.stdout).to_string(), summary)
    };
    let steps = |model: &str| {
        let file = path.join(model).join("steps.parquet");
        let table = drystone_output::table::Table::read(&file, None).expect("a table");
        table.floats("broken_bonds").map(<[f64]>::to_vec)
    };
    let (said, dry) = run("block");
    assert!(!said.contains("bonded"), "{said}");
    assert!(dry["bonds"].is_null() && dry["broken_bonds"].is_null() && steps("block").is_none());
    let mut model: Value = serde_json::from_slice(&fs::read(path.join("block.json")).expect("a model")).expect("JSON");
    let weight = json(path, "info block.json")["mass_kg"].as_f64().expect("a mass") * 9.81;
    for (name, cohesion, broken) in [("strong", 1.2 * weight, 0), ("weak", 0.4 * weight, 4)] {
        model["joints"]["bond"] = serde_json::json!({ "tension_pa": cohesion, "cohesion_pa": cohesion });
        fs::write(path.join(format!("{name}.json")), model.to_string()).expect("written");
        let (said, result) = run(name);
        assert!(said.contains(&format!("{broken} of 4 broken")), "{said}");
        assert_eq!((&result["bonds"], &result["broken_bonds"]), (&4.into(), &broken.into()));
        let steps = steps(name).expect("a column");
        assert_eq!(steps.last(), Some(&f64::from(broken)));
        assert!(steps.is_sorted() && steps[0] == 0.0);
    }
}

#[test]
fn ties_have_a_table_a_plot_and_their_peaks_in_the_summary() {
    let folder = folder();
    let path = folder.path();
    json(path, "new block --width 0.4 --depth 0.4 --height 0.4 -o block.json");
    // The block hangs a metre higher on a tie that yields at half of its weight, and breaks.
    let text = fs::read_to_string(path.join("block.json")).expect("a model");
    let mut model: Value = serde_json::from_str(&text).expect("JSON");
    let weight = 0.064 * 2000.0 * 9.81;
    let end = |block: &str, z: f64| serde_json::json!({ "block": block, "at": [0, 0, z] });
    let kind = serde_json::json!({ "tie": {
        "stiffness_n_m": 2e5, "yield_n": 0.5 * weight, "rupture_elongation_m": 0.05
    } });
    model["blocks"][1]["pose"] = serde_json::json!({ "position": [0, 0, 1] });
    model["ties"] =
        serde_json::json!([{ "name": "rod", "from": end("ground", 2.4), "to": end("block", 1.4), "kind": kind }]);
    fs::write(path.join("tied.json"), model.to_string()).expect("written");
    let result = json(path, "simulate tied.json --duration 0.3 --dt 0.002 --every 0.02 -o run");
    let tie = &result["ties"][0];
    assert_eq!(
        (&tie["tie"], &tie["yielded"], &tie["ruptured"]),
        (&"rod".into(), &true.into(), &true.into())
    );
    let peak = tie["peak_force_n"].as_f64().expect("a force");
    assert!((peak / (0.5 * weight) - 1.0).abs() < 1e-9, "{peak}");
    let run = path.join("run");
    let table = drystone_output::table::Table::read(&run.join("ties.parquet"), None).expect("a table");
    assert_eq!(table.rows(), 150);
    let states: Vec<&str> = table.texts("state").expect("text").iter().map(AsRef::as_ref).collect();
    for state in ["bears", "yields", "ruptured"] {
        assert!(states.contains(&state), "{state}");
    }
    let forces = table.floats("force_n").expect("numbers");
    assert!(forces.iter().all(|f| (0.0..=0.5 * weight * (1.0 + 1e-12)).contains(f)));
    for (name, magic) in [("ties.svg", b"<svg".as_slice()), ("ties.png", b"\x89PNG")] {
        let bytes = fs::read(run.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(bytes.starts_with(magic), "{name}");
    }
}

#[test]
fn joints_with_stiffness_carry_the_wall_and_the_end_is_in_the_tables() {
    let folder = with_wall();
    let command =
        "simulate wall.json --duration 0.05 --dt 0.005 --every 0.04 --stiffness 1e10,4e9 -o run --monitor ground";
    let result = json(folder.path(), command);
    assert_eq!(result["steps"], 10);
    assert!(
        result["max_displacement_m"].as_f64().is_some_and(|d| d < 1e-4),
        "{}",
        result["max_displacement_m"]
    );
    // Frames at 0, 0.04 and, because the run ends there, 0.05 s.
    let table = drystone_output::table::Table::read(&folder.path().join("run/blocks.parquet"), Some(&["time_s"]))
        .expect("a table");
    let last = table.floats("time_s").and_then(|t| t.last().copied());
    assert!(last.is_some_and(|t| (t - 0.05).abs() < 1e-12), "{last:?}");
}

#[test]
fn a_block_on_springs_starts_settled_unless_told_otherwise() {
    let folder = with_wall();
    let path = folder.path();
    json(path, "new block --width 1 --depth 1 --height 2 -o block.json");
    // 2000 kg/m3 by 2 m on 1e8 N/m3.
    let exact = 2000.0 * 9.81 * 2.0 / 1e8;
    for dt in ["1e-4", "1e-2"] {
        let command = format!("simulate block.json --duration 0.1 --dt {dt} --stiffness 1e8,1e8 --tables-only");
        let settled = json(path, &format!("{command} -o settled-{dt}"));
        let displacement = settled["max_displacement_m"].as_f64().unwrap();
        assert!((displacement / exact - 1.0).abs() < 1e-2, "{displacement}");
        assert_eq!(settled["at_rest"], true);
        assert_eq!(settled["not_compressed_blocks"], 0);
        assert!(
            settled["energy_created_j"].as_f64().is_some_and(|e| e < 1e-6),
            "{settled}"
        );
        let command = format!("{command} --start uncompressed -o let-go-{dt}");
        assert_eq!(json(path, &command)["at_rest"], false);
    }
}

#[test]
fn energy_that_contacts_create_is_in_the_summary_and_the_tables() {
    let folder = with_wall();
    let path = folder.path();
    json(path, "new block --width 1 --depth 1 --height 1 -o block.json");
    let text = fs::read_to_string(path.join("block.json")).unwrap();
    let mut model: Value = serde_json::from_str(&text).unwrap();
    // Drawn 10 mm into the ground: it is lifted by so much.
    model["blocks"][1]["pose"]["position"] = serde_json::json!([0.0, 0.0, 0.49]);
    fs::write(path.join("block.json"), model.to_string()).unwrap();
    let result = json(path, "simulate block.json --duration 0.5 --tables-only -o run");
    let (created, lift) = (result["energy_created_j"].as_f64().unwrap(), 2000.0 * 9.81 * 0.01);
    assert!(created > 0.99 * lift && created < 3.0 * lift, "{result}");
    assert!(
        result["energy_created_part"].as_f64().is_some_and(|p| p > 0.1),
        "{result}"
    );
    assert!(
        result["energy_balance_error"].as_f64().is_some_and(|e| e < 0.02),
        "{result}"
    );
    let table = drystone_output::table::Table::read(&path.join("run/steps.parquet"), None).expect("a table");
    assert_eq!(table.floats("created_j").unwrap().last(), Some(&created));
}

#[test]
fn a_structure_that_the_ground_lowers_has_not_collapsed_and_a_standing_one_balances_its_energy() {
    let folder = with_wall();
    let command = "simulate wall.json --duration 1.2 --dt 0.01 --tables-only -o run";
    let lowered = json(
        folder.path(),
        &format!("{command} --motion ramp:quantity=displacement,to=0.8,duration=1,direction=-z,form=smooth"),
    );
    assert_eq!(lowered["collapsed"], false, "{lowered}");
    assert!(
        lowered["potential_drop"].as_f64().is_some_and(|d| d.abs() < 1e-6),
        "{lowered}"
    );
    let standing = json(folder.path(), &format!("{command} --overwrite"));
    assert!(
        standing["energy_balance_error"].as_f64().is_some_and(|e| e < 1e-3),
        "{standing}"
    );
}

#[test]
fn a_structure_at_rest_stays_and_the_run_may_stop_there() {
    let folder = with_wall();
    let result = json(
        folder.path(),
        "simulate wall.json --duration 10 --stop-at rest --tables-only -o run",
    );
    assert_eq!(result["at_rest"], true);
    assert!(result["steps"].as_u64().is_some_and(|n| n < 10), "{}", result["steps"]);
    assert_eq!(result["max_displacement_m"], 0.0);
}

/// The tables of a finished run, byte by byte.
fn tables(folder: &Path) -> Vec<Vec<u8>> {
    ["blocks.parquet", "contacts.parquet"]
        .map(|name| fs::read(folder.join(name)).expect("a table"))
        .to_vec()
}

/// Starts a run that leaves its results in `output`, and kills it once it has a checkpoint.
fn kill_at_first_checkpoint(folder: &Path, command: &str, output: &Path) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_drystone"))
        .args(command.split_whitespace())
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let began = Instant::now();
    while !output.join("checkpoint.bin").exists() && began.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    assert!(
        output.join("checkpoint.bin").exists(),
        "it was killed after its first checkpoint"
    );
}

#[test]
fn a_run_is_not_resumed_with_a_record_that_has_changed() {
    let folder = with_wall();
    let record = |last: f64| {
        let value = |k: u32| if k == 400 { last } else { (0.1 * f64::from(k)).sin() };
        let text: String = (0..=400)
            .map(|k| format!("{} {}\n", 0.01 * f64::from(k), value(k)))
            .collect();
        fs::write(folder.path().join("quake.txt"), text).expect("a record");
    };
    let command = "simulate wall.json --duration 4 --motion quake.txt:direction=x --tables-only --quiet -o run";
    record(0.5);
    kill_at_first_checkpoint(folder.path(), command, &folder.path().join("run"));
    record(0.501);
    let message = failure(folder.path(), &format!("{command} --resume"), 2);
    assert!(message.contains("other motions"), "{message}");
    record(0.5);
    json(folder.path(), &format!("{command} --resume"));
}

#[test]
fn a_run_that_was_killed_goes_on_and_leaves_the_same_tables() {
    let folder = with_wall();
    let command = format!("simulate wall.json --duration 4 {SHAKE} --tables-only --quiet");
    json(folder.path(), &format!("{command} -o whole --threads 2"));
    let killed = folder.path().join("killed");
    kill_at_first_checkpoint(folder.path(), &format!("{command} -o killed --threads 1"), &killed);
    let message = failure(folder.path(), &format!("{command} -o killed"), 2);
    assert!(message.contains("--resume"), "{message}");
    let message = failure(
        folder.path(),
        &format!("{command} -o killed --resume --friction 0.3"),
        2,
    );
    assert!(message.contains("other options"), "{message}");
    json(folder.path(), &format!("{command} -o killed --threads 1 --resume"));
    assert!(tables(&killed) == tables(&folder.path().join("whole")), "the same bits");
}

#[test]
fn bad_input_is_told_what_is_wrong() {
    let folder = with_wall();
    for (name, text) in [
        ("nan.txt", "0 0.1\n0.01 nan\n0.02 0.3\n"),
        ("gap.txt", "0 0.1\n0.01 0.2\n0.02 0.3\n0.5 0.1\n0.51 0.1\n"),
        ("units.txt", "0 100\n0.01 -312\n0.02 30\n0.03 12\n"),
    ] {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let simulate = |rest: &str| {
        failure(
            folder.path(),
            &format!("simulate wall.json --duration 1 -o run {rest}"),
            2,
        )
    };
    for (rest, expected) in [
        ("--motion nan.txt:direction=x", "nan.txt"),
        ("--motion gap.txt:direction=x", "gap.txt"),
        ("--motion units.txt:direction=x", "units"),
        ("--motion missing.AT2:direction=x", "missing.AT2"),
        ("--motion sine:amplitude=0.1g", "frequency"),
        ("--dt 0", "from 1e-9"),
        ("--dt -1", "from 1e-9"),
        ("--load wind", "no load case `wind`"),
        ("--monitor nobody", "no block `nobody`"),
        ("--theta 0.2", "from 0.5 to 1"),
        ("--dt 10", "longer than the duration"),
        ("--stiffness 1e10", "two numbers are needed"),
        ("--monitor ground,ground", "named twice"),
        ("--resume", "no unfinished run"),
    ] {
        let message = simulate(rest);
        assert!(message.contains(expected), "{rest}: {message}");
    }
    // Nothing is left behind by what was refused.
    assert!(!folder.path().join("run").exists());
    let model = fs::read_to_string(folder.path().join("wall.json")).expect("a model");
    let loose = model
        .replace("\"fixed\": true", "\"fixed\": false")
        .replace("\"fixed\":true", "\"fixed\":false");
    assert_ne!(loose, model);
    fs::write(folder.path().join("loose.json"), loose).expect("a file");
    let message = failure(folder.path(), "simulate loose.json --duration 1 -o run", 2);
    assert!(message.contains("no block is fixed"), "{message}");
}

#[test]
fn what_is_made_of_motions_is_told() {
    let folder = with_wall();
    let path = folder.path();
    json(path, "new block --width 1 --depth 1 --height 1 -o block.json");
    fs::write(path.join("late.csv"), "time,acc_g\n0.3,0.01\n0.4,0.01\n0.5,0.01\n").unwrap();
    fs::write(path.join("away.csv"), "time,ux_mm\n0.0,20\n0.1,20\n0.2,20\n").unwrap();
    for (k, (motion, told)) in [
        ("late.csv:direction=x", Some("its times start at 0.3 s")),
        (
            "away.csv:quantity=displacement,units=mm,direction=x",
            Some("it is counted from there"),
        ),
        (
            "sine:amplitude=0.1g,frequency=2000,direction=x",
            Some("which steps of 0.001 s cannot follow"),
        ),
        // Its velocity starts at 2 m/s.
        (
            "ramp:quantity=displacement,to=1,duration=0.5,direction=x",
            Some("--friction-law coulomb"),
        ),
        // Steady, but steep: the mean velocities of two steps differ by half of it.
        (
            "ramp:quantity=velocity,to=1.5,duration=0.001,direction=x",
            Some("changes its velocity by 0.75 m/s at 0 s"),
        ),
        // Twice what friction holds, but without a jump.
        ("sine:amplitude=1.2g,frequency=2,direction=x", None),
        ("impulse:peak=0.5g,duration=0.04,direction=x", None),
    ]
    .into_iter()
    .enumerate()
    {
        let command = format!("simulate block.json --duration 0.05 --tables-only --motion {motion} -o run-{k}");
        let output = drystone(path, &command);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{motion}: {said}");
        match told {
            Some(told) => assert!(said.contains(told), "{motion}: {said}"),
            None => assert!(!said.contains("warning"), "{motion}: {said}"),
        }
    }
}
