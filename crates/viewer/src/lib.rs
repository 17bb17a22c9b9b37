//! The server of the browser page: look at a structure, change it, check it, shake it.
//!
//! [`serve`] listens on one address and answers with one page and one WebSocket; `docs/viewer-protocol.md` is what the two
//! say to each other. Nothing here prints: [`Server::url`] is where the page is.
//!
//! - `connection` bounds who keeps the server waiting, `server` takes requests, `security` decides who may ask and what may be reached, `page` holds the files of the page.
//! - `socket` reads questions (`protocol`) onto a `desk`; the thread of a `session` answers them one after another and
//!   sends text and binary messages (`wire`) to its `outbox`.
//! - `ask` holds the questions about structures at rest, `edit` the changes, `simulate` the thread that steps through time
//!   into a run (`runs`), `settle` the one that follows a slow loading, `study` the one that watches a study, `export` the files made
//!   of it, `report` the page that sums it up, `folder` what can be opened.

mod ask;
mod connection;
mod desk;
mod edit;
mod export;
mod folder;
mod outbox;
mod page;
mod protocol;
mod report;
mod runs;
mod security;
mod server;
mod session;
mod settle;
mod simulate;
mod skin;
mod socket;
mod study;
mod wire;

pub use connection::Timeouts;
pub use security::is_private;
pub use server::{Options, ServeError, Server, USUAL_PORTS, serve};
