//! What is assumed beside the model: a factor on friction, changes on top of a recipe, records, how long a run goes on.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use tungstenite::Message;

use crate::common::{Binary, Page, server};

/// A stone of 1 m by 0.25 m on another one on a ground; the joint on the ground is more slippery.
fn mixed(page: &mut Page) -> Value {
    let block = |name: &str, size: [f64; 3], z: f64, group: &str| json!({ "name": name, "shape": { "box": { "size": size, "center": [0, 0, z] } }, "group": group, "fixed": group == "ground" });
    let model = json!({
        "drystone": 1, "name": "mixed", "density": 2000,
        "joints": { "friction": 0.7, "groups": [{ "between": ["ground", "stone"], "friction": 0.3 }] },
        "blocks": [block("ground", [4.0, 4.0, 1.0], -0.5, "ground"), block("lower", [1.0, 0.5, 0.25], 0.125, "stone"), block("upper", [1.0, 0.5, 0.25], 0.375, "stone")],
    });
    page.ask_binary(json!({ "ask": "open", "model": model })).0
}

#[test]
fn a_factor_on_friction_keeps_how_joints_differ() {
    let server = server(None);
    let mut page = Page::open(&server);
    assert_eq!(mixed(&mut page)["friction_range"], json!([0.3, 0.7]));
    let mut critical = |situation: Value| {
        let tilt = page.ask(json!({ "ask": "tilt", "axis": [0, 1, 0], "situation": situation }));
        tilt["critical_tilt_deg"].as_f64().unwrap().to_radians().tan()
    };
    for (situation, friction) in [
        (json!({}), 0.3),
        (json!({ "friction_factor": 1 }), 0.3),
        (json!({ "friction_factor": 1.5 }), 0.45),
        (json!({ "friction": 0.4, "friction_factor": 0.5 }), 0.2),
    ] {
        let found = critical(situation.clone());
        assert!((found - friction).abs() < 1e-3, "{situation}: {found}");
    }
    // What is proven is proven of the model so changed.
    let tilted = json!({ "friction_factor": 2, "tilt": { "axis": [0, 1, 0], "angle_deg": 20 } });
    let (check, _) = page.ask_binary(json!({ "ask": "check", "situation": tilted }));
    assert_eq!((&check["verdict"], &check["proven"]), (&json!("stable"), &json!(true)));
    let told = page.refusal(json!({ "ask": "check", "situation": { "friction_factor": -1 } }));
    assert!(told.contains("factor on friction"), "{told}");
}

#[test]
fn the_mechanism_of_a_margin_is_that_of_what_falls_there() {
    let server = server(None);
    let mut page = Page::open(&server);
    mixed(&mut page);
    let moving = |answer: &Value| -> Vec<u64> {
        let rows = answer["mechanism"].as_array().unwrap();
        rows.iter().map(|row| row[0].as_u64().unwrap()).collect()
    };
    // It slides on the ground, both stones together; on each other they would hold on.
    let tilt = page.ask(json!({ "ask": "tilt", "axis": [0, 1, 0] }));
    assert_eq!(moving(&tilt), [1, 2]);
    let limit = page.ask(json!({ "ask": "limit", "direction": [0, 1, 0] }));
    assert_eq!(moving(&limit), [1, 2]);
    let along = limit["mechanism"][0][1][1].as_f64().unwrap();
    assert!(along > 0.1, "it goes where it is pushed: {limit}");
    let slope = json!({ "tilt": { "axis": [0, 1, 0], "angle_deg": 10 } });
    let least = page.ask(json!({ "ask": "sensitivity", "situation": slope }));
    assert_eq!(moving(&least), [1, 2]);
    let expected = 10_f64.to_radians().tan();
    assert!((least["least_friction"].as_f64().unwrap() - expected).abs() < 1e-2 * expected);
}

#[test]
fn changes_are_made_again_on_other_values_of_a_recipe() {
    let server = server(None);
    let mut page = Page::open(&server);
    page.build("stack", json!({ "blocks": 3 }));
    for change in [
        json!({ "do": "fix", "blocks": ["block-3"], "fixed": true }),
        json!({ "do": "density", "value": 1500, "blocks": null }),
    ] {
        let mut question = change;
        question["ask"] = json!("edit");
        page.ask_binary(question);
    }
    let mut build = |blocks: u32, keeps: bool| {
        let values = json!({ "blocks": blocks });
        page.ask_binary(json!({ "ask": "build", "recipe": "stack", "values": values, "keep_edits": keeps }))
            .0
    };
    let more = build(5, true);
    assert_eq!(
        (&more["recipe"]["edits"], &more["density"], &more["problems"]),
        (&json!(2), &json!(1500.0), &json!([]))
    );
    assert_eq!(more["blocks"][3]["fixed"], true);
    // Where there is no such block any more, that is told and the other change stays.
    let fewer = build(2, true);
    assert_eq!(
        (&fewer["recipe"]["edits"], &fewer["density"]),
        (&json!(1), &json!(1500.0))
    );
    let told = fewer["problems"].to_string();
    assert!(told.contains("1 of 2 changes") && told.contains("block-3"), "{told}");
    let plain = build(3, false);
    assert_eq!(
        (&plain["recipe"]["edits"], &plain["density"]),
        (&json!(0), &json!(2000.0))
    );
}

/// The last frame of a simulation, and what it ended with.
fn simulated(page: &mut Page, mut question: Value) -> (Binary, Value) {
    question["ask"] = json!("simulate");
    page.send(question);
    let mut last = None;
    loop {
        match page.read() {
            Message::Binary(bytes) => last = Some(Binary::read(&bytes)),
            Message::Text(text) => {
                let told: Value = serde_json::from_str(&text).unwrap();
                assert!(told.get("error").is_none(), "{told}");
                if told["answer"] == "simulate" {
                    return (last.unwrap(), told);
                }
            }
            _ => {}
        }
    }
}

fn upload(name: &str, text: &str) -> Value {
    json!({ "name": name, "base64": STANDARD.encode(text) })
}

/// One second of a triangle of acceleration that rises to 0.2 g and falls again.
const TRIANGLE: &str = "time (s),acceleration (g)\n0,0\n0.25,0.1\n0.5,0.2\n0.75,0.1\n1,0\n";

#[test]
fn a_record_tells_what_it_holds_before_it_shakes() {
    let server = server(None);
    let mut page = Page::open(&server);
    let component = |direction: [f64; 3]| json!({ "file": upload("quake.csv", TRIANGLE), "direction": direction });
    let told =
        page.ask(json!({ "ask": "record", "components": [component([1.0, 0.0, 0.0]), component([0.0, 0.0, 2.0])] }));
    let one = &told["components"][1];
    assert_eq!(one["direction"], json!([0.0, 0.0, 1.0]));
    let near = |value: &Value, expected: f64| {
        assert!(
            (value.as_f64().unwrap() - expected).abs() < 1e-6 * expected,
            "{value}, {expected}"
        )
    };
    near(&told["duration_s"], 1.0);
    near(&one["pga_g"], 0.2);
    // The area of the triangle.
    near(&one["pgv_m_s"], 0.5 * 0.2 * 9.81);
    assert_eq!(one["times_s"], json!([0.0, 0.25, 0.5, 0.75, 1.0]));
    // A stiff oscillator follows the ground.
    let stiff = one["spectrum_g"][0].as_f64().unwrap();
    assert!((stiff - 0.2).abs() < 0.01, "{stiff}");
    let scaled = page.ask(json!({ "ask": "record", "components": [component([0.0, 1.0, 0.0])], "pga_g": 0.5 }));
    near(&scaled["components"][0]["pga_g"], 0.5);

    let told = page.refusal(json!({ "ask": "record", "components": [] }));
    assert!(told.contains("1 to 3 components"), "{told}");
    let told = page.refusal(json!({ "ask": "record", "components": [{ "file": upload("quake.csv", "nothing") }] }));
    assert!(told.contains("quake.csv"), "{told}");
}

#[test]
fn components_shake_together_and_a_run_ends_soon_after_its_collapse() {
    let server = server(None);
    let mut page = Page::open(&server);
    page.build("block", json!({}));
    let component = |direction: [f64; 3]| json!({ "file": upload("quake.csv", TRIANGLE), "direction": direction });
    let motion = json!({ "kind": "record", "components": [component([1.0, 0.0, 0.0]), component([0.0, 1.0, 0.0])], "amplitude_g": 0.1 });
    let (last, _) = simulated(
        &mut page,
        json!({ "motion": motion, "duration_s": 1, "dt_s": 0.01, "frames_per_s": 10 }),
    );
    let ground = last.floats("ground");
    // Twice the integral of a triangle that is symmetric about the middle: half of the velocity at the end times the time.
    let expected = 0.5 * 0.5 * 0.1 * 9.81;
    for k in 0..2 {
        assert!(
            (f64::from(ground[k]) / expected - 1.0).abs() < 0.01,
            "{ground:?}, {expected}"
        );
    }

    page.build("arch", json!({ "voussoirs": 11, "thickness": 0.1, "radius": 2 }));
    let (_, ended) = simulated(
        &mut page,
        json!({ "duration_s": 20, "dt_s": 0.01, "after_collapse_s": 0.5 }),
    );
    assert_eq!(
        (&ended["collapsed"], &ended["stopped_after_collapse"]),
        (&json!(true), &json!(true)),
        "{ended}"
    );
    let more = ended["time_s"].as_f64().unwrap() - ended["collapse_time_s"].as_f64().unwrap();
    assert!((more - 0.5).abs() < 0.011, "{more}");
    let told = page.refusal(json!({ "ask": "simulate", "duration_s": 1, "after_collapse_s": -1 }));
    assert!(told.contains("after its collapse"), "{told}");
}
