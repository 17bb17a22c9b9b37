//! Prints a report by a browser without a window.

use std::{
    env,
    ffi::OsString,
    io::Read,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use drystone_analysis::Failure;

/// Names a browser on this machine, where it is not found by itself.
pub const VARIABLE: &str = "DRYSTONE_BROWSER";

/// Programs that print pages, as they are called.
const NAMES: [&str; 9] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "msedge",
    "brave-browser",
    "headless_shell",
];
/// Where they are where they are not on the path.
const PLACES: [&str; 5] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
    "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];
/// How long a browser may take.
const LONGEST: Duration = Duration::from_secs(120);
/// Time between two looks whether it has ended.
const LOOK: Duration = Duration::from_millis(50);
/// Letters of what it said that are told.
const MOST_LETTERS: usize = 300;

const REMEDY: &str =
    "install Chromium, Chrome or Edge, or name one by DRYSTONE_BROWSER; or open the page in any browser and print it";

/// The browser that prints.
pub fn browser() -> Result<PathBuf, Failure> {
    if let Some(named) = env::var_os(VARIABLE).filter(|v| !v.is_empty()) {
        let path = PathBuf::from(&named);
        let found = if path.components().count() > 1 {
            path.is_file().then_some(path)
        } else {
            on_path(&path)
        };
        return found.ok_or_else(|| {
            let what = format!("{VARIABLE}: there is no program `{}`", named.to_string_lossy());
            Failure::input(what).help(REMEDY)
        });
    }
    let found = NAMES.iter().find_map(|name| on_path(Path::new(name)));
    let found = found.or_else(|| PLACES.iter().map(PathBuf::from).find(|path| path.is_file()));
    found.ok_or_else(|| Failure::run("no browser was found that prints PDF files").help(REMEDY))
}

fn on_path(name: &Path) -> Option<PathBuf> {
    let file: OsString = format!("{}{}", name.display(), env::consts::EXE_SUFFIX).into();
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(&file))
        .find(|path| path.is_file())
}

/// Prints a page, with whatever it needs in it, as the bytes of a PDF file. What the browser needs meanwhile lies in a folder within
/// `place`: browsers in a box of their own see the user's folders, and not the system's temporary ones.
pub fn print(html: &str, place: &Path) -> Result<Vec<u8>, Failure> {
    let browser = browser()?;
    let folder = Scratch::new(place)?;
    let page = folder.0.join("report.html");
    std::fs::write(&page, html)?;
    let mut said = String::new();
    // A sandbox of its own is refused to the superuser and in many containers. The page holds no scripts and fetches nothing.
    for sandboxed in [true, false] {
        let file = folder.0.join("report.pdf");
        said = printed(&browser, &folder.0, &page, &file, sandboxed)?;
        if let Ok(bytes) = std::fs::read(&file)
            && bytes.starts_with(b"%PDF")
        {
            return Ok(bytes);
        }
    }
    let said: String = said.trim().chars().take(MOST_LETTERS).collect();
    Err(Failure::run(format!("{}: printed no PDF file: {said}", browser.display())).help(REMEDY))
}

/// Runs a browser once, and gives what it said.
fn printed(browser: &Path, folder: &Path, page: &Path, file: &Path, sandboxed: bool) -> Result<String, Failure> {
    let with = |option: &str, path: &Path| {
        let mut text = OsString::from(option);
        text.push(path);
        text
    };
    let mut command = Command::new(browser);
    command
        .args(["--headless", "--disable-gpu", "--no-first-run", "--disable-extensions"])
        .args(["--disable-dev-shm-usage", "--no-pdf-header-footer"])
        .arg(with("--user-data-dir=", &folder.join("profile")))
        .arg(with("--print-to-pdf=", file))
        .args((!sandboxed).then_some("--no-sandbox"))
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .map_err(|e| Failure::run(format!("{}: {e}", browser.display())).help(REMEDY))?;
    // Read beside it: a full pipe would stop it.
    let mut pipe = child.stderr.take();
    let reader = thread::spawn(move || {
        let mut said = Vec::new();
        if let Some(pipe) = &mut pipe {
            // What was said until then is enough.
            let _ = pipe.read_to_end(&mut said);
        }
        String::from_utf8_lossy(&said).into_owned()
    });
    let began = Instant::now();
    while child.try_wait()?.is_none() {
        if began.elapsed() > LONGEST {
            // It may have ended meanwhile.
            let _ = child.kill();
            child.wait()?;
            let what = format!("{}: did not print within {} s", browser.display(), LONGEST.as_secs());
            return Err(Failure::run(what).help(REMEDY));
        }
        thread::sleep(LOOK);
    }
    Ok(reader.join().unwrap_or_default())
}

/// A folder for a browser, gone with it.
struct Scratch(PathBuf);

impl Scratch {
    fn new(place: &Path) -> Result<Self, Failure> {
        let place = std::path::absolute(place)?;
        let mut number = 0_u32;
        loop {
            let path = place.join(format!("drystone-report-{}-{number}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left is the system's to clear.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
