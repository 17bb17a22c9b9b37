//! Numbers of results for people: three significant digits, a unit that suits the size.

use drystone_analysis::words::quantity;
use serde_json::Value;

use super::texts::{ENGLISH, called, fill};

/// Names that are listed one by one.
const MOST_NAMES: usize = 12;

/// Units by how the names of fields end, the longest endings first; with prefixes, from the largest.
const UNITS: [(&str, &[(f64, &str)]); 8] = [
    ("_m_s", &[(1.0, "m/s"), (1e-3, "mm/s"), (1e-6, "µm/s")]),
    ("_deg", &[(1.0, "°")]),
    ("_pa", &[(1e9, "GPa"), (1e6, "MPa"), (1e3, "kPa"), (1.0, "Pa")]),
    ("_kg", &[(1e3, "t"), (1.0, "kg"), (1e-3, "g")]),
    ("_n", &[(1e6, "MN"), (1e3, "kN"), (1.0, "N"), (1e-3, "mN")]),
    ("_j", &[(1e6, "MJ"), (1e3, "kJ"), (1.0, "J"), (1e-3, "mJ")]),
    ("_m", &[(1.0, "m"), (1e-3, "mm"), (1e-6, "µm"), (1e-9, "nm")]),
    ("_s", &[(1.0, "s"), (1e-3, "ms")]),
];

/// Fields that are fractions, told in per cent.
const FRACTIONS: [&str; 4] = [
    "largest_friction_use",
    "fallen_fraction",
    "energy_balance_error",
    "done",
];

/// A number with three significant digits.
pub(super) fn three(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".into() } else { value.to_string() };
    }
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    let size = rounded.abs().log10().floor() as i32;
    if !(-4..6).contains(&size) {
        let (digits, exponent) = (rounded / 10f64.powi(size), size);
        return format!("{digits:.2} · 10{}", raised(exponent));
    }
    format!("{rounded:.*}", (2 - size).max(0) as usize)
}

/// A whole number as an exponent.
fn raised(number: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let one = |c: char| match c.to_digit(10) {
        Some(digit) => DIGITS[digit as usize],
        None => '⁻',
    };
    number.to_string().chars().map(one).collect()
}

/// The same with a unit that suits it.
pub(super) fn measured(value: f64, units: &[(f64, &str)]) -> String {
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    let last = units.last().copied().unwrap_or((1.0, ""));
    if rounded == 0.0 || rounded.abs() < 1e-3 * last.0 {
        let unit = units.iter().find(|(scale, _)| *scale == 1.0).unwrap_or(&last);
        return format!("0 {}", unit.1);
    }
    let (scale, unit) = units
        .iter()
        .copied()
        .find(|(scale, _)| rounded.abs() >= *scale)
        .unwrap_or(last);
    let gap = if unit == "°" { "" } else { " " };
    format!("{}{gap}{unit}", three(rounded / scale))
}

fn units(field: &str) -> Option<&'static [(f64, &'static str)]> {
    UNITS
        .iter()
        .find(|(end, _)| field.ends_with(end))
        .map(|(_, units)| *units)
}

/// The value of a field as text; nothing where there is none.
pub(super) fn told(field: &str, value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Bool(is) => Some(if *is { ENGLISH.results.yes } else { ENGLISH.results.no }.to_string()),
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(text.replace('_', " ")),
        Value::Number(number) => {
            let value = number.as_f64()?;
            Some(match units(field) {
                _ if FRACTIONS.contains(&field) => format!("{} %", three(100.0 * value)),
                Some(units) => measured(value, units),
                None if number.is_f64() => three(value),
                None => number.to_string(),
            })
        }
        Value::Array(list) => {
            let numbers: Option<Vec<f64>> = list.iter().map(Value::as_f64).collect();
            match numbers {
                _ if list.is_empty() => None,
                Some(numbers) => Some(row(field, &numbers)),
                None => Some(names(list)),
            }
        }
        Value::Object(_) => None,
    }
}

/// Numbers that belong together in one unit, that of the largest.
fn row(field: &str, numbers: &[f64]) -> String {
    let largest = numbers.iter().map(|v| v.abs()).fold(0.0, f64::max);
    let (scale, unit) = match units(field) {
        Some(units) => {
            let fits = units.iter().find(|(scale, _)| largest >= *scale);
            *fits.or(units.last()).unwrap_or(&(1.0, ""))
        }
        None => (1.0, ""),
    };
    // What is nothing beside the largest is noise.
    let clean = |v: f64| if v.abs() < 1e-6 * largest { 0.0 } else { v / scale };
    let texts: Vec<String> = numbers.iter().map(|&v| three(clean(v))).collect();
    format!("{} {unit}", texts.join(", ")).trim_end().to_string()
}

fn names(list: &[Value]) -> String {
    let one = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => "–".into(),
        other => other.to_string(),
    };
    let mut texts: Vec<String> = list.iter().take(MOST_NAMES).map(one).collect();
    if let more @ 1.. = list.len().saturating_sub(MOST_NAMES) {
        texts.push(fill(ENGLISH.results.more, &[&more.to_string()]));
    }
    texts.join(", ")
}

/// The fields of a result that have a name here, in the order of the names.
pub(super) fn rows(result: &Value, left_out: &[&str]) -> Vec<(String, String)> {
    let known = ENGLISH.fields.iter().filter(|(field, _)| !left_out.contains(field));
    known
        .filter_map(|(field, _)| {
            let value = told(field, result.get(field)?)?;
            Some((called(ENGLISH.fields, field), where_and_when(result, field, value)))
        })
        .collect()
}

/// An extreme with the block and the time that belong to it: `max_speed_m_s` with `max_speed_block` and `max_speed_time_s`.
fn where_and_when(result: &Value, field: &str, value: String) -> String {
    let ends = ["_m_s", "_m"].into_iter();
    let Some(stem) = ends.filter_map(|end| field.strip_suffix(end)).next() else {
        return value;
    };
    let block = result.get(format!("{stem}_block")).and_then(Value::as_str);
    let time = result.get(format!("{stem}_time_s")).and_then(Value::as_f64);
    let texts = &ENGLISH.results;
    match (block, time) {
        (Some(block), Some(time)) => fill(texts.of_at, &[&value, block, &seconds(time)]),
        (Some(block), None) => fill(texts.of, &[&value, block]),
        _ => value,
    }
}

/// A length, a mass, a volume: as results have them.
pub(super) fn length(m: f64) -> String {
    measured(m, UNITS[6].1)
}

pub(super) fn force(n: f64) -> String {
    measured(n, UNITS[4].1)
}

pub(super) fn mass(kg: f64) -> String {
    measured(kg, UNITS[3].1)
}

pub(super) fn pressure(pa: f64) -> String {
    measured(pa, UNITS[2].1)
}

pub(super) fn seconds(s: f64) -> String {
    measured(s, UNITS[7].1)
}

pub(super) fn volume(m3: f64) -> String {
    let rounded: f64 = format!("{m3:.2e}").parse().unwrap_or(m3);
    quantity(rounded, &[(1.0, "m³"), (1e-3, "L"), (1e-6, "cm³")])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_have_three_digits_and_units_that_suit_them() {
        let shown = |field: &str, value: Value| told(field, &value).unwrap();
        assert_eq!(shown("max_force_n", json!(50_876.3)), "50.9 kN");
        assert_eq!(shown("critical_tilt_deg", json!(16.7004)), "16.7°");
        assert_eq!(shown("max_displacement_m", json!(0.0123456)), "12.3 mm");
        assert_eq!(shown("max_displacement_m", json!(0.0)), "0 m");
        assert_eq!(shown("residual", json!(2.345e-10)), "2.35 · 10⁻¹⁰");
        assert_eq!(shown("load_n", json!([0.0, 1e-9, -51_000.0])), "0, 0, -51.0 kN");
        assert_eq!(shown("largest_friction_use", json!(0.51234)), "51.2 %");
        assert_eq!(shown("multiplier", json!(0.14493)), "0.145");
        assert_eq!(shown("steps", json!(1200)), "1200");
        assert_eq!(shown("proven", json!(true)), "yes");
        // Rounding may bring a number into the next size.
        assert_eq!(shown("max_force_n", json!(999.9)), "1.00 kN");
        assert_eq!(told("bounds", &json!([])), None);
        assert_eq!(shown("unstable_blocks", json!(["a", "b"])), "a, b");
    }
}
