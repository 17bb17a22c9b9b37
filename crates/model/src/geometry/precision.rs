//! What the numbers of a geometry tell about how exact they are.

use std::collections::HashSet;

use glam::DVec3;

/// Most decimals that are told from none: beyond, numbers of a structure have no digits left to tell.
const MOST_DECIMALS: i32 = 8;
/// A box along the axes has six numbers. More than that with a last decimal of their own were not chosen to be short.
const BOX_NUMBERS: usize = 6;

/// Significant digits that are told from decimals: with fewer, short numbers of all sizes look alike; with more, they are exact.
const SIGNIFICANT: std::ops::RangeInclusive<usize> = 5..=8;
/// Digits that numbers of single precision have, more or less: with more, they are told by their spacing.
const SINGLE_DIGITS: usize = 7;
/// Numbers below this are what arithmetic leaves of zero (m).
const NOTHING: f64 = 1e-12;
/// Numbers with all those digits, and fewer decimals than others, that make significant digits of them.
const MANY_FULL: usize = 3;

/// How points came to be rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// To so many decimals, or to so many digits that the largest number has so many decimals.
    Decimals(i32),
    /// To numbers of single precision.
    Single,
}

/// How exact points can be, by their numbers alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// What the numbers are multiples of.
    pub grain: Grain,
    /// How far points may be off their true place (m): half of the grain along each axis.
    pub off: f64,
    /// The same for numbers of single precision (m).
    pub off_single: f64,
    /// Whether the numbers look rounded. Numbers such as 0.25 have few decimals by nature.
    pub is_scattered: bool,
}

/// How exact points can be, if all their coordinates are decimal numbers with up to eight decimals, numbers with up to eight
/// significant digits, or numbers of single precision. `None` where they have all the digits of double precision: such points
/// are where they are meant to be.
///
/// That a geometry could be rounded does not say that it is.
pub fn coordinate_precision(points: &[DVec3]) -> Option<Precision> {
    let values = || points.iter().flat_map(|p| p.to_array());
    let largest = points.iter().fold(DVec3::ZERO, |m, p| m.max(p.abs()));
    // Neighbouring numbers of single precision are that far apart.
    let spacing = largest.map(|m| {
        let m = m as f32;
        f64::from(m.next_up()) - f64::from(m)
    });
    let off_single = 0.5 * spacing.length();
    let is_single = values().all(is_single);
    let single = Precision {
        grain: Grain::Single,
        off: off_single,
        off_single,
        is_scattered: true,
    };
    // Few digits of the largest number say more than many decimals of one next to zero.
    let significant = significant_decimals(values(), if is_single { SINGLE_DIGITS } else { *SIGNIFICANT.end() });
    let Some(decimals) = significant.or_else(|| decimals(values())) else {
        return is_single.then_some(single);
    };
    let unit = 10f64.powi(decimals);
    if is_single && spacing.max_element() * unit > 1.0 {
        return Some(single);
    }
    let last = |value: f64| (value * unit).round() as i64;
    let own: HashSet<i64> = values().map(last).filter(|digits| digits % 10 != 0).collect();
    Some(Precision {
        grain: Grain::Decimals(decimals),
        off: half_diagonal(decimals),
        off_single,
        is_scattered: own.len() > BOX_NUMBERS,
    })
}

/// How far a point may be off whose coordinates are rounded to so many decimals (m).
pub fn half_diagonal(decimals: i32) -> f64 {
    0.5 * 3f64.sqrt() * 10f64.powi(-decimals)
}

/// Decimals of the number that has most; none beyond [`MOST_DECIMALS`].
fn decimals(values: impl Iterator<Item = f64>) -> Option<i32> {
    let mut decimals = 0;
    for value in values {
        let is_whole = |decimals: i32| {
            let scaled = value * 10f64.powi(decimals);
            (scaled - scaled.round()).abs() <= 8.0 * f64::EPSILON * scaled.abs().max(1.0)
        };
        while !is_whole(decimals) {
            decimals += 1;
            if decimals > MOST_DECIMALS {
                return None;
            }
        }
    }
    Some(decimals)
}

/// Decimals of the largest number, if all numbers are rounded to so many significant digits: smaller ones have more decimals.
fn significant_decimals(values: impl Iterator<Item = f64>, most_digits: usize) -> Option<i32> {
    // Digits of each number, and where its last one is. What arithmetic left of zero has none.
    let mut told: HashSet<(usize, i32, i64)> = HashSet::new();
    let mut top = f64::NEG_INFINITY;
    for value in values.map(f64::abs).filter(|v| *v > NOTHING) {
        let text = format!("{value:.*e}", most_digits - 1);
        if (text.parse::<f64>().ok()? - value).abs() > 8.0 * f64::EPSILON * value {
            return None;
        }
        let (mantissa, exponent) = text.split_once('e')?;
        let exponent: i32 = exponent.parse().ok()?;
        let digits = mantissa.replace('.', "");
        let count = digits.trim_end_matches('0').len();
        told.insert((count, count as i32 - 1 - exponent, digits.parse().ok()?));
        top = top.max(f64::from(exponent));
    }
    let count = told.iter().map(|(count, ..)| *count).max()?;
    let most = told.iter().map(|(_, decimals, _)| *decimals).max()?;
    let is_full = |(digits, decimals, _): &&(usize, i32, i64)| *digits == count && *decimals < most;
    let shows = SIGNIFICANT.contains(&count) && told.iter().filter(is_full).count() >= MANY_FULL;
    shows.then_some(count as i32 - 1 - top as i32)
}

/// Whether a number is one of single precision, in full or in the fewest digits that tell it from others.
fn is_single(value: f64) -> bool {
    let single = value as f32;
    f64::from(single) == value || single.to_string().parse() == Ok(value)
}

/// A length for people, in a unit that suits it.
pub fn length_text(length: f64) -> String {
    let (value, unit) = match length.abs() {
        l if l >= 1.0 => (length, "m"),
        l if l >= 1e-6 || l == 0.0 => (1e3 * length, "mm"),
        _ => (1e6 * length, "um"),
    };
    let digits = 2 - (value.abs().max(1e-12).log10().floor() as i32).clamp(-6, 2);
    format!("{value:.*} {unit}", digits as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_show_whatever_the_size_of_the_numbers() {
        let point = |x: f64| DVec3::new(x, 0.5, -120.25);
        let unit = 2.0 / 3f64.sqrt();
        for (x, expected) in [(0.1234, 1e-4), (3000.123, 1e-3), (7.0, 1e-2), (0.00001, 1e-5)] {
            let precision = coordinate_precision(&[point(x)]).unwrap().off;
            assert!((precision * unit / expected - 1.0).abs() < 1e-12, "{x}: {precision}");
        }
        assert_eq!(coordinate_precision(&[point(1.0 / 3.0)]), None);
        assert_eq!(coordinate_precision(&[point(std::f64::consts::PI * 1e-3)]), None);
    }

    /// 150 m from the origin, in millimetres, numbers of single precision are 1/64 apart: they have six decimals.
    #[test]
    fn numbers_of_single_precision_are_not_taken_for_decimals() {
        let spacing = 1.0 / 64.0;
        let exact: Vec<DVec3> = (0..8)
            .map(|k| DVec3::new(150_000.0, 180_000.0, 200_000.0) + 123.4567 * f64::from(k))
            .collect();
        let single: Vec<DVec3> = exact.iter().map(|p| p.as_vec3().as_dvec3()).collect();
        let short = |v: f64| (v as f32).to_string().parse::<f64>().unwrap();
        let printed: Vec<DVec3> = exact.iter().map(|p| p.map(short)).collect();
        for points in [&single, &printed] {
            let found = coordinate_precision(points).unwrap();
            assert_eq!(found.grain, Grain::Single, "{points:?}");
            assert!((found.off - 0.5 * 3f64.sqrt() * spacing).abs() < 1e-12, "{found:?}");
        }
        let near: Vec<DVec3> = single.iter().map(|p| *p * 1e-6).collect();
        assert_eq!(coordinate_precision(&near), None);
        let tenths = DVec3::new(0.1f32.into(), 0.7f32.into(), 3.3f32.into());
        assert_eq!(coordinate_precision(&[tenths]).unwrap().grain, Grain::Single);
    }

    #[test]
    fn a_box_along_the_axes_does_not_look_rounded_and_one_that_is_turned_does() {
        let corners = |turn: f64| {
            let corner = |k: i32| DVec3::new(f64::from(k & 1), f64::from((k / 2) & 1), f64::from(k / 4)) * 0.123;
            let turned = move |k| glam::DQuat::from_rotation_z(turn) * corner(k);
            (0..8).map(move |k| (turned(k) * 1e3).round() / 1e3).collect::<Vec<_>>()
        };
        assert!(!coordinate_precision(&corners(0.0)).unwrap().is_scattered);
        let turned: Vec<DVec3> = corners(0.3)
            .iter()
            .map(|p| *p + DVec3::new(1.001, 2.002, 0.0))
            .collect();
        assert!(coordinate_precision(&turned).unwrap().is_scattered);
    }

    /// Six digits: 12.3457 is rounded to 1e-4, however many decimals a number next to zero has.
    #[test]
    fn significant_digits_are_as_coarse_as_the_largest_number() {
        let round = |digits: usize| move |v: f64| format!("{v:.*e}", digits - 1).parse::<f64>().unwrap();
        let corners = |offset: f64| {
            let turn = glam::DQuat::from_rotation_z(0.3);
            let corner = |k: i32| DVec3::new(f64::from(k & 1), f64::from((k / 2) & 1), f64::from(k / 4)) * 0.789_123;
            (0..8).map(move |k| turn * corner(k) + DVec3::new(offset, 0.001_234_567, 0.0))
        };
        for (digits, offset, last) in [(6, 12.0, 1e-4), (6, 1.5, 1e-5), (7, 120.0, 1e-4), (5, 3.0, 1e-4)] {
            let points: Vec<DVec3> = corners(offset).map(|p| p.map(round(digits))).collect();
            let found = coordinate_precision(&points).unwrap();
            assert!(found.is_scattered, "{digits} digits at {offset}: {found:?}");
            assert!(
                (found.off / (0.5 * 3f64.sqrt() * last) - 1.0).abs() < 1e-9,
                "{digits} digits at {offset}: {found:?}"
            );
        }
        // Four decimals are four decimals, whatever the largest number.
        let points: Vec<DVec3> = corners(12.0).map(|p| (p * 1e4).round() / 1e4).collect();
        assert_eq!(coordinate_precision(&points).unwrap().grain, Grain::Decimals(4));
    }

    #[test]
    fn lengths_are_told_in_three_digits() {
        assert_eq!(length_text(0.000173), "0.173 mm");
        assert_eq!(length_text(0.0123), "12.3 mm");
        assert_eq!(length_text(2.5), "2.50 m");
        assert_eq!(length_text(3.2e-8), "0.0320 um");
    }
}
