//! Connections, and how long they may keep the server waiting.
//!
//! Whoever reaches the port can open connections, with the token or without. Each takes memory and a file of the system,
//! so there are at most [`CONNECTIONS`] at one time, and none may stay for nothing ([`Timeouts`]): a request must come
//! whole within a time, however its bytes are dealt out; what is sent must be taken; and a page must now and then be
//! heard of. A page answers the pings that its socket sends by itself.

use std::{
    future::Future,
    io,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    extract::connect_info::Connected,
    serve::{IncomingStream, Listener},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, Sleep, sleep, sleep_until},
};

/// Connections at one time. Others wait until one is closed.
pub(crate) const CONNECTIONS: usize = 128;

/// How long a connection may keep the server waiting before it is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For a whole request, from the connection or the last answer on (default: 10 s).
    pub request: Duration,
    /// For bytes that are sent to be taken (default: 60 s).
    pub stalled: Duration,
    /// For anything to come from an open page, which is pinged three times in that time (default: 90 s).
    pub silent: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            request: Duration::from_secs(10),
            stalled: Duration::from_secs(60),
            silent: Duration::from_secs(90),
        }
    }
}

/// A listener whose connections are bounded in number and in patience.
pub(crate) struct Patient {
    listener: TcpListener,
    timeouts: Timeouts,
    places: Arc<Semaphore>,
}

impl Patient {
    pub(crate) fn new(listener: TcpListener, timeouts: Timeouts) -> Self {
        Self {
            listener,
            timeouts,
            places: Arc::new(Semaphore::new(CONNECTIONS)),
        }
    }
}

impl Listener for Patient {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            // It fails only where the semaphore is closed, which nobody does.
            let place = Arc::clone(&self.places).acquire_owned().await.ok();
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    // An answer and its arrays are two messages: without this the second would wait for word that the
                    // first has arrived.
                    let _ = stream.set_nodelay(true);
                    return (Connection::new(stream, self.timeouts, place), address);
                }
                Err(error) => {
                    log::debug!("a connection failed: {error}");
                    // The system may be short of something: trying at once would only keep it busy.
                    sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// What a connection and the requests on it share.
#[derive(Clone, Debug)]
pub(crate) struct Line(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    opened: Instant,
    /// When there was a request or an answer last, or when it became a page's (ms since it was opened).
    heard_ms: AtomicU64,
    is_page: AtomicBool,
}

impl Line {
    fn new() -> Self {
        Self(Arc::new(Shared {
            opened: Instant::now(),
            heard_ms: AtomicU64::new(0),
            is_page: AtomicBool::new(false),
        }))
    }

    /// A whole request came, or a piece of an answer was taken.
    pub(crate) fn goes_on(&self) {
        let now = self.0.opened.elapsed().as_millis() as u64;
        self.0.heard_ms.store(now, Ordering::Relaxed);
    }

    /// From now on it is the socket of a page.
    pub(crate) fn becomes_page(&self) {
        self.goes_on();
        self.0.is_page.store(true, Ordering::Relaxed);
    }

    fn is_page(&self) -> bool {
        self.0.is_page.load(Ordering::Relaxed)
    }

    fn heard(&self) -> Instant {
        self.0.opened + Duration::from_millis(self.0.heard_ms.load(Ordering::Relaxed))
    }
}

impl Connected<IncomingStream<'_, Patient>> for Line {
    fn connect_info(stream: IncomingStream<'_, Patient>) -> Self {
        stream.io().line.clone()
    }
}

/// A connection that is closed when it has kept the server waiting for too long.
pub(crate) struct Connection {
    stream: TcpStream,
    timeouts: Timeouts,
    line: Line,
    /// When bytes came last.
    received: Instant,
    /// Since when nothing of what is to be sent is taken.
    stalled: Option<Instant>,
    reading: Pin<Box<Sleep>>,
    writing: Pin<Box<Sleep>>,
    _place: Option<OwnedSemaphorePermit>,
}

impl Connection {
    fn new(stream: TcpStream, timeouts: Timeouts, place: Option<OwnedSemaphorePermit>) -> Self {
        let now = Instant::now();
        Self {
            stream,
            timeouts,
            line: Line::new(),
            received: now,
            stalled: None,
            reading: Box::pin(sleep_until(now)),
            writing: Box::pin(sleep_until(now)),
            _place: place,
        }
    }

    /// When it is closed for what it does not send. Bytes of a request put nothing off, or one byte now and then would.
    fn patience(&self) -> Instant {
        if self.line.is_page() {
            self.received.max(self.line.heard()) + self.timeouts.silent
        } else {
            self.line.heard() + self.timeouts.request
        }
    }

    /// Whether a write went on; otherwise it is closed after a time.
    fn wrote<T>(&mut self, done: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if done.is_ready() {
            self.stalled = None;
            if !self.line.is_page() {
                self.line.goes_on();
            }
            return done;
        }
        let since = *self.stalled.get_or_insert_with(Instant::now);
        expired(&mut self.writing, since + self.timeouts.stalled, context).map(|()| Err(late("takes nothing")))
    }
}

/// Ready once a time has come; else the task is woken then.
fn expired(timer: &mut Pin<Box<Sleep>>, at: Instant, context: &mut Context<'_>) -> Poll<()> {
    if timer.deadline() != at {
        timer.as_mut().reset(at);
    }
    timer.as_mut().poll(context)
}

fn late(what: &str) -> io::Error {
    log::debug!("closed: a connection that {what}");
    io::Error::new(io::ErrorKind::TimedOut, format!("the other side {what}"))
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let patience = this.patience();
        if Instant::now() < patience {
            let before = into.filled().len();
            if let Poll::Ready(done) = Pin::new(&mut this.stream).poll_read(context, into) {
                if into.filled().len() > before {
                    this.received = Instant::now();
                }
                return Poll::Ready(done);
            }
        }
        expired(&mut this.reading, patience, context).map(|()| Err(late("sends nothing whole")))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(done, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.wrote(done, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
