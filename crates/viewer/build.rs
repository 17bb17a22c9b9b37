//! Builds the page in `web` with npm and puts its files into the program.
//!
//! A machine without node, or a page that does not build, must not keep anybody from the command line: then a small page
//! takes its place that says what is missing.

use std::{
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

const SKIP: &str = "DRYSTONE_SKIP_PAGE";

fn main() -> io::Result<()> {
    let here = PathBuf::from(env("CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(env("OUT_DIR"));
    let (web, page) = (here.join("web"), out.join("page"));
    watch(&here, &web);
    let built = build(&web, &page);
    if let Err(reason) = &built {
        println!("cargo:warning=the page is left out: {reason}");
        let _ = fs::remove_dir_all(&page);
        fs::create_dir_all(&page)?;
        fs::write(page.join("index.html"), in_its_place(reason))?;
    }
    let mut files = Vec::new();
    list(&page, &mut files)?;
    files.sort();
    let mut code = String::from("static FILES: &[(&str, &[u8])] = &[\n");
    for file in files {
        let name = file
            .strip_prefix(&page)
            .unwrap_or(&file)
            .to_string_lossy()
            .replace('\\', "/");
        let _ = writeln!(
            code,
            "    ({name:?}, include_bytes!({:?})),",
            file.display().to_string()
        );
    }
    code.push_str("];\n");
    fs::write(out.join("page.rs"), code)
}

fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn watch(here: &Path, web: &Path) {
    println!("cargo:rerun-if-env-changed={SKIP}");
    println!("cargo:rerun-if-changed=build.rs");
    if !web.join("package.json").exists() {
        println!("cargo:rerun-if-changed={}", here.display());
        return;
    }
    for name in [
        "src",
        "public",
        "index.html",
        "package.json",
        "package-lock.json",
        "vite.config.ts",
        "tsconfig.json",
    ] {
        let path = web.join(name);
        if path.exists() {
            println!("cargo:rerun-if-changed={}", path.display());
        }
    }
}

fn build(web: &Path, page: &Path) -> Result<(), String> {
    if std::env::var_os(SKIP).is_some_and(|v| !v.is_empty() && v != "0") {
        return Err(format!("{SKIP} is set"));
    }
    if !web.join("package.json").exists() {
        return Err("crates/viewer/web has no package.json".into());
    }
    if is_stale(web) {
        let install = if web.join("package-lock.json").exists() {
            "ci"
        } else {
            "install"
        };
        npm(web, &[install, "--no-audit", "--no-fund"])?;
    }
    let place = page.display().to_string();
    npm(web, &["run", "build", "--", "--outDir", &place, "--emptyOutDir"])?;
    if page.join("index.html").exists() {
        Ok(())
    } else {
        Err("`npm run build` left no index.html".into())
    }
}

/// Whether packages were installed before the list of them changed.
fn is_stale(web: &Path) -> bool {
    let time = |path: PathBuf| fs::metadata(path).and_then(|m| m.modified());
    let installed = time(web.join("node_modules/.package-lock.json"));
    let listed = time(web.join("package-lock.json")).or_else(|_| time(web.join("package.json")));
    match (installed, listed) {
        (Ok(installed), Ok(listed)) => installed < listed,
        _ => true,
    }
}

fn npm(web: &Path, arguments: &[&str]) -> Result<(), String> {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let said = |what: &[u8]| {
        let text = String::from_utf8_lossy(what).into_owned();
        let last: Vec<&str> = text.lines().rev().filter(|l| !l.trim().is_empty()).take(3).collect();
        last.into_iter().rev().collect::<Vec<_>>().join(" / ")
    };
    let done = Command::new(program).args(arguments).current_dir(web).output();
    match done {
        Err(error) => Err(format!("npm cannot be started: {error}")),
        Ok(done) if done.status.success() => Ok(()),
        Ok(done) => Err(format!("`npm {}` failed: {}", arguments.join(" "), said(&done.stderr))),
    }
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn in_its_place(reason: &str) -> String {
    let reason = reason.replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>drystone</title>\n\
         <body style=\"font: 16px sans-serif; max-width: 40em; margin: 4em auto\">\n\
         <h1>The page was not built into this program</h1>\n<p>{reason}</p>\n\
         <p>Install node (20 or newer) with npm, then build drystone again: <code>cargo build --release -p drystone</code>. \
         Everything else works without it: see <code>drystone --help</code>.</p>\n</body></html>\n"
    )
}
