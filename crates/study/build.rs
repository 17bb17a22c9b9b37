//! Tells builds of one version apart: a hash of the sources that results of runs depend on. Made of texts alone, so that program,
//! Python package and workers on other machines have the same one where they were built from the same sources.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The crates that a run goes through.
const CRATES: [&str; 7] = ["model", "contact", "cone", "verify", "mechanics", "analysis", "study"];
/// What they are built with, from the folder of this crate.
const SETTINGS: [&str; 2] = ["../../Cargo.toml", "../../Cargo.lock"];

fn main() -> io::Result<()> {
    let mut files: Vec<PathBuf> = SETTINGS.iter().map(PathBuf::from).collect();
    for name in CRATES {
        let folder = Path::new("..").join(name);
        files.push(folder.join("Cargo.toml"));
        files.push(folder.join("build.rs"));
        let sources = folder.join("src");
        // A package of a registry has no neighbours: its version says which they are.
        if sources.is_dir() {
            println!("cargo::rerun-if-changed={}", sources.display());
            files_below(&sources, &mut files)?;
        }
    }
    files.retain(|path| path.is_file());
    files.sort();
    let mut hash = Fnv::new();
    for path in files {
        println!("cargo::rerun-if-changed={}", path.display());
        hash.add(path.to_string_lossy().replace('\\', "/").as_bytes());
        let mut bytes = fs::read(&path)?;
        // Line ends are the checkout's.
        bytes.retain(|byte| *byte != b'\r');
        hash.add(&bytes);
    }
    println!("cargo::rustc-env=DRYSTONE_BUILD={:016x}", hash.0);
    Ok(())
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => files_below(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}

/// The hash FNV-1a: the same wherever it is computed, which the standard library does not promise of its own.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds a text with its length, so that no two lists of texts read alike.
    fn add(&mut self, text: &[u8]) {
        for byte in (text.len() as u64).to_le_bytes().iter().chain(text) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
