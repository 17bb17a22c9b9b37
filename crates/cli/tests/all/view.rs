//! `drystone view` and `drystone report` as a person or a script meets them.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
};

use crate::common::{failure, folder, json};

/// A server that ends with the test.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the program and gives the first lines that it prints.
fn view(folder: &Path, arguments: &[&str]) -> (Served, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_drystone"))
        .arg("view")
        .args(arguments)
        .arg("--no-open")
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let [first, second] = [lines.next(), lines.next()].map(|l| l.unwrap().unwrap());
    (Served(child), first, second)
}

#[test]
fn the_first_line_is_the_address_of_the_page() {
    let folder = folder();
    json(folder.path(), "new stack -o stack.json");
    let (_served, url, what) = view(folder.path(), &["stack.json"]);
    assert!(what.contains("stack.json"), "{what}");
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    assert!(host.starts_with("127.0.0.1:") && path.starts_with("?token="), "{url}");
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn a_bad_file_is_told_before_anything_is_served() {
    let folder = folder();
    fs::write(folder.path().join("bad.json"), "{\"drystone\": 1}").unwrap();
    let told = failure(folder.path(), "view bad.json --no-open", 2);
    assert!(told.contains("blocks"), "{told}");
    let told = failure(folder.path(), "view none.json --no-open", 2);
    assert!(told.contains("none.json"), "{told}");
    failure(folder.path(), "view --port 70000 --no-open", 2);
}

#[test]
fn a_port_that_is_taken_is_told_and_without_one_the_next_is_used() {
    let folder = folder();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let told = failure(folder.path(), &format!("view --port {port} --no-open"), 1);
    assert!(told.contains(&format!("cannot listen on 127.0.0.1:{port}")), "{told}");
    let (_first, one, _) = view(folder.path(), &[]);
    let (_second, two, _) = view(folder.path(), &[]);
    let port = |url: &str| -> u16 {
        let rest = url.strip_prefix("http://127.0.0.1:").unwrap();
        rest.split('/').next().unwrap().parse().unwrap()
    };
    assert_ne!(port(&one), port(&two), "{one} {two}");
    let (_any, url, _) = view(folder.path(), &["--port", "0"]);
    assert_ne!(port(&url), 0);
}

#[test]
fn a_check_and_a_run_become_pages_that_need_nothing_else() {
    let folder = folder();
    let place = folder.path();
    json(place, "new arch --voussoirs 9 -o arch.json");
    json(place, "check arch.json -o verdict");
    json(place, "simulate arch.json --duration 0.1 --dt 0.01 -o run");
    for (from, words) in [("verdict", "It stands"), ("run", "It did not collapse")] {
        let result = json(place, &format!("report {from} -o {from}.html"));
        assert_eq!(result["file"], format!("{from}.html"));
        let page = fs::read_to_string(place.join(format!("{from}.html"))).unwrap();
        assert!(page.contains(words) && page.contains("residual"), "{from}");
        assert!(
            page.contains("data:image/svg+xml;base64,"),
            "{from}: pictures are embedded"
        );
        assert!(!page.contains("<script") && !page.contains("src=\"http"), "{from}");
    }
    fs::create_dir(place.join("empty")).unwrap();
    let told = failure(place, "report empty", 2);
    assert!(told.contains("no results are there"), "{told}");
}

/// The text of a page, without its markup.
fn text_of(page: &str) -> String {
    let body = page.split("<body>").nth(1).unwrap();
    let pieces = body
        .split('<')
        .map(|piece| piece.split_once('>').map_or("", |(_, text)| text));
    pieces
        .collect::<Vec<_>>()
        .join(" ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn a_report_is_headed_by_what_it_is_about_and_says_what_a_reader_needs() {
    let folder = folder();
    let place = folder.path();
    // A slender block stands at rest, and falls when its ground is shaken.
    json(place, "new block --width 0.3 --depth 0.6 --height 2 -o block.json");
    json(place, "check block.json --friction 0.7 -o check");
    json(
        place,
        "simulate block.json --duration 3 --dt 0.01 --every 0.5 --stop-at collapse --motion impulse:peak=0.6g,half_period=0.5,direction=x -o run",
    );
    json(place, "limit block.json --direction 1,0,0 -o limit");
    json(place, "tilt block.json --axis 0,1,0 --method cone -o tilt");
    json(place, "settle block.json -o settle");
    let report = |from: &str| {
        let options = "--title A<b> --project 2026-17 --author Mason --date 2026-11-20";
        json(place, &format!("report {from} {options}"));
        fs::read_to_string(place.join(from).join("report.html")).unwrap()
    };
    // tan(critical tilt) = capacity = width over height: 8.53 degrees, 0.15.
    for (from, headline) in [
        ("check", "It stands"),
        ("run", "It collapsed"),
        ("limit", "It carries 0.150 g"),
        ("tilt", "It can be tilted by 8.53°"),
        ("settle", "It carries all stages"),
    ] {
        let page = report(from);
        let verdict = page.split("<p class=\"verdict").nth(1).unwrap();
        let verdict = verdict.split_once('>').unwrap().1.split_once('<').unwrap().0;
        assert_eq!(verdict, headline, "{from}");
        let text = text_of(&page);
        for needed in [
            "A&lt;b&gt;",
            "2026-17",
            "Mason",
            "2026-11-20",
            concat!("drystone ", env!("CARGO_PKG_VERSION")),
            "Assumptions and method",
            "Materials and joints",
            "gravity (m/s²) 0, 0, -9.81",
            "Limitations",
            "How to reproduce",
            "data:image/svg+xml",
        ] {
            let within = if needed.starts_with("data:") { &page } else { &text };
            assert!(within.contains(needed), "{from}: {needed}: {text}");
        }
        assert!(
            text.contains(&format!("drystone {}", if from == "run" { "simulate" } else { from })),
            "{from}"
        );
        assert_eq!(
            text.contains("It stands"),
            ["check", "limit", "tilt", "settle"].contains(&from),
            "{from}"
        );
    }
    let text = text_of(&report("check"));
    assert!(
        text.contains("friction 0.700 (35.0°)"),
        "the friction that was asked for: {text}"
    );
    let certificate: serde_json::Value =
        serde_json::from_slice(&fs::read(place.join("check/certificate.json")).unwrap()).unwrap();
    assert!(text.contains(certificate["fingerprint"].as_str().unwrap()));
    assert!(text.contains(certificate["model"]["fingerprint"].as_str().unwrap()));
    // What it says under "How to reproduce".
    let verified = json(&place.join("check"), "verify certificate.json structure.json");
    assert_eq!(verified["valid"], true);
    // 0.3 x 0.6 x 2 m of 2000 kg/m³: 720 kg.
    assert!(text.contains("mass of the free blocks 720 kg"), "{text}");
}

#[test]
fn a_report_is_printed_by_a_browser_or_it_is_said_what_to_do() {
    let folder = folder();
    let place = folder.path();
    json(place, "new block -o block.json");
    json(place, "check block.json --method cone -o out");
    let with = |browser: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_drystone"));
        command
            .args(["report", "out", "--pdf", "out.pdf"])
            .current_dir(place)
            .env("DRYSTONE_BROWSER", browser);
        command.output().unwrap()
    };
    let refused = with("no-such-browser");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(
        said.contains("no-such-browser") && said.contains("install Chromium"),
        "{said}"
    );
    assert!(!place.join("out.pdf").exists());
    // A program that prints nothing.
    #[cfg(unix)]
    {
        let useless = with("true");
        let said = String::from_utf8_lossy(&useless.stderr);
        assert_eq!(useless.status.code(), Some(1), "{said}");
        assert!(said.contains("printed no PDF file"), "{said}");
        assert!(!place.join("out.pdf").exists());
    }
    let printed = with("");
    let said = String::from_utf8_lossy(&printed.stderr);
    if said.contains("no browser was found") {
        eprintln!("skipped: there is no browser here");
        return;
    }
    assert!(printed.status.success(), "{said}");
    assert!(fs::read(place.join("out.pdf")).unwrap().starts_with(b"%PDF"));
    let left = fs::read_dir(place).unwrap().filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().starts_with("drystone-report-")
    });
    assert_eq!(left.count(), 0, "nothing is left of the browser's files");
}
