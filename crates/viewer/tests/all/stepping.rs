//! How simulations are stepped: what is chosen where nobody chooses, what each way of stepping takes, and what is told.

use crate::common::{Page, get, server, token};
use serde_json::{Value, json};

/// A short simulation of a ground that sways.
fn shaken(fields: Value) -> Value {
    let mut question = json!({
        "ask": "simulate", "duration_s": 0.1, "frames_per_s": 50,
        "motion": { "kind": "sine", "direction": [1, 0, 0], "amplitude_g": 0.3, "frequency_hz": 2 },
    });
    for (name, value) in fields.as_object().unwrap() {
        question[name] = value.clone();
    }
    question
}

/// Starts a simulation and waits for its end: what it was started with, its last frame, and what it ended with.
fn run(page: &mut Page, fields: Value) -> (Value, crate::common::Binary, Value) {
    let id = page.send(shaken(fields));
    let started = page.text();
    assert_eq!(
        (&started["answer"], &started["id"]),
        (&json!("started"), &json!(id)),
        "{started}"
    );
    let frames = started["frames"].as_u64().unwrap();
    let last = (0..frames).map(|_| page.binary()).last().unwrap();
    let ended = page.text();
    assert_eq!(
        (&ended["answer"], &ended["ended"]),
        (&json!("simulate"), &json!("finished")),
        "{ended}"
    );
    (started, last, ended)
}

/// A stack of three blocks whose joints have this stiffness.
fn elastic_stack(page: &mut Page, stiffness: f64) {
    page.build("stack", json!({ "blocks": 3 }));
    let mut model = page.ask(json!({ "ask": "save" }))["model"].clone();
    model["joints"]["stiffness_n_m3"] = json!([stiffness, stiffness]);
    page.ask_binary(json!({ "ask": "open", "model": model }));
}

#[test]
fn rigid_joints_are_stepped_implicitly_unless_coulomb_friction_or_a_stiffness_is_asked_for() {
    let server = server(None);
    let mut page = Page::open(&server);
    let (model, _) = page.build("stack", json!({ "blocks": 3 }));
    let automatic = &model["automatic_steps"];
    for (asked, fields, integrator, why) in [
        ("associated", json!({}), "implicit", "joints are rigid"),
        (
            "associated",
            json!({ "integrator": "automatic", "friction_law": "associated" }),
            "implicit",
            "associated",
        ),
        (
            "coulomb",
            json!({ "friction_law": "coulomb" }),
            "explicit",
            "Coulomb friction",
        ),
        (
            "stiffness",
            json!({ "stiffness_n_m3": [1e9, 1e9] }),
            "explicit",
            "stiffness is given",
        ),
    ] {
        let (started, _, ended) = run(&mut page, fields);
        assert_eq!(started["integrator"], integrator, "{started}");
        assert!(started["reason"].as_str().unwrap().contains(why), "{started}");
        assert_eq!(
            automatic[asked]["integrator"], integrator,
            "the page knows before: {automatic}"
        );
        assert_eq!(automatic[asked]["reason"], started["reason"]);
        assert_eq!(
            (&ended["integrator"], &ended["integrator_reason"]),
            (&started["integrator"], &started["reason"])
        );
        assert_eq!(ended["warnings"], started["warnings"]);
        let is_assumed = started["warnings"].to_string().contains("1e10 N/m³");
        assert_eq!(
            is_assumed,
            asked == "coulomb",
            "elastic joints that nobody asked for are told: {started}"
        );
        assert_eq!(ended["explicit"]["stiffness_assumed"] == true, is_assumed);
    }
}

#[test]
fn joints_with_a_stiffness_are_stepped_explicitly_and_what_was_chosen_prevails() {
    let server = server(None);
    let mut page = Page::open(&server);
    elastic_stack(&mut page, 1e9);
    let (started, frame, ended) = run(&mut page, json!({ "dt_s": 0.01, "friction_law": "associated" }));
    assert_eq!(
        started["integrator"], "explicit",
        "settings of the other method have no say: {started}"
    );
    assert!(started["reason"].as_str().unwrap().contains("every joint"), "{started}");
    assert_eq!(started["warnings"], json!([]));
    // Springs and masses set the length of steps, far below that of implicit ones.
    let short = started["short_step_s"].as_f64().unwrap();
    assert!(short > 1e-7 && short < 1e-3, "{short}");
    let step = frame.header["step_s"].as_f64().unwrap();
    assert!((0.2..=1.0 + 1e-9).contains(&(step / short)), "{step} of {short}");
    assert!(frame.header["steps_per_s"].as_f64().unwrap() > 0.0);
    let taken = ended["explicit"]["short_steps"].as_f64().unwrap();
    assert!(taken >= 0.1 / short * (1.0 - 1e-6), "{taken}");
    let (started, frame, ended) = run(&mut page, json!({ "integrator": "implicit", "dt_s": 0.01 }));
    assert_eq!(
        (&started["integrator"], &started["short_step_s"]),
        (&json!("implicit"), &json!(null))
    );
    assert_eq!(frame.header["step_s"], 0.01);
    assert_eq!(
        (&ended["integrator"], &ended["explicit"]),
        (&json!("implicit"), &json!(null))
    );
}

/// A stack that is shaken by less than makes it slide or rock moves as the ground does.
#[test]
fn a_stack_that_is_shaken_gently_goes_with_the_ground_either_way() {
    let server = server(None);
    let mut page = Page::open(&server);
    let (model, _) = page.build("stack", json!({ "blocks": 3 }));
    // An impulse begins at rest: a ground that jumped to a velocity would slide under the blocks first.
    let motion = json!({ "kind": "impulse", "direction": [1, 0, 0], "amplitude_g": 0.05, "duration_s": 0.4 });
    for integrator in ["implicit", "explicit"] {
        let asked = json!({ "integrator": integrator, "duration_s": 0.4, "motion": motion });
        let (started, frame, _) = run(&mut page, asked);
        assert_eq!(started["integrator"], integrator);
        let (ground, poses) = (f64::from(frame.floats("ground")[0]), frame.floats("poses"));
        assert!(ground.abs() > 1e-3, "{ground}");
        for (block, pose) in model["blocks"].as_array().unwrap().iter().zip(poses.chunks(7)) {
            let moved = f64::from(pose[0]) - block["center"][0].as_f64().unwrap();
            assert!((moved / ground - 1.0).abs() < 0.01, "{integrator}: {moved} of {ground}");
        }
    }
}

#[test]
fn what_a_method_does_not_take_is_refused() {
    let server = server(None);
    let mut page = Page::open(&server);
    page.build("stack", json!({ "blocks": 2 }));
    for (fields, why) in [
        (json!({ "integrator": "leapfrog" }), "leapfrog"),
        (
            json!({ "integrator": "explicit", "dt_s": 0.01 }),
            "`dt_s` does not go with explicit steps",
        ),
        (
            json!({ "integrator": "explicit", "friction_law": "associated" }),
            "Coulomb friction",
        ),
        (
            json!({ "integrator": "implicit", "damping": 0.5 }),
            "`damping` does not go with implicit steps",
        ),
        (json!({ "integrator": "explicit", "damping": -1 }), "from 0 to 10"),
        (json!({ "integrator": "explicit", "damping": "much" }), "not understood"),
        (json!({ "stiffness_n_m3": [0, 1e10] }), "joint stiffness"),
        (json!({ "stiffness_n_m3": [1e10, 1e21] }), "joint stiffness"),
        (json!({ "stiffness_n_m3": 1e10 }), "not understood"),
        (json!({ "integrator": "explicit", "duration_s": 1000 }), "too long"),
        (json!({ "integrator": "explicit", "duration_s": -1 }), "duration"),
    ] {
        let told = page.refusal(shaken(fields.clone()));
        assert!(told.contains(why), "{fields}: {told}");
    }
    // Steps of a third of a nanosecond would leave no time to hear that they are to stop.
    page.build("stack", json!({ "blocks": 40 }));
    let stiff = shaken(json!({ "integrator": "explicit", "stiffness_n_m3": [1e20, 1e20] }));
    let told = page.refusal(stiff);
    assert!(told.contains("too short"), "{told}");
    // None of these is left behind as a run.
    let told = page.refusal(json!({ "ask": "export", "what": "csv" }));
    assert!(told.contains("no such run"), "{told}");
    run(&mut page, json!({ "integrator": "explicit" }));
}

#[test]
fn an_explicit_run_is_paused_stopped_and_reported() {
    let server = server(None);
    let mut page = Page::open(&server);
    page.build("stack", json!({ "blocks": 3 }));
    let id = page.send(shaken(json!({ "integrator": "explicit", "duration_s": 300 })));
    assert_eq!(page.text()["answer"], "started");
    page.send(json!({ "ask": "pause", "which": id }));
    assert_eq!(page.ask(json!({ "ask": "check" }))["verdict"], "stable");
    page.send(json!({ "ask": "resume", "which": id }));
    page.send(json!({ "ask": "stop", "which": id }));
    let ended = loop {
        let answer = page.text();
        if answer["id"] == id {
            break answer;
        }
    };
    assert_eq!(
        (&ended["ended"], &ended["integrator"]),
        (&json!("stopped"), &json!("explicit"))
    );
    let told = page.ask(json!({ "ask": "report", "which": id }));
    let name = told["name"].as_str().unwrap_or_else(|| panic!("{told}"));
    let (_, report) = get(&server, &format!("/export/{name}?token={}", token(&server)));
    for part in [
        "Explicit steps, as chosen.",
        "damping of joints",
        "short explicit steps",
        "1e10 N/m³",
    ] {
        assert!(report.contains(part), "the report tells {part}");
    }
    assert!(!report.contains("stiffness_assumed"), "in words");
}
