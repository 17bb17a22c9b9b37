//! The bytes of a file, without waiting for what never comes or reading what never ends.

use std::{
    fs::File,
    io::{Error, ErrorKind, Read, Result},
    path::Path,
};

/// Largest file that is read (bytes): a gibibyte holds a million blocks.
pub const LARGEST_FILE: u64 = 1 << 30;

/// Whether a pipe may stand in place of a file, as in `drystone check <(...)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipes {
    /// The bytes that come through it are taken, up to the limit.
    Allowed,
    /// It is refused before it is opened: opening one that nobody writes to would wait for ever.
    Refused,
}

/// The bytes of a file of at most `most` bytes. Folders, devices and sockets are refused.
pub fn file_bytes(path: &Path, most: u64, pipes: Pipes) -> Result<Vec<u8>> {
    let refuse = |what: String| Err(Error::new(ErrorKind::InvalidInput, what));
    let kind = kind_of(path)?;
    match (kind, pipes) {
        (Kind::File, _) | (Kind::Pipe, Pipes::Allowed) => {}
        (Kind::Folder, _) => return refuse("it is a folder; a file is needed".to_owned()),
        (Kind::Pipe, Pipes::Refused) => return refuse("it is a pipe (FIFO); a file is needed".to_owned()),
        (Kind::Other, _) => return refuse("it is a device or a socket; a file is needed".to_owned()),
    }
    let mut bytes = Vec::new();
    // One byte more than is allowed tells that there is more, however large the file says it is.
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return refuse(format!("it is larger than {} MiB, the most that is read", most >> 20));
    }
    Ok(bytes)
}

enum Kind {
    File,
    Folder,
    Pipe,
    Other,
}

fn kind_of(path: &Path) -> Result<Kind> {
    let kind = path.metadata()?.file_type();
    if kind.is_file() {
        return Ok(Kind::File);
    }
    if kind.is_dir() {
        return Ok(Kind::Folder);
    }
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_fifo(&kind) {
        return Ok(Kind::Pipe);
    }
    Ok(Kind::Other)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_fifo_that_nobody_writes_to_a_device_and_a_folder_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("record.txt");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status();
        if made.is_ok_and(|status| status.success()) {
            let error = file_bytes(&fifo, 100, Pipes::Refused).unwrap_err().to_string();
            assert!(error.contains("FIFO"), "{error}");
        }
        for device in ["/dev/zero", "/dev/null"] {
            for pipes in [Pipes::Allowed, Pipes::Refused] {
                let error = file_bytes(Path::new(device), 100, pipes).unwrap_err().to_string();
                assert!(error.contains("device"), "{error}");
            }
        }
        let error = file_bytes(folder.path(), 100, Pipes::Allowed).unwrap_err().to_string();
        assert!(error.contains("folder"), "{error}");
    }

    #[test]
    fn a_file_is_read_up_to_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, [7; 100]).unwrap();
        assert_eq!(file_bytes(&path, 100, Pipes::Refused).unwrap(), [7; 100]);
        assert!(
            file_bytes(&path, 99, Pipes::Refused)
                .unwrap_err()
                .to_string()
                .contains("larger")
        );
    }
}
