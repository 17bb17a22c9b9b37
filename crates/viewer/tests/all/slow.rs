//! Slow loading: equilibria as the page is told them, against theory; how it ends; what is refused.

use serde_json::{Value, json};

use crate::common::{Binary, Page, server};

fn block(name: &str, size: [f64; 3], center: [f64; 3], fixed: bool) -> Value {
    json!({ "name": name, "fixed": fixed, "shape": { "box": { "size": size, "center": center } } })
}

fn open(page: &mut Page, blocks: Value, joints: Value) -> Value {
    let model = json!({ "drystone": 1, "name": "slow", "density": 2000, "joints": joints, "blocks": blocks });
    page.ask_binary(json!({ "ask": "open", "model": model })).0
}

/// A slow loading to its end: its equilibria, its answer, and the motion that follows.
fn loaded(page: &mut Page, question: Value) -> (Vec<Binary>, Value, Vec<f32>) {
    let id = page.send(question);
    let started = page.text();
    assert_eq!(
        (&started["id"], &started["answer"]),
        (&json!(id), &json!("started")),
        "{started}"
    );
    assert!(started["crack_m"].as_f64().unwrap() > 0.0);
    let mut equilibria = Vec::new();
    loop {
        let next = page.binary();
        if next.kind == 2 {
            let motion = next.floats("motion");
            // The answer came before it, and was passed over.
            return (equilibria, page.passed(), motion);
        }
        assert_eq!((next.kind, u64::from(next.id)), (4, id));
        equilibria.push(next);
    }
}

#[test]
fn a_block_is_followed_to_the_tilt_at_which_it_tips() {
    let server = server(None);
    let mut page = Page::open(&server);
    let [width, height] = [0.4, 1.0];
    let blocks = json!([
        block("base", [3.0, 3.0, 0.2], [0.0, 0.0, -0.1], true),
        block("tower", [width, 0.8, height], [0.0, 0.0, height / 2.0], false),
    ]);
    open(&mut page, blocks, json!({ "friction": 2.0 }));
    let stages = json!({ "stages": [
        { "name": "weight", "steps": 3 },
        { "name": "tilt", "tilt": { "axis": [0, 1, 0], "angle_deg": 40 }, "steps": 10 },
    ]});
    let (equilibria, end, motion) = loaded(&mut page, json!({ "ask": "settle", "stages": stages }));
    let weights: Vec<f64> = (equilibria.iter().take(3))
        .map(|e| e.header["gravity"].as_f64().unwrap())
        .collect();
    assert!(
        (weights[0] - 1.0 / 3.0).abs() < 1e-12 && weights[2] == 1.0,
        "{weights:?}"
    );
    let last = equilibria.last().unwrap();
    assert_eq!(
        (&last.header["stage"], &last.header["broken_bonds"]),
        (&json!(1), &json!(0))
    );
    let tilt = last.header["tilt_deg"][1].as_f64().unwrap();
    let tips = (width / height).atan().to_degrees();
    assert!((tilt - tips).abs() < 0.01, "{tilt} and {tips}");
    assert_eq!(end["end"], "no_equilibrium");
    assert_eq!(end["moving_blocks"], json!(["tower"]));
    assert!(end["conclusion"].as_str().unwrap().contains("tilted by 21.8"), "{end}");
    // It turns about the edge that it stands on: gravity pulls along +x.
    let [v, w] = [[6, 7, 8], [9, 10, 11]].map(|k| k.map(|k| f64::from(motion[k])));
    let edge = [width / 2.0, -height / 2.0];
    let speed = (w[1] * height).abs();
    assert!(
        w[1] > 0.0 && (v[0] + w[1] * edge[1]).abs() < 1e-2 * speed,
        "{v:?} {w:?}"
    );
    assert!((v[2] - w[1] * edge[0]).abs() < 1e-2 * speed, "{v:?} {w:?}");
}

#[test]
fn without_stages_the_weight_grows_and_compresses_joints_by_what_it_presses() {
    let server = server(None);
    let mut page = Page::open(&server);
    let blocks = json!([
        block("base", [3.0, 3.0, 0.2], [0.0, 0.0, -0.1], true),
        block("cube", [1.0, 1.0, 1.0], [0.0, 0.0, 0.5], false),
    ]);
    let stiffness = 1e8;
    let joints = json!({ "friction": 0.6, "stiffness_n_m3": [stiffness, stiffness] });
    open(&mut page, blocks, joints);
    let (equilibria, end, motion) = loaded(&mut page, json!({ "ask": "settle" }));
    let hello = page.ask(json!({ "ask": "hello" }));
    assert_eq!(json!(equilibria.len()), hello["slow_loading"]["steps"]);
    assert_eq!(end["stages"][0]["name"], hello["slow_loading"]["stages"][0]["name"]);
    assert_eq!((&end["end"], motion.len()), (&json!("completed"), 0));
    assert!(end["conclusion"].as_str().unwrap().starts_with("It stands"), "{end}");
    let sinks = 2000.0 * 9.81 / stiffness;
    for (k, equilibrium) in equilibria.iter().enumerate() {
        let part = (k + 1) as f64 / equilibria.len() as f64;
        let moved = equilibrium.floats("moved");
        assert_eq!((moved.len(), equilibrium.bytes("absent").len()), (12, 0));
        let down = -f64::from(moved[8]);
        assert!((down / (part * sinks) - 1.0).abs() < 2e-3, "{k}: {down}");
        assert_eq!(equilibrium.header["open_joints"], 0);
    }
}

#[test]
fn a_support_that_moves_away_is_slid_over_by_as_much() {
    let server = server(None);
    let mut page = Page::open(&server);
    let blocks = json!([
        block("left", [1.0, 1.0, 1.0], [-1.0, 0.0, -0.5], true),
        block("right", [1.0, 1.0, 1.0], [1.0, 0.0, -0.5], true),
        block("beam", [3.0, 1.0, 0.5], [0.0, 0.0, 0.25], false),
    ]);
    open(&mut page, blocks, json!({ "friction": 0.5 }));
    let stages = json!({ "stages": [{ "name": "weight" }, { "move": [{ "blocks": ["right"], "by": [0.01, 0, 0] }] }] });
    let (equilibria, end, _) = loaded(&mut page, json!({ "ask": "settle", "stages": stages }));
    assert_eq!(end["end"], "completed", "{end}");
    let last = equilibria.last().unwrap();
    let slip: f32 = last.floats("slip").iter().sum();
    assert!((slip / 0.01 - 1.0).abs() < 1e-3, "{slip}");
    assert!(
        (last.floats("moved")[6] - 0.01).abs() < 1e-7,
        "the support is where it was moved to"
    );
    assert!(last.header["slipped_joints"].as_u64().unwrap() >= 1);
}

#[test]
fn blocks_that_are_not_there_are_told() {
    let server = server(None);
    let mut page = Page::open(&server);
    page.build("stack", json!({ "blocks": 2 }));
    let (model, _) = page.ask_binary(json!({ "ask": "edit", "do": "density", "value": 2000 }));
    let names: Vec<&str> = (model["blocks"].as_array().unwrap().iter())
        .map(|b| b["name"].as_str().unwrap())
        .collect();
    let top = names.len() - 1;
    let stages = json!({ "stages": [{ "steps": 2 }, { "build": [names[top]], "steps": 2 }] });
    let (equilibria, end, _) = loaded(&mut page, json!({ "ask": "settle", "stages": stages }));
    assert_eq!((equilibria.len(), &end["end"]), (4, &json!("completed")));
    let absent: Vec<usize> = equilibria
        .iter()
        .map(|e| e.bytes("absent").iter().filter(|&&a| a == 1).count())
        .collect();
    assert_eq!(absent, [1, 1, 0, 0]);
    assert_eq!(equilibria[0].bytes("absent")[top], 1);
}

#[test]
fn what_does_not_fit_is_refused_in_words_and_a_loading_is_stopped() {
    let server = server(None);
    let mut page = Page::open(&server);
    page.build("stack", json!({ "blocks": 3 }));
    for (stages, says) in [
        (json!({ "stages": [] }), "is empty"),
        (
            json!({ "stages": [{ "loads": { "truck": 2 } }] }),
            "there is no load case `truck`",
        ),
        (
            json!({ "stages": [{ "move": [{ "blocks": ["nowhere"], "by": [0, 0, 1] }] }] }),
            "no block and no group `nowhere`",
        ),
        (json!({ "stages": [{ "wait": 1 }] }), "unknown field `wait`"),
        (
            json!({ "stages": [{ "steps": 100_000 }, { "steps": 100_000 }, { "steps": 1 }] }),
            "too many",
        ),
    ] {
        let told = page.refusal(json!({ "ask": "settle", "stages": stages }));
        assert!(told.contains(says), "{told}");
    }
    let tilted = json!({ "tilt": { "axis": [0, 1, 0], "angle_deg": 2 } });
    assert!(
        page.refusal(json!({ "ask": "settle", "situation": tilted }))
            .contains("tilt")
    );

    let (model, _) = page.ask_binary(json!({ "ask": "edit", "do": "density", "value": 2000 }));
    let support = (model["blocks"].as_array().unwrap().iter()).find(|b| b["fixed"] == true);
    let stages = json!({ "stages": [{ "remove": [support.unwrap()["name"]] }] });
    let id = page.send(json!({ "ask": "settle", "stages": stages }));
    let told = std::iter::repeat_with(|| page.text()).find(|t| t["id"] == id && t["answer"] != "started");
    let told = told.unwrap();
    assert!(told["error"].as_str().unwrap().contains("without a support"), "{told}");

    page.build("wall", json!({}));
    let id = page.send(json!({ "ask": "settle", "stages": { "stages": [{ "steps": 100_000 }] } }));
    assert_eq!(page.text()["answer"], "started");
    assert!(page.refusal(json!({ "ask": "settle" })).contains("runs already"));
    page.send(json!({ "ask": "stop", "which": id }));
    let ended = std::iter::repeat_with(|| page.text()).find(|t| t["id"] == id);
    assert_eq!(ended.unwrap()["end"], "stopped");
}
