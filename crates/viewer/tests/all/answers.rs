//! What the page is answered.

use std::fs;

use crate::common::{Page, get, server, token};
use serde_json::json;

#[test]
fn hello_tells_recipes_and_limits() {
    let server = server(None);
    let mut page = Page::open(&server);
    let hello = page.ask(json!({ "ask": "hello", "version": "1" }));
    assert_eq!(hello["answer"], "hello");
    assert_eq!(hello["folder"], json!(null));
    assert_eq!(hello["limits"]["upload_bytes"], 64 << 20);
    let recipes = hello["recipes"].as_array().unwrap();
    let arch = recipes.iter().find(|r| r["name"] == "arch").unwrap();
    let parameters = arch["parameters"].as_array().unwrap();
    let voussoirs = parameters.iter().find(|p| p["name"] == "voussoirs").unwrap();
    assert_eq!(
        (&voussoirs["kind"], &voussoirs["label"]),
        (&json!("integer"), &json!("Voussoirs"))
    );
    assert!(voussoirs["least"].as_u64().unwrap() < voussoirs["most"].as_u64().unwrap());
}

#[test]
fn a_box_is_drawn_by_its_faces_relative_to_its_centre() {
    let server = server(None);
    let mut page = Page::open(&server);
    let (model, shapes) = page.build("stack", json!({ "blocks": 1 }));
    let blocks = model["blocks"].as_array().unwrap();
    assert_eq!(blocks.len(), 2);
    assert_eq!(shapes.kind, 1);
    let (positions, normals) = (shapes.floats("positions"), shapes.floats("normals"));
    // Six faces of four corners and two triangles, twelve edges, for either box.
    assert_eq!([positions.len(), normals.len()], [2 * 24 * 3; 2]);
    assert_eq!(shapes.indices("block").len(), 48);
    assert_eq!(shapes.indices("triangles").len(), 2 * 36);
    assert_eq!(shapes.indices("face").len(), 2 * 12);
    assert_eq!(shapes.indices("edges").len(), 2 * 24);
    assert_eq!(*shapes.indices("vertex").iter().max().unwrap(), 7);
    for (p, n) in positions.chunks(3).zip(normals.chunks(3)) {
        assert!(
            p.iter().zip(n).map(|(a, b)| a * b).sum::<f32>() > 0.0,
            "faces look away from the centre"
        );
    }
    assert_eq!(model["joints"], 1);
    assert_eq!(shapes.indices("joint_start"), [0, 4]);
    assert_eq!(shapes.floats("joint_corners").len(), 12);
    assert_eq!(
        model["recipe"],
        json!({ "name": "stack", "values": { "blocks": "1" }, "edits": 0 })
    );
}

#[test]
fn the_spandrel_arch_stands_and_its_forces_carry_its_weight() {
    let server = server(None);
    let mut page = Page::open(&server);
    let (model, _) = page.build("spandrel-arch", json!({}));
    let (check, arrays) = page.ask_binary(json!({ "ask": "check", "method": "cone" }));
    assert_eq!(check["verdict"], "stable");
    assert_eq!(check["revision"], model["revision"]);
    assert!(check["residual"].as_f64().unwrap() < 1e-6);
    assert_eq!(arrays.kind, 2);
    let joints = model["joints"].as_u64().unwrap() as usize;
    assert_eq!([arrays.floats("use").len(), arrays.bytes("state").len()], [joints; 2]);
    assert_eq!(
        arrays.floats("motion").len(),
        6 * model["blocks"].as_array().unwrap().len()
    );
    // What acts on free blocks from supports is their weight.
    let blocks = model["blocks"].as_array().unwrap();
    let fixed = |b: u32| blocks[b as usize]["fixed"] == true;
    let weight: f64 = blocks
        .iter()
        .filter(|b| b["fixed"] == false)
        .map(|b| 9.81 * b["mass_kg"].as_f64().unwrap())
        .sum();
    let (_, shapes) = page.ask_binary(json!({ "ask": "open", "model": page_model(&server) }));
    let pairs = shapes.indices("joint_blocks");
    let mut carried = 0.0;
    for (joint, force) in arrays
        .indices("point_joint")
        .iter()
        .zip(arrays.floats("forces").chunks(3))
    {
        let [a, b] = [pairs[2 * *joint as usize], pairs[2 * *joint as usize + 1]];
        carried += f64::from(force[2]) * (f64::from(u8::from(fixed(a))) - f64::from(u8::from(fixed(b))));
    }
    assert!((carried / weight - 1.0).abs() < 1e-4, "{carried} of {weight}");
}

/// The default spandrel arch as a file has it.
fn page_model(server: &drystone_viewer::Server) -> serde_json::Value {
    let mut page = Page::open(server);
    page.build("spandrel-arch", json!({}));
    page.ask(json!({ "ask": "save" }))["model"].clone()
}

#[test]
fn a_situation_changes_the_verdict_and_not_the_model() {
    let server = server(None);
    let mut page = Page::open(&server);
    let (model, _) = page.build("stack", json!({ "blocks": 3, "friction": 0.6 }));
    let mut verdict = |situation: serde_json::Value| {
        let (check, arrays) = page.ask_binary(json!({ "ask": "check", "situation": situation }));
        (check["verdict"].as_str().unwrap().to_string(), arrays)
    };
    let tilted = |angle: f64| json!({ "tilt": { "axis": [0, 1, 0], "angle_deg": angle } });
    assert_eq!(verdict(json!({})).0, "stable");
    assert_eq!(verdict(tilted(5.0)).0, "stable");
    // A block on an incline slides past atan(mu).
    let mut steep = tilted(5.0);
    steep["friction"] = json!(0.05);
    let (word, arrays) = verdict(steep);
    assert_eq!(word, "unstable");
    assert!(arrays.floats("motion").iter().any(|v| v.abs() > 0.1));
    assert!(arrays.bytes("state").contains(&3), "a joint slides");
    assert_eq!(verdict(json!({ "friction": 0.05 })).0, "stable");
    // All but the highest block are supports.
    let names: Vec<&str> = model["blocks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| b["name"].as_str().unwrap())
        .collect();
    let (word, arrays) = verdict(json!({ "only": [names[names.len() - 1]] }));
    assert_eq!(word, "stable");
    assert_eq!(
        arrays.indices("point_joint").iter().filter(|&&j| j != 2).count(),
        0,
        "only its own joint"
    );
    assert_eq!(arrays.floats("use").iter().filter(|&&u| u >= 0.0).count(), 1);
    // With other supports the floor may fall: it hangs on nothing.
    let top = json!({ "fixed": [names[names.len() - 1]] });
    assert_eq!(verdict(top).0, "unstable");
    let again = page.ask(json!({ "ask": "save" }));
    assert_eq!(again["model"]["blocks"].as_array().unwrap().len(), names.len());
    let told = page.ask(json!({ "ask": "tilt", "axis": [0, 1, 0], "method": "cone" }));
    assert!(told["critical_tilt_deg"].as_f64().unwrap() > 5.0, "{told}");
}

#[test]
fn a_newer_check_takes_the_place_of_one_that_waits() {
    let server = server(None);
    let mut page = Page::open(&server);
    page.build("spandrel-arch", json!({}));
    let ids: Vec<u64> = (0..20)
        .map(|k| page.send(json!({ "ask": "check", "situation": { "friction": 0.5 + 0.01 * f64::from(k) } })))
        .collect();
    let mut kinds = vec![String::new(); ids.len()];
    while kinds.iter().any(String::is_empty) {
        let answer = page.text();
        let k = ids.iter().position(|id| answer["id"] == *id).unwrap();
        kinds[k] = answer["answer"].as_str().unwrap().to_string();
    }
    assert_eq!(kinds[19], "check", "the newest is answered");
    assert!(kinds.iter().filter(|k| *k == "superseded").count() > 5, "{kinds:?}");
}

#[test]
fn a_check_that_runs_is_given_up_when_the_page_says_so() {
    let server = server(None);
    let mut page = Page::open(&server);
    // By motions that call up forces this takes tens of seconds.
    page.build("corbelled-cylinder", json!({}));
    let check = page.send(json!({ "ask": "check", "method": "cra" }));
    std::thread::sleep(std::time::Duration::from_millis(300));
    page.send(json!({ "ask": "stop", "which": check }));
    let answer = page.text();
    assert_eq!((&answer["id"], &answer["error"]), (&json!(check), &json!("stopped")));
    page.build("stack", json!({ "blocks": 2 }));
    assert_eq!(page.ask(json!({ "ask": "check" }))["verdict"], "stable");
}

#[test]
fn questions_about_limits_are_answered_and_certificates_hold() {
    let server = server(None);
    let mut page = Page::open(&server);
    page.build("arch", json!({ "voussoirs": 9 }));
    let limit = page.ask(json!({ "ask": "limit", "direction": [1, 0, 0] }));
    let bounds = limit["bounds"].as_array().unwrap();
    assert!(
        bounds[0].as_f64().unwrap() <= bounds[1].as_f64().unwrap() && bounds[0].as_f64().unwrap() > 0.0,
        "{limit}"
    );
    let least = page.ask(json!({ "ask": "sensitivity" }));
    assert!(least["friction_factor"].as_f64().unwrap() < 1.0, "{least}");
    let thrust = page.ask(json!({ "ask": "thrust" }));
    let kinds: Vec<&str> = thrust["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| l["kind"].as_str().unwrap())
        .collect();
    assert!(
        kinds.contains(&"computed") && kinds.contains(&"minimum") && kinds.contains(&"maximum"),
        "{kinds:?}"
    );
    let certificate = page.ask(json!({ "ask": "certificate", "situation": { "friction": 0.7 } }));
    assert_eq!(certificate["valid"], true, "{certificate}");
    assert_eq!(certificate["certificate"]["situation"]["friction"], 0.7);
}

#[test]
fn changes_are_undone_and_done_again() {
    let server = server(None);
    let mut page = Page::open(&server);
    let (before, _) = page.build("stack", json!({ "blocks": 2 }));
    let names: Vec<String> = before["blocks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| b["name"].as_str().unwrap().to_string())
        .collect();
    let top = names.last().unwrap();
    let mut edit = |fields: serde_json::Value| {
        let mut question = fields;
        question["ask"] = json!("edit");
        page.ask_binary(question).0
    };
    let moved = edit(json!({ "do": "move", "blocks": [top], "by": [0, 0, 1] }));
    assert_eq!(
        (&moved["joints"], &moved["undo"], &moved["recipe"]),
        (
            &json!(1),
            &json!(1),
            &json!({ "name": "stack", "values": { "blocks": "2" }, "edits": 1 })
        )
    );
    let cut = edit(json!({ "do": "cut", "block": top, "point": moved["blocks"][2]["center"], "normal": [1, 0, 0] }));
    assert_eq!(cut["blocks"].as_array().unwrap().len(), 4);
    let volume = |model: &serde_json::Value| -> f64 {
        model["blocks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|b| b["volume_m3"].as_f64().unwrap())
            .sum()
    };
    assert!((volume(&cut) / volume(&before) - 1.0).abs() < 1e-12);
    let renamed = edit(json!({ "do": "rename", "block": top, "name": "key" }));
    assert_eq!(renamed["blocks"][2]["name"], "key");
    let copied = edit(json!({ "do": "duplicate", "blocks": ["key"], "by": [0, 5, 0] }));
    assert_eq!(copied["blocks"].as_array().unwrap().len(), 5);
    let gone = edit(json!({ "do": "delete", "blocks": ["key", "key-2"] }));
    assert_eq!(gone["blocks"].as_array().unwrap().len(), 3);
    let face = edit(json!({ "do": "face", "block": names[1], "face": 0, "by": -0.01 }));
    assert!(volume(&face) < volume(&gone));
    let loaded = edit(json!({ "do": "load", "case": "push", "block": names[1], "at": null, "force": [10, 0, 0] }));
    assert_eq!(loaded["loads"], json!(["push"]));
    let overlapping = edit(json!({ "do": "move", "blocks": [names[1]], "by": [0, 0, -0.02] }));
    assert!(
        overlapping["problems"].to_string().contains("overlap by"),
        "{}",
        overlapping["problems"]
    );
    for _ in 0..8 {
        page.ask_binary(json!({ "ask": "undo" }));
    }
    let told = page.refusal(json!({ "ask": "undo" }));
    assert!(told.contains("nothing to undo"), "{told}");
    let (again, _) = page.ask_binary(json!({ "ask": "redo" }));
    assert_eq!((&again["undo"], &again["redo"]), (&json!(1), &json!(7)));
    let (first, _) = page.ask_binary(json!({ "ask": "undo" }));
    assert_eq!(first["blocks"], before["blocks"]);
    assert_eq!(first["recipe"], before["recipe"]);
    for bad in [
        json!({ "do": "face", "block": names[1], "face": 99, "by": 0.1 }),
        json!({ "do": "trim", "block": names[1], "point": [0, 0, 99], "normal": [0, 0, -1] }),
        json!({ "do": "move", "blocks": ["nobody"], "by": [0, 0, 1] }),
        json!({ "do": "friction", "value": -1, "between": null }),
    ] {
        let mut question = bad;
        question["ask"] = json!("edit");
        page.refusal(question);
    }
}

#[test]
fn ties_are_added_changed_and_removed() {
    let server = server(None);
    let mut page = Page::open(&server);
    let (model, _) = page.build("stack", json!({ "blocks": 3 }));
    let name = |k: usize| model["blocks"][k]["name"].clone();
    let end = |k: usize| json!({ "block": name(k), "at": model["blocks"][k]["center"] });
    let tie = |strength: f64| {
        let kind = json!({ "tie": { "stiffness_n_m": 1e7, "yield_n": strength } });
        json!({ "ask": "edit", "do": "tie", "name": "rod", "from": end(0), "to": end(2), "kind": kind })
    };
    let (added, _) = page.ask_binary(tie(1e4));
    assert_eq!(added["ties"][0]["name"], "rod");
    let (changed, _) = page.ask_binary(tie(2e4));
    let ties = changed["ties"].as_array().unwrap();
    assert_eq!((ties.len(), &ties[0]["kind"]["tie"]["yield_n"]), (1, &json!(2e4)));
    // A change that leaves no sound model is refused: a tie to nothing, and one of negative strength.
    let mut nowhere = tie(1e4);
    nowhere["to"]["block"] = json!("nobody");
    let told = page.refusal(nowhere);
    assert!(told.contains("nobody"), "{told}");
    page.refusal(tie(-1.0));
    let (gone, _) = page.ask_binary(json!({ "ask": "edit", "do": "untie", "name": "rod" }));
    assert_eq!(gone["ties"], json!([]));
    page.refusal(json!({ "ask": "edit", "do": "untie", "name": "rod" }));
}

#[test]
fn a_simulation_streams_frames_and_is_exported() {
    let server = server(None);
    let mut page = Page::open(&server);
    let (model, _) = page.build("stack", json!({ "blocks": 3 }));
    let blocks = model["blocks"].as_array().unwrap().len();
    let motion = json!({ "kind": "sine", "direction": [1, 0, 0], "amplitude_g": 0.2, "frequency_hz": 2 });
    let id = page.send(json!({
        "ask": "simulate", "motion": motion, "duration_s": 0.2, "dt_s": 0.01, "frames_per_s": 50
    }));
    let started = page.text();
    assert_eq!(
        (&started["answer"], &started["steps"], &started["frames"]),
        (&json!("started"), &json!(20), &json!(11))
    );
    for number in 0..11 {
        let frame = page.binary();
        assert_eq!((frame.kind, u64::from(frame.id)), (3, id));
        assert_eq!(frame.header["frame"], number);
        let poses = frame.floats("poses");
        assert_eq!(poses.len(), 7 * blocks);
        if number == 0 {
            let center = model["blocks"][1]["center"][2].as_f64().unwrap();
            assert!((f64::from(poses[7 + 2]) - center).abs() < 1e-6, "poses are absolute");
            assert_eq!(poses[7 + 3..14], [0.0, 0.0, 0.0, 1.0]);
        } else {
            assert!(frame.floats("ground")[0].abs() > 0.0, "the ground moves");
        }
    }
    let ended = page.text();
    assert_eq!(
        (&ended["answer"], &ended["ended"], &ended["collapsed"]),
        (&json!("simulate"), &json!("finished"), &json!(false))
    );
    let names: Vec<&str> = model["blocks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| b["name"].as_str().unwrap())
        .collect();
    for (what, start) in [
        ("csv", "time_s,"),
        ("glb", "glTF"),
        ("html", "<!doctype html>"),
        ("gif", "GIF89a"),
    ] {
        let told = page.ask(json!({ "ask": "export", "what": what, "which": id, "blocks": [names[1]] }));
        let name = told["name"].as_str().unwrap_or_else(|| panic!("{told}"));
        let path = format!("/export/{name}?token={}", token(&server));
        let (status, answer) = get(&server, &path);
        assert_eq!(status, 200);
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        assert!(
            body.starts_with(start),
            "{what}: {}",
            body.chars().take(40).collect::<String>()
        );
        assert_eq!(get(&server, &path).0, 404, "each is fetched once");
    }
}

#[test]
fn a_simulation_is_paused_and_stopped_while_checks_are_answered() {
    let server = server(None);
    let mut page = Page::open(&server);
    page.build("stack", json!({ "blocks": 2 }));
    let id = page.send(json!({ "ask": "simulate", "duration_s": 1000, "dt_s": 0.01, "frames_per_s": 10 }));
    assert_eq!(page.text()["answer"], "started");
    page.send(json!({ "ask": "pause", "which": id }));
    let told = page.refusal(json!({ "ask": "simulate", "duration_s": 1 }));
    assert!(told.contains("runs already"), "{told}");
    assert_eq!(page.ask(json!({ "ask": "check" }))["verdict"], "stable");
    page.send(json!({ "ask": "stop", "which": id }));
    let ended = loop {
        let answer = page.text();
        if answer["id"] == id {
            break answer;
        }
    };
    assert_eq!(ended["ended"], "stopped");
    page.send(json!({ "ask": "simulate", "duration_s": 0.1, "dt_s": 0.01 }));
    assert_eq!(page.text()["answer"], "started", "the next one may begin");
}

#[test]
fn a_saved_model_opens_again_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(Some(folder.path()));
    let mut page = Page::open(&server);
    let (built, shapes) = page.build("arch", json!({ "voussoirs": 7 }));
    let saved = page.ask(json!({ "ask": "save", "path": "mine.json" }));
    assert_eq!(saved["path"], "mine.json");
    fs::write(folder.path().join("cube.obj"), CUBE).unwrap();
    let hello = page.ask(json!({ "ask": "hello" }));
    let listed = json!([{ "path": "cube.obj", "kind": "import" }, { "path": "mine.json", "kind": "model" }]);
    assert_eq!(hello["files"], listed);
    let (opened, again) = page.ask_binary(json!({ "ask": "open", "path": "mine.json" }));
    assert_eq!(opened["blocks"], built["blocks"]);
    assert_eq!(again.floats("positions"), shapes.floats("positions"));
    let (cube, _) = page.ask_binary(json!({ "ask": "open", "path": "cube.obj" }));
    assert!((cube["blocks"][0]["volume_m3"].as_f64().unwrap() - 1.0).abs() < 1e-12);
}

const CUBE: &str = "o cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
                    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

#[test]
fn a_verdict_comes_with_the_conclusion_of_all_methods_asked() {
    let server = server(None);
    let mut page = Page::open(&server);
    page.build("model-h", json!({}));
    let said = |check: &serde_json::Value| check["conclusion"].as_str().unwrap().to_string();
    let (cone, _) = page.ask_binary(json!({ "ask": "check", "method": "cone" }));
    assert_eq!((&cone["verdict"], &cone["proven"]), (&json!("stable"), &json!(true)));
    assert!(said(&cone).contains("was not checked"), "{cone}");
    let (cra, _) = page.ask_binary(json!({ "ask": "check", "method": "cra" }));
    assert_eq!((&cra["verdict"], &cra["proven"]), (&json!("unstable"), &json!(false)));
    assert!(said(&cra).contains("only with self-stress"), "{cra}");
    // Asked again, the first says the same.
    let (again, _) = page.ask_binary(json!({ "ask": "check", "method": "cone" }));
    assert_eq!(said(&again), said(&cra));
    // Of another situation nothing is known yet.
    let (other, _) = page.ask_binary(json!({ "ask": "check", "situation": { "friction": 2.0 } }));
    assert!(said(&other).contains("was not checked"), "{other}");
}

#[test]
fn problems_of_the_geometry_stand_beside_the_verdict() {
    let server = server(None);
    let mut page = Page::open(&server);
    let (model, _) = page.build("stack", json!({ "blocks": 2 }));
    let (sound, _) = page.ask_binary(json!({ "ask": "check" }));
    assert_eq!(sound["geometry_problems"], json!([]));
    let top = &model["blocks"][2]["name"];
    page.ask_binary(json!({ "ask": "edit", "do": "move", "blocks": [top], "by": [0, 0, -0.05] }));
    let (check, _) = page.ask_binary(json!({ "ask": "check" }));
    assert_eq!(check["geometry_problems"][0]["kind"], "overlap", "{check}");
    assert!(
        check["geometry"][0].as_str().unwrap().contains("overlap by 50 mm"),
        "{check}"
    );
    assert_eq!(check["verdict"], "undecided");
    assert!(
        check["conclusion"]
            .as_str()
            .unwrap()
            .starts_with("No verdict: the geometry is wrong"),
        "{check}"
    );
    let limit = page.ask(json!({ "ask": "limit", "direction": [1, 0, 0] }));
    assert_eq!(limit["geometry_problems"][0]["kind"], "overlap", "{limit}");
}

#[test]
fn bounds_of_limits_and_tilts_are_proven() {
    let server = server(None);
    let mut page = Page::open(&server);
    page.build("stack", json!({ "blocks": 1, "friction": 0.3 }));
    let limit = page.ask(json!({ "ask": "limit", "direction": [1, 0, 0] }));
    assert_eq!(
        (&limit["lower_proven"], &limit["upper_proven"]),
        (&json!(true), &json!(true)),
        "{limit}"
    );
    assert_eq!(
        limit["conclusion"],
        "It stands up to 0.3000 g along 1,0,0 and falls beyond that (both proven)."
    );
    let tilt = page.ask(json!({ "ask": "tilt", "axis": [0, 1, 0], "method": "cone" }));
    assert_eq!(
        (&tilt["lower_proven"], &tilt["upper_proven"]),
        (&json!(true), &json!(true)),
        "{tilt}"
    );
    // The angle of friction, atan 0.3.
    assert!(
        (tilt["critical_tilt_deg"].as_f64().unwrap() - 0.3f64.atan().to_degrees()).abs() < 0.01,
        "{tilt}"
    );
}

/// Deformable blocks come back from the page as they went to it, and go or change their name with their blocks.
#[test]
fn deformable_blocks_are_saved_as_they_were_opened() {
    let server = server(None);
    let mut page = Page::open(&server);
    page.build("arch", json!({ "voussoirs": 7 }));
    let saved = |page: &mut Page| page.ask(json!({ "ask": "save" }))["model"].clone();
    let mut model = saved(&mut page);
    let free = model["blocks"].as_array_mut().unwrap();
    let mut free = free.iter_mut().filter(|b| b["fixed"] != true);
    let first = free.next().unwrap();
    first["material"] = json!("granite");
    let [first, second] = [first["name"].clone(), free.next().unwrap()["name"].clone()];
    model["materials"] =
        json!({ "granite": { "density": 2700.0, "young_pa": 6e10, "poisson": 0.2, "rayleigh_mass_per_s": 0.5 } });
    model["elasticity"] = json!({ "young_pa": 2e10, "poisson": 0.25, "rayleigh_stiffness_s": 1e-4 });
    model["deformable"] =
        json!([{ "blocks": "all" }, { "blocks": first, "mesh": "T10x2" }, { "blocks": second, "mesh": "H8x1x2x3" }]);
    page.ask_binary(json!({ "ask": "open", "model": model }));
    assert_eq!(saved(&mut page), model);
    page.ask_binary(json!({ "ask": "edit", "do": "rename", "block": first, "name": "key" }));
    page.ask_binary(json!({ "ask": "edit", "do": "delete", "blocks": [second] }));
    let left = json!([{ "blocks": "all" }, { "blocks": "key", "mesh": "T10x2" }]);
    assert_eq!(saved(&mut page)["deformable"], left);
}
