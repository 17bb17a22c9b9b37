//! Data beside the project.

use std::path::{Path, PathBuf};

/// A file or folder of the shared data, or `None`, said aloud, where it is absent.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared").join(path))
        .find(|p| p.exists());
    if found.is_none() {
        eprintln!("skipped: shared/{path} is not beside this project");
    }
    found
}
