//! Columns in memory.

use std::{borrow::Cow, fmt::Write, path::Path, sync::Arc};

use super::Groups;
use crate::OutputError;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Floating-point numbers (`DOUBLE`).
    Float,
    /// Whole numbers (`INT64`).
    Int,
    /// Text (`STRING`, kept as a dictionary).
    Text,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValues {
    /// Floating-point numbers.
    Float(Vec<f64>),
    /// Whole numbers.
    Int(Vec<i64>),
    /// Text.
    Text(Vec<Arc<str>>),
}

impl ColumnValues {
    pub(crate) fn new(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Float => Self::Float(Vec::new()),
            ColumnKind::Int => Self::Int(Vec::new()),
            ColumnKind::Text => Self::Text(Vec::new()),
        }
    }

    pub(super) fn kind(&self) -> ColumnKind {
        match self {
            Self::Float(_) => ColumnKind::Float,
            Self::Int(_) => ColumnKind::Int,
            Self::Text(_) => ColumnKind::Text,
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Float(v) => v.len(),
            Self::Int(v) => v.len(),
            Self::Text(v) => v.len(),
        }
    }

    pub(super) fn clear(&mut self) {
        match self {
            Self::Float(v) => v.clear(),
            Self::Int(v) => v.clear(),
            Self::Text(v) => v.clear(),
        }
    }

    /// Takes the values of another column of the same kind in the rows that are kept.
    fn extend(&mut self, other: &Self, kept: &[bool]) {
        fn add<T: Clone>(to: &mut Vec<T>, from: &[T], kept: &[bool]) {
            to.extend(from.iter().zip(kept).filter(|(_, k)| **k).map(|(v, _)| v.clone()));
        }
        match (self, other) {
            (Self::Float(to), Self::Float(from)) => add(to, from, kept),
            (Self::Int(to), Self::Int(from)) => add(to, from, kept),
            (Self::Text(to), Self::Text(from)) => add(to, from, kept),
            _ => {}
        }
    }
}

/// Named columns of equal length.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    names: Vec<String>,
    columns: Vec<ColumnValues>,
}

/// A field of comma-separated text.
fn quoted(text: &str) -> Cow<'_, str> {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")).into(),
        false => text.into(),
    }
}

impl Table {
    /// A table without rows.
    pub fn new<'a>(columns: impl IntoIterator<Item = (&'a str, ColumnKind)>) -> Self {
        let (names, columns) = columns
            .into_iter()
            .map(|(name, kind)| (name.to_string(), ColumnValues::new(kind)))
            .unzip();
        Self { names, columns }
    }

    /// A table of columns that are filled; all must be equally long.
    pub fn of(columns: impl IntoIterator<Item = (String, ColumnValues)>) -> Self {
        let (names, columns): (Vec<String>, Vec<ColumnValues>) = columns.into_iter().unzip();
        debug_assert!(columns.windows(2).all(|pair| pair[0].len() == pair[1].len()));
        Self { names, columns }
    }

    /// Reads a table that [`TableWriter`](super::TableWriter) wrote, finished or not: all of its columns, or those
    /// named, in memory.
    pub fn read(path: &Path, columns: Option<&[&str]>) -> Result<Self, OutputError> {
        let mut groups = Groups::open(path, columns)?;
        let Some(mut table) = groups.next().transpose()? else {
            return Ok(groups.empty());
        };
        for group in groups {
            table.append(&group?, |_| true);
        }
        Ok(table)
    }

    /// Reads about so many rows of a table, evenly picked, the first and the last among them.
    pub fn read_thinned(path: &Path, rows: usize) -> Result<Self, OutputError> {
        let mut all = 0;
        for group in Groups::open(path, Some(&["step"]))? {
            all += group?.rows();
        }
        let stride = all.div_ceil(rows.max(1)).max(1);
        let groups = Groups::open(path, None)?;
        let (mut table, mut first) = (groups.empty(), 0);
        for group in groups {
            let group = group?;
            table.append(&group, |k| (first + k).is_multiple_of(stride) || first + k + 1 == all);
            first += group.rows();
        }
        Ok(table)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, ColumnValues::len)
    }

    /// The columns with their names, in order.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &ColumnValues)> {
        self.names.iter().map(String::as_str).zip(&self.columns)
    }

    /// A column by name.
    pub fn column(&self, name: &str) -> Option<&ColumnValues> {
        self.columns().find(|(n, _)| *n == name).map(|(_, values)| values)
    }

    /// A column of floating-point numbers by name.
    pub fn floats(&self, name: &str) -> Option<&[f64]> {
        match self.column(name) {
            Some(ColumnValues::Float(v)) => Some(v),
            _ => None,
        }
    }

    /// A column of whole numbers by name.
    pub fn ints(&self, name: &str) -> Option<&[i64]> {
        match self.column(name) {
            Some(ColumnValues::Int(v)) => Some(v),
            _ => None,
        }
    }

    /// A column of text by name.
    pub fn texts(&self, name: &str) -> Option<&[Arc<str>]> {
        match self.column(name) {
            Some(ColumnValues::Text(v)) => Some(v),
            _ => None,
        }
    }

    /// The table as comma-separated text with a line of names (RFC 4180). Numbers have all their digits; text with commas, quotation
    /// marks or line breaks stands in quotation marks.
    pub fn csv(&self) -> String {
        let mut text = self.names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",");
        text.push('\n');
        for row in 0..self.rows() {
            for (k, column) in self.columns.iter().enumerate() {
                if k > 0 {
                    text.push(',');
                }
                // Writing to a string does not fail.
                let _ = match column {
                    ColumnValues::Float(v) if v[row] == 0.0 => write!(text, "0"),
                    ColumnValues::Float(v) => write!(text, "{:e}", v[row]),
                    ColumnValues::Int(v) => write!(text, "{}", v[row]),
                    ColumnValues::Text(v) => write!(text, "{}", quoted(&v[row])),
                };
            }
            text.push('\n');
        }
        text
    }

    /// The columns, to be filled; all must come out equally long.
    pub(crate) fn columns_mut(&mut self) -> &mut [ColumnValues] {
        &mut self.columns
    }

    pub(super) fn push_column(&mut self, name: String, values: ColumnValues) {
        self.names.push(name);
        self.columns.push(values);
    }

    pub(super) fn clear(&mut self) {
        self.columns.iter_mut().for_each(ColumnValues::clear);
    }

    /// Adds the rows of a table with the same columns for which `keep` holds.
    pub(super) fn append(&mut self, other: &Self, keep: impl Fn(usize) -> bool) {
        let kept: Vec<bool> = (0..other.rows()).map(keep).collect();
        for (to, from) in self.columns.iter_mut().zip(&other.columns) {
            to.extend(from, &kept);
        }
    }

    /// Names and kinds, to compare tables by.
    pub(super) fn layout(&self) -> Vec<(&str, ColumnKind)> {
        self.columns().map(|(name, values)| (name, values.kind())).collect()
    }
}
