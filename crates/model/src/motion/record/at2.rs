//! PEER files: a few lines of header with the number of points and the time step, then values in rows.

use super::{ReadSettings, Record, RecordError, RecordUnits, units::check_plausible};
use crate::motion::MotionQuantity;

/// Lines in which the number of points and the time step must come; four in every vintage known.
const HEADER_LINES: usize = 12;

/// Whether a file is a PEER file, by its ending or its header.
pub(super) fn is_peer(text: &str, file: &str) -> bool {
    let named = quantity_of_ending(file).is_some();
    let header = text
        .lines()
        .take(HEADER_LINES)
        .any(|line| line.to_uppercase().contains("NPTS"));
    named || header
}

fn quantity_of_ending(file: &str) -> Option<MotionQuantity> {
    let ending = file.rsplit('.').next().unwrap_or_default().to_lowercase();
    match ending.as_str() {
        "at2" => Some(MotionQuantity::Acceleration),
        "vt2" => Some(MotionQuantity::Velocity),
        "dt2" => Some(MotionQuantity::Displacement),
        _ => None,
    }
}

#[derive(Default)]
struct Header {
    title: String,
    points: Option<usize>,
    dt: Option<f64>,
    /// Line of the number of points.
    line: usize,
    quantity: Option<MotionQuantity>,
    units: Option<RecordUnits>,
}

pub(super) fn parse(text: &str, file: &str, settings: &ReadSettings) -> Result<Record, RecordError> {
    let lines: Vec<&str> = text.lines().collect();
    let (header, first) = header(&lines, file, settings)?;
    let (Some(points), Some(dt)) = (header.points, settings.dt.or(header.dt)) else {
        let missing = if header.points.is_none() { "NPTS" } else { "DT" };
        let what = format!(
            "there is no {missing}= in the first {HEADER_LINES} lines; the header of a PEER file ends in a line such as \
             `NPTS= 7995, DT= .0050 SEC`"
        );
        return Err(RecordError::new(file, None, what));
    };
    let quantity = settings
        .quantity
        .or(settings.units.map(RecordUnits::quantity))
        .or(header.quantity);
    let quantity = quantity.or_else(|| quantity_of_ending(file)).unwrap_or_default();
    let of_quantity = |units: &RecordUnits| units.quantity() == quantity;
    let units = settings
        .units
        .or(header.units)
        .filter(of_quantity)
        .unwrap_or(match quantity {
            MotionQuantity::Acceleration => RecordUnits::G,
            MotionQuantity::Velocity => RecordUnits::CentimetrePerSecond,
            MotionQuantity::Displacement => RecordUnits::Centimetre,
        });
    // The header may promise any number; memory is for values that are there.
    let mut values = Vec::new();
    for (k, line) in lines.iter().enumerate().skip(first) {
        row(line, &mut values).map_err(|what| RecordError::new(file, k + 1, what))?;
    }
    if values.len() != points {
        let what = format!("the header says {points} points, but {} values follow", values.len());
        return Err(RecordError::new(file, header.line, what));
    }
    if values.len() < 2 {
        return Err(RecordError::new(file, header.line, "a record needs at least 2 values"));
    }
    if settings.units.is_none() {
        check_plausible(&values, units, file)?;
    }
    values.iter_mut().for_each(|v| *v *= units.factor());
    Ok(Record::single(file, header.title, quantity, dt, values))
}

/// The header, and the index of the first line after it.
fn header(lines: &[&str], file: &str, settings: &ReadSettings) -> Result<(Header, usize), RecordError> {
    let mut header = Header::default();
    for (k, line) in lines.iter().enumerate().take(HEADER_LINES) {
        let complete = header.points.is_some() && (header.dt.is_some() || settings.dt.is_some());
        if complete && row(line, &mut Vec::new()).is_ok() {
            return Ok((header, k));
        }
        let upper = line.to_uppercase();
        if k == 1 {
            header.title = line.trim().to_owned();
        }
        if let Some(points) = points_and_step(&upper, &mut header) {
            let error = |what: String| Err(RecordError::new(file, k + 1, what));
            if !(points >= 0.0 && points.fract() == 0.0 && points < 1e12) {
                return error(format!("{points} is not a number of points; must be a whole number"));
            }
            header.points = Some(points as usize);
            header.line = k + 1;
        }
        if let Some(dt) = header.dt.filter(|dt| !(*dt > 0.0 && dt.is_finite()))
            && settings.dt.is_none()
        {
            let what = format!("a time step of {dt} is not allowed; must be above 0");
            return Err(RecordError::new(file, k + 1, what));
        }
        quantity_and_units(&upper, &mut header).map_err(|what| RecordError::new(file, k + 1, what))?;
    }
    Ok((header, lines.len().min(HEADER_LINES)))
}

/// The number of points of a header line, if it is there. Either `NPTS= 7995, DT= .0050 SEC` or `7995 .0050 NPTS, DT`.
fn points_and_step(upper: &str, header: &mut Header) -> Option<f64> {
    let points = number_after(upper, "NPTS");
    if let Some(dt) = number_after(upper, "DT") {
        header.dt = Some(dt);
    }
    if points.is_none()
        && let Some(at) = upper.find("NPTS")
    {
        let before: Vec<f64> = upper[..at]
            .split([' ', '\t', ','])
            .filter_map(|w| number(w).ok())
            .collect();
        if let [points, dt, ..] = before[..] {
            header.dt = Some(dt);
            return Some(points);
        }
    }
    points
}

/// The number after a word, which is no part of a longer one: not the `DT` of `18/10 17:04 PDT 1989`.
fn number_after(line: &str, word: &str) -> Option<f64> {
    let whole = |at: &usize| !line[..*at].ends_with(|c: char| c.is_alphanumeric());
    let at = line.match_indices(word).map(|(at, _)| at).find(whole)?;
    let rest = line[at + word.len()..].trim_start_matches([' ', '\t', '=', ':']);
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || "+-.ED".contains(c)))
        .unwrap_or(rest.len());
    number(rest[..end].trim_end_matches(['.', 'E', 'D'])).ok()
}

fn quantity_and_units(upper: &str, header: &mut Header) -> Result<(), String> {
    for (word, quantity) in [
        ("ACCELERATION", MotionQuantity::Acceleration),
        ("VELOCITY", MotionQuantity::Velocity),
        ("DISPLACEMENT", MotionQuantity::Displacement),
    ] {
        let stated = ["TIME", "UNITS", "SERIES", "HISTORY"].iter().any(|w| upper.contains(w));
        if upper.contains(word) && stated {
            header.quantity = Some(quantity);
        }
    }
    let Some(at) = upper.find("UNITS OF") else {
        return Ok(());
    };
    let word = upper[at + 8..].split_whitespace().next().unwrap_or_default();
    match RecordUnits::from_spelling(word) {
        Some(units) => {
            header.units = Some(units);
            header.quantity = Some(units.quantity());
            Ok(())
        }
        None => Err(format!(
            "`{word}` is not a unit known here; known are {}",
            RecordUnits::ALL.map(RecordUnits::name).join(", ")
        )),
    }
}

/// The values of a row, added to those before.
fn row(line: &str, values: &mut Vec<f64>) -> Result<(), String> {
    for word in line.split([' ', '\t', ',', '\r']).filter(|w| !w.is_empty()) {
        match number(word) {
            Ok(value) => values.push(value),
            Err(what) => values.extend(run_together(word).ok_or(what)?),
        }
    }
    Ok(())
}

/// Values whose columns Fortran filled to the last place: `-.1394908E-02-.1401720E-02`.
fn run_together(word: &str) -> Option<Vec<f64>> {
    let bytes = word.as_bytes();
    let starts = |k: usize| k > 0 && b"+-".contains(&bytes[k]) && !b"eEdD".contains(&bytes[k - 1]);
    let cuts: Vec<usize> = (0..bytes.len()).filter(|&k| starts(k)).collect();
    if cuts.is_empty() || !word.is_ascii() {
        return None;
    }
    let from = std::iter::once(0).chain(cuts.iter().copied());
    let to = cuts.iter().copied().chain(std::iter::once(word.len()));
    from.zip(to).map(|(a, b)| number(&word[a..b]).ok()).collect()
}

/// A finite number, with Fortran's `D` as an exponent.
fn number(word: &str) -> Result<f64, String> {
    let quoted: String = word.chars().take(40).collect();
    match word.replace(['d', 'D'], "E").parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(format!("`{quoted}` is not a finite number")),
        Err(_) => Err(format!("`{quoted}` is not a number")),
    }
}
