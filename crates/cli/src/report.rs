use serde::Serialize;

use crate::error::Failure;

/// How a command talks: text for people or one JSON object, and how much.
pub(crate) struct Console {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
}

impl Console {
    /// Prints the result of a command: as JSON if asked for, else as text.
    pub(crate) fn result(&self, json: &impl Serialize, text: impl FnOnce() -> String) -> Result<(), Failure> {
        let shown = if self.json {
            serde_json::to_string(json).map_err(Failure::run)?
        } else {
            text()
        };
        // What was printed line by line may leave nothing to add.
        if shown.is_empty() { Ok(()) } else { print(&shown) }
    }

    /// Prints a part of the result as soon as it is there. In JSON it comes with the rest.
    pub(crate) fn line(&self, text: &str) -> Result<(), Failure> {
        if self.json { Ok(()) } else { print(text) }
    }

    /// Prints a warning on standard error, unless told to be quiet.
    pub(crate) fn warn(&self, message: impl std::fmt::Display) {
        if !self.quiet {
            eprintln!("warning: {message}");
        }
    }
}

fn print(text: &str) -> Result<(), Failure> {
    use std::io::Write;
    // A closed pipe (`| head`) is not a failure of the run.
    match writeln!(std::io::stdout(), "{}", text.trim_end()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Rows of a name and a value, the values in one column.
pub(crate) fn table(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    rows.iter()
        .map(|(name, value)| format!("{name:<width$}  {value}\n"))
        .collect()
}

/// A number of things, with thousands set apart.
pub(crate) fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things with their name, which takes an s unless there is one.
pub(crate) fn counted(n: usize, thing: &str) -> String {
    format!("{} {thing}{}", count(n), if n == 1 { "" } else { "s" })
}

/// A quantity with about four digits and a unit prefix that suits it.
pub(crate) fn quantity(value: f64, units: &[(f64, &str)]) -> String {
    let (scale, unit) = units
        .iter()
        .copied()
        .find(|(scale, _)| value.abs() >= *scale)
        .unwrap_or_else(|| units.last().copied().unwrap_or((1.0, "")));
    let scaled = value / scale;
    let digits = if scaled == 0.0 {
        0
    } else {
        (3 - scaled.abs().log10().floor() as i32).clamp(0, 6) as usize
    };
    let text = format!("{scaled:.digits$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{text} {unit}")
}

/// A mass with a unit that suits it.
pub(crate) fn mass(kg: f64) -> String {
    quantity(kg, &[(1e6, "kt"), (1e3, "t"), (1.0, "kg"), (1e-3, "g"), (1e-6, "mg")])
}

/// A length with a unit that suits it.
pub(crate) fn length(m: f64) -> String {
    if m == 0.0 {
        return "0 m".to_string();
    }
    if m.abs() < 1e-9 {
        return "below 1 nm".to_string();
    }
    quantity(m, &[(1e3, "km"), (1.0, "m"), (1e-3, "mm"), (1e-6, "µm"), (1e-9, "nm")])
}

/// A speed with a unit that suits it.
pub(crate) fn speed(m_s: f64) -> String {
    match m_s {
        0.0 => "0 m/s".to_string(),
        v if v.abs() < 1e-6 => "below 1 µm/s".to_string(),
        v => quantity(v, &[(1.0, "m/s"), (1e-3, "mm/s"), (1e-6, "µm/s")]),
    }
}

/// A force with a unit that suits it.
pub(crate) fn force(n: f64) -> String {
    if n == 0.0 {
        return "0 N".to_string();
    }
    quantity(n, &[(1e6, "MN"), (1e3, "kN"), (1.0, "N"), (1e-3, "mN"), (1e-6, "µN")])
}

/// An area with a unit that suits it.
pub(crate) fn area(m2: f64) -> String {
    quantity(m2, &[(1.0, "m²"), (1e-4, "cm²"), (1e-6, "mm²")])
}

/// Lengths along x, y and z in one unit that suits the largest.
pub(crate) fn size(m: glam::DVec3) -> String {
    let units = [(1e4, 1e3, "km"), (0.1, 1.0, "m"), (0.0, 1e-3, "mm")];
    let (_, scale, unit) = units
        .into_iter()
        .find(|(from, ..)| m.max_element() >= *from)
        .unwrap_or(units[2]);
    let [x, y, z] = (m / scale).to_array().map(|v| quantity(v, &[(1.0, "")]));
    format!("{} x {} x {} {unit}", x.trim(), y.trim(), z.trim())
}

/// A volume with a unit that suits it.
pub(crate) fn volume(m3: f64) -> String {
    quantity(m3, &[(1.0, "m³"), (1e-3, "L"), (1e-6, "cm³"), (1e-9, "mm³")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_come_with_a_unit_that_suits_them() {
        assert_eq!(mass(83_912.4), "83.91 t");
        assert_eq!(mass(0.0123), "12.3 g");
        assert_eq!(length(16.2), "16.2 m");
        assert_eq!(length(2.5e-7), "250 nm");
        assert_eq!(length(0.0), "0 m");
        assert_eq!(length(2e-15), "below 1 nm");
        assert_eq!(volume(46.62), "46.62 m³");
        assert_eq!(volume(5e-4), "500 cm³");
        assert_eq!(size(glam::DVec3::new(16.2, 0.8, 5.0)), "16.2 x 0.8 x 5 m");
        assert_eq!(size(glam::DVec3::new(0.05, 0.08, 0.0125)), "50 x 80 x 12.5 mm");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(201), "201");
        assert_eq!(counted(1, "block"), "1 block");
        assert_eq!(counted(2000, "block"), "2,000 blocks");
    }
}
