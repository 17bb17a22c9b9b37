//! A Python environment with the packages that tests read our files with.

use std::{path::PathBuf, process::Command};

use crate::{apt_install, root, run};

/// The environment's Python; made once and kept under `target/`.
pub(crate) fn environment() -> Result<PathBuf, String> {
    let folder = root().join("target/test-python");
    let python = folder.join("bin/python");
    let requirements = root().join("crates/output/tests/requirements.txt");
    let wanted = std::fs::read_to_string(&requirements).map_err(|e| format!("{}: {e}", requirements.display()))?;
    let stamp = folder.join("installed.txt");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    println!("installing Python packages for the tests into {}", folder.display());
    let venv = || run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder));
    // Debian ships Python without this module; its own package brings it.
    if venv().is_err() {
        apt_install("python3-venv")?;
        venv()?;
    }
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "-r"])
        .arg(&requirements))?;
    std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(python)
}
