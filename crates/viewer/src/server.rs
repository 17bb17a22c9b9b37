//! Requests: the page, its files, the socket, finished exports. All others are refused.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicUsize},
};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request, State, WebSocketUpgrade},
    http::{HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
};
use tokio::net::TcpListener;

use crate::{
    connection::{Line, Patient, Timeouts},
    export::Exports,
    folder, page,
    security::{Folder, Hosts, MESSAGE_BYTES, Token, set_headers},
    socket, study,
};

/// What is served, and where.
#[derive(Clone, Debug)]
pub struct Options {
    /// Model, run, study or folder that the page opens first (default: none; the page then shows a structure of its own).
    pub path: Option<PathBuf>,
    /// Address to listen on (default: 127.0.0.1, which only this machine reaches).
    pub host: IpAddr,
    /// Port; 0 stands for any that is free (default: the first of [`USUAL_PORTS`] that is free, else any). A browser keeps
    /// what a page stores by its port, so a page finds what it left only where the port is the same again.
    pub port: Option<u16>,
    /// How long connections may keep the server waiting.
    pub timeouts: Timeouts,
}

/// Ports that are taken where none is asked for, the first that is free.
pub const USUAL_PORTS: std::ops::RangeInclusive<u16> = 7755..=7762;

impl Default for Options {
    fn default() -> Self {
        Self {
            path: None,
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: None,
            timeouts: Timeouts::default(),
        }
    }
}

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// What is to be opened is not there.
    #[error("{}: {source}", path.display())]
    Open {
        /// What is to be opened.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The address cannot be had.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// The system gives no random numbers.
    #[error("no token can be made: {0}")]
    Token(String),
    /// The server cannot run.
    #[error("the server cannot run: {0}")]
    Run(#[from] std::io::Error),
}

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) token: Token,
    pub(crate) hosts: Hosts,
    pub(crate) folder: Option<Folder>,
    /// What the page opens first, from the folder on.
    pub(crate) opened: Option<String>,
    pub(crate) exports: Exports,
    pub(crate) sockets: AtomicUsize,
    pub(crate) timeouts: Timeouts,
}

/// A server that runs until it is dropped.
pub struct Server {
    address: SocketAddr,
    url: String,
    folder: Option<PathBuf>,
    runtime: Option<tokio::runtime::Runtime>,
    done: Option<tokio::task::JoinHandle<std::io::Result<()>>>,
}

impl Server {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the page, with the token that lets it in.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The folder that the page can read from and save to.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Waits until the server ends, which it does not by itself.
    pub fn wait(mut self) -> Result<(), ServeError> {
        if let (Some(runtime), Some(done)) = (&self.runtime, self.done.take()) {
            runtime.block_on(done).map_err(std::io::Error::other)??;
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Begins to serve.
pub fn serve(options: &Options) -> Result<Server, ServeError> {
    let (folder, opened) = match &options.path {
        None => (None, None),
        Some(path) => {
            let (folder, opened) = place(path).map_err(|source| ServeError::Open {
                path: path.clone(),
                source,
            })?;
            (Some(folder), opened)
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .thread_name("drystone-view")
        .build()?;
    let (listener, address) = runtime.block_on(listen(options))?;
    let token = Token::random().map_err(|e| ServeError::Token(e.to_string()))?;
    let url = format!("http://{}/?token={}", shown(address), token.text());
    let root = folder.as_ref().map(|f| f.root().to_path_buf());
    let shared = Arc::new(Shared {
        token,
        hosts: Hosts::of(address),
        folder,
        opened,
        exports: Exports::default(),
        sockets: AtomicUsize::new(0),
        timeouts: options.timeouts,
    });
    let app = Router::new()
        .route("/ws", get(open_socket))
        .route("/export/{name}", get(export))
        .fallback(file)
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), guard))
        .with_state(shared);
    let listener = Patient::new(listener, options.timeouts);
    let app = app.into_make_service_with_connect_info::<Line>();
    let done = runtime.spawn(async move { axum::serve(listener, app).await });
    Ok(Server {
        address,
        url,
        folder: root,
        runtime: Some(runtime),
        done: Some(done),
    })
}

/// Listens where it is asked to, or else on the first usual port that nobody has.
async fn listen(options: &Options) -> Result<(TcpListener, SocketAddr), ServeError> {
    let ports: Vec<u16> = match options.port {
        Some(port) => vec![port],
        None => USUAL_PORTS.chain([0]).collect(),
    };
    let mut failed = None;
    for port in ports {
        let wanted = SocketAddr::new(options.host, port);
        let error = |source| ServeError::Listen {
            address: wanted,
            source,
        };
        match TcpListener::bind(wanted).await {
            Ok(listener) => {
                let address = listener.local_addr().map_err(error)?;
                return Ok((listener, address));
            }
            Err(source) => failed = failed.or_else(|| Some(error(source))),
        }
    }
    Err(failed.unwrap_or_else(|| std::io::Error::other("there is no port").into()))
}

/// An address as a browser on this machine takes it.
fn shown(address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), address.port())
    } else {
        address
    }
}

/// The folder that is opened, and what of it the page shows first.
fn place(path: &Path) -> std::io::Result<(Folder, Option<String>)> {
    let path = path.canonicalize()?;
    if path.is_dir() && !folder::is_run(&path) && !study::is_study(&path) {
        return Ok((Folder::open(&path)?, None));
    }
    let parent = path.parent().unwrap_or(&path);
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
    Ok((Folder::open(parent)?, name))
}

/// Refuses what comes under another name or from another page, and sets the headers of every answer.
async fn guard(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(line): ConnectInfo<Line>,
    request: Request,
    next: Next,
) -> Response {
    line.goes_on();
    let mut response = match shared.hosts.refuse(request.headers()) {
        Some(reason) => refused(request.uri().path(), reason),
        None => next.run(request).await,
    };
    set_headers(response.headers_mut());
    response
}

fn refused(path: &str, reason: &str) -> Response {
    log::debug!("refused: {path}: {reason}");
    // Who is not let in has nothing more to ask on this connection.
    let close = [(header::CONNECTION, "close")];
    (StatusCode::FORBIDDEN, close, format!("refused: {reason}\n")).into_response()
}

const NO_TOKEN: &str = "the token is missing or wrong; open the address that `drystone view` printed. \
                        What was changed on the page is kept in the browser and can be restored there";

async fn file(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/');
    // Scripts and styles hold nothing of the user's: they need no token.
    let is_page = path.is_empty() || path == "index.html";
    if is_page && !shared.token.is_in(request.uri().query()) {
        return refused("/", NO_TOKEN);
    }
    if request.method() != axum::http::Method::GET && request.method() != axum::http::Method::HEAD {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    match page::file(path) {
        Some((bytes, kind)) => ([(header::CONTENT_TYPE, kind)], bytes).into_response(),
        None => (StatusCode::NOT_FOUND, "there is no such file\n").into_response(),
    }
}

async fn export(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let path = request.uri().path();
    if !shared.token.is_in(request.uri().query()) {
        return refused("/export", NO_TOKEN);
    }
    let name = path.trim_start_matches("/export/");
    let Some(bytes) = shared.exports.take(name) else {
        return (
            StatusCode::NOT_FOUND,
            "there is no such export; each can be fetched once\n",
        )
            .into_response();
    };
    let mut response = Body::from(bytes).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(page::kind(name)));
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    response
}

async fn open_socket(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(line): ConnectInfo<Line>,
    uri: axum::http::Uri,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    if !shared.token.is_in(uri.query()) {
        return refused("/ws", NO_TOKEN);
    }
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return rejection.into_response(),
    };
    let Some(seat) = socket::Seat::take(&shared) else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many pages are open\n").into_response();
    };
    upgrade
        .max_message_size(MESSAGE_BYTES)
        .max_frame_size(MESSAGE_BYTES)
        .on_upgrade(move |socket| {
            line.becomes_page();
            socket::serve(socket, shared, seat)
        })
}
