//! Every tutorial, as it is written: its files are saved, its commands run, and what it shows is looked for in what they print.

use std::{fs, path::Path, process::Command};

use crate::common::folder;

/// A fenced piece of a page: what stands behind the fence, and its lines.
fn pieces(page: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(kind), None) => open = Some((kind.trim().to_string(), String::new())),
            (Some(_), Some(_)) => found.extend(open.take()),
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    found
}

/// A command as a shell would cut it; double quotes keep spaces.
fn words(line: &str) -> Vec<String> {
    let quoted = line.split('"').enumerate();
    let mut words: Vec<String> = Vec::new();
    let mut joins = false;
    for (k, part) in quoted {
        if k % 2 == 1 {
            words.push(part.to_string());
            continue;
        }
        words.extend(part.split_whitespace().map(String::from));
        joins |= part.ends_with('=');
    }
    assert!(!joins, "{line}: quotes after an equals sign are not cut here");
    words
}

fn follow(path: &Path) {
    let page = fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy();
    let place = folder();
    let mut printed = String::new();
    let mut commands = 0;
    for (kind, text) in pieces(&page) {
        match kind.split_once(' ') {
            Some(("json", file)) => fs::write(place.path().join(file), text).unwrap(),
            _ if kind == "sh" => {
                printed.clear();
                for line in text.lines() {
                    let words = words(line);
                    assert_eq!(words[0], "drystone", "{name}: {line}");
                    let output = Command::new(env!("CARGO_BIN_EXE_drystone"))
                        .args(&words[1..])
                        .current_dir(place.path())
                        .output()
                        .unwrap();
                    let said = String::from_utf8_lossy(&output.stderr);
                    assert!(output.status.success(), "{name}: {line}: {said}");
                    printed += &String::from_utf8_lossy(&output.stdout);
                    commands += 1;
                }
            }
            _ if kind == "text" => {
                for line in text.lines() {
                    assert!(printed.contains(line), "{name}: `{line}` is not in:\n{printed}");
                }
            }
            _ => panic!("{name}: `{kind}` is no piece of a tutorial"),
        }
    }
    assert!(commands > 2, "{name}");
}

fn tutorial(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tutorials");
    let index = fs::read_to_string(folder.join("README.md")).unwrap();
    assert!(index.contains(&format!("({name}.md)")), "{name} is not in the list");
    follow(&folder.join(format!("{name}.md")));
}

#[test]
fn a_wall_with_a_tie() {
    tutorial("wall-with-a-tie");
}

#[test]
fn a_designers_shelf() {
    tutorial("designers-shelf");
}

#[test]
fn the_facade_of_a_church() {
    tutorial("church-facade");
}
