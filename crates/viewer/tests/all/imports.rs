//! Files of other programs: looked at under what they do not say, before they are opened.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::common::{Page, server};

/// Two boxes of 400 by 300, the lower 500 high and the upper 250, along y, as a program for films draws a pier in millimetres.
fn tower() -> String {
    let one = |k: usize, name: &str, low: f64, high: f64| {
        let corner = |x: f64, y: f64, z: f64| format!("v {x} {y} {z}\n");
        let corners: String = [0.0, 300.0]
            .iter()
            .flat_map(|&z| [(0.0, low, z), (400.0, low, z), (400.0, high, z), (0.0, high, z)])
            .map(|(x, y, z)| corner(x, y, z))
            .collect();
        let faces = [
            [1, 4, 3, 2],
            [5, 6, 7, 8],
            [1, 2, 6, 5],
            [2, 3, 7, 6],
            [3, 4, 8, 7],
            [4, 1, 5, 8],
        ];
        let face = |f: [usize; 4]| format!("f {}\n", f.map(|i| (i + 8 * k).to_string()).join(" "));
        format!("o {name}\n{corners}{}", faces.map(face).concat())
    };
    one(0, "foot", 0.0, 500.0) + &one(1, "head", 500.0, 750.0)
}

fn files() -> Value {
    json!([{ "name": "tower.obj", "base64": STANDARD.encode(tower()) }])
}

fn near(value: &Value, wanted: f64) {
    let found = value.as_f64().unwrap();
    assert!((found - wanted).abs() < 1e-9 * wanted, "{found} is not {wanted}");
}

#[test]
fn a_file_is_looked_at_under_several_assumptions_and_opened_under_the_last() {
    let server = server(None);
    let mut page = Page::open(&server);
    page.build("stack", json!({}));
    let seen = page.ask(json!({ "ask": "import", "files": files() }));
    assert_eq!(
        (&seen["asks"], &seen["blocks"], &seen["fixed"]),
        (&json!(true), &json!(2), &json!(0))
    );
    near(&seen["size_m"][1], 750.0);
    let given = json!({ "unit_m": 0.001, "up": "y", "supports": "lowest" });
    let seen = page.ask(json!({ "ask": "import", "given": given }));
    assert_eq!(
        (&seen["fixed"], &seen["joints"], &seen["contacts"]),
        (&json!(1), &json!(1), &json!(4))
    );
    near(&seen["size_m"][2], 0.75);
    // 0.4 by 0.3 by 0.25 m of 2000 kg/m³.
    near(&seen["mass_kg"], 60.0);
    for none in ["gaps", "overlaps", "loose"] {
        assert_eq!(seen[none]["count"], 0, "{none}");
    }
    // Until it is accepted, the model is what it was.
    let check = page.ask_binary(json!({ "ask": "check" })).0;
    assert_eq!(check["revision"], 1);
    let (model, _) = page.ask_binary(json!({ "ask": "open", "imported": given }));
    assert_eq!((&model["name"], &model["revision"]), (&json!("tower"), &json!(2)));
    assert_eq!(model["blocks"][0]["fixed"], true);
    near(&model["bounds"]["most"][2], 0.75);
    let check = page.ask_binary(json!({ "ask": "check" })).0;
    assert_eq!(check["verdict"], "stable");
}

#[test]
fn what_cannot_be_is_refused_or_told_and_another_assumption_is_still_possible() {
    let server = server(None);
    let mut page = Page::open(&server);
    let told = page.refusal(json!({ "ask": "open", "imported": {} }));
    assert!(told.contains("no file was read"), "{told}");
    let told = page.refusal(json!({ "ask": "import", "files": [{ "name": "a.xyz", "base64": "AAAA" }] }));
    assert!(told.contains("format"), "{told}");
    page.ask(json!({ "ask": "import", "files": files() }));
    for unit in [json!(0.0), json!(-1.0), json!(1e12)] {
        let seen = page.ask(json!({ "ask": "import", "given": { "unit_m": unit } }));
        assert!(seen["refused"].as_str().unwrap().contains("unit"), "{seen}");
    }
    // Paths of the folder alone, as everywhere.
    let told = page.refusal(json!({ "ask": "import", "path": "/etc/passwd" }));
    assert!(told.contains("no folder"), "{told}");
}
