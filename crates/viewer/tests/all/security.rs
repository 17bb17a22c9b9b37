//! Who is refused, and what cannot be reached.

use std::fs;

use crate::common::{Page, get, get_with, server, socket, token};
use serde_json::json;
use tungstenite::Message;

#[test]
fn the_page_and_the_socket_need_the_token_and_assets_do_not() {
    let server = server(None);
    let good = token(&server);
    let (status, page) = get(&server, &format!("/?token={good}"));
    assert_eq!(status, 200);
    assert!(page.contains("<!doctype html>"), "{page}");
    let mut wrong = good.clone();
    wrong.replace_range(0..1, if good.starts_with('0') { "1" } else { "0" });
    for query in [
        String::new(),
        "?token=".into(),
        format!("?token={wrong}"),
        format!("?token={good}0"),
    ] {
        for path in ["/", "/index.html", "/export/a.glb"] {
            assert_eq!(get(&server, &format!("{path}{query}")).0, 403, "{path}{query}");
        }
        let error = socket(&server, &format!("/ws{query}"), &[]).unwrap_err();
        assert!(error.contains("403"), "{error}");
    }
    assert_eq!(get(&server, "/assets/none.js").0, 404);
    assert_eq!(get(&server, &format!("/export/none.glb?token={good}")).0, 404);
}

#[test]
fn other_hosts_and_pages_of_others_are_refused_with_the_right_token() {
    let server = server(None);
    let (good, port) = (token(&server), server.address().port());
    let path = format!("/?token={good}");
    for host in ["evil.example", "127.0.0.1", "127.0.0.1.evil.example"] {
        let named = format!("Host: {host}:{}\r\n", if host == "127.0.0.1" { 1 } else { port });
        assert_eq!(get_with(&server, &path, &named).0, 403, "{named}");
    }
    assert!([400, 403].contains(&get_with(&server, &path, "").0), "no Host at all");
    for host in ["localhost", "127.0.0.1", "[::1]"] {
        assert_eq!(
            get_with(&server, &path, &format!("Host: {host}:{port}\r\n")).0,
            200,
            "{host}"
        );
    }
    let own = format!("Host: {}\r\n", server.address());
    for origin in [
        "https://evil.example",
        "null",
        "http://127.0.0.1:1",
        "http://localhost.evil.example",
    ] {
        assert_eq!(
            get_with(&server, &path, &format!("{own}Origin: {origin}\r\n")).0,
            403,
            "{origin}"
        );
        let error = socket(&server, &format!("/ws?token={good}"), &[("origin", origin)]).unwrap_err();
        assert!(error.contains("403"), "{error}");
    }
    let origin = format!("http://{}", server.address());
    assert_eq!(get_with(&server, &path, &format!("{own}Origin: {origin}\r\n")).0, 200);
    assert!(socket(&server, &format!("/ws?token={good}"), &[("origin", &origin)]).is_ok());
}

#[test]
fn every_answer_has_the_headers_that_keep_others_out() {
    let server = server(None);
    for path in [
        format!("/?token={}", token(&server)),
        "/".into(),
        "/assets/none.js".into(),
    ] {
        let (_, answer) = get(&server, &path);
        let answer = answer.to_lowercase();
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "x-frame-options: deny",
            "cache-control: no-store",
        ] {
            assert!(answer.contains(header), "{path}: {header}: {answer}");
        }
    }
}

#[test]
fn paths_lead_nowhere_out_of_the_folder() {
    let outside = tempfile::tempdir().unwrap();
    let folder = outside.path().join("models");
    fs::create_dir(&folder).unwrap();
    let secret = outside.path().join("secret.json");
    fs::write(&secret, "{\"drystone\": 1, \"blocks\": []}").unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&secret, folder.join("link.json")).unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.join("out")).unwrap();
    }
    let server = server(Some(&folder));
    let mut page = Page::open(&server);
    page.build("stack", json!({}));
    let absolute = secret.display().to_string();
    for path in [
        "../secret.json",
        "a/../../secret.json",
        &absolute,
        "link.json",
        "out/secret.json",
        "",
        "/",
        "..",
    ] {
        for ask in ["open", "import"] {
            let told = page.refusal(json!({ "ask": ask, "path": path }));
            assert!(told.contains("folder"), "{ask} {path}: {told}");
        }
        if path.ends_with(".json") {
            let told = page.refusal(json!({ "ask": "save", "path": path }));
            assert!(told.contains("folder"), "{path}: {told}");
        }
    }
    assert_eq!(
        fs::read_to_string(&secret).unwrap(),
        "{\"drystone\": 1, \"blocks\": []}"
    );
    let listed = page.ask(json!({ "ask": "hello" }))["files"].clone();
    assert_eq!(listed, json!([]), "links are not listed");
    let told = page.refusal(json!({ "ask": "save", "path": "notes.txt" }));
    assert!(told.contains(".json"), "{told}");
}

#[test]
fn a_model_cannot_make_the_server_read_a_record_elsewhere() {
    let server = server(None);
    let mut page = Page::open(&server);
    page.build("stack", json!({}));
    let mut model = page.ask(json!({ "ask": "save" }))["model"].clone();
    model["motions"] = json!({ "spy": { "record": { "path": "/etc/passwd" } } });
    page.ask_binary(json!({ "ask": "open", "model": model }));
    let motion = json!({ "kind": "model", "name": "spy" });
    let told = page.refusal(json!({ "ask": "simulate", "motion": motion, "duration_s": 1 }));
    assert!(told.contains("no folder is opened"), "{told}");
    model["support_motions"] = json!([{ "motion": "spy" }]);
    page.ask_binary(json!({ "ask": "open", "model": model }));
    let told = page.refusal(json!({ "ask": "simulate", "motion": { "kind": "model" }, "duration_s": 1 }));
    assert!(told.contains("no folder is opened"), "{told}");
}

#[test]
fn what_is_too_large_is_refused() {
    let server = server(None);
    let mut page = Page::open(&server);
    page.build("stack", json!({}));
    let told = page.refusal(json!({ "ask": "simulate", "duration_s": 1000, "dt_s": 0.001 }));
    assert!(
        told.contains("1000000 steps are too many") && told.contains("200000"),
        "{told}"
    );
    for (duration, dt) in [(0.0, 0.01), (-1.0, 0.01), (1.0, 0.0), (1.0, 2.0), (1e9, 1e6)] {
        page.refusal(json!({ "ask": "simulate", "duration_s": duration, "dt_s": dt }));
    }
    // Just above what an upload may be, and still within what a message may be.
    let upload = "A".repeat((64 << 20) / 3 * 4 + 8000);
    let told = page.refusal(json!({ "ask": "open", "files": [{ "name": "a.obj", "base64": upload }] }));
    assert!(told.contains("64 MiB"), "{told}");
    // The socket is closed where a message is larger than any upload; who still sends may not hear why.
    let mut other = Page::open(&server);
    other.send_raw_if_open(Message::text("x".repeat(90 << 20)));
    let code = other.closed();
    assert!(matches!(code, None | Some(1009)), "{code:?}");
    // Others go on.
    assert_eq!(page.ask(json!({ "ask": "hello" }))["answer"], "hello");
}

#[test]
fn what_is_not_understood_is_told_and_the_socket_stays_open() {
    let server = server(None);
    let mut page = Page::open(&server);
    page.send_raw(Message::text("{not json"));
    assert!(page.text()["error"].as_str().unwrap().contains("no JSON"));
    page.send_raw(Message::text("[1, 2]"));
    assert!(page.text()["error"].as_str().unwrap().contains("`id`"));
    page.send_raw(Message::binary(vec![0, 159, 146, 150, 255]));
    assert!(page.text()["error"].as_str().unwrap().contains("binary"));
    let told = page.refusal(json!({ "ask": "dance" }));
    assert!(told.contains("unknown variant `dance`"), "{told}");
    let told = page.refusal(json!({ "ask": "check" }));
    assert!(told.contains("no model yet"), "{told}");
    let told = page.refusal(json!({ "ask": "open", "model": { "drystone": 1 } }));
    assert!(told.contains("blocks"), "{told}");
    let told = page.refusal(json!({ "ask": "build", "recipe": "arhc" }));
    assert!(told.contains("did you mean `arch`"), "{told}");
    let told = page.refusal(json!({ "ask": "open", "files": [{ "name": "a.obj", "base64": "%%%" }] }));
    assert!(told.contains("base64"), "{told}");
    page.build("stack", json!({}));
    for situation in [
        json!({ "friction": -1 }),
        json!({ "density": 0 }),
        json!({ "only": ["nobody"] }),
        json!({ "fixed": [] }),
        json!({ "tilt": { "axis": [0, 0, 0], "angle_deg": 3 } }),
        json!({ "loads": [{ "case": "wind" }] }),
    ] {
        page.refusal(json!({ "ask": "check", "situation": situation }));
    }
    assert_eq!(page.ask(json!({ "ask": "hello" }))["answer"], "hello");
}

#[test]
fn no_more_sockets_than_allowed() {
    let server = server(None);
    let path = format!("/ws?token={}", token(&server));
    let open: Vec<_> = (0..16).map(|_| socket(&server, &path, &[]).unwrap()).collect();
    let error = socket(&server, &path, &[]).unwrap_err();
    assert!(error.contains("503"), "{error}");
    drop(open);
}
