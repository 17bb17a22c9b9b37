//! Reading tables back, a row group at a time.

use std::{
    collections::HashMap,
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
};

use parquet::{
    basic::Type as Physical,
    column::reader::{ColumnReader, ColumnReaderImpl},
    data_type::{ByteArray, DataType},
    errors::Result as ParquetResult,
    file::reader::{FileReader, SerializedFileReader},
};

use super::{ColumnKind, ColumnValues, Table, failed, parts_folder, parts_in};
use crate::OutputError;

/// The rows of a table, finished or not, in pieces that fit in memory.
pub struct Groups {
    files: std::vec::IntoIter<PathBuf>,
    wanted: Option<Vec<String>>,
    open: Option<(PathBuf, SerializedFileReader<File>, usize)>,
    /// Columns of the first file.
    empty: Table,
}

impl Groups {
    /// Opens a table: all of its columns, or those named.
    pub fn open(path: &Path, columns: Option<&[&str]>) -> Result<Self, OutputError> {
        let folder = parts_folder(path);
        let files = if folder.is_dir() {
            parts_in(&folder)?
        } else {
            vec![path.to_path_buf()]
        };
        Self::of(files, columns)
    }

    pub(super) fn of(files: Vec<PathBuf>, columns: Option<&[&str]>) -> Result<Self, OutputError> {
        let wanted = columns.map(|names| names.iter().map(|n| n.to_string()).collect());
        let mut groups = Self {
            files: files.into_iter(),
            wanted,
            open: None,
            empty: Table::new([]),
        };
        groups.open_next()?;
        if let Some((path, reader, _)) = &groups.open {
            groups.empty = Table::new([]);
            for (column, kind) in groups.selected(path, reader)? {
                let name = reader.metadata().file_metadata().schema_descr().column(column);
                groups
                    .empty
                    .push_column(name.name().to_string(), ColumnValues::new(kind));
            }
        }
        Ok(groups)
    }

    /// The columns, without rows.
    pub(super) fn empty(&self) -> Table {
        self.empty.clone()
    }

    fn open_next(&mut self) -> Result<bool, OutputError> {
        self.open = None;
        let Some(path) = self.files.next() else {
            return Ok(false);
        };
        let file = File::open(&path).map_err(|source| OutputError::Read {
            path: path.clone(),
            source,
        })?;
        let reader = SerializedFileReader::new(file).map_err(|e| failed(&path, e))?;
        self.open = Some((path, reader, 0));
        Ok(true)
    }

    /// Positions and kinds of the columns wanted.
    fn selected(
        &self,
        path: &Path,
        reader: &SerializedFileReader<File>,
    ) -> Result<Vec<(usize, ColumnKind)>, OutputError> {
        let columns = reader.metadata().file_metadata().schema_descr().columns();
        let error = |reason| OutputError::BadTable {
            path: path.to_path_buf(),
            reason,
        };
        let kind = |k: usize| match columns[k].physical_type() {
            _ if columns[k].max_def_level() > 0 => Err(error(format!(
                "column `{}` may be empty or repeated; every column must have a value in every row",
                columns[k].name()
            ))),
            Physical::DOUBLE => Ok((k, ColumnKind::Float)),
            Physical::INT64 => Ok((k, ColumnKind::Int)),
            Physical::BYTE_ARRAY => Ok((k, ColumnKind::Text)),
            other => Err(error(format!(
                "column `{}` is of type {other}; allowed are DOUBLE, INT64 and BYTE_ARRAY",
                columns[k].name()
            ))),
        };
        match &self.wanted {
            None => (0..columns.len()).map(kind).collect(),
            Some(names) => names
                .iter()
                .map(|name| match columns.iter().position(|c| c.name() == name) {
                    Some(k) => kind(k),
                    None => {
                        let present: Vec<&str> = columns.iter().map(|c| c.name()).collect();
                        Err(error(format!("no column `{name}`; there are {}", present.join(", "))))
                    }
                })
                .collect(),
        }
    }

    fn read_next(&mut self) -> Result<Option<Table>, OutputError> {
        loop {
            let Some((path, reader, group)) = &self.open else {
                return Ok(None);
            };
            if *group < reader.num_row_groups() {
                let table = self.read_group(path, reader, *group)?;
                if let Some((_, _, group)) = &mut self.open {
                    *group += 1;
                }
                return Ok(Some(table));
            }
            if !self.open_next()? {
                return Ok(None);
            }
        }
    }

    fn read_group(&self, path: &Path, reader: &SerializedFileReader<File>, group: usize) -> Result<Table, OutputError> {
        let error = |e| failed(path, e);
        let rows = reader.get_row_group(group).map_err(error)?;
        let count = usize::try_from(rows.metadata().num_rows()).unwrap_or(0);
        let mut table = Table::new([]);
        for (column, _) in self.selected(path, reader)? {
            let values = match rows.get_column_reader(column).map_err(error)? {
                ColumnReader::DoubleColumnReader(c) => read_all(c, count).map(ColumnValues::Float),
                ColumnReader::Int64ColumnReader(c) => read_all(c, count).map(ColumnValues::Int),
                ColumnReader::ByteArrayColumnReader(c) => read_all(c, count).map(|v| ColumnValues::Text(shared(&v))),
                // `selected` lets no other kind pass.
                _ => continue,
            }
            .map_err(error)?;
            if values.len() != count {
                let name = rows.metadata().column(column).column_descr().name();
                return Err(OutputError::BadTable {
                    path: path.to_path_buf(),
                    reason: format!("column `{name}` has {} values in {count} rows", values.len()),
                });
            }
            let name = rows.metadata().column(column).column_descr().name();
            table.push_column(name.to_string(), values);
        }
        Ok(table)
    }
}

impl Iterator for Groups {
    type Item = Result<Table, OutputError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.read_next();
        if next.is_err() {
            // Nothing follows an error, or a caller that goes on would go on forever.
            (self.open, self.files) = (None, Vec::new().into_iter());
        }
        next.transpose()
    }
}

fn read_all<T: DataType>(mut column: ColumnReaderImpl<T>, count: usize) -> ParquetResult<Vec<T::T>> {
    let mut values = Vec::with_capacity(count);
    while values.len() < count {
        let (records, ..) = column.read_records(count - values.len(), None, None, &mut values)?;
        if records == 0 {
            break;
        }
    }
    Ok(values)
}

/// Text, each word kept once. Bytes that are no text become the mark for what cannot be read.
fn shared(values: &[ByteArray]) -> Vec<Arc<str>> {
    let mut words: HashMap<&[u8], Arc<str>> = HashMap::new();
    values
        .iter()
        .map(|v| {
            let bytes = v.data();
            let word = words
                .entry(bytes)
                .or_insert_with(|| String::from_utf8_lossy(bytes).into());
            Arc::clone(word)
        })
        .collect()
}
