//! Columns of text: separated by blanks, commas or semicolons, with or without a header.

use glam::DVec3;

use super::{
    Component, ReadSettings, Record, RecordError, RecordUnits,
    header::Column,
    time::{Stamp, time_step},
    units::check_plausible,
};
use crate::motion::MotionQuantity;

/// Which columns hold what.
struct Layout {
    /// Columns of a row.
    count: usize,
    /// The column of times, and its unit (s).
    time: Option<(usize, f64)>,
    /// The columns to take.
    taken: Vec<(usize, Column)>,
    quantity: MotionQuantity,
    /// Whether a header names the columns.
    named: bool,
}

pub(super) fn parse(text: &str, file: &str, settings: &ReadSettings) -> Result<Record, RecordError> {
    let mut header: Option<&str> = None;
    let mut layout: Option<Layout> = None;
    let mut stamps = Vec::new();
    let mut values: Vec<Vec<f64>> = Vec::new();
    for (k, line) in text.lines().enumerate() {
        let number = k + 1;
        let bare = line.trim().trim_start_matches(['#', '%', '!']).trim();
        if bare.is_empty() {
            continue;
        }
        let is_comment = bare.len() < line.trim().len();
        let words: Vec<&str> = line
            .split([' ', '\t', ',', ';'])
            .filter(|w| !w.trim().is_empty())
            .collect();
        if words.is_empty() {
            continue;
        }
        let first_bad = words.iter().find(|w| w.trim().parse::<f64>().is_err());
        if is_comment || (layout.is_none() && first_bad.is_some()) {
            if layout.is_none() {
                header = Some(bare);
            }
            continue;
        }
        if let Some(word) = first_bad {
            let short: String = word.chars().take(40).collect();
            return Err(RecordError::new(file, number, format!("`{short}` is not a number")));
        }
        let layout = match &mut layout {
            Some(layout) => layout,
            none => {
                let found = find_layout(header, words.len(), settings);
                let found = found.map_err(|what| RecordError::new(file, number, what))?;
                values = vec![Vec::new(); found.taken.len()];
                none.insert(found)
            }
        };
        if words.len() != layout.count {
            let what = format!("has {} columns, but the rows before have {}", words.len(), layout.count);
            return Err(RecordError::new(file, number, what));
        }
        let read = |column: usize| {
            let word = words[column].trim();
            let value: f64 = word.parse().unwrap_or(f64::NAN);
            if value.is_finite() {
                Ok((word, value))
            } else {
                Err(RecordError::new(
                    file,
                    number,
                    format!("`{word}` is not a finite number"),
                ))
            }
        };
        if let Some((column, unit)) = layout.time {
            let (word, value) = read(column)?;
            stamps.push(Stamp::new(number, word, value, unit));
        }
        for ((column, _), values) in layout.taken.iter().zip(&mut values) {
            values.push(read(*column)?.1);
        }
    }
    let Some(layout) = layout else {
        return Err(RecordError::new(file, None, "there are no rows of numbers"));
    };
    let dt = step(&layout, &stamps, settings, file)?;
    if values.iter().any(|v| v.len() < 2) {
        return Err(RecordError::new(file, None, "a record needs at least 2 values"));
    }
    let components = components(&layout, values, settings, file)?;
    Ok(Record {
        file: file.to_owned(),
        title: header.filter(|_| !layout.named).unwrap_or_default().to_owned(),
        quantity: layout.quantity,
        dt,
        first_time: stamps.first().map_or(0.0, |stamp| stamp.time),
        components,
    })
}

fn step(layout: &Layout, stamps: &[Stamp], settings: &ReadSettings, file: &str) -> Result<f64, RecordError> {
    if layout.time.is_none() {
        let missing = || RecordError::new(file, None, "there is no column of times; give the time step with dt=");
        return settings.dt.ok_or_else(missing);
    }
    // A step that is given is believed: some files write times of a step that was rounded first.
    let found = time_step(stamps, file)?;
    Ok(settings.dt.unwrap_or(found))
}

fn components(
    layout: &Layout,
    values: Vec<Vec<f64>>,
    settings: &ReadSettings,
    file: &str,
) -> Result<Vec<Component>, RecordError> {
    let component = |((_, column), mut values): (&(usize, Column), Vec<f64>)| {
        let stated = settings
            .units
            .or(column.units)
            .filter(|u| u.quantity() == layout.quantity);
        let units = stated.unwrap_or(match layout.quantity {
            MotionQuantity::Acceleration => RecordUnits::G,
            MotionQuantity::Velocity => RecordUnits::MetrePerSecond,
            MotionQuantity::Displacement => RecordUnits::Metre,
        });
        if settings.units.is_none() {
            check_plausible(&values, units, file)?;
        }
        values.iter_mut().for_each(|v| *v *= units.factor());
        Ok(Component {
            name: column.name.clone(),
            direction: column.direction.unwrap_or(DVec3::X),
            values,
        })
    };
    layout.taken.iter().zip(values).map(component).collect()
}

/// The names in a header: they may hold blanks where something else separates them.
fn fields(header: &str) -> Vec<&str> {
    let separator = [';', ',', '\t'].into_iter().find(|&c| header.contains(c));
    match separator {
        Some(separator) => header.split(separator).map(str::trim).collect(),
        None => header.split_whitespace().collect(),
    }
}

fn find_layout(header: Option<&str>, count: usize, settings: &ReadSettings) -> Result<Layout, String> {
    let names = header.map(fields).filter(|names| names.len() == count);
    let columns: Option<Vec<Column>> = names.map(|names| names.into_iter().map(Column::new).collect());
    // A title that happens to have as many words as there are columns, such as `Station A`, says nothing.
    let tells = |c: &Vec<Column>| {
        let sure = c.iter().any(|c| c.time.is_some() || c.is_surely_motion());
        sure || c.iter().all(Column::is_motion) || settings.column.is_some()
    };
    let columns = columns.filter(tells);
    let wanted = settings.quantity.or(settings.units.map(RecordUnits::quantity));
    match columns {
        Some(columns) => named_layout(columns, wanted, settings),
        None => bare_layout(count, wanted.unwrap_or_default(), settings),
    }
}

fn bare_layout(count: usize, quantity: MotionQuantity, settings: &ReadSettings) -> Result<Layout, String> {
    if let Some(column) = &settings.column {
        return Err(format!(
            "there is no header above the numbers, so no column is called `{column}`"
        ));
    }
    if count > 4 {
        return Err(format!(
            "a row has {count} columns and there is no header; must be a value, or a time and one to three values along x, y \
             and z"
        ));
    }
    let time = (count > 1).then_some((0, 1.0));
    let first = usize::from(count > 1);
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let column = |k: usize| Column {
        direction: (count > 2).then_some(axes[(k - first).min(2)]),
        ..Column::default()
    };
    Ok(Layout {
        count,
        time,
        taken: (first..count).map(|k| (k, column(k))).collect(),
        quantity,
        named: false,
    })
}

fn named_layout(
    columns: Vec<Column>,
    wanted: Option<MotionQuantity>,
    settings: &ReadSettings,
) -> Result<Layout, String> {
    let list = |columns: &[Column]| {
        columns
            .iter()
            .map(|c| format!("`{}`", c.name))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let count = columns.len();
    let time = columns.iter().position(|c| c.time.is_some());
    let time = time.map(|k| (k, columns[k].time.unwrap_or(1.0)));
    let all = list(&columns);
    let others = columns
        .into_iter()
        .enumerate()
        .filter(|(k, _)| time.is_none_or(|(t, _)| t != *k));
    let mut taken: Vec<(usize, Column)> = others.collect();
    if let Some(name) = &settings.column {
        taken.retain(|(_, c)| c.name.eq_ignore_ascii_case(name.trim()));
        if taken.is_empty() {
            return Err(format!("there is no column `{name}`; there are {all}"));
        }
        taken.truncate(1);
    } else if taken.iter().any(|(_, c)| c.is_motion()) {
        taken.retain(|(_, c)| c.is_motion());
    }
    use MotionQuantity::{Acceleration, Displacement, Velocity};
    let of = |c: &Column| c.quantity.or(wanted).unwrap_or_default();
    let best = [Acceleration, Velocity, Displacement]
        .into_iter()
        .find(|q| taken.iter().any(|(_, c)| of(c) == *q));
    let quantity = wanted.or(best).unwrap_or_default();
    // One column that is asked for is taken as what it is said to be.
    if settings.column.is_none() && taken.len() > 1 {
        taken.retain(|(_, c)| of(c) == quantity);
    }
    if taken.is_empty() {
        return Err(format!("there is no column of {}s; there are {all}", quantity.name()));
    }
    let repeated = (1..taken.len()).any(|k| taken[..k].iter().any(|(_, c)| c.direction == taken[k].1.direction));
    if repeated || (taken.len() > 1 && taken.iter().any(|(_, c)| c.direction.is_none())) {
        let taken: Vec<Column> = taken.into_iter().map(|(_, c)| c).collect();
        let candidates = list(&taken);
        return Err(format!(
            "which of the columns {candidates} is along which axis is not clear; choose one with column=, or name them x, y \
             and z"
        ));
    }
    Ok(Layout {
        count,
        time,
        taken,
        quantity,
        named: true,
    })
}
