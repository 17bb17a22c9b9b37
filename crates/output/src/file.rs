//! Finished bytes onto the disk, whole or not at all.

use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

/// A file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write `{}`", path.display())]
pub struct WriteError {
    /// The file that was to be written.
    pub path: PathBuf,
    /// What went wrong.
    pub source: io::Error,
}

/// Writes a file so that nobody ever sees half of it: into a temporary file in the same folder, then renamed.
///
/// An existing file is replaced. After an error the old file, if any, is still there and the temporary one is gone.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let error = |source| WriteError {
        path: path.to_path_buf(),
        source,
    };
    let Some(name) = path.file_name() else {
        return Err(error(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the path names no file",
        )));
    };
    // The rename is atomic only within one file system, hence the same folder; the process number and a counter keep
    // two writers of the same file from sharing a temporary one.
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let mut temporary_name = std::ffi::OsString::from(".");
    temporary_name.push(name);
    temporary_name.push(format!(".{}-{count}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary_name);
    let written = write_and_rename(&temporary, path, bytes);
    if written.is_err() {
        // The first error is the one worth telling; a temporary file that cannot be removed either is not.
        let _ = fs::remove_file(&temporary);
    }
    written.map_err(error)
}

fn write_and_rename(temporary: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(temporary)?;
    file.write_all(bytes)?;
    // Without this a crash of the machine could leave the new name with the old file's absence: an empty file.
    file.sync_all()?;
    drop(file);
    fs::rename(temporary, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_replaced_and_no_temporary_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_atomically(&path, b"old").unwrap();
        write_atomically(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_failed_write_names_the_path_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("no-such-folder").join("a.txt");
        let error = write_atomically(&missing, b"x").unwrap_err();
        assert_eq!(error.path, missing);
        assert!(error.to_string().contains("no-such-folder"));
        // A folder in the way: the rename fails after the temporary file was written.
        let taken = folder.path().join("taken");
        fs::create_dir(&taken).unwrap();
        fs::write(taken.join("inside"), b"").unwrap();
        assert!(write_atomically(&taken, b"x").is_err());
        assert_eq!(names(folder.path()), ["taken"]);
        assert!(write_atomically(Path::new("/"), b"x").is_err());
    }
}
