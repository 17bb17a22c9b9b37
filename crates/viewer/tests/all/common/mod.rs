//! A server in the test's own process, plain requests, and a page that asks.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::{
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    time::Duration,
};

use drystone_viewer::{Options, Server, serve};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket, client::IntoClientRequest, protocol::WebSocketConfig};

/// A server on any free port.
pub(crate) fn server(path: Option<&Path>) -> Server {
    let options = Options {
        path: path.map(Path::to_path_buf),
        port: Some(0),
        ..Options::default()
    };
    serve(&options).unwrap()
}

/// The token of its page.
pub(crate) fn token(server: &Server) -> String {
    server.url().split_once("token=").unwrap().1.to_string()
}

/// A request as it goes over the wire, with lines of headers.
pub(crate) fn get_with(server: &Server, path: &str, headers: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer
        .split_whitespace()
        .nth(1)
        .and_then(|s| s.parse().ok())
        .unwrap_or(0);
    (status, answer)
}

/// A request of the server's own page.
pub(crate) fn get(server: &Server, path: &str) -> (u16, String) {
    get_with(server, path, &format!("Host: {}\r\n", server.address()))
}

/// A binary message: its kind, the number of the question, its header, its bytes.
#[derive(Debug)]
pub(crate) struct Binary {
    pub(crate) kind: u32,
    pub(crate) id: u32,
    pub(crate) header: Value,
    body: Vec<u8>,
}

impl Binary {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let end = 12 + word(8) as usize;
        Self {
            kind: word(0),
            id: word(4),
            header: serde_json::from_slice(&bytes[12..end]).unwrap(),
            body: bytes[end..].to_vec(),
        }
    }

    fn find(&self, name: &str) -> (usize, usize, String) {
        let mut at = 0;
        for array in self.header["arrays"].as_array().unwrap() {
            let length = array["length"].as_u64().unwrap() as usize;
            let kind = array["type"].as_str().unwrap();
            if array["name"] == name {
                return (at, length, kind.to_string());
            }
            at += if kind == "u8" {
                length.next_multiple_of(4)
            } else {
                4 * length
            };
        }
        panic!("there is no array {name} in {}", self.header);
    }

    pub(crate) fn floats(&self, name: &str) -> Vec<f32> {
        let (at, length, kind) = self.find(name);
        assert_eq!(kind, "f32");
        let words = self.body[at..at + 4 * length].chunks(4);
        words.map(|w| f32::from_le_bytes(w.try_into().unwrap())).collect()
    }

    pub(crate) fn indices(&self, name: &str) -> Vec<u32> {
        let (at, length, kind) = self.find(name);
        assert_eq!(kind, "u32");
        let words = self.body[at..at + 4 * length].chunks(4);
        words.map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect()
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        let (at, length, _) = self.find(name);
        self.body[at..at + length].to_vec()
    }
}

/// A page that asks.
pub(crate) struct Page {
    socket: WebSocket<TcpStream>,
    next: u64,
    /// The last text that was passed over in looking for arrays.
    passed: Value,
}

/// Opens a socket at an address of the server, with headers of its own.
pub(crate) fn socket(server: &Server, path: &str, headers: &[(&str, &str)]) -> Result<WebSocket<TcpStream>, String> {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut request = format!("ws://{}{path}", server.address())
        .into_client_request()
        .unwrap();
    for (name, value) in headers {
        let name = tungstenite::http::HeaderName::from_bytes(name.as_bytes()).unwrap();
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
    tungstenite::client::client_with_config(request, stream, Some(config))
        .map(|(socket, _)| socket)
        .map_err(|e| e.to_string())
}

impl Page {
    pub(crate) fn open(server: &Server) -> Self {
        let socket = socket(server, &format!("/ws?token={}", token(server)), &[]).unwrap();
        Self {
            socket,
            next: 1,
            passed: Value::Null,
        }
    }

    /// Sends a question and gives its number.
    pub(crate) fn send(&mut self, mut question: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        question["id"] = json!(id);
        self.send_raw(Message::text(question.to_string()));
        id
    }

    pub(crate) fn send_raw(&mut self, message: Message) {
        self.socket.send(message).unwrap();
    }

    /// Sends what the server may refuse before it is whole. Tells whether the socket was open.
    pub(crate) fn send_raw_if_open(&mut self, message: Message) -> bool {
        self.socket.send(message).is_ok()
    }

    /// The code with which the server closes the socket, or nothing where it just breaks.
    pub(crate) fn closed(&mut self) -> Option<u16> {
        loop {
            match self.socket.read() {
                Ok(Message::Close(frame)) => return frame.map(|f| f.code.into()),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }

    /// The length of the next message, or nothing where the server has closed the socket.
    pub(crate) fn read_if_open(&mut self) -> Option<usize> {
        use std::io::ErrorKind::{TimedOut, WouldBlock};
        match self.socket.read() {
            Err(tungstenite::Error::Io(e)) if [TimedOut, WouldBlock].contains(&e.kind()) => panic!("it is still open"),
            Ok(Message::Close(_)) | Err(_) => None,
            Ok(message) => Some(message.len()),
        }
    }

    pub(crate) fn read(&mut self) -> Message {
        self.socket.read().unwrap()
    }

    /// The next message that is text.
    pub(crate) fn text(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.read() {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    /// The next message that is binary.
    pub(crate) fn binary(&mut self) -> Binary {
        loop {
            match self.read() {
                Message::Binary(bytes) => return Binary::read(&bytes),
                Message::Text(text) => self.passed = serde_json::from_str(&text).unwrap(),
                _ => {}
            }
        }
    }

    /// The text that came last before the arrays that were read last.
    pub(crate) fn passed(&self) -> Value {
        self.passed.clone()
    }

    /// Asks and waits for the answer, passing over progress.
    pub(crate) fn ask(&mut self, question: Value) -> Value {
        let id = self.send(question);
        loop {
            let answer = self.text();
            if answer["id"] == id && answer.get("progress").is_none() {
                return answer;
            }
        }
    }

    /// Asks for a model or a check, whose answers come with arrays.
    pub(crate) fn ask_binary(&mut self, question: Value) -> (Value, Binary) {
        let answer = self.ask(question);
        assert!(answer.get("error").is_none(), "{answer}");
        let binary = self.binary();
        assert_eq!(answer["id"], binary.id);
        (answer, binary)
    }

    /// Why a question is refused.
    pub(crate) fn refusal(&mut self, question: Value) -> String {
        let answer = self.ask(question);
        let error = answer["error"].as_str();
        error.unwrap_or_else(|| panic!("not refused: {answer}")).to_string()
    }

    pub(crate) fn build(&mut self, recipe: &str, values: Value) -> (Value, Binary) {
        self.ask_binary(json!({ "ask": "build", "recipe": recipe, "values": values }))
    }
}
