//! `drystone settle` as a person or a script meets it.

use std::fs;

use crate::common::{drystone, failure, folder, json};
use serde_json::{Value, json as value};

#[test]
fn an_arch_on_a_support_that_moves_leaves_its_path_its_cracks_and_a_model_that_others_read() {
    let folder = folder();
    let path = folder.path();
    json(path, "new arch --voussoirs 9 --thickness 1.2 -o arch.json");
    let result = json(path, "settle arch.json --shift springer-right=0.1,0,0 --steps 8 -o out");
    assert_eq!(result["end"], "completed");
    let stages = result["stages"].as_array().unwrap();
    assert_eq!(stages.len(), 2);
    assert_eq!(stages[1]["done"], 1.0);
    assert!(stages[1]["max_opening_m"].as_f64().unwrap() > 0.01);
    assert!(
        stages[0]["open_joints"] == 0 && stages[1]["open_joints"] == 3,
        "{stages:?}"
    );
    let stored: Value = serde_json::from_slice(&fs::read(path.join("out/result.json")).unwrap()).unwrap();
    assert_eq!(stored["conclusion"], result["conclusion"]);
    for name in result["files"].as_array().unwrap() {
        let file = path.join("out").join(name.as_str().unwrap());
        assert!(fs::metadata(&file).unwrap().len() > 100, "{}", file.display());
    }
    let table = fs::read_to_string(path.join("out/path.csv")).unwrap();
    assert_eq!(table.lines().count(), 17, "{table}");
    // What is left is a structure of its own.
    let info = json(path, "info out/stage-2.json");
    assert_eq!(info["blocks"], json(path, "info arch.json")["blocks"]);
    let text = drystone(path, "settle arch.json --shift springer-right=0.1,0,0 --steps 8");
    let text = String::from_utf8_lossy(&text.stdout).to_string();
    assert!(text.contains("It stands through 2 stages"), "{text}");
}

#[test]
fn a_load_beyond_what_a_block_bears_ends_the_path_where_it_slides() {
    let folder = folder();
    let path = folder.path();
    json(
        path,
        "new block --width 2 --depth 2 --height 1 --friction 0.5 -o block.json",
    );
    let mut model: Value = serde_json::from_slice(&fs::read(path.join("block.json")).unwrap()).unwrap();
    let info = json(path, "info block.json");
    let weight = info["mass_kg"].as_f64().unwrap() * 9.81;
    let name = model["blocks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|b| b["fixed"] != true)
        .unwrap()["name"]
        .clone();
    model["load_cases"] = value!({"push": {"forces": [{"block": name, "force": [weight, 0, 0]}]}});
    fs::write(path.join("pushed.json"), model.to_string()).unwrap();
    let result = json(path, "settle pushed.json --load push:2 --steps 10");
    assert_eq!(result["end"], "no_equilibrium");
    let reached = result["ends_in"][1][0].as_f64().unwrap();
    assert!((2.0 * reached - 0.5).abs() < 1e-3, "{reached}");
    assert_eq!(result["moving_blocks"], value!([name]));
    assert!(
        result["conclusion"].as_str().unwrap().contains("`push` at 0.5"),
        "{result}"
    );
}

#[test]
fn what_statics_leaves_out_of_a_joint_law_is_said() {
    let folder = folder();
    let path = folder.path();
    json(path, "new block -o block.json");
    let mut model: Value = serde_json::from_slice(&fs::read(path.join("block.json")).unwrap()).unwrap();
    assert!(json(path, "check block.json")["left_out"].is_null());
    model["joints"]["bond"] = value!({"tension_pa": 1e4});
    fs::write(path.join("mortar.json"), model.to_string()).unwrap();
    for command in [
        "check mortar.json",
        "limit mortar.json --direction 1,0,0",
        "tilt mortar.json --axis 1,0,0",
    ] {
        let result = json(path, command);
        for field in ["left_out", "conclusion"] {
            let said = result[field].to_string();
            assert!(said.contains("Joints are taken as dry"), "{command}: {said}");
        }
    }
}

#[test]
fn stages_and_laws_that_cannot_be_are_refused() {
    let folder = folder();
    let path = folder.path();
    json(path, "new arch --voussoirs 5 -o arch.json");
    let said = failure(path, "settle arch.json --shift nobody=1,0,0", 2);
    assert!(said.contains("there is no block and no group `nobody`"), "{said}");
    let said = failure(path, "settle arch.json --shift springer-right", 2);
    assert!(said.contains("NAME=X,Y,Z"), "{said}");
    let said = failure(path, "settle arch.json --load truck", 2);
    assert!(said.contains("truck"), "{said}");
    fs::write(path.join("stages.json"), r#"{"stages": [{"name": "a", "gravty": 1}]}"#).unwrap();
    let said = failure(path, "settle arch.json --stages stages.json", 2);
    assert!(said.contains("gravty"), "{said}");
    fs::write(path.join("stages.json"), r#"{"stages": []}"#).unwrap();
    let said = failure(path, "settle arch.json --stages stages.json", 2);
    assert!(said.contains("empty"), "{said}");
    let said = failure(path, "settle arch.json --stiffness 1e9", 2);
    assert!(said.contains("1e10,4e9"), "{said}");
    let arch: Value = serde_json::from_slice(&fs::read(path.join("arch.json")).unwrap()).unwrap();
    for (law, has) in [
        (value!({"friction": 0.6, "bond": {"tension_pa": -1.0}}), "tension_pa"),
        (value!({"friction": 0.6, "bond": {}}), "needs a strength"),
        (
            value!({"friction": 0.6, "static_friction": 0.5}),
            "must be at least `friction`",
        ),
        (
            value!({"friction": 0.6, "bond": {"tension_pa": 1e5, "cohesion_pa": 1e3}}),
            "friction times tension",
        ),
        (
            value!({"friction": 0.6, "bond": {"adhesion": {"energy_j_m2": 5.0}}}),
            "stiffness_n_m3",
        ),
        (
            value!({"friction": 0.6, "bond": {"tension_pa": 1e5, "fracture_energy_j_m2": [0.0, 1.0]}}),
            "fracture_energy_j_m2[0]",
        ),
    ] {
        let mut model = arch.clone();
        model["joints"] = law;
        fs::write(path.join("bad.json"), model.to_string()).unwrap();
        let said = failure(path, "settle bad.json", 2);
        assert!(said.contains(has), "{said}");
    }
}

/// Time steps reach the equilibria of an arch that are found one by one, and bear its weight.
#[test]
fn other_ways_lead_to_the_same_arch() {
    let folder = folder();
    let path = folder.path();
    json(path, "new arch --voussoirs 7 --thickness 1.2 -o arch.json");
    let moved = |result: &Value| result["stages"][0]["max_displacement_m"].as_f64().unwrap();
    let common = "settle arch.json --stiffness 1e9,1e9 --steps 3";
    let one_by_one = json(path, common);
    assert_eq!(
        (&one_by_one["way"], &one_by_one["dt_s"]),
        (&value!("equilibria"), &Value::Null)
    );
    for way in ["velocity-cancelling", "numerical-filter"] {
        let result = json(path, &format!("{common} --way {way} --dt 0.02"));
        assert_eq!(result["end"], "completed");
        assert_eq!(result["way"], way.replace('-', "_"));
        let ratio = moved(&result) / moved(&one_by_one);
        assert!((ratio - 1.0).abs() < 1e-2, "{way}: {ratio}");
    }
    let message = failure(path, &format!("{common} --dt 0.02"), 2);
    assert!(message.contains("--way"), "{message}");
}

/// Three blocks a third of a turn apart, each pushed outwards by F, and a ring of ties around them: at each block two ties meet at
/// 60 degrees, so that 2 T cos 30 degrees = F.
#[test]
fn a_ring_of_ties_holds_what_pushes_outwards() {
    let folder = folder();
    let path = folder.path();
    let push = 1000.0;
    let (mut blocks, mut anchors, mut forces) = (Vec::new(), Vec::new(), Vec::new());
    let floor = value!({ "box": { "size": [4, 4, 1], "center": [0, 0, -0.5] } });
    blocks.push(value!({ "name": "floor", "shape": floor, "fixed": true }));
    for (k, name) in ["a", "b", "c"].into_iter().enumerate() {
        let (sin, cos) = (std::f64::consts::TAU * k as f64 / 3.0).sin_cos();
        let at = value!([cos, sin, 0.1]);
        let shape = value!({ "box": { "size": [0.2, 0.2, 0.2], "center": at } });
        blocks.push(value!({ "name": name, "shape": shape }));
        anchors.push(value!({ "block": name, "at": at }));
        forces.push(value!({ "block": name, "force": [push * cos, push * sin, 0] }));
    }
    let rod = value!({ "tie": { "area_m2": 1e-4, "modulus_pa": 2e11 } });
    let model = |friction: f64| {
        value!({
            "drystone": 1, "density": 2000.0, "joints": { "friction": friction }, "blocks": blocks,
            "ties": [{ "name": "hoop", "ring": anchors, "kind": rod }],
            "load_cases": { "push": { "forces": forces } }
        })
    };
    let exact = push / 3_f64.sqrt();
    let told = |result: &Value, allowed: f64| {
        let groups = result["tie_groups"].as_array().unwrap();
        assert_eq!(groups.len(), 1);
        assert_eq!((&groups[0]["group"], &groups[0]["ties"]), (&value!("hoop"), &value!(3)));
        let force = groups[0]["max_force_n"].as_f64().unwrap();
        assert!((force / exact - 1.0).abs() < allowed, "{force} N, {exact} N");
        let ties = result["ties"].as_array().unwrap();
        assert!(ties.len() == 3 && ties.iter().all(|t| t["group"] == "hoop"), "{ties:?}");
    };
    fs::write(path.join("smooth.json"), model(0.0).to_string()).unwrap();
    told(&json(path, "check smooth.json --load push"), 1e-6);
    let text = drystone(path, "check smooth.json --load push");
    let text = String::from_utf8_lossy(&text.stdout).to_string();
    assert!(text.contains("`hoop` (largest of 3 ties"), "{text}");
    // A little friction, for slow loading to know where they stand: 157 N of weight on each joint.
    fs::write(path.join("rough.json"), model(1e-3).to_string()).unwrap();
    told(&json(path, "settle rough.json --load push --steps 4"), 1e-3);
    let text = drystone(path, "settle rough.json --load push --steps 4");
    let text = String::from_utf8_lossy(&text.stdout).to_string();
    assert!(text.contains("hoop: up to 577"), "{text}");
    // Put on at once it swings to twice that, less what the steps damp.
    let run = json(
        path,
        "simulate smooth.json --load push --duration 0.05 --dt 0.0005 --every 0.05 -o run",
    );
    let peak = run["tie_groups"][0]["max_force_n"].as_f64().unwrap();
    assert!(peak > exact && peak < 2.0 * exact, "{peak} N");
}
