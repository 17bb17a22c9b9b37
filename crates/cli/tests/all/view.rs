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
    assert!(told.contains("neither a check nor a run"), "{told}");
}
