//! One writer for a folder: two runs that write to the same one would mix their files.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::file::{WriteError, sweep};

/// Why a folder is not ours.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process writes there.
    #[error("{}: {} is writing there", folder.display(), told(*process))]
    Taken {
        /// The folder.
        folder: PathBuf,
        /// Number of the process, where the system tells.
        process: Option<u32>,
    },
    /// The folder cannot be made or opened.
    #[error(transparent)]
    Write(#[from] WriteError),
}

fn told(process: Option<u32>) -> String {
    process.map_or_else(|| "another process".into(), |p| format!("another process (number {p})"))
}

/// A folder that no other process takes until this is dropped or the process ends, however that comes.
///
/// The system holds the lock, on the folder itself where it can: nothing is left behind that could be stale.
#[derive(Debug)]
pub struct FolderLock {
    /// Nothing where the file system knows no locks.
    file: Option<fs::File>,
    /// A file that was made for the lock.
    made: Option<PathBuf>,
    /// The folder, where it was not there before.
    new: Option<PathBuf>,
}

impl FolderLock {
    /// Makes a folder where there is none, takes it, and removes temporary files that a killed process left in it.
    pub fn take(folder: &Path) -> Result<Self, LockError> {
        let error = |e| WriteError::new(folder, e);
        let new = (!folder.exists()).then(|| folder.to_path_buf());
        fs::create_dir_all(folder).map_err(error)?;
        let (file, made) = open(folder).map_err(error)?;
        let file = match file.try_lock() {
            Ok(()) => Some(file),
            Err(fs::TryLockError::WouldBlock) => {
                return Err(LockError::Taken {
                    folder: folder.to_path_buf(),
                    process: holder(&file),
                });
            }
            Err(fs::TryLockError::Error(_)) => None,
        };
        if file.is_some() {
            sweep(folder);
        }
        Ok(Self { file, made, new })
    }

    /// Whether the file system knows locks. Where it does not, nothing keeps others out.
    pub fn is_held(&self) -> bool {
        self.file.is_some()
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        if let Some(made) = &self.made {
            let _ = fs::remove_file(made);
        }
        if let Some(new) = &self.new {
            // It fails where something was written. A command that failed before that leaves no empty folder.
            let _ = fs::remove_dir(new);
        }
    }
}

#[cfg(unix)]
fn open(folder: &Path) -> io::Result<(fs::File, Option<PathBuf>)> {
    Ok((fs::File::open(folder)?, None))
}

/// Folders cannot be opened as files there.
#[cfg(not(unix))]
fn open(folder: &Path) -> io::Result<(fs::File, Option<PathBuf>)> {
    let path = folder.join(".drystone-lock");
    Ok((fs::File::create(&path)?, Some(path)))
}

/// The process that holds a lock.
#[cfg(target_os = "linux")]
fn holder(file: &fs::File) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    let found = file.metadata().ok()?;
    let (major, minor) = (rustix::fs::major(found.dev()), rustix::fs::minor(found.dev()));
    let place = format!("{major:02x}:{minor:02x}:{}", found.ino());
    // 1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF
    let locks = fs::read_to_string("/proc/locks").ok()?;
    let mut rows = locks.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let row = rows.find(|row| row.get(1) == Some(&"FLOCK") && row.get(5) == Some(&place.as_str()))?;
    row[4].parse().ok().filter(|&process| process > 0)
}

#[cfg(not(target_os = "linux"))]
fn holder(_: &fs::File) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_writer_at_a_time_and_keeps_no_trace_of_it() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("a").join("run");
        let first = FolderLock::take(&folder).unwrap();
        if !first.is_held() {
            eprintln!("skipped: this file system knows no locks");
            return;
        }
        let told = FolderLock::take(&folder).unwrap_err().to_string();
        assert!(told.contains("run") && told.contains("another process"), "{told}");
        #[cfg(target_os = "linux")]
        assert!(told.contains(&std::process::id().to_string()), "{told}");
        fs::write(folder.join("result"), b"").unwrap();
        drop(first);
        drop(FolderLock::take(&folder).unwrap());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        let unused = place.path().join("unused");
        drop(FolderLock::take(&unused).unwrap());
        assert!(!unused.exists());
    }
}
