//! Connections that keep the server waiting are closed, and others are answered meanwhile or soon after.

use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use crate::common::{Page, get, socket, token};
use drystone_viewer::{Options, Server, Timeouts, serve};
use serde_json::json;
use tungstenite::Message;

const SHORT: Duration = Duration::from_millis(400);
const LONG: Duration = Duration::from_secs(60);
/// More than any of the short times takes on a busy machine.
const ENOUGH: Duration = Duration::from_secs(20);

fn server(timeouts: Timeouts) -> Server {
    let options = Options {
        port: Some(0),
        timeouts,
        ..Options::default()
    };
    serve(&options).unwrap()
}

fn impatient() -> Timeouts {
    Timeouts {
        request: SHORT,
        stalled: LONG,
        silent: LONG,
    }
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(ENOUGH)).unwrap();
    stream
}

/// Waits until the server closes a connection, reading what comes.
fn is_closed(stream: &mut TcpStream) -> bool {
    let mut buffer = [0_u8; 1 << 16];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
        }
    }
}

#[test]
fn sockets_that_send_nothing_or_half_a_request_are_closed() {
    let server = server(impatient());
    let host = server.address();
    for begun in [
        String::new(),
        "GET / HT".into(),
        format!(
            "GET /?token={} HTTP/1.1\r\nHost: {host}\r\nX-Never: ends",
            token(&server)
        ),
        format!("POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000000\r\n\r\nhalf"),
    ] {
        let began = Instant::now();
        let mut stream = connect(&server);
        stream.write_all(begun.as_bytes()).unwrap();
        assert!(is_closed(&mut stream), "{begun}");
        assert!(began.elapsed() < ENOUGH, "{begun}");
    }
    // A connection is kept for the next request, for as long and no longer.
    let mut kept = connect(&server);
    let request = format!("GET /assets/none.js HTTP/1.1\r\nHost: {host}\r\n\r\n");
    kept.write_all(request.as_bytes()).unwrap();
    let mut answer = [0_u8; 12];
    kept.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 404");
    assert!(is_closed(&mut kept));
}

#[test]
fn a_request_that_comes_byte_by_byte_is_not_waited_for() {
    let server = server(impatient());
    let mut stream = connect(&server);
    write!(stream, "GET / HTTP/1.1\r\nHost: {}\r\nX-Slow: ", server.address()).unwrap();
    let began = Instant::now();
    // Each byte comes well within the time; all of them together never end.
    while stream.write_all(b"x").is_ok() {
        assert!(began.elapsed() < ENOUGH, "it is still open");
        thread::sleep(SHORT / 8);
    }
}

#[test]
fn connections_that_fill_the_server_give_way_to_others() {
    let server = server(impatient());
    let mut idle: Vec<TcpStream> = (0..200).map(|_| connect(&server)).collect();
    let (status, _) = get(&server, &format!("/?token={}", token(&server)));
    assert_eq!(status, 200);
    assert!(idle.iter_mut().all(is_closed));
}

#[test]
fn pages_that_are_not_heard_of_lose_their_place_and_those_that_answer_keep_it() {
    let server = server(Timeouts {
        request: LONG,
        stalled: LONG,
        silent: Duration::from_millis(1500),
    });
    let path = format!("/ws?token={}", token(&server));
    // It answers pings because it reads, and asks nothing for longer than a silent one is let be.
    let mut page = Page::open(&server);
    let reading = thread::spawn(move || {
        let id = page.send(json!({ "ask": "hello" }));
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(4) {
            page.send_raw_if_open(Message::Pong(Vec::new().into()));
            thread::sleep(Duration::from_millis(300));
        }
        assert_eq!(page.text()["id"], id);
        assert_eq!(page.ask(json!({ "ask": "hello" }))["answer"], "hello");
    });
    // The others hold every other place and never read, so that pings stay unanswered.
    let silent: Vec<_> = (0..15).map(|_| socket(&server, &path, &[]).unwrap()).collect();
    assert!(socket(&server, &path, &[]).unwrap_err().contains("503"));
    let began = Instant::now();
    while let Err(error) = socket(&server, &path, &[]) {
        assert!(error.contains("503") && began.elapsed() < ENOUGH, "{error}");
        thread::sleep(Duration::from_millis(50));
    }
    reading.join().unwrap();
    drop(silent);
}

#[test]
fn a_page_that_answers_pings_by_reading_stays() {
    let server = server(Timeouts {
        request: LONG,
        stalled: LONG,
        silent: Duration::from_millis(600),
    });
    let mut page = Page::open(&server);
    let answer = page.ask(json!({ "ask": "hello" }));
    assert_eq!(answer["answer"], "hello");
    // Reading answers pings; nothing else is sent for several times the silence that is allowed.
    let mut pings = 0;
    while pings < 8 {
        if let Message::Ping(_) = page.read() {
            pings += 1;
        }
    }
    assert_eq!(page.ask(json!({ "ask": "hello" }))["answer"], "hello");
}

#[test]
fn a_page_that_takes_nothing_is_closed_and_what_waits_for_it_is_bounded() {
    let server = server(Timeouts {
        request: LONG,
        stalled: SHORT,
        silent: LONG,
    });
    let path = format!("/ws?token={}", token(&server));
    let mut page = Page::open(&server);
    page.build("spandrel-arch", json!({}));
    let size = page.ask(json!({ "ask": "save" })).to_string().len();
    // Asks for far more than the system keeps for a connection, and reads none of it.
    let asked = 100 * (1 + (1 << 20) / size);
    let began = Instant::now();
    for id in 0..asked {
        page.send_raw_if_open(Message::text(json!({ "id": 1000 + id, "ask": "save" }).to_string()));
    }
    // Waits for its end by writing: what reads before that is no longer a page that takes nothing.
    while page.send_raw_if_open(Message::Pong(Default::default())) {
        assert!(began.elapsed() < 10 * ENOUGH, "it is still open");
        thread::sleep(SHORT / 4);
    }
    let mut taken = 0;
    while let Some(bytes) = page.read_if_open() {
        taken += bytes;
        assert!(began.elapsed() < 10 * ENOUGH, "it is still open");
    }
    assert!(taken < asked * size / 2, "{taken} of {} bytes came", asked * size);
    assert!(socket(&server, &path, &[]).is_ok());
}
