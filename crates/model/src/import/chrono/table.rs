//! Lines of comma-separated fields, with tabs between and commas at the end.

use super::super::text::{coordinate, number, quoted};
use glam::DVec3;

/// A line of a table.
pub(super) struct Row<'a> {
    /// Number of the line, from 1.
    pub(super) line: usize,
    /// Its fields, up to the last that begins with a number.
    pub(super) fields: Vec<&'a str>,
    /// Text after the last number, in order: notes, mostly.
    pub(super) after: Vec<&'a str>,
}

impl Row<'_> {
    /// That there is text after the last number, if there is any.
    pub(super) fn text_after(&self) -> Option<String> {
        (!self.after.is_empty()).then(|| quoted(&self.after.join(", ")))
    }
}

/// The lines that have any fields.
pub(super) fn rows(content: &str) -> impl Iterator<Item = Row<'_>> {
    content.lines().enumerate().filter_map(|(number, line)| {
        let mut fields: Vec<&str> = line.split([',', ';']).map(str::trim).collect();
        while fields.last().is_some_and(|f| f.is_empty()) {
            fields.pop();
        }
        if fields.is_empty() || is_off(line) {
            return None;
        }
        let mut after = Vec::new();
        // A line without any number is no note, but a line that is wrong.
        if let Some(last) = fields.iter().rposition(|f| number_before(f).is_some()) {
            after = fields.split_off(last + 1);
            if let Some((number, note)) = fields.last().and_then(|f| number_before(f)) {
                fields[last] = number;
                if !note.is_empty() {
                    after.insert(0, note);
                }
            }
            after.retain(|text| !text.is_empty());
        }
        Some(Row {
            line: number + 1,
            fields,
            after,
        })
    })
}

/// A field that begins with a number, as that number and the text after it.
fn number_before(field: &str) -> Option<(&str, &str)> {
    let end = field.find(char::is_whitespace).unwrap_or(field.len());
    let (number, note) = field.split_at(end);
    number.parse::<f64>().ok()?;
    Some((number, note.trim()))
}

/// Whether a line is switched off by a `#` at its beginning.
fn is_off(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

/// Numbers of the lines that are switched off.
pub(super) fn lines_off(content: &str) -> Vec<usize> {
    content
        .lines()
        .enumerate()
        .filter(|(_, line)| is_off(line))
        .map(|(number, _)| number + 1)
        .collect()
}

/// Takes the fields of a row one after the other, knowing what each is called.
pub(super) struct Fields<'a> {
    rest: std::slice::Iter<'a, &'a str>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(row: &'a [&'a str]) -> Self {
        Self { rest: row.iter() }
    }

    fn next(&mut self, name: &str) -> Result<&'a str, String> {
        self.rest
            .next()
            .copied()
            .ok_or_else(|| format!("the line ends before {name}"))
    }

    pub(super) fn peek(&self) -> Option<&'a str> {
        self.rest.as_slice().first().copied()
    }

    /// The fields that are left.
    pub(super) fn left(&self) -> &'a [&'a str] {
        self.rest.as_slice()
    }

    pub(super) fn skip(&mut self) {
        self.rest.next();
    }

    pub(super) fn number(&mut self, name: &str) -> Result<f64, String> {
        number(self.next(name)?).map_err(|what| format!("{name}: {what}"))
    }

    /// A whole number.
    pub(super) fn whole(&mut self, name: &str) -> Result<i64, String> {
        let text = self.next(name)?;
        let value = number(text).map_err(|what| format!("{name}: {what}"))?;
        if value.fract() == 0.0 && value.abs() < 1e15 {
            Ok(value as i64)
        } else {
            Err(format!("{name}: {} is not a whole number", quoted(text)))
        }
    }

    /// A point in the simulator's axes.
    pub(super) fn point(&mut self, name: &str) -> Result<DVec3, String> {
        let mut next = || coordinate(self.next(name)?).map_err(|what| format!("{name}: {what}"));
        Ok(DVec3::new(next()?, next()?, next()?))
    }

    /// A force (N) in the simulator's axes.
    pub(super) fn force(&mut self, name: &str) -> Result<DVec3, String> {
        Ok(DVec3::new(self.number(name)?, self.number(name)?, self.number(name)?))
    }
}
