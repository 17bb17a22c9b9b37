//! Finished bytes onto the disk, whole or not at all.

use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

/// A file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write `{}`: {source}", path.display())]
pub struct WriteError {
    /// The file that was to be written.
    pub path: PathBuf,
    /// What went wrong.
    pub source: io::Error,
}

impl WriteError {
    pub(crate) fn new(path: &Path, source: io::Error) -> Self {
        Self {
            path: path.to_path_buf(),
            source,
        }
    }
}

/// Writes a file so that nobody ever sees half of it: into a temporary file in the same folder, then renamed.
///
/// An existing file is replaced by one with its permissions; a link stays and the file it leads to is replaced. What is
/// no file, such as a pipe or a terminal (`/dev/stdout`), is written to as it is. After an error the old file, if any,
/// is still there and the temporary one is gone.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    // A rename would put a plain file in the place of a device.
    if fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        let device = fs::OpenOptions::new().write(true).open(path);
        return device
            .and_then(|mut d| d.write_all(bytes))
            .map_err(|e| WriteError::new(path, e));
    }
    let mut file = PendingFile::create(path)?;
    file.write_all(bytes).map_err(|e| WriteError::new(path, e))?;
    file.commit()
}

/// A file that is written bit by bit and appears under its name, whole, when it is committed.
///
/// Until then the bytes are in a temporary file in the same folder. Dropped without a commit, the temporary file is
/// removed and what stood under the name before is still there. Links and permissions are kept as by
/// [`write_atomically`].
#[derive(Debug)]
pub struct PendingFile {
    file: fs::File,
    /// The name as it was given, for errors.
    path: PathBuf,
    /// The name with links followed.
    resolved: PathBuf,
    temporary: PathBuf,
    permissions: Option<fs::Permissions>,
}

impl PendingFile {
    /// Begins a file.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        let error = |source| WriteError::new(path, source);
        let existing = fs::metadata(path).ok();
        let permissions = existing.as_ref().map(fs::Metadata::permissions);
        let resolved = match existing {
            Some(_) => fs::canonicalize(path).map_err(error)?,
            None => path.to_path_buf(),
        };
        let Some(name) = resolved.file_name() else {
            return Err(error(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the path names no file",
            )));
        };
        // The rename is atomic only within one file system, hence the same folder; the process number and a counter
        // keep two writers of the same file from sharing a temporary one.
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let mut temporary_name = std::ffi::OsString::from(".");
        temporary_name.push(name);
        temporary_name.push(format!(".{}-{count}.tmp", std::process::id()));
        let temporary = resolved.with_file_name(temporary_name);
        let file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&temporary)
            .map_err(error)?;
        Ok(Self {
            file,
            path: path.to_path_buf(),
            resolved,
            temporary,
            permissions,
        })
    }

    /// Gives the file its name.
    pub fn commit(mut self) -> Result<(), WriteError> {
        let permissions = self.permissions.take();
        let done = || -> io::Result<()> {
            // After writing, so that a read-only file can be replaced by a read-only one.
            if let Some(permissions) = permissions {
                self.file.set_permissions(permissions)?;
            }
            // Without this a crash of the machine could leave the new name with the old file's absence: an empty file.
            self.file.sync_all()?;
            fs::rename(&self.temporary, &self.resolved)
        };
        done().map_err(|e| WriteError::new(&self.path, e))
    }
}

impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        // After a commit there is nothing of this name any more. After an error that is the one worth telling; a
        // temporary file that cannot be removed either is not.
        let _ = fs::remove_file(&self.temporary);
    }
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
        let told = error.to_string();
        assert!(told.contains("no-such-folder") && told.contains("os error"), "{told}");
        // A folder in the way: the rename fails after the temporary file was written.
        let taken = folder.path().join("taken");
        fs::create_dir(&taken).unwrap();
        fs::write(taken.join("inside"), b"").unwrap();
        assert!(write_atomically(&taken, b"x").is_err());
        assert_eq!(names(folder.path()), ["taken"]);
        assert!(write_atomically(Path::new("/"), b"x").is_err());
    }

    #[test]
    fn a_file_written_bit_by_bit_appears_when_it_is_committed_and_leaves_no_trace_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        fs::write(&path, b"old").unwrap();
        let mut file = PendingFile::create(&path).unwrap();
        file.write_all(b"ne").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        drop(file);
        assert_eq!(names(folder.path()), ["a.bin"]);
        let mut file = PendingFile::create(&path).unwrap();
        file.write_all(b"ne").unwrap();
        file.write_all(b"w").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["a.bin"]);
    }

    /// Broke: `-o /dev/stdout` put a plain file in the place of the device, and an output that was a link lost its
    /// link, because the finished file was renamed onto the name as it was given.
    #[cfg(unix)]
    #[test]
    fn a_link_or_a_device_is_written_through_and_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link, device) = (
            folder.path().join("file"),
            folder.path().join("link"),
            folder.path().join("device"),
        );
        fs::write(&file, b"old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        std::os::unix::fs::symlink("/dev/null", &device).unwrap();
        write_atomically(&link, b"new").unwrap();
        write_atomically(&device, b"new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert!(link.is_symlink() && device.is_symlink());
        assert_eq!(names(folder.path()).len(), 3, "no temporary file stays");
    }

    /// Broke: replacing a file gave it the permissions of a new one, so that a private file became readable by all.
    #[cfg(unix)]
    #[test]
    fn a_file_that_is_replaced_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        for mode in [0o600, 0o664, 0o444] {
            fs::write(&path, b"old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            write_atomically(&path, b"new").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
            assert_eq!(fs::read(&path).unwrap(), b"new");
            fs::remove_file(&path).unwrap();
        }
    }
}
