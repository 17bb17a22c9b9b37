//! Bridges, drawings and materials as a person meets them: built, loaded, proven, drawn and read back.

use std::fs;

use crate::common::{failure, folder, json};
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Pressure of water and of fill in every analysis that takes load cases, with certificates that hold and that forgers cannot use for
/// another model.
#[test]
fn a_bridge_under_its_fill_and_an_axle_is_proven() {
    let folder = folder();
    let path = folder.path();
    json(
        path,
        "new bridge --rise 3 --fill pressure --lateral 0 --axle-spread 0 -o bridge.json",
    );
    json(path, "new bridge --rise 3 --fill mass --axle-spread 0 -o heavy.json");
    // With fill as weight alone the axle may be as large as with fill as mass: both are the same dead load.
    let mass = number(&json(path, "limit heavy.json --load axle")["multiplier"]);
    let pressure = number(&json(path, "limit bridge.json --load axle --dead fill -o limit")["multiplier"]);
    assert!((mass - 2.320225).abs() < 2.4e-3, "{mass}");
    assert!((pressure / mass - 1.0).abs() < 1e-3, "{pressure} {mass}");
    for file in ["stands", "falls"] {
        let checked = json(path, &format!("verify limit/certificate-{file}.json bridge.json"));
        assert_eq!(checked["valid"], true, "{checked}");
        assert!(!json_valid(
            path,
            &format!("limit/certificate-{file}.json"),
            "heavy.json"
        ));
    }
    // Load cases are stated by name: with another factor the same forces prove nothing.
    let stated = fs::read_to_string(path.join("limit/certificate-stands.json")).unwrap();
    assert!(stated.contains("\"load_cases\"") && stated.contains("\"fill\"") && stated.contains("\"axle\""));
    // Mass has inertia, pressure has none.
    let lateral = |file: &str| number(&json(path, &format!("limit {file} --direction 1,0,0"))["multiplier"]);
    assert!(lateral("heavy.json") != lateral("bridge.json"));
    let settled = json(path, "settle heavy.json --load axle:0.5 -o settled");
    assert_eq!(settled["end"], "completed", "{settled}");
    let shaken = json(path, "simulate bridge.json --load fill --duration 0.05 -o run");
    assert_eq!(shaken["collapsed"], false, "{shaken}");
}

fn json_valid(path: &std::path::Path, certificate: &str, model: &str) -> bool {
    let output = crate::common::drystone(path, &format!("verify {certificate} {model} --json"));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    told["valid"] == true
}

#[test]
fn drawings_go_out_and_come_back() {
    let folder = folder();
    let path = folder.path();
    json(path, "new arch --voussoirs 9 --ground false -o arch.json -o arch.dxf");
    let read = json(path, "import arch.dxf --material sandstone -o back.json");
    assert_eq!((&read["blocks"], &read["fixed"]), (&Value::from(11), &Value::from(2)));
    let [before, after] = ["arch", "back"].map(|file| json(path, &format!("info {file}.json")));
    assert!((number(&before["volume_m3"]) - number(&after["volume_m3"])).abs() < 1e-9);
    assert_eq!(before["interfaces"], after["interfaces"]);
    // 24 kN/m3 over 9.81 m/s2.
    let density = number(&after["mass_kg"]) / number(&after["volume_m3"]);
    assert!((density - 2450.0).abs() < 1e-6, "{density}");
    // A drawing in millimetres, with a thickness from the command line and a layer as support.
    let square = |layer: &str, z: i32| {
        let corners = [[0, z], [1000, z], [1000, z + 500], [0, z + 500]];
        let corners: String = corners.iter().map(|[x, y]| format!("10\n{x}\n20\n{y}\n")).collect();
        format!("0\nLWPOLYLINE\n8\n{layer}\n70\n1\n{corners}")
    };
    let drawing = format!(
        "0\nSECTION\n2\nENTITIES\n{}{}0\nENDSEC\n0\nEOF\n",
        square("base", -500),
        square("stones", 0)
    );
    fs::write(path.join("two.dxf"), drawing).unwrap();
    let command = "import two.dxf --unit mm --thickness 0.3 --supports group:base -o two.json";
    let read = json(path, command);
    assert_eq!(
        (&read["blocks"], &read["fixed"], &read["interfaces"]),
        (&Value::from(2), &Value::from(1), &Value::from(1))
    );
    assert_eq!(json(path, "check two.json")["verdict"], "stable");
    let told = failure(path, "import two.dxf --thickness 0 -o two.json", 2);
    assert!(told.contains("must be a number above 0"), "{told}");
    json(path, "new dome -o dome.json");
    let told = failure(path, "export dome.json -o dome.dxf", 2);
    assert!(told.contains("is no prism along"), "{told}");
}

#[test]
fn materials_are_listed_with_their_sources_and_taken_by_name() {
    let folder = folder();
    let path = folder.path();
    let listed = json(path, "new --materials");
    let all = listed["materials"].as_array().unwrap();
    let sources: Vec<&str> = listed["sources"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|s| s["name"].as_str())
        .collect();
    for material in all {
        for property in ["density", "friction", "strength_pa"] {
            let source = material[property]["source"].as_str().unwrap();
            assert!(sources.contains(&source), "{material}");
        }
    }
    json(path, "new arch --material granite -o granite.json");
    let info = json(path, "info granite.json");
    assert!(
        (number(&info["mass_kg"]) / number(&info["volume_m3"]) - 2910.0).abs() < 1e-6,
        "{info}"
    );
    // Numbers come before the material.
    json(
        path,
        "new arch --material granite --friction 0.5 --density 2600 -o own.json",
    );
    let own: Value = serde_json::from_slice(&fs::read(path.join("own.json")).unwrap()).unwrap();
    assert_eq!([&own["joints"]["friction"], &own["density"]].map(number), [0.5, 2600.0]);
    let told = failure(path, "new arch --material granit -o x.json", 2);
    assert!(told.contains("did you mean `granite`?"), "{told}");
}
