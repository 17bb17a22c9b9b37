//! `drystone view`: the page in the browser.

use std::{
    net::IpAddr,
    path::PathBuf,
    process::{Command, Stdio},
};

use clap::Args;
use serde_json::json;

use drystone_viewer::{Options, ServeError, is_private, serve};

use super::statics::read;
use crate::program::{Failure, report::Console};

/// Look at a structure in the browser, change it, check it, shake it
///
/// Prints the address of the page and opens it. Without a file the page shows the spandrel arch, or
/// what was last changed on it. Everything stays on this
/// machine: the server listens on the loopback address and lets in who has the token of the address.
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone view                           the spandrel arch
  drystone view arch.json
  drystone view run                       a run that `drystone simulate -o run` left
  drystone view study                     a study that `drystone study -o study` fills, while it does
  drystone view models --port 8000        a folder of models
  drystone view arch.json --no-open       print the address and open nothing

Ctrl-C ends it. The page can read and save models in the folder of FILE, or in DIR, and nowhere else.")]
pub(crate) struct View {
    /// Model file, a COMPAS, OBJ, STL or PLY file, a run's or a study's folder, or a folder of models
    #[arg(value_name = "FILE|DIR")]
    path: Option<PathBuf>,
    /// Port to listen on; 0 takes any that is free [default: 7755, or the next free one up to 7762, else any]
    ///
    /// Browsers keep what a page stores by its port: the page finds your changes again where the port is the same.
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Address to listen on; other than loopback it lets other machines in
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    host: IpAddr,
    /// Do not open the browser
    #[arg(long)]
    no_open: bool,
}

impl View {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        if let Some(path) = self.path.as_ref().filter(|p| !p.is_dir()) {
            // A file that cannot be read is told here, with its errors, rather than in the browser.
            read(path, console)?;
        }
        let options = Options {
            path: self.path.clone(),
            host: self.host,
            port: self.port,
            ..Options::default()
        };
        let server = serve(&options).map_err(|error| match error {
            ServeError::Open { .. } => Failure::input(error),
            ServeError::Listen { .. } => {
                Failure::run(error).help("another program may listen there; leave --port out to take one that is free")
            }
            other => Failure::run(other),
        })?;
        let served = self.path.as_ref().map(|p| p.display().to_string());
        let shown = served.as_deref().unwrap_or("the spandrel arch");
        let folder = server.folder().map(|f| f.display().to_string());
        let result = json!({ "url": server.url(), "opened": served, "folder": folder });
        console.result(&result, || {
            let folder = folder.as_ref().map_or_else(String::new, |f| format!(", saves in {f}"));
            format!("{}\nserving {shown}{folder}; Ctrl-C ends it", server.url())
        })?;
        if !is_private(self.host) {
            console.warn(format!(
                "{} is not this machine alone: anybody who reaches it and has the address with its token can use the \
                 page, read the models of the folder and save there",
                self.host
            ));
        }
        if !self.no_open && has_display() {
            open(server.url(), console);
        }
        // Nothing is left to tidy up: files are written whole or not at all.
        let _ = ctrlc::set_handler(|| std::process::exit(0));
        server.wait().map_err(Failure::run)
    }
}

/// Whether there is anything to show a browser on.
fn has_display() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    cfg!(any(target_os = "macos", windows)) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

fn open(url: &str, console: &Console) {
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command
        .args(before)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if command.spawn().is_err() {
        console.warn(format!(
            "the browser could not be opened ({program}); open the address above"
        ));
    }
}
