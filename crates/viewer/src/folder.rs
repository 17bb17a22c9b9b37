//! What of an opened folder can be opened.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{security::Folder, study::is_study};

/// How deep folders are looked into.
const DEEPEST: usize = 3;
/// Entries looked at: a folder may be anybody's home.
const MOST_SEEN: usize = 5000;
/// Files listed.
const MOST_LISTED: usize = 500;

/// Whether a folder holds a run.
pub(crate) fn is_run(path: &Path) -> bool {
    ["model.json", "blocks.parquet", "steps.parquet"]
        .iter()
        .all(|name| path.join(name).is_file())
}

/// Models, files to import, runs and studies, by path from the folder.
pub(crate) fn list(folder: &Folder) -> Vec<Value> {
    let (mut listed, mut seen) = (Vec::new(), 0);
    let mut level = vec![folder.root().to_path_buf()];
    for _ in 0..=DEEPEST {
        let mut deeper = Vec::new();
        for place in level {
            for path in entries(&place) {
                seen += 1;
                if seen > MOST_SEEN || listed.len() >= MOST_LISTED {
                    return listed;
                }
                let name = from_root(folder, &path);
                if path.is_dir() {
                    if is_run(&path) {
                        listed.push(json!({ "path": name, "kind": "run" }));
                    } else {
                        if is_study(&path) {
                            listed.push(json!({ "path": name, "kind": "study" }));
                        }
                        deeper.push(path);
                    }
                } else if let Some(kind) = kind(&path) {
                    listed.push(json!({ "path": name, "kind": kind }));
                }
            }
        }
        level = deeper;
    }
    listed
}

/// A path as the page names it, whatever this system puts between folders.
fn from_root(folder: &Folder, path: &Path) -> String {
    let parts = path.strip_prefix(folder.root()).unwrap_or(path).components();
    let names: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy()).collect();
    names.join("/")
}

/// Entries by name, without links and what is hidden or holds other programs' files by the thousand.
fn entries(place: &Path) -> Vec<PathBuf> {
    let is_seen = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        !name.starts_with('.') && name != "node_modules" && name != "target" && !path.is_symlink()
    };
    let found = std::fs::read_dir(place).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = found.map(|e| e.path()).filter(is_seen).take(MOST_SEEN).collect();
    paths.sort();
    paths
}

fn kind(path: &Path) -> Option<&'static str> {
    // To open a pipe would wait for somebody to write into it.
    if !path.is_file() {
        return None;
    }
    let ending = path.extension()?.to_str()?.to_lowercase();
    match ending.as_str() {
        "obj" | "stl" | "ply" | "dxf" => Some("import"),
        "json" => {
            let mut start = Vec::new();
            std::fs::File::open(path).ok()?.take(400).read_to_end(&mut start).ok()?;
            let text = String::from_utf8_lossy(&start);
            if text.contains("\"drystone\"") {
                Some("model")
            } else {
                text.contains("\"dtype\"").then_some("import")
            }
        }
        _ => None,
    }
}
