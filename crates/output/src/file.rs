//! Finished bytes onto the disk, whole or not at all.
//!
//! Until it is finished, a file has no name where the system can do that (Linux, on most file systems): whatever ends the
//! program, even by force, leaves nothing of it. Elsewhere, and for the moment in which an existing file is replaced, it
//! has a temporary name; [`sweep`] removes those that a killed program left.

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

/// Writes a file so that nobody ever sees half of it: into a file without a name, or with a temporary one, in the same
/// folder, which replaces the old one when it is whole.
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
/// Until then the bytes are in a file without a name, or with a temporary one. Dropped without a commit, it is gone and
/// what stood under the name before is still there. Links and permissions are kept as by
/// [`write_atomically`].
#[derive(Debug)]
pub struct PendingFile {
    file: fs::File,
    /// The name as it was given, for errors.
    path: PathBuf,
    /// The name with links followed.
    resolved: PathBuf,
    /// Its name until then, where it has one.
    temporary: Option<PathBuf>,
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
        if resolved.file_name().is_none() {
            return Err(error(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the path names no file",
            )));
        }
        let (file, temporary) = match unnamed(&resolved) {
            Some(file) => (file, None),
            None => {
                let name = temporary_name(&resolved);
                let mut options = fs::OpenOptions::new();
                let file = options.write(true).create_new(true).open(&name).map_err(error)?;
                (file, Some(name))
            }
        };
        // Tells `sweep` that somebody is at work on it. Where files cannot be locked, nothing is swept.
        let _ = file.try_lock();
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
            if self.temporary.is_none() {
                match give_name(&self.file, &self.resolved) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    done => return done,
                }
                // Only a rename replaces a file in one go, and it needs a name to start from.
                let name = temporary_name(&self.resolved);
                give_name(&self.file, &name)?;
                self.temporary = Some(name);
            }
            match &self.temporary {
                Some(name) => fs::rename(name, &self.resolved),
                None => Ok(()),
            }
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
        if let Some(name) = &self.temporary {
            let _ = fs::remove_file(name);
        }
    }
}

/// A name in the folder of a file. A rename is atomic only within one file system, hence the same folder; the process
/// number and a counter keep two writers of the same file from sharing it.
fn temporary_name(path: &Path) -> PathBuf {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}-{count}.tmp", std::process::id()));
    path.with_file_name(name)
}

/// Whether a name is one that [`temporary_name`] gives.
fn is_temporary(name: &str) -> bool {
    let inner = name.strip_prefix('.').and_then(|n| n.strip_suffix(".tmp"));
    let numbers = inner.and_then(|n| n.rsplit_once('.')?.1.split_once('-'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    numbers.is_some_and(|(process, count)| is_number(process) && is_number(count))
}

/// How deep [`sweep`] looks: tables keep their parts in a folder of their own, series their frames.
const SWEPT_DEPTH: usize = 2;

/// Removes temporary files that a killed program left in a folder and in the folders in it. Those that somebody is
/// writing stay.
pub fn sweep(folder: &Path) {
    sweep_to(folder, SWEPT_DEPTH);
}

fn sweep_to(folder: &Path, depth: usize) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth > 0 {
            sweep_to(&entry.path(), depth - 1);
        } else if kind.is_file() && entry.file_name().to_str().is_some_and(is_temporary) {
            let path = entry.path();
            let is_left = fs::OpenOptions::new()
                .write(true)
                .open(&path)
                .is_ok_and(|file| file.try_lock().is_ok());
            if is_left {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

/// Opens a file without a name in the folder of another, where the system has such files and can name them later.
#[cfg(target_os = "linux")]
fn unnamed(path: &Path) -> Option<fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let file = fs::OpenOptions::new()
        .write(true)
        .custom_flags(rustix::fs::OFlags::TMPFILE.bits() as i32)
        .open(folder.unwrap_or(Path::new(".")))
        .ok()?;
    // A name is given through this link; it is missing where /proc is.
    fs::metadata(descriptor(&file)).is_ok().then_some(file)
}

#[cfg(target_os = "linux")]
fn descriptor(file: &fs::File) -> String {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// Gives a file that has none a name that is free.
#[cfg(target_os = "linux")]
fn give_name(file: &fs::File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, descriptor(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path) -> Option<fs::File> {
    None
}

#[cfg(not(target_os = "linux"))]
fn give_name(_: &fs::File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
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

    /// Broke: a program that was killed while it wrote left its temporary files for ever.
    #[test]
    fn what_a_killed_writer_left_is_swept_and_what_is_being_written_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let parts = folder.path().join("blocks.parquet.parts");
        fs::create_dir(&parts).unwrap();
        let left = [
            folder.path().join(".film.gif.4194305-7.tmp"),
            parts.join(".00003.parquet.12-0.tmp"),
        ];
        let others = [".hidden", "notes.tmp", ".notes.tmp", ".a.b-1.tmp", ".a.1-.tmp"].map(|n| folder.path().join(n));
        left.iter()
            .chain(&others)
            .for_each(|path| fs::write(path, b"half").unwrap());
        let live = temporary_name(&folder.path().join("live"));
        let writer = fs::File::create(&live).unwrap();
        writer.try_lock().unwrap();
        sweep(folder.path());
        assert!(left.iter().all(|path| !path.exists()));
        assert!(others.iter().all(|path| path.exists()) && live.exists());
        drop(writer);
        sweep(folder.path());
        assert!(!live.exists());
    }

    /// So that nothing is left of it whenever the program is killed.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_in_the_making_has_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = PendingFile::create(&folder.path().join("a.bin")).unwrap();
        file.write_all(b"half").unwrap();
        if file.temporary.is_none() {
            assert_eq!(names(folder.path()), [""; 0]);
        } else {
            eprintln!("skipped: this file system has no files without names");
        }
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
