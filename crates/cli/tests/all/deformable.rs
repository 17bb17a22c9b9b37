//! Blocks that deform, on the command line.

use std::{fs, path::Path};

use crate::common::{failure, folder, json};
use serde_json::{Value, json as value};

const ELASTIC: &str = "--young 60e9 --poisson 0.2";

/// Two stones on the ground, in a file, and as a value.
fn stones(path: &Path) -> Value {
    let stone = |name: &str, z: f64| value!({ "name": name, "group": "wall", "shape": { "box": { "size": [1, 0.6, 0.4], "center": [0, 0, z] } } });
    let mut ground = stone("ground", -0.2);
    ground["fixed"] = value!(true);
    ground["group"] = value!("base");
    let model =
        value!({ "drystone": 1, "name": "stones", "blocks": [ground, stone("lower", 0.2), stone("upper", 0.6)] });
    fs::write(path.join("stones.json"), model.to_string()).unwrap();
    model
}

#[test]
fn a_model_tells_which_blocks_deform_and_how() {
    let folder = folder();
    let path = folder.path();
    let mut model = stones(path);
    assert_eq!(json(path, "info stones.json")["deformable"], value!([]));
    let info = json(
        path,
        &format!("info stones.json --deformable all:4x2x2 --deformable upper:T10 {ELASTIC}"),
    );
    let set = |mesh: &str| {
        value!({ "blocks": 1, "mesh": mesh, "young_pa": 6e10, "poisson": 0.2, "rayleigh_mass_per_s": 0.0,
            "rayleigh_stiffness_s": 0.0 })
    };
    assert_eq!(info["deformable"], value!([set("H8x4x2x2"), set("T10")]));

    // A file that leaves its elasticity to the command line is complete with it, and refused without.
    model["deformable"] = value!([{ "blocks": "wall" }]);
    fs::write(path.join("soft.json"), model.to_string()).unwrap();
    let said = failure(path, "info soft.json", 2);
    for told in [
        "block 1 (`lower`)",
        "neither `young_pa` nor `poisson`",
        "--young and --poisson",
    ] {
        assert!(said.contains(told), "{said}");
    }
    let output = crate::common::drystone(path, &format!("info soft.json {ELASTIC}"));
    let text = String::from_utf8_lossy(&output.stdout).to_string();
    let told = "2 blocks, H8x2x2x2 or T10 by shape, Young's modulus 60 GPa, Poisson's ratio 0.2";
    assert!(text.contains(told), "{text}");

    // What the command line says can be kept in a file.
    json(
        path,
        &format!("export stones.json --deformable wall:H8 {ELASTIC} -o kept.json"),
    );
    let kept: Value = serde_json::from_slice(&fs::read(path.join("kept.json")).unwrap()).unwrap();
    assert_eq!(kept["deformable"], value!([{ "blocks": "wall", "mesh": "H8x2x2x2" }]));
    assert_eq!(json(path, "info kept.json")["deformable"][0]["blocks"], 2);
}

#[test]
fn wrong_deformable_blocks_are_refused_before_anything_is_computed() {
    let folder = folder();
    let path = folder.path();
    stones(path);
    for (options, told) in [
        ("--deformable wal --young 6e10 --poisson 0.2", "did you mean `wall`?"),
        (
            "--deformable wall:T10x3 --young 6e10 --poisson 0.2",
            "`T10x3` is no mesh",
        ),
        ("--deformable base --young 6e10 --poisson 0.2", "stay rigid"),
        ("--deformable all", "neither `young_pa` nor `poisson`"),
        ("--young 6e10 --poisson 0.2", "all blocks are rigid"),
        ("--deformable all --young -1 --poisson 0.2", "must be above 0"),
        ("--deformable all --young 6e10 --poisson 0.5", "below 0.5"),
    ] {
        for command in [
            "check stones.json",
            "settle stones.json",
            "simulate stones.json --duration 0.01 -o run",
        ] {
            let said = failure(path, &format!("{command} {options}"), 2);
            assert!(said.contains(told), "{command} {options}: {said}");
        }
    }
    assert!(!path.join("run").exists());
}

#[test]
fn analyses_of_rigid_blocks_refuse_deformable_ones_and_say_that_those_of_a_file_are_rigid() {
    let folder = folder();
    let path = folder.path();
    let mut model = stones(path);
    let explicit = "simulate MODEL --duration 0.004 --integrator explicit --tables-only";
    let commands = ["limit MODEL --direction 1,0,0", "tilt MODEL --axis 0,1,0", explicit];
    for command in commands {
        let command = command
            .replace("MODEL", "stones.json")
            .replace("simulate", "simulate -o run");
        for option in [format!("--deformable all {ELASTIC}"), ELASTIC.to_string()] {
            let said = failure(path, &format!("{command} {option}"), 2);
            assert!(said.contains("takes all blocks as rigid"), "{said}");
        }
        let rigid = json(path, &command.replace("-o run", "-o rigid"));
        assert!(rigid["left_out"].is_null(), "{rigid}");
    }
    model["elasticity"] = value!({ "young_pa": 6e10, "poisson": 0.2 });
    model["deformable"] = value!([{ "blocks": "upper" }]);
    fs::write(path.join("soft.json"), model.to_string()).unwrap();
    for command in commands {
        let command = command
            .replace("MODEL", "soft.json")
            .replace("simulate", "simulate -o soft");
        let result = json(path, &command);
        let said = result["left_out"].as_str().unwrap_or_default();
        assert_eq!(
            said, "Blocks, 1 of which the model lets deform, are taken as rigid in this analysis.",
            "{command}"
        );
        if !command.starts_with("simulate") {
            assert!(result["conclusion"].as_str().unwrap().ends_with(said), "{result}");
        }
    }
}

/// Files of an elastic verdict say how it was found.
#[test]
fn files_of_an_elastic_verdict_name_its_method() {
    let folder = folder();
    let path = folder.path();
    stones(path);
    let told = json(
        path,
        &format!("check stones.json --method elastic --deformable all {ELASTIC} -o out"),
    );
    assert_eq!(
        (&told["method"], &told["verdict"]),
        (&value!("elastic"), &value!("stable"))
    );
    let kept: Value = serde_json::from_slice(&fs::read(path.join("out/results.json")).unwrap()).unwrap();
    assert_eq!(kept["method"], "elastic");
}
