//! Tables on disk: Parquet files that grow with a run and survive its end, whenever that comes.
//!
//! A Parquet file is unreadable without the footer that is written last, so a run does not write into the file that it
//! is to leave. A [`TableWriter`] for `blocks.parquet` writes parts, `blocks.parquet.parts/00000.parquet` and so on.
//! Each part is whole: [`TableWriter::checkpoint`] ends one, and [`TableWriter::finish`] joins them into `blocks.parquet`
//! and removes them. A killed run leaves every part up to its last checkpoint; [`TableWriter::resume`] goes on after a
//! given step and drops rows beyond it. [`Table::read`] and [`Groups`] read either, the finished file or the parts.
//! Where there are parts, they are what counts: a finished file beside them is from an earlier run.
//!
//! Every column is required (no nulls). Floats are split by bytes before compression (`BYTE_STREAM_SPLIT`, Snappy),
//! which keeps every digit; text is kept as a dictionary.

mod column;
mod read;
mod write;

pub use column::{ColumnKind, ColumnValues, Table};
pub use read::Groups;
pub use write::TableWriter;

use std::path::{Path, PathBuf};

use crate::{OutputError, file::WriteError};

/// The folder of a table's parts.
fn parts_folder(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".parts");
    PathBuf::from(name)
}

/// The parts in a folder, in order.
fn parts_in(folder: &Path) -> Result<Vec<PathBuf>, OutputError> {
    let error = |source| OutputError::Read {
        path: folder.to_path_buf(),
        source,
    };
    let mut parts = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(error)? {
        let path = entry.map_err(error)?.path();
        // Temporary files of a killed run begin with a dot and end otherwise.
        if path.extension().is_some_and(|e| e == "parquet") {
            parts.push(path);
        }
    }
    parts.sort();
    Ok(parts)
}

/// The error of the Parquet library, or the one of the disk that it wraps.
fn failed(path: &Path, source: parquet::errors::ParquetError) -> OutputError {
    use parquet::errors::ParquetError;
    match source {
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
            Ok(io) => WriteError::new(path, *io).into(),
            Err(cause) => OutputError::Parquet {
                path: path.to_path_buf(),
                source: ParquetError::External(cause),
            },
        },
        source => OutputError::Parquet {
            path: path.to_path_buf(),
            source,
        },
    }
}
