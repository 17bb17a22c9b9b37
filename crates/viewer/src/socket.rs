//! One page's socket: what comes in is put on the session's desk, what the session says goes out.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use axum::extract::ws::{CloseFrame, Message as Sent, WebSocket, close_code};
use futures_util::{SinkExt, StreamExt};

use crate::{
    desk::{Desk, Put},
    outbox::{Gone, Message, Outbox},
    protocol::{self, Ask, Question, Refusal, answer},
    security::{SOCKETS, UPLOAD_BYTES},
    server::Shared,
    session::Session,
};

/// Time for a page to close a socket after it was told to.
const GRACE: Duration = Duration::from_secs(2);

/// One of the sockets that may be open, for as long as it lives.
pub(crate) struct Seat(Arc<Shared>);

impl Seat {
    pub(crate) fn take(shared: &Arc<Shared>) -> Option<Self> {
        let before = shared.sockets.fetch_add(1, Ordering::Relaxed);
        let seat = Self(Arc::clone(shared));
        if before < SOCKETS {
            return Some(seat);
        }
        log::debug!("refused: {SOCKETS} sockets are open");
        None
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.sockets.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Closes the socket of a session that failed: its page then connects again and hands its model over, instead of waiting
/// for answers that never come.
struct Closing {
    desk: Arc<Desk>,
    out: Outbox,
}

impl Drop for Closing {
    fn drop(&mut self) {
        self.desk.close();
        if std::thread::panicking() {
            self.out
                .close(close_code::ERROR, "the session failed on the last question");
        }
    }
}

pub(crate) async fn serve(socket: WebSocket, shared: Arc<Shared>, seat: Seat) {
    let (mut sink, mut stream) = socket.split();
    let (out, mut messages) = Outbox::new();
    // A page that is there answers by itself, and so is heard of.
    let period = shared.timeouts.silent / 3;
    let mut pings = tokio::time::interval_at(tokio::time::Instant::now() + period, period);
    pings.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let desk = Arc::new(Desk::default());
    let session = Session::new(shared, Arc::clone(&desk), out.clone());
    let thread = std::thread::Builder::new().name("drystone-session".into());
    // The seat is taken until the thread has ended: what it computes may outlast the socket.
    let closing = Closing {
        desk: Arc::clone(&desk),
        out: out.clone(),
    };
    let work = move || {
        let _seat = seat;
        let _closing = closing;
        session.work();
    };
    if thread.spawn(work).is_err() {
        return;
    }
    let mut writer = tokio::spawn(async move {
        loop {
            let message = tokio::select! {
                message = messages.recv() => message,
                _ = pings.tick() => Some(Message::Ping),
            };
            let Some(message) = message else { return false };
            let (message, is_last) = match message {
                Message::Ping => (Sent::Ping(Default::default()), false),
                Message::Text(text) => (Sent::Text(text.into()), false),
                Message::Binary(bytes) => (Sent::Binary(bytes.into()), false),
                Message::Close(code, reason) => {
                    let reason = reason.into();
                    (Sent::Close(Some(CloseFrame { code, reason })), true)
                }
            };
            if sink.send(message).await.is_err() || is_last {
                return is_last;
            }
        }
    });
    let mut last = None;
    loop {
        let received = tokio::select! {
            received = stream.next() => received,
            was_told = &mut writer => {
                if was_told.unwrap_or(false) {
                    // Closed at once, a connection with something unread would lose what was told.
                    let _ = tokio::time::timeout(GRACE, async { while let Some(Ok(_)) = stream.next().await {} }).await;
                }
                break;
            }
        };
        let Some(received) = received else { break };
        let heard = match received {
            Ok(Sent::Text(text)) => hear(&desk, &out, &text).await,
            Ok(Sent::Binary(_)) => {
                log::debug!("refused: a binary message");
                let refusal = Refusal::new("binary messages are not understood").help("questions are JSON text");
                out.send_later(Message::Text(refusal.text(None))).await
            }
            Ok(Sent::Close(_)) => break,
            Ok(_) => Ok(()),
            Err(error) => {
                log::debug!("refused: {error}");
                let reason = format!("messages of more than {} MiB of files are refused", UPLOAD_BYTES >> 20);
                last = Some(Message::Close(close_code::SIZE, reason));
                break;
            }
        };
        if heard.is_err() {
            break;
        }
    }
    desk.close();
    match last {
        // It ends by itself, once the page is told why.
        Some(message) => drop(out.send_later(message).await),
        None => writer.abort(),
    }
}

/// Puts a question on the desk, or tells the desk to stop or go on with one.
async fn hear(desk: &Desk, out: &Outbox, text: &str) -> Result<(), Gone> {
    let question = match protocol::read(text) {
        Ok(question) => question,
        Err((id, refusal)) => {
            log::debug!("refused: {refusal}");
            return out.send_later(Message::Text(refusal.text(id))).await;
        }
    };
    match question {
        Question {
            ask: Ask::Stop { which },
            ..
        } => {
            if desk.stop(which) {
                out.send_later(Message::Text(Refusal::new("stopped").text(Some(which))))
                    .await?;
            }
        }
        Question {
            ask: Ask::Pause { which },
            ..
        } => desk.pause(which, true),
        Question {
            ask: Ask::Resume { which },
            ..
        } => desk.pause(which, false),
        question => {
            let id = question.id;
            match desk.put(question) {
                Put::Waits(given_up) => {
                    for id in given_up {
                        let text = answer(id, "superseded", serde_json::json!({}));
                        out.send_later(Message::Text(text)).await?;
                    }
                }
                Put::Refused(refusal) => out.send_later(Message::Text(refusal.text(Some(id)))).await?,
                Put::Closed => return Err(Gone),
            }
        }
    }
    Ok(())
}
