//! Ports, records beside models, loads as the page draws them, motions made larger, and what is said of broken files.

use std::{fs, net::TcpListener};

use crate::common::{Page, server};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use drystone_viewer::{Options, ServeError, USUAL_PORTS, serve};
use serde_json::{Value, json};

fn on(port: Option<u16>) -> Result<drystone_viewer::Server, ServeError> {
    serve(&Options {
        port,
        ..Options::default()
    })
}

#[test]
fn a_port_that_is_asked_for_is_had_or_refused_and_the_usual_ones_give_way() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let error = on(Some(port)).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(error.contains(&format!("cannot listen on 127.0.0.1:{port}")), "{error}");
    assert_ne!(on(Some(0)).unwrap().address().port(), 0);

    // Where the usual ports are taken, by this test or by others, any other serves.
    let held: Vec<TcpListener> = USUAL_PORTS
        .filter_map(|port| TcpListener::bind(("127.0.0.1", port)).ok())
        .collect();
    let elsewhere = on(None).unwrap();
    assert!(!USUAL_PORTS.contains(&elsewhere.address().port()));
    if held.is_empty() {
        return;
    }
    drop(held);
    let first = on(None).unwrap();
    assert!(USUAL_PORTS.contains(&first.address().port()));
    assert_ne!(on(None).unwrap().address(), first.address(), "the next is taken");
}

/// A sound model with a motion that a record gives.
fn with_record(page: &mut Page, path: &str) -> Value {
    page.build("stack", json!({ "blocks": 2 }));
    let mut model = page.ask(json!({ "ask": "save" }))["model"].clone();
    model["motions"] = json!({ "quake": { "record": { "path": path, "direction": [1, 0, 0] } } });
    model
}

const RECORD: &str = "time_s,acceleration_m_s2\n0,0\n0.1,1\n0.2,0\n0.3,-1\n0.4,0\n";

/// Asks for a run with a motion of the model and gives its last answer.
fn shaken(page: &mut Page, motion: Value) -> Value {
    let id = page.send(json!({ "ask": "simulate", "motion": motion, "duration_s": 0.4, "dt_s": 0.01 }));
    loop {
        let answer = page.text();
        if answer["id"] == id && answer["answer"] != "started" {
            return answer;
        }
    }
}

#[test]
fn a_record_is_found_beside_its_model_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    for sub in ["bridge/records", "other"] {
        fs::create_dir_all(place.join(sub)).unwrap();
    }
    fs::write(place.join("bridge/records/quake.csv"), RECORD).unwrap();
    let server = server(Some(place));
    let mut page = Page::open(&server);
    let model = with_record(&mut page, "records/quake.csv");
    for at in ["bridge/model.json", "other/model.json", "model.json"] {
        fs::write(place.join(at), model.to_string()).unwrap();
    }
    let motion = json!({ "kind": "model", "name": "quake" });
    let (told, _) = page.ask_binary(json!({ "ask": "open", "path": "bridge/model.json" }));
    assert_eq!(told["beside"], "bridge");
    assert_eq!(shaken(&mut page, motion.clone())["ended"], "finished");
    // Edits keep it, and so does the page that hands the model back after a broken connection.
    page.ask_binary(json!({ "ask": "edit", "do": "density", "value": 2000 }));
    assert_eq!(shaken(&mut page, motion.clone())["ended"], "finished");
    page.ask_binary(json!({ "ask": "open", "model": model, "beside": "bridge" }));
    assert_eq!(shaken(&mut page, motion.clone())["ended"], "finished");
    for at in ["other/model.json", "model.json"] {
        page.ask_binary(json!({ "ask": "open", "path": at }));
        let told = shaken(&mut page, motion.clone());
        let error = told["error"].as_str().unwrap_or_default();
        assert!(error.contains("records/quake.csv"), "{at}: {told}");
    }
    // Steps up are followed within the folder and not out of it.
    let up = with_record(&mut page, "../bridge/records/quake.csv");
    page.ask_binary(json!({ "ask": "open", "model": up, "beside": "other" }));
    assert_eq!(shaken(&mut page, motion.clone())["ended"], "finished");
    fs::write(place.join("secret.csv"), RECORD).unwrap();
    let (inner, beside) = (crate::common::server(Some(&place.join("bridge"))), json!("records"));
    let mut page = Page::open(&inner);
    for path in ["../../secret.csv", "/etc/passwd"] {
        let model = with_record(&mut page, path);
        page.ask_binary(json!({ "ask": "open", "model": model, "beside": beside }));
        let told = shaken(&mut page, motion.clone());
        let error = told["error"].as_str().unwrap_or_default();
        assert!(error.contains("opened folder"), "{path}: {told}");
    }
    for beside in ["..", "/etc", "nowhere"] {
        let model = with_record(&mut page, "quake.csv");
        page.ask_binary(json!({ "ask": "open", "model": model, "beside": beside }));
        assert!(shaken(&mut page, motion.clone())["error"].is_string(), "{beside}");
    }
}

/// How far the ground is moved over a run, by its frames.
fn ground(page: &mut Page, motion: Value) -> f64 {
    let id = page.send(json!({ "ask": "simulate", "motion": motion, "duration_s": 0.4, "dt_s": 0.01 }));
    assert_eq!(page.text()["answer"], "started");
    let mut farthest = 0.0_f64;
    for _ in 0..11 {
        let frame = page.binary();
        assert_eq!(u64::from(frame.id), id);
        farthest = farthest.max(f64::from(frame.floats("ground")[0]).abs());
    }
    assert_eq!(page.text()["answer"], "simulate");
    farthest
}

#[test]
fn motions_of_the_model_are_scaled_as_others_are() {
    let server = server(None);
    let mut page = Page::open(&server);
    page.build("stack", json!({ "blocks": 2 }));
    let mut model = page.ask(json!({ "ask": "save" }))["model"].clone();
    model["motions"] = json!({ "sway": { "sine": { "amplitude": [1, 0, 0], "frequency_hz": 2 } } });
    model["support_motions"] = json!([{ "motion": "sway" }]);
    page.ask_binary(json!({ "ask": "open", "model": model }));
    for motion in [json!({ "kind": "model" }), json!({ "kind": "model", "name": "sway" })] {
        let mut larger = motion.clone();
        larger["scale"] = json!(3.0);
        let [own, scaled] = [motion, larger].map(|m| ground(&mut page, m));
        assert!(own > 1e-3 && (scaled / own - 3.0).abs() < 1e-4, "{own} {scaled}");
    }
}

#[test]
fn the_greatest_displacement_is_that_of_the_run_and_not_of_its_end() {
    let server = server(None);
    let mut page = Page::open(&server);
    // A slender block rocks on an impulse and comes back.
    page.build("block", json!({}));
    let motion =
        json!({ "kind": "sine", "direction": [1, 0, 0], "amplitude_g": 0.5, "frequency_hz": 1, "duration_s": 1 });
    let id =
        page.send(json!({ "ask": "simulate", "motion": motion, "duration_s": 4, "dt_s": 0.01, "frames_per_s": 100 }));
    let ended = loop {
        let answer = page.text();
        if answer["id"] == id && answer["answer"] != "started" {
            break answer;
        }
    };
    let [most, end] = ["max_displacement_m", "final_displacement_m"].map(|n| ended[n].as_f64().unwrap());
    assert!(most > 1.05 * end && end >= 0.0, "{ended}");
}

#[test]
fn forces_of_load_cases_are_told_where_they_act() {
    let server = server(None);
    let mut page = Page::open(&server);
    let (plain, _) = page.build("stack", json!({ "blocks": 2 }));
    assert_eq!(plain["load_forces"], json!([]));
    let blocks = plain["blocks"].as_array().unwrap();
    let free: Vec<&Value> = blocks.iter().filter(|b| b["fixed"] == false).collect();
    let mut model = page.ask(json!({ "ask": "save" }))["model"].clone();
    let top = free[1]["name"].as_str().unwrap();
    model["load_cases"] = json!({
        "hook": { "forces": [
            { "block": top, "force": [0, 0, -500] },
            { "block": top, "force": [10, 0, 0], "at": [0.1, 0.2, 2.0] },
        ], "couples": [{ "block": top, "moment": [0, 5, 0] }] },
        "quake": { "body": [{ "acceleration": [2, 0, 0] }] },
    });
    let (told, _) = page.ask_binary(json!({ "ask": "open", "model": model }));
    let forces = told["load_forces"].as_array().unwrap();
    assert_eq!(forces.len(), 4, "couples are not among them: {forces:?}");
    let expected = json!({ "case": "hook", "block": top, "at": free[1]["center"], "force_n": [0.0, 0.0, -500.0] });
    assert_eq!(forces[0], expected);
    assert_eq!(forces[1]["at"], json!([0.1, 0.2, 2.0]));
    for (force, block) in forces[2..].iter().zip(&free) {
        assert_eq!((&force["case"], &force["block"]), (&json!("quake"), &block["name"]));
        assert_eq!(force["at"], block["center"]);
        let push = 2.0 * block["mass_kg"].as_f64().unwrap();
        assert!((force["force_n"][0].as_f64().unwrap() - push).abs() < 1e-9 * push);
    }
    let moved = json!({ "ask": "edit", "do": "move", "blocks": [top], "by": [1, 0, 0] });
    let (told, _) = page.ask_binary(moved);
    assert_eq!(
        told["load_forces"][1]["at"],
        json!([1.1, 0.2, 2.0]),
        "points go with their blocks"
    );
}

fn dropped(name: &str, text: &str) -> Value {
    json!({ "ask": "open", "files": [{ "name": name, "base64": STANDARD.encode(text) }] })
}

#[test]
fn what_is_wrong_is_told_for_people_who_have_a_page_before_them() {
    let server = server(None);
    let mut page = Page::open(&server);
    let told = page.refusal(dropped("arch.json", "{\"blocks\": ["));
    assert_eq!(
        told,
        "arch.json: not a whole JSON file: it ends too early, within a list, at line 1, column 12"
    );
    page.build("stack", json!({ "blocks": 2 }));
    let mut model = page.ask(json!({ "ask": "save" }))["model"].clone();
    for block in model["blocks"].as_array_mut().unwrap() {
        block.as_object_mut().unwrap().remove("fixed");
    }
    let (opened, _) = page.ask_binary(json!({ "ask": "open", "model": model }));
    let problems = opened["problems"].to_string();
    assert!(
        problems.contains("press Fix under Edit") && !problems.contains("--"),
        "{problems}"
    );
    for question in [
        json!({ "ask": "check" }),
        json!({ "ask": "simulate", "duration_s": 1 }),
        json!({ "ask": "thrust" }),
    ] {
        let answer = page.ask(question.clone());
        let text = answer.to_string();
        assert!(
            answer["error"]
                .as_str()
                .is_some_and(|e| e.contains("no block is fixed")),
            "{text}"
        );
        assert!(text.contains("press Fix under Edit") && !text.contains("--"), "{text}");
    }
}

#[test]
fn a_run_with_damaged_files_is_told_with_the_file_and_the_page_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    fs::create_dir(&run).unwrap();
    for name in ["model.json", "blocks.parquet", "steps.parquet"] {
        fs::write(run.join(name), "{\"blocks\": [").unwrap();
    }
    let server = server(Some(&run));
    let mut page = Page::open(&server);
    assert_eq!(page.ask(json!({ "ask": "hello" }))["opened"], "run");
    let open = json!({ "ask": "open", "path": "run" });
    let told = page.refusal(open.clone());
    assert!(
        told.contains("`run`") && told.contains("model.json: not a whole JSON file"),
        "{told}"
    );
    page.build("stack", json!({ "blocks": 2 }));
    let model = page.ask(json!({ "ask": "save" }))["model"].clone();
    fs::write(run.join("model.json"), model.to_string()).unwrap();
    let told = page.refusal(open);
    assert!(
        told.contains("`run`") && told.contains("steps.parquet cannot be read"),
        "{told}"
    );
    assert_eq!(
        page.ask(json!({ "ask": "check" }))["verdict"],
        "stable",
        "what was open stays"
    );
}
