//! Lines of comma-separated fields, with tabs between and commas at the end.

use super::super::text::{coordinate, number, quoted};
use glam::DVec3;

/// The fields of every line that has any, with the line's number.
pub(super) fn rows(content: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    content.lines().enumerate().filter_map(|(number, line)| {
        let mut fields: Vec<&str> = line.split([',', ';']).map(str::trim).collect();
        while fields.last().is_some_and(|f| f.is_empty()) {
            fields.pop();
        }
        (!fields.is_empty() && !is_off(line)).then_some((number + 1, fields))
    })
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
