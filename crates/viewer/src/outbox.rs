//! What goes out of a socket. Whoever sends waits while the page is slower than the server: memory stays bounded.

use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::protocol::{Refusal, answer};

/// Messages that wait for the page.
pub(crate) const WAITING: usize = 64;

/// A message for the page.
#[derive(Debug)]
pub(crate) enum Message {
    Text(String),
    Binary(Vec<u8>),
    /// A question whether the page is there.
    Ping,
    /// The last one: a code of the WebSocket protocol, and why.
    Close(u16, String),
}

/// The page has gone.
#[derive(Debug)]
pub(crate) struct Gone;

/// Where answers go.
#[derive(Clone)]
pub(crate) struct Outbox(mpsc::Sender<Message>);

impl Outbox {
    pub(crate) fn new() -> (Self, mpsc::Receiver<Message>) {
        let (sender, receiver) = mpsc::channel(WAITING);
        (Self(sender), receiver)
    }

    fn send(&self, message: Message) -> Result<(), Gone> {
        self.0.blocking_send(message).map_err(|_| Gone)
    }

    pub(crate) fn answer(&self, id: u64, kind: &str, fields: Value) -> Result<(), Gone> {
        self.send(Message::Text(answer(id, kind, fields)))
    }

    pub(crate) fn refuse(&self, id: Option<u64>, refusal: &Refusal) -> Result<(), Gone> {
        self.send(Message::Text(refusal.text(id)))
    }

    pub(crate) fn progress(&self, id: u64, part: f64, says: &str) -> Result<(), Gone> {
        let text = json!({ "id": id, "progress": part, "says": says }).to_string();
        self.send(Message::Text(text))
    }

    pub(crate) fn binary(&self, message: Vec<u8>) -> Result<(), Gone> {
        self.send(Message::Binary(message))
    }

    /// Says that nothing more will be said.
    pub(crate) fn close(&self, code: u16, reason: &str) {
        // Where the page has gone, or reads nothing, there is nobody to tell.
        let _ = self.0.try_send(Message::Close(code, reason.into()));
    }

    /// For tasks that must not block.
    pub(crate) async fn send_later(&self, message: Message) -> Result<(), Gone> {
        self.0.send(message).await.map_err(|_| Gone)
    }
}
