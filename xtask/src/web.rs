//! The page of `drystone view`: its packages, its own tests, and tests of it in a browser.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    Done, apt_install, cargo,
    count::{Count, run_tests},
    root, run, target,
};

fn folder() -> PathBuf {
    root().join("crates/viewer/web")
}

fn npm(arguments: &[&str]) -> Command {
    println!("\n> npm {}", arguments.join(" "));
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.args(arguments).current_dir(folder());
    command
}

/// Installs the page's packages where they are not those of the lock file.
pub(crate) fn install() -> Done {
    let lock = folder().join("package-lock.json");
    let wanted = fs::read_to_string(&lock).map_err(|e| format!("{}: {e}", lock.display()))?;
    let stamp = root().join("target/npm-installed.json");
    let is_there = folder().join("node_modules").exists();
    if is_there && fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    run(&mut npm(&["ci", "--no-audit", "--no-fund"]))?;
    fs::create_dir_all(root().join("target")).map_err(|e| e.to_string())?;
    fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))
}

/// Builds the view that the Python package shows in notebooks.
pub(crate) fn embed() -> Done {
    run(&mut npm(&["run", "embed"]))
}

/// Checks the page's types, runs its own tests and then the browser's against the program that carries it.
pub(crate) fn test(count: &mut Count) -> Done {
    run(&mut npm(&["run", "typecheck"]))?;
    run_tests(&mut npm(&["test"]), count)?;
    // The tests of the workspace have built the program; alone it would be built anew, with other features of its
    // dependencies.
    if !program().is_file() {
        cargo(&["build", "--package", "drystone"], &[])?;
    }
    run_tests(&mut in_browser()?, count)
}

/// Makes the pictures of docs/viewer.md.
pub(crate) fn pictures(into: &Path) -> Done {
    cargo(&["build", "--package", "drystone"], &[])?;
    run(in_browser()?.env("DRYSTONE_PICTURES", into))
}

pub(crate) fn program() -> PathBuf {
    target()
        .join("debug")
        .join(format!("drystone{}", std::env::consts::EXE_SUFFIX))
}

fn in_browser() -> Result<Command, String> {
    let browser = chromium()?;
    let mut command = npm(&["run", "e2e"]);
    command.env("DRYSTONE_BIN", program()).env("DRYSTONE_CHROMIUM", browser);
    Ok(command)
}

/// The browser: one that is there, else Debian's, installed.
fn chromium() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os("DRYSTONE_CHROMIUM") {
        return Ok(named.into());
    }
    if let Some(found) = find_chromium() {
        return Ok(found);
    }
    apt_install("chromium")?;
    find_chromium()
        .ok_or_else(|| "no chromium was found, nor could it be installed; DRYSTONE_CHROMIUM names one".into())
}

fn find_chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|file| file.is_file())
}
