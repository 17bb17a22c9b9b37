//! Python: an environment with the packages that tests need, the tests of the Python package, and its wheel.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    Done, apt_install,
    count::{Count, run_tests},
    root, run, target,
};

/// What the environment holds.
const REQUIREMENTS: [&str; 3] = [
    "crates/output/tests/requirements.txt",
    "python/tests/requirements.txt",
    "python/tests/requirements-compas.txt",
];
const MATURIN: &str = "maturin==1.16.0";

/// The environment's Python; made once and kept under `target/`.
pub(crate) fn environment() -> Result<PathBuf, String> {
    let files = REQUIREMENTS.map(|file| root().join(file));
    let mut wanted = String::new();
    for file in &files {
        wanted += &fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    let listed = files
        .iter()
        .flat_map(|file| ["-r".into(), file.clone().into_os_string()]);
    made("test-python", &wanted, &listed.collect::<Vec<_>>())
}

/// An environment below `target/` in which pip has installed what it was told. It is made anew where `wanted` is another.
fn made(name: &str, wanted: &str, packages: &[std::ffi::OsString]) -> Result<PathBuf, String> {
    let folder = root().join("target").join(name);
    let python = folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    let stamp = folder.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    println!("installing Python packages into {}", folder.display());
    let venv = || run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder));
    // Debian ships Python without this module; its own package brings it.
    if venv().is_err() {
        apt_install("python3-venv")?;
        venv()?;
    }
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet"])
        .args(packages))?;
    fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(python)
}

/// Runs the tests of the Python package, with the module and the program that the tests of the workspace have built.
pub(crate) fn test(python: &Path, program: &Path, count: &mut Count) -> Done {
    let package = root().join("python");
    let name = format!(
        "{}_drystone{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    let built = target().join("debug/deps").join(name);
    let place = package.join("drystone").join(if cfg!(windows) {
        "_drystone.pyd"
    } else {
        "_drystone.abi3.so"
    });
    // A file of its own: the next build must not change one that is loaded.
    let _ = fs::remove_file(&place);
    fs::copy(&built, &place).map_err(|e| format!("{}: {e}", built.display()))?;
    let mut command = Command::new(python);
    command
        .args([
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--doctest-modules",
            "drystone",
            "tests",
        ])
        .current_dir(&package)
        .env("PYTHONPATH", &package)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        // All that tests need was installed: a test that is skipped for want of it fails.
        .env("DRYSTONE_TESTS_COMPLETE", "1")
        .env("DRYSTONE_BIN", program);
    run_tests(&mut command, count)
}

/// Builds the wheel of the Python package.
pub(crate) fn wheel() -> Done {
    let python = made("wheel-python", MATURIN, &[MATURIN.into()])?;
    run(Command::new(python)
        .args(["-m", "maturin", "build", "--release", "--out"])
        .arg(target().join("wheels"))
        .current_dir(root().join("python")))
}
