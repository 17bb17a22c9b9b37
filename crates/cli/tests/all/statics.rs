//! `drystone check`, `limit`, `tilt` and `verify` as a person or a script meets them.

use std::{fs, path::Path};

use crate::common::{drystone, failure, folder, json};
use serde_json::Value;

/// What a command prints for people.
fn text(folder: &Path, arguments: &str) -> String {
    let output = drystone(folder, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).to_string()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn load(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

fn store(path: &Path, value: &Value) {
    fs::write(path, serde_json::to_string(value).expect("JSON")).expect("a file");
}

/// A block of 0.6 m by 1 m on the ground.
fn with_block() -> tempfile::TempDir {
    let folder = folder();
    let command = "new block --width 0.6 --depth 0.6 --height 1 --friction 0.8 -o block.json";
    json(folder.path(), command);
    folder
}

#[test]
fn a_stack_stands_by_every_method_and_every_certificate_is_valid() {
    let folder = folder();
    let path = folder.path();
    json(path, "new stack --blocks 3 -o stack.json");
    let result = json(path, "check stack.json --method all -o out");
    assert_eq!(result["verdict"], "stable");
    assert_eq!(result["method"], "cra");
    assert_eq!(result["self_stress"], "excluded");
    let others = result["others"].as_array().expect("others");
    let methods: Vec<&str> = others.iter().filter_map(|o| o["method"].as_str()).collect();
    assert_eq!(methods, ["cone", "rbe", "cra-penalty", "dynamic"]);
    for other in others {
        assert_eq!(other["verdict"], "stable", "{other}");
        assert_eq!(other["unstable_blocks"], Value::Array(Vec::new()));
    }
    assert!(number(&result["residual"]) < 1e-8);
    assert!(number(&result["max_force_n"]) > 0.0);
    assert!(result["tension_n"].is_null(), "cra knows no tension");
    assert!(number(&others[1]["tension_n"]) < 1e-3, "what stands needs no tension");
    assert!(others[3]["certificate"].is_null(), "time stepping proves nothing");
    assert!(number(&others[3]["displacement_m"]) < 0.01);
    for field in [
        "reason",
        "stages",
        "cone_margin",
        "work",
        "growth",
        "reach",
        "sensitivity",
        "time_s",
    ] {
        assert!(result.get(field).is_some(), "{field}");
    }
    assert_eq!(load(&path.join("out/result.json"))["verdict"], "stable");
    for name in ["", "-cone", "-rbe", "-cra-penalty"] {
        let found = json(path, &format!("verify out/certificate{name}.json stack.json"));
        assert_eq!(found["valid"], true, "{name}: {found}");
    }
    assert!(!path.join("out/certificate-dynamic.json").exists());
    // Nothing is written that was not asked for.
    let plain = json(path, "check stack.json --method cone");
    assert!(plain["certificate"].is_null());
}

#[test]
fn a_block_on_an_incline_slides_past_the_angle_of_friction() {
    let folder = with_block();
    let path = folder.path();
    let tilted = "check block.json --friction 0.3 --tilt-axis 0,1,0 --tilt-deg";
    let steep = json(path, &format!("{tilted} 17 -o steep"));
    assert_eq!(steep["verdict"], "unstable");
    assert_eq!(steep["others"][0]["verdict"], "unstable");
    assert_eq!(steep["unstable_blocks"], serde_json::json!(["block"]));
    assert!(number(&steep["work"]) > 0.0);
    assert_eq!(json(path, "verify steep/certificate.json block.json")["valid"], true);
    let flat = json(path, &format!("{tilted} 16.5 --certificate flat.json"));
    assert_eq!(flat["verdict"], "stable");
    assert_eq!(flat["certificate"], "flat.json");
    let said = text(path, "verify flat.json block.json");
    assert!(said.starts_with("valid:") && said.contains("yes"), "{said}");
}

#[test]
fn model_h_stands_by_forces_alone_and_the_difference_is_explained() {
    let folder = folder();
    let path = folder.path();
    json(path, "new model-h -o h.json");
    let result = json(path, "check h.json -o out");
    assert_eq!(result["verdict"], "unstable", "{result}");
    assert_eq!(result["others"][0]["method"], "cone");
    assert_eq!(result["others"][0]["verdict"], "stable");
    assert!(number(&result["growth"]) >= 0.999, "{result}");
    let said = text(path, "check h.json");
    let conclusion = result["conclusion"].as_str().expect("a conclusion");
    assert!(said.starts_with(&format!("model-h: {conclusion}\n")), "{said}");
    for part in ["proven, but only with self-stress", "evidence, not proof"] {
        assert!(conclusion.contains(part), "{part}: {conclusion}");
    }
    // What only specialists read is in the details.
    for part in ["eq.", "e-1", "residual"] {
        assert!(!said.contains(part), "{part}: {said}");
    }
    let details = text(path, "check h.json --details");
    assert!(details.contains("residual"), "{details}");
    assert_eq!(json(path, "verify out/certificate-cone.json h.json")["valid"], true);
    assert_eq!(json(path, "verify out/certificate.json h.json")["valid"], true);
    assert_eq!(
        (&result["proven"], &result["others"][0]["proven"]),
        (&false.into(), &true.into())
    );
    let shown = text(path, "verify out/certificate.json h.json");
    assert!(shown.contains("not proof"), "{shown}");
}

/// Broke: what couples are measured by was the weight, and there is none.
#[test]
fn couples_alone_are_carried_or_not_and_that_is_proven() {
    let folder = folder();
    let path = folder.path();
    for recipe in ["model-h", "block"] {
        json(path, &format!("new {recipe} -o {recipe}.json"));
        let file = path.join(format!("{recipe}.json"));
        let mut model = load(&file);
        model["load_cases"] = serde_json::json!({"turn": {"couples": [{"block": "block", "moment": [40, 0, 0]}]}});
        store(&file, &model);
    }
    // Walls press as much as it takes: there is no limit.
    let carried = json(path, "limit model-h.json --load turn");
    assert_eq!(carried["unbounded"], true, "{carried}");
    let free = "--gravity 0,0,0 --load turn --method cone -o";
    let held = json(path, &format!("check model-h.json {free} held"));
    assert!(held["verdict"] == "stable" && held["proven"] == true, "{held}");
    // Nothing presses a single block on the ground.
    let turns = json(path, &format!("check block.json {free} turns"));
    assert!(turns["verdict"] == "unstable" && turns["proven"] == true, "{turns}");
    assert_eq!(json(path, "verify turns/certificate.json block.json")["valid"], true);
}

#[test]
fn tension_that_would_hold_an_overhanging_block_is_told() {
    let folder = folder();
    let path = folder.path();
    json(path, "new stack --blocks 2 --offset 0.6 -o over.json");
    let result = json(path, "check over.json --method rbe,cra-penalty -o out");
    for found in [&result, &result["others"][0]] {
        assert_eq!(found["verdict"], "unstable", "{found}");
        assert!(number(&found["tension_n"]) > 0.0, "{found}");
        assert!(
            found["unstable_blocks"].as_array().is_some_and(|b| !b.is_empty()),
            "{found}"
        );
    }
    for name in ["", "-cra-penalty"] {
        let checked = json(path, &format!("verify out/certificate{name}.json over.json"));
        assert_eq!(checked["valid"], true, "{checked}");
    }
}

#[test]
fn a_block_that_touches_nothing_is_named() {
    let folder = folder();
    let path = folder.path();
    json(path, "new stack --blocks 2 -o stack.json");
    let mut model = load(&path.join("stack.json"));
    let mut stray = model["blocks"]
        .as_array()
        .and_then(|b| b.last())
        .expect("blocks")
        .clone();
    stray["name"] = "stray".into();
    stray["pose"] = serde_json::json!({ "position": [9.0, 0.0, 5.0] });
    model["blocks"].as_array_mut().expect("blocks").push(stray);
    store(&path.join("loose.json"), &model);
    let result = json(path, "check loose.json -o out");
    assert_eq!(result["verdict"], "unstable");
    assert_eq!(result["unstable_blocks"], serde_json::json!(["stray"]));
    let said = text(path, "check loose.json --method cone");
    assert!(
        said.contains("because of its geometry: `stray` touches nothing"),
        "{said}"
    );
    assert_eq!(result["geometry_problems"][0]["kind"], "unsupported");
    assert_eq!(json(path, "verify out/certificate.json loose.json")["valid"], true);
}

/// Changes the first number that is not zero by a hundredth.
fn change(value: &mut Value) {
    let numbers = value.as_array_mut().expect("a vector");
    let one = numbers.iter_mut().find(|v| v.as_f64().is_some_and(|v| v.abs() > 1e-6));
    let one = one.expect("a number");
    *one = Value::from(number(one) * 1.01);
}

#[test]
fn a_certificate_fails_when_a_force_a_velocity_or_a_corner_is_changed() {
    let folder = with_block();
    let path = folder.path();
    json(path, "check block.json --method cone --certificate stands.json");
    json(
        path,
        "check block.json --method cone --tilt-axis 0,1,0 --tilt-deg 40 --certificate falls.json",
    );
    let invalid = |certificate: &str, model: &str| {
        let arguments = format!("verify {certificate} {model}");
        let found = json(path, &arguments);
        assert_eq!(found["valid"], false, "{found}");
        let claims = found["claims"].as_array().expect("claims");
        assert!(claims.iter().any(|c| c["holds"] == false && c["claim"].is_string()));
        let said = text(path, &arguments);
        assert!(said.contains("no, ") && said.contains("FAILS"), "{said}");
    };
    for certificate in ["stands.json", "falls.json"] {
        let found = json(path, &format!("verify {certificate} block.json"));
        assert_eq!(found["valid"], true, "{found}");
    }
    let mut forces = load(&path.join("stands.json"));
    change(&mut forces["forces"][0]["force"]);
    store(&path.join("force.json"), &forces);
    invalid("force.json", "block.json");
    let mut motions = load(&path.join("falls.json"));
    change(&mut motions["motions"][0]["linear"]);
    store(&path.join("motion.json"), &motions);
    invalid("motion.json", "block.json");
    json(path, "export block.json -o meshed.obj");
    let supports = load(&path.join("block.json"))["blocks"][0]["name"]
        .as_str()
        .expect("a name")
        .to_string();
    let meshed = format!("check meshed.obj --supports {supports} --method cone --certificate meshed.json");
    assert_eq!(
        json(path, &meshed)["verdict"],
        "stable",
        "other programs' files can be asked about"
    );
    assert_eq!(json(path, "verify meshed.json meshed.obj")["valid"], true);
    let mut lines: Vec<String> = fs::read_to_string(path.join("meshed.obj"))
        .expect("a file")
        .lines()
        .map(String::from)
        .collect();
    let last = lines.iter().rposition(|l| l.starts_with("v ")).expect("a vertex");
    lines[last] = lines[last].replace("0.3", "0.31").replace(" 1", " 1.01");
    fs::write(path.join("moved.obj"), lines.join("\n")).expect("a file");
    invalid("meshed.json", "moved.obj");
}

#[test]
fn a_block_carries_a_horizontal_force_of_its_friction_or_of_its_slenderness() {
    let folder = with_block();
    let path = folder.path();
    // It slides at mu, and overturns at b/h.
    for (friction, expected) in [(0.3, 0.3), (0.5, 0.5), (0.8, 0.6)] {
        let found = json(
            path,
            &format!("limit block.json --direction 3,0,0 --friction {friction} -o limit"),
        );
        let (low, high) = (number(&found["bounds"][0]), number(&found["bounds"][1]));
        assert!((number(&found["multiplier"]) - expected).abs() < 1e-5, "{found}");
        assert!(low <= expected + 1e-9 && high >= expected - 1e-7, "{found}");
        assert_eq!(found["friction"], "associated");
        assert_eq!(found["stages"][0]["stage"], "dead_loads", "{found}");
        assert_eq!(found["stages"][0]["outcome"], "answered", "{found}");
        for name in ["stands", "falls"] {
            let file = found["certificates"][name]["file"].as_str().expect("a file");
            let checked = json(path, &format!("verify {file} block.json"));
            assert_eq!(checked["valid"], true, "{name}: {checked}");
        }
    }
    let coulomb = json(
        path,
        "limit block.json --direction 0,-1,0 --friction-law coulomb --friction 0.3 -o coulomb",
    );
    assert!((number(&coulomb["multiplier"]) - 0.3).abs() < 1e-3, "{coulomb}");
    assert_eq!(
        json(path, "verify coulomb/certificate-stands.json block.json")["valid"],
        true
    );
    let said = text(path, "limit block.json --direction 1,0,0 --details");
    assert!(said.contains("self-stress allowed"), "{said}");
    assert!(said.contains("dead_loads: answered at 0, residual"), "{said}");
    assert!(said.contains("(both proven)"), "{said}");
}

#[test]
fn a_block_is_tilted_with_a_load_that_turns_with_it() {
    let folder = folder();
    let path = folder.path();
    json(
        path,
        "new block --width 0.6 --depth 0.6 --height 0.3 --friction 0.2 -o block.json",
    );
    let mut model = load(&path.join("block.json"));
    // Pressed against its board by as much as it weighs: 216 kg.
    let weight = 216.0 * 9.81;
    model["gravity"] = serde_json::json!([0.0, 0.0, -9.81]);
    model["load_cases"] = serde_json::json!({
        "press": { "forces": [{ "block": "block", "force": [0.0, 0.0, -0.5 * weight] }] },
    });
    store(&path.join("pressed.json"), &model);
    // It slides where sin(angle) = mu (cos(angle) + 1).
    let friction = 0.2_f64;
    let expected = friction.atan() + (friction / (1.0 + friction * friction).sqrt()).asin();
    for method in ["cone", "cra"] {
        let found = json(
            path,
            &format!("tilt pressed.json --axis 0,1,0 --load press:2 --method {method} -o out"),
        );
        let [lower, upper] = ["lower_deg", "upper_deg"].map(|bound| number(&found[bound]));
        assert!(
            lower <= expected.to_degrees() + 1e-6 && expected.to_degrees() <= upper + 1e-6,
            "{found}"
        );
        assert!(upper - lower < 0.01, "{found}");
        for side in ["stands", "falls"] {
            let checked = json(path, &format!("verify out/certificate-{side}.json pressed.json"));
            assert_eq!(checked["valid"], true, "{side}: {checked}");
        }
        // It slides and turns about nothing.
        let drawn = fs::read_to_string(path.join("out/mechanism.svg")).expect("a drawing");
        assert!(drawn.contains(">sliding<") && !drawn.contains(">hinge<"));
        assert!(path.join("out/mechanism.png").exists() && path.join("out/result.json").exists());
    }
    // The weight alone: tan(angle) = mu.
    let alone = json(path, "tilt pressed.json --axis 0,1,0 --method cone");
    assert!((number(&alone["critical_tilt_deg"]) - friction.atan().to_degrees()).abs() < 0.01);
}

#[test]
fn an_arch_that_falls_is_drawn_with_its_hinges() {
    let folder = folder();
    let path = folder.path();
    json(path, "new arch --thickness 0.3 -o arch.json");
    json(path, "check arch.json -o out");
    let drawn = fs::read_to_string(path.join("out/mechanism.svg")).expect("a drawing");
    // An arch that is too thin falls on itself by five hinges at least; one ring is the legend's. A ring is a dark disc with a white
    // one in it.
    let discs = drawn.matches("<circle ").count();
    assert!(discs >= 12 && discs.is_multiple_of(2), "{discs}");
    json(path, "limit arch.json --direction 1,0,0 -o limit");
    assert!(
        !path.join("limit/mechanism.svg").exists(),
        "it does not stand at any multiplier"
    );
    json(path, "new arch -o stands.json");
    json(path, "limit stands.json --direction 1,0,0 -o limit");
    for file in [
        "forces.svg",
        "mechanism.svg",
        "mechanism.png",
        "mechanism.glb",
        "results.json",
    ] {
        assert!(path.join("limit").join(file).exists(), "{file}");
    }
    // What an earlier question left is gone.
    json(path, "check stands.json -o limit");
    assert!(!path.join("limit/mechanism.svg").exists() && !path.join("limit/certificate-falls.json").exists());
}

#[test]
fn load_cases_act_grow_and_stay() {
    let folder = with_block();
    let path = folder.path();
    let mut model = load(&path.join("block.json"));
    // 720 kg: 7.06 kN of weight.
    model["load_cases"] = serde_json::json!({
        "wind": { "forces": [{ "block": "block", "force": [1000.0, 0.0, 0.0] }] },
        "roof": { "forces": [{ "block": "block", "force": [0.0, 0.0, -1000.0] }] },
    });
    store(&path.join("loaded.json"), &model);
    let weight = 720.0 * 9.81;
    let gravity = "--gravity 0,0,-9.81";
    let alone = json(path, &format!("limit loaded.json --load wind {gravity}"));
    assert!(
        (number(&alone["multiplier"]) - 0.6 * weight / 1000.0).abs() < 1e-3,
        "{alone}"
    );
    let held = json(path, &format!("limit loaded.json --load wind --dead roof:2 {gravity}"));
    let expected = 0.6 * (weight + 2000.0) / 1000.0;
    assert!((number(&held["multiplier"]) - expected).abs() < 1e-3, "{held}");
    let check = |factor: f64| {
        let command = format!("check loaded.json --method all --load wind:{factor} {gravity} -o out");
        let found = json(path, &command);
        for name in ["", "-cone", "-rbe", "-cra-penalty"] {
            let checked = json(path, &format!("verify out/certificate{name}.json loaded.json"));
            assert_eq!(checked["valid"], true, "{name}: {checked}");
        }
        found
    };
    let (stands, falls) = (check(4.0), check(4.5));
    assert_eq!(stands["verdict"], "stable");
    assert_eq!(falls["verdict"], "unstable");
    for k in 0..4 {
        assert_eq!(stands["others"][k]["verdict"], "stable", "{stands}");
        assert_eq!(falls["others"][k]["verdict"], "unstable", "{falls}");
    }
    let near = json(
        path,
        "check block.json --friction 0.9 --sensitivity --tilt-axis 0,1,0 --tilt-deg 10",
    );
    let least = number(&near["sensitivity"]["least_friction"]);
    assert!((least - 10f64.to_radians().tan()).abs() < 1e-3, "{near}");
    assert!(near["sensitivity"]["friction_factor"].is_number());
    assert!(number(&near["sensitivity"]["worst_direction"]["multiplier"]) > 0.0);
}

#[test]
fn an_arch_falls_at_one_angle_whatever_its_size() {
    let folder = folder();
    let path = folder.path();
    let mut angles = Vec::new();
    for (name, thickness, radius, width) in [("small", 0.15, 1.0, 0.5), ("large", 3.0, 20.0, 10.0)] {
        let build =
            format!("new arch --voussoirs 9 --thickness {thickness} --radius {radius} --width {width} -o {name}.json");
        json(path, &build);
        let found = json(path, &format!("tilt {name}.json --axis 0,1,0 --method cone --sweep 9"));
        assert_eq!(found["beyond"], "unstable", "{found}");
        assert_eq!(found["sweep"]["changes"], 1, "{found}");
        assert!(number(&found["above_deg"]) - number(&found["critical_tilt_deg"]) < 0.01);
        angles.push(number(&found["critical_tilt_deg"]));
    }
    assert!((angles[0] - angles[1]).abs() < 0.01, "{angles:?}");
    assert!(angles[0] > 1.0 && angles[0] < 45.0, "{angles:?}");
}

#[test]
fn a_block_is_tilted_until_it_slides_or_overturns_and_threads_change_nothing() {
    let folder = with_block();
    let path = folder.path();
    for (friction, tangent) in [(0.4f64, 0.4f64), (0.8, 0.6)] {
        for method in ["cra", "cone"] {
            let command = format!("tilt block.json --axis 0,2,0 --friction {friction} --method {method}");
            let found = json(path, &format!("{command} --threads 1"));
            let error = number(&found["critical_tilt_deg"]) - tangent.atan().to_degrees();
            assert!(error.abs() < 0.01, "{found}");
            assert_eq!(found["method"], method);
            let again = json(path, &format!("{command} --threads 2"));
            assert_eq!(again["critical_tilt_deg"], found["critical_tilt_deg"]);
        }
    }
    let said = text(path, "tilt block.json --axis 0,1,0");
    assert!(said.contains("self-stress not allowed"), "{said}");
}

#[test]
fn a_support_that_gives_way_leaves_an_arch_the_least_thrust() {
    let folder = folder();
    let path = folder.path();
    json(path, "new arch --friction 3 -o arch.json");
    let command = "check arch.json --method cone --move-support springer-right=1,0,0";
    let result = json(path, &format!("{command} -o out"));
    let moved = &result["moved_supports"];
    assert_eq!(moved["follows"], true, "{moved}");
    assert!(number(&moved["hinges"]) >= 3.0, "{moved}");
    // The same ends as those of the range of thrusts.
    let range = &load(&path.join("out/results.json"))["thrust_range"];
    for (field, end) in [("push_n", "minimum"), ("largest_push_n", "maximum")] {
        let expected = number(&range[end]["horizontal_n"]);
        assert!(
            (number(&moved[field]) / expected - 1.0).abs() < 1e-3,
            "{field}: {moved}"
        );
    }
    // The crown goes down, and the support where it was told to.
    let motion = |name: &str| -> Vec<f64> {
        let all = moved["motions"].as_array().expect("motions");
        let one = all.iter().find(|m| m["block"] == name).expect("a block");
        one["linear"].as_array().expect("a vector").iter().map(number).collect()
    };
    assert!(motion("voussoir-18")[2] < -0.1);
    assert_eq!(motion("springer-right"), [1.0, 0.0, 0.0]);
    for file in ["moved.svg", "moved.png", "moved.glb"] {
        assert!(path.join("out").join(file).is_file(), "{file}");
    }
    let said = text(path, command);
    for part in [
        "supports moved",
        "`springer-right` by 1,0,0",
        "follows",
        "least of all states",
        "hinges",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // Files of a movement do not outlive a check without one.
    json(path, "check arch.json --method cone -o out");
    assert!(!path.join("out/moved.png").exists());
}

#[test]
fn walls_that_close_in_on_a_block_are_not_followed() {
    let folder = folder();
    let path = folder.path();
    json(path, "new model-h -o h.json");
    let model = load(&path.join("h.json"));
    assert_eq!(model["blocks"][0]["name"], "right-wall");
    let result = json(path, "check h.json --method cone --move-support right-wall=-1,0,0");
    assert_eq!(result["moved_supports"]["follows"], false, "{result}");
    assert!(result["moved_supports"]["push_n"].is_null(), "nothing bounds it");
    // Nothing stands on nothing: there are no forces that a movement could choose from.
    json(path, "new stack --blocks 2 --offset 0.6 -o over.json");
    let result = json(path, "check over.json --method cone --move-support ground=0,0,-1");
    assert!(result["moved_supports"]["follows"].is_null(), "{result}");
}

#[test]
fn bad_input_is_told_what_is_wrong() {
    let folder = with_block();
    let path = folder.path();
    for (command, expected) in [
        ("check block.json --method magic", "magic"),
        ("check block.json --load wind -o out", "no load case `wind`"),
        ("check block.json --load wind:x", "not a finite number"),
        ("check block.json --tilt-axis 0,0,0 --tilt-deg 5", "must have a length"),
        ("check block.json --tilt-deg 5", "--tilt-axis"),
        ("check block.json --gravity 0,0,0", "nothing acts"),
        ("check block.json --threads 0", "1..=1024"),
        ("check missing.json", "missing.json"),
        ("check block.json --move-support ground", "NAME=X,Y,Z"),
        ("check block.json --move-support moon=1,0,0", "no block `moon`"),
        ("check block.json --move-support block=1,0,0", "not a support"),
        ("check block.json --move-support ground=0,0,0", "must have a length"),
        ("check block.json --move-support ground=1,0", "three numbers"),
        (
            "check block.json --move-support ground=1,0,0 --move-support ground=0,1,0",
            "moved twice",
        ),
        ("limit block.json", "--direction"),
        ("limit block.json --direction 0,0,0", "must have a length"),
        ("limit block.json --direction 1,0,0 --load wind", "cannot be used with"),
        ("limit block.json --direction 1,0,0 --gravity 0,0,0", "units of gravity"),
        ("limit block.json --load wind", "no load case `wind`"),
        ("tilt block.json --axis 0,0,0", "must have a length"),
        ("tilt block.json --axis 0,0,1", "tilts nothing"),
        ("tilt block.json --axis 0,1,0 --gravity 0,0,0", "no gravity"),
        ("tilt block.json --axis 0,1,0 --method dynamic", "dynamic"),
        ("verify missing.json block.json", "missing.json"),
        ("verify block.json block.json", "not a certificate"),
    ] {
        let message = failure(path, command, 2);
        assert!(message.contains(expected), "{command}: {message}");
    }
    assert!(!path.join("out").exists(), "nothing is left behind by what was refused");
    let mut model = load(&path.join("block.json"));
    for block in model["blocks"].as_array_mut().expect("blocks") {
        block["fixed"] = false.into();
    }
    store(&path.join("adrift.json"), &model);
    for command in [
        "check adrift.json",
        "limit adrift.json --direction 1,0,0",
        "tilt adrift.json --axis 0,1,0",
    ] {
        let message = failure(path, command, 2);
        assert!(message.contains("no block is fixed"), "{message}");
    }
}

/// A stack of two whose upper block is moved along z by so much (m).
fn shifted(path: &Path, by: f64) {
    json(path, "new stack --blocks 2 -o stack.json");
    let mut model = load(&path.join("stack.json"));
    let upper = model["blocks"].as_array_mut().and_then(|b| b.last_mut());
    upper.expect("blocks")["pose"] = serde_json::json!({ "position": [0.0, 0.0, by] });
    store(&path.join("shifted.json"), &model);
}

#[test]
fn blocks_inside_one_another_reach_no_verdict_in_silence() {
    let folder = folder();
    let path = folder.path();
    shifted(path, -0.05);
    for command in [
        "check shifted.json",
        "check shifted.json --method cone",
        "limit shifted.json --direction 1,0,0",
        "tilt shifted.json --axis 0,1,0 --method cone",
        "contacts shifted.json",
        "info shifted.json",
        "simulate shifted.json --duration 0.02 --dt 0.01 --tables-only -o run --overwrite",
    ] {
        let found = json(path, command);
        let problems = found["geometry_problems"].as_array().expect(command);
        assert_eq!(problems.len(), 1, "{command}: {found}");
        assert_eq!(problems[0]["kind"], "overlap", "{command}");
        assert!((number(&problems[0]["depth_m"]) - 0.05).abs() < 1e-9, "{command}");
        let said = text(path, command);
        assert!(said.contains("overlap"), "{command}: {said}");
    }
    let found = json(path, "check shifted.json");
    assert_eq!(
        (&found["verdict"], &found["proven"]),
        (&"undecided".into(), &false.into())
    );
    let conclusion = found["conclusion"].as_str().expect("a conclusion");
    assert!(
        conclusion.starts_with("No verdict: the geometry is wrong."),
        "{conclusion}"
    );
    let said = text(path, "check shifted.json --details");
    assert!(!said.contains("please report"), "the program is not at fault: {said}");
    let sound = json(path, "check stack.json");
    assert_eq!(sound["geometry_problems"], Value::Array(Vec::new()));
}

#[test]
fn a_block_that_nearly_touches_falls_because_of_its_geometry() {
    let folder = folder();
    let path = folder.path();
    shifted(path, 0.0004);
    let found = json(path, "check shifted.json --method cone");
    assert_eq!(found["verdict"], "unstable");
    assert_eq!(found["proven"], true);
    assert_eq!(found["geometry_problems"][0]["kind"], "nearly_touching");
    assert!((number(&found["geometry_problems"][0]["distance_m"]) - 0.0004).abs() < 1e-9);
    let conclusion = found["conclusion"].as_str().expect("a conclusion");
    assert!(
        conclusion.contains("because of its geometry") && conclusion.contains("400 µm"),
        "{conclusion}"
    );
}

#[test]
fn what_is_proven_has_been_accepted_by_the_verifier() {
    let folder = folder();
    let path = folder.path();
    for (recipe, options) in [
        ("arch", ""),
        ("model-h", ""),
        ("shelf", ""),
        ("stack", "--offset 0.6 --blocks 2"),
    ] {
        json(path, &format!("new {recipe} {options} -o m.json"));
        for method in ["cone", "rbe", "cra", "cra-penalty"] {
            let found = json(path, &format!("check m.json --method {method} -o out"));
            let mut each = vec![&found];
            each.extend(found["others"].as_array().into_iter().flatten());
            for answer in each {
                assert!(answer["refused"].is_null(), "{recipe}: {answer}");
                let Some(file) = answer["certificate"].as_str() else {
                    assert_eq!(answer["proven"], false, "{recipe}: {answer}");
                    continue;
                };
                let verified = json(path, &format!("verify {file} m.json"));
                assert_eq!(verified["valid"], true, "{recipe}: {verified}");
                let proves = answer["proven"] == true || answer["equilibrium_proven"] == true;
                assert_eq!(verified["proof"] == true, proves, "{recipe}: {answer}");
            }
        }
    }
}

#[test]
fn text_json_and_report_draw_the_same_conclusion() {
    let folder = folder();
    let path = folder.path();
    json(path, "new shelf -o shelf.json");
    let found = json(path, "check shelf.json -o out");
    let conclusion = found["conclusion"].as_str().expect("a conclusion");
    assert!(text(path, "check shelf.json").starts_with(&format!("shelf: {conclusion}\n")));
    json(path, "report out -o out.html");
    let page = fs::read_to_string(path.join("out.html")).expect("a report");
    let escaped = conclusion.replace('\'', "&#39;");
    assert!(page.contains(conclusion) || page.contains(&escaped), "{conclusion}");
}
