//! Writing tables part by part.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use parquet::{
    basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical},
    data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type},
    errors::Result as ParquetResult,
    file::{
        properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr},
        writer::SerializedFileWriter,
    },
    schema::types::{ColumnPath, Type, TypePtr},
};

use super::{ColumnKind, ColumnValues, Groups, Table, failed, parts_folder, parts_in};
use crate::{
    OutputError,
    file::{PendingFile, WriteError},
};

/// Rows that are gathered before they are written: enough to compress well, few enough to keep in memory.
const ROWS_A_GROUP: usize = 1 << 17;

/// A table that grows with a run.
pub struct TableWriter {
    path: PathBuf,
    folder: PathBuf,
    format: Format,
    /// Rows not yet written.
    rows: Table,
    /// The part that is being written.
    part: Option<Part>,
    /// Number of the next part.
    next: usize,
}

impl TableWriter {
    /// Begins a table. Parts of an earlier run are removed; its finished file stays until this one takes its place.
    pub fn create(path: &Path, columns: &[(&str, ColumnKind)]) -> Result<Self, OutputError> {
        let writer = Self::new(path, columns)?;
        if writer.folder.exists() {
            fs::remove_dir_all(&writer.folder).map_err(|e| WriteError::new(&writer.folder, e))?;
        }
        fs::create_dir_all(&writer.folder).map_err(|e| WriteError::new(&writer.folder, e))?;
        Ok(writer)
    }

    /// Goes on with a table, finished or not, after a step: rows whose `step` is larger are dropped. Without an earlier
    /// table it begins one.
    pub fn resume(path: &Path, columns: &[(&str, ColumnKind)], last_step: u64) -> Result<Self, OutputError> {
        let mut writer = Self::new(path, columns)?;
        if !writer.folder.exists() {
            if !path.exists() {
                return Self::create(path, columns);
            }
            // Before anything is moved, so that a mistaken name changes nothing.
            writer.check_columns(path)?;
            fs::create_dir(&writer.folder).map_err(|e| WriteError::new(&writer.folder, e))?;
            let first = writer.part_path(0);
            fs::rename(path, &first).map_err(|e| WriteError::new(&first, e))?;
        }
        for part in parts_in(&writer.folder)? {
            if writer.cut(&part, last_step)? {
                let number = part.file_stem().and_then(|s| s.to_str()?.parse::<usize>().ok());
                writer.next = writer.next.max(number.map_or(0, |n| n + 1));
            }
        }
        Ok(writer)
    }

    fn new(path: &Path, columns: &[(&str, ColumnKind)]) -> Result<Self, OutputError> {
        let rows = Table::new(columns.iter().copied());
        Ok(Self {
            path: path.to_path_buf(),
            folder: parts_folder(path),
            format: Format::of(&rows).map_err(|e| failed(path, e))?,
            rows,
            part: None,
            next: 0,
        })
    }

    fn part_path(&self, number: usize) -> PathBuf {
        self.folder.join(format!("{number:05}.parquet"))
    }

    /// Opens a file of this table, or says that it has other columns.
    fn check_columns(&self, file: &Path) -> Result<Groups, OutputError> {
        let groups = Groups::of(vec![file.to_path_buf()], None)?;
        let (found, expected) = (groups.empty(), self.rows.layout());
        if found.layout() == expected {
            return Ok(groups);
        }
        Err(OutputError::BadTable {
            path: file.to_path_buf(),
            reason: format!(
                "its columns are {:?}, but {expected:?} are to be added; write to another folder",
                found.layout()
            ),
        })
    }

    /// Drops the rows of a part that lie beyond a step; says whether any are left. A part without rows is removed.
    fn cut(&self, part: &Path, last_step: u64) -> Result<bool, OutputError> {
        let groups = self.check_columns(part)?;
        let steps = Table::read_part(part, &["step"])?;
        let is_kept = |step: &i64| u64::try_from(*step).is_ok_and(|s| s <= last_step);
        let kept = steps
            .ints("step")
            .map_or(0, |s| s.iter().filter(|s| is_kept(s)).count());
        if kept == 0 {
            fs::remove_file(part).map_err(|e| WriteError::new(part, e))?;
        } else if kept < steps.rows() {
            let mut copy = Part::begin(part, &self.format)?;
            copy.take(groups, &self.rows, is_kept)?;
            copy.end()?;
        }
        Ok(kept > 0)
    }

    /// Adds rows: `fill` pushes the same number of values onto each column, in the order in which the columns were
    /// named.
    pub(crate) fn push(&mut self, fill: impl FnOnce(&mut [ColumnValues])) -> Result<(), OutputError> {
        fill(self.rows.columns_mut());
        if self.rows.rows() >= ROWS_A_GROUP {
            self.flush()?;
        }
        Ok(())
    }

    /// Adds a row of numbers to a table whose columns are all floating-point but the first, `step`.
    pub fn push_row(&mut self, step: u64, values: &[f64]) -> Result<(), OutputError> {
        let layout = self.rows.layout();
        let fits = layout.len() == values.len() + 1
            && layout[0] == ("step", ColumnKind::Int)
            && layout[1..].iter().all(|(_, kind)| *kind == ColumnKind::Float);
        if !fits {
            return Err(OutputError::BadTable {
                path: self.path.clone(),
                reason: format!(
                    "a row of a step and {} numbers does not fit the columns {layout:?}",
                    values.len()
                ),
            });
        }
        self.push(|columns| {
            for (column, k) in columns.iter_mut().zip(0usize..) {
                match column {
                    ColumnValues::Int(v) => v.push(step as i64),
                    ColumnValues::Float(v) => v.push(values[k - 1]),
                    ColumnValues::Text(_) => {}
                }
            }
        })
    }

    /// Hands the rows gathered to the part that is being written.
    fn flush(&mut self) -> Result<(), OutputError> {
        if self.rows.rows() == 0 {
            return Ok(());
        }
        let mut part = match self.part.take() {
            Some(part) => part,
            None => Part::begin(&self.part_path(self.next), &self.format)?,
        };
        part.write(&self.rows)?;
        self.rows.clear();
        self.part = Some(part);
        Ok(())
    }

    /// Ends a part: what was pushed so far survives whatever comes. To be called before the run's own checkpoint is
    /// written, so that the table never lacks rows from before it.
    pub fn checkpoint(&mut self) -> Result<(), OutputError> {
        self.flush()?;
        if let Some(part) = self.part.take() {
            part.end()?;
            self.next += 1;
        }
        Ok(())
    }

    /// Joins the parts into the finished file and removes them.
    pub fn finish(mut self) -> Result<(), OutputError> {
        self.checkpoint()?;
        let mut whole = Part::begin(&self.path, &self.format)?;
        let groups = Groups::of(parts_in(&self.folder)?, None)?;
        whole.take(groups, &self.rows, |_| true)?;
        whole.end()?;
        fs::remove_dir_all(&self.folder).map_err(|e| WriteError::new(&self.folder, e).into())
    }
}

impl Table {
    /// Writes a table that is whole in memory.
    pub fn write(&self, path: &Path) -> Result<(), OutputError> {
        let format = Format::of(self).map_err(|e| failed(path, e))?;
        let mut part = Part::begin(path, &format)?;
        part.write(self)?;
        part.end()
    }

    fn read_part(part: &Path, columns: &[&str]) -> Result<Self, OutputError> {
        let mut groups = Groups::of(vec![part.to_path_buf()], Some(columns))?;
        let mut all = groups.empty();
        groups.try_for_each(|group| {
            all.append(&group?, |_| true);
            Ok::<(), OutputError>(())
        })?;
        Ok(all)
    }
}

/// How the columns of a table are kept in a file.
#[derive(Clone)]
struct Format {
    schema: TypePtr,
    properties: WriterPropertiesPtr,
}

impl Format {
    fn of(table: &Table) -> ParquetResult<Self> {
        let mut properties = WriterProperties::builder()
            .set_created_by("drystone".to_string())
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_dictionary_enabled(true);
        let mut fields = Vec::new();
        for (name, kind) in table.layout() {
            let (physical, logical) = match kind {
                ColumnKind::Float => (Physical::DOUBLE, None),
                ColumnKind::Int => (Physical::INT64, None),
                ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            };
            if kind == ColumnKind::Float {
                let column = ColumnPath::from(name);
                properties = properties
                    .set_column_dictionary_enabled(column.clone(), false)
                    .set_column_encoding(column, Encoding::BYTE_STREAM_SPLIT);
            }
            let field = Type::primitive_type_builder(name, physical)
                .with_repetition(Repetition::REQUIRED)
                .with_logical_type(logical);
            fields.push(Arc::new(field.build()?));
        }
        let schema = Type::group_type_builder("drystone").with_fields(fields).build()?;
        Ok(Self {
            schema: Arc::new(schema),
            properties: Arc::new(properties.build()),
        })
    }
}

/// A Parquet file in the making.
struct Part {
    path: PathBuf,
    writer: SerializedFileWriter<PendingFile>,
}

impl Part {
    fn begin(path: &Path, format: &Format) -> Result<Self, OutputError> {
        let file = PendingFile::create(path)?;
        let writer = SerializedFileWriter::new(file, Arc::clone(&format.schema), Arc::clone(&format.properties))
            .map_err(|e| failed(path, e))?;
        Ok(Self {
            path: path.to_path_buf(),
            writer,
        })
    }

    /// Writes rows as one row group.
    fn write(&mut self, rows: &Table) -> Result<(), OutputError> {
        write_group(&mut self.writer, rows).map_err(|e| failed(&self.path, e))
    }

    /// Writes the rows of another table whose step is kept, in groups as large as those of a run without checkpoints.
    fn take(&mut self, groups: Groups, like: &Table, keep: impl Fn(&i64) -> bool) -> Result<(), OutputError> {
        let mut gathered = like.clone();
        gathered.clear();
        for group in groups {
            let group = group?;
            let steps = group.ints("step");
            gathered.append(&group, |row| steps.is_none_or(|s| keep(&s[row])));
            if gathered.rows() >= ROWS_A_GROUP {
                self.write(&gathered)?;
                gathered.clear();
            }
        }
        if gathered.rows() > 0 {
            self.write(&gathered)?;
        }
        Ok(())
    }

    fn end(self) -> Result<(), OutputError> {
        let file = self.writer.into_inner().map_err(|e| failed(&self.path, e))?;
        Ok(file.commit()?)
    }
}

fn write_group(writer: &mut SerializedFileWriter<PendingFile>, rows: &Table) -> ParquetResult<()> {
    let mut group = writer.next_row_group()?;
    for (_, values) in rows.columns() {
        let Some(mut column) = group.next_column()? else { break };
        match values {
            ColumnValues::Float(v) => column.typed::<DoubleType>().write_batch(v, None, None)?,
            ColumnValues::Int(v) => column.typed::<Int64Type>().write_batch(v, None, None)?,
            ColumnValues::Text(v) => {
                let bytes: Vec<ByteArray> = v.iter().map(|s| ByteArray::from(s.as_ref())).collect();
                column.typed::<ByteArrayType>().write_batch(&bytes, None, None)?
            }
        };
        column.close()?;
    }
    group.close()?;
    Ok(())
}
