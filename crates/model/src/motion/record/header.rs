//! What the name of a column says.

use glam::DVec3;

use super::RecordUnits;
use crate::motion::MotionQuantity;

/// What a column is, as far as its name tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Column {
    pub(super) name: String,
    /// For a column of times: its unit (s).
    pub(super) time: Option<f64>,
    pub(super) quantity: Option<MotionQuantity>,
    pub(super) units: Option<RecordUnits>,
    pub(super) direction: Option<DVec3>,
    /// Whether the name says what the values are or where they point, and not only their units.
    pub(super) described: bool,
}

impl Column {
    /// From a name such as `time_s`, `acc_g`, `ax [m/s2]` or `Acceleration Z (cm/s^2)`.
    pub(super) fn new(name: &str) -> Self {
        let name = name.trim().trim_matches('"').trim();
        let lower = name.to_lowercase().replace('²', "2").replace(['^', '*'], "");
        let words: Vec<&str> = lower
            .split(|c: char| c.is_whitespace() || "()[]{}_-,:.\"'".contains(c))
            .filter(|w| !w.is_empty())
            .collect();
        let mut column = Self {
            name: name.to_owned(),
            ..Self::default()
        };
        if let Some(unit) = time_unit(&words) {
            column.time = Some(unit);
            return column;
        }
        let last = words.last().copied().unwrap_or_default();
        let joined = words.len().checked_sub(2).map(|k| words[k..].join("/"));
        column.units = joined
            .and_then(|w| RecordUnits::from_spelling(&w))
            .or_else(|| RecordUnits::from_spelling(last));
        for word in &words {
            column.quantity = column.quantity.or_else(|| quantity(word));
            column.direction = column.direction.or_else(|| direction(word));
        }
        column.described = column.is_motion();
        if let Some(units) = column.units {
            column.quantity = Some(units.quantity());
        }
        column
    }

    /// Whether the name says that this is a motion, with its units.
    pub(super) fn is_surely_motion(&self) -> bool {
        self.described && self.units.is_some()
    }

    /// Whether the name says that this is a motion.
    pub(super) fn is_motion(&self) -> bool {
        self.quantity.is_some() || self.direction.is_some()
    }
}

fn time_unit(words: &[&str]) -> Option<f64> {
    let (first, rest) = words.split_first()?;
    let unit = match *first {
        "time" | "times" | "t" | "sec" | "secs" | "seconds" | "s" => 1.0,
        "ms" | "milliseconds" => 0.001,
        _ => return None,
    };
    Some(if rest.iter().any(|w| ["ms", "milliseconds"].contains(w)) {
        0.001
    } else {
        unit
    })
}

fn quantity(word: &str) -> Option<MotionQuantity> {
    let is = |long: &str, short: &[&str]| word.starts_with(long) || short.contains(&word);
    if is("acc", &["a", "ax", "ay", "az", "pga"]) {
        Some(MotionQuantity::Acceleration)
    } else if is("vel", &["v", "vx", "vy", "vz"]) {
        Some(MotionQuantity::Velocity)
    } else if is("dis", &["d", "dx", "dy", "dz", "u", "ux", "uy", "uz"]) {
        Some(MotionQuantity::Displacement)
    } else {
        None
    }
}

fn direction(word: &str) -> Option<DVec3> {
    match word {
        "x" | "ew" | "east" => return Some(DVec3::X),
        "y" | "ns" | "north" => return Some(DVec3::Y),
        "z" | "ud" | "up" | "vertical" => return Some(DVec3::Z),
        _ => {}
    }
    quantity(word)?;
    match word.chars().last()? {
        'x' => Some(DVec3::X),
        'y' if !word.ends_with("ity") => Some(DVec3::Y),
        'z' => Some(DVec3::Z),
        _ => None,
    }
}
